//! What a step of many lanes tells beside observations and rewards: one array a column.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use reasonenv::game::episode::analysis::Analysis;
use reasonenv::game::episode::step::{FinalInfo, ResetInfo, Step};

/// What a step said of every lane.
pub fn steps<'py>(py: Python<'py>, steps: &[Step], analysis: bool) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let bools = |of: &dyn Fn(&Step) -> bool| PyArray1::from_iter(py, steps.iter().map(of));
    columns.set_item("invalid", bools(&|step| step.invalid))?;
    if analysis {
        let analysed =
            |of: fn(&Analysis) -> bool| bools(&move |step: &Step| step.analysis.as_ref().is_some_and(of));
        columns.set_item("analyzed", analysed(|_| true))?;
        let regrets = steps.iter().map(|step| step.analysis.map_or(0.0, |each| f64::from(each.regret)));
        columns.set_item("regret", PyArray1::from_iter(py, regrets))?;
        columns.set_item("blunder", analysed(|each| each.regret > 0.0))?;
        columns.set_item("forced", analysed(|each| each.forced))?;
        columns.set_item("missed_win", analysed(|each| each.missed_win))?;
        columns.set_item("missed_block", analysed(|each| each.missed_block))?;
        columns.set_item("allowed_fork", analysed(|each| each.allowed_fork))?;
    }
    Ok(columns)
}

/// How the lanes ended that did so in a step.
pub fn ends<'py>(py: Python<'py>, steps: &[Step], analysis: bool) -> PyResult<Bound<'py, PyDict>> {
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
    if analysis {
        columns.set_item("total_regret", floats(&|end| end.regrets[0]))?;
        columns.set_item("opponent_regret", floats(&|end| end.regrets[1]))?;
    }
    Ok(columns)
}

/// How the episodes of some lanes began.
pub fn resets<'py>(py: Python<'py>, each: &[ResetInfo], analysis: bool) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let integers = |of: &dyn Fn(&ResetInfo) -> i64| PyArray1::from_iter(py, each.iter().map(of));
    columns.set_item("seat", integers(&|one| one.seat.into()))?;
    columns.set_item("example", integers(&|one| one.example as i64))?;
    columns.set_item("episode_index", integers(&|one| one.episode as i64))?;
    let probs = each.iter().map(|one| one.random_move_prob);
    columns.set_item("random_move_prob", PyArray1::from_iter(py, probs))?;
    if analysis {
        let value = |one: &ResetInfo| one.start_value.unwrap_or(0).into();
        columns.set_item("start_value", integers(&value))?;
    }
    Ok(columns)
}
