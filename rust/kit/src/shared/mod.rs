//! Nouns that at least two units use.

pub mod calendar;
pub mod csp;
pub mod decimal;
pub mod expression;
pub mod graph;
pub mod grid;
pub mod instructions;
pub mod invariant;
pub mod json;
pub mod optimum;
pub mod program;
pub mod proof;
pub mod rational;
pub mod refinement;
pub mod route;
pub mod tree_text;
