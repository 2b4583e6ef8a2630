//! The same text.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::overlap::answer_words;
use super::{About, Example, Metric, passes};
use kit::budget::Budget;
use kit::task::answer::Reading;
use kit::task::verdict::Graded;

kit::params! {
    pub struct ExactMatch {
        /// Differences to ignore: case, the amount of white space between words, or both; with "squad" case,
        /// ASCII punctuation, articles and white space.
        normalize: Normalize,
    }
    default (Normalize::default())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
enum Normalize {
    #[default]
    #[serde(rename = "none")]
    None,
    #[serde(rename = "case")]
    Case,
    #[serde(rename = "spacing")]
    Spacing,
    #[serde(rename = "case+spacing")]
    CaseAndSpacing,
    #[serde(rename = "squad")]
    Squad,
}

impl ExactMatch {
    fn normal(&self, text: &str) -> String {
        let (case, spacing) = match self.normalize {
            Normalize::None => (false, false),
            Normalize::Case => (true, false),
            Normalize::Spacing => (false, true),
            Normalize::CaseAndSpacing => (true, true),
            Normalize::Squad => return answer_words(text).join(" "),
        };
        let spaced =
            if spacing { text.split_whitespace().collect::<Vec<_>>().join(" ") } else { text.to_owned() };
        if case { spaced.to_lowercase() } else { spaced }
    }
}

impl Metric for ExactMatch {
    const ABOUT: About = About {
        name: "exact_match",
        summary: "The same text, character by character.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example::ONE,
    };

    type Reference<'a> = String;

    fn reference(&self, text: &str, _: &mut Budget) -> Result<String, String> {
        Ok(self.normal(text))
    }

    fn compare(&self, answer: &str, reference: &String, _: &mut Budget) -> Graded {
        passes(self.normal(answer) == *reference, answer, reference)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{assert_judges, untagged};

    #[test]
    fn only_what_is_asked_is_ignored() {
        let exact = |normalize: &str| untagged("exact_match", &json!({ "normalize": normalize }));
        assert_judges(
            &exact("none"),
            &[("A b", "a b"), ("a  b", "a b"), ("", "a"), ("a", ""), ("a b", "a"), ("а", "a")],
            &[(" a b ", "a b"), ("a b", "\na b"), ("", "")],
        );
        assert_judges(
            &exact("case"),
            &[("A  B", "a b"), ("a", "b"), ("é", "e"), ("ab", "a b")],
            &[("A B", "a b"), ("É", "é")],
        );
        assert_judges(
            &exact("spacing"),
            &[("A b", "a b"), ("ab", "a b"), ("a b", "ab")],
            &[("a \n\tb", "a b"), ("a b", "a   b")],
        );
        assert_judges(
            &exact("squad"),
            &[("a b", "a c"), ("x y", "y x"), ("", "a"), ("a", ""), ("the", "a"), ("!!", "a"), ("!!", "?")],
            &[
                ("The  Tower.", "tower"),
                ("A.", "a"),
                ("+", "+"),
                ("Levi’s", "Levi's"),
                ("cafe\u{301}", "café"),
            ],
        );
        assert_judges(&exact("case+spacing"), &[("ab", "a b"), ("a b c", "a b")], &[("A \n b", "a B")]);
    }
}
