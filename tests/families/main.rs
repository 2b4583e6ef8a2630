//! Contracts of every registered family, one named case for each contract and family. Registering a new
//! family tests it.
//!
//! `cargo test --test families ::sudoku` runs all contracts of one family, `cargo test --test families
//! attacks_fail` runs one contract for all.

#![expect(clippy::float_cmp, reason = "a score of 1 is exact, and so is a score read twice")]

use std::process::ExitCode;

use reasonenv::families;

#[path = "../shared/columns.rs"]
mod columns;
mod common;
#[path = "../shared/contract.rs"]
#[macro_use]
mod contract;
mod derived;
mod hints;
mod hostile;
mod identity;
mod irrelevant;
mod judging;
mod mixtures;
mod neighbors;
mod planted;
mod playing;
mod progress;
mod prompts;
mod readings;
mod scores;
mod shortcuts;
mod twins;
mod wordings;

fn main() -> ExitCode {
    let units = families::all().iter().map(|family| (family.name().to_owned(), family));
    let mut cases = contract::Cases::new(units.collect());
    derived::contracts(&mut cases);
    hints::contracts(&mut cases);
    hostile::contracts(&mut cases);
    identity::contracts(&mut cases);
    irrelevant::contracts(&mut cases);
    judging::contracts(&mut cases);
    mixtures::contracts(&mut cases);
    neighbors::contracts(&mut cases);
    planted::contracts(&mut cases);
    playing::contracts(&mut cases);
    progress::contracts(&mut cases);
    prompts::contracts(&mut cases);
    readings::contracts(&mut cases);
    scores::contracts(&mut cases);
    shortcuts::contracts(&mut cases);
    twins::contracts(&mut cases);
    wordings::contracts(&mut cases);
    cases.run()
}
