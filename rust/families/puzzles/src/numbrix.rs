//! Fill a grid so that each number has the next one as a neighbor: numbrix, or hidato where corners touch, too.

use std::iter;

use kit::prelude::*;
use kit::shape::rules::{Cells, Clue, Clued, Squares, Wanted};
use kit::shared::csp::{AllDifferent, Contradiction, Domains, Rule as _};
use kit::shared::grid::Grid;
use kit::task::problem::square;

use crate::shared::printed::short;

pub struct Numbrix;

params! {
    pub struct NumbrixParams {
        /// Rows and columns of the grid.
        size: u32 [4..=7],
        /// Givens, in percent of the cells. A puzzle has more where one solution takes more.
        givens_percent: u32 [0..=90],
        /// True if a number must be tried and contradicted at some point, because the rules alone lead no further.
        trials: bool,
        /// True if cells that touch at a corner are neighbors, too.
        diagonal: bool [structure],
    }
    levels {
        (4, 60, false, false),
        (4, 45, false, false),
        (5, 45, false, false),
        (5, 30, false, false),
        (6, 30, false, false),
        (7, 25, false, false),
        (5, 15, true, false),
        (6, 20, true, false),
        (7, 20, true, false),
    }
    default 3
}

problem! {
    pub struct Way {
        /// The given numbers, 0 for an empty cell.
        givens: Grid<u8> [square(4..=7, 0..=49)],
        /// True if cells that touch at a corner are neighbors, too.
        diagonal: bool,
        /// The one grid that keeps the givens and the rules.
        solution: Grid<u8> [claim, square(4..=7, 1..=49)],
    }
}

impl TaskFamily for Numbrix {
    type Params = NumbrixParams;
    type Problem = Cells<Way>;

    const ABOUT: About = About {
        summary: "Fill a grid with the numbers from 1 on so that each has the next one as a neighbor.",
        skills: &["constraint_propagation", "case_analysis", "counting", "spatial_reading"],
        guess_rate: 0.1,
        guess_score: 0.35,
        ..Cells::<Way>::about("puzzles", "numbrix", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Cells<Way>> {
        let &NumbrixParams { size, givens_percent, trials, diagonal } = params;
        let size = size as usize;
        let wanted = Wanted { rows: size, columns: size, most: (size * size) as u8, givens_percent, trials };
        Cells::dig(&wanted, rng, budget, |rng, budget| {
            budget.spend((size * size * SHUFFLES) as u64)?;
            let solution = way(size, diagonal, rng);
            Ok(Way { givens: solution.map(|_| 0), diagonal, solution })
        })
    }
}

/// Changes of a way for each of its cells.
const SHUFFLES: usize = 20;

/// The neighbors of each cell in reading order.
fn neighbors(size: usize, diagonal: bool) -> Vec<Vec<usize>> {
    let apart = |one: usize, other: usize| {
        let [rows, columns] = [(one / size).abs_diff(other / size), (one % size).abs_diff(other % size)];
        if diagonal { rows.max(columns) } else { rows + columns }
    };
    let near = |cell: usize| (0..size * size).filter(move |other| apart(cell, *other) == 1).collect();
    (0..size * size).map(near).collect()
}

/// A random way over all cells, as numbers from 1 on. It starts as a snake through the rows; each change leads on from one
/// end to a neighbor and turns the part between.
fn way(size: usize, diagonal: bool, rng: &mut Rng) -> Grid<u8> {
    let near = neighbors(size, diagonal);
    let snake = |cell: usize| {
        if (cell / size).is_multiple_of(2) { cell } else { cell + size - 1 - 2 * (cell % size) }
    };
    let mut way: Vec<usize> = (0..size * size).map(snake).collect();
    for _ in 0..size * size * SHUFFLES {
        if rng.chance(1, 2) {
            way.reverse();
        }
        let next = *rng.pick(&near[way[way.len() - 1]]);
        let at = way.iter().position(|cell| *cell == next).expect("a way visits every cell");
        way[at + 1..].reverse();
    }
    let mut grid = Grid::new(size, vec![0; size * size]);
    way.iter().zip(1..).for_each(|(cell, number)| grid[*cell] = number);
    grid
}

pub enum Rule {
    /// All numbers differ; with the number of columns.
    Once(AllDifferent, usize),
    /// A cell and its neighbors, among which are the numbers next to its own.
    Near { cells: Vec<usize>, size: usize },
}

/// The rules of a grid: each number once, then the neighborhood of each cell.
fn rules(size: usize, diagonal: bool) -> impl Iterator<Item = Rule> {
    let near = neighbors(size, diagonal).into_iter().enumerate();
    let near = near.map(move |(cell, near)| Rule::Near { cells: [vec![cell], near].concat(), size });
    iter::once(Rule::Once(AllDifferent((0..size * size).collect()), size)).chain(near)
}

impl Clue for Rule {
    const BROKEN: &'static [Label] = &[
        ("number_repeated", "a number occurs twice"),
        ("next_not_near", "a number does not have the one before or after it as a neighbor"),
    ];

    fn label(&self) -> &'static str {
        Self::BROKEN[usize::from(matches!(self, Self::Near { .. }))].0
    }

    fn scope(&self) -> &[usize] {
        match self {
            Self::Once(cells, _) => &cells.0,
            Self::Near { cells, .. } => cells,
        }
    }

    fn holds(&self, numbers: &[u8]) -> bool {
        match self {
            Self::Once(..) => (1..numbers.len()).all(|at| !numbers[..at].contains(&numbers[at])),
            Self::Near { size, .. } => missing(numbers, *size).is_none(),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Once(..) => "the whole grid".to_owned(),
            Self::Near { cells, size } => format!("the neighborhood of {}", short(cells[0], *size)),
        }
    }

    fn broken(&self, numbers: &[u8]) -> String {
        match self {
            Self::Once(cells, size) => {
                let repeats = |at: &usize| numbers[..*at].contains(&numbers[*at]);
                let at = (0..numbers.len()).find(repeats).unwrap_or_default();
                format!("{} is not the first cell that holds {}", short(cells.0[at], *size), numbers[at])
            }
            Self::Near { cells, size } => {
                let (cell, missing) = (short(cells[0], *size), missing(numbers, *size).unwrap_or_default());
                format!("{cell} holds {}, but none of its neighbors holds {missing}", numbers[0])
            }
        }
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let (cells, most) = match self {
            Self::Once(cells, _) => return cells.narrow(domains),
            Self::Near { cells, size } => (cells, size * size),
        };
        let around = cells[1..].iter().fold(0, |around, cell| around | domains.of(*cell));
        domains.keep(cells[0], (around << 1 | 1 << 1) & (around >> 1 | 1 << most))?;
        let Some(number) = domains.value(cells[0]) else { return Ok(()) };
        for next in [number - 1, number + 1].into_iter().filter(|next| (1..=most).contains(&(*next).into())) {
            let mut places = cells[1..].iter().filter(|cell| domains.of(**cell) >> next & 1 == 1);
            if let (Some(place), None) = (places.next(), places.next()) {
                domains.place(*place, next)?;
            }
        }
        Ok(())
    }
}

/// The number next to that of the first cell, up or down, that none of the others holds.
fn missing(numbers: &[u8], size: usize) -> Option<u8> {
    let number = numbers[0];
    let next = [number.checked_add(1), number.checked_sub(1)].into_iter().flatten();
    let within = |next: &u8| (1..=size * size).contains(&usize::from(*next));
    next.filter(within).find(|next| !numbers[1..].contains(next))
}

impl Way {
    /// The numbers that are not given, in order.
    fn lacking(&self) -> Vec<u8> {
        let last = self.givens.cells().len() as u8;
        (1..=last).filter(|number| !self.givens.cells().contains(number)).collect()
    }

    fn filled(&self, lacking: Vec<u8>) -> Grid<u8> {
        let mut grid = self.givens.clone();
        self.squares().empty().into_iter().zip(lacking).for_each(|(cell, number)| grid[cell] = number);
        grid
    }

    /// From each number to a free neighbor, the nearest to the next given, and the others where there is room.
    fn walked(&self) -> Grid<u8> {
        let size = self.givens.rows();
        let near = neighbors(size, self.diagonal);
        let place = |grid: &Grid<u8>, number: u8| grid.cells().iter().position(|held| *held == number);
        let mut grid = self.givens.clone();
        for number in self.lacking() {
            let later = (number..=(size * size) as u8).find_map(|number| place(&self.givens, number));
            let apart = |cell: usize| {
                let goal = later.unwrap_or(cell);
                (cell / size).abs_diff(goal / size) + (cell % size).abs_diff(goal % size)
            };
            let before = place(&grid, number - 1).map(|cell| near[cell].as_slice()).unwrap_or_default();
            let free = before.iter().filter(|cell| grid[**cell] == 0);
            if let Some(cell) = free.min_by_key(|cell| apart(**cell)) {
                grid[*cell] = number;
            }
        }
        let rest = Self { givens: grid, ..self.clone() };
        rest.filled(rest.lacking())
    }
}

impl Clued for Way {
    type Clue = Rule;

    const HALF: u64 = 200;
    const GIVEN: &'static str = "`givens`";
    /// All ones if cells that touch at a corner are neighbors.
    const CLUE_PLANES: usize = 1;
    const KEPT: Part =
        Part::new("rules_kept", "share of the cells whose number has those before and after it as neighbors");
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "solve",
            "Solve this {name} puzzle. Fill the grid with the numbers from 1 to {last}, each of them exactly once, so that every \
             two consecutive numbers are in neighboring cells: cells that share a side{diagonal? or touch at a corner|, not only \
             a corner}. The numbers that are already there must stay; \"{blank}\" is an empty cell.\n\n{grid}\n",
        ),
        Prompt::new(
            "postman",
            "A postman visited all {last} houses of a village, {size} rows of {size}, and no house twice. From each house he went \
             to {diagonal?one of the houses around it, diagonals included|the one in front, behind, to the left or to the right, never \
             diagonally}. Some people remember his visit: 1 was the first, {last} the last, and \"{blank}\" means that nobody \
             knows.\n\n{grid}\n\nReconstruct his round. Write down for every house the number of his visit.",
        ),
        Prompt::new(
            "message",
            "I need the solution of this number path. It runs 1, 2, 3, ... up to {last} and visits every cell once. Each step goes \
             to the next cell {diagonal?in any of the eight directions|up, down, left or right, no diagonals}. Here is what's \
             printed, with \"{blank}\" for the cells I have to fill in:\n\n{grid}\n\nI know that only one solution exists. Thanks!",
        ),
        Prompt::held_out(
            "king",
            "{diagonal?A king|A rook that moves only one square at a time} toured {an} {size} x {size} board and stood on every \
             square exactly once. Each move led to a square that shares a side{diagonal? or a corner|} with the one before. The \
             squares were numbered in the order of the tour from 1 on, but where \"{blank}\" is, the number has been \
             lost:\n\n{grid}\n\nRestore all the numbers.",
        ),
        Prompt::held_out(
            "specification",
            "Input: {an} {size} x {size} grid of integers, where \"{blank}\" is an unknown cell.\n\n{grid}\n\nOutput: the grid with \
             every unknown cell filled in.\nRules: known cells keep their values; each integer from 1 to {last} occurs exactly \
             once; for each k below {last}, if k is in row r and column c and k + 1 in row s and column d, then \
             {apart} = 1.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.either("diagonal", self.diagonal);
        slots.text("name", if self.diagonal { "hidato" } else { "numbrix" });
        slots.text("apart", if self.diagonal { "max(|r - s|, |c - d|)" } else { "|r - s| + |c - d|" });
        slots.text("last", self.givens.cells().len()).text("an", words::article(self.givens.rows()));
    }

    fn squares(&self) -> Squares<'_> {
        let most = self.givens.cells().len() as u8;
        Squares { givens: &self.givens, solution: &self.solution, most, least: 1 }
    }

    fn squares_mut(&mut self) -> [&mut Grid<u8>; 2] {
        [&mut self.givens, &mut self.solution]
    }

    fn clues(&self) -> impl Iterator<Item = Rule> {
        rules(self.givens.rows(), self.diagonal)
    }

    /// The way can be gone in both directions.
    fn images(&self) -> Vec<Self> {
        let past = self.givens.cells().len() as u8 + 1;
        let backward = |grid: &Grid<u8>| grid.map(|number| if *number > 0 { past - number } else { 0 });
        let (givens, solution) = (backward(&self.givens), backward(&self.solution));
        vec![self.clone(), Self { givens, solution, ..*self }]
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let mut lacking = self.lacking();
        rng.shuffle(&mut lacking);
        vec![("the missing numbers in any order", self.filled(lacking))]
    }

    fn shortcuts(&self, _: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        vec![("from each number toward the next given", self.walked())]
    }

    fn observe_clues(&self, planes: &mut [f32]) {
        planes.fill(f32::from(u8::from(self.diagonal)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::shape::rules::{ClueRule, RuledGrid};
    use kit::testing;

    const WAY: &str = r#"{
        "givens": [[1, 0, 0, 0], [0, 0, 6, 0], [0, 10, 0, 0], [0, 0, 0, 13]], "diagonal": false,
        "solution": [[1, 2, 3, 4], [8, 7, 6, 5], [9, 10, 11, 12], [16, 15, 14, 13]]
    }"#;

    #[test]
    fn a_verdict_says_which_rule_is_broken() {
        let way: Cells<Way> = serde_json::from_str(WAY).unwrap();
        way.check().unwrap();
        testing::passes(&way, "1 2 3 4\n8 7 6 5\n9 10 11 12\n16 15 14 13");
        let detail = "r2c1 holds 9, but none of its neighbors holds 10";
        testing::fails(&way, "1 2 3 4\n9 7 6 5\n8 10 11 12\n16 15 14 13", "next_not_near", detail);
        let detail = "r2c1 is not the first cell that holds 2";
        testing::fails(&way, "1 2 3 4\n2 7 6 5\n9 10 11 12\n16 15 14 13", "number_repeated", detail);
    }

    /// Ways over a square by steps of a rook and of a king.
    #[test]
    fn known_counts_are_found() {
        for (size, diagonal, count) in [(3, false, 40), (4, false, 552), (3, true, 784)] {
            let grid = RuledGrid::new(size, size, (size * size) as u8, rules(size, diagonal).map(ClueRule));
            let empty = Grid::new(size, vec![0; size * size]);
            let found = grid.completions(&empty, usize::MAX, &mut Budget::unlimited()).unwrap();
            assert_eq!(found.len(), count);
        }
    }
}
