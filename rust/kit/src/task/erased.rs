//! Families and problems with their types erased, as the rest of the crate sees them.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _, ser::SerializeStruct};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::budget::Budget;
use crate::error::Error;
use crate::params;
use crate::registry::{Registry, Unit};
use crate::rng::Rng;
use crate::rules::Play;
use crate::task::about::About;
use crate::task::answer::{Reading, Reply, StopTokens, marked, meanings};
use crate::task::certificate::{Aim, Certificate, Exhausted};
use crate::task::solution::{Effort, Faults, Solution};
use crate::task::split::{Fingerprint, Split};
use crate::task::steps::{StepJudge, StepVerdict, Trace, judge_steps};
use crate::task::style::{AnswerStyle, Choices, TemplateName};
use crate::task::verdict::{Part, Verdict, label};

/// Largest size of a problem's JSON in bytes.
pub const LONGEST_PROBLEM: usize = 1024 * 1024;

/// Every family by name.
pub static FAMILIES: Registry<Family> = Registry::new();

/// A problem with its type erased: [`typed`](crate::task::typed) implements it for every `Problem`.
pub trait AnyProblem: Any + Send + Sync {
    /// Checks shape and bounds before anything else touches a problem that was read.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
    /// The wording of a template, without its last sentence.
    fn word(&self, template: usize, choices: Choices<'_>) -> String;
    /// The last sentence of every prompt, and its beginning.
    fn sentence(&self, tag: &str) -> String;
    fn asks(&self) -> String;
    fn solution(&self) -> Solution;
    /// The answer of the solution, without its steps.
    fn answer(&self) -> String {
        self.solution().answer
    }
    fn effort(&self) -> Effort;
    /// Wrong answers in the right form, as text.
    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<String>;
    /// Answers of blind policies, each with the policy's name.
    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, String)>;
    /// Answers of greedy readers, each with the reader's name.
    fn shortcuts(&self, _rng: &mut Rng) -> Vec<(&'static str, String)> {
        Vec::new()
    }
    /// A right answer drawn from several, where the problem can draw them.
    fn another(&self, rng: &mut Rng) -> Option<String>;
    /// See [`Form::respelled`](crate::task::form::Form::respelled).
    fn respelled(&self, _answer: &str) -> Option<String> {
        None
    }
    /// The answer as the form writes it; `None` if the form cannot read it.
    fn rewritten(&self, _answer: &str) -> Option<String> {
        None
    }
    /// Spellings of the right answer that the form does not allow.
    fn mangled(&self, right: &str) -> Vec<String>;
    fn twin(&self, rng: &mut Rng) -> Arc<dyn AnyProblem>;
    fn fingerprint(&self) -> Vec<u8>;
    fn inner(&self) -> Option<&Instance>;
    fn json(&self) -> String;
    /// Verifies a completion in which the answer was looked for.
    fn judge(&self, reply: &Reply<'_>, tag: &str, budget: &mut Budget) -> Verdict;
    /// A verifier of reasoning steps, or `None` if the family has none.
    fn steps(&self) -> Option<Box<dyn StepJudge + '_>>;
    /// See [`Instance::steps_due`]; `most` is the budget of judging them.
    fn steps_due(&self, _most: u64) -> usize {
        0
    }
    /// The steps of the solution with a slip in one of them that is carried on, and its index, if the family
    /// draws such.
    fn slip(&self, _rng: &mut Rng) -> Option<(usize, Vec<String>)> {
        None
    }
    /// A hint for each step of the solution that does not give it away, if the family has such.
    fn hints(&self) -> Vec<String> {
        Vec::new()
    }
    /// The solution as a trace, if each of its steps carries on the one before.
    fn trace(&self) -> Option<Box<dyn Trace + '_>> {
        None
    }
    fn moves(&self) -> Option<Box<dyn Play>>;
}

/// Facts about the answer to a problem: its family's, or those of the inner problem whose answer it asks for.
/// The guess rates are the larger of the two.
#[derive(Clone, Copy)]
pub struct Facts {
    pub tag: &'static str,
    pub parts: &'static [Part],
    pub reading: Reading,
    pub guess_rate: f32,
    pub guess_score: f32,
}

/// A problem and its family.
#[derive(Clone)]
pub struct Instance {
    pub family: &'static Family,
    pub problem: Arc<dyn AnyProblem>,
}

impl Instance {
    /// Steps per draw: some families have no problem of the wanted kind, which must show within seconds.
    pub const DRAW: u64 = 5_000;

    /// Draws a problem of any split.
    pub fn draw(
        family: &'static Family,
        configured: &Configured,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        budget.spend(Self::DRAW)?;
        family.generate(configured, None, rng).map_err(|_| Exhausted)
    }

    pub fn facts(&self) -> Facts {
        let about = self.family.about();
        let own = Facts {
            tag: about.answer_tag,
            parts: about.parts,
            reading: about.reading,
            guess_rate: about.guess_rate,
            guess_score: about.guess_score,
        };
        let inner = self.problem.inner().filter(|_| about.answered_as_inner).map(Self::facts);
        inner.map_or(own, |inner| Facts {
            guess_rate: own.guess_rate.max(inner.guess_rate),
            guess_score: own.guess_score.max(inner.guess_score),
            ..inner
        })
    }

    /// Every label that a verdict may carry, each with its meaning.
    pub fn labels(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let about = self.family.about();
        let inner = self.problem.inner().filter(|_| about.answered_as_inner);
        let inner = inner.map_or(&[][..], |inner| inner.family.about().failures);
        label::COMMON.iter().chain(about.failures).chain(inner).copied()
    }

    /// Identity of the problem, independent of its wording.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::new(self.family.name(), &self.problem.fingerprint())
    }

    /// The problem that decides the split: the one inside all others.
    pub fn innermost(&self) -> &Self {
        self.problem.inner().map_or(self, Self::innermost)
    }

    /// The same problem renamed, reordered, mirrored or relabelled.
    #[must_use]
    pub fn twin(&self, rng: &mut Rng) -> Self {
        Self { family: self.family, problem: self.problem.twin(rng) }
    }

    /// Proves that the family would pose this problem.
    pub fn certify(&self) -> Result<Certificate, Error> {
        self.family.erased.certify(&*self.problem)
    }

    /// A certified problem near this one, or `None` if the family found none.
    pub fn mutate(&self, aim: Aim, rng: &mut Rng) -> Result<Option<Self>, Error> {
        let mutated = self.family.erased.mutate(&*self.problem, aim, rng)?;
        Ok(mutated.map(|problem| Self { family: self.family, problem }))
    }

    /// Verifies a completion, which may end in `stop_tokens`, and keeps the promises of [`Verdict`]. The
    /// verdict depends only on the problem and the arguments.
    pub fn verify(
        &self,
        text: &str,
        style: AnswerStyle,
        reading: Option<Reading>,
        stop_tokens: &StopTokens,
    ) -> Verdict {
        let facts = self.facts();
        let reading = reading.unwrap_or(facts.reading);
        let mut respelled = false;
        let mut reply = match style {
            AnswerStyle::Tag => stop_tokens.read(text, facts.tag, reading),
            AnswerStyle::Boxed => {
                let text = stop_tokens.strip_marks(text, true);
                marked::boxes(text).reply(text, reading)
            }
        };
        if (style, reading) == (AnswerStyle::Tag, Reading::Lenient) {
            (reply, respelled) = marked::or_boxed(reply, facts.tag);
        }
        let budget = &mut Budget::new(self.family.about().budgets.judge);
        let mut verdict = self.problem.judge(&reply, facts.tag, budget);
        verdict.respelled = respelled;
        if reading == Reading::Lenient && !verdict.passed && reply.faults.is_empty() {
            verdict = self.judged_respelled(verdict, &reply, facts.tag, budget);
        }
        if style == AnswerStyle::Boxed && !reply.faults.is_empty() {
            verdict.detail = format!("{} (the answer stands in \\boxed{{}})", meanings(&reply));
        }
        verdict.answer = reply.span();
        verdict.normalized(facts.parts)
    }

    /// The verdict on an answer as written, without markup, or with the separators of its form: the first
    /// that passes, or else the first on an answer that could be read.
    fn judged_respelled(
        &self,
        mut verdict: Verdict,
        reply: &Reply<'_>,
        tag: &str,
        budget: &mut Budget,
    ) -> Verdict {
        let unread = |verdict: &Verdict| verdict.failures.contains(&label::MALFORMED_ANSWER);
        let Some(answer) = reply.answer else { return verdict };
        // If every character may count, so does a full stop.
        let bare = if unread(&verdict) { marked::unended(answer) } else { marked::unmarked(answer) };
        let mut judge = |answer: &str, otherwise: Verdict| {
            let reply = Reply { answer: Some(answer), faults: Vec::new(), ..*reply };
            let verdict = self.problem.judge(&reply, tag, budget);
            let better = verdict.passed || unread(&otherwise) && !unread(&verdict);
            if better { Verdict { respelled: true, ..verdict } } else { otherwise }
        };
        if let Some(bare) = bare {
            verdict = judge(bare, verdict);
        }
        // A readable answer means what it says.
        match self.problem.respelled(bare.unwrap_or(answer)).filter(|_| unread(&verdict)) {
            Some(respelled) => judge(&respelled, verdict),
            None => verdict,
        }
    }

    /// Verifies reasoning steps in order, or returns `None` if the family does not.
    pub fn verify_steps(&self, steps: &[&str]) -> Option<Vec<StepVerdict>> {
        let mut judge = self.problem.steps()?;
        Some(judge_steps(&mut *judge, steps, &mut Budget::new(self.family.about().budgets.judge)))
    }

    /// Length of the shortest known solution: the number of its steps that advance, worked out once; 0 if the
    /// family does not judge steps.
    pub fn steps_due(&self) -> usize {
        self.problem.steps_due(self.family.about().budgets.judge)
    }

    /// Verifies an answer as if it were alone in its tag.
    pub fn verify_answer(&self, answer: &str) -> Verdict {
        let tag = self.facts().tag;
        let text = format!("<{tag}>{answer}</{tag}>");
        self.verify(&text, AnswerStyle::Tag, Some(Reading::Strict), &StopTokens::NONE)
    }
}

impl Serialize for Instance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let problem = RawValue::from_string(self.problem.json()).expect("problems serialise to JSON");
        let mut fields = serializer.serialize_struct("Instance", 2)?;
        fields.serialize_field("family", self.family.about().name)?;
        fields.serialize_field("problem", &problem)?;
        fields.end()
    }
}

impl<'de> Deserialize<'de> for Instance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Fields {
            family: String,
            problem: Box<RawValue>,
        }
        let Fields { family, problem } = Fields::deserialize(deserializer)?;
        let family = FAMILIES.find(&family).map_err(D::Error::custom)?;
        // Before it is read: a problem nested a thousand levels deep would overflow the stack.
        if family.about().derived {
            return Err(D::Error::custom("a problem inside another may not hold a third"));
        }
        if family.is_outside() {
            return Err(D::Error::custom("a problem inside another is of a built-in family"));
        }
        family.read(problem.get()).map_err(D::Error::custom)
    }
}

/// Validated params of one family, and what is derived from them.
#[derive(Clone)]
pub struct Configured {
    /// The family's own params, and its precomputed data for them.
    pub(crate) typed: Arc<dyn Any + Send + Sync>,
    /// Every field, defaults included.
    pub fields: Map<String, Value>,
    /// The text of the fields that differ from their defaults.
    pub canonical: String,
    /// Dependencies of the tasks besides this family and its params; part of the key.
    pub depends_on: String,
    /// The level with these params.
    pub level: Option<u8>,
}

impl Configured {
    /// The params of a Python-defined family, whose `canonical` text contains all that differ from the
    /// default.
    pub fn outside(fields: Map<String, Value>, canonical: String) -> Self {
        Self { typed: Arc::new(()), fields, canonical, depends_on: String::new(), level: None }
    }
}

/// A family with its types erased: [`typed`](crate::task::typed) implements it for every `TaskFamily`; a
/// Python-defined one implements it directly.
pub trait AnyFamily: Sync {
    fn about(&self) -> &'static About;
    /// True for a Python-defined family, whose methods run on the caller's thread, never in the pool, and may
    /// unwind.
    fn is_outside(&self) -> bool {
        false
    }
    fn top_level(&self) -> u8;
    fn templates(&self) -> Vec<TemplateName>;
    fn schema(&self) -> Value;
    /// Every param of a level that exists.
    fn level(&self, level: u8) -> Map<String, Value>;
    /// A level without the restrictions that few levels have.
    fn plain_level(&self, level: u8) -> Map<String, Value> {
        self.level(level)
    }
    fn configure(&self, given: &Map<String, Value>, schema: &Value) -> Result<Configured, Error>;
    /// Draws a problem of any split. A family whose search is expensive looks for one of the `wanted` split first, and
    /// usually finds it.
    fn generate(
        &self,
        configured: &Configured,
        wanted: Option<Split>,
        rng: &mut Rng,
    ) -> Result<Arc<dyn AnyProblem>, Error>;
    /// Reads a JSON object of bounded length from an untrusted source.
    fn read(&self, json: &str) -> Result<Arc<dyn AnyProblem>, String>;
    fn certify(&self, problem: &dyn AnyProblem) -> Result<Certificate, Error>;
    fn mutate(
        &self,
        problem: &dyn AnyProblem,
        aim: Aim,
        rng: &mut Rng,
    ) -> Result<Option<Arc<dyn AnyProblem>>, Error>;
}

impl Unit for Family {
    const KIND: &'static str = "family";

    fn name(&self) -> &'static str {
        self.about().name
    }

    fn is_outside(&self) -> bool {
        self.erased.is_outside()
    }
}

/// A registered family, with data computed once.
pub struct Family {
    erased: &'static dyn AnyFamily,
    templates: Vec<TemplateName>,
    schema: OnceLock<Value>,
    canonical_levels: OnceLock<Vec<String>>,
}

impl Family {
    pub fn new(erased: &'static dyn AnyFamily) -> Self {
        Self {
            erased,
            templates: erased.templates(),
            schema: OnceLock::new(),
            canonical_levels: OnceLock::new(),
        }
    }

    pub fn about(&self) -> &'static About {
        self.erased.about()
    }

    pub fn name(&self) -> &'static str {
        self.about().name
    }

    /// See [`AnyFamily::is_outside`].
    pub fn is_outside(&self) -> bool {
        self.erased.is_outside()
    }

    /// The hardest level; level 0 is the easiest.
    pub fn top_level(&self) -> u8 {
        self.erased.top_level()
    }

    pub fn templates(&self) -> &[TemplateName] {
        &self.templates
    }

    /// The params' JSON schema.
    pub fn schema(&self) -> &Value {
        self.schema.get_or_init(|| self.erased.schema())
    }

    /// Every param of a level.
    pub fn level(&self, level: u8) -> Result<Map<String, Value>, Error> {
        let top = self.top_level();
        if level > top {
            let message = format!("`level` is {level}, but must be between 0 and {top}");
            return Err(Error::InvalidParams { family: self.name(), message });
        }
        Ok(self.erased.level(level))
    }

    /// The params of a level with some of the caller's. Those that the level restricts its problems with (`if_set`)
    /// then hold only if the caller sets them too, as they suit no other sizes.
    pub fn with_params(&self, level: u8, given: &Map<String, Value>) -> Result<Map<String, Value>, Error> {
        let mut fields = self.level(level)?;
        if !given.is_empty() {
            fields = self.erased.plain_level(level);
            fields.extend(given.clone());
        }
        Ok(fields)
    }

    pub fn configure(&self, given: &Map<String, Value>) -> Result<Configured, Error> {
        let mut configured = self.erased.configure(given, self.schema())?;
        let levels = self.canonical_levels.get_or_init(|| {
            let canonical = |level| params::canonical(&self.erased.level(level), self.schema());
            (0..=self.top_level()).map(canonical).collect()
        });
        let level = levels.iter().position(|canonical| *canonical == configured.canonical);
        configured.level = level.map(|level| level as u8);
        Ok(configured)
    }

    /// See [`AnyFamily::generate`].
    pub fn generate(
        &'static self,
        configured: &Configured,
        wanted: Option<Split>,
        rng: &mut Rng,
    ) -> Result<Instance, Error> {
        Ok(Instance { family: self, problem: self.erased.generate(configured, wanted, rng)? })
    }

    /// Reads a problem from an untrusted source.
    pub fn read(&'static self, json: &str) -> Result<Instance, Error> {
        let read = if json.len() > LONGEST_PROBLEM {
            Err(format!("{} bytes of JSON, but at most {LONGEST_PROBLEM}", json.len()))
        } else if !json.trim_start().starts_with('{') {
            Err("a problem is a JSON object".to_owned())
        } else {
            self.erased.read(json)
        };
        match read {
            Ok(problem) => Ok(Instance { family: self, problem }),
            Err(message) => Err(Error::InvalidProblem { family: self.name(), message }),
        }
    }
}
