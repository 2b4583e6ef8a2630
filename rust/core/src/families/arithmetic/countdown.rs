//! Reach a target from given numbers with the four operations.

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::params::Params;
use crate::rng::Rng;
use crate::shared::expression::{EvalError, Expression, Operator, ParseError, UnaryMinus};
use crate::shared::rational::Rational;
use crate::task::answer::Reading;
use crate::task::family::{
    About, Aim, Certificate, Exhausted, JudgedBy, Problem, Solution, TaskFamily, Uncertified,
};
use crate::task::style::{Style, Template};
use crate::task::verdict::{Part, Verdict, label};

pub struct Countdown;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CountdownParams {
    /// Numbers that are given.
    #[schemars(range(min = 3, max = 8), extend("role" = "difficulty"))]
    numbers: u32,
    /// The largest number that may be given.
    #[schemars(range(min = 9, max = 1_000), extend("role" = "difficulty"))]
    largest: u32,
    /// The lowest target.
    #[schemars(range(min = 1, max = 1_000_000), extend("role" = "difficulty"))]
    lowest_target: u32,
    /// The highest target.
    #[schemars(range(min = 1, max = 1_000_000), extend("role" = "difficulty"))]
    highest_target: u32,
    /// Whether every number must be used.
    #[schemars(extend("role" = "structure"))]
    use_all: bool,
    /// Whether the solution that a puzzle is built on divides; other solutions may do without.
    #[schemars(extend("role" = "structure"))]
    division: bool,
    /// The fewest numbers that any solution needs.
    #[schemars(range(min = 2, max = 4), extend("role" = "difficulty"))]
    fewest: u32,
}

impl Default for CountdownParams {
    fn default() -> Self {
        Self {
            numbers: 4,
            largest: 25,
            lowest_target: 10,
            highest_target: 100,
            use_all: false,
            division: false,
            fewest: 3,
        }
    }
}

impl Params for CountdownParams {
    fn check(&self) -> Result<(), String> {
        if self.highest_target < self.lowest_target {
            return Err("`highest_target` must be at least `lowest_target`".into());
        }
        if self.fewest > self.numbers {
            return Err("`fewest` must be at most `numbers`".into());
        }
        Ok(())
    }
}

/// Numbers, a target, and one way to get there.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    numbers: Vec<i64>,
    target: i64,
    use_all: bool,
    solution: String,
}

/// Numbers tried as a divisor.
const DIVISORS: u32 = 8;
/// What a try at a mutation costs of the budget.
const MUTATION_STEPS: u64 = 10_000;
const MOST_NUMBERS: usize = 10;
const LARGEST_NUMBER: i64 = 10_000;
const LARGEST_TARGET: i64 = 1_000_000;
const LONGEST_SOLUTION: usize = 200;
/// More than reading and working out a text of [`LONGEST_SOLUTION`] takes.
const SOLUTION_STEPS: u64 = 2_000;

static ABOUT: About = About {
    name: "countdown",
    domain: "arithmetic",
    summary: "Reach a target from given numbers with the four operations.",
    changes: &["First version."],
    top_level: 7,
    distinct_from: 1,
    judged_by: JudgedBy::Constraints,
    answer_tag: "answer",
    templates: &[Template::open("make"), Template::open("list"), Template::held_out("cards")],
    failures: &[
        ("wrong_value", "the expression has another value than the target"),
        ("division_by_zero", "the expression divides by zero"),
        ("number_not_given", "a number is used that is not given"),
        ("number_reused", "a number is used more often than it is given"),
        ("number_unused", "a number is left over though all must be used"),
    ],
    parts: &[Part {
        name: "numbers_kept",
        means: "1 if the expression can be read and uses the numbers as it may",
    }],
    skills: &["arithmetic", "search", "operator_precedence", "factoring"],
    reading: Reading::Strict,
    guess_rate: 0.14,
};

impl TaskFamily for Countdown {
    type Params = CountdownParams;
    type Problem = Round;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn level(&self, level: u8) -> CountdownParams {
        let params = |numbers, largest, (lowest_target, highest_target), fewest| CountdownParams {
            numbers,
            largest,
            lowest_target,
            highest_target,
            use_all: level >= 5,
            division: level >= 4,
            fewest,
        };
        match level {
            0 => params(3, 10, (2, 40), 2),
            1 => params(4, 12, (10, 99), 3),
            2 => params(5, 25, (50, 250), 3),
            3 => params(5, 50, (100, 500), 4),
            4 => params(6, 75, (100, 999), 4),
            5 => params(6, 100, (200, 2_000), 2),
            6 => params(7, 100, (1_000, 9_999), 2),
            _ => params(8, 100, (10_000, 99_999), 2),
        }
    }

    fn generate(
        &self,
        params: &CountdownParams,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Round, Exhausted> {
        loop {
            budget.spend(u64::from(params.numbers))?;
            let largest = params.largest.into();
            let numbers = (0..params.numbers).map(|_| rng.int(1, largest));
            if let Some(round) = params.draw(numbers.collect(), rng) {
                return Ok(round);
            }
        }
    }

    fn certify(&self, round: &Round, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        if round.numbers.contains(&round.target) {
            return Err("`target` is one of the numbers".into());
        }
        let verdict = round.verify(&round.solution, budget);
        if !verdict.passed {
            return Err(format!("`solution` fails: {}", verdict.detail));
        }
        Ok(Certificate { unique: false, proof: format!("{} = {}", round.solution, round.target) })
    }

    /// With a number more, a number less or another number, and a target not far away.
    fn mutate(&self, round: &Round, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Round> {
        let largest = *round.numbers.iter().max()?;
        let target = round.target as u32;
        let params = CountdownParams {
            numbers: round.numbers.len() as u32,
            largest: largest.max(9) as u32,
            lowest_target: target - target / 3,
            highest_target: (target + target / 2).min(LARGEST_TARGET as u32),
            use_all: round.use_all,
            division: round.solution.contains('/'),
            fewest: 2,
        };
        loop {
            budget.spend(MUTATION_STEPS).ok()?;
            let mut numbers = round.numbers.clone();
            let (at, new) = (rng.index(numbers.len()), rng.int(1, largest));
            match aim {
                Aim::Harder if numbers.len() < MOST_NUMBERS => numbers.push(new),
                Aim::Easier if numbers.len() > 2 => drop(numbers.swap_remove(at)),
                _ => numbers[at] = new,
            }
            if let Some(mutated) = params.draw(numbers, rng) {
                return Some(mutated);
            }
        }
    }
}

/// A number still to be joined: a given one or the value of a join.
#[derive(Clone, Copy)]
struct Chip {
    value: i64,
    node: usize,
}

/// An expression under construction. Its nodes are the given numbers and then the joins.
struct Draft {
    numbers: Vec<i64>,
    joins: Vec<(Operator, usize, usize)>,
}

impl CountdownParams {
    /// Joins numbers at random, and changes some so that they divide; often that is no good.
    fn draw(&self, numbers: Vec<i64>, rng: &mut Rng) -> Option<Round> {
        let targets = self.lowest_target.into()..=self.highest_target.into();
        let mut draft = Draft { joins: Vec::with_capacity(numbers.len() - 1), numbers };
        let chip = |(node, value): (usize, &i64)| Chip { value: *value, node };
        let mut chips: Vec<Chip> = draft.numbers.iter().enumerate().map(chip).collect();
        if !self.use_all && chips.len() > self.fewest as usize && rng.chance(1, 2) {
            chips.pop();
        }
        let divides_at = self.division.then(|| rng.index(chips.len() - 1));
        while chips.len() > 1 {
            let left = chips.swap_remove(rng.index(chips.len()));
            let right = chips.swap_remove(rng.index(chips.len()));
            let values = match chips.len() {
                0 => targets.clone(),
                _ => 1..=LARGEST_TARGET,
            };
            let joined = if divides_at == Some(draft.joins.len()) {
                draft.divide(left, right, self.largest.into(), &values, rng)
            } else {
                draft.join(left, right, &values, rng)
            };
            chips.push(joined?);
        }
        let Chip { value, node } = chips[0];
        let fewest = if self.use_all { 2 } else { self.fewest };
        let is_reached = |with| is_reached(with, &draft.numbers, value);
        // Adding everything up would be too good a guess.
        if is_sum(&draft.numbers, value) || (1..fewest).any(is_reached) {
            return None;
        }
        let solution = draft.expression(node).to_string();
        let mut numbers = draft.numbers;
        rng.shuffle(&mut numbers);
        Some(Round { numbers, target: value, use_all: self.use_all, solution })
    }
}

impl Draft {
    /// By `+`, `-` or `*`, whichever has such a value.
    fn join(&mut self, left: Chip, right: Chip, values: &RangeInclusive<i64>, rng: &mut Rng) -> Option<Chip> {
        let (less, more) = if left.value < right.value { (left, right) } else { (right, left) };
        let mut joins = [
            (Operator::Add, left, right, left.value + right.value),
            (Operator::Subtract, more, less, more.value - less.value),
            (Operator::Multiply, left, right, left.value * right.value),
        ];
        joins.rotate_left(rng.index(3));
        let (operator, left, right, value) = joins
            .into_iter()
            .find(|(.., value)| values.contains(value) && *value != left.value && *value != right.value)?;
        Some(self.push(operator, left, right, value))
    }

    /// By `/`: a given number becomes a divisor of the other side, or a multiple of it.
    fn divide(
        &mut self,
        left: Chip,
        right: Chip,
        largest: i64,
        values: &RangeInclusive<i64>,
        rng: &mut Rng,
    ) -> Option<Chip> {
        let (mut over, mut under) = (left, right);
        if let Some(given) = self.numbers.get_mut(over.node)
            && (2..=largest / 2).contains(&under.value)
        {
            *given = under.value * rng.int(2, largest / under.value);
            over.value = *given;
        } else if let Some(given) = self.numbers.get_mut(under.node) {
            let mut divisors = (0..DIVISORS).map(|_| rng.int(2, largest.min(20)));
            *given = divisors.find(|divisor| over.value % divisor == 0)?;
            under.value = *given;
        }
        let value = over.value / under.value;
        let exact = under.value > 1 && over.value % under.value == 0;
        (exact && values.contains(&value) && value != under.value)
            .then(|| self.push(Operator::Divide, over, under, value))
    }

    fn push(&mut self, operator: Operator, left: Chip, right: Chip, value: i64) -> Chip {
        self.joins.push((operator, left.node, right.node));
        let node = self.numbers.len() + self.joins.len() - 1;
        Chip { value, node }
    }

    fn expression(&self, node: usize) -> Expression {
        if let Some(number) = self.numbers.get(node) {
            return Expression::number(*number);
        }
        let (operator, left, right) = self.joins[node - self.numbers.len()];
        Expression::join(self.expression(left), operator, self.expression(right))
    }
}

/// Whether some of the numbers add up to the target.
fn is_sum(numbers: &[i64], target: i64) -> bool {
    match numbers {
        _ if target <= 0 => target == 0,
        _ if numbers.iter().sum::<i64>() < target => false,
        [] => false,
        [first, rest @ ..] => is_sum(rest, target - first) || is_sum(rest, target),
    }
}

/// Whether some expression of so many of the numbers, three at most, reaches the target.
fn is_reached(with: u32, numbers: &[i64], target: i64) -> bool {
    let mut pairs = (0..numbers.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
    match with {
        0 => false,
        1 => numbers.contains(&target),
        2 => pairs.any(|(i, j)| makes(numbers[i], numbers[j], target, 1)),
        _ => pairs.any(|(i, j)| {
            let others = numbers.iter().enumerate().filter(|(k, _)| *k != i && *k != j);
            others.map(|(_, c)| *c).any(|c| {
                // What the pair has to make so that joining `c` gives the target.
                let wanted = [
                    (target - c, 1),
                    (target + c, 1),
                    (c - target, 1),
                    (target * c, 1),
                    (target, c),
                    (c, target),
                ];
                let (a, b) = (numbers[i], numbers[j]);
                wanted.into_iter().any(|(over, under)| makes(a, b, over, under))
            })
        }),
    }
}

/// Whether one operation on two numbers has the value `over / under`.
fn makes(a: i64, b: i64, over: i64, under: i64) -> bool {
    over == under * (a + b)
        || over.abs() == under * (a - b).abs()
        || over == under * a * b
        || over * b == under * a
        || over * a == under * b
}

impl Round {
    /// The stored solution, which [`Problem::check`] has read before.
    fn expression(&self) -> Expression {
        let budget = &mut Budget::new(SOLUTION_STEPS);
        let read = Expression::parse(&self.solution, UnaryMinus::Refused, budget);
        read.expect("a checked solution can be read")
    }

    /// Whether an expression may use the numbers as it does.
    fn check_numbers(&self, expression: &Expression) -> Result<(), (&'static str, String)> {
        let mut left: u16 = (1 << self.numbers.len()) - 1;
        for number in expression.numbers() {
            let mut given = self.numbers.iter().enumerate();
            match given.find(|(at, given)| **given == number && left >> at & 1 == 1) {
                Some((at, _)) => left &= !(1 << at),
                None => return Err(self.explain_number(number, expression)),
            }
        }
        match self.numbers.get(left.trailing_zeros() as usize) {
            Some(unused) if self.use_all => {
                Err(("number_unused", format!("{unused} is not used, but all numbers must be")))
            }
            _ => Ok(()),
        }
    }

    fn explain_number(&self, number: i64, expression: &Expression) -> (&'static str, String) {
        let times = |count: usize| match count {
            1 => "once".into(),
            2 => "twice".into(),
            3 => "three times".into(),
            _ => format!("{count} times"),
        };
        match self.numbers.iter().filter(|given| **given == number).count() {
            0 => ("number_not_given", format!("{number} is not one of the numbers")),
            given => {
                let used = expression.numbers().filter(|used| *used == number).count();
                let detail = format!("uses {number} {}, but it is given {}", times(used), times(given));
                ("number_reused", detail)
            }
        }
    }
}

impl Problem for Round {
    fn check(&self) -> Result<(), String> {
        let count = self.numbers.len();
        if !(2..=MOST_NUMBERS).contains(&count) {
            return Err(format!("`numbers` holds {count} numbers, but must hold 2 to {MOST_NUMBERS}"));
        }
        let bounded = |number: &i64| (1..=LARGEST_NUMBER).contains(number);
        if let Some(number) = self.numbers.iter().find(|number| !bounded(number)) {
            return Err(format!("`numbers` has {number}, but may have 1 to {LARGEST_NUMBER}"));
        }
        if !(1..=LARGEST_TARGET).contains(&self.target) {
            return Err(format!("`target` is {}, but must be 1 to {LARGEST_TARGET}", self.target));
        }
        if self.solution.len() > LONGEST_SOLUTION {
            return Err(format!("`solution` has more than {LONGEST_SOLUTION} characters"));
        }
        let budget = &mut Budget::new(SOLUTION_STEPS);
        let solution = Expression::parse(&self.solution, UnaryMinus::Refused, budget);
        let solution = solution.map_err(|error| format!("`solution`: {error}"))?;
        if solution.numbers().count() < 2 {
            return Err("`solution` joins no numbers".into());
        }
        self.check_numbers(&solution).map_err(|(_, detail)| format!("`solution`: {detail}"))
    }

    fn prompt(&self, style: &Style) -> String {
        let numbers: Vec<String> = self.numbers.iter().map(ToString::to_string).collect();
        let (target, count) = (self.target, numbers.len());
        let listed = numbers.join(", ");
        let mut words = style.rng();
        let opening = match style.template {
            0 => {
                let make = *words.pick(&["Make", "Get to", "Reach"]);
                format!("{make} {target} from these numbers: {listed}.")
            }
            1 => {
                let find = *words.pick(&["Find an expression", "Write an expression", "Build an expression"]);
                format!("Numbers: {listed}\nTarget: {target}\n\n{find} that has the target as its value.")
            }
            _ => format!(
                "On the table lie {count} cards with the numbers {listed}. Lay them out with signs of arithmetic \
                 between them so that the result is {target}."
            ),
        };
        let mut sorted = self.numbers.clone();
        sorted.sort_unstable();
        let repeats = sorted.windows(2).any(|pair| pair[0] == pair[1]);
        let thing = if style.template < 2 { "number" } else { "card" };
        let uses = match (self.use_all, repeats) {
            (true, false) => format!("Every {thing} must be used exactly once."),
            (true, true) => {
                format!("Every {thing} must be used exactly once, a repeated number as often as it is there.")
            }
            (false, false) => format!("Each {thing} may be used once or left out."),
            (false, true) => format!(
                "Each {thing} may be used once or left out; a number that is there twice may be used twice."
            ),
        };
        format!(
            "{opening} {uses} You may add, subtract, multiply and divide; results on the way may be fractions or negative.\n\
             Give one expression that joins numbers by + - * / and parentheses, without signs in front of a \
             number and without an equals sign, inside <answer></answer> tags."
        )
    }

    fn solution(&self) -> Solution {
        let steps = self.expression().steps(&mut Budget::new(SOLUTION_STEPS));
        Solution { steps: steps.unwrap_or_default(), answer: self.solution.clone() }
    }

    fn verify(&self, answer: &str, budget: &mut Budget) -> Verdict {
        let expression = match Expression::parse(answer, UnaryMinus::Refused, budget) {
            Ok(expression) => expression,
            Err(ParseError::OverBudget(over)) => return over.into(),
            Err(refused) => return Verdict::malformed(refused.to_string()),
        };
        if let Err((failure, detail)) = self.check_numbers(&expression) {
            return Verdict::fail(label::CONSTRAINT_VIOLATED, detail).also(failure);
        }
        let wrong = match expression.value(budget) {
            Ok(value) if value == Rational::from(self.target) => return Verdict::pass(),
            Ok(value) => {
                Verdict::wrong(format!("evaluates to {value}, not {}", self.target)).also("wrong_value")
            }
            Err(EvalError::OverBudget(over)) => return over.into(),
            Err(error @ EvalError::DivisionByZero { .. }) => {
                Verdict::wrong(error.to_string()).also("division_by_zero")
            }
            Err(error @ EvalError::TooLarge) => Verdict::wrong(error.to_string()).also("wrong_value"),
        };
        wrong.parts([1.0])
    }

    fn difficulty(&self) -> f32 {
        let solution = self.expression();
        let fewest = (1..4).find(|with| is_reached(*with, &self.numbers, self.target));
        let joined = match fewest {
            Some(fewest) if !self.use_all => fewest as usize,
            _ => solution.numbers().count(),
        };
        // Ways to join so many of the numbers: at each join a pair and one of six operations.
        let pool = |joins: usize| (self.numbers.len() - joins) as u128;
        let ways: u128 = (1..joined).map(|joins| 3 * pool(joins - 1) * pool(joins)).product();
        let steps = solution.intermediates(&mut Budget::new(SOLUTION_STEPS));
        let digits = |value: &Rational| value.numerator().unsigned_abs().max(1).ilog10() + 1;
        let digits: u32 = steps.iter().flatten().map(digits).sum();
        let effort = ((ways * ways).ilog2() + 2 * digits) as f32;
        effort / (effort + 60.0)
    }

    fn fingerprint(&self) -> Vec<u8> {
        let mut numbers = self.numbers.clone();
        numbers.sort_unstable();
        numbers.extend([self.target, self.use_all.into()]);
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    fn wrong_answers(&self, rng: &mut Rng) -> Vec<String> {
        let right = &self.solution;
        let is_spare = |number: &i64| !self.numbers.contains(number) && *number != self.target;
        let spare = (1..20).find(is_spare).expect("eleven numbers are taken at most");
        let used = self.expression().numbers().next();
        let used = used.expect("an expression has a number");
        let reused = format!(" + {used} - {used}").repeat(self.numbers.len());
        let mut wrong = vec![
            format!("{right} = {}", self.target),
            format!("{} = {right}", self.target),
            self.target.to_string(),
            format!("{right}{reused}"),
            format!("{right} + {spare} - {spare}"),
            format!("({right}) * {spare} / {spare}"),
            format!("{right})"),
            format!("({right}"),
            format!("-(-({right}))"),
            format!("{right}\n{right}"),
            format!("{right}; {right}"),
            format!("{right} or so"),
            format!("${right}$"),
            format!("{right} + 0.0"),
            self.solution().steps.join("\n"),
        ];
        // The same text with other signs or without parentheses, where that has another value.
        let mut changed =
            vec![right.replace(['(', ')'], ""), right.replace('+', "-"), right.replace('*', "+")];
        let signs: Vec<usize> = right.match_indices(['+', '-', '*', '/']).map(|(at, _)| at).collect();
        for _ in 0..4 {
            let (at, sign) = (*rng.pick(&signs), *rng.pick(&["+", "-", "*", "/"]));
            changed.push(format!("{}{sign}{}", &right[..at], &right[at + 1..]));
        }
        changed.push(self.numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + "));
        let budget = &mut Budget::new(100 * SOLUTION_STEPS);
        changed.retain(|text| {
            let read = Expression::parse(text, UnaryMinus::Refused, budget);
            let value = read.ok().and_then(|read| read.value(budget).ok());
            value != Some(Rational::from(self.target))
        });
        wrong.extend(changed);
        wrong
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;

    fn round(numbers: &[i64], target: i64, use_all: bool, solution: &str) -> Round {
        let round = Round { numbers: numbers.to_vec(), target, use_all, solution: solution.into() };
        round.check().unwrap();
        Countdown.certify(&round, &mut Budget::new(1_000)).unwrap();
        round
    }

    fn judge(round: &Round, answer: &str) -> Verdict {
        round.verify(answer, &mut Budget::new(10_000))
    }

    /// James Martin's 952 on Channel 4, and the 24 game's hardest hand, which needs a fraction.
    #[test]
    fn famous_rounds_are_solved_by_their_famous_answers() {
        let television = round(&[25, 50, 75, 100, 3, 6], 952, false, "((100 + 6) * 3 * 75 - 50) / 25");
        assert_eq!(
            television.solution().steps,
            ["100 + 6 = 106", "106 * 3 = 318", "318 * 75 = 23850", "23850 - 50 = 23800", "23800 / 25 = 952"]
        );
        assert!(judge(&television, "6*75*(3*100/50) - 0").failures.contains(&"number_not_given"));
        let cards = round(&[3, 3, 8, 8], 24, true, "8 / (3 - 8 / 3)");
        assert!(judge(&cards, " 8÷( 3−8÷3 )").passed);
    }

    #[test]
    fn a_judge_says_what_is_wrong() {
        let round = round(&[7, 3, 2, 1], 42, true, "7 * 3 * 2 * 1");
        for (answer, failure, detail) in [
            ("7 * (3 + 2 + 1)", "", ""),
            ("(7*3)*2/1", "", ""),
            ("7 * 7 - 7", "number_reused", "uses 7 three times, but it is given once"),
            ("7 * 3 + 7 * 3", "number_reused", "uses 7 twice, but it is given once"),
            ("7 * 6", "number_not_given", "6 is not one of the numbers"),
            ("7 * 3 * 2", "number_unused", "1 is not used, but all numbers must be"),
            ("7 * 3 * 2 - 1", "wrong_value", "evaluates to 41, not 42"),
            ("7 * 3 / 2 * 1", "wrong_value", "evaluates to 21/2, not 42"),
            ("7 / (3 - 2 - 1)", "division_by_zero", "7 is divided by zero"),
            ("7 * 3 * 2 * 1 = 42", label::MALFORMED_ANSWER, "`=` is not one of + - * / at character 15"),
            ("42", "number_not_given", "42 is not one of the numbers"),
            ("-1 + 7 * 3 * 2", label::MALFORMED_ANSWER, "expected a number or `(`, found `-` at character 1"),
            ("", label::MALFORMED_ANSWER, "expected a number or `(`, found the end at character 1"),
        ] {
            let verdict = judge(&round, answer);
            assert_eq!(verdict.detail, detail, "{answer}");
            assert_eq!(verdict.passed, failure.is_empty(), "{answer}");
            assert!(verdict.passed || verdict.failures.contains(&failure), "{answer}: {verdict:?}");
        }
    }

    #[test]
    fn a_number_may_be_used_as_often_as_it_is_given() {
        let round = round(&[5, 5, 4], 29, false, "5 * 5 + 4");
        assert!(judge(&round, "4 + 5 * 5").passed);
        assert!(judge(&round, "5 * 5 + 4 + 5 - 5").failures.contains(&"number_reused"));
    }

    /// Every value of an expression over some of the numbers, with how many it joins.
    fn values(numbers: &[Rational], joined: u32, seen: &mut Vec<(Rational, u32)>) {
        for (i, left) in numbers.iter().enumerate() {
            for (j, right) in numbers.iter().enumerate().filter(|(j, _)| i != *j) {
                for operator in Operator::ALL {
                    let Ok(value) = operator.apply(*left, *right) else {
                        continue;
                    };
                    seen.push((value, joined + 1));
                    if joined < 2 {
                        // The third number joins this value, so that two pairs never meet.
                        for (_, third) in numbers.iter().enumerate().filter(|(k, _)| *k != i && *k != j) {
                            let mut nested = Vec::new();
                            values(&[value, *third], 2, &mut nested);
                            seen.extend(nested);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn short_solutions_are_found_exactly_when_there_are_some() {
        let mut rng = Key::new("short", 1, "", 0, "").stream(0);
        let mut reached = [0; 4];
        for _ in 0..300 {
            let numbers: Vec<i64> = (0..4).map(|_| rng.int(1, 12)).collect();
            let mut seen = Vec::new();
            values(&numbers.iter().map(|n| Rational::from(*n)).collect::<Vec<_>>(), 1, &mut seen);
            for target in (0..40).map(|_| rng.int(1, 60)) {
                let with = |joined| seen.contains(&(Rational::from(target), joined));
                assert_eq!(is_reached(2, &numbers, target), with(2), "{target} from {numbers:?}");
                assert_eq!(is_reached(3, &numbers, target), with(3), "{target} from {numbers:?}");
                reached[usize::from(with(2))] += 1;
                reached[2 + usize::from(with(3))] += 1;
            }
        }
        assert!(reached.iter().all(|cases| *cases > 500), "{reached:?}");
    }

    #[test]
    fn generated_rounds_keep_their_params() {
        let key = Key::new("rounds", 1, "", 0, "");
        for (numbers, fewest) in [(3, 2), (3, 3), (4, 4), (5, 3), (6, 4), (8, 2), (8, 4)] {
            for (use_all, division) in [(false, false), (false, true), (true, false), (true, true)] {
                let params = CountdownParams { numbers, use_all, division, fewest, ..Default::default() };
                for i in 0..50 {
                    let budget = &mut Budget::new(1_000_000);
                    let made = Countdown.generate(&params, &mut key.stream(i), budget);
                    let round = made.unwrap_or_else(|_| panic!("{params:?}"));
                    Countdown.certify(&round, budget).unwrap();
                    assert!(round.solution.contains('/') || !division, "{}", round.solution);
                    assert!((10..=100).contains(&round.target));
                    assert!(round.numbers.iter().all(|number| *number <= 25));
                    let shorter = (1..fewest).any(|with| is_reached(with, &round.numbers, round.target));
                    assert!(use_all || !shorter, "{} from {:?}", round.target, round.numbers);
                }
            }
        }
    }
}
