//! Cells of a grid that hold one number and hang together, from each to the next above, below, left or right.

use kit::shared::csp::{Contradiction, Domains};
use kit::shared::grid::Grid;

use super::printed::short;

/// Some cell holds the number, and a way over such cells leads from each to every other.
pub struct Connected {
    columns: usize,
    number: u8,
    cells: Vec<usize>,
    /// The neighbors of each cell; one cell more may surround the grid.
    near: Vec<Vec<usize>>,
}

impl Connected {
    pub fn new(rows: usize, columns: usize, number: u8) -> Self {
        Self { columns, number, cells: (0..rows * columns).collect(), near: neighbors(rows, columns) }
    }

    /// The same where one more cell, which holds the number, surrounds the grid.
    #[must_use]
    pub fn with_surroundings(mut self) -> Self {
        let all = self.cells.len();
        let edge: Vec<usize> = (0..all).filter(|cell| self.near[*cell].len() < 4).collect();
        for cell in &edge {
            self.near[*cell].push(all);
        }
        self.near.push(edge);
        self
    }

    pub fn scope(&self) -> &[usize] {
        &self.cells
    }

    pub fn holds(&self, numbers: &[u8]) -> bool {
        self.apart(numbers).is_none()
    }

    /// A cell that holds the number, and one that no way leads to from there; none if all is well, and the same twice
    /// if no cell holds it.
    fn apart(&self, numbers: &[u8]) -> Option<[usize; 2]> {
        let is_it = |cell: usize| numbers.get(cell).is_none_or(|number| *number == self.number);
        let all = 0..self.near.len();
        let Some(first) = all.clone().rev().find(|cell| is_it(*cell)) else { return Some([0, 0]) };
        let (mut reached, mut next) = (vec![false; self.near.len()], vec![first]);
        reached[first] = true;
        while let Some(cell) = next.pop() {
            for near in &self.near[cell] {
                if is_it(*near) && !std::mem::replace(&mut reached[*near], true) {
                    next.push(*near);
                }
            }
        }
        let other = all.into_iter().find(|cell| is_it(*cell) && !reached[*cell])?;
        Some([first, other])
    }

    /// Reason why these numbers break it, where `what` are the cells that hold the number: "no way over kept cells leads
    /// from r1c1 to r3c3".
    pub fn broken(&self, numbers: &[u8], what: &str) -> String {
        let place = |cell: usize| short(cell, self.columns);
        match self.apart(numbers) {
            Some([first, other]) if first == self.cells.len() => {
                format!("no way over {what} leads from {} to the edge", place(other))
            }
            Some([first, other]) if first != other => {
                format!("no way over {what} leads from {} to {}", place(other), place(first))
            }
            _ => format!("there are no {what}"),
        }
    }

    /// Cells that no way reaches do not hold the number; those on every way between two that hold it, do.
    pub fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let open = |cell: usize| if cell < self.cells.len() { domains.of(cell) } else { 1 << self.number };
        let may = |cell: usize| open(cell) >> self.number & 1 == 1;
        let Some(start) = (0..self.near.len()).rev().find(|cell| open(*cell) == 1 << self.number) else {
            return if self.cells.iter().any(|cell| may(*cell)) { Ok(()) } else { Err(Contradiction) };
        };
        let (near, unseen) = (&self.near, vec![0; self.near.len()]);
        let mut walk = Walk { near, seen: unseen, count: 0, between: Vec::new() };
        walk.visit(start, usize::MAX, &may, &|cell| open(cell) == 1 << self.number);
        for cell in walk.between {
            domains.keep(cell, 1 << self.number)?;
        }
        let apart = self.cells.iter().filter(|cell| walk.seen[**cell] == 0);
        apart.into_iter().try_for_each(|cell| domains.keep(*cell, !(1 << self.number)))
    }
}

/// A depth-first walk that finds the cells that every way between two others takes.
struct Walk<'a> {
    near: &'a [Vec<usize>],
    /// The order in which cells are seen, from 1.
    seen: Vec<usize>,
    count: usize,
    between: Vec<usize>,
}

impl Walk<'_> {
    /// The first cell that can be reached from this one or those after it without going back, and whether the walk needs
    /// any of them.
    fn visit(
        &mut self,
        cell: usize,
        from: usize,
        may: &dyn Fn(usize) -> bool,
        must: &dyn Fn(usize) -> bool,
    ) -> (usize, bool) {
        let near = self.near;
        self.count += 1;
        self.seen[cell] = self.count;
        let (mut first, mut needed) = (self.count, must(cell));
        for next in near[cell].iter().copied().filter(|next| *next != from && may(*next)) {
            if self.seen[next] > 0 {
                first = first.min(self.seen[next]);
                continue;
            }
            let (beyond, some) = self.visit(next, cell, may, must);
            if some && beyond >= self.seen[cell] && !must(cell) {
                self.between.push(cell);
            }
            (first, needed) = (first.min(beyond), needed || some);
        }
        (first, needed)
    }
}

/// For each cell of a grid, those that share a side with it.
pub fn neighbors(rows: usize, columns: usize) -> Vec<Vec<usize>> {
    let mut near = vec![Vec::new(); rows * columns];
    for [cell, next] in Grid::new(columns, vec![(); rows * columns]).neighbours() {
        near[cell].push(next);
        near[next].push(cell);
    }
    near
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::shared::csp::{Csp, range};
    use kit::testing;

    /// Compares with all ways to fill a grid of 3 by 4 cells, among which those that are connected are counted, too.
    #[test]
    fn it_keeps_what_some_connected_cells_have() {
        for (rule, count) in
            [(Connected::new(3, 4, 2), 1_126), (Connected::new(3, 4, 2).with_surroundings(), 3_824)]
        {
            let all = (0..1u32 << 12).map(|bits| (0..12).map(|cell| 1 + (bits >> cell & 1) as u8).collect());
            let whole: Vec<Vec<u8>> = all.filter(|numbers: &Vec<u8>| rule.holds(numbers)).collect();
            assert_eq!(whole.len(), count);
            let mut rng = testing::rng(0);
            for _ in 0..2_000 {
                let mut domains = Csp::new(12, range(1, 2)).domains();
                (0..12).for_each(|cell| domains.keep(cell, *rng.pick(&[2, 4, 6, 6])).unwrap());
                let fits =
                    |numbers: &&Vec<u8>| (0..12).all(|cell| domains.of(cell) >> numbers[cell] & 1 == 1);
                let mut left = vec![0; 12];
                for numbers in whole.iter().filter(fits) {
                    left.iter_mut().zip(numbers).for_each(|(left, number)| *left |= 1u64 << number);
                }
                let held = (0..12).any(|cell| domains.value(cell) == Some(2)) || rule.near.len() > 12;
                let narrowed = rule.narrow(&mut domains);
                if held && left[0] > 0 {
                    assert_eq!((0..12).map(|cell| domains.of(cell)).collect::<Vec<_>>(), left);
                }
                assert!(left[0] > 0 || !held || narrowed.is_err());
                assert!(left[0] == 0 || narrowed.is_ok());
            }
        }
    }
}
