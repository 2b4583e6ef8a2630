//! One integer in digits.

use super::{Form, decorated, respelling};
use crate::error::quoted;
use crate::task::answer::integer;
use crate::task::verdict::Failure;

/// One integer in digits, with at most 18 significant ones.
pub struct Integer;

impl Form for Integer {
    type Read = i64;

    fn asks(&self) -> String {
        "Give your answer as one integer in digits, without separators,".to_owned()
    }

    fn read(&self, text: &str) -> Result<i64, Failure> {
        match integer(text) {
            Ok(Some(number)) => Ok(number),
            Ok(None) => Err(Failure::wrong(format!("`{}` has far too many digits", quoted(text)))),
            Err(reason) => Err(Failure::malformed(reason)),
        }
    }

    fn write(&self, answer: &i64) -> String {
        answer.to_string()
    }

    fn respelled(&self, text: &str) -> Option<String> {
        respelling::ungrouped(text)
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let split_at = right.len() - 1;
        let mut mangled = decorated(right);
        mangled.extend([
            format!("{right}.0"),
            format!("{right}."),
            format!("{right} {right}"),
            format!("{right}\n{right}"),
            format!("{right} or {right}"),
            format!("= {right}"),
            format!("{right}e0"),
            format!("{right}/1"),
            format!("({right})"),
            format!("{right},"),
            format!("--{right}"),
            format!("{},{}", &right[..split_at], &right[split_at..]),
            format!("{} {}", &right[..split_at], &right[split_at..]).trim().to_owned() + " ",
        ]);
        // A single digit cannot be split.
        mangled.retain(|text| text.trim() != right);
        mangled
    }
}
