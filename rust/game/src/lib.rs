//! Two-player games, their opponents, and the steps of their environments.
//!
//! `game` defines a game, over `rules`; `search`, `mcts`, `exploit` and `arena` compute with one; `opponent` plays
//! against the learner; `episode` steps environments; `erased`, on top, depends on all of them.

pub mod about;
pub mod arena;
pub mod board;
pub mod draws;
pub mod episode;
pub mod equilibrium;
pub mod erased;
pub mod expect;
pub mod exploit;
pub mod game;
pub mod mcts;
pub mod opponent;
pub mod retrograde;
pub mod search;
pub mod solver_pool;
pub mod state;
pub mod tactics;
pub mod value;
pub mod variant;

/// Imports of every game's file.
pub mod prelude {
    pub use schemars::JsonSchema;
    pub use serde::{Deserialize, Serialize};

    pub use crate::about::About;
    pub use crate::game::{Game, GameFamily};
    pub use crate::search::{Oracle, Solver};
    pub use crate::value::{Objective, Optimality, Unsolved, Value, Values};
    pub use kit::budget::Budget;
    pub use kit::params;
    pub use kit::params::Params;
    pub use kit::picture::{CELL, Ink, Picture};
    pub use kit::rng::Rng;
    pub use kit::rules::{Action, Actions, Misread, Rules, Turn};
    pub use kit::task::answer;
}
