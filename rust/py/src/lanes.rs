//! Shared half of `Episodes` and `ProblemEpisodes`, which does not depend on what their lanes play.

use numpy::{Element, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};
use reasonenv::game::episode::columns::Columns;
use reasonenv::game::episode::lane_set::LaneSet;
use reasonenv::game::episode::setup::Autoreset;
use reasonenv::game::episode::step::{EpisodeInfo, Status, Step};

use crate::args::{Text, Whole};
use crate::arrays::{FEW, rows, shaped};
use crate::columns;
use crate::errors::InvalidArgument;
use crate::games::one_of;
use crate::gil::caught;
use crate::infos::{self, Facts};

/// Observation and info at the start of an episode of lane 0.
pub type ResetOutput<'py> = (Bound<'py, PyAny>, Bound<'py, PyDict>);

/// Result of a step of lane 0: observation, reward, terminated, truncated, info.
pub type StepOutput<'py> = (Bound<'py, PyAny>, f64, bool, bool, Bound<'py, PyDict>);

/// Arguments that make episodes again: source or game, number of lanes, other arguments, bytes of `save`.
pub type Parts<'py, Source> = (Source, usize, Bound<'py, PyDict>, Bound<'py, PyBytes>);

const AUTORESETS: [(&str, Autoreset); 3] =
    [("NextStep", Autoreset::NextStep), ("SameStep", Autoreset::SameStep), ("Disabled", Autoreset::Disabled)];

/// Buffers of a step of all lanes, kept for the next one.
#[derive(Default)]
pub struct StepBuffers {
    steps: Vec<Step>,
    /// Last observations of lanes that are reset within a step.
    last: Vec<f32>,
}

/// Python class of many lanes.
pub trait Lanes {
    fn view(&self) -> LaneView<'_>;
    fn buffers(&mut self) -> &mut StepBuffers;
    /// Step every lane.
    fn step_lanes(
        &mut self,
        py: Python<'_>,
        actions: &[i64],
        when: Autoreset,
        out: &mut Columns<'_>,
    ) -> PyResult<()>;
}

/// Step every lane of a class.
pub fn step_all<'py>(
    class: &mut dyn Lanes,
    py: Python<'py>,
    actions: &PyReadonlyArray1<'py, i64>,
    autoreset: &Text,
    tells: bool,
) -> PyResult<Bound<'py, PyTuple>> {
    let (view, actions) = (class.view(), actions.as_slice()?);
    let count = view.lanes.count();
    view.check_count("actions", actions.len())?;
    let when = one_of("autoreset", autoreset, &AUTORESETS)?;
    let over = view.which_are_over();
    let shape = view.lanes.shape().to_vec();
    let observations = rows::<f32>(py, count, &shape);
    let masks = rows::<i8>(py, count, &[view.lanes.actions() as usize]);
    let rewards = PyArray1::<f64>::zeros(py, count, false);
    let ended = PyArray1::<bool>::zeros(py, count, false);
    let cut = PyArray1::<bool>::zeros(py, count, false);
    // Taken out, so that the lanes can change while a step writes to the buffers.
    let StepBuffers { mut steps, mut last } = std::mem::take(class.buffers());
    steps.resize(count, Step::default());
    last.resize(count * shape.iter().product::<usize>(), 0.0);
    class.step_lanes(
        py,
        actions,
        when,
        &mut Columns {
            observations: observations.readwrite().as_slice_mut()?,
            masks: masks.readwrite().as_slice_mut()?,
            rewards: rewards.readwrite().as_slice_mut()?,
            terminated: ended.readwrite().as_slice_mut()?,
            truncated: cut.readwrite().as_slice_mut()?,
            steps: &mut steps,
            last_observations: &mut last,
        },
    )?;
    let some_ended = steps.iter().any(|step| step.end.is_some());
    let seen_last = (when == Autoreset::SameStep && some_ended).then(|| rows::<f32>(py, count, &shape));
    if let Some(seen_last) = &seen_last {
        seen_last.readwrite().as_slice_mut()?.copy_from_slice(&last);
    }
    let (view, told) = (class.view(), PyDict::new(py));
    if view.facts.self_play {
        told.set_item(intern!(py, "current_player"), view.movers(py))?;
    }
    if tells {
        told.set_item(intern!(py, "step"), columns::steps(py, &steps, view.facts.analysis)?)?;
        if some_ended {
            told.set_item(intern!(py, "end"), columns::ends(py, &steps, view.facts)?)?;
        }
        if let Some(begun) = columns::begun(&over, &steps, when) {
            told.set_item(intern!(py, "begin"), view.begins(py, &begun)?)?;
        }
    }
    *class.buffers() = StepBuffers { steps, last };
    let over = PyArray1::from_vec(py, over);
    (observations, rewards, ended, cut, masks, seen_last, over, told).into_pyobject(py)
}

/// Python's view of lanes.
#[derive(Clone, Copy)]
pub struct LaneView<'a> {
    pub lanes: &'a dyn LaneSet,
    pub facts: Facts,
}

impl LaneView<'_> {
    pub fn index(self, lane: &Whole) -> PyResult<usize> {
        Ok(lane.within("lane", 0, self.lanes.count() as u64 - 1)? as usize)
    }

    /// Raise unless there is one of `what` for each lane.
    pub fn check_count(self, what: &str, given: usize) -> PyResult<()> {
        let count = self.lanes.count();
        if given == count {
            return Ok(());
        }
        Err(InvalidArgument::new_err(format!("{given} {what} for {count} envs; give one for each")))
    }

    /// Read a mask of chosen lanes.
    pub fn chosen(self, mask: &PyReadonlyArray1<'_, bool>) -> PyResult<Vec<bool>> {
        let (mask, count) = (mask.as_slice()?, self.lanes.count());
        if mask.len() != count {
            return Err(InvalidArgument::new_err(format!("a mask of {} envs, of {count}", mask.len())));
        }
        Ok(mask.to_vec())
    }

    pub fn which_are_over(self) -> Vec<bool> {
        (0..self.lanes.count()).map(|lane| self.lanes.is_over(lane)).collect()
    }

    /// Raise ResetNeeded unless lane 0 can be stepped.
    pub fn must_go_on(self, py: Python<'_>) -> PyResult<()> {
        if !self.lanes.is_over(0) {
            return Ok(());
        }
        let has_begun = self.lanes.info(0).status != Status::NotBegun;
        let why = if has_begun { "the episode is over" } else { "no episode has begun" };
        let kind = py.import("gymnasium.error")?.getattr("ResetNeeded")?;
        let kind = kind.cast_into::<PyType>().map_err(|_| PyTypeError::new_err("ResetNeeded"))?;
        Err(PyErr::from_type(kind, format!("{why}; call reset()")))
    }

    /// Player for whom the learner of a lane moves; -1 for nobody.
    pub fn mover(self, lane: usize) -> i64 {
        self.lanes.mover(lane).map_or(-1, i64::from)
    }

    /// Mover of every lane.
    pub fn movers(self, py: Python<'_>) -> Bound<'_, PyArray1<i64>> {
        PyArray1::from_iter(py, (0..self.lanes.count()).map(|lane| self.mover(lane)))
    }

    /// Columns of the starts of episodes in lanes where `chosen` is true.
    pub fn begins<'py>(self, py: Python<'py>, chosen: &[bool]) -> PyResult<Bound<'py, PyDict>> {
        let info = |(lane, &on)| if on { self.lanes.info(lane) } else { EpisodeInfo::default() };
        let each: Vec<_> = chosen.iter().enumerate().map(info).collect();
        columns::resets(py, &each, self.facts)
    }

    /// Info of the start of an episode of lane 0, without the mask or the instructions.
    pub fn reset_info(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        infos::reset(py, &self.lanes.info(0), self.mover(0), self.facts)
    }

    /// Observation of lane 0, and `info` with its mask added.
    pub fn with_mask<'py>(self, py: Python<'py>, info: Bound<'py, PyDict>) -> PyResult<ResetOutput<'py>> {
        info.set_item(intern!(py, "action_mask"), self.action_mask(py, 0)?)?;
        Ok((self.observation(py, 0)?, info))
    }

    /// Result of a step of lane 0.
    pub fn stepped<'py>(self, py: Python<'py>, step: &Step) -> PyResult<StepOutput<'py>> {
        let (seen, info) = self.with_mask(py, infos::step(py, step, self.facts)?)?;
        self.tell_mover(py, &info)?;
        Ok((seen, step.reward, step.terminated, step.truncated, info))
    }

    /// Add the player to move in lane 0 to `info`, in self-play.
    pub fn tell_mover(self, py: Python<'_>, info: &Bound<'_, PyDict>) -> PyResult<()> {
        if self.facts.self_play {
            info.set_item(intern!(py, "current_player"), self.mover(0))?;
        }
        Ok(())
    }

    pub fn observation(self, py: Python<'_>, lane: usize) -> PyResult<Bound<'_, PyAny>> {
        let shape = self.lanes.shape();
        on_stack_or_heap(shape.iter().product(), &mut |seen| {
            caught(|| self.lanes.observe(lane, seen))?;
            Ok(shaped(py, seen, shape))
        })
    }

    pub fn observations(self, py: Python<'_>) -> PyResult<Bound<'_, PyArrayDyn<f32>>> {
        self.each(py, self.lanes.shape(), &|lane, row| self.lanes.observe(lane, row))
    }

    pub fn action_mask(self, py: Python<'_>, lane: usize) -> PyResult<Bound<'_, PyArray1<i8>>> {
        on_stack_or_heap(self.lanes.actions() as usize, &mut |mask| {
            caught(|| self.lanes.mask(lane, mask))?;
            Ok(PyArray1::from_slice(py, mask))
        })
    }

    pub fn action_masks(self, py: Python<'_>) -> PyResult<Bound<'_, PyArrayDyn<i8>>> {
        self.each(py, &[self.lanes.actions() as usize], &|lane, row| self.lanes.mask(lane, row))
    }

    /// Return an array with one row per lane.
    fn each<'py, T: Element>(
        self,
        py: Python<'py>,
        shape: &[usize],
        write: &dyn Fn(usize, &mut [T]),
    ) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
        let each = rows(py, self.lanes.count(), shape);
        for (lane, row) in each.readwrite().as_slice_mut()?.chunks_mut(shape.iter().product()).enumerate() {
            caught(|| write(lane, row))?;
        }
        Ok(each)
    }
}

/// Call `write` with `count` cells: on the stack if they are few.
fn on_stack_or_heap<T: Copy + Default, R>(count: usize, write: &mut dyn FnMut(&mut [T]) -> R) -> R {
    if count <= FEW {
        write(&mut [T::default(); FEW][..count])
    } else {
        write(&mut vec![T::default(); count])
    }
}
