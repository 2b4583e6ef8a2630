//! Clues about one item or two.

use serde::{Deserialize, Serialize};

use kit::rng::Rng;
use kit::shared::csp::{Csp, Pair, Table};

/// Relation between the houses of two items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    Same,
    Apart,
    NextTo,
    /// The first is directly to the left of the second.
    LeftOf,
    /// The first is anywhere to the left of the second.
    Before,
}

impl Relation {
    const ALL: [Self; 5] = [Self::Same, Self::Apart, Self::NextTo, Self::LeftOf, Self::Before];

    fn allows(self, one: u8, other: u8) -> bool {
        match self {
            Self::Same => one == other,
            Self::Apart => one != other,
            Self::NextTo => one.abs_diff(other) == 1,
            Self::LeftOf => one + 1 == other,
            Self::Before => one < other,
        }
    }

    /// True if the order of the two matters.
    pub fn is_directed(self) -> bool {
        matches!(self, Self::LeftOf | Self::Before)
    }
}

/// A statement about the houses of items. Items are numbered category by category, houses from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Clue {
    At { thing: usize, house: u8 },
    NotAt { thing: usize, house: u8 },
    Pair { relation: Relation, one: usize, other: usize },
}

impl Clue {
    /// A random clue, which may say nothing; `numbered` if it may name a house.
    pub fn draw(things: usize, houses: usize, numbered: bool, rng: &mut Rng) -> Self {
        let (thing, house) = (rng.index(things), 1 + rng.index(houses) as u8);
        match rng.weighted(if numbered { &[2, 2, 14] } else { &[0, 0, 14] }) {
            0 => Self::At { thing, house },
            1 => Self::NotAt { thing, house },
            _ => {
                let relation = Relation::ALL[rng.weighted(&[4, 2, 3, 3, 2])];
                Self::pair(relation, thing, rng.index(things))
            }
        }
    }

    /// Two items, sorted if their order does not matter.
    fn pair(relation: Relation, one: usize, other: usize) -> Self {
        let ordered = relation.is_directed() || one < other;
        let (one, other) = if ordered { (one, other) } else { (other, one) };
        Self::Pair { relation, one, other }
    }

    pub fn things(self) -> impl Iterator<Item = usize> {
        let (one, other) = match self {
            Self::At { thing, .. } | Self::NotAt { thing, .. } => (thing, None),
            Self::Pair { one, other, .. } => (one, Some(other)),
        };
        std::iter::once(one).chain(other)
    }

    /// True if it refers to existing items and houses and says something.
    pub fn fits(self, houses: usize, categories: usize) -> bool {
        let there = self.things().all(|thing| thing < houses * categories);
        there
            && match self {
                Self::At { house, .. } | Self::NotAt { house, .. } => (1..=houses).contains(&house.into()),
                Self::Pair { relation, one, other } => {
                    let one_kind = one / houses == other / houses;
                    let idle = one_kind && matches!(relation, Relation::Same | Relation::Apart);
                    one != other && !idle && (relation.is_directed() || one < other)
                }
            }
    }

    /// True if it holds, given the house of every item.
    pub fn holds(self, homes: &[u8]) -> bool {
        match self {
            Self::At { thing, house } => homes[thing] == house,
            Self::NotAt { thing, house } => homes[thing] != house,
            Self::Pair { relation, one, other } => relation.allows(homes[one], homes[other]),
        }
    }

    /// Requires the clue to hold, or not to hold.
    pub fn require(self, holds: bool, csp: &mut Csp, houses: u64) {
        match self {
            Self::At { thing, house } | Self::NotAt { thing, house } => {
                let there = matches!(self, Self::At { .. }) == holds;
                csp.require(Table::allowing(vec![thing], houses, |at| (at[0] == house) == there));
            }
            Self::Pair { relation, one, other } => {
                let fits = |one, other| relation.allows(one, other) == holds;
                csp.require(Pair::allowing([one, other], houses, fits));
            }
        }
    }

    /// The same clue with renumbered items, possibly in the mirrored row.
    #[must_use]
    pub fn moved(self, number: impl Fn(usize) -> usize, behind: Option<usize>) -> Self {
        let seen = |house: u8| behind.map_or(house, |houses| houses as u8 + 1 - house);
        match self {
            Self::At { thing, house } => Self::At { thing: number(thing), house: seen(house) },
            Self::NotAt { thing, house } => Self::NotAt { thing: number(thing), house: seen(house) },
            Self::Pair { relation, one, other } if behind.is_some() => {
                Self::pair(relation, number(other), number(one))
            }
            Self::Pair { relation, one, other } => Self::pair(relation, number(one), number(other)),
        }
    }
}
