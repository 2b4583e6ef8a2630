//! Turns tokens into values: items between commas, contents of brackets, sides of an equality.

use super::expression::Expr;
use super::formula::DEPTH;
use super::tokens::{Bracket, Placed, Relation, Token, tokens, unspaced};
use super::value::{End, Joint, Quantity, Region, Value};
use super::{Fault, Unread, choices};
use crate::words;
use kit::budget::Budget;
use kit::shared::decimal::is_digits;

mod brackets;
mod names;
mod qualifiers;
mod quantities;

use names::{solutions, sorted};

/// Reads an answer or a reference. `10:30` is a time of day if `times` are allowed, and a ratio otherwise.
pub fn read(text: &str, times: bool, budget: &mut Budget) -> Result<Value, Fault> {
    let bare = undressed(text);
    let offset = bare.as_ptr() as usize - text.as_ptr() as usize;
    if let Some((time, half)) = half_of_day(bare) {
        return Ok(Value::Words(format!("{} {half}", words::normal(&time.replace("{:}", ":")))));
    }
    if is_time(bare, times) {
        return Ok(Value::Words(words::normal(&bare.replace("{:}", ":"))));
    }
    if let Some((letter, rest)) = choices::choice(bare) {
        if rest.is_empty() {
            return Ok(Value::number(Expr::Variable(letter.into())));
        }
        if let Ok(value) = read_value(undressed(rest), budget) {
            return Ok(Value::Choice(letter.to_owned(), Box::new(value)));
        }
    }
    read_value(bare, budget).map_err(|fault| match fault {
        Fault::Unread(unread) => Fault::Unread(Unread { at: unread.at + offset, what: unread.what }),
        other => other,
    })
}

/// Reads a text without marks around it.
fn read_value(bare: &str, budget: &mut Budget) -> Result<Value, Fault> {
    let placed = tokens(bare, budget);
    placed.and_then(|mut placed| {
        names::turn_brackets(&mut placed);
        let partner = partners(&placed)?;
        let mut reader = Reader { text: bare, tokens: &placed, partner: &partner, depth: 0, budget };
        reader.qualified(0, placed.len()).map(sorted)
    })
}

/// True if a text is a time of day rather than a ratio: `9:05`, or `10:30`, which nobody would leave
/// unreduced unless a ratio is asked for.
fn is_time(text: &str, times: bool) -> bool {
    let Some((hours, minutes)) = hours_and_minutes(text) else { return false };
    let shared = (2..60).any(|factor| hours % factor == 0 && minutes % factor == 0);
    minutes < 10 || text.starts_with('0') || (times && shared)
}

/// A time of day and the half of the day in which it is: `12:30 \text{ PM}`.
fn half_of_day(text: &str) -> Option<(&str, &'static str)> {
    let text = text.strip_suffix('}').unwrap_or(text).trim_end_matches(['.', ' ']);
    if text.len() > 40 || !text.is_ascii() {
        return None;
    }
    let half = ["pm", "p.m", "am", "a.m"]
        .into_iter()
        .find(|half| text.len() > half.len() && text[text.len() - half.len()..].eq_ignore_ascii_case(half))?;
    let time = unspaced(&text[..text.len() - half.len()]);
    let time = unspaced(
        ["\\text{", "\\mathrm{", "\\textrm{"].iter().find_map(|text| time.strip_suffix(text)).unwrap_or(time),
    );
    hours_and_minutes(time)?;
    Some((time, if half.starts_with('p') { "pm" } else { "am" }))
}

/// The numbers of a possible time of day.
pub fn hours_and_minutes(text: &str) -> Option<(u64, u64)> {
    let (hours, minutes) = undressed(text).split_once(':')?;
    let hours = hours.trim_end_matches('{');
    let minutes = minutes.trim_start_matches('}');
    let number = |text: &str| is_digits(text).then(|| text.parse::<u64>().ok()).flatten();
    let fits = (1..=2).contains(&hours.len()) && minutes.len() == 2;
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (fits && hours < 24 && minutes < 60).then_some((hours, minutes))
}

/// A text without the marks around all of it and without the full stop of its sentence.
fn undressed(text: &str) -> &str {
    const PAIRS: [(&str, &str); 6] =
        [("**", "**"), ("$$", "$$"), ("\\(", "\\)"), ("\\[", "\\]"), ("$", "$"), ("`", "`")];
    let mut text = text.trim();
    // Each round costs a pass over the rest.
    for _ in 0..4 {
        let before = text;
        // `\ ` at the end has lost its space and kept its backslash.
        if text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1 {
            text = text[..text.len() - 1].trim_end();
        }
        if text.ends_with('.') && !text.ends_with("..") {
            text = text[..text.len() - 1].trim_end();
        }
        // `\,` is a LaTeX space.
        if !text.ends_with("\\,") && !text.ends_with("\\;") {
            text = text.trim_end_matches([',', ';']);
        }
        for (open, close) in PAIRS {
            let inner = text.strip_prefix(open).and_then(|inner| inner.strip_suffix(close));
            if let Some(inner) = inner.filter(|inner| !inner.contains(open)) {
                text = inner.trim();
            }
        }
        if text.len() == before.len() {
            break;
        }
    }
    text
}

/// The index of the closing bracket for each opening one; for other tokens their own index.
fn partners(tokens: &[Placed<'_>]) -> Result<Vec<usize>, Fault> {
    let mut partner: Vec<usize> = (0..tokens.len()).collect();
    let mut open: Vec<usize> = Vec::new();
    for (at, placed) in tokens.iter().enumerate() {
        match placed.token {
            Token::Open(_) | Token::Begin(_) => {
                open.push(at);
                if open.len() > DEPTH as usize {
                    return Err(Fault::Deep);
                }
            }
            Token::Close(_) | Token::End => {
                let unread =
                    || Fault::Unread(Unread { at: placed.at, what: "a bracket that was not opened".into() });
                let opened = open.pop().ok_or_else(unread)?;
                let fits = match (tokens[opened].token, placed.token) {
                    // Half-open intervals mix the two.
                    (Token::Open(Bracket::Round | Bracket::Square), Token::Close(Bracket::Round | Bracket::Square))
                    | (Token::Begin(_), Token::End)
                    // `{1, 2}` without backslashes is meant as a set.
                    | (Token::Open(Bracket::Set), Token::Close(Bracket::Brace)) => true,
                    (Token::Open(one), Token::Close(other)) => one == other,
                    _ => false,
                };
                if !fits {
                    return Err(unread());
                }
                partner[opened] = at;
            }
            _ => {}
        }
    }
    match open.last() {
        Some(&at) => {
            Err(Fault::Unread(Unread { at: tokens[at].at, what: "a bracket that stays open".into() }))
        }
        None => Ok(partner),
    }
}

struct Reader<'t, 'a, 'b, 's> {
    text: &'a str,
    tokens: &'t [Placed<'a>],
    partner: &'t [usize],
    depth: u32,
    budget: &'b mut Budget<'s>,
}

impl<'a> Reader<'_, 'a, '_, '_> {
    fn token(&self, at: usize) -> Token<'a> {
        self.tokens[at].token
    }

    fn unread(&self, at: usize) -> Fault {
        let placed = self.tokens.get(at);
        let (at, end) = placed.map_or((self.text.len(), self.text.len()), |placed| (placed.at, placed.end));
        Fault::Unread(Unread { at, what: self.text[at..end].chars().take(40).collect() })
    }

    /// The places in a range, outside brackets and bars, at which `is` holds.
    fn places(
        &mut self,
        from: usize,
        to: usize,
        is: impl Fn(Token<'a>) -> bool,
    ) -> Result<Vec<usize>, Fault> {
        let mut found = Vec::new();
        let mut at = from;
        self.budget.spend(2 * (to - from) as u64 + 2)?;
        while at < to {
            if is(self.token(at)) {
                found.push(at);
            }
            at = self.partner[at].max(at) + 1;
        }
        Ok(found)
    }

    /// The ranges between these places.
    fn between(from: usize, to: usize, places: &[usize]) -> Vec<(usize, usize)> {
        let starts = std::iter::once(from).chain(places.iter().map(|at| at + 1));
        starts.zip(places.iter().copied().chain(std::iter::once(to))).collect()
    }

    fn encloses(&self, from: usize, to: usize) -> bool {
        to > from + 1
            && matches!(self.token(from), Token::Open(_) | Token::Begin(_))
            && self.partner[from] == to - 1
    }

    fn value(&mut self, from: usize, to: usize) -> Result<Value, Fault> {
        if self.depth >= DEPTH {
            return Err(Fault::Deep);
        }
        self.depth += 1;
        self.budget.spend(60)?;
        let read = self.joined(from, to);
        self.depth -= 1;
        read
    }

    /// Items with commas, "and" or "or" between them.
    fn joined(&mut self, from: usize, to: usize) -> Result<Value, Fault> {
        if from >= to {
            return Err(self.unread(from));
        }
        if self.token(from) == Token::Box && to > from + 1 && self.encloses(from + 1, to) {
            return self.value(from + 2, to - 1);
        }
        if self.token(from) == Token::Box
            && self.partner[from + 1..].first().is_some_and(|&end| end > from + 1)
        {
            let end = self.partner[from + 1];
            // `\boxed{12} km`
            if self.trailing_unit(end + 1, to) == end + 1 {
                return self.value(from + 1, to);
            }
        }
        let both = |token| matches!(token, Token::And | Token::Or);
        let connectives = self.places(from, to, both)?;
        let or = connectives.iter().any(|&at| self.token(at) == Token::Or);
        let and = connectives.iter().any(|&at| self.token(at) == Token::And);
        if or && and {
            let ors: Vec<usize> = connectives.into_iter().filter(|&at| self.token(at) == Token::Or).collect();
            let items = Self::between(from, to, &ors).into_iter().map(|(from, to)| self.value(from, to));
            return Ok(Value::List(Joint::Or, items.collect::<Result<_, _>>()?));
        }
        let separators =
            self.places(from, to, |token| matches!(token, Token::Comma | Token::Semicolon) || both(token))?;
        if separators.is_empty() {
            return self.stated(from, to);
        }
        // "Rome, Italy" and "yes or no" are words.
        if (from..to)
            .all(|at| matches!(self.token(at), Token::Word(..) | Token::Comma | Token::And | Token::Or))
        {
            return self.words(from, to);
        }
        let joint = if or {
            Joint::Or
        } else if and {
            Joint::And
        } else {
            Joint::Comma
        };
        let ranges = Self::between(from, to, &separators);
        let mut items = Vec::with_capacity(ranges.len());
        // Indices of the items before which a semicolon, "and" or "or" stands.
        let mut starts = Vec::new();
        for (from, to) in ranges {
            // In "1, 2, and 3" two separators follow each other.
            let paired = from == to && from > 0 && to < self.tokens.len() && both(self.token(to));
            if !paired {
                if !items.is_empty() && self.token(from - 1) != Token::Comma {
                    starts.push(items.len());
                }
                items.push(self.value(from, to)?);
            }
        }
        if !or && let Some(total) = quantities::total(&items) {
            return Ok(total);
        }
        Ok(Value::List(joint, solutions(&items, &starts).unwrap_or(items)))
    }

    /// A value, perhaps with a name, or a relation.
    fn stated(&mut self, from: usize, to: usize) -> Result<Value, Fault> {
        if let Some(congruence) = self.congruence(from, to)? {
            return Ok(congruence);
        }
        let places = self.places(from, to, |token| matches!(token, Token::Relation(_) | Token::Member))?;
        if places.is_empty() {
            return self.plain(from, to);
        }
        let sides = Self::between(from, to, &places);
        let relation = |at: usize| match self.token(at) {
            Token::Relation(relation) => Some(relation),
            _ => None,
        };
        let relations: Option<Vec<Relation>> = places.iter().map(|&at| relation(at)).collect();
        let Some(relations) = relations else {
            // `x ∈ S`
            let [(left_from, left_to), (right_from, right_to)] = sides[..] else {
                return Err(self.unread(places[0]));
            };
            let name = self.name(left_from, left_to)?.ok_or_else(|| self.unread(left_from))?;
            let value = Box::new(self.value(right_from, right_to)?);
            return Ok(Value::Named { name, value, member: true });
        };
        // Without a modulus, `f(x) \equiv 0` says that they are equal.
        let relations: Vec<Relation> = relations
            .into_iter()
            .map(|relation| if relation == Relation::Congruent { Relation::Equal } else { relation })
            .collect();
        let equalities =
            relations.iter().all(|relation| matches!(relation, Relation::Equal | Relation::About));
        if equalities && let Some(value) = self.equality(&sides, &relations)? {
            return Ok(value);
        }
        let mut formulas = Vec::with_capacity(sides.len());
        for (from, to) in sides {
            let mut both = self.formulas(from, to)?;
            if both.len() > 1 {
                return Err(self.unread(from));
            }
            formulas.push(both.remove(0));
        }
        if relations.contains(&Relation::About) {
            return Err(self.unread(places[0]));
        }
        Ok(Value::Chain(formulas, relations))
    }

    /// `x = 5`, `f(x) = 2x = …`, `1/2 = 0.5`; nothing for an equation.
    fn equality(&mut self, sides: &[(usize, usize)], relations: &[Relation]) -> Result<Option<Value>, Fault> {
        let (from, to) = sides[0];
        self.budget.spend(150)?;
        let name = self.name(from, to)?;
        // `3 = x`
        if let ([(first, last), (start, end)], None, [Relation::Equal]) = (sides, &name, relations)
            && let Some(name) = self.name(*start, *end)?
        {
            let value = self.value(*first, *last)?;
            let known = matches!(&value, Value::Quantity(found) if !found.expr.has_variables());
            if known || name.argument.is_some() {
                return Ok(Some(Value::Named { name, value: Box::new(value), member: false }));
            }
        }
        let valued = if name.is_some() { &sides[1..] } else { sides };
        let between = if name.is_some() { &relations[1..] } else { relations };
        let value = self.value(valued[0].0, valued[0].1)?;
        let mut also = Vec::new();
        for (&(from, to), relation) in valued[1..].iter().zip(between) {
            let mut formulas = self.formulas_with_unit(from, to)?;
            if formulas.len() > 1 {
                return Err(self.unread(from));
            }
            also.push((*relation, formulas.remove(0)));
        }
        let has_variables =
            |value: &Value| matches!(value, Value::Quantity(found) if found.expr.has_variables());
        let Some(name) = name else {
            // Without a name, it is a value only if there is nothing to solve.
            let open = has_variables(&value) || also.iter().any(|(_, expr)| expr.has_variables());
            if !open {
                return Ok(Some(Value::Also(Box::new(value), also)));
            }
            // A computation, `f(1)+f(2) = 2+3 = 5`, has the value of its last side.
            let last = also.pop().filter(|(_, last)| !also.is_empty() && !last.has_variables());
            also.retain(|(_, side)| !side.has_variables());
            return Ok(last.map(|(_, last)| Value::Also(Box::new(Value::number(last)), also)));
        };
        if let (Some(formula), Value::Quantity(found)) = (&name.formula, &value) {
            let unknowns = formula.variables();
            let recurs =
                found.expr.any(&|part| matches!(part, Expr::Variable(name) if unknowns.contains(&**name)));
            if recurs {
                return Ok(None);
            }
        }
        let value = Box::new(if also.is_empty() { value } else { Value::Also(Box::new(value), also) });
        Ok(Some(Value::Named { name, value, member: false }))
    }

    fn congruence(&mut self, from: usize, to: usize) -> Result<Option<Value>, Fault> {
        // `(mod 5)`, `\pmod{5}`, `mod 5`.
        let mut modulus = None;
        if let Some(&at) = self.places(from, to, |token| token == Token::Mod)?.first() {
            modulus = Some((at, at + 1, to));
        } else {
            let groups = self.places(from, to, |token| token == Token::Open(Bracket::Round))?;
            if let Some(&open) = groups.last()
                && self.partner[open] == to - 1
                && self.token(open + 1) == Token::Mod
            {
                modulus = Some((open, open + 2, to - 1));
            }
        }
        let Some((end, start, stop)) = modulus else { return Ok(None) };
        let modulus = self.formula(start, stop)?;
        let relation = self.places(from, end, |token| {
            matches!(token, Token::Relation(Relation::Congruent | Relation::Equal))
        })?;
        let (name, start) = match relation[..] {
            [] => (None, from),
            [at] => (Some(self.name(from, at)?.ok_or_else(|| self.unread(from))?), at + 1),
            [_, second, ..] => return Err(self.unread(second)),
        };
        let residue = self.formula(start, end)?;
        Ok(Some(Value::Congruence { name, residue, modulus }))
    }

    /// A value without a relation.
    fn plain(&mut self, from: usize, to: usize) -> Result<Value, Fault> {
        if from >= to {
            return Err(self.unread(from));
        }
        if let Some(region) = self.region(from, to)? {
            return Ok(region);
        }
        if to - from == 1 {
            match self.token(from) {
                Token::Empty => return Ok(Value::Set(Vec::new())),
                Token::NumberSet('R') => return Ok(Value::Region(Region::All)),
                Token::NumberSet(set) => return Ok(Value::NumberSet(set)),
                _ => {}
            }
        }
        // `1010_2` and `(1010)_2`
        let bracketed = self.token(from) == Token::Open(Bracket::Round) && self.partner[from] == from + 2;
        let first = from + usize::from(bracketed);
        if let Token::Number(digits) = self.token(first)
            && let Some(base) = self.base(first + 1 + usize::from(bracketed), to)
        {
            let valid = digits.bytes().all(|byte| byte.is_ascii_digit() && u32::from(byte - b'0') < base);
            if !valid {
                return Err(self.unread(from));
            }
            return Ok(Value::Based(digits.trim_start_matches('0').to_owned(), base));
        }
        if self.encloses(from, to)
            && let Some(value) = self.enclosed(from, to)?
        {
            return Ok(value);
        }
        let colons = self.places(from, to, |token| token == Token::Colon)?;
        if colons.len() > 1 {
            let terms = Self::between(from, to, &colons).into_iter().map(|(from, to)| self.formula(from, to));
            return Ok(Value::Proportion(terms.collect::<Result<_, _>>()?));
        }
        if let Some(total) = self.total(from, to)? {
            return Ok(total);
        }
        let read = self.quantity(from, to);
        if read.is_err() && self.is_text(from, to) {
            return self.words(from, to);
        }
        read
    }

    fn words(&mut self, from: usize, to: usize) -> Result<Value, Fault> {
        let length = self.tokens[to - 1].end - self.tokens[from].at;
        self.budget.spend(700 + 4 * length as u64)?;
        let mut text = String::new();
        for placed in &self.tokens[from..to] {
            let part = match placed.token {
                Token::Word(word, _) => word,
                _ => &self.text[placed.at..placed.end],
            };
            text.push_str(part);
            text.push(' ');
        }
        Ok(Value::Words(words::normal(&text.replace(" ,", ","))))
    }

    /// True if the tokens are words, perhaps with numbers and letters among them.
    fn is_text(&self, from: usize, to: usize) -> bool {
        let word = |at: usize| matches!(self.token(at), Token::Word(..));
        let all = (from..to).all(|at| match self.token(at) {
            Token::Word(..) | Token::Letter(_) | Token::Number(_) | Token::Prime => true,
            // `twenty-one`
            Token::Minus => at > from && at + 1 < to && word(at - 1) && word(at + 1),
            _ => false,
        });
        all && (from..to).any(|at| matches!(self.token(at), Token::Word(..)))
    }

    /// The base in `1010_2` and `1010_{2}`.
    fn base(&self, from: usize, to: usize) -> Option<u32> {
        const NAMES: [&str; 9] = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
        if to <= from + 1 || self.token(from) != Token::Under {
            return None;
        }
        let base = match (to - from, self.token(from + 1)) {
            (2, base) => base,
            (4, Token::Open(Bracket::Brace)) => self.token(from + 2),
            _ => return None,
        };
        match base {
            Token::Number(digits) => digits.parse().ok().filter(|base| (2..=10).contains(base)),
            Token::Word(word, _) => NAMES.iter().position(|name| *name == word).map(|at| at as u32 + 2),
            _ => None,
        }
    }
}

/// The set of real numbers that a value describes directly, if it is one.
pub fn as_region(value: &Value) -> Option<Region> {
    Some(match value {
        Value::Region(region) => region.clone(),
        Value::Set(items) if items.is_empty() => Region::Empty,
        Value::Set(items) => Region::Points(items.iter().map(as_point).collect::<Option<_>>()?),
        Value::Group(open, close, items) => {
            let [low, high] = &items[..] else { return None };
            let closed = |bracket| match bracket {
                Bracket::Round => Some(false),
                Bracket::Square => Some(true),
                _ => None,
            };
            let end = |value: &Value, closed: bool, low: bool| match value {
                Value::Infinite(positive) if *positive != low && !closed => {
                    Some(End { at: None, closed: false })
                }
                Value::Infinite(_) => None,
                other => Some(End { at: Some(as_point(other)?), closed }),
            };
            Region::Interval(end(low, closed(*open)?, true)?, end(high, closed(*close)?, false)?)
        }
        _ => return None,
    })
}

fn as_point(value: &Value) -> Option<Expr> {
    match value {
        Value::Quantity(Quantity { expr, unit: None }) => Some(expr.clone()),
        _ => None,
    }
}
