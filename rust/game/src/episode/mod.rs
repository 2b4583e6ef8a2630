//! Episodes: what one step of an environment does.
//!
//! `lanes` are episodes of a game against an opponent, `problems` those of problems played move by move.
//!
//! A single environment is one lane, a vector environment many, so both produce the same stream.

mod analysis;
pub mod columns;
pub mod costs;
pub mod dialogue;
mod lane;
pub mod lane_set;
pub mod lanes;
pub mod message;
pub mod problems;
pub mod referee;
mod save;
pub mod setup;
pub mod step;
