//! The form of an answer.

use super::data::Data;
use kit::shared::json::{Json, Unread};
use kit::task::form::decorated;
use kit::task::prelude::*;

/// A JSON value in any notation.
pub struct JsonValue;

impl Form for JsonValue {
    type Read = Data;

    fn asks(&self) -> String {
        "Give the result as one JSON value, with any spacing and line breaks and with keys in any order,"
            .to_owned()
    }

    fn read(&self, text: &str) -> Result<Data, Failure> {
        match Json::read(text, &mut Budget::new(4_000_000)) {
            Ok(json) => Ok(json.into()),
            Err(Unread::NotJson(reason)) => {
                Err(Failure::malformed(format!("the answer is not JSON: {reason}")))
            }
            Err(Unread::OverBudget) => Err(OverBudget.into()),
        }
    }

    fn write(&self, answer: &Data) -> String {
        answer.write()
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            format!("{right}."),
            format!("{right},"),
            format!("{right}\n{right}"),
            format!("json {right}"),
            format!("({right})"),
            format!("result = {right}"),
            format!("{right} // done"),
            right.replace('"', "'"),
            right.replace('"', ""),
            right.replace(": ", " = "),
            right.replace(", ", " "),
            right.replace('}', ",}"),
            right.replace(['[', ']'], "|"),
            right[..right.len() - 1].to_owned(),
            right[1..].to_owned(),
        ]);
        // Without lists or several keys, some of these change nothing.
        mangled.retain(|text| text != right);
        mangled
    }
}
