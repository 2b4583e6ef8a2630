//! Task families: formatting.

use kit::task::erased::AnyFamily;

mod ascii_tree;
mod formatask;
mod json_transform;
mod output_constraints;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &ascii_tree::AsciiTree,
    &formatask::Formatask,
    &json_transform::JsonTransform,
    &output_constraints::OutputConstraints,
];
