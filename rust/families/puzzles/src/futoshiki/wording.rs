//! The puzzle in words, and its square with the signs drawn in ASCII.

use super::Puzzle;
use kit::rng::Rng;
use kit::shape::rules::{draw_blank, shown};
use kit::shared::grid::{Grid, Place};
use kit::words::Joined as _;

impl Puzzle {
    /// The sign between two neighbors, the first of which is on the left or above.
    fn sign(&self, first: usize, second: usize) -> Option<char> {
        let [less, greater] = if second == first + 1 { ['<', '>'] } else { ['^', 'v'] };
        let says = |pair: [usize; 2]| self.less.contains(&pair);
        if says([first, second]) { Some(less) } else { says([second, first]).then_some(greater) }
    }

    /// A grid with the signs between its cells.
    pub fn picture(&self, grid: &Grid<u8>, blank: &str) -> String {
        let gap = |cell| match self.sign(cell, cell + 1) {
            Some('<') => " < ",
            Some(_) => " > ",
            None => "   ",
        };
        let rule = |row| {
            let signs = self.signs_below(row, |sign| format!("{}   ", sign.unwrap_or(' ')));
            Some(signs.trim_end().to_owned()).filter(|signs| !signs.is_empty())
        };
        grid.draw(|number| shown(*number, blank), gap, rule)
    }

    /// [`Puzzle::picture`] with a wall around every cell; signs are part of the walls.
    fn framed(&self, blank: &str) -> String {
        let gap = |cell| match self.sign(cell, cell + 1) {
            Some('<') => " < ",
            Some(_) => " > ",
            None => " | ",
        };
        let rule = |row| Some(self.signs_below(row, |sign| format!("+-{}-", sign.unwrap_or('-'))) + "+");
        let wall = "+---".repeat(self.size()) + "+";
        let inside = self.givens.draw(|number| shown(*number, blank), gap, rule);
        let framed = inside.lines().map(|line| match line {
            wall if wall.starts_with('+') => wall.to_owned(),
            cells => format!("| {cells} |"),
        });
        format!("{wall}\n{}\n{wall}", framed.lines())
    }

    fn signs_below(&self, row: usize, show: impl Fn(Option<char>) -> String) -> String {
        let size = self.size();
        (row * size..(row + 1) * size).map(|cell| show(self.sign(cell, cell + size))).collect()
    }

    pub fn drawn(&self, rng: &mut Rng) -> String {
        let (size, blank) = (self.size(), draw_blank(rng));
        format!(
            "Solve this futoshiki puzzle. Replace each \"{blank}\" in the {size} by {size} grid with a number from \
             1 to {size} so that every row and every column contains each number from 1 to {size} exactly once \
             and every inequality sign is true. A sign between two neighboring cells compares their numbers: \"<\" \
             means that the number to its left is less than the number to its right, and \">\" that it is greater; \
             \"^\" means that the number above it is less than the number below it, and \"v\" that it is greater. \
             The given numbers must not change.\n\n{}\n",
            self.picture(&self.givens, blank)
        )
    }

    pub fn walled(&self, rng: &mut Rng) -> String {
        let (size, blank) = (self.size(), draw_blank(rng));
        format!(
            "I'm stuck on this one, can you help? A \"{blank}\" is a cell that I still have to fill in.\n\n{}\n\n\
             Each row and each column has to end up with the numbers 1 to {size}, once each, and I can't change \
             the numbers that are printed. The <, >, ^ and v marks in the walls are inequalities: the tip of a \
             mark points at the smaller of the two numbers on either side of it. So with \"^\" the number above \
             is the smaller one, and with \"v\" the number below. There is exactly one way to fill the grid.",
            self.framed(blank)
        )
    }

    pub fn listed(&self, rng: &mut Rng) -> String {
        let (size, blank) = (self.size(), draw_blank(rng));
        let comparisons = self.compared(Place::short, ["<", ">"]);
        format!(
            "Grid: {size} x {size}. Every row and every column contains each number from 1 to {size} exactly \
             once. Known numbers, row by row from the top (\"{blank}\" = unknown):\n\n{}\n\nInequalities \
             (r2c3 is the number in row 2, column 3):\n\n{comparisons}\n\nDetermine all unknown numbers. The \
             solution is unique.",
            self.rows(blank)
        )
    }

    pub fn plants(&self, rng: &mut Rng) -> String {
        let (size, blank) = (self.size(), draw_blank(rng));
        let comparisons = self.compared(|place| place.to_string(), ["is shorter than", "is taller than"]);
        format!(
            "A gardener grows {size} rows of {size} plants. Their heights are whole inches from 1 to {size}, and \
             no two plants in the same row or in the same column are equally tall. She has measured some of the \
             plants; \"{blank}\" stands for a plant that she hasn't measured. Here are the rows from top to \
             bottom:\n\n{}\n\nShe has also compared some neighboring plants:\n\n{comparisons}\n\nThat is enough \
             to work out the height of every plant. What are the heights?",
            self.rows(blank)
        )
    }

    /// The givens without the signs.
    fn rows(&self, blank: &str) -> String {
        self.givens.draw(|number| shown(*number, blank), |_| " ", |_| None)
    }

    /// One sign per line, such as `r1c1 < r1c2` or `r1c2 > r2c2`.
    fn compared(&self, name: impl Fn(Place) -> String, [less, greater]: [&str; 2]) -> String {
        let line = |pair: &[usize; 2]| {
            let [small, large] = pair.map(|cell| name(self.givens.place(cell)));
            if pair[0] < pair[1] {
                format!("{small} {less} {large}")
            } else {
                format!("{large} {greater} {small}")
            }
        };
        self.less.iter().map(line).lines()
    }
}

#[cfg(test)]
mod tests {
    use crate::futoshiki::FutoshikiParams;
    use crate::futoshiki::tests::{drawn, rng, small};
    use kit::params::Params;

    /// The givens and the signs in a drawing: cells in every fourth column from `left` and every second line
    /// from `top`, with the signs halfway between.
    fn read_back(picture: &str, size: usize, [top, left]: [usize; 2]) -> (Vec<u8>, Vec<[usize; 2]>) {
        let lines: Vec<Vec<char>> = picture.lines().map(|line| line.chars().collect()).collect();
        let at = |line: usize, column: usize| lines[line].get(column).copied().unwrap_or(' ');
        let (mut givens, mut less) = (Vec::new(), Vec::new());
        for cell in 0..size * size {
            let (line, column) = (top + 2 * (cell / size), left + 4 * (cell % size));
            givens.push(at(line, column).to_digit(10).map_or(0, |digit| digit as u8));
            if (cell + 1) % size > 0 {
                match at(line, column + 2) {
                    '<' => less.push([cell, cell + 1]),
                    '>' => less.push([cell + 1, cell]),
                    gap => assert!(" |".contains(gap), "{picture}"),
                }
            }
            if cell + size < size * size {
                match at(line + 1, column) {
                    '^' => less.push([cell, cell + size]),
                    'v' => less.push([cell + size, cell]),
                    gap => assert!(" -".contains(gap), "{picture}"),
                }
            }
        }
        (givens, less)
    }

    /// A drawing with an empty line wherever two rows have no sign between them.
    fn spaced(picture: &str) -> String {
        let mut lines: Vec<&str> = Vec::new();
        let is_row = |line: &str| !line.starts_with([' ', '^', 'v']);
        for line in picture.lines() {
            if is_row(line) && lines.last().is_some_and(|before| is_row(before)) {
                lines.push("");
            }
            lines.push(line);
        }
        lines.join("\n")
    }

    #[test]
    fn drawings_read_back() {
        let mut rng = rng(2);
        for params in FutoshikiParams::LEVELS {
            let puzzle = drawn(params, &mut rng);
            let shown = (puzzle.givens.cells().to_vec(), puzzle.less.clone());
            for blank in [".", "_", "0"] {
                let picture = spaced(&puzzle.picture(&puzzle.givens, blank));
                assert_eq!(read_back(&picture, puzzle.size(), [0, 0]), shown);
                assert_eq!(read_back(&puzzle.framed(blank), puzzle.size(), [1, 2]), shown);
            }
        }
    }

    #[test]
    fn signs_stand_where_a_reader_looks_for_them() {
        let puzzle = small();
        let picture =
            [". < .   .   4", "    ^", ".   . > .   .", ". > .   4   .", "        v", ".   .   .   ."];
        assert_eq!(puzzle.picture(&puzzle.givens, "."), picture.join("\n"));
        let framed = [
            "+---+---+---+---+",
            "| _ < _ | _ | 4 |",
            "+---+-^-+---+---+",
            "| _ | _ > _ | _ |",
            "+---+---+---+---+",
            "| _ > _ | 4 | _ |",
            "+---+---+-v-+---+",
            "| _ | _ | _ | _ |",
            "+---+---+---+---+",
        ];
        assert_eq!(puzzle.framed("_"), framed.join("\n"));
        let listed = puzzle.listed(&mut rng(3));
        assert!(
            listed.contains("\nr1c1 < r1c2\nr1c2 < r2c2\nr2c2 > r2c3\nr3c1 > r3c2\nr3c3 > r4c3\n"),
            "{listed}"
        );
    }
}
