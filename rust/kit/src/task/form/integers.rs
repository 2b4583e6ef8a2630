//! Several integers in a fixed order.

use super::{Form, between_commas, decorated, respelling};
use crate::error::quoted;
use crate::task::answer::integer;
use crate::task::verdict::Failure;
use crate::words::count;

/// A fixed number of integers in digits, at least two, with commas between them. White space around them is
/// optional.
pub struct Integers<'a> {
    /// Number of integers.
    pub count: usize,
    /// Plural noun with the order: "counts in the order in which the letters are named".
    pub what: &'a str,
}

impl Form for Integers<'_> {
    type Read = Vec<i64>;

    fn asks(&self) -> String {
        format!("Give the {} {}, as integers separated by commas,", self.count, self.what)
    }

    fn read(&self, text: &str) -> Result<Vec<i64>, Failure> {
        let given = text.split(',').count();
        if given != self.count {
            let given = count(given, "part");
            let reason = format!("`{}` has {given} between commas, not {}", quoted(text), self.count);
            return Err(Failure::malformed(reason));
        }
        let number = |part: &str| match integer(part) {
            Ok(Some(number)) => Ok(number),
            Ok(None) => Err(Failure::wrong(format!("`{}` has far too many digits", quoted(part)))),
            Err(reason) => Err(Failure::malformed(reason)),
        };
        between_commas(text).map(number).collect()
    }

    fn write(&self, answer: &Vec<i64>) -> String {
        answer.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
    }

    fn respelled(&self, text: &str) -> Option<String> {
        respelling::listed_numbers(text)
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let (first, rest) = right.split_once(", ").expect("there are two integers or more");
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            rest.to_owned(),
            format!("{right}, {first}"),
            format!("{right},"),
            format!(", {right}"),
            format!("{first},, {rest}"),
            format!("[{right}]"),
            format!("({right})"),
            format!("{right}."),
            format!("= {right}"),
            format!("{right} {right}"),
            format!("{right}\n{right}"),
            format!("{first}.0, {rest}"),
            right.replace(", ", " "),
            right.replace(", ", "; "),
            right.replace(", ", " and "),
            right.replace(", ", ",\u{200b}"),
            right.replace(", ", "\u{ff0c}"),
        ]);
        mangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::verdict::label;

    const FORM: Integers = Integers { count: 3, what: "counts" };

    #[test]
    fn as_many_integers_as_asked_are_read() {
        for text in ["3, 0, 12", "3,0,12", "03 ,+0,  12", "3, -0, 12", "3,\n0\t,\r\n12"] {
            assert_eq!(FORM.read(text).unwrap(), [3, 0, 12], "{text}");
        }
        assert_eq!(FORM.read("3, −1, 2").unwrap(), [3, -1, 2]);
        let malformed =
            FORM.mangled("3, 0, 12").into_iter().chain(["3, a, 1".into(), "3, , 1".into(), ",,".into()]);
        for text in malformed {
            assert!(FORM.read(&text).is_err_and(|bad| bad.failures == [label::MALFORMED_ANSWER]), "{text:?}");
        }
        let long = format!("1, 2, {}", "9".repeat(60_000));
        assert!(FORM.read(&long).is_err_and(|bad| bad.failures == [label::WRONG_ANSWER]));
    }
}
