//! Python classes and functions of batches: many tasks or completions at once.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice, PyString, PyType};
use reasonenv::error::Error;
use reasonenv::families;
use reasonenv::task::batch::{self, MOST_ITEMS, for_all, for_all_by, for_all_here};
use reasonenv::task::erased::{self, FAMILIES};
use reasonenv::task::item;
use reasonenv::task::style::AnswerStyle;
use serde_json::Map;

use crate::args::{self, Text, Whole, answer_style, reading};
use crate::errors::{InvalidArgument, to_py};
use crate::gil::placed;
use crate::tasks::Task;
use crate::text::{Reduced, Texts, completion, stop_tokens};
use crate::verdicts::{Verdict, Verdicts, position};

/// Tasks in order, of one family or several: a `Sequence[Task]` with columns.
///
/// Slicing returns a batch, `+` joins two, and `repeat(n)` repeats each task n times in a row.
#[pyclass(frozen, sequence, module = "reasonenv")]
pub struct Batch(pub batch::Batch);

/// Convert values to a list; a long one can be interrupted by a signal.
fn list<'py, T>(py: Python<'py>, values: Vec<T>) -> PyResult<Bound<'py, PyList>>
where
    T: IntoPyObject<'py>,
{
    const CHUNK: usize = 65_536;
    if values.len() <= CHUNK {
        return PyList::new(py, values);
    }
    let list = PyList::empty(py);
    let mut values = values.into_iter();
    while values.len() > 0 {
        py.check_signals()?;
        let end = list.len();
        let chunk: Vec<T> = values.by_ref().take(CHUNK).collect();
        list.set_slice(end, end, PyList::new(py, chunk)?.as_any())?;
    }
    Ok(list)
}

impl Batch {
    /// Compute a column in parallel without the GIL.
    fn column<T: Send + Sync>(
        &self,
        py: Python<'_>,
        value: impl Fn(&item::Task) -> T + Sync + Send,
    ) -> PyResult<Vec<T>> {
        placed(py, self.0.is_outside(), self.0.len(), |stop| self.0.column(stop, value))
    }
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (tasks, /))]
    fn new(tasks: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(batch) = tasks.cast::<Self>() {
            return Ok(Self(batch.get().0.clone()));
        }
        let mut all = Vec::new();
        for (at, task) in args::items("tasks", tasks, "a sequence of tasks")?.enumerate() {
            let task = task?;
            let Ok(task) = task.cast::<Task>() else {
                let kind = task.get_type().name()?;
                let message = format!("`tasks[{at}]` is {kind}, but must be a Task");
                return Err(InvalidArgument::new_err(message));
            };
            all.push(task.get().0.clone());
        }
        Ok(Self(batch::Batch { tasks: all }))
    }

    /// Prompts, in order.
    #[getter]
    fn prompts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, self.column(py, item::Task::prompt)?)
    }

    /// Answers of the solutions, in order.
    #[getter]
    fn answers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, self.column(py, |task| task.problem.answer())?)
    }

    /// Ids, in order.
    #[getter]
    fn ids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, self.column(py, item::Task::id)?)
    }

    /// Name of each task's family, in order.
    #[getter]
    fn families<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let names = self.0.tasks.iter().map(|task| PyString::intern(py, task.family.name()));
        list(py, names.collect::<Vec<_>>())
    }

    /// Level of each task's params, or None, in order.
    #[getter]
    fn levels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        list(py, self.0.tasks.iter().map(item::Task::level).collect::<Vec<_>>())
    }

    /// Difficulty of each problem: float32 array in [0, 1], shape (n,).
    #[getter]
    fn difficulty<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        Ok(PyArray1::from_vec(py, self.column(py, item::Task::difficulty)?))
    }

    /// Return the tasks' records, one line of JSON each, made in parallel without the GIL.
    fn to_jsonl(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.column(py, |task| format!("{}\n", task.to_json()))?.concat())
    }

    /// Repeat each task `count` times in a row, for groups of completions.
    fn repeat(&self, count: Whole) -> PyResult<Self> {
        let most = (MOST_ITEMS / self.0.len().max(1)) as u64;
        let count = count.within("count", 1, most)? as usize;
        let tasks = self.0.tasks.iter().flat_map(|task| std::iter::repeat_n(task, count));
        Ok(Self(batch::Batch { tasks: tasks.cloned().collect() }))
    }

    /// Verify one completion per task, text or chat messages, in order, in parallel without the GIL.
    ///
    /// Raises InvalidArgument unless there are as many texts as tasks. `stop_tokens` are your model's end-of-turn
    /// marks, in addition to the common ones.
    #[pyo3(signature = (texts, reading=None, *, stop_tokens=None))]
    fn verify(
        &self,
        py: Python<'_>,
        texts: &Bound<'_, PyAny>,
        reading: Option<Text>,
        stop_tokens: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Verdicts> {
        let (reading, stop_tokens) = (self::reading(reading)?, self::stop_tokens(stop_tokens)?);
        let texts = Texts::completions("texts", texts)?;
        texts.check_count("tasks", self.0.len())?;
        let read = texts.read();
        placed(py, self.0.is_outside(), read.len(), |stop| {
            Ok(Verdicts::new(self.0.verify(&read, reading, &stop_tokens, stop)?, &read))
        })
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__<'py>(&self, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = index.py();
        if let Ok(slice) = index.cast::<PySlice>() {
            let range = slice.indices(self.0.len() as isize)?;
            let at = |i: usize| (range.start + i as isize * range.step) as usize;
            let tasks = (0..range.slicelength).map(|i| self.0.tasks[at(i)].clone()).collect();
            return Ok(Bound::new(py, Self(batch::Batch { tasks }))?.into_any());
        }
        let at = position(index, self.0.len())?;
        Ok(Bound::new(py, Task(self.0.tasks[at].clone()))?.into_any())
    }

    fn __add__(&self, other: &Bound<'_, Self>) -> PyResult<Self> {
        let tasks = [&self.0.tasks[..], &other.get().0.tasks[..]].concat();
        Whole::Number(tasks.len() as i128).count("batch")?;
        Ok(Self(batch::Batch { tasks }))
    }

    fn __repr__(&self) -> String {
        let mut names: Vec<_> = self.0.tasks.iter().map(|task| task.family.name()).collect();
        names.dedup();
        names.sort_unstable();
        names.dedup();
        format!("<Batch of {} tasks: {}>", self.0.len(), names.join(", "))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Reduced<'py, (String,)> {
        Ok((py.get_type::<Self>().getattr("from_jsonl")?, (self.to_jsonl(py)?,)))
    }

    /// Read the output of `to_jsonl`; raises InvalidTask or InvalidProblem for the first bad line.
    #[classmethod]
    fn from_jsonl(_class: &Bound<'_, PyType>, py: Python<'_>, text: Text) -> PyResult<Self> {
        let text = text.read("text")?;
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let named = |family: &&erased::Family| family.is_outside() && text.contains(family.name());
        let is_outside = FAMILIES.has_added() && FAMILIES.known().iter().any(named);
        let tasks = placed(py, is_outside, lines.len(), |stop| {
            let read = |i: usize| item::Task::from_json(lines[i]);
            let tasks = if is_outside {
                for_all_here(lines.len(), stop, read)?
            } else {
                for_all(lines.len(), stop, read)?
            };
            tasks.into_iter().collect::<Result<Vec<_>, Error>>()
        })?;
        Ok(Self(batch::Batch { tasks }))
    }
}

/// True if one of these families is Python-defined.
fn is_outside<'a>(names: impl IntoIterator<Item = &'a str>) -> bool {
    let outside = |name: &str| families::find(name).is_ok_and(erased::Family::is_outside);
    FAMILIES.has_added() && names.into_iter().any(outside)
}

/// Read an untrusted problem, and certify it if requested.
fn given(family: &str, problem: &str, answer: AnswerStyle, certified: bool) -> Result<item::Task, Error> {
    let family = families::find(family)?;
    let instance = family.read(problem)?;
    if certified {
        instance.certify()?;
    }
    let mut task = item::Task::pose(instance, Some(String::new()), None, &Map::new())?;
    task.style.answer = answer;
    Ok(task)
}

/// Verify a completion, text or chat messages, of a problem given as JSON: stateless, for a reward worker or a file.
///
/// The problem's claims about itself, such as the length of a shortest path, are trusted unless `certified` is true:
/// then InvalidProblem is raised for claims that cannot be proved, which may take far longer than verification.
/// `answer` is the form that the prompt asks for: "tag" or "boxed".
#[pyfunction]
#[pyo3(
    signature = (family, problem, text, reading=None, *, answer=None, certified=false, stop_tokens=None),
    text_signature = "(family, problem, text, reading=None, *, answer='tag', certified=False, stop_tokens=None)"
)]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn verify(
    py: Python<'_>,
    family: Text,
    problem: Text,
    text: &Bound<'_, PyAny>,
    reading: Option<Text>,
    answer: Option<Text>,
    certified: bool,
    stop_tokens: Option<&Bound<'_, PyAny>>,
) -> PyResult<Verdict> {
    let (reading, stop_tokens) = (self::reading(reading)?, self::stop_tokens(stop_tokens)?);
    let text = completion(&"text", text)?;
    let answer = answer_style(answer)?;
    let text = text.to_string_lossy();
    let (family, problem) = (family.read("family")?, problem.read("problem")?);
    placed(py, is_outside([family]), 1, |_| {
        let task = given(family, problem, answer, certified)?;
        Ok(Verdict::new(task.verify_until(&text, reading, &stop_tokens), &text))
    })
}

/// Verify many completions, each of its own problem and family, in parallel without the GIL.
///
/// `families`, `problems` (JSON) and `texts` have the same length. Raises InvalidProblem for the first bad problem;
/// `certified` is as in `verify`. `answers` has the form that each prompt asks for, "tag" or "boxed"; None means "tag"
/// for all.
#[pyfunction]
#[pyo3(signature = (families, problems, texts, reading=None, *, answers=None, certified=false, stop_tokens=None))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn verify_all(
    py: Python<'_>,
    families: &Bound<'_, PyAny>,
    problems: &Bound<'_, PyAny>,
    texts: &Bound<'_, PyAny>,
    reading: Option<Text>,
    answers: Option<&Bound<'_, PyAny>>,
    certified: bool,
    stop_tokens: Option<&Bound<'_, PyAny>>,
) -> PyResult<Verdicts> {
    let (reading, stop_tokens) = (self::reading(reading)?, self::stop_tokens(stop_tokens)?);
    let (names, problems) = (Texts::new("families", families)?, Texts::new("problems", problems)?);
    let texts = Texts::completions("texts", texts)?;
    texts.check_count("families", names.len())?;
    texts.check_count("problems", problems.len())?;
    let answers = match answers {
        None => vec![AnswerStyle::Tag; names.len()],
        Some(given) => {
            let given = Texts::new("answers", given)?;
            given.check_count("families", names.len())?;
            let styles = given.read().iter().map(|name| AnswerStyle::find(name)).collect::<Result<_, _>>();
            styles.map_err(to_py)?
        }
    };
    let (names, problems, texts) = (names.read(), problems.read(), texts.read());
    let here = is_outside(names.iter().map(AsRef::as_ref));
    placed(py, here, texts.len(), |stop| {
        let judge = |i: usize| {
            Ok(given(&names[i], &problems[i], answers[i], certified)?.verify_until(
                &texts[i],
                reading,
                &stop_tokens,
            ))
        };
        let rows = if here {
            for_all_here(texts.len(), stop, judge)?
        } else {
            for_all_by(|i| &*names[i], |_| (), texts.len(), stop, judge)?
        };
        Ok(Verdicts::new(rows.into_iter().collect::<Result<_, Error>>()?, &texts))
    })
}
