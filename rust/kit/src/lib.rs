//! Building blocks of every unit.
//!
//! `task` defines tasks and how their answers are read and verified, `rules` what games share with problems
//! that are played move by move, and `shared` what several units use. The other modules are the foundations.

pub mod budget;
pub mod error;
pub mod json;
pub mod params;
pub mod picture;
pub mod pool;
pub mod registry;
pub mod rng;
pub mod rules;
pub mod shape;
pub mod shared;
pub mod similarity;
pub mod task;
pub mod testing;
pub mod words;

/// Imports at the start of a family's file.
pub mod prelude {
    pub use crate::problem;
    pub use crate::shape::{Label, Miss, Steps};
    pub use crate::task::prelude::*;
    pub use crate::task::problem::{Bag, Fields, Prompt, Slots, Work, among, items};
}
