//! Games against an opponent in many lanes: the engine of the environments.

use std::sync::Arc;

use numpy::{PyArray1, PyArrayDyn, PyReadonlyArray1};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use reasonenv::error::{Error, unknown};
use reasonenv::game::episode::lane_set::MOST_LANES;
use reasonenv::game::episode::lanes::Episodes as GameLanes;
use reasonenv::game::episode::setup::{Rival, Setup};
use reasonenv::game::erased::AnyGame;
use reasonenv::game::opponent::Pick;
use serde_json::Value;

use crate::args::{self, Text, Whole, shown};
use crate::errors::{InvalidArgument, to_py};
use crate::games::Game;
use crate::gil::caught;
use crate::infos;
use crate::lanes::{self, Lanes, Parts, ResetOutput, StepBuffers, StepOutput};
use crate::opponent::Opponent;
use crate::settings::typed;
use crate::state::State;
use crate::text::{Reduced, object};

mod work;

/// The opponent's name in self-play.
const SELF: &str = "self";

/// Settings of a named opponent's strength.
const STRENGTH: [&str; 5] = ["random_move_prob", "blunder_prob", "optimality", "exact_plies", "playouts"];

/// Games against an opponent in many lanes: the engine of the environments.
///
/// A call that raises changes nothing: neither a game nor the source of its random numbers.
#[pyclass(module = "reasonenv._native")]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Episodes {
    game: Arc<dyn AnyGame>,
    lanes: Box<dyn GameLanes>,
    /// The opponent, if it is a callable.
    callable: Option<Py<PyAny>>,
    /// True if a step of one lane may take so long that it must allow Ctrl-C.
    slow: bool,
    /// True if the game is Python-defined, so that any of its methods may raise.
    is_outside: bool,
    /// True if a step of all lanes may take so long that it must allow Ctrl-C.
    all_slow: bool,
    buffers: StepBuffers,
    instructions: PyOnceLock<Py<PyString>>,
    /// True once the warning that exact values are slow was given.
    warned: bool,
}

#[pymethods]
impl Episodes {
    /// Args:
    ///     game: Game to play.
    ///     count: Number of lanes.
    ///     opponent: Opponent of the game, name of one, callable that takes a state and returns a legal action, or
    ///         "self", where the learner plays both sides. None: the game's default.
    ///     **settings: Those of `settings_schema("game")`.
    #[new]
    #[pyo3(
        signature = (game, count=Whole::ONE, *, opponent=None, **settings),
        text_signature = "(game, count=1, *, opponent=None, **settings)"
    )]
    fn new(
        game: &Game,
        count: Whole,
        opponent: Option<&Bound<'_, PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let count = count.within("count", 1, MOST_LANES as u64)? as usize;
        let mut setup: Setup = typed(Setup::schema(), settings)?;
        setup.opponent = rival(game, opponent, &setup)?;
        let callable = opponent.filter(|_| setup.opponent == Rival::Outside);
        let lanes = caught(|| game.0.clone().episodes(count, setup))?.map_err(to_py)?;
        Ok(Self::of(game.0.clone(), lanes, callable.map(|callable| callable.clone().unbind())))
    }

    fn __len__(&self) -> usize {
        self.lanes.count()
    }

    /// Game in play.
    #[getter]
    fn game(&self) -> Game {
        Game(self.game.clone())
    }

    /// Player of the other side: an `Opponent`, a callable, or "self" for self-play.
    #[getter]
    fn opponent(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(match (self.lanes.setup().opponent, &self.callable) {
            (Rival::Named(opponent), _) => {
                Py::new(py, Opponent { game: self.game.clone(), opponent })?.into_any()
            }
            (Rival::Learner, _) => PyString::new(py, SELF).into_any().unbind(),
            (Rival::Outside, callable) => {
                callable.as_ref().expect("a caller who is asked was given").clone_ref(py)
            }
        })
    }

    /// All settings by name, with the value that `max_turns` takes if it is left out.
    #[getter]
    fn settings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Value::Object(self.lanes.setup().fields()))
    }

    /// Set the seed of the lane's next episodes, counted from `episode`, below 2**63; `group` shifts their slice.
    #[pyo3(
        signature = (lane, seed, group=Whole::ZERO, episode=Whole::ZERO),
        text_signature = "($self, lane, seed, group=0, episode=0)"
    )]
    fn seed(&mut self, lane: Whole, seed: Whole, group: Whole, episode: Whole) -> PyResult<()> {
        let (lane, episode) = (self.view().index(&lane)?, episode.within("episode", 0, i64::MAX as u64)?);
        self.lanes.seed(lane, seed.word("seed")?, group.word("group")?, episode);
        Ok(())
    }

    /// Begin the lane's next episode.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn reset(&mut self, py: Python<'_>, lane: Whole) -> PyResult<()> {
        let lane = self.view().index(&lane)?;
        self.change(py, (1, false), |lanes, help| lanes.reset(lane, help))
    }

    /// Return the first observation of lane 0 and an info: seat (current_player in self-play), random_move_prob,
    /// example, episode_index, start_value and start_exact if steps are analyzed, and action_mask or, if moves are sent
    /// as text (`said`), instructions.
    #[pyo3(signature = (said=false))]
    fn opening<'py>(&self, py: Python<'py>, said: bool) -> PyResult<ResetOutput<'py>> {
        let info = self.view().reset_info(py)?;
        if said {
            info.set_item(intern!(py, "instructions"), self.instructions(py))?;
            return Ok((caught(|| self.lanes.message(0))?.into_pyobject(py)?.into_any(), info));
        }
        self.view().with_mask(py, info)
    }

    /// Call `reset` and `opening` for lane 0.
    #[pyo3(signature = (said=false))]
    fn begin<'py>(&mut self, py: Python<'py>, said: bool) -> PyResult<ResetOutput<'py>> {
        self.change(py, (1, false), |lanes, help| lanes.reset(0, help))?;
        self.opening(py, said)
    }

    /// Call `seed` for every lane where `chosen` is true, from episode 0.
    fn seed_all(
        &mut self,
        seeds: PyReadonlyArray1<'_, u64>,
        groups: PyReadonlyArray1<'_, u64>,
        chosen: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<()> {
        let (count, chosen) = (self.lanes.count(), self.view().chosen(&chosen)?);
        let (seeds, groups) = (seeds.as_slice()?, groups.as_slice()?);
        if seeds.len() != count || groups.len() != count {
            let (seeds, groups) = (seeds.len(), groups.len());
            return Err(InvalidArgument::new_err(format!(
                "`seeds` has {seeds} and `groups` has {groups}, but there must be {count}, one for each lane"
            )));
        }
        for lane in (0..count).filter(|&lane| chosen[lane]) {
            self.lanes.seed(lane, seeds[lane], groups[lane], 0);
        }
        Ok(())
    }

    /// Begin the next episode of every lane where `chosen` is true.
    fn reset_all(&mut self, py: Python<'_>, chosen: PyReadonlyArray1<'_, bool>) -> PyResult<()> {
        let chosen = self.view().chosen(&chosen)?;
        let chosen: Vec<usize> = (0..chosen.len()).filter(|&lane| chosen[lane]).collect();
        self.change(py, (chosen.len(), false), |lanes, help| {
            let stopped = |_| Error::Interrupted;
            chosen.iter().try_for_each(|&lane| {
                help.budget.look().map_err(stopped)?;
                lanes.reset(lane, help)
            })
        })
    }

    /// Play an action, any whole number, in lane 0, and the replies to it.
    fn play<'py>(&mut self, py: Python<'py>, action: &Bound<'py, PyAny>) -> PyResult<StepOutput<'py>> {
        let action = args::action("action", action)?;
        self.view().must_go_on(py)?;
        let step = self.change(py, (1, true), |lanes, help| lanes.step(0, action, help))?;
        self.view().stepped(py, &step)
    }

    /// Play the move in a message, any text, in lane 0, and the replies to it.
    fn say<'py>(&mut self, py: Python<'py>, text: &Bound<'py, PyAny>) -> PyResult<StepOutput<'py>> {
        let Ok(said) = text.cast::<PyString>() else {
            let message = format!("`action` is {}, but must be a str", shown(text));
            return Err(InvalidArgument::new_err(message));
        };
        self.view().must_go_on(py)?;
        let said = said.to_string_lossy();
        let step = self.change(py, (1, true), |lanes, help| lanes.say(0, &said, help))?;
        self.told(py, &step)
    }

    /// Step every lane. `autoreset` is "NextStep", "SameStep" or "Disabled".
    ///
    /// Returns observations, rewards, terminations, truncations, masks, the last observations of lanes that ended and
    /// were reset (None unless "SameStep" and some were; rows of other lanes are undefined), which lanes were over
    /// before, and a dict of columns, each an array with one row per lane:
    ///
    /// - "current_player", in self-play: player to move, -1 once the lane is over (int64);
    /// - "step", if `tells`: `invalid` (bool), `cost`, `episode_cost` (float64) and, if steps are analyzed, `analyzed` (bool), `regret` (float64),
    ///   `blunder`, `forced`, `missed_win`, `missed_block`, `allowed_fork` and `exact` (bool);
    /// - "end", if `tells` and some lane ended: `result` (float64), `winner` (int64, -1 for nobody), `turns` and
    ///   `invalid_moves` (int64) and, if steps are analyzed, `total_regret` and `opponent_regret` (float64) and
    ///   `total_exact` (bool); all 0 in lanes that did not end, and `result` also in truncated ones. In self-play
    ///   there are `returns` and, if steps are analyzed, `regrets` instead, one for each player: float64 of shape
    ///   (lanes, 2);
    /// - "begin", if `tells` and some lane was reset: the result of `begin_columns`.
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

    /// Return how the episodes of lanes where `chosen` is true began, as arrays of shape (lanes,): `seat` (int64, not
    /// in self-play), `example`, `episode_index` (int64), `random_move_prob` (float64) and, if steps are analyzed,
    /// `start_value` (float64) and `start_exact` (bool); all 0 in other lanes.
    fn begin_columns<'py>(
        &self,
        py: Python<'py>,
        chosen: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.view().begins(py, &self.view().chosen(&chosen)?)
    }

    /// Return the player to move in every lane, -1 once it is over: int64 of shape (lanes,).
    fn current_players<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.view().movers(py)
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

    /// Return an int8 array of shape (count, actions): 1 for each legal action of each lane.
    fn action_masks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<i8>>> {
        self.view().action_masks(py)
    }

    /// Return a bool array of shape (lanes,): True for lanes that are over or never began.
    fn over<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_vec(py, self.view().which_are_over())
    }

    /// Return facts about a lane's episode.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn episode_info<'py>(&self, py: Python<'py>, lane: Whole) -> PyResult<Bound<'py, PyDict>> {
        let facts = self.lanes.info(self.view().index(&lane)?);
        infos::episode(py, &facts, self.lanes.game())
    }

    /// Return the message to the language model.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn message(&self, lane: Whole) -> PyResult<String> {
        let lane = self.view().index(&lane)?;
        caught(|| self.lanes.message(lane))
    }

    /// Rules of the game and form of a reply, for a language model.
    #[getter]
    fn instructions(&self, py: Python<'_>) -> Py<PyString> {
        let made = || PyString::new(py, &self.lanes.instructions()).unbind();
        self.instructions.get_or_init(py, made).clone_ref(py)
    }

    /// Return a copy of the game in progress.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn state(&self, py: Python<'_>, lane: Whole) -> PyResult<Py<State>> {
        State::new(py, self.game.clone(), self.lanes.state(self.view().index(&lane)?))
    }

    /// Serialize as JSON all that decides what the lanes do next.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lanes.save())
    }

    /// Continue from the output of `save`; raises InvalidState for anything else and changes nothing.
    fn restore(&mut self, saved: &[u8]) -> PyResult<()> {
        caught(|| self.lanes.restore(saved))?.map_err(to_py)
    }

    /// Return independent episodes in the same state, against the same opponent.
    fn clone(&self, py: Python<'_>) -> Self {
        let callable = self.callable.as_ref().map(|callable| callable.clone_ref(py));
        let warned = self.warned;
        Self { warned, ..Self::of(self.game.clone(), self.lanes.boxed_clone(), callable) }
    }

    fn __copy__(&self, py: Python<'_>) -> Self {
        self.clone(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, Parts<'py, Game>> {
        let make = py.import("reasonenv._native")?.getattr("_episodes")?;
        let options = self.settings(py)?.cast_into::<PyDict>()?;
        if self.lanes.setup().opponent.named().is_some() {
            // They are part of the opponent.
            STRENGTH.iter().try_for_each(|name| options.del_item(name))?;
        }
        options.set_item("opponent", self.opponent(py)?)?;
        Ok((make, (self.game(), self.lanes.count(), options, self.save(py))))
    }
}

/// Return the player of the turns that are not the learner's.
fn rival(game: &Game, given: Option<&Bound<'_, PyAny>>, setup: &Setup) -> PyResult<Rival> {
    let rules = game.0.as_ref();
    let Some(given) = given else {
        return setup.usual(rules).map(Rival::Named).map_err(to_py);
    };
    if let Ok(name) = given.cast::<PyString>() {
        let name = name.to_string_lossy();
        if name == SELF {
            return setup
                .check_no_strength(rules, "where the learner has every seat; leave it out")
                .map(|()| Rival::Learner)
                .map_err(to_py);
        }
        let known: Vec<_> = Pick::NAMES.into_iter().chain([SELF]).collect();
        if !known.contains(&&*name) {
            return Err(to_py(unknown("opponent", &name, &known)));
        }
        return setup.named(&name, rules).map(Rival::Named).map_err(to_py);
    }
    let rival = if let Ok(opponent) = given.cast::<Opponent>() {
        game.owns(opponent.get())?;
        Rival::Named(opponent.get().opponent)
    } else if given.is_callable() {
        Rival::Outside
    } else {
        let (given, names) = (shown(given), Pick::NAMES.map(|name| format!("'{name}'")).join(", "));
        return Err(InvalidArgument::new_err(format!(
            "`opponent` is {given}; give a name ({names} or '{SELF}'), an Opponent, a callable or None"
        )));
    };
    let made = "for an opponent that is made already; give it to Game.opponent";
    setup.check_no_strength(rules, made).map(|()| rival).map_err(to_py)
}

/// Make episodes again; for pickle.
#[pyfunction]
pub fn _episodes<'py>(
    py: Python<'py>,
    game: &Bound<'py, Game>,
    count: &Bound<'py, PyAny>,
    options: &Bound<'py, PyDict>,
    saved: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    let made = py.get_type::<Episodes>().call((game, count), Some(options))?;
    made.cast::<Episodes>()?.borrow_mut().restore(saved)?;
    Ok(made)
}
