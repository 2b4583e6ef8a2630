//! Every game by name.

use game::erased::{AnyGameFamily, RegisteredGame};
use kit::registry::Registry;
pub use reasonenv_games::connect_four;

use crate::aliases;
use crate::error::Error;

static GAMES: Registry<RegisteredGame> = Registry::new();

/// Every built-in game, alphabetical.
pub fn all() -> &'static [RegisteredGame] {
    GAMES.install(|| reasonenv_games::GAMES.iter().map(|game| RegisteredGame::new(*game)).collect())
}

/// The names of all games, the added ones too, alphabetical.
pub fn names() -> Vec<&'static str> {
    known().into_iter().map(|game| game.about().name).collect()
}

/// A game by its name or another one that people type, one that was added while running among them.
pub fn find(name: &str) -> Result<&'static RegisteredGame, Error> {
    all();
    GAMES.find(name).or_else(|error| {
        aliases::resolved(aliases::GAMES, &names(), name).map_or(Err(error), |game| GAMES.find(game))
    })
}

/// Every game, the added ones too, alphabetical.
pub fn known() -> Vec<&'static RegisteredGame> {
    all();
    GAMES.known()
}

/// Adds a game from outside: see [`Registry::add`].
pub fn add(game: &'static dyn AnyGameFamily, replace: bool) -> Result<&'static RegisteredGame, Error> {
    all();
    GAMES.add(RegisteredGame::new(game), replace)
}

/// Forgets a game that was added: see [`Registry::remove`].
pub fn remove(name: &str) -> Result<(), Error> {
    all();
    GAMES.remove(name)
}
