//! Python class of games: facts, starts, opponents, and results computed over a whole game.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use reasonenv::budget::Budget;
use reasonenv::error::Error;
use reasonenv::game::erased::AnyGame;
use reasonenv::game::opponent::{self, Pick};
use reasonenv::game::value::Optimality;
use reasonenv::game::variant::Opening;
use reasonenv::games;
use serde_json::Value as Json;

use crate::args::{Real, Text, Whole, shown};
use crate::errors::{InvalidAction, InvalidArgument, InvalidOpponent, no_choice, to_py};
use crate::gil::{caught, interruptible};
use crate::opponent::Opponent;
use crate::state::State;
use crate::text::{Reduced, fields, object};

/// Read a choice among named values.
pub fn one_of<T: Copy>(argument: &str, given: &Text, choices: &[(&str, T)]) -> PyResult<T> {
    let given = given.read(argument)?;
    let found = choices.iter().find(|(name, _)| *name == given);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = choices.iter().map(|(name, _)| Some(*name)).collect();
        InvalidOpponent::new_err(no_choice(argument, given, &names))
    })
}

pub fn optimality(given: &Text) -> PyResult<Optimality> {
    one_of("optimality", given, &Optimality::ALL.map(|each| (each.name(), each)))
}

/// Read the most positions to search; None sets no limit.
pub fn positions(max_positions: Option<&Whole>) -> PyResult<Option<u64>> {
    max_positions.map(|most| most.word("max_positions")).transpose()
}

pub fn budget(max_positions: Option<u64>, stop: &AtomicBool) -> Budget<'_> {
    max_positions.map_or(Budget::unlimited(), Budget::new).stopped_by(stop)
}

/// Report a search that a signal stopped as interrupted, not as too long.
pub fn searched<T>(result: Result<T, Error>, stop: &AtomicBool) -> Result<T, Error> {
    match result {
        Err(Error::Unsolved { .. }) if stop.load(Ordering::Relaxed) => Err(Error::Interrupted),
        other => other,
    }
}

/// A game with its params: its facts, its starts, its opponents.
#[pyclass(frozen, module = "reasonenv")]
pub struct Game(pub Arc<dyn AnyGame>);

#[pymethods]
impl Game {
    /// Name, which never changes.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.about().name
    }

    /// Version; incremented whenever a start or a reply changes.
    #[getter]
    fn version(&self) -> u32 {
        self.0.about().version()
    }

    /// One-sentence summary.
    #[getter]
    fn summary(&self) -> &'static str {
        self.0.about().summary
    }

    /// Rules under these params, for someone who has never played the game.
    #[getter]
    fn rules(&self) -> String {
        self.0.rules()
    }

    /// Return a sentence that tells `player`, 0 or 1, which side it plays, as `State.text(player)` draws it.
    #[pyo3(signature = (player), text_signature = "($self, player)")]
    fn role_text(&self, player: Whole) -> PyResult<String> {
        Ok(self.0.role_text(player.within("player", 0, 1)? as u8))
    }

    /// Names of the two players; the first moves first.
    #[getter]
    fn players(&self) -> (&'static str, &'static str) {
        let [first, second] = self.0.about().players;
        (first, second)
    }

    /// Change made by each version, oldest first.
    #[getter]
    fn changes(&self) -> Vec<&'static str> {
        self.0.about().changes.to_vec()
    }

    /// All params, including defaults.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Json::Object(self.0.fields().clone()))
    }

    /// JSON schema of the params: type, bounds, default, role and doc of each.
    #[getter]
    fn params_schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, games::find(self.name()).map_err(to_py)?.schema())
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

    /// Most plies that a game can last, including those of chance.
    #[getter]
    fn max_plies(&self) -> u32 {
        self.0.max_plies()
    }

    /// Most turns of one player: half of `max_plies` if players alternate, else all.
    #[getter]
    fn most_turns(&self) -> PyResult<u32> {
        caught(|| self.0.most_turns())
    }

    /// Most plies that a game can last under any params.
    #[getter]
    fn longest_plies(&self) -> u32 {
        self.0.about().max_plies
    }

    /// True if returns may exceed 1 or fall below -1, so that one win can be worth several.
    #[getter]
    fn has_stakes(&self) -> bool {
        self.0.about().stakes
    }

    /// True if there are turns of chance after the start.
    #[getter]
    fn has_chance(&self) -> bool {
        self.0.about().chance
    }

    /// True if a player knows something that the other does not.
    #[getter]
    fn has_hidden_information(&self) -> bool {
        self.0.about().hidden
    }

    /// Return of the first player under perfect play with the default params, if known.
    #[getter]
    fn value(&self) -> Option<f32> {
        self.0.about().value
    }

    /// Unit of `Value.score`.
    #[getter]
    fn score_means(&self) -> &'static str {
        self.0.about().score
    }

    /// Word for actions in text, such as "columns".
    #[getter]
    fn moves_are_called(&self) -> &'static str {
        self.0.about().moves
    }

    /// True if a move can be called a missed win, a missed block or an allowed fork.
    #[getter]
    fn has_tactics(&self) -> bool {
        self.0.about().tactics
    }

    /// Reason why exact values cannot be expected from the start; None if they can.
    #[getter]
    fn unsolvable_reason(&self) -> Option<&'static str> {
        self.0.unsolvable_reason()
    }

    /// True if exact values take 10 microseconds on average, and none takes long.
    #[getter]
    fn solves_instantly(&self) -> bool {
        self.0.solves_instantly()
    }

    /// Name of the opponent of an environment that names none. It replies within 10 microseconds on average: exactly if
    /// `solves_instantly`; with hidden information by an equilibrium, or at random where none is known; else as
    /// "heuristic".
    #[getter]
    fn default_opponent(&self) -> &'static str {
        opponent::Opponent::by_default(self.0.as_ref()).pick.name()
    }

    /// Start a game.
    ///
    /// Args:
    ///     seed: Determines whatever the params leave open and all chance: 0 .. 2**64 - 1.
    ///     opening_plies: Number of random moves at the start, none of which ends the game: 0 .. 32.
    ///     resolve_chance: True if chance acts automatically. Otherwise the caller plays its turns, and in a game
    ///         that has some, `opening_plies` must be 0.
    #[pyo3(
        signature = (seed=Whole::ZERO, *, opening_plies=Whole::ZERO, resolve_chance=true),
        text_signature = "($self, seed=0, *, opening_plies=0, resolve_chance=True)"
    )]
    fn start(
        &self,
        py: Python<'_>,
        seed: Whole,
        opening_plies: Whole,
        resolve_chance: bool,
    ) -> PyResult<Py<State>> {
        let plies = opening_plies.within("opening_plies", 0, Opening::MOST_PLIES.into())? as u32;
        let opening = Opening { seed: seed.word("seed")?, plies, resolve_chance };
        opening.check(self.0.about()).map_err(to_py)?;
        let state = caught(|| self.0.clone().start(opening))?;
        State::new(py, self.0.clone(), state)
    }

    /// Return the state whose `to_bytes()` returned `data`; raises InvalidState for anything else.
    #[expect(clippy::wrong_self_convention, reason = "the game reads a state of its own")]
    fn from_bytes(&self, py: Python<'_>, data: &[u8]) -> PyResult<Py<State>> {
        let state = caught(|| self.0.clone().read(data))?.map_err(to_py)?;
        State::new(py, self.0.clone(), state)
    }

    /// Return the name of an action, such as "b2".
    fn action_name(&self, action: Whole) -> PyResult<String> {
        let last = self.0.actions() - 1;
        Ok(self.0.name_action(action.within("action", 0, last.into())? as u32))
    }

    /// Return the action that a text names; raises InvalidAction with the form of a name.
    fn read_action(&self, text: Text) -> PyResult<u32> {
        let text = text.read("text")?;
        let read = caught(|| self.0.read_action(text))?;
        read.map_err(|misread| InvalidAction::new_err(misread.message))
    }

    /// Return an opponent.
    ///
    /// Args:
    ///     name: "random", "minimax" (any of the best moves), "heuristic" (win, else leave the fewest ways to
    ///         win), "first_best", "last_best" (always the same of the best moves), "equilibrium" or "mcts" (tree search).
    ///     random_move_prob: Probability of a random legal move instead, on each turn.
    ///     blunder_prob: Probability of a random move that is not best instead.
    ///     optimality: Criterion for the best moves: "wdl" keeps the outcome, "dtm" also hastens wins, delays losses
    ///         and maximizes the score.
    ///     exact_plies: Plies left at which it begins to play perfectly; before that, it plays as "heuristic", or as
    ///         "mcts" if it is that.
    ///     playouts: Strength of "mcts": the random continuations that it tries for a reply. None: 200.
    #[pyo3(
        signature = (
            name=Text::Read("minimax".to_owned()), *, random_move_prob=Real::Number(0.0),
            blunder_prob=Real::Number(0.0), optimality=Text::Read("dtm".to_owned()), exact_plies=None, playouts=None
        ),
        text_signature = "($self, name='minimax', *, random_move_prob=0.0, blunder_prob=0.0, optimality='dtm', exact_plies=None, playouts=None)"
    )]
    pub fn opponent(
        &self,
        name: Text,
        random_move_prob: Real,
        blunder_prob: Real,
        optimality: Text,
        exact_plies: Option<Whole>,
        playouts: Option<Whole>,
    ) -> PyResult<Opponent> {
        let count = |name, least, given: Option<Whole>| {
            let within = |given: Whole| given.within(name, least, u32::MAX.into());
            given.map(within).transpose().map(|count| count.map(|count| count as u32))
        };
        let exact_plies = count("exact_plies", 0, exact_plies)?;
        let playouts = count("playouts", 1, playouts)?;
        let optimality = self::optimality(&optimality)?;
        let opponent = opponent::Opponent {
            pick: Pick::find(name.read("name")?, optimality, playouts).map_err(to_py)?,
            random_move_prob: random_move_prob.number("random_move_prob")?,
            blunder_prob: blunder_prob.number("blunder_prob")?,
            exact_plies,
        };
        opponent.check_playouts(playouts, self.0.as_ref()).map_err(to_py)?;
        opponent.check(self.0.as_ref()).map_err(to_py)?;
        Ok(Opponent { game: self.0.clone(), opponent })
    }

    /// Return the exact probabilities of (win, draw, loss) and the mean return of `first` when it moves first against
    /// `second`, opponents or their names, from the start of seed 0: computed over the whole game, not sampled. Raises
    /// Unsolved for a game whose positions take more than 256 MiB.
    #[pyo3(signature = (first, second, max_positions=None))]
    fn duel(
        &self,
        py: Python<'_>,
        first: &Bound<'_, PyAny>,
        second: &Bound<'_, PyAny>,
        max_positions: Option<Whole>,
    ) -> PyResult<(f64, f64, f64, f64)> {
        let players = [self.player("first", first)?, self.player("second", second)?];
        let most = positions(max_positions.as_ref())?;
        let tally = interruptible(py, |stop| searched(self.0.duel(&players, &mut budget(most, stop)), stop))?;
        Ok((tally.win, tally.draw, tally.loss, tally.mean))
    }

    /// Evaluate reference policies against `opponent`, an opponent or the name of one, moving first in half of the
    /// games. Returns a dict from name to the exact probabilities of (win, draw, loss) and the mean return. Raises
    /// Unsolved as `duel` does.
    #[pyo3(signature = (opponent, max_positions=None))]
    fn calibrate<'py>(
        &self,
        py: Python<'py>,
        opponent: &Bound<'_, PyAny>,
        max_positions: Option<Whole>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let opponent = self.player("opponent", opponent)?;
        let most = positions(max_positions.as_ref())?;
        let rows = interruptible(py, |stop| {
            let budget = &mut budget(most, stop);
            searched(self.0.calibrate(&opponent, budget), stop)
        })?;
        let table = PyDict::new(py);
        for row in rows {
            let tally = row.tally;
            table.set_item(row.policy, (tally.win, tally.draw, tally.loss, tally.mean))?;
        }
        Ok(table)
    }

    /// Return the most that a player who knows the policy of `opponent`, an opponent or the name of one, can win from
    /// it on average, sitting in each seat half of the time: 0 for an equilibrium. Exact, for games of hidden
    /// information; raises Unsolved for others.
    #[pyo3(signature = (opponent, max_positions=None))]
    fn exploitability(
        &self,
        py: Python<'_>,
        opponent: &Bound<'_, PyAny>,
        max_positions: Option<Whole>,
    ) -> PyResult<f64> {
        let opponent = self.player("opponent", opponent)?;
        let most = positions(max_positions.as_ref())?;
        interruptible(py, |stop| {
            let budget = &mut budget(most, stop);
            searched(self.0.exploitability(&opponent, budget), stop)
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
    /// Return an opponent of this game, given as one or by name.
    fn player(&self, argument: &str, given: &Bound<'_, PyAny>) -> PyResult<opponent::Opponent> {
        if let Ok(opponent) = given.cast::<Opponent>() {
            let opponent = opponent.get();
            return self.owns(opponent).map(|()| opponent.opponent);
        }
        let name = given.extract::<Text>()?;
        let Text::Read(_) = name else {
            let given = shown(given);
            let message = format!("`{argument}` is {given}, but must be an opponent or the name of one");
            return Err(InvalidArgument::new_err(message));
        };
        let (never, exact) = (|| Real::Number(0.0), Text::from("dtm"));
        Ok(self.opponent(name, never(), never(), exact, None, None)?.opponent)
    }

    pub fn owns(&self, opponent: &Opponent) -> PyResult<()> {
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

/// Return the names of all games, including registered ones, in alphabetical order.
#[pyfunction]
pub fn list_games() -> Vec<&'static str> {
    games::known().into_iter().map(|game| game.about().name).collect()
}

/// Return the names that `Game.opponent` takes.
#[pyfunction]
pub fn list_opponents() -> Vec<&'static str> {
    Pick::NAMES.to_vec()
}

/// Return a game by its name, with params that override the defaults.
#[pyfunction]
#[pyo3(signature = (name, params=None))]
pub fn game(name: Text, params: Option<&Bound<'_, PyAny>>) -> PyResult<Game> {
    let family = games::find(name.read("name")?).map_err(to_py)?;
    let params = fields("params", params)?;
    Ok(Game(caught(|| family.configure(&params))?.map_err(to_py)?))
}
