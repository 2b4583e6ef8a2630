//! Sentences that state an answer: "The answer is 7."

use super::{Found, Marked, lines, outside_reasoning, places, undressed};
use kit::task::answer::Reading;

/// Words between two statements that are one.
const FILLERS: [&str; 8] = ["", "the", "The", "final", "correct", "right", "best", "my"];

/// The text after "the answer is", "the correct option is" or, at the start of a line, "answer:", up to the end
/// of the line; under the lenient reading, up to the end of the sentence.
pub fn answers(text: &str, reading: Reading) -> Found<'_> {
    let (parts, cut) = outside_reasoning(text);
    let mut found = Found { cut, ..Found::default() };
    for part in parts {
        let part_text = &text[part.clone()];
        let (mut start, mut until) = (0, 0);
        // Where each statement begins, its answer begins, and both end: only the last of several that are one
        // is looked at in full, so a line of nothing else takes no longer than any other.
        let mut spans: Vec<[usize; 3]> = Vec::new();
        // Words of one length, so that one sort puts their places in order.
        let words: [&[u8]; 3] = [b"answer", b"option", b"choice"];
        let mut found_at: Vec<_> =
            words.into_iter().flat_map(|word| places(part_text.as_bytes(), word)).collect();
        found_at.sort_unstable();
        for at in found_at {
            // "Final answer: the answer is 7."
            let again = at < until
                && at - start < 30
                && part_text[start..at].split(' ').all(|word| FILLERS.contains(&word));
            if at < until && !again && reading != Reading::Lenient {
                continue;
            }
            let Some(told) = told(part_text, at) else { continue };
            // "**Final answer:** 31 The answer is 47."
            if at < until && !again {
                let last = spans.last_mut().expect("a statement goes on");
                let head = part_text[last[1]..at].trim_end_matches([' ', '*', '_']);
                let head = ["the", "The", "final", "Final", "my", "My"]
                    .iter()
                    .fold(head, |head, filler| head.strip_suffix(filler).unwrap_or(head).trim_end());
                last[2] = last[1] + head.len();
                until = last[2];
            }
            start = part_text.len() - told.len();
            if again {
                spans.pop();
            }
            if start >= until {
                // The line is not looked for beyond its sentence, or a line of sentences would be read for each.
                let ends = |(at, c): &(usize, char)| {
                    *c == '\n' || reading == Reading::Lenient && told[*at..].starts_with(". ")
                };
                let end = told.char_indices().find(ends);
                until = start + end.map_or(told.len(), |(at, c)| at + usize::from(c == '.'));
            }
            spans.push([at, start, until]);
        }
        found.all.extend(spans.into_iter().map(|[at, start, until]| {
            let line = &part_text[start..until];
            debug_assert_eq!(lines(line), 0);
            Marked { answer: unended(line), outer: part.start + at..part.start + until }
        }));
    }
    found
}

/// The text after the "answer", "option" or "choice" at `at`, if the words around it make it a statement.
fn told(text: &str, at: usize) -> Option<&str> {
    let (before, after) = (&text[..at], &text[at + "answer".len()..]);
    let is_answer = text[at..].starts_with(['a', 'A']);
    let marks = |c: char| c == '*' || c == '_' || c == '#';
    let after = after.trim_start_matches(marks);
    let word = after.trim_start_matches([' ', '\t']);
    let head = before.trim_end_matches([' ', '\t']);
    let head = head.trim_end_matches(marks);
    let starts_line = is_answer && (head.is_empty() || head.ends_with('\n'));
    let ends_with = |word: &str| {
        let tail = head.len().checked_sub(word.len()).and_then(|at| head.get(at..));
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(word))
    };
    if let Some(rest) = word.strip_prefix(':') {
        let capital = text[at..].starts_with('A') && before.ends_with([' ', '*', '_']);
        let known = starts_line
            || capital
            || is_answer && ends_with("the")
            || ["final", "correct", "right", "best"].into_iter().any(ends_with);
        return known.then(|| rest.trim_start_matches(marks).trim_start());
    }
    let known = starts_line
        || is_answer && (ends_with("the") || ends_with("my"))
        || ["final", "correct", "right", "best"].into_iter().any(ends_with);
    let is = word.get(..2).filter(|is| is.eq_ignore_ascii_case("is")).map(|_| &word[2..]);
    let rest = is.filter(|rest| rest.starts_with([' ', ':', '\n']))?;
    known.then(|| rest.trim_start().trim_start_matches(':').trim_start())
}

/// A line without its markup and the full stop of its sentence.
fn unended(line: &str) -> &str {
    let line = line.trim();
    // `**Answer: 7**`
    let bold = line.matches("**").count() % 2 == 1;
    let line = line.strip_suffix("**").or(line.strip_suffix("**.")).filter(|_| bold).unwrap_or(line);
    let whole = line.strip_suffix('.').unwrap_or(line);
    // The last point of `U.S.` does not end a sentence.
    let stopped =
        !whole.contains('.') || whole.ends_with(|c: char| c.is_ascii_digit() || "$*`})]".contains(c));
    undressed(if stopped { whole } else { line })
}
