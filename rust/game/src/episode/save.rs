//! Lanes as bytes, and lanes from untrusted bytes.

use serde::{Deserialize, Serialize};

use super::lane_set::check_numbers;
use super::message::{Refused, UNREADABLE};
use super::referee::{Lane, Referee};
use super::setup::Illegal;
use super::step::Status;
use crate::game::Game;
use kit::error::quoted;
use kit::rules::{Action, Misread, Turn, fault};

/// Saved fields of a lane; the rest follows from them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    seed: u64,
    group: u64,
    next: u64,
    example: u64,
    moves: Vec<Action>,
    turns: u32,
    invalid: u32,
    well_formed: u32,
    status: Status,
    refused: Option<SavedRefusal>,
    over: bool,
    result: Option<f32>,
    replies: usize,
    start_value: Option<f32>,
    regrets: [f32; 2],
    exact: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SavedRefusal {
    Action(i64),
    Text { label: String, message: String },
}

impl SavedRefusal {
    /// Longest message that is accepted, in bytes.
    const LONGEST: usize = 1_000;

    fn read(&self) -> Result<Refused, String> {
        Ok(match self {
            Self::Action(action) => Refused::Action(*action),
            Self::Text { label, message } => {
                let known = UNREADABLE.into_iter().chain(fault::ALL).find(|known| known == label);
                let label = known.ok_or_else(|| format!("`refused` has no label `{}`", quoted(label)))?;
                if message.len() > Self::LONGEST {
                    return Err(format!("`refused` has a message of more than {} bytes", Self::LONGEST));
                }
                Refused::Text(Box::new(Misread { label, message: message.clone() }))
            }
        })
    }
}

impl From<&Refused> for SavedRefusal {
    fn from(refused: &Refused) -> Self {
        match refused {
            Refused::Action(action) => Self::Action(*action),
            Refused::Text(misread) => {
                Self::Text { label: misread.label.to_owned(), message: misread.message.clone() }
            }
        }
    }
}

impl<S> From<&Lane<S>> for Saved {
    fn from(lane: &Lane<S>) -> Self {
        Self {
            seed: lane.seed,
            group: lane.group,
            next: lane.next,
            example: lane.example,
            moves: lane.moves.clone(),
            turns: lane.turns,
            invalid: lane.invalid,
            well_formed: lane.well_formed,
            status: lane.status,
            refused: lane.refused.as_ref().map(SavedRefusal::from),
            over: lane.over,
            result: lane.result,
            replies: lane.replies,
            start_value: lane.start_value,
            regrets: lane.regrets,
            exact: lane.exact,
        }
    }
}

impl<G: Game> Referee<'_, G> {
    /// Restore a saved lane; the error message says what is wrong with it.
    pub fn restored(self, saved: &Saved) -> Result<Lane<G::State>, String> {
        check_numbers(saved.next, saved.example)?;
        let mut lane = self.idle();
        (lane.seed, lane.source) = (saved.seed, self.source(saved.seed));
        (lane.group, lane.next) = (saved.group, saved.next);
        if saved.status == Status::NotBegun {
            return Ok(lane);
        }
        let opened = self.variant.open(saved.example, self.setup.opening_plies);
        (lane.example, lane.draws) = (saved.example, opened.draws);
        (lane.state, lane.moves) = (opened.state, opened.moves);
        self.replay(&mut lane, &saved.moves)?;
        let drawn = self.variant.draws(saved.example).1;
        let (seat, random_move_prob) = self.sides(drawn, saved.group, lane.episode());
        lane.random_move_prob = random_move_prob;
        if !self.setup.is_self_play() {
            lane.seat = seat;
        }
        (lane.turns, lane.invalid, lane.well_formed) = (saved.turns, saved.invalid, saved.well_formed);
        (lane.status, lane.over, lane.result) = (saved.status, saved.over, saved.result);
        lane.refused = saved.refused.as_ref().map(SavedRefusal::read).transpose()?;
        (lane.replies, lane.start_value) = (saved.replies, saved.start_value);
        (lane.regrets, lane.exact) = (saved.regrets, saved.exact);
        self.check(&lane)?;
        Ok(lane)
    }

    fn replay(self, lane: &mut Lane<G::State>, moves: &[Action]) -> Result<(), String> {
        if !moves.starts_with(&lane.moves) {
            return Err("`moves` do not begin with the opening of `example`".to_owned());
        }
        self.seat_mover(lane);
        while lane.moves.len() < moves.len() {
            let action = moves[lane.moves.len()];
            if !self.game().legal(&lane.state).contains(action) {
                return Err(format!("`moves` has {action} where it is not legal"));
            }
            self.apply(lane, action);
            if self.setup.is_self_play() {
                self.hand_over(lane);
            }
        }
        if lane.moves != moves {
            return Err("`moves` is not what chance does in `example`".to_owned());
        }
        Ok(())
    }

    /// Check that the fields of a restored lane agree with each other.
    fn check(self, lane: &Lane<G::State>) -> Result<(), String> {
        const MOST_TURNS: u32 = 1 << 31;
        if lane.replies > lane.moves.len() {
            return Err(format!("`replies` is {}, but there are {} moves", lane.replies, lane.moves.len()));
        }
        let most = self.setup.max_turns.unwrap_or(MOST_TURNS).min(MOST_TURNS);
        for (field, turns, most) in [
            ("turns", lane.turns, most),
            ("invalid", lane.invalid, lane.turns),
            ("well_formed", lane.well_formed, lane.turns),
        ] {
            if turns > most {
                return Err(format!("`{field}` is {turns}, but must be at most {most}"));
            }
        }
        if lane.start_value.is_some() != self.setup.values_matter() {
            return Err("`start_value` must be there exactly where exact values are asked for".to_owned());
        }
        if lane.start_value.is_some_and(|value| !(-1.0..=1.0).contains(&value)) {
            return Err("`start_value` must be between -1 and 1".to_owned());
        }
        if !lane.regrets.iter().all(|regret| (0.0..=2.0 * MOST_TURNS as f32).contains(regret)) {
            return Err("`regrets` must be at least 0".to_owned());
        }
        let turn = self.game().turn(&lane.state);
        let awaits_learner = turn == Turn::Player(lane.seat);
        let loses = self.setup.on_illegal() == Illegal::Lose;
        let unreadable = lane.refused.as_ref().map(Refused::is_unreadable);
        let is_true = match lane.status {
            Status::NotBegun => false,
            Status::Started | Status::Played => {
                awaits_learner && !lane.over && lane.result.is_none() && lane.refused.is_none()
            }
            Status::Won | Status::Drawn | Status::Lost => {
                let result = self.game().returns(&lane.state)[usize::from(lane.seat)];
                let ended = turn == Turn::Over && lane.over && lane.refused.is_none();
                ended && lane.result == Some(result) && lane.status == Status::of(result)
            }
            Status::Costly => {
                awaits_learner
                    && lane.over
                    && lane.result == Some(-1.0)
                    && self.setup.costs().of(lane.invalid, 0) > 0.0
            }
            Status::Unreadable | Status::Invalid => {
                let result = loses.then_some(-1.0);
                awaits_learner
                    && unreadable == Some(lane.status == Status::Unreadable)
                    && (lane.over, lane.result) == (loses, result)
            }
            Status::Cut => {
                awaits_learner
                    && lane.over
                    && lane.result.is_none()
                    && self.setup.max_turns.is_some_and(|most| lane.turns >= most)
            }
        };
        if is_true {
            return Ok(());
        }
        Err(format!("`status` is {}, which the other fields contradict", lane.status.name()))
    }
}
