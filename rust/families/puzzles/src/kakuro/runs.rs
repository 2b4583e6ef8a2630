//! Runs of cells between black ones that hold distinct digits with a sum.

use kit::prelude::*;
use kit::shape::rules::{Clue, by_walk};
use kit::shared::csp::{Contradiction, Domains};
use kit::shared::grid::{Grid, Place};

/// The number of a black cell. The numbers from 2 to 10 are the digits from 1 to 9.
pub const BLACK: u8 = 1;

/// The cells of the runs in rows, and of those in columns: what black cells leave of each line.
pub fn runs(board: &Grid<u8>) -> [Vec<Vec<usize>>; 2] {
    let parts = |lines: &[Vec<usize>]| {
        let parts = lines.iter().flat_map(|line| line.split(|cell| board[*cell] == BLACK));
        parts.filter(|run| !run.is_empty()).map(<[usize]>::to_vec).collect()
    };
    let lines = board.lines();
    let (rows, columns) = lines.split_at(board.rows());
    [parts(rows), parts(columns)]
}

/// A run has distinct digits and a sum.
pub struct Run {
    /// Columns of the grid.
    pub columns: usize,
    pub cells: Vec<usize>,
    pub sum: u32,
}

impl Run {
    /// "row 1, columns 2 to 4".
    pub fn words(&self) -> String {
        let [first, last] = [self.cells[0], self.cells[self.cells.len() - 1]];
        let [from, to] = [first, last].map(|cell| [cell / self.columns + 1, cell % self.columns + 1]);
        if from[0] == to[0] {
            format!("row {}, columns {} to {}", from[0], from[1], to[1])
        } else {
            format!("column {}, rows {} to {}", from[1], from[0], to[0])
        }
    }

    /// "r1c2 to r1c4".
    fn ends(&self) -> String {
        let place = |cell: usize| Place::new(cell / self.columns, cell % self.columns).short();
        format!("{} to {}", place(self.cells[0]), place(self.cells[self.cells.len() - 1]))
    }
}

/// The digit that a number of a cell stands for.
pub fn digit(number: u8) -> u32 {
    u32::from(number).saturating_sub(1)
}

impl Clue for Run {
    const BROKEN: &'static [Label] = &[("wrong_run", "a run holds a 0, a digit twice, or another sum")];

    fn scope(&self) -> &[usize] {
        &self.cells
    }

    fn holds(&self, numbers: &[u8]) -> bool {
        let twice = (0..numbers.len()).any(|at| numbers[..at].contains(&numbers[at]));
        !twice && !numbers.contains(&BLACK) && numbers.iter().copied().map(digit).sum::<u32>() == self.sum
    }

    fn name(&self) -> String {
        format!("the sum {} of {}", self.sum, self.ends())
    }

    fn place(&self) -> String {
        format!("the sum of {}", self.ends())
    }

    fn broken(&self, numbers: &[u8]) -> String {
        let place = self.words();
        if numbers.contains(&BLACK) {
            return format!("{place} has a 0, but is white");
        }
        if let Some(at) = (0..numbers.len()).find(|at| numbers[..*at].contains(&numbers[*at])) {
            return format!("{place} has {} twice", digit(numbers[at]));
        }
        let sum: u32 = numbers.iter().copied().map(digit).sum();
        format!("the sum of {place} is {sum}, but must be {}", self.sum)
    }

    /// A walk collects the set of the digits so far.
    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let step = |_: usize, set: usize, number: u8| {
            let digit = 1 << number >> (BLACK + 1);
            let next = set | digit;
            (digit > 0 && next > set && SUMS[next] <= self.sum).then_some(next)
        };
        by_walk(&self.cells, SUMS.len(), &step, &|set| SUMS[set] == self.sum, domains)
    }

    fn cost(&self) -> u64 {
        1 << self.cells.len()
    }
}

/// The sum of each set of digits; bit `d - 1` is that of `d`.
const SUMS: [u32; 512] = {
    let (mut sums, mut set) = ([0; 512], 1usize);
    while set < 512 {
        let lowest = set & set.wrapping_neg();
        sums[set] = sums[set - lowest] + lowest.trailing_zeros() + 1;
        set += 1;
    }
    sums
};

#[cfg(test)]
mod tests {
    use super::*;
    use kit::shape::rules::assert_narrows;
    use kit::shared::csp::{Csp, range};
    use kit::testing;

    /// Compares with all ways to fill the run.
    #[test]
    fn a_sum_keeps_what_some_run_has() {
        let mut rng = testing::rng(0);
        for _ in 0..300 {
            let mut domains = Csp::new(4, range(1, 10)).domains();
            (0..4).for_each(|cell| {
                domains.keep(cell, (2 << rng.index(10)) | (rng.below(1 << 10) * 2)).unwrap();
            });
            let run = Run { columns: 4, cells: vec![0, 1, 2, 3], sum: rng.below(33) as u32 };
            assert_narrows(&run, &domains, |_| true);
        }
    }
}
