//! Latin squares with additional rules: generated, dug, certified and solved.

use super::square::{Squares, line_name};
use crate::shared::csp::{AllDifferent, Csp, Domains, Rule, SolvePath, Step, Why, range, values};
use crate::shared::grid::Grid;
use crate::task::prelude::*;
use crate::task::reasons::Reasons;

const FITS: &str = "the rules keep the values of a solution";

/// The rules of a grid: those of its own first, then, of a Latin square, the rows and the columns.
pub struct RuledGrid {
    columns: usize,
    /// Number of rules of its own.
    own: usize,
    rules: Csp,
    /// Cells that belong to the board, such as walls: digging leaves their givens.
    fixed: Vec<usize>,
}

impl RuledGrid {
    /// A grid of the numbers from 1 to `most`.
    pub fn new(
        rows: usize,
        columns: usize,
        most: u8,
        own: impl Iterator<Item = impl Rule + 'static>,
    ) -> Self {
        let rules = Csp::new(rows * columns, range(1, most));
        let mut grid = Self { columns, own: 0, rules, fixed: Vec::new() };
        for rule in own {
            grid.rules.require(rule);
            grid.own += 1;
        }
        grid
    }

    /// The same with every number once in each row and each column, of which there are as many.
    #[must_use]
    pub fn with_lines(mut self) -> Self {
        for line in Grid::new(self.columns, vec![(); self.columns * self.columns]).lines() {
            self.rules.require(AllDifferent(line));
        }
        self
    }

    /// The same with cells that belong to the board.
    #[must_use]
    pub fn with_fixed(mut self, fixed: Vec<usize>) -> Self {
        self.fixed = fixed;
        self
    }

    /// A random grid that obeys the rules, if there is one.
    pub fn random_grid(&self, rng: &mut Rng, budget: &mut Budget) -> Result<Grid<u8>, OverBudget> {
        let found = self.rules.random_solution(&self.rules.domains(), rng, budget)?;
        Ok(Grid::new(self.columns, found.expect("some grid obeys the rules")))
    }

    /// Up to `most` grids that keep the givens and obey the rules.
    pub fn completions(
        &self,
        givens: &Grid<u8>,
        most: usize,
        budget: &mut Budget,
    ) -> Result<Vec<Grid<u8>>, OverBudget> {
        let mut domains = self.rules.domains();
        let given = givens.cells().iter().enumerate().filter(|(_, given)| **given > 0);
        if given.map(|(cell, given)| domains.keep(cell, 1 << given)).any(|kept| kept.is_err()) {
            return Ok(Vec::new());
        }
        let found = self.rules.solutions(&domains, most, budget)?;
        Ok(found.into_iter().map(|cells| Grid::new(self.columns, cells)).collect())
    }

    /// Givens of a puzzle that the split wants: `least` or more if necessary, from which the solution follows by the rules
    /// alone or, with `trials`, not without them. None if digging led to no such puzzle.
    pub fn puzzle(
        &self,
        solution: &Grid<u8>,
        (least, trials): (usize, bool),
        rng: &mut Rng,
        budget: &mut Budget,
        fingerprint: impl Fn(&Grid<u8>) -> Vec<u8>,
    ) -> Result<Option<Grid<u8>>, OverBudget> {
        let dug = self.dig(solution, least.saturating_sub(usize::from(trials)), trials, rng, budget)?;
        let mut candidates = vec![dug.clone()];
        // Digging takes long where trials are needed. So one more given is chosen as the split wants it.
        if trials && dug.cells().iter().filter(|given| **given > 0).count() > self.fixed.len() {
            let mut empty: Vec<usize> = (0..dug.cells().len()).filter(|cell| dug[*cell] == 0).collect();
            rng.shuffle(&mut empty);
            let with = |cell: usize| {
                let mut givens = dug.clone();
                givens[cell] = solution[cell];
                givens
            };
            candidates = empty.into_iter().map(with).collect();
        }
        for givens in candidates {
            if budget.wants(|| fingerprint(&givens))? && self.narrowed(&givens, budget)?.all_fixed() != trials
            {
                return Ok(Some(givens));
            }
        }
        Ok(None)
    }

    /// Givens from which the solution follows, by the rules alone or with `trials`: `wanted` of them, or more
    /// if necessary.
    fn dig(
        &self,
        solution: &Grid<u8>,
        wanted: usize,
        trials: bool,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Grid<u8>, OverBudget> {
        let mut givens = solution.map(|_| 0);
        self.fixed.iter().for_each(|cell| givens[*cell] = solution[*cell]);
        // Adds givens until the others follow by the rules, then removes those that it can.
        let mut cells: Vec<usize> = (0..solution.cells().len()).filter(|cell| givens[*cell] == 0).collect();
        rng.shuffle(&mut cells);
        let (mut domains, mut given) = (self.domains(&givens), Vec::new());
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
        Ok(givens)
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

    /// The solution's givens with up to `added` more and then up to `removed` fewer, where the solution still follows.
    pub fn dug_again(
        &self,
        puzzle: Squares<'_>,
        [added, removed]: [usize; 2],
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Grid<u8>, OverBudget> {
        let mut cells: Vec<usize> = (0..puzzle.givens.cells().len()).collect();
        rng.shuffle(&mut cells);
        let (empty, given): (Vec<usize>, Vec<usize>) =
            cells.into_iter().partition(|cell| puzzle.givens[*cell] == 0);
        let mut givens = puzzle.givens.clone();
        // One cell stays empty.
        for cell in empty.into_iter().skip(1).take(added) {
            givens[cell] = puzzle.solution[cell];
        }
        let mut left = removed;
        for cell in given.into_iter().filter(|cell| !self.fixed.contains(cell)) {
            if left > 0 && self.empty(&mut givens, cell, true, budget)? {
                left -= 1;
            }
        }
        Ok(givens)
    }

    /// Each empty cell in reading order with the first number that no rule alone refutes, and 1 where there is none.
    pub fn greedy(&self, givens: &Grid<u8>, most: u8) -> Grid<u8> {
        let (mut domains, mut grid) = (self.domains(givens), givens.clone());
        for cell in (0..givens.cells().len()).filter(|cell| givens[*cell] == 0) {
            let fits = |number: &u8| self.rules.allows(&domains, cell, *number);
            let number = (1..=most).find(fits).unwrap_or(1);
            domains.keep(cell, 1 << number).expect("no rule has narrowed an empty cell");
            grid[cell] = number;
        }
        grid
    }

    /// Certifies that only the solution fits the named fields.
    pub fn certify(
        &self,
        puzzle: Squares<'_>,
        fields: &str,
        budget: &mut Budget,
    ) -> Result<Certificate, Uncertified> {
        puzzle.certify(self.rules.solutions(&self.domains(puzzle.givens), 2, budget), fields)
    }

    /// A path to the solution by the rules and, where those are not enough, by trials.
    pub fn path(&self, puzzle: Squares<'_>) -> SolvePath {
        self.rules.solve_path(&self.domains(puzzle.givens), puzzle.solution.cells())
    }

    /// The path to the solution as steps `r1c2 = 3: WHY`; `own` names an additional rule.
    pub fn explain(&self, puzzle: Squares<'_>, own: impl Fn(usize) -> String) -> Vec<String> {
        let steps = self.path(puzzle).steps.into_iter().map(|step| {
            let cell = puzzle.solution.place(step.variable).short();
            let number = puzzle.written(step.value);
            format!("{cell} = {number}: {}", why(&step, puzzle.least, |rule| self.name(rule, &own)))
        });
        steps.collect()
    }

    /// The reasons of these steps, for their judge.
    pub fn reasons<'a>(self, puzzle: Squares<'a>, own: impl Fn(usize) -> String + 'a) -> Reasons<'a> {
        let (columns, additional, given) = (self.columns, self.own, self.domains(puzzle.givens));
        let word = move |step: &Step| why(step, puzzle.least, |rule| named(rule, additional, columns, &own));
        Reasons::new(self.rules, given, puzzle.solution.cells(), word)
    }

    /// A hint for each step of the path: a cell and a rule without the number, or a line without the cell; `own`
    /// names an additional rule.
    pub fn hints(&self, puzzle: Squares<'_>, own: impl Fn(usize) -> String) -> Vec<String> {
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
        named(rule, self.own, self.columns, own)
    }
}

/// Name of a rule beside the `additional` ones, which come first: that of a line.
fn named(rule: usize, additional: usize, columns: usize, own: impl Fn(usize) -> String) -> String {
    rule.checked_sub(additional).map_or_else(|| own(rule), |line| line_name(line, columns))
}

fn why(step: &Step, least: u8, name: impl Fn(usize) -> String) -> String {
    let written = |number: u8| number + least - 1;
    match step.why {
        Why::OnlyValue(rule) => format!("{} leaves no other number", name(rule)),
        Why::OnlyPlace(rule) => format!("the only place for {} in {}", written(step.value), name(rule)),
        Why::Tried(others) => {
            format!("trying {} leads to a contradiction", values(others).map(written).joined(" or "))
        }
    }
}
