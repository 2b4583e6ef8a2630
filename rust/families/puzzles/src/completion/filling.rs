//! A grid that is completed number by number: as steps of a solution and as moves of a game.

use super::{Latin, Square};
use kit::error::quoted;
use kit::picture::{Ink, Picture};
use kit::rules::{Action, Misread, Play, Playing, Rules, Turn};
use kit::shared::grid::{Grid, Place, counting};
use kit::task::prelude::*;

/// Reads `r1c2 = 3` as a cell and its number, ignoring case, spacing and everything after a colon.
fn read_placing(text: &str, size: usize) -> Option<(usize, u8)> {
    let (text, _) = text.split_once(':').unwrap_or((text, ""));
    let text = text.to_ascii_lowercase().replace('=', " = ");
    let words: Vec<&str> = text.split_whitespace().take(4).collect();
    let [place, "=", number] = words[..] else { return None };
    let place = Place::read(place, size, size)?;
    Some((place.row * size + place.column, counting(number, size)? as u8))
}

/// Judges steps `r1c2 = 3`, optionally with a reason after a colon, which is not judged: a number of the
/// solution is true, and it advances if the cell is still empty.
pub struct Placings<'a> {
    solution: &'a Grid<u8>,
    filled: Grid<u8>,
}

impl<'a> Placings<'a> {
    pub fn new(latin: Latin<'a>) -> Self {
        Self { solution: latin.solution, filled: latin.givens.clone() }
    }
}

impl StepJudge for Placings<'_> {
    fn judge(&mut self, step: &str, _: &mut Budget) -> Result<StepVerdict, String> {
        let (cell, number) = read_placing(step, self.filled.rows())
            .ok_or_else(|| format!("`{}` is not a step like `r1c2 = 3`", quoted(step)))?;
        if self.solution[cell] != number {
            return Err(format!("{} is not {number}", self.filled.place(cell).short()));
        }
        if std::mem::replace(&mut self.filled[cell], number) == number {
            return Ok(StepVerdict::idle("true, but the grid already shows it"));
        }
        Ok(StepVerdict::advances())
    }
}

/// A puzzle filled cell by cell, in any order and with any numbers. The state is the grid so far.
///
/// Action `cell * size + number - 1` writes a number in an empty cell; nothing can be undone, so the game
/// ends after one move per empty cell. The mask does not reflect the puzzle's rules: the score does.
#[derive(Clone)]
pub struct Filling<P>(P);

impl<P: Square> Filling<P> {
    pub fn play(puzzle: &P) -> Box<dyn Play> {
        let givens = puzzle.givens().clone();
        Box::new(Playing::new(Self(puzzle.clone()), givens))
    }

    fn size(&self) -> usize {
        self.0.latin().size()
    }

    fn cell_and_number(&self, action: Action) -> (usize, u8) {
        let (action, size) = (action as usize, self.size());
        (action / size, (action % size) as u8 + 1)
    }
}

impl<P: Square> Rules for Filling<P> {
    type State = Grid<u8>;
    /// A grid of 9 rows has 729 actions.
    type Legal = Vec<Action>;

    const PLAYERS: u8 = 1;

    fn actions(&self) -> u32 {
        self.size().pow(3) as u32
    }

    fn max_plies(&self) -> u32 {
        self.0.latin().empty().len() as u32
    }

    fn turn(&self, grid: &Grid<u8>) -> Turn {
        if grid.cells().contains(&0) { Turn::Player(0) } else { Turn::Over }
    }

    fn legal(&self, grid: &Grid<u8>) -> Vec<Action> {
        let size = self.size() as u32;
        let empty = grid.cells().iter().zip(0..).filter(|(number, _)| **number == 0);
        empty.flat_map(|(_, cell)| cell * size..(cell + 1) * size).collect()
    }

    fn is_legal(&self, grid: &Grid<u8>, action: Action) -> bool {
        action < self.actions() && grid[self.cell_and_number(action).0] == 0
    }

    fn apply(&self, grid: &mut Grid<u8>, action: Action) {
        let (cell, number) = self.cell_and_number(action);
        grid[cell] = number;
    }

    /// The score of the filled grid as an answer.
    fn returns(&self, grid: &Grid<u8>) -> [f32; 2] {
        [Verdict::from(self.0.judge_grid(grid)).score, 0.0]
    }

    /// The first placing of a person's path that is left; none once a number is wrong, as it stays.
    fn next_move(&self, grid: &Grid<u8>) -> Option<Action> {
        let right = self.0.solution().cells();
        if grid.cells().iter().zip(right).any(|(number, right)| *number > 0 && number != right) {
            return None;
        }
        let path = self.0.explain();
        let mut placings = path.iter().filter_map(|step| read_placing(step, self.size()));
        let (cell, number) = placings.find(|(cell, _)| grid[*cell] == 0)?;
        Some((cell * self.size() + usize::from(number) - 1) as Action)
    }

    fn show(&self, grid: &Grid<u8>, _player: u8) -> String {
        self.0.draw(grid)
    }

    /// Givens are black, other numbers blue.
    fn draw(&self, grid: &Grid<u8>, _player: u8) -> Picture {
        let (mut picture, givens) = (self.0.board(), self.0.givens());
        for (cell, number) in grid.cells().iter().enumerate().filter(|(_, number)| **number > 0) {
            let place = grid.place(cell);
            let ink = if givens[cell] > 0 { Ink::Black } else { Ink::Blue };
            picture.sign(place.row as u32, place.column as u32, number.to_string(), ink);
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        let (cell, number) = self.cell_and_number(action);
        format!("{} = {number}", self.0.givens().place(cell).short())
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let (cell, number) = read_placing(text, self.size())
            .ok_or_else(|| Misread::not_a_move(text, "a move is like `r1c2 = 3`"))?;
        Ok((cell * self.size()) as Action + u32::from(number) - 1)
    }

    fn why_illegal(&self, _grid: &Grid<u8>, action: Action) -> String {
        let (cell, _) = self.cell_and_number(action);
        format!("{} is filled", self.0.givens().place(cell).short())
    }

    /// A plane of cells for each number, then one for the givens.
    fn shape(&self) -> Vec<usize> {
        vec![self.size() + 1, self.size(), self.size()]
    }

    fn observe(&self, grid: &Grid<u8>, _player: u8, out: &mut [f32]) {
        out.fill(0.0);
        let (givens, cells) = (self.0.givens(), grid.cells().len());
        let filled = |grid: &Grid<u8>| -> Vec<(usize, usize)> {
            let numbers = grid.cells().iter().map(|number| usize::from(*number)).enumerate();
            numbers.filter(|(_, number)| *number > 0).collect()
        };
        for (cell, number) in filled(grid) {
            out[(number - 1) * cells + cell] = 1.0;
        }
        for (cell, _) in filled(givens) {
            out[self.size() * cells + cell] = 1.0;
        }
    }

    fn answer(&self, grid: &Grid<u8>) -> Option<String> {
        Some(form::Grid::completed(self.size()).write(grid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placings_read_back() {
        for (text, read) in [
            ("r1c2 = 3", Some((1, 3))),
            (" R2C1=4: whatever", Some((4, 4))),
            ("r1c2 = 5", None),
            ("r1c5 = 1", None),
            ("r1c2 = 3 = 3", None),
            ("r1c2 3", None),
            ("", None),
        ] {
            assert_eq!(read_placing(text, 4), read, "{text}");
        }
    }
}
