//! Values of positions and moves under perfect play.

use kit::budget::OverBudget;
use kit::error::Error;
use kit::rules::{Action, Actions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Value of a move or a position to the player to move, under perfect play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Value {
    /// Mean return: the outcome in a game without chance.
    pub mean: f64,
    /// 1 for a win, 0 for a draw, −1 for a loss; in a game of chance, the sign of the mean.
    pub outcome: i8,
    /// Plies to the end, including this move, if known: the winner hastens it, the loser delays it.
    pub distance: Option<u32>,
    /// The game's own margin, or the outcome in a game without one.
    pub score: i32,
}

impl Value {
    /// Parts of 1 that means are rounded to, so that those which differ by rounding alone are equal.
    const PARTS: f64 = (1_u64 << 40) as f64;

    /// Value in a game without chance.
    pub fn proved(outcome: i8, distance: Option<u32>, score: i32) -> Self {
        Self { mean: outcome.into(), outcome, distance, score }
    }

    /// Value in a game of chance.
    pub fn expected(mean: f64) -> Self {
        // Adding 0 turns −0 into 0.
        let mean = (mean * Self::PARTS).round() / Self::PARTS + 0.0;
        let outcome = i8::from(mean > 0.0) - i8::from(mean < 0.0);
        Self { mean, outcome, distance: None, score: outcome.into() }
    }

    /// Sort key: larger for a better value.
    pub fn rank(&self, optimality: Optimality) -> (i64, i32, i64) {
        let mean = (self.mean * Self::PARTS) as i64;
        match optimality {
            Optimality::Wdl => (mean, 0, 0),
            Optimality::Dtm => {
                let plies = self.distance.map_or(0, i64::from);
                (mean, self.score, -i64::from(self.outcome) * plies)
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
