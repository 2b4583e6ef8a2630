//! Plays of moves for the tests of several games.

use game::board::{Board, Cells};
use game::prelude::*;

/// The state after these moves from the start, each of them legal.
pub fn played<B: Board>(game: &Cells<B>, moves: &str) -> B::State {
    let mut state = game.first();
    for said in moves.split_whitespace() {
        let action = game.read_action(said).unwrap();
        assert!(game.is_legal(&state, action), "{said}: {}", game.why_illegal(&state, action));
        game.apply(&mut state, action);
    }
    state
}
