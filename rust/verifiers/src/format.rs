//! The format of a completion, whatever its answer: its tags, its reasoning, its length. References are
//! ignored.

use super::{About, Example, Metric, is_tag};
use kit::budget::Budget;
use kit::error::quoted;
use kit::task::answer::{Reading, outside_reasoning};
use kit::task::verdict::{Failure, Graded, Pass, label};

kit::params! {
    /// Tags that appear once each, in order and with something in them.
    pub struct Tags {
        /// Names of the tags in order.
        names: Vec<String>,
        /// Allow text outside the tags.
        text_outside: bool,
    }
    default (vec!["answer".into()], true)
    check Self::consistent;
}

impl Tags {
    fn consistent(&self) -> Result<(), String> {
        if self.names.is_empty() {
            return Err("`names` is empty, but must have a tag like \"answer\"".into());
        }
        for (at, name) in self.names.iter().enumerate() {
            if !is_tag(name) || self.names[..at].contains(name) {
                let name = quoted(name);
                return Err(format!(
                    "`names[{at}]` is `{name}`, but must be a name of its own without brackets"
                ));
            }
        }
        Ok(())
    }
}

kit::params! {
    /// Reasoning at the start, and text after it.
    pub struct Think {
        /// Set if the chat template writes `<think>`, so that a completion starts inside it.
        opened: bool,
        /// Fewest characters of reasoning.
        min_chars: u32,
    }
    default (false, 1)
}

kit::params! {
    /// Length of a completion.
    pub struct Length {
        min_chars: u32,
        max_chars: Option<u32>,
        min_words: u32,
        max_words: Option<u32>,
        /// Count reasoning, too.
        reasoning: bool,
    }
    default (1, None, 0, None, true)
    check Self::consistent;
}

impl Length {
    fn consistent(&self) -> Result<(), String> {
        let bounds = [("chars", self.min_chars, self.max_chars), ("words", self.min_words, self.max_words)];
        for (what, min, max) in bounds {
            if let Some(max) = max.filter(|max| *max < min) {
                return Err(format!("`max_{what}` is {max}, but `min_{what}` is {min}"));
            }
        }
        Ok(())
    }
}

const fn about(name: &'static str, summary: &'static str, right: &'static str, wrong: &'static str) -> About {
    About {
        name,
        summary,
        tag: None,
        reading: Reading::Strict,
        example: Example { reference: "", right, wrong },
    }
}

fn broken(detail: String) -> Failure {
    Failure::new(label::MISSING_OR_BROKEN_TAGS, detail)
}

impl Metric for Tags {
    const ABOUT: About = about(
        "tags",
        "The tags stand once each, in order, none of them empty.",
        "<answer>1</answer>",
        "<answer>1",
    );

    const RAW: bool = true;

    type Reference<'a> = ();

    fn reference(&self, _: &str, _: &mut Budget) -> Result<(), String> {
        Ok(())
    }

    fn compare(&self, text: &str, (): &(), budget: &mut Budget) -> Graded {
        budget.spend((text.len() * self.names.len()) as u64)?;
        let mut at = 0;
        for name in &self.names {
            let (opening, closing) = (format!("<{name}>"), format!("</{name}>"));
            let (opened, closed) = (text.matches(&opening).count(), text.matches(&closing).count());
            if (opened, closed) != (1, 1) {
                let detail =
                    format!("<{name}> is opened {opened} times and closed {closed} times, not once each");
                return Err(broken(detail));
            }
            let start = text[at..].find(&opening).map(|start| at + start);
            let content = start.and_then(|start| {
                let inner = start + opening.len();
                Some((start, inner, inner + text[inner..].find(&closing)?))
            });
            let Some((start, inner, end)) = content else {
                return Err(broken(format!("<{name}> stands before the tag that comes before it, or in it")));
            };
            if text[inner..end].trim().is_empty() {
                return Err(broken(format!("<{name}> is empty")));
            }
            if !self.text_outside && !text[at..start].trim().is_empty() {
                let detail = format!("there is text before <{name}>");
                return Err(Failure::new(label::EXTRA_TEXT_OUTSIDE_TAGS, detail));
            }
            at = end + closing.len();
        }
        if !self.text_outside && !text[at..].trim().is_empty() {
            return Err(Failure::new(label::EXTRA_TEXT_OUTSIDE_TAGS, "there is text after the last tag"));
        }
        Ok(Pass::new())
    }
}

impl Metric for Think {
    const ABOUT: About = about(
        "think",
        "Reasoning in <think> at the start, closed once, and text after it.",
        "<think>so</think> 1",
        "<think>so 1",
    );

    const RAW: bool = true;

    type Reference<'a> = ();

    fn reference(&self, _: &str, _: &mut Budget) -> Result<(), String> {
        Ok(())
    }

    fn compare(&self, text: &str, (): &(), budget: &mut Budget) -> Graded {
        budget.spend(text.len() as u64)?;
        let inner = match (text.strip_prefix("<think>"), self.opened) {
            (Some(inner), _) => inner,
            (None, true) => text,
            (None, false) => return Err(broken("it does not start with <think>".into())),
        };
        let Some((reasoning, after)) = inner.split_once("</think>") else {
            return Err(broken("<think> is not closed".into()).also(label::TRUNCATED));
        };
        let again = |text: &str| text.contains("<think>") || text.contains("</think>");
        if again(reasoning) || again(after) {
            return Err(broken("<think> is opened or closed more than once".into()));
        }
        let chars = reasoning.trim().chars().count();
        if chars < self.min_chars as usize {
            let detail = format!("the reasoning has {chars} characters, but must have {}", self.min_chars);
            return Err(Failure::new(label::CONSTRAINT_VIOLATED, detail));
        }
        if after.trim().is_empty() {
            return Err(Failure::new(label::NO_ANSWER, "nothing follows the reasoning"));
        }
        Ok(Pass::new())
    }
}

impl Metric for Length {
    const ABOUT: About =
        about("length", "As many characters and words as are asked for; by default at least one.", "1", "");

    const RAW: bool = true;

    type Reference<'a> = ();

    fn reference(&self, _: &str, _: &mut Budget) -> Result<(), String> {
        Ok(())
    }

    fn compare(&self, text: &str, (): &(), budget: &mut Budget) -> Graded {
        budget.spend(text.len() as u64)?;
        let kept: String;
        let counted = if self.reasoning {
            text
        } else {
            kept = outside_reasoning(text).0.into_iter().map(|part| &text[part]).collect();
            kept.trim()
        };
        let (chars, words) = (counted.chars().count(), counted.split_whitespace().count());
        let bounds = [
            ("characters", chars, self.min_chars, self.max_chars),
            ("words", words, self.min_words, self.max_words),
        ];
        for (what, count, min, max) in bounds {
            let bound = if count < min as usize { Some(("least", min)) } else { None };
            let bound = bound.or(max.filter(|max| count > *max as usize).map(|max| ("most", max)));
            if let Some((which, bound)) = bound {
                let detail = format!("there are {count} {what}, but must be at {which} {bound}");
                return Err(Failure::new(label::CONSTRAINT_VIOLATED, detail));
            }
        }
        Ok(Pass::new())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Verifier;
    use super::super::tests::{assert_judges, untagged};

    #[test]
    fn tags_stand_once_each_in_order() {
        let both = json!({"names": ["think", "answer"], "text_outside": false});
        assert_judges(
            &untagged("tags", &both),
            &[
                ("<answer>1</answer><think>so</think>", ""),
                ("<think>so <answer>1</answer></think>", ""),
                ("<think>so</think><answer>1</answer><answer>1</answer>", ""),
                ("<think>so</think><answer> </answer>", ""),
                ("<think>so</think> x <answer>1</answer>", ""),
                ("<think>so</think><answer>1</answer> x", ""),
                ("</think>so<think><answer>1</answer>", ""),
                ("<think>so</think>", ""),
            ],
            &[("<think>so</think>\n<answer>1</answer>\n", "")],
        );
        for names in [json!([]), json!(["a b"]), json!(["a", "a"]), json!("a"), json!([3])] {
            let error = Verifier::new("tags", json!({ "names": names }).as_object().unwrap()).unwrap_err();
            assert!(error.to_string().contains("`names"), "{error}");
        }
    }

    #[test]
    fn reasoning_comes_first_and_once() {
        let wrong = [
            ("1", ""),
            ("x <think>so</think>1", ""),
            ("<think></think>1", ""),
            ("<think>so</think>", ""),
            ("<think>so<think>so</think>1", ""),
            ("<think>so</think>1</think>", ""),
        ];
        assert_judges(&untagged("think", &json!({})), &wrong, &[("<think>so</think>1", "")]);
        let opened = json!({"opened": true});
        assert_judges(&untagged("think", &opened), &[("so", "")], &[("so</think>1", "")]);
    }

    #[test]
    fn lengths_are_bounded() {
        let words = json!({"max_words": 2, "reasoning": false, "max_chars": 5});
        assert_judges(
            &untagged("length", &words),
            &[("a b c", ""), ("aaaaaa", ""), ("", ""), ("<think>a</think>", "")],
            &[("ééé é", ""), ("<think>a b c</think> a", "")],
        );
        let error = Verifier::new("length", json!({"max_chars": 0}).as_object().unwrap()).unwrap_err();
        assert!(error.to_string().contains("`max_chars` is 0, but `min_chars` is 1"), "{error}");
    }
}
