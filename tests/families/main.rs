//! What every registered family must satisfy. A new family is tested by being registered.
//!
//! `REASONENV_FAMILY=sudoku cargo test --test families` runs the contracts of one.

#![expect(clippy::float_cmp, reason = "a score of 1 is exact, and so is a score read twice")]

#[path = "../shared/columns.rs"]
mod columns;
mod common;
mod derived;
mod hostile;
mod identity;
mod irrelevant;
mod judging;
mod mixtures;
mod playing;
mod prompts;
mod readings;
mod scores;
mod wordings;
