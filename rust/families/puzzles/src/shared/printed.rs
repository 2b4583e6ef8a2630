//! Numbers that are printed in the cells of a grid, whose cells are to be marked 0 or 1.

use kit::picture::{CELL, Ink, Picture};
use kit::prelude::*;
use kit::shared::grid::{Grid, Place};
use kit::task::problem::Slots;

/// Numbers of the cells, 0 for none; the others go from `least`, which is written for 1.
pub struct Printed<'a> {
    pub numbers: &'a Grid<u8>,
    pub least: u8,
}

impl Printed<'_> {
    pub fn number(&self, cell: usize) -> Option<u8> {
        self.numbers[cell].checked_sub(1).map(|number| number + self.least)
    }

    pub fn text(&self) -> String {
        let word = |number: &u8| match number {
            0 => "-".to_owned(),
            number => (number - 1 + self.least).to_string(),
        };
        self.numbers.draw(word, |_| " ", |_| None)
    }

    /// The numbers, and below them the marks: 1 for a 0, 2 for a 1, and 0 for an open cell.
    pub fn with_marks(&self, marks: &Grid<u8>, blank: &str) -> String {
        let word = |mark: &u8| mark.checked_sub(1).map_or(blank.to_owned(), |mark| mark.to_string());
        format!("{}\n\n{}", self.text(), marks.draw(word, |_| " ", |_| None))
    }

    /// Fills `{numbers}`, `{an}` and the choice `{known?}`: some marks are given.
    pub fn slots(&self, known: bool, slots: &mut Slots<'_>) {
        slots.either("known", known).text("an", words::article(self.numbers.rows()));
        slots.with("numbers", || self.text());
    }

    pub fn board(&self, picture: &mut Picture) {
        for cell in 0..self.numbers.cells().len() {
            let Place { row, column } = self.numbers.place(cell);
            let at = (column as u32 * CELL + 2, row as u32 * CELL + 2);
            self.number(cell)
                .into_iter()
                .for_each(|number| picture.title(at, 2, number.to_string(), Ink::Red));
        }
    }

    /// Writes each number over `most`, at most 1.
    pub fn observe(&self, most: u8, plane: &mut [f32]) {
        let cells = plane.iter_mut().zip(self.numbers.cells());
        cells.for_each(|(cell, number)| *cell = (f32::from(*number) / f32::from(most)).min(1.0));
    }

    /// Checks that the field of this name has the size of the marks.
    pub fn check(&self, name: &str, marks: &Grid<u8>) -> Result<(), String> {
        let [size, rows] = [self.numbers, marks].map(Grid::rows);
        check::that(size == rows, || format!("`givens` has {rows} rows, but `{name}` has {size}"))
    }
}

/// A cell of a grid of so many columns as `r1c2`.
pub fn short(cell: usize, columns: usize) -> String {
    Place::new(cell / columns, cell % columns).short()
}
