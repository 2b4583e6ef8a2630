//! Finds the answer in a completion: in a tag, in a box, after `####`, on the last line.
//!
//! The table in docs/verifiers.md shows how each way treats each shape.

use memchr::memchr_iter;

use kit::task::answer::marked::{Found, MARKS, Marked, boxes, unboxed, within};
use kit::task::answer::{Reading, Reply, outside_reasoning};
use kit::task::verdict::label;

mod boxed;
mod formula;
mod marks;
mod numbers;
mod pieces;
mod retracted;
mod stated;

pub use formula::{Prose, answer_of_solution};
pub use retracted::takes_back;

/// Place of the answer, outside reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extract {
    /// The first one present of a tag, a box, `####` and "the answer is".
    Auto,
    Tag,
    /// The last mathematical expression, boxes and stated answers first.
    Formula,
    /// In `\boxed{…}` or `\fbox{…}`.
    Boxed,
    /// After `####` at the start of a line.
    Hash,
    LastNumber,
    LastLine,
    Whole,
}

impl Extract {
    pub const ALL: [Self; 8] = [
        Self::Auto,
        Self::Tag,
        Self::Boxed,
        Self::Hash,
        Self::Formula,
        Self::LastNumber,
        Self::LastLine,
        Self::Whole,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Tag => "tag",
            Self::Boxed => "boxed",
            Self::Hash => "hash",
            Self::Formula => "formula",
            Self::LastNumber => "last_number",
            Self::LastLine => "last_line",
            Self::Whole => "whole",
        }
    }

    /// Marks of an answer, for a person.
    pub fn mark(self, tag: Option<&str>) -> String {
        match (self, tag) {
            (Self::Tag, Some(tag)) => format!("the answer tag is <{tag}>"),
            (Self::Auto, Some(tag)) => {
                format!("an answer stands in <{tag}>, in \\boxed{{…}}, behind #### or behind `the answer is`")
            }
            (Self::Auto | Self::Tag, _) => {
                "an answer stands in \\boxed{…}, behind #### or behind `the answer is`".into()
            }
            (Self::Boxed, _) => "the answer stands in \\boxed{…}".into(),
            (Self::Hash, _) => "the answer stands behind #### at the start of a line".into(),
            (Self::Formula, _) => "the answer is boxed, stated or the last mathematical expression".into(),
            (Self::LastNumber, _) => "the answer is the last number".into(),
            (Self::LastLine, _) => "the answer is the last line".into(),
            (Self::Whole, _) => "the answer is the whole completion".into(),
        }
    }

    /// Reads a completion without its end marks. The answer in a tag is read by `tagged`. In `prose`,
    /// [`Extract::Auto`] falls back to [`Extract::Formula`], and is the same under the lenient reading unless
    /// there is a tag.
    pub fn read<'a>(
        self,
        text: &'a str,
        reading: Reading,
        prose: bool,
        tagged: impl FnOnce(&'a str) -> Option<Reply<'a>>,
    ) -> Prose<'a> {
        let found = match self {
            Self::Whole => unreachable!("the verifier itself reads whole completions"),
            Self::Tag => return tagged(text).expect("a verifier that reads a tag has one").into(),
            Self::Auto if prose => {
                let text = formula::without_remark(text);
                let tagged = tagged(text).filter(|reply| !reply.faults.contains(&label::NO_ANSWER));
                if tagged.is_none() && reading == Reading::Lenient {
                    return formula::answer(text, reading);
                }
                let in_tag = tagged.is_some();
                let marked = auto(text, reading, tagged, true);
                return if marked.faults == [label::NO_ANSWER] {
                    formula::answer(text, reading)
                } else {
                    formula::with_statements(marked, text, in_tag)
                };
            }
            Self::Auto => return auto(text, reading, tagged(text), false).into(),
            Self::Formula => {
                let mut prose = formula::answer(text, reading);
                prose.also.extend(tagged(text).and_then(|reply| reply.answer).map(unboxed));
                return prose;
            }
            Self::Boxed => {
                let found = boxes(text);
                let part = marks::holds_parts(text, &found.all);
                let mut reply = found.reply(text, reading);
                reply.faults.extend(part.then_some(label::MALFORMED_ANSWER));
                return reply.into();
            }
            Self::Hash => hashes(text),
            Self::LastNumber => numbers::last(text),
            Self::LastLine => last_line(text),
        };
        // Whatever follows the last number or line, it is still the last.
        let ends = matches!(self, Self::LastNumber | Self::LastLine) && reading != Reading::Clean;
        found.reply(text, if ends { Reading::Lenient } else { reading }).into()
    }
}

/// The first one present of a tag, boxes, `####` and "the answer is". A box, a `####` or, outside of `prose`,
/// a statement with a different answer next to it is a hedge.
fn auto<'a>(text: &'a str, reading: Reading, tagged: Option<Reply<'a>>, prose: bool) -> Reply<'a> {
    let (boxes, hashes) = (boxes(text), hashes(text));
    let mut others = marks::inline_hashes(text);
    let mut is_stated = false;
    let mut reply = match tagged.filter(|reply| !reply.faults.contains(&label::NO_ANSWER)) {
        Some(reply) => {
            let span = reply.span().unwrap_or_default();
            let marked = boxes.all.iter().chain(&hashes.all);
            others.extend(
                marked.filter(|marked| !marks::agree_around(text, &span, marked)).map(|marked| marked.answer),
            );
            Reply { answer: reply.answer.map(unboxed), ..reply }
        }
        None if boxes.is_there() => {
            others.extend(hashes.all.iter().map(|marked| marked.answer));
            let part = marks::holds_parts(text, &boxes.all);
            let mut reply = boxes.reply(text, reading);
            reply.faults.extend(part.then_some(label::MALFORMED_ANSWER));
            reply
        }
        None if hashes.is_there() => hashes.reply(text, reading),
        None => {
            is_stated = true;
            stated::answers(text, reading).reply(text, reading)
        }
    };
    let stated = if prose || is_stated { Vec::new() } else { stated::answers(text, Reading::Lenient).all };
    let differs = |answer: &str| {
        others.iter().any(|other| answer != *other)
            || stated.iter().any(|other| marks::differ(answer, other.answer))
    };
    if reply.answer.is_some_and(differs) && !reply.faults.contains(&label::HEDGED) {
        reply.faults.push(label::HEDGED);
    }
    reply
}

/// The lines that start with `####`.
fn hashes(text: &str) -> Found<'_> {
    let (parts, cut) = outside_reasoning(text);
    let mut found = Found { cut, ..Found::default() };
    for part in parts {
        let mut start = part.start;
        for line in text[part].split_inclusive('\n') {
            let outer = start..start + line.len();
            start = outer.end;
            let answer = line.trim().strip_prefix("####").filter(|rest| !rest.starts_with('#'));
            if let Some(answer) = answer {
                found.all.push(Marked { answer: undressed(answer), outer });
            }
        }
    }
    found
}

fn last_line(text: &str) -> Found<'_> {
    let (parts, cut) = outside_reasoning(text);
    let line = parts.into_iter().rev().find_map(|part| {
        let kept = text[part.clone()].trim_end();
        let last = kept.rsplit('\n').next().unwrap_or_default();
        let outer = part.start + kept.len() - last.len()..part.start + kept.len();
        (!last.is_empty()).then(|| Marked { answer: last.trim(), outer })
    });
    Found { all: line.into_iter().collect(), cut, hedged: false }
}

/// The answer without a box and without the marks of bold text, code or mathematics around all of it.
fn undressed(text: &str) -> &str {
    let mut text = text.trim();
    for marks in MARKS {
        text = within(text, marks).unwrap_or(text);
    }
    unboxed(text)
}

/// Start positions of a word in a text, in any case of ASCII letters.
fn places<'t>(text: &'t [u8], word: &'static [u8]) -> impl Iterator<Item = usize> + 't {
    let (lower, upper) = (word[0].to_ascii_lowercase(), word[0].to_ascii_uppercase());
    let starts = memchr::memchr2_iter(lower, upper, text);
    starts.filter(|&at| text[at..].get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word)))
}

/// Number of line feeds in a text.
fn lines(text: &str) -> usize {
    memchr_iter(b'\n', text.as_bytes()).count()
}

#[cfg(test)]
mod tests;
