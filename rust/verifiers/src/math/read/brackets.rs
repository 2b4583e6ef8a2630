//! Reads the contents of brackets, and set operations.

use super::{Reader, as_region};
use crate::math::Fault;
use crate::math::tokens::{Bracket, Matrix, Token};
use crate::math::value::{Joint, Region, Value};

impl Reader<'_, '_, '_, '_> {
    pub(super) fn enclosed(&mut self, from: usize, to: usize) -> Result<Option<Value>, Fault> {
        let (inner, end) = (from + 1, to - 1);
        let Token::Open(open) = self.token(from) else {
            return self.matrix(from, to).map(Some);
        };
        let Token::Close(close) = self.token(end) else { return Ok(None) };
        if matches!(open, Bracket::Round | Bracket::Square)
            && self.encloses(inner, end)
            && self.token(inner) == Token::Begin(Matrix::Other)
        {
            return self.matrix(inner, end).map(Some);
        }
        if inner == end {
            let empty = matches!(open, Bracket::Set | Bracket::Brace);
            return Ok(empty.then(|| Value::Set(Vec::new())));
        }
        let commas = self.places(inner, end, |token| matches!(token, Token::Comma | Token::Semicolon))?;
        match open {
            Bracket::Brace if commas.is_empty() => {
                let choose = self.places(inner, end, |token| token == Token::Choose)?;
                if choose.is_empty() { self.value(inner, end).map(Some) } else { Ok(None) }
            }
            Bracket::Set | Bracket::Brace => self.set(inner, end, &commas).map(Some),
            Bracket::Round | Bracket::Square | Bracket::Angle => {
                if commas.is_empty() && open == Bracket::Round && close == Bracket::Round {
                    // A value in brackets, unless the brackets start a formula.
                    return self.value(inner, end).map(Some);
                }
                if commas.is_empty() && open != close {
                    return Err(self.unread(from));
                }
                let items =
                    Self::between(inner, end, &commas).into_iter().map(|(from, to)| self.value(from, to));
                Ok(Some(Value::Group(open, close, items.collect::<Result<_, _>>()?)))
            }
            Bracket::Floor | Bracket::Ceiling | Bracket::Magnitude => Ok(None),
        }
    }

    pub(super) fn set(&mut self, from: usize, to: usize, commas: &[usize]) -> Result<Value, Fault> {
        let bars = self.places(from, to, |token| matches!(token, Token::Bar | Token::Colon))?;
        if let [bar, ..] = bars[..]
            && bar > from
            && matches!(self.token(from), Token::Letter(_))
        {
            // { x | condition }, { x ∈ ℝ | condition }
            let member = self.places(from, bar, |token| token == Token::Member)?;
            let name_end = member.first().copied().unwrap_or(bar);
            let real =
                member.first().is_none_or(|&at| at + 2 == bar && self.token(at + 1) == Token::NumberSet('R'));
            let name = self.name(from, name_end)?;
            let condition = self.value(bar + 1, to)?;
            return match (name, real) {
                (Some(name), true) => Ok(Value::Named { name, value: Box::new(condition), member: true }),
                _ => Err(self.unread(from)),
            };
        }
        let items = Self::between(from, to, commas).into_iter().map(|(from, to)| self.value(from, to));
        let mut items = items.collect::<Result<Vec<_>, _>>()?;
        // { ±2 } has two items.
        if let [Value::List(Joint::Or, _)] = &items[..] {
            let Some(Value::List(_, both)) = items.pop() else { unreachable!("it is a list") };
            items = both;
        }
        Ok(Value::Set(items))
    }

    pub(super) fn matrix(&mut self, from: usize, to: usize) -> Result<Value, Fault> {
        let (inner, end) = (from + 1, to - 1);
        let mut rows = self.places(inner, end, |token| token == Token::Row)?;
        // A trailing row mark does not start a row.
        let end = if rows.last() == Some(&(end - 1)) { rows.pop().expect("there is one") } else { end };
        if self.token(from) == Token::Begin(Matrix::Cases) {
            return self.cases(inner, end, &rows);
        }
        let mut matrix = Vec::new();
        for (from, to) in Self::between(inner, end, &rows) {
            let cells = self.places(from, to, |token| token == Token::Cell)?;
            let row = Self::between(from, to, &cells).into_iter().map(|(from, to)| self.formula(from, to));
            matrix.push(row.collect::<Result<Vec<_>, _>>()?);
        }
        if matrix.iter().any(|row| row.len() != matrix[0].len()) {
            return Err(self.unread(from));
        }
        Ok(Value::Matrix(matrix))
    }

    /// A system of equations, or the pieces of a function.
    fn cases(&mut self, from: usize, to: usize, rows: &[usize]) -> Result<Value, Fault> {
        let mut equations = Vec::new();
        let mut pieces = Vec::new();
        for (from, to) in Self::between(from, to, rows) {
            let cells = self.places(from, to, |token| token == Token::Cell)?;
            let mut cells =
                Self::between(from, to, &cells).into_iter().map(|(from, to)| self.trimmed(from, to));
            let (first, second) = (cells.next(), cells.next());
            let more = cells.next().is_some();
            match (first, second) {
                (Some((from, to)), None) => equations.push(self.value(from, to)?),
                (Some((from, to)), Some((start, end))) if !more => {
                    pieces.push((self.value(from, to)?, self.condition(start, end)?));
                }
                _ => return Err(self.unread(from)),
            }
        }
        match (equations.is_empty(), pieces.is_empty()) {
            (false, true) => Ok(Value::List(Joint::And, equations)),
            (true, false) => Ok(Value::Pieces(pieces)),
            _ => Err(self.unread(from)),
        }
    }

    /// A range without punctuation at its ends.
    fn trimmed(&self, from: usize, mut to: usize) -> (usize, usize) {
        while to > from && matches!(self.token(to - 1), Token::Comma | Token::Semicolon) {
            to -= 1;
        }
        (from, to)
    }

    /// The condition of a piece: an inequality, or words without "if".
    fn condition(&mut self, mut from: usize, to: usize) -> Result<Value, Fault> {
        while from < to
            && matches!(self.token(from), Token::Word(word, _) if ["if", "for", "when", "where"].contains(&word.trim()))
        {
            from += 1;
        }
        if let Ok(value @ (Value::Chain(..) | Value::Named { .. } | Value::List(..))) = self.value(from, to) {
            return Ok(value);
        }
        if from >= to {
            return Err(self.unread(from));
        }
        let Value::Words(words) = self.words(from, to)? else { return Err(self.unread(from)) };
        let kept: Vec<&str> = words
            .split(|c: char| c.is_whitespace() || "$,.".contains(c))
            .filter(|word| !matches!(*word, "" | "if" | "for" | "when" | "where" | "is" | "are"))
            .collect();
        Ok(Value::Words(kept.join(" ")))
    }

    /// Unions, intersections and differences of sets.
    pub(super) fn region(&mut self, from: usize, to: usize) -> Result<Option<Value>, Fault> {
        let sets = |token| matches!(token, Token::Close(_) | Token::NumberSet(_) | Token::Empty);
        let mut places = self.places(from, to, |token| {
            matches!(token, Token::Union | Token::Intersection | Token::Without)
                || token == Token::Letter("U")
                || token == Token::Minus
        })?;
        places.retain(|&at| match self.token(at) {
            // `(0, 1) U (2, 3)`
            Token::Letter(_) => {
                at > from
                    && at + 1 < to
                    && sets(self.token(at - 1))
                    && matches!(self.token(at + 1), Token::Open(_))
            }
            Token::Minus => at == from + 1 && matches!(self.token(from), Token::NumberSet(_)) && to > at + 1,
            _ => true,
        });
        let [first, ..] = places[..] else { return Ok(None) };
        let kind = |token| match token {
            Token::Intersection => Token::Intersection,
            Token::Without | Token::Minus => Token::Without,
            _ => Token::Union,
        };
        let operation = kind(self.token(first));
        let alike = places.iter().all(|&at| kind(self.token(at)) == operation);
        if !alike || (operation == Token::Without && places.len() > 1) {
            return Err(self.unread(first));
        }
        let mut parts = Vec::new();
        for (start, end) in Self::between(from, to, &places) {
            let value = self.value(start, end)?;
            parts.push(as_region(&value).ok_or_else(|| self.unread(start))?);
        }
        Ok(Some(Value::Region(match operation {
            Token::Union => Region::Union(parts),
            Token::Intersection => Region::Intersection(parts),
            _ => {
                let without = parts.pop().expect("two parts");
                Region::Without(Box::new(parts.pop().expect("two parts")), Box::new(without))
            }
        })))
    }
}
