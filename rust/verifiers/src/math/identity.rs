//! Tests identities at points.

use std::collections::BTreeSet;

use super::Fault;
use super::expression::{Expr, Function, Pair};
use super::interval::{Constants, Context, Float, Interval};
use super::normal::{Atoms, Kind};
use super::numeric::Point;
use super::polynomial::Polynomial;
use super::same::{Precision, Sameness, evaluated_in};
use kit::budget::Budget;

/// A test of an identity at several points.
pub struct Test<'t> {
    pub reference: &'t Expr,
    pub answer: &'t Expr,
    pub difference: &'t Polynomial,
    pub atoms: &'t Atoms,
    pub precision: Precision,
    pub draws: Draws,
}

/// Domain from which the variables of two formulas are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draws {
    /// Real numbers, unless the formulas have values only at positive integers.
    Any,
    Integers,
    Positive,
}

/// True if a part of a formula has a value only where its varying arguments are integers.
pub fn wants_integers(part: &Expr) -> bool {
    match part {
        Expr::Call(Function::Factorial, of) => of.has_variables(),
        Expr::Two(Pair::Binomial | Pair::Gcd | Pair::Lcm, ..) => part.has_variables(),
        Expr::Power(base, exponent) => {
            !base.has_variables() && base_is_negative(base) && exponent.has_variables()
        }
        _ => false,
    }
}

impl Test<'_> {
    pub fn run(&self, key: u64, budget: &mut Budget) -> Result<Sameness, Fault> {
        let names: BTreeSet<&str> =
            self.reference.variables().into_iter().chain(self.answer.variables()).collect();
        if names.len() > 12 || self.precision.bits > 2_000 {
            return Ok(Sameness::Open);
        }
        let has = |holds: &dyn Fn(&Expr) -> bool| self.reference.any(holds) || self.answer.any(holds);
        let draws = match self.draws {
            Draws::Any if has(&wants_integers) => Draws::Positive,
            draws => draws,
        };
        let complex = self.atoms.list.iter().any(|atom| matches!(atom.kind, Kind::Imaginary));
        let pieces = has(&|part| {
            matches!(
                part,
                Expr::Call(
                    Function::Abs
                        | Function::Floor
                        | Function::Ceiling
                        | Function::Arcsin
                        | Function::Arccos
                        | Function::Arctan,
                    _
                ) | Expr::Root(..)
                    | Expr::Two(Pair::Max, ..)
            )
        });
        let mut points = Points { state: key, centers: centers(&[self.reference, self.answer]), draws };
        let wanted = match (self.difference.is_zero(), pieces) {
            (true, false) => 3,
            (true, true) => 8,
            (false, false) => 6,
            (false, true) => 12,
        };
        let mut good = 0;
        if let (true, false, Some(name)) =
            (pieces, draws != Draws::Any, names.first().filter(|_| names.len() == 1))
        {
            for value in self.stretches(name, complex, budget)? {
                if self.at(&[(*name, value)], complex, budget)? == Sameness::Different {
                    return Ok(Sameness::Different);
                }
            }
        }
        for attempt in 0..wanted * 4 {
            let at = points.next(attempt, &names);
            match self.at(&at, complex, budget)? {
                Sameness::Different => return Ok(Sameness::Different),
                Sameness::Same { .. } => good += 1,
                Sameness::Open => {}
            }
            if good >= wanted {
                return Ok(Sameness::Same { proven: self.difference.is_zero() });
            }
        }
        Ok(Sameness::Open)
    }

    /// A value from each stretch of the line in which nothing under a root or in an absolute value changes
    /// its sign or touches zero.
    fn stretches(&self, name: &str, complex: bool, budget: &mut Budget) -> Result<Vec<Interval>, Fault> {
        /// Largest number of stretches, and of parts whose signs are examined.
        const MOST: usize = 40;
        const PARTS: usize = 8;
        let mut parts = Vec::new();
        for expr in [self.reference, self.answer] {
            turning(expr, &mut parts);
        }
        parts.truncate(PARTS);
        // Every quarter around zero and some points far off, none of them special.
        let near = (-64..64).map(|quarter| (quarter << 18) + 40_503);
        let far = [1_i64 << 26, 1 << 28, 1 << 30, 1 << 32];
        let line = far.iter().rev().map(|far| -far).chain(near).chain(far);
        let line: Vec<Interval> = line.map(|at| Interval::exact(Float::scaled(at | 1, -20))).collect();
        let mut breaks = vec![false; line.len() + 1];
        let (first, last) = (0, line.len());
        (breaks[first], breaks[last]) = (true, true);
        for part in &parts {
            // The sign and the size at each point, where it has a value.
            let mut values = Vec::with_capacity(line.len());
            for at in &line {
                let constants = Constants::default();
                let mut context = Context { bits: 64, constants, budget, reach: 0, complex };
                values.push(match context.value(part, &[(name, at.clone())]) {
                    Ok(value) if value.imaginary.is_none() => Some(value.real),
                    Err(Fault::OverBudget) if context.budget.left() == 0 => return Err(Fault::OverBudget),
                    _ => None,
                });
            }
            let sign = |value: &Option<Interval>| {
                value.as_ref().map(|value| (value.is_negative(), value.is_positive()))
            };
            let size = |at: usize| values[at].as_ref().map(|value| value.magnitude().high);
            for at in 1..line.len() {
                breaks[at] |= sign(&values[at - 1]) != sign(&values[at]);
                if let (Some(before), Some(here), Some(after)) =
                    (size(at - 1), size(at), values.get(at + 1).and_then(|_| size(at + 1)))
                    && here.compare(&before).is_le()
                    && here.compare(&after).is_le()
                {
                    // It may touch zero on either side.
                    (breaks[at], breaks[at + 1]) = (true, true);
                }
            }
        }
        let places: Vec<usize> = (0..=line.len()).filter(|at| breaks[*at]).collect();
        let middles = places.windows(2).map(|ends| line[usize::midpoint(ends[0], ends[1])].clone());
        Ok(middles.take(MOST).collect())
    }

    /// Compares the two at a point; open if the reference has no value there or the answer shows none.
    fn at(&self, at: &Point<'_>, complex: bool, budget: &mut Budget) -> Result<Sameness, Fault> {
        /// The widest intervals that are computed at a point.
        const MOST: usize = 4_000;
        let first = 160 + 2 * self.precision.bits;
        let constants = Constants::default();
        let mut context = Context { bits: first, constants, budget, reach: 0, complex };
        let reference = match context.value(self.reference, at) {
            Ok(value) => value,
            Err(fault) => return undecided(fault, context.budget),
        };
        if reference.imaginary.is_some() && !complex {
            return Ok(Sameness::Open);
        }
        match context.value(self.answer, at) {
            Ok(answer) => {
                let apart = answer.imaginary.is_some_and(|imaginary| !imaginary.has_zero());
                if apart && reference.imaginary.is_none() {
                    return Ok(Sameness::Different);
                }
            }
            Err(Fault::Undefined(_)) => return Ok(Sameness::Different),
            Err(fault) => return undecided(fault, context.budget),
        }
        if self.difference.is_zero() {
            return Ok(Sameness::Same { proven: true });
        }
        loop {
            context.reach = 0;
            match evaluated_in(&mut context, self.difference, self.atoms, at) {
                Ok(value) if !value.has_zero() => return Ok(Sameness::Different),
                Ok(value) => {
                    let needed = self.precision.needed(first, context.reach);
                    if needed <= context.bits {
                        let shown = value.top() <= -(context.bits as i64) / 3;
                        return Ok(if shown { Sameness::Same { proven: false } } else { Sameness::Open });
                    }
                    if needed > MOST.max(first) {
                        return Ok(Sameness::Open);
                    }
                    context.bits = needed;
                }
                Err(fault) => return undecided(fault, context.budget),
            }
        }
    }
}

/// A point at which nothing shows. A value that is too large is so only at this point, unless the steps ran
/// out.
pub fn undecided(fault: Fault, budget: &Budget) -> Result<Sameness, Fault> {
    match fault {
        Fault::OverBudget if budget.left() == 0 => Err(fault),
        _ => Ok(Sameness::Open),
    }
}

/// The varying parts of a formula at whose zeros it turns: those under roots and in absolute values.
fn turning(expr: &Expr, found: &mut Vec<Expr>) {
    match expr {
        Expr::Root(of, _) | Expr::Call(Function::Abs, of) if of.has_variables() => found.push((**of).clone()),
        Expr::Two(Pair::Max, one, other) if expr.has_variables() => {
            found.push((**one).clone().minus((**other).clone()));
        }
        _ => {}
    }
    for part in expr.parts() {
        turning(part, found);
    }
}

fn base_is_negative(base: &Expr) -> bool {
    match base {
        Expr::Number(value) | Expr::Decimal(value, _) => value.is_negative(),
        Expr::Product(parts) => parts.iter().filter(|part| base_is_negative(part)).count() % 2 == 1,
        _ => false,
    }
}

/// Numbers in formulas around which points are taken, so that they fall on both sides of each.
pub fn centers(exprs: &[&Expr]) -> Vec<i64> {
    fn collect(expr: &Expr, found: &mut BTreeSet<i64>) {
        if let Expr::Number(value) | Expr::Decimal(value, _) = expr {
            let whole = &value.above / &value.below;
            if let Ok(whole) = i64::try_from(whole)
                && whole.abs() < 1 << 20
                && found.len() < 16
            {
                found.insert(whole);
                found.insert(-whole);
            }
        }
        for part in expr.parts() {
            collect(part, found);
        }
    }
    let mut found = BTreeSet::from([0]);
    for expr in exprs {
        collect(expr, &mut found);
    }
    found.into_iter().collect()
}

/// Points drawn by a key.
pub struct Points {
    state: u64,
    centers: Vec<i64>,
    draws: Draws,
}

impl Points {
    /// Points around zero.
    pub fn new(key: u64) -> Self {
        Self { state: key, centers: Vec::new(), draws: Draws::Any }
    }

    /// `SplitMix64`.
    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn next<'n>(&mut self, attempt: usize, names: &BTreeSet<&'n str>) -> Vec<(&'n str, Interval)> {
        let mut at = Vec::with_capacity(names.len());
        for name in names {
            let drawn = self.draw();
            let value = match self.draws {
                // Falling ones too, so that n choose k has values.
                Draws::Positive => Interval::whole(1 + (drawn % 13) as i64),
                Draws::Integers => {
                    let off = (drawn % (4 << (attempt % 8))) as i64;
                    let center = match (attempt % 3, self.centers.len()) {
                        (0, _) | (_, 0) => 0,
                        (_, count) => self.centers[(drawn >> 44) as usize % count],
                    };
                    Interval::whole(center + if drawn >> 40 & 1 == 1 { -off } else { off })
                }
                // Twenty bits after the point, odd, so that no point is special. From an eighth to 32 away,
                // so that periods and slopes show.
                Draws::Any => {
                    let spread = 1_i64 << (17 + attempt % 8);
                    let part = spread | ((drawn >> 8) as i64 & (spread - 1)) | 1;
                    let negative = match attempt % 4 {
                        0 => false,
                        1 => true,
                        _ => drawn >> 40 & 1 == 1,
                    };
                    let part = if negative { -part } else { part };
                    let center = match (attempt % 4, self.centers.len()) {
                        (0 | 1, _) | (_, 0) => 0,
                        (_, count) => self.centers[(drawn >> 44) as usize % count],
                    };
                    Interval::exact(Float::scaled(center * (1 << 20) + part, -20))
                }
            };
            at.push((*name, value));
        }
        at
    }
}
