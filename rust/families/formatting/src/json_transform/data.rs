//! The JSON values of documents and of answers to them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use kit::error::quoted;
use kit::shared::json::Json;

pub type Record = BTreeMap<String, Data>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Data {
    Flag(bool),
    Number(i64),
    Text(String),
    List(Vec<Data>),
    Object(Record),
    /// A value that an answer may contain but no document does: null, or a number with a fraction or far too
    /// large.
    #[serde(skip)]
    Other(String),
}

impl From<Json> for Data {
    fn from(json: Json) -> Self {
        let text = |text: Vec<u8>| String::from_utf8_lossy(&text).into_owned();
        match json {
            Json::Null => Self::Other("null".to_owned()),
            Json::Bool(flag) => Self::Flag(flag),
            Json::Number(number) => match number.fixed().filter(|_| number.is_integer()) {
                Some(fixed) => Self::Number((fixed / FIXED) as i64),
                None => Self::Other(number.approximate().to_string()),
            },
            Json::Text(written) => Self::Text(text(written)),
            Json::List(items) => Self::List(items.into_iter().map(Self::from).collect()),
            Json::Object(fields) => {
                Self::Object(fields.into_iter().map(|(key, value)| (text(key), value.into())).collect())
            }
        }
    }
}

/// The number 1 in fixed-point form.
const FIXED: i128 = 10_000_000_000;

impl Data {
    /// The value as JSON on one line.
    pub fn write(&self) -> String {
        let string = |text: &str| serde_json::to_string(text).expect("texts serialize");
        match self {
            Self::Flag(flag) => flag.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => string(text),
            Self::Other(text) => text.clone(),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::write).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Object(fields) => {
                let field = |(key, value): (&String, &Self)| format!("{}: {}", string(key), value.write());
                let fields: Vec<String> = fields.iter().map(field).collect();
                format!("{{{}}}", fields.join(", "))
            }
        }
    }

    /// The types of all nested values. A list has a shape only if its items are all numbers or all texts.
    pub fn shape(&self) -> Option<String> {
        Some(match self {
            Self::Flag(_) => "f".to_owned(),
            Self::Number(_) => "n".to_owned(),
            Self::Text(_) => "t".to_owned(),
            Self::Other(_) => return None,
            Self::List(items) => {
                let first = items.first()?.shape().filter(|shape| ["n", "t"].contains(&shape.as_str()))?;
                let alike = items.iter().all(|item| item.shape().as_deref() == Some(&first));
                alike.then(|| format!("[{first}]"))?
            }
            Self::Object(fields) => {
                let mut shape = "{".to_owned();
                for (key, value) in fields {
                    shape.extend([key, ":", &value.shape()?, ","]);
                }
                shape + "}"
            }
        })
    }

    /// Number of nested values that contain no others.
    pub fn leaves(&self) -> usize {
        match self {
            Self::List(items) => items.iter().map(Self::leaves).sum(),
            Self::Object(fields) => fields.values().map(Self::leaves).sum(),
            _ => 1,
        }
    }

    /// Number of entries of this list or object that match the right one, and the number of entries of the
    /// longer one.
    pub fn entries_right(&self, right: &Self) -> (usize, usize) {
        match (self, right) {
            (Self::List(items), Self::List(wanted)) => (
                items.iter().zip(wanted).filter(|(item, wanted)| item == wanted).count(),
                items.len().max(wanted.len()),
            ),
            (Self::Object(fields), Self::Object(wanted)) => (
                fields.iter().filter(|(key, value)| wanted.get(*key) == Some(value)).count(),
                fields.len().max(wanted.len()),
            ),
            _ => (0, 1),
        }
    }

    /// The first place where this differs from the right value, and how.
    pub fn difference(&self, right: &Self) -> Option<String> {
        self.differs(right, "")
    }

    fn differs(&self, right: &Self, path: &str) -> Option<String> {
        let place = if path.is_empty() { "the result".to_owned() } else { format!("`{}`", quoted(path)) };
        match (self, right) {
            _ if self == right => None,
            (Self::List(items), Self::List(wanted)) => {
                let mut pairs = items.iter().zip(wanted).enumerate();
                let inside =
                    pairs.find_map(|(at, (item, wanted))| item.differs(wanted, &format!("{path}[{at}]")));
                inside.or_else(|| {
                    let (has, needs) = (items.len(), wanted.len());
                    Some(format!("{place} has length {has}, but should have length {needs}"))
                })
            }
            (Self::Object(fields), Self::Object(wanted)) => {
                let at = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
                let missing = wanted.keys().find(|key| !fields.contains_key(*key));
                let missing = missing.map(|key| format!("{place} has no key `{key}`"));
                let extra = fields.keys().find(|key| !wanted.contains_key(*key));
                let extra = extra.map(|key| format!("{place} has a key `{}`, but should not", quoted(key)));
                let inside =
                    || fields.iter().find_map(|(key, value)| value.differs(wanted.get(key)?, &at(key)));
                missing.or(extra).or_else(inside)
            }
            _ => Some(format!(
                "{place} is `{}`, but should be `{}`",
                quoted(&self.write()),
                quoted(&right.write())
            )),
        }
    }
}
