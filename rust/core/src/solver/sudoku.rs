//! Sudoku of every size: candidates, singles, counted search, and grids with holes dug in them.
//!
//! Cells are numbered in reading order. Units are numbered rows first, then columns, then boxes in
//! reading order. A set of values is a `u16` whose bit `v - 1` stands for `v`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::{Budget, OverBudget};
use crate::rng::Rng;

pub mod deduce;

pub const MOST_CELLS: usize = 144;
/// Tables of this length need no bounds check where a cell is a byte.
const BYTES: usize = 256;
const MOST_UNITS: usize = 36;
const MOST_PEERS: usize = 28;
const LARGEST: usize = 12;

/// A grid's size, its boxes, and which cells see which.
pub struct Shape {
    /// Cells in a row, a column or a box, and the largest value.
    pub size: usize,
    pub box_rows: usize,
    pub box_columns: usize,
    members: [[u8; LARGEST]; MOST_UNITS],
    /// The row, column and box of a cell.
    homes: [[u8; 3]; MOST_CELLS],
    /// The same as bits of a set of units.
    home_bits: [u64; BYTES],
    peer_count: usize,
    peers: [[u8; MOST_PEERS]; MOST_CELLS],
}

static SHAPES: [Shape; 4] = [Shape::new(2, 2), Shape::new(2, 3), Shape::new(3, 3), Shape::new(3, 4)];

impl Shape {
    /// The shape of a size that exists: 4, 6, 9 or 12.
    pub fn of(size: usize) -> Option<&'static Self> {
        SHAPES.iter().find(|shape| shape.size == size)
    }

    const fn new(box_rows: usize, box_columns: usize) -> Self {
        let size = box_rows * box_columns;
        let mut shape = Self {
            size,
            box_rows,
            box_columns,
            members: [[0; LARGEST]; MOST_UNITS],
            homes: [[0; 3]; MOST_CELLS],
            home_bits: [0; BYTES],
            peer_count: 3 * size - box_rows - box_columns - 1,
            peers: [[0; MOST_PEERS]; MOST_CELLS],
        };
        let mut cell = 0;
        while cell < size * size {
            let (row, column) = (cell / size, cell % size);
            let in_box = row % box_rows * box_columns + column % box_columns;
            let its_box = row / box_rows * box_rows + column / box_columns;
            shape.members[row][column] = cell as u8;
            shape.members[size + column][row] = cell as u8;
            shape.members[2 * size + its_box][in_box] = cell as u8;
            shape.homes[cell] = [row as u8, (size + column) as u8, (2 * size + its_box) as u8];
            shape.home_bits[cell] = 1 << row | 1 << (size + column) | 1 << (2 * size + its_box);
            cell += 1;
        }
        let mut cell = 0;
        while cell < size * size {
            let (mut other, mut count) = (0, 0);
            while other < size * size {
                if other != cell && shape.home_bits[cell] & shape.home_bits[other] != 0 {
                    shape.peers[cell][count] = other as u8;
                    count += 1;
                }
                other += 1;
            }
            assert!(count == shape.peer_count);
            cell += 1;
        }
        shape
    }

    pub fn cells(&self) -> usize {
        self.size * self.size
    }

    pub fn units(&self) -> usize {
        3 * self.size
    }

    /// Every value.
    fn all(&self) -> u16 {
        (1 << self.size) - 1
    }

    pub fn members(&self, unit: usize) -> impl Iterator<Item = usize> + Clone {
        self.members[unit][..self.size].iter().map(|cell| usize::from(*cell))
    }

    fn homes(&self, cell: usize) -> [usize; 3] {
        self.homes[cell].map(usize::from)
    }

    pub fn in_unit(&self, cell: usize, unit: usize) -> bool {
        self.home_bits[cell] >> unit & 1 == 1
    }

    /// Whether a unit holds every value.
    pub fn is_complete(&self, grid: &[u8], unit: usize) -> bool {
        let held = self.members(unit).fold(0u32, |held, cell| held | 1 << grid[cell]);
        held >> 1 == u32::from(self.all())
    }

    /// A value that a unit holds more than once, and how often.
    pub fn repeat(&self, grid: &[u8], unit: usize) -> Option<(u8, usize)> {
        let times = |value| self.members(unit).filter(|cell| grid[*cell] == value).count();
        let all = (1..=self.size as u8).map(|value| (value, times(value)));
        all.into_iter().find(|(_, times)| *times > 1)
    }

    /// Whether two units share a cell.
    fn cross(&self, a: usize, b: usize) -> bool {
        self.members(a).any(|cell| self.in_unit(cell, b))
    }

    /// Whether two cells share a unit.
    fn see(&self, a: usize, b: usize) -> bool {
        a != b && self.home_bits[a] & self.home_bits[b] != 0
    }
}

/// The set that holds one value.
fn bit(value: u8) -> u16 {
    1 << (value - 1)
}

/// The values of a set, in increasing order.
pub fn values(mut set: u16) -> impl Iterator<Item = u8> + Clone {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let value = set.trailing_zeros() as u8 + 1;
            set &= set - 1;
            value
        })
    })
}

/// What it takes to solve a puzzle, each kind with the ones before it.
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

/// No grid fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction;

/// A grid with the values its empty cells may still take.
#[derive(Clone)]
pub struct Board {
    shape: &'static Shape,
    /// A placed cell is open to its own value alone; an empty one to no value its peers hold.
    open: [u16; BYTES],
    /// The values placed in each unit.
    taken: [u16; MOST_UNITS],
    /// Units in which a value lost a place since they were last searched for hidden singles.
    changed: u64,
    /// Cells that came down to one value; some may have been placed since.
    single: [u8; BYTES],
    singles: usize,
    empty: usize,
}

/// No goal: the whole board is.
const NOWHERE: usize = usize::MAX;

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

    /// [`Board::new`] of a grid without repeats whose units' values are known.
    fn with_taken(
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

    /// Queues an empty cell that is down to one value.
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

    /// Writes the one value of `value` in a cell and takes it from the cell's peers.
    fn place(&mut self, cell: usize, value: u16) -> Result<(), Contradiction> {
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

    /// Takes values from an empty cell.
    fn exclude(&mut self, cell: usize, values: u16) -> Result<(), Contradiction> {
        if self.open[cell] & values == 0 {
            return Ok(());
        }
        self.open[cell] &= !values;
        self.changed |= self.shape.home_bits[cell];
        self.note(cell)
    }

    /// The next cell with one value left.
    fn next_single(&mut self) -> Option<usize> {
        while self.singles > 0 {
            self.singles -= 1;
            let cell = usize::from(self.single[self.singles]);
            if !self.is_placed(cell) {
                return Some(cell);
            }
        }
        None
    }

    /// Places naked singles until `goal` is placed or none is left.
    fn naked_singles(&mut self, goal: usize) -> Result<(), Contradiction> {
        while let Some(cell) = self.next_single() {
            self.place(cell, self.open[cell])?;
            if cell == goal {
                break;
            }
        }
        Ok(())
    }

    /// The values that have one place in a unit, all but those placed.
    fn hidden_in(&self, unit: usize) -> Result<u16, Contradiction> {
        let (mut once, mut twice) = (0, 0);
        for cell in &self.shape.members[unit][..self.shape.size] {
            let open = self.open[usize::from(*cell)];
            twice |= once & open;
            once |= open;
        }
        if once == self.shape.all() { Ok(once & !twice & !self.taken[unit]) } else { Err(Contradiction) }
    }

    /// The first place a value has in a unit.
    fn place_in(&self, unit: usize, value: u16) -> Option<usize> {
        let mut cells = self.shape.members(unit);
        cells.find(|cell| self.open[*cell] & value != 0)
    }

    /// Places naked and hidden singles until `goal` is placed or none is left.
    fn all_singles(&mut self, goal: usize) -> Result<(), Contradiction> {
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

    /// This board with a value tried, and the singles that follow.
    fn tried(
        &self,
        cell: usize,
        value: u16,
        budget: &mut Budget,
    ) -> Result<Result<Self, Contradiction>, OverBudget> {
        // Each cell that is placed looks at its peers.
        let mut next = self.clone();
        let ended = next.place(cell, value).and_then(|()| next.all_singles(NOWHERE));
        let placed = self.empty - next.empty;
        budget.spend((self.shape.cells() + placed * self.shape.peer_count) as u64)?;
        Ok(ended.map(|()| next))
    }

    /// Adds the grids that fit to `found`, until it holds `most`.
    fn search(&self, most: usize, found: &mut Vec<Vec<u8>>, budget: &mut Budget) -> Result<(), OverBudget> {
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
    fn grid(&self) -> Vec<u8> {
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
        // A fill that meets many dead ends is in a bad corner: a fresh start is quicker.
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

/// Cells whose values can be exchanged within them to give another full grid: those that two values
/// take, and those that two lines of a band share values in, as far as they hang together.
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
        // In a row the two values go together, and so they do in a column and in a box.
        let next = |row: usize| {
            let [_, column, its_box] = shape.homes(at[row][a]);
            [at[column][b], at[its_box][b]].map(|cell| cell / size)
        };
        let cells = |row: usize| [at[row][a], at[row][b]];
        trades.extend(orbits(size, next, cells));
        // Across the two lines cells go together, and so do those of a value.
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

/// Steps one test for a second grid may take before the given stays.
const SECOND_GRID_STEPS: u64 = 100_000;

/// A full grid in which holes are dug.
pub struct Dig {
    shape: &'static Shape,
    solution: Vec<u8>,
    /// Sets of cells that each need a given, or the puzzle has a second solution.
    trades: Vec<Cells>,
    pub puzzle: Dug,
}

/// The puzzle as far as it is dug.
#[derive(Clone)]
pub struct Dug {
    pub givens: Vec<u8>,
    filled: Cells,
    taken: [u16; MOST_UNITS],
    /// What it takes to solve it.
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
    /// Starts with givens that have one solution, which takes `tier` to find.
    pub fn new(shape: &'static Shape, givens: &[u8], solution: &[u8], tier: Tier) -> Self {
        let mut puzzle =
            Dug { givens: vec![0; shape.cells()], filled: Cells::default(), taken: [0; MOST_UNITS], tier };
        for (cell, value) in filled(givens) {
            puzzle.toggle(shape, cell, value);
        }
        Self { shape, solution: solution.to_vec(), trades: trades(shape, solution), puzzle }
    }

    /// Empties a cell if the puzzle keeps its one solution and takes no more than `most` to solve.
    ///
    /// Deductions only grow with the givens. So without one given the puzzle takes what it took with
    /// it, or what it takes to get that given back, whichever is more.
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

    /// What it takes to see that an empty cell holds its value.
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
        // Of two tiers below the puzzle's own it does not matter which.
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
        // A second grid is found in a few tries where there is one, so it is looked for before the
        // longer deductions are.
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

impl Board {
    /// A grid that has another value than `value` in a cell.
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
    use super::deduce::{Reason, way};
    use super::*;
    use crate::rng::Key;

    fn rng(stream: u64) -> Rng {
        Key::new("sudoku", 1, "", 0, "").stream(stream)
    }

    fn plenty() -> Budget {
        Budget::new(u64::MAX)
    }

    fn grid(digits: &str) -> Vec<u8> {
        digits.bytes().map(|digit| digit - b'0').collect()
    }

    fn shape(size: usize) -> &'static Shape {
        Shape::of(size).unwrap()
    }

    /// Grids that fit, by trying every value in every cell in turn.
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
            let mut repeats = (0..shape.units()).filter_map(|unit| shape.repeat(&givens, unit));
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
            assert!((0..shape.units()).all(|unit| shape.is_complete(&grid, unit)));
        }
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
        let (steps, _) = way(shape, givens, solution);
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

    /// What `SudokuParams::check` rests on: both kinds of 4x4 grids, with any givens.
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
