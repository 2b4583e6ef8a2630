//! Python class of sources.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyType;
use reasonenv::error::Error;
use reasonenv::families;
use reasonenv::task::source;
use reasonenv::task::split::Split;
use serde_json::{Map, Value, json};

use crate::args::{Text, Whole};
use crate::batches::Batch;
use crate::errors::to_py;
use crate::families::Family;
use crate::gil::caught;
use crate::supply::{self, Items};
use crate::tasks::Task;
use crate::text::{Reduced, object};

/// Endless source of tasks: params, split, seed and style are fixed, the index is free.
///
/// `source[7]` is the task at index 7 and `source[0:100]` a batch; iteration yields task after task, without end.
#[pyclass(frozen, module = "reasonenv")]
#[derive(Clone)]
pub struct Source {
    pub source: Arc<source::Source>,
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
    /// Family of the tasks.
    #[getter]
    fn family(&self) -> Family {
        Family(self.source.family)
    }

    /// All params of the generator.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Value::Object(self.source.configured.fields.clone()))
    }

    /// Level of these params; None for your own params.
    #[getter]
    fn level(&self) -> Option<u8> {
        self.source.configured.level
    }

    /// Split of the tasks.
    #[getter]
    fn split(&self) -> &'static str {
        self.source.split.name()
    }

    /// Seed of the stream of tasks.
    #[getter]
    fn seed(&self) -> u64 {
        self.source.seed
    }

    /// Chosen parts of the style; the others are drawn.
    #[getter]
    fn style<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Value::Object(self.style.clone()))
    }

    /// Return the task at `index`.
    pub fn task(&self, py: Python<'_>, index: Whole) -> PyResult<Task> {
        supply::task(py, &self.source, index)
    }

    /// Return the tasks `start .. start + count`.
    pub fn batch(&self, py: Python<'_>, start: Whole, count: Whole) -> PyResult<Batch> {
        supply::batch(py, &self.source, start, count)
    }

    /// Return the tasks at any indices, in their order.
    #[pyo3(signature = (indices, /))]
    fn tasks(&self, py: Python<'_>, indices: &Bound<'_, PyAny>) -> PyResult<Batch> {
        supply::tasks(py, &self.source, indices)
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        supply::item(&self.source, index)
    }

    fn __iter__(&self) -> Items {
        Items::new(self.source.clone())
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
        let source = caught(|| source::Source::new(family, 0, &object("params"), split, seed, &style))?;
        Ok(Self::new(source.map_err(to_py)?, style))
    }
}
