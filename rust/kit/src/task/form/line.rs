//! One line, word for word.

use super::{Form, decorated};
use crate::task::verdict::Failure;

/// One line in which every character counts, without outer white space, which reading removes.
pub struct Line<'a> {
    /// Noun phrase for the answer: "the reversed text".
    pub what: &'a str,
}

/// Characters that end a line on some system.
const LINE_BREAKS: [char; 7] = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];

impl Form for Line<'_> {
    type Read = String;

    fn asks(&self) -> String {
        format!("Give {} alone, on one line,", self.what)
    }

    fn read(&self, text: &str) -> Result<String, Failure> {
        if text.is_empty() {
            return Err(Failure::malformed("the answer is empty"));
        }
        if text.contains(LINE_BREAKS) {
            return Err(Failure::malformed("the answer is more than one line"));
        }
        Ok(text.to_owned())
    }

    fn write(&self, answer: &String) -> String {
        answer.clone()
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let middle = right.char_indices().nth(right.chars().count() / 2).map_or(0, |(at, _)| at);
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            format!("{right}."),
            format!("'{right}'"),
            format!("{right} {right}"),
            format!("{right}\n{right}"),
            format!("{}\n{}", &right[..middle], &right[middle..]),
            format!("{}\u{200b}{}", &right[..middle], &right[middle..]),
            right.to_uppercase(),
            right.to_lowercase(),
            right.replace(' ', ""),
            right.replace(' ', "  "),
            right.replace(' ', "\u{a0}"),
            right.split("").collect::<Vec<_>>().join(" "),
        ]);
        // Without capitals or spaces, some of these change nothing.
        mangled.retain(|text| text.trim() != right);
        mangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: Line<'_> = Line { what: "the reversed text" };

    #[test]
    fn every_character_of_the_one_line_counts() {
        assert_eq!(
            FORM.sentence("answer"),
            "Give the reversed text alone, on one line, inside <answer></answer> tags, and write nothing after \
             them."
        );
        for line in ["f ,ed cbA", "a\tb  c", "`x`", "día 🦀"] {
            assert_eq!(FORM.read(line).unwrap(), line);
            assert!(FORM.mangled(line).iter().all(|text| FORM.read(text).map_or(true, |read| read != line)));
        }
        assert!(
            FORM.mangled("ab").contains(&"AB".to_owned()) && !FORM.mangled("ab").contains(&"ab".to_owned())
        );
    }

    #[test]
    fn no_line_and_two_lines_are_malformed() {
        for text in ["", "a\nb", "a\r\nb", "a\rb", "a\u{b}b", "a\u{2028}b", "a\u{85}b"] {
            assert!(FORM.read(text).is_err(), "{text:?}");
        }
    }
}
