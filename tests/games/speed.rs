//! Times of replies and of exact values, for choosing default opponents and defining `solves_quickly`:
//! printed, and not asserted by any test.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use reasonenv::budget::Budget;
use reasonenv::game::opponent::{Opponent, Pick};
use reasonenv::game::value::Optimality;
use reasonenv::rules::Turn;

use crate::common::{Variant, random_action, rng, start};
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<Variant>) {
    cases.slow(named![replies_are_timed, exact_values_are_timed]);
}

#[expect(clippy::disallowed_methods, reason = "the times are printed, and decide nothing")]
fn replies_are_timed((name, game): Variant) {
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

#[expect(clippy::disallowed_methods, reason = "the times are printed, and decide nothing")]
fn exact_values_are_timed((name, game): Variant) {
    const LIMIT: u64 = 300_000;
    if game.about().hidden || game.solves_instantly() {
        return;
    }
    // By plies left, latest first, so that little is remembered from deeper searches.
    let mut states: BTreeMap<u32, Vec<_>> = BTreeMap::new();
    let mut rng = rng(&name);
    for seed in 0..60 {
        let mut state = start(&game, seed);
        while let Turn::Player(_) = state.turn() {
            states.entry(state.plies_left()).or_default().push(state.boxed_game_clone());
            let action = random_action(state.as_ref(), &mut rng);
            state.apply(action);
        }
    }
    for (left, states) in states {
        let (mut positions, mut most) = (0, 0);
        let begun = Instant::now();
        for state in &states {
            let mut budget = Budget::new(LIMIT);
            let _ = state.best(Optimality::Wdl, &mut budget);
            positions += LIMIT - budget.left();
            most = most.max(LIMIT - budget.left());
        }
        let (count, took) = (states.len() as u64, begun.elapsed());
        let mean = took / count as u32;
        println!("{name}: {left} plies left: {} positions, at most {most}, {mean:?}", positions / count);
        if positions > count * LIMIT / 10 {
            break;
        }
    }
}
