//! Latin squares with additional rules: generated, dug, certified and solved.

use super::{Latin, line_name};
use kit::shared::csp::{AllDifferent, Csp, Domains, Rule, SolvePath, Why, range, values};
use kit::shared::grid::Grid;
use kit::task::prelude::*;

const FITS: &str = "the rules keep the values of a solution";

/// The rules of a square: its additional ones first, then the rows, then the columns.
pub struct RuledSquare {
    size: usize,
    /// Number of additional rules.
    own: usize,
    rules: Csp,
}

impl RuledSquare {
    pub fn new(size: usize, own: impl ExactSizeIterator<Item = impl Rule + 'static>) -> Self {
        let mut square = Self { size, own: own.len(), rules: Csp::new(size * size, range(1, size as u8)) };
        own.for_each(|rule| square.rules.require(rule));
        for line in Grid::new(size, vec![(); size * size]).lines() {
            square.rules.require(AllDifferent(line));
        }
        square
    }

    /// The first squares that obey the rules.
    #[cfg(test)]
    pub fn squares(&self, at_most: usize, budget: &mut Budget) -> Result<Vec<Vec<u8>>, OverBudget> {
        self.rules.solutions(&self.rules.domains(), at_most, budget)
    }

    pub fn random_square(&self, rng: &mut Rng, budget: &mut Budget) -> Result<Grid<u8>, OverBudget> {
        let square = self.rules.random_solution(&self.rules.domains(), rng, budget)?;
        Ok(Grid::new(self.size, square.expect("some square obeys the rules")))
    }

    /// Givens from which the solution follows, by the rules alone or with `trials`: `wanted` of them, or more
    /// if necessary. The flag is true if trials are needed.
    pub fn dig(
        &self,
        solution: &Grid<u8>,
        wanted: usize,
        trials: bool,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<(Grid<u8>, bool), OverBudget> {
        let mut givens = solution.map(|_| 0);
        // Adds givens until the others follow by the rules, then removes those that it can.
        let mut cells: Vec<usize> = (0..solution.cells().len()).collect();
        rng.shuffle(&mut cells);
        let (mut domains, mut given) = (self.rules.domains(), Vec::new());
        for cell in cells {
            if given.len() < wanted || domains.value(cell).is_none() {
                given.push(cell);
                givens[cell] = solution[cell];
                domains.keep(cell, 1 << solution[cell]).expect(FITS);
                self.rules.narrow(&mut domains, budget)?;
            }
        }
        let mut left = given.len();
        for cell in given {
            if left > wanted && self.empty(&mut givens, cell, trials, budget)? {
                left -= 1;
            }
        }
        Ok((givens.clone(), !self.narrowed(&givens, budget)?.all_fixed()))
    }

    /// Empties a given cell if its number still follows, by the rules alone or with `trials`.
    fn empty(
        &self,
        givens: &mut Grid<u8>,
        cell: usize,
        trials: bool,
        budget: &mut Budget,
    ) -> Result<bool, OverBudget> {
        let number = std::mem::replace(&mut givens[cell], 0);
        let mut domains = self.narrowed(givens, budget)?;
        let mut follows = domains.value(cell).is_some();
        if !follows && trials {
            domains.keep(cell, !(1 << number)).expect("several numbers are open");
            follows = self.rules.solutions(&domains, 1, budget)?.is_empty();
        }
        if !follows {
            givens[cell] = number;
        }
        Ok(follows)
    }

    /// The open numbers of each cell, given the givens.
    fn domains(&self, givens: &Grid<u8>) -> Domains {
        let mut domains = self.rules.domains();
        for (cell, given) in givens.cells().iter().enumerate().filter(|(_, given)| **given > 0) {
            domains.keep(cell, 1 << given).expect(FITS);
        }
        domains
    }

    /// The numbers that the rules leave open.
    fn narrowed(&self, givens: &Grid<u8>, budget: &mut Budget) -> Result<Domains, OverBudget> {
        let mut domains = self.domains(givens);
        self.rules.narrow(&mut domains, budget)?;
        Ok(domains)
    }

    /// Certifies that only the solution fits the named fields.
    pub fn certify(
        &self,
        puzzle: Latin<'_>,
        fields: &str,
        budget: &mut Budget,
    ) -> Result<Certificate, Uncertified> {
        puzzle.certify(self.rules.solutions(&self.domains(puzzle.givens), 2, budget), fields)
    }

    /// A path to the solution by the rules and, where those are not enough, by trials.
    pub fn path(&self, puzzle: Latin<'_>) -> SolvePath {
        self.rules.solve_path(&self.domains(puzzle.givens), puzzle.solution.cells())
    }

    /// The path to the solution as steps `r1c2 = 3: WHY`; `own` names an additional rule.
    pub fn explain(&self, puzzle: Latin<'_>, own: impl Fn(usize) -> String) -> Vec<String> {
        let name = |rule| self.name(rule, &own);
        let steps = self.path(puzzle).steps.into_iter().map(|step| {
            let (cell, number) = (puzzle.solution.place(step.variable).short(), step.value);
            let why = match step.why {
                Why::OnlyValue(rule) => format!("{} leaves no other number", name(rule)),
                Why::OnlyPlace(rule) => format!("the only place for {number} in {}", name(rule)),
                Why::Tried(others) => {
                    let others: Vec<String> = values(others).map(|value| value.to_string()).collect();
                    format!("trying {} leads to a contradiction", others.join(" or "))
                }
            };
            format!("{cell} = {number}: {why}")
        });
        steps.collect()
    }

    /// A hint for each step of the path: a cell and a rule without the number, or a line without the cell; `own`
    /// names an additional rule.
    pub fn hints(&self, puzzle: Latin<'_>, own: impl Fn(usize) -> String) -> Vec<String> {
        let hints = self.path(puzzle).steps.into_iter().map(|step| {
            let cell = puzzle.solution.place(step.variable).short();
            match step.why {
                Why::OnlyValue(rule) => {
                    format!("Look at {cell}: {} leaves only one number there.", self.name(rule, &own))
                }
                Why::OnlyPlace(rule) => {
                    format!("Look at {}: one of its numbers has only one place left.", self.name(rule, &own))
                }
                Why::Tried(_) => {
                    format!("Look at {cell}: try its numbers one after the other, and all but one lead to a contradiction.")
                }
            }
        });
        hints.collect()
    }

    /// Name of a rule: that of a line, or that of an additional one by `own`.
    fn name(&self, rule: usize, own: impl Fn(usize) -> String) -> String {
        match rule.checked_sub(self.own) {
            Some(line) => line_name(line, self.size),
            None => own(rule),
        }
    }
}
