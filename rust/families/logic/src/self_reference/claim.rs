//! The claim of one statement about its list, in words and as a rule.

use kit::prelude::*;
use kit::shared::csp::{Contradiction, Domains, Rule};
use kit::task::problem::Field;

/// Smallest and largest number of statements.
pub const LEAST: usize = 3;
pub const MOST: usize = 16;
/// Largest length that a statement gives the list.
const LONGEST: usize = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    Exactly,
    AtLeast,
    AtMost,
    Even,
    Odd,
    /// The list has `number` statements.
    Length,
}

/// A number of true or of false statements among some, or the length of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    bound: Bound,
    /// 0 if even or odd.
    number: usize,
    /// Indices of the statements that are counted, counted from 0, in ascending order.
    of: Vec<usize>,
    /// The truth value that is counted.
    are: bool,
}

impl Field for Claim {
    type Limits = ();

    fn check(&self, name: &str, (): &()) -> Result<(), String> {
        let (count, number) = (self.of.len(), self.number);
        check::length(&format!("{name}.of"), &self.of, 0..=MOST, "statements")?;
        check::that(self.of.is_sorted_by(|a, b| a < b) && self.of.iter().all(|at| *at < MOST), || {
            format!("`{name}.of` must be different indices below {MOST} in ascending order")
        })?;
        let says_something = match self.bound {
            Bound::Length => count == 0 && self.are && (2..=LONGEST).contains(&number),
            Bound::Exactly if count == 1 => number == 1,
            Bound::Exactly => count > 1 && number <= count,
            Bound::AtLeast | Bound::AtMost => (1..count).contains(&number),
            Bound::Even | Bound::Odd => count > 2 && number == 0,
        };
        check::that(says_something, || {
            let bound = serde_json::to_string(&self.bound).expect("names serialize");
            format!("`{name}` cannot say {bound} {number} of {count} statements")
        })
    }
}

/// Statements that others may be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Claims {
    Pairs,
    Groups,
    Whole,
}

/// A number of statements and what is said of them.
pub type Kind = (usize, Bound);

impl Claims {
    /// A random kind of statement in a list of so many.
    pub fn draw(self, count: usize, rng: &mut Rng) -> Kind {
        let size = match rng.weighted(&[3, 3, 5, 4][..2 + self as usize]) {
            0 => return (1, Bound::Exactly),
            1 => 2,
            2 => (3 + rng.index(2)).min(count),
            _ => count,
        };
        let bounds = [Bound::Exactly, Bound::AtLeast, Bound::AtMost, Bound::Even, Bound::Odd];
        (size, bounds[rng.weighted(&[6, 4, 4, 1, 1][..if size > 2 { 5 } else { 3 }])])
    }
}

impl Claim {
    /// A statement about the length of the list, true or false.
    pub fn length(count: usize, truth: bool, rng: &mut Rng) -> Self {
        let other = 2 + rng.index(LONGEST - 2);
        let number = if truth { count } else { other + usize::from(other >= count) };
        Self { bound: Bound::Length, number, of: Vec::new(), are: true }
    }

    /// A random claim of this kind, for the statement at this index of so many.
    pub fn draw((size, bound): Kind, at: usize, count: usize, rng: &mut Rng) -> Self {
        let others = || (0..count).filter(|other| *other != at);
        let parity = rng.index(2);
        let of: Vec<usize> = match size {
            size if size == count && count > LEAST && rng.chance(1, 2) => others().collect(),
            size if size == count => (0..count).collect(),
            size if size > 2 && rng.chance(1, 2) => match rng.below(4) {
                0 => (0..size).collect(),
                1 => (count - size..count).collect(),
                _ if count < 6 => (0..size).collect(),
                _ => (0..count).filter(|index| index % 2 == parity).collect(),
            },
            size => {
                let mut drawn: Vec<usize> = others().collect();
                rng.deal(&mut drawn, size);
                drawn.truncate(size);
                drawn.sort_unstable();
                drawn
            }
        };
        let number = match bound {
            Bound::Exactly if size == 1 => 1,
            Bound::Exactly => rng.index(of.len() + 1),
            Bound::AtLeast | Bound::AtMost => 1 + rng.index(of.len() - 1),
            Bound::Even | Bound::Odd | Bound::Length => 0,
        };
        Self { bound, number, of, are: rng.chance(1, 2) }
    }

    /// True if it leaves more numbers open than it excludes, for the most part.
    pub fn is_vague(&self) -> bool {
        matches!(self.bound, Bound::AtLeast | Bound::AtMost)
    }

    pub fn is_about_length(&self) -> bool {
        self.bound == Bound::Length
    }

    pub fn is_about_parity(&self) -> bool {
        matches!(self.bound, Bound::Even | Bound::Odd)
    }

    pub fn fits(&self, count: usize) -> bool {
        self.of.last().is_none_or(|last| *last < count)
    }

    pub fn counts(&self, at: usize) -> bool {
        self.of.contains(&at)
    }

    /// Takes the claim into a list of another length, in which statements have other indices.
    pub fn moved(&mut self, to: impl Fn(usize) -> usize, before: usize, after: usize) {
        self.of.iter_mut().for_each(|at| *at = to(*at));
        self.of.sort_unstable();
        if self.is_about_length() && self.number == before {
            self.number = after;
        }
    }

    /// The claim of the statement at this index in a list of so many.
    pub fn rule(&self, at: usize, count: usize) -> Counted {
        let holds = |of_them: usize| match self.bound {
            Bound::Exactly => of_them == self.number,
            Bound::AtLeast => of_them >= self.number,
            Bound::AtMost => of_them <= self.number,
            Bound::Even => of_them.is_multiple_of(2),
            Bound::Odd => !of_them.is_multiple_of(2),
            Bound::Length => self.number == count,
        };
        let size = self.of.len();
        let fitting = (0..=size).filter(|truths| holds(if self.are { *truths } else { size - truths }));
        let mut scope = self.of.clone();
        scope.retain(|other| *other != at);
        scope.insert(0, at);
        Counted {
            at,
            mask: self.of.iter().fold(0, |mask, other| mask | 1 << other),
            numbers: fitting.fold(0, |numbers, truths| numbers | 1 << truths),
            scope,
        }
    }

    /// The claim in words, as the statement at this index of so many makes it.
    pub fn words(&self, at: usize, count: usize) -> String {
        let (number, size) = (self.number, self.of.len());
        let are = if self.are { "true" } else { "false" };
        let of = match self.group(at, count) {
            Some(group) => format!("the {group}"),
            None => format!("statements {}", words::and(self.of.iter().map(|other| other + 1))),
        };
        match self.bound {
            Bound::Length => format!("This list has exactly {number} statements."),
            Bound::Exactly if size == 1 => format!("Statement {} is {are}.", self.of[0] + 1),
            Bound::Exactly if size == 2 && number == 2 => format!("S{} are both {are}.", &of[1..]),
            Bound::Exactly if size == 2 && number == 0 => format!("Neither of {of} is {are}."),
            Bound::Exactly if number == 0 => format!("None of {of} is {are}."),
            Bound::Exactly if number == size => format!("All of {of} are {are}."),
            Bound::Exactly => format!("Exactly {number} of {of} {} {are}.", is(number)),
            Bound::AtLeast => format!("At least {number} of {of} {} {are}.", is(number)),
            Bound::AtMost => format!("At most {number} of {of} {} {are}.", is(number)),
            Bound::Even => format!("An even number of {of} are {are}."),
            Bound::Odd => format!("An odd number of {of} are {are}."),
        }
    }

    /// A name for the statements that are counted, if they have one.
    fn group(&self, at: usize, count: usize) -> Option<String> {
        let size = self.of.len();
        let all = |is_in: &dyn Fn(usize) -> bool| {
            self.of.iter().copied().eq((0..count).filter(|index| is_in(*index)))
        };
        match size {
            0..=2 => None,
            _ if size == count => Some("statements in this list".to_owned()),
            _ if all(&|index| index != at) => Some("other statements".to_owned()),
            _ if all(&|index| index < size) => Some(format!("first {size} statements")),
            _ if all(&|index| index + size >= count) => Some(format!("last {size} statements")),
            _ if all(&|index| index % 2 == 0) => Some("odd-numbered statements".to_owned()),
            _ if all(&|index| index % 2 == 1) => Some("even-numbered statements".to_owned()),
            _ => None,
        }
    }
}

fn is(number: usize) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

/// A claim as a rule: its statement is true exactly if the number of true statements in the mask is one of these.
#[derive(Clone, Debug)]
pub struct Counted {
    at: usize,
    pub mask: u32,
    pub numbers: u32,
    scope: Vec<usize>,
}

impl Counted {
    /// True if what it says holds where these statements are true.
    pub fn holds(&self, truths: u32) -> bool {
        self.numbers >> (self.mask & truths).count_ones() & 1 == 1
    }

    /// True if it holds exactly if it is true.
    pub fn agrees(&self, truths: u32) -> bool {
        self.holds(truths) == (truths >> self.at & 1 == 1)
    }
}

impl Rule for Counted {
    fn scope(&self) -> &[usize] {
        &self.scope
    }

    /// Exact: the other statements differ only in whether they are decided.
    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let counts_itself = self.mask >> self.at & 1;
        let others = || self.scope[1..].iter();
        let certain = others().filter(|other| domains.value(**other) == Some(1)).count() as u32;
        let open: Vec<usize> = others().copied().filter(|other| domains.value(*other).is_none()).collect();
        let most = certain + open.len() as u32;
        // Is there a number from `low` to `high` at which the statement is exactly as true as `own` says?
        let can = |own: u8, low: u32, high: u32| {
            let mut numbers = low + counts_itself * u32::from(own)..=high + counts_itself * u32::from(own);
            numbers.any(|number| (self.numbers >> number & 1 == 1) == (own == 1))
        };
        let own =
            [0u8, 1].into_iter().filter(|own| can(*own, certain, most)).fold(0, |set, own| set | 1 << own);
        domains.keep(self.at, own)?;
        let own: Vec<u8> = [0, 1].into_iter().filter(|own| domains.of(self.at) >> own & 1 == 1).collect();
        for other in open {
            let falsely = own.iter().any(|own| can(*own, certain, most - 1));
            let truly = own.iter().any(|own| can(*own, certain + 1, most));
            domains.keep(other, u64::from(falsely) | u64::from(truly) << 1)?;
        }
        Ok(())
    }
}
