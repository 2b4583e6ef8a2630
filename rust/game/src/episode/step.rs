//! What a step did, and how an episode stands.

use serde::{Deserialize, Serialize};

use kit::rules::Action;

/// How an episode ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FinalInfo {
    /// What the learner got, unless it used up its turns; where it has every seat, who moved last.
    pub result: Option<f32>,
    pub winner: Option<u8>,
    pub status: Status,
    /// The learner's turns.
    pub turns: u32,
    /// Its invalid ones.
    pub invalid: u32,
    /// All the learner and the opponent gave away, where steps are analyzed; where the learner has every seat, each
    /// player.
    pub regrets: [f32; 2],
    /// Whether they and the start's value are proved.
    pub exact: bool,
    /// Whether the answer that was played passes, and its score, where a problem is played.
    pub judged: Option<(bool, f32)>,
}

impl FinalInfo {
    /// What each player of a game got, unless the learner used up its turns.
    pub fn returns(&self) -> Option<[f32; 2]> {
        let size = self.result?.abs();
        Some(match self.winner {
            Some(0) => [size, -size],
            Some(_) => [-size, size],
            None => [0.0; 2],
        })
    }
}

/// What exact values say of an action.
#[expect(clippy::struct_excessive_bools, reason = "each is a label of its own")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Analysis {
    /// The value given away, in units of the outcome: 0, 1 or 2.
    pub regret: f32,
    /// Whether that is proved, rather than guessed by what can be seen two plies ahead.
    pub exact: bool,
    /// Whether there was no other legal action.
    pub forced: bool,
    pub missed_win: bool,
    pub missed_block: bool,
    pub allowed_fork: bool,
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    pub reward: f64,
    pub terminated: bool,
    /// The learner used up its turns.
    pub truncated: bool,
    /// The action was not legal, or no action was said.
    pub invalid: bool,
    pub analysis: Option<Analysis>,
    /// Set by the last step of an episode.
    pub end: Option<FinalInfo>,
}

impl Step {
    pub(super) fn is_last(&self) -> bool {
        self.terminated || self.truncated
    }
}

/// What the newest message tells first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The lane has no episode yet, or lost it to a step that was stopped.
    #[default]
    NotBegun,
    Started,
    /// The learner's move was played, and the replies to it.
    Played,
    /// No move was said in the form asked for.
    Unreadable,
    /// The move is not legal.
    Invalid,
    Won,
    Drawn,
    Lost,
    /// The learner used up its turns.
    Cut,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Self::NotBegun => "not_begun",
            Self::Started => "started",
            Self::Played => "played",
            Self::Unreadable => "unreadable",
            Self::Invalid => "invalid",
            Self::Won => "won",
            Self::Drawn => "drawn",
            Self::Lost => "lost",
            Self::Cut => "cut",
        }
    }

    pub(super) fn of(result: f32) -> Self {
        if result > 0.0 {
            Self::Won
        } else if result < 0.0 {
            Self::Lost
        } else {
            Self::Drawn
        }
    }
}

/// Facts about a lane's episode. Of a problem there are no players and no values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EpisodeInfo<'a> {
    /// The seed of the episode's start and draws, or the index of the problem in its source; below 2^63.
    pub example: u64,
    /// Which episode of the lane it is, below 2^63.
    pub episode: u64,
    /// The player the learner is; where it has every seat, the player to move, and at the end who moved last.
    pub seat: u8,
    pub random_move_prob: f64,
    /// The learner's turns so far.
    pub turns: u32,
    /// Its invalid ones.
    pub invalid: u32,
    /// Its turns said in the right form, where moves are said.
    pub well_formed: u32,
    pub status: Status,
    /// What was wrong with the learner's last move, if it was invalid: one of
    /// [`super::message::UNREADABLE`] and [`kit::rules::fault::ALL`].
    pub fault: Option<&'static str>,
    pub over: bool,
    /// What the learner got, once it is over.
    pub result: Option<f32>,
    /// What was played since the learner's last move, chance included.
    pub replies: &'a [Action],
    /// The value of the start to the learner, where steps are analyzed; to player 0, where it has every seat.
    pub start_value: Option<i8>,
    /// All the learner and the opponent gave away so far, where steps are analyzed.
    pub regrets: [f32; 2],
    /// Whether they and the start's value are proved.
    pub exact: bool,
    /// Whether the answer that was played passes, and its score, where a problem was played to its end.
    pub judged: Option<(bool, f32)>,
}
