//! Find the first wrong step of a solution to another family's problem.

use std::borrow::Cow;

use crate::of::{Of, another_number, check_steps, listed, wording};
use kit::error::Error;
use kit::task::erased::Instance;
use kit::task::family::PreparedFamily;
use kit::task::prelude::*;

pub struct FirstErrorStep;

params! {
    pub struct FirstErrorStepParams {
        /// Family whose solutions are checked: one that judges reasoning steps.
        inner: Cow<'static, str> [structure],
        /// Level of that family.
        inner_level: u32 [0..=50],
    }
    levels {
        (Cow::Borrowed("stack_machine_trace"), 2),
        (Cow::Borrowed("stack_machine_trace"), 3),
        (Cow::Borrowed("stack_machine_trace"), 4),
        (Cow::Borrowed("stack_machine_trace"), 5),
        (Cow::Borrowed("stack_machine_trace"), 6),
        (Cow::Borrowed("stack_machine_trace"), 7),
        (Cow::Borrowed("stack_machine_trace"), 8),
    }
    default 2
}

/// A problem, and the steps of a solution to it, one of them made false. If the inner family can draw slips,
/// later steps build on the false one; otherwise they are those of the true solution.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlawedSolution {
    inner: Instance,
    steps: Vec<String>,
    /// The wrong step, counted from 1; a claim that `certify` proves.
    wrong: usize,
}

const MOST_STEPS: usize = 600;
const LONGEST_STEP: usize = 1_000;
/// Changes of a step to try before another solution is drawn.
const TRIES: u32 = 20;

impl PreparedFamily for FirstErrorStep {
    type Params = FirstErrorStepParams;
    type Problem = FlawedSolution;
    type Prepared = Of;

    const ABOUT: About = About {
        summary: "Find the first wrong step of a worked solution.",
        judged_by: JudgedBy::Exact,
        failures: &[
            ("no_such_step", "the number of a step that does not exist"),
            ("too_early", "a correct step before the first wrong one"),
            ("too_late", "a step after the first wrong one"),
        ],
        skills: &["verification", "error_detection", "bookkeeping"],
        guess_rate: 0.17,
        guess_score: 0.17,
        derived: true,
        ..About::new("derived", "first_error_step", &["First version."])
    };

    fn prepare(params: &Self::Params) -> Result<Of, Error> {
        Of::find(Self::ABOUT.name, &params.inner, params.inner_level)?.judging_steps()
    }

    fn depends_on(of: &Of) -> String {
        of.version()
    }

    fn generate(
        &self,
        _: &FirstErrorStepParams,
        of: &Of,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<FlawedSolution, Exhausted> {
        loop {
            let inner = Instance::draw(of.family, &of.configured, rng, budget)?;
            let steps = inner.problem.solution().steps;
            if !(2..=MOST_STEPS).contains(&steps.len()) {
                continue;
            }
            budget.spend(steps.len() as u64)?;
            let judge = |steps: &[String]| {
                let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
                inner.verify_steps(&steps).expect("`prepare` asked whether it can")
            };
            for _ in 0..TRIES {
                let (at, flawed) = if let Some(slip) = inner.problem.slip(rng) {
                    slip
                } else {
                    let at = rng.index(steps.len());
                    let Some(step) = another_number(&steps[at], rng) else { continue };
                    (at, [&steps[..at], &[step], &steps[at + 1..]].concat())
                };
                if !judge(&flawed[..=at])[at].holds {
                    return Ok(FlawedSolution { inner, steps: flawed, wrong: at + 1 });
                }
            }
        }
    }
}

impl FlawedSolution {
    fn verdicts(&self) -> Option<Vec<StepVerdict>> {
        let steps: Vec<&str> = self.steps[..self.wrong].iter().map(String::as_str).collect();
        self.inner.verify_steps(&steps)
    }
}

impl Problem for FlawedSolution {
    type Answer = i64;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::open("checked", |flawed, rng| {
            format!(
                "Here is a problem:\n\n{}\n\nThe following solution has at least one wrong step:\n\n{}\nWhat is the number of \
                 the first wrong step? The steps after it may build on it or be right again; they do not matter.",
                wording(&flawed.inner, rng),
                listed(&flawed.steps)
            )
        }),
        Template::open("marked", |flawed, rng| {
            format!(
                "A student was given this problem:\n\n{}\n\nThe student wrote:\n\n{}\nYou are grading this work. Find the \
                 number of the first step that is not correct. Ignore whatever comes after it.",
                wording(&flawed.inner, rng),
                listed(&flawed.steps)
            )
        }),
        Template::open("message", |flawed, rng| {
            format!(
                "I know I made a mistake somewhere, but I can't find it. The problem was:\n\n{}\n\nThis is what I did:\n\n\
                 {}\nAt which step do I first go wrong? Everything after that needs redoing anyway.",
                wording(&flawed.inner, rng),
                listed(&flawed.steps)
            )
        }),
        Template::held_out("slip", |flawed, rng| {
            format!(
                "A textbook author slipped up in the worked example below, and later steps may or may not build on the \
                 mistake.\n\nProblem:\n\n{}\n\nSolution:\n\n{}\nFor the list of corrections, what is the number of the \
                 first step that is wrong?",
                wording(&flawed.inner, rng),
                listed(&flawed.steps)
            )
        }),
        Template::held_out("spec", |flawed, rng| {
            format!(
                "Problem:\n\n{}\n\nSolution (contains at least one wrong step):\n\n{}\nReport the number of the earliest \
                 wrong step; later steps do not count.",
                wording(&flawed.inner, rng),
                listed(&flawed.steps)
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("steps", &self.steps, 2..=MOST_STEPS, "steps")?;
        check_steps(&self.steps, LONGEST_STEP)?;
        check::within("wrong", &self.wrong, 1..=self.steps.len())
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let inner = &self.inner;
        inner.certify().map_err(|error| format!("`inner`: {error}"))?;
        let verdicts = self.verdicts().ok_or("`inner` is of a family that judges no steps")?;
        // A true step that makes no progress may be wrong at its place, such as one that is repeated, unless the
        // solution has it there.
        let own = inner.problem.solution().steps;
        let right = |(at, verdict): (usize, &StepVerdict)| {
            verdict.advances || verdict.holds && own.get(at) == self.steps.get(at)
        };
        let first = verdicts.iter().enumerate().position(|one| !right(one));
        let first = first.ok_or("`steps` are all right up to the one that `wrong` names")?;
        let (wrong, verdict) = (self.wrong, &verdicts[first]);
        check::that(first + 1 == wrong && !verdict.holds, || {
            format!("`wrong` is {wrong}, but step {} is the first that is not right", first + 1)
        })?;
        Ok(Certificate::unique(format!(
            "all steps before step {wrong} hold, and it does not: {}",
            verdict.detail
        )))
    }

    fn form(&self) -> impl Form<Read = i64> {
        form::Integer
    }

    fn solution(&self) -> Solution {
        let mut verdicts = self.verdicts().unwrap_or_default();
        let detail = verdicts.pop().map_or(String::new(), |verdict| verdict.detail);
        let right = (1..self.wrong).map(|at| format!("Step {at} holds"));
        Solution::new(right.chain([format!("Step {} does not hold: {detail}", self.wrong)]), self.wrong)
    }

    fn verify(&self, answer: i64, _: &mut Budget) -> Judged {
        let (wrong, steps) = (self.wrong as i64, self.steps.len());
        let fail = |label, detail| Err(Failure::wrong(detail).also(label));
        match answer {
            step if step == wrong => Ok(()),
            step if !(1..=steps as i64).contains(&step) => {
                fail("no_such_step", format!("there is no step {step}; they are numbered from 1 to {steps}"))
            }
            step if step < wrong => fail("too_early", format!("step {step} is correct")),
            step => fail("too_late", format!("a step before step {step} is wrong")),
        }
    }

    fn near_misses(&self, _: Faults, _: &mut Rng) -> Vec<i64> {
        let wrong = self.wrong as i64;
        [wrong - 1, wrong + 1, 0, self.steps.len() as i64 + 1 - wrong, self.steps.len() as i64 + 1]
            .into_iter()
            .filter(|step| *step != wrong)
            .collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, i64)> {
        let steps = self.steps.len() as u64;
        vec![
            ("a random step", 1 + rng.below(steps) as i64),
            ("the last step", steps as i64),
            ("the middle", steps.div_ceil(2) as i64),
        ]
    }

    /// The steps refer to the problem unchanged, so it has no other twin.
    fn twin(&self, _: &mut Rng) -> Self {
        self.clone()
    }

    /// Reading every step and working it out again.
    fn effort(&self) -> Effort {
        Effort::new(self.inner.problem.effort().steps + 2 * self.steps.len() as u64, 80)
    }

    fn inner(&self) -> Option<&Instance> {
        Some(&self.inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_digit_changes_and_no_zero_leads() {
        let mut rng = kit::rng::Key::new("digits", 1, "", 0, "").stream(0);
        for _ in 0..200 {
            let changed = another_number("10 + 2 = 12", &mut rng);
            if let Some(changed) = changed {
                let differ = changed.bytes().zip("10 + 2 = 12".bytes()).filter(|(a, b)| a != b).count();
                assert_eq!((changed.len(), differ), (11, 1));
                assert!(!changed.starts_with('0') && !changed.contains(" 0"), "{changed}");
            }
        }
        assert_eq!(another_number("no number", &mut rng), None);
    }
}
