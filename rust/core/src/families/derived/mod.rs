//! Tasks about a problem of another family.

pub(super) mod choose_among;
pub(super) mod complete_from_prefix;
pub(super) mod count_errors;
pub(super) mod first_error_step;
pub(super) mod judge_solution;
pub(super) mod of;
pub(super) mod repair_solution;
