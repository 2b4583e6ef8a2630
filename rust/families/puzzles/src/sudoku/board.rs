//! A grid being solved: candidates, singles, counted search, and random full grids.

use crate::sudoku::shape::{BYTES, MOST_UNITS, Shape, bit, values};
use kit::budget::{Budget, OverBudget};
use kit::rng::Rng;

/// A contradiction: no grid fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction;

/// A grid with the values its empty cells may still take.
#[derive(Clone)]
pub struct Board {
    pub shape: &'static Shape,
    /// Open values of each cell: only its own for a placed cell, and none that its peers have for an empty
    /// one.
    pub open: [u16; BYTES],
    /// The values placed in each unit.
    pub taken: [u16; MOST_UNITS],
    /// Units in which a value lost a place since their last search for hidden singles.
    changed: u64,
    /// Cells with a single value left; some may have been placed since.
    single: [u8; BYTES],
    singles: usize,
    pub empty: usize,
}

/// The goal that no cell is: it means the whole board.
pub const NOWHERE: usize = usize::MAX;

impl Board {
    /// Reads a grid whose empty cells are 0 and whose values are at most its size.
    pub fn new(shape: &'static Shape, grid: &[u8]) -> Result<Self, Contradiction> {
        let mut taken = [0; MOST_UNITS];
        for (cell, value) in filled(grid) {
            for unit in shape.homes(cell) {
                if taken[unit] & bit(value) != 0 {
                    return Err(Contradiction);
                }
                taken[unit] |= bit(value);
            }
        }
        Self::with_taken(shape, grid, taken)
    }

    /// [`Board::new`] for a grid without repeats whose units' values are known.
    pub fn with_taken(
        shape: &'static Shape,
        grid: &[u8],
        taken: [u16; MOST_UNITS],
    ) -> Result<Self, Contradiction> {
        let mut board = Self {
            shape,
            open: [0; BYTES],
            taken,
            changed: (1 << shape.units()) - 1,
            single: [0; BYTES],
            singles: 0,
            empty: 0,
        };
        for (cell, value) in grid.iter().enumerate() {
            if *value > 0 {
                board.open[cell] = bit(*value);
                continue;
            }
            let [row, column, its_box] = shape.homes(cell);
            let open = shape.all() & !(taken[row] | taken[column] | taken[its_box]);
            board.open[cell] = open;
            board.empty += 1;
            board.note(cell)?;
        }
        Ok(board)
    }

    pub fn is_placed(&self, cell: usize) -> bool {
        self.open[cell] & self.taken[usize::from(self.shape.homes[cell][0])] != 0
    }

    /// Queues an empty cell if it has a single value left.
    fn note(&mut self, cell: usize) -> Result<(), Contradiction> {
        let open = self.open[cell];
        if open == 0 {
            return Err(Contradiction);
        }
        if open.is_power_of_two() {
            self.single[self.singles] = cell as u8;
            self.singles += 1;
        }
        Ok(())
    }

    /// Places the one value of `value` in a cell and removes it from the cell's peers.
    pub fn place(&mut self, cell: usize, value: u16) -> Result<(), Contradiction> {
        let shape = self.shape;
        if self.open[cell] & value == 0 {
            return Err(Contradiction);
        }
        self.open[cell] = value;
        self.changed |= shape.home_bits[cell];
        for unit in shape.homes(cell) {
            self.taken[unit] |= value;
        }
        self.empty -= 1;
        let (mut changed, mut singles, mut none_left) = (self.changed, self.singles, false);
        for peer in &shape.peers[cell][..shape.peer_count] {
            let at = usize::from(*peer);
            let before = self.open[at];
            let open = before & !value;
            self.open[at] = open;
            let lost = open != before;
            changed |= shape.home_bits[at] & u64::from(lost).wrapping_neg();
            self.single[singles & 255] = *peer;
            singles += usize::from(lost & (open & open.wrapping_sub(1) == 0));
            none_left |= open == 0;
        }
        (self.changed, self.singles) = (changed, singles);
        if none_left { Err(Contradiction) } else { Ok(()) }
    }

    /// Removes values from an empty cell.
    pub fn exclude(&mut self, cell: usize, values: u16) -> Result<(), Contradiction> {
        if self.open[cell] & values == 0 {
            return Ok(());
        }
        self.open[cell] &= !values;
        self.changed |= self.shape.home_bits[cell];
        self.note(cell)
    }

    /// The next cell with one value left.
    pub fn next_single(&mut self) -> Option<usize> {
        while self.singles > 0 {
            self.singles -= 1;
            let cell = usize::from(self.single[self.singles]);
            if !self.is_placed(cell) {
                return Some(cell);
            }
        }
        None
    }

    /// Places naked singles until `goal` is placed or none remains.
    pub fn naked_singles(&mut self, goal: usize) -> Result<(), Contradiction> {
        while let Some(cell) = self.next_single() {
            self.place(cell, self.open[cell])?;
            if cell == goal {
                break;
            }
        }
        Ok(())
    }

    /// The values with a single place in a unit, except those placed.
    pub fn hidden_in(&self, unit: usize) -> Result<u16, Contradiction> {
        let (mut once, mut twice) = (0, 0);
        for cell in &self.shape.members[unit][..self.shape.size] {
            let open = self.open[usize::from(*cell)];
            twice |= once & open;
            once |= open;
        }
        if once == self.shape.all() { Ok(once & !twice & !self.taken[unit]) } else { Err(Contradiction) }
    }

    /// The first place a value has in a unit.
    pub fn place_in(&self, unit: usize, value: u16) -> Option<usize> {
        let mut cells = self.shape.members(unit);
        cells.find(|cell| self.open[*cell] & value != 0)
    }

    /// Places naked and hidden singles until `goal` is placed or none remains.
    pub fn all_singles(&mut self, goal: usize) -> Result<(), Contradiction> {
        loop {
            self.naked_singles(goal)?;
            if self.changed == 0 || goal != NOWHERE && self.is_placed(goal) {
                return Ok(());
            }
            let unit = self.changed.trailing_zeros() as usize;
            self.changed &= self.changed - 1;
            for value in values(self.hidden_in(unit)?) {
                let cell = self.place_in(unit, bit(value)).ok_or(Contradiction)?;
                self.place(cell, bit(value))?;
            }
        }
    }

    /// An empty cell with the fewest values.
    fn narrowest(&self) -> Option<usize> {
        let mut narrowest = None;
        let mut fewest = u32::MAX;
        for cell in 0..self.shape.cells() {
            let count = self.open[cell].count_ones();
            if count < fewest && !self.is_placed(cell) {
                (narrowest, fewest) = (Some(cell), count);
                if count <= 2 {
                    break;
                }
            }
        }
        narrowest
    }

    /// This board after trying a value and placing the singles that follow.
    fn tried(
        &self,
        cell: usize,
        value: u16,
        budget: &mut Budget,
    ) -> Result<Result<Self, Contradiction>, OverBudget> {
        // Placing a cell examines its peers.
        let mut next = self.clone();
        let ended = next.place(cell, value).and_then(|()| next.all_singles(NOWHERE));
        let placed = self.empty - next.empty;
        budget.spend((self.shape.cells() + placed * self.shape.peer_count) as u64)?;
        Ok(ended.map(|()| next))
    }

    /// Adds the grids that fit to `found`, until it holds `most`.
    pub fn search(
        &self,
        most: usize,
        found: &mut Vec<Vec<u8>>,
        budget: &mut Budget,
    ) -> Result<(), OverBudget> {
        let Some(cell) = self.narrowest() else {
            found.push(self.grid());
            return Ok(());
        };
        for value in values(self.open[cell]) {
            if found.len() >= most {
                break;
            }
            if let Ok(next) = self.tried(cell, bit(value), budget)? {
                next.search(most, found, budget)?;
            }
        }
        Ok(())
    }

    /// The values placed, 0 elsewhere.
    pub fn grid(&self) -> Vec<u8> {
        let value = |cell: usize| {
            let value = self.open[cell].trailing_zeros() as u8 + 1;
            if self.is_placed(cell) { value } else { 0 }
        };
        (0..self.shape.cells()).map(value).collect()
    }
}

/// The cells of a grid that are not empty.
pub fn filled(grid: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    let cells = grid.iter().copied().enumerate();
    cells.filter(|(_, value)| *value > 0)
}

/// The first `most` grids that agree with `givens`, found by search.
pub fn solutions(
    shape: &'static Shape,
    givens: &[u8],
    most: usize,
    budget: &mut Budget,
) -> Result<Vec<Vec<u8>>, OverBudget> {
    let mut found = Vec::new();
    let board = Board::new(shape, givens).and_then(|mut board| {
        board.all_singles(NOWHERE)?;
        Ok(board)
    });
    if let Ok(board) = board {
        board.search(most, &mut found, budget)?;
    }
    Ok(found)
}

/// A random full grid.
pub fn random_grid(shape: &'static Shape, rng: &mut Rng, budget: &mut Budget) -> Result<Vec<u8>, OverBudget> {
    let empty = vec![0; shape.cells()];
    let start = Board::new(shape, &empty).expect("an empty grid has no contradiction");
    loop {
        // A search that meets many dead ends is stuck in a bad corner: starting over is faster.
        let mut tries = 2 * shape.cells();
        if let Some(full) = fill(&start, rng, &mut tries, budget)? {
            return Ok(full);
        }
    }
}

fn fill(
    board: &Board,
    rng: &mut Rng,
    tries: &mut usize,
    budget: &mut Budget,
) -> Result<Option<Vec<u8>>, OverBudget> {
    let Some(cell) = board.narrowest() else {
        return Ok(Some(board.grid()));
    };
    let mut open = board.open[cell];
    while open != 0 && *tries > 0 {
        *tries -= 1;
        let nth = rng.index(open.count_ones() as usize);
        let value = bit(values(open).nth(nth).expect("the draw is below the count"));
        open &= !value;
        if let Ok(next) = board.tried(cell, value, budget)?
            && let Some(full) = fill(&next, rng, tries, budget)?
        {
            return Ok(Some(full));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::rng::Key;
    use kit::shape::rules::{is_complete, repeated};
    use kit::shared::grid::Grid;

    fn rng(stream: u64) -> Rng {
        Key::new("sudoku", 1, "", 0, "").stream(stream)
    }

    fn plenty() -> Budget<'static> {
        Budget::new(u64::MAX)
    }

    fn grid(digits: &str) -> Vec<u8> {
        digits.bytes().map(|digit| digit - b'0').collect()
    }

    fn members(shape: &Shape, unit: usize) -> Vec<usize> {
        shape.members(unit).collect()
    }

    fn shape(size: usize) -> &'static Shape {
        Shape::of(size).unwrap()
    }

    /// Counts the grids that fit by trying every value in every cell in turn.
    fn count_naively(shape: &Shape, grid: &mut [u8], most: usize) -> usize {
        let Some(cell) = grid.iter().position(|value| *value == 0) else {
            return 1;
        };
        let mut count = 0;
        for value in 1..=shape.size as u8 {
            let clashes = (0..grid.len()).any(|other| shape.see(cell, other) && grid[other] == value);
            if !clashes && count < most {
                grid[cell] = value;
                count += count_naively(shape, grid, most - count);
                grid[cell] = 0;
            }
        }
        count
    }

    /// Project Euler's first grid, the first of Royle's puzzles with 17 givens, and one by Inkala.
    #[test]
    fn published_puzzles_have_their_published_solutions() {
        for (givens, solution) in [
            (
                "003020600900305001001806400008102900700000008006708200002609500800203009005010300",
                "483921657967345821251876493548132976729564138136798245372689514814253769695417382",
            ),
            (
                "000000010400000000020000000000050407008000300001090000300400200050100000000806000",
                "693784512487512936125963874932651487568247391741398625319475268856129743274836159",
            ),
            (
                "100007090030020008009600500005300900010080002600004000300000010040000007007000300",
                "162857493534129678789643521475312986913586742628794135356478219241935867897261354",
            ),
        ] {
            let found = solutions(shape(9), &grid(givens), 2, &mut plenty()).unwrap();
            assert_eq!(found, [grid(solution)]);
        }
    }

    #[test]
    fn full_grids_are_as_many_as_is_known() {
        let all = solutions(shape(4), &[0; 16], 1_000, &mut plenty()).unwrap();
        assert_eq!(all.len(), 288);
        // 28,200,960 of size 6, one in 6! of them with a given first row.
        let mut givens = [0; 36];
        givens[..6].copy_from_slice(&[1, 2, 3, 4, 5, 6]);
        let all = solutions(shape(6), &givens, 100_000, &mut plenty()).unwrap();
        assert_eq!(all.len() * 720, 28_200_960);
    }

    #[test]
    fn search_counts_as_brute_force_does() {
        let shape = shape(4);
        let mut rng = rng(0);
        let mut counts = [0; 4];
        for _ in 0..3_000 {
            // Random givens, some of them contradictory.
            let mut givens = random_grid(shape, &mut rng, &mut plenty()).unwrap();
            for value in &mut givens {
                match rng.below(16) {
                    0..11 => *value = 0,
                    11 => *value = 1 + rng.below(4) as u8,
                    _ => {}
                }
            }
            let mut repeats = (0..shape.units())
                .filter_map(|unit| repeated(&Grid::new(4, givens.clone()), &members(shape, unit)));
            let expected = match repeats.next() {
                Some(_) => 0,
                None => count_naively(shape, &mut givens.clone(), 3),
            };
            let found = solutions(shape, &givens, 3, &mut plenty()).unwrap();
            assert_eq!(found.len(), expected, "{givens:?}");
            counts[expected] += 1;
        }
        assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    }

    #[test]
    fn a_random_grid_is_full() {
        for size in [4, 6, 9, 12] {
            let shape = shape(size);
            let grid = random_grid(shape, &mut rng(1), &mut plenty()).unwrap();
            assert!((0..shape.units()).all(|unit| is_complete(&grid, &members(shape, unit))));
        }
    }

    /// `SudokuParams::check` relies on this: both kinds of 4x4 grids, with any givens.
    #[test]
    fn at_size_4_one_solution_is_found_by_naked_singles_alone() {
        let shape = shape(4);
        for full in ["1234341221434321", "1234341223414123"] {
            let solution = grid(full);
            let mut unique = 0;
            for kept in 0u32..1 << 16 {
                let kept = |cell: usize| u8::from(kept >> cell & 1 == 1);
                let givens: Vec<u8> = (0..16).map(|cell| solution[cell] * kept(cell)).collect();
                if solutions(shape, &givens, 2, &mut plenty()).unwrap().len() == 1 {
                    let mut board = Board::new(shape, &givens).unwrap();
                    board.naked_singles(NOWHERE).unwrap();
                    assert_eq!(board.grid(), solution, "{givens:?}");
                    unique += 1;
                }
            }
            assert!(unique > 10_000, "{unique}");
        }
    }

    #[test]
    fn work_ends_with_the_budget() {
        let shape = shape(12);
        assert!(random_grid(shape, &mut rng(4), &mut Budget::new(1_000)).is_err());
        assert!(solutions(shape, &[0; 144], 1_000_000, &mut Budget::new(100_000)).is_err());
    }
}
