//! Number of 1s in each row and each column of a grid of 0 and 1, as a field.

use kit::picture::{CELL, Ink, Picture};
use kit::prelude::*;
use kit::shared::grid::{Grid, Symmetry};
use kit::task::problem::{Disguise, Field, Relations};
use serde::{Deserialize, Serialize};

use crate::shared::counts::ONE;

/// The number of 1s in each row of a square, then in each column; none where it is not said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Totals(Vec<Option<u8>>);

impl Totals {
    /// Limits of the totals of a square: its size, and the most of one line.
    pub fn of(size: usize, most: usize) -> Lines {
        Lines { size, most }
    }

    pub fn counted(grid: &Grid<u8>) -> Self {
        let count = |cells: &Vec<usize>| cells.iter().filter(|cell| grid[**cell] == ONE).count() as u8;
        Self(grid.lines().iter().map(|cells| Some(count(cells))).collect())
    }

    /// This share of the totals, in percent; the others are not said.
    #[must_use]
    pub fn thinned(mut self, percent: u32, rng: &mut Rng) -> Self {
        let mut lines: Vec<usize> = (0..self.0.len()).collect();
        rng.shuffle(&mut lines);
        lines[self.0.len() * percent as usize / 100..].iter().for_each(|line| self.0[*line] = None);
        self
    }

    pub fn lines(&self) -> &[Option<u8>] {
        &self.0
    }

    /// The rows of a text with their totals before them and those of the columns above.
    pub fn around(&self, text: &str, hidden: &str) -> String {
        let size = self.0.len() / 2;
        let shown = |total: &Option<u8>| total.map_or_else(|| hidden.to_owned(), |total| total.to_string());
        let above: Vec<String> = self.0[size..].iter().map(shown).collect();
        let rows = text.lines().zip(&self.0).map(|(row, total)| format!("{}  {row}", shown(total)));
        [format!("   {}", above.join(" "))].into_iter().chain(rows).lines()
    }

    /// Draws the totals small at the edges.
    pub fn picture(&self, picture: &mut Picture) {
        let size = self.0.len() / 2;
        for (line, total) in self.0.iter().enumerate() {
            let at = (line % size) as u32 * CELL;
            let place = if line < size { (1, at + 4) } else { (at + 4, 1) };
            if let Some(total) = total {
                picture.title(place, 2, total.to_string(), Ink::Red);
            }
        }
    }

    /// Number of planes that [`Totals::observe`] writes.
    pub const PLANES: usize = 2;

    /// A plane for the rows and one for the columns, whose cells hold one more than their line's total, over one more than
    /// the size, and 0 where it is not said.
    pub fn observe(&self, planes: &mut [f32]) {
        let size = self.0.len() / 2;
        for cell in 0..size * size {
            for (plane, line) in [cell / size, size + cell % size].into_iter().enumerate() {
                let total = self.0[line].map_or(0.0, |total| f32::from(total + 1));
                planes[plane * size * size + cell] = total / (size + 1) as f32;
            }
        }
    }
}

/// Limits of totals.
pub struct Lines {
    size: usize,
    most: usize,
}

impl Field for Totals {
    type Limits = Lines;

    fn check(&self, name: &str, limits: &Lines) -> Result<(), String> {
        check::length(name, &self.0, 2 * limits.size..=2 * limits.size, "numbers")?;
        let fits = |total: &Option<u8>| total.is_none_or(|total| usize::from(total) <= limits.most);
        check::that(self.0.iter().all(fits), || format!("`{name}` go from 0 to {}", limits.most))
    }

    fn disguise(&mut self, by: &mut Disguise<'_>) {
        let (symmetry, before) = (by.symmetry(), self.clone());
        for (line, total) in before.0.iter().enumerate() {
            self.0[turned(line, before.0.len() / 2, symmetry)] = *total;
        }
    }

    fn relate(&self, _: &str, into: &mut Relations) {
        let kind = into.kind();
        for (line, total) in self.0.iter().enumerate() {
            let Some(total) = total else { continue };
            into.turned(|symmetry| {
                kind | (turned(line, self.0.len() / 2, symmetry) as u64) << 8 | u64::from(*total)
            });
        }
    }

    /// Hides up to three totals, or changes one.
    fn edit(&mut self, aim: Aim, limits: &Lines, rng: &mut Rng) -> bool {
        let before = self.clone();
        for _ in 0..if aim == Aim::Harder { 1 + rng.index(3) } else { 1 } {
            let at = rng.index(self.0.len());
            self.0[at] = (aim != Aim::Harder).then(|| rng.index(limits.most + 1) as u8);
        }
        *self != before
    }
}

/// The image of a line under a symmetry.
fn turned(line: usize, size: usize, symmetry: Symmetry) -> usize {
    let cells = if line < size { [line * size, line * size + 1] } else { [line - size, line] };
    let [one, other] = cells.map(|cell| symmetry.image(cell, size));
    if one / size == other / size { one / size } else { size + one % size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_turn_with_their_square() {
        let square = Grid::new(3, vec![2, 2, 1, 1, 2, 1, 1, 1, 1]);
        let totals = Totals::counted(&square);
        assert_eq!(totals.around("a b c\nd e f\ng h i", "?"), "   1 2 0\n2  a b c\n1  d e f\n0  g h i");
        for symmetry in Symmetry::ALL {
            let image = Totals::counted(&square.turned(symmetry));
            for (line, total) in totals.lines().iter().enumerate() {
                assert_eq!(image.0[turned(line, 3, symmetry)], *total);
            }
        }
    }
}
