//! The value of a formula as intervals of its real and imaginary part.

use dashu_int::IBig;

use super::Fault;
use super::expression::{Expr, Function, Pair};
use super::interval::{Context, Interval};
use super::ratio::Ratio;

/// A complex number; a real one has no imaginary part at all.
#[derive(Clone, Debug)]
pub struct Complex {
    pub real: Interval,
    pub imaginary: Option<Interval>,
}

impl Complex {
    pub fn real(real: Interval) -> Self {
        Self { real, imaginary: None }
    }

    pub fn has_zero(&self) -> bool {
        self.real.has_zero() && self.imaginary.as_ref().is_none_or(Interval::has_zero)
    }

    pub fn top(&self) -> i64 {
        self.imaginary.as_ref().map_or(self.real.top(), |imaginary| self.real.top().max(imaginary.top()))
    }

    fn only_real(self, what: &'static str) -> Result<Interval, Fault> {
        match self.imaginary {
            None => Ok(self.real),
            Some(_) => Err(Fault::Undefined(what)),
        }
    }

    #[must_use]
    pub fn negated(&self) -> Self {
        Self { real: self.real.negated(), imaginary: self.imaginary.as_ref().map(Interval::negated) }
    }

    /// The same without an imaginary part that is exactly zero.
    fn simple(self) -> Self {
        Self { imaginary: self.imaginary.filter(|imaginary| !imaginary.is_exactly_zero()), ..self }
    }
}

/// Values of the variables.
pub type Point<'p> = [(&'p str, Interval)];

impl Context<'_, '_> {
    /// Records how far from one a value reaches.
    pub fn noticed(&mut self, value: &Complex) {
        self.notice(&value.real);
        if let Some(imaginary) = &value.imaginary {
            self.notice(imaginary);
        }
    }

    pub fn value(&mut self, expr: &Expr, at: &Point<'_>) -> Result<Complex, Fault> {
        self.budget.spend(20)?;
        let value = match expr {
            Expr::Number(value) | Expr::Decimal(value, _) => Complex::real(self.ratio(value)?),
            Expr::Variable(name) => {
                let found = at.iter().find(|(other, _)| *other == &**name);
                Complex::real(found.ok_or(Fault::Undefined("an unknown"))?.1.clone())
            }
            Expr::Pi => Complex::real(self.pi()?),
            Expr::Euler => Complex::real(self.exp(&Interval::whole(1))?),
            Expr::Imaginary => Complex { real: Interval::whole(0), imaginary: Some(Interval::whole(1)) },
            Expr::Infinity => return Err(Fault::Undefined("infinity in a formula")),
            Expr::Sum(parts) => {
                let parts = parts.iter().map(|part| self.value(part, at)).collect::<Result<Vec<_>, _>>()?;
                self.sum(&parts)?
            }
            Expr::Product(parts) => {
                let mut product = Complex::real(Interval::whole(1));
                for part in parts {
                    let part = self.value(part, at)?;
                    product = self.product(&product, &part)?;
                }
                product
            }
            Expr::Power(base, exponent) => self.raised(base, exponent, at)?,
            Expr::Root(of, degree) => {
                let of = self.value(of, at)?;
                self.complex_root(of, *degree)?
            }
            Expr::Call(function, of) => {
                let of = self.value(of, at)?;
                self.called(*function, of)?
            }
            // Divisors are of integers, and then a normal form has their value.
            Expr::Two(Pair::Gcd | Pair::Lcm, ..) => return Err(Fault::Undecided),
            Expr::Two(Pair::Max, one, other) => {
                let mut real = |of| self.value(of, at)?.only_real("an order of complex numbers");
                Complex::real(real(one)?.larger(real(other)?))
            }
            Expr::Two(Pair::Binomial, above, below) => {
                let (above, below) = (self.value(above, at)?, self.value(below, at)?);
                let rest = self.sum(&[above.clone(), below.negated()])?;
                let [above, below, rest] =
                    [above, below, rest].map(|of| self.called(Function::Factorial, of));
                let below = self.product(&below?, &rest?)?;
                self.quotient(&above?, &below)?
            }
        };
        self.noticed(&value);
        Ok(value)
    }

    pub fn sum(&mut self, parts: &[Complex]) -> Result<Complex, Fault> {
        let mut real = Interval::whole(0);
        let mut imaginary = None;
        for part in parts {
            real = self.plus(&real, &part.real)?;
            let Some(part) = &part.imaginary else { continue };
            let sum = imaginary.unwrap_or_else(|| Interval::whole(0));
            imaginary = Some(self.plus(&sum, part)?);
        }
        Ok(Complex { real, imaginary }.simple())
    }

    pub fn product(&mut self, one: &Complex, other: &Complex) -> Result<Complex, Fault> {
        let real = self.times(&one.real, &other.real)?;
        let (real, imaginary) = match (&one.imaginary, &other.imaginary) {
            (None, None) => (real, None),
            (Some(imaginary), None) => (real, Some(self.times(imaginary, &other.real)?)),
            (None, Some(imaginary)) => (real, Some(self.times(imaginary, &one.real)?)),
            (Some(a), Some(b)) => {
                let (square, left) = (self.times(a, b)?, self.times(a, &other.real)?);
                let right = self.times(b, &one.real)?;
                (self.minus(&real, &square)?, Some(self.plus(&left, &right)?))
            }
        };
        Ok(Complex { real, imaginary }.simple())
    }

    fn quotient(&mut self, one: &Complex, other: &Complex) -> Result<Complex, Fault> {
        let Some(imaginary) = &other.imaginary else {
            let real = self.over(&one.real, &other.real)?;
            let imaginary =
                one.imaginary.as_ref().map(|imaginary| self.over(imaginary, &other.real)).transpose()?;
            return Ok(Complex { real, imaginary });
        };
        let (a, b) = (self.power(&other.real, 2)?, self.power(imaginary, 2)?);
        let norm = self.plus(&a, &b)?;
        let conjugate = Complex { real: other.real.clone(), imaginary: Some(imaginary.negated()) };
        let above = self.product(one, &conjugate)?;
        self.quotient(&above, &Complex::real(norm))
    }

    pub fn whole_power(&mut self, base: &Complex, exponent: u64) -> Result<Complex, Fault> {
        if base.imaginary.is_none() {
            return Ok(Complex::real(self.power(&base.real, exponent)?));
        }
        let (mut power, mut square, mut left) = (Complex::real(Interval::whole(1)), base.clone(), exponent);
        while left > 0 {
            if left % 2 == 1 {
                power = self.product(&power, &square)?;
            }
            left /= 2;
            if left > 0 {
                square = self.product(&square, &square)?;
            }
        }
        Ok(power)
    }

    fn raised(&mut self, base: &Expr, exponent: &Expr, at: &Point<'_>) -> Result<Complex, Fault> {
        let given = match exponent {
            Expr::Number(value) | Expr::Decimal(value, _) => Some(value.clone()),
            _ => None,
        };
        let to = match &given {
            Some(_) => None,
            None => Some(self.value(exponent, at)?),
        };
        // An exponent that is an integer at this point, whatever its form.
        let whole = match (&given, &to) {
            (Some(value), _) => value.small::<i64>(),
            (None, Some(to)) if to.imaginary.is_none() && to.real.is_exact() => {
                let floor = self.floor(&to.real)?;
                let exact = floor.low.compare(&to.real.low).is_eq();
                if exact { Self::small(&floor)? } else { None }
            }
            _ => None,
        };
        if let Some(whole) = whole {
            let base = self.value(base, at)?;
            if whole <= 0 && base.has_zero() {
                let zero = base.real.is_exactly_zero() && base.imaginary.is_none();
                return Err(if zero { Fault::Undefined("a power of zero") } else { Fault::Undecided });
            }
            let power = self.whole_power(&base, whole.unsigned_abs())?;
            return if whole < 0 {
                self.quotient(&Complex::real(Interval::whole(1)), &power)
            } else {
                Ok(power)
            };
        }
        if matches!(base, Expr::Euler)
            && let Some(to) = to
        {
            return self.called(Function::Exp, to);
        }
        let base = self.value(base, at)?;
        if let Some(value) = &given {
            let degree = u32::try_from(&value.below).map_err(|_| Fault::OverBudget)?;
            let above = i64::try_from(&value.above).map_err(|_| Fault::OverBudget)?;
            let root = self.complex_root(base, degree)?;
            let power = self.whole_power(&root, above.unsigned_abs())?;
            return if above < 0 {
                self.quotient(&Complex::real(Interval::whole(1)), &power)
            } else {
                Ok(power)
            };
        }
        let base = base.only_real("a power of a complex number")?;
        let logarithm = Complex::real(self.ln(&base)?);
        let to = to.expect("it is no plain number");
        let of = self.product(&to, &logarithm)?;
        self.called(Function::Exp, of)
    }

    fn small(whole: &Interval) -> Result<Option<i64>, Fault> {
        if whole.top() > 20 { Err(Fault::OverBudget) } else { Ok(whole.low.as_small()) }
    }

    fn complex_root(&mut self, of: Complex, degree: u32) -> Result<Complex, Fault> {
        match of.imaginary {
            None if degree == 2 && of.real.is_negative() && self.complex => {
                let root = self.root(&of.real.negated(), 2)?;
                Ok(Complex { real: Interval::whole(0), imaginary: Some(root) })
            }
            None => Ok(Complex::real(self.root(&of.real, degree)?)),
            Some(imaginary) if degree == 2 => {
                // √(a + bi) = √((|z| + a)/2) ± i √((|z| - a)/2)
                let (a, b) = (self.power(&of.real, 2)?, self.power(&imaginary, 2)?);
                let norm = self.plus(&a, &b)?;
                let norm = self.root(&norm, 2)?;
                let half = Ratio { above: IBig::ONE, below: 2.into() };
                let half = self.ratio(&half)?;
                let more = self.plus(&norm, &of.real)?;
                let less = self.minus(&norm, &of.real)?;
                let (more, less) = (self.times(&more, &half)?, self.times(&less, &half)?);
                let (real, root) = (self.root(&more, 2)?, self.root(&less, 2)?);
                if imaginary.has_zero() {
                    return Err(Fault::Undecided);
                }
                let root = if imaginary.is_negative() { root.negated() } else { root };
                Ok(Complex { real, imaginary: Some(root) })
            }
            Some(_) => Err(Fault::Undefined("a root of a complex number")),
        }
    }

    fn called(&mut self, function: Function, of: Complex) -> Result<Complex, Fault> {
        if function == Function::Exp
            && let Some(turn) = &of.imaginary
        {
            let scale = self.exp(&of.real)?;
            let (sin, cos) = self.sin_cos(turn)?;
            return Ok(Complex {
                real: self.times(&scale, &cos)?,
                imaginary: Some(self.times(&scale, &sin)?),
            });
        }
        if function == Function::Abs
            && let Some(imaginary) = &of.imaginary
        {
            let (a, b) = (self.power(&of.real, 2)?, self.power(imaginary, 2)?);
            let norm = self.plus(&a, &b)?;
            return Ok(Complex::real(self.root(&norm, 2)?));
        }
        let of = of.only_real("a function of a complex number")?;
        let value = match function {
            Function::Exp => self.exp(&of)?,
            Function::Ln | Function::Log => self.ln(&of)?,
            Function::Sin => self.sin_cos(&of)?.0,
            Function::Cos => self.sin_cos(&of)?.1,
            Function::Tan => {
                let (sin, cos) = self.sin_cos(&of)?;
                self.over(&sin, &cos)?
            }
            Function::Arcsin => self.arcsin(&of)?,
            Function::Arccos => {
                let (half, angle) = (self.half_pi()?, self.arcsin(&of)?);
                self.minus(&half, &angle)?
            }
            Function::Arctan => self.arctan(&of)?,
            Function::Sinh | Function::Cosh | Function::Tanh => {
                let (rising, falling) = (self.exp(&of)?, self.exp(&of.negated())?);
                self.notice(&rising);
                let (sinh, cosh) = (self.minus(&rising, &falling)?, self.plus(&rising, &falling)?);
                let two = Interval::whole(2);
                match function {
                    Function::Sinh => self.over(&sinh, &two)?,
                    Function::Cosh => self.over(&cosh, &two)?,
                    _ => self.over(&sinh, &cosh)?,
                }
            }
            Function::Abs => of.magnitude(),
            Function::Floor => self.floor(&of)?,
            Function::Ceiling => self.floor(&of.negated())?.negated(),
            Function::Factorial => {
                let floor = self.floor(&of)?;
                if !of.is_exact() || floor.low.compare(&of.low).is_ne() {
                    return Err(Fault::Undefined("a factorial of what is no integer"));
                }
                let whole = Self::small(&floor)?.ok_or(Fault::OverBudget)?;
                let product = super::normal::factorial(&Ratio::whole(whole), self.budget)?;
                self.ratio(&product)?
            }
        };
        Ok(Complex::real(value))
    }
}
