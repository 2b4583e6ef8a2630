//! Steps of a constraint problem: claims about its variables, each with the reason of a solver after a colon.

use std::collections::BTreeMap;

use crate::budget::Budget;
use crate::error::quoted;
use crate::shared::csp::{Csp, Domains, Step};
use crate::task::steps::{StepJudge, StepVerdict};

/// Checks the reasons of steps against what is given and what the true steps so far have established.
pub struct Reasons<'a> {
    csp: Csp,
    known: Domains,
    path: Vec<Step>,
    word: Box<dyn Fn(&Step) -> String + 'a>,
}

impl<'a> Reasons<'a> {
    /// The reasons for the only solution, from what is given on, as `word` writes them.
    pub fn new(csp: Csp, given: Domains, solution: &[u8], word: impl Fn(&Step) -> String + 'a) -> Self {
        Self { path: csp.solve_path(&given, solution).steps, known: given, csp, word: Box::new(word) }
    }

    /// Checks that a reason leads to a variable's value, and takes the value as known. Without a reason there is
    /// nothing to check.
    pub fn take(
        &mut self,
        variable: usize,
        value: u8,
        reason: &str,
        budget: &mut Budget,
    ) -> Result<(), String> {
        let reason = plain(reason);
        let step = |why| Step { variable, value, why };
        let says = |step: &Step| plain(&(self.word)(step)) == reason;
        let own = || self.path.iter().any(|own| *own == step(own.why) && says(own));
        if !reason.is_empty() && !own() {
            let found = self.csp.reasons(&self.known, variable, value, budget);
            let found = found.map_err(|over| over.to_string())?;
            if !found.into_iter().any(|why| says(&step(why))) {
                let like = self.path.first().map(|own| format!(", like `{}`", (self.word)(own)));
                let like = like.unwrap_or_default();
                return Err(format!("`{}` is no reason for it that can be checked{like}", quoted(&reason)));
            }
        }
        self.known.keep(variable, 1 << value).map_err(|_| "it contradicts the steps before it".to_owned())
    }
}

/// A text in lower case, with single spaces and no full stop.
fn plain(text: &str) -> String {
    text.trim_end_matches(['.', ' ']).split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Judges steps that are claims like `Ada is in house 2`, perhaps with a reason after a colon. A true claim advances
/// if it has not been made before.
pub struct Claims<'a> {
    /// Every possible claim, with its variable and value.
    known: BTreeMap<String, (usize, u8)>,
    solution: &'a [u8],
    said: Vec<bool>,
    reasons: Reasons<'a>,
}

impl<'a> Claims<'a> {
    /// The verifier for all claims `(variable, value, text)`.
    pub fn new(
        claims: impl IntoIterator<Item = (usize, u8, String)>,
        solution: &'a [u8],
        reasons: Reasons<'a>,
    ) -> Self {
        let known = claims.into_iter().map(|(variable, value, text)| (text, (variable, value))).collect();
        Self { known, solution, said: vec![false; solution.len()], reasons }
    }
}

impl StepJudge for Claims<'_> {
    fn judge(&mut self, step: &str, budget: &mut Budget) -> Result<StepVerdict, String> {
        let (claim, reason) = step.split_once(':').unwrap_or((step, ""));
        let claim = claim.trim();
        let Some((variable, value)) = self.known.get(claim).copied() else {
            let first = self.known.keys().next().map_or("", String::as_str);
            return Err(format!("`{}` is not a step like `{first}`", quoted(step)));
        };
        if self.solution[variable] != value {
            return Ok(StepVerdict::refuted(format!("it does not follow that {claim}")));
        }
        self.reasons.take(variable, value, reason, budget)?;
        if std::mem::replace(&mut self.said[variable], true) {
            return Ok(StepVerdict::idle("true, but it has been said"));
        }
        Ok(StepVerdict::advances())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::csp::{AllDifferent, Why, range};
    use crate::task::steps::{judge_steps, progress};

    /// Three different numbers from 1 to 3, the first of which is 1.
    fn claims(solution: &[u8]) -> Claims<'_> {
        let mut csp = Csp::new(3, range(1, 3));
        csp.require(AllDifferent(vec![0, 1, 2]));
        csp.require(AllDifferent(vec![0, 1]));
        let mut given = csp.domains();
        given.keep(0, 1 << 1).unwrap();
        let word = |step: &Step| match step.why {
            Why::OnlyValue(rule) => format!("rule {rule} leaves no other"),
            Why::OnlyPlace(rule) => format!("the only place for {} in rule {rule}", step.value),
            Why::Tried(others) => format!("trying {others:b} fails"),
        };
        let all = (0..3).flat_map(|variable| (1..4).map(move |value| (variable, value)));
        let all = all.map(|(variable, value)| (variable, value, format!("x{variable} is {value}")));
        Claims::new(all.collect::<Vec<_>>(), solution, Reasons::new(csp, given, solution, word))
    }

    #[test]
    fn a_reason_is_checked_by_what_is_known() {
        let solution = [1, 2, 3];
        let judged = |steps: &[&str]| {
            let said = judge_steps(&mut claims(&solution), steps, &mut Budget::new(9_999));
            said.iter().map(|said| (said.holds, said.advances)).collect::<Vec<_>>()
        };
        let (advances, idle, wrong) = ((true, true), (true, false), (false, false));
        // Not before the third is known.
        assert_eq!(judged(&["x1 is 2: rule 0 leaves no other"]), [wrong]);
        assert_eq!(judged(&["x2 is 3", "x1 is 2: Rule 0  leaves no other."]), [advances; 2]);
        assert_eq!(judged(&["x2 is 3", "x1 is 2: the only place for 2 in rule 0"]), [advances; 2]);
        assert_eq!(judged(&["x2 is 3", "x1 is 2: the only place for 3 in rule 0"]), [advances, wrong]);
        assert_eq!(judged(&["x2 is 3", "x1 is 2: the moon is full"]), [advances, wrong]);
        assert_eq!(judged(&["x1 is 2: trying 1000 fails", "x1 is 2"]), [advances, idle]);
        assert_eq!(judged(&["x1 is 2: trying 100 fails", "x1 is 3", "x1 = 2"]), [wrong; 3]);
    }

    #[test]
    fn listing_all_claims_earns_nothing() {
        let solution = [1, 2, 3];
        let all: Vec<String> = claims(&solution).known.into_keys().collect();
        let said = judge_steps(&mut claims(&solution), &all, &mut Budget::new(9_999));
        assert_eq!(said.iter().filter(|said| said.advances).count(), 3);
        assert_eq!(progress(&said, 3).last(), Some(&0.0));
    }
}
