//! Put bulbs into a room with walls so that every cell is lit and no bulb lights another: light up, or akari.

use kit::picture::{CELL, Ink, Picture};
use kit::prelude::*;
use kit::shape::rules::{Cells, Clue, Clued, Squares, Wanted};
use kit::shared::grid::Grid;
use kit::task::problem::square;

use crate::shared::connected::neighbors;
use crate::shared::counts::{Count, Counted, Kind, ONE, filled, sign};

pub struct LightUp;

params! {
    pub struct LightUpParams {
        /// Rows and columns of the room.
        size: u32 [4..=14],
        /// Walls, in percent of the cells.
        walls_percent: u32 [5..=40],
        /// Walls with a number, in percent of the walls.
        numbers_percent: u32 [0..=100],
        /// Givens besides the walls, in percent of the cells. A puzzle has more where one solution takes more.
        givens_percent: u32 [0..=90],
        /// True if a cell must be tried and contradicted at some point, because the rules alone lead no further.
        trials: bool,
    }
    levels {
        (5, 20, 60, 20, false),
        (6, 20, 70, 10, false),
        (7, 20, 60, 0, false),
        (10, 20, 40, 0, false),
        (9, 30, 60, 0, true),
        (10, 30, 80, 0, true),
        (12, 30, 80, 0, true),
        (14, 25, 80, 0, true),
    }
    default 3
}

problem! {
    pub struct Room {
        /// 0 for a cell without a wall, 1 for a wall without a number, and two more than its number for any other wall.
        walls: Grid<u8> [square(4..=14, 0..=6)],
        /// The known cells: 1 for no bulb, 2 for a bulb, and 0 for an unknown cell. Walls hold 1.
        givens: Grid<u8> [square(4..=14, 0..=2)],
        /// The one grid that keeps the givens and the rules.
        solution: Grid<u8> [claim, square(4..=14, 1..=2)],
    }
}

impl TaskFamily for LightUp {
    type Params = LightUpParams;
    type Problem = Cells<Room>;

    const ABOUT: About = About {
        summary: "Put bulbs into a room with walls so that every cell is lit and no bulb lights another.",
        skills: &["constraint_propagation", "counting", "case_analysis", "spatial_reading"],
        guess_rate: 0.035,
        guess_score: 0.335,
        ..Cells::<Room>::about("puzzles", "light_up", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Cells<Room>> {
        let &LightUpParams { size, walls_percent, numbers_percent, givens_percent, trials } = params;
        let size = size as usize;
        let wanted = Wanted { rows: size, columns: size, most: 2, givens_percent, trials };
        let mut cells: Vec<usize> = (0..size * size).collect();
        Cells::dig(&wanted, rng, budget, |rng, budget| {
            budget.spend(cells.len() as u64)?;
            rng.shuffle(&mut cells);
            let (built, rest) = cells.split_at(size * size * walls_percent as usize / 100);
            let mut walls = Grid::new(size, vec![0; size * size]);
            for wall in built {
                walls[*wall] = 1;
            }
            let solution = lit(&walls, rest);
            let (numbered, beside) = (built.len() * numbers_percent as usize / 100, neighbors(size, size));
            for wall in &built[..numbered] {
                walls[*wall] += 1 + beside[*wall].iter().filter(|cell| solution[**cell] == ONE).count() as u8;
            }
            Ok(Room { givens: walls.map(|_| 0), walls, solution })
        })
    }
}

/// A bulb in each cell that no bulb before it lights, in this order.
fn lit(walls: &Grid<u8>, order: &[usize]) -> Grid<u8> {
    let runs = runs(walls);
    let mut bulbs = walls.map(|_| 1);
    for cell in order {
        let mut lighting = runs.iter().filter(|run| run.contains(cell));
        if !lighting.any(|run| run.iter().any(|other| bulbs[*other] == ONE)) {
            bulbs[*cell] = ONE;
        }
    }
    bulbs
}

/// The cells between walls, of every row and then of every column.
fn runs(walls: &Grid<u8>) -> Vec<Vec<usize>> {
    let lines = walls.lines();
    let runs = lines.iter().flat_map(|line| line.split(|cell| walls[*cell] > 0));
    runs.filter(|run| !run.is_empty()).map(<[usize]>::to_vec).collect()
}

/// Some cells have so many bulbs.
pub enum Rule {
    /// The cells beside a wall have its number.
    Number(usize),
    /// Of cells without a wall between them in a line, one at most has a bulb.
    Run,
    /// A cell is lit: there is a bulb in it, or in its row or column without a wall between.
    Lit(usize),
    /// No wall has a bulb.
    Walls,
}

impl Kind for Rule {
    const BROKEN: &'static [Label] = &[
        ("bulbs_beside_wall", "beside a wall are more or fewer bulbs than its number says"),
        ("bulb_lit", "a bulb lights another"),
        ("dark_cell", "a cell is not lit"),
        ("bulb_in_wall", "a bulb is in the cell of a wall"),
    ];

    fn label(&self) -> usize {
        match self {
            Self::Number(_) => 0,
            Self::Run => 1,
            Self::Lit(_) => 2,
            Self::Walls => 3,
        }
    }

    fn name(&self, clue: &Counted<Self>) -> String {
        match self {
            Self::Number(wall) => format!("the wall at {}", clue.short(*wall)),
            Self::Run => format!("the line from {}", clue.span()),
            Self::Lit(cell) => format!("the light at {}", clue.short(*cell)),
            Self::Walls => "the place of the walls".to_owned(),
        }
    }

    fn broken(&self, clue: &Counted<Self>, held: &[usize]) -> String {
        match self {
            Self::Number(_) => {
                let bulbs = words::count(held.len(), "bulb");
                format!("{} has {bulbs} beside it instead of {}", clue.name(), clue.count.ones.end())
            }
            Self::Run => format!("the bulbs at {} light each other", clue.listed(held)),
            Self::Lit(cell) => format!("no bulb lights {}", clue.short(*cell)),
            Self::Walls => format!("a bulb is in the wall at {}", clue.listed(held)),
        }
    }
}

impl Clued for Room {
    type Clue = Counted<Rule>;

    const HALF: u64 = 100;
    const GIVEN: &'static str = "`givens` and `walls`";
    /// The walls, those with a number, and the numbers.
    const CLUE_PLANES: usize = 3;
    const KEPT: Part = Part::new(
        "rules_kept",
        "share of the numbers, the lines between walls and the cells that keep the rules",
    );
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "solve",
            "Solve this light up puzzle, also known as akari, on a grid of {size} rows and {size} columns. \"##\" is a \
             wall, \"#\" with a digit is a wall with that number, and every other cell is free. Put bulbs into free \
             cells. A bulb lights its own cell and all cells in its row and its column up to the next wall or the edge. \
             Every free cell must be lit, and no bulb may be lit by another one. A wall with a number has exactly that \
             many bulbs in the cells that share a side with it; a wall without one may have any number of them. \
             \"{blank}\" is a free cell that you have to decide{given?, 1 is one that has a bulb, and 0 is one that has \
             none}.\n\n{drawn}\n\nWrite 1 for a bulb, and 0 for a free cell without one and for a wall.",
        ),
        Prompt::new(
            "museum",
            "Our museum has one large hall of {size} by {size} squares with pillars in it. I drew them as ##, or as #0, \
             #1, #2, #3 or #4.\n\n{drawn}\n\nGuards are to watch all squares without a pillar. A guard sees his own \
             square and, in the four directions along his row and his column, all squares up to a pillar or the end of \
             the hall; he cannot see past a pillar. Guards do not watch each other: a guard must not be in a square \
             that another guard sees. At a pillar with a digit there are exactly as many guards as it says, on the \
             squares directly above, below, left and right of it; at ## there can be any number. Guards never share a \
             square.{given? A 1 means that a guard is already there, and a 0 that nobody will be.} Please tell me for \
             each square marked \"{blank}\" if it gets a guard: 1 if so, 0 if not. Pillars are 0, too.",
        ),
        Prompt::new(
            "garden",
            "A garden is divided into {size} rows of {size} beds. Hedges (## or # and a digit) fill some \
             of them, and each sprinkler takes a bed without a hedge. Its water reaches its own bed and spreads to the \
             left, to the right, up and down from bed to bed until it meets a hedge or leaves the garden. Every bed \
             without a hedge needs the water of at least one sprinkler, but no sprinkler may get the water of another. \
             A hedge with a digit has sprinklers in exactly that many of the beds next to it (not diagonally); beside \
             ## there can be any number.\n\n{drawn}\n\n\"{blank}\" is a bed for which the gardener \
             is undecided{given?; with 1 he has chosen a sprinkler, with 0 none}. Complete the plan: 1 for a sprinkler, \
             0 for none, and 0 for a hedge.",
        ),
        Prompt::held_out(
            "cameras",
            "You install cameras in a warehouse whose floor is a grid with {size} rows and {size} columns. Shelves \
             block the view; they are ## or # with a digit. A camera films the cell that it is in, and from there all \
             cells to the north, south, east and west, in each direction until a shelf or the wall of the warehouse. \
             The contract says: each cell without a shelf is filmed; no camera is filmed by another camera; cameras are \
             in cells without a shelf; in the cells that share a side with a numbered shelf, \
             there are exactly as many cameras as its digit says.{given? For some cells it is settled that they have a \
             camera (1) or have none (0).} Cells with \"{blank}\" are still open.\n\n{drawn}\n\nThere is one way to \
             fulfill the contract. Show it, with 1 for a camera and 0 for any other cell.",
        ),
        Prompt::held_out(
            "specification",
            "Input: {an} {size} x {size} grid. \"##\": wall; \"#k\" with a digit k: wall with the number k; \
             \"{blank}\": unknown free cell{given?; 0, 1: known free cells}.\n\n{drawn}\n\nOutput: {an} {size} x {size} \
             matrix over {{0, 1}}.\nConstraints: known cells keep their values, and walls are 0. Two cells see each \
             other if they are in the same row or column with no wall between them; a cell also sees itself. Every free \
             cell sees at least one 1. Two 1s never see each other. For each wall with a number k, exactly k of the \
             cells that are horizontally or vertically adjacent to it are 1. Exactly one matrix satisfies this.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        let known = |cell: usize| self.givens[cell] > 0 && self.walls[cell] == 0;
        slots.text("an", words::article(self.givens.rows()));
        slots.either("given", (0..self.givens.cells().len()).any(known));
    }

    fn squares(&self) -> Squares<'_> {
        Squares { givens: &self.givens, solution: &self.solution, most: 2, least: 0 }
    }

    fn squares_mut(&mut self) -> [&mut Grid<u8>; 2] {
        [&mut self.givens, &mut self.solution]
    }

    fn clues(&self) -> impl Iterator<Item = Counted<Rule>> {
        let (size, runs, fixed) = (self.walls.rows(), runs(&self.walls), self.fixed());
        let rule = |kind, cells, ones| Counted { kind, size, count: Count::new(cells, ones) };
        let beside = neighbors(self.walls.rows(), self.walls.columns());
        let mut all: Vec<Counted<Rule>> = Vec::new();
        for wall in fixed.iter().filter(|wall| self.walls[**wall] > 1) {
            let free = beside[*wall].iter().copied().filter(|cell| self.walls[*cell] == 0).collect();
            let number = usize::from(self.walls[*wall]) - 2;
            all.push(rule(Rule::Number(*wall), free, number..=number));
        }
        all.extend(runs.iter().filter(|run| run.len() > 1).map(|run| rule(Rule::Run, run.clone(), 0..=1)));
        for cell in (0..size * size).filter(|cell| self.walls[*cell] == 0) {
            let mut seen: Vec<usize> =
                runs.iter().filter(|run| run.contains(&cell)).flatten().copied().collect();
            seen.sort_unstable();
            seen.dedup();
            all.push(rule(Rule::Lit(cell), seen.clone(), 1..=seen.len()));
        }
        all.push(rule(Rule::Walls, fixed, 0..=0));
        all.into_iter()
    }

    fn fixed(&self) -> Vec<usize> {
        (0..self.walls.cells().len()).filter(|cell| self.walls[*cell] > 0).collect()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let numbers = self.clues().filter(|clue| matches!(clue.kind, Rule::Number(_)));
        let beside = numbers.map(|Counted { mut count, .. }| {
            rng.shuffle(&mut count.cells);
            (count.cells, *count.ones.end())
        });
        vec![("beside each wall its number of bulbs", filled::<Rule>(&self.givens, beside, &[]))]
    }

    fn shortcuts(&self, _: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let clues: Vec<Counted<Rule>> = self.clues().collect();
        let group = |clue: &Counted<Rule>| (clue.count.cells.clone(), *clue.count.ones.start());
        let lit = || clues.iter().filter(|clue| matches!(clue.kind, Rule::Lit(_))).map(group);
        let numbers = || clues.iter().filter(|clue| matches!(clue.kind, Rule::Number(_))).map(group);
        let mut largest: Vec<(Vec<usize>, usize)> = numbers().collect();
        largest.sort_by_key(|(cells, number)| cells.len() - number.min(&cells.len()));
        vec![
            ("for each dark cell the first bulb that fits", filled(&self.givens, lit(), &clues)),
            (
                "the fullest walls, then the dark cells",
                filled(&self.givens, largest.into_iter().chain(lit()), &clues),
            ),
        ]
    }

    fn drawn(&self, grid: &Grid<u8>, blank: &str) -> String {
        let cell = |cell: usize| match (self.walls[cell], grid[cell]) {
            (1, _) => "##".to_owned(),
            (2.., _) => format!("#{}", self.walls[cell] - 2),
            (_, number) => sign(number, blank).to_owned(),
        };
        let cells = (0..grid.cells().len()).map(cell).collect();
        Grid::new(grid.columns(), cells).draw(String::clone, |_| " ", |_| None)
    }

    fn board(&self, picture: &mut Picture) {
        for wall in self.fixed() {
            let (row, column) = ((wall / self.walls.columns()) as u32, (wall % self.walls.columns()) as u32);
            picture.cell(row, column, Ink::Black);
            if let Some(number) = self.walls[wall].checked_sub(2) {
                picture.title((column * CELL + 2, row * CELL + 2), 3, number.to_string(), Ink::White);
            }
        }
    }

    fn observe_clues(&self, planes: &mut [f32]) {
        let cells = self.walls.cells().len();
        for wall in self.fixed() {
            planes[wall] = 1.0;
            if let Some(number) = self.walls[wall].checked_sub(2) {
                planes[cells + wall] = 1.0;
                planes[2 * cells + wall] = f32::from(number) / 4.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing;

    const ROOM: &str = r#"{
        "walls": [[0, 0, 1, 0], [0, 0, 0, 3], [1, 5, 0, 0], [0, 0, 0, 0]],
        "givens": [[0, 0, 1, 0], [0, 0, 0, 1], [1, 1, 2, 0], [0, 0, 0, 0]],
        "solution": [[2, 1, 1, 2], [1, 2, 1, 1], [1, 1, 2, 1], [1, 2, 1, 1]]
    }"#;

    #[test]
    fn a_verdict_says_which_rule_is_broken() {
        let puzzle: Cells<Room> = serde_json::from_str(ROOM).unwrap();
        puzzle.check().unwrap();
        let drawn = [" .  . ##  .", " .  .  . #1", "## #3  1  .", " .  .  .  ."];
        assert_eq!(puzzle.drawn(&puzzle.givens, "."), drawn.join("\n"));
        testing::passes(&puzzle, "1 0 0 1\n0 1 0 0\n0 0 1 0\n0 1 0 0");
        let wall = "the given 0 at row 3, column 1 was changed to 1; a bulb is in the wall at r3c1";
        let number = "the wall at r3c2 has 2 bulbs beside it instead of 3";
        for (wrong, label, detail) in [
            ("1 0 0 1\n0 1 0 0\n0 0 1 0\n0 0 0 0", "bulbs_beside_wall", number),
            ("1 0 0 1\n0 1 0 0\n0 0 1 0\n0 1 0 1", "bulb_lit", "the bulbs at r4c2 and r4c4 light each other"),
            ("0 0 0 1\n0 1 0 0\n0 0 1 0\n0 1 0 0", "dark_cell", "no bulb lights r1c1"),
            ("1 0 0 1\n0 1 0 0\n1 0 1 0\n0 1 0 0", "bulb_in_wall", wall),
        ] {
            testing::fails(&puzzle, wrong, label, detail);
        }
    }
}
