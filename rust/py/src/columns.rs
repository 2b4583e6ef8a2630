//! What a step of many lanes tells beside observations and rewards: one array a column.

use numpy::{PyArray1, PyArrayDyn, PyArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use reasonenv::game::episode::columns::Columns;
use reasonenv::game::episode::setup::Autoreset;
use reasonenv::game::episode::step::Analysis;
use reasonenv::game::episode::step::{FinalInfo, ResetInfo, Step};

use crate::arrays::rows;

/// What a step of many lanes tells by columns, where asked.
#[derive(Default)]
pub struct Told<'py> {
    pub current_player: Option<Bound<'py, PyArray1<i64>>>,
    pub step: Option<Bound<'py, PyDict>>,
    pub end: Option<Bound<'py, PyDict>>,
    pub begin: Option<Bound<'py, PyDict>>,
}

impl<'py> IntoPyObject<'py> for Told<'py> {
    type Target = PyDict;
    type Output = Bound<'py, PyDict>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let told = PyDict::new(py);
        if let Some(movers) = self.current_player {
            told.set_item(intern!(py, "current_player"), movers)?;
        }
        let each = [
            (intern!(py, "step"), self.step),
            (intern!(py, "end"), self.end),
            (intern!(py, "begin"), self.begin),
        ];
        for (name, columns) in each {
            if let Some(columns) = columns {
                told.set_item(name, columns)?;
            }
        }
        Ok(told)
    }
}

/// What lanes bring forth in a step: observations, rewards, terminations, truncations, masks, and what was seen last in
/// the lanes that ended and began anew, if some did.
pub type Stepped<'py> = (
    Bound<'py, PyArrayDyn<f32>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArrayDyn<i8>>,
    Option<Bound<'py, PyArrayDyn<f32>>>,
);

/// Which lanes began an episode within a step before which some were over; None if none did.
pub fn begun(over: &[bool], steps: &[Step], when: Autoreset) -> Option<Vec<bool>> {
    let begun = match when {
        Autoreset::NextStep => over.to_vec(),
        Autoreset::SameStep => steps.iter().map(|step| step.end.is_some()).collect(),
        Autoreset::Disabled => return None,
    };
    begun.contains(&true).then_some(begun)
}

/// Whether a lane ended in a step.
pub fn some_ended(steps: &[Step]) -> bool {
    steps.iter().any(|step| step.end.is_some())
}

/// Runs a step of `count` lanes, whose observations have a shape and whose actions a number, on columns made for it.
pub fn stepped<'py>(
    py: Python<'py>,
    count: usize,
    (shape, actions): (&[usize], usize),
    when: Autoreset,
    (steps, last): (&mut Vec<Step>, &mut Vec<f32>),
    step: impl FnOnce(&mut Columns<'_>) -> PyResult<()>,
) -> PyResult<Stepped<'py>> {
    let observations = rows::<f32>(py, count, shape);
    let masks = rows::<i8>(py, count, &[actions]);
    let rewards = PyArray1::<f64>::zeros(py, count, false);
    let ended = PyArray1::<bool>::zeros(py, count, false);
    let cut = PyArray1::<bool>::zeros(py, count, false);
    steps.resize(count, Step::default());
    last.resize(count * shape.iter().product::<usize>(), 0.0);
    {
        let mut observations = observations.readwrite();
        let (mut masks, mut rewards) = (masks.readwrite(), rewards.readwrite());
        let (mut ended, mut cut) = (ended.readwrite(), cut.readwrite());
        step(&mut Columns {
            observations: observations.as_slice_mut()?,
            masks: masks.as_slice_mut()?,
            rewards: rewards.as_slice_mut()?,
            terminated: ended.as_slice_mut()?,
            truncated: cut.as_slice_mut()?,
            steps,
            last_observations: last,
        })?;
    }
    let anew = when == Autoreset::SameStep && some_ended(steps);
    let last = anew.then(|| -> PyResult<_> {
        let rows = rows::<f32>(py, count, shape);
        rows.readwrite().as_slice_mut()?.copy_from_slice(last);
        Ok(rows)
    });
    Ok((observations, rewards, ended, cut, masks, last.transpose()?))
}

/// What a step said of every lane.
pub fn steps<'py>(py: Python<'py>, steps: &[Step], analysis: bool) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let bools = |of: &dyn Fn(&Step) -> bool| PyArray1::from_iter(py, steps.iter().map(of));
    columns.set_item("invalid", bools(&|step| step.invalid))?;
    if analysis {
        let analyzed =
            |of: fn(&Analysis) -> bool| bools(&move |step: &Step| step.analysis.as_ref().is_some_and(of));
        columns.set_item("analyzed", analyzed(|_| true))?;
        let regrets = steps.iter().map(|step| step.analysis.map_or(0.0, |each| f64::from(each.regret)));
        columns.set_item("regret", PyArray1::from_iter(py, regrets))?;
        columns.set_item("blunder", analyzed(|each| each.regret > 0.0))?;
        columns.set_item("forced", analyzed(|each| each.forced))?;
        columns.set_item("missed_win", analyzed(|each| each.missed_win))?;
        columns.set_item("missed_block", analyzed(|each| each.missed_block))?;
        columns.set_item("allowed_fork", analyzed(|each| each.allowed_fork))?;
        columns.set_item("exact", analyzed(|each| each.exact))?;
    }
    Ok(columns)
}

/// How the lanes ended that did so in a step.
pub fn ends<'py>(
    py: Python<'py>,
    steps: &[Step],
    analysis: bool,
    self_play: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let floats = |of: &dyn Fn(&FinalInfo) -> f32| {
        let ends = steps.iter().map(|step| step.end.as_ref());
        PyArray1::from_iter(py, ends.map(|end| end.map_or(0.0, |end| f64::from(of(end)))))
    };
    let integers = |of: &dyn Fn(&FinalInfo) -> i64| {
        let ends = steps.iter().map(|step| step.end.as_ref());
        PyArray1::from_iter(py, ends.map(|end| end.map_or(0, of)))
    };
    columns.set_item("result", floats(&|end| end.result.unwrap_or(0.0)))?;
    let winner = |end: &FinalInfo| end.winner.map_or(-1, i64::from);
    columns.set_item("winner", integers(&winner))?;
    columns.set_item("turns", integers(&|end| end.turns.into()))?;
    columns.set_item("invalid_moves", integers(&|end| end.invalid.into()))?;
    let pairs = |of: &dyn Fn(&FinalInfo) -> [f32; 2]| -> PyResult<_> {
        let rows = rows::<f64>(py, steps.len(), &[2]);
        for (row, step) in rows.readwrite().as_slice_mut()?.chunks_mut(2).zip(steps) {
            row.copy_from_slice(&step.end.as_ref().map_or([0.0; 2], of).map(f64::from));
        }
        Ok(rows)
    };
    if self_play {
        columns.set_item("returns", pairs(&|end| end.returns().unwrap_or_default())?)?;
    }
    if analysis {
        if self_play {
            columns.set_item("regrets", pairs(&|end| end.regrets)?)?;
        } else {
            columns.set_item("total_regret", floats(&|end| end.regrets[0]))?;
            columns.set_item("opponent_regret", floats(&|end| end.regrets[1]))?;
        }
        let exact = steps.iter().map(|step| step.end.as_ref().is_some_and(|end| end.exact));
        columns.set_item("total_exact", PyArray1::from_iter(py, exact))?;
    }
    Ok(columns)
}

/// How the episodes of some lanes began.
pub fn resets<'py>(
    py: Python<'py>,
    each: &[ResetInfo],
    analysis: bool,
    self_play: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let integers = |of: &dyn Fn(&ResetInfo) -> i64| PyArray1::from_iter(py, each.iter().map(of));
    if !self_play {
        columns.set_item("seat", integers(&|one| one.seat.into()))?;
    }
    columns.set_item("example", integers(&|one| one.example as i64))?;
    columns.set_item("episode_index", integers(&|one| one.episode as i64))?;
    let probs = each.iter().map(|one| one.random_move_prob);
    columns.set_item("random_move_prob", PyArray1::from_iter(py, probs))?;
    if analysis {
        let value = |one: &ResetInfo| one.start_value.unwrap_or(0).into();
        columns.set_item("start_value", integers(&value))?;
        columns.set_item("start_exact", PyArray1::from_iter(py, each.iter().map(|one| one.exact)))?;
    }
    Ok(columns)
}
