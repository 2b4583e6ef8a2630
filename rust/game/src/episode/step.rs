//! Result of a step, and state of an episode.

use serde::{Deserialize, Serialize};

use kit::rules::Action;

/// End of an episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FinalInfo {
    /// Return of the learner, unless it used up its turns; in self-play, of the last player who moved.
    pub result: Option<f32>,
    pub winner: Option<u8>,
    pub status: Status,
    /// Turns of the learner.
    pub turns: u32,
    /// Invalid turns among them.
    pub invalid: u32,
    /// Value given away by the learner and by its opponent, if steps are analyzed; in self-play, by each player.
    pub regrets: [f32; 2],
    /// True if the regrets and the value of the start are proved.
    pub exact: bool,
    /// Verdict on the played answer, passed and score, in an episode of a problem.
    pub judged: Option<(bool, f32)>,
}

impl FinalInfo {
    /// Return of each player of a game, unless the learner used up its turns.
    pub fn returns(&self) -> Option<[f32; 2]> {
        let size = self.result?.abs();
        Some(match self.winner {
            Some(0) => [size, -size],
            Some(_) => [-size, size],
            None => [0.0; 2],
        })
    }
}

/// Analysis of an action.
#[expect(clippy::struct_excessive_bools, reason = "each is a label of its own")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Analysis {
    /// Value given away, in units of the outcome: 0, 1 or 2.
    pub regret: f32,
    /// True if that is proved, rather than guessed two plies ahead.
    pub exact: bool,
    /// True if there was no other legal action.
    pub forced: bool,
    pub missed_win: bool,
    pub missed_block: bool,
    pub allowed_fork: bool,
}

/// Result of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Step {
    pub reward: f64,
    pub terminated: bool,
    /// The learner used up its turns.
    pub truncated: bool,
    /// The action was not legal, or the message named none.
    pub invalid: bool,
    /// Cost of the step, apart from its reward.
    pub cost: f64,
    /// Cost of the episode so far.
    pub episode_cost: f64,
    pub analysis: Option<Analysis>,
    /// Set by the last step of an episode.
    pub end: Option<FinalInfo>,
}

impl Step {
    pub(super) fn is_last(&self) -> bool {
        self.terminated || self.truncated
    }
}

/// State of an episode after its last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The lane has no episode yet, or lost it to a step that was stopped.
    #[default]
    NotBegun,
    Started,
    /// The learner's move was played, and the replies to it.
    Played,
    /// The message has no move in the required form.
    Unreadable,
    /// The move is not legal.
    Invalid,
    Won,
    Drawn,
    Lost,
    /// The learner used up its turns.
    Cut,
    /// The costs ended the episode.
    Costly,
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
            Self::Costly => "costly",
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

/// Facts about a lane's episode. In an episode of a problem, those about players and values are unset.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EpisodeInfo<'a> {
    /// Seed of the episode's start and draws, or index of the problem in its source; below 2^63.
    pub example: u64,
    /// Number of the episode in its lane, below 2^63.
    pub episode: u64,
    /// Player that the learner is; in self-play, the player to move, and at the end the last one who moved.
    pub seat: u8,
    pub random_move_prob: f64,
    /// Turns of the learner so far.
    pub turns: u32,
    /// Invalid turns among them.
    pub invalid: u32,
    /// Well-formed turns among them, if moves are sent as messages.
    pub well_formed: u32,
    pub status: Status,
    /// Fault of the learner's last move, if it was invalid: one of [`super::message::UNREADABLE`] and
    /// [`kit::rules::fault::ALL`].
    pub fault: Option<&'static str>,
    pub over: bool,
    /// Return of the learner, once the episode is over.
    pub result: Option<f32>,
    /// Actions since the learner's last move, including those of chance.
    pub replies: &'a [Action],
    /// Value of the start to the learner, if steps are analyzed; in self-play, to player 0.
    pub start_value: Option<f32>,
    /// Value given away so far by the learner and by its opponent, if steps are analyzed.
    pub regrets: [f32; 2],
    /// True if the regrets and the value of the start are proved.
    pub exact: bool,
    /// Verdict on the played answer, passed and score, if a problem was played to its end.
    pub judged: Option<(bool, f32)>,
}
