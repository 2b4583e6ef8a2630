//! Carry out a chain of operations on fractions exactly.

use std::fmt::Write;
use std::iter::Peekable;

use kit::prelude::*;
use kit::shape::value::{Exact, Value};
use kit::shared::rational::{Rational, gcd};
use kit::task::form::fraction::NOT_LOWEST_TERMS;

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

problem! {
    /// A first fraction, and the signs and fractions that follow it, evaluated from left to right. A fraction is a
    /// numerator and a denominator. In another order the chain has other steps, so that it is another problem.
    pub struct Chain {
        first: [u32; 2] [1..=1_000],
        operations: Vec<(char, [u32; 2])> [items(1..=20, "operations", ("+-*/", 1..=1_000))],
    }
}

/// Largest intermediate numerator or denominator.
const LARGEST: i128 = 1_000_000_000_000_000;

impl TaskFamily for FractionArithmetic {
    type Params = FractionArithmeticParams;
    type Problem = Value<Chain>;

    const ABOUT: About = About {
        summary: "Carry out a chain of operations on fractions exactly.",
        judged_by: JudgedBy::Normalized,
        skills: &["fractions", "common_denominators", "reduction"],
        distinct_from: 1,
        guess_rate: 0.021,
        guess_score: 0.021,
        ..Value::<Chain>::about("arithmetic", "fraction_arithmetic", &["First version."])
    };

    /// Draws chains until no number grows too large.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Value<Chain>> {
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
            let chain = Value(Chain { first, operations });
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
}

impl Exact for Chain {
    type Of = Rational;

    const HALF: u64 = 60;
    const MISTAKES: &'static [Label] = &[
        NOT_LOWEST_TERMS,
        ("wrong_sign", "the right value with the opposite sign"),
        ("upside_down", "the reciprocal of the right value"),
    ];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new("value", "What is {expression}? A slash between two parentheses means division."),
        Prompt::new(
            "expression",
            "Evaluate the following expression exactly, without rounding. A slash between two parentheses means \
             division.\n\n{expression}\n",
        ),
        Prompt::new(
            "spec",
            "Start value: {first}\nOperation{several?s, each applied to the result of the one \
             before}:\n{operations:- {verb} {by}}\n\nCompute the final value exactly.",
        ),
        Prompt::held_out(
            "steps",
            "A friend says: \"Think of the fraction {first}. Now {told}. What do you have?\"{several? Each operation \
             applies to the result so far.}",
        ),
        Prompt::held_out(
            "message",
            "My calculator only shows decimals, and I need this as an exact fraction: {expression}. (A slash between two \
             parentheses means division.) Could you work it out?",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        let [above, below] = self.first;
        slots.text("first", format_args!("{above}/{below}")).either("several", self.operations.len() > 1);
        slots.with("expression", || self.expression());
        let told = |(sign, [above, below]): &(char, [u32; 2])| {
            let verb = match sign {
                '+' => "add",
                '-' => "subtract",
                '*' => "multiply by",
                _ => "divide by",
            };
            (verb, format!("{above}/{below}"))
        };
        let phrase = |(verb, by): (&str, String)| format!("{verb} {by}");
        slots.with("told", || self.operations.iter().map(told).map(phrase).joined(", then "));
        slots.lines("operations", &self.operations, |line, operation| {
            let (verb, by) = told(operation);
            line.text("verb", verb).text("by", by);
        });
    }

    fn form(&self) -> impl Form<Read = Rational> {
        form::Fraction
    }

    fn value(&self) -> Rational {
        self.walk().last().map_or(Rational::ZERO, |(.., after)| after)
    }

    fn what(&self) -> String {
        "the value".to_owned()
    }

    fn diagnosed(&self, wrong: &Rational, _: Failure) -> Failure {
        let (value, failure) = (self.value(), Failure::wrong(format!("the value is not {wrong}")));
        match () {
            () if *wrong == -value => failure.also("wrong_sign"),
            () if wrong.checked_mul(value) == Some(Rational::from(1)) => failure.also("upside_down"),
            () => failure,
        }
    }

    fn mistakes(&self, _: Faults, rng: &mut Rng) -> Vec<Rational> {
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
        near.into_iter().chain(signs).flatten().collect()
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

    /// Digit operations: those of the products that an operation takes, and as many again to reduce the
    /// result.
    fn work(&self, work: &mut Work) {
        let digits = |number: i128| u64::from(number.unsigned_abs().max(1).ilog10() + 1);
        for (a, sign, b, result) in self.walk() {
            let [above, below] = [a, b].map(|value| [digits(value.numerator()), digits(value.denominator())]);
            let across = above[0] * below[0] + above[1] * below[1];
            let crosswise = above[0] * below[1] + above[1] * below[0];
            let product = if "+-".contains(sign) { crosswise + above[1] * below[1] } else { across };
            let cost = product + digits(result.numerator()) * digits(result.denominator());
            work.step(cost, format_args!("{a} {sign} {b} = {result}"));
        }
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(Box::new(Working { wanted: self.walk().peekable() }))
    }

    fn consistent(&self) -> Result<(), String> {
        let small = |value: Rational| value.numerator().abs().max(value.denominator()) <= LARGEST;
        let held = self.walk().take_while(|(.., after)| small(*after)).count();
        check::that(held == self.operations.len(), || {
            "`operations` lead to a number of more than 15 digits, or divide by zero".into()
        })
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
        let operations = vec![('-', [10, 12]), ('/', [1, 2]), ('*', [6, 5])];
        let chain = Value(Chain { first: [3, 4], operations });
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
        let chain = |operations| Value(Chain { first: [1, 2], operations });
        assert_eq!(chain(vec![('-', [1, 2]), ('/', [1, 2]), ('+', [1, 3])]).check(), Ok(()));
        let zero = chain(vec![('-', [1, 2]), ('/', [0, 2])]).check();
        assert_eq!(zero.unwrap_err(), "`operations[1]` is 0, but must be between 1 and 1000");
        assert!(chain(Vec::new()).check().unwrap_err().contains("must hold 1 to 20"));
    }
}
