//! Helpers that the unit tests of families and games share.

use serde_json::Value;

use crate::budget::Budget;
use crate::json;
use crate::params::{self, Params};
use crate::rng::{Key, Rng};
use crate::shape::Miss;
use crate::task::family::TaskFamily;
use crate::task::form::Form;
use crate::task::problem::Problem;
use crate::task::verdict::{Judged, Verdict};

/// A stream of draws, the same in each run.
pub fn rng(stream: u64) -> Rng {
    Key::new("testing", 1, "", 0, "").stream(stream)
}

/// Params as a caller writes them, or why they are refused.
pub fn params<P: Params>(json: &str) -> Result<P, String> {
    params::parse(&serde_json::from_str(json).unwrap(), &params::schema::<P>())
}

/// A problem of these params.
pub fn drawn<F: TaskFamily>(family: &F, params: &F::Params, rng: &mut Rng) -> F::Problem {
    family.generate(params, rng, &mut Budget::unlimited()).unwrap()
}

/// The verdict on the text of an answer.
pub fn verdict<P: Problem>(problem: &P, answer: &str) -> Verdict {
    let read = problem.form().read(answer);
    read.and_then(|answer| problem.verify(answer, &mut Budget::unlimited())).into()
}

/// Asserts that an answer passes.
#[track_caller]
pub fn passes<P: Problem>(problem: &P, answer: &str) {
    let verdict = verdict(problem, answer);
    assert!(verdict.passed, "{answer}: {}", verdict.detail);
}

/// Asserts that an answer fails for this reason, with this most telling label of the family's own, or the common one
/// where it gives none.
#[track_caller]
pub fn fails<P: Problem>(problem: &P, answer: &str, label: &str, detail: &str) {
    let verdict = verdict(problem, answer);
    assert_eq!((verdict.failures.last().copied(), &*verdict.detail), (Some(label), detail), "{answer}");
}

/// Why the problem's JSON is refused after an edit.
#[track_caller]
pub fn refused<P: Problem>(problem: &P, edit: impl FnOnce(&mut Value)) -> String {
    let mut edited = serde_json::to_value(problem).unwrap();
    edit(&mut edited);
    let read = json::read(&edited.to_string()).map_err(|unread| unread.to_string());
    read.and_then(|problem: P| problem.check()).unwrap_err()
}

/// Says which miss a problem's judge pays, or fails for another reason than the one that makes it wrong.
pub fn misjudged<P: Problem>(
    problem: &P,
    misses: impl IntoIterator<Item = Miss<P::Answer>>,
) -> Option<String> {
    misses.into_iter().find_map(|Miss { answer, because }| {
        let written = problem.form().write(&answer);
        let judged: Judged = problem.verify(answer, &mut Budget::unlimited());
        match (judged, because) {
            (Ok(()), _) => Some(format!("{written} passes, though it is wrong: {because:?}")),
            (Err(failure), Some(label)) if !failure.failures.contains(&label) => {
                Some(format!("{written} fails as {:?}, though it is {label}", failure.failures))
            }
            _ => None,
        }
    })
}
