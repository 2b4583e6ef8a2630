//! Multiply polynomials and collect the coefficients.

use std::cell::LazyCell;

use kit::prelude::*;
use kit::shape::value::{Exact, Value};

pub struct PolynomialMultiplication;

params! {
    pub struct PolynomialMultiplicationParams {
        /// Number of polynomials.
        factors: u32 [2..=4],
        /// Degree of each.
        degree: u32 [1..=8],
        /// Largest absolute value of a coefficient.
        largest: u32 [3..=99],
        /// True if the first of them is just a number.
        number_first: bool [difficulty, if_set],
    }
    levels {
        (2, 1, 9, true),
        (2, 1, 9, false),
        (2, 2, 9, false),
        (2, 3, 12, false),
        (3, 2, 12, false),
        (3, 3, 20, false),
        (3, 4, 40, false),
        (4, 4, 60, false),
        (4, 6, 99, false),
    }
    default 2
}

problem! {
    /// Polynomials as coefficients, highest power first.
    pub struct Factors {
        factors: Vec<Vec<i64>> [items(
            2..=4,
            "polynomials",
            items(1..=10, "coefficients of a polynomial", -LARGEST..=LARGEST),
        )],
    }
}

const LARGEST: i64 = 999;

impl TaskFamily for PolynomialMultiplication {
    type Params = PolynomialMultiplicationParams;
    type Problem = Value<Factors>;

    const ABOUT: About = About {
        summary: "Multiply polynomials and collect the coefficients.",
        skills: &["multiplication", "addition", "bookkeeping"],
        distinct_from: 1,
        guess_rate: 0.009,
        guess_score: 0.009,
        ..Value::<Factors>::about("algebra", "polynomial_multiplication", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, _: &mut Budget) -> Drawn<Value<Factors>> {
        let largest = i64::from(params.largest);
        let polynomial = |at| {
            if at == 0 && params.number_first {
                return vec![rng.int(2, largest) * if rng.chance(1, 2) { 1 } else { -1 }];
            }
            let mut coefficients: Vec<i64> =
                (0..=params.degree).map(|_| rng.int(-largest, largest)).collect();
            // The first and the last term must not be missing.
            for end in [0, params.degree as usize] {
                while coefficients[end] == 0 {
                    coefficients[end] = rng.int(-largest, largest);
                }
            }
            coefficients
        };
        Ok(Value(Factors { factors: (0..params.factors).map(polynomial).collect() }))
    }
}

/// The products that add up to each coefficient, highest power first.
fn terms(left: &[i64], right: &[i64]) -> Vec<Vec<[i64; 2]>> {
    let mut terms = vec![Vec::new(); left.len() + right.len() - 1];
    for (i, a) in left.iter().enumerate() {
        for (j, b) in right.iter().enumerate() {
            terms[i + j].push([*a, *b]);
        }
    }
    terms
}

fn times(left: &[i64], right: &[i64]) -> Vec<i64> {
    terms(left, right).iter().map(|terms| terms.iter().map(|[a, b]| a * b).sum()).collect()
}

/// A polynomial in x: "3x^2 - x + 5".
fn written(coefficients: &[i64]) -> String {
    let mut text = String::new();
    for (power, c) in (0..coefficients.len()).rev().zip(coefficients).filter(|(_, c)| **c != 0) {
        let sign = match (text.is_empty(), *c < 0) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        let size = if c.abs() == 1 && power > 0 { String::new() } else { c.abs().to_string() };
        let x = match power {
            0 => String::new(),
            1 => "x".to_owned(),
            _ => format!("x^{power}"),
        };
        text.extend([sign, &size, &x]);
    }
    text
}

impl Factors {
    /// The product of the first `n` factors, for `n` from one to all of them.
    fn products(&self) -> Vec<Vec<i64>> {
        let mut products = vec![self.factors[0].clone()];
        for factor in &self.factors[1..] {
            products.push(times(&products[products.len() - 1], factor));
        }
        products
    }

    /// Degree of the product.
    fn degree(&self) -> usize {
        self.factors.iter().map(|factor| factor.len() - 1).sum()
    }

    /// The factors in -x.
    fn mirrored(&self) -> Self {
        let mut mirrored = self.clone();
        for factor in &mut mirrored.factors {
            factor.iter_mut().rev().skip(1).step_by(2).for_each(|c| *c = -*c);
        }
        mirrored
    }

    /// The sign of the product's first coefficient, and the factors in order, each with a positive first coefficient.
    fn signless(&self) -> (bool, Vec<Vec<i64>>) {
        let mut factors = self.factors.clone();
        let negative: Vec<&mut Vec<i64>> = factors.iter_mut().filter(|factor| factor[0] < 0).collect();
        let is_negative = negative.len() % 2 == 1;
        negative.into_iter().flatten().for_each(|c| *c = -*c);
        factors.sort_unstable();
        (is_negative, factors)
    }

    fn without_signs(&self) -> Vec<i64> {
        let factors = self.factors.iter().map(|factor| factor.iter().map(|c| c.abs()).collect()).collect();
        Self { factors }.value()
    }

    /// For every factor after the first and every power, the products to add up.
    fn sums(&self) -> Vec<Vec<[i64; 2]>> {
        let products = self.products();
        products.iter().zip(&self.factors[1..]).flat_map(|(left, right)| terms(left, right)).collect()
    }

    fn in_brackets(&self, between: &str) -> String {
        let factors = self.factors.iter().map(|factor| format!("({})", written(factor)));
        factors.joined(between)
    }
}

impl Exact for Factors {
    type Of = Vec<i64>;

    const HALF: u64 = 250;
    const STEPS: Steps = Steps::Equations;
    const MISTAKES: &'static [Label] = &[
        ("constant_first", "the right coefficients in reverse order, constant term first"),
        ("signs_dropped", "the product when the minus signs in the factors are ignored"),
    ];
    const PARTS: &'static [Part] =
        &[Part::new("right_coefficients", "share of the coefficients that are right")];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "expand",
            "Expand {adjacent} and collect like terms. A power of x that does not occur in the result has the \
             coefficient 0.",
        ),
        Prompt::new(
            "product",
            "What is the product of these polynomials?\n\n{factors:({factor})}\n\nIf a power of x is missing from the \
             product, its coefficient is 0.",
        ),
        Prompt::new(
            "message",
            "Could you multiply this out for me? I have {times}, and I need every coefficient of the result, including \
             the zeros for powers that drop out.",
        ),
        Prompt::held_out(
            "same_value",
            "A polynomial of degree {degree} in x takes the same value as {times} for every x. Find its coefficients, \
             including any that are 0.",
        ),
        Prompt::held_out(
            "spec",
            "{factors:p{at}(x) = {factor}}\nq(x) = {names}\n\nCompute all coefficients of q, zeros included.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.with("adjacent", || self.in_brackets("")).with("times", || self.in_brackets(" * "));
        slots.text("degree", self.degree());
        slots.with("names", || (1..=self.factors.len()).map(|at| format!("p{at}(x)")).joined(" * "));
        slots.lines("factors", (1..).zip(&self.factors), |line, (at, factor)| {
            line.text("at", at).text("factor", written(factor));
        });
    }

    fn form(&self) -> impl Form<Read = Vec<i64>> {
        let what = "coefficients, from the highest power of x down to the constant term";
        form::Integers { count: self.degree() + 1, what }
    }

    fn value(&self) -> Vec<i64> {
        self.products().pop().expect("there are factors")
    }

    fn what(&self) -> String {
        "the product".to_owned()
    }

    fn diagnosed(&self, wrong: &Vec<i64>, plain: Failure) -> Failure {
        let right = self.value();
        let Some(first) = (0..right.len()).find(|at| wrong[*at] != right[*at]) else { return plain };
        let place = match right.len() - 1 - first {
            0 => "constant term".to_owned(),
            1 => "coefficient of x".to_owned(),
            power => format!("coefficient of x^{power}"),
        };
        let mut failure = Failure::wrong(format!("the {place} is not {}", wrong[first]));
        if wrong.iter().rev().eq(&right) {
            failure = failure.also("constant_first");
        } else if *wrong == self.without_signs() {
            failure = failure.also("signs_dropped");
        }
        let same = wrong.iter().zip(&right).filter(|(a, b)| a == b).count();
        failure.part("right_coefficients", same as f32 / right.len() as f32)
    }

    fn mistakes(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<i64>> {
        let right = self.value();
        let mut slipped = |by: i64| {
            let mut slipped = right.clone();
            for at in faults.draw(right.len(), rng) {
                slipped[at] += if rng.chance(1, 2) { by } else { -by };
            }
            slipped
        };
        let mut misses = vec![slipped(1), slipped(10), slipped(2)];
        misses.extend([right.iter().rev().copied().collect(), self.without_signs()]);
        misses.push(right.iter().map(|c| -c).collect());
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<i64>)> {
        let count = self.degree() + 1;
        // The outer coefficients need no sums; those between are random.
        let mut outer: Vec<i64> = (0..count).map(|_| rng.int(-20, 20)).collect();
        outer[0] = self.factors.iter().map(|factor| factor[0]).product();
        outer[count - 1] = self.factors.iter().map(|factor| factor[factor.len() - 1]).product();
        let mut guesses = vec![("all zero", vec![0; count])];
        // Two coefficients have none between them.
        if count > 2 {
            guesses.push(("the outer ones and any between", outer));
        }
        guesses
    }

    /// One sum for every coefficient of the product of the first two, then of that and the third. It costs the
    /// digit operations of every product and every sum.
    fn work(&self, work: &mut Work) {
        let digits = |number: i64| u64::from(number.unsigned_abs().max(1).ilog10() + 1);
        // The order of the factors does not change the product, but it changes the work.
        let mut sorted = self.clone();
        sorted.factors.sort_unstable();
        work.spend(
            sorted.sums().into_iter().flatten().map(|[a, b]| digits(a) * digits(b) + digits(a * b)).sum(),
        );
        let sums = LazyCell::new(|| self.sums());
        let mut degree = self.factors[0].len() - 1;
        let counts = self.factors[1..].iter().map(|factor| {
            degree += factor.len() - 1;
            degree + 1
        });
        for at in 0..counts.sum() {
            work.with(0, || {
                let sum: i64 = sums[at].iter().map(|[a, b]| a * b).sum();
                format!("{} = {sum}", sums[at].iter().map(|[a, b]| format!("{a} * {b}")).joined(" + "))
            });
        }
    }

    fn consistent(&self) -> Result<(), String> {
        let ends = |factor: &Vec<i64>| factor[0] != 0 && factor[factor.len() - 1] != 0;
        check::that(self.factors.iter().all(ends), || {
            "`factors` has a polynomial that starts or ends with 0".to_owned()
        })?;
        check::that(self.degree() > 0, || "`factors` has numbers alone, without x".to_owned())
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        // Values at as many points as the product has coefficients determine it, even modulo a prime beyond all
        // coefficients.
        const PRIME: i128 = (1 << 61) - 1;
        let coefficients = self.value();
        let half = coefficients.len() as i128 / 2;
        for x in -half..=half {
            let at = |polynomial: &Vec<i64>| {
                polynomial.iter().fold(0, |value, c| (value * x + i128::from(*c)).rem_euclid(PRIME))
            };
            let right = self.factors.iter().fold(1, |value, factor| value * at(factor) % PRIME);
            check::that(at(&coefficients) == right, || format!("`factors` have another product at {x}"))?;
        }
        Ok(Certificate::unique(format!("equal to the factors at {} places", 2 * half + 1)))
    }

    /// Reorders the factors, and possibly negates two of them, which leaves the product, or x.
    fn disguised(self, rng: &mut Rng) -> Self {
        let mut twin = if rng.chance(1, 2) { self.mirrored() } else { self };
        rng.shuffle(&mut twin.factors);
        if rng.chance(1, 2) {
            twin.factors[..2].iter_mut().flatten().for_each(|c| *c = -*c);
        }
        twin
    }

    fn identity(&self) -> Vec<u8> {
        serde_json::to_vec(&self.signless().min(self.mirrored().signless())).expect("numbers serialise")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_multiplied_out_and_written() {
        let product = Value(Factors { factors: vec![vec![2, -1], vec![1, 0, -3], vec![-1, 1]] });
        assert_eq!(product.in_brackets(""), "(2x - 1)(x^2 - 3)(-x + 1)");
        // (2x - 1)(x^2 - 3) = 2x^3 - x^2 - 6x + 3, and that times (1 - x).
        assert_eq!(product.products()[1], [2, -1, -6, 3]);
        assert_eq!(product.solution().answer, "-2, 3, 5, -9, 3");
        assert_eq!(product.solution().steps[1], "2 * 0 + -1 * 1 = -1");
        let verdict = product.verify(vec![3, -9, 5, 3, -2], &mut Budget::new(1)).unwrap_err();
        assert_eq!(verdict.failures, [label::WRONG_ANSWER, "constant_first"]);
        assert_eq!(verdict.parts, [("right_coefficients", 0.2)]);
    }

    #[test]
    fn a_polynomial_may_have_no_leading_zero() {
        let zero = Value(Factors { factors: vec![vec![0, 1], vec![1, 1]] });
        assert!(zero.check().unwrap_err().contains("starts or ends with 0"));
    }
}
