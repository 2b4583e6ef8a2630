//! A parsed formula, before any processing.

use std::collections::BTreeMap;

use super::function::{Base, Function, MOST_POWER, Wave};
use kit::shared::rational::Rational;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Exp,
    Sin,
    Cos,
}

/// A polynomial in `x`: the coefficient of each power that has one.
pub type Polynomial = BTreeMap<u32, Rational>;

#[derive(Clone, Debug)]
pub enum Node {
    Number(i128),
    X,
    /// Terms, each with true if it is subtracted.
    Sum(Vec<(bool, Node)>),
    /// Factors, each with true if it is a divisor.
    Product(Vec<(bool, Node)>),
    Power(Box<Node>, i64),
    Wave(Kind, Polynomial),
    /// The logarithm of the absolute value.
    Log(Box<Node>),
}

/// Maximum number of terms created while expanding a formula.
const MOST_WORK: usize = 20_000;

impl Node {
    /// The expanded formula, if it belongs to the class of functions that integrals here have.
    pub fn function(&self) -> Option<Function> {
        self.worked(&mut 0)
    }

    fn worked(&self, work: &mut usize) -> Option<Function> {
        let made = match self {
            Self::Number(number) => Function::number(Rational::new(*number, 1)?),
            Self::X => Function::x(),
            Self::Sum(terms) => terms.iter().try_fold(Function::default(), |sum, (minus, term)| {
                *work += sum.0.len();
                sum.plus(&term.worked(work)?, if *minus { -1 } else { 1 }.into())
            })?,
            Self::Product(factors) => {
                factors.iter().try_fold(Function::number(1.into()), |product, (divided, factor)| {
                    let factor = factor.worked(work)?;
                    *work += product.0.len() * factor.0.len();
                    product.times(&if *divided { factor.inverse()? } else { factor })
                })?
            }
            Self::Power(base, exponent) => {
                let base = base.worked(work)?;
                let mut power = Function::number(1.into());
                for _ in 0..u32::try_from(exponent.unsigned_abs()).ok().filter(|n| *n <= MOST_POWER)? {
                    *work += power.0.len() * base.0.len();
                    power = power.times(&base).filter(|_| *work < MOST_WORK)?;
                }
                if *exponent < 0 { power.inverse()? } else { power }
            }
            Self::Wave(kind, of) => wave(*kind, of)?,
            Self::Log(of) => of.worked(work)?.logarithm()?,
        };
        *work += 1 + made.0.len() * made.0.len();
        (*work < MOST_WORK).then_some(made)
    }

    /// The formula as a polynomial, if it is one.
    pub fn polynomial(&self) -> Option<Polynomial> {
        let power = |(base, by): (&Base, &Rational)| match base {
            Base::Wave(power, Wave::One) => Some((*power, *by)),
            _ => None,
        };
        self.function()?.0.iter().map(power).collect()
    }
}

fn wave(kind: Kind, of: &Polynomial) -> Option<Function> {
    let Some((power, by)) = of.last_key_value() else {
        return Some(if kind == Kind::Sin { Function::default() } else { Function::number(1.into()) });
    };
    if *power == 0 {
        return Some(Function::some_constant());
    }
    let k = i64::try_from(by.numerator()).ok().filter(|_| *power == 1 && of.len() == 1 && by.is_whole())?;
    let (wave, by) = match kind {
        Kind::Exp => (Wave::Exp(k), 1),
        Kind::Sin => (Wave::Sin(k.checked_abs()?), k.signum()),
        Kind::Cos => (Wave::Cos(k.checked_abs()?), 1),
    };
    Some(Function::term(Base::Wave(0, wave), by.into()))
}
