//! Solve a system of linear equations and evaluate a combination of its unknowns.

use kit::shared::rational::Rational;
use kit::task::form::fraction::NOT_LOWEST_TERMS;
use kit::task::permutation;
use kit::task::prelude::*;

pub struct LinearSystem;

params! {
    pub struct LinearSystemParams {
        /// Number of unknowns, and of equations.
        unknowns: u32 [1..=7],
        /// Largest absolute value of a coefficient.
        largest: u32 [3..=30],
        /// Largest common denominator of the unknowns.
        denominator: u32 [1..=9],
    }
    levels {
        (1, 12, 1),
        (2, 4, 1),
        (3, 5, 2),
        (3, 12, 5),
        (4, 9, 4),
        (5, 12, 5),
        (6, 15, 7),
        (7, 20, 9),
    }
    default 2
}

/// Equations as coefficients followed by the total, and the coefficients of the requested sum.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct System {
    equations: Vec<Vec<i64>>,
    asked: Vec<i64>,
}

const NAMES: [&str; 7] = ["x", "y", "z", "u", "v", "w", "t"];
const LARGEST: i64 = 60;
const LARGEST_CONSTANT: i64 = 20_000;
/// Largest numerator of an unknown, and of one that is alone.
const REACH: i64 = 30;
const REACH_ALONE: i64 = 99;

impl TaskFamily for LinearSystem {
    type Params = LinearSystemParams;
    type Problem = System;

    const ABOUT: About = About {
        summary: "Solve a system of linear equations and evaluate a combination of its unknowns.",
        judged_by: JudgedBy::Normalized,
        failures: &[
            NOT_LOWEST_TERMS,
            ("wrong_sign", "the right value with the opposite sign"),
            ("one_unknown", "the value of a single unknown instead of the requested combination"),
        ],
        skills: &["elimination", "substitution", "fractions"],
        distinct_from: 1,
        guess_rate: 0.015,
        guess_score: 0.015,
        ..About::new("algebra", "linear_system", &["First version."])
    };

    /// Draws equations around a solution until none of them is redundant.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<System> {
        let (unknowns, largest) = (params.unknowns as usize, i64::from(params.largest));
        let reach = if unknowns == 1 { REACH_ALONE } else { REACH };
        loop {
            let below = rng.int(1, i64::from(params.denominator));
            let above: Vec<i64> = (0..unknowns).map(|_| rng.int(-reach, reach)).collect();
            let mut equations = Vec::new();
            while equations.len() < unknowns {
                budget.spend(unknowns as u64)?;
                let mut row: Vec<i64> = (0..unknowns).map(|_| rng.int(-largest, largest)).collect();
                let total: i64 = row.iter().zip(&above).map(|(c, value)| c * value).sum();
                // An equation with one unknown and no factor would give it away.
                let joined = match unknowns {
                    1 => row[0].abs() > 1,
                    _ => row.iter().filter(|c| **c != 0).count() > 1,
                };
                if total % below == 0 && joined {
                    row.push(total / below);
                    equations.push(row);
                } else if unknowns == 1 {
                    // No factor may suit the value that was drawn.
                    break;
                }
            }
            let asked = match unknowns {
                1 => vec![1],
                _ => (0..unknowns).map(|_| rng.int(1, 3) * if rng.chance(1, 2) { 1 } else { -1 }).collect(),
            };
            let system = System { equations, asked };
            if system.check().is_ok() && system.value().is_some() && !system.is_given() {
                return Ok(system);
            }
        }
    }
}

/// The sum of values times their coefficients.
fn sum(coefficients: &[i64], values: &[Rational]) -> Option<Rational> {
    coefficients.iter().zip(values).try_fold(Rational::ZERO, |total, (c, value)| {
        total.checked_add(value.checked_mul(Rational::from(*c))?)
    })
}

/// A sum of unknowns: "2x - y + 3z".
fn written(coefficients: &[Rational]) -> String {
    let mut text = String::new();
    let one = Rational::from(1);
    for (c, name) in coefficients.iter().zip(NAMES).filter(|(c, _)| **c != Rational::ZERO) {
        let negative = *c < Rational::ZERO;
        let size = if negative { -*c } else { *c };
        let sign = match (text.is_empty(), negative) {
            (true, true) => "-",
            (true, false) => "",
            (false, true) => " - ",
            (false, false) => " + ",
        };
        let size = match size {
            size if size == one => String::new(),
            size if size.is_whole() => size.to_string(),
            size => format!("({size})"),
        };
        text.extend([sign, &size, name]);
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

fn rationals(numbers: &[i64]) -> Vec<Rational> {
    numbers.iter().map(|number| Rational::from(*number)).collect()
}

/// The unknowns, and the equations that lead to them.
struct Solved {
    values: Vec<Rational>,
    steps: Vec<String>,
    /// Digits of all computed numbers.
    digits: u64,
}

impl System {
    /// Elimination, row by row, and substitution from the last row up; `None` if an unknown remains open.
    fn solved(&self) -> Option<Solved> {
        let unknowns = self.asked.len();
        let mut rows: Vec<Vec<Rational>> = self.equations.iter().map(|row| rationals(row)).collect();
        let (mut steps, mut digits) = (Vec::new(), 0);
        let size = |number: &Rational| {
            let of = |part: i128| u64::from(part.unsigned_abs().max(1).ilog10() + 1);
            of(number.numerator()) + of(number.denominator())
        };
        for at in 0..unknowns {
            let pivot = (at..unknowns).find(|row| rows[*row][at] != Rational::ZERO)?;
            rows.swap(at, pivot);
            for below in at + 1..unknowns {
                let factor = rows[below][at].checked_div(rows[at][at])?;
                if factor == Rational::ZERO {
                    continue;
                }
                let above = rows[at].clone();
                for (number, above) in rows[below].iter_mut().zip(above) {
                    *number = number.checked_sub(above.checked_mul(factor)?)?;
                }
                digits += rows[below][at..].iter().map(size).sum::<u64>();
                steps.push(format!(
                    "Eliminate {}: {} = {}",
                    NAMES[at],
                    written(&rows[below][..unknowns]),
                    rows[below][unknowns]
                ));
            }
        }
        let mut values = vec![Rational::ZERO; unknowns];
        for at in (0..unknowns).rev() {
            let mut rest = rows[at][unknowns];
            for column in at + 1..unknowns {
                rest = rest.checked_sub(rows[at][column].checked_mul(values[column])?)?;
            }
            values[at] = rest.checked_div(rows[at][at])?;
            digits += size(&rest) * (unknowns - at) as u64 + size(&values[at]);
            let (name, value, factor) = (NAMES[at], values[at], rows[at][at]);
            steps.push(match unknowns {
                1 => format!("{name} = {rest} / {factor} = {value}"),
                _ => format!("{name} = {value}"),
            });
        }
        Some(Solved { values, steps, digits })
    }

    /// True if the requested sum is the left side of an equation, or a multiple of it.
    fn is_given(&self) -> bool {
        let unknowns = self.asked.len();
        let is_multiple = |row: &Vec<i64>| {
            let minor =
                |one: usize, other: usize| row[one] * self.asked[other] == row[other] * self.asked[one];
            (0..unknowns).all(|one| (0..one).all(|other| minor(one, other)))
        };
        unknowns > 1 && self.equations.iter().any(is_multiple)
    }

    fn value(&self) -> Option<Rational> {
        sum(&self.asked, &self.solved()?.values)
    }

    fn listed(&self, between: &str) -> String {
        let line = |row: &Vec<i64>| {
            let (total, row) = row.split_last().expect("a total is there");
            format!("{} = {total}", written(&rationals(row)))
        };
        self.equations.iter().map(line).joined(between)
    }

    fn sum_asked(&self) -> String {
        written(&rationals(&self.asked))
    }
}

impl Problem for System {
    type Answer = Rational;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("solve", |system| {
            let (system_of, need) = match system.asked.len() {
                1 => ("equation", "The unknown need not be a whole number"),
                _ => ("system of equations", "The unknowns need not be whole numbers"),
            };
            format!(
                "Solve the {system_of}, then find the value of {}. {need}.\n\n{}\n",
                system.sum_asked(),
                system.listed("\n")
            )
        }),
        Template::plain("all_hold", |system| {
            let hold = match system.asked.len() {
                1 => "The following equation holds",
                _ => "The following equations all hold at once",
            };
            format!("{hold}:\n\n{}\n\nWhat is {}?", system.listed("\n"), system.sum_asked())
        }),
        Template::plain("message", |system| {
            let (have, possibly) = match system.asked.len() {
                1 => ("one unknown and one equation".to_owned(), "a fraction"),
                unknowns => (format!("{unknowns} unknowns and as many equations"), "with fractions"),
            };
            format!(
                "I have {have}, and all I need in the end is {}:\n\n{}\n\nThere is exactly one solution, possibly \
                 {possibly}. What value do I get?",
                system.sum_asked(),
                system.listed("\n")
            )
        }),
        Template::held_out_plain("hidden_numbers", |system| {
            let names = words::and(&NAMES[..system.asked.len()]);
            let [thought, clues, choice] = match system.asked.len() {
                1 => ["a number {}, which may be a fraction", "this clue", "number fits it"],
                _ => [
                    "numbers {}, some of which may be fractions",
                    "these clues",
                    "choice of numbers fits them all",
                ],
            };
            format!(
                "Nina has thought of {}, and gives her brother {clues}: {}. Only one {choice}. What does he get for {}?",
                thought.replace("{}", &names),
                system.listed("; "),
                system.sum_asked()
            )
        }),
        Template::held_out_plain("spec", |system| {
            let [unknowns, equations] = match system.asked.len() {
                1 => ["Unknown", "Equation"],
                _ => ["Unknowns", "Equations"],
            };
            format!(
                "{unknowns}: {}\n{equations} (exactly one solution):\n- {}\n\nEvaluate {} exactly.",
                NAMES[..system.asked.len()].iter().listed(),
                system.listed("\n- "),
                system.sum_asked()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        let unknowns = self.asked.len();
        check::length("asked", &self.asked, 1..=NAMES.len(), "coefficients")?;
        check::each(
            "asked",
            &self.asked,
            |c| (1..=9).contains(&c.unsigned_abs()),
            "coefficients are 1 to 9, sign apart",
        )?;
        check::length("equations", &self.equations, unknowns..=unknowns, "equations")?;
        for row in &self.equations {
            check::length("equations", row, unknowns + 1..=unknowns + 1, "numbers in an equation")?;
            check::each(
                "equations",
                &row[..unknowns],
                |c| (-LARGEST..=LARGEST).contains(c),
                "coefficients go to 60",
            )?;
            check::within("equations", &row[unknowns], -LARGEST_CONSTANT..=LARGEST_CONSTANT)?;
            let some = row[..unknowns].iter().any(|c| *c != 0);
            check::that(some, || "`equations` has one without unknowns".to_owned())?;
        }
        Ok(())
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let solved = self.solved().ok_or("`equations` leave some unknown open")?;
        for equation in &self.equations {
            let total = Rational::from(equation[self.asked.len()]);
            let holds = sum(equation, &solved.values) == Some(total);
            check::that(holds, || format!("`equations` has {equation:?}, which the solution breaks"))?;
        }
        let value = self.value().ok_or("`asked` is a sum of too large numbers")?;
        Ok(Certificate::unique(format!("one solution keeps every equation, and the sum is {value}")))
    }

    /// Changes the requested sum, or adds or removes an unknown.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let last = self.asked.len();
        match aim {
            Aim::Harder => {
                mutated.asked.push(1);
                for equation in &mut mutated.equations {
                    equation.insert(last, rng.int(1, 5));
                }
                mutated.equations.push((0..last + 2).map(|_| rng.int(-9, 9)).collect());
            }
            Aim::Easier => {
                mutated.asked.pop();
                mutated.equations.pop();
                for equation in &mut mutated.equations {
                    equation.remove(last - 1);
                }
            }
            Aim::Same => {
                let asked = &mut mutated.asked[rng.index(last)];
                *asked = asked.signum() * (asked.abs() % 9 + 1);
            }
        }
        (mutated.check().is_ok() && mutated.value().is_some()).then_some(mutated)
    }

    fn form(&self) -> impl Form<Read = Rational> {
        form::Fraction
    }

    fn solution(&self) -> Solution {
        let solved = self.solved();
        let steps = solved.map_or(Vec::new(), |solved| solved.steps);
        Solution::new(steps, self.value().unwrap_or(Rational::ZERO))
    }

    /// The unknown to eliminate or to find, without a number.
    fn hints(&self) -> Vec<String> {
        let hint = |step: String| {
            if let Some((eliminate, _)) = step.split_once(": ") {
                return format!("{eliminate} from an equation.");
            }
            let unknown = step.split(' ').next().unwrap_or_default();
            match self.asked.len() {
                1 => format!("Find {unknown} from the equation."),
                _ => format!("Find {unknown} from an equation whose other unknowns are known."),
            }
        };
        self.solved().map_or(Vec::new(), |solved| solved.steps.into_iter().map(hint).collect())
    }

    fn verify(&self, answer: Rational, _: &mut Budget) -> Judged {
        let value = self.value();
        if value == Some(answer) {
            return Ok(());
        }
        let wrong = Failure::wrong(format!("{} is not {answer}", self.sum_asked()));
        let one = self.solved().is_some_and(|solved| solved.values.contains(&answer));
        Err(match value {
            Some(value) if answer == -value => wrong.also("wrong_sign"),
            _ if one => wrong.also("one_unknown"),
            _ => wrong,
        })
    }

    fn near_misses(&self, _: Faults, rng: &mut Rng) -> Vec<Rational> {
        let (Some(value), Some(solved)) = (self.value(), self.solved()) else { return Vec::new() };
        let one = Rational::from(1);
        // A mistake in one total, and in one sign of the sum.
        let mut slipped = self.clone();
        slipped.equations[rng.index(self.asked.len())][self.asked.len()] += 1;
        let mut turned = self.asked.clone();
        let at = rng.index(turned.len());
        turned[at] = -turned[at];
        let near = [value.checked_add(one), value.checked_sub(one), Some(-value), slipped.value()];
        let near =
            near.into_iter().chain([sum(&turned, &solved.values)]).flatten().chain(solved.values.clone());
        near.filter(|near| *near != value).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Rational)> {
        let total = self.equations[rng.index(self.asked.len())][self.asked.len()];
        let all: i64 = self.equations.iter().map(|row| row[self.asked.len()]).sum();
        vec![
            ("a number that is likely", rng.int(-20, 20).into()),
            ("one of the totals", total.into()),
            ("all totals together", all.into()),
        ]
    }

    /// Reorders the equations and the unknowns, and turns signs: of an equation, of an unknown, of the sum.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut sign = || if rng.chance(1, 2) { 1 } else { -1 };
        let (unknowns, whole): (Vec<i64>, i64) = (self.asked.iter().map(|_| sign()).collect(), sign());
        let mut equations = self.equations.clone();
        for row in &mut equations {
            let all = sign();
            let signs = unknowns.iter().chain([&1]);
            row.iter_mut().zip(signs).for_each(|(number, sign)| *number *= sign * all);
        }
        let asked: Vec<i64> = self.asked.iter().zip(&unknowns).map(|(c, sign)| c * sign * whole).collect();
        let order = permutation::random(asked.len(), rng);
        let ordered = |row: &Vec<i64>| {
            let mut moved: Vec<i64> = order.iter().map(|at| row[*at]).collect();
            moved.extend(row.get(order.len()));
            moved
        };
        let mut equations: Vec<Vec<i64>> = equations.iter().map(ordered).collect();
        rng.shuffle(&mut equations);
        Self { equations, asked: ordered(&asked) }
    }

    /// The numbers of each equation and of each unknown, independent of order, once signs are turned so that totals
    /// and the factors of the sum are positive. Turning the sum's sign then turns that of all coefficients, so the
    /// smaller of the two stands for both.
    fn fingerprint(&self) -> Vec<u8> {
        let unknowns = self.asked.len();
        let turned = |way: i64| {
            let row = |row: &Vec<i64>| {
                let turned = |(c, asked): (&i64, &i64)| match row[unknowns].signum() * way {
                    0 => c.abs(),
                    sign => c * asked.signum() * sign,
                };
                row.iter().zip(&self.asked).map(turned).collect::<Vec<i64>>()
            };
            let coefficients: Vec<Vec<i64>> = self.equations.iter().map(row).collect();
            let sorted = |mut numbers: Vec<i64>| {
                numbers.sort_unstable();
                numbers
            };
            let column = |at: usize| sorted(coefficients.iter().map(|row| row[at]).collect());
            let totals = self.equations.iter().map(|row| row[unknowns].abs());
            let mut rows: Vec<_> = totals.zip(coefficients.iter().cloned().map(sorted)).collect();
            let mut columns: Vec<_> = (0..unknowns).map(|at| (self.asked[at].abs(), column(at))).collect();
            rows.sort_unstable();
            columns.sort_unstable();
            (rows, columns)
        };
        serde_json::to_vec(&turned(1).min(turned(-1))).expect("numbers serialise")
    }

    /// Digits computed, which hardly depend on the order of the unknowns.
    fn effort(&self) -> Effort {
        Effort::new(self.solved().map_or(0, |solved| solved.digits), 150)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{drawn, rng};

    fn system(equations: &[&[i64]], asked: &[i64]) -> System {
        System { equations: equations.iter().map(|row| row.to_vec()).collect(), asked: asked.to_vec() }
    }

    #[test]
    fn unknowns_are_eliminated_one_after_the_other() {
        let system = system(&[&[2, 1, 7], &[1, -1, 1]], &[1, -2]);
        let solution = system.solution();
        assert_eq!(system.listed("; "), "2x + y = 7; x - y = 1");
        assert_eq!(solution.steps, ["Eliminate x: -(3/2)y = -5/2", "y = 5/3", "x = 8/3"]);
        assert_eq!((system.sum_asked(), solution.answer), ("x - 2y".into(), "-2/3".into()));
        let labels = ["2/3", "5/3", "4"].map(|text| {
            let answer = form::Fraction.read(text).unwrap();
            *system.verify(answer, &mut Budget::new(1)).unwrap_err().failures.last().unwrap()
        });
        assert_eq!(labels, ["wrong_sign", "one_unknown", label::WRONG_ANSWER]);
    }

    #[test]
    fn no_equation_gives_the_requested_sum() {
        assert!(system(&[&[2, -4, 6], &[1, 1, 1]], &[-1, 2]).is_given());
        assert!(!system(&[&[2, -4, 6], &[1, 1, 1]], &[1, 2]).is_given());
        let mut rng = rng(0);
        for _ in 0..300 {
            let drawn = drawn(&LinearSystem, &LinearSystemParams::LEVELS[1], &mut rng);
            assert!(!drawn.is_given(), "{}", drawn.listed("; "));
        }
    }

    #[test]
    fn systems_without_one_solution_are_refused() {
        for equations in [[&[1, 1, 2][..], &[2, 2, 4]], [&[1, 1, 2], &[1, 1, 3]], [&[0, 1, 2], &[0, 2, 4]]] {
            let open = system(&equations, &[1, 1]);
            assert!(open.check().is_ok());
            let refused = open.certify(&mut Budget::new(1)).unwrap_err();
            assert!(refused.contains("leave some unknown open"), "{refused}");
        }
    }
}
