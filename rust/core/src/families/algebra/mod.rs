//! Symbols in the place of numbers.

pub(super) mod integration;
pub(super) mod linear_system;
pub(super) mod number_sequence;
pub(super) mod polynomial_multiplication;
