//! What a textbook algorithm does, done by hand.

pub(super) mod sorting;
