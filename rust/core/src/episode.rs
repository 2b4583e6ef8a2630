//! Episodes against an opponent, many side by side: what one step of an environment does.
//!
//! A single environment is one lane, a vector environment many, so both give the same stream.

use std::sync::Arc;

use rayon::prelude::*;

use crate::error::Error;
use crate::game::{AnyGame, Game, GameState, Variant};
use crate::play::Action;
use crate::pool;

mod dialogue;
mod lane;
mod saved;
mod setup;

pub use dialogue::{MOVE_TAG, ParsedMove, Parts, REPEATED_TAGS, Talk, UNREADABLE, read_move};
pub use lane::{Analysis, End, Helpers, OutsideOpponent, Status, Step};
pub use setup::{Illegal, Reward, Seat, Setup};

use dialogue::Refused;
use lane::{EPISODES, Finished, Lane, Rules, Stopped};
use saved::Saved;

/// The most lanes side by side.
pub const MOST_LANES: usize = 1 << 20;

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

/// What a step of all lanes writes, a row for each lane.
pub struct Columns<'a> {
    pub observations: &'a mut [f32],
    pub masks: &'a mut [i8],
    pub rewards: &'a mut [f64],
    pub terminated: &'a mut [bool],
    pub truncated: &'a mut [bool],
    pub steps: &'a mut [Step],
    /// What the learner saw last in the lanes that ended and began anew; other rows stay as they are.
    pub last_observations: &'a mut [f32],
}

/// Facts about a lane's episode.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The seed of the episode's start and luck, below 2^63.
    pub example: u64,
    /// Which episode of the lane it is, below 2^63.
    pub episode: u64,
    /// The player the learner is.
    pub seat: u8,
    pub random_move_prob: f64,
    /// The learner's turns so far.
    pub turns: u32,
    /// Its invalid ones.
    pub invalid: u32,
    /// Its turns said in the right form, where moves are said.
    pub well_formed: u32,
    pub status: Status,
    /// What was wrong with the learner's last move, if it was invalid.
    pub fault: Option<&'static str>,
    pub over: bool,
    /// What the learner got, once it is over.
    pub result: Option<f32>,
    /// What was played since the learner's last move, chance included.
    pub replies: Vec<Action>,
    /// The value of the start to the learner, where steps are analyzed.
    pub start_value: Option<i8>,
    /// All the learner and the opponent gave away so far, where steps are analyzed.
    pub regrets: [f32; 2],
}

/// How a lane's episode began.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Beginning {
    pub seat: u8,
    /// The seed of the episode's start and luck, below 2^63.
    pub example: u64,
    /// Which episode of the lane it is, below 2^63.
    pub episode: u64,
    pub random_move_prob: f64,
    /// The value of the start to the learner, where steps are analyzed.
    pub start_value: Option<i8>,
}

/// Episodes of one game, with its type erased.
///
/// A lane that is over must be reset before it steps. A step or a reset that is stopped, by its limit or by
/// the opponent from outside, leaves its lanes without an episode: who means to go on works on a clone.
pub trait Episodes: Send + Sync {
    fn count(&self) -> usize;
    fn game(&self) -> Arc<dyn AnyGame>;
    fn setup(&self) -> &Setup;
    /// The lane's next episodes come from this seed, counted from `episode`, below 2^63. Lanes whose `group`
    /// differ by one take neighbouring slices.
    fn seed(&mut self, lane: usize, seed: u64, group: u64, episode: u64);
    /// Begins the lane's next episode.
    fn reset(&mut self, lane: usize, help: &mut Helpers<'_, '_>) -> Result<(), Error>;
    /// Plays the learner's action and the replies to it. Any number may come.
    fn step(&mut self, lane: usize, action: i64, help: &mut Helpers<'_, '_>) -> Result<Step, Error>;
    /// Plays the move a message says, and rewards it as [`Talk`] says. Any text may come.
    fn say(&mut self, lane: usize, text: &str, help: &mut Helpers<'_, '_>) -> Result<Step, Error>;
    /// What the lane's game has earned in text.
    fn parts(&self, lane: usize) -> Parts;
    /// Steps every lane, and lets those that are over begin anew as `when` says. Lanes are stepped in
    /// order if an opponent from outside plays, else on many threads.
    fn step_all(
        &mut self,
        actions: &[i64],
        when: Autoreset,
        out: &mut Columns<'_>,
        help: &mut Helpers<'_, '_>,
    ) -> Result<(), Error>;
    /// Writes what the learner sees.
    fn observe(&self, lane: usize, out: &mut [f32]);
    /// Writes 1 for every action the learner may take, else 0; all 0 once the lane is over.
    fn mask(&self, lane: usize, out: &mut [i8]);
    /// Whether the lane ever began an episode.
    fn has_begun(&self, lane: usize) -> bool;
    fn is_over(&self, lane: usize) -> bool;
    fn facts(&self, lane: usize) -> Facts;
    fn beginning(&self, lane: usize) -> Beginning;
    /// What was wrong with the learner's last move, if it was invalid: one of [`UNREADABLE`] and
    /// [`crate::game::fault::ALL`].
    fn fault(&self, lane: usize) -> Option<&'static str>;
    /// What a language model is told.
    fn message(&self, lane: usize) -> String;
    /// The game in progress, for whatever else a caller wants to know.
    fn state(&self, lane: usize) -> Box<dyn GameState>;
    fn boxed_clone(&self) -> Box<dyn Episodes>;
    /// All that decides what the lanes do next, as JSON.
    fn save(&self) -> Vec<u8>;
    /// Goes on from what [`Episodes::save`] wrote, whoever wrote it. Nothing changes if it is refused.
    fn restore(&mut self, saved: &[u8]) -> Result<(), Error>;
}

/// The lanes of one game.
pub struct Lanes<G: Game> {
    variant: Arc<Variant<G>>,
    setup: Setup,
    each: Vec<Lane<G::State>>,
}

/// Lanes a thread takes at a time; fewer are stepped on the caller's own.
const CHUNK: usize = 256;

impl<G: Game> Lanes<G> {
    pub fn new(variant: Arc<Variant<G>>, count: usize, setup: Setup) -> Result<Self, Error> {
        if !(1..=MOST_LANES).contains(&count) {
            let message = format!("`count` is {count}, but must be between 1 and {MOST_LANES}");
            return Err(Error::InvalidParams { family: variant.about.name, message });
        }
        setup.check(variant.as_ref())?;
        let idle = Rules { variant: &variant, setup: &setup }.idle();
        Ok(Self { variant, setup, each: vec![idle; count] })
    }

    fn rules(&self) -> Rules<'_, G> {
        Rules { variant: &self.variant, setup: &self.setup }
    }

    /// Changes a lane, which loses its episode if that is stopped.
    fn change(
        &mut self,
        lane: usize,
        work: impl FnOnce(Rules<'_, G>, &mut Lane<G::State>) -> Finished<()>,
    ) -> Result<(), Error> {
        let rules = Rules { variant: &self.variant, setup: &self.setup };
        let lane = &mut self.each[lane];
        work(rules, lane).map_err(|why| {
            lose(lane);
            self.variant.stopped(why)
        })
    }
}

fn lose<S>(lane: &mut Lane<S>) {
    (lane.status, lane.over) = (Status::NotBegun, true);
}

impl<G: Game> Variant<G> {
    fn stopped(&self, why: Stopped) -> Error {
        match why {
            Stopped::Unsolved(why) => why.error(self.about.name),
            Stopped::Outside(error) => *error,
        }
    }
}

/// Some lanes, their actions and their rows: lanes, actions; observations, last observations; masks,
/// rewards, terminated, truncated, steps.
type Chunk<'a, S> = (
    ((&'a mut [Lane<S>], &'a [i64]), (&'a mut [f32], &'a mut [f32])),
    (&'a mut [i8], (&'a mut [f64], (&'a mut [bool], (&'a mut [bool], &'a mut [Step])))),
);

impl<G: Game> Rules<'_, G> {
    /// Steps some lanes in order.
    fn step_chunk(
        self,
        chunk: Chunk<'_, G::State>,
        when: Autoreset,
        help: &mut Helpers<'_, '_>,
    ) -> Finished<()> {
        let (((lanes, actions), (seen, last)), (masks, (rewards, (ended, (cut, steps))))) = chunk;
        let cells: usize = self.game().shape().iter().product();
        let count = self.game().actions() as usize;
        for (at, lane) in lanes.iter_mut().enumerate() {
            help.limit.look()?;
            let seen = &mut seen[at * cells..(at + 1) * cells];
            let step = &mut steps[at];
            *step = Step::default();
            if !lane.over {
                self.step(lane, actions[at], step, help)?;
                if step.is_last() && when == Autoreset::SameStep {
                    self.observe(lane, &mut last[at * cells..(at + 1) * cells]);
                    self.reset(lane, help)?;
                }
            } else if when == Autoreset::NextStep {
                self.reset(lane, help)?;
            }
            self.observe(lane, seen);
            self.mask(lane, &mut masks[at * count..(at + 1) * count]);
            rewards[at] = step.reward;
            ended[at] = step.terminated;
            cut[at] = step.truncated;
        }
        Ok(())
    }
}

impl<G: Game> Episodes for Lanes<G> {
    fn count(&self) -> usize {
        self.each.len()
    }

    fn game(&self) -> Arc<dyn AnyGame> {
        self.variant.clone()
    }

    fn setup(&self) -> &Setup {
        &self.setup
    }

    fn seed(&mut self, lane: usize, seed: u64, group: u64, episode: u64) {
        let source = self.rules().source(seed);
        let lane = &mut self.each[lane];
        (lane.seed, lane.source) = (seed, source);
        (lane.group, lane.next) = (group, episode % EPISODES);
    }

    fn reset(&mut self, lane: usize, help: &mut Helpers<'_, '_>) -> Result<(), Error> {
        self.change(lane, |rules, lane| rules.reset(lane, help))
    }

    fn step(&mut self, lane: usize, action: i64, help: &mut Helpers<'_, '_>) -> Result<Step, Error> {
        let mut step = Step::default();
        self.change(lane, |rules, lane| rules.step(lane, action, &mut step, help))?;
        Ok(step)
    }

    fn say(&mut self, lane: usize, text: &str, help: &mut Helpers<'_, '_>) -> Result<Step, Error> {
        let mut step = Step::default();
        self.change(lane, |rules, lane| {
            let read = |said: &str| rules.game().read_move(&lane.state, said);
            let said = read_move(text, rules.setup.talk.thinks, read);
            lane.well_formed += u32::from(said.well_formed);
            match said.action {
                Ok(action) => rules.step(lane, action.into(), &mut step, help)?,
                Err(misread) => rules.refuse(lane, Refused::Text(Box::new(misread)), &mut step, help)?,
            }
            if step.invalid && !step.terminated {
                // It is weighed as a part instead.
                step.reward -= rules.setup.invalid_penalty;
            }
            rules.weigh(lane, &mut step);
            Ok(())
        })?;
        Ok(step)
    }

    fn parts(&self, lane: usize) -> Parts {
        let lane = &self.each[lane];
        let reward = match (self.setup.reward, lane.start_value) {
            (Reward::LuckFree, Some(start)) => f64::from(start) - f64::from(lane.regrets[0]),
            _ => -f64::from(lane.regrets[0]),
        };
        self.rules().parts(lane, reward)
    }

    fn step_all(
        &mut self,
        actions: &[i64],
        when: Autoreset,
        out: &mut Columns<'_>,
        help: &mut Helpers<'_, '_>,
    ) -> Result<(), Error> {
        let rules = Rules { variant: &self.variant, setup: &self.setup };
        let cells: usize = rules.game().shape().iter().product();
        let count = rules.game().actions() as usize;
        let done = if self.each.len() <= CHUNK || help.opponent.is_some() || pool::threads() == 1 {
            let whole = (
                ((self.each.as_mut_slice(), actions), (&mut *out.observations, &mut *out.last_observations)),
                (
                    &mut *out.masks,
                    (&mut *out.rewards, (&mut *out.terminated, (&mut *out.truncated, &mut *out.steps))),
                ),
            );
            rules.step_chunk(whole, when, help)
        } else {
            let chunks =
                (self.each.par_chunks_mut(CHUNK).zip(actions.par_chunks(CHUNK)))
                    .zip(
                        out.observations
                            .par_chunks_mut(CHUNK * cells)
                            .zip(out.last_observations.par_chunks_mut(CHUNK * cells)),
                    )
                    .zip(out.masks.par_chunks_mut(CHUNK * count).zip(
                        out.rewards.par_chunks_mut(CHUNK).zip(
                            out.terminated.par_chunks_mut(CHUNK).zip(
                                out.truncated.par_chunks_mut(CHUNK).zip(out.steps.par_chunks_mut(CHUNK)),
                            ),
                        ),
                    ));
            let limit = &help.limit;
            let work = |chunk| rules.step_chunk(chunk, when, &mut Helpers::within(limit.again()));
            pool::run(|| chunks.try_for_each(work))
        };
        done.map_err(|why| {
            self.each.iter_mut().for_each(lose);
            self.variant.stopped(why)
        })
    }

    fn observe(&self, lane: usize, out: &mut [f32]) {
        self.rules().observe(&self.each[lane], out);
    }

    fn mask(&self, lane: usize, out: &mut [i8]) {
        self.rules().mask(&self.each[lane], out);
    }

    fn has_begun(&self, lane: usize) -> bool {
        self.each[lane].status != Status::NotBegun
    }

    fn is_over(&self, lane: usize) -> bool {
        self.each[lane].over
    }

    fn beginning(&self, lane: usize) -> Beginning {
        let lane = &self.each[lane];
        Beginning {
            seat: lane.seat,
            example: lane.example,
            episode: lane.episode(),
            random_move_prob: lane.random_move_prob,
            start_value: lane.start_value,
        }
    }

    fn facts(&self, lane: usize) -> Facts {
        let lane = &self.each[lane];
        Facts {
            example: lane.example,
            episode: lane.episode(),
            seat: lane.seat,
            random_move_prob: lane.random_move_prob,
            turns: lane.turns,
            invalid: lane.invalid,
            well_formed: lane.well_formed,
            status: lane.status,
            fault: lane.refused.as_ref().map(Refused::label),
            over: lane.over,
            result: lane.result,
            replies: lane.moves[lane.replies..].to_vec(),
            start_value: lane.start_value,
            regrets: lane.regrets,
        }
    }

    fn fault(&self, lane: usize) -> Option<&'static str> {
        self.each[lane].refused.as_ref().map(Refused::label)
    }

    fn message(&self, lane: usize) -> String {
        self.rules().message(&self.each[lane])
    }

    fn state(&self, lane: usize) -> Box<dyn GameState> {
        Box::new(self.rules().playing(&self.each[lane]))
    }

    fn save(&self) -> Vec<u8> {
        let saved: Vec<Saved> = self.each.iter().map(Saved::from).collect();
        serde_json::to_vec(&saved).expect("numbers and text serialise")
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), Error> {
        let game = self.variant.about.name;
        let invalid = |message: String| Error::InvalidState { game, message };
        let mut read = serde_json::Deserializer::from_slice(saved);
        let saved: Vec<Saved> = serde_path_to_error::deserialize(&mut read)
            .map_err(|error| invalid(format!("`{}`: {}", error.path(), error.inner())))?;
        read.end().map_err(|error| invalid(error.to_string()))?;
        if saved.len() != self.each.len() {
            let (theirs, ours) = (saved.len(), self.each.len());
            return Err(invalid(format!("it is of {theirs} envs, where these are {ours}")));
        }
        let lanes: Result<_, String> = saved.into_iter().map(|lane| self.rules().restored(&lane)).collect();
        self.each = lanes.map_err(invalid)?;
        Ok(())
    }

    fn boxed_clone(&self) -> Box<dyn Episodes> {
        Box::new(Self { variant: self.variant.clone(), setup: self.setup, each: self.each.clone() })
    }
}
