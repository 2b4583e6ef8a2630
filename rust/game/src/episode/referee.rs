//! A lane's data, and what all lanes of a batch share.

use std::sync::Arc;

use super::lane_set::episode_before;
use super::message::Refused;
use super::setup::Setup;
use super::step::Status;
use crate::draws::EpisodeDraws;
use crate::game::Game;
use crate::state::GameState;
use crate::value::Unsolved;
use crate::variant::Variant;
use kit::budget::{Budget, OverBudget};
use kit::error::Error;
use kit::rules::Action;

/// The caller's opponent where the setup names none: maps a position to an action.
pub type OutsideOpponent<'a> = dyn FnMut(Box<dyn GameState>) -> Result<i64, Error> + 'a;

/// Sources of delay in a step: searches, up to their limit, and the caller's opponent.
pub struct Helpers<'h, 'l> {
    pub budget: Budget<'l>,
    pub opponent: Option<&'h mut OutsideOpponent<'h>>,
    /// Positions searched on other threads, which have their own count.
    pub searched: u64,
}

impl<'l> Helpers<'_, 'l> {
    /// Return helpers without a caller's opponent.
    pub fn within(budget: Budget<'l>) -> Self {
        Self { budget, opponent: None, searched: 0 }
    }

    /// Return the number of positions searched so far.
    pub fn positions(&self) -> u64 {
        self.searched + self.budget.spent()
    }
}

/// Reason why a step stopped.
pub enum Stopped {
    Unsolved(Unsolved),
    /// The caller's opponent failed.
    Outside(Box<Error>),
}

impl From<Unsolved> for Stopped {
    fn from(why: Unsolved) -> Self {
        Self::Unsolved(why)
    }
}

impl From<OverBudget> for Stopped {
    fn from(why: OverBudget) -> Self {
        Self::Unsolved(why.into())
    }
}

pub type Finished<T> = Result<T, Stopped>;

/// A lane: one episode after another.
#[derive(Clone)]
pub struct Lane<S> {
    pub seed: u64,
    /// Draws of the seed, which choose the examples.
    pub source: EpisodeDraws,
    pub group: u64,
    /// Number of the next episode.
    pub next: u64,
    pub example: u64,
    pub draws: EpisodeDraws,
    pub state: S,
    pub moves: Vec<Action>,
    /// The learner's player; in self-play, the player to move, and at the end the last one who moved.
    pub seat: u8,
    /// In self-play, index in `moves` at which the current run of turns of `seat` began.
    pub run: usize,
    pub random_move_prob: f64,
    pub turns: u32,
    pub invalid: u32,
    pub well_formed: u32,
    pub status: Status,
    /// Set while `status` is unreadable or invalid, and if such a turn was the last before truncation.
    pub refused: Option<Refused>,
    pub over: bool,
    pub result: Option<f32>,
    /// Index in `moves` of the first reply to the last move of `seat`.
    pub replies: usize,
    /// Value of the start to the learner; in self-play, to player 0.
    pub start_value: Option<f32>,
    /// Value given away by the learner and by its opponent; in self-play, by each player.
    pub regrets: [f32; 2],
    /// True if `start_value` and `regrets` are proved, as far as they are known.
    pub exact: bool,
}

impl<S> Lane<S> {
    /// Player to move between steps: the learner's.
    pub fn mover(&self) -> Option<u8> {
        (!self.over).then_some(self.seat)
    }

    /// Number of the episode in play, unless another seed was given since it began.
    pub fn episode(&self) -> u64 {
        episode_before(self.next)
    }
}

/// Data shared by all lanes of a batch.
pub struct Referee<'b, G: Game> {
    pub variant: &'b Arc<Variant<G>>,
    pub setup: &'b Setup,
}

impl<G: Game> Clone for Referee<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G: Game> Copy for Referee<'_, G> {}

impl<'b, G: Game> Referee<'b, G> {
    pub fn game(self) -> &'b G {
        &self.variant.game
    }
}
