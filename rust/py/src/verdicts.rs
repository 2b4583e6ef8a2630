//! What judges say, one by one and by the batch.

use std::borrow::Cow;

use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice, PyTuple, PyType};
use pyo3::{IntoPyObjectExt, PyTypeInfo};
use reasonenv::task::{steps, verdict};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::errors::InvalidArgument;
use crate::text::{Reduced, text};

/// One verdict, with nothing borrowed from the judge or the completion.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    passed: bool,
    score: f32,
    parts: Vec<(Cow<'static, str>, f32)>,
    failures: Vec<Cow<'static, str>>,
    detail: String,
    answer: Option<String>,
}

impl Row {
    pub fn new(verdict: verdict::Verdict, text: &str) -> Self {
        Self {
            passed: verdict.passed,
            score: verdict.score,
            parts: verdict.parts.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect(),
            failures: verdict.failures.into_iter().map(Cow::Borrowed).collect(),
            detail: verdict.detail,
            answer: verdict.answer.map(|span| text[span].to_owned()),
        }
    }
}

/// What a class pickles as: its state as JSON.
fn reduced<'py, T: PyTypeInfo>(py: Python<'py>, state: &impl Serialize) -> Reduced<'py, (String,)> {
    let json = serde_json::to_string(state).expect("verdicts serialise");
    Ok((py.get_type::<T>().getattr("_from_json")?, (json,)))
}

/// Reads what [`reduced`] wrote.
fn restored<T: DeserializeOwned>(json: &Bound<'_, PyAny>) -> PyResult<T> {
    let json = text("json", json)?;
    serde_json::from_str(&json).map_err(|error| InvalidArgument::new_err(format!("`json`: {error}")))
}

/// What a judge says of one completion.
///
/// `passed` is the strict truth; `score` is partial credit in [0, 1], 1.0 exactly when passed; `parts` are the
/// judge's other measures, each in [0, 1]; `failures` are labels, most telling first; `detail` is a reason a
/// person can act on; `answer` is the text that was read, or None.
#[pyclass(frozen, eq, module = "reasonenv")]
#[derive(Clone, PartialEq)]
pub struct Verdict {
    row: Row,
}

impl Verdict {
    pub fn new(verdict: verdict::Verdict, text: &str) -> Self {
        Self { row: Row::new(verdict, text) }
    }
}

impl From<Row> for Verdict {
    fn from(row: Row) -> Self {
        Self { row }
    }
}

#[pymethods]
impl Verdict {
    #[getter]
    fn passed(&self) -> bool {
        self.row.passed
    }

    #[getter]
    fn score(&self) -> f32 {
        self.row.score
    }

    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parts = PyDict::new(py);
        for (name, value) in &self.row.parts {
            parts.set_item(name, value)?;
        }
        Ok(parts)
    }

    #[getter]
    fn failures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.row.failures)
    }

    #[getter]
    fn detail(&self) -> &str {
        &self.row.detail
    }

    #[getter]
    fn answer(&self) -> Option<&str> {
        self.row.answer.as_deref()
    }

    /// The verdict as plain data, fit for JSON: `passed`, `score`, `parts`, `failures`, `detail`, `answer`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        fields.set_item("passed", self.row.passed)?;
        fields.set_item("score", self.row.score)?;
        fields.set_item("parts", self.parts(py)?)?;
        fields.set_item("failures", PyList::new(py, &self.row.failures)?)?;
        fields.set_item("detail", &self.row.detail)?;
        fields.set_item("answer", &self.row.answer)?;
        Ok(fields)
    }

    fn __repr__(&self) -> String {
        if self.row.passed {
            return "Verdict(passed=True)".into();
        }
        format!(
            "Verdict(passed=False, score={:.3}, failures=({}), detail={:?})",
            self.row.score,
            self.row.failures.join(", "),
            self.row.detail
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        reduced::<Self>(py, &self.row)
    }

    #[classmethod]
    fn _from_json(_class: &Bound<'_, PyType>, json: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { row: restored(json)? })
    }
}

/// Verdicts in the order of the texts: arrays over all of them, or one by one by index.
#[pyclass(frozen, eq, sequence, module = "reasonenv")]
#[derive(PartialEq)]
pub struct Verdicts {
    rows: Vec<Row>,
}

impl Verdicts {
    pub fn new(rows: Vec<Row>) -> Self {
        Self { rows }
    }

    /// The parts that some verdict has, in the order they first come.
    fn part_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        let mut last: &[(Cow<'static, str>, f32)] = &[];
        for row in &self.rows {
            // Most batches are of one family.
            if row.parts.iter().map(|(name, _)| name).eq(last.iter().map(|(name, _)| name)) {
                continue;
            }
            last = &row.parts;
            for (name, _) in last {
                if !names.contains(&name.as_ref()) {
                    names.push(name);
                }
            }
        }
        names
    }

    fn array<'py, T: numpy::Element>(
        &self,
        py: Python<'py>,
        value: impl Fn(&Row) -> T,
    ) -> Bound<'py, PyArray1<T>> {
        PyArray1::from_iter(py, self.rows.iter().map(value))
    }
}

#[pymethods]
impl Verdicts {
    /// bool array, shape (n,).
    #[getter]
    fn passed<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.array(py, |row| row.passed)
    }

    /// float32 array in [0, 1], shape (n,).
    #[getter]
    fn score<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.array(py, |row| row.score)
    }

    /// float32 array in [0, 1], shape (n,), for each part a judge measures; NaN where a row has no such part.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parts = PyDict::new(py);
        for name in self.part_names() {
            let value = |row: &Row| {
                let part = row.parts.iter().find(|(part, _)| part == name);
                part.map_or(f32::NAN, |(_, value)| *value)
            };
            parts.set_item(name, self.array(py, value))?;
        }
        Ok(parts)
    }

    /// A tuple of labels for each text, empty where it passed.
    #[getter]
    fn failures<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let empty = PyTuple::empty(py);
        let labels = |row: &Row| match row.failures.as_slice() {
            [] => Ok(empty.clone()),
            labels => PyTuple::new(py, labels),
        };
        self.rows.iter().map(labels).collect()
    }

    /// A reason for each text, empty where it passed.
    #[getter]
    fn detail(&self) -> Vec<&str> {
        self.rows.iter().map(|row| row.detail.as_str()).collect()
    }

    /// The answer that was read in each text, or None.
    #[getter]
    fn answers(&self) -> Vec<Option<&str>> {
        self.rows.iter().map(|row| row.answer.as_deref()).collect()
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let one = |at: usize| Verdict { row: self.rows[at].clone() };
        item(index, self.rows.len(), one)
    }

    fn __repr__(&self) -> String {
        let passed = self.rows.iter().filter(|row| row.passed).count();
        format!("<Verdicts: {passed} of {} passed>", self.rows.len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        reduced::<Self>(py, &self.rows)
    }

    #[classmethod]
    fn _from_json(_class: &Bound<'_, PyType>, json: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { rows: restored(json)? })
    }
}

/// What a sequence of `len` items gives for an index, counted from the end when negative, or a slice.
pub fn item<'py, T: IntoPyObject<'py>>(
    index: &Bound<'py, PyAny>,
    len: usize,
    one: impl Fn(usize) -> T,
) -> PyResult<Bound<'py, PyAny>> {
    let py = index.py();
    if let Ok(slice) = index.cast::<PySlice>() {
        let range = slice.indices(len as isize)?;
        let items = (0..range.slicelength as isize).map(|i| one((range.start + i * range.step) as usize));
        return Ok(PyList::new(py, items.collect::<Vec<_>>())?.into_any());
    }
    one(position(index, len)?).into_bound_py_any(py)
}

/// An index into a sequence of `len` items, counted from the end when negative.
pub fn position(index: &Bound<'_, PyAny>, len: usize) -> PyResult<usize> {
    let outside = || PyIndexError::new_err(format!("index {index} is out of range for {len} items"));
    let asked: isize = index.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(index.py()) { outside() } else { error }
    })?;
    let at = if asked < 0 { asked + len as isize } else { asked };
    usize::try_from(at).ok().filter(|at| *at < len).ok_or_else(outside)
}

/// What a judge says of one reasoning step: whether it holds, whether it leads on, and why not.
#[pyclass(frozen, eq, get_all, module = "reasonenv")]
#[derive(Clone, PartialEq)]
pub struct StepVerdict {
    holds: bool,
    advances: bool,
    detail: String,
}

impl From<steps::StepVerdict> for StepVerdict {
    fn from(verdict: steps::StepVerdict) -> Self {
        Self { holds: verdict.holds, advances: verdict.advances, detail: verdict.detail }
    }
}

#[pymethods]
impl StepVerdict {
    fn __repr__(&self) -> String {
        let claim = |value| if value { "True" } else { "False" };
        format!(
            "StepVerdict(holds={}, advances={}, detail={:?})",
            claim(self.holds),
            claim(self.advances),
            self.detail
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        reduced::<Self>(py, &(self.holds, self.advances, &self.detail))
    }

    #[classmethod]
    fn _from_json(_class: &Bound<'_, PyType>, json: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (holds, advances, detail) = restored(json)?;
        Ok(Self { holds, advances, detail })
    }
}
