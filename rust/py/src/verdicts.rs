//! What judges say, one by one and by the batch.

use std::borrow::Cow;

use numpy::PyArray1;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice, PyString, PyTuple};
use reasonenv::task::{steps, verdict};

use crate::args::Whole;

/// What a judge says of one completion.
///
/// `passed` is the strict truth; `score` is partial credit in [0, 1], 1.0 exactly when passed; `parts` are the
/// family's other measures, each in [0, 1]; `failures` are labels, most telling first; `detail` is a reason a
/// person can act on; `answer` is the text that was read, or None.
#[pyclass(frozen, eq, module = "reasonenv")]
#[derive(Clone, PartialEq)]
pub struct Verdict {
    #[pyo3(get)]
    passed: bool,
    #[pyo3(get)]
    score: f32,
    parts: Vec<(String, f32)>,
    failures: Vec<String>,
    #[pyo3(get)]
    detail: String,
    #[pyo3(get)]
    answer: Option<String>,
}

impl Verdict {
    pub fn new(verdict: &verdict::Verdict, text: &str) -> Self {
        Self {
            passed: verdict.passed,
            score: verdict.score,
            parts: verdict.parts.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect(),
            failures: verdict.failures.iter().map(|&label| label.to_owned()).collect(),
            detail: verdict.detail.clone(),
            answer: verdict.answer.clone().map(|span| text[span].to_owned()),
        }
    }
}

#[pymethods]
impl Verdict {
    #[new]
    fn unpickle(
        passed: bool,
        score: f32,
        parts: Vec<(String, f32)>,
        failures: Vec<String>,
        detail: String,
        answer: Option<String>,
    ) -> Self {
        Self { passed, score, parts, failures, detail, answer }
    }

    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parts = PyDict::new(py);
        for (name, value) in &self.parts {
            parts.set_item(name, value)?;
        }
        Ok(parts)
    }

    #[getter]
    fn failures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.failures)
    }

    fn __repr__(&self) -> String {
        if self.passed {
            return "Verdict(passed=True)".into();
        }
        format!(
            "Verdict(passed=False, score={:.3}, failures=({}), detail={:?})",
            self.score,
            self.failures.join(", "),
            self.detail
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let fields = (
            self.passed,
            self.score,
            self.parts.clone(),
            self.failures.clone(),
            self.detail.clone(),
            self.answer.clone(),
        );
        Ok((py.get_type::<Self>().into_any(), fields.into_pyobject(py)?))
    }
}

/// Verdicts in the order of the texts: arrays over all of them, or one by one by index.
#[pyclass(frozen, sequence, module = "reasonenv")]
pub struct Verdicts {
    all: Vec<verdict::Verdict>,
    texts: Vec<Py<PyString>>,
}

impl Verdicts {
    pub fn new(verdicts: Vec<verdict::Verdict>, texts: Vec<Py<PyString>>) -> Self {
        Self { all: verdicts, texts }
    }

    /// The parts that some verdict has, in the order they first come.
    fn part_names(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        let mut last: &[(&str, f32)] = &[];
        for verdict in &self.all {
            // Most batches are of one family.
            if verdict.parts.iter().map(|(name, _)| name).eq(last.iter().map(|(name, _)| name)) {
                continue;
            }
            last = &verdict.parts;
            for (name, _) in &verdict.parts {
                if !names.contains(name) {
                    names.push(*name);
                }
            }
        }
        names
    }

    fn array<'py, T: numpy::Element>(
        &self,
        py: Python<'py>,
        value: impl Fn(&verdict::Verdict) -> T,
    ) -> Bound<'py, PyArray1<T>> {
        PyArray1::from_iter(py, self.all.iter().map(value))
    }
}

#[pymethods]
impl Verdicts {
    /// bool array, shape (n,).
    #[getter]
    fn passed<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.array(py, |verdict| verdict.passed)
    }

    /// float32 array in [0, 1], shape (n,).
    #[getter]
    fn score<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.array(py, |verdict| verdict.score)
    }

    /// float32 array in [0, 1], shape (n,), for each part a judge measures; NaN where a task has no such part.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parts = PyDict::new(py);
        for name in self.part_names() {
            let value = |verdict: &verdict::Verdict| {
                let part = verdict.parts.iter().find(|(part, _)| *part == name);
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
        let labels = |verdict: &verdict::Verdict| match verdict.failures.as_slice() {
            [] => Ok(empty.clone()),
            labels => PyTuple::new(py, labels),
        };
        self.all.iter().map(labels).collect()
    }

    /// A reason for each text, empty where it passed.
    #[getter]
    fn detail(&self) -> Vec<&str> {
        self.all.iter().map(|verdict| verdict.detail.as_str()).collect()
    }

    /// The answer that was read in each text, or None.
    #[getter]
    fn answers(&self, py: Python<'_>) -> Vec<Option<String>> {
        let texts = self.texts.iter().map(|text| text.bind(py).to_string_lossy());
        let answer = |(verdict, text): (&verdict::Verdict, Cow<'_, str>)| {
            verdict.answer.clone().map(|span| text[span].to_owned())
        };
        self.all.iter().zip(texts).map(answer).collect()
    }

    fn __len__(&self) -> usize {
        self.all.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let one = |at: usize| Verdict::new(&self.all[at], &self.texts[at].bind(py).to_string_lossy());
        item(index, self.all.len(), one)
    }

    fn __repr__(&self) -> String {
        let passed = self.all.iter().filter(|verdict| verdict.passed).count();
        format!("<Verdicts: {passed} of {} passed>", self.all.len())
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
    let out = |asked: &dyn std::fmt::Display| {
        Err(PyIndexError::new_err(format!("index {asked} is out of range for {len} items")))
    };
    match index.extract()? {
        Whole::Number(asked) => {
            let at = if asked < 0 { asked + len as i128 } else { asked };
            usize::try_from(at).ok().filter(|at| *at < len).map_or_else(|| out(&asked), Ok)
        }
        Whole::Other(asked) if index.hasattr("__index__")? => out(&asked),
        Whole::Other(asked) => {
            let message = format!("an index is a whole number or a slice, not {asked}");
            Err(PyTypeError::new_err(message))
        }
    }
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
    #[new]
    fn unpickle(holds: bool, advances: bool, detail: String) -> Self {
        Self { holds, advances, detail }
    }

    fn __repr__(&self) -> String {
        let claim = |value| if value { "True" } else { "False" };
        format!(
            "StepVerdict(holds={}, advances={}, detail={:?})",
            claim(self.holds),
            claim(self.advances),
            self.detail
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (bool, bool, String)) {
        (py.get_type::<Self>().into_any(), (self.holds, self.advances, self.detail.clone()))
    }
}
