//! Find the greatest common divisor or the least common multiple of some numbers.

use kit::task::prelude::*;

pub struct GcdLcm;

params! {
    pub struct GcdLcmParams {
        /// Number of integers.
        numbers: u32 [2..=6],
        /// The largest that a number may be.
        largest: u32 [20..=99_999],
        /// Problems that ask for the greatest common divisor, in percent; the rest ask for the least common multiple.
        gcd_percent: u32 [0..=100, structure],
    }
    levels {
        (2, 99, 100),
        (2, 99, 60),
        (2, 99, 20),
        (2, 199, 30),
        (2, 999, 50),
        (3, 999, 50),
        (3, 9_999, 50),
        (4, 9_999, 50),
        (5, 30_000, 50),
        (6, 99_999, 30),
    }
    default 4
    check Self::consistent;
}

impl GcdLcmParams {
    fn consistent(&self) -> Result<(), String> {
        // There must be common divisors to draw.
        let least = 2 * (3 * self.numbers - 1);
        check::that(self.largest >= least, || {
            format!("`largest` must be at least {least} for {} numbers", self.numbers)
        })
    }
}

/// Distinct numbers, and whether the question is about their least common multiple or their greatest common
/// divisor.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Numbers {
    numbers: Vec<u64>,
    lcm: bool,
}

/// Largest number and largest multiple that a problem may have.
const LARGEST: u64 = 99_999;
const MOST: u64 = 1_000_000_000_000_000;

impl TaskFamily for GcdLcm {
    type Params = GcdLcmParams;
    type Problem = Numbers;

    const ABOUT: About = About {
        summary: "Find the greatest common divisor or the least common multiple of some numbers.",
        failures: &[
            ("common_but_not_best", "a common divisor or multiple, but not the greatest or the least"),
            ("gcd_lcm_confused", "the least common multiple for the greatest common divisor, or the reverse"),
        ],
        skills: &["divisibility", "euclidean_algorithm", "multiplication"],
        distinct_from: 4,
        guess_rate: 0.082,
        guess_score: 0.082,
        ..About::new("arithmetic", "gcd_lcm", &["First version."])
    };

    /// Draws the common divisor first, so that all are equally likely, then multiples of it. The answer is
    /// never one of the numbers or a difference of two.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Numbers> {
        let (count, largest) = (params.numbers as usize, u64::from(params.largest));
        let lcm = !rng.chance(params.gcd_percent.into(), 100);
        let most = (largest / (3 * count as u64 - 1)).min(largest.isqrt() * if lcm { 1 } else { 2 });
        let mut common = 2 + rng.below(most - 1);
        loop {
            budget.spend(1)?;
            let drawn = (0..count).map(|_| common * (2 + rng.below(largest / common - 1))).collect();
            let drawn = Numbers { numbers: drawn, lcm };
            let (value, numbers) = (drawn.value(), &drawn.numbers);
            let given_away = |n: &u64| *n == value || numbers.contains(&(n + value));
            if drawn.check().is_ok() && joined(numbers, false) == common && !numbers.iter().any(given_away) {
                return Ok(drawn);
            }
            // With a small divisor, there may be no multiple that is small enough.
            if lcm {
                common = 2 + rng.below(most - 1);
            }
        }
    }

    fn certify(&self, problem: &Numbers, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let value = problem.value();
        budget.spend(LARGEST).map_err(|over| over.to_string())?;
        let better =
            |by| if problem.lcm { value.is_multiple_of(by).then(|| value / by) } else { Some(value * by) };
        check::that(!(2..=LARGEST).filter_map(better).any(|value| problem.is_common(value)), || {
            format!("`numbers` have a better common one than {value}")
        })?;
        Ok(Certificate::unique(format!("{value} is common, and no factor makes it better")))
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The least common multiple or the greatest common divisor.
fn joined(numbers: &[u64], lcm: bool) -> u64 {
    let join = |a, b: &u64| if lcm { (a / gcd(a, *b)).saturating_mul(*b) } else { gcd(a, *b) };
    numbers.iter().fold(u64::from(lcm), join)
}

impl Numbers {
    fn value(&self) -> u64 {
        joined(&self.numbers, self.lcm)
    }

    fn is_common(&self, value: u64) -> bool {
        self.numbers.iter().all(|n| if self.lcm { value.is_multiple_of(*n) } else { n.is_multiple_of(value) })
    }

    fn words(&self) -> [&'static str; 2] {
        if self.lcm { ["least", "multiple"] } else { ["greatest", "divisor"] }
    }
}

impl Problem for Numbers {
    type Answer = i64;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("named", |problem| {
            let ([best, kind], numbers) = (problem.words(), words::and(&problem.numbers));
            format!("What is the {best} common {kind} of {numbers}?")
        }),
        Template::plain("defined", |problem| {
            let asked = if problem.lcm {
                "smallest positive integer divisible by"
            } else {
                "largest integer that divides"
            };
            format!("Find the {asked} each of the numbers {}.", words::and(&problem.numbers))
        }),
        Template::held_out_plain("story", |problem| {
            let (count, numbers) = (problem.numbers.len(), words::and(&problem.numbers));
            if problem.lcm {
                return format!(
                    "Each of {count} lamps flashes at its own interval: {numbers} seconds. All of them have just flashed \
                     together. How many seconds will pass until they all flash together again?"
                );
            }
            format!(
                "You have {count} ropes, {numbers} centimeters long. Cut them into pieces that all have the same length, a \
                 whole number of centimeters, with nothing left over. How many centimeters long can the pieces be at most?"
            )
        }),
        Template::held_out_plain("specification", |problem| {
            let (numbers, name) = (words::and(&problem.numbers), if problem.lcm { "LCM" } else { "GCD" });
            format!("Input: the integers {numbers}. Output: their {name}, as a single positive integer.")
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("numbers", &self.numbers, 2..=6, "numbers")?;
        check::each("numbers", &self.numbers, |n| (2..=LARGEST).contains(n), "they go from 2 to 99999")?;
        check::distinct("numbers", &self.numbers)?;
        check::that(!self.lcm || self.value() <= MOST, || {
            format!("`numbers` have no common multiple up to {MOST}")
        })
    }

    fn form(&self) -> impl Form<Read = i64> {
        form::Integer
    }

    /// The Euclidean algorithm, number by number.
    fn solution(&self) -> Solution {
        let (mut steps, mut so_far) = (Vec::new(), self.numbers[0]);
        for number in &self.numbers[1..] {
            let (mut a, mut b) = (so_far.max(*number), so_far.min(*number));
            while b > 0 {
                let rest = if a.is_multiple_of(b) { String::new() } else { format!(" + {}", a % b) };
                steps.push(format!("{a} = {} * {b}{rest}", a / b));
                (a, b) = (b, a % b);
            }
            if self.lcm {
                steps.push(format!("{so_far} / {a} * {number} = {}", so_far / a * number));
            }
            so_far = if self.lcm { so_far / a * number } else { a };
        }
        Solution::new(steps, so_far)
    }

    fn answer(&self) -> String {
        self.value().to_string()
    }

    fn verify(&self, answer: i64, _: &mut Budget) -> Judged {
        let ([best, kind], number) = (self.words(), u64::try_from(answer).unwrap_or_default());
        if number == self.value() {
            return Ok(());
        }
        let wrong = Failure::wrong(format!("{answer} is not the {best} common {kind}"));
        Err(match number {
            0 => wrong,
            _ if self.is_common(number) => wrong.also("common_but_not_best"),
            _ if number == joined(&self.numbers, !self.lcm) => wrong.also("gcd_lcm_confused"),
            _ => wrong,
        })
    }

    fn near_misses(&self, _: Faults, _: &mut Rng) -> Vec<i64> {
        let (value, numbers) = (self.value(), &self.numbers);
        let product = numbers.iter().fold(1, |product: u64, number| product.saturating_mul(*number));
        let factor = (2..=value).find(|factor| value.is_multiple_of(*factor)).unwrap_or(2);
        let [other, first_two] = [joined(numbers, !self.lcm), joined(&numbers[..2], self.lcm)];
        let near =
            [value * 2, value / factor, value + 1, numbers[0], first_two, other.min(MOST), product.min(MOST)];
        near.into_iter().filter(|number| *number != value).map(|number| number as i64).collect()
    }

    fn guesses(&self, _: &mut Rng) -> Vec<(&'static str, i64)> {
        let [a, b] = [self.numbers[0] as i64, self.numbers[1] as i64];
        vec![("the smaller of two", a.min(b)), ("their difference", (a - b).abs()), ("their product", a * b)]
    }

    /// Reorders the numbers.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut twin = self.clone();
        rng.shuffle(&mut twin.numbers);
        twin
    }

    fn fingerprint(&self) -> Vec<u8> {
        let mut sorted = self.clone();
        sorted.numbers.sort_unstable();
        serde_json::to_vec(&sorted).expect("numbers serialise")
    }

    /// Characters of the written calculation.
    fn effort(&self) -> Effort {
        Effort::new(self.solution().steps.concat().len() as u64, 150)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(Box::new(Equations::new(self.solution().steps)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{fails, passes};

    /// The standard example of the Euclidean algorithm.
    #[test]
    fn both_answers_to_a_known_pair() {
        let divisor = Numbers { numbers: vec![1_071, 462], lcm: false };
        let steps = ["1071 = 2 * 462 + 147", "462 = 3 * 147 + 21", "147 = 7 * 21"].map(String::from).to_vec();
        assert_eq!(divisor.solution(), Solution { steps, answer: "21".to_owned() });
        fails(&divisor, "7", "common_but_not_best", "7 is not the greatest common divisor");
        fails(&divisor, "23562", "gcd_lcm_confused", "23562 is not the greatest common divisor");
        fails(&divisor, "0", label::WRONG_ANSWER, "0 is not the greatest common divisor");
        passes(&Numbers { lcm: true, ..divisor }, "23562");
    }
}
