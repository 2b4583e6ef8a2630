//! The puzzle as a game of one player.

use super::{Board, Square};
use crate::play::{Action, Play, Turn};
use crate::shared::grid::counting;
use crate::task::prelude::*;

/// The board filled row by row from the top; the given queens come of themselves.
///
/// Action `column - 1` places the queen of the next row. The mask closes holes alone: what a queen attacks the score
/// tells.
#[derive(Clone)]
pub struct Placing {
    board: Board,
    columns: Vec<u8>,
}

impl Placing {
    pub fn new(board: &Board) -> Self {
        Self { board: board.clone(), columns: Vec::new() }.past_given()
    }

    fn past_given(mut self) -> Self {
        while let Some(column) =
            (self.columns.len() < self.board.size()).then(|| self.board.given(self.columns.len())).flatten()
        {
            self.columns.push(column);
        }
        self
    }
}

impl Play for Placing {
    fn actions(&self) -> u32 {
        self.board.size() as u32
    }

    fn turn(&self) -> Turn {
        if self.columns.len() < self.board.size() { Turn::Player(0) } else { Turn::Over }
    }

    fn legal(&self, out: &mut Vec<Action>) {
        let (row, size) = (self.columns.len(), self.board.size() as u8);
        if row < self.board.size() {
            let free = (1..=size).filter(|column| self.board.square(row, *column) == Square::Free);
            out.extend(free.map(|column| u32::from(column) - 1));
        }
    }

    fn apply(&mut self, action: Action) {
        self.columns.push(action as u8 + 1);
        *self = self.clone().past_given();
    }

    fn returns(&self) -> Vec<f32> {
        let judged = (self.turn() == Turn::Over).then(|| self.board.judge(&self.columns));
        vec![f32::from(u8::from(judged.is_some_and(|judged| judged.is_ok())))]
    }

    fn show(&self, _player: u8) -> String {
        let mut shown = self.board.clone();
        for (row, column) in self.columns.iter().enumerate() {
            shown.squares[row * self.board.size() + usize::from(*column) - 1] = Square::Queen;
        }
        shown.picture([".", "Q", "#"])
    }

    fn name_action(&self, action: Action) -> String {
        format!("column {}", action + 1)
    }

    fn read_action(&self, text: &str) -> Result<Action, String> {
        let word = text.trim().to_ascii_lowercase();
        let word = word.strip_prefix("column").map_or(word.as_str(), str::trim);
        let column = counting(word, self.board.size());
        Ok(column.ok_or_else(|| format!("`{}` is not a move like `column 3`", quoted(text)))? as Action - 1)
    }

    /// A plane of queens, then one of holes, then one of the rows that are filled.
    fn shape(&self) -> Vec<usize> {
        vec![3, self.board.size(), self.board.size()]
    }

    fn observe(&self, _player: u8, out: &mut [f32]) {
        out.fill(0.0);
        let size = self.board.size();
        for (cell, square) in self.board.squares.cells().iter().enumerate() {
            out[cell] = f32::from(u8::from(*square == Square::Queen));
            out[size * size + cell] = f32::from(u8::from(*square == Square::Hole));
        }
        for (row, column) in self.columns.iter().enumerate() {
            out[row * size + usize::from(*column) - 1] = 1.0;
            out[(2 * size + row) * size..][..size].fill(1.0);
        }
    }

    fn answer(&self) -> Option<String> {
        Some(self.board.write(&self.columns))
    }

    fn boxed_clone(&self) -> Box<dyn Play> {
        Box::new(self.clone())
    }
}
