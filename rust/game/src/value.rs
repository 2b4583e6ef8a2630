//! Values of positions and moves under perfect play.

use kit::budget::OverBudget;
use kit::error::Error;
use kit::rules::{Action, Actions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Value of a move or a position to the player to move, under perfect play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// 1 for a win, 0 for a draw, −1 for a loss.
    pub outcome: i8,
    /// Plies to the end, including this move, if known: the winner hastens it, the loser delays it.
    pub distance: Option<u32>,
    /// The game's own margin, or the outcome in a game without one.
    pub score: i32,
}

impl Value {
    pub fn proved(outcome: i8, distance: Option<u32>, score: i32) -> Self {
        Self { outcome, distance, score }
    }

    /// Sort key: larger for a better value.
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

/// Criterion for the best moves.
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

/// Objective of a search beyond the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Objective {
    /// Plies to the end: the winner hastens it, the loser delays it.
    Distance,
    /// Margin: each side maximizes its own.
    Margin,
}

/// Reason why a position has no exact value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsolved {
    /// The search stopped, at its limit or from outside.
    Unfinished,
    /// The positions do not fit in the memory that a computation may use.
    OutOfMemory,
    /// The game has no exact values, for this reason.
    Never(&'static str),
}

impl Unsolved {
    /// Most bytes that the positions of one computation may take.
    pub const MEMORY: usize = 1 << 28;

    /// Return this as an error of the named game.
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

/// Exact value of every legal move, in increasing order of action.
pub type Values = Vec<(Action, Value)>;

/// Return the moves whose values rank highest.
pub fn best_of(values: &[(Action, Value)], optimality: Optimality) -> Actions {
    let top = values.iter().map(|(_, value)| value.rank(optimality)).max();
    values
        .iter()
        .filter(|(_, value)| Some(value.rank(optimality)) == top)
        .map(|(action, _)| *action)
        .collect()
}
