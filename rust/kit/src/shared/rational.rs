//! Exact fractions of bounded size.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Neg;
use std::str::FromStr;

/// A fraction in lowest terms. Equal values are equal bits, and arithmetic is exact or `None`.
///
/// The denominator is positive; neither part exceeds `i128::MAX` in magnitude.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rational {
    numerator: i128,
    denominator: i128,
}

/// Reason why a text is not a [`Rational`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRational {
    /// Neither `p` nor `p/q` in plain digits.
    #[error("not a whole number or a fraction such as 7/2")]
    Form,
    /// `p/0`.
    #[error("the denominator is zero")]
    ZeroDenominator,
    /// A part has more digits than an `i128` holds.
    #[error("too large to hold exactly")]
    TooLarge,
}

impl Rational {
    /// The value 0.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// `numerator / denominator` in lowest terms; `None` when the denominator is zero or a part is
    /// `i128::MIN`.
    #[must_use]
    pub fn new(numerator: i128, denominator: i128) -> Option<Self> {
        if denominator == 0 || numerator == i128::MIN || denominator == i128::MIN {
            return None;
        }
        let shared = gcd(numerator, denominator) * denominator.signum();
        Self::reduced(quotient(numerator, shared), quotient(denominator, shared))
    }

    /// The numerator, which carries the sign.
    #[must_use]
    pub fn numerator(self) -> i128 {
        self.numerator
    }

    /// The denominator, at least 1.
    #[must_use]
    pub fn denominator(self) -> i128 {
        self.denominator
    }

    /// True if this is an integer.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.denominator == 1
    }

    /// The sum; `None` when it, or its numerator before reduction, does not fit.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        // Knuth 4.5.1: only a factor of both denominators can reduce the sum.
        let shared = gcd(self.denominator, other.denominator);
        let (left, right) = (quotient(self.denominator, shared), quotient(other.denominator, shared));
        let sum = self.numerator.checked_mul(right)?.checked_add(other.numerator.checked_mul(left)?)?;
        let reducible = gcd(sum, shared);
        Self::reduced(quotient(sum, reducible), left.checked_mul(quotient(other.denominator, reducible))?)
    }

    /// The difference; `None` when it, or its numerator before reduction, does not fit.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.checked_add(-other)
    }

    /// The product; `None` when it does not fit.
    #[must_use]
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        let down = gcd(self.numerator, other.denominator);
        let up = gcd(other.numerator, self.denominator);
        Self::reduced(
            quotient(self.numerator, down).checked_mul(quotient(other.numerator, up))?,
            quotient(self.denominator, up).checked_mul(quotient(other.denominator, down))?,
        )
    }

    /// The quotient; `None` when it does not fit or `other` is zero.
    #[must_use]
    pub fn checked_div(self, other: Self) -> Option<Self> {
        self.checked_mul(Self::new(other.denominator, other.numerator)?)
    }

    /// The only constructor: parts without a common factor, the denominator positive.
    fn reduced(numerator: i128, denominator: i128) -> Option<Self> {
        (numerator != i128::MIN).then_some(Self { numerator, denominator })
    }
}

/// The quotient of two numbers that divide evenly.
fn quotient(a: i128, b: i128) -> i128 {
    // Division is much faster in 64 bits, which nearly all numbers fit.
    match (i64::try_from(a), i64::try_from(b)) {
        // Never the smallest number by -1, which has no quotient here.
        (Ok(a), Ok(b)) if b > 0 => (a / b).into(),
        _ => a / b,
    }
}

/// The greatest common divisor, positive if `b` is not zero. `a` may be `i128::MIN` only with a positive `b`.
pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    // Division is much faster in 64 bits, which nearly all numbers fit.
    while b > u64::MAX.into() || (b != 0 && a > u64::MAX.into()) {
        (a, b) = (b, a % b);
    }
    if b == 0 {
        return a as i128;
    }
    let (mut a, mut b) = (a as u64, b as u64);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.into()
}

impl From<i64> for Rational {
    fn from(n: i64) -> Self {
        Self { numerator: n.into(), denominator: 1 }
    }
}

impl Neg for Rational {
    type Output = Self;

    fn neg(self) -> Self {
        Self { numerator: -self.numerator, ..self }
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Self) -> Ordering {
        // Cross products can overflow, so compare as continued fractions: the integer parts, then the
        // remainders, inverted and with the sides exchanged to keep the direction.
        let (mut a, mut b) = (self.numerator, self.denominator);
        let (mut c, mut d) = (other.numerator, other.denominator);
        loop {
            let whole = a.div_euclid(b).cmp(&c.div_euclid(d));
            let (left, right) = (a.rem_euclid(b), c.rem_euclid(d));
            if whole.is_ne() || left == 0 || right == 0 {
                return whole.then(left.signum().cmp(&right.signum()));
            }
            (a, b, c, d) = (d, right, b, left);
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Writes `7`, `-7` or `-7/2`.
impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_whole() {
            write!(f, "{}", self.numerator)
        } else {
            write!(f, "{}/{}", self.numerator, self.denominator)
        }
    }
}

/// Reads `p` and `p/q`: decimal digits without leading zeros or white space, a minus (`-` or `−`)
/// only in front. The fraction need not be in lowest terms. Total, and linear in the text.
impl FromStr for Rational {
    type Err = NotRational;

    fn from_str(text: &str) -> Result<Self, NotRational> {
        let unsigned = text.strip_prefix(['-', '−']);
        let (above, below) = match unsigned.unwrap_or(text).split_once('/') {
            Some((above, below)) => (natural(above)?, natural(below)?),
            None => (natural(unsigned.unwrap_or(text))?, 1),
        };
        let value = Self::new(above, below).ok_or(NotRational::ZeroDenominator)?;
        Ok(if unsigned.is_some() { -value } else { value })
    }
}

/// Digits alone, the first of several not zero.
fn natural(digits: &str) -> Result<i128, NotRational> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if !plain || (digits.len() > 1 && digits.starts_with('0')) {
        return Err(NotRational::Form);
    }
    digits.parse().map_err(|_| NotRational::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(numerator: i128, denominator: i128) -> Rational {
        Rational::new(numerator, denominator).expect("a test's fraction is valid")
    }

    #[test]
    fn small_fractions_agree_with_cross_multiplication() {
        let all: Vec<_> =
            (-7..=7).flat_map(|n| [-6, -5, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6].map(|d| (n, d))).collect();
        for &(a, b) in &all {
            for &(c, d) in &all {
                let (left, right) = (ratio(a, b), ratio(c, d));
                assert_eq!(left.checked_add(right), Rational::new(a * d + c * b, b * d));
                assert_eq!(left.checked_sub(right), Rational::new(a * d - c * b, b * d));
                assert_eq!(left.checked_mul(right), Rational::new(a * c, b * d));
                assert_eq!(left.checked_div(right), Rational::new(a * d, b * c));
                let sign = (b * d).signum();
                assert_eq!(left.cmp(&right), (a * d * sign).cmp(&(c * b * sign)));
            }
            let value = ratio(a, b);
            assert!(value.denominator() > 0);
            assert_eq!(gcd(value.numerator(), value.denominator()), 1);
            assert_eq!(value.to_string().parse(), Ok(value));
        }
    }

    #[test]
    fn order_is_exact_where_cross_products_overflow() {
        let huge = i128::MAX;
        let rising = [
            ratio(-huge, 1),
            ratio(-huge, huge - 1),
            ratio(-1, huge),
            Rational::ZERO,
            ratio(1, huge),
            ratio(1, huge - 1),
            ratio(huge - 2, huge - 1),
            ratio(huge - 1, huge),
            ratio(huge, huge - 1),
            ratio(huge - 1, huge - 2),
            ratio(huge, 1),
        ];
        for (i, a) in rising.iter().enumerate() {
            for (j, b) in rising.iter().enumerate() {
                assert_eq!(a.cmp(b), i.cmp(&j), "{a} and {b}");
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_none_and_what_reduces_is_kept() {
        let huge = ratio(i128::MAX, 1);
        assert_eq!(huge.checked_add(1.into()), None);
        assert_eq!((-huge).checked_sub(1.into()), None);
        assert_eq!(huge.checked_mul(2.into()), None);
        assert_eq!(huge.checked_mul(huge), None);
        assert_eq!(ratio(1, i128::MAX).checked_div(huge), None);
        assert_eq!(huge.checked_div(huge), Some(1.into()));
        assert_eq!(huge.checked_mul(ratio(2, i128::MAX)), Some(Rational::from(2)));
        assert_eq!(huge.checked_sub(huge), Some(Rational::ZERO));
        // −2^127 would fit an i128, but its negative would not.
        let half = ratio(-(1 << 126), 1);
        assert_eq!(half.checked_add(half), None);
        assert_eq!(half.checked_mul(2.into()), None);
        assert_eq!(Rational::new(i128::MIN, 1), None);
        assert_eq!(Rational::new(1, i128::MIN), None);
        assert_eq!(Rational::new(1, 0), None);
        assert_eq!(Rational::from(1).checked_div(Rational::ZERO), None);
    }

    #[test]
    fn reads_whole_numbers_and_fractions() {
        for (text, numerator, denominator) in
            [("0", 0, 1), ("-0", 0, 1), ("7", 7, 1), ("−7/2", -7, 2), ("14/4", 7, 2), ("0/5", 0, 1)]
        {
            assert_eq!(text.parse(), Ok(ratio(numerator, denominator)), "{text}");
        }
        for text in [
            "", "-", "+7", "--7", "007", "7/", "/2", "7/-2", "7/02", "1/2/3", " 7", "7 / 2", "3.5", "1e3",
            "1_000", "٣", "½", "\0", "7/2\n",
        ] {
            assert_eq!(text.parse::<Rational>(), Err(NotRational::Form), "{text:?}");
        }
        assert_eq!("7/0".parse::<Rational>(), Err(NotRational::ZeroDenominator));
        let megabyte = "9".repeat(1 << 20);
        assert_eq!(megabyte.parse::<Rational>(), Err(NotRational::TooLarge));
    }
}
