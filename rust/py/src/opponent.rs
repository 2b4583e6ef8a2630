//! Python class of opponents.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use reasonenv::budget::Budget;
use reasonenv::game::erased::AnyGame;
use reasonenv::game::opponent::{self, Pick};
use reasonenv::game::state::GameState;
use reasonenv::game::value::Optimality;
use reasonenv::rules::Turn;

use crate::args::{Real, Text, Whole};
use crate::errors::InvalidAction;
use crate::games::{Game, searched};
use crate::state::{State, ask, inner};
use crate::text::Reduced;

/// Arguments that make an opponent again.
type OpponentParts = (Game, &'static str, f64, f64, &'static str, Option<u32>, Option<u32>);

/// An opponent: `opponent(state)` is the action that it plays in that state.
#[pyclass(frozen, module = "reasonenv.arena")]
pub struct Opponent {
    pub game: Arc<dyn AnyGame>,
    pub opponent: opponent::Opponent,
}

#[pymethods]
impl Opponent {
    /// Game that it plays.
    #[getter]
    fn game(&self) -> Game {
        Game(self.game.clone())
    }

    /// Name, one of `list_opponents()`.
    #[getter]
    fn name(&self) -> &'static str {
        self.opponent.pick.name()
    }

    /// Probability of a random move instead: 0 to 1.
    #[getter]
    fn random_move_prob(&self) -> f64 {
        self.opponent.random_move_prob
    }

    /// Probability of a move that is not best instead: 0 to 1.
    #[getter]
    fn blunder_prob(&self) -> f64 {
        self.opponent.blunder_prob
    }

    /// Plies left at which it begins to play perfectly; None: from the start.
    #[getter]
    fn exact_plies(&self) -> Option<u32> {
        self.opponent.exact_plies
    }

    /// Random continuations that "mcts" tries for a reply; None for others.
    #[getter]
    fn playouts(&self) -> Option<u32> {
        self.opponent.pick.playouts()
    }

    /// Return its action in `state`: the same whenever the state's seed and the position are the same.
    fn __call__(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<u32> {
        let state = self.to_move(&state)?;
        ask(py, self.game.as_ref(), |stop| {
            let budget = &mut Budget::unlimited().stopped_by(stop);
            searched(state.reply(&self.opponent, budget), stop)
        })
    }

    /// Return the probability of each legal action of `state`, over all seeds; raises Unsolved for "mcts".
    fn distribution<'py>(&self, py: Python<'py>, state: PyRef<'py, State>) -> PyResult<Bound<'py, PyDict>> {
        let state = self.to_move(&state)?;
        let shares = ask(py, self.game.as_ref(), |stop| {
            let budget = &mut Budget::unlimited().stopped_by(stop);
            searched(state.distribution(&self.opponent, budget), stop)
        })?;
        let dict = PyDict::new(py);
        for (action, share) in shares {
            dict.set_item(action, share)?;
        }
        Ok(dict)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, OpponentParts> {
        let make = py.import("reasonenv._native")?.getattr("_opponent")?;
        let optimality = match self.opponent.pick {
            Pick::Minimax(each) | Pick::FirstBest(each) | Pick::LastBest(each) => each.name(),
            _ => Optimality::Dtm.name(),
        };
        let (random, blunder) = (self.opponent.random_move_prob, self.opponent.blunder_prob);
        let exact = self.opponent.exact_plies;
        Ok((make, (self.game(), self.name(), random, blunder, optimality, exact, self.playouts())))
    }

    fn __repr__(&self) -> String {
        let mut errs = self.playouts().map_or_else(String::new, |playouts| format!(", playouts={playouts}"));
        if self.opponent.random_move_prob > 0.0 {
            errs += &format!(", random_move_prob={}", self.opponent.random_move_prob);
        }
        if self.opponent.blunder_prob > 0.0 {
            errs += &format!(", blunder_prob={}", self.opponent.blunder_prob);
        }
        format!("<Opponent {}{errs} of {}>", self.name(), self.game.about().name)
    }
}

impl Opponent {
    fn to_move<'a>(&self, state: &'a PyRef<'_, State>) -> PyResult<&'a dyn GameState> {
        let game = state.game().clone();
        let state = inner(state);
        Game(game).owns(self)?;
        match state.turn() {
            Turn::Player(_) => Ok(state),
            Turn::Chance | Turn::Over => Err(InvalidAction::new_err(
                "it is no player's turn in this state, so there is nothing to play",
            )),
        }
    }
}

/// Make an opponent again; for pickle.
#[pyfunction]
#[pyo3(signature = (game, name, random_move_prob, blunder_prob, optimality, exact_plies, playouts))]
pub fn _opponent(
    game: &Game,
    name: Text,
    random_move_prob: Real,
    blunder_prob: Real,
    optimality: Text,
    exact_plies: Option<Whole>,
    playouts: Option<Whole>,
) -> PyResult<Opponent> {
    game.opponent(name, random_move_prob, blunder_prob, optimality, exact_plies, playouts)
}
