//! Formulas as trees.

use std::collections::BTreeSet;

use super::Fault;
use super::ratio::Ratio;

/// A formula. Sums and products have any number of parts, so that only brackets, powers and calls make a tree
/// deeper.
#[derive(Clone, Debug)]
pub enum Expr {
    Number(Ratio),
    /// A number written with a point: its value and half a unit of its last place.
    Decimal(Ratio, Ratio),
    Variable(Box<str>),
    Pi,
    Euler,
    Imaginary,
    Infinity,
    Sum(Vec<Expr>),
    Product(Vec<Expr>),
    Power(Box<Expr>, Box<Expr>),
    /// The real root of a real number, of this degree.
    Root(Box<Expr>, u32),
    Call(Function, Box<Expr>),
    Two(Pair, Box<Expr>, Box<Expr>),
}

/// A function of two formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    Binomial,
    /// The greatest common divisor of two integers.
    Gcd,
    /// The least common multiple of two integers.
    Lcm,
    /// The larger of two.
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Exp,
    Ln,
    /// The logarithm with an unspecified base: e or 10.
    Log,
    Sin,
    Cos,
    Tan,
    Arcsin,
    Arccos,
    Arctan,
    Sinh,
    Cosh,
    Tanh,
    Abs,
    Floor,
    Ceiling,
    Factorial,
}

impl Expr {
    pub fn whole(integer: i64) -> Self {
        Self::Number(Ratio::whole(integer))
    }

    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Number(value) => Self::Number(value.negated()),
            other => Self::Product(vec![Self::whole(-1), other]),
        }
    }

    /// One over it.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self::Power(Box::new(self), Box::new(Self::whole(-1)))
    }

    #[must_use]
    pub fn over(self, below: Self) -> Self {
        Self::Product(vec![self, below.inverse()])
    }

    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self::Sum(vec![self, other.negated()])
    }

    pub fn call(function: Function, of: Self) -> Self {
        Self::Call(function, Box::new(of))
    }

    pub fn two(pair: Pair, one: Self, other: Self) -> Self {
        Self::Two(pair, Box::new(one), Box::new(other))
    }

    pub fn root(of: Self, degree: u32) -> Self {
        Self::Root(Box::new(of), degree)
    }

    /// Its parts.
    pub fn parts(&self) -> Vec<&Self> {
        match self {
            Self::Sum(parts) | Self::Product(parts) => parts.iter().collect(),
            Self::Power(one, other) | Self::Two(_, one, other) => vec![one, other],
            Self::Root(of, _) | Self::Call(_, of) => vec![of],
            _ => Vec::new(),
        }
    }

    /// True if this holds for the formula or any part of it. Formulas are not deep: the reader bounds them.
    pub fn any(&self, holds: &dyn Fn(&Self) -> bool) -> bool {
        holds(self) || self.parts().into_iter().any(|part| part.any(holds))
    }

    pub fn has_variables(&self) -> bool {
        self.any(&|part| matches!(part, Self::Variable(_)))
    }

    /// Its variables, in order.
    pub fn variables(&self) -> BTreeSet<&str> {
        fn collect<'e>(expr: &'e Expr, found: &mut BTreeSet<&'e str>) {
            if let Expr::Variable(name) = expr {
                found.insert(name);
            }
            for part in expr.parts() {
                collect(part, found);
            }
        }
        let mut found = BTreeSet::new();
        collect(self, &mut found);
        found
    }

    /// The sign of infinity, if the formula is infinity with or without one. Anything else made of infinity
    /// has no value.
    pub fn infinite(&self) -> Option<bool> {
        match self {
            Self::Infinity => Some(true),
            Self::Product(parts) => match &parts[..] {
                [Self::Number(sign), Self::Infinity] if sign.magnitude().is_one() => {
                    Some(!sign.is_negative())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// If the formula is a decimal, perhaps times a power of ten: its value, half a unit of its last place,
    /// and the factors that multiply both.
    pub fn decimal(&self) -> Option<(&Ratio, &Ratio, Vec<&Self>)> {
        match self {
            Self::Decimal(value, half) => Some((value, half, Vec::new())),
            Self::Product(parts) => {
                let mut decimal = None;
                let mut others = Vec::new();
                for part in parts {
                    match part {
                        Self::Decimal(value, half) if decimal.is_none() => decimal = Some((value, half)),
                        Self::Number(_) => others.push(part),
                        Self::Power(base, power)
                            if matches!((&**base, &**power), (Self::Number(_), Self::Number(_))) =>
                        {
                            others.push(part);
                        }
                        _ => return None,
                    }
                }
                decimal.map(|(value, half)| (value, half, others))
            }
            _ => None,
        }
    }

    /// The bits of all its numbers, which bound how close two such formulas can come.
    pub fn bits(&self) -> usize {
        let own = match self {
            Self::Number(value) | Self::Decimal(value, _) => value.bits(),
            _ => 1,
        };
        own + self.parts().into_iter().map(Self::bits).sum::<usize>()
    }

    /// Number of small factors that may multiply in it: a difference of t in its numbers can shrink to t to
    /// this power.
    pub fn order(&self) -> f64 {
        let most = |parts: &[Self]| parts.iter().map(Self::order).fold(1.0, f64::max);
        match self {
            Self::Sum(parts) => most(parts),
            Self::Product(parts) => parts.iter().filter(|part| !part.is_number()).map(Self::order).sum(),
            Self::Power(base, exponent) => match &**exponent {
                Self::Number(value) => base.order() * value.magnitude().small::<i32>().map_or(1.0, f64::from),
                exponent => base.order() + exponent.order(),
            },
            Self::Root(of, _) => of.order(),
            Self::Call(_, of) => 2.0 * of.order(),
            Self::Two(_, one, other) => one.order() + other.order(),
            _ => 1.0,
        }
    }

    fn is_number(&self) -> bool {
        matches!(self, Self::Number(_) | Self::Decimal(..))
    }

    /// The same formula with each part replaced by the result of `by`, if there is one.
    pub fn replaced(&self, by: &mut dyn FnMut(&Self) -> Result<Option<Self>, Fault>) -> Result<Self, Fault> {
        if let Some(other) = by(self)? {
            return Ok(other);
        }
        let mut boxed = |part: &Self| part.replaced(by).map(Box::new);
        Ok(match self {
            Self::Power(base, power) => Self::Power(boxed(base)?, boxed(power)?),
            Self::Two(pair, one, other) => Self::Two(*pair, boxed(one)?, boxed(other)?),
            Self::Root(of, degree) => Self::Root(boxed(of)?, *degree),
            Self::Call(function, of) => Self::Call(*function, boxed(of)?),
            Self::Sum(parts) => {
                Self::Sum(parts.iter().map(|part| part.replaced(by)).collect::<Result<_, _>>()?)
            }
            Self::Product(parts) => {
                Self::Product(parts.iter().map(|part| part.replaced(by)).collect::<Result<_, _>>()?)
            }
            other => other.clone(),
        })
    }

    /// The same formula with another name for a variable.
    #[must_use]
    pub fn renamed(&self, from: &str, to: &str) -> Self {
        let mut rename = |part: &Self| match part {
            Self::Variable(name) if **name == *from => Ok(Some(Self::Variable(to.into()))),
            _ => Ok(None),
        };
        self.replaced(&mut rename).expect("renaming cannot fail")
    }

    /// The same formula with `Log` of this base: natural, or ten.
    pub fn with_log(&self, natural: bool) -> Result<Self, Fault> {
        self.replaced(&mut |part| {
            let Self::Call(Function::Log, of) = part else { return Ok(None) };
            let ln = Self::call(Function::Ln, of.with_log(natural)?);
            Ok(Some(if natural { ln } else { ln.over(Self::call(Function::Ln, Self::whole(10))) }))
        })
    }

    pub fn has_log(&self) -> bool {
        self.any(&|part| matches!(part, Self::Call(Function::Log, _)))
    }
}
