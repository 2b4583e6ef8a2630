//! Sources as Python holds them.

use std::sync::Arc;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyType};
use reasonenv::error::Error;
use reasonenv::families;
use reasonenv::task::batch;
use reasonenv::task::source;
use reasonenv::task::split::Split;
use serde_json::{Map, Value, json};

use crate::args::{Text, Whole, indices};
use crate::batches::Batch;
use crate::errors::{InvalidArgument, to_py};
use crate::families::Family;
use crate::gil::detached;
use crate::tasks::Task;
use crate::text::{Reduced, object};

/// An endless source of items: params, split, seed and style fixed, the index free.
///
/// `source[7]` is the task at index 7 and `source[0:100]` a batch; iterating gives task after task, without end.
#[pyclass(frozen, module = "reasonenv")]
#[derive(Clone)]
pub struct Source {
    source: Arc<source::Source>,
    style: Map<String, Value>,
}

impl Source {
    pub fn new(source: source::Source, style: Map<String, Value>) -> Self {
        Self { source: Arc::new(source), style }
    }

    pub fn shared(&self) -> Arc<source::Source> {
        self.source.clone()
    }
}

#[pymethods]
impl Source {
    #[getter]
    fn family(&self) -> Family {
        Family(self.source.family)
    }

    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Value::Object(self.source.configured.fields.clone()))
    }

    #[getter]
    fn level(&self) -> Option<u8> {
        self.source.configured.level
    }

    #[getter]
    fn split(&self) -> &'static str {
        self.source.split.name()
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.source.seed
    }

    /// What was asked of the style; the rest is drawn.
    #[getter]
    fn style<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Value::Object(self.style.clone()))
    }

    /// The item at `index`.
    pub fn task(&self, py: Python<'_>, index: Whole) -> PyResult<Task> {
        let index = index.word("index")?;
        py.detach(|| self.source.task(index)).map(Task).map_err(to_py)
    }

    /// The items `start .. start + count`.
    pub fn batch(&self, py: Python<'_>, start: Whole, count: Whole) -> PyResult<Batch> {
        let (start, count) = (start.word("start")?, count.count("count")?);
        // The last index may be the largest there is, so the end may be one more.
        let room = u128::from(u64::MAX) + 1 - u128::from(start);
        if count as u128 > room {
            return Err(InvalidArgument::new_err(format!(
                "`start` is {start}, but must leave room for {count} indices below 2**64"
            )));
        }
        let indices = (0..count as u64).map(|i| start + i).collect::<Vec<_>>();
        self.made(py, &indices)
    }

    /// The items at any indices, in their order.
    #[pyo3(signature = (indices, /))]
    fn tasks(&self, py: Python<'_>, indices: &Bound<'_, PyAny>) -> PyResult<Batch> {
        self.made(py, &self::indices("indices", indices)?)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let Ok(slice) = index.cast::<PySlice>() else {
            let index: Whole = index.extract()?;
            // What Python's loops take for the end is an IndexError.
            let task =
                self.task(py, index).map_err(|error| PyIndexError::new_err(error.value(py).to_string()))?;
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
        Ok(Bound::new(py, self.made(py, &indices)?)?.into_any())
    }

    fn __iter__(&self) -> Items {
        Items { source: self.source.clone(), next: 0 }
    }

    fn __repr__(&self) -> String {
        let source = &self.source;
        let canonical = &source.configured.canonical;
        format!("<Source {} {canonical} {} seed {}>", source.family.name(), source.split.name(), source.seed)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        let source = &self.source;
        let text = json!({
            "family": source.family.name(),
            "params": source.configured.fields,
            "split": source.split.name(),
            "seed": source.seed,
            "style": self.style,
        });
        let rebuild = py.get_type::<Self>().getattr("_from_json")?;
        Ok((rebuild, (text.to_string(),)))
    }

    #[classmethod]
    fn _from_json(_class: &Bound<'_, PyType>, text: Text) -> PyResult<Self> {
        let invalid = |message: &str| to_py(Error::InvalidTask { message: message.to_owned() });
        let value: Value =
            serde_json::from_str(text.read("text")?).map_err(|error| invalid(&error.to_string()))?;
        let object = |name: &str| value[name].as_object().cloned().unwrap_or_default();
        let family = families::find(value["family"].as_str().unwrap_or_default()).map_err(to_py)?;
        let split = Split::find(value["split"].as_str().unwrap_or_default()).map_err(to_py)?;
        let seed = value["seed"].as_u64().ok_or_else(|| invalid("`seed` is missing"))?;
        let style = object("style");
        let source = source::Source::new(family, 0, &object("params"), split, seed, &style).map_err(to_py)?;
        Ok(Self::new(source, style))
    }
}

impl Source {
    fn made(&self, py: Python<'_>, indices: &[u64]) -> PyResult<Batch> {
        let made = detached(py, indices.len(), |stop| batch::Batch::generate(&self.source, indices, stop))?;
        Ok(Batch(made))
    }
}

/// Task after task of a source.
#[pyclass(module = "reasonenv")]
pub struct Items {
    source: Arc<source::Source>,
    next: u64,
}

#[pymethods]
impl Items {
    fn __iter__(self_: PyRef<'_, Self>) -> PyRef<'_, Self> {
        self_
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Task> {
        let index = self.next;
        self.next = index.wrapping_add(1);
        py.detach(|| self.source.task(index)).map(Task).map_err(to_py)
    }
}
