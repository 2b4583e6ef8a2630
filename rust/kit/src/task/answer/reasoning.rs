//! Reasoning, which does not count as an answer: the one place that knows how models mark it.

use std::ops::Range;

use memchr::{memchr3_iter, memmem};

use super::{StopTokens, named_at};

/// Names of tags around reasoning, in any case: `<think>…</think>`.
const TAGS: [&str; 7] =
    ["think", "thinking", "thought", "reasoning", "scratchpad", "seed:think", "longcat_think"];

/// Special tokens and the like.
const TOKENS: [(&str, Mark); 20] = [
    ("[THINK]", Mark::Open),
    ("[/THINK]", Mark::Close),
    ("◁think▷", Mark::Open),
    ("◁/think▷", Mark::Close),
    ("<|think|>", Mark::Open),
    ("<|/think|>", Mark::Close),
    ("<|begin_of_thought|>", Mark::Open),
    ("<|end_of_thought|>", Mark::Close),
    ("<|begin_of_solution|>", Mark::Answer),
    ("<|end_of_solution|>", Mark::Ignored),
    ("<|START_THINKING|>", Mark::Open),
    ("<|END_THINKING|>", Mark::Close),
    ("<|START_RESPONSE|>", Mark::Answer),
    ("<|END_RESPONSE|>", Mark::Ignored),
    ("<|inner_prefix|>", Mark::Open),
    ("<|inner_suffix|>", Mark::Close),
    ("<|channel>thought", Mark::Open),
    ("<channel|>", Mark::Close),
    ("<unused94>thought", Mark::Open),
    ("<unused95>", Mark::Close),
];

/// Start of a channel of gpt-oss: `<|channel|>analysis<|message|>`.
const CHANNEL: &str = "<|channel|>";

/// Longest header of a channel in bytes.
const LONGEST_HEADER: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Open,
    /// Ends reasoning; with none open, reasoning that began before the text.
    Close,
    /// The answer starts here, whatever came before.
    Answer,
    /// Neither reasoning nor answer.
    Ignored,
}

/// The part of a text in which to look for marks: all of it, unless its special tokens were dropped from
/// channels (`analysis…assistantfinal…`).
pub(super) fn start(text: &str) -> usize {
    let head = text.len() - text.trim_start().len();
    let stripped = text[head..].starts_with("analysis");
    let end = stripped.then(|| memmem::find(text.as_bytes(), b"assistantfinal")).flatten();
    end.map_or(0, |at| at + "assistantfinal".len())
}

/// Positions from `start` at which a mark may start.
pub(super) fn candidates(text: &str, start: usize) -> impl Iterator<Item = usize> + '_ {
    let first_of_triangle = "◁".as_bytes()[0];
    memchr3_iter(b'<', b'[', first_of_triangle, &text.as_bytes()[start..]).map(move |at| start + at)
}

/// The mark of reasoning that starts at `at`, and where it ends.
pub(super) fn mark_at(text: &str, at: usize) -> Option<(Mark, usize)> {
    let bytes = &text.as_bytes()[at..];
    match (bytes[0], bytes.get(1)?) {
        (b'<', b'a'..=b'z' | b'A'..=b'Z' | b'/') => {
            let tag = TAGS.into_iter().find_map(|name| named_at(text, at, name, true));
            if let Some((closes, end)) = tag {
                return Some((if closes { Mark::Close } else { Mark::Open }, end));
            }
        }
        (b'<', b'|') if bytes.starts_with(CHANNEL.as_bytes()) => return Some(channel(text, at)),
        (b'<', b'|') | (b'[', b'T' | b'/') | (0x80.., _) => {}
        _ => return None,
    }
    let found = TOKENS.iter().find(|(token, _)| bytes.starts_with(token.as_bytes()));
    found.map(|(token, mark)| (*mark, at + token.len()))
}

/// The mark of a channel's header: all channels but `final` are reasoning.
fn channel(text: &str, at: usize) -> (Mark, usize) {
    let name = at + CHANNEL.len();
    let header = &text.as_bytes()[name..text.len().min(name + LONGEST_HEADER)];
    let end = memmem::find(header, b"<|message|>").map(|end| name + end + "<|message|>".len());
    let is_final = text[name..].trim_start().starts_with("final");
    (if is_final { Mark::Answer } else { Mark::Open }, end.unwrap_or(name))
}

/// Ranges outside reasoning, in order, and whether the text ends inside reasoning. A closing mark without an
/// opening one ends reasoning that began before the text.
pub fn outside_reasoning(text: &str) -> (Vec<Range<usize>>, bool) {
    let mut parts = Vec::new();
    let first = start(text);
    let (mut open, mut end) = (Some(first), text.len());
    for at in candidates(text, first) {
        let Some((mark, after)) = mark_at(text, at) else { continue };
        match (mark, open) {
            (Mark::Answer, _) | (Mark::Close, Some(_)) => {
                parts.clear();
                open = Some(after);
            }
            (Mark::Close, None) => open = Some(after),
            (Mark::Open, Some(from)) => {
                parts.push(from..at);
                open = None;
            }
            (Mark::Ignored, Some(from)) => {
                parts.push(from..at);
                open = Some(after);
            }
            (Mark::Open | Mark::Ignored, None) => {}
        }
        if end == text.len() && text[at..].starts_with(CHANNEL) {
            // The token that ends the last message does not count as text.
            end = StopTokens::NONE.strip_marks(text, true).len();
        }
    }
    parts.extend(open.map(|from| from..end.max(from)));
    (parts, open.is_none())
}

/// The text outside reasoning, without the reasoning.
pub fn without_reasoning(text: &str) -> String {
    outside_reasoning(text).0.into_iter().map(|part| &text[part]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasoning_is_told_from_the_answer() {
        for (text, outside) in [
            ("7", "7"),
            ("<think>3+4</think>7", "7"),
            ("3+4</think>7", "7"),
            ("<think>3+4", ""),
            ("7 <think>3+4", "7 "),
            ("7<think>3</think> 8", "7 8"),
            ("<Thinking>3+4</Thinking>7", "7"),
            ("<thought>3+4</thought>7", "7"),
            ("<reasoning>3+4</reasoning>7", "7"),
            ("[THINK]3+4[/THINK]7", "7"),
            ("3+4[/THINK]7", "7"),
            ("◁think▷3+4◁/think▷7", "7"),
            ("<|begin_of_thought|>3<|end_of_thought|><|begin_of_solution|>7<|end_of_solution|>", "7"),
            ("3+4<|begin_of_solution|>7", "7"),
            ("<|START_THINKING|>3<|END_THINKING|><|START_RESPONSE|>7<|END_RESPONSE|>", "7"),
            ("<|channel|>analysis<|message|>3<|end|><|start|>assistant<|channel|>final<|message|>7", "7"),
            ("<|channel|>final<|message|>7<|return|>", "7"),
            ("<|channel|>final <|constrain|>json<|message|>7<|return|>", "7"),
            ("<|channel|>analysis<|message|>3<|end|>", ""),
            ("<|channel|>commentary to=f <|constrain|>json<|message|>{}<|call|>", ""),
            ("3<|end|><|start|>assistant<|channel|>final<|message|>7", "7"),
            ("analysisLet me seeassistantfinal7", "7"),
            ("<|channel>thought\n3+4<channel|>7", "7"),
            ("◁ 7 ▷ “[T]” [think] <|x|> <thin>", "◁ 7 ▷ “[T]” [think] <|x|> <thin>"),
            ("analysis of 7", "analysis of 7"),
            ("the assistantfinal 7", "the assistantfinal 7"),
        ] {
            assert_eq!(without_reasoning(text), outside, "{text}");
        }
    }

    #[test]
    fn any_pieces_of_marks_are_read() {
        let pieces = TOKENS.iter().map(|(token, _)| *token);
        let pieces: Vec<_> = pieces
            .chain(["<think>", "</think>", CHANNEL, "final", "<|message|>", "<|return|>", "é", "<", "[", "◁"])
            .chain(["analysis", "assistantfinal"])
            .collect();
        for first in &pieces {
            for second in &pieces {
                for third in &pieces {
                    for text in [format!("{first}{second}{third}"), format!("{first} {second}7{third}")] {
                        let (parts, _) = outside_reasoning(&text);
                        assert!(parts.is_sorted_by_key(|part| part.start), "{text}");
                        assert!(parts.iter().all(|part| text.get(part.clone()).is_some()), "{text}");
                    }
                }
            }
        }
    }
}
