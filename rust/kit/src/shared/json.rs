//! JSON values with exact numbers.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::mem;

use memchr::memchr2;

use crate::budget::{Budget, OverBudget};
use crate::error::quoted;
use crate::shared::decimal::Decimal;

/// Deepest nesting of lists and objects; Python's own reader allows about as much.
const DEEPEST: usize = 1_000;

/// A JSON value as in RFC 8259, with exact numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(Decimal),
    Text(Text),
    List(Vec<Json>),
    Object(BTreeMap<Text, Json>),
}

/// UTF-8, extended to escaped surrogates without their other half. JSON allows them, and two that differ must
/// not compare equal.
pub type Text = Vec<u8>;

/// Reason why a text is not a value.
pub enum Unread {
    NotJson(String),
    OverBudget,
}

impl From<OverBudget> for Unread {
    fn from(_: OverBudget) -> Self {
        Self::OverBudget
    }
}

/// A list or an object that is still open.
enum Open {
    List(Vec<Json>),
    /// With the key of the next value.
    Object(BTreeMap<Text, Json>, Text),
}

impl Open {
    fn closed(self) -> Json {
        match self {
            Self::List(list) => Json::List(list),
            Self::Object(object, _) => Json::Object(object),
        }
    }
}

impl Json {
    /// Total, without recursion, and linear in the text except for very long exponents, which spend more.
    pub fn read(text: &str, budget: &mut Budget) -> Result<Self, Unread> {
        budget.spend(text.len() as u64)?;
        let mut reader = Reader { text, at: 0 };
        let mut open: Vec<Open> = Vec::new();
        loop {
            let mut value = match reader.next() {
                Some(b'{' | b'[') if open.len() == DEEPEST => {
                    return Err(reader.refuse(&format!("nested deeper than {DEEPEST} levels")));
                }
                Some(b'{') => {
                    reader.at += 1;
                    if reader.next() != Some(b'}') {
                        open.push(Open::Object(BTreeMap::new(), reader.key()?));
                        continue;
                    }
                    reader.at += 1;
                    Self::Object(BTreeMap::new())
                }
                Some(b'[') => {
                    reader.at += 1;
                    if reader.next() != Some(b']') {
                        open.push(Open::List(Vec::new()));
                        continue;
                    }
                    reader.at += 1;
                    Self::List(Vec::new())
                }
                Some(b'"') => Self::Text(reader.string()?),
                Some(b'-' | b'0'..=b'9') => Self::Number(reader.number(budget)?),
                _ => reader.word()?,
            };
            // The end of a value may also end its container, and the container of that one.
            loop {
                let next = reader.next();
                let Some(around) = open.last_mut() else {
                    return if next.is_none() {
                        Ok(value)
                    } else {
                        Err(reader.refuse("text after the value"))
                    };
                };
                match around {
                    Open::List(list) => list.push(value),
                    Open::Object(object, key) => match object.entry(mem::take(key)) {
                        Entry::Vacant(place) => _ = place.insert(value),
                        Entry::Occupied(twice) => {
                            let key = String::from_utf8_lossy(twice.key());
                            return Err(Unread::NotJson(format!(
                                "the key `{}` is given twice",
                                quoted(&key)
                            )));
                        }
                    },
                }
                match (around, next) {
                    (Open::List(_), Some(b',')) => {
                        reader.at += 1;
                        break;
                    }
                    (Open::Object(_, key), Some(b',')) => {
                        reader.at += 1;
                        *key = reader.key()?;
                        break;
                    }
                    (Open::List(_), Some(b']')) | (Open::Object(..), Some(b'}')) => {
                        reader.at += 1;
                        value = open.pop().expect("something is open").closed();
                    }
                    (Open::List(_), _) => return Err(reader.refuse("expected `,` or `]`")),
                    (Open::Object(..), _) => return Err(reader.refuse("expected `,` or `}`")),
                }
            }
        }
    }
}

impl Json {
    /// Writes the same bytes for equal values and different ones for all others.
    pub fn write_key(&self, key: &mut Vec<u8>, budget: &mut Budget) -> Result<(), OverBudget> {
        let text = |text: &Text, key: &mut Vec<u8>| {
            key.extend(text.len().to_le_bytes());
            key.extend_from_slice(text);
        };
        match self {
            Self::Null => key.push(b'z'),
            Self::Bool(value) => key.push(if *value { b't' } else { b'f' }),
            Self::Number(number) => {
                key.push(b'n');
                text(&number.key(budget)?.into_bytes(), key);
            }
            Self::Text(written) => {
                key.push(b's');
                text(written, key);
            }
            Self::List(items) => {
                key.push(b'[');
                items.iter().try_for_each(|item| item.write_key(key, budget))?;
                key.push(b']');
            }
            Self::Object(fields) => {
                key.push(b'{');
                for (name, field) in fields {
                    text(name, key);
                    field.write_key(key, budget)?;
                }
                key.push(b'}');
            }
        }
        Ok(())
    }
}

struct Reader<'a> {
    text: &'a str,
    /// Offset in bytes.
    at: usize,
}

impl<'a> Reader<'a> {
    fn refuse(&self, why: &str) -> Unread {
        let before = self.text.bytes().take(self.at).filter(|byte| byte & 0xc0 != 0x80);
        Unread::NotJson(format!("{why} at character {}", before.count() + 1))
    }

    fn rest(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    /// The next byte that is not white space.
    fn next(&mut self) -> Option<u8> {
        let space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.at += self.rest().iter().take_while(space).count();
        self.rest().first().copied()
    }

    /// A key and the colon after it.
    fn key(&mut self) -> Result<Text, Unread> {
        if self.next() != Some(b'"') {
            return Err(self.refuse("expected a key in double quotes"));
        }
        let key = self.string()?;
        if self.next() != Some(b':') {
            return Err(self.refuse("expected `:`"));
        }
        self.at += 1;
        Ok(key)
    }

    fn word(&mut self) -> Result<Json, Unread> {
        let words = [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))];
        let found = words.into_iter().find(|(word, _)| self.rest().starts_with(word.as_bytes()));
        let (word, value) = found.ok_or_else(|| self.refuse("expected a value"))?;
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self, budget: &mut Budget) -> Result<Decimal, Unread> {
        let start = self.at;
        self.at += usize::from(self.rest().starts_with(b"-"));
        let whole = self.digits()?;
        if whole > 1 && self.text.as_bytes()[self.at - whole] == b'0' {
            self.at -= whole;
            return Err(self.refuse("a number that starts with 0"));
        }
        if self.rest().starts_with(b".") {
            self.at += 1;
            self.digits()?;
        }
        if let [b'e' | b'E', rest @ ..] = self.rest() {
            self.at += 1 + usize::from(matches!(rest, [b'+' | b'-', ..]));
            self.digits()?;
        }
        let number = Decimal::read(&self.text[start..self.at], budget)?;
        Ok(number.expect("a JSON number is a decimal"))
    }

    /// Skips the digits that come next, at least one, and returns their number.
    fn digits(&mut self) -> Result<usize, Unread> {
        let count = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.refuse("expected a digit"));
        }
        self.at += count;
        Ok(count)
    }

    /// A string whose opening quote comes next.
    fn string(&mut self) -> Result<Text, Unread> {
        self.at += 1;
        let mut read = Text::new();
        loop {
            let rest = self.rest();
            let plain = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
            if let Some(control) = rest[..plain].iter().position(|byte| *byte < b' ') {
                self.at += control;
                return Err(self.refuse("a control character in a string"));
            }
            read.extend_from_slice(&rest[..plain]);
            self.at += plain;
            match rest.get(plain) {
                None => return Err(self.refuse("a string without an end")),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(read);
                }
                Some(_) => self.escape(&mut read)?,
            }
        }
    }

    /// An escape whose backslash comes next.
    fn escape(&mut self, read: &mut Text) -> Result<(), Unread> {
        let plain = match self.rest().get(1) {
            Some(b'u') => return self.unicode(read),
            Some(byte @ (b'"' | b'\\' | b'/')) => *byte,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            _ => return Err(self.refuse("an unknown escape")),
        };
        read.push(plain);
        self.at += 2;
        Ok(())
    }

    /// `\u` and four digits, or two of them for the halves of one character.
    fn unicode(&mut self, read: &mut Text) -> Result<(), Unread> {
        let unit = |rest: &[u8]| {
            let digits = rest.strip_prefix(b"\\u")?.get(..4)?;
            let digit = |byte: &u8| char::from(*byte).to_digit(16);
            digits.iter().try_fold(0, |sum, byte| Some(sum * 16 + digit(byte)?))
        };
        let Some(first) = unit(self.rest()) else {
            return Err(self.refuse("`\\u` without four hexadecimal digits"));
        };
        self.at += 6;
        let second = unit(self.rest()).filter(|low| (0xdc00..0xe000).contains(low));
        let code = match second {
            Some(low) if (0xd800..0xdc00).contains(&first) => {
                self.at += 6;
                0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00)
            }
            _ => first,
        };
        match char::from_u32(code) {
            Some(character) => read.extend(character.encode_utf8(&mut [0; 4]).bytes()),
            None => read.extend(
                [0xe0 | code >> 12, 0x80 | code >> 6 & 0x3f, 0x80 | code & 0x3f].map(|byte| byte as u8),
            ),
        }
        Ok(())
    }
}
