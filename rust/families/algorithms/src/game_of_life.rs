//! Compute generations of Conway's Game of Life.

use kit::prelude::*;
use kit::shape::value::{Exact, Value};
use kit::shared::grid::{Grid, Symmetry};
use kit::task::form::grid::OUT_OF_RANGE;

pub struct GameOfLife;

params! {
    pub struct GameOfLifeParams {
        /// Rows and columns of the board.
        size: u32 [4..=20],
        /// Generations to compute.
        generations: u32 [1..=12],
        /// True if the edges of the board are joined, left to right and top to bottom. Otherwise, all cells
        /// beyond them are dead.
        joined_edges: bool [structure],
    }
    levels {
        (4, 1, false),
        (5, 1, false),
        (7, 1, false),
        (6, 2, true),
        (8, 2, true),
        (8, 3, true),
        (9, 5, true),
        (12, 6, true),
        (15, 10, true),
    }
    default 3
}

/// A square of cells, 1 where one is alive, and how many generations to compute.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    cells: Grid<u8>,
    generations: u32,
    joined_edges: bool,
}

/// Fewest live cells at the end: an empty board would be easy to guess.
const FEWEST_ALIVE: usize = 3;
/// Maximum percentage of live cells at the start.
const MOST_ALIVE: u64 = 55;

impl TaskFamily for GameOfLife {
    type Params = GameOfLifeParams;
    type Problem = Value<Board>;

    const ABOUT: About = About {
        summary: "Compute generations of Conway's Game of Life.",
        distinct_from: 1,
        skills: &["simulation", "counting", "bookkeeping"],
        guess_rate: 0.004,
        guess_score: 0.004,
        ..Value::<Board>::about("algorithms", "game_of_life", &["First version."])
    };

    /// Draws boards until cells live at the end and every generation differs from all before it.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Value<Board>> {
        let (size, generations) = (params.size as usize, params.generations);
        loop {
            budget.spend((size * size) as u64 * u64::from(generations))?;
            let of_a_hundred = 20 + rng.below(MOST_ALIVE - 20);
            let cells = (0..size * size).map(|_| u8::from(rng.below(100) < of_a_hundred)).collect();
            let board =
                Board { cells: Grid::new(size, cells), generations, joined_edges: params.joined_edges };
            let lived = board.lived();
            let changing = (1..lived.len()).all(|at| !lived[..at].contains(&lived[at]));
            if changing && board.check().is_ok() {
                return Ok(Value(board));
            }
        }
    }
}

fn alive(cells: &Grid<u8>) -> usize {
    cells.cells().iter().copied().map(usize::from).sum()
}

/// The rows of a board, 1 where a cell lives.
fn rows(cells: &Grid<u8>, between: &str, [dead, lives]: [&str; 2]) -> String {
    let row = |row: &[u8]| row.iter().map(|cell| if *cell == 1 { lives } else { dead }).collect::<Vec<_>>();
    let rows = cells.cells().chunks(cells.columns()).map(|cells| row(cells).join(" "));
    rows.joined(between)
}

impl Board {
    /// Neighbors of a cell.
    fn neighbors(&self, cell: usize) -> impl Iterator<Item = usize> {
        const AROUND: [[isize; 2]; 8] =
            [[-1, -1], [-1, 0], [-1, 1], [0, -1], [0, 1], [1, -1], [1, 0], [1, 1]];
        let (size, joined) = (self.cells.columns() as isize, self.joined_edges);
        let (row, column) = (cell as isize / size, cell as isize % size);
        AROUND.into_iter().filter_map(move |[down, right]| {
            let (row, column) = (row + down, column + right);
            let inside = (0..size).contains(&row) && (0..size).contains(&column);
            let at = row.rem_euclid(size) * size + column.rem_euclid(size);
            (inside || joined).then_some(at as usize)
        })
    }

    fn next(&self, cells: &Grid<u8>) -> Grid<u8> {
        let lives = |cell: usize| {
            let around = self.neighbors(cell).filter(|neighbor| cells[*neighbor] == 1).count();
            u8::from(around == 3 || (around == 2 && cells[cell] == 1))
        };
        Grid::new(cells.columns(), (0..cells.cells().len()).map(lives).collect())
    }

    /// The given board and the board after each generation.
    fn lived(&self) -> Vec<Grid<u8>> {
        let first = Some(self.cells.clone());
        let lived = std::iter::successors(first, |cells| Some(self.next(cells)));
        lived.take(self.generations as usize + 1).collect()
    }
}

impl Fields for Board {
    fn check(&self) -> Result<(), String> {
        let (rows, columns) = (self.cells.rows(), self.cells.columns());
        check::that(rows == columns && (3..=24).contains(&rows), || {
            format!("`cells` is {rows} by {columns}, but must be a square of 3 to 24 rows")
        })?;
        check::each("cells", self.cells.cells(), |cell| *cell < 2, "cells are 0 or 1")?;
        check::within("generations", &self.generations, 1..=16)?;
        let last = self.value();
        check::that(alive(&last) >= FEWEST_ALIVE, || {
            format!("`cells` leads to a board with fewer than {FEWEST_ALIVE} live cells")
        })?;
        check::that(last != self.cells, || "`cells` leads back to itself".to_owned())
    }

    /// Rotates or mirrors the board.
    fn twin(&self, rng: &mut Rng) -> Self {
        Self { cells: self.cells.turned(*rng.pick(&Symmetry::ALL)), ..self.clone() }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let turned = Symmetry::ALL.map(|symmetry| self.cells.turned(symmetry).cells().to_vec());
        let first = turned.into_iter().min().expect("there are eight");
        [&[self.generations as u8, u8::from(self.joined_edges)], first.as_slice()].concat()
    }

    /// Changes the number of generations by one, or flips a cell.
    fn edit(&mut self, aim: Aim, rng: &mut Rng) -> bool {
        match aim {
            Aim::Harder => self.generations += 1,
            Aim::Easier if self.generations > 1 => self.generations -= 1,
            Aim::Easier => {
                let size = self.cells.columns() - 1;
                self.cells =
                    Grid::from_fn(size, size, |place| self.cells[place.row * (size + 1) + place.column]);
            }
            Aim::Same => {}
        }
        // If the board would die out, another cell may keep it alive.
        if aim == Aim::Same || rng.chance(1, 2) {
            let cell = rng.index(self.cells.cells().len());
            self.cells[cell] ^= 1;
        }
        true
    }
}

impl Exact for Board {
    type Of = Grid<u8>;

    const HALF: u64 = 1_200;
    const MISTAKES: &'static [Label] = &[
        OUT_OF_RANGE,
        ("unchanged", "the answer is the starting board"),
        ("too_early", "the answer is an earlier generation"),
        ("too_late", "the answer is the next generation"),
    ];
    const PARTS: &'static [Part] = &[Part::new("right_cells", "share of the cells that are right")];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "conway",
            "This is a position in Conway's Game of Life, with 1 for a live cell and 0 for a dead one:\n\n{digits}\n\nThe \
             neighbors of a cell are the cells next to it horizontally, vertically and diagonally. From one generation to the \
             next, all cells change at the same time. A live cell stays alive if exactly 2 or exactly 3 of its neighbors are \
             alive; otherwise it dies. A dead cell comes to life if exactly 3 of its neighbors are alive; otherwise it stays \
             dead. {joined?The edges of the board are joined: the first column is next to the last and the first row is next to \
             the last, so every cell has 8 neighbors.|All cells beyond the edges of the board are dead and stay dead.} What does \
             the board look like after {generations#generation}?",
        ),
        Prompt::new(
            "rules",
            "Cellular automaton on {a} {size} x {size} grid\n\nInitial state (# = live, . = dead):\n\n{signs}\n\nUpdate rules, \
             applied to all cells simultaneously:\n- A live cell with 2 or 3 live neighbors stays alive.\n- A live cell with \
             fewer than 2 or more than 3 live neighbors dies.\n- A dead cell with exactly 3 live neighbors becomes alive.\n- Any \
             other dead cell stays dead.\n\nNeighborhood: the cells that share a side or a corner\nBoundary: {joined?joined \
             edges; each edge of the grid is adjacent to the opposite edge, so that every cell has 8 neighbors|cells outside the \
             grid are permanently dead}\nOutput: the grid after {generations#generation}, with 1 for a live cell and 0 for a dead \
             cell\n",
        ),
        Prompt::new(
            "message",
            "I wrote a Game of Life simulator and would like a second opinion before I trust it. This is my starting grid, 1 for \
             alive and 0 for dead:\n\n{digits}\n\nThe rules are the classic ones. A live cell survives if it has exactly 2 or 3 \
             live neighbors out of the cells around it (diagonals count), a dead cell is born if it has exactly 3, and \
             everything else is dead in the next generation. The whole grid updates at once. {joined?My grid wraps around in both \
             directions: going off the right edge brings you back on the left, and going off the bottom brings you back at the \
             top.|My grid doesn't wrap around, and I treat everything outside it as dead forever.} What should I see after \
             {generations#generation}?",
        ),
        Prompt::held_out(
            "lamps",
            "A wall is covered with a square grid of lamps. Right now, some are on (1) and the others are off \
             (0):\n\n{digits}\n\nOnce a minute, all of the lamps switch at the same moment. A lamp is on after the switch if \
             exactly 3 of its neighbors were on just before it, or if exactly 2 of its neighbors were on and the lamp was on \
             itself. In all other cases it is off after the switch. The neighbors of a lamp are the lamps next to it, above, \
             below, to the left, to the right and diagonally. {joined?Opposite edges of the grid count as touching each other \
             (the first column is next to the last, and the first row is next to the last), so every lamp has 8 \
             neighbors.|There are no other lamps, so the ones at the edges have fewer neighbors.} Which lamps are on after \
             {generations#minute}?",
        ),
        Prompt::held_out(
            "sums",
            "Let a(r, c) be the entry in row r and column c of the following {size} x {size} array, with r and c from 0 to \
             {last}.\n\n{digits}\n\nIn one step, all entries are replaced simultaneously. Let s be the sum of the 8 entries a(r \
             + i, c + j) with i and j from -1 to 1, not both 0; {joined?row and column numbers are taken modulo the size of the \
             array|entries outside the array count as 0}. The new value of a(r, c) is 1 if s = 3, or if s = 2 and the old value \
             of a(r, c) is 1. Otherwise, it is 0. Compute the array after {generations#step}.",
        ),
    ];

    fn slots(&self, slots: &mut Slots<'_>) {
        let size = self.cells.columns();
        slots.text("size", size).text("last", size - 1).text("generations", self.generations);
        slots.with("a", || words::article(size)).either("joined", self.joined_edges);
        slots.with("digits", || rows(&self.cells, "\n", ["0", "1"]));
        slots.with("signs", || rows(&self.cells, "\n", [".", "#"]));
    }

    fn form(&self) -> impl Form<Read = Grid<u8>> {
        let size = self.cells.columns();
        form::Grid { what: "the final grid", rows: size, columns: size, low: 0, high: 1, empty: None }
    }

    fn value(&self) -> Grid<u8> {
        self.lived().pop().expect("the board itself is there")
    }

    fn what(&self) -> String {
        "the final board".to_owned()
    }

    /// No partial credit for a wrong board: most cells are dead before and after.
    fn diagnosed(&self, answer: &Grid<u8>, plain: Failure) -> Failure {
        let lived = self.lived();
        let right = &lived[lived.len() - 1];
        let wrong = |cell: &usize| answer[*cell] != right[*cell];
        let Some(first) = (0..right.cells().len()).find(wrong) else { return plain };
        let (place, given) = (right.place(first), answer[first]);
        let verdict = Failure::wrong(format!("{place} should be {}, not {given}", right[first]));
        let verdict = match lived.iter().position(|cells| cells == answer) {
            Some(0) => verdict.also("unchanged"),
            Some(_) => verdict.also("too_early"),
            None if *answer == self.next(right) => verdict.also("too_late"),
            None => verdict,
        };
        let count = right.cells().len();
        verdict.part("right_cells", 1.0 - (0..count).filter(wrong).count() as f32 / count as f32)
    }

    fn mistakes(&self, faults: Faults, rng: &mut Rng) -> Vec<Grid<u8>> {
        let lived = self.lived();
        let right = &lived[lived.len() - 1];
        let mut turned = || {
            let mut turned = right.clone();
            faults.draw(right.cells().len(), rng).into_iter().for_each(|cell| turned[cell] ^= 1);
            turned
        };
        let empty = right.map(|_| 0);
        vec![turned(), turned(), self.next(right), lived[lived.len() - 2].clone(), empty]
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let few = self.cells.map(|_| u8::from(rng.chance(1, 4)));
        let kept = self.cells.map(|cell| if rng.chance(1, 2) { *cell } else { 0 });
        vec![
            ("the board as given", self.cells.clone()),
            ("an empty board", self.cells.map(|_| 0)),
            ("a few cells anywhere", few),
            ("some of the live cells", kept),
        ]
    }

    /// The generations. Each costs a look at every cell with its neighbors.
    fn work(&self, work: &mut Work) {
        let neighbors: usize = (0..self.cells.cells().len()).map(|cell| self.neighbors(cell).count()).sum();
        let mut cells = self.cells.clone();
        for at in 1..=self.generations {
            work.with(neighbors as u64, || {
                cells = self.next(&cells);
                format!("After generation {at}, the rows are {}", rows(&cells, ", ", ["0", "1"]))
            });
        }
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        // Every live cell adds to its neighbors' counts, whereas the solution counts neighbors for each cell.
        let mut cells = self.cells.clone();
        for _ in 0..self.generations {
            let mut told = cells.map(|_| 0u8);
            for (cell, _) in cells.cells().iter().enumerate().filter(|(_, lives)| **lives == 1) {
                self.neighbors(cell).for_each(|neighbor| told[neighbor] += 1);
            }
            let lives = |(told, lives): (&u8, &u8)| u8::from(*told == 3 || (*told == 2 && *lives == 1));
            cells =
                Grid::new(self.cells.columns(), told.cells().iter().zip(cells.cells()).map(lives).collect());
        }
        check::that(cells == self.value(), || "`cells` leads to two different boards".to_owned())?;
        Ok(Certificate::unique(format!("computed in two ways: {} cells are alive in the end", alive(&cells))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(rows: &[&str], generations: u32, joined_edges: bool) -> Board {
        let cells = rows.concat().bytes().map(|cell| u8::from(cell == b'#')).collect();
        Board { cells: Grid::new(rows.len(), cells), generations, joined_edges }
    }

    #[test]
    fn a_blinker_turns_and_turns_back() {
        let upright = [".....", "..#..", "..#..", "..#..", "....."];
        let lying = board(&[".....", ".....", ".###.", ".....", "....."], 1, false);
        assert_eq!(board(&upright, 1, false).value(), lying.cells);
        assert!(board(&upright, 2, false).check().unwrap_err().contains("leads back to itself"));
    }

    #[test]
    fn a_glider_comes_round_where_edges_are_joined() {
        let glider = [".#...", "..#..", "###..", ".....", "....."];
        // It moves one cell down and right in four generations, across the edges too.
        let moved = [".....", "..#..", "...#.", ".###.", "....."];
        assert_eq!(board(&glider, 4, true).value(), board(&moved, 1, true).cells);
        assert_ne!(board(&glider, 16, true).value(), board(&glider, 16, false).value());
        assert_eq!(alive(&board(&glider, 16, true).value()), 5);
    }
}
