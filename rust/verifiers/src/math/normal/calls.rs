//! Normal forms of calls of functions: known angles, logarithms of primes, factorials.

use dashu_int::ops::{BitTest, Gcd};
use dashu_int::{IBig, UBig};

use super::{Atoms, Kind, LARGE};
use crate::math::Fault;
use crate::math::expression::{Expr, Function};
use crate::math::interval::{Constants, Context};
use crate::math::polynomial::{Fraction, Polynomial};
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
            Function::Abs => self.magnitude(of, budget),
            Function::Floor | Function::Ceiling => match value {
                Some(value) => {
                    pay(value.bits() as u64 / 64 + 1, value.bits() as u64 / 64 + 1, budget)?;
                    Ok(Fraction::constant(Ratio::whole(value.rounded(function == Function::Ceiling))))
                }
                None => self.floor(of, function == Function::Ceiling, budget),
            },
            Function::Factorial => match value {
                Some(value) => Ok(Fraction::constant(factorial(&value, budget)?)),
                None => self.open_factorial(&of, budget),
            },
        }
    }

    pub(super) fn magnitude(&mut self, of: Fraction, budget: &mut Budget) -> Result<Fraction, Fault> {
        match of.value(budget)? {
            Some(value) => Ok(Fraction::constant(value.magnitude())),
            None => self.atom(Kind::Call(Function::Abs, positive(of).0), budget),
        }
    }

    /// The larger of two: half of their sum plus half of their distance.
    pub(super) fn larger(
        &mut self,
        one: &Expr,
        other: &Expr,
        budget: &mut Budget,
    ) -> Result<Fraction, Fault> {
        let (one, other) = (self.normal(one, budget)?, self.normal(other, budget)?);
        let apart = one.clone().plus(&other.negated(), self, budget)?;
        let apart = self.magnitude(apart, budget)?;
        let half = Fraction::constant(Ratio { above: IBig::ONE, below: 2.into() });
        one.plus(&other, self, budget)?.plus(&apart, self, budget)?.times(&half, self, budget)
    }

    /// The floor or the ceiling of anything but a plain number, as a floor with a constant between zero and
    /// one.
    fn floor(&mut self, of: Fraction, ceiling: bool, budget: &mut Budget) -> Result<Fraction, Fault> {
        let of = if ceiling { of.negated() } else { of };
        let known = match self.quotient_of_logarithms(&of, budget)? {
            Some(value) => Some(value.rounded(false)),
            None if self.varies(&of) => None,
            None => rounded_down(&self.expr(&of), budget)?,
        };
        let value = match known {
            Some(value) => Fraction::constant(Ratio::whole(value)),
            None if of.below.value().is_none() => self.atom(Kind::Call(Function::Floor, of), budget)?,
            None => {
                let whole = of.above.terms.get(&Vec::new()).map_or(IBig::ZERO, |value| value.rounded(false));
                let whole = Fraction::constant(Ratio::whole(whole));
                let rest = of.plus(&whole.negated(), self, budget)?;
                let stepped = rest.above.terms.iter().all(|(monomial, value)| {
                    let floor = |atom: u16| {
                        matches!(self.list[usize::from(atom)].kind, Kind::Call(Function::Floor, _))
                    };
                    value.integer().is_some() && monomial.iter().all(|(atom, _)| floor(*atom))
                });
                let floor =
                    if stepped { rest } else { self.atom(Kind::Call(Function::Floor, rest), budget)? };
                floor.plus(&whole, self, budget)?
            }
        };
        Ok(if ceiling { value.negated() } else { value })
    }

    /// The value of `ln 8 / ln 2`: sums of logarithms of primes, one of which is a multiple of the other.
    fn quotient_of_logarithms(&self, of: &Fraction, budget: &mut Budget) -> Result<Option<Ratio>, Fault> {
        // Sums of logarithms with positive factors are above zero.
        let positive = |sum: &Polynomial| {
            let logarithm = |atom: u16| matches!(&self.list[usize::from(atom)].kind, Kind::Call(Function::Ln, of) if of.above.value().is_some());
            let term = |(monomial, value): (&Vec<(u16, u32)>, &Ratio)| {
                matches!(monomial[..], [(atom, 1)] if logarithm(atom)) && !value.is_negative()
            };
            !sum.is_zero() && sum.terms.iter().all(term)
        };
        if !positive(&of.below) {
            return Ok(None);
        }
        let (monomial, below) = of.below.terms.first_key_value().expect("it is not zero");
        let Some(above) = of.above.terms.get(monomial) else { return Ok(None) };
        let value = above.times(&below.inverse()?, budget)?;
        let multiple = of.below.scaled(&value, budget)?;
        Ok(of.above.clone().minus(&multiple, budget)?.is_zero().then_some(value))
    }

    pub(super) fn divisor(
        &mut self,
        one: Fraction,
        other: Fraction,
        budget: &mut Budget,
    ) -> Result<Fraction, Fault> {
        const NO_INTEGER: Fault = Fault::Undefined("a divisor of what is no integer");
        let (first, second) = (one.value(budget)?, other.value(budget)?);
        if [&first, &second].into_iter().flatten().any(|value| value.integer().is_none()) {
            return Err(NO_INTEGER);
        }
        let (Some(first), Some(second)) = (first.and_then(|a| a.integer()), second.and_then(|b| b.integer()))
        else {
            let varies = self.varies(&one) || self.varies(&other);
            let (one, other) = (positive(one).0, positive(other).0);
            return if varies { self.atom(Kind::Gcd(one, other), budget) } else { Err(NO_INTEGER) };
        };
        pay(words(&first).pow(2), words(&second).pow(2), budget)?;
        let zero = first == IBig::ZERO && second == IBig::ZERO;
        let shared = if zero { IBig::ZERO } else { IBig::from((&first).gcd(&second)) };
        Ok(Fraction::constant(Ratio::whole(shared)))
    }

    /// The factor of π, if the formula is only a multiple of π.
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

/// The floor of a constant, if intervals show it.
fn rounded_down(of: &Expr, budget: &mut Budget) -> Result<Option<IBig>, Fault> {
    for bits in [64, 256, 1_024] {
        let mut context = Context { bits, constants: Constants::default(), budget, reach: 0, complex: true };
        let value = match context.value(of, &[]) {
            Ok(value) if value.imaginary.is_some() => {
                return Err(Fault::Undefined("a floor of a complex number"));
            }
            Ok(value) => context.floor(&value.real),
            Err(fault) => Err(fault),
        };
        match value {
            Ok(floor) => return Ok(Some(floor.low.floor(budget)?)),
            Err(Fault::Undecided) => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(None)
}

/// The formula or its negative, whichever has a positive first coefficient, and true for the negative.
fn positive(of: Fraction) -> (Fraction, bool) {
    let first = of.above.terms.values().next();
    if first.is_some_and(Ratio::is_negative) { (of.negated(), true) } else { (of, false) }
}

/// The value of an inverse function as a share of π.
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
