//! Monte Carlo tree search: play of any strength in games too large to solve, the same for the same draws.

use std::ops::Range;

use crate::draws::{Words, scaled};
use crate::game::Game;
use crate::value::Unsolved;
use kit::budget::Budget;
use kit::rules::{Action, Turn};

/// Playouts of an opponent that says nothing else.
pub const PLAYOUTS: u32 = 200;
/// Most playouts for one reply.
pub const MOST_PLAYOUTS: u32 = 100_000;

/// A move after the playouts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    pub action: Action,
    /// Number of playouts that began with it.
    pub visits: u32,
    /// The return that it is proved to lead to for the player to move, if any is.
    pub proved: Option<f32>,
}

/// Try each legal move of `state` in `playouts` random continuations, fewer if its value is proved before. They depend
/// on the state and on `words` alone: nothing is kept between calls. The player to move must see the whole state.
pub fn search<G: Game>(
    game: &G,
    state: &G::State,
    playouts: u32,
    words: Words,
    budget: &mut Budget<'_>,
) -> Result<Vec<Tried>, Unsolved> {
    let root = Node { visits: 1, ..Node::new(0) };
    let mut tree = Tree { game, words, drawn: Tree::<G>::FIRST_WORD, nodes: vec![root], path: Vec::new() };
    for _ in 0..playouts {
        if tree.nodes[0].proved.is_some() {
            break;
        }
        tree.play_out(state.clone(), budget)?;
    }
    let sign = sign(tree.nodes[0].mover);
    let tried = tree.children(0).map(|child| {
        let Node { action, visits, proved, .. } = tree.nodes[child];
        Tried { action, visits, proved: proved.map(|result| sign * result) }
    });
    Ok(tried.collect())
}

/// Return a move that is proved to win, else, of those not proved to lose, the one most tried, the lowest of several.
pub fn choose<G: Game>(
    game: &G,
    state: &G::State,
    playouts: u32,
    words: Words,
    budget: &mut Budget<'_>,
) -> Result<Action, Unsolved> {
    let tried = search(game, state, playouts, words, budget)?;
    let best = tried.iter().rev().max_by_key(|tried| {
        let decided = tried.proved.map_or(0, |result| result.clamp(-1.0, 1.0) as i8);
        (decided, tried.visits)
    });
    Ok(best.expect("the player to move has a move").action)
}

fn sign(player: u8) -> f32 {
    if player == 0 { 1.0 } else { -1.0 }
}

struct Tree<'g, G: Game> {
    game: &'g G,
    words: Words,
    /// Number of the next word.
    drawn: u64,
    /// The children of a node stand together.
    nodes: Vec<Node>,
    /// Nodes of the playout, from the root on.
    path: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Node {
    action: Action,
    visits: u32,
    /// Sum of player 0's returns.
    sum: f64,
    first: u32,
    count: u32,
    /// Player to move, once it has children; chance is [`Node::CHANCE`].
    mover: u8,
    /// Player 0's return, if proved.
    proved: Option<f32>,
}

impl Node {
    const CHANCE: u8 = 2;

    const fn new(action: Action) -> Self {
        Self { action, visits: 0, sum: 0.0, first: 0, count: 0, mover: Self::CHANCE, proved: None }
    }
}

impl<G: Game> Tree<'_, G> {
    /// The words before it decide an opponent's errors and its choice among equals.
    const FIRST_WORD: u64 = 3;
    /// Weight of exploring; found by play against the heuristic.
    const BONUS: f64 = 0.5;
    /// A tree of so many nodes does not grow.
    const MOST_NODES: usize = Unsolved::MEMORY / size_of::<Node>() / 2;

    fn below(&mut self, n: u64) -> u64 {
        self.drawn += 1;
        scaled(self.words.get(self.drawn - 1), n)
    }

    fn children(&self, node: usize) -> Range<usize> {
        let Node { first, count, .. } = self.nodes[node];
        first as usize..(first + count) as usize
    }

    fn play_out(&mut self, mut state: G::State, budget: &mut Budget<'_>) -> Result<(), Unsolved> {
        let mut at = 0;
        self.path.clear();
        let result = loop {
            self.path.push(at as u32);
            if let Some(result) = self.nodes[at].proved {
                break result;
            }
            let turn = self.game.turn(&state);
            if turn == Turn::Over {
                let [result, _] = self.game.returns(&state);
                self.nodes[at].proved = Some(result);
                break result;
            }
            if self.nodes[at].count == 0 {
                if self.nodes[at].visits == 0 || self.nodes.len() > Self::MOST_NODES {
                    break self.at_random(state, budget)?;
                }
                let legal = self.game.legal(&state);
                let mover = if let Turn::Player(player) = turn { player } else { Node::CHANCE };
                let first = self.nodes.len() as u32;
                self.nodes[at] = Node { first, count: legal.len(), mover, ..self.nodes[at] };
                self.nodes.extend(legal.iter().map(Node::new));
            }
            at = match turn {
                Turn::Player(player) => self.most_urgent(at, player),
                _ => self.nodes[at].first as usize + self.drawn_by_chance(&state),
            };
            budget.spend(1)?;
            self.game.apply(&mut state, self.nodes[at].action);
        };
        let mut proved = false;
        for node in self.path.iter().rev().map(|&node| node as usize) {
            self.nodes[node].visits += 1;
            self.nodes[node].sum += f64::from(result);
            if proved {
                self.nodes[node].proved = self.proof(node);
            }
            proved = self.nodes[node].proved.is_some();
        }
        Ok(())
    }

    /// Player 0's return at the end of random moves.
    fn at_random(&mut self, mut state: G::State, budget: &mut Budget<'_>) -> Result<f32, Unsolved> {
        loop {
            let legal = self.game.legal(&state);
            let nth = match self.game.turn(&state) {
                Turn::Over => return Ok(self.game.returns(&state)[0]),
                Turn::Chance => self.drawn_by_chance(&state) as u32,
                Turn::Player(_) => self.below(legal.len().into()) as u32,
            };
            budget.spend(1)?;
            self.game.apply(&mut state, legal.nth(nth).expect("the draw is below the number of actions"));
        }
    }

    fn drawn_by_chance(&mut self, state: &G::State) -> usize {
        let weights = self.game.chance_weights(state);
        let mut left = self.below(weights.iter().sum());
        let at = weights.iter().position(|&weight| {
            let here = left < weight;
            left = left.saturating_sub(weight);
            here
        });
        at.expect("the draw is below the sum of the weights")
    }

    /// Player 0's return if the children of a node prove it: a win is enough, else all of them must be proved.
    fn proof(&self, node: usize) -> Option<f32> {
        let mover = self.nodes[node].mover;
        if mover == Node::CHANCE {
            return None;
        }
        let sign = sign(mover);
        let known = self.children(node).map(|child| self.nodes[child].proved.map(|result| sign * result));
        let best = known.clone().flatten().fold(f32::NEG_INFINITY, f32::max);
        (best >= 1.0 || known.clone().all(|known| known.is_some())).then_some(sign * best)
    }

    /// The child to visit, not one that is proved to lose: one that never was, else the one with the highest mean and
    /// bonus. The bonus is polynomial (Shah et al., 2020), so that no logarithm of the platform is needed.
    fn most_urgent(&mut self, node: usize, player: u8) -> usize {
        let children = self.children(node);
        let fresh = children.clone().filter(|&child| self.nodes[child].visits == 0).count() as u64;
        if fresh > 0 {
            let nth = self.below(fresh) as usize;
            let mut unseen = children.filter(|&child| self.nodes[child].visits == 0);
            return unseen.nth(nth).expect("the draw is below their number");
        }
        let sign = sign(player);
        let wide = f64::from(self.nodes[node].visits).sqrt().sqrt() * Self::BONUS;
        let urgency = |child: &usize| {
            let Node { visits, sum, .. } = self.nodes[*child];
            let visits = f64::from(visits);
            f64::from(sign) * sum / visits + wide / visits.sqrt()
        };
        let open = children
            .rev()
            .filter(|&child| self.nodes[child].proved.is_none_or(|result| sign * result > -1.0));
        let most = open.max_by(|a, b| urgency(a).total_cmp(&urgency(b)));
        most.expect("a position all of whose moves lose is proved")
    }
}
