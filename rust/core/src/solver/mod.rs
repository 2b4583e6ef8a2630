//! Engines that families and games share with their tests: exact, counted in steps, with no randomness
//! of their own.

pub mod connect_four;
pub mod exploit;
pub mod limit;
pub mod search;
pub mod shelf;
