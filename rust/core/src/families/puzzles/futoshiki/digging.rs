//! A square with its signs, and no more givens than are asked for or needed.

use super::{FutoshikiParams, Puzzle};
use crate::budget::{Budget, OverBudget};
use crate::rng::Rng;
use crate::shared::csp::{AllDifferent, Csp, Domains, Less, range};
use crate::shared::grid::Grid;

const FITS: &str = "the rules keep the values of a solution";

/// The signs as rules, then the rows, then the columns.
pub fn rules(size: usize, less: &[[usize; 2]]) -> Csp {
    let mut rules = Csp::new(size * size, range(1, size as u8));
    for pair in less {
        rules.require(Less(*pair));
    }
    let lines = Grid::new(size, vec![(); size * size]).lines();
    for line in lines {
        rules.require(AllDifferent(line));
    }
    rules
}

/// Draws a puzzle.
pub fn draw(params: &FutoshikiParams, rng: &mut Rng, budget: &mut Budget) -> Result<Puzzle, OverBudget> {
    let size = params.size as usize;
    let wanted = size * size * params.givens_percent as usize / 100;
    let latin = rules(size, &[]);
    loop {
        let square = latin.random_solution(&latin.domains(), rng, budget)?;
        let solution = Grid::new(size, square.expect("there are Latin squares of every size"));
        let mut less = solution.neighbours();
        rng.shuffle(&mut less);
        less.truncate(less.len() * params.signs_percent as usize / 100);
        less.sort_unstable();
        for pair in &mut less {
            pair.sort_by_key(|cell| solution[*cell]);
        }
        let rules = rules(size, &less);
        let mut puzzle = Puzzle { givens: solution.map(|_| 0), less, solution };
        // Cells are given until the others follow by the rules; then those are emptied that can be.
        let mut cells: Vec<usize> = (0..size * size).collect();
        rng.shuffle(&mut cells);
        let (mut domains, mut given) = (rules.domains(), Vec::new());
        for cell in cells {
            if given.len() < wanted || domains.value(cell).is_none() {
                given.push(cell);
                puzzle.givens[cell] = puzzle.solution[cell];
                domains.keep(cell, 1 << puzzle.solution[cell]).expect(FITS);
                rules.narrow(&mut domains, budget)?;
            }
        }
        let mut left = given.len();
        for cell in given {
            if left > wanted && puzzle.empty(cell, &rules, params.trials, budget)? {
                left -= 1;
            }
        }
        if puzzle.narrowed(&rules, budget)?.all_fixed() != params.trials {
            return Ok(puzzle);
        }
    }
}

impl Puzzle {
    /// What is open where the givens stand.
    pub fn domains(&self, rules: &Csp) -> Domains {
        let mut domains = rules.domains();
        for (cell, given) in self.givens.cells().iter().enumerate().filter(|(_, given)| **given > 0) {
            domains.keep(cell, 1 << given).expect(FITS);
        }
        domains
    }

    /// What the rules leave open.
    fn narrowed(&self, rules: &Csp, budget: &mut Budget) -> Result<Domains, OverBudget> {
        let mut domains = self.domains(rules);
        rules.narrow(&mut domains, budget)?;
        Ok(domains)
    }

    /// Empties a given cell if its number still follows, by the rules alone or by `trials` too.
    fn empty(
        &mut self,
        cell: usize,
        rules: &Csp,
        trials: bool,
        budget: &mut Budget,
    ) -> Result<bool, OverBudget> {
        let number = std::mem::replace(&mut self.givens[cell], 0);
        let mut domains = self.narrowed(rules, budget)?;
        let mut follows = domains.value(cell).is_some();
        if !follows && trials {
            domains.keep(cell, !(1 << number)).expect("several numbers are open");
            follows = rules.solutions(&domains, 1, budget)?.is_empty();
        }
        if !follows {
            self.givens[cell] = number;
        }
        Ok(follows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::puzzles::futoshiki::Futoshiki;
    use crate::families::puzzles::futoshiki::tests::{drawn, rng, small};
    use crate::shared::csp::Why;
    use crate::task::prelude::TaskFamily;

    #[test]
    fn certified_is_what_one_square_alone_fits() {
        let latin = rules(4, &[]);
        let squares = latin.solutions(&latin.domains(), 1_000, &mut Budget::new(u64::MAX)).unwrap();
        assert_eq!(squares.len(), 576);
        let mut rng = rng(0);
        let mut counts = [0; 2];
        for at in 0..400 {
            let mut puzzle = drawn(&Futoshiki::LEVELS[at % 2], &mut rng);
            for _ in 0..rng.below(8) {
                puzzle.less.remove(rng.index(puzzle.less.len()));
            }
            let fits = |square: &&Vec<u8>| {
                let mut givens = puzzle.givens.cells().iter().zip(*square);
                givens.all(|(given, number)| *given == 0 || given == number)
                    && puzzle.less.iter().all(|[small, large]| square[*small] < square[*large])
            };
            let unique = squares.iter().filter(fits).count() == 1;
            let certified = TaskFamily::certify(&Futoshiki, &puzzle, &mut Budget::new(1_000_000));
            assert_eq!(certified.is_ok(), unique, "{certified:?}");
            counts[usize::from(unique)] += 1;
        }
        assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
        let starved = TaskFamily::certify(&Futoshiki, &small(), &mut Budget::new(1)).unwrap_err();
        assert!(starved.contains("more steps than are allowed"), "{starved}");
    }

    #[test]
    fn trials_are_needed_where_they_are_asked_for() {
        for params in Futoshiki::LEVELS {
            let puzzle = drawn(params, &mut rng(1));
            let tried = puzzle.path().steps.iter().any(|step| matches!(step.why, Why::Tried(_)));
            assert_eq!(tried, params.trials);
        }
    }
}
