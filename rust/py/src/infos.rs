//! Info dicts of one lane.

use numpy::PyArray1;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use reasonenv::game::episode::step::{EpisodeInfo, Step};
use reasonenv::game::variant::GameInfo;

/// Kinds of facts that an episode has.
#[derive(Clone, Copy, Default)]
pub struct Facts {
    /// Players and winners: the episode is of a game rather than a problem.
    pub players: bool,
    /// The learner plays both sides.
    pub self_play: bool,
    /// Steps are analyzed.
    pub analysis: bool,
}

/// Return the info of the start of an episode.
pub fn reset<'py>(
    py: Python<'py>,
    began: &EpisodeInfo<'_>,
    mover: i64,
    facts: Facts,
) -> PyResult<Bound<'py, PyDict>> {
    let info = PyDict::new(py);
    if facts.self_play {
        info.set_item(intern!(py, "current_player"), mover)?;
    } else if facts.players {
        info.set_item(intern!(py, "seat"), began.seat)?;
    }
    if facts.players {
        info.set_item(intern!(py, "random_move_prob"), began.random_move_prob)?;
    }
    info.set_item(intern!(py, "example"), began.example)?;
    info.set_item(intern!(py, "episode_index"), began.episode)?;
    if facts.analysis {
        info.set_item(intern!(py, "start_value"), began.start_value)?;
        info.set_item(intern!(py, "start_exact"), began.exact)?;
    }
    Ok(info)
}

/// Return an array with a number for each player.
fn pair(py: Python<'_>, each: [f32; 2]) -> Bound<'_, PyArray1<f64>> {
    PyArray1::from_slice(py, &each.map(f64::from))
}

/// Return the info of a step.
pub fn step<'py>(py: Python<'py>, step: &Step, facts: Facts) -> PyResult<Bound<'py, PyDict>> {
    let info = PyDict::new(py);
    if let Some(analysis) = step.analysis.filter(|_| facts.analysis) {
        info.set_item(intern!(py, "regret"), analysis.regret)?;
        info.set_item(intern!(py, "blunder"), analysis.regret > 0.0)?;
        info.set_item(intern!(py, "forced"), analysis.forced)?;
        info.set_item(intern!(py, "missed_win"), analysis.missed_win)?;
        info.set_item(intern!(py, "missed_block"), analysis.missed_block)?;
        info.set_item(intern!(py, "allowed_fork"), analysis.allowed_fork)?;
        info.set_item(intern!(py, "exact"), analysis.exact)?;
    }
    info.set_item(intern!(py, "invalid"), step.invalid)?;
    info.set_item(intern!(py, "cost"), step.cost)?;
    info.set_item(intern!(py, "episode_cost"), step.episode_cost)?;
    if let Some(end) = step.end {
        if let Some(result) = end.result {
            info.set_item(intern!(py, "result"), result)?;
        }
        if let Some((passed, score)) = end.judged {
            info.set_item(intern!(py, "passed"), passed)?;
            info.set_item(intern!(py, "score"), score)?;
        }
        if facts.players {
            info.set_item(intern!(py, "winner"), end.winner.map_or(-1, i64::from))?;
        }
        info.set_item(intern!(py, "turns"), end.turns)?;
        info.set_item(intern!(py, "invalid_moves"), end.invalid)?;
        if let Some(returns) = end.returns().filter(|_| facts.self_play) {
            info.set_item(intern!(py, "returns"), pair(py, returns))?;
        }
        if facts.analysis {
            if facts.self_play {
                info.set_item(intern!(py, "regrets"), pair(py, end.regrets))?;
            } else {
                info.set_item(intern!(py, "total_regret"), end.regrets[0])?;
                info.set_item(intern!(py, "opponent_regret"), end.regrets[1])?;
            }
            info.set_item(intern!(py, "total_exact"), end.exact)?;
        }
    }
    Ok(info)
}

/// Return facts about a lane's episode.
pub fn episode<'py>(
    py: Python<'py>,
    info: &EpisodeInfo<'_>,
    game: &dyn GameInfo,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("example", info.example)?;
    dict.set_item("episode", info.episode)?;
    dict.set_item("seat", info.seat)?;
    dict.set_item("random_move_prob", info.random_move_prob)?;
    dict.set_item("turns", info.turns)?;
    dict.set_item("invalid_moves", info.invalid)?;
    dict.set_item("well_formed", info.well_formed)?;
    dict.set_item("status", info.status.name())?;
    dict.set_item("fault", info.fault)?;
    dict.set_item("over", info.over)?;
    dict.set_item("result", info.result)?;
    // Some stay hidden until the end.
    let known = info.replies.iter().filter(|&&action| info.over || game.is_announced(action));
    let replies: Vec<_> = known.map(|&action| game.name_action(action)).collect();
    dict.set_item("opponent_moves", PyTuple::new(py, replies)?)?;
    dict.set_item("start_value", info.start_value)?;
    dict.set_item("regret", info.regrets[0])?;
    dict.set_item("opponent_regret", info.regrets[1])?;
    dict.set_item("exact", info.exact)?;
    Ok(dict)
}
