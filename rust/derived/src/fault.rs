//! Faults of a step: the reasons why it may be wrong, told by comparing it with the right one.

use crate::of::another_number;
use kit::error::quoted;
use kit::rng::Rng;

/// Reasons why a step is wrong, the first that applies.
pub const REASONS: [&str; 5] = ["misread", "missing", "extra", "order", "value"];
pub const MISREAD: usize = 0;
pub const MISSING: usize = 1;
pub const EXTRA: usize = 2;
pub const ORDER: usize = 3;
pub const VALUE: usize = 4;

/// Meanings of the reasons, for the prompt.
pub const GLOSSARY: &str = "\
misread: the part before the colon or the equals sign is not what the problem and the step before it call for
missing: that part is right, but the result has too few numbers
extra: that part is right, but the result has too many numbers
order: the result has exactly the right numbers, but in the wrong order
value: the result has as many numbers as it should have, but not the right ones";

/// The step with another result: fewer or more numbers than it should have, or others, or in another order.
pub fn spoiled(right: &str, before: &str, reason: usize, rng: &mut Rng) -> Option<String> {
    let (left, result) = halves(right);
    if reason == VALUE {
        return Some(format!("{left}{}", another_number(result, rng)?));
    }
    let mut numbers: Vec<&str> = result.split(' ').collect();
    let is_list = numbers.iter().all(|number| number.parse::<u64>().is_ok());
    let at = rng.index(numbers.len());
    match reason {
        MISSING if numbers.len() > 1 => drop(numbers.remove(at)),
        // A number of the step before that should be gone, or one of this step twice.
        EXTRA => {
            let kept = halves(before).1.split(' ').filter(|number| number.parse::<u64>().is_ok());
            let copies: Vec<&str> = numbers.iter().copied().chain(kept).collect();
            numbers.insert(rng.index(numbers.len() + 1), *rng.pick(&copies));
        }
        ORDER if numbers.len() > 1 => {
            let other = rng.index(numbers.len());
            numbers.swap(at, other);
        }
        _ => return None,
    }
    is_list.then(|| format!("{left}{}", numbers.join(" ")))
}

/// Left side of a step with the sign after it, and its result.
fn halves(step: &str) -> (&str, &str) {
    let sign = [" = ", ": "].into_iter().filter_map(|sign| Some(step.rfind(sign)? + sign.len())).max();
    step.split_at(sign.unwrap_or(0))
}

/// Numbers without leading zeros, words and signs.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| (c.is_ascii_digit(), c.is_alphabetic());
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let alike = |c: char| kind(c) == kind(first) && kind(c) != (false, false);
        let end = rest.find(|c| !alike(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let token = &rest[..end];
        let digits = token.trim_start_matches('0');
        tokens.push(if !first.is_ascii_digit() {
            token
        } else if digits.is_empty() {
            "0"
        } else {
            digits
        });
        rest = rest[end..].trim_start();
    }
    tokens
}

/// The numbers of a result, a minus sign before those below zero.
fn numbers(result: &str) -> Vec<String> {
    let mut numbers: Vec<String> = Vec::new();
    let mut sign = "";
    for token in tokens(result) {
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            numbers.push(format!("{sign}{token}"));
        }
        sign = if token == "-" { token } else { "" };
    }
    numbers
}

/// The reason why a step is wrong, if it is, given the right one in its place. A step that says the same as
/// the right one in another spelling is an error.
pub fn fault(right: &str, step: &str) -> Result<Option<usize>, String> {
    if step == right {
        return Ok(None);
    }
    let ((left, result), (as_written, written)) = (halves(right), halves(step));
    if tokens(left) != tokens(as_written) {
        return Ok(Some(MISREAD));
    }
    let (mut due, mut found) = (numbers(result), numbers(written));
    if due == found {
        return Err(format!("must be written like `{}`", quoted(right)));
    }
    Ok(Some(match found.len().cmp(&due.len()) {
        std::cmp::Ordering::Less => MISSING,
        std::cmp::Ordering::Greater => EXTRA,
        std::cmp::Ordering::Equal => {
            due.sort_unstable();
            found.sort_unstable();
            if due == found { ORDER } else { VALUE }
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_step_has_exactly_one_reason() {
        for (right, step, reason) in [
            ("swap: 4 3", "swap: 4 3", None),
            ("swap: 4 3", "over: 3 4 3", Some(MISREAD)),
            ("push 12: 12", "push 21: 21", Some(MISREAD)),
            ("dup: 5 5", "dup: 5", Some(MISSING)),
            ("drop: nothing", "drop: 7", Some(EXTRA)),
            ("drop: 7", "drop: nothing", Some(MISSING)),
            ("swap: 4 3", "swap: 3 4", Some(ORDER)),
            ("rot: 4 3 4", "rot: 4 3 3", Some(VALUE)),
            ("82 - 46 = 36", "82 - 46 = -36", Some(VALUE)),
            ("82 - 46 = 36", "82 + 46 = 128", Some(MISREAD)),
            ("82 - 46 = 36", "28 - 46 = 36", Some(MISREAD)),
        ] {
            assert_eq!(fault(right, step), Ok(reason), "{step}");
        }
        for same in ["swap:  4 3", "swap: 04 3", "swap : 4 3", "swap: 4, 3", "swap: 4 3 "] {
            assert!(fault("swap: 4 3", same).is_err() || same.contains(" :"), "{same}");
        }
    }
}
