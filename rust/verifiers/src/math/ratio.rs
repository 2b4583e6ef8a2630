//! Fractions of integers of any size, up to a cap.

use std::cmp::Ordering;

use dashu_int::IBig;
use dashu_int::ops::{BitTest, Gcd};

use super::Fault;
use kit::budget::Budget;
use kit::shared::decimal::natural;

/// The most bits that a part of a fraction may have; an answer of 64 KiB in digits has fewer.
pub const MAX_BITS: usize = 1 << 18;

/// Fractions below this size are reduced; larger ones only on request.
const REDUCED_WORDS: u64 = 48;

/// A fraction over a positive integer. A large one need not be in lowest terms.
#[derive(Clone, Debug)]
pub struct Ratio {
    pub above: IBig,
    pub below: IBig,
}

/// The 64-bit words of an integer, at least one.
pub fn words(integer: &IBig) -> u64 {
    integer.bit_len() as u64 / 64 + 1
}

/// Takes the steps of a product of integers with these numbers of words.
pub fn pay(one: u64, other: u64, budget: &mut Budget) -> Result<(), Fault> {
    let (long, short) = (one.max(other), one.min(other));
    Ok(budget.spend(12 + long * short.isqrt())?)
}

impl Ratio {
    pub fn whole(integer: impl Into<IBig>) -> Self {
        Self { above: integer.into(), below: IBig::ONE }
    }

    /// `above / below` in lowest terms if it is small; `below` is not zero.
    pub fn new(above: IBig, below: IBig, budget: &mut Budget) -> Result<Self, Fault> {
        let (above, below) = if below < IBig::ZERO { (-above, -below) } else { (above, below) };
        if above.bit_len().max(below.bit_len()) > MAX_BITS {
            return Err(Fault::OverBudget);
        }
        if below == IBig::ONE {
            return Ok(Self { above, below });
        }
        let size = words(&above).max(words(&below));
        if size > REDUCED_WORDS {
            return Ok(Self { above, below });
        }
        budget.spend(20 + size * size)?;
        let shared = IBig::from((&above).gcd(&below));
        if shared == IBig::ONE {
            return Ok(Self { above, below });
        }
        Ok(Self { above: above / &shared, below: below / &shared })
    }

    /// The value of digits, with this many of them after the point.
    pub fn of_digits(digits: &str, places: usize, budget: &mut Budget) -> Result<Self, Fault> {
        let above = IBig::from(natural(digits, budget)?);
        if places == 0 {
            return Ok(Self { above, below: IBig::ONE });
        }
        Self::new(above, power_of_ten(places, budget)?, budget)
    }

    pub fn is_zero(&self) -> bool {
        self.above == IBig::ZERO
    }

    pub fn is_one(&self) -> bool {
        self.above == self.below
    }

    pub fn is_negative(&self) -> bool {
        self.above < IBig::ZERO
    }

    /// The integer, if it is one.
    pub fn integer(&self) -> Option<IBig> {
        if self.below == IBig::ONE {
            return Some(self.above.clone());
        }
        // A large fraction is not in lowest terms.
        let rest = &self.above % &self.below;
        (rest == IBig::ZERO).then(|| &self.above / &self.below)
    }

    /// The integer, if it is one of this type.
    pub fn small<T: TryFrom<IBig>>(&self) -> Option<T> {
        self.integer().and_then(|integer| T::try_from(integer).ok())
    }

    /// The next integer below, or the next one above.
    pub fn rounded(&self, up: bool) -> IBig {
        let quotient = &self.above / &self.below;
        let rest = &self.above - &quotient * &self.below;
        match rest.cmp(&IBig::ZERO) {
            Ordering::Less if !up => quotient - IBig::ONE,
            Ordering::Greater if up => quotient + IBig::ONE,
            _ => quotient,
        }
    }

    pub fn bits(&self) -> usize {
        self.above.bit_len() + self.below.bit_len()
    }

    fn size(&self) -> u64 {
        words(&self.above).max(words(&self.below))
    }

    #[must_use]
    pub fn negated(&self) -> Self {
        Self { above: -&self.above, below: self.below.clone() }
    }

    #[must_use]
    pub fn magnitude(&self) -> Self {
        if self.is_negative() { self.negated() } else { self.clone() }
    }

    pub fn plus(&self, other: &Self, budget: &mut Budget) -> Result<Self, Fault> {
        pay(self.size(), other.size(), budget)?;
        if self.below == other.below {
            return Self::new(&self.above + &other.above, self.below.clone(), budget);
        }
        let above = &self.above * &other.below + &other.above * &self.below;
        Self::new(above, &self.below * &other.below, budget)
    }

    pub fn minus(&self, other: &Self, budget: &mut Budget) -> Result<Self, Fault> {
        self.plus(&other.negated(), budget)
    }

    pub fn times(&self, other: &Self, budget: &mut Budget) -> Result<Self, Fault> {
        pay(self.size(), other.size(), budget)?;
        Self::new(&self.above * &other.above, &self.below * &other.below, budget)
    }

    /// One over it.
    pub fn inverse(&self) -> Result<Self, Fault> {
        match self.above.cmp(&IBig::ZERO) {
            Ordering::Equal => Err(Fault::Undefined("a division by zero")),
            Ordering::Less => Ok(Self { above: -&self.below, below: -&self.above }),
            Ordering::Greater => Ok(Self { above: self.below.clone(), below: self.above.clone() }),
        }
    }

    /// Its power by an integer, unless that is too large to write down.
    pub fn power(&self, exponent: i64, budget: &mut Budget) -> Result<Self, Fault> {
        if exponent == 0 {
            return if self.is_zero() { Err(Fault::Undefined("0^0")) } else { Ok(Self::whole(1)) };
        }
        if exponent < 0 {
            let positive = exponent.checked_neg().ok_or(Fault::OverBudget)?;
            return self.inverse()?.power(positive, budget);
        }
        let bits = self.above.bit_len().max(self.below.bit_len()) as u64;
        if bits > 1 && bits.saturating_mul(exponent as u64) > MAX_BITS as u64 {
            return Err(Fault::OverBudget);
        }
        if bits <= 1 {
            let odd = exponent % 2 == 1;
            return Ok(if odd { self.clone() } else { self.magnitude() });
        }
        let size = bits * exponent as u64 / 64 + 1;
        pay(size, size, budget)?;
        pay(size, size, budget)?;
        let exponent = exponent as usize;
        Ok(Self { above: self.above.pow(exponent), below: self.below.pow(exponent) })
    }

    pub fn compare(&self, other: &Self, budget: &mut Budget) -> Result<Ordering, Fault> {
        pay(self.size(), other.size(), budget)?;
        if self.below == other.below {
            return Ok(self.above.cmp(&other.above));
        }
        Ok((&self.above * &other.below).cmp(&(&other.above * &self.below)))
    }

    /// Its root, if that is a fraction as well.
    pub fn exact_root(&self, degree: u32, budget: &mut Budget) -> Result<Option<Self>, Fault> {
        let size = self.size();
        budget.spend(200 + size * size * 4 * u64::from(degree.min(64)))?;
        let root = |integer: &IBig| {
            let (_, magnitude) = integer.clone().into_parts();
            let root = magnitude.nth_root(degree as usize);
            (root.pow(degree as usize) == magnitude).then(|| IBig::from(root))
        };
        if degree > 4096 || size > REDUCED_WORDS {
            return Ok(None);
        }
        let (Some(above), Some(below)) = (root(&self.above), root(&self.below)) else { return Ok(None) };
        Ok(match (self.is_negative(), degree % 2 == 1) {
            (false, _) => Some(Self { above, below }),
            (true, true) => Some(Self { above: -above, below }),
            (true, false) => None,
        })
    }
}

/// Ten to a power that is small enough to write down.
pub fn power_of_ten(exponent: usize, budget: &mut Budget) -> Result<IBig, Fault> {
    if exponent > MAX_BITS / 4 {
        return Err(Fault::OverBudget);
    }
    let size = exponent as u64 / 19 + 1;
    pay(size, size, budget)?;
    Ok(IBig::from(10).pow(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(above: i64, below: i64) -> Ratio {
        Ratio::new(above.into(), below.into(), &mut Budget::unlimited()).unwrap()
    }

    #[test]
    fn small_fractions_are_in_lowest_terms() {
        let budget = &mut Budget::unlimited();
        let half = ratio(-3, -6);
        assert_eq!((half.above.clone(), half.below.clone()), (1.into(), 2.into()));
        assert!(half.plus(&ratio(1, 2), budget).unwrap().is_one());
        assert_eq!(half.times(&ratio(2, 1), budget).unwrap().small::<i64>(), Some(1));
        assert_eq!(half.compare(&ratio(1, 3), budget), Ok(Ordering::Greater));
        assert_eq!(ratio(-8, 27).exact_root(3, budget).unwrap().unwrap().above, (-2).into());
        assert!(ratio(8, 27).exact_root(2, budget).unwrap().is_none());
        assert!(ratio(-4, 9).exact_root(2, budget).unwrap().is_none());
    }

    #[test]
    fn what_is_too_large_is_never_computed() {
        let budget = &mut Budget::new(100_000);
        assert_eq!(ratio(9, 1).power(387_420_489, budget).err(), Some(Fault::OverBudget));
        assert_eq!(ratio(2, 1).power(i64::MIN, budget).err(), Some(Fault::OverBudget));
        assert_eq!(ratio(1, 1).power(i64::MAX, budget).unwrap().small(), Some(1));
        assert_eq!(ratio(-1, 1).power(i64::MAX, budget).unwrap().small(), Some(-1));
        assert_eq!(power_of_ten(usize::MAX, budget).err(), Some(Fault::OverBudget));
        assert!(matches!(ratio(0, 1).power(-1, budget), Err(Fault::Undefined(_))));
        assert!(matches!(ratio(0, 1).power(0, budget), Err(Fault::Undefined(_))));
        assert!(ratio(0, 1).power(5, budget).unwrap().is_zero());
    }
}
