//! Families, sources, tasks and batches as Python holds them.

use std::sync::Arc;

use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use reasonenv::error::Error;
use reasonenv::families;
use reasonenv::task::answer::Reading;
use reasonenv::task::family::{Aim, Certificate as Certified, Family as AnyFamily};
use reasonenv::task::item::{self as task, Recipe};
use reasonenv::task::split::Split;
use serde_json::{Map, Value, json};

use crate::door::detached;
use crate::errors::{InvalidArgument, InvalidParams, to_py};
use crate::play::Play;
use crate::text::{Reduced, Texts, fields, object, stop_tokens, word};
use crate::verdicts::{Row, StepVerdict, Verdict, Verdicts, item};

/// A level of a family.
fn level(family: &dyn AnyFamily, given: i128) -> PyResult<u8> {
    let about = family.about();
    u8::try_from(given).ok().filter(|level| *level <= about.top_level).ok_or_else(|| {
        let (name, most) = (about.name, about.top_level);
        InvalidParams::new_err(format!("{name}: `level` is {given}, but must be between 0 and {most}"))
    })
}

fn reading(policy: Option<&str>) -> PyResult<Option<Reading>> {
    policy.map(Reading::find).transpose().map_err(to_py)
}

/// A kind of task: its facts, its generator and its judge.
#[pyclass(frozen, module = "reasonenv")]
pub struct Family(pub &'static dyn AnyFamily);

#[pymethods]
impl Family {
    #[getter]
    fn name(&self) -> &'static str {
        self.0.about().name
    }

    #[getter]
    fn domain(&self) -> &'static str {
        self.0.about().domain
    }

    /// Grows by one whenever any item's bytes change.
    #[getter]
    fn version(&self) -> u32 {
        self.0.about().version()
    }

    #[getter]
    fn summary(&self) -> &'static str {
        self.0.about().summary
    }

    /// The hardest level; level 0 is the easiest.
    #[getter]
    fn top_level(&self) -> u8 {
        self.0.about().top_level
    }

    /// "exact", "normalized", "constraints" or "optimum".
    #[getter]
    fn judged_by(&self) -> &'static str {
        self.0.about().judged_by.name()
    }

    /// The tag an answer stands in.
    #[getter]
    fn answer_tag(&self) -> &'static str {
        self.0.about().answer_tag
    }

    /// The reading policy used unless another is asked for.
    #[getter]
    fn reading(&self) -> &'static str {
        self.0.about().reading.name()
    }

    /// The most the best blind policy passes, over all levels.
    #[getter]
    fn guess_rate(&self) -> f32 {
        self.0.about().guess_rate
    }

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
        self.0.about().templates.iter().map(|template| template.name).collect()
    }

    /// Wordings that never appear in the train split.
    #[getter]
    fn held_out_templates(&self) -> Vec<&'static str> {
        let templates = self.0.about().templates.iter();
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
        object(py, families::schema(self.name()))
    }

    /// The params of a level, every field of them.
    fn level_params<'py>(&self, py: Python<'py>, level: i128) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Value::Object(self.0.level(self::level(self.0, level)?).map_err(to_py)?))
    }

    /// A source of items: a level's params, overridden by `params`, in one split under one seed.
    #[pyo3(signature = (*, seed=0, level=0, params=None, split="train", style=None))]
    fn source(
        &self,
        seed: i128,
        level: i128,
        params: Option<&Bound<'_, PyDict>>,
        split: &str,
        style: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Source> {
        let split = Split::find(split).map_err(to_py)?;
        let (params, style) = (fields(params)?, fields(style)?);
        let (level, seed) = (self::level(self.0, level)?, word("seed", seed)?);
        let recipe = Recipe::new(self.0, level, &params, split, seed, &style).map_err(to_py)?;
        Ok(Source { recipe, style })
    }

    /// One item.
    #[pyo3(signature = (seed=0, index=0, *, level=0, params=None, split="train", style=None))]
    fn sample(
        &self,
        seed: i128,
        index: i128,
        level: i128,
        params: Option<&Bound<'_, PyDict>>,
        split: &str,
        style: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Task> {
        self.source(seed, level, params, split, style)?.task(index)
    }

    /// The items `start .. start + count`, made in parallel without the GIL.
    #[pyo3(signature = (seed=0, start=0, count=1, *, level=0, params=None, split="train", style=None))]
    #[expect(clippy::too_many_arguments, reason = "Python's keywords")]
    fn batch(
        &self,
        py: Python<'_>,
        seed: i128,
        start: i128,
        count: usize,
        level: i128,
        params: Option<&Bound<'_, PyDict>>,
        split: &str,
        style: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Batch> {
        self.source(seed, level, params, split, style)?.batch(py, start, count)
    }

    /// A task around a problem posed elsewhere; raises InvalidProblem naming the field at fault.
    #[pyo3(signature = (problem, *, id=None, prompt=None, style=None))]
    fn task(
        &self,
        problem: &str,
        id: Option<String>,
        prompt: Option<String>,
        style: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Task> {
        let problem = self.0.read(problem).map_err(to_py)?;
        task::Task::pose(self.0, problem, id, prompt, &fields(style)?).map(Task).map_err(to_py)
    }

    /// Proves a problem solvable, in bounds and, where it must be, unique; raises InvalidProblem otherwise.
    fn certify(&self, py: Python<'_>, problem: &str) -> PyResult<Certificate> {
        detached(py, 1, |_| self.0.certify(&*self.0.read(problem)?)).map(Certificate::from)
    }

    /// A certified task near `task`: `aim` is "harder", "easier" or "same".
    #[pyo3(signature = (task, aim="harder", *, seed=0))]
    fn mutate(&self, py: Python<'_>, task: &Task, aim: &str, seed: i128) -> PyResult<Task> {
        if task.0.family.about().name != self.name() {
            let other = task.0.family.about().name;
            return Err(PyValueError::new_err(format!("a {other} task, but this is {}", self.name())));
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

/// What `certify` proved.
#[pyclass(frozen, get_all, module = "reasonenv")]
pub struct Certificate {
    /// Exactly one answer passes, up to the notation the prompt allows.
    unique: bool,
    proof: String,
}

impl From<Certified> for Certificate {
    fn from(certificate: Certified) -> Self {
        Self { unique: certificate.unique, proof: certificate.proof }
    }
}

#[pymethods]
impl Certificate {
    fn __repr__(&self) -> String {
        let unique = if self.unique { "True" } else { "False" };
        format!("Certificate(unique={unique}, proof={:?})", self.proof)
    }
}

/// An endless source of items: params, split, seed and style fixed, the index free.
#[pyclass(frozen, module = "reasonenv")]
pub struct Source {
    recipe: Recipe,
    style: Map<String, Value>,
}

#[pymethods]
impl Source {
    #[getter]
    fn family(&self) -> Family {
        Family(self.recipe.family)
    }

    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Value::Object(self.recipe.configured.fields.clone()))
    }

    #[getter]
    fn level(&self) -> Option<u8> {
        self.recipe.configured.level
    }

    #[getter]
    fn split(&self) -> &'static str {
        self.recipe.split.name()
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.recipe.seed
    }

    /// What was asked of the style; the rest is drawn.
    #[getter]
    fn style<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &Value::Object(self.style.clone()))
    }

    /// The item at `index`.
    fn task(&self, index: i128) -> PyResult<Task> {
        task::Task::draw(&self.recipe, word("index", index)?).map(Task).map_err(to_py)
    }

    /// The items `start .. start + count`.
    #[pyo3(signature = (start, count))]
    fn batch(&self, py: Python<'_>, start: i128, count: usize) -> PyResult<Batch> {
        let start = word("start", start)?;
        let end = start.checked_add(count as u64);
        let end = end.ok_or_else(|| {
            let message = format!("`start` is {start}, but must leave room for {count} indices below 2**64");
            InvalidParams::new_err(message)
        })?;
        self.tasks(py, (start..end).collect())
    }

    /// The items at any indices, in their order.
    fn tasks(&self, py: Python<'_>, indices: Vec<u64>) -> PyResult<Batch> {
        let batch = detached(py, indices.len(), |stop| task::Batch::generate(&self.recipe, &indices, stop))?;
        Ok(Batch { items: Arc::new(batch), indices, style: self.style.clone() })
    }

    fn __repr__(&self) -> String {
        let recipe = &self.recipe;
        let name = recipe.family.about().name;
        format!(
            "<Source {name} {} {} seed {}>",
            recipe.configured.canonical,
            recipe.split.name(),
            recipe.seed
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        let recipe = &self.recipe;
        let text = json!({
            "family": recipe.family.about().name,
            "params": recipe.configured.fields,
            "split": recipe.split.name(),
            "seed": recipe.seed,
            "style": self.style,
        });
        let rebuild = py.get_type::<Self>().getattr("_from_json")?;
        Ok((rebuild, (text.to_string(),)))
    }

    #[classmethod]
    fn _from_json(_class: &Bound<'_, PyType>, text: &str) -> PyResult<Self> {
        let invalid = |message: &str| to_py(Error::InvalidTask { message: message.to_owned() });
        let value: Value = serde_json::from_str(text).map_err(|error| invalid(&error.to_string()))?;
        let object = |name: &str| value[name].as_object().cloned().unwrap_or_default();
        let family = families::find(value["family"].as_str().unwrap_or_default()).map_err(to_py)?;
        let split = Split::find(value["split"].as_str().unwrap_or_default()).map_err(to_py)?;
        let seed = value["seed"].as_u64().ok_or_else(|| invalid("`seed` is missing"))?;
        let style = object("style");
        let recipe = Recipe::new(family, 0, &object("params"), split, seed, &style).map_err(to_py)?;
        Ok(Self { recipe, style })
    }
}

/// An answer and the true steps that lead to it.
#[pyclass(frozen, get_all, module = "reasonenv")]
pub struct Solution {
    steps: Vec<String>,
    answer: String,
}

#[pymethods]
impl Solution {
    fn __repr__(&self) -> String {
        format!("Solution(steps={:?}, answer={:?})", self.steps, self.answer)
    }
}

/// One item: a prompt, its solution, and a problem that carries its own judge.
#[pyclass(frozen, module = "reasonenv")]
pub struct Task(pub task::Task);

#[pymethods]
impl Task {
    /// `family/vN/split/seed/index-hash` for a generated item.
    #[getter]
    fn id(&self) -> &str {
        &self.0.identity.id
    }

    #[getter]
    fn family(&self) -> &'static str {
        self.0.family.about().name
    }

    #[getter]
    fn domain(&self) -> &'static str {
        self.0.family.about().domain
    }

    #[getter]
    fn version(&self) -> u32 {
        self.0.family.about().version()
    }

    #[getter]
    fn split(&self) -> Option<&'static str> {
        self.0.identity.split.map(Split::name)
    }

    #[getter]
    fn seed(&self) -> Option<u64> {
        self.0.identity.seed
    }

    #[getter]
    fn index(&self) -> Option<u64> {
        self.0.identity.index
    }

    /// The level whose params these are, or None.
    #[getter]
    fn level(&self) -> Option<u8> {
        self.0.identity.level
    }

    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &json!(self.0.identity.params))
    }

    #[getter]
    fn style<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.0.style.to_json(self.0.family.about()))
    }

    /// How hard this very instance is, in [0, 1].
    #[getter]
    fn difficulty(&self) -> f32 {
        self.0.problem.difficulty()
    }

    #[getter]
    fn prompt(&self) -> String {
        self.0.prompt()
    }

    #[getter]
    fn answer_tag(&self) -> &'static str {
        self.0.family.about().answer_tag
    }

    #[getter]
    fn solution(&self) -> Solution {
        let solution = self.0.problem.solution();
        Solution { steps: solution.steps, answer: solution.answer }
    }

    /// The problem as JSON: all that judging needs.
    #[getter]
    fn problem(&self) -> String {
        self.0.problem.json()
    }

    /// 128-bit fingerprint of the instance apart from its wording, as 32 hex digits.
    #[getter]
    fn key(&self) -> String {
        format!("{:032x}", self.0.fingerprint().key)
    }

    /// The answer as a well-formed completion.
    fn wrap(&self, answer: &str) -> String {
        self.0.wrap(answer)
    }

    /// Judges a completion. `policy` is "clean", "strict" or "lenient"; None is the family's own.
    ///
    /// `stop_tokens` are marks of the model's own at which its turn ends: at the end of the text they count as
    /// white space, as those of the common chat templates do.
    #[pyo3(signature = (text, policy=None, *, stop_tokens=None))]
    fn verify(
        &self,
        text: &Bound<'_, PyString>,
        policy: Option<&str>,
        stop_tokens: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Verdict> {
        let (policy, stop_tokens) = (reading(policy)?, self::stop_tokens(stop_tokens)?);
        let text = text.to_string_lossy();
        let about = self.0.family.about();
        let verdict = self.0.verify(stop_tokens.strip(&text, Some(about.answer_tag)), policy);
        Ok(Verdict::new(verdict, about.parts, &text))
    }

    /// Judges reasoning steps in order; raises Unsupported where the family does not check steps.
    fn verify_steps(&self, py: Python<'_>, steps: &Bound<'_, PyAny>) -> PyResult<Vec<StepVerdict>> {
        let steps = Texts::new("steps", steps)?;
        let steps = steps.read();
        let steps: Vec<&str> = steps.iter().map(AsRef::as_ref).collect();
        let verdicts = detached(py, steps.len(), |_| {
            self.0.verify_steps(&steps).ok_or_else(|| Error::Unsupported {
                family: self.family(),
                message: "does not check reasoning steps".into(),
            })
        })?;
        Ok(verdicts.into_iter().map(StepVerdict::from).collect())
    }

    /// A certified task near this one: `aim` is "harder", "easier" or "same".
    #[pyo3(signature = (aim="harder", *, seed=0))]
    fn mutate(&self, py: Python<'_>, aim: &str, seed: i128) -> PyResult<Self> {
        let aim = Aim::find(aim).map_err(to_py)?;
        let seed = word("seed", seed)?;
        detached(py, 1, |_| self.0.mutate(aim, seed)).map(Self)
    }

    /// Answers near the right one that must fail, each broken in another way.
    #[pyo3(signature = (*, seed=0))]
    fn wrong_answers(&self, seed: i128) -> PyResult<Vec<String>> {
        Ok(self.0.wrong_answers(word("seed", seed)?))
    }

    /// The problem as a one-player game; raises Unsupported where the family offers none.
    fn play(&self) -> PyResult<Play> {
        self.0.problem.play().map(Play).ok_or_else(|| {
            to_py(Error::Unsupported { family: self.family(), message: "cannot be played".into() })
        })
    }

    /// The task's record as one line of JSON; see docs/records.md.
    fn to_json(&self) -> String {
        self.0.to_json().to_string()
    }

    /// The task's record as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.0.to_json())
    }

    /// Reads what `to_json` wrote; raises InvalidTask or InvalidProblem naming the field at fault.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Self> {
        task::Task::from_json(text).map(Self).map_err(to_py)
    }

    fn __repr__(&self) -> String {
        format!("<Task {}>", self.id())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.to_json() == other.to_json()
    }

    fn __hash__(&self) -> u64 {
        self.0.fingerprint().key as u64
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        Ok((py.get_type::<Self>().getattr("from_json")?, (self.to_json(),)))
    }

    fn __copy__(&self) -> Self {
        Self(self.0.clone())
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        Self(self.0.clone())
    }
}

/// Items of one source, a `Sequence[Task]`: problems stay typed in Rust until one is asked for.
#[pyclass(frozen, sequence, module = "reasonenv")]
pub struct Batch {
    items: Arc<task::Batch>,
    indices: Vec<u64>,
    style: Map<String, Value>,
}

#[pymethods]
impl Batch {
    #[getter]
    fn source(&self) -> Source {
        Source { recipe: self.items.recipe.clone(), style: self.style.clone() }
    }

    /// The prompts, in order.
    #[getter]
    fn prompts(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        detached(py, self.items.len(), |_| Ok(self.items.prompts()))
    }

    /// The tasks' records, one line of JSON each, made in parallel without the GIL.
    fn to_jsonl(&self, py: Python<'_>) -> PyResult<String> {
        let records = detached(py, self.items.len(), |stop| self.items.records(stop))?;
        Ok(records.into_iter().map(|record| record + "\n").collect())
    }

    /// The ids, in order.
    #[getter]
    fn ids(&self) -> Vec<String> {
        (0..self.items.len()).map(|i| self.items.id(i)).collect()
    }

    /// float32 array in [0, 1], shape (n,): how hard each instance is.
    #[getter]
    fn difficulties<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        PyArray1::from_iter(py, (0..self.items.len()).map(|i| self.items.problem(i).difficulty()))
    }

    /// The answers of the solutions, in order.
    #[getter]
    fn answers(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        detached(py, self.items.len(), |stop| self.items.answers(stop))
    }

    /// Judges one completion per item, in order, in parallel without the GIL.
    ///
    /// Raises InvalidArgument unless there are as many texts as items, all of them str. `stop_tokens` are marks
    /// of the model's own at which its turn ends: at the end of a text they count as white space.
    #[pyo3(signature = (texts, policy=None, *, stop_tokens=None))]
    fn verify(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        policy: Option<&str>,
        stop_tokens: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Verdicts> {
        let (policy, stop_tokens) = (reading(policy)?, self::stop_tokens(stop_tokens)?);
        let texts = Texts::new("texts", texts)?;
        if texts.len() != self.items.len() {
            return Err(InvalidArgument::new_err(format!(
                "{} texts for {} items; give one for each",
                texts.len(),
                self.items.len()
            )));
        }
        let read = texts.read();
        let about = self.items.recipe.family.about();
        let read: Vec<&str> =
            read.iter().map(|text| stop_tokens.strip(text, Some(about.answer_tag))).collect();
        let rows = detached(py, read.len(), |stop| {
            let verdicts = self.items.verify(&read, policy, stop)?;
            Ok(verdicts.into_iter().zip(&read).map(|(verdict, text)| Row::new(verdict, text)).collect())
        })?;
        Ok(Verdicts::new(rows, about.parts))
    }

    fn __len__(&self) -> usize {
        self.items.len()
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        item(index, self.items.len(), |at| Task(self.items.task(at)))
    }

    fn __repr__(&self) -> String {
        let name = self.items.recipe.family.about().name;
        format!("<Batch of {} {name} tasks>", self.items.len())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (Source, Vec<u64>)> {
        let rebuild = py.get_type::<Self>().getattr("_from_source")?;
        Ok((rebuild, (self.source(), self.indices.clone())))
    }

    #[classmethod]
    fn _from_source(
        _class: &Bound<'_, PyType>,
        py: Python<'_>,
        source: &Source,
        indices: Vec<u64>,
    ) -> PyResult<Self> {
        source.tasks(py, indices)
    }
}

/// Judges a completion of a problem given as JSON: stateless, for a reward worker or a file.
#[pyfunction]
#[pyo3(signature = (family, problem, text, policy=None, *, stop_tokens=None))]
pub fn verify(
    family: &str,
    problem: &str,
    text: &Bound<'_, PyString>,
    policy: Option<&str>,
    stop_tokens: Option<&Bound<'_, PyAny>>,
) -> PyResult<Verdict> {
    let family = families::find(family).map_err(to_py)?;
    let problem = family.read(problem).map_err(to_py)?;
    let (policy, stop_tokens) = (reading(policy)?, self::stop_tokens(stop_tokens)?);
    let text = text.to_string_lossy();
    let about = family.about();
    let verdict = task::verify(family, &*problem, stop_tokens.strip(&text, Some(about.answer_tag)), policy);
    Ok(Verdict::new(verdict, about.parts, &text))
}

/// Judges many completions, each of its own problem and family, in parallel without the GIL.
///
/// `families`, `problems` (JSON) and `texts` have the same length. Raises InvalidProblem for the first bad problem.
#[pyfunction]
#[pyo3(signature = (families, problems, texts, policy=None, *, stop_tokens=None))]
pub fn verify_all(
    py: Python<'_>,
    families: &Bound<'_, PyAny>,
    problems: &Bound<'_, PyAny>,
    texts: &Bound<'_, PyAny>,
    policy: Option<&str>,
    stop_tokens: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Verdict>> {
    let (policy, stop_tokens) = (reading(policy)?, self::stop_tokens(stop_tokens)?);
    let columns = [("families", families), ("problems", problems), ("texts", texts)];
    let columns = columns.map(|(name, column)| Texts::new(name, column));
    let [names, problems, texts] = columns;
    let (names, problems, texts) = (names?, problems?, texts?);
    if names.len() != texts.len() || problems.len() != texts.len() {
        return Err(PyValueError::new_err(format!(
            "{} families, {} problems and {} texts; give as many of each",
            names.len(),
            problems.len(),
            texts.len()
        )));
    }
    let (names, problems, texts) = (names.read(), problems.read(), texts.read());
    detached(py, texts.len(), |stop| {
        let verdicts = task::judge_all(texts.len(), stop, |i| {
            let family = families::find(&names[i])?;
            let problem = family.read(&problems[i])?;
            let about = family.about();
            let text = stop_tokens.strip(&texts[i], Some(about.answer_tag));
            let verdict = task::verify(family, &*problem, text, policy);
            Ok(Verdict::new(verdict, about.parts, text))
        })?;
        verdicts.into_iter().collect()
    })
}

/// Judges one completion of each task, in parallel without the GIL; the tasks are of any families.
#[pyfunction]
#[pyo3(signature = (tasks, texts, policy=None, *, stop_tokens=None))]
pub fn verify_tasks(
    py: Python<'_>,
    tasks: Vec<Bound<'_, Task>>,
    texts: &Bound<'_, PyAny>,
    policy: Option<&str>,
    stop_tokens: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Verdict>> {
    let (policy, stop_tokens) = (reading(policy)?, self::stop_tokens(stop_tokens)?);
    let texts = Texts::new("texts", texts)?;
    if texts.len() != tasks.len() {
        let (texts, tasks) = (texts.len(), tasks.len());
        return Err(PyValueError::new_err(format!("{texts} texts for {tasks} tasks; give one for each")));
    }
    let tasks: Vec<&task::Task> = tasks.iter().map(|task| &task.get().0).collect();
    let texts = texts.read();
    detached(py, texts.len(), |stop| {
        task::judge_all(texts.len(), stop, |i| {
            let about = tasks[i].family.about();
            let text = stop_tokens.strip(&texts[i], Some(about.answer_tag));
            Verdict::new(tasks[i].verify(text, policy), about.parts, text)
        })
    })
}

/// Names of all task families, alphabetical.
#[pyfunction]
pub fn list_families() -> Vec<&'static str> {
    families::FAMILIES.iter().map(|family| family.about().name).collect()
}

/// A task family by name; raises UnknownFamily suggesting the nearest.
#[pyfunction]
pub fn family(name: &str) -> PyResult<Family> {
    families::find(name).map(Family).map_err(to_py)
}

/// Names of the policies by which answers are read.
#[pyfunction]
pub fn list_policies() -> Vec<&'static str> {
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
