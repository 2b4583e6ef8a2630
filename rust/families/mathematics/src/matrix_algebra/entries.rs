//! One exact number, or a matrix of them.

use kit::shared::grid::{Grid, Misread};
use kit::shared::rational::Rational;
use kit::task::form::{Form, Fraction, Integer, decorated};
use kit::task::verdict::Failure;
use kit::words::count;

pub type Matrix = Grid<Rational>;

/// Entries of a square matrix, a line for each row; or a single number.
pub struct Entries {
    pub size: usize,
    /// True if all entries are whole.
    pub whole: bool,
}

impl Form for Entries {
    type Read = Matrix;

    fn asks(&self) -> String {
        if self.size == 1 {
            return Integer.asks();
        }
        let (rows, columns) = (count(self.size, "line"), count(self.size, "number"));
        let numbers = if self.whole {
            ""
        } else {
            ", each an integer or, where it is not whole, a fraction in lowest terms such as -5/2,"
        };
        format!("Give the matrix as {rows} of {columns} separated by spaces{numbers} with no other marks,")
    }

    fn read(&self, text: &str) -> Result<Matrix, Failure> {
        if self.size == 1 {
            return Ok(Grid::new(1, vec![Integer.read(text)?.into()]));
        }
        let text = text.trim_matches([' ', '\n']);
        Grid::parse(text, self.size, self.size, |word| Fraction.read(word)).map_err(|misread| match misread {
            Misread::Shape(reason) => Failure::malformed(reason),
            Misread::Cell(_, failure) => failure,
        })
    }

    fn write(&self, answer: &Matrix) -> String {
        written(answer, " ", "\n")
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        if self.size == 1 {
            return Integer.mangled(right);
        }
        let Ok(matrix) = self.read(right) else { return Vec::new() };
        let (first, last) =
            (right.split([' ', '\n']).next().unwrap_or_default(), right.lines().last().unwrap_or_default());
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            written(&matrix, ", ", "\n"),
            written(&matrix, " & ", " \\\\ "),
            written(&matrix, " ", "; "),
            written(&matrix, "\n", "\n\n"),
            format!("[[{}]]", written(&matrix, ", ", "], [")),
            format!("{right} {first}"),
            format!("{right}\n{last}"),
            format!("+{right}"),
            format!("{right}.0"),
            format!("{right}."),
            format!("0{right}"),
            format!("A = {right}"),
        ]);
        mangled.extend(right.rsplit_once([' ', '\n']).map(|(before, _)| before.to_owned()));
        mangled.retain(|text| text != right);
        mangled
    }
}

/// The entries with signs between numbers and between rows.
pub fn written(matrix: &Matrix, space: &str, line: &str) -> String {
    let row = |row: &[Rational]| row.iter().map(Rational::to_string).collect::<Vec<_>>().join(space);
    matrix.cells().chunks(matrix.columns()).map(row).collect::<Vec<_>>().join(line)
}
