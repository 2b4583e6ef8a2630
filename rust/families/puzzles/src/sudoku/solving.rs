//! Steps of a solver, judged in order.

use super::board::Board;
use super::deduction::Claim;
use kit::budget::Budget;
use kit::task::steps::{StepJudge, StepVerdict};

/// Judges steps `r1c2 = 3` or `r1c2, r1c3 and r1c4 not 3 or 5`, optionally followed by a colon and a reason,
/// on the board that the true steps so far have reached.
///
/// A number of the solution is true, and it advances if the cell was still empty: the cells left measure how far
/// the end is. Excluding numbers fills no cell, and there are so many ways to do it that it must not pay. A
/// reason in free words is not judged.
pub struct Solving<'a> {
    pub solution: &'a [u8],
    pub board: Board,
}

impl StepJudge for Solving<'_> {
    fn judge(&mut self, step: &str, _: &mut Budget) -> Result<StepVerdict, String> {
        let shape = self.board.shape;
        let step = shape.read_step(step)?;
        if let Some(cell) = step.claim.wrong_about(self.solution) {
            let cell = shape.cell_name(cell);
            return Ok(StepVerdict::refuted(match step.claim {
                Claim::Is { value, .. } => format!("{cell} is not {value}"),
                Claim::Not { .. } => format!("{cell} is one of those numbers"),
            }));
        }
        if !self.board.learns_from(&step.claim) {
            return Ok(StepVerdict::idle("true, but the grid already shows it"));
        }
        if let Some(reason) = &step.reason {
            self.board.bears_out(&step.claim, reason)?;
        }
        self.board.take(&step).expect("true steps keep the solution open");
        Ok(match step.claim {
            Claim::Is { .. } => StepVerdict::advances(),
            Claim::Not { .. } => StepVerdict::idle("true, but it fills no cell"),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::sudoku::tests::wikipedia;
    use kit::budget::Budget;
    use kit::task::problem::Problem;
    use kit::task::steps::judge_steps;

    /// There are more eliminations than a solution has steps.
    #[test]
    fn eliminations_hold_and_earn_nothing() {
        let puzzle = wikipedia();
        let solution = puzzle.solution().answer;
        let digits: Vec<u32> = solution.chars().filter_map(|digit| digit.to_digit(10)).collect();
        let mut steps = Vec::new();
        for (cell, digit) in digits.iter().enumerate() {
            let others = (1..=9).filter(|other| other != digit);
            steps.extend(others.map(|other| format!("r{}c{} not {other}", cell / 9 + 1, cell % 9 + 1)));
        }
        let verdicts = judge_steps(&mut *puzzle.steps().unwrap(), &steps, &mut Budget::new(100_000));
        assert!(verdicts.len() == 648 && verdicts.iter().all(|one| one.holds && !one.advances));
    }

    #[test]
    fn steps_are_judged_on_the_board_of_the_steps_before() {
        let puzzle = wikipedia();
        let judge = |before: &[&str], step: &str| {
            let steps = [before, &[step]].concat();
            let verdict = judge_steps(&mut *puzzle.steps().unwrap(), &steps, &mut Budget::new(10_000));
            verdict.last().map(|last| (last.holds, last.advances, last.detail.clone())).unwrap()
        };
        let says = |verdict: (bool, bool, String), holds, advances, said: &str| {
            assert!(verdict.2.contains(said), "{verdict:?}");
            assert_eq!((verdict.0, verdict.1), (holds, advances), "{verdict:?}");
        };
        says(judge(&[], "r5c5 = 5"), true, true, "");
        says(judge(&[], " R5C5=5 : No other number fits. "), true, true, "");
        says(judge(&[], "r5c5 = 5: it just feels right"), true, true, "");
        says(judge(&["r5c5 = 5"], "r5c5 = 5"), true, false, "already");
        says(judge(&[], "r1c1 = 5"), true, false, "already");
        says(judge(&[], "r5c5 = 6"), false, false, "r5c5 is not 6");
        // Right, but not for the given reason.
        says(judge(&[], "r1c3 = 4: no other number fits"), false, false, "r1c3 could also be");
        says(judge(&[], "r1c3 = 4: the only place for 4 in row 1"), false, false, "could also go");
        says(judge(&[], "r1c3 = 4: the only place for 2 in row 1"), false, false, "about 2");
        says(judge(&[], "r1c3 = 4: the only place for 4 in row 2"), false, false, "not in row 2");
        says(judge(&[], "r1c3 = 4: trying 1 or 2 leads to a contradiction"), true, true, "");
        says(judge(&[], "r1c3 = 4: trying 1 leads to a contradiction"), false, false, "could also be 2");
        // Only earlier steps that hold rule out other numbers.
        let last = "r6c6 = 4: no other number fits";
        says(judge(&["r5c5 = 5", "r4c6 = 1"], last), true, true, "");
        says(judge(&["r5c5 = 5"], last), false, false, "r6c6 could also be 1");
        says(judge(&["r5c5 = 5", "r6c5 = 1", "so"], last), false, false, "r6c6 could also be 1");
        let unfounded = "r4c6 = 1: the only place for 1 in row 1";
        says(judge(&["r5c5 = 5", unfounded], last), false, false, "r6c6 could also be 1");
        says(judge(&[], "r1c3 not 2"), true, false, "fills no cell");
        says(judge(&[], "r1c3 not 4"), false, false, "one of those numbers");
        says(judge(&[], "r1c3 not 2: all places for 2 in box 1 are in row 2"), false, false, "");
        for junk in ["r0c1 = 3", "r1c10 = 3", "r1c1 = 10", "r1c1 = ", "r1c3 not", "not 3", "r1c3 = +4"] {
            says(judge(&[], junk), false, false, "is not a step");
        }
    }
}
