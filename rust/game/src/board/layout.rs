//! Cells of a board: their bits, names, text and places in the picture.

use std::ops::Shr;

use super::moves::Moves;
use kit::picture::{CELL, Place as Point};

/// Rectangle of cells, numbered row by row from `a1` at the top, or a rhombus whose rows lean to the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub rows: u32,
    pub columns: u32,
    /// Half cells by which each row begins further to the right than the one above it.
    lean: u32,
    /// Bits from a row to the next, and from a column to the next.
    steps: (u32, u32),
    /// Rows and columns of the blocks that the board consists of.
    block: (u32, u32),
}

impl Layout {
    /// Bits row by row.
    #[inline]
    pub const fn new(rows: u32, columns: u32) -> Self {
        Self { rows, columns, lean: 0, steps: (columns, 1), block: (rows, columns) }
    }

    /// Every row leans to the right of the one above it, so that a cell has six neighbors.
    #[inline]
    #[must_use]
    pub const fn leaning(self) -> Self {
        Self { lean: 1, ..self }
    }

    /// Bits from a row to the next and from a column to the next, for masks with unused bits.
    #[inline]
    #[must_use]
    pub const fn with_steps(self, row: u32, column: u32) -> Self {
        Self { steps: (row, column), ..self }
    }

    /// The board consists of blocks of so many rows and columns, which text and picture set apart.
    #[inline]
    #[must_use]
    pub const fn in_blocks(self, rows: u32, columns: u32) -> Self {
        Self { block: (rows, columns), ..self }
    }

    #[inline]
    pub const fn count(self) -> u32 {
        self.rows * self.columns
    }

    /// Bit of a cell in a mask.
    #[inline]
    pub const fn bit(self, row: u32, column: u32) -> u32 {
        row * self.steps.0 + column * self.steps.1
    }

    /// Number of bits of a mask.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.bit(self.rows - 1, self.columns - 1) + 1
    }

    /// Row and column of every cell, in the order of their numbers.
    pub fn cells(self) -> impl Iterator<Item = (u32, u32)> {
        (0..self.rows).flat_map(move |row| (0..self.columns).map(move |column| (row, column)))
    }

    pub fn name(self, row: u32, column: u32) -> String {
        format!("{}{}", column_name(column), row + 1)
    }

    pub fn last(self) -> String {
        self.name(self.rows - 1, self.columns - 1)
    }

    /// The board, with names beside it; `pieces` are masks with their letters, of which the first counts.
    pub(super) fn text(self, moves: &Moves, pieces: &[(u128, char)]) -> String {
        let beside = if self.rows < 10 { 1 } else { 2 };
        let room = self.lean * self.rows + beside + 3 * self.columns + 1;
        let mut text = String::with_capacity(((self.rows + 1) * room) as usize);
        push_spaces(beside, &mut text);
        for column in 0..self.columns {
            push_spaces(self.gap(column), &mut text);
            text.push(column_name(column));
        }
        for row in 0..self.rows {
            text.push('\n');
            if Self::begins_block(row, self.block.0) {
                text.push('\n');
            }
            push_spaces(self.lean * row, &mut text);
            push_number(row + 1, beside, &mut text);
            for column in 0..self.columns {
                let bit = self.bit(row, column);
                let letter = pieces.iter().find(|(mask, _)| mask >> bit & 1 == 1);
                push_spaces(self.gap(column), &mut text);
                text.push(letter.map_or(moves.empty(), |(_, letter)| *letter));
            }
            text.truncate(text.trim_end().len());
        }
        text
    }

    fn begins_block(at: u32, size: u32) -> bool {
        at > 0 && at.is_multiple_of(size)
    }

    /// Spaces before a column of the text.
    fn gap(self, column: u32) -> u32 {
        if Self::begins_block(column, self.block.1) { 3 } else { 1 }
    }

    /// First rows and first columns of all blocks but the first.
    pub(super) fn seams(self) -> [impl Iterator<Item = u32>; 2] {
        let starts = |count: u32, size: u32| (size..count).step_by(size as usize);
        [starts(self.rows, self.block.0), starts(self.columns, self.block.1)]
    }

    /// Size of the picture in cells.
    pub(super) fn extent(self) -> (u32, u32) {
        (self.rows, self.columns + (self.lean * (self.rows - 1)).div_ceil(2))
    }

    /// Middle of a cell in the picture.
    pub(super) fn centre(self, row: u32, column: u32) -> Point {
        (column * CELL + CELL / 2 + self.lean * row * CELL / 2, row * CELL + CELL / 2)
    }

    /// Writes 1 for every cell of the mask, else 0, as the text shows them.
    #[inline]
    pub(super) fn spread(self, mask: u128, out: &mut [f32]) {
        // Shifts of one word are twice as fast.
        match u64::try_from(mask) {
            Ok(mask) => self.spread_bits(mask, out),
            Err(_) => self.spread_bits(mask, out),
        }
    }

    #[inline]
    fn spread_bits<M: Mask>(self, mask: M, out: &mut [f32]) {
        let (row_step, column_step) = self.steps;
        if row_step == self.columns && column_step == 1 {
            // One run of bits.
            let mut bits = mask;
            for out in out {
                *out = bits.lowest();
                bits = bits >> 1;
            }
            return;
        }
        let rows = out.chunks_exact_mut(self.columns as usize);
        let spread = |rest: M, row: &mut [f32]| {
            let mut bits = rest;
            for out in row {
                *out = bits.lowest();
                bits = bits >> column_step;
            }
            rest >> row_step
        };
        rows.fold(mask, spread);
    }
}

/// Bits of one or two words.
trait Mask: Copy + Shr<u32, Output = Self> {
    fn lowest(self) -> f32;
}

impl Mask for u64 {
    #[inline]
    fn lowest(self) -> f32 {
        f32::from((self & 1) as u8)
    }
}

impl Mask for u128 {
    #[inline]
    fn lowest(self) -> f32 {
        f32::from((self & 1) as u8)
    }
}

fn push_spaces(count: u32, text: &mut String) {
    text.extend(std::iter::repeat_n(' ', count as usize));
}

/// A number of at most two digits, to the right.
fn push_number(number: u32, wide: u32, text: &mut String) {
    match (number / 10, wide) {
        (0, 2) => text.push(' '),
        (0, _) => {}
        (tens, _) => text.push(digit(tens)),
    }
    text.push(digit(number % 10));
}

fn digit(digit: u32) -> char {
    char::from(b'0' + digit as u8)
}

fn column_name(column: u32) -> char {
    char::from(b'a' + column as u8)
}
