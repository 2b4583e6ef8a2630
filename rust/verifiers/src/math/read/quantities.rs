//! Formulas with a unit before or after them.

use super::Reader;
use crate::math::expression::Expr;
use crate::math::formula::Parser;
use crate::math::ratio::Ratio;
use crate::math::tokens::{Bracket, Token};
use crate::math::value::{Joint, Quantity, Unit, Value};
use crate::math::{Fault, units};
use crate::words;
use kit::budget::Budget;

impl<'a, 's> Reader<'_, 'a, '_, 's> {
    pub(super) fn parser(&mut self, from: usize, to: usize) -> Parser<'_, 'a, '_, 's> {
        Parser {
            text: self.text,
            tokens: self.tokens,
            partner: self.partner,
            at: from,
            end: to,
            depth: self.depth,
            upper: true,
            split: false,
            after_power: false,
            budget: &mut *self.budget,
        }
    }

    pub(super) fn formula(&mut self, from: usize, to: usize) -> Result<Expr, Fault> {
        let mut both = self.formulas(from, to)?;
        if both.len() > 1 {
            return Err(self.unread(from));
        }
        Ok(both.remove(0))
    }

    /// A formula, or the two that ± stands for.
    pub(super) fn formulas(&mut self, from: usize, to: usize) -> Result<Vec<Expr>, Fault> {
        let mut parser = self.parser(from, to);
        let upper = parser.whole()?;
        if !parser.split {
            return Ok(vec![upper]);
        }
        (parser.at, parser.upper) = (from, false);
        Ok(vec![upper, parser.whole()?])
    }

    /// The formulas of a quantity whose unit is ignored.
    pub(super) fn formulas_with_unit(&mut self, from: usize, to: usize) -> Result<Vec<Expr>, Fault> {
        match self.quantity(from, to)? {
            Value::Quantity(quantity) => Ok(vec![quantity.expr]),
            _ => Err(self.unread(from)),
        }
    }

    /// A formula with a unit before or after it.
    pub(super) fn quantity(&mut self, from: usize, to: usize) -> Result<Value, Fault> {
        if from >= to {
            return Err(self.unread(from));
        }
        let (mut start, mut end) = (from, to);
        let mut unit = None;
        let mut negative = false;
        let mut scale = None;
        // $5, -$5
        let signed = usize::from(self.token(from) == Token::Minus);
        if from + signed < to
            && let Token::Currency(sign) = self.token(from + signed)
        {
            unit = units::unit(&[Token::Currency(sign)]);
            start = from + signed + 1;
            negative = signed == 1;
        }
        if unit.is_none() {
            let trailing = self.trailing_unit(start, end);
            if trailing < end {
                let mut tokens: Vec<Token<'_>> = (trailing..end).map(|at| self.token(at)).collect();
                scale = units::scale(&mut tokens);
                if scale.is_none() || !tokens.is_empty() {
                    unit = Some(units::unit(&tokens).ok_or_else(|| self.unread(trailing))?);
                }
                end = trailing;
            }
        } else if let Some(factor) = units::scale(&mut vec![self.token(to - 1)]) {
            // `$5 million`
            scale = Some(factor);
            end -= 1;
        } else if matches!(self.token(to - 1), Token::Word(word, _) if words::known_unit(word).is_some()) {
            // `$5 dollars`
            end -= 1;
        }
        if start >= end {
            return Err(self.unread(start));
        }
        // A currency sign comes before a number.
        if start > from && !matches!(self.token(start), Token::Number(_) | Token::Frac) {
            return Err(self.unread(start));
        }
        let formulas = self.formulas(start, end)?;
        let values: Vec<Value> = formulas
            .into_iter()
            .map(|expr| {
                let expr = if negative { expr.negated() } else { expr };
                let expr = match scale {
                    Some(factor) => scaled(expr, factor, self.budget)?,
                    None => expr,
                };
                Ok(match expr.infinite() {
                    Some(positive) if unit.is_none() => Value::Infinite(positive),
                    _ => Value::Quantity(Quantity { expr, unit: unit.clone() }),
                })
            })
            .collect::<Result<_, Fault>>()?;
        let mut values = values.into_iter();
        match (values.next(), values.next()) {
            (Some(upper), Some(lower)) => Ok(Value::List(Joint::Or, vec![upper, lower])),
            (Some(value), None) => Ok(value),
            _ => Err(self.unread(from)),
        }
    }

    /// `3\text{ hours }20\text{ minutes}` as one quantity.
    pub(super) fn total(&mut self, from: usize, to: usize) -> Result<Option<Value>, Fault> {
        let numbers = self.places(from, to, |token| matches!(token, Token::Number(_)))?;
        let starts: Vec<usize> =
            numbers.into_iter().filter(|&at| at > from && self.is_word(at - 1, from)).collect();
        if starts.is_empty() || starts.len() > 4 {
            return Ok(None);
        }
        let mut items = Vec::new();
        let ends = starts.iter().copied().chain([to]);
        for (from, to) in std::iter::once(from).chain(starts.iter().copied()).zip(ends) {
            match self.quantity(from, to) {
                Ok(value) => items.push(value),
                Err(Fault::OverBudget) => return Err(Fault::OverBudget),
                Err(_) => return Ok(None),
            }
        }
        Ok(total(&items))
    }

    /// Start of the unit at the end of a range.
    pub(super) fn trailing_unit(&self, from: usize, to: usize) -> usize {
        // A degree sign outside a formula.
        let degrees = (from..to).filter(|&at| self.token(at) == Token::Degree).count();
        let functions = (from..to).any(|at| matches!(self.token(at), Token::Function(_) | Token::Pi));
        if degrees == 1 && !functions {
            // `^\circ\text{C}`
            let scaled = to >= from + 3 && matches!(self.token(to - 1), Token::Letter("C" | "F" | "K"));
            let to = if scaled { to - 1 } else { to };
            let one = to - 1;
            if self.token(one) == Token::Degree {
                let caret = one > from && self.token(one - 1) == Token::Caret;
                return if caret { one - 1 } else { one };
            }
            if to >= from + 4 && self.token(to - 4) == Token::Caret && self.token(to - 2) == Token::Degree {
                return to - 4;
            }
        }
        // `\frac{\mathrm{m}}{\mathrm{s}}`
        if let Some(at) = self.fraction_of_units(from, to) {
            return at;
        }
        // Words, `\text{cm}^2`, `km/h`, a percent sign, a currency sign.
        let mut at = to;
        let mut start = to;
        while at > from {
            let token = self.token(at - 1);
            match token {
                Token::Word(..) | Token::Percent | Token::Currency(_) => {
                    at -= 1;
                    start = at;
                }
                // The power of a unit, or a single letter in `\text{m}`.
                Token::Number(_) if at >= from + 3 && self.token(at - 2) == Token::Caret => at -= 2,
                Token::Raised(_) => at -= 1,
                Token::Degree
                    if start == at
                        && start < to
                        && matches!(self.token(at), Token::Word("Celsius" | "Fahrenheit", _)) =>
                {
                    at -= 1;
                    start = at;
                }
                Token::Close(Bracket::Brace)
                    if at >= from + 6
                        && self.token(at - 3) == Token::Minus
                        && self.token(at - 4) == Token::Open(Bracket::Brace)
                        && self.token(at - 5) == Token::Caret =>
                {
                    at -= 5;
                }
                Token::Close(Bracket::Brace)
                    if at >= from + 5
                        && self.token(at - 3) == Token::Open(Bracket::Brace)
                        && self.token(at - 4) == Token::Caret =>
                {
                    at -= 4;
                }
                Token::Slash | Token::Times if start < to && at >= from + 2 && self.is_word(at - 2, from) => {
                    at -= 1;
                }
                // `km/h`
                Token::Letter(letter)
                    if at >= from + 4
                        && words::known_unit(letter).is_some()
                        && self.token(at - 2) == Token::Slash
                        && self.is_word(at - 3, from) =>
                {
                    at -= 3;
                    start = at;
                }
                Token::Letter(_) if self.is_lettered_unit(at - 1) => {
                    at -= 1;
                    start = at;
                }
                _ => break,
            }
            if to - at > 12 {
                break;
            }
        }
        start
    }

    /// Start of a fraction of two units at the end of a range.
    fn fraction_of_units(&self, from: usize, to: usize) -> Option<usize> {
        if self.token(to - 1) != Token::Close(Bracket::Brace) {
            return None;
        }
        let at = (from + 1..to.saturating_sub(5)).rev().take(16).find(|&at| self.token(at) == Token::Frac)?;
        let middle = self.partner[at + 1];
        let ends = middle > at + 1 && middle + 1 < to && self.partner[middle + 1] == to - 1;
        let units = (at + 1..to).all(|at| {
            self.is_word(at, from)
                || matches!(
                    self.token(at),
                    Token::Open(Bracket::Brace) | Token::Close(Bracket::Brace) | Token::Caret
                )
                || matches!(self.token(at), Token::Number(_)) && self.token(at - 1) == Token::Caret
        });
        (ends && units).then_some(at)
    }

    pub(super) fn is_word(&self, at: usize, from: usize) -> bool {
        at > from && (matches!(self.token(at), Token::Word(..)) || self.is_lettered_unit(at))
    }

    /// True for a letter in `\text{}`, which is a unit: `\text{ m}`.
    pub(super) fn is_lettered_unit(&self, at: usize) -> bool {
        let placed = &self.tokens[at];
        matches!(placed.token, Token::Letter(letter) if words::known_unit(letter).is_some())
            && (self.text[placed.at..].starts_with(['\\', '{']) || self.text[..placed.at].ends_with('~'))
    }
}

/// A number times a small integer, still a decimal if it is one.
fn scaled(expr: Expr, factor: i64, budget: &mut Budget) -> Result<Expr, Fault> {
    let by = Ratio::whole(factor);
    Ok(match expr {
        Expr::Number(value) => Expr::Number(value.times(&by, budget)?),
        Expr::Decimal(value, half) => Expr::Decimal(value.times(&by, budget)?, half.times(&by, budget)?),
        other => Expr::Product(vec![other, Expr::Number(by)]),
    })
}

/// `2 hours` and `30 minutes` as one quantity; nothing if the items are no such parts.
pub(super) fn total(items: &[Value]) -> Option<Value> {
    let mut sum = Vec::with_capacity(items.len());
    let mut last: Option<(&str, i64)> = None;
    for item in items {
        let Value::Quantity(Quantity { expr, unit: Some(Unit::Known(unit)) }) = item else { return None };
        let (smallest, count) = units::smallest(unit)?;
        if expr.has_variables() || last.is_some_and(|(kind, above)| kind != smallest || count >= above) {
            return None;
        }
        last = Some((smallest, count));
        sum.push(Expr::Product(vec![expr.clone(), Expr::whole(count)]));
    }
    let (smallest, _) = last.filter(|_| items.len() > 1)?;
    Some(Value::Quantity(Quantity { expr: Expr::Sum(sum), unit: Some(Unit::Total(smallest)) }))
}
