//! Drawing and changing statements that leave one world.

use std::mem;

use super::statement::{Claim, Count, DEEPEST, Fact, Quantity, Shape, Statement};
use super::worlds::{Knights, MOST_PEOPLE, Worlds, is_knight, people};
use super::{Claims, Island, IslandParams};
use kit::budget::{Budget, OverBudget};
use kit::rng::Rng;

/// Draws per statement before drawing an island starts over.
const EXCHANGES: usize = 50;
/// Claims to draw until one fits.
const CLAIMS: u32 = 64;

const NAMES: [&str; 64] = [
    "Ada", "Amir", "Anna", "Ben", "Bao", "Bella", "Carl", "Cleo", "Chen", "Dev", "Dora", "Diego", "Elsa",
    "Emil", "Esra", "Finn", "Fay", "Felix", "Gus", "Gina", "Greta", "Hana", "Hugo", "Henry", "Ida", "Ivan",
    "Iris", "Jack", "June", "Jonas", "Karl", "Kim", "Kofi", "Lena", "Leo", "Lucia", "Max", "Maya", "Mila",
    "Nora", "Nils", "Noor", "Olga", "Omar", "Otis", "Paul", "Pia", "Priya", "Quinn", "Rosa", "Ravi", "Ruth",
    "Sam", "Sofia", "Sven", "Tara", "Theo", "Tomas", "Uma", "Vera", "Viktor", "Wanda", "Yara", "Zoe",
];

impl IslandParams {
    fn shapes(&self) -> &'static [Shape] {
        &Shape::ALL[..match self.claims {
            Claims::Plain => 3,
            Claims::Joined => 5,
            Claims::Counted => 6,
        }]
    }

    /// Statements that fit exactly one world.
    pub fn draw(&self, rng: &mut Rng, budget: &mut Budget) -> Result<Vec<Statement>, OverBudget> {
        loop {
            let knights = rng.below(1 << self.people) as Knights;
            if let Some(statements) = self.draw_for(knights, rng, budget)? {
                return Ok(statements);
            }
        }
    }

    /// Statements that fit only the world of these knights; `None` in rare cases.
    ///
    /// They start at random and are exchanged one by one, as long as that does not lead further away from
    /// fitting one world without redundant statements.
    fn draw_for(
        &self,
        knights: Knights,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Option<Vec<Statement>>, OverBudget> {
        let people = self.people as u8;
        let all = (self.people * self.statements) as usize;
        let mut heard: Vec<Heard> = Vec::with_capacity(all);
        let mut surplus = u32::MAX;
        for _ in 0..EXCHANGES * all {
            budget.spend(all as u64)?;
            let at = if heard.len() < all { heard.len() } else { rng.index(all) };
            let speaker = (at / self.statements as usize) as u8;
            let shape = *rng.pick(self.shapes());
            let depth = rng.below(u64::from(self.nesting) + 1) as usize;
            let drawn = Statement::draw(speaker, shape, depth, people, knights, rng);
            let Some(mut new) = drawn.map(|statement| Heard::new(statement, people)) else {
                continue;
            };
            let mut others = heard.iter().enumerate().filter(|(i, _)| *i != at);
            if new.is_empty()
                || new.gives_away() && !self.giveaways
                || others.any(|(_, other)| new.repeats(other))
            {
                continue;
            }
            if heard.len() < all {
                heard.push(new);
                if heard.len() == all {
                    surplus = self.surplus(&heard);
                }
            } else {
                mem::swap(&mut heard[at], &mut new);
                match self.surplus(&heard) {
                    more if more > surplus => mem::swap(&mut heard[at], &mut new),
                    no_more => surplus = no_more,
                }
            }
            if surplus == 0 {
                let statements = heard.into_iter().map(|heard| heard.statement);
                return Ok(Some(statements.collect()));
            }
        }
        Ok(None)
    }

    /// Number of other worlds that fit, plus the number of redundant statements if everybody speaks once.
    fn surplus(&self, heard: &[Heard]) -> u32 {
        let everywhere = Worlds::of(self.people as usize);
        let together =
            |heard: &[Heard], start| heard.iter().fold(start, |all, other: &Heard| all & other.fits);
        let solutions = together(heard, everywhere);
        let mut surplus = solutions.count() - 1;
        if self.statements == 1 {
            let mut before = everywhere;
            for (i, spared) in heard.iter().enumerate() {
                surplus += u32::from(together(&heard[i + 1..], before) == solutions);
                before = before & spared.fits;
            }
        }
        surplus
    }
}

/// A statement with the worlds it fits, and those in which it is true.
pub struct Heard {
    statement: Statement,
    fits: Worlds,
    said: Worlds,
    everywhere: Worlds,
}

impl Heard {
    pub fn new(statement: Statement, people: u8) -> Self {
        let everywhere = Worlds::of(people.into());
        let said = statement.true_worlds() & everywhere;
        let knight = Worlds::with_knight(statement.speaker);
        Self { fits: everywhere & !(said ^ knight), statement, said, everywhere }
    }

    /// True if nothing follows when a knight says it, or nothing when a knave does.
    pub fn is_empty(&self) -> bool {
        let knight = Worlds::with_knight(self.statement.speaker) & self.everywhere;
        knight.is_within(self.said) || self.said.is_within(knight)
    }

    /// True if it reveals somebody's kind by itself.
    fn gives_away(&self) -> bool {
        people(self.statement.people()).any(|person| {
            let knight = Worlds::with_knight(person);
            self.fits.is_within(knight) || (self.fits & knight).is_empty()
        })
    }

    /// True if it says the same as another, or one of the two follows from the other.
    pub fn repeats(&self, other: &Self) -> bool {
        self.said == other.said || self.fits.is_within(other.fits) || other.fits.is_within(self.fits)
    }
}

/// Distinct names for everybody.
pub fn names(people: usize, rng: &mut Rng) -> Vec<String> {
    let mut names: Vec<&str> = Vec::with_capacity(people);
    while names.len() < people {
        let name = *rng.pick(&NAMES);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().map(Into::into).collect()
}

impl Claim {
    fn draw(shape: Shape, quantity: Quantity, people: u8, rng: &mut Rng) -> Self {
        let one = |rng: &mut Rng| rng.below(people.into()) as u8;
        let two = |rng: &mut Rng| {
            let first = one(rng);
            let second = rng.below(u64::from(people) - 1) as u8;
            (first, second + u8::from(second >= first))
        };
        let fact = |person, rng: &mut Rng| Fact { person, knight: rng.chance(1, 2) };
        let facts = |rng: &mut Rng| {
            let (a, b) = two(rng);
            (fact(a, rng), fact(b, rng))
        };
        match shape {
            Shape::Is => Self::Is(fact(one(rng), rng)),
            Shape::Alike => {
                let (a, b) = two(rng);
                if rng.chance(1, 2) { Self::Same(a, b) } else { Self::Different(a, b) }
            }
            Shape::Both | Shape::Either | Shape::If => {
                let (a, b) = facts(rng);
                match shape {
                    Shape::Both => Self::Both(a, b),
                    Shape::Either => Self::Either(a, b),
                    _ => Self::If(a, b),
                }
            }
            Shape::Count => {
                // Everybody, or any three people.
                let mut counted: Vec<u8> = (0..people).collect();
                if people > 3 && rng.chance(1, 2) {
                    rng.shuffle(&mut counted);
                    counted.truncate(3);
                    counted.sort_unstable();
                }
                Self::Count(Count {
                    quantity,
                    number: 1 + rng.below(counted.len() as u64 - 1) as u8,
                    people: counted,
                    knights: rng.chance(1, 2),
                })
            }
        }
    }
}

impl Statement {
    /// A claim of this shape that the speaker can make if these are the knights; `None` if there is hardly
    /// any.
    ///
    /// The shape does not depend on whether the claim must be true, so shapes do not distinguish knights from
    /// knaves.
    pub fn draw(
        speaker: u8,
        shape: Shape,
        depth: usize,
        people: u8,
        knights: Knights,
        rng: &mut Rng,
    ) -> Option<Self> {
        let mut through = Vec::new();
        let mut last = speaker;
        for _ in 0..depth {
            let other = rng.below(u64::from(people) - 1) as u8;
            last = other + u8::from(other >= last);
            through.push(last);
        }
        let quantity = *rng.pick(&Quantity::ALL);
        let mut statement = Self { speaker, through, claim: Claim::draw(shape, quantity, people, rng) };
        for _ in 0..CLAIMS {
            if statement.fits(knights) {
                return Some(statement);
            }
            statement.claim = Claim::draw(shape, quantity, people, rng);
        }
        None
    }
}

impl Island {
    /// Adds an islander, or complicates a statement.
    pub(super) fn harder(&mut self, knights: Knights, rng: &mut Rng) {
        let people = self.names.len();
        let changed = rng.index(self.statements.len());
        if people == MOST_PEOPLE || rng.chance(1, 2) {
            let depth = DEEPEST.min(self.statements[changed].through.len() + rng.index(2));
            self.redraw(changed, *rng.pick(&Shape::ALL[3..5]), depth, knights, rng);
            return;
        }
        let is_new = |name: &&&str| self.names.iter().all(|known| !known.eq_ignore_ascii_case(name));
        let names: Vec<_> = NAMES.iter().filter(is_new).collect();
        self.names.push((*rng.pick(&names)).to_string());
        let newcomer = people as u8;
        let knights = knights | (rng.below(2) as Knights) << newcomer;
        let shape = *rng.pick(&Shape::ALL[..5]);
        let statement = Statement::draw(newcomer, shape, 0, newcomer + 1, knights, rng);
        self.statements.extend(statement);
        self.redraw(changed, self.statements[changed].claim.shape(), 0, knights, rng);
    }

    /// Removes an islander, or simplifies a statement.
    pub(super) fn easier(&mut self, knights: Knights, rng: &mut Rng) {
        let changed = rng.index(self.statements.len());
        if self.names.len() == 2 || rng.chance(1, 2) {
            self.redraw(changed, *rng.pick(&Shape::ALL[..3]), 0, knights, rng);
            return;
        }
        let leaves = rng.index(self.names.len()) as u8;
        self.names.remove(leaves.into());
        let knights = (knights >> 1 & !0 << leaves) | (knights & !(!0 << leaves));
        self.statements.retain(|statement| statement.speaker != leaves);
        for at in 0..self.statements.len() {
            let about = self.statements[at].people();
            let renumber = |person: &mut u8| *person -= u8::from(*person > leaves);
            self.statements[at].people_mut().for_each(renumber);
            if is_knight(about, leaves) {
                self.redraw(at, *rng.pick(&Shape::ALL[..3]), 0, knights, rng);
            }
        }
    }

    /// Replaces a statement by another one of the same speaker.
    pub(super) fn redraw(&mut self, at: usize, shape: Shape, depth: usize, knights: Knights, rng: &mut Rng) {
        let (speaker, people) = (self.statements[at].speaker, self.names.len() as u8);
        if let Some(statement) = Statement::draw(speaker, shape, depth, people, knights, rng) {
            self.statements[at] = statement;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{IslandParams, KnightsAndKnaves};
    use super::*;
    use kit::params::Params;
    use kit::rng::Key;
    use kit::task::family::TaskFamily;
    use kit::task::problem::Problem;
    use kit::task::split::Fingerprint;

    #[test]
    fn all_params_have_islands() {
        let key = Key::new("params", 1, "", 0, "");
        for people in 2..=10 {
            for (statements, nesting) in [(1, 0), (1, 3), (2, 1), (3, 0), (3, 2)] {
                for claims in [Claims::Plain, Claims::Joined, Claims::Counted] {
                    for giveaways in [false, true] {
                        let params = IslandParams { people, statements, claims, giveaways, nesting };
                        if params.check().is_ok() {
                            let budget = &mut Budget::new(1_000_000);
                            let island = KnightsAndKnaves.generate(&params, &mut key.stream(0), budget);
                            let island = island.unwrap_or_else(|_| panic!("{params:?}"));
                            island.certify(budget).unwrap();
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn all_params_reach_all_splits() {
        let key = Key::new("splits", 1, "", 0, "");
        for people in 2..=4 {
            for claims in [Claims::Plain, Claims::Joined, Claims::Counted] {
                for giveaways in [false, true] {
                    let params = IslandParams::new(people, 1, claims, giveaways, 0);
                    if params.check().is_ok() {
                        let budget = &mut Budget::new(10_000_000);
                        let splits = (0..200).map(|i| {
                            let island = KnightsAndKnaves.generate(&params, &mut key.stream(i), budget);
                            let fingerprint = island.unwrap().fingerprint();
                            Fingerprint::new("knights_and_knaves", &fingerprint).split().name()
                        });
                        // Two people allow few problems.
                        let least = if people == 2 { 2 } else { 3 };
                        assert!(splits.collect::<BTreeSet<_>>().len() >= least, "{params:?}");
                    }
                }
            }
        }
    }
}
