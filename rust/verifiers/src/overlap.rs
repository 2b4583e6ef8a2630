//! Overlap of two texts in words: the F1 of extractive question answering (`SQuAD`) and ROUGE-L.

use super::{About, Example, Metric};
use kit::budget::Budget;
use kit::error::quoted;
use kit::similarity;
use kit::task::answer::Reading;
use kit::task::verdict::{Failure, Graded, Part, Pass};
use kit::words::composed;

kit::params! {
    pub struct TextF1 {
        /// Lowest F1 that passes.
        threshold: f64 [0..=1],
    }
    default (1.0)
    check Self::consistent;
}

impl TextF1 {
    fn consistent(&self) -> Result<(), String> {
        check_threshold(self.threshold)
    }
}

kit::params! {
    pub struct RougeL {
        /// Lowest F-measure that passes.
        threshold: f64 [0..=1],
    }
    default (1.0)
    check Self::consistent;
}

impl RougeL {
    fn consistent(&self) -> Result<(), String> {
        check_threshold(self.threshold)
    }
}

fn check_threshold(threshold: f64) -> Result<(), String> {
    if threshold <= 0.0 {
        return Err("`threshold` is 0, but must be above 0: any answer would pass".into());
    }
    Ok(())
}

/// The words of a text as `SQuAD` compares them: in lower case, without punctuation and without the articles
/// a, an and the. A text of nothing else keeps its articles, or else its marks.
pub fn answer_words(text: &str) -> Vec<String> {
    let text = composed(text).to_lowercase();
    let mark = |c: &char| c.is_ascii_punctuation() || matches!(c, '\u{2010}'..='\u{201f}' | '…' | '«' | '»');
    let kept: String = text.chars().filter(|c| !mark(c)).collect();
    let words = without_articles(&kept);
    let all = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    let words = if words.is_empty() { all(&kept) } else { words };
    if words.is_empty() { all(&text) } else { words }
}

fn without_articles(kept: &str) -> Vec<String> {
    let mut words = Vec::new();
    for word in kept.split_whitespace() {
        // An article may also be between non-ASCII marks, which stay.
        let is_article = |word: &str| ["a", "an", "the"].contains(&word);
        if is_article(word) {
            continue;
        }
        let mut rest = String::new();
        for (letters, run) in runs(word) {
            rest += if letters && is_article(run) { " " } else { run };
        }
        words.extend(rest.split_whitespace().map(str::to_owned));
    }
    words
}

/// The runs of letters and digits, and those of other characters between them.
fn runs(word: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let letters = rest.chars().next()?.is_alphanumeric();
        let end = rest.find(|c: char| c.is_alphanumeric() != letters).unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        rest = after;
        Some((letters, run))
    })
}

static F1: [Part; 2] = [
    Part { name: "f1", means: "the F1 over words" },
    Part { name: "exact", means: "whether the words are the same in the same order" },
];

/// The harmonic mean of the two shares.
fn f_measure(shared: usize, answer: usize, reference: usize) -> f64 {
    if answer + reference == 0 { 1.0 } else { 2.0 * shared as f64 / (answer + reference) as f64 }
}

impl Metric for TextF1 {
    const ABOUT: About = About {
        name: "text_f1",
        summary: "The same words up to case, punctuation and articles; the score is the F1 over words (SQuAD).",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example::ONE,
    };

    type Reference<'a> = (Vec<String>, &'a str);

    fn reference<'a>(&self, text: &'a str, budget: &mut Budget) -> Result<(Vec<String>, &'a str), String> {
        budget.spend(text.len() as u64).map_err(|_| "must be shorter: it is too long to compare")?;
        Ok((answer_words(text), text))
    }

    fn parts(&self) -> &'static [Part] {
        &F1
    }

    fn compare(
        &self,
        answer: &str,
        (reference, written): &Self::Reference<'_>,
        budget: &mut Budget,
    ) -> Graded {
        budget.spend(answer.len() as u64)?;
        let words = answer_words(answer);
        let shared = similarity::shared(&words, reference, budget)?;
        let f1 = f_measure(shared, words.len(), reference.len());
        let exact = words == *reference;
        // The same words in another order are not the same text, though their F1 is one.
        let passed = if self.threshold >= 1.0 { exact } else { f1 >= self.threshold };
        let parts = vec![("f1", f1 as f32), ("exact", f32::from(u8::from(exact)))];
        if passed {
            return Ok(Pass { parts });
        }
        let (answer, reference) = (quoted(answer), quoted(written));
        let failure = Failure::wrong(format!("`{answer}` is not `{reference}`: the F1 is {f1:.3}"));
        Err(Failure { parts, ..failure.score(f1 as f32) })
    }
}

/// The words of a text as ROUGE compares them: runs of letters and digits in lower case.
fn rouge_words(text: &str) -> Vec<String> {
    let text = composed(text).to_lowercase();
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

static ROUGE: [Part; 3] = [
    Part { name: "rouge_l", means: "the F-measure over the longest common subsequence of words" },
    Part { name: "precision", means: "the share of the answer's words in that subsequence" },
    Part { name: "recall", means: "the share of the reference's words in that subsequence" },
];

impl Metric for RougeL {
    const ABOUT: About = About {
        name: "rouge_l",
        summary: "The same words in the same order up to case and punctuation; the score is ROUGE-L.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example::ONE,
    };

    type Reference<'a> = Vec<String>;

    fn reference(&self, text: &str, budget: &mut Budget) -> Result<Vec<String>, String> {
        budget.spend(text.len() as u64).map_err(|_| "must be shorter: it is too long to compare")?;
        let words = rouge_words(text);
        if words.is_empty() { Err("must have a word".into()) } else { Ok(words) }
    }

    fn parts(&self) -> &'static [Part] {
        &ROUGE
    }

    fn compare(&self, answer: &str, reference: &Vec<String>, budget: &mut Budget) -> Graded {
        budget.spend(answer.len() as u64)?;
        let words = rouge_words(answer);
        let common = similarity::lcs_of(&words, reference, budget)?;
        let share = |of: usize| if of == 0 { 0.0 } else { common as f32 / of as f32 };
        let f = f_measure(common, words.len(), reference.len());
        let (precision, recall) = (share(words.len()), share(reference.len()));
        let parts = vec![("rouge_l", f as f32), ("precision", precision), ("recall", recall)];
        if f >= self.threshold {
            return Ok(Pass { parts });
        }
        let failure = Failure::wrong(format!("ROUGE-L is {f:.3}, below {}", self.threshold));
        Err(Failure { parts, ..failure.score(f as f32) })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{assert_judges, assert_refuses, untagged};
    use super::*;

    #[test]
    fn words_are_normalized_as_squad_does() {
        for (text, words) in [
            ("The Eiffel Tower.", "eiffel tower"),
            ("an apple, a pear", "apple pear"),
            ("don't", "dont"),
            ("the-end", "theend"),
            ("“the” end", "end"),
            ("U.S.", "us"),
            ("A.", "a"),
            ("?!", "?!"),
            ("e\u{301}tat", "état"),
        ] {
            assert_eq!(answer_words(text).join(" "), words, "{text}");
        }
    }

    #[test]
    fn f1_scores_and_only_the_same_words_pass() {
        let judge = untagged("text_f1", &json!({}));
        assert_judges(
            &judge,
            &[
                ("", "paris"),
                ("paris", ""),
                ("tower eiffel", "Eiffel tower"),
                ("paris paris", "paris"),
                ("paris, france", "paris"),
                ("not paris", "paris"),
                ("", "A"),
                ("the", "A"),
                ("!!", "A"),
                ("A", ""),
            ],
            &[("The Eiffel tower!", "eiffel Tower"), ("A.", "a"), ("", ""), ("Levi’s", "Levi's")],
        );
        let half = judge.judge("paris france", "paris").unwrap();
        assert!((half.score - 2.0 / 3.0).abs() < 1e-6);
        assert!(judge.judge("tower eiffel", "eiffel tower").unwrap().score < 1.0);
        let loose = untagged("text_f1", &json!({"threshold": 0.6}));
        assert_judges(&loose, &[("paris in france", "paris")], &[("paris france", "paris")]);
    }

    #[test]
    fn rouge_l_is_that_of_published_examples() {
        let judge = untagged("rouge_l", &json!({}));
        // Lin (2004): police killed the gunman.
        for (answer, share) in [
            ("police kill the gunman", 0.75),
            ("the gunman kill police", 0.5),
            ("the gunman police killed", 0.5),
        ] {
            let verdict = judge.judge(answer, "police killed the gunman").unwrap();
            assert!((verdict.score - share).abs() < 1e-6, "{answer}");
        }
        assert_judges(&judge, &[("", "a"), ("b", "a"), ("a a", "a"), ("b a", "a b")], &[("A, b!", "a b")]);
        assert_refuses(&judge, &["", "!"]);
        let loose = untagged("rouge_l", &json!({"threshold": 0.7}));
        assert_judges(
            &loose,
            &[("x y", "police")],
            &[("police kill the gunman", "police killed the gunman")],
        );
    }

    #[test]
    fn long_texts_are_compared_or_refused() {
        let words: String = (0..8_000).map(|word| word.to_string() + " ").collect();
        let turned: String = (0..8_000).rev().map(|word| word.to_string() + " ").collect();
        for name in ["text_f1", "rouge_l"] {
            let judge = untagged(name, &json!({}));
            assert!(judge.judge(&words, &words).unwrap().passed);
            assert!(!judge.judge(&turned, &words).unwrap().passed);
        }
    }
}
