//! Verifiers of your own rows.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};

use numpy::PyArray1;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use pyo3::{PyTraverseError, PyVisit};
use reasonenv::budget::Budget;
use reasonenv::error::quoted;
use reasonenv::shared::tree_text;
use reasonenv::task::about::Budgets;
use reasonenv::task::answer::{self, Reading};
use reasonenv::task::batch::for_all;
use reasonenv::task::verdict::{Verdict, interned};
use reasonenv::verifiers::combine::Combination;
use reasonenv::verifiers::{self, References};
use serde_json::Value;

use crate::errors::{InvalidArgument, to_py};
use crate::gil::detached;
use crate::text::{Texts, completion, fields, is_unicode, kind, object, stop_tokens, text};
use crate::verdicts::Verdicts;

/// Verifier of completions against reference answers, in parallel without the GIL.
///
/// `name` is one of `list_verifiers()`. The options `tag`, `extract`, `reading` and `stop_tokens` are common to all;
/// the others are the verifier's own. `normalize` may be a function: it receives each answer that was read and each
/// reference answer without outer white space, and its results are compared; it runs in Python, row by row. Raises
/// InvalidParams for a bad option.
#[pyclass(frozen, subclass, module = "reasonenv.verifiers")]
pub struct Verifier {
    verifier: verifiers::Verifier,
    normalize: Option<Py<PyAny>>,
}

#[pymethods]
impl Verifier {
    #[new]
    #[pyo3(signature = (name, **options))]
    fn new(name: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let name = text("name", name)?;
        let options = options.map(PyDictMethods::copy).transpose()?;
        let mut normalize = None;
        if let Some(options) = &options
            && let Some(function) = options.get_item("normalize")?.filter(Bound::is_callable)
        {
            normalize = Some(function.unbind());
            // A verifier that does not normalize still rejects the option.
            options.set_item("normalize", "none")?;
        }
        let verifier =
            verifiers::Verifier::new(&name, &fields("options", options.as_ref().map(Bound::as_any))?)
                .map_err(to_py)?;
        Ok(Self { verifier, normalize })
    }

    /// Name, one of `list_verifiers()`.
    #[getter]
    fn name(&self) -> &'static str {
        self.verifier.about.name
    }

    /// One-line summary of what passes.
    #[getter]
    fn summary(&self) -> &'static str {
        self.verifier.about.summary
    }

    /// All options, including defaults.
    #[getter]
    fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let options = object(py, &Value::Object(self.verifier.options()))?;
        if let Some(function) = &self.normalize {
            options.set_item("normalize", function)?;
        }
        Ok(options)
    }

    /// Example row under the default options: its `reference`, a `right` answer and a `wrong` one.
    #[getter]
    fn example<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let example = self.verifier.about.example;
        let row = PyDict::new(py);
        row.set_item("reference", example.reference)?;
        row.set_item("right", example.right)?;
        row.set_item("wrong", example.wrong)?;
        Ok(row)
    }

    /// Return the rows with an invalid reference answer, each with the message that a call would raise.
    fn check(&self, py: Python<'_>, references: &Bound<'_, PyAny>) -> PyResult<Vec<(usize, String)>> {
        let (references, ends) = Texts::nested("references", references)?;
        let references = references.read();
        let rows = rows_of(&references, ends.as_deref());
        let bad = detached(py, rows.rows(), |stop| self.verifier.check(rows, stop))?;
        Ok(bad.into_iter().map(|(row, error)| (row, error.to_string())).collect())
    }

    /// Verify one completion per reference answer, in order. Any completion gets a verdict.
    ///
    /// A text may be a list of chat messages, of which the last one counts that is not a tool's; content that is None is
    /// no text, and of content in parts the text counts. A reference answer that is a number or other plain data counts
    /// as its JSON, and a list or an array as accepted answers, of which the best match counts. Raises
    /// InvalidArgument unless there are as many references as texts, and InvalidReference for the first invalid reference
    /// answer.
    fn __call__(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        references: &Bound<'_, PyAny>,
    ) -> PyResult<Verdicts> {
        let (texts, (references, ends)) =
            (Texts::completions("texts", texts)?, Texts::nested("references", references)?);
        check_paired(texts.len(), ends.as_ref().map_or(references.len(), Vec::len))?;
        let (texts, references) = (texts.read(), references.read());
        let references = rows_of(&references, ends.as_deref());
        let rows = if let Some(function) = &self.normalize {
            let rows = texts.iter().enumerate();
            rows.map(|(row, text)| self.normalized(function.bind(py), row, text, references))
                .collect::<PyResult<_>>()?
        } else {
            detached(py, texts.len(), |stop| self.verifier.judge_rows(&texts, references, stop))?
        };
        Ok(Verdicts::new(rows, &texts))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let options = self.options(py)?.cast_into::<PyDict>()?;
        let options = options.iter().map(|(name, value)| Ok(format!("{name}={}", value.repr()?)));
        let options: Vec<String> = options.collect::<PyResult<_>>()?;
        Ok(format!("Verifier('{}', {})", self.name(), options.join(", ")))
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((&'static str,), Bound<'py, PyAny>)> {
        Ok(((self.name(),), self.options(py)?))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let other = other.get();
        let same = match (&self.normalize, &other.normalize) {
            (Some(one), Some(other)) => one.bind(py).eq(other)?,
            (one, other) => one.is_none() && other.is_none(),
        };
        Ok(same && self.name() == other.name() && self.verifier.options() == other.verifier.options())
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.name(), Value::Object(self.verifier.options()).to_string()).hash(&mut hasher);
        hasher.finish()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.normalize)
    }
}

impl Verifier {
    /// Verify a row by the results of `function` for its answer and its reference answers.
    fn normalized(
        &self,
        function: &Bound<'_, PyAny>,
        row: usize,
        text: &str,
        references: References<'_, Cow<'_, str>>,
    ) -> PyResult<Verdict> {
        let reply = self.verifier.read(text);
        let readable = self.verifier.answer(&reply).filter(|_| reply.faults.is_empty());
        let in_text = format!("the answer in `texts[{row}]`");
        let answer = readable.map(|answer| normalize(function, &in_text, &answer)).transpose()?;
        let mut verdicts = Vec::new();
        for (at, reference) in references.of_row(row) {
            let normal = normalize(function, &references.place(at).1, reference.trim())?;
            let verdict = self.verifier.judge_as(&reply, answer.as_deref(), &normal);
            verdicts.push(verdict.map_err(|must| to_py(self.verifier.bad_reference(references, at, &must)))?);
        }
        Ok(verifiers::best(&mut verdicts.into_iter()))
    }
}

/// Return one reference answer for each row, or the accepted answers of each.
fn rows_of<'t>(references: &'t [Cow<'t, str>], ends: Option<&'t [usize]>) -> References<'t, Cow<'t, str>> {
    ends.map_or_else(|| References::one_each(references), |ends| References::accepted(references, ends))
}

/// Call the caller's function on a text; raises `InvalidArgument` unless it returns text.
fn normalize(function: &Bound<'_, PyAny>, what: &str, given: &str) -> PyResult<String> {
    let py = function.py();
    let returned = function.call1((given,)).map_err(|error| {
        // Ctrl-C and the like are not failures of the function.
        if !error.is_instance_of::<PyException>(py) {
            return error;
        }
        let raised = InvalidArgument::new_err(format!("`normalize` raised for {what}: {error}"));
        raised.set_cause(py, Some(error));
        raised
    })?;
    let refuse = |what_came: &str| {
        let message = format!("`normalize` returned {what_came} for {what}, but must return Unicode text");
        InvalidArgument::new_err(message)
    };
    let text = returned.cast::<PyString>().map_err(|_| refuse(&kind(&returned)))?;
    if is_unicode(text) { Ok(text.to_string_lossy().into_owned()) } else { Err(refuse("a lone surrogate")) }
}

/// Return the names of all verifiers.
#[pyfunction]
pub fn list_verifiers() -> Vec<&'static str> {
    verifiers::KINDS.iter().map(|kind| kind.about.name).collect()
}

/// Combine the verdicts of several verifiers of the same rows.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 takes its arguments by value")]
pub fn _combine(
    combination: &str,
    verdicts: Vec<PyRef<'_, Verdicts>>,
    names: Vec<String>,
    weights: Vec<f32>,
) -> PyResult<Verdicts> {
    let combination = Combination::find(combination).map_err(to_py)?;
    let judges: Vec<&Verdicts> = verdicts.iter().map(|verdicts| &**verdicts).collect();
    let names = names.iter().map(|name| interned(name)).collect::<Result<Vec<_>, _>>();
    let names = names.map_err(|why| InvalidArgument::new_err(format!("`names` has {why}")))?;
    Ok(Verdicts::combined(&judges, |row| combination.verdict(row, &names, &weights)))
}

/// Return SYNTHETIC-2's reward for drawings of trees: float64 array, shape (n,), bit-equal to its Python original.
///
/// Reads the first tag block of each text. A row whose comparison takes too many steps gets 0.
#[pyfunction]
#[pyo3(
    signature = (texts, references, *, tag=Tag::new("ascii_formatted")),
    text_signature = "(texts, references, *, tag='ascii_formatted')"
)]
pub fn tree_compat<'py>(
    py: Python<'py>,
    texts: &Bound<'py, PyAny>,
    references: &Bound<'py, PyAny>,
    tag: Tag,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (texts, references) = paired(texts, references)?;
    let (texts, references) = (texts.read(), references.read_exactly("references")?);
    let rewards = detached(py, texts.len(), |stop| {
        for_all(texts.len(), stop, |i| {
            let mut budget = Budget::new(Budgets::USUAL.judge);
            tree_text::compat(&texts[i], &references[i], &tag.0, &mut budget).unwrap_or(0.0)
        })
    })?;
    Ok(PyArray1::from_vec(py, rewards))
}

/// Read as many texts as references.
fn paired<'py>(
    texts: &Bound<'py, PyAny>,
    references: &Bound<'py, PyAny>,
) -> PyResult<(Texts<'py>, Texts<'py>)> {
    let (texts, references) = (Texts::new("texts", texts)?, Texts::new("references", references)?);
    check_paired(texts.len(), references.len())?;
    Ok((texts, references))
}

fn check_paired(texts: usize, references: usize) -> PyResult<()> {
    if texts == references {
        return Ok(());
    }
    Err(InvalidArgument::new_err(format!("{texts} `texts` for {references} `references`; give one for each")))
}

/// Return the answer in each completion under a reading, or None if the reading finds a fault.
#[pyfunction]
#[pyo3(
    signature = (texts, *, tag=Tag::new("answer"), reading=ReadingName(Reading::Strict), stop_tokens=None),
    text_signature = "(texts, *, tag='answer', reading='strict', stop_tokens=None)"
)]
pub fn read_answers(
    texts: &Bound<'_, PyAny>,
    tag: Tag,
    reading: ReadingName,
    stop_tokens: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Option<String>>> {
    let stop_tokens = self::stop_tokens(stop_tokens)?;
    let texts = Texts::new("texts", texts)?;
    let answer = |text: &str| {
        let reply = answer::read(stop_tokens.strip(text, Some(&tag.0)), &tag.0, reading.0);
        reply.answer.filter(|_| reply.faults.is_empty()).map(str::to_owned)
    };
    Ok(texts.read().iter().map(|text| answer(text)).collect())
}

/// Return the text of a completion, which may be chat messages; raises `InvalidArgument` naming its place.
#[pyfunction]
pub fn _completion(place: &str, given: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(completion(&place, given)?.to_string_lossy().into_owned())
}

/// Return the text outside reasoning, however the model marked that.
#[pyfunction]
pub fn _without_reasoning(text: &Bound<'_, PyString>) -> String {
    answer::without_reasoning(&text.to_string_lossy())
}

/// The argument `tag`: name of a tag that encloses an answer.
pub struct Tag(String);

impl Tag {
    fn new(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl FromPyObject<'_, '_> for Tag {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let tag = text("tag", &given)?;
        if verifiers::is_tag(&tag) {
            return Ok(Self(tag));
        }
        let must = "but must be a name without brackets, like \"answer\"";
        Err(InvalidArgument::new_err(format!("`tag` is `{}`, {must}", quoted(&tag))))
    }
}

/// The argument `reading`.
pub struct ReadingName(Reading);

impl FromPyObject<'_, '_> for ReadingName {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Reading::find(&text("reading", &given)?).map(Self).map_err(to_py)
    }
}
