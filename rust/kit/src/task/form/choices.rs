//! Any number of several numbered things, including none.

use std::collections::BTreeSet;

use super::{Form, between_commas, decorated, respelling};
use crate::error::quoted;
use crate::task::verdict::Failure;

/// A choice among things numbered from 1: their numbers in any order with commas between them, or 0 alone for
/// none.
pub struct Choices<'a> {
    /// Number of things.
    pub count: usize,
    /// Plural noun for the chosen things: "right answers".
    pub what: &'a str,
}

impl Form for Choices<'_> {
    /// The numbers chosen.
    type Read = BTreeSet<usize>;

    fn asks(&self) -> String {
        format!(
            "Give the numbers of all the {}, each once and separated by commas, or 0 if there are none,",
            self.what
        )
    }

    fn read(&self, text: &str) -> Result<BTreeSet<usize>, Failure> {
        if text == "0" {
            return Ok(BTreeSet::new());
        }
        let mut chosen = BTreeSet::new();
        for word in between_commas(text) {
            let malformed = |why: &str| Failure::malformed(format!("`{}` {why}", quoted(word)));
            let plain = word.bytes().all(|byte| byte.is_ascii_digit()) && !word.starts_with('0');
            let number = word.parse().ok().filter(|number| plain && (1..=self.count).contains(number));
            let number =
                number.ok_or_else(|| malformed(&format!("is not a number from 1 to {}", self.count)))?;
            if !chosen.insert(number) {
                return Err(malformed("is listed twice"));
            }
        }
        Ok(chosen)
    }

    fn write(&self, answer: &BTreeSet<usize>) -> String {
        if answer.is_empty() {
            return "0".to_owned();
        }
        answer.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
    }

    fn respelled(&self, text: &str) -> Option<String> {
        respelling::listed_numbers(text)
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            format!("{right}, {right}"),
            format!("{right},"),
            format!(", {right}"),
            format!("0, {right}"),
            format!("{right}, 0"),
            format!("{right}, {}", self.count + 1),
            format!("[{right}]"),
            format!("({right})"),
            format!("{right}."),
            format!("#{right}"),
            format!("0{right}"),
            format!("+{right}"),
            format!("{right} {right}"),
            format!("{right}\u{200b}"),
            right.replace(", ", " "),
            right.replace(", ", "; "),
            right.replace(", ", " and "),
        ]);
        // A single number has no commas.
        mangled.retain(|text| text != right);
        mangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: Choices = Choices { count: 5, what: "right answers" };

    #[test]
    fn numbers_are_read_in_any_order_and_each_once() {
        for (text, chosen) in [("0", &[][..]), ("3", &[3]), ("1, 4", &[1, 4]), ("5,2 , 1", &[1, 2, 5])] {
            assert_eq!(FORM.read(text).unwrap().into_iter().collect::<Vec<_>>(), chosen, "{text}");
            assert_eq!(FORM.read(&FORM.write(&FORM.read(text).unwrap())), FORM.read(text));
        }
        for right in ["0", "3", "1, 2, 4, 5"] {
            for text in FORM.mangled(right) {
                assert!(FORM.read(&text).is_err(), "{text:?}");
            }
        }
        for text in ["6", "1, 1", "1, 01", "none", "-1", "1.0", "00"] {
            assert!(FORM.read(text).is_err(), "{text:?}");
        }
    }
}
