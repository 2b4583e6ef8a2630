//! Families and problems with their types erased: all that the rest of the crate sees.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _, ser::SerializeStruct};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::budget::Budget;
use crate::error::{Error, shortened};
use crate::params;
use crate::rng::Rng;
use crate::rules::Play;
use crate::task::about::{About, Part};
use crate::task::answer::{Reading, StopTokens};
use crate::task::family::{Aim, Certificate, Exhausted, Prepare, TaskFamily};
use crate::task::form::Form;
use crate::task::problem::{Choices, Effort, Faults, Problem, Solution};
use crate::task::registry;
use crate::task::split::Fingerprint;
use crate::task::steps::{StepVerdict, judge_steps};
use crate::task::verdict::Verdict;

/// The most bytes a problem's JSON may have.
pub const LONGEST_PROBLEM: usize = 1024 * 1024;
/// Mutations tried before giving up.
const MUTATIONS: u32 = 64;
/// Difficulties this near count as the same.
const SAME_DIFFICULTY: f32 = 0.05;

/// A [`Problem`] with its type erased. Implemented once, below, for all of them.
pub trait AnyProblem: Any + Send + Sync {
    /// The wording of a template, without its last sentence.
    fn word(&self, template: usize, choices: Choices<'_>) -> String;
    /// The last sentence of every prompt, and how it starts.
    fn sentence(&self, tag: &str) -> String;
    fn asks(&self) -> String;
    fn solution(&self) -> Solution;
    /// The answer of the solution, for whoever needs no steps.
    fn answer(&self) -> String {
        self.solution().answer
    }
    fn effort(&self) -> Effort;
    /// Answers of the right form that are wrong, as text.
    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<String>;
    /// What policies would try that work nothing out, by name.
    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, String)>;
    /// A right answer drawn from several, where the problem can draw them.
    fn another(&self, rng: &mut Rng) -> Option<String>;
    /// Spellings of the right answer that the form does not allow.
    fn mangled(&self, right: &str) -> Vec<String>;
    fn twin(&self, rng: &mut Rng) -> Arc<dyn AnyProblem>;
    fn fingerprint(&self) -> Vec<u8>;
    fn inner(&self) -> Option<&Inner>;
    fn json(&self) -> String;
    /// Judges a completion, whose end may have `stop_tokens`, and keeps the promises of [`Verdict`]. The verdict
    /// depends on the problem and the arguments alone.
    fn verify(
        &self,
        about: &About,
        text: &str,
        reading: Option<Reading>,
        stop_tokens: &StopTokens,
    ) -> Verdict;
    /// Judges reasoning steps in order, or `None` where the family does not.
    fn verify_steps(&self, about: &About, steps: &[&str]) -> Option<Vec<StepVerdict>>;
    fn moves(&self) -> Option<Box<dyn Play>>;
}

/// A problem with what has been worked out about it.
struct Known<P> {
    problem: P,
    effort: OnceLock<Effort>,
}

impl<P: Problem> Known<P> {
    fn shared(problem: P) -> Arc<dyn AnyProblem> {
        Arc::new(Self { problem, effort: OnceLock::new() })
    }
}

impl<P: Problem> AnyProblem for Known<P> {
    fn word(&self, template: usize, choices: Choices<'_>) -> String {
        P::TEMPLATES[template].word(&self.problem, choices)
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
        *self.effort.get_or_init(|| self.problem.effort())
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<String> {
        let form = self.problem.form();
        self.problem.near_misses(faults, rng).iter().map(|answer| form.write(answer)).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, String)> {
        let form = self.problem.form();
        self.problem.guesses(rng).iter().map(|(name, answer)| (*name, form.write(answer))).collect()
    }

    fn another(&self, rng: &mut Rng) -> Option<String> {
        self.problem.another(rng).map(|answer| self.problem.form().write(&answer))
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

    fn inner(&self) -> Option<&Inner> {
        self.problem.inner()
    }

    fn json(&self) -> String {
        serde_json::to_string(&self.problem).expect("problems serialise")
    }

    fn verify(
        &self,
        about: &About,
        text: &str,
        reading: Option<Reading>,
        stop_tokens: &StopTokens,
    ) -> Verdict {
        let facts = Facts::of(about, self);
        let reply = stop_tokens.read(text, facts.tag, reading.unwrap_or(facts.reading));
        let judged = self.problem.judge(&reply, facts.tag, &mut Budget::new(about.budgets.judge));
        let mut verdict = judged.unwrap_or_else(|verdict| verdict);
        verdict.answer = reply.span();
        verdict.normalized(facts.parts)
    }

    fn verify_steps(&self, about: &About, steps: &[&str]) -> Option<Vec<StepVerdict>> {
        let mut judge = self.problem.steps()?;
        Some(judge_steps(&mut *judge, steps, &mut Budget::new(about.budgets.judge)))
    }

    fn moves(&self) -> Option<Box<dyn Play>> {
        self.problem.moves()
    }
}

/// What the answer to an instance is like: its family's facts, or those of the inner problem that it is
/// answered as.
#[derive(Clone, Copy)]
pub struct Facts {
    pub tag: &'static str,
    pub parts: &'static [Part],
    pub reading: Reading,
    pub guess_rate: f32,
    pub guess_score: f32,
}

impl Facts {
    pub fn of(about: &About, problem: &dyn AnyProblem) -> Self {
        match problem.inner().filter(|_| about.answered_as_inner) {
            Some(inner) => Self::of(inner.family.about(), &*inner.problem),
            None => Self {
                tag: about.answer_tag,
                parts: about.parts,
                reading: about.reading,
                guess_rate: about.guess_rate,
                guess_score: about.guess_score,
            },
        }
    }
}

/// What decides the split of an instance: the innermost problem.
pub fn fingerprint(about: &About, problem: &dyn AnyProblem) -> Fingerprint {
    match problem.inner() {
        Some(inner) => fingerprint(inner.family.about(), &*inner.problem),
        None => Fingerprint::new(about.name, &problem.fingerprint()),
    }
}

/// A problem inside another, of any family: it is read and judged through the registry.
#[derive(Clone)]
pub struct Inner {
    pub family: &'static Family,
    pub problem: Arc<dyn AnyProblem>,
}

impl Inner {
    /// Draws one, of whatever split.
    pub fn draw(
        family: &'static Family,
        configured: &Configured,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        budget.spend(1)?;
        let problem = family.generate(configured, rng).map_err(|_| Exhausted)?;
        Ok(Self { family, problem })
    }

    pub fn facts(&self) -> Facts {
        Facts::of(self.family.about(), &*self.problem)
    }

    /// Judges an answer as if it stood alone in its tag.
    pub fn verify(&self, answer: &str) -> Verdict {
        let tag = self.facts().tag;
        let text = format!("<{tag}>{answer}</{tag}>");
        self.problem.verify(self.family.about(), &text, Some(Reading::Strict), &StopTokens::NONE)
    }
}

impl Serialize for Inner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let problem = RawValue::from_string(self.problem.json()).expect("problems serialise to JSON");
        let mut fields = serializer.serialize_struct("Inner", 2)?;
        fields.serialize_field("family", self.family.about().name)?;
        fields.serialize_field("problem", &problem)?;
        fields.end()
    }
}

impl<'de> Deserialize<'de> for Inner {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Fields {
            family: String,
            problem: Box<RawValue>,
        }
        let Fields { family, problem } = Fields::deserialize(deserializer)?;
        let family = registry::find(&family).map_err(D::Error::custom)?;
        // Before it is read: a problem nested a thousand deep would overflow the stack.
        if family.about().derived {
            return Err(D::Error::custom("a problem inside another may not hold a third"));
        }
        if family.is_outside() {
            return Err(D::Error::custom("a problem inside another is of a built-in family"));
        }
        let problem = family.read(problem.get()).map_err(D::Error::custom)?;
        Ok(Self { family, problem })
    }
}

/// Validated params of one family, and what follows from them.
#[derive(Clone)]
pub struct Configured {
    params: Arc<dyn Any + Send + Sync>,
    prepared: Arc<dyn Any + Send + Sync>,
    /// Every field, defaults included.
    pub fields: Map<String, Value>,
    /// The text of the fields that differ from their defaults.
    pub canonical: String,
    /// What the items depend on beside this family and its params; it enters the key.
    pub depends_on: String,
    /// The level whose params these are.
    pub level: Option<u8>,
}

impl Configured {
    /// The params of a family from outside, whose `canonical` text says all of them that are not the default.
    pub fn outside(fields: Map<String, Value>, canonical: String) -> Self {
        let (params, prepared) = (Arc::new(()), Arc::new(()));
        Self { params, prepared, fields, canonical, depends_on: String::new(), level: None }
    }
}

/// A template's name, and whether it is held out of training.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateName {
    pub name: &'static str,
    pub held_out: bool,
}

/// [`TaskFamily`] with its types erased. Implemented once, below, for every family of this crate; one from outside
/// implements it itself.
pub trait AnyFamily: Sync {
    fn about(&self) -> &'static About;
    /// Whether its methods are somebody else's code, which stays on the thread of the caller: it is never run in
    /// the pool, and may unwind.
    fn is_outside(&self) -> bool {
        false
    }
    fn top_level(&self) -> u8;
    fn templates(&self) -> Vec<TemplateName>;
    fn schema(&self) -> Value;
    /// The params of a level that exists, every field of them.
    fn level(&self, level: u8) -> Map<String, Value>;
    /// The canonical text of every level's params.
    fn canonical_levels(&self) -> Vec<String>;
    fn configure(&self, given: &Map<String, Value>, schema: &Value) -> Result<Configured, Error>;
    /// Draws one instance, of whatever split.
    fn generate(&self, configured: &Configured, rng: &mut Rng) -> Result<Arc<dyn AnyProblem>, Error>;
    fn read(&self, json: &str) -> Result<Arc<dyn AnyProblem>, Error>;
    fn certify(&self, problem: &dyn AnyProblem) -> Result<Certificate, Error>;
    fn mutate(
        &self,
        problem: &dyn AnyProblem,
        aim: Aim,
        rng: &mut Rng,
    ) -> Result<Option<Arc<dyn AnyProblem>>, Error>;
}

/// Whether JSON has its objects where the problem has them: serde takes a list of the fields' values, too.
fn same_objects(json: &str, problem: &impl Serialize) -> bool {
    let written = serde_json::to_string(problem).expect("problems serialise");
    let braces = |text: &str| memchr::memchr_iter(b'{', text.as_bytes()).count();
    // A brace in a string may be escaped in one text and not in the other.
    braces(json) == braces(&written)
        || serde_json::from_str::<Value>(json).ok() == serde_json::from_str(&written).ok()
}

fn own<F: TaskFamily>(problem: &dyn AnyProblem) -> &F::Problem {
    let problem: &dyn Any = problem;
    let known: &Known<F::Problem> = problem.downcast_ref().expect("a problem is handed to its own family");
    &known.problem
}

impl<F: TaskFamily> AnyFamily for F {
    fn about(&self) -> &'static About {
        &F::ABOUT
    }

    fn top_level(&self) -> u8 {
        (F::LEVELS.len() - 1) as u8
    }

    fn templates(&self) -> Vec<TemplateName> {
        let templates = F::Problem::TEMPLATES.iter();
        templates.map(|template| TemplateName { name: template.name, held_out: template.held_out }).collect()
    }

    fn schema(&self) -> Value {
        params::schema::<F::Params>()
    }

    fn level(&self, level: u8) -> Map<String, Value> {
        params::fields(&F::LEVELS[usize::from(level)])
    }

    fn canonical_levels(&self) -> Vec<String> {
        F::LEVELS.iter().map(params::canonical).collect()
    }

    fn configure(&self, given: &Map<String, Value>, schema: &Value) -> Result<Configured, Error> {
        let invalid = |message| Error::InvalidParams { family: F::ABOUT.name, message };
        let params: F::Params = params::parse(given, schema).map_err(invalid)?;
        let prepared = F::Prepared::prepare(&params)?;
        Ok(Configured {
            fields: params::fields(&params),
            canonical: params::canonical(&params),
            depends_on: prepared.depends_on(),
            level: None,
            params: Arc::new(params),
            prepared: Arc::new(prepared),
        })
    }

    fn generate(&self, configured: &Configured, rng: &mut Rng) -> Result<Arc<dyn AnyProblem>, Error> {
        let params = configured.params.downcast_ref::<F::Params>();
        let params = params.expect("these params were configured by this family");
        let prepared = configured.prepared.downcast_ref::<F::Prepared>();
        let prepared = prepared.expect("it was prepared by this family");
        let budget = &mut Budget::new(F::ABOUT.budgets.generate);
        let made = TaskFamily::generate(self, params, prepared, rng, budget);
        made.map(Known::shared).map_err(|Exhausted| Error::Exhausted {
            family: F::ABOUT.name,
            params: configured.canonical.clone(),
        })
    }

    fn read(&self, json: &str) -> Result<Arc<dyn AnyProblem>, Error> {
        let invalid = |message| Error::InvalidProblem { family: F::ABOUT.name, message };
        if json.len() > LONGEST_PROBLEM {
            let bytes = json.len();
            return Err(invalid(format!("{bytes} bytes of JSON, but at most {LONGEST_PROBLEM}")));
        }
        if !json.trim_start().starts_with('{') {
            return Err(invalid("a problem is a JSON object".to_owned()));
        }
        let reader = &mut serde_json::Deserializer::from_str(json);
        let problem: F::Problem = serde_path_to_error::deserialize(&mut *reader).map_err(|error| {
            let (path, inner) = (error.path().to_string(), error.inner().to_string());
            // The text may quote the JSON, which may be long.
            let (path, inner) = (shortened(&path), shortened(&inner));
            if path == "." { invalid(inner) } else { invalid(format!("`{path}`: {inner}")) }
        })?;
        reader.end().map_err(|error| invalid(error.to_string()))?;
        problem.check().map_err(invalid)?;
        if !same_objects(json, &problem) {
            return Err(invalid("a list stands where an object belongs".to_owned()));
        }
        Ok(Known::shared(problem))
    }

    fn certify(&self, problem: &dyn AnyProblem) -> Result<Certificate, Error> {
        let problem = own::<F>(problem);
        let invalid = |message| Error::InvalidProblem { family: F::ABOUT.name, message };
        problem.check().map_err(invalid)?;
        TaskFamily::certify(self, problem, &mut Budget::new(F::ABOUT.budgets.certify)).map_err(invalid)
    }

    fn mutate(
        &self,
        problem: &dyn AnyProblem,
        aim: Aim,
        rng: &mut Rng,
    ) -> Result<Option<Arc<dyn AnyProblem>>, Error> {
        let difficulty = problem.effort().difficulty();
        for _ in 0..MUTATIONS {
            let budget = &mut Budget::new(F::ABOUT.budgets.generate);
            let Some(mutated) = TaskFamily::mutate(self, own::<F>(problem), aim, rng, budget) else {
                // A draw that led to nothing is drawn again, a search that ran out of steps is not.
                if budget.spend(1).is_err() {
                    return Ok(None);
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
            let mutated = Known::shared(mutated);
            if moved && differs && AnyFamily::certify(self, &*mutated).is_ok() {
                return Ok(Some(mutated));
            }
        }
        Ok(None)
    }
}

/// A registered family, with what is worked out about it once.
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

    /// The params of a level, every field of them.
    pub fn level(&self, level: u8) -> Result<Map<String, Value>, Error> {
        let top = self.top_level();
        if level > top {
            let message = format!("`level` is {level}, but must be between 0 and {top}");
            return Err(Error::InvalidParams { family: self.name(), message });
        }
        Ok(self.erased.level(level))
    }

    pub fn configure(&self, given: &Map<String, Value>) -> Result<Configured, Error> {
        let mut configured = self.erased.configure(given, self.schema())?;
        let levels = self.canonical_levels.get_or_init(|| self.erased.canonical_levels());
        let level = levels.iter().position(|canonical| *canonical == configured.canonical);
        configured.level = level.map(|level| level as u8);
        Ok(configured)
    }

    /// Draws one instance, of whatever split.
    pub fn generate(&self, configured: &Configured, rng: &mut Rng) -> Result<Arc<dyn AnyProblem>, Error> {
        self.erased.generate(configured, rng)
    }

    /// Reads a problem anyone may have written.
    pub fn read(&self, json: &str) -> Result<Arc<dyn AnyProblem>, Error> {
        self.erased.read(json)
    }

    /// Proves a problem to be one that the family would pose.
    pub fn certify(&self, problem: &dyn AnyProblem) -> Result<Certificate, Error> {
        self.erased.certify(problem)
    }

    /// A certified problem near this one, or `None` when the family found none.
    pub fn mutate(
        &self,
        problem: &dyn AnyProblem,
        aim: Aim,
        rng: &mut Rng,
    ) -> Result<Option<Arc<dyn AnyProblem>>, Error> {
        self.erased.mutate(problem, aim, rng)
    }

    /// The answer as a well-formed completion of one of its problems.
    pub fn wrap(&self, problem: &dyn AnyProblem, answer: &str) -> String {
        let tag = Facts::of(self.about(), problem).tag;
        let line = if answer.contains('\n') { "\n" } else { "" };
        format!("<{tag}>{line}{answer}{line}</{tag}>")
    }
}
