//! Verifiable reasoning environments: an item's bytes follow from family, version, params, split,
//! seed and index alone, and every problem carries its own judge.
//!
//! `families` holds the task families, `task` what a task is and how its answer is read and judged,
//! `verifiers` judges over a caller's own rows, `shared` what several units use.
//!
//! `games` holds the two-player games, `game` what one is, who plays it and what an environment's step does,
//! `rules` what games have in common with problems that are played move by move.

pub mod budget;
pub mod error;
pub mod families;
pub mod game;
pub mod games;
pub mod params;
pub mod pool;
pub mod rng;
pub mod rules;
pub mod shared;
pub mod task;
pub mod verifiers;
