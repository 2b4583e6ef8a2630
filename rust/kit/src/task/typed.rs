//! Erases the types of families and problems. Only thin hooks are generic; the bodies are compiled once.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value};

use crate::budget::Budget;
use crate::error::Error;
use crate::json;
use crate::params::{self, Params};
use crate::rng::Rng;
use crate::rules::Play;
use crate::task::about::About;
use crate::task::answer::Reply;
use crate::task::certificate::{Aim, Certificate, Exhausted};
use crate::task::erased::{AnyFamily, AnyProblem, Configured, Instance};
use crate::task::family::PreparedFamily;
use crate::task::form::Form;
use crate::task::problem::{self, Problem};
use crate::task::solution::{Effort, Faults, Solution};
use crate::task::split::{Fingerprint, Split};
use crate::task::steps::{StepJudge, Trace, judge_steps};
use crate::task::style::{Choices, TemplateName};
use crate::task::verdict::Verdict;

/// Mutations tried before giving up.
const MUTATIONS: u32 = 256;
/// Difficulties this near count as the same.
const SAME_DIFFICULTY: f32 = 0.05;

/// A problem with data computed about it.
struct Known<P> {
    problem: P,
    effort: OnceLock<Effort>,
    steps_due: OnceLock<usize>,
}

impl<P: Problem> Known<P> {
    fn shared(problem: P) -> Arc<dyn AnyProblem> {
        Arc::new(Self { problem, effort: OnceLock::new(), steps_due: OnceLock::new() })
    }
}

impl<P: Problem> AnyProblem for Known<P> {
    fn check(&self) -> Result<(), String> {
        self.problem.check()
    }

    fn word(&self, template: usize, choices: Choices<'_>) -> String {
        problem::word(&self.problem, template, choices)
    }

    fn sentence(&self, tag: &str) -> String {
        self.problem.form().sentence(tag)
    }

    fn asks(&self) -> String {
        self.problem.form().asks()
    }

    fn solution(&self) -> Solution {
        self.problem.solution()
    }

    fn answer(&self) -> String {
        self.problem.answer()
    }

    fn effort(&self) -> Effort {
        known_effort(&self.effort, &|| self.problem.effort())
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<String> {
        let form = self.problem.form();
        self.problem.near_misses(faults, rng).iter().map(|answer| form.write(answer)).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, String)> {
        let form = self.problem.form();
        self.problem.guesses(rng).iter().map(|(name, answer)| (*name, form.write(answer))).collect()
    }

    fn shortcuts(&self, rng: &mut Rng) -> Vec<(&'static str, String)> {
        let form = self.problem.form();
        self.problem.shortcuts(rng).iter().map(|(name, answer)| (*name, form.write(answer))).collect()
    }

    fn another(&self, rng: &mut Rng) -> Option<String> {
        self.problem.another(rng).map(|answer| self.problem.form().write(&answer))
    }

    fn respelled(&self, answer: &str) -> Option<String> {
        self.problem.form().respelled(answer)
    }

    fn rewritten(&self, answer: &str) -> Option<String> {
        let form = self.problem.form();
        form.read(answer).ok().map(|read| form.write(&read))
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        self.problem.form().mangled(right)
    }

    fn twin(&self, rng: &mut Rng) -> Arc<dyn AnyProblem> {
        Self::shared(self.problem.twin(rng))
    }

    fn fingerprint(&self) -> Vec<u8> {
        self.problem.fingerprint()
    }

    fn inner(&self) -> Option<&Instance> {
        self.problem.inner()
    }

    fn json(&self) -> String {
        serde_json::to_string(&self.problem).expect("problems serialise")
    }

    fn judge(&self, reply: &Reply<'_>, tag: &str, budget: &mut Budget) -> Verdict {
        self.problem.judge(reply, tag, budget)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        self.problem.steps()
    }

    fn steps_due(&self, most: u64) -> usize {
        *self.steps_due.get_or_init(|| steps_due(self, most))
    }

    fn slip(&self, rng: &mut Rng) -> Option<(usize, Vec<String>)> {
        self.problem.slip(rng)
    }

    fn hints(&self) -> Vec<String> {
        self.problem.hints()
    }

    fn trace(&self) -> Option<Box<dyn Trace + '_>> {
        self.problem.trace()
    }

    fn moves(&self) -> Option<Box<dyn Play>> {
        self.problem.moves()
    }
}

fn known_effort(known: &OnceLock<Effort>, effort: &dyn Fn() -> Effort) -> Effort {
    *known.get_or_init(effort)
}

fn steps_due(problem: &dyn AnyProblem, most: u64) -> usize {
    let Some(mut judge) = problem.steps() else { return 0 };
    let verdicts = judge_steps(&mut *judge, &problem.solution().steps, &mut Budget::new(most));
    verdicts.iter().filter(|verdict| verdict.advances).count()
}

fn own<F: PreparedFamily>(problem: &dyn AnyProblem) -> &F::Problem {
    let problem: &dyn Any = problem;
    let known: &Known<F::Problem> = problem.downcast_ref().expect("a problem is handed to its own family");
    &known.problem
}

/// A family's params, and its precomputed data for them.
type Typed<F> = (<F as PreparedFamily>::Params, <F as PreparedFamily>::Prepared);

impl<F: PreparedFamily> AnyFamily for F {
    fn about(&self) -> &'static About {
        &F::ABOUT
    }

    fn top_level(&self) -> u8 {
        (F::Params::LEVELS.len() - 1) as u8
    }

    fn templates(&self) -> Vec<TemplateName> {
        let templates = F::Problem::TEMPLATES.iter();
        let templates = templates.map(|template| (template.name, template.held_out));
        let prompts = F::Problem::PROMPTS.iter().map(|prompt| (prompt.name, prompt.held_out));
        prompts.chain(templates).map(|(name, held_out)| TemplateName { name, held_out }).collect()
    }

    fn schema(&self) -> Value {
        params::schema::<F::Params>()
    }

    fn level(&self, level: u8) -> Map<String, Value> {
        params::fields(&F::Params::LEVELS[usize::from(level)])
    }

    fn plain_level(&self, level: u8) -> Map<String, Value> {
        params::plain(&F::Params::LEVELS[usize::from(level)])
    }

    fn configure(&self, given: &Map<String, Value>, schema: &Value) -> Result<Configured, Error> {
        let params: F::Params = match params::parse(given, schema) {
            Ok(params) => params,
            Err(message) => return Err(Error::InvalidParams { family: F::ABOUT.name, message }),
        };
        let prepared = F::prepare(&params)?;
        let (fields, depends_on) = (params::fields(&params), F::depends_on(&prepared));
        Ok(configured(Arc::<Typed<F>>::new((params, prepared)), fields, depends_on, schema))
    }

    fn generate(
        &self,
        configured: &Configured,
        wanted: Option<Split>,
        rng: &mut Rng,
    ) -> Result<Arc<dyn AnyProblem>, Error> {
        let typed: Option<&Typed<F>> = configured.typed.downcast_ref();
        let (params, prepared) = typed.expect("these params were configured by this family");
        let falls = wanted.map(|split| falls_in(split, F::ABOUT.name));
        let draws = wanted.map_or(1, Split::draws);
        let mut budget = Budget::new(draws * F::ABOUT.budgets.generate);
        if let Some(falls) = &falls {
            budget = budget.wanting(falls);
        }
        match PreparedFamily::generate(self, params, prepared, rng, &mut budget) {
            Ok(problem) => Ok(Known::shared(problem)),
            Err(Exhausted) => Err(exhausted(&F::ABOUT, configured)),
        }
    }

    fn read(&self, json: &str) -> Result<Arc<dyn AnyProblem>, String> {
        let problem: F::Problem = json::read(json).map_err(|unread| unread.to_string())?;
        checked(json, Known::shared(problem))
    }

    fn certify(&self, problem: &dyn AnyProblem) -> Result<Certificate, Error> {
        let budget = &mut Budget::new(F::ABOUT.budgets.certify);
        let certified = problem.check().and_then(|()| own::<F>(problem).certify(budget));
        certified.map_err(|message| Error::InvalidProblem { family: F::ABOUT.name, message })
    }

    fn mutate(
        &self,
        problem: &dyn AnyProblem,
        aim: Aim,
        rng: &mut Rng,
    ) -> Result<Option<Arc<dyn AnyProblem>>, Error> {
        let one = &mut |budget: &mut Budget| own::<F>(problem).edited(aim, rng, budget).map(Known::shared);
        Ok(mutated(self, problem, aim, one))
    }
}

/// Says of fingerprints of a family whether they fall in a split.
fn falls_in(split: Split, family: &'static str) -> impl Fn(&[u8]) -> bool + Sync {
    move |fingerprint| Fingerprint::new(family, fingerprint).split() == split
}

fn configured(
    typed: Arc<dyn Any + Send + Sync>,
    fields: Map<String, Value>,
    depends_on: String,
    schema: &Value,
) -> Configured {
    Configured { canonical: params::canonical(&fields, schema), typed, fields, depends_on, level: None }
}

fn exhausted(about: &About, configured: &Configured) -> Error {
    Error::Exhausted { family: about.name, params: configured.canonical.clone() }
}

/// A problem that was read and keeps to its bounds.
fn checked(json: &str, problem: Arc<dyn AnyProblem>) -> Result<Arc<dyn AnyProblem>, String> {
    problem.check()?;
    if !same_objects(json, &problem.json()) {
        return Err("a list stands where an object belongs".to_owned());
    }
    Ok(problem)
}

/// True if JSON has objects in the same places as its `written` form: serde also accepts a list of the
/// fields' values.
fn same_objects(json: &str, written: &str) -> bool {
    let braces = |text: &str| memchr::memchr_iter(b'{', text.as_bytes()).count();
    // A brace in a string may be escaped in only one of the texts.
    braces(json) == braces(written)
        || serde_json::from_str::<Value>(json).ok() == serde_json::from_str(written).ok()
}

/// Draws with `one` until a certified problem has moved as requested.
fn mutated(
    family: &dyn AnyFamily,
    problem: &dyn AnyProblem,
    aim: Aim,
    one: &mut dyn FnMut(&mut Budget) -> Option<Arc<dyn AnyProblem>>,
) -> Option<Arc<dyn AnyProblem>> {
    let difficulty = problem.effort().difficulty();
    for _ in 0..MUTATIONS {
        let budget = &mut Budget::new(family.about().budgets.generate);
        let Some(mutated) = one(budget) else {
            // A draw that led to nothing is repeated; a search that ran out of steps is not.
            if budget.spend(1).is_err() {
                return None;
            }
            continue;
        };
        let change = mutated.effort().difficulty() - difficulty;
        let moved = match aim {
            Aim::Harder => change > 0.0,
            Aim::Easier => change < 0.0,
            Aim::Same => change.abs() <= SAME_DIFFICULTY,
        };
        let differs = mutated.fingerprint() != problem.fingerprint();
        if moved && differs && family.certify(&*mutated).is_ok() {
            return Some(mutated);
        }
    }
    None
}
