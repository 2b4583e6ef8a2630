//! What a textbook algorithm does, done by hand.

pub(super) mod activity_scheduling;
pub(super) mod game_of_life;
pub(super) mod jugs;
pub(super) mod longest_increasing_subsequence;
pub(super) mod sorting;
pub(super) mod stack_machine_trace;
pub(super) mod string_rewriting;
pub(super) mod tower_of_hanoi;
