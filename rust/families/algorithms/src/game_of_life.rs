//! Work out some generations of Conway's Game of Life.

use kit::shared::grid::{Grid, Symmetry};
use kit::task::form::grid::OUT_OF_RANGE;
use kit::task::prelude::*;
use kit::words::count;

pub struct GameOfLife;

params! {
    pub struct GameOfLifeParams {
        /// Rows and columns of the board.
        size: u32 [4..=20],
        /// Generations to be worked out.
        generations: u32 [1..=12],
        /// Whether the edges of the board are joined, left to right and top to bottom; else all is dead beyond them.
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
    default (6, 2, false)
}

/// A square of cells, 1 where one lives, and how many generations are to be worked out.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    cells: Grid<u8>,
    generations: u32,
    joined_edges: bool,
}

/// Fewest cells that live in the end: a board without any could be guessed.
const FEWEST_ALIVE: usize = 3;
/// The most cells of a hundred that live at the start.
const MOST_ALIVE: u64 = 55;

impl TaskFamily for GameOfLife {
    type Params = GameOfLifeParams;
    type Problem = Board;

    const ABOUT: About = About {
        summary: "Work out some generations of Conway's Game of Life.",
        distinct_from: 1,
        failures: &[
            OUT_OF_RANGE,
            ("unchanged", "the board as it is given"),
            ("too_early", "a generation before the one asked for"),
            ("too_late", "the generation after the one asked for"),
        ],
        parts: &[Part::new("right_cells", "share of the cells that are right")],
        skills: &["simulation", "counting", "bookkeeping"],
        guess_rate: 0.004,
        guess_score: 0.004,
        ..About::new("algorithms", "game_of_life", &["First version."])
    };

    /// Drawn until cells live in the end and every generation differs from all before it.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Board> {
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
                return Ok(board);
            }
        }
    }

    fn certify(&self, board: &Board, _: &mut Budget) -> Result<Certificate, Uncertified> {
        // Every living cell tells its neighbours of itself, where the solution asks each cell for its own.
        let mut cells = board.cells.clone();
        for _ in 0..board.generations {
            let mut told = cells.map(|_| 0u8);
            for (cell, _) in cells.cells().iter().enumerate().filter(|(_, lives)| **lives == 1) {
                board.neighbours(cell).for_each(|neighbour| told[neighbour] += 1);
            }
            let lives = |(told, lives): (&u8, &u8)| u8::from(*told == 3 || (*told == 2 && *lives == 1));
            cells =
                Grid::new(board.cells.columns(), told.cells().iter().zip(cells.cells()).map(lives).collect());
        }
        check::that(cells == board.last(), || "`cells` lead to two different boards".to_owned())?;
        Ok(Certificate::unique(format!("worked out twice over: {} cells live in the end", alive(&cells))))
    }

    /// With a generation more or less, or with a cell turned.
    fn mutate(&self, board: &Board, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Board> {
        let mut mutated = board.clone();
        match aim {
            Aim::Harder => mutated.generations += 1,
            Aim::Easier if mutated.generations > 1 => mutated.generations -= 1,
            Aim::Easier => {
                let size = board.cells.columns() - 1;
                mutated.cells =
                    Grid::from_fn(size, size, |place| board.cells[place.row * (size + 1) + place.column]);
            }
            Aim::Same => mutated.cells[rng.index(board.cells.cells().len())] ^= 1,
        }
        mutated.check().is_ok().then_some(mutated)
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
    /// The cells around a cell.
    fn neighbours(&self, cell: usize) -> impl Iterator<Item = usize> {
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
            let around = self.neighbours(cell).filter(|neighbour| cells[*neighbour] == 1).count();
            u8::from(around == 3 || (around == 2 && cells[cell] == 1))
        };
        Grid::new(cells.columns(), (0..cells.cells().len()).map(lives).collect())
    }

    /// The board as it is given and after each generation.
    fn lived(&self) -> Vec<Grid<u8>> {
        let first = Some(self.cells.clone());
        let lived = std::iter::successors(first, |cells| Some(self.next(cells)));
        lived.take(self.generations as usize + 1).collect()
    }

    fn last(&self) -> Grid<u8> {
        self.lived().pop().expect("the board itself is there")
    }

    /// What lies beyond the edges.
    fn edges(&self) -> &'static str {
        if self.joined_edges {
            "The edges are joined: beyond the last column comes the first, and beyond the last row comes the first, \
             so every cell has 8 neighbours."
        } else {
            "Beyond the edges of the board all cells are dead and stay so."
        }
    }
}

impl Problem for Board {
    type Answer = Grid<u8>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("conway", |board| {
            format!(
                "This is a board of Conway's Game of Life, with 1 for a living cell and 0 for a dead one:\n\n{}\n\nFrom \
                 one generation to the next, a living cell stays alive if 2 or 3 of its up to 8 neighbours, diagonal ones \
                 too, are alive; a dead cell comes to life if exactly 3 are. All other cells are dead. All \
                 cells change at once. {} What does the board look like after {}?",
                rows(&board.cells, "\n", ["0", "1"]),
                board.edges(),
                count(board.generations as usize, "generation")
            )
        }),
        Template::plain("rules", |board| {
            format!(
                "A board of cells develops by these rules:\n\
                 - A live cell with fewer than 2 or more than 3 live neighbours dies.\n\
                 - A live cell with 2 or 3 live neighbours lives on.\n\
                 - A dead cell with exactly 3 live neighbours becomes alive.\n\nCells are neighbours if they touch along a \
                 side or at a corner, and all of them are updated at the same time. {} Live cells are shown as #, dead ones \
                 as a point:\n\n{}\n\nFind the board after {}, written with 1 for live and 0 for dead cells.",
                board.edges(),
                rows(&board.cells, "\n", [".", "#"]),
                count(board.generations as usize, "generation")
            )
        }),
        Template::held_out_plain("lamps", |board| {
            format!(
                "Lamps stand in a square, and each is on (1) or off (0):\n\n{}\n\nEvery minute all of them switch at \
                 once. A lamp is on after the switch if, just before it, 3 of the lamps next to it, straight or diagonally, \
                 were on, or if 2 of them were and the lamp was on itself; otherwise it is off. {} Which lamps are \
                 on after {}?",
                rows(&board.cells, "\n", ["0", "1"]),
                board
                    .edges()
                    .replace("all cells are dead and stay so", "there are no lamps")
                    .replace("every cell", "every lamp"),
                count(board.generations as usize, "minute")
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        let (rows, columns) = (self.cells.rows(), self.cells.columns());
        check::that(rows == columns && (3..=24).contains(&rows), || {
            format!("`cells` is {rows} by {columns}, but must be a square of 3 to 24 rows")
        })?;
        check::each("cells", self.cells.cells(), |cell| *cell < 2, "cells are 0 or 1")?;
        check::within("generations", &self.generations, 1..=16)?;
        let last = self.last();
        check::that(alive(&last) >= FEWEST_ALIVE, || {
            format!("`cells` lead to a board with fewer than {FEWEST_ALIVE} living cells")
        })?;
        check::that(last != self.cells, || "`cells` come to themselves again".to_owned())
    }

    fn form(&self) -> impl Form<Read = Grid<u8>> {
        let size = self.cells.columns();
        form::Grid { what: "the board", rows: size, columns: size, low: 0, high: 1, empty: None }
    }

    fn solution(&self) -> Solution {
        let lived = self.lived();
        let step = |(at, cells): (usize, &Grid<u8>)| {
            format!("After generation {at} the rows are {}", rows(cells, ", ", ["0", "1"]))
        };
        let answer = rows(&lived[lived.len() - 1], "\n", ["0", "1"]);
        Solution::new(lived.iter().enumerate().skip(1).map(step), answer)
    }

    /// A wrong board earns nothing: most cells are dead before and after.
    fn verify(&self, answer: Grid<u8>, _: &mut Budget) -> Judged {
        let lived = self.lived();
        let right = &lived[lived.len() - 1];
        let wrong = |cell: &usize| answer[*cell] != right[*cell];
        let Some(first) = (0..right.cells().len()).find(wrong) else { return Ok(Verdict::pass()) };
        let place = right.place(first);
        let state = if right[first] == 1 { "lives" } else { "is dead" };
        let verdict =
            Verdict::wrong(format!("the cell in row {}, column {} {state}", place.row + 1, place.column + 1));
        let verdict = match lived.iter().position(|cells| *cells == answer) {
            Some(0) => verdict.also("unchanged"),
            Some(_) => verdict.also("too_early"),
            None if answer == self.next(right) => verdict.also("too_late"),
            None => verdict,
        };
        let count = right.cells().len();
        Err(verdict.part("right_cells", 1.0 - (0..count).filter(wrong).count() as f32 / count as f32))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Grid<u8>> {
        let lived = self.lived();
        let right = &lived[lived.len() - 1];
        let mut turned = || {
            let mut turned = right.clone();
            faults.draw(right.cells().len(), rng).into_iter().for_each(|cell| turned[cell] ^= 1);
            turned
        };
        let empty = right.map(|_| 0);
        let mut misses = vec![turned(), turned(), self.next(right), lived[lived.len() - 2].clone(), empty];
        misses.retain(|cells| cells != right);
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Grid<u8>)> {
        let few = self.cells.map(|_| u8::from(rng.chance(1, 4)));
        let kept = self.cells.map(|cell| if rng.chance(1, 2) { *cell } else { 0 });
        vec![
            ("the board as given", self.cells.clone()),
            ("an empty board", self.cells.map(|_| 0)),
            ("a few cells anywhere", few),
            ("some of the living cells", kept),
        ]
    }

    /// The board turned or mirrored.
    fn twin(&self, rng: &mut Rng) -> Self {
        Self { cells: self.cells.turned(*rng.pick(&Symmetry::ALL)), ..self.clone() }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let turned = Symmetry::ALL.map(|symmetry| self.cells.turned(symmetry).cells().to_vec());
        let first = turned.into_iter().min().expect("there are eight");
        [&[self.generations as u8, u8::from(self.joined_edges)], first.as_slice()].concat()
    }

    /// Every cell of every generation, looked at with its neighbours.
    fn effort(&self) -> Effort {
        let neighbours: usize = (0..self.cells.cells().len()).map(|cell| self.neighbours(cell).count()).sum();
        Effort::new(neighbours as u64 * u64::from(self.generations), 1_200)
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
        assert_eq!(board(&upright, 1, false).last(), lying.cells);
        assert!(board(&upright, 2, false).check().unwrap_err().contains("come to themselves"));
    }

    #[test]
    fn a_glider_comes_round_where_edges_are_joined() {
        let glider = [".#...", "..#..", "###..", ".....", "....."];
        // It moves one cell down and right in four generations, across the edges too.
        let moved = [".....", "..#..", "...#.", ".###.", "....."];
        assert_eq!(board(&glider, 4, true).last(), board(&moved, 1, true).cells);
        assert_ne!(board(&glider, 16, true).last(), board(&glider, 16, false).last());
        assert_eq!(alive(&board(&glider, 16, true).last()), 5);
    }
}
