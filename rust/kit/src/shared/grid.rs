//! Rectangles of cells, numbered in reading order.

use std::ops::{Index, IndexMut};
use std::{fmt, iter};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::words::count;

/// Rows of cells of equal length; in JSON a list of rows. It has at least one cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid<T> {
    columns: usize,
    cells: Vec<T>,
}

/// Position of a cell, counted from 0 and shown from 1: `row 1, column 2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub row: usize,
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {}, column {}", self.row + 1, self.column + 1)
    }
}

impl Place {
    pub fn new(row: usize, column: usize) -> Self {
        Self { row, column }
    }

    /// `r1c2`.
    pub fn short(self) -> String {
        format!("r{}c{}", self.row + 1, self.column + 1)
    }

    /// Reads `r1c2` in a grid with this many rows and columns.
    pub fn read(word: &str, rows: usize, columns: usize) -> Option<Self> {
        let (row, column) = word.strip_prefix('r')?.split_once('c')?;
        Some(Self::new(counting(row, rows)? - 1, counting(column, columns)? - 1))
    }
}

/// Reads a number from 1 to `most`, in at most three digits and nothing else.
pub fn counting(word: &str, most: usize) -> Option<usize> {
    let digits = (1..=3).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit());
    let number = word.parse().ok().filter(|_| digits)?;
    (1..=most).contains(&number).then_some(number)
}

/// Reason why a text is not a grid.
#[derive(Debug, PartialEq, Eq)]
pub enum Misread<E> {
    /// Too many or too few rows or cells; the description says which.
    Shape(String),
    /// The first cell that cannot be read.
    Cell(Place, E),
}

impl<T> Grid<T> {
    /// Cells in reading order, with `columns` cells per row.
    pub fn new(columns: usize, cells: Vec<T>) -> Self {
        assert!(
            columns > 0 && !cells.is_empty() && cells.len().is_multiple_of(columns),
            "rows of one length"
        );
        Self { columns, cells }
    }

    pub fn from_fn(rows: usize, columns: usize, cell: impl Fn(Place) -> T) -> Self {
        let cells = (0..rows * columns).map(|at| cell(Place::new(at / columns, at % columns)));
        Self::new(columns, cells.collect())
    }

    pub fn rows(&self) -> usize {
        self.cells.len() / self.columns
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn cells(&self) -> &[T] {
        &self.cells
    }

    pub fn place(&self, cell: usize) -> Place {
        Place::new(cell / self.columns, cell % self.columns)
    }

    pub fn map<U>(&self, change: impl FnMut(&T) -> U) -> Grid<U> {
        Grid::new(self.columns, self.cells.iter().map(change).collect())
    }

    /// The transposed square.
    #[must_use]
    pub fn turned(&self, symmetry: Symmetry) -> Self
    where
        T: Clone,
    {
        let mut turned = self.clone();
        for (cell, value) in self.cells.iter().enumerate() {
            turned[symmetry.image(cell, self.columns)] = value.clone();
        }
        turned
    }

    /// Rows as columns, whatever the shape.
    #[must_use]
    pub fn transposed(&self) -> Self
    where
        T: Clone,
    {
        Self::from_fn(self.columns, self.rows(), |place| {
            self.cells[place.column * self.columns + place.row].clone()
        })
    }

    /// Indices of the cells of every row, then of every column.
    pub fn lines(&self) -> Vec<Vec<usize>> {
        let (rows, columns) = (self.rows(), self.columns);
        let across = (0..rows).map(|row| (row * columns..(row + 1) * columns).collect());
        let down = (0..columns).map(|column| (column..rows * columns).step_by(columns).collect());
        across.chain(down).collect()
    }

    /// Indices of every two adjacent cells, side by side or one above the other, in reading order.
    pub fn neighbours(&self) -> Vec<[usize; 2]> {
        let pairs = |cell: usize| {
            let right = (cell % self.columns + 1 < self.columns).then(|| [cell, cell + 1]);
            let below = (cell + self.columns < self.cells.len()).then(|| [cell, cell + self.columns]);
            right.into_iter().chain(below)
        };
        (0..self.cells.len()).flat_map(pairs).collect()
    }

    /// Reads lines of words, one word per cell.
    pub fn parse<E>(
        text: &str,
        rows: usize,
        columns: usize,
        read: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Self, Misread<E>> {
        let shape = |reason| Err(Misread::Shape(reason));
        let mut cells = Vec::with_capacity(rows * columns);
        let mut row = 0;
        for words in lines_of_words(text) {
            if row == rows {
                return shape(format!("the grid has more than {}", count(rows, "row")));
            }
            let mut column = 0;
            for word in words {
                if column == columns {
                    return shape(format!("row {} has more than {}", row + 1, count(columns, "number")));
                }
                cells.push(read(word).map_err(|error| Misread::Cell(Place::new(row, column), error))?);
                column += 1;
            }
            if column < columns {
                return shape(format!("row {} has {column} of {}", row + 1, count(columns, "number")));
            }
            row += 1;
        }
        if row < rows {
            return shape(format!("the grid has {row} of {}", count(rows, "row")));
        }
        Ok(Self { columns, cells })
    }

    /// Draws the cells in columns, with `gap(cell)` after every cell but the last of a row and, if it has a
    /// value, `rule(row)` as a line below every row but the last.
    pub fn draw<'a, W: AsRef<str>>(
        &self,
        cell: impl Fn(&T) -> W,
        gap: impl Fn(usize) -> &'a str,
        rule: impl Fn(usize) -> Option<String>,
    ) -> String {
        let words: Vec<W> = self.cells.iter().map(cell).collect();
        let width = words.iter().map(|word| word.as_ref().len()).max().unwrap_or_default();
        let mut text = String::with_capacity(words.len() * (width + 1));
        for (at, word) in words.iter().map(AsRef::as_ref).enumerate() {
            text.extend(iter::repeat_n(' ', width - word.len()));
            text += word;
            if (at + 1) % self.columns > 0 {
                text += gap(at);
            } else if at + 1 < words.len() {
                text.push('\n');
                if let Some(line) = rule(at / self.columns) {
                    text.extend([&line, "\n"]);
                }
            }
        }
        text
    }
}

/// The words of each nonempty line. A line ends with a line feed, perhaps after a carriage return, and words
/// are separated by spaces and tabs: no other white space of Unicode counts.
fn lines_of_words(text: &str) -> impl Iterator<Item = impl Iterator<Item = &str>> {
    let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    lines.filter_map(|line| {
        let mut words = line.split([' ', '\t']).filter(|word| !word.is_empty()).peekable();
        words.peek().is_some().then_some(words)
    })
}

impl<T> Index<usize> for Grid<T> {
    type Output = T;

    fn index(&self, cell: usize) -> &T {
        &self.cells[cell]
    }
}

impl<T> IndexMut<usize> for Grid<T> {
    fn index_mut(&mut self, cell: usize) -> &mut T {
        &mut self.cells[cell]
    }
}

impl<T> Index<Place> for Grid<T> {
    type Output = T;

    fn index(&self, place: Place) -> &T {
        &self.cells[place.row * self.columns + place.column]
    }
}

impl<T: Serialize> Serialize for Grid<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.cells.chunks(self.columns))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Grid<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let rows = Vec::<Vec<T>>::deserialize(deserializer)?;
        let columns = rows.first().map_or(0, Vec::len);
        if columns == 0 {
            return Err(D::Error::custom("a grid has at least one row of at least one cell"));
        }
        if let Some(row) = rows.iter().position(|row| row.len() != columns) {
            let (row, held) = (row + 1, count(rows[row].len(), "cell"));
            return Err(D::Error::custom(format!("row {row} holds {held}, but row 1 holds {columns}")));
        }
        Ok(Self::new(columns, rows.into_iter().flatten().collect()))
    }
}

/// One of the eight symmetries of a square: the bits say whether to reverse the rows, reverse the columns,
/// and then transpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry(u8);

impl Symmetry {
    pub const ALL: [Self; 8] = [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5), Self(6), Self(7)];

    /// The images of a square's cells, in reading order of the cells.
    pub fn cells(self, size: usize) -> impl Iterator<Item = usize> {
        (0..size * size).map(move |cell| self.image(cell, size))
    }

    /// The image of a cell of a square.
    pub fn image(self, cell: usize, size: usize) -> usize {
        let turned = |at: usize, turns: bool| if turns { size - 1 - at } else { at };
        let row = turned(cell / size, self.0 & 1 > 0);
        let column = turned(cell % size, self.0 & 2 > 0);
        if self.0 & 4 > 0 { column * size + row } else { row * size + column }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn parse(text: &str) -> Result<Grid<u8>, Misread<String>> {
        Grid::parse(text, 2, 3, |word| word.parse().map_err(|_| word.to_owned()))
    }

    #[test]
    fn a_grid_is_read_by_line_feeds_and_spaces_alone() {
        let grid = Grid::new(3, vec![1, 2, 3, 4, 5, 6]);
        for same in ["1 2 3\n4 5 6", "\n1 2  3 \r\n\r\n\t4 5\t6\n"] {
            assert_eq!(parse(same).as_ref(), Ok(&grid), "{same:?}");
        }
        for other in [
            "1 2 3\u{2028}4 5 6",
            "1 2 3\r4 5 6",
            "1 2 3\u{b}4 5 6",
            "1\u{a0}2 3\n4 5 6",
            "1 2 3\u{85}\n4 5 6",
        ] {
            assert!(parse(other).is_err(), "{other:?}");
        }
        for (text, reason) in [
            ("1 2 3\n4 5", "row 2 has 2 of 3 numbers"),
            ("1 2 3 4\n5 6", "row 1 has more than 3 numbers"),
            ("1 2 3", "the grid has 1 of 2 rows"),
            ("1 2 3\n4 5 6\n7", "the grid has more than 2 rows"),
        ] {
            assert_eq!(parse(text), Err(Misread::Shape(reason.into())));
        }
        assert_eq!(parse("1 2 3\n4 x 6"), Err(Misread::Cell(Place::new(1, 1), "x".into())));
    }

    #[test]
    fn a_drawing_puts_gaps_and_rules_between_cells() {
        let grid = Grid::new(2, vec![1, 10, 2, 3, 4, 5]);
        let gap = |cell| if cell == 2 { "<" } else { "|" };
        let rule = |row| (row == 1).then(|| "-----".to_owned());
        assert_eq!(grid.draw(u8::to_string, gap, rule), " 1|10\n 2< 3\n-----\n 4| 5");
    }

    #[test]
    fn lines_and_neighbours_are_told_by_their_cells() {
        let grid = Grid::new(3, vec![(); 6]);
        assert_eq!(grid.lines(), [vec![0, 1, 2], vec![3, 4, 5], vec![0, 3], vec![1, 4], vec![2, 5]]);
        assert_eq!(grid.neighbours(), [[0, 1], [0, 3], [1, 2], [1, 4], [2, 5], [3, 4], [4, 5]]);
    }

    #[test]
    fn json_holds_rows_of_one_length() {
        let grid = Grid::new(2, vec![1, 2, 3, 4]);
        let json = serde_json::to_string(&grid).unwrap();
        assert_eq!(json, "[[1,2],[3,4]]");
        assert_eq!(serde_json::from_str::<Grid<u8>>(&json).unwrap(), grid);
        for (json, said) in
            [("[[1,2],[3]]", "row 2 holds 1 cell,"), ("[]", "at least one"), ("[[],[]]", "at least")]
        {
            let error = serde_json::from_str::<Grid<u8>>(json).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn places_read_back_and_symmetries_are_eight() {
        assert_eq!(Place::read("r2c10", 9, 12), Some(Place::new(1, 9)));
        for wrong in ["r0c1", "r10c1", "r1c", "rc", "1,1", "r+1c1", "r1c1x", "r1c0001", ""] {
            assert_eq!(Place::read(wrong, 9, 9), None, "{wrong}");
        }
        let square = Grid::new(3, (0..9).collect());
        let all = Symmetry::ALL.map(|symmetry| square.turned(symmetry).cells().to_vec());
        assert_eq!(BTreeSet::from(all.clone()).len(), 8);
        let known = [[2, 1, 0, 5, 4, 3, 8, 7, 6], [0, 3, 6, 1, 4, 7, 2, 5, 8], [6, 3, 0, 7, 4, 1, 8, 5, 2]];
        assert!(known.iter().all(|turned| all.contains(&turned.to_vec())));
    }
}
