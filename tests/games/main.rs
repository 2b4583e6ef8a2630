//! Contracts of every registered game, one named case for each contract and variant. Registering a new game
//! tests it.
//!
//! `cargo test --test games ::chomp` runs the contracts of one game.

use std::process::ExitCode;

#[path = "../shared/columns.rs"]
mod columns;
mod common;
#[path = "../shared/contract.rs"]
#[macro_use]
mod contract;
mod contracts;
mod dialogues;
mod lanes;
mod self_play;
mod speed;

fn main() -> ExitCode {
    let units = common::variants().map(|variant| (variant.0.clone(), variant));
    let mut cases = contract::Cases::new(units.collect());
    contracts::contracts(&mut cases);
    dialogues::contracts(&mut cases);
    lanes::contracts(&mut cases);
    self_play::contracts(&mut cases);
    speed::contracts(&mut cases);
    cases.run()
}
