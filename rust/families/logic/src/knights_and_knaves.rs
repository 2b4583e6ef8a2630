//! Knights make only true statements and knaves only false ones: find out who is who.

mod deduction;
mod drawing;
mod statement;
mod symmetry;
mod wording;
mod worlds;

use kit::task::prelude::*;

use deduction::Deduction;
use drawing::Heard;
use statement::Statement;
use wording::{Voice, is_word, kind};
use worlds::{Knights, MOST_PEOPLE, Worlds, is_knight};

pub struct KnightsAndKnaves;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Claims {
    Plain,
    Joined,
    Counted,
}

params! {
    pub struct IslandParams {
        /// Islanders, each of whom speaks.
        people: u32 [2..=10],
        /// Statements that each islander makes.
        statements: u32 [1..=3, structure],
        /// Forms of statements. `plain`: the kind of one person or of two, or that two people are of the same kind or of
        /// different kinds. `joined` adds "at least one of two" and "if, then". `counted` adds how many of several people
        /// are of a kind.
        claims: Claims,
        /// True if a single statement may give away somebody's kind, as "I am a knave or Ben is a knight"
        /// does.
        giveaways: bool,
        /// Maximum depth of reports. At 2, Ada may say that Ben would say that Cleo would say something.
        nesting: u32 [0..=3],
    }
    levels {
        (3, 2, Claims::Plain, true, 0),
        (4, 2, Claims::Joined, true, 0),
        (4, 1, Claims::Plain, true, 0),
        (5, 1, Claims::Joined, true, 0),
        (5, 1, Claims::Joined, false, 0),
        (5, 1, Claims::Counted, false, 0),
        (6, 1, Claims::Counted, false, 0),
        (7, 1, Claims::Counted, false, 1),
        (8, 1, Claims::Counted, false, 2),
        (10, 1, Claims::Counted, false, 3),
    }
    default 4
    check Self::consistent;
}

impl IslandParams {
    fn consistent(&self) -> Result<(), String> {
        if self.people < 1 + self.statements {
            return Err("`people` must be more than `statements`".into());
        }
        if self.people < 3 && self.claims == Claims::Counted {
            return Err("`claims` of `counted` requires `people` of 3 or more".into());
        }
        if self.people < 3 && !self.giveaways {
            return Err("`giveaways` must be true when `people` is 2".into());
        }
        Ok(())
    }
}

/// The islanders and their statements.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Island {
    names: Vec<String>,
    statements: Vec<Statement>,
}

const MOST_STATEMENTS: usize = 3 * MOST_PEOPLE;
const LONGEST_NAME: usize = 16;

impl TaskFamily for KnightsAndKnaves {
    type Params = IslandParams;
    type Problem = Island;

    const ABOUT: About = About {
        summary: "Find out who tells the truth and who lies from what everybody says.",
        distinct_from: 3,
        judged_by: JudgedBy::Constraints,
        failures: form::Assignment::FAILURES,
        parts: &[
            Part::new("kinds_right", "share of the islanders whose kind is right"),
            Part::new(
                "statements_fit",
                "share of the statements that are true if made by a knight and false if made by a knave",
            ),
        ],
        skills: &["case_analysis", "negation", "proof_by_contradiction", "counting"],
        guess_rate: 0.19,
        guess_score: 0.245,
        ..About::new("logic", "knights_and_knaves", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Island> {
        loop {
            let statements = params.draw(rng, budget)?;
            let island = Island { names: drawing::names(params.people as usize, rng), statements };
            // Several statements by few people call most of them what they are.
            let is_told = params.people == 3
                && params.statements > 1
                && island.solutions().first() == Some(island.as_called());
            if !is_told {
                return Ok(island);
            }
        }
    }
}

impl Island {
    fn everybody(&self) -> Knights {
        (1 << self.names.len()) - 1
    }

    /// The worlds that fit every statement.
    fn solutions(&self) -> Worlds {
        let everywhere = Worlds::of(self.names.len());
        let fitting = self.statements.iter().map(Statement::fitting_worlds);
        fitting.fold(everywhere, |all, fits| all & fits)
    }

    /// Proves that one world fits, and that no statement is empty or follows from another.
    fn prove_unique(&self) -> Result<(), Uncertified> {
        let people = self.names.len() as u8;
        let heard: Vec<Heard> =
            self.statements.iter().map(|statement| Heard::new(statement.clone(), people)).collect();
        for (i, new) in heard.iter().enumerate() {
            check::that(!new.is_empty(), || {
                format!("`statements[{i}]` would say nothing if it were made by one of the kinds")
            })?;
            if let Some(j) = heard[..i].iter().position(|other| new.repeats(other)) {
                return Err(format!(
                    "`statements[{i}]` repeats `statements[{j}]`, or one of them follows from the other"
                ));
            }
        }
        match self.solutions().count() {
            1 => Ok(()),
            fits => Err(format!("`statements` fit {fits} ways to choose the kinds, but must fit one")),
        }
    }

    /// Share of the people whose kind is right, by the nearest solution if there are several.
    fn kinds_right(&self, knights: Knights) -> f32 {
        let wrong = self.solutions().iter().map(|solution| (solution ^ knights).count_ones()).min();
        wrong.map_or(0.0, |wrong| 1.0 - wrong as f32 / self.names.len() as f32)
    }

    /// For each person, the index of their kind in [`KINDS`].
    fn kinds(&self, knights: Knights) -> Vec<usize> {
        (0..self.names.len() as u8).map(|person| usize::from(!is_knight(knights, person))).collect()
    }

    /// Everybody is what the statements call them most often, and a knight in a tie.
    fn as_called(&self) -> Knights {
        let mut calls = [0i32; MOST_PEOPLE];
        for fact in self.statements.iter().flat_map(|statement| statement.claim.facts()) {
            calls[usize::from(fact.person)] += if fact.knight { 1 } else { -1 };
        }
        (0..self.names.len()).fold(0, |knights, person| knights | Knights::from(calls[person] >= 0) << person)
    }

    fn voice(&self) -> Voice<'_> {
        Voice { names: &self.names, me: None }
    }
}

const KINDS: [&str; 2] = ["knight", "knave"];

impl Problem for Island {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = wording::TEMPLATES;

    fn check(&self) -> Result<(), String> {
        check::length("names", &self.names, 2..=MOST_PEOPLE, "names")?;
        for (i, name) in self.names.iter().enumerate() {
            let letters =
                (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphabetic());
            let shown = || format!("`names[{i}]` is `{}`", quoted(name));
            check::that(letters, || format!("{}, but must be 1 to {LONGEST_NAME} letters", shown()))?;
            check::that(!is_word(name), || {
                format!("{}, but must be a name that is not a word of the prompt", shown())
            })?;
        }
        let lower: Vec<String> = self.names.iter().map(|name| name.to_ascii_lowercase()).collect();
        check::distinct("names", &lower)?;
        check::length("statements", &self.statements, 1..=MOST_STATEMENTS, "statements")?;
        for (i, statement) in self.statements.iter().enumerate() {
            let checked = statement.check(self.names.len());
            checked.map_err(|fault| format!("`statements[{i}]` {fault}"))?;
        }
        Ok(())
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let pairs = self.statements.len().pow(2) as u64;
        budget.spend(pairs).map_err(|over| over.to_string())?;
        self.prove_unique()?;
        let ways = 1 << self.names.len();
        Ok(Certificate::unique(format!("of {ways} ways to choose the kinds, one fits every statement")))
    }

    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let knights = self.solutions().first()?;
        loop {
            budget.spend(10_000).ok()?;
            let mut mutated = self.clone();
            match aim {
                Aim::Harder => mutated.harder(knights, rng),
                Aim::Easier => mutated.easier(knights, rng),
                Aim::Same => {
                    let at = rng.index(self.statements.len());
                    let Statement { claim, through, .. } = &self.statements[at];
                    mutated.redraw(at, claim.shape(), through.len(), knights, rng);
                }
            }
            if mutated.prove_unique().is_ok() {
                return Some(mutated);
            }
        }
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        form::Assignment { noun: "islander", names: &self.names, values: &KINDS }
    }

    fn solution(&self) -> Solution {
        let kinds = self.kinds(self.solutions().first().unwrap_or_default());
        Solution::new(Deduction::of(self).steps(), self.form().write(&kinds))
    }

    fn hints(&self) -> Vec<String> {
        Deduction::of(self).hints()
    }

    fn verify(&self, kinds: Vec<usize>, _: &mut Budget) -> Judged {
        let knights =
            (0..).zip(&kinds).fold(0, |all, (person, kind)| all | Knights::from(*kind == 0) << person);
        let mut broken = self.statements.iter().filter(|statement| !statement.fits(knights));
        let Some(first) = broken.next() else {
            return Ok(());
        };
        let broken = 1 + broken.count();
        let (knight, said) = (is_knight(knights, first.speaker), self.voice().statement(first));
        let (speaker, kind) = (&self.names[usize::from(first.speaker)], kind(knight));
        let detail = format!(
            "{speaker} is listed as a {kind}, but says something that would be {}: that {said}",
            !knight
        );
        let right = self.kinds_right(knights);
        let fit = 1.0 - broken as f32 / self.statements.len() as f32;
        // A coin flip per person gets half of the kinds right, and seldom more than two thirds.
        let failure = Failure::new(label::CONSTRAINT_VIOLATED, detail).score(3.0 * right - 2.0);
        let failure = if broken == 1 { failure.also(label::MISSED_NEGATION) } else { failure };
        Err(failure.part("kinds_right", right).part("statements_fit", fit))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let solutions = self.solutions();
        let knights = solutions.first().unwrap_or_default();
        let mut people: Vec<u8> = (0..self.names.len() as u8).collect();
        let mistaken = (0..3).map(|_| {
            rng.shuffle(&mut people);
            people[..faults.of(people.len())].iter().fold(knights, |knights, person| knights ^ 1 << person)
        });
        let wrong = mistaken.filter(|mistaken| solutions.iter().all(|solution| solution != *mistaken));
        wrong.map(|mistaken| self.kinds(mistaken)).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let coins = rng.word() as Knights & self.everybody();
        let policies = [
            ("a coin for everybody", coins),
            ("knights alone", self.everybody()),
            ("knaves alone", 0),
            ("as people are called", self.as_called()),
        ];
        policies.map(|(policy, knights)| (policy, self.kinds(knights))).to_vec()
    }

    fn twin(&self, rng: &mut Rng) -> Self {
        self.renamed(rng)
    }

    fn effort(&self) -> Effort {
        Effort::new(Deduction::of(self).effort().into(), 60)
    }

    fn fingerprint(&self) -> Vec<u8> {
        self.invariant().to_be_bytes().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::rng::Key;
    use kit::testing::verdict as judge;

    fn island(names: &[&str], statements: &str) -> Island {
        let island = Island {
            names: names.iter().map(ToString::to_string).collect(),
            statements: serde_json::from_str(statements).unwrap(),
        };
        island.check().unwrap();
        island
    }

    fn draws(level: u8, count: u64) -> impl Iterator<Item = Island> {
        let key = Key::new("islands", 1, "", 0, "");
        let params = &IslandParams::LEVELS[usize::from(level)];
        (0..count).map(move |i| {
            let budget = &mut Budget::new(1_000_000);
            let made = KnightsAndKnaves.generate(params, &mut key.stream(i), budget);
            made.unwrap()
        })
    }

    /// Raymond Smullyan, What Is the Name of This Book?, problems 27 to 29 (our wording).
    #[test]
    fn published_puzzles_have_their_published_answers() {
        let knave = r#"{"person":0,"knight":false},"#;
        for (said, answer) in [
            (format!(r#"{{"both":[{knave}{{"person":1,"knight":false}}]}}"#), "Al: knave, Bo: knight"),
            (format!(r#"{{"either":[{knave}{{"person":1,"knight":false}}]}}"#), "Al: knight, Bo: knave"),
            (format!(r#"{{"either":[{knave}{{"person":1,"knight":true}}]}}"#), "Al: knight, Bo: knight"),
        ] {
            let island = island(&["Al", "Bo"], &format!(r#"[{{"speaker":0,"claim":{said}}}]"#));
            island.certify(&mut Budget::new(100)).unwrap();
            assert_eq!(island.solution().answer, answer);
            assert!(judge(&island, answer).passed);
        }
    }

    #[test]
    fn the_answer_is_the_one_choice_of_kinds_that_fits() {
        for island in (2..10).flat_map(|level| draws(level, 40)) {
            let fits = |knights: &Knights| island.statements.iter().all(|said| said.fits(*knights));
            let fitting: Vec<Knights> = (0..=island.everybody()).filter(fits).collect();
            assert_eq!(fitting.len(), 1);
            assert_eq!(island.solution().answer, island.form().write(&island.kinds(fitting[0])));
            // No statement is redundant.
            for spared in 0..island.statements.len() {
                let mut less = island.clone();
                less.statements.remove(spared);
                assert!(less.solutions().count() > 1);
            }
        }
    }

    #[test]
    fn a_wrong_answer_is_told_who_could_not_have_spoken() {
        let same = r#"[{"speaker":0,"through":[2],"claim":{"same":[1,2]}}]"#;
        let island = island(&["Ada", "Ben", "Cleo"], same);
        let verdict = judge(&island, "Ada: knight, Ben: knave, Cleo: knight");
        assert_eq!(
            verdict.detail,
            "Ada is listed as a knight, but says something that would be false: that Cleo would say that Ben and Cleo are of the same kind"
        );
        assert_eq!(verdict.failures, [label::CONSTRAINT_VIOLATED, label::MISSED_NEGATION]);
    }

    #[test]
    fn a_score_falls_with_everybody_who_is_wrong() {
        let island = draws(6, 1).next().unwrap();
        let right = island.solutions().first().unwrap();
        let judged = |knights| judge(&island, &island.form().write(&island.kinds(knights)));
        for knights in (0..=island.everybody()).filter(|knights| *knights != right) {
            let wrong = (knights ^ right).count_ones();
            let verdict = judged(knights);
            let expected = [1.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0][wrong as usize];
            assert!((verdict.score - expected).abs() < 1e-6, "{wrong} wrong: {verdict:?}");
            assert_eq!(verdict.parts[0], ("kinds_right", 1.0 - wrong as f32 / 6.0));
        }
    }

    #[test]
    fn islands_that_fit_no_world_or_several_are_judged() {
        let liar = r#"[{"speaker":0,"claim":{"is":{"person":0,"knight":false}}}]"#;
        let nobody = island(&["Ada", "Ben"], liar);
        assert!(judge(&nobody, "Ada: knight, Ben: knave").score.abs() < 1e-6);
        let same = r#"[{"speaker":0,"claim":{"same":[1,2]}}]"#;
        let several = island(&["Ada", "Ben", "Cleo", "Dev"], same);
        assert!(judge(&several, "Ada: knight, Ben: knave, Cleo: knave, Dev: knave").passed);
        // One more right kind would make it correct.
        let near = judge(&several, "Ada: knave, Ben: knave, Cleo: knave, Dev: knave");
        assert!((near.score - 0.25).abs() < 1e-6, "{near:?}");
    }
}
