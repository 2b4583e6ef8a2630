//! Mend a wrong answer to another family's problem, told what its judge says of it.

use std::borrow::Cow;

use crate::of::{Of, check_answer, wording};
use kit::error::Error;
use kit::task::erased::Inner;
use kit::task::family::PreparedFamily;
use kit::task::prelude::*;

pub struct RepairSolution;

params! {
    pub struct RepairSolutionParams {
        /// The family whose answers are mended.
        inner: Cow<'static, str> [structure],
        /// Its level.
        inner_level: u32 [0..=50],
        /// Mistakes in the answer, as far as it has places for them.
        faults: u32 [1..=20],
    }
    levels {
        (Cow::Borrowed("knights_and_knaves"), 0, 1),
        (Cow::Borrowed("knights_and_knaves"), 1, 1),
        (Cow::Borrowed("knights_and_knaves"), 2, 1),
        (Cow::Borrowed("knights_and_knaves"), 3, 1),
        (Cow::Borrowed("knights_and_knaves"), 4, 2),
        (Cow::Borrowed("knights_and_knaves"), 5, 2),
        (Cow::Borrowed("knights_and_knaves"), 6, 2),
        (Cow::Borrowed("knights_and_knaves"), 7, 2),
    }
    default (Cow::Borrowed("sudoku"), 1, 2)
}

/// A problem, and an answer to it that fails.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrokenAnswer {
    inner: Inner,
    answer: String,
}

impl PreparedFamily for RepairSolution {
    type Params = RepairSolutionParams;
    type Problem = BrokenAnswer;
    type Prepared = Of;

    const ABOUT: About = About {
        summary: "Mend a wrong answer, told what its checker says of it.",
        distinct_from: 1,
        judged_by: JudgedBy::Constraints,
        failures: &[("unrepaired", "the wrong answer that was given")],
        skills: &["error_correction", "verification"],
        derived: true,
        answered_as_inner: true,
        ..About::new("derived", "repair_solution", &["First version."])
    };

    fn prepare(params: &Self::Params) -> Result<Of, Error> {
        Of::find(Self::ABOUT.name, &params.inner, params.inner_level)
    }

    fn depends_on(of: &Of) -> String {
        of.version()
    }

    fn generate(
        &self,
        params: &Self::Params,
        of: &Of,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Drawn<BrokenAnswer> {
        loop {
            let inner = Inner::draw(of.family, &of.configured, rng, budget)?;
            let mut misses = inner.problem.near_misses(Faults::Some(params.faults), rng);
            if misses.is_empty() {
                continue;
            }
            let broken = BrokenAnswer { answer: misses.swap_remove(rng.index(misses.len())), inner };
            if broken.check().is_ok() {
                return Ok(broken);
            }
        }
    }

    fn certify(&self, broken: &BrokenAnswer, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let inner = &broken.inner;
        let certificate =
            inner.family.certify(&*inner.problem).map_err(|error| format!("`inner`: {error}"))?;
        Ok(Certificate { proof: format!("the answer given fails; {}", certificate.proof), ..certificate })
    }
}

impl BrokenAnswer {
    /// What the judge says of the answer.
    fn complaint(&self) -> String {
        self.inner.verify(&self.answer).detail
    }
}

impl Problem for BrokenAnswer {
    type Answer = String;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::open("checker", |broken, rng| {
            format!(
                "Here is a problem.\n\n{}\n\nThis answer to it is wrong:\n\n{}\n\nA checker says: {}\n\n\
                 Correct the answer.",
                wording(&broken.inner, rng),
                broken.answer,
                broken.complaint()
            )
        }),
        Template::open("second_try", |broken, rng| {
            format!(
                "You were asked:\n\n{}\n\nYour first answer was:\n\n{}\n\nIt was not accepted, for this reason: {}\n\n\
                 Answer again.",
                wording(&broken.inner, rng),
                broken.answer,
                broken.complaint()
            )
        }),
        Template::held_out("review", |broken, rng| {
            format!(
                "A colleague handed in an answer to the problem below, and the review found a fault in it.\n\n\
                 Problem:\n\n{}\n\nAnswer handed in:\n\n{}\n\nReview: {}\n\nHand in an answer that passes.",
                wording(&broken.inner, rng),
                broken.answer,
                broken.complaint()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check_answer("answer", &self.answer)?;
        check::that(!self.inner.verify(&self.answer).passed, || "`answer` is right".to_owned())
    }

    fn form(&self) -> impl Form<Read = String> {
        form::OfInner(&self.inner)
    }

    fn solution(&self) -> Solution {
        let Solution { mut steps, answer } = self.inner.problem.solution();
        steps.insert(0, format!("The answer given fails: {}", self.complaint()));
        Solution { steps, answer }
    }

    fn verify(&self, answer: String, _: &mut Budget) -> Judged {
        let verdict = self.inner.verify(&answer);
        if answer.trim() == self.answer.trim() {
            Err(verdict.also("unrepaired").score(0.0))
        } else {
            Ok(verdict)
        }
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<String> {
        let mut misses = self.inner.problem.near_misses(faults, rng);
        misses.push(self.answer.clone());
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, String)> {
        let mut guesses = self.inner.problem.guesses(rng);
        guesses.push(("the answer given", self.answer.clone()));
        guesses
    }

    /// The answer is one to the problem as it stands.
    fn twin(&self, _: &mut Rng) -> Self {
        self.clone()
    }

    /// As hard as the problem itself, for whoever works it out again.
    fn effort(&self) -> Effort {
        self.inner.problem.effort()
    }

    fn inner(&self) -> Option<&Inner> {
        Some(&self.inner)
    }
}

#[cfg(test)]
mod tests {
    use reasonenv::families;

    use super::*;

    #[test]
    fn answers_of_every_family_can_be_broken() {
        for family in families::all().iter().filter(|family| !family.about().derived) {
            let params = RepairSolutionParams::new(family.name().into(), 0, 1);
            let repaired = RepairSolution::prepare(&params).unwrap();
            let mut rng = kit::rng::Key::new("repair", 1, "", 0, "").stream(0);
            // A family whose answers all broke the check would spend everything there is.
            let drawn = RepairSolution.generate(&params, &repaired, &mut rng, &mut Budget::new(100));
            assert!(drawn.is_ok(), "{}", family.name());
        }
    }
}
