//! Everything about episodes but the game: who plays, what counts, when it ends.

use crate::opponent::{Opponent, Pick};
use crate::variant::{GameInfo, Opening};
use kit::error::Error;

/// How moves said in text are read and rewarded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dialogue {
    /// Whether a message must begin with reasoning in `<think>` tags to be in the right form.
    pub think: bool,
    /// Whether the first message of an episode begins with the instructions.
    pub instructions_first: bool,
    /// Weight of the outcome: 1 for a win, 0.5 for a draw, 0 for a loss or a game cut off.
    pub outcome_weight: f64,
    /// Weight of the share of messages in the right form.
    pub format_weight: f64,
    /// Added once if any move was invalid.
    pub text_invalid_penalty: f64,
    /// Whether it is added for each invalid move instead.
    pub penalize_each: bool,
}

impl Default for Dialogue {
    fn default() -> Self {
        Self {
            think: false,
            instructions_first: false,
            outcome_weight: 1.0,
            format_weight: 0.2,
            text_invalid_penalty: -0.1,
            penalize_each: false,
        }
    }
}

/// Which player the learner is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seat {
    First,
    Second,
    /// Either, with equal chance, drawn for each episode.
    Random,
}

/// Who moves where it is not the learner's turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rival {
    Named(Opponent),
    /// The caller, who is asked in each position.
    Outside,
    /// Nobody else: the learner has every seat, and each step is of the player to move.
    Learner,
}

impl Rival {
    pub fn named(self) -> Option<Opponent> {
        match self {
            Self::Named(opponent) => Some(opponent),
            Self::Outside | Self::Learner => None,
        }
    }
}

/// What an illegal action does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// It loses the game.
    Lose,
    /// It costs the penalty and uses up the turn; the board stays.
    Penalty,
}

/// What a step is rewarded with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reward {
    /// What the game returns, once it is over.
    Outcome,
    /// At every step minus the value the action gave away.
    Regret,
    /// Once the game is over the value of the start less all that was given away.
    LuckFree,
}

/// When the lanes of a batch that are over begin anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Autoreset {
    /// By the next step, which ignores its action.
    NextStep,
    /// By the step that ended them.
    SameStep,
    /// Only when the caller says so.
    Disabled,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    pub opponent: Rival,
    /// The range the opponent's `random_move_prob` is drawn from for each episode, if it is.
    pub random_move_probs: Option<(f64, f64)>,
    /// The range is cut into this many slices, and episodes take turns among them.
    pub num_groups: u32,
    pub seat: Seat,
    pub illegal: Illegal,
    pub invalid_penalty: f64,
    /// The learner's turns after which an episode is cut off.
    pub max_turns: Option<u32>,
    /// Random moves made before the players begin.
    pub opening_plies: u32,
    pub reward: Reward,
    /// Whether every step says what the action gave away.
    pub analysis: bool,
    /// What was given away is exact once at most this many plies are left, and before that a guess. Plies rather
    /// than positions searched: a reward may not depend on what a solver remembers. Without a number the game
    /// decides, by [`crate::game::Game::solves_quickly`].
    pub analysis_plies: Option<u32>,
    pub dialogue: Dialogue,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            opponent: Rival::Named(Opponent::new(Pick::Random)),
            random_move_probs: None,
            num_groups: 1,
            seat: Seat::Random,
            illegal: Illegal::Lose,
            invalid_penalty: -0.1,
            max_turns: None,
            opening_plies: 0,
            reward: Reward::Outcome,
            analysis: false,
            analysis_plies: None,
            dialogue: Dialogue::default(),
        }
    }
}

impl Setup {
    /// Whether exact values are asked for at every step.
    pub fn values_matter(&self) -> bool {
        self.analysis || self.reward != Reward::Outcome
    }

    /// Whether steps search for exact values, which may take long unless the game solves instantly.
    pub fn solves(&self) -> bool {
        let exact = |who: Opponent| who.pick.solves() || who.blunder_prob > 0.0;
        self.opponent.named().is_some_and(exact) || self.values_matter()
    }

    /// Whether the learner has every seat.
    pub fn is_self_play(&self) -> bool {
        self.opponent == Rival::Learner
    }

    pub(super) fn check(&self, game: &dyn GameInfo) -> Result<(), Error> {
        let name = game.about().name;
        let invalid = |message: String| Error::InvalidOpponent { game: name, message };
        if let Some(opponent) = self.opponent.named() {
            opponent.check(game)?;
        }
        if self.is_self_play() && self.seat != Seat::Random {
            return Err(invalid(
                "`seat` names a seat, but with `opponent=\"self\"` the learner has both; leave it out"
                    .to_owned(),
            ));
        }
        if let Some((low, high)) = self.random_move_probs
            && !(0.0 <= low && low <= high && high <= 1.0)
        {
            return Err(invalid(format!(
                "`min_random_move_prob` is {low} and `max_random_move_prob` is {high}, but must be \
                 between 0 and 1, the smaller first"
            )));
        }
        for (field, number) in [
            ("invalid_penalty", self.invalid_penalty),
            ("outcome_weight", self.dialogue.outcome_weight),
            ("format_weight", self.dialogue.format_weight),
            ("text_invalid_penalty", self.dialogue.text_invalid_penalty),
        ] {
            if !number.is_finite() {
                return Err(invalid(format!("`{field}` is {number}, but must be a finite number")));
            }
        }
        if self.num_groups == 0 {
            return Err(invalid("`num_groups` is 0, but must be at least 1".to_owned()));
        }
        if self.max_turns == Some(0) {
            return Err(invalid("`max_turns` is 0, but must be at least 1".to_owned()));
        }
        Opening { seed: 0, plies: self.opening_plies, resolve_chance: true }.check(game.about())?;
        if self.analysis_plies.is_some() && !self.values_matter() {
            return Err(invalid(
                "`analysis_plies` bounds what regret is exact in, which nothing asks for; set `analysis` or `reward`"
                    .to_owned(),
            ));
        }
        if self.values_matter() {
            if game.about().hidden {
                return Err(invalid(
                    "a game of hidden information has no exact values to measure regret by".to_owned(),
                ));
            }
            if let Some(why) = game.unsolvable_reason().filter(|_| self.analysis_plies.is_none()) {
                return Err(invalid(format!(
                    "regret needs exact values, but {why}; give `analysis_plies` to guess until so few plies are left"
                )));
            }
        }
        Ok(())
    }
}
