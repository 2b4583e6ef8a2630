//! Sources as Python holds them.

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

/// An endless source of items: params, split, seed and style fixed, the index free.
///
/// `source[7]` is the task at index 7 and `source[0:100]` a batch; iterating gives task after task, without end.
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
    /// Whose items these are.
    #[getter]
    fn family(&self) -> Family {
        Family(self.source.family)
    }

    /// Every param of the generator.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Value::Object(self.source.configured.fields.clone()))
    }

    /// The level whose params these are; None for params of your own.
    #[getter]
    fn level(&self) -> Option<u8> {
        self.source.configured.level
    }

    /// Which split the items are of.
    #[getter]
    fn split(&self) -> &'static str {
        self.source.split.name()
    }

    /// The seed of the stream of items.
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
        supply::task(py, &self.source, index)
    }

    /// The items `start .. start + count`.
    pub fn batch(&self, py: Python<'_>, start: Whole, count: Whole) -> PyResult<Batch> {
        supply::batch(py, &self.source, start, count)
    }

    /// The items at any indices, in their order.
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
