//! Exact values of games whose play may go in circles, worked out backwards from the ends of all games.
//!
//! Such a game ends in a draw after a number of plies that its states count. Who can force a win in `n` plies without
//! that limit can force it as long as `n` plies are left, and no sooner or later end is of use to either player: so one
//! table of distances without the limit, and `plies_left`, give the exact value of every state. A rule that ends the
//! game when a position repeats would not: a position's value would depend on what was played before.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::game::Game;
use crate::search::Oracle;
use crate::value::{Unsolved, Value, Values};
use kit::budget::Budget;
use kit::rules::Turn;

/// Distances of all positions that follow from the start, by [`Game::lasting_key`]. Computed on first use.
#[derive(Debug, Default)]
pub struct Retrograde {
    solved: OnceLock<Solved>,
}

/// Positions sorted by key. A distance is positive if the player to move wins in so many plies, negative if it loses, and
/// 0 if neither can force the other to lose.
#[derive(Debug)]
struct Solved {
    keys: Box<[u128]>,
    plies: Box<[i16]>,
}

/// The outcome of a move, for the player who makes it.
#[derive(Clone, Copy, Debug)]
enum After {
    /// The end of the game, won (1), drawn or lost (-1).
    End(i8),
    /// The position with this number.
    Position {
        number: u32,
        /// True if the same player moves again.
        again: bool,
    },
}

impl Retrograde {
    /// Number of positions.
    pub fn positions<G: Game>(&self, game: &G, budget: &mut Budget<'_>) -> Result<usize, Unsolved> {
        Ok(self.solved(game, budget)?.keys.len())
    }

    fn solved<G: Game>(&self, game: &G, budget: &mut Budget<'_>) -> Result<&Solved, Unsolved> {
        if let Some(solved) = self.solved.get() {
            return Ok(solved);
        }
        // Two threads may both compute it; a computation that is interrupted leaves nothing behind.
        let solved = Solved::new(game, budget)?;
        Ok(self.solved.get_or_init(|| solved))
    }
}

impl<G: Game> Oracle<G> for Retrograde {
    fn values(&self, game: &G, state: &G::State, budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        let Turn::Player(mover) = game.turn(state) else {
            return Ok(Vec::new());
        };
        let solved = self.solved(game, budget)?;
        let left = game.plies_left(state) as i32;
        let value = |action| {
            let mut next = state.clone();
            game.apply(&mut next, action);
            let worth = match game.turn(&next) {
                Turn::Over => game.returns(&next)[usize::from(mover)] as i32,
                Turn::Player(player) => {
                    let plies = i32::from(solved.of(game.lasting_key(&next)));
                    let plies = plies + plies.signum();
                    if player == mover { plies } else { -plies }
                }
                Turn::Chance => unreachable!("a game without chance"),
            };
            let worth = if worth.abs() > left { 0 } else { worth };
            let outcome = worth.signum() as i8;
            let distance = (worth != 0).then(|| worth.unsigned_abs());
            (action, Value::proved(outcome, distance, i32::from(outcome)))
        };
        Ok(game.legal(state).iter().map(value).collect())
    }
}

impl Solved {
    fn new<G: Game>(game: &G, budget: &mut Budget<'_>) -> Result<Self, Unsolved> {
        /// Bytes of a key in the tree, and of what is known of a position.
        const POSITION: usize = 48;
        let mut numbers = BTreeMap::new();
        let mut states = Vec::new();
        for root in game.roots() {
            let fresh = states.len() as u32;
            if *numbers.entry(game.lasting_key(&root)).or_insert(fresh) == fresh {
                states.push(root);
            }
        }
        let mut graph = Graph::default();
        let mut at = 0;
        while at < states.len() {
            budget.spend(1)?;
            let state = states[at].clone();
            let mover = game.turn(&state);
            for action in game.legal(&state).iter() {
                let mut next = state.clone();
                game.apply(&mut next, action);
                graph.push(match (mover, game.turn(&next)) {
                    (Turn::Player(player), Turn::Over) => {
                        After::End(game.returns(&next)[usize::from(player)] as i8)
                    }
                    (mover, turn) => {
                        let fresh = states.len() as u32;
                        let number = *numbers.entry(game.lasting_key(&next)).or_insert(fresh);
                        if number == fresh {
                            states.push(next);
                        }
                        After::Position { number, again: mover == turn }
                    }
                });
            }
            graph.close();
            at += 1;
            if states.len() * (POSITION + size_of::<G::State>()) + graph.bytes() > Unsolved::MEMORY {
                return Err(Unsolved::OutOfMemory);
            }
        }
        let plies = graph.solve(budget)?;
        let (keys, plies): (Vec<u128>, Vec<i16>) =
            numbers.into_iter().map(|(key, number)| (key, plies[number as usize])).unzip();
        Ok(Self { keys: keys.into(), plies: plies.into() })
    }

    fn of(&self, key: u128) -> i16 {
        let place = self.keys.binary_search(&key).expect("every position follows from the start");
        self.plies[place]
    }
}

/// The moves of all positions, in the order of their numbers.
#[derive(Debug, Default)]
struct Graph {
    /// A number, twice, plus 1 if the same player moves again; or an end.
    moves: Vec<u32>,
    /// The positions after the moves of each.
    ends: Vec<u32>,
}

impl Graph {
    const WON: u32 = u32::MAX;
    const DRAWN: u32 = u32::MAX - 1;
    const LOST: u32 = u32::MAX - 2;

    /// Adds a move to the last position.
    fn push(&mut self, after: After) {
        self.moves.push(match after {
            After::End(1) => Self::WON,
            After::End(0) => Self::DRAWN,
            After::End(_) => Self::LOST,
            After::Position { number, again } => number << 1 | u32::from(again),
        });
    }

    /// Ends the last position.
    fn close(&mut self) {
        self.ends.push(self.moves.len() as u32);
    }

    /// Bytes that it takes now, and the same again when it is reversed.
    fn bytes(&self) -> usize {
        8 * (self.moves.len() + self.ends.len())
    }

    /// Returns the distance of every position. Positions are decided in the order of their distance, so the first
    /// decided win is the fastest, and a loss is decided by the slowest of its moves.
    fn solve(&self, budget: &mut Budget<'_>) -> Result<Vec<i16>, Unsolved> {
        let count = self.ends.len();
        let mut plies = vec![0_i16; count];
        // Moves that may still save a position from being lost.
        let mut open = vec![0_u32; count];
        let mut before = Reversed::new(self);
        let mut layer = Vec::new();
        for number in 0..count {
            let moves = self.of(number);
            open[number] = moves.iter().filter(|&&to| to != Self::LOST).count() as u32;
            if moves.contains(&Self::WON) {
                plies[number] = 1;
            } else if open[number] == 0 {
                // Every move loses at once. A position without moves would be over.
                plies[number] = -1;
            } else {
                continue;
            }
            layer.push(number as u32);
        }
        let mut distance = 1_i16;
        while !layer.is_empty() {
            distance += 1;
            let mut next = Vec::new();
            for decided in layer {
                let won = plies[decided as usize] > 0;
                for &from in before.of(decided) {
                    budget.spend(1)?;
                    let (number, again) = ((from >> 1) as usize, from & 1 == 1);
                    if plies[number] != 0 {
                        continue;
                    }
                    if won == again {
                        plies[number] = distance;
                    } else {
                        open[number] -= 1;
                        if open[number] > 0 {
                            continue;
                        }
                        plies[number] = -distance;
                    }
                    next.push(number as u32);
                }
            }
            layer = next;
        }
        before.clear();
        Ok(plies)
    }

    fn of(&self, number: usize) -> &[u32] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.moves[start as usize..self.ends[number] as usize]
    }
}

/// The moves by the position that they lead to.
struct Reversed {
    from: Vec<u32>,
    ends: Vec<u32>,
}

impl Reversed {
    fn new(graph: &Graph) -> Self {
        let count = graph.ends.len();
        let mut starts = vec![0_u32; count + 1];
        let inner = |to: &&u32| **to < Graph::LOST;
        for to in graph.moves.iter().filter(inner) {
            starts[(to >> 1) as usize + 1] += 1;
        }
        for number in 0..count {
            starts[number + 1] += starts[number];
        }
        let mut from = vec![0; starts[count] as usize];
        for number in 0..count {
            for to in graph.of(number).iter().filter(inner) {
                let place = &mut starts[(to >> 1) as usize];
                from[*place as usize] = (number as u32) << 1 | to & 1;
                *place += 1;
            }
        }
        // Every start has moved to its end.
        starts.pop();
        Self { from, ends: starts }
    }

    fn of(&self, number: u32) -> &[u32] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.from[start as usize..self.ends[number] as usize]
    }

    fn clear(&mut self) {
        self.from = Vec::new();
    }
}
