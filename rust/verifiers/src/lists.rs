//! Lists and sets of words, numbers or mathematics.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::math::{self, MathEqual, paired};
use super::number::Number;
use super::{About, Example, Metric};
use kit::budget::{Budget, OverBudget};
use kit::error::quoted;
use kit::task::answer::Reading;
use kit::task::verdict::{Failure, Graded, Pass, label};
use kit::words::there_are;

/// Type of the items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Items {
    /// Texts: repeated white space counts once, quotes around an item are ignored.
    #[default]
    Words,
    /// Decimals and fractions, compared exactly or, in lists, within a tolerance.
    Numbers,
    /// Mathematics, compared as by `math_equal`.
    Maths,
}

kit::params! {
    pub struct ListEqual {
        /// Type of the items: "words", "numbers" or "maths".
        items: Items,
        /// Separator between the items; a space matches any white space.
        separator: String,
        /// Ignore the case of words.
        ignore_case: bool,
        /// Largest difference between numbers that still passes, taken as the decimal that it prints as.
        tolerance: f64 [0..],
    }
    default (Items::Words, ",".into(), false, 0.0)
    check Self::consistent;
}

impl ListEqual {
    fn consistent(&self) -> Result<(), String> {
        check_separator(&self.separator)
    }
}

kit::params! {
    pub struct SetEqual {
        /// Type of the items: "words", "numbers" or "maths".
        items: Items,
        /// Separator between the items; a space matches any white space.
        separator: String,
        /// Ignore the case of words.
        ignore_case: bool,
    }
    default (Items::Words, ",".into(), false)
    check Self::consistent;
}

impl SetEqual {
    fn consistent(&self) -> Result<(), String> {
        check_separator(&self.separator)
    }
}

fn check_separator(separator: &str) -> Result<(), String> {
    if separator.is_empty() {
        return Err("`separator` is empty, but must be text like \",\"".into());
    }
    Ok(())
}

/// The items of a text with or without brackets. An empty text and `[]` have none; between two separators
/// there is an empty item.
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

/// The items of a text as mathematics: a separator in brackets is part of an item.
fn split_maths<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    const MARKS: [(&str, &str); 3] = [("$", "$"), ("\\(", "\\)"), ("\\[", "\\]")];
    let mut text = text.trim();
    for (open, close) in MARKS {
        let inner = text.strip_prefix(open).and_then(|inner| inner.strip_suffix(close));
        text = inner.filter(|inner| !inner.contains(open)).unwrap_or(text).trim();
    }
    for (open, close) in [("\\left\\{", "\\right\\}"), ("\\{", "\\}"), ("{", "}"), ("[", "]"), ("(", ")")] {
        let inner = text.strip_prefix(open).and_then(|inner| inner.strip_suffix(close));
        // In `(1,2), (3,4)` the first bracket does not close last.
        if let Some(inner) = inner.filter(|inner| lowest_depth(inner) == 0) {
            text = inner.trim();
            break;
        }
    }
    if text.is_empty() {
        return Vec::new();
    }
    let spaces = separator.trim().is_empty() && !separator.contains('\n');
    let (mut items, mut start, mut depth) = (Vec::new(), 0, 0_i64);
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        depth += turn(c);
        let ends = depth <= 0 && if spaces { c.is_whitespace() } else { text[at..].starts_with(separator) };
        if ends {
            items.push(text[start..at].trim());
            at += if spaces { c.len_utf8() } else { separator.len() };
            start = at;
        } else {
            at += c.len_utf8();
        }
    }
    items.push(text[start..].trim());
    if spaces {
        items.retain(|item| !item.is_empty());
    }
    items
}

/// Change that a character makes to the depth of brackets.
fn turn(c: char) -> i64 {
    match c {
        '(' | '[' | '{' => 1,
        ')' | ']' | '}' => -1,
        _ => 0,
    }
}

/// The lowest depth of brackets in a text, at most zero.
fn lowest_depth(text: &str) -> i64 {
    let mut depth = 0;
    text.chars().fold(0, |lowest, c| {
        depth += turn(c);
        lowest.min(depth)
    })
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

/// Reason why a text is not a list.
enum Unread {
    /// This item is empty or not a number.
    Item(String),
    OverBudget,
}

impl From<OverBudget> for Unread {
    fn from(_: OverBudget) -> Self {
        Self::OverBudget
    }
}

impl Unread {
    fn of_reference(self) -> String {
        match self {
            Self::Item(what) => format!("must be a list, and {what}"),
            Self::OverBudget => "must be shorter: it is too long to compare".into(),
        }
    }
}

impl From<Unread> for Failure {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Item(what) => Self::malformed(what),
            Unread::OverBudget => OverBudget.into(),
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

pub enum List<'a> {
    Words(Vec<String>),
    Numbers(Vec<Number>),
    Maths(Vec<math::Reference<'a>>),
}

impl List<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Words(words) => words.len(),
            Self::Numbers(numbers) => numbers.len(),
            Self::Maths(items) => items.len(),
        }
    }
}

/// The items of a text as `maths` reads references.
fn maths<'a>(
    text: &'a str,
    separator: &str,
    maths: &MathEqual,
    budget: &mut Budget,
) -> Result<Vec<math::Reference<'a>>, Unread> {
    let items = split_maths(text, separator).into_iter();
    items
        .map(|item| {
            budget.spend(60)?;
            // The verifier of mathematics reports excessive work as an error, too.
            let read = maths.reference(item, budget);
            read.map_err(|must| match budget.left() {
                0 => Unread::OverBudget,
                _ => Unread::Item(format!("its item `{}` {must}", quoted(item))),
            })
        })
        .collect()
}

/// True if an item equals the reference's; an error if that could not be decided.
fn is_same(graded: Graded) -> Result<bool, Failure> {
    let undecided = |label: &&str| [label::MALFORMED_ANSWER, label::OVER_BUDGET].contains(label);
    match graded {
        Err(failure) if failure.failures.iter().any(undecided) => Err(failure),
        graded => Ok(graded.is_ok()),
    }
}

impl ListEqual {
    fn maths(&self) -> MathEqual {
        MathEqual { tolerance: self.tolerance, ..MathEqual::default() }
    }

    fn read<'a>(&self, text: &'a str, budget: &mut Budget) -> Result<List<'a>, Unread> {
        budget.spend(text.len() as u64)?;
        if self.items == Items::Maths {
            return maths(text, &self.separator, &self.maths(), budget).map(List::Maths);
        }
        let items = split(text, &self.separator);
        Ok(match self.items {
            Items::Words => List::Words(words(&items, self.ignore_case)?),
            _ => List::Numbers(items.into_iter().map(|item| number(item, budget)).collect::<Result<_, _>>()?),
        })
    }

    /// Checks each item of an answer against the reference's in the same position.
    fn in_place(
        &self,
        list: &List<'_>,
        reference: &List<'_>,
        budget: &mut Budget,
    ) -> Result<Vec<bool>, Failure> {
        Ok(match (list, reference) {
            (List::Words(words), List::Words(references)) => {
                words.iter().zip(references).map(|(word, reference)| word == reference).collect()
            }
            (List::Numbers(numbers), List::Numbers(references)) => {
                let pairs = numbers.iter().zip(references);
                pairs
                    .map(|(one, other)| one.is_within(other, self.tolerance, budget))
                    .collect::<Result<_, _>>()?
            }
            (List::Maths(items), List::Maths(references)) => {
                let maths = self.maths();
                let mut same = Vec::with_capacity(items.len());
                for (item, reference) in items.iter().zip(references) {
                    budget.spend(60)?;
                    same.push(is_same(maths.compare(&item.text, reference, budget))?);
                }
                same
            }
            _ => unreachable!("both are read alike"),
        })
    }
}

impl Metric for ListEqual {
    const ABOUT: About = About {
        name: "list_equal",
        summary: "The same words, numbers or mathematics in the same order; the score is the share in place.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example::ONE,
    };

    type Reference<'a> = List<'a>;

    fn reference<'a>(&self, text: &'a str, budget: &mut Budget) -> Result<List<'a>, String> {
        self.read(text, budget).map_err(Unread::of_reference)
    }

    fn compare(&self, answer: &str, reference: &List<'_>, budget: &mut Budget) -> Graded {
        let list = self.read(answer, budget)?;
        let same = self.in_place(&list, reference, budget)?;
        let longer = list.len().max(reference.len());
        let right = same.iter().filter(|same| **same).count();
        if right == longer {
            return Ok(Pass::new());
        }
        let detail = match same.iter().position(|same| !same) {
            Some(at) => format!("item {} is wrong", at + 1),
            None => format!("{}, but {} must be there", there_are(list.len(), "item"), reference.len()),
        };
        Err(Failure::wrong(detail).score(right as f32 / longer as f32))
    }
}

pub enum Set<'a> {
    Keys(BTreeSet<String>),
    Maths(Vec<math::Reference<'a>>),
}

impl SetEqual {
    fn read<'a>(&self, text: &'a str, budget: &mut Budget) -> Result<Set<'a>, Unread> {
        budget.spend(text.len() as u64)?;
        if self.items == Items::Maths {
            // A value that only rounds to an item is a different item.
            let mut kept: Vec<math::Reference<'a>> = Vec::new();
            for item in maths(text, &self.separator, &MathEqual::default(), budget)? {
                let mut known = false;
                for other in &kept {
                    budget.spend(60)?;
                    known = known || other.is_exactly(&item.text, budget)?;
                }
                if !known {
                    kept.push(item);
                }
            }
            return Ok(Set::Maths(kept));
        }
        let items = split(text, &self.separator);
        // Each finds its place among the others.
        budget.spend(items.len() as u64 * 20)?;
        let keys = match self.items {
            Items::Words => words(&items, self.ignore_case)?.into_iter().collect(),
            _ => items
                .into_iter()
                .map(|item| Ok(number(item, budget)?.key(budget)?))
                .collect::<Result<_, Unread>>()?,
        };
        Ok(Set::Keys(keys))
    }

    /// Number of items that two sets share.
    fn shared(
        set: &[math::Reference<'_>],
        reference: &[math::Reference<'_>],
        budget: &mut Budget,
    ) -> Result<usize, Failure> {
        let judge = MathEqual::default();
        let mut open = None;
        let pairs = paired(reference.len(), set.len(), true, |item, other| {
            budget.spend(60)?;
            let same = is_same(judge.compare(&set[other].text, &reference[item], budget));
            Ok::<_, OverBudget>(same.unwrap_or_else(|undecided| {
                open = Some(undecided);
                false
            }))
        })?;
        let shared = pairs.iter().flatten().count();
        match open {
            Some(undecided) if shared < reference.len().max(set.len()) => Err(undecided),
            _ => Ok(shared),
        }
    }
}

impl Metric for SetEqual {
    const ABOUT: About = About {
        name: "set_equal",
        summary: "The same words, numbers or mathematics in any order; the score is the F1 over them.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example::ONE,
    };

    type Reference<'a> = Set<'a>;

    fn reference<'a>(&self, text: &'a str, budget: &mut Budget) -> Result<Set<'a>, String> {
        self.read(text, budget).map_err(Unread::of_reference)
    }

    fn compare(&self, answer: &str, reference: &Set<'_>, budget: &mut Budget) -> Graded {
        let set = self.read(answer, budget)?;
        let (count, asked, shared) = match (&set, reference) {
            (Set::Keys(set), Set::Keys(reference)) => {
                (set.len(), reference.len(), set.intersection(reference).count())
            }
            (Set::Maths(set), Set::Maths(reference)) => {
                (set.len(), reference.len(), Self::shared(set, reference, budget)?)
            }
            _ => unreachable!("both are read alike"),
        };
        let (missing, extra) = (asked - shared, count - shared);
        if missing + extra == 0 {
            return Ok(Pass::new());
        }
        let f1 = 2.0 * shared as f32 / (count + asked) as f32;
        Err(Failure::wrong(format!("{missing} of its items are missing and {extra} too many")).score(f1))
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
    fn items_may_be_mathematics() {
        let sets = untagged("set_equal", &json!({"items": "maths"}));
        assert_judges(
            &sets,
            &[
                ("\\sqrt{2}", "\\sqrt{2}, -\\sqrt{2}"),
                ("(1,2), (3,4)", "(2,1), (3,4)"),
                ("1, 2, 3", "1, 2"),
                ("1 or 2", "1"),
                ("1, 1 or 2", "1, 2"),
                ("1,,2", "1, 2"),
                ("3.14, 3.14", "3.14, 3.141"),
                ("x", "y"),
            ],
            &[
                ("-\\sqrt{2}, \\frac{2}{\\sqrt2}", "\\sqrt{2}, -\\sqrt{2}"),
                ("(3,4), (1,2)", "(1,2), (3,4)"),
                ("[0,1), (2,3]", "(2,3], [0,1)"),
                ("$\\{1/2, 0.5, 2\\}$", "2, \\frac12"),
                ("(x+1)^2, y", "y, x^2+2x+1"),
                ("\\left\\{1, 2\\right\\}", "{2, 1}"),
                // Each finds the one that it rounds to.
                ("3.141, 3.137", "3.14, 3.141"),
                ("", "[]"),
            ],
        );
        assert!((sets.judge("1, 2, 3", "2/2, \\sqrt{4}").unwrap().score - 0.8).abs() < 1e-6);
        assert_refuses(&sets, &["1, 1/0", "1,,2", "("]);
        let lists = untagged("list_equal", &json!({"items": "maths", "tolerance": 0.1}));
        assert_judges(
            &lists,
            &[("2, 1", "1, 2"), ("1", "1, 2"), ("(2, 1)", "(1, 2)"), ("1, 2.2", "1, 2")],
            &[
                ("1, 2.05", "1, 2"),
                ("\\frac{2}{2}; 2".replace(';', ",").as_str(), "1, 2"),
                ("(1, 2)", "1, 2"),
            ],
        );
        let lines = untagged("list_equal", &json!({"items": "maths", "separator": "\n"}));
        assert_judges(&lines, &[("1\n2\n", "2\n1")], &[("1,2\n(3,4)", "1,2\n(3,4)")]);
        let spaced = untagged("set_equal", &json!({"items": "maths", "separator": " "}));
        assert_judges(&spaced, &[("1", "1 2")], &[("2  1", "1 2"), ("(1, 2) 3", "3 (1,2)")]);
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
