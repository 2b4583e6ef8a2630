//! The rows of a board with their columns as bits, the first one lowest, and placements of queens in them.

use super::Square;
use kit::budget::{Budget, OverBudget};
use kit::rng::Rng;
use kit::shared::grid::Grid;

/// For each row, the column of its given queen, if any, and its free columns.
pub struct Rows {
    given: Vec<u32>,
    free: Vec<u32>,
}

/// The columns of a row that queens of the rows above attack.
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

    /// The attacked columns of the next row, with a queen in this one.
    fn after(self, queen: u32) -> Self {
        Self { down: self.down | queen, left: (self.left | queen) >> 1, right: (self.right | queen) << 1 }
    }
}

/// The first of some columns, counted from 1.
pub fn first(open: u32) -> u8 {
    open.trailing_zeros() as u8 + 1
}

/// A random one of some columns.
pub fn any(mut open: u32, rng: &mut Rng) -> u8 {
    for _ in 0..rng.below(open.count_ones().into()) {
        open &= open - 1;
    }
    first(open)
}

fn bit(column: u8) -> u32 {
    1 << (column - 1)
}

/// Boards with at most this many rows have few placements: all are equally likely, so that no single one is a
/// good guess.
const FEW: usize = 9;

/// Placements of queens on an empty board with no two attacking each other: the column of each row.
pub struct Placements {
    size: usize,
    /// All of them, if there are few.
    all: Vec<Vec<u8>>,
}

impl Placements {
    pub fn of(size: usize) -> Self {
        let mut placements = Self { size, all: Vec::new() };
        if size <= FEW {
            let mut all = Vec::new();
            placements
                .extend(Attacked::default(), &mut Vec::new(), &mut first, &mut |placed| {
                    all.extend((placed.len() == size).then(|| placed.to_vec()));
                    Ok(false)
                })
                .expect("nothing is spent");
            placements.all = all;
        }
        placements
    }

    pub fn draw(&self, rng: &mut Rng, budget: &mut Budget) -> Result<Vec<u8>, OverBudget> {
        if !self.all.is_empty() {
            return Ok(rng.pick(&self.all).clone());
        }
        let mut placed = Vec::with_capacity(self.size);
        let found =
            self.extend(Attacked::default(), &mut placed, &mut |open| any(open, rng), &mut |placed| {
                budget.spend(1)?;
                Ok(placed.len() == self.size)
            })?;
        assert!(found, "from 4 rows on there is a way");
        Ok(placed)
    }

    /// Adds queens row by row in the columns that `pick` chooses first, until `enough` accepts a placement;
    /// it is asked about every partial one.
    fn extend(
        &self,
        attacked: Attacked,
        placed: &mut Vec<u8>,
        pick: &mut impl FnMut(u32) -> u8,
        enough: &mut impl FnMut(&[u8]) -> Result<bool, OverBudget>,
    ) -> Result<bool, OverBudget> {
        let mut open =
            if placed.len() < self.size { ((1 << self.size) - 1) & !attacked.columns() } else { 0 };
        while open != 0 {
            let column = pick(open);
            open &= !bit(column);
            placed.push(column);
            if enough(placed)? || self.extend(attacked.after(bit(column)), placed, pick, enough)? {
                return Ok(true);
            }
            placed.pop();
        }
        Ok(false)
    }
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

    /// Squares tried until the first solution is found, or until there is none, from the top and from left to
    /// right. Rows with a single allowed square do not count.
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

    /// The columns of a row that are attacked by given queens in rows below it.
    fn attacked_from_below(&self, row: usize) -> u32 {
        let below = (1..).zip(&self.given[row + 1..]);
        below.fold(0, |all, (away, given)| all | given | given << away | given >> away)
    }

    /// A column per row that `pick` chooses among those that neither a queen above nor a given one attacks;
    /// `None` if a row has no such column.
    pub fn filled(&self, mut pick: impl FnMut(u32) -> u8) -> Option<Vec<u8>> {
        self.fill(&mut pick, |_| None)
    }

    /// The same, falling back to an attacked column, or to the first one.
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

#[cfg(test)]
mod tests {
    use super::*;
    use kit::rng::Key;

    #[test]
    fn small_boards_have_the_known_numbers_of_placements() {
        assert_eq!([4, 5, 6, 7, 8, 9].map(|size| Placements::of(size).all.len()), [2, 10, 4, 40, 92, 352]);
        let mut rng = Key::new("placements", 1, "", 0, "").stream(0);
        for size in [8, 12, 16] {
            let placements = Placements::of(size);
            for _ in 0..20 {
                let placed = placements.draw(&mut rng, &mut Budget::new(1_000_000)).unwrap();
                let queens = || (0..).zip(&placed);
                let attack = |(row, column): (i32, &u8), (other, its): (i32, &u8)| {
                    let away = (i32::from(*column) - i32::from(*its)).abs();
                    row != other && (away == 0 || away == (row - other).abs())
                };
                assert_eq!(placed.len(), size);
                assert!(queens().all(|one| !queens().any(|other| attack(one, other))), "{placed:?}");
            }
        }
    }
}
