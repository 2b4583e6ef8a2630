//! Results of policies against each other, computed exactly over the whole game tree in bounded memory.

use std::collections::BTreeMap;
use std::ops::{Add, Mul};

use crate::game::Game;
use crate::opponent::{Opponent, Pick};
use crate::value::{Optimality, Unsolved};
use crate::variant::Variant;
use kit::budget::Budget;
use kit::rules::{Action, Turn};

/// Bytes per position in a tree filled in random order, including its share of the inner nodes.
const POSITION: usize = 96;
/// Most positions whose tally is remembered.
const MOST_KNOWN: usize = Unsolved::MEMORY / POSITION;

/// Probabilities of the three outcomes, seen by one player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    pub win: f64,
    pub draw: f64,
    pub loss: f64,
    /// Expected return: equal to `win - loss` in a game without stakes.
    pub mean: f64,
}

impl Tally {
    fn of(result: f32) -> Self {
        Self {
            win: f64::from(u8::from(result > 0.0)),
            draw: f64::from(u8::from(result == 0.0)),
            loss: f64::from(u8::from(result < 0.0)),
            mean: f64::from(result),
        }
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            win: self.win + other.win,
            draw: self.draw + other.draw,
            loss: self.loss + other.loss,
            mean: self.mean + other.mean,
        }
    }
}

impl Mul<f64> for Tally {
    type Output = Self;

    fn mul(self, by: f64) -> Self {
        Self { win: self.win * by, draw: self.draw * by, loss: self.loss * by, mean: self.mean * by }
    }
}

/// Results of one policy against an opponent, moving first in half of the games.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    pub policy: &'static str,
    pub tally: Tally,
}

/// Policy whose games are tallied.
#[derive(Clone, Copy, Debug)]
enum Policy<'o> {
    Opponent(&'o Opponent),
    /// Plays the legal move with the lowest number.
    FirstLegal,
    /// Plays a move with the highest expected return against this very opponent.
    BestResponse,
}

/// Return the first player's tally from the start of seed 0.
pub fn duel<G: Game>(
    variant: &Variant<G>,
    players: &[Opponent; 2],
    budget: &mut Budget<'_>,
) -> Result<Tally, Unsolved> {
    duel_within(variant, players, MOST_KNOWN, budget)
}

/// [`duel`] that remembers at most `most_known` positions.
pub fn duel_within<G: Game>(
    variant: &Variant<G>,
    [first, second]: &[Opponent; 2],
    most_known: usize,
    budget: &mut Budget<'_>,
) -> Result<Tally, Unsolved> {
    let tree = Tree::new(variant, 0, [Policy::Opponent(first), Policy::Opponent(second)]);
    Tree { most_known, ..tree }.tally_from_start(budget)
}

/// Tally the reference policies against an opponent, weakest first.
pub fn calibrate<G: Game>(
    variant: &Variant<G>,
    opponent: &Opponent,
    budget: &mut Budget<'_>,
) -> Result<Vec<Calibration>, Unsolved> {
    let random = Opponent::new(Pick::Random);
    let heuristic = Opponent::new(Pick::Heuristic);
    let perfect =
        Opponent::new(if variant.about.hidden { Pick::Equilibrium } else { Pick::Minimax(Optimality::Dtm) });
    let mut policies = vec![("random", Policy::Opponent(&random)), ("first_legal", Policy::FirstLegal)];
    if variant.about.hidden {
        policies.push(("equilibrium", Policy::Opponent(&perfect)));
    } else {
        policies.push(("heuristic", Policy::Opponent(&heuristic)));
        policies.push(("minimax", Policy::Opponent(&perfect)));
        policies.push(("best_response", Policy::BestResponse));
    }
    let mut rows = Vec::new();
    for (name, policy) in policies {
        let opponent = Policy::Opponent(opponent);
        let first = Tree::new(variant, 0, [policy, opponent]).tally_from_start(budget)?;
        let second = Tree::new(variant, 1, [opponent, policy]).tally_from_start(budget)?;
        rows.push(Calibration { policy: name, tally: (first + second) * 0.5 });
    }
    Ok(rows)
}

/// All games of two policies, as player `seat` sees them.
struct Tree<'g, G: Game> {
    variant: &'g Variant<G>,
    seat: u8,
    policies: [Policy<'g>; 2],
    /// Tallies by position. Unused with hidden information, where a key does not identify the state.
    known: BTreeMap<u128, Tally>,
    /// Most positions to remember.
    most_known: usize,
}

impl<'g, G: Game> Tree<'g, G> {
    fn new(variant: &'g Variant<G>, seat: u8, policies: [Policy<'g>; 2]) -> Self {
        Self { variant, seat, policies, known: BTreeMap::new(), most_known: MOST_KNOWN }
    }

    fn tally_from_start(mut self, budget: &mut Budget<'_>) -> Result<Tally, Unsolved> {
        let start = self.variant.bare_start(0).state;
        self.tally(&start, budget)
    }

    fn tally(&mut self, state: &G::State, budget: &mut Budget<'_>) -> Result<Tally, Unsolved> {
        let game = &self.variant.game;
        let player = match game.turn(state) {
            Turn::Over => return Ok(Tally::of(game.returns(state)[usize::from(self.seat)])),
            Turn::Chance => {
                budget.spend(1)?;
                let weights = game.chance_weights(state);
                let total: u64 = weights.iter().sum();
                let share = |weight: u64| weight as f64 / total as f64;
                let each: Vec<_> = game.legal(state).iter().zip(weights.into_iter().map(share)).collect();
                return self.mixed(state, &each, budget);
            }
            Turn::Player(player) => player,
        };
        let memo = (!self.variant.about.hidden).then(|| game.key(state, player));
        if let Some(tally) = memo.and_then(|key| self.known.get(&key)) {
            return Ok(*tally);
        }
        budget.spend(1)?;
        // A heuristic's choice may take as long as a search of a thousand positions.
        budget.look()?;
        let tally = match self.policies[usize::from(player)] {
            Policy::Opponent(opponent) => {
                let each = opponent.distribution(game, state, budget)?;
                self.mixed(state, &each, budget)?
            }
            Policy::FirstLegal => {
                let first = game.legal(state).first().expect("the player to move has a move");
                self.mixed(state, &[(first, 1.0)], budget)?
            }
            Policy::BestResponse => {
                let mut best: Option<Tally> = None;
                for action in game.legal(state).iter() {
                    let tally = self.mixed(state, &[(action, 1.0)], budget)?;
                    if best.is_none_or(|best| tally.mean > best.mean) {
                        best = Some(tally);
                    }
                }
                best.expect("the player to move has a move")
            }
        };
        if let Some(key) = memo {
            if self.known.len() == self.most_known {
                return Err(Unsolved::OutOfMemory);
            }
            self.known.insert(key, tally);
        }
        Ok(tally)
    }

    fn mixed(
        &mut self,
        state: &G::State,
        each: &[(Action, f64)],
        budget: &mut Budget<'_>,
    ) -> Result<Tally, Unsolved> {
        let mut tally = Tally::default();
        for &(action, share) in each.iter().filter(|(_, share)| *share > 0.0) {
            let mut next = state.clone();
            self.variant.game.apply(&mut next, action);
            tally = tally + self.tally(&next, budget)? * share;
        }
        Ok(tally)
    }
}
