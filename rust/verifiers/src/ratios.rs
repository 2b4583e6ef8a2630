//! Similarity of two texts, in characters. Only equal texts pass.

use super::{About, Example, Metric, passes};
use kit::budget::Budget;
use kit::similarity;
use kit::task::answer::Reading;
use kit::task::verdict::Graded;

kit::params! {
    /// Python's difflib, autojunk and all.
    pub struct DifflibRatio {}
    default ()
}

kit::params! {
    /// Longest common subsequence over the longer length.
    pub struct LcsRatio {}
    default ()
}

kit::params! {
    /// One minus the edit distance over the longer length.
    pub struct EditRatio {}
    default ()
}

const fn about(name: &'static str, summary: &'static str) -> About {
    About { name, summary, tag: None, reading: Reading::Strict, example: Example::ONE }
}

impl Metric for DifflibRatio {
    const ABOUT: About = about("difflib_ratio", "The same text; the score is Python's difflib ratio.");

    type Reference<'a> = &'a str;

    fn reference<'a>(&self, text: &'a str, _: &mut Budget) -> Result<&'a str, String> {
        Ok(text)
    }

    fn compare(&self, answer: &str, reference: &&str, budget: &mut Budget) -> Graded {
        let ratio = similarity::chars_ratio(answer, reference, budget)?;
        passes(answer == *reference, answer, reference).map_err(|failure| failure.score(ratio as f32))
    }
}

impl Metric for LcsRatio {
    const ABOUT: About =
        about("lcs_ratio", "The same text; the score is what they have in common, in order.");

    type Reference<'a> = &'a str;

    fn reference<'a>(&self, text: &'a str, _: &mut Budget) -> Result<&'a str, String> {
        Ok(text)
    }

    fn compare(&self, answer: &str, reference: &&str, budget: &mut Budget) -> Graded {
        let ratio = similarity::lcs_share(answer, reference, budget)?;
        passes(answer == *reference, answer, reference).map_err(|failure| failure.score(ratio))
    }
}

impl Metric for EditRatio {
    const ABOUT: About = about("edit_ratio", "The same text; the score falls with the edits between them.");

    type Reference<'a> = &'a str;

    fn reference<'a>(&self, text: &'a str, _: &mut Budget) -> Result<&'a str, String> {
        Ok(text)
    }

    fn compare(&self, answer: &str, reference: &&str, budget: &mut Budget) -> Graded {
        let distance = similarity::edit_distance(answer, reference, budget)?;
        let longer = answer.chars().count().max(reference.chars().count()).max(1);
        let ratio = 1.0 - distance as f32 / longer as f32;
        passes(answer == *reference, answer, reference).map_err(|failure| failure.score(ratio))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{assert_judges, untagged};

    #[test]
    fn ratios_score_and_only_equal_texts_pass() {
        for name in ["difflib_ratio", "lcs_ratio", "edit_ratio"] {
            let verifier = untagged(name, &json!({}));
            let all_but_one = "x".repeat(10_000);
            let wrong = [
                ("abd", "abc"),
                ("", "a"),
                ("a", ""),
                ("ABC", "abc"),
                ("a  b", "a b"),
                (&all_but_one[1..], &all_but_one),
            ];
            assert_judges(&verifier, &wrong, &[("abc", " abc\n"), ("", ""), (&all_but_one, &all_but_one)]);
            let near = verifier.judge("abd", "abc").unwrap();
            assert!(near.score > 0.6 && near.score < 0.7, "{name}: {near:?}");
            assert!(verifier.judge("xyz", "abc").unwrap().score <= 0.0, "{name}");
        }
    }
}
