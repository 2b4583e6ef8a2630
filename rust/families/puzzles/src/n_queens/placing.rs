//! The puzzle as a one-player game.

use super::{Board, Square};
use kit::picture::{CELL, Ink, Picture};
use kit::rules::{Action, Actions, Misread, Play, Playing, Rules, Turn};
use kit::shared::grid::counting;

/// The board is filled row by row from the top; given queens are placed automatically. The state is the list
/// of columns of the queens so far, counted from 1.
///
/// Action `column - 1` places the queen of the next row. The mask excludes only holes: the score reflects
/// attacks.
#[derive(Clone)]
pub struct Placing(Board);

impl Placing {
    pub fn play(board: &Board) -> Box<dyn Play> {
        let (rules, mut columns) = (Self(board.clone()), Vec::new());
        rules.place_given(&mut columns);
        Box::new(Playing::new(rules, columns))
    }

    fn place_given(&self, columns: &mut Vec<u8>) {
        while let Some(column) =
            (columns.len() < self.0.size()).then(|| self.0.given(columns.len())).flatten()
        {
            columns.push(column);
        }
    }
}

impl Rules for Placing {
    type State = Vec<u8>;
    type Legal = Actions;

    const PLAYERS: u8 = 1;

    fn actions(&self) -> u32 {
        self.0.size() as u32
    }

    fn max_plies(&self) -> u32 {
        (0..self.0.size()).filter(|row| self.0.given(*row).is_none()).count() as u32
    }

    fn turn(&self, columns: &Vec<u8>) -> Turn {
        if columns.len() < self.0.size() { Turn::Player(0) } else { Turn::Over }
    }

    fn legal(&self, columns: &Vec<u8>) -> Actions {
        let (row, size) = (columns.len(), self.0.size());
        let open = |column: &u8| row < size && self.0.square(row, *column) == Square::Free;
        (1..=size as u8).filter(open).map(|column| u32::from(column) - 1).collect()
    }

    fn apply(&self, columns: &mut Vec<u8>, action: Action) {
        columns.push(action as u8 + 1);
        self.place_given(columns);
    }

    fn returns(&self, columns: &Vec<u8>) -> [f32; 2] {
        let passed = self.turn(columns) == Turn::Over && self.0.judge(columns).is_ok();
        [f32::from(u8::from(passed)), 0.0]
    }

    fn show(&self, columns: &Vec<u8>, _player: u8) -> String {
        let mut shown = self.0.clone();
        for (row, column) in columns.iter().enumerate() {
            shown.squares[row * self.0.size() + usize::from(*column) - 1] = Square::Queen;
        }
        shown.picture([".", "Q", "#"])
    }

    /// Given queens are black, placed ones white; a hole is a black square.
    fn draw(&self, columns: &Vec<u8>, _player: u8) -> Picture {
        let size = self.0.size();
        let mut picture = Picture::filled(size as u32, size as u32, Ink::Yellow);
        for row in 0..size {
            for column in 0..size {
                let (square, at) = (self.0.square(row, column as u8 + 1), (row as u32, column as u32));
                if square == Square::Hole {
                    picture.cell(at.0, at.1, Ink::Black);
                } else if (row + column) % 2 == 1 {
                    picture.cell(at.0, at.1, Ink::Brown);
                }
                if square == Square::Queen {
                    draw_queen(&mut picture, at, Ink::Black);
                } else if columns.get(row) == Some(&(column as u8 + 1)) {
                    draw_queen(&mut picture, at, Ink::White);
                }
            }
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        format!("column {}", action + 1)
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let word = text.trim().to_ascii_lowercase();
        let word = word.strip_prefix("column").map_or(word.as_str(), str::trim);
        let column = counting(word, self.0.size());
        Ok(column.ok_or_else(|| Misread::not_a_move(text, "a move is like `column 3`"))? as Action - 1)
    }

    fn why_illegal(&self, columns: &Vec<u8>, action: Action) -> String {
        format!("row {} has a hole in column {}", columns.len() + 1, action + 1)
    }

    /// A plane of queens, then one of holes, then one of the rows that are filled.
    fn shape(&self) -> Vec<usize> {
        vec![3, self.0.size(), self.0.size()]
    }

    fn observe(&self, columns: &Vec<u8>, _player: u8, out: &mut [f32]) {
        out.fill(0.0);
        let size = self.0.size();
        for (cell, square) in self.0.squares.cells().iter().enumerate() {
            out[cell] = f32::from(u8::from(*square == Square::Queen));
            out[size * size + cell] = f32::from(u8::from(*square == Square::Hole));
        }
        for (row, column) in columns.iter().enumerate() {
            out[row * size + usize::from(*column) - 1] = 1.0;
            out[(2 * size + row) * size..][..size].fill(1.0);
        }
    }

    fn answer(&self, columns: &Vec<u8>) -> Option<String> {
        Some(self.0.write(columns))
    }
}

/// A crown with three points.
fn draw_queen(picture: &mut Picture, (row, column): (u32, u32), ink: Ink) {
    let at = |(x, y): (u32, u32)| (column * CELL + x, row * CELL + y);
    picture.rectangle(at((2, 5)), (4, 1), ink);
    for points in [(1, 3), (2, 5), (3, 4), (4, 2), (5, 4), (6, 5), (7, 3)].windows(2) {
        picture.line(at(points[0]), at(points[1]), 1, ink);
    }
    picture.line(at((2, 6)), at((6, 6)), 1, ink);
}
