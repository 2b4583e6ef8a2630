//! Intervals with ends of any precision, rounded outwards, so that a value never leaves its interval.

use std::cmp::Ordering;

use dashu_int::IBig;
use dashu_int::ops::BitTest;

use super::Fault;
use super::ratio::{Ratio, pay};
use kit::budget::Budget;

mod functions;

/// `digits × 2^exponent`.
#[derive(Clone, Debug)]
pub struct Float {
    digits: IBig,
    exponent: i64,
}

/// The largest exponent of two: numbers beyond it are not computed.
const LARGEST: i64 = 1 << 40;

impl Float {
    pub fn whole(integer: impl Into<IBig>) -> Self {
        Self { digits: integer.into(), exponent: 0 }
    }

    /// `digits × 2^exponent`.
    pub fn scaled(digits: i64, exponent: i64) -> Self {
        Self { digits: digits.into(), exponent }
    }

    pub fn is_zero(&self) -> bool {
        self.digits == IBig::ZERO
    }

    pub fn is_negative(&self) -> bool {
        self.digits < IBig::ZERO
    }

    fn negated(&self) -> Self {
        Self { digits: -&self.digits, exponent: self.exponent }
    }

    /// The place above the highest bit: the magnitude is below two to this power.
    pub fn top(&self) -> i64 {
        if self.is_zero() { -LARGEST } else { self.exponent + self.digits.bit_len() as i64 }
    }

    fn rounded(self, bits: usize, up: bool) -> Self {
        let length = self.digits.bit_len();
        if length <= bits {
            return self;
        }
        let shift = length - bits;
        // A shift rounds down.
        let digits = if up { -((-self.digits) >> shift) } else { self.digits >> shift };
        Self { digits, exponent: self.exponent + shift as i64 }
    }

    fn plus(&self, other: &Self, bits: usize, up: bool) -> Self {
        if self.is_zero() {
            return other.clone().rounded(bits, up);
        }
        if other.is_zero() {
            return self.clone().rounded(bits, up);
        }
        let (high, low) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        // Parts far below the precision only tell where to round.
        let gap = high.top().min(high.exponent) - low.top();
        if gap > 2 * bits as i64 + 64 {
            let exponent = high.exponent.min(high.top()) - 2 * bits as i64 - 8;
            let trifle = if low.is_negative() { -IBig::ONE } else { IBig::ONE };
            let digits = (&high.digits << (high.exponent - exponent) as usize) + trifle;
            let toward = low.is_negative() != up;
            let sum = if toward { digits } else { &high.digits << (high.exponent - exponent) as usize };
            return Self { digits: sum, exponent }.rounded(bits, up);
        }
        let digits = (&high.digits << (high.exponent - low.exponent) as usize) + &low.digits;
        Self { digits, exponent: low.exponent }.rounded(bits, up)
    }

    fn times(&self, other: &Self) -> Self {
        Self { digits: &self.digits * &other.digits, exponent: self.exponent + other.exponent }
    }

    pub fn compare(&self, other: &Self) -> Ordering {
        let sign = |of: &Self| of.digits.cmp(&IBig::ZERO);
        let signs = sign(self).cmp(&sign(other));
        if signs.is_ne() || self.is_zero() {
            return signs;
        }
        let tops = self.top().cmp(&other.top());
        if tops.is_ne() {
            return if self.is_negative() { tops.reverse() } else { tops };
        }
        let shared = self.exponent.min(other.exponent);
        let shifted = |of: &Self| &of.digits << (of.exponent - shared) as usize;
        shifted(self).cmp(&shifted(other))
    }

    /// The integer that it equals, if it is small.
    pub fn as_small(&self) -> Option<i64> {
        if self.exponent < 0 || self.exponent > 62 {
            let fits = self.exponent < 0 && self.exponent > -64;
            let shift = if fits { self.exponent.unsigned_abs() as usize } else { return None };
            let digits = &self.digits >> shift;
            return (&digits << shift == self.digits).then(|| i64::try_from(digits).ok()).flatten();
        }
        i64::try_from(&self.digits << self.exponent as usize).ok()
    }

    /// Approximate value, for choosing a way to compute.
    fn near(&self) -> f64 {
        let length = self.digits.bit_len();
        let shift = length.saturating_sub(60);
        let digits = i64::try_from(&self.digits >> shift).unwrap_or(0) as f64;
        let exponent = (self.exponent + shift as i64).clamp(-2_000, 2_000) as i32;
        digits * 2_f64.powi(exponent)
    }

    /// The largest integer that is not above it.
    pub fn floor(&self, budget: &mut Budget) -> Result<IBig, Fault> {
        if self.exponent > 1 << 16 {
            return Err(Fault::OverBudget);
        }
        budget.spend(20 + self.exponent.unsigned_abs() / 64)?;
        Ok(if self.exponent >= 0 {
            &self.digits << self.exponent as usize
        } else {
            let shift = self.exponent.unsigned_abs().min(self.digits.bit_len() as u64 + 2) as usize;
            &self.digits >> shift
        })
    }
}

#[derive(Clone, Debug)]
pub struct Interval {
    pub low: Float,
    pub high: Float,
}

/// Constants at one precision.
#[derive(Debug, Default)]
pub struct Constants {
    pi: Option<(usize, Interval)>,
    two: Option<(usize, Interval)>,
}

/// Computes with intervals of a given number of bits.
pub struct Context<'b, 's> {
    pub bits: usize,
    pub constants: Constants,
    pub budget: &'b mut Budget<'s>,
    /// Largest distance from one, in bits, of any value so far.
    pub reach: i64,
    /// Roots of negative numbers are numbers.
    pub complex: bool,
}

impl Interval {
    pub fn exact(value: Float) -> Self {
        Self { low: value.clone(), high: value }
    }

    pub fn whole(integer: impl Into<IBig>) -> Self {
        Self::exact(Float::whole(integer))
    }

    pub fn is_exactly_zero(&self) -> bool {
        self.low.is_zero() && self.high.is_zero()
    }

    pub fn has_zero(&self) -> bool {
        (self.low.is_negative() || self.low.is_zero()) && (!self.high.is_negative())
    }

    pub fn is_positive(&self) -> bool {
        !self.low.is_negative() && !self.low.is_zero()
    }

    pub fn is_negative(&self) -> bool {
        self.high.is_negative()
    }

    pub fn is_exact(&self) -> bool {
        self.low.compare(&self.high).is_eq()
    }

    #[must_use]
    pub fn negated(&self) -> Self {
        Self { low: self.high.negated(), high: self.low.negated() }
    }

    /// The place above the highest bit of any of its values.
    pub fn top(&self) -> i64 {
        self.low.top().max(self.high.top())
    }

    /// The larger one of two numbers.
    #[must_use]
    pub fn larger(self, other: Self) -> Self {
        let larger = |one: Float, other: Float| if one.compare(&other).is_lt() { other } else { one };
        Self { low: larger(self.low, other.low), high: larger(self.high, other.high) }
    }

    #[must_use]
    pub fn magnitude(&self) -> Self {
        if self.is_negative() {
            self.negated()
        } else if self.has_zero() && !self.low.is_zero() {
            let negated = self.low.negated();
            let high = if negated.compare(&self.high).is_gt() { negated } else { self.high.clone() };
            Self { low: Float::whole(0), high }
        } else {
            self.clone()
        }
    }
}

impl Context<'_, '_> {
    fn pay(&mut self) -> Result<(), Fault> {
        let words = self.bits as u64 / 64 + 1;
        pay(words, words, self.budget)?;
        Ok(self.budget.spend(30 + 2 * words)?)
    }

    pub fn ratio(&mut self, value: &Ratio) -> Result<Interval, Fault> {
        let above = Interval::whole(value.above.clone());
        let words = value.bits() as u64 / 64 + 1;
        pay(words, words, self.budget)?;
        if value.below == IBig::ONE {
            return Ok(Interval {
                low: above.low.rounded(self.bits, false),
                high: above.high.rounded(self.bits, true),
            });
        }
        self.over(&above, &Interval::whole(value.below.clone()))
    }

    pub fn plus(&mut self, one: &Interval, other: &Interval) -> Result<Interval, Fault> {
        self.pay()?;
        Ok(Interval {
            low: one.low.plus(&other.low, self.bits, false),
            high: one.high.plus(&other.high, self.bits, true),
        })
    }

    pub fn minus(&mut self, one: &Interval, other: &Interval) -> Result<Interval, Fault> {
        self.plus(one, &other.negated())
    }

    pub fn times(&mut self, one: &Interval, other: &Interval) -> Result<Interval, Fault> {
        self.pay()?;
        if one.top().max(other.top()) > LARGEST {
            return Err(Fault::OverBudget);
        }
        let bits = self.bits;
        let sign = |of: &Interval| if of.is_negative() { -1 } else { i32::from(!of.low.is_negative()) };
        let (low, high) = match (sign(one), sign(other)) {
            (1, 1) => (one.low.times(&other.low), one.high.times(&other.high)),
            (1, -1) => (one.high.times(&other.low), one.low.times(&other.high)),
            (-1, 1) => (one.low.times(&other.high), one.high.times(&other.low)),
            (-1, -1) => (one.high.times(&other.high), one.low.times(&other.low)),
            (1, _) => (one.high.times(&other.low), one.high.times(&other.high)),
            (_, 1) => (one.low.times(&other.high), one.high.times(&other.high)),
            (-1, _) => (one.low.times(&other.high), one.low.times(&other.low)),
            (_, -1) => (one.high.times(&other.low), one.low.times(&other.low)),
            _ => {
                let least = [one.low.times(&other.high), one.high.times(&other.low)];
                let most = [one.low.times(&other.low), one.high.times(&other.high)];
                let least = least.into_iter().min_by(Float::compare).expect("two of them");
                (least, most.into_iter().max_by(Float::compare).expect("two of them"))
            }
        };
        Ok(Interval { low: low.rounded(bits, false), high: high.rounded(bits, true) })
    }

    fn divide(&self, one: &Float, other: &Float, up: bool) -> Float {
        // Enough bits that the quotient has the requested ones.
        let shift = (self.bits + other.digits.bit_len() + 2).saturating_sub(one.digits.bit_len());
        let (above, below) = if other.is_negative() {
            (-&one.digits, -&other.digits)
        } else {
            (one.digits.clone(), other.digits.clone())
        };
        let above = above << shift;
        let quotient = &above / &below;
        let rest = above - &quotient * &below;
        // Division rounds toward zero.
        let quotient = match (rest.cmp(&IBig::ZERO), up) {
            (Ordering::Less, false) => quotient - IBig::ONE,
            (Ordering::Greater, true) => quotient + IBig::ONE,
            _ => quotient,
        };
        Float { digits: quotient, exponent: one.exponent - other.exponent - shift as i64 }
            .rounded(self.bits, up)
    }

    pub fn over(&mut self, one: &Interval, other: &Interval) -> Result<Interval, Fault> {
        self.pay()?;
        self.pay()?;
        if other.is_exactly_zero() {
            return Err(Fault::Undefined("a division by zero"));
        }
        if other.has_zero() {
            return Err(Fault::Undecided);
        }
        let (one, other) =
            if other.is_negative() { (&one.negated(), &other.negated()) } else { (one, other) };
        let low = if one.low.is_negative() { &other.low } else { &other.high };
        let high = if one.high.is_negative() { &other.high } else { &other.low };
        let (low, high) = (self.divide(&one.low, low, false), self.divide(&one.high, high, true));
        Ok(Interval { low, high })
    }

    pub fn power(&mut self, base: &Interval, exponent: u64) -> Result<Interval, Fault> {
        if base.has_zero() && exponent.is_multiple_of(2) && exponent > 0 {
            let magnitude = base.magnitude();
            return self.rising_power(&magnitude, exponent);
        }
        if base.is_negative() {
            let power = self.rising_power(&base.negated(), exponent)?;
            return Ok(if exponent.is_multiple_of(2) { power } else { power.negated() });
        }
        self.rising_power(base, exponent)
    }

    fn rising_power(&mut self, base: &Interval, exponent: u64) -> Result<Interval, Fault> {
        let (mut power, mut square, mut left) = (Interval::whole(1), base.clone(), exponent);
        while left > 0 {
            if left % 2 == 1 {
                power = self.times(&power, &square)?;
            }
            left /= 2;
            if left > 0 {
                square = self.times(&square, &square)?;
            }
        }
        Ok(power)
    }

    fn float_root(&self, of: &Float, degree: u32, up: bool) -> Float {
        if of.is_zero() {
            return Float::whole(0);
        }
        let degree_bits = i64::from(degree);
        let wanted = (self.bits as i64 + 2) * degree_bits;
        let mut shift = (wanted - of.digits.bit_len() as i64).max(0);
        // The exponent must be a multiple of the degree.
        shift += (of.exponent - shift).rem_euclid(degree_bits);
        let (_, digits) = (&of.digits << shift as usize).into_parts();
        let root = digits.nth_root(degree as usize);
        let exact = root.pow(degree as usize) == digits;
        let root = IBig::from(root);
        let root = if up && !exact { root + IBig::ONE } else { root };
        Float { digits: root, exponent: (of.exponent - shift) / degree_bits }.rounded(self.bits, up)
    }

    /// The real root; of a negative number where the degree is odd.
    pub fn root(&mut self, of: &Interval, degree: u32) -> Result<Interval, Fault> {
        if degree > 6 && !of.has_zero() {
            // High roots are slow digit by digit.
            let (magnitude, negative) = (of.magnitude(), of.is_negative());
            if negative && degree.is_multiple_of(2) {
                return Err(Fault::Undefined("an even root of a negative number"));
            }
            return self.with_more(16, |more| {
                let logarithm = more.ln(&magnitude)?;
                let share = more.over(&logarithm, &Interval::whole(degree))?;
                let root = more.exp(&share)?;
                Ok(if negative { root.negated() } else { root })
            });
        }
        if degree > 64 {
            return Err(Fault::Undecided);
        }
        let words = (self.bits as u64 / 64 + 1) * u64::from(degree);
        pay(words, words, self.budget)?;
        pay(words, words, self.budget)?;
        self.budget.spend(200 * u64::from(degree))?;
        if of.low.is_negative() {
            if degree % 2 == 1 {
                let low = self.float_root(&of.low.negated(), degree, true).negated();
                let high = if of.high.is_negative() {
                    self.float_root(&of.high.negated(), degree, false).negated()
                } else {
                    self.float_root(&of.high, degree, true)
                };
                return Ok(Interval { low, high });
            }
            return Err(if of.is_negative() {
                Fault::Undefined("an even root of a negative number")
            } else {
                Fault::Undecided
            });
        }
        let low = self.float_root(&of.low, degree, false);
        Ok(Interval { low, high: self.float_root(&of.high, degree, true) })
    }

    /// The integer just below every value, if it is the same for all.
    pub fn floor(&mut self, of: &Interval) -> Result<Interval, Fault> {
        let (low, high) = (of.low.floor(self.budget)?, of.high.floor(self.budget)?);
        if low == high { Ok(Interval::whole(low)) } else { Err(Fault::Undecided) }
    }

    /// Records how far a value is from one, unless it may be zero.
    pub fn notice(&mut self, of: &Interval) {
        if !of.has_zero() {
            self.reach = self.reach.max(of.top().abs());
        }
    }
}

#[cfg(test)]
mod tests;
