//! Verifiable reasoning environments: an item's bytes follow from family, version, params, split,
//! seed and index alone, and every problem carries its own judge.
//!
//! `families` holds the task families, `family` what one is, `task` the items callers hold, `rng` and
//! `split` where items come from, `answer` and `verdict` how completions are read and judged.
//!
//! `games` holds the two-player games, `game` what one is, `solver` what plays them perfectly,
//! `opponent` who plays against the learner, `episode` what an environment's step does, `arena` how
//! opponents compare.

pub mod actions;
pub mod answer;
pub mod arena;
pub mod budget;
pub mod episode;
pub mod error;
pub mod expression;
pub mod families;
pub mod family;
pub mod game;
pub mod games;
pub mod graph;
pub mod opponent;
pub mod params;
pub mod play;
pub mod pool;
pub mod rational;
pub mod rng;
pub mod route;
pub mod rows;
pub mod similarity;
pub mod solver;
pub mod split;
pub mod style;
pub mod task;
pub mod tree_text;
pub mod verdict;
