//! The options that every verifier takes.

use serde_json::Value;

use super::{Extract, is_tag};
use kit::error::shortened;
use kit::params::not_one_of;
use kit::task::answer::{Reading, StopTokens};

/// A caller's value in a message.
fn shown(value: &Value) -> String {
    shortened(&value.to_string())
}

pub fn read_tag(given: &Value) -> Result<Option<String>, String> {
    match given {
        Value::Null => Ok(None),
        Value::String(name) if is_tag(name) => Ok(Some(name.clone())),
        other => Err(format!(
            "`tag` is {}, but must be a name without brackets, like \"answer\", or None",
            shown(other)
        )),
    }
}

pub fn read_extract(given: &Value, tag: Option<&str>) -> Result<Extract, String> {
    let found = Extract::ALL.into_iter().find(|extract| given.as_str() == Some(extract.name()));
    match found {
        Some(Extract::Tag) if tag.is_none() => {
            Err("`extract` is \"tag\", but `tag` is None; name the tag, like tag=\"answer\"".into())
        }
        Some(extract) => Ok(extract),
        None => {
            let names = Extract::ALL.map(|extract| Value::from(extract.name()));
            Err(not_one_of("extract", given, &names))
        }
    }
}

pub fn read_reading(given: &Value) -> Result<Reading, String> {
    let found = given.as_str().map(Reading::find);
    found.and_then(Result::ok).ok_or_else(|| {
        let names = Reading::ALL.map(|reading| Value::from(reading.name()));
        not_one_of("reading", given, &names)
    })
}

pub fn read_stop_tokens(given: &Value) -> Result<StopTokens, String> {
    let must = "but must be a list of str";
    let tokens = given.as_array().ok_or_else(|| format!("`stop_tokens` is {}, {must}", shown(given)))?.iter();
    let text = |(at, token): (usize, &Value)| match token {
        Value::String(token) => Ok(token.clone()),
        other => Err(format!("`stop_tokens[{at}]` is {}, but must be str", shown(other))),
    };
    StopTokens::new(&tokens.enumerate().map(text).collect::<Result<Vec<_>, _>>()?)
}
