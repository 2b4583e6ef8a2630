//! Reasoning steps, verified one after the other.

use std::iter::Peekable;
use std::vec::IntoIter;

use crate::budget::Budget;
use crate::error::quoted;
use crate::rng::Rng;
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
    /// The step is true, was not known, and brings the problem nearer its end by the family's own measure. Every
    /// family allows at most as many such steps as its shortest known solution has.
    pub advances: bool,
    /// The step is false and easily guessed: it costs what one that advances earns, so that stating everything that
    /// may be true earns nothing.
    pub costs: bool,
    /// The reason, if it does not hold or does not advance.
    pub detail: String,
}

impl StepVerdict {
    pub fn advances() -> Self {
        Self { holds: true, advances: true, costs: false, detail: String::new() }
    }

    /// True, but no nearer the answer.
    pub fn idle(detail: impl Into<String>) -> Self {
        Self { holds: true, advances: false, costs: false, detail: detail.into() }
    }

    pub fn wrong(detail: impl Into<String>) -> Self {
        Self { holds: false, advances: false, costs: false, detail: detail.into() }
    }

    /// False, of a kind that costs.
    pub fn refuted(detail: impl Into<String>) -> Self {
        Self { costs: true, ..Self::wrong(detail) }
    }
}

/// Verifies the steps of one solution in order. It keeps what the true steps so far have established, so that
/// a step costs the same wherever it comes.
pub trait StepJudge {
    /// Checks whether a step is true and advances; `Err` says why it is neither. Total on any text.
    fn judge(&mut self, step: &str, budget: &mut Budget) -> Result<StepVerdict, String>;
}

/// A solution of which each step carries on what the step before it says, so that steps after a mistake can be
/// right or wrong themselves.
pub trait Trace {
    /// The right step at an index, given the text of the step before it, right or wrong, which is empty before
    /// the first; `None` if nothing follows from that text.
    fn follows(&self, at: usize, before: &str) -> Option<String>;

    /// A step that carries on the step before it, but by another operation or number than the problem has
    /// there.
    fn misread(&self, at: usize, before: &str, rng: &mut Rng) -> Option<String>;
}

/// Verifies all steps of a solution within one budget. A step that is said again right after it advanced is
/// idle, even where the solution repeats it.
pub fn judge_steps<S: AsRef<str>>(
    judge: &mut dyn StepJudge,
    steps: &[S],
    budget: &mut Budget,
) -> Vec<StepVerdict> {
    let mut last = String::new();
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
        let verdict = judge.judge(step, budget).unwrap_or_else(StepVerdict::wrong);
        if verdict.advances {
            let said: String = step.split_whitespace().collect();
            if said == last {
                return StepVerdict::idle("true, but it has just been said");
            }
            last = said;
        }
        verdict
    };
    steps.iter().enumerate().map(one).collect()
}

/// Share of the way from the problem to its end after each step: the advancing steps so far, less those that cost,
/// over the `due` ones of the shortest known solution.
pub fn progress(verdicts: &[StepVerdict], due: usize) -> Vec<f64> {
    let earned = verdicts.iter().scan((0, 0), |(advanced, cost), verdict| {
        *advanced += usize::from(verdict.advances);
        *cost += usize::from(verdict.costs);
        Some(advanced.saturating_sub(*cost))
    });
    earned.map(|earned| earned.min(due) as f64 / due.max(1) as f64).collect()
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
    fn a_step_said_twice_in_a_row_counts_once_and_keeps_its_place() {
        let own = ["2 * 2 = 4", "2 * 2 = 4", "4 + 1 = 5"];
        let mut judge = Equations::new(own.map(str::to_owned).to_vec());
        let said = judge_steps(&mut judge, &["2 * 2 = 4", "2*2 = 4", "4 + 1 = 5"], &mut Budget::new(999));
        assert_eq!(progress(&said, 2), [0.5, 0.5, 1.0]);
        assert!(said.iter().all(|said| said.holds));
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
