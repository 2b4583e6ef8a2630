//! Steps that a person takes: finding them on a board, and checking them on one.

use crate::sudoku::board::{Board, Contradiction, NOWHERE};
use crate::sudoku::shape::{Shape, bit, values};
use crate::sudoku::step_text::list;

/// One step of deduction.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub claim: Claim,
    pub reason: Option<Reason>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    Is {
        cell: usize,
        value: u8,
    },
    /// None of the cells has any of the values.
    Not {
        cells: Vec<usize>,
        values: u16,
    },
}

/// The reason why a claim is true on the board it is made on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    OnlyValue,
    OnlyPlace {
        value: u8,
        unit: usize,
    },
    /// Each of these values leads to a contradiction.
    Tried {
        values: u16,
    },
    /// All places of a value in one unit are also in another.
    Locked {
        value: u8,
        from: usize,
        into: usize,
    },
    /// Two cells that share a unit have only the same two values left.
    NakedPair {
        cells: [usize; 2],
        values: u16,
    },
    /// Two values have only the same two cells of a unit left.
    HiddenPair {
        cells: [usize; 2],
        values: u16,
        unit: usize,
    },
}

impl Step {
    fn is(cell: usize, value: u8, reason: Reason) -> Self {
        Self { claim: Claim::Is { cell, value }, reason: Some(reason) }
    }

    fn not(cells: Vec<usize>, values: u16, reason: Reason) -> Self {
        Self { claim: Claim::Not { cells, values }, reason: Some(reason) }
    }
}

// Finding steps.

/// Costs of the kinds of steps to a person; a naked single costs 1.
const HIDDEN: u32 = 2;
const LOCKED: u32 = 5;
const PAIR: u32 = 8;
/// In addition, one for every cell that is filled until the contradiction.
const TRIAL: u32 = 12;
/// A trial whose contradiction takes more than singles.
const DEEP_TRIAL: u32 = 60;

/// Cells on which a person tries values before resorting to a deep trial.
const TRIALS_AT_ONCE: usize = 16;
/// Trials in one puzzle before every further one counts as deep; only a puzzle without a unique solution
/// comes near.
const MOST_TRIALS: usize = 400;

/// The path from the givens to the solution, simplest step first, and its cost.
pub fn solve_path(shape: &'static Shape, givens: &[u8], solution: &[u8]) -> (Vec<Step>, u32) {
    const FITS: &str = "deductions keep the values of a grid that fits";
    let mut board = Board::new(shape, givens).expect(FITS);
    let (mut steps, mut cost, mut trials) = (Vec::new(), 0, 0);
    while board.empty > 0 {
        let (step, added) = if let Some(cell) = board.next_single() {
            (Step::is(cell, solution[cell], Reason::OnlyValue), 1)
        } else if let Some(step) = board.hidden_single() {
            (step, HIDDEN)
        } else if let Some(step) = board.locked() {
            (step, LOCKED)
        } else if let Some(step) = board.pair() {
            (step, PAIR)
        } else {
            board.trial(solution, &mut trials)
        };
        board.take(&step).expect(FITS);
        steps.push(step);
        cost += added;
    }
    (steps, cost)
}

impl Board {
    /// Applies the step's claim to the board.
    pub fn take(&mut self, step: &Step) -> Result<(), Contradiction> {
        match &step.claim {
            Claim::Is { cell, value } => self.place(*cell, bit(*value)),
            Claim::Not { cells, values } => cells.iter().try_for_each(|cell| self.exclude(*cell, *values)),
        }
    }

    fn hidden_single(&self) -> Option<Step> {
        let size = self.shape.size;
        (2 * size..3 * size).chain(0..2 * size).find_map(|unit| {
            let value = values(self.hidden_in(unit).ok()?).next()?;
            let cell = self.place_in(unit, bit(value))?;
            Some(Step::is(cell, value, Reason::OnlyPlace { value, unit }))
        })
    }

    /// An elimination by locked candidates.
    pub fn locked(&self) -> Option<Step> {
        let shape = self.shape;
        (2 * shape.size..3 * shape.size).find_map(|its_box| {
            let mut lines = (0..2 * shape.size).filter(|line| shape.cross(*line, its_box));
            lines.find_map(|line| {
                let [mut both, mut box_rest, mut line_rest] = [0; 3];
                for cell in shape.members(its_box) {
                    if shape.in_unit(cell, line) {
                        both |= self.open[cell];
                    } else {
                        box_rest |= self.open[cell];
                    }
                }
                for cell in shape.members(line).filter(|cell| !shape.in_unit(*cell, its_box)) {
                    line_rest |= self.open[cell];
                }
                // A placed value is open in only one of the three.
                let pointing = values(both & line_rest & !box_rest).next();
                let claiming = values(both & box_rest & !line_rest).next();
                let (value, from, into) = match (pointing, claiming) {
                    (Some(value), _) => (value, its_box, line),
                    (_, Some(value)) => (value, line, its_box),
                    _ => return None,
                };
                let cells = shape
                    .members(into)
                    .filter(|cell| !shape.in_unit(*cell, from) && self.open[*cell] & bit(value) != 0);
                let reason = Reason::Locked { value, from, into };
                Some(Step::not(cells.collect(), bit(value), reason))
            })
        })
    }

    /// An elimination by a naked or a hidden pair.
    pub fn pair(&self) -> Option<Step> {
        let naked = (0..self.shape.units()).find_map(|unit| self.naked_pair(unit));
        naked.or_else(|| (0..self.shape.units()).find_map(|unit| self.hidden_pair(unit)))
    }

    fn naked_pair(&self, unit: usize) -> Option<Step> {
        let cells = self.shape.members(unit);
        let mut twos = cells.clone().filter(|cell| self.open[*cell].count_ones() == 2);
        let pairs = std::iter::from_fn(|| {
            let first = twos.next()?;
            Some((first, twos.clone().find(|cell| self.open[*cell] == self.open[first])))
        });
        pairs.filter_map(|(first, second)| Some([first, second?])).find_map(|pair| {
            let both = self.open[pair[0]];
            let others = cells.clone().filter(|cell| !pair.contains(cell));
            let hit: Vec<usize> = others.filter(|cell| self.open[*cell] & both != 0).collect();
            let gone = hit.iter().fold(0, |gone, cell| gone | self.open[*cell] & both);
            let reason = Reason::NakedPair { cells: pair, values: both };
            (!hit.is_empty()).then(|| Step::not(hit, gone, reason))
        })
    }

    fn hidden_pair(&self, unit: usize) -> Option<Step> {
        let cells = self.shape.members(unit);
        let places = |value| {
            let mut places = cells.clone().filter(move |cell| self.open[*cell] & bit(value) != 0);
            Some([places.next()?, places.next()?]).filter(|_| places.next().is_none())
        };
        let mut rest = values(self.shape.all() & !self.taken[unit]);
        while let Some(value) = rest.next() {
            let Some(pair) = places(value) else { continue };
            for other in rest.clone().filter(|other| places(*other) == Some(pair)) {
                let both = bit(value) | bit(other);
                let gone = (self.open[pair[0]] | self.open[pair[1]]) & !both;
                if gone != 0 {
                    let reason = Reason::HiddenPair { cells: pair, values: both, unit };
                    return Some(Step::not(pair.to_vec(), gone, reason));
                }
            }
        }
        None
    }

    /// Fills a cell by refuting its other values, as a person does who tries one cell after another, those
    /// with the fewest values first.
    fn trial(&self, solution: &[u8], trials: &mut usize) -> (Step, u32) {
        let mut cells: Vec<usize> = (0..self.shape.cells()).filter(|cell| !self.is_placed(*cell)).collect();
        cells.sort_by_key(|cell| self.open[*cell].count_ones());
        let others = |cell: usize| self.open[cell] & !bit(solution[cell]);
        let mut cost = 0;
        for cell in cells.iter().take(TRIALS_AT_ONCE) {
            let refuted = values(others(*cell)).all(|value| {
                *trials += 1;
                if *trials > MOST_TRIALS {
                    return false;
                }
                let mut next = self.clone();
                let ended = next.place(*cell, bit(value)).and_then(|()| next.all_singles(NOWHERE));
                cost += TRIAL + (self.empty - next.empty) as u32;
                ended.is_err()
            });
            if refuted {
                let reason = Reason::Tried { values: others(*cell) };
                return (Step::is(*cell, solution[*cell], reason), cost);
            }
        }
        let reason = Reason::Tried { values: others(cells[0]) };
        (Step::is(cells[0], solution[cells[0]], reason), cost + DEEP_TRIAL)
    }
}

// Checking steps.

impl Board {
    /// Checks that the step's reason is true on this board; the error says why it is not.
    ///
    /// Trials are accepted unchecked: if the puzzle has one solution, every other value can be refuted.
    pub fn bears_out(&self, claim: &Claim, reason: &Reason) -> Result<(), String> {
        let shape = self.shape;
        let open_elsewhere = |unit: usize, values: u16, but: &[usize]| {
            let mut cells = shape.members(unit).filter(|cell| !but.contains(cell));
            match cells.find(|cell| self.open[*cell] & values != 0) {
                None => Ok(()),
                Some(cell) => Err(format!(
                    "{} in {} could also go to {}",
                    list(values & self.open[cell], "and"),
                    shape.unit_name(unit),
                    shape.cell_name(cell)
                )),
            }
        };
        let open_beyond = |cell: usize, values: u16| match self.open[cell] & !values {
            0 => Ok(()),
            more => Err(format!("{} could also be {}", shape.cell_name(cell), list(more, "or"))),
        };
        let other_kind = || Err("the reason is one for another kind of step".to_owned());
        match (claim, *reason) {
            (Claim::Is { cell, value }, Reason::OnlyValue) => open_beyond(*cell, bit(*value)),
            (Claim::Is { cell, value }, Reason::OnlyPlace { value: named, unit }) => {
                if named != *value {
                    return Err(format!("the reason is about {named}, not {value}"));
                }
                if !shape.in_unit(*cell, unit) {
                    let (cell, unit) = (shape.cell_name(*cell), shape.unit_name(unit));
                    return Err(format!("{cell} is not in {unit}"));
                }
                open_elsewhere(unit, bit(*value), &[*cell])
            }
            (Claim::Is { cell, value }, Reason::Tried { values }) => {
                if values & bit(*value) != 0 {
                    return Err(format!("{value} does not lead to a contradiction"));
                }
                open_beyond(*cell, values | bit(*value))
            }
            (Claim::Not { cells, values }, Reason::Locked { value, from, into }) => {
                let reached = |cell: &usize| shape.in_unit(*cell, into) && !shape.in_unit(*cell, from);
                if *values != bit(value) || !cells.iter().all(reached) {
                    return other_kind();
                }
                let both: Vec<usize> = shape.members(from).filter(|c| shape.in_unit(*c, into)).collect();
                open_elsewhere(from, bit(value), &both)
            }
            (Claim::Not { cells, values: gone }, Reason::NakedPair { cells: pair, values }) => {
                let sees_both = |cell: &usize| pair.iter().all(|one| shape.see(*cell, *one));
                if gone & !values != 0 || !cells.iter().all(sees_both) || !shape.see(pair[0], pair[1]) {
                    return other_kind();
                }
                pair.iter().try_for_each(|cell| open_beyond(*cell, values))
            }
            (Claim::Not { cells, values: gone }, Reason::HiddenPair { cells: pair, values, unit }) => {
                let in_pair = cells.iter().all(|cell| pair.contains(cell));
                let in_unit = pair.iter().all(|cell| shape.in_unit(*cell, unit));
                if gone & values != 0 || !in_pair || !in_unit || pair[0] == pair[1] {
                    return other_kind();
                }
                open_elsewhere(unit, values, &pair)
            }
            _ => other_kind(),
        }
    }

    /// True if a step would add new information to the board.
    pub fn learns_from(&self, claim: &Claim) -> bool {
        match claim {
            Claim::Is { cell, .. } => !self.is_placed(*cell),
            Claim::Not { cells, values } => cells.iter().any(|cell| self.open[*cell] & values != 0),
        }
    }
}

impl Claim {
    /// The first cell about which the claim is wrong, given the solution.
    pub fn wrong_about(&self, solution: &[u8]) -> Option<usize> {
        match self {
            Self::Is { cell, value } => (solution[*cell] != *value).then_some(*cell),
            Self::Not { cells, values } => {
                cells.iter().copied().find(|cell| bit(solution[*cell]) & values != 0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sudoku::board::random_grid;
    use crate::sudoku::digging::{Dig, Tier};
    use kit::budget::Budget;
    use kit::rng::Key;

    fn board(size: usize, givens: &[(usize, u8)]) -> Board {
        let shape = Shape::of(size).unwrap();
        let mut grid = vec![0; shape.cells()];
        for (cell, value) in givens {
            grid[*cell] = *value;
        }
        Board::new(shape, &grid).unwrap()
    }

    #[test]
    fn every_step_of_a_path_is_borne_out_and_reads_back() {
        let mut kinds = [0; 6];
        for (size, puzzles) in [(4, 5), (6, 20), (9, 40), (12, 10)] {
            let shape = Shape::of(size).unwrap();
            let mut rng = Key::new("path", 1, "", 0, "").stream(size as u64);
            let mut budget = Budget::new(u64::MAX);
            for _ in 0..puzzles {
                let solution = random_grid(shape, &mut rng, &mut budget).unwrap();
                let mut dig = Dig::new(shape, &solution, &solution, Tier::NakedSingles);
                let mut cells: Vec<usize> = (0..shape.cells()).collect();
                rng.shuffle(&mut cells);
                for cell in cells {
                    dig.remove(cell, Tier::Search, &mut budget).unwrap();
                }
                let (steps, cost) = solve_path(shape, &dig.puzzle.givens, &solution);
                assert!(cost as usize >= steps.len());
                let mut board = Board::new(shape, &dig.puzzle.givens).unwrap();
                for step in &steps {
                    let said = shape.say(step);
                    assert_eq!(shape.read_step(&said).as_ref(), Ok(step), "{said}");
                    assert_eq!(step.claim.wrong_about(&solution), None, "{said}");
                    assert!(board.learns_from(&step.claim), "{said}");
                    let reason = step.reason.unwrap();
                    assert_eq!(board.bears_out(&step.claim, &reason), Ok(()), "{said}");
                    board.take(step).unwrap();
                    kinds[match reason {
                        Reason::OnlyValue => 0,
                        Reason::OnlyPlace { .. } => 1,
                        Reason::Tried { .. } => 2,
                        Reason::Locked { .. } => 3,
                        Reason::NakedPair { .. } => 4,
                        Reason::HiddenPair { .. } => 5,
                    }] += 1;
                }
                assert_eq!(board.grid(), solution);
            }
        }
        assert!(kinds.iter().all(|kind| *kind > 5), "{kinds:?}");
    }

    /// Columns 1 to 3 of rows 2 and 3 are full except for 7 and 8, so those are in row 1 of box 1.
    #[test]
    fn deductions_are_told_from_their_near_misses() {
        let board = board(9, &[(9, 1), (10, 2), (11, 3), (18, 4), (19, 5), (20, 6)]);
        let shape = board.shape;
        let judge = |text: &str| {
            let step = shape.read_step(text).unwrap();
            board.bears_out(&step.claim, &step.reason.expect(text)).is_ok()
        };
        assert!(judge("r1c4 not 7: all places for 7 in box 1 are in row 1"));
        assert!(judge("r1c9 and r1c5 not 8: all places for 8 in box 1 are in row 1"));
        for wrong in [
            // Another value, another cell, another unit, one of the cells themselves.
            "r1c4 not 8: all places for 7 in box 1 are in row 1",
            "r2c4 not 7: all places for 7 in box 1 are in row 1",
            "r1c4 not 7: all places for 7 in box 2 are in row 1",
            "r1c2 not 7: all places for 7 in box 1 are in row 1",
            "r1c4 not 1: all places for 1 in box 4 are in row 1",
            // r1c1 and r1c2 could also be 9.
            "r1c4 not 7: r1c1 and r1c2 take 7 and 8",
            "r1c3 not 9: only r1c1 and r1c2 in box 1 can take 7 and 8",
            "r1c1 not 9: only r1c1 and r1c2 in box 1 can take 7 and 8",
            "r1c1 not 9: only r1c1 and r1c1 in box 1 can take 7 and 8",
            // Reasons for the other kind of claim.
            "r1c1 not 9: no other number fits",
            "r1c1 = 9: all places for 9 in box 1 are in row 1",
        ] {
            assert!(!judge(wrong), "{wrong}");
        }
    }

    #[test]
    fn pairs_are_told_from_their_near_misses() {
        // Row 1 is open in r1c1, r1c2 (7, 8) and r1c9 (7, 8, 9), by 9 in box 1.
        let board = board(9, &[(3, 1), (4, 2), (5, 3), (6, 4), (7, 5), (2, 6), (18, 9)]);
        let shape = board.shape;
        let judge = |text: &str| {
            let step = shape.read_step(text).unwrap();
            board.bears_out(&step.claim, &step.reason.expect(text)).is_ok()
        };
        assert!(judge("r1c9 not 7 or 8: r1c1 and r1c2 take 7 and 8"));
        assert!(judge("r2c1 not 7: r1c1 and r1c2 take 7 and 8"));
        assert!(judge("r1c9 = 9: the only place for 9 in row 1"));
        for wrong in [
            "r1c9 not 9: r1c1 and r1c2 take 7 and 8",
            "r2c9 not 7: r1c1 and r1c2 take 7 and 8",
            "r1c2 not 7: r1c1 and r1c9 take 7 and 8",
            "r1c1 not 7: r1c1 and r1c2 take 7 and 8",
            "r1c9 not 7: r1c1 and r2c2 take 7 and 8",
        ] {
            assert!(!judge(wrong), "{wrong}");
        }
    }

    #[test]
    fn a_hidden_pair_empties_its_cells_of_other_values() {
        // Excluding 1 and 2 from r1c3 and from rows 2 and 3 of box 1 leaves only r1c1 and r1c2.
        let givens = [(12, 1), (13, 2), (24, 1), (25, 2), (29, 1), (56, 2)];
        let board = board(9, &givens);
        let step =
            board.shape.read_step("r1c1 and r1c2 not 3 or 9: only r1c1 and r1c2 in box 1 can take 1 and 2");
        let Step { claim, reason } = step.unwrap();
        assert_eq!(board.bears_out(&claim, &reason.unwrap()), Ok(()));
        assert_eq!(board.hidden_pair(18).unwrap().reason, reason);
    }
}
