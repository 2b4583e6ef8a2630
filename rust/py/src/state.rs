//! Python classes of games in progress and the values of moves.

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyType};
use reasonenv::error::Error;
use reasonenv::game::erased::AnyGame;
use reasonenv::game::state::GameState;
use reasonenv::game::value::Value as Worth;
use reasonenv::games;
use reasonenv::rules::Turn;
use serde_json::Value as Json;

use crate::args::{Text, Whole};
use crate::errors::{InvalidArgument, to_py};
use crate::games::{Game, budget, optimality, positions, searched};
use crate::gil::{caught, interruptible};
use crate::play::{Held, Play};
use crate::text::Reduced;

/// Value of a move to its player under perfect play.
#[pyclass(frozen, eq, hash, module = "reasonenv.arena")]
#[derive(Clone, PartialEq)]
pub struct Value {
    /// 1 for a win, 0 for a draw, -1 for a loss; in a game of chance, the sign of `mean`.
    #[pyo3(get)]
    outcome: i8,
    /// Plies to the end, including this move; None if that is not known.
    #[pyo3(get)]
    distance: Option<u32>,
    /// The game's own margin, in the unit of `Game.score_means`.
    #[pyo3(get)]
    score: i32,
    /// Mean return: `outcome` in a game without chance.
    #[pyo3(get)]
    mean: f64,
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.outcome, self.distance, self.score, self.mean.to_bits()).hash(state);
    }
}

/// Fields of a value, as its class takes them.
type Fields = (i8, Option<u32>, i32, f64);

#[pymethods]
impl Value {
    #[new]
    #[pyo3(signature = (outcome, distance, score, mean=None))]
    fn new(outcome: Whole, distance: Option<Whole>, score: Whole, mean: Option<f64>) -> PyResult<Self> {
        let outcome = outcome.signed("outcome", -1, 1)? as i8;
        let mean = mean.unwrap_or_else(|| outcome.into());
        if !mean.is_finite() {
            return Err(InvalidArgument::new_err(format!("`mean` is {mean}, but must be finite")));
        }
        let distance = distance.map(|plies| plies.within("distance", 0, u32::MAX.into())).transpose()?;
        Ok(Self {
            outcome,
            distance: distance.map(|plies| plies as u32),
            score: score.signed("score", i32::MIN.into(), i32::MAX.into())? as i32,
            // Adding 0 turns −0 into 0, which has the same hash.
            mean: mean + 0.0,
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, Fields) {
        (py.get_type::<Self>(), (self.outcome, self.distance, self.score, self.mean))
    }

    fn __repr__(&self) -> String {
        let distance = self.distance.map_or("None".to_owned(), |plies| plies.to_string());
        let Self { outcome, score, mean, .. } = self;
        let is_exact = mean.total_cmp(&f64::from(*outcome)).is_eq();
        let mean = if is_exact { String::new() } else { format!(", mean={mean}") };
        format!("Value(outcome={outcome}, distance={distance}, score={score}{mean})")
    }
}

impl From<Worth> for Value {
    fn from(value: Worth) -> Self {
        let Worth { mean, outcome, distance, score } = value;
        Self { outcome, distance, score, mean }
    }
}

/// Game in progress: whose turn it is, which actions are legal, what they are worth.
///
/// All of `Play`, and the exact values of a game with a solver.
#[pyclass(extends = Play, module = "reasonenv")]
pub struct State {
    game: Arc<dyn AnyGame>,
}

impl State {
    pub fn new(py: Python<'_>, game: Arc<dyn AnyGame>, state: Box<dyn GameState>) -> PyResult<Py<Self>> {
        Py::new(py, PyClassInitializer::from(Play(Held::Game(state))).add_subclass(Self { game }))
    }

    pub fn game(&self) -> &Arc<dyn AnyGame> {
        &self.game
    }
}

/// Return the game in progress of a `State`.
pub fn inner<'a>(state: &'a PyRef<'_, State>) -> &'a dyn GameState {
    let play: &Play = state.as_super();
    match &play.0 {
        Held::Game(state) => state.as_ref(),
        Held::Problem(_) => unreachable!("a State holds a game"),
    }
}

#[pymethods]
impl State {
    /// Return the state whose `to_bytes()` returned `data`; raises InvalidState for anything else.
    #[classmethod]
    fn from_bytes(_cls: &Bound<'_, PyType>, py: Python<'_>, data: &[u8]) -> PyResult<Py<Self>> {
        let invalid =
            |message: &str| to_py(Error::InvalidState { game: "a game", message: message.to_owned() });
        let saved: Json = serde_json::from_slice(data).map_err(|_| invalid("not JSON"))?;
        let name = saved["game"].as_str().ok_or_else(|| invalid("`game` is missing"))?;
        let params = saved["params"].as_str().ok_or_else(|| invalid("`params` is missing"))?;
        let params = serde_json::from_str(params).map_err(|_| invalid("`params` is not a JSON object"))?;
        let game = caught(|| games::find(name).and_then(|family| family.configure(&params)))?;
        let game = game.map_err(to_py)?;
        let state = caught(|| game.clone().read(data))?.map_err(to_py)?;
        Self::new(py, game, state)
    }

    /// Serialize the start and the actions since as JSON.
    fn to_bytes<'py>(self_: PyRef<'py, Self>, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &inner(&self_).bytes())
    }

    #[getter(game)]
    fn played_game(&self) -> Game {
        Game(self.game.clone())
    }

    /// Seed that it was started with.
    #[getter]
    fn seed(self_: PyRef<'_, Self>) -> u64 {
        inner(&self_).opening().seed
    }

    /// Every action since the start, including those of the opening and of chance.
    #[getter]
    fn moves(self_: PyRef<'_, Self>) -> Vec<u32> {
        inner(&self_).moves().to_vec()
    }

    /// True if it is chance's turn.
    #[getter]
    fn is_chance(self_: PyRef<'_, Self>) -> bool {
        inner(&self_).turn() == Turn::Chance
    }

    /// Return the probability of each action at a turn of chance.
    fn chance_outcomes<'py>(self_: PyRef<'py, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let weights = inner(&self_).chance_weights();
        let total: u64 = weights.iter().map(|(_, weight)| weight).sum();
        let outcomes = PyDict::new(py);
        for (action, weight) in weights {
            outcomes.set_item(action, weight as f64 / total as f64)?;
        }
        Ok(outcomes)
    }

    /// Return the exact value of every legal action; empty once the game is over.
    ///
    /// Args:
    ///     max_positions: Most positions to search; None searches until the values are proved.
    ///
    /// Raises:
    ///     Unsolved: The search reached the limit, the game has no exact values, or it is `unsolvable_reason` and no
    ///         limit is given.
    #[pyo3(signature = (max_positions=None))]
    fn values<'py>(
        self_: PyRef<'py, Self>,
        py: Python<'py>,
        max_positions: Option<Whole>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (state, most) = (inner(&self_), positions(max_positions.as_ref())?);
        let values =
            ask(py, self_.game.as_ref(), |stop| searched(state.values(&mut budget(most, stop)), stop))?;
        let dict = PyDict::new(py);
        for (action, value) in values {
            dict.set_item(action, Value::from(value))?;
        }
        Ok(dict)
    }

    /// Return all best actions, in increasing order.
    ///
    /// Args:
    ///     optimality: "wdl": all that keep the outcome. "dtm": of those, the best score, the fastest win,
    ///         the slowest loss.
    ///     max_positions: As in `values`.
    ///
    /// Raises:
    ///     Unsolved: As in `values`.
    #[pyo3(
        signature = (optimality=Text::Read("dtm".to_owned()), max_positions=None),
        text_signature = "($self, optimality='dtm', max_positions=None)"
    )]
    fn best_actions(
        self_: PyRef<'_, Self>,
        py: Python<'_>,
        optimality: Text,
        max_positions: Option<Whole>,
    ) -> PyResult<Vec<u32>> {
        let (optimality, most) = (self::optimality(&optimality)?, positions(max_positions.as_ref())?);
        let state = inner(&self_);
        let best = ask(py, self_.game.as_ref(), |stop| {
            searched(state.best(optimality, &mut budget(most, stop)), stop)
        })?;
        Ok(best.iter().collect())
    }

    /// Return an independent copy.
    fn clone(self_: PyRef<'_, Self>) -> PyResult<Py<Self>> {
        let copy = inner(&self_).boxed_game_clone();
        Self::new(self_.py(), self_.game.clone(), copy)
    }

    fn __copy__(self_: PyRef<'_, Self>) -> PyResult<Py<Self>> {
        Self::clone(self_)
    }

    fn __deepcopy__(self_: PyRef<'_, Self>, _memo: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        Self::clone(self_)
    }

    fn __reduce__<'py>(self_: PyRef<'py, Self>, py: Python<'py>) -> Reduced<'py, (Bound<'py, PyBytes>,)> {
        let read = py.get_type::<Self>().getattr("from_bytes")?;
        Ok((read, (Self::to_bytes(self_, py),)))
    }

    fn __eq__(self_: PyRef<'_, Self>, other: PyRef<'_, Self>) -> bool {
        inner(&self_).same(inner(&other))
    }

    fn __repr__(self_: PyRef<'_, Self>) -> String {
        let state = inner(&self_);
        let game = &self_.game;
        let names: Vec<_> = state.moves().iter().map(|&action| game.name_action(action)).collect();
        let turn = match state.turn() {
            Turn::Player(player) => format!("player {player} to move"),
            Turn::Chance => "chance to move".to_owned(),
            Turn::Over => format!("over, returns {:?}", state.returns()),
        };
        format!("<State of {}: {turn}, played [{}]>", game.about().name, names.join(", "))
    }
}

/// Compute exact values: directly if the game solves instantly, else so that Ctrl-C can stop the search.
pub fn ask<T: Send>(
    py: Python<'_>,
    game: &dyn AnyGame,
    work: impl FnOnce(&AtomicBool) -> Result<T, Error> + Send,
) -> PyResult<T> {
    if game.solves_instantly() {
        return work(&AtomicBool::new(false)).map_err(to_py);
    }
    interruptible(py, work)
}
