//! Every way a caller can be wrong. Bugs of ours are panics, not variants.

use crate::budget::Budget;
use crate::similarity::edit_distance;

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// A family, split, policy, template … that does not exist.
    #[error("no {kind} `{name}`; {}", suggestion(nearest.as_deref(), known))]
    UnknownName { kind: &'static str, name: String, nearest: Option<String>, known: String },
    #[error("{family}: {message}")]
    InvalidParams { family: &'static str, message: String },
    #[error("{family}: {message}")]
    InvalidStyle { family: &'static str, message: String },
    #[error("{family}: not a problem of this family: {message}")]
    InvalidProblem { family: &'static str, message: String },
    #[error("not a task: {message}")]
    InvalidTask { message: String },
    /// A row's reference is nothing that an answer could be held against.
    #[error("{verifier}: {message}")]
    InvalidReference { verifier: &'static str, message: String },
    /// The generator met its step or retry budget.
    #[error("{family}: no item within the budget for {params}; loosen the params")]
    Exhausted { family: &'static str, params: String },
    /// The params allow so few instances that none was found in the split.
    #[error(
        "{family}: none of the {instances} different instances that {tries} draws of {params} gave belongs to \
         the split `{split}`; make the params larger or use another split"
    )]
    SplitExhausted { family: &'static str, params: String, split: &'static str, instances: usize, tries: u64 },
    #[error("{family}: {message}")]
    Unsupported { family: &'static str, message: String },
    #[error("{game}: not a state of this game: {message}")]
    InvalidState { game: &'static str, message: String },
    #[error("{game}: {message}")]
    InvalidOpponent { game: &'static str, message: String },
    /// An exact value was asked for that there is none of, or not within the limit.
    #[error("{game}: {message}")]
    Unsolved { game: &'static str, message: String },
    #[error("interrupted")]
    Interrupted,
}

fn suggestion(nearest: Option<&str>, known: &str) -> String {
    match nearest {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {known}"),
    }
}

/// Builds the error for a name that is not in a list.
pub fn unknown(kind: &'static str, name: &str, known: &[&str]) -> Error {
    Error::UnknownName {
        kind,
        name: quoted(name),
        nearest: nearest(name, known.iter().copied()),
        known: known.join(", "),
    }
}

/// The candidate within a third of `name`'s length in edits (at least two), if any.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if name.len() > 100 {
        return None;
    }
    let most = (name.chars().count() / 3).max(2);
    let name = name.to_lowercase();
    candidates
        .into_iter()
        .filter_map(|candidate| {
            Some((edit_distance(&name, candidate, &mut Budget::unlimited()).ok()?, candidate))
        })
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, candidate)| candidate.to_owned())
}

/// Somebody's text, cut and escaped so that a message stays one readable line.
pub fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let plain = |byte: u8| byte == b' ' || byte.is_ascii_alphanumeric() || b"+-.,:/()<>".contains(&byte);
    if text.len() <= LONGEST && text.bytes().all(plain) {
        return text.to_owned();
    }
    let mut shown = String::new();
    for c in text.chars().take(LONGEST) {
        match c {
            // Messages quote in backticks, and whoever prints them may escape these once more.
            '"' | '\'' | '\\' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
    }
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// Cut a message that may quote somebody's text in the middle: its end says what was expected.
pub fn shortened(message: &str) -> String {
    const START: usize = 120;
    const END: usize = 240;
    let length = message.chars().count();
    if length <= START + END {
        return message.to_owned();
    }
    let start = message.chars().take(START);
    let end = message.chars().skip(length - END);
    start.chain(std::iter::once('…')).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_suggest_the_nearest_name() {
        let error = unknown("family", "chain_sun", &["chain_sum", "sudoku"]);
        assert_eq!(error.to_string(), "no family `chain_sun`; did you mean `chain_sum`?");
        let error = unknown("family", "poetry", &["chain_sum", "sudoku"]);
        assert_eq!(error.to_string(), "no family `poetry`; there are chain_sum, sudoku");
    }

    #[test]
    fn quoted_text_is_one_short_line() {
        assert_eq!(quoted("a\nb"), "a\\nb");
        assert_eq!(quoted("\\frac{\"a\"}"), "\\frac{\"a\"}");
        assert_eq!(quoted(&"x".repeat(50)).chars().count(), 41);
    }

    #[test]
    fn a_long_message_keeps_its_start_and_its_end() {
        assert_eq!(shortened("short"), "short");
        let long = shortened(&format!("unknown `{}`, expected `a`", "é".repeat(9_000)));
        assert_eq!(long.chars().count(), 361);
        assert!(long.starts_with("unknown `é") && long.ends_with("é`, expected `a`"));
    }
}
