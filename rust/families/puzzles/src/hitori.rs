//! Strike cells until no line repeats a number, never two neighbors, and keep the others connected: hitori.

use kit::picture::Picture;
use kit::prelude::*;
use kit::shape::rules::{Cells, Clue, Clued, RuledGrid, Squares, Wanted};
use kit::shared::csp::{AllDifferent, Contradiction, Domains};
use kit::shared::grid::{Grid, Symmetry};
use kit::task::problem::square;

use crate::shared::connected::{Connected, neighbors};
use crate::shared::printed::{Printed, short};

pub struct Hitori;

/// A cell that is kept, written 0, and one that is struck, written 1.
const KEPT: u8 = 1;
const STRUCK: u8 = 2;

params! {
    pub struct HitoriParams {
        /// Rows and columns of the grid.
        size: u32 [4..=10],
        /// Cells that are known to be struck or kept, in percent. A puzzle has more where one solution takes more.
        givens_percent: u32 [0..=90],
        /// True if striking a cell must be tried and contradicted at some point, because the rules alone lead no further.
        trials: bool,
    }
    levels {
        (4, 30, false),
        (5, 25, false),
        (5, 10, false),
        (6, 10, false),
        (7, 5, false),
        (8, 0, false),
        (6, 0, true),
        (8, 0, true),
        (10, 0, true),
    }
    default 3
}

problem! {
    pub struct Strikes {
        numbers: Grid<u8> [square(4..=10, 1..=10)],
        /// The known cells: 1 for one that is kept, 2 for one that is struck, and 0 for an open one.
        givens: Grid<u8> [square(4..=10, 0..=2)],
        /// The one way to strike cells that keeps the givens and the rules.
        solution: Grid<u8> [claim, square(4..=10, 1..=2)],
    }
}

impl TaskFamily for Hitori {
    type Params = HitoriParams;
    type Problem = Cells<Strikes>;

    const ABOUT: About = About {
        summary: "Strike cells so that no line repeats a number, no neighbors are struck and the rest is connected.",
        skills: &["constraint_propagation", "case_analysis", "spatial_reading"],
        guess_rate: 0.1,
        guess_score: 0.35,
        ..Cells::<Strikes>::about("puzzles", "hitori", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Cells<Strikes>> {
        let &HitoriParams { size, givens_percent, trials } = params;
        let size = size as usize;
        let wanted = Wanted { rows: size, columns: size, most: STRUCK, givens_percent, trials };
        Cells::dig(&wanted, rng, budget, |rng, budget| {
            let latin = RuledGrid::new(size, size, size as u8, std::iter::empty::<AllDifferent>());
            let mut numbers = latin.with_lines().random_grid(rng, budget)?;
            let solution = struck(size, rng);
            let lines = numbers.lines();
            for cell in (0..size * size).filter(|cell| solution[*cell] == STRUCK) {
                let (row, column) = (&lines[cell / size], &lines[size + cell % size]);
                let kept = row.iter().chain(column).filter(|other| solution[**other] == KEPT);
                let repeats: Vec<usize> = kept.copied().collect();
                numbers[cell] = numbers[*rng.pick(&repeats)];
            }
            Ok(Strikes { numbers, givens: solution.map(|_| 0), solution })
        })
    }
}

/// As many struck cells as fit, in random order: no two are neighbors, and the others are connected.
fn struck(size: usize, rng: &mut Rng) -> Grid<u8> {
    let (near, connected) = (neighbors(size, size), Connected::new(size, size, KEPT));
    let mut cells: Vec<usize> = (0..size * size).collect();
    rng.shuffle(&mut cells);
    let mut grid = Grid::new(size, vec![KEPT; size * size]);
    for cell in cells {
        grid[cell] = STRUCK;
        if near[cell].iter().any(|next| grid[*next] == STRUCK) || !connected.holds(grid.cells()) {
            grid[cell] = KEPT;
        }
    }
    grid
}

fn pair(cells: [usize; 2], size: usize) -> String {
    let [one, other] = cells.map(|cell| short(cell, size));
    format!("{one} and {other}")
}

/// With the number of columns.
pub enum Rule {
    /// Two neighbors are not both struck.
    Neighbors([usize; 2], usize),
    /// Two cells of a line that hold this number are not both kept.
    Equal([usize; 2], usize, u8),
    Kept(Connected),
}

impl Clue for Rule {
    const BROKEN: &'static [Label] = &[
        ("neighbors_struck", "two neighboring cells are struck"),
        ("repeat_kept", "a number occurs twice among the kept cells of a row or a column"),
        ("kept_apart", "the kept cells are not connected"),
    ];

    fn label(&self) -> &'static str {
        let at = match self {
            Self::Neighbors(..) => 0,
            Self::Equal(..) => 1,
            Self::Kept(_) => 2,
        };
        Self::BROKEN[at].0
    }

    fn scope(&self) -> &[usize] {
        match self {
            Self::Neighbors(cells, _) | Self::Equal(cells, ..) => cells,
            Self::Kept(connected) => connected.scope(),
        }
    }

    fn holds(&self, marks: &[u8]) -> bool {
        match self {
            Self::Neighbors(..) => marks != [STRUCK; 2],
            Self::Equal(..) => marks != [KEPT; 2],
            Self::Kept(connected) => connected.holds(marks),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Neighbors(cells, size) => format!("the pair of neighbors {}", pair(*cells, *size)),
            Self::Equal(cells, size, _) => format!("the pair of equal numbers {}", pair(*cells, *size)),
            Self::Kept(_) => "the connection of the kept cells".to_owned(),
        }
    }

    fn broken(&self, marks: &[u8]) -> String {
        match self {
            Self::Neighbors(cells, size) => format!("{} are neighbors and both struck", pair(*cells, *size)),
            Self::Equal(cells, size, number) => {
                format!("{} are both kept, but both hold {number}", pair(*cells, *size))
            }
            Self::Kept(connected) => connected.broken(marks, "kept cells"),
        }
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let (cells, excluded) = match self {
            Self::Neighbors(cells, _) => (*cells, STRUCK),
            Self::Equal(cells, ..) => (*cells, KEPT),
            Self::Kept(connected) => return connected.narrow(domains),
        };
        let [one, other] = cells;
        for (known, cell) in [(one, other), (other, one)] {
            if domains.value(known) == Some(excluded) {
                domains.keep(cell, !(1 << excluded))?;
            }
        }
        Ok(())
    }
}

impl Strikes {
    fn size(&self) -> usize {
        self.numbers.rows()
    }

    fn printed(&self) -> Printed<'_> {
        Printed { numbers: &self.numbers, least: 1 }
    }

    /// The numbers renamed in the order in which they first occur.
    fn renamed(&self) -> Self {
        let mut names = Vec::new();
        let numbers = self.numbers.map(|number| {
            if !names.contains(number) {
                names.push(*number);
            }
            1 + names.iter().position(|name| name == number).unwrap_or_default() as u8
        });
        Self { numbers, ..self.clone() }
    }
}

impl Clued for Strikes {
    type Clue = Rule;

    const HALF: u64 = 100;
    const GIVEN: &'static str = "`numbers` and `givens`";
    /// The numbers.
    const CLUE_PLANES: usize = 1;
    const KEPT: Part = Part::new(
        "rules_kept",
        "share of the pairs of neighbors and of equal numbers that are not both struck or both kept",
    );
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "solve",
            "Solve this hitori puzzle. Strike some of the cells of the grid so that no number occurs twice among the cells that \
             remain in a row, nor among those that remain in a column. Two struck cells are never side by side or one above the \
             other, and all remaining cells are connected: from each of them you can get to every other by going up, down, left \
             and right over remaining cells.\n\n{numbers}\n\n{known?Part of the solution is known: below, 1 is a struck cell, 0 \
             one that remains, and \"{blank}\" one that is open.\n\n{grid}\n\n}Write the solution as a grid with 1 for a struck \
             cell and 0 for a cell that remains.",
        ),
        Prompt::new(
            "market",
            "The market square has {size} rows of {size} stalls, and this is what each stall sells, by number:\n\n{numbers}\n\nThe \
             mayor wants to close some stalls, so that no two open stalls in the same row, and no two in the same column, sell the \
             same thing. A closed stall may touch another closed one only at a corner. And it must be possible to get from each open \
             stall to every other through open stalls alone, stepping up, down, left or right. {known?Some decisions have been made for good: 1 \
             means closed, 0 means open, and \"{blank}\" means undecided.\n\n{grid}\n\n}Which stalls does she close? In your plan, \
             write 1 for closed and 0 for open.",
        ),
        Prompt::new(
            "message",
            "hey, can you do this hitori for me? here are the numbers:\n\n{numbers}\n\n{known?and this is as far as I got, 1 = blacked out, 0 = \
             stays white, \"{blank}\" = no idea yet (what's there is right, so leave it):\n\n{grid}\n\n}rules in case you forgot: \
             white cells in one row all have different numbers, same for each column. black cells never share a side. and the \
             white cells are in one piece, connected by their sides. there's exactly one solution. send me the whole grid with 1 \
             for black and 0 for white.",
        ),
        Prompt::held_out(
            "choir",
            "A choir stands in {size} rows and {size} columns, and every singer has a song in mind, given here by its \
             number:\n\n{numbers}\n\nSome singers are to sit down, so that all who still stand in a row have different songs in mind, \
             and so do all who still stand in a column. No two who sit may be next to each other in a row or a column. And \
             anyone who stands can pass a note to anyone else who stands, through singers who stand, each handing it to a neighbor \
             in front, behind, to the left or to the right.{known? Some already know that they will sit (1) or stand (0); the others \
             are shown as \"{blank}\":\n\n{grid}\n\n| }Answer with 1 for each singer who sits down and 0 for each who stands.",
        ),
        Prompt::held_out(
            "specification",
            "Input: {an} {size} x {size} matrix A of integers{known? and a partial 0/1 matrix, where \"{blank}\" is unknown|}.\n\n\
             A:\n{numbers}\n\n{known?Partial matrix:\n{grid}\n\n}Output: {an} {size} x {size} matrix B over {{0, 1}}{known? that \
             agrees with the partial matrix where it is known|}.\nRules: no two entries of B that are 1 are horizontally or \
             vertically adjacent; if two entries of a row or a column of A are equal, B is 1 at one of them at least; the entries \
             of B that are 0 are connected by horizontal and vertical adjacency. There is exactly one such B.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        self.printed().slots(self.givens.cells().iter().any(|given| *given > 0), slots);
    }

    fn squares(&self) -> Squares<'_> {
        Squares { givens: &self.givens, solution: &self.solution, most: STRUCK, least: 0 }
    }

    fn squares_mut(&mut self) -> [&mut Grid<u8>; 2] {
        [&mut self.givens, &mut self.solution]
    }

    fn clues(&self) -> impl Iterator<Item = Rule> {
        let size = self.size();
        let near = self.givens.neighbours().into_iter().map(move |cells| Rule::Neighbors(cells, size));
        let pairs = |line: Vec<usize>| -> Vec<[usize; 2]> {
            (0..size)
                .flat_map(|at| line[..at].iter().map(|one| [*one, line[at]]).collect::<Vec<_>>())
                .collect()
        };
        let pairs: Vec<[usize; 2]> = self.givens.lines().into_iter().flat_map(pairs).collect();
        let equal = pairs.into_iter().filter(|[one, other]| self.numbers[*one] == self.numbers[*other]);
        let equal = equal.map(move |cells| Rule::Equal(cells, size, self.numbers[cells[0]]));
        near.chain(equal).chain([Rule::Kept(Connected::new(size, size, KEPT))])
    }

    /// The numbers are but names, whichever way the grid is turned.
    fn images(&self) -> Vec<Self> {
        let turned = |symmetry| {
            let [numbers, givens, solution] =
                [&self.numbers, &self.givens, &self.solution].map(|grid| grid.turned(symmetry));
            Self { numbers, givens, solution }.renamed()
        };
        Symmetry::ALL.map(turned).into()
    }

    fn drawn(&self, grid: &Grid<u8>, blank: &str) -> String {
        self.printed().with_marks(grid, blank)
    }

    fn board(&self, picture: &mut Picture) {
        self.printed().board(picture);
    }

    fn observe_clues(&self, planes: &mut [f32]) {
        self.printed().observe(self.size() as u8, planes);
    }

    fn consistent(&self) -> Result<(), String> {
        self.printed().check("numbers", &self.givens)?;
        let size = self.size();
        let most = self.numbers.cells().iter().copied().max().unwrap_or_default();
        check::that(usize::from(most) <= size, || {
            format!("`numbers` has {most}, but they go from 1 to {size}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing;

    const STRIKES: &str = r#"{
        "numbers": [[3, 1, 2, 3], [1, 2, 4, 4], [1, 3, 4, 1], [3, 4, 2, 2]],
        "givens": [[0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
        "solution": [[2, 1, 1, 1], [1, 1, 2, 1], [2, 1, 1, 1], [1, 1, 2, 1]]
    }"#;

    #[test]
    fn a_verdict_says_which_rule_is_broken() {
        let puzzle: Cells<Strikes> = serde_json::from_str(STRIKES).unwrap();
        puzzle.check().unwrap();
        testing::passes(&puzzle, "1 0 0 0\n0 0 1 0\n1 0 0 0\n0 0 1 0");
        let detail = "r1c1 and r1c2 are neighbors and both struck";
        testing::fails(&puzzle, "1 1 0 0\n0 0 1 0\n1 0 0 0\n0 0 1 0", "neighbors_struck", detail);
        let detail = "r1c1 and r1c4 are both kept, but both hold 3";
        testing::fails(&puzzle, "0 0 0 0\n0 0 1 0\n1 0 0 0\n0 0 1 0", "repeat_kept", detail);
        let message = testing::refused(&puzzle, |json| json["numbers"][1][2] = 5.into());
        assert_eq!(message, "`numbers` has 5, but they go from 1 to 4");
    }

    #[test]
    fn kept_cells_that_touch_at_a_corner_are_apart() {
        let mut json: serde_json::Value = serde_json::from_str(STRIKES).unwrap();
        json["numbers"] = serde_json::json!([[1, 2, 3, 4], [2, 1, 4, 3], [3, 4, 1, 2], [4, 3, 2, 1]]);
        let puzzle: Cells<Strikes> = serde_json::from_value(json).unwrap();
        puzzle.check().unwrap();
        let detail = "no way over kept cells leads from r1c1 to r4c4";
        testing::fails(&puzzle, "0 1 0 0\n1 0 0 0\n0 0 0 0\n0 0 0 0", "kept_apart", detail);
    }
}
