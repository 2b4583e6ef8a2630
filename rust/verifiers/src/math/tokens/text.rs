//! Text inside formulas: `\text{ cm}`, `\textbf{(B)}`, `{\rm cm}`, `US\$`.

use super::{Lexer, Token};
use crate::math::Fault;

/// Spaces of LaTeX.
const SPACES: [&str; 10] = ["~", "\\ ", "\\,", "\\;", "\\:", "\\!", "\\quad", "\\qquad", "\u{a0}", "\\~"];

/// Declarations that set the rest of a group as text.
const STYLES: [&str; 6] = ["\\rm", "\\bf", "\\it", "\\sf", "\\tt", "\\sc"];

/// Bytes of a group that may be text.
const LONGEST_GROUP: usize = 200;

/// A text without white space and spaces of LaTeX around it.
pub fn unspaced(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(rest) = SPACES.iter().find_map(|space| text.strip_prefix(space)) {
        text = rest.trim_start();
    }
    while let Some(rest) = SPACES.iter().find_map(|space| text.strip_suffix(space)) {
        text = rest.trim_end();
    }
    text
}

/// True for a text without commands but for spaces around it.
pub fn is_plain(text: &str) -> bool {
    !unspaced(text).contains(['\\', '{', '}'])
}

/// True before an environment that a brace makes a system of equations.
pub fn is_system(text: &str) -> bool {
    ["\\begin{array}", "\\begin{aligned}"].iter().any(|begin| text.starts_with(begin))
}

impl<'a> Lexer<'a> {
    /// The end of an argument in square brackets, if there is one.
    pub(super) fn option(&self, from: usize) -> usize {
        let rest = &self.rest()[from..];
        let end = if rest.starts_with('[') { rest.find(']').map_or(0, |end| end + 1) } else { 0 };
        from + end
    }

    /// The contents of the braces that open at `from`, and where they end, if they are short and hold no others.
    pub(super) fn short_group(&self, from: usize) -> Option<(&'a str, usize)> {
        let rest = self.rest()[from..].trim_start_matches(' ');
        let start = self.rest().len() - rest.len() + 1;
        let inner = rest.strip_prefix('{')?;
        let end = inner.bytes().take(LONGEST_GROUP).position(|byte| byte == b'}')?;
        (!inner[..end].contains('{')).then_some((&inner[..end], start + end + 1))
    }

    /// Reads the group `{\rm cm}` as text; false if it is none.
    pub(super) fn styled_group(&mut self) -> Result<bool, Fault> {
        let inner = self.rest()[1..].trim_start();
        let styled = STYLES.iter().find_map(|style| inner.strip_prefix(style));
        if styled.is_none_or(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic())) {
            return Ok(false);
        }
        let Some((group, whole)) = self.short_group(0) else { return Ok(false) };
        let text = &group.trim_start()[3..];
        if !is_plain(text) || text.trim().is_empty() {
            return Ok(false);
        }
        self.text_token(text, whole)?;
        Ok(true)
    }

    /// The currency that a name stands for, and the length of the name with its sign: `US\$`, `Rs.`.
    pub(super) fn currency_name(&self, run: &'a str) -> Option<(&'a str, usize)> {
        let after = &self.rest()[run.len()..];
        match run {
            "US" => {
                let sign = if after.starts_with("\\$") { 2 } else { usize::from(after.starts_with('$')) };
                (sign > 0).then_some(("$", 2 + sign))
            }
            "Rs" | "USD" | "EUR" | "GBP" | "INR" if self.found.is_empty() => {
                let point = usize::from(after.starts_with('.'));
                let amount = unspaced(&after[point..]).starts_with(|c: char| c.is_ascii_digit());
                amount.then_some((run, run.len() + point))
            }
            _ => None,
        }
    }

    /// Pushes the tokens for the text of a command, which is `whole` long.
    pub(super) fn text_token(&mut self, inner: &'a str, whole: usize) -> Result<(), Fault> {
        let trimmed = unspaced(inner);
        let bare = trimmed.trim_matches(|c: char| c == ',' || c.is_whitespace());
        if has_number(bare) {
            let end = self.at + whole;
            let stop = bare.as_ptr() as usize + bare.len() - self.text.as_ptr() as usize;
            self.at = stop - bare.len();
            while self.at < stop {
                self.next()?;
            }
            self.at = end;
            self.spaced = true;
            return Ok(());
        }
        // `\text{(A)}` is a choice, as `(A)` is.
        let bare = match bare.as_bytes() {
            [b'(', letter, b')'] if letter.is_ascii_uppercase() => &bare[1..2],
            _ => bare,
        };
        // `\text{ hours and }`
        let (bare, joint) = match bare.rsplit_once([' ', '~']) {
            Some((words, "and")) => (words.trim_end_matches([' ', ',']), Some(Token::And)),
            Some((words, "or")) => (words.trim_end_matches([' ', ',']), Some(Token::Or)),
            _ => (bare, None),
        };
        let token = match bare {
            "and" => Token::And,
            "or" => Token::Or,
            "mod" => Token::Mod,
            "percent" | "pct" | "percentage" | "\\%" | "%" => Token::Percent,
            "degree" | "degrees" => Token::Degree,
            "\\$" | "$" => Token::Currency("$"),
            "infinity" | "Infinity" => Token::Infinity,
            "" => {
                self.skip(whole);
                return Ok(());
            }
            _ if bare.len() == 1 && bare.as_bytes()[0].is_ascii_alphabetic() => Token::Letter(bare),
            _ if bare.bytes().all(|byte| byte.is_ascii_digit()) => Token::Number(bare),
            _ => Token::Word(if joint.is_some() { bare } else { trimmed }, true),
        };
        self.push(token, whole);
        if let Some(joint) = joint {
            self.push(joint, 0);
        }
        Ok(())
    }
}

/// True for a number in a text, perhaps with words after it: `8 cents`, `$8$`, `\$6.50`.
fn has_number(text: &str) -> bool {
    let mut words = text.split([' ', '~']);
    let first = words.next().unwrap_or_default();
    let number = first.trim_start_matches(['$', '-', '\\']).trim_end_matches(['$', '%', '\\']);
    let digits = number.starts_with(|c: char| c.is_ascii_digit())
        && number.ends_with(|c: char| c.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_digit() || ".,/".contains(c));
    let plain = number.len() == text.len() && number.bytes().all(|byte| byte.is_ascii_digit());
    digits && !plain && words.all(|word| word.chars().all(|c| c.is_alphabetic() || c == '.'))
}
