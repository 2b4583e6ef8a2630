//! Functions by name, and their arguments.

use super::numbers::read_number;
use super::{Parser, starts_factor};
use crate::math::Fault;
use crate::math::expression::{Expr, Function, Pair};
use crate::math::tokens::{Bracket, Named, Token};
use kit::shared::decimal::is_digits;

impl Parser<'_, '_, '_, '_> {
    pub(super) fn function(&mut self, named: Named) -> Result<Expr, Fault> {
        if let Named::Max | Named::Min | Named::Gcd | Named::Lcm = named {
            return self.of_several(named);
        }
        if let Named::Root(degree) = named {
            let of = match self.peek() {
                Some(Token::Open(Bracket::Round)) => self.bracketed(Self::sum)?,
                _ => self.primary()?,
            };
            return Ok(Expr::root(of, degree));
        }
        let mut base = None;
        if let (Named::Of(Function::Log), Some(Token::Under)) = (named, self.peek()) {
            self.at += 1;
            base = Some(match self.peek() {
                Some(Token::Number(digits)) if digits.len() > 1 && !self.tokens[self.at].spaced => {
                    // `\log_28` could be the logarithm of 8.
                    if digits != "10" {
                        return Err(self.unread());
                    }
                    self.at += 1;
                    Expr::whole(10)
                }
                _ => self.argument()?,
            });
        }
        let mut power = None;
        match self.peek() {
            Some(Token::Caret) if self.degree_sign().is_none() => {
                self.at += 1;
                power = Some(self.deeper(Self::exponent)?);
            }
            Some(Token::Raised(raised)) => {
                self.at += 1;
                power = Some(Expr::whole(raised));
            }
            _ => {}
        }
        let inverse = matches!(&power, Some(Expr::Number(value)) if value.small() == Some(-1_i64));
        let of = self.function_argument()?;
        if inverse {
            let function = match named {
                Named::Of(Function::Sin) => Function::Arcsin,
                Named::Of(Function::Cos) => Function::Arccos,
                Named::Of(Function::Tan) => Function::Arctan,
                _ => return Err(self.unread()),
            };
            return Ok(Expr::call(function, of));
        }
        let value = match named {
            Named::Of(Function::Log) => match base {
                Some(base) => Expr::call(Function::Ln, of).over(Expr::call(Function::Ln, base)),
                None => Expr::call(Function::Log, of),
            },
            Named::Of(function) => Expr::call(function, of),
            Named::Over(function) => Expr::call(function, of).inverse(),
            Named::LogOf(base) => {
                Expr::call(Function::Ln, of).over(Expr::call(Function::Ln, Expr::whole(base)))
            }
            _ => unreachable!("roots and what is of several are read above"),
        };
        Ok(match power {
            Some(power) => Expr::Power(Box::new(value), Box::new(power)),
            None => value,
        })
    }

    /// `\max(1, 2)` and the like.
    fn of_several(&mut self, named: Named) -> Result<Expr, Fault> {
        let Some(Token::Open(Bracket::Round | Bracket::Set)) = self.peek() else { return Err(self.unread()) };
        let items = self.bracketed(|parser| {
            let mut items = vec![parser.sum()?];
            while parser.peek() == Some(Token::Comma) {
                parser.at += 1;
                items.push(parser.sum()?);
            }
            Ok(items)
        })?;
        let join = |one: Expr, other: Expr| match named {
            Named::Max => Expr::two(Pair::Max, one, other),
            Named::Min => Expr::two(Pair::Max, one.negated(), other.negated()).negated(),
            Named::Gcd => Expr::two(Pair::Gcd, one, other),
            _ => Expr::two(Pair::Lcm, one, other),
        };
        // Each makes the tree deeper.
        if items.len() > 12 {
            return Err(Fault::Deep);
        }
        Ok(items.into_iter().reduce(join).expect("there is one"))
    }

    /// `_{10}C_3`, a binomial coefficient, or `_{10}P_3`, a number of permutations.
    pub(super) fn counted_choices(&mut self) -> Result<Expr, Fault> {
        self.at += 1;
        let of = self.index()?;
        let ordered = match self.peek() {
            Some(Token::Letter("C")) => false,
            Some(Token::Letter("P")) => true,
            _ => return Err(self.unread()),
        };
        self.at += 1;
        if self.peek() != Some(Token::Under) {
            return Err(self.unread());
        }
        self.at += 1;
        let chosen = self.index()?;
        let orders = Expr::call(Function::Factorial, chosen.clone());
        let choices = Expr::two(Pair::Binomial, of, chosen);
        Ok(if ordered { Expr::Product(vec![choices, orders]) } else { choices })
    }

    fn index(&mut self) -> Result<Expr, Fault> {
        match self.peek() {
            Some(Token::Number(digits)) if is_digits(digits) => {
                self.at += 1;
                read_number(digits, self.budget)
            }
            _ => self.argument(),
        }
    }

    /// The argument of a function: the contents of brackets, or all factors up to a sign or another function.
    fn function_argument(&mut self) -> Result<Expr, Fault> {
        if let Some(Token::Open(Bracket::Round | Bracket::Brace | Bracket::Square)) = self.peek() {
            return self.bracketed(Self::sum);
        }
        let mut factors = Vec::new();
        let mut has_pi = false;
        while let Some(token) = self.peek() {
            let number = matches!(token, Token::Number(_) | Token::Vulgar(..));
            let call = matches!(token, Token::Function(named) if !matches!(named, Named::Root(_)));
            let group = matches!(token, Token::Open(_) | Token::Bar);
            if !factors.is_empty() && (number || call || group) || !starts_factor(token) {
                break;
            }
            has_pi |= token == Token::Pi;
            factors.push(self.factor()?);
            self.budget.spend(10)?;
        }
        // `\sin \pi/6` could have either argument.
        if factors.is_empty() || (has_pi && matches!(self.peek(), Some(Token::Slash | Token::Times))) {
            return Err(self.unread());
        }
        Ok(if factors.len() == 1 { factors.remove(0) } else { Expr::Product(factors) })
    }
}
