//! Results of experiments, worked out step by step and counted case by case.

use super::Experiment;
use kit::shared::rational::Rational;
use kit::task::prelude::*;

pub(super) fn ratio(above: i64, below: i64) -> Rational {
    Rational::new(above.into(), below.into()).expect("nothing is divided by zero")
}

pub(super) fn product(factors: impl IntoIterator<Item = Rational>) -> Rational {
    let one = Rational::from(1);
    factors
        .into_iter()
        .fold(one, |all, factor| all.checked_mul(factor).expect("the bounds keep numbers small"))
}

pub(super) fn total(terms: impl IntoIterator<Item = Rational>) -> Rational {
    let zero = Rational::ZERO;
    terms.into_iter().fold(zero, |all, term| all.checked_add(term).expect("the bounds keep numbers small"))
}

/// "1/2 * (2/3) = 1/3": numbers joined by a sign, and their value. `None` for a single number, which is not a
/// step.
pub(super) fn line(parts: &[Rational], sign: &str, value: Rational) -> Option<String> {
    (parts.len() > 1).then(|| {
        let parts: Vec<String> = parts.iter().map(Rational::to_string).collect();
        format!("{} = {value}", parts.join(sign))
    })
}

pub(super) fn choose(from: usize, count: usize) -> i64 {
    (0..count as i64).fold(1, |all, at| all * (from as i64 - at) / (at + 1))
}

impl Experiment {
    /// The result, and the equations that lead to it.
    #[expect(clippy::too_many_lines, reason = "five experiments, one after the other")]
    pub(super) fn worked(&self) -> (Rational, Vec<String>) {
        let mut lines = Vec::new();
        let mut note = |parts: &[Rational], sign, value| lines.extend(line(parts, sign, value));
        let value = match self {
            Self::Urn { balls, draws: 1, .. } => {
                let numbers: Vec<Rational> = balls.iter().map(|count| (*count).into()).collect();
                let all = total(numbers.iter().copied());
                note(&numbers, " + ", all);
                let value = numbers[0].checked_div(all).expect("there are balls");
                note(&[numbers[0], all], " / ", value);
                value
            }
            Self::Urn { balls, draws, wanted } => {
                let (red, all) = (balls[0], balls.iter().sum::<i64>());
                let cases: Vec<Rational> = (*wanted..=*draws)
                    .map(|reds| {
                        // Red balls first, times the number of possible orders.
                        let chance = |at: usize| match at.checked_sub(reds) {
                            None => ratio((red - at as i64).max(0), all - at as i64),
                            Some(others) => ratio((all - red - others as i64).max(0), all - at as i64),
                        };
                        let mut factors: Vec<Rational> = (0..*draws).map(chance).collect();
                        factors.push(choose(*draws, reds).into());
                        let value = product(factors.iter().copied());
                        note(&factors, " * ", value);
                        value
                    })
                    .collect();
                let value = total(cases.iter().copied());
                note(&cases, " + ", value);
                value
            }
            Self::Dice { sides, total: least } => {
                let mut ways = vec![1i64];
                for (die, sides) in sides.iter().enumerate() {
                    ways = (0..ways.len() + *sides as usize)
                        .map(|sum| {
                            let before =
                                (1..=*sides as usize).filter_map(|shown| ways.get(sum.checked_sub(shown)?));
                            let before: Vec<Rational> =
                                before.filter(|ways| **ways > 0).map(|ways| (*ways).into()).collect();
                            let value = total(before.iter().copied());
                            if die > 0 {
                                note(&before, " + ", value);
                            }
                            value.numerator() as i64
                        })
                        .collect();
                }
                let enough: Vec<Rational> = ways
                    .iter()
                    .skip(*least as usize)
                    .filter(|ways| **ways > 0)
                    .map(|ways| (*ways).into())
                    .collect();
                let favourable = total(enough.iter().copied());
                note(&enough, " + ", favourable);
                let all = sides.iter().product::<i64>().into();
                let value = favourable.checked_div(all).expect("a die has sides");
                note(&[favourable, all], " / ", value);
                value
            }
            Self::Boxes { boxes, balls, red } => {
                let likely: Vec<Rational> = boxes
                    .iter()
                    .map(|[tickets, reds]| {
                        let seen = red.iter().map(|red| if *red { *reds } else { balls - reds });
                        let factors: Vec<Rational> =
                            [*tickets].into_iter().chain(seen).map(Rational::from).collect();
                        let value = product(factors.iter().copied());
                        note(&factors, " * ", value);
                        value
                    })
                    .collect();
                let all = total(likely.iter().copied());
                note(&likely, " + ", all);
                let value = likely[0].checked_div(all).expect("every box can show either color");
                note(&[likely[0], all], " / ", value);
                value
            }
            Self::Walk { tickets, steps } => {
                let places = tickets.len();
                let mut now = tickets[0].clone();
                for step in 2..=*steps {
                    let wanted = if step == *steps { places - 1..places } else { 0..places };
                    let next = |to: usize| {
                        let ways: i64 = (0..places).map(|from| now[from] * tickets[from][to]).sum();
                        let terms = (0..places).map(|from| format!("{} * {}", now[from], tickets[from][to]));
                        (ways, format!("{} = {ways}", terms.joined(" + ")))
                    };
                    let made: Vec<(i64, String)> = wanted.map(next).collect();
                    now = made.iter().map(|(ways, _)| *ways).collect();
                    lines.extend(made.into_iter().map(|(_, line)| line));
                }
                let all = tickets[0].iter().sum::<i64>().pow(*steps as u32);
                let value = ratio(now[now.len() - 1], all);
                lines.push(format!("{} / {all} = {value}", now[now.len() - 1]));
                value
            }
            Self::Highest { sides, least } => {
                let highest = *sides.iter().max().expect("there are dice");
                // The number of outcomes that do not exceed `most`; the difference of two such numbers counts
                // those with a given highest number.
                let mut upto = |most: i64| {
                    let factors: Vec<Rational> = sides.iter().map(|sides| most.min(*sides).into()).collect();
                    let value = product(factors.iter().copied());
                    note(&factors, " * ", value);
                    value
                };
                let ways: Vec<Rational> = (least - 1..=highest).map(&mut upto).collect();
                let paid: Vec<Rational> = (*least..=highest)
                    .zip(ways.windows(2))
                    .map(|(number, pair)| {
                        let value = product([number.into(), total([pair[1], -pair[0]])]);
                        lines.push(format!("{number} * ({} - {}) = {value}", pair[1], pair[0]));
                        value
                    })
                    .collect();
                let sum = total(paid.iter().copied());
                lines.extend(line(&paid, " + ", sum));
                let all = sides.iter().product::<i64>().into();
                let value = sum.checked_div(all).expect("a die has sides");
                lines.extend(line(&[sum, all], " / ", value));
                value
            }
        };
        (value, lines)
    }

    /// The same result by enumerating the outcomes.
    pub(super) fn enumerated(&self, budget: &mut Budget) -> Result<Option<Rational>, OverBudget> {
        // A state consists of a number and the weight of the outcomes so far.
        type Next<'a> = Box<dyn Fn(usize, (i64, i64)) -> Vec<(i64, i64)> + 'a>;
        type End<'a> = Box<dyn Fn(usize, (i64, i64)) -> Option<(i64, i64)> + 'a>;
        /// Adds the contribution of every path through all stages, whose choices come with weights.
        fn each(
            stage: usize,
            kept: (i64, i64),
            next: &dyn Fn(usize, (i64, i64)) -> Vec<(i64, i64)>,
            end: &dyn Fn(usize, (i64, i64)) -> Option<(i64, i64)>,
            sums: &mut [i128; 2],
            budget: &mut Budget,
        ) -> Result<(), OverBudget> {
            budget.spend(1)?;
            if let Some((counts, weight)) = end(stage, kept) {
                sums[0] += i128::from(counts) * i128::from(weight);
                sums[1] += i128::from(weight);
                return Ok(());
            }
            for kept in next(stage, kept) {
                each(stage + 1, kept, next, end, sums, budget)?;
            }
            Ok(())
        }
        let mut sums = [0; 2];
        let (next, end): (Next<'_>, End<'_>) = match self {
            Self::Urn { balls, draws, wanted } => {
                let (red, all) = (balls[0], balls.iter().sum::<i64>());
                (
                    Box::new(move |stage, (reds, weight)| {
                        let others = stage as i64 - reds;
                        let drawn =
                            [(reds + 1, weight * (red - reds)), (reds, weight * (all - red - others))];
                        drawn.into_iter().filter(|(_, weight)| *weight > 0).collect()
                    }),
                    Box::new(move |stage, (reds, weight)| {
                        (stage == *draws).then_some((i64::from(reds >= *wanted as i64), weight))
                    }),
                )
            }
            Self::Dice { sides, total } => (
                Box::new(move |stage, (sum, weight)| {
                    (1..=sides[stage]).map(|shown| (sum + shown, weight)).collect()
                }),
                Box::new(move |stage, (sum, weight)| {
                    (stage == sides.len()).then_some((i64::from(sum >= *total), weight))
                }),
            ),
            Self::Highest { sides, least } => (
                Box::new(move |stage, (high, weight)| {
                    (1..=sides[stage]).map(|shown| (high.max(shown), weight)).collect()
                }),
                Box::new(move |stage, (high, weight)| {
                    (stage == sides.len()).then_some((if high >= *least { high } else { 0 }, weight))
                }),
            ),
            Self::Walk { .. } | Self::Boxes { .. } => return Ok(self.updated()),
        };
        each(0, (0, 1), &next, &end, &mut sums, budget)?;
        Ok(Rational::new(sums[0], sums[1]))
    }

    /// The result for boxes and walks: beliefs updated after each draw, and paths counted backward from the
    /// end.
    pub(super) fn updated(&self) -> Option<Rational> {
        match self {
            Self::Boxes { boxes, balls, red } => {
                let mut beliefs: Vec<Rational> = boxes.iter().map(|[tickets, _]| (*tickets).into()).collect();
                for red in red {
                    for (belief, [_, reds]) in beliefs.iter_mut().zip(boxes) {
                        let seen = if *red { *reds } else { balls - reds };
                        *belief = belief.checked_mul(seen.into())?;
                    }
                    let all =
                        beliefs.iter().try_fold(Rational::ZERO, |all, belief| all.checked_add(*belief))?;
                    for belief in &mut beliefs {
                        *belief = belief.checked_div(all)?;
                    }
                }
                Some(beliefs[0])
            }
            Self::Walk { tickets, steps } => {
                let mut reach: Vec<Rational> =
                    (0..tickets.len()).map(|at| Rational::from(i64::from(at + 1 == tickets.len()))).collect();
                for _ in 0..*steps {
                    let back = |row: &Vec<i64>| {
                        let sum = row.iter().zip(&reach).try_fold(Rational::ZERO, |sum, (tickets, reach)| {
                            sum.checked_add(reach.checked_mul(Rational::from(*tickets))?)
                        });
                        sum?.checked_div(Rational::from(row.iter().sum::<i64>()))
                    };
                    reach = tickets.iter().map(back).collect::<Option<_>>()?;
                }
                Some(reach[0])
            }
            _ => None,
        }
    }
}
