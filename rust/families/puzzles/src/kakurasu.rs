//! Choose cells whose numbers add up to a sum in every row and column: kakurasu.

use kit::picture::Picture;
use kit::prelude::*;
use kit::shape::rules::{Cells, Clue, Clued, Squares, Wanted};
use kit::shared::grid::Grid;
use kit::task::problem::{Field, Upright, rectangle};
use serde::{Deserialize, Serialize};

use crate::shared::line_sums::{
    LINE_PLANES, LineSum, Sums, draw_sums, observe_sums, picture_sums, sums_of, word_sums,
};

pub struct Kakurasu;

params! {
    pub struct KakurasuParams {
        /// Rows of the grid.
        rows: u32 [3..=12],
        /// Columns of the grid.
        columns: u32 [3..=12],
        /// Givens, in percent of the cells. A puzzle has more where one solution takes more.
        givens_percent: u32 [0..=90],
        /// True if a number must be tried and contradicted at some point, because the sums alone lead no further.
        trials: bool,
    }
    levels {
        (4, 4, 12, false),
        (4, 5, 0, false),
        (5, 6, 0, false),
        (6, 7, 0, false),
        (8, 8, 0, false),
        (6, 6, 0, true),
        (7, 7, 5, true),
        (8, 8, 8, true),
        (9, 9, 8, true),
        (10, 10, 12, true),
    }
    default 3
}

problem! {
    pub struct Board {
        /// The given cells: 2 for a chosen one, 1 for one that is not, and 0 for an open one.
        givens: Upright [rectangle(3..=12, 3..=12, 0..=2)],
        /// For each row the sum of the column numbers of its chosen cells, for each column that of the row numbers.
        sums: Targets [[givens.rows(), givens.columns()]],
        /// The one choice that keeps the givens and the sums.
        solution: Upright [claim, rectangle(3..=12, 3..=12, 1..=2)],
    }
}

/// The sums of the rows, and those of the columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Targets {
    rows: Vec<u32>,
    columns: Vec<u32>,
}

impl Field for Targets {
    /// Rows and columns.
    type Limits = [usize; 2];

    fn check(&self, name: &str, limits: &[usize; 2]) -> Result<(), String> {
        let [rows, columns] = *limits;
        for (name, sums, lines, cells) in [
            (format!("{name}.rows"), &self.rows, rows, columns),
            (format!("{name}.columns"), &self.columns, columns, rows),
        ] {
            check::length(&name, sums, lines..=lines, "sums")?;
            let most = all(cells);
            check::each(&name, sums, |sum| *sum <= most, &format!("its numbers go from 0 to {most}"))?;
        }
        Ok(())
    }

    /// Chooses a cell more, or one less.
    fn edit(&mut self, _: Aim, _: &[usize; 2], rng: &mut Rng) -> bool {
        let (row, column) = (rng.index(self.rows.len()), rng.index(self.columns.len()));
        let (by_row, by_column) = (column as u32 + 1, row as u32 + 1);
        let (one, other) = (&mut self.rows[row], &mut self.columns[column]);
        if rng.chance(1, 2) {
            (*one, *other) = (*one + by_row, *other + by_column);
        } else if *one < by_row || *other < by_column {
            return false;
        } else {
            (*one, *other) = (*one - by_row, *other - by_column);
        }
        true
    }
}

/// Sum of a line of this many cells if all are chosen.
fn all(cells: usize) -> u32 {
    (cells * (cells + 1) / 2) as u32
}

impl TaskFamily for Kakurasu {
    type Params = KakurasuParams;
    type Problem = Cells<Board>;

    const ABOUT: About = About {
        summary: "Choose cells of a grid so that the numbers of each line's chosen cells add up to its sum.",
        skills: &["arithmetic", "constraint_propagation", "case_analysis", "spatial_reading"],
        guess_rate: 0.001,
        guess_score: 0.115,
        ..Cells::<Board>::about("puzzles", "kakurasu", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Cells<Board>> {
        let &KakurasuParams { rows, columns, givens_percent, trials } = params;
        let (rows, columns) = (rows as usize, columns as usize);
        let wanted = Wanted { rows, columns, most: 2, givens_percent, trials };
        Cells::dig(&wanted, rng, budget, |rng, budget| {
            budget.spend(1)?;
            let cells = (0..rows * columns).map(|_| 1 + rng.below(2) as u8).collect();
            let solution = Grid::new(columns, cells);
            let [rows, columns] = sums_of(&solution, addend);
            Ok(Board {
                givens: Upright(solution.map(|_| 0)),
                sums: Targets { rows, columns },
                solution: Upright(solution),
            })
        })
    }
}

/// Addend of a cell: its place in the line if it is chosen.
fn addend(at: usize, cell: u8) -> u32 {
    if cell == 2 { at as u32 + 1 } else { 0 }
}

impl Board {
    fn sums(&self) -> Sums<'_> {
        [&self.sums.rows, &self.sums.columns]
    }

    /// The open cells of each row, or of each column, filled in one of the ways to reach its sum.
    fn line_by_line(&self, by_row: bool, rng: &mut Rng) -> Grid<u8> {
        let (mut grid, rows) = (self.givens.0.clone(), self.givens.rows());
        for (_, clue) in self.clues().enumerate().filter(|(line, _)| (*line < rows) == by_row) {
            let line = |chosen: u32| -> Vec<u8> {
                let cells = clue.scope().iter().enumerate();
                let cell = |(at, cell): (usize, &usize)| match self.givens[*cell] {
                    0 => 1 + (chosen >> at & 1) as u8,
                    given => given,
                };
                cells.map(cell).collect()
            };
            let ways: Vec<Vec<u8>> =
                (0..1 << clue.scope().len()).map(line).filter(|line| clue.holds(line)).collect();
            clue.scope().iter().zip(rng.pick(&ways)).for_each(|(cell, number)| grid[*cell] = *number);
        }
        grid
    }
}

impl Clued for Board {
    type Clue = LineSum;

    const HALF: u64 = 60;
    const GIVEN: &'static str = "`givens` and `sums`";
    const CLUE_PLANES: usize = LINE_PLANES;
    const KEPT: Part = Part::new("sums_kept", "share of the rows and columns that have their sum");
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "solve",
            "Solve this kakurasu puzzle with {rows#row} and {columns#column}. Write 1 in every cell that you choose and 0 in \
             every other cell.\n\n\
             - The sum of a row is the sum of the column numbers of its chosen cells: a chosen cell in column 3 counts 3.\n\
             - The sum of a column is the sum of the row numbers of its chosen cells: a chosen cell in row 2 counts 2.\n\
             - Rows are numbered from 1 at the top, columns from 1 at the left.\n\n\
             {row_sums:The sum of row {line} must be {sum}.}\n{column_sums:The sum of column {line} must be {sum}.}\n\n\
             Cells that already show a number must keep it; \"{blank}\" marks the others:\n\n{grid}\n",
        ),
        Prompt::new(
            "lamps",
            "I have a panel of lamps in {rows#row} and {columns#column}, and I lost the note that said which ones are on. What \
             I still know is this. A lamp that is on scores its column number for its row, and its row number for its column \
             (the top row is row 1, the left column is column 1). Lamps that are off score nothing.\n\n\
             Row scores, from top to bottom: {row_list}\nColumn scores, from left to right: {column_list}\n\n\
             Here is the panel: 1 is a lamp that I know is on, 0 one that I know is off, and \"{blank}\" one that I don't \
             know.\n\n{grid}\n\nCan you fill in the whole panel with 1s and 0s? Only one way fits.",
        ),
        Prompt::new(
            "program",
            "A program filled an array a with {rows#row} and {columns#column}; every entry a[i][j] is 0 or 1, with i and j \
             counted from 1. Then it printed, for every row i, the sum of j * a[i][j] over all j:\n\n{row_list}\n\n\
             and, for every column j, the sum of i * a[i][j] over all i:\n\n{column_list}\n\n\
             Part of the array is known, with \"{blank}\" for an unknown entry:\n\n{grid}\n\nRecover the array.",
        ),
        Prompt::held_out(
            "orchard",
            "An orchard has {rows#row} of {columns#plot} each. Some plots have a tree (written 1), the others are bare (written \
             0), and \"{blank}\" marks a plot that nobody has looked at:\n\n{grid}\n\n\
             In each row the farmer added up the positions of the trees, where the leftmost plot has position 1, and got \
             these totals from the top row to the bottom row: {row_list}. In each column she added up the positions of the \
             trees, where the topmost plot has position 1, and got these totals from the leftmost column to the \
             rightmost: {column_list}. A line without trees has the total 0.\n\nWork out what is on every plot.",
        ),
        Prompt::held_out(
            "specification",
            "Input: a grid over {{0, 1}} with {rows#row} and {columns#column}, in which \"{blank}\" is an unknown \
             cell.\n\n{grid}\n\n\
             Row targets (top to bottom): {row_list}\nColumn targets (left to right): {column_list}\n\n\
             Output: the grid with every unknown cell filled in.\n\
             Rules: known cells keep their values; in every row, the 1-based column indices of the 1s add up to the row's \
             target; in every column, the 1-based row indices of the 1s add up to the column's target.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        word_sums(slots, self.sums());
    }

    fn squares(&self) -> Squares<'_> {
        Squares { givens: &self.givens, solution: &self.solution, most: 2, least: 0 }
    }

    fn squares_mut(&mut self) -> [&mut Grid<u8>; 2] {
        [&mut self.givens.0, &mut self.solution.0]
    }

    fn clues(&self) -> impl Iterator<Item = LineSum> {
        LineSum::all(&self.givens, self.sums(), addend)
    }

    /// Rows and columns may be exchanged, and so may 0 and 1 where each sum becomes what the others lack.
    fn images(&self) -> Vec<Self> {
        let turned = Self {
            givens: Upright(self.givens.transposed()),
            sums: Targets { rows: self.sums.columns.clone(), columns: self.sums.rows.clone() },
            solution: Upright(self.solution.transposed()),
        };
        let exchanged = |board: &Self| {
            let numbers = |grid: &Grid<u8>| Upright(grid.map(|number| (3 - number) % 3));
            let lacking = |sums: &[u32], cells: usize| sums.iter().map(|sum| all(cells) - sum).collect();
            let rows = lacking(&board.sums.rows, board.givens.columns());
            let columns = lacking(&board.sums.columns, board.givens.rows());
            let sums = Targets { rows, columns };
            Self { givens: numbers(&board.givens), sums, solution: numbers(&board.solution) }
        };
        vec![self.clone(), exchanged(self), exchanged(&turned), turned]
    }

    fn shortcuts(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        vec![
            ("in each row what makes its sum", self.line_by_line(true, rng)),
            ("in each column what makes its sum", self.line_by_line(false, rng)),
        ]
    }

    fn drawn(&self, grid: &Grid<u8>, blank: &str) -> String {
        let word = |number: &u8| number.checked_sub(1).map_or(blank.to_owned(), |number| number.to_string());
        draw_sums(grid.map(word).cells(), self.sums())
    }

    fn board(&self, picture: &mut Picture) {
        picture_sums(picture, self.sums());
    }

    fn observe_clues(&self, planes: &mut [f32]) {
        observe_sums(planes, self.sums());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing;

    const BOARD: &str = r#"{
        "givens": [[0, 0, 0], [0, 0, 0], [0, 0, 2]],
        "sums": {"rows": [3, 2, 5], "columns": [1, 6, 3]},
        "solution": [[2, 2, 1], [1, 2, 1], [1, 2, 2]]
    }"#;

    #[test]
    fn a_verdict_says_which_sum_is_wrong() {
        let board: Cells<Board> = serde_json::from_str(BOARD).unwrap();
        board.check().unwrap();
        testing::passes(&board, "1 1 0\n0 1 0\n0 1 1");
        let detail = "the sum of row 1 is 2, but must be 3";
        testing::fails(&board, "0 1 0\n0 1 0\n0 1 1", "wrong_sum", detail);
        let detail = "the sum of column 1 is 0, but must be 1";
        testing::fails(&board, "0 0 1\n0 1 0\n0 1 1", "wrong_sum", detail);
        let message = testing::refused(&board, |json| json["sums"]["columns"][1] = 3.into());
        assert_eq!(message, "`solution` does not fit: the sum of column 2 is 6, but must be 3");
        let drawn = ["     1 2 3", "", "1    . . .  3", "2    . . .  2", "3    . . 1  5", "", "     1 6 3"];
        assert_eq!(board.drawn(&board.givens, "."), drawn.join("\n"));
    }
}
