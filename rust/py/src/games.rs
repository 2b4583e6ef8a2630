//! Games, their states, opponents and episodes as Python holds them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use numpy::ndarray::ArrayView;
use numpy::{IxDyn, PyArray, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple, PyType};
use reasonenv::episode::{
    self, Autoreset, Beginning, Columns, End, Illegal, Reward, Seat, Setup, Step, Talk,
};
use reasonenv::error::Error;
use reasonenv::game::{AnyGame, GameState, MOST_OPENING_PLIES, Opening, Optimality, Value as Worth};
use reasonenv::games;
use reasonenv::opponent::{self, Pick};
use reasonenv::play::Turn;
use reasonenv::solver::limit::Limit;
use serde_json::Value as Json;

use crate::errors::{InvalidOpponent, to_py};
use crate::gil::{detached, patiently};
use crate::play::Play;
use crate::text::{Reduced, fields, object, word};

/// A choice among named values.
fn one_of<T: Copy>(argument: &str, given: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let found = choices.iter().find(|(name, _)| *name == given);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = choices.iter().map(|(name, _)| format!("{name:?}")).collect();
        let names = names.join(", ");
        InvalidOpponent::new_err(format!("`{argument}` is {given:?}, but must be one of {names}"))
    })
}

fn optimality(given: &str) -> PyResult<Optimality> {
    one_of("optimality", given, &Optimality::ALL.map(|each| (each.name(), each)))
}

fn limit(max_positions: Option<u64>, stop: &AtomicBool) -> Limit<'_> {
    max_positions.map_or(Limit::none(), Limit::nodes).stopped_by(stop)
}

/// A search that a signal stopped was interrupted, not too long.
fn searched<T>(result: Result<T, Error>, stop: &AtomicBool) -> Result<T, Error> {
    match result {
        Err(Error::Unsolved { .. }) if stop.load(std::sync::atomic::Ordering::Relaxed) => {
            Err(Error::Interrupted)
        }
        other => other,
    }
}

/// A game under some params: its facts, its starts, its opponents.
#[pyclass(frozen, module = "reasonenv")]
pub struct Game(pub Arc<dyn AnyGame>);

#[pymethods]
impl Game {
    #[getter]
    fn name(&self) -> &'static str {
        self.0.about().name
    }

    /// Grows by one whenever a start or a reply changes.
    #[getter]
    fn version(&self) -> u32 {
        self.0.about().version()
    }

    #[getter]
    fn summary(&self) -> &'static str {
        self.0.about().summary
    }

    /// The rules, for someone who has never played it.
    #[getter]
    fn rules(&self) -> &'static str {
        self.0.about().rules
    }

    /// What the two players are called, first to move first.
    #[getter]
    fn players(&self) -> (&'static str, &'static str) {
        let [first, second] = self.0.about().players;
        (first, second)
    }

    /// What changed in each version, oldest first.
    #[getter]
    fn changes(&self) -> Vec<&'static str> {
        self.0.about().changes.to_vec()
    }

    /// Every param, defaults included.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Json::Object(self.0.fields().clone()))
    }

    /// JSON schema of the params: type, bounds, default, role and doc of each.
    #[getter]
    fn params_schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, games::schema(self.name()))
    }

    /// Params worth knowing, the default first.
    #[getter]
    fn variants<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let variants = self.0.about().variants.iter();
        let read = |text: &&str| serde_json::from_str(text).expect("a variant is JSON");
        variants.map(|text| object(py, &read(text))).collect()
    }

    /// Size of the action space.
    #[getter]
    fn action_count(&self) -> u32 {
        self.0.actions()
    }

    /// Shape of a state's `observation()`, planes first.
    #[getter]
    fn shape(&self) -> Vec<usize> {
        self.0.shape()
    }

    /// The most plies a game can last, those of chance included.
    #[getter]
    fn longest(&self) -> u32 {
        self.0.longest()
    }

    #[getter]
    fn has_chance(&self) -> bool {
        self.0.about().chance
    }

    #[getter]
    fn has_hidden_information(&self) -> bool {
        self.0.about().hidden
    }

    /// What the first player gets under perfect play with the default params, if known.
    #[getter]
    fn value(&self) -> Option<f32> {
        self.0.about().value
    }

    /// What `Value.score` counts.
    #[getter]
    fn score_means(&self) -> &'static str {
        self.0.about().score
    }

    /// What actions are called in text, such as "columns".
    #[getter]
    fn moves_are_called(&self) -> &'static str {
        self.0.about().moves
    }

    /// Whether moves can be called missed wins, missed blocks and allowed forks.
    #[getter]
    fn has_tactics(&self) -> bool {
        self.0.about().tactics
    }

    /// Why exact values cannot be expected from the start; None where they can.
    #[getter]
    fn too_deep(&self) -> Option<&'static str> {
        self.0.too_deep()
    }

    /// A game in progress.
    ///
    /// Args:
    ///     seed: Decides what the params leave open and what chance does: 0 .. 2**64 - 1.
    ///     opening_plies: Random moves made first, none of which ends the game: 0 .. 32.
    ///     resolve_chance: Whether chance acts by itself. Otherwise its turns are the caller's to take.
    #[pyo3(signature = (seed=0, *, opening_plies=0, resolve_chance=true))]
    fn start(
        &self,
        py: Python<'_>,
        seed: i128,
        opening_plies: u32,
        resolve_chance: bool,
    ) -> PyResult<Py<State>> {
        if opening_plies > MOST_OPENING_PLIES {
            return Err(InvalidOpponent::new_err(format!(
                "`opening_plies` is {opening_plies}, but must be between 0 and {MOST_OPENING_PLIES}"
            )));
        }
        let opening = Opening { seed: word("seed", seed)?, plies: opening_plies, settled: resolve_chance };
        State::new(py, self.0.clone().start(opening))
    }

    /// The state whose `to_bytes()` gave `data`; raises InvalidState for anything else.
    #[expect(clippy::wrong_self_convention, reason = "the game reads a state of its own")]
    fn from_bytes(&self, py: Python<'_>, data: &[u8]) -> PyResult<Py<State>> {
        State::new(py, self.0.clone().read(data).map_err(to_py)?)
    }

    fn action_name(&self, action: u32) -> PyResult<String> {
        let count = self.0.actions();
        if action >= count {
            return Err(PyValueError::new_err(format!(
                "action {action}, but must be between 0 and {}",
                count - 1
            )));
        }
        Ok(self.0.name_action(action))
    }

    /// The action a text names; raises ValueError saying what a name looks like.
    fn read_action(&self, text: &str) -> PyResult<u32> {
        self.0.read_action(text).map_err(PyValueError::new_err)
    }

    /// Somebody to play against.
    ///
    /// Args:
    ///     name: "random", "minimax" (any of the best moves), "heuristic" (win, else leave the fewest ways to
    ///         win), "first_best", "last_best" (always the same of the best moves) or "equilibrium".
    ///     random_move_prob: Probability of a random legal move instead, on each turn.
    ///     blunder_prob: Probability of a random move that is not best instead.
    ///     optimality: What counts as best: "wdl" keeps the outcome, "dtm" also hastens wins, delays losses
    ///         and maximises the score.
    ///     exact_plies: Exact play begins when at most so many plies are left, and "heuristic" plays before.
    #[pyo3(signature = (name="minimax", *, random_move_prob=0.0, blunder_prob=0.0, optimality="dtm", exact_plies=None))]
    fn opponent(
        &self,
        name: &str,
        random_move_prob: f64,
        blunder_prob: f64,
        optimality: &str,
        exact_plies: Option<u32>,
    ) -> PyResult<Opponent> {
        let opponent = opponent::Opponent {
            pick: Pick::find(name, self::optimality(optimality)?).map_err(to_py)?,
            random_move_prob,
            blunder_prob,
            exact_plies,
        };
        opponent.check(self.0.as_ref()).map_err(to_py)?;
        Ok(Opponent { game: self.0.clone(), opponent })
    }

    /// The exact chances of (win, draw, loss) and the mean return of `first` when it moves first against
    /// `second`, from the start of seed 0: computed over the whole game, not sampled.
    #[pyo3(signature = (first, second, max_positions=None))]
    fn duel(
        &self,
        py: Python<'_>,
        first: &Opponent,
        second: &Opponent,
        max_positions: Option<u64>,
    ) -> PyResult<(f64, f64, f64, f64)> {
        self.owns(first)?;
        self.owns(second)?;
        let players = [first.opponent, second.opponent];
        let tally =
            patiently(py, |stop| searched(self.0.duel(&players, &mut limit(max_positions, stop)), stop))?;
        Ok((tally.win, tally.draw, tally.loss, tally.mean))
    }

    /// How reference policies fare against `opponent`, moving first in one half of the games: a dict of name
    /// to the exact chances of (win, draw, loss) and the mean return.
    #[pyo3(signature = (opponent, max_positions=None))]
    fn calibrate<'py>(
        &self,
        py: Python<'py>,
        opponent: &Opponent,
        max_positions: Option<u64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.owns(opponent)?;
        let rows = patiently(py, |stop| {
            let limit = &mut limit(max_positions, stop);
            searched(self.0.calibrate(&opponent.opponent, limit), stop)
        })?;
        let table = PyDict::new(py);
        for row in rows {
            let tally = row.tally;
            table.set_item(row.policy, (tally.win, tally.draw, tally.loss, tally.mean))?;
        }
        Ok(table)
    }

    /// What one who knows how `opponent` plays can win from it on average, having each seat one half of the
    /// time: 0 for an equilibrium. Exact, for games of hidden information; raises Unsolved for others.
    #[pyo3(signature = (opponent, max_positions=None))]
    fn exploitability(
        &self,
        py: Python<'_>,
        opponent: &Opponent,
        max_positions: Option<u64>,
    ) -> PyResult<f64> {
        self.owns(opponent)?;
        patiently(py, |stop| {
            let limit = &mut limit(max_positions, stop);
            searched(self.0.exploitability(&opponent.opponent, limit), stop)
        })
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0.about().name == other.0.about().name && self.0.canonical() == other.0.canonical()
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        (self.0.about().name, self.0.canonical()).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (&'static str, Bound<'py, PyAny>)> {
        let make = py.import("reasonenv")?.getattr("game")?;
        Ok((make, (self.name(), self.params(py)?)))
    }

    fn __repr__(&self) -> String {
        format!("<Game {} {}>", self.name(), self.0.canonical())
    }
}

impl Game {
    fn owns(&self, opponent: &Opponent) -> PyResult<()> {
        let (ours, theirs) = (&self.0, &opponent.game);
        if ours.about().name == theirs.about().name && ours.canonical() == theirs.canonical() {
            return Ok(());
        }
        Err(InvalidOpponent::new_err(format!(
            "the opponent plays {} {}, and this is {} {}",
            theirs.about().name,
            theirs.canonical(),
            ours.about().name,
            ours.canonical()
        )))
    }
}

/// The names of all games.
#[pyfunction]
pub fn list_games() -> Vec<&'static str> {
    games::GAMES.iter().map(|game| game.about().name).collect()
}

/// The names `Game.opponent` takes.
#[pyfunction]
pub fn list_opponents() -> Vec<&'static str> {
    Pick::NAMES.to_vec()
}

/// A game by its name, under params that override the defaults.
#[pyfunction]
#[pyo3(signature = (name, params=None))]
pub fn game(name: &str, params: Option<&Bound<'_, PyAny>>) -> PyResult<Game> {
    let family = games::find(name).map_err(to_py)?;
    Ok(Game(family.configure(&fields("params", params)?).map_err(to_py)?))
}

/// What a move is worth to its player under perfect play.
#[pyclass(frozen, eq, hash, module = "reasonenv")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Value {
    /// 1 for a win, 0 for a draw, -1 for a loss.
    #[pyo3(get)]
    outcome: i8,
    /// Plies to the end, this move included; None where it is not known.
    #[pyo3(get)]
    distance: Option<u32>,
    /// The game's own margin; `Game.score_means` says what it counts.
    #[pyo3(get)]
    score: i32,
}

#[pymethods]
impl Value {
    fn __repr__(&self) -> String {
        let distance = self.distance.map_or("None".to_owned(), |plies| plies.to_string());
        format!("Value(outcome={}, distance={distance}, score={})", self.outcome, self.score)
    }
}

impl From<Worth> for Value {
    fn from(value: Worth) -> Self {
        Self { outcome: value.outcome, distance: value.distance, score: value.score }
    }
}

/// A game in progress: whose turn it is, what may be played, what it is worth.
///
/// Everything of `Play`, and the powers of a game with a solver.
#[pyclass(extends = Play, module = "reasonenv")]
pub struct State;

impl State {
    pub fn new(py: Python<'_>, state: Box<dyn GameState>) -> PyResult<Py<Self>> {
        Py::new(py, PyClassInitializer::from(Play(state)).add_subclass(Self))
    }
}

/// The game in progress behind a `State`.
fn inner<'a>(state: &'a PyRef<'_, State>) -> &'a dyn GameState {
    let play: &Play = state.as_super();
    play.0.as_game().expect("a State holds a game")
}

#[pymethods]
impl State {
    /// The state whose `to_bytes()` gave `data`; raises InvalidState for anything else.
    #[classmethod]
    fn from_bytes(_cls: &Bound<'_, PyType>, py: Python<'_>, data: &[u8]) -> PyResult<Py<Self>> {
        let invalid =
            |message: &str| to_py(Error::InvalidState { game: "a game", message: message.to_owned() });
        let saved: Json = serde_json::from_slice(data).map_err(|_| invalid("not JSON"))?;
        let name = saved["game"].as_str().ok_or_else(|| invalid("`game` is missing"))?;
        let params = saved["params"].as_str().unwrap_or("{}");
        let params = serde_json::from_str(params).map_err(|_| invalid("`params` is not JSON"))?;
        let game = games::find(name).and_then(|family| family.configure(&params));
        Self::new(py, game.and_then(|game| game.read(data)).map_err(to_py)?)
    }

    /// The start and the actions since, as JSON.
    fn to_bytes<'py>(self_: PyRef<'py, Self>, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &inner(&self_).bytes())
    }

    #[getter]
    fn game(self_: PyRef<'_, Self>) -> Game {
        Game(inner(&self_).game())
    }

    #[getter]
    fn seed(self_: PyRef<'_, Self>) -> u64 {
        inner(&self_).opening().seed
    }

    /// Every action since the start, those of the opening and of chance included.
    #[getter]
    fn moves(self_: PyRef<'_, Self>) -> Vec<u32> {
        inner(&self_).moves().to_vec()
    }

    /// Whether it is the turn of chance.
    #[getter]
    fn is_chance(self_: PyRef<'_, Self>) -> bool {
        inner(&self_).turn() == Turn::Chance
    }

    /// At a turn of chance, the probability of each action.
    fn chance_outcomes<'py>(self_: PyRef<'py, Self>, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let chances = inner(&self_).chances();
        let total: u64 = chances.iter().map(|(_, weight)| weight).sum();
        let outcomes = PyDict::new(py);
        for (action, weight) in chances {
            outcomes.set_item(action, weight as f64 / total as f64)?;
        }
        Ok(outcomes)
    }

    /// The exact value of every legal action; empty once the game is over.
    ///
    /// Args:
    ///     max_positions: The most positions to search; None searches until the values are proved.
    ///
    /// Raises:
    ///     Unsolved: Not within the limit, or the game has no exact values.
    #[pyo3(signature = (max_positions=None))]
    fn values<'py>(
        self_: PyRef<'py, Self>,
        py: Python<'py>,
        max_positions: Option<u64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let state = inner(&self_);
        let values = ask(py, state.game().as_ref(), |stop| {
            searched(state.values(&mut limit(max_positions, stop)), stop)
        })?;
        let dict = PyDict::new(py);
        for (action, value) in values {
            dict.set_item(action, Value::from(value))?;
        }
        Ok(dict)
    }

    /// All best actions, in increasing order.
    ///
    /// Args:
    ///     optimality: "wdl": all that keep the outcome. "dtm": of those, the best score, the fastest win,
    ///         the slowest loss.
    ///     max_positions: As in `values`.
    ///
    /// Raises:
    ///     Unsolved: Not within the limit, or the game has no exact values.
    #[pyo3(signature = (optimality="dtm", max_positions=None))]
    fn best_actions(
        self_: PyRef<'_, Self>,
        py: Python<'_>,
        optimality: &str,
        max_positions: Option<u64>,
    ) -> PyResult<Vec<u32>> {
        let optimality = self::optimality(optimality)?;
        let state = inner(&self_);
        let best = ask(py, state.game().as_ref(), |stop| {
            searched(state.best(optimality, &mut limit(max_positions, stop)), stop)
        })?;
        Ok(best.iter().collect())
    }

    fn clone(self_: PyRef<'_, Self>) -> PyResult<Py<Self>> {
        let copy = inner(&self_).boxed_game_clone();
        Self::new(self_.py(), copy)
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
        let game = state.game();
        let names: Vec<_> = state.moves().iter().map(|&action| game.name_action(action)).collect();
        let turn = match state.turn() {
            Turn::Player(player) => format!("player {player} to move"),
            Turn::Chance => "chance to move".to_owned(),
            Turn::Over => format!("over, returns {:?}", state.returns()),
        };
        format!("<State of {}: {turn}, played [{}]>", game.about().name, names.join(", "))
    }
}

/// Asks for exact values: at once where they come at once, else so that Ctrl-C can stop the search.
fn ask<T: Send>(
    py: Python<'_>,
    game: &dyn AnyGame,
    work: impl FnOnce(&AtomicBool) -> Result<T, Error> + Send,
) -> PyResult<T> {
    if game.is_quick() {
        return work(&AtomicBool::new(false)).map_err(to_py);
    }
    patiently(py, work)
}

/// What makes an opponent again.
type OpponentParts = (Game, &'static str, f64, f64, &'static str, Option<u32>);

/// Somebody to play against: `opponent(state)` is the action it plays there.
#[pyclass(frozen, module = "reasonenv")]
pub struct Opponent {
    game: Arc<dyn AnyGame>,
    opponent: opponent::Opponent,
}

#[pymethods]
impl Opponent {
    #[getter]
    fn game(&self) -> Game {
        Game(self.game.clone())
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.opponent.pick.name()
    }

    #[getter]
    fn random_move_prob(&self) -> f64 {
        self.opponent.random_move_prob
    }

    #[getter]
    fn blunder_prob(&self) -> f64 {
        self.opponent.blunder_prob
    }

    #[getter]
    fn exact_plies(&self) -> Option<u32> {
        self.opponent.exact_plies
    }

    /// The action it plays in `state`: the same whenever the state's seed and the position are the same.
    fn __call__(&self, py: Python<'_>, state: PyRef<'_, State>) -> PyResult<u32> {
        let state = self.to_move(&state)?;
        ask(py, self.game.as_ref(), |stop| {
            let limit = &mut Limit::none().stopped_by(stop);
            searched(state.reply(&self.opponent, limit), stop)
        })
    }

    /// The probability with which it plays each legal action of `state`, over all seeds.
    fn distribution<'py>(&self, py: Python<'py>, state: PyRef<'py, State>) -> PyResult<Bound<'py, PyDict>> {
        let state = self.to_move(&state)?;
        let shares = ask(py, self.game.as_ref(), |stop| {
            let limit = &mut Limit::none().stopped_by(stop);
            searched(state.distribution(&self.opponent, limit), stop)
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
        Ok((make, (self.game(), self.name(), random, blunder, optimality, exact)))
    }

    fn __repr__(&self) -> String {
        let mut errs = String::new();
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
        let state = inner(state);
        Game(state.game()).owns(self)?;
        match state.turn() {
            Turn::Player(_) => Ok(state),
            Turn::Chance | Turn::Over => Err(PyValueError::new_err("it is no player's turn in this state")),
        }
    }
}

/// Makes an opponent again; for pickle.
#[pyfunction]
pub fn _opponent(
    game: &Game,
    name: &str,
    random_move_prob: f64,
    blunder_prob: f64,
    optimality: &str,
    exact_plies: Option<u32>,
) -> PyResult<Opponent> {
    game.opponent(name, random_move_prob, blunder_prob, optimality, exact_plies)
}

/// What a step returns: observation, reward, terminated, truncated, info.
type Stepped<'py> = (Bound<'py, PyAny>, f64, bool, bool, Bound<'py, PyDict>);

/// Games against an opponent, side by side: what the environments are made of.
#[pyclass(module = "reasonenv")]
pub struct Episodes {
    lanes: Box<dyn episode::Episodes>,
    /// Whether a step may take so long that Ctrl-C must be let in.
    slow: bool,
    actions: usize,
    shape: Vec<usize>,
    cells: usize,
    begun: Vec<bool>,
    steps: Vec<Step>,
    /// Where lanes that begin anew within a step write what was seen last.
    last: Vec<f32>,
}

#[pymethods]
impl Episodes {
    #[new]
    #[pyo3(signature = (
        game, count=1, *, opponent=None, random_move_probs=None, num_groups=1, seat="random",
        illegal="lose", invalid_penalty=-0.1, max_turns=None, opening_plies=0, reward="outcome",
        analysis=false, think=false, outcome_weight=1.0, format_weight=0.2, text_invalid_penalty=-0.1,
        penalize_each=false
    ))]
    #[expect(clippy::too_many_arguments, reason = "keywords")]
    fn new(
        game: &Game,
        count: usize,
        opponent: Option<&Opponent>,
        random_move_probs: Option<(f64, f64)>,
        num_groups: u32,
        seat: &str,
        illegal: &str,
        invalid_penalty: f64,
        max_turns: Option<u32>,
        opening_plies: u32,
        reward: &str,
        analysis: bool,
        think: bool,
        outcome_weight: f64,
        format_weight: f64,
        text_invalid_penalty: f64,
        penalize_each: bool,
    ) -> PyResult<Self> {
        if let Some(opponent) = opponent {
            game.owns(opponent)?;
        }
        let setup = Setup {
            opponent: opponent.map(|opponent| opponent.opponent),
            random_move_prob: random_move_probs,
            groups: num_groups,
            seat: one_of(
                "seat",
                seat,
                &[("first", Seat::First), ("second", Seat::Second), ("random", Seat::Random)],
            )?,
            illegal: one_of("illegal", illegal, &[("lose", Illegal::Lose), ("penalty", Illegal::Penalty)])?,
            invalid_penalty,
            max_turns,
            opening_plies,
            reward: one_of(
                "reward",
                reward,
                &[("outcome", Reward::Outcome), ("regret", Reward::Regret), ("luck_free", Reward::LuckFree)],
            )?,
            analyse: analysis,
            talk: Talk {
                thinks: think,
                outcome: outcome_weight,
                format: format_weight,
                invalid: text_invalid_penalty,
                each_invalid: penalize_each,
            },
        };
        let solves = setup.opponent.is_some_and(|who| who.pick.solves() || who.blunder_prob > 0.0)
            || setup.analyse
            || setup.reward != Reward::Outcome;
        let shape = game.0.shape();
        Ok(Self {
            slow: solves && !game.0.is_quick(),
            actions: game.0.actions() as usize,
            cells: shape.iter().product(),
            shape,
            lanes: game.0.clone().episodes(count, setup).map_err(to_py)?,
            begun: vec![false; count],
            steps: vec![Step::default(); count],
            last: Vec::new(),
        })
    }

    fn __len__(&self) -> usize {
        self.lanes.count()
    }

    #[getter]
    fn game(&self) -> Game {
        Game(self.lanes.game())
    }

    /// From now on the lane's episodes come from `seed`, counted from `episode`; `group` shifts their slice.
    #[pyo3(signature = (lane, seed, group=0, episode=0))]
    fn seed(&mut self, lane: usize, seed: u64, group: u64, episode: u64) -> PyResult<()> {
        self.check(lane)?;
        self.lanes.seed(lane, seed, group, episode);
        Ok(())
    }

    /// Begins the lane's next episode.
    #[pyo3(signature = (lane=0))]
    fn reset(&mut self, py: Python<'_>, lane: usize) -> PyResult<()> {
        self.check(lane)?;
        let episodes = &mut self.lanes;
        work(py, self.slow, |limit| episodes.reset(lane, limit))?;
        self.begun[lane] = true;
        Ok(())
    }

    /// What the learner of lane 0 is told as an episode begins, and an info: seat, random_move_prob, example,
    /// episode_index, where steps are analysed start_value, and unless moves are `said` in text action_mask.
    #[pyo3(signature = (said=false))]
    fn opening<'py>(&self, py: Python<'py>, said: bool) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        let (facts, info) = (self.lanes.facts(0), PyDict::new(py));
        info.set_item(intern!(py, "seat"), facts.seat)?;
        info.set_item(intern!(py, "random_move_prob"), facts.random_move_prob)?;
        info.set_item(intern!(py, "example"), facts.example)?;
        info.set_item(intern!(py, "episode_index"), facts.episode)?;
        if self.analyses() {
            info.set_item(intern!(py, "start_value"), facts.start_value)?;
        }
        if said {
            return Ok((self.message(0)?.into_pyobject(py)?.into_any(), info));
        }
        info.set_item(intern!(py, "action_mask"), self.action_mask(py, 0)?)?;
        Ok((self.observation(py, 0)?, info))
    }

    /// `reset` and `opening` of lane 0, for numbers.
    fn begin<'py>(&mut self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        self.reset(py, 0)?;
        self.opening(py, false)
    }

    /// `seed` of every lane where `chosen` is true, and from episode 0 on.
    fn seed_all(
        &mut self,
        seeds: PyReadonlyArray1<'_, u64>,
        groups: PyReadonlyArray1<'_, u64>,
        chosen: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<()> {
        let chosen = self.lanes(&chosen)?;
        let (seeds, groups) = (seeds.as_slice()?, groups.as_slice()?);
        if seeds.len() != self.begun.len() || groups.len() != self.begun.len() {
            return Err(PyValueError::new_err("give a seed and a group for each lane"));
        }
        for lane in chosen {
            self.lanes.seed(lane, seeds[lane], groups[lane], 0);
        }
        Ok(())
    }

    /// Begins the next episode of every lane where `chosen` is true.
    fn reset_all(&mut self, py: Python<'_>, chosen: PyReadonlyArray1<'_, bool>) -> PyResult<()> {
        let chosen = self.lanes(&chosen)?;
        let episodes = &mut self.lanes;
        let items = if self.slow { usize::MAX } else { 0 };
        detached(py, items, |stop| {
            let limit = &mut Limit::none().stopped_by(stop);
            let mut lanes = chosen.iter();
            searched(lanes.try_for_each(|&lane| episodes.reset(lane, limit)), stop)
        })?;
        for lane in chosen {
            self.begun[lane] = true;
        }
        Ok(())
    }

    /// Plays an action in lane 0, whatever it is, and the replies to it.
    fn play<'py>(&mut self, py: Python<'py>, action: &Bound<'py, PyAny>) -> PyResult<Stepped<'py>> {
        let action = action.extract().unwrap_or(-1);
        self.must_go_on(0)?;
        let episodes = &mut self.lanes;
        let step = work(py, self.slow, |limit| episodes.step(0, action, limit))?;
        self.stepped(py, &step)
    }

    /// Plays the move a text says in lane 0, whatever it is, and the replies to it.
    fn say<'py>(&mut self, py: Python<'py>, text: &Bound<'py, PyAny>) -> PyResult<Stepped<'py>> {
        let text = text.cast::<pyo3::types::PyString>().ok();
        let text = text.map(|text| text.to_string_lossy()).unwrap_or_default();
        self.must_go_on(0)?;
        let episodes = &mut self.lanes;
        let step = work(py, self.slow, |limit| episodes.say(0, &text, limit))?;
        self.told(py, &step)
    }

    /// Whether the caller is to play for the opponent of a lane now.
    #[pyo3(signature = (lane=0))]
    fn awaits_reply(&self, lane: usize) -> bool {
        self.begun[lane] && self.lanes.awaits_reply(lane)
    }

    /// Plays for the opponent in lane 0. `said` tells whether the learner's moves are said in text.
    #[pyo3(signature = (action, said=false))]
    fn reply<'py>(&mut self, py: Python<'py>, action: u32, said: bool) -> PyResult<Stepped<'py>> {
        let state = self.lanes.state(0);
        if !self.awaits_reply(0) || !state.legal_set().contains(action) {
            let legal: Vec<_> = state.legal_set().iter().collect();
            return Err(PyValueError::new_err(format!(
                "the opponent played {action}, but must play one of {legal:?}"
            )));
        }
        let episodes = &mut self.lanes;
        let step = work(py, self.slow, |limit| episodes.reply(0, action, said, limit))?;
        if said {
            return self.told(py, &step);
        }
        self.stepped(py, &step)
    }

    /// Steps every lane. `autoreset` is "NextStep", "SameStep" or "Disabled".
    ///
    /// Returns observations, rewards, terminations, truncations, masks, and what was seen last in the lanes
    /// that ended and began anew (None unless "SameStep" and some did; rows of other lanes mean nothing).
    fn step_all<'py>(
        &mut self,
        py: Python<'py>,
        actions: PyReadonlyArray1<'py, i64>,
        autoreset: &str,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let count = self.lanes.count();
        let actions = actions.as_slice()?;
        if actions.len() != count {
            return Err(PyValueError::new_err(format!(
                "{} actions for {count} envs; give one for each",
                actions.len()
            )));
        }
        let when = one_of(
            "autoreset",
            autoreset,
            &[
                ("NextStep", Autoreset::NextStep),
                ("SameStep", Autoreset::SameStep),
                ("Disabled", Autoreset::Disabled),
            ],
        )?;
        let observations = rows::<f32>(py, count, &self.shape);
        let masks = rows::<i8>(py, count, &[self.actions]);
        let rewards = PyArray1::<f64>::zeros(py, count, false);
        let ended = PyArray1::<bool>::zeros(py, count, false);
        let cut = PyArray1::<bool>::zeros(py, count, false);
        {
            let mut observations = observations.readwrite();
            self.last.resize(count * self.cells, 0.0);
            let (mut masks, mut rewards) = (masks.readwrite(), rewards.readwrite());
            let (mut ended, mut cut) = (ended.readwrite(), cut.readwrite());
            let mut columns = Columns {
                observations: observations.as_slice_mut()?,
                masks: masks.as_slice_mut()?,
                rewards: rewards.as_slice_mut()?,
                terminated: ended.as_slice_mut()?,
                truncated: cut.as_slice_mut()?,
                steps: &mut self.steps,
                last_observations: &mut self.last,
            };
            let episodes = &mut self.lanes;
            let items = if self.slow { usize::MAX } else { 0 };
            detached(py, items, |stop| {
                let limit = Limit::none().stopped_by(stop);
                searched(episodes.step_all(actions, when, &mut columns, &limit), stop)
            })?;
        }
        let last = if when == Autoreset::SameStep && self.steps.iter().any(|step| step.end.is_some()) {
            let last = rows::<f32>(py, count, &self.shape);
            last.readwrite().as_slice_mut()?.copy_from_slice(&self.last);
            Some(last)
        } else {
            None
        };
        (observations, rewards, ended, cut, masks, last).into_pyobject(py)
    }

    /// What the last `step_all` said of every lane, as arrays of shape (lanes,): `invalid` (bool) and, where
    /// steps are analysed, `analyzed` (bool), `regret` (float64), `blunder`, `forced`, `missed_win`,
    /// `missed_block` and `allowed_fork` (bool).
    fn step_columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        let bools = |of: &dyn Fn(&Step) -> bool| PyArray1::from_iter(py, self.steps.iter().map(of));
        columns.set_item("invalid", bools(&|step| step.invalid))?;
        if self.analyses() {
            let analysed = |of: fn(&episode::Analysis) -> bool| {
                bools(&move |step: &Step| step.analysis.as_ref().is_some_and(of))
            };
            columns.set_item("analyzed", analysed(|_| true))?;
            let regrets =
                self.steps.iter().map(|step| step.analysis.map_or(0.0, |each| f64::from(each.regret)));
            columns.set_item("regret", PyArray1::from_iter(py, regrets))?;
            columns.set_item("blunder", analysed(|each| each.regret > 0.0))?;
            columns.set_item("forced", analysed(|each| each.forced))?;
            columns.set_item("missed_win", analysed(|each| each.missed_win))?;
            columns.set_item("missed_block", analysed(|each| each.missed_block))?;
            columns.set_item("allowed_fork", analysed(|each| each.allowed_fork))?;
        }
        Ok(columns)
    }

    /// How the lanes ended that did so in the last `step_all`, as arrays of shape (lanes,): `result` (float64),
    /// `winner` (int64, -1 for nobody), `turns` and `invalid_moves` (int64) and, where steps are analysed,
    /// `total_regret` and `opponent_regret` (float64); all 0 in lanes that did not end. `result` is 0 in those
    /// that were cut off.
    fn end_columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        let floats = |of: &dyn Fn(&End) -> f32| {
            let ends = self.steps.iter().map(|step| step.end.as_ref());
            PyArray1::from_iter(py, ends.map(|end| end.map_or(0.0, |end| f64::from(of(end)))))
        };
        let integers = |of: &dyn Fn(&End) -> i64| {
            let ends = self.steps.iter().map(|step| step.end.as_ref());
            PyArray1::from_iter(py, ends.map(|end| end.map_or(0, of)))
        };
        columns.set_item("result", floats(&|end| end.result.unwrap_or(0.0)))?;
        let winner = |end: &End| end.winner.map_or(-1, i64::from);
        columns.set_item("winner", integers(&winner))?;
        columns.set_item("turns", integers(&|end| end.turns.into()))?;
        columns.set_item("invalid_moves", integers(&|end| end.invalid.into()))?;
        if self.analyses() {
            columns.set_item("total_regret", floats(&|end| end.regrets[0]))?;
            columns.set_item("opponent_regret", floats(&|end| end.regrets[1]))?;
        }
        Ok(columns)
    }

    /// How the episodes began of the lanes where `chosen` is true, as arrays of shape (lanes,): `seat`,
    /// `example`, `episode_index` (int64), `random_move_prob` (float64) and, where steps are analysed, `start_value`
    /// (int64); all 0 in other lanes.
    fn begin_columns<'py>(
        &self,
        py: Python<'py>,
        chosen: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let mut each = vec![Beginning::default(); self.lanes.count()];
        for lane in self.lanes(&chosen)? {
            each[lane] = self.lanes.beginning(lane);
        }
        let columns = PyDict::new(py);
        let integers = |of: &dyn Fn(&Beginning) -> i64| PyArray1::from_iter(py, each.iter().map(of));
        columns.set_item("seat", integers(&|one| one.seat.into()))?;
        columns.set_item("example", integers(&|one| one.example as i64))?;
        columns.set_item("episode_index", integers(&|one| one.episode as i64))?;
        let probs = each.iter().map(|one| one.random_move_prob);
        columns.set_item("random_move_prob", PyArray1::from_iter(py, probs))?;
        if self.analyses() {
            let value = |one: &Beginning| one.start_value.unwrap_or(0).into();
            columns.set_item("start_value", integers(&value))?;
        }
        Ok(columns)
    }

    /// What the learner of a lane sees: a fresh float32 array.
    #[pyo3(signature = (lane=0))]
    fn observation<'py>(&self, py: Python<'py>, lane: usize) -> PyResult<Bound<'py, PyAny>> {
        self.check(lane)?;
        let mut seen = [0.0; FEW];
        if self.cells <= FEW {
            let seen = &mut seen[..self.cells];
            self.lanes.observe(lane, seen);
            return Ok(shaped(py, seen, &self.shape));
        }
        let mut seen = vec![0.0; self.cells];
        self.lanes.observe(lane, &mut seen);
        Ok(shaped(py, &seen, &self.shape))
    }

    /// What all learners see.
    fn observations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let count = self.lanes.count();
        let seen = rows::<f32>(py, count, &self.shape);
        {
            let mut rows = seen.readwrite();
            for (lane, row) in rows.as_slice_mut()?.chunks_mut(self.cells).enumerate() {
                self.lanes.observe(lane, row);
            }
        }
        Ok(seen)
    }

    /// What the learner of a lane may play: int8, 1 for each legal action.
    #[pyo3(signature = (lane=0))]
    fn action_mask<'py>(&self, py: Python<'py>, lane: usize) -> PyResult<Bound<'py, PyArray1<i8>>> {
        self.check(lane)?;
        let mut mask = [0; FEW];
        if self.actions <= FEW {
            let mask = &mut mask[..self.actions];
            self.lanes.mask(lane, mask);
            return Ok(PyArray1::from_slice(py, mask));
        }
        let mut mask = vec![0; self.actions];
        self.lanes.mask(lane, &mut mask);
        Ok(PyArray1::from_slice(py, &mask))
    }

    fn action_masks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<i8>>> {
        let count = self.lanes.count();
        let masks = rows::<i8>(py, count, &[self.actions]);
        {
            let mut rows = masks.readwrite();
            for (lane, row) in rows.as_slice_mut()?.chunks_mut(self.actions).enumerate() {
                self.lanes.mask(lane, row);
            }
        }
        Ok(masks)
    }

    /// Facts of a lane's episode.
    #[pyo3(signature = (lane=0))]
    fn facts<'py>(&self, py: Python<'py>, lane: usize) -> PyResult<Bound<'py, PyDict>> {
        self.check(lane)?;
        let (facts, game) = (self.lanes.facts(lane), self.lanes.game());
        let dict = PyDict::new(py);
        dict.set_item("example", facts.example)?;
        dict.set_item("episode", facts.episode)?;
        dict.set_item("seat", facts.seat)?;
        dict.set_item("random_move_prob", facts.random_move_prob)?;
        dict.set_item("turns", facts.turns)?;
        dict.set_item("invalid_moves", facts.invalid)?;
        dict.set_item("well_formed", facts.well_formed)?;
        dict.set_item("status", facts.status.name())?;
        dict.set_item("over", facts.over)?;
        dict.set_item("result", facts.result)?;
        let replies: Vec<_> = facts.replies.iter().map(|&action| game.name_action(action)).collect();
        dict.set_item("opponent_moves", PyTuple::new(py, replies)?)?;
        dict.set_item("start_value", facts.start_value)?;
        dict.set_item("regret", facts.regrets[0])?;
        dict.set_item("opponent_regret", facts.regrets[1])?;
        Ok(dict)
    }

    /// What a language model is told.
    #[pyo3(signature = (lane=0))]
    fn message(&self, lane: usize) -> PyResult<String> {
        self.check(lane)?;
        Ok(self.lanes.message(lane))
    }

    /// A copy of the game in progress.
    #[pyo3(signature = (lane=0))]
    fn state(&self, py: Python<'_>, lane: usize) -> PyResult<Py<State>> {
        self.check(lane)?;
        State::new(py, self.lanes.state(lane))
    }

    /// All that decides what the lanes do next, as JSON.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lanes.save())
    }

    /// Goes on from what `save` returned; raises InvalidState for anything else and changes nothing.
    fn restore(&mut self, saved: &[u8]) -> PyResult<()> {
        self.lanes.restore(saved).map_err(to_py)?;
        self.begun.fill(true);
        Ok(())
    }
}

/// Runs a step: at once where it is quick, else so that Ctrl-C can stop it.
fn work<T: Send>(
    py: Python<'_>,
    slow: bool,
    step: impl FnOnce(&mut Limit<'_>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    if !slow {
        return step(&mut Limit::none()).map_err(to_py);
    }
    patiently(py, |stop| searched(step(&mut Limit::none().stopped_by(stop)), stop))
}

/// So many cells are written on the stack before they become an array.
const FEW: usize = 128;

/// A fresh array of a shape. Shapes of known length are quicker.
fn shaped<'py>(py: Python<'py>, cells: &[f32], shape: &[usize]) -> Bound<'py, PyAny> {
    const FITS: &str = "cells fill the shape";
    match *shape {
        [_] => PyArray1::from_slice(py, cells).into_any(),
        [planes, rows, columns] => {
            let view = ArrayView::from_shape((planes, rows, columns), cells);
            PyArray::from_array(py, &view.expect(FITS)).into_any()
        }
        _ => PyArray::from_array(py, &ArrayView::from_shape(shape, cells).expect(FITS)).into_any(),
    }
}

/// A fresh array of rows of a shape.
fn rows<'py, T: numpy::Element>(py: Python<'py>, count: usize, shape: &[usize]) -> Bound<'py, PyArrayDyn<T>> {
    let shape: Vec<usize> = std::iter::once(count).chain(shape.iter().copied()).collect();
    PyArray::zeros(py, IxDyn(&shape), false)
}

impl Episodes {
    fn check(&self, lane: usize) -> PyResult<()> {
        if lane < self.lanes.count() {
            return Ok(());
        }
        Err(PyIndexError::new_err(format!("lane {lane}, of {}", self.lanes.count())))
    }

    fn analyses(&self) -> bool {
        let setup = self.lanes.setup();
        setup.analyse
    }

    fn must_go_on(&self, lane: usize) -> PyResult<()> {
        if self.begun[lane] && !self.lanes.is_over(lane) {
            return Ok(());
        }
        let why = if self.begun[lane] { "the episode is over" } else { "no episode has begun" };
        let py_error = |py: Python<'_>| {
            let kind = py.import("gymnasium.error")?.getattr("ResetNeeded")?;
            let kind = kind.cast_into::<PyType>().map_err(|_| PyTypeError::new_err("ResetNeeded"))?;
            Ok::<_, PyErr>(PyErr::from_type(kind, format!("{why}; call reset()")))
        };
        Python::attach(|py| Err(py_error(py)?))
    }

    /// The lanes that are chosen.
    fn lanes(&self, chosen: &PyReadonlyArray1<'_, bool>) -> PyResult<Vec<usize>> {
        let (chosen, count) = (chosen.as_slice()?, self.lanes.count());
        if chosen.len() != count {
            return Err(PyValueError::new_err(format!("a mask of {} envs, of {count}", chosen.len())));
        }
        Ok((0..count).filter(|&lane| chosen[lane]).collect())
    }

    /// What a step said in text returns.
    fn told<'py>(&self, py: Python<'py>, step: &Step) -> PyResult<Stepped<'py>> {
        let message = self.message(0)?.into_pyobject(py)?.into_any();
        let info = self.step_info(py, step)?;
        if let Some(end) = step.end {
            let parts = self.lanes.parts(0);
            let dict = PyDict::new(py);
            dict.set_item("outcome", parts.outcome)?;
            dict.set_item("format", parts.format)?;
            dict.set_item("invalid", parts.invalid)?;
            info.set_item("reward_parts", dict)?;
            info.set_item("status", end.status.name())?;
        }
        Ok((message, step.reward, step.terminated, step.truncated, info))
    }

    fn stepped<'py>(&self, py: Python<'py>, step: &Step) -> PyResult<Stepped<'py>> {
        let seen = self.observation(py, 0)?;
        let info = self.step_info(py, step)?;
        info.set_item(intern!(py, "action_mask"), self.action_mask(py, 0)?)?;
        Ok((seen, step.reward, step.terminated, step.truncated, info))
    }

    /// What every step tells beside the observation.
    fn step_info<'py>(&self, py: Python<'py>, step: &Step) -> PyResult<Bound<'py, PyDict>> {
        let info = PyDict::new(py);
        if let Some(analysis) = step.analysis.filter(|_| self.analyses()) {
            info.set_item(intern!(py, "regret"), analysis.regret)?;
            info.set_item(intern!(py, "blunder"), analysis.regret > 0.0)?;
            info.set_item(intern!(py, "forced"), analysis.forced)?;
            info.set_item(intern!(py, "missed_win"), analysis.missed_win)?;
            info.set_item(intern!(py, "missed_block"), analysis.missed_block)?;
            info.set_item(intern!(py, "allowed_fork"), analysis.allowed_fork)?;
        }
        info.set_item(intern!(py, "invalid"), step.invalid)?;
        if let Some(end) = step.end {
            if let Some(result) = end.result {
                info.set_item(intern!(py, "result"), result)?;
            }
            let winner = end.winner.map_or(-1, i64::from);
            info.set_item(intern!(py, "winner"), winner)?;
            info.set_item(intern!(py, "turns"), end.turns)?;
            info.set_item(intern!(py, "invalid_moves"), end.invalid)?;
            if self.analyses() {
                info.set_item(intern!(py, "total_regret"), end.regrets[0])?;
                info.set_item(intern!(py, "opponent_regret"), end.regrets[1])?;
            }
        }
        Ok(info)
    }
}
