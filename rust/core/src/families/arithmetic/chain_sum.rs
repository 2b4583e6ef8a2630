//! Add and subtract a chain of integers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::error::quoted;
use crate::params::Params;
use crate::rng::Rng;
use crate::task::answer::{Reading, integer};
use crate::task::family::{
    About, Certificate, Exhausted, JudgedBy, Problem, Solution, TaskFamily, Uncertified,
};
use crate::task::style::{Style, Template};
use crate::task::verdict::{StepVerdict, Verdict};

pub struct ChainSum;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ChainSumParams {
    /// Numbers in the chain.
    #[schemars(range(min = 2, max = 50), extend("role" = "difficulty"))]
    terms: u32,
    /// Digits of each number.
    #[schemars(range(min = 1, max = 12), extend("role" = "difficulty"))]
    digits: u32,
    /// Whether numbers are also subtracted.
    #[schemars(extend("role" = "structure"))]
    subtraction: bool,
}

impl Default for ChainSumParams {
    fn default() -> Self {
        Self { terms: 3, digits: 2, subtraction: true }
    }
}

impl Params for ChainSumParams {}

/// The numbers with their signs; the first is positive.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    terms: Vec<i64>,
}

const LARGEST: i64 = 999_999_999_999;

static ABOUT: About = About {
    name: "chain_sum",
    domain: "arithmetic",
    summary: "Add and subtract a chain of integers.",
    changes: &["First version."],
    top_level: 7,
    distinct_from: 1,
    judged_by: JudgedBy::Exact,
    answer_tag: "answer",
    templates: &[
        Template::open("question"),
        Template::open("expression"),
        Template::held_out("running_total"),
    ],
    failures: &[("wrong_sign", "the sum with its sign turned")],
    parts: &[],
    skills: &["addition", "subtraction", "carry"],
    reading: Reading::Strict,
    guess_rate: 0.03,
};

impl TaskFamily for ChainSum {
    type Params = ChainSumParams;
    type Problem = Chain;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn level(&self, level: u8) -> ChainSumParams {
        const LEVELS: [(u32, u32); 8] = [(2, 2), (3, 2), (4, 3), (5, 4), (6, 5), (8, 6), (10, 7), (12, 8)];
        let (terms, digits) = LEVELS[usize::from(level)];
        ChainSumParams { terms, digits, subtraction: true }
    }

    fn generate(
        &self,
        params: &ChainSumParams,
        rng: &mut Rng,
        _budget: &mut Budget,
    ) -> Result<Chain, Exhausted> {
        let (low, high) = (10i64.pow(params.digits - 1), 10i64.pow(params.digits) - 1);
        let term = |i| {
            let number = rng.int(low, high);
            if i > 0 && params.subtraction && rng.chance(1, 2) { -number } else { number }
        };
        Ok(Chain { terms: (0..params.terms).map(term).collect() })
    }

    fn certify(&self, chain: &Chain, _budget: &mut Budget) -> Result<Certificate, Uncertified> {
        Ok(Certificate { unique: true, proof: format!("the sum is {}", chain.sum()) })
    }
}

impl Chain {
    fn sum(&self) -> i64 {
        self.terms.iter().sum()
    }

    fn first_and_rest(&self) -> (i64, &[i64]) {
        let (first, rest) = self.terms.split_first().expect("a chain has two terms or more");
        (*first, rest)
    }

    /// The total before each term after the first, and that term.
    fn additions(&self) -> impl Iterator<Item = (i64, i64)> {
        let (first, rest) = self.first_and_rest();
        rest.iter().scan(first, |total, term| {
            let before = *total;
            *total += term;
            Some((before, *term))
        })
    }
}

impl Problem for Chain {
    fn check(&self) -> Result<(), String> {
        if !(2..=50).contains(&self.terms.len()) {
            let terms = self.terms.len();
            return Err(format!("`terms` holds {terms} numbers, but must hold 2 to 50"));
        }
        match self.terms.iter().find(|term| term.unsigned_abs() > LARGEST as u64) {
            Some(term) => Err(format!("`terms` has {term}, but may have 12 digits at most")),
            None if self.terms[0] < 0 => Err("`terms` starts with a negative number".into()),
            None => Ok(()),
        }
    }

    fn prompt(&self, style: &Style) -> String {
        let (first, rest) = self.first_and_rest();
        let mut chain = first.to_string();
        for term in rest {
            chain.extend([' ', sign(*term), ' ']);
            chain += &term.abs().to_string();
        }
        let asked = match style.template {
            0 => format!("What is {chain}?"),
            1 => format!("Work out the value of this expression:\n\n{chain}\n"),
            _ => {
                let moves = rest.iter().map(|term| {
                    let verb = if *term < 0 { "Subtract" } else { "Add" };
                    format!(" {verb} {}.", term.abs())
                });
                let moves: String = moves.collect();
                format!("Start with {first}.{moves} Which number do you end with?")
            }
        };
        format!(
            "{asked}\nGive it as one integer in digits, without separators, inside <answer></answer> tags."
        )
    }

    fn solution(&self) -> Solution {
        let step =
            |(total, term): (i64, i64)| format!("{total} {} {} = {}", sign(term), term.abs(), total + term);
        Solution { steps: self.additions().map(step).collect(), answer: self.sum().to_string() }
    }

    fn verify(&self, answer: &str, _budget: &mut Budget) -> Verdict {
        match integer(answer) {
            Ok(Some(number)) if number == self.sum() => Verdict::pass(),
            Ok(Some(number)) if number == -self.sum() => {
                Verdict::wrong(format!("{number} has the wrong sign")).also("wrong_sign")
            }
            Ok(_) => Verdict::wrong(format!("`{}` is not the sum", quoted(answer))),
            Err(reason) => Verdict::malformed(reason),
        }
    }

    fn difficulty(&self) -> f32 {
        let effort: u32 = self.additions().map(|(total, term)| digit_work(total, term)).sum();
        effort as f32 / (effort as f32 + 40.0)
    }

    fn wrong_answers(&self, rng: &mut Rng) -> Vec<String> {
        let sum = self.sum();
        let slip = self.terms[rng.index(self.terms.len())];
        let place = 10i64.pow(rng.below(3) as u32);
        let numbers = [sum + 1, sum - 1, sum + place, -sum, sum - slip, sum - 2 * slip, sum * 10];
        let near = numbers.into_iter().filter(|number| *number != sum).map(|n| n.to_string());
        let broken = [format!("{sum}.0"), format!("{sum} {sum}"), format!("{sum} or {}", sum + 1)];
        near.chain(broken).collect()
    }

    /// A step is `total + term = new total`; it leads on when it takes up the next term.
    fn check_step(&self, before: &[&str], step: &str, _budget: &mut Budget) -> Option<StepVerdict> {
        let mut wanted = self.additions().peekable();
        for earlier in before.iter().take(2 * self.terms.len()) {
            wanted.next_if(|next| read_step(earlier).is_ok_and(|(l, t, r)| (l, t) == *next && l + t == r));
        }
        Some(match (read_step(step), wanted.peek()) {
            (Err(reason), _) => StepVerdict::wrong(reason),
            (Ok((left, term, result)), _) if left + term != result => {
                StepVerdict::wrong(format!("it is {}, not {result}", left + term))
            }
            (Ok((left, term, _)), Some(next)) if (left, term) == *next => StepVerdict::advances(),
            (Ok(_), Some((total, term))) => StepVerdict::idle(format!(
                "true, but the next step is {total} {} {}",
                sign(*term),
                term.abs()
            )),
            (Ok(_), None) => StepVerdict::idle("true, but the sum is already there"),
        })
    }
}

fn sign(term: i64) -> char {
    if term < 0 { '-' } else { '+' }
}

/// Reads `left ± right = result` as `(left, ±right, result)`.
fn read_step(step: &str) -> Result<(i64, i64, i64), String> {
    let refuse = || format!("`{}` is not a step like 12 + 34 = 46", quoted(step));
    let words: Vec<&str> = step.split_whitespace().take(6).collect();
    let [left, operator, right, "=", result] = words[..] else {
        return Err(refuse());
    };
    let number = |text| integer(text)?.filter(|n| n.abs() <= 100 * LARGEST).ok_or_else(refuse);
    let (left, right, result) = (number(left)?, number(right)?, number(result)?);
    match operator {
        "+" => Ok((left, right, result)),
        "-" | "−" => Ok((left, -right, result)),
        _ => Err(refuse()),
    }
}

/// Digit operations of one addition, a carry or borrow counting as one more.
fn digit_work(total: i64, term: i64) -> u32 {
    let (mut a, mut b) = (total.unsigned_abs(), term.unsigned_abs());
    let subtracts = (total < 0) != (term < 0);
    let mut carry = false;
    let mut work = 0;
    while a > 0 || b > 0 {
        let (x, y) = (a % 10, b % 10 + u64::from(carry));
        carry = if subtracts { x < y } else { x + y > 9 };
        work += 1 + u32::from(carry);
        (a, b) = (a / 10, b / 10);
    }
    work
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(terms: &[i64]) -> Chain {
        Chain { terms: terms.to_vec() }
    }

    #[test]
    fn equal_notations_pass_and_near_misses_fail() {
        let chain = chain(&[12, -40, 3]);
        let passes = |answer| chain.verify(answer, &mut Budget::new(10)).passed;
        for right in ["-25", "−25", "-025"] {
            assert!(passes(right), "{right}");
        }
        for wrong in ["25", "-24", "-25.0", "-2 5", "", "-25 -25", "12 - 40 + 3"] {
            assert!(!passes(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_sum_of_zero_is_a_number_like_any_other() {
        assert!(chain(&[5, -5]).verify("0", &mut Budget::new(10)).passed);
        assert!(!chain(&[5, -5]).verify("", &mut Budget::new(10)).passed);
    }

    #[test]
    fn steps_are_true_or_false_and_lead_on_or_do_not() {
        let chain = chain(&[12, 30, -2]);
        let judge = |before: &[&str], step| chain.check_step(before, step, &mut Budget::new(10)).unwrap();
        assert!(judge(&[], "12 + 30 = 42").advances);
        assert!(judge(&["12 + 30 = 42"], "42 - 2 = 40").advances);
        assert!(!judge(&[], "12 + 30 = 43").holds);
        assert!(!judge(&[], "let me think").holds);
        let idle = judge(&[], "1 + 1 = 2");
        assert!(idle.holds && !idle.advances);
        let again = judge(&["12 + 30 = 42"], "12 + 30 = 42");
        assert!(again.holds && !again.advances);
    }
}
