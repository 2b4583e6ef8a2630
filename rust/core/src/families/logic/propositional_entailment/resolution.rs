//! Clauses, and what follows from two of them.

use crate::error::quoted;

/// Letters that stand in a clause as they are, and with "not", as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Clause {
    pub plain: u32,
    pub negated: u32,
}

/// The most letters.
pub const MOST_LETTERS: usize = 14;
/// Clauses with more parts are not derived by the search.
const WIDEST: u32 = 3;
/// Pairs of clauses that the search looks at before it gives up.
const MOST_PAIRS: u64 = 40_000;

pub fn letter(at: usize) -> char {
    char::from(b'A' + at as u8)
}

impl Clause {
    /// Of literals: letters from 1, with a sign.
    pub fn of(literals: &[i32]) -> Self {
        literals.iter().fold(Self::default(), |mut clause, literal| {
            let bit = 1 << (literal.unsigned_abs() - 1);
            *(if *literal > 0 { &mut clause.plain } else { &mut clause.negated }) |= bit;
            clause
        })
    }

    pub fn parts(self) -> u32 {
        self.plain.count_ones() + self.negated.count_ones()
    }

    pub fn is_part_of(self, other: Self) -> bool {
        self.plain & !other.plain == 0 && self.negated & !other.negated == 0
    }

    /// Whether it is true where the letters of the set are true.
    pub fn holds(self, trues: u32) -> bool {
        self.plain & trues != 0 || self.negated & !trues != 0
    }

    /// What follows from two clauses by each letter in which they clash: all other parts of both.
    pub fn resolvents(self, other: Self) -> impl Iterator<Item = Self> {
        let by = move |one: Self, other: Self| {
            let clashes = one.plain & other.negated;
            (0..MOST_LETTERS).map(|at| 1 << at).filter(move |bit| clashes & bit != 0).map(move |bit: u32| {
                Self {
                    plain: (one.plain & !bit) | other.plain,
                    negated: one.negated | (other.negated & !bit),
                }
            })
        };
        by(self, other).chain(by(other, self))
    }

    /// `A or not B`.
    pub fn text(self) -> String {
        let parts = (0..MOST_LETTERS).flat_map(|at| {
            let plain = (self.plain >> at & 1 == 1).then(|| letter(at).to_string());
            let negated = (self.negated >> at & 1 == 1).then(|| format!("not {}", letter(at)));
            plain.into_iter().chain(negated)
        });
        parts.collect::<Vec<_>>().join(" or ")
    }

    /// Reads what [`Clause::text`] writes, in any order.
    pub fn read(text: &str, letters: usize) -> Result<Self, String> {
        let mut clause = Self::default();
        for part in text.split(" or ") {
            let part = part.trim_matches(' ');
            let (name, negated) =
                part.strip_prefix("not ").map_or((part, false), |name| (name.trim_start_matches(' '), true));
            let at = (0..letters).find(|at| name.len() == 1 && name.starts_with(letter(*at)));
            let at = at.ok_or_else(|| format!("`{}` is no letter with or without not", quoted(part)))?;
            *(if negated { &mut clause.negated } else { &mut clause.plain }) |= 1 << at;
        }
        Ok(clause)
    }
}

/// Clauses that follow from others, in the order in which a search by small clauses first finds them.
pub struct Closure {
    pub clauses: Vec<Clause>,
    /// For each derived clause the two it came from.
    pub from: Vec<Option<[usize; 2]>>,
    /// Pairs looked at.
    pub pairs: u64,
}

impl Closure {
    /// Until a clause made of parts of `goal` is found, or nothing new follows, or the search has gone too far.
    pub fn of(premises: &[Clause], goal: Option<Clause>) -> Self {
        let mut all = Self { clauses: premises.to_vec(), from: vec![None; premises.len()], pairs: 0 };
        let mut at = 0;
        while at < all.clauses.len() {
            for other in 0..at {
                all.pairs += 1;
                if all.pairs > MOST_PAIRS {
                    return all;
                }
                let (one, two) = (all.clauses[at], all.clauses[other]);
                for made in one.resolvents(two) {
                    let useful = made.plain & made.negated == 0
                        && made.parts() <= WIDEST
                        && !all.clauses.iter().any(|known| known.is_part_of(made));
                    if useful {
                        all.clauses.push(made);
                        all.from.push(Some([other, at]));
                        if goal.is_some_and(|goal| made.is_part_of(goal)) {
                            return all;
                        }
                    }
                }
            }
            at += 1;
        }
        all
    }

    /// The derivation of a clause: the numbers of the clauses it needs, each after those it comes from.
    pub fn needed(&self, clause: usize) -> Vec<usize> {
        let mut needed = vec![false; clause + 1];
        needed[clause] = true;
        for at in (0..=clause).rev() {
            if let Some(from) = self.from[at].filter(|_| needed[at]) {
                needed[from[0]] = true;
                needed[from[1]] = true;
            }
        }
        (0..=clause).filter(|at| needed[*at] && self.from[*at].is_some()).collect()
    }
}
