//! What positions and moves are worth under perfect play.

use kit::budget::OverBudget;
use kit::error::Error;
use kit::rules::{Action, Actions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a move, or a position, is worth to the player to move under perfect play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// 1 for a win, 0 for a draw, −1 for a loss.
    pub outcome: i8,
    /// Plies to the end, this move included, if known: the winner hastens it, the loser delays it.
    pub distance: Option<u32>,
    /// The game's own margin; the outcome, where it has none.
    pub score: i32,
}

impl Value {
    /// Grows with how good the value is.
    pub fn rank(&self, optimality: Optimality) -> (i8, i32, i64) {
        match optimality {
            Optimality::Wdl => (self.outcome, 0, 0),
            Optimality::Dtm => {
                let plies = self.distance.map_or(0, i64::from);
                (self.outcome, self.score, -i64::from(self.outcome) * plies)
            }
        }
    }
}

/// Which moves count as best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Optimality {
    /// All that keep the outcome: win, draw or loss.
    Wdl,
    /// Of those, the ones with the best score and the fastest win or slowest loss.
    Dtm,
}

impl Optimality {
    pub const ALL: [Self; 2] = [Self::Wdl, Self::Dtm];

    pub fn name(self) -> &'static str {
        match self {
            Self::Wdl => "wdl",
            Self::Dtm => "dtm",
        }
    }
}

/// What a search finds beside the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// The plies to the end: the winner hastens it, the loser delays it.
    Distance,
    /// The margin: both sides maximise their own.
    Margin,
}

/// Why a position has no exact value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsolved {
    /// The search was stopped, by its limit or from outside.
    Unfinished,
    /// There are more positions to remember than fit the memory that a computation may use.
    OutOfMemory,
    /// The game has no exact values, and why.
    Never(&'static str),
}

impl Unsolved {
    /// The most bytes that the positions of one computation may take.
    pub const MEMORY: usize = 1 << 28;

    /// The error of a game that this is said of.
    pub fn error(&self, game: &'static str) -> Error {
        let message = match self {
            Self::Unfinished => "no exact value within the limit of positions".to_owned(),
            Self::OutOfMemory => format!(
                "the game has more positions than the {} MiB hold that such a computation may use",
                Self::MEMORY >> 20
            ),
            Self::Never(why) => (*why).to_owned(),
        };
        Error::Unsolved { game, message }
    }
}

impl From<OverBudget> for Unsolved {
    fn from(_: OverBudget) -> Self {
        Self::Unfinished
    }
}

/// The exact value of every legal move, in increasing order of action.
pub type Values = Vec<(Action, Value)>;

/// The moves whose values rank highest.
pub fn best_of(values: &[(Action, Value)], optimality: Optimality) -> Actions {
    let top = values.iter().map(|(_, value)| value.rank(optimality)).max();
    values
        .iter()
        .filter(|(_, value)| Some(value.rank(optimality)) == top)
        .map(|(action, _)| *action)
        .collect()
}
