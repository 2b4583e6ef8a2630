//! How episodes are changed: at once where that is quick, else interruptibly and on a copy.

use std::ffi::CString;
use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use reasonenv::budget::Budget;
use reasonenv::error::Error;
use reasonenv::game::episode::lanes;
use reasonenv::game::episode::referee::Helpers;
use reasonenv::game::episode::step::{ResetInfo, Step};
use reasonenv::game::erased::AnyGame;
use reasonenv::game::opponent::Pick;

use super::{Episodes, Stepped};
use crate::args::Whole;
use crate::arrays::{FEW, shaped};
use crate::columns;
use crate::errors::{InvalidArgument, SlowAnalysis, to_py};
use crate::games::searched;
use crate::gil::{caught, interruptible};
use crate::infos;
use crate::outside::{consulting, consulting_interruptibly};
use crate::own_games::is_outside;

/// Positions that a search goes through in a tenth of a millisecond.
const AT_ONCE: u64 = 1_000;

/// Positions that a search goes through in a millisecond: a step that needs more of them is warned of.
const SLOW_STEP: u64 = 10_000;

impl Episodes {
    pub(super) fn of(
        game: Arc<dyn AnyGame>,
        lanes: Box<dyn lanes::Episodes>,
        callable: Option<Py<PyAny>>,
    ) -> Self {
        /// Looks at a position take a second together.
        const SECOND: u64 = 10_000_000;
        let setup = lanes.setup();
        let (actions, shape) = (u64::from(game.actions()), game.shape());
        let guesses = setup.opponent.named().is_some_and(|opponent| {
            opponent.pick == Pick::Heuristic || opponent.exact_plies.is_some_and(|_| opponent.pick.solves())
        });
        // A heuristic looks at the replies to each move, an opening at each move.
        let looks =
            1 + if guesses { actions * actions } else { 0 } + u64::from(setup.opening_plies) * actions;
        let is_outside = is_outside(game.as_ref());
        // A game from outside lets signals in by itself.
        let slow = setup.solves() && !game.solves_instantly() && !is_outside;
        Self {
            slow,
            all_slow: slow || !is_outside && looks * lanes.count() as u64 > SECOND / 10,
            is_outside,
            actions: actions as usize,
            cells: shape.iter().product(),
            shape,
            steps: vec![Step::default(); lanes.count()],
            last: Vec::new(),
            instructions: PyOnceLock::new(),
            warned: false,
            game,
            lanes,
            callable,
        }
    }

    pub(super) fn is_self_play(&self) -> bool {
        self.lanes.setup().is_self_play()
    }

    /// -1 for nobody.
    pub(super) fn current_player(&self, lane: usize) -> i64 {
        self.lanes.mover(lane).map_or(-1, i64::from)
    }

    pub(super) fn which_are_over(&self) -> Vec<bool> {
        (0..self.lanes.count()).map(|lane| self.lanes.is_over(lane)).collect()
    }

    /// How the episodes began of the lanes where `chosen` is true.
    pub(super) fn begins<'py>(&self, py: Python<'py>, chosen: &[bool]) -> PyResult<Bound<'py, PyDict>> {
        let info = |(lane, &on)| if on { self.lanes.reset_info(lane) } else { ResetInfo::default() };
        let each: Vec<ResetInfo> = chosen.iter().enumerate().map(info).collect();
        columns::resets(py, &each, self.analyses(), self.is_self_play())
    }

    /// Warns once that exact values are slow, if a step searched many positions in each lane.
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

    /// Changes `count` lanes, by a step or otherwise, or none if that is interrupted or a callable raises.
    pub(super) fn change<T: Send>(
        &mut self,
        py: Python<'_>,
        (count, is_step): (usize, bool),
        mut work: impl FnMut(&mut dyn lanes::Episodes, &mut Helpers<'_, '_>) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let slow = if count > 1 { self.all_slow } else { self.slow };
        if self.callable.is_none() && self.is_outside {
            // On this thread, and on a copy: any of its methods may raise.
            let mut lanes = self.lanes.boxed_clone();
            let help = &mut Helpers::within(Budget::unlimited());
            let done = caught(|| work(lanes.as_mut(), help))?.map_err(to_py)?;
            self.lanes = lanes;
            return Ok(done);
        }
        if self.callable.is_none() && !slow {
            // Nothing can stop it, so that it needs no copy.
            let lanes = &mut *self.lanes;
            let mut change = || work(lanes, &mut Helpers::within(Budget::unlimited()));
            let done = if count > 1 { py.detach(change) } else { change() };
            return done.map_err(to_py);
        }
        let mut lanes = self.lanes.boxed_clone();
        if self.callable.is_none() && count == 1 {
            // Most searches are over before another thread would have begun one.
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

    pub(super) fn lane(&self, given: &Whole) -> PyResult<usize> {
        let last = self.lanes.count() as u64 - 1;
        Ok(given.within("lane", 0, last)? as usize)
    }

    pub(super) fn analyses(&self) -> bool {
        self.lanes.setup().analysis
    }

    /// The lanes that are chosen.
    pub(super) fn lanes(&self, chosen: &PyReadonlyArray1<'_, bool>) -> PyResult<Vec<usize>> {
        let (chosen, count) = (chosen.as_slice()?, self.lanes.count());
        if chosen.len() != count {
            return Err(InvalidArgument::new_err(format!("a mask of {} envs, of {count}", chosen.len())));
        }
        Ok((0..count).filter(|&lane| chosen[lane]).collect())
    }

    pub(super) fn seen_by<'py>(&self, py: Python<'py>, lane: usize) -> PyResult<Bound<'py, PyAny>> {
        let mut seen = [0.0; FEW];
        if self.cells <= FEW {
            let seen = &mut seen[..self.cells];
            caught(|| self.lanes.observe(lane, seen))?;
            return Ok(shaped(py, seen, &self.shape));
        }
        let mut seen = vec![0.0; self.cells];
        caught(|| self.lanes.observe(lane, &mut seen))?;
        Ok(shaped(py, &seen, &self.shape))
    }

    pub(super) fn mask_of<'py>(&self, py: Python<'py>, lane: usize) -> Bound<'py, PyArray1<i8>> {
        let mut mask = [0; FEW];
        if self.actions <= FEW {
            let mask = &mut mask[..self.actions];
            self.lanes.mask(lane, mask);
            return PyArray1::from_slice(py, mask);
        }
        let mut mask = vec![0; self.actions];
        self.lanes.mask(lane, &mut mask);
        PyArray1::from_slice(py, &mask)
    }

    /// What a step said in text returns.
    pub(super) fn told<'py>(&self, py: Python<'py>, step: &Step) -> PyResult<Stepped<'py>> {
        let message = caught(|| self.lanes.message(0))?.into_pyobject(py)?.into_any();
        let info = infos::step(py, step, self.analyses(), self.is_self_play())?;
        if step.invalid {
            info.set_item("fault", self.lanes.fault(0))?;
        }
        self.tell_mover(py, &info)?;
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

    pub(super) fn tell_mover(&self, py: Python<'_>, info: &Bound<'_, PyDict>) -> PyResult<()> {
        if self.is_self_play() {
            info.set_item(intern!(py, "current_player"), self.current_player(0))?;
        }
        Ok(())
    }

    pub(super) fn stepped<'py>(&self, py: Python<'py>, step: &Step) -> PyResult<Stepped<'py>> {
        let seen = self.seen_by(py, 0)?;
        let info = infos::step(py, step, self.analyses(), self.is_self_play())?;
        info.set_item(intern!(py, "action_mask"), self.mask_of(py, 0))?;
        self.tell_mover(py, &info)?;
        Ok((seen, step.reward, step.terminated, step.truncated, info))
    }
}
