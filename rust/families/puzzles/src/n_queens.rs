//! Place one queen in each row so that no two attack each other, around given queens and holes.

use kit::error::Error;
use kit::rules::Play;
use kit::shared::grid::{Grid, Symmetry};
use kit::task::family::PreparedFamily;
use kit::task::form::grid::OUT_OF_RANGE;
use kit::task::prelude::*;
use kit::words;

use placing::Placing;
use rows::{Placements, Rows};

mod placing;
mod rows;

pub struct NQueens;

params! {
    pub struct NQueensParams {
        /// Rows and columns of the board.
        size: u32 [5..=16],
        /// Queens that are given.
        given: u32 [0..=3],
        /// Holes, in percent of the squares. No queen may be placed on a hole.
        holes_percent: u32 [0..=40],
        /// Least number of squares that a backtracking search tries, row by row from the top.
        tries: u32 [0..=5_000],
    }
    levels {
        (7, 2, 25, 6),
        (8, 2, 25, 8),
        (8, 1, 30, 15),
        (9, 1, 30, 30),
        (10, 1, 30, 60),
        (11, 1, 30, 110),
        (12, 1, 32, 200),
        (13, 1, 34, 350),
        (14, 1, 36, 600),
    }
    default 2
    check Self::consistent;
}

impl NQueensParams {
    fn consistent(&self) -> Result<(), String> {
        check::that(self.tries <= 1 << (self.size - 2).min(12), || {
            let (tries, most) = (self.tries, 1 << (self.size - 2).min(12));
            format!("`tries` is {tries}, but must be at most {most} when `size` is {}", self.size)
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Square {
    Free,
    Queen,
    Hole,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    squares: Grid<Square>,
    /// One placement: the column of the queen in each row, from 1.
    solution: Vec<u8>,
}

/// Random placements of open squares that must all fail.
const BLIND_TRIES: u32 = 30;

impl PreparedFamily for NQueens {
    type Params = NQueensParams;
    type Problem = Board;
    type Prepared = Placements;

    const ABOUT: About = About {
        summary: "Place one queen in each row so that no two queens attack each other.",
        judged_by: JudgedBy::Constraints,
        failures: &[
            ("column_repeat", "two queens are in the same column"),
            ("diagonal_repeat", "two queens are on the same diagonal"),
            ("in_a_hole", "a queen is on a hole"),
            ("changed_given", "a given queen was moved"),
            OUT_OF_RANGE,
        ],
        parts: &[Part::new(
            "queens_safe",
            "share of the queens that are on an allowed square and not attacked",
        )],
        skills: &["constraint_propagation", "backtracking", "spatial_reading"],
        guess_rate: 0.1,
        guess_score: 0.1,
        ..About::new("puzzles", "n_queens", &["First version."])
    };

    fn prepare(params: &NQueensParams) -> Result<Placements, Error> {
        Ok(Placements::of(params.size as usize))
    }

    /// Draws boards until trying the rows from the top takes as long as required and does not succeed at
    /// once, and random open squares hardly ever work.
    fn generate(
        &self,
        params: &Self::Params,
        placements: &Placements,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Drawn<Board> {
        let size = params.size as usize;
        loop {
            let solution = placements.draw(rng, budget)?;
            let mut squares = Grid::new(size, vec![Square::Free; size * size]);
            let (mut queens, mut free): (Vec<usize>, Vec<usize>) =
                (0..size * size).partition(|cell| usize::from(solution[cell / size]) == cell % size + 1);
            let given = params.given as usize;
            rng.deal(&mut queens, given);
            for cell in &queens[..given] {
                squares[*cell] = Square::Queen;
            }
            let holes = free.len().min(size * size * params.holes_percent as usize / 100);
            rng.deal(&mut free, holes);
            for cell in &free[..holes] {
                squares[*cell] = Square::Hole;
            }
            let rows = Rows::of(&squares);
            let tried = rows.tried(budget)?;
            if tried < u64::from(params.tries) || tried <= rows.to_fill() {
                continue;
            }
            budget.spend(u64::from(BLIND_TRIES) * (size * size) as u64)?;
            if (0..BLIND_TRIES).all(|_| rows.filled(|open| rows::any(open, rng)).is_none()) {
                return Ok(Board { squares, solution });
            }
        }
    }
}

/// True if two queens, each at a row and a column, attack each other.
fn attack((row, column): (usize, u8), (other_row, other_column): (usize, u8)) -> bool {
    column == other_column || usize::from(column.abs_diff(other_column)) == row.abs_diff(other_row)
}

impl Board {
    fn size(&self) -> usize {
        self.squares.columns()
    }

    fn square(&self, row: usize, column: u8) -> Square {
        self.squares[row * self.size() + usize::from(column) - 1]
    }

    /// Columns of a row that the queens of the solution above it leave open.
    fn open(&self, row: usize) -> Vec<u8> {
        let open = (1..=self.size() as u8).filter(|column| {
            let mut above = self.solution[..row].iter().copied().enumerate();
            self.square(row, *column) != Square::Hole && !above.any(|queen| attack(queen, (row, *column)))
        });
        open.collect()
    }

    fn given(&self, row: usize) -> Option<u8> {
        (1..=self.size() as u8).find(|column| self.square(row, *column) == Square::Queen)
    }

    fn write(&self, columns: &[u8]) -> String {
        self.form().write(&Grid::new(self.size(), columns.to_vec()))
    }

    fn judge(&self, columns: &[u8]) -> Judged {
        let size = self.size();
        let queen = |row: usize| format!("row {}, column {}", row + 1, columns[row]);
        let mut safe = vec![true; size];
        let mut faults = Vec::new();
        for row in 0..size {
            if let Some(given) = self.given(row).filter(|given| *given != columns[row]) {
                faults.push((
                    "changed_given",
                    format!("the queen in row {} must stay in column {given}", row + 1),
                ));
                safe[row] = false;
            } else if self.square(row, columns[row]) == Square::Hole {
                faults.push(("in_a_hole", format!("{} is a hole", queen(row))));
                safe[row] = false;
            }
            for other in (0..row).filter(|other| attack((*other, columns[*other]), (row, columns[row]))) {
                let label = if columns[other] == columns[row] { "column_repeat" } else { "diagonal_repeat" };
                faults.push((
                    label,
                    format!("the queens at {} and {} attack each other", queen(other), queen(row)),
                ));
                (safe[other], safe[row]) = (false, false);
            }
        }
        let Some((_, detail)) = faults.first() else { return Ok(()) };
        let failure = Failure::new(label::CONSTRAINT_VIOLATED, detail);
        let failure = faults.iter().fold(failure, |failure, (label, _)| failure.also(label));
        let safe = safe.iter().filter(|safe| **safe).count();
        Err(failure.part("queens_safe", safe as f32 / size as f32))
    }

    fn picture(&self, [free, queen, hole]: [&str; 3]) -> String {
        let shown = |square: &Square| match square {
            Square::Free => free.to_owned(),
            Square::Queen => queen.to_owned(),
            Square::Hole => hole.to_owned(),
        };
        self.squares.draw(shown, |_| " ", |_| None)
    }

    /// The columns of a row that are holes: "1, 4".
    fn holes(&self, row: usize) -> String {
        let columns = 1..=self.size() as u8;
        let holes = columns.filter(|column| self.square(row, *column) == Square::Hole).listed();
        if holes.is_empty() { "none".to_owned() } else { holes }
    }

    /// A line per row: "Row 2: blocked columns: 1, 4; queen in column 3".
    fn listed(&self) -> String {
        let row = |row: usize| {
            let queen =
                self.given(row).map(|column| format!("; queen in column {column}")).unwrap_or_default();
            format!("Row {}: blocked columns: {}{queen}", row + 1, self.holes(row))
        };
        (0..self.size()).map(row).lines()
    }

    /// A column per row that `pick` chooses among the open ones, or among the attacked ones if none is open.
    fn filled(&self, mut pick: impl FnMut(u32) -> u8) -> Vec<u8> {
        Rows::of(&self.squares).filled_anyhow(&mut pick)
    }
}

impl Problem for Board {
    type Answer = Grid<u8>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::open("board", |board, rng| {
            let size = board.size();
            let [free, queen, hole] = *rng.pick(&[[".", "Q", "#"], ["-", "Q", "x"], ["_", "*", "#"]]);
            format!(
                "Complete this {size} by {size} chessboard so that there is exactly one queen in each row and no two queens \
                 attack each other. Two queens attack each other if they are in the same column or on the same diagonal, \
                 however far apart. \"{free}\" is an empty square. \"{queen}\" is a queen that has already been placed and must \
                 not be moved. \"{hole}\" is a hole: no queen can be placed on it, but queens attack across it.\n\n{}\n\nIf \
                 there are several solutions, any of them will do.",
                board.picture([free, queen, hole])
            )
        }),
        Template::open("list", |board, _| {
            let size = board.size();
            format!(
                "N queens with blocked squares\n\nBoard: {size} x {size}, rows numbered from the top, columns from the left\n\
                 Place: exactly one queen per row\nConstraint: no two queens share a column or a diagonal, at any distance\n\
                 Blocked squares: cannot hold a queen, but do not stop an attack\nFixed queens: must stay where they are\n\n{}\
                 \n\nAny placement that satisfies these rules is accepted.",
                board.listed()
            )
        }),
        Template::open("message", |board, _| {
            let size = board.size();
            format!(
                "Do you know the eight queens problem? Here's a version that has been bugging me all day. My board has {size} \
                 rows and {size} columns. Squares marked \"#\" are broken, so no queen can stand there, and any queen you see \
                 (\"Q\") is glued to its square.\n\n{}\n\nI want exactly one queen in every row, counting the glued ones, and no \
                 two of them in the same column or on the same diagonal, no matter how far apart they are. A broken square \
                 doesn't shield anything: queens attack right across it. Where do the queens go? One arrangement that works \
                 is all I need.",
                board.picture([".", "Q", "#"])
            )
        }),
        Template::held_out("lamps", |board, _| {
            let size = board.size();
            format!(
                "A town is putting up lamps in a square park, which is divided into {size} rows of {size} plots. Each row gets \
                 exactly one lamp. No two lamps may be in the same column of plots or on the same diagonal, however far apart \
                 they are and whatever lies between them. On this plan, O is a lamp that is already there and has to stay, x is \
                 a plot where no lamp can be put up, and + is a plot where one can.\n\n{}\n\nIn which column does the lamp of \
                 each row go? Any plan that follows the rules is fine.",
                board.picture(["+", "O", "x"])
            )
        }),
        Template::held_out("integers", |board, _| {
            let size = board.size();
            let given = |row| board.given(row).map(|column| format!("c({}) = {column}", row + 1));
            let given: Vec<String> = (0..size).filter_map(given).collect();
            format!(
                "Row i of {} {size} by {size} board, counted from the top, holds a single queen, in column c(i), counted from the \
                 left. For any two rows i and j, c(i) and c(j) are different, and their difference is neither i - j nor j - i. \
                 (In other words, no two queens share a column or a diagonal.)\n\nGiven values: {}\n\nExcluded values:\n{}\n\n\
                 Find values of c(1) to c({size}) that satisfy all of these conditions. If there is more than one solution, \
                 give any one of them.",
                words::article(size),
                if given.is_empty() { "none".to_owned() } else { given.iter().listed() },
                (0..size).map(|row| format!("c({}): {}", row + 1, board.holes(row))).lines()
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        let (rows, size) = (self.squares.rows(), self.size());
        check::that(rows == size && (4..=16).contains(&size), || {
            format!("`squares` is {rows} by {size}, but must be a square of 4 to 16 rows")
        })?;
        check::length("solution", &self.solution, size..=size, "columns")?;
        check::each(
            "solution",
            &self.solution,
            |column| (1..=size as u8).contains(column),
            "that is no column",
        )?;
        let in_a_hole = |row: &usize| self.square(*row, self.solution[*row]) == Square::Hole;
        if let Some(row) = (0..size).find(in_a_hole) {
            return Err(format!("`solution` has {} in row {}, where a hole is", self.solution[row], row + 1));
        }
        let queens = |row: &[Square]| row.iter().filter(|square| **square == Square::Queen).count();
        check::that(self.squares.cells().chunks(size).all(|row| queens(row) <= 1), || {
            "`squares` has two queens in a row".to_owned()
        })?;
        check::that((0..size).any(|row| self.given(row).is_none()), || {
            "`squares` has no row to fill".to_owned()
        })
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        budget.spend(self.solution.len() as u64).map_err(|over| over.to_string())?;
        match self.judge(&self.solution) {
            Ok(()) => {
                Ok(Certificate::solvable(format!("queens fit in the columns {}", self.write(&self.solution))))
            }
            Err(verdict) => Err(format!("`solution` fails: {}", verdict.detail)),
        }
    }

    /// Adds or removes some holes.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let size = self.size();
        for _ in 0..=rng.below(3) {
            let cell = rng.index(size * size);
            let solved = usize::from(self.solution[cell / size]) == cell % size + 1;
            mutated.squares[cell] = match self.squares[cell] {
                Square::Queen => Square::Queen,
                Square::Hole if aim != Aim::Harder || rng.chance(1, 2) => Square::Free,
                Square::Free if !solved => Square::Hole,
                same => same,
            };
        }
        Some(mutated)
    }

    fn form(&self) -> impl Form<Read = Grid<u8>> {
        let what =
            "the column number for each row, from the top row to the bottom and counting from 1 at the left,";
        form::Grid { what, rows: 1, columns: self.size(), low: 1, high: self.size() as u8, empty: None }
    }

    fn solution(&self) -> Solution {
        let step = |row: usize| {
            let (column, open) = (self.solution[row], self.open(row));
            match self.given(row) {
                Some(_) => format!("r{}c{column}: a given queen", row + 1),
                None if open.len() == 1 => {
                    format!("r{}c{column}: the only column that is still open in row {}", row + 1, row + 1)
                }
                None => format!(
                    "r{}c{column}: columns {} are still open in row {}",
                    row + 1,
                    words::and(open),
                    row + 1
                ),
            }
        };
        Solution::new((0..self.size()).map(step), self.write(&self.solution))
    }

    fn hints(&self) -> Vec<String> {
        let hint = |row: usize| {
            let number = row + 1;
            match self.given(row) {
                Some(_) => format!("Look at row {number}: its queen is given."),
                None if self.open(row).len() == 1 => {
                    format!("Look at row {number}: the queens above leave only one column open.")
                }
                None => format!("Look at row {number}: try the columns that the queens above leave open."),
            }
        };
        (0..self.size()).map(hint).collect()
    }

    fn answer(&self) -> String {
        self.write(&self.solution)
    }

    /// No partial credit if queens attack each other: random placements have many safe queens.
    fn verify(&self, answer: Grid<u8>, _: &mut Budget) -> Judged {
        self.judge(answer.cells())
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Grid<u8>> {
        // Queens move into the column of another row, or next to it on a diagonal; the last pair stays so.
        let (size, mut column, mut diagonal) = (self.size(), self.solution.clone(), self.solution.clone());
        for row in faults.draw(size, rng) {
            column[row] = column[(row + 1 + rng.index(size - 1)) % size];
            let beside = diagonal[if row > 0 { row - 1 } else { 1 }];
            diagonal[row] = if beside > 1 { beside - 1 } else { beside + 1 };
        }
        let straight = vec![1 + rng.index(size) as u8; size];
        [column, diagonal, straight].map(|columns| Grid::new(size, columns)).to_vec()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let size = self.size();
        let mut shuffled: Vec<u8> = (1..=size as u8).collect();
        rng.shuffle(&mut shuffled);
        let first = rng.index(size);
        let knight = (0..size)
            .map(|row| ((first + 2 * row + usize::from(2 * row >= size)) % size + 1) as u8)
            .collect();
        let policies = [
            ("any columns", shuffled),
            ("a knight's move on", knight),
            ("first open square", self.filled(rows::first)),
            ("any open square", self.filled(|open| rows::any(open, rng))),
        ];
        policies.map(|(name, columns)| (name, Grid::new(size, columns))).into()
    }

    fn twin(&self, rng: &mut Rng) -> Self {
        let (symmetry, size) = (*rng.pick(&Symmetry::ALL), self.size());
        let mut solution = vec![0; size];
        for (row, column) in self.solution.iter().enumerate() {
            let image = symmetry.image(row * size + usize::from(*column) - 1, size);
            solution[image / size] = (image % size) as u8 + 1;
        }
        Self { squares: self.squares.turned(symmetry), solution }
    }

    /// The first of the board's eight symmetric images.
    fn fingerprint(&self) -> Vec<u8> {
        let images = Symmetry::ALL.map(|symmetry| self.squares.turned(symmetry).cells().to_vec());
        let first = images.into_iter().min().expect("there are eight");
        first.into_iter().map(|square| square as u8).collect()
    }

    /// Squares tried from the top row down.
    fn effort(&self) -> Effort {
        const MOST: u64 = 200_000;
        Effort::new(Rows::of(&self.squares).tried(&mut Budget::new(MOST)).unwrap_or(MOST), 150)
    }

    fn moves(&self) -> Option<Box<dyn Play>> {
        Some(Placing::play(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Boards of 4 to 8 have 2, 10, 4, 40 and 92 placements.
    #[test]
    fn the_judge_passes_the_known_number_of_placements() {
        for (size, known) in [(4, 2), (5, 10), (6, 4), (7, 40)] {
            let squares = Grid::new(size, vec![Square::Free; size * size]);
            let board = Board { solution: vec![1; size], squares };
            let placements = (0..(size as u32).pow(size as u32)).filter(|code| {
                let columns: Vec<u8> = (0..size as u32)
                    .map(|row| (code / (size as u32).pow(row) % size as u32) as u8 + 1)
                    .collect();
                board.judge(&columns).is_ok()
            });
            assert_eq!(placements.count(), known, "{size}");
        }
    }

    #[test]
    fn a_verdict_says_what_is_wrong() {
        use Square::{Free, Hole, Queen};
        let mut squares = Grid::new(4, vec![Free; 16]);
        (squares[1], squares[8]) = (Queen, Hole);
        let board = Board { squares, solution: vec![2, 4, 1, 3] };
        assert_eq!(board.check(), Err("`solution` has 1 in row 3, where a hole is".to_owned()));
        let mut crowded = Board { solution: vec![2, 4, 2, 3], squares: board.squares.clone() };
        crowded.squares[3] = Queen;
        assert_eq!(crowded.check(), Err("`squares` has two queens in a row".to_owned()));
        for (columns, failures) in [
            ([2, 4, 1, 3], &["in_a_hole"][..]),
            ([3, 1, 4, 2], &["changed_given"]),
            ([2, 4, 2, 3], &["column_repeat", "diagonal_repeat"]),
        ] {
            assert_eq!(board.judge(&columns).unwrap_err().failures[1..], *failures, "{columns:?}");
        }
        assert!(board.certify(&mut Budget::new(99)).unwrap_err().contains("row 3, column 1"));
    }
}
