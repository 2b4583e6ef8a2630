//! How long replies take, for whoever chooses a default opponent: printed, and judged by no test.

use std::time::{Duration, Instant};

use reasonenv::budget::Budget;
use reasonenv::game::opponent::{Opponent, Pick};
use reasonenv::game::value::Optimality;
use reasonenv::rules::Turn;

use crate::common::{random_action, rng, start, variants};

#[test]
#[ignore = "prints times, which a test may not judge"]
#[expect(clippy::disallowed_methods, reason = "the times are printed, and decide nothing")]
fn replies_are_timed() {
    for (name, game) in variants() {
        for pick in [Pick::Heuristic, Pick::Equilibrium, Pick::Minimax(Optimality::Dtm)] {
            let opponent = Opponent::new(pick);
            if opponent.check(game.as_ref()).is_err() {
                continue;
            }
            let mut rng = rng(&name);
            let (mut replies, mut spent, mut worst) = (0, Duration::ZERO, Duration::ZERO);
            for seed in 0..200 {
                let mut state = start(&game, seed);
                let seat = (seed % 2) as u8;
                while let Turn::Player(player) = state.turn() {
                    if player == seat {
                        let action = random_action(state.as_ref(), &mut rng);
                        state.apply(action);
                        continue;
                    }
                    let begun = Instant::now();
                    let action = state.reply(&opponent, &mut Budget::unlimited()).unwrap();
                    let took = begun.elapsed();
                    (replies, spent, worst) = (replies + 1, spent + took, worst.max(took));
                    state.apply(action);
                }
                if spent > Duration::from_secs(5) {
                    break;
                }
            }
            let mean = spent / replies;
            println!("{name} {}: {mean:?} a reply, at most {worst:?}, {replies} replies", pick.name());
        }
    }
}
