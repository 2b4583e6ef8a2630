//! Generation of rounds, from a solution to its target.

use std::ops::RangeInclusive;

use super::reach::{is_reached, is_sum};
use super::{CountdownParams, LARGEST_TARGET, Round};
use kit::rng::Rng;
use kit::shared::expression::{Expression, Operator};

/// Numbers to try as a divisor.
const DIVISORS: u32 = 8;

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
    /// Joins numbers at random and changes some so that they divide; `None`, which is common, if the result
    /// is unsuitable.
    pub(super) fn draw(&self, numbers: Vec<i64>, rng: &mut Rng) -> Option<Round> {
        let targets = self.lowest_target.into()..=self.highest_target.into();
        let mut draft = Draft { joins: Vec::with_capacity(numbers.len() - 1), numbers };
        let chip = |(node, value): (usize, &i64)| Chip { value: *value, node };
        let mut chips: Vec<Chip> = draft.numbers.iter().enumerate().map(chip).collect();
        if self.one_operation {
            chips.truncate(2);
        } else if !self.use_all && chips.len() > self.fewest as usize && rng.chance(1, 2) {
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
        // Adding up numbers would be too easy a guess, unless it is one of several single operations.
        let numbers = &draft.numbers;
        let guessed =
            if self.one_operation { numbers.iter().sum::<i64>() == value } else { is_sum(numbers, value) };
        if guessed || (1..fewest).any(is_reached) {
            return None;
        }
        let solution = draft.expression(node).to_string();
        let mut numbers = draft.numbers;
        rng.shuffle(&mut numbers);
        Some(Round { numbers, target: value, use_all: self.use_all, solution })
    }
}

impl Draft {
    /// Joins two numbers by `+`, `-` or `*`, if one of these gives a suitable value.
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

    /// Joins two numbers by `/`: changes a given number into a divisor or a multiple of the other side.
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

#[cfg(test)]
mod tests {
    use super::super::Countdown;
    use super::*;
    use kit::budget::Budget;
    use kit::rng::Key;
    use kit::task::family::TaskFamily;
    use kit::task::problem::Problem;

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
                    round.certify(budget).unwrap();
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
