//! Verifiable reasoning environments: family, version, params, split, seed and index alone determine a task's
//! bytes, and every problem brings its own verifier.
//!
//! `families` and `games` are the registries of the crates next to this one; docs, tests, Python ids and
//! stubs are generated from them. `kit` is what families are built with, `game` is what two-player games
//! share, and `verifiers` checks a caller's own rows.

pub mod aliases;
pub mod families;
pub mod games;
pub mod settings;

pub use game;
pub use kit::{budget, error, params, picture, pool, rng, rules, shape, shared, task};
pub use reasonenv_verifiers as verifiers;
