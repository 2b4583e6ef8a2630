//! Tasks about problems of other families.

use kit::task::erased::AnyFamily;

mod choose_among;
mod complete_from_prefix;
mod count_errors;
mod critique_solution;
mod fault;
mod first_error_step;
mod judge_solution;
mod of;
mod repair_solution;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &choose_among::ChooseAmong,
    &complete_from_prefix::CompleteFromPrefix,
    &count_errors::CountErrors,
    &critique_solution::CritiqueSolution,
    &first_error_step::FirstErrorStep,
    &judge_solution::JudgeSolution,
    &repair_solution::RepairSolution,
];
