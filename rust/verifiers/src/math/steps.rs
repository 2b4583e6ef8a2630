//! Formulas that change by steps: floors, ceilings and divisors of variables.
//!
//! Away from the steps, a wrong formula can agree with a right one, so points are taken on them and between.
//! If only polynomials are rounded, the line falls into classes, such as the even and the odd numbers, in
//! each of which a floor is a polynomial again.

use std::collections::{BTreeMap, BTreeSet};

use dashu_int::IBig;
use dashu_int::ops::Gcd;

use super::Fault;
use super::expression::{Expr, Function, Pair};
use super::identity::{Draws, Points, centers, undecided, wants_integers};
use super::interval::{Constants, Context, Interval};
use super::normal::{Atoms, Kind};
use super::polynomial::Fraction;
use super::ratio::Ratio;
use super::same::{Sameness, is_defined, settled};
use kit::budget::Budget;

/// Largest number of classes.
const MOST_CLASSES: usize = 600;

/// Number of points if classes decide.
const FEW: usize = 24;

/// Values of the variables.
type Assignment<'n> = BTreeMap<&'n str, Ratio>;

/// True if a part of a formula rounds a variable.
pub fn vary(expr: &Expr) -> bool {
    expr.any(&|part| is_floor(part) || (is_divisor(part) && part.has_variables()))
}

fn is_floor(part: &Expr) -> bool {
    matches!(part, Expr::Call(Function::Floor | Function::Ceiling, of) if of.has_variables())
}

fn is_divisor(part: &Expr) -> bool {
    matches!(part, Expr::Two(Pair::Gcd | Pair::Lcm, ..))
}

/// True if a letter, perhaps with an index, usually denotes an integer.
fn names_an_integer(name: &str) -> bool {
    matches!(name.split('_').next(), Some("j" | "k" | "m" | "n" | "M" | "N"))
}

/// Compares an answer with a reference at all points where the reference is defined.
pub fn same(reference: &Expr, answer: &Expr, key: u64, budget: &mut Budget) -> Result<Sameness, Fault> {
    let names: BTreeSet<&str> = reference.variables().into_iter().chain(answer.variables()).collect();
    let inside = |part: &Expr, name: &str| wants_integers(part) && part.variables().contains(name);
    let whole: BTreeSet<&str> = names
        .iter()
        .copied()
        .filter(|name| names_an_integer(name) || reference.any(&|part| inside(part, name)))
        .collect();
    let counts = |part: &Expr| wants_integers(part) && !matches!(part, Expr::Power(..));
    let positive = reference.any(&counts) || answer.any(&counts);
    let pair = Compared { reference, answer, key };

    let mut atoms = Atoms::default();
    let (one, other) = (atoms.normal(reference, budget)?, atoms.normal(answer, budget)?);
    let identical = one.difference(&other, &atoms, budget)?.is_zero();
    let classes = if identical { None } else { Classes::of(&pair, &names, &whole, budget)? };
    let mut points = points(&pair, &names, &whole, positive);
    if classes.is_some() {
        // The classes decide; a few points show that there are values.
        points.truncate(FEW);
    }
    let (mut good, mut missing, mut open) = (0, 0, false);
    for point in &points {
        match pair.at(point, budget)? {
            At::Outside => {}
            At::Missing if missing < 2 => missing += 1,
            At::Missing | At::Compared(Sameness::Different) => return Ok(Sameness::Different),
            At::Compared(Sameness::Open) => open = true,
            At::Compared(Sameness::Same { .. }) => good += 1,
        }
        if identical && good >= 3 {
            return Ok(Sameness::Same { proven: true });
        }
    }
    if good < 3 {
        return Ok(Sameness::Open);
    }
    if let Some(classes) = classes {
        return classes.compare(&pair, if positive { Draws::Positive } else { Draws::Integers }, budget);
    }
    // Between the tested points, a real number may meet other steps, and so may a divisor. A shift too small
    // to reach the next step at any of them does not show.
    let shows = whole.len() == names.len() && !reference.any(&is_divisor) && !answer.any(&is_divisor);
    let tested = shows && !open && pair.is_plain(&names, &atoms, budget);
    Ok(if tested { Sameness::Same { proven: false } } else { Sameness::Open })
}

struct Compared<'e> {
    reference: &'e Expr,
    answer: &'e Expr,
    key: u64,
}

/// Outcome of comparing two formulas at a point.
enum At {
    /// The reference has no value there.
    Outside,
    /// Only the answer has none.
    Missing,
    Compared(Sameness),
}

impl Compared<'_> {
    fn at(&self, point: &Assignment<'_>, budget: &mut Budget) -> Result<At, Fault> {
        let reference = match constant(self.reference, point, budget) {
            Ok(reference) => reference,
            Err(Fault::Undefined(_)) => return Ok(At::Outside),
            Err(Fault::OverBudget) if budget.left() > 0 => return Ok(At::Outside),
            Err(fault) => return undecided(fault, budget).map(At::Compared),
        };
        match constant(self.answer, point, budget) {
            Ok(answer) => settled(&reference, &answer, Draws::Any, self.key, budget).map(At::Compared),
            Err(Fault::Undefined(_)) => Ok(At::Missing),
            Err(fault) => undecided(fault, budget).map(At::Compared),
        }
    }
}

impl Compared<'_> {
    /// True if all numbers in the two are neither large nor near zero.
    fn is_plain(&self, names: &BTreeSet<&str>, atoms: &Atoms, budget: &mut Budget) -> bool {
        const MOST_BITS: usize = 32;
        if atoms.list.iter().any(|atom| atom.expr.bits() > 4 * MOST_BITS) {
            return false;
        }
        for expr in [self.reference, self.answer] {
            let mut reach = None;
            for small in [2, 3, 5, 7, 11] {
                let constants = Constants::default();
                let mut context = Context { bits: 256, constants, budget, reach: 0, complex: false };
                let at: Vec<_> = names.iter().map(|name| (*name, Interval::whole(small))).collect();
                if context.value(expr, &at).is_ok() {
                    reach = Some(context.reach);
                    break;
                }
            }
            if reach.is_none_or(|reach| reach > MOST_BITS as i64) {
                return false;
            }
        }
        true
    }
}

/// The value of a formula at a point, as simple as possible.
fn constant(expr: &Expr, point: &Assignment<'_>, budget: &mut Budget) -> Result<Expr, Fault> {
    let placed = placed(expr, point)?;
    let mut atoms = Atoms::default();
    let normal = atoms.normal(&placed, budget)?;
    if let Some(value) = normal.value(budget)? {
        return Ok(Expr::Number(value));
    }
    let simple = atoms.expr(&normal);
    if is_defined(&simple, &BTreeSet::new(), budget)? { Ok(simple) } else { Err(Fault::Undecided) }
}

fn placed(expr: &Expr, point: &Assignment<'_>) -> Result<Expr, Fault> {
    expr.replaced(&mut |part| {
        let Expr::Variable(name) = part else { return Ok(None) };
        Ok(point.get(&**name).cloned().map(Expr::Number))
    })
}

/// Values for one variable: small ones first, then those around which steps occur. Formulas that grow fast
/// have no value at large ones.
fn places(near: &[i64], whole: bool, positive: bool, fast: bool, draws: &mut Points) -> Vec<Ratio> {
    let mut integers: Vec<i64> = (-SMALL..=SMALL).collect();
    integers.extend(near.iter().flat_map(|center| [center - 1, *center, center + 1]));
    if !whole {
        integers.extend([-1_000_000, 1_000_000].into_iter().filter(|_| !fast));
        let parts = [(0, 1), (1, 2), (1, 3), (1, 4), (3, 4), (99, 100), (1, 1_000), (7, 10)];
        let with_part = |(above, below): (i64, i64), integer: i64| Ratio {
            above: (integer * below + above).into(),
            below: below.into(),
        };
        return integers.iter().flat_map(|integer| parts.map(|part| with_part(part, *integer))).collect();
    }
    integers.extend(SMALL..=2 * SMALL);
    if !fast {
        let squares = [10, 31, 100, 1_000, 1_000_000, 1_000_000_000].map(|root: i64| root * root);
        let powers = (6..=20).map(|power| 1 << power).chain(squares).chain([1_000, 1_000_000_000]);
        integers.extend(powers.flat_map(|power| [power - 1, power, power + 1]));
        integers.extend((0..4).map(|_| (draws.draw() >> 4) as i64));
    }
    let usable = integers.into_iter().filter(|integer| !positive || *integer > 0);
    usable.map(Ratio::whole).collect()
}

/// The size of the smallest values.
const SMALL: i64 = 16;

/// Points on and between the steps that formulas like these have.
fn points<'n>(
    pair: &Compared<'_>,
    names: &BTreeSet<&'n str>,
    whole: &BTreeSet<&str>,
    positive: bool,
) -> Vec<Assignment<'n>> {
    let mut near = centers(&[pair.reference, pair.answer]);
    let grows = |part: &Expr| match part {
        Expr::Power(_, exponent) => exponent.has_variables(),
        part => wants_integers(part),
    };
    let fast = pair.reference.any(&grows) || pair.answer.any(&grows);
    if fast {
        near.retain(|center| center.abs() <= 4 * SMALL);
    }
    let mut draws = Points::new(pair.key);
    let lists: Vec<(&'n str, Vec<Ratio>)> = names
        .iter()
        .map(|name| (*name, places(&near, whole.contains(name), positive, fast, &mut draws)))
        .collect();
    let longest = lists.iter().map(|(_, list)| list.len()).max().unwrap_or(0);
    // Steps such as those of a divisor need variables with common values.
    let mut found: Vec<Assignment<'n>> = (0..longest)
        .map(|at| lists.iter().map(|(name, list)| (*name, list[at % list.len()].clone())).collect())
        .collect();
    if lists.len() == 1 {
        return found;
    }
    let mut small = |list: &[Ratio]| list[(draws.draw() % SMALL as u64) as usize].clone();
    let far = (SMALL as usize..longest)
        .flat_map(|at| lists.iter().filter_map(move |(name, list)| Some((*name, list.get(at)?))));
    for (name, value) in far.take(240) {
        let mut point: Assignment<'n> = lists.iter().map(|(name, list)| (*name, small(list))).collect();
        point.insert(name, value.clone());
        found.push(point);
    }
    found.extend(
        (0..80).map(|_| lists.iter().map(|(name, list)| (*name, small(list))).collect::<Assignment<'n>>()),
    );
    found
}

/// The classes into which steps cut the line: in each, every variable is a multiple of `period` plus a rest.
struct Classes<'n> {
    period: i64,
    rests: Vec<Assignment<'n>>,
    /// True if the rests cover all values.
    all: bool,
}

impl<'n> Classes<'n> {
    /// Nothing if anything but polynomials is rounded, or if there are too many classes.
    fn of(
        pair: &Compared<'_>,
        names: &BTreeSet<&'n str>,
        whole: &BTreeSet<&str>,
        budget: &mut Budget,
    ) -> Result<Option<Self>, Fault> {
        let mut rounded = Vec::new();
        for expr in [pair.reference, pair.answer] {
            collect(expr, &mut rounded);
        }
        let mut atoms = Atoms::default();
        let mut forms = Vec::new();
        for part in rounded {
            let Expr::Call(_, of) = part else { return Ok(None) };
            forms.push(atoms.normal(of, budget)?);
        }
        let variables = atoms.list.iter().all(|atom| matches!(atom.kind, Kind::Variable));
        if !variables || forms.iter().any(|form| form.below.value().is_none_or(|below| !below.is_one())) {
            return Ok(None);
        }
        if whole.len() == names.len() {
            let Some(period) = period(&forms) else { return Ok(None) };
            let count =
                (period as usize).checked_pow(names.len() as u32).filter(|count| *count <= MOST_CLASSES);
            let Some(count) = count else { return Ok(None) };
            let rest = |at: usize| {
                let mut left = at as i64;
                let digits = names.iter().map(|name| {
                    let digit = left % period;
                    left /= period;
                    (*name, Ratio::whole(digit))
                });
                digits.collect()
            };
            return Ok(Some(Self { period, rests: (0..count).map(rest).collect(), all: true }));
        }
        match names.first() {
            Some(name) if names.len() == 1 => Ok(Self::of_line(name, &forms, pair.key)),
            _ => Ok(None),
        }
    }

    /// The steps of linear functions of a real number, and three points between each two.
    fn of_line(name: &'n str, forms: &[Fraction], key: u64) -> Option<Self> {
        let period = period(forms)?;
        let small = |value: &IBig| i64::try_from(value).ok().filter(|value| value.abs() < 1 << 20);
        // A step of p/q x + u/v occurs at each (k v - u) q / (v p).
        let mut lines = Vec::new();
        let mut unit = 1_i64;
        for form in forms {
            let none = Ratio::whole(0);
            let offset = form.above.terms.get(&Vec::new()).unwrap_or(&none);
            let mut slopes = form.above.terms.iter().filter(|(monomial, _)| !monomial.is_empty());
            let (Some((monomial, slope)), None) = (slopes.next(), slopes.next()) else { return None };
            if !matches!(monomial[..], [(_, 1)]) {
                return None;
            }
            let (p, q) = (small(&slope.above)?, small(&slope.below)?);
            let (u, v) = (small(&offset.above)?, small(&offset.below)?);
            unit = common_multiple(unit, v.checked_mul(p)?.abs())?;
            lines.push((p, q, u, v));
        }
        let end = unit.checked_mul(period)?;
        let mut steps = BTreeSet::from([0]);
        for (p, q, u, v) in lines {
            let apart = unit.checked_mul(q)? / p.abs();
            let first = (-unit.checked_mul(u)?.checked_mul(q)? / v.checked_mul(p)?).rem_euclid(apart);
            if steps.len() as i64 + end / apart > MOST_CLASSES as i64 / 4 {
                return None;
            }
            steps.extend((0..=end / apart).map(|at| first + at * apart).filter(|step| *step < end));
        }
        let place = |above: i64, by: i64| {
            let below = unit.checked_mul(by)?;
            let shared = above.unsigned_abs().gcd(below.unsigned_abs()) as i64;
            let value = Ratio { above: (above / shared).into(), below: (below / shared).into() };
            Some(Assignment::from([(name, value)]))
        };
        let mut draws = Points::new(key);
        let mut rests = Vec::new();
        let ends = steps.iter().skip(1).copied().chain([end]);
        for (&step, next) in steps.iter().zip(ends) {
            rests.push(place(step, 1)?);
            for _ in 0..3 {
                let part = 1 + (draws.draw() % 96) as i64;
                rests.push(place(step.checked_mul(97)?.checked_add((next - step).checked_mul(part)?)?, 97)?);
            }
        }
        Some(Self { period, rests, all: false })
    }

    fn compare(&self, pair: &Compared<'_>, draws: Draws, budget: &mut Budget) -> Result<Sameness, Fault> {
        let mut proven = self.all;
        for rest in &self.rests {
            let reference = self.stepless(pair.reference, rest, budget)?;
            let answer = self.stepless(pair.answer, rest, budget)?;
            match Atoms::default().normal(&reference, budget) {
                Err(Fault::Undefined(_)) => continue,
                defined => defined?,
            };
            match Atoms::default().normal(&answer, budget) {
                Err(Fault::Undefined(_)) => return Ok(Sameness::Different),
                defined => defined?,
            };
            match settled(&reference, &answer, draws, pair.key, budget)? {
                Sameness::Same { proven: shown } => proven &= shown,
                other => return Ok(other),
            }
        }
        Ok(Sameness::Same { proven })
    }

    /// A formula in a class, with each variable counting periods.
    fn stepless(&self, expr: &Expr, rest: &Assignment<'_>, budget: &mut Budget) -> Result<Expr, Fault> {
        expr.replaced(&mut |part| match part {
            Expr::Variable(name) => Ok(rest.get(&**name).map(|rest| {
                let periods = Expr::Product(vec![Expr::whole(self.period), part.clone()]);
                Expr::Sum(vec![periods, Expr::Number(rest.clone())])
            })),
            Expr::Call(function @ (Function::Floor | Function::Ceiling), of) if is_floor(part) => {
                let at_rest = Atoms::default().normal(&placed(of, rest)?, budget)?.value(budget)?;
                let Some(value) = at_rest else { return Err(Fault::Undecided) };
                let up = *function == Function::Ceiling;
                let whole = Expr::Number(Ratio::whole(value.rounded(up)));
                // A full period adds an integer.
                let moved = self.stepless(of, rest, budget)?.minus(Expr::Number(value));
                Ok(Some(Expr::Sum(vec![moved, whole])))
            }
            _ => Ok(None),
        })
    }
}

fn collect<'e>(expr: &'e Expr, found: &mut Vec<&'e Expr>) {
    if vary(expr) {
        if is_floor(expr) || is_divisor(expr) {
            found.push(expr);
        }
        expr.parts().into_iter().for_each(|part| collect(part, found));
    }
}

/// The least common denominator of all coefficients.
fn period(forms: &[Fraction]) -> Option<i64> {
    let coefficients =
        forms.iter().flat_map(|form| &form.above.terms).filter(|(monomial, _)| !monomial.is_empty());
    coefficients
        .map(|(_, value)| i64::try_from(&value.below).ok())
        .try_fold(1, |one, other| common_multiple(one, other?))
}

fn common_multiple(one: i64, other: i64) -> Option<i64> {
    let shared = one.unsigned_abs().gcd(other.unsigned_abs()) as i64;
    (one / shared).checked_mul(other).filter(|multiple| *multiple < 1 << 40)
}
