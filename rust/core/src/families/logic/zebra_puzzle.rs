//! People in a row of houses: find out from clues who lives where, and with what.

use crate::shared::csp::{AllDifferent, Csp, SolvePath, Table, Why, range, values};
use crate::shared::refinement::{Relation, invariant};
use crate::task::permutation;
use crate::task::prelude::*;

pub struct ZebraPuzzle;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ZebraPuzzleParams {
    /// Houses in a row.
    #[schemars(range(min = 3, max = 6), extend("role" = "difficulty"))]
    houses: u32,
    /// What is told apart: people and, the more there are, colours, pets, drinks, instruments and fruit.
    #[schemars(range(min = 2, max = 6), extend("role" = "difficulty"))]
    categories: u32,
    /// Whether a clue may name a house.
    #[schemars(extend("role" = "difficulty"))]
    numbered: bool,
}

const fn sized(houses: u32, categories: u32, numbered: bool) -> ZebraPuzzleParams {
    ZebraPuzzleParams { houses, categories, numbered }
}

impl Default for ZebraPuzzleParams {
    fn default() -> Self {
        sized(4, 3, false)
    }
}

impl Params for ZebraPuzzleParams {}

/// A true statement about where things are. Things are numbered category by category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum Clue {
    At {
        thing: usize,
        house: u8,
    },
    NotAt {
        thing: usize,
        house: u8,
    },
    Same {
        one: usize,
        other: usize,
    },
    Apart {
        one: usize,
        other: usize,
    },
    NextTo {
        one: usize,
        other: usize,
    },
    /// The one directly to the left of the other.
    Left {
        one: usize,
        other: usize,
    },
    /// The one somewhere to the left of the other.
    Before {
        one: usize,
        other: usize,
    },
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Street {
    houses: usize,
    categories: usize,
    clues: Vec<Clue>,
}

/// The words of each category, and how somebody is described by one.
const CATEGORIES: [(&str, [&str; 6]); 6] = [
    ("", ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn"]),
    ("the person with the * door", ["red", "blue", "green", "white", "yellow", "black"]),
    ("the person who keeps the *", ["cat", "dog", "fish", "parrot", "rabbit", "snake"]),
    ("the person who drinks *", ["tea", "coffee", "milk", "juice", "water", "cocoa"]),
    ("the person who plays the *", ["piano", "violin", "flute", "drum", "harp", "guitar"]),
    ("the person who likes *s", ["apple", "plum", "pear", "lemon", "melon", "grape"]),
];
const NAMES: [&str; 5] = ["people", "colours of doors", "pets", "drinks", "instruments"];
const HOUSES: [&str; 6] = ["1", "2", "3", "4", "5", "6"];
/// Steps of a search for a solution of a problem that anyone may have written.
const SEARCH: u64 = 3_000_000;

impl Clue {
    fn draw(street: &Street, numbered: bool, rng: &mut Rng) -> Self {
        let things = street.houses * street.categories;
        let (one, other) = (rng.index(things), rng.index(things));
        let house = 1 + rng.index(street.houses) as u8;
        let weights = if numbered { [2, 2, 4, 2, 3, 3, 2] } else { [0, 0, 4, 2, 3, 3, 2] };
        match rng.weighted(&weights) {
            0 => Self::At { thing: one, house },
            1 => Self::NotAt { thing: one, house },
            2 => Self::Same { one: one.min(other), other: one.max(other) },
            3 => Self::Apart { one: one.min(other), other: one.max(other) },
            4 => Self::NextTo { one: one.min(other), other: one.max(other) },
            5 => Self::Left { one, other },
            _ => Self::Before { one, other },
        }
    }

    fn things(self) -> Vec<usize> {
        match self {
            Self::At { thing, .. } | Self::NotAt { thing, .. } => vec![thing],
            Self::Same { one, other }
            | Self::Apart { one, other }
            | Self::NextTo { one, other }
            | Self::Left { one, other }
            | Self::Before { one, other } => vec![one, other],
        }
    }

    /// Whether it holds of the houses of its things.
    fn holds(self, at: &[u8]) -> bool {
        match self {
            Self::At { house, .. } => at[0] == house,
            Self::NotAt { house, .. } => at[0] != house,
            Self::Same { .. } => at[0] == at[1],
            Self::Apart { .. } => at[0] != at[1],
            Self::NextTo { .. } => at[0].abs_diff(at[1]) == 1,
            Self::Left { .. } => at[0] + 1 == at[1],
            Self::Before { .. } => at[0] < at[1],
        }
    }

    /// The same of things that are renumbered, and of a row that is perhaps seen from behind.
    fn moved(self, number: impl Fn(usize) -> usize, mirrored: Option<u8>) -> Self {
        let behind = |house: u8| mirrored.map_or(house, |houses| houses + 1 - house);
        let pair = |one, other| {
            let (one, other) = (number(one), number(other));
            if mirrored.is_some() { (other, one) } else { (one, other) }
        };
        let sorted = |one, other| (number(one).min(number(other)), number(one).max(number(other)));
        match self {
            Self::At { thing, house } => Self::At { thing: number(thing), house: behind(house) },
            Self::NotAt { thing, house } => Self::NotAt { thing: number(thing), house: behind(house) },
            Self::Same { one, other } => {
                let (one, other) = sorted(one, other);
                Self::Same { one, other }
            }
            Self::Apart { one, other } => {
                let (one, other) = sorted(one, other);
                Self::Apart { one, other }
            }
            Self::NextTo { one, other } => {
                let (one, other) = sorted(one, other);
                Self::NextTo { one, other }
            }
            Self::Left { one, other } => {
                let (one, other) = pair(one, other);
                Self::Left { one, other }
            }
            Self::Before { one, other } => {
                let (one, other) = pair(one, other);
                Self::Before { one, other }
            }
        }
    }
}

impl TaskFamily for ZebraPuzzle {
    type Params = ZebraPuzzleParams;
    type Problem = Street;
    type Prepared = ();

    const ABOUT: About = About {
        summary: "Find out from clues who lives in which house of a row, and with what.",
        distinct_from: 1,
        judged_by: JudgedBy::Constraints,
        failures: &[
            form::Assignment::FAILURES[0],
            form::Assignment::FAILURES[1],
            form::Assignment::FAILURES[2],
            ("shared_house", "two things of one kind are in one house"),
            ("clue_broken", "a clue does not hold"),
        ],
        parts: &[Part::new("clues_kept", "share of the clues that hold")],
        skills: &["elimination", "spatial_order", "case_analysis"],
        guess_rate: 0.0065,
        guess_score: 0.0065,
        ..About::new("logic", "zebra_puzzle", &["First version."])
    };

    const LEVELS: &'static [ZebraPuzzleParams] = &[
        sized(3, 3, true),
        sized(4, 3, true),
        sized(4, 4, true),
        sized(5, 4, true),
        sized(5, 5, true),
        sized(5, 5, false),
        sized(6, 5, false),
        sized(6, 6, false),
    ];

    /// True clues are added until one way is left, and then all that can be spared are taken away.
    fn generate(&self, params: &Self::Params, (): &(), rng: &mut Rng, budget: &mut Budget) -> Drawn<Street> {
        let (houses, categories) = (params.houses as usize, params.categories as usize);
        loop {
            let row = |_| permutation::random(houses, rng).into_iter().map(|house| house as u8 + 1);
            let right: Vec<u8> = (0..categories).flat_map(row).collect();
            let mut street = Street { houses, categories, clues: Vec::new() };
            street.add_clues(&right, params.numbered, rng, budget)?;
            street.spare_clues(rng, budget)?;
            if street.check().is_ok() {
                return Ok(street);
            }
        }
    }

    fn certify(&self, street: &Street, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let csp = street.csp();
        let found = csp.solutions(&csp.domains(), 2, budget).map_err(|over| over.to_string())?;
        match found.as_slice() {
            [at] if street.broken(at).is_none() => {
                Ok(Certificate::unique("one way to fill the houses keeps every clue"))
            }
            [] => Err("`clues` contradict each other".to_owned()),
            _ => Err("`clues` leave several ways to fill the houses".to_owned()),
        }
    }
}

impl Street {
    fn things(&self) -> usize {
        self.houses * self.categories
    }

    fn words(&self) -> Vec<String> {
        let of = |category: usize| CATEGORIES[category].1[..self.houses].iter();
        (0..self.categories).flat_map(of).map(ToString::to_string).collect()
    }

    /// The rule of each category, then those of the clues.
    fn csp(&self) -> Csp {
        let houses = range(1, self.houses as u8);
        let mut csp = Csp::new(self.things(), houses);
        for category in 0..self.categories {
            csp.require(AllDifferent((category * self.houses..(category + 1) * self.houses).collect()));
        }
        for clue in &self.clues {
            csp.require(Table::allowing(clue.things(), houses, |at| clue.holds(at)));
        }
        csp
    }

    fn found(&self) -> Option<Vec<u8>> {
        let csp = self.csp();
        csp.solutions(&csp.domains(), 1, &mut Budget::new(SEARCH)).ok()?.pop()
    }

    fn path(&self) -> SolvePath {
        let csp = self.csp();
        self.found().map_or_else(SolvePath::default, |found| csp.solve_path(&csp.domains(), &found))
    }

    fn holds(clue: Clue, at: &[u8]) -> bool {
        clue.holds(&clue.things().into_iter().map(|thing| at[thing]).collect::<Vec<u8>>())
    }

    fn broken(&self, at: &[u8]) -> Option<usize> {
        self.clues.iter().position(|clue| !Self::holds(*clue, at))
    }

    /// Adds true clues until one way is left.
    fn add_clues(&mut self, right: &[u8], numbered: bool, rng: &mut Rng, budget: &mut Budget) -> Drawn<()> {
        loop {
            let mut added = 0;
            while added < 3 {
                budget.spend(1)?;
                let clue = Clue::draw(self, numbered, rng);
                if self.fits(clue) && Self::holds(clue, right) && !self.clues.contains(&clue) {
                    self.clues.push(clue);
                    added += 1;
                }
            }
            let csp = self.csp();
            if csp.solutions(&csp.domains(), 2, budget)?.len() == 1 {
                return Ok(());
            }
        }
    }

    /// Takes clues away that the others make up for.
    fn spare_clues(&mut self, rng: &mut Rng, budget: &mut Budget) -> Drawn<()> {
        rng.shuffle(&mut self.clues);
        for at in (0..self.clues.len()).rev() {
            let clue = self.clues.remove(at);
            let csp = self.csp();
            if csp.solutions(&csp.domains(), 2, budget)?.len() > 1 {
                self.clues.insert(at, clue);
            }
        }
        Ok(())
    }

    /// The things are there, and it says something of two that are not of one kind where that matters.
    fn fits(&self, clue: Clue) -> bool {
        let things = clue.things();
        let there = things.iter().all(|thing| *thing < self.things()) && things.first() != things.get(1);
        let kinds = |one: usize, other: usize| one / self.houses != other / self.houses;
        there
            && match clue {
                Clue::At { house, .. } | Clue::NotAt { house, .. } => {
                    (1..=self.houses).contains(&house.into())
                }
                Clue::Same { one, other } | Clue::Apart { one, other } => one < other && kinds(one, other),
                Clue::NextTo { one, other } => one < other,
                Clue::Left { .. } | Clue::Before { .. } => true,
            }
    }

    fn sentence(&self, clue: Clue) -> String {
        let who = |thing: usize| {
            let (described, words) = CATEGORIES[thing / self.houses];
            let word = words[thing % self.houses];
            if described.is_empty() { word.to_owned() } else { described.replace('*', word) }
        };
        let said = match clue {
            Clue::At { thing, house } => format!("{} lives in house {house}.", who(thing)),
            Clue::NotAt { thing, house } => format!("{} does not live in house {house}.", who(thing)),
            Clue::Same { one, other } => format!("{} is {}.", who(one), who(other)),
            Clue::Apart { one, other } => format!("{} is not {}.", who(one), who(other)),
            Clue::NextTo { one, other } => format!("{} lives next door to {}.", who(one), who(other)),
            Clue::Left { one, other } => {
                format!("{} lives directly to the left of {}.", who(one), who(other))
            }
            Clue::Before { one, other } => {
                format!("{} lives somewhere to the left of {}.", who(one), who(other))
            }
        };
        let (first, rest) = said.split_at(1);
        format!("{}{rest}", first.to_uppercase())
    }

    fn listed(&self) -> String {
        let line = |(number, clue): (usize, &Clue)| format!("{number}. {}", self.sentence(*clue));
        (1..).zip(&self.clues).map(line).collect::<Vec<_>>().join("\n")
    }

    /// What there is: "the people Ada, Ben and Cleo; the colours of doors red …".
    fn inventory(&self) -> String {
        let words = self.words();
        let of = |(category, words): (usize, &[String])| {
            let (last, rest) = words.split_last().expect("there are houses");
            let what = NAMES.get(category).unwrap_or(&"favourite fruits");
            format!("the {what} {} and {last}", rest.join(", "))
        };
        words.chunks(self.houses).enumerate().map(of).collect::<Vec<_>>().join("; ")
    }
}

impl Problem for Street {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("street", |street| {
            format!(
                "{} houses stand in a row, numbered from 1 on the left to {} on the right. One person lives in each. There are {}; \
                 each of these belongs to exactly one house, and each house has one of every kind.\n\n{}\n\nWhich house does each \
                 of them belong to?",
                street.houses,
                street.houses,
                street.inventory(),
                street.listed()
            )
        }),
        Template::plain("neighbours", |street| {
            format!(
                "In a street with houses 1 to {}, counted from the left, live as many people, one to a house. No two of them share \
                 anything of what follows, and everybody has one of each kind: {}. This is known:\n\n{}\n\nFind the number of the \
                 house for each person and for each thing.",
                street.houses,
                street.inventory(),
                street.listed()
            )
        }),
        Template::held_out_plain("postman", |street| {
            format!(
                "A new postman learns who lives where. His row has the houses 1 to {} from left to right, with one person each. He \
                 has to place {}, one of each kind to a house and none twice. His notes say:\n\n{}\n\nOnly one arrangement agrees \
                 with all of his notes. What is it?",
                street.houses,
                street.inventory(),
                street.listed()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::within("houses", &self.houses, 3..=HOUSES.len())?;
        check::within("categories", &self.categories, 2..=CATEGORIES.len())?;
        check::length("clues", &self.clues, 1..=60, "clues")?;
        for (at, clue) in self.clues.iter().enumerate() {
            check::that(self.fits(*clue), || {
                format!("`clues[{at}]` is about things or houses that do not fit")
            })?;
            check::that(!self.clues[..at].contains(clue), || format!("`clues[{at}]` is there twice"))?;
        }
        Ok(())
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        Houses { words: self.words(), houses: self.houses }
    }

    fn solution(&self) -> Solution {
        let words = self.words();
        let clue = |rule: usize| match rule.checked_sub(self.categories) {
            Some(clue) => format!("clue {}", clue + 1),
            None => "the other houses are taken".to_owned(),
        };
        let step = |step: &crate::shared::csp::Step| {
            let why = match step.why {
                Why::OnlyValue(rule) => clue(rule),
                Why::OnlyPlace(_) => "nothing else is left for this house".to_owned(),
                Why::Tried(others) => {
                    let others: Vec<String> = values(others).map(|house| house.to_string()).collect();
                    format!("house {} would lead to a contradiction", others.join(" or "))
                }
            };
            format!("{}: {} ({why})", words[step.variable], step.value)
        };
        let found = self.found().unwrap_or_else(|| vec![1; self.things()]);
        let houses: Vec<usize> = found.iter().map(|house| usize::from(*house) - 1).collect();
        Solution::new(self.path().steps.iter().map(step), self.form().write(&houses))
    }

    fn verify(&self, houses: Vec<usize>, _: &mut Budget) -> Judged {
        let at: Vec<u8> = houses.iter().map(|house| *house as u8 + 1).collect();
        let kept = self.clues.iter().filter(|clue| Self::holds(**clue, &at)).count();
        let failed = |label, detail: String| {
            let verdict = Verdict::fail(label::CONSTRAINT_VIOLATED, detail).also(label);
            Err(verdict.part("clues_kept", kept as f32 / self.clues.len() as f32))
        };
        let words = self.words();
        for (category, row) in at.chunks(self.houses).enumerate() {
            for (thing, house) in row.iter().enumerate() {
                if let Some(other) = row[..thing].iter().position(|known| known == house) {
                    let [one, other] = [other, thing].map(|thing| &words[category * self.houses + thing]);
                    return failed("shared_house", format!("{one} and {other} are both in house {house}"));
                }
            }
        }
        match self.broken(&at) {
            None => Ok(Verdict::pass()),
            Some(clue) => {
                let said = self.sentence(self.clues[clue]);
                failed("clue_broken", format!("clue {} does not hold: {said}", clue + 1))
            }
        }
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let Some(found) = self.found() else { return Vec::new() };
        let right: Vec<usize> = found.iter().map(|house| usize::from(*house) - 1).collect();
        let mut exchanged = || {
            let mut wrong = right.clone();
            for category in faults.draw(self.categories, rng) {
                let two = permutation::random(self.houses, rng);
                wrong.swap(category * self.houses + two[0], category * self.houses + two[1]);
            }
            wrong
        };
        let mut misses = vec![exchanged(), exchanged(), exchanged()];
        misses.push(right.iter().map(|house| self.houses - 1 - house).collect());
        misses.retain(|miss| *miss != right);
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let shuffled = (0..self.categories).flat_map(|_| permutation::random(self.houses, rng)).collect();
        vec![
            ("any arrangement", shuffled),
            ("in the order they are named", (0..self.things()).map(|thing| thing % self.houses).collect()),
        ]
    }

    /// Things of a kind renamed, the row perhaps seen from behind, the clues in another order.
    fn twin(&self, rng: &mut Rng) -> Self {
        let order =
            |category: usize| permutation::random(self.houses, rng).into_iter().map(move |at| (category, at));
        let numbers: Vec<usize> =
            (0..self.categories).flat_map(order).map(|(category, at)| category * self.houses + at).collect();
        let mirrored = rng.chance(1, 2).then_some(self.houses as u8);
        let mut clues: Vec<Clue> =
            self.clues.iter().map(|clue| clue.moved(|thing| numbers[thing], mirrored)).collect();
        rng.shuffle(&mut clues);
        Self { clues, ..*self }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let hashed = |mirrored: Option<u8>| {
            let clue = |clue: &Clue| {
                let (kind, directed) = match clue {
                    Clue::At { house, .. } => (u64::from(*house), 0),
                    Clue::NotAt { house, .. } => (10 + u64::from(*house), 0),
                    Clue::Same { .. } => (20, 0),
                    Clue::Apart { .. } => (21, 0),
                    Clue::NextTo { .. } => (22, 0),
                    Clue::Left { .. } => (23, 1),
                    Clue::Before { .. } => (24, 1),
                };
                Relation { kind, members: (0..).map(|at| at * directed).zip(clue.things()).collect() }
            };
            let clues = self.clues.iter().map(|known| clue(&known.moved(|thing| thing, mirrored)));
            // What a thing is called in the prompt depends on its category.
            let kinds = (0..self.categories).map(|category| Relation {
                kind: 30 + category as u64,
                members: (0..self.houses).map(|at| (0, category * self.houses + at)).collect(),
            });
            invariant(self.things(), &clues.chain(kinds).collect::<Vec<_>>())
        };
        let both = [hashed(None), hashed(Some(self.houses as u8))];
        [both[0].min(both[1]), both[0].max(both[1])].map(u64::to_be_bytes).concat()
    }

    fn effort(&self) -> Effort {
        Effort::new(self.path().cost, 120)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(Box::new(Placings {
            words: self.words(),
            found: self.found().unwrap_or_default(),
            known: Vec::new(),
        }))
    }
}

/// A house for every word.
struct Houses {
    words: Vec<String>,
    houses: usize,
}

impl Houses {
    fn assignment(&self) -> form::Assignment<'_> {
        form::Assignment { noun: "name and word", names: &self.words, values: &HOUSES[..self.houses] }
    }
}

impl Form for Houses {
    type Read = Vec<usize>;

    fn asks(&self) -> String {
        self.assignment().asks()
    }

    fn read(&self, text: &str) -> Result<Vec<usize>, Verdict> {
        self.assignment().read(text)
    }

    fn write(&self, answer: &Vec<usize>) -> String {
        self.assignment().write(answer)
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        self.assignment().mangled(right)
    }
}

/// Judges steps that begin like `cat: 2`; what follows in parentheses is free.
struct Placings {
    words: Vec<String>,
    found: Vec<u8>,
    known: Vec<usize>,
}

impl StepJudge for Placings {
    fn judge(&mut self, step: &str, _: &mut Budget) -> Result<StepVerdict, String> {
        let refuse = || format!("`{}` does not begin like `{}: 2`", quoted(step), self.words[0]);
        let (word, rest) = step.split_once(':').ok_or_else(refuse)?;
        let house = rest.split('(').next().unwrap_or_default().trim();
        let house = HOUSES.iter().position(|known| *known == house).ok_or_else(refuse)?;
        let thing = self.words.iter().position(|known| known == word.trim()).ok_or_else(refuse)?;
        if self.found.get(thing).is_none_or(|right| usize::from(*right) != house + 1) {
            return Ok(StepVerdict::wrong(format!("{} is not in house {}", self.words[thing], house + 1)));
        }
        if self.known.contains(&thing) {
            return Ok(StepVerdict::idle(format!("where {} is has been said", self.words[thing])));
        }
        self.known.push(thing);
        Ok(StepVerdict::advances())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ada, Ben, Cleo; red, blue, green.
    fn street(clues: &str) -> Street {
        let street = Street { houses: 3, categories: 2, clues: serde_json::from_str(clues).unwrap() };
        street.check().unwrap();
        street
    }

    #[test]
    fn a_verdict_names_the_clue() {
        let it = street(
            r#"[{"kind":"left","one":0,"other":1},{"kind":"same","one":2,"other":4},{"kind":"before","one":3,"other":0},
                {"kind":"apart","one":1,"other":3}]"#,
        );
        assert!(ZebraPuzzle.certify(&it, &mut Budget::new(100_000)).is_err());
        let it = street(
            r#"[{"kind":"left","one":0,"other":1},{"kind":"same","one":2,"other":4},{"kind":"before","one":3,"other":5},
                {"kind":"not_at","thing":4,"house":1}]"#,
        );
        assert!(ZebraPuzzle.certify(&it, &mut Budget::new(100_000)).unwrap().unique);
        assert_eq!(it.solution().answer, "Ada: 1, Ben: 2, Cleo: 3, red: 1, blue: 3, green: 2");
        let judge = |text: &str| {
            let read = it.form().read(text);
            read.and_then(|answer| it.verify(answer, &mut Budget::new(1)))
                .unwrap_or_else(|verdict| verdict)
                .detail
        };
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
}
