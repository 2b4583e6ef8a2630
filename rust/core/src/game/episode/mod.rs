//! Episodes against an opponent: what one step of an environment does.
//!
//! A single environment is one lane, a vector environment many, so both give the same stream.

pub mod analysis;
pub mod dialogue;
pub mod lane;
pub mod lanes;
mod save;
pub mod setup;
pub mod step;
