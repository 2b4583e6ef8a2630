//! Invariants of islands that differ only in names, order and the order within claims.

use std::mem;

use super::Island;
use super::drawing;
use super::statement::{Claim, Count, Fact, Quantity, Statement};
use kit::rng::Rng;
use kit::shared::refinement::{self, Relation};

/// The roles of people in a statement. People with the same role may be exchanged.
mod role {
    pub const SPEAKER: u64 = 0;
    /// A report says that the speaker and the claim are both right or both wrong; the same applies to a
    /// report of a report, so the order does not matter.
    pub const REPORTER: u64 = 1;
    pub const KNAVE: u64 = 2;
    pub const KNIGHT: u64 = 3;
    pub const EITHER_KIND: u64 = 4;
}

impl Island {
    /// Equal for islands that are the same except for names, order and the order within claims.
    pub fn invariant(&self) -> u64 {
        let relations: Vec<Relation> = self.statements.iter().map(Statement::relation).collect();
        refinement::invariant(self.names.len(), &relations)
    }

    /// The same island with its people renamed and reordered, its statements reordered, and claims reversed
    /// where that changes nothing.
    pub fn renamed(&self, rng: &mut Rng) -> Self {
        let mut numbers: Vec<u8> = (0..self.names.len() as u8).collect();
        rng.shuffle(&mut numbers);
        let mut statements = self.statements.clone();
        rng.shuffle(&mut statements);
        for statement in &mut statements {
            statement.people_mut().for_each(|person| *person = numbers[usize::from(*person)]);
            statement.turn_round(rng);
        }
        Self { names: drawing::names(self.names.len(), rng), statements }
    }
}

impl Statement {
    fn relation(&self) -> Relation {
        let (kind, mut members) = self.claim.relation();
        members.push((role::SPEAKER, self.speaker.into()));
        members.extend(self.through.iter().map(|person| (role::REPORTER, usize::from(*person))));
        Relation { kind, members }
    }

    /// Reverses the claim if that does not change its meaning.
    fn turn_round(&mut self, rng: &mut Rng) {
        if rng.chance(1, 2) && self.through.last().is_some_and(|last| *last != self.speaker) {
            self.through.reverse();
        }
        if let Claim::Count(count) = &mut self.claim {
            count.people.sort_unstable();
        }
        if rng.chance(1, 2) {
            self.claim.turn_round();
        }
    }
}

impl Claim {
    /// A number for the claim's form, and the people with their roles: equal for claims that are true in the
    /// same worlds.
    fn relation(&self) -> (u64, Vec<(u64, usize)>) {
        let member = |fact: &Fact| {
            let role = if fact.knight { role::KNIGHT } else { role::KNAVE };
            (role, usize::from(fact.person))
        };
        let alike = |person: &u8| (role::EITHER_KIND, usize::from(*person));
        match self {
            Self::Is(a) => (0, vec![member(a)]),
            Self::Both(a, b) => (1, vec![member(a), member(b)]),
            Self::Either(a, b) => (2, vec![member(a), member(b)]),
            Self::If(a, b) => (2, vec![member(&a.opposite()), member(b)]),
            Self::Same(a, b) => (3, vec![alike(a), alike(b)]),
            Self::Different(a, b) => (4, vec![alike(a), alike(b)]),
            Self::Count(count) => count.of_knights().relation(),
        }
    }

    fn turn_round(&mut self) {
        match self {
            Self::Is(_) => {}
            Self::Both(a, b) | Self::Either(a, b) => mem::swap(a, b),
            Self::If(a, b) => (*a, *b) = (b.opposite(), a.opposite()),
            Self::Same(a, b) | Self::Different(a, b) => mem::swap(a, b),
            Self::Count(count) => *count = count.of_the_others(),
        }
    }
}

impl Count {
    /// The same count of the people of the other kind: at most one knight of three is at least two knaves.
    fn of_the_others(&self) -> Self {
        let quantity = match self.quantity {
            Quantity::Exactly => Quantity::Exactly,
            Quantity::AtLeast => Quantity::AtMost,
            Quantity::AtMost => Quantity::AtLeast,
        };
        let number = self.people.len() as u8 - self.number;
        Self { quantity, number, people: self.people.clone(), knights: !self.knights }
    }

    fn of_knights(&self) -> Self {
        if self.knights { self.clone() } else { self.of_the_others() }
    }

    fn relation(&self) -> (u64, Vec<(u64, usize)>) {
        let members = self.people.iter().map(|person| (role::KNIGHT, usize::from(*person)));
        (5 + 3 * u64::from(self.number) + self.quantity as u64, members.collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::{Claims, IslandParams, KnightsAndKnaves};
    use super::*;
    use kit::budget::Budget;
    use kit::rng::Key;
    use kit::task::family::TaskFamily;
    use kit::task::problem::Problem;

    /// Every order of the numbers below `n`.
    fn orders(n: usize) -> Vec<Vec<usize>> {
        let Some(last) = n.checked_sub(1) else { return vec![vec![]] };
        let longer = |order: Vec<usize>| (0..n).map(move |at| [&order[..at], &[last], &order[at..]].concat());
        orders(last).into_iter().flat_map(longer).collect()
    }

    type Statements = Vec<(u64, Vec<(u64, usize)>)>;

    /// The smallest result over all ways to number the people.
    fn canonical(island: &Island) -> Statements {
        let numbered = |order: &Vec<usize>| {
            let statements = island.statements.iter().map(|statement| {
                let Relation { kind, mut members } = statement.relation();
                for (_, person) in &mut members {
                    *person = order[*person];
                }
                members.sort_unstable();
                (kind, members)
            });
            let mut statements: Statements = statements.collect();
            statements.sort_unstable();
            statements
        };
        orders(island.names.len()).iter().map(numbered).min().expect("there is an order")
    }

    #[test]
    fn islands_have_one_invariant_exactly_when_renaming_makes_them_one() {
        let key = Key::new("symmetry", 1, "", 0, "");
        let (mut invariants, mut canonicals) = (BTreeMap::new(), BTreeMap::new());
        let mut draws = 0;
        for params in [
            IslandParams::new(3, 1, Claims::Plain, true, 0),
            IslandParams::new(3, 1, Claims::Counted, true, 1),
            IslandParams::new(4, 1, Claims::Plain, false, 0),
            IslandParams::new(4, 1, Claims::Joined, false, 0),
        ] {
            for i in 0..400 {
                let budget = &mut Budget::new(10_000_000);
                let island = KnightsAndKnaves.generate(&params, &mut key.stream(i), budget).unwrap();
                let (invariant, canonical) = (island.invariant(), canonical(&island));
                assert_eq!(*invariants.entry(invariant).or_insert(canonical.clone()), canonical);
                assert_eq!(*canonicals.entry(canonical).or_insert(invariant), invariant);
                draws += 1;
            }
        }
        assert!(invariants.len() < draws - 400, "many are drawn again under other names");
    }

    #[test]
    fn a_renamed_island_says_the_same() {
        let mut rng = Key::new("renamed", 1, "", 0, "").stream(0);
        let params = IslandParams::new(6, 1, Claims::Counted, false, 3);
        for _ in 0..60 {
            let budget = &mut Budget::new(10_000_000);
            let island = KnightsAndKnaves.generate(&params, &mut rng, budget).unwrap();
            let renamed = island.renamed(&mut rng);
            renamed.check().unwrap();
            renamed.prove_unique().unwrap();
            assert_eq!(renamed.invariant(), island.invariant());
            let knights = |island: &Island| island.solutions().first().unwrap().count_ones();
            assert_eq!(knights(&renamed), knights(&island));
            let mut other = island.clone();
            other.statements.pop();
            assert_ne!(other.invariant(), island.invariant());
        }
    }
}
