//! Task families: formatting.

use kit::task::erased::AnyFamily;

mod ascii_tree;
mod json_transform;
mod mark_passages;
mod output_constraints;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &ascii_tree::AsciiTree,
    &json_transform::JsonTransform,
    &mark_passages::MarkPassages,
    &output_constraints::OutputConstraints,
];
