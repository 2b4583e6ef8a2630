//! Partitions of a grid into connected areas: the regions of star battle, cages.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use kit::picture::{CELL, Ink, Picture};
use kit::prelude::*;
use kit::shared::grid::Grid;
use kit::task::problem::{Disguise, Field, Relations};
use serde::{Deserialize, Serialize};

use super::connected::neighbors;

/// The number of each cell's area. Areas are connected and numbered from 0 as they first occur in reading order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Areas(Grid<u8>);

/// A cell that no area holds yet.
const FREE: u8 = u8::MAX;

impl Areas {
    /// Names of areas in a text.
    const LETTERS: &'static [u8; 52] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    /// Limits of the areas of a grid.
    pub fn of(rows: usize, columns: usize, count: RangeInclusive<usize>) -> Partition {
        Partition { rows, columns, count }
    }

    /// Areas that grow from these cells at random until they fill the grid; a large one grows faster.
    pub fn grown(rows: usize, columns: usize, seeds: &[usize], rng: &mut Rng) -> Self {
        let mut areas = Self(Grid::new(columns, vec![FREE; rows * columns]));
        seeds.iter().zip(0..).for_each(|(seed, area)| areas.0[*seed] = area);
        let beside = neighbors(rows, columns);
        let mut edge: Vec<[usize; 2]> = seeds.iter().flat_map(|seed| from(*seed, &beside)).collect();
        while !edge.is_empty() {
            let [cell, next] = edge.swap_remove(rng.index(edge.len()));
            if areas.0[next] == FREE {
                areas.0[next] = areas.0[cell];
                edge.extend(from(next, &beside));
            }
        }
        areas.renumbered()
    }

    /// Areas of random sizes up to `most`. A cell may be alone.
    pub fn random(rows: usize, columns: usize, most: usize, rng: &mut Rng) -> Self {
        let mut areas = Self(Grid::new(columns, vec![FREE; rows * columns]));
        let beside = neighbors(rows, columns);
        let mut cells: Vec<usize> = (0..rows * columns).collect();
        rng.shuffle(&mut cells);
        let mut area = 0;
        for seed in cells {
            if areas.0[seed] != FREE {
                continue;
            }
            let (mut left, mut edge) = (1 + rng.index(most), vec![[seed, seed]]);
            while left > 0 && !edge.is_empty() {
                let [_, next] = edge.swap_remove(rng.index(edge.len()));
                if areas.0[next] == FREE {
                    areas.0[next] = area;
                    left -= 1;
                    edge.extend(from(next, &beside));
                }
            }
            area += 1;
        }
        areas.renumbered()
    }

    /// The same with every two neighboring areas joined into one, at random; none if an area is left over.
    pub fn paired(&self, rng: &mut Rng) -> Option<Self> {
        let mut beside = vec![BTreeSet::new(); self.count()];
        for [one, other] in self.borders() {
            beside[self.area(one)].insert(self.area(other));
            beside[self.area(other)].insert(self.area(one));
        }
        let mut joined: Vec<u8> = vec![FREE; self.count()];
        let free = |joined: &[u8], area: usize| -> Vec<usize> {
            beside[area].iter().copied().filter(|other| joined[*other] == FREE).collect()
        };
        for pair in 0..self.count() as u8 / 2 {
            // An area with few others beside it finds none if it waits.
            let mut left: Vec<usize> = (0..self.count()).filter(|area| joined[*area] == FREE).collect();
            rng.shuffle(&mut left);
            let one = left.into_iter().min_by_key(|area| free(&joined, *area).len())?;
            let others = free(&joined, one);
            let other = *others.get(rng.index(others.len().max(1)))?;
            (joined[one], joined[other]) = (pair, pair);
        }
        let all_joined = joined.iter().all(|pair| *pair != FREE);
        all_joined.then(|| Self(self.0.map(|area| joined[usize::from(*area)])).renumbered())
    }

    /// The same with numbers as they first occur.
    fn renumbered(&self) -> Self {
        let mut order = Vec::new();
        Self(self.0.map(|area| {
            let known = order.iter().position(|other| other == area);
            known.unwrap_or_else(|| {
                order.push(*area);
                order.len() - 1
            }) as u8
        }))
    }

    pub fn count(&self) -> usize {
        self.0.cells().iter().fold(0, |most, area| most.max(usize::from(*area) + 1))
    }

    /// Number of a cell's area.
    pub fn area(&self, cell: usize) -> usize {
        self.0[cell].into()
    }

    /// The cells of each area, in reading order.
    pub fn cells(&self) -> Vec<Vec<usize>> {
        let mut cells = vec![Vec::new(); self.count()];
        (0..self.0.cells().len()).for_each(|cell| cells[self.area(cell)].push(cell));
        cells
    }

    /// Letter of an area.
    pub fn letter(area: usize) -> char {
        Self::LETTERS[area].into()
    }

    /// A letter for each cell, followed by its sign.
    pub fn drawn<'s>(&self, sign: impl Fn(usize) -> &'s str) -> String {
        let cell = |cell: usize| format!("{}{}", Self::letter(self.area(cell)), sign(cell));
        let cells = (0..self.0.cells().len()).map(cell).collect();
        Grid::new(self.0.columns(), cells).draw(|word: &String| word.clone(), |_| " ", |_| None)
    }

    /// Neighboring cells of different areas.
    pub fn borders(&self) -> Vec<[usize; 2]> {
        let mut pairs = self.0.neighbours();
        pairs.retain(|[one, other]| self.0[*one] != self.0[*other]);
        pairs
    }

    /// Draws the lines between areas and around the grid.
    pub fn picture(&self, picture: &mut Picture) {
        let (rows, columns) = (self.0.rows() as u32, self.0.columns() as u32);
        picture.frame((0, 0), (columns * CELL, rows * CELL), 1, Ink::Black);
        for [one, other] in self.borders() {
            let place = self.0.place(other);
            let at = (place.column as u32 * CELL, place.row as u32 * CELL);
            let to = if other == one + 1 { (at.0, at.1 + CELL) } else { (at.0 + CELL, at.1) };
            picture.line(at, to, 1, Ink::Black);
        }
    }

    /// Number of planes that [`Areas::observe`] writes.
    pub const PLANES: usize = 2;

    /// A plane for the borders to the right of cells, and one for those below.
    pub fn observe(&self, planes: &mut [f32]) {
        let cells = self.0.cells().len();
        for [one, other] in self.borders() {
            planes[if other == one + 1 { one } else { cells + one }] = 1.0;
        }
    }

    /// True if every area is connected.
    fn are_connected(&self) -> bool {
        let beside = neighbors(self.0.rows(), self.0.columns());
        self.cells().iter().all(|area| {
            let Some(first) = area.first() else { return false };
            let (mut reached, mut next) = (BTreeSet::from([*first]), vec![*first]);
            while let Some(cell) = next.pop() {
                let more = beside[cell].iter().filter(|other| self.0[**other] == self.0[*first]);
                next.extend(more.filter(|other| reached.insert(**other)));
            }
            reached.len() == area.len()
        })
    }
}

/// The steps from a cell to its neighbors.
fn from(cell: usize, beside: &[Vec<usize>]) -> impl Iterator<Item = [usize; 2]> {
    beside[cell].iter().map(move |next| [cell, *next])
}

/// Limits of areas: the shape of their grid, and how many they are.
pub struct Partition {
    rows: usize,
    columns: usize,
    count: RangeInclusive<usize>,
}

impl Field for Areas {
    type Limits = Partition;

    fn check(&self, name: &str, limits: &Partition) -> Result<(), String> {
        let (grid, &Partition { rows, columns, .. }) = (&self.0, limits);
        check::that(grid.rows() == rows && grid.columns() == columns, || {
            format!("`{name}` is {} by {}, but must be {rows} by {columns}", grid.rows(), grid.columns())
        })?;
        check::within(&format!("number of `{name}`"), &self.count(), limits.count.clone())?;
        check::that(*self == self.renumbered(), || {
            format!("`{name}` must be numbered from 0 on as they first occur in reading order")
        })?;
        check::that(self.are_connected(), || format!("each of `{name}` must be connected"))
    }

    fn disguise(&mut self, by: &mut Disguise<'_>) {
        if self.0.rows() == self.0.columns() {
            *self = Self(self.0.turned(by.symmetry())).renumbered();
        }
    }

    /// Connected areas follow from the borders between them.
    fn relate(&self, name: &str, into: &mut Relations) {
        if self.0.rows() != self.0.columns() {
            return into.plain(name, self);
        }
        let (kind, size) = (into.kind(), self.0.columns());
        for pair in self.borders() {
            into.turned(|symmetry| {
                let [one, other] = pair.map(|cell| symmetry.image(cell, size) as u64);
                kind | one.min(other) << 8 | one.max(other)
            });
        }
    }

    /// Moves a cell to the area of a neighbor.
    fn edit(&mut self, _: Aim, _: &Partition, rng: &mut Rng) -> bool {
        let borders = self.borders();
        if borders.is_empty() {
            return false;
        }
        let (mut edited, mut pair, count) = (self.clone(), *rng.pick(&borders), self.count());
        rng.shuffle(&mut pair);
        edited.0[pair[0]] = self.0[pair[1]];
        let edited = edited.renumbered();
        let fits = edited.count() == count && edited.are_connected();
        if fits {
            *self = edited;
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing;

    #[test]
    fn areas_are_connected_and_numbered_in_reading_order() {
        let mut rng = testing::rng(0);
        for _ in 0..200 {
            let grown = Areas::grown(6, 6, &[0, 7, 20, 35], &mut rng);
            grown.check("areas", &Areas::of(6, 6, 4..=4)).unwrap();
            if let Some(paired) = grown.paired(&mut rng) {
                paired.check("areas", &Areas::of(6, 6, 2..=2)).unwrap();
            }
            let random = Areas::random(6, 5, 4, &mut rng);
            random.check("areas", &Areas::of(6, 5, 8..=30)).unwrap();
            assert!(random.cells().iter().all(|cells| cells.len() <= 4));
        }
    }

    #[test]
    fn a_partition_is_checked_and_drawn() {
        let areas = |json: &str| serde_json::from_str::<Areas>(json).unwrap();
        let message = |json: &str| areas(json).check("areas", &Areas::of(2, 3, 1..=3)).unwrap_err();
        assert!(message("[[0, 1, 0], [2, 2, 2]]").contains("connected"));
        assert!(message("[[1, 0, 0], [2, 2, 2]]").contains("numbered from 0"));
        assert!(message("[[0, 3, 3], [2, 2, 2]]").contains("must be"));
        assert!(message("[[0, 1], [2, 2]]").contains("2 by 2"));
        let known = areas("[[0, 0, 1], [2, 1, 1]]");
        known.check("areas", &Areas::of(2, 3, 3..=3)).unwrap();
        assert_eq!(known.drawn(|_| ""), "A A B\nC B B");
    }
}
