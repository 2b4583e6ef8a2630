//! Text put into a given form.

pub(super) mod ascii_tree;
pub(super) mod output_constraints;
