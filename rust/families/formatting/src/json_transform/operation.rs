//! Operations on a list of records.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::data::{Data, Record};
use kit::rng::Rng;

/// Largest absolute value of a number.
pub const LARGEST: i64 = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arithmetic {
    Plus,
    Minus,
    Times,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    KeepAtLeast {
        key: String,
        bound: i64,
    },
    KeepAtMost {
        key: String,
        bound: i64,
    },
    KeepText {
        key: String,
        text: String,
    },
    KeepFlag {
        key: String,
        flag: bool,
    },
    Sort {
        key: String,
        descending: bool,
    },
    Rename {
        key: String,
        to: String,
    },
    Remove {
        key: String,
    },
    Add {
        key: String,
        amount: i64,
    },
    Combine {
        one: String,
        by: Arithmetic,
        other: String,
        to: String,
    },
    Capitals {
        key: String,
    },
    Nest {
        keys: Vec<String>,
        to: String,
    },
    Lift {
        key: String,
    },
    Length {
        key: String,
    },
    Sum {
        key: String,
    },
    Reverse {
        key: String,
    },
    /// The last three turn the list into an object.
    Group {
        key: String,
    },
    Index {
        key: String,
    },
    Totals {
        key: String,
        of: String,
    },
}

/// Names for new keys.
pub const NEW_KEYS: [&str; 12] = [
    "total", "label", "value", "info", "entry", "kind", "detail", "result", "figure", "code", "level", "note",
];

fn get<'a>(record: &'a Record, key: &str) -> Result<&'a Data, String> {
    record.get(key).ok_or_else(|| format!("`operations` name the key `{key}`, but a record does not have it"))
}

fn number(record: &Record, key: &str) -> Result<i64, String> {
    match get(record, key)? {
        Data::Number(number) => Ok(*number),
        _ => Err(format!("`operations` treat `{key}` as a number, but it is not")),
    }
}

fn text<'a>(record: &'a Record, key: &str) -> Result<&'a str, String> {
    match get(record, key)? {
        Data::Text(text) => Ok(text),
        _ => Err(format!("`operations` treat `{key}` as a text, but it is not")),
    }
}

fn list<'a>(record: &'a Record, key: &str) -> Result<&'a [Data], String> {
    match get(record, key)? {
        Data::List(items) => Ok(items),
        _ => Err(format!("`operations` treat `{key}` as a list, but it is not")),
    }
}

fn bounded(number: i64) -> Result<Data, String> {
    if (-LARGEST..=LARGEST).contains(&number) {
        return Ok(Data::Number(number));
    }
    Err(format!("`operations` lead to {number}, but must stay within {LARGEST} of zero"))
}

fn insert_new(record: &mut Record, key: &str, value: Data) -> Result<(), String> {
    match record.insert(key.to_owned(), value) {
        None => Ok(()),
        Some(_) => Err(format!("`operations` make a key `{key}` where there is one")),
    }
}

/// The records of a list.
pub fn records(data: &Data) -> Result<Vec<&Record>, String> {
    let Data::List(items) = data else {
        return Err("`operations` go on after the list has become an object".into());
    };
    let records = items.iter().map(|item| match item {
        Data::Object(record) => Ok(record),
        _ => Err("`operations` need a list of objects".to_owned()),
    });
    records.collect()
}

impl Operation {
    pub fn makes_an_object(&self) -> bool {
        matches!(self, Self::Group { .. } | Self::Index { .. } | Self::Totals { .. })
    }

    pub fn keeps(&self) -> bool {
        use Operation as O;
        matches!(self, O::KeepAtLeast { .. } | O::KeepAtMost { .. } | O::KeepText { .. } | O::KeepFlag { .. })
    }

    /// The keys that the operation names, in the order of its words.
    pub fn keys_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::KeepAtLeast { key, .. }
            | Self::KeepAtMost { key, .. }
            | Self::KeepText { key, .. }
            | Self::KeepFlag { key, .. }
            | Self::Sort { key, .. }
            | Self::Remove { key }
            | Self::Add { key, .. }
            | Self::Capitals { key }
            | Self::Lift { key }
            | Self::Length { key }
            | Self::Sum { key }
            | Self::Reverse { key }
            | Self::Group { key }
            | Self::Index { key } => vec![key],
            Self::Rename { key, to } => vec![key, to],
            Self::Totals { key, of } => vec![key, of],
            Self::Combine { one, other, to, .. } => vec![one, other, to],
            Self::Nest { keys, to } => keys.iter_mut().chain([to]).collect(),
        }
    }

    /// The data after the operation; `Err` if it does not fit them.
    pub fn apply(&self, data: Data) -> Result<Data, String> {
        records(&data)?;
        let Data::List(items) = data else { unreachable!("it has records") };
        let record = |item| match item {
            Data::Object(record) => record,
            _ => unreachable!("all are records"),
        };
        let mut records: Vec<Record> = items.into_iter().map(record).collect();
        match self {
            Self::KeepAtLeast { key, bound } => {
                records = kept(records, |record| Ok(number(record, key)? >= *bound))?;
            }
            Self::KeepAtMost { key, bound } => {
                records = kept(records, |record| Ok(number(record, key)? <= *bound))?;
            }
            Self::KeepText { key, text: wanted } => {
                records = kept(records, |record| Ok(text(record, key)? == wanted))?;
            }
            Self::KeepFlag { key, flag } => {
                records = kept(records, |record| Ok(*get(record, key)? == Data::Flag(*flag)))?;
            }
            Self::Sort { key, descending } => {
                // All numbers or all texts.
                let numbers = records.iter().all(|record| number(record, key).is_ok());
                for record in &records {
                    if !numbers {
                        text(record, key)?;
                    }
                }
                if *descending {
                    records.sort_by(|one, other| other[key].cmp(&one[key]));
                } else {
                    records.sort_by(|one, other| one[key].cmp(&other[key]));
                }
            }
            Self::Group { key } => {
                let mut groups: BTreeMap<String, Vec<Data>> = BTreeMap::new();
                for mut record in records {
                    let name = text(&record, key)?.to_owned();
                    record.remove(key);
                    groups.entry(name).or_default().push(Data::Object(record));
                }
                let groups = groups.into_iter().map(|(name, group)| (name, Data::List(group)));
                return Ok(Data::Object(groups.collect()));
            }
            Self::Index { key } => {
                let mut index = Record::new();
                for mut record in records {
                    let name = text(&record, key)?.to_owned();
                    record.remove(key);
                    insert_new(&mut index, &name, Data::Object(record))?;
                }
                return Ok(Data::Object(index));
            }
            Self::Totals { key, of } => {
                let mut totals: BTreeMap<String, i64> = BTreeMap::new();
                for record in &records {
                    *totals.entry(text(record, key)?.to_owned()).or_default() += number(record, of)?;
                }
                let total = |(name, total)| Ok((name, bounded(total)?));
                return totals.into_iter().map(total).collect::<Result<Record, String>>().map(Data::Object);
            }
            _ => records.iter_mut().try_for_each(|record| self.change(record))?,
        }
        Ok(Data::List(records.into_iter().map(Data::Object).collect()))
    }

    /// Applies an operation that treats records one by one.
    fn change(&self, record: &mut Record) -> Result<(), String> {
        match self {
            Self::Rename { key, to } => {
                let value = get(record, key)?.clone();
                record.remove(key);
                insert_new(record, to, value)
            }
            Self::Remove { key } => {
                get(record, key)?;
                record.remove(key);
                Ok(())
            }
            Self::Add { key, amount } => {
                let sum = bounded(number(record, key)? + amount)?;
                record.insert(key.clone(), sum);
                Ok(())
            }
            Self::Combine { one, by, other, to } => {
                let (one, other) = (number(record, one)?, number(record, other)?);
                let value = match by {
                    Arithmetic::Plus => one + other,
                    Arithmetic::Minus => one - other,
                    Arithmetic::Times => one * other,
                };
                insert_new(record, to, bounded(value)?)
            }
            Self::Capitals { key } => {
                let capitals = text(record, key)?.to_ascii_uppercase();
                record.insert(key.clone(), Data::Text(capitals));
                Ok(())
            }
            Self::Nest { keys, to } => {
                let mut inside = Record::new();
                for key in keys {
                    insert_new(&mut inside, key, get(record, key)?.clone())?;
                    record.remove(key);
                }
                insert_new(record, to, Data::Object(inside))
            }
            Self::Lift { key } => {
                let Data::Object(inside) = get(record, key)?.clone() else {
                    return Err(format!("`operations` treat `{key}` as an object, but it is not"));
                };
                record.remove(key);
                inside.into_iter().try_for_each(|(key, value)| insert_new(record, &key, value))
            }
            Self::Length { key } => {
                let count = list(record, key)?.len() as i64;
                record.insert(key.clone(), Data::Number(count));
                Ok(())
            }
            Self::Sum { key } => {
                let mut sum = 0;
                for item in list(record, key)? {
                    let Data::Number(item) = item else {
                        return Err(format!(
                            "`operations` add up `{key}`, but not all of its items are numbers"
                        ));
                    };
                    sum += item;
                }
                record.insert(key.clone(), bounded(sum)?);
                Ok(())
            }
            Self::Reverse { key } => {
                let back = list(record, key)?.iter().rev().cloned().collect();
                record.insert(key.clone(), Data::List(back));
                Ok(())
            }
            _ => unreachable!("the others look at all records"),
        }
    }

    /// The operation as a sentence of the prompt.
    pub fn sentence(&self) -> String {
        match self {
            Self::KeepAtLeast { key, bound } => {
                format!("Keep only the records whose \"{key}\" is at least {bound}.")
            }
            Self::KeepAtMost { key, bound } => {
                format!("Keep only the records whose \"{key}\" is at most {bound}.")
            }
            Self::KeepText { key, text } => format!("Keep only the records whose \"{key}\" is \"{text}\"."),
            Self::KeepFlag { key, flag } => format!("Keep only the records whose \"{key}\" is {flag}."),
            Self::Sort { key, descending } => {
                let order = if *descending { "descending" } else { "ascending" };
                format!(
                    "Sort the records by \"{key}\" in {order} order (strings alphabetically); records with the same value stay in \
                     their current order."
                )
            }
            Self::Rename { key, to } => format!("Rename the key \"{key}\" to \"{to}\" in every record."),
            Self::Remove { key } => format!("Remove the key \"{key}\" from every record."),
            Self::Add { key, amount } if *amount < 0 => format!("Subtract {} from every \"{key}\".", -amount),
            Self::Add { key, amount } => format!("Add {amount} to every \"{key}\"."),
            Self::Combine { one, by, other, to } => {
                let by = match by {
                    Arithmetic::Plus => "plus",
                    Arithmetic::Minus => "minus",
                    Arithmetic::Times => "times",
                };
                format!(
                    "Add a new key \"{to}\" to every record, with the value of \"{one}\" {by} the value of \"{other}\"."
                )
            }
            Self::Capitals { key } => format!("Convert every \"{key}\" to uppercase."),
            Self::Nest { keys, to } => {
                let keys: Vec<String> = keys.iter().map(|key| format!("\"{key}\"")).collect();
                format!(
                    "In every record, move {} with their values into an object, and put this object under the new key \"{to}\".",
                    keys.join(" and ")
                )
            }
            Self::Lift { key } => {
                format!(
                    "In every record, remove \"{key}\" and move the keys and values inside it directly into the record."
                )
            }
            Self::Length { key } => format!("Replace every \"{key}\" with the number of its items."),
            Self::Sum { key } => format!("Replace every \"{key}\" with the sum of its items."),
            Self::Reverse { key } => format!("Reverse the order of the items in every \"{key}\"."),
            Self::Group { key } => format!(
                "Replace the list with an object that has a key for each value of \"{key}\"; under it is the list of the records \
                 with that value, in their current order and without \"{key}\"."
            ),
            Self::Index { key } => format!(
                "Replace the list with an object that has a key for each value of \"{key}\"; under it is the record with that \
                 value, without \"{key}\"."
            ),
            Self::Totals { key, of } => format!(
                "Replace the list with an object that has a key for each value of \"{key}\"; under it is the sum of \"{of}\" over \
                 the records with that value."
            ),
        }
    }

    /// An operation that may fit these records, all of one shape; a `last` one turns the list into an object.
    pub fn draw(records: &[&Record], last: bool, rng: &mut Rng) -> Option<Self> {
        let first = records.first()?;
        let of = |shape: &str| -> Vec<&String> {
            let fits =
                |(_, value): &(&String, &Data)| value.shape().is_some_and(|found| found.starts_with(shape));
            first.iter().filter(fits).map(|(key, _)| key).collect()
        };
        let (numbers, texts, flags, lists) = (of("n"), of("t"), of("f"), of("["));
        let (sums, objects, all) = (of("[n"), of("{"), first.keys().collect::<Vec<_>>());
        let one = |keys: &[&String], rng: &mut Rng| (!keys.is_empty()).then(|| (*rng.pick(keys)).clone());
        let free: Vec<&str> = NEW_KEYS.into_iter().filter(|key| !first.contains_key(*key)).collect();
        let to = (*rng.pick(&free)).to_owned();
        let sample = rng.pick(records);
        if last {
            return Some(match rng.below(3) {
                0 => Self::Group { key: one(&texts, rng)? },
                1 => Self::Index { key: one(&texts, rng)? },
                _ => Self::Totals { key: one(&texts, rng)?, of: one(&numbers, rng)? },
            });
        }
        Some(match rng.below(17) {
            0 | 1 => {
                let key = one(&numbers, rng)?;
                let bound = number(sample, &key).ok()?;
                if rng.chance(1, 2) {
                    Self::KeepAtLeast { key, bound }
                } else {
                    Self::KeepAtMost { key, bound }
                }
            }
            2 => {
                let key = one(&texts, rng)?;
                let text = text(sample, &key).ok()?.to_owned();
                Self::KeepText { key, text }
            }
            3 => Self::KeepFlag { key: one(&flags, rng)?, flag: rng.chance(1, 2) },
            4 | 5 => {
                let keys: Vec<&String> = numbers.into_iter().chain(texts).collect();
                Self::Sort { key: one(&keys, rng)?, descending: rng.chance(1, 2) }
            }
            6 => Self::Rename { key: one(&all, rng)?, to },
            7 => Self::Remove { key: one(&all, rng)? },
            8 => {
                let amount = rng.int(2, 20) * if rng.chance(1, 2) { 1 } else { -1 };
                Self::Add { key: one(&numbers, rng)?, amount }
            }
            9 | 10 => {
                let (one, other) = (one(&numbers, rng)?, one(&numbers, rng)?);
                let by = *rng.pick(&[Arithmetic::Plus, Arithmetic::Minus, Arithmetic::Times]);
                (one != other).then_some(Self::Combine { one, by, other, to })?
            }
            11 => Self::Capitals { key: one(&texts, rng)? },
            12 => {
                let (one, other) = (one(&all, rng)?, one(&all, rng)?);
                (one != other).then_some(Self::Nest { keys: vec![one, other], to })?
            }
            13 => Self::Lift { key: one(&objects, rng)? },
            14 => Self::Length { key: one(&lists, rng)? },
            15 => Self::Sum { key: one(&sums, rng)? },
            _ => Self::Reverse { key: one(&lists, rng)? },
        })
    }
}

fn kept(records: Vec<Record>, keep: impl Fn(&Record) -> Result<bool, String>) -> Result<Vec<Record>, String> {
    let mut kept = Vec::new();
    for record in records {
        if keep(&record)? {
            kept.push(record);
        }
    }
    Ok(kept)
}
