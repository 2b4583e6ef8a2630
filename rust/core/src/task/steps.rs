//! Reasoning steps, judged one after the other.

use crate::budget::Budget;

/// The most steps of one solution that are judged.
pub const MOST_STEPS: usize = 10_000;
/// The most bytes of a step that is read.
pub const LONGEST_STEP: usize = 4_096;

/// What a judge says of one reasoning step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepVerdict {
    /// The step is true, given the problem and the steps before it.
    pub holds: bool,
    /// It brings something new that leads towards the answer.
    pub advances: bool,
    /// Why not, when it does not hold or does not advance.
    pub detail: String,
}

impl StepVerdict {
    pub fn advances() -> Self {
        Self { holds: true, advances: true, detail: String::new() }
    }

    /// True, and no nearer the answer.
    pub fn idle(detail: impl Into<String>) -> Self {
        Self { holds: true, advances: false, detail: detail.into() }
    }

    pub fn wrong(detail: impl Into<String>) -> Self {
        Self { holds: false, advances: false, detail: detail.into() }
    }
}

/// Judges the steps of one solution in order. It keeps what the true steps so far have established, so that a
/// step costs the same wherever it stands.
pub trait StepJudge {
    /// Whether a step is true and leads on; `Err` says why it is neither. Any text may come.
    fn judge(&mut self, step: &str, budget: &mut Budget) -> Result<StepVerdict, String>;
}

/// Judges all steps of a solution within one budget.
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
