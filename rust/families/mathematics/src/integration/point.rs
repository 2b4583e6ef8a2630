//! Formulas and their derivatives at a point, modulo a prime: two functions are equal exactly if they agree
//! at every point, and a point drawn for the formula distinguishes two that differ except for about one draw
//! in 2^50.
//!
//! The powers of `e` and of `e` to the `i`, `x` and the logarithms are independent, so each is an independent
//! random number. The draw depends on the text of the answer: nobody can write an answer for a known point.

use super::node::{Kind, Node, Polynomial};
use kit::rng::{Key, Rng};
use kit::shared::rational::Rational;

/// Numbers modulo a prime that is 1 modulo 4, so that -1 has a root.
#[derive(Clone, Copy)]
struct Field {
    prime: u64,
    root: u64,
}

impl Field {
    fn draw(rng: &mut Rng) -> Self {
        loop {
            let prime = (1 << 60) | (rng.word() >> 4) & !3 | 1;
            let field = Self { prime, root: 0 };
            if !field.is_prime() {
                continue;
            }
            let root = |base: u64| field.power(base, (prime - 1) / 4);
            let found = (2..100).map(root).find(|root| field.times(*root, *root) == prime - 1);
            return Self { root: found.expect("half of all numbers lead to a root"), ..field };
        }
    }

    /// The Miller-Rabin test, with bases that suffice for 64 bits.
    fn is_prime(self) -> bool {
        let shift = (self.prime - 1).trailing_zeros();
        [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37].into_iter().all(|base| {
            let mut power = self.power(base, (self.prime - 1) >> shift);
            power == 1
                || (0..shift).any(|_| {
                    let last = power == self.prime - 1;
                    power = self.times(power, power);
                    last
                })
        })
    }

    fn plus(self, one: u64, other: u64) -> u64 {
        (one + other) % self.prime
    }

    fn minus(self, one: u64, other: u64) -> u64 {
        (one + self.prime - other) % self.prime
    }

    fn times(self, one: u64, other: u64) -> u64 {
        (u128::from(one) * u128::from(other) % u128::from(self.prime)) as u64
    }

    fn power(self, mut base: u64, mut exponent: u64) -> u64 {
        let mut power = 1;
        while exponent > 0 {
            if exponent % 2 == 1 {
                power = self.times(power, base);
            }
            base = self.times(base, base);
            exponent /= 2;
        }
        power
    }

    fn inverse(self, of: u64) -> Option<u64> {
        (of != 0).then(|| self.power(of, self.prime - 2))
    }

    fn whole(self, number: i128) -> u64 {
        number.rem_euclid(self.prime.into()) as u64
    }

    fn ratio(self, number: Rational) -> Option<u64> {
        Some(self.times(self.whole(number.numerator()), self.inverse(self.whole(number.denominator()))?))
    }
}

/// The value of a function and of its derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    pub here: u64,
    pub slope: u64,
}

pub struct Point {
    field: Field,
    x: u64,
    /// Common denominator of the arguments of waves.
    common: i128,
    key: Key,
}

/// Largest common denominator of arguments.
const MOST_COMMON: i128 = 1 << 40;

impl Point {
    /// The points at which to compare the formulas of an answer with this text, in one field.
    pub fn all(text: &str, formulas: &[&Node]) -> Option<[Self; 2]> {
        let key = Key::new("integration", 1, "point", 0, text);
        let field = Field::draw(&mut key.stream(0));
        let mut common = 1;
        formulas.iter().try_for_each(|formula| gather(formula, &mut common))?;
        Some(["one", "other"].map(|name| {
            let key = key.derive(name);
            Self { field, x: key.stream(0).below(field.prime), common, key }
        }))
    }

    /// A random number for something that is independent of everything else.
    fn drawn(&self, what: &str, at: u64) -> u64 {
        1 + self.key.derive(what).stream(at).below(self.field.prime - 1)
    }

    /// Value of a formula; `None` if it divides by zero or takes the logarithm of zero.
    pub fn value(&self, node: &Node) -> Option<Value> {
        let field = self.field;
        let number = |here| Value { here, slope: 0 };
        Some(match node {
            Node::Number(whole) => number(field.whole(*whole)),
            Node::X => Value { here: self.x, slope: 1 },
            Node::Sum(terms) => terms.iter().try_fold(number(0), |sum, (minus, term)| {
                let term = self.value(term)?;
                let add = if *minus { Field::minus } else { Field::plus };
                Some(Value {
                    here: add(field, sum.here, term.here),
                    slope: add(field, sum.slope, term.slope),
                })
            })?,
            Node::Product(factors) => factors.iter().try_fold(number(1), |product, (divided, factor)| {
                let factor = self.value(factor)?;
                Some(self.product(product, if *divided { self.inverse(factor)? } else { factor }))
            })?,
            Node::Power(base, exponent) => {
                let base = self.value(base)?;
                let base = if *exponent < 0 { self.inverse(base)? } else { base };
                let Some(less) = exponent.unsigned_abs().checked_sub(1) else { return Some(number(1)) };
                let below = field.power(base.here, less);
                let slope = field.times(field.times((less + 1) % field.prime, below), base.slope);
                Value { here: field.times(below, base.here), slope }
            }
            Node::Wave(kind, of) => self.wave(*kind, of)?,
            Node::Log(of) => {
                let inside = self.value(of)?;
                let slope = field.times(inside.slope, field.inverse(inside.here)?);
                Value { here: self.logarithm(of)?, slope }
            }
        })
    }

    fn product(&self, one: Value, other: Value) -> Value {
        let field = self.field;
        let slope = field.plus(field.times(one.here, other.slope), field.times(one.slope, other.here));
        Value { here: field.times(one.here, other.here), slope }
    }

    fn inverse(&self, of: Value) -> Option<Value> {
        let here = self.field.inverse(of.here)?;
        let slope = self.field.times(self.field.times(here, here), self.field.minus(0, of.slope));
        Some(Value { here, slope })
    }

    /// `e`, or `e` to the `i`, to the power of a polynomial: each power of `x` has its own number.
    fn exponential(&self, what: &str, of: &Polynomial) -> Option<u64> {
        let field = self.field;
        of.iter().try_fold(1, |product, (power, by)| {
            let times = by.checked_mul(Rational::new(self.common, 1)?)?.numerator();
            let times = times.rem_euclid(i128::from(field.prime - 1)) as u64;
            Some(field.times(product, field.power(self.drawn(what, u64::from(*power)), times)))
        })
    }

    fn wave(&self, kind: Kind, of: &Polynomial) -> Option<Value> {
        let field = self.field;
        let slope = of.iter().filter(|(power, _)| **power > 0).try_fold(0, |sum, (power, by)| {
            let below = field.power(self.x, u64::from(power - 1));
            Some(field.plus(sum, field.times(field.times(u64::from(*power), field.ratio(*by)?), below)))
        })?;
        if kind == Kind::Exp {
            let here = self.exponential("exp", of)?;
            return Some(Value { here, slope: field.times(here, slope) });
        }
        let forth = self.exponential("turn", of)?;
        let back = field.inverse(forth)?;
        let half = field.inverse(2)?;
        let cosine = field.times(field.plus(forth, back), half);
        let sine = field.times(field.times(field.minus(forth, back), half), field.inverse(field.root)?);
        Some(match kind {
            Kind::Sin => Value { here: sine, slope: field.times(cosine, slope) },
            _ => Value { here: cosine, slope: field.times(field.minus(0, sine), slope) },
        })
    }

    /// A logarithm as the sum of the logarithms of its factors.
    fn logarithm(&self, of: &Node) -> Option<u64> {
        let field = self.field;
        let number = |number: i128| -> u64 {
            let (mut left, mut sum) = (number.unsigned_abs(), 0);
            for prime in 2..1_000u16 {
                while left > 1 && left % u128::from(prime) == 0 {
                    left /= u128::from(prime);
                    sum = field.plus(sum, self.drawn("number", prime.into()));
                }
            }
            if left > 1 {
                field.plus(sum, self.drawn("number", (left % u128::from(field.prime)) as u64))
            } else {
                sum
            }
        };
        let times = |count: i64, logarithm: u64| field.times(field.whole(count.into()), logarithm);
        Some(match of {
            Node::Product(factors) => factors.iter().try_fold(0, |sum, (divided, factor)| {
                let add = if *divided { Field::minus } else { Field::plus };
                Some(add(field, sum, self.logarithm(factor)?))
            })?,
            Node::Power(base, exponent) => times(*exponent, self.logarithm(base)?),
            Node::Wave(Kind::Exp, of) => of.iter().try_fold(0, |sum, (power, by)| {
                Some(field.plus(sum, field.times(field.power(self.x, u64::from(*power)), field.ratio(*by)?)))
            })?,
            of => match of.function().and_then(|of| of.linear_power()) {
                Some((lead, at, power)) => {
                    let lead = field.minus(number(lead.numerator()), number(lead.denominator()));
                    let line = field.plus(self.x, field.ratio(at)?);
                    field.plus(lead, times(power.into(), self.sizes(line)))
                }
                None => self.sizes(self.value(of)?.here),
            },
        })
    }

    /// The logarithm of a function with this value, regardless of sign.
    fn sizes(&self, value: u64) -> u64 {
        self.drawn("size", value.min(self.field.minus(0, value)))
    }

    /// True if the quotients of two pairs of numbers are equal.
    pub fn in_proportion(&self, one: [u64; 2], other: [u64; 2]) -> bool {
        self.field.times(one[0], other[1]) == self.field.times(one[1], other[0])
    }
}

/// Multiplies into `common` the denominators of the arguments of waves.
fn gather(node: &Node, common: &mut i128) -> Option<()> {
    match node {
        Node::Number(_) | Node::X => Some(()),
        Node::Sum(parts) | Node::Product(parts) => {
            parts.iter().try_for_each(|(_, part)| gather(part, common))
        }
        Node::Power(of, _) | Node::Log(of) => gather(of, common),
        Node::Wave(_, of) => of.values().try_for_each(|by| {
            // In lowest terms, the denominator is the factor that the common one lacks.
            *common *= by.checked_mul(Rational::new(*common, 1)?)?.denominator();
            (*common <= MOST_COMMON).then_some(())
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_has_a_root_of_minus_one() {
        for stream in 0..5 {
            let field = Field::draw(&mut Key::new("field", 1, "", 0, "").stream(stream));
            assert_eq!(field.prime % 4, 1);
            assert_eq!(field.times(field.root, field.root), field.prime - 1);
            assert_eq!(field.inverse(7).map(|inverse| field.times(7, inverse)), Some(1));
        }
        assert!(Field { prime: (1 << 61) - 1, root: 0 }.is_prime());
        // The product of two primes, and a Carmichael number.
        assert!(
            ![1_000_003 * 1_000_033, 561].iter().any(|prime| Field { prime: *prime, root: 0 }.is_prime())
        );
    }
}
