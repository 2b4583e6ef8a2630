//! Steps of a proof: a line holds if it applies, and advances if it leads nearer the end than any before.

use std::collections::BTreeMap;

use super::{Statement, size};
use crate::budget::Budget;
use crate::error::quoted;
use crate::shared::proof::{DECLARED, State, Tactic, Theory, distance};
use crate::task::steps::{StepJudge, StepVerdict};

/// Counted steps of the search for the way from one state, and from all states of a list of steps.
const SEARCH: u64 = 20_000;
const SEARCHES: u64 = 1_000_000;

/// Verifies the lines of a proof. The distance of a state on the known proof is that of the proof, and elsewhere
/// that of a bounded search.
pub struct Proving<'a> {
    theory: Theory,
    proof: &'a [String],
    /// The states of the known proof, from the first to the last.
    path: Vec<State>,
    state: State,
    nearest: usize,
    /// Number of times that each line has advanced.
    advanced: BTreeMap<String, usize>,
    searches: u64,
}

impl<'a> Proving<'a> {
    pub fn new(statement: &'a Statement) -> Self {
        let (theory, state) = statement.known();
        let mut path = vec![state.clone()];
        for line in &statement.proof {
            let next =
                Tactic::read(line, &theory).and_then(|tactic| path[path.len() - 1].apply(&tactic, &theory));
            path.extend(next);
        }
        let nearest = path.len() - 1;
        Self {
            theory,
            proof: &statement.proof,
            path,
            state,
            nearest,
            advanced: BTreeMap::new(),
            searches: SEARCHES,
        }
    }

    /// Number of lines to the end, if it is below that of all states before.
    fn away(&mut self, budget: &mut Budget) -> Option<usize> {
        if let Some(at) = self.path.iter().rposition(|known| *known == self.state) {
            return Some(self.path.len() - 1 - at).filter(|away| *away < self.nearest);
        }
        let search = &mut Budget::new(SEARCH.min(self.searches).min(budget.left()));
        let away = distance(&self.theory, &self.state, self.nearest.checked_sub(1)?, search);
        self.searches -= search.spent().min(self.searches);
        budget.spend(search.spent()).ok()?;
        away
    }

    /// Number of times that a line may advance until `reached` lines of the known proof are done: as often as it is in them,
    /// where a line that is repeated at once counts once; once if it is in no line of that proof.
    fn most(&self, line: &str, reached: usize) -> usize {
        if !self.proof.iter().any(|known| known == line) {
            return 1;
        }
        let known = &self.proof[..reached];
        (0..reached).filter(|at| known[*at] == line && (*at == 0 || known[at - 1] != line)).count()
    }
}

impl StepJudge for Proving<'_> {
    fn judge(&mut self, step: &str, budget: &mut Budget) -> Result<StepVerdict, String> {
        let tactic = Tactic::read(step, &self.theory)?;
        if tactic == Tactic::Sorry {
            return Err("`sorry` proves nothing".to_owned());
        }
        budget.spend(size(&self.state)).map_err(|over| over.to_string())?;
        self.state = self.state.apply(&tactic, &self.theory)?;
        let Some(away) = self.away(budget) else {
            return Ok(StepVerdict::idle("it applies, but is not known to lead nearer the end of the proof"));
        };
        self.nearest = away;
        let line = tactic.write(&self.theory);
        let most = self.most(&line, self.path.len() - 1 - away);
        let often = self.advanced.entry(line).or_default();
        if *often >= most {
            return Ok(StepVerdict::idle("it applies, but has been said"));
        }
        *often += 1;
        Ok(StepVerdict::advances())
    }
}

/// Verifies the values of letters, one at a time: some values that refute the goal must have all of them.
pub struct Refuting {
    letters: Vec<String>,
    models: Vec<u64>,
    chosen: u64,
}

impl Refuting {
    pub fn new(statement: &Statement) -> Self {
        Self { letters: statement.letters(), models: statement.countermodels().collect(), chosen: 0 }
    }
}

impl StepJudge for Refuting {
    fn judge(&mut self, step: &str, budget: &mut Budget) -> Result<StepVerdict, String> {
        let refuse = || format!("`{}` is not a step like `{} = true`", quoted(step), self.letters[0]);
        let (name, value) = step.split_once('=').ok_or_else(refuse)?;
        let at = self.letters.iter().position(|letter| letter == name.trim()).ok_or_else(refuse)?;
        let value = value.trim().parse::<bool>().map_err(|_| refuse())?;
        budget.spend(self.models.len() as u64).map_err(|over| over.to_string())?;
        let fits = |model: &u64| (model >> (usize::from(DECLARED) + at) & 1 == 1) == value;
        if !self.models.iter().any(fits) {
            return Err(format!(
                "no values that refute the goal have {} = {value} besides those before",
                self.letters[at]
            ));
        }
        self.models.retain(fits);
        if self.chosen >> at & 1 == 1 {
            return Ok(StepVerdict::idle("true, but it has been said"));
        }
        self.chosen |= 1 << at;
        Ok(StepVerdict::advances())
    }
}
