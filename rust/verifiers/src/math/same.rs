//! Decides whether two formulas are equal: by normal forms, by ever narrower intervals, at points.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::Fault;
use super::expression::{Expr, Function};
use super::identity::{Draws, Points, Test};
use super::interval::{Constants, Context};
use super::normal::{Atoms, Kind};
use super::numeric::{Complex, Point};
use super::polynomial::{Monomial, Polynomial};
use super::ratio::Ratio;
use super::steps;
use kit::budget::Budget;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    Same {
        proven: bool,
    },
    Different,
    /// Neither was shown.
    Open,
}

/// Compares an answer with a reference wherever the reference is defined. `key` chooses the points of a test.
pub fn same(reference: &Expr, answer: &Expr, key: u64, budget: &mut Budget) -> Result<Sameness, Fault> {
    if let (Some(one), Some(other)) = (number(reference), number(answer)) {
        let equal = one.compare(other, budget)?.is_eq();
        return Ok(if equal { Sameness::Same { proven: true } } else { Sameness::Different });
    }
    if !reference.has_log() && !answer.has_log() {
        return settled(reference, answer, Draws::Any, key, budget);
    }
    // A logarithm without a base is natural in some books and has base ten in others.
    let mut with_base = |natural: bool| {
        settled(&reference.with_log(natural)?, &answer.with_log(natural)?, Draws::Any, key, budget)
    };
    let natural = with_base(true)?;
    if matches!(natural, Sameness::Same { .. }) {
        return Ok(natural);
    }
    let common = with_base(false)?;
    let settled = matches!(common, Sameness::Same { .. }) || natural != Sameness::Open;
    Ok(if settled { common } else { natural })
}

fn number(expr: &Expr) -> Option<&Ratio> {
    match expr {
        Expr::Number(value) | Expr::Decimal(value, _) => Some(value),
        _ => None,
    }
}

/// The same for formulas whose logarithms all have a base. `draws` is the domain of the variables.
pub fn settled(
    reference: &Expr,
    answer: &Expr,
    draws: Draws,
    key: u64,
    budget: &mut Budget,
) -> Result<Sameness, Fault> {
    if steps::vary(reference) || steps::vary(answer) {
        return steps::same(reference, answer, key, budget);
    }
    let mut atoms = Atoms::default();
    let one = atoms.normal(reference, budget)?;
    let other = atoms.normal(answer, budget)?;
    let difference = one.difference(&other, &atoms, budget)?;
    let pure = atoms.list.iter().all(|atom| matches!(atom.kind, Kind::Variable | Kind::Imaginary));
    if pure {
        // Quotients of polynomials in the variables, with i² = -1.
        return Ok(if difference.is_zero() { Sameness::Same { proven: true } } else { Sameness::Different });
    }
    let calls_vary = atoms.list.iter().any(|atom| atom.varies && !matches!(atom.kind, Kind::Variable));
    let precision = Precision::of(reference, answer, &difference, &atoms);
    if calls_vary {
        return Test { reference, answer, difference: &difference, atoms: &atoms, precision, draws }
            .run(key, budget);
    }
    let names: BTreeSet<&str> = reference.variables().into_iter().chain(answer.variables()).collect();
    for (expr, normal) in [(reference, &one), (answer, &other)] {
        // Intervals do not show the floor of an integer such as log_2 8, but its normal form has it.
        let rounds = expr.any(&|part| matches!(part, Expr::Call(Function::Floor | Function::Ceiling, _)));
        let defined =
            is_defined(expr, &names, budget)? || (rounds && is_defined(&atoms.expr(normal), &names, budget)?);
        if !defined {
            return Ok(Sameness::Open);
        }
    }
    coefficients(&difference, &atoms, precision, budget)
}

/// The widest intervals that are computed.
const MOST: usize = 12_000;

/// Number of bits in which two formulas may differ.
#[derive(Clone, Copy)]
pub struct Precision {
    /// The bits of all numbers in the two.
    pub bits: usize,
    order: f64,
}

impl Precision {
    fn of(reference: &Expr, answer: &Expr, difference: &Polynomial, atoms: &Atoms) -> Self {
        // Powers of numbers show their size only once they are multiplied out.
        let inner = atoms.list.iter().map(|atom| atom.expr.bits());
        let outer = difference.terms.values().map(Ratio::bits);
        let bits = reference.bits() + answer.bits() + inner.chain(outer).max().unwrap_or(0);
        Self { bits, order: reference.order().max(answer.order()) }
    }

    /// The bits at which a difference shows if values reach this far from one: a part of two to minus this
    /// may hide in another, and more so if small parts multiply.
    pub fn needed(self, first: usize, reach: i64) -> usize {
        first + (4.0 * reach as f64 * self.order).min(1e9) as usize
    }
}

/// True if a formula in which all roots and functions have constant arguments is shown to have a value.
pub fn is_defined(expr: &Expr, names: &BTreeSet<&str>, budget: &mut Budget) -> Result<bool, Fault> {
    for bits in [64, 256] {
        let mut context = Context { bits, constants: Constants::default(), budget, reach: 0, complex: true };
        let mut points = Points::new(7);
        let at = points.next(1, names);
        match context.value(expr, &at) {
            Ok(_) => return Ok(true),
            Err(Fault::Undecided) => {}
            // At another point a quotient of variables has a value.
            Err(Fault::Undefined(_)) if !names.is_empty() => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(false)
}

/// Decides whether a polynomial in variables is zero, if its coefficients are made of constants.
fn coefficients(
    difference: &Polynomial,
    atoms: &Atoms,
    precision: Precision,
    budget: &mut Budget,
) -> Result<Sameness, Fault> {
    // Next to algebraic numbers alone, π is as free as a variable.
    let free_pi =
        atoms.list.iter().all(|atom| atom.algebraic || matches!(atom.kind, Kind::Variable | Kind::Pi));
    let free = |number: u16| {
        let kind = &atoms.list[usize::from(number)].kind;
        matches!(kind, Kind::Variable) || (free_pi && matches!(kind, Kind::Pi))
    };
    let mut groups: BTreeMap<Monomial, Polynomial> = BTreeMap::new();
    for (monomial, value) in &difference.terms {
        budget.spend(30)?;
        let (outer, inner): (Monomial, Monomial) = monomial.iter().partition(|(atom, _)| free(*atom));
        groups.entry(outer).or_default().terms.insert(inner, value.clone());
    }
    let mut verdict = Sameness::Same { proven: true };
    for coefficient in groups.values() {
        match (constant(coefficient, atoms, precision, budget)?, verdict) {
            (Sameness::Different, _) => return Ok(Sameness::Different),
            (Sameness::Open, _) => verdict = Sameness::Open,
            (Sameness::Same { proven: false }, Sameness::Same { .. }) => {
                verdict = Sameness::Same { proven: false }
            }
            _ => {}
        }
    }
    Ok(verdict)
}

/// Decides whether a polynomial in constants is zero.
fn constant(
    polynomial: &Polynomial,
    atoms: &Atoms,
    precision: Precision,
    budget: &mut Budget,
) -> Result<Sameness, Fault> {
    let bits = precision.bits;
    if polynomial.is_zero() {
        return Ok(Sameness::Same { proven: true });
    }
    if polynomial.value().is_some() {
        return Ok(Sameness::Different);
    }
    let first = 64 + bits.min(512);
    if !evaluated(polynomial, atoms, first, &[], budget)?.0.has_zero() {
        return Ok(Sameness::Different);
    }
    let algebraic = used(polynomial).iter().all(|atom| atoms.list[usize::from(*atom)].algebraic);
    if algebraic {
        let Some(bound) = separation(polynomial, atoms).filter(|bound| *bound < MOST as f64) else {
            return Ok(Sameness::Open);
        };
        // If it is not zero, it is above two to minus this.
        let bound = bound as usize + 2;
        let (value, _) = evaluated(polynomial, atoms, bound + 256 + bits, &[], budget)?;
        return Ok(if !value.has_zero() {
            Sameness::Different
        } else if value.top() < -(bound as i64) {
            Sameness::Same { proven: true }
        } else {
            Sameness::Open
        });
    }
    let first = 640 + 8 * bits;
    let mut wide = first;
    while wide <= MOST {
        let (value, reach) = evaluated(polynomial, atoms, wide, &[], budget)?;
        if !value.has_zero() {
            return Ok(Sameness::Different);
        }
        let needed = precision.needed(first, reach);
        if needed <= wide {
            let shown = value.top() <= -(wide as i64) / 2;
            return Ok(if shown { Sameness::Same { proven: false } } else { Sameness::Open });
        }
        wide = needed;
    }
    Ok(Sameness::Open)
}

/// The atoms of a polynomial.
fn used(polynomial: &Polynomial) -> BTreeSet<u16> {
    polynomial.terms.keys().flatten().map(|(atom, _)| *atom).collect()
}

/// The value of a polynomial at a point, and how far from one its parts reach.
fn evaluated(
    polynomial: &Polynomial,
    atoms: &Atoms,
    bits: usize,
    at: &Point<'_>,
    budget: &mut Budget,
) -> Result<(Complex, i64), Fault> {
    let mut context = Context { bits, constants: Constants::default(), budget, reach: 0, complex: true };
    let value = evaluated_in(&mut context, polynomial, atoms, at)?;
    Ok((value, context.reach))
}

pub(super) fn evaluated_in(
    context: &mut Context<'_, '_>,
    polynomial: &Polynomial,
    atoms: &Atoms,
    at: &Point<'_>,
) -> Result<Complex, Fault> {
    let mut values = BTreeMap::new();
    for atom in used(polynomial) {
        values.insert(atom, context.value(&atoms.list[usize::from(atom)].expr, at)?);
    }
    let mut terms = Vec::with_capacity(polynomial.terms.len());
    for (monomial, value) in &polynomial.terms {
        let mut term = Complex::real(context.ratio(value)?);
        for (atom, power) in monomial {
            let factor = context.whole_power(&values[atom], u64::from(*power))?;
            term = context.product(&term, &factor)?;
        }
        context.noticed(&term);
        terms.push(term);
    }
    context.sum(&terms)
}

/// The bound of Burnikel, Funke, Mehlhorn, Schirra and Schmitt: if the number is not zero, it is above two to
/// minus this. Nothing if that is far too small to reach.
fn separation(polynomial: &Polynomial, atoms: &Atoms) -> Option<f64> {
    let mut bounds = Bounds { atoms, known: BTreeMap::new(), degree: 1.0 };
    let (above, below) = bounds.polynomial(polynomial);
    (bounds.degree <= 4_096.0).then_some((bounds.degree - 1.0) * above + below + 8.0)
}

/// Logarithms of the bounds u and l of the method, a little too large.
struct Bounds<'a> {
    atoms: &'a Atoms,
    known: BTreeMap<u16, (f64, f64)>,
    /// The product of the degrees of all roots.
    degree: f64,
}

impl Bounds<'_> {
    fn polynomial(&mut self, polynomial: &Polynomial) -> (f64, f64) {
        let mut terms = Vec::new();
        for (monomial, value) in &polynomial.terms {
            use dashu_int::ops::BitTest;
            let (mut above, mut below) = (value.above.bit_len() as f64, value.below.bit_len() as f64);
            for &(atom, power) in monomial {
                let (u, l) = self.atom(atom);
                above += u * f64::from(power);
                below += l * f64::from(power);
            }
            terms.push((above, below));
        }
        let below: f64 = terms.iter().map(|(_, below)| below).sum();
        let highest = terms.iter().map(|(above, own)| above + below - own).fold(0.0, f64::max);
        (highest + (terms.len() as f64 + 1.0).log2() + 0.1, below)
    }

    fn atom(&mut self, atom: u16) -> (f64, f64) {
        if let Some(known) = self.known.get(&atom) {
            return *known;
        }
        let bounds = if let Kind::Root(of, degree) = &self.atoms.list[usize::from(atom)].kind {
            let (above, below) = (self.polynomial(&of.above), self.polynomial(&of.below));
            let (u, l) = (above.0 + below.1, above.1 + below.0);
            let k = f64::from(*degree);
            self.degree *= k;
            if u >= l { ((u + (k - 1.0) * l) / k, l) } else { (u, ((k - 1.0) * u + l) / k) }
        } else {
            // i is the root of -1.
            self.degree *= 2.0;
            (1.0, 1.0)
        };
        self.known.insert(atom, bounds);
        bounds
    }
}

/// Order of two constants, if it is shown.
pub fn order(one: &Expr, other: &Expr, key: u64, budget: &mut Budget) -> Result<Option<Ordering>, Fault> {
    if let (Some(one), Some(other)) = (number(one), number(other)) {
        return one.compare(other, budget).map(Some);
    }
    if let Sameness::Same { .. } = same(one, other, key, budget)? {
        return Ok(Some(Ordering::Equal));
    }
    let difference = one.clone().minus(other.clone());
    for bits in [96, 512, 2_048] {
        let mut context = Context { bits, constants: Constants::default(), budget, reach: 0, complex: true };
        match context.value(&difference, &[]) {
            Ok(Complex { imaginary: Some(_), .. }) => return Ok(None),
            Ok(Complex { real, .. }) if real.is_positive() => return Ok(Some(Ordering::Greater)),
            Ok(Complex { real, .. }) if real.is_negative() => return Ok(Some(Ordering::Less)),
            Ok(_) | Err(Fault::Undecided) => {}
            Err(fault) => return Err(fault),
        }
    }
    Ok(None)
}

/// True if two constants differ by at most this much.
pub fn within(
    one: &Expr,
    other: &Expr,
    allowed: &Ratio,
    key: u64,
    budget: &mut Budget,
) -> Result<bool, Fault> {
    if one.has_variables() || other.has_variables() {
        return Ok(false);
    }
    let mut atoms = Atoms::default();
    let difference = one.clone().minus(other.clone());
    if difference.has_log() {
        return Ok(false);
    }
    if let Some(value) = atoms.normal(&difference, budget)?.value(budget)? {
        return Ok(value.magnitude().compare(allowed, budget)?.is_le());
    }
    let Some(sign) = order(one, other, key, budget)? else { return Ok(false) };
    let difference = if sign.is_lt() { difference.negated() } else { difference };
    match order(&difference, &Expr::Number(allowed.clone()), key, budget)? {
        Some(ordering) => Ok(ordering.is_le()),
        None => Err(Fault::Undecided),
    }
}
