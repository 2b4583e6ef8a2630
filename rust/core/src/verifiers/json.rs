//! The same JSON value.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::mem;

use memchr::memchr2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, Example, Metric, passes};
use crate::budget::{Budget, OverBudget};
use crate::error::quoted;
use crate::params::Params;
use crate::shared::decimal::Decimal;
use crate::task::answer::Reading;
use crate::task::verdict::Verdict;

/// The order of keys and the notation of numbers aside. A key given twice is malformed.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JsonEqual {}

impl Params for JsonEqual {}

impl Metric for JsonEqual {
    const ABOUT: About = About {
        name: "json_equal",
        summary: "The same JSON value, numbers compared exactly.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example::ONE,
    };

    type Truth<'a> = (Json, &'a str);

    fn truth<'a>(&self, text: &'a str, budget: &mut Budget) -> Result<(Json, &'a str), String> {
        match Json::read(text, budget) {
            Ok(json) => Ok((json, text)),
            Err(Unread::NotJson(reason)) => Err(format!("must be JSON: {reason}")),
            Err(Unread::OverBudget) => Err("must be shorter: it is too long to compare".into()),
        }
    }

    fn compare(
        &self,
        answer: &str,
        (truth, written): &Self::Truth<'_>,
        budget: &mut Budget,
    ) -> Result<Verdict, OverBudget> {
        match Json::read(answer, budget) {
            Ok(json) => Ok(passes(json == *truth, answer, written)),
            Err(Unread::NotJson(reason)) => {
                Ok(Verdict::malformed(format!("the answer is not JSON: {reason}")))
            }
            Err(Unread::OverBudget) => Err(OverBudget),
        }
    }
}

/// As deep as lists and objects may stand in each other; Python's own reader goes about as far.
const DEEPEST: usize = 1_000;

/// A JSON value as RFC 8259 has it, numbers being exact.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(Decimal),
    Text(Text),
    List(Vec<Json>),
    Object(BTreeMap<Text, Json>),
}

/// UTF-8, and in the same way the surrogates that are escaped without their other half. JSON allows them,
/// and two that differ may not count as the same.
pub type Text = Vec<u8>;

/// Why a text is no value.
pub enum Unread {
    NotJson(String),
    OverBudget,
}

impl From<OverBudget> for Unread {
    fn from(_: OverBudget) -> Self {
        Self::OverBudget
    }
}

/// A list or an object whose end is not read yet.
enum Open {
    List(Vec<Json>),
    /// With the key whose value comes next.
    Object(BTreeMap<Text, Json>, Text),
}

impl Open {
    fn closed(self) -> Json {
        match self {
            Self::List(list) => Json::List(list),
            Self::Object(object, _) => Json::Object(object),
        }
    }
}

impl Json {
    /// Total, without recursion, and linear in the text but for very long exponents, which spend more.
    pub fn read(text: &str, budget: &mut Budget) -> Result<Self, Unread> {
        budget.spend(text.len() as u64)?;
        let mut reader = Reader { text, at: 0 };
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut value = match reader.next() {
                Some(b'{' | b'[') if open.len() == DEEPEST => {
                    return Err(reader.refuse(&format!("nested deeper than {DEEPEST} levels")));
                }
                Some(b'{') => {
                    reader.at += 1;
                    if reader.next() != Some(b'}') {
                        open.push(Open::Object(BTreeMap::new(), reader.key()?));
                        continue;
                    }
                    reader.at += 1;
                    Self::Object(BTreeMap::new())
                }
                Some(b'[') => {
                    reader.at += 1;
                    if reader.next() != Some(b']') {
                        open.push(Open::List(Vec::new()));
                        continue;
                    }
                    reader.at += 1;
                    Self::List(Vec::new())
                }
                Some(b'"') => Self::Text(reader.string()?),
                Some(b'-' | b'0'..=b'9') => Self::Number(reader.number(budget)?),
                _ => reader.word()?,
            };
            // With a value may end what it stands in, and what that stands in.
            loop {
                let next = reader.next();
                let Some(around) = open.last_mut() else {
                    return if next.is_none() {
                        Ok(value)
                    } else {
                        Err(reader.refuse("text after the value"))
                    };
                };
                match around {
                    Open::List(list) => list.push(value),
                    Open::Object(object, key) => match object.entry(mem::take(key)) {
                        Entry::Vacant(place) => _ = place.insert(value),
                        Entry::Occupied(twice) => {
                            let key = String::from_utf8_lossy(twice.key());
                            return Err(Unread::NotJson(format!(
                                "the key `{}` is given twice",
                                quoted(&key)
                            )));
                        }
                    },
                }
                match (around, next) {
                    (Open::List(_), Some(b',')) => {
                        reader.at += 1;
                        break;
                    }
                    (Open::Object(_, key), Some(b',')) => {
                        reader.at += 1;
                        *key = reader.key()?;
                        break;
                    }
                    (Open::List(_), Some(b']')) | (Open::Object(..), Some(b'}')) => {
                        reader.at += 1;
                        value = open.pop().expect("something is open").closed();
                    }
                    (Open::List(_), _) => return Err(reader.refuse("expected `,` or `]`")),
                    (Open::Object(..), _) => return Err(reader.refuse("expected `,` or `}`")),
                }
            }
        }
    }
}

impl Json {
    /// The same bytes for the same value, and for no other.
    pub fn write_key(&self, key: &mut Vec<u8>, budget: &mut Budget) -> Result<(), OverBudget> {
        let text = |text: &Text, key: &mut Vec<u8>| {
            key.extend(text.len().to_le_bytes());
            key.extend_from_slice(text);
        };
        match self {
            Self::Null => key.push(b'z'),
            Self::Bool(value) => key.push(if *value { b't' } else { b'f' }),
            Self::Number(number) => {
                key.push(b'n');
                text(&number.key(budget)?.into_bytes(), key);
            }
            Self::Text(written) => {
                key.push(b's');
                text(written, key);
            }
            Self::List(items) => {
                key.push(b'[');
                items.iter().try_for_each(|item| item.write_key(key, budget))?;
                key.push(b']');
            }
            Self::Object(fields) => {
                key.push(b'{');
                for (name, field) in fields {
                    text(name, key);
                    field.write_key(key, budget)?;
                }
                key.push(b'}');
            }
        }
        Ok(())
    }
}

struct Reader<'a> {
    text: &'a str,
    /// In bytes.
    at: usize,
}

impl<'a> Reader<'a> {
    fn refuse(&self, why: &str) -> Unread {
        let before = self.text.bytes().take(self.at).filter(|byte| byte & 0xc0 != 0x80);
        Unread::NotJson(format!("{why} at character {}", before.count() + 1))
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// The next byte that is not white space.
    fn next(&mut self) -> Option<u8> {
        let space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.at += self.rest().iter().take_while(space).count();
        self.rest().first().copied()
    }

    /// A key and the colon behind it.
    fn key(&mut self) -> Result<Text, Unread> {
        if self.next() != Some(b'"') {
            return Err(self.refuse("expected a key in double quotes"));
        }
        let key = self.string()?;
        if self.next() != Some(b':') {
            return Err(self.refuse("expected `:`"));
        }
        self.at += 1;
        Ok(key)
    }

    fn word(&mut self) -> Result<Json, Unread> {
        let words = [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))];
        let found = words.into_iter().find(|(word, _)| self.rest().starts_with(word.as_bytes()));
        let (word, value) = found.ok_or_else(|| self.refuse("expected a value"))?;
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self, budget: &mut Budget) -> Result<Decimal, Unread> {
        let start = self.at;
        self.at += usize::from(self.rest().starts_with(b"-"));
        let whole = self.digits()?;
        if whole > 1 && self.text.as_bytes()[self.at - whole] == b'0' {
            self.at -= whole;
            return Err(self.refuse("a number that starts with 0"));
        }
        if self.rest().starts_with(b".") {
            self.at += 1;
            self.digits()?;
        }
        if let [b'e' | b'E', rest @ ..] = self.rest() {
            self.at += 1 + usize::from(matches!(rest, [b'+' | b'-', ..]));
            self.digits()?;
        }
        let number = Decimal::read(&self.text[start..self.at], budget)?;
        Ok(number.expect("a JSON number is a decimal"))
    }

    /// How many digits come next, at least one.
    fn digits(&mut self) -> Result<usize, Unread> {
        let count = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.refuse("expected a digit"));
        }
        self.at += count;
        Ok(count)
    }

    /// A string, the opening quote of which comes next.
    fn string(&mut self) -> Result<Text, Unread> {
        self.at += 1;
        let mut read = Text::new();
        loop {
            let rest = self.rest();
            let plain = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            if let Some(control) = rest[..plain].iter().position(|byte| *byte < b' ') {
                self.at += control;
                return Err(self.refuse("a control character in a string"));
            }
            read.extend_from_slice(&rest[..plain]);
            self.at += plain;
            match rest.get(plain) {
                None => return Err(self.refuse("a string without an end")),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(read);
                }
                Some(_) => self.escape(&mut read)?,
            }
        }
    }

    /// An escape, the backslash of which comes next.
    fn escape(&mut self, read: &mut Text) -> Result<(), Unread> {
        let plain = match self.rest().get(1) {
            Some(b'u') => return self.unicode(read),
            Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            _ => return Err(self.refuse("an unknown escape")),
        };
        read.push(plain);
        self.at += 2;
        Ok(())
    }

    /// `\u` and four digits; two of them where they are the halves of one character.
    fn unicode(&mut self, read: &mut Text) -> Result<(), Unread> {
        let unit = |rest: &[u8]| {
            let digits = rest.strip_prefix(b"\\u")?.get(..4)?;
            let digit = |byte: &u8| char::from(*byte).to_digit(16);
            digits.iter().try_fold(0, |sum, byte| Some(sum * 16 + digit(byte)?))
        };
        let Some(first) = unit(self.rest()) else {
            return Err(self.refuse("`\\u` without four hexadecimal digits"));
        };
        self.at += 6;
        let second = unit(self.rest()).filter(|low| (0xdc00..0xe000).contains(low));
        let code = match second {
            Some(low) if (0xd800..0xdc00).contains(&first) => {
                self.at += 6;
                0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00)
            }
            _ => first,
        };
        match char::from_u32(code) {
            Some(character) => read.extend(character.encode_utf8(&mut [0; 4]).bytes()),
            None => read.extend(
                [0xe0 | code >> 12, 0x80 | code >> 6 & 0x3f, 0x80 | code & 0x3f].map(|byte| byte as u8),
            ),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Verifier;
    use super::super::tests::{assert_judges, assert_refuses, untagged};

    fn verifier() -> Verifier {
        untagged("json_equal", &json!({}))
    }

    #[test]
    fn values_are_equal_or_not() {
        assert_judges(
            &verifier(),
            &[
                ("[1, 2]", "[2, 1]"),
                ("[1]", "1"),
                ("[1, 2]", "[1, 2, 3]"),
                ("[[1], 2]", "[1, [2]]"),
                ("{}", "[]"),
                ("[]", "{}"),
                ("{}", "null"),
                (r#"{"0": 1}"#, "[1]"),
                (r#"["a", 1]"#, r#"{"a": 1}"#),
                (r#"{"a": 1}"#, r#"{"a": 1, "b": null}"#),
                (r#"{"a": 1, "b": 2}"#, r#"{"a": 2, "b": 1}"#),
                (r#"{"A": 1}"#, r#"{"a": 1}"#),
                ("true", "1"),
                ("false", "0"),
                ("0", "false"),
                ("null", "0"),
                ("null", "false"),
                (r#""1""#, "1"),
                ("1", r#""1""#),
                (r#""true""#, "true"),
                (r#""""#, "null"),
                ("1", "-1"),
                ("100000000000000001", "100000000000000002"),
                ("9.9999999999999999", "10"),
                ("1e-400", "0"),
                ("1e400", "1e401"),
                ("0.1", "0.1000000000000000055511151231257827"),
                (r#""\ud800""#, r#""\ud801""#),
                (r#""\udc00\ud800""#, r#""\ud800\udc00""#),
                (r#""\ud83d\ude00""#, r#""😁""#),
                (r#""a""#, r#""a ""#),
            ],
            &[
                (r#"{"b": [1, 2.50], "a": null}"#, r#"{"a":null,"b":[1.0,2.5]}"#),
                ("\"x\"", " \"x\" "),
                ("1e2", "100"),
                ("-0.0", "0"),
                ("0.5E-1", "0.05"),
                ("123456789012345678901234567890.0", "123456789012345678901234567890"),
                ("0.30000000000000004", "0.30000000000000004"),
                ("1e-400", "10e-401"),
                (
                    "1e99999999999999999999999999999999999999999",
                    "10e99999999999999999999999999999999999999998",
                ),
                (r#""\u0041\/\n\ud83d\ude00""#, "\"A/\\n😀\""),
                (r#""\ud800""#, r#""\uD800""#),
                (r#"{"\u0061": {}}"#, r#"{"a": { }}"#),
                ("[ ]\n", "[]"),
            ],
        );
    }

    #[test]
    fn what_is_not_json_is_malformed() {
        let deep = "[".repeat(200_000);
        let closed = "[".repeat(1_001) + &"]".repeat(1_001);
        let objects = "{\"a\":".repeat(200_000);
        for (answer, reason) in [
            ("", "expected a value at character 1"),
            (r#"{"a": 1, "a": 2}"#, "the key `a` is given twice"),
            (r#"{"a": 1, "\u0061": 1}"#, "the key `a` is given twice"),
            (r#"[{"a": {"b": 1, "b": 1}}]"#, "the key `b` is given twice"),
            (&deep, "nested deeper than 1000 levels at character 1001"),
            (&closed, "nested deeper than 1000 levels at character 1001"),
            (&objects, "nested deeper than 1000 levels at character 5001"),
            ("{'a': 1}", "expected a key in double quotes at character 2"),
            ("{a: 1}", "expected a key"),
            ("{\"é\"; 1}", "expected `:` at character 5"),
            ("[1, 2", "expected `,` or `]` at character 6"),
            ("[1, 2,]", "expected a value at character 7"),
            ("[1 2]", "expected `,` or `]`"),
            ("[1}", "expected `,` or `]`"),
            (r#"{"a": 1"#, "expected `,` or `}`"),
            (r#"{"a": 1]"#, "expected `,` or `}`"),
            (r#"{"a": 1,}"#, "expected a key"),
            ("{\"a\"", "expected `:`"),
            ("1 2", "text after the value at character 3"),
            ("[1] [1]", "text after the value"),
            ("[1]]", "text after the value"),
            ("nul", "expected a value"),
            ("None", "expected a value"),
            ("True", "expected a value"),
            ("NaN", "expected a value"),
            ("-Infinity", "expected a digit"),
            ("+1", "expected a value"),
            (".5", "expected a value"),
            ("5.", "expected a digit"),
            ("1e", "expected a digit"),
            ("1e+", "expected a digit"),
            ("-", "expected a digit"),
            ("012", "a number that starts with 0 at character 1"),
            ("[-00]", "a number that starts with 0 at character 3"),
            ("1_000", "text after the value"),
            ("0x10", "text after the value"),
            ("\"a", "a string without an end"),
            ("\"a\\", "an unknown escape"),
            ("\"a\nb\"", "a control character in a string at character 3"),
            ("\"\\x41\"", "an unknown escape"),
            ("\"\\u00g0\"", "`\\u` without four hexadecimal digits"),
            ("\"\\u00\"", "`\\u` without four hexadecimal digits"),
            ("\"\\u+041\"", "`\\u` without four hexadecimal digits"),
            ("// x\n1", "expected a value"),
            ("\u{feff}1", "expected a value"),
            ("\u{b}1\u{a0}2", "text after the value"),
        ] {
            let verdict = verifier().judge(answer, "[1]").unwrap();
            assert_eq!(verdict.failures, ["malformed_answer"], "{answer:.60}");
            assert!(verdict.detail.contains(reason), "{answer:.60}: {}", verdict.detail);
        }
        assert_refuses(&verifier(), &["", "seven", "{'a': 1}", r#"{"a": 1, "a": 1}"#, "NaN", &deep]);
    }

    #[test]
    fn work_is_bounded_however_long_the_text() {
        let nested = "[".repeat(1_000) + &"]".repeat(1_000);
        let numbers = format!("[{}1]", "1e99999999999999999999,".repeat(2_500));
        let power = format!("1e{}", "7".repeat(60_000));
        assert_judges(
            &verifier(),
            &[(&numbers, &nested)],
            &[(&nested, &nested), (&numbers, &numbers), (&power, &power)],
        );
        let huge = format!("\"{}\"", "x".repeat(5_000_000));
        assert_eq!(verifier().judge(&huge, "1").unwrap().failures, ["over_budget"]);
        assert_refuses(&verifier(), &[&huge]);
    }

    #[test]
    fn reads_what_serde_reads() {
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"a\"", "\"\\n\"", "1", "-", "0", ".5", "e1", " ", "true", "null",
        ];
        let mut word = 1_u64;
        for _ in 0..100_000 {
            let mut text = String::new();
            loop {
                word = word.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 5;
                if word.is_multiple_of(7) {
                    break;
                }
                text.push_str(pieces[(word >> 32) as usize % pieces.len()]);
            }
            let read = verifier().judge(&text, &text);
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            let twice = read.as_ref().is_err_and(|must| must.contains("twice"));
            // It has no numbers beyond those of a float.
            if !theirs.as_ref().is_err_and(|error| error.to_string().contains("out of range")) {
                assert_eq!(read.is_ok() || twice, theirs.is_ok(), "{text}: {read:?}");
            }
        }
    }
}
