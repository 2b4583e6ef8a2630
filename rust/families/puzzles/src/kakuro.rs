//! Fill runs of cells with distinct digits that have given sums: kakuro.

use kit::picture::{CELL, Ink, Picture};
use kit::prelude::*;
use kit::shape::rules::{Cells, Clued, Squares, Wanted};
use kit::shared::csp::{AllDifferent, Csp, range};
use kit::shared::grid::Grid;
use kit::task::problem::{Upright, rectangle};

use runs::{BLACK, Run, digit, runs};

mod runs;

pub struct Kakuro;

params! {
    pub struct KakuroParams {
        /// Rows of the grid.
        rows: u32 [3..=10],
        /// Columns of the grid.
        columns: u32 [3..=10],
        /// Black cells to begin with, in percent of the cells. More are added where a run would have a single cell or
        /// too many.
        black_percent: u32 [0..=40],
        /// Most cells of a run.
        longest: u32 [3..=9],
        /// Given digits, in percent of the cells. A puzzle has more where one solution takes more.
        givens_percent: u32 [0..=80],
        /// True if a digit must be tried and contradicted at some point, because the sums alone lead no further.
        trials: bool,
    }
    levels {
        (3, 3, 10, 3, 45, false),
        (3, 4, 12, 4, 25, false),
        (4, 4, 15, 4, 15, false),
        (5, 5, 20, 5, 0, false),
        (6, 6, 20, 5, 0, false),
        (8, 8, 22, 6, 0, false),
        (5, 6, 15, 6, 0, true),
        (7, 7, 20, 7, 0, true),
        (8, 8, 20, 8, 0, true),
    }
    default 2
}

problem! {
    pub struct Runs {
        /// 1 for a black cell, 2 to 10 for a given digit from 1 to 9, and 0 for an empty cell.
        givens: Upright [rectangle(3..=10, 3..=10, 0..=10)],
        /// The sums of the runs in rows, in reading order.
        across: Vec<u32> [items(1..=40, "sums", 3..=45)],
        /// The sums of the runs in columns, column by column, from top to bottom.
        down: Vec<u32> [items(1..=40, "sums", 3..=45)],
        /// The one grid that keeps the givens and the sums.
        solution: Upright [claim, rectangle(3..=10, 3..=10, 1..=10)],
    }
}

impl TaskFamily for Kakuro {
    type Params = KakuroParams;
    type Problem = Cells<Runs>;

    const ABOUT: About = About {
        summary: "Fill runs of cells in rows and columns with distinct digits that add up to given sums.",
        skills: &["arithmetic", "constraint_propagation", "case_analysis", "spatial_reading"],
        guess_rate: 0.008,
        guess_score: 0.025,
        ..Cells::<Runs>::about("puzzles", "kakuro", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Cells<Runs>> {
        let &KakuroParams { rows, columns, givens_percent, trials, .. } = params;
        let wanted =
            Wanted { rows: rows as usize, columns: columns as usize, most: 10, givens_percent, trials };
        Cells::dig(&wanted, rng, budget, |rng, budget| {
            let board = draw_board(params, rng, budget)?;
            let mut digits = Csp::new(board.cells().len(), range(BLACK + 1, 10));
            runs(&board).into_iter().flatten().for_each(|run| digits.require(AllDifferent(run)));
            let solution = digits.random_solution(&digits.domains(), rng, budget)?;
            let mut solution = Grid::new(board.columns(), solution.expect("no run has more than nine cells"));
            let black = (0..board.cells().len()).filter(|cell| board[*cell] == BLACK);
            black.for_each(|cell| solution[cell] = BLACK);
            Ok(Runs::of(board, solution))
        })
    }
}

/// A board of black and empty cells, more than half of them empty.
fn draw_board(params: &KakuroParams, rng: &mut Rng, budget: &mut Budget) -> Drawn<Grid<u8>> {
    let &KakuroParams { rows, columns, black_percent, longest, .. } = params;
    loop {
        budget.spend(u64::from(rows * columns))?;
        let cells = (0..rows * columns).map(|_| u8::from(rng.chance(black_percent.into(), 100)));
        let mut board = Grid::new(columns as usize, cells.collect());
        // Blackens a cell of each run that is too short or too long, until there is none.
        let unfit = |run: &Vec<usize>| run.len() < 2 || run.len() > longest as usize;
        while let Some(run) = runs(&board).into_iter().flatten().find(unfit) {
            board[*rng.pick(&run)] = BLACK;
        }
        let white = (0..board.cells().len()).filter(|cell| board[*cell] == 0).count();
        if 2 * white > board.cells().len() {
            return Ok(board);
        }
    }
}

impl Runs {
    /// The problem of a board with a solution.
    fn of(givens: Grid<u8>, solution: Grid<u8>) -> Self {
        let sum = |run: Vec<usize>| run.iter().map(|cell| digit(solution[*cell])).sum();
        let [across, down] = runs(&givens).map(|runs| runs.into_iter().map(sum).collect());
        Self { givens: Upright(givens), across, down, solution: Upright(solution) }
    }

    /// The place of each run, with its sum.
    fn listed(&self) -> [Vec<(String, u32)>; 2] {
        let mut places: Vec<(String, u32)> = self.clues().map(|run| (run.words(), run.sum)).collect();
        let down = places.split_off(self.across.len().min(places.len()));
        [places, down]
    }
}

type Symmetry<'a> = &'a dyn Fn(&Grid<u8>) -> Grid<u8>;

impl Clued for Runs {
    type Clue = Run;

    const HALF: u64 = 40;
    const GIVEN: &'static str = "`givens`, `across` and `down`";
    const CLUE_PLANES: usize = 2;
    const KEPT: Part = Part::new("runs_kept", "share of the runs that hold distinct digits with their sum");
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "solve",
            "Solve this kakuro puzzle. The grid has {rows#row} and {columns#column}; rows are numbered from the top and columns \
             from the left, starting at 1. A 0 marks a black cell, which stays 0. Every other cell is white: write a digit \
             from 1 to 9 in each white cell that is shown as \"{blank}\". Digits that are already there must stay.\n\n{grid}\n\n\
             The white cells form runs. In each run all digits are different, and they add up to the sum of the run. The same \
             digit may occur again in another run of the same row or column. These are the runs and their sums:\n\n\
             {across:- {place}: {sum}}\n{down:- {place}: {sum}}\n",
        ),
        Prompt::new(
            "tips",
            "I'm stuck on a kakuro. Here is my grid, with 0 for the black squares, which nobody writes in, and \"{blank}\" for \
             the squares I haven't filled in yet:\n\n{grid}\n\nEach group of squares below needs different digits from 1 to \
             9 that add up to its total (rows count from the top, columns from the left, both from 1).\n\nAcross:\n\
             {across:{Place}: total {sum}}\n\nDown:\n{down:{Place}: total {sum}}\n\nCan you finish it for me? Leave the digits \
             that are already there, and keep the 0s.",
        ),
        Prompt::new(
            "program",
            "A matrix m has {rows#row} and {columns#column}, indexed from 1. Its entries are digits from 0 to 9; it is known which \
             ones are 0, and \"{blank}\" marks a digit from 1 to 9 that was lost:\n\n{grid}\n\nFor each of the following \
             groups of adjacent entries it is known that its digits are pairwise different and what they add up to:\n\n\
             {across:{place}, sum {sum}}\n{down:{place}, sum {sum}}\n\nRestore the matrix. Only one fits.",
        ),
        Prompt::held_out(
            "boxes",
            "A warehouse floor is divided into {rows#row} and {columns#column} of squares, both counted from 1, starting at the \
             top left. A 0 is a pillar. On every other square stands a stack of 1 to 9 boxes; \"{blank}\" means that nobody has \
             counted that stack:\n\n{grid}\n\nIn each stretch of squares listed here no two stacks are equally high, and the \
             number of boxes in the whole stretch is known:\n\n\
             {across:{Place}: {sum} boxes}\n{down:{Place}: {sum} boxes}\n\nHow high is each stack? Write 0 for the pillars.",
        ),
        Prompt::held_out(
            "specification",
            "Input: a grid with {rows#row} and {columns#column}, in which 0 is a blocked cell and \"{blank}\" is an unknown digit \
             from 1 to 9.\n\n{grid}\n\nConstraints (indices are 1-based and inclusive):\n\n\
             {across:sum of {place} = {sum}}\n{down:sum of {place} = {sum}}\n\n\
             Output: the grid with every unknown digit filled in.\n\
             Rules: known digits and blocked cells keep their values; the cells of each constraint hold pairwise distinct digits \
             from 1 to 9 with that sum. Cells that share no constraint may be equal.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.text("rows", self.givens.rows()).text("columns", self.givens.columns());
        for (name, runs) in ["across", "down"].into_iter().zip(self.listed()) {
            slots.lines(name, runs, |slots, (place, sum)| {
                slots.text("place", place).text("sum", sum);
            });
        }
    }

    fn squares(&self) -> Squares<'_> {
        Squares { givens: &self.givens, solution: &self.solution, most: 10, least: 0 }
    }

    fn squares_mut(&mut self) -> [&mut Grid<u8>; 2] {
        [&mut self.givens.0, &mut self.solution.0]
    }

    fn clues(&self) -> impl Iterator<Item = Run> {
        let columns = self.givens.columns();
        let [across, down] = runs(&self.givens);
        let across: Vec<_> = across.into_iter().zip(self.across.iter().copied()).collect();
        let down = down.into_iter().zip(self.down.iter().copied());
        across.into_iter().chain(down).map(move |(cells, sum)| Run { columns, cells, sum })
    }

    fn fixed(&self) -> Vec<usize> {
        (0..self.givens.cells().len()).filter(|cell| self.givens[*cell] == BLACK).collect()
    }

    /// The board may be turned and reflected, and each digit exchanged with what it lacks of 10.
    fn images(&self) -> Vec<Self> {
        let reflected = |grid: &Grid<u8>| {
            let rows: Vec<&[u8]> = grid.cells().chunks(grid.columns()).rev().collect();
            Grid::new(grid.columns(), rows.concat())
        };
        let turned =
            |grid: &Grid<u8>| Grid::new(grid.columns(), grid.cells().iter().rev().copied().collect());
        let exchanged =
            |grid: &Grid<u8>| grid.map(|number| if *number > BLACK { 12 - number } else { *number });
        let mut images = vec![[self.givens.0.clone(), self.solution.0.clone()]];
        for symmetry in [&Grid::transposed, &reflected, &turned, &exchanged] as [Symmetry<'_>; 4] {
            let more: Vec<_> =
                images.iter().map(|grids| [symmetry(&grids[0]), symmetry(&grids[1])]).collect();
            images.extend(more);
        }
        images.into_iter().map(|[givens, solution]| Self::of(givens, solution)).collect()
    }

    fn drawn(&self, grid: &Grid<u8>, blank: &str) -> String {
        let word = |number: &u8| if *number == 0 { blank.to_owned() } else { digit(*number).to_string() };
        let rows = grid.cells().chunks(grid.columns());
        let rows = rows.map(|row| row.iter().map(word).collect::<Vec<_>>().join(" "));
        let sums = self.listed().into_iter().flatten().map(|(place, sum)| format!("{place}: {sum}"));
        rows.chain([String::new()]).chain(sums).lines()
    }

    /// Draws each sum small in the first cell of its run.
    fn board(&self, picture: &mut Picture) {
        let columns = self.givens.columns();
        for cell in self.fixed() {
            picture.cell((cell / columns) as u32, (cell % columns) as u32, Ink::Black);
        }
        for Run { cells, sum, .. } in self.clues() {
            let (row, column) = ((cells[0] / columns) as u32, (cells[0] % columns) as u32);
            let (x, y) = if cells[1] == cells[0] + 1 { (1, 4) } else { (4, 1) };
            picture.title((column * CELL + x, row * CELL + y), 1, sum.to_string(), Ink::Red);
        }
    }

    /// Each cell's sum of its run in the row, and in the column.
    fn observe_clues(&self, planes: &mut [f32]) {
        for (at, run) in self.clues().enumerate() {
            let plane = if at < self.across.len() { 0 } else { self.givens.cells().len() };
            run.cells.iter().for_each(|cell| planes[plane + cell] = run.sum as f32 / 45.0);
        }
    }

    fn consistent(&self) -> Result<(), String> {
        let [across, down] = runs(&self.givens);
        for (name, runs, sums) in [("across", across, &self.across), ("down", down, &self.down)] {
            check::that(runs.iter().all(|run| run.len() > 1), || {
                "`givens` has a white cell without a white neighbor in its row or in its column".to_owned()
            })?;
            check::length(name, sums, runs.len()..=runs.len(), "sums")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing;

    const RUNS: &str = r#"{
        "givens": [[1, 0, 0], [0, 0, 0], [0, 5, 1]],
        "across": [4, 6, 13],
        "down": [10, 8, 5],
        "solution": [[1, 2, 4], [2, 4, 3], [10, 5, 1]]
    }"#;

    #[test]
    fn a_verdict_says_which_run_is_wrong() {
        let runs: Cells<Runs> = serde_json::from_str(RUNS).unwrap();
        runs.check().unwrap();
        testing::passes(&runs, "0 1 3\n1 3 2\n9 4 0");
        for (wrong, detail) in [
            ("0 3 1\n1 3 2\n9 4 0", "column 2, rows 1 to 3 has 3 twice"),
            ("0 1 3\n0 4 2\n9 4 0", "row 2, columns 1 to 3 has a 0, but is white"),
            ("0 1 3\n1 3 2\n8 4 0", "the sum of row 3, columns 1 to 2 is 12, but must be 13"),
        ] {
            testing::fails(&runs, wrong, "wrong_run", detail);
        }
        let message = testing::refused(&runs, |json| json["across"] = serde_json::json!([4, 6]));
        assert!(message.contains("`across`"), "{message}");
        let message = testing::refused(&runs, |json| json["givens"][0][2] = 1.into());
        assert!(message.starts_with("`givens` has 1 at row 1, column 3"), "{message}");
        assert_eq!(runs.images().len(), 16);
    }
}
