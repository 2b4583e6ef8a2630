//! Find the hidden squares of a minefield that are certainly free of mines.

use kit::rules::Play;
use kit::shared::grid::{Grid, Symmetry};
use kit::task::prelude::*;

use marking::Marking;
use settling::settled;

mod marking;
mod reasons;
mod settling;

pub struct Minesweeper;

params! {
    pub struct MinesweeperParams {
        /// Rows and columns of the field.
        size: u32 [4..=15],
        /// Mines, in percent of the squares.
        mines_percent: u32 [10..=30],
        /// Open squares, roughly, in percent of the squares without a mine.
        open_percent: u32 [20..=80],
    }
    levels {
        (4, 22, 45),
        (5, 22, 45),
        (6, 22, 45),
        (7, 22, 45),
        (8, 22, 48),
        (9, 22, 50),
        (11, 21, 50),
        (13, 21, 50),
        (15, 20, 50),
    }
    default 4
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// The number in each open square, 9 if it is hidden.
    squares: Grid<u8>,
    /// One possible layout of the mines, by squares in reading order.
    mines: Vec<usize>,
    /// The squares that are free of mines in every layout; a claim that `certify` proves.
    safe: Vec<usize>,
}

const HIDDEN: u8 = 9;
/// Steps to settle one draw; those that take more are drawn again.
const SOLVE_STEPS: u64 = 100_000;

impl TaskFamily for Minesweeper {
    type Params = MinesweeperParams;
    type Problem = Field;

    const ABOUT: About = About {
        summary: "Find the hidden squares of a minefield that are certainly free of mines.",
        distinct_from: 2,
        failures: &[
            ("repeated_square", "a square is listed twice"),
            ("not_certain", "a listed square may contain a mine, or is not hidden"),
            ("missing_square", "a square that is certainly free is missing"),
        ],
        parts: &[
            Part::new("certain", "share of the listed squares that are certainly free"),
            Part::new("found", "share of the certainly free squares that are listed"),
        ],
        skills: &["deduction", "case_analysis", "spatial_reading"],
        // Some squares may take more steps to settle when the field is rotated; a hundred times as many are
        // allowed.
        budgets: Budgets { certify: 100 * SOLVE_STEPS, ..Budgets::USUAL },
        guess_rate: 0.04,
        guess_score: 0.04,
        ..About::new("puzzles", "minesweeper", &["First version."])
    };

    /// Lays mines and opens squares at random, including the surroundings of squares without adjacent mines,
    /// until at least two squares, but not most of those next to a number, are certainly free.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Field> {
        let size = params.size as usize;
        let squares = size * size;
        let mines = squares * params.mines_percent as usize / 100;
        let wanted = (squares - mines) * params.open_percent as usize / 100;
        loop {
            let mut order: Vec<usize> = (0..squares).collect();
            rng.shuffle(&mut order);
            let (laid, free) = order.split_at(mines);
            let mut field = Field {
                squares: Grid::new(size, vec![HIDDEN; squares]),
                mines: laid.to_vec(),
                safe: Vec::new(),
            };
            field.mines.sort_unstable();
            let mut open = 0;
            for square in free {
                if open < wanted {
                    open += field.open(*square);
                }
            }
            let mut steps = Budget::new(SOLVE_STEPS);
            let known = settled(&field, &mut steps);
            budget.spend(steps.spent() + squares as u64)?;
            let Ok(known) = known else { continue };
            field.safe = known.safe();
            let border = field.border().len();
            let easy = field.by_counting();
            if field.safe.len() >= 2 && 3 * field.safe.len() <= 2 * border && easy.len() < field.safe.len() {
                return Ok(field);
            }
        }
    }
}

impl Field {
    fn size(&self) -> usize {
        self.squares.columns()
    }

    fn around(&self, square: usize) -> impl Iterator<Item = usize> + use<> {
        let (size, row, column) = (self.size(), square / self.size(), square % self.size());
        let rows = row.saturating_sub(1)..(row + 2).min(size);
        let columns = column.saturating_sub(1)..(column + 2).min(size);
        let all = rows.flat_map(move |row| columns.clone().map(move |column| row * size + column));
        all.filter(move |other| *other != square)
    }

    fn near(&self, square: usize) -> u8 {
        self.around(square).filter(|other| self.mines.binary_search(other).is_ok()).count() as u8
    }

    /// Opens a square and, if no mine is adjacent, its neighbors. Returns the number of squares opened.
    fn open(&mut self, square: usize) -> usize {
        if self.squares[square] != HIDDEN {
            return 0;
        }
        self.squares[square] = self.near(square);
        let around = (self.squares[square] == 0).then(|| self.around(square)).into_iter().flatten();
        1 + around.collect::<Vec<_>>().into_iter().map(|other| self.open(other)).sum::<usize>()
    }

    fn is_open(&self, square: usize) -> bool {
        self.squares[square] != HIDDEN
    }

    fn numbers(&self) -> impl Iterator<Item = usize> {
        (0..self.squares.cells().len()).filter(|square| self.is_open(*square))
    }

    fn numbers_around(&self, square: usize) -> impl Iterator<Item = usize> {
        self.around(square).filter(|other| self.is_open(*other))
    }

    fn hidden(&self, square: usize) -> Vec<usize> {
        self.around(square).filter(|other| self.squares[*other] == HIDDEN).collect()
    }

    /// The hidden squares next to a number.
    fn border(&self) -> Vec<usize> {
        let hidden = (0..self.squares.cells().len()).filter(|square| self.squares[*square] == HIDDEN);
        hidden.filter(|square| self.around(*square).any(|other| self.squares[other] != HIDDEN)).collect()
    }

    /// The squares that prove free when numbers are considered one at a time.
    fn by_counting(&self) -> Vec<usize> {
        let (mut free, mut mined) = (Vec::new(), Vec::new());
        loop {
            let before = free.len() + mined.len();
            for number in self.numbers() {
                let hidden = self.hidden(number);
                let open: Vec<usize> =
                    hidden.iter().copied().filter(|at| !free.contains(at) && !mined.contains(at)).collect();
                let known = hidden.iter().filter(|at| mined.contains(at)).count();
                let left = usize::from(self.squares[number]).saturating_sub(known);
                if left == 0 {
                    free.extend(open);
                } else if left == open.len() {
                    mined.extend(open);
                }
            }
            if free.len() + mined.len() == before {
                free.sort_unstable();
                return free;
            }
        }
    }

    fn judge(&self, listed: &[usize]) -> Judged {
        let short = |square: usize| self.squares.place(square).short();
        let mut seen = vec![false; self.squares.cells().len()];
        if let Some(square) = listed.iter().find(|square| std::mem::replace(&mut seen[**square], true)) {
            let detail = format!("{} is listed twice", short(*square));
            return Err(Failure::new(label::CONSTRAINT_VIOLATED, detail).also("repeated_square"));
        }
        let (certain, wrong): (Vec<usize>, Vec<usize>) =
            listed.iter().partition(|at| self.safe.binary_search(at).is_ok());
        let missing = self.safe.iter().find(|at| !seen[**at]);
        let verdict = match (wrong.first(), missing) {
            (None, None) => return Ok(()),
            (Some(wrong), _) if self.squares[*wrong] != HIDDEN => {
                Failure::wrong(format!("{} is not hidden", short(*wrong))).also("not_certain")
            }
            (Some(wrong), _) => {
                Failure::wrong(format!("{} may contain a mine", short(*wrong))).also("not_certain")
            }
            (None, Some(missing)) => {
                Failure::wrong(format!("{} is certainly free, but is missing", short(*missing)))
            }
        };
        let verdict = if missing.is_some() { verdict.also("missing_square") } else { verdict };
        let share = |of: usize| certain.len() as f32 / of.max(1) as f32;
        Err(verdict.part("certain", share(listed.len())).part("found", share(self.safe.len())))
    }

    fn drawn(&self, hidden: &str) -> String {
        let sign = |number: &u8| if *number == HIDDEN { hidden.to_owned() } else { number.to_string() };
        self.squares.draw(sign, |_| " ", |_| None)
    }
}

fn claim(square: &str, mine: bool) -> String {
    format!("{square} is {}", if mine { "a mine" } else { "free" })
}

impl Problem for Field {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("field", |field| {
            format!(
                "The grid below shows a game of Minesweeper in progress. A number tells how many of the squares that touch it \
                 along a side or at a corner contain a mine; the numbered squares themselves contain none. A \"#\" is a hidden \
                 square, which may or may not contain a mine. The total number of mines is not known.\n\n{}\n\nWhich hidden \
                 squares are certainly free of mines? These are the squares that contain no mine in any arrangement of mines \
                 that agrees with all of the numbers. Find every one of them.",
                field.drawn("#")
            )
        }),
        Template::plain("robot", |field| {
            format!(
                "Safe cells on a partially searched minefield\n\nMap:\n\n{}\n\nDigit: searched cell without a mine; the value is \
                 the number of mines in the up to eight cells around it\n\"?\": cell not yet searched\nTotal number of mines: \
                 unknown\nDefinition: a \"?\" cell is safe if it is empty in all mine layouts that are consistent with every \
                 digit\nTask: list all safe cells, so that the robot can enter them\n",
                field.drawn("?")
            )
        }),
        Template::plain("message", |field| {
            format!(
                "I'm in the middle of a Minesweeper game and I refuse to guess. Here's my board, with a - for every square that is \
                 still covered:\n\n{}\n\nAs usual, each number counts the mines next to it, including diagonally, and uncovered \
                 squares are never mines. I've lost track of how many mines are left, so the total doesn't help. Which covered \
                 squares can I click with no risk at all? I want all of them, but only the ones where a mine is ruled out by \
                 the numbers.",
                field.drawn("-")
            )
        }),
        Template::held_out_plain("garden", |field| {
            format!(
                "Moles have moved into a garden that is divided into square plots. The gardener has dug up some of the plots, \
                 found no mole in them, and put up a sign in each. The digit on the sign says how many of the plots around it, \
                 including diagonal neighbors, have a mole underneath. An x is a plot that has not been dug up. Nobody knows \
                 how many moles there are.\n\n{}\n\nThe gardener wants to plant roses in every x plot for which the signs prove \
                 that there is no mole underneath. Which plots are these?",
                field.drawn("x")
            )
        }),
        Template::held_out_plain("unknowns", |field| {
            format!(
                "Each * in this array stands for an unknown that is either 0 or 1; different unknowns may have different values. \
                 Each digit equals the sum of all unknowns in the cells adjacent to it horizontally, vertically or diagonally.\
                 \n\n{}\n\nThe digits form a system of equations, which may have many solutions. Determine all unknowns that \
                 are equal to 0 in every solution of the system.",
                field.drawn("*")
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        let (size, squares) = (self.size(), self.squares.cells().len());
        check::within("squares", &size, 3..=15)?;
        check::that(self.squares.rows() == size, || {
            "`squares` must have as many rows as columns".to_owned()
        })?;
        check::length("mines", &self.mines, 1..=squares - 1, "squares")?;
        check::each("mines", &self.mines, |square| *square < squares, "there is no such square")?;
        check::that(self.mines.is_sorted_by(|a, b| a < b), || {
            "`mines` must be in increasing order".to_owned()
        })?;
        for square in self.numbers() {
            let (number, near) = (self.squares[square], self.near(square));
            check::that(!self.mines.contains(&square) && number == near, || {
                format!("`squares` has {number} at {}, but {near} mines are near", self.squares.place(square))
            })?;
        }
        check::length("safe", &self.safe, 1..=squares, "squares")?;
        check::each("safe", &self.safe, |square| *square < squares, "there is no such square")?;
        check::that(self.safe.is_sorted_by(|a, b| a < b), || "`safe` must be in increasing order".to_owned())
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let known = settled(self, budget).map_err(|over| over.to_string())?.safe();
        check::that(known == self.safe, || {
            format!("`safe` must name the squares that are certainly free, {}, and no other", known.len())
        })?;
        Ok(Certificate::unique("every other hidden square contains a mine in some arrangement"))
    }

    /// Opens a square, or closes one.
    fn edited(&self, _: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let square = rng.index(self.squares.cells().len());
        if self.squares[square] != HIDDEN {
            mutated.squares[square] = HIDDEN;
        } else if !self.mines.contains(&square) {
            mutated.squares[square] = self.near(square);
        }
        mutated.safe =
            settled(&mutated, &mut Budget::new(SOLVE_STEPS)).map_or(Vec::new(), |settled| settled.safe());
        Some(if mutated.check().is_ok() { mutated } else { self.clone() })
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        form::Squares { what: "the squares", rows: self.size(), columns: self.size() }
    }

    fn solution(&self) -> Solution {
        Solution::new(reasons::told(self), self.form().write(&self.safe))
    }

    fn hints(&self) -> Vec<String> {
        reasons::hints(self)
    }

    /// No partial credit for some of the squares: guessing finds those.
    fn verify(&self, answer: Vec<usize>, _: &mut Budget) -> Judged {
        self.judge(&answer)
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let others: Vec<usize> = self.border().into_iter().filter(|at| !self.safe.contains(at)).collect();
        let spoilt = faults.draw(self.safe.len(), rng);
        let left: Vec<usize> =
            (0..self.safe.len()).filter(|at| !spoilt.contains(at)).map(|at| self.safe[at]).collect();
        let added = others.iter().copied().take(faults.of(others.len()));
        let more: Vec<usize> = self.safe.iter().copied().chain(added.clone()).collect();
        let mut wrong = vec![[left.clone(), added.collect()].concat(), more, left];
        wrong.extend([[&self.safe[..], &self.safe[..1]].concat(), self.by_counting()]);
        // No other squares are right, in whatever order.
        wrong.retain(|listed| {
            let mut sorted = listed.clone();
            sorted.sort_unstable();
            !listed.is_empty() && sorted != self.safe
        });
        wrong
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let border = self.border();
        let mut some: Vec<usize> = border.iter().copied().filter(|_| rng.chance(2, 5)).collect();
        if some.is_empty() {
            some.clone_from(&border);
        }
        // Only next to small numbers.
        let calm = |square: &usize| {
            let most = self.around(*square).map(|at| self.squares[at]).filter(|at| *at != HIDDEN).max();
            most.is_none_or(|most| most < 2)
        };
        let calm = border.iter().copied().filter(calm).collect();
        vec![
            ("some next to numbers", some),
            ("all next to numbers", border),
            ("next to ones alone", calm),
            ("by one number at a time", self.by_counting()),
        ]
    }

    /// Mirrors and rotates the field.
    fn twin(&self, rng: &mut Rng) -> Self {
        let (symmetry, size) = (*rng.pick(&Symmetry::ALL), self.size());
        let turned = |squares: &[usize]| {
            let mut turned: Vec<usize> = squares.iter().map(|square| symmetry.image(*square, size)).collect();
            turned.sort_unstable();
            turned
        };
        Self { squares: self.squares.turned(symmetry), mines: turned(&self.mines), safe: turned(&self.safe) }
    }

    /// The first of the field's eight symmetric images.
    fn fingerprint(&self) -> Vec<u8> {
        let images = Symmetry::ALL.map(|symmetry| self.squares.turned(symmetry).cells().to_vec());
        images.into_iter().min().expect("there are eight")
    }

    /// Squares examined to settle every one next to a number.
    fn effort(&self) -> Effort {
        let mut steps = Budget::new(SOLVE_STEPS);
        let _ = settled(self, &mut steps);
        Effort::new(steps.spent(), 2_000)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(Box::new(reasons::Deducing::new(self)))
    }

    fn moves(&self) -> Option<Box<dyn Play>> {
        Some(Marking::play(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The row 1 2 1 below three hidden squares and with none above: both ends are mines, so the middle is
    /// free. Players call this pattern 1-2-1.
    fn one_two_one() -> Field {
        let squares = Grid::new(3, vec![9, 9, 9, 1, 2, 1, 0, 0, 0]);
        Field { squares, mines: vec![0, 2], safe: vec![1] }
    }

    #[test]
    fn the_pattern_of_one_two_one_is_settled() {
        let field = one_two_one();
        field.check().unwrap();
        assert_eq!(settled(&field, &mut Budget::new(999)).unwrap().mined(), [0, 2]);
        assert!(field.certify(&mut Budget::new(999)).is_ok());
        assert!(field.by_counting().is_empty());
        let lax = Field { safe: vec![0, 1], ..field };
        let refused = lax.certify(&mut Budget::new(999)).unwrap_err();
        assert_eq!(refused, "`safe` must name the squares that are certainly free, 1, and no other");
        let wrong = Field { mines: vec![1], ..one_two_one() };
        assert!(wrong.check().unwrap_err().starts_with("`squares` has 2 at row 2, column 2, but 1 mines"));
    }

    #[test]
    fn exactly_the_certain_squares_pass() {
        let field = one_two_one();
        let judge = |answer: &str| kit::testing::verdict(&field, answer);
        assert!(judge("r1c2").passed);
        for (wrong, detail) in [
            ("r1c2, r1c1", "r1c1 may contain a mine"),
            ("r1c3", "r1c3 may contain a mine"),
            ("r1c2, r2c2", "r2c2 is not hidden"),
            ("r1c2, r1c2", "r1c2 is listed twice"),
        ] {
            assert_eq!(judge(wrong).detail, detail);
        }
        assert_eq!(judge("r1c2, r1c1").parts, [("certain", 0.5), ("found", 1.0)]);
    }
}
