//! The registry: the one list from which docs, tests, Python ids and stubs are made.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use crate::error::{Error, unknown};
use crate::task::family::Family;

mod arithmetic;
mod formatting;
mod graphs;
mod logic;
mod puzzles;
mod text;

/// Alphabetical. A new family has its line here and its `mod` line in its domain.
pub static FAMILIES: &[&dyn Family] = &[
    &formatting::ascii_tree::AsciiTree,
    &arithmetic::chain_sum::ChainSum,
    &arithmetic::countdown::Countdown,
    &logic::knights_and_knaves::KnightsAndKnaves,
    &text::reverse_text::ReverseText,
    &graphs::shortest_path::ShortestPath,
    &puzzles::sudoku::Sudoku,
    &graphs::tsp::Tsp,
];

pub fn find(name: &str) -> Result<&'static dyn Family, Error> {
    let known = || FAMILIES.iter().map(|family| family.about().name);
    let found = known().position(|known| known == name);
    found.map(|at| FAMILIES[at]).ok_or_else(|| unknown("family", name, &known().collect::<Vec<_>>()))
}

/// The params' JSON schema of a registered family.
pub fn schema(name: &str) -> &'static Value {
    static SCHEMAS: OnceLock<BTreeMap<&str, Value>> = OnceLock::new();
    let schemas = SCHEMAS
        .get_or_init(|| FAMILIES.iter().map(|family| (family.about().name, family.schema())).collect());
    &schemas[name]
}
