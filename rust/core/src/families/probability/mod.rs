//! Chances, as exact fractions.

pub(super) mod exact_probability;
