//! Answers in boxes, and the markup that models put around an answer.

use std::ops::Range;

use super::{LONGEST_ANSWER, Reading, Reply, Scan, outside_reasoning, unfenced};
use crate::task::verdict::label;

/// An answer, and its range including the mark.
#[derive(Debug)]
pub struct Marked<'a> {
    pub answer: &'a str,
    pub outer: Range<usize>,
}

/// All answers with one kind of mark, in order.
#[derive(Debug, Default)]
pub struct Found<'a> {
    pub all: Vec<Marked<'a>>,
    /// The text ends inside a mark or inside reasoning.
    pub cut: bool,
    pub hedged: bool,
}

impl<'a> Found<'a> {
    pub fn is_there(&self) -> bool {
        self.cut || !self.all.is_empty()
    }

    pub fn reply(self, text: &'a str, reading: Reading) -> Reply<'a> {
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

/// True for a text of nothing but closing marks: `$.`, `\]`, `\end{align*}`, `\quad\blacksquare`.
pub(super) fn bare(text: &str) -> bool {
    const ENDS: [&str; 9] = [
        "\\end{",
        "\\blacksquare",
        "\\square",
        "\\quad",
        "\\qquad",
        "\\qed",
        "\\QED",
        "\\Box",
        "\\checkmark",
    ];
    let mark = |c: char| c.is_whitespace() || "$*_.`\\()[]{}~".contains(c);
    let mut rest = text;
    while let Some(at) = rest.find(|c| !mark(c) || c == '\\') {
        rest = &rest[at..];
        let end = ENDS.iter().find(|end| rest.starts_with(**end));
        rest = match end {
            Some(&"\\end{") => match rest.split_once('}') {
                Some((name, after))
                    if name[5..].bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'*') =>
                {
                    after
                }
                _ => return false,
            },
            Some(end) if !rest[end.len()..].starts_with(|c: char| c.is_ascii_alphabetic()) => {
                &rest[end.len()..]
            }
            _ if rest.starts_with('\\') => &rest[1..],
            _ => return false,
        };
    }
    true
}

/// The outermost boxes. One pass: unclosed braces cost nothing extra.
pub fn boxes(text: &str) -> Found<'_> {
    let (parts, cut) = outside_reasoning(text);
    let mut found = Found { cut, ..Found::default() };
    for part in parts {
        // The open braces; for a box, where it and its content start.
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
                    if open_boxes == 0
                        && let Some(range) = bare_box(bytes, at)
                    {
                        let outer = at..range.end;
                        at = range.end;
                        found.all.push(Marked { answer: &text[range], outer });
                        continue;
                    }
                    // `\{` is a printed brace.
                    at += 1;
                }
                b'{' => open.push(None),
                b'}' => {
                    if let Some(Some((start, inner))) = open.pop() {
                        open_boxes -= 1;
                        if open_boxes == 0 {
                            // A LaTeX space.
                            let answer = unboxed(
                                text[inner..at].trim_matches(|c: char| c == '~' || c.is_whitespace()),
                            );
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

/// Start of the content of the box whose backslash is at `at`.
fn box_at(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    let name = [b"\\boxed".as_slice(), b"\\fbox"].into_iter().find(|name| rest.starts_with(name))?;
    let spaces = rest[name.len()..].iter().take(4).take_while(|byte| **byte == b' ').count();
    let brace = name.len() + spaces;
    (rest.get(brace) == Some(&b'{')).then_some(at + brace + 1)
}

/// The number in the box `\boxed 12`, whose backslash is at `at`. Anything longer could end anywhere.
fn bare_box(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = &bytes[at..];
    let name = [b"\\boxed".as_slice(), b"\\fbox"].into_iter().find(|name| rest.starts_with(name))?;
    let spaces = rest[name.len()..].iter().take(4).take_while(|byte| **byte == b' ').count();
    let start = name.len() + spaces;
    let sign = usize::from(rest.get(start) == Some(&b'-'));
    let digits =
        |from: usize| rest.iter().skip(from).take(40).take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(start + sign);
    let mut end = start + sign + whole;
    let places = if rest.get(end) == Some(&b'.') { digits(end + 1) } else { 0 };
    end += if places == 0 { 0 } else { places + 1 };
    let goes_on =
        rest.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"{^_\\!/,".contains(byte));
    let closes = [b"\\)".as_slice(), b"\\]"].iter().any(|mark| rest[end..].starts_with(mark));
    let comma = rest.get(end) == Some(&b',') && !rest.get(end + 1).is_some_and(u8::is_ascii_digit);
    (whole > 0 && (!goes_on || closes || comma)).then_some(at + start..at + end)
}

/// The text in a box that is all of `text`, and in boxes nested directly inside it.
pub fn unboxed(mut text: &str) -> &str {
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

/// Marks for bold text, mathematics and code.
pub const MARKS: [(&str, &str); 6] =
    [("**", "**"), ("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"), ("`", "`")];

/// The text between two marks around all of it, if they appear nowhere else.
pub fn within<'a>(text: &'a str, (open, close): (&str, &str)) -> Option<&'a str> {
    let inner = text.strip_prefix(open)?.strip_suffix(close)?;
    (!inner.contains(open) && !inner.contains(close)).then(|| inner.trim())
}

/// The answer without one layer of markup around all of it; `None` if it has none.
pub fn unmarked(answer: &str) -> Option<&str> {
    let marked = MARKS.into_iter().find_map(|marks| within(answer, marks));
    let bare = marked.unwrap_or_else(|| unfenced(unboxed(answer)));
    (bare.len() < answer.len() && !bare.is_empty()).then_some(bare)
}

/// [`unmarked`], also without the full stop of its sentence, inside the markup or after it.
pub fn unended(answer: &str) -> Option<&str> {
    let stopped = |text: &'_ str| text.len() - usize::from(text.ends_with('.'));
    let outer = answer[..stopped(answer)].trim_end();
    let inner = unmarked(outer).unwrap_or(outer);
    let bare = inner[..stopped(inner)].trim_end();
    (bare.len() < answer.len() && !bare.is_empty()).then_some(bare)
}

/// The lenient reading of boxes around a tag, and whether the answer is only in a box. Without a tag, a box
/// marks the answer; next to a tag, a box with a different answer is a hedge.
pub fn or_boxed<'a>(mut tagged: Reply<'a>, tag: &str) -> (Reply<'a>, bool) {
    let found = boxes(tagged.text);
    if !found.is_there() {
        return (tagged, false);
    }
    let scan = Scan::new(tagged.text, tag);
    if !scan.opened && !scan.broken {
        return (found.reply(tagged.text, Reading::Lenient), true);
    }
    let bare = |answer| unended(answer).unwrap_or(answer);
    let outside = |marked: &&Marked| {
        !scan
            .blocks
            .iter()
            .any(|block| block.outer.start < marked.outer.start && marked.outer.end < block.outer.end)
    };
    let other =
        found.all.iter().filter(outside).any(|marked| tagged.answer.map(bare) != Some(bare(marked.answer)));
    let open = found.cut && !scan.cut;
    if (other || open) && !tagged.faults.contains(&label::HEDGED) {
        tagged.faults.push(label::HEDGED);
    }
    (tagged, false)
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    /// The lenient reading of a completion from a model that was not given the form.
    fn lenient(text: &str) -> Result<(&str, bool), &'static str> {
        let (reply, boxed) = or_boxed(read(text, "answer", Reading::Lenient), "answer");
        match reply.faults.first() {
            Some(fault) => Err(fault),
            None => Ok((reply.answer.expect("no fault, so an answer"), boxed)),
        }
    }

    #[test]
    fn a_box_that_says_something_else_is_a_hedge() {
        for hedge in [
            r"\boxed{8} <answer>7</answer>",
            r"<answer>7</answer> \boxed{8}",
            r"<answer>7</answer> so \boxed{8",
            r"\boxed{7} or \boxed{8}",
            r"\boxed{<answer>7</answer> 8}",
            r"<answer>\boxed{7}</answer> \boxed{8}",
        ] {
            assert_eq!(lenient(hedge), Err(label::HEDGED), "{hedge}");
        }
        for unclear in [
            r"\boxed{7} 8</answer>",
            r"\boxed{7} <answer>7",
            r"\boxed{7} and \boxed{8",
            r"<answer>8<answer>\boxed{7}</answer></answer>",
            r"<think>\boxed{7}</think>",
            r"<think>\boxed{7}",
            r"\boxed x",
            r"\boxed 7x",
            r"\boxed 7^2",
            r"\boxed 7{,}000",
        ] {
            assert!(lenient(unclear).is_err(), "{unclear}");
        }
    }

    #[test]
    fn without_a_tag_a_box_marks_the_answer() {
        for boxed in [
            r"\boxed{7}",
            r"\boxed 7.",
            r"\boxed{~7}",
            r"so it is $\boxed{7}$.",
            r"<think>\boxed{6}</think> \boxed{ 7 }, \boxed{7}",
        ] {
            assert_eq!(lenient(boxed), Ok(("7", true)), "{boxed}");
        }
        for tagged in
            [r"<answer>7</answer>", r"\boxed{7} <answer>7</answer>", r"<answer>7</answer> $\boxed{7}$"]
        {
            assert_eq!(lenient(tagged), Ok(("7", false)), "{tagged}");
        }
        assert_eq!(lenient(r"<answer>\boxed{7}</answer> \boxed{7}"), Ok((r"\boxed{7}", false)));
    }

    #[test]
    fn one_layer_of_markup_comes_off() {
        for (answer, bare) in [
            ("7", None),
            ("", None),
            (".", None),
            ("$$", None),
            ("**7**", Some("7")),
            ("** 7 **.", Some("7")),
            ("**7.**", Some("7")),
            ("$-7$", Some("-7")),
            (r"\(7\)", Some("7")),
            (r"\boxed{7}.", Some("7")),
            (r"\boxed{\{7\}}", Some(r"\{7\}")),
            ("`7`", Some("7")),
            ("```\n7\n```", Some("7")),
            ("7.", Some("7")),
            ("**$7$**", Some("$7$")),
            // Two answers remain two.
            ("**7** **8**", None),
            ("$7$ or $8$", None),
            ("`7` `8`", None),
            (r"\boxed{7} \boxed{8}", None),
            (r"\boxed{7}}", None),
            (r"\(7\) \(8\)", None),
            ("**7", None),
        ] {
            assert_eq!(unended(answer), bare, "{answer}");
        }
        assert_eq!(["7.", "**7.**", "$7$."].map(unmarked), [None, Some("7."), None]);
    }
}
