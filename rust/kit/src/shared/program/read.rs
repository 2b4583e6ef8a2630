//! Reads programs from text: every word once, no deeper than the language allows.

use super::{Binary, DEEPEST, LARGEST, Line, MOST_NODES, Program, Term};
use crate::error::quoted;

const WORDS: [&str; 8] = ["if", "else", "while", "repeat", "return", "and", "or", "not"];
const LONGEST_NAME: usize = 16;
/// Longer ones first, so that `<=` is not read as `<`.
const SIGNS: [&str; 18] =
    ["==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", "{", "}", "=", ";", "\n"];

impl Program {
    /// Reads a program whose first variables are these inputs. Total on any text; the error says what is
    /// wrong.
    pub fn read(text: &str, inputs: &[String]) -> Result<Self, String> {
        let tokens = tokens(text)?;
        let mut reader = Reader { tokens: &tokens, at: 0, depth: 0, nodes: 0, names: inputs.to_vec() };
        let lines = reader.lines()?;
        if let Some(token) = reader.peek() {
            return Err(format!("{} closes nothing", shown(token)));
        }
        if lines.is_empty() {
            return Err("the program is empty".to_owned());
        }
        Ok(Self { inputs: inputs.len(), names: reader.names, lines })
    }
}

/// Words, numbers and signs; line breaks are signs, comments are dropped.
fn tokens(text: &str) -> Result<Vec<&str>, String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            ' ' | '\t' | '\r' => {
                rest = &rest[1..];
                continue;
            }
            '#' => {
                rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
                continue;
            }
            'a'..='z' => {
                let inside = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
                rest.find(|c| !inside(c)).unwrap_or(rest.len())
            }
            '0'..='9' => rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len()),
            _ => {
                let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
                sign.ok_or_else(|| format!("`{}` is no sign of the language", quoted(&first.to_string())))?
                    .len()
            }
        };
        tokens.push(&rest[..length]);
        rest = &rest[length..];
        if tokens.len() > 4 * MOST_NODES {
            return Err("the program is too long".to_owned());
        }
    }
    Ok(tokens)
}

fn shown(token: &str) -> String {
    if token == "\n" { "the end of the line".to_owned() } else { format!("`{}`", quoted(token)) }
}

struct Reader<'a> {
    tokens: &'a [&'a str],
    at: usize,
    depth: u32,
    nodes: usize,
    names: Vec<String>,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.tokens.get(self.at).copied()
    }

    fn takes(&mut self, token: &str) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn expected(&self, what: &str) -> String {
        match self.peek() {
            Some(token) => format!("{} stands where {what} is expected", shown(token)),
            None => format!("the program ends where {what} is expected"),
        }
    }

    fn count(&mut self) -> Result<(), String> {
        self.nodes += 1;
        if self.nodes > MOST_NODES { Err("the program is too long".to_owned()) } else { Ok(()) }
    }

    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("blocks or parentheses are nested too deep".to_owned());
        }
        let made = inner(self)?;
        self.depth -= 1;
        Ok(made)
    }

    /// Lines up to a closing brace or the end.
    fn lines(&mut self) -> Result<Vec<Line>, String> {
        let mut lines: Vec<Line> = Vec::new();
        loop {
            while self.takes("\n") || self.takes(";") {}
            if matches!(self.peek(), None | Some("}")) {
                return Ok(lines);
            }
            if matches!(lines.last(), Some(Line::Return(_))) {
                return Err("something follows a `return` in its block".to_owned());
            }
            self.count()?;
            let line = self.line()?;
            // The next line may follow a block immediately.
            let block = matches!(line, Line::If(..) | Line::While(..) | Line::Repeat(..));
            lines.push(line);
            if !block && !matches!(self.peek(), None | Some("}" | "\n" | ";")) {
                return Err(self.expected("the end of the line"));
            }
        }
    }

    fn block(&mut self) -> Result<Vec<Line>, String> {
        while self.takes("\n") {}
        if !self.takes("{") {
            return Err(self.expected("`{`"));
        }
        let lines = self.deeper(Self::lines)?;
        if self.takes("}") { Ok(lines) } else { Err(self.expected("`}`")) }
    }

    fn line(&mut self) -> Result<Line, String> {
        if self.takes("return") {
            return Ok(Line::Return(self.term(0)?));
        }
        if self.takes("while") {
            return Ok(Line::While(self.term(0)?, self.block()?));
        }
        if self.takes("repeat") {
            return Ok(Line::Repeat(self.term(0)?, self.block()?));
        }
        if self.takes("if") {
            let (term, then) = (self.term(0)?, self.block()?);
            let before = self.at;
            while self.takes("\n") {}
            if !self.takes("else") {
                self.at = before;
                return Ok(Line::If(term, then, Vec::new()));
            }
            let other = if self.peek() == Some("if") {
                vec![self.deeper(|reader| {
                    reader.count()?;
                    reader.line()
                })?]
            } else {
                self.block()?
            };
            return Ok(Line::If(term, then, other));
        }
        let name = self.name("a line of the language")?;
        if !self.takes("=") {
            return Err(self.expected("`=`"));
        }
        Ok(Line::Set(name, self.term(0)?))
    }

    fn name(&mut self, what: &str) -> Result<usize, String> {
        let name = self.peek().filter(|token| token.starts_with(|c: char| c.is_ascii_lowercase()));
        let name = name.filter(|name| !WORDS.contains(name) && name.len() <= LONGEST_NAME);
        let name = name.ok_or_else(|| self.expected(what))?;
        self.at += 1;
        Ok(self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        }))
    }

    /// A term whose operators bind at least as tightly as `level`.
    fn term(&mut self, level: u32) -> Result<Term, String> {
        self.count()?;
        let mut term = if level <= 2 && self.takes("not") {
            Term::Not(Box::new(self.deeper(|reader| reader.term(2))?))
        } else {
            self.operand()?
        };
        let mut compared = false;
        loop {
            let sign = Binary::ALL
                .into_iter()
                .find(|sign| Some(sign.sign()) == self.peek() && sign.level() >= level);
            let Some(sign) = sign else { return Ok(term) };
            if matches!(term, Term::Not(_)) && sign.level() > 1 {
                return Err(self.expected("`and` or `or`"));
            }
            if sign.level() == 3 && std::mem::replace(&mut compared, true) {
                return Err("comparisons do not chain".to_owned());
            }
            self.at += 1;
            let other = self.deeper(|reader| reader.term(sign.level() + 1))?;
            term = term.join(sign, other);
        }
    }

    fn operand(&mut self) -> Result<Term, String> {
        if self.takes("-") {
            self.count()?;
            return Ok(match self.atom()? {
                Term::Number(number) => Term::Number(-number),
                term => Term::Negate(Box::new(term)),
            });
        }
        self.atom()
    }

    fn atom(&mut self) -> Result<Term, String> {
        if self.takes("(") {
            let term = self.deeper(|reader| reader.term(0))?;
            return if self.takes(")") { Ok(term) } else { Err(self.expected("`)`")) };
        }
        if let Some(digits) = self.peek().filter(|token| token.starts_with(|c: char| c.is_ascii_digit())) {
            let number = digits.parse::<i64>().ok().filter(|number| *number <= LARGEST);
            let number =
                number.ok_or_else(|| format!("`{}` is no number of the language", quoted(digits)))?;
            self.at += 1;
            return Ok(Term::Number(number));
        }
        self.name("a number or a variable").map(Term::Variable)
    }
}
