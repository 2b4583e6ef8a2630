//! A calculator of exact numbers for expressions of anyone's: bounded in length, depth and size of numbers.

use std::iter::Peekable;
use std::vec;

use dashu_int::IBig;
use dashu_int::ops::{BitTest, DivEuclid, Gcd};

/// The most characters of an expression.
const LONGEST: usize = 1_000;
/// The most signs, powers and parentheses inside each other.
const DEEPEST: usize = 50;
/// The most bits of a numerator or a denominator.
const MOST_BITS: usize = 4_096;

/// Two-character operators come first, as their first character is an operator, too.
const OPERATORS: [&str; 10] = ["**", "//", "-", "+", "*", "/", "%", "^", "(", ")"];

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Incalculable {
    #[error("the expression is longer than {LONGEST} characters")]
    TooLong,
    #[error("it is nested deeper than {DEEPEST} levels")]
    TooDeep,
    #[error("a number in it is too large")]
    TooLarge,
    #[error("{0:?} is neither a number nor one of + - * / // % ** ^ ( )")]
    UnknownCharacter(char),
    #[error("an operator is missing before '{0}'")]
    NoOperator(String),
    #[error("'{0}' stands where a number must come")]
    NoNumber(String),
    #[error("the expression ends where a number must come")]
    EndsEarly,
    #[error("a parenthesis is not closed")]
    Unclosed,
    #[error("it divides by zero")]
    DivisionByZero,
    #[error("a power must have a whole exponent, as others are not exact")]
    FractionalExponent,
}

/// The exact value of an arithmetic expression: a numerator over a positive denominator, in lowest terms.
///
/// Decimals are joined by `+ - * /`, `//` (whole part), `%` (remainder of it), and `**` or `^` (power, by a whole
/// exponent), as Python binds them.
pub fn calculate(expression: &str) -> Result<(IBig, IBig), Incalculable> {
    if expression.chars().nth(LONGEST).is_some() {
        return Err(Incalculable::TooLong);
    }
    let mut parser = Parser { tokens: tokens(expression)?.into_iter().peekable(), depth: 0 };
    let value = parser.sum()?;
    match parser.tokens.next() {
        Some(token) => Err(Incalculable::NoOperator(token)),
        None => Ok((value.above, value.below)),
    }
}

fn tokens(expression: &str) -> Result<Vec<String>, Incalculable> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let (mut tokens, mut rest) = (Vec::new(), expression.trim_start());
    while let Some(first) = rest.chars().next() {
        let whole = digits(rest);
        let places = rest[whole..].strip_prefix('.').map_or(0, digits);
        let length = match OPERATORS.iter().find(|operator| rest.starts_with(**operator)) {
            Some(operator) => operator.len(),
            None if places > 0 => whole + 1 + places,
            None if whole > 0 => whole,
            None => return Err(Incalculable::UnknownCharacter(first)),
        };
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// In lowest terms, over a positive integer.
struct Fraction {
    above: IBig,
    below: IBig,
}

impl Fraction {
    fn new(above: IBig, below: IBig) -> Result<Self, Incalculable> {
        if below == IBig::ZERO {
            return Err(Incalculable::DivisionByZero);
        }
        let shared = IBig::from((&above).gcd(&below)) * below.signum();
        let (above, below) = (above / &shared, below / shared);
        if above.bit_len().max(below.bit_len()) > MOST_BITS {
            return Err(Incalculable::TooLarge);
        }
        Ok(Self { above, below })
    }

    fn read(number: &str) -> Result<Self, Incalculable> {
        let (whole, places) = number.split_once('.').unwrap_or((number, ""));
        let digits = format!("{whole}{places}").parse().expect("a number has digits");
        Self::new(digits, IBig::from(10).pow(places.len()))
    }

    fn plus(self, other: &Self) -> Result<Self, Incalculable> {
        Self::new(self.above * &other.below + &other.above * &self.below, self.below * &other.below)
    }

    fn minus(self, other: Self) -> Result<Self, Incalculable> {
        self.plus(&other.negated())
    }

    fn times(self, other: &Self) -> Result<Self, Incalculable> {
        Self::new(self.above * &other.above, self.below * &other.below)
    }

    fn over(self, other: &Self) -> Result<Self, Incalculable> {
        Self::new(self.above * &other.below, self.below * &other.above)
    }

    fn negated(self) -> Self {
        Self { above: -self.above, ..self }
    }

    /// The next integer below.
    fn floor(self) -> Result<Self, Incalculable> {
        Self::new(self.above.div_euclid(self.below), IBig::ONE)
    }

    fn remainder(self, other: &Self) -> Result<Self, Incalculable> {
        let Self { above, below } = &self;
        let whole = Self { above: above.clone(), below: below.clone() }.over(other)?.floor()?;
        self.minus(whole.times(other)?)
    }

    fn power(self, exponent: Self) -> Result<Self, Incalculable> {
        if exponent.below != IBig::ONE {
            return Err(Incalculable::FractionalExponent);
        }
        let upside_down = exponent.above < IBig::ZERO;
        if upside_down && self.above == IBig::ZERO {
            return Err(Incalculable::DivisionByZero);
        }
        let bits = self.above.bit_len().max(self.below.bit_len());
        let exponent = usize::try_from(if upside_down { -exponent.above } else { exponent.above });
        let exponent = exponent
            .ok()
            .filter(|exponent| exponent.checked_mul(bits).is_some_and(|size| size <= MOST_BITS))
            .ok_or(Incalculable::TooLarge)?;
        let (above, below) = (self.above.pow(exponent), self.below.pow(exponent));
        if upside_down { Self::new(below, above) } else { Self::new(above, below) }
    }
}

/// Evaluates tokens from left to right.
struct Parser {
    tokens: Peekable<vec::IntoIter<String>>,
    depth: usize,
}

impl Parser {
    fn take(&mut self, wanted: &[&str]) -> Option<String> {
        self.tokens.next_if(|token| wanted.contains(&token.as_str()))
    }

    fn sum(&mut self) -> Result<Fraction, Incalculable> {
        let mut value = self.product()?;
        while let Some(sign) = self.take(&["+", "-"]) {
            let right = self.product()?;
            value = if sign == "+" { value.plus(&right)? } else { value.minus(right)? };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<Fraction, Incalculable> {
        let mut value = self.signed()?;
        while let Some(operator) = self.take(&["*", "/", "//", "%"]) {
            let right = self.signed()?;
            value = match operator.as_str() {
                "*" => value.times(&right)?,
                "/" => value.over(&right)?,
                "//" => value.over(&right)?.floor()?,
                _ => value.remainder(&right)?,
            };
        }
        Ok(value)
    }

    fn signed(&mut self) -> Result<Fraction, Incalculable> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Incalculable::TooDeep);
        }
        let value = match self.take(&["+", "-"]) {
            None => self.power()?,
            Some(sign) => {
                let value = self.signed()?;
                if sign == "-" { value.negated() } else { value }
            }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn power(&mut self) -> Result<Fraction, Incalculable> {
        let base = self.atom()?;
        match self.take(&["**", "^"]) {
            Some(_) => base.power(self.signed()?),
            None => Ok(base),
        }
    }

    fn atom(&mut self) -> Result<Fraction, Incalculable> {
        let token = self.tokens.next().ok_or(Incalculable::EndsEarly)?;
        if token == "(" {
            let value = self.sum()?;
            return self.take(&[")"]).map(|_| value).ok_or(Incalculable::Unclosed);
        }
        if OPERATORS.contains(&token.as_str()) {
            return Err(Incalculable::NoNumber(token));
        }
        Fraction::read(&token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_exact_and_in_lowest_terms() {
        for (expression, above, below) in [
            ("2+2", 4, 1),
            ("-2**2", -4, 1),
            ("(-2)^2", 4, 1),
            ("(-2)**-3", -1, 8),
            ("2**3**2", 512, 1),
            ("-7//2", -4, 1),
            ("7//-2", -4, 1),
            ("-7 % 3", 2, 1),
            ("7 % -3", -2, 1),
            ("5.5 % 2", 3, 2),
            ("0.1 + .2", 3, 10),
            ("1/-3", -1, 3),
            ("--3 - +-1", 4, 1),
            ("0**0", 1, 1),
            ("1/3 + 1/6", 1, 2),
            (" 2 * (3 + 4) / 7 ", 2, 1),
        ] {
            assert_eq!(calculate(expression), Ok((above.into(), below.into())), "{expression}");
        }
    }

    #[test]
    fn what_has_no_value_says_why() {
        use Incalculable::*;
        for (expression, why) in [
            ("1 / 0", DivisionByZero),
            ("1 // 0", DivisionByZero),
            ("1 % 0", DivisionByZero),
            ("0 ** -1", DivisionByZero),
            ("2 ** 0.5", FractionalExponent),
            ("9 ** 9 ** 9", TooLarge),
            ("2 ** 4095 * 2 ** 4095", TooLarge),
            ("", EndsEarly),
            ("(1", Unclosed),
            ("1)", NoOperator(")".to_owned())),
            ("* 1", NoNumber("*".to_owned())),
            ("1.", UnknownCharacter('.')),
            ("٣", UnknownCharacter('٣')),
        ] {
            assert_eq!(calculate(expression), Err(why), "{expression}");
        }
        assert_eq!(calculate(&"-".repeat(60)), Err(TooDeep));
        assert_eq!(calculate(&"(".repeat(1_000)), Err(TooDeep));
        assert_eq!(calculate(&"1".repeat(1_001)), Err(TooLong));
        assert!(calculate(&"9".repeat(1_000)).is_ok());
    }
}
