//! References as data sets write them: with escapes that were lost, in a box, at the end of a solution.

use std::borrow::Cow;

/// Commands whose backslash and first letter an escape has turned into a control character.
const LOST: [(char, char, &[&str]); 6] = [
    ('\x07', 'a', &["lpha", "pprox", "ngle", "rc", "st"]),
    ('\x08', 'b', &["eta", "egin", "inom", "oxed", "ar{", "ig", "mod", "f{", "ullet"]),
    ('\x0b', 'v', &["ec", "ert", "arnothing", "arphi", "ee"]),
    ('\x0c', 'f', &["rac", "box", "orall", "loor"]),
    ('\t', 't', &["frac", "imes", "ext", "heta", "an", "au", "o ", "riangle", "binom"]),
    ('\r', 'r', &["ight", "angle", "floor", "ceil", "m{", "vert"]),
];

/// A reference with the backslashes that it had before it was escaped: `\x0crac12` and `\\frac12` are
/// `\frac12`.
pub fn unescaped(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    if text.contains(|c: char| c.is_ascii_control() && c != '\n') {
        let mut restored = String::with_capacity(text.len() + 8);
        for (at, c) in text.char_indices() {
            let rest = &text[at + c.len_utf8()..];
            let lost = LOST.iter().find(|(control, ..)| *control == c);
            match lost.filter(|(_, _, ends)| ends.iter().any(|end| rest.starts_with(end))) {
                Some((_, letter, _)) => restored.extend(['\\', *letter]),
                None => restored.push(c),
            }
        }
        text = Cow::Owned(restored);
    }
    if is_doubled(&text) {
        text = Cow::Owned(text.replace("\\\\", "\\"));
    }
    text
}

/// True if each backslash is written twice, and one of them starts a command.
fn is_doubled(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut commands = 0;
    let mut at = 0;
    while at < bytes.len() {
        let run = bytes[at..].iter().take_while(|byte| **byte == b'\\').count();
        if run % 2 == 1 {
            return false;
        }
        let follows = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphabetic);
        commands += usize::from(run > 0 && follows(at + run) && follows(at + run + 1));
        at += run.max(1);
    }
    commands > 0
}

/// A text whose decimal mark is a comma, with points: `1.234,5` is `1234.5`. Between digits alone a comma is
/// such a mark; in a list white space or a semicolon is needed.
pub fn with_points(text: &str) -> Cow<'_, str> {
    if !text.contains([',', '.']) {
        return Cow::Borrowed(text);
    }
    let text = text.replace("{,}", ",");
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut pointed = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let inside = at > 0 && digit(at - 1) && digit(at + 1);
        let group = inside && digit(at + 2) && digit(at + 3) && !digit(at + 4);
        match c {
            ',' if inside => pointed.push('.'),
            '.' if group => {}
            c => pointed.push(c),
        }
    }
    Cow::Owned(pointed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_backslashes_come_back() {
        for (text, restored) in [
            ("\x0crac{1}{2}", "\\frac{1}{2}"),
            ("2 \times 3", "2 \\times 3"),
            ("\x08inom{4}{2}", "\\binom{4}{2}"),
            ("\right)", "\\right)"),
            ("\\\\frac{1}{2}", "\\frac{1}{2}"),
            ("\\\\begin{pmatrix}1\\\\\\\\2\\\\end{pmatrix}", "\\begin{pmatrix}1\\\\2\\end{pmatrix}"),
        ] {
            assert_eq!(unescaped(text), restored);
        }
        for same in ["1\t2", "\\frac12", "\\begin{pmatrix}1\\\\2\\end{pmatrix}", "1 \\\\ 2", "\x0c1", ""] {
            assert_eq!(unescaped(same), same);
        }
    }

    #[test]
    fn commas_become_points() {
        for (text, pointed) in [
            ("0,5", "0.5"),
            ("1.234.567,25", "1234567.25"),
            ("1,5; 2,5", "1.5; 2.5"),
            ("(1, 2)", "(1, 2)"),
            ("1{,}5", "1.5"),
            ("1.5", "1.5"),
            ("é,1", "é,1"),
        ] {
            assert_eq!(with_points(text), pointed);
        }
    }
}
