//! Opponents that are Python callables.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;

use pyo3::prelude::*;
use reasonenv::error::Error;
use reasonenv::game::episode::referee::OutsideOpponent;
use reasonenv::game::erased::AnyGame;
use reasonenv::game::state::GameState;

use crate::args::{self, shown};
use crate::errors::{InvalidArgument, InvalidOpponent, to_py};
use crate::gil::{POLL, caught};
use crate::state::State;

/// Ask the callable for an action; raises what it raises, and InvalidOpponent unless the action is legal.
fn ask(
    py: Python<'_>,
    callable: &Py<PyAny>,
    game: &Arc<dyn AnyGame>,
    state: Box<dyn GameState>,
) -> PyResult<i64> {
    let legal = state.legal_set();
    let given = callable.bind(py).call1((State::new(py, game.clone(), state)?,))?;
    let action = match args::action("action", &given) {
        Err(error) if error.is_instance_of::<InvalidArgument>(py) => None,
        Err(error) => return Err(error),
        Ok(action) => u32::try_from(action).ok().filter(|action| legal.contains(*action)),
    };
    action.map(i64::from).ok_or_else(|| {
        let (given, legal) = (shown(&given), legal.iter().collect::<Vec<_>>());
        InvalidOpponent::new_err(format!("the opponent played {given}, but must play one of {legal:?}"))
    })
}

/// Work that asks the callable; the flag stops long work.
type Work<'w> = &'w mut (dyn FnMut(&AtomicBool, &mut OutsideOpponent<'_>) + Send);

/// Run quick work that asks the callable.
pub fn consulting<T>(
    py: Python<'_>,
    callable: &Py<PyAny>,
    game: &Arc<dyn AnyGame>,
    work: impl FnOnce(&mut OutsideOpponent<'_>) -> Result<T, Error>,
) -> PyResult<T> {
    let mut raised = None;
    let mut opponent = |state: Box<dyn GameState>| {
        ask(py, callable, game, state).map_err(|error| {
            raised = Some(error);
            Error::Interrupted
        })
    };
    let result = caught(|| work(&mut opponent));
    match raised {
        Some(error) => Err(error),
        None => result?.map_err(to_py),
    }
}

/// Run long work that asks the callable: without the GIL, on another thread, and stopped by a signal through the flag
/// it receives. The callable runs on the caller's thread.
pub fn consulting_interruptibly<T: Send>(
    py: Python<'_>,
    callable: &Py<PyAny>,
    game: &Arc<dyn AnyGame>,
    work: impl FnOnce(&AtomicBool, &mut OutsideOpponent<'_>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let (mut work, mut done) = (Some(work), None);
    run(py, callable, game, &mut |stop, opponent| done = work.take().map(|work| work(stop, opponent)))?;
    done.expect("work that did not raise is done").map_err(to_py)
}

/// Message from long work to the thread that waits for it.
enum News {
    Asked(Box<dyn GameState>),
    Done,
}

fn run(py: Python<'_>, callable: &Py<PyAny>, game: &Arc<dyn AnyGame>, work: Work<'_>) -> PyResult<()> {
    let stop = &AtomicBool::new(false);
    py.detach(|| {
        thread::scope(|scope| {
            let (tell, news) = channel();
            let (answer, answered) = channel();
            scope.spawn(move || {
                let mut opponent = |state: Box<dyn GameState>| {
                    // The receiver waits until the work is done, and answers or declines to.
                    tell.send(News::Asked(state)).map_err(|_| Error::Interrupted)?;
                    answered.recv().ok().flatten().ok_or(Error::Interrupted)
                };
                work(stop, &mut opponent);
                tell.send(News::Done)
            });
            let mut raised: Option<PyErr> = None;
            loop {
                match news.recv_timeout(POLL) {
                    Ok(News::Done) => return raised.map_or(Ok(()), Err),
                    Ok(News::Asked(state)) => {
                        let reply = match raised {
                            Some(_) => None,
                            None => Python::attach(|py| ask(py, callable, game, state))
                                .map_err(|error| raised = Some(error))
                                .ok(),
                        };
                        let _ = answer.send(reply);
                    }
                    Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                        let signals = |py: Python<'_>| py.check_signals();
                        raised = Python::attach(signals).err();
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        unreachable!("the worker tells that it is done, or its panic ends this scope")
                    }
                }
                if raised.is_some() {
                    stop.store(true, Ordering::Relaxed);
                }
            }
        })
    })
}
