//! Python class of tasks.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use reasonenv::error::Error;
use reasonenv::task::certificate::Aim;
use reasonenv::task::item;
use reasonenv::task::split::Split;
use reasonenv::task::steps::progress;
use serde_json::json;

use crate::args::{Text, Whole, reading};
use crate::errors::to_py;
use crate::families::declared;
use crate::gil::{caught, placed};
use crate::play::{Held, Play};
use crate::text::{Reduced, Texts, completion, object, stop_tokens};
use crate::verdicts::{StepVerdict, Verdict};

/// An answer and the true steps that lead to it.
#[pyclass(frozen, eq, get_all, module = "reasonenv")]
#[derive(PartialEq)]
pub struct Solution {
    /// True steps, in order.
    steps: Vec<String>,
    /// Answer that passes, once it is wrapped in the tag.
    answer: String,
}

#[pymethods]
impl Solution {
    #[new]
    fn unpickle(steps: Vec<String>, answer: String) -> Self {
        Self { steps, answer }
    }

    fn __repr__(&self) -> String {
        format!("Solution(steps={:?}, answer={:?})", self.steps, self.answer)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (Vec<String>, String)) {
        (py.get_type::<Self>().into_any(), (self.steps.clone(), self.answer.clone()))
    }
}

/// A task: a prompt, its solution, and a problem that contains all that its verifier needs.
#[pyclass(frozen, module = "reasonenv")]
pub struct Task(pub item::Task);

impl Task {
    fn is_outside(&self) -> bool {
        self.0.family.is_outside()
    }
}

#[pymethods]
impl Task {
    /// Id: `family/vN/split/seed/index-hash` for a generated task.
    #[getter]
    fn id(&self) -> String {
        self.0.id()
    }

    /// Name of the family.
    #[getter]
    fn family(&self) -> &'static str {
        self.0.family.about().name
    }

    /// Domain of the family.
    #[getter]
    fn domain(&self) -> &'static str {
        self.0.family.about().domain
    }

    /// Version of the family; incremented when the bytes of any task change.
    #[getter]
    fn version(&self) -> u32 {
        self.0.family.about().version()
    }

    /// Split: "train", "eval" or "test"; None for a task that was not generated.
    #[getter]
    fn split(&self) -> Option<&'static str> {
        self.0.split().map(Split::name)
    }

    /// Seed of its source; None for a task that was not generated.
    #[getter]
    fn seed(&self) -> Option<u64> {
        self.0.seed()
    }

    /// Index in its source, from 0; None for a task that was not generated.
    #[getter]
    fn index(&self) -> Option<u64> {
        self.0.index()
    }

    /// Level of these params, or None.
    #[getter]
    fn level(&self) -> Option<u8> {
        self.0.level()
    }

    /// All params of the generator; None for a task that was not generated.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &json!(self.0.params()))
    }

    /// Wording: template, choice of words, wrapper, form that encloses the answer.
    #[getter]
    fn style<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.0.style.to_json(self.0.family.templates()))
    }

    /// Difficulty of this problem, in [0, 1].
    #[getter]
    fn difficulty(&self) -> PyResult<f32> {
        caught(|| self.0.difficulty())
    }

    /// Upper bound on the pass rate of a blind policy on problems like this: `Family.guess_rate` or, for a problem that
    /// is answered like the one within it, the larger of its own and that one's.
    #[getter]
    fn guess_rate(&self) -> PyResult<f64> {
        caught(|| declared(self.0.facts().guess_rate))
    }

    /// Prompt for a policy.
    #[getter]
    fn prompt(&self) -> PyResult<String> {
        caught(|| self.0.prompt())
    }

    /// Tag that encloses the answer; None for a box.
    #[getter]
    fn answer_tag(&self) -> Option<&'static str> {
        self.0.answer_tag()
    }

    /// True steps and an answer that passes.
    #[getter]
    fn solution(&self) -> PyResult<Solution> {
        let solution = caught(|| self.0.problem.solution())?;
        Ok(Solution { steps: solution.steps, answer: solution.answer })
    }

    /// Abstract hints, one for each step of the solution: which technique applies where, never the answer. Empty if
    /// the family's solver has no reasons.
    #[getter]
    fn hints(&self) -> PyResult<Vec<String>> {
        caught(|| self.0.problem.hints())
    }

    /// Problem as JSON: all that verification needs.
    #[getter]
    fn problem(&self) -> String {
        self.0.problem.json()
    }

    /// 128-bit fingerprint of the problem without its wording, as 32 hex digits.
    #[getter]
    fn key(&self) -> String {
        format!("{:032x}", self.0.fingerprint().key)
    }

    /// Return the answer as a well-formed completion.
    fn wrap(&self, answer: Text) -> PyResult<String> {
        Ok(self.0.wrap(answer.read("answer")?))
    }

    /// Verify a completion: text, or chat messages of which the last one counts.
    ///
    /// `stop_tokens` are your model's end-of-turn marks: at the end of the text they count as white space, as the
    /// common ones do. `reading` is "clean", "strict" or "lenient"; None means the family's own.
    #[pyo3(signature = (text, reading=None, *, stop_tokens=None))]
    fn verify(
        &self,
        text: &Bound<'_, PyAny>,
        reading: Option<Text>,
        stop_tokens: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Verdict> {
        let (reading, stop_tokens) = (self::reading(reading)?, self::stop_tokens(stop_tokens)?);
        let text = completion(&"text", text)?;
        let text = text.to_string_lossy();
        Ok(Verdict::new(caught(|| self.0.verify_until(&text, reading, &stop_tokens))?, &text))
    }

    /// Verify reasoning steps in order; raises Unsupported if the family does not check steps. `progress` is the
    /// share of the way to the end after each: the advancing steps so far over those of the shortest known
    /// solution.
    fn verify_steps(&self, py: Python<'_>, steps: &Bound<'_, PyAny>) -> PyResult<Vec<StepVerdict>> {
        let steps = Texts::new("steps", steps)?;
        let steps = steps.read();
        let steps: Vec<&str> = steps.iter().map(AsRef::as_ref).collect();
        let (verdicts, due) = placed(py, self.is_outside(), steps.len(), |_| {
            let verdicts = self.0.verify_steps(&steps).ok_or_else(|| Error::Unsupported {
                family: self.family(),
                message: "does not check reasoning steps".into(),
            })?;
            Ok((verdicts, self.0.steps_due()))
        })?;
        let made = progress(&verdicts, due);
        let both = verdicts.into_iter().zip(made);
        Ok(both.map(|(verdict, made)| StepVerdict::new(verdict, made)).collect())
    }

    /// Return a certified task near this one: `aim` is "harder", "easier" or "same".
    #[pyo3(signature = (aim=Text::from("harder"), *, seed=Whole::Number(0)), text_signature = "($self, aim='harder', *, seed=0)")]
    pub fn mutate(&self, py: Python<'_>, aim: Text, seed: Whole) -> PyResult<Self> {
        let aim = Aim::find(aim.read("aim")?).map_err(to_py)?;
        let seed = seed.word("seed")?;
        placed(py, self.is_outside(), 1, |_| self.0.mutate(aim, seed)).map(Self)
    }

    /// Return answers near the right one that must fail, each with a different fault.
    #[pyo3(signature = (*, seed=Whole::Number(0)), text_signature = "($self, *, seed=0)")]
    fn wrong_answers(&self, seed: Whole) -> PyResult<Vec<String>> {
        let seed = seed.word("seed")?;
        caught(|| self.0.wrong_answers(seed))
    }

    /// Return the answers of the family's shortcuts, naive policies that solve nothing, by their names, such as
    /// "lightest-first". `seed` is for those that draw.
    #[pyo3(signature = (*, seed=Whole::Number(0)), text_signature = "($self, *, seed=0)")]
    fn shortcuts(&self, seed: Whole) -> PyResult<BTreeMap<String, String>> {
        let seed = seed.word("seed")?;
        let guesses = caught(|| self.0.guesses(seed))?;
        Ok(guesses
            .into_iter()
            .map(|(name, answer)| (name.replace(", ", "-").replace(' ', "-"), answer))
            .collect())
    }

    /// Return up to `k` distinct right answers, at most 1,000, the solution's own first. There are fewer if
    /// the problem has fewer, or if its family draws no others.
    #[pyo3(signature = (k, *, seed=Whole::Number(0)), text_signature = "($self, k, *, seed=0)")]
    fn solutions(&self, k: Whole, seed: Whole) -> PyResult<Vec<String>> {
        let count = k.within("k", 0, 1_000)? as usize;
        let seed = seed.word("seed")?;
        caught(|| self.0.solutions(count, seed))
    }

    /// Return the problem as a one-player game; raises Unsupported if the family does not offer one.
    fn moves(&self) -> PyResult<Play> {
        self.0.play().map(|play| Play(Held::Problem(play))).map_err(to_py)
    }

    /// Return the task's record as one line of JSON; see docs/records.md.
    fn to_json(&self) -> PyResult<String> {
        Ok(caught(|| self.0.to_json())?.to_string())
    }

    /// Return the task's record as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &caught(|| self.0.to_json())?)
    }

    /// Read the output of `to_json`; raises InvalidTask or InvalidProblem naming the field at fault.
    #[staticmethod]
    fn from_json(text: Text) -> PyResult<Self> {
        let text = text.read("text")?;
        caught(|| item::Task::from_json(text))?.map(Self).map_err(to_py)
    }

    fn __repr__(&self) -> String {
        format!("<Task {}>", self.id())
    }

    fn __eq__(&self, other: &Self) -> PyResult<bool> {
        Ok(self.to_json()? == other.to_json()?)
    }

    fn __hash__(&self) -> u64 {
        self.0.fingerprint().key as u64
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        Ok((py.get_type::<Self>().getattr("from_json")?, (self.to_json()?,)))
    }

    fn __copy__(&self) -> Self {
        Self(self.0.clone())
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        Self(self.0.clone())
    }
}
