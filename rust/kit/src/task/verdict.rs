//! Verdicts on answers.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Mutex;

use crate::budget::OverBudget;
use crate::error::quoted;

/// Failure labels that any family may give; a family declares its own in addition.
pub mod label {
    pub const NO_ANSWER: &str = "no_answer";
    pub const MISSING_OR_BROKEN_TAGS: &str = "missing_or_broken_tags";
    pub const EXTRA_TEXT_OUTSIDE_TAGS: &str = "extra_text_outside_tags";
    pub const FENCED: &str = "fenced";
    pub const HEDGED: &str = "hedged";
    pub const TRUNCATED: &str = "truncated";
    pub const ANSWER_TOO_LONG: &str = "answer_too_long";
    pub const MALFORMED_ANSWER: &str = "malformed_answer";
    pub const WRONG_ANSWER: &str = "wrong_answer";
    pub const CONSTRAINT_VIOLATED: &str = "constraint_violated";
    pub const SUBOPTIMAL: &str = "suboptimal";
    pub const OVER_BUDGET: &str = "over_budget";
    pub const ARITHMETIC_SLIP: &str = "arithmetic_slip";
    pub const MISSED_NEGATION: &str = "missed_negation";

    /// Each common label with its meaning.
    pub const COMMON: [(&str, &str); 14] = [
        (NO_ANSWER, "there is no answer tag outside the reasoning"),
        (MISSING_OR_BROKEN_TAGS, "the answer tag must be opened and closed exactly once"),
        (EXTRA_TEXT_OUTSIDE_TAGS, "there is extra text outside the answer, which reading=lenient forgives"),
        (FENCED, "there is a code fence inside the answer tag"),
        (HEDGED, "two different answers are given"),
        (TRUNCATED, "the text ends before the answer tag or the reasoning is closed"),
        (ANSWER_TOO_LONG, "the answer is longer than 64 KiB"),
        (MALFORMED_ANSWER, "the answer is not of the form the prompt asks for"),
        (WRONG_ANSWER, "the answer has the right form but is wrong"),
        (CONSTRAINT_VIOLATED, "the answer breaks a rule of the problem"),
        (SUBOPTIMAL, "the answer is valid, but not the best one"),
        (OVER_BUDGET, "judging the answer would take more steps than are allowed"),
        (ARITHMETIC_SLIP, "the right number but for one in one of its digits, as when a carry is lost"),
        (MISSED_NEGATION, "all statements fit but one, and that one would if it said the opposite"),
    ];

    /// True if a wrong number is what a lost or invented carry makes of one of two digits or more.
    pub const fn is_arithmetic_slip(wrong: i64, right: i64) -> bool {
        let off = wrong.abs_diff(right);
        off > 0 && 10u64.pow(off.ilog10()) == off && off <= right.unsigned_abs() && right.unsigned_abs() >= 10
    }
}

/// A measurement besides the verdict, in `[0, 1]`, 1 being best.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub name: &'static str,
    pub means: &'static str,
}

impl Part {
    pub const fn new(name: &'static str, means: &'static str) -> Self {
        Self { name, means }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The strict result.
    pub passed: bool,
    /// Partial credit in `[0, 1]`; 1 exactly when passed.
    pub score: f32,
    /// The parts that the family declares, each in `[0, 1]`. An omitted one is 1 if passed and 0 otherwise.
    pub parts: Vec<(&'static str, f32)>,
    /// Why it failed, most telling first; empty when passed.
    pub failures: Vec<&'static str>,
    /// A reason a person can act on; empty when passed.
    pub detail: String,
    /// Byte range of the answer in the completion.
    pub answer: Option<Range<usize>>,
    /// The answer was read in a spelling that only the lenient reading allows: in markup, in a box, or with
    /// other separators.
    pub respelled: bool,
}

/// Reason why an answer fails, with its partial credit.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Partial credit in `[0, 1)`.
    pub score: f32,
    pub parts: Vec<(&'static str, f32)>,
    pub failures: Vec<&'static str>,
    pub detail: String,
}

/// Outcome for an answer: a pass, or why it fails.
pub type Judged = Result<(), Failure>;

/// Outcome for an answer if passes have measured parts, too.
pub type Graded = Result<Pass, Failure>;

/// A right answer with its measurements.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pass {
    pub parts: Vec<(&'static str, f32)>,
}

impl Pass {
    pub fn new() -> Self {
        Self::default()
    }
}

/// Largest number of Python-defined names that are kept, of labels and parts together.
pub const MOST_NAMES: usize = 4_096;
/// The most bytes of such a name.
pub const LONGEST_NAME: usize = 256;

/// A Python-defined label or part name that lives as long as the process. Each is kept once, up to a limit,
/// so text computed from an answer belongs in `detail`, not in a label; the error says so.
pub fn interned(name: &str) -> Result<&'static str, String> {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    if let Some((common, _)) = label::COMMON.iter().find(|(common, _)| *common == name) {
        return Ok(common);
    }
    if name.len() > LONGEST_NAME {
        let bytes = name.len();
        return Err(format!("a label of {bytes} bytes, but one may have at most {LONGEST_NAME}"));
    }
    let mut names = NAMES.lock().expect("nobody panics while holding it");
    if let Some(kept) = names.get(name) {
        return Ok(kept);
    }
    if names.len() == MOST_NAMES {
        let name = quoted(name);
        return Err(format!(
            "`{name}` would be one label or part more than the {MOST_NAMES} that a process may use; say what differs \
             from answer to answer in `detail`"
        ));
    }
    let kept = Box::leak(name.to_owned().into_boxed_str());
    names.insert(kept);
    Ok(kept)
}

/// Highest partial credit of a failing answer: the number just below 1.
const ALMOST: f32 = 1.0 - f32::EPSILON / 2.0;

impl Failure {
    pub fn new(label: &'static str, detail: impl Into<String>) -> Self {
        Self { score: 0.0, parts: Vec::new(), failures: vec![label], detail: detail.into() }
    }

    /// The answer cannot be read as the prompt asks.
    pub fn malformed(detail: impl Into<String>) -> Self {
        Self::new(label::MALFORMED_ANSWER, detail)
    }

    /// The answer is readable but wrong.
    pub fn wrong(detail: impl Into<String>) -> Self {
        Self::new(label::WRONG_ANSWER, detail)
    }

    /// Partial credit, kept below 1.
    #[must_use]
    pub fn score(mut self, score: f32) -> Self {
        self.score = if score.is_nan() { 0.0 } else { score.clamp(0.0, ALMOST) };
        self
    }

    /// Sets a part by its name.
    #[must_use]
    pub fn part(mut self, name: &'static str, value: f32) -> Self {
        self.parts.push((name, value));
        self
    }

    /// Adds a label after the ones already there.
    #[must_use]
    pub fn also(mut self, label: &'static str) -> Self {
        if !self.failures.contains(&label) {
            self.failures.push(label);
        }
        self
    }
}

impl From<OverBudget> for Failure {
    fn from(_: OverBudget) -> Self {
        Self::new(label::OVER_BUDGET, "judging this answer takes more steps than are allowed")
    }
}

impl From<Failure> for Verdict {
    fn from(Failure { score, parts, failures, detail }: Failure) -> Self {
        Self { passed: false, score, parts, failures, detail, answer: None, respelled: false }
    }
}

impl From<Judged> for Verdict {
    fn from(judged: Judged) -> Self {
        judged.map_or_else(Self::from, |()| Self::pass())
    }
}

impl From<Verdict> for Judged {
    fn from(Verdict { passed, score, parts, failures, detail, .. }: Verdict) -> Self {
        if passed { Ok(()) } else { Err(Failure { score, parts, failures, detail }) }
    }
}

impl From<Graded> for Verdict {
    fn from(graded: Graded) -> Self {
        graded.map_or_else(Self::from, |Pass { parts }| Self { parts, ..Self::pass() })
    }
}

impl Verdict {
    pub fn pass() -> Self {
        Self {
            passed: true,
            score: 1.0,
            parts: Vec::new(),
            failures: Vec::new(),
            detail: String::new(),
            answer: None,
            respelled: false,
        }
    }

    /// Every declared part has a value, in the order they are declared and in bounds.
    #[must_use]
    pub fn normalized(mut self, declared: &[Part]) -> Self {
        debug_assert_eq!(self.passed, self.failures.is_empty(), "{self:?}");
        debug_assert!(
            self.parts.iter().all(|(name, _)| declared.iter().any(|part| part.name == *name)),
            "{self:?}"
        );
        let left_out = f32::from(u8::from(self.passed));
        let value = |part: &Part| {
            let given = self.parts.iter().find(|(name, _)| *name == part.name);
            let value = given.map_or(left_out, |(_, value)| *value);
            (part.name, if value.is_nan() { 0.0 } else { value.clamp(0.0, 1.0) })
        };
        self.parts = declared.iter().map(value).collect();
        self
    }
}
