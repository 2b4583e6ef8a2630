//! Find the one closed loop that has as many sides of each numbered cell as its number says: slitherlink.

use kit::picture::{CELL, Ink, Picture};
use kit::prelude::*;
use kit::shape::rules::{Cells, Clue, Clued, Squares, Wanted};
use kit::shared::csp::{Contradiction, Domains};
use kit::shared::grid::{Grid, Place};
use kit::task::problem::square;

use crate::connected::{Connected, neighbors};

pub struct Slitherlink;

/// A cell outside the loop, written 0, and one inside, written 1.
const OUTSIDE: u8 = 1;
const INSIDE: u8 = 2;

params! {
    pub struct SlitherlinkParams {
        /// Rows and columns of the grid.
        size: u32 [4..=10],
        /// Cells with a number, in percent.
        clues_percent: u32 [20..=100],
        /// Cells that are known to be inside or outside, in percent. A puzzle has more where one solution takes more.
        givens_percent: u32 [0..=90],
        /// True if a side of the loop must be tried and contradicted at some point, because the rules alone lead no further.
        trials: bool,
    }
    levels {
        (4, 100, 40, false),
        (4, 75, 7, false),
        (5, 100, 10, false),
        (6, 75, 3, false),
        (7, 70, 2, false),
        (8, 60, 0, false),
        (6, 70, 0, true),
        (8, 65, 0, true),
        (9, 62, 0, true),
    }
    default 3
}

problem! {
    pub struct Loop {
        /// One more than the number in each cell, 0 without a number.
        clues: Grid<u8> [square(4..=10, 0..=4)],
        /// What is known of the cells: 1 for one outside the loop, 2 for one inside, and 0 for an open one.
        givens: Grid<u8> [square(4..=10, 0..=2)],
        /// The cells inside the one loop that fits.
        solution: Grid<u8> [claim, square(4..=10, 1..=2)],
    }
}

impl TaskFamily for Slitherlink {
    type Params = SlitherlinkParams;
    type Problem = Cells<Loop>;

    const ABOUT: About = About {
        summary: "Find the cells inside a closed loop that has a given number of sides of some cells.",
        skills: &["constraint_propagation", "case_analysis", "counting", "spatial_reading"],
        guess_rate: 0.1,
        guess_score: 0.35,
        ..Cells::<Loop>::about("puzzles", "slitherlink", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Cells<Loop>> {
        let &SlitherlinkParams { size, clues_percent, givens_percent, trials } = params;
        let size = size as usize;
        let wanted = Wanted { rows: size, columns: size, most: INSIDE, givens_percent, trials };
        let near = neighbors(size, size);
        let mut order: Vec<usize> = (0..size * size).collect();
        Cells::dig(&wanted, rng, budget, |rng, budget| {
            budget.spend((size * size * size * size) as u64)?;
            let solution = grown(size, rng);
            let mut clues = solution.map(|_| 0);
            rng.shuffle(&mut order);
            for cell in &order[..size * size * clues_percent as usize / 100] {
                let around: Vec<u8> = near[*cell].iter().map(|next| solution[*next]).collect();
                clues[*cell] = 1 + sides(solution[*cell], &around);
            }
            Ok(Loop { clues, givens: solution.map(|_| 0), solution })
        })
    }
}

/// Number of sides of a cell that the loop takes, given what its neighbors are; around the grid all is outside.
fn sides(cell: u8, near: &[u8]) -> u8 {
    let beyond = if cell == INSIDE { 4 - near.len() } else { 0 };
    (beyond + near.iter().filter(|next| **next != cell).count()) as u8
}

/// The inside of a random loop: cells are added until no other fits, those with one neighbor inside rather than others.
fn grown(size: usize, rng: &mut Rng) -> Grid<u8> {
    let near = neighbors(size, size);
    let (corners, outside) = (corners(size), Connected::new(size, size, OUTSIDE).with_surroundings());
    let mut grid = Grid::new(size, vec![OUTSIDE; size * size]);
    grid[rng.index(size * size)] = INSIDE;
    let mut order: Vec<usize> = (0..size * size).collect();
    for _ in 0..3 {
        rng.shuffle(&mut order);
        for cell in &order {
            let beside = near[*cell].iter().filter(|next| grid[**next] == INSIDE).count();
            if grid[*cell] == INSIDE || beside == 0 || beside > 1 && !rng.chance(1, 4) {
                continue;
            }
            grid[*cell] = INSIDE;
            let touches = |corner: &[usize; 4]| is_crossing(&corner.map(|cell| grid[cell]));
            if corners.iter().any(touches) || !outside.holds(grid.cells()) {
                grid[*cell] = OUTSIDE;
            }
        }
    }
    grid
}

/// The four cells around every point inside the grid, row by row.
fn corners(size: usize) -> Vec<[usize; 4]> {
    let at = |row: usize, column: usize| row * size + column;
    let around =
        |row, column| [at(row, column), at(row, column + 1), at(row + 1, column), at(row + 1, column + 1)];
    (0..size - 1).flat_map(|row| (0..size - 1).map(move |column| around(row, column))).collect()
}

/// True if the loop would come to the point between four cells twice.
fn is_crossing(cells: &[u8]) -> bool {
    cells[0] == cells[3] && cells[1] == cells[2] && cells[0] != cells[1]
}

/// The most cells of a rule that narrows by trying every combination.
const MOST: usize = 5;

pub enum Rule {
    /// The loop takes this number of sides of the first cell; the others are its neighbors.
    Sides {
        cells: Vec<usize>,
        clue: u8,
        size: usize,
    },
    /// The loop does not touch itself at the point between four cells.
    Corner {
        cells: [usize; 4],
        size: usize,
    },
    Inside(Connected),
    Outside(Connected),
}

impl Clue for Rule {
    const BROKEN: &'static [Label] = &[
        ("clue_broken", "the loop takes more or fewer sides of a cell than its number says"),
        ("loop_touches_itself", "the loop comes to a point twice"),
        ("not_one_loop", "no cell is inside, or the cells inside are not connected"),
        ("hole_inside", "cells inside enclose cells outside"),
    ];

    fn label(&self) -> &'static str {
        let at = match self {
            Self::Sides { .. } => 0,
            Self::Corner { .. } => 1,
            Self::Inside(_) => 2,
            Self::Outside(_) => 3,
        };
        Self::BROKEN[at].0
    }

    fn scope(&self) -> &[usize] {
        match self {
            Self::Sides { cells, .. } => cells,
            Self::Corner { cells, .. } => cells,
            Self::Inside(connected) | Self::Outside(connected) => connected.scope(),
        }
    }

    fn holds(&self, cells: &[u8]) -> bool {
        match self {
            Self::Sides { clue, .. } => sides(cells[0], &cells[1..]) == *clue,
            Self::Corner { .. } => !is_crossing(cells),
            Self::Inside(connected) | Self::Outside(connected) => connected.holds(cells),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Sides { cells, clue, size } => format!("the {clue} in {}", short(cells[0], *size)),
            Self::Corner { cells, size } => {
                format!("the corner between {} and {}", short(cells[0], *size), short(cells[3], *size))
            }
            Self::Inside(_) => "the connection of the inside".to_owned(),
            Self::Outside(_) => "the connection of the outside".to_owned(),
        }
    }

    fn place(&self) -> String {
        match self {
            Self::Sides { cells, size, .. } => format!("the number in {}", short(cells[0], *size)),
            _ => self.name(),
        }
    }

    fn broken(&self, values: &[u8]) -> String {
        match self {
            Self::Sides { cells, clue, size } => {
                let (cell, taken) = (short(cells[0], *size), sides(values[0], &values[1..]));
                format!("{cell} has the number {clue}, but {taken} of its sides on the loop")
            }
            Self::Corner { cells, size } => {
                let (one, other) = (short(cells[0], *size), short(cells[3], *size));
                format!("the loop touches itself at the corner between {one} and {other}")
            }
            Self::Inside(connected) => connected.broken(values, "cells inside"),
            Self::Outside(connected) => connected.broken(values, "cells outside"),
        }
    }

    fn narrow(&self, domains: &mut Domains) -> Result<(), Contradiction> {
        let scope = match self {
            Self::Inside(connected) | Self::Outside(connected) => return connected.narrow(domains),
            _ => self.scope(),
        };
        let (mut kept, mut cells) = ([0; MOST], [OUTSIDE; MOST]);
        let cells = &mut cells[..scope.len()];
        for bits in 0..1u8 << scope.len() {
            cells.iter_mut().enumerate().for_each(|(at, cell)| *cell = OUTSIDE + (bits >> at & 1));
            let open = scope.iter().zip(&*cells).all(|(cell, value)| domains.of(*cell) >> value & 1 == 1);
            if open && self.holds(cells) {
                kept.iter_mut().zip(&*cells).for_each(|(kept, value)| *kept |= 1 << value);
            }
        }
        scope.iter().zip(kept).try_for_each(|(cell, kept)| domains.keep(*cell, kept))
    }
}

fn short(cell: usize, size: usize) -> String {
    Place::new(cell / size, cell % size).short()
}

impl Loop {
    fn size(&self) -> usize {
        self.clues.rows()
    }

    fn number(&self, cell: usize) -> Option<u8> {
        self.clues[cell].checked_sub(1)
    }

    /// The clues as text.
    fn shown(&self) -> String {
        let clue = |clue: &u8| clue.checked_sub(1).map_or("-".to_owned(), |clue| clue.to_string());
        self.clues.draw(clue, |_| " ", |_| None)
    }

    fn filled(&self, inside: impl Fn(usize) -> bool) -> Grid<u8> {
        let mut grid = self.givens.clone();
        self.squares().empty().into_iter().for_each(|cell| grid[cell] = OUTSIDE + u8::from(inside(cell)));
        grid
    }
}

impl Clued for Loop {
    type Clue = Rule;

    const HALF: u64 = 80;
    const GIVEN: &'static str = "`clues` and `givens`";
    /// One more than the number of each cell.
    const CLUE_PLANES: usize = 1;
    const KEPT: Part = Part::new(
        "rules_kept",
        "share of the numbers, of the points between four cells, and of the connections of inside and outside, that keep \
         the rules",
    );
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "solve",
            "Solve this slitherlink puzzle, in which a single closed loop runs along the lines between the cells and along the \
             edge of the grid. It neither crosses nor touches itself, not even at a corner. A number says how many of the four \
             sides of its cell belong to the loop; \"-\" is a cell without a number.\n\n{clues}\n\n{known?Some cells are known to \
             be inside (1) or outside (0) the loop, where \"{blank}\" is unknown:\n\n{grid}\n\n}Write down for every cell \
             whether it is inside the loop (1) or outside (0).",
        ),
        Prompt::new(
            "fence",
            "A farm is divided into {size} rows of {size} square fields. The farmer has put up one fence, a single closed ring \
             along the sides of fields, which may also run along the border of the farm. The fence passes no point twice, so it \
             never meets itself. He has forgotten which fields are inside, but for some fields he knows how many of their four \
             sides are fenced (\"-\" where he does not know):\n\n{clues}\n\n{known?He also remembers some fields inside, marked \
             1, and some outside, marked 0; \"{blank}\" is one that he is not sure about.\n\n{grid}\n\n}Only one ring fits. Mark \
             every field inside with 1 and every field outside with 0.",
        ),
        Prompt::new(
            "border",
            "Color each cell of the grid black (1) or white (0). Everything around the grid counts as white. The border between black \
             and white must be exactly one closed line that does not touch itself: so there is a black cell, all black cells \
             hang together by their sides, from each white cell one can get out of the grid over sides of white cells, and no two \
             cells of one color meet only at a corner, with the two other cells there in the other color. A number counts the sides of \
             its cell that are part of this border, sides at the edge of the grid included; \"-\" means no number.\n\n{clues}\n\n\
             {known?These cells are colored already, \"{blank}\" are not:\n\n{grid}\n\n}Give the coloring.",
        ),
        Prompt::held_out(
            "island",
            "A map of {size} by {size} squares shows one island in the sea. Each square is either land or water, and there is only \
             water around the map. The coast is one single closed line: no lake, no second island, and nowhere does the coast touch \
             itself, not even in a point. For some squares it is known on how many of their four sides the coast runs, and \"-\" \
             is a square for which it is not known.\n\n{clues}\n\n{known?Squares that have been explored, 1 for land, 0 for water, \
             \"{blank}\" for the others:\n\n{grid}\n\n}Draw the map with 1 for land and 0 for water.",
        ),
        Prompt::held_out(
            "specification",
            "Input: {an} {size} x {size} matrix of numbers, \"-\" where there is none{known?, and a partial 0/1 matrix, \
             \"{blank}\" where it is unknown|}.\n\nNumbers:\n{clues}\n\n{known?Partial matrix:\n{grid}\n\n}Output: {an} {size} x \
             {size} matrix over {{0, 1}}{known? that agrees with the partial matrix where it is known|}. Cells beyond the matrix \
             count as 0.\nRules: the number of a cell equals the number of its four neighbors (up, down, left, right) whose value \
             differs from its own; the boundary between cells with 1 and cells with 0 is one simple closed curve, that is, it is \
             not empty, connected, and passes each lattice point at most once. Exactly one matrix satisfies this.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.either("known", self.givens.cells().iter().any(|given| *given > 0));
        slots.text("an", words::article(self.size()));
        slots.with("clues", || self.shown());
    }

    fn squares(&self) -> Squares<'_> {
        Squares { givens: &self.givens, solution: &self.solution, most: INSIDE, least: 0 }
    }

    fn squares_mut(&mut self) -> [&mut Grid<u8>; 2] {
        [&mut self.givens, &mut self.solution]
    }

    fn clues(&self) -> impl Iterator<Item = Rule> {
        let size = self.size();
        let near = neighbors(size, size).into_iter().enumerate();
        let sides = near.filter_map(move |(cell, near)| {
            Some(Rule::Sides { cells: [vec![cell], near].concat(), clue: self.number(cell)?, size })
        });
        let corners = corners(size).into_iter().map(move |cells| Rule::Corner { cells, size });
        let inside = Rule::Inside(Connected::new(size, size, INSIDE));
        let outside = Rule::Outside(Connected::new(size, size, OUTSIDE).with_surroundings());
        sides.chain(corners).chain([inside, outside])
    }

    fn guesses(&self, _: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let last = self.size() - 1;
        let place = |cell: usize| self.givens.place(cell);
        let at_edge = |cell: usize| {
            let Place { row, column } = place(cell);
            [row, column].iter().any(|at| *at == 0 || *at == last)
        };
        let much = |cell: usize| self.number(cell).is_some_and(|number| number > 1);
        vec![
            ("all but the edge inside", self.filled(|cell| !at_edge(cell))),
            ("cells with a large number inside", self.filled(much)),
        ]
    }

    fn drawn(&self, grid: &Grid<u8>, blank: &str) -> String {
        let mark = |mark: &u8| mark.checked_sub(1).map_or(blank.to_owned(), |mark| mark.to_string());
        format!("{}\n\n{}", self.shown(), grid.draw(mark, |_| " ", |_| None))
    }

    fn board(&self, picture: &mut Picture) {
        for cell in 0..self.clues.cells().len() {
            let Place { row, column } = self.clues.place(cell);
            let at = (column as u32 * CELL + 2, row as u32 * CELL + 2);
            self.number(cell).into_iter().for_each(|clue| picture.title(at, 2, clue.to_string(), Ink::Red));
        }
    }

    fn observe_clues(&self, planes: &mut [f32]) {
        planes.iter_mut().zip(self.clues.cells()).for_each(|(cell, clue)| *cell = f32::from(*clue) / 4.0);
    }

    fn consistent(&self) -> Result<(), String> {
        let (size, rows) = (self.size(), self.givens.rows());
        check::that(size == rows, || format!("`givens` has {rows} rows, but `clues` has {size}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing;

    const LOOP: &str = r#"{
        "clues": [[0, 3, 0, 0], [0, 0, 4, 0], [0, 0, 0, 0], [0, 0, 0, 2]],
        "givens": [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
        "solution": [[1, 2, 2, 1], [1, 2, 1, 1], [1, 2, 2, 2], [1, 1, 1, 1]]
    }"#;

    #[test]
    fn a_verdict_says_which_rule_is_broken() {
        let puzzle: Cells<Loop> = serde_json::from_str(LOOP).unwrap();
        puzzle.check().unwrap();
        testing::passes(&puzzle, "0 1 1 0\n0 1 0 0\n0 1 1 1\n0 0 0 0");
        for (wrong, label, detail) in [
            (
                "0 1 1 0\n0 1 0 0\n0 1 1 1\n0 0 0 1",
                "clue_broken",
                "r4c4 has the number 1, but 3 of its sides on the loop",
            ),
            (
                "0 1 1 0\n0 1 0 0\n0 1 1 1\n1 0 0 0",
                "loop_touches_itself",
                "the loop touches itself at the corner between r3c1 and r4c2",
            ),
        ] {
            testing::fails(&puzzle, wrong, label, detail);
        }
        let mut json: serde_json::Value = serde_json::from_str(LOOP).unwrap();
        json["clues"] = serde_json::json!(vec![[0; 4]; 4]);
        let puzzle: Cells<Loop> = serde_json::from_value(json).unwrap();
        for (wrong, label, detail) in [
            ("0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0", "not_one_loop", "there are no cells inside"),
            (
                "0 0 0 1\n0 0 0 0\n0 0 0 0\n0 1 0 0",
                "not_one_loop",
                "no way over cells inside leads from r1c4 to r4c2",
            ),
            (
                "0 0 0 0\n0 1 1 1\n0 1 0 1\n0 1 1 1",
                "hole_inside",
                "no way over cells outside leads from r3c3 to the edge",
            ),
        ] {
            testing::fails(&puzzle, wrong, label, detail);
        }
    }

    /// The loops of a grid without numbers.
    #[test]
    fn known_counts_are_found() {
        use kit::shape::rules::{ClueRule, RuledGrid};
        let mut json: serde_json::Value = serde_json::from_str(LOOP).unwrap();
        json["clues"] = serde_json::json!(vec![[0; 4]; 4]);
        let puzzle: Cells<Loop> = serde_json::from_value(json).unwrap();
        let grid = RuledGrid::new(4, 4, INSIDE, puzzle.clues().map(ClueRule));
        let empty = puzzle.solution.map(|_| 0);
        let found = grid.completions(&empty, usize::MAX, &mut Budget::unlimited()).unwrap();
        assert_eq!(found.len(), 9_349);
    }
}
