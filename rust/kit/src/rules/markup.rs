//! Markup that people and models put around the name of a move.

/// Pairs of marks that may surround a name.
const AROUND: [(&str, &str); 10] = [
    ("[", "]"),
    ("(", ")"),
    ("{", "}"),
    ("\"", "\""),
    ("'", "'"),
    ("`", "`"),
    ("*", "*"),
    ("_", "_"),
    ("$", "$"),
    ("\\boxed{", "}"),
];

/// A move's name without marks around it, a full stop after it or one of these nouns before it: `4` in
/// `**[4]**.` and in `column 4`.
pub fn bare<'a>(text: &'a str, nouns: &[&str]) -> &'a str {
    let mut bare = text.trim();
    loop {
        let full = bare.strip_suffix('.').unwrap_or(bare);
        let inner = AROUND.iter().find_map(|(open, close)| full.strip_prefix(open)?.strip_suffix(close));
        let inner = inner.unwrap_or(full).trim();
        let named = nouns.iter().find_map(|noun| after(inner, noun)).unwrap_or(inner);
        if named.len() == bare.len() {
            return bare;
        }
        bare = named;
    }
}

/// The text after a word that is followed by a space or a mark.
fn after<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    let follows = rest.trim_start_matches([' ', ':', '#']);
    (start.eq_ignore_ascii_case(word) && follows.len() < rest.len() && !follows.is_empty()).then_some(follows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_freed_of_what_stands_around_them() {
        for (text, name) in [
            ("4", "4"),
            (" [4] ", "4"),
            ("**[4]**.", "4"),
            ("Column 4", "4"),
            ("`column: [4]`", "4"),
            ("\\boxed{4}", "4"),
            ("(1,1)", "1,1"),
            ("column", "column"),
            ("columns 4", "columns 4"),
            ("[4", "[4"),
            ("[", "["),
            ("", ""),
            ("\u{e9}", "\u{e9}"),
        ] {
            assert_eq!(bare(text, &["column"]), name, "{text}");
        }
    }
}
