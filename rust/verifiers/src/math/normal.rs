//! Turns formulas into normal forms: quotients of polynomials in variables, constants and calls of functions.

use dashu_int::IBig;

use super::Fault;
use super::expression::{Expr, Function, Pair};
use super::polynomial::{Fraction, Monomial, Polynomial, Rule, Rules};
use super::ratio::Ratio;
use kit::budget::Budget;

mod calls;

pub use calls::factorial;

/// Kind of an atom of polynomials.
#[derive(Debug)]
pub enum Kind {
    Variable,
    Pi,
    Imaginary,
    /// A base and its exponent.
    Power(Fraction, Fraction),
    Root(Fraction, u32),
    Call(Function, Fraction),
    Gcd(Fraction, Fraction),
}

pub struct Atom {
    pub kind: Kind,
    /// The atom as a formula.
    pub expr: Expr,
    /// True if it contains a variable.
    pub varies: bool,
    /// True if it is known to be algebraic.
    pub algebraic: bool,
    rule: Option<Rule>,
}

/// The atoms of the formulas in one comparison.
#[derive(Default)]
pub struct Atoms {
    pub list: Vec<Atom>,
}

impl Rules for Atoms {
    fn rule(&self, atom: u16) -> Option<&Rule> {
        self.list[usize::from(atom)].rule.as_ref()
    }
}

/// Largest number of atoms in one comparison: each new one is compared with all others.
const MAX_ATOMS: usize = 48;

/// The largest exponent that is multiplied out, and the largest number whose factorial is.
const LARGE: i64 = 4_096;

impl Atoms {
    fn push(&mut self, atom: Atom) -> Result<Fraction, Fault> {
        if self.list.len() >= MAX_ATOMS {
            return Err(Fault::OverBudget);
        }
        self.list.push(atom);
        Ok(Fraction::atom(self.list.len() as u16 - 1))
    }

    fn variable(&mut self, name: &str) -> Result<Fraction, Fault> {
        let found = self.list.iter().position(
            |atom| matches!((&atom.kind, &atom.expr), (Kind::Variable, Expr::Variable(other)) if **other == *name),
        );
        if let Some(at) = found {
            return Ok(Fraction::atom(at as u16));
        }
        let expr = Expr::Variable(name.into());
        self.push(Atom { kind: Kind::Variable, expr, varies: true, algebraic: false, rule: None })
    }

    fn pi(&mut self) -> Result<Fraction, Fault> {
        if let Some(at) = self.list.iter().position(|atom| matches!(atom.kind, Kind::Pi)) {
            return Ok(Fraction::atom(at as u16));
        }
        self.push(Atom { kind: Kind::Pi, expr: Expr::Pi, varies: false, algebraic: false, rule: None })
    }

    fn imaginary(&mut self) -> Result<Fraction, Fault> {
        if let Some(at) = self.list.iter().position(|atom| matches!(atom.kind, Kind::Imaginary)) {
            return Ok(Fraction::atom(at as u16));
        }
        let rule = Some(Rule { degree: 2, is: Polynomial::whole(-1) });
        self.push(Atom { kind: Kind::Imaginary, expr: Expr::Imaginary, varies: false, algebraic: true, rule })
    }

    fn is_imaginary(&self, atom: u16) -> bool {
        matches!(self.list[usize::from(atom)].kind, Kind::Imaginary)
    }

    fn same(&self, one: &Fraction, other: &Fraction, budget: &mut Budget) -> Result<bool, Fault> {
        Ok(one.difference(other, self, budget)?.is_zero())
    }

    fn varies(&self, fraction: &Fraction) -> bool {
        self.every_atom(fraction).any(|atom| atom.varies)
    }

    fn every_atom<'f>(&'f self, fraction: &'f Fraction) -> impl Iterator<Item = &'f Atom> {
        let terms = fraction.above.terms.keys().chain(fraction.below.terms.keys());
        terms.flatten().map(|(atom, _)| &self.list[usize::from(*atom)])
    }

    /// The atom for a root, a power or a call: an existing one or a new one.
    fn atom(&mut self, kind: Kind, budget: &mut Budget) -> Result<Fraction, Fault> {
        for at in 0..self.list.len() {
            budget.spend(10)?;
            let same = match (&kind, &self.list[at].kind) {
                (Kind::Root(one, degree), Kind::Root(other, another)) => {
                    degree == another && self.same(one, other, budget)?
                }
                (Kind::Call(function, one), Kind::Call(another, other)) => {
                    function == another && self.same(one, other, budget)?
                }
                (Kind::Gcd(one, other), Kind::Gcd(a, b)) => {
                    (self.same(one, a, budget)? && self.same(other, b, budget)?)
                        || (self.same(one, b, budget)? && self.same(other, a, budget)?)
                }
                (Kind::Power(base, one), Kind::Power(another, other)) => {
                    self.same(base, another, budget)? && self.same(one, other, budget)?
                }
                _ => false,
            };
            if same {
                return Ok(Fraction::atom(at as u16));
            }
        }
        let whole_below = |fraction: &Fraction| fraction.below.value().is_some();
        let (expr, varies, algebraic, rule) = match &kind {
            Kind::Root(of, degree) => {
                let rule = whole_below(of).then(|| Rule { degree: *degree, is: of.above.clone() });
                let algebraic = self.every_atom(of).all(|atom| atom.algebraic);
                (Expr::root(self.expr(of), *degree), self.varies(of), algebraic, rule)
            }
            Kind::Call(function, of) => {
                let rule = match function {
                    Function::Abs
                        if whole_below(of)
                            && !self.every_atom(of).any(|atom| matches!(atom.kind, Kind::Imaginary)) =>
                    {
                        Some(Rule { degree: 2, is: of.above.power(2, self, budget)? })
                    }
                    Function::Sin => {
                        let cos = self.atom(Kind::Call(Function::Cos, of.clone()), budget)?;
                        let square = cos.above.power(2, self, budget)?;
                        Some(Rule { degree: 2, is: Polynomial::whole(1).minus(&square, budget)? })
                    }
                    _ => None,
                };
                (Expr::call(*function, self.expr(of)), self.varies(of), false, rule)
            }
            Kind::Power(base, of) => {
                let expr = Expr::Power(Box::new(self.expr(base)), Box::new(self.expr(of)));
                (expr, self.varies(base) || self.varies(of), false, None)
            }
            Kind::Gcd(one, other) => {
                let expr = Expr::two(Pair::Gcd, self.expr(one), self.expr(other));
                (expr, self.varies(one) || self.varies(other), false, None)
            }
            Kind::Variable | Kind::Pi | Kind::Imaginary => unreachable!("these are made above"),
        };
        self.push(Atom { kind, expr, varies, algebraic, rule })
    }

    /// A normal form as a formula.
    pub fn expr(&self, fraction: &Fraction) -> Expr {
        let above = self.sum(&fraction.above);
        match fraction.below.value() {
            Some(value) if value.is_one() => above,
            _ => above.over(self.sum(&fraction.below)),
        }
    }

    pub fn sum(&self, polynomial: &Polynomial) -> Expr {
        let term = |(monomial, value): (&Monomial, &Ratio)| {
            let mut factors = vec![Expr::Number(value.clone())];
            for &(atom, power) in monomial {
                let base = Box::new(self.list[usize::from(atom)].expr.clone());
                factors.push(Expr::Power(base, Box::new(Expr::whole(i64::from(power)))));
            }
            Expr::Product(factors)
        };
        Expr::Sum(polynomial.terms.iter().map(term).collect())
    }

    /// The normal form of a formula.
    pub fn normal(&mut self, expr: &Expr, budget: &mut Budget) -> Result<Fraction, Fault> {
        budget.spend(60)?;
        match expr {
            Expr::Number(value) | Expr::Decimal(value, _) => Ok(Fraction::constant(value.clone())),
            Expr::Variable(name) => self.variable(name),
            Expr::Pi => self.pi(),
            Expr::Imaginary => self.imaginary(),
            Expr::Euler => self.exponential(&Fraction::constant(Ratio::whole(1)), budget),
            Expr::Infinity => Err(Fault::Undefined("infinity in a formula")),
            Expr::Sum(parts) => {
                let mut sum = Fraction::constant(Ratio::whole(0));
                for part in parts {
                    let part = self.normal(part, budget)?;
                    sum = sum.plus(&part, self, budget)?;
                }
                Ok(sum)
            }
            Expr::Product(parts) => {
                let mut product = Fraction::constant(Ratio::whole(1));
                for part in parts {
                    let part = self.normal(part, budget)?;
                    product = product.times(&part, self, budget)?;
                }
                Ok(product)
            }
            Expr::Power(base, exponent) => self.power(base, exponent, budget),
            Expr::Root(of, degree) => {
                let of = self.normal(of, budget)?;
                self.root(of, *degree, budget)
            }
            Expr::Call(function, of) => self.call(*function, of, budget),
            Expr::Two(Pair::Binomial, above, below) => self.binomial(above, below, budget),
            Expr::Two(Pair::Gcd, one, other) => {
                let (one, other) = (self.normal(one, budget)?, self.normal(other, budget)?);
                self.divisor(one, other, budget)
            }
            Expr::Two(Pair::Lcm, one, other) => {
                let (one, other) = (self.normal(one, budget)?, self.normal(other, budget)?);
                let product = one.times(&other, self, budget)?;
                let divisor = self.divisor(one, other, budget)?.inverse(budget)?;
                self.magnitude(product, budget)?.times(&divisor, self, budget)
            }
            Expr::Two(Pair::Max, one, other) => self.larger(one, other, budget),
        }
    }

    fn power(&mut self, base: &Expr, exponent: &Expr, budget: &mut Budget) -> Result<Fraction, Fault> {
        let exponent = self.normal(exponent, budget)?;
        if matches!(base, Expr::Euler) {
            return self.exponential(&exponent, budget);
        }
        let base = self.normal(base, budget)?;
        if let Some(value) = exponent.value(budget)? {
            if let Some(whole) = value.small::<i64>() {
                return base.power(whole, self, budget);
            }
            let Ok(degree) = u32::try_from(&value.below) else { return Err(Fault::OverBudget) };
            let Ok(above) = i64::try_from(&value.above) else { return Err(Fault::OverBudget) };
            if let Some(number) = base.value(budget)?
                && number.is_negative()
                && degree != 2
            {
                return Err(Fault::Undefined("a fractional power of a negative number"));
            }
            return self.root(base, degree, budget)?.power(above, self, budget);
        }
        self.raised(base, &exponent, budget)
    }

    /// A base to a power that is not a number.
    fn raised(
        &mut self,
        base: Fraction,
        exponent: &Fraction,
        budget: &mut Budget,
    ) -> Result<Fraction, Fault> {
        let (mut base, mut exponent) = (base, exponent.clone());
        if let Some(mut value) = base.value(budget)? {
            if value.is_zero() {
                return Err(Fault::Undefined("a power of zero"));
            }
            // (1/2)^x is 2^-x, and 4^x is 2^(2x).
            if value.above == IBig::ONE && value.below != IBig::ONE {
                (value, exponent) = (value.inverse()?, exponent.negated());
            }
            for degree in [2_u32, 3, 5, 7] {
                for _ in 0..64 {
                    let root = if value.is_negative() || value.is_one() {
                        None
                    } else {
                        value.exact_root(degree, budget)?
                    };
                    let Some(root) = root else { break };
                    value = root;
                    let factor = Fraction::constant(Ratio::whole(i64::from(degree)));
                    exponent = exponent.times(&factor, self, budget)?;
                }
            }
            base = Fraction::constant(value);
        }
        self.split_power(&exponent, budget, |atoms, part, budget| {
            if let Some(value) = part.value(budget)?
                && value.is_one()
            {
                return Ok(base.clone());
            }
            atoms.atom(Kind::Power(base.clone(), part), budget)
        })
    }

    /// e to a power.
    fn exponential(&mut self, exponent: &Fraction, budget: &mut Budget) -> Result<Fraction, Fault> {
        self.split_power(exponent, budget, |atoms, part, budget| {
            // e^(ln x) is x.
            if let (Some((monomial, value)), Some(below)) = (part.above.monomial(), part.below.value())
                && value.is_one()
                && below.is_one()
                && let [(atom, 1)] = monomial[..]
                && let Kind::Call(Function::Ln, of) = &atoms.list[usize::from(atom)].kind
            {
                return Ok(of.clone());
            }
            atoms.atom(Kind::Call(Function::Exp, part), budget)
        })
    }

    /// A power whose exponent is a sum, as the product of the powers by its terms: `of` gives the power by a
    /// term that is not multiplied by an integer.
    fn split_power(
        &mut self,
        exponent: &Fraction,
        budget: &mut Budget,
        of: impl Fn(&mut Self, Fraction, &mut Budget) -> Result<Fraction, Fault>,
    ) -> Result<Fraction, Fault> {
        if exponent.below.value().is_none() {
            return of(self, exponent.clone(), budget);
        }
        let mut product = Fraction::constant(Ratio::whole(1));
        for (monomial, value) in &exponent.above.terms {
            let turned = monomial.len() == 2
                && monomial.iter().all(|(_, power)| *power == 1)
                && monomial.iter().any(|(atom, _)| self.is_imaginary(*atom))
                && monomial.iter().any(|(atom, _)| matches!(self.list[usize::from(*atom)].kind, Kind::Pi));
            if turned {
                // e^(iπr)
                let imaginary = self.imaginary()?;
                let cos = self.turned(Function::Cos, value, budget)?;
                let sin = self.turned(Function::Sin, value, budget)?.times(&imaginary, self, budget)?;
                let both = cos.plus(&sin, self, budget)?;
                product = product.times(&both, self, budget)?;
                continue;
            }
            let times = i64::try_from(&value.above).ok().filter(|times| times.abs() <= LARGE);
            let left = match times {
                Some(_) => Ratio { above: IBig::ONE, below: value.below.clone() },
                None => value.clone(),
            };
            let part = Polynomial { terms: [(monomial.clone(), left)].into() };
            let power = of(self, Fraction::of(part), budget)?;
            let power = power.power(times.unwrap_or(1), self, budget)?;
            product = product.times(&power, self, budget)?;
        }
        Ok(product)
    }

    fn root(&mut self, of: Fraction, degree: u32, budget: &mut Budget) -> Result<Fraction, Fault> {
        if degree == 1 {
            return Ok(of);
        }
        let Some(value) = of.value(budget)? else { return self.atom(Kind::Root(of, degree), budget) };
        if let Some(root) = value.exact_root(degree, budget)? {
            return Ok(Fraction::constant(root));
        }
        if value.is_negative() {
            let positive = Fraction::constant(value.negated());
            return match (degree % 2, degree) {
                (1, _) => Ok(self.root(positive, degree, budget)?.negated()),
                (_, 2) => {
                    let imaginary = self.imaginary()?;
                    self.root(positive, 2, budget)?.times(&imaginary, self, budget)
                }
                _ => Err(Fault::Undefined("an even root of a negative number")),
            };
        }
        // √(a/b) is √(ab)/b, and small squares are taken out of an integer.
        let mut outside = Ratio { above: IBig::ONE, below: value.below.clone() };
        let mut inside = value.above.clone();
        for _ in 1..degree.min(64) {
            let size = super::ratio::words(&inside) + super::ratio::words(&value.below);
            super::ratio::pay(size, size, budget)?;
            inside *= &value.below;
            if size > 48 {
                return Err(Fault::OverBudget);
            }
        }
        if degree > 64 {
            return self.atom(Kind::Root(of, degree), budget);
        }
        for prime in [2_i64, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31] {
            let power = IBig::from(prime).pow(degree as usize);
            for _ in 0..64 {
                budget.spend(15 + super::ratio::words(&inside))?;
                if &inside % &power != IBig::ZERO {
                    break;
                }
                inside /= &power;
                outside = outside.times(&Ratio::whole(prime), budget)?;
            }
        }
        let inside = Fraction::constant(Ratio::whole(inside));
        let atom = self.atom(Kind::Root(inside, degree), budget)?;
        atom.times(&Fraction::constant(outside), self, budget)
    }
}
