//! A grid that is completed number by number: as steps of a solution, and as moves of a game.

use super::{Completable, Completion};
use crate::error::quoted;
use crate::play::{Action, Play, Turn};
use crate::shared::grid::{Grid, Place, counting};
use crate::task::prelude::*;

/// Reads `r1c2 = 3`, lenient in case and spacing and whatever follows a colon, as a cell and its number.
fn read_placing(text: &str, size: usize) -> Option<(usize, u8)> {
    let (text, _) = text.split_once(':').unwrap_or((text, ""));
    let text = text.to_ascii_lowercase().replace('=', " = ");
    let words: Vec<&str> = text.split_whitespace().take(4).collect();
    let [place, "=", number] = words[..] else { return None };
    let place = Place::read(place, size, size)?;
    Some((place.row * size + place.column, counting(number, size)? as u8))
}

/// Judges steps `r1c2 = 3`, perhaps with a reason after a colon, which is not judged: a number of the solution is
/// true, and leads on where the cell is still empty.
pub struct Placings<'a> {
    solution: &'a Grid<u8>,
    filled: Grid<u8>,
}

impl<'a> Placings<'a> {
    pub fn new(completion: Completion<'a>) -> Self {
        Self { solution: completion.solution, filled: completion.givens.clone() }
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

/// A puzzle filled cell by cell, in any order and with any numbers.
///
/// Action `cell * size + number - 1` writes a number in an empty cell; nothing is taken back, so the game
/// ends after one move per empty cell. The mask says nothing of the rules: the score does.
#[derive(Clone)]
pub struct Filling<P> {
    puzzle: P,
    grid: Grid<u8>,
}

impl<P: Completable> Filling<P> {
    pub fn new(puzzle: &P) -> Self {
        Self { grid: puzzle.completion().givens.clone(), puzzle: puzzle.clone() }
    }

    fn size(&self) -> usize {
        self.grid.rows()
    }

    fn cell_and_number(&self, action: Action) -> (usize, u8) {
        let (action, size) = (action as usize, self.size());
        (action / size, (action % size) as u8 + 1)
    }
}

impl<P: Completable> Play for Filling<P> {
    fn actions(&self) -> u32 {
        (self.grid.cells().len() * self.size()) as u32
    }

    fn turn(&self) -> Turn {
        if self.grid.cells().contains(&0) { Turn::Player(0) } else { Turn::Over }
    }

    fn legal(&self, out: &mut Vec<Action>) {
        let size = self.size() as u32;
        let empty = self.grid.cells().iter().zip(0..).filter(|(number, _)| **number == 0);
        out.extend(empty.flat_map(|(_, cell)| cell * size..(cell + 1) * size));
    }

    fn apply(&mut self, action: Action) {
        let (cell, number) = self.cell_and_number(action);
        self.grid[cell] = number;
    }

    fn returns(&self) -> Vec<f32> {
        vec![self.puzzle.judge_grid(&self.grid).score]
    }

    fn show(&self, _player: u8) -> String {
        self.puzzle.draw(&self.grid)
    }

    fn name_action(&self, action: Action) -> String {
        let (cell, number) = self.cell_and_number(action);
        format!("{} = {number}", self.grid.place(cell).short())
    }

    fn read_action(&self, text: &str) -> Result<Action, String> {
        let (cell, number) = read_placing(text, self.size())
            .ok_or_else(|| format!("`{}` is not a move like `r1c2 = 3`", quoted(text)))?;
        Ok((cell * self.size()) as Action + u32::from(number) - 1)
    }

    /// A plane of cells for each number, then one for the givens.
    fn shape(&self) -> Vec<usize> {
        vec![self.size() + 1, self.size(), self.size()]
    }

    fn observe(&self, _player: u8, out: &mut [f32]) {
        out.fill(0.0);
        let cells = self.grid.cells().len();
        let filled = |grid: &Grid<u8>| -> Vec<(usize, usize)> {
            let numbers = grid.cells().iter().map(|number| usize::from(*number)).enumerate();
            numbers.filter(|(_, number)| *number > 0).collect()
        };
        for (cell, number) in filled(&self.grid) {
            out[(number - 1) * cells + cell] = 1.0;
        }
        for (cell, _) in filled(self.puzzle.completion().givens) {
            out[self.size() * cells + cell] = 1.0;
        }
    }

    fn answer(&self) -> Option<String> {
        Some(self.puzzle.form().write(&self.grid))
    }

    fn boxed_clone(&self) -> Box<dyn Play> {
        Box::new(self.clone())
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
