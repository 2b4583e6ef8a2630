//! The rules of an archipelago: what islands, the sea and squares may hold.

use std::sync::Arc;

use kit::prelude::*;
use kit::shape::rules::Clue;
use kit::shared::csp::{Contradiction, Domains};

use super::{LAND, SEA};
use crate::shared::connected::Connected;
use crate::shared::printed::short;

/// The four cells of each square of 2 by 2.
pub fn pools(size: usize) -> Vec<[usize; 4]> {
    let corners = (0..size * size).filter(|cell| cell % size + 1 < size && cell / size + 1 < size);
    corners.map(|cell| [cell, cell + 1, cell + size, cell + size + 1]).collect()
}

/// The cell, then those that a way over such cells reaches from it, nearest first.
pub fn flood(near: &[Vec<usize>], cell: usize, is_it: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut reached = vec![cell];
    let mut at = 0;
    while at < reached.len() {
        for next in &near[reached[at]] {
            if is_it(*next) && !reached.contains(next) {
                reached.push(*next);
            }
        }
        at += 1;
    }
    reached
}

/// Numbers of a grid and the neighbors of its cells.
pub struct Map {
    pub size: usize,
    pub numbers: Vec<u8>,
    pub near: Vec<Vec<usize>>,
    pub cells: Vec<usize>,
}

impl Map {
    fn short(&self, cell: usize) -> String {
        short(cell, self.size)
    }

    fn island(&self, cell: usize, values: &[u8]) -> Vec<usize> {
        flood(&self.near, cell, |next| values[next] == LAND)
    }

    /// A cell of an island without a number.
    fn unnumbered(&self, values: &[u8]) -> Option<usize> {
        let numbered = |cell: usize| self.island(cell, values).iter().any(|cell| self.numbers[*cell] > 0);
        self.cells.iter().copied().find(|cell| values[*cell] == LAND && !numbered(*cell))
    }

    /// The known land around a number.
    fn known(&self, cell: usize, domains: &Domains) -> Vec<usize> {
        flood(&self.near, cell, |next| domains.value(next) == Some(LAND))
    }

    /// The cells that the island of a number may take, as far as the others leave them; the known ones come first.
    fn reach(&self, cell: usize, domains: &Domains) -> Vec<usize> {
        let number = usize::from(self.numbers[cell]);
        let mut reached = self.known(cell, domains);
        let (known, mut ring) = (reached.len(), reached.clone());
        for _ in known..number {
            let mut next = Vec::new();
            for cell in ring.iter().flat_map(|cell| &self.near[*cell]).copied() {
                let others = || {
                    self.near[cell]
                        .iter()
                        .any(|near| self.numbers[*near] > 0 && !reached[..known].contains(near))
                };
                let open = domains.of(cell) >> LAND & 1 == 1 && self.numbers[cell] == 0;
                if open && !reached.contains(&cell) && !others() {
                    reached.push(cell);
                    next.push(cell);
                }
            }
            ring = next;
        }
        reached
    }
    /// Cells that the island of a number leaves open.
    fn narrow(&self, cell: usize, domains: &mut Domains) -> Result<(), Contradiction> {
        let number = usize::from(self.numbers[cell]);
        let (known, reach) = (self.known(cell, domains), self.reach(cell, domains));
        let meets = known[1..].iter().any(|cell| self.numbers[*cell] > 0);
        if meets || known.len() > number || reach.len() < number {
            return Err(Contradiction);
        }
        if known.len() == number {
            let shore = known.iter().flat_map(|cell| &self.near[*cell]).filter(|cell| !known.contains(cell));
            return shore.into_iter().try_for_each(|cell| domains.keep(*cell, 1 << SEA));
        }
        if reach.len() == number {
            return reach.iter().try_for_each(|cell| domains.keep(*cell, 1 << LAND));
        }
        // An island that can grow to one cell alone does.
        let mut growth = known
            .iter()
            .flat_map(|cell| &self.near[*cell])
            .filter(|cell| reach[known.len()..].contains(cell));
        match growth.next() {
            Some(only) if growth.all(|other| other == only) => domains.keep(*only, 1 << LAND),
            _ => Ok(()),
        }
    }
}

pub enum Rule {
    /// Four cells in a square are not all sea.
    Pool {
        cells: [usize; 4],
        size: usize,
    },
    /// The island of this cell has as many cells as its number says, and no other number.
    Island(usize, Arc<Map>),
    /// All land belongs to an island with a number.
    Numbered(Arc<Map>),
    Sea(Connected),
}

impl Clue for Rule {
    const BROKEN: &'static [Label] = &[
        ("pool", "four cells in a 2 by 2 square are all sea"),
        ("island_size", "an island has more or fewer cells than its number says, or a second number"),
        ("island_without_number", "an island has no number"),
        ("sea_apart", "the sea is not connected"),
    ];

    fn label(&self) -> &'static str {
        let at = match self {
            Self::Pool { .. } => 0,
            Self::Island(..) => 1,
            Self::Numbered(_) => 2,
            Self::Sea(_) => 3,
        };
        Self::BROKEN[at].0
    }

    fn scope(&self) -> &[usize] {
        match self {
            Self::Pool { cells, .. } => cells,
            Self::Island(_, map) | Self::Numbered(map) => &map.cells,
            Self::Sea(connected) => connected.scope(),
        }
    }

    fn holds(&self, values: &[u8]) -> bool {
        match self {
            Self::Pool { .. } => values != [SEA; 4],
            Self::Island(cell, map) => {
                let island = map.island(*cell, values);
                let numbers = island.iter().filter(|cell| map.numbers[**cell] > 0).count();
                values[*cell] == LAND && numbers == 1 && island.len() == usize::from(map.numbers[*cell])
            }
            Self::Numbered(map) => map.unnumbered(values).is_none(),
            Self::Sea(connected) => connected.holds(values),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Pool { cells, size } => {
                let [first, .., last] = cells.map(|cell| short(cell, *size));
                format!("the square from {first} to {last}")
            }
            Self::Island(cell, map) => {
                format!("the island of the {} in {}", map.numbers[*cell], map.short(*cell))
            }
            Self::Numbered(_) => "the reach of the islands".to_owned(),
            Self::Sea(_) => "the connection of the sea".to_owned(),
        }
    }

    fn place(&self) -> String {
        match self {
            Self::Island(cell, map) => format!("the island of {}", map.short(*cell)),
            _ => self.name(),
        }
    }

    fn broken(&self, values: &[u8]) -> String {
        match self {
            Self::Pool { .. } => format!("{} is all sea", self.name()),
            Self::Island(cell, map) if values[*cell] != LAND => {
                format!("{} has the number {}, but is sea", map.short(*cell), map.numbers[*cell])
            }
            Self::Island(cell, map) => {
                let island = map.island(*cell, values);
                let other = island[1..].iter().find(|cell| map.numbers[**cell] > 0);
                match other {
                    Some(other) => format!("{} also holds {}", self.name(), map.short(*other)),
                    None => format!("{} has {}", self.name(), words::count(island.len(), "cell")),
                }
            }
            Self::Numbered(map) => {
                let cell = map.unnumbered(values).unwrap_or_default();
                format!("the island of {} has no number", map.short(cell))
            }
            Self::Sea(connected) => connected.broken(values, "cells of the sea"),
        }
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        match self {
            Self::Pool { cells, .. } => {
                let mut open = cells.iter().filter(|cell| domains.of(**cell) != 1 << SEA);
                match (open.next(), open.next()) {
                    (None, _) => Err(Contradiction),
                    (Some(only), None) => domains.keep(*only, 1 << LAND),
                    _ => Ok(()),
                }
            }
            Self::Island(cell, map) => map.narrow(*cell, domains),
            Self::Numbered(map) => {
                let numbered = map.cells.iter().filter(|cell| map.numbers[**cell] > 0);
                let mut reached = vec![false; map.cells.len()];
                for cell in numbered.flat_map(|cell| map.reach(*cell, domains)) {
                    reached[cell] = true;
                }
                let beyond = map.cells.iter().filter(|cell| !reached[**cell]);
                beyond.into_iter().try_for_each(|cell| domains.keep(*cell, 1 << SEA))
            }
            Self::Sea(connected) => connected.narrow(domains),
        }
    }

    fn cost(&self) -> u64 {
        match self {
            Self::Island(cell, map) => 4 * u64::from(map.numbers[*cell]).pow(2),
            _ => self.scope().len() as u64,
        }
    }
}
