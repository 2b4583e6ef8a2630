//! One task as callers hold it: a problem with its identity and its wording.

use std::ops::Deref;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::error::Error;
use crate::params;
use crate::rng::Key;
use crate::rules::Play;
use crate::task::answer::{Reading, StopTokens};
use crate::task::certificate::Aim;
use crate::task::erased::{FAMILIES, Instance};
use crate::task::solution::Faults;
use crate::task::source::Source;
use crate::task::split::Split;
use crate::task::style::{AnswerStyle, Choices, Style, StyleChoice};
use crate::task::verdict::Verdict;

/// Draws of another answer for each that is asked for; most repeat one that is known.
const DRAWS_PER_SOLUTION: usize = 16;

/// Origin of a task.
#[derive(Clone)]
enum Origin {
    Drawn { source: Arc<Source>, index: u64 },
    Given(Box<Identity>),
}

impl Source {
    /// The task at an index.
    pub fn task(self: &Arc<Self>, index: u64) -> Result<Task, Error> {
        Ok(Task::drawn(self, index, self.instance(index)?))
    }
}

/// Identity of a task that no source here made.
#[derive(Clone, Debug, Default, PartialEq)]
struct Identity {
    id: String,
    split: Option<Split>,
    seed: Option<u64>,
    index: Option<u64>,
    level: Option<u8>,
    params: Option<Map<String, Value>>,
}

/// A problem with its identity and wording.
#[derive(Clone)]
pub struct Task {
    pub instance: Instance,
    pub style: Style,
    origin: Origin,
    /// The prompt, if it is not the family's own wording.
    given_prompt: Option<Arc<str>>,
}

impl Deref for Task {
    type Target = Instance;

    fn deref(&self) -> &Instance {
        &self.instance
    }
}

impl Task {
    /// The problem as a game of one player.
    pub fn play(&self) -> Result<Box<dyn Play>, Error> {
        self.problem.moves().ok_or_else(|| Error::Unsupported {
            family: self.family.name(),
            message: "cannot be played move by move; its modes are `solution`, `step`, `token` and `tools`"
                .to_owned(),
        })
    }

    /// The task of `source` at an index.
    fn drawn(source: &Arc<Source>, index: u64, instance: Instance) -> Self {
        let origin = Origin::Drawn { source: source.clone(), index };
        Self { instance, style: source.style(index), origin, given_prompt: None }
    }

    /// A task around a problem from another source: a file, a directory tree, a mutation.
    pub fn pose(
        instance: Instance,
        id: Option<String>,
        prompt: Option<String>,
        style: &Map<String, Value>,
    ) -> Result<Self, Error> {
        let family = instance.family;
        let style = StyleChoice::parse(style, family.name(), family.templates())?.or_plain();
        let given_prompt = prompt.map(Arc::from);
        let id = id.unwrap_or_else(|| {
            let key = instance.fingerprint().key;
            format!("{}/v{}/posed/{key:032x}", family.name(), family.about().version())
        });
        let origin = Origin::Given(Box::new(Identity { id, ..Identity::default() }));
        Ok(Self { instance, style, origin, given_prompt })
    }

    /// `family/vN/split/seed/index-hash` for a drawn task; the caller's own id for any other.
    pub fn id(&self) -> String {
        match &self.origin {
            Origin::Drawn { source, index } => source.id(*index, &self.style),
            Origin::Given(identity) => identity.id.clone(),
        }
    }

    pub fn split(&self) -> Option<Split> {
        match &self.origin {
            Origin::Drawn { source, .. } => Some(source.split),
            Origin::Given(identity) => identity.split,
        }
    }

    pub fn seed(&self) -> Option<u64> {
        match &self.origin {
            Origin::Drawn { source, .. } => Some(source.seed),
            Origin::Given(identity) => identity.seed,
        }
    }

    pub fn index(&self) -> Option<u64> {
        match &self.origin {
            Origin::Drawn { index, .. } => Some(*index),
            Origin::Given(identity) => identity.index,
        }
    }

    /// The level with these params.
    pub fn level(&self) -> Option<u8> {
        match &self.origin {
            Origin::Drawn { source, .. } => source.configured.level,
            Origin::Given(identity) => identity.level,
        }
    }

    /// Every field of the params.
    pub fn params(&self) -> Option<&Map<String, Value>> {
        match &self.origin {
            Origin::Drawn { source, .. } => Some(&source.configured.fields),
            Origin::Given(identity) => identity.params.as_ref(),
        }
    }

    /// The source that drew it, if there is one.
    pub fn source(&self) -> Option<&Arc<Source>> {
        match &self.origin {
            Origin::Drawn { source, .. } => Some(source),
            Origin::Given(_) => None,
        }
    }

    pub fn prompt(&self) -> String {
        if let Some(prompt) = &self.given_prompt {
            return prompt.as_ref().to_owned();
        }
        let tag = self.facts().tag;
        let mut prompt = self.problem.word(self.style.template, Choices::Of(&self.style));
        let answer = self.style.answer;
        let sentence = answer.reword(self.problem.sentence(tag), tag);
        prompt.reserve(1 + sentence.len());
        prompt.extend(["\n", &sentence]);
        self.style.wrapper.wrap(prompt, self.family.about(), tag, answer)
    }

    /// Difficulty of this problem in `[0, 1]`.
    pub fn difficulty(&self) -> f32 {
        self.problem.effort().difficulty()
    }

    /// Tag of the answer, unless the answer is in a box.
    pub fn answer_tag(&self) -> Option<&'static str> {
        (self.style.answer == AnswerStyle::Tag).then(|| self.facts().tag)
    }

    /// The answer as a well-formed completion.
    pub fn wrap(&self, answer: &str) -> String {
        self.style.answer.wrap(answer, self.facts().tag)
    }

    /// Verifies a completion under a reading, or under the task's own.
    pub fn verify(&self, text: &str, reading: Option<Reading>) -> Verdict {
        self.verify_until(text, reading, &StopTokens::NONE)
    }

    /// [`Task::verify`] of a completion that may end in `stop_tokens`.
    pub fn verify_until(&self, text: &str, reading: Option<Reading>, stop_tokens: &StopTokens) -> Verdict {
        self.instance.verify(text, self.style.answer, reading, stop_tokens)
    }

    /// Key of the draws for one purpose, from the problem and a seed.
    fn key(&self, purpose: &str, seed: u64) -> Key {
        let about = self.family.about();
        Key::new(about.name, about.version(), purpose, seed, &self.problem.json())
    }

    /// Answers near the right one that must fail: wrong in meaning, or spelled as the form does not allow.
    pub fn wrong_answers(&self, seed: u64) -> Vec<String> {
        let mut rng = self.key("wrong", seed).stream(0);
        let meant = Faults::LADDER.map(|faults| self.problem.near_misses(faults, &mut rng));
        let right = self.problem.answer();
        let mut wrong: Vec<String> = meant.into_iter().flatten().collect();
        wrong.extend(self.problem.mangled(&right));
        wrong
    }

    /// Answers of the family's blind policies, which search nothing, each with the policy's name.
    pub fn guesses(&self, seed: u64) -> Vec<(&'static str, String)> {
        self.problem.guesses(&mut self.key("guesses", seed).stream(0))
    }

    /// Up to `count` distinct right answers, the solution's own first. There are fewer if the problem has
    /// fewer or its family draws no others.
    pub fn solutions(&self, count: usize, seed: u64) -> Vec<String> {
        let mut rng = self.key("solutions", seed).stream(0);
        let mut found = vec![self.problem.answer()];
        for _ in 0..DRAWS_PER_SOLUTION.saturating_mul(count) {
            if found.len() >= count {
                break;
            }
            let Some(other) = self.problem.another(&mut rng) else { break };
            if !found.contains(&other) {
                found.push(other);
            }
        }
        found.truncate(count);
        found
    }

    /// A certified task near this one.
    pub fn mutate(&self, aim: Aim, seed: u64) -> Result<Self, Error> {
        let rng = &mut self.key("mutate", seed).derive(aim.name()).stream(0);
        let mutated = self.instance.mutate(aim, rng)?;
        let instance = mutated.ok_or_else(|| Error::Unsupported {
            family: self.family.name(),
            message: format!("no {} problem was found near this one", aim.name()),
        })?;
        let id = format!("{}/{}/{seed}", self.id(), aim.name());
        let mut task = Self::pose(instance, Some(id), None, &Map::new())?;
        task.style = self.style.clone();
        Ok(task)
    }

    /// The record of docs/records.md: all that a file needs to hold.
    pub fn to_json(&self) -> Value {
        let about = self.family.about();
        let solution = self.problem.solution();
        json!({
            "task_id": self.id(),
            "family": about.name,
            "domain": about.domain,
            "version": about.version(),
            "split": self.split().map(Split::name),
            "seed": self.seed(),
            "index": self.index(),
            "level": self.level(),
            "params": self.params(),
            "style": self.style.to_json(self.family.templates()),
            "difficulty": self.difficulty(),
            "prompt": self.prompt(),
            "answer_tag": self.answer_tag(),
            "solution": { "steps": solution.steps, "answer": solution.answer },
            "problem": self.problem.json(),
            "key": format!("{:032x}", self.fingerprint().key),
        })
    }

    /// Reads the output of [`Task::to_json`]; the stored prompt is kept word for word.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let record = Record::parse(text)?;
        let family = FAMILIES.find(record.text("family")?)?;
        let about = family.about();
        let version = record.whole("version")?;
        if let Some(version) = version.filter(|version| *version > u64::from(about.version())) {
            return Err(invalid(format!(
                "`version` is {version}, but this release knows {} up to version {}",
                about.name,
                about.version()
            )));
        }
        let instance = family.read(record.text("problem")?)?;
        let style = record.object("style")?.unwrap_or_default();
        let prompt = record.text("prompt")?;
        let mut identity = Identity {
            id: record.text("task_id")?.to_owned(),
            split: record.optional_text("split")?.map(Split::find).transpose()?,
            seed: record.whole("seed")?,
            index: record.whole("index")?,
            level: None,
            params: record.object("params")?,
        };
        if let Some(level) = record.whole("level")? {
            let top = family.top_level();
            let known = u8::try_from(level).ok().filter(|level| *level <= top);
            let level = known.ok_or_else(|| {
                invalid(format!("`level` is {level}, but must be between 0 and {top} in {}", about.name))
            })?;
            identity.level = Some(level);
        }
        // The split in which an older version put a problem is unknown.
        let current = version == Some(about.version().into());
        if let Some(split) = identity.split.filter(|_| current) {
            let real = instance.innermost().fingerprint().split();
            if split != real {
                let (split, real) = (split.name(), real.name());
                return Err(invalid(format!("`split` is {split}, but the problem belongs to {real}")));
            }
        }
        let mut task = Self::pose(instance, None, None, &style)?;
        task.origin = Origin::Given(Box::new(identity));
        if task.prompt() != prompt {
            task.given_prompt = Some(prompt.into());
        }
        Ok(task)
    }
}

fn invalid(message: String) -> Error {
    Error::InvalidTask { message }
}

/// A task's record with unchecked fields.
struct Record(Map<String, Value>);

impl Record {
    fn parse(text: &str) -> Result<Self, Error> {
        let value: Value = serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
        match value {
            Value::Object(fields) => Ok(Self(fields)),
            _ => Err(invalid("a record is a JSON object".to_owned())),
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn optional_text(&self, name: &str) -> Result<Option<&str>, Error> {
        let wrong = |value| invalid(format!("`{name}` is {}, but must be text", params::shown(value)));
        self.get(name).map(|value| value.as_str().ok_or_else(|| wrong(value))).transpose()
    }

    fn text(&self, name: &str) -> Result<&str, Error> {
        self.optional_text(name)?.ok_or_else(|| invalid(format!("`{name}` is missing")))
    }

    fn whole(&self, name: &str) -> Result<Option<u64>, Error> {
        let wrong =
            |value| invalid(format!("`{name}` is {}, but must be a whole number", params::shown(value)));
        self.get(name).map(|value| value.as_u64().ok_or_else(|| wrong(value))).transpose()
    }

    fn object(&self, name: &str) -> Result<Option<Map<String, Value>>, Error> {
        let object = |value: &Value| {
            let given = params::shown(value);
            let wrong = || invalid(format!("`{name}` is {given}, but must be an object"));
            value.as_object().cloned().ok_or_else(wrong)
        };
        self.get(name).map(object).transpose()
    }
}
