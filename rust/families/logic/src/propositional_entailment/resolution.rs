//! Clauses, and the clauses that follow from two of them.

use kit::error::quoted;

/// The letters of a clause without and with "not", as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Clause {
    pub plain: u32,
    pub negated: u32,
}

/// Maximum number of letters.
pub const MOST_LETTERS: usize = 14;
/// Most parts in a clause that the search derives.
const WIDEST: u32 = 3;
/// Pairs of clauses that the search compares before it gives up.
const MOST_PAIRS: u64 = 40_000;

pub fn letter(at: usize) -> char {
    char::from(b'A' + at as u8)
}

impl Clause {
    /// The clause of these literals: letters from 1, with a sign.
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

    /// True if the clause is true when exactly these letters are.
    pub fn holds(self, trues: u32) -> bool {
        self.plain & trues != 0 || self.negated & !trues != 0
    }

    /// The resolvents of two clauses, one for each letter on which they clash: all other parts of both.
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
        let mut text = String::new();
        for at in bits(self.plain | self.negated) {
            for (letters, not) in [(self.plain, ""), (self.negated, "not ")] {
                if letters >> at & 1 == 1 {
                    text.push_str(if text.is_empty() { "" } else { " or " });
                    text.push_str(not);
                    text.push(letter(at));
                }
            }
        }
        text
    }

    /// Reads the format of [`Clause::text`], with parts in any order and each of them once.
    pub fn read(text: &str, letters: usize) -> Result<Self, String> {
        let mut clause = Self::default();
        for part in text.split(" or ") {
            let part = part.trim_matches(' ');
            let (name, negated) =
                part.strip_prefix("not ").map_or((part, false), |name| (name.trim_start_matches(' '), true));
            let at = (0..letters).find(|at| name.len() == 1 && name.starts_with(letter(*at)));
            let at = at.ok_or_else(|| format!("`{}` is not a letter with or without `not`", quoted(part)))?;
            let letters = if negated { &mut clause.negated } else { &mut clause.plain };
            if *letters >> at & 1 == 1 {
                return Err(format!("`{}` is written twice", quoted(part)));
            }
            *letters |= 1 << at;
        }
        Ok(clause)
    }
}

/// Clauses of up to [`WIDEST`] parts in a table that quickly finds those whose parts all occur in another
/// clause. Parts are numbered: the letters, then the letters with "not".
struct Known {
    none: bool,
    single: u32,
    /// For each part, the larger parts with which it forms a clause.
    pairs: [u32; PARTS],
    /// For two parts, the smaller first, the parts with which they form a clause.
    triples: [[u32; PARTS]; PARTS],
}

const PARTS: usize = 2 * MOST_LETTERS;

impl Default for Known {
    fn default() -> Self {
        Self { none: false, single: 0, pairs: [0; PARTS], triples: [[0; PARTS]; PARTS] }
    }
}

impl Known {
    fn parts(clause: Clause) -> u32 {
        clause.plain | clause.negated << MOST_LETTERS
    }

    fn add(&mut self, clause: Clause) {
        let parts = Self::parts(clause);
        let mut at = bits(parts);
        match parts.count_ones() {
            0 => self.none = true,
            1 => self.single |= parts,
            2 => self.pairs[at.next().expect("there are two")] |= parts & (parts - 1),
            3 => {
                let (one, two) = (at.next().expect("there are three"), at.next().expect("there are three"));
                self.triples[one][two] |= 1 << parts.ilog2();
            }
            // The search has no clauses with that many parts.
            _ => {}
        }
    }

    /// True if a known clause consists of parts of this one, which has at most [`WIDEST`].
    fn has_part_of(&self, clause: Clause) -> bool {
        let parts = Self::parts(clause);
        self.none
            || self.single & parts != 0
            || bits(parts).any(|one| {
                self.pairs[one] & parts != 0 || bits(parts).any(|two| self.triples[one][two] & parts != 0)
            })
    }
}

/// Positions of the set bits, in ascending order.
fn bits(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(lowest)
    })
}

/// Derived clauses, in the order in which a search by small clauses finds them.
pub struct Closure {
    pub clauses: Vec<Clause>,
    /// For each derived clause, the two it came from.
    pub from: Vec<Option<[usize; 2]>>,
    /// Number of pairs compared.
    pub pairs: u64,
}

impl Closure {
    /// Searches until it finds a clause made of parts of `goal`, nothing new follows, or it reaches its
    /// limit.
    pub fn of(premises: &[Clause], goal: Option<Clause>) -> Self {
        let mut all = Self { clauses: premises.to_vec(), from: vec![None; premises.len()], pairs: 0 };
        let mut known = Known::default();
        for premise in premises {
            known.add(*premise);
        }
        let mut at = 0;
        while at < all.clauses.len() {
            for other in 0..at {
                all.pairs += 1;
                if all.pairs > MOST_PAIRS {
                    return all;
                }
                let (one, two) = (all.clauses[at], all.clauses[other]);
                // Two clauses that clash on more than one letter yield only tautologies.
                let clashes = (one.plain & two.negated) | (one.negated & two.plain);
                if clashes.count_ones() != 1 {
                    continue;
                }
                let made = Clause {
                    plain: (one.plain | two.plain) & !clashes,
                    negated: (one.negated | two.negated) & !clashes,
                };
                if made.plain & made.negated == 0 && made.parts() <= WIDEST && !known.has_part_of(made) {
                    known.add(made);
                    all.clauses.push(made);
                    all.from.push(Some([other, at]));
                    if goal.is_some_and(|goal| made.is_part_of(goal)) {
                        return all;
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
