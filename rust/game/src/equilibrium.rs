//! Equilibria of games of hidden information, by counterfactual regret minimization (CFR+), with a proved gap.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::exploit;
use crate::game::Game;
use crate::value::Unsolved;
use kit::budget::Budget;
use kit::rules::{Action, Turn};

/// The equilibrium of one game, computed on first use.
#[derive(Debug, Default)]
pub struct Computed {
    found: OnceLock<Equilibrium>,
}

impl Computed {
    pub const fn new() -> Self {
        Self { found: OnceLock::new() }
    }

    /// Return the weight of each legal action of the player to move, in an equilibrium of the whole game in which neither
    /// player can gain more than `gap`.
    pub fn weights<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        gap: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<u64>, Unsolved> {
        const WHOLE: f64 = (1_u64 << 32) as f64;
        let found = if let Some(found) = self.found.get() {
            found
        } else {
            // Two threads may both compute it; a computation that is interrupted leaves nothing behind.
            let found = Equilibrium::new(game, &game.roots()[0], gap, budget)?;
            self.found.get_or_init(|| found)
        };
        let policy = found.policy(game, state).expect("a player's turn that follows from the start");
        Ok(policy.into_iter().map(|(_, share)| (share * WHOLE) as u64).collect())
    }
}

/// A pair of policies, by what each player knows.
#[derive(Debug)]
pub struct Equilibrium {
    /// Probability of each legal action, in increasing order of action, by player and key.
    policies: BTreeMap<(u8, u128), Box<[f64]>>,
    /// Bounds of the first player's return under perfect play: what the second player holds it to, and what it can force.
    pub value: [f64; 2],
    /// Rounds of regret minimization.
    pub rounds: u32,
}

impl Equilibrium {
    /// Most rounds between two looks at the gap.
    const LOOK: u32 = 1 << 10;

    /// Return policies of which neither player can gain more than `gap` by leaving its own. The players must have
    /// perfect recall, returns must sum to 0, and play must end.
    pub fn new<G: Game>(
        game: &G,
        start: &G::State,
        gap: f64,
        budget: &mut Budget<'_>,
    ) -> Result<Self, Unsolved> {
        let mut tree = Tree::new(game, start, budget)?;
        let mut rounds = 0;
        loop {
            for _ in 0..rounds.clamp(32, Self::LOOK) {
                rounds += 1;
                budget.spend(2 * tree.nodes.len() as u64)?;
                for player in [0, 1] {
                    tree.improve(player, f64::from(rounds));
                }
            }
            let policies = tree.policies();
            let mut found = Self { policies, value: [0.0; 2], rounds };
            let policy = |state: &G::State, _: &mut Budget<'_>| {
                Ok(found.policy(game, state).expect("every state is in the tree"))
            };
            let forced = -exploit::best_response(game, start, 1, &policy, budget)?;
            let held = exploit::best_response(game, start, 0, &policy, budget)?;
            found.value = [forced, held];
            if held - forced <= gap {
                return Ok(found);
            }
        }
    }

    /// Number of sets of states that the player to move cannot tell apart.
    pub fn sets(&self) -> usize {
        self.policies.len()
    }

    /// Probability of each legal action of the player to move; none at another turn or for a state that does not follow
    /// from the start.
    pub fn policy<G: Game>(&self, game: &G, state: &G::State) -> Option<Vec<(Action, f64)>> {
        let Turn::Player(player) = game.turn(state) else {
            return None;
        };
        let policy = self.policies.get(&(player, game.key(state, player)))?;
        Some(game.legal(state).iter().zip(policy.iter().copied()).collect())
    }
}

/// A game's tree, every node after the one that leads to it.
struct Tree {
    nodes: Vec<Node>,
    sets: Vec<Set>,
    /// By node: the probability that the player whose policy is improved, or everyone else, goes there.
    own: Vec<f64>,
    rest: Vec<f64>,
    worth: Vec<f64>,
}

enum Node {
    End(f64),
    /// The first child, and the probability of each.
    Chance(u32, Box<[f64]>),
    /// The first child and the set.
    Player(u32, u32),
}

struct Set {
    player: u8,
    key: u128,
    regrets: Vec<f64>,
    policy: Vec<f64>,
    sums: Vec<f64>,
}

impl Tree {
    fn new<G: Game>(game: &G, start: &G::State, budget: &mut Budget<'_>) -> Result<Self, Unsolved> {
        /// Bytes of a node, its state and its share of the sets while the tree grows.
        const NODE: usize = 256;
        let mut sets = Vec::new();
        let mut numbers = BTreeMap::new();
        let mut nodes = Vec::new();
        let mut states = vec![start.clone()];
        while nodes.len() < states.len() {
            budget.spend(1)?;
            if states.len() * NODE > Unsolved::MEMORY {
                return Err(Unsolved::OutOfMemory);
            }
            let state = states[nodes.len()].clone();
            let first = states.len() as u32;
            let legal = game.legal(&state);
            for action in legal.iter() {
                let mut next = state.clone();
                game.apply(&mut next, action);
                states.push(next);
            }
            nodes.push(match game.turn(&state) {
                Turn::Over => Node::End(f64::from(game.returns(&state)[0])),
                Turn::Chance => {
                    let weights = game.chance_weights(&state);
                    let total = weights.iter().sum::<u64>() as f64;
                    Node::Chance(first, weights.into_iter().map(|weight| weight as f64 / total).collect())
                }
                Turn::Player(player) => {
                    let key = game.key(&state, player);
                    let count = legal.len() as usize;
                    let set = *numbers.entry((player, key)).or_insert_with(|| {
                        let even = vec![1.0 / count as f64; count];
                        sets.push(Set {
                            player,
                            key,
                            regrets: vec![0.0; count],
                            policy: even,
                            sums: vec![0.0; count],
                        });
                        sets.len() - 1
                    });
                    assert_eq!(sets[set].policy.len(), count, "a key tells which moves are legal");
                    Node::Player(first, set as u32)
                }
            });
        }
        let count = nodes.len();
        Ok(Self { nodes, sets, own: vec![0.0; count], rest: vec![0.0; count], worth: vec![0.0; count] })
    }

    /// Improves a player's policy against the other's, with this weight in the average.
    fn improve(&mut self, player: u8, weight: f64) {
        let Self { nodes, sets, own, rest, worth } = self;
        (own[0], rest[0]) = (1.0, 1.0);
        for (at, node) in nodes.iter().enumerate() {
            let (mine, others) = (own[at], rest[at]);
            match node {
                Node::End(_) => {}
                Node::Chance(first, odds) => {
                    for (child, share) in (*first as usize..).zip(odds) {
                        (own[child], rest[child]) = (mine, others * share);
                    }
                }
                Node::Player(first, set) => {
                    let set = &mut sets[*set as usize];
                    let is_mine = set.player == player;
                    for (child, share) in (*first as usize..).zip(&set.policy) {
                        (own[child], rest[child]) =
                            if is_mine { (mine * share, others) } else { (mine, others * share) };
                    }
                }
            }
        }
        let sign = if player == 0 { 1.0 } else { -1.0 };
        for (at, node) in nodes.iter().enumerate().rev() {
            worth[at] = match node {
                Node::End(worth) => sign * worth,
                Node::Chance(first, odds) => mean(&worth[*first as usize..], odds),
                Node::Player(first, set) => {
                    let set = &mut sets[*set as usize];
                    let children = &worth[*first as usize..];
                    let here = mean(children, &set.policy);
                    if set.player == player {
                        for (regret, child) in set.regrets.iter_mut().zip(children) {
                            *regret += rest[at] * (child - here);
                        }
                        for (sum, share) in set.sums.iter_mut().zip(&set.policy) {
                            *sum += weight * own[at] * share;
                        }
                    }
                    here
                }
            };
        }
        for set in sets.iter_mut().filter(|set| set.player == player) {
            for regret in &mut set.regrets {
                *regret = regret.max(0.0);
            }
            set.policy = shares(&set.regrets);
        }
    }

    fn policies(&self) -> BTreeMap<(u8, u128), Box<[f64]>> {
        self.sets.iter().map(|set| ((set.player, set.key), shares(&set.sums).into())).collect()
    }
}

fn mean(worth: &[f64], odds: &[f64]) -> f64 {
    worth.iter().zip(odds).map(|(worth, share)| worth * share).sum()
}

/// Weights as probabilities; even ones if all are 0.
fn shares(weights: &[f64]) -> Vec<f64> {
    let total: f64 = weights.iter().sum();
    let even = 1.0 / weights.len() as f64;
    weights.iter().map(|weight| if total > 0.0 { weight / total } else { even }).collect()
}
