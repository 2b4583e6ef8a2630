//! Give each tree of a grid a tent of its own, so that none touch and rows and columns have their counts: tents.

use kit::picture::{Ink, Picture};
use kit::prelude::*;
use kit::shape::rules::{Cells, Clue, Clued, Squares, Wanted, line_name};
use kit::shared::grid::Grid;
use kit::task::problem::square;

use crate::shared::connected::neighbors;
use crate::shared::counts::{Count, Counted, Kind, ONE, blocks, filled, places, sign};
use pairing::pairs;
use totals::Totals;

mod pairing;
mod totals;

pub struct Tents;

params! {
    pub struct TentsParams {
        /// Rows and columns of the grid.
        size: u32 [4..=12],
        /// Trees, in percent of the cells, if as many find room.
        trees_percent: u32 [10..=22],
        /// Givens besides the trees, in percent of the cells. A puzzle has more where one solution takes more.
        givens_percent: u32 [0..=90],
        /// Rows and columns whose number of tents is given, in percent.
        counts_percent: u32 [0..=100],
        /// True if a cell must be tried and contradicted at some point, because the rules alone lead no further.
        trials: bool,
    }
    levels {
        (5, 20, 25, 100, false),
        (6, 20, 20, 100, false),
        (6, 20, 10, 100, false),
        (7, 20, 0, 100, false),
        (8, 20, 0, 80, false),
        (10, 20, 0, 70, false),
        (8, 20, 0, 60, true),
        (10, 20, 0, 60, true),
        (12, 20, 0, 60, true),
    }
    default 3
}

problem! {
    pub struct Camp {
        /// 1 for a tree, 0 for any other cell.
        trees: Grid<u8> [square(4..=12, 0..=1)],
        /// Number of tents in each row, then in each column; none where it is not said.
        counts: Totals [Totals::of(trees.rows(), trees.rows().div_ceil(2))],
        /// The known cells: 1 for no tent, 2 for a tent, and 0 for an unknown cell. Trees hold 1.
        givens: Grid<u8> [square(4..=12, 0..=2)],
        /// The one grid that keeps the givens and the rules.
        solution: Grid<u8> [claim, square(4..=12, 1..=2)],
    }
}

impl TaskFamily for Tents {
    type Params = TentsParams;
    type Problem = Cells<Camp>;

    const ABOUT: About = About {
        summary: "Give each tree a tent of its own so that none touch and every row and column has its count.",
        skills: &["constraint_propagation", "counting", "matching", "spatial_reading"],
        guess_rate: 0.07,
        guess_score: 0.36,
        ..Cells::<Camp>::about("puzzles", "tents", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Cells<Camp>> {
        let &TentsParams { size, trees_percent, givens_percent, counts_percent, trials } = params;
        let (size, percent) = (size as usize, trees_percent as usize);
        let wanted = Wanted { rows: size, columns: size, most: 2, givens_percent, trials };
        Cells::dig(&wanted, rng, budget, |rng, budget| {
            budget.spend((size * size) as u64)?;
            let [trees, solution] = pitched(size, size * size * percent / 100, rng);
            let counts = Totals::counted(&solution).thinned(counts_percent, rng);
            Ok(Camp { givens: trees.map(|_| 0), trees, counts, solution })
        })
    }
}

/// Up to `most` trees and their tents, none of which touch, at random.
fn pitched(size: usize, most: usize, rng: &mut Rng) -> [Grid<u8>; 2] {
    let mut trees = Grid::new(size, vec![0; size * size]);
    let mut tents = trees.map(|_| 1);
    let (beside, blocks) = (neighbors(size, size), blocks(size, size).collect::<Vec<_>>());
    let mut cells: Vec<usize> = (0..size * size).collect();
    rng.shuffle(&mut cells);
    for cell in cells {
        let touches =
            blocks.iter().any(|block| block.contains(&cell) && block.iter().any(|at| tents[*at] == ONE));
        let is_free = |at: &usize| trees[*at] == 0 && tents[*at] != ONE;
        let free: Vec<usize> = beside[cell].iter().copied().filter(is_free).collect();
        if places(&tents).count() < most && trees[cell] == 0 && !touches && !free.is_empty() {
            tents[cell] = ONE;
            trees[*rng.pick(&free)] = 1;
        }
    }
    [trees, tents]
}

/// Some cells have so many tents.
pub enum Rule {
    /// A row or a column.
    Line(usize),
    /// Two by two cells.
    Block,
    /// The cells beside a tree.
    Tree(usize),
    /// A cell that is a tree, or beside none.
    Bare,
    /// All cells beside trees, and those of each tree: trees and tents can be paired so that each tent is beside its tree.
    Pairs(Vec<Vec<usize>>),
}

impl Kind for Rule {
    const BROKEN: &'static [Label] = &[
        ("tents_in_line", "a row or a column has more or fewer tents than its number says"),
        ("tents_touch", "two tents touch, side by side or diagonally"),
        ("tree_without_tent", "no tent is beside a tree"),
        ("misplaced_tent", "a tent is in the cell of a tree, or beside none"),
        ("no_pairs", "trees and tents cannot be paired so that each tent is beside its tree"),
    ];

    fn label(&self) -> usize {
        match self {
            Self::Line(_) => 0,
            Self::Block => 1,
            Self::Tree(_) => 2,
            Self::Bare => 3,
            Self::Pairs(_) => 4,
        }
    }

    fn name(&self, clue: &Counted<Self>) -> String {
        match self {
            Self::Line(line) => line_name(*line, clue.size),
            Self::Block => format!("the block from {}", clue.span()),
            Self::Tree(tree) => format!("the tree at {}", clue.short(*tree)),
            Self::Bare => format!("the place of {}", clue.listed(&clue.count.cells)),
            Self::Pairs(_) => "the pairing of trees and tents".to_owned(),
        }
    }

    fn broken(&self, clue: &Counted<Self>, held: &[usize]) -> String {
        let (name, tents) = (clue.name(), words::count(held.len(), "tent"));
        match self {
            Self::Line(_) => format!("{name} has {tents} instead of {}", clue.count.ones.end()),
            Self::Block => format!("the tents at {} touch", clue.listed(held)),
            Self::Tree(_) => format!("{name} has no tent beside it"),
            Self::Bare => format!("the tent at {} is on a tree or beside none", clue.listed(held)),
            Self::Pairs(trees) => {
                let pairs = words::count(pairs(trees, held), "pair");
                format!("{} and {tents} give no more than {pairs}", words::count(trees.len(), "tree"))
            }
        }
    }

    /// Each tree needs a cell of its own, and each tent a tree.
    fn fits(&self, certain: &[usize], open: &[usize]) -> bool {
        let Self::Pairs(trees) = self else { return true };
        pairs(trees, open) == trees.len() && pairs(trees, certain) == certain.len()
    }
}

impl Camp {
    fn is_tree(&self, cell: usize) -> bool {
        self.trees[cell] == 1
    }

    /// The cells beside each tree that hold none.
    fn by_tree(&self) -> Vec<Vec<usize>> {
        let beside = neighbors(self.trees.rows(), self.trees.columns());
        let free = |tree: usize| beside[tree].iter().copied().filter(|cell| !self.is_tree(*cell)).collect();
        self.fixed().into_iter().map(free).collect()
    }
}

impl Clued for Camp {
    type Clue = Counted<Rule>;

    const HALF: u64 = 150;
    const GIVEN: &'static str = "`givens`, `trees` and `counts`";
    /// The trees, and the numbers of the rows and columns.
    const CLUE_PLANES: usize = 1 + Totals::PLANES;
    const KEPT: Part =
        Part::new("rules_kept", "share of the rules about lines, blocks, trees and cells that are kept");
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "solve",
            "Solve this tents puzzle. The grid has {size} rows and {size} columns. \"T\" is a tree, and \"{blank}\" is \
             a cell that may or may not hold a tent.{given? A cell with 1 is known to hold a tent, and a cell with 0 to \
             hold none.} Trees and tents form pairs: every tree has exactly one tent of its own, every tent \
             belongs to exactly one tree, and the two are in cells that share a side. A tent may be beside other trees, \
             too. Two tents never touch, not even diagonally. The numbers on the left and above say how many tents are \
             in each row and in each column{hidden?; \"?\" means that the number is unknown}.\n\n{drawn}\n\nWrite 1 for \
             a tent and 0 for every other cell, trees included.",
        ),
        Prompt::new(
            "campsite",
            "I run a campsite of {size} by {size} plots. Some have a tree (T), the others are free for tents \
             ({blank}).{given? I have fixed a few: 1 gets a tent, 0 stays empty.} I have exactly as many guests as \
             trees, and each guest wants a tree that is his alone and directly left or right of his tent, above or \
             below it. Other trees beside his tent do not bother him, but neighbors do: no two tents may be on plots \
             that share a side or a corner. For each row and column I have noted, at its beginning, how many tents it \
             gets{hidden?, but where there is a \"?\" I cannot read my writing}.\n\n{drawn}\n\nWhere do they go? Put 1 \
             for a tent and 0 for any other plot.",
        ),
        Prompt::new(
            "moons",
            "A map of {size} rows and {size} columns shows planets as T. Every planet has exactly one moon, in the cell \
             directly above, below, left or right of it, and every moon belongs to exactly one planet, though it may be \
             beside others. No cell holds two moons, or a planet and a moon, and the eight cells around a moon are free \
             of other moons. The number left of a row or above a column counts its moons{hidden? (\"?\" if they were \
             not counted)}. \"{blank}\" is unexplored{given?, 1 is a known moon, and 0 is a cell known to have \
             none}.\n\n{drawn}\n\nDraw the map of the moons: 1 for a moon, 0 for everything else.",
        ),
        Prompt::held_out(
            "chargers",
            "T marks the places of a car park, {size} rows of {size} places, in which electric cars are parked. Some of \
             the other places get one charger each: as many as there are cars, since each car has a charger of its own, \
             right next to it in its row or in its column. Chargers get hot, so no two may be in neighboring places, not even \
             diagonally. Before each row and above each column is the number of its chargers{hidden?, or \"?\" if \
             it is not known}. {given?A place with 1 has a charger, one with 0 gets none, and n|N}othing is decided \
             about places with \"{blank}\".\n\n{drawn}\n\nGive the only plan, with 1 for a charger and 0 for none.",
        ),
        Prompt::held_out(
            "specification",
            "Input: {an} {size} x {size} grid with a number before each row and above each column{hidden? (\"?\": \
             unspecified)}. T is a tree; \"{blank}\" is an unknown cell{given?; 0 and 1 are known \
             cells}.\n\n{drawn}\n\nOutput: {an} {size} x {size} matrix over {{0, 1}}.\nConstraints: {given?known cells \
             keep their values; }trees are 0; each row and column has as many ones as its number says{hidden?, if it \
             has one}; no two ones are adjacent horizontally, vertically or diagonally; there is a bijection between \
             the trees and the ones that maps each tree to a one that is horizontally or vertically adjacent to it.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        let known = |cell: usize| self.givens[cell] > 0 && !self.is_tree(cell);
        slots.text("an", words::article(self.givens.rows()));
        slots.either("given", (0..self.givens.cells().len()).any(known));
        slots.either("hidden", self.counts.lines().contains(&None));
    }

    fn squares(&self) -> Squares<'_> {
        Squares { givens: &self.givens, solution: &self.solution, most: 2, least: 0 }
    }

    fn squares_mut(&mut self) -> [&mut Grid<u8>; 2] {
        [&mut self.givens, &mut self.solution]
    }

    fn clues(&self) -> impl Iterator<Item = Counted<Rule>> {
        let (size, trees) = (self.trees.rows(), self.by_tree());
        let rule = |kind, cells, ones| Counted { kind, size, count: Count::new(cells, ones) };
        let lines = self.trees.lines().into_iter().zip(self.counts.lines()).enumerate();
        let counts = lines.filter_map(|(line, (cells, total))| {
            let total = usize::from((*total)?);
            Some(rule(Rule::Line(line), cells, total..=total))
        });
        let blocks = blocks(size, size).map(|cells| rule(Rule::Block, cells.into(), 0..=1));
        let by_tree =
            trees.iter().zip(self.fixed()).map(|(cells, tree)| rule(Rule::Tree(tree), cells.clone(), 1..=4));
        let mut all: Vec<Counted<Rule>> = counts.chain(blocks).chain(by_tree).collect();
        let (shaded, bare): (Vec<usize>, Vec<usize>) =
            (0..size * size).partition(|cell| trees.iter().any(|near| near.contains(cell)));
        all.extend(bare.into_iter().map(|cell| rule(Rule::Bare, vec![cell], 0..=0)));
        let tents = trees.len();
        all.push(rule(Rule::Pairs(trees), shaded, tents..=tents));
        all.into_iter()
    }

    fn fixed(&self) -> Vec<usize> {
        (0..self.trees.cells().len()).filter(|cell| self.is_tree(*cell)).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let beside = self.by_tree().into_iter().map(|mut cells| {
            rng.shuffle(&mut cells);
            (cells, 1)
        });
        vec![("a tent beside each tree", filled::<Rule>(&self.givens, beside, &[]))]
    }

    fn shortcuts(&self, _: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let clues: Vec<Counted<Rule>> = self.clues().collect();
        let filled =
            |trees: Vec<Vec<usize>>| filled(&self.givens, trees.into_iter().map(|cells| (cells, 1)), &clues);
        let mut fewest = self.by_tree();
        fewest.sort_by_key(|cells| cells.iter().filter(|cell| self.givens[**cell] == 0).count());
        vec![
            ("beside each tree the first cell in which a tent fits", filled(self.by_tree())),
            ("where a tent fits, the tree with the fewest empty cells first", filled(fewest)),
        ]
    }

    fn drawn(&self, grid: &Grid<u8>, blank: &str) -> String {
        let cell = |cell: usize| if self.is_tree(cell) { "T" } else { sign(grid[cell], blank) };
        let cells = (0..grid.cells().len()).map(cell).collect();
        self.counts.around(&Grid::new(grid.columns(), cells).draw(|sign| *sign, |_| " ", |_| None), "?")
    }

    fn board(&self, picture: &mut Picture) {
        let trees = self.fixed().into_iter().map(|tree| self.trees.place(tree));
        trees.for_each(|tree| picture.cell(tree.row as u32, tree.column as u32, Ink::Green));
        self.counts.picture(picture);
    }

    fn observe_clues(&self, planes: &mut [f32]) {
        let (trees, counts) = planes.split_at_mut(self.trees.cells().len());
        self.fixed().into_iter().for_each(|tree| trees[tree] = 1.0);
        self.counts.observe(counts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing;

    const CAMP: &str = r#"{
        "trees": [[0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 1, 0, 0, 0]],
        "counts": [2, 0, 1, 0, 1, 1, 0, 2, 1, null],
        "givens": [[0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1], [0, 0, 1, 0, 0], [0, 1, 0, 0, 0]],
        "solution": [[2, 1, 1, 2, 1], [1, 1, 1, 1, 1], [1, 1, 2, 1, 1], [1, 1, 1, 1, 1], [1, 1, 2, 1, 1]]
    }"#;

    #[test]
    fn a_verdict_says_which_rule_is_broken() {
        let puzzle: Cells<Camp> = serde_json::from_str(CAMP).unwrap();
        puzzle.check().unwrap();
        let drawn =
            ["   1 0 2 1 ?", "2  . T . . .", "0  . . . T .", "1  . . . . 0", "0  . . T . .", "1  . T . . ."];
        assert_eq!(puzzle.drawn(&puzzle.givens, "."), drawn.join("\n"));
        testing::passes(&puzzle, "1 0 0 1 0\n0 0 0 0 0\n0 0 1 0 0\n0 0 0 0 0\n0 0 1 0 0");
        let [alone, bare] =
            ["4 trees and 4 tents give no more than 3 pairs", "the tree at r2c4 has no tent beside it"];
        for (rows, label, detail) in [
            (["0 0 0 1 0", "0 0 1 0 0", "0 0 1 0 0"], "tents_in_line", "row 1 has 1 tent instead of 2"),
            (["0 0 1 1 0", "1 0 0 0 0", "0 0 1 0 0"], "tents_touch", "the tents at r1c3 and r1c4 touch"),
            (["1 0 1 0 0", "0 0 1 0 0", "0 0 0 1 0"], "tree_without_tent", bare),
            (["1 0 1 0 0", "0 0 0 1 0", "0 0 1 0 0"], "no_pairs", alone),
        ] {
            let wrong = format!("{}\n0 0 0 0 0\n{}\n0 0 0 0 0\n{}", rows[0], rows[1], rows[2]);
            testing::fails(&puzzle, &wrong, label, detail);
        }
    }
}
