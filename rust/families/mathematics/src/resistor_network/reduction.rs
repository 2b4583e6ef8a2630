//! A network of resistors brought down to a few of its points, step by step.

use std::collections::BTreeMap;

use kit::shared::rational::Rational;
use kit::words;

/// Resistances between points, the lower one first.
pub type Ohms = BTreeMap<[usize; 2], Rational>;

/// A step that leaves all resistances between the remaining points as they are.
pub enum Step {
    /// Two resistors between the same points become one.
    Parallel { ends: [usize; 2], of: [Rational; 2], makes: Rational },
    /// A point with a single resistor goes.
    DeadEnd { point: usize },
    /// A point between two resistors goes.
    Series { point: usize, ends: [usize; 2], of: [Rational; 2], makes: Rational },
    /// A point with more resistors goes, and one appears between every two of its neighbors.
    Star { point: usize, arms: Vec<(usize, Rational)>, makes: Vec<([usize; 2], Rational)> },
}

/// Removes the points that are not kept, those with the fewest resistors first. None if a number grows too large.
pub fn reduce(
    resistors: impl IntoIterator<Item = (Rational, [usize; 2])>,
    keep: &[usize],
    tell: &mut dyn FnMut(&Step),
) -> Option<Ohms> {
    let mut ohms = Ohms::new();
    for (resistance, ends) in resistors {
        join(&mut ohms, ends, resistance, tell)?;
    }
    loop {
        let mut neighbors: BTreeMap<usize, Vec<(usize, Rational)>> = BTreeMap::new();
        for ([a, b], resistance) in &ohms {
            neighbors.entry(*a).or_default().push((*b, *resistance));
            neighbors.entry(*b).or_default().push((*a, *resistance));
        }
        let open = neighbors.into_iter().filter(|(point, _)| !keep.contains(point));
        let Some((point, arms)) = open.min_by_key(|(_, arms)| arms.len()) else { return Some(ohms) };
        ohms.retain(|ends, _| !ends.contains(&point));
        let makes = meshed(&arms)?;
        tell(&match (&arms[..], &makes[..]) {
            ([_], _) => Step::DeadEnd { point },
            ([one, other], [(ends, makes)]) => {
                Step::Series { point, ends: *ends, of: [one.1, other.1], makes: *makes }
            }
            _ => Step::Star { point, arms: arms.clone(), makes: makes.clone() },
        });
        for (ends, resistance) in makes {
            join(&mut ohms, ends, resistance, tell)?;
        }
    }
}

/// Puts a resistor between two points, in parallel to the one that may be there.
fn join(ohms: &mut Ohms, ends: [usize; 2], resistance: Rational, tell: &mut dyn FnMut(&Step)) -> Option<()> {
    let ends = [ends[0].min(ends[1]), ends[0].max(ends[1])];
    let makes = match ohms.get(&ends) {
        None => resistance,
        Some(other) => {
            let makes = resistance.checked_mul(*other)?.checked_div(resistance.checked_add(*other)?)?;
            tell(&Step::Parallel { ends, of: [*other, resistance], makes });
            makes
        }
    };
    ohms.insert(ends, makes);
    Some(())
}

/// The resistors between the ends of a star's arms that do as the star does: the product of two arms, times the sum of
/// the conductances of all.
fn meshed(arms: &[(usize, Rational)]) -> Option<Vec<([usize; 2], Rational)>> {
    let conductance = arms.iter().try_fold(Rational::ZERO, |sum, (_, resistance)| {
        sum.checked_add(Rational::from(1).checked_div(*resistance)?)
    })?;
    let pairs =
        arms.iter().enumerate().flat_map(|(at, one)| arms[..at].iter().map(move |other| (other, one)));
    pairs
        .map(|((a, first), (b, second))| {
            Some(([*a, *b], first.checked_mul(*second)?.checked_mul(conductance)?))
        })
        .collect()
}

/// Letter of a point.
pub fn name(point: usize) -> char {
    char::from(b'A' + point as u8)
}

pub fn between([a, b]: [usize; 2]) -> String {
    format!("between {} and {}", name(a), name(b))
}

/// A hint of where to look, and the step in words.
pub fn worded(step: &Step) -> (String, String) {
    match step {
        Step::Parallel { ends, of: [a, b], makes } => (
            format!("Two resistors are in parallel {}.", between(*ends)),
            format!("{}, {a} and {b} in parallel make {makes}.", capital(&between(*ends))),
        ),
        Step::DeadEnd { point } => (
            format!("Look for a resistor that leads nowhere, at {}.", name(*point)),
            format!("No current flows to {}, so its resistor does not matter.", name(*point)),
        ),
        Step::Series { point, ends, of: [a, b], makes } => (
            format!("Two resistors are in series at {}.", name(*point)),
            format!("At {}, {a} and {b} in series make {makes} {}.", name(*point), between(*ends)),
        ),
        Step::Star { point, arms, makes } => {
            let arms = arms.iter().map(|(end, ohms)| format!("{ohms} to {}", name(*end)));
            let makes = makes.iter().map(|(ends, ohms)| format!("{ohms} {}", between(*ends)));
            (
                format!("Turn the star at {} into resistors between its neighbors.", name(*point)),
                format!(
                    "The star at {} of {} does as {}.",
                    name(*point),
                    words::and(arms),
                    words::and(makes)
                ),
            )
        }
    }
}

fn capital(text: &str) -> String {
    text.replacen('b', "B", 1)
}

/// Digits that a step writes.
pub fn cost(step: &Step) -> u64 {
    let digits = |value: &Rational| {
        let [above, below] =
            [value.numerator(), value.denominator()].map(|part| part.unsigned_abs().max(1).ilog10());
        u64::from(2 + above + below)
    };
    match step {
        Step::DeadEnd { .. } => 1,
        Step::Parallel { of: [a, b], makes, .. } => 2 * (digits(a) + digits(b)) + digits(makes),
        Step::Series { of: [a, b], makes, .. } => digits(a) + digits(b) + digits(makes),
        Step::Star { arms, makes, .. } => {
            let arms: u64 = arms.iter().map(|(_, ohms)| digits(ohms)).sum();
            makes.iter().map(|(_, ohms)| arms + 2 * digits(ohms)).sum()
        }
    }
}
