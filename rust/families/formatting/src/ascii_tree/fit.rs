//! Names that a tree may have.

use super::AsciiTree;
use kit::task::family::TaskFamily;

/// Maximum length of a name in bytes, as in most file systems.
const LONGEST: usize = 255;

/// The reason why a name cannot be drawn on one line or enclosed in a tag.
pub fn undrawable(name: &str) -> Option<&'static str> {
    // Line and paragraph breaks, zero-width spaces and characters that change the text direction.
    let unseen = |c: char| {
        matches!(c, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
            || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
            || c.is_control()
            || (c.is_whitespace() && c != ' ')
    };
    let tag = AsciiTree::ABOUT.answer_tag;
    let marks = ["```".to_owned(), format!("<{tag}>"), format!("</{tag}>")];
    let faults = [
        (name.is_empty(), "is empty"),
        (name.len() > LONGEST, "is longer than 255 bytes"),
        (name.starts_with(' ') || name.ends_with(' '), "starts or ends with a space"),
        (name.contains('/'), "has a slash in it"),
        (name.contains(unseen), "has a character that cannot be seen or breaks the line"),
        (marks.iter().any(|mark| name.contains(mark)), "has an answer tag or a code fence in it"),
    ];
    faults.into_iter().find_map(|(unfit, why)| unfit.then_some(why))
}

/// The reason why a name could make a prompt describe another tree, or a line of the drawing resemble another
/// one.
pub fn ambiguous(name: &str) -> Option<&'static str> {
    let up = name.strip_prefix("up ").is_some_and(|levels| levels.bytes().all(|b| b.is_ascii_digit()));
    let states_a_root = [" is a root directory", " is the root directory"];
    let box_drawing = |c: char| matches!(c, '\u{2500}'..='\u{257f}');
    let faults = [
        // Paths.
        (matches!(name, "." | ".."), "is a step in a path"),
        // Headings of directory contents.
        (name.ends_with(':'), "ends with a colon, as a heading does"),
        // `- -x` could be a nested item, and `---x` a longer branch.
        (name.starts_with('-'), "starts with a dash, as items of an outline and branches do"),
        (
            name.starts_with('|') || name.starts_with(box_drawing),
            "starts with a bar, as lines of a drawing do",
        ),
        (name.starts_with("\\--") || name.contains("+--"), "has a branch in it"),
        // Descriptions quote names; a name with an apostrophe can still use double quotes.
        (name.contains(['"', '`']), "has a quotation mark in it"),
        (up || name.starts_with("enter "), "reads as a command"),
        (states_a_root.iter().any(|words| name.contains(words)), "says what the root is"),
    ];
    faults.into_iter().find_map(|(unfit, why)| unfit.then_some(why))
}

#[cfg(test)]
mod tests {
    use super::super::tests::tree;
    use kit::budget::Budget;
    use kit::task::problem::Problem;

    #[test]
    fn names_of_real_directories_are_fit() {
        for name in [
            "a b",
            "día",
            "日本語",
            "don't",
            "👨‍👩‍👧",
            "x<y>",
            "c++",
            "+page",
            "@types",
            "[slug]",
            "(group)",
            "2024",
            "1",
            "10 things",
            "v1.2:beta",
            "up",
            "up top",
            "enter",
            "a: b",
            "x, y",
            "a - b",
            "foo--bar",
            "_",
            "~",
            "...",
            "{{name}}",
            ".github",
            "node_modules",
            "a|b",
            "*",
            "#1",
            "100%",
            "A & B",
            "is empty",
        ] {
            let tree = tree(&[(0, "r"), (1, name)]);
            assert_eq!(tree.check(), Ok(()), "{name}");
            tree.certify(&mut Budget::new(10)).unwrap_or_else(|error| panic!("{error}"));
            let verdict = tree.verify(tree.draw(), &mut Budget::new(1_000));
            assert!(verdict.is_ok(), "{name}");
        }
    }

    #[test]
    fn names_that_would_break_the_form_are_refused_with_their_row() {
        for name in [
            "",
            " a",
            "a ",
            "a\nb",
            "a\rb",
            "a\tb",
            "a/b",
            "a\0",
            "a\u{85}b",
            "a\u{a0}b",
            "a\u{2028}b",
            "a\u{200b}",
            "\u{202e}a",
            "\u{feff}a",
            "x```",
            "<ascii_formatted>",
            "a</ascii_formatted>",
            &"é".repeat(128),
        ] {
            let error = tree(&[(0, "r"), (1, name)]).check().unwrap_err();
            assert!(error.starts_with("the name in `rows[1]`, \""), "{error}");
        }
    }

    #[test]
    fn names_that_a_wording_could_not_tell_apart_are_not_certified() {
        for name in [
            "r:",
            ".",
            "..",
            "-",
            "- x",
            "--x",
            "-x",
            "|",
            "| y",
            "├── v",
            "│",
            "+--z",
            "a +--b",
            "`--w",
            "\\--v",
            "a\"b",
            "a`b",
            "enter x",
            "up 2",
            "up 10",
            "x is a root directory that holds y",
        ] {
            for rows in [[(0, "r"), (1, name)], [(0, name), (1, "r")]] {
                let tree = tree(&rows);
                assert_eq!(tree.check(), Ok(()), "{name}");
                let error = tree.certify(&mut Budget::new(10)).unwrap_err();
                let row = usize::from(rows[1].1 == name);
                assert!(error.starts_with(&format!("the name in `rows[{row}]`, \"")), "{name}: {error}");
            }
        }
        let error = tree(&[(0, "r"), (1, "r:")]).certify(&mut Budget::new(10)).unwrap_err();
        let why = "ends with a colon, as a heading does, so that the tree could be misread";
        assert_eq!(error, format!("the name in `rows[1]`, \"r:\", {why}"));
    }
}
