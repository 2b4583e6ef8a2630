//! List the wrong steps of a worked solution to another family's problem, each with the reason why it is wrong.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::fault::{GLOSSARY, MISREAD, ORDER, REASONS, VALUE, fault, spoiled};
use crate::of::{Of, check_steps, listed, wording};
use kit::error::Error;
use kit::task::erased::Instance;
use kit::task::family::PreparedFamily;
use kit::task::permutation;
use kit::task::prelude::*;

pub struct CritiqueSolution;

params! {
    pub struct CritiqueSolutionParams {
        /// Family whose solutions are criticized: one whose steps each carry on the one before.
        inner: Cow<'static, str> [structure],
        /// Level of that family.
        inner_level: u32 [0..=50],
        /// Most wrong steps, though at most half of all; many are likelier than few.
        errors: u32 [1..=40],
    }
    levels {
        (Cow::Borrowed("stack_machine_trace"), 1, 2),
        (Cow::Borrowed("stack_machine_trace"), 2, 3),
        (Cow::Borrowed("stack_machine_trace"), 3, 4),
        (Cow::Borrowed("stack_machine_trace"), 4, 5),
        (Cow::Borrowed("stack_machine_trace"), 5, 6),
        (Cow::Borrowed("stack_machine_trace"), 6, 8),
        (Cow::Borrowed("stack_machine_trace"), 7, 10),
        (Cow::Borrowed("stack_machine_trace"), 8, 12),
    }
    default 3
}

/// A problem, and the steps of a solution to it, any of which may be wrong.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worked {
    inner: Instance,
    steps: Vec<String>,
}

/// Weights of the reasons; those that show without any work are rare.
const WEIGHTS: [u64; 5] = [1, 1, 1, 3, 3];

const FEWEST_STEPS: usize = 2;
const MOST_STEPS: usize = 400;
const LONGEST_STEP: usize = 1_000;
/// One solution in so many has no wrong step.
const FLAWLESS: u64 = 25;
/// Changes of a step, and solutions of a problem, to try before another is drawn.
const TRIES: u32 = 20;

impl PreparedFamily for CritiqueSolution {
    type Params = CritiqueSolutionParams;
    type Problem = Worked;
    type Prepared = Of;

    const ABOUT: About = About {
        summary: "List the wrong steps of a worked solution with the reason for each.",
        failures: &[
            ("missed_step", "a wrong step is not listed"),
            ("accused_step", "a step is listed that is right"),
            ("wrong_reason", "a wrong step is listed with another reason"),
        ],
        parts: &[Part::new("located", "F1 over the steps alone, whatever their reasons")],
        skills: &["verification", "error_detection", "diagnosis", "bookkeeping"],
        guess_rate: 0.07,
        guess_score: 0.23,
        derived: true,
        ..About::new("derived", "critique_solution", &["First version."])
    };

    fn prepare(params: &Self::Params) -> Result<Of, Error> {
        Of::find(Self::ABOUT.name, &params.inner, params.inner_level)?.tracing()
    }

    fn depends_on(of: &Of) -> String {
        of.version()
    }

    fn generate(&self, params: &Self::Params, of: &Of, rng: &mut Rng, budget: &mut Budget) -> Drawn<Worked> {
        loop {
            let inner = Instance::draw(of.family, &of.configured, rng, budget)?;
            let count = inner.problem.solution().steps.len();
            if !(FEWEST_STEPS..=MOST_STEPS).contains(&count) {
                continue;
            }
            let most = u64::from(params.errors).min(count as u64 / 2);
            let many = 1 + rng.below(most).max(rng.below(most)) as usize;
            let errors = if rng.chance(1, FLAWLESS) { 0 } else { many };
            for _ in 0..TRIES {
                budget.spend(count as u64)?;
                let wrong = permutation::random(count, rng)[..errors].iter().copied().collect();
                let worked =
                    written(&*inner.problem.trace().expect("`prepare` asked for one"), count, &wrong, rng);
                let worked = worked.map(|steps| Worked { inner: inner.clone(), steps });
                if let Some(worked) = worked.filter(|worked| worked.check().is_ok()) {
                    return Ok(worked);
                }
            }
        }
    }
}

/// Steps of which those at the indices in `wrong` do not follow from the one before, each for a drawn reason.
fn written(trace: &dyn Trace, count: usize, wrong: &BTreeSet<usize>, rng: &mut Rng) -> Option<Vec<String>> {
    let mut steps: Vec<String> = Vec::new();
    for at in 0..count {
        let before = steps.last().map_or("", String::as_str);
        let right = trace.follows(at, before)?;
        let spoil = |rng: &mut Rng| {
            let reason = rng.weighted(&WEIGHTS);
            let step = match reason {
                MISREAD => trace.misread(at, before, rng),
                _ => spoiled(&right, before, reason, rng),
            };
            step.filter(|step| fault(&right, step) == Ok(Some(reason)))
        };
        let step = if wrong.contains(&at) { (0..TRIES).find_map(|_| spoil(rng))? } else { right.clone() };
        steps.push(step);
    }
    Some(steps)
}

impl Worked {
    /// The right step in each place, given the text of the one before.
    fn right(&self) -> Result<Vec<String>, String> {
        let trace = self.inner.problem.trace();
        let trace = trace.ok_or("`inner` is of a family that carries no state from step to step")?;
        let before = std::iter::once("").chain(self.steps.iter().map(String::as_str));
        let right = before.take(self.steps.len()).enumerate().map(|(at, before)| {
            let right = trace.follows(at, before);
            right.ok_or_else(|| {
                format!("`steps[{at}]` follows from nothing, as no step may come after `{}`", quoted(before))
            })
        });
        right.collect()
    }

    /// The number of each wrong step, counted from 1, with the reason.
    fn marks(&self) -> Result<BTreeMap<usize, usize>, String> {
        let mut marks = BTreeMap::new();
        for (at, (right, step)) in self.right()?.iter().zip(&self.steps).enumerate() {
            let reason = fault(right, step).map_err(|rule| format!("`steps[{at}]` {rule}"))?;
            marks.extend(reason.map(|reason| (at + 1, reason)));
        }
        Ok(marks)
    }

    /// [`Worked::marks`] of a problem that has been checked.
    fn known_marks(&self) -> BTreeMap<usize, usize> {
        self.marks().expect("`check` has asked for them")
    }
}

impl Problem for Worked {
    type Answer = BTreeMap<usize, usize>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::open("checked", |worked, rng| {
            format!(
                "Here is a problem:\n\n{}\n\nThe following solution to it may have wrong steps:\n\n{}\nFind all of them. A step \
                 is right if it follows from the problem and from the step just before it, exactly as that one is \
                 written: correct work on a wrong result is not wrong again. The reason for a wrong step is the first \
                 of these that applies:\n\n{GLOSSARY}\n",
                wording(&worked.inner, rng),
                listed(&worked.steps)
            )
        }),
        Template::open("marked", |worked, rng| {
            format!(
                "A student was given this problem:\n\n{}\n\nThe student wrote:\n\n{}\nYou are grading this work, and you mark \
                 each mistake only where it is made. A step that correctly carries on the line above it gets no mark, \
                 even if that line is wrong. Your marks are these; if several fit, the one higher up counts:\n\n{GLOSSARY}\n",
                wording(&worked.inner, rng),
                listed(&worked.steps)
            )
        }),
        Template::open("message", |worked, rng| {
            format!(
                "Can you go over my work and tell me where I slipped, and how? This is the problem I had:\n\n{}\n\nAnd this is \
                 what I did:\n\n{}\nPlease judge every step by the one right above it as it stands, so if I went wrong \
                 once and then carried on properly, that's one mistake and not ten. Maybe there's none at all. \
                 I keep a log of my mistakes, with one word for each kind, and I use the first word in this list that \
                 fits:\n\n{GLOSSARY}\n",
                wording(&worked.inner, rng),
                listed(&worked.steps)
            )
        }),
        Template::held_out("errata", |worked, rng| {
            format!(
                "The second edition of a workbook needs a list of errata for the worked example below.\n\nProblem:\n\n{}\n\n\
                 Worked example:\n\n{}\nA step belongs on the list if it is not what the problem and the printed step \
                 before it lead to. Steps that only inherit an earlier mistake stay as they are. Each entry gets a \
                 code, the first in this table that describes it:\n\n{GLOSSARY}\n",
                wording(&worked.inner, rng),
                listed(&worked.steps)
            )
        }),
        Template::held_out("spec", |worked, rng| {
            format!(
                "Problem:\n\n{}\n\nSteps of a solution (zero or more are wrong):\n\n{}\nReport every step that does not follow \
                 from the problem and the preceding step as written. Errors carried over from earlier steps do not \
                 count. Reason codes, the first applicable one to be used:\n\n{GLOSSARY}\n",
                wording(&worked.inner, rng),
                listed(&worked.steps)
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("steps", &self.steps, FEWEST_STEPS..=MOST_STEPS, "steps")?;
        check_steps(&self.steps, LONGEST_STEP)?;
        let count = self.inner.problem.solution().steps.len();
        check::that(self.steps.len() == count, || {
            format!("`steps` must be as many as the solution has, {count}")
        })?;
        self.marks().map(drop)
    }

    /// Works out what follows from the text of every step, and compares the next one with it.
    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        self.inner.certify().map_err(|error| format!("`inner`: {error}"))?;
        let (marks, count) = (self.marks()?, self.steps.len());
        let wrong = self.form().write(&marks);
        Ok(Certificate::unique(format!("of {count} steps, these do not follow from the one before: {wrong}")))
    }

    fn form(&self) -> impl Form<Read = BTreeMap<usize, usize>> {
        form::Marks { count: self.steps.len(), noun: "wrong step", reasons: &REASONS }
    }

    fn solution(&self) -> Solution {
        let (right, marks) = (self.right().expect("`check` has asked for it"), self.known_marks());
        let step = |(number, right): (usize, &String)| match marks.get(&number) {
            None => format!("Step {number} is right"),
            Some(reason) => format!("Step {number} should be `{right}`: {}", REASONS[*reason]),
        };
        Solution::new((1..).zip(&right).map(step), self.form().write(&marks))
    }

    /// The score is F1 over pairs of a step and its reason.
    fn verify(&self, given: Self::Answer, _: &mut Budget) -> Judged {
        let right = self.known_marks();
        if given == right {
            return Ok(());
        }
        let f1 = |hits: usize| 2.0 * hits as f32 / (given.len() + right.len()) as f32;
        let both = || given.iter().filter_map(|(step, reason)| Some((step, reason, right.get(step)?)));
        let accused = given.keys().find(|step| !right.contains_key(step));
        let missed = right.keys().find(|step| !given.contains_key(step));
        let misjudged = both().find(|(_, reason, due)| reason != due);
        let faults = [
            accused.map(|step| ("accused_step", format!("step {step} is right"))),
            misjudged.map(|(step, reason, _)| {
                ("wrong_reason", format!("step {step} is wrong, but not for the reason {}", REASONS[*reason]))
            }),
            missed.map(|step| ("missed_step", format!("step {step} is wrong but not listed"))),
        ];
        let (labels, details): (Vec<_>, Vec<_>) = faults.into_iter().flatten().unzip();
        let failure = Failure::wrong(details.join("; "))
            .score(f1(both().filter(|(_, reason, due)| reason == due).count()))
            .part("located", f1(both().count()));
        Err(labels.into_iter().fold(failure, Failure::also))
    }

    /// Steps that are left out, accused or given another reason.
    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Self::Answer> {
        let (right, count) = (self.known_marks(), self.steps.len());
        let mut miss = || {
            let mut marks = right.clone();
            for step in faults.draw(count, rng).iter().map(|at| at + 1) {
                match marks.remove(&step) {
                    Some(reason) if rng.chance(1, 2) => {
                        marks.insert(step, (reason + 1 + rng.index(REASONS.len() - 1)) % REASONS.len());
                    }
                    Some(_) => {}
                    None => drop(marks.insert(step, rng.weighted(&WEIGHTS))),
                }
            }
            marks
        };
        let mut misses = vec![miss(), miss(), miss()];
        misses.push(BTreeMap::new());
        misses.push(right.iter().map(|(step, reason)| (*step, (reason + 1) % REASONS.len())).collect());
        misses.retain(|marks| *marks != right);
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Self::Answer)> {
        let count = self.steps.len();
        let every = |reason: usize| (1..=count).map(|step| (step, reason)).collect();
        let one = BTreeMap::from([(1 + rng.index(count), rng.weighted(&WEIGHTS))]);
        let third = (1..=count).filter(|_| rng.chance(1, 3)).collect::<Vec<_>>();
        let third = third.into_iter().map(|step| (step, rng.weighted(&WEIGHTS))).collect();
        let misread = self.known_marks().into_iter().filter(|(_, reason)| *reason == MISREAD).collect();
        vec![
            ("no step", BTreeMap::new()),
            ("every step for a wrong value", every(VALUE)),
            ("every step for a wrong order", every(ORDER)),
            ("one step", one),
            ("a third of the steps", third),
            ("only what shows before the colon", misread),
        ]
    }

    /// The steps refer to the problem unchanged, so it has no other twin.
    fn twin(&self, _: &mut Rng) -> Self {
        self.clone()
    }

    /// Reading every step and working it out again, and trying the reasons on those that are wrong.
    fn effort(&self) -> Effort {
        let tried = self.known_marks().len() * (REASONS.len() - 1);
        Effort::new(self.inner.problem.effort().steps + (2 * self.steps.len() + tried) as u64, 80)
    }

    fn inner(&self) -> Option<&Instance> {
        Some(&self.inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::EXTRA;

    fn drawn(inner: &str, count: u64) -> Vec<Worked> {
        reasonenv::families::all();
        let params = CritiqueSolutionParams::new(inner.to_owned().into(), 4, 5);
        let of = CritiqueSolution::prepare(&params).unwrap();
        let draw = |stream| {
            let mut rng = kit::rng::Key::new("critique", 1, "", 0, "").stream(stream);
            CritiqueSolution.generate(&params, &of, &mut rng, &mut Budget::new(100 * Instance::DRAW)).unwrap()
        };
        (0..count).map(draw).collect()
    }

    #[test]
    fn solutions_of_every_tracing_family_are_criticized() {
        let mut tracing = 0;
        for family in reasonenv::families::all().iter().filter(|family| !family.about().derived) {
            let params = CritiqueSolutionParams::new(family.name().into(), 3, 5);
            let Ok(of) = CritiqueSolution::prepare(&params) else { continue };
            tracing += 1;
            let inner = of.probe(3).unwrap();
            let steps = inner.problem.solution().steps;
            let worked = Worked { inner, steps: steps.clone() };
            assert_eq!(worked.right().unwrap(), steps, "{}: what follows is the solution", family.name());
            for worked in drawn(family.name(), 100) {
                worked.certify(&mut Budget::new(1)).unwrap();
            }
        }
        assert!(tracing >= 2);
    }

    #[test]
    fn every_reason_comes_and_few_solutions_are_flawless() {
        let mut reasons = [0; REASONS.len()];
        let mut flawless = 0;
        for worked in drawn("stack_machine_trace", 400) {
            let marks = worked.known_marks();
            flawless += usize::from(marks.is_empty());
            for reason in marks.values() {
                reasons[*reason] += 1;
            }
        }
        let all: usize = reasons.iter().sum();
        assert!(reasons.iter().all(|count| *count > all / 20), "{reasons:?}");
        assert!((6..=30).contains(&flawless), "{flawless}");
    }

    #[test]
    fn the_score_is_f1_over_steps_with_reasons() {
        let worked =
            drawn("stack_machine_trace", 400).into_iter().find(|worked| worked.known_marks().len() == 3);
        let worked = worked.unwrap();
        let right = worked.known_marks();
        let judge = |marks: &BTreeMap<usize, usize>| worked.verify(marks.clone(), &mut Budget::new(1));
        assert_eq!(judge(&right), Ok(()));
        let (first, reason) = right.first_key_value().unwrap();
        let mut marks = right.clone();
        marks.insert(*first, (reason + 1) % REASONS.len());
        let failure = judge(&marks).unwrap_err();
        assert!((failure.score - 2.0 / 3.0).abs() < 1e-6 && failure.parts == [("located", 1.0)]);
        assert_eq!(failure.failures, [label::WRONG_ANSWER, "wrong_reason"]);
        marks.remove(first);
        let failure = judge(&marks).unwrap_err();
        assert!(
            (failure.score - 0.8).abs() < 1e-6 && failure.failures == [label::WRONG_ANSWER, "missed_step"]
        );
        let innocent = (1..=worked.steps.len()).find(|step| !right.contains_key(step)).unwrap();
        marks.insert(innocent, VALUE);
        let failure = judge(&marks).unwrap_err();
        assert_eq!(failure.failures, [label::WRONG_ANSWER, "accused_step", "missed_step"]);
        assert!(judge(&BTreeMap::new()).unwrap_err().score <= 0.0);
    }

    /// The program, the lengths of the stacks and the names of the steps show some reasons without any arithmetic.
    #[test]
    fn names_and_lengths_alone_seldom_tell_all() {
        let all = drawn("stack_machine_trace", 400);
        let shows = |worked: &&Worked| worked.known_marks().values().all(|reason| *reason <= EXTRA);
        let told = all.iter().filter(shows).count();
        assert!(5 * told <= all.len(), "{told} of {}", all.len());
    }
}
