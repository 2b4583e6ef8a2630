//! Grids of 0 and 1 in which so many of some cells hold a 1: a star, a tent, a bulb.
//!
//! As in every grid with clues, the solver's numbers go from 1 on: it holds 1 for a 0, and 2 for a 1.

use std::ops::RangeInclusive;

use kit::shared::csp::{Contradiction, Domains};
use kit::shared::grid::Grid;

/// The solver's number for a 1.
pub const ONE: u8 = 2;

pub fn ones(numbers: &[u8]) -> usize {
    numbers.iter().filter(|number| **number == ONE).count()
}

/// Indices of the cells that hold a 1.
pub fn places(grid: &Grid<u8>) -> impl Iterator<Item = usize> {
    grid.cells().iter().enumerate().filter(|(_, number)| **number == ONE).map(|(cell, _)| cell)
}

/// So many of these cells hold a 1.
#[derive(Clone)]
pub struct Count {
    pub cells: Vec<usize>,
    pub ones: RangeInclusive<usize>,
}

impl Count {
    pub fn new(cells: Vec<usize>, ones: RangeInclusive<usize>) -> Self {
        Self { cells, ones }
    }

    pub fn holds(&self, numbers: &[u8]) -> bool {
        self.ones.contains(&ones(numbers))
    }

    pub fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
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

/// The blocks of two by two cells.
pub fn blocks(rows: usize, columns: usize) -> impl Iterator<Item = [usize; 4]> {
    let corners =
        (0..rows - 1).flat_map(move |row| (0..columns - 1).map(move |column| row * columns + column));
    corners.map(move |cell| [cell, cell + 1, cell + columns, cell + columns + 1])
}

/// Gives each of these groups the 1s that it lacks, in the first of its empty cells that `allowed` does not refuse, and
/// writes 0 in all other cells.
pub fn filled<'g>(
    givens: &Grid<u8>,
    groups: impl Iterator<Item = (&'g [usize], usize)>,
    allowed: impl Fn(&Grid<u8>, usize) -> bool,
) -> Grid<u8> {
    let mut grid = givens.clone();
    for (cells, wanted) in groups {
        let mut held = cells.iter().filter(|cell| grid[**cell] == ONE).count();
        for cell in cells {
            if held < wanted && grid[*cell] == 0 && allowed(&grid, *cell) {
                grid[*cell] = ONE;
                held += 1;
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
