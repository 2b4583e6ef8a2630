//! Put the numbers from 1 on into a grid, each once, so that every row and column has its sum: Survo.

use kit::picture::Picture;
use kit::prelude::*;
use kit::shape::rules::{Cells, Clue, Clued, Squares, Wanted};
use kit::shared::csp::{AllDifferent, Contradiction, Domains, Rule as _};
use kit::shared::grid::{Grid, Place};
use kit::task::problem::{Upright, rectangle};

use crate::shared::line_sums::{
    LINE_PLANES, LineSum, Sums, draw_sums, observe_sums, picture_sums, sums_of, word_sums,
};

pub struct Survo;

params! {
    pub struct SurvoParams {
        /// Rows of the grid.
        rows: u32 [2..=6],
        /// Columns of the grid.
        columns: u32 [2..=6],
        /// Givens, in percent of the cells. A puzzle has more where one solution takes more.
        givens_percent: u32 [0..=90],
        /// True if a number must be tried and contradicted at some point, because the sums alone lead no further.
        trials: bool,
    }
    levels {
        (3, 3, 56, false),
        (3, 3, 34, false),
        (3, 4, 25, false),
        (3, 4, 20, true),
        (4, 4, 25, true),
        (4, 5, 30, true),
        (5, 5, 36, true),
        (5, 6, 40, true),
    }
    default 2
}

problem! {
    pub struct Table {
        /// The given numbers, 0 for an empty cell.
        givens: Upright [rectangle(2..=6, 2..=6, 0..=36)],
        /// The sum of each row.
        row_sums: Vec<u32> [items(givens.rows()..=givens.rows(), "sums", 3..=201)],
        /// The sum of each column.
        column_sums: Vec<u32> [items(givens.columns()..=givens.columns(), "sums", 3..=201)],
        /// The one grid that keeps the givens and the sums.
        solution: Upright [claim, rectangle(2..=6, 2..=6, 1..=36)],
    }
}

impl TaskFamily for Survo {
    type Params = SurvoParams;
    type Problem = Cells<Table>;

    const ABOUT: About = About {
        summary: "Put the numbers from 1 on into a grid, each once, so that every row and column has its sum.",
        skills: &["arithmetic", "constraint_propagation", "case_analysis"],
        guess_rate: 0.045,
        guess_score: 0.13,
        ..Cells::<Table>::about("puzzles", "survo", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Cells<Table>> {
        let &SurvoParams { rows, columns, givens_percent, trials } = params;
        let (rows, columns) = (rows as usize, columns as usize);
        let most = (rows * columns) as u8;
        let wanted = Wanted { rows, columns, most, givens_percent, trials };
        let mut numbers: Vec<u8> = (1..=most).collect();
        Cells::dig(&wanted, rng, budget, |rng, budget| {
            budget.spend(1)?;
            rng.shuffle(&mut numbers);
            let solution = Grid::new(columns, numbers.clone());
            let [row_sums, column_sums] = sums_of(&solution, addend);
            Ok(Table {
                givens: Upright(solution.map(|_| 0)),
                row_sums,
                column_sums,
                solution: Upright(solution),
            })
        })
    }
}

/// Addend of a number, wherever it is in its line.
fn addend(_: usize, number: u8) -> u32 {
    number.into()
}

/// A line has its sum, or no two numbers of the grid are the same.
pub struct Rule {
    sum: Option<LineSum>,
    different: AllDifferent,
}

impl Clue for Rule {
    const BROKEN: &'static [Label] =
        &[LineSum::BROKEN[0], ("number_twice", "a number occurs more than once in the grid")];

    fn label(&self) -> &'static str {
        Self::BROKEN[usize::from(self.sum.is_none())].0
    }

    fn scope(&self) -> &[usize] {
        self.sum.as_ref().map_or(&self.different.0, LineSum::scope)
    }

    fn holds(&self, numbers: &[u8]) -> bool {
        self.sum.as_ref().map_or_else(|| twice(numbers).is_none(), |sum| sum.holds(numbers))
    }

    fn name(&self) -> String {
        self.sum.as_ref().map_or("the grid as a whole".to_owned(), LineSum::name)
    }

    fn place(&self) -> String {
        self.sum.as_ref().map_or(self.name(), LineSum::place)
    }

    fn broken(&self, numbers: &[u8]) -> String {
        let repeats = || format!("the grid has {} more than once", twice(numbers).unwrap_or_default());
        self.sum.as_ref().map_or_else(repeats, |sum| sum.broken(numbers))
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        match &self.sum {
            Some(sum) => sum.narrow(domains),
            None => self.different.narrow(domains),
        }
    }
}

/// The first number that occurs before.
fn twice(numbers: &[u8]) -> Option<u8> {
    let mut at = 0..numbers.len();
    at.find(|at| numbers[..*at].contains(&numbers[*at])).map(|at| numbers[at])
}

impl Table {
    fn sums(&self) -> Sums<'_> {
        [&self.row_sums, &self.column_sums]
    }

    /// The numbers that the givens lack, in random order.
    fn lacking(&self, rng: &mut Rng) -> Vec<u8> {
        let all = 1..=self.givens.cells().len() as u8;
        let mut lacking: Vec<u8> = all.filter(|number| !self.givens.cells().contains(number)).collect();
        rng.shuffle(&mut lacking);
        lacking
    }

    /// The empty cells filled with the lacking numbers; with `sums`, each row with some of those left that make its sum,
    /// if there are such and a few draws find them.
    fn filled(&self, sums: bool, rng: &mut Rng) -> Grid<u8> {
        let (mut grid, mut lacking) = (self.givens.0.clone(), self.lacking(rng));
        for (row, sum) in self.givens.lines().iter().zip(&self.row_sums) {
            let empty: Vec<usize> = row.iter().copied().filter(|cell| self.givens[*cell] == 0).collect();
            let given: u32 = row.iter().map(|cell| u32::from(self.givens[*cell])).sum();
            for _ in 0..if sums { 100 } else { 0 } {
                let taken = lacking.iter().take(empty.len()).map(|number| u32::from(*number));
                if taken.sum::<u32>() + given == *sum {
                    break;
                }
                rng.shuffle(&mut lacking);
            }
            empty.iter().zip(lacking.drain(..empty.len())).for_each(|(cell, number)| grid[*cell] = number);
        }
        grid
    }

    /// The same with its rows and its columns in the order of their sums, then of their givens.
    fn arranged(&self) -> Self {
        let lines = self.givens.lines();
        let order = |first: usize, sums: &[u32]| {
            let mut order: Vec<usize> = (0..sums.len()).collect();
            order.sort_by_cached_key(|at| {
                let mut givens: Vec<u8> = lines[first + at].iter().map(|cell| self.givens[*cell]).collect();
                givens.sort_unstable();
                (sums[*at], givens)
            });
            order
        };
        let (rows, columns) = (order(0, &self.row_sums), order(self.givens.rows(), &self.column_sums));
        let grid = |grid: &Grid<u8>| {
            let cell = |place: Place| grid[rows[place.row] * columns.len() + columns[place.column]];
            Upright(Grid::from_fn(rows.len(), columns.len(), cell))
        };
        Self {
            givens: grid(&self.givens),
            row_sums: rows.iter().map(|row| self.row_sums[*row]).collect(),
            column_sums: columns.iter().map(|column| self.column_sums[*column]).collect(),
            solution: grid(&self.solution),
        }
    }
}

impl Clued for Table {
    type Clue = Rule;

    const HALF: u64 = 150;
    const GIVEN: &'static str = "`givens`, `row_sums` and `column_sums`";
    const CLUE_PLANES: usize = LINE_PLANES;
    const KEPT: Part = Part::new(
        "rules_kept",
        "share of the sums that are right and of the rule of one cell for each number",
    );
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "solve",
            "Solve this Survo puzzle. The grid has {rows#row} and {columns#column}. Fill in the empty cells, shown as \
             \"{blank}\", so that the whole grid contains each of the numbers from 1 to {most} exactly once and every row and \
             every column has the sum that is given for it. The numbers that are already there must stay.\n\n{grid}\n\n\
             {row_sums:Sum of row {line}: {sum}}\n{column_sums:Sum of column {line}: {sum}}\n",
        ),
        Prompt::new(
            "cards",
            "I dealt {most} cards, numbered from 1 to {most}, into {rows#row} and {columns#column} on a table and turned some \
             of them over. Here is what you can see, with \"{blank}\" for a card that lies face down:\n\n{grid}\n\n\
             The rows add up, from top to bottom, to {row_list}. The columns add up, from left to right, to {column_list}. \
             Face-down cards count, too. Which card is where?",
        ),
        Prompt::new(
            "program",
            "The list [1, 2, ..., {most}] was shuffled and reshaped into a matrix with {rows#row} and {columns#column}. A \
             program printed the sums of the rows, from the first to the last:\n\n{row_list}\n\nand the sums of the columns, \
             from the first to the last:\n\n{column_list}\n\nSome entries were lost, which the matrix shows as \
             \"{blank}\":\n\n{grid}\n\nRestore the matrix. There is only one that fits.",
        ),
        Prompt::held_out(
            "lockers",
            "A club has lockers in {rows#row} and {columns#column}. There are {most} keys, numbered from 1 to {most}, one for \
             each locker. For each row, top row first, the caretaker wrote down the sum of its key numbers: {row_list}. He did \
             the same for each column, leftmost column first: {column_list}. Then he lost some of the labels. These are still \
             there, and \"{blank}\" stands for a lost one:\n\n{grid}\n\nFind the key number of every locker.",
        ),
        Prompt::held_out(
            "specification",
            "Input: a matrix with {rows#row} and {columns#column}, in which \"{blank}\" is an unknown entry.\n\n{grid}\n\n\
             Row sums (top to bottom): {row_list}\nColumn sums (left to right): {column_list}\n\n\
             Output: the matrix with every unknown entry filled in.\n\
             Rules: known entries keep their values; each integer from 1 to {most} occurs exactly once in the matrix; every \
             row and every column has its sum.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.text("most", self.givens.cells().len());
        word_sums(slots, self.sums());
    }

    fn squares(&self) -> Squares<'_> {
        let most = self.givens.cells().len() as u8;
        Squares { givens: &self.givens, solution: &self.solution, most, least: 1 }
    }

    fn squares_mut(&mut self) -> [&mut Grid<u8>; 2] {
        [&mut self.givens.0, &mut self.solution.0]
    }

    fn clues(&self) -> impl Iterator<Item = Rule> {
        let sums = LineSum::all(&self.givens, self.sums(), addend).map(Some);
        let all = (0..self.givens.cells().len()).collect::<Vec<_>>();
        let different = move |sum: &Option<LineSum>| if sum.is_some() { Vec::new() } else { all.clone() };
        sums.chain([None]).map(move |sum| Rule { different: AllDifferent(different(&sum)), sum })
    }

    /// Rows may be exchanged with columns, and each number with what it lacks of one more than the largest. Rows may
    /// be exchanged with each other, too, and columns.
    fn images(&self) -> Vec<Self> {
        let turned = Self {
            givens: Upright(self.givens.transposed()),
            row_sums: self.column_sums.clone(),
            column_sums: self.row_sums.clone(),
            solution: Upright(self.solution.transposed()),
        };
        let above = self.givens.cells().len() as u8 + 1;
        let reversed = |table: &Self| {
            let number = |number: &u8| if *number == 0 { 0 } else { above - number };
            let lacking = |sums: &[u32], cells: usize| {
                sums.iter().map(|sum| u32::from(above) * cells as u32 - sum).collect()
            };
            Self {
                givens: Upright(table.givens.map(number)),
                row_sums: lacking(&table.row_sums, table.givens.columns()),
                column_sums: lacking(&table.column_sums, table.givens.rows()),
                solution: Upright(table.solution.map(number)),
            }
        };
        [reversed(self), reversed(&turned), turned, self.clone()].iter().map(Self::arranged).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        vec![("the lacking numbers in random order", self.filled(false, rng))]
    }

    fn shortcuts(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        vec![("row by row numbers that make the sum", self.filled(true, rng))]
    }

    fn drawn(&self, grid: &Grid<u8>, blank: &str) -> String {
        let word = |number: &u8| if *number == 0 { blank.to_owned() } else { number.to_string() };
        draw_sums(grid.map(word).cells(), self.sums())
    }

    fn board(&self, picture: &mut Picture) {
        picture_sums(picture, self.sums());
    }

    fn observe_clues(&self, planes: &mut [f32]) {
        observe_sums(planes, self.sums());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing;

    const TABLE: &str = r#"{
        "givens": [[0, 6, 0, 0], [8, 0, 0, 0], [0, 0, 3, 0]],
        "row_sums": [30, 18, 30],
        "column_sums": [27, 16, 10, 25],
        "solution": [[12, 6, 2, 10], [8, 1, 5, 4], [7, 9, 3, 11]]
    }"#;

    /// The example of Wikipedia.
    #[test]
    fn a_verdict_says_which_rule_is_broken() {
        let table: Cells<Table> = serde_json::from_str(TABLE).unwrap();
        table.check().unwrap();
        table.certify(&mut Budget::unlimited()).unwrap();
        testing::passes(&table, "12 6 2 10\n8 1 5 4\n7 9 3 11");
        let detail = "the sum of row 1 is 29, but must be 30";
        testing::fails(&table, "12 6 1 10\n8 2 5 4\n7 9 3 11", "wrong_sum", detail);
        let detail = "the grid has 9 more than once";
        testing::fails(&table, "12 6 3 9\n8 1 4 5\n7 9 3 11", "number_twice", detail);
        let drawn = [
            "      1  2  3  4",
            "",
            "1     .  6  .  .  30",
            "2     8  .  .  .  18",
            "3     .  .  3  .  30",
            "",
            "     27 16 10 25",
        ];
        assert_eq!(table.drawn(&table.givens, "."), drawn.join("\n"));
    }
}
