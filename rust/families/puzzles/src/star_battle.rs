//! Put stars on a grid so that every row, column and region has as many and no two touch: star battle.

use kit::picture::Picture;
use kit::prelude::*;
use kit::shape::rules::{Cells, Clue, Clued, Squares, Wanted, line_name};
use kit::shared::grid::{Grid, Place};
use kit::task::problem::square;

use crate::shared::areas::Areas;
use crate::shared::counts::{Count, Counted, Kind, ONE, blocks, filled, places, sign};

pub struct StarBattle;

params! {
    pub struct StarBattleParams {
        /// Rows and columns of the grid, and the number of regions.
        size: u32 [6..=12],
        /// Stars in every row, column and region.
        stars: u32 [1..=2],
        /// Givens, in percent of the cells. A puzzle has more where one solution takes more.
        givens_percent: u32 [0..=90],
        /// True if a cell must be tried and contradicted at some point, because the rules alone lead no further.
        trials: bool,
    }
    levels {
        (6, 1, 42, false),
        (6, 1, 15, false),
        (7, 1, 10, false),
        (9, 1, 0, false),
        (9, 2, 20, false),
        (10, 2, 10, false),
        (10, 1, 0, true),
        (9, 2, 15, true),
        (9, 2, 10, true),
        (10, 2, 0, true),
    }
    default 3
    check Self::consistent;
}

impl StarBattleParams {
    fn consistent(&self) -> Result<(), String> {
        check::that(self.stars == 1 || self.size >= 8, || {
            "two stars a line need a `size` of 8 or more".to_owned()
        })
    }
}

problem! {
    pub struct Battle {
        /// The known cells: 1 for no star, 2 for a star, and 0 for an unknown cell.
        givens: Grid<u8> [square(5..=12, 0..=2)],
        /// Stars in every row, column and region.
        stars: usize [1..=2],
        /// The number of each cell's region. Regions are connected and numbered as they occur in reading order.
        regions: Areas [Areas::of(givens.rows(), givens.rows(), givens.rows()..=givens.rows())],
        /// The one grid that keeps the givens and the rules.
        solution: Grid<u8> [claim, square(5..=12, 1..=2)],
    }
}

impl TaskFamily for StarBattle {
    type Params = StarBattleParams;
    type Problem = Cells<Battle>;

    const ABOUT: About = About {
        summary: "Put stars on a grid so that every row, column and region has as many and no two touch.",
        skills: &["constraint_propagation", "counting", "case_analysis", "spatial_reading"],
        guess_rate: 0.055,
        guess_score: 0.3,
        ..Cells::<Battle>::about("puzzles", "star_battle", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Cells<Battle>> {
        let &StarBattleParams { size, stars, givens_percent, trials } = params;
        let (size, stars) = (size as usize, stars as usize);
        let wanted = Wanted { rows: size, columns: size, most: 2, givens_percent, trials };
        Cells::dig(&wanted, rng, budget, |rng, budget| {
            let solution = loop {
                budget.spend(u64::from(params.size))?;
                if let Some(solution) = placed(size, stars, rng) {
                    break solution;
                }
            };
            let seeds: Vec<usize> = places(&solution).collect();
            let regions = loop {
                budget.spend(seeds.len() as u64)?;
                let single = Areas::grown(size, size, &seeds, rng);
                let regions = if stars == 1 { Some(single) } else { single.paired(rng) };
                if let Some(regions) = regions {
                    break regions;
                }
            };
            Ok(Battle { givens: solution.map(|_| 0), stars, regions, solution })
        })
    }
}

/// Stars at random in one row after the other, none of which touch and at most as many in a column; none if a row has
/// no place for all of its own.
fn placed(size: usize, stars: usize, rng: &mut Rng) -> Option<Grid<u8>> {
    let mut grid = Grid::new(size, vec![1; size * size]);
    let mut in_column = vec![0; size];
    for row in 0..size {
        let touches = |grid: &Grid<u8>, column: usize| {
            let near = column.saturating_sub(1)..(column + 2).min(size);
            let rows = row.saturating_sub(1)..=row;
            rows.flat_map(|row| near.clone().map(move |near| Place::new(row, near)))
                .any(|place| grid[place] == ONE)
        };
        for _ in 0..stars {
            let free = |column: &usize| in_column[*column] < stars && !touches(&grid, *column);
            let free: Vec<usize> = (0..size).filter(free).collect();
            let column = *free.get(rng.index(free.len().max(1)))?;
            grid[row * size + column] = ONE;
            in_column[column] += 1;
        }
    }
    Some(grid)
}

/// The rules of a grid: its rows and columns, its regions, and its blocks of two by two cells.
fn rules(size: usize, stars: usize, regions: &[Vec<usize>]) -> Vec<Counted<Rule>> {
    let lines = Grid::new(size, vec![(); size * size]).lines().into_iter().enumerate();
    let lines = lines.map(|(line, cells)| (Rule::Line(line), cells, stars..=stars));
    let regions = regions.iter().enumerate();
    let regions = regions.map(|(at, cells)| (Rule::Region(at), cells.clone(), stars..=stars));
    let blocks = blocks(size, size).map(|cells| (Rule::Block, cells.to_vec(), 0..=1));
    let all = lines.chain(regions).chain(blocks);
    all.map(|(kind, cells, ones)| Counted { kind, size, count: Count::new(cells, ones) }).collect()
}

/// Some cells have so many stars.
pub enum Rule {
    /// A row or a column.
    Line(usize),
    Region(usize),
    /// Two by two cells.
    Block,
}

impl Kind for Rule {
    const BROKEN: &'static [Label] = &[
        ("stars_in_line", "a row or a column has too few or too many stars"),
        ("stars_in_region", "a region has too few or too many stars"),
        ("stars_touch", "two stars touch, side by side or diagonally"),
    ];

    fn label(&self) -> usize {
        match self {
            Self::Line(_) => 0,
            Self::Region(_) => 1,
            Self::Block => 2,
        }
    }

    fn name(&self, clue: &Counted<Self>) -> String {
        match self {
            Self::Line(line) => line_name(*line, clue.size),
            Self::Region(region) => format!("region {}", Areas::letter(*region)),
            Self::Block => format!("the block from {}", clue.span()),
        }
    }

    fn broken(&self, clue: &Counted<Self>, held: &[usize]) -> String {
        if matches!(self, Self::Block) {
            return format!("the stars at {} touch", clue.listed(held));
        }
        let stars = words::count(held.len(), "star");
        format!("{} has {stars} instead of {}", clue.name(), clue.count.ones.end())
    }
}

impl Clued for Battle {
    type Clue = Counted<Rule>;

    const HALF: u64 = 200;
    const GIVEN: &'static str = "`givens` and `regions`";
    /// The borders of the regions, and the number of stars.
    const CLUE_PLANES: usize = Areas::PLANES + 1;
    const KEPT: Part = Part::new(
        "rules_kept",
        "share of the rows, columns, regions and blocks of two by two cells that keep the rules",
    );
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "solve",
            "Solve this star battle. Put stars on a grid of {size} rows and {size} columns so that every row, every \
             column and every region has exactly {stars#star}. No two stars may touch, not even diagonally. Each letter \
             shows the region of a cell:\n\n{regions}\n\n{given?Some cells are known already: 1 is a star, 0 is no \
             star, and \"{blank}\" is a cell that you have to decide.\n\n{grid}\n\n}Write 1 for a star and 0 for a cell \
             without one.",
        ),
        Prompt::new(
            "beehives",
            "I need help with my orchard. It has {size} rows of {size} plots and is divided into fields, here shown by \
             letters:\n\n{regions}\n\nEvery field must get exactly {stars#beehive}, and so must every row and every \
             column of the orchard. Bees quarrel: two hives must never be in neighboring plots, and plots that meet \
             only at a corner count as neighbors, too.{given? For some plots I have decided already. They are 1 below \
             if they get a hive and 0 if they do not; \"{blank}\" is open.\n\n{grid}\n\n| }Where do the hives go? Mark \
             plots with a hive by 1 and all others by 0.",
        ),
        Prompt::new(
            "towers",
            "A kingdom of {size} by {size} squares has {size} provinces. The map shows each square as the letter of its \
             province:\n\n{regions}\n\nThe king had the towers built by three rules. Every row and every column has \
             exactly {stars#tower}. Every province has exactly {stars#tower}, too. None of the squares that \
             share a side or a corner with a tower's square has another tower.{given? Scouts have seen some squares. \
             They wrote 1 for a tower, 0 for none, and \"{blank}\" for a square that they have not seen:\n\n{grid}\n\n| \
             }Reconstruct the plan of the towers, with 1 for a square with a tower and 0 for any other.",
        ),
        Prompt::held_out(
            "chart",
            "An astronomer cut a chart of {size} by {size} fields into {size} constellations. Fields with the same \
             letter belong to the same constellation:\n\n{regions}\n\nShe noticed that each constellation contains \
             exactly {stars#star}, and so does each row and each column of the chart. No field with a star has another \
             star in any of the fields around it, including the diagonal ones.{given? Part of her list has survived, \
             with 1 for a field with a star, 0 for a field without, and \"{blank}\" where the ink has \
             faded:\n\n{grid}\n\n| }Give the whole chart, as 1 and 0. It is the only one that agrees with all this.",
        ),
        Prompt::held_out(
            "specification",
            "Input: {an} {size} x {size} matrix of letters, the regions of the cells:\n\n{regions}\n\n{given?Known \
             cells (1 or 0; \"{blank}\" is unknown):\n\n{grid}\n\n}Output: {an} {size} x {size} matrix over {{0, \
             1}}.\nConstraints: {given?known cells keep their values; }the ones in each row, in each column and in each \
             region number exactly {stars}; no two ones are adjacent horizontally, vertically or diagonally. Exactly \
             one matrix satisfies all constraints.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.text("stars", self.stars).text("an", words::article(self.givens.rows()));
        slots.either("given", self.givens.cells().iter().any(|given| *given > 0));
        slots.with("regions", || self.regions.drawn(|_| ""));
    }

    fn squares(&self) -> Squares<'_> {
        Squares { givens: &self.givens, solution: &self.solution, most: 2, least: 0 }
    }

    fn squares_mut(&mut self) -> [&mut Grid<u8>; 2] {
        [&mut self.givens, &mut self.solution]
    }

    fn clues(&self) -> impl Iterator<Item = Counted<Rule>> {
        rules(self.givens.rows(), self.stars, &self.regions.cells()).into_iter()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let mut shuffled = |groups: Vec<Vec<usize>>| {
            let groups = groups.into_iter().map(|mut cells| {
                rng.shuffle(&mut cells);
                (cells, self.stars)
            });
            filled::<Rule>(&self.givens, groups, &[])
        };
        let rows = self.givens.lines()[..self.givens.rows()].to_vec();
        vec![
            ("in each row the stars that it lacks", shuffled(rows)),
            ("in each region the stars that it lacks", shuffled(self.regions.cells())),
        ]
    }

    fn shortcuts(&self, _: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let clues: Vec<Counted<Rule>> = self.clues().collect();
        let open = |cells: &Vec<usize>| cells.iter().filter(|cell| self.givens[**cell] == 0).count();
        let filled = |mut groups: Vec<Vec<usize>>| {
            groups.sort_by_key(open);
            filled(&self.givens, groups.into_iter().map(|cells| (cells, self.stars)), &clues)
        };
        vec![
            ("where a star fits, the region with the fewest empty cells first", filled(self.regions.cells())),
            ("where a star fits, the line with the fewest empty cells first", filled(self.givens.lines())),
        ]
    }

    fn drawn(&self, grid: &Grid<u8>, blank: &str) -> String {
        self.regions.drawn(|cell| sign(grid[cell], blank))
    }

    fn board(&self, picture: &mut Picture) {
        self.regions.picture(picture);
    }

    fn observe_clues(&self, planes: &mut [f32]) {
        let (borders, stars) = planes.split_at_mut(Areas::PLANES * self.givens.cells().len());
        self.regions.observe(borders);
        stars.fill(self.stars as f32 / 2.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::shape::rules::{ClueRule, RuledGrid};
    use kit::testing;

    const BATTLE: &str = r#"{
        "givens": [[0, 0, 0, 0, 0], [0, 0, 0, 2, 0], [0, 0, 0, 0, 0], [0, 0, 2, 0, 0], [0, 0, 0, 0, 0]],
        "stars": 1,
        "regions": [[0, 0, 1, 1, 1], [0, 0, 1, 1, 1], [2, 2, 2, 1, 3], [2, 4, 4, 3, 3], [4, 4, 4, 3, 3]],
        "solution": [[1, 2, 1, 1, 1], [1, 1, 1, 2, 1], [2, 1, 1, 1, 1], [1, 1, 2, 1, 1], [1, 1, 1, 1, 2]]
    }"#;

    #[test]
    fn a_verdict_says_which_rule_is_broken() {
        let puzzle: Cells<Battle> = serde_json::from_str(BATTLE).unwrap();
        puzzle.check().unwrap();
        testing::passes(&puzzle, "0 1 0 0 0\n0 0 0 1 0\n1 0 0 0 0\n0 0 1 0 0\n0 0 0 0 1");
        for (wrong, label, detail) in [
            (
                "1 1 0 0 0\n0 0 0 1 0\n0 0 0 0 0\n0 0 1 0 0\n0 0 0 0 1",
                "stars_in_line",
                "row 1 has 2 stars instead of 1",
            ),
            (
                "1 0 0 0 0\n0 0 0 1 0\n0 1 0 0 0\n0 0 1 0 0\n0 0 0 0 1",
                "stars_touch",
                "the stars at r3c2 and r4c3 touch",
            ),
        ] {
            testing::fails(&puzzle, wrong, label, detail);
        }
        let detail = "the given 1 at row 2, column 4 was changed to 0; region C has 2 stars instead of 1";
        let wrong = "0 1 0 0 0\n0 0 0 0 1\n0 0 1 0 0\n1 0 0 0 0\n0 0 0 1 0";
        testing::fails(&puzzle, wrong, "stars_in_region", detail);
    }

    /// Ways to place a star in every row and column without touching, of OEIS A002464, and two stars.
    #[test]
    fn known_counts_are_found() {
        for (size, stars, count) in [(4, 1, 2), (5, 1, 14), (6, 1, 90), (7, 1, 646), (8, 2, 2)] {
            let grid = RuledGrid::new(size, size, 2, rules(size, stars, &[]).into_iter().map(ClueRule));
            let empty = Grid::new(size, vec![0; size * size]);
            let found = grid.completions(&empty, usize::MAX, &mut Budget::unlimited()).unwrap();
            assert_eq!(found.len(), count, "{size} {stars}");
        }
    }
}
