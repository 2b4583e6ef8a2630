//! Say which of several answers to another family's problem are right.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::of::{Of, check_answer, exchanged, wording};
use kit::error::Error;
use kit::task::erased::Instance;
use kit::task::family::PreparedFamily;
use kit::task::prelude::*;

pub struct JudgeSolution;

params! {
    pub struct JudgeSolutionParams {
        /// Family whose answers are judged: one that can draw several right answers to a problem.
        inner: Cow<'static, str> [structure],
        /// Level of that family.
        inner_level: u32 [0..=50],
        /// Swaps of two nearby words made in each answer, right ones included.
        exchanges: u32 [1..=10, structure],
        /// Answers to be judged, 3 to 5.
        answers: u32 [difficulty, if_set],
    }
    levels {
        (Cow::Borrowed("topological_order"), 0, 2, 4),
        (Cow::Borrowed("topological_order"), 1, 2, 5),
        (Cow::Borrowed("topological_order"), 2, 2, 5),
        (Cow::Borrowed("topological_order"), 3, 2, 5),
        (Cow::Borrowed("topological_order"), 4, 2, 5),
        (Cow::Borrowed("topological_order"), 5, 2, 5),
        (Cow::Borrowed("topological_order"), 6, 2, 5),
        (Cow::Borrowed("topological_order"), 7, 2, 5),
        (Cow::Borrowed("topological_order"), 8, 2, 5),
        (Cow::Borrowed("topological_order"), 9, 2, 5),
    }
    default 2
    check Self::few;
}

impl JudgeSolutionParams {
    fn few(&self) -> Result<(), String> {
        check::within("answers", &(self.answers as usize), FEWEST..=MOST)
    }
}

/// A problem, and answers to it, some of which may be right.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answers {
    inner: Instance,
    answers: Vec<String>,
}

const FEWEST: usize = 3;
const MOST: usize = 5;
const NUMBERS: [&str; MOST - FEWEST + 1] = ["three", "four", "five"];
/// Answers drawn for one place before another problem is drawn.
const TRIES: u32 = 100;

impl PreparedFamily for JudgeSolution {
    type Params = JudgeSolutionParams;
    type Problem = Answers;
    type Prepared = Of;

    const ABOUT: About = About {
        summary: "Say which of several answers to a problem are right.",
        distinct_from: 2,
        failures: &[
            ("missed_right", "a right answer was not chosen"),
            ("chose_wrong", "a wrong answer was chosen"),
        ],
        parts: &[Part::new("judged_right", "share of the answers that are judged correctly")],
        skills: &["verification", "error_detection", "bookkeeping"],
        guess_rate: 0.075,
        guess_score: 0.075,
        derived: true,
        ..About::new("derived", "judge_solution", &["First version."])
    };

    fn prepare(params: &Self::Params) -> Result<Of, Error> {
        Of::find(Self::ABOUT.name, &params.inner, params.inner_level)?.drawing_answers()
    }

    fn depends_on(of: &Of) -> String {
        of.version()
    }

    /// Right and wrong answers are drawn alike, so that only the problem distinguishes them.
    fn generate(&self, params: &Self::Params, of: &Of, rng: &mut Rng, budget: &mut Budget) -> Drawn<Answers> {
        'problem: loop {
            let inner = Instance::draw(of.family, &of.configured, rng, budget)?;
            let mut answers: Vec<String> = Vec::new();
            while answers.len() < params.answers as usize {
                let right = rng.chance(1, 2);
                let mut draw = || {
                    let mut answer = inner.problem.another(rng)?;
                    for _ in 0..params.exchanges {
                        answer = exchanged(&answer, rng)?;
                    }
                    let verdict = inner.verify_answer(&answer);
                    let read = !verdict.failures.contains(&label::MALFORMED_ANSWER);
                    (read && verdict.passed == right && !answers.contains(&answer)).then_some(answer)
                };
                budget.spend(TRIES.into())?;
                let Some(answer) = (0..TRIES).find_map(|_| draw()) else { continue 'problem };
                answers.push(answer);
            }
            let drawn = Answers { inner, answers };
            if drawn.check().is_ok() {
                return Ok(drawn);
            }
        }
    }
}

impl Answers {
    /// Numbers of the right answers, counted from 1.
    fn right(&self) -> BTreeSet<usize> {
        (1..)
            .zip(&self.answers)
            .filter(|(_, answer)| self.inner.verify_answer(answer).passed)
            .map(|(at, _)| at)
            .collect()
    }

    /// The number of answers in a word.
    fn number(&self) -> &'static str {
        NUMBERS[self.answers.len() - FEWEST]
    }

    fn listed(&self) -> String {
        let line = |(at, answer): (usize, &String)| format!("Answer {at}: {answer}\n");
        (1..).zip(&self.answers).map(line).collect()
    }
}

fn capitalized(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

impl Problem for Answers {
    type Answer = BTreeSet<usize>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::open("candidates", |judged, rng| {
            format!(
                "Here is a problem:\n\n{}\n\nThese answers to it have been proposed:\n\n{}\nWhich of them are right? It may \
                 be all of them, some or none.",
                wording(&judged.inner, rng),
                judged.listed()
            )
        }),
        Template::open("marked", |judged, rng| {
            format!(
                "{} students were given this problem:\n\n{}\n\nThey handed in:\n\n{}\nYou are grading their work. Every \
                 answer that solves the problem counts as right, and any number of the {} may be right. Find \
                 the right ones.",
                capitalized(judged.number()),
                wording(&judged.inner, rng),
                judged.listed(),
                judged.number()
            )
        }),
        Template::open("message", |judged, rng| {
            format!(
                "I need a second pair of eyes. This is the problem:\n\n{}\n\nAnd these are the answers we have collected \
                 so far:\n\n{}\nWhich of them actually solve it? For all I know it could be every one of them, or none.",
                wording(&judged.inner, rng),
                judged.listed()
            )
        }),
        Template::held_out("sorted_out", |judged, rng| {
            format!(
                "The judges of a puzzle contest have {} entries left on the table. An entry wins a prize if it meets \
                 every requirement of the problem; any number of them may win.\n\nProblem:\n\n{}\n\nEntries:\n\n{}\nWhich \
                 entries are right and win a prize?",
                judged.number(),
                wording(&judged.inner, rng),
                judged.listed()
            )
        }),
        Template::held_out("spec", |judged, rng| {
            format!(
                "Problem:\n\n{}\n\nProposed answers:\n\n{}\nCheck each of them against the problem and list all that are \
                 right. Any number of them may be, including none.",
                wording(&judged.inner, rng),
                judged.listed()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("answers", &self.answers, FEWEST..=MOST, "answers")?;
        check::distinct("answers", &self.answers)?;
        self.answers.iter().try_for_each(|answer| check_answer("answers", answer))
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let inner = &self.inner;
        inner.certify().map_err(|error| format!("`inner`: {error}"))?;
        let right = self.form().write(&self.right());
        let count = self.answers.len();
        Ok(Certificate::unique(format!("of {count} answers, each judged, these pass: {right}")))
    }

    fn form(&self) -> impl Form<Read = BTreeSet<usize>> {
        form::Choices { count: self.answers.len(), what: "right answers" }
    }

    fn solution(&self) -> Solution {
        let step = |(at, answer): (usize, &String)| {
            let verdict = self.inner.verify_answer(answer);
            if verdict.passed {
                format!("Answer {at} is right: it meets every requirement of the problem")
            } else {
                format!("Answer {at} fails: {}", verdict.detail)
            }
        };
        Solution::new((1..).zip(&self.answers).map(step), self.form().write(&self.right()))
    }

    /// No partial credit: chance alone judges half of the answers correctly.
    fn verify(&self, chosen: BTreeSet<usize>, _: &mut Budget) -> Judged {
        let right = self.right();
        let (missed, wrong) = (right.difference(&chosen).next(), chosen.difference(&right).next());
        let verdict = match (missed, wrong) {
            (None, None) => return Ok(()),
            (Some(missed), None) => Failure::wrong(format!("answer {missed} is right but was not chosen")),
            (_, Some(wrong)) => Failure::wrong(format!("answer {wrong} is wrong but was chosen")),
        };
        let verdict = if missed.is_some() { verdict.also("missed_right") } else { verdict };
        let verdict = if wrong.is_some() { verdict.also("chose_wrong") } else { verdict };
        let astray = right.symmetric_difference(&chosen).count();
        Err(verdict.part("judged_right", 1.0 - astray as f32 / self.answers.len() as f32))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<BTreeSet<usize>> {
        let (right, count) = (self.right(), self.answers.len());
        let flipped = |at: &usize| BTreeSet::from([at + 1]);
        let mut miss = || faults.draw(count, rng).iter().fold(right.clone(), |set, at| &set ^ &flipped(at));
        let mut misses = vec![miss(), miss(), miss()];
        misses.push((1..=count).filter(|at| !right.contains(at)).collect());
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, BTreeSet<usize>)> {
        let count = self.answers.len();
        let any = (1..=count).filter(|_| rng.chance(1, 2)).collect();
        let lengths: Vec<usize> = self.answers.iter().map(String::len).collect();
        let usual = |at: &usize| lengths.iter().filter(|length| **length == lengths[at - 1]).count() > 1;
        vec![
            ("any of them", any),
            ("all", (1..=count).collect()),
            ("none", BTreeSet::new()),
            ("those as long as another", (1..=count).filter(usual).collect()),
        ]
    }

    /// Reorders the answers.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut twin = self.clone();
        rng.shuffle(&mut twin.answers);
        twin
    }

    fn fingerprint(&self) -> Vec<u8> {
        let mut answers: Vec<&String> = self.answers.iter().collect();
        answers.sort_unstable();
        serde_json::to_vec(&(&self.inner, answers)).expect("problems serialise")
    }

    /// Checking every answer against the problem.
    fn effort(&self) -> Effort {
        Effort::new(self.inner.problem.effort().steps * self.answers.len() as u64, 250)
    }

    fn inner(&self) -> Option<&Instance> {
        Some(&self.inner)
    }
}
