//! The registry of games: the one list from which docs, tests and Python ids are made.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use crate::error::{Error, unknown};
use crate::game::AnyGameFamily;

mod connect_four;
mod tic_tac_toe;

/// Alphabetical. A new game has its line here and its `mod` line above.
pub static GAMES: &[&dyn AnyGameFamily] = &[&connect_four::ConnectFour, &tic_tac_toe::TicTacToe];

pub fn find(name: &str) -> Result<&'static dyn AnyGameFamily, Error> {
    let known = || GAMES.iter().map(|game| game.about().name);
    let found = known().position(|known| known == name);
    found
        .map(|at| GAMES[at])
        .ok_or_else(|| unknown("game", name, &known().collect::<Vec<_>>()))
}

/// The params' JSON schema of a registered game.
pub fn schema(name: &str) -> &'static Value {
    static SCHEMAS: OnceLock<BTreeMap<&str, Value>> = OnceLock::new();
    let schemas = SCHEMAS.get_or_init(|| {
        GAMES
            .iter()
            .map(|game| (game.about().name, game.schema()))
            .collect()
    });
    &schemas[name]
}
