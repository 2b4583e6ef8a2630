//! Mean values of games of chance that hide nothing, by value iteration over all positions that follow from the start.
//!
//! A limit of plies is left out of account: the values are those of play that continues until it ends by itself.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::game::Game;
use crate::search::Oracle;
use crate::value::{Unsolved, Value, Values};
use kit::budget::Budget;
use kit::rules::Turn;

/// Mean returns of all positions, by [`Game::value_key`]: to the player to move, and to player 0 at a turn of chance.
/// Computed on first use.
#[derive(Debug, Default)]
pub struct Expect {
    solved: OnceLock<Solved>,
}

/// Positions sorted by key.
#[derive(Debug)]
struct Solved {
    keys: Box<[u128]>,
    means: Box<[f64]>,
}

impl Expect {
    /// Change of a value below which it counts as settled.
    const CHANGE: f64 = 1e-14;

    fn solved<G: Game>(&self, game: &G, budget: &mut Budget<'_>) -> Result<&Solved, Unsolved> {
        if let Some(solved) = self.solved.get() {
            return Ok(solved);
        }
        // Two threads may both compute it; a computation that is interrupted leaves nothing behind.
        let solved = Solved::new(game, budget)?;
        Ok(self.solved.get_or_init(|| solved))
    }
}

impl<G: Game> Oracle<G> for Expect {
    fn values(&self, game: &G, state: &G::State, budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        let Turn::Player(mover) = game.turn(state) else {
            return Ok(Vec::new());
        };
        let solved = self.solved(game, budget)?;
        let value = |action| {
            let mut next = state.clone();
            game.apply(&mut next, action);
            let turn = game.turn(&next);
            let mean = match turn {
                Turn::Over => f64::from(game.returns(&next)[0]),
                Turn::Player(_) | Turn::Chance => solved.of(game.value_key(&next)),
            };
            (action, Value::expected(if viewer(turn) == mover { mean } else { -mean }))
        };
        Ok(game.legal(state).iter().map(value).collect())
    }
}

/// The player whose mean is kept.
fn viewer(turn: Turn) -> u8 {
    match turn {
        Turn::Player(player) => player,
        Turn::Chance | Turn::Over => 0,
    }
}

impl Solved {
    fn of(&self, key: u128) -> f64 {
        let place = self.keys.binary_search(&key).expect("every position follows from the start");
        self.means[place]
    }

    fn new<G: Game>(game: &G, budget: &mut Budget<'_>) -> Result<Self, Unsolved> {
        /// Bytes of a key in the tree, a mean and an end.
        const POSITION: usize = 48;
        let mut numbers = BTreeMap::new();
        let mut states = Vec::new();
        for root in game.roots() {
            let fresh = states.len() as u32;
            if *numbers.entry(game.value_key(&root)).or_insert(fresh) == fresh {
                states.push(root);
            }
        }
        // For each position, twice the numbers that its moves lead to, plus 1 where the other player's mean is kept.
        let (mut moves, mut ends) = (Vec::<u32>::new(), Vec::<u32>::new());
        // The odds of those at a turn of chance, in order.
        let mut odds = Vec::<f64>::new();
        let mut means = Vec::<f64>::new();
        let mut by_chance = Vec::<bool>::new();
        while ends.len() < states.len() {
            budget.spend(1)?;
            let bytes = states.len() * (POSITION + size_of::<G::State>()) + 4 * moves.len() + 8 * odds.len();
            if bytes > Unsolved::MEMORY {
                return Err(Unsolved::OutOfMemory);
            }
            let state = states[ends.len()].clone();
            let turn = game.turn(&state);
            means.push(if turn == Turn::Over { f64::from(game.returns(&state)[0]) } else { 0.0 });
            by_chance.push(turn == Turn::Chance);
            for action in game.legal(&state).iter() {
                let mut next = state.clone();
                game.apply(&mut next, action);
                let flipped = viewer(game.turn(&next)) != viewer(turn);
                let fresh = states.len() as u32;
                let number = *numbers.entry(game.value_key(&next)).or_insert(fresh);
                if number == fresh {
                    states.push(next);
                }
                moves.push(number << 1 | u32::from(flipped));
            }
            if turn == Turn::Chance {
                let weights = game.chance_weights(&state);
                let total = weights.iter().sum::<u64>() as f64;
                odds.extend(weights.into_iter().map(|weight| weight as f64 / total));
            }
            ends.push(moves.len() as u32);
        }
        drop(states);
        loop {
            budget.spend(ends.len() as u64)?;
            let mut change = 0.0_f64;
            let (mut end, mut dealt) = (moves.len(), odds.len());
            // Those found last are nearest to the end.
            for at in (0..ends.len()).rev() {
                let first = if at == 0 { 0 } else { ends[at - 1] as usize };
                let of = |to: &u32| {
                    if to & 1 == 1 { -means[(to >> 1) as usize] } else { means[(to >> 1) as usize] }
                };
                let here = moves[first..end].iter().map(of);
                let mean = if first == end {
                    means[at]
                } else if by_chance[at] {
                    dealt -= end - first;
                    here.zip(&odds[dealt..]).map(|(mean, share)| mean * share).sum()
                } else {
                    here.fold(f64::NEG_INFINITY, f64::max)
                };
                change = change.max((mean - means[at]).abs());
                means[at] = mean;
                end = first;
            }
            if change < Expect::CHANGE {
                break;
            }
        }
        let (keys, means): (Vec<u128>, Vec<f64>) =
            numbers.into_iter().map(|(key, number)| (key, means[number as usize])).unzip();
        Ok(Self { keys: keys.into(), means: means.into() })
    }
}
