//! Fill a grid with islands of given sizes in one connected sea without pools: nurikabe.

use std::sync::Arc;

use kit::picture::Picture;
use kit::prelude::*;
use kit::shape::rules::{Cells, Clued, Squares, Wanted};
use kit::shared::grid::Grid;
use kit::task::problem::square;

use crate::shared::connected::{Connected, neighbors};
use crate::shared::printed::Printed;

mod rules;

use rules::{Map, Rule, flood, pools};

pub struct Nurikabe;

/// A cell of an island, written 0, and one of the sea, written 1.
const LAND: u8 = 1;
const SEA: u8 = 2;

params! {
    pub struct NurikabeParams {
        /// Rows and columns of the grid.
        size: u32 [4..=10],
        /// The most cells of an island.
        largest: u32 [1..=9],
        /// Cells that are known, besides those with a number, in percent. A puzzle has more where one solution takes more.
        givens_percent: u32 [0..=90],
        /// True if a cell must be tried and contradicted at some point, because the rules alone lead no further.
        trials: bool,
    }
    levels {
        (4, 4, 30, false),
        (5, 4, 20, false),
        (6, 5, 16, false),
        (7, 6, 12, false),
        (8, 6, 6, false),
        (9, 6, 2, false),
        (6, 5, 0, true),
        (7, 6, 0, true),
        (8, 6, 9, true),
    }
    default 3
}

problem! {
    pub struct Islands {
        /// The number of cells of the island, in one cell of each; 0 in other cells.
        numbers: Grid<u8> [square(4..=10, 0..=9)],
        /// The known cells: 1 for land, 2 for sea, and 0 for an open one.
        givens: Grid<u8> [square(4..=10, 0..=2)],
        /// The one way to fill the grid that keeps the givens and the rules.
        solution: Grid<u8> [claim, square(4..=10, 1..=2)],
    }
}

impl TaskFamily for Nurikabe {
    type Params = NurikabeParams;
    type Problem = Cells<Islands>;

    const ABOUT: About = About {
        summary: "Fill a grid with islands of given sizes in one connected sea that has no 2 by 2 square.",
        skills: &["constraint_propagation", "case_analysis", "counting", "spatial_reading"],
        budgets: Budgets { generate: 100_000_000, ..Budgets::USUAL },
        guess_rate: 0.1,
        guess_score: 0.35,
        ..Cells::<Islands>::about("puzzles", "nurikabe", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Cells<Islands>> {
        let &NurikabeParams { size, largest, givens_percent, trials } = params;
        let size = size as usize;
        let wanted = Wanted { rows: size, columns: size, most: SEA, givens_percent, trials };
        Cells::dig(&wanted, rng, budget, |rng, budget| {
            loop {
                budget.spend((size * size * size * size) as u64)?;
                let Some((numbers, solution)) = flooded(size, largest as usize, rng) else { continue };
                let givens = numbers.map(|number| LAND * u8::from(*number > 0));
                return Ok(Islands { numbers, givens, solution });
            }
        })
    }
}

/// Numbers and cells of random islands that leave no pool; none if this draw leads to no such.
fn flooded(size: usize, largest: usize, rng: &mut Rng) -> Option<(Grid<u8>, Grid<u8>)> {
    let (near, sea) = (neighbors(size, size), Connected::new(size, size, SEA));
    let pools = pools(size);
    let mut grid = Grid::new(size, vec![SEA; size * size]);
    let mut cells: Vec<usize> = (0..size * size).collect();
    rng.shuffle(&mut cells);
    let is_pool = |grid: &Grid<u8>, pool: &[usize; 4]| pool.iter().all(|cell| grid[*cell] == SEA);
    for cell in &cells {
        let needed = pools.iter().any(|pool| pool.contains(cell) && is_pool(&grid, pool));
        if needed || rng.chance(1, 3) {
            grid[*cell] = LAND;
            let island = flood(&near, *cell, |next| grid[next] == LAND);
            if island.len() > largest || !sea.holds(grid.cells()) {
                grid[*cell] = SEA;
            }
        }
    }
    let mut numbers = grid.map(|_| 0);
    for cell in cells.into_iter().filter(|cell| grid[*cell] == LAND) {
        let island = flood(&near, cell, |next| grid[next] == LAND);
        if island.iter().all(|cell| numbers[*cell] == 0) {
            numbers[cell] = island.len() as u8;
        }
    }
    (!pools.iter().any(|pool| is_pool(&grid, pool))).then_some((numbers, grid))
}

impl Islands {
    fn size(&self) -> usize {
        self.numbers.rows()
    }

    fn numbered(&self) -> Vec<usize> {
        (0..self.numbers.cells().len()).filter(|cell| self.numbers[*cell] > 0).collect()
    }

    fn printed(&self) -> Printed<'_> {
        Printed { numbers: &self.numbers, least: 1 }
    }

    fn filled(&self, mut value: impl FnMut(usize) -> u8) -> Grid<u8> {
        let mut grid = self.givens.clone();
        self.squares().empty().into_iter().for_each(|cell| grid[cell] = value(cell));
        grid
    }

    /// From each number in turn over free cells that touch no other island, the rest sea.
    fn grown(&self) -> Grid<u8> {
        let near = neighbors(self.size(), self.size());
        let mut grid = self.givens.clone();
        for cell in self.numbered() {
            let number = usize::from(self.numbers[cell]);
            let mut island = flood(&near, cell, |next| grid[next] == LAND);
            let mut at = 0;
            while at < island.len() && island.len() < number {
                for next in near[island[at]].clone() {
                    let touches = near[next].iter().any(|near| grid[*near] == LAND && !island.contains(near));
                    if grid[next] == 0 && !touches && island.len() < number {
                        grid[next] = LAND;
                        island.push(next);
                    }
                }
                at += 1;
            }
        }
        grid.map(|value| if *value == 0 { SEA } else { *value })
    }
}

impl Clued for Islands {
    type Clue = Rule;

    const HALF: u64 = 100;
    const GIVEN: &'static str = "`numbers` and `givens`";
    /// The numbers.
    const CLUE_PLANES: usize = 1;
    const KEPT: Part = Part::new(
        "rules_kept",
        "share of the islands, of the 2 by 2 squares, of the connection of the sea, and of one rule that no island lacks a \
         number, that keep the rules",
    );
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "solve",
            "Solve this nurikabe puzzle: decide for every cell whether it is land or sea. Land cells that share sides form an \
             island. Each island contains exactly one number, which is the number of its cells; so two islands never share a \
             side, but they may touch at a corner. All sea cells are connected by their sides, and no 2 by 2 square is all \
             sea. \"-\" is a cell without a number.\n\n{numbers}\n\n{known?Some cells are known (0 for land, 1 for sea, \
             \"{blank}\" for unknown; cells with a number are land):\n\n{grid}\n\n}Write 0 for land, also where the \
             numbers are, and 1 for sea.",
        ),
        Prompt::new(
            "garden",
            "A garden of {size} by {size} plots has flower beds, and all other plots are lawn. Plots with flowers that lie side by \
             side or one behind the other are one bed. In every bed there is exactly one sign, and it says how many plots the bed \
             has. This is where the signs are (\"-\" is a plot without one):\n\n{numbers}\n\n{known?The gardener remembers \
             some plots, 0 for flowers and 1 for lawn, but not those marked \"{blank}\":\n\n{grid}\n\n}The lawn is one piece: without stepping on \
             flowers one can walk from each lawn plot to every other, always to the next plot in front, behind, left or right. \
             And nowhere do four lawn plots form a square of 2 by 2. Draw the garden, with 0 for flowers, signs included, and 1 \
             for lawn.",
        ),
        Prompt::new(
            "message",
            "can you solve this one? it's a grid of rooms (white) and walls (black):\n\n{numbers}\n\neach number is in a white \
             cell and says how many white cells are in its group, counting itself. every white group has one number, never two, \
             never none. groups are connected through sides, not corners. the black cells are all in one group, through sides, \
             too, and there's never a 2x2 block of black. \"-\" just means no number, can be either color. {known?here's what I have \
             already, it's all correct (0 white, 1 black, \"{blank}\" not done):\n\n{grid}\n\n}please fill in all of it with 0 for \
             white (numbers are white!) and 1 for black.",
        ),
        Prompt::held_out(
            "archipelago",
            "An old chart of {size} by {size} squares shows the sea with some islands. On each island the cartographer noted, in one \
             of its squares, how many squares it covers, and he left no island without such a note. Land squares that share a side are on the same \
             island. A ship can sail from any sea square to any other, moving up, down, left and right over sea \
             squares. But the sea is narrow: there is land in every block of 2 x 2 squares. The notes can still be read, and \"-\" \
             is any other square:\n\n{numbers}\n\n{known?So can part of the drawing, with 0 for land, 1 for sea and \"{blank}\" where \
             it has faded:\n\n{grid}\n\n}Redraw the chart with 0 for land, including squares with a note, and 1 for sea.",
        ),
        Prompt::held_out(
            "specification",
            "Input: {an} {size} x {size} matrix in which \"-\" is no number{known?, and a partial 0/1 matrix in which \"{blank}\" is \
             unknown|}.\n\nNumbers:\n{numbers}\n\n{known?Partial matrix:\n{grid}\n\n}Output: {an} {size} x {size} matrix over \
             {{0, 1}}{known? that agrees with the partial matrix where it is known|}.\nRules: cells with a number are 0; each \
             connected component of the cells that are 0 contains exactly one cell with a number, and that number is the size of \
             the component; the cells that are 1 form one connected component; no 2 x 2 submatrix of adjacent cells is all 1. \
             Connected means by horizontal and vertical adjacency. Exactly one matrix satisfies this.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        let known = |cell: usize| self.givens[cell] > 0 && self.numbers[cell] == 0;
        self.printed().slots((0..self.givens.cells().len()).any(known), slots);
    }

    fn squares(&self) -> Squares<'_> {
        Squares { givens: &self.givens, solution: &self.solution, most: SEA, least: 0 }
    }

    fn squares_mut(&mut self) -> [&mut Grid<u8>; 2] {
        [&mut self.givens, &mut self.solution]
    }

    fn clues(&self) -> impl Iterator<Item = Rule> {
        let size = self.size();
        let cells = (0..size * size).collect();
        let map = Map { size, numbers: self.numbers.cells().to_vec(), near: neighbors(size, size), cells };
        let map = Arc::new(map);
        let all = Rule::Numbered(Arc::clone(&map));
        let pools = pools(size).into_iter().map(move |cells| Rule::Pool { cells, size });
        let islands = self.numbered().into_iter().map(move |cell| Rule::Island(cell, Arc::clone(&map)));
        islands.chain(pools).chain([all, Rule::Sea(Connected::new(size, size, SEA))])
    }

    fn fixed(&self) -> Vec<usize> {
        self.numbered()
    }

    fn guesses(&self, _: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        vec![("sea wherever there is no number", self.filled(|_| SEA))]
    }

    fn shortcuts(&self, _: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        vec![("each island where there is room first", self.grown())]
    }

    fn drawn(&self, grid: &Grid<u8>, blank: &str) -> String {
        self.printed().with_marks(grid, blank)
    }

    fn board(&self, picture: &mut Picture) {
        self.printed().board(picture);
    }

    fn observe_clues(&self, planes: &mut [f32]) {
        self.printed().observe(9, planes);
    }

    fn consistent(&self) -> Result<(), String> {
        self.printed().check("numbers", &self.givens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::shape::rules::Clue as _;
    use kit::shared::csp::{Csp, range};
    use kit::testing;

    const ISLANDS: &str = r#"{
        "numbers": [[2, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 3], [0, 0, 0, 0]],
        "givens": [[1, 0, 0, 0], [0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0]],
        "solution": [[1, 1, 2, 2], [2, 2, 2, 1], [2, 1, 2, 1], [2, 2, 2, 1]]
    }"#;

    #[test]
    fn a_verdict_says_which_rule_is_broken() {
        let puzzle: Cells<Islands> = serde_json::from_str(ISLANDS).unwrap();
        puzzle.check().unwrap();
        testing::passes(&puzzle, "0 0 1 1\n1 1 1 0\n1 0 1 0\n1 1 1 0");
        for (wrong, label, detail) in [
            ("0 0 1 1\n1 1 1 0\n1 0 1 0\n1 1 1 1", "island_size", "the island of the 3 in r3c4 has 2 cells"),
            (
                "0 0 1 1\n1 0 1 0\n1 0 1 0\n1 1 1 0",
                "island_size",
                "the island of the 2 in r1c1 also holds r3c2",
            ),
            ("0 1 1 1\n0 1 1 0\n1 0 1 0\n1 1 1 0", "pool", "the square from r1c2 to r2c3 is all sea"),
            (
                "0 0 1 1\n1 1 1 0\n1 0 1 0\n0 1 1 0",
                "island_without_number",
                "the island of r4c1 has no number",
            ),
        ] {
            testing::fails(&puzzle, wrong, label, detail);
        }
        let message = testing::refused(&puzzle, |json| json["givens"][0][0] = 0.into());
        assert_eq!(message, "`givens` has no number at row 1, column 1, which belongs to the board");
    }

    /// No rule removes a value that some solution has, whatever else is known.
    #[test]
    fn the_rules_keep_the_solution() {
        let mut rng = testing::rng(0);
        for params in &NurikabeParams::LEVELS[..4] {
            let puzzle = testing::drawn(&Nurikabe, params, &mut rng);
            let cells = puzzle.solution.cells();
            for _ in 0..200 {
                let mut domains = Csp::new(cells.len(), range(LAND, SEA)).domains();
                let known = (0..cells.len()).filter(|cell| puzzle.numbers[*cell] > 0 || rng.chance(1, 3));
                known
                    .collect::<Vec<_>>()
                    .into_iter()
                    .for_each(|cell| domains.keep(cell, 1 << cells[cell]).unwrap());
                for clue in puzzle.clues() {
                    clue.narrow(&mut domains).unwrap();
                }
                assert!((0..cells.len()).all(|cell| domains.of(cell) >> cells[cell] & 1 == 1));
            }
        }
    }
}
