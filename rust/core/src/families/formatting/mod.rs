//! Text put into a given form.

pub(super) mod ascii_tree;
pub(super) mod formatask;
pub(super) mod json_transform;
pub(super) mod output_constraints;
