//! Notakto: tic-tac-toe in which both play X and a line of three loses.

use game::board::{Board, Cells, Layout, Moves, Piece};
use game::prelude::*;

use crate::three_mens_morris::has_line;

pub struct Notakto;

params! {
    pub struct NotaktoParams {
        /// Number of boards.
        boards: u32 [1..=3, structure],
    }
    default (2)
}

static ABOUT: About = About {
    summary: "Both players place X on boards of three by three; whoever completes the last line loses.",
    variants: &["{}", r#"{"boards": 1}"#, r#"{"boards": 3}"#],
    value: Some(-1.0),
    // No move wins by itself: the opponent has to complete a line.
    tactics: false,
    max_plies: 21,
    moves: "cells",
    ..About::new("notakto", &["First version."])
};

impl GameFamily for Notakto {
    type Params = NotaktoParams;
    type Game = Cells<Boards>;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &NotaktoParams) -> Cells<Boards> {
        Cells(Boards::new(params.boards))
    }
}

const SIZE: u32 = 3;
const FULL: u16 = 0o777;
const MOST: usize = 3;

#[derive(Debug)]
pub struct Boards {
    count: u32,
    /// For every set of marks on one board, the smallest of its mirror images, or `FULL` if it has a line.
    smallest: Vec<u16>,
    solver: Solver,
}

/// The marks on each board; boards that do not exist are full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    on: [u16; MOST],
}

impl Boards {
    fn new(boards: u32) -> Self {
        let smallest = (0..=FULL).map(|marks| if has_line(marks) { FULL } else { smallest_image(marks) });
        Self { count: boards, smallest: smallest.collect(), solver: Solver::default() }
    }

    fn boards(&self, state: Marks) -> impl Iterator<Item = (u32, u16)> {
        (0..self.count).zip(state.on)
    }

    /// Spreads the cells of one board over those of the game, whose rows go through all boards.
    #[inline]
    fn spread(&self, board: u32, cells: u16) -> u64 {
        let row = |row: u32| u64::from(cells >> (SIZE * row) & 7) << (SIZE * (row * self.count + board));
        (0..SIZE).fold(0, |all, at| all | row(at))
    }

    #[inline]
    fn marks(&self, state: Marks) -> u64 {
        self.boards(state).fold(0, |all, (board, marks)| all | self.spread(board, marks))
    }

    /// The free cells of boards with or without a line.
    #[inline]
    fn free(&self, state: Marks, lined: bool) -> u64 {
        let boards = self.boards(state).filter(|(_, marks)| has_line(*marks) == lined);
        boards.fold(0, |all, (board, marks)| all | self.spread(board, FULL & !marks))
    }

    #[inline]
    fn player(&self, state: Marks) -> u8 {
        (self.marks(state).count_ones() & 1) as u8
    }
}

/// The smallest number among the eight images of these marks.
fn smallest_image(marks: u16) -> u16 {
    let image = |to: &dyn Fn(u32, u32) -> (u32, u32)| {
        let marked = (0..9).filter(|cell| marks >> cell & 1 == 1);
        marked.fold(0, |image, cell| {
            let (row, column) = to(cell / SIZE, cell % SIZE);
            image | 1 << (SIZE * row + column)
        })
    };
    let turned = |row, column| (column, 2 - row);
    let halfway = |row, column| (2 - row, 2 - column);
    let back = |row, column| (2 - column, row);
    let images: [&dyn Fn(u32, u32) -> (u32, u32); 8] = [
        &|row, column| (row, column),
        &turned,
        &halfway,
        &back,
        &|row, column| (column, row),
        &|row, column| turned(column, row),
        &|row, column| halfway(column, row),
        &|row, column| back(column, row),
    ];
    images.map(image).into_iter().min().expect("there are eight")
}

impl Board for Boards {
    type State = Marks;
    type Exact = Solver;

    const PIECES: &'static [Piece] =
        &[Piece::cross('X', Ink::Black), Piece::square('#', Ink::Grey).unobserved()];
    const MOVES: Moves = Moves::ANY_CELL;

    #[inline]
    fn layout(&self) -> Layout {
        Layout::new(SIZE, SIZE * self.count).in_blocks(SIZE, SIZE)
    }

    /// Free cells of boards with a line are shown as closed.
    #[inline]
    fn cells(&self, state: &Marks, piece: usize) -> u128 {
        match piece {
            0 => self.marks(*state).into(),
            _ => self.free(*state, true).into(),
        }
    }

    fn first(&self) -> Marks {
        Marks { on: std::array::from_fn(|board| if board < self.count as usize { 0 } else { FULL }) }
    }

    #[inline]
    fn mover(&self, state: &Marks) -> Option<u8> {
        state.on.iter().any(|marks| !has_line(*marks)).then(|| self.player(*state))
    }

    #[inline]
    fn legal(&self, state: &Marks) -> Actions {
        Actions::from_bits(self.free(*state, false))
    }

    #[inline]
    fn apply(&self, state: &mut Marks, action: Action) {
        let (row, column) = (action / (SIZE * self.count), action % (SIZE * self.count));
        state.on[(column / SIZE) as usize] |= 1 << (SIZE * row + column % SIZE);
    }

    /// The last line has been completed by the opponent of the player to move.
    fn margin(&self, state: &Marks) -> i32 {
        1 - 2 * i32::from(self.player(*state))
    }

    /// Seven marks on a board always have a line.
    fn plies_left(&self, state: &Marks) -> u32 {
        state.on.iter().filter(|marks| !has_line(**marks)).map(|marks| 7 - marks.count_ones()).sum()
    }

    fn rules(&self) -> String {
        let boards = match self.count {
            1 => String::new(),
            2 => " These are two boards of three by three cells, side by side: columns a to c and d to f.".to_owned(),
            _ => " These are three boards of three by three cells, side by side: columns a to c, d to f and g to i."
                .to_owned(),
        };
        let end = if self.count == 1 {
            "Whoever completes three X in a row, a column or a diagonal loses."
        } else {
            "As soon as a board has three X in a row, a column or a diagonal, it is closed: no more can be placed on \
             it, and its free cells show #. Whoever closes the last board loses."
        };
        format!(
            "{} The players take turns placing an X on a free cell; both play X. {end}",
            boards.trim_start()
        )
        .trim_start()
        .to_owned()
    }

    fn role(&self, player: u8) -> String {
        format!("You are the {} player. Both players place X.", ABOUT.players[usize::from(player)])
    }

    fn why_not(&self, state: &Marks, action: Action, name: &str) -> String {
        let state_of = if self.marks(*state) >> action & 1 == 1 { "taken" } else { "on a closed board" };
        format!("{name} is {state_of}")
    }

    fn exact(&self) -> &Solver {
        &self.solver
    }

    fn key(&self, state: &Marks) -> u128 {
        self.marks(*state).into()
    }

    /// Boards may be turned, mirrored and exchanged, and closed ones do not count.
    fn value_key(&self, state: &Marks) -> u128 {
        let mut boards = state.on.map(|marks| self.smallest[usize::from(marks)]);
        boards.sort_unstable();
        boards.iter().fold(0, |key, &marks| key << 9 | u128::from(marks))
    }

    fn solves_instantly(&self) -> bool {
        self.count == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::played;

    #[test]
    fn winners_are_the_known_ones() {
        for (boards, outcome) in [(1, 1), (2, -1), (3, 1)] {
            let game = Cells(Boards::new(boards));
            let outcomes = game.outcomes(&game.first(), &mut Budget::unlimited()).unwrap();
            assert_eq!(outcomes.iter().map(|(_, outcome)| *outcome).max(), Some(outcome), "{boards}");
        }
        // On one board only the middle wins.
        let game = Cells(Boards::new(1));
        let outcomes = game.outcomes(&game.first(), &mut Budget::unlimited()).unwrap();
        let won: Vec<Action> =
            outcomes.iter().filter(|(_, won)| *won > 0).map(|(action, _)| *action).collect();
        assert_eq!(won, [4]);
    }

    #[test]
    fn a_line_closes_its_board() {
        let game = Cells(Boards::new(2));
        let state = played(&game, "a1 e2 b2 f1 c3");
        assert_eq!(
            game.show(&state, 0),
            "  a b c   d e f\n1 X # #   . . X\n2 # X #   . X .\n3 # # X   . . ."
        );
        let why = |said| game.why_illegal(&state, game.read_action(said).unwrap());
        assert_eq!((why("b2"), why("a2")), ("b2 is taken".to_owned(), "a2 is on a closed board".to_owned()));
        let state = played(&game, "a1 e2 b2 f1 c3 d3");
        assert_eq!((game.turn(&state), game.returns(&state)), (Turn::Over, [1.0, -1.0]));
        assert!(game.legal(&state).is_empty());
    }

    /// The corners are alike, as are the edges; the two differ.
    #[test]
    fn images_share_a_key() {
        let images = |cells: [u32; 4]| cells.map(|cell| smallest_image(1 << cell));
        let [corners, edges] = [images([0, 2, 6, 8]), images([1, 3, 5, 7])];
        assert!(corners.iter().all(|image| *image == 1), "{corners:?}");
        assert!(edges.iter().all(|image| *image == edges[0] && *image != 1), "{edges:?}");
        assert_eq!((0..FULL).filter(|marks| smallest_image(*marks) == *marks).count(), 101);
    }
}
