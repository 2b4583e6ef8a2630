//! The registry of games: the one list from which docs, tests and Python ids are made.

use std::sync::OnceLock;

use arc_swap::ArcSwap;

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

/// Games from outside this crate. Read without a lock: a fork may happen while any other thread holds one.
static ADDED: OnceLock<ArcSwap<Vec<&'static RegisteredGame>>> = OnceLock::new();

fn added() -> &'static ArcSwap<Vec<&'static RegisteredGame>> {
    ADDED.get_or_init(ArcSwap::default)
}

/// Adds a game from outside this crate, for the rest of the process; with `replace` in the place of one that was
/// added under this name before. Games in progress keep theirs.
pub fn add(game: &'static dyn AnyGameFamily, replace: bool) -> Result<&'static RegisteredGame, Error> {
    let name = game.about().name;
    let taken = |message: &str| Err(Error::Unsupported { family: name, message: message.to_owned() });
    match find(name) {
        Ok(known) if !known.is_outside() => return taken("a built-in game has this name; choose another"),
        Ok(_) if !replace => {
            return taken(
                "a game of this name is registered already; pass `replace=True` to put this one there",
            );
        }
        _ => {}
    }
    let game: &'static RegisteredGame = Box::leak(Box::new(RegisteredGame::new(game)));
    added().rcu(|known| {
        let others = known.iter().copied().filter(|other| other.about().name != name);
        others.chain([game]).collect::<Vec<_>>()
    });
    Ok(game)
}

/// Forgets a game that was added. Games in progress keep it.
pub fn remove(name: &str) -> Result<(), Error> {
    let game = find(name)?.about();
    if !find(name)?.is_outside() {
        return Err(Error::Unsupported { family: game.name, message: "a built-in game stays".to_owned() });
    }
    added().rcu(|known| {
        let others = known.iter().copied().filter(|other| other.about().name != name);
        others.collect::<Vec<_>>()
    });
    Ok(())
}

/// Every game, the added ones too, alphabetical.
pub fn known() -> Vec<&'static RegisteredGame> {
    let mut known: Vec<&'static RegisteredGame> =
        all().iter().chain(added().load().iter().copied()).collect();
    known.sort_by_key(|game| game.about().name);
    known
}

/// Every game of this crate.
pub fn all() -> &'static [RegisteredGame] {
    static REGISTERED: OnceLock<Vec<RegisteredGame>> = OnceLock::new();
    REGISTERED.get_or_init(|| GAMES.iter().map(|game| RegisteredGame::new(*game)).collect())
}

/// A game by name, one that was added while running among them.
pub fn find(name: &str) -> Result<&'static RegisteredGame, Error> {
    let built_in = all().iter().find(|game| game.about().name == name);
    let found = built_in.or_else(|| added().load().iter().find(|game| game.about().name == name).copied());
    found.ok_or_else(|| {
        let names: Vec<&str> = known().into_iter().map(|game| game.about().name).collect();
        unknown("game", name, &names)
    })
}
