//! Verifiable reasoning environments: an item's bytes follow from family, version, params, split,
//! seed and index alone, and every problem carries its own judge.
//!
//! `families` holds the task families, `task` what a task is and how its answer is read and judged,
//! `verifiers` judges over a caller's own rows, `shared` what several units use.
//!
//! `games` holds the two-player games, `game` what one is, `solver` what plays them perfectly,
//! `opponent` who plays against the learner, `episode` what an environment's step does, `arena` how
//! opponents compare.

pub mod actions;
pub mod arena;
pub mod budget;
pub mod episode;
pub mod error;
pub mod families;
pub mod game;
pub mod games;
pub mod opponent;
pub mod params;
pub mod play;
pub mod pool;
pub mod rng;
pub mod shared;
pub mod solver;
pub mod task;
pub mod verifiers;
