//! Everything about episodes but the game: who plays, what counts, when it ends.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::opponent::{Opponent, Pick};
use crate::value::Optimality;
use crate::variant::{GameInfo, Opening};
use kit::error::Error;
use kit::params;

/// What an environment shows and takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Arrays, and the numbers of actions.
    Numeric,
    /// Messages to a language model and from it.
    Text,
}

/// Which player the learner is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Illegal {
    /// It loses the game.
    Lose,
    /// It costs the penalty and uses up the turn; the board stays.
    Penalty,
}

/// What an illegal action costs, unless a caller says otherwise.
pub const INVALID_PENALTY: f64 = -0.1;

/// Turns that illegal actions may waste where no limit is given.
pub const SPARE_TURNS: u32 = 3;

/// What a step is rewarded with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reward {
    /// What the game returns, once it is over.
    Outcome,
    /// At every step minus the value the action gave away.
    Regret,
    /// Once the game is over the value of the start less all that was given away.
    LuckFree,
}

/// Where the rules of a game in text are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Instructions {
    /// Beside each first message.
    Info,
    /// At the head of it as well.
    FirstMessage,
}

/// Whether a message must begin with reasoning in `<think>` tags to be in the right form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Think {
    Optional,
    Required,
}

/// How often the penalty for invalid moves in text is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Penalize {
    Once,
    Each,
}

/// What the parts of a reward in text count for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RewardWeights {
    /// Of the outcome: 1 for a win, 0.5 for a draw, 0 for a loss or a game cut off.
    pub outcome: f64,
    /// Of the share of messages in the right form.
    pub format: f64,
    /// Of invalid moves; without one, the setting `invalid_penalty`.
    pub invalid: Option<f64>,
}

impl Default for RewardWeights {
    fn default() -> Self {
        Self { outcome: 1.0, format: 0.2, invalid: None }
    }
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

kit::settings! {
    /// The settings of an environment of a game.
    pub struct Setup {
        /// What the environment shows and takes: "numeric" for arrays and numbers, "text" for messages of a language
        /// model.
        pub mode: Mode = Mode::Numeric,
        /// Probability that the opponent makes a random move instead, on each of its turns.
        pub random_move_prob: f64 [0..=1] = 0.0,
        /// With `max_random_move_prob`, the range from which each episode draws its own `random_move_prob`.
        pub min_random_move_prob: Option<f64> [0..=1] = None,
        /// The upper end of that range.
        pub max_random_move_prob: Option<f64> [0..=1] = None,
        /// Slices of that range; episode `i` of seed `s` draws from slice `(s + i) % num_groups`.
        pub num_groups: u32 [1..] = 1,
        /// Probability that the opponent makes a move that is not best instead.
        pub blunder_prob: f64 [0..=1] = 0.0,
        /// What the opponent takes for best: "wdl" keeps the outcome, "dtm" also wins fast and loses slowly.
        pub optimality: Optimality = Optimality::Dtm,
        /// The opponent plays perfectly when this many plies or fewer are left, and as "heuristic" before that.
        pub exact_plies: Option<u32> [0..] = None,
        /// Which player the learner is; "random" draws it for each episode. Not with `opponent="self"`.
        pub seat: Seat = Seat::Random,
        /// What an illegal action does: "lose" ends the game as a loss, "penalty" costs `invalid_penalty` and the
        /// turn, and the board stays. None: "lose" in mode "numeric", "penalty" in mode "text".
        pub illegal: Option<Illegal> = None,
        /// Added to the reward for an illegal action that did not end the game.
        pub invalid_penalty: f64 = INVALID_PENALTY,
        /// Turns of the learner after which an episode is truncated. None: in mode "text", and where illegal actions
        /// do not end the game, the most turns the learner can have and 3 more; otherwise no limit.
        pub max_turns: Option<u32> [1..] = None,
        /// Random moves made before the players begin.
        pub opening_plies: u32 [0..=Opening::MOST_PLIES] = 0,
        /// "outcome": what the game returns, at the end. "regret": minus the value each move gave away. "luck_free":
        /// at the end, the value of the start less all the learner gave away.
        pub reward: Reward = Reward::Outcome,
        /// Whether `info` tells what each move gave away.
        pub analysis: bool = false,
        /// Regret is exact when this many plies or fewer are left, and before that a guess two plies deep. None: exact
        /// wherever the game solves a position within about a millisecond.
        // Plies rather than positions searched: a reward may not depend on what a solver remembers.
        pub analysis_plies: Option<u32> [0..] = None,
        /// In mode "text", "first_message" also puts the rules at the head of the first observation.
        pub instructions: Instructions = Instructions::Info,
        /// In mode "text", with "required" a message without `<think>` tags before its move is not well formed.
        pub think: Think = Think::Optional,
        /// In mode "text", weights of "outcome" (1 for a win, 0.5 for a draw, 0 for a loss), "format" (share of
        /// well-formed messages) and "invalid". None: 1, 0.2 and `invalid_penalty`.
        pub reward_weights: Option<RewardWeights> = None,
        /// In mode "text", whether "invalid" counts "once" a game or for "each" invalid move.
        pub penalize: Penalize = Penalize::Once,
        /// In mode "numeric", whether `info["text"]` holds the message of mode "text".
        pub text: bool = false,
    }
    check Setup::check_together;
    beside pub opponent: Rival = Rival::Named(Opponent::new(Pick::Random));
}

impl Copy for Setup {}

static SCHEMA: LazyLock<Json> = LazyLock::new(params::schema::<Setup>);

impl Setup {
    /// The JSON schema of what callers can set.
    pub fn schema() -> &'static Json {
        &SCHEMA
    }

    /// What callers can set, by name.
    pub fn fields(&self) -> Map<String, Json> {
        params::fields(self)
    }

    /// The opponent of a name, with the settings of its strength.
    pub fn named(&self, name: &str, game: &dyn GameInfo) -> Result<Opponent, Error> {
        let opponent = Opponent {
            pick: Pick::find(name, self.optimality)?,
            random_move_prob: self.random_move_prob,
            blunder_prob: self.blunder_prob,
            exact_plies: self.exact_plies,
        };
        opponent.check(game).map(|()| opponent)
    }

    /// Who plays where nobody is named: the game's default or, where exact values are asked for, the strongest
    /// opponent that the game allows.
    pub fn usual(&self, game: &dyn GameInfo) -> Result<Opponent, Error> {
        const STRONGEST_FIRST: [&str; 4] = ["minimax", "equilibrium", "heuristic", "random"];
        let is_exact = self.exact_plies.is_some() || self.blunder_prob > 0.0;
        let default = Some(Opponent::by_default(game).pick.name()).filter(|_| !is_exact);
        let mut able =
            default.into_iter().chain(STRONGEST_FIRST).filter_map(|name| self.named(name, game).ok());
        able.next().map_or_else(|| self.named(STRONGEST_FIRST[0], game), Ok)
    }

    /// Refuses settings of strength for an opponent that has none, or has its own; `why` says which.
    pub fn check_no_strength(&self, game: &dyn GameInfo, why: &str) -> Result<(), Error> {
        let usual = Self::default();
        let set = [
            ("random_move_prob", self.random_move_prob != usual.random_move_prob),
            ("blunder_prob", self.blunder_prob != usual.blunder_prob),
            ("optimality", self.optimality != usual.optimality),
            ("exact_plies", self.exact_plies != usual.exact_plies),
        ];
        let set: Vec<_> = set.into_iter().filter(|(_, set)| *set).map(|(name, _)| name).collect();
        if set.is_empty() {
            return Ok(());
        }
        Err(invalid(game, format!("{} cannot be set {why}", set.join(" and "))))
    }

    /// The range that the opponent's `random_move_prob` is drawn from for each episode, if it is.
    pub fn random_move_range(&self) -> Option<(f64, f64)> {
        self.min_random_move_prob.zip(self.max_random_move_prob)
    }

    pub fn on_illegal(&self) -> Illegal {
        self.illegal.unwrap_or(match self.mode {
            Mode::Numeric => Illegal::Lose,
            Mode::Text => Illegal::Penalty,
        })
    }

    /// The turns after which an episode is cut off, where the learner can have at most `most`.
    pub(super) fn turn_limit(&self, most: u32) -> Option<u32> {
        let is_endless = self.mode == Mode::Text || self.on_illegal() == Illegal::Penalty;
        self.max_turns.or(is_endless.then_some(most + SPARE_TURNS))
    }

    pub fn weights(&self) -> RewardWeights {
        self.reward_weights.unwrap_or_default()
    }

    /// What invalid moves in text count for.
    pub fn invalid_weight(&self) -> f64 {
        self.weights().invalid.unwrap_or(self.invalid_penalty)
    }

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

    /// What is wrong with settings whatever the game and the opponent.
    fn check_together(&self) -> Result<(), String> {
        let usual = Self::default();
        let spoken = (self.instructions, self.think, self.penalize, self.reward_weights)
            != (usual.instructions, usual.think, usual.penalize, usual.reward_weights);
        let both = "min_random_move_prob and max_random_move_prob";
        let is_sliced = self.num_groups != usual.num_groups;
        let says = match (self.mode, self.min_random_move_prob, self.max_random_move_prob) {
            (Mode::Text, ..) if self.text => {
                "`text` is True, but in mode \"text\" the observation is the text already".to_owned()
            }
            (Mode::Numeric, ..) if spoken => {
                "`instructions`, `think`, `reward_weights` and `penalize` are of mode \"text\" only"
                    .to_owned()
            }
            (_, Some(_), None) | (_, None, Some(_)) => format!("give both {both}, or neither"),
            (_, Some(low), Some(high)) if low > high => format!(
                "`min_random_move_prob` is {low} and `max_random_move_prob` is {high}, but the smaller must come first"
            ),
            (_, Some(_), _) if self.random_move_prob > 0.0 || self.blunder_prob > 0.0 => {
                format!("{both} replace random_move_prob and blunder_prob, which must be 0")
            }
            (_, None, _) if is_sliced => {
                format!("`num_groups` is {}, but slices nothing unless {both} are given", self.num_groups)
            }
            _ => return Ok(()),
        };
        Err(says)
    }

    pub(super) fn check(&self, game: &dyn GameInfo) -> Result<(), Error> {
        let invalid = |message: String| invalid(game, message);
        params::check(&self.fields(), Self::schema()).map_err(invalid)?;
        self.check_together().map_err(invalid)?;
        if let Some(opponent) = self.opponent.named() {
            opponent.check(game)?;
        } else if self.random_move_range().is_some() {
            let both = "min_random_move_prob and max_random_move_prob";
            return Err(invalid(format!("{both} are for opponents given by name")));
        }
        if self.is_self_play() && self.seat != Seat::Random {
            return Err(invalid(
                "`seat` names a seat, but with `opponent=\"self\"` the learner has both; leave it out"
                    .to_owned(),
            ));
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

fn invalid(game: &dyn GameInfo, message: String) -> Error {
    Error::InvalidOpponent { game: game.about().name, message }
}
