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
            // H2O and x_1 contain no number.
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

/// End of the number whose first digit is at `at`: digits in groups of three, decimals, an exponent, and
/// after a slash another number.
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
    // Two slashes make a date, which is skipped as a whole.
    while bytes.get(end) == Some(&b'/') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit) {
        end += 1 + digits(end + 1);
    }
    end
}

/// Start of the number whose first digit is at `at`, with its point and its sign. The minus of `3-4` does not
/// count.
fn number_start(text: &str, from: usize, at: usize) -> usize {
    let before = &text[from..at];
    let pointed = before.strip_suffix('.').filter(|rest| !rest.ends_with(|c: char| c.is_alphanumeric()));
    let before = pointed.unwrap_or(before);
    let signed = before.strip_suffix(['-', '−', '+']);
    let signed = signed.filter(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || ")]}_".contains(c)));
    from + signed.unwrap_or(before).len()
}
