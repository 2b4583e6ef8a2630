//! People in a row of houses: find out from clues who lives where and has what.

use kit::shared::csp::{AllDifferent, Csp, SolvePath, Step, Why, range, values};
use kit::shared::refinement::{Relation as Tie, invariant};
use kit::task::permutation;
use kit::task::prelude::*;
use kit::task::reasons::{Claims, Reasons};

use clue::Clue;
use wording::CATEGORIES;

mod clue;
mod wording;

pub struct ZebraPuzzle;

params! {
    pub struct ZebraPuzzleParams {
        /// Houses in a row.
        houses: u32 [3..=6],
        /// Categories of items: people, doors, pets, drinks, instruments and fruit, in this order.
        categories: u32 [2..=6],
        /// True if a clue may name a house.
        numbered: bool,
    }
    levels {
        (3, 2, true),
        (3, 3, true),
        (3, 4, true),
        (4, 3, true),
        (4, 4, true),
        (5, 4, true),
        (5, 5, true),
        (5, 5, false),
        (6, 5, false),
        (6, 6, false),
    }
    default 4
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Street {
    houses: usize,
    categories: usize,
    clues: Vec<Clue>,
    /// The house of every item; a claim that `certify` proves to be the only assignment.
    homes: Vec<u8>,
}

/// Steps per search for assignments.
const SOLVE_STEPS: u64 = 10_000;
const HOUSES: [&str; 6] = ["1", "2", "3", "4", "5", "6"];

impl TaskFamily for ZebraPuzzle {
    type Params = ZebraPuzzleParams;
    type Problem = Street;

    const ABOUT: About = About {
        summary: "Find out from clues who lives in which house of a row and has what.",
        judged_by: JudgedBy::Constraints,
        failures: &[
            form::Assignment::FAILURES[0],
            form::Assignment::FAILURES[1],
            form::Assignment::FAILURES[2],
            ("shared_house", "two items of the same category are in the same house"),
            ("clue_broken", "a clue does not hold"),
        ],
        parts: &[Part::new("clues_kept", "share of the clues that hold")],
        skills: &["elimination", "spatial_order", "case_analysis"],
        // Refuting an assignment takes many rules, each of which counts for little.
        budgets: Budgets { certify: 20_000_000, ..Budgets::USUAL },
        distinct_from: 1,
        guess_rate: 0.072,
        guess_score: 0.072,
        ..About::new("logic", "zebra_puzzle", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Street> {
        let (houses, categories) = (params.houses as usize, params.categories as usize);
        loop {
            let row = |_| permutation::random(houses, rng).into_iter().map(|house| house as u8 + 1);
            let homes: Vec<u8> = (0..categories).flat_map(row).collect();
            let mut street = Street { houses, categories, clues: Vec::new(), homes };
            let ways = street.add_clues(params.numbered, rng, budget)?;
            street.spare_clues(ways, rng, budget)?;
            if street.check().is_ok() {
                return Ok(street);
            }
        }
    }
}

impl Street {
    fn things(&self) -> usize {
        self.houses * self.categories
    }

    /// The rule of each category, then those of the clues; all hold except `broken`, which must not.
    fn csp(&self, broken: Option<usize>) -> Csp {
        let houses = range(1, self.houses as u8);
        let mut csp = Csp::new(self.things(), houses);
        for category in 0..self.categories {
            csp.require(AllDifferent((category * self.houses..(category + 1) * self.houses).collect()));
        }
        for (at, clue) in self.clues.iter().enumerate() {
            clue.require(broken != Some(at), &mut csp, houses);
        }
        csp
    }

    /// Adds clues that rule out other assignments until none is left, and returns those assignments. A search
    /// that takes too long, here and below, is given up, at the price of an additional clue.
    fn add_clues(&mut self, numbered: bool, rng: &mut Rng, budget: &mut Budget) -> Drawn<Vec<Vec<u8>>> {
        let mut ways: Vec<Vec<u8>> = Vec::new();
        loop {
            let other = match self.others(None, 2, budget)? {
                Some(mut found) => {
                    found.retain(|other| *other != self.homes);
                    if found.is_empty() {
                        return Ok(ways);
                    }
                    found.pop()
                }
                None => None,
            };
            loop {
                budget.spend(1)?;
                let clue = Clue::draw(self.things(), self.houses, numbered, rng);
                let telling = other.as_ref().is_none_or(|other| !clue.holds(other));
                let fits = clue.fits(self.houses, self.categories) && !self.clues.contains(&clue);
                if fits && clue.holds(&self.homes) && telling {
                    self.clues.push(clue);
                    break;
                }
            }
            ways.extend(other);
        }
    }

    /// Removes every clue that the others imply: without it, no other assignment satisfies the rest.
    fn spare_clues(&mut self, mut ways: Vec<Vec<u8>>, rng: &mut Rng, budget: &mut Budget) -> Drawn<()> {
        rng.shuffle(&mut self.clues);
        for at in (0..self.clues.len()).rev() {
            let breaks_alone = |way: &Vec<u8>| {
                let mut broken = (0..self.clues.len()).filter(|clue| !self.clues[*clue].holds(way));
                broken.next() == Some(at) && broken.next().is_none()
            };
            if !ways.iter().any(breaks_alone)
                && let Some(found) = self.others(Some(at), 1, budget)?
            {
                if found.is_empty() {
                    self.clues.remove(at);
                }
                ways.extend(found);
            }
        }
        Ok(())
    }

    /// Assignments that satisfy all clues except `broken`, if they are found soon.
    fn others(
        &self,
        broken: Option<usize>,
        at_most: usize,
        budget: &mut Budget,
    ) -> Result<Option<Vec<Vec<u8>>>, OverBudget> {
        let csp = self.csp(broken);
        let mut steps = Budget::new(SOLVE_STEPS);
        let found = csp.solutions(&csp.domains(), at_most, &mut steps);
        budget.spend(steps.spent())?;
        Ok(found.ok())
    }

    fn why(&self, step: &Step) -> String {
        match step.why {
            Why::OnlyPlace(_) => "no other item of its category can be in this house".to_owned(),
            Why::OnlyValue(rule) => match rule.checked_sub(self.categories) {
                Some(clue) => format!("clue {} leaves no other house", clue + 1),
                None => "the other houses are taken".to_owned(),
            },
            Why::Tried(others) => {
                format!("house {} leads to a contradiction", values(others).joined(" or "))
            }
        }
    }

    fn path(&self) -> SolvePath {
        let csp = self.csp(None);
        csp.solve_path(&csp.domains(), &self.homes)
    }

    fn judge(&self, homes: &[u8]) -> Judged {
        let kept = self.clues.iter().filter(|clue| clue.holds(homes)).count();
        let failed = |label, detail: String| {
            let failure = Failure::new(label::CONSTRAINT_VIOLATED, detail).also(label);
            Err(failure.part("clues_kept", kept as f32 / self.clues.len() as f32))
        };
        for (category, row) in homes.chunks(self.houses).enumerate() {
            for (thing, house) in row.iter().enumerate() {
                if let Some(other) = row[..thing].iter().position(|known| known == house) {
                    let [one, other] = [other, thing].map(|thing| CATEGORIES[category].2[thing]);
                    return failed("shared_house", format!("{one} and {other} are both in house {house}"));
                }
            }
        }
        match self.clues.iter().position(|clue| !clue.holds(homes)) {
            None => Ok(()),
            Some(at) => {
                let said = self.sentence(self.clues[at]);
                failed("clue_broken", format!("clue {} does not hold: {said}", at + 1))
            }
        }
    }

    /// A house for every item as the clues name one, and the rest at random.
    fn guessed(&self, rng: &mut Rng) -> Vec<usize> {
        let mut guessed = Vec::new();
        for category in 0..self.categories {
            let mut row = permutation::random(self.houses, rng);
            for clue in &self.clues {
                if let Clue::At { thing, house } = clue
                    && thing / self.houses == category
                {
                    let there = row.iter().position(|at| *at + 1 == usize::from(*house));
                    row.swap(thing % self.houses, there.expect("it is a permutation"));
                }
            }
            guessed.extend(row);
        }
        guessed
    }
}

impl Problem for Street {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = wording::TEMPLATES;

    fn check(&self) -> Result<(), String> {
        check::within("houses", &self.houses, 3..=HOUSES.len())?;
        check::within("categories", &self.categories, 2..=CATEGORIES.len())?;
        check::length("clues", &self.clues, 1..=60, "clues")?;
        for (at, clue) in self.clues.iter().enumerate() {
            check::that(clue.fits(self.houses, self.categories), || {
                format!("`clues[{at}]` names things or houses that do not exist, or says nothing")
            })?;
            check::that(!self.clues[..at].contains(clue), || {
                format!("`clues[{at}]` repeats an earlier clue")
            })?;
        }
        check::length("homes", &self.homes, self.things()..=self.things(), "houses")?;
        let there = |house: &u8| (1..=self.houses).contains(&(*house).into());
        check::each("homes", &self.homes, there, "there is no such house")?;
        self.judge(&self.homes).map(drop).map_err(|verdict| format!("`homes` fails: {}", verdict.detail))
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let csp = self.csp(None);
        let found = csp.solutions(&csp.domains(), 2, budget).map_err(|over| over.to_string())?;
        check::that(found.len() == 1, || "`clues` allows several assignments".to_owned())?;
        Ok(Certificate::unique("one assignment satisfies every clue"))
    }

    /// Replaces a few clues; easier with one category fewer and some houses given, harder possibly with one
    /// category more.
    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let numbered = !self.clues.iter().all(|clue| matches!(clue, Clue::Pair { .. }));
        rng.shuffle(&mut mutated.clues);
        mutated.clues.truncate(self.clues.len().saturating_sub(1 + rng.index(3)));
        match aim {
            Aim::Easier => {
                mutated.categories = (self.categories - 1).max(2);
                mutated.homes.truncate(mutated.things());
                let mut told = permutation::random(mutated.things(), rng);
                told.truncate(1 + rng.index(mutated.things()));
                let told = told.into_iter().map(|thing| Clue::At { thing, house: self.homes[thing] });
                let others = mutated.clues.iter().copied().filter(|clue| {
                    !matches!(clue, Clue::At { .. }) && clue.fits(mutated.houses, mutated.categories)
                });
                mutated.clues = told.chain(others).collect();
            }
            Aim::Harder if self.categories < CATEGORIES.len() && rng.chance(1, 2) => {
                mutated.categories += 1;
                let row = permutation::random(self.houses, rng).into_iter();
                mutated.homes.extend(row.map(|house| house as u8 + 1));
            }
            _ => {}
        }
        let ways = mutated.add_clues(numbered, rng, budget).ok()?;
        if aim != Aim::Easier {
            mutated.spare_clues(ways, rng, budget).ok()?;
        }
        Some(if mutated.check().is_ok() { mutated } else { self.clone() })
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        Houses { words: self.words(), houses: self.houses }
    }

    fn solution(&self) -> Solution {
        let words = self.words();
        let step = |step: &Step| format!("{}: {}", claim(&words[step.variable], step.value), self.why(step));
        let houses: Vec<usize> = self.homes.iter().map(|house| usize::from(*house) - 1).collect();
        Solution::new(self.path().steps.iter().map(step), self.form().write(&houses))
    }

    fn hints(&self) -> Vec<String> {
        let words = self.words();
        let hint = |step: &Step| {
            let word = &words[step.variable];
            match step.why {
                Why::OnlyPlace(_) => {
                    format!("Look at house {}: only one item of some category is left for it.", step.value)
                }
                Why::OnlyValue(rule) => match rule.checked_sub(self.categories) {
                    Some(clue) => format!("Look at clue {} and what it leaves for {word}.", clue + 1),
                    None => format!("Look at {word}: its category has taken all houses but one."),
                },
                Why::Tried(_) => format!("Look at {word}: try the houses that are left for it."),
            }
        };
        self.path().steps.iter().map(hint).collect()
    }

    /// No partial credit: most clues are easy to satisfy.
    fn verify(&self, houses: Vec<usize>, _: &mut Budget) -> Judged {
        self.judge(&houses.iter().map(|house| *house as u8 + 1).collect::<Vec<u8>>())
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let right: Vec<usize> = self.homes.iter().map(|house| usize::from(*house) - 1).collect();
        let mut exchanged = || {
            let mut wrong = right.clone();
            for category in faults.draw(self.categories, rng) {
                let two = permutation::random(self.houses, rng);
                wrong.swap(category * self.houses + two[0], category * self.houses + two[1]);
            }
            wrong
        };
        let mut misses = vec![exchanged(), exchanged(), exchanged()];
        let mut moved = right.clone();
        for thing in faults.draw(self.things(), rng) {
            moved[thing] = (moved[thing] + 1) % self.houses;
        }
        misses.extend([moved, right.iter().map(|house| self.houses - 1 - house).collect()]);
        misses.retain(|miss| *miss != right);
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let shuffled = (0..self.categories).flat_map(|_| permutation::random(self.houses, rng)).collect();
        vec![
            ("any arrangement", shuffled),
            ("in the order they are named", (0..self.things()).map(|thing| thing % self.houses).collect()),
            ("what clues say outright, and any for the rest", self.guessed(rng)),
        ]
    }

    /// Exchanges categories, renames the items of each, possibly mirrors the row, and reorders the clues.
    fn twin(&self, rng: &mut Rng) -> Self {
        let categories = permutation::random(self.categories, rng);
        let items = |category: &usize| {
            let first = category * self.houses;
            permutation::random(self.houses, rng).into_iter().map(move |at| first + at)
        };
        let numbers: Vec<usize> = categories.iter().flat_map(items).collect();
        let behind = rng.chance(1, 2).then_some(self.houses);
        let moved = |clue: &Clue| clue.moved(|thing| numbers[thing], behind);
        let mut clues: Vec<Clue> = self.clues.iter().map(moved).collect();
        rng.shuffle(&mut clues);
        let mut homes = self.homes.clone();
        for (thing, house) in self.homes.iter().enumerate() {
            homes[numbers[thing]] = behind.map_or(*house, |houses| houses as u8 + 1 - house);
        }
        Self { clues, homes, ..*self }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let hashed = |behind: Option<usize>| {
            let tie = |clue: &Clue| {
                let clue = clue.moved(|thing| thing, behind);
                let (kind, directed) = match clue {
                    Clue::At { house, .. } => (u64::from(house), 0),
                    Clue::NotAt { house, .. } => (10 + u64::from(house), 0),
                    Clue::Pair { relation, .. } => (20 + relation as u64, u64::from(relation.is_directed())),
                };
                Tie { kind, members: (0..).map(|at| at * directed).zip(clue.things()).collect() }
            };
            let kinds = (0..self.categories).map(|category| Tie {
                kind: 30,
                members: (0..self.houses).map(|at| (0, category * self.houses + at)).collect(),
            });
            invariant(self.things(), &self.clues.iter().map(tie).chain(kinds).collect::<Vec<_>>())
        };
        let both = [hashed(None), hashed(Some(self.houses))];
        [both[0].min(both[1]), both[0].max(both[1])].map(u64::to_be_bytes).concat()
    }

    /// Rules that have an effect, and the cost of trials.
    fn effort(&self) -> Effort {
        Effort::new(self.path().cost, 120)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        let csp = self.csp(None);
        let given = csp.domains();
        let words = self.words();
        let claims = words.iter().enumerate().flat_map(|(thing, word)| {
            (1..=self.houses as u8).map(move |house| (thing, house, claim(word, house)))
        });
        let reasons = Reasons::new(csp, given, &self.homes, |step| self.why(step));
        Some(Box::new(Claims::new(claims, &self.homes, reasons)))
    }
}

fn claim(word: &str, house: u8) -> String {
    format!("{word} is in house {house}")
}

/// A house for every word.
struct Houses {
    words: Vec<String>,
    houses: usize,
}

impl Houses {
    fn assignment(&self) -> form::Assignment<'_> {
        form::Assignment { noun: "item", names: &self.words, values: &HOUSES[..self.houses] }
    }
}

impl Form for Houses {
    type Read = Vec<usize>;

    fn asks(&self) -> String {
        self.assignment().asks()
    }

    fn read(&self, text: &str) -> Result<Vec<usize>, Failure> {
        self.assignment().read(text)
    }

    fn write(&self, answer: &Vec<usize>) -> String {
        self.assignment().write(answer)
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        self.assignment().mangled(right)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::task::prelude::Budget;

    /// Ada, Ben, Cleo; red, blue, green.
    fn street(clues: &str) -> Street {
        let clues = serde_json::from_str(clues).unwrap();
        let street = Street { houses: 3, categories: 2, clues, homes: vec![1, 2, 3, 1, 3, 2] };
        street.check().unwrap();
        street
    }

    const CLUES: &str = r#"[{"kind":"pair","relation":"left_of","one":0,"other":1},
        {"kind":"pair","relation":"same","one":2,"other":4},{"kind":"pair","relation":"before","one":3,"other":5},
        {"kind":"not_at","thing":4,"house":1}]"#;

    #[test]
    fn a_verdict_names_the_clue() {
        let it = street(CLUES);
        assert!(it.certify(&mut Budget::new(100_000)).unwrap().unique);
        assert_eq!(it.solution().answer, "Ada: 1, Ben: 2, Cleo: 3, red: 1, blue: 3, green: 2");
        let judge = |text: &str| kit::testing::verdict(&it, text).detail;
        for (text, detail) in [
            ("green: 2, blue: 3, red: 1, Cleo: 3, Ben: 2, Ada: 1", ""),
            (
                "Ada: 1, Ben: 2, Cleo: 3, red: 1, blue: 2, green: 3",
                "clue 2 does not hold: Cleo is the person with the blue door.",
            ),
            ("Ada: 1, Ben: 1, Cleo: 3, red: 1, blue: 3, green: 2", "Ada and Ben are both in house 1"),
        ] {
            assert_eq!(judge(text), detail);
        }
    }

    #[test]
    fn clues_that_leave_a_choice_are_refused() {
        let mut it = street(CLUES);
        it.clues.pop();
        let refused = it.certify(&mut Budget::new(100_000)).unwrap_err();
        assert_eq!(refused, "`clues` allows several assignments");
        it.homes.swap(0, 1);
        assert!(
            it.check().unwrap_err().starts_with("`homes` fails: clue 1 does not hold: Ada lives directly")
        );
    }

    #[test]
    fn no_clue_can_be_spared() {
        let mut rng = kit::rng::Key::new("zebra", 1, "", 0, "").stream(0);
        for _ in 0..10 {
            let params = ZebraPuzzleParams::default();
            let street = ZebraPuzzle.generate(&params, &mut rng, &mut Budget::unlimited()).unwrap();
            for at in 0..street.clues.len() {
                let mut fewer = street.clone();
                fewer.clues.remove(at);
                assert!(fewer.certify(&mut Budget::unlimited()).is_err());
            }
        }
    }
}
