//! What every unit is made with.
//!
//! `task` is what a task is and how its answer is read and judged, `rules` what games have in common with problems
//! that are played move by move, `shared` what several units use; the rest are the foundations of all of it.

pub mod budget;
pub mod error;
pub mod json;
pub mod params;
pub mod picture;
pub mod pool;
pub mod registry;
pub mod rng;
pub mod rules;
pub mod shared;
pub mod similarity;
pub mod task;
pub mod testing;
pub mod words;
