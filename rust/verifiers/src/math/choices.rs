//! Choices of a multiple-choice question, with their letter: `\textbf{(B)}\ 12`.

use super::tokens::unspaced;

/// Commands whose argument may be a letter in bold or upright type.
const STYLES: [&str; 8] =
    ["\\text{", "\\textbf{", "\\mathbf{", "\\mathrm{", "\\textrm{", "\\boldsymbol{", "\\bold{", "\\mathsf{"];

/// The letter of a choice at the start of a text and the text after it: `(B) 12`, `\text{B. }12`, `Option B`.
/// Nothing if the text could be a formula.
pub fn choice(text: &str) -> Option<(&str, &str)> {
    let style = STYLES.iter().find_map(|style| text.strip_prefix(style));
    let inner = style.unwrap_or(text).trim_start();
    let named = ["option ", "Option ", "choice ", "Choice "].iter().find_map(|name| inner.strip_prefix(name));
    let start = named.unwrap_or(inner);
    let (open, after) = match start.as_bytes().first()? {
        b'(' => (Some(')'), &start[1..]),
        b'[' => (Some(']'), &start[1..]),
        _ => (None, start),
    };
    let letter = after.get(..1).filter(|letter| ("A"..="J").contains(letter))?;
    let after = &after[1..];
    // The mark behind the letter, the text after it, and whether the style ends between them.
    let (mark, rest, ended) = if let Some(close) = open {
        (true, after.strip_prefix(close)?, false)
    } else {
        let ended = style.is_some() && after.starts_with('}');
        let behind = &after[usize::from(ended)..];
        match behind.strip_prefix([')', '.', ':']) {
            // `A:B` is a ratio, and `A.5` a product.
            Some(rest) if !rest.starts_with(|c: char| c.is_alphanumeric()) => (true, rest, ended),
            _ => (false, behind, ended),
        }
    };
    let styled = style.is_some() && !ended;
    let (rest, inside) = match rest.trim_start().strip_prefix('}') {
        Some(rest) if styled => (rest, false),
        _ => (rest, styled),
    };
    let rest = if mark && open.is_some() { rest.strip_prefix([':', '.']).unwrap_or(rest) } else { rest };
    let spaced = unspaced(rest);
    let gap = style.is_some() || !rest.starts_with(spaced);
    let rest = spaced;
    // `\text{(B) 12}`
    let rest = if inside { unspaced(rest.strip_suffix('}')?) } else { rest };
    if inside && rest.contains(['{', '}', '\\']) {
        return None;
    }
    // `(C) (D)` are two choices.
    let alone = rest.trim_matches(|c: char| "()[].: ".contains(c));
    if alone.len() == 1 && ("A"..="J").contains(&alone) {
        return None;
    }
    match (mark, rest.is_empty()) {
        // A letter alone is a variable.
        (_, true) => (mark && open != Some(')') || named.is_some()).then_some((letter, "")),
        // `(A)(B)` and `(A) + 1` are formulas.
        (true, false) => {
            let formula = rest
                .starts_with(['+', '*', '/', '=', '^', '_', '<', '>', '!', '\'', ')', ']', ','])
                || rest.starts_with("\\cdot")
                || rest.starts_with("\\times")
                || rest.starts_with("\\cup")
                || rest.starts_with("\\cap")
                || (rest.starts_with('-') && style.is_none())
                || (rest.starts_with('(') && !gap);
            (!formula && (gap || open.is_none())).then_some((letter, rest))
        }
        (false, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_with_a_mark_starts_a_choice() {
        for text in [
            "(B) 12",
            "\\textbf{(B)}\\ 12",
            "\\textbf{(B) }12",
            "\\text{(B) } 12",
            "\\mathrm{(B)}~12",
            "\\textbf{B) } 12",
            "B. 12",
            "B) 12",
            "B: 12",
            "\\text{B: } 12",
            "\\text{(B) 12}",
            "\\text{B. }12",
            "\\textbf{B}. 12",
            "[B] 12",
        ] {
            assert_eq!(choice(text), Some(("B", "12")), "{text}");
        }
        for text in ["B)", "[B]", "B.", "option B", "\\text{Option B}", "\\textbf{B)}", "Choice B."] {
            assert_eq!(choice(text), Some(("B", "")), "{text}");
        }
        for text in [
            "",
            "B",
            "(B)",
            "\\text{B}",
            "B 12",
            "B:C",
            "B.5",
            "(B)(C)",
            "(B) + 1",
            "(B)12",
            "B=12",
            "(B, C)",
            "b) 12",
            "X. 12",
            "(B) - 1",
            "\\text{B 12}",
            "(B)^2",
            "(C) (D)",
            "C. D",
            "\\text{(B) \\frac12}",
            "é",
            "(",
            "\\text{",
            "[A, B]",
        ] {
            assert_eq!(choice(text), None, "{text}");
        }
    }
}
