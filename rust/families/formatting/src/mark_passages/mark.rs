//! The formats of passages.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    TripleAsterisks,
    Bold,
    Italics,
    Code,
    Quotes,
    Brackets,
    Parentheses,
    Dashes,
    AngleBrackets,
    Capitals,
}

impl Mark {
    /// A mark that starts with another one comes before it.
    pub const ALL: [Self; 10] = [
        Self::TripleAsterisks,
        Self::Bold,
        Self::Italics,
        Self::Code,
        Self::Quotes,
        Self::Brackets,
        Self::Parentheses,
        Self::Dashes,
        Self::AngleBrackets,
        Self::Capitals,
    ];

    pub fn name(self) -> &'static str {
        [
            "triple asterisks",
            "bold",
            "italics",
            "backticks",
            "double quotes",
            "square brackets",
            "parentheses",
            "double dashes",
            "angle brackets",
            "capitals",
        ][self as usize]
    }

    /// Text before and after a marked passage.
    pub fn around(self) -> (&'static str, &'static str) {
        [
            ("***", "***"),
            ("**", "**"),
            ("*", "*"),
            ("`", "`"),
            ("\"", "\""),
            ("[", "]"),
            ("(", ")"),
            ("--", "--"),
            ("<", ">"),
            ("", ""),
        ][self as usize]
    }

    pub fn put_on(self, words: &str) -> String {
        let (before, after) = self.around();
        if self == Self::Capitals { words.to_ascii_uppercase() } else { format!("{before}{words}{after}") }
    }

    /// The mark of a whole line, and the passage inside.
    pub fn of(line: &str) -> Option<(Self, &str)> {
        let around = Self::ALL[..9].iter().find_map(|mark| {
            let (before, after) = mark.around();
            Some((*mark, line.strip_prefix(before)?.strip_suffix(after)?))
        });
        let capital = |line: &&str| {
            line.contains(|c: char| c.is_ascii_uppercase()) && !line.contains(|c: char| c.is_lowercase())
        };
        around.or_else(|| Some(line).filter(capital).map(|line| (Self::Capitals, line)))
    }
}

/// All marked passages of a text, in order.
pub fn marked(text: &str) -> Vec<(Mark, String)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let opened = Mark::ALL[..9].iter().find_map(|mark| {
            let (before, after) = mark.around();
            let (words, _) = rest.strip_prefix(before)?.split_once(after)?;
            Some((*mark, words, before.len() + words.len() + after.len()))
        });
        let capitals = || {
            let end = rest.find(|c: char| c != ' ' && !c.is_ascii_uppercase()).unwrap_or(rest.len());
            let words = rest[..end].trim_end_matches(' ');
            (words.len() > 1 && next.is_ascii_uppercase()).then_some((Mark::Capitals, words, words.len()))
        };
        match opened.or_else(capitals) {
            Some((mark, words, length)) => {
                found.push((mark, words.to_ascii_lowercase()));
                rest = &rest[length..];
            }
            None => rest = &rest[next.len_utf8()..],
        }
    }
    found
}
