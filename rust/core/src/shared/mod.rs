//! Nouns that two units or more use.

pub mod csp;
pub mod expression;
pub mod graph;
pub mod grid;
pub mod invariant;
pub mod rational;
pub mod route;
pub mod similarity;
pub mod tree_text;
