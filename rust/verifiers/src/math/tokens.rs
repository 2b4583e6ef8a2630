//! Text, LaTeX or plain, cut into tokens in one pass.

use super::commands::{self, Meaning};
use super::expression::Function;
use super::{Fault, Unread};
use crate::words;
use kit::budget::Budget;

mod text;

pub use text::unspaced;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<'a> {
    /// Digits with or without a point, an exponent and marks between thousands.
    Number(&'a str),
    /// A fraction in a single character: ½.
    Vulgar(i64, i64),
    /// Superscript digits: ².
    Raised(i64),
    /// A name that is a variable, or e or i.
    Letter(&'a str),
    /// A word; true if it is in `\text{}` or the like.
    Word(&'a str, bool),
    Function(Named),
    Pi,
    Infinity,
    Plus,
    Minus,
    /// ± and ∓.
    PlusMinus(bool),
    Times,
    Slash,
    Colon,
    Caret,
    Under,
    Bang,
    Prime,
    Percent,
    Degree,
    Currency(&'a str),
    Comma,
    Semicolon,
    /// Between an item and its condition, or around a magnitude.
    Bar,
    Open(Bracket),
    Close(Bracket),
    Frac,
    Root,
    Binom,
    Choose,
    /// `{a \over b}`
    Over,
    Relation(Relation),
    Member,
    Union,
    Intersection,
    Without,
    And,
    Or,
    Mod,
    Empty,
    /// ℝ, ℤ, ℕ, ℚ, ℂ.
    NumberSet(char),
    Begin(Matrix),
    End,
    Cell,
    Row,
    Overline,
    Dots,
    Box,
    ForAll,
    /// A sign from which no formula is read, such as `\sum` or `\operatorname{rank}`: only a name may have it.
    Opaque,
    /// `\to`
    To,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    Round,
    Square,
    /// Of a LaTeX group.
    Brace,
    Set,
    Angle,
    Floor,
    Ceiling,
    Magnitude,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matrix {
    /// In round or square brackets.
    Bracketed,
    Other,
    /// Behind a brace: a system of equations, or the pieces of a function.
    Cases,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Equal,
    About,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    Congruent,
}

/// Effect of a name on what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    Of(Function),
    /// One over the function: sec, csc, cot.
    Over(Function),
    /// The inverse of one over the function: arccot.
    Root(u32),
    LogOf(i64),
    /// Functions of several arguments: the largest, the smallest, the greatest common divisor, the least
    /// common multiple.
    Max,
    Min,
    Gcd,
    Lcm,
}

/// A token, and the byte at which it starts.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    pub token: Token<'a>,
    pub at: usize,
    pub end: usize,
    /// True if white space comes before it.
    pub spaced: bool,
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// Brackets in which a comma separates items.
    listing: u32,
    /// True if a dollar sign is a currency sign rather than a mark of mathematics.
    dollars: bool,
    spaced: bool,
    /// Number of matrices that are open.
    environments: u32,
    /// A brace opens the system of equations that follows.
    system: bool,
    found: Vec<Placed<'a>>,
}

pub fn tokens<'a>(text: &'a str, budget: &mut Budget) -> Result<Vec<Placed<'a>>, Fault> {
    // A token costs some forty nanoseconds.
    budget.spend(10 * text.len() as u64 + 20)?;
    let dollars = dollar_signs(text) % 2 == 1;
    let found = Vec::with_capacity(text.len().min(256));
    let mut lexer =
        Lexer { text, at: 0, listing: 0, dollars, spaced: false, environments: 0, system: false, found };
    while lexer.at < text.len() {
        lexer.next()?;
    }
    Ok(lexer.found)
}

/// Number of dollar signs without a backslash.
fn dollar_signs(text: &str) -> usize {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'$', bytes).filter(|&at| at == 0 || bytes[at - 1] != b'\\').count()
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn unread(&self, length: usize) -> Fault {
        let length = self.rest().char_indices().map(|(at, c)| at + c.len_utf8()).find(|end| *end >= length);
        let end = self.at + length.unwrap_or(self.rest().len());
        Fault::Unread(Unread { at: self.at, what: self.text[self.at..end].chars().take(40).collect() })
    }

    /// True after the brace of `\boxed{12}`, from which a dollar sign parts its unit: `\boxed{12}$ km`.
    fn after_box(&self) -> bool {
        let first = self.found.first().map(|placed| placed.token);
        let last = self.found.last().map(|placed| placed.token);
        first == Some(Token::Box) && last == Some(Token::Close(Bracket::Brace))
    }

    fn push(&mut self, token: Token<'a>, length: usize) {
        let end = self.at + length;
        self.found.push(Placed { token, at: self.at, end, spaced: self.spaced });
        self.spaced = false;
        self.at = end;
    }

    fn skip(&mut self, length: usize) {
        self.at += length;
        self.spaced = true;
    }

    fn next(&mut self) -> Result<(), Fault> {
        let rest = self.rest();
        let c = rest.chars().next().expect("there is text left");
        let pair = |second: &str| rest[c.len_utf8()..].starts_with(second);
        match c {
            _ if c.is_whitespace() => self.skip(c.len_utf8()),
            // A LaTeX space; at the start it means "about".
            '~' if !self.found.is_empty() => self.skip(1),
            '0'..='9' => self.number(),
            '.' if rest[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number(),
            '.' if rest.starts_with("...") => self.push(Token::Dots, 3),
            '.' if self.environments > 0 => self.skip(1),
            'a'..='z' | 'A'..='Z' => self.letters()?,
            '\\' => self.command()?,
            '*' if pair("*") => self.push(Token::Caret, 2),
            '<' if pair("=") => self.push(Token::Relation(Relation::AtMost), 2),
            '>' if pair("=") => self.push(Token::Relation(Relation::AtLeast), 2),
            '!' if pair("=") => self.push(Token::Relation(Relation::Unequal), 2),
            '=' if pair("=") => self.push(Token::Relation(Relation::Equal), 2),
            '$' if !self.dollars || self.after_box() => self.skip(1),
            // Marks the places where the rows of a derivation are aligned.
            '&' if self.environments == 0 => self.skip(1),
            '{' if rest.starts_with("{,}") => self.push(Token::Comma, 3),
            '{' if rest.starts_with("{:}") => self.push(Token::Colon, 3),
            '{' if self.styled_group()? => {}
            '(' | '[' => {
                self.listing += 1;
                self.push(Token::Open(if c == '(' { Bracket::Round } else { Bracket::Square }), 1);
            }
            ')' | ']' => {
                self.listing = self.listing.saturating_sub(1);
                self.push(Token::Close(if c == ')' { Bracket::Round } else { Bracket::Square }), 1);
            }
            '{' => {
                if self.found.is_empty() {
                    self.listing += 1;
                }
                self.push(Token::Open(Bracket::Brace), 1);
            }
            '⁰' | '¹' | '²' | '³' | '⁴'..='⁹' | '⁻' => self.raised()?,
            _ => match commands::sign(c) {
                Some(token) => {
                    let token = if c == '$' { Token::Currency(&rest[..1]) } else { token };
                    self.push(token, c.len_utf8());
                }
                None if commands::is_currency(c) => {
                    self.push(Token::Currency(&rest[..c.len_utf8()]), c.len_utf8());
                }
                None if ('α'..='ω').contains(&c) || "ΓΔΘΛΞΣΦΨΩ".contains(c) => {
                    self.push(Token::Letter(commands::greek(c, rest)), c.len_utf8());
                }
                None => return Err(self.unread(1)),
            },
        }
        Ok(())
    }

    fn raised(&mut self) -> Result<(), Fault> {
        const DIGITS: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
        let rest = self.rest();
        let negative = rest.starts_with('⁻');
        let (mut value, mut length) = (0_i64, if negative { '⁻'.len_utf8() } else { 0 });
        let mut digits = 0;
        for c in rest[length..].chars() {
            let Some(digit) = DIGITS.chars().position(|digit| digit == c) else { break };
            value = value * 10 + digit as i64;
            length += c.len_utf8();
            digits += 1;
            if digits > 9 {
                return Err(self.unread(length));
            }
        }
        if digits == 0 {
            return Err(self.unread(length));
        }
        self.push(Token::Raised(if negative { -value } else { value }), length);
        Ok(())
    }

    fn number(&mut self) {
        let bytes = &self.text.as_bytes()[self.at..];
        let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut end = digits(0);
        // Thousands: `1,234`, and in any place `1{,}234`, `1,\!234`, `1\,234` and `1 234`.
        if (1..=3).contains(&end) && bytes[0] != b'0' {
            let marks: &[&[u8]] =
                &[b"{,}", b",\\! ", b",\\!", b"\\,", b"\\ ", b"\xc2\xa0", b"\xe2\x80\xaf", b" ", b","];
            let usable = if self.listing > 0 { &marks[..marks.len() - 1] } else { marks };
            let mark = usable.iter().find(|mark| bytes[end..].starts_with(mark));
            if let Some(mark) = mark {
                let mut further = end;
                // `3 125/250` is a mixed number.
                let parted = |at: usize| {
                    let after = at + digits(at);
                    *mark == b" " && bytes[after..].trim_ascii_start().starts_with(b"/")
                };
                let group = |at: usize| bytes[at..].starts_with(mark) && digits(at + mark.len()) == 3;
                while group(further) && !parted(further + mark.len()) {
                    further += mark.len() + 3;
                }
                // In `1,234,5` the commas separate items.
                let next = further + mark.len();
                let goes_on = bytes[further..].starts_with(mark) && digits(next) > 0 && !parted(next);
                if !goes_on {
                    end = further;
                }
            }
        }
        if bytes.get(end) == Some(&b'.') {
            let decimals = digits(end + 1);
            // The point of `5.` ends a sentence or a number; in `0.\overline{3}` digits follow.
            if decimals > 0 || bytes[end + 1..].starts_with(b"\\overline") {
                end += 1 + decimals;
            }
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let power = if end + 1 + sign < bytes.len() { digits(end + 1 + sign) } else { 0 };
            if power > 0 {
                end += 1 + sign + power;
            }
        }
        self.push(Token::Number(&self.rest()[..end]), end);
    }

    /// Letters in a row: a known name, a word, or variables side by side.
    fn letters(&mut self) -> Result<(), Fault> {
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
        let run = &rest[..length];
        if length == 1 {
            self.push(Token::Letter(run), 1);
            return Ok(());
        }
        // `5 min` are minutes.
        let named = |token: &Token<'_>| {
            let several = matches!(token, Token::Function(Named::Max | Named::Min | Named::Gcd | Named::Lcm));
            !several || rest[length..].starts_with('(')
        };
        if let Some(sign) = self.currency_name(run) {
            self.push(Token::Currency(sign.0), sign.1);
            return Ok(());
        }
        if let Some(token) = commands::plain_name(run).filter(named) {
            self.push(token, length);
            return Ok(());
        }
        if words::is_unit(run) || words::looks_like_a_word(run) {
            self.push(Token::Word(run, false), length);
            return Ok(());
        }
        // `sinx` and `2pix` are a name and a variable; other letters are variables.
        if let Some((token, name)) = commands::plain_prefix(run) {
            self.push(token, name);
            return Ok(());
        }
        if length > 12 {
            return Err(self.unread(length));
        }
        for _ in 0..length {
            let at = self.at;
            self.push(Token::Letter(&self.text[at..=at]), 1);
        }
        Ok(())
    }

    #[expect(clippy::too_many_lines, reason = "one arm per meaning")]
    fn command(&mut self) -> Result<(), Fault> {
        let rest = self.rest();
        let name_length = rest[1..].bytes().take_while(u8::is_ascii_alphabetic).count();
        if name_length == 0 {
            let c = rest[1..].chars().next().ok_or_else(|| self.unread(1))?;
            let length = 1 + c.len_utf8();
            match c {
                ',' | '!' | ';' | ':' | ' ' | '>' | '/' | '(' | ')' | '[' | ']' | '\n' => self.skip(length),
                '#' if self.found.is_empty() => self.skip(length),
                '&' => self.push(Token::And, length),
                '\\' => self.push(Token::Row, length),
                '{' => {
                    self.listing += 1;
                    self.push(Token::Open(Bracket::Set), length);
                }
                '}' => {
                    self.listing = self.listing.saturating_sub(1);
                    self.push(Token::Close(Bracket::Set), length);
                }
                '%' => self.push(Token::Percent, length),
                '$' => self.push(Token::Currency(&rest[1..2]), length),
                '|' => self.push(Token::Bar, length),
                _ => return Err(self.unread(length)),
            }
            return Ok(());
        }
        let length = 1 + name_length;
        let name = &rest[1..length];
        match commands::meaning(name).ok_or_else(|| self.unread(length))? {
            Meaning::Nothing => self.skip(length),
            Meaning::Hidden => {
                let (_, whole) = self.argument(self.option(length))?;
                self.skip(whole);
            }
            Meaning::Mark => {
                let ends = rest[length..].chars().all(|c| c.is_whitespace() || "$.}~".contains(c));
                if !ends || self.found.is_empty() {
                    return Err(self.unread(length));
                }
                self.skip(length);
            }
            Meaning::Style => match self.short_group(length) {
                Some((inner, whole)) if text::is_plain(inner) => self.text_token(inner, whole)?,
                _ => self.skip(length),
            },
            Meaning::Sizing => {
                // `\left.` is an invisible bracket.
                let dot = usize::from(rest[length..].trim_start_matches(' ').starts_with('.'));
                let spaces = if dot == 1 {
                    rest[length..].len() - rest[length..].trim_start_matches(' ').len()
                } else {
                    0
                };
                self.skip(length + spaces + dot);
                // `\left\{` before an environment opens no set.
                let after = self.rest().trim_start_matches(' ');
                let brace = after.strip_prefix("\\{").map(|rest| rest.trim_start_matches(' '));
                if let Some(inner) = brace.filter(|inner| text::is_system(inner)) {
                    self.at = self.text.len() - inner.len();
                    self.system = true;
                }
            }
            Meaning::Is(token) => {
                match token {
                    Token::Open(Bracket::Set | Bracket::Angle) => self.listing += 1,
                    Token::Close(Bracket::Set | Bracket::Angle) => {
                        self.listing = self.listing.saturating_sub(1);
                    }
                    _ => {}
                }
                self.push(token, length);
            }
            Meaning::Letter => self.push(Token::Letter(name), length),
            Meaning::Text => {
                let (inner, whole) = self.argument(length)?;
                self.text_token(inner, whole)?;
            }
            Meaning::Accent => {
                let style = matches!(name, "mathbf" | "boldsymbol" | "bm" | "mathsf" | "mathtt");
                if style && self.short_group(length).is_none() && rest[length..].trim_start().starts_with('{')
                {
                    self.skip(length);
                    return Ok(());
                }
                let (inner, whole) = self.argument(length)?;
                // Bold and upright letters keep their meaning; a bold small letter is a vector.
                let plain = text::unspaced(inner);
                let small = plain.len() == 1 && plain.as_bytes()[0].is_ascii_lowercase();
                let letters = plain.chars().all(|c| c.is_alphabetic() || " ~()".contains(c));
                if style && !small && (letters || plain.bytes().all(|byte| byte.is_ascii_digit())) {
                    return self.text_token(inner, whole);
                }
                if style && !small {
                    self.skip(length);
                    return Ok(());
                }
                if inner.is_empty() || inner.contains('\\') {
                    return Err(self.unread(whole));
                }
                let command = &rest[..whole];
                self.push(Token::Letter(command), whole);
            }
            Meaning::NumberSet => {
                let (inner, whole) = self.argument(length)?;
                let set = inner.chars().next().filter(|set| "RZNQC".contains(*set) && inner.len() == 1);
                // `\mathbb{E}` is an operator.
                self.push(set.map_or(Token::Opaque, Token::NumberSet), whole);
            }
            Meaning::Operator => {
                let (inner, whole) = self.argument(length + usize::from(rest[length..].starts_with('*')))?;
                let inner = text::unspaced(inner);
                let token = match commands::plain_name(inner) {
                    Some(token) => token,
                    None if words::known_unit(inner).is_some() => Token::Word(inner, true),
                    None => Token::Opaque,
                };
                self.push(token, whole);
            }
            Meaning::Begin => {
                let (inner, mut whole) = self.argument(length)?;
                let kind = match inner {
                    "pmatrix" | "bmatrix" => Matrix::Bracketed,
                    "array" | "aligned" if self.system => Matrix::Cases,
                    "cases" | "dcases" => Matrix::Cases,
                    "matrix" | "array" | "smallmatrix" => Matrix::Other,
                    _ => return Err(self.unread(whole)),
                };
                if inner == "array" {
                    whole += self.argument(whole)?.1 - whole;
                }
                self.system = false;
                // Columns of equations are aligned at their signs.
                self.environments += u32::from(inner != "aligned");
                self.push(Token::Begin(kind), whole);
            }
            Meaning::End => {
                let (_, whole) = self.argument(length)?;
                self.environments = self.environments.saturating_sub(1);
                self.push(Token::End, whole);
            }
        }
        Ok(())
    }

    /// The argument of a command whose name ends at `from`, in braces or one letter long, and where it ends.
    fn argument(&self, from: usize) -> Result<(&'a str, usize), Fault> {
        let rest = self.rest();
        let start = from + rest[from..].len() - rest[from..].trim_start().len();
        let c = rest[start..].chars().next().ok_or_else(|| self.unread(from))?;
        if c != '{' {
            return if c.is_ascii_alphanumeric() {
                Ok((&rest[start..=start], start + 1))
            } else {
                Err(self.unread(from))
            };
        }
        let mut depth = 0_i64;
        for (at, byte) in rest.bytes().enumerate().skip(start) {
            depth += i64::from(byte == b'{') - i64::from(byte == b'}');
            if depth == 0 {
                return Ok((&rest[start + 1..at], at + 1));
            }
        }
        Err(self.unread(from))
    }
}
