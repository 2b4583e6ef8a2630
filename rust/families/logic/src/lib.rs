//! Task families: logic.

use kit::task::erased::AnyFamily;

mod circuit;
mod horn_deduction;
mod knights_and_knaves;
mod propositional_entailment;
mod sat;
mod zebra_puzzle;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &circuit::Circuit,
    &horn_deduction::HornDeduction,
    &knights_and_knaves::KnightsAndKnaves,
    &propositional_entailment::PropositionalEntailment,
    &sat::Sat,
    &zebra_puzzle::ZebraPuzzle,
];
