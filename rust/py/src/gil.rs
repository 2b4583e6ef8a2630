//! The one door out of the GIL: long work runs detached, lets Ctrl-C in, and its errors come back as Python's.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use reasonenv::error::Error;

use crate::errors::to_py;

/// Work on fewer items ends before anyone could press Ctrl-C.
const LONG: usize = 1_000;

/// How long a signal may wait.
pub const POLL: Duration = Duration::from_millis(50);

/// Runs `work` of unknown length without the GIL, and lets a signal stop it.
pub fn interruptible<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&AtomicBool) -> Result<T, Error> + Send,
) -> PyResult<T> {
    detached(py, usize::MAX, work)
}

/// Runs `work` on `items` items without the GIL. Long work is stopped by a signal through the flag it is given.
pub fn detached<T: Send>(
    py: Python<'_>,
    items: usize,
    work: impl FnOnce(&AtomicBool) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let stop = AtomicBool::new(false);
    if items < LONG {
        return py.detach(|| work(&stop)).map_err(to_py);
    }
    py.detach(|| {
        thread::scope(|scope| {
            let (done, wait) = channel();
            let stop = &stop;
            scope.spawn(move || done.send(work(stop)));
            let signals = |py: Python<'_>| py.check_signals();
            let mut interrupted = None;
            loop {
                match wait.recv_timeout(POLL) {
                    Ok(result) => {
                        return match interrupted {
                            Some(signal) => Err(signal),
                            None => result.map_err(to_py),
                        };
                    }
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
