//! Families as Python holds them.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use reasonenv::families;
use reasonenv::task::answer::Reading;
use reasonenv::task::certificate::Certificate as Certified;
use reasonenv::task::erased::{self, FAMILIES};
use reasonenv::task::item;
use reasonenv::task::source as core_source;
use reasonenv::task::split::Split;
use serde_json::Value;

use crate::args::{Text, Whole};
use crate::batches::Batch;
use crate::errors::{InvalidArgument, to_py};
use crate::gil::{caught, placed};
use crate::sources::Source;
use crate::tasks::Task;
use crate::text::{Reduced, fields, object};

/// A kind of task: its facts, its generator and its judge.
#[pyclass(frozen, generic, module = "reasonenv")]
pub struct Family(pub &'static erased::Family);

#[pymethods]
impl Family {
    /// Its name, which never changes.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// What it is about: arithmetic, logic, …
    #[getter]
    fn domain(&self) -> &'static str {
        self.0.about().domain
    }

    /// Grows by one whenever any item's bytes change.
    #[getter]
    fn version(&self) -> u32 {
        self.0.about().version()
    }

    /// What is asked, in one sentence.
    #[getter]
    fn summary(&self) -> &'static str {
        self.0.about().summary
    }

    /// The hardest level; level 0 is the easiest.
    #[getter]
    fn top_level(&self) -> u8 {
        self.0.top_level()
    }

    /// "exact", "normalized", "constraints", "optimum", "proof" or "execution".
    #[getter]
    fn judged_by(&self) -> &'static str {
        self.0.about().judged_by.name()
    }

    /// Modes of its environments: "solution", "step" and "token", and "moves" where its problems can be played.
    #[getter]
    fn modes(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        let source = self.source(Whole::ZERO, Whole::ZERO, None, Text::from("train"), None)?;
        let played = source.task(py, Whole::ZERO)?.0.play().map(|_| "moves");
        Ok(["solution", "step", "token"].into_iter().chain(played).collect())
    }

    /// The tag an answer stands in, unless a task says otherwise.
    #[getter]
    fn answer_tag(&self) -> &'static str {
        self.0.about().answer_tag
    }

    /// How answers are read unless another reading is asked for.
    #[getter]
    fn reading(&self) -> &'static str {
        self.0.about().reading.name()
    }

    /// The level from which on 95 % of its items are distinct; below it there are few instances.
    #[getter]
    fn distinct_from(&self) -> u8 {
        self.0.about().distinct_from
    }

    /// The most the best blind policy passes, over all levels.
    #[getter]
    fn guess_rate(&self) -> f64 {
        declared(self.0.about().guess_rate)
    }

    /// The most the best blind policy scores on average, over all levels.
    #[getter]
    fn guess_score(&self) -> f64 {
        declared(self.0.about().guess_score)
    }

    /// What it takes to solve it.
    #[getter]
    fn skills(&self) -> Vec<&'static str> {
        self.0.about().skills.to_vec()
    }

    /// What changed in each version, oldest first.
    #[getter]
    fn changes(&self) -> Vec<&'static str> {
        self.0.about().changes.to_vec()
    }

    /// Names of the wordings, held-out ones included.
    #[getter]
    fn templates(&self) -> Vec<&'static str> {
        self.0.templates().iter().map(|template| template.name).collect()
    }

    /// Wordings that never appear in the train split.
    #[getter]
    fn held_out_templates(&self) -> Vec<&'static str> {
        let templates = self.0.templates().iter();
        templates.filter(|template| template.held_out).map(|template| template.name).collect()
    }

    /// The family's own failure labels, each with what it means.
    #[getter]
    fn failures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let labels = PyDict::new(py);
        for (label, means) in self.0.about().failures {
            labels.set_item(label, means)?;
        }
        Ok(labels)
    }

    /// What else the judge measures, each with what it means.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parts = PyDict::new(py);
        for part in self.0.about().parts {
            parts.set_item(part.name, part.means)?;
        }
        Ok(parts)
    }

    /// JSON schema of the params: type, bounds, default, role and doc of each.
    #[getter]
    fn params_schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, self.0.schema())
    }

    /// The params of a level, every field of them.
    fn level_params<'py>(&self, py: Python<'py>, level: Whole) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Value::Object(self.0.level(level.level(self.0)?).map_err(to_py)?))
    }

    /// A source of items: a level's params, overridden by `params`, in one split under one seed.
    #[pyo3(
        signature = (*, seed=Whole::Number(0), level=Whole::Number(0), params=None, split=Text::from("train"), style=None),
        text_signature = "($self, *, seed=0, level=0, params=None, split='train', style=None)"
    )]
    fn source(
        &self,
        seed: Whole,
        level: Whole,
        params: Option<&Bound<'_, PyAny>>,
        split: Text,
        style: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Source> {
        let split = Split::find(split.read("split")?).map_err(to_py)?;
        let (params, style) = (fields("params", params)?, fields("style", style)?);
        let (level, seed) = (level.level(self.0)?, seed.word("seed")?);
        let source = caught(|| core_source::Source::new(self.0, level, &params, split, seed, &style))?;
        Ok(Source::new(source.map_err(to_py)?, style))
    }

    /// One item.
    #[pyo3(
        signature = (
            seed=Whole::Number(0), index=Whole::Number(0), *, level=Whole::Number(0), params=None, split=Text::from("train"),
            style=None
        ),
        text_signature = "($self, seed=0, index=0, *, level=0, params=None, split='train', style=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn sample(
        &self,
        py: Python<'_>,
        seed: Whole,
        index: Whole,
        level: Whole,
        params: Option<&Bound<'_, PyAny>>,
        split: Text,
        style: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Task> {
        self.source(seed, level, params, split, style)?.task(py, index)
    }

    /// The items `start .. start + count`, made in parallel without the GIL.
    #[pyo3(
        signature = (
            seed=Whole::Number(0), start=Whole::Number(0), count=Whole::Number(1), *, level=Whole::Number(0),
            params=None, split=Text::from("train"), style=None
        ),
        text_signature = "($self, seed=0, start=0, count=1, *, level=0, params=None, split='train', style=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn batch(
        &self,
        py: Python<'_>,
        seed: Whole,
        start: Whole,
        count: Whole,
        level: Whole,
        params: Option<&Bound<'_, PyAny>>,
        split: Text,
        style: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Batch> {
        self.source(seed, level, params, split, style)?.batch(py, start, count)
    }

    /// A task around a problem posed elsewhere; raises InvalidProblem naming the field at fault.
    ///
    /// With `certified` it also raises where the problem's claims are not proved.
    #[pyo3(signature = (problem, *, id=None, prompt=None, style=None, certified=false))]
    fn task(
        &self,
        py: Python<'_>,
        problem: Text,
        id: Option<Text>,
        prompt: Option<Text>,
        style: Option<&Bound<'_, PyAny>>,
        certified: bool,
    ) -> PyResult<Task> {
        let problem = problem.read("problem")?;
        let instance = placed(py, self.0.is_outside(), 1, |_| {
            let instance = self.0.read(problem)?;
            if certified {
                instance.certify()?;
            }
            Ok(instance)
        })?;
        let (id, prompt, style) = (text("id", id)?, text("prompt", prompt)?, fields("style", style)?);
        item::Task::pose(instance, id, prompt, &style).map(Task).map_err(to_py)
    }

    /// Proves a problem solvable, in bounds and, where it must be, unique; raises InvalidProblem otherwise.
    fn certify(&self, py: Python<'_>, problem: Text) -> PyResult<Certificate> {
        let problem = problem.read("problem")?;
        let certify = || self.0.read(problem)?.certify();
        placed(py, self.0.is_outside(), 1, |_| certify()).map(Certificate::from)
    }

    /// A certified task near `task`: `aim` is "harder", "easier" or "same".
    #[pyo3(
        signature = (task, aim=Text::from("harder"), *, seed=Whole::Number(0)),
        text_signature = "($self, task, aim='harder', *, seed=0)"
    )]
    fn mutate(&self, py: Python<'_>, task: &Task, aim: Text, seed: Whole) -> PyResult<Task> {
        if task.0.family.name() != self.name() {
            let (other, name) = (task.0.family.name(), self.name());
            let message = format!("`task` is of {other}, but must be of {name}");
            return Err(InvalidArgument::new_err(message));
        }
        task.mutate(py, aim, seed)
    }

    fn __repr__(&self) -> String {
        let about = self.0.about();
        format!("<Family {} v{}: {}>", about.name, about.version(), about.summary)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (&'static str,)> {
        Ok((py.import("reasonenv")?.getattr("family")?, (self.name(),)))
    }
}

/// Text that may be left out.
fn text(name: &str, given: Option<Text>) -> PyResult<Option<String>> {
    given.map(|text| text.read(name).map(str::to_owned)).transpose()
}

/// What `certify` proved.
#[pyclass(frozen, eq, get_all, module = "reasonenv.kit")]
#[derive(PartialEq)]
pub struct Certificate {
    /// Exactly one answer passes, up to the notation the prompt allows.
    unique: bool,
    /// How it was shown, in words.
    proof: String,
}

impl From<Certified> for Certificate {
    fn from(certificate: Certified) -> Self {
        Self { unique: certificate.unique, proof: certificate.proof }
    }
}

#[pymethods]
impl Certificate {
    #[new]
    fn unpickle(unique: bool, proof: String) -> Self {
        Self { unique, proof }
    }

    fn __repr__(&self) -> String {
        let unique = if self.unique { "True" } else { "False" };
        format!("Certificate(unique={unique}, proof={:?})", self.proof)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (bool, String)) {
        (py.get_type::<Self>().into_any(), (self.unique, self.proof.clone()))
    }
}

/// A share as it was written: 0.04 rather than the nearest number of 32 bits with all its digits.
pub fn declared(share: f32) -> f64 {
    share.to_string().parse().expect("a number is read as it is written")
}

/// Names of all task families, those that were registered too, alphabetical.
#[pyfunction]
pub fn list_families() -> Vec<&'static str> {
    families::all();
    FAMILIES.known().into_iter().map(erased::Family::name).collect()
}

/// A task family by name; raises UnknownFamily suggesting the nearest.
#[pyfunction]
pub fn family(name: Text) -> PyResult<Family> {
    families::find(name.read("name")?).map(Family).map_err(to_py)
}

/// Names of the ways to read an answer out of a completion.
#[pyfunction]
pub fn list_readings() -> Vec<&'static str> {
    Reading::ALL.map(Reading::name).to_vec()
}

/// The failure labels any family may give, each with what it means.
#[pyfunction]
pub fn common_failures(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let labels = PyDict::new(py);
    for (label, means) in reasonenv::task::verdict::label::COMMON {
        labels.set_item(label, means)?;
    }
    Ok(labels)
}
