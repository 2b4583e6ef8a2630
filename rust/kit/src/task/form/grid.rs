//! A grid of numbers, one row per line.

use std::fmt::Display;

use super::{Form, decorated, respelling};
use crate::error::quoted;
use crate::shared::grid::{self, Misread};
use crate::task::verdict::Failure;
use crate::words::count;

/// The label of a number that the grid cannot hold, for a family to declare.
pub const OUT_OF_RANGE: (&str, &str) = ("out_of_range", "a number is too small or too large for the grid");

/// A grid of numbers from `low` to `high`.
pub struct Grid<'a, T = u8> {
    /// Noun phrase for the answer: "the completed grid".
    pub what: &'a str,
    pub rows: usize,
    pub columns: usize,
    pub low: T,
    pub high: T,
    /// Value of an empty cell (`.`, `_`, or `0` where the grid has no such number), so that the verifier can score
    /// the other cells.
    pub empty: Option<T>,
}

impl Grid<'_> {
    /// A square of the numbers from 1 to its size, in which 0 is an empty cell.
    pub fn completed(size: usize) -> Self {
        let high = size as u8;
        Self { what: "the completed grid", rows: size, columns: size, low: 1, high, empty: Some(0) }
    }
}

impl<T: Copy + Display + Into<i64> + TryFrom<i64>> Grid<'_, T> {
    fn allows(&self, number: i64) -> bool {
        (self.low.into()..=self.high.into()).contains(&number)
    }

    fn number(&self, word: &str) -> Result<T, Unread> {
        // Nearly every cell is one digit that fits.
        if let [digit @ b'1'..=b'9'] = word.as_bytes() {
            let number = i64::from(digit - b'0');
            if let Some(fits) = T::try_from(number).ok().filter(|_| self.allows(number)) {
                return Ok(fits);
            }
        }
        let (negative, digits) = match word.strip_prefix(['-', '−']) {
            Some(digits) if self.low.into() < 0 => (true, digits),
            _ => (false, word),
        };
        if let Some(empty) =
            self.empty.filter(|_| matches!(word, "." | "_") || word == "0" && !self.allows(0))
        {
            return Ok(empty);
        }
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Unread::NoNumber(quoted(word)));
        }
        let significant = digits.trim_start_matches('0');
        let number = if significant.is_empty() { Ok(0) } else { significant.parse::<i64>() };
        let number = number.ok().map(|number| if negative { -number } else { number });
        number
            .filter(|number| self.allows(*number))
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| Unread::OutOfRange(quoted(word)))
    }
}

/// Reason why a cell cannot be read; the word as it may be shown.
enum Unread {
    NoNumber(String),
    OutOfRange(String),
}

impl<T: Copy + Display + Into<i64> + TryFrom<i64>> Form for Grid<'_, T> {
    type Read = grid::Grid<T>;

    fn asks(&self) -> String {
        let (rows, columns) = (count(self.rows, "line"), count(self.columns, "number"));
        format!("Give {} as {rows} of {columns} separated by spaces, with no other marks,", self.what)
    }

    fn read(&self, text: &str) -> Result<grid::Grid<T>, Failure> {
        let read = grid::Grid::parse(text, self.rows, self.columns, |word| self.number(word));
        read.map_err(|misread| match misread {
            Misread::Shape(reason) => Failure::malformed(reason),
            Misread::Cell(place, Unread::NoNumber(word)) => {
                Failure::malformed(format!("`{word}` in row {} is not a number", place.row + 1))
            }
            Misread::Cell(place, Unread::OutOfRange(word)) => Failure::malformed(format!(
                "row {} has {word}, but numbers go from {} to {}",
                place.row + 1,
                self.low,
                self.high
            ))
            .also(OUT_OF_RANGE.0),
        })
    }

    fn write(&self, answer: &grid::Grid<T>) -> String {
        joined(answer, " ", "\n")
    }

    fn respelled(&self, text: &str) -> Option<String> {
        let digits = self.low.into() >= 0 && self.high.into() <= 9;
        respelling::rows(text, digits.then_some(self.columns))
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let Ok(grid) = self.read(right) else { return Vec::new() };
        let first_row = right.lines().next().unwrap_or_default();
        let labelled = right.lines().enumerate().map(|(at, row)| format!("Row {}: {row}", at + 1));
        let mut mangled = decorated(right);
        // Only line feeds separate rows, and only spaces separate numbers.
        let parted = [
            (",", "\n"),
            (", ", "\n"),
            ("", "\n"),
            (" | ", "\n"),
            ("\u{a0}", "\n"),
            ("\u{2003}", "\n"),
            ("\n", "\n"),
            (" ", " "),
            (" ", "\r"),
            (" ", "\u{b}"),
            (" ", "\u{85}"),
            (" ", "\u{2028}"),
            (" ", ";"),
        ];
        mangled.extend(parted.map(|(space, line)| joined(&grid, space, line)));
        mangled.extend([
            labelled.collect::<Vec<_>>().join("\n"),
            format!("[[{}]]", joined(&grid, ", ", "], [")),
            format!("{right} {}", self.high),
            format!("{right}\n{first_row}"),
            format!("+{right}"),
            format!("{right}."),
            format!("{right}.0"),
            format!("{right} {}{}", self.high, self.high),
        ]);
        for end in ['\n', ' '] {
            mangled.extend(right.rsplit_once(end).map(|(before, _)| before.to_owned()));
        }
        // With a single row or column, some of these are not other spellings.
        mangled.retain(|text| text != right);
        mangled
    }
}

fn joined<T: Display>(grid: &grid::Grid<T>, space: &str, line: &str) -> String {
    let row = |cells: &[T]| cells.iter().map(T::to_string).collect::<Vec<_>>().join(space);
    grid.cells().chunks(grid.columns()).map(row).collect::<Vec<_>>().join(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused<T: Copy + Display + Into<i64> + TryFrom<i64>>(form: &Grid<T>, text: &str) -> Failure {
        match form.read(text) {
            Ok(grid) => panic!("{text:?} was read as {}", form.write(&grid)),
            Err(verdict) => verdict,
        }
    }

    #[test]
    fn a_grid_reads_as_it_is_asked_for() {
        let form = Grid::completed(2);
        assert_eq!(
            form.sentence("answer"),
            "Give the completed grid as 2 lines of 2 numbers separated by spaces, with no other marks, inside \
             <answer></answer> tags, and write nothing after them."
        );
        let grid = form.read("1 2\n2 1").unwrap();
        for same in ["1 2\r\n2 1", " 01 2 \n\n\t2\t1"] {
            assert_eq!(form.read(same).as_ref(), Ok(&grid), "{same:?}");
        }
        for text in form.mangled("1 2\n2 1") {
            refused(&form, &text);
        }
        assert_eq!(form.read("1 .\n_ 0").unwrap().cells(), [1, 0, 0, 0]);
    }

    #[test]
    fn what_is_wrong_is_told_by_row() {
        let form = Grid::completed(2);
        for (text, detail, label) in [
            ("1 2\n2 3", "row 2 has 3, but numbers go from 1 to 2", Some("out_of_range")),
            ("1 2\n2 257", "row 2 has 257, but numbers go from 1 to 2", Some("out_of_range")),
            ("1 2\n00 1", "row 2 has 00, but numbers go from 1 to 2", Some("out_of_range")),
            ("1 x\n2 1", "`x` in row 1 is not a number", None),
            ("1 -2\n2 1", "`-2` in row 1 is not a number", None),
            ("12\n21", "row 1 has 12, but numbers go from 1 to 2", Some("out_of_range")),
            ("1 2", "the grid has 1 of 2 rows", None),
            ("", "the grid has 0 of 2 rows", None),
        ] {
            let verdict = refused(&form, text);
            assert_eq!(verdict.detail, detail);
            assert_eq!(verdict.failures.get(1).copied(), label, "{text}");
        }
        let long = refused(&form, &"9".repeat(60_000));
        assert!(long.detail.len() < 200 && long.failures.contains(&"out_of_range"));
    }

    #[test]
    fn other_numbers_and_shapes_have_no_empty_cells() {
        let form = Grid::<i64> { what: "the product", rows: 1, columns: 3, low: -99, high: 99, empty: None };
        assert!(form.asks().starts_with("Give the product as 1 line of 3 numbers"));
        assert_eq!(form.read("0 -7 −12").unwrap().cells(), [0, -7, -12]);
        for text in [". 1 2", "0 _ 1", "-100 0 0", "- 0 0", "--1 0 0"].into_iter().map(str::to_owned) {
            refused(&form, &text);
        }
        for text in form.mangled("1 -2 3") {
            refused(&form, &text);
        }
        let column = Grid::<i64> { rows: 3, columns: 1, ..form };
        for text in column.mangled("1\n-2\n3") {
            refused(&column, &text);
        }
    }
}
