//! Add and subtract a chain of integers.

use kit::prelude::*;
use kit::shape::value::{Exact, Value};

pub struct ChainSum;

params! {
    pub struct ChainSumParams {
        /// Numbers in the chain.
        terms: u32 [2..=50],
        /// Digits of each number.
        digits: u32 [1..=12],
        /// True if numbers are subtracted as well as added.
        subtraction: bool [structure],
        /// True if all numbers after the first have one digit.
        small_steps: bool [difficulty, if_set],
        /// True if no addition carries and no subtraction borrows.
        plain: bool [difficulty, if_set],
    }
    levels {
        (2, 2, true, true, true),
        (2, 2, true, true, false),
        (2, 2, true, false, false),
        (3, 2, true, false, false),
        (4, 3, true, false, false),
        (5, 4, true, false, false),
        (6, 5, true, false, false),
        (8, 6, true, false, false),
        (10, 7, true, false, false),
        (12, 8, true, false, false),
    }
    default 3
}

problem! {
    /// The numbers with their signs; the first is positive. In another order they have other steps, so that it is
    /// another problem.
    pub struct Chain {
        terms: Vec<i64> [items(2..=50, "numbers", -LARGEST..=LARGEST)],
    }
}

const LARGEST: i64 = 999_999_999_999;

impl TaskFamily for ChainSum {
    type Params = ChainSumParams;
    type Problem = Value<Chain>;

    const ABOUT: About = About {
        summary: "Add and subtract a chain of integers.",
        distinct_from: 3,
        skills: &["addition", "subtraction", "carry"],
        guess_rate: 0.0175,
        guess_score: 0.0175,
        ..Value::<Chain>::about("arithmetic", "chain_sum", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Value<Chain>> {
        loop {
            budget.spend(u64::from(params.terms))?;
            let term = |i| {
                let digits = if i > 0 && params.small_steps { 1 } else { params.digits };
                let number = rng.int(10i64.pow(digits - 1), 10i64.pow(digits) - 1);
                if i > 0 && params.subtraction && rng.chance(1, 2) { -number } else { number }
            };
            let chain = Chain { terms: (0..params.terms).map(term).collect() };
            if !params.plain || chain.additions().all(|(total, term)| digit_work(total, term).carries == 0) {
                return Ok(Value(chain));
            }
        }
    }
}

impl Chain {
    /// The total before each term after the first, and that term.
    fn additions(&self) -> impl Iterator<Item = (i64, i64)> {
        self.terms[1..].iter().scan(self.terms[0], |total, term| {
            let before = *total;
            *total += term;
            Some((before, *term))
        })
    }

    /// The step that adds a term to the total of the step before.
    fn step(&self, term: i64, before: &str) -> Option<String> {
        let total = match before.rsplit_once(" = ") {
            _ if before.is_empty() => self.terms[0],
            total => total?.1.parse().ok()?,
        };
        (-1_000 * LARGEST..=1_000 * LARGEST).contains(&total).then(|| addition(total, term))
    }
}

/// The step that adds a term to a total.
fn addition(total: i64, term: i64) -> String {
    format!("{total} {} {} = {}", sign(term), term.abs(), total + term)
}

impl Trace for Chain {
    fn follows(&self, at: usize, before: &str) -> Option<String> {
        self.step(*self.terms.get(at + 1)?, before)
    }

    /// Takes the other sign, or another of the terms.
    fn misread(&self, at: usize, before: &str, rng: &mut Rng) -> Option<String> {
        let term = *self.terms.get(at + 1)?;
        let other = if rng.chance(1, 2) { -term } else { *rng.pick(&self.terms[1..]) };
        (other != term).then(|| self.step(other, before)).flatten()
    }
}

impl Exact for Chain {
    type Of = i64;

    const HALF: u64 = 40;
    const STEPS: Steps = Steps::Equations;
    const MISTAKES: &'static [Label] = &[("wrong_sign", "the right number with the opposite sign")];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new("question", "What is {expression}?"),
        Prompt::new("expression", "Evaluate the following expression:\n\n{expression}\n"),
        Prompt::new(
            "message",
            "Could you double-check a total for me? I keep getting different numbers for {expression}. What is the right \
             one?",
        ),
        Prompt::held_out("running_total", "Start with {first}.{moves} What number do you end up with?"),
        Prompt::held_out(
            "ledger",
            "An account opens with a balance of {first#dollar}. Its statement then lists these entries, deposits with + \
             and withdrawals with -:\n\n{entries:{sign}{size}}\n\nThe balance may go below zero. What is it, in dollars, \
             at the end?",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        let (first, rest) = (self.terms[0], &self.terms[1..]);
        let spaced = |term: &i64| format!(" {} {}", sign(*term), term.abs());
        slots.text("first", first);
        slots.with("expression", || first.to_string() + &rest.iter().map(spaced).collect::<String>());
        let verb = |term: &i64| if *term < 0 { "Subtract" } else { "Add" };
        let told = |term: &i64| format!(" {} {}.", verb(term), term.abs());
        slots.with("moves", || rest.iter().map(told).collect::<String>());
        slots.lines("entries", rest, |line, term| {
            line.text("sign", sign(*term)).text("size", term.abs());
        });
    }

    fn form(&self) -> impl Form<Read = i64> {
        form::Integer
    }

    fn value(&self) -> i64 {
        self.terms.iter().sum()
    }

    fn what(&self) -> String {
        "the sum".to_owned()
    }

    fn diagnosed(&self, wrong: &i64, plain: Failure) -> Failure {
        match self.value() {
            value if *wrong == -value => {
                Failure::wrong(format!("{wrong} has the wrong sign")).also("wrong_sign")
            }
            value if label::is_arithmetic_slip(*wrong, value) => plain.also(label::ARITHMETIC_SLIP),
            _ => plain,
        }
    }

    fn mistakes(&self, _: Faults, rng: &mut Rng) -> Vec<i64> {
        let (sum, slip, place) = (self.value(), *rng.pick(&self.terms), 10i64.pow(rng.below(3) as u32));
        vec![sum + 1, sum - 1, sum + place, -sum, sum - slip, sum - 2 * slip, sum * 10]
    }

    fn work(&self, work: &mut Work) {
        for (total, term) in self.additions() {
            work.with(digit_work(total, term).all(), || addition(total, term));
        }
    }

    fn trace(&self) -> Option<Box<dyn Trace + '_>> {
        Some(Box::new(self.clone()))
    }

    fn consistent(&self) -> Result<(), String> {
        check::that(self.terms[0] >= 0, || "`terms` starts with a negative number".into())
    }

    fn edited(&self, _: Aim, _: &mut Rng) -> Option<Self> {
        None
    }
}

fn sign(term: i64) -> &'static str {
    if term < 0 { "-" } else { "+" }
}

/// Digit operations of one addition.
struct DigitWork {
    /// Digits of the larger number that the smaller one or a carry changes.
    digits: u64,
    carries: u64,
}

impl DigitWork {
    /// A carry or borrow counts as one more.
    fn all(&self) -> u64 {
        self.digits + self.carries
    }
}

fn digit_work(total: i64, term: i64) -> DigitWork {
    let (total, term, subtracts) = (total.unsigned_abs(), term.unsigned_abs(), (total < 0) != (term < 0));
    let (mut a, mut b) = (total.max(term), total.min(term));
    let (mut carry, mut work) = (false, DigitWork { digits: 0, carries: 0 });
    while a > 0 && (b > 0 || carry) {
        let (x, y) = (a % 10, b % 10 + u64::from(carry));
        carry = if subtracts { x < y } else { x + y > 9 };
        work.digits += 1;
        work.carries += u64::from(carry);
        (a, b) = (a / 10, b / 10);
    }
    work
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::task::steps::judge_steps;

    fn chain(terms: &[i64]) -> Value<Chain> {
        Value(Chain { terms: terms.to_vec() })
    }

    #[test]
    fn equal_notations_pass_and_near_misses_fail() {
        let chain = chain(&[12, -40, 3]);
        let passes = |answer| {
            chain.form().read(answer).and_then(|sum| chain.verify(sum, &mut Budget::new(10))).is_ok()
        };
        for right in ["-25", "−25", "-025"] {
            assert!(passes(right), "{right}");
        }
        for wrong in ["25", "-24", "-25.0", "-2 5", "", "-25 -25", "12 - 40 + 3"] {
            assert!(!passes(wrong), "{wrong}");
        }
        let slipped = |wrong: i64| {
            chain.diagnosed(&wrong, Failure::wrong("")).failures.contains(&label::ARITHMETIC_SLIP)
        };
        assert!([-24, -26, -15, -35].into_iter().all(slipped));
        assert!(![25, -27, -5, -125, 75].into_iter().any(slipped));
    }

    #[test]
    fn steps_are_true_or_false_and_lead_on_or_do_not() {
        let chain = chain(&[12, 30, -2]);
        let judged = |steps: &[&str]| {
            judge_steps(&mut *chain.steps().unwrap(), steps, &mut Budget::new(1_000)).pop().unwrap()
        };
        assert!(judged(&["12 + 30 = 42"]).advances);
        assert!(judged(&["12 + 30 = 42", "42 - 2 = 40"]).advances);
        assert!(!judged(&["12 + 30 = 43"]).holds);
        assert!(!judged(&["let me think"]).holds);
        let idle = judged(&["1 + 1 = 2"]);
        assert!(idle.holds && !idle.advances);
        let again = judged(&["12 + 30 = 42", "12 + 30 = 42"]);
        assert!(again.holds && !again.advances);
    }
}
