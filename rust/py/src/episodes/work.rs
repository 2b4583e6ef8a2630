//! Changes of episodes: at once where that is fast, else interruptibly and on a copy.

use std::ffi::CString;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use reasonenv::budget::Budget;
use reasonenv::error::Error;
use reasonenv::game::episode::columns::Columns;
use reasonenv::game::episode::lanes::Episodes as GameLanes;
use reasonenv::game::episode::referee::Helpers;
use reasonenv::game::episode::setup::Autoreset;
use reasonenv::game::episode::step::Step;
use reasonenv::game::erased::AnyGame;
use reasonenv::game::opponent::Pick;

use super::Episodes;
use crate::errors::{SlowAnalysis, to_py};
use crate::games::searched;
use crate::gil::{caught, interruptible};
use crate::infos::{self, Facts};
use crate::lanes::{LaneView, Lanes, StepBuffers, StepOutput};
use crate::outside::{consulting, consulting_interruptibly};
use crate::own_games::is_outside;

/// Positions that a search visits in a tenth of a millisecond.
const AT_ONCE: u64 = 1_000;

/// Positions that a search visits in a millisecond; a step that needs more triggers the warning.
const SLOW_STEP: u64 = 10_000;

impl Episodes {
    pub(super) fn of(game: Arc<dyn AnyGame>, lanes: Box<dyn GameLanes>, callable: Option<Py<PyAny>>) -> Self {
        /// Number of positions that a heuristic looks at in a second.
        const SECOND: u64 = 10_000_000;
        let setup = lanes.setup();
        let actions = u64::from(game.actions());
        let guesses = setup.opponent.named().is_some_and(|opponent| {
            opponent.pick == Pick::Heuristic || opponent.exact_plies.is_some_and(|_| opponent.pick.solves())
        });
        // A heuristic looks at the replies to each move, an opening at each move.
        let looks =
            1 + if guesses { actions * actions } else { 0 } + u64::from(setup.opening_plies) * actions;
        let playouts = setup.opponent.named().and_then(|opponent| opponent.pick.playouts());
        let played = u64::from(playouts.unwrap_or(0)) * u64::from(game.max_plies());
        let is_outside = is_outside(game.as_ref());
        // A Python-defined game handles signals itself.
        let slow = setup.solves() && !game.solves_instantly() && !is_outside;
        let takes_long = |count: u64| !is_outside && (looks + played) * count > SECOND / 10;
        Self {
            slow: slow || takes_long(1),
            all_slow: slow || takes_long(lanes.count() as u64),
            is_outside,
            buffers: StepBuffers::default(),
            instructions: PyOnceLock::new(),
            warned: false,
            game,
            lanes,
            callable,
        }
    }

    /// Warn once that exact values are slow, if a step searched many positions in each lane.
    pub(super) fn warn_of(&mut self, py: Python<'_>, positions: u64) -> PyResult<()> {
        let setup = self.lanes.setup();
        if positions <= SLOW_STEP || self.warned || !setup.values_matter() {
            return Ok(());
        }
        self.warned = true;
        let asked = if setup.analysis { "`analysis=True`" } else { "the reward's regret" };
        let bound = match setup.analysis_plies {
            Some(most) => {
                format!("exact in the last {most} plies; give a smaller `analysis_plies` to solve less")
            }
            None => {
                "exact where the game solves quickly; give `analysis_plies=0` to solve nothing".to_owned()
            }
        };
        let name = self.game.about().name;
        let message =
            format!("steps of {name} take more than a millisecond for the sake of {asked}, which is {bound}");
        let category = py.get_type::<SlowAnalysis>();
        PyErr::warn(py, &category, &CString::new(message).expect("no text of ours holds a zero byte"), 2)
    }

    /// Change `count` lanes, by a step or otherwise; change none if that is interrupted or a callable raises.
    pub(super) fn change<T: Send>(
        &mut self,
        py: Python<'_>,
        (count, is_step): (usize, bool),
        mut work: impl FnMut(&mut dyn GameLanes, &mut Helpers<'_, '_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let slow = if count > 1 { self.all_slow } else { self.slow };
        if self.callable.is_none() && self.is_outside {
            // On this thread, and on a copy: any method of the game may raise.
            let mut lanes = self.lanes.boxed_clone();
            let help = &mut Helpers::within(Budget::unlimited());
            let done = caught(|| work(lanes.as_mut(), help))?.map_err(to_py)?;
            self.lanes = lanes;
            return Ok(done);
        }
        if self.callable.is_none() && !slow {
            // Nothing can stop the work, so no copy is needed.
            let lanes = &mut *self.lanes;
            let mut change = || work(lanes, &mut Helpers::within(Budget::unlimited()));
            let done = if count > 1 { py.detach(change) } else { change() };
            return done.map_err(to_py);
        }
        let mut lanes = self.lanes.boxed_clone();
        if self.callable.is_none() && count == 1 {
            // Most searches end before another thread would have started.
            let help = &mut Helpers::within(Budget::new(AT_ONCE));
            if let Ok(done) = work(lanes.as_mut(), help) {
                self.lanes = lanes;
                return Ok(done);
            }
            lanes = self.lanes.boxed_clone();
        }
        let changed = &mut *lanes;
        let mut count_work = |help: &mut Helpers<'_, '_>| {
            let done = work(changed, help)?;
            Ok((done, help.positions()))
        };
        let (done, positions) = match &self.callable {
            None => interruptible(py, |stop| {
                let help = &mut Helpers::within(Budget::unlimited().stopped_by(stop));
                searched(count_work(help), stop)
            }),
            Some(callable) if slow => consulting_interruptibly(py, callable, &self.game, |stop, opponent| {
                let budget = Budget::unlimited().stopped_by(stop);
                let help = &mut Helpers { opponent: Some(opponent), ..Helpers::within(budget) };
                searched(count_work(help), stop)
            }),
            Some(callable) => consulting(py, callable, &self.game, |opponent| {
                count_work(&mut Helpers { opponent: Some(opponent), ..Helpers::within(Budget::unlimited()) })
            }),
        }?;
        if is_step {
            self.warn_of(py, positions / count as u64)?;
        }
        self.lanes = lanes;
        Ok(done)
    }

    /// Return the result of a step in text.
    pub(super) fn told<'py>(&self, py: Python<'py>, step: &Step) -> PyResult<StepOutput<'py>> {
        let message = caught(|| self.lanes.message(0))?.into_pyobject(py)?.into_any();
        let info = infos::step(py, step, self.view().facts)?;
        if step.invalid {
            info.set_item("fault", self.lanes.info(0).fault)?;
        }
        self.view().tell_mover(py, &info)?;
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
}

impl Lanes for Episodes {
    fn view(&self) -> LaneView<'_> {
        let setup = self.lanes.setup();
        let facts = Facts { players: true, self_play: setup.is_self_play(), analysis: setup.analysis };
        LaneView { lanes: self.lanes.as_ref(), facts }
    }

    fn buffers(&mut self) -> &mut StepBuffers {
        &mut self.buffers
    }

    fn step_lanes(
        &mut self,
        py: Python<'_>,
        actions: &[i64],
        when: Autoreset,
        out: &mut Columns<'_>,
    ) -> PyResult<()> {
        self.change(py, (actions.len(), true), |lanes, help| lanes.step_all(actions, when, out, help))
    }
}
