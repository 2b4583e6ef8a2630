//! Episodes of problems played move by move, rewarded by the problem's own verifier.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::columns::{Columns, Shape, Stepper, step_chunk, step_in_parallel};
use super::lane_set::{self, EPISODES, LaneSet};
use super::setup::{Autoreset, INVALID_PENALTY, Illegal, SPARE_TURNS};
use super::step::{EpisodeInfo, FinalInfo, Status, Step};
use crate::draws::EpisodeDraws;
use kit::error::Error;
use kit::params;
use kit::pool;
use kit::rng::Key;
use kit::rules::{Action, Play, Turn};
use kit::task::item::Task;
use kit::task::source::Source;

/// Lanes per chunk; making a problem may take a millisecond.
const CHUNK: usize = 16;

/// Reward of the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Reward {
    /// 1 if the played answer passes, else 0.
    #[serde(rename = "binary")]
    Passed,
    /// The verifier's score.
    #[serde(rename = "partial")]
    Score,
}

crate::costed_settings! {
    /// The settings of an environment of problems that are played move by move.
    pub struct ProblemSetup {
        /// Reward of the played answer at the end: "binary" is 1.0 if it passes, else 0.0; "partial" is its score.
        pub reward: Reward = Reward::Passed,
        /// Effect of an illegal action: "lose" ends the episode with 0, "penalty" costs `invalid_penalty` and the turn.
        pub illegal: Illegal = Illegal::Lose,
        /// Added to the reward for an illegal action that does not end the episode.
        pub invalid_penalty: f64 = INVALID_PENALTY,
        /// Turns after which an episode is truncated. None: where illegal actions do not end it, three more than the
        /// play of the task can last; otherwise no limit.
        pub max_turns: Option<u32> [1..] = None,
    }
}

impl Copy for ProblemSetup {}

/// A lane: one episode after another.
#[derive(Clone)]
struct Lane {
    seed: u64,
    draws: EpisodeDraws,
    /// Number of the next episode.
    next: u64,
    example: u64,
    task: Task,
    play: Box<dyn Play>,
    moves: Vec<Action>,
    turns: u32,
    invalid: u32,
    /// Constraints that legal actions broke.
    broken: u32,
    status: Status,
    over: bool,
    judged: Option<(bool, f32)>,
    /// Problem of the next episode, if it is already made.
    upcoming: Option<Box<Upcoming>>,
}

/// Problem that has not been played yet.
#[derive(Clone)]
struct Upcoming {
    example: u64,
    task: Task,
    play: Box<dyn Play>,
}

/// Lanes that play the problems of one source.
///
/// Problems are made before any lane changes, so a call that fails or is stopped changes nothing.
#[derive(Clone)]
pub struct ProblemLanes {
    table: Table,
    each: Vec<Lane>,
}

/// Data shared by all lanes.
#[derive(Clone)]
struct Table {
    source: Arc<Source>,
    setup: ProblemSetup,
    observation: Vec<usize>,
    actions: u32,
}

impl ProblemLanes {
    /// Return lanes without an episode.
    pub fn new(source: Arc<Source>, count: usize, setup: ProblemSetup) -> Result<Self, Error> {
        let family = source.family.name();
        lane_set::check_count(family, count)?;
        params::check(&params::fields(&setup), &params::schema::<ProblemSetup>())
            .map_err(|message| Error::InvalidParams { family, message })?;
        let task = source.task(0)?;
        let play = task.play()?;
        let table = Table { observation: play.shape(), actions: play.actions(), source, setup };
        let idle = Lane {
            seed: 0,
            draws: table.draws(0),
            next: 0,
            example: 0,
            task,
            play,
            moves: Vec::new(),
            turns: 0,
            invalid: 0,
            broken: 0,
            status: Status::NotBegun,
            over: true,
            judged: None,
            upcoming: None,
        };
        Ok(Self { table, each: vec![idle; count] })
    }

    pub fn source(&self) -> &Arc<Source> {
        &self.table.source
    }

    pub fn setup(&self) -> &ProblemSetup {
        &self.table.setup
    }

    /// Set the seed of the lane's next episodes, counted from `episode`, below 2^63.
    pub fn seed(&mut self, lane: usize, seed: u64, episode: u64) {
        let draws = self.table.draws(seed);
        let lane = &mut self.each[lane];
        (lane.seed, lane.draws, lane.next) = (seed, draws, episode % EPISODES);
        lane.upcoming = None;
    }

    /// Let the lane's next episode be the task at an index, whatever its seed draws.
    pub fn pose(&mut self, lane: usize, example: u64) -> Result<(), Error> {
        self.each[lane].upcoming = Some(Box::new(self.table.upcoming(example)?));
        Ok(())
    }

    /// Begin the lane's next episode.
    pub fn reset(&mut self, lane: usize) -> Result<(), Error> {
        self.table.prepare(&mut self.each[lane])?;
        self.each[lane].begin();
        Ok(())
    }

    /// Begin the next episode of every lane that is `chosen`; their problems are made on several threads.
    pub fn reset_all(&mut self, chosen: &[bool], stop: &AtomicBool) -> Result<(), Error> {
        let table = &self.table;
        let mut lanes: Vec<_> =
            self.each.iter_mut().zip(chosen).filter_map(|(lane, chosen)| chosen.then_some(lane)).collect();
        table.prepare_all(lanes.iter_mut().map(|lane| &mut **lane).collect(), stop)?;
        for lane in lanes {
            lane.begin();
        }
        Ok(())
    }

    /// Number of problems that a step must make. A step that may reset the lanes it ends makes their problems first.
    pub fn to_make(&self, when: Autoreset) -> usize {
        self.each.iter().filter(|lane| lane.needs(when)).count()
    }

    /// Play an action, which may be any number, in a lane that is not over.
    pub fn step(&mut self, lane: usize, action: i64) -> Step {
        let mut step = Step::default();
        self.table.step(&mut self.each[lane], action, &mut step);
        step
    }

    /// Step every lane, and reset those that are over as `when` says.
    pub fn step_all(
        &mut self,
        actions: &[i64],
        when: Autoreset,
        out: &mut Columns<'_>,
        stop: &AtomicBool,
    ) -> Result<(), Error> {
        let table = &self.table;
        table.prepare_all(self.each.iter_mut().filter(|lane| lane.needs(when)).collect(), stop)?;
        let shape = Shape::new(&table.observation, table.actions);
        let Ok(()) = step_in_parallel(&mut self.each, actions, CHUNK, shape, out, |chunk| {
            step_chunk(&mut { table }, chunk, when, shape)
        });
        Ok(())
    }

    /// Task in play.
    pub fn task(&self, lane: usize) -> &Task {
        &self.each[lane].task
    }

    /// Play in progress.
    pub fn play(&self, lane: usize) -> &dyn Play {
        self.each[lane].play.as_ref()
    }
}

impl LaneSet for ProblemLanes {
    fn count(&self) -> usize {
        self.each.len()
    }

    fn shape(&self) -> &[usize] {
        &self.table.observation
    }

    fn actions(&self) -> u32 {
        self.table.actions
    }

    fn is_over(&self, lane: usize) -> bool {
        self.each[lane].over
    }

    fn info(&self, lane: usize) -> EpisodeInfo<'_> {
        let lane = &self.each[lane];
        EpisodeInfo {
            example: lane.example,
            episode: lane_set::episode_before(lane.next),
            turns: lane.turns,
            invalid: lane.invalid,
            status: lane.status,
            over: lane.over,
            judged: lane.judged,
            ..EpisodeInfo::default()
        }
    }

    fn observe(&self, lane: usize, out: &mut [f32]) {
        self.each[lane].play.observe(0, out);
    }

    fn mask(&self, lane: usize, out: &mut [i8]) {
        self.each[lane].mask(out);
    }

    fn save(&self) -> Vec<u8> {
        lane_set::write(self.each.iter().map(Saved::from))
    }

    fn restore(&mut self, saved: &[u8]) -> Result<(), Error> {
        let saved = lane_set::read(saved, self.each.len()).map_err(|message| self.table.invalid(message))?;
        let restored = |(saved, lane): (&Saved, &Lane)| self.table.restored(saved, lane.clone());
        self.each = saved.iter().zip(&self.each).map(restored).collect::<Result<_, _>>()?;
        Ok(())
    }
}

impl Lane {
    /// True if a problem must be made before this lane steps.
    fn needs(&self, when: Autoreset) -> bool {
        let may_begin = match when {
            Autoreset::NextStep => self.over,
            Autoreset::SameStep => !self.over,
            Autoreset::Disabled => false,
        };
        may_begin && self.upcoming.is_none()
    }

    /// Begin the lane's next episode, whose problem is already made.
    fn begin(&mut self) {
        let upcoming = self.upcoming.take().expect("the problem was made before any lane changed");
        self.next = (self.next + 1) % EPISODES;
        (self.example, self.task, self.play) = (upcoming.example, upcoming.task, upcoming.play);
        (self.turns, self.invalid, self.broken, self.judged) = (0, 0, 0, None);
        self.moves.clear();
        (self.status, self.over) = (Status::Started, false);
        if self.play.turn() == Turn::Over {
            self.judge();
        }
    }

    /// Verify the played answer, in the same way as any answer to the task.
    fn judge(&mut self) {
        let answer = self.play.answer().expect("a problem that was played to its end has an answer");
        let verdict = self.task.verify(&self.task.wrap(&answer), None);
        self.status = if verdict.passed { Status::Won } else { Status::Lost };
        (self.over, self.judged) = (true, Some((verdict.passed, verdict.score)));
    }

    /// Key of the draw of the last turn: the number of the episode and that of the turn.
    fn turn_key(&self) -> u128 {
        u128::from(lane_set::episode_before(self.next)) << 64 | u128::from(self.turns)
    }

    fn mask(&self, out: &mut [i8]) {
        if self.over {
            out.fill(0);
        } else {
            self.play.mask(out);
        }
    }
}

impl Table {
    /// Return the play of a task, which must fit the arrays of all lanes.
    fn play(&self, task: &Task) -> Result<Box<dyn Play>, Error> {
        let play = task.play()?;
        if play.shape() == self.observation && play.actions() == self.actions {
            return Ok(play);
        }
        Err(Error::Unsupported {
            family: self.source.family.name(),
            message: "problems of different sizes cannot be played side by side".to_owned(),
        })
    }

    /// Return the draws that choose the examples of a seed.
    fn draws(&self, seed: u64) -> EpisodeDraws {
        let about = self.source.family.about();
        let key = Key::new(about.name, about.version(), "moves", seed, &self.source.configured.canonical);
        EpisodeDraws::from(&mut key.stream(0))
    }

    /// Make the problem of the lane's next episode.
    fn prepare(&self, lane: &mut Lane) -> Result<(), Error> {
        if lane.upcoming.is_none() {
            let example = lane.draws.words(EpisodeDraws::EXAMPLE, lane.next.into()).get(0) >> 1;
            lane.upcoming = Some(Box::new(self.upcoming(example)?));
        }
        Ok(())
    }

    fn upcoming(&self, example: u64) -> Result<Upcoming, Error> {
        let task = self.source.task(example)?;
        let play = self.play(&task)?;
        Ok(Upcoming { example, task, play })
    }

    /// [`Table::prepare`] for many lanes, on several threads if that is worthwhile.
    fn prepare_all(&self, lanes: Vec<&mut Lane>, stop: &AtomicBool) -> Result<(), Error> {
        let prepare = |lane: &mut Lane| {
            if stop.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { self.prepare(lane) }
        };
        if lanes.len() < CHUNK {
            return lanes.into_iter().try_for_each(prepare);
        }
        pool::try_each(lanes, prepare)
    }

    fn step(&self, lane: &mut Lane, action: i64, step: &mut Step) {
        let costs = self.setup.costs();
        let before = costs.of(lane.invalid, lane.broken);
        lane.turns += 1;
        if let Some(action) = Action::try_from(action).ok().filter(|action| lane.play.is_legal(*action)) {
            lane.status = Status::Played;
            lane.broken += lane.play.broken(action);
            lane.play.apply(action);
            lane.moves.push(action);
            if lane.play.turn() == Turn::Over {
                lane.judge();
            }
        } else {
            lane.invalid += 1;
            lane.status = Status::Invalid;
            step.invalid = true;
            match self.setup.illegal {
                Illegal::Lose => (lane.over, lane.judged) = (true, Some((false, 0.0))),
                Illegal::Penalty => step.reward = self.setup.invalid_penalty,
            }
        }
        step.episode_cost = costs.of(lane.invalid, lane.broken);
        step.cost = step.episode_cost - before;
        if !lane.over && costs.end(step.cost, step.episode_cost, &lane.draws, lane.turn_key()) {
            (lane.over, lane.status, lane.judged) = (true, Status::Costly, Some((false, 0.0)));
        }
        step.terminated = lane.over;
        if !lane.over && self.is_cut_off(lane.turns, lane.play.as_ref()) {
            step.truncated = true;
            (lane.over, lane.status) = (true, Status::Cut);
        }
        let result = lane.judged.map(|(passed, score)| match self.setup.reward {
            Reward::Passed => f32::from(u8::from(passed)),
            Reward::Score => score,
        });
        step.reward += result.map_or(0.0, f64::from);
        step.end = lane.over.then_some(FinalInfo {
            result,
            winner: None,
            status: lane.status,
            turns: lane.turns,
            invalid: lane.invalid,
            regrets: [0.0; 2],
            exact: true,
            judged: lane.judged,
        });
    }

    /// True if an episode that is not over is truncated after `turns` turns.
    fn is_cut_off(&self, turns: u32, play: &dyn Play) -> bool {
        let most = match (self.setup.max_turns, self.setup.illegal) {
            (Some(most), _) => most,
            (None, Illegal::Penalty) => play.max_plies() + SPARE_TURNS,
            (None, Illegal::Lose) => return false,
        };
        turns >= most
    }

    fn invalid(&self, message: String) -> Error {
        Error::InvalidState { game: self.source.family.name(), message }
    }

    /// Restore a saved lane, in place of another.
    fn restored(&self, saved: &Saved, mut lane: Lane) -> Result<Lane, Error> {
        lane_set::check_numbers(saved.next, saved.example).map_err(|message| self.invalid(message))?;
        (lane.seed, lane.draws, lane.next) = (saved.seed, self.draws(saved.seed), saved.next);
        (lane.turns, lane.invalid, lane.judged, lane.upcoming) = (saved.turns, saved.invalid, None, None);
        lane.broken = 0;
        (lane.status, lane.over) = (saved.status, true);
        lane.moves.clear();
        if saved.status == Status::NotBegun {
            return Ok(lane);
        }
        lane.example = saved.example;
        lane.task = self.source.task(saved.example)?;
        lane.play = self.play(&lane.task)?;
        for (at, action) in saved.moves.iter().enumerate() {
            if !lane.play.is_legal(*action) {
                return Err(self.invalid(format!("`moves[{at}]` is {action}, which is not legal there")));
            }
            lane.broken += lane.play.broken(*action);
            lane.play.apply(*action);
        }
        lane.moves.clone_from(&saved.moves);
        let ended = lane.play.turn() == Turn::Over;
        let lost = saved.status == Status::Invalid && self.setup.illegal == Illegal::Lose;
        if ended {
            lane.judge();
        } else if lost || saved.status == Status::Costly {
            lane.judged = Some((false, 0.0));
        }
        lane.over = ended || lost || matches!(saved.status, Status::Cut | Status::Costly);
        let turns = saved.moves.len() as u64 + u64::from(saved.invalid);
        let is_true = lane.status == saved.status
            && turns == u64::from(saved.turns)
            && match saved.status {
                Status::Started => saved.turns == 0,
                Status::Played => !ended && !saved.moves.is_empty(),
                Status::Invalid => !ended && saved.invalid > 0,
                Status::Cut => !ended && self.is_cut_off(saved.turns, lane.play.as_ref()),
                Status::Won | Status::Lost => ended,
                Status::Costly => !ended && self.setup.costs().of(lane.invalid, lane.broken) > 0.0,
                Status::NotBegun | Status::Drawn | Status::Unreadable => false,
            };
        if is_true {
            return Ok(lane);
        }
        Err(self.invalid(format!("`status` is {}, which the other fields contradict", saved.status.name())))
    }
}

/// Saved fields of a lane; the rest follows from them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    seed: u64,
    next: u64,
    example: u64,
    moves: Vec<Action>,
    turns: u32,
    invalid: u32,
    status: Status,
}

impl From<&Lane> for Saved {
    fn from(lane: &Lane) -> Self {
        Self {
            seed: lane.seed,
            next: lane.next,
            example: lane.example,
            moves: lane.moves.clone(),
            turns: lane.turns,
            invalid: lane.invalid,
            status: lane.status,
        }
    }
}

impl Stepper for &Table {
    type Lane = Lane;
    type Error = Infallible;

    fn is_over(&self, lane: &Lane) -> bool {
        lane.over
    }

    fn step(&mut self, lane: &mut Lane, action: i64, step: &mut Step) -> Result<(), Infallible> {
        Table::step(self, lane, action, step);
        Ok(())
    }

    fn reset(&mut self, lane: &mut Lane) -> Result<(), Infallible> {
        lane.begin();
        Ok(())
    }

    fn observe(&self, lane: &Lane, out: &mut [f32]) {
        lane.play.observe(0, out);
    }

    fn mask(&self, lane: &Lane, out: &mut [i8]) {
        lane.mask(out);
    }
}
