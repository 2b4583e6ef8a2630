//! What a task family is, and the type-erased form the rest of the crate sees.

use std::any::Any;
use std::sync::Arc;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::budget::{Budget, OverBudget};
use crate::error::{Error, shortened, unknown};
use crate::families;
use crate::params::{self, Params};
use crate::play::Play;
use crate::rng::{Key, Rng};
use crate::task::answer::{self, Reading, Reply};
use crate::task::split::{Fingerprint, Split};
use crate::task::style::{Style, Template};
use crate::task::verdict::{Part, StepVerdict, Verdict};

/// How a family's judge decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgedBy {
    /// The answer equals the one answer, which the generator has certified.
    Exact,
    /// The answer's value equals the one value, whatever the notation the prompt allows.
    Normalized,
    /// The answer satisfies the problem's constraints; more than one may.
    Constraints,
    /// The answer is valid and as good as the certified optimum.
    Optimum,
}

impl JudgedBy {
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Normalized => "normalized",
            Self::Constraints => "constraints",
            Self::Optimum => "optimum",
        }
    }
}

/// The facts about a family that do not depend on its params.
#[derive(Debug)]
pub struct About {
    /// `snake_case`, stable for ever; the file has the same name.
    pub name: &'static str,
    /// `arithmetic`, `logic`, `graphs`, `puzzles`, `text` …; the folder has the same name.
    pub domain: &'static str,
    /// One line for the gallery.
    pub summary: &'static str,
    /// What changed in each version, oldest first. Append a line whenever any item's bytes change.
    pub changes: &'static [&'static str],
    /// Hardest level; level 0 is the easiest.
    pub top_level: u8,
    /// From this level on, 95 % of 1,000 items are distinct; below it there are few instances.
    pub distinct_from: u8,
    pub judged_by: JudgedBy,
    /// The tag an answer stands in.
    pub answer_tag: &'static str,
    /// Wordings, at least three, one of them held out of training.
    pub templates: &'static [Template],
    /// The failure labels this judge can give beyond the common ones, each with what it means.
    pub failures: &'static [(&'static str, &'static str)],
    /// What else the judge measures, each in `[0, 1]`.
    pub parts: &'static [Part],
    /// Concepts it exercises: `carry`, `case_analysis`, `backtracking` …
    pub skills: &'static [&'static str],
    /// How answers are read by default: strict unless there is a reason.
    pub reading: Reading,
    /// The most that the best blind policy (best constant, echo, uniform guess) passes at any level.
    pub guess_rate: f32,
}

impl About {
    pub fn version(&self) -> u32 {
        self.changes.len() as u32
    }

    /// The name as words.
    pub fn title(&self) -> String {
        self.name.replace('_', " ")
    }

    pub fn template(&self, name: &str) -> Result<usize, Error> {
        let names: Vec<_> = self.templates.iter().map(|template| template.name).collect();
        let found = names.iter().position(|known| *known == name);
        found.ok_or_else(|| unknown("template", name, &names))
    }
}

/// A generator could not make an instance within its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl From<OverBudget> for Exhausted {
    fn from(_: OverBudget) -> Self {
        Self
    }
}

/// What `certify` proved of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Exactly one answer passes, up to the notation the prompt allows.
    pub unique: bool,
    /// What was proved, for a person: "one assignment fits", "no tour is shorter than 214".
    pub proof: String,
}

/// Why a problem is not one its family would pose. The text names the field.
pub type Uncertified = String;

/// Which way to change a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    Harder,
    Easier,
    /// Another instance near this one, of the same difficulty.
    Same,
}

impl Aim {
    pub const ALL: [Self; 3] = [Self::Harder, Self::Easier, Self::Same];

    pub fn name(self) -> &'static str {
        match self {
            Self::Harder => "harder",
            Self::Easier => "easier",
            Self::Same => "same",
        }
    }

    pub fn find(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|aim| aim.name() == name)
            .ok_or_else(|| unknown("aim", name, &Self::ALL.map(Self::name)))
    }
}

/// Makes problems of one kind.
pub trait TaskFamily: Sync + 'static {
    type Params: Params;
    type Problem: Problem;

    fn about(&self) -> &'static About;

    /// The params of a difficulty level in `0..=top_level`; every level is harder than the one before.
    fn level(&self, level: u8) -> Self::Params;

    fn generate(
        &self,
        params: &Self::Params,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Self::Problem, Exhausted>;

    /// Proves a problem well formed, in bounds, solvable and, where it must be, unique.
    /// [`Problem::check`] has already passed.
    fn certify(&self, problem: &Self::Problem, budget: &mut Budget) -> Result<Certificate, Uncertified>;

    /// A problem near this one. The caller certifies it and checks that its difficulty moved as asked.
    fn mutate(
        &self,
        _problem: &Self::Problem,
        _aim: Aim,
        _rng: &mut Rng,
        _budget: &mut Budget,
    ) -> Option<Self::Problem> {
        None
    }
}

/// An answer and the true steps that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    pub steps: Vec<String>,
    pub answer: String,
}

/// One instance, which carries its own judge: judging needs nothing but its JSON.
pub trait Problem: Serialize + DeserializeOwned + Clone + Send + Sync + 'static {
    /// Shape and bounds. Runs on every problem read from JSON before anything else touches it, so
    /// that no hostile problem makes another method panic or run long. The message names the field.
    fn check(&self) -> Result<(), String>;

    /// Instance, wording and, in the last sentence, the answer's form.
    fn prompt(&self, style: &Style) -> String;

    /// True steps, and a final answer that passes.
    fn solution(&self) -> Solution;

    /// Judges an answer. Total: any text gets a verdict, in bounded work, without a panic.
    fn verify(&self, answer: &str, budget: &mut Budget) -> Verdict;

    /// How hard this very instance is, in `[0, 1]`; it grows with the level.
    fn difficulty(&self) -> f32;

    /// Answers near the right one that must fail, each broken in another way.
    fn wrong_answers(&self, rng: &mut Rng) -> Vec<String>;

    /// The instance apart from its wording.
    fn fingerprint(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("problems serialise")
    }

    /// Judges a whole completion. Only a family that measures text outside the answer overrides it.
    fn judge(&self, reply: &Reply<'_>, tag: &str, budget: &mut Budget) -> Verdict {
        match (reply.answer, reply.faults.as_slice()) {
            (Some(answer), []) => self.verify(answer, budget),
            (_, faults) => unread(faults, tag),
        }
    }

    /// Whether a reasoning step is true after the steps before it, and leads on.
    fn check_step(&self, _before: &[&str], _step: &str, _budget: &mut Budget) -> Option<StepVerdict> {
        None
    }

    /// The same problem as a one-player game.
    fn play(&self) -> Option<Box<dyn Play>> {
        None
    }
}

/// The verdict on a completion whose answer cannot be read.
pub fn unread(faults: &[&'static str], tag: &str) -> Verdict {
    let (first, rest) = faults.split_first().expect("a completion without an answer has a fault");
    let verdict = Verdict::fail(first, answer::explain(faults, tag));
    rest.iter().fold(verdict, |verdict, label| verdict.also(label))
}

/// A [`Problem`] with its type erased. Implemented once, below, for every problem.
pub trait AnyProblem: Any + Send + Sync {
    fn prompt(&self, style: &Style) -> String;
    fn solution(&self) -> Solution;
    fn difficulty(&self) -> f32;
    fn wrong_answers(&self, rng: &mut Rng) -> Vec<String>;
    fn fingerprint(&self) -> Vec<u8>;
    fn json(&self) -> String;
    fn judge(&self, reply: &Reply<'_>, tag: &str, budget: &mut Budget) -> Verdict;
    fn check_step(&self, before: &[&str], step: &str, budget: &mut Budget) -> Option<StepVerdict>;
    fn play(&self) -> Option<Box<dyn Play>>;
}

impl<P: Problem> AnyProblem for P {
    fn prompt(&self, style: &Style) -> String {
        Problem::prompt(self, style)
    }
    fn solution(&self) -> Solution {
        Problem::solution(self)
    }
    fn difficulty(&self) -> f32 {
        Problem::difficulty(self).clamp(0.0, 1.0)
    }
    fn wrong_answers(&self, rng: &mut Rng) -> Vec<String> {
        Problem::wrong_answers(self, rng)
    }
    fn fingerprint(&self) -> Vec<u8> {
        Problem::fingerprint(self)
    }
    fn json(&self) -> String {
        serde_json::to_string(self).expect("problems serialise")
    }
    fn judge(&self, reply: &Reply<'_>, tag: &str, budget: &mut Budget) -> Verdict {
        Problem::judge(self, reply, tag, budget)
    }
    fn check_step(&self, before: &[&str], step: &str, budget: &mut Budget) -> Option<StepVerdict> {
        Problem::check_step(self, before, step, budget)
    }
    fn play(&self) -> Option<Box<dyn Play>> {
        Problem::play(self)
    }
}

/// Validated params of one family.
#[derive(Clone)]
pub struct Configured {
    params: Arc<dyn Any + Send + Sync>,
    /// Every field, defaults included.
    pub fields: Map<String, Value>,
    /// The text that enters the key.
    pub canonical: String,
    /// The level whose params these are.
    pub level: Option<u8>,
}

/// Where a problem is drawn: its place among all items of a configuration.
#[derive(Clone, Debug)]
pub struct Draw {
    pub key: Key,
    pub split: Split,
}

/// Instances drawn before a split of a tiny family counts as exhausted.
const REDRAWS: u32 = 1_000;
/// Steps a generator may take for one instance.
const GENERATE_STEPS: u64 = 20_000_000;
/// Steps a judge may take for one completion.
pub const JUDGE_STEPS: u64 = 4_000_000;
/// Steps a certificate may take.
const CERTIFY_STEPS: u64 = 200_000_000;
/// The most bytes a problem's JSON may have.
const LONGEST_PROBLEM: usize = 1024 * 1024;

/// [`TaskFamily`] with its types erased. Implemented once, below, for every family.
pub trait Family: Sync {
    fn about(&self) -> &'static About;
    /// The params' JSON schema, made anew; [`families::schema`] keeps it.
    fn schema(&self) -> Value;
    /// The params of a level, every field of them.
    fn level(&self, level: u8) -> Result<Map<String, Value>, Error>;
    fn configure(&self, given: &Map<String, Value>) -> Result<Configured, Error>;
    fn generate(
        &self,
        configured: &Configured,
        draw: &Draw,
        index: u64,
    ) -> Result<Arc<dyn AnyProblem>, Error>;
    /// Reads a problem anyone may have written.
    fn read(&self, json: &str) -> Result<Arc<dyn AnyProblem>, Error>;
    fn certify(&self, problem: &dyn AnyProblem) -> Result<Certificate, Error>;
    /// A certified problem near this one, or `None` when the family found none.
    fn mutate(
        &self,
        problem: &dyn AnyProblem,
        aim: Aim,
        rng: &mut Rng,
    ) -> Result<Option<Arc<dyn AnyProblem>>, Error>;
}

impl<F: TaskFamily> Family for F {
    fn about(&self) -> &'static About {
        TaskFamily::about(self)
    }

    fn schema(&self) -> Value {
        params::schema::<F::Params>()
    }

    fn level(&self, level: u8) -> Result<Map<String, Value>, Error> {
        let about = Family::about(self);
        if level > about.top_level {
            return Err(Error::InvalidParams {
                family: about.name,
                message: format!("`level` is {level}, but must be between 0 and {}", about.top_level),
            });
        }
        Ok(params::fields(&TaskFamily::level(self, level)))
    }

    fn configure(&self, given: &Map<String, Value>) -> Result<Configured, Error> {
        let about = Family::about(self);
        let schema = families::schema(about.name);
        let params: F::Params = params::parse(given, schema)
            .map_err(|message| Error::InvalidParams { family: about.name, message })?;
        let canonical = params::canonical(&params);
        let level = (0..=about.top_level)
            .find(|level| params::canonical(&TaskFamily::level(self, *level)) == canonical);
        Ok(Configured { fields: params::fields(&params), canonical, level, params: Arc::new(params) })
    }

    fn generate(
        &self,
        configured: &Configured,
        draw: &Draw,
        index: u64,
    ) -> Result<Arc<dyn AnyProblem>, Error> {
        let about = Family::about(self);
        let params = configured.params.downcast_ref::<F::Params>();
        let params = params.expect("these params were configured by this family");
        let mut rng = draw.key.stream(index);
        for _ in 0..REDRAWS {
            let problem =
                TaskFamily::generate(self, params, &mut rng, &mut Budget::new(GENERATE_STEPS)).map_err(
                    |Exhausted| Error::Exhausted { family: about.name, params: configured.canonical.clone() },
                )?;
            let fingerprint = Fingerprint::new(about.name, &Problem::fingerprint(&problem));
            if fingerprint.split() == draw.split {
                return Ok(Arc::new(problem));
            }
        }
        Err(Error::SplitExhausted {
            family: about.name,
            params: configured.canonical.clone(),
            split: draw.split.name(),
            tries: REDRAWS,
        })
    }

    fn read(&self, json: &str) -> Result<Arc<dyn AnyProblem>, Error> {
        let invalid = |message| Error::InvalidProblem { family: Family::about(self).name, message };
        if json.len() > LONGEST_PROBLEM {
            let bytes = json.len();
            return Err(invalid(format!("{bytes} bytes of JSON, but at most {LONGEST_PROBLEM}")));
        }
        let reader = &mut serde_json::Deserializer::from_str(json);
        let problem: F::Problem = serde_path_to_error::deserialize(&mut *reader).map_err(|error| {
            let (path, inner) = (error.path().to_string(), error.inner().to_string());
            // The text may quote the JSON, which may be long.
            let (path, inner) = (shortened(&path), shortened(&inner));
            if path == "." { invalid(inner) } else { invalid(format!("`{path}`: {inner}")) }
        })?;
        reader.end().map_err(|error| invalid(error.to_string()))?;
        Problem::check(&problem).map_err(invalid)?;
        Ok(Arc::new(problem))
    }

    fn certify(&self, problem: &dyn AnyProblem) -> Result<Certificate, Error> {
        let problem = own::<F>(problem);
        let invalid = |message| Error::InvalidProblem { family: Family::about(self).name, message };
        Problem::check(problem).map_err(invalid)?;
        TaskFamily::certify(self, problem, &mut Budget::new(CERTIFY_STEPS)).map_err(invalid)
    }

    fn mutate(
        &self,
        problem: &dyn AnyProblem,
        aim: Aim,
        rng: &mut Rng,
    ) -> Result<Option<Arc<dyn AnyProblem>>, Error> {
        let mutate = |rng: &mut Rng| {
            TaskFamily::mutate(self, own::<F>(problem), aim, rng, &mut Budget::new(GENERATE_STEPS))
        };
        for _ in 0..MUTATIONS {
            let Some(mutated) = mutate(rng) else {
                return Ok(None);
            };
            let (before, after) = (problem.difficulty(), AnyProblem::difficulty(&mutated));
            let moved = match aim {
                Aim::Harder => after > before,
                Aim::Easier => after < before,
                Aim::Same => (after - before).abs() <= SAME_DIFFICULTY,
            };
            let differs = Problem::fingerprint(&mutated) != problem.fingerprint();
            if moved && differs && Family::certify(self, &mutated).is_ok() {
                return Ok(Some(Arc::new(mutated)));
            }
        }
        Ok(None)
    }
}

/// Mutations tried before giving up.
const MUTATIONS: u32 = 64;
/// Difficulties this near count as the same.
const SAME_DIFFICULTY: f32 = 0.05;

fn own<F: TaskFamily>(problem: &dyn AnyProblem) -> &F::Problem {
    let problem: &dyn Any = problem;
    problem.downcast_ref().expect("a problem is handed to its own family")
}
