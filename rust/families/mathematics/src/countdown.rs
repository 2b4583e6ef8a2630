//! Combine given numbers with + - * / to reach a target.

mod draft;
mod reach;
mod wording;
mod wrong;

use kit::shared::expression::{EvalError, Expression, Grammar, Operator, UnaryMinus};
use kit::shared::rational::Rational;
use kit::task::prelude::*;

use reach::is_reached;

pub struct Countdown;

params! {
    pub struct CountdownParams {
        /// Numbers to choose from.
        numbers: u32 [2..=9],
        /// Largest number to choose from.
        largest: u32 [9..=1_000],
        /// Lowest target.
        lowest_target: u32 [1..=1_000_000],
        /// Highest target.
        highest_target: u32 [1..=1_000_000],
        /// True if every number must be used.
        use_all: bool [structure],
        /// True if the solution that a puzzle is built from divides; other solutions may not need to.
        division: bool [structure],
        /// Fewest numbers that any solution needs.
        fewest: u32 [2..=4],
        /// True if one operation on two of the numbers is enough.
        one_operation: bool [difficulty, if_set],
    }
    levels {
        (3, 15, 2, 99, false, false, 2, true),
        (3, 10, 2, 40, false, false, 2, false),
        (4, 12, 10, 99, false, false, 3, false),
        (5, 25, 50, 250, false, false, 3, false),
        (5, 50, 100, 500, false, false, 4, false),
        (6, 75, 100, 999, false, true, 4, false),
        (6, 100, 200, 2_000, true, true, 2, false),
        (7, 100, 1_000, 9_999, true, true, 2, false),
        (8, 100, 10_000, 99_999, true, true, 2, false),
        (9, 100, 100_000, 999_999, true, true, 2, false),
    }
    default 2
    check Self::consistent;
}

impl CountdownParams {
    fn consistent(&self) -> Result<(), String> {
        check::that(self.highest_target >= self.lowest_target, || {
            "`highest_target` must be at least `lowest_target`".into()
        })?;
        check::that(self.fewest <= self.numbers, || "`fewest` must be at most `numbers`".into())?;
        check::that(!self.one_operation || (!self.use_all && self.fewest == 2), || {
            "`one_operation` takes `use_all` to be false and `fewest` to be 2".into()
        })
    }
}

/// Numbers, a target, and one solution.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Round {
    numbers: Vec<i64>,
    target: i64,
    use_all: bool,
    solution: String,
}

/// Budget of one attempt at a mutation, in steps.
const MUTATION_STEPS: u64 = 10_000;
const MOST_NUMBERS: usize = 10;
const LARGEST_NUMBER: i64 = 10_000;
const LARGEST_TARGET: i64 = 1_000_000;
const LONGEST_SOLUTION: usize = 200;
/// More steps than evaluating a text of [`LONGEST_SOLUTION`] takes.
const SOLUTION_STEPS: u64 = 2_000;

impl TaskFamily for Countdown {
    type Params = CountdownParams;
    type Problem = Round;

    const ABOUT: About = About {
        summary: "Combine given numbers with + - * / to reach a target.",
        distinct_from: 2,
        judged_by: JudgedBy::Constraints,
        failures: &[
            ("wrong_value", "the value of the expression is not the target"),
            ("division_by_zero", "the expression divides by zero"),
            ("number_not_given", "a number that is not given is used"),
            ("number_reused", "a number is used more often than it is given"),
            ("number_unused", "a number is left out though all must be used"),
        ],
        parts: &[Part::new("numbers_kept", "1 if the expression can be read and uses only allowed numbers")],
        skills: &["arithmetic", "search", "operator_precedence", "factoring"],
        guess_rate: 0.16,
        guess_score: 0.13,
        ..About::new("arithmetic", "countdown", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Round> {
        loop {
            budget.spend(u64::from(params.numbers))?;
            let largest = params.largest.into();
            let numbers = (0..params.numbers).map(|_| rng.int(1, largest));
            if let Some(round) = params.draw(numbers.collect(), rng) {
                return Ok(round);
            }
        }
    }
}

impl Round {
    /// The stored solution, which [`Problem::check`] has parsed before.
    fn expression(&self) -> Expression {
        self.form().read(&self.solution).expect("a checked solution can be read")
    }

    /// Checks that an expression uses only the numbers allowed.
    fn check_numbers(&self, expression: &Expression) -> Result<(), Failure> {
        let broken = |failure, detail| Err(Failure::new(label::CONSTRAINT_VIOLATED, detail).also(failure));
        let mut left = self.numbers.clone();
        for number in expression.numbers() {
            match left.iter().position(|given| *given == number) {
                Some(at) => drop(left.remove(at)),
                None if self.numbers.contains(&number) => {
                    let used = times(expression.numbers().filter(|used| *used == number).count());
                    let given = times(self.numbers.iter().filter(|given| **given == number).count());
                    return broken("number_reused", format!("uses {number} {used}, but it is given {given}"));
                }
                None => return broken("number_not_given", format!("{number} is not one of the numbers")),
            }
        }
        match left.first() {
            Some(unused) if self.use_all => {
                broken("number_unused", format!("{unused} is not used, but all numbers must be"))
            }
            _ => Ok(()),
        }
    }
}

fn times(count: usize) -> String {
    match count {
        1 => "once".into(),
        2 => "twice".into(),
        3 => "three times".into(),
        _ => format!("{count} times"),
    }
}

impl Problem for Round {
    type Answer = Expression;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::open("make", wording::make),
        Template::open("list", wording::list),
        Template::plain("message", wording::message),
        Template::held_out_plain("cards", wording::cards),
        Template::held_out_plain("textbook", wording::textbook),
    ];

    fn check(&self) -> Result<(), String> {
        let fits = |number: &i64| (1..=LARGEST_NUMBER).contains(number);
        check::length("numbers", &self.numbers, 2..=MOST_NUMBERS, "numbers")?;
        check::each("numbers", &self.numbers, fits, "may have 1 to 10000")?;
        check::within("target", &self.target, 1..=LARGEST_TARGET)?;
        check::that(self.solution.len() <= LONGEST_SOLUTION, || {
            format!("`solution` has more than {LONGEST_SOLUTION} characters")
        })?;
        let because = |failure: Failure| format!("`solution`: {}", failure.detail);
        let solution = self.form().read(&self.solution).map_err(because)?;
        check::that(solution.numbers().count() > 1, || "`solution` joins no numbers".into())?;
        self.check_numbers(&solution).map_err(because)
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        check::that(!self.numbers.contains(&self.target), || "`target` is one of the numbers".into())?;
        match self.verify(self.expression(), budget) {
            Ok(()) => Ok(Certificate::solvable(format!("{} = {}", self.solution, self.target))),
            Err(verdict) => Err(format!("`solution` fails: {}", verdict.detail)),
        }
    }

    /// Adds, removes or changes a number, and moves the target a little.
    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let largest = *self.numbers.iter().max()?;
        let target = self.target as u32;
        let params = CountdownParams {
            numbers: self.numbers.len() as u32,
            largest: largest.max(9) as u32,
            lowest_target: target - target / 3,
            highest_target: (target + target / 2).min(LARGEST_TARGET as u32),
            use_all: self.use_all,
            division: self.solution.contains('/'),
            fewest: 2,
            one_operation: false,
        };
        loop {
            budget.spend(MUTATION_STEPS).ok()?;
            let mut numbers = self.numbers.clone();
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

    fn form(&self) -> impl Form<Read = Expression> {
        let operators = &Operator::ALL;
        form::Expression { grammar: Grammar { operators, unary_minus: UnaryMinus::BeforeParentheses } }
    }

    fn solution(&self) -> Solution {
        let steps = self.expression().steps(&mut Budget::new(SOLUTION_STEPS));
        Solution::new(steps.unwrap_or_default(), &self.solution)
    }

    /// The operation, without the numbers.
    fn hints(&self) -> Vec<String> {
        let hint = |step: &String| {
            let sign = step.split(' ').nth(1).unwrap_or_default();
            let what = match sign {
                "+" => "a sum",
                "-" => "a difference",
                "*" => "a product",
                _ => "a quotient",
            };
            format!("Make {what} of two of the numbers that you have.")
        };
        self.solution().steps.iter().map(hint).collect()
    }

    /// No partial credit for another value: its distance from the target says nothing about the distance from
    /// a solution.
    fn verify(&self, answer: Expression, budget: &mut Budget) -> Judged {
        self.check_numbers(&answer)?;
        let wrong = |detail, failure| Err(Failure::wrong(detail).also(failure).part("numbers_kept", 1.0));
        match answer.value(budget) {
            Ok(value) if value == Rational::from(self.target) => Ok(()),
            Ok(value) => wrong(format!("evaluates to {value}, not {}", self.target), "wrong_value"),
            Err(EvalError::OverBudget(over)) => Err(over.into()),
            Err(error @ EvalError::DivisionByZero { .. }) => wrong(error.to_string(), "division_by_zero"),
            Err(error @ EvalError::TooLarge) => wrong(error.to_string(), "wrong_value"),
        }
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Expression> {
        wrong::near_misses(self, faults, rng)
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Expression)> {
        wrong::guesses(self, rng)
    }

    fn shortcuts(&self, _: &mut Rng) -> Vec<(&'static str, Expression)> {
        vec![("two or three numbers", wrong::of_few(self))]
    }

    fn twin(&self, rng: &mut Rng) -> Self {
        let mut twin = self.clone();
        rng.shuffle(&mut twin.numbers);
        twin
    }

    fn effort(&self) -> Effort {
        let solution = self.expression();
        let fewest = (1..4).find(|with| is_reached(*with, &self.numbers, self.target));
        let joined = match fewest {
            Some(fewest) if !self.use_all => fewest as usize,
            _ => solution.numbers().count(),
        };
        // Ways to join this many numbers: each join picks a pair and one of six operations.
        let pool = |joins: usize| (self.numbers.len() - joins) as u128;
        let ways: u128 = (1..joined).map(|joins| 3 * pool(joins - 1) * pool(joins)).product();
        let steps = solution.intermediates(&mut Budget::new(SOLUTION_STEPS));
        let digits = |value: &Rational| value.numerator().unsigned_abs().max(1).ilog10() + 1;
        let digits: u32 = steps.iter().flatten().map(digits).sum();
        Effort::new(((ways * ways).ilog2() + 2 * digits).into(), 60)
    }

    fn fingerprint(&self) -> Vec<u8> {
        let mut numbers = self.numbers.clone();
        numbers.sort_unstable();
        numbers.extend([self.target, self.use_all.into()]);
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::verdict as judge;

    fn round(numbers: &[i64], target: i64, use_all: bool, solution: &str) -> Round {
        let round = Round { numbers: numbers.to_vec(), target, use_all, solution: solution.into() };
        round.check().unwrap();
        round.certify(&mut Budget::new(1_000)).unwrap();
        round
    }

    /// James Martin's 952 on Channel 4, and the hardest hand of the 24 game, which needs a fraction.
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
            (
                "7 * -3 * -2 * 1",
                label::MALFORMED_ANSWER,
                "a minus stands in front of a number at character 5",
            ),
            ("", label::MALFORMED_ANSWER, "expected a number or `(`, found the end at character 1"),
        ] {
            let verdict = judge(&round, answer);
            assert_eq!(verdict.detail, detail, "{answer}");
            assert_eq!(verdict.passed, failure.is_empty(), "{answer}");
            assert!(verdict.passed || verdict.failures.contains(&failure), "{answer}: {verdict:?}");
        }
    }

    #[test]
    fn a_minus_may_stand_in_front_of_a_parenthesis() {
        let round = round(&[2, 5, 4], 12, true, "(5 - 2) * 4");
        for right in ["-(2 - 5) * 4", "4 * -(2 - 5)", "-(-(5 - 2)) * 4", "-(4 * (2 - 5))", "−((2) − 5) × 4"]
        {
            assert!(judge(&round, right).passed, "{right}");
        }
        for wrong in ["-(5 - 2) * 4", "--(5 - 2) * 4", "+(5 - 2) * 4", "-2 + 5 * 4", "(-2 + 5) * 4"] {
            assert!(!judge(&round, wrong).passed, "{wrong}");
        }
    }

    #[test]
    fn parentheses_may_be_nested_as_deep_as_an_answer_is_long() {
        let round = round(&[2, 5, 4], 12, true, "(5 - 2) * 4");
        for (open, close) in [("(", ")"), ("-(-(", "))")] {
            let deep = format!("{}5 - 2{} * 4", open.repeat(9_000), close.repeat(9_000));
            assert!(judge(&round, &deep).passed, "{open}");
        }
    }

    #[test]
    fn a_number_may_be_used_as_often_as_it_is_given() {
        let round = round(&[5, 5, 4], 29, false, "5 * 5 + 4");
        assert!(judge(&round, "4 + 5 * 5").passed);
        assert!(judge(&round, "5 * 5 + 4 + 5 - 5").failures.contains(&"number_reused"));
    }
}
