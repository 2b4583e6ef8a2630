//! Problems that are played move by move, side by side: what their environments are made of.

use std::sync::atomic::AtomicBool;

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray1};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use reasonenv::error::Error;
use reasonenv::game::episode::lanes::MOST_LANES;
use reasonenv::game::episode::problems::{ProblemInfo, ProblemLanes, ProblemSetup, Reward};
use reasonenv::game::episode::step::{FinalInfo, Step};

use crate::args::{self, Real, Text, Whole};
use crate::arrays::{rows, shaped};
use crate::columns;
use crate::errors::{InvalidArgument, to_py};
use crate::games::one_of;
use crate::gil::{caught, detached};
use crate::infos::must_go_on;
use crate::play::{Held, Play};
use crate::setup::{AUTORESETS, ILLEGALS, name_of};
use crate::sources::Source;
use crate::tasks::Task;
use crate::text::Reduced;

const REWARDS: [(&str, Reward); 2] = [("binary", Reward::Passed), ("partial", Reward::Score)];

/// What a step returns: observation, reward, terminated, truncated, info.
type Stepped<'py> = (Bound<'py, PyAny>, f64, bool, bool, Bound<'py, PyDict>);

/// Problems that are played move by move, side by side, rewarded by their own judge: sudoku, tsp and whatever other
/// family offers `Task.moves()`.
///
/// An episode is one item of the source; which one, the lane's seed and the number of the episode say (`example` is its
/// index). A call that raises changes nothing.
#[pyclass(module = "reasonenv")]
pub struct ProblemEpisodes {
    source: Source,
    lanes: ProblemLanes,
    steps: Vec<Step>,
    /// Where lanes that begin anew within a step write what was seen last.
    last: Vec<f32>,
}

#[pymethods]
impl ProblemEpisodes {
    /// Args:
    ///     source: Where the problems come from; Unsupported is raised where its family cannot be played.
    ///     count: How many are played side by side.
    ///     reward: "binary" (1 if the judge passes the answer that was played, else 0) or "partial" (its score).
    ///     illegal: "lose" ends the episode with 0, "penalty" costs `invalid_penalty` and the turn.
    ///     invalid_penalty: Reward of an illegal move under "penalty".
    ///     max_turns: Turns after which an episode is cut off. None: where illegal ones do not end it, three
    ///         more than it can last; else no limit.
    #[new]
    #[pyo3(
        signature = (
            source, count=Whole::ONE, *, reward=Text::Read("binary".to_owned()),
            illegal=Text::Read("lose".to_owned()), invalid_penalty=Real::Number(-0.1), max_turns=None
        ),
        text_signature = "(source, count=1, *, reward='binary', illegal='lose', invalid_penalty=-0.1, max_turns=None)"
    )]
    fn new(
        source: &Source,
        count: Whole,
        reward: Text,
        illegal: Text,
        invalid_penalty: Real,
        max_turns: Option<Whole>,
    ) -> PyResult<Self> {
        let max_turns = Whole::limit(max_turns, "max_turns", 1)?;
        let setup = ProblemSetup {
            reward: one_of("reward", &reward, &REWARDS)?,
            illegal: one_of("illegal", &illegal, &ILLEGALS)?,
            invalid_penalty: invalid_penalty.number("invalid_penalty")?,
            max_turns,
        };
        let count = count.within("count", 1, MOST_LANES as u64)? as usize;
        let lanes = caught(|| ProblemLanes::new(source.shared(), count, setup))?.map_err(to_py)?;
        Ok(Self::of(source.clone(), lanes))
    }

    fn __len__(&self) -> usize {
        self.lanes.count()
    }

    #[getter]
    fn source(&self) -> Source {
        self.source.clone()
    }

    /// Size of the action space.
    #[getter]
    fn action_count(&self) -> u32 {
        self.lanes.actions()
    }

    /// Shape of a lane's `observation()`.
    #[getter]
    fn shape(&self) -> Vec<usize> {
        self.lanes.shape().to_vec()
    }

    /// From now on the lane's episodes come from `seed`, counted from `episode`, below 2**63.
    #[pyo3(
        signature = (lane, seed, episode=Whole::ZERO),
        text_signature = "($self, lane, seed, episode=0)"
    )]
    fn seed(&mut self, lane: Whole, seed: Whole, episode: Whole) -> PyResult<()> {
        let (lane, episode) = (self.lane(&lane)?, episode.within("episode", 0, i64::MAX as u64)?);
        self.lanes.seed(lane, seed.word("seed")?, episode);
        Ok(())
    }

    /// `seed` of every lane where `chosen` is true, and from episode 0 on.
    fn seed_all(
        &mut self,
        seeds: PyReadonlyArray1<'_, u64>,
        chosen: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<()> {
        let (count, seeds) = (self.lanes.count(), seeds.as_slice()?);
        let chosen = self.chosen(&chosen)?;
        if seeds.len() != count {
            return Err(InvalidArgument::new_err(format!(
                "{} seeds for {count} envs; give one for each",
                seeds.len()
            )));
        }
        for lane in (0..count).filter(|lane| chosen[*lane]) {
            self.lanes.seed(lane, seeds[lane], 0);
        }
        Ok(())
    }

    /// Begins the lane's next episode.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn reset(&mut self, py: Python<'_>, lane: Whole) -> PyResult<()> {
        let lane = self.lane(&lane)?;
        self.change(py, 1, |lanes, _| lanes.reset(lane))
    }

    /// Begins the next episode of every lane where `chosen` is true.
    fn reset_all(&mut self, py: Python<'_>, chosen: PyReadonlyArray1<'_, bool>) -> PyResult<()> {
        let chosen = self.chosen(&chosen)?;
        self.change(py, self.lanes.count(), |lanes, stop| lanes.reset_all(&chosen, stop))
    }

    /// `reset` of lane 0, what is seen then, and an info: example, episode_index, action_mask.
    fn begin<'py>(&mut self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        self.change(py, 1, |lanes, _| lanes.reset(0))?;
        let (about, info) = (self.lanes.info(0), PyDict::new(py));
        info.set_item(intern!(py, "example"), about.example)?;
        info.set_item(intern!(py, "episode_index"), about.episode)?;
        info.set_item(intern!(py, "action_mask"), self.mask_of(py, 0))?;
        Ok((self.seen_by(py, 0), info))
    }

    /// Plays an action in lane 0, any whole number. The info has invalid, action_mask and, at the end, result, turns,
    /// invalid_moves and, unless the episode was cut off, passed and score.
    fn play<'py>(&mut self, py: Python<'py>, action: &Bound<'py, PyAny>) -> PyResult<Stepped<'py>> {
        let action = args::action("action", action)?;
        must_go_on(py, self.lanes.is_over(0), self.lanes.has_begun(0))?;
        let step = self.lanes.step(0, action);
        let info = PyDict::new(py);
        info.set_item(intern!(py, "invalid"), step.invalid)?;
        if let Some(end) = step.end {
            if let (Some(result), Some((passed, score))) = (end.result, end.judged) {
                info.set_item(intern!(py, "result"), result)?;
                info.set_item(intern!(py, "passed"), passed)?;
                info.set_item(intern!(py, "score"), score)?;
            }
            info.set_item(intern!(py, "turns"), end.turns)?;
            info.set_item(intern!(py, "invalid_moves"), end.invalid)?;
        }
        info.set_item(intern!(py, "action_mask"), self.mask_of(py, 0))?;
        Ok((self.seen_by(py, 0), step.reward, step.terminated, step.truncated, info))
    }

    /// Steps every lane. `autoreset` is "NextStep", "SameStep" or "Disabled".
    ///
    /// Returns observations, rewards, terminations, truncations, masks, what was seen last in the lanes that ended and
    /// began anew (None unless "SameStep" and some did; rows of other lanes mean nothing), which lanes were over
    /// before, and, if it `tells`, a dict of columns, each an array with a row for each lane:
    ///
    /// - "step": `invalid` (bool);
    /// - "end", if some lane ended: `result` (float64, by `reward`), `passed` (bool), `score` (float64), `turns` and
    ///   `invalid_moves` (int64); all 0 in lanes that did not end, and the first three where the episode was cut off;
    /// - "begin", if some lane began anew: as from `begin_columns`.
    #[pyo3(signature = (actions, autoreset, tells=true))]
    fn step_all<'py>(
        &mut self,
        py: Python<'py>,
        actions: PyReadonlyArray1<'py, i64>,
        autoreset: Text,
        tells: bool,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (count, shape) = (self.lanes.count(), self.lanes.shape().to_vec());
        let actions = actions.as_slice()?;
        if actions.len() != count {
            let given = actions.len();
            return Err(InvalidArgument::new_err(format!(
                "{given} actions for {count} envs; give one for each"
            )));
        }
        let when = one_of("autoreset", &autoreset, &AUTORESETS)?;
        let over = self.which_are_over();
        // Taken out, so that the lanes can be changed while a step writes to them.
        let (mut steps, mut last) = (std::mem::take(&mut self.steps), std::mem::take(&mut self.last));
        let stepped = columns::stepped(
            py,
            count,
            (&shape, self.lanes.actions() as usize),
            when,
            (&mut steps, &mut last),
            |columns| {
                let to_make = self.lanes.to_make(when);
                self.change(py, to_make, |lanes, stop| lanes.step_all(actions, when, columns, stop))
            },
        );
        (self.steps, self.last) = (steps, last);
        let (observations, rewards, terminations, truncations, masks, last) = stepped?;
        let mut told = columns::Told::default();
        if tells {
            let step = PyDict::new(py);
            step.set_item("invalid", PyArray1::from_iter(py, self.steps.iter().map(|step| step.invalid)))?;
            told.step = Some(step);
            if columns::some_ended(&self.steps) {
                told.end = Some(self.ends(py)?);
            }
            let begun = columns::begun(&over, &self.steps, when);
            told.begin = begun.map(|begun| self.begins(py, &begun)).transpose()?;
        }
        let over = PyArray1::from_vec(py, over);
        (observations, rewards, terminations, truncations, masks, last, over, told).into_pyobject(py)
    }

    /// Which items the lanes play where `chosen` is true, as int64 arrays of shape (lanes,): `example`, its index in the
    /// source, and `episode_index`; 0 in other lanes.
    fn begin_columns<'py>(
        &self,
        py: Python<'py>,
        chosen: PyReadonlyArray1<'py, bool>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let chosen = self.chosen(&chosen)?;
        self.begins(py, &chosen)
    }

    /// What the learner of a lane sees: a fresh float32 array.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn observation<'py>(&self, py: Python<'py>, lane: Whole) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.seen_by(py, self.lane(&lane)?))
    }

    /// What all learners see.
    fn observations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let seen = rows::<f32>(py, self.lanes.count(), self.lanes.shape());
        {
            let mut rows = seen.readwrite();
            let cells = self.lanes.shape().iter().product();
            for (lane, row) in rows.as_slice_mut()?.chunks_mut(cells).enumerate() {
                self.lanes.observe(lane, row);
            }
        }
        Ok(seen)
    }

    /// What the learner of a lane may play: int8, 1 for each legal action.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn action_mask<'py>(&self, py: Python<'py>, lane: Whole) -> PyResult<Bound<'py, PyArray1<i8>>> {
        Ok(self.mask_of(py, self.lane(&lane)?))
    }

    fn action_masks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<i8>>> {
        let actions = self.lanes.actions() as usize;
        let masks = rows::<i8>(py, self.lanes.count(), &[actions]);
        {
            let mut rows = masks.readwrite();
            for (lane, row) in rows.as_slice_mut()?.chunks_mut(actions).enumerate() {
                self.lanes.mask(lane, row);
            }
        }
        Ok(masks)
    }

    /// Which lanes are over, or never began: bool of shape (lanes,).
    fn over<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_vec(py, self.which_are_over())
    }

    /// Facts of a lane's episode: example, episode, turns, invalid_moves, status, over, passed, score (None until the
    /// end, and where it was cut off).
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn episode_info<'py>(&self, py: Python<'py>, lane: Whole) -> PyResult<Bound<'py, PyDict>> {
        let info = self.lanes.info(self.lane(&lane)?);
        let dict = PyDict::new(py);
        dict.set_item("example", info.example)?;
        dict.set_item("episode", info.episode)?;
        dict.set_item("turns", info.turns)?;
        dict.set_item("invalid_moves", info.invalid)?;
        dict.set_item("status", info.status.name())?;
        dict.set_item("over", info.over)?;
        dict.set_item("passed", info.judged.map(|(passed, _)| passed))?;
        dict.set_item("score", info.judged.map(|(_, score)| score))?;
        Ok(dict)
    }

    /// The task whose problem a lane plays.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn task(&self, lane: Whole) -> PyResult<Task> {
        Ok(Task(self.lanes.task(self.lane(&lane)?).clone()))
    }

    /// A copy of the play in progress.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn state(&self, lane: Whole) -> PyResult<Play> {
        Ok(Play(Held::Problem(self.lanes.play(self.lane(&lane)?).boxed_clone())))
    }

    /// All that decides what the lanes do next, as JSON.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lanes.save())
    }

    /// Goes on from what `save` returned; raises InvalidState for anything else and changes nothing.
    fn restore(&mut self, saved: &[u8]) -> PyResult<()> {
        self.lanes.restore(saved).map_err(to_py)
    }

    /// Independent episodes in the same state.
    fn clone(&self) -> Self {
        Self::of(self.source.clone(), self.lanes.clone())
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, Parts<'py>> {
        let make = py.import("reasonenv._native")?.getattr("_problem_episodes")?;
        let (setup, options) = (self.lanes.setup(), PyDict::new(py));
        options.set_item("reward", name_of(&setup.reward, &REWARDS))?;
        options.set_item("illegal", name_of(&setup.illegal, &ILLEGALS))?;
        options.set_item("invalid_penalty", setup.invalid_penalty)?;
        options.set_item("max_turns", setup.max_turns)?;
        Ok((make, (self.source.clone(), self.lanes.count(), options, self.save(py))))
    }
}

/// What makes episodes again: their source, how many, the other arguments, what `save` returned.
type Parts<'py> = (Source, usize, Bound<'py, PyDict>, Bound<'py, PyBytes>);

/// Makes episodes again; for pickle.
#[pyfunction]
pub fn _problem_episodes<'py>(
    py: Python<'py>,
    source: &Bound<'py, Source>,
    count: &Bound<'py, PyAny>,
    options: &Bound<'py, PyDict>,
    saved: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    let made = py.get_type::<ProblemEpisodes>().call((source, count), Some(options))?;
    made.cast::<ProblemEpisodes>()?.borrow_mut().restore(saved)?;
    Ok(made)
}

impl ProblemEpisodes {
    fn of(source: Source, lanes: ProblemLanes) -> Self {
        Self { source, steps: vec![Step::default(); lanes.count()], last: Vec::new(), lanes }
    }

    /// Changes lanes, or none if that fails or is interrupted: to make `problems` may take long.
    fn change<T: Send>(
        &mut self,
        py: Python<'_>,
        problems: usize,
        work: impl FnOnce(&mut ProblemLanes, &AtomicBool) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let lanes = &mut self.lanes;
        // A few problems are made before anyone could press Ctrl-C.
        detached(py, problems * 50, |stop| work(lanes, stop))
    }

    fn which_are_over(&self) -> Vec<bool> {
        (0..self.lanes.count()).map(|lane| self.lanes.is_over(lane)).collect()
    }

    /// How the lanes ended that did so in the last step.
    fn ends<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        let integers = |of: fn(&FinalInfo) -> i64| {
            PyArray1::from_iter(py, self.steps.iter().map(|step| step.end.as_ref().map_or(0, of)))
        };
        let results =
            self.steps.iter().map(|step| step.end.and_then(|end| end.result).map_or(0.0, f64::from));
        columns.set_item("result", PyArray1::from_iter(py, results))?;
        let judged = || self.steps.iter().map(|step| step.end.and_then(|end| end.judged));
        let passed = judged().map(|judged| judged.is_some_and(|(passed, _)| passed));
        columns.set_item("passed", PyArray1::from_iter(py, passed))?;
        let scores = judged().map(|judged| f64::from(judged.map_or(0.0, |(_, score)| score)));
        columns.set_item("score", PyArray1::from_iter(py, scores))?;
        columns.set_item("turns", integers(|end| end.turns.into()))?;
        columns.set_item("invalid_moves", integers(|end| end.invalid.into()))?;
        Ok(columns)
    }

    /// Which items the lanes play where `chosen` is true.
    fn begins<'py>(&self, py: Python<'py>, chosen: &[bool]) -> PyResult<Bound<'py, PyDict>> {
        let of = |value: fn(&ProblemInfo) -> u64| {
            let lanes = chosen.iter().enumerate();
            let each = lanes.map(|(lane, on)| if *on { value(&self.lanes.info(lane)) as i64 } else { 0 });
            PyArray1::from_iter(py, each)
        };
        let columns = PyDict::new(py);
        columns.set_item("example", of(|info| info.example))?;
        columns.set_item("episode_index", of(|info| info.episode))?;
        Ok(columns)
    }

    fn lane(&self, given: &Whole) -> PyResult<usize> {
        Ok(given.within("lane", 0, self.lanes.count() as u64 - 1)? as usize)
    }

    fn chosen(&self, chosen: &PyReadonlyArray1<'_, bool>) -> PyResult<Vec<bool>> {
        let (chosen, count) = (chosen.as_slice()?, self.lanes.count());
        if chosen.len() != count {
            return Err(InvalidArgument::new_err(format!("a mask of {} envs, of {count}", chosen.len())));
        }
        Ok(chosen.to_vec())
    }

    fn seen_by<'py>(&self, py: Python<'py>, lane: usize) -> Bound<'py, PyAny> {
        let mut seen = vec![0.0; self.lanes.shape().iter().product()];
        self.lanes.observe(lane, &mut seen);
        shaped(py, &seen, self.lanes.shape())
    }

    fn mask_of<'py>(&self, py: Python<'py>, lane: usize) -> Bound<'py, PyArray1<i8>> {
        let mut mask = vec![0; self.lanes.actions() as usize];
        self.lanes.mask(lane, &mut mask);
        PyArray1::from_slice(py, &mask)
    }
}
