//! Opponents of the learner: their strength is configurable, and the episode's seed breaks ties.

use crate::draws::{EpisodeDraws, falls, scaled};
use crate::game::Game;
use crate::mcts;
use crate::tactics;
use crate::value::{Optimality, Unsolved};
use crate::variant::GameInfo;
use kit::budget::Budget;
use kit::error::{Error, unknown};
use kit::rules::{Action, Actions, Turn};

/// Rule by which an opponent picks its move when it does not err.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Any legal move.
    Random,
    /// Any of the best moves.
    Minimax(Optimality),
    /// A move that wins at once; else any move that leaves the other player the fewest ways to win at once.
    Heuristic,
    /// The best move with the lowest number.
    FirstBest(Optimality),
    /// The best move with the highest number.
    LastBest(Optimality),
    /// A random move, weighted as in an equilibrium of a game of hidden information.
    Equilibrium,
    /// The move that a tree search of so many random continuations tries most.
    Mcts { playouts: u32 },
}

impl Pick {
    pub const NAMES: [&'static str; 7] =
        ["random", "minimax", "heuristic", "first_best", "last_best", "equilibrium", "mcts"];

    /// Return the rule of this name; `playouts` is the strength of `mcts`.
    pub fn find(name: &str, optimality: Optimality, playouts: Option<u32>) -> Result<Self, Error> {
        Ok(match name {
            "random" => Self::Random,
            "minimax" => Self::Minimax(optimality),
            "heuristic" => Self::Heuristic,
            "first_best" => Self::FirstBest(optimality),
            "last_best" => Self::LastBest(optimality),
            "equilibrium" => Self::Equilibrium,
            "mcts" => Self::Mcts { playouts: playouts.unwrap_or(mcts::PLAYOUTS) },
            _ => return Err(unknown("opponent", name, &Self::NAMES)),
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Minimax(_) => "minimax",
            Self::Heuristic => "heuristic",
            Self::FirstBest(_) => "first_best",
            Self::LastBest(_) => "last_best",
            Self::Equilibrium => "equilibrium",
            Self::Mcts { .. } => "mcts",
        }
    }

    /// Number of playouts for a reply, if it needs any.
    pub fn playouts(self) -> Option<u32> {
        if let Self::Mcts { playouts } = self { Some(playouts) } else { None }
    }

    /// True if it needs exact values.
    pub fn solves(self) -> bool {
        matches!(self, Self::Minimax(_) | Self::FirstBest(_) | Self::LastBest(_))
    }
}

/// An opponent: how it picks a move, and how often it errs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opponent {
    pub pick: Pick,
    /// Probability of a uniform random legal move instead, on each of its turns.
    pub random_move_prob: f64,
    /// Probability of a uniform random move that is not best instead, if there is one.
    pub blunder_prob: f64,
    /// Plies left at which it begins to play exactly; before that, it plays as [`Pick::Heuristic`] does, or as
    /// [`Pick::Mcts`] if it is that. Counted in plies rather than positions searched, because a reply must not depend on
    /// what a solver remembers.
    pub exact_plies: Option<u32>,
}

impl Opponent {
    pub const fn new(pick: Pick) -> Self {
        Self { pick, random_move_prob: 0.0, blunder_prob: 0.0, exact_plies: None }
    }

    /// Opponent of an environment that names none. It replies within 10 microseconds on average, so that training
    /// does not wait for it: it plays exactly where the game solves instantly, by an equilibrium where information is
    /// hidden and one is known, else by the heuristic or, with hidden information, at random.
    pub fn by_default(game: &dyn GameInfo) -> Self {
        Self::new(if game.about().hidden {
            if game.has_equilibrium() { Pick::Equilibrium } else { Pick::Random }
        } else if game.solves_instantly() {
            Pick::Minimax(Optimality::Dtm)
        } else {
            Pick::Heuristic
        })
    }

    /// Reject an opponent that could not play: a probability outside `[0, 1]`, exact play of a game too deep for it,
    /// an equilibrium that is not known.
    pub fn check(&self, game: &dyn GameInfo) -> Result<(), Error> {
        let invalid = |message| Error::InvalidOpponent { game: game.about().name, message };
        for (name, p) in [("random_move_prob", self.random_move_prob), ("blunder_prob", self.blunder_prob)] {
            if !(0.0..=1.0).contains(&p) {
                return Err(invalid(format!("`{name}` is {p}, but must be between 0 and 1")));
            }
        }
        if self.random_move_prob > 0.0 && self.blunder_prob > 0.0 {
            return Err(invalid(
                "`random_move_prob` and `blunder_prob` are both given; one of them must be 0".to_owned(),
            ));
        }
        if let Some(playouts) = self.pick.playouts()
            && !(1..=mcts::MOST_PLAYOUTS).contains(&playouts)
        {
            let most = mcts::MOST_PLAYOUTS;
            return Err(invalid(format!("`playouts` is {playouts}, but must be between 1 and {most}")));
        }
        let solves = self.pick.solves() || self.blunder_prob > 0.0;
        if let Some(why) = game.unsolvable_reason().filter(|_| solves && self.exact_plies.is_none()) {
            let name = self.pick.name();
            return Err(invalid(format!(
                "`{name}` needs exact values, but {why}; give `exact_plies` to play by `heuristic` \
                 until so few plies are left, or take another opponent"
            )));
        }
        if game.about().hidden && (solves || matches!(self.pick, Pick::Heuristic | Pick::Mcts { .. })) {
            return Err(invalid(format!(
                "`{}` looks at the whole state, which a game of hidden information does not show; take \
                 `equilibrium` or `random`",
                self.pick.name()
            )));
        }
        if self.pick == Pick::Equilibrium && !game.has_equilibrium() {
            return Err(invalid("no equilibrium is known; take `minimax`".to_owned()));
        }
        Ok(())
    }

    /// Reject playouts for an opponent that makes none.
    pub fn check_playouts(&self, given: Option<u32>, game: &dyn GameInfo) -> Result<(), Error> {
        if given.is_none() || self.pick.playouts().is_some() {
            return Ok(());
        }
        let message = format!(
            "`playouts` is the strength of `mcts`, and `{}` makes none; leave it out",
            self.pick.name()
        );
        Err(Error::InvalidOpponent { game: game.about().name, message })
    }

    /// Return its move in this episode.
    pub fn reply<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        draws: &EpisodeDraws,
        budget: &mut Budget<'_>,
    ) -> Result<Action, Unsolved> {
        let Turn::Player(player) = game.turn(state) else {
            unreachable!("an opponent is asked when it is a player's turn")
        };
        let legal = game.legal(state);
        // Three words: whether it errs, which error it makes, which of the best moves it takes. They do not
        // depend on the probability of an error, so a higher one only adds errors.
        let words = draws.words(player, game.key(state, player));
        let (coin, any, tie) = (0, 1, 2);
        let of = |set: Actions, word: u64| {
            let picked = if set.is_single() {
                set.first()
            } else {
                set.nth(scaled(words.get(word), set.len().into()) as u32)
            };
            picked.expect("a player who is to move has a move")
        };
        if self.random_move_prob > 0.0 && falls(words.get(coin), self.random_move_prob) {
            return Ok(of(legal, any));
        }
        if legal.is_single() {
            return Ok(of(legal, tie));
        }
        if self.blunder_prob > 0.0 && falls(words.get(coin), self.blunder_prob) {
            let worse = self.worse(game, state, legal, budget)?;
            if !worse.is_empty() {
                return Ok(of(worse, any));
            }
        }
        if self.pick == Pick::Equilibrium {
            let weights = game.equilibrium(state, budget)?;
            let mut left = scaled(words.get(tie), weights.iter().sum());
            let at = weights.iter().position(|&weight| {
                let here = left < weight;
                left = left.saturating_sub(weight);
                here
            });
            return Ok(at.map_or_else(
                || of(legal, tie),
                |at| legal.nth(at as u32).expect("every legal action has a weight"),
            ));
        }
        if let Some(playouts) = self.pick.playouts().filter(|_| !self.is_near_the_end(game, state)) {
            return mcts::choose(game, state, playouts, words, budget);
        }
        Ok(of(self.choice(game, state, legal, budget)?, tie))
    }

    /// True if so few plies are left that it plays exactly.
    fn is_near_the_end<G: Game>(&self, game: &G, state: &G::State) -> bool {
        self.exact_plies.is_some_and(|most| game.plies_left(state) <= most)
    }

    /// Probability of each action, over all episodes.
    pub fn distribution<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<(Action, f64)>, Unsolved> {
        if self.pick.playouts().is_some() && !self.is_near_the_end(game, state) {
            return Err(Unsolved::Never(
                "`mcts` finds one move for each seed, so the probabilities of its moves are not known; let it play, \
                 as the arena does, or take another opponent",
            ));
        }
        let legal = game.legal(state);
        let even =
            |set: &Actions, action: Action| f64::from(u8::from(set.contains(action))) / f64::from(set.len());
        let blunder = if self.blunder_prob > 0.0 {
            let worse = self.worse(game, state, legal, budget)?;
            (!worse.is_empty()).then_some(worse)
        } else {
            None
        };
        let (err, errors) = match blunder {
            Some(worse) => (self.blunder_prob, worse),
            None => (self.random_move_prob, legal),
        };
        let usual: Vec<f64> = if self.pick == Pick::Equilibrium {
            let weights = game.equilibrium(state, budget)?;
            let total: u64 = weights.iter().sum();
            weights.iter().map(|&weight| weight as f64 / total as f64).collect()
        } else {
            let choice = self.choice(game, state, legal, budget)?;
            legal.iter().map(|action| even(&choice, action)).collect()
        };
        let mixed = |(action, usual)| (action, err * even(&errors, action) + (1.0 - err) * usual);
        Ok(legal.iter().zip(usual).map(mixed).collect())
    }

    fn optimality(&self) -> Optimality {
        match self.pick {
            Pick::Minimax(optimality) | Pick::FirstBest(optimality) | Pick::LastBest(optimality) => {
                optimality
            }
            Pick::Random | Pick::Heuristic | Pick::Equilibrium | Pick::Mcts { .. } => Optimality::Wdl,
        }
    }

    /// Return the moves that it considers best.
    fn best<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        if self.exact_plies.is_some_and(|most| game.plies_left(state) > most) {
            return Ok(tactics::heuristic(game, state));
        }
        game.best(state, self.optimality(), budget)
    }

    /// Return the moves that count as blunders.
    fn worse<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        legal: Actions,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        Ok(legal.without(&self.best(game, state, budget)?))
    }

    /// Return the moves among which it picks uniformly.
    fn choice<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        legal: Actions,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        let only = |action: Option<Action>| Actions::only(action.expect("some move is best"));
        Ok(match self.pick {
            Pick::Random | Pick::Equilibrium => legal,
            Pick::Minimax(_) | Pick::Mcts { .. } => self.best(game, state, budget)?,
            Pick::Heuristic => tactics::heuristic(game, state),
            Pick::FirstBest(_) => only(self.best(game, state, budget)?.first()),
            Pick::LastBest(_) => only(self.best(game, state, budget)?.last()),
        })
    }
}
