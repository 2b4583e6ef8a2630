//! Counts and lists as rules say them.

use std::fmt::Display;

/// `1 row`, `3 rows`.
pub fn counted(count: u32, noun: &str) -> String {
    match (count, noun) {
        (1, noun) => format!("1 {noun}"),
        (count, "box") => format!("{count} boxes"),
        (count, noun) => format!("{count} {noun}s"),
    }
}

/// `2`, `2 or 5`, `2, 5 or 6`, with the last word between the last two.
pub fn listed<T: Display>(items: impl IntoIterator<Item = T>, before_last: &str) -> String {
    let mut items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    match (items.pop(), items.is_empty()) {
        (None, _) => String::new(),
        (Some(only), true) => only,
        (Some(last), false) => format!("{} {before_last} {last}", items.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_lists_read_well() {
        assert_eq!([1, 2].map(|count| counted(count, "row")), ["1 row", "2 rows"]);
        assert_eq!([1, 4].map(|count| counted(count, "box")), ["1 box", "4 boxes"]);
        assert_eq!(listed([0; 0], "or"), "");
        assert_eq!(listed([2], "or"), "2");
        assert_eq!(listed([2, 5], "or"), "2 or 5");
        assert_eq!(listed(["A has 1", "B has 3", "C has 5"], "and"), "A has 1, B has 3 and C has 5");
    }
}
