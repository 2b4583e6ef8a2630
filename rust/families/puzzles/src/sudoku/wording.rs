//! The puzzle in words, and its grid drawn in ASCII.

use super::Puzzle;
use super::shape::Shape;
use kit::rng::Rng;
use kit::shape::rules::{draw_blank, shown};
use kit::shared::grid::Grid;
use kit::words::{self, Joined as _};

impl Puzzle {
    /// A grid as lines; `boxed` draws lines between the boxes.
    pub fn drawn(&self, grid: &Grid<u8>, blank: &str, boxed: bool) -> String {
        let shape = self.shape();
        let width = if shape.size > 9 { 2 } else { 1 };
        let bar = |cell: usize| boxed && (cell % shape.size + 1).is_multiple_of(shape.box_columns);
        let gap = |cell| if bar(cell) { " | " } else { " " };
        let dashes = vec!["-".repeat(shape.box_columns * (width + 1) - 1); shape.box_rows].join("-+-");
        let rule = |row: usize| (boxed && (row + 1).is_multiple_of(shape.box_rows)).then(|| dashes.clone());
        grid.draw(|number| shown(*number, blank), gap, rule)
    }

    fn draw_givens(&self, blank: &str, boxed: bool) -> String {
        self.drawn(&self.givens, blank, boxed)
    }

    pub fn rules(&self, rng: &mut Rng) -> String {
        let Shape { size, box_rows: high, box_columns: wide, .. } = self.shape();
        let blank = draw_blank(rng);
        format!(
            "Complete the sudoku below. The grid has {size} rows and {size} columns and is divided into {size} \
             boxes, each {high} rows high and {wide} columns wide. Replace each \"{blank}\" with a number from 1 \
             to {size} so that every row, every column and every box contains each number from 1 to {size} \
             exactly once. The numbers already in the grid must not change.\n\n{}\n",
            self.draw_givens(blank, false)
        )
    }

    pub fn boxed(&self, rng: &mut Rng) -> String {
        let Shape { size, box_rows: high, box_columns: wide, .. } = self.shape();
        let blank = draw_blank(rng);
        format!(
            "Can you finish this sudoku for me? I've been staring at it for an hour. The ruled lines separate \
             the boxes, which are {high} rows high and {wide} columns wide, and \"{blank}\" is a cell I haven't \
             filled in yet.\n\n{}\n\nThe usual rules apply: the numbers 1 to {size} go once each into every row, \
             every column and every box, and the numbers that are already there stay put. There is only one \
             solution.",
            self.draw_givens(blank, true)
        )
    }

    pub fn short(&self, rng: &mut Rng) -> String {
        let Shape { size, box_rows: high, box_columns: wide, .. } = self.shape();
        let blank = draw_blank(rng);
        format!(
            "Sudoku, {size} x {size}\nBoxes: {high} rows x {wide} columns, separated by lines\nEmpty cell: \
             \"{blank}\"\nRule: each row, column and box contains 1 to {size} exactly once\nGivens: fixed\n\
             Solutions: exactly one\n\n{}\n",
            self.draw_givens(blank, true)
        )
    }

    pub fn labelled_rows(&self, rng: &mut Rng) -> String {
        let Shape { size, box_rows: high, box_columns: wide, .. } = self.shape();
        let blank = draw_blank(rng);
        let width = size.to_string().len();
        let lines = self.draw_givens(blank, false);
        let rows = lines.lines().zip(1..).map(|(row, at)| format!("Row {at:>width$}: {row}")).lines();
        format!(
            "Somebody spilled coffee on the answer page of a puzzle book, and many numbers of this {size} by \
             {size} grid can no longer be read. Here are its rows from top to bottom, with \"{blank}\" for each \
             number that is lost.\n\n{rows}\n\nBefore the accident, every row and every column contained each \
             number from 1 to {size} exactly once. So did every box; the boxes are the blocks of {high} rows by \
             {wide} columns that tile the grid, starting in its top left corner. Only one set of numbers fits. \
             Restore the page."
        )
    }

    pub fn matrix(&self, rng: &mut Rng) -> String {
        let Shape { size, box_rows: high, box_columns: wide, .. } = self.shape();
        let blank = draw_blank(rng);
        format!(
            "All entries of {} {size} x {size} matrix are integers from 1 to {size}. The matrix is partitioned \
             into {size} contiguous {high} x {wide} blocks ({high} rows, {wide} columns). Two equal entries never \
             lie in the same row, in the same column or in the same block. Some entries are known; each of the \
             others is written as \"{blank}\".\n\n{}\n\nThese conditions determine the matrix uniquely. Find it.",
            words::article(*size),
            self.draw_givens(blank, false)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sudoku::board::random_grid;
    use kit::budget::Budget;
    use kit::rng::Key;
    use kit::task::form::{self, Form};

    #[test]
    fn a_grid_is_drawn_with_its_columns_in_line() {
        let shape = Shape::of(12).unwrap();
        let solution =
            random_grid(shape, &mut Key::new("draw", 1, "", 0, "").stream(0), &mut Budget::new(1_000_000))
                .unwrap();
        let mut givens = solution.clone();
        givens.iter_mut().filter(|value| **value < 9).for_each(|value| *value = 0);
        let puzzle = Puzzle::new(shape, &givens, &solution);
        let text = puzzle.draw_givens("_", true);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[3], "------------+-------------+------------");
        assert!(lines.len() == 15 && lines.iter().all(|line| line.len() == lines[0].len()), "{text}");
        let numbers = text.lines().filter(|line| !line.starts_with('-')).map(|line| line.replace('|', ""));
        let numbers = numbers.lines();
        assert_eq!(form::Grid::completed(12).read(&numbers).unwrap(), puzzle.givens);
    }
}
