//! Reads JSON into types, with errors that name the field. The field is found in the text after a failure, so
//! no second reader is compiled for each type.

use std::fmt;

use serde::de::DeserializeOwned;

use crate::error::shortened;

/// Reason why JSON is not a value of a type.
#[derive(Debug)]
pub struct Unread {
    /// The field, such as `rows[3].cells`; empty for the whole value.
    path: String,
    /// The message without the position in the text.
    message: String,
    line: usize,
    column: usize,
}

impl Unread {
    /// The same reason, about the value of a field.
    #[must_use]
    pub fn inside(mut self, field: &str) -> Self {
        let joint = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{field}{joint}{}", self.path);
        self
    }

    /// The fault and its field, for an object that was not written as text.
    pub fn about_field(self) -> String {
        let Self { path, message, .. } = self;
        format!("`{}`: {message}", if path.is_empty() { "." } else { &path })
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, message, line, column } = self;
        if !path.is_empty() {
            write!(f, "`{path}`: ")?;
        }
        write!(f, "{message} at line {line} column {column}")
    }
}

/// Reads a whole text.
pub fn read<T: DeserializeOwned>(json: &str) -> Result<T, Unread> {
    serde_json::from_str(json).map_err(|error| unread(json, &error))
}

fn unread(json: &str, error: &serde_json::Error) -> Unread {
    let (line, column) = (error.line(), error.column());
    let shown = error.to_string();
    let message = shown.strip_suffix(&format!(" at line {line} column {column}")).unwrap_or(&shown);
    let before: usize = json.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut path = path(&json.as_bytes()[..json.len().min(before + column)]);
    // These faults are found at the next field or entry but concern the whole value.
    if ["duplicate field", "trailing characters"].iter().any(|fault| message.starts_with(fault)) {
        path.pop();
    }
    let path = path.iter().enumerate().fold(String::new(), |all, (at, segment)| match segment {
        Segment::Entry(index) => format!("{all}[{index}]"),
        Segment::Field(name) => format!("{all}{}{name}", if at > 0 { "." } else { "" }),
    });
    // Both may quote the JSON, which may be long.
    Unread { path: shortened(&path), message: shortened(message), line, column }
}

enum Segment {
    Entry(usize),
    Field(String),
}

/// Path of the field or entry in which a reader stops after `read`.
fn path(read: &[u8]) -> Vec<Segment> {
    let mut open: Vec<Option<Segment>> = Vec::new();
    let mut at = 0;
    while at < read.len() {
        match (read[at], open.last_mut()) {
            (b'{', _) => open.push(None),
            (b'[', _) => open.push(Some(Segment::Entry(0))),
            (b'}' | b']', _) => drop(open.pop()),
            (b',', Some(Some(Segment::Entry(index)))) => *index += 1,
            (b',', Some(field)) => *field = None,
            (b'"', inside) => {
                let text = string(&read[at..]);
                if let Some(field @ None) = inside {
                    *field = serde_json::from_slice(text).ok().map(Segment::Field);
                }
                at += text.len() - 1;
            }
            _ => {}
        }
        at += 1;
    }
    open.into_iter().flatten().collect()
}

/// The string that a text starts with, its quotes included.
fn string(text: &[u8]) -> &[u8] {
    let mut escaped = false;
    let end = text.iter().skip(1).position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text, |end| &text[..end + 2])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Row {
        name: String,
        cells: [u8; 2],
        kind: Kind,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    enum Kind {
        Plain,
        Pair(Box<Kind>, Option<i8>),
        Map { of: BTreeMap<String, Vec<Row>> },
    }

    /// Path and message from `serde_path_to_error`, which follows the types.
    fn followed(json: &str) -> String {
        let reader = &mut serde_json::Deserializer::from_str(json);
        let error = serde_path_to_error::deserialize::<_, Row>(reader).unwrap_err();
        let (path, message) = (error.path().to_string(), error.inner().to_string());
        if path == "." { message } else { format!("`{path}`: {message}") }
    }

    #[test]
    fn an_error_names_the_field_that_a_reader_of_the_types_would() {
        let cells = [
            "[1,2]",
            "[1]",
            "[]",
            "[1,2,3]",
            "[1,-2]",
            "[ 300 , 2]",
            "[1,\"a\\\"{\"]",
            "[1,[2]]",
            "[[1],2]",
            "{}",
            "null",
            "7",
        ];
        let kinds = [
            "\"Plain\"",
            "\"Round\"",
            "{\"Pair\":[\"Plain\",null]}",
            "{\"Pair\":[\"Plain\",200]}",
            "{\"Pair\":[\"Plain\"]}",
            "{\"Pair\":[{\"Pair\":[\"Plain\",3.5]},1]}",
            "{\"Map\":{}}",
            "{\"Map\":{\"of\":{}}}",
            "{\"Map\":{\"off\":{}}}",
            "{\"Map\":{\"of\":{\"a b\":[]}}}",
            "{\"Map\":{\"of\":{\"x\":[],\"a\\\"b\":[{\"name\":1}]}}}",
            "{\"Map\":{\"of\":{\"x\":[{\"name\":\"]\",\"cells\":[1,2],\"kind\":\"Plain\"},\n{\"name\":\"\"}]}}}",
        ];
        let mut faults = 0;
        for cells in cells {
            for kind in kinds {
                for (fields, name) in [(true, "\"é,\""), (true, "1"), (false, "\"n\"")] {
                    let (more, dropped) =
                        if fields { ("", "") } else { (",\"more\":[1]", ",\"name\":\"n\"") };
                    for json in [
                        format!("{{\"name\":{name},\"cells\":{cells},\n \"kind\":{kind}{more}}}"),
                        format!("{{\"kind\":{kind},\"cells\" : {cells}{dropped}}}"),
                        format!("{{\"name\":{name},\"name\":{name},\"cells\":{cells}}}"),
                    ] {
                        if let Err(error) = read::<Row>(&json) {
                            assert_eq!(error.to_string(), followed(&json), "{json}");
                            faults += 1;
                        }
                    }
                }
            }
        }
        assert!(faults > 900, "{faults}");
    }

    #[test]
    fn broken_json_is_an_error_wherever_it_breaks() {
        let whole = "{\"name\":\"a\\\\\",\"cells\":[1,2],\"kind\":{\"Map\":{\"of\":{\"x\":[]}}}}";
        assert!(read::<Row>(whole).is_ok());
        for end in 0..whole.len() {
            assert!(read::<Row>(&whole[..end]).is_err(), "{end}");
        }
        let long = format!("{{\"{}\":1}}", "é".repeat(9_000));
        assert!(read::<Row>(&long).unwrap_err().to_string().chars().count() < 1_000);
        assert_eq!(
            read::<Row>(&format!("{whole} x")).unwrap_err().to_string(),
            format!("trailing characters at line 1 column {}", whole.len() + 2)
        );
    }
}
