//! Task families: algorithms.

use kit::task::erased::AnyFamily;

mod activity_scheduling;
mod game_of_life;
mod jugs;
mod longest_increasing_subsequence;
mod sorting;
mod stack_machine_trace;
mod string_rewriting;
mod tower_of_hanoi;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &activity_scheduling::ActivityScheduling,
    &game_of_life::GameOfLife,
    &jugs::Jugs,
    &longest_increasing_subsequence::LongestIncreasingSubsequence,
    &sorting::Sorting,
    &stack_machine_trace::StackMachineTrace,
    &string_rewriting::StringRewriting,
    &tower_of_hanoi::TowerOfHanoi,
];
