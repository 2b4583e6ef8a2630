//! Tactics: what is visible one or two plies ahead from the rules alone.

use crate::game::Game;
use kit::rules::{Action, Actions, Turn};

/// Return the moves that win at once; else those that leave the opponent the fewest ways to win at once.
pub fn heuristic<G: Game>(game: &G, state: &G::State) -> Actions {
    let winning = game.winning_moves(state);
    if !winning.is_empty() {
        return winning;
    }
    let legal = game.legal(state);
    let mut fewest = u32::MAX;
    let mut kept = Actions::NONE;
    for action in legal.iter() {
        let left = ways_left(game, state, action);
        if left < fewest {
            (fewest, kept) = (left, Actions::NONE);
        }
        if left == fewest {
            kept.insert(action);
        }
    }
    kept
}

/// Return the outcome of every legal move, looking two plies ahead: a win at once, a loss at once or by the
/// next reply, and a draw otherwise.
pub fn guessed_outcomes<G: Game>(game: &G, state: &G::State) -> Vec<(Action, i8)> {
    let winning = game.winning_moves(state);
    let guess = |action| match () {
        () if winning.contains(action) => 1,
        () if ways_left(game, state, action) > 0 => -1,
        () => 0,
    };
    game.legal(state).iter().map(|action| (action, guess(action))).collect()
}

/// Count the opponent's ways to win at once after a move; a lost game counts as one more than any.
pub fn ways_left<G: Game>(game: &G, state: &G::State, action: Action) -> u32 {
    let mover = game.turn(state);
    let mut next = state.clone();
    game.apply(&mut next, action);
    match (mover, game.turn(&next)) {
        (Turn::Player(player), Turn::Over) => {
            let lost = game.returns(&next)[usize::from(player)] < 0.0;
            if lost { Actions::MOST + 1 } else { 0 }
        }
        (mover, turn) if mover == turn => 0,
        _ => game.winning_moves(&next).len(),
    }
}
