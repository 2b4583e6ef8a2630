//! The registry of games: the one list from which docs, tests and Python ids are made.

use std::sync::OnceLock;

use crate::error::{Error, unknown};
use crate::game::erased::{AnyGameFamily, RegisteredGame};

mod breakthrough;
mod chomp;
pub mod connect_four;
mod dots_and_boxes;
mod hexapawn;
mod kuhn_poker;
mod nim;
mod othello;
mod pawns;
pub(crate) mod tic_tac_toe;
mod wording;

/// Alphabetical. A new game has its line here and its `mod` line above.
static GAMES: &[&dyn AnyGameFamily] = &[
    &breakthrough::Breakthrough,
    &chomp::Chomp,
    &connect_four::ConnectFour,
    &dots_and_boxes::DotsAndBoxes,
    &hexapawn::Hexapawn,
    &kuhn_poker::KuhnPoker,
    &nim::Nim,
    &othello::Othello,
    &tic_tac_toe::TicTacToe,
];

/// Every game.
pub fn all() -> &'static [RegisteredGame] {
    static REGISTERED: OnceLock<Vec<RegisteredGame>> = OnceLock::new();
    REGISTERED.get_or_init(|| GAMES.iter().map(|game| RegisteredGame::new(*game)).collect())
}

/// A game by name.
pub fn find(name: &str) -> Result<&'static RegisteredGame, Error> {
    let found = all().iter().find(|game| game.about().name == name);
    found
        .ok_or_else(|| unknown("game", name, &all().iter().map(|game| game.about().name).collect::<Vec<_>>()))
}
