//! The same JSON value.

use super::{About, Example, Metric, passes};
use kit::budget::{Budget, OverBudget};
use kit::shared::json::{Json, Unread};
use kit::task::answer::{Reading, unfenced};
use kit::task::verdict::{Failure, Graded};

kit::params! {
    /// Ignores the order of keys and the notation of numbers. A duplicate key is malformed.
    pub struct JsonEqual {}
    default ()
}

impl Metric for JsonEqual {
    const ABOUT: About = About {
        name: "json_equal",
        summary: "The same JSON value, numbers compared exactly.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example::ONE,
    };

    type Reference<'a> = (Json, &'a str);

    fn reference<'a>(&self, text: &'a str, budget: &mut Budget) -> Result<(Json, &'a str), String> {
        match Json::read(text, budget) {
            Ok(json) => Ok((json, text)),
            Err(Unread::NotJson(reason)) => Err(format!("must be JSON: {reason}")),
            Err(Unread::OverBudget) => Err("must be shorter: it is too long to compare".into()),
        }
    }

    fn compare(
        &self,
        answer: &str,
        (reference, written): &Self::Reference<'_>,
        budget: &mut Budget,
    ) -> Graded {
        match Json::read(unfenced(answer), budget) {
            Ok(json) => passes(json == *reference, answer, written),
            Err(Unread::NotJson(reason)) => {
                Err(Failure::malformed(format!("the answer is not JSON: {reason}")))
            }
            Err(Unread::OverBudget) => Err(OverBudget.into()),
        }
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
                ("```json\n[2]\n```", "[1]"),
                ("```\n[1]\n```\n[1]", "[1]"),
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
                ("```json\n[1]\n```", "[1]"),
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
            // The other reader has no numbers beyond those of a float.
            if !theirs.as_ref().is_err_and(|error| error.to_string().contains("out of range")) {
                assert_eq!(read.is_ok() || twice, theirs.is_ok(), "{text}: {read:?}");
            }
        }
    }
}
