//! Squares of a grid, each once.

use super::{Form, between_commas, decorated, respelling};
use crate::error::quoted;
use crate::shared::grid::Place;
use crate::task::verdict::Failure;

/// Squares of a grid like `r1c2` with commas between them, in any order, at least one; parsed as their
/// indices in reading order. The verifier decides whether one may occur twice.
pub struct Squares {
    /// Plural noun with article: "the free squares".
    pub what: &'static str,
    pub rows: usize,
    pub columns: usize,
}

impl Form for Squares {
    type Read = Vec<usize>;

    fn asks(&self) -> String {
        format!(
            "Give {} in any order, each once, like r1c2 for row 1 (the top one) and column 2 (from the left), separated \
             by commas,",
            self.what
        )
    }

    fn read(&self, text: &str) -> Result<Vec<usize>, Failure> {
        let mut squares = Vec::new();
        for word in between_commas(text) {
            let place = Place::read(word, self.rows, self.columns).filter(|place| place.short() == word);
            let place = place.ok_or_else(|| {
                let (rows, columns) = (self.rows, self.columns);
                Failure::malformed(format!(
                    "`{}` is not a square from r1c1 to r{rows}c{columns}",
                    quoted(word)
                ))
            })?;
            squares.push(place.row * self.columns + place.column);
        }
        Ok(squares)
    }

    fn write(&self, squares: &Vec<usize>) -> String {
        let short = |square: &usize| Place::new(square / self.columns, square % self.columns).short();
        squares.iter().map(short).collect::<Vec<_>>().join(", ")
    }

    fn respelled(&self, text: &str) -> Option<String> {
        respelling::listed(text)
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            format!("{right},"),
            format!(", {right}"),
            format!("[{right}]"),
            format!("({right})"),
            format!("{right}."),
            format!("{right}, r0c1"),
            format!("{right}, r{}c1", self.rows + 1),
            format!("{right}, r1c{}", self.columns + 1),
            format!("{right} {right}"),
            format!("{right}\n{right}"),
            format!("Answer: {right}"),
            right.to_uppercase(),
            right.replace('r', "r0"),
            right.replace('c', " c"),
            right.replace('c', ","),
            right.replace(['r', 'c'], ""),
            right.replace(", ", " "),
            right.replace(", ", "; "),
            right.replace(", ", ",,"),
            right.replace(", ", "\n"),
            right.replace(", ", " and "),
            right.replace(", ", "\u{ff0c}"),
        ]);
        // A single square has no commas.
        mangled.retain(|text| text != right);
        mangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: Squares = Squares { what: "the free squares", rows: 3, columns: 12 };

    #[test]
    fn squares_of_the_grid_are_read_and_nothing_else() {
        for text in ["r1c2, r3c12, r1c2", "r1c2,r3c12,r1c2", " r1c2 ,\n r3c12\t,r1c2"] {
            assert_eq!(FORM.read(text), Ok(vec![1, 35, 1]), "{text:?}");
        }
        for right in ["r2c1", "r1c2, r3c12"] {
            assert_eq!(FORM.write(&FORM.read(right).unwrap()), right);
            for text in FORM.mangled(right) {
                assert!(FORM.read(&text).is_err(), "{text:?}");
            }
        }
        for text in
            ["", ",", "r4c1", "r1c13", "r01c2", "1,2", "r1c2 r1c3", "r1c1-r1c3", "all", &"r1c1".repeat(9_999)]
        {
            assert!(FORM.read(text).is_err(), "{text:.40?}");
        }
        assert!(FORM.asks().ends_with("separated by commas,"));
    }
}
