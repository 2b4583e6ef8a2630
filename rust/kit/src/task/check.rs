//! Checks of problems from untrusted sources, with uniform messages.

use std::fmt::Display;
use std::ops::RangeInclusive;

use crate::error::quoted;

/// `` `field` holds 3 numbers, but must hold 4 to 9 ``.
pub fn length<T>(field: &str, items: &[T], allowed: RangeInclusive<usize>, what: &str) -> Result<(), String> {
    that(allowed.contains(&items.len()), || {
        let (count, low, high) = (items.len(), allowed.start(), allowed.end());
        let most = if low == high { String::new() } else { format!(" to {high}") };
        format!("`{field}` holds {count} {what}, but must hold {low}{most}")
    })
}

/// `` `field` is 3, but must be between 4 and 9 ``.
pub fn within<T: PartialOrd + Display>(
    field: &str,
    value: &T,
    allowed: RangeInclusive<T>,
) -> Result<(), String> {
    that(allowed.contains(value), || {
        let (low, high) = (allowed.start(), allowed.end());
        format!("`{field}` is {value}, but must be between {low} and {high}")
    })
}

/// Every item is `fine`; else `` `field` has ITEM, but RULE `` for the first that is not.
pub fn each<'a, T: Display + 'a>(
    field: &str,
    items: impl IntoIterator<Item = &'a T>,
    fine: impl Fn(&T) -> bool,
    rule: &str,
) -> Result<(), String> {
    match items.into_iter().find(|item| !fine(item)) {
        Some(item) => Err(format!("`{field}` has {}, but {rule}", quoted(&item.to_string()))),
        None => Ok(()),
    }
}

/// No item occurs twice.
pub fn distinct<T: Ord + Display>(field: &str, items: &[T]) -> Result<(), String> {
    let mut sorted: Vec<&T> = items.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(format!("`{field}` has {} twice", quoted(&pair[0].to_string()))),
        None => Ok(()),
    }
}

/// Checks a claim; `why` explains its failure.
pub fn that(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_field_the_value_and_the_bounds() {
        let fails = |checked: Result<(), String>| checked.unwrap_err();
        assert_eq!(
            fails(length("terms", &[1], 2..=50, "numbers")),
            "`terms` holds 1 numbers, but must hold 2 to 50"
        );
        assert_eq!(fails(length("rows", &[1], 4..=4, "rows")), "`rows` holds 1 rows, but must hold 4");
        assert_eq!(fails(within("size", &9, 2..=8)), "`size` is 9, but must be between 2 and 8");
        let negative = each("terms", &[1, -4], |term| *term > 0, "must be positive");
        assert_eq!(fails(negative), "`terms` has -4, but must be positive");
        assert_eq!(fails(distinct("names", &["b", "a", "b"])), "`names` has b twice");
        let long = ["z".repeat(70_000), "z".repeat(70_000)];
        let short = each("names", &long, |name| name.len() < 9, "must be short");
        assert!(short.is_err_and(|message| message.len() < 500));
        assert!(distinct("names", &long).is_err_and(|message| message.len() < 500));
        assert!(distinct("names", &["b", "a"]).is_ok() && within("size", &2, 2..=8).is_ok());
    }
}
