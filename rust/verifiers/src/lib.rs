//! Verifiers of a caller's own rows, which compare a completion with a reference.
//!
//! A metric is one file here and one line in [`KINDS`].

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value, json};

use kit::budget::Budget;
use kit::error::{Error, quoted, unknown};
use kit::params::{self, Params};
use kit::task::about::Budgets;
use kit::task::answer::{
    self, Reading, Reply, StopTokens, failed_reading, meanings, outside_reasoning, without_reasoning,
};
use kit::task::batch::for_all;
use kit::task::verdict::{Failure, Graded, Part, Pass, Verdict, label};

pub mod calculator;
mod choice;
pub mod combine;
mod common;
mod counted;
mod exact;
mod extract;
mod format;
mod instructions;
mod json;
mod lists;
mod math;
mod number;
mod output;
mod overlap;
mod pattern;
mod ratios;
mod schema;
mod table;
mod tree;
mod words;

use common::{read_extract, read_reading, read_stop_tokens, read_tag};
pub use extract::{Extract, Prose};

/// Every kind of verifier.
pub static KINDS: &[Kind] = &[
    Kind::of::<exact::ExactMatch>(),
    Kind::of::<json::JsonEqual>(),
    Kind::of::<number::NumberEqual>(),
    Kind::of::<math::MathEqual>(),
    Kind::of::<choice::Choice>(),
    Kind::of::<lists::SetEqual>(),
    Kind::of::<lists::ListEqual>(),
    Kind::of::<schema::JsonSchemaValid>(),
    Kind::of::<table::TableEqual>(),
    Kind::of::<pattern::RegexMatch>(),
    Kind::of::<overlap::TextF1>(),
    Kind::of::<overlap::RougeL>(),
    Kind::of::<output::OutputEqual>(),
    Kind::of::<instructions::Instructions>(),
    Kind::of::<format::Tags>(),
    Kind::of::<format::Think>(),
    Kind::of::<format::Length>(),
    Kind::of::<ratios::DifflibRatio>(),
    Kind::of::<ratios::LcsRatio>(),
    Kind::of::<ratios::EditRatio>(),
    Kind::of::<tree::AsciiTree>(),
];

/// The facts about a metric, and how answers are read by default.
#[derive(Clone, Debug)]
pub struct About {
    /// `snake_case`, never changed.
    pub name: &'static str,
    /// The passing answers, in one line.
    pub summary: &'static str,
    /// Tag of an answer; without one, the whole completion, trimmed, is the answer.
    pub tag: Option<&'static str>,
    pub reading: Reading,
    pub example: Example,
}

/// A row that passes with the default options, and an answer that does not.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    pub reference: &'static str,
    pub right: &'static str,
    pub wrong: &'static str,
}

impl Example {
    /// The number one, and the number two as a wrong answer.
    pub const ONE: Self = Self { reference: "1", right: "1", wrong: "2" };
}

/// A way to compare an answer with a reference. Its params are its options.
pub trait Metric: Params + fmt::Debug {
    const ABOUT: About;

    /// Default place of answers: in the tag if there is one.
    const EXTRACT: Option<Extract> = None;

    /// True if answers that nothing marks are looked for as [`Extract::Formula`] says.
    const PROSE: bool = false;

    /// True if reasoning is part of the answer where that is the whole completion.
    const RAW: bool = false;

    /// A parsed reference, shared by all checks of its row.
    type Reference<'a>: Send + Sync;

    /// Reads a reference, which is trimmed. The error says what it must be: "must be JSON".
    fn reference<'a>(&self, text: &'a str, budget: &mut Budget) -> Result<Self::Reference<'a>, String>;

    /// Verifies an answer, which is trimmed. Total: any text gets a verdict, in bounded work.
    fn compare(&self, answer: &str, reference: &Self::Reference<'_>, budget: &mut Budget) -> Graded;

    /// Measurements besides passing.
    fn parts(&self) -> &'static [Part] {
        &[]
    }

    /// True if white space before the first line counts.
    fn keeps_indent(&self) -> bool {
        false
    }

    /// The part of an answer that counts under the lenient reading.
    fn lenient<'a>(&self, answer: &'a str, _: &Self::Reference<'_>) -> &'a str {
        answer
    }

    /// Reads the answer in `<tag>…</tag>`. Only a metric that reproduces someone else's reading overrides it.
    fn read<'a>(&self, text: &'a str, tag: &str, reading: Reading) -> Reply<'a> {
        answer::read(text, tag, reading)
    }
}

/// [`Metric`] with the type of its reference erased. Implemented once, below, for every metric.
trait AnyMetric: Send + Sync + fmt::Debug {
    fn parts(&self) -> &'static [Part];
    fn options(&self) -> Map<String, Value>;
    fn keeps_indent(&self) -> bool;
    fn read<'a>(&self, text: &'a str, tag: &str, reading: Reading) -> Reply<'a>;
    /// Reads a reference, with which answers are then verified. The error says what it must be.
    fn judge<'t>(&'t self, reference: &'t str, reading: Reading) -> Result<Judge<'t>, String>;
}

/// Verifies an answer against a parsed reference.
type Judge<'t> = Box<dyn Fn(&str) -> Verdict + Send + Sync + 't>;

/// The references of rows: one for each row, or several of which the best counts.
#[derive(Debug)]
pub struct References<'t, T> {
    /// All of them, row by row.
    texts: &'t [T],
    /// Ends of the rows' references in `texts`, if rows may have several.
    ends: Option<&'t [usize]>,
}

impl<T> Clone for References<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for References<'_, T> {}

impl<'t, T: AsRef<str>> References<'t, T> {
    /// One reference for each row.
    pub const fn one_each(texts: &'t [T]) -> Self {
        Self { texts, ends: None }
    }

    /// The references that each row accepts, at least one; those of row `n` end before `ends[n]`.
    pub fn accepted(texts: &'t [T], ends: &'t [usize]) -> Self {
        assert!(
            ends.is_sorted() && ends.last().copied().unwrap_or(0) == texts.len(),
            "each reference has a row"
        );
        Self { texts, ends: Some(ends) }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.ends.map_or(self.texts.len(), <[usize]>::len)
    }

    /// Range of a row's texts.
    fn of(&self, row: usize) -> Range<usize> {
        match self.ends {
            None => row..row + 1,
            Some(ends) => row.checked_sub(1).map_or(0, |before| ends[before])..ends[row],
        }
    }

    /// The texts of a row, each with its index among all.
    pub fn of_row(&self, row: usize) -> impl Iterator<Item = (usize, &'t str)> {
        self.of(row).zip(self.texts[self.of(row)].iter().map(AsRef::as_ref))
    }

    /// The row of a text, and its place for a person.
    pub fn place(&self, at: usize) -> (usize, String) {
        let Some(ends) = self.ends else { return (at, format!("`references[{at}]`")) };
        let row = ends.partition_point(|end| *end <= at);
        (row, format!("`references[{row}][{}]`", at - self.of(row).start))
    }
}

/// The distinct texts, each as `trimmed` leaves it, in order of appearance, and for each text the index of
/// its distinct one.
fn distinct<'t, T: AsRef<str>>(
    texts: &'t [T],
    trimmed: impl Fn(&'t str) -> &'t str,
) -> (Vec<&'t str>, Vec<usize>) {
    let (mut differing, mut places) = (Vec::new(), BTreeMap::new());
    let which = texts.iter().map(|text| {
        let text = trimmed(text.as_ref());
        *places.entry(text).or_insert_with(|| {
            differing.push(text);
            differing.len() - 1
        })
    });
    let which = which.collect();
    (differing, which)
}

impl<M: Metric> AnyMetric for M {
    fn parts(&self) -> &'static [Part] {
        Metric::parts(self)
    }

    fn options(&self) -> Map<String, Value> {
        params::fields(self)
    }

    fn keeps_indent(&self) -> bool {
        Metric::keeps_indent(self)
    }

    fn read<'a>(&self, text: &'a str, tag: &str, reading: Reading) -> Reply<'a> {
        Metric::read(self, text, tag, reading)
    }

    fn judge<'t>(&'t self, reference: &'t str, reading: Reading) -> Result<Judge<'t>, String> {
        let budget = || Budget::new(Budgets::USUAL.judge);
        let reference = self.reference(reference, &mut budget())?;
        Ok(Box::new(move |answer| {
            let lenient = reading == Reading::Lenient;
            let answer = if lenient { self.lenient(answer, &reference) } else { answer };
            self.compare(answer, &reference, &mut budget()).into()
        }))
    }
}

/// The best verdict, the first among equals. Stops at the first pass.
pub fn best(verdicts: &mut dyn Iterator<Item = Verdict>) -> Verdict {
    let mut best: Option<Verdict> = None;
    let mut count = 0;
    for verdict in verdicts {
        if verdict.passed {
            return verdict;
        }
        count += 1;
        if best.as_ref().is_none_or(|best| verdict.score > best.score) {
            best = Some(verdict);
        }
    }
    let mut best = best.expect("each row has a reference");
    if count > 1 && best.failures.first() == Some(&label::WRONG_ANSWER) {
        best.detail += &format!("; {} other answers are accepted", count - 1);
    }
    best
}

/// The verdict on an answer all of whose other statements must pass as well.
fn unanimous(judge: &Judge<'_>, answer: &str, also: &[&str]) -> Verdict {
    let verdict = judge(answer);
    match also.iter().find(|other| verdict.passed && !judge(other).passed) {
        Some(other) => {
            let detail = format!("`{}` is given as well as `{}`", quoted(other), quoted(answer));
            Verdict::from(Failure::new(label::HEDGED, detail))
        }
        None => verdict,
    }
}

/// Builds a metric from its options. The error names the one at fault.
type Build = fn(&Map<String, Value>) -> Result<Arc<dyn AnyMetric>, String>;

/// A kind of verifier: its facts and its constructor.
pub struct Kind {
    pub about: About,
    extract: Option<Extract>,
    prose: bool,
    raw: bool,
    build: Build,
}

impl Kind {
    const fn of<M: Metric>() -> Self {
        Self { about: M::ABOUT, extract: M::EXTRACT, prose: M::PROSE, raw: M::RAW, build: build::<M> }
    }
}

/// The options that every verifier takes.
const COMMON_OPTIONS: [&str; 4] = ["tag", "extract", "reading", "stop_tokens"];

fn build<M: Metric>(own: &Map<String, Value>) -> Result<Arc<dyn AnyMetric>, String> {
    Ok(Arc::new(params::parse::<M>(own, &with_common_options(params::schema::<M>()))?))
}

fn with_common_options(mut schema: Value) -> Value {
    for name in COMMON_OPTIONS {
        schema["properties"][name] = json!({});
    }
    schema
}

/// A verifier: where the answer is, how it is read, and what is compared.
#[derive(Clone, Debug)]
pub struct Verifier {
    pub about: &'static About,
    tag: Option<String>,
    extract: Extract,
    prose: bool,
    raw: bool,
    reading: Reading,
    stop_tokens: StopTokens,
    metric: Arc<dyn AnyMetric>,
}

impl Verifier {
    /// A verifier by name. `options` are `tag`, `extract`, `reading`, `stop_tokens` and the metric's own;
    /// each has a default.
    pub fn new(name: &str, options: &Map<String, Value>) -> Result<Self, Error> {
        let kind = KINDS.iter().find(|kind| kind.about.name == name).ok_or_else(|| {
            let names: Vec<_> = KINDS.iter().map(|kind| kind.about.name).collect();
            unknown("verifier", name, &names)
        })?;
        let about = &kind.about;
        let invalid = |message: String| Error::InvalidParams { family: about.name, message };
        let mut own = options.clone();
        let [tag, extract, reading, stop_tokens] = COMMON_OPTIONS.map(|name| own.remove(name));
        let tag = match tag {
            None => about.tag.map(str::to_owned),
            Some(given) => read_tag(&given).map_err(invalid)?,
        };
        let extract = match extract {
            None if tag.is_none() => Extract::Whole,
            None => kind.extract.unwrap_or(Extract::Tag),
            Some(given) => read_extract(&given, tag.as_deref()).map_err(invalid)?,
        };
        Ok(Self {
            about,
            tag,
            extract,
            prose: kind.prose,
            raw: kind.raw,
            reading: match reading {
                None => about.reading,
                Some(given) => read_reading(&given).map_err(invalid)?,
            },
            stop_tokens: stop_tokens
                .map_or(Ok(StopTokens::default()), |given| read_stop_tokens(&given).map_err(invalid))?,
            metric: (kind.build)(&own).map_err(invalid)?,
        })
    }

    /// Every option, including those left at their defaults.
    pub fn options(&self) -> Map<String, Value> {
        let mut options = Map::new();
        options.insert("tag".into(), json!(self.tag));
        options.insert("extract".into(), json!(self.extract.name()));
        options.insert("reading".into(), json!(self.reading.name()));
        options.insert("stop_tokens".into(), json!(self.stop_tokens.names()));
        options.extend(self.metric.options());
        options
    }

    /// Measurements of this verifier besides passing.
    pub fn parts(&self) -> &'static [Part] {
        self.metric.parts()
    }

    /// Reads the answer out of a completion.
    pub fn read<'a>(&self, text: &'a str) -> Reply<'a> {
        self.read_all(text).reply
    }

    /// The same with the other statements of the answer, which must pass as well.
    fn read_all<'a>(&self, text: &'a str) -> Prose<'a> {
        let ended = match self.extract {
            Extract::Tag => self.stop_tokens.strip(text, self.tag.as_deref()),
            Extract::Whole => self.stop_tokens.strip_marks(text, false),
            _ => self.stop_tokens.strip_marks(text, true),
        };
        if self.extract == Extract::Whole {
            return if self.raw { Reply::whole(ended) } else { outside(ended) }.into();
        }
        let mut prose = self.extract.read(ended, self.reading, self.prose, |text| {
            self.tag.as_deref().map(|tag| self.metric.read(text, tag, self.reading))
        });
        if self.reading == Reading::Lenient && !self.prose {
            let reply = &mut prose.reply;
            let after = reply.span().map_or("", |span| &ended[span.end..]).trim_start();
            let after = after
                .strip_prefix("</")
                .and_then(|rest| rest.split_once('>'))
                .map_or(after, |(_, rest)| rest);
            if extract::takes_back(after) && !reply.faults.contains(&label::HEDGED) {
                reply.faults.push(label::HEDGED);
            }
        }
        prose
    }

    /// The answer that was read, without the reasoning between its parts.
    pub fn answer<'a>(&self, reply: &Reply<'a>) -> Option<Cow<'a, str>> {
        let answer = reply.answer?;
        let whole = self.extract == Extract::Whole && !self.raw;
        let parts = if whole { outside_reasoning(answer).0.len() } else { 1 };
        Some(if parts == 1 { answer.into() } else { without_reasoning(answer).into() })
    }

    /// Verifies a completion against a reference: any completion gets a verdict. The error says what the
    /// reference must be.
    pub fn judge(&self, text: &str, reference: &str) -> Result<Verdict, String> {
        let Prose { reply, also } = self.read_all(text);
        let judge = self.metric.judge(self.trimmed(reference), self.reading)?;
        let answer = self.answer(&reply);
        let verdict = self.readable(&reply, answer.as_deref());
        let verdict = verdict.map_or_else(Verdict::from, |answer| unanimous(&judge, answer, &also));
        Ok(self.finished(verdict, &reply))
    }

    /// Verifies a completion that has been read, with `answer` in place of what was read.
    pub fn judge_as(
        &self,
        reply: &Reply<'_>,
        answer: Option<&str>,
        reference: &str,
    ) -> Result<Verdict, String> {
        // The reference is read whatever the answer is, so that a wrong one shows at its first row.
        let judge = self.metric.judge(reference, self.reading)?;
        let verdict = self.readable(reply, answer).map_or_else(Verdict::from, judge);
        Ok(self.finished(verdict, reply))
    }

    /// The reference without outer white space, except for the indent of its first line if it counts.
    fn trimmed<'t>(&self, reference: &'t str) -> &'t str {
        if self.prose {
            // What is left of `\frac` after a lost backslash starts with white space.
            return reference.trim_matches([' ', '\n']);
        }
        let trimmed = reference.trim();
        if self.metric.keeps_indent() { indented(reference, trimmed) } else { trimmed }
    }

    /// The answer, or the reason why none can be read.
    fn readable<'a>(&self, reply: &Reply<'a>, answer: Option<&'a str>) -> Result<&'a str, Failure> {
        match (answer, reply.faults.as_slice()) {
            (Some(answer), [])
                if self.metric.keeps_indent()
                    && reply.answer.is_some_and(|read| std::ptr::eq(read, answer)) =>
            {
                Ok(indented(reply.text, answer))
            }
            (Some(answer), []) => Ok(answer),
            (_, faults) => {
                let mark = self.extract.mark(self.tag.as_deref());
                Err(failed_reading(faults, format!("{} ({mark})", meanings(reply))))
            }
        }
    }

    fn finished(&self, mut verdict: Verdict, reply: &Reply<'_>) -> Verdict {
        verdict.answer = reply.span();
        verdict.normalized(self.parts())
    }

    /// Verifies rows in order, in parallel; the first invalid reference ends it with [`Error::InvalidReference`].
    /// Equal references are read once.
    pub fn judge_rows<X: AsRef<str> + Sync, T: AsRef<str> + Sync>(
        &self,
        texts: &[X],
        references: References<'_, T>,
        stop: &AtomicBool,
    ) -> Result<Vec<Verdict>, Error> {
        assert_eq!(texts.len(), references.rows(), "one reference per completion");
        let (distinct, reference_of) = distinct(references.texts, |text| self.trimmed(text));
        let judges = for_all(distinct.len(), stop, |at| self.metric.judge(distinct[at], self.reading))?;
        if let Some((at, must)) =
            judges.iter().enumerate().find_map(|(at, read)| Some((at, read.as_ref().err()?)))
        {
            let at = reference_of.iter().position(|reference| *reference == at);
            return Err(self.bad_reference(references, at.expect("each reference is that of a row"), must));
        }
        for_all(texts.len(), stop, |row| {
            let Prose { reply, also } = self.read_all(texts[row].as_ref());
            let answer = self.answer(&reply);
            let verdict = match self.readable(&reply, answer.as_deref()) {
                Ok(answer) => {
                    let own =
                        reference_of[references.of(row)].iter().filter_map(|at| judges[*at].as_ref().ok());
                    best(&mut own.map(|judge| unanimous(judge, answer, &also)))
                }
                Err(unread) => unread.into(),
            };
            self.finished(verdict, &reply)
        })
    }

    /// The rows with invalid references, each with the message of [`Verifier::judge_rows`].
    pub fn check<T: AsRef<str> + Sync>(
        &self,
        references: References<'_, T>,
        stop: &AtomicBool,
    ) -> Result<Vec<(usize, Error)>, Error> {
        let (distinct, reference_of) = distinct(references.texts, |text| self.trimmed(text));
        let found = for_all(distinct.len(), stop, |at| self.metric.judge(distinct[at], self.reading).err())?;
        let bad = reference_of.iter().enumerate().filter_map(|(at, &which)| {
            let must = found[which].as_ref()?;
            Some((references.place(at).0, self.bad_reference(references, at, must)))
        });
        Ok(bad.collect())
    }

    /// The error for a reference that [`Verifier::judge`] rejects with this message.
    pub fn bad_reference<T: AsRef<str>>(
        &self,
        references: References<'_, T>,
        at: usize,
        must: &str,
    ) -> Error {
        let message =
            format!("{} is `{}`, but {must}", references.place(at).1, quoted(references.texts[at].as_ref()));
        Error::InvalidReference { verifier: self.about.name, message }
    }
}

/// The text from the first word outside reasoning to the last.
fn outside(text: &str) -> Reply<'_> {
    let (parts, cut) = outside_reasoning(text);
    let mut words = parts.into_iter().filter(|part| !text[part.clone()].trim().is_empty());
    let all = words.next().map_or(0..0, |first| first.start..words.next_back().unwrap_or(first).end);
    let faults = if cut { vec![label::TRUNCATED] } else { Vec::new() };
    Reply { text, answer: Some(text[all].trim()), faults, one_tag: true, alone: true }
}

/// A part of a text with the blanks before it, if its first line starts with them.
fn indented<'t>(text: &'t str, part: &'t str) -> &'t str {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    let before = text[..start].trim_end_matches([' ', '\t']);
    if before.is_empty() || before.ends_with('\n') { &text[before.len()..start + part.len()] } else { part }
}

/// True if a text can be the tag of an answer.
pub fn is_tag(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

/// A pass if the answer is right, or else that it is not the reference.
fn passes(right: bool, answer: &str, reference: &str) -> Graded {
    if right {
        return Ok(Pass::new());
    }
    Err(Failure::wrong(format!("`{}` is not `{}`", quoted(answer), quoted(reference))))
}

#[cfg(test)]
pub(crate) mod tests;
