//! Judges over a caller's own rows.

use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use reasonenv::budget::Budget;
use reasonenv::error::unknown;
use reasonenv::shared::tree_text;
use reasonenv::task::about::Budgets;
use reasonenv::task::answer::Reading;
use reasonenv::task::batch::for_all;
use reasonenv::verifiers::{self, Measure};

use crate::errors::to_py;
use crate::gil::detached;
use crate::text::Texts;
use crate::verdicts::Verdicts;

const MEASURES: [&str; 9] = [
    "exact",
    "json",
    "number",
    "difflib_ratio",
    "lcs_ratio",
    "edit_ratio",
    "tree_strict",
    "tree_compat",
    "tree_structural",
];

/// Judges completions against truths, in parallel without the GIL; `reasonenv.verifiers` names its forms.
#[pyclass(frozen, module = "reasonenv")]
pub struct RowJudge(verifiers::RowJudge);

#[pymethods]
impl RowJudge {
    #[new]
    #[pyo3(signature = (measure, *, tag=None, policy="strict", ignore_case=false, ignore_spacing=false, tolerance=0.0))]
    fn new(
        measure: &str,
        tag: Option<String>,
        policy: &str,
        ignore_case: bool,
        ignore_spacing: bool,
        tolerance: f64,
    ) -> PyResult<Self> {
        let named = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
        if let Some(tag) = tag.as_ref().filter(|tag| tag.is_empty() || !tag.chars().all(named)) {
            let message = format!("`tag` is {tag:?}, but must be a name without brackets, like \"answer\"");
            return Err(PyValueError::new_err(message));
        }
        if !(tolerance >= 0.0 && tolerance.is_finite()) {
            return Err(PyValueError::new_err(format!("`tolerance` is {tolerance}, but must be 0 or more")));
        }
        let measure = match measure {
            "exact" => Measure::Exact { ignore_case, ignore_spacing },
            "json" => Measure::Json,
            "number" => Measure::Number { tolerance },
            "difflib_ratio" => Measure::DifflibRatio,
            "lcs_ratio" => Measure::LcsRatio,
            "edit_ratio" => Measure::EditRatio,
            "tree_strict" => Measure::TreeStrict,
            "tree_compat" => Measure::TreeCompat,
            "tree_structural" => Measure::TreeStructural,
            other => return Err(to_py(unknown("measure", other, &MEASURES))),
        };
        let reading = Reading::find(policy).map_err(to_py)?;
        Ok(Self(verifiers::RowJudge { tag, reading, measure }))
    }

    fn __call__(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        truths: &Bound<'_, PyAny>,
    ) -> PyResult<Verdicts> {
        let (texts, truths) = paired(texts, truths)?;
        let verdicts = {
            let (texts, truths) = (texts.read(), truths.read());
            detached(py, texts.len(), |stop| {
                for_all(texts.len(), stop, |i| self.0.judge(&texts[i], &truths[i]))
            })?
        };
        Ok(Verdicts::new(verdicts, texts.into_owned()))
    }

    fn __repr__(&self) -> String {
        format!("<RowJudge {:?}>", self.0.measure)
    }
}

/// SYNTHETIC-2's reward of drawings of trees: float64 array, shape (n,), bit-equal with its Python original.
///
/// It reads the first tag block of each text. A row whose comparison takes too many steps is worth 0.
#[pyfunction]
#[pyo3(signature = (texts, truths, *, tag="ascii_formatted"))]
pub fn tree_compat<'py>(
    py: Python<'py>,
    texts: &Bound<'py, PyAny>,
    truths: &Bound<'py, PyAny>,
    tag: &str,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (texts, truths) = paired(texts, truths)?;
    let (texts, truths) = (texts.read(), truths.read());
    let rewards = detached(py, texts.len(), |stop| {
        for_all(texts.len(), stop, |i| {
            let mut budget = Budget::new(Budgets::USUAL.judge);
            tree_text::compat(&texts[i], &truths[i], tag, &mut budget).unwrap_or(0.0)
        })
    })?;
    Ok(PyArray1::from_vec(py, rewards))
}

/// As many texts as truths.
fn paired<'py>(texts: &Bound<'py, PyAny>, truths: &Bound<'py, PyAny>) -> PyResult<(Texts<'py>, Texts<'py>)> {
    let (texts, truths) = (Texts::new("texts", texts)?, Texts::new("truths", truths)?);
    if texts.len() == truths.len() {
        return Ok((texts, truths));
    }
    let (texts, truths) = (texts.len(), truths.len());
    Err(PyValueError::new_err(format!("{texts} texts for {truths} truths; give one for each")))
}

/// The answer in each completion as a policy reads it, or None where the policy finds a fault.
#[pyfunction]
#[pyo3(signature = (texts, *, tag="answer", policy="strict"))]
pub fn read_answers(texts: &Bound<'_, PyAny>, tag: &str, policy: &str) -> PyResult<Vec<Option<String>>> {
    let reading = Reading::find(policy).map_err(to_py)?;
    let texts = Texts::new("texts", texts)?;
    let answer = |text: &str| {
        let reply = reasonenv::task::answer::read(text, tag, reading);
        reply.answer.filter(|_| reply.faults.is_empty()).map(str::to_owned)
    };
    Ok(texts.read().iter().map(|text| answer(text)).collect())
}
