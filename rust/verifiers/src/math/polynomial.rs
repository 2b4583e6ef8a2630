//! Polynomials in several atoms over the fractions, and quotients of them.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::Fault;
use super::ratio::Ratio;
use kit::budget::Budget;

/// Atoms with their exponents, in increasing order of the atom's number.
pub type Monomial = Vec<(u16, u32)>;

/// The most terms that a polynomial may have.
const MAX_TERMS: usize = 2_000;

#[derive(Clone, Debug, Default)]
pub struct Polynomial {
    /// None of the coefficients is zero.
    pub terms: BTreeMap<Monomial, Ratio>,
}

/// Replacement of a power of an atom by a polynomial.
pub struct Rule {
    pub degree: u32,
    pub is: Polynomial,
}

/// The rules of atoms, by number.
pub trait Rules {
    fn rule(&self, atom: u16) -> Option<&Rule>;
}

impl Polynomial {
    pub fn constant(value: Ratio) -> Self {
        let mut terms = BTreeMap::new();
        if !value.is_zero() {
            terms.insert(Vec::new(), value);
        }
        Self { terms }
    }

    pub fn whole(value: i64) -> Self {
        Self::constant(Ratio::whole(value))
    }

    pub fn atom(number: u16) -> Self {
        Self { terms: BTreeMap::from([(vec![(number, 1)], Ratio::whole(1))]) }
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The value, if it contains no atom.
    pub fn value(&self) -> Option<Ratio> {
        match self.terms.len() {
            0 => Some(Ratio::whole(0)),
            1 => self.terms.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    /// Its single term, if it has one.
    pub fn monomial(&self) -> Option<(&Monomial, &Ratio)> {
        if self.terms.len() == 1 { self.terms.iter().next() } else { None }
    }

    fn add_term(&mut self, monomial: Monomial, value: Ratio, budget: &mut Budget) -> Result<(), Fault> {
        if value.is_zero() {
            return Ok(());
        }
        budget.spend(30 + 4 * monomial.len() as u64)?;
        match self.terms.entry(monomial) {
            Entry::Vacant(vacant) => {
                vacant.insert(value);
            }
            Entry::Occupied(mut occupied) => {
                let sum = occupied.get().plus(&value, budget)?;
                if sum.is_zero() {
                    occupied.remove();
                } else {
                    occupied.insert(sum);
                }
            }
        }
        if self.terms.len() > MAX_TERMS { Err(Fault::OverBudget) } else { Ok(()) }
    }

    pub fn plus(mut self, other: &Self, budget: &mut Budget) -> Result<Self, Fault> {
        for (monomial, value) in &other.terms {
            self.add_term(monomial.clone(), value.clone(), budget)?;
        }
        Ok(self)
    }

    #[must_use]
    pub fn negated(&self) -> Self {
        Self {
            terms: self.terms.iter().map(|(monomial, value)| (monomial.clone(), value.negated())).collect(),
        }
    }

    pub fn minus(self, other: &Self, budget: &mut Budget) -> Result<Self, Fault> {
        self.plus(&other.negated(), budget)
    }

    pub fn scaled(&self, factor: &Ratio, budget: &mut Budget) -> Result<Self, Fault> {
        if factor.is_one() {
            return Ok(self.clone());
        }
        let mut scaled = Self::default();
        for (monomial, value) in &self.terms {
            scaled.add_term(monomial.clone(), value.times(factor, budget)?, budget)?;
        }
        Ok(scaled)
    }

    pub fn times(&self, other: &Self, rules: &dyn Rules, budget: &mut Budget) -> Result<Self, Fault> {
        if let Some(value) = self.value() {
            return other.scaled(&value, budget);
        }
        if let Some(value) = other.value() {
            return self.scaled(&value, budget);
        }
        let mut product = Self::default();
        for (one, value) in &self.terms {
            for (other, by) in &other.terms {
                budget.spend(20)?;
                product.add_term(joined(one, other)?, value.times(by, budget)?, budget)?;
            }
        }
        product.reduced(rules, budget)
    }

    pub fn power(&self, exponent: u32, rules: &dyn Rules, budget: &mut Budget) -> Result<Self, Fault> {
        if let Some((monomial, value)) = self.monomial() {
            let raised = monomial.iter().map(|&(atom, power)| Some((atom, power.checked_mul(exponent)?)));
            let raised: Option<Monomial> = raised.collect();
            let value = value.power(i64::from(exponent), budget)?;
            let terms = BTreeMap::from([(raised.ok_or(Fault::OverBudget)?, value)]);
            return Self { terms }.reduced(rules, budget);
        }
        let (mut power, mut square, mut left) = (Self::whole(1), self.clone(), exponent);
        while left > 0 {
            if left % 2 == 1 {
                power = power.times(&square, rules, budget)?;
            }
            left /= 2;
            if left > 0 {
                square = square.times(&square, rules, budget)?;
            }
        }
        Ok(power)
    }

    /// The same with every power replaced that has a rule.
    fn reduced(mut self, rules: &dyn Rules, budget: &mut Budget) -> Result<Self, Fault> {
        loop {
            let found = self.terms.keys().find_map(|monomial| {
                let place = monomial
                    .iter()
                    .position(|&(atom, power)| rules.rule(atom).is_some_and(|rule| power >= rule.degree))?;
                Some((monomial.clone(), place))
            });
            budget.spend(10 * self.terms.len() as u64 + 10)?;
            let Some((monomial, place)) = found else { return Ok(self) };
            let value = self.terms.remove(&monomial).expect("it is a term");
            let (atom, power) = monomial[place];
            let rule = rules.rule(atom).expect("it has a rule");
            let mut rest = monomial;
            if power % rule.degree == 0 {
                rest.remove(place);
            } else {
                rest[place].1 = power % rule.degree;
            }
            let is = rule.is.power(power / rule.degree, rules, budget)?;
            let rest = Self { terms: BTreeMap::from([(rest, value)]) };
            let replaced = rest.times(&is, rules, budget)?;
            self = self.plus(&replaced, budget)?;
        }
    }
}

/// The product of two monomials.
fn joined(one: &Monomial, other: &Monomial) -> Result<Monomial, Fault> {
    let mut product = Vec::with_capacity(one.len() + other.len());
    let (mut left, mut right) = (one.iter().peekable(), other.iter().peekable());
    loop {
        match (left.peek(), right.peek()) {
            (Some(a), Some(b)) if a.0 == b.0 => {
                product.push((a.0, a.1.checked_add(b.1).ok_or(Fault::OverBudget)?));
                left.next();
                right.next();
            }
            (Some(a), Some(b)) if a.0 > b.0 => {
                product.push(**b);
                right.next();
            }
            (Some(a), _) => {
                product.push(**a);
                left.next();
            }
            (None, Some(b)) => {
                product.push(**b);
                right.next();
            }
            (None, None) => return Ok(product),
        }
    }
}

/// A quotient of polynomials. Nothing is cancelled, so that a division by zero stays one.
#[derive(Clone, Debug)]
pub struct Fraction {
    pub above: Polynomial,
    pub below: Polynomial,
}

impl Fraction {
    pub fn of(above: Polynomial) -> Self {
        Self { above, below: Polynomial::whole(1) }
    }

    pub fn constant(value: Ratio) -> Self {
        Self::of(Polynomial::constant(value))
    }

    pub fn atom(number: u16) -> Self {
        Self::of(Polynomial::atom(number))
    }

    /// The value, if it contains no atom.
    pub fn value(&self, budget: &mut Budget) -> Result<Option<Ratio>, Fault> {
        let (Some(above), Some(below)) = (self.above.value(), self.below.value()) else { return Ok(None) };
        above.times(&below.inverse()?, budget).map(Some)
    }

    /// Sets a denominator that is a number to one.
    fn normal(self, budget: &mut Budget) -> Result<Self, Fault> {
        if self.below.is_zero() {
            return Err(Fault::Undefined("a division by zero"));
        }
        match self.below.value() {
            Some(value) if !value.is_one() => Ok(Self::of(self.above.scaled(&value.inverse()?, budget)?)),
            _ => Ok(self),
        }
    }

    pub fn plus(self, other: &Self, rules: &dyn Rules, budget: &mut Budget) -> Result<Self, Fault> {
        let ones = self.below.value().is_some() && other.below.value().is_some();
        if ones {
            return Ok(Self::of(self.above.plus(&other.above, budget)?));
        }
        let same = self.below.clone().minus(&other.below, budget)?.is_zero();
        if same {
            return Self { above: self.above.plus(&other.above, budget)?, below: self.below }.normal(budget);
        }
        let left = self.above.times(&other.below, rules, budget)?;
        let right = other.above.times(&self.below, rules, budget)?;
        let below = self.below.times(&other.below, rules, budget)?;
        Self { above: left.plus(&right, budget)?, below }.normal(budget)
    }

    pub fn times(&self, other: &Self, rules: &dyn Rules, budget: &mut Budget) -> Result<Self, Fault> {
        let above = self.above.times(&other.above, rules, budget)?;
        Self { above, below: self.below.times(&other.below, rules, budget)? }.normal(budget)
    }

    #[must_use]
    pub fn negated(&self) -> Self {
        Self { above: self.above.negated(), below: self.below.clone() }
    }

    pub fn inverse(self, budget: &mut Budget) -> Result<Self, Fault> {
        Self { above: self.below, below: self.above }.normal(budget)
    }

    pub fn power(&self, exponent: i64, rules: &dyn Rules, budget: &mut Budget) -> Result<Self, Fault> {
        if exponent == 0 {
            // x/x is one wherever x is not zero.
            return Self { above: self.above.clone(), below: self.above.clone() }.normal(budget);
        }
        let degree = u32::try_from(exponent.unsigned_abs()).map_err(|_| Fault::OverBudget)?;
        let above = self.above.power(degree, rules, budget)?;
        let raised = Self { above, below: self.below.power(degree, rules, budget)? };
        if exponent < 0 { raised.inverse(budget) } else { raised.normal(budget) }
    }

    /// A polynomial that is zero exactly where the two are equal and defined.
    pub fn difference(
        &self,
        other: &Self,
        rules: &dyn Rules,
        budget: &mut Budget,
    ) -> Result<Polynomial, Fault> {
        let left = self.above.times(&other.below, rules, budget)?;
        let right = other.above.times(&self.below, rules, budget)?;
        left.minus(&right, budget)
    }
}
