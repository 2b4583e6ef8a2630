//! Targets that a few numbers, or a sum, can reach.

/// True if some of the numbers add up to the target.
pub fn is_sum(numbers: &[i64], target: i64) -> bool {
    match numbers {
        _ if target <= 0 => target == 0,
        _ if numbers.iter().sum::<i64>() < target => false,
        [] => false,
        [first, rest @ ..] => is_sum(rest, target - first) || is_sum(rest, target),
    }
}

/// True if an expression of this many of the numbers, at most three, reaches the target.
pub fn is_reached(with: u32, numbers: &[i64], target: i64) -> bool {
    let mut pairs = (0..numbers.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
    match with {
        0 => false,
        1 => numbers.contains(&target),
        2 => pairs.any(|(i, j)| makes(numbers[i], numbers[j], target, 1)),
        _ => pairs.any(|(i, j)| {
            let others = numbers.iter().enumerate().filter(|(k, _)| *k != i && *k != j);
            others.map(|(_, c)| *c).any(|c| {
                // Values of the pair that reach the target once `c` is joined.
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

/// True if one operation on two numbers has the value `over / under`.
fn makes(a: i64, b: i64, over: i64, under: i64) -> bool {
    over == under * (a + b)
        || over.abs() == under * (a - b).abs()
        || over == under * a * b
        || over * b == under * a
        || over * a == under * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::rng::Key;
    use kit::shared::expression::Operator;
    use kit::shared::rational::Rational;

    /// Every value of an expression over some of the numbers, with the number of them it joins.
    fn values(numbers: &[Rational], joined: u32, seen: &mut Vec<(Rational, u32)>) {
        for (i, left) in numbers.iter().enumerate() {
            for (j, right) in numbers.iter().enumerate().filter(|(j, _)| i != *j) {
                for operator in Operator::ALL {
                    let Ok(value) = operator.apply(*left, *right) else {
                        continue;
                    };
                    seen.push((value, joined + 1));
                    if joined < 2 {
                        // The third number joins this value, so two pairs never meet.
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
}
