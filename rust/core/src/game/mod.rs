//! What a two-player game is, who plays it, and what an environment's step does.
//!
//! `game` says what a game is, over `rules`; `search`, `exploit` and `arena` compute over one; `opponent` plays
//! against the learner; `episode` steps environments; `erased`, on top, knows all of it.

pub mod about;
pub mod arena;
pub mod draws;
pub mod episode;
pub mod erased;
pub mod exploit;
#[expect(clippy::module_inception, reason = "the trait that this folder is about")]
pub mod game;
pub mod opponent;
pub mod picture;
pub mod search;
pub mod solver_pool;
pub mod state;
pub mod tactics;
pub mod value;
pub mod variant;

/// What the file of a game starts with.
pub mod prelude {
    pub use schemars::JsonSchema;
    pub use serde::{Deserialize, Serialize};

    pub use crate::budget::Budget;
    pub use crate::game::about::About;
    pub use crate::game::game::{Game, GameFamily};
    pub use crate::game::picture::{CELL, Ink, Picture};
    pub use crate::game::search::Solver;
    pub use crate::game::value::{Objective, Optimality, Unsolved, Value, Values};
    pub use crate::params::Params;
    pub use crate::rng::Rng;
    pub use crate::rules::{Action, Actions, Misread, Rules, Turn};
    pub use crate::task::answer;
}
