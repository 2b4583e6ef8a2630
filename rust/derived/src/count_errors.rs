//! Count the wrong steps of a worked solution to another family's problem.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::of::{Of, another_number, check_steps, listed, numbers, wording};
use kit::error::Error;
use kit::task::erased::Instance;
use kit::task::family::PreparedFamily;
use kit::task::prelude::*;

pub struct CountErrors;

params! {
    pub struct CountErrorsParams {
        /// Family whose solutions are checked: one that judges each reasoning step by itself.
        inner: Cow<'static, str> [structure],
        /// Level of that family.
        inner_level: u32 [0..=50],
        /// Fewest steps in a solution; with too few, the count could be guessed.
        fewest: u32 [6..=200],
    }
    levels {
        (Cow::Borrowed("prime_factorization"), 3, 12),
        (Cow::Borrowed("prime_factorization"), 4, 12),
        (Cow::Borrowed("prime_factorization"), 5, 16),
        (Cow::Borrowed("prime_factorization"), 5, 26),
        (Cow::Borrowed("prime_factorization"), 6, 32),
        (Cow::Borrowed("prime_factorization"), 6, 44),
        (Cow::Borrowed("prime_factorization"), 7, 60),
        (Cow::Borrowed("prime_factorization"), 7, 80),
        (Cow::Borrowed("prime_factorization"), 8, 120),
    }
    default 3
}

/// True if a step holds regardless of the steps before it.
fn holds(inner: &Instance, step: &str) -> bool {
    let verdicts = inner.verify_steps(&[step]);
    verdicts.is_some_and(|verdicts| verdicts[0].holds)
}

/// A problem, and the steps of a solution to it, some of them made false.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spoiled {
    inner: Instance,
    steps: Vec<String>,
    /// Indices of the false steps, counted from 0; a claim that `certify` proves.
    wrong: Vec<usize>,
}

const MOST_STEPS: usize = 400;
const LONGEST_STEP: usize = 400;
const FEWEST_STEPS: usize = 6;
/// Sample problems that show whether the inner family judges each step by itself.
const PROBES: u64 = 8;
/// Changes of a step to try before another step is made false.
const TRIES: u32 = 20;

impl PreparedFamily for CountErrors {
    type Params = CountErrorsParams;
    type Problem = Spoiled;
    type Prepared = Of;

    const ABOUT: About = About {
        summary: "Count the wrong steps of a worked solution.",
        failures: &[
            ("too_few", "a number below the count of wrong steps"),
            ("too_many", "a number above the count of wrong steps"),
        ],
        distinct_from: 3,
        skills: &["verification", "error_detection", "counting"],
        guess_rate: 0.09,
        guess_score: 0.09,
        derived: true,
        ..About::new("derived", "count_errors", &["First version."])
    };

    fn prepare(params: &Self::Params) -> Result<Of, Error> {
        let of = Of::find(Self::ABOUT.name, &params.inner, params.inner_level)?;
        let mut judges = true;
        for probe in 0..PROBES {
            let inner = of.probe(probe)?;
            judges &= inner.problem.solution().steps.iter().all(|step| holds(&inner, step));
        }
        of.that(judges, "judges each step by itself")
    }

    fn depends_on(of: &Of) -> String {
        of.version()
    }

    /// Makes a random number of steps false, from none to all. Each gets another digit in a number that
    /// appears in no other step: otherwise the disagreement would show without any work.
    fn generate(
        &self,
        params: &CountErrorsParams,
        of: &Of,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Drawn<Spoiled> {
        loop {
            // Cost of drawing an inner problem, in steps: few have as many steps as required.
            budget.spend(1_000)?;
            let inner = Instance::draw(of.family, &of.configured, rng, budget)?;
            let right = inner.problem.solution().steps;
            if !(params.fewest as usize..=MOST_STEPS).contains(&right.len()) {
                continue;
            }
            let mut counts = BTreeMap::<&str, usize>::new();
            right
                .iter()
                .flat_map(|step| numbers(step))
                .for_each(|number| *counts.entry(number).or_default() += 1);
            let own = |old: &str, new: &str| counts[old] == 1 && !counts.contains_key(new);
            let misprint = |right: &str, rng: &mut Rng| {
                another_number(right, rng).filter(|step| {
                    numbers(right).zip(numbers(step)).all(|(old, new)| old == new || own(old, new))
                        && !holds(&inner, step)
                })
            };
            let (mut steps, mut wrong) = (right.clone(), Vec::new());
            let count = rng.index(right.len() + 1);
            for at in kit::task::permutation::random(right.len(), rng) {
                if wrong.len() == count {
                    break;
                }
                budget.spend(TRIES.into())?;
                let Some(step) = (0..TRIES).find_map(|_| misprint(&right[at], rng)) else { continue };
                steps[at] = step;
                wrong.push(at);
            }
            wrong.sort_unstable();
            let spoiled = Spoiled { steps, inner: inner.clone(), wrong };
            if spoiled.wrong.len() == count && spoiled.check().is_ok() {
                return Ok(spoiled);
            }
        }
    }
}

impl Problem for Spoiled {
    type Answer = i64;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::open("steps", |spoiled, rng| {
            format!(
                "Here is a problem:\n\n{}\n\nIn the following solution, any number of steps, from none to all, may have been \
                 copied down wrong:\n\n{}\nHow many of the steps are false, each taken by itself?",
                wording(&spoiled.inner, rng),
                listed(&spoiled.steps)
            )
        }),
        Template::open("marking", |spoiled, rng| {
            format!(
                "A student was given this problem:\n\n{}\n\nThe student wrote:\n\n{}\nYou are grading this work and take off \
                 a point for every step that is false as it stands, no matter what the steps before it say. How many \
                 points do you take off?",
                wording(&spoiled.inner, rng),
                listed(&spoiled.steps)
            )
        }),
        Template::open("message", |spoiled, rng| {
            format!(
                "Could you proofread something for me? This was the problem:\n\n{}\n\nThis is the solution I typed up, \
                 probably with typos:\n\n{}\nPlease check each step on its own. How many of them are false? It may be \
                 none, some or all.",
                wording(&spoiled.inner, rng),
                listed(&spoiled.steps)
            )
        }),
        Template::held_out("print", |spoiled, rng| {
            format!(
                "A worked example came back from the printer, and any of its numbered lines may have been garbled: none, \
                 some or all.\n\nProblem:\n\n{}\n\nSolution, as printed:\n\n{}\nEvery line that is false as printed has to \
                 be reset, whatever the other lines say. How many lines is that?",
                wording(&spoiled.inner, rng),
                listed(&spoiled.steps)
            )
        }),
        Template::held_out("spec", |spoiled, rng| {
            format!(
                "Problem:\n\n{}\n\nSteps of a solution:\n\n{}\nCheck every step independently of the others and count the \
                 false ones. There may be none.",
                wording(&spoiled.inner, rng),
                listed(&spoiled.steps)
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("steps", &self.steps, FEWEST_STEPS..=MOST_STEPS, "steps")?;
        let count = self.inner.problem.solution().steps.len();
        check::that(self.steps.len() == count, || {
            format!("`steps` must be as many as the solution has, {count}")
        })?;
        check_steps(&self.steps, LONGEST_STEP)?;
        check::that(self.wrong.is_sorted_by(|a, b| a < b), || {
            "`wrong` must be in increasing order".to_owned()
        })?;
        check::each("wrong", &self.wrong, |at| *at < count, "there is no such step")
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let inner = &self.inner;
        inner.certify().map_err(|error| format!("`inner`: {error}"))?;
        // The changed steps are false and all others true, so the count is not open to debate.
        let steps = self.steps.iter().zip(inner.problem.solution().steps).enumerate();
        for (at, (step, right)) in steps {
            let (claimed, told) = (self.wrong.binary_search(&at).is_ok(), at + 1);
            check::that(holds(inner, step) != claimed && (*step == right) != claimed, || {
                format!("`wrong` does not say of step {told} whether it is false")
            })?;
        }
        let (wrong, all) = (self.wrong.len(), self.steps.len());
        Ok(Certificate::unique(format!("{wrong} of {all} steps do not hold, each judged by itself")))
    }

    fn form(&self) -> impl Form<Read = i64> {
        form::Integer
    }

    fn solution(&self) -> Solution {
        let step = |(number, step): (usize, &String)| {
            let verdicts = self.inner.verify_steps(&[step]).unwrap_or_default();
            match verdicts.first() {
                Some(verdict) if verdict.holds => format!("Step {number} holds"),
                verdict => format!(
                    "Step {number} is false: {}",
                    verdict.map_or("", |verdict| verdict.detail.as_str())
                ),
            }
        };
        Solution::new((1..).zip(&self.steps).map(step), self.wrong.len())
    }

    fn verify(&self, answer: i64, _: &mut Budget) -> Judged {
        let wrong = self.wrong.len() as i64;
        match answer {
            _ if answer == wrong => Ok(()),
            _ if answer < wrong => {
                Err(Failure::wrong(format!("the number of false steps is more than {answer}"))
                    .also("too_few"))
            }
            _ => {
                Err(Failure::wrong(format!("the number of false steps is less than {answer}"))
                    .also("too_many"))
            }
        }
    }

    fn near_misses(&self, _: Faults, _: &mut Rng) -> Vec<i64> {
        let (wrong, all) = (self.wrong.len() as i64, self.steps.len() as i64);
        let near = [wrong + 1, wrong - 1, wrong + 2, all - wrong, all + 1, -1];
        near.into_iter().filter(|number| *number != wrong).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, i64)> {
        let all = self.steps.len();
        vec![
            ("any number", rng.index(all + 1) as i64),
            ("half of the steps", all as i64 / 2),
            ("all steps", all as i64),
        ]
    }

    /// The steps refer to the problem unchanged, so it has no other twin.
    fn twin(&self, _: &mut Rng) -> Self {
        self.clone()
    }

    /// Every pair of digits within a step, as sums and products on paper take.
    fn effort(&self) -> Effort {
        let digits = |step: &String| step.bytes().filter(u8::is_ascii_digit).count() as u64;
        Effort::new(self.steps.iter().map(digits).map(|digits| digits * digits).sum(), 20_000)
    }

    fn inner(&self) -> Option<&Instance> {
        Some(&self.inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_wrong_steps_comes() {
        let params = CountErrorsParams::new("prime_factorization".into(), 3, 12);
        let counted = CountErrors::prepare(&params).unwrap();
        let mut rng = kit::rng::Key::new("count", 1, "", 0, "").stream(0);
        let mut shares = [0; 3];
        for _ in 0..60 {
            let spoiled = CountErrors
                .generate(&params, &counted, &mut rng, &mut Budget::new(200 * Instance::DRAW))
                .unwrap();
            let true_steps = spoiled.inner.problem.solution().steps;
            let changed = spoiled.steps.iter().zip(&true_steps).filter(|(one, other)| one != other).count();
            assert_eq!(changed, spoiled.wrong.len());
            spoiled.certify(&mut Budget::new(1)).unwrap();
            shares[(3 * changed / (spoiled.steps.len() + 1)).min(2)] += 1;
        }
        assert!(shares.iter().all(|share| *share > 5), "{shares:?}");
    }
}
