//! Fill a Latin square in which the numbers of each cage make a target: calcudoku.

use kit::picture::{CELL, Ink, Picture};
use kit::prelude::*;
use kit::shape::rules::{Clued, Latin, Squares, Wanted, shown};
use kit::shared::grid::Grid;
use kit::task::problem::square;

use crate::shared::areas::Areas;
use cages::{Cage, Cages, Operation};

mod cages;

pub struct Calcudoku;

params! {
    pub struct CalcudokuParams {
        /// Rows and columns of the grid.
        size: u32 [3..=8],
        /// Most cells of a cage.
        largest: u32 [2..=4],
        /// Operations that cages may have: the first so many of sum, difference, product and quotient.
        operations: u32 [1..=4],
        /// Givens, in percent of the cells. A puzzle has more where one solution takes more.
        givens_percent: u32 [0..=90],
        /// True if a number must be tried and contradicted at some point, because the rules alone lead no further.
        trials: bool,
    }
    levels {
        (4, 2, 1, 30, false),
        (4, 3, 2, 12, false),
        (5, 3, 3, 20, false),
        (5, 3, 4, 0, false),
        (6, 3, 4, 0, false),
        (5, 4, 4, 0, true),
        (6, 4, 4, 0, true),
        (7, 4, 4, 0, true),
        (8, 4, 4, 2, true),
    }
    default 3
}

problem! {
    pub struct Square {
        /// The given numbers, 0 for an empty cell.
        givens: Grid<u8> [square(3..=8, 0..=8)],
        /// The cages with their targets.
        cages: Cages [givens.rows()],
        /// The one square that fits the givens and the cages.
        solution: Grid<u8> [claim, square(3..=8, 1..=8)],
    }
}

impl TaskFamily for Calcudoku {
    type Params = CalcudokuParams;
    type Problem = Latin<Square>;

    const ABOUT: About = About {
        summary: "Fill a Latin square in which the numbers of each cage have a sum, difference, product or quotient.",
        skills: &["arithmetic", "constraint_propagation", "case_analysis", "spatial_reading"],
        guess_rate: 0.007,
        guess_score: 0.155,
        ..Latin::<Square>::about("puzzles", "calcudoku", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Latin<Square>> {
        let &CalcudokuParams { size, largest, operations, givens_percent, trials } = params;
        let (size, largest, operations) = (size as usize, largest as usize, operations as usize);
        let wanted = Wanted { rows: size, columns: size, most: size as u8, givens_percent, trials };
        Latin::generate(&wanted, Vec::new(), rng, budget, |solution, rng| Square {
            givens: solution.map(|_| 0),
            cages: Cages::drawn_for(solution, largest, &Operation::ALL[..operations], rng),
            solution: solution.clone(),
        })
    }
}

impl Clued for Square {
    type Clue = Cage;

    const HALF: u64 = 100;
    const GIVEN: &'static str = "`givens` and `cages`";
    const CLUE_PLANES: usize = Areas::PLANES + 2;
    const KEPT: Part = Part::new(
        "rules_kept",
        "share of the rows and columns that hold every number and of the cages that make their target",
    );
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "solve",
            "Solve this calcudoku puzzle. Fill a grid of {size} rows and {size} columns with the numbers from 1 to {size}, so \
             that each row and each column contains every number exactly once. The grid is divided into cages. This map shows \
             a letter for each cell; the cells with the same letter are one cage, and capital and small letters are \
             different:\n\n{map}\n\nIn each cage the numbers must make its target:\n\n{cages:{letter}: {target}}\n\n\
             {terms} A number may occur twice in a cage if the rows and columns allow it. These numbers are given and must stay; \
             \"{blank}\" is an empty cell:\n\n{grid}\n",
        ),
        Prompt::new(
            "friend",
            "Can you help me with a number puzzle? It's {an} {size} by {size} square, and every row and every column has to have \
             each of the numbers 1 to {size} once. On top of that there are groups of cells, one group for each letter (\"a\" \
             and \"A\" would be two groups):\n\n{map}\n\nThis is what the numbers of each group have to come to:\n\n\
             {cages:- {letter} ({cells}): {target}}\n\n{terms} The same number twice in a group is fine unless it's the same \
             row or column. Here's what I have so far, with \"{blank}\" where nothing is written yet:\n\n{grid}\n\nI'm sure that \
             these numbers are right. What's the complete square?",
        ),
        Prompt::new(
            "program",
            "A program stores a Latin square m of order {size}: each row and each column is a permutation of 1 to {size}. Cell \
             r2c1 means row 2, column 1, counted from 1 at the top left. Known cells, with \"{blank}\" for an unknown \
             one:\n\n{grid}\n\nThe cells are partitioned into groups, and for each group it is known what its numbers \
             make:\n\n{cages:{letter}: {cells} -> {target}}\n\n{terms} Numbers in a group may repeat. Print the square.",
        ),
        Prompt::held_out(
            "tiles",
            "A mosaic of {size} by {size} tiles has a number from 1 to {size} on each tile. No number occurs twice in a row or \
             in a column. Each tile belongs to a patch, named by a letter (small and capital letters differ):\n\n{map}\n\n\
             On the back of each patch the maker wrote what its numbers make:\n\n{cages:{letter}: {target}}\n\n{terms} Within a \
             patch a number may be there more than once. Some tiles can still be read, and \"{blank}\" marks the \
             others:\n\n{grid}\n\nWhat did the mosaic look like?",
        ),
        Prompt::held_out(
            "specification",
            "Input: {an} {size} x {size} grid in which \"{blank}\" is an unknown cell, a map of its regions (one \
             letter each; upper and lower case differ), and a target for each region.\n\nGrid:\n{grid}\n\nRegions:\n{map}\n\nTargets:\n\
             {cages:{letter} = {target}}\n\nOutput: the grid with every unknown cell filled in.\n\
             Rules: known cells keep their values; each row and each column contains each of 1 to {size} once; the numbers of \
             each region make its target, and may repeat in it. {terms}",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.text("an", words::article(self.givens.rows()));
        slots.with("map", || self.cages.areas.drawn(|_| ""));
        slots.with("terms", || self.terms());
        slots.lines("cages", self.cages.clues(), |line, cage| {
            let place = |cell: &usize| self.givens.place(*cell).short();
            line.text("letter", cage.letter).text("target", cage.wanted());
            line.text("cells", cage.cells.iter().map(place).listed());
        });
    }

    fn squares(&self) -> Squares<'_> {
        Squares { givens: &self.givens, solution: &self.solution, most: self.givens.rows() as u8, least: 1 }
    }

    fn squares_mut(&mut self) -> [&mut Grid<u8>; 2] {
        [&mut self.givens, &mut self.solution]
    }

    fn clues(&self) -> impl Iterator<Item = Cage> {
        self.cages.clues()
    }

    fn drawn(&self, grid: &Grid<u8>, blank: &str) -> String {
        let targets = self.cages.clues().map(|cage| format!("{}: {}", cage.letter, cage.wanted()));
        let map = self.cages.areas.drawn(|cell| shown(grid[cell], blank));
        [map, String::new()].into_iter().chain(targets).lines()
    }

    fn board(&self, picture: &mut Picture) {
        self.cages.areas.picture(picture);
        let size = self.givens.columns();
        for Cage { cells, target, .. } in self.cages.clues() {
            let (row, column) = ((cells[0] / size) as u32, (cells[0] % size) as u32);
            let sign = if cells.len() == 1 { "" } else { target.operation.sign() };
            picture.title(
                (column * CELL + 3, row * CELL + 1),
                1,
                format!("{}{sign}", target.number),
                Ink::Red,
            );
        }
    }

    fn observe_clues(&self, planes: &mut [f32]) {
        let size = self.givens.cells().len();
        let (borders, targets) = planes.split_at_mut(Areas::PLANES * size);
        self.cages.areas.observe(borders);
        for Cage { cells, target, .. } in self.cages.clues() {
            for cell in cells {
                targets[cell] = target.number as f32 / (target.number + 20) as f32;
                targets[size + cell] = (target.operation as u32 + 1) as f32 / 4.0;
            }
        }
    }
}

impl Square {
    /// Meaning of the words of the targets, as far as they occur.
    fn terms(&self) -> String {
        let cages: Vec<Cage> = self.cages.clues().collect();
        let occurs = |operation: Operation| {
            cages.iter().any(|cage| cage.cells.len() > 1 && cage.target.operation == operation)
        };
        let alone = cages.iter().any(|cage| cage.cells.len() == 1);
        let terms = [
            (occurs(Operation::Sum), "The sum is all of them added."),
            (occurs(Operation::Product), "The product is all of them multiplied."),
            (
                occurs(Operation::Difference),
                "The difference is of two numbers, the larger one minus the smaller one, wherever they are.",
            ),
            (
                occurs(Operation::Quotient),
                "The quotient is of two numbers, the larger one divided by the smaller one, wherever they are, without a remainder.",
            ),
            (alone, "A target without a word is the number of a single cell."),
        ];
        let terms: Vec<&str> = terms.into_iter().filter(|(said, _)| *said).map(|(_, term)| term).collect();
        terms.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing;

    const SQUARE: &str = r#"{
        "givens": [[0, 0, 0], [0, 0, 0], [0, 0, 2]],
        "cages": {
            "areas": [[0, 0, 1], [2, 1, 1], [2, 3, 4]],
            "targets": [
                {"operation": "quotient", "number": 2}, {"operation": "product", "number": 9},
                {"operation": "difference", "number": 1}, {"operation": "sum", "number": 1},
                {"operation": "sum", "number": 2}
            ]
        },
        "solution": [[1, 2, 3], [2, 3, 1], [3, 1, 2]]
    }"#;

    #[test]
    fn a_verdict_says_which_cage_is_wrong() {
        let square: Latin<Square> = serde_json::from_str(SQUARE).unwrap();
        square.check().unwrap();
        testing::passes(&square, "1 2 3\n2 3 1\n3 1 2");
        for (wrong, detail) in [
            (
                "2 3 1\n3 1 2\n1 2 3",
                "the given 2 at row 3, column 3 was changed to 3; the quotient of cage A is not whole, but must be 2",
            ),
            (
                "2 1 3\n1 3 2\n3 2 1",
                "the given 2 at row 3, column 3 was changed to 1; the product of cage B is 18, but must be 9",
            ),
        ] {
            testing::fails(&square, wrong, "wrong_cage", detail);
        }
        let message =
            testing::refused(&square, |json| json["cages"]["targets"][1]["operation"] = "difference".into());
        assert_eq!(message, "`cages.targets[1]` is a difference, but its cage does not have two cells");
        let drawn = [
            "A. A. B.",
            "C. B. B.",
            "C. D. E2",
            "",
            "A: quotient 2",
            "B: product 9",
            "C: difference 1",
            "D: 1",
            "E: 2",
        ];
        assert_eq!(square.drawn(&square.givens, "."), drawn.join("\n"));
    }
}
