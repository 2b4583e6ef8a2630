//! Fill a grid so that no row, column or box contains a number twice: sudoku from 4 by 4 to 12 by 12.
//!
//! A problem is its grid of givens. Grids that differ by a renaming of numbers or a shuffle of rows and
//! columns within the rules are twins: they belong to one split.

use kit::picture::{CELL, Ink, Picture};
use kit::shape::rules::{
    self, CELLS, CHANGED_GIVEN, COLUMN_REPEAT, Completion, GIVENS_KEPT, INCOMPLETE_GRID, ROW_REPEAT, Square,
};
use kit::shared::grid::Grid;
use kit::task::form::grid::OUT_OF_RANGE;
use kit::task::prelude::*;

use board::{Board, solutions};
use deduction::{Step, solve_path};
use digging::{Dig, Tier};
use shape::Shape;
use solving::Solving;
use symmetry::Layout;

mod board;
mod deduction;
mod digging;
mod shape;
mod solving;
mod step_text;
mod symmetry;
mod wording;

pub struct Sudoku;

params! {
    pub struct SudokuParams {
        /// Rows and columns of the grid. Its boxes are 2x2, 2x3, 3x3 or 3x4 (rows x columns).
        size: u32 [4 | 6 | 9 | 12],
        /// Target for the givens, in percent of the cells. A puzzle has more when none of them can be removed, and
        /// fewer when its tier requires it.
        givens_percent: u32 [20..=95],
        /// Hardest deduction that the puzzle requires. Size 4 never requires more than naked singles, and size 6
        /// rarely more than hidden singles.
        tier: Tier,
    }
    levels {
        (4, 57, Tier::NakedSingles),
        (4, 45, Tier::NakedSingles),
        (4, 30, Tier::NakedSingles),
        (6, 60, Tier::NakedSingles),
        (6, 35, Tier::HiddenSingles),
        (9, 55, Tier::NakedSingles),
        (9, 44, Tier::NakedSingles),
        (9, 36, Tier::HiddenSingles),
        (9, 28, Tier::HiddenSingles),
        (9, 35, Tier::Pairs),
        (9, 35, Tier::Search),
        (12, 38, Tier::Search),
    }
    default 7
    check Self::consistent;
}

impl SudokuParams {
    fn consistent(&self) -> Result<(), String> {
        let hardest = match self.size {
            4 => Tier::NakedSingles,
            6 => Tier::HiddenSingles,
            _ => Tier::Search,
        };
        if self.tier <= hardest {
            return Ok(());
        }
        let size = self.size;
        let [tier, hardest] = [self.tier, hardest].map(|tier| serde_json::json!(tier));
        Err(format!("`tier` is {tier}, but must be at most {hardest} when `size` is {size}"))
    }
}

/// The givens, 0 for an empty cell, and the one grid that fits them.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Puzzle {
    givens: Grid<u8>,
    solution: Grid<u8>,
}

impl TaskFamily for Sudoku {
    type Params = SudokuParams;
    type Problem = Completion<Puzzle>;

    const ABOUT: About = About {
        summary: "Fill a grid so that no row, column or box repeats a number.",
        distinct_from: 3,
        judged_by: JudgedBy::Constraints,
        failures: &[
            CHANGED_GIVEN,
            ROW_REPEAT,
            COLUMN_REPEAT,
            ("box_repeat", "a box contains a number twice"),
            INCOMPLETE_GRID,
            OUT_OF_RANGE,
        ],
        parts: &[
            GIVENS_KEPT,
            CELLS,
            Part::new(
                "units_valid",
                "share of rows, columns and boxes that contain every number exactly once",
            ),
        ],
        skills: &["constraint_propagation", "case_analysis", "spatial_reading", "backtracking"],
        guess_rate: 0.085,
        guess_score: 0.4,
        ..About::new("puzzles", "sudoku", &["First version."])
    };

    fn generate(
        &self,
        params: &Self::Params,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Drawn<Completion<Puzzle>> {
        let shape = Shape::of(params.size as usize).expect("the schema lists the sizes");
        let wanted = shape.cells() * params.givens_percent as usize / 100;
        let (givens, solution) = digging::draw(shape, wanted, params.tier, rng, budget)?;
        Ok(Completion(Puzzle::new(shape, &givens, &solution)))
    }
}

impl Puzzle {
    fn new(shape: &Shape, givens: &[u8], solution: &[u8]) -> Self {
        let grid = |cells: &[u8]| Grid::new(shape.size, cells.to_vec());
        Self { givens: grid(givens), solution: grid(solution) }
    }

    fn shape(&self) -> &'static Shape {
        Shape::of(self.givens.rows()).expect("`check` has passed")
    }

    /// The steps to the solution, and their cost to a person.
    fn path(&self) -> (Vec<Step>, u32) {
        solve_path(self.shape(), self.givens.cells(), self.solution.cells())
    }
}

/// A box in words, with its location.
fn box_place(shape: &Shape, its_box: usize) -> String {
    let first = shape.members(its_box).next().expect("a box has cells");
    let (row, column) = (first / shape.size + 1, first % shape.size + 1);
    let (last_row, last_column) = (row + shape.box_rows - 1, column + shape.box_columns - 1);
    let name = shape.unit_name(its_box);
    format!("{name} (rows {row} to {last_row}, columns {column} to {last_column})")
}

impl Square for Puzzle {
    const TEMPLATES: &'static [Template<Completion<Self>>] = &[
        Template::open("rules", |puzzle, rng| puzzle.rules(rng)),
        Template::open("boxed", |puzzle, rng| puzzle.boxed(rng)),
        Template::open("short", |puzzle, rng| puzzle.short(rng)),
        Template::held_out("rows", |puzzle, rng| puzzle.labelled_rows(rng)),
        Template::held_out("matrix", |puzzle, rng| puzzle.matrix(rng)),
    ];
    const COST: u64 = 120;

    fn givens(&self) -> &Grid<u8> {
        &self.givens
    }

    fn solution(&self) -> &Grid<u8> {
        &self.solution
    }

    fn check(&self) -> Result<(), String> {
        let size = self.givens.rows();
        let shape = Shape::of(size);
        let shape = shape.ok_or_else(|| format!("`givens` has {size} rows, but must have 4, 6, 9 or 12"))?;
        self.squares().check(true)?;
        let complete = |its_box: &usize| {
            let cells: Vec<usize> = shape.members(*its_box).collect();
            rules::is_complete(self.solution.cells(), &cells)
        };
        match shape.boxes().find(|its_box| !complete(its_box)) {
            None => Ok(()),
            Some(its_box) => {
                let its_box = box_place(shape, its_box);
                Err(format!("`solution` does not contain every number exactly once in {its_box}"))
            }
        }
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let found = solutions(self.shape(), self.givens.cells(), 2, budget);
        self.squares().certify(found, "`givens`")
    }

    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let (shape, solution) = (self.shape(), self.solution.cells());
        let mut givens = self.givens.cells().to_vec();
        let (mut full, mut empty): (Vec<_>, Vec<_>) = (0..shape.cells()).partition(|cell| givens[*cell] > 0);
        // No puzzle of size 4 has fewer than four givens, so only a larger one is harder.
        if aim == Aim::Harder && full.len() <= 4 {
            let larger = Shape::of(6).expect("it is one of the sizes");
            let wanted = larger.cells() * 3 / 5;
            let (givens, solution) = digging::draw(larger, wanted, Tier::NakedSingles, rng, budget).ok()?;
            return Some(Puzzle::new(larger, &givens, &solution));
        }
        rng.shuffle(&mut full);
        rng.shuffle(&mut empty);
        // A puzzle that cannot lose any given may be able to lose one after it got another.
        let swap = aim == Aim::Same || rng.chance(1, 2);
        let added = match aim {
            Aim::Easier => 1 + rng.index(3),
            Aim::Harder if swap => 1 + rng.index(3),
            _ => usize::from(swap),
        };
        for cell in empty.iter().take(added) {
            givens[*cell] = solution[*cell];
        }
        let mut left = match aim {
            Aim::Easier => 0,
            Aim::Same => 1,
            Aim::Harder => 1 + rng.index(3) + added,
        };
        let mut dig = Dig::new(shape, &givens, solution, Tier::Search);
        for cell in full {
            if left == 0 {
                break;
            }
            left -= usize::from(dig.remove(cell, Tier::Search, budget).ok()?);
        }
        let mutated = Puzzle::new(shape, &dig.puzzle.givens, solution);
        mutated.check().is_ok().then_some(mutated)
    }

    fn judge_grid(&self, answer: &Grid<u8>) -> Judged {
        let shape = self.shape();
        if *answer == self.solution {
            return Ok(());
        }
        let boxes: Vec<Vec<usize>> = shape.boxes().map(|its_box| shape.members(its_box).collect()).collect();
        let valid = boxes.iter().filter(|cells| rules::is_complete(answer.cells(), cells)).count();
        let valid = (valid + rules::complete_lines(answer)) as f32 / shape.units() as f32;
        let broken = shape.boxes().zip(&boxes).find_map(|(its_box, cells)| {
            let twice = rules::repeated(answer, cells)?;
            Some(("box_repeat", format!("{} has {twice}", box_place(shape, its_box))))
        });
        self.squares().judge(answer, true, broken).map_err(|failure| failure.part("units_valid", valid))
    }

    fn draw(&self, grid: &Grid<u8>) -> String {
        self.drawn(grid, ".", true)
    }

    fn board(&self) -> Picture {
        let shape = self.shape();
        let (size, [rows, columns]) = (shape.size as u32, [shape.box_rows, shape.box_columns]);
        let mut picture = Picture::new(size, size);
        picture.grid(Ink::Grey);
        for row in (0..=size).step_by(rows) {
            picture.line((0, row * CELL), (size * CELL, row * CELL), 1, Ink::Black);
        }
        for column in (0..=size).step_by(columns) {
            picture.line((column * CELL, 0), (column * CELL, size * CELL), 1, Ink::Black);
        }
        picture
    }

    fn explain(&self) -> Vec<String> {
        self.path().0.into_iter().map(|step| self.shape().say(&step)).collect()
    }

    fn hints(&self) -> Vec<String> {
        self.path().0.into_iter().map(|step| self.shape().hint(&step)).collect()
    }

    fn cost(&self) -> u64 {
        self.path().1.into()
    }

    fn twin(&self, rng: &mut Rng) -> Self {
        let layout = Layout::draw(self.shape(), rng);
        Self { givens: layout.of(&self.givens), solution: layout.of(&self.solution) }
    }

    /// An invariant under all layouts of the puzzle.
    fn fingerprint(&self) -> Vec<u8> {
        let invariant = symmetry::invariant(self.shape(), self.givens.cells(), self.solution.cells());
        invariant.to_be_bytes().to_vec()
    }

    fn step_judge(&self) -> Box<dyn StepJudge + '_> {
        let board = Board::new(self.shape(), self.givens.cells()).expect("the solution fits the givens");
        Box::new(Solving { solution: self.solution.cells(), board })
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use kit::rng::Key;
    use kit::shared::grid::Place;
    use kit::task::erased::AnyFamily;
    use kit::testing::verdict as verify;

    fn puzzle(givens: &str, solution: &str) -> Completion<Puzzle> {
        let grid = |text: &str| {
            let digits = text.bytes().filter(u8::is_ascii_digit);
            Grid::new(text.find(' ').unwrap(), digits.map(|digit| digit - b'0').collect())
        };
        Completion(Puzzle { givens: grid(givens), solution: grid(solution) })
    }

    /// Solved by placing 1 in the corner, then 4 and 3 next to it.
    fn small() -> Completion<Puzzle> {
        puzzle("0034 3412 2143 4300", "1234 3412 2143 4321")
    }

    /// The puzzle at the head of Wikipedia's article.
    pub fn wikipedia() -> Completion<Puzzle> {
        puzzle(
            "530070000 600195000 098000060 800060003 400803001 700020006 060000280 000419005 000080079",
            "534678912 672195348 198342567 859761423 426853791 713924856 961537284 287419635 345286179",
        )
    }

    fn rng(stream: u64) -> Rng {
        Key::new("sudoku", 1, "", 0, "").stream(stream)
    }

    fn lines(grid: &Grid<u8>) -> String {
        form::Grid::completed(grid.rows()).write(grid)
    }

    #[test]
    fn a_published_puzzle_is_certified_and_judged() {
        let puzzle = wikipedia();
        assert_eq!(puzzle.check(), Ok(()));
        assert!(puzzle.certify(&mut Budget::new(1_000_000)).unwrap().unique);
        assert!(verify(&puzzle, &lines(&puzzle.solution)).passed);
    }

    #[test]
    fn full_grids_that_are_not_the_solution_fail() {
        let puzzle = wikipedia();
        let size = puzzle.solution.rows();
        let moved =
            |from: &dyn Fn(Place) -> Place| Grid::from_fn(size, size, |place| puzzle.solution[from(place)]);
        let renamed = |name: &dyn Fn(u8) -> u8| puzzle.solution.map(|value| name(*value));
        let exchanged = |at: usize| [1, 0, 2].get(at).copied().unwrap_or(at);
        let mut wrong = vec![
            moved(&|at| Place::new(exchanged(at.row), at.column)),
            moved(&|at| Place::new(at.row, exchanged(at.column))),
            moved(&|at| Place::new((at.row + 3) % size, at.column)),
            moved(&|at| Place::new(at.row, size - 1 - at.column)),
            moved(&|at| Place::new(at.column, at.row)),
            moved(&|at| Place::new((at.row + 1) % size, at.column)),
            renamed(&|value| value % 9 + 1),
            renamed(&|value| [1, 3, 2].get(usize::from(value) - 1).copied().unwrap_or(value)),
        ];
        // Twins of the solution satisfy every rule but have other givens.
        let mut rng = rng(1);
        wrong.extend((0..200).map(|_| puzzle.twin(&mut rng).0.solution));
        for grid in wrong {
            let verdict = Verdict::from(puzzle.judge_grid(&grid));
            assert!(!verdict.passed && verdict.failures.contains(&"changed_given"), "{}", lines(&grid));
        }
    }

    #[test]
    fn a_puzzle_with_a_given_too_few_is_refused() {
        let mut puzzle = small();
        for cell in [2, 8, 9, 10, 11] {
            puzzle.0.givens[cell] = 0;
        }
        assert_eq!(puzzle.check(), Ok(()));
        let refused = puzzle.certify(&mut Budget::new(1_000)).unwrap_err();
        assert!(refused.contains("two grids fit `givens`"), "{refused}");
        let starved = puzzle.certify(&mut Budget::new(1)).unwrap_err();
        assert!(starved.contains("more steps than allowed"), "{starved}");
        // Both grids satisfy the rules and the givens, so both pass.
        let found = solutions(puzzle.shape(), puzzle.givens.cells(), 9, &mut Budget::new(9_999));
        for grid in found.unwrap() {
            assert!(puzzle.judge_grid(&Grid::new(4, grid)).is_ok());
        }
    }

    #[test]
    fn hostile_problems_are_told_what_is_wrong() {
        let real = serde_json::to_value(small()).unwrap();
        let refused = |edit: &dyn Fn(&mut serde_json::Value)| {
            let mut json = real.clone();
            edit(&mut json);
            Sudoku.read(&json.to_string()).err().unwrap()
        };
        let row = |numbers: [u8; 4]| serde_json::json!(numbers);
        for (message, said) in [
            (refused(&|p| p["givens"] = serde_json::json!([])), "`givens`: a grid has at least one row"),
            (refused(&|p| p["givens"][1] = serde_json::json!([1, 2])), "`givens`: row 2 holds 2 cells"),
            (refused(&|p| p["givens"].as_array_mut().unwrap().push(row([0; 4]))), "`givens` has 5 rows"),
            (refused(&|p| p["solution"].as_array_mut().unwrap().truncate(3)), "`solution` is 3 by 4"),
            (refused(&|p| p["givens"][1][1] = 5.into()), "`givens` has 5, but its numbers go from 0 to 4"),
            (refused(&|p| p["solution"][1][1] = 0.into()), "`solution` has 0, but its numbers go from 1"),
            (refused(&|p| p["solution"][0] = row([2, 1, 3, 4])), "every number exactly once in column 1"),
            (refused(&|p| p["givens"][3][3] = 2.into()), "`givens` has 2 at row 4, column 4"),
            (refused(&|p| p["givens"] = p["solution"].clone()), "no empty cell"),
        ] {
            assert!(message.contains(said), "{message}");
        }
    }

    #[test]
    fn a_verdict_names_the_first_fault_of_each_kind() {
        // The 2 of the solution became a 1, and the given 3 above it a 2.
        let verdict = verify(&small(), "1 2 3 4\n3 4 1 2\n2 1 4 2\n4 3 1 1");
        let labels = ["constraint_violated", "changed_given", "row_repeat", "column_repeat", "box_repeat"];
        assert_eq!(verdict.failures, labels);
        assert_eq!(
            verdict.detail,
            "the given 3 at row 3, column 4 was changed to 2; row 3 has two 2s; \
             column 3 has two 1s; box 4 (rows 3 to 4, columns 3 to 4) has two 1s"
        );
        // 11 of 12 givens are kept; 3 of 4 empty cells are right; rows 1 and 2, columns 1 and 2, boxes 1 to
        // 3.
        let parts = [("givens_kept", 11.0 / 12.0), ("cells", 0.75), ("units_valid", 7.0 / 12.0)];
        assert_eq!(verdict.parts, parts);
        let verdict = verify(&small(), "1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 .");
        assert_eq!(verdict.failures, ["malformed_answer", "incomplete_grid"]);
        assert_eq!(verdict.detail, "row 4, column 4 is empty");
    }

    #[test]
    fn params_that_no_puzzle_meets_are_refused() {
        let refused = SudokuParams::new(4, 40, Tier::Pairs).check().unwrap_err();
        assert!(refused.contains("`tier` is \"pairs\", but must be at most \"naked_singles\""));
        assert!(SudokuParams::new(6, 40, Tier::HiddenSingles).check().is_ok());
        assert!(SudokuParams::new(12, 40, Tier::Search).check().is_ok());
    }
}
