//! Tasks as Python holds them.

use pyo3::prelude::*;
use reasonenv::error::Error;
use reasonenv::task::certificate::Aim;
use reasonenv::task::item;
use reasonenv::task::split::Split;
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
    /// An answer that passes, once it is wrapped in the tag.
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

/// One item: a prompt, its solution, and a problem that carries its own judge.
#[pyclass(frozen, module = "reasonenv")]
pub struct Task(pub item::Task);

impl Task {
    fn is_outside(&self) -> bool {
        self.0.family.is_outside()
    }
}

#[pymethods]
impl Task {
    /// `family/vN/split/seed/index-hash` for a generated item.
    #[getter]
    fn id(&self) -> String {
        self.0.id()
    }

    /// The family's name.
    #[getter]
    fn family(&self) -> &'static str {
        self.0.family.about().name
    }

    /// The family's domain.
    #[getter]
    fn domain(&self) -> &'static str {
        self.0.family.about().domain
    }

    /// The family's version; grows when the bytes of any item change.
    #[getter]
    fn version(&self) -> u32 {
        self.0.family.about().version()
    }

    /// "train", "eval" or "test"; None for a task from outside.
    #[getter]
    fn split(&self) -> Option<&'static str> {
        self.0.split().map(Split::name)
    }

    /// The seed of its source; None for a task from outside.
    #[getter]
    fn seed(&self) -> Option<u64> {
        self.0.seed()
    }

    /// Its place in its source, from 0; None for a task from outside.
    #[getter]
    fn index(&self) -> Option<u64> {
        self.0.index()
    }

    /// The level whose params these are, or None.
    #[getter]
    fn level(&self) -> Option<u8> {
        self.0.level()
    }

    /// Every param of the generator; None for a task from outside.
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &json!(self.0.params()))
    }

    /// Its wording: template, choice of words, wrapper, what the answer stands in.
    #[getter]
    fn style<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.0.style.to_json(self.0.family.templates()))
    }

    /// How hard this very instance is, in [0, 1].
    #[getter]
    fn difficulty(&self) -> PyResult<f32> {
        caught(|| self.0.difficulty())
    }

    /// The most a blind policy passes of problems like this: `Family.guess_rate`, or for a problem that is answered as
    /// the one within it, the larger of its own and that one's.
    #[getter]
    fn guess_rate(&self) -> PyResult<f64> {
        caught(|| declared(self.0.facts().guess_rate))
    }

    /// What a policy is asked.
    #[getter]
    fn prompt(&self) -> PyResult<String> {
        caught(|| self.0.prompt())
    }

    /// The tag the answer stands in; None for one in a box.
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
    fn wrap(&self, answer: Text) -> PyResult<String> {
        Ok(self.0.wrap(answer.read("answer")?))
    }

    /// Judges a completion: text, or chat messages of which the last one is judged.
    ///
    /// `stop_tokens` are marks of the model's own that end its turn: at the end of the text they count as white
    /// space, as the common ones do. `reading` is "clean", "strict" or "lenient"; None is the family's own.
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

    /// Judges reasoning steps in order; raises Unsupported where the family does not check steps.
    fn verify_steps(&self, py: Python<'_>, steps: &Bound<'_, PyAny>) -> PyResult<Vec<StepVerdict>> {
        let steps = Texts::new("steps", steps)?;
        let steps = steps.read();
        let steps: Vec<&str> = steps.iter().map(AsRef::as_ref).collect();
        let verdicts = placed(py, self.is_outside(), steps.len(), |_| {
            self.0.verify_steps(&steps).ok_or_else(|| Error::Unsupported {
                family: self.family(),
                message: "does not check reasoning steps".into(),
            })
        })?;
        Ok(verdicts.into_iter().map(StepVerdict::from).collect())
    }

    /// A certified task near this one: `aim` is "harder", "easier" or "same".
    #[pyo3(signature = (aim=Text::from("harder"), *, seed=Whole::Number(0)), text_signature = "($self, aim='harder', *, seed=0)")]
    pub fn mutate(&self, py: Python<'_>, aim: Text, seed: Whole) -> PyResult<Self> {
        let aim = Aim::find(aim.read("aim")?).map_err(to_py)?;
        let seed = seed.word("seed")?;
        placed(py, self.is_outside(), 1, |_| self.0.mutate(aim, seed)).map(Self)
    }

    /// Answers near the right one that must fail, each broken in another way.
    #[pyo3(signature = (*, seed=Whole::Number(0)), text_signature = "($self, *, seed=0)")]
    fn wrong_answers(&self, seed: Whole) -> PyResult<Vec<String>> {
        let seed = seed.word("seed")?;
        caught(|| self.0.wrong_answers(seed))
    }

    /// The problem as a one-player game; raises Unsupported where the family offers none.
    fn moves(&self) -> PyResult<Play> {
        self.0.play().map(|play| Play(Held::Problem(play))).map_err(to_py)
    }

    /// The task's record as one line of JSON; see docs/records.md.
    fn to_json(&self) -> PyResult<String> {
        Ok(caught(|| self.0.to_json())?.to_string())
    }

    /// The task's record as a dict.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, &caught(|| self.0.to_json())?)
    }

    /// Reads what `to_json` wrote; raises InvalidTask or InvalidProblem naming the field at fault.
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
