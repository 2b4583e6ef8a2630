//! Several marks of an answer in one completion.

use std::ops::Range;

use super::{Marked, boxed, outside_reasoning, undressed};
use kit::task::answer::marked::unboxed;

/// Words that a statement may be without naming an answer.
const POINTERS: [&str; 7] = ["below", "above", "as follows", "the following", "following", "here", "this"];

/// True if one of the boxes holds only a part of the formula around it.
pub fn holds_parts(text: &str, boxes: &[Marked<'_>]) -> bool {
    boxes.iter().any(|marked| boxed::is_part(text, &marked.outer))
}

/// Texts behind the first `####` of each line that does not start with one.
pub fn inline_hashes(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    if memchr::memmem::find(text.as_bytes(), b" #### ").is_none() {
        return found;
    }
    let (parts, _) = outside_reasoning(text);
    for part in parts {
        for line in text[part].split('\n') {
            let Some((before, after)) = line.split_once(" #### ") else { continue };
            let answer = after.split("####").next().unwrap_or_default();
            if !before.trim().is_empty()
                && !before.trim_start().starts_with("####")
                && !answer.trim().is_empty()
            {
                found.push(undressed(answer));
            }
        }
    }
    found
}

/// True if a mark says nothing besides the tag whose answer is at `span`: it is inside, or around it.
pub fn agree_around(text: &str, span: &Range<usize>, marked: &Marked<'_>) -> bool {
    let outer = &marked.outer;
    if span.start <= outer.start && outer.end <= span.end {
        return true;
    }
    let start = marked.answer.as_ptr() as usize - text.as_ptr() as usize;
    let end = start + marked.answer.len();
    if start > span.start || span.end > end {
        // Apart from each other, the two are compared.
        return false;
    }
    let before = text[start..span.start].rsplit_once('<').map_or("", |(before, _)| before);
    let after = text[span.end..end].split_once('>').map_or("", |(_, after)| after);
    let bare = |text: &str| text.chars().all(|c| c.is_whitespace() || "$*_.`\\()[]{}".contains(c));
    bare(before) && bare(after)
}

/// True if a statement such as "the answer is 31" names another answer than this one.
pub fn differ(answer: &str, stated: &str) -> bool {
    let stated = unboxed(stated);
    if stated == answer {
        return false;
    }
    let digits = stated.bytes().any(|byte| byte.is_ascii_digit());
    let boundary = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
    let named = !answer.is_empty()
        && stated.match_indices(answer).take(8).any(|(at, _)| {
            boundary(stated[..at].chars().next_back()) && boundary(stated[at + answer.len()..].chars().next())
        });
    if digits {
        // "31 apples" is 31, but "31 or 47" is more.
        let rest = stated.replacen(answer, "", 1);
        return !named || rest.bytes().any(|byte| byte.is_ascii_digit());
    }
    let short = stated.split_whitespace().take(5).count() <= 4;
    let pointer = stated.ends_with(':') || POINTERS.contains(&&*stated.trim_end_matches('.').to_lowercase());
    short && !pointer && !named && !stated.is_empty()
}
