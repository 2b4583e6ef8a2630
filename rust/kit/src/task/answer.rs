//! Reading answers out of model text: one scanner, three named readings, linear time.
//!
//! The table in docs/verifier-safety.md shows how each reading treats each shape.

use std::ops::Range;

use memchr::{memchr_iter, memmem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{Error, quoted, unknown};
use crate::task::verdict::{Failure, label};

pub mod marked;
pub mod reasoning;

use reasoning::Mark;
pub use reasoning::{outside_reasoning, without_reasoning};

/// Largest size of an answer in bytes.
pub const LONGEST_ANSWER: usize = 64 * 1024;

/// Marks that chat templates write at the end of a turn. At the end of a completion each counts as white
/// space.
pub const END_MARKS: [&str; 21] = [
    "</s>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|eot|>",
    "<|end_of_text|>",
    "<|end|>",
    "<|return|>",
    "<|eos|>",
    "<|end_of_turn|>",
    "<|endofturn|>",
    "[|endofturn|]",
    "<|END_OF_TURN_TOKEN|>",
    "<end_of_turn>",
    "<eos>",
    "<pad>",
    "<｜end▁of▁sentence｜>",
    "<|end▁of▁sentence|>",
    "<|end_of_solution|>",
    "<|END_RESPONSE|>",
];

/// Way to read an answer out of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// The whole completion, apart from outer white space, is one complete tag without a fence in it.
    Clean,
    /// Outside reasoning, the complete tag appears exactly once, followed only by white space.
    Strict,
    /// Reasoning is dropped, complete tags that agree count as one, fences around the answer are trimmed.
    Lenient,
}

impl Reading {
    pub const ALL: [Self; 3] = [Self::Clean, Self::Strict, Self::Lenient];

    pub fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Strict => "strict",
            Self::Lenient => "lenient",
        }
    }

    pub fn find(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|reading| reading.name() == name)
            .ok_or_else(|| unknown("reading", name, &Self::ALL.map(Self::name)))
    }
}

/// End-of-turn marks of a particular model, besides [`END_MARKS`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StopTokens(Vec<String>);

impl StopTokens {
    /// [`END_MARKS`] alone.
    pub const NONE: Self = Self(Vec::new());

    /// Tokens of white space alone are dropped: white space at the end never counts. The error names the
    /// token at fault.
    pub fn new(tokens: &[String]) -> Result<Self, String> {
        if let Some(at) = tokens.iter().position(String::is_empty) {
            return Err(format!("`stop_tokens[{at}]` is empty, but must be a mark like \"<|im_end|>\""));
        }
        let mut tokens: Vec<_> = tokens.iter().map(|token| token.trim_end().to_owned()).collect();
        tokens.retain(|token| !token.is_empty());
        // The longest match is removed, so that a token may end in another one.
        tokens.sort_by_key(|token| std::cmp::Reverse(token.len()));
        Ok(Self(tokens))
    }

    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// Reads the answer in `<tag>…</tag>` out of `text`, which may end in these marks.
    pub fn read<'a>(&self, text: &'a str, tag: &str, reading: Reading) -> Reply<'a> {
        read_ended(self.strip(text, Some(tag)), tag, reading)
    }

    /// The text before the end marks: these tokens and, if the answer is in a `tag`, [`END_MARKS`]; in any
    /// number, with white space between them. A text without any is returned whole.
    pub fn strip<'a>(&self, text: &'a str, tag: Option<&str>) -> &'a str {
        // Most completions end with the answer's closing tag, which stays whatever the marks are.
        if tag.is_some_and(|tag| closes(text.trim_end(), tag)) {
            return text;
        }
        let kept = self.strip_marks(text, tag.is_some());
        let Some(tag) = tag.filter(|_| kept.len() < text.len()) else {
            return kept;
        };
        // A closing tag stays, even one that looks like a mark: `</s>` closes `<s>`.
        let closing = format!("</{tag}>");
        let closed = memmem::rfind(text.as_bytes(), closing.as_bytes()).map_or(0, |at| at + closing.len());
        &text[..kept.len().max(closed)]
    }

    /// The text before these tokens at its end and, with `common`, [`END_MARKS`].
    pub fn strip_marks<'a>(&self, text: &'a str, common: bool) -> &'a str {
        let common = if common { END_MARKS.as_slice() } else { &[] };
        let mut kept = text;
        loop {
            let end = kept.trim_end();
            let own = self.0.iter().find_map(|token| end.strip_suffix(token.as_str()));
            match own.or_else(|| common.iter().find_map(|mark| end.strip_suffix(mark))) {
                Some(before) => kept = before,
                None => return kept,
            }
        }
    }
}

/// True if a text ends with `</tag>`.
fn closes(text: &str, tag: &str) -> bool {
    let before = text.strip_suffix('>').and_then(|text| text.strip_suffix(tag));
    before.is_some_and(|before| before.ends_with("</"))
}

/// A completion under one reading.
#[derive(Debug)]
pub struct Reply<'a> {
    /// The completion, without the end-of-turn marks at its end.
    pub text: &'a str,
    /// The answer, trimmed. It may be present despite faults, so that a verifier can still say what is wrong
    /// with it.
    pub answer: Option<&'a str>,
    /// Violations of the reading, most telling first. Any fault fails the completion.
    pub faults: Vec<&'static str>,
    /// Under every reading: outside reasoning there is one complete tag and no part of another.
    pub one_tag: bool,
    /// Under every reading: there is a complete tag, and only white space before and after the tags.
    pub alone: bool,
}

impl<'a> Reply<'a> {
    /// The whole of a text as the answer.
    pub fn whole(text: &'a str) -> Self {
        Self { text, answer: Some(text.trim()), faults: Vec::new(), one_tag: true, alone: true }
    }

    /// Byte range of the answer in the completion.
    pub fn span(&self) -> Option<Range<usize>> {
        let answer = self.answer?;
        let start = answer.as_ptr() as usize - self.text.as_ptr() as usize;
        Some(start..start + answer.len())
    }

    /// The place of the text outside the answer: after it, or else before it.
    fn extra(&self) -> Option<String> {
        let (answer, rest) = (self.answer?, self.text[self.span()?.end..].trim_start());
        let closing = rest.strip_prefix("</").and_then(|rest| rest.split_once('>'));
        let (mark, nothing) = match (closing, rest.strip_prefix('}')) {
            (Some((tag, after)), _) => (format!("</{}>", quoted(tag)), after.trim().is_empty()),
            (None, Some(after)) => (format!("\\boxed{{{}}}", quoted(answer)), marked::bare(after)),
            (None, None) => ("the answer".to_owned(), marked::bare(rest)),
        };
        Some(if nothing {
            "text stands before the answer".to_owned()
        } else {
            format!("text follows {mark}")
        })
    }
}

/// Reads the answer in `<tag>…</tag>` out of `text`; see [`StopTokens::read`].
pub fn read<'a>(text: &'a str, tag: &str, reading: Reading) -> Reply<'a> {
    StopTokens::NONE.read(text, tag, reading)
}

/// Reads the answer in `<tag>…</tag>` out of a text that ends here.
fn read_ended<'a>(text: &'a str, tag: &str, reading: Reading) -> Reply<'a> {
    let scan = Scan::new(text, tag);
    let mut faults = Vec::new();
    let mut fault = |condition: bool, label| {
        if condition && !faults.contains(&label) {
            faults.push(label);
        }
    };
    let lenient = reading == Reading::Lenient;
    let blocks = scan.blocks.as_slice();
    let contents = |block: &Block| {
        let inner = text[block.inner.clone()].trim();
        if lenient { unfenced(inner) } else { inner }
    };
    let answer = blocks.last().map(contents);
    let hedged = blocks.iter().rev().skip(1).any(|block| Some(contents(block)) != answer);
    let one_tag = blocks.len() == 1 && !scan.broken;

    fault(!scan.opened, label::NO_ANSWER);
    fault(scan.cut && (blocks.is_empty() || !lenient), label::TRUNCATED);
    fault(hedged, label::HEDGED);
    // A nested or unclosed tag leaves open which answer is meant.
    let allowed = if lenient { !blocks.is_empty() && !scan.broken } else { one_tag };
    fault(!allowed, label::MISSING_OR_BROKEN_TAGS);
    let mut alone = false;
    if let (Some(first), Some(last)) = (blocks.first(), blocks.last()) {
        let blank = |text: &str| text.trim_start().is_empty();
        let follows = !blank(&text[last.outer.end..]);
        alone = !follows && blank(&text[..first.outer.start]);
        match reading {
            Reading::Clean => {
                fault(!alone, label::EXTRA_TEXT_OUTSIDE_TAGS);
                let inner = &text.as_bytes()[last.inner.clone()];
                let fenced = memchr_iter(b'`', inner).any(|at| inner[at..].starts_with(b"```"));
                fault(fenced, label::FENCED);
            }
            Reading::Strict => fault(follows, label::EXTRA_TEXT_OUTSIDE_TAGS),
            Reading::Lenient => {}
        }
    } else if reading == Reading::Clean {
        fault(!text.trim().is_empty(), label::EXTRA_TEXT_OUTSIDE_TAGS);
    }
    fault(answer.is_some_and(|a| a.len() > LONGEST_ANSWER), label::ANSWER_TOO_LONG);
    Reply { text, answer, faults, one_tag, alone }
}

/// Number of complete tags outside reasoning.
pub fn count_tags(text: &str, tag: &str) -> usize {
    Scan::new(text, tag).blocks.len()
}

/// The failure of a completion whose answer cannot be read.
pub fn unread(reply: &Reply<'_>, tag: &str) -> Failure {
    failed_reading(&reply.faults, explain(reply, tag))
}

/// The failure of a completion with these faults.
pub fn failed_reading(faults: &[&'static str], detail: String) -> Failure {
    let (first, rest) = faults.split_first().expect("a completion without an answer has a fault");
    rest.iter().fold(Failure::new(first, detail), |failure, label| failure.also(label))
}

/// Explanation of a reading's faults, for a person.
pub fn explain(reply: &Reply<'_>, tag: &str) -> String {
    format!("{} (the answer tag is <{tag}>)", meanings(reply))
}

/// Meanings of the faults.
pub fn meanings(reply: &Reply<'_>) -> String {
    let means = |fault: &&str| {
        if *fault == label::EXTRA_TEXT_OUTSIDE_TAGS
            && let Some(place) = reply.extra()
        {
            return Some(format!("{place}: this reading allows none; reading=lenient forgives it"));
        }
        let (_, means) = label::COMMON.iter().find(|(name, _)| name == fault)?;
        Some((*means).to_owned())
    };
    let reasons: Vec<_> = reply.faults.iter().filter_map(means).collect();
    reasons.join("; ")
}

/// A complete tag: its full range and the range inside.
#[derive(Debug, PartialEq)]
struct Block {
    outer: Range<usize>,
    inner: Range<usize>,
}

/// The tags outside reasoning.
struct Scan {
    blocks: Vec<Block>,
    /// An answer tag opens somewhere.
    opened: bool,
    /// A tag opens inside another, closes without opening, or never closes.
    broken: bool,
    /// The text ends inside a tag or inside reasoning.
    cut: bool,
}

impl Scan {
    fn new(text: &str, tag: &str) -> Self {
        let empty = || Self { blocks: Vec::new(), opened: false, broken: false, cut: false };
        let mut scan = empty();
        // End and start of the open answer tag.
        let mut open: Option<(usize, usize)> = None;
        let mut reasoning = false;
        for start in reasoning::candidates(text, reasoning::start(text)) {
            match named_at(text, start, tag, false) {
                Some(_) if reasoning => {}
                Some((false, end)) => {
                    scan.broken |= open.is_some();
                    scan.opened = true;
                    open = Some((start, end));
                }
                Some((true, end)) => match open.take() {
                    Some((outer, inner)) => {
                        scan.blocks.push(Block { outer: outer..end, inner: inner..start });
                    }
                    None => scan.broken = true,
                },
                // Inside an answer, reasoning marks are part of the answer.
                None if open.is_some() => {}
                None => match reasoning::mark_at(text, start) {
                    Some((Mark::Open, _)) => reasoning = true,
                    Some((Mark::Close, _)) if reasoning => reasoning = false,
                    // A chat template may have opened the reasoning in the prompt: everything before was
                    // reasoning.
                    Some((Mark::Close | Mark::Answer, _)) => (scan, reasoning) = (empty(), false),
                    Some((Mark::Ignored, _)) | None => {}
                },
            }
        }
        scan.broken |= open.is_some();
        scan.cut = open.is_some() || reasoning;
        scan
    }
}

/// Reads the tag of this name at `start`: true if it closes, and its end.
fn named_at(text: &str, start: usize, name: &str, any_case: bool) -> Option<(bool, usize)> {
    let rest = text.as_bytes()[start..].strip_prefix(b"<")?;
    let (closes, found) = match rest.strip_prefix(b"/") {
        Some(found) => (true, found),
        None => (false, rest),
    };
    let (named, after) = found.split_at_checked(name.len())?;
    let same = if any_case { named.eq_ignore_ascii_case(name.as_bytes()) } else { named == name.as_bytes() };
    (same && after.starts_with(b">")).then_some((closes, start + 1 + usize::from(closes) + name.len() + 1))
}

/// The text inside one code fence around all of it, if there is one.
pub fn unfenced(text: &str) -> &str {
    let Some(opened) = text.strip_prefix("```") else {
        return text;
    };
    let Some(body) = opened.strip_suffix("```") else {
        return text;
    };
    // The first line of a fence may name a language.
    let inside = match body.split_once('\n') {
        Some((language, rest)) if !language.trim().contains(char::is_whitespace) => rest,
        _ => body,
    };
    if inside.contains("```") { text } else { inside.trim() }
}

/// Reads one integer in digits: an optional sign, then digits, nothing else.
///
/// A minus sign may be `-` or `−`. `None` inside means more digits than an `i64` holds.
pub fn integer(text: &str) -> Result<Option<i64>, String> {
    let refuse = || format!("`{}` is not one integer in digits", quoted(text));
    let (negative, digits) = match text.strip_prefix(['-', '−']) {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(refuse());
    }
    let significant = digits.trim_start_matches('0');
    if significant.len() > 18 {
        return Ok(None);
    }
    let magnitude = significant.bytes().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    Ok(Some(if negative { -magnitude } else { magnitude }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of docs/verifier-safety.md: shape, then the outcome under clean, strict and lenient.
    const SHAPES: [(&str, [&str; 3]); 45] = [
        ("<answer>7</answer>", ["7", "7", "7"]),
        (" \n<answer> 7 \n</answer>\n", ["7", "7", "7"]),
        ("So it is <answer>7</answer>", ["extra_text_outside_tags", "7", "7"]),
        ("<answer>7</answer>.", ["extra_text_outside_tags", "extra_text_outside_tags", "7"]),
        ("<think>3+4</think><answer>7</answer>", ["extra_text_outside_tags", "7", "7"]),
        ("3+4</think><answer>7</answer>", ["extra_text_outside_tags", "7", "7"]),
        ("<think><answer>7</answer></think>", ["no_answer", "no_answer", "no_answer"]),
        ("<think><answer>6</answer></think><answer>7</answer>", ["extra_text_outside_tags", "7", "7"]),
        ("<answer>6</answer></think><answer>7</answer>", ["extra_text_outside_tags", "7", "7"]),
        ("<think>3+4 <answer>7</answer>", ["no_answer", "no_answer", "no_answer"]),
        ("[THINK]3+4[/THINK]<answer>7</answer>", ["extra_text_outside_tags", "7", "7"]),
        (
            "<|channel|>analysis<|message|><answer>6</answer><|end|><|start|>assistant<|channel|>final<|message|><answer>7</answer>",
            ["extra_text_outside_tags", "7", "7"],
        ),
        ("<|begin_of_thought|><answer>7</answer><|end_of_thought|>", ["no_answer", "no_answer", "no_answer"]),
        ("<answer>7</answer><think>ok</think>", ["extra_text_outside_tags", "extra_text_outside_tags", "7"]),
        ("<answer>7</answer> <answer>7</answer>", ["missing_or_broken_tags", "missing_or_broken_tags", "7"]),
        ("<answer>7</answer> <answer>8</answer>", ["hedged", "hedged", "hedged"]),
        ("<answer><answer>7</answer></answer>", ["missing_or_broken_tags"; 3]),
        ("<answer>8<answer>7</answer></answer>", ["missing_or_broken_tags"; 3]),
        ("<answer>7<answer>8</answer></answer>", ["missing_or_broken_tags"; 3]),
        ("<answer>7 <answer>7</answer>", ["missing_or_broken_tags"; 3]),
        ("<answer>8 <answer>7</answer>", ["missing_or_broken_tags"; 3]),
        ("<answer>7</answer> <answer>8", ["truncated", "truncated", "missing_or_broken_tags"]),
        ("<answer>7</answer> 8</answer>", ["missing_or_broken_tags"; 3]),
        ("<answer>8</answer> <answer>7 <answer>8</answer>", ["missing_or_broken_tags"; 3]),
        ("<answer>7", ["truncated", "truncated", "truncated"]),
        ("7</answer>", ["no_answer", "no_answer", "no_answer"]),
        ("7", ["no_answer", "no_answer", "no_answer"]),
        ("", ["no_answer", "no_answer", "no_answer"]),
        ("<answer></answer>", ["", "", ""]),
        ("<answer>```\n7\n```</answer>", ["fenced", "```\n7\n```", "7"]),
        ("```\n<answer>7</answer>\n```", ["extra_text_outside_tags", "extra_text_outside_tags", "7"]),
        ("<ANSWER>7</ANSWER>", ["no_answer", "no_answer", "no_answer"]),
        ("<answer >7</answer >", ["no_answer", "no_answer", "no_answer"]),
        ("\\boxed{7}", ["no_answer", "no_answer", "no_answer"]),
        ("<answer>6<think>no</think>7</answer>", ["6<think>no</think>7"; 3]),
        ("<answer>7</answer><|im_end|>", ["7", "7", "7"]),
        ("<answer>7</answer>\n</s> <|eot_id|><|eot_id|>\n", ["7", "7", "7"]),
        ("<answer>7</answer><｜end▁of▁sentence｜>", ["7", "7", "7"]),
        ("So it is <answer>7</answer><end_of_turn>", ["extra_text_outside_tags", "7", "7"]),
        ("<answer>7</answer><|im_end|>Next", ["extra_text_outside_tags", "extra_text_outside_tags", "7"]),
        ("<answer>7</answer>.<|im_end|>", ["extra_text_outside_tags", "extra_text_outside_tags", "7"]),
        ("<answer>6</answer><|im_end|><answer>7</answer>", ["hedged", "hedged", "hedged"]),
        ("<answer>7<|im_end|></answer>", ["7<|im_end|>"; 3]),
        ("<answer>7<|im_end|>", ["truncated", "truncated", "truncated"]),
        ("7<|im_end|>", ["no_answer", "no_answer", "no_answer"]),
    ];

    #[test]
    fn every_shape_reads_as_the_table_says() {
        for (text, expected) in SHAPES {
            for (reading, expected) in Reading::ALL.into_iter().zip(expected) {
                let reply = read(text, "answer", reading);
                let seen = match reply.faults.first() {
                    Some(fault) => fault,
                    None => reply.answer.expect("no fault, so an answer"),
                };
                assert_eq!(seen, expected, "{text:?} under {}", reading.name());
            }
        }
    }

    #[test]
    fn the_docs_show_every_shape() {
        let docs = include_str!("../../../../docs/verifier-safety.md");
        // In a table even code must escape its bars.
        let shown = |text: &str| match text.replace('\n', "\\n").replace('|', "\\|") {
            text if text.is_empty() => "(empty)".to_owned(),
            text if text.contains('`') => format!("`` {text} ``"),
            text => format!("`{text}`"),
        };
        for (text, [clean, strict, lenient]) in SHAPES {
            let cells = [text, clean, strict, lenient].map(shown);
            let row = format!("| {} |", cells.join(" | "));
            assert!(docs.contains(&row), "docs/verifier-safety.md lacks the row\n{row}");
        }
    }

    #[test]
    fn a_span_points_at_the_answer() {
        let reply = read("é <answer> 7 </answer>", "answer", Reading::Strict);
        assert_eq!(&reply.text[reply.span().unwrap()], "7");
    }

    #[test]
    fn every_end_mark_counts_as_white_space_under_every_reading() {
        for mark in END_MARKS {
            for reading in Reading::ALL {
                for text in [
                    format!("<answer>7</answer>{mark}"),
                    format!("<answer>7</answer>\n{mark}{mark} \n{}\n", END_MARKS.concat()),
                ] {
                    let reply = read(&text, "answer", reading);
                    assert_eq!(
                        (reply.answer, reply.faults.len()),
                        (Some("7"), 0),
                        "{text} {}",
                        reading.name()
                    );
                    assert_eq!(reply.span(), Some(8..9));
                }
                for text in [
                    format!("<answer>6</answer>{mark}<answer>7</answer>"),
                    format!("<answer>6</answer>{mark}<answer>7</answer>{mark}"),
                    format!("<answer>7{mark}"),
                    format!("7{mark}"),
                    mark.to_owned(),
                ] {
                    assert!(!read(&text, "answer", reading).faults.is_empty(), "{text} {}", reading.name());
                }
            }
        }
    }

    #[test]
    fn stop_tokens_are_taken_off_the_end_alone() {
        let own =
            |tokens: &[&str]| StopTokens::new(&tokens.iter().map(ToString::to_string).collect::<Vec<_>>());
        let tokens = own(&["END", "THE END", "###"]).unwrap();
        for (text, tag, kept) in [
            ("<a>1</a> ### END\n", Some("a"), "<a>1</a>"),
            ("<a>1</a>### </s>THE END</s>", Some("a"), "<a>1</a>"),
            ("<a>1</a>THE END", Some("a"), "<a>1</a>"),
            ("<a>###</a> ", Some("a"), "<a>###</a> "),
            ("### <a>1</a>", Some("a"), "### <a>1</a>"),
            // Untagged text loses only the named tokens.
            ("7 ###", None, "7"),
            ("7</s>", None, "7</s>"),
            ("7</s>###", None, "7</s>"),
        ] {
            assert_eq!(tokens.strip(text, tag).trim_end(), kept.trim_end(), "{text}");
        }
        // The closing tag stays, whatever it looks like and even if it is listed as a stop token.
        let closing = own(&["</a>", ">"]).unwrap();
        assert_eq!(closing.strip("<a>1</a>", Some("a")), "<a>1</a>");
        assert_eq!(read("<s>1</s>", "s", Reading::Clean).answer, Some("1"));
        assert_eq!(own(&["\n\n", "x "]), own(&["x"]));
        assert_eq!(
            own(&["x", ""]),
            Err("`stop_tokens[1]` is empty, but must be a mark like \"<|im_end|>\"".into())
        );
    }

    #[test]
    fn a_megabyte_of_marks_is_read_in_linear_time() {
        let text = format!("<answer>7</answer>{}", " </s>".repeat(200_000));
        assert_eq!(read(&text, "answer", Reading::Clean).answer, Some("7"));
        let text = format!("<answer>7</answer>.{}", "</s>".repeat(200_000));
        assert_eq!(read(&text, "answer", Reading::Strict).faults, [label::EXTRA_TEXT_OUTSIDE_TAGS]);
    }

    #[test]
    fn faults_are_told_in_plain_english() {
        let told = |text: &str, reading| explain(&read(text, "answer", reading), "answer");
        assert_eq!(
            told("7", Reading::Strict),
            "there is no answer tag outside the reasoning; the answer tag must be opened and closed exactly \
             once (the answer tag is <answer>)"
        );
        assert_eq!(
            told("<answer>7</answer>.", Reading::Strict),
            "text follows </answer>: this reading allows none; reading=lenient forgives it (the answer tag is <answer>)"
        );
        assert_eq!(
            told("So: <answer>7</answer>", Reading::Clean),
            "text stands before the answer: this reading allows none; reading=lenient forgives it (the answer tag is \
             <answer>)"
        );
    }

    #[test]
    fn answers_beyond_the_cap_fail() {
        let text = format!("<answer>{}</answer>", "7".repeat(LONGEST_ANSWER + 1));
        for reading in Reading::ALL {
            assert_eq!(read(&text, "answer", reading).faults, [label::ANSWER_TOO_LONG]);
        }
    }

    #[test]
    fn integers_are_digits_with_a_sign() {
        for (text, value) in [("7", 7), ("-7", -7), ("−7", -7), ("+7", 7), ("007", 7), ("-0", 0)] {
            assert_eq!(integer(text), Ok(Some(value)), "{text}");
        }
        assert_eq!(integer(&"9".repeat(1000)), Ok(None));
        for text in ["", "-", "--7", "7.0", "1,000", "7 8", "seven", "٧", "7e3", "0x7"] {
            assert!(integer(text).is_err(), "{text}");
        }
    }
}
