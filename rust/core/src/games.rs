//! Every game by name.

use game::erased::{AnyGameFamily, RegisteredGame};
use kit::registry::Registry;
pub use reasonenv_games::connect_four;

use crate::aliases;
use crate::error::Error;

static GAMES: Registry<RegisteredGame> = Registry::new();

/// Every built-in game, in alphabetical order.
pub fn all() -> &'static [RegisteredGame] {
    GAMES.install(|| reasonenv_games::GAMES.iter().map(|game| RegisteredGame::new(*game)).collect())
}

/// Names of all games, in alphabetical order, including those added at run time.
pub fn names() -> Vec<&'static str> {
    known().into_iter().map(|game| game.about().name).collect()
}

/// Finds a game by its name or an alias, including those added at run time.
pub fn find(name: &str) -> Result<&'static RegisteredGame, Error> {
    all();
    GAMES.find(name).or_else(|error| {
        aliases::resolved(aliases::GAMES, &names(), name).map_or(Err(error), |game| GAMES.find(game))
    })
}

/// Every game, in alphabetical order, including those added at run time.
pub fn known() -> Vec<&'static RegisteredGame> {
    all();
    GAMES.known()
}

/// Registers a game: see [`Registry::add`].
pub fn add(game: &'static dyn AnyGameFamily, replace: bool) -> Result<&'static RegisteredGame, Error> {
    all();
    GAMES.add(RegisteredGame::new(game), replace)
}

/// Removes a registered game: see [`Registry::remove`].
pub fn remove(name: &str) -> Result<(), Error> {
    all();
    GAMES.remove(name)
}
