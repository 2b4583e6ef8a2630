//! How a puzzle is put: the grid drawn in ASCII, and the rules.

use super::Puzzle;
use super::shape::Shape;
use crate::completion::{draw_blank, shown};
use kit::rng::Rng;
use kit::shared::grid::Grid;

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
            "Complete this sudoku. The grid has {size} rows and {size} columns and is divided into \
             {size} boxes, each {high} rows high and {wide} columns wide. Fill every empty cell, \
             shown as \"{blank}\", with a number from 1 to {size}, so that each row, each column and \
             each box holds every number from 1 to {size} exactly once. The numbers that are already \
             there must stay as they are.\n\n{}\n",
            self.draw_givens(blank, false)
        )
    }

    pub fn boxed(&self, rng: &mut Rng) -> String {
        let Shape { size, box_rows: high, box_columns: wide, .. } = self.shape();
        let blank = draw_blank(rng);
        format!(
            "Here is a sudoku puzzle of {size} by {size} cells. Lines mark its boxes, which are {high} \
             rows high and {wide} columns wide, and \"{blank}\" marks a cell to fill in.\n\n{}\n\nFind \
             the only way to fill it so that no number from 1 to {size} is missing from any row, any \
             column or any box. The given numbers stay.",
            self.draw_givens(blank, true)
        )
    }

    pub fn short(&self, rng: &mut Rng) -> String {
        let Shape { size, box_rows: high, box_columns: wide, .. } = self.shape();
        let blank = draw_blank(rng);
        format!(
            "Solve this {size}x{size} sudoku (\"{blank}\" is an empty cell; boxes of {high} rows x \
             {wide} columns; each of 1 to {size} once per row, column and box; keep the givens):\n\n{}\n",
            self.draw_givens(blank, true)
        )
    }

    pub fn labelled_rows(&self, rng: &mut Rng) -> String {
        let Shape { size, box_rows: high, box_columns: wide, .. } = self.shape();
        let blank = draw_blank(rng);
        let width = size.to_string().len();
        let lines = self.draw_givens(blank, false);
        let rows: Vec<String> =
            lines.lines().zip(1..).map(|(row, at)| format!("Row {at:>width$}: {row}")).collect();
        let rows = rows.join("\n");
        format!(
            "Here are the rows of a number grid, from top to bottom; \"{blank}\" stands for a number \
             that was rubbed out.\n\n{rows}\n\nBefore that, every row and every column held the numbers \
             1 to {size} once each. So did every box, where the boxes are the blocks of {high} rows by \
             {wide} columns that tile the grid from its top left corner. Restore the grid; only one \
             fits."
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
    use kit::words::Joined as _;

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
