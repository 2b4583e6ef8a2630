//! Common half of sources and mixtures: a task at every index.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::PySlice;
use reasonenv::error::Error;
use reasonenv::task::batch;
use reasonenv::task::erased::FAMILIES;
use reasonenv::task::item;
use reasonenv::task::mixture::{self, Mixture};
use reasonenv::task::source::Source;

use crate::args::{Whole, indices};
use crate::batches::Batch;
use crate::errors::InvalidArgument;
use crate::gil::placed;
use crate::tasks::Task;

/// Supply with a task at every index below 2^64.
pub trait Supply: Send + Sync {
    fn at(&self, index: u64) -> Result<item::Task, Error>;
    fn batch(&self, indices: &[u64], stop: &AtomicBool) -> Result<batch::Batch, Error>;
    /// True if some family is Python-defined.
    fn is_outside(&self) -> bool;
}

impl Supply for Arc<Source> {
    fn at(&self, index: u64) -> Result<item::Task, Error> {
        self.task(index)
    }

    fn batch(&self, indices: &[u64], stop: &AtomicBool) -> Result<batch::Batch, Error> {
        batch::Batch::generate(self, indices, stop)
    }

    fn is_outside(&self) -> bool {
        self.family.is_outside()
    }
}

impl Supply for Arc<Mixture> {
    fn at(&self, index: u64) -> Result<item::Task, Error> {
        self.task(index)
    }

    fn batch(&self, indices: &[u64], stop: &AtomicBool) -> Result<batch::Batch, Error> {
        batch::Batch::mix(self, indices, stop)
    }

    fn is_outside(&self) -> bool {
        // A single check if none is registered, whatever the number of sources.
        FAMILIES.has_added() && mixture::Mixture::is_outside(self)
    }
}

pub fn task(py: Python<'_>, supply: &impl Supply, index: Whole) -> PyResult<Task> {
    let index = index.word("index")?;
    at(py, supply, index)
}

fn at(py: Python<'_>, supply: &(impl Supply + ?Sized), index: u64) -> PyResult<Task> {
    placed(py, supply.is_outside(), 1, |_| supply.at(index)).map(Task)
}

pub fn batch(py: Python<'_>, supply: &impl Supply, start: Whole, count: Whole) -> PyResult<Batch> {
    let (start, count) = (start.word("start")?, count.count("count")?);
    // The last index may be the largest one, so the end may be one beyond it.
    let room = u128::from(u64::MAX) + 1 - u128::from(start);
    if count as u128 > room {
        return Err(InvalidArgument::new_err(format!(
            "`start` is {start}, but must leave room for {count} indices below 2**64"
        )));
    }
    let indices = (0..count as u64).map(|i| start + i).collect::<Vec<_>>();
    made(py, supply, &indices)
}

pub fn tasks(py: Python<'_>, supply: &impl Supply, indices: &Bound<'_, PyAny>) -> PyResult<Batch> {
    made(py, supply, &self::indices("indices", indices)?)
}

/// Return `supply[index]`: a task, or the batch of a slice that has an end.
pub fn item<'py>(supply: &impl Supply, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = index.py();
    let Ok(slice) = index.cast::<PySlice>() else {
        // Python's loops end at an IndexError.
        let task = task(py, supply, index.extract()?);
        let task = task.map_err(|error| PyIndexError::new_err(error.value(py).to_string()))?;
        return Ok(Bound::new(py, task)?.into_any());
    };
    let end = |name: &str, missing: Option<u64>| -> PyResult<u64> {
        let given = slice.getattr(name)?;
        if given.is_none() {
            let message = format!("a source is endless: give the slice a `{name}`");
            return missing.ok_or_else(|| InvalidArgument::new_err(message));
        }
        given.extract::<Whole>()?.word(name)
    };
    let (start, stop) = (end("start", Some(0))?, end("stop", None)?);
    let stride = end("step", Some(1))?.max(1);
    let count = Whole::Number(i128::from(stop.saturating_sub(start).div_ceil(stride))).count("slice")?;
    let indices: Vec<u64> = (0..count as u64).map(|i| start + i * stride).collect();
    Ok(Bound::new(py, made(py, supply, &indices)?)?.into_any())
}

fn made(py: Python<'_>, supply: &impl Supply, indices: &[u64]) -> PyResult<Batch> {
    let made = placed(py, supply.is_outside(), indices.len(), |stop| supply.batch(indices, stop))?;
    Ok(Batch(made))
}

/// Endless iterator over tasks.
#[pyclass(module = "reasonenv._native")]
pub struct Items {
    supply: Box<dyn Supply>,
    next: u64,
}

impl Items {
    pub fn new(supply: impl Supply + 'static) -> Self {
        Self { supply: Box::new(supply), next: 0 }
    }
}

#[pymethods]
impl Items {
    fn __iter__(self_: PyRef<'_, Self>) -> PyRef<'_, Self> {
        self_
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Task> {
        let index = self.next;
        self.next = index.wrapping_add(1);
        at(py, &*self.supply, index)
    }
}
