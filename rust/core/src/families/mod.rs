//! The registry: the one list from which docs, tests, Python ids and stubs are made.

use crate::error::Error;
use crate::task::erased::{AnyFamily, Family};
use crate::task::registry;

mod algebra;
mod algorithms;
mod arithmetic;
mod code;
mod derived;
mod formatting;
mod geometry;
mod graphs;
mod induction;
mod logic;
mod probability;
mod puzzles;
mod text;

/// Alphabetical. A new family has its line here and its `mod` line in its domain.
static FAMILIES: &[&dyn AnyFamily] = &[
    &algorithms::activity_scheduling::ActivityScheduling,
    &formatting::ascii_tree::AsciiTree,
    &arithmetic::base_conversion::BaseConversion,
    &arithmetic::basic_arithmetic::BasicArithmetic,
    &graphs::bin_packing::BinPacking,
    &text::caesar_cipher::CaesarCipher,
    &arithmetic::calendar_arithmetic::CalendarArithmetic,
    &arithmetic::chain_sum::ChainSum,
    &derived::choose_among::ChooseAmong,
    &logic::circuit::Circuit,
    &derived::complete_from_prefix::CompleteFromPrefix,
    &geometry::coordinate_geometry::CoordinateGeometry,
    &derived::count_errors::CountErrors,
    &arithmetic::countdown::Countdown,
    &probability::exact_probability::ExactProbability,
    &derived::first_error_step::FirstErrorStep,
    &formatting::formatask::Formatask,
    &arithmetic::fraction_arithmetic::FractionArithmetic,
    &puzzles::futoshiki::Futoshiki,
    &algorithms::game_of_life::GameOfLife,
    &graphs::graph_coloring::GraphColoring,
    &logic::horn_deduction::HornDeduction,
    &algebra::integration::Integration,
    &graphs::job_shop::JobShop,
    &formatting::json_transform::JsonTransform,
    &derived::judge_solution::JudgeSolution,
    &algorithms::jugs::Jugs,
    &graphs::knapsack::Knapsack,
    &logic::knights_and_knaves::KnightsAndKnaves,
    &text::letter_counting::LetterCounting,
    &algebra::linear_system::LinearSystem,
    &induction::list_functions::ListFunctions,
    &algorithms::longest_increasing_subsequence::LongestIncreasingSubsequence,
    &graphs::max_flow::MaxFlow,
    &puzzles::maze::Maze,
    &puzzles::minesweeper::Minesweeper,
    &arithmetic::modular_arithmetic::ModularArithmetic,
    &puzzles::n_queens::NQueens,
    &puzzles::nonogram::Nonogram,
    &algebra::number_sequence::NumberSequence,
    &formatting::output_constraints::OutputConstraints,
    &text::palindrome_completion::PalindromeCompletion,
    &algebra::polynomial_multiplication::PolynomialMultiplication,
    &arithmetic::prime_factorization::PrimeFactorization,
    &code::program_induction::ProgramInduction,
    &code::program_input::ProgramInput,
    &code::program_output::ProgramOutput,
    &logic::propositional_entailment::PropositionalEntailment,
    &derived::repair_solution::RepairSolution,
    &text::reverse_text::ReverseText,
    &logic::sat::Sat,
    &graphs::shortest_path::ShortestPath,
    &puzzles::sokoban::Sokoban,
    &algorithms::sorting::Sorting,
    &algorithms::stack_machine_trace::StackMachineTrace,
    &algorithms::string_rewriting::StringRewriting,
    &puzzles::sudoku::Sudoku,
    &graphs::topological_order::TopologicalOrder,
    &algorithms::tower_of_hanoi::TowerOfHanoi,
    &graphs::tsp::Tsp,
    &arithmetic::unit_conversion::UnitConversion,
    &text::unscramble_sentence::UnscrambleSentence,
    &text::word_sorting::WordSorting,
    &logic::zebra_puzzle::ZebraPuzzle,
];

/// Every family, alphabetical.
pub fn all() -> &'static [Family] {
    registry::install(FAMILIES)
}

/// A family by name, one that was added while running among them.
pub fn find(name: &str) -> Result<&'static Family, Error> {
    all();
    registry::find(name)
}
