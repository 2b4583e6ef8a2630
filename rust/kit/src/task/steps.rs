//! Reasoning steps, verified one after the other.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::vec::IntoIter;

use crate::budget::Budget;
use crate::error::quoted;
use crate::shared::expression::{Expression, Grammar, Operator, UnaryMinus};

/// Largest number of steps of one solution that are verified.
pub const MOST_STEPS: usize = 10_000;
/// Largest size in bytes of a step that is read.
pub const LONGEST_STEP: usize = 4_096;

/// Verdict on one reasoning step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepVerdict {
    /// The step is true, given the problem and the steps before it.
    pub holds: bool,
    /// It adds something new that leads toward the answer.
    pub advances: bool,
    /// The reason, if it does not hold or does not advance.
    pub detail: String,
}

impl StepVerdict {
    pub fn advances() -> Self {
        Self { holds: true, advances: true, detail: String::new() }
    }

    /// True, but no nearer the answer.
    pub fn idle(detail: impl Into<String>) -> Self {
        Self { holds: true, advances: false, detail: detail.into() }
    }

    pub fn wrong(detail: impl Into<String>) -> Self {
        Self { holds: false, advances: false, detail: detail.into() }
    }
}

/// Verifies the steps of one solution in order. It keeps what the true steps so far have established, so that
/// a step costs the same wherever it comes.
pub trait StepJudge {
    /// Checks whether a step is true and advances; `Err` says why it is neither. Total on any text.
    fn judge(&mut self, step: &str, budget: &mut Budget) -> Result<StepVerdict, String>;
}

/// Verifies all steps of a solution within one budget.
pub fn judge_steps<S: AsRef<str>>(
    judge: &mut dyn StepJudge,
    steps: &[S],
    budget: &mut Budget,
) -> Vec<StepVerdict> {
    let one = |(at, step): (usize, &S)| {
        let step = step.as_ref();
        if at >= MOST_STEPS {
            return StepVerdict::wrong(format!("only {MOST_STEPS} steps are judged"));
        }
        if step.len() > LONGEST_STEP {
            return StepVerdict::wrong(format!("the step has more than {LONGEST_STEP} bytes"));
        }
        if budget.spend(1 + step.len() as u64).is_err() {
            return StepVerdict::wrong("judging the steps takes more work than is allowed");
        }
        judge.judge(step, budget).unwrap_or_else(StepVerdict::wrong)
    };
    steps.iter().enumerate().map(one).collect()
}

/// Verifies steps that are equations of whole numbers, like `3 * 7 + 4 = 25`. A true one advances if it is
/// the solution's next, in any spacing.
pub struct Equations {
    wanted: Peekable<IntoIter<String>>,
}

impl Equations {
    /// The verifier for a solution with these steps.
    pub fn new(steps: Vec<String>) -> Self {
        Self { wanted: steps.into_iter().peekable() }
    }
}

impl StepJudge for Equations {
    fn judge(&mut self, step: &str, budget: &mut Budget) -> Result<StepVerdict, String> {
        let (left, right) = equation(step)?;
        let mut value = |side: &Expression| side.value(budget).map_err(|error| error.to_string());
        let (left_value, right_value) = (value(&left)?, value(&right)?);
        if left_value != right_value {
            return Err(format!("the left side is {left_value}, the right side {right_value}"));
        }
        let is_next = |next: &String| equation(next).is_ok_and(|next| next == (left, right));
        if self.wanted.peek().is_none() {
            return Ok(StepVerdict::idle("true, but all that leads to the answer is there"));
        }
        Ok(match self.wanted.next_if(is_next) {
            Some(_) => StepVerdict::advances(),
            None => StepVerdict::idle("true, but not what comes next on the way to the answer"),
        })
    }
}

/// Verifies steps that are claims like `r1c2 is safe`, perhaps with a reason after a colon, which is ignored.
/// A true claim advances if it has not been made before.
pub struct Claims {
    /// Every possible claim, whether it is true, and whether it has been made.
    known: BTreeMap<String, (bool, bool)>,
}

impl Claims {
    pub fn new(claims: impl IntoIterator<Item = (String, bool)>) -> Self {
        Self { known: claims.into_iter().map(|(claim, is_true)| (claim, (is_true, false))).collect() }
    }
}

impl StepJudge for Claims {
    fn judge(&mut self, step: &str, _: &mut Budget) -> Result<StepVerdict, String> {
        let claim = step.split(':').next().unwrap_or_default().trim();
        let Some((is_true, made)) = self.known.get_mut(claim) else {
            let first = self.known.keys().next().map_or("", String::as_str);
            return Err(format!("`{}` is not a step like `{first}`", quoted(step)));
        };
        if !*is_true {
            return Err(format!("it does not follow that {claim}"));
        }
        if std::mem::replace(made, true) {
            return Ok(StepVerdict::idle("true, but it has been said"));
        }
        Ok(StepVerdict::advances())
    }
}

/// Both sides of an equation.
fn equation(step: &str) -> Result<(Expression, Expression), String> {
    const ANY: Grammar = Grammar { operators: &Operator::ALL, unary_minus: UnaryMinus::Anywhere };
    let refuse = |why: String| format!("`{}` is not an equation like 3 * 7 + 4 = 25: {why}", quoted(step));
    let (left, right) = step.split_once('=').ok_or_else(|| refuse("there is no `=`".to_owned()))?;
    let side = |text| Expression::parse(text, ANY).map_err(|error| refuse(error.to_string()));
    Ok((side(left)?, side(right)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_true_once() {
        let claims = [("r1c1 is safe".to_owned(), true), ("r1c2 is safe".to_owned(), false)];
        let steps = ["r1c1 is safe: no mine is left", " r1c1 is safe", "r1c2 is safe", "r1c3 is safe", ""];
        let said = judge_steps(&mut Claims::new(claims), &steps, &mut Budget::new(999));
        let said: Vec<_> = said.iter().map(|said| (said.holds, said.advances)).collect();
        assert_eq!(said, [(true, true), (true, false), (false, false), (false, false), (false, false)]);
    }

    #[test]
    fn an_equation_is_true_or_false_and_leads_on_or_does_not() {
        let judged = |steps: &[&str]| {
            let mut judge = Equations::new(vec!["1 * 7 + 4 = 11".into(), "11 = 2 * 5 + 1".into()]);
            judge_steps(&mut judge, steps, &mut Budget::new(10_000)).pop().unwrap()
        };
        for advances in [&["1*7 + 4=11"][..], &["1 * 7 + 4 = 11", "11 = 02 * 5 + 1"]] {
            assert!(judged(advances).advances, "{advances:?}");
        }
        for idle in [
            &["11 = 2 * 5 + 1"][..],
            &["11 = 1 * 7 + 4"],
            &["11 = 11"],
            &["1 * 7 + 4 = 11", "1 * 7 + 4 = 11"],
        ] {
            assert!(judged(idle).holds && !judged(idle).advances, "{idle:?}");
        }
        for wrong in [
            "1 * 7 + 4 = 12",
            "1 * 7 + 4",
            "=",
            "11 = 11 = 11",
            "1 / 0 = 1 / 0",
            "11 == 11",
            "eleven = 11",
            "",
        ] {
            assert!(!judged(&[wrong]).holds, "{wrong}");
        }
        let detail = judged(&["1 * 7 + 4 = 12"]).detail;
        assert_eq!(detail, "the left side is 11, the right side 12");
    }
}
