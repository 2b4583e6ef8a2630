//! Intervals with ends of any precision, rounded outwards, so that a value never leaves its interval.

use std::cmp::Ordering;

use dashu_int::IBig;
use dashu_int::ops::BitTest;

use super::Fault;
use super::ratio::{Ratio, pay};
use crate::budget::Budget;

/// `digits × 2^exponent`.
#[derive(Clone, Debug)]
pub struct Float {
    digits: IBig,
    exponent: i64,
}

/// The largest exponent of two: beyond it a number is not computed with.
const LARGEST: i64 = 1 << 40;

impl Float {
    pub fn whole(integer: impl Into<IBig>) -> Self {
        Self { digits: integer.into(), exponent: 0 }
    }

    /// `digits × 2^exponent`.
    pub fn scaled(digits: i64, exponent: i64) -> Self {
        Self { digits: digits.into(), exponent }
    }

    /// `2^exponent`.
    pub fn power_of_two(exponent: i64) -> Self {
        Self { digits: IBig::ONE, exponent }
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

    /// The place above the highest bit: the magnitude is below two to it.
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
        // What lies far below the precision only tells where to round.
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

    /// The integer that it is, if it is a small one.
    pub fn as_small(&self) -> Option<i64> {
        if self.exponent < 0 || self.exponent > 62 {
            let fits = self.exponent < 0 && self.exponent > -64;
            let shift = if fits { self.exponent.unsigned_abs() as usize } else { return None };
            let digits = &self.digits >> shift;
            return (&digits << shift == self.digits).then(|| i64::try_from(digits).ok()).flatten();
        }
        i64::try_from(&self.digits << self.exponent as usize).ok()
    }

    /// About its value, for choosing a way to compute.
    fn near(&self) -> f64 {
        let length = self.digits.bit_len();
        let shift = length.saturating_sub(60);
        let digits = i64::try_from(&self.digits >> shift).unwrap_or(0) as f64;
        let exponent = (self.exponent + shift as i64).clamp(-2_000, 2_000) as i32;
        digits * 2_f64.powi(exponent)
    }

    /// The largest integer that is not above it.
    fn floor(&self, budget: &mut Budget) -> Result<IBig, Fault> {
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

/// Computes with intervals of so many bits.
pub struct Context<'b, 's> {
    pub bits: usize,
    pub constants: Constants,
    pub budget: &'b mut Budget<'s>,
    /// A sum had a part so small that this precision hardly shows it.
    pub lost: bool,
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

    /// With the ends this much further out.
    fn widened(&self, by: &Float, bits: usize) -> Self {
        Self { low: self.low.plus(&by.negated(), bits, false), high: self.high.plus(by, bits, true) }
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
        let (low, high) = if !one.low.is_negative() && !other.low.is_negative() {
            (one.low.times(&other.low), one.high.times(&other.high))
        } else {
            let products = [
                one.low.times(&other.low),
                one.low.times(&other.high),
                one.high.times(&other.low),
                one.high.times(&other.high),
            ];
            let least = products.iter().min_by(|a, b| a.compare(b)).expect("four of them").clone();
            let most = products.iter().max_by(|a, b| a.compare(b)).expect("four of them").clone();
            (least, most)
        };
        Ok(Interval { low: low.rounded(bits, false), high: high.rounded(bits, true) })
    }

    fn divide(&self, one: &Float, other: &Float, up: bool) -> Float {
        // Enough bits that the quotient has those that are asked for.
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
        let quotients = |up: bool| {
            [
                self.divide(&one.low, &other.low, up),
                self.divide(&one.low, &other.high, up),
                self.divide(&one.high, &other.low, up),
                self.divide(&one.high, &other.high, up),
            ]
        };
        let low = quotients(false).into_iter().min_by(Float::compare).expect("four of them");
        let high = quotients(true).into_iter().max_by(Float::compare).expect("four of them");
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
            // Digit by digit high roots are slow.
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

    /// More bits for what is computed by `inner`.
    fn with_more<T>(
        &mut self,
        more: usize,
        inner: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        self.bits += more;
        let computed = inner(self);
        self.bits -= more;
        computed
    }

    /// The arctangent, or the inverse hyperbolic tangent, of one over an integer.
    fn of_inverse(&mut self, integer: i64, alternating: bool) -> Result<Interval, Fault> {
        let bits = self.bits + 16;
        let words = bits as u64 / 64 + 1;
        let square = IBig::from(integer * integer);
        let mut power = (IBig::ONE << bits) / IBig::from(integer);
        let (mut sum, mut terms) = (IBig::ZERO, 0_i64);
        while power != IBig::ZERO {
            self.budget.spend(60 + 6 * words)?;
            let term = &power / IBig::from(2 * terms + 1);
            if alternating && terms % 2 == 1 {
                sum -= term;
            } else {
                sum += term;
            }
            power /= &square;
            terms += 1;
        }
        // Each term is cut twice; what is left out is below one unit.
        let error = IBig::from(2 * terms + 4);
        let exponent = -(bits as i64);
        Ok(Interval {
            low: Float { digits: &sum - &error, exponent },
            high: Float { digits: sum + error, exponent },
        })
    }

    pub fn pi(&mut self) -> Result<Interval, Fault> {
        if let Some((bits, pi)) = &self.constants.pi
            && *bits >= self.bits
        {
            return Ok(pi.clone());
        }
        // Machin: π = 16 arctan 1/5 - 4 arctan 1/239.
        let five = self.of_inverse(5, true)?;
        let other = self.of_inverse(239, true)?;
        let pi = self.with_more(16, |more| {
            let (one, other) =
                (more.times(&five, &Interval::whole(16))?, more.times(&other, &Interval::whole(4))?);
            more.minus(&one, &other)
        })?;
        self.constants.pi = Some((self.bits, pi.clone()));
        Ok(pi)
    }

    /// The natural logarithm of two.
    fn ln_two(&mut self) -> Result<Interval, Fault> {
        if let Some((bits, two)) = &self.constants.two
            && *bits >= self.bits
        {
            return Ok(two.clone());
        }
        // ln 2 = 2 artanh 1/3.
        let third = self.of_inverse(3, false)?;
        let two = Interval {
            low: Float { digits: third.low.digits, exponent: third.low.exponent + 1 },
            high: Float { digits: third.high.digits, exponent: third.high.exponent + 1 },
        };
        // The terms of artanh fall by ninths, so what is left out is below an eighth of the last one.
        self.constants.two = Some((self.bits, two.clone()));
        Ok(two)
    }

    /// The parts of a multiple of `unit` that lie nearest to `of`, and what is left.
    fn reduced(&mut self, of: &Interval, unit: &Interval) -> Result<(IBig, Interval), Fault> {
        let quotient = self.over(of, unit)?;
        let half = Float { digits: IBig::ONE, exponent: -1 };
        let count = quotient.low.plus(&half, self.bits, false).floor(self.budget)?;
        let multiple = self.times(unit, &Interval::whole(count.clone()))?;
        let rest = self.minus(of, &multiple)?;
        if rest.top() > 1 { Err(Fault::Undecided) } else { Ok((count, rest)) }
    }

    /// Extra bits that a large argument needs.
    fn extra(of: &Interval, most: i64) -> Result<usize, Fault> {
        let top = of.top();
        if top > most { Err(Fault::OverBudget) } else { Ok(top.max(0) as usize + 24) }
    }

    pub fn exp(&mut self, of: &Interval) -> Result<Interval, Fault> {
        if of.is_exactly_zero() {
            return Ok(Interval::whole(1));
        }
        self.notice(of);
        let extra = Self::extra(of, 34)?;
        self.with_more(extra + 16, |more| {
            let two = more.ln_two()?;
            let (count, rest) = more.reduced(of, &two)?;
            let halvings = 8_i64;
            let scaled =
                |float: &Float| Float { digits: float.digits.clone(), exponent: float.exponent - halvings };
            let small = Interval { low: scaled(&rest.low), high: scaled(&rest.high) };
            let (mut sum, mut term, mut n) = (Interval::whole(1), Interval::whole(1), 1_i64);
            loop {
                term = more.times(&term, &small)?;
                term = more.over(&term, &Interval::whole(n))?;
                sum = more.plus(&sum, &term)?;
                if term.top() < -(more.bits as i64) || term.is_exactly_zero() {
                    break;
                }
                n += 1;
            }
            // The terms fall by more than half each.
            sum = sum.widened(&Float::power_of_two(term.top().max(-LARGEST)), more.bits);
            for _ in 0..halvings {
                sum = more.times(&sum, &sum)?;
            }
            let count = i64::try_from(count).map_err(|_| Fault::OverBudget)?;
            let shifted = |float: Float| Float { digits: float.digits, exponent: float.exponent + count };
            Ok(Interval { low: shifted(sum.low), high: shifted(sum.high) })
        })
    }

    pub fn ln(&mut self, of: &Interval) -> Result<Interval, Fault> {
        if !of.is_positive() {
            let never = of.is_negative() || of.high.is_zero();
            return Err(if never {
                Fault::Undefined("a logarithm of what is not positive")
            } else {
                Fault::Undecided
            });
        }
        self.with_more(24, |more| {
            let two = more.ln_two()?;
            // x = m 2^count with m from 0.7 to 1.4.
            let top = of.low.top();
            let mantissa = Float { digits: of.low.digits.clone(), exponent: of.low.exponent - top }.near();
            let count = if mantissa < 0.7 { top - 1 } else { top };
            let shifted =
                |float: &Float| Float { digits: float.digits.clone(), exponent: float.exponent - count };
            let m = Interval { low: shifted(&of.low), high: shifted(&of.high) };
            let one = Interval::whole(1);
            let (above, below) = (more.minus(&m, &one)?, more.plus(&m, &one)?);
            let y = more.over(&above, &below)?;
            if y.top() > -1 {
                return Err(Fault::Undecided);
            }
            let square = more.times(&y, &y)?;
            let (mut sum, mut power, mut n) = (y.clone(), y, 1_i64);
            while !power.is_exactly_zero() && power.top() >= -(more.bits as i64) {
                power = more.times(&power, &square)?;
                n += 2;
                let term = more.over(&power, &Interval::whole(n))?;
                sum = more.plus(&sum, &term)?;
            }
            sum = sum.widened(&Float::power_of_two(power.top().max(-LARGEST)), more.bits);
            let twice = more.plus(&sum, &sum)?;
            let whole = more.times(&two, &Interval::whole(count))?;
            more.plus(&whole, &twice)
        })
    }

    /// The sine and the cosine.
    pub fn sin_cos(&mut self, of: &Interval) -> Result<(Interval, Interval), Fault> {
        if of.is_exactly_zero() {
            return Ok((Interval::whole(0), Interval::whole(1)));
        }
        self.notice(of);
        let extra = Self::extra(of, 4_096)?;
        self.with_more(extra, |more| {
            let pi = more.pi()?;
            let quarter = Interval {
                low: Float { digits: pi.low.digits, exponent: pi.low.exponent - 1 },
                high: Float { digits: pi.high.digits, exponent: pi.high.exponent - 1 },
            };
            let (count, rest) = more.reduced(of, &quarter)?;
            let square = more.times(&rest, &rest)?;
            let mut series = |first: Interval, start: i64| {
                let (mut sum, mut term, mut n) = (first.clone(), first, start);
                while !term.is_exactly_zero() && term.top() >= -(more.bits as i64) {
                    term = more.times(&term, &square)?.negated();
                    term = more.over(&term, &Interval::whole((n + 1) * (n + 2)))?;
                    sum = more.plus(&sum, &term)?;
                    n += 2;
                }
                Ok::<_, Fault>(sum.widened(&Float::power_of_two(term.top().max(-LARGEST)), more.bits))
            };
            let sin = series(rest.clone(), 1)?;
            let cos = series(Interval::whole(1), 0)?;
            let turns = i64::try_from(count % IBig::from(4)).expect("below four").rem_euclid(4);
            Ok(match turns {
                0 => (sin, cos),
                1 => (cos, sin.negated()),
                2 => (sin.negated(), cos.negated()),
                _ => (cos.negated(), sin),
            })
        })
    }

    pub fn arctan(&mut self, of: &Interval) -> Result<Interval, Fault> {
        if of.is_exactly_zero() {
            return Ok(Interval::whole(0));
        }
        if of.top() > 2 {
            // arctan x = ±π/2 - arctan 1/x
            let inverse = self.over(&Interval::whole(1), of)?;
            let rest = self.arctan(&inverse)?;
            let half = self.half_pi()?;
            let half = if of.is_negative() { half.negated() } else { half };
            return self.minus(&half, &rest);
        }
        self.with_more(16, |more| {
            let mut small = of.clone();
            let one = Interval::whole(1);
            for _ in 0..3 {
                let square = more.power(&small, 2)?;
                let root = more.plus(&one, &square)?;
                let root = more.root(&root, 2)?;
                let below = more.plus(&one, &root)?;
                small = more.over(&small, &below)?;
            }
            let square = more.times(&small, &small)?;
            let (mut sum, mut power, mut n) = (small.clone(), small, 1_i64);
            while !power.is_exactly_zero() && power.top() >= -(more.bits as i64) {
                power = more.times(&power, &square)?.negated();
                n += 2;
                let term = more.over(&power, &Interval::whole(n))?;
                sum = more.plus(&sum, &term)?;
            }
            sum = sum.widened(&Float::power_of_two(power.top().max(-LARGEST)), more.bits);
            more.times(&sum, &Interval::whole(8))
        })
    }

    pub fn half_pi(&mut self) -> Result<Interval, Fault> {
        let pi = self.pi()?;
        let half = |float: Float| Float { digits: float.digits, exponent: float.exponent - 1 };
        Ok(Interval { low: half(pi.low), high: half(pi.high) })
    }

    pub fn arcsin(&mut self, of: &Interval) -> Result<Interval, Fault> {
        let one = Interval::whole(1);
        if of.is_exact() && of.magnitude().low.compare(&one.low).is_eq() {
            let half = self.half_pi()?;
            return Ok(if of.is_negative() { half.negated() } else { half });
        }
        let square = self.power(of, 2)?;
        let rest = self.minus(&one, &square)?;
        if rest.is_negative() {
            return Err(Fault::Undefined("an angle of a sine beyond one"));
        }
        let below = self.root(&rest, 2)?;
        let tangent = self.over(of, &below)?;
        self.arctan(&tangent)
    }

    /// The integer next below every value, if it is the same for all.
    pub fn floor(&mut self, of: &Interval) -> Result<Interval, Fault> {
        let (low, high) = (of.low.floor(self.budget)?, of.high.floor(self.budget)?);
        if low == high { Ok(Interval::whole(low)) } else { Err(Fault::Undecided) }
    }

    /// Notes an argument so small that functions hardly show it.
    fn notice(&mut self, of: &Interval) {
        if !of.is_exactly_zero() && of.top() < -(self.bits as i64) / 4 {
            self.lost = true;
        }
    }

    /// Notes parts of a sum that the largest part hides.
    pub fn notice_sum(&mut self, parts: &[&Interval]) {
        let top = parts.iter().map(|part| part.top()).max().unwrap_or(0);
        let hidden = |part: &Interval| !part.is_exactly_zero() && part.top() < top - self.bits as i64 / 2;
        if parts.iter().any(|part| hidden(part)) {
            self.lost = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::decimal::natural;

    fn with<T>(bits: usize, compute: impl FnOnce(&mut Context<'_, '_>) -> Result<T, Fault>) -> T {
        let mut budget = Budget::unlimited();
        let constants = Constants::default();
        compute(&mut Context { bits, constants, budget: &mut budget, lost: false, complex: true })
            .expect("a value")
    }

    /// A decimal of `places` digits behind the point.
    fn decimal(digits: &str, places: u32) -> Ratio {
        let budget = &mut Budget::unlimited();
        let negative = digits.starts_with('-');
        let above = IBig::from(natural(digits.trim_start_matches('-'), budget).unwrap());
        Ratio { above: if negative { -above } else { above }, below: IBig::from(10).pow(places as usize) }
    }

    #[test]
    fn roundings_go_outwards() {
        for digits in [-7_i64, 7, -8, 8, 1_000_001, -1_000_001] {
            let exact = Float::whole(digits);
            let (low, high) = (exact.clone().rounded(2, false), exact.clone().rounded(2, true));
            assert!(low.compare(&exact).is_le() && high.compare(&exact).is_ge(), "{digits}");
            assert!(low.digits.bit_len() <= 3 && high.digits.bit_len() <= 3, "{digits}");
        }
        // A part far below the precision still moves the end.
        let (large, trifle) = (Float::whole(1), Float::power_of_two(-100_000));
        assert!(large.plus(&trifle, 64, true).compare(&large).is_gt());
        assert!(large.plus(&trifle.negated(), 64, false).compare(&large).is_lt());
        assert!(large.plus(&trifle, 64, false).compare(&large).is_le());
    }

    #[test]
    fn functions_hold_their_known_digits() {
        // Forty digits behind the point, cut.
        for (name, argument, digits) in [
            ("pi", (0, 1), "31415926535897932384626433832795028841971"),
            ("exp", (1, 1), "27182818284590452353602874713526624977572"),
            ("exp", (-3, 2), "2231301601484298289332804707640125213421"),
            ("exp", (30, 1), "106864745815244621469904686507414016500244950054730549"),
            ("ln", (10, 1), "23025850929940456840179914546843642076011"),
            ("ln", (1, 1000), "-69077552789821370520539743640530926228033"),
            ("sin", (1, 1), "8414709848078965066525023216302989996225"),
            ("cos", (1, 1), "5403023058681397174009366074429766037323"),
            ("sin", (100, 1), "-5063656411097587936565576104597854320650"),
            ("arctan", (2, 1), "11071487177940905030170654601785370400700"),
            ("arctan", (-1, 5), "-1973955598498807583700497651947902934475"),
            ("root", (2, 1), "14142135623730950488016887242096980785696"),
        ] {
            for bits in [64, 200, 700] {
                let value = with(bits, |context| {
                    let of = context.ratio(&Ratio { above: argument.0.into(), below: argument.1.into() })?;
                    match name {
                        "pi" => context.pi(),
                        "exp" => context.exp(&of),
                        "ln" => context.ln(&of),
                        "sin" => Ok(context.sin_cos(&of)?.0),
                        "cos" => Ok(context.sin_cos(&of)?.1),
                        "arctan" => context.arctan(&of),
                        _ => context.root(&of, 2),
                    }
                });
                // The value lies within one unit of the last digit.
                let known = with(900, |context| context.ratio(&decimal(digits, 40)));
                let unit = with(900, |context| context.ratio(&decimal("1", 40)));
                let (low, high) =
                    with(900, |context| Ok((context.minus(&known, &unit)?, context.plus(&known, &unit)?)));
                let apart = value.low.compare(&high.high).is_gt() || value.high.compare(&low.low).is_lt();
                assert!(!apart, "{name} of {argument:?} at {bits} bits");
                if bits > 64 {
                    let width =
                        with(900, |context| context.minus(&value, &Interval::exact(value.low.clone())));
                    assert!(width.top() < 40 - bits as i64, "{name} of {argument:?} at {bits} bits is wide");
                }
            }
        }
    }

    #[test]
    fn identities_hold_in_intervals() {
        for above in [-977_i64, -31, -1, 1, 2, 17, 355, 10_007] {
            let of = |context: &mut Context<'_, '_>| {
                context.ratio(&Ratio { above: above.into(), below: 113.into() })
            };
            let one = Interval::whole(1);
            let circle = with(150, |context| {
                let of = of(context)?;
                let (sin, cos) = context.sin_cos(&of)?;
                let (a, b) = (context.power(&sin, 2)?, context.power(&cos, 2)?);
                let sum = context.plus(&a, &b)?;
                context.minus(&sum, &one)
            });
            assert!(circle.has_zero() && circle.top() < -120, "{above}");
            let inverse = with(150, |context| {
                let of = of(context)?;
                let exp = context.exp(&of)?;
                let back = context.ln(&exp)?;
                context.minus(&back, &of)
            });
            assert!(inverse.has_zero() && inverse.top() < -120, "{above}");
            let cube = with(150, |context| {
                let of = of(context)?;
                let root = context.root(&of, 3)?;
                let back = context.power(&root, 3)?;
                context.minus(&back, &of)
            });
            assert!(cube.has_zero() && cube.top() < -120, "{above}");
            let high = with(150, |context| {
                let of = of(context)?;
                let root = context.root(&of, 9)?;
                let back = context.power(&root, 9)?;
                context.minus(&back, &of)
            });
            assert!(high.has_zero() && high.top() < -110, "{above}");
        }
    }
}
