//! Find the one closed loop that has as many sides of each numbered cell as its number says: slitherlink.

use kit::picture::Picture;
use kit::prelude::*;
use kit::shape::rules::{Cells, Clued, Squares, Wanted};
use kit::shared::grid::Grid;
use kit::task::problem::square;

use crate::shared::connected::{Connected, neighbors};
use crate::shared::printed::Printed;

mod rules;

use rules::{Rule, corners, is_crossing, sides};

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
        (5, 85, 20, false),
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
        /// The known cells: 1 for one outside the loop, 2 for one inside, and 0 for an open one.
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

impl Loop {
    fn size(&self) -> usize {
        self.clues.rows()
    }

    fn printed(&self) -> Printed<'_> {
        Printed { numbers: &self.clues, least: 0 }
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
        "share of the numbers, corners and connections of inside and outside that are right",
    );
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "solve",
            "Solve this slitherlink puzzle, in which a single closed loop runs along sides of cells, perhaps also at the edge of \
             the grid. It never crosses or touches itself, not even at a corner. A number says how many of the four sides of its \
             cell belong to the loop; \"-\" is a cell without a number.\n\n{numbers}\n\n{known?Some cells are known to be inside \
             (1) or outside (0), where \"{blank}\" is unknown:\n\n{grid}\n\n}Write down for every cell whether it is inside the \
             loop (1) or outside (0).",
        ),
        Prompt::new(
            "fence",
            "A farm has {size} rows of {size} square fields and one fence, a single closed ring that runs along sides of fields and \
             perhaps along the border of the farm. It passes no point twice. For some fields it is known how many of their four \
             sides are fenced (\"-\" is not known):\n\n{numbers}\n\n{known?Some fields are known to be inside the ring, marked 1, or \
             outside, marked 0; \"{blank}\" may be either.\n\n{grid}\n\n}Only one ring fits. Mark every field inside with 1 and \
             every field outside with 0.",
        ),
        Prompt::new(
            "border",
            "Color each cell black (1) or white (0). All around the grid is white, too. A number counts the sides of its cell at \
             which black meets white, also at the edge of the grid; \"-\" is no number.\n\n{numbers}\n\n{known?Some colors are \
             given, but not those of \"{blank}\":\n\n{grid}\n\n}There is a black cell. The black cells are connected by sides, and \
             from each white cell there is a path out of the grid through white cells that share sides. Where four cells meet, two \
             diagonal ones are never black while the other two are white. Give the coloring.",
        ),
        Prompt::held_out(
            "island",
            "A map of {size} by {size} squares, each land or water, shows one island in the sea, which is also all around the map. Its \
             coast is one closed line that passes no point twice, so there is no lake. For some squares it is known along how many \
             of their four sides the coast runs; \"-\" is any other.\n\n{numbers}\n\n{known?Squares that have been explored, 1 for land \
             and 0 for water, with \"{blank}\" for the others:\n\n{grid}\n\n}Draw the map with 1 for land and 0 for water.",
        ),
        Prompt::held_out(
            "specification",
            "Input: {an} {size} x {size} matrix of numbers, \"-\" where there is none{known?, and a partial 0/1 matrix, \
             \"{blank}\" where it is unknown|}.\n\nNumbers:\n{numbers}\n\n{known?Partial matrix:\n{grid}\n\n}Output: {an} {size} x \
             {size} matrix over {{0, 1}}{known? that agrees with the partial matrix where it is known|}. Cells beyond the matrix \
             count as 0.\nRules: a number equals how many of its cell's four neighbors (up, down, left, right) differ from the \
             cell; the boundary between cells with 1 and cells with 0 is one simple closed curve: it is not empty, connected, and \
             passes each lattice point at most once. Exactly one matrix satisfies this.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        self.printed().slots(self.givens.cells().iter().any(|given| *given > 0), slots);
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
            Some(Rule::Sides { cells: [vec![cell], near].concat(), clue: self.printed().number(cell)?, size })
        });
        let corners = corners(size).into_iter().map(move |cells| Rule::Corner { cells, size });
        let inside = Rule::Inside(Connected::new(size, size, INSIDE));
        let outside = Rule::Outside(Connected::new(size, size, OUTSIDE).with_surroundings());
        sides.chain(corners).chain([inside, outside])
    }

    fn drawn(&self, grid: &Grid<u8>, blank: &str) -> String {
        self.printed().with_marks(grid, blank)
    }

    fn board(&self, picture: &mut Picture) {
        self.printed().board(picture);
    }

    fn observe_clues(&self, planes: &mut [f32]) {
        self.printed().observe(5, planes);
    }

    fn consistent(&self) -> Result<(), String> {
        self.printed().check("clues", &self.givens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::shape::rules::{ClueRule, RuledGrid};
    use kit::testing;

    const LOOP: &str = r#"{
        "clues": [[0, 3, 0, 0], [0, 0, 4, 0], [0, 0, 0, 0], [0, 0, 0, 2]],
        "givens": [[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
        "solution": [[1, 2, 2, 1], [1, 2, 1, 1], [1, 2, 2, 2], [1, 1, 1, 1]]
    }"#;

    #[test]
    fn a_verdict_says_which_rule_is_broken() {
        let clued: Cells<Loop> = serde_json::from_str(LOOP).unwrap();
        clued.check().unwrap();
        testing::passes(&clued, "0 1 1 0\n0 1 0 0\n0 1 1 1\n0 0 0 0");
        let detail = "r4c4 has the number 1, but 3 of its sides on the loop";
        testing::fails(&clued, "0 1 1 0\n0 1 0 0\n0 1 1 1\n0 0 0 1", "clue_broken", detail);
        let detail = "the loop touches itself at the corner between r3c1 and r4c2";
        testing::fails(&clued, "0 1 1 0\n0 1 0 0\n0 1 1 1\n1 0 0 0", "loop_touches_itself", detail);
        let free = unclued();
        testing::fails(
            &free,
            "0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0",
            "not_one_loop",
            "there are no cells inside",
        );
        let detail = "no way over cells inside leads from r1c4 to r4c2";
        testing::fails(&free, "0 0 0 1\n0 0 0 0\n0 0 0 0\n0 1 0 0", "not_one_loop", detail);
        let detail = "no way over cells outside leads from r3c3 to the edge";
        testing::fails(&free, "0 0 0 0\n0 1 1 1\n0 1 0 1\n0 1 1 1", "hole_inside", detail);
    }

    /// The same without numbers.
    fn unclued() -> Cells<Loop> {
        let mut json: serde_json::Value = serde_json::from_str(LOOP).unwrap();
        json["clues"] = serde_json::json!(vec![[0; 4]; 4]);
        serde_json::from_value(json).unwrap()
    }

    /// The loops on a grid of 4 by 4 cells.
    #[test]
    fn known_counts_are_found() {
        let grid = RuledGrid::new(4, 4, INSIDE, unclued().clues().map(ClueRule));
        let empty = Grid::new(4, vec![0; 16]);
        let found = grid.completions(&empty, usize::MAX, &mut Budget::unlimited()).unwrap();
        assert_eq!(found.len(), 9_349);
    }
}
