//! Numbers: with a point, a power of ten, marks between thousands, mixed, repeating.

use super::Parser;
use crate::math::Fault;
use crate::math::expression::Expr;
use crate::math::ratio::{Ratio, power_of_ten};
use crate::math::tokens::{Bracket, Token};
use kit::budget::Budget;
use kit::shared::decimal::is_digits;

impl Parser<'_, '_, '_, '_> {
    /// A number, a mixed number or a decimal that repeats.
    pub(super) fn number(&mut self, digits: &str) -> Result<Expr, Fault> {
        self.at += 1;
        if self.peek() == Some(Token::Overline) && digits.contains('.') {
            self.at += 1;
            let Some(Token::Open(Bracket::Brace)) = self.peek() else { return Err(self.unread()) };
            let repeated = self.bracketed(|parser| match parser.peek() {
                Some(Token::Number(repeated)) if is_digits(repeated) => {
                    parser.at += 1;
                    Ok(repeated)
                }
                _ => Err(parser.unread()),
            })?;
            return self.repeating(digits, repeated);
        }
        if self.peek() == Some(Token::Dots) {
            let last = &digits[digits.len() - 1..];
            let same = digits.bytes().rev().take_while(|byte| *byte == last.as_bytes()[0]).count();
            if digits.contains('.') && is_digits(last) && same >= 3 {
                self.at += 1;
                return self.repeating(digits, last);
            }
            return self.cut(digits);
        }
        let value = read_number(digits, self.budget)?;
        if let Expr::Number(whole) = &value
            && let Some((fraction, length)) = self.proper_fraction()
        {
            self.at += length;
            return Ok(Expr::Sum(vec![Expr::Number(whole.clone()), fraction]));
        }
        Ok(value)
    }

    /// A decimal with more digits than are written: they repeat, as in `0.1212\ldots`, or are the first ones of
    /// a number.
    fn cut(&mut self, digits: &str) -> Result<Expr, Fault> {
        let Some((whole, places)) = digits.split_once('.') else { return Err(self.unread()) };
        if !is_digits(whole) || !is_digits(places) || places.len() < 2 {
            return Err(self.unread());
        }
        self.budget.spend(4 * places.len() as u64)?;
        self.at += 1;
        let cycle = (2..=places.len().min(24) / 2).find(|length| {
            let (before, last) = places.split_at(places.len() - length);
            before.ends_with(last)
        });
        if let Some(length) = cycle {
            return self.repeating(digits, &places[places.len() - length..]);
        }
        let value = Ratio::of_digits(&[whole, places].concat(), places.len(), self.budget)?;
        let half = Ratio::new(5.into(), power_of_ten(places.len() + 1, self.budget)?, self.budget)?;
        Ok(Expr::Decimal(value.plus(&half, self.budget)?, half))
    }

    pub(super) fn repeating(&mut self, digits: &str, repeated: &str) -> Result<Expr, Fault> {
        let (whole, places) = digits.split_once('.').expect("it has a point");
        if !is_digits(whole) || !is_digits(places) || repeated.is_empty() {
            return Err(self.unread());
        }
        let start = Ratio::of_digits(&[whole, places].concat(), places.len(), self.budget)?;
        let cycle = Ratio::of_digits(repeated, 0, self.budget)?;
        let nines = power_of_ten(repeated.len(), self.budget)? - dashu_int::IBig::ONE;
        let below = nines * power_of_ten(places.len(), self.budget)?;
        let cycle = Ratio::new(cycle.above, below, self.budget)?;
        Ok(Expr::Number(start.plus(&cycle, self.budget)?))
    }

    /// The fraction of a mixed number that may follow an integer, and how many tokens it takes.
    pub(super) fn proper_fraction(&self) -> Option<(Expr, usize)> {
        let small = |token: Option<Token<'_>>| match token {
            Some(Token::Number(digits)) if is_digits(digits) => digits.parse::<i64>().ok(),
            _ => None,
        };
        let brace = |ahead: usize| {
            let open = self.peek_at(ahead) == Some(Token::Open(Bracket::Brace));
            let close = self.peek_at(ahead + 2) == Some(Token::Close(Bracket::Brace));
            if open && close { small(self.peek_at(ahead + 1)) } else { None }
        };
        let proper = |above: i64, below: i64, length: usize| {
            let fits = 0 < above && above < below;
            fits.then(|| (Expr::whole(above).over(Expr::whole(below)), length))
        };
        match self.peek()? {
            Token::Vulgar(above, below) => proper(above, below, 1),
            Token::Frac => match (brace(1), brace(4)) {
                (Some(above), Some(below)) => proper(above, below, 7),
                _ => match self.peek_at(1)? {
                    Token::Number(digits) if digits.len() == 2 && is_digits(digits) => {
                        let (above, below) = digits.split_at(1);
                        proper(above.parse().ok()?, below.parse().ok()?, 2)
                    }
                    _ => None,
                },
            },
            Token::Number(_) if self.tokens[self.at].spaced && self.peek_at(1) == Some(Token::Slash) => {
                proper(small(self.peek())?, small(self.peek_at(2))?, 3)
            }
            _ => None,
        }
    }
}

/// A number by its text, marks between thousands included.
pub fn read_number(text: &str, budget: &mut Budget) -> Result<Expr, Fault> {
    budget.spend(text.len() as u64)?;
    let parted = text.contains([',', '\\', ' ', '\u{a0}', '\u{202f}']);
    let cleaned: String;
    let text = if parted {
        cleaned = text.chars().filter(|c| !",{}\\! \u{a0}\u{202f}".contains(*c)).collect();
        &cleaned
    } else {
        text
    };
    let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, ""));
    let Some((whole, places)) = mantissa.split_once('.') else {
        let value = if mantissa.len() <= 18 {
            Ratio::whole(mantissa.parse::<i64>().expect("digits alone"))
        } else {
            Ratio::of_digits(mantissa, 0, budget)?
        };
        return scaled(Expr::Number(value), power, budget);
    };
    let value = Ratio::of_digits(&[whole, places].concat(), places.len(), budget)?;
    let half = Ratio::new(5.into(), power_of_ten(places.len() + 1, budget)?, budget)?;
    scaled(Expr::Decimal(value, half), power, budget)
}

/// A number times ten to a power that is given in digits.
fn scaled(number: Expr, power: &str, budget: &mut Budget) -> Result<Expr, Fault> {
    if power.is_empty() {
        return Ok(number);
    }
    let power = power.strip_prefix('+').unwrap_or(power);
    let power: i64 = power.parse().map_err(|_| Fault::OverBudget)?;
    let ten = Ratio::whole(10).power(power, budget)?;
    Ok(match number {
        Expr::Decimal(value, half) => Expr::Decimal(value.times(&ten, budget)?, half.times(&ten, budget)?),
        Expr::Number(value) => Expr::Number(value.times(&ten, budget)?),
        other => other,
    })
}
