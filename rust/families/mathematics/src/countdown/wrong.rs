//! Expressions that look like solutions but are wrong.

use super::{Round, SOLUTION_STEPS};
use kit::budget::Budget;
use kit::rng::Rng;
use kit::shared::expression::{Expression, Operator};
use kit::shared::rational::Rational;
use kit::task::solution::Faults;

/// The solution with numbers that are not given, numbers used too often, and other signs. Each uses a number more
/// often than it is given, or has another value than the target.
pub fn near_misses(round: &Round, faults: Faults, rng: &mut Rng) -> Vec<Expression> {
    let right = round.expression();
    let used: Vec<i64> = right.numbers().collect();
    let is_spare = |number: &i64| !round.numbers.contains(number) && *number != round.target;
    let spare = (1..20).find(is_spare).expect("eleven numbers are taken at most");
    let places = faults.draw(used.len(), rng);
    let strange = right.clone().with_numbers(|at, n| if places.contains(&at) { spare } else { n });
    let other = *rng.pick(&used);
    let reused = right.clone().with_numbers(|at, n| if places.contains(&at) { other } else { n });
    let cancelled = places.iter().fold(right.clone(), |tree, at| {
        let [once, again] = [used[*at]; 2].map(Expression::number);
        let more = Expression::join(tree, Operator::Add, once);
        Expression::join(more, Operator::Subtract, again)
    });
    // A number alone, and two numbers exchanged.
    let exchanged = (1..used.len()).map(|here| {
        right.clone().with_numbers(|at, n| match at {
            0 => used[here],
            at if at == here => used[0],
            _ => n,
        })
    });
    let mut misses = vec![strange, reused, cancelled, Expression::number(used[0])];
    misses.extend(exchanged);
    for _ in 0..4 {
        let places = faults.draw(used.len() - 1, rng);
        let turned = |at, operator| {
            let mut others = Operator::ALL.to_vec();
            others.retain(|other| *other != operator);
            if places.contains(&at) { *rng.pick(&others) } else { operator }
        };
        misses.push(right.clone().with_operators(turned));
    }
    let is_overused = |number: i64, of: &Expression| {
        let given = round.numbers.iter().filter(|given| **given == number).count();
        of.numbers().filter(|used| *used == number).count() > given
    };
    let target = Rational::from(round.target);
    misses.retain(|miss| {
        let value = miss.value(&mut Budget::new(SOLUTION_STEPS));
        miss.numbers().any(|number| is_overused(number, miss)) || !value.is_ok_and(|value| value == target)
    });
    misses
}

/// Expressions that take no calculation.
pub fn guesses(round: &Round, rng: &mut Rng) -> Vec<(&'static str, Expression)> {
    let numbers = &round.numbers;
    let mut rising = numbers.clone();
    rising.sort_unstable();
    let (least, largest) = (rising[0], rising[rising.len() - 1]);
    let mut some = numbers.clone();
    rng.shuffle(&mut some);
    some.truncate(2 + rng.index(numbers.len() - 1));
    vec![
        ("the sum of all numbers", in_a_row(numbers, || Operator::Add)),
        ("the product of all numbers", in_a_row(numbers, || Operator::Multiply)),
        ("the product of the two least numbers", in_a_row(&rising[..2], || Operator::Multiply)),
        ("the largest number less the least", in_a_row(&[largest, least], || Operator::Subtract)),
        ("all numbers as listed, with random signs", in_a_row(numbers, || *rng.pick(&Operator::ALL))),
        ("a random expression of all numbers", at_random(numbers, rng)),
        ("a random expression of some of the numbers", at_random(&some, rng)),
    ]
}

/// An expression of two or three of the numbers that reaches the target, or the sum of two.
pub fn of_few(round: &Round) -> Expression {
    let numbers = &round.numbers;
    let target = Rational::from(round.target);
    let joined = |left: &(Expression, Rational), right: &(Expression, Rational)| {
        let join = |operator: Operator| {
            let value = operator.apply(left.1, right.1).ok()?;
            Some((Expression::join(left.0.clone(), operator, right.0.clone()), value))
        };
        Operator::ALL.into_iter().filter_map(join).collect::<Vec<_>>()
    };
    let chip = |at: usize| (Expression::number(numbers[at]), Rational::from(numbers[at]));
    let others = |used: &[usize]| (0..numbers.len()).filter(|at| !used.contains(at)).collect::<Vec<usize>>();
    for left in 0..numbers.len() {
        for right in others(&[left]) {
            for pair in joined(&chip(left), &chip(right)) {
                let more = others(&[left, right]);
                let more = more
                    .into_iter()
                    .flat_map(|third| [joined(&pair, &chip(third)), joined(&chip(third), &pair)].concat());
                let mut all = [pair.clone()].into_iter().chain(more);
                if let Some((found, _)) = all.find(|(_, value)| *value == target) {
                    return found;
                }
            }
        }
    }
    in_a_row(&numbers[..2], || Operator::Add)
}

/// The numbers in their order, each joined to the value of those before it.
fn in_a_row(numbers: &[i64], mut operator: impl FnMut() -> Operator) -> Expression {
    let numbers = numbers.iter().map(|number| Expression::number(*number));
    let joined = numbers.reduce(|left, right| Expression::join(left, operator(), right));
    joined.expect("a round has numbers")
}

/// Joins two random parts by a random operation until one expression remains.
fn at_random(numbers: &[i64], rng: &mut Rng) -> Expression {
    let mut pool: Vec<Expression> = numbers.iter().map(|number| Expression::number(*number)).collect();
    while pool.len() > 1 {
        let left = pool.swap_remove(rng.index(pool.len()));
        let right = pool.swap_remove(rng.index(pool.len()));
        pool.push(Expression::join(left, *rng.pick(&Operator::ALL), right));
    }
    pool.remove(0)
}
