//! Games against an opponent, side by side: what the environments are made of.

use std::sync::Arc;

use numpy::{PyArray1, PyArrayDyn, PyReadonlyArray1};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use reasonenv::error::Error;
use reasonenv::game::episode::lane_set::MOST_LANES;
use reasonenv::game::episode::lanes::Episodes as GameLanes;
use reasonenv::game::episode::setup::Dialogue;
use reasonenv::game::episode::setup::{Rival, Setup};
use reasonenv::game::erased::AnyGame;
use reasonenv::game::variant::Opening;

use crate::args::{self, Real, Text, Whole, shown};
use crate::errors::{InvalidArgument, to_py};
use crate::games::{Game, one_of};
use crate::gil::caught;
use crate::infos;
use crate::lanes::{self, Lanes, Parts, ResetOutput, StepBuffers, StepOutput};
use crate::opponent::Opponent;
use crate::setup::{self, ILLEGALS, REWARDS, SEATS};
use crate::state::State;
use crate::text::Reduced;

mod work;

/// The opponent's name where the learner has every seat.
const SELF: &str = "self";

/// Games against an opponent, side by side: what the environments are made of.
///
/// A call that raises changes nothing: neither a game nor what it draws from.
#[pyclass(module = "reasonenv._native")]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Episodes {
    game: Arc<dyn AnyGame>,
    lanes: Box<dyn GameLanes>,
    /// Who plays for the opponent, if a callable does.
    callable: Option<Py<PyAny>>,
    /// Whether a step of one lane may take so long that Ctrl-C must be let in.
    slow: bool,
    /// Whether the game is written in Python, so that any of its methods may raise.
    is_outside: bool,
    /// The same of a step of all lanes.
    all_slow: bool,
    buffers: StepBuffers,
    instructions: PyOnceLock<Py<PyString>>,
    /// Whether it was said that exact values are slow.
    warned: bool,
}

#[pymethods]
impl Episodes {
    #[new]
    #[pyo3(
        signature = (
            game, count=Whole::ONE, *, opponent=None, random_move_probs=None, num_groups=Whole::ONE,
            seat=Text::Read("random".to_owned()), illegal=Text::Read("lose".to_owned()),
            invalid_penalty=Real::Number(-0.1), max_turns=None, opening_plies=Whole::ZERO,
            reward=Text::Read("outcome".to_owned()), analysis=false, analysis_plies=None, think=false,
            instructions_first=false,
            outcome_weight=Real::Number(1.0), format_weight=Real::Number(0.2),
            text_invalid_penalty=Real::Number(-0.1), penalize_each=false
        ),
        text_signature = "(game, count=1, *, opponent=None, random_move_probs=None, num_groups=1, \
                          seat='random', illegal='lose', invalid_penalty=-0.1, max_turns=None, \
                          opening_plies=0, reward='outcome', analysis=False, analysis_plies=None, \
                          think=False, instructions_first=False, outcome_weight=1.0, format_weight=0.2, text_invalid_penalty=-0.1, \
                          penalize_each=False)"
    )]
    #[expect(clippy::too_many_arguments, clippy::fn_params_excessive_bools, reason = "keywords")]
    fn new(
        game: &Game,
        count: Whole,
        opponent: Option<&Bound<'_, PyAny>>,
        random_move_probs: Option<(Real, Real)>,
        num_groups: Whole,
        seat: Text,
        illegal: Text,
        invalid_penalty: Real,
        max_turns: Option<Whole>,
        opening_plies: Whole,
        reward: Text,
        analysis: bool,
        analysis_plies: Option<Whole>,
        think: bool,
        instructions_first: bool,
        outcome_weight: Real,
        format_weight: Real,
        text_invalid_penalty: Real,
        penalize_each: bool,
    ) -> PyResult<Self> {
        let count = count.within("count", 1, MOST_LANES as u64)? as usize;
        let named = opponent.and_then(|opponent| opponent.cast::<Opponent>().ok());
        if let Some(opponent) = named {
            game.owns(opponent.get())?;
        }
        let name = opponent.and_then(|opponent| opponent.cast::<PyString>().ok());
        let learner = name.is_some_and(|name| name.to_string_lossy() == SELF);
        let callable = opponent.filter(|_| named.is_none() && !learner);
        if let Some(other) = callable.filter(|other| !other.is_callable()) {
            let message =
                format!("`opponent` is {}, but must be an Opponent, \"{SELF}\" or a callable", shown(other));
            return Err(InvalidArgument::new_err(message));
        }
        let setup = Setup {
            opponent: match named {
                Some(opponent) => Rival::Named(opponent.get().opponent),
                None if learner => Rival::Learner,
                None => Rival::Outside,
            },
            random_move_probs: random_move_probs
                .map(|(low, high)| {
                    Ok::<_, PyErr>((
                        low.number("min_random_move_prob")?,
                        high.number("max_random_move_prob")?,
                    ))
                })
                .transpose()?,
            num_groups: num_groups.within("num_groups", 1, u32::MAX.into())? as u32,
            seat: one_of("seat", &seat, &SEATS)?,
            illegal: one_of("illegal", &illegal, &ILLEGALS)?,
            invalid_penalty: invalid_penalty.number("invalid_penalty")?,
            max_turns: Whole::limit(max_turns, "max_turns", 1)?,
            opening_plies: opening_plies.within("opening_plies", 0, Opening::MOST_PLIES.into())? as u32,
            reward: one_of("reward", &reward, &REWARDS)?,
            analysis,
            analysis_plies: Whole::limit(analysis_plies, "analysis_plies", 0)?,
            dialogue: Dialogue {
                think,
                instructions_first,
                outcome_weight: outcome_weight.number("outcome_weight")?,
                format_weight: format_weight.number("format_weight")?,
                text_invalid_penalty: text_invalid_penalty.number("text_invalid_penalty")?,
                penalize_each,
            },
        };
        let lanes = caught(|| game.0.clone().episodes(count, setup))?.map_err(to_py)?;
        Ok(Self::of(game.0.clone(), lanes, callable.map(|callable| callable.clone().unbind())))
    }

    fn __len__(&self) -> usize {
        self.lanes.count()
    }

    /// The game that is played.
    #[getter]
    fn game(&self) -> Game {
        Game(self.game.clone())
    }

    /// From now on the lane's episodes come from `seed`, counted from `episode`, below 2**63; `group` shifts
    /// their slice.
    #[pyo3(
        signature = (lane, seed, group=Whole::ZERO, episode=Whole::ZERO),
        text_signature = "($self, lane, seed, group=0, episode=0)"
    )]
    fn seed(&mut self, lane: Whole, seed: Whole, group: Whole, episode: Whole) -> PyResult<()> {
        let (lane, episode) = (self.view().index(&lane)?, episode.within("episode", 0, i64::MAX as u64)?);
        self.lanes.seed(lane, seed.word("seed")?, group.word("group")?, episode);
        Ok(())
    }

    /// Begins the lane's next episode.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn reset(&mut self, py: Python<'_>, lane: Whole) -> PyResult<()> {
        let lane = self.view().index(&lane)?;
        self.change(py, (1, false), |lanes, help| lanes.reset(lane, help))
    }

    /// What the learner of lane 0 is told as an episode begins, and an info: seat (current_player where it has
    /// every seat), random_move_prob, example, episode_index, where steps are analyzed start_value and start_exact, and
    /// action_mask or, where moves are `said` in text, instructions.
    #[pyo3(signature = (said=false))]
    fn opening<'py>(&self, py: Python<'py>, said: bool) -> PyResult<ResetOutput<'py>> {
        let info = self.view().reset_info(py)?;
        if said {
            info.set_item(intern!(py, "instructions"), self.instructions(py))?;
            return Ok((caught(|| self.lanes.message(0))?.into_pyobject(py)?.into_any(), info));
        }
        self.view().with_mask(py, info)
    }

    /// `reset` and `opening` of lane 0.
    #[pyo3(signature = (said=false))]
    fn begin<'py>(&mut self, py: Python<'py>, said: bool) -> PyResult<ResetOutput<'py>> {
        self.change(py, (1, false), |lanes, help| lanes.reset(0, help))?;
        self.opening(py, said)
    }

    /// `seed` of every lane where `chosen` is true, and from episode 0 on.
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

    /// Begins the next episode of every lane where `chosen` is true.
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

    /// Plays an action in lane 0, any whole number, and the replies to it.
    fn play<'py>(&mut self, py: Python<'py>, action: &Bound<'py, PyAny>) -> PyResult<StepOutput<'py>> {
        let action = args::action("action", action)?;
        self.view().must_go_on(py)?;
        let step = self.change(py, (1, true), |lanes, help| lanes.step(0, action, help))?;
        self.view().stepped(py, &step)
    }

    /// Plays the move a text says in lane 0, whatever it is, and the replies to it.
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

    /// Steps every lane. `autoreset` is "NextStep", "SameStep" or "Disabled".
    ///
    /// Returns observations, rewards, terminations, truncations, masks, what was seen last in the lanes that ended and
    /// began anew (None unless "SameStep" and some did; rows of other lanes mean nothing), which lanes were over
    /// before, and a dict of columns, each an array with a row for each lane:
    ///
    /// - "current_player", where the learner has every seat: whose turn it is, -1 where it is over (int64);
    /// - "step", if `tells`: `invalid` (bool) and, where steps are analyzed, `analyzed` (bool), `regret` (float64),
    ///   `blunder`, `forced`, `missed_win`, `missed_block`, `allowed_fork` and `exact` (bool);
    /// - "end", if `tells` and some lane ended: `result` (float64), `winner` (int64, -1 for nobody), `turns` and
    ///   `invalid_moves` (int64) and, where steps are analyzed, `total_regret` and `opponent_regret` (float64) and
    ///   `total_exact` (bool); all 0 in lanes that did not end, and `result` in those that were cut off. Where the
    ///   learner has every seat there are `returns` and, where steps are analyzed, `regrets` instead, of each player:
    ///   float64 of shape (lanes, 2);
    /// - "begin", if `tells` and some lane began anew: as from `begin_columns`.
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

    /// How the episodes began of the lanes where `chosen` is true, as arrays of shape (lanes,): `seat`
    /// (int64, not where the learner has every seat), `example`, `episode_index` (int64), `random_move_prob`
    /// (float64) and, where steps are analyzed, `start_value` (int64) and `start_exact` (bool); all 0 in other lanes.
    fn begin_columns<'py>(
        &self,
        py: Python<'py>,
        chosen: PyReadonlyArray1<'_, bool>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.view().begins(py, &self.view().chosen(&chosen)?)
    }

    /// Whose turn it is in every lane, -1 where it is over: int64 of shape (lanes,).
    fn current_players<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.view().movers(py)
    }

    /// What the learner of a lane sees: a fresh float32 array.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn observation<'py>(&self, py: Python<'py>, lane: Whole) -> PyResult<Bound<'py, PyAny>> {
        self.view().observation(py, self.view().index(&lane)?)
    }

    /// What all learners see.
    fn observations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        self.view().observations(py)
    }

    /// What the learner of a lane may play: int8, 1 for each legal action.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn action_mask<'py>(&self, py: Python<'py>, lane: Whole) -> PyResult<Bound<'py, PyArray1<i8>>> {
        self.view().action_mask(py, self.view().index(&lane)?)
    }

    /// int8 array of shape (count, actions): 1 for each legal action of each lane.
    fn action_masks<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<i8>>> {
        self.view().action_masks(py)
    }

    /// Which lanes are over, or never began: bool of shape (lanes,).
    fn over<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_vec(py, self.view().which_are_over())
    }

    /// Facts of a lane's episode.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn episode_info<'py>(&self, py: Python<'py>, lane: Whole) -> PyResult<Bound<'py, PyDict>> {
        let facts = self.lanes.info(self.view().index(&lane)?);
        infos::episode(py, &facts, self.lanes.game())
    }

    /// What a language model is told.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn message(&self, lane: Whole) -> PyResult<String> {
        let lane = self.view().index(&lane)?;
        caught(|| self.lanes.message(lane))
    }

    /// The rules and the form of a reply, for a language model.
    #[getter]
    fn instructions(&self, py: Python<'_>) -> Py<PyString> {
        let made = || PyString::new(py, &self.lanes.instructions()).unbind();
        self.instructions.get_or_init(py, made).clone_ref(py)
    }

    /// A copy of the game in progress.
    #[pyo3(signature = (lane=Whole::ZERO), text_signature = "($self, lane=0)")]
    fn state(&self, py: Python<'_>, lane: Whole) -> PyResult<Py<State>> {
        State::new(py, self.game.clone(), self.lanes.state(self.view().index(&lane)?))
    }

    /// All that decides what the lanes do next, as JSON.
    fn save<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.lanes.save())
    }

    /// Goes on from what `save` returned; raises InvalidState for anything else and changes nothing.
    fn restore(&mut self, saved: &[u8]) -> PyResult<()> {
        caught(|| self.lanes.restore(saved))?.map_err(to_py)
    }

    /// Independent episodes in the same state, against the same opponent.
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
        let setup = self.lanes.setup();
        let opponent = match (setup.opponent, &self.callable) {
            (Rival::Named(opponent), _) => {
                Py::new(py, Opponent { game: self.game.clone(), opponent })?.into_any()
            }
            (Rival::Learner, _) => PyString::new(py, SELF).into_any().unbind(),
            (Rival::Outside, Some(callable)) => callable.clone_ref(py),
            (Rival::Outside, None) => py.None(),
        };
        let options = setup::options(py, setup)?;
        options.set_item("opponent", opponent)?;
        Ok((make, (self.game(), self.lanes.count(), options, self.save(py))))
    }
}

/// Makes episodes again; for pickle.
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
