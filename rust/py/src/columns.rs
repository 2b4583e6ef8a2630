//! Columns of a step of many lanes, beyond observations and rewards: one array per column.

use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use reasonenv::game::episode::setup::Autoreset;
use reasonenv::game::episode::step::Analysis;
use reasonenv::game::episode::step::{EpisodeInfo, FinalInfo, Step};

use crate::arrays::rows;
use crate::infos::Facts;

/// Return which lanes began an episode in a step, given which were over before it; None if none did.
pub fn begun(over: &[bool], steps: &[Step], when: Autoreset) -> Option<Vec<bool>> {
    let begun = match when {
        Autoreset::NextStep => over.to_vec(),
        Autoreset::SameStep => steps.iter().map(|step| step.end.is_some()).collect(),
        Autoreset::Disabled => return None,
    };
    begun.contains(&true).then_some(begun)
}

/// Return the columns of a step.
pub fn steps<'py>(py: Python<'py>, steps: &[Step], analysis: bool) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let bools = |of: &dyn Fn(&Step) -> bool| PyArray1::from_iter(py, steps.iter().map(of));
    columns.set_item("invalid", bools(&|step| step.invalid))?;
    columns.set_item("cost", PyArray1::from_iter(py, steps.iter().map(|step| step.cost)))?;
    columns.set_item("episode_cost", PyArray1::from_iter(py, steps.iter().map(|step| step.episode_cost)))?;
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

/// Return a column of the lanes that ended in a step; 0 for other lanes.
fn of_ends<'py, T: Element + Default>(
    py: Python<'py>,
    steps: &[Step],
    of: &dyn Fn(&FinalInfo) -> T,
) -> Bound<'py, PyArray1<T>> {
    PyArray1::from_iter(py, steps.iter().map(|step| step.end.as_ref().map_or_else(T::default, of)))
}

/// Return the columns of the ends of episodes in a step.
pub fn ends<'py>(py: Python<'py>, steps: &[Step], facts: Facts) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let floats = |of: &dyn Fn(&FinalInfo) -> f32| of_ends(py, steps, &|end| f64::from(of(end)));
    columns.set_item("result", floats(&|end| end.result.unwrap_or(0.0)))?;
    if facts.players {
        columns.set_item("winner", of_ends(py, steps, &|end| end.winner.map_or(-1, i64::from)))?;
    } else {
        let passed = |end: &FinalInfo| end.judged.is_some_and(|(passed, _)| passed);
        columns.set_item("passed", of_ends(py, steps, &passed))?;
        columns.set_item("score", floats(&|end| end.judged.map_or(0.0, |(_, score)| score)))?;
    }
    columns.set_item("turns", of_ends(py, steps, &|end| i64::from(end.turns)))?;
    columns.set_item("invalid_moves", of_ends(py, steps, &|end| i64::from(end.invalid)))?;
    let pairs = |of: &dyn Fn(&FinalInfo) -> [f32; 2]| -> PyResult<_> {
        let rows = rows::<f64>(py, steps.len(), &[2]);
        for (row, step) in rows.readwrite().as_slice_mut()?.chunks_mut(2).zip(steps) {
            row.copy_from_slice(&step.end.as_ref().map_or([0.0; 2], of).map(f64::from));
        }
        Ok(rows)
    };
    if facts.self_play {
        columns.set_item("returns", pairs(&|end| end.returns().unwrap_or_default())?)?;
    }
    if facts.analysis {
        if facts.self_play {
            columns.set_item("regrets", pairs(&|end| end.regrets)?)?;
        } else {
            columns.set_item("total_regret", floats(&|end| end.regrets[0]))?;
            columns.set_item("opponent_regret", floats(&|end| end.regrets[1]))?;
        }
        columns.set_item("total_exact", of_ends(py, steps, &|end| end.exact))?;
    }
    Ok(columns)
}

/// Return the columns of the starts of episodes.
pub fn resets<'py>(py: Python<'py>, each: &[EpisodeInfo<'_>], facts: Facts) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let integers = |of: &dyn Fn(&EpisodeInfo<'_>) -> i64| PyArray1::from_iter(py, each.iter().map(of));
    if facts.players && !facts.self_play {
        columns.set_item("seat", integers(&|one| one.seat.into()))?;
    }
    columns.set_item("example", integers(&|one| one.example as i64))?;
    columns.set_item("episode_index", integers(&|one| one.episode as i64))?;
    if facts.players {
        let probs = each.iter().map(|one| one.random_move_prob);
        columns.set_item("random_move_prob", PyArray1::from_iter(py, probs))?;
    }
    if facts.analysis {
        let values = each.iter().map(|one| f64::from(one.start_value.unwrap_or(0.0)));
        columns.set_item("start_value", PyArray1::from_iter(py, values))?;
        columns.set_item("start_exact", PyArray1::from_iter(py, each.iter().map(|one| one.exact)))?;
    }
    Ok(columns)
}
