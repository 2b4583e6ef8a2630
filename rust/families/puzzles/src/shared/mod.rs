//! Nouns of several puzzles.

pub mod areas;
pub mod connected;
pub mod counts;
pub mod line_sums;
pub mod printed;
pub mod reversible;
pub mod squares;
