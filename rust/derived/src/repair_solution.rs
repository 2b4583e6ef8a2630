//! Correct a wrong answer to another family's problem, given what its checker says about it.

use std::borrow::Cow;

use crate::of::{Of, check_answer, wording};
use kit::error::Error;
use kit::task::erased::Instance;
use kit::task::family::PreparedFamily;
use kit::task::prelude::*;

pub struct RepairSolution;

params! {
    pub struct RepairSolutionParams {
        /// Family whose answers are corrected.
        inner: Cow<'static, str> [structure],
        /// Level of that family.
        inner_level: u32 [0..=50],
        /// Most mistakes in the answer, as far as it has room for them; many are likelier than few.
        faults: u32 [1..=20],
    }
    levels {
        (Cow::Borrowed("zebra_puzzle"), 0, 1),
        (Cow::Borrowed("zebra_puzzle"), 2, 2),
        (Cow::Borrowed("knights_and_knaves"), 3, 3),
        (Cow::Borrowed("knights_and_knaves"), 4, 3),
        (Cow::Borrowed("knights_and_knaves"), 5, 3),
        (Cow::Borrowed("knights_and_knaves"), 6, 3),
        (Cow::Borrowed("knights_and_knaves"), 7, 4),
        (Cow::Borrowed("knights_and_knaves"), 8, 4),
        (Cow::Borrowed("knights_and_knaves"), 9, 5),
    }
    default 3
}

/// A problem, and an answer to it that fails.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrokenAnswer {
    inner: Instance,
    answer: String,
}

impl PreparedFamily for RepairSolution {
    type Params = RepairSolutionParams;
    type Problem = BrokenAnswer;
    type Prepared = Of;

    const ABOUT: About = About {
        summary: "Correct a wrong answer, given what a checker says about it.",
        judged_by: JudgedBy::Constraints,
        failures: &[("unrepaired", "the given wrong answer, unchanged")],
        skills: &["error_correction", "verification"],
        derived: true,
        answered_as_inner: true,
        distinct_from: 1,
        guess_rate: 0.08,
        guess_score: 0.14,
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
            let inner = Instance::draw(of.family, &of.configured, rng, budget)?;
            // With a single mistake, whichever name the checker reports would be the wrong one half of the
            // time.
            let most = u64::from(params.faults);
            let faults = 1 + rng.below(most).max(rng.below(most)) as u32;
            let mut misses = inner.problem.near_misses(Faults::Some(faults), rng);
            if misses.is_empty() {
                continue;
            }
            let broken = BrokenAnswer { answer: misses.swap_remove(rng.index(misses.len())), inner };
            if broken.check().is_ok() {
                return Ok(broken);
            }
        }
    }
}

impl BrokenAnswer {
    /// The verifier's verdict on the answer, in words.
    fn complaint(&self) -> String {
        self.inner.verify_answer(&self.answer).detail
    }

    /// The given answer with other values for `count` of its names: the ones that the checker names first if
    /// `named`, any otherwise. Unchanged if the answer is not a list of names with values.
    fn revised(&self, count: usize, named: bool, rng: &mut Rng) -> String {
        let (asks, complaint) = (self.inner.problem.asks(), self.complaint());
        let values: Vec<&str> =
            asks.split("NAME: ").skip(1).filter_map(|rest| rest.split([',', ' ']).next()).collect();
        let mut pairs: Vec<(&str, &str)> =
            self.answer.split(", ").filter_map(|pair| pair.split_once(": ")).collect();
        rng.shuffle(&mut pairs);
        if named {
            pairs.sort_by_key(|(name, _)| complaint.find(name).unwrap_or(complaint.len()));
        }
        pairs.truncate(count);
        let revise = |pair: &str| {
            let Some((name, value)) = pair.split_once(": ") else { return pair.to_owned() };
            let others: Vec<&&str> = values.iter().filter(|other| **other != value).collect();
            let kept = others.is_empty() || !pairs.iter().any(|(revised, _)| *revised == name);
            format!("{name}: {}", if kept { value } else { rng.pick(&others) })
        };
        self.answer.split(", ").map(revise).collect::<Vec<_>>().join(", ")
    }
}

impl Problem for BrokenAnswer {
    type Answer = String;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::open("checker", |broken, rng| {
            format!(
                "Here is a problem:\n\n{}\n\nThe following answer to it is wrong:\n\n{}\n\nA checker reports: {}\n\nCorrect \
                 the answer.",
                wording(&broken.inner, rng),
                broken.answer,
                broken.complaint()
            )
        }),
        Template::open("second_try", |broken, rng| {
            format!(
                "You were asked:\n\n{}\n\nYou answered:\n\n{}\n\nThat was not accepted. The reason given: {}\n\nTry again.",
                wording(&broken.inner, rng),
                broken.answer,
                broken.complaint()
            )
        }),
        Template::open("spec", |broken, rng| {
            format!(
                "Problem:\n\n{}\n\nRejected answer:\n\n{}\n\nError message: {}\n\nSupply an answer that will be accepted.",
                wording(&broken.inner, rng),
                broken.answer,
                broken.complaint()
            )
        }),
        Template::held_out("review", |broken, rng| {
            format!(
                "A colleague's answer to the problem below did not pass review, and the fix is now on your desk.\n\n\
                 Problem:\n\n{}\n\nThe colleague's answer:\n\n{}\n\nReviewer's comment: {}\n\nWhat answer would pass?",
                wording(&broken.inner, rng),
                broken.answer,
                broken.complaint()
            )
        }),
        Template::held_out("homework", |broken, rng| {
            format!(
                "I got my homework back with one answer marked wrong. The problem:\n\n{}\n\nMy answer:\n\n{}\n\nThe teacher \
                 wrote next to it: {}\n\nCan you help me get it right?",
                wording(&broken.inner, rng),
                broken.answer,
                broken.complaint()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check_answer("answer", &self.answer)?;
        check::that(!self.inner.verify_answer(&self.answer).passed, || "`answer` is right".to_owned())
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let inner = &self.inner;
        let certificate = inner.certify().map_err(|error| format!("`inner`: {error}"))?;
        Ok(Certificate { proof: format!("the answer given fails; {}", certificate.proof), ..certificate })
    }

    fn form(&self) -> impl Form<Read = String> {
        form::OfInner(&self.inner)
    }

    fn solution(&self) -> Solution {
        let Solution { mut steps, answer } = self.inner.problem.solution();
        steps.insert(0, format!("The given answer fails: {}", self.complaint()));
        Solution { steps, answer }
    }

    fn verify(&self, answer: String, _: &mut Budget) -> Judged {
        let unrepaired = answer.trim() == self.answer.trim();
        let judged = Judged::from(self.inner.verify_answer(&answer));
        judged.map_err(|failure| if unrepaired { failure.also("unrepaired").score(0.0) } else { failure })
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<String> {
        let mut misses = self.inner.problem.near_misses(faults, rng);
        misses.push(self.answer.clone());
        misses
    }

    fn shortcuts(&self, rng: &mut Rng) -> Vec<(&'static str, String)> {
        self.inner.problem.shortcuts(rng)
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, String)> {
        let mut guesses = self.inner.problem.guesses(rng);
        guesses.extend([
            ("the answer given", self.answer.clone()),
            ("another value for the first that the checker names", self.revised(1, true, rng)),
            ("other values for the first two that the checker names", self.revised(2, true, rng)),
            ("other values for the first three that the checker names", self.revised(3, true, rng)),
            ("another value for one name", self.revised(1, false, rng)),
            ("other values for two names", self.revised(2, false, rng)),
            ("other values for three names", self.revised(3, false, rng)),
        ]);
        guesses
    }

    /// The answer refers to the problem unchanged, so it has no other twin.
    fn twin(&self, _: &mut Rng) -> Self {
        self.clone()
    }

    /// The effort of the problem itself, as it may have to be solved again.
    fn effort(&self) -> Effort {
        self.inner.problem.effort()
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
    fn answers_of_every_family_can_be_broken() {
        for family in families::all().iter().filter(|family| !family.about().derived) {
            let params = RepairSolutionParams::new(family.name().into(), 0, 1);
            let repaired = RepairSolution::prepare(&params).unwrap();
            let mut rng = kit::rng::Key::new("repair", 1, "", 0, "").stream(0);
            // A family whose broken answers all fail the check would spend the whole budget.
            let drawn =
                RepairSolution.generate(&params, &repaired, &mut rng, &mut Budget::new(100 * Instance::DRAW));
            assert!(drawn.is_ok(), "{}", family.name());
        }
    }

    #[test]
    fn a_revision_changes_the_names_that_the_checker_gives_first() {
        families::all();
        let params = RepairSolutionParams::new("knights_and_knaves".into(), 5, 3);
        let repaired = RepairSolution::prepare(&params).unwrap();
        let mut rng = kit::rng::Key::new("repair", 1, "", 0, "").stream(1);
        let mut mended = 0;
        for _ in 0..200 {
            let budget = &mut Budget::new(1_000_000);
            let broken = RepairSolution.generate(&params, &repaired, &mut rng, budget).unwrap();
            let differing = |text: &str| {
                let pairs = broken.answer.split(", ").zip(text.split(", "));
                pairs.filter(|(a, b)| a != b).map(|(a, _)| a.to_owned()).collect::<Vec<_>>()
            };
            for count in [1, 2, 3] {
                assert_eq!(differing(&broken.revised(count, true, &mut rng)).len(), count);
                assert_eq!(differing(&broken.revised(count, false, &mut rng)).len(), count);
            }
            let one = broken.revised(1, true, &mut rng);
            let name = differing(&one)[0].split_once(':').unwrap().0.to_owned();
            assert!(broken.complaint().contains(&name));
            mended += u32::from(broken.inner.verify_answer(&one).passed);
        }
        assert!(mended < 30, "one change where the checker points mends {mended} of 200");
    }
}
