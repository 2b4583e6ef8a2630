//! Reads terms and formulas. Text may come from anyone: its length, its depth and its size are bounded.

use super::term::{EQUAL, MOST_NODES, PROP, Sort, Term};
use super::theory::Theory;
use crate::error::quoted;

/// Largest number of bytes of a formula.
const LONGEST: usize = 2_000;
/// Largest number of brackets, arrows and `not`s around a part.
const DEEPEST: usize = 60;

/// A term whose symbols have not been looked up.
struct Raw<'t> {
    name: &'t str,
    arguments: Vec<Raw<'t>>,
}

type Variables = Vec<(String, Sort)>;

impl Theory {
    /// Reads a formula or a term without variables, of one sort if it is given.
    pub fn read_term(&self, text: &str, sort: Option<Sort>) -> Result<Term, String> {
        self.resolved(&parsed(text)?, sort, None)
    }

    /// Reads a rule: other names than symbols are its variables.
    pub(super) fn read_rule(&self, text: &str) -> Result<(Term, Variables), String> {
        let (raw, mut variables) = (parsed(text)?, Vec::new());
        let formula = self.resolved(&raw, Some(PROP), Some(&mut variables))?;
        Ok((formula, variables))
    }

    fn resolved(
        &self,
        raw: &Raw<'_>,
        sort: Option<Sort>,
        variables: Option<&mut Variables>,
    ) -> Result<Term, String> {
        let mut none = None;
        let term = match variables {
            Some(variables) => self.term(raw, sort, &mut Some(variables))?,
            None => self.term(raw, sort, &mut none)?,
        };
        if term.size() > MOST_NODES {
            return Err(format!("it has more than {MOST_NODES} symbols"));
        }
        Ok(term)
    }

    fn term(
        &self,
        raw: &Raw<'_>,
        sort: Option<Sort>,
        variables: &mut Option<&mut Variables>,
    ) -> Result<Term, String> {
        let Some(number) = self.symbol(raw.name) else {
            return self.variable(raw, sort, variables);
        };
        if number == EQUAL {
            return self.equation(raw, sort, variables);
        }
        let symbol = &self.symbols[usize::from(number)];
        if sort.is_some_and(|sort| sort != symbol.result) {
            return Err(self.misplaced(raw.name, sort.unwrap_or(PROP)));
        }
        let (given, wanted) = (raw.arguments.len(), symbol.arguments.len());
        if given != wanted {
            return Err(format!("`{}` has {given} of {wanted} arguments", quoted(raw.name)));
        }
        let arguments = raw.arguments.iter().zip(&symbol.arguments);
        let arguments: Result<Vec<Term>, String> =
            arguments.map(|(part, sort)| self.term(part, Some(*sort), variables)).collect();
        Ok(Term::node(number, arguments?))
    }

    /// The sort of the side that shows one decides that of the other.
    fn equation(
        &self,
        raw: &Raw<'_>,
        sort: Option<Sort>,
        variables: &mut Option<&mut Variables>,
    ) -> Result<Term, String> {
        let [left, right] = raw.arguments.as_slice() else { return Err("`=` needs two sides".to_owned()) };
        if sort.is_some_and(|sort| sort != PROP) {
            return Err("an equation is no term".to_owned());
        }
        let known =
            |side: &Raw<'_>| self.symbol(side.name).map(|number| self.symbols[usize::from(number)].result);
        let of = known(left).or_else(|| known(right)).ok_or("neither side of `=` has a symbol")?;
        if of == PROP {
            return Err("`=` stands between terms, not between formulas".to_owned());
        }
        let sides = [self.term(left, Some(of), variables)?, self.term(right, Some(of), variables)?];
        Ok(Term::node(EQUAL, sides))
    }

    fn variable(
        &self,
        raw: &Raw<'_>,
        sort: Option<Sort>,
        variables: &mut Option<&mut Variables>,
    ) -> Result<Term, String> {
        let unknown = || format!("`{}` is no symbol here", quoted(raw.name));
        let variables = variables.as_deref_mut().ok_or_else(unknown)?;
        let sort = sort.filter(|sort| *sort != PROP && raw.arguments.is_empty()).ok_or_else(unknown)?;
        if !super::theory::is_name(raw.name) || raw.name.len() > 3 {
            return Err(unknown());
        }
        let at = variables.iter().position(|(name, _)| name == raw.name).unwrap_or_else(|| {
            variables.push((raw.name.to_owned(), sort));
            variables.len() - 1
        });
        if variables[at].1 != sort || at >= 8 {
            return Err(self.misplaced(raw.name, sort));
        }
        Ok(Term::Variable(at as u8, sort))
    }

    fn misplaced(&self, name: &str, sort: Sort) -> String {
        let sort = if sort == PROP {
            "a formula"
        } else {
            &format!("a term of sort {}", self.sorts[usize::from(sort)])
        };
        format!("`{}` is not {sort}", quoted(name))
    }
}

/// The words and marks of a text.
fn tokens(text: &str) -> Result<Vec<&str>, String> {
    if text.len() > LONGEST {
        return Err(format!("it has more than {LONGEST} bytes"));
    }
    let mut tokens = Vec::new();
    let mut rest = text.trim_start_matches(' ');
    while let Some(first) = rest.chars().next() {
        let run = |fits: &dyn Fn(u8) -> bool| rest.bytes().take_while(|byte| fits(*byte)).count();
        let size = match first {
            '(' | ')' | ',' => 1,
            '[' if rest.starts_with("[]") => 2,
            _ if first.is_ascii_alphanumeric() => run(&|byte| byte.is_ascii_alphanumeric() || byte == b'_'),
            _ => run(&|byte| b"*+&|:^/~->=".contains(&byte)),
        };
        if size == 0 {
            return Err(format!("`{}` means nothing here", quoted(&first.to_string())));
        }
        tokens.push(&rest[..size]);
        rest = rest[size..].trim_start_matches(' ');
    }
    Ok(tokens)
}

fn parsed(text: &str) -> Result<Raw<'_>, String> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0 };
    let raw = reader.implication(0)?;
    match reader.peek() {
        "" => Ok(raw),
        rest => Err(format!("`{}` comes after the end of a formula", quoted(rest))),
    }
}

struct Reader<'t> {
    tokens: Vec<&'t str>,
    at: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> &'t str {
        self.tokens.get(self.at).copied().unwrap_or_default()
    }

    fn takes(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn deeper(depth: usize) -> Result<usize, String> {
        if depth == DEEPEST { Err("it is nested too deeply".to_owned()) } else { Ok(depth + 1) }
    }

    fn implication(&mut self, depth: usize) -> Result<Raw<'t>, String> {
        let left = self.chain(&["or", "and"], depth)?;
        if !self.takes("->") {
            return Ok(left);
        }
        let right = self.implication(Self::deeper(depth)?)?;
        Ok(Raw { name: "->", arguments: vec![left, right] })
    }

    /// `or` binds less than `and`; both group to the left.
    fn chain(&mut self, words: &[&'static str], depth: usize) -> Result<Raw<'t>, String> {
        let Some((word, tighter)) = words.split_first() else { return self.negation(depth) };
        let mut left = self.chain(tighter, depth)?;
        while self.takes(word) {
            left = Raw { name: word, arguments: vec![left, self.chain(tighter, depth)?] };
        }
        Ok(left)
    }

    fn negation(&mut self, depth: usize) -> Result<Raw<'t>, String> {
        if self.takes("not") {
            return Ok(Raw { name: "not", arguments: vec![self.negation(Self::deeper(depth)?)?] });
        }
        let left = self.operation(depth)?;
        if !self.takes("=") {
            return Ok(left);
        }
        Ok(Raw { name: "=", arguments: vec![left, self.operation(depth)?] })
    }

    /// One operator, perhaps several times, which groups to the left; two need brackets.
    fn operation(&mut self, depth: usize) -> Result<Raw<'t>, String> {
        let mut left = self.operand(depth)?;
        let name = self.peek();
        let is_operator = |token: &str| {
            token != "="
                && token != "->"
                && token.bytes().next().is_some_and(|byte| b"*+&|:^/~->=".contains(&byte))
        };
        if !is_operator(name) {
            return Ok(left);
        }
        while self.takes(name) {
            left = Raw { name, arguments: vec![left, self.operand(depth)?] };
        }
        if is_operator(self.peek()) {
            return Err(format!("`{name}` beside `{}` needs parentheses", quoted(self.peek())));
        }
        Ok(left)
    }

    fn operand(&mut self, depth: usize) -> Result<Raw<'t>, String> {
        let depth = Self::deeper(depth)?;
        if self.takes("(") {
            let inside = self.implication(depth)?;
            return self.closed(inside);
        }
        let name = self.peek();
        let is_word = name == "[]" || name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        if !is_word || ["not", "and", "or"].contains(&name) {
            return Err(match name {
                "" => "it ends too early".to_owned(),
                name => format!("`{}` is not where a term begins", quoted(name)),
            });
        }
        self.at += 1;
        let mut arguments = Vec::new();
        if self.takes("(") {
            arguments.push(self.implication(depth)?);
            while self.takes(",") {
                arguments.push(self.implication(depth)?);
            }
            return self.closed(Raw { name, arguments });
        }
        Ok(Raw { name, arguments })
    }

    fn closed(&mut self, inside: Raw<'t>) -> Result<Raw<'t>, String> {
        if self.takes(")") { Ok(inside) } else { Err("a parenthesis is not closed".to_owned()) }
    }
}
