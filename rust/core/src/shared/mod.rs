//! Nouns that two units or more use.

pub mod decimal;
pub mod expression;
pub mod graph;
pub mod rational;
pub mod route;
pub mod similarity;
pub mod tree_text;
