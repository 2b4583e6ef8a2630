//! Verifiable reasoning environments: an item's bytes follow from family, version, params, split,
//! seed and index alone, and every problem carries its own judge.
//!
//! `families` and `games` are the registries of what the crates beside this one hold, from which docs, tests, Python
//! ids and stubs are made. `kit` is what a unit is made with, `game` what two-player games share, `verifiers` judges
//! over a caller's own rows.

pub mod aliases;
pub mod families;
pub mod games;
pub mod settings;

pub use game;
pub use kit::{budget, error, params, picture, pool, rng, rules, shared, task};
pub use reasonenv_verifiers as verifiers;
