//! Python classes of verdicts, single and in batches.

use std::borrow::Cow;

use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PySlice, PyTuple, PyType};
use pyo3::{IntoPyObjectExt, PyTypeInfo};
use reasonenv::error::shortened;
use reasonenv::task::steps;
use reasonenv::task::verdict::{self, interned};
use serde::{Deserialize, Serialize};

use crate::args::{self, Real, Text, Whole, shown};
use crate::errors::InvalidArgument;
use crate::text::{Reduced, Texts, text};

/// One verdict in its stored form.
#[derive(Serialize, Deserialize)]
struct Record<'a> {
    passed: bool,
    score: f32,
    #[serde(borrow)]
    parts: Vec<(Cow<'a, str>, f32)>,
    #[serde(borrow)]
    failures: Vec<Cow<'a, str>>,
    #[serde(borrow)]
    detail: Cow<'a, str>,
    #[serde(borrow)]
    answer: Option<Cow<'a, str>>,
    #[serde(default)]
    respelled: bool,
}

impl<'a> Record<'a> {
    /// Make the record of a verdict whose answer is a span of `text`.
    fn new(verdict: &'a verdict::Verdict, text: &'a str) -> Self {
        Self {
            passed: verdict.passed,
            score: verdict.score,
            parts: verdict.parts.iter().map(|(name, value)| (Cow::Borrowed(*name), *value)).collect(),
            failures: verdict.failures.iter().map(|label| Cow::Borrowed(*label)).collect(),
            detail: Cow::Borrowed(&verdict.detail),
            answer: verdict.answer.clone().map(|span| Cow::Borrowed(&text[span])),
            respelled: verdict.respelled,
        }
    }

    /// Return the verdict, and append its answer to `text`, of which it becomes a span.
    fn read(self, text: &mut String) -> PyResult<verdict::Verdict> {
        let start = text.len();
        text.push_str(self.answer.as_deref().unwrap_or_default());
        Ok(verdict::Verdict {
            passed: self.passed,
            score: self.score,
            parts: self
                .parts
                .iter()
                .map(|(name, value)| Ok((kept("parts", name)?, *value)))
                .collect::<PyResult<_>>()?,
            failures: self.failures.iter().map(|label| kept("failures", label)).collect::<PyResult<_>>()?,
            detail: self.detail.into_owned(),
            answer: self.answer.map(|_| start..text.len()),
            respelled: self.respelled,
        })
    }
}

/// Keep a label or the name of a part as long as the process lives.
fn kept(argument: &str, name: &str) -> PyResult<&'static str> {
    interned(name).map_err(|why| InvalidArgument::new_err(format!("`{argument}` has {why}")))
}

/// Read True or False, of Python or of NumPy.
fn reference(name: &str, given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let refuse =
        |_| InvalidArgument::new_err(format!("`{name}` is {}, but must be True or False", shown(given)));
    given.extract().map_err(refuse)
}

/// Read a number in [0, 1].
fn unit(name: &str, given: &Real) -> PyResult<f64> {
    let number = given.number(name)?;
    if (0.0..=1.0).contains(&number) {
        return Ok(number);
    }
    Err(InvalidArgument::new_err(format!("`{name}` is {number}, but must be between 0 and 1")))
}

/// Read a verifier's measures by name.
fn measures(parts: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<(&'static str, f32)>> {
    let Some(parts) = parts.filter(|parts| !parts.is_none()) else { return Ok(Vec::new()) };
    let Ok(parts) = parts.cast::<PyMapping>() else {
        let message = format!("`parts` is {}, but must be a dict", shown(parts));
        return Err(InvalidArgument::new_err(message));
    };
    let mut measured: Vec<(&'static str, f32)> = Vec::new();
    for item in parts.items()? {
        let (name, value) = item.extract::<(Bound<'_, PyAny>, Real)>()?;
        let name = text("a name in `parts`", &name)?;
        measured.push((kept("parts", &name)?, unit(&format!("parts[{name:?}]"), &value)? as f32));
    }
    Ok(measured)
}

/// Pickle a class by its state as JSON.
fn reduced<'py, T: PyTypeInfo>(py: Python<'py>, state: &impl Serialize) -> Reduced<'py, (String,)> {
    let json = serde_json::to_string(state).expect("verdicts serialise");
    Ok((py.get_type::<T>().getattr("_from_json")?, (json,)))
}

/// Read the output of [`reduced`].
fn restored<'a, T: Deserialize<'a>>(json: &'a str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| InvalidArgument::new_err(format!("`json`: {error}")))
}

/// Verdict on one completion.
///
/// `passed` is True only for a right and well-formed answer; `score` is partial credit in [0, 1], 1.0 exactly when
/// passed; `parts` are the verifier's other measures, each in [0, 1]; `failures` are labels, most informative first;
/// `detail` is a reason that a person can act on; `answer` is the text that was read, or None; `respelled` is True if
/// it was read in markup or with separators that only the lenient reading accepts.
#[pyclass(frozen, eq, module = "reasonenv")]
#[derive(PartialEq)]
pub struct Verdict {
    judged: verdict::Verdict,
    /// Text of the answer, all of which `judged.answer` spans.
    answer: String,
}

impl Verdict {
    /// Make a verdict whose answer is a span of `text`.
    pub fn new(mut judged: verdict::Verdict, text: &str) -> Self {
        let answer = judged.answer.take().map(|span| text[span].to_owned());
        judged.answer = answer.as_ref().map(|answer| 0..answer.len());
        Self { judged, answer: answer.unwrap_or_default() }
    }

    /// Return the core's verdict, without the answer's place.
    pub fn judged(&self) -> verdict::Verdict {
        verdict::Verdict { answer: None, ..self.judged.clone() }
    }

    fn record(&self) -> Record<'_> {
        Record::new(&self.judged, &self.answer)
    }
}

#[pymethods]
impl Verdict {
    /// Verdict of your own verifier.
    ///
    /// Args:
    ///     passed: True only for a right and well-formed answer.
    ///     score: Partial credit in [0, 1], below 1 for a failure. None: 1.0 or 0.0.
    ///     failures: Labels of what is wrong; none for a pass. Without any, a failure is `wrong_answer`. A process may
    ///         use 4096 different labels and names of parts; what differs from answer to answer belongs in `detail`.
    ///     detail: Reason that a person can act on.
    ///     parts: Other measures, each in [0, 1].
    ///     answer: Answer that was read.
    ///     respelled: True if it was read in another spelling than the prompt asks for.
    ///
    /// Raises:
    ///     InvalidArgument: The score contradicts `passed`, or an argument is invalid.
    #[new]
    #[pyo3(
        signature = (passed, score=None, *, failures=None, detail=None, parts=None, answer=None, respelled=None),
        text_signature = "(passed, score=None, *, failures=(), detail='', parts=None, answer=None, respelled=False)"
    )]
    fn made(
        passed: &Bound<'_, PyAny>,
        score: Option<Real>,
        failures: Option<&Bound<'_, PyAny>>,
        detail: Option<Text>,
        parts: Option<&Bound<'_, PyAny>>,
        answer: Option<Text>,
        respelled: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let invalid = InvalidArgument::new_err::<String>;
        let passed = reference("passed", passed)?;
        let score = score.map(|score| unit("score", &score)).transpose()?;
        let score = score.unwrap_or(f64::from(u8::from(passed)));
        if passed != (score >= 1.0) {
            let passed = if passed { "True" } else { "False" };
            return Err(invalid(format!(
                "`score` is {score} and `passed` {passed}, but the score must be 1 exactly where it passed"
            )));
        }
        let labels = match failures {
            None => Vec::new(),
            Some(failures) => {
                let texts = Texts::new("failures", failures)?;
                let labels = texts.read_exactly("failures")?;
                labels.iter().map(|label| kept("failures", label)).collect::<PyResult<Vec<_>>>()?
            }
        };
        if passed && !labels.is_empty() {
            return Err(invalid(format!(
                "`failures` is ({}), but must be empty where it passed",
                shortened(&labels.join(", "))
            )));
        }
        let mut judged = if passed {
            verdict::Verdict::pass()
        } else {
            let (first, rest) = labels.split_first().unwrap_or((&verdict::label::WRONG_ANSWER, &[]));
            // Rounded to 32 bits, a score just below 1 could become 1; it must stay below.
            let failure = verdict::Failure::new(first, "").score(score as f32);
            rest.iter().fold(failure, |failure, label| failure.also(label)).into()
        };
        judged.parts = measures(parts)?;
        judged.respelled = respelled.map_or(Ok(false), |given| reference("respelled", given))?;
        if let Some(detail) = detail {
            detail.read("detail")?.clone_into(&mut judged.detail);
        }
        let answer = answer.map(|answer| answer.read("answer").map(str::to_owned)).transpose()?;
        judged.answer = answer.as_ref().map(|answer| 0..answer.len());
        Ok(Self { judged, answer: answer.unwrap_or_default() })
    }

    /// True if the answer is right and well formed.
    #[getter]
    fn passed(&self) -> bool {
        self.judged.passed
    }

    /// Partial credit in [0, 1]; 1.0 exactly when passed.
    #[getter]
    fn score(&self) -> f32 {
        self.judged.score
    }

    /// Other measures of the verifier, in [0, 1], by name.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parts = PyDict::new(py);
        for (name, value) in &self.judged.parts {
            parts.set_item(name, value)?;
        }
        Ok(parts)
    }

    /// Labels of what is wrong, most informative first; empty when passed.
    #[getter]
    fn failures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.judged.failures)
    }

    /// Reason of the failure that a person can act on; empty when passed.
    #[getter]
    fn detail(&self) -> &str {
        &self.judged.detail
    }

    /// Answer that was read; None if none was.
    #[getter]
    fn answer(&self) -> Option<&str> {
        self.judged.answer.as_ref().map(|_| self.answer.as_str())
    }

    /// True if the answer was read in a spelling that only the lenient reading accepts: in markup, in a box where a tag
    /// is asked for, or with other separators.
    #[getter]
    fn respelled(&self) -> bool {
        self.judged.respelled
    }

    /// Return the verdict as plain data, ready for JSON: `passed`, `score`, `parts`, `failures`, `detail`, `answer`,
    /// `respelled`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        fields.set_item("passed", self.passed())?;
        fields.set_item("score", self.score())?;
        fields.set_item("parts", self.parts(py)?)?;
        fields.set_item("failures", PyList::new(py, &self.judged.failures)?)?;
        fields.set_item("detail", self.detail())?;
        fields.set_item("answer", self.answer())?;
        fields.set_item("respelled", self.respelled())?;
        Ok(fields)
    }

    fn __repr__(&self) -> String {
        if self.judged.passed {
            return "Verdict(passed=True)".into();
        }
        format!(
            "Verdict(passed=False, score={:.3}, failures=({}), detail={:?})",
            self.judged.score,
            self.judged.failures.join(", "),
            self.judged.detail
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        reduced::<Self>(py, &self.record())
    }

    #[classmethod]
    fn _from_json(_class: &Bound<'_, PyType>, json: &Bound<'_, PyAny>) -> PyResult<Self> {
        let json = text("json", json)?;
        let mut answer = String::new();
        Ok(Self { judged: restored::<Record<'_>>(&json)?.read(&mut answer)?, answer })
    }
}

/// Verdicts in the order of the texts: arrays over all of them, or single ones by index.
#[pyclass(frozen, eq, sequence, module = "reasonenv")]
pub struct Verdicts {
    rows: Vec<verdict::Verdict>,
    /// Answers of all rows, one after another; each row's answer is a span of it.
    answers: String,
}

impl PartialEq for Verdicts {
    fn eq(&self, other: &Self) -> bool {
        // Rows with equal spans have their answers at the same places.
        self.rows == other.rows && self.answers == other.answers
    }
}

impl Verdicts {
    /// Make verdicts whose answers are spans of `texts`, in the same order.
    pub fn new(mut rows: Vec<verdict::Verdict>, texts: &[Cow<'_, str>]) -> Self {
        let mut answers = String::new();
        for (row, text) in rows.iter_mut().zip(texts) {
            if let Some(span) = &mut row.answer {
                let start = answers.len();
                answers.push_str(&text[span.clone()]);
                *span = start..answers.len();
            }
        }
        Self { rows, answers }
    }

    /// Combine the verdicts of several verifiers, row by row. A row's answer is the first one that a verifier read.
    pub fn combined(judges: &[&Self], verdict: impl Fn(&[&verdict::Verdict]) -> verdict::Verdict) -> Self {
        let count = judges.iter().map(|judge| judge.rows.len()).min().unwrap_or_default();
        let (mut rows, mut answers) = (Vec::with_capacity(count), String::new());
        for at in 0..count {
            let given: Vec<_> = judges.iter().map(|judge| &judge.rows[at]).collect();
            let mut row = verdict(&given);
            let read = judges.iter().find_map(|judge| Some(&judge.answers[judge.rows[at].answer.clone()?]));
            row.answer = read.map(|read| {
                let start = answers.len();
                answers.push_str(read);
                start..answers.len()
            });
            rows.push(row);
        }
        Self { rows, answers }
    }

    /// Return the names of all parts, in the order of their first appearance.
    fn part_names(&self) -> Vec<&'static str> {
        let mut names = Vec::new();
        let mut last: &[(&'static str, f32)] = &[];
        for row in &self.rows {
            // Most batches are of one family.
            if row.parts.iter().map(|(name, _)| name).eq(last.iter().map(|(name, _)| name)) {
                continue;
            }
            last = &row.parts;
            for (name, _) in last {
                if !names.contains(name) {
                    names.push(name);
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
        PyArray1::from_iter(py, self.rows.iter().map(value))
    }
}

#[pymethods]
impl Verdicts {
    #[new]
    #[pyo3(signature = (verdicts, /))]
    fn of(verdicts: &Bound<'_, PyAny>) -> PyResult<Self> {
        let items = args::items("verdicts", verdicts, "a sequence")?;
        let (mut rows, mut answers) = (Vec::new(), String::new());
        for (at, given) in items.enumerate() {
            let given = given?;
            let Ok(verdict) = given.cast::<Verdict>() else {
                let message = format!("`verdicts[{at}]` is {}, but must be a Verdict", shown(&given));
                return Err(InvalidArgument::new_err(message));
            };
            let verdict = verdict.get();
            let mut row = verdict.judged.clone();
            if let Some(span) = &mut row.answer {
                *span = answers.len()..answers.len() + verdict.answer.len();
                answers += &verdict.answer;
            }
            rows.push(row);
            Whole::Number(rows.len() as i128).count("verdicts")?;
        }
        Ok(Self { rows, answers })
    }

    /// Passed, by row: bool array, shape (n,).
    #[getter]
    fn passed<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.array(py, |row| row.passed)
    }

    /// Score, by row: float32 array in [0, 1], shape (n,).
    #[getter]
    fn score<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.array(py, |row| row.score)
    }

    /// Parts by name, each a float32 array in [0, 1], shape (n,); NaN for rows without the part.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parts = PyDict::new(py);
        for name in self.part_names() {
            let value = |row: &verdict::Verdict| {
                let part = row.parts.iter().find(|(part, _)| *part == name);
                part.map_or(f32::NAN, |(_, value)| *value)
            };
            parts.set_item(name, self.array(py, value))?;
        }
        Ok(parts)
    }

    /// Tuple of labels for each text, empty if it passed.
    #[getter]
    fn failures<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let empty = PyTuple::empty(py);
        let labels = |row: &verdict::Verdict| match row.failures.as_slice() {
            [] => Ok(empty.clone()),
            labels => PyTuple::new(py, labels),
        };
        self.rows.iter().map(labels).collect()
    }

    /// Reason for each text, empty if it passed.
    #[getter]
    fn detail(&self) -> Vec<&str> {
        self.rows.iter().map(|row| row.detail.as_str()).collect()
    }

    /// True for answers in a spelling that only the lenient reading accepts: bool array, shape (n,).
    #[getter]
    fn respelled<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.array(py, |row| row.respelled)
    }

    /// Answer that was read in each text, or None.
    #[getter]
    fn answers(&self) -> Vec<Option<&str>> {
        self.rows.iter().map(|row| row.answer.clone().map(|span| &self.answers[span])).collect()
    }

    fn __len__(&self) -> usize {
        self.rows.len()
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let one = |at: usize| Verdict::new(self.rows[at].clone(), &self.answers);
        item(index, self.rows.len(), one)
    }

    fn __repr__(&self) -> String {
        let passed = self.rows.iter().filter(|row| row.passed).count();
        format!("<Verdicts: {passed} of {} passed>", self.rows.len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        let records: Vec<_> = self.rows.iter().map(|row| Record::new(row, &self.answers)).collect();
        reduced::<Self>(py, &records)
    }

    #[classmethod]
    fn _from_json(_class: &Bound<'_, PyType>, json: &Bound<'_, PyAny>) -> PyResult<Self> {
        let json = text("json", json)?;
        let mut answers = String::new();
        let records: Vec<Record<'_>> = restored(&json)?;
        let rows = records.into_iter().map(|record| record.read(&mut answers)).collect::<PyResult<_>>()?;
        Ok(Self { rows, answers })
    }
}

/// Return the result of indexing a sequence of `len` items with a slice or an index, negative ones from the end.
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

/// Read an index into a sequence of `len` items, negative ones from the end.
pub fn position(index: &Bound<'_, PyAny>, len: usize) -> PyResult<usize> {
    let outside = || PyIndexError::new_err(format!("index {index} is out of range for {len} items"));
    let asked: isize = index.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(index.py()) { outside() } else { error }
    })?;
    let at = if asked < 0 { asked + len as isize } else { asked };
    usize::try_from(at).ok().filter(|at| *at < len).ok_or_else(outside)
}

/// Verdict on one reasoning step: whether it holds, whether it advances the solution, and why not.
#[pyclass(frozen, eq, get_all, module = "reasonenv")]
#[derive(Clone, PartialEq)]
pub struct StepVerdict {
    holds: bool,
    advances: bool,
    progress: f64,
    detail: String,
}

impl StepVerdict {
    pub fn new(verdict: steps::StepVerdict, progress: f64) -> Self {
        Self { holds: verdict.holds, advances: verdict.advances, progress, detail: verdict.detail }
    }
}

#[pymethods]
impl StepVerdict {
    fn __repr__(&self) -> String {
        let claim = |value| if value { "True" } else { "False" };
        format!(
            "StepVerdict(holds={}, advances={}, progress={:?}, detail={:?})",
            claim(self.holds),
            claim(self.advances),
            self.progress,
            self.detail
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        reduced::<Self>(py, &(self.holds, self.advances, self.progress, &self.detail))
    }

    #[classmethod]
    fn _from_json(_class: &Bound<'_, PyType>, json: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (holds, advances, progress, detail) = restored(&text("json", json)?)?;
        Ok(Self { holds, advances, progress, detail })
    }
}
