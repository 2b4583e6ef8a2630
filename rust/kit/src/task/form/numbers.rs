//! A list of whole numbers of any length.

use super::{Form, between_commas, decorated, respelling};
use crate::error::quoted;
use crate::task::answer::integer;
use crate::task::verdict::Failure;
use crate::words::count;

/// One or more whole numbers in digits, with commas between them. White space around them is optional.
pub struct Numbers<'a> {
    /// Plural noun with the order: "numbers of the rules in the order in which they are used".
    pub what: &'a str,
    /// Largest number of numbers that are read.
    pub most: usize,
}

impl Form for Numbers<'_> {
    type Read = Vec<i64>;

    fn asks(&self) -> String {
        format!("Give the {}, as integers separated by commas,", self.what)
    }

    fn read(&self, text: &str) -> Result<Vec<i64>, Failure> {
        if text.bytes().filter(|byte| *byte == b',').count() >= self.most {
            return Err(Failure::malformed(format!("there are more than {}", count(self.most, "number"))));
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
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            format!("{right},"),
            format!(", {right}"),
            format!("[{right}]"),
            format!("({right})"),
            format!("{right}."),
            format!("= {right}"),
            format!("{right} {right}"),
            format!("{right}\n{right}"),
            format!("{right}.0"),
            format!("{right}, and so on"),
            right.replace(", ", " "),
            right.replace(", ", "; "),
            right.replace(", ", " -> "),
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

    const FORM: Numbers = Numbers { what: "numbers", most: 5 };

    #[test]
    fn as_many_numbers_as_there_are_are_read() {
        for (text, numbers) in
            [("3", &[3][..]), ("3,\n0,-12", &[3, 0, -12]), ("1 ,2, 3 ,4,5", &[1, 2, 3, 4, 5])]
        {
            assert_eq!(FORM.read(text).unwrap(), numbers);
            assert_eq!(FORM.read(&FORM.write(&numbers.to_vec())).unwrap(), numbers);
        }
        for right in ["3", "3, 0, -12"] {
            assert!(FORM.mangled(right).iter().all(|text| FORM.read(text).is_err()), "{right}");
        }
        for text in ["", ",", "1, , 2", "1, 2, 3, 4, 5, 6", "a", "1.5"] {
            assert!(FORM.read(text).is_err(), "{text}");
        }
    }
}
