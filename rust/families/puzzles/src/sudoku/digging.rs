//! Removal of givens from a full grid, as long as the solution is unique and not too hard to find.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sudoku::board::{Board, NOWHERE, filled, random_grid};
use crate::sudoku::shape::{LARGEST, MOST_UNITS, Shape, bit};
use kit::budget::{Budget, OverBudget};
use kit::rng::Rng;

/// Hardest kind of deduction that a puzzle takes; each kind includes the ones before it.
// Docs on the variants would turn the schema's list of names into a list of schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    NakedSingles,
    HiddenSingles,
    // Locked candidates, naked and hidden pairs.
    Pairs,
    // Trying a value and meeting a contradiction.
    Search,
}

/// A set of cells, as bits.
#[derive(Clone, Copy, Default, PartialEq)]
struct Cells([u64; 3]);

impl Cells {
    fn toggle(&mut self, cell: usize) {
        self.0[cell / 64] ^= 1 << (cell % 64);
    }

    fn and(self, other: Self) -> Self {
        Self(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }
}

impl FromIterator<usize> for Cells {
    fn from_iter<T: IntoIterator<Item = usize>>(cells: T) -> Self {
        let mut set = Self::default();
        for cell in cells {
            set.toggle(cell);
        }
        set
    }
}

/// Sets of cells whose values can be exchanged to give another full grid: connected parts of the cells of two
/// values, and of two lines in the same band.
fn trades(shape: &Shape, solution: &[u8]) -> Vec<Cells> {
    let size = shape.size;
    let mut trades = Vec::new();
    // The cell of each value in each unit.
    let mut at = [[0; LARGEST]; MOST_UNITS];
    for (cell, value) in filled(solution) {
        for unit in shape.homes(cell) {
            at[unit][usize::from(value) - 1] = cell;
        }
    }
    for (a, b) in (0..size).flat_map(|b| (0..b).map(move |a| (a, b))) {
        // Exchanging two values in a row forces the same in the column and in the box.
        let next = |row: usize| {
            let [_, column, its_box] = shape.homes(at[row][a]);
            [at[column][b], at[its_box][b]].map(|cell| cell / size)
        };
        let cells = |row: usize| [at[row][a], at[row][b]];
        trades.extend(orbits(size, next, cells));
        // Cells in the same position of the two lines are connected, and so are those of the same value.
        if a / shape.box_rows == b / shape.box_rows {
            let value = |column: usize| usize::from(solution[a * size + column]) - 1;
            let next = |column: usize| [at[b][value(column)] % size; 2];
            let cells = |column: usize| [a * size + column, b * size + column];
            trades.extend(orbits(size, next, cells));
        }
        if a / shape.box_columns == b / shape.box_columns {
            let value = |row: usize| usize::from(solution[row * size + a]) - 1;
            let next = |row: usize| [at[size + b][value(row)] / size; 2];
            let cells = |row: usize| [row * size + a, row * size + b];
            trades.extend(orbits(size, next, cells));
        }
    }
    trades
}

/// The orbits of `0..size` under two permutations, each as the cells of its members.
fn orbits(
    size: usize,
    next: impl Fn(usize) -> [usize; 2],
    cells: impl Fn(usize) -> [usize; 2],
) -> impl Iterator<Item = Cells> {
    let mut left: u16 = (1 << size) - 1;
    std::iter::from_fn(move || {
        let mut fresh = left & left.wrapping_neg();
        let (mut orbit, mut set) = (0, Cells::default());
        while fresh != 0 {
            let member = fresh.trailing_zeros() as usize;
            orbit |= 1 << member;
            for cell in cells(member) {
                set.toggle(cell);
            }
            let [a, b] = next(member);
            fresh = (fresh | 1 << a | 1 << b) & !orbit;
        }
        left &= !orbit;
        (orbit != 0).then_some(set)
    })
}

/// Maximum steps of one search for a second grid; beyond this, the given stays.
const SECOND_GRID_STEPS: u64 = 100_000;

/// A full grid from which givens are removed.
pub struct Dig {
    shape: &'static Shape,
    solution: Vec<u8>,
    /// Sets of cells that each need a given: without one, the puzzle has a second solution.
    trades: Vec<Cells>,
    pub puzzle: Dug,
}

/// The puzzle after the removals so far.
#[derive(Clone)]
pub struct Dug {
    pub givens: Vec<u8>,
    filled: Cells,
    taken: [u16; MOST_UNITS],
    /// Hardest deduction that it takes.
    pub tier: Tier,
}

impl Dug {
    /// Empties a cell or fills it again.
    fn toggle(&mut self, shape: &Shape, cell: usize, value: u8) {
        self.givens[cell] ^= value;
        self.filled.toggle(cell);
        for unit in shape.homes(cell) {
            self.taken[unit] ^= bit(value);
        }
    }
}

impl Dig {
    /// Starts from givens with a unique solution, which takes `tier` to find.
    pub fn new(shape: &'static Shape, givens: &[u8], solution: &[u8], tier: Tier) -> Self {
        let mut puzzle =
            Dug { givens: vec![0; shape.cells()], filled: Cells::default(), taken: [0; MOST_UNITS], tier };
        for (cell, value) in filled(givens) {
            puzzle.toggle(shape, cell, value);
        }
        Self { shape, solution: solution.to_vec(), trades: trades(shape, solution), puzzle }
    }

    /// Empties a cell if the solution stays unique and the puzzle takes at most `most`.
    ///
    /// More givens never make deductions harder. So with one given less, the puzzle takes the harder of two
    /// tiers: that of the puzzle before, and that of recovering the given.
    pub fn remove(&mut self, cell: usize, most: Tier, budget: &mut Budget) -> Result<bool, OverBudget> {
        budget.spend(self.shape.peer_count as u64)?;
        let alone = Cells::from_iter([cell]);
        if self.trades.iter().any(|trade| trade.and(self.puzzle.filled) == alone) {
            return Ok(false);
        }
        let value = self.solution[cell];
        self.puzzle.toggle(self.shape, cell, value);
        if let Some(tier) = self.tier_of(cell, bit(value), most, budget)? {
            self.puzzle.tier = self.puzzle.tier.max(tier);
            return Ok(true);
        }
        self.puzzle.toggle(self.shape, cell, value);
        Ok(false)
    }

    /// Hardest deduction needed to recover the value of an empty cell.
    fn tier_of(
        &mut self,
        cell: usize,
        value: u16,
        most: Tier,
        budget: &mut Budget,
    ) -> Result<Option<Tier>, OverBudget> {
        const SOLVABLE: &str = "a puzzle with a solution has no contradiction";
        let (shape, puzzle) = (self.shape, &self.puzzle);
        let [row, column, its_box] = shape.homes(cell).map(|unit| puzzle.taken[unit]);
        if row | column | its_box == shape.all() & !value {
            return Ok(Some(Tier::NakedSingles));
        }
        let mut board = Board::with_taken(shape, &puzzle.givens, puzzle.taken).expect(SOLVABLE);
        budget.spend((board.empty * shape.peer_count) as u64)?;
        // The exact tier does not matter if it is below the puzzle's own.
        if puzzle.tier == Tier::NakedSingles {
            board.naked_singles(cell).expect(SOLVABLE);
            if board.is_placed(cell) {
                return Ok(Some(Tier::NakedSingles));
            }
            if most == Tier::NakedSingles {
                return Ok(None);
            }
        } else {
            let mut homes = shape.homes(cell).into_iter();
            if homes.any(|unit| board.hidden_in(unit).expect(SOLVABLE) & value != 0) {
                return Ok(Some(Tier::HiddenSingles));
            }
        }
        board.all_singles(cell).expect(SOLVABLE);
        if board.is_placed(cell) {
            return Ok(Some(Tier::HiddenSingles));
        }
        if most == Tier::HiddenSingles {
            return Ok(None);
        }
        // If there is a second grid, a few tries find it, so this search precedes the longer deductions.
        let mut steps = Budget::new(SECOND_GRID_STEPS);
        let second = board.clone().second(cell, value, &mut steps);
        budget.spend(SECOND_GRID_STEPS - steps.left())?;
        match second {
            Ok(None) => {}
            Ok(Some(grid)) => {
                let differs = |cell: &usize| grid[*cell] != self.solution[*cell];
                self.trades.push((0..shape.cells()).filter(differs).collect());
                return Ok(None);
            }
            Err(OverBudget) => return Ok(None),
        }
        if puzzle.tier == Tier::Search {
            return Ok(Some(Tier::Search));
        }
        while let Some(step) = board.locked().or_else(|| board.pair()) {
            budget.spend(2 * shape.cells() as u64)?;
            board.take(&step).expect(SOLVABLE);
            board.all_singles(cell).expect(SOLVABLE);
            if board.is_placed(cell) {
                return Ok(Some(Tier::Pairs));
            }
        }
        Ok((most == Tier::Search).then_some(Tier::Search))
    }
}

/// Attempts to finish a puzzle before trying another grid.
const FINISHES: u32 = 4;

/// Draws a puzzle of a tier and returns its givens and the full grid. It has `wanted` givens, or more if no
/// other can be removed, or fewer if the tier requires it.
pub fn draw(
    shape: &'static Shape,
    wanted: usize,
    tier: Tier,
    rng: &mut Rng,
    budget: &mut Budget,
) -> Result<(Vec<u8>, Vec<u8>), OverBudget> {
    loop {
        let solution = random_grid(shape, rng, budget)?;
        let mut cells: Vec<usize> = (0..shape.cells()).collect();
        rng.shuffle(&mut cells);
        let mut dig = Dig::new(shape, &solution, &solution, Tier::NakedSingles);
        let (mut givens, mut tried) = (cells.len(), 0);
        // Reaching the tier depends on the last givens to be removed and on their order, so several orders
        // are tried.
        let enough = wanted.max(shape.cells() * 7 / 16);
        while tried < cells.len() && givens > enough {
            givens -= usize::from(dig.remove(cells[tried], tier, budget)?);
            tried += 1;
        }
        let start = dig.puzzle.clone();
        for _ in 0..FINISHES {
            let mut givens = givens;
            for cell in &cells[tried..] {
                if dig.puzzle.tier == tier && givens <= wanted {
                    break;
                }
                givens -= usize::from(dig.remove(*cell, tier, budget)?);
            }
            if dig.puzzle.tier == tier {
                return Ok((dig.puzzle.givens, solution));
            }
            rng.shuffle(&mut cells[tried..]);
            dig.puzzle = start.clone();
        }
    }
}

impl Board {
    /// A grid that fits with another value than `value` in a cell.
    fn second(mut self, cell: usize, value: u16, budget: &mut Budget) -> Result<Option<Vec<u8>>, OverBudget> {
        let another = self.exclude(cell, value).and_then(|()| self.all_singles(NOWHERE));
        let mut found = Vec::new();
        if another.is_ok() {
            self.search(1, &mut found, budget)?;
        }
        Ok(found.pop())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sudoku::board::solutions;
    use crate::sudoku::deduction::{Reason, solve_path};
    use kit::rng::Key;

    fn rng(stream: u64) -> Rng {
        Key::new("sudoku", 1, "", 0, "").stream(stream)
    }

    fn plenty() -> Budget<'static> {
        Budget::new(u64::MAX)
    }

    fn shape(size: usize) -> &'static Shape {
        Shape::of(size).unwrap()
    }

    #[test]
    fn cells_that_trade_leave_a_second_grid() {
        for size in [4, 6, 9, 12] {
            let shape = shape(size);
            let grid = random_grid(shape, &mut rng(2), &mut plenty()).unwrap();
            let trades = trades(shape, &grid);
            assert!(trades.len() >= size * (size - 1) / 2);
            for trade in trades {
                let mut givens = grid.clone();
                for (cell, value) in givens.iter_mut().enumerate() {
                    if trade.and(Cells::from_iter([cell])) != Cells::default() {
                        *value = 0;
                    }
                }
                assert_eq!(solutions(shape, &givens, 2, &mut plenty()).unwrap().len(), 2);
            }
        }
    }

    /// The hardest kind of reason that a person needs.
    fn hardest(shape: &'static Shape, givens: &[u8], solution: &[u8]) -> Tier {
        let (steps, _) = solve_path(shape, givens, solution);
        let tier = |reason| match reason {
            Reason::OnlyValue => Tier::NakedSingles,
            Reason::OnlyPlace { .. } => Tier::HiddenSingles,
            Reason::Locked { .. } | Reason::NakedPair { .. } | Reason::HiddenPair { .. } => Tier::Pairs,
            Reason::Tried { .. } => Tier::Search,
        };
        let reasons = steps.into_iter().filter_map(|step| step.reason);
        reasons.map(tier).max().unwrap()
    }

    #[test]
    fn a_dug_puzzle_is_unique_of_its_tier_and_loses_no_given() {
        let mut rng = rng(3);
        for (size, puzzles) in [(4, 40), (6, 40), (9, 24), (12, 6)] {
            let shape = shape(size);
            let mut seen = Vec::new();
            for at in 0..puzzles {
                let most = [Tier::NakedSingles, Tier::HiddenSingles, Tier::Pairs, Tier::Search][at % 4];
                let solution = random_grid(shape, &mut rng, &mut plenty()).unwrap();
                let mut dig = Dig::new(shape, &solution, &solution, Tier::NakedSingles);
                let mut cells: Vec<usize> = (0..shape.cells()).collect();
                rng.shuffle(&mut cells);
                for cell in cells {
                    dig.remove(cell, most, &mut plenty()).unwrap();
                }
                let Dug { givens, tier, .. } = &dig.puzzle;
                assert!(*tier <= most);
                assert_eq!(*tier, hardest(shape, givens, &solution), "{givens:?}");
                let found = solutions(shape, givens, 2, &mut plenty()).unwrap();
                assert!(found.len() == 1 && found[0] == solution);
                for (cell, _) in filled(givens) {
                    let mut fewer = givens.clone();
                    fewer[cell] = 0;
                    let found = solutions(shape, &fewer, 2, &mut plenty()).unwrap();
                    assert!(found.len() == 2 || hardest(shape, &fewer, &solution) > most);
                }
                seen.push(*tier);
            }
            let hard = seen.iter().filter(|tier| **tier > Tier::NakedSingles).count();
            assert_eq!(hard > 0, size > 4, "{size}: {seen:?}");
        }
    }
}
