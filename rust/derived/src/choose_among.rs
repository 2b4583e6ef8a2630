//! Find the one right answer among many that are nearly right.

use std::borrow::Cow;

use crate::of::{Of, check_answer, exchanged, wording};
use kit::error::Error;
use kit::task::erased::Instance;
use kit::task::family::PreparedFamily;
use kit::task::prelude::*;

pub struct ChooseAmong;

params! {
    pub struct ChooseAmongParams {
        /// Family whose answers are chosen from: one that can draw several right answers to a problem.
        inner: Cow<'static, str> [structure],
        /// Level of that family.
        inner_level: u32 [0..=50],
        /// Answers to choose from.
        options: u32 [4..=40],
        /// Swaps of two nearby words between each answer and one that is not shown.
        exchanges: u32 [1..=10, structure],
    }
    levels {
        (Cow::Borrowed("topological_order"), 0, 10, 2),
        (Cow::Borrowed("topological_order"), 0, 14, 2),
        (Cow::Borrowed("topological_order"), 1, 20, 2),
        (Cow::Borrowed("topological_order"), 2, 20, 2),
        (Cow::Borrowed("topological_order"), 3, 20, 2),
        (Cow::Borrowed("topological_order"), 4, 20, 2),
        (Cow::Borrowed("topological_order"), 5, 20, 2),
        (Cow::Borrowed("topological_order"), 6, 20, 2),
        (Cow::Borrowed("topological_order"), 7, 24, 2),
        (Cow::Borrowed("topological_order"), 8, 24, 2),
    }
    default 3
}

/// A problem and several answers to it, exactly one of which is right.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Options {
    inner: Instance,
    options: Vec<String>,
}

/// Answers drawn for one place before another problem is drawn.
const TRIES: u32 = 100;
const MOST_OPTIONS: usize = 40;

impl PreparedFamily for ChooseAmong {
    type Params = ChooseAmongParams;
    type Problem = Options;
    type Prepared = Of;

    const ABOUT: About = About {
        summary: "Find the one right answer to a problem among many near misses.",
        distinct_from: 3,
        failures: &[("no_such_option", "the number of an answer that does not exist")],
        skills: &["verification", "elimination", "error_detection"],
        guess_rate: 0.11,
        guess_score: 0.11,
        derived: true,
        ..About::new("derived", "choose_among", &["First version."])
    };

    fn prepare(params: &Self::Params) -> Result<Of, Error> {
        Of::find(Self::ABOUT.name, &params.inner, params.inner_level)?.drawing_answers()
    }

    fn depends_on(of: &Of) -> String {
        of.version()
    }

    /// Each option, the right one included, is the same number of exchanges away from an answer that is
    /// itself wrong. If the wrong options were made from the right one, it would be at their center.
    fn generate(&self, params: &Self::Params, of: &Of, rng: &mut Rng, budget: &mut Budget) -> Drawn<Options> {
        let exchange = |text: &str, rng: &mut Rng| {
            (0..params.exchanges).try_fold(text.to_owned(), |text, _| exchanged(&text, rng))
        };
        'problem: loop {
            let inner = Instance::draw(of.family, &of.configured, rng, budget)?;
            let fails = |text: &str| {
                let verdict = inner.verify_answer(text);
                !verdict.passed && !verdict.failures.contains(&label::MALFORMED_ANSWER)
            };
            let Some(right) = inner.problem.another(rng) else { continue };
            let Some(centre) = (0..TRIES).find_map(|_| exchange(&right, rng).filter(|text| fails(text)))
            else {
                continue;
            };
            let mut options = vec![right];
            while options.len() < params.options as usize {
                budget.spend(TRIES.into())?;
                let mut wrong =
                    || exchange(&centre, rng).filter(|text| fails(text) && !options.contains(text));
                let Some(wrong) = (0..TRIES).find_map(|_| wrong()) else { continue 'problem };
                options.push(wrong);
            }
            rng.shuffle(&mut options);
            let drawn = Options { inner, options };
            if drawn.check().is_ok() {
                return Ok(drawn);
            }
        }
    }
}

impl Options {
    /// Numbers of the right answers, counted from 1; a certified problem has one.
    fn right(&self) -> Vec<usize> {
        let right = (1..).zip(&self.options).filter(|(_, option)| self.inner.verify_answer(option).passed);
        right.map(|(number, _)| number).collect()
    }

    fn listed(&self) -> String {
        let line = |(number, option): (usize, &String)| format!("Answer {number}: {option}\n");
        (1..).zip(&self.options).map(line).collect()
    }

    /// The option that shares the most words, position by position, with the others.
    fn most_alike(&self) -> usize {
        let words: Vec<Vec<&str>> =
            self.options.iter().map(|option| option.split_whitespace().collect()).collect();
        let shared = |at: usize| -> usize {
            words.iter().map(|other| other.iter().zip(&words[at]).filter(|(a, b)| a == b).count()).sum()
        };
        (0..words.len()).max_by_key(|at| shared(*at)).map_or(1, |at| at + 1)
    }
}

impl Problem for Options {
    type Answer = i64;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::open("candidates", |choice, rng| {
            format!(
                "Here is a problem:\n\n{}\n\nExactly one of the following answers to it is right:\n\n{}\nWhat is the number \
                 of the right answer?",
                wording(&choice.inner, rng),
                choice.listed()
            )
        }),
        Template::open("examination", |choice, rng| {
            format!(
                "A multiple-choice exam has this question:\n\n{}\n\nOne of the choices below solves the problem, and all \
                 the others contain a mistake.\n\n{}\nWhich number should be marked as right?",
                wording(&choice.inner, rng),
                choice.listed()
            )
        }),
        Template::open("message", |choice, rng| {
            format!(
                "I gave this problem to my team:\n\n{}\n\nEverybody came back with a different answer, and only one of \
                 them is right:\n\n{}\nWhich one? The number is enough.",
                wording(&choice.inner, rng),
                choice.listed()
            )
        }),
        Template::held_out("spoiled", |choice, rng| {
            format!(
                "A clerk dropped a stack of papers, and the one right answer to a problem got mixed up with answers that \
                 each break some requirement of it.\n\nThe problem:\n\n{}\n\nThe papers:\n\n{}\nWhat is the number of the \
                 answer that breaks no requirement?",
                wording(&choice.inner, rng),
                choice.listed()
            )
        }),
        Template::held_out("spec", |choice, rng| {
            format!(
                "Problem:\n\n{}\n\nCandidates, exactly one of which is valid:\n\n{}\nCheck them and report the number of \
                 the valid one.",
                wording(&choice.inner, rng),
                choice.listed()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("options", &self.options, 3..=MOST_OPTIONS, "answers")?;
        check::distinct("options", &self.options)?;
        self.options.iter().try_for_each(|option| check_answer("options", option))
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let inner = &self.inner;
        inner.certify().map_err(|error| format!("`inner`: {error}"))?;
        match self.right().as_slice() {
            [right] => Ok(Certificate::unique(format!(
                "of {} answers, each judged, only {right} passes",
                self.options.len()
            ))),
            right => Err(format!("`options` has {} right answers, but must have one", right.len())),
        }
    }

    fn form(&self) -> impl Form<Read = i64> {
        form::Integer
    }

    fn solution(&self) -> Solution {
        let step = |(number, option): (usize, &String)| {
            let verdict = self.inner.verify_answer(option);
            if verdict.passed {
                format!("Answer {number} is right: it meets every requirement of the problem")
            } else {
                format!("Answer {number} fails: {}", verdict.detail)
            }
        };
        Solution::new((1..).zip(&self.options).map(step), self.right().first().copied().unwrap_or(0))
    }

    fn verify(&self, answer: i64, _: &mut Budget) -> Judged {
        let option = usize::try_from(answer).ok().and_then(|number| self.options.get(number.checked_sub(1)?));
        let Some(option) = option else {
            let detail =
                format!("there is no answer {answer}; they are numbered from 1 to {}", self.options.len());
            return Err(Failure::wrong(detail).also("no_such_option"));
        };
        let verdict = self.inner.verify_answer(option);
        // If several answers are right, which no certified problem allows, the first counts.
        if verdict.passed && self.right().first().map(|right| *right as i64) == Some(answer) {
            return Ok(());
        }
        let why: String = verdict.detail.chars().take(400).collect();
        Err(Failure::wrong(format!("answer {answer} is wrong: {why}")))
    }

    fn near_misses(&self, _: Faults, rng: &mut Rng) -> Vec<i64> {
        let right = self.right().first().map_or(0, |right| *right as i64);
        let any = rng.int(1, self.options.len() as i64);
        let near = [right + 1, right - 1, any, self.options.len() as i64 + 1, 0, -right];
        near.into_iter().filter(|number| *number != right).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, i64)> {
        vec![
            ("any of them", rng.int(1, self.options.len() as i64)),
            ("the first", 1),
            ("the one most like the others", self.most_alike() as i64),
        ]
    }

    /// Reorders the answers.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut twin = self.clone();
        rng.shuffle(&mut twin.options);
        twin
    }

    fn fingerprint(&self) -> Vec<u8> {
        let mut options: Vec<&String> = self.options.iter().collect();
        options.sort_unstable();
        serde_json::to_vec(&(&self.inner, options)).expect("problems serialise")
    }

    /// Checking every answer against the problem.
    fn effort(&self) -> Effort {
        Effort::new(self.inner.problem.effort().steps * self.options.len() as u64, 1_000)
    }

    fn inner(&self) -> Option<&Instance> {
        Some(&self.inner)
    }
}
