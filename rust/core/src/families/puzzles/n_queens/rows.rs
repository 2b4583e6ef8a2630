//! The rows of a board with their columns as bits, the first one lowest, and queens put into them.

use super::Square;
use crate::budget::{Budget, OverBudget};
use crate::rng::Rng;
use crate::shared::grid::Grid;

/// For each row the column of the queen that is given, if one is, and the free columns.
pub struct Rows {
    given: Vec<u32>,
    free: Vec<u32>,
}

/// The columns that queens of the rows above attack in a row.
#[derive(Clone, Copy, Default)]
struct Attacked {
    down: u32,
    left: u32,
    right: u32,
}

impl Attacked {
    fn columns(self) -> u32 {
        self.down | self.left | self.right
    }

    /// In the next row, with a queen in this one.
    fn after(self, queen: u32) -> Self {
        Self { down: self.down | queen, left: (self.left | queen) >> 1, right: (self.right | queen) << 1 }
    }
}

/// The first of some columns, counted from 1.
pub fn first(open: u32) -> u8 {
    open.trailing_zeros() as u8 + 1
}

/// Any of some columns.
pub fn any(mut open: u32, rng: &mut Rng) -> u8 {
    for _ in 0..rng.below(open.count_ones().into()) {
        open &= open - 1;
    }
    first(open)
}

fn bit(column: u8) -> u32 {
    1 << (column - 1)
}

/// Queens on an empty board, no two of which attack each other: the column of each row.
pub fn placement(size: usize, rng: &mut Rng, budget: &mut Budget) -> Result<Vec<u8>, OverBudget> {
    fn extend(
        size: usize,
        attacked: Attacked,
        placed: &mut Vec<u8>,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<bool, OverBudget> {
        let mut open = ((1 << size) - 1) & !attacked.columns();
        while placed.len() < size {
            if open == 0 {
                return Ok(false);
            }
            budget.spend(1)?;
            let column = any(open, rng);
            open &= !bit(column);
            placed.push(column);
            if extend(size, attacked.after(bit(column)), placed, rng, budget)? {
                return Ok(true);
            }
            placed.pop();
        }
        Ok(true)
    }
    let mut placed = Vec::with_capacity(size);
    let found = extend(size, Attacked::default(), &mut placed, rng, budget)?;
    assert!(found, "from 4 rows on there is a way");
    Ok(placed)
}

impl Rows {
    pub fn of(squares: &Grid<Square>) -> Self {
        let columns = |row: &[Square], wanted: Square| {
            (0..).zip(row).filter(|(_, square)| **square == wanted).fold(0, |all, (at, _)| all | 1 << at)
        };
        let of = |wanted: Square| {
            squares.cells().chunks(squares.columns()).map(|row| columns(row, wanted)).collect()
        };
        Self { given: of(Square::Queen), free: of(Square::Free) }
    }

    /// Rows without a queen.
    pub fn to_fill(&self) -> u64 {
        self.given.iter().filter(|given| **given == 0).count() as u64
    }

    /// Squares that are tried until the first way is found, or none is, from the top and from left to right. Those of
    /// rows with one square to stand on do not count.
    pub fn tried(&self, budget: &mut Budget) -> Result<u64, OverBudget> {
        let mut tried = 0;
        self.extend(0, Attacked::default(), &mut tried, budget)?;
        Ok(tried)
    }

    fn extend(
        &self,
        row: usize,
        attacked: Attacked,
        tried: &mut u64,
        budget: &mut Budget,
    ) -> Result<bool, OverBudget> {
        let Some(given) = self.given.get(row) else { return Ok(true) };
        let may = if *given == 0 { self.free[row] } else { *given };
        let mut open = may & !attacked.columns();
        while open != 0 {
            budget.spend(1)?;
            *tried += u64::from(may.count_ones() > 1);
            let queen = open & open.wrapping_neg();
            open &= open - 1;
            if self.extend(row + 1, attacked.after(queen), tried, budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The columns of a row that queens given in rows below it attack.
    fn attacked_from_below(&self, row: usize) -> u32 {
        let below = (1..).zip(&self.given[row + 1..]);
        below.fold(0, |all, (away, given)| all | given | given << away | given >> away)
    }

    /// Per row a column that `pick` draws from those that neither a queen above nor one that is given attacks;
    /// `None` where a row has none left.
    pub fn filled(&self, mut pick: impl FnMut(u32) -> u8) -> Option<Vec<u8>> {
        self.fill(&mut pick, |_| None)
    }

    /// The same, with an attacked column, or the first one, where none is left.
    pub fn filled_anyhow(&self, pick: &mut impl FnMut(u32) -> u8) -> Vec<u8> {
        let anyhow = |free: u32| Some(if free == 0 { 1 } else { free });
        self.fill(pick, anyhow).expect("every row has something")
    }

    fn fill(
        &self,
        pick: &mut impl FnMut(u32) -> u8,
        otherwise: impl Fn(u32) -> Option<u32>,
    ) -> Option<Vec<u8>> {
        let mut attacked = Attacked::default();
        let mut columns = Vec::with_capacity(self.given.len());
        for (row, given) in self.given.iter().enumerate() {
            let column = if *given == 0 {
                let open = self.free[row] & !attacked.columns() & !self.attacked_from_below(row);
                pick(if open == 0 { otherwise(self.free[row])? } else { open })
            } else {
                first(*given)
            };
            attacked = attacked.after(bit(column));
            columns.push(column);
        }
        Some(columns)
    }
}
