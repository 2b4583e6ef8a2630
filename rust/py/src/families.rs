//! Python class of task families.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use reasonenv::families;
use reasonenv::task::answer::Reading;
use reasonenv::task::certificate::Certificate as Certified;
use reasonenv::task::erased::{self, FAMILIES};
use reasonenv::task::item;
use reasonenv::task::source as core_source;
use reasonenv::task::split::Split;
use serde_json::Value;

use crate::args::{Text, Whole, shown};
use crate::batches::Batch;
use crate::errors::{InvalidArgument, to_py};
use crate::gil::{caught, placed};
use crate::proofs::asks_for_proof;
use crate::sources::Source;
use crate::tasks::Task;
use crate::text::{Reduced, fields, object};

/// Tasks from which the kinds of hints of a family are known.
const HINTED: i128 = 4;

/// A task family: its facts, its generator and its verifier.
#[pyclass(frozen, generic, module = "reasonenv")]
pub struct Family(pub &'static erased::Family);

#[pymethods]
impl Family {
    /// Name, which never changes.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.name()
    }

    /// Domain: arithmetic, logic, …
    #[getter]
    fn domain(&self) -> &'static str {
        self.0.about().domain
    }

    /// Version; incremented whenever the bytes of any task change.
    #[getter]
    fn version(&self) -> u32 {
        self.0.about().version()
    }

    /// One-sentence summary of the problems.
    #[getter]
    fn summary(&self) -> &'static str {
        self.0.about().summary
    }

    /// Hardest level; level 0 is the easiest.
    #[getter]
    fn top_level(&self) -> u8 {
        self.0.top_level()
    }

    /// Kind of verification: "exact", "normalized", "constraints", "optimum", "proof" or "execution".
    #[getter]
    fn judged_by(&self) -> &'static str {
        self.0.about().judged_by.name()
    }

    /// Modes of its environments: "solution", "step", "token", "tools", "moves" and "dialogue" if its problems can
    /// be played, and "proof" if its answers are proofs.
    #[getter]
    fn modes(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        let source = self.source(Whole::ZERO, Whole::ZERO, None, Text::from("train"), None)?;
        let task = source.task(py, Whole::ZERO)?.0;
        let played = if task.play().is_ok() { &["moves", "dialogue"][..] } else { &[] };
        let proved = asks_for_proof(&task.problem.json()).then_some("proof");
        Ok(["solution", "step", "token", "tools"]
            .into_iter()
            .chain(played.iter().copied())
            .chain(proved)
            .collect())
    }

    /// Kinds of hints that its environments can give: "checklist", "steps" if its solutions have steps,
    /// "abstract" if its tasks have `hints`, and "another" if it draws other right answers. Steps that
    /// spell out the answer bit by bit, as verdicts on the steps or answers of another problem do, are none.
    #[getter]
    fn hint_kinds(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        let source = self.source(Whole::ZERO, Whole::ZERO, None, Text::from("train"), None)?;
        let about = self.0.about();
        let tells = about.derived && !about.answered_as_inner;
        let (mut steps, mut hints, mut another) = (false, false, false);
        for index in 0..HINTED {
            let task = source.task(py, Whole::Number(index))?.0;
            steps |= !tells && !caught(|| task.problem.solution())?.steps.is_empty();
            hints |= !caught(|| task.problem.hints())?.is_empty();
            another |= caught(|| task.solutions(2, 0))?.len() > 1;
        }
        let kinds = [("steps", steps), ("abstract", hints), ("checklist", true), ("another", another)];
        Ok(kinds.into_iter().filter(|(_, has)| *has).map(|(kind, _)| kind).collect())
    }

    /// Tag that encloses an answer, unless a task says otherwise.
    #[getter]
    fn answer_tag(&self) -> &'static str {
        self.0.about().answer_tag
    }

    /// Default reading of answers.
    #[getter]
    fn reading(&self) -> &'static str {
        self.0.about().reading.name()
    }

    /// Lowest level from which 95 % of the tasks are distinct; below it there are few problems.
    #[getter]
    fn distinct_from(&self) -> u8 {
        self.0.about().distinct_from
    }

    /// Upper bound on the pass rate of the best blind policy, over all levels.
    #[getter]
    fn guess_rate(&self) -> f64 {
        declared(self.0.about().guess_rate)
    }

    /// Upper bound on the mean score of the best blind policy, over all levels.
    #[getter]
    fn guess_score(&self) -> f64 {
        declared(self.0.about().guess_score)
    }

    /// Skills that its problems need.
    #[getter]
    fn skills(&self) -> Vec<&'static str> {
        self.0.about().skills.to_vec()
    }

    /// Change made by each version, oldest first.
    #[getter]
    fn changes(&self) -> Vec<&'static str> {
        self.0.about().changes.to_vec()
    }

    /// Names of the templates, including held-out ones.
    #[getter]
    fn templates(&self) -> Vec<&'static str> {
        self.0.templates().iter().map(|template| template.name).collect()
    }

    /// Names of the templates that never appear in the train split.
    #[getter]
    fn held_out_templates(&self) -> Vec<&'static str> {
        let templates = self.0.templates().iter();
        templates.filter(|template| template.held_out).map(|template| template.name).collect()
    }

    /// The family's own failure labels and their meanings.
    #[getter]
    fn failures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let labels = PyDict::new(py);
        for (label, means) in self.0.about().failures {
            labels.set_item(label, means)?;
        }
        Ok(labels)
    }

    /// Other measures of the verifier and their meanings.
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

    /// Return all params of a level.
    fn level_params<'py>(&self, py: Python<'py>, level: Whole) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Value::Object(self.0.level(level.level(self.0)?).map_err(to_py)?))
    }

    /// Return a source of tasks: a level's params, overridden by `params`, in one split under one seed.
    ///
    /// With `params`, restrictions that only some levels have, such as `plain` of `chain_sum`, are lifted unless
    /// given too.
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

    /// Generate one task: number `index` under a seed. `batch` generates several.
    #[pyo3(
        signature = (
            *positional, seed=Whole::Number(0), index=Whole::Number(0), level=Whole::Number(0), params=None,
            split=Text::from("train"), style=None
        ),
        text_signature = "($self, *, seed=0, index=0, level=0, params=None, split='train', style=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn sample(
        &self,
        py: Python<'_>,
        positional: &Bound<'_, PyTuple>,
        seed: Whole,
        index: Whole,
        level: Whole,
        params: Option<&Bound<'_, PyAny>>,
        split: Text,
        style: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Task> {
        if let Ok(first) = positional.get_item(0) {
            let first = shown(&first);
            return Err(InvalidArgument::new_err(format!(
                "`sample` takes keywords: seed={first} for the seed; `batch(count={first})` for several tasks"
            )));
        }
        self.source(seed, level, params, split, style)?.task(py, index)
    }

    /// Generate the tasks `start .. start + count` in parallel without the GIL.
    #[pyo3(
        signature = (
            *positional, seed=Whole::Number(0), start=Whole::Number(0), count=Whole::Number(1),
            level=Whole::Number(0), params=None, split=Text::from("train"), style=None
        ),
        text_signature = "($self, *, seed=0, start=0, count=1, level=0, params=None, split='train', style=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn batch(
        &self,
        py: Python<'_>,
        positional: &Bound<'_, PyTuple>,
        seed: Whole,
        start: Whole,
        count: Whole,
        level: Whole,
        params: Option<&Bound<'_, PyAny>>,
        split: Text,
        style: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Batch> {
        if let Ok(first) = positional.get_item(0) {
            let first = shown(&first);
            return Err(InvalidArgument::new_err(format!(
                "`batch` takes keywords: count={first} for the number of tasks, seed={first} for the seed"
            )));
        }
        self.source(seed, level, params, split, style)?.batch(py, start, count)
    }

    /// Return a task of a problem that comes from elsewhere; raises InvalidProblem naming the field at fault.
    ///
    /// With `certified`, also raises if the problem's claims cannot be proved.
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

    /// Prove that a problem is solvable, in bounds and, where it must be, unique; raises InvalidProblem otherwise.
    fn certify(&self, py: Python<'_>, problem: Text) -> PyResult<Certificate> {
        let problem = problem.read("problem")?;
        let certify = || self.0.read(problem)?.certify();
        placed(py, self.0.is_outside(), 1, |_| certify()).map(Certificate::from)
    }

    /// Return a certified task near `task`: `aim` is "harder", "easier" or "same".
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

/// Read text that may be left out.
fn text(name: &str, given: Option<Text>) -> PyResult<Option<String>> {
    given.map(|text| text.read(name).map(str::to_owned)).transpose()
}

/// Certificate of a problem: what `certify` proved.
#[pyclass(frozen, eq, get_all, module = "reasonenv.kit")]
#[derive(PartialEq)]
pub struct Certificate {
    /// Exactly one answer passes, up to the notation that the prompt allows.
    unique: bool,
    /// Proof, in words.
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

/// Return a share in its shortest decimal form: 0.04 rather than all digits of the nearest number of 32 bits.
pub fn declared(share: f32) -> f64 {
    share.to_string().parse().expect("a number is read as it is written")
}

/// Return the names of all task families, including registered ones, in alphabetical order.
#[pyfunction]
pub fn list_families() -> Vec<&'static str> {
    families::all();
    FAMILIES.known().into_iter().map(erased::Family::name).collect()
}

/// Return a task family by name; raises UnknownFamily with the nearest name.
#[pyfunction]
pub fn family(name: Text) -> PyResult<Family> {
    families::find(name.read("name")?).map(Family).map_err(to_py)
}

/// Return the names of the readings.
#[pyfunction]
pub fn list_readings() -> Vec<&'static str> {
    Reading::ALL.map(Reading::name).to_vec()
}

/// Return the failure labels that any family may use, and their meanings.
#[pyfunction]
pub fn common_failures(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let labels = PyDict::new(py);
    for (label, means) in reasonenv::task::verdict::label::COMMON {
        labels.set_item(label, means)?;
    }
    Ok(labels)
}
