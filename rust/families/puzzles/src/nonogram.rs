//! Find the picture whose rows and columns have the given runs of filled squares.

use kit::shared::csp::{Contradiction, Csp, Domains, Rule, Step, Why, range};
use kit::shared::grid::{Grid, Place, Symmetry};
use kit::task::form::grid::OUT_OF_RANGE;
use kit::task::prelude::*;
use kit::task::reasons::{Claims, Reasons};

pub struct Nonogram;

params! {
    pub struct NonogramParams {
        /// Rows and columns of the picture.
        size: u32 [3..=16],
        /// Filled squares, roughly, in percent.
        filled_percent: u32 [40..=70],
    }
    levels {
        (4, 50),
        (5, 50),
        (6, 50),
        (7, 50),
        (8, 52),
        (10, 54),
        (12, 56),
        (15, 58),
    }
    default 3
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Runs {
    /// The lengths of the runs in each row, from the left; then in each column, from the top.
    rows: Vec<Vec<u8>>,
    columns: Vec<Vec<u8>>,
    /// The picture, 1 for a filled square; a claim that `certify` proves to be the only one.
    picture: Grid<u8>,
}

/// Steps to prove one draw unique; those that take more are drawn again.
const SOLVE_STEPS: u64 = 200_000;

impl TaskFamily for Nonogram {
    type Params = NonogramParams;
    type Problem = Runs;

    const ABOUT: About = About {
        summary: "Find the picture whose rows and columns have the given runs of filled squares.",
        distinct_from: 1,
        judged_by: JudgedBy::Constraints,
        failures: &[
            ("row_broken", "the runs in a row do not match its clue"),
            ("column_broken", "the runs in a column do not match its clue"),
            OUT_OF_RANGE,
        ],
        parts: &[Part::new("lines_kept", "share of the rows and columns that match their clues")],
        skills: &["constraint_propagation", "spatial_reading", "deduction"],
        guess_rate: 0.085,
        guess_score: 0.085,
        ..About::new("puzzles", "nonogram", &["First version."])
    };

    /// Draws a random picture; while another one has the same runs, fills a square in which the two differ.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Runs> {
        let size = params.size as usize;
        'draw: loop {
            let cell = |rng: &mut Rng| u8::from(rng.chance(params.filled_percent.into(), 100));
            let mut picture = Grid::new(size, (0..size * size).map(|_| cell(rng)).collect());
            for _ in 0..size {
                let puzzle = Runs::of(picture.clone());
                let mut steps = Budget::new(SOLVE_STEPS);
                let csp = puzzle.csp();
                let found = csp.solutions(&csp.domains(), 2, &mut steps);
                budget.spend(SOLVE_STEPS - steps.left() + 1_000)?;
                let Ok(found) = found else { continue 'draw };
                let Some(other) = found.iter().find(|other| *other != picture.cells()) else {
                    if puzzle.check().is_ok() {
                        return Ok(puzzle);
                    }
                    continue 'draw;
                };
                let open = (0..size * size).filter(|cell| other[*cell] > picture[*cell]);
                let open: Vec<usize> = open.collect();
                if open.is_empty() {
                    continue 'draw;
                }
                picture[*rng.pick(&open)] = 1;
            }
        }
    }
}

/// Lengths of the runs of filled squares.
fn runs(cells: impl IntoIterator<Item = u8>) -> Vec<u8> {
    let mut runs = vec![0];
    for cell in cells {
        match (cell, runs.last_mut()) {
            (1, Some(run)) => *run += 1,
            (_, Some(0)) => {}
            _ => runs.push(0),
        }
    }
    runs.retain(|run| *run > 0);
    runs
}

/// The constraint that the squares of a line have these runs.
struct Line {
    cells: Vec<usize>,
    runs: Vec<u8>,
}

impl Line {
    /// A table of whether each run and all later ones fit into the line from each square on; `None` if the
    /// line has no arrangement.
    fn earliest(&self, may: &[u64]) -> Option<Vec<Vec<bool>>> {
        let (count, length) = (self.runs.len(), may.len());
        // fits[run][at]: the runs from this one on fit into the squares from `at` on.
        let mut fits = vec![vec![false; length + 2]; count + 1];
        for at in (0..=length).rev() {
            fits[count][at] = may[at..].iter().all(|may| may & 1 > 0);
        }
        fits[count][length + 1] = true;
        for run in (0..count).rev() {
            for at in (0..length).rev() {
                let end = at + usize::from(self.runs[run]);
                let here = end <= length
                    && may[at..end].iter().all(|may| may & 2 > 0)
                    && may.get(end).is_none_or(|may| may & 1 > 0)
                    && fits[run + 1][end + 1];
                fits[run][at] = here || may[at] & 1 > 0 && fits[run][at + 1];
            }
        }
        fits[0][0].then_some(fits)
    }
}

impl Rule for Line {
    fn scope(&self) -> &[usize] {
        &self.cells
    }

    /// Removes every value that no arrangement of the runs has.
    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let may: Vec<u64> = self.cells.iter().map(|cell| domains.of(*cell)).collect();
        let fits = self.earliest(&may).ok_or(Contradiction)?;
        let (count, length) = (self.runs.len(), may.len());
        let mut seen = vec![0u64; length];
        // reached[run][at]: the runs before this one fit into the squares before `at`.
        let mut reached = vec![vec![false; length + 2]; count + 1];
        reached[0][0] = true;
        for run in 0..=count {
            for at in 0..length {
                if !reached[run][at] {
                    continue;
                }
                if may[at] & 1 > 0 && fits[run][at + 1] {
                    seen[at] |= 1;
                    reached[run][at + 1] = true;
                }
                let Some(long) = self.runs.get(run) else { continue };
                let end = at + usize::from(*long);
                let here = end <= length
                    && may[at..end].iter().all(|may| may & 2 > 0)
                    && may.get(end).is_none_or(|may| may & 1 > 0)
                    && fits[run + 1][end + 1];
                if here {
                    seen[at..end].iter_mut().for_each(|seen| *seen |= 2);
                    if let Some(gap) = seen.get_mut(end) {
                        *gap |= 1;
                    }
                    reached[run + 1][end + 1] = true;
                }
            }
        }
        self.cells.iter().zip(seen).try_for_each(|(cell, seen)| domains.keep(*cell, seen))
    }

    fn cost(&self) -> u64 {
        (self.cells.len() * (1 + self.runs.len())) as u64
    }
}

impl Runs {
    fn of(picture: Grid<u8>) -> Self {
        let lines = picture.lines();
        let of = |line: &Vec<usize>| runs(line.iter().map(|cell| picture[*cell]));
        let (rows, columns) = lines.split_at(picture.rows());
        let (rows, columns) = (rows.iter().map(of).collect(), columns.iter().map(of).collect());
        Self { rows, columns, picture }
    }

    fn size(&self) -> usize {
        self.rows.len()
    }

    fn csp(&self) -> Csp {
        let mut csp = Csp::new(self.size() * self.size(), range(0, 1));
        let given = self.rows.iter().chain(&self.columns);
        for (cells, runs) in self.picture.lines().into_iter().zip(given) {
            csp.require(Line { cells, runs: runs.clone() });
        }
        csp
    }

    /// Name of a line, rows first: "row 3".
    fn line(&self, line: usize) -> String {
        if line < self.size() {
            format!("row {}", line + 1)
        } else {
            format!("column {}", line - self.size() + 1)
        }
    }

    fn why(&self, step: &Step) -> String {
        match step.why {
            Why::OnlyValue(line) | Why::OnlyPlace(line) => {
                format!("the clue for {} leaves no other choice", self.line(line))
            }
            Why::Tried(_) => "the opposite leads to a contradiction".to_owned(),
        }
    }

    fn judge(&self, picture: &Grid<u8>) -> Judged {
        let given = self.rows.iter().chain(&self.columns);
        let lines = picture.lines().into_iter().zip(given).enumerate();
        let broken = lines.filter_map(|(at, (line, given))| {
            let has = runs(line.iter().map(|cell| picture[*cell]));
            (has != *given).then_some((at, has, given))
        });
        let broken: Vec<_> = broken.collect();
        let Some((at, has, given)) = broken.first() else { return Ok(()) };
        let detail = format!("the runs in {} are {}, not {}", self.line(*at), told(has), told(given));
        let mut failure = Failure::new(label::CONSTRAINT_VIOLATED, detail);
        for (at, ..) in &broken {
            failure = failure.also(if *at < self.size() { "row_broken" } else { "column_broken" });
        }
        let lines = 2 * self.size();
        Err(failure.part("lines_kept", (lines - broken.len()) as f32 / lines as f32))
    }

    /// The remark if some line has no filled square, otherwise nothing.
    fn if_none<'a>(&self, remark: &'a str) -> &'a str {
        let bare = self.rows.iter().chain(&self.columns).any(Vec::is_empty);
        if bare { remark } else { "" }
    }

    fn listed(noun: &str, lines: &[Vec<u8>]) -> String {
        let line = |(at, runs): (usize, &Vec<u8>)| format!("{noun} {}: {}", at + 1, told(runs));
        lines.iter().enumerate().map(line).lines()
    }
}

fn told(runs: &[u8]) -> String {
    if runs.is_empty() {
        return "none".to_owned();
    }
    runs.iter().map(u8::to_string).joined(" ")
}

fn claim(cell: Place, value: u8) -> String {
    format!("{} is {}", cell.short(), if value == 1 { "filled" } else { "empty" })
}

impl Problem for Runs {
    type Answer = Grid<u8>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("nonogram", |puzzle| {
            let size = puzzle.size();
            format!(
                "Solve this nonogram. Each square of {} {size} by {size} grid is either filled or empty. The clue for a row gives \
                 the lengths of its runs of consecutive filled squares, from left to right. The clue for a column gives the \
                 lengths of its runs from top to bottom. Two runs in the same row or column are separated by at least one empty \
                 square.{}\n\n{}\n\n{}\n\nThere is exactly one solution. Write 1 for a filled square and 0 for an empty one.",
                words::article(size),
                puzzle.if_none(" The clue \"none\" means that there are no filled squares."),
                Self::listed("row", &puzzle.rows),
                Self::listed("column", &puzzle.columns)
            )
        }),
        Template::plain("lists", |puzzle| {
            let all = |lines: &[Vec<u8>]| lines.iter().map(|runs| format!("({})", told(runs))).joined(" ");
            let size = puzzle.size();
            format!(
                "Find the {size} by {size} matrix of zeros and ones with the following run lengths. A run is a maximal block of \
                 adjacent ones in a row or in a column. For each row, from first to last, the parentheses contain the lengths \
                 of its runs from left to right{}:\n\n{}\n\nFor each column, from first to last, they contain the lengths of \
                 its runs from top to bottom:\n\n{}\n\nThe matrix is uniquely determined.",
                puzzle.if_none(", or \"none\" if it has no ones"),
                all(&puzzle.rows),
                all(&puzzle.columns)
            )
        }),
        Template::plain("spec", |puzzle| {
            let all = |lines: &[Vec<u8>]| lines.iter().map(|runs| told(runs)).joined("; ");
            let size = puzzle.size();
            format!(
                "Nonogram, {size} x {size}, unique solution\nRows (top to bottom): {}\nColumns (left to right): {}\nClue: lengths \
                 of the runs of 1s in the line, in order (rows from the left, columns from the top){}\nBetween two runs: one 0 \
                 or more\nCell values: 1 = filled, 0 = empty\n",
                all(&puzzle.rows),
                all(&puzzle.columns),
                puzzle.if_none("; none = no 1s")
            )
        }),
        Template::held_out_plain("field", |puzzle| {
            let size = puzzle.size();
            format!(
                "A farmer planted some of the {size} by {size} plots of a field and left the others bare. Later she walked along \
                 each row from west to east, and along each column from north to south, and noted how many planted plots came \
                 one after another before a bare plot or the edge of the field.{} The rows are numbered from the north, the \
                 columns from the west. These are her notes, in the order in which she made them:\n\n{}\n\n{}\n\nOnly one plan \
                 of the field agrees with the notes. Draw it with north at the top, using 1 for a planted plot and 0 for a bare \
                 one.",
                puzzle.if_none(" She wrote \"none\" where nothing was planted."),
                Self::listed("row", &puzzle.rows),
                Self::listed("column", &puzzle.columns)
            )
        }),
        Template::held_out_plain("message", |puzzle| {
            let all = |lines: &[Vec<u8>]| {
                let line = |runs: &Vec<u8>| format!("[{}]", runs.iter().map(u8::to_string).listed());
                lines.iter().map(line).listed()
            };
            let size = puzzle.size();
            format!(
                "I lost {} {size} x {size} icon, one bit per pixel, but I still have its run lengths:\n\nrows = [{}]\ncolumns = \
                 [{}]\n\nEach inner list has the lengths of the stretches of consecutive pixels that are 1 in that row (left to right) or \
                 column (top to bottom), with at least one pixel that is 0 between two stretches{}. The first row is the top one and the \
                 first column is the leftmost. I checked that only one icon matches. Can you rebuild it?",
                words::article(size),
                all(&puzzle.rows),
                all(&puzzle.columns),
                puzzle.if_none("; an empty list means that all pixels are 0")
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        let size = self.size();
        check::length("rows", &self.rows, 3..=16, "rows")?;
        check::length("columns", &self.columns, size..=size, "columns")?;
        let mut lines = self.rows.iter().chain(&self.columns);
        check::that(lines.all(|runs| runs.len() <= size.div_ceil(2)), || {
            format!("a line of {size} squares has at most {} runs", size.div_ceil(2))
        })?;
        check::that(self.picture.rows() == size && self.picture.columns() == size, || {
            format!("`picture` must have {size} rows and columns")
        })?;
        check::each("picture", self.picture.cells(), |cell| *cell <= 1, "cells are 0 or 1")?;
        check::that(self.picture.cells().contains(&1), || "`picture` is empty".to_owned())?;
        self.judge(&self.picture).map(drop).map_err(|verdict| format!("`picture` fails: {}", verdict.detail))
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let csp = self.csp();
        let found = csp.solutions(&csp.domains(), 2, budget).map_err(|over| over.to_string())?;
        check::that(found.len() == 1, || "`rows` and `columns` also fit another picture".to_owned())?;
        Ok(Certificate::unique("one picture has these runs"))
    }

    /// Changes a square.
    fn edited(&self, _: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut picture = self.picture.clone();
        for _ in 0..=rng.below(2) {
            let cell = rng.index(picture.cells().len());
            picture[cell] = 1 - picture[cell];
        }
        let mutated = Runs::of(picture);
        Some(if mutated.check().is_ok() { mutated } else { self.clone() })
    }

    fn form(&self) -> impl Form<Read = Grid<u8>> {
        let size = self.size();
        form::Grid { what: "the picture", rows: size, columns: size, low: 0, high: 1, empty: None }
    }

    fn solution(&self) -> Solution {
        let csp = self.csp();
        let path = csp.solve_path(&csp.domains(), self.picture.cells());
        let step = |step: &Step| {
            let cell = self.picture.place(step.variable);
            format!("{}: {}", claim(cell, step.value), self.why(step))
        };
        Solution::new(path.steps.iter().map(step), self.form().write(&self.picture))
    }

    fn hints(&self) -> Vec<String> {
        let csp = self.csp();
        let path = csp.solve_path(&csp.domains(), self.picture.cells());
        let hint = |step: &Step| match step.why {
            Why::OnlyValue(line) | Why::OnlyPlace(line) => {
                format!("Look at {}: its clue leaves only one choice for some squares.", self.line(line))
            }
            Why::Tried(_) => {
                let cell = self.picture.place(step.variable).short();
                format!("Look at {cell}: one of its two cases leads to a contradiction.")
            }
        };
        path.steps.iter().map(hint).collect()
    }

    /// No partial credit for a picture that breaks a line: most lines are easy to satisfy.
    fn verify(&self, answer: Grid<u8>, _: &mut Budget) -> Judged {
        self.judge(&answer)
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Grid<u8>> {
        let cells = self.picture.cells().len();
        let (mut flipped, mut exchanged) = (self.picture.clone(), self.picture.clone());
        for cell in faults.draw(cells, rng) {
            flipped[cell] = 1 - flipped[cell];
            let other = rng.index(cells);
            (exchanged[cell], exchanged[other]) = (exchanged[other], exchanged[cell]);
        }
        let shifted: Vec<u8> = self.picture.cells().iter().cycle().skip(1).take(cells).copied().collect();
        let mut wrong = vec![flipped, exchanged, Grid::new(self.size(), shifted)];
        // No other picture is right.
        wrong.retain(|picture| *picture != self.picture);
        wrong
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let size = self.size();
        let rows = |at: &mut dyn FnMut(usize) -> usize| {
            let row = |runs: &Vec<u8>| {
                let mut row = vec![0; size];
                let filled: usize = runs.iter().map(|run| usize::from(*run)).sum();
                let mut from = at((size + 1).saturating_sub(filled + runs.len()) + 1);
                for run in runs {
                    for cell in row.iter_mut().skip(from).take((*run).into()) {
                        *cell = 1;
                    }
                    from += usize::from(*run) + 1;
                }
                row
            };
            Grid::new(size, self.rows.iter().flat_map(row).collect())
        };
        vec![("rows at the left", rows(&mut |_| 0)), ("rows anywhere", rows(&mut |room| rng.index(room)))]
    }

    /// Mirrors and rotates the picture.
    fn twin(&self, rng: &mut Rng) -> Self {
        Self::of(self.picture.turned(*rng.pick(&Symmetry::ALL)))
    }

    /// The first of the picture's eight symmetric images.
    fn fingerprint(&self) -> Vec<u8> {
        let images = Symmetry::ALL.map(|symmetry| self.picture.turned(symmetry).cells().to_vec());
        images.into_iter().min().expect("there are eight")
    }

    /// Squares examined line by line, and by trials where the lines alone are not enough.
    fn effort(&self) -> Effort {
        let csp = self.csp();
        let mut steps = Budget::new(SOLVE_STEPS);
        let _ = csp.solutions(&csp.domains(), 1, &mut steps);
        Effort::new(SOLVE_STEPS - steps.left(), 3_000)
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        let cells = self.picture.cells();
        let claims = (0..cells.len())
            .flat_map(|cell| [0, 1].map(|value| (cell, value, claim(self.picture.place(cell), value))));
        let csp = self.csp();
        let open = csp.domains();
        let reasons = Reasons::new(csp, open, cells, |step| self.why(step));
        Some(Box::new(Claims::new(claims, cells, reasons)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring() -> Runs {
        Runs::of(Grid::new(3, vec![1, 1, 1, 1, 0, 1, 1, 1, 1]))
    }

    #[test]
    fn runs_are_told_and_lines_narrowed() {
        assert_eq!(runs([1, 1, 0, 1, 0, 0, 1]), [2, 1, 1]);
        assert!(runs([0, 0]).is_empty());
        let csp = |line: Line| {
            let mut csp = Csp::new(5, range(0, 1));
            csp.require(line);
            csp
        };
        // A run of three in five squares fills the middle one; there are three arrangements.
        let csp = csp(Line { cells: (0..5).collect(), runs: vec![3] });
        let mut domains = csp.domains();
        assert_eq!(csp.narrow(&mut domains, &mut Budget::new(999)), Ok(true));
        assert_eq!(
            (0..5).map(|cell| domains.value(cell)).collect::<Vec<_>>(),
            [None, None, Some(1), None, None]
        );
        assert_eq!(csp.solutions(&csp.domains(), 9, &mut Budget::new(999)).unwrap().len(), 3);
    }

    #[test]
    fn a_picture_that_is_not_the_only_one_is_refused() {
        assert!(ring().certify(&mut Budget::new(9_999)).is_ok());
        let diagonal = Runs::of(Grid::new(3, vec![1, 0, 0, 0, 1, 0, 0, 0, 1]));
        let refused = diagonal.certify(&mut Budget::new(9_999)).unwrap_err();
        assert_eq!(refused, "`rows` and `columns` also fit another picture");
        let mut false_claim = ring();
        false_claim.picture[4] = 1;
        let refused = false_claim.check().unwrap_err();
        assert_eq!(refused, "`picture` fails: the runs in row 2 are 3, not 1 1");
    }

    #[test]
    fn a_verdict_names_the_line() {
        let judge = |answer: &str| kit::testing::verdict(&ring(), answer);
        assert!(judge("1 1 1\n1 0 1\n1 1 1").passed);
        let verdict = judge("1 1 1\n1 0 1\n1 1 0");
        assert_eq!(verdict.failures, ["constraint_violated", "row_broken", "column_broken"]);
        assert_eq!(verdict.detail, "the runs in row 3 are 2, not 3");
        assert_eq!(verdict.parts, [("lines_kept", 4.0 / 6.0)]);
    }
}
