//! Where an answer stands in a completion: in a tag, in a box, behind `####`, on the last line.
//!
//! The table in docs/verifiers.md shows what each way makes of each shape.

use std::ops::Range;

use memchr::memchr_iter;

use kit::task::answer::{LONGEST_ANSWER, Reading, Reply, outside_reasoning};
use kit::task::verdict::label;

mod numbers;
mod stated;

/// Where an answer stands. All but [`Extract::Whole`] pass over reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extract {
    /// The first there is of a tag, a box, `####` and "the answer is".
    Auto,
    Tag,
    /// In `\boxed{…}` or `\fbox{…}`.
    Boxed,
    /// Behind `####` at the start of a line.
    Hash,
    LastNumber,
    LastLine,
    Whole,
}

impl Extract {
    pub const ALL: [Self; 7] =
        [Self::Auto, Self::Tag, Self::Boxed, Self::Hash, Self::LastNumber, Self::LastLine, Self::Whole];

    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Tag => "tag",
            Self::Boxed => "boxed",
            Self::Hash => "hash",
            Self::LastNumber => "last_number",
            Self::LastLine => "last_line",
            Self::Whole => "whole",
        }
    }

    /// What an answer is marked with, for a person.
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
            (Self::LastNumber, _) => "the answer is the last number".into(),
            (Self::LastLine, _) => "the answer is the last line".into(),
            (Self::Whole, _) => "the answer is the whole completion".into(),
        }
    }

    /// Reads a completion without its end marks. The answer in a tag is read by `tagged`.
    pub fn read<'a>(
        self,
        text: &'a str,
        reading: Reading,
        tagged: impl FnOnce(&'a str) -> Option<Reply<'a>>,
    ) -> Reply<'a> {
        let found = match self {
            Self::Whole => return Reply::whole(text),
            Self::Tag => return tagged(text).expect("a verifier that reads a tag has one"),
            Self::Auto => return auto(text, reading, tagged(text)),
            Self::Boxed => boxes(text),
            Self::Hash => hashes(text),
            Self::LastNumber => numbers::last(text),
            Self::LastLine => last_line(text),
        };
        // Whatever follows the last number or line, it is the last.
        let ends = matches!(self, Self::LastNumber | Self::LastLine) && reading != Reading::Clean;
        found.reply(text, if ends { Reading::Lenient } else { reading })
    }
}

/// An answer, and where it stands with its mark.
#[derive(Debug)]
struct Marked<'a> {
    answer: &'a str,
    outer: Range<usize>,
}

/// The answers that are marked in one way, in order.
#[derive(Debug, Default)]
struct Found<'a> {
    all: Vec<Marked<'a>>,
    /// The text ends inside a mark or inside reasoning.
    cut: bool,
    hedged: bool,
}

impl<'a> Found<'a> {
    fn is_there(&self) -> bool {
        self.cut || !self.all.is_empty()
    }

    fn reply(self, text: &'a str, reading: Reading) -> Reply<'a> {
        let answer = self.all.last().map(|last| last.answer);
        let mut faults = Vec::new();
        if self.cut {
            faults.push(label::TRUNCATED);
        } else if answer.is_none() {
            faults.push(label::NO_ANSWER);
        }
        if self.hedged || self.all.iter().any(|marked| Some(marked.answer) != answer) {
            faults.push(label::HEDGED);
        }
        let (mut before, mut after) = ("", "");
        if let (Some(first), Some(last)) = (self.all.first(), self.all.last()) {
            (before, after) = (&text[..first.outer.start], &text[last.outer.end..]);
        }
        let bare = |text: &str| text.chars().all(|c| c.is_whitespace() || "$*_.`\\()[]{}".contains(c));
        let alone = bare(before) && bare(after);
        let extra = match reading {
            Reading::Clean => !alone,
            Reading::Strict => !bare(after),
            Reading::Lenient => false,
        };
        if extra {
            faults.push(label::EXTRA_TEXT_OUTSIDE_TAGS);
        }
        if answer.is_some_and(|answer| answer.len() > LONGEST_ANSWER) {
            faults.push(label::ANSWER_TOO_LONG);
        }
        Reply { text, answer, faults, one_tag: self.all.len() == 1, alone }
    }
}

/// The first there is of a tag, boxes, `####` and "the answer is". A box or a `####` with another answer beside
/// it is a hedge.
fn auto<'a>(text: &'a str, reading: Reading, tagged: Option<Reply<'a>>) -> Reply<'a> {
    let (boxes, hashes) = (boxes(text), hashes(text));
    let mut others = Vec::new();
    let mut reply = match tagged.filter(|reply| !reply.faults.contains(&label::NO_ANSWER)) {
        Some(reply) => {
            let span = reply.span().unwrap_or_default();
            let outside = |marked: &Marked| marked.outer.end <= span.start || marked.outer.start >= span.end;
            others.extend(boxes.all.into_iter().chain(hashes.all).filter(outside));
            Reply { answer: reply.answer.map(unwrapped), ..reply }
        }
        None if boxes.is_there() => {
            others = hashes.all;
            boxes.reply(text, reading)
        }
        None if hashes.is_there() => hashes.reply(text, reading),
        None => stated::answers(text, reading).reply(text, reading),
    };
    if others.iter().any(|marked| reply.answer.is_some_and(|answer| answer != marked.answer))
        && !reply.faults.contains(&label::HEDGED)
    {
        reply.faults.push(label::HEDGED);
    }
    reply
}

/// The boxes that stand in no other box. One pass: braces that stay open cost nothing more.
fn boxes(text: &str) -> Found<'_> {
    let (parts, cut) = outside_reasoning(text);
    let mut found = Found { cut, ..Found::default() };
    for part in parts {
        // The braces that are open: of a box, where it starts and where its content does.
        let mut open: Vec<Option<(usize, usize)>> = Vec::new();
        let mut open_boxes = 0;
        let bytes = &text.as_bytes()[..part.end];
        let mut at = part.start;
        while at < bytes.len() {
            match bytes[at] {
                b'\\' => {
                    if let Some(inner) = box_at(bytes, at) {
                        open.push(Some((at, inner)));
                        open_boxes += 1;
                        at = inner;
                        continue;
                    }
                    // `\{` is a brace that is printed.
                    at += 1;
                }
                b'{' => open.push(None),
                b'}' => {
                    if let Some(Some((start, inner))) = open.pop() {
                        open_boxes -= 1;
                        if open_boxes == 0 {
                            let answer = unwrapped(text[inner..at].trim());
                            found.all.push(Marked { answer, outer: start..at + 1 });
                        }
                    }
                }
                _ => {}
            }
            at += 1;
        }
        found.cut |= open_boxes > 0;
    }
    found
}

/// Where the content of the box starts whose backslash is at `at`.
fn box_at(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    let name = [b"\\boxed".as_slice(), b"\\fbox"].into_iter().find(|name| rest.starts_with(name))?;
    let spaces = rest[name.len()..].iter().take(4).take_while(|byte| **byte == b' ').count();
    let brace = name.len() + spaces;
    (rest.get(brace) == Some(&b'{')).then_some(at + brace + 1)
}

/// The text in a box that is all of `text`, and in one within it, and so on.
fn unwrapped(mut text: &str) -> &str {
    // Deeper ones stay: each costs a pass over the rest.
    for _ in 0..3 {
        let Some(inner) = box_at(text.as_bytes(), 0) else { break };
        let mut depth = 1;
        let mut escaped = false;
        let end = text[inner..].bytes().position(|byte| {
            match byte {
                _ if escaped => {}
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            escaped = byte == b'\\' && !escaped;
            depth == 0
        });
        if end.is_none_or(|end| inner + end + 1 != text.len()) {
            break;
        }
        text = text[inner..text.len() - 1].trim();
    }
    text
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

/// An answer without the bold, code or mathematics marks around all of it, and without a box.
fn undressed(text: &str) -> &str {
    let mut text = text.trim();
    for (open, close) in [("**", "**"), ("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"), ("`", "`")]
    {
        let inner = text.strip_prefix(open).and_then(|inner| inner.strip_suffix(close));
        if let Some(inner) = inner.filter(|inner| !inner.contains(open)) {
            text = inner.trim();
        }
    }
    unwrapped(text)
}

/// Where a word starts in a text, in any case of ASCII letters.
fn places<'t>(text: &'t [u8], word: &'static [u8]) -> impl Iterator<Item = usize> + 't {
    let (lower, upper) = (word[0].to_ascii_lowercase(), word[0].to_ascii_uppercase());
    let starts = memchr::memchr2_iter(lower, upper, text);
    starts.filter(|&at| text[at..].get(..word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word)))
}

/// How many line feeds a text has.
fn lines(text: &str) -> usize {
    memchr_iter(b'\n', text.as_bytes()).count()
}

#[cfg(test)]
mod tests;
