//! Texts that a regular expression describes.

use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, Example, Metric};
use crate::budget::{Budget, OverBudget};
use crate::error::quoted;
use crate::params::Params;
use crate::task::answer::Reading;
use crate::task::verdict::Verdict;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RegexMatch {
    /// Whether a match anywhere in the answer is enough; else it must be all of it.
    search: bool,
    ignore_case: bool,
}

impl Params for RegexMatch {}

/// The largest program a pattern may become, in bytes.
const LARGEST: usize = 256 * 1024;

/// The longest pattern in bytes: compiling one of this length takes milliseconds.
const LONGEST: usize = 4096;

/// A pattern, and how many steps each byte of an answer costs.
#[derive(Debug)]
pub struct Pattern<'a> {
    regex: Regex,
    written: &'a str,
    steps: u64,
}

impl Metric for RegexMatch {
    const ABOUT: About = About {
        name: "regex_match",
        summary: "What the truth, a regular expression, matches.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example { truth: "[1-3]x?", right: "1", wrong: "4" },
    };

    type Truth<'a> = Pattern<'a>;

    fn truth<'a>(&self, text: &'a str, _: &mut Budget) -> Result<Pattern<'a>, String> {
        if text.len() > LONGEST {
            return Err(format!("must be a regular expression of at most {LONGEST} bytes"));
        }
        // In groups of its own, so that `a|b` is anchored as a whole.
        let whole = if self.search { text.to_owned() } else { format!(r"\A(?:{text})\z") };
        // A pattern that is broken in itself must not be mended by what is put around it.
        let build = |pattern: &str, limit: usize| {
            let mut builder = RegexBuilder::new(pattern);
            builder.case_insensitive(self.ignore_case).size_limit(limit).dfa_size_limit(1024 * 1024);
            builder.nest_limit(100).build()
        };
        let sizes = [LARGEST / 64, LARGEST / 16, LARGEST / 4, LARGEST];
        let mut fits = Err("must be a regular expression".to_owned());
        for size in sizes {
            let compiled = build(text, size).and_then(|_| build(&whole, size));
            match compiled {
                Ok(regex) => {
                    return Ok(Pattern { regex, written: text, steps: (size / (LARGEST / 64)) as u64 });
                }
                Err(regex::Error::CompiledTooBig(_)) => {
                    fits =
                        Err(format!("must be a smaller regular expression: it takes over {LARGEST} bytes"));
                }
                Err(error) => {
                    let told = error.to_string();
                    let told = told.lines().last().unwrap_or_default().trim_start_matches("error: ");
                    return Err(format!("must be a regular expression: {}", quoted(told)));
                }
            }
        }
        fits
    }

    fn compare(&self, answer: &str, truth: &Pattern<'_>, budget: &mut Budget) -> Result<Verdict, OverBudget> {
        budget.spend((answer.len() as u64).saturating_mul(truth.steps))?;
        Ok(if truth.regex.is_match(answer) {
            Verdict::pass()
        } else {
            let (answer, pattern) = (quoted(answer), quoted(truth.written));
            Verdict::wrong(format!("`{answer}` does not match `{pattern}`"))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{assert_judges, assert_refuses, untagged};

    #[test]
    fn all_of_an_answer_matches_unless_told_otherwise() {
        assert_judges(
            &untagged("regex_match", &json!({})),
            &[("ab", "a"), ("xa", "a|b"), ("ax", "a|b"), ("A", "a"), ("", "a+"), ("a\nb", "a.b")],
            &[("a", "a|b"), ("b", "a|b"), ("12 km", r"\d+ ?km"), ("", "a*"), ("é", r"\w")],
        );
        assert_judges(
            &untagged("regex_match", &json!({"search": true, "ignore_case": true})),
            &[("b", "a"), ("xay", "^a")],
            &[("xAy", "a")],
        );
        assert_refuses(
            &untagged("regex_match", &json!({})),
            &["(", "a)(b", "a{1000}{1000}{1000}", &"(".repeat(1_000), &"a".repeat(5_000), r"(?=a)", r"(a)\1"],
        );
    }

    #[test]
    fn hostile_patterns_and_texts_take_linear_time() {
        let text = "a".repeat(60_000);
        for pattern in ["(a*)*b", "(a|aa)+b", "(?:a?){50}a{50}", "([ab]*a[ab]{8})*c", r"(\w+\s?)+!"] {
            assert!(!untagged("regex_match", &json!({})).judge(&text, pattern).unwrap().passed, "{pattern}");
        }
    }
}
