//! What a lane is, and what all lanes of a batch share.

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

/// Plays for the opponent where the setup names none: told the position, it answers with an action.
pub type OutsideOpponent<'a> = dyn FnMut(Box<dyn GameState>) -> Result<i64, Error> + 'a;

/// Who may keep a step waiting: searches, up to their limit, and an opponent from outside.
pub struct Helpers<'h, 'l> {
    pub budget: Budget<'l>,
    pub opponent: Option<&'h mut OutsideOpponent<'h>>,
    /// Positions searched on other threads, which count by themselves.
    pub searched: u64,
}

impl<'l> Helpers<'_, 'l> {
    /// No opponent from outside.
    pub fn within(budget: Budget<'l>) -> Self {
        Self { budget, opponent: None, searched: 0 }
    }

    /// All positions that were searched so far.
    pub fn positions(&self) -> u64 {
        self.searched + self.budget.spent()
    }
}

/// Why a step was stopped.
pub enum Stopped {
    Unsolved(Unsolved),
    /// By the opponent from outside.
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

/// One episode of a lane after another.
#[derive(Clone)]
pub struct Lane<S> {
    pub seed: u64,
    /// Where the examples come from: the draws of the seed.
    pub source: EpisodeDraws,
    pub group: u64,
    /// The number of the episode to come.
    pub next: u64,
    pub example: u64,
    pub draws: EpisodeDraws,
    pub state: S,
    pub moves: Vec<Action>,
    /// The learner's player; where it has every seat, the player to move, and at the end who moved last.
    pub seat: u8,
    /// Where in `moves` the turns of `seat` in a row began, where the learner has every seat.
    pub run: usize,
    pub random_move_prob: f64,
    pub turns: u32,
    pub invalid: u32,
    pub well_formed: u32,
    pub status: Status,
    /// Set while `status` is unreadable or invalid, and where such a turn was the last before a cut.
    pub refused: Option<Refused>,
    pub over: bool,
    pub result: Option<f32>,
    /// Where in `moves` the replies to the last move of `seat` begin.
    pub replies: usize,
    /// The value of the start to the learner; to player 0, where it has every seat.
    pub start_value: Option<i8>,
    /// Given away by the learner and by its opponent; where it has every seat, by each player.
    pub regrets: [f32; 2],
    /// Whether `start_value` and `regrets` are proved, as far as they are known.
    pub exact: bool,
}

impl<S> Lane<S> {
    /// The player to move: the learner's, between steps.
    pub fn mover(&self) -> Option<u8> {
        (!self.over).then_some(self.seat)
    }

    /// The number of the episode in play, unless another seed was given since it began.
    pub fn episode(&self) -> u64 {
        episode_before(self.next)
    }
}

/// What every lane of a batch shares.
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
