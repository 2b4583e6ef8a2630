//! Settings of episodes: everything but the game.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::mcts;
use crate::opponent::{Opponent, Pick};
use crate::value::Optimality;
use crate::variant::{GameInfo, Opening};
use kit::error::Error;
use kit::params;

/// Form of observations and actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Arrays, and numbers of actions.
    Numeric,
    /// Messages to and from a language model.
    Text,
}

/// Player that the learner is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Seat {
    First,
    Second,
    /// Either one, with equal probability, drawn for each episode.
    Random,
}

/// Player of the turns that are not the learner's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rival {
    Named(Opponent),
    /// The caller, who is asked in each position.
    Outside,
    /// Self-play: the learner plays both sides, and each step is by the player to move.
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

/// Effect of an illegal action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Illegal {
    /// Loses the game.
    Lose,
    /// Costs the penalty and the turn; the board does not change.
    Penalty,
}

/// Default penalty for an illegal action.
pub const INVALID_PENALTY: f64 = -0.1;

/// Extra turns that the default limit leaves for illegal actions.
pub const SPARE_TURNS: u32 = 3;

/// Reward of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reward {
    /// Return of the game, once it is over.
    Outcome,
    /// Minus the value that the action gave away, at every step.
    Regret,
    /// Value of the start less all that was given away, once the game is over.
    LuckFree,
}

/// Place of the rules of a game in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Instructions {
    /// In `info`, with each first message.
    Info,
    /// In the first message too, at its head.
    FirstMessage,
}

/// Rule for whether a well-formed message must begin with reasoning in `<think>` tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Think {
    Optional,
    Required,
}

/// Number of times that the penalty for invalid moves in text applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Penalize {
    Once,
    Each,
}

/// Weights of the parts of a reward in text.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RewardWeights {
    /// Weight of the outcome: 1 for a win, 0.5 for a draw, 0 for a loss or a truncated game.
    pub outcome: f64,
    /// Weight of the share of well-formed messages.
    pub format: f64,
    /// Weight of invalid moves; without one, the setting `invalid_penalty`.
    pub invalid: Option<f64>,
}

impl Default for RewardWeights {
    fn default() -> Self {
        Self { outcome: 1.0, format: 0.2, invalid: None }
    }
}

/// Time at which the lanes of a batch that are over are reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Autoreset {
    /// At the next step, which ignores its action.
    NextStep,
    /// At the step that ended them.
    SameStep,
    /// When the caller resets them.
    Disabled,
}

crate::costed_settings! {
    /// The settings of an environment of a game.
    pub struct Setup {
        /// Form of observations and actions: "numeric" for arrays and numbers, "text" for messages of a language model.
        pub mode: Mode = Mode::Numeric,
        /// Probability that the opponent makes a random move instead, on each of its turns.
        pub random_move_prob: f64 [0..=1] = 0.0,
        /// With `max_random_move_prob`, the range from which each episode draws its own `random_move_prob`.
        pub min_random_move_prob: Option<f64> [0..=1] = None,
        /// Upper end of that range.
        pub max_random_move_prob: Option<f64> [0..=1] = None,
        /// Slices of that range; episode `i` of seed `s` draws from slice `(s + i) % num_groups`.
        pub num_groups: u32 [1..] = 1,
        /// Probability that the opponent makes a move that is not best instead.
        pub blunder_prob: f64 [0..=1] = 0.0,
        /// Moves that the opponent considers best: "wdl" keeps the outcome, "dtm" also wins fast and loses slowly.
        pub optimality: Optimality = Optimality::Dtm,
        /// Plies left at which the opponent begins to play perfectly; before that, it plays as "heuristic", or as "mcts"
        /// if it is that.
        pub exact_plies: Option<u32> [0..] = None,
        /// Strength of "mcts": the random continuations that it tries for a reply. None: 200.
        pub playouts: Option<u32> [1..=mcts::MOST_PLAYOUTS] = None,
        /// Player that the learner is; "random" draws it for each episode. Not with `opponent="self"`.
        pub seat: Seat = Seat::Random,
        /// Effect of an illegal action: "lose" ends the game as a loss, "penalty" costs `invalid_penalty` and the
        /// turn, and the board does not change. None: "lose" in mode "numeric", "penalty" in mode "text".
        pub illegal: Option<Illegal> = None,
        /// Added to the reward for an illegal action that does not end the game.
        pub invalid_penalty: f64 = INVALID_PENALTY,
        /// Turns of the learner after which an episode is truncated. None: in mode "text", and where illegal actions
        /// do not end the game, three more than the most turns that the learner can have; otherwise no limit.
        pub max_turns: Option<u32> [1..] = None,
        /// Number of random moves before the players begin.
        pub opening_plies: u32 [0..=Opening::MOST_PLIES] = 0,
        /// "outcome": return of the game, at the end. "regret": minus the value that each move gave away.
        /// "luck_free": at the end, the value of the start less all that the learner gave away.
        pub reward: Reward = Reward::Outcome,
        /// True to report in `info` what each move gave away.
        pub analysis: bool = false,
        /// Plies left at which regret becomes exact; before that, it is a guess two plies deep. None: exact wherever
        /// the game solves a position within about a millisecond.
        // Plies rather than positions searched: a reward must not depend on what a solver remembers.
        pub analysis_plies: Option<u32> [0..] = None,
        /// In mode "text", "first_message" also puts the rules at the head of the first observation.
        pub instructions: Instructions = Instructions::Info,
        /// In mode "text", "required" means that a message without `<think>` tags before its move is not well formed.
        pub think: Think = Think::Optional,
        /// In mode "text", weights of "outcome" (1 for a win, 0.5 for a draw, 0 for a loss), "format" (share of
        /// well-formed messages) and "invalid". By default they are 1, 0.2 and `invalid_penalty`, also for those left out.
        pub reward_weights: Option<RewardWeights> = None,
        /// In mode "text", penalty for invalid moves: "once" per game, or for "each" of them.
        pub penalize: Penalize = Penalize::Once,
        /// In mode "numeric", True to include the message of mode "text" as `info["text"]`.
        pub text: bool = false,
    }
    check Setup::check_together;
    beside pub opponent: Rival = Rival::Named(Opponent::new(Pick::Random));
}

impl Copy for Setup {}

static SCHEMA: LazyLock<Json> = LazyLock::new(params::schema::<Setup>);

impl Setup {
    /// JSON schema of what callers can set.
    pub fn schema() -> &'static Json {
        &SCHEMA
    }

    /// Settings by name.
    pub fn fields(&self) -> Map<String, Json> {
        params::fields(self)
    }

    /// Return the named opponent, with the settings of its strength.
    pub fn named(&self, name: &str, game: &dyn GameInfo) -> Result<Opponent, Error> {
        let opponent = Opponent {
            pick: Pick::find(name, self.optimality, self.playouts)?,
            random_move_prob: self.random_move_prob,
            blunder_prob: self.blunder_prob,
            exact_plies: self.exact_plies,
        };
        opponent.check_playouts(self.playouts, game)?;
        opponent.check(game).map(|()| opponent)
    }

    /// Return the opponent where none is named: the game's default or, if a setting needs exact values or playouts, the
    /// strongest one that the game allows.
    pub fn usual(&self, game: &dyn GameInfo) -> Result<Opponent, Error> {
        const STRONGEST_FIRST: [&str; 5] = ["minimax", "equilibrium", "mcts", "heuristic", "random"];
        let is_exact = self.exact_plies.is_some() || self.blunder_prob > 0.0;
        let default = Some(Opponent::by_default(game).pick.name()).filter(|_| !is_exact);
        let mut able =
            default.into_iter().chain(STRONGEST_FIRST).filter_map(|name| self.named(name, game).ok());
        able.next().map_or_else(|| self.named(STRONGEST_FIRST[0], game), Ok)
    }

    /// Reject settings of strength for an opponent that has none, or has its own; `why` says which.
    pub fn check_no_strength(&self, game: &dyn GameInfo, why: &str) -> Result<(), Error> {
        let usual = Self::default();
        let set = [
            ("random_move_prob", self.random_move_prob > usual.random_move_prob),
            ("blunder_prob", self.blunder_prob > usual.blunder_prob),
            ("optimality", self.optimality != usual.optimality),
            ("exact_plies", self.exact_plies != usual.exact_plies),
            ("playouts", self.playouts != usual.playouts),
        ];
        let set: Vec<_> = set.into_iter().filter(|(_, set)| *set).map(|(name, _)| name).collect();
        if set.is_empty() {
            return Ok(());
        }
        Err(invalid(game, format!("{} cannot be set {why}", set.join(" and "))))
    }

    /// Range from which each episode draws the opponent's `random_move_prob`, if it does.
    pub fn random_move_range(&self) -> Option<(f64, f64)> {
        self.min_random_move_prob.zip(self.max_random_move_prob)
    }

    pub fn on_illegal(&self) -> Illegal {
        self.illegal.unwrap_or(match self.mode {
            Mode::Numeric => Illegal::Lose,
            Mode::Text => Illegal::Penalty,
        })
    }

    /// Return the turns after which an episode is truncated if the learner can have at most `most`.
    pub(super) fn turn_limit(&self, most: u32) -> Option<u32> {
        let is_endless = self.mode == Mode::Text || self.on_illegal() == Illegal::Penalty;
        self.max_turns.or(is_endless.then_some(most + SPARE_TURNS))
    }

    pub fn weights(&self) -> RewardWeights {
        self.reward_weights.unwrap_or_default()
    }

    /// Weight of invalid moves in text.
    pub fn invalid_weight(&self) -> f64 {
        self.weights().invalid.unwrap_or(self.invalid_penalty)
    }

    /// True if every step needs the values of moves.
    pub fn values_matter(&self) -> bool {
        self.analysis || self.reward != Reward::Outcome
    }

    /// True if steps search for exact values, which may take long unless the game solves instantly.
    pub fn solves(&self) -> bool {
        let exact = |who: Opponent| who.pick.solves() || who.blunder_prob > 0.0;
        self.opponent.named().is_some_and(exact) || self.values_matter()
    }

    /// True if the learner plays both sides.
    pub fn is_self_play(&self) -> bool {
        self.opponent == Rival::Learner
    }

    /// Reject settings that contradict each other, whatever the game and the opponent.
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
