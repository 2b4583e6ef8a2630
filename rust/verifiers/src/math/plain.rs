//! Numbers of a few digits, compared without a formula: integers, decimals and fractions.

use super::expression::Expr;
use super::ratio::Ratio;
use super::value::Value;
use super::{Fault, Settings, label};
use kit::budget::Budget;
use kit::task::verdict::label as common;

/// A decimal with fewer digits than this is exact: what a person writes as `0.5` is seldom rounded.
pub const ROUNDED_DIGITS: u32 = 3;

/// `above / below`, with `below` above zero and not always in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plain {
    above: i64,
    below: i64,
    /// True if it is written with a point; `below` is then the power of ten for the digits after it.
    decimal: bool,
}

impl Plain {
    /// The most digits, so that a product of two numbers fits.
    const MOST_DIGITS: usize = 17;

    /// Reads `-12`, `0.5`, `-3/4` and `\frac{3}{4}`. Text in another notation may still be a number.
    pub fn read(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (negative, rest) = match bytes {
            [b'-', rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let read = match rest {
            [b'\\', ..] => Self::in_braces(rest),
            _ => Self::in_line(rest),
        };
        read.map(|read| Self { above: if negative { -read.above } else { read.above }, ..read })
    }

    fn in_line(text: &[u8]) -> Option<Self> {
        let (above, rest) = integer(text)?;
        match rest {
            [] => Some(Self { above, below: 1, decimal: false }),
            [b'/', below @ ..] => {
                let (below, rest) = integer(below)?;
                (rest.is_empty() && below > 0).then_some(Self { above, below, decimal: false })
            }
            [b'.', places @ ..] => {
                let (part, rest) = integer(places)?;
                let digits = text.len() - 1;
                if !rest.is_empty() || digits > Self::MOST_DIGITS {
                    return None;
                }
                let below = 10_i64.pow(places.len() as u32);
                Some(Self { above: above * below + part, below, decimal: true })
            }
            _ => None,
        }
    }

    fn in_braces(text: &[u8]) -> Option<Self> {
        let names = [b"\\frac{".as_slice(), b"\\dfrac{", b"\\tfrac{"];
        let rest = names.into_iter().find_map(|name| text.strip_prefix(name))?;
        let (above, rest) = integer(rest)?;
        let (below, rest) = integer(rest.strip_prefix(b"}{")?)?;
        (rest == b"}" && below > 0).then_some(Self { above, below, decimal: false })
    }

    pub fn value(self, budget: &mut Budget) -> Result<Value, Fault> {
        if self.below == 1 {
            return Ok(Value::number(Expr::whole(self.above)));
        }
        let value = Ratio::new(self.above.into(), self.below.into(), budget)?;
        Ok(Value::number(if self.decimal {
            Expr::Decimal(value, Ratio { above: 1.into(), below: (2 * self.below).into() })
        } else {
            Expr::Number(value)
        }))
    }

    /// True if anything that rounds to it passes.
    fn rounds(self) -> bool {
        let whole = self.above % self.below == 0;
        self.decimal && !whole && self.above.unsigned_abs() >= 10_u64.pow(ROUNDED_DIGITS - 1)
    }

    /// Reason why an answer is not this reference, by label and in words; `None` if it is.
    pub fn mismatch(self, answer: Self, settings: &Settings) -> Option<(&'static str, &'static str)> {
        let product = |one: i64, other: i64| i128::from(one) * i128::from(other);
        let apart = (product(answer.above, self.below) - product(self.above, answer.below)).unsigned_abs();
        // The difference is `apart / (self.below * answer.below)`, and half a unit `1 / (2 * below)`.
        let within_half_of = |other: Self| 2 * apart <= u128::from(other.unsigned_below());
        if apart == 0 || (settings.rounded && self.rounds() && within_half_of(answer)) {
            return None;
        }
        Some(if answer.decimal && within_half_of(self) {
            (label::WRONG_PRECISION, "the answer is rounded further than the reference")
        } else {
            (common::WRONG_ANSWER, "the value is another")
        })
    }

    fn unsigned_below(self) -> u64 {
        self.below.unsigned_abs()
    }
}

/// The value of the digits at the start of a text, at least one and not too many, and the text after them.
fn integer(text: &[u8]) -> Option<(i64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 || digits > Plain::MOST_DIGITS {
        return None;
    }
    let (digits, rest) = text.split_at(digits);
    Some((digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_a_number_of_few_digits() {
        let read = |text| Plain::read(text).map(|plain| (plain.above, plain.below, plain.decimal));
        assert_eq!(read("-12"), Some((-12, 1, false)));
        assert_eq!(read("0.50"), Some((50, 100, true)));
        assert_eq!(read("-3/4"), Some((-3, 4, false)));
        assert_eq!(read("\\dfrac{3}{12}"), Some((3, 12, false)));
        assert_eq!(read("12345678901234567"), Some((12_345_678_901_234_567, 1, false)));
        for other in [
            "",
            "-",
            "--1",
            "+1",
            "1/0",
            "1/-2",
            "1.",
            ".5",
            "1.5/2",
            "1e3",
            "1 2",
            "\\frac{1}{0}",
            "\\frac{1}2",
            "\\frac{-1}{2}",
            "123456789012345678",
            "1234567890.12345678",
            "1/2/3",
            "1.2.3",
            "١",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
