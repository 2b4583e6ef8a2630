//! Boxes inside formulas: `-\boxed{3}` and `\boxed{3}^2` hold a part of the answer only.

use std::ops::Range;

use kit::task::answer::without_reasoning;

/// Bytes before and after a box that are looked at.
const WINDOW: usize = 80;

/// Longest value behind a box that is looked at, in characters.
const LONGEST_RESTATED: usize = 200;

/// Spaces of LaTeX.
const SPACES: [&str; 9] = ["\\,", "\\;", "\\:", "\\!", "\\ ", "\\quad", "\\qquad", "~", "&"];

/// Commands whose argument is text or is only styled.
const STYLES: [&str; 18] = [
    "text",
    "textbf",
    "textit",
    "textrm",
    "mathrm",
    "mathbf",
    "boldsymbol",
    "underline",
    "large",
    "Large",
    "LARGE",
    "huge",
    "Huge",
    "displaystyle",
    "ensuremath",
    "mbox",
    "begin",
    "end",
];

/// Commands whose argument is a color.
const COLORS: [&str; 3] = ["color", "textcolor", "colorbox"];

/// Commands that may be before a box without changing what is in it.
const LEADING: [&str; 23] = [
    "equiv",
    "Rightarrow",
    "Longrightarrow",
    "implies",
    "iff",
    "Leftrightarrow",
    "therefore",
    "to",
    "rightarrow",
    "approx",
    "simeq",
    "in",
    "displaystyle",
    "textstyle",
    "colon",
    "large",
    "Large",
    "LARGE",
    "bf",
    "rm",
    "par",
    "noindent",
    "item",
];

/// Commands that may follow a box without changing what is in it.
const FOLLOWING: [&str; 26] = [
    "text",
    "textbf",
    "textit",
    "textrm",
    "mathrm",
    "mbox",
    "square",
    "blacksquare",
    "checkmark",
    "qed",
    "Box",
    "end",
    "tag",
    "hfill",
    "Rightarrow",
    "implies",
    "therefore",
    "because",
    "newline",
    "par",
    "medskip",
    "bigskip",
    "noindent",
    "color",
    "boxed",
    "fbox",
];

/// True if the formula around a box makes another value of what is in it.
pub fn is_part(text: &str, outer: &Range<usize>) -> bool {
    let mut start = outer.start.saturating_sub(WINDOW);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let mut end = (outer.end + WINDOW).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    // The end of reasoning is not part of a formula: `[/THINK]\boxed{5}`.
    let (before, after) = (without_reasoning(&text[start..outer.start]), &text[outer.end..end]);
    before_changes(&before, after) || after_changes(&before, after)
}

/// The value that is given again behind a box: `0.5` of `\boxed{\frac12} = 0.5`.
pub fn restated<'a>(text: &'a str, outer: &Range<usize>) -> Option<&'a str> {
    let after = text[outer.end..].trim_start_matches([' ', '}']);
    let rest = ["=", "≈", "\\approx"].iter().find_map(|sign| after.strip_prefix(sign))?;
    let rest = rest.char_indices().nth(LONGEST_RESTATED).map_or(rest, |(at, _)| &rest[..at]);
    let end = ["$", "\\)", "\\]", "\n"].iter().filter_map(|mark| rest.find(mark)).min().unwrap_or(rest.len());
    Some(rest[..end].trim().trim_end_matches(['.', ',']))
}

fn before_changes(before: &str, after: &str) -> bool {
    let mut before = before;
    // Each round takes off a group or a space.
    for _ in 0..6 {
        let spaced = before.ends_with([' ', '\n']);
        let whole = before;
        before = unspaced_end(before);
        // A formula continues in the next line only behind a sign.
        let ended = whole[before.len()..].contains('\n')
            && before.ends_with(|c: char| c.is_alphanumeric() || ")]}>*_".contains(c))
            && command_end(before).is_none_or(|(command, _)| LEADING.contains(&command));
        if ended {
            return false;
        }
        let Some(last) = before.chars().next_back() else { return false };
        let head = &before[..before.len() - last.len_utf8()];
        let starts_line = head.trim_end_matches(' ').is_empty() || head.trim_end_matches(' ').ends_with('\n');
        match last {
            '\n' | '\\' => return false,
            '$' if head.ends_with('\\') => before = &head[..head.len() - 1],
            '(' | '[' if head.ends_with('\\') => return false,
            '(' | '[' => {
                let close = if last == '(' { ')' } else { ']' };
                let alone = unspaced_start(after.trim_start_matches(['$', '.'])).starts_with(close);
                let called = head.ends_with(|c: char| c.is_alphanumeric() || ")}".contains(c));
                return !alone || called;
            }
            '=' => return head.ends_with(['!', '<', '>', '/']),
            '{' => match command_end(head) {
                Some((command, rest)) if STYLES.contains(&command) => before = rest,
                Some(_) => return true,
                None => match group_end(head) {
                    Some((command, rest)) if COLORS.contains(&command) => before = rest,
                    Some(_) => return true,
                    None => before = head,
                },
            },
            '}' => {
                let known = |command| {
                    STYLES.contains(&command)
                        || COLORS.contains(&command)
                        || matches!(command, "boxed" | "fbox")
                };
                return group_start(before)
                    .is_some_and(|at| command_end(&before[..at]).is_none_or(|(command, _)| !known(command)));
            }
            ')' | ']' => return !head.ends_with('\\') && !spaced,
            ':' => return !spaced && head.ends_with(|c: char| c.is_ascii_digit()),
            ',' => return unspaced_start(after).starts_with(')'),
            '*' => {
                let bold = head.ends_with('*') || head.trim_end_matches(' ').is_empty() || spaced_word(head);
                return !(bold || starts_line && spaced);
            }
            '_' => return head.ends_with(char::is_alphanumeric),
            '-' | '–' | '—' | '−' | '+' | '>' => {
                let bullet = spaced && (starts_line || spaced_word(head));
                // `</think>`
                let tag = last == '>' && head.rfind('<').is_some_and(|at| !head[at..].contains(' '));
                if tag {
                    return false;
                }
                let arrow = last == '>' && head.ends_with(['-', '=', '>']);
                return !bullet && !arrow;
            }
            '!' | '|' => return !spaced,
            '<' | '≤' | '≥' | '≠' | '±' | '/' | '^' | '×' | '·' | '√' | 'π' => return true,
            _ if last.is_ascii_digit() => return true,
            _ if last.is_ascii_alphabetic() => {
                if let Some((command, _)) = command_end(before) {
                    return !LEADING.contains(&command);
                }
                let letters = before.chars().rev().take_while(|c| c.is_alphabetic()).count();
                return letters == 1;
            }
            _ => return false,
        }
    }
    true
}

fn after_changes(before: &str, after: &str) -> bool {
    let mut after = after;
    for _ in 0..4 {
        let spaced = after.starts_with(' ');
        after = unspaced_start(after);
        let mut chars = after.chars();
        let Some(first) = chars.next() else { return false };
        let rest = chars.as_str();
        let word = |text: &str| text.chars().take_while(|c| c.is_alphabetic()).count() > 1;
        match first {
            '}' | ')' | ']' => after = rest,
            '^' => return !(rest.starts_with("\\circ") || rest.starts_with("{\\circ")),
            '_' => return rest.starts_with(|c: char| c.is_alphanumeric() || c == '{'),
            '-' | '–' | '—' | '−' => {
                let dash = rest.starts_with([' ', '\n']) && word(rest.trim_start());
                return !dash && !rest.is_empty();
            }
            '+' | '/' | '·' | '×' | '>' | '≤' | '≥' | '≠' | '±' | '|' => return true,
            '*' => return spaced && rest.starts_with(' '),
            '<' => return !rest.starts_with(|c: char| c.is_alphabetic() || "/|｜".contains(c)),
            ':' => return rest.starts_with(|c: char| c.is_ascii_digit()),
            '!' => return rest.starts_with(['$', '\\', '!']),
            '(' => return !spaced,
            '\\' => {
                let name: String = rest.chars().take_while(char::is_ascii_alphabetic).collect();
                // `\equiv \boxed{9} \pmod{11}`
                if matches!(name.as_str(), "pmod" | "mod" | "bmod") {
                    return !unspaced_end(before).ends_with("\\equiv");
                }
                return match rest.chars().next() {
                    Some(')' | ']' | '\\' | '%' | '$') | None => false,
                    Some(_) => !FOLLOWING.contains(&name.as_str()),
                };
            }
            _ if first.is_ascii_digit() => return true,
            _ if first.is_alphabetic() => {
                let lone = !rest.starts_with(char::is_alphabetic)
                    && (first.is_ascii() || ('α'..='ω').contains(&first));
                return lone && !(spaced && matches!(first, 'a' | 'I' | 'A'));
            }
            _ => return false,
        }
    }
    false
}

/// True for a text that ends with a word of prose and a space.
fn spaced_word(text: &str) -> bool {
    let head = text.trim_end_matches(' ');
    let letters: usize = head.chars().rev().take_while(|c| c.is_alphabetic()).map(char::len_utf8).sum();
    head.len() < text.len() && letters > 1 && !head[..head.len() - letters].ends_with('\\')
}

fn unspaced_end(text: &str) -> &str {
    let mut text = text;
    loop {
        // A blank line ends a formula.
        let bare = text.trim_end_matches([' ', '\t']);
        let bare = bare
            .strip_suffix('\n')
            .filter(|rest| !rest.trim_end_matches(' ').ends_with('\n'))
            .unwrap_or(bare);
        let bare = bare.strip_suffix('\r').unwrap_or(bare);
        let bare = SPACES.iter().find_map(|space| bare.strip_suffix(space)).unwrap_or(bare);
        if bare.len() == text.len() {
            return bare;
        }
        text = bare;
    }
}

fn unspaced_start(text: &str) -> &str {
    let mut text = text;
    loop {
        let bare = text.trim_start_matches([' ', '\t']);
        let bare = SPACES.iter().find_map(|space| bare.strip_prefix(space)).unwrap_or(bare);
        if bare.len() == text.len() {
            return bare;
        }
        text = bare;
    }
}

/// The command at the end of a text, and the text before it.
fn command_end(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end_matches(' ');
    let letters = text.bytes().rev().take_while(u8::is_ascii_alphabetic).count();
    let (head, name) = text.split_at(text.len() - letters);
    (letters > 0).then(|| head.strip_suffix('\\').map(|rest| (name, rest))).flatten()
}

/// The command whose argument in braces ends a text, and the text before it.
fn group_end(text: &str) -> Option<(&str, &str)> {
    group_start(text).and_then(|at| command_end(&text[..at]))
}

/// The start of the group in braces that ends a text.
fn group_start(text: &str) -> Option<usize> {
    let text = text.trim_end_matches(' ');
    let mut depth = 0_i32;
    for (at, byte) in text.bytes().enumerate().rev() {
        depth += i32::from(byte == b'}') - i32::from(byte == b'{');
        if depth <= 0 {
            return (depth == 0 && byte == b'{').then_some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::task::answer::marked::boxes;

    fn part(text: &str) -> bool {
        let found = boxes(text);
        let last = found.all.last().expect("a box");
        is_part(text, &last.outer)
    }

    #[test]
    fn a_box_that_a_formula_changes_is_a_part_of_it() {
        for text in [
            r"$-\boxed{3}$",
            r"-\boxed{3}",
            r"$x\ne\boxed{3}$",
            r"$x \neq \boxed{3}$",
            r"$x \le \boxed{3}$",
            r"$x<\boxed{3}$",
            r"$\boxed{3}^2$",
            r"$2\boxed{3}$",
            r"$2 \cdot \boxed{3}$",
            r"$1+\boxed{3}$",
            r"$x - \boxed{3}$",
            r"$\sqrt{\boxed{3}}$",
            r"$\frac{1}{\boxed{3}}$",
            r"$\frac{\boxed{3}}{2}$",
            r"$2^{\boxed{3}}$",
            r"$x_{\boxed{3}}$",
            r"$f(\boxed{3})$",
            r"$\log \boxed{3}$",
            r"$\boxed{3}x$",
            r"$\boxed{3} x$",
            r"$\boxed{3}\pi$",
            r"$\boxed{3}\sqrt2$",
            r"$\boxed{3}+1$",
            r"$\boxed{3} - 1$",
            r"$\boxed{3}/2$",
            r"$\boxed{3}!$",
            r"$\boxed{3}:2$",
            r"$2:\boxed{3}$",
            r"$(\boxed{3}, 2)$",
            r"$(1, \boxed{3})$",
            r"$[\boxed{3}, 4]$",
            r"$\boxed{3}_8$",
            r"$\boxed{3} \pm 1$",
            r"$\boxed{3} < x$",
            r"$|\boxed{3}|$",
            r"$\frac12\boxed{3}$",
            r"$(2)\boxed{3}$",
            r"$x >= \boxed{3}$",
            r"$x != \boxed{3}$",
            r"$3 * \boxed{3}$",
            r"$\boxed{3}(x+1)$",
            r"$({\boxed{3}})^2$",
            r"$\boxed{3} \mod 5$",
        ] {
            assert!(part(text), "{text}");
        }
        for text in [
            r"\boxed{3}",
            r"$\boxed{3}$.",
            r"$x=\boxed{3}$",
            r"$x = \boxed{3}.$",
            r"\(\boxed{3}\)",
            r"\[ x = 2+1 = \boxed{3}. \]",
            r"$\implies \boxed{3}$",
            r"$x \approx \boxed{3}$",
            r"$x\in\boxed{[2,3]}$",
            r"$\displaystyle \boxed{3}$",
            r"{\boxed{3}}",
            r"$\color{red}{\boxed{3}}$",
            r"$\textbf{\boxed{3}}$",
            r"is \boxed{3}, as",
            r"- \boxed{3}",
            r"* \boxed{3}",
            r"1. \boxed{3}",
            r"Answer - \boxed{3}",
            r"so (\boxed{3}).",
            r"**\boxed{3}**",
            r"\boxed{3} - which is prime",
            r"\boxed{3} apples",
            r"\boxed{3}\text{ cm}",
            r"\boxed{3}\%",
            r"\boxed{3}^\circ",
            "x\n\n\\boxed{3}\nand",
            r"\begin{align*} x &= \boxed{3} \end{align*}",
            r"\$\boxed{3}",
            r"\text{Answer: }\boxed{3}",
            r"Great! \boxed{3}!",
            r"> \boxed{3}",
            r"=> \boxed{3}",
            r"-> \boxed{3}",
            r"is:\boxed{3}",
            r"\boxed{3} \square",
            r"\boxed{2}, \boxed{3}",
            r"\boxed{2} and \boxed{3}",
            r"é\boxed{3}é.",
            r"\boxed{3} a day",
            r"<b>\boxed{3}</b>",
            r"\\ &= \boxed{3} \\",
            r"n={\boxed{3}}",
            r"m + n = \ \boxed{3}",
        ] {
            assert!(!part(text), "{text}");
        }
    }

    #[test]
    fn a_value_behind_a_box_is_found() {
        let found = |text: &'static str| restated(text, &boxes(text).all[0].outer);
        assert_eq!(found(r"$\boxed{\frac12} = 0.5$."), Some("0.5"));
        assert_eq!(found(r"$\boxed{x} \approx 0.5$"), Some("0.5"));
        assert_eq!(found(r"$\boxed{3}$ = 4"), None);
        assert_eq!(found(r"\boxed{3}"), None);
    }
}
