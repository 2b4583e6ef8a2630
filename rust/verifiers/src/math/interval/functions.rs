//! Elementary functions of intervals, by series with bounded remainders.
//!
//! A series is summed at the middle of an interval, in integers that count units of the last place. The
//! possible rounding errors are counted with it, and the distance of the interval's ends is added by the
//! steepest slope.

use std::sync::LazyLock;

use dashu_int::IBig;

use super::{Constants, Context, Float, Interval};
use crate::math::Fault;
use crate::math::ratio::pay;
use kit::budget::Budget;

/// The bits to which π and ln 2 are kept.
const KEPT: usize = 4_096;

#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "a method is of one lifetime, a closure of any"
)]
static PI: LazyLock<Interval> = LazyLock::new(|| kept(|context| context.machin()));
#[expect(
    clippy::redundant_closure_for_method_calls,
    reason = "a method is of one lifetime, a closure of any"
)]
static LN_TWO: LazyLock<Interval> = LazyLock::new(|| kept(|context| context.artanh_of_third()));

/// A constant to as many bits as are kept.
fn kept(compute: impl FnOnce(&mut Context<'_, '_>) -> Result<Interval, Fault>) -> Interval {
    let mut budget = Budget::unlimited();
    let constants = Constants::default();
    let mut context = Context { bits: KEPT + 32, constants, budget: &mut budget, reach: 0, complex: false };
    compute(&mut context).expect("there are steps enough")
}

/// A point in units of `2^-places`.
struct Fixed {
    units: IBig,
    places: usize,
    /// Distance in units by which the values of the interval may differ from the point.
    reach: IBig,
}

impl Fixed {
    /// The middle of an interval.
    fn middle(of: &Interval, places: usize) -> Self {
        let units = |float: &Float, up: bool| {
            let shift = float.exponent + places as i64;
            let distance = shift.unsigned_abs() as usize;
            match (shift >= 0, up) {
                (true, _) => &float.digits << distance,
                (false, false) => &float.digits >> distance,
                (false, true) => -((-&float.digits) >> distance),
            }
        };
        let (low, high) = (units(&of.low, false), units(&of.high, true));
        let middle: IBig = (&low + &high) >> 1;
        Self { reach: high - &middle, units: middle, places }
    }

    fn one(&self) -> IBig {
        IBig::ONE << self.places
    }

    /// The product of two numbers of units, rounded down.
    fn product(&self, one: &IBig, other: &IBig) -> IBig {
        (one * other) >> self.places
    }

    /// All values within this many units of one.
    fn around(&self, units: &IBig, off: IBig) -> Interval {
        let exponent = -(self.places as i64);
        Interval {
            low: Float { digits: units - &off, exponent },
            high: Float { digits: units + off, exponent },
        }
    }
}

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

    /// The middle of an interval with room for roundings, and for as many digits as `small` has if it is
    /// small.
    fn fixed(&self, of: &Interval, small: &Interval) -> Fixed {
        let finer = (-small.top()).clamp(0, self.bits as i64) as usize;
        Fixed::middle(of, self.bits + 24 + finer)
    }

    /// Takes the steps of a term of a series.
    fn pay_term(&mut self, of: &Fixed) -> Result<(), Fault> {
        let words = of.places as u64 / 64 + 1;
        self.budget.spend(20 + 4 * words)?;
        pay(words, words, self.budget)
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
        // Each term is cut twice; the terms left out are below one unit.
        let error = IBig::from(2 * terms + 4);
        let exponent = -(bits as i64);
        Ok(Interval {
            low: Float { digits: &sum - &error, exponent },
            high: Float { digits: sum + error, exponent },
        })
    }

    pub fn pi(&mut self) -> Result<Interval, Fault> {
        if let Some(pi) = self.known(&PI)? {
            return Ok(pi);
        }
        if let Some((bits, pi)) = &self.constants.pi
            && *bits >= self.bits
        {
            return Ok(pi.clone());
        }
        let pi = self.machin()?;
        self.constants.pi = Some((self.bits, pi.clone()));
        Ok(pi)
    }

    /// Machin: π = 16 arctan 1/5 - 4 arctan 1/239.
    fn machin(&mut self) -> Result<Interval, Fault> {
        let five = self.of_inverse(5, true)?;
        let other = self.of_inverse(239, true)?;
        self.with_more(16, |more| {
            let (one, other) =
                (more.times(&five, &Interval::whole(16))?, more.times(&other, &Interval::whole(4))?);
            more.minus(&one, &other)
        })
    }

    /// A kept constant to the requested bits, if it has that many.
    fn known(&mut self, constant: &Interval) -> Result<Option<Interval>, Fault> {
        let bits = self.bits + 8;
        if bits > KEPT {
            return Ok(None);
        }
        self.budget.spend(30 + bits as u64 / 64)?;
        let (low, high) = (constant.low.clone(), constant.high.clone());
        Ok(Some(Interval { low: low.rounded(bits, false), high: high.rounded(bits, true) }))
    }

    /// The natural logarithm of two.
    pub(super) fn ln_two(&mut self) -> Result<Interval, Fault> {
        if let Some(two) = self.known(&LN_TWO)? {
            return Ok(two);
        }
        if let Some((bits, two)) = &self.constants.two
            && *bits >= self.bits
        {
            return Ok(two.clone());
        }
        let two = self.artanh_of_third()?;
        self.constants.two = Some((self.bits, two.clone()));
        Ok(two)
    }

    /// ln 2 = 2 artanh 1/3.
    fn artanh_of_third(&mut self) -> Result<Interval, Fault> {
        // The terms of artanh fall by ninths, so those left out are below an eighth of the last one.
        let third = self.of_inverse(3, false)?;
        Ok(Interval {
            low: Float { digits: third.low.digits, exponent: third.low.exponent + 1 },
            high: Float { digits: third.high.digits, exponent: third.high.exponent + 1 },
        })
    }

    /// The number of times that `unit` goes into `of`, rounded to the nearest integer, and the remainder.
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
        let extra = Self::extra(of, 34)?;
        self.with_more(extra + 16, |more| {
            let two = more.ln_two()?;
            let (count, rest) = more.reduced(of, &two)?;
            // The slope is below eight because the remainder is below two.
            let (power, mut off) = more.exp_series(&rest)?;
            off += IBig::from(8) * &power.reach;
            let sum = power.around(&power.units, off);
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
            let twice = more.ln_near_one(&m, &above)?;
            let whole = more.times(&two, &Interval::whole(count))?;
            more.plus(&whole, &twice)
        })
    }

    /// The sine and the cosine.
    pub fn sin_cos(&mut self, of: &Interval) -> Result<(Interval, Interval), Fault> {
        if of.is_exactly_zero() {
            return Ok((Interval::whole(0), Interval::whole(1)));
        }
        let extra = Self::extra(of, 4_096)?;
        self.with_more(extra, |more| {
            let pi = more.pi()?;
            let quarter = Interval {
                low: Float { digits: pi.low.digits, exponent: pi.low.exponent - 1 },
                high: Float { digits: pi.high.digits, exponent: pi.high.exponent - 1 },
            };
            let (count, rest) = more.reduced(of, &quarter)?;
            // Near a quarter turn the functions are flat.
            more.notice(&rest);
            let of = more.fixed(&rest, &rest);
            let sin = more.circle_series(&of, true)?;
            let cos = more.circle_series(&of, false)?;
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
            let sum = more.arctan_series(&small)?;
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

    /// The exponential of a value below two, in units, and the error in units at the middle.
    fn exp_series(&mut self, of: &Interval) -> Result<(Fixed, IBig), Fault> {
        const HALVINGS: usize = 8;
        let mut fixed = self.fixed(of, of);
        let small = &fixed.units >> HALVINGS;
        let (mut sum, mut term, mut terms) = (fixed.one(), fixed.one(), 0_i64);
        while term != IBig::ZERO {
            self.pay_term(&fixed)?;
            terms += 1;
            term = fixed.product(&term, &small) / IBig::from(terms);
            sum += &term;
        }
        // A term is off by less than three units, and so are all the terms left out together. A square is off
        // by twice the root's value times the root's error: eight times, as all the values multiply to less.
        for _ in 0..HALVINGS {
            self.pay_term(&fixed)?;
            sum = fixed.product(&sum, &sum);
        }
        fixed.units = sum;
        Ok((fixed, IBig::from(3 * terms + 16) << (HALVINGS + 3)))
    }

    /// The logarithm of a value between a half and two. `above` is its excess over one.
    fn ln_near_one(&mut self, of: &Interval, above: &Interval) -> Result<Interval, Fault> {
        let fixed = self.fixed(of, above);
        let one = fixed.one();
        let (low, high) = (&fixed.units - &fixed.reach, &fixed.units + &fixed.reach);
        if low < &one >> 1 || high > &one << 1 {
            return Err(Fault::Undecided);
        }
        // ln m = 2 artanh y with y = (m - 1)/(m + 1), which is at most a third.
        let y = ((&fixed.units - &one) << fixed.places) / (&fixed.units + &one);
        let negative = y < IBig::ZERO;
        let y = if negative { -y } else { y };
        let square = fixed.product(&y, &y);
        let (mut sum, mut power, mut terms) = (y.clone(), y, 0_i64);
        while power != IBig::ZERO {
            self.pay_term(&fixed)?;
            terms += 1;
            power = fixed.product(&power, &square);
            sum += &power / IBig::from(2 * terms + 1);
        }
        let sum = if negative { -sum } else { sum };
        // A term is off by less than four units; the slope is at most two.
        let off = IBig::from(8 * terms + 32) + (&fixed.reach << 1);
        Ok(fixed.around(&(sum << 1), off))
    }

    /// The sine or the cosine of a value below two.
    fn circle_series(&mut self, of: &Fixed, sine: bool) -> Result<Interval, Fault> {
        let negative = sine && of.units < IBig::ZERO;
        let first = match (sine, negative) {
            (false, _) => of.one(),
            (true, false) => of.units.clone(),
            (true, true) => -&of.units,
        };
        let square = of.product(&of.units, &of.units);
        let (mut sum, mut term, mut terms) = (first.clone(), first, 0_i64);
        let mut n = i64::from(sine);
        while term != IBig::ZERO {
            self.pay_term(of)?;
            terms += 1;
            term = of.product(&term, &square) / IBig::from((n + 1) * (n + 2));
            if terms % 2 == 1 {
                sum -= &term;
            } else {
                sum += &term;
            }
            n += 2;
        }
        let sum = if negative { -sum } else { sum };
        // A term is off by less than five units, and the terms left out by less than three such terms; the
        // slope is at most one.
        Ok(of.around(&sum, IBig::from(5 * terms + 16) + &of.reach))
    }

    /// The arctangent of a value below a half.
    fn arctan_series(&mut self, small: &Interval) -> Result<Interval, Fault> {
        let of = self.fixed(small, small);
        let negative = of.units < IBig::ZERO;
        let first = if negative { -&of.units } else { of.units.clone() };
        if first > of.one() >> 1 {
            return Err(Fault::Undecided);
        }
        let square = of.product(&first, &first);
        let (mut sum, mut power, mut terms) = (first.clone(), first, 0_i64);
        while power != IBig::ZERO {
            self.pay_term(&of)?;
            terms += 1;
            power = of.product(&power, &square);
            let term = &power / IBig::from(2 * terms + 1);
            if terms % 2 == 1 {
                sum -= term;
            } else {
                sum += term;
            }
        }
        let sum = if negative { -sum } else { sum };
        Ok(of.around(&sum, IBig::from(4 * terms + 16) + &of.reach))
    }
}
