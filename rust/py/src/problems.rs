//! Problems played move by move in many lanes: the engine of their environments.

use std::sync::atomic::AtomicBool;

use numpy::{PyArray1, PyArrayDyn, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use reasonenv::error::Error;
use reasonenv::game::episode::columns::Columns;
use reasonenv::game::episode::lane_set::{LaneSet, MOST_LANES};
use reasonenv::game::episode::problems::ProblemLanes;
use reasonenv::game::episode::setup::Autoreset;
use reasonenv::params::fields;
use reasonenv::settings::schema;
use serde_json::Value;

use crate::args::{self, Text, Whole};
use crate::errors::to_py;
use crate::gil::{caught, detached};
use crate::infos::Facts;
use crate::lanes::{self, LaneView, Lanes, Parts, ResetOutput, StepBuffers, StepOutput};
use crate::play::{Held, Play};
use crate::settings::typed;
use crate::sources::Source;
use crate::tasks::Task;
use crate::text::{Reduced, object};

/// Problems played move by move in many lanes, rewarded by their own verifier, for families with `Task.moves()` such
/// as sudoku and tsp.
///
/// An episode is one task of the source, chosen by the lane's seed and the number of the episode; `example` is the
/// task's index. A call that raises changes nothing.
#[pyclass(module = "reasonenv._native")]
pub struct ProblemEpisodes {
    source: Source,
    lanes: ProblemLanes,
    buffers: StepBuffers,
}

#[pymethods]
impl ProblemEpisodes {
    /// Args:
    ///     source: Source of the problems; raises Unsupported if its family cannot be played.
    ///     count: Number of lanes.
    ///     **settings: Those of `settings_schema("moves")`.
    #[new]
    #[pyo3(
        signature = (source, count=Whole::ONE, **settings),
        text_signature = "(source, count=1, **settings)"
    )]
    fn new(source: &Source, count: Whole, settings: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let setup = typed(schema("moves").map_err(to_py)?, settings)?;
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

    /// All settings by name.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Value::Object(fields(self.lanes.setup())))
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

    /// Set the seed of the lane's next episodes, counted from `episode`, below 2**63.
    #[pyo3(
        signature = (lane, seed, episode=Whole::ZERO),
        text_signature = "($self, lane, seed, episode=0)"
    )]
    fn seed(&mut self, lane: Whole, seed: Whole, episode: Whole) -> PyResult<()> {
        let (lane, episode) = (self.view().index(&lane)?, episode.within("episode", 0, i64::MAX as u64)?);
        self.lanes.seed(lane, seed.word("seed")?, episode);
        Ok(())
    }

    /// Call `seed` for every lane where `chosen` is true, from episode 0.
    fn seed_all(
        &mut self,
        seeds: PyReadonlyArray1<'_, u64>,
        chosen: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<()> {
        let (count, seeds) = (self.lanes.count(), seeds.as_slice()?);
        let chosen = self.view().chosen(&chosen)?;
        self.view().check_count("seeds", seeds.len())?;
        for lane in (0..count).filter(|lane| chosen[*lane]) {
            self.lanes.seed(lane, seeds[lane], 0);
        }
        Ok(())
    }

    /// Begin the lane's next episode.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn reset(&mut self, py: Python<'_>, lane: Whole) -> PyResult<()> {
        let lane = self.view().index(&lane)?;
        self.change(py, 1, |lanes, _| lanes.reset(lane))
    }

    /// Begin the next episode of every lane where `chosen` is true.
    fn reset_all(&mut self, py: Python<'_>, chosen: PyReadonlyArray1<'_, bool>) -> PyResult<()> {
        let chosen = self.view().chosen(&chosen)?;
        self.change(py, self.lanes.count(), |lanes, stop| lanes.reset_all(&chosen, stop))
    }

    /// Call `reset` for lane 0, and return its observation and an info: example, episode_index, action_mask. `example`
    /// is the index of the task, which the seed draws if it is None.
    #[pyo3(signature = (example=None))]
    fn begin<'py>(&mut self, py: Python<'py>, example: Option<Whole>) -> PyResult<ResetOutput<'py>> {
        let example = example.map(|index| index.within("example", 0, i64::MAX as u64)).transpose()?;
        self.change(py, 1, |lanes, _| {
            example.map_or(Ok(()), |index| lanes.pose(0, index))?;
            lanes.reset(0)
        })?;
        let view = self.view();
        view.with_mask(py, view.reset_info(py)?)
    }

    /// Play an action, any whole number, in lane 0. The info has invalid, cost, episode_cost, action_mask and, at the end,
    /// result, turns, invalid_moves and, unless the episode was truncated, passed and score.
    fn play<'py>(&mut self, py: Python<'py>, action: &Bound<'py, PyAny>) -> PyResult<StepOutput<'py>> {
        let action = args::action("action", action)?;
        self.view().must_go_on(py)?;
        let step = self.lanes.step(0, action);
        self.view().stepped(py, &step)
    }

    /// Step every lane. `autoreset` is "NextStep", "SameStep" or "Disabled".
    ///
    /// Returns observations, rewards, terminations, truncations, masks, the last observations of lanes that ended and
    /// were reset (None unless "SameStep" and some were; rows of other lanes are undefined), which lanes were over
    /// before, and, if `tells`, a dict of columns, each an array with one row per lane:
    ///
    /// - "step": `invalid` (bool), `cost` and `episode_cost` (float64);
    /// - "end", if some lane ended: `result` (float64, by `reward`), `passed` (bool), `score` (float64), `turns` and
    ///   `invalid_moves` (int64); all 0 in lanes that did not end, and the first three also in truncated ones;
    /// - "begin", if some lane was reset: the result of `begin_columns`.
    #[pyo3(signature = (actions, autoreset, tells=true))]
    fn step_all<'py>(
        &mut self,
        py: Python<'py>,
        actions: PyReadonlyArray1<'py, i64>,
        autoreset: Text,
        tells: bool,
    ) -> PyResult<Bound<'py, PyTuple>> {
        lanes::step_all(self, py, &actions, &autoreset, tells)
    }

    /// Return which tasks the lanes where `chosen` is true play, as int64 arrays of shape (lanes,): `example`, the
    /// index in the source, and `episode_index`; 0 in other lanes.
    fn begin_columns<'py>(
        &self,
        py: Python<'py>,
        chosen: PyReadonlyArray1<'py, bool>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.view().begins(py, &self.view().chosen(&chosen)?)
    }

    /// Return the learner's observation in a lane: a new float32 array.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn observation<'py>(&self, py: Python<'py>, lane: Whole) -> PyResult<Bound<'py, PyAny>> {
        self.view().observation(py, self.view().index(&lane)?)
    }

    /// Return the learner's observations in all lanes.
    fn observations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        self.view().observations(py)
    }

    /// Return the learner's legal actions in a lane: int8, 1 for each legal action.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn action_mask<'py>(&self, py: Python<'py>, lane: Whole) -> PyResult<Bound<'py, PyArray1<i8>>> {
        self.view().action_mask(py, self.view().index(&lane)?)
    }

    fn action_masks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<i8>>> {
        self.view().action_masks(py)
    }

    /// Return a bool array of shape (lanes,): True for lanes that are over or never began.
    fn over<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_vec(py, self.view().which_are_over())
    }

    /// Return facts about a lane's episode: example, episode, turns, invalid_moves, status, over, passed, score (the
    /// last two None before the end, and if the episode was truncated).
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn episode_info<'py>(&self, py: Python<'py>, lane: Whole) -> PyResult<Bound<'py, PyDict>> {
        let info = self.lanes.info(self.view().index(&lane)?);
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

    /// Return the task whose problem a lane plays.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn task(&self, lane: Whole) -> PyResult<Task> {
        Ok(Task(self.lanes.task(self.view().index(&lane)?).clone()))
    }

    /// Return a copy of the play in progress.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn state(&self, lane: Whole) -> PyResult<Play> {
        Ok(Play(Held::Problem(self.lanes.play(self.view().index(&lane)?).boxed_clone())))
    }

    /// Serialize as JSON all that decides what the lanes do next.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lanes.save())
    }

    /// Continue from the output of `save`; raises InvalidState for anything else and changes nothing.
    fn restore(&mut self, saved: &[u8]) -> PyResult<()> {
        self.lanes.restore(saved).map_err(to_py)
    }

    /// Return independent episodes in the same state.
    fn clone(&self) -> Self {
        Self::of(self.source.clone(), self.lanes.clone())
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, Parts<'py, Source>> {
        let make = py.import("reasonenv._native")?.getattr("_problem_episodes")?;
        let options = self.settings(py)?.cast_into::<PyDict>()?;
        Ok((make, (self.source.clone(), self.lanes.count(), options, self.save(py))))
    }
}

/// Make episodes again; for pickle.
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
        Self { source, lanes, buffers: StepBuffers::default() }
    }

    /// Change lanes; change none if that fails or is interrupted, because making `problems` may take long.
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
}

impl Lanes for ProblemEpisodes {
    fn view(&self) -> LaneView<'_> {
        LaneView { lanes: &self.lanes, facts: Facts::default() }
    }

    fn buffers(&mut self) -> &mut StepBuffers {
        &mut self.buffers
    }

    fn step_lanes(
        &mut self,
        py: Python<'_>,
        actions: &[i64],
        when: Autoreset,
        out: &mut Columns<'_>,
    ) -> PyResult<()> {
        let to_make = self.lanes.to_make(when);
        self.change(py, to_make, |lanes, stop| lanes.step_all(actions, when, out, stop))
    }
}
