//! Invariants of a puzzle under other layouts and numberings.

use crate::sudoku::shape::{LARGEST, MOST_CELLS, MOST_UNITS, Shape};
use kit::rng::Rng;
use kit::shared::grid::{Grid, Place};
use kit::shared::invariant::{mix, unordered};

/// Another layout of every grid of a shape: renames numbers, exchanges rows and columns within bands,
/// exchanges bands, and reflects the grid about its diagonal if its boxes are square.
pub struct Layout {
    rows: Vec<usize>,
    columns: Vec<usize>,
    transposed: bool,
    /// The new name of each number; 0, an empty cell, stays.
    names: Vec<u8>,
}

impl Layout {
    pub fn draw(shape: &Shape, rng: &mut Rng) -> Self {
        let mut names: Vec<u8> = (1..=shape.size as u8).collect();
        rng.shuffle(&mut names);
        names.insert(0, 0);
        Self {
            rows: shuffled_lines(shape.size, shape.box_rows, rng),
            columns: shuffled_lines(shape.size, shape.box_columns, rng),
            transposed: shape.box_rows == shape.box_columns && rng.chance(1, 2),
            names,
        }
    }

    pub fn of(&self, grid: &Grid<u8>) -> Grid<u8> {
        Grid::from_fn(grid.rows(), grid.columns(), |place| {
            let (row, column) = (self.rows[place.row], self.columns[place.column]);
            let from = if self.transposed { Place::new(column, row) } else { Place::new(row, column) };
            self.names[usize::from(grid[from])]
        })
    }
}

/// The shuffled lines of a grid with `band` lines per band, keeping bands together.
fn shuffled_lines(size: usize, band: usize, rng: &mut Rng) -> Vec<usize> {
    let mut bands: Vec<usize> = (0..size / band).collect();
    rng.shuffle(&mut bands);
    let mut lines = Vec::with_capacity(size);
    for first in bands {
        let mut members: Vec<usize> = (first * band..(first + 1) * band).collect();
        rng.shuffle(&mut members);
        lines.extend(members);
    }
    lines
}

/// Further rounds have not been seen to distinguish the cells of any puzzle better.
const ROUNDS: usize = 4;

/// A hash that every [`Layout`] preserves. Each round distinguishes a cell by the unordered cells of its row,
/// column and box, and of its number.
pub fn invariant(shape: &Shape, givens: &[u8], solution: &[u8]) -> u64 {
    let turns = shape.box_rows == shape.box_columns;
    let mut colours = [0u64; MOST_CELLS];
    for (colour, given) in colours.iter_mut().zip(givens) {
        *colour = mix(u64::from(*given > 0));
    }
    let colours = &mut colours[..shape.cells()];
    for _ in 0..ROUNDS {
        let (mut units, mut numbers) = ([0u64; MOST_UNITS], [0u64; LARGEST + 1]);
        for ((colour, homes), number) in colours.iter().zip(&shape.homes).zip(solution) {
            for unit in homes {
                let sum = &mut units[usize::from(*unit)];
                *sum = sum.wrapping_add(*colour);
            }
            let sum = &mut numbers[usize::from(*number)];
            *sum = sum.wrapping_add(*colour);
        }
        for (at, unit) in units[..shape.units()].iter_mut().enumerate() {
            // Rows and columns are distinguished only if they cannot be exchanged.
            let kind = if turns { at / (2 * shape.size) } else { at / shape.size };
            *unit = mix(*unit ^ kind as u64);
        }
        for number in &mut numbers[1..=shape.size] {
            *number = mix(*number ^ 3);
        }
        for ((colour, homes), number) in colours.iter_mut().zip(&shape.homes).zip(solution) {
            let seen = homes.map(|unit| units[usize::from(unit)]).into_iter().fold(0, u64::wrapping_add);
            *colour =
                mix(colour.rotate_left(1).wrapping_add(seen).wrapping_add(numbers[usize::from(*number)]));
        }
    }
    unordered(colours.iter().copied())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::sudoku::board::{random_grid, solutions};
    use kit::budget::Budget;
    use kit::rng::Key;

    #[test]
    fn layouts_keep_the_invariant_and_other_givens_do_not() {
        let mut rng = Key::new("layout", 1, "", 0, "").stream(0);
        for size in [4, 6, 9, 12] {
            let shape = Shape::of(size).unwrap();
            for _ in 0..30 {
                let full = random_grid(shape, &mut rng, &mut Budget::new(u64::MAX)).unwrap();
                let solution = Grid::new(size, full);
                let mut givens = solution.map(|number| if rng.chance(1, 3) { *number } else { 0 });
                let seen = |givens: &Grid<u8>, solution: &Grid<u8>| {
                    invariant(shape, givens.cells(), solution.cells())
                };
                let before = seen(&givens, &solution);
                for _ in 0..10 {
                    let layout = Layout::draw(shape, &mut rng);
                    assert_eq!(seen(&layout.of(&givens), &layout.of(&solution)), before);
                }
                let cell = rng.index(size * size);
                givens[cell] = solution[cell] - givens[cell];
                assert_ne!(seen(&givens, &solution), before);
            }
        }
    }

    /// Essentially different puzzles of size 4 in which no given can be removed: 13 with four givens, 22 with
    /// five and 1 with six, over both kinds of grids.
    #[test]
    fn the_invariant_tells_the_minimal_puzzles_of_size_4_apart() {
        let shape = Shape::of(4).unwrap();
        let mut kinds = BTreeMap::<u32, BTreeSet<u64>>::new();
        for full in ["1234341221434321", "1234341223414123"] {
            let solution: Vec<u8> = full.bytes().map(|digit| digit - b'0').collect();
            let givens = |kept: u32| -> Vec<u8> {
                solution.iter().enumerate().map(|(cell, number)| number * (kept >> cell & 1) as u8).collect()
            };
            let unique: Vec<bool> = (0..1u32 << 16)
                .map(|kept| {
                    let found = solutions(shape, &givens(kept), 2, &mut Budget::new(u64::MAX)).unwrap();
                    found.len() == 1
                })
                .collect();
            for kept in (0..1u32 << 16).filter(|kept| unique[*kept as usize]) {
                let mut fewer = (0..16).filter(|cell| kept >> cell & 1 == 1).map(|cell| kept & !(1 << cell));
                if fewer.all(|kept| !unique[kept as usize]) {
                    let hash = invariant(shape, &givens(kept), &solution);
                    kinds.entry(kept.count_ones()).or_default().insert(hash);
                }
            }
        }
        let counts: Vec<_> = kinds.iter().map(|(givens, kinds)| (*givens, kinds.len())).collect();
        assert_eq!(counts, [(4, 13), (5, 22), (6, 1)]);
    }
}
