//! Carry out a chain of operations on fractions exactly.

use std::fmt::Write;
use std::iter::Peekable;

use kit::shared::rational::{Rational, gcd};
use kit::task::form::fraction::NOT_LOWEST_TERMS;
use kit::task::prelude::*;

pub struct FractionArithmetic;

params! {
    pub struct FractionArithmeticParams {
        /// Operations after the first fraction.
        operations: u32 [1..=12],
        /// Largest numerator or denominator.
        largest: u32 [5..=99],
        /// True if fractions are multiplied and divided as well as added and subtracted.
        products: bool [structure],
    }
    levels {
        (1, 7, false),
        (1, 14, true),
        (2, 9, true),
        (2, 20, true),
        (3, 20, true),
        (4, 30, true),
        (5, 40, true),
        (6, 60, true),
        (7, 99, true),
    }
    default 4
}

/// A first fraction, and the signs and fractions that follow it, evaluated from left to right. A fraction is
/// a numerator and a denominator.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    first: [u32; 2],
    operations: Vec<(char, [u32; 2])>,
}

/// Largest intermediate numerator or denominator.
const LARGEST: i128 = 1_000_000_000_000_000;

impl TaskFamily for FractionArithmetic {
    type Params = FractionArithmeticParams;
    type Problem = Chain;

    const ABOUT: About = About {
        summary: "Carry out a chain of operations on fractions exactly.",
        judged_by: JudgedBy::Normalized,
        failures: &[
            NOT_LOWEST_TERMS,
            ("wrong_sign", "the right value with the opposite sign"),
            ("upside_down", "the reciprocal of the right value"),
        ],
        skills: &["fractions", "common_denominators", "reduction"],
        distinct_from: 1,
        guess_rate: 0.021,
        guess_score: 0.021,
        ..About::new("arithmetic", "fraction_arithmetic", &["First version."])
    };

    /// Draws chains until no number grows too large.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Chain> {
        let signs = if params.products { "+-*/" } else { "+-" };
        let signs: Vec<char> = signs.chars().collect();
        loop {
            budget.spend(u64::from(params.operations))?;
            // No whole numbers: 1, for example, would leave other factors unchanged. A single operation gets
            // fractions in lowest terms, as its step shows no others.
            let mut fraction = || loop {
                let [above, below] = [1, 2].map(|low| rng.int(low, i64::from(params.largest)));
                let reduced = gcd(above.into(), below.into()) == 1;
                if above % below != 0 && (reduced || params.operations > 1) {
                    return [above as u32, below as u32];
                }
            };
            let first = fraction();
            let fractions: Vec<[u32; 2]> = (0..params.operations).map(|_| fraction()).collect();
            let operations = fractions.into_iter().map(|fraction| (*rng.pick(&signs), fraction)).collect();
            let chain = Chain { first, operations };
            if chain.check().is_ok() {
                return Ok(chain);
            }
        }
    }
}

fn rational([above, below]: [u32; 2]) -> Option<Rational> {
    Rational::new(above.into(), below.into())
}

fn apply(left: Rational, sign: char, right: Rational) -> Option<Rational> {
    match sign {
        '+' => left.checked_add(right),
        '-' => left.checked_sub(right),
        '*' => left.checked_mul(right),
        _ => left.checked_div(right),
    }
}

impl Chain {
    /// Each operation with the value before and after it, up to the first that is undefined.
    fn walk(&self) -> impl Iterator<Item = (Rational, char, Rational, Rational)> {
        self.operations.iter().scan(rational(self.first), |value, (sign, by)| {
            let (before, by) = ((*value)?, rational(*by)?);
            *value = apply(before, *sign, by);
            Some((before, *sign, by, (*value)?))
        })
    }

    fn value(&self) -> Rational {
        self.walk().last().map_or(Rational::ZERO, |(.., after)| after)
    }

    fn expression(&self) -> String {
        let [above, below] = self.first;
        // Everything before an operation is in parentheses; the first fraction already has its own.
        let mut text = "(".repeat(self.operations.len() - 1);
        write!(text, "({above}/{below})").expect("strings grow");
        for (at, (sign, [above, below])) in self.operations.iter().enumerate() {
            let close = if at > 0 { ")" } else { "" };
            write!(text, "{close} {sign} ({above}/{below})").expect("strings grow");
        }
        text
    }

    /// "add 5/6", "divide by 1/2" and so on.
    fn told(&self, between: &str) -> String {
        let told = self.operations.iter().map(|(sign, [above, below])| {
            let verb = match sign {
                '+' => "add",
                '-' => "subtract",
                '*' => "multiply by",
                _ => "divide by",
            };
            format!("{verb} {above}/{below}")
        });
        told.joined(between)
    }
}

impl Problem for Chain {
    type Answer = Rational;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("value", |chain| {
            format!("What is {}? A slash between two parentheses means division.", chain.expression())
        }),
        Template::plain("expression", |chain| {
            format!(
                "Evaluate the following expression exactly, without rounding. A slash between two parentheses means \
                 division.\n\n{}\n",
                chain.expression()
            )
        }),
        Template::plain("spec", |chain| {
            let [above, below] = chain.first;
            let operations = match chain.operations.len() {
                1 => "Operation",
                _ => "Operations, each applied to the result of the one before",
            };
            format!(
                "Start value: {above}/{below}\n{operations}:\n- {}\n\nCompute the final value exactly.",
                chain.told("\n- ")
            )
        }),
        Template::held_out_plain("steps", |chain| {
            let [above, below] = chain.first;
            format!(
                "A friend says: \"Think of the fraction {above}/{below}. Now {}. What do you have?\"{}",
                chain.told(", then "),
                if chain.operations.len() == 1 {
                    ""
                } else {
                    " Each operation applies to the result so far."
                }
            )
        }),
        Template::held_out_plain("message", |chain| {
            format!(
                "My calculator only shows decimals, and I need this as an exact fraction: {}. (A slash between two \
                 parentheses means division.) Could you work it out?",
                chain.expression()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("operations", &self.operations, 1..=20, "operations")?;
        let fits = |fraction: &[u32; 2]| fraction.iter().all(|number| (1..=1_000).contains(number));
        let known = |(sign, fraction): &(char, [u32; 2])| "+-*/".contains(*sign) && fits(fraction);
        check::that(fits(&self.first), || "`first` must have numbers from 1 to 1000".into())?;
        check::that(self.operations.iter().all(known), || {
            "`operations` must be signs of + - * / with fractions of numbers from 1 to 1000".into()
        })?;
        let small = |value: Rational| value.numerator().abs().max(value.denominator()) <= LARGEST;
        let held = self.walk().take_while(|(.., after)| small(*after)).count();
        check::that(held == self.operations.len(), || {
            "`operations` lead to a number of more than 15 digits, or divide by zero".into()
        })
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        Ok(Certificate::unique(format!("the value is {}", self.value())))
    }

    /// Adds or removes an operation, or changes a fraction.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let (at, other) = (rng.index(self.operations.len()), *rng.pick(&self.operations));
        match aim {
            Aim::Harder => mutated.operations.push(other),
            Aim::Easier if self.operations.len() > 2 => drop(mutated.operations.remove(at)),
            _ => {
                let low = mutated.operations[at].1;
                mutated.operations[at].1 = low.map(|number| 2 + rng.below(u64::from(number) + 3) as u32);
            }
        }
        Some(if mutated.check().is_ok() { mutated } else { self.clone() })
    }

    fn form(&self) -> impl Form<Read = Rational> {
        form::Fraction
    }

    fn solution(&self) -> Solution {
        Solution::new(
            self.walk().map(|(a, sign, b, result)| format!("{a} {sign} {b} = {result}")),
            self.answer(),
        )
    }

    fn answer(&self) -> String {
        self.value().to_string()
    }

    fn verify(&self, answer: Rational, _: &mut Budget) -> Judged {
        let value = self.value();
        if answer == value {
            return Ok(());
        }
        let wrong = Failure::wrong(format!("the value is not {answer}"));
        Err(match () {
            () if answer == -value => wrong.also("wrong_sign"),
            () if answer.checked_mul(value) == Some(Rational::from(1)) => wrong.also("upside_down"),
            () => wrong,
        })
    }

    fn near_misses(&self, _: Faults, rng: &mut Rng) -> Vec<Rational> {
        let value = self.value();
        let (above, below) = (value.numerator(), value.denominator());
        let (before, _, by, _) = *rng.pick(&self.walk().collect::<Vec<_>>());
        let signs = ['+', '-', '*', '/'].map(|sign| apply(before, sign, by));
        let near = [
            Rational::new(above + 1, below),
            Rational::new(above - 1, below),
            Rational::new(above, below + 1),
            Rational::new(-above, below),
            Rational::new(below, above),
            Rational::new(above + below, below),
        ];
        near.into_iter().chain(signs).flatten().filter(|near| *near != value).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Rational)> {
        let fraction = |rng: &mut Rng| {
            let [above, below] = [0, 1].map(|low| rng.int(low, 9));
            Rational::new(above.into(), below.into()).unwrap_or(Rational::ZERO)
        };
        let last = self.operations.last().map_or(self.first, |(_, fraction)| *fraction);
        let [first, last] = [self.first, last].map(|fraction| rational(fraction).unwrap_or(Rational::ZERO));
        vec![("a small fraction", fraction(rng)), ("the first fraction", first), ("the last fraction", last)]
    }

    /// A chain in another order has other steps, so it is another problem.
    fn twin(&self, _: &mut Rng) -> Self {
        self.clone()
    }

    /// Digit operations: those of the products that an operation takes, and as many again to reduce the
    /// result.
    fn effort(&self) -> Effort {
        let digits = |number: i128| u64::from(number.unsigned_abs().max(1).ilog10() + 1);
        let work = |(a, sign, b, result): (Rational, char, Rational, Rational)| {
            let [above, below] = [a, b].map(|value| [digits(value.numerator()), digits(value.denominator())]);
            let across = above[0] * below[0] + above[1] * below[1];
            let crosswise = above[0] * below[1] + above[1] * below[0];
            let product = if "+-".contains(sign) { crosswise + above[1] * below[1] } else { across };
            product + digits(result.numerator()) * digits(result.denominator())
        };
        Effort::new(self.walk().map(work).sum(), 60)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(Box::new(Working { wanted: self.walk().peekable() }))
    }
}

/// Judges steps `value sign fraction = new value`: a step advances if it performs the next operation.
struct Working<I: Iterator<Item = (Rational, char, Rational, Rational)>> {
    wanted: Peekable<I>,
}

impl<I: Iterator<Item = (Rational, char, Rational, Rational)>> StepJudge for Working<I> {
    fn judge(&mut self, step: &str, _: &mut Budget) -> Result<StepVerdict, String> {
        let refuse = || format!("`{}` is not a step like 3/4 - 5/6 = -1/12", quoted(step));
        let words: Vec<&str> = step.split_whitespace().take(6).collect();
        let [left, sign @ ("+" | "-" | "*" | "/"), right, "=", result] = words[..] else {
            return Err(refuse());
        };
        let number = |word: &str| word.parse::<Rational>().map_err(|_| refuse());
        let (left, right, result) = (number(left)?, number(right)?, number(result)?);
        let sign = sign.chars().next().expect("it is one of four signs");
        let value = apply(left, sign, right).ok_or_else(refuse)?;
        if value != result {
            return Err(format!("it is {value}, not {result}"));
        }
        Ok(match self.wanted.peek() {
            Some((a, next, b, _)) if (*a, *next, *b) == (left, sign, right) => {
                self.wanted.next();
                StepVerdict::advances()
            }
            Some((a, next, b, _)) => StepVerdict::idle(format!("true, but the next step is {a} {next} {b}")),
            None => StepVerdict::idle("true, but the value is already there"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::task::steps::judge_steps;

    #[test]
    fn values_are_exact_and_steps_are_judged() {
        let chain = Chain { first: [3, 4], operations: vec![('-', [10, 12]), ('/', [1, 2]), ('*', [6, 5])] };
        chain.check().unwrap();
        assert_eq!(chain.expression(), "(((3/4) - (10/12)) / (1/2)) * (6/5)");
        let steps = ["3/4 - 5/6 = -1/12", "-1/12 / 1/2 = -1/6", "-1/6 * 6/5 = -1/5"];
        assert_eq!(chain.solution(), Solution::new(steps.map(str::to_owned), "-1/5"));
        let judged = |steps: &[&str]| {
            judge_steps(&mut *chain.steps().unwrap(), steps, &mut Budget::new(1_000)).pop().unwrap()
        };
        assert!(judged(&steps[..2]).advances && judged(&["9/12 - 10/12 = -1/12"]).advances);
        assert!(!judged(&["3/4 - 5/6 = 1/12"]).holds && !judged(&["3/4 / 0 = 0"]).holds);
        let idle = judged(&["1/2 + 1/2 = 1"]);
        assert!(idle.holds && !idle.advances);
    }

    #[test]
    fn a_chain_without_operations_or_with_zero_below_a_line_is_refused() {
        let chain = Chain { first: [1, 2], operations: vec![('-', [1, 2]), ('/', [1, 2]), ('+', [1, 3])] };
        assert_eq!(chain.check(), Ok(()));
        let zero = Chain { first: [1, 2], operations: vec![('-', [1, 2]), ('/', [0, 2])] };
        assert!(zero.check().unwrap_err().contains("from 1 to 1000"));
        let short = Chain { first: [1, 2], operations: Vec::new() };
        assert!(short.check().unwrap_err().contains("must hold 1 to 20"));
    }
}
