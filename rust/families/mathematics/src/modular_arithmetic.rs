//! Carry out a chain of operations modulo a number.

use kit::task::prelude::*;

pub struct ModularArithmetic;

params! {
    pub struct ModularArithmeticParams {
        /// Operations after the first number.
        operations: u32 [1..=30],
        /// Largest number in the chain.
        largest: u32 [9..=1_000_000],
        /// Largest modulus; the smallest is just over half of it.
        modulus: u32 [20..=1_000_000],
    }
    levels {
        (1, 9, 40),
        (1, 20, 40),
        (2, 9, 40),
        (2, 20, 40),
        (3, 40, 60),
        (4, 99, 99),
        (5, 200, 200),
        (6, 999, 500),
        (8, 999, 999),
        (12, 9_999, 9_999),
        (20, 99_999, 99_999),
    }
    default 5
}

/// A first number, the signs and numbers that follow it, evaluated from left to right, and the modulus.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remainder {
    first: u64,
    operations: Vec<(char, u64)>,
    modulus: u64,
}

const LARGEST: u64 = 1_000_000;

impl TaskFamily for ModularArithmetic {
    type Params = ModularArithmeticParams;
    type Problem = Remainder;

    const ABOUT: About = About {
        summary: "Carry out a chain of operations modulo a number.",
        failures: &[("not_reduced", "right except for a multiple of the modulus")],
        skills: &["modular_arithmetic", "multiplication", "subtraction"],
        distinct_from: 1,
        guess_rate: 0.068,
        guess_score: 0.068,
        ..About::new("arithmetic", "modular_arithmetic", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, _: &mut Budget) -> Drawn<Remainder> {
        let mut number = || 2 + rng.below(u64::from(params.largest) - 1);
        let numbers: Vec<u64> = (0..=params.operations).map(|_| number()).collect();
        let (first, rest) = numbers.split_first().expect("there is a first number");
        let operations = rest.iter().map(|by| (*rng.pick(&['+', '-', '*']), *by)).collect();
        let (low, high) = (i64::from(params.modulus / 2) + 1, i64::from(params.modulus));
        Ok(Remainder { first: *first, operations, modulus: rng.int(low, high) as u64 })
    }

    fn certify(&self, chain: &Remainder, _: &mut Budget) -> Result<Certificate, Uncertified> {
        Ok(Certificate::unique(format!("the remainder is {}", chain.value())))
    }
}

impl Remainder {
    /// Each operation with the remainder before and after it.
    fn walk(&self) -> impl Iterator<Item = (u64, char, u64, u64)> {
        self.operations.iter().scan(self.first % self.modulus, |value, (sign, by)| {
            let (before, reduced) = (*value, by % self.modulus);
            *value = match sign {
                '+' => before + reduced,
                '-' => before + self.modulus - reduced,
                _ => before * reduced,
            } % self.modulus;
            Some((before, *sign, *by, *value))
        })
    }

    fn value(&self) -> u64 {
        self.walk().last().map_or(self.first % self.modulus, |(.., after)| after)
    }

    fn expression(&self) -> String {
        let joined = |text: String, (sign, by): &(char, u64)| format!("({text} {sign} {by})");
        self.operations.iter().fold(self.first.to_string(), joined)
    }

    /// "add 30, then multiply by 7".
    fn told(&self) -> String {
        let told = self.operations.iter().map(|(sign, by)| match sign {
            '+' => format!("add {by}"),
            '-' => format!("subtract {by}"),
            _ => format!("multiply by {by}"),
        });
        told.joined(", then ")
    }

    fn dial(&self) -> String {
        let last = self.modulus - 1;
        format!(
            "The numbers from 0 to {last} are arranged around a dial, so that counting on from {last} leads to 0 and \
             counting back from 0 leads to {last}. Start with {}, then {}, going around the dial as often as it takes. \
             On which number of the dial does the result land?",
            self.first,
            self.told()
        )
    }
}

impl Problem for Remainder {
    type Answer = i64;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("remainder", |chain| {
            let (expression, modulus) = (chain.expression(), chain.modulus);
            format!(
                "What is the remainder when {expression} is divided by {modulus}? A remainder is never negative."
            )
        }),
        Template::plain("modulo", |chain| {
            let (expression, modulus) = (chain.expression(), chain.modulus);
            format!(
                "Evaluate modulo {modulus} and reduce the result to a number from 0 to {}:\n\n{expression}\n",
                modulus - 1
            )
        }),
        Template::plain("message", |chain| {
            let (first, told, modulus) = (chain.first, chain.told(), chain.modulus);
            format!(
                "I'm tracing a checksum by hand. It starts with {first}. Then I have to {told}, and finally reduce \
                 everything modulo {modulus}. Which number from 0 to {} should come out?",
                modulus - 1
            )
        }),
        Template::held_out_plain("dial", Self::dial),
        Template::held_out_plain("assignments", |chain| {
            let lines = chain.operations.iter().map(|(sign, by)| format!("x = x {sign} {by}"));
            let (first, lines, modulus) = (chain.first, lines.lines(), chain.modulus);
            format!(
                "Carry out these assignments from top to bottom, where mod gives a remainder that is never negative:\
                 \n\nx = {first}\n{lines}\nx = x mod {modulus}\n\nWhat is the final value of x?"
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::within("first", &self.first, 0..=LARGEST)?;
        check::within("modulus", &self.modulus, 2..=LARGEST)?;
        check::length("operations", &self.operations, 1..=30, "operations")?;
        let fits = |(sign, by): &(char, u64)| "+-*".contains(*sign) && *by <= LARGEST;
        check::that(self.operations.iter().all(fits), || {
            format!("`operations` must be signs of + - * with numbers from 0 to {LARGEST}")
        })
    }

    fn form(&self) -> impl Form<Read = i64> {
        form::Integer
    }

    fn solution(&self) -> Solution {
        let modulus = self.modulus;
        let first = format!("{} mod {modulus} = {}", self.first, self.first % modulus);
        let step = |(before, sign, by, after)| format!("({before} {sign} {by}) mod {modulus} = {after}");
        Solution::new(std::iter::once(first).chain(self.walk().map(step)), self.value())
    }

    fn verify(&self, answer: i64, _: &mut Budget) -> Judged {
        let (value, modulus) = (self.value() as i64, self.modulus as i64);
        if answer == value {
            return Ok(());
        }
        if answer.rem_euclid(modulus) == value {
            let detail = format!("{answer} is not between 0 and {}", modulus - 1);
            return Err(Failure::wrong(detail).also("not_reduced"));
        }
        Err(Failure::wrong(format!("{answer} is not the remainder")))
    }

    fn near_misses(&self, _: Faults, rng: &mut Rng) -> Vec<i64> {
        let (value, modulus) = (self.value() as i64, self.modulus as i64);
        let (.., slipped) = *rng.pick(&self.walk().collect::<Vec<_>>());
        let near = [value + 1, value - 1, value + modulus, value - modulus, slipped as i64];
        near.into_iter().filter(|number| *number != value).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, i64)> {
        vec![("a random remainder", rng.below(self.modulus) as i64)]
    }

    /// Adds the modulus to some numbers, or subtracts it.
    fn twin(&self, rng: &mut Rng) -> Self {
        let modulus = self.modulus;
        let mut other = |number: u64| match rng.below(3) {
            0 if number + modulus <= LARGEST => number + modulus,
            1 if number > modulus => number - modulus,
            _ => number,
        };
        let operations = self.operations.iter().map(|(sign, by)| (*sign, other(*by))).collect();
        Self { first: other(self.first), operations, modulus }
    }

    /// The numbers as remainders, which are all that matters.
    fn fingerprint(&self) -> Vec<u8> {
        let modulus = self.modulus;
        let operations: Vec<(char, u64)> =
            self.operations.iter().map(|(sign, by)| (*sign, by % modulus)).collect();
        serde_json::to_vec(&Self { first: self.first % modulus, operations, modulus })
            .expect("numbers serialise")
    }

    /// Digit operations: a product counts as many as the product of its factors' digits, and as many again to
    /// reduce it.
    fn effort(&self) -> Effort {
        let digits = |number: u64| u64::from(number.max(1).ilog10() + 1);
        let work = |(before, sign, by, _)| match sign {
            '*' => 2 * digits(before) * digits(by),
            _ => digits(before).max(digits(by)) + 1,
        };
        Effort::new(self.walk().map(work).sum(), 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remainders_are_never_negative() {
        let chain = Remainder { first: 7, operations: vec![('-', 30), ('*', 5), ('+', 1)], modulus: 11 };
        // 7 - 30 = -23, which leaves 10; 10 * 5 = 50 leaves 6; 6 + 1 = 7.
        assert_eq!((chain.value(), chain.expression()), (7, "(((7 - 30) * 5) + 1)".to_owned()));
    }
}
