//! Some of several numbered things, each with a reason from a list, or none of them.

use std::collections::BTreeMap;

use super::{Form, between_commas, decorated, respelling};
use crate::error::quoted;
use crate::task::verdict::Failure;

const NONE: &str = "none";

/// A reason for each of some things numbered from 1: "3: value, 7: order" in any order, or "none". The parsed
/// answer holds the index of the reason for each number that is listed.
pub struct Marks<'a> {
    /// Number of things.
    pub count: usize,
    /// Singular noun for what is listed: "wrong step".
    pub noun: &'a str,
    /// The reasons, which are words without commas and colons; at least two.
    pub reasons: &'a [&'a str],
}

impl Form for Marks<'_> {
    type Read = BTreeMap<usize, usize>;

    fn asks(&self) -> String {
        let (noun, reason) = (self.noun, self.reasons[0]);
        format!(
            "List every {noun} by its number and its reason, like 2: {reason}, in any order and separated by commas, or \
             write {NONE} if there is no {noun},"
        )
    }

    fn read(&self, text: &str) -> Result<Self::Read, Failure> {
        if text == NONE {
            return Ok(BTreeMap::new());
        }
        let mut marks = BTreeMap::new();
        for mark in between_commas(text) {
            let malformed = |why: &str| Failure::malformed(format!("`{}` {why}", quoted(mark)));
            let (number, reason) = mark
                .split_once(':')
                .ok_or_else(|| malformed(&format!("is not like `2: {}`", self.reasons[0])))?;
            let [number, reason] = [number, reason].map(|part| part.trim_matches([' ', '\t']));
            let plain = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
            let number = number.parse().ok().filter(|number| plain && (1..=self.count).contains(number));
            let number = number.ok_or_else(|| {
                malformed(&format!("does not start with a number from 1 to {}", self.count))
            })?;
            let reason = self.reasons.iter().position(|known| *known == reason);
            let reason = reason
                .ok_or_else(|| malformed(&format!("does not end with one of {}", self.reasons.join(", "))))?;
            if marks.insert(number, reason).is_some() {
                return Err(malformed("is about a number that is already listed"));
            }
        }
        Ok(marks)
    }

    fn write(&self, answer: &Self::Read) -> String {
        if answer.is_empty() {
            return NONE.to_owned();
        }
        let mark = |(number, reason): (&usize, &usize)| format!("{number}: {}", self.reasons[*reason]);
        answer.iter().map(mark).collect::<Vec<_>>().join(", ")
    }

    fn respelled(&self, text: &str) -> Option<String> {
        respelling::listed(text)
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            format!("{right}, {right}"),
            format!("{right},"),
            format!(", {right}"),
            format!("{right}, {NONE}"),
            format!("{NONE}, {right}"),
            format!("{right}, {}: {}", self.count + 1, self.reasons[0]),
            format!("{right}, 0: {}", self.reasons[0]),
            format!("[{right}]"),
            format!("{right}."),
            format!("0{right}"),
            format!("step {right}"),
            format!("{right}\u{200b}"),
            right.to_uppercase(),
            right.replace(": ", " "),
            right.replace(": ", " - "),
            right.replace(", ", " "),
            right.replace(", ", "; "),
            right.replace(", ", " and "),
        ]);
        // A single mark has no commas, and "none" has no colon.
        mangled.retain(|text| text != right);
        mangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: Marks = Marks { count: 12, noun: "wrong step", reasons: &["value", "order"] };

    #[test]
    fn marks_are_read_in_any_order_and_each_number_once() {
        for (text, marks) in
            [("none", &[][..]), ("3: order", &[(3, 1)]), ("12:value ,\n 4 : order", &[(4, 1), (12, 0)])]
        {
            let read = FORM.read(text).unwrap();
            assert_eq!(read.clone().into_iter().collect::<Vec<_>>(), marks, "{text}");
            assert_eq!(FORM.read(&FORM.write(&read)), Ok(read));
        }
        for right in ["none", "3: order", "1: value, 4: order, 12: value"] {
            for text in FORM.mangled(right) {
                assert!(FORM.read(&text).is_err(), "{text:?}");
            }
        }
        for text in [
            "13: value",
            "0: value",
            "01: value",
            "+1: value",
            "3: order, 3: value",
            "3: Order",
            "None",
            "3",
            "3:",
            ":",
        ] {
            assert!(FORM.read(text).is_err(), "{text:?}");
        }
        let lenient = |text: &str| FORM.read(&FORM.respelled(text)?).ok();
        assert_eq!(lenient("[1: value; 4: order]"), lenient("1: value\n4: order"));
        assert!(lenient("1: value\n4: order").is_some() && lenient("1: value\n1: order").is_none());
    }
}
