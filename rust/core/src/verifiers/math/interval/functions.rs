//! Elementary functions of intervals, by series whose rest is bounded.

use dashu_int::IBig;

use super::{Context, Float, Interval, LARGEST};
use crate::verifiers::math::Fault;

impl Context<'_, '_> {
    /// More bits for what is computed by `inner`.
    pub(super) fn with_more<T>(
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
    pub(super) fn of_inverse(&mut self, integer: i64, alternating: bool) -> Result<Interval, Fault> {
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
    pub(super) fn ln_two(&mut self) -> Result<Interval, Fault> {
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
    pub(super) fn reduced(&mut self, of: &Interval, unit: &Interval) -> Result<(IBig, Interval), Fault> {
        let quotient = self.over(of, unit)?;
        let half = Float { digits: IBig::ONE, exponent: -1 };
        let count = quotient.low.plus(&half, self.bits, false).floor(self.budget)?;
        let multiple = self.times(unit, &Interval::whole(count.clone()))?;
        let rest = self.minus(of, &multiple)?;
        if rest.top() > 1 { Err(Fault::Undecided) } else { Ok((count, rest)) }
    }

    /// Extra bits that a large argument needs.
    pub(super) fn extra(of: &Interval, most: i64) -> Result<usize, Fault> {
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
}
