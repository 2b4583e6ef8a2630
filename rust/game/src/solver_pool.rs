//! Idle solvers, with what they remember, for whichever thread needs one next.

use std::sync::{Mutex, PoisonError};

/// As many solvers as were ever in use at the same time. The lock is held only to take one or put it back.
#[derive(Debug)]
pub struct SolverPool<T>(Mutex<Vec<T>>);

impl<T> Default for SolverPool<T> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<T> SolverPool<T> {
    /// Run `work` with an idle solver, or with a new one if all are in use.
    pub fn with<R>(&self, make: impl FnOnce() -> T, work: impl FnOnce(&mut T) -> R) -> R {
        let rested = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut solver = rested.unwrap_or_else(make);
        let result = work(&mut solver);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(solver);
        result
    }
}
