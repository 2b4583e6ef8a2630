//! Fill a grid so that no row, column or box holds a number twice: sudoku from 4 by 4 to 12 by 12.
//!
//! An instance is its grid of givens. Grids that differ by a renaming of numbers or a shuffle of rows
//! count as different instances, as they do to whoever has to solve them.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::error::quoted;
use crate::params::Params;
use crate::play::{Action, Play, Turn};
use crate::rng::Rng;
use crate::solver::sudoku::deduce::{self, Claim, Step};
use crate::solver::sudoku::{Board, Dig, Shape, Tier, filled, random_grid, solutions};
use crate::task::answer::Reading;
use crate::task::family::{
    About, Aim, Certificate, Exhausted, JudgedBy, Problem, Solution, TaskFamily, Uncertified,
};
use crate::task::style::{Style, Template};
use crate::task::verdict::{Part, StepVerdict, Verdict, label};

pub struct Sudoku;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SudokuParams {
    /// Rows of the grid; its boxes are 2x2, 2x3, 3x3 or 3x4 (rows x columns).
    #[schemars(extend("enum" = [4, 6, 9, 12], "role" = "difficulty"))]
    size: u32,
    /// Givens, in percent of the cells: digging stops there. A puzzle has more when no other given can
    /// go, and fewer when its tier asks for it.
    #[schemars(range(min = 20, max = 95), extend("role" = "difficulty"))]
    givens_percent: u32,
    /// The hardest deduction the puzzle needs. Size 4 never needs more than naked singles, and size 6
    /// hardly ever more than hidden ones.
    #[schemars(extend("role" = "difficulty"))]
    tier: Tier,
}

impl Default for SudokuParams {
    fn default() -> Self {
        Self { size: 9, givens_percent: 40, tier: Tier::HiddenSingles }
    }
}

impl Params for SudokuParams {
    fn check(&self) -> Result<(), String> {
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

/// The givens, 0 where the grid is empty, and the one grid that agrees with them.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Puzzle {
    givens: Vec<Vec<u8>>,
    solution: Vec<Vec<u8>>,
}

static ABOUT: About = About {
    name: "sudoku",
    domain: "puzzles",
    summary: "Fill a grid so that no row, column or box repeats a number.",
    changes: &["First version."],
    top_level: 10,
    distinct_from: 0,
    judged_by: JudgedBy::Constraints,
    answer_tag: "answer",
    templates: &[
        Template::open("rules"),
        Template::open("boxed"),
        Template::open("short"),
        Template::held_out("rows"),
    ],
    failures: &[
        ("changed_given", "a number of the puzzle was changed"),
        ("row_repeat", "a row holds a number twice"),
        ("column_repeat", "a column holds a number twice"),
        ("box_repeat", "a box holds a number twice"),
        ("incomplete_grid", "a cell is left empty"),
        ("out_of_range", "a number is larger than the grid"),
    ],
    parts: &[
        Part { name: "givens_kept", means: "share of the givens that still stand" },
        Part { name: "cells", means: "share of the empty cells filled as in the solution" },
        Part { name: "units_valid", means: "share of rows, columns and boxes that hold every number once" },
    ],
    skills: &["constraint_propagation", "case_analysis", "spatial_reading", "backtracking"],
    reading: Reading::Strict,
    guess_rate: 0.005,
};

/// Ways a dig is finished before it is given up for another grid.
const FINISHES: u32 = 4;

impl TaskFamily for Sudoku {
    type Params = SudokuParams;
    type Problem = Puzzle;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn level(&self, level: u8) -> SudokuParams {
        use Tier::{HiddenSingles, NakedSingles, Pairs, Search};
        const LEVELS: [(u32, u32, Tier); 11] = [
            (4, 75, NakedSingles),
            (4, 30, NakedSingles),
            (6, 60, NakedSingles),
            (6, 35, HiddenSingles),
            (9, 55, NakedSingles),
            (9, 44, NakedSingles),
            (9, 36, HiddenSingles),
            (9, 28, HiddenSingles),
            (9, 35, Pairs),
            (9, 35, Search),
            (12, 38, Search),
        ];
        let (size, givens_percent, tier) = LEVELS[usize::from(level)];
        SudokuParams { size, givens_percent, tier }
    }

    fn generate(
        &self,
        params: &SudokuParams,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Puzzle, Exhausted> {
        let shape = Shape::of(params.size as usize).expect("the schema lists the sizes");
        let wanted = shape.cells() * params.givens_percent as usize / 100;
        loop {
            let solution = random_grid(shape, rng, budget)?;
            let mut cells: Vec<usize> = (0..shape.cells()).collect();
            rng.shuffle(&mut cells);
            let mut dig = Dig::new(shape, &solution, &solution, Tier::NakedSingles);
            let (mut givens, mut tried) = (cells.len(), 0);
            // Whether the tier comes up hangs on the last givens to go and on their order, so those are
            // taken in several orders.
            let enough = wanted.max(shape.cells() * 7 / 16);
            while tried < cells.len() && givens > enough {
                givens -= usize::from(dig.remove(cells[tried], params.tier, budget)?);
                tried += 1;
            }
            let start = dig.puzzle.clone();
            for _ in 0..FINISHES {
                let mut givens = givens;
                for cell in &cells[tried..] {
                    if dig.puzzle.tier == params.tier && givens <= wanted {
                        break;
                    }
                    givens -= usize::from(dig.remove(*cell, params.tier, budget)?);
                }
                if dig.puzzle.tier == params.tier {
                    return Ok(Puzzle::new(shape, &dig.puzzle.givens, &solution));
                }
                rng.shuffle(&mut cells[tried..]);
                dig.puzzle = start.clone();
            }
        }
    }

    fn certify(&self, puzzle: &Puzzle, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let (shape, solution) = (puzzle.shape(), puzzle.solution.concat());
        let found = solutions(shape, &puzzle.givens.concat(), 2, budget).map_err(
            |_| "whether a second grid fits `givens` takes more steps than are allowed to find out",
        )?;
        if let Some(other) = found.iter().find(|grid| **grid != solution) {
            let differs = |cell: &usize| other[*cell] != solution[*cell];
            let cell = (0..shape.cells()).find(differs).expect("the grids differ");
            return Err(format!(
                "two grids fit `givens`: {} can be {} or {}",
                place(shape, cell),
                solution[cell],
                other[cell]
            ));
        }
        Ok(Certificate { unique: true, proof: "one grid fits the givens".to_owned() })
    }

    fn mutate(&self, puzzle: &Puzzle, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Puzzle> {
        let (shape, solution) = (puzzle.shape(), puzzle.solution.concat());
        let mut givens = puzzle.givens.concat();
        let (mut full, mut empty): (Vec<_>, Vec<_>) = (0..shape.cells()).partition(|cell| givens[*cell] > 0);
        rng.shuffle(&mut full);
        rng.shuffle(&mut empty);
        // A puzzle that can lose no given may lose one after it got another.
        let swap = aim == Aim::Same || rng.chance(1, 2);
        let added = match aim {
            Aim::Easier => 1 + rng.index(3),
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
        let mut dig = Dig::new(shape, &givens, &solution, Tier::Search);
        for cell in full {
            if left == 0 {
                break;
            }
            left -= usize::from(dig.remove(cell, Tier::Search, budget).ok()?);
        }
        let mutated = Puzzle::new(shape, &dig.puzzle.givens, &solution);
        mutated.check().is_ok().then_some(mutated)
    }
}

impl Puzzle {
    fn new(shape: &Shape, givens: &[u8], solution: &[u8]) -> Self {
        let rows = |grid: &[u8]| grid.chunks(shape.size).map(<[u8]>::to_vec).collect();
        Self { givens: rows(givens), solution: rows(solution) }
    }

    fn shape(&self) -> &'static Shape {
        Shape::of(self.givens.len()).expect("`check` has passed")
    }

    fn cells(&self) -> impl Iterator<Item = (u8, u8)> {
        let solution = self.solution.iter().flatten();
        self.givens.iter().flatten().copied().zip(solution.copied())
    }

    /// Judges a grid of which empty cells are 0 and no value is larger than the size.
    fn judge_grid(&self, grid: &[u8]) -> Verdict {
        let shape = self.shape();
        let valid = (0..shape.units()).filter(|unit| shape.is_complete(grid, *unit)).count();
        let [mut right, mut wrong, mut kept, mut givens] = [0i32; 4];
        for ((given, value), answer) in self.cells().zip(grid) {
            givens += i32::from(given > 0);
            if given > 0 {
                kept += i32::from(given == *answer);
            } else if *answer > 0 {
                right += i32::from(value == *answer);
                wrong += i32::from(value != *answer);
            }
        }
        if valid == shape.units() && kept == givens {
            return Verdict::pass();
        }
        // A blind number is right once in `size` times: it earns nothing on average.
        let empty = shape.cells() as i32 - givens;
        let others = shape.size as i32 - 1;
        let earned = (right - (givens - kept)) * others - wrong;
        self.faults(grid).score(earned as f32 / (empty * others) as f32).parts([
            if givens == 0 { 1.0 } else { kept as f32 / givens as f32 },
            right as f32 / empty as f32,
            valid as f32 / shape.units() as f32,
        ])
    }

    /// The first thing of each kind that is wrong with a grid that does not pass.
    fn faults(&self, grid: &[u8]) -> Verdict {
        let shape = self.shape();
        let mut found = Vec::new();
        let changed = self
            .cells()
            .zip(grid)
            .position(|((given, _), answer)| given > 0 && *answer > 0 && given != *answer);
        if let Some(cell) = changed {
            let (given, at) = (self.givens.concat()[cell], place(shape, cell));
            let detail = format!("the given {given} at {at} was changed to {}", grid[cell]);
            found.push(("changed_given", detail));
        }
        for (kind, failure) in ["row_repeat", "column_repeat", "box_repeat"].iter().enumerate() {
            let mut units = kind * shape.size..(kind + 1) * shape.size;
            let repeat = units.find_map(|unit| Some((unit, shape.repeat(grid, unit)?)));
            if let Some((unit, (value, times))) = repeat {
                let detail = format!("{} has {} {value}s", unit_place(shape, unit), count(times));
                found.push((failure, detail));
            }
        }
        let broken = !found.is_empty();
        if let Some(cell) = grid.iter().position(|value| *value == 0) {
            found.push(("incomplete_grid", format!("{} is empty", place(shape, cell))));
        }
        let details: Vec<String> = found.iter().map(|(_, detail)| detail.clone()).collect();
        let first = if broken { label::CONSTRAINT_VIOLATED } else { label::MALFORMED_ANSWER };
        let verdict = Verdict::fail(first, details.join("; "));
        found.iter().fold(verdict, |verdict, (failure, _)| verdict.also(failure))
    }

    /// The board of the givens.
    fn board(&self) -> Board {
        Board::new(self.shape(), &self.givens.concat()).expect("the solution fits the givens")
    }
}

/// Reads `size` lines of `size` numbers; `.`, `_` and `0` stand for a cell left empty.
fn read_grid(answer: &str, size: usize) -> Result<Vec<u8>, Verdict> {
    let malformed = |reason: String| Err(Verdict::malformed(reason));
    let mut grid = Vec::with_capacity(size * size);
    for line in answer.lines() {
        let row = grid.len() / size + 1;
        let mut words = line.split_whitespace().peekable();
        if words.peek().is_none() {
            continue;
        }
        if row > size {
            return malformed(format!("there are more than {size} rows"));
        }
        for word in words {
            if grid.len() == row * size {
                return malformed(format!("row {row} has more than {size} numbers"));
            }
            match word.as_bytes() {
                b"." | b"_" => grid.push(0),
                digits if digits.iter().all(u8::is_ascii_digit) => match word.trim_start_matches('0') {
                    "" => grid.push(0),
                    number => match number.parse() {
                        Ok(value) if usize::from(value) <= size => grid.push(value),
                        _ => {
                            let number = quoted(number);
                            return Err(Verdict::malformed(format!(
                                "row {row} has {number}, but numbers go from 1 to {size}"
                            ))
                            .also("out_of_range"));
                        }
                    },
                },
                _ => return malformed(format!("`{}` in row {row} is not a number", quoted(word))),
            }
        }
        if grid.len() < row * size {
            let numbers = grid.len() % size;
            return malformed(format!("row {row} has {numbers} of {size} numbers"));
        }
    }
    if grid.len() < size * size {
        return malformed(format!("there are {} of {size} rows", grid.len() / size));
    }
    Ok(grid)
}

/// A grid as `size` lines; `boxed` draws lines between the boxes.
fn draw(shape: &Shape, grid: &[u8], blank: &str, boxed: bool) -> String {
    let width = if shape.size > 9 { 2 } else { 1 };
    let mut text = String::new();
    for (row, values) in grid.chunks(shape.size).enumerate() {
        if row > 0 {
            text.push('\n');
        }
        if boxed && row > 0 && row % shape.box_rows == 0 {
            let dashes = "-".repeat(shape.box_columns * (width + 1) - 1);
            text += &vec![dashes; shape.box_rows].join("-+-");
            text.push('\n');
        }
        for (column, value) in values.iter().enumerate() {
            text += match column {
                0 => "",
                _ if boxed && column % shape.box_columns == 0 => " | ",
                _ => " ",
            };
            let _ = match value {
                0 => write!(text, "{blank:>width$}"),
                _ => write!(text, "{value:>width$}"),
            };
        }
    }
    text
}

/// A cell in words.
fn place(shape: &Shape, cell: usize) -> String {
    format!("row {}, column {}", cell / shape.size + 1, cell % shape.size + 1)
}

/// A unit in words; a box says where it lies.
fn unit_place(shape: &Shape, unit: usize) -> String {
    let name = shape.unit_name(unit);
    if unit < 2 * shape.size {
        return name;
    }
    let first = shape.members(unit).next().expect("a box has cells");
    let (row, column) = (first / shape.size + 1, first % shape.size + 1);
    let (last_row, last_column) = (row + shape.box_rows - 1, column + shape.box_columns - 1);
    format!("{name} (rows {row} to {last_row}, columns {column} to {last_column})")
}

/// How often a number stands in a unit, as a word.
fn count(times: usize) -> &'static str {
    const WORDS: [&str; 11] =
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    WORDS[times - 2]
}

impl Problem for Puzzle {
    fn check(&self) -> Result<(), String> {
        let size = self.givens.len();
        let Some(shape) = Shape::of(size) else {
            return Err(format!("`givens` has {size} rows, but must have 4, 6, 9 or 12"));
        };
        for (name, rows) in [("givens", &self.givens), ("solution", &self.solution)] {
            if rows.len() != size {
                return Err(format!("`{name}` has {} rows, but must have {size}", rows.len()));
            }
            if let Some(row) = rows.iter().find(|row| row.len() != size) {
                let length = row.len();
                return Err(format!("`{name}` has a row of {length}, but must have {size} in each"));
            }
            if let Some(value) = rows.iter().flatten().find(|value| usize::from(**value) > size) {
                return Err(format!("`{name}` has {value}, but must go up to {size}"));
            }
        }
        let solution = self.solution.concat();
        if let Some(unit) = (0..shape.units()).find(|unit| !shape.is_complete(&solution, *unit)) {
            let unit = unit_place(shape, unit);
            return Err(format!("`solution` does not hold every number once in {unit}"));
        }
        let differs = |(given, value): (u8, u8)| given > 0 && given != value;
        if let Some(cell) = self.cells().position(differs) {
            let (given, at) = (self.givens.concat()[cell], place(shape, cell));
            return Err(format!("`givens` has {given} at {at}, but `solution` has {}", solution[cell]));
        }
        if self.cells().all(|(given, _)| given > 0) {
            return Err("`givens` has no empty cell".to_owned());
        }
        Ok(())
    }

    fn prompt(&self, style: &Style) -> String {
        let shape = self.shape();
        let (size, high, wide) = (shape.size, shape.box_rows, shape.box_columns);
        let givens = self.givens.concat();
        let blank = *style.rng().pick(&[".", "_", "0"]);
        match style.template {
            0 => format!(
                "Complete this sudoku. The grid has {size} rows and {size} columns and is divided into \
                 {size} boxes, each {high} rows high and {wide} columns wide. Fill every empty cell, \
                 shown as \"{blank}\", with a number from 1 to {size}, so that each row, each column and \
                 each box holds every number from 1 to {size} exactly once. The numbers that are already \
                 there must stay as they are.\n\n{}\n\nGive the completed grid as {size} lines of {size} \
                 numbers separated by spaces, and nothing else, inside <answer></answer> tags.",
                draw(shape, &givens, blank, false)
            ),
            1 => format!(
                "Here is a sudoku puzzle of {size} by {size} cells. Lines mark its boxes, which are {high} \
                 rows high and {wide} columns wide, and \"{blank}\" marks a cell to fill in.\n\n{}\n\nFind \
                 the only way to fill it so that no number from 1 to {size} is missing from any row, any \
                 column or any box. The given numbers stay.\nWrite the filled grid without the lines \
                 between boxes, one row per line from top to bottom, its {size} numbers separated by \
                 spaces, inside <answer></answer> tags.",
                draw(shape, &givens, blank, true)
            ),
            2 => format!(
                "Solve this {size}x{size} sudoku (\"{blank}\" is an empty cell; boxes of {high} rows x \
                 {wide} columns; each of 1 to {size} once per row, column and box; keep the givens):\n\n{}\n\n\
                 Answer with the {size} rows of the solved grid, each on its own line, with spaces between \
                 its {size} numbers and no other marks, inside <answer></answer> tags.",
                draw(shape, &givens, blank, true)
            ),
            _ => {
                let lines = draw(shape, &givens, blank, false);
                let width = size.to_string().len();
                let labelled = lines.lines().zip(1..);
                let rows: Vec<String> =
                    labelled.map(|(row, at)| format!("Row {at:>width$}: {row}")).collect();
                let rows = rows.join("\n");
                format!(
                    "Here are the rows of a number grid, from top to bottom; \"{blank}\" stands for a number \
                     that was rubbed out.\n\n{rows}\n\nBefore that, every row and every column held the numbers \
                     1 to {size} once each. So did every box, where the boxes are the blocks of {high} rows by \
                     {wide} columns that tile the grid from its top left corner. Restore the grid; only one \
                     fits.\nGive its {size} rows from top to bottom, one per line and without labels, as \
                     {size} numbers separated by spaces, inside <answer></answer> tags."
                )
            }
        }
    }

    fn solution(&self) -> Solution {
        let shape = self.shape();
        let solution = self.solution.concat();
        let (steps, _) = deduce::way(shape, &self.givens.concat(), &solution);
        Solution { steps: steps.iter().map(|step| shape.say(step)).collect(), answer: lines(&self.solution) }
    }

    fn verify(&self, answer: &str, _budget: &mut Budget) -> Verdict {
        match read_grid(answer, self.givens.len()) {
            Ok(grid) => self.judge_grid(&grid),
            Err(verdict) => verdict,
        }
    }

    /// The cost of a person's way to the solution.
    fn difficulty(&self) -> f32 {
        let (_, cost) = deduce::way(self.shape(), &self.givens.concat(), &self.solution.concat());
        cost as f32 / (cost as f32 + 120.0)
    }

    fn wrong_answers(&self, rng: &mut Rng) -> Vec<String> {
        wrong_grids(self, rng).iter().map(|rows| lines(rows)).chain(wrong_texts(self)).collect()
    }

    /// The givens alone.
    fn fingerprint(&self) -> Vec<u8> {
        self.givens.concat()
    }

    /// A step is `r1c2 = 3` or `r1c2, r1c3 and r1c4 not 3 or 5`, then perhaps a colon and a reason.
    ///
    /// A number that stands in the solution is true, and leads on where the cell was still empty. That
    /// a cell is not a number leads on only with a reason, since there are so many of those. A reason in
    /// words of its own is not judged.
    fn check_step(&self, before: &[&str], step: &str, _budget: &mut Budget) -> Option<StepVerdict> {
        Some(self.judge_step(before, step).unwrap_or_else(StepVerdict::wrong))
    }

    fn play(&self) -> Option<Box<dyn Play>> {
        Some(Box::new(Filling { grid: self.givens.concat(), puzzle: self.clone() }))
    }
}

/// Steps of one solution that are judged; a real one has fewer than 500.
const MOST_STEPS: usize = 1_000;

impl Puzzle {
    fn judge_step(&self, before: &[&str], step: &str) -> Result<StepVerdict, String> {
        if before.len() >= MOST_STEPS {
            return Err(format!("only {MOST_STEPS} steps are judged"));
        }
        let (shape, solution) = (self.shape(), self.solution.concat());
        let Step { claim, reason } = shape.read_step(step)?;
        if let Some(cell) = claim.wrong_about(&solution) {
            let cell = shape.cell_name(cell);
            return Err(match claim {
                Claim::Is { value, .. } => format!("{cell} is not {value}"),
                Claim::Not { .. } => format!("{cell} is one of those numbers"),
            });
        }
        let mut board = self.board();
        for earlier in before {
            if let Ok(earlier) = shape.read_step(earlier)
                && earlier.claim.wrong_about(&solution).is_none()
                && board.learns_from(&earlier.claim)
            {
                board.take(&earlier).expect("true steps keep the solution open");
            }
        }
        if !board.learns_from(&claim) {
            return Ok(StepVerdict::idle("true, but the grid already shows it"));
        }
        match (reason, claim) {
            (Some(reason), claim) => board.bears_out(&claim, &reason)?,
            (None, Claim::Is { .. }) => {}
            (None, Claim::Not { .. }) => {
                return Ok(StepVerdict::idle("true, but no reason is given that can be judged"));
            }
        }
        Ok(StepVerdict::advances())
    }
}

/// Rows on lines, numbers separated by spaces.
fn lines(rows: &[Vec<u8>]) -> String {
    joined(rows, " ", "\n")
}

fn joined(rows: &[Vec<u8>], space: &str, line: &str) -> String {
    let row = |row: &Vec<u8>| {
        let numbers: Vec<String> = row.iter().map(u8::to_string).collect();
        numbers.join(space)
    };
    rows.iter().map(row).collect::<Vec<_>>().join(line)
}

/// Grids like the solution of a puzzle that has only one.
fn wrong_grids(puzzle: &Puzzle, rng: &mut Rng) -> Vec<Vec<Vec<u8>>> {
    let (solution, size) = (&puzzle.solution, puzzle.givens.len());
    let high = puzzle.shape().box_rows;
    let change = |edit: &dyn Fn(&mut Vec<Vec<u8>>)| {
        let mut rows = solution.clone();
        edit(&mut rows);
        rows
    };
    let rename = |name: &dyn Fn(u8) -> u8| {
        let rows = solution.iter();
        rows.map(|row| row.iter().map(|value| name(*value)).collect()).collect()
    };
    let (row, column) = (rng.index(size), rng.index(size));
    let next = (column + 1) % size;
    let band = row - row % high;
    let [one, other] = [solution[row][column], solution[row][next]];
    let renamed = |value: u8| match value {
        value if value == one => other,
        value if value == other => one,
        value => value,
    };
    let empty = puzzle.cells().position(|(given, _)| given == 0);
    let hole = empty.expect("a puzzle has an empty cell");
    let size_u8 = size as u8;
    let wrong = [
        change(&|rows| rows[row][column] = other),
        change(&|rows| rows[row].swap(column, next)),
        change(&|rows| rows.iter_mut().for_each(|row| row.swap(column, next))),
        change(&|rows| rows.swap(band, band + 1)),
        change(&|rows| rows.rotate_left(1)),
        change(&|rows| rows[row] = rows[(row + 1) % size].clone()),
        change(&|rows| rows.reverse()),
        rename(&renamed),
        rename(&|value| value % size_u8 + 1),
        change(&|rows| {
            for (at, row) in rows.iter_mut().enumerate() {
                *row = solution.iter().map(|other| other[at]).collect();
            }
        }),
        // Rows and columns alone: a cyclic Latin square.
        change(&|rows| {
            for (at, row) in rows.iter_mut().enumerate() {
                *row = (0..size).map(|column| ((at + column) % size) as u8 + 1).collect();
            }
        }),
        change(&|rows| rows[hole / size][hole % size] = 0),
        change(&|rows| rows[row][column] = 0),
        change(&|rows| rows[row][column] = size_u8 + 1),
        puzzle.givens.clone(),
        vec![vec![0; size]; size],
        vec![vec![one; size]; size],
    ];
    // Shuffled or renamed the solution may be itself again.
    wrong.into_iter().filter(|rows| rows != solution).collect()
}

/// The solution in forms that the prompt does not ask for.
fn wrong_texts(puzzle: &Puzzle) -> Vec<String> {
    let solution = &puzzle.solution;
    let right = lines(solution);
    let labelled = right.lines().enumerate().map(|(at, row)| format!("Row {}: {row}", at + 1));
    let without_last_row = right.rsplit_once('\n').map(|(rows, _)| rows.to_owned());
    let without_last_number = right.rsplit_once(' ').map(|(numbers, _)| numbers.to_owned());
    [
        joined(solution, ",", "\n"),
        joined(solution, "", "\n"),
        joined(solution, " ", " "),
        joined(solution, " | ", "\n"),
        joined(solution, "\n", "\n"),
        draw(puzzle.shape(), &solution.concat(), ".", true),
        format!("[[{}]]", joined(solution, ", ", "], [")),
        labelled.collect::<Vec<_>>().join("\n"),
        format!("{right} {}", solution.len()),
        format!("{right}\n{}", joined(&solution[..1], " ", "")),
        format!("-{right}"),
        format!("{right}."),
    ]
    .into_iter()
    .chain(without_last_row)
    .chain(without_last_number)
    .collect()
}

/// A puzzle filled cell by cell, in any order and with any numbers.
///
/// Action `cell * size + value - 1` writes a value in an empty cell; nothing is taken back, so the game
/// ends after one move per empty cell. The mask says nothing of the rules: the score does.
#[derive(Clone)]
struct Filling {
    puzzle: Puzzle,
    grid: Vec<u8>,
}

impl Filling {
    fn size(&self) -> usize {
        self.puzzle.givens.len()
    }

    fn cell_and_value(&self, action: Action) -> (usize, u8) {
        let (action, size) = (action as usize, self.size());
        (action / size, (action % size) as u8 + 1)
    }
}

impl Play for Filling {
    fn actions(&self) -> u32 {
        (self.grid.len() * self.size()) as u32
    }

    fn turn(&self) -> Turn {
        if self.grid.contains(&0) { Turn::Player(0) } else { Turn::Over }
    }

    fn legal(&self, out: &mut Vec<Action>) {
        let size = self.size() as u32;
        let empty = self.grid.iter().zip(0..).filter(|(value, _)| **value == 0);
        out.extend(empty.flat_map(|(_, cell)| cell * size..(cell + 1) * size));
    }

    fn apply(&mut self, action: Action) {
        let (cell, value) = self.cell_and_value(action);
        self.grid[cell] = value;
    }

    fn returns(&self) -> Vec<f32> {
        vec![self.puzzle.judge_grid(&self.grid).score]
    }

    fn show(&self, _player: u8) -> String {
        draw(self.puzzle.shape(), &self.grid, ".", true)
    }

    fn name_action(&self, action: Action) -> String {
        let (cell, value) = self.cell_and_value(action);
        format!("{} = {value}", self.puzzle.shape().cell_name(cell))
    }

    fn read_action(&self, text: &str) -> Result<Action, String> {
        match self.puzzle.shape().read_step(text)?.claim {
            Claim::Is { cell, value } => Ok((cell * self.size()) as Action + u32::from(value) - 1),
            Claim::Not { .. } => Err(format!("`{}` writes no number", quoted(text))),
        }
    }

    /// A plane of cells for each value, then one for the givens.
    fn shape(&self) -> Vec<usize> {
        vec![self.size() + 1, self.size(), self.size()]
    }

    fn observe(&self, _player: u8, out: &mut [f32]) {
        out.fill(0.0);
        let cells = self.grid.len();
        for (cell, value) in filled(&self.grid) {
            out[(usize::from(value) - 1) * cells + cell] = 1.0;
        }
        for (cell, _) in filled(&self.puzzle.givens.concat()) {
            out[self.size() * cells + cell] = 1.0;
        }
    }

    fn answer(&self) -> Option<String> {
        let rows: Vec<Vec<u8>> = self.grid.chunks(self.size()).map(<[u8]>::to_vec).collect();
        Some(lines(&rows))
    }

    fn boxed_clone(&self) -> Box<dyn Play> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;

    fn puzzle(givens: &str, solution: &str) -> Puzzle {
        let grid = |text: &str| -> Vec<u8> {
            let digits = text.bytes().filter(u8::is_ascii_digit);
            digits.map(|digit| digit - b'0').collect()
        };
        let (givens, solution) = (grid(givens), grid(solution));
        let size = [4, 6, 9].into_iter().find(|size| size * size == givens.len());
        Puzzle::new(Shape::of(size.unwrap()).unwrap(), &givens, &solution)
    }

    /// Solved by 1 in the corner, then 4 and 3 beside it.
    fn small() -> Puzzle {
        puzzle("0034 3412 2143 4300", "1234 3412 2143 4321")
    }

    /// The puzzle at the head of Wikipedia's article.
    fn wikipedia() -> Puzzle {
        puzzle(
            "530070000 600195000 098000060 800060003 400803001 700020006 060000280 000419005 000080079",
            "534678912 672195348 198342567 859761423 426853791 713924856 961537284 287419635 345286179",
        )
    }

    fn verify(puzzle: &Puzzle, answer: &str) -> Verdict {
        puzzle.verify(answer, &mut Budget::new(10))
    }

    #[test]
    fn a_published_puzzle_is_certified_and_judged() {
        let puzzle = wikipedia();
        assert_eq!(puzzle.check(), Ok(()));
        assert!(Sudoku.certify(&puzzle, &mut Budget::new(1_000_000)).unwrap().unique);
        let answer = lines(&puzzle.solution);
        assert!(verify(&puzzle, &answer).passed);
        for wrong in puzzle.wrong_answers(&mut Key::new("wrong", 1, "", 0, "").stream(0)) {
            assert!(!verify(&puzzle, &wrong).passed, "{wrong}");
        }
    }

    #[test]
    fn a_puzzle_with_a_given_too_few_is_refused() {
        let mut puzzle = small();
        puzzle.givens[0][2] = 0;
        puzzle.givens[2] = vec![0; 4];
        assert_eq!(puzzle.check(), Ok(()));
        let refused = Sudoku.certify(&puzzle, &mut Budget::new(1_000)).unwrap_err();
        assert!(refused.contains("two grids fit `givens`"), "{refused}");
        let starved = Sudoku.certify(&puzzle, &mut Budget::new(1)).unwrap_err();
        assert!(starved.contains("more steps than are allowed"), "{starved}");
        // Both grids obey the rules and the givens, so both pass.
        let found = solutions(puzzle.shape(), &puzzle.givens.concat(), 9, &mut Budget::new(9_999));
        for grid in found.unwrap() {
            let rows: Vec<Vec<u8>> = grid.chunks(4).map(<[u8]>::to_vec).collect();
            assert!(verify(&puzzle, &lines(&rows)).passed);
        }
    }

    #[test]
    fn hostile_problems_are_told_what_is_wrong() {
        let edit = |edit: &dyn Fn(&mut Puzzle)| {
            let mut puzzle = small();
            edit(&mut puzzle);
            puzzle.check().unwrap_err()
        };
        for (message, said) in [
            (edit(&|p| p.givens.clear()), "`givens` has 0 rows"),
            (edit(&|p| p.givens.push(vec![0; 4])), "`givens` has 5 rows"),
            (edit(&|p| p.solution.truncate(3)), "`solution` has 3 rows"),
            (edit(&|p| p.givens[1].push(0)), "`givens` has a row of 5"),
            (edit(&|p| p.givens[1][1] = 5), "`givens` has 5"),
            (edit(&|p| p.solution[1][1] = 0), "every number once in row 2"),
            (edit(&|p| p.solution.swap(1, 2)), "in box 1 (rows 1 to 2, columns 1 to 2)"),
            (edit(&|p| p.givens[3][3] = 2), "`givens` has 2 at row 4, column 4"),
            (edit(&|p| p.givens = p.solution.clone()), "no empty cell"),
        ] {
            assert!(message.contains(said), "{message}");
        }
    }

    #[test]
    fn white_space_is_harmless_and_other_marks_are_not() {
        for right in [
            "1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1",
            "1 2 3 4\r\n3 4 1 2\r\n\r\n2 1 4 3\r\n4 3 2 1",
            "  1  2  3  4\n  3\t4 1 2  \n2 1 4 3\n\n 4 3 2 1\n",
        ] {
            assert!(verify(&small(), right).passed, "{right}");
        }
        for (wrong, said) in [
            ("1 2 3 4 3 4 1 2 2 1 4 3 4 3 2 1", "row 1 has more than 4 numbers"),
            ("1 2 3 4\n3 4 1 2\n2 1 4 3", "there are 3 of 4 rows"),
            ("1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1\n4 3 2 1", "more than 4 rows"),
            ("1 2 3 4\n3 4 1\n2 1 4 3\n4 3 2 1", "row 2 has 3 of 4 numbers"),
            ("1234\n3412\n2143\n4321", "row 1 has 1234"),
            ("1 2 | 3 4\n3 4 | 1 2\n2 1 | 4 3\n4 3 | 2 1", "`|` in row 1"),
            ("1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 x", "`x` in row 4"),
            ("1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 -1", "`-1` in row 4"),
            ("1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 5", "row 4 has 5"),
            ("1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 257", "row 4 has 257"),
            ("1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 .", "row 4, column 4 is empty"),
            ("", "there are 0 of 4 rows"),
        ] {
            let verdict = verify(&small(), wrong);
            assert!(!verdict.passed && verdict.detail.contains(said), "{wrong}: {verdict:?}");
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
        // 7 of 8 givens stand; 3 of 4 empty cells are right; rows 1 and 2, columns 1 and 2, boxes 1 to 3.
        assert_eq!(verdict.parts, [11.0 / 12.0, 0.75, 7.0 / 12.0]);
    }

    #[test]
    fn only_cells_that_are_solved_earn_credit() {
        let puzzle = wikipedia();
        let score = |grid: &[Vec<u8>]| verify(&puzzle, &lines(grid)).score;
        assert!(score(&puzzle.givens) == 0.0 && score(&vec![vec![0; 9]; 9]) == 0.0);
        let filled = |value: u8| -> Vec<Vec<u8>> {
            let rows = puzzle.givens.iter();
            rows.map(|row| row.iter().map(|given| if *given > 0 { *given } else { value }).collect())
                .collect()
        };
        assert!((1..=9).all(|value| score(&filled(value)) < 0.05));
        // Each cell that is filled as in the solution adds to the score, up to a pass.
        let mut grid = puzzle.givens.clone();
        let mut before = 0.0;
        for (cell, (given, value)) in puzzle.cells().enumerate() {
            if given == 0 {
                grid[cell / 9][cell % 9] = value % 9 + 1;
                assert!(score(&grid) < before || before == 0.0);
                grid[cell / 9][cell % 9] = value;
                assert!(score(&grid) > before);
                before = score(&grid);
            }
        }
        assert!(verify(&puzzle, &lines(&grid)).passed);
    }

    #[test]
    fn steps_are_judged_on_the_board_of_the_steps_before() {
        let puzzle = wikipedia();
        let judge = |before: &[&str], step: &str| {
            let verdict = puzzle.check_step(before, step, &mut Budget::new(10)).unwrap();
            (verdict.holds, verdict.advances, verdict.detail)
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
        // Right for another reason than the one given.
        says(judge(&[], "r1c3 = 4: no other number fits"), false, false, "r1c3 could also be");
        says(judge(&[], "r1c3 = 4: the only place for 4 in row 1"), false, false, "could also go");
        says(judge(&[], "r1c3 = 4: the only place for 2 in row 1"), false, false, "about 2");
        says(judge(&[], "r1c3 = 4: the only place for 4 in row 2"), false, false, "not in row 2");
        says(judge(&[], "r1c3 = 4: trying 1 or 2 leads to a contradiction"), true, true, "");
        says(judge(&[], "r1c3 = 4: trying 1 leads to a contradiction"), false, false, "could also be 2");
        // Other numbers are ruled out by the steps before alone, and by the true ones of them alone.
        let last = "r6c6 = 4: no other number fits";
        says(judge(&["r5c5 = 5", "r4c6 = 1"], last), true, true, "");
        says(judge(&["r5c5 = 5"], last), false, false, "r6c6 could also be 1");
        says(judge(&["r5c5 = 5", "r6c5 = 1", "so"], last), false, false, "r6c6 could also be 1");
        says(judge(&[], "r1c3 not 2"), true, false, "no reason");
        says(judge(&[], "r1c3 not 4"), false, false, "one of those numbers");
        says(judge(&[], "r1c3 not 2: all places for 2 in box 1 are in row 2"), false, false, "");
        for junk in ["r0c1 = 3", "r1c10 = 3", "r1c1 = 10", "r1c1 = ", "r1c3 not", "not 3", "r1c3 = +4"] {
            says(judge(&[], junk), false, false, "is not a step");
        }
    }

    #[test]
    fn more_steps_than_any_solution_has_are_not_judged() {
        let before = vec!["r5c5 = 5"; MOST_STEPS];
        let verdict = wikipedia().check_step(&before, "r1c3 = 4", &mut Budget::new(10)).unwrap();
        assert!(!verdict.holds && verdict.detail.contains("1000 steps"));
    }

    #[test]
    fn params_that_no_puzzle_meets_are_refused() {
        let params = |size, tier| SudokuParams { size, tier, ..SudokuParams::default() };
        let refused = params(4, Tier::Pairs).check().unwrap_err();
        assert!(refused.contains("`tier` is \"pairs\", but must be at most \"naked_singles\""));
        assert!(params(6, Tier::HiddenSingles).check().is_ok());
        assert!(params(12, Tier::Search).check().is_ok());
    }

    #[test]
    fn a_grid_is_drawn_with_its_columns_in_line() {
        let shape = Shape::of(12).unwrap();
        let mut grid = vec![0; 144];
        (grid[0], grid[4]) = (12, 7);
        let text = draw(shape, &grid, "_", true);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "12  _  _  _ |  7  _  _  _ |  _  _  _  _");
        assert_eq!(lines[3], "------------+-------------+------------");
        assert!(lines.len() == 15 && lines.iter().all(|line| line.len() == lines[0].len()));
    }
}
