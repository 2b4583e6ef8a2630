//! Functions of a class that is closed under differentiation, each with one normal form: sums of powers of
//! `x` times at most one sine, cosine or exponential, of inverse powers of `x + a`, and of their logarithms.

use std::collections::BTreeMap;
use std::fmt;

use kit::shared::rational::Rational;

/// The factor of a term without its coefficient. No sum of distinct bases is zero everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Base {
    /// `x^power` times a wave.
    Wave(u32, Wave),
    /// `1/(x + a)^power`, with a power of at least 1.
    Pole(Rational, u32),
    /// `ln|x + a|`.
    Log(Rational),
    /// Any irrational number: no derivative depends on it.
    Constant,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wave {
    One,
    Exp(i64),
    /// The factor of `x` is positive, as in a cosine.
    Sin(i64),
    Cos(i64),
}

/// Largest power of `x`.
pub const MOST_POWER: u32 = 40;

/// A sum of nonzero terms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function(pub BTreeMap<Base, Rational>);

impl Function {
    pub fn term(base: Base, by: Rational) -> Self {
        let mut sum = Self::default();
        sum.add(base, by).expect("one term does not overflow");
        sum
    }

    pub fn number(number: Rational) -> Self {
        Self::term(Base::Wave(0, Wave::One), number)
    }

    /// An irrational number.
    pub fn some_constant() -> Self {
        Self::term(Base::Constant, 1.into())
    }

    pub fn x() -> Self {
        Self::term(Base::Wave(1, Wave::One), 1.into())
    }

    /// Adds a term; `None` if a number becomes too large. Constants never cancel, as their values are not
    /// stored.
    pub fn add(&mut self, base: Base, by: Rational) -> Option<()> {
        if base == Base::Constant {
            if by != Rational::ZERO {
                self.0.insert(base, 1.into());
            }
            return Some(());
        }
        let sum = self.0.get(&base).copied().unwrap_or(Rational::ZERO).checked_add(by)?;
        if sum == Rational::ZERO {
            self.0.remove(&base);
        } else {
            self.0.insert(base, sum);
        }
        Some(())
    }

    pub fn plus(mut self, other: &Self, by: Rational) -> Option<Self> {
        for (base, factor) in &other.0 {
            self.add(*base, factor.checked_mul(by)?)?;
        }
        Some(self)
    }

    pub fn scaled(&self, by: Rational) -> Option<Self> {
        Self::default().plus(self, by)
    }

    /// The function at `-x`.
    pub fn mirrored(&self) -> Self {
        let term = |(base, by): (&Base, &Rational)| {
            let (base, turns) = match *base {
                Base::Wave(n, Wave::Exp(k)) => (Base::Wave(n, Wave::Exp(-k)), n),
                Base::Wave(n, Wave::Sin(_)) => (*base, n + 1),
                Base::Wave(n, _) => (*base, n),
                Base::Pole(a, n) => (Base::Pole(-a, n), n),
                Base::Log(a) => (Base::Log(-a), 0),
                Base::Constant => (*base, 0),
            };
            (base, if turns % 2 == 1 { -*by } else { *by })
        };
        Self(self.0.iter().map(term).collect())
    }

    /// Its value if it is a constant.
    pub fn constant(&self) -> Option<Rational> {
        match self.0.iter().next() {
            None => Some(Rational::ZERO),
            Some((Base::Wave(0, Wave::One), value)) if self.0.len() == 1 => Some(*value),
            Some(_) => None,
        }
    }

    /// The product, if it belongs to this class.
    pub fn times(&self, other: &Self) -> Option<Self> {
        if let Some(by) = self.constant() {
            return other.scaled(by);
        }
        if let Some(by) = other.constant() {
            return self.scaled(by);
        }
        let mut product = Self::default();
        for (one, by) in &self.0 {
            for (other, factor) in &other.0 {
                let base = match (one, other) {
                    (Base::Wave(n, wave), Base::Wave(m, Wave::One))
                    | (Base::Wave(n, Wave::One), Base::Wave(m, wave)) => {
                        Base::Wave((n + m <= MOST_POWER).then_some(n + m)?, *wave)
                    }
                    (Base::Constant, Base::Constant | Base::Wave(0, Wave::One))
                    | (Base::Wave(0, Wave::One), Base::Constant) => Base::Constant,
                    _ => return None,
                };
                product.add(base, by.checked_mul(*factor)?)?;
            }
        }
        Some(product)
    }

    /// `(c, a, n)` if this is `c (x + a)^n`.
    pub fn linear_power(&self) -> Option<(Rational, Rational, u32)> {
        let mut powers = BTreeMap::new();
        for (base, by) in &self.0 {
            let Base::Wave(power, Wave::One) = base else { return None };
            powers.insert(*power, *by);
        }
        let (degree, lead) = powers.last_key_value()?;
        let (degree, lead) = (*degree, *lead);
        let next =
            degree.checked_sub(1).and_then(|power| powers.get(&power)).copied().unwrap_or(Rational::ZERO);
        let a = if degree == 0 {
            Rational::ZERO
        } else {
            next.checked_div(lead)?.checked_div(Rational::from(i64::from(degree)))?
        };
        let line = Self::x().plus(&Self::number(a), 1.into())?;
        let power = (0..degree).try_fold(Self::number(lead), |power, _| power.times(&line))?;
        (power == *self).then_some((lead, a, degree))
    }

    /// The reciprocal, if it belongs to the class: that of a number or of a multiple of a power of `x + a`.
    pub fn inverse(&self) -> Option<Self> {
        let (lead, a, power) = self.linear_power()?;
        let by = Rational::from(1).checked_div(lead)?;
        Some(if power == 0 { Self::number(by) } else { Self::term(Base::Pole(a, power), by) })
    }

    /// `ln|self|` up to an additive constant; for a nonzero number, some constant.
    pub fn logarithm(&self) -> Option<Self> {
        if let Some(number) = self.constant() {
            return match number {
                Rational::ZERO => None,
                number if number == 1.into() || number == (-1).into() => Some(Self::default()),
                _ => Some(Self::some_constant()),
            };
        }
        let (_, a, power) = self.linear_power().filter(|(.., power)| *power > 0)?;
        Some(Self::term(Base::Log(a), i64::from(power).into()))
    }

    pub fn derivative(&self) -> Option<Self> {
        let mut sum = Self::default();
        for (base, by) in &self.0 {
            match *base {
                Base::Wave(n, wave) => {
                    if n > 0 {
                        sum.add(Base::Wave(n - 1, wave), by.checked_mul(i64::from(n).into())?)?;
                    }
                    let (outer, wave) = match wave {
                        Wave::One => continue,
                        Wave::Exp(k) => (k, Wave::Exp(k)),
                        Wave::Sin(k) => (k, Wave::Cos(k)),
                        Wave::Cos(k) => (-k, Wave::Sin(k)),
                    };
                    sum.add(Base::Wave(n, wave), by.checked_mul(outer.into())?)?;
                }
                Base::Pole(a, n) => sum.add(Base::Pole(a, n + 1), by.checked_mul((-i64::from(n)).into())?)?,
                Base::Log(a) => sum.add(Base::Pole(a, 1), *by)?,
                Base::Constant => {}
            }
        }
        Some(sum)
    }

    /// The antiderivative without a constant; `None` if there is a logarithm.
    pub fn antiderivative(&self) -> Option<Self> {
        let mut sum = Self::default();
        for (base, by) in &self.0 {
            match *base {
                Base::Wave(n, Wave::One) => {
                    sum.add(Base::Wave(n + 1, Wave::One), by.checked_div(i64::from(n + 1).into())?)?;
                }
                // By parts, one power after the other.
                Base::Wave(n, mut wave) => {
                    let mut by = *by;
                    for power in (0..=n).rev() {
                        let (inner, next) = match wave {
                            Wave::Exp(k) => (k, Wave::Exp(k)),
                            Wave::Sin(k) => (-k, Wave::Cos(k)),
                            Wave::Cos(k) => (k, Wave::Sin(k)),
                            Wave::One => unreachable!("it was looked for before"),
                        };
                        by = by.checked_div(inner.into())?;
                        sum.add(Base::Wave(power, next), by)?;
                        by = by.checked_mul((-i64::from(power)).into())?;
                        wave = next;
                    }
                }
                Base::Pole(a, 1) => sum.add(Base::Log(a), *by)?,
                Base::Pole(a, n) => {
                    sum.add(Base::Pole(a, n - 1), by.checked_div((1 - i64::from(n)).into())?)?;
                }
                Base::Log(_) | Base::Constant => return None,
            }
        }
        Some(sum)
    }
}

/// `x + 3`, `x - 1/2` or `x`.
pub fn line(a: Rational) -> String {
    match a {
        Rational::ZERO => "x".to_owned(),
        a if a < Rational::ZERO => format!("x - {}", -a),
        a => format!("x + {a}"),
    }
}

/// `x^3`, `x` or `None`.
pub fn power(n: u32) -> Option<String> {
    match n {
        0 => None,
        1 => Some("x".to_owned()),
        n => Some(format!("x^{n}")),
    }
}

/// A multiple of a product, without its sign.
pub fn product(size: Rational, factors: &[String]) -> String {
    let factors = factors.join("*");
    match size {
        size if factors.is_empty() => size.to_string(),
        size if size == Rational::from(1) => factors,
        size => format!("{size}*{factors}"),
    }
}

/// Joins terms with their signs.
pub fn joined(terms: impl IntoIterator<Item = (bool, String)>) -> String {
    let mut text = String::new();
    for (negative, term) in terms {
        let sign = match (text.is_empty(), negative) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        text.extend([sign, &term]);
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

/// A text that can be parsed again, with a sign in every product.
impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let argument = |k: i64| match k {
            1 => "x".to_owned(),
            -1 => "-x".to_owned(),
            k => format!("{k}*x"),
        };
        let term = |(base, by): (&Base, &Rational)| {
            let negative = *by < Rational::ZERO;
            let size = if negative { -*by } else { *by };
            let text = match base {
                Base::Wave(n, wave) => {
                    let wave = match wave {
                        Wave::One => None,
                        Wave::Exp(k) => Some(format!("exp({})", argument(*k))),
                        Wave::Sin(k) => Some(format!("sin({})", argument(*k))),
                        Wave::Cos(k) => Some(format!("cos({})", argument(*k))),
                    };
                    product(size, &power(*n).into_iter().chain(wave).collect::<Vec<_>>())
                }
                Base::Pole(a, n) => {
                    let base = if *a == Rational::ZERO { "x".to_owned() } else { format!("({})", line(*a)) };
                    let base = if *n == 1 { base } else { format!("{base}^{n}") };
                    match size.denominator() {
                        1 => format!("{}/{base}", size.numerator()),
                        below => format!("{}/({below}*{base})", size.numerator()),
                    }
                }
                Base::Log(a) => product(size, &[format!("ln({})", line(*a))]),
                Base::Constant => "ln(2)".to_owned(),
            };
            (negative, text)
        };
        // Higher powers first.
        f.write_str(&joined(self.0.iter().rev().map(term)))
    }
}
