//! The last number of a text.

use super::{Found, Marked, outside_reasoning};

/// The last number. "7 or 8" is a hedge.
pub fn last(text: &str) -> Found<'_> {
    let (parts, cut) = outside_reasoning(text);
    let mut found = Found { cut, ..Found::default() };
    for part in parts.into_iter().rev() {
        let bytes = &text.as_bytes()[..part.end];
        let (mut last, mut before) = (None, None);
        let mut at = part.start;
        while at < bytes.len() {
            if !bytes[at].is_ascii_digit() {
                at += 1;
                continue;
            }
            let end = number_end(bytes, at);
            let start = number_start(text, part.start, at);
            // In H2O and x_1 there is no number.
            let named = text[part.start..start].ends_with(|c: char| c.is_alphabetic() || c == '_');
            if !named {
                before = last.replace(start..end);
            }
            at = end;
        }
        if let Some(last) = last {
            found.hedged = before.is_some_and(|before| {
                let between = text[before.end..last.start].trim_matches(|c: char| !c.is_alphanumeric());
                between.eq_ignore_ascii_case("or") && text[before] != text[last.clone()]
            });
            found.all.push(Marked { answer: &text[last.clone()], outer: last });
            break;
        }
    }
    found
}

/// Where a number ends whose first digit is at `at`: digits in groups of three, decimals, an exponent, and after
/// a slash another one.
fn number_end(bytes: &[u8], at: usize) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let first = digits(at);
    let mut end = at + first;
    while first <= 3 && bytes.get(end) == Some(&b',') && digits(end + 1) == 3 {
        end += 4;
    }
    if bytes.get(end) == Some(&b'.') {
        let decimals = digits(end + 1);
        end += if decimals == 0 { 0 } else { 1 + decimals };
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let power = if end + 1 + sign < bytes.len() { digits(end + 1 + sign) } else { 0 };
        end += if power == 0 { 0 } else { 1 + sign + power };
    }
    // What has two slashes is a date: all of it is taken, and no number.
    while bytes.get(end) == Some(&b'/') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end += 1 + digits(end + 1);
    }
    end
}

/// Where a number starts whose first digit is at `at`: at its point, at its sign. The minus of `3-4` is none.
fn number_start(text: &str, from: usize, at: usize) -> usize {
    let before = &text[from..at];
    let pointed = before.strip_suffix('.').filter(|rest| !rest.ends_with(|c: char| c.is_alphanumeric()));
    let before = pointed.unwrap_or(before);
    let signed = before.strip_suffix(['-', '−', '+']);
    let signed = signed.filter(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || ")]}_".contains(c)));
    from + signed.unwrap_or(before).len()
}
