//! Goals to prove: a theory, hypotheses and a goal, answered by tactics that prove the goal.

mod form;
mod hints;
mod misses;
mod progress;
mod symmetry;

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

use self::form::Lines;
pub use self::hints::hint;
use self::progress::{Proving, Refuting};
use crate::budget::Budget;
use crate::error::quoted;
use crate::rng::Rng;
use crate::shared::proof::{DECLARED, Goal, PROP, State, Tactic, Term, Theory, candidates};
use crate::task::about::{About, JudgedBy};
use crate::task::certificate::{Certificate, Uncertified};
use crate::task::check;
use crate::task::form::Form;
use crate::task::problem::{Problem, Prompt, Slots};
use crate::task::solution::{Effort, Faults, Solution};
use crate::task::steps::StepJudge;
use crate::task::verdict::{Failure, Judged, Part, label};
use crate::words::{Joined as _, count};

/// The labels that the verifier of proofs gives.
const FAILURES: &[(&str, &str)] = &[
    ("syntax", "a line is not a tactic"),
    ("inapplicable", "a tactic does not apply to the goal where it comes"),
    ("open_goals", "every line applies, but a goal is left open"),
    ("sorry", "a goal is closed with `sorry`, which proves nothing"),
];

/// The labels of a family with goals that do not follow.
pub const REFUTABLE_FAILURES: &[(&str, &str)] = &[
    FAILURES[0],
    FAILURES[1],
    FAILURES[2],
    FAILURES[3],
    ("hypothesis_false", "the values make a hypothesis false"),
    ("goal_true", "the values make the goal true"),
];

/// The parts that the verifier measures.
const PARTS: &[Part] = &[Part::new("applicable", "share of the lines that apply where they come")];

/// Largest number of lines of a proof.
pub const MOST_LINES: usize = 200;
const MOST_HYPOTHESES: usize = 20;
/// Largest number of letters of a goal that may not follow: all their values are tried.
const MOST_LETTERS: usize = 8;

/// A theory as [`Theory::read`] takes it, with hypotheses, a goal and the proof that its author claims.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    pub symbols: Vec<String>,
    pub values: Vec<String>,
    pub rules: Vec<String>,
    pub constructors: Vec<String>,
    /// `h1: p -> q`, `h2: p`, and so on.
    pub hypotheses: Vec<String>,
    pub goal: String,
    /// The lines of a proof; none if the goal does not follow from the hypotheses.
    pub proof: Vec<String>,
}

/// The subject of a family of proofs: its theories and its wordings.
pub trait Subject: Clone + Send + Sync + 'static {
    /// The wordings, at least three, at least one of them held out. The shape fills the slots `goal`, `rules` and
    /// `hypotheses`.
    const PROMPTS: &'static [Prompt];
    /// True if symbols and rules have no meaning of their own, so that twins rename and reorder them.
    const RENAMES: bool;
    /// Number of tactics tried at a difficulty of one half; see [`Effort::new`].
    const TRIED: u64;

    /// Fills the slots of the wordings that are the family's own.
    fn slots(statement: &Statement, slots: &mut Slots<'_>);

    /// Checks the theory: that it is one of the family's own.
    fn check(statement: &Statement) -> Result<(), String>;
}

/// A goal to prove as a problem.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub struct Claim<S> {
    pub statement: Statement,
    #[serde(skip)]
    subject: PhantomData<fn() -> S>,
}

impl<S> Claim<S> {
    pub fn new(statement: Statement) -> Self {
        Self { statement, subject: PhantomData }
    }
}

impl<S: Subject> Claim<S> {
    /// The facts that follow from the shape.
    #[track_caller]
    pub const fn about(domain: &'static str, name: &'static str, changes: &'static [&'static str]) -> About {
        About {
            judged_by: JudgedBy::Proof,
            failures: FAILURES,
            parts: PARTS,
            ..About::new(domain, name, changes)
        }
    }
}

impl<S> Deref for Claim<S> {
    type Target = Statement;

    fn deref(&self) -> &Statement {
        &self.statement
    }
}

impl<S> DerefMut for Claim<S> {
    fn deref_mut(&mut self) -> &mut Statement {
        &mut self.statement
    }
}

/// An answer to a goal: the lines of a proof, or the letters that are true where the goal does not follow, as
/// [`Theory::is_true`] takes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Proof(Vec<String>),
    Values(u64),
}

impl<S: Subject> Problem for Claim<S> {
    type Answer = Answer;

    const PROMPTS: &'static [Prompt] = S::PROMPTS;

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.text("goal", &self.goal).with("rules", || self.rules.iter().lines());
        slots.with("hypotheses", || self.hypotheses.iter().lines());
        S::slots(&self.statement, slots);
    }

    fn check(&self) -> Result<(), String> {
        S::check(&self.statement)?;
        self.statement.check()
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        self.statement.certify(budget)
    }

    fn form(&self) -> impl Form<Read = Answer> {
        Lines { letters: self.letters() }
    }

    fn solution(&self) -> Solution {
        let answer = self.right();
        let written = self.form().write(&answer);
        let steps = match answer {
            Answer::Proof(lines) => lines,
            Answer::Values(_) => written.split(", ").map(str::to_owned).collect(),
        };
        Solution::new(steps, written)
    }

    fn answer(&self) -> String {
        self.form().write(&self.right())
    }

    fn verify(&self, answer: Answer, budget: &mut Budget) -> Judged {
        self.statement.verify(&answer, budget)
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Answer> {
        self.statement.near_misses(faults, rng)
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Answer)> {
        self.statement.guesses(rng)
    }

    fn another(&self, rng: &mut Rng) -> Option<Answer> {
        self.statement.another(rng)
    }

    fn twin(&self, rng: &mut Rng) -> Self {
        Self::new(self.statement.twin(S::RENAMES, rng))
    }

    fn fingerprint(&self) -> Vec<u8> {
        self.statement.fingerprint(S::RENAMES)
    }

    fn effort(&self) -> Effort {
        Effort::new(self.tried(), S::TRIED)
    }

    fn hints(&self) -> Vec<String> {
        self.statement.hints()
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(if self.proof.is_empty() {
            Box::new(Refuting::new(&self.statement))
        } else {
            Box::new(Proving::new(&self.statement))
        })
    }
}

impl Statement {
    /// The theory alone.
    pub fn theory(&self) -> Result<Theory, String> {
        Theory::read(&self.symbols, &self.values, &self.rules, &self.constructors)
    }

    /// The theory, and the state in which nothing has been proved.
    pub fn read(&self) -> Result<(Theory, State), String> {
        let theory = self.theory()?;
        let formula = |field: &str, text: &str| {
            let read = theory.read_term(text, Some(PROP));
            let read = read.map_err(|why| format!("`{field}` has {}: {why}", quoted(text)))?;
            check::that(theory.write(&read) == text, || {
                format!("`{field}` has {}, but must have {}", quoted(text), quoted(&theory.write(&read)))
            })?;
            Ok::<Term, String>(read)
        };
        let known = |(number, line): (usize, &String)| {
            let (name, text) = line.split_once(": ").unwrap_or_default();
            check::that(name == format!("h{number}"), || {
                format!("`hypotheses` has {}, but must have h{number} with a formula there", quoted(line))
            })?;
            Ok::<_, String>((name.into(), formula("hypotheses", text)?))
        };
        let hypotheses = (1..).zip(&self.hypotheses).map(known).collect::<Result<_, _>>()?;
        let goal = Goal { hypotheses, target: formula("goal", &self.goal)? };
        Ok((theory, State::new(goal)))
    }

    fn known(&self) -> (Theory, State) {
        self.read().expect("`check` has read it")
    }

    fn check(&self) -> Result<(), String> {
        check::length("hypotheses", &self.hypotheses, 0..=MOST_HYPOTHESES, "formulas")?;
        check::length("proof", &self.proof, 0..=MOST_LINES, "lines")?;
        let (theory, _) = self.read()?;
        for line in &self.proof {
            let tactic = Tactic::read(line, &theory);
            let tactic = tactic.map_err(|why| format!("`proof` has {}: {why}", quoted(line)))?;
            check::that(tactic.write(&theory) == *line, || {
                format!("`proof` has {}, which has another spelling", quoted(line))
            })?;
        }
        check::that(!self.proof.is_empty() || (1..=MOST_LETTERS).contains(&self.letters().len()), || {
            format!(
                "`proof` is empty, which is for goals with 1 to {MOST_LETTERS} letters that do not follow"
            )
        })
    }

    /// Proves that the claimed proof is one, or that there is none.
    pub fn certify(&self, budget: &mut Budget) -> Result<Certificate, String> {
        if self.proof.is_empty() {
            let models = self.countermodels().count();
            check::that(models > 0, || "`proof` is empty, but `goal` follows".to_owned())?;
            return Ok(Certificate::solvable(format!(
                "{} refute the goal",
                count(models, "choice of values")
            )));
        }
        let verified = self.verify(&Answer::Proof(self.proof.clone()), budget);
        verified.map_err(|failure| format!("`proof` fails: {}", failure.detail))?;
        Ok(Certificate::solvable(format!("{} prove the goal", count(self.proof.len(), "line"))))
    }

    /// The letters of a statement that a table of values decides; none if it has terms or rules.
    fn letters(&self) -> Vec<String> {
        let letter = |line: &String| line.strip_suffix(": prop").map(str::to_owned);
        let letters: Option<Vec<String>> = self.symbols.iter().map(letter).collect();
        letters.filter(|_| self.values.is_empty() && self.rules.is_empty()).unwrap_or_default()
    }

    /// Values that make every hypothesis true and the goal false.
    pub fn countermodels(&self) -> impl Iterator<Item = u64> {
        let (_, state) = self.known();
        let letters = self.letters();
        let rows = if (1..=MOST_LETTERS).contains(&letters.len()) { 1u64 << letters.len() } else { 0 };
        (0..rows)
            .map(move |row| row << DECLARED)
            .filter(move |trues| refutes(&state.goals[0], *trues).is_ok())
    }

    fn right(&self) -> Answer {
        if self.proof.is_empty() {
            Answer::Values(self.countermodels().next().unwrap_or_default())
        } else {
            Answer::Proof(self.proof.clone())
        }
    }

    fn verify(&self, answer: &Answer, budget: &mut Budget) -> Judged {
        let (theory, state) = self.known();
        match answer {
            Answer::Values(trues) => refutes(&state.goals[0], *trues).map_err(|(own, name)| {
                let what = if name.is_empty() { "the goal is true" } else { "a hypothesis is false" };
                Failure::new(label::CONSTRAINT_VIOLATED, format!("{what} for these values {name}").trim_end())
                    .also(own)
            }),
            Answer::Proof(lines) => replay(&theory, state, lines, budget),
        }
    }

    /// The proof by way of a lemma that is the goal, or other values.
    fn another(&self, rng: &mut Rng) -> Option<Answer> {
        if self.proof.is_empty() {
            let models: Vec<u64> = self.countermodels().collect();
            return Some(Answer::Values(*rng.pick(&models)));
        }
        let name = *rng.pick(&["lemma", "claim", "aim"]);
        let lines = [&[format!("have {name}: {}", self.goal)], &self.proof[..], &[format!("apply {name}")]];
        let proof = Answer::Proof(lines.concat());
        self.verify(&proof, &mut Budget::unlimited()).is_ok().then_some(proof)
    }

    /// Number of tactics that are worth trying along the proof, or of parts of formulas whose values are
    /// examined.
    fn tried(&self) -> u64 {
        let (theory, mut state) = self.known();
        if self.proof.is_empty() {
            let parts: usize = state.goals[0].formulas().map(Term::size).sum();
            return parts as u64;
        }
        let mut tried = 0;
        for line in &self.proof {
            tried += 1 + candidates(&theory, &state).len() as u64;
            let next = Tactic::read(line, &theory).and_then(|tactic| state.apply(&tactic, &theory));
            let Ok(next) = next else { break };
            state = next;
        }
        tried
    }
}

/// The label of what keeps values from refuting a goal, with the name of the hypothesis.
fn refutes(goal: &Goal, trues: u64) -> Result<(), (&'static str, &str)> {
    let broken = goal.hypotheses.iter().find(|(_, formula)| !Theory::is_true(formula, trues));
    match broken {
        Some((name, _)) => Err(("hypothesis_false", name)),
        None if Theory::is_true(&goal.target, trues) => Err(("goal_true", "")),
        None => Ok(()),
    }
}

/// Applies lines one after the other. One that is not a tactic or does not apply is passed over, so that the rest is
/// still measured, but no proof with such a line passes.
fn replay(theory: &Theory, mut state: State, lines: &[String], budget: &mut Budget) -> Judged {
    let (mut failure, mut applied) = (None::<Failure>, 0);
    for (number, line) in (1..).zip(lines) {
        budget.spend(size(&state))?;
        let mut note = |common, own, why: String| {
            let detail = format!("line {number}, `{}`: {why}", quoted(line));
            let known = failure.take().unwrap_or_else(|| Failure::new(common, detail));
            failure = Some(known.also(common).also(own));
        };
        match Tactic::read(line, theory).map(|tactic| state.apply(&tactic, theory)) {
            Err(why) => note(label::MALFORMED_ANSWER, "syntax", why),
            Ok(Err(why)) => note(label::CONSTRAINT_VIOLATED, "inapplicable", why),
            Ok(Ok(next)) => {
                applied += 1;
                state = next;
            }
        }
    }
    if let Some(goal) = state.goals.first() {
        let open = quoted(&theory.write(&goal.target));
        let detail = format!("the goal `{open}` is left open");
        failure = Some(failure.unwrap_or_else(|| Failure::wrong(detail)).also("open_goals"));
    }
    if state.sorry {
        let detail = "a goal is closed with `sorry`, which proves nothing".to_owned();
        let known = failure.unwrap_or_else(|| Failure::new(label::CONSTRAINT_VIOLATED, detail));
        failure = Some(known.also("sorry"));
    }
    match failure {
        Some(failure) => Err(failure.part("applicable", applied as f32 / lines.len().max(1) as f32)),
        None => Ok(()),
    }
}

/// The number of symbols in all goals, which bounds the work of a tactic.
fn size(state: &State) -> u64 {
    let parts = state.goals.iter().flat_map(|goal| goal.formulas()).map(|formula| formula.size() as u64);
    1 + parts.sum::<u64>()
}
