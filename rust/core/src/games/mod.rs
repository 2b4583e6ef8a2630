//! The registry of games: the one list from which docs, tests and Python ids are made.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use serde_json::Value;

use crate::error::{Error, unknown};
use crate::game::{AnyGame, AnyGameFamily};

mod breakthrough;
mod chomp;
mod connect_four;
mod dots_and_boxes;
mod hexapawn;
mod kuhn_poker;
mod nim;
mod othello;
mod pawns;
pub(crate) mod tic_tac_toe;
mod wording;

/// Alphabetical. A new game has its line here and its `mod` line above.
pub static GAMES: &[&dyn AnyGameFamily] = &[
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

pub fn find(name: &str) -> Result<&'static dyn AnyGameFamily, Error> {
    let known = || GAMES.iter().map(|game| game.about().name);
    let found = known().position(|known| known == name);
    found.map(|at| GAMES[at]).ok_or_else(|| unknown("game", name, &known().collect::<Vec<_>>()))
}

/// The params' JSON schema of a registered game.
pub fn schema(name: &str) -> &'static Value {
    static SCHEMAS: OnceLock<BTreeMap<&str, Value>> = OnceLock::new();
    let schemas =
        SCHEMAS.get_or_init(|| GAMES.iter().map(|game| (game.about().name, game.schema())).collect());
    &schemas[name]
}

/// Games in use, by name and canonical params.
type InUse = BTreeMap<(&'static str, String), Weak<dyn AnyGame>>;

/// The one game of these params: whoever uses it shares its solver, and what that remembers.
pub fn shared(
    name: &'static str,
    canonical: &str,
    make: impl FnOnce() -> Arc<dyn AnyGame>,
) -> Arc<dyn AnyGame> {
    static IN_USE: Mutex<InUse> = Mutex::new(BTreeMap::new());
    let mut in_use = IN_USE.lock().unwrap_or_else(PoisonError::into_inner);
    in_use.retain(|_, game| game.strong_count() > 0);
    let key = (name, canonical.to_owned());
    if let Some(game) = in_use.get(&key).and_then(Weak::upgrade) {
        return game;
    }
    let game = make();
    in_use.insert(key, Arc::downgrade(&game));
    game
}
