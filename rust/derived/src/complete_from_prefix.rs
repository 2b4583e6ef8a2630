//! Finish a solution to another family's problem whose first steps are given.

use std::borrow::Cow;

use crate::of::{Of, check_answer, wording};
use kit::error::Error;
use kit::task::erased::Instance;
use kit::task::family::PreparedFamily;
use kit::task::prelude::*;

pub struct CompleteFromPrefix;

params! {
    pub struct CompleteFromPrefixParams {
        /// Family whose problems are solved.
        inner: Cow<'static, str> [structure],
        /// Level of that family.
        inner_level: u32 [0..=50],
        /// Percentage of the steps that are given; the last one never is.
        given_in_hundred: u32 [1..=99],
    }
    levels {
        (Cow::Borrowed("chain_sum"), 3, 60),
        (Cow::Borrowed("linear_system"), 1, 60),
        (Cow::Borrowed("linear_system"), 2, 60),
        (Cow::Borrowed("linear_system"), 3, 50),
        (Cow::Borrowed("linear_system"), 4, 50),
        (Cow::Borrowed("linear_system"), 5, 50),
        (Cow::Borrowed("linear_system"), 6, 40),
        (Cow::Borrowed("linear_system"), 7, 30),
    }
    default 3
}

/// A problem, and the number of steps of its solution that are given.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Begun {
    inner: Instance,
    given: usize,
}

impl PreparedFamily for CompleteFromPrefix {
    type Params = CompleteFromPrefixParams;
    type Problem = Begun;
    type Prepared = Of;

    const ABOUT: About = About {
        summary: "Finish a solution whose first steps are given.",
        judged_by: JudgedBy::Constraints,
        skills: &["continuation", "reading_of_steps"],
        derived: true,
        answered_as_inner: true,
        guess_rate: 0.0145,
        guess_score: 0.0145,
        ..About::new("derived", "complete_from_prefix", &["First version."])
    };

    fn prepare(params: &Self::Params) -> Result<Of, Error> {
        Of::find(Self::ABOUT.name, &params.inner, params.inner_level)
    }

    fn depends_on(of: &Of) -> String {
        of.version()
    }

    fn generate(&self, params: &Self::Params, of: &Of, rng: &mut Rng, budget: &mut Budget) -> Drawn<Begun> {
        loop {
            let inner = Instance::draw(of.family, &of.configured, rng, budget)?;
            let steps = inner.problem.solution().steps.len();
            let given = (steps * params.given_in_hundred as usize)
                .div_ceil(100)
                .clamp(1, steps.saturating_sub(1).max(1));
            let begun = Begun { inner, given };
            if begun.check().is_ok() {
                return Ok(begun);
            }
        }
    }
}

impl Begun {
    fn steps(&self) -> Vec<String> {
        self.inner.problem.solution().steps
    }

    fn listed(&self) -> String {
        let line = |(number, step): (usize, String)| format!("{number}. {step}");
        (1..).zip(self.steps().into_iter().take(self.given)).map(line).lines()
    }
}

impl Problem for Begun {
    type Answer = String;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::open("begun", |begun, rng| {
            format!(
                "Here is a problem:\n\n{}\n\nA correct solution begins like this:\n\n{}\n\nContinue from there and solve the \
                 problem.",
                wording(&begun.inner, rng),
                begun.listed()
            )
        }),
        Template::open("colleague", |begun, rng| {
            format!(
                "Could you take over from a colleague who had to leave? She was working on this:\n\n{}\n\nHer notes are \
                 correct as far as they go:\n\n{}\n\nPlease finish the job.",
                wording(&begun.inner, rng),
                begun.listed()
            )
        }),
        Template::open("tutor", |begun, rng| {
            format!(
                "A student got stuck partway through this exercise:\n\n{}\n\nThere is nothing wrong with the work so far:\
                 \n\n{}\n\nComplete the student's work and solve the exercise.",
                wording(&begun.inner, rng),
                begun.listed()
            )
        }),
        Template::held_out("torn", |begun, rng| {
            format!(
                "The end of this worked example has been torn off. There are no mistakes in the part that survived.\n\n\
                 Problem:\n\n{}\n\nSolution:\n\n{}\n\nWork out the missing part and answer the problem.",
                wording(&begun.inner, rng),
                begun.listed()
            )
        }),
        Template::held_out("spec", |begun, rng| {
            format!(
                "Problem:\n\n{}\n\nPartial solution (incomplete, already verified):\n\n{}\n\nComplete the solution and report \
                 the answer to the problem.",
                wording(&begun.inner, rng),
                begun.listed()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        let steps = self.steps();
        check::within("given", &self.given, 1..=steps.len().saturating_sub(1).max(1))?;
        check::that(steps.len() > 1, || "`inner` has a solution of one step alone".to_owned())?;
        steps.iter().take(self.given).try_for_each(|step| check_answer("inner", step))
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let inner = &self.inner;
        let certificate = inner.certify().map_err(|error| format!("`inner`: {error}"))?;
        let (given, all) = (self.given, inner.problem.solution().steps.len());
        Ok(Certificate {
            proof: format!("{given} of {all} true steps are given; {}", certificate.proof),
            ..certificate
        })
    }

    fn form(&self) -> impl Form<Read = String> {
        form::OfInner(&self.inner)
    }

    fn solution(&self) -> Solution {
        let Solution { steps, answer } = self.inner.problem.solution();
        Solution { steps: steps.into_iter().skip(self.given).collect(), answer }
    }

    fn verify(&self, answer: String, _: &mut Budget) -> Judged {
        self.inner.verify_answer(&answer).into()
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<String> {
        self.inner.problem.near_misses(faults, rng)
    }

    fn shortcuts(&self, rng: &mut Rng) -> Vec<(&'static str, String)> {
        self.inner.problem.shortcuts(rng)
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, String)> {
        let mut guesses = self.inner.problem.guesses(rng);
        let steps = self.steps();
        let end = steps[self.given - 1].split_whitespace().next_back().unwrap_or_default();
        guesses.push(("what the last step given ends with", end.to_owned()));
        guesses
    }

    /// The steps refer to the problem unchanged, so it has no other twin.
    fn twin(&self, _: &mut Rng) -> Self {
        self.clone()
    }

    /// The share of the work that remains.
    fn effort(&self) -> Effort {
        let (all, steps) = (self.inner.problem.effort().steps, self.steps().len() as u64);
        Effort::new(all * (steps - self.given as u64) / steps, 300)
    }

    fn inner(&self) -> Option<&Instance> {
        Some(&self.inner)
    }
}

#[cfg(test)]
mod tests {
    use reasonenv::families;

    use super::*;

    #[test]
    fn the_solution_goes_on_where_the_given_steps_end() {
        families::all();
        let params = CompleteFromPrefixParams::new("linear_system".into(), 2, 50);
        let completed = CompleteFromPrefix::prepare(&params).unwrap();
        let mut rng = kit::rng::Key::new("prefix", 1, "", 0, "").stream(0);
        let begun = CompleteFromPrefix
            .generate(&params, &completed, &mut rng, &mut Budget::new(1_000 * Instance::DRAW))
            .unwrap();
        let (all, rest) = (begun.steps(), begun.solution().steps);
        assert_eq!(all[begun.given..], rest);
        assert!(
            begun.listed().contains(&all[begun.given - 1]) && !begun.listed().contains(&rest[rest.len() - 1])
        );
        let whole = Begun { inner: begun.inner.clone(), given: all.len() };
        assert!(whole.check().unwrap_err().contains("`given`"));
    }

    #[test]
    fn solutions_of_most_families_can_be_begun() {
        let mut begun = 0;
        for family in families::all().iter().filter(|family| !family.about().derived) {
            let params = CompleteFromPrefixParams::new(family.name().into(), 1, 50);
            let completed = CompleteFromPrefix::prepare(&params).unwrap();
            let mut rng = kit::rng::Key::new("prefix", 1, "", 0, "").stream(1);
            let drawn = CompleteFromPrefix.generate(
                &params,
                &completed,
                &mut rng,
                &mut Budget::new(20 * Instance::DRAW),
            );
            begun += usize::from(drawn.is_ok_and(|drawn| !drawn.solution().steps.is_empty()));
        }
        let all = families::all().iter().filter(|family| !family.about().derived).count();
        assert!(10 * begun > 7 * all, "{begun} of {all}");
    }
}
