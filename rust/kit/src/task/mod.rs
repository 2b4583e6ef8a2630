//! Tasks: families, problems, wordings, and how answers are read and verified.

pub mod about;
pub mod answer;
pub mod batch;
pub mod certificate;
pub mod check;
pub mod erased;
pub mod family;
pub mod form;
pub mod item;
pub mod mixture;
pub mod permutation;
pub mod problem;
pub mod reasons;
pub mod selection;
pub mod solution;
pub mod source;
pub mod split;
pub mod steps;
pub mod style;
pub mod typed;
pub mod verdict;

/// Imports at the start of a family's file.
pub mod prelude {
    pub use schemars::JsonSchema;
    pub use serde::{Deserialize, Serialize};

    pub use crate::budget::{Budget, OverBudget};
    pub use crate::error::quoted;
    pub use crate::params;
    pub use crate::params::Params;
    pub use crate::rng::Rng;
    pub use crate::task::about::{About, Budgets, JudgedBy};
    pub use crate::task::answer::Reading;
    pub use crate::task::certificate::{Aim, Certificate, Drawn, Exhausted, Uncertified};
    pub use crate::task::check;
    pub use crate::task::family::TaskFamily;
    pub use crate::task::form::{self, Form};
    pub use crate::task::problem::{Problem, Template};
    pub use crate::task::solution::{Effort, Faults, Solution};
    pub use crate::task::steps::{Equations, StepJudge, StepVerdict, Trace};
    pub use crate::task::verdict::{Failure, Judged, Part, Verdict, label};
    pub use crate::words::{self, Joined as _};
}
