//! Statements of islanders, and whether they are true.

use serde::{Deserialize, Serialize};

use super::worlds::{Knights, MOST_PEOPLE, Truth, Worlds, is_knight};

/// Most people a claim is passed through: "Ada would say that Ben would say that ...".
pub const DEEPEST: usize = 3;

/// The claim that a person is a knight, or is a knave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fact {
    pub person: u8,
    pub knight: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    Exactly,
    AtLeast,
    AtMost,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Claim {
    Is(Fact),
    Both(Fact, Fact),
    /// One or both.
    Either(Fact, Fact),
    /// False only if the first is true and the second is not.
    If(Fact, Fact),
    Same(u8, u8),
    Different(u8, u8),
    Count(Count),
}

impl Fact {
    pub fn opposite(self) -> Self {
        Self { knight: !self.knight, ..self }
    }
}

impl Quantity {
    pub const ALL: [Self; 3] = [Self::Exactly, Self::AtLeast, Self::AtMost];
}

/// "At least two of Ada, Ben and Cleo are knaves."
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    pub quantity: Quantity,
    pub number: u8,
    /// Three or more people, in order.
    pub people: Vec<u8>,
    pub knights: bool,
}

/// A statement by one islander.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    pub speaker: u8,
    /// "Ben would say that Cleo would say that ..." the claim.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub through: Vec<u8>,
    pub claim: Claim,
}

impl Claim {
    fn truth<T: Truth>(&self, knight: impl Fn(u8) -> T) -> T {
        let fact = |fact: &Fact| {
            let knight = knight(fact.person);
            if fact.knight { knight } else { !knight }
        };
        match self {
            Self::Is(a) => fact(a),
            Self::Both(a, b) => fact(a) & fact(b),
            Self::Either(a, b) => fact(a) | fact(b),
            Self::If(a, b) => !fact(a) | fact(b),
            Self::Same(a, b) => !(knight(*a) ^ knight(*b)),
            Self::Different(a, b) => knight(*a) ^ knight(*b),
            Self::Count(count) => count.truth(|person| fact(&Fact { person, knight: count.knights })),
        }
    }

    /// The people it is about, possibly with repetitions.
    fn people(&self) -> impl Iterator<Item = u8> {
        let (pair, many): ([Option<u8>; 2], &[u8]) = match self {
            Self::Is(a) => ([Some(a.person), None], &[]),
            Self::Both(a, b) | Self::Either(a, b) | Self::If(a, b) => ([Some(a.person), Some(b.person)], &[]),
            Self::Same(a, b) | Self::Different(a, b) => ([Some(*a), Some(*b)], &[]),
            Self::Count(count) => ([None; 2], &count.people),
        };
        pair.into_iter().flatten().chain(many.iter().copied())
    }

    /// Facts that it mentions, true or not.
    pub fn facts(&self) -> Vec<Fact> {
        match self {
            Self::Is(a) => vec![*a],
            Self::Both(a, b) | Self::Either(a, b) | Self::If(a, b) => vec![*a, *b],
            Self::Same(..) | Self::Different(..) => Vec::new(),
            Self::Count(count) => {
                let fact = |person: &u8| Fact { person: *person, knight: count.knights };
                count.people.iter().map(fact).collect()
            }
        }
    }

    fn people_mut(&mut self) -> Vec<&mut u8> {
        match self {
            Self::Is(a) => vec![&mut a.person],
            Self::Both(a, b) | Self::Either(a, b) | Self::If(a, b) => {
                vec![&mut a.person, &mut b.person]
            }
            Self::Same(a, b) | Self::Different(a, b) => vec![a, b],
            Self::Count(count) => count.people.iter_mut().collect(),
        }
    }

    /// Effort of reading the claim, in simple facts.
    pub fn weight(&self) -> u32 {
        match self {
            Self::Is(_) => 1,
            Self::Both(..) | Self::Either(..) | Self::Same(..) | Self::Different(..) => 2,
            Self::If(..) => 3,
            Self::Count(count) => 1 + count.people.len() as u32,
        }
    }
}

impl Count {
    fn truth<T: Truth>(&self, counted: impl Fn(u8) -> T) -> T {
        let any = counted(self.people[0]);
        let (always, never) = (any | !any, any & !any);
        // `reached[k]`: at least `k` of the people so far.
        let mut reached = [never; MOST_PEOPLE + 2];
        reached[0] = always;
        for (so_far, person) in self.people.iter().enumerate() {
            let counted = counted(*person);
            for k in (0..=so_far).rev() {
                reached[k + 1] = reached[k + 1] | (reached[k] & counted);
            }
        }
        let (enough, more) = (reached[usize::from(self.number)], reached[usize::from(self.number) + 1]);
        match self.quantity {
            Quantity::Exactly => enough & !more,
            Quantity::AtLeast => enough,
            Quantity::AtMost => !more,
        }
    }
}

impl Statement {
    /// True if the statement is true, whoever makes it.
    pub fn is_true(&self, knights: Knights) -> bool {
        self.said(|person| is_knight(knights, person))
    }

    /// True if a knight says something true or a knave something false.
    pub fn fits(&self, knights: Knights) -> bool {
        self.is_true(knights) == is_knight(knights, self.speaker)
    }

    /// The worlds that the statement fits, among those of [`MOST_PEOPLE`].
    pub fn fitting_worlds(&self) -> Worlds {
        !(self.true_worlds() ^ Worlds::with_knight(self.speaker))
    }

    /// The worlds in which the statement is true, among those of [`MOST_PEOPLE`].
    pub fn true_worlds(&self) -> Worlds {
        self.said(Worlds::with_knight)
    }

    fn said<T: Truth>(&self, knight: impl Fn(u8) -> T) -> T {
        // A knight reports truthfully, a knave the opposite.
        let report = |told, person: &u8| !(knight(*person) ^ told);
        self.through.iter().rfold(self.claim.truth(&knight), report)
    }

    /// Everybody whose kind affects whether it fits.
    pub fn people(&self) -> Knights {
        let through = self.through.iter().copied();
        let people = self.claim.people().chain(through).chain([self.speaker]);
        people.fold(0, |people, person| people | 1 << person)
    }

    /// The same people, to be renumbered, possibly with repetitions.
    pub fn people_mut(&mut self) -> impl Iterator<Item = &mut u8> {
        let people = self.claim.people_mut().into_iter();
        people.chain(&mut self.through).chain([&mut self.speaker])
    }

    pub fn weight(&self) -> u32 {
        self.claim.weight() + 2 * self.through.len() as u32
    }

    /// Checks shape and bounds for this number of people.
    pub fn check(&self, people: usize) -> Result<(), String> {
        let mut everybody = self.through.iter().copied().chain(self.claim.people());
        if let Some(person) = everybody.find(|person| usize::from(*person) >= people) {
            return Err(format!("names person {person}, but there are {people}"));
        }
        if usize::from(self.speaker) >= people {
            let speaker = self.speaker;
            return Err(format!("has `speaker` {speaker}, but there are {people} people"));
        }
        if self.through.len() > DEEPEST {
            let people = self.through.len();
            return Err(format!("goes `through` {people} people, but {DEEPEST} is the most"));
        }
        let mut last = self.speaker;
        for person in &self.through {
            if *person == last {
                return Err(format!("goes `through` person {person} twice in a row"));
            }
            last = *person;
        }
        match &self.claim {
            Claim::Count(count) => {
                if count.people.len() < 3 || !count.people.is_sorted_by(|a, b| a < b) {
                    return Err("counts `people` that are not three or more in order".into());
                }
                if !(1..count.people.len()).contains(&usize::from(count.number)) {
                    let (number, most) = (count.number, count.people.len() - 1);
                    return Err(format!("has `number` {number}, but it must be 1 to {most}"));
                }
                Ok(())
            }
            pair => {
                let mut people = pair.people();
                match (people.next(), people.next()) {
                    (Some(a), Some(b)) if a == b => Err(format!("names person {a} twice")),
                    _ => Ok(()),
                }
            }
        }
    }
}

/// Kinds of claims, simplest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Is,
    Both,
    /// Two people of the same kind or of different kinds.
    Alike,
    Either,
    If,
    /// A count among three or more people.
    Count,
}

impl Shape {
    pub const ALL: [Self; 6] = [Self::Is, Self::Both, Self::Alike, Self::Either, Self::If, Self::Count];
}

impl Claim {
    pub fn shape(&self) -> Shape {
        match self {
            Self::Is(_) => Shape::Is,
            Self::Both(..) => Shape::Both,
            Self::Either(..) => Shape::Either,
            Self::If(..) => Shape::If,
            Self::Same(..) | Self::Different(..) => Shape::Alike,
            Self::Count(_) => Shape::Count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::rng::Key;

    #[test]
    fn all_worlds_at_once_agree_with_each_alone() {
        let mut rng = Key::new("statements", 1, "", 0, "").stream(0);
        for _ in 0..2_000 {
            let people = 3 + rng.below(8) as u8;
            let everywhere = Worlds::of(people.into());
            let (shape, depth) = (*rng.pick(&Shape::ALL), rng.index(DEEPEST + 1));
            let knights = rng.below(1 << people) as Knights;
            let Some(statement) = Statement::draw(0, shape, depth, people, knights, &mut rng) else {
                continue;
            };
            statement.check(people.into()).unwrap();
            let (said, fits) = (statement.true_worlds(), statement.fitting_worlds());
            for knights in 0..1 << people {
                let here = people_are(knights, people.into());
                assert!(here.is_within(everywhere) && here.first() == Some(knights));
                assert_eq!(here.is_within(said), statement.is_true(knights), "{statement:?}");
                assert_eq!(here.is_within(fits), statement.fits(knights), "{statement:?}");
            }
        }
    }

    /// The single world in which these are the knights.
    fn people_are(knights: Knights, people: usize) -> Worlds {
        (0..people as u8).fold(Worlds::of(people), |worlds, person| {
            let knight = Worlds::with_knight(person);
            worlds & if is_knight(knights, person) { knight } else { !knight }
        })
    }
}
