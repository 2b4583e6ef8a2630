//! Grids of 0 and 1 in which so many of some cells hold a 1: a star, a tent, a bulb.
//!
//! As in every grid with clues, the solver's numbers go from 1 on: it holds 1 for a 0, and 2 for a 1.

use std::ops::RangeInclusive;

use kit::prelude::*;
use kit::shape::rules::Clue;
use kit::shared::csp::{Contradiction, Domains};
use kit::shared::grid::{Grid, Place};

/// The solver's number for a 1.
pub const ONE: u8 = 2;

fn ones(numbers: &[u8]) -> usize {
    numbers.iter().map(|number| usize::from(*number == ONE)).sum()
}

/// Indices of the cells that hold a 1.
pub fn places(grid: &Grid<u8>) -> impl Iterator<Item = usize> {
    grid.cells().iter().enumerate().filter(|(_, number)| **number == ONE).map(|(cell, _)| cell)
}

/// So many of these cells hold a 1.
pub struct Count {
    pub cells: Vec<usize>,
    pub ones: RangeInclusive<usize>,
}

impl Count {
    pub fn new(cells: Vec<usize>, ones: RangeInclusive<usize>) -> Self {
        Self { cells, ones }
    }

    fn holds(&self, numbers: &[u8]) -> bool {
        self.ones.contains(&ones(numbers))
    }

    /// Its cells with a 1.
    fn held(&self, numbers: &[u8]) -> Vec<usize> {
        let cells = self.cells.iter().zip(numbers).filter(|(_, number)| **number == ONE);
        cells.map(|(cell, _)| *cell).collect()
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let (mut least, mut most) = (0, 0);
        for cell in &self.cells {
            let open = domains.of(*cell);
            least += usize::from(open == 1 << ONE);
            most += usize::from(open >> ONE & 1 == 1);
        }
        if least > *self.ones.end() || most < *self.ones.start() {
            return Err(Contradiction);
        }
        let number = match least < most {
            true if least == *self.ones.end() => 1,
            true if most == *self.ones.start() => ONE,
            _ => return Ok(()),
        };
        let open = self.cells.iter().filter(|cell| domains.value(**cell).is_none());
        let open: Vec<usize> = open.copied().collect();
        open.into_iter().try_for_each(|cell| domains.keep(cell, 1 << number))
    }
}

/// Wording and rules of a family's own counts.
pub trait Kind: Send + Sync + Sized + 'static {
    const BROKEN: &'static [Label];

    /// Index of the label of an answer that breaks the clue.
    fn label(&self) -> usize;

    /// See [`Clue::name`].
    fn name(&self, clue: &Counted<Self>) -> String;

    /// See [`Clue::broken`]; `held` are the cells with a 1.
    fn broken(&self, clue: &Counted<Self>, held: &[usize]) -> String;

    /// False if no filling in which the `certain` cells hold a 1, and others at most if they are `open`, keeps what the
    /// clue says besides its count. Exact if both are the same.
    fn fits(&self, _certain: &[usize], _open: &[usize]) -> bool {
        true
    }
}

/// A count as a clue of a square.
pub struct Counted<K> {
    pub kind: K,
    /// Rows of the square.
    pub size: usize,
    pub count: Count,
}

impl<K> Counted<K> {
    pub fn short(&self, cell: usize) -> String {
        Place::new(cell / self.size, cell % self.size).short()
    }

    /// Places in words: "r1c2 and r2c3".
    pub fn listed(&self, cells: &[usize]) -> String {
        words::and(cells.iter().map(|cell| self.short(*cell)))
    }

    /// The first and the last of its cells: "r1c1 to r2c2".
    pub fn span(&self) -> String {
        let cells = &self.count.cells;
        format!("{} to {}", self.short(cells[0]), self.short(cells[cells.len() - 1]))
    }
}

impl<K: Kind> Clue for Counted<K> {
    const BROKEN: &'static [Label] = K::BROKEN;

    fn label(&self) -> &'static str {
        K::BROKEN[self.kind.label()].0
    }

    fn scope(&self) -> &[usize] {
        &self.count.cells
    }

    fn holds(&self, numbers: &[u8]) -> bool {
        self.count.holds(numbers) && {
            let held = self.count.held(numbers);
            self.kind.fits(&held, &held)
        }
    }

    fn name(&self) -> String {
        self.kind.name(self)
    }

    fn broken(&self, numbers: &[u8]) -> String {
        self.kind.broken(self, &self.count.held(numbers))
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        self.count.narrow(domains)?;
        let cells = |open: &dyn Fn(u64) -> bool| -> Vec<usize> {
            self.count.cells.iter().copied().filter(|cell| open(domains.of(*cell))).collect()
        };
        let fits = self.kind.fits(&cells(&|open| open == 1 << ONE), &cells(&|open| open >> ONE & 1 == 1));
        if fits { Ok(()) } else { Err(Contradiction) }
    }
}

/// Sign of a number in a text: 0, 1, or the one for an empty cell.
pub fn sign(number: u8, blank: &str) -> &str {
    match number {
        0 => blank,
        ONE => "1",
        _ => "0",
    }
}

/// The blocks of two by two cells.
pub fn blocks(rows: usize, columns: usize) -> impl Iterator<Item = [usize; 4]> {
    let corners =
        (0..rows - 1).flat_map(move |row| (0..columns - 1).map(move |column| row * columns + column));
    corners.map(move |cell| [cell, cell + 1, cell + columns, cell + columns + 1])
}

/// Gives each of these groups the 1s that it lacks, in the first of its empty cells in which a 1 is none too many for any
/// of the clues, and writes 0 in all other cells.
pub fn filled<K>(
    givens: &Grid<u8>,
    groups: impl IntoIterator<Item = (Vec<usize>, usize)>,
    clues: &[Counted<K>],
) -> Grid<u8> {
    let mut grid = givens.clone();
    for (cells, wanted) in groups {
        for cell in &cells {
            let held = |cells: &[usize]| cells.iter().filter(|cell| grid[**cell] == ONE).count();
            let full = |Counted { count, .. }: &Counted<K>| {
                count.cells.contains(cell) && held(&count.cells) >= *count.ones.end()
            };
            if grid[*cell] == 0 && held(&cells) < wanted && !clues.iter().any(full) {
                grid[*cell] = ONE;
            }
        }
    }
    grid.map(|number| (*number).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::shared::csp::{Csp, range};
    use kit::testing;

    /// Compares with all ways to fill the cells.
    #[test]
    fn a_count_keeps_what_some_filling_has() {
        let mut rng = testing::rng(0);
        for _ in 0..2_000 {
            let least = rng.index(5);
            let count = Count::new((0..6).collect(), least..=least + rng.index(3));
            let open: Vec<u64> = (0..6).map(|_| *rng.pick(&[2, 4, 6, 6])).collect();
            let mut domains = Csp::new(6, range(1, 2)).domains();
            open.iter().enumerate().for_each(|(cell, open)| domains.keep(cell, *open).unwrap());
            let mut kept = vec![0u64; 6];
            for bits in 0..64u64 {
                let numbers: Vec<u8> = (0..6).map(|cell| 1 + (bits >> cell & 1) as u8).collect();
                let is_open = numbers.iter().zip(&open).all(|(number, open)| open >> number & 1 == 1);
                if is_open && count.holds(&numbers) {
                    kept.iter_mut().zip(numbers).for_each(|(kept, number)| *kept |= 1 << number);
                }
            }
            match count.narrow(&mut domains) {
                Ok(()) => assert_eq!((0..6).map(|cell| domains.of(cell)).collect::<Vec<_>>(), kept),
                Err(Contradiction) => assert_eq!(kept, [0; 6]),
            }
        }
    }
}
