//! Drawing a system of congruences, and putting numbers into it.

use kit::prelude::*;

use super::solver::{Congruence, Says, gcd, logarithm, power, system, times};
use super::{CongruencesParams, Kind, System};

impl System {
    /// A problem whose answer no rule of thumb gives away, if this draw leads to one.
    pub(super) fn draw(kind: Kind, params: &CongruencesParams, rng: &mut Rng) -> Option<Self> {
        let near = |most: u64, rng: &mut Rng| most - rng.below(most / 2);
        let (largest, powers) = (u64::from(params.modulus), u64::from(params.power_modulus));
        match kind {
            Kind::Crt => {
                let root = (1..=largest.isqrt())
                    .take_while(|root: &u64| root.pow(params.congruences) <= largest)
                    .count() as u64;
                let moduli: Vec<u64> = (0..params.congruences).map(|_| near(root, rng)).collect();
                let drawn = Self::of_remainders(&moduli, |_| 0);
                let x = rng.below(drawn.period().max(1));
                // A smaller number would be one of its own remainders.
                let hidden = moduli.iter().all(|m| *m <= x) && check::distinct("", &moduli).is_ok();
                hidden.then(|| Self::of_remainders(&moduli, |m| x % m))
            }
            Kind::Any | Kind::Linear | Kind::Inverse => {
                let modulus = near(largest, rng);
                let factor = near(u64::from(params.factor).min(modulus - 2), rng);
                let period = modulus / gcd(factor, modulus);
                let x = rng.below(period);
                let remainder = if kind == Kind::Inverse { 1 } else { times(factor, x, modulus) };
                // Division leads nowhere before the products exceed the modulus.
                let wraps = kind == Kind::Inverse || factor * x > modulus && remainder > 1;
                (wraps && period >= 12).then(|| Self::one(false, factor, remainder, modulus))
            }
            Kind::Order | Kind::DiscreteLog => {
                let modulus = near(powers, rng);
                let base = 2 + rng.below(modulus - 3);
                let (order, least) = (Self::one(true, base, 1, modulus).solved()?, modulus.isqrt());
                if kind == Kind::DiscreteLog {
                    let exponent = 3 + rng.below(order.checked_sub(3).filter(|span| *span >= least)?);
                    return Some(Self::one(true, base, power(base, exponent, modulus), modulus));
                }
                // Any order is as likely as the largest one.
                let orders: Vec<u64> = (least..=order).filter(|by| order.is_multiple_of(*by)).collect();
                let wanted = (!orders.is_empty()).then(|| *rng.pick(&orders))?;
                Some(Self::one(true, power(base, order / wanted, modulus), 1, modulus))
            }
        }
    }

    pub(super) fn one(exponent: bool, factor: u64, remainder: u64, modulus: u64) -> Self {
        Self { exponent, congruences: Bag(vec![(factor, (remainder, modulus))]) }
    }

    pub(super) fn of_remainders(moduli: &[u64], remainder: impl Fn(u64) -> u64) -> Self {
        Self { exponent: false, congruences: moduli.iter().map(|m| (1, (remainder(*m), *m))).collect() }
    }

    /// The distance between two numbers that satisfy the congruences.
    pub(super) fn period(&self) -> u64 {
        if self.exponent {
            let (base, (_, modulus)) = self.congruences[0];
            return logarithm(base, 1, modulus, &mut |_, _, _| ()).unwrap_or(1);
        }
        let join = |all: u64, (a, (_, m)): &Congruence| {
            let m = m / gcd(*a, *m);
            (all / gcd(all, m)).saturating_mul(m)
        };
        self.congruences.iter().fold(1, join)
    }

    /// The smallest positive solution by one congruence after the other.
    pub(super) fn walk(&self, says: &mut Says<'_>) -> Option<u64> {
        if self.exponent {
            let (base, (wanted, modulus)) = self.congruences[0];
            return logarithm(base, wanted, modulus, says);
        }
        system(&self.congruences, says)
    }

    pub(super) fn solved(&self) -> Option<u64> {
        self.walk(&mut |_, _, _| ())
    }

    /// Remainder of a congruence, if `x` is taken for its unknown.
    pub(super) fn left(&self, x: i64, (a, (_, m)): Congruence) -> Option<u64> {
        if self.exponent {
            return Some(power(a, u64::try_from(x).ok()?, m));
        }
        Some(times(a, x.rem_euclid(m as i64) as u64, m))
    }

    pub(super) fn fit(&self, x: i64) -> usize {
        self.congruences.iter().filter(|c| self.left(x, **c) == Some(c.1.0)).count()
    }
}
