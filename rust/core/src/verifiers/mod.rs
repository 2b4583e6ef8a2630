//! Verifiers of a caller's own rows: a completion and the truth it is held against.
//!
//! A metric is one file here and one line in [`KINDS`].

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value, json};

use crate::budget::{Budget, OverBudget};
use crate::error::{Error, quoted, shortened, unknown};
use crate::params::{self, Params};
use crate::task::about::{Budgets, Part};
use crate::task::answer::{self, Reading, Reply, StopTokens, unread};
use crate::task::batch::for_all;
use crate::task::verdict::Verdict;

mod exact;
mod json;
mod number;
mod ratios;
mod tree;

/// Every verifier there is.
pub static KINDS: &[Kind] = &[
    Kind::of::<exact::ExactMatch>(),
    Kind::of::<json::JsonEqual>(),
    Kind::of::<number::NumberEqual>(),
    Kind::of::<ratios::DifflibRatio>(),
    Kind::of::<ratios::LcsRatio>(),
    Kind::of::<ratios::EditRatio>(),
    Kind::of::<tree::AsciiTree>(),
];

/// The facts about a metric, and how answers are read unless the caller says otherwise.
#[derive(Clone, Debug)]
pub struct About {
    /// `snake_case`, stable for ever.
    pub name: &'static str,
    /// What passes, in one line.
    pub summary: &'static str,
    /// The tag an answer stands in; without one the whole completion, trimmed, is the answer.
    pub tag: Option<&'static str>,
    pub reading: Reading,
}

/// A way to hold an answer against a truth. Its params are its options.
pub trait Metric: Params + fmt::Debug {
    const ABOUT: About;

    /// A truth, read once for its row.
    type Truth<'a>;

    /// Reads a truth, which is trimmed. The error says what it must be: "must be JSON".
    fn truth<'a>(&self, text: &'a str, budget: &mut Budget) -> Result<Self::Truth<'a>, String>;

    /// Judges an answer, which is trimmed. Total: any text gets a verdict, in bounded work.
    fn compare(
        &self,
        answer: &str,
        truth: &Self::Truth<'_>,
        budget: &mut Budget,
    ) -> Result<Verdict, OverBudget>;

    /// What a verdict measures besides passing.
    fn parts(&self) -> &'static [Part] {
        &[]
    }

    /// Reads the answer in `<tag>…</tag>`. Only a metric that reproduces someone else's reading overrides it.
    fn read<'a>(&self, text: &'a str, tag: &str, reading: Reading) -> Reply<'a> {
        answer::read(text, tag, reading)
    }
}

/// [`Metric`] with its truth's type erased. Implemented once, below, for every metric.
trait AnyMetric: Send + Sync + fmt::Debug {
    fn parts(&self) -> &'static [Part];
    fn options(&self) -> Map<String, Value>;
    fn read<'a>(&self, text: &'a str, tag: &str, reading: Reading) -> Reply<'a>;
    /// The error says what the truth must be.
    fn judge(&self, answer: Result<&str, Verdict>, truth: &str) -> Result<Verdict, String>;
}

impl<M: Metric> AnyMetric for M {
    fn parts(&self) -> &'static [Part] {
        Metric::parts(self)
    }

    fn options(&self) -> Map<String, Value> {
        params::fields(self)
    }

    fn read<'a>(&self, text: &'a str, tag: &str, reading: Reading) -> Reply<'a> {
        Metric::read(self, text, tag, reading)
    }

    fn judge(&self, answer: Result<&str, Verdict>, truth: &str) -> Result<Verdict, String> {
        // A truth is read whatever the answer is, so that a wrong one shows at its first row.
        let truth = self.truth(truth, &mut Budget::new(Budgets::USUAL.judge))?;
        Ok(match answer {
            Ok(answer) => {
                let verdict = self.compare(answer, &truth, &mut Budget::new(Budgets::USUAL.judge));
                verdict.unwrap_or_else(Verdict::from)
            }
            Err(unread) => unread,
        })
    }
}

/// Makes a metric of its own options. The error names the one at fault.
type Build = fn(&Map<String, Value>) -> Result<Arc<dyn AnyMetric>, String>;

/// A kind of verifier: its facts, and how one is made.
pub struct Kind {
    pub about: About,
    build: Build,
}

impl Kind {
    const fn of<M: Metric>() -> Self {
        Self { about: M::ABOUT, build: build::<M> }
    }
}

/// The options that every verifier takes.
const COMMON_OPTIONS: [&str; 3] = ["tag", "reading", "stop_tokens"];

fn build<M: Metric>(own: &Map<String, Value>) -> Result<Arc<dyn AnyMetric>, String> {
    let mut schema = params::schema::<M>();
    for name in COMMON_OPTIONS {
        schema["properties"][name] = json!({});
    }
    Ok(Arc::new(params::parse::<M>(own, &schema)?))
}

/// A verifier: where the answer stands, how it is read, and what is compared.
#[derive(Clone, Debug)]
pub struct Verifier {
    pub about: &'static About,
    tag: Option<String>,
    reading: Reading,
    stop_tokens: StopTokens,
    metric: Arc<dyn AnyMetric>,
}

impl Verifier {
    /// A verifier by name. `options` are `tag`, `reading`, `stop_tokens` and the metric's own; each that is
    /// left out has its default.
    pub fn new(name: &str, options: &Map<String, Value>) -> Result<Self, Error> {
        let kind = KINDS.iter().find(|kind| kind.about.name == name).ok_or_else(|| {
            let names: Vec<_> = KINDS.iter().map(|kind| kind.about.name).collect();
            unknown("verifier", name, &names)
        })?;
        let about = &kind.about;
        let invalid = |message: String| Error::InvalidParams { family: about.name, message };
        let mut own = options.clone();
        let [tag, reading, stop_tokens] = COMMON_OPTIONS.map(|name| own.remove(name));
        Ok(Self {
            about,
            tag: match tag {
                None => about.tag.map(str::to_owned),
                Some(given) => read_tag(&given).map_err(invalid)?,
            },
            reading: match reading {
                None => about.reading,
                Some(given) => read_reading(&given).map_err(invalid)?,
            },
            stop_tokens: stop_tokens
                .map_or(Ok(StopTokens::default()), |given| read_stop_tokens(&given).map_err(invalid))?,
            metric: (kind.build)(&own).map_err(invalid)?,
        })
    }

    /// Every option, those left to their defaults included.
    pub fn options(&self) -> Map<String, Value> {
        let mut options = Map::new();
        options.insert("tag".into(), json!(self.tag));
        options.insert("reading".into(), json!(self.reading.name()));
        options.insert("stop_tokens".into(), json!(self.stop_tokens.names()));
        options.extend(self.metric.options());
        options
    }

    /// What a verdict of this verifier measures besides passing.
    pub fn parts(&self) -> &'static [Part] {
        self.metric.parts()
    }

    /// Reads the answer out of a completion.
    pub fn read<'a>(&self, text: &'a str) -> Reply<'a> {
        let ended = self.stop_tokens.strip(text, self.tag.as_deref());
        match &self.tag {
            Some(tag) => self.metric.read(ended, tag, self.reading),
            None => Reply::whole(ended),
        }
    }

    /// Judges a completion against a truth: any completion gets a verdict. The error says what the truth
    /// must be.
    pub fn judge(&self, text: &str, truth: &str) -> Result<Verdict, String> {
        let reply = self.read(text);
        self.judge_as(&reply, reply.answer, truth.trim())
    }

    /// Judges a completion already read, with `answer` in place of what was read in it.
    pub fn judge_as(&self, reply: &Reply<'_>, answer: Option<&str>, truth: &str) -> Result<Verdict, String> {
        let answer = match (answer, reply.faults.as_slice()) {
            (Some(answer), []) => Ok(answer),
            (_, faults) => Err(unread(faults, self.tag.as_deref().unwrap_or_default())),
        };
        let mut verdict = self.metric.judge(answer, truth)?;
        verdict.answer = reply.span();
        Ok(verdict.normalized(self.parts()))
    }

    /// Judges rows in order, in parallel; the first truth that is none ends it with [`Error::InvalidTruth`].
    pub fn judge_rows<T: AsRef<str> + Sync>(
        &self,
        texts: &[T],
        truths: &[T],
        stop: &AtomicBool,
    ) -> Result<Vec<Verdict>, Error> {
        assert_eq!(texts.len(), truths.len(), "one truth per completion");
        let verdicts = for_all(texts.len(), stop, |i| self.judge(texts[i].as_ref(), truths[i].as_ref()))?;
        let rows = verdicts.into_iter().enumerate();
        rows.map(|(row, verdict)| verdict.map_err(|must| self.bad_truth(row, truths[row].as_ref(), &must)))
            .collect()
    }

    /// The error for a truth of which [`Verifier::judge`] says what it must be.
    pub fn bad_truth(&self, row: usize, truth: &str, must: &str) -> Error {
        let message = format!("`truths[{row}]` is `{}`, but {must}", quoted(truth));
        Error::InvalidTruth { verifier: self.about.name, message }
    }
}

/// Whether a text can be an answer's tag.
pub fn is_tag(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c))
}

/// Somebody's value in a message.
fn shown(value: &Value) -> String {
    shortened(&value.to_string())
}

fn read_tag(given: &Value) -> Result<Option<String>, String> {
    match given {
        Value::Null => Ok(None),
        Value::String(name) if is_tag(name) => Ok(Some(name.clone())),
        other => Err(format!(
            "`tag` is {}, but must be a name without brackets, like \"answer\", or None",
            shown(other)
        )),
    }
}

fn read_reading(given: &Value) -> Result<Reading, String> {
    let found = given.as_str().map(Reading::find);
    found.and_then(Result::ok).ok_or_else(|| {
        let names = Reading::ALL.map(|reading| format!("\"{}\"", reading.name()));
        format!("`reading` is {}, but must be one of {}", shown(given), names.join(", "))
    })
}

fn read_stop_tokens(given: &Value) -> Result<StopTokens, String> {
    let must = "but must be a list of str";
    let tokens = given.as_array().ok_or_else(|| format!("`stop_tokens` is {}, {must}", shown(given)))?.iter();
    let text = |(at, token): (usize, &Value)| match token {
        Value::String(token) => Ok(token.clone()),
        other => Err(format!("`stop_tokens[{at}]` is {}, but must be str", shown(other))),
    };
    StopTokens::new(&tokens.enumerate().map(text).collect::<Result<Vec<_>, _>>()?)
}

/// Whether the answer is right, with a reason if it is not.
fn passes(right: bool, answer: &str, truth: &str) -> Verdict {
    if right {
        Verdict::pass()
    } else {
        Verdict::wrong(format!("`{}` is not `{}`", quoted(answer), quoted(truth)))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A verifier of untagged text, with options of its own.
    pub fn untagged(name: &str, options: &Value) -> Verifier {
        let mut options = options.as_object().expect("an object").clone();
        options.insert("tag".into(), Value::Null);
        Verifier::new(name, &options).unwrap()
    }

    /// Holds answers against truths, the wrong ones first.
    pub fn assert_judges(verifier: &Verifier, wrong: &[(&str, &str)], right: &[(&str, &str)]) {
        let judged = |answer: &str, truth: &str| match verifier.judge(answer, truth) {
            Ok(verdict) => verdict,
            Err(must) => panic!("{truth:.60}: {must}"),
        };
        for (answer, truth) in wrong {
            let verdict = judged(answer, truth);
            assert!(!verdict.passed && verdict.score < 1.0, "{answer:.60} for {truth:.60}");
            assert!(!verdict.detail.is_empty(), "{answer:.60} for {truth:.60}");
        }
        for (answer, truth) in right {
            assert!(
                judged(answer, truth).passed,
                "{answer:.60} for {truth:.60}: {}",
                judged(answer, truth).detail
            );
        }
    }

    /// Truths that are the caller's mistake, whatever the answer.
    pub fn assert_refuses(verifier: &Verifier, truths: &[&str]) {
        for truth in truths {
            for answer in ["", "1", "<answer>1</answer>", truth] {
                let judged = verifier.judge(answer, truth);
                assert!(judged.is_err_and(|must| must.starts_with("must ")), "{truth:.60}");
            }
        }
    }

    fn every_default() -> impl Iterator<Item = Verifier> {
        KINDS.iter().map(|kind| Verifier::new(kind.about.name, &Map::new()).unwrap())
    }

    /// A truth of each verifier and an answer that is wrong for all of them.
    const TRUTH: &str = "1";
    const WRONG: &str = "2";

    #[test]
    fn every_verifier_reads_and_compares() {
        for verifier in every_default() {
            let tag = verifier.tag.clone();
            let wrapped = |answer: &str| match &tag {
                Some(tag) => format!("<{tag}>{answer}</{tag}>"),
                None => answer.to_owned(),
            };
            let judge = |text: &str| verifier.judge(text, TRUTH).unwrap();
            let name = verifier.about.name;
            assert!(!judge(&wrapped(WRONG)).passed, "{name}");
            assert!(!judge("").passed, "{name}");
            let text = wrapped(&format!(" {TRUTH}\n"));
            let right = judge(&text);
            assert!(right.passed, "{name}: {}", right.detail);
            assert_eq!(&text[right.answer.unwrap()], TRUTH, "{name}");
            if tag.is_some() {
                for broken in [
                    TRUTH.to_owned(),
                    wrapped(TRUTH) + &wrapped(WRONG),
                    wrapped(WRONG) + &wrapped(TRUTH),
                    wrapped(TRUTH) + "!",
                    wrapped(TRUTH) + "<|im_end|>" + &wrapped(TRUTH),
                    wrapped(&wrapped(TRUTH)),
                    format!("<think>{}</think>", wrapped(TRUTH)),
                ] {
                    assert!(!judge(&broken).passed, "{name}: {broken}");
                }
                assert!(judge(&(wrapped(TRUTH) + "<|im_end|>\n</s>")).passed, "{name}");
            }
        }
    }

    #[test]
    fn stop_tokens_are_a_models_own() {
        for kind in KINDS {
            for (tag, text) in [(json!(null), TRUTH.to_owned()), (json!("a"), format!("<a>{TRUTH}</a>"))] {
                let mut options = json!({"tag": tag, "stop_tokens": ["###"]});
                let options = options.as_object_mut().unwrap();
                let verifier = Verifier::new(kind.about.name, options).unwrap();
                let ended = verifier.judge(&format!("{text} ### ###\n"), TRUTH).unwrap();
                assert!(ended.passed, "{}: {}", kind.about.name, ended.detail);
                assert!(ended.answer.is_some());
                // Marks of chat templates are text where there is no tag, unless they are named.
                let marked = verifier.judge(&format!("{text}</s>"), TRUTH).unwrap();
                assert_eq!(marked.passed, !tag.is_null(), "{}", kind.about.name);
            }
        }
    }

    #[test]
    fn options_are_checked_by_field_and_come_back_whole() {
        for kind in KINDS {
            let name = kind.about.name;
            for (options, message) in [
                (json!({"tag": 3}), "`tag` is 3, but must be a name without brackets"),
                (json!({"tag": "<answer>"}), "`tag` is \"<answer>\", but must be"),
                (json!({"tag": ""}), "`tag` is \"\", but must be"),
                (json!({"reading": "strct"}), "`reading` is \"strct\", but must be one of \"clean\""),
                (json!({"reading": null}), "`reading` is null, but must be"),
                (json!({"stop_tokens": "</s>"}), "`stop_tokens` is \"</s>\", but must be a list"),
                (json!({"stop_tokens": ["x", 3]}), "`stop_tokens[1]` is 3, but must be str"),
                (json!({"stop_tokens": [""]}), "`stop_tokens[0]` is empty"),
                (json!({"readng": "strict"}), "no param `readng`; did you mean `reading`?"),
            ] {
                let error = Verifier::new(name, options.as_object().unwrap()).unwrap_err().to_string();
                assert!(error.starts_with(&format!("{name}: {message}")), "{error}");
            }
            let made = Verifier::new(name, &Map::new()).unwrap();
            let again = Verifier::new(name, &made.options()).unwrap();
            assert_eq!(made.options(), again.options());
        }
        let error = Verifier::new("number", &Map::new()).unwrap_err().to_string();
        assert!(error.starts_with("no verifier `number`"), "{error}");
    }

    #[test]
    fn a_truth_that_is_none_is_the_callers_error() {
        let verifier = Verifier::new("number_equal", &Map::new()).unwrap();
        let judge = |truths: [&str; 2]| {
            verifier.judge_rows(&["<answer>1</answer>", "?"], &truths, &AtomicBool::new(false))
        };
        assert_eq!(judge(["1", "2"]).unwrap().len(), 2);
        assert_eq!(
            judge(["1", "seven"]).unwrap_err().to_string(),
            "number_equal: `truths[1]` is `seven`, but must be one number like -12, 0.5, 3/4 or 1.2e-3"
        );
        let long = judge(["x".repeat(9_000).as_str(), ""]).unwrap_err().to_string();
        assert!(long.starts_with("number_equal: `truths[0]` is `xxx") && long.len() < 200, "{long}");
    }

    #[test]
    fn any_two_texts_get_a_verdict_or_an_error() {
        let odd = [
            "",
            "\0",
            "𝟙",
            "\u{202e}1",
            "[[[[",
            "{",
            "\"\\u",
            "1e999999999",
            "-",
            "9**9**9",
            "<think>",
            "</s>",
        ];
        for verifier in every_default() {
            for text in odd {
                for truth in odd {
                    if let Ok(verdict) = verifier.judge(text, truth) {
                        assert_eq!(verdict.passed, verdict.failures.is_empty());
                    }
                }
            }
        }
    }
}
