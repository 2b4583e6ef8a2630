//! Evaluate an arithmetic expression with parentheses.

use kit::prelude::*;
use kit::shape::value::{Exact, Value};
use kit::shared::expression::{Expression, Grammar, Operator, UnaryMinus};

pub struct BasicArithmetic;

params! {
    pub struct BasicArithmeticParams {
        /// Operations in the expression.
        operations: u32 [1..=40],
        /// Largest number in the expression; divisors go up to 20.
        largest: u32 [9..=9_999],
    }
    levels {
        (1, 20),
        (2, 20),
        (3, 20),
        (4, 30),
        (5, 50),
        (7, 90),
        (10, 200),
        (14, 500),
        (20, 999),
        (30, 999),
    }
    default 4
}

problem! {
    /// Sums and products could be reversed, but the solution's steps follow the text.
    pub struct Sum {
        /// Numbers, `+ - * /` and parentheses; every division is exact.
        expression: String [5..=LONGEST],
    }
}

const GRAMMAR: Grammar = Grammar { operators: &Operator::ALL, unary_minus: UnaryMinus::Refused };
/// Largest absolute value of an intermediate result.
const LARGEST: i128 = 1_000_000_000;
const LONGEST: usize = 600;

impl TaskFamily for BasicArithmetic {
    type Params = BasicArithmeticParams;
    type Problem = Value<Sum>;

    const ABOUT: About = About {
        summary: "Evaluate an arithmetic expression with parentheses.",
        skills: &["addition", "multiplication", "order_of_operations"],
        distinct_from: 1,
        guess_rate: 0.09,
        guess_score: 0.09,
        ..Value::<Sum>::about("arithmetic", "basic_arithmetic", &["First version."])
    };

    /// Draws expressions until all intermediate values are small enough, the value has two digits or more and
    /// working from left to right is wrong. A single operation may have any value, and only one order.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Value<Sum>> {
        loop {
            budget.spend(u64::from(params.operations))?;
            let Some((tree, value)) = drawn(params.operations, params.largest.into(), rng) else { continue };
            if value.abs() > 9 || params.operations == 1 {
                let sum = Sum { expression: tree.to_string() };
                let fooled = params.operations > 1 && sum.left_to_right() == Some(value);
                if sum.expression.len() <= LONGEST && !fooled {
                    return Ok(Value(sum));
                }
            }
        }
    }
}

/// An expression with this many operations, and its value, if no intermediate value is too large.
fn drawn(operations: u32, largest: i64, rng: &mut Rng) -> Option<(Expression, i64)> {
    if operations == 0 {
        let number = rng.int(2, largest);
        return Some((Expression::number(number), number));
    }
    let right = if operations == 1 || rng.chance(1, 2) { 0 } else { rng.below(operations.into()) as u32 };
    let (left, a) = drawn(operations - 1 - right, largest, rng)?;
    if right == 0 && rng.chance(1, 3) {
        let divides = |by: &i64| a % by == 0 && a.abs() > *by;
        let divisors = (2..=20).filter(divides).count();
        if divisors > 0 {
            let by = (2..=20).filter(divides).nth(rng.index(divisors)).expect("there are so many");
            return Some((Expression::join(left, Operator::Divide, Expression::number(by)), a / by));
        }
    }
    let (other, b) = drawn(right, largest, rng)?;
    // Products of large values are rare, so that not all values become large.
    let small = a.abs().min(b.abs()) < 100 && a.checked_mul(b)?.abs() < 100 * largest.max(100);
    let operator = match rng.below(if small { 4 } else { 2 }) {
        0 => Operator::Add,
        1 => Operator::Subtract,
        _ => Operator::Multiply,
    };
    let value = match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        _ => a * b,
    };
    let fits = i128::from(value).abs() <= LARGEST;
    fits.then(|| (Expression::join(left, operator, other), value))
}

impl Sum {
    fn tree(&self) -> Expression {
        Expression::parse(&self.expression, GRAMMAR).expect("`check` has read it")
    }

    fn steps_of(&self) -> Vec<String> {
        self.tree().steps(&mut Budget::unlimited()).expect("`check` has worked it out")
    }

    /// The expression with the result of its first step in place of that step.
    fn without_first_step(&self) -> Option<Expression> {
        let steps = self.steps_of();
        let (step, result) = steps[0].split_once(" = ")?;
        Expression::parse(&self.expression.replacen(step, result, 1), GRAMMAR).ok()
    }

    /// The value when operations are carried out in the order in which they are written, ignoring
    /// parentheses, if it is whole and not too large.
    fn left_to_right(&self) -> Option<i64> {
        let mut words = self.expression.split([' ', '(', ')']).filter(|word| !word.is_empty());
        let mut value: i64 = words.next()?.parse().ok()?;
        while let Some(sign) = words.next() {
            let by: i64 = words.next()?.parse().ok()?;
            value = match sign {
                "+" => value.checked_add(by)?,
                "-" => value.checked_sub(by)?,
                "*" => value.checked_mul(by)?,
                _ if by != 0 && value % by == 0 => value / by,
                _ => return None,
            };
        }
        Some(value)
    }
}

impl Exact for Sum {
    type Of = i64;

    const HALF: u64 = 40;
    const STEPS: Steps = Steps::Equations;
    const MISTAKES: &'static [Label] = &[
        ("left_to_right", "the value when precedence and parentheses are ignored"),
        ("wrong_sign", "the right value with the opposite sign"),
    ];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new("calculate", "Calculate {expression}."),
        Prompt::new(
            "value",
            "What is the value of this expression?{several? Multiplication (*) and division (/) come before addition and \
             subtraction, and operations of equal rank go from left to right.}\n\n{expression}\n",
        ),
        Prompt::new(
            "message",
            "Could you do some arithmetic for me? I need the exact value of {expression}{several?, with the usual order \
             of operations}.",
        ),
        Prompt::held_out(
            "pupil",
            "The last exercise on a student's worksheet is\n\n{expression} = ?\n\n{several?Every intermediate result is a \
             whole number. }Which number replaces the question mark?",
        ),
        Prompt::held_out(
            "spec",
            "Expression: {expression}{several?\nPrecedence: parentheses, then * and /, then + and -; left to right within \
             a level}\n\nEvaluate the expression.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.text("expression", &self.expression);
        // The order of operations matters where there are several, each between two spaces.
        slots.either("several", self.expression.matches(' ').count() > 2);
    }

    fn form(&self) -> impl Form<Read = i64> {
        form::Integer
    }

    fn value(&self) -> i64 {
        let value = self.tree().value(&mut Budget::unlimited()).expect("`check` has worked it out");
        value.numerator() as i64
    }

    fn what(&self) -> String {
        "the value".to_owned()
    }

    fn diagnosed(&self, wrong: &i64, _: Failure) -> Failure {
        let failure = Failure::wrong(format!("the expression does not equal {wrong}"));
        match *wrong {
            wrong if wrong == -self.value() => failure.also("wrong_sign"),
            wrong if Some(wrong) == self.left_to_right() => failure.also("left_to_right"),
            wrong if label::is_arithmetic_slip(wrong, self.value()) => failure.also(label::ARITHMETIC_SLIP),
            _ => failure,
        }
    }

    fn mistakes(&self, _: Faults, rng: &mut Rng) -> Vec<i64> {
        let value = self.value();
        let tree = self.tree();
        let (numbers, operators) = (tree.numbers().count(), tree.operators().count());
        let (slip, sign) = (rng.index(numbers), rng.index(operators));
        let slipped = tree.clone().with_numbers(|at, n| if at == slip { n + 1 } else { n });
        let other = tree.with_operators(|at, operator| match operator {
            Operator::Add if at == sign => Operator::Subtract,
            Operator::Subtract if at == sign => Operator::Add,
            operator => operator,
        });
        let wrong = [slipped, other].map(|tree| {
            let value = tree.value(&mut Budget::unlimited()).ok().filter(|value| value.is_whole())?;
            i64::try_from(value.numerator()).ok()
        });
        let near = [value + 1, value - 1, value + 10, value - 10, -value];
        let all = near.into_iter().chain(wrong.into_iter().flatten()).chain(self.left_to_right());
        // The form reads at most 18 digits.
        all.filter(|number| number.unsigned_abs() < 10u64.pow(18)).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, i64)> {
        let numbers: Vec<i64> = self.tree().numbers().collect();
        let mut guesses = vec![
            ("a number of the expression", *rng.pick(&numbers)),
            ("a number of its size", rng.int(10, 10 * numbers.iter().copied().max().unwrap_or(10))),
        ];
        // A single operation leaves no other way.
        if numbers.len() > 2 {
            let value = self.left_to_right().filter(|value| value.abs() < LARGEST as i64);
            guesses.push(("from left to right", value.unwrap_or(0)));
        }
        guesses
    }

    /// Innermost operations first. They cost digit operations: a product or a quotient counts as many as the
    /// product of its numbers of digits.
    fn work(&self, work: &mut Work) {
        let digits = |word: &str| word.bytes().filter(u8::is_ascii_digit).count() as u64;
        for step in self.steps_of() {
            let words: Vec<&str> = step.split(' ').collect();
            let cost = match words[..] {
                [left, "*" | "/", right, ..] => 2 * digits(left) * digits(right),
                [left, _, right, ..] => digits(left).max(digits(right)) + 1,
                _ => 1,
            };
            work.step(cost, step);
        }
    }

    fn consistent(&self) -> Result<(), String> {
        let wrong = |why: String| format!("`expression` is {}, but {why}", quoted(&self.expression));
        let tree = Expression::parse(&self.expression, GRAMMAR).map_err(|error| wrong(error.to_string()))?;
        check::that(tree.to_string() == self.expression, || wrong(format!("it is written {tree}")))?;
        let values =
            tree.intermediates(&mut Budget::unlimited()).map_err(|error| wrong(error.to_string()))?;
        check::that(!values.is_empty(), || wrong("it has no operation".to_owned()))?;
        let fine = values.iter().all(|value| value.is_whole() && value.numerator().abs() <= LARGEST);
        check::that(fine && tree.numbers().all(|number| i128::from(number) <= LARGEST), || {
            wrong(format!("its values must be whole and at most {LARGEST}"))
        })
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        Ok(Certificate::unique(format!("every division comes out even, and the value is {}", self.value())))
    }

    /// Adds a number, uses a smaller number or carries out an operation, or changes a number.
    fn edited(&self, aim: Aim, rng: &mut Rng) -> Option<Self> {
        let tree = self.tree();
        let count = tree.numbers().count();
        let chosen = rng.index(count);
        let tree = match aim {
            Aim::Harder => Expression::join(tree, Operator::Add, Expression::number(rng.int(10, 99))),
            Aim::Easier if tree.numbers().nth(chosen) < Some(10) => self.without_first_step()?,
            Aim::Easier => tree.with_numbers(|at, n| if at == chosen { (n / 10).max(1) } else { n }),
            Aim::Same => {
                let by = rng.int(1, 3);
                tree.with_numbers(|at, n| if at == chosen { n + by } else { n })
            }
        };
        Some(Sum { expression: tree.to_string() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(expression: &str) -> Value<Sum> {
        Value(Sum { expression: expression.to_owned() })
    }

    #[test]
    fn products_go_before_sums_and_divisions_come_out_even() {
        let text = sum("17 - 3 * (8 - 12 / 4) - 5");
        assert_eq!((text.check(), text.value()), (Ok(()), -3));
        assert_eq!(text.steps_of(), ["12 / 4 = 3", "8 - 3 = 5", "3 * 5 = 15", "17 - 15 = 2", "2 - 5 = -3"]);
        let failure = |answer| text.verify(answer, &mut Budget::new(9)).unwrap_err().failures.pop().unwrap();
        // 17 - 3 = 14, 14 * 8 = 112, 112 - 12 = 100, 100 / 4 = 25, 25 - 5 = 20.
        assert_eq!([3, 20, 4].map(failure), ["wrong_sign", "left_to_right", label::WRONG_ANSWER]);
        assert!(text.verify(-3, &mut Budget::new(9)).is_ok());
    }

    #[test]
    fn what_is_not_whole_or_not_plain_is_refused() {
        for (bad, why) in [
            ("7 / 2 + 1", "its values must be whole"),
            ("1 / (2 - 2)", ""),
            ("(1 + 2) + 3", "it is written 1 + 2 + 3"),
            ("1000000 * 1000000", "its values must be whole and at most 1000000000"),
            ("12345", "it has no operation"),
            ("1 + -2", ""),
        ] {
            assert!(sum(bad).check().is_err_and(|error| error.contains(why)), "{bad}");
        }
    }
}
