//! Derives a solution by rules and by trial.

use super::{Change, Csp, Domains, values, with};
use crate::budget::{Budget, OverBudget};

/// Variables on which values are tried before resorting to a deep trial.
const TRIALS_AT_ONCE: usize = 16;
/// Trials on one path after which every further one is deep; only a problem without a unique solution comes
/// near.
const MOST_TRIALS: usize = 1_000;
/// Cost of a trial, besides the rules applied until the contradiction.
const TRIAL: u64 = 10;
/// Cost of a trial whose contradiction the rules alone do not find.
const DEEP_TRIAL: u64 = 100;

/// A variable comes down to one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub variable: usize,
    pub value: u8,
    pub why: Why,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// This rule, by its number, removed the last of the other values.
    OnlyValue(usize),
    /// By this rule the value has no other place.
    OnlyPlace(usize),
    /// Each of these other values leads to a contradiction.
    Tried(u64),
}

/// Derivation of a solution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SolvePath {
    pub steps: Vec<Step>,
    /// Total cost of the trials and of the rules that had an effect.
    pub cost: u64,
}

impl Csp {
    /// Derives the only solution: by the rules first and, when they stall, by trying values, starting with
    /// the variables that have the fewest.
    pub fn solve_path(&self, domains: &Domains, solution: &[u8]) -> SolvePath {
        let mut domains = domains.clone();
        let mut path = SolvePath::default();
        let mut trials = 0;
        loop {
            self.follow(&mut domains, &mut path);
            if domains.all_fixed() {
                return path;
            }
            let step = self.trial(&domains, solution, &mut trials, &mut path.cost);
            domains.keep(step.variable, 1 << step.value).expect("rules keep the values of a solution");
            path.steps.push(step);
        }
    }

    /// The reasons for which a variable has its value in the solution, by what the rules show of all others: it takes
    /// as known only what does not rest on the variable itself.
    pub fn reasons(
        &self,
        known: &Domains,
        variable: usize,
        value: u8,
        budget: &mut Budget,
    ) -> Result<Vec<Why>, OverBudget> {
        const KEPT: &str = "what is true breaks no rule";
        let mut others = known.clone();
        loop {
            let before = others.open.clone();
            for rule in &self.rules {
                budget.spend(rule.cost())?;
                others.open[variable] = self.values;
                rule.narrow(&mut others).expect(KEPT);
            }
            others.open[variable] = self.values;
            others.changed.clear();
            if others.open == before {
                break;
            }
        }
        let left = |rule: &usize| {
            let mut narrowed = others.clone();
            self.rules[*rule].narrow(&mut narrowed).expect(KEPT);
            (*rule, narrowed.of(variable))
        };
        let left: Vec<(usize, u64)> = self.about[variable].iter().map(left).collect();
        let open = left.iter().fold(self.values, |open, (_, left)| open & left);
        let mut reasons = vec![Why::Tried(self.values & !(1 << value)), Why::Tried(open & !(1 << value))];
        if open.is_power_of_two() {
            let telling = left.iter().filter(|(_, left)| *left != self.values);
            reasons.extend(telling.map(|(rule, _)| Why::OnlyValue(*rule)));
        }
        let is_only_place = |rule: &&usize| {
            let scope = self.rules[**rule].scope();
            let elsewhere = |other: &usize| *other != variable && others.of(*other) >> value & 1 == 1;
            scope.len() == self.values.count_ones() as usize && !scope.iter().any(elsewhere)
        };
        let places = self.about[variable].iter().filter(is_only_place);
        reasons.extend(places.map(|rule| Why::OnlyPlace(*rule)));
        Ok(reasons)
    }

    /// Applies the rules and records what follows; true if every variable keeps a value.
    fn follow(&self, domains: &mut Domains, path: &mut SolvePath) -> bool {
        let mut last = None;
        let tell = &mut |rule, change: Change| {
            path.cost += u64::from(last.replace(rule) != Some(rule));
            if change.left.is_power_of_two() {
                let value = change.left.trailing_zeros() as u8;
                let why = if change.placed { Why::OnlyPlace(rule) } else { Why::OnlyValue(rule) };
                path.steps.push(Step { variable: change.variable, value, why });
            }
        };
        self.narrow_telling(domains, &mut Budget::new(u64::MAX), tell).expect("the steps are not bounded")
    }

    /// Refutes all values but the solution's of one variable.
    fn trial(&self, domains: &Domains, solution: &[u8], trials: &mut usize, cost: &mut u64) -> Step {
        let mut open: Vec<usize> =
            (0..solution.len()).filter(|variable| domains.value(*variable).is_none()).collect();
        open.sort_by_key(|variable| domains.of(*variable).count_ones());
        let step = |variable: usize| {
            let value = solution[variable];
            Step { variable, value, why: Why::Tried(domains.of(variable) & !(1 << value)) }
        };
        for variable in open.iter().take(TRIALS_AT_ONCE) {
            let refuted = values(domains.of(*variable) & !(1 << solution[*variable])).all(|value| {
                *trials += 1;
                if *trials > MOST_TRIALS {
                    return false;
                }
                let mut tried = SolvePath::default();
                let holds = self.follow(&mut with(domains, *variable, value), &mut tried);
                *cost += TRIAL + tried.cost;
                !holds
            });
            if refuted {
                return step(*variable);
            }
        }
        *cost += DEEP_TRIAL;
        step(open[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;
    use crate::shared::csp::tests::{latin, plenty};

    #[test]
    fn a_path_reaches_every_variable_once_by_reasons_that_hold() {
        let csp = latin(5);
        let mut rng = Key::new("path", 1, "", 0, "").stream(0);
        for _ in 0..50 {
            let solution = csp.random_solution(&csp.domains(), &mut rng, &mut plenty()).unwrap().unwrap();
            let mut domains = csp.domains();
            for cell in (0..25).filter(|_| rng.chance(2, 5)) {
                domains.keep(cell, 1 << solution[cell]).unwrap();
            }
            let path = csp.solve_path(&domains, &solution);
            let mut fixed: Vec<bool> = (0..25).map(|cell| domains.value(cell).is_some()).collect();
            for step in &path.steps {
                assert!(!std::mem::replace(&mut fixed[step.variable], true), "{step:?}");
                assert_eq!(step.value, solution[step.variable]);
                if let Why::OnlyPlace(rule) | Why::OnlyValue(rule) = step.why {
                    assert!(csp.rules[rule].scope().contains(&step.variable), "{step:?}");
                }
            }
            assert!(fixed.iter().all(|fixed| *fixed) && path.cost > 0);
            assert_eq!(csp.solve_path(&domains, &solution), path);
            for step in &path.steps {
                let by_rules = |known: &Domains| {
                    let reasons = csp.reasons(known, step.variable, step.value, &mut plenty()).unwrap();
                    reasons.into_iter().filter(|why| !matches!(why, Why::Tried(_))).count()
                };
                // A line leaves one number once all others are known, and says nothing of an empty square.
                let mut others = csp.domains();
                assert_eq!(by_rules(&others), 0, "{step:?}");
                for cell in (0..25).filter(|cell| *cell != step.variable) {
                    others.keep(cell, 1 << solution[cell]).unwrap();
                }
                assert_eq!(by_rules(&others), 4, "{step:?}");
            }
        }
    }
}
