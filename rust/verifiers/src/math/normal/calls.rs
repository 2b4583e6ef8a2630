//! Normal forms of calls of functions: known angles, logarithms of primes, factorials.

use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};

use super::{Atoms, Kind, LARGE};
use crate::math::Fault;
use crate::math::expression::{Expr, Function};
use crate::math::polynomial::Fraction;
use crate::math::ratio::{Ratio, pay, words};
use kit::budget::Budget;

impl Atoms {
    pub(super) fn call(
        &mut self,
        function: Function,
        of: &Expr,
        budget: &mut Budget,
    ) -> Result<Fraction, Fault> {
        let of = self.normal(of, budget)?;
        let value = of.value(budget)?;
        match function {
            Function::Exp => self.exponential(&of, budget),
            Function::Ln | Function::Log => self.logarithm(of, value, budget),
            Function::Sin | Function::Cos => {
                if let Some(turn) = self.over_pi(&of) {
                    return self.turned(function, &turn, budget);
                }
                let (of, flipped) = positive(of);
                let atom = self.atom(Kind::Call(function, of), budget)?;
                Ok(if flipped && function == Function::Sin { atom.negated() } else { atom })
            }
            Function::Tan => {
                let expr = self.expr(&of);
                let sin = self.call(Function::Sin, &expr, budget)?;
                let cos = self.call(Function::Cos, &expr, budget)?;
                sin.times(&cos.inverse(budget)?, self, budget)
            }
            Function::Sinh | Function::Cosh | Function::Tanh => {
                let rising = self.exponential(&of, budget)?;
                let falling = self.exponential(&of.negated(), budget)?;
                let half = Fraction::constant(Ratio { above: IBig::ONE, below: 2.into() });
                let sinh =
                    rising.clone().plus(&falling.negated(), self, budget)?.times(&half, self, budget)?;
                let cosh = rising.plus(&falling, self, budget)?.times(&half, self, budget)?;
                match function {
                    Function::Sinh => Ok(sinh),
                    Function::Cosh => Ok(cosh),
                    _ => sinh.times(&cosh.inverse(budget)?, self, budget),
                }
            }
            Function::Arcsin | Function::Arccos | Function::Arctan => {
                match value.as_ref().and_then(|value| known_angle(function, value)) {
                    Some(turn) => self.pi()?.times(&Fraction::constant(turn), self, budget),
                    None => self.atom(Kind::Call(function, of), budget),
                }
            }
            Function::Abs => match value {
                Some(value) => Ok(Fraction::constant(value.magnitude())),
                None => self.atom(Kind::Call(Function::Abs, positive(of).0), budget),
            },
            Function::Floor | Function::Ceiling => match value {
                Some(value) => {
                    pay(value.bits() as u64 / 64 + 1, value.bits() as u64 / 64 + 1, budget)?;
                    Ok(Fraction::constant(Ratio::whole(rounded(&value, function == Function::Ceiling))))
                }
                None => self.atom(Kind::Call(function, of), budget),
            },
            Function::Factorial => match value {
                Some(value) => Ok(Fraction::constant(factorial(&value, budget)?)),
                None => self.open_factorial(&of, budget),
            },
        }
    }

    /// What π is multiplied by, where it is all there is.
    pub(super) fn over_pi(&self, of: &Fraction) -> Option<Ratio> {
        of.below.value()?;
        if of.above.is_zero() {
            return Some(Ratio::whole(0));
        }
        let (monomial, value) = of.above.monomial()?;
        match monomial[..] {
            [(atom, 1)] if matches!(self.list[usize::from(atom)].kind, Kind::Pi) => Some(value.clone()),
            _ => None,
        }
    }

    /// The sine or cosine of π times a fraction.
    pub(super) fn turned(
        &mut self,
        function: Function,
        turn: &Ratio,
        budget: &mut Budget,
    ) -> Result<Fraction, Fault> {
        // In units of π/60; the sine is the cosine a quarter earlier.
        let sixtieths = turn.times(&Ratio::whole(60), budget)?;
        let shifted = match function {
            Function::Sin => sixtieths.minus(&Ratio::whole(30), budget)?,
            _ => sixtieths,
        };
        let Some(steps) = shifted.integer() else {
            let of = self.pi()?.times(&Fraction::constant(turn.clone()), self, budget)?;
            let (of, flipped) = positive(of);
            let atom = self.atom(Kind::Call(function, of), budget)?;
            return Ok(if flipped && function == Function::Sin { atom.negated() } else { atom });
        };
        let steps = i64::try_from(steps % IBig::from(120)).expect("below 120").rem_euclid(120);
        // cos(-x) = cos x, and cos(π - x) = -cos x.
        let steps = if steps > 60 { 120 - steps } else { steps };
        let (steps, negative) = if steps > 30 { (60 - steps, true) } else { (steps, false) };
        let number = |value: i64| Expr::whole(value);
        let root = |value: i64| Expr::root(Expr::whole(value), 2);
        let cos = match steps {
            0 => number(1),
            30 => number(0),
            20 => number(1).over(number(2)),
            10 => root(3).over(number(2)),
            15 => root(2).over(number(2)),
            // π/5, 2π/5, π/12, 5π/12
            12 => Expr::Sum(vec![root(5), number(1)]).over(number(4)),
            24 => root(5).minus(number(1)).over(number(4)),
            5 => Expr::Sum(vec![root(6), root(2)]).over(number(4)),
            25 => root(6).minus(root(2)).over(number(4)),
            _ => {
                let above = Ratio::new(steps.into(), 60.into(), budget)?;
                let of = self.pi()?.times(&Fraction::constant(above), self, budget)?;
                let atom = self.atom(Kind::Call(Function::Cos, of), budget)?;
                return Ok(if negative { atom.negated() } else { atom });
            }
        };
        let cos = self.normal(&cos, budget)?;
        Ok(if negative { cos.negated() } else { cos })
    }

    pub(super) fn logarithm(
        &mut self,
        of: Fraction,
        value: Option<Ratio>,
        budget: &mut Budget,
    ) -> Result<Fraction, Fault> {
        let Some(value) = value else {
            // ln(e^x) is x.
            if let (Some((monomial, factor)), Some(below)) = (of.above.monomial(), of.below.value())
                && factor.is_one()
                && below.is_one()
                && let [(atom, power)] = monomial[..]
                && let Kind::Call(Function::Exp, inner) = &self.list[usize::from(atom)].kind
                && !self.every_atom(inner).any(|atom| matches!(atom.kind, Kind::Imaginary))
            {
                let times = Fraction::constant(Ratio::whole(i64::from(power)));
                return inner.clone().times(&times, self, budget);
            }
            return self.atom(Kind::Call(Function::Ln, of), budget);
        };
        if value.is_negative() || value.is_zero() {
            return Err(Fault::Undefined("a logarithm of what is not positive"));
        }
        // The logarithms of primes, so that ln 8 is 3 ln 2.
        let mut sum = Fraction::constant(Ratio::whole(0));
        for (part, sign) in [(value.above, 1), (value.below, -1)] {
            let mut left = UBig::try_from(part).expect("it is positive");
            for prime in (2_i64..100).filter(|n| (2..*n).all(|d| n % d != 0)) {
                let size = left.bit_len() as u64 / 64 + 1;
                budget.spend(30 + size)?;
                let times = left.remove(&UBig::from(prime.unsigned_abs())).unwrap_or(0) as i64;
                if times > 0 {
                    pay(size, size, budget)?;
                    let of = Fraction::constant(Ratio::whole(prime));
                    let atom = self.atom(Kind::Call(Function::Ln, of), budget)?;
                    let scale = Fraction::constant(Ratio::whole(sign * times));
                    sum = sum.plus(&atom.times(&scale, self, budget)?, self, budget)?;
                }
            }
            if left != UBig::ONE {
                let atom =
                    self.atom(Kind::Call(Function::Ln, Fraction::constant(Ratio::whole(left))), budget)?;
                let scale = Fraction::constant(Ratio::whole(sign));
                sum = sum.plus(&atom.times(&scale, self, budget)?, self, budget)?;
            }
        }
        Ok(sum)
    }

    /// (n + 2)! as (n + 2)(n + 1) n!.
    pub(super) fn open_factorial(&mut self, of: &Fraction, budget: &mut Budget) -> Result<Fraction, Fault> {
        let shift = of.above.terms.get(&Vec::new()).and_then(Ratio::small::<i64>);
        let shift = shift.filter(|shift| shift.abs() <= 32 && of.below.value().is_some()).unwrap_or(0);
        let base = of.clone().plus(&Fraction::constant(Ratio::whole(-shift)), self, budget)?;
        let mut product = self.atom(Kind::Call(Function::Factorial, base.clone()), budget)?;
        for step in 1..=shift.abs() {
            let add = if shift > 0 { step } else { 1 - step };
            let factor = base.clone().plus(&Fraction::constant(Ratio::whole(add)), self, budget)?;
            let factor = if shift > 0 { factor } else { factor.inverse(budget)? };
            product = product.times(&factor, self, budget)?;
        }
        Ok(product)
    }

    pub(super) fn binomial(
        &mut self,
        above: &Expr,
        below: &Expr,
        budget: &mut Budget,
    ) -> Result<Fraction, Fault> {
        let count = self.normal(below, budget)?.value(budget)?;
        if let Some(count) = count.and_then(|count| count.small::<i64>()) {
            let of = self.normal(above, budget)?;
            let whole = of.value(budget)?.and_then(|of| of.small::<i64>());
            if whole.is_some_and(|of| of < 0) || count < 0 {
                return Err(Fault::Undefined("a binomial coefficient of negative numbers"));
            }
            // The smaller of the two counts.
            let count = whole.map_or(count, |of| if of < count { count } else { count.min(of - count) });
            if count > LARGE {
                return Err(Fault::OverBudget);
            }
            let mut product = Fraction::constant(Ratio::whole(1));
            for step in 0..count {
                let factor = of.clone().plus(&Fraction::constant(Ratio::whole(-step)), self, budget)?;
                let share = Fraction::constant(Ratio { above: IBig::ONE, below: (step + 1).into() });
                product = product.times(&factor, self, budget)?.times(&share, self, budget)?;
            }
            return Ok(product);
        }
        let factorial = |of: Expr| Expr::call(Function::Factorial, of);
        let rest = above.clone().minus(below.clone());
        let below = Expr::Product(vec![factorial(below.clone()), factorial(rest)]);
        self.normal(&factorial(above.clone()).over(below), budget)
    }
}

/// The formula or its negative, whichever has a positive first coefficient, and whether it is the negative.
fn positive(of: Fraction) -> (Fraction, bool) {
    let first = of.above.terms.values().next();
    if first.is_some_and(Ratio::is_negative) { (of.negated(), true) } else { (of, false) }
}

/// What part of π an inverse function gives.
fn known_angle(function: Function, value: &Ratio) -> Option<Ratio> {
    let half = Ratio { above: IBig::ONE, below: 2.into() };
    let share = |above: i64, below: i64| Some(Ratio { above: above.into(), below: below.into() });
    let sign = if value.is_negative() { -1 } else { 1 };
    let magnitude = value.magnitude();
    let is_half = magnitude.above == half.above && magnitude.below == half.below;
    match function {
        _ if magnitude.is_zero() && function != Function::Arccos => share(0, 1),
        Function::Arcsin if magnitude.is_one() => share(sign, 2),
        Function::Arcsin if is_half => share(sign, 6),
        Function::Arctan if magnitude.is_one() => share(sign, 4),
        Function::Arccos if magnitude.is_zero() => share(1, 2),
        Function::Arccos if magnitude.is_one() => share(i64::from(sign < 0), 1),
        Function::Arccos if is_half => share(if sign > 0 { 1 } else { 2 }, 3),
        _ => None,
    }
}

fn rounded(value: &Ratio, up: bool) -> IBig {
    let quotient = &value.above / &value.below;
    let rest = &value.above - &quotient * &value.below;
    match rest.cmp(&IBig::ZERO) {
        std::cmp::Ordering::Less if !up => quotient - IBig::ONE,
        std::cmp::Ordering::Greater if up => quotient + IBig::ONE,
        _ => quotient,
    }
}

pub fn factorial(value: &Ratio, budget: &mut Budget) -> Result<Ratio, Fault> {
    let Some(whole) = value.integer() else { return Err(Fault::Undefined("a factorial of a fraction")) };
    if whole < IBig::ZERO {
        return Err(Fault::Undefined("a factorial of a negative number"));
    }
    let count = i64::try_from(whole).ok().filter(|count| *count <= LARGE).ok_or(Fault::OverBudget)?;
    let mut product = IBig::ONE;
    for factor in 2..=count {
        budget.spend(8 + words(&product) / 2)?;
        product *= IBig::from(factor);
    }
    Ok(Ratio::whole(product))
}
