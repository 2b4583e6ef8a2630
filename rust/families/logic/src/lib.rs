//! Task families: logic.

use kit::task::erased::AnyFamily;

mod circuit;
mod horn_deduction;
mod knights_and_knaves;
mod propositional_entailment;
mod prove_equational;
mod prove_horn;
mod prove_propositional;
mod sat;
mod self_reference;
mod zebra_puzzle;

/// Alphabetical.
pub static FAMILIES: &[&dyn AnyFamily] = &[
    &circuit::Circuit,
    &horn_deduction::HornDeduction,
    &knights_and_knaves::KnightsAndKnaves,
    &propositional_entailment::PropositionalEntailment,
    &prove_equational::ProveEquational,
    &prove_horn::ProveHorn,
    &prove_propositional::ProvePropositional,
    &sat::Sat,
    &self_reference::SelfReference,
    &zebra_puzzle::ZebraPuzzle,
];
