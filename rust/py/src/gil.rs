//! Work without the GIL: long work runs detached and allows Ctrl-C, and its errors become Python
//! exceptions. So do exceptions raised by Python-defined families and games, after they propagate through the core.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use reasonenv::error::Error;

use crate::errors::to_py;

/// Work on fewer items ends before anyone could press Ctrl-C.
const LONG: usize = 1_000;

/// Longest time that a signal may wait.
pub const POLL: Duration = Duration::from_millis(50);

/// Exception of Python code that propagates through the core, which knows no Python.
struct Raised(PyErr);

/// Unwind to the next [`caught`] with an exception: the core has no valid value in its place.
pub fn raise(error: PyErr) -> ! {
    resume_unwind(Box::new(Raised(error)))
}

/// Return the result of `work`, or the exception that was raised in it.
pub fn caught<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match payload.downcast::<Raised>() {
        Ok(raised) => raised.0,
        Err(bug) => resume_unwind(bug),
    })
}

/// Run `work` on `items` items: like [`detached`], or, if it may call Python methods, on this thread with the GIL,
/// where each of them handles signals.
pub fn placed<T: Send>(
    py: Python<'_>,
    is_outside: bool,
    items: usize,
    work: impl FnOnce(&AtomicBool) -> Result<T, Error> + Send,
) -> PyResult<T> {
    if !is_outside {
        return detached(py, items, work);
    }
    caught(|| work(&AtomicBool::new(false)))?.map_err(to_py)
}

/// Run `work` of unknown length without the GIL; a signal can stop it.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Result<T, Error> + Send,
) -> PyResult<T> {
    detached(py, usize::MAX, work)
}

/// Run `work` on `items` items without the GIL. A signal stops long work through the flag it receives.
pub fn detached<T: Send>(
    py: Python<'_>,
    items: usize,
    work: impl FnOnce(&AtomicBool) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let (mut work, mut done) = (Some(work), None);
    run(py, items, &mut |stop| done = work.take().map(|work| work(stop)))?;
    done.expect("work that did not raise is done").map_err(to_py)
}

/// Not generic, so that threads and channels are compiled once.
fn run(py: Python<'_>, items: usize, work: &mut (dyn FnMut(&AtomicBool) + Send)) -> PyResult<()> {
    let stop = &AtomicBool::new(false);
    if items < LONG {
        return py.detach(|| caught(|| work(stop)));
    }
    py.detach(|| {
        thread::scope(|scope| {
            let (done, wait) = channel();
            scope.spawn(move || done.send(caught(|| work(stop))));
            let signals = |py: Python<'_>| py.check_signals();
            let mut interrupted = None;
            loop {
                match wait.recv_timeout(POLL) {
                    Ok(result) => return interrupted.map_or(result, Err),
                    Err(RecvTimeoutError::Timeout) if interrupted.is_none() => {
                        if let Err(signal) = Python::attach(signals) {
                            interrupted = Some(signal);
                            stop.store(true, Ordering::Relaxed);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => {
                        unreachable!("the worker sends before it ends, or its panic ends this scope")
                    }
                }
            }
        })
    })
}
