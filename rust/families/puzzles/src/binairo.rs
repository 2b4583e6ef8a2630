//! Fill a grid with 0 and 1, never three alike in a line, as many of one as of the other: binairo.

use kit::prelude::*;
use kit::shape::rules::{Cells, Clue, Clued, Squares, Wanted, line_name};
use kit::shared::csp::{Contradiction, Domains};
use kit::shared::grid::{Grid, Place};
use kit::task::problem::square;

pub struct Binairo;

params! {
    pub struct BinairoParams {
        /// Rows and columns of the grid.
        size: u32 [4|6|8|10|12],
        /// Givens, in percent of the cells. A puzzle has more where one solution takes more.
        givens_percent: u32 [0..=90],
        /// True if a number must be tried and contradicted at some point, because the rules alone lead no further.
        trials: bool,
        /// True if no two rows and no two columns may be the same.
        distinct: bool [structure],
    }
    levels {
        (4, 40, false, true),
        (4, 30, false, true),
        (6, 45, false, true),
        (6, 30, false, true),
        (8, 30, false, true),
        (10, 25, false, true),
        (6, 10, true, true),
        (8, 25, true, true),
        (10, 30, true, true),
        (12, 34, true, true),
    }
    default 3
}

problem! {
    pub struct Binary {
        /// The given numbers: 1 for a 0, 2 for a 1, and 0 for an empty cell.
        givens: Grid<u8> [square(4..=12, 0..=2)],
        /// True if no two rows and no two columns may be the same.
        distinct: bool,
        /// The one grid that keeps the givens and the rules.
        solution: Grid<u8> [claim, square(4..=12, 1..=2)],
    }
}

impl TaskFamily for Binairo {
    type Params = BinairoParams;
    type Problem = Cells<Binary>;

    const ABOUT: About = About {
        summary: "Fill a grid with 0 and 1 so that no three in a line are alike and both are equally frequent.",
        skills: &["constraint_propagation", "counting", "case_analysis", "spatial_reading"],
        guess_rate: 0.07,
        guess_score: 0.35,
        distinct_from: 2,
        ..Cells::<Binary>::about("puzzles", "binairo", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Cells<Binary>> {
        let &BinairoParams { size, givens_percent, trials, distinct } = params;
        let size = size as usize;
        let wanted = Wanted { rows: size, columns: size, most: 2, givens_percent, trials };
        Cells::generate(&wanted, rules(size, distinct), rng, budget, |solution, _| Binary {
            givens: solution.map(|_| 0),
            distinct,
            solution: solution.clone(),
        })
    }
}

/// The rules of a grid: its threes, then its lines, then the pairs of its rows and of its columns.
fn rules(size: usize, distinct: bool) -> Vec<Rule> {
    let all = Grid::new(size, vec![(); size * size]).lines();
    let threes = all.iter().flat_map(|line| line.windows(3));
    let threes = threes.map(|cells| Rule { size, lines: vec![], cells: cells.to_vec() });
    let pairs = (0..2 * size).flat_map(|at| (at - at % size..at).map(move |before| vec![before, at]));
    let lines = (0..2 * size).map(|at| vec![at]).chain(pairs.filter(|_| distinct));
    let lines = lines.map(|lines| {
        let cells = lines.iter().flat_map(|at| all[*at].clone()).collect();
        Rule { size, lines, cells }
    });
    threes.chain(lines).collect()
}

/// Three cells are not all alike, half of a line are 1, or two lines differ.
pub struct Rule {
    /// Rows of the grid.
    size: usize,
    /// The lines that the cells fill: none, one or two.
    lines: Vec<usize>,
    cells: Vec<usize>,
}

impl Rule {
    /// Place of the cells: "r1c1 to r1c3", "row 1", "row 1 and row 3".
    fn cells(&self) -> String {
        let place = |cell: usize| Place::new(cell / self.size, cell % self.size).short();
        let lines = self.lines.iter().map(|line| line_name(*line, self.size));
        if self.lines.is_empty() {
            return format!("{} to {}", place(self.cells[0]), place(self.cells[2]));
        }
        lines.collect::<Vec<_>>().join(" and ")
    }

    /// Only the last two cells in which lines may differ are bound by it.
    fn differ(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let (first, second) = self.cells.split_at(self.size);
        let alike = |a, b| domains.value(a).is_some() && domains.of(a) == domains.of(b);
        let mut others = first.iter().zip(second).filter(|(a, b)| !alike(**a, **b));
        let (a, b) = others.next().ok_or(Contradiction)?;
        if others.next().is_none() {
            for (known, cell) in [(*a, *b), (*b, *a)] {
                domains.value(known).map_or(Ok(()), |value| domains.keep(cell, !(1 << value)))?;
            }
        }
        Ok(())
    }
}

impl Clue for Rule {
    const BROKEN: &'static [Label] = &[
        ("three_alike", "three neighboring cells in a row or a column hold the same number"),
        ("unbalanced_line", "a row or a column holds more of one number than of the other"),
        ("same_line_twice", "two rows or two columns are the same"),
    ];

    fn label(&self) -> &'static str {
        Self::BROKEN[self.lines.len()].0
    }

    fn scope(&self) -> &[usize] {
        &self.cells
    }

    fn holds(&self, numbers: &[u8]) -> bool {
        match self.lines.len() {
            0 => numbers.windows(2).any(|pair| pair[0] != pair[1]),
            1 => 2 * ones(numbers) == numbers.len(),
            _ => numbers[..self.size] != numbers[self.size..],
        }
    }

    fn name(&self) -> String {
        let words = ["the rule of three from", "the balance of", "the difference between"];
        format!("{} {}", words[self.lines.len()], self.cells())
    }

    fn broken(&self, numbers: &[u8]) -> String {
        let (cells, ones) = (self.cells(), ones(numbers));
        let zeros = words::count(numbers.len() - ones, "zero");
        match self.lines.len() {
            0 => format!("{cells} are all {}", numbers[0] - 1),
            1 => format!("{cells} has {zeros} and {}", words::count(ones, "one")),
            _ => format!("{cells} are the same"),
        }
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let most = match self.lines.len() {
            0 => 2,
            1 => self.size / 2,
            _ => return self.differ(domains),
        };
        for value in [1, 2] {
            let is_it = |cell: &&usize| domains.value(**cell) == Some(value);
            let (held, others): (Vec<usize>, Vec<usize>) = self.cells.iter().partition(is_it);
            if held.len() > most {
                return Err(Contradiction);
            }
            if held.len() == most {
                others.iter().try_for_each(|cell| domains.keep(*cell, !(1 << value)))?;
            }
        }
        Ok(())
    }
}

fn ones(numbers: &[u8]) -> usize {
    numbers.iter().map(|number| usize::from(*number == 2)).sum()
}

impl Binary {
    /// Each row with as many of each number as it lacks, from left to right in the order of `order`.
    fn row_by_row(&self, mut order: impl FnMut(&mut Vec<u8>)) -> Grid<u8> {
        let (mut grid, size) = (self.givens.clone(), self.givens.rows());
        for row in &grid.lines()[..size] {
            let mut lacking = [[1, 2]].repeat(size / 2).concat();
            for cell in row {
                let given = lacking.iter().position(|number| *number == self.givens[*cell]);
                given.map(|at| lacking.remove(at));
            }
            order(&mut lacking);
            let empty = row.iter().filter(|cell| self.givens[**cell] == 0);
            empty.zip(lacking).for_each(|(cell, number)| grid[*cell] = number);
        }
        grid
    }
}

impl Clued for Binary {
    type Clue = Rule;

    const HALF: u64 = 100;
    const GIVEN: &'static str = "`givens`";
    /// All ones if no two lines may be the same.
    const CLUE_PLANES: usize = 1;
    const KEPT: Part =
        Part::new("rules_kept", "share of the threes, lines and pairs of lines that keep the rules");
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "solve",
            "Solve this binary puzzle. Write 0 or 1 in every empty cell, shown as \"{blank}\", so that no three neighboring \
             cells in a row or in a column hold the same number, and every row and every column has as many 0s as \
             1s.{distinct? No two rows may be the same, and no two columns.} The numbers that are already there must \
             stay.\n\n{grid}\n",
        ),
        Prompt::new(
            "seats",
            "A hall has {size} rows of {size} seats. Every seat belongs to a fan of team 0 or of team 1, and each row and each \
             column has as many fans of one team as of the other. Three fans of the same team never sit side by side in a \
             row or one behind the other in a column.{distinct? No two rows are seated alike, and no two columns.} Some seats \
             are known; \"{blank}\" marks one that is not:\n\n{grid}\n\nFind out which team has each seat.",
        ),
        Prompt::held_out(
            "tiles",
            "A floor of {size} by {size} tiles is laid with white tiles, written 0, and black tiles, written 1. Every row and \
             every column has as many white tiles as black ones, and nowhere do three tiles of one color follow each other \
             in a row or column.{distinct? All rows are different, and so are all columns.} Some tiles are laid already, and \
             \"{blank}\" is a gap:\n\n{grid}\n\nFill the gaps. There is only one way to do it.",
        ),
        Prompt::held_out(
            "specification",
            "Input: {an} {size} x {size} grid over {{0, 1}} in which \"{blank}\" is an unknown cell.\n\n{grid}\n\nOutput: the grid \
             with every unknown cell filled in.\nRules: known cells keep their values; no three consecutive cells of a row \
             or column are equal; each row and each column contains 0 and 1 equally often.{distinct? The rows are pairwise \
             distinct, and so are the columns.}",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.either("distinct", self.distinct).text("an", words::article(self.givens.rows()));
    }

    fn squares(&self) -> Squares<'_> {
        Squares { givens: &self.givens, solution: &self.solution, most: 2, least: 0 }
    }

    fn squares_mut(&mut self) -> [&mut Grid<u8>; 2] {
        [&mut self.givens, &mut self.solution]
    }

    fn clues(&self) -> impl Iterator<Item = Rule> {
        rules(self.givens.rows(), self.distinct).into_iter()
    }

    /// 0 and 1 may be exchanged.
    fn images(&self) -> Vec<Self> {
        let exchanged = |grid: &Grid<u8>| grid.map(|number| (3 - number) % 3);
        let (givens, solution) = (exchanged(&self.givens), exchanged(&self.solution));
        vec![self.clone(), Self { givens, solution, ..*self }]
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        vec![("in each row what it lacks", self.row_by_row(|lacking| rng.shuffle(lacking)))]
    }

    fn shortcuts(&self, _: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        vec![("0 and 1 by turns where a row lacks both", self.row_by_row(|_| {}))]
    }

    fn observe_clues(&self, planes: &mut [f32]) {
        planes.fill(f32::from(u8::from(self.distinct)));
    }

    fn consistent(&self) -> Result<(), String> {
        let rows = self.givens.rows();
        check::that(rows.is_multiple_of(2), || {
            format!("`givens` has {rows} rows, but must have an even number")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::shape::rules::assert_narrows;
    use kit::shared::csp::{Csp, range};
    use kit::testing;

    const BINARY: &str = r#"{
        "givens": [[0, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]],
        "distinct": true,
        "solution": [[1, 1, 2, 2], [1, 2, 1, 2], [2, 1, 2, 1], [2, 2, 1, 1]]
    }"#;

    #[test]
    fn a_verdict_says_which_rule_is_broken() {
        let puzzle: Cells<Binary> = serde_json::from_str(BINARY).unwrap();
        puzzle.check().unwrap();
        testing::passes(&puzzle, "0 0 1 1\n0 1 0 1\n1 0 1 0\n1 1 0 0");
        for (wrong, label, detail) in [
            ("0 0 0 1\n0 1 0 1\n1 0 1 0\n1 1 0 0", "three_alike", "r1c1 to r1c3 are all 0"),
            ("0 0 1 0\n0 1 0 1\n1 0 1 0\n1 1 0 0", "unbalanced_line", "row 1 has 3 zeros and 1 one"),
            ("0 0 1 1\n1 1 0 0\n0 0 1 1\n1 1 0 0", "same_line_twice", "row 1 and row 3 are the same"),
        ] {
            testing::fails(&puzzle, wrong, label, detail);
        }
        let detail = "the given 1 at row 2, column 2 was changed to 0; row 1 and row 3 are the same";
        testing::fails(&puzzle, "1 1 0 0\n0 0 1 1\n1 1 0 0\n0 0 1 1", "same_line_twice", detail);
    }

    /// Compares with all ways to fill the cells.
    #[test]
    fn the_rules_keep_what_some_grid_has() {
        let (mut rng, rules) = (testing::rng(0), rules(4, true));
        for at in 0..2_000 {
            let rule = &rules[at % rules.len()];
            let mut domains = Csp::new(16, range(1, 2)).domains();
            (0..16).for_each(|cell| domains.keep(cell, *rng.pick(&[2, 4, 6, 6])).unwrap());
            assert_narrows(rule, &domains, |_| true);
        }
    }

    /// The counts of OEIS A253316, and those of grids in which lines may be the same.
    #[test]
    fn known_counts_are_found() {
        use kit::shape::rules::{ClueRule, RuledGrid};
        for (size, distinct, count) in [(4, true, 72), (4, false, 90), (6, true, 4_140), (6, false, 11_222)] {
            let grid = RuledGrid::new(size, size, 2, rules(size, distinct).into_iter().map(ClueRule));
            let empty = Grid::new(size, vec![0; size * size]);
            let found = grid.completions(&empty, usize::MAX, &mut Budget::unlimited()).unwrap();
            assert_eq!(found.len(), count);
        }
    }
}
