//! Lists, counts and ordinals as English writes them.

use std::borrow::Cow;
use std::fmt::Display;

use unicode_normalization::{UnicodeNormalization, is_nfc};

/// Joins the items of an iterator into one text.
pub trait Joined: Iterator<Item: Display> + Sized {
    /// The items with `between` between any two.
    fn joined(self, between: &str) -> String {
        glued(&mut self.map(|item| item.to_string()), between)
    }

    /// An item per line.
    fn lines(self) -> String {
        self.joined("\n")
    }

    /// `2, 5, 6`.
    fn listed(self) -> String {
        self.joined(", ")
    }
}

impl<I: Iterator<Item: Display>> Joined for I {}

fn glued(items: &mut dyn Iterator<Item = String>, between: &str) -> String {
    let mut text = items.next().unwrap_or_default();
    for item in items {
        text.push_str(between);
        text.push_str(&item);
    }
    text
}

/// `2, 5 and 6`.
pub fn and<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    ending(items, "and")
}

/// `2, 5 or 6`.
pub fn or<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    ending(items, "or")
}

/// `2, 5 then 6`: a list with a word of the caller's before its last item.
pub fn ending<T: Display>(items: impl IntoIterator<Item = T>, before_last: &str) -> String {
    let mut items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    match (items.pop(), items.is_empty()) {
        (None, _) => String::new(),
        (Some(only), true) => only,
        (Some(last), false) => format!("{} {before_last} {last}", items.join(", ")),
    }
}

/// `1 row`, `3 rows`, `2 boxes`, `4 entries`.
pub fn count(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    let noun = if number == "1" { noun.to_owned() } else { plural(noun) };
    format!("{number} {noun}")
}

/// `there is 1 row`, `there are 4 rows`.
pub fn there_are(number: impl Display, noun: &str) -> String {
    let counted = count(number, noun);
    let verb = if counted.starts_with("1 ") { "is" } else { "are" };
    format!("there {verb} {counted}")
}

/// The plural of a regular noun.
pub fn plural(noun: &str) -> String {
    let sibilant = ["s", "x", "z", "ch", "sh"].iter().any(|end| noun.ends_with(end));
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{stem}ies"),
        _ if sibilant => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// The text with each letter and its accents as one character where there is one.
pub fn composed(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc(text) { text.into() } else { text.nfc().collect::<String>().into() }
}

/// The article of a number below 100: `a 9`, `an 8`, `an 11`.
pub fn article(number: usize) -> &'static str {
    if matches!(number, 8 | 11 | 18 | 80..=89) { "an" } else { "a" }
}

/// `1st`, `2nd`, `11th`.
pub fn ordinal(number: usize) -> String {
    let end = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_well() {
        assert_eq!(or([0; 0]), "");
        assert_eq!(or([2]), "2");
        assert_eq!(or([2, 5]), "2 or 5");
        assert_eq!(and(["A has 1", "B has 3", "C has 5"]), "A has 1, B has 3 and C has 5");
        assert_eq!(["a", "b"].iter().listed(), "a, b");
        assert_eq!(
            [1, 2].iter().lines(),
            "1
2"
        );
        assert_eq!(['x'; 0].iter().joined("; "), "");
    }

    #[test]
    fn counts_agree_with_their_nouns() {
        let four = ["row", "box", "match", "entry", "day", "loss"].map(|noun| count(4, noun));
        assert_eq!(four, ["4 rows", "4 boxes", "4 matches", "4 entries", "4 days", "4 losses"]);
        assert_eq!([1, 3].map(|number| there_are(number, "day")), ["there is 1 day", "there are 3 days"]);
        assert_eq!((count(1, "box"), count(0, "row")), ("1 box".into(), "0 rows".into()));
    }

    #[test]
    fn ordinals_end_as_they_are_spoken() {
        let ends = [1, 2, 3, 4, 11, 12, 13, 21, 102, 113].map(ordinal);
        assert_eq!(ends, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "113th"]);
    }
}
