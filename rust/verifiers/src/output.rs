//! The output of a program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::number::Number;
use super::{About, Example, Metric};
use kit::budget::{Budget, OverBudget};
use kit::error::quoted;
use kit::task::answer::Reading;
use kit::task::verdict::{Failure, Graded, Pass};
use kit::words::there_are;

kit::params! {
    pub struct OutputEqual {
        /// "tokens": the same words in any spacing. "lines": the same lines, including indents, except for
        /// white space at their ends and empty lines at either end.
        by: By,
        /// Largest difference between numbers that still passes, taken as the decimal that it prints as.
        tolerance: f64 [0..],
        ignore_case: bool,
    }
    default (By::default(), 0.0, false)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum By {
    #[default]
    Tokens,
    Lines,
}

impl OutputEqual {
    fn pieces<'a>(&self, text: &'a str) -> Vec<&'a str> {
        match self.by {
            By::Tokens => text.split_whitespace().collect(),
            By::Lines => {
                let text = text.trim_end();
                if text.is_empty() { Vec::new() } else { text.split('\n').map(str::trim_end).collect() }
            }
        }
    }

    fn same(&self, one: &str, other: &str, budget: &mut Budget) -> Result<bool, OverBudget> {
        if one == other || (self.ignore_case && one.to_lowercase() == other.to_lowercase()) {
            return Ok(true);
        }
        if self.tolerance <= 0.0 {
            return Ok(false);
        }
        if self.by == By::Tokens {
            return self.near(one, other, budget);
        }
        // Within a line, spacing counts, and numbers need only be near.
        let (one, other): (Vec<_>, Vec<_>) = (one.split(' ').collect(), other.split(' ').collect());
        if one.len() != other.len() {
            return Ok(false);
        }
        for (one, other) in one.into_iter().zip(other) {
            if one != other && !self.near(one, other, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn near(&self, one: &str, other: &str, budget: &mut Budget) -> Result<bool, OverBudget> {
        // Programs do not print numbers as fractions.
        if one.contains('/') || other.contains('/') {
            return Ok(false);
        }
        match (Number::read(one, budget)?, Number::read(other, budget)?) {
            (Some(one), Some(other)) => one.is_within(&other, self.tolerance, budget),
            _ => Ok(false),
        }
    }
}

impl Metric for OutputEqual {
    const ABOUT: About = About {
        name: "output_equal",
        summary: "The same program output, word by word or line by line; the score is the share in place.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example::ONE,
    };

    type Reference<'a> = Vec<&'a str>;

    fn keeps_indent(&self) -> bool {
        self.by == By::Lines
    }

    fn reference<'a>(&self, text: &'a str, _: &mut Budget) -> Result<Vec<&'a str>, String> {
        Ok(self.pieces(text))
    }

    fn compare(&self, answer: &str, reference: &Vec<&str>, budget: &mut Budget) -> Graded {
        budget.spend(answer.len() as u64)?;
        let pieces = self.pieces(answer);
        let (mut right, mut first_wrong) = (0, None);
        for (at, (piece, reference)) in pieces.iter().zip(reference).enumerate() {
            if self.same(piece, reference, budget)? {
                right += 1;
            } else {
                first_wrong = first_wrong.or(Some(at));
            }
        }
        let longer = pieces.len().max(reference.len());
        if right == longer {
            return Ok(Pass::new());
        }
        let what = if self.by == By::Lines { "line" } else { "word" };
        let detail = match first_wrong {
            Some(at) => {
                format!("{what} {} is `{}`, not `{}`", at + 1, quoted(pieces[at]), quoted(reference[at]))
            }
            None => format!("{}, but {} must be there", there_are(pieces.len(), what), reference.len()),
        };
        Err(Failure::wrong(detail).score(right as f32 / longer as f32))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Verifier;
    use super::super::tests::{assert_judges, untagged};

    #[test]
    fn outputs_are_compared_by_words_or_lines() {
        assert_judges(
            &untagged("output_equal", &json!({})),
            &[
                ("1 2", "1 3"),
                ("1", "1 2"),
                ("1 2 3", "1 2"),
                ("12", "1 2"),
                ("", "1"),
                ("yes", "YES"),
                ("1.0", "1"),
            ],
            &[("1  2\n3 \n", "1 2 3"), ("", "")],
        );
        let lines = json!({"by": "lines", "ignore_case": true, "tolerance": 0.01});
        assert_judges(
            &untagged("output_equal", &lines),
            &[("1 2", "1\n2"), ("1  2", "1 2"), ("a\n\nb", "a\nb"), ("x 0.52", "x 0.5"), ("1/2", "0.5")],
            &[("YES \n1 2\n\n", "yes\n1 2"), ("x 0.505", "x 0.5"), ("a\r\nb", "a\nb")],
        );
        assert_judges(
            &untagged("output_equal", &json!({"tolerance": 1e-6})),
            &[("1.00001", "1"), ("nan", "inf"), ("1e400", "1"), ("0x1", "1")],
            &[("1.0000001 x", "1 x"), ("1e0", "1")],
        );
        let drawing = "  *\n ***";
        assert_judges(
            &untagged("output_equal", &json!({"by": "lines"})),
            &[("*\n ***", drawing), (drawing, "*\n ***"), (" *\n***", drawing)],
            &[("\n\n  *\n ***\n", drawing), (drawing, "\n  *\n ***\n ")],
        );
        let tagged = Verifier::new("output_equal", json!({"by": "lines"}).as_object().unwrap()).unwrap();
        for (text, passes) in [
            ("<answer>\n  *\n ***\n</answer>", true),
            ("<answer>\n*\n ***\n</answer>", false),
            ("<answer>\n\t *\n ***\n</answer>", false),
        ] {
            assert_eq!(tagged.judge(text, drawing).unwrap().passed, passes, "{text}");
        }
        assert!(tagged.judge("<answer> a\nb</answer>", "a\nb").unwrap().passed);
        let half = untagged("output_equal", &json!({})).judge("1 3", "1 2").unwrap();
        assert!((half.score - 0.5).abs() < 1e-6 && half.detail == "word 2 is `3`, not `2`");
    }
}
