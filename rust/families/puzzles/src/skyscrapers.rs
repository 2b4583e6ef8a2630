//! Fill a Latin square of building heights of which the clues at its edges say how many are visible: skyscrapers.

use crate::completion::{
    self, CELLS, CHANGED_GIVEN, COLUMN_REPEAT, Completion, GIVENS_KEPT, INCOMPLETE_GRID, ROW_REPEAT,
    RuledSquare, Square, draw_blank, line_name, shown,
};
use kit::picture::{CELL, Ink, Picture};
use kit::shared::csp::{Contradiction, Domains, Rule, values};
use kit::shared::grid::{Grid, Symmetry};
use kit::shared::invariant::unordered;
use kit::task::form::grid::OUT_OF_RANGE;
use kit::task::prelude::*;

pub struct Skyscrapers;

params! {
    pub struct SkyscrapersParams {
        /// Rows and columns of the grid.
        size: u32 [3..=8],
        /// Givens, in percent of the cells. A puzzle has more where one solution takes more.
        givens_percent: u32 [0..=90],
        /// Clues, in percent of both ends of every row and column.
        clues_percent: u32 [30..=100],
        /// True if a height must be tried and contradicted at some point, because the rules alone lead no
        /// further.
        trials: bool,
    }
    levels {
        (3, 34, 40, false),
        (4, 40, 100, false),
        (4, 10, 80, false),
        (5, 15, 80, false),
        (6, 15, 80, false),
        (6, 0, 60, true),
        (7, 5, 60, true),
        (8, 10, 60, true),
    }
    default 3
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Block {
    /// The given heights, 0 for an empty cell.
    givens: Grid<u8>,
    /// Number of visible buildings in each of the [`views`], 0 without a clue.
    clues: Vec<u8>,
    /// The one square that fits the givens and the clues.
    solution: Grid<u8>,
}

const SIDES: [&str; 4] = ["left of", "right of", "above", "below"];

impl TaskFamily for Skyscrapers {
    type Params = SkyscrapersParams;
    type Problem = Completion<Block>;

    const ABOUT: About = About {
        summary: "Fill a Latin square of building heights, given how many are visible from its edges.",
        judged_by: JudgedBy::Constraints,
        failures: &[
            CHANGED_GIVEN,
            ROW_REPEAT,
            COLUMN_REPEAT,
            ("clue_broken", "from an edge more or fewer buildings are visible than its clue says"),
            INCOMPLETE_GRID,
            OUT_OF_RANGE,
        ],
        parts: &[
            GIVENS_KEPT,
            CELLS,
            Part::new(
                "rules_kept",
                "share of the rows and columns that hold every height and of the clues that are true",
            ),
        ],
        skills: &["constraint_propagation", "case_analysis", "counting", "spatial_reading"],
        guess_rate: 0.105,
        guess_score: 0.31,
        ..About::new("puzzles", "skyscrapers", &["First version."])
    };

    fn generate(
        &self,
        params: &Self::Params,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Drawn<Completion<Block>> {
        let size = params.size as usize;
        let wanted = size * size * params.givens_percent as usize / 100;
        let mut hidden: Vec<usize> = (0..4 * size).collect();
        loop {
            let solution = rules(size, &[]).random_square(rng, budget)?;
            let mut clues: Vec<u8> = views(size).iter().map(|view| visible(&solution, view)).collect();
            rng.shuffle(&mut hidden);
            for view in &hidden[clues.len() * params.clues_percent as usize / 100..] {
                clues[*view] = 0;
            }
            let (givens, trials) = rules(size, &clues).dig(&solution, wanted, params.trials, rng, budget)?;
            if trials == params.trials {
                return Ok(Completion(Block { givens, clues, solution }));
            }
        }
    }

    fn certify(&self, block: &Completion<Block>, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        block.rules().certify(block.latin(), "`givens` and `clues`", budget)
    }
}

/// The cells of every row as seen from the left, then from the right, and of every column from above, then
/// from below.
fn views(size: usize) -> Vec<Vec<usize>> {
    let lines = Grid::new(size, vec![(); size * size]).lines();
    let back = |line: &Vec<usize>| line.iter().rev().copied().collect();
    lines.chunks(size).flat_map(|lines| lines.iter().cloned().chain(lines.iter().map(back))).collect()
}

/// Number of buildings with only lower ones before them.
fn visible(grid: &Grid<u8>, view: &[usize]) -> u8 {
    let lower = |(at, cell): &(usize, &usize)| view[..*at].iter().all(|before| grid[*before] < grid[**cell]);
    view.iter().enumerate().filter(lower).count() as u8
}

/// The clues as rules of a square.
fn rules(size: usize, clues: &[u8]) -> RuledSquare {
    let clues = views(size).into_iter().zip(clues).filter(|(_, clue)| **clue > 0);
    let rules: Vec<Visible> = clues.map(|(view, clue)| Visible { view, clue: *clue }).collect();
    RuledSquare::new(size, rules.into_iter())
}

/// The constraint that these cells contain every height once, with as many visible from the first as the clue
/// says.
struct Visible {
    view: Vec<usize>,
    clue: u8,
}

impl Rule for Visible {
    fn scope(&self) -> &[usize] {
        &self.view
    }

    /// Removes every height that no arrangement has. A set of heights represents all ways to fill the first
    /// cells with them: its tallest decides whether the next building is visible.
    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let all: usize = (2 << self.view.len()) - 2;
        let open = |set: usize| values(domains.of(self.view[set.count_ones() as usize]) & !(set as u64));
        // Per set, bits of the possible numbers of visible buildings, and of those from which the clue can be
        // reached.
        let (mut before, mut after) = (vec![0u32; all + 1], vec![0u32; all + 1]);
        (before[0], after[all]) = (1, 1 << self.clue);
        let mut sets = Vec::new();
        for set in (0..all).step_by(2) {
            if before[set] == 0 {
                continue;
            }
            sets.push(set);
            for height in open(set).map(|height| 1 << height) {
                before[set | height] |= before[set] << u32::from(height > set);
            }
        }
        let mut left = vec![0; self.view.len()];
        for set in sets.into_iter().rev() {
            for height in open(set).map(|height| 1 << height) {
                let fits = after[set | height] >> u32::from(height > set);
                after[set] |= fits;
                left[set.count_ones() as usize] |= if before[set] & fits > 0 { height as u64 } else { 0 };
            }
        }
        self.view.iter().zip(left).try_for_each(|(cell, left)| domains.keep(*cell, left))
    }

    fn cost(&self) -> u64 {
        1 << self.view.len()
    }
}

impl Block {
    fn size(&self) -> usize {
        self.givens.rows()
    }

    fn rules(&self) -> RuledSquare {
        rules(self.size(), &self.clues)
    }

    /// Each clue with the index of its view and the cells.
    fn clues(&self) -> impl Iterator<Item = (usize, u8, Vec<usize>)> {
        let views = views(self.size()).into_iter().zip(&self.clues).enumerate();
        views.filter(|(_, (_, clue))| **clue > 0).map(|(view, (cells, clue))| (view, *clue, cells))
    }

    /// Location of a view's clue: "left of row 2".
    fn place(&self, view: usize) -> String {
        let (side, line) = (view / self.size(), view % self.size());
        format!("{} {}", SIDES[side], line_name(side / 2 * self.size() + line, self.size()))
    }

    /// The clues of a side, in order.
    fn clues_at(&self, side: usize) -> impl Iterator<Item = &str> {
        self.clues.chunks(self.size()).nth(side).into_iter().flatten().map(|clue| shown(*clue, "-"))
    }

    /// A grid with its clues around it.
    fn drawn(&self, grid: &Grid<u8>, blank: &str) -> String {
        let edge = |side| format!("   {}", self.clues_at(side).joined(" "));
        let clues = self.clues_at(0).zip(self.clues_at(1));
        let rows = grid.cells().chunks(self.size()).zip(clues).map(|(row, (left, right))| {
            format!("{left}  {}  {right}", row.iter().map(|height| shown(*height, blank)).joined(" "))
        });
        [edge(2)].into_iter().chain(rows).chain([edge(3)]).lines()
    }

    /// The meaning of a dash, if there is one.
    fn dash(&self) -> &'static str {
        if self.clues.contains(&0) { " A \"-\" stands where no number is given." } else { "" }
    }

    fn solve(&self, rng: &mut Rng) -> String {
        let (size, blank) = (self.size(), draw_blank(rng));
        format!(
            "Solve this skyscrapers puzzle. Fill in the height of the building in every empty cell, shown as \"{blank}\". \
             Heights go from 1 to {size}, and each row and each column of the grid has every height exactly once. A number \
             outside the grid says how many buildings are visible from there, looking along that row or column: a building \
             hides all lower buildings behind it.{} Heights that are already filled in must not change.\n\n{}\n",
            self.dash(),
            self.drawn(&self.givens, blank)
        )
    }

    fn plan(&self, rng: &mut Rng) -> String {
        let (size, blank) = (self.size(), draw_blank(rng));
        format!(
            "This plan shows {size} rows of {size} buildings. Their heights are between 1 and {size} stories, and no two \
             buildings in the same row or column are equally tall. \"{blank}\" marks a height that is missing.\n\n{}\n\n\
             The numbers around the plan count the buildings that someone standing there would see in that row or column, \
             where taller buildings block the view of lower ones behind them.{} Complete the plan, keeping the heights \
             that it shows.",
            self.drawn(&self.givens, blank),
            self.dash()
        )
    }

    fn walk(&self, rng: &mut Rng) -> String {
        let (size, blank) = (self.size(), draw_blank(rng));
        let heights = self.givens.draw(|height| shown(*height, blank), |_| " ", |_| None);
        let sides = ["Rows from the left", "Rows from the right", "Columns from above", "Columns from below"];
        let seen =
            sides.iter().enumerate().map(|(side, from)| format!("{from}: {}", self.clues_at(side).listed()));
        format!(
            "A city block has {size} rows and {size} columns of towers. In every row and in every column there is one tower of \
             each height from 1 to {size}. These are the heights, with \"{blank}\" for those that are unknown:\n\n{heights}\n\n\
             Someone walks around the block, looks along every row and column, and writes down how many towers are visible. \
             A tower hides every lower tower behind it. Rows are listed from top to bottom, columns from left to right.{}\n\n{}\n\n\
             Find all the heights; only one arrangement fits.",
            self.dash(),
            seen.lines()
        )
    }

    fn specification(&self, rng: &mut Rng) -> String {
        let (size, blank) = (self.size(), draw_blank(rng));
        format!(
            "Input: a {size} x {size} grid with numbers around it, where \"{blank}\" is an unknown cell.{}\n\n{}\n\n\
             Output: the grid with every unknown cell filled in.\n\
             Rules: each row and each column contains each of 1 to {size} once; known cells keep their values; a number at \
             the end of a line is the count of cells in that line that are larger than every cell before them, counted from \
             that end.",
            self.dash(),
            self.drawn(&self.givens, blank)
        )
    }
}

impl Square for Block {
    const TEMPLATES: &'static [Template<Completion<Self>>] = &[
        Template::open("solve", |block, rng| block.solve(rng)),
        Template::open("plan", |block, rng| block.plan(rng)),
        Template::held_out("walk", |block, rng| block.walk(rng)),
        Template::held_out("specification", |block, rng| block.specification(rng)),
    ];
    const COST: u64 = 200;

    fn givens(&self) -> &Grid<u8> {
        &self.givens
    }

    fn solution(&self) -> &Grid<u8> {
        &self.solution
    }

    fn check(&self) -> Result<(), String> {
        let size = self.size();
        check::within("rows of `givens`", &size, 3..=8)?;
        self.latin().check()?;
        check::length("clues", &self.clues, 4 * size..=4 * size, "numbers")?;
        for (view, clue, cells) in self.clues() {
            let seen = visible(&self.solution, &cells);
            check::that(clue == seen, || {
                format!("`clues` has {clue} {}, but `solution` shows {seen}", self.place(view))
            })?;
        }
        Ok(())
    }

    fn judge_grid(&self, answer: &Grid<u8>) -> Judged {
        let filled = |cells: &[usize]| cells.iter().all(|cell| answer[*cell] > 0);
        let is_true = |clue: u8, cells: &[usize]| filled(cells) && visible(answer, cells) == clue;
        let kept = self.clues().filter(|(_, clue, cells)| is_true(*clue, cells)).count();
        let rules = self.clues().count() + 2 * self.size();
        let broken = self.clues().find(|(_, clue, cells)| filled(cells) && !is_true(*clue, cells));
        let broken = broken.map(|(view, clue, cells)| {
            let seen = words::there_are(visible(answer, &cells), "visible building");
            ("clue_broken", format!("the clue {} is {clue}, but {seen}", self.place(view)))
        });
        let share = (kept + completion::complete_lines(answer)) as f32 / rules as f32;
        self.latin().judge(answer, broken).map_err(|failure| failure.part("rules_kept", share))
    }

    fn draw(&self, grid: &Grid<u8>) -> String {
        self.drawn(grid, ".")
    }

    /// Clues are drawn small at the edges of the outer cells.
    fn board(&self) -> Picture {
        let size = self.size() as u32;
        let mut picture = Picture::new(size, size);
        picture.grid(Ink::Grey);
        for (view, clue, cells) in self.clues() {
            let place = self.givens.place(cells[0]);
            let (x, y) = [(1, 4), (7, 4), (4, 1), (4, 7)][view / self.size()];
            let at = (place.column as u32 * CELL + x, place.row as u32 * CELL + y);
            picture.title(at, 2, clue.to_string(), Ink::Red);
        }
        picture
    }

    fn explain(&self) -> Vec<String> {
        let clues: Vec<usize> = self.clues().map(|(view, ..)| view).collect();
        let name = |rule: usize| format!("the {} {}", self.clues[clues[rule]], self.place(clues[rule]));
        self.rules().explain(self.latin(), name)
    }

    fn hints(&self) -> Vec<String> {
        let clues: Vec<usize> = self.clues().map(|(view, ..)| view).collect();
        self.rules().hints(self.latin(), |rule| format!("the clue {}", self.place(clues[rule])))
    }

    fn cost(&self) -> u64 {
        self.rules().path(self.latin()).cost
    }

    /// Equal for all twins.
    fn fingerprint(&self) -> Vec<u8> {
        let size = self.size();
        let image = |symmetry: Symmetry| {
            let image = |cell| symmetry.image(cell, size) as u64;
            let cells = self.givens.cells().iter().enumerate();
            let givens = cells.map(|(cell, given)| image(cell) << 8 | u64::from(*given));
            let view = |(_, clue, cells): (usize, u8, Vec<usize>)| {
                (image(cells[0]) << 8 | image(cells[1])) << 16 | u64::from(clue)
            };
            unordered(givens.chain(self.clues().map(view)))
        };
        unordered(Symmetry::ALL.into_iter().map(image)).to_be_bytes().to_vec()
    }

    /// Applies one of the eight symmetries.
    fn twin(&self, rng: &mut Rng) -> Self {
        let (symmetry, size) = (*rng.pick(&Symmetry::ALL), self.size());
        let (views, mut clues) = (views(size), vec![0; 4 * size]);
        for (_, clue, cells) in self.clues() {
            let ends = [cells[0], cells[1]].map(|cell| symmetry.image(cell, size));
            let view = views.iter().position(|view| view.starts_with(&ends));
            clues[view.expect("a symmetry takes views to views")] = clue;
        }
        Self { givens: self.givens.turned(symmetry), clues, solution: self.solution.turned(symmetry) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::shared::csp::{Csp, Table, range};
    use kit::testing;

    fn block() -> Completion<Block> {
        let grid = |cells: [u8; 16]| Grid::new(4, cells.to_vec());
        Completion(Block {
            givens: grid([0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0]),
            clues: vec![4, 2, 0, 1, 1, 2, 2, 4, 0, 2, 2, 1, 1, 2, 2, 0],
            solution: grid([1, 2, 3, 4, 2, 4, 1, 3, 3, 1, 4, 2, 4, 3, 2, 1]),
        })
    }

    #[test]
    fn a_verdict_says_which_clue_is_broken() {
        let block = block();
        block.check().unwrap();
        testing::passes(&block, "1 2 3 4\n2 4 1 3\n3 1 4 2\n4 3 2 1");
        let detail = "the clue left of row 1 is 4, but there are 3 visible buildings";
        testing::fails(&block, "2 1 3 4\n1 4 2 3\n3 2 4 1\n4 3 1 2", "clue_broken", detail);
        let message = testing::refused(&block, |json| json["clues"][0] = 3.into());
        assert_eq!(message, "`clues` has 3 left of row 1, but `solution` shows 4");
    }

    #[test]
    fn clues_stand_around_the_grid() {
        let drawn =
            ["   - 2 2 1", "4  . . . 4  1", "2  . . . .  2", "-  . . 4 .  2", "1  . . . .  4", "   1 2 2 -"];
        assert_eq!(block().draw(&block().givens), drawn.join("\n"));
    }

    /// Compares with all arrangements of four heights.
    #[test]
    fn the_rule_keeps_what_some_arrangement_has() {
        let grid = |cells: &[u8]| Grid::new(4, cells.to_vec());
        let any = Table::allowing((0..4).collect(), range(1, 4), |heights| {
            completion::is_complete(heights, &[0, 1, 2, 3])
        });
        let mut rng = testing::rng(0);
        for at in 0..200 {
            let mut domains = Csp::new(4, range(1, 4)).domains();
            (0..4).for_each(|cell| domains.keep(cell, rng.below(15) * 2 + 2).unwrap());
            let rule = Visible { view: vec![0, 1, 2, 3], clue: 1 + at % 4 };
            let fits = |row: &&Vec<u8>| {
                let open = row.iter().enumerate().all(|(cell, height)| domains.of(cell) >> height & 1 == 1);
                open && visible(&grid(row), &rule.view) == rule.clue
            };
            let rows: Vec<_> = any.rows().iter().filter(fits).collect();
            let kept = |cell: usize| rows.iter().fold(0, |kept, row| kept | 1 << row[cell]);
            let expected: Vec<u64> = (0..4).map(kept).collect();
            let narrowed = rule.narrow(&mut domains);
            assert_eq!(narrowed.is_ok(), !rows.is_empty());
            assert!(rows.is_empty() || (0..4).all(|cell| domains.of(cell) == expected[cell]));
        }
    }
}
