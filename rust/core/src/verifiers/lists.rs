//! Lists and sets of numbers or words.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::number::Number;
use super::{About, Example, Metric};
use crate::budget::{Budget, OverBudget};
use crate::error::quoted;
use crate::params::Params;
use crate::task::answer::Reading;
use crate::task::verdict::Verdict;

/// What the items are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Items {
    /// Texts: white space counts once, quotes around an item do not count.
    #[default]
    Words,
    /// Decimals and fractions, compared exactly or, in lists, within a tolerance.
    Numbers,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ListEqual {
    /// What the items are: "words" or "numbers".
    items: Items,
    /// What stands between the items; a space is any white space.
    separator: String,
    /// Whether the case of words does not count.
    ignore_case: bool,
    /// By how much numbers may differ. It is the decimal it is printed as.
    #[schemars(range(min = 0))]
    tolerance: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SetEqual {
    /// What the items are: "words" or "numbers".
    items: Items,
    /// What stands between the items; a space is any white space.
    separator: String,
    /// Whether the case of words does not count.
    ignore_case: bool,
}

impl Default for ListEqual {
    fn default() -> Self {
        Self { items: Items::Words, separator: ",".into(), ignore_case: false, tolerance: 0.0 }
    }
}

impl Default for SetEqual {
    fn default() -> Self {
        Self { items: Items::Words, separator: ",".into(), ignore_case: false }
    }
}

impl Params for ListEqual {
    fn check(&self) -> Result<(), String> {
        check_separator(&self.separator)
    }
}

impl Params for SetEqual {
    fn check(&self) -> Result<(), String> {
        check_separator(&self.separator)
    }
}

fn check_separator(separator: &str) -> Result<(), String> {
    if separator.is_empty() {
        return Err("`separator` is empty, but must be text like \",\"".into());
    }
    Ok(())
}

/// The items of a text in brackets or without. An empty text and `[]` have none; between two separators there
/// is an item without text.
fn split<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let text = text.trim();
    let brackets = [("\\{", "\\}"), ("[", "]"), ("(", ")"), ("{", "}")];
    let inner = brackets.into_iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    let text = inner.unwrap_or(text).trim();
    if text.is_empty() {
        return Vec::new();
    }
    if separator.trim().is_empty() && !separator.contains('\n') {
        return text.split_whitespace().collect();
    }
    text.split(separator).map(unquoted).collect()
}

fn unquoted(item: &str) -> &str {
    let item = item.trim();
    let inner = ['"', '\''].into_iter().find_map(|quote| item.strip_prefix(quote)?.strip_suffix(quote));
    inner.unwrap_or(item)
}

fn word(item: &str, ignore_case: bool) -> String {
    let word = item.split_whitespace().collect::<Vec<_>>().join(" ");
    if ignore_case { word.to_lowercase() } else { word }
}

/// Why a text is no list.
enum Unread {
    /// This item is no number, or has no text.
    Item(String),
    OverBudget,
}

impl From<OverBudget> for Unread {
    fn from(_: OverBudget) -> Self {
        Self::OverBudget
    }
}

impl Unread {
    fn of_truth(self) -> String {
        match self {
            Self::Item(what) => format!("must be a list, and {what}"),
            Self::OverBudget => "must be shorter: it is too long to compare".into(),
        }
    }

    fn of_answer(self) -> Result<Verdict, OverBudget> {
        match self {
            Self::Item(what) => Ok(Verdict::malformed(what)),
            Self::OverBudget => Err(OverBudget),
        }
    }
}

fn number(item: &str, budget: &mut Budget) -> Result<Number, Unread> {
    Number::read(item, budget)?
        .ok_or_else(|| Unread::Item(format!("its item `{}` is no number", quoted(item))))
}

fn words(items: &[&str], ignore_case: bool) -> Result<Vec<String>, Unread> {
    if items.iter().any(|item| item.is_empty()) {
        return Err(Unread::Item("one of its items has no text".into()));
    }
    Ok(items.iter().map(|item| word(item, ignore_case)).collect())
}

#[derive(Debug)]
pub enum List {
    Words(Vec<String>),
    Numbers(Vec<Number>),
}

impl List {
    fn len(&self) -> usize {
        match self {
            Self::Words(words) => words.len(),
            Self::Numbers(numbers) => numbers.len(),
        }
    }
}

impl ListEqual {
    fn read(&self, text: &str, budget: &mut Budget) -> Result<List, Unread> {
        budget.spend(text.len() as u64)?;
        let items = split(text, &self.separator);
        Ok(match self.items {
            Items::Words => List::Words(words(&items, self.ignore_case)?),
            Items::Numbers => {
                List::Numbers(items.into_iter().map(|item| number(item, budget)).collect::<Result<_, _>>()?)
            }
        })
    }
}

impl Metric for ListEqual {
    const ABOUT: About = About {
        name: "list_equal",
        summary: "The same numbers or words in the same order; the score is the share in place.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example::ONE,
    };

    type Truth<'a> = List;

    fn truth(&self, text: &str, budget: &mut Budget) -> Result<List, String> {
        self.read(text, budget).map_err(Unread::of_truth)
    }

    fn compare(&self, answer: &str, truth: &List, budget: &mut Budget) -> Result<Verdict, OverBudget> {
        let list = match self.read(answer, budget) {
            Ok(list) => list,
            Err(unread) => return unread.of_answer(),
        };
        let same: Vec<bool> = match (&list, truth) {
            (List::Words(words), List::Words(truths)) => {
                words.iter().zip(truths).map(|(word, truth)| word == truth).collect()
            }
            (List::Numbers(numbers), List::Numbers(truths)) => {
                let pairs = numbers.iter().zip(truths);
                pairs
                    .map(|(one, other)| one.is_within(other, self.tolerance, budget))
                    .collect::<Result<_, _>>()?
            }
            _ => unreachable!("both are read alike"),
        };
        let longer = list.len().max(truth.len());
        let right = same.iter().filter(|same| **same).count();
        if right == longer {
            return Ok(Verdict::pass());
        }
        let detail = match same.iter().position(|same| !same) {
            Some(at) => format!("item {} is wrong", at + 1),
            None => format!("there are {} items, but {} are asked for", list.len(), truth.len()),
        };
        Ok(Verdict::wrong(detail).score(right as f32 / longer as f32))
    }
}

impl SetEqual {
    fn read(&self, text: &str, budget: &mut Budget) -> Result<BTreeSet<String>, Unread> {
        budget.spend(text.len() as u64)?;
        let items = split(text, &self.separator);
        // Each finds its place among the others.
        budget.spend(items.len() as u64 * 20)?;
        match self.items {
            Items::Words => Ok(words(&items, self.ignore_case)?.into_iter().collect()),
            Items::Numbers => items.into_iter().map(|item| Ok(number(item, budget)?.key(budget)?)).collect(),
        }
    }
}

impl Metric for SetEqual {
    const ABOUT: About = About {
        name: "set_equal",
        summary: "The same numbers or words in any order; the score is the F1 over them.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example::ONE,
    };

    type Truth<'a> = BTreeSet<String>;

    fn truth(&self, text: &str, budget: &mut Budget) -> Result<BTreeSet<String>, String> {
        self.read(text, budget).map_err(Unread::of_truth)
    }

    fn compare(
        &self,
        answer: &str,
        truth: &BTreeSet<String>,
        budget: &mut Budget,
    ) -> Result<Verdict, OverBudget> {
        let set = match self.read(answer, budget) {
            Ok(set) => set,
            Err(unread) => return unread.of_answer(),
        };
        let shared = set.intersection(truth).count();
        let (missing, extra) = (truth.len() - shared, set.len() - shared);
        if missing + extra == 0 {
            return Ok(Verdict::pass());
        }
        let f1 = 2.0 * shared as f32 / (set.len() + truth.len()) as f32;
        Ok(Verdict::wrong(format!("{missing} of its items are missing and {extra} too many")).score(f1))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{assert_judges, assert_refuses, untagged};

    #[test]
    fn lists_have_an_order() {
        let words = untagged("list_equal", &json!({}));
        assert_judges(
            &words,
            &[
                ("b, a", "a, b"),
                ("a, b, b", "a, b"),
                ("a", "a, b"),
                ("", "a"),
                ("a,,b", "a, b"),
                ("a b", "a, b"),
                ("A, b", "a, b"),
                ("[a, b", "a, b"),
                ("a", ""),
            ],
            &[
                ("a,b", "[a, b]"),
                ("(a, b)", "a, b"),
                (r#"["a", 'b']"#, "a, b"),
                ("[]", ""),
                ("new  york", "new york"),
            ],
        );
        assert!((words.judge("a, x", "a, b").unwrap().score - 0.5).abs() < 1e-6);
        assert_refuses(&words, &["a,,b", ","]);
        let numbers = untagged("list_equal", &json!({"items": "numbers", "tolerance": 0.1}));
        assert_judges(
            &numbers,
            &[("1, 2.11", "1, 2"), ("2, 1", "1, 2"), ("1, two", "1, 2"), ("1 2", "1, 2"), ("1,000", "1000")],
            &[("1.0, 2.1", "1, 2"), ("[1/3]", "0.3"), ("", "[]")],
        );
        assert_refuses(&numbers, &["one", "1,,2", "1;2"]);
        let spaced = untagged("list_equal", &json!({"items": "numbers", "separator": " "}));
        assert_judges(&spaced, &[("1, 2", "1 2"), ("1 2", "12")], &[("1\n 2", "1 2")]);
    }

    #[test]
    fn sets_have_none() {
        let words = untagged("set_equal", &json!({"ignore_case": true}));
        assert_judges(
            &words,
            &[
                ("a, b, c", "a, b"),
                ("a", "a, b"),
                ("a, c", "a, b"),
                ("", "a"),
                ("a b", "a, b"),
                ("ab", "a, b"),
            ],
            &[("B, a", "a, b"), ("{a, b, a}", "a, b"), (r"\{b, a\}", "a, b"), ("{}", "")],
        );
        let all_but_one = words.judge("a, b, c", "a, b").unwrap();
        assert!((all_but_one.score - 0.8).abs() < 1e-6);
        let numbers = untagged("set_equal", &json!({"items": "numbers"}));
        assert_judges(
            &numbers,
            &[("0.33, 2", "1/3, 2"), ("1, -1", "1"), ("1, x", "1"), ("0.1", "0.10000000000000001")],
            &[("2.0, 1/2", "0.5, 2"), ("4/6", "2/3"), ("1e3, -0", "0, 1000")],
        );
        assert_refuses(&numbers, &["x", "1/0"]);
    }

    #[test]
    fn long_lists_are_judged() {
        let many = "1/3,".repeat(16_000) + "1/3";
        for name in ["list_equal", "set_equal"] {
            for items in ["numbers", "words"] {
                let judge = untagged(name, &json!({"items": items}));
                assert!(judge.judge(&many, &many).unwrap().passed, "{name} {items}");
                assert!(!judge.judge("1", &many).unwrap().passed);
            }
        }
        let numbers = untagged("set_equal", &json!({"items": "numbers"}));
        let long = format!("{}/{}", "7".repeat(30_000), "3".repeat(30_000));
        assert!(!numbers.judge(&long, "1").unwrap().passed);
    }
}
