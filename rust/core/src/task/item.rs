//! Items as callers hold them: a problem with its identity and its wording, alone or by the batch.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::budget::Budget;
use crate::error::Error;
use crate::families;
use crate::pool;
use crate::rng::Key;
use crate::task::answer::{self, Reading};
use crate::task::family::{Aim, AnyProblem, Configured, Draw, Family, JUDGE_STEPS};
use crate::task::split::{Fingerprint, Split};
use crate::task::style::{Style, StyleChoice};
use crate::task::verdict::{StepVerdict, Verdict};

/// Which items to make, apart from their indices.
#[derive(Clone)]
pub struct Recipe {
    pub family: &'static dyn Family,
    pub configured: Configured,
    pub split: Split,
    pub seed: u64,
    pub style: StyleChoice,
}

impl Recipe {
    /// A level's params, with some fields of the caller's; level 0 by default.
    pub fn new(
        family: &'static dyn Family,
        level: u8,
        params: &Map<String, Value>,
        split: Split,
        seed: u64,
        style: &Map<String, Value>,
    ) -> Result<Self, Error> {
        let mut fields = family.level(level)?;
        fields.extend(params.clone());
        let style = StyleChoice::parse(style, family.about())?;
        style.check(split, family.about())?;
        Ok(Self { family, configured: family.configure(&fields)?, split, seed, style })
    }

    fn draw(&self) -> Draw {
        let about = self.family.about();
        let canonical = &self.configured.canonical;
        let key = Key::new(about.name, about.version(), self.split.name(), self.seed, canonical);
        Draw { key, split: self.split }
    }
}

/// Where an item comes from. Fields that do not apply are `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    /// `family/vN/split/seed/index-hash` for a drawn item; the caller's own for any other.
    pub id: String,
    pub split: Option<Split>,
    pub seed: Option<u64>,
    pub index: Option<u64>,
    pub level: Option<u8>,
    pub params: Option<Map<String, Value>>,
}

/// A problem with its identity and wording.
#[derive(Clone)]
pub struct Task {
    pub family: &'static dyn Family,
    pub identity: Identity,
    pub style: Style,
    pub problem: Arc<dyn AnyProblem>,
    /// The prompt when it is not the family's own wording.
    given_prompt: Option<String>,
}

impl Task {
    pub fn draw(recipe: &Recipe, index: u64) -> Result<Self, Error> {
        let batch = Batch::generate(recipe, &[index], &AtomicBool::new(false))?;
        Ok(batch.task(0))
    }

    /// A task around a problem that somebody else posed: a file, a directory tree, a mutation.
    pub fn pose(
        family: &'static dyn Family,
        problem: Arc<dyn AnyProblem>,
        id: Option<String>,
        prompt: Option<String>,
        style: &Map<String, Value>,
    ) -> Result<Self, Error> {
        let style = StyleChoice::parse(style, family.about())?.or_plain();
        let mut task = Self {
            family,
            identity: Identity {
                id: String::new(),
                split: None,
                seed: None,
                index: None,
                level: None,
                params: None,
            },
            style,
            problem,
            given_prompt: prompt,
        };
        task.identity.id = id.unwrap_or_else(|| {
            let about = family.about();
            format!("{}/v{}/posed/{:032x}", about.name, about.version(), task.fingerprint().key)
        });
        Ok(task)
    }

    pub fn prompt(&self) -> String {
        match &self.given_prompt {
            Some(prompt) => prompt.clone(),
            None => self.style.dress(self.problem.prompt(&self.style), self.family.about()),
        }
    }

    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::new(self.family.about().name, &self.problem.fingerprint())
    }

    /// The answer as a well-formed completion.
    pub fn wrap(&self, answer: &str) -> String {
        wrap(self.family, answer)
    }

    pub fn verify(&self, text: &str, reading: Option<Reading>) -> Verdict {
        verify(self.family, &*self.problem, text, reading)
    }

    /// Judges reasoning steps one after the other, or `None` if the family does not check steps.
    pub fn verify_steps(&self, steps: &[&str]) -> Option<Vec<StepVerdict>> {
        let check = |i: usize| {
            let mut budget = Budget::new(JUDGE_STEPS);
            self.problem.check_step(&steps[..i], steps[i], &mut budget)
        };
        if steps.is_empty() {
            // The family answers for a step it has not seen, so that "no steps" differs from "no checks".
            return self.problem.check_step(&[], "", &mut Budget::new(JUDGE_STEPS)).map(|_| Vec::new());
        }
        (0..steps.len()).map(check).collect()
    }

    /// Answers near the right one that must fail.
    pub fn wrong_answers(&self, seed: u64) -> Vec<String> {
        let about = self.family.about();
        let key = Key::new(about.name, about.version(), "wrong", seed, &self.problem.json());
        self.problem.wrong_answers(&mut key.stream(0))
    }

    /// A certified task near this one.
    pub fn mutate(&self, aim: Aim, seed: u64) -> Result<Self, Error> {
        let about = self.family.about();
        let key = Key::new(about.name, about.version(), "mutate", seed, &self.problem.json());
        let mutated = self.family.mutate(&*self.problem, aim, &mut key.aside(aim.name()).stream(0))?;
        let problem = mutated.ok_or_else(|| Error::Unsupported {
            family: about.name,
            message: format!("no {} problem was found near this one", aim.name()),
        })?;
        let mut task = Self::pose(self.family, problem, None, None, &Map::new())?;
        task.identity.id = format!("{}/{}/{seed}", self.identity.id, aim.name());
        task.style = self.style.clone();
        Ok(task)
    }

    /// The record of docs/records.md: all that a file needs to hold.
    pub fn to_json(&self) -> Value {
        let about = self.family.about();
        let solution = self.problem.solution();
        let identity = &self.identity;
        json!({
            "task_id": identity.id,
            "family": about.name,
            "domain": about.domain,
            "version": about.version(),
            "split": identity.split.map(Split::name),
            "seed": identity.seed,
            "index": identity.index,
            "level": identity.level,
            "params": identity.params,
            "style": self.style.to_json(about),
            "difficulty": self.problem.difficulty(),
            "prompt": self.prompt(),
            "answer_tag": about.answer_tag,
            "solution": { "steps": solution.steps, "answer": solution.answer },
            "problem": self.problem.json(),
            "key": format!("{:032x}", self.fingerprint().key),
        })
    }

    /// Reads what [`Task::to_json`] wrote; the stored prompt is kept word for word.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let invalid = |message: String| Error::InvalidTask { message };
        let record: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
        let field = |name: &str| {
            let value = record.get(name).and_then(Value::as_str);
            value.ok_or_else(|| invalid(format!("`{name}` is missing or not text")))
        };
        let whole = |name: &str| match record.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value
                .as_u64()
                .map(Some)
                .ok_or_else(|| invalid(format!("`{name}` is {value}, but must be a whole number"))),
        };
        let object = |name: &str| match record.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map.clone())),
            Some(_) => Err(invalid(format!("`{name}` must be an object"))),
        };
        let family = families::find(field("family")?)?;
        let about = family.about();
        if let Some(version) = whole("version")?
            && version > u64::from(about.version())
        {
            return Err(invalid(format!(
                "`version` is {version}, but this release knows {} up to version {}",
                about.name,
                about.version()
            )));
        }
        let problem = family.read(field("problem")?)?;
        let style = object("style")?.unwrap_or_default();
        let prompt = field("prompt")?.to_owned();
        let id = field("task_id")?.to_owned();
        let mut task = Self::pose(family, problem, Some(id), None, &style)?;
        if task.prompt() != prompt {
            task.given_prompt = Some(prompt);
        }
        task.identity.split = match record.get("split").and_then(Value::as_str) {
            Some(name) => Some(Split::find(name)?),
            None => None,
        };
        task.identity.seed = whole("seed")?;
        task.identity.index = whole("index")?;
        task.identity.level = whole("level")?.map(|level| level.min(u64::from(u8::MAX)) as u8);
        task.identity.params = object("params")?;
        Ok(task)
    }
}

/// The answer as a well-formed completion of a family's tasks.
pub fn wrap(family: &dyn Family, answer: &str) -> String {
    let tag = family.about().answer_tag;
    let line = if answer.contains('\n') { "\n" } else { "" };
    format!("<{tag}>{line}{answer}{line}</{tag}>")
}

/// Judges a completion. A verdict depends on the problem and the text alone.
pub fn verify(
    family: &dyn Family,
    problem: &dyn AnyProblem,
    text: &str,
    reading: Option<Reading>,
) -> Verdict {
    let about = family.about();
    let reply = answer::read(text, about.answer_tag, reading.unwrap_or(about.reading));
    let mut verdict = problem.judge(&reply, about.answer_tag, &mut Budget::new(JUDGE_STEPS));
    verdict.answer = reply.span();
    verdict.settled(about.parts.len())
}

/// Smaller requests run on the caller's thread: entering the pool costs about 10 µs.
const GRAIN: usize = 64;

/// Items of one recipe, in the order of their indices as asked for.
pub struct Batch {
    pub recipe: Recipe,
    indices: Vec<u64>,
    problems: Vec<Arc<dyn AnyProblem>>,
    styles: Vec<Style>,
}

impl Batch {
    /// Makes the items at `indices`; `stop` ends it early with [`Error::Interrupted`].
    pub fn generate(recipe: &Recipe, indices: &[u64], stop: &AtomicBool) -> Result<Self, Error> {
        let draw = recipe.draw();
        let wording = draw.key.aside("style");
        let about = recipe.family.about();
        let item = |index: &u64| {
            if stop.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            let problem = recipe.family.generate(&recipe.configured, &draw, *index)?;
            let style = recipe.style.draw(recipe.split, about, &mut wording.stream(*index));
            Ok((problem, style))
        };
        let made: Result<Vec<_>, Error> = if indices.len() < GRAIN {
            indices.iter().map(item).collect()
        } else {
            pool::run(|| indices.par_iter().with_min_len(GRAIN / 4).map(item).collect())
        };
        let (problems, styles) = made?.into_iter().unzip();
        Ok(Self { recipe: recipe.clone(), indices: indices.to_vec(), problems, styles })
    }

    pub fn len(&self) -> usize {
        self.problems.len()
    }

    pub fn is_empty(&self) -> bool {
        self.problems.is_empty()
    }

    pub fn problem(&self, position: usize) -> &dyn AnyProblem {
        &*self.problems[position]
    }

    /// The prompts, made in parallel.
    pub fn prompts(&self) -> Vec<String> {
        let about = self.recipe.family.about();
        let prompt =
            |(problem, style): (&Arc<dyn AnyProblem>, &Style)| style.dress(problem.prompt(style), about);
        if self.len() < GRAIN {
            self.problems.iter().zip(&self.styles).map(prompt).collect()
        } else {
            pool::run(|| {
                let items = self.problems.par_iter().zip(&self.styles);
                items.with_min_len(GRAIN / 4).map(prompt).collect()
            })
        }
    }

    /// The records of [`Task::to_json`] as lines of JSON, made in parallel.
    pub fn records(&self, stop: &AtomicBool) -> Result<Vec<String>, Error> {
        judge_all(self.len(), stop, |i| self.task(i).to_json().to_string())
    }

    /// The answers of the solutions, made in parallel.
    pub fn answers(&self, stop: &AtomicBool) -> Result<Vec<String>, Error> {
        judge_all(self.len(), stop, |i| self.problems[i].solution().answer)
    }

    /// The durable name of one item.
    pub fn id(&self, position: usize) -> String {
        let recipe = &self.recipe;
        let about = recipe.family.about();
        let mut hash = Sha256::new();
        hash.update(&recipe.configured.canonical);
        hash.update([0]);
        hash.update(self.styles[position].to_json(about).to_string());
        let digest: [u8; 32] = hash.finalize().into();
        format!(
            "{}/v{}/{}/{}/{}-{:08x}",
            about.name,
            about.version(),
            recipe.split.name(),
            recipe.seed,
            self.indices[position],
            u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]),
        )
    }

    /// One item with everything about it.
    pub fn task(&self, position: usize) -> Task {
        let recipe = &self.recipe;
        Task {
            family: recipe.family,
            identity: Identity {
                id: self.id(position),
                split: Some(recipe.split),
                seed: Some(recipe.seed),
                index: Some(self.indices[position]),
                level: recipe.configured.level,
                params: Some(recipe.configured.fields.clone()),
            },
            style: self.styles[position].clone(),
            problem: self.problems[position].clone(),
            given_prompt: None,
        }
    }

    /// Judges one completion per item, in order.
    pub fn verify(
        &self,
        texts: &[&str],
        reading: Option<Reading>,
        stop: &AtomicBool,
    ) -> Result<Vec<Verdict>, Error> {
        assert_eq!(texts.len(), self.len(), "one completion per item");
        let family = self.recipe.family;
        judge_all(texts.len(), stop, |i| verify(family, &*self.problems[i], texts[i], reading))
    }
}

/// Runs `judge` for `0..count`, in the pool when that pays.
pub fn judge_all<T: Send>(
    count: usize,
    stop: &AtomicBool,
    judge: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, Error> {
    let one = |i| {
        if stop.load(Ordering::Relaxed) { Err(Error::Interrupted) } else { Ok(judge(i)) }
    };
    if count < GRAIN {
        (0..count).map(one).collect()
    } else {
        pool::run(|| (0..count).into_par_iter().with_min_len(GRAIN).map(one).collect())
    }
}
