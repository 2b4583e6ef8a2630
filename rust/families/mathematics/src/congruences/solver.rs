//! Solutions of congruences, step by step.

use std::collections::BTreeMap;
use std::fmt::Display;

/// A factor a, and the remainder b that is wanted by a modulus m: a * x leaves b or, as an exponent, a^x does.
pub type Congruence = (u64, (u64, u64));

/// Largest period of a system, and so a bound on its solution.
pub const MOST: u64 = 1_000_000_000_000_000;

pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

pub fn times(a: u64, b: u64, modulus: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

pub fn power(base: u64, exponent: u64, modulus: u64) -> u64 {
    let half =
        if exponent == 0 { 1 % modulus } else { power(times(base, base, modulus), exponent / 2, modulus) };
    if exponent % 2 == 1 { times(base, half, modulus) } else { half }
}

/// Receiver of the steps: the cost of each, a hint, and what it finds.
pub type Says<'s> = dyn FnMut(u64, &dyn Display, &dyn Display) + 's;

fn digits(number: u64) -> u64 {
    u64::from(number.max(1).ilog10() + 1)
}

/// The greatest common divisor of a factor and a modulus, and by what the factor is multiplied to leave it, found
/// by the Euclidean algorithm.
fn divisor(factor: u64, modulus: u64, says: &mut Says<'_>) -> (u64, u64) {
    let (mut left, mut by) = ([modulus, factor % modulus], [0, 1]);
    while left[1] > 0 {
        let (quotient, rest) = (left[0] / left[1], left[0] % left[1]);
        let next = (by[0] + modulus - times(quotient, by[1], modulus)) % modulus;
        (left, by) = ([left[1], rest], [by[1], next]);
        if rest > 0 {
            let hint = "Find a multiple of the factor that leaves even less, by the last two that you know.";
            let cost = 2 * digits(left[0]) + digits(quotient) * digits(by[0]);
            says(cost, &hint, &format_args!("{next} * {factor} mod {modulus} = {rest}"));
        }
    }
    (left[0], by[0])
}

/// The smallest positive exponent and the powers that lead to it: the first ones, then far ones in large steps.
pub fn logarithm(base: u64, wanted: u64, modulus: u64, says: &mut Says<'_>) -> Option<u64> {
    let (stride, cost) = (modulus.isqrt() + 1, 2 * digits(modulus) * digits(base));
    let (mut last, mut first_powers) = (1, BTreeMap::new());
    for exponent in 1..=stride {
        last = times(last, base, modulus);
        let hint = "Multiply the last power by the base and reduce it.";
        says(cost, &hint, &format_args!("{base}^{exponent} mod {modulus} = {last}"));
        first_powers.entry(last).or_insert(exponent);
        if last == wanted {
            return Some(exponent);
        }
    }
    let (_, back) = divisor(last, modulus, &mut |_, _, _| ());
    let cost = 2 * digits(modulus) * digits(modulus);
    says(
        cost,
        &"Find the number that undoes the last power.",
        &format_args!("{last} * {back} mod {modulus} = 1"),
    );
    let mut sought = wanted;
    for strides in 1..=stride {
        let before = sought;
        sought = times(before, back, modulus);
        let hint = "Take the last of the listed powers out of what is sought once more, and look for the rest among them.";
        says(cost, &hint, &format_args!("{before} * {back} mod {modulus} = {sought}"));
        if let Some(exponent) = first_powers.get(&sought) {
            let far = strides * stride;
            let hint = "Find which listed power it is, and add up the exponents.";
            says(1, &hint, &format_args!("x = {far} + {exponent} = {}", far + exponent));
            return Some(far + exponent);
        }
    }
    None
}

/// The smallest number that satisfies all congruences, by one after the other.
pub fn system(congruences: &[Congruence], says: &mut Says<'_>) -> Option<u64> {
    let (mut x, mut every) = (0, 1);
    for (a, (b, m)) in congruences {
        let (factor, remainder) = (times(*a, every, *m), (b + m - times(*a, x, *m)) % m);
        if every > 1 {
            let hint = "Put the numbers that are still possible into the next congruence.";
            let cost = digits(*m) * (digits(every) + digits(x));
            says(cost, &hint, &format_args!("x = {x} + {every} * t, so {factor} * t mod {m} = {remainder}"));
        }
        let (common, by) = divisor(factor, *m, says);
        if !remainder.is_multiple_of(common) {
            return None;
        }
        let (rest, modulus) = (remainder / common, m / common);
        let period = every.checked_mul(modulus).filter(|period| *period <= MOST)?;
        let t = times(by, rest, modulus);
        let (name, cost) = (if every > 1 { "t" } else { "x" }, 2 * digits(by) * digits(rest));
        let hint = "Multiply what is left by the multiple that was found last, and reduce it.";
        if factor != 1 {
            says(cost, &hint, &format_args!("{name} = {by} * {rest} mod {modulus} = {t}"));
        }
        if every > 1 {
            let cost = digits(every) * digits(t);
            let says_x = format_args!("x = {x} + {every} * {t} = {}", x + every * t);
            says(cost, &"Put t into x.", &says_x);
        }
        x += every * t;
        every = period;
    }
    Some(x)
}
