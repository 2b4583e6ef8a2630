//! Judges over a caller's own rows: a completion and the truth it is held against.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::budget::{Budget, OverBudget};
use crate::error::quoted;
use crate::shared::rational::Rational;
use crate::shared::similarity;
use crate::shared::tree_text;
use crate::task::about::{Budgets, Part};
use crate::task::answer::{self, Reading, Reply, unread};
use crate::task::verdict::{Verdict, label};

/// What is compared, and how.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// The same text.
    Exact { ignore_case: bool, ignore_spacing: bool },
    /// The same JSON value: key order and number notation aside. A key given twice is an error.
    Json,
    /// The same number, exactly; or within an absolute tolerance.
    Number { tolerance: f64 },
    /// `difflib.SequenceMatcher(None, answer, truth).ratio()` over characters, autojunk and all.
    DifflibRatio,
    /// Longest common subsequence over the longer length, in characters.
    LcsRatio,
    /// One minus the edit distance over the longer length, in characters.
    EditRatio,
    /// The same drawing of a tree, line by line.
    TreeStrict,
    /// SYNTHETIC-2's reward for a drawing, which reads the first tag block whatever the policy; passes at 1.
    TreeCompat,
    /// The same tree, however it is drawn; the score is the F1 over edges.
    TreeStructural,
}

static STRUCTURE: [Part; 4] = [
    Part { name: "node_f1", means: "F1 over names" },
    Part { name: "edge_f1", means: "F1 over names with their parents" },
    Part { name: "order", means: "F1 over names with their parents and the siblings before them" },
    Part { name: "depth", means: "F1 over names with their depths" },
];

/// A judge of rows: where the answer stands, how it is read, what is compared.
#[derive(Clone, Debug)]
pub struct RowJudge {
    /// The tag of the answer; without one the whole completion, trimmed, is the answer.
    pub tag: Option<String>,
    pub reading: Reading,
    pub measure: Measure,
}

impl RowJudge {
    /// What a verdict of this judge measures besides passing.
    pub fn parts(&self) -> &'static [Part] {
        match self.measure {
            Measure::TreeStructural => &STRUCTURE,
            _ => &[],
        }
    }

    /// Judges a completion against a truth; total for any two texts.
    pub fn judge(&self, text: &str, truth: &str) -> Verdict {
        let mut budget = Budget::new(Budgets::USUAL.judge);
        if self.measure == Measure::TreeCompat {
            return self.compat(text, truth, &mut budget).unwrap_or_else(Verdict::from);
        }
        let reply = match &self.tag {
            Some(tag) => answer::read(text, tag, self.reading),
            None => Reply { text, answer: Some(text.trim()), faults: Vec::new() },
        };
        let mut verdict = match (reply.answer, reply.faults.as_slice()) {
            (Some(answer), []) => {
                self.compare(answer, truth.trim(), &mut budget).unwrap_or_else(Verdict::from)
            }
            (_, faults) => unread(faults, self.tag.as_deref().unwrap_or_default()),
        };
        verdict.answer = reply.span();
        verdict.normalized(self.parts())
    }

    fn compat(&self, text: &str, truth: &str, budget: &mut Budget) -> Result<Verdict, OverBudget> {
        let tag = self.tag.as_deref().unwrap_or_default();
        if tree_text::compat_answer(text, tag).is_none() {
            let detail = format!("no complete tag <{tag}>");
            return Ok(Verdict::fail(label::MISSING_OR_BROKEN_TAGS, detail));
        }
        let reward = tree_text::compat(text, truth, tag, budget)?;
        if reward >= 1.0 {
            return Ok(Verdict::pass());
        }
        Ok(Verdict::wrong(format!("the reward is {reward:.3}")).score(reward as f32))
    }

    fn compare(&self, answer: &str, truth: &str, budget: &mut Budget) -> Result<Verdict, OverBudget> {
        let wrong = || Verdict::wrong(format!("`{}` is not `{}`", quoted(answer), quoted(truth)));
        let passes = |passes| if passes { Verdict::pass() } else { wrong() };
        Ok(match self.measure {
            Measure::Exact { ignore_case, ignore_spacing } => passes(
                normal(answer, ignore_case, ignore_spacing) == normal(truth, ignore_case, ignore_spacing),
            ),
            Measure::Json => match (read_json(answer), read_json(truth)) {
                (Ok(answer), Ok(truth)) => passes(answer == truth),
                (Err(reason), _) => Verdict::malformed(format!("the answer is not JSON: {reason}")),
                (_, Err(reason)) => Verdict::wrong(format!("the truth is not JSON: {reason}")),
            },
            Measure::Number { tolerance } => match (Number::read(answer), Number::read(truth)) {
                (Some(answer), Some(truth)) => passes(answer.equals(&truth, tolerance)),
                (None, _) => Verdict::malformed(format!(
                    "`{}` is not one number like -12, 0.5, 3/4 or 1.2e-3",
                    quoted(answer)
                )),
                (_, None) => Verdict::wrong(format!("the truth `{}` is not a number", quoted(truth))),
            },
            Measure::DifflibRatio => {
                let ratio = similarity::chars_ratio(answer, truth, budget)?;
                passes(answer == truth).score(ratio as f32)
            }
            Measure::LcsRatio => {
                let ratio = similarity::lcs_share(answer, truth, budget)?;
                passes(answer == truth).score(ratio)
            }
            Measure::TreeStrict => passes(tree_text::strict(answer, truth)),
            Measure::TreeStructural => {
                let found = tree_text::structural(answer, truth, budget)?;
                passes(tree_text::parse(answer) == tree_text::parse(truth))
                    .score(found.edge_f1 as f32)
                    .part("node_f1", found.node_f1 as f32)
                    .part("edge_f1", found.edge_f1 as f32)
                    .part("order", found.order as f32)
                    .part("depth", found.depth as f32)
            }
            Measure::TreeCompat => unreachable!("it has a reader of its own"),
            Measure::EditRatio => {
                let distance = similarity::edit_distance(answer, truth, budget)?;
                let longer = answer.chars().count().max(truth.chars().count()).max(1);
                passes(answer == truth).score(1.0 - distance as f32 / longer as f32)
            }
        })
    }
}

/// The text as an exact match sees it.
fn normal(text: &str, ignore_case: bool, ignore_spacing: bool) -> String {
    let spaced =
        if ignore_spacing { text.split_whitespace().collect::<Vec<_>>().join(" ") } else { text.to_owned() };
    if ignore_case { spaced.to_lowercase() } else { spaced }
}

/// A JSON value under value equality.
#[derive(PartialEq)]
enum Json {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

/// A longer number would lose digits on the way through a float.
const LONGEST_NUMBER: usize = 17;

/// Digits of the longest number outside strings.
fn longest_number(text: &str) -> usize {
    let (mut longest, mut run, mut in_text, mut escaped) = (0, 0, false, false);
    for byte in text.bytes() {
        match byte {
            b'"' if !escaped => (in_text, run) = (!in_text, 0),
            b'0'..=b'9' if !in_text => run += 1,
            b'.' if !in_text => {}
            _ => run = 0,
        }
        escaped = in_text && byte == b'\\' && !escaped;
        longest = longest.max(run);
    }
    longest
}

fn read_json(text: &str) -> Result<Json, String> {
    if longest_number(text) > LONGEST_NUMBER {
        return Err(format!("a number has more than {LONGEST_NUMBER} digits"));
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Json;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("JSON")
            }
            fn visit_unit<E>(self) -> Result<Json, E> {
                Ok(Json::Null)
            }
            fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
                Ok(Json::Bool(value))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
                Ok(Json::Number(Number::exact(&value.to_string())))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
                Ok(Json::Number(Number::exact(&value.to_string())))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
                Ok(Json::Number(Number::exact(&format!("{value:e}"))))
            }
            fn visit_str<E>(self, value: &str) -> Result<Json, E> {
                Ok(Json::Text(value.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    list.push(item);
                }
                Ok(Json::List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Json, A::Error> {
                let mut object = BTreeMap::new();
                while let Some((key, value)) = fields.next_entry::<String, Json>()? {
                    let shown = quoted(&key);
                    if object.insert(key, value).is_some() {
                        return Err(A::Error::custom(format!("the key `{shown}` is given twice")));
                    }
                }
                Ok(Json::Object(object))
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

/// A number as it was written: exact, whatever its size.
#[derive(Clone, Debug, PartialEq)]
enum Number {
    /// `digits × 10^exponent`, no zero at either end of the digits; zero has none.
    Decimal { negative: bool, digits: String, exponent: i64 },
    /// A fraction that is not a short decimal.
    Fraction(Rational),
}

impl Number {
    fn read(text: &str) -> Option<Self> {
        match text.split_once('/') {
            None => Self::decimal(text),
            Some((above, below)) => {
                let whole = |text: &str| answer::integer(text.trim()).ok().flatten();
                let (above, below) = (whole(above)?, whole(below)?);
                let fraction = Rational::new(above.into(), below.into())?;
                Some(Self::short(fraction).unwrap_or(Self::Fraction(fraction)))
            }
        }
    }

    /// A number that serde or we wrote.
    fn exact(text: &str) -> Self {
        Self::decimal(text).expect("a printed number reads back")
    }

    fn decimal(text: &str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix(['-', '−']) {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, answer::integer(exponent).ok()??),
            None => (rest, 0),
        };
        let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() && decimals.is_empty() || !all_digits(whole) || !all_digits(decimals) {
            return None;
        }
        let mut digits = format!("{whole}{decimals}");
        let mut exponent = exponent.checked_sub(decimals.len() as i64)?;
        let kept = digits.trim_end_matches('0').len();
        exponent = exponent.checked_add((digits.len() - kept) as i64)?;
        digits.truncate(kept);
        digits = digits.trim_start_matches('0').to_owned();
        Some(if digits.is_empty() {
            Self::Decimal { negative: false, digits, exponent: 0 }
        } else {
            Self::Decimal { negative, digits, exponent }
        })
    }

    /// The fraction as a decimal, when it ends.
    fn short(fraction: Rational) -> Option<Self> {
        const MOST: u32 = 18;
        let (mut scale, mut below) = (0u32, fraction.denominator());
        let mut above = fraction.numerator();
        while below != 1 {
            let factor = if below % 10 == 0 {
                1
            } else if below % 2 == 0 {
                5
            } else if below % 5 == 0 {
                2
            } else {
                return None;
            };
            above = above.checked_mul(factor)?;
            below = below.checked_mul(factor)? / 10;
            scale += 1;
            if scale > MOST * 4 {
                return None;
            }
        }
        Self::decimal(&format!("{above}e-{scale}"))
    }

    fn float(&self) -> f64 {
        match self {
            Self::Decimal { negative, digits, exponent } => {
                let sign = if *negative { "-" } else { "" };
                let digits = if digits.is_empty() { "0" } else { digits };
                format!("{sign}{digits}e{exponent}").parse().unwrap_or(f64::NAN)
            }
            Self::Fraction(fraction) => fraction.numerator() as f64 / fraction.denominator() as f64,
        }
    }

    fn equals(&self, other: &Self, tolerance: f64) -> bool {
        self == other || tolerance > 0.0 && (self.float() - other.float()).abs() <= tolerance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(measure: Measure, answer: &str, truth: &str) -> bool {
        RowJudge { tag: None, reading: Reading::Strict, measure }.judge(answer, truth).passed
    }

    #[test]
    fn numbers_are_compared_by_value() {
        let number = Measure::Number { tolerance: 0.0 };
        for (answer, truth) in [
            ("0.50", "1/2"),
            ("5e-1", "1/2"),
            ("-12", "−12.0"),
            ("1200", "1.2e3"),
            ("2/6", "1/3"),
            ("0", "-0.0"),
            ("100000000000000000000000000001", "100000000000000000000000000001.0"),
        ] {
            assert!(passes(number.clone(), answer, truth), "{answer} {truth}");
        }
        for (answer, truth) in [
            ("0.33", "1/3"),
            ("1/3", "0.33"),
            ("5000", "500"),
            ("100000000000000000000000000001", "100000000000000000000000000002"),
            ("", "0"),
            (".", "0"),
            ("nan", "0"),
            ("inf", "0"),
            ("1/0", "0"),
            ("1e99999999999999999999", "0"),
            ("9**9", "387420489"),
            ("1 2", "12"),
            ("1,000", "1000"),
        ] {
            assert!(!passes(number.clone(), answer, truth), "{answer} {truth}");
        }
        assert!(passes(Measure::Number { tolerance: 0.01 }, "0.33", "1/3"));
        assert!(!passes(Measure::Number { tolerance: 0.01 }, "0.35", "1/3"));
    }

    #[test]
    fn json_is_compared_by_value_and_may_not_hedge() {
        for (answer, truth) in [
            (r#"{"b": [1, 2.50], "a": null}"#, r#"{"a":null,"b":[1.0,2.5]}"#),
            ("\"x\"", " \"x\" "),
            ("1e2", "100"),
            ("\"1000000000000000000000\"", "\"1000000000000000000000\""),
        ] {
            assert!(passes(Measure::Json, answer, truth), "{answer}");
        }
        let deep = "[".repeat(50_000);
        for (answer, truth) in [
            (r#"{"a": 1, "a": 2}"#, r#"{"a": 2}"#),
            ("[1, 2]", "[2, 1]"),
            ("true", "1"),
            ("{}", "[]"),
            ("", "null"),
            ("{'a': 1}", r#"{"a": 1}"#),
            ("100000000000000001", "100000000000000002"),
            (deep.as_str(), "[]"),
        ] {
            assert!(!passes(Measure::Json, answer, truth), "{answer:.40}");
        }
    }

    #[test]
    fn exact_matches_ignore_only_what_is_asked() {
        let exact = |ignore_case, ignore_spacing| Measure::Exact { ignore_case, ignore_spacing };
        assert!(passes(exact(false, false), " a b ", "a b"));
        assert!(!passes(exact(false, false), "A  b", "a b"));
        assert!(!passes(exact(true, false), "A  b", "a b"));
        assert!(passes(exact(true, true), "A  b", "a b"));
    }

    #[test]
    fn trees_are_judged_by_drawing_by_reward_or_by_structure() {
        let truth = "main\n +--java\n |   `--org\n `--webapp";
        let boxed = "main\n├── java\n│   └── org\n└── webapp";
        let judge = |measure, answer: &str| {
            let tag = Some("t".to_owned());
            let reading = Reading::Clean;
            RowJudge { tag, reading, measure }.judge(&format!("<t>\n{answer}\n</t>"), truth)
        };
        for measure in [Measure::TreeStrict, Measure::TreeCompat, Measure::TreeStructural] {
            assert!(judge(measure.clone(), truth).passed, "{measure:?}");
            assert!(!judge(measure.clone(), "main\n `--java").passed, "{measure:?}");
            assert!(!judge(measure.clone(), "").passed, "{measure:?}");
        }
        assert!(!judge(Measure::TreeStrict, boxed).passed);
        assert!(judge(Measure::TreeCompat, boxed).score < 0.2);
        assert!(judge(Measure::TreeStructural, boxed).passed);
        let moved = judge(Measure::TreeStructural, "main\n +--java\n +--org\n `--webapp");
        assert!(moved.parts[0].1 >= 1.0);
        assert!(moved.score < 1.0);
    }

    #[test]
    fn ratios_score_and_only_equality_passes() {
        for measure in [Measure::DifflibRatio, Measure::LcsRatio, Measure::EditRatio] {
            let judge = RowJudge { tag: Some("a".into()), reading: Reading::Strict, measure };
            assert!(judge.judge("<a>abc</a>", "abc").passed);
            let near = judge.judge("<a>abd</a>", "abc");
            assert!(!near.passed && near.score > 0.6 && near.score < 0.7, "{near:?}");
            assert_eq!(judge.judge("abc", "abc").failures[0], "no_answer");
        }
    }
}
