//! Python class of a proof in progress.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use pyo3::prelude::*;
use reasonenv::budget::Budget;
use reasonenv::error::Error;
use reasonenv::shape::proof::{Statement, hint};
use reasonenv::shared::proof::{self, State, Tactic, Theory};

use crate::args::{Text, Whole};
use crate::errors::{InvalidArgument, InvalidProblem};
use crate::gil::detached;
use crate::text::Texts;

/// Largest number of steps of a search, whose states are in memory.
const MOST_STEPS: u64 = 10_000_000;
/// Largest number of tactics of a proof that is searched for.
const LONGEST_PROOF: usize = 64;

/// True if a problem, as JSON, asks for a proof.
pub fn asks_for_proof(problem: &str) -> bool {
    serde_json::from_str::<Statement>(problem).is_ok()
}

/// The parts of a proof that no tactic changes.
struct Origin {
    statement: Statement,
    theory: Theory,
}

/// A proof in progress: the goals that are open, and the tactics that led to them. It never changes; tactics make
/// new ones. Proofs with the same goals from the same rules are equal.
///
/// Args:
///     problem: `Task.problem` of a family whose answers are proofs.
///     lines: Tactics to apply.
///
/// Raises:
///     InvalidProblem: The problem asks for no proof, or its rules can't be read.
///     InvalidArgument: A line doesn't apply.
#[pyclass(frozen, eq, hash, module = "reasonenv.envs")]
#[derive(Clone)]
pub struct Proof {
    origin: Arc<Origin>,
    state: State,
    lines: Vec<Arc<str>>,
}

impl PartialEq for Proof {
    fn eq(&self, other: &Self) -> bool {
        let is_same = Arc::ptr_eq(&self.origin, &other.origin) || self.origin.theory == other.origin.theory;
        is_same && self.state == other.state
    }
}

impl Hash for Proof {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
    }
}

/// A proof after a tactic, or the reason why the tactic doesn't apply.
#[derive(IntoPyObject)]
pub enum Applied {
    After(Proof),
    Refused(String),
}

impl Proof {
    fn after(&self, line: &str) -> Result<Self, String> {
        let theory = &self.origin.theory;
        let state = self.state.apply(&Tactic::read(line, theory)?, theory)?;
        let mut lines = self.lines.clone();
        lines.push(line.trim().into());
        Ok(Self { origin: self.origin.clone(), state, lines })
    }

    fn found(&self, py: Python<'_>, steps: &Whole) -> PyResult<Option<Vec<Tactic>>> {
        let steps = steps.within("budget", 1, MOST_STEPS)?;
        detached(py, steps as usize / 64, |stop| {
            let mut budget = Budget::new(steps).stopped_by(stop);
            let found = proof::prove(&self.origin.theory, &self.state, LONGEST_PROOF, &mut budget);
            Ok::<_, Error>(found.ok().flatten())
        })
    }
}

#[pymethods]
impl Proof {
    #[new]
    #[pyo3(signature = (problem, lines = None))]
    fn new(problem: Text, lines: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let statement: Statement = serde_json::from_str(problem.read("problem")?)
            .map_err(|error| InvalidProblem::new_err(format!("`problem` asks for no proof: {error}")))?;
        let (theory, state) =
            statement.read().map_err(|why| InvalidProblem::new_err(format!("`problem`: {why}")))?;
        let mut proof = Self { origin: Arc::new(Origin { statement, theory }), state, lines: Vec::new() };
        let given = lines.map(|lines| Texts::new("lines", lines)).transpose()?;
        for (i, line) in given.iter().flat_map(Texts::read).enumerate() {
            let refused = |why| InvalidArgument::new_err(format!("`lines[{i}]` is {line:?}: {why}"));
            proof = proof.after(&line).map_err(refused)?;
        }
        Ok(proof)
    }

    /// Return the proof after a tactic, or the reason why it doesn't apply to the first open goal.
    ///
    /// Args:
    ///     line: A tactic, such as `rewrite <- assoc at 1.2`. No text raises.
    fn apply(&self, line: Text) -> PyResult<Applied> {
        let after = self.after(line.read("line")?);
        Ok(after.map_or_else(Applied::Refused, Applied::After))
    }

    /// Tactics applied so far, as they were written.
    #[getter]
    fn lines(&self) -> Vec<&str> {
        self.lines.iter().map(|line| &**line).collect()
    }

    /// Number of open goals.
    #[getter]
    fn goals(&self) -> usize {
        self.state.goals.len()
    }

    /// Open goals with their hypotheses, for a reader.
    #[getter]
    fn text(&self) -> String {
        self.state.text(&self.origin.theory)
    }

    /// True if no goal is open.
    #[getter]
    fn is_over(&self) -> bool {
        self.state.is_over()
    }

    /// True if every goal was closed, none of them by `sorry`.
    #[getter]
    fn is_proved(&self) -> bool {
        self.state.is_proved()
    }

    /// True if the goals are formulas of propositional logic, which a countermodel can refute.
    #[getter]
    fn is_propositional(&self) -> bool {
        self.origin.theory.is_propositional()
    }

    /// Return the open goals as JSON: the same text for equal proofs.
    fn to_json(&self) -> String {
        self.state.json(&self.origin.theory).to_string()
    }

    /// Return an abstract hint for a tactic: what to do with the first open goal, but not the line.
    ///
    /// Args:
    ///     line: A tactic, such as one of `search`.
    ///
    /// Raises:
    ///     InvalidArgument: The line is not a tactic.
    fn hint(&self, line: Text) -> PyResult<String> {
        let (line, theory) = (line.read("line")?, &self.origin.theory);
        let refused = |why| InvalidArgument::new_err(format!("`line` is {line:?}: {why}"));
        let tactic = Tactic::read(line, theory).map_err(refused)?;
        let is_shown = |name: &str| {
            let goal = self.state.goals.first();
            theory.named(name).is_some() || goal.is_some_and(|goal| goal.hypothesis(name).is_ok())
        };
        Ok(hint(&tactic, theory, &is_shown))
    }

    /// Return tactics that apply to the first open goal, in a fixed order. Those that need a drawn term or formula are
    /// left out; a tactic that loses nothing comes alone.
    fn candidates(&self) -> Vec<String> {
        let theory = &self.origin.theory;
        proof::candidates(theory, &self.state).iter().map(|tactic| tactic.write(theory)).collect()
    }

    /// Return the tactics of a proof of all open goals, or None if a search finds none.
    ///
    /// Args:
    ///     budget: Steps of the search, at most 10,000,000.
    #[pyo3(signature = (budget = Whole::Number(200_000)), text_signature = "($self, budget=200000)")]
    fn search(&self, py: Python<'_>, budget: Whole) -> PyResult<Option<Vec<String>>> {
        let theory = &self.origin.theory;
        let found = self.found(py, &budget)?;
        Ok(found.map(|tactics| tactics.iter().map(|tactic| tactic.write(theory)).collect()))
    }

    /// Return the number of tactics of the proof that `search` finds, or None.
    ///
    /// Args:
    ///     budget: Steps of the search, at most 10,000,000.
    #[pyo3(signature = (budget = Whole::Number(200_000)), text_signature = "($self, budget=200000)")]
    fn distance(&self, py: Python<'_>, budget: Whole) -> PyResult<Option<usize>> {
        Ok(self.found(py, &budget)?.map(|tactics| tactics.len()))
    }

    fn __repr__(&self) -> String {
        let goals = self.state.goals.len();
        format!("<Proof: {} tactics, {goals} open goals>", self.lines.len())
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (String, Vec<&str>)) {
        let problem = serde_json::to_string(&self.origin.statement).expect("plain data is JSON");
        (py.get_type::<Self>().into_any(), (problem, self.lines()))
    }
}
