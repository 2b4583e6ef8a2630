//! Python-defined families: the core's traits over an object of `reasonenv.kit`, in which all values are text.
//!
//! An exception raised by a method propagates through the core to the function that Python called; see
//! [`crate::gil::raise`].

use std::sync::{Arc, OnceLock};

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use reasonenv::budget::Budget;
use reasonenv::error::Error;
use reasonenv::families;
use reasonenv::params;
use reasonenv::rng::Rng;
use reasonenv::rules::Play;
use reasonenv::task::about::{About, JudgedBy};
use reasonenv::task::answer::{Reading, Reply, unread};
use reasonenv::task::certificate::{Aim, Certificate};
use reasonenv::task::erased::{self, AnyFamily, AnyProblem, Configured, FAMILIES, Instance};
use reasonenv::task::solution::{Effort, Faults, Solution};
use reasonenv::task::split::Split;
use reasonenv::task::steps::StepJudge;
use reasonenv::task::style::{Choices, TemplateName};
use reasonenv::task::verdict::{self as judgement, Part, interned};
use serde::Deserialize;
use serde_json::{Map, Number, Value};

use crate::args::Text;
use crate::errors::{Exhausted, InvalidArgument, to_py};
use crate::families::Family;
use crate::gil::raise;
use crate::rng::lent;
use crate::verdicts::Verdict;

/// Description of a family, checked by `reasonenv.kit`.
#[derive(Deserialize)]
struct Described {
    name: String,
    domain: String,
    summary: String,
    changes: Vec<String>,
    distinct_from: u8,
    judged_by: String,
    answer_tag: String,
    failures: Vec<(String, String)>,
    parts: Vec<(String, String)>,
    skills: Vec<String>,
    reading: String,
    guess_rate: f32,
    guess_score: f32,
    templates: Vec<(String, bool)>,
    schema: Value,
    levels: Vec<Map<String, Value>>,
}

/// Keep a text or a list as long as the process lives, as registered families do.
pub fn kept(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

pub fn all_kept<T, U>(items: Vec<T>, keep: impl Fn(T) -> U) -> &'static [U] {
    Box::leak(items.into_iter().map(keep).collect())
}

impl Described {
    fn about(&mut self) -> Result<About, Error> {
        let text = |text: &mut String| kept(std::mem::take(text));
        let judged_by = JudgedBy::find(&self.judged_by)?;
        let reading = Reading::find(&self.reading)?;
        let mut about = About::new(text(&mut self.domain), text(&mut self.name), &[]);
        about.summary = text(&mut self.summary);
        about.changes = all_kept(std::mem::take(&mut self.changes), kept);
        about.distinct_from = self.distinct_from;
        about.judged_by = judged_by;
        about.answer_tag = text(&mut self.answer_tag);
        about.failures =
            all_kept(std::mem::take(&mut self.failures), |(label, means)| (kept(label), kept(means)));
        let part = |(name, means)| Part { name: kept(name), means: kept(means) };
        about.parts = all_kept(std::mem::take(&mut self.parts), part);
        about.skills = all_kept(std::mem::take(&mut self.skills), kept);
        about.reading = reading;
        about.guess_rate = self.guess_rate;
        about.guess_score = self.guess_score;
        Ok(about)
    }
}

/// Return the default of every param.
fn defaults(schema: &Value) -> Map<String, Value> {
    let fields = schema["properties"].as_object().into_iter().flatten();
    fields.map(|(name, field)| (name.clone(), field["default"].clone())).collect()
}

/// Return params completed with the defaults of those that are missing.
pub fn filled(given: &Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let mut fields = defaults(schema);
    for (name, value) in given {
        // A whole number for a real param counts as the same real number.
        let is_real = schema["properties"][name]["type"] == "number";
        let real = value.as_f64().filter(|_| is_real).and_then(Number::from_f64);
        fields.insert(name.clone(), real.map_or_else(|| value.clone(), Value::Number));
    }
    fields
}

/// Object of `reasonenv.kit` that implements a family or a game.
#[derive(Debug)]
pub struct Asked(pub Py<PyAny>);

impl Asked {
    /// Call a method; unwinds with what it raises.
    pub fn ask<'py, T, A>(&self, py: Python<'py>, method: &str, args: A) -> T
    where
        T: for<'a> FromPyObject<'a, 'py>,
        A: PyCallArgs<'py>,
    {
        self.try_ask(py, method, args).unwrap_or_else(|error| raise(error))
    }

    pub fn try_ask<'py, T, A>(&self, py: Python<'py>, method: &str, args: A) -> PyResult<T>
    where
        T: for<'a> FromPyObject<'a, 'py>,
        A: PyCallArgs<'py>,
    {
        let given = self.0.bind(py).call_method1(method, args)?;
        given.extract().map_err(Into::into)
    }
}

/// Python-defined family.
struct OwnFamily {
    asked: Arc<Asked>,
    about: &'static About,
    templates: Vec<TemplateName>,
    schema: Value,
    levels: Vec<Map<String, Value>>,
}

impl OwnFamily {
    fn problem(&self, (json, key): (String, Vec<u8>)) -> Arc<dyn AnyProblem> {
        Arc::new(OwnProblem { asked: self.asked.clone(), json, key, effort: OnceLock::new() })
    }

    fn invalid(&self, message: String) -> Error {
        Error::InvalidProblem { family: self.about.name, message }
    }
}

/// Result of a method that may reject its argument: a message, or the value.
#[derive(FromPyObject)]
enum Checked<T> {
    Refused(String),
    Made(T),
}

impl AnyFamily for OwnFamily {
    fn about(&self) -> &'static About {
        self.about
    }

    fn is_outside(&self) -> bool {
        true
    }

    fn top_level(&self) -> u8 {
        (self.levels.len() - 1) as u8
    }

    fn templates(&self) -> Vec<TemplateName> {
        self.templates.clone()
    }

    fn schema(&self) -> Value {
        self.schema.clone()
    }

    fn level(&self, level: u8) -> Map<String, Value> {
        self.levels[usize::from(level)].clone()
    }

    fn configure(&self, given: &Map<String, Value>, schema: &Value) -> Result<Configured, Error> {
        let invalid = |message| Error::InvalidParams { family: self.about.name, message };
        params::check(given, schema).map_err(invalid)?;
        let fields = filled(given, schema);
        let text = Value::Object(fields.clone()).to_string();
        let refused = Python::attach(|py| self.asked.ask::<Option<String>, _>(py, "check_params", (text,)));
        if let Some(message) = refused {
            return Err(invalid(message));
        }
        let canonical = params::canonical(&fields, schema);
        Ok(Configured::outside(fields, canonical))
    }

    fn generate(
        &self,
        configured: &Configured,
        _wanted: Option<Split>,
        rng: &mut Rng,
    ) -> Result<Arc<dyn AnyProblem>, Error> {
        let params = Value::Object(configured.fields.clone()).to_string();
        Python::attach(|py| {
            let made = lent(py, rng, |rng| self.asked.try_ask(py, "generate", (params, rng)));
            match made {
                Ok(made) => Ok(self.problem(made)),
                Err(error) if error.is_instance_of::<Exhausted>(py) => {
                    Err(Error::Exhausted { family: self.about.name, params: configured.canonical.clone() })
                }
                Err(error) => raise(error),
            }
        })
    }

    fn read(&self, json: &str) -> Result<Arc<dyn AnyProblem>, String> {
        // Python's own parser does not bound the nesting of JSON.
        serde_json::from_str::<Value>(json).map_err(|error| error.to_string())?;
        match Python::attach(|py| self.asked.ask(py, "read", (json,))) {
            Checked::Refused(message) => Err(message),
            Checked::Made(made) => Ok(self.problem(made)),
        }
    }

    fn certify(&self, problem: &dyn AnyProblem) -> Result<Certificate, Error> {
        match Python::attach(|py| self.asked.ask(py, "certify", (problem.json(),))) {
            Checked::Refused(message) => Err(self.invalid(message)),
            Checked::Made((unique, proof)) => Ok(Certificate { unique, proof }),
        }
    }

    fn mutate(
        &self,
        _problem: &dyn AnyProblem,
        _aim: Aim,
        _rng: &mut Rng,
    ) -> Result<Option<Arc<dyn AnyProblem>>, Error> {
        Ok(None)
    }
}

/// Problem of a Python-defined family: its JSON, which each method parses into a copy.
struct OwnProblem {
    asked: Arc<Asked>,
    json: String,
    key: Vec<u8>,
    effort: OnceLock<Effort>,
}

impl OwnProblem {
    /// Call a method with this problem.
    fn ask<T: for<'a, 'py> FromPyObject<'a, 'py>>(&self, method: &str) -> T {
        Python::attach(|py| self.asked.ask(py, method, (&self.json,)))
    }

    fn twin_of(&self, (json, key): (String, Vec<u8>)) -> Arc<dyn AnyProblem> {
        Arc::new(Self { asked: self.asked.clone(), json, key, effort: OnceLock::new() })
    }
}

impl AnyProblem for OwnProblem {
    fn word(&self, template: usize, choices: Choices<'_>) -> String {
        let word = |rng: &mut Rng| {
            Python::attach(|py| {
                let worded = lent(py, rng, |rng| self.asked.try_ask(py, "word", (&self.json, template, rng)));
                worded.unwrap_or_else(|error| raise(error))
            })
        };
        match choices {
            Choices::Of(style) => word(&mut style.rng()),
            Choices::From(rng) => word(rng),
        }
    }

    fn sentence(&self, tag: &str) -> String {
        Python::attach(|py| self.asked.ask(py, "sentence", (&self.json, tag)))
    }

    fn asks(&self) -> String {
        self.ask("asks")
    }

    fn solution(&self) -> Solution {
        let (steps, answer) = self.ask("solution");
        Solution { steps, answer }
    }

    fn effort(&self) -> Effort {
        if let Some(effort) = self.effort.get() {
            return *effort;
        }
        // Computed before it is stored: a thread that waits for the value must not hold the GIL.
        let (steps, half): (u64, u64) = self.ask("effort");
        *self.effort.get_or_init(|| Effort::new(steps, half))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<String> {
        let count = match faults {
            Faults::Some(count) => Some(count),
            Faults::All => None,
        };
        Python::attach(|py| {
            let near = lent(py, rng, |rng| self.asked.try_ask(py, "near_misses", (&self.json, count, rng)));
            near.unwrap_or_else(|error| raise(error))
        })
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, String)> {
        let guesses: Vec<(String, String)> = Python::attach(|py| {
            let guessed = lent(py, rng, |rng| self.asked.try_ask(py, "guesses", (&self.json, rng)));
            guessed.unwrap_or_else(|error| raise(error))
        });
        let named = |(name, answer): (String, String)| match interned(&name) {
            Ok(name) => (name, answer),
            Err(why) => raise(InvalidArgument::new_err(format!("`guesses` has {why}"))),
        };
        guesses.into_iter().map(named).collect()
    }

    fn another(&self, _rng: &mut Rng) -> Option<String> {
        None
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        Python::attach(|py| self.asked.ask(py, "mangled", (&self.json, right)))
    }

    fn twin(&self, rng: &mut Rng) -> Arc<dyn AnyProblem> {
        Python::attach(|py| {
            let twin = lent(py, rng, |rng| self.asked.try_ask(py, "twin", (&self.json, rng)));
            self.twin_of(twin.unwrap_or_else(|error| raise(error)))
        })
    }

    fn fingerprint(&self) -> Vec<u8> {
        self.key.clone()
    }

    fn inner(&self) -> Option<&Instance> {
        None
    }

    fn json(&self) -> String {
        self.json.clone()
    }

    fn judge(&self, reply: &Reply<'_>, tag: &str, _budget: &mut Budget) -> judgement::Verdict {
        match (reply.answer, reply.faults.as_slice()) {
            (Some(answer), []) => Python::attach(|py| {
                let given = self.asked.ask::<Bound<'_, PyAny>, _>(py, "judge", (&self.json, answer));
                match given.cast::<Verdict>() {
                    Ok(verdict) => verdict.get().judged(),
                    Err(error) => raise(error.into()),
                }
            }),
            _ => unread(reply, tag).into(),
        }
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        None
    }

    fn moves(&self) -> Option<Box<dyn Play>> {
        None
    }
}

/// Register a family in this process. `asked` implements it, `about` describes it as JSON.
#[pyfunction]
pub fn _register_family(asked: Py<PyAny>, about: Text, replace: bool) -> PyResult<Family> {
    let mut described: Described = serde_json::from_str(about.read("about")?)
        .map_err(|error| InvalidArgument::new_err(format!("`about`: {error}")))?;
    let about: &'static About = Box::leak(Box::new(described.about().map_err(to_py)?));
    let template = |(name, held_out)| TemplateName { name: kept(name), held_out };
    let family = OwnFamily {
        asked: Arc::new(Asked(asked)),
        about,
        templates: described.templates.into_iter().map(template).collect(),
        schema: described.schema,
        levels: described.levels,
    };
    families::all();
    FAMILIES.add(erased::Family::new(Box::leak(Box::new(family))), replace).map(Family).map_err(to_py)
}

/// Remove a family that `_register_family` registered.
#[pyfunction]
pub fn _unregister_family(name: Text) -> PyResult<()> {
    families::all();
    FAMILIES.remove(name.read("name")?).map_err(to_py)
}
