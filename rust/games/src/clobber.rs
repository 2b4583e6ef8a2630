//! Clobber: every move takes a stone of the opponent beside one's own.

use game::board::{Board, Cells, Layout, Moves, Piece, Place};
use game::prelude::*;

pub struct Clobber;

params! {
    pub struct ClobberParams {
        /// Number of rows.
        rows: u32 [1..=8, structure],
        /// Number of columns.
        columns: u32 [2..=8, structure],
    }
    default (4, 4)
}

static ABOUT: About = About {
    summary: "Take the opponent's stones with the ones beside them; whoever cannot take loses.",
    players: ["X", "O"],
    variants: &["{}", r#"{"rows": 2, "columns": 3}"#, r#"{"columns": 5}"#, r#"{"rows": 5, "columns": 6}"#],
    value: Some(1.0),
    tactics: true,
    max_plies: 63,
    ..About::new("clobber", &["First version."])
};

impl GameFamily for Clobber {
    type Params = ClobberParams;
    type Game = Cells<Field>;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &ClobberParams) -> Cells<Field> {
        Cells(Field::new(params.rows, params.columns))
    }
}

/// Cell `row * columns + column` is a bit of a mask, row 0 on top.
#[derive(Debug)]
pub struct Field {
    layout: Layout,
    cells: u64,
    first_column: u64,
    /// The cells of each move, from and to.
    steps: Vec<(u64, u64)>,
    solver: Solver,
}

/// Every move takes one stone, so the number of stones tells whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stones {
    of: [u64; 2],
}

impl Stones {
    #[inline]
    fn count(&self) -> u32 {
        (self.of[0] | self.of[1]).count_ones()
    }
}

impl Field {
    fn new(rows: u32, columns: u32) -> Self {
        let first_column = (0..rows).fold(0, |cells, row| cells | 1_u64 << (row * columns));
        let cells = u64::MAX >> (64 - rows * columns);
        let layout = Layout::new(rows, columns);
        let mut field = Self { layout, cells, first_column, steps: Vec::new(), solver: Solver::default() };
        let step = |action| match field.place(action) {
            Place::FromTo(from, to) => (field.bit(from), field.bit(to)),
            Place::Cell(..) | Place::Pass => unreachable!("every move is a step"),
        };
        field.steps = (0..field.actions()).map(step).collect();
        field
    }

    #[inline]
    fn player(&self, state: &Stones) -> usize {
        ((self.layout.count() - state.count()) & 1) as usize
    }

    /// The cells above, to the left, to the right and below.
    #[inline]
    fn around(&self, cells: u64) -> u64 {
        let columns = self.layout.columns;
        let last_column = self.first_column << (columns - 1);
        let beside = (cells & !self.first_column) >> 1 | (cells & !last_column) << 1;
        (beside | cells.unbounded_shl(columns) | cells.unbounded_shr(columns)) & self.cells
    }

    #[inline]
    fn bit(&self, (row, column): (u32, u32)) -> u64 {
        1 << self.layout.bit(row, column)
    }

    /// The stones without those that can never be part of a move: their group has one color.
    fn live(&self, [own, other]: [u64; 2]) -> [u64; 2] {
        let all = own | other;
        let mut live = self.around(own) & other | self.around(other) & own;
        loop {
            let grown = live | self.around(live) & all;
            if grown == live {
                return [own & live, other & live];
            }
            live = grown;
        }
    }

    fn mirrored(&self, cells: u64) -> u64 {
        let last = self.layout.columns - 1;
        (0..=last).fold(0, |image, column| image | (cells >> column & self.first_column) << (last - column))
    }

    fn turned(&self, cells: u64) -> u64 {
        cells.reverse_bits() >> (64 - self.layout.count())
    }
}

impl Board for Field {
    type State = Stones;
    type Exact = Solver;

    const PIECES: &'static [Piece] = &[Piece::disc('X', Ink::Red).of(0), Piece::disc('O', Ink::Blue).of(1)];
    const MOVES: Moves = Moves::STEPS;

    #[inline]
    fn layout(&self) -> Layout {
        self.layout
    }

    #[inline]
    fn cells(&self, state: &Stones, piece: usize) -> u128 {
        state.of[piece].into()
    }

    /// X and O alternate in rows and columns, from X in a1.
    fn first(&self) -> Stones {
        let crosses = self.layout.cells().filter(|(row, column)| (row + column) % 2 == 0);
        let crosses = crosses.fold(0, |cells, cell| cells | self.bit(cell));
        Stones { of: [crosses, self.cells & !crosses] }
    }

    #[inline]
    fn mover(&self, state: &Stones) -> Option<u8> {
        (self.around(state.of[0]) & state.of[1] != 0).then(|| self.player(state) as u8)
    }

    #[inline]
    fn legal(&self, state: &Stones) -> Actions {
        let player = self.player(state);
        let (own, other) = (state.of[player], state.of[1 - player]);
        let takes = |(from, to): &(u64, u64)| own & from != 0 && other & to != 0;
        (0..).zip(&self.steps).filter(|(_, step)| takes(step)).map(|(action, _)| action).collect()
    }

    #[inline]
    fn apply(&self, state: &mut Stones, action: Action) {
        let player = self.player(state);
        let (from, to) = self.steps[action as usize];
        state.of[player] ^= from | to;
        state.of[1 - player] ^= to;
    }

    /// The player who cannot move has lost.
    fn margin(&self, state: &Stones) -> i32 {
        2 * self.player(state) as i32 - 1
    }

    /// Two stones are needed for a move, and one of them is left.
    fn plies_left(&self, state: &Stones) -> u32 {
        state.count() - 1
    }

    fn rules(&self) -> String {
        "At the start every cell has a stone: a1 has an X, and X and O alternate along every row and every column. \
         The players take turns; X begins. A player moves one of their own stones up, down, to the left or to the \
         right onto the next cell, which must have a stone of the opponent. That stone is removed. A player who \
         cannot do this loses."
            .to_owned()
    }

    fn why_not(&self, state: &Stones, action: Action, _: &str) -> String {
        let Place::FromTo(from, to) = self.place(action) else { unreachable!("every move is a step") };
        let player = self.player(state);
        let name = |(row, column)| self.layout.name(row, column);
        if state.of[player] & self.bit(from) == 0 {
            format!("{} has no stone of the player", name(from))
        } else {
            format!("{} has no stone of the opponent", name(to))
        }
    }

    fn exact(&self) -> &Solver {
        &self.solver
    }

    fn key(&self, state: &Stones) -> u128 {
        u128::from(state.of[0]) | u128::from(state.of[1]) << 64
    }

    /// Whose stones they are does not count, nor do mirrors, nor stones that never move.
    fn value_key(&self, state: &Stones) -> u128 {
        let player = self.player(state);
        let live = self.live([state.of[player], state.of[1 - player]]);
        let mirrored = live.map(|cells| self.mirrored(cells));
        let images =
            [live, mirrored, live.map(|cells| self.turned(cells)), mirrored.map(|cells| self.turned(cells))];
        let key = |[own, other]: [u64; 2]| u128::from(own) | u128::from(other) << 64;
        images.into_iter().map(key).min().expect("there are four")
    }

    /// Few replies come first.
    fn move_ordering(&self, state: &Stones, action: Action) -> i32 {
        let player = self.player(state);
        let mut next = *state;
        self.apply(&mut next, action);
        let [own, other] = [next.of[player], next.of[1 - player]];
        -((self.around(own) & other).count_ones() as i32)
    }

    fn solves_instantly(&self) -> bool {
        self.layout.count() <= 9
    }

    fn unsolvable_reason(&self) -> Option<&'static str> {
        (self.layout.count() > 20).then_some("a board of more than 20 cells takes long to solve")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clobber(rows: u32, columns: u32) -> Cells<Field> {
        Cells(Field::new(rows, columns))
    }

    fn first_wins(rows: u32, columns: u32) -> bool {
        let game = clobber(rows, columns);
        let outcomes = game.outcomes(&game.first(), &mut Budget::unlimited()).unwrap();
        outcomes.iter().any(|(_, outcome)| *outcome > 0)
    }

    #[test]
    fn winners_are_the_known_ones() {
        for (rows, columns) in [(2, 2), (3, 3), (2, 4), (2, 5), (3, 5), (4, 4)] {
            assert!(first_wins(rows, columns), "{rows} by {columns}");
        }
        for (rows, columns) in [(2, 3), (3, 4), (2, 6)] {
            assert!(!first_wins(rows, columns), "{rows} by {columns}");
            assert!(!first_wins(columns, rows), "{columns} by {rows}");
        }
    }

    #[test]
    #[ignore = "takes seconds: the largest board that is solved"]
    fn the_largest_board_is_solved() {
        assert!(first_wins(4, 5));
    }

    #[test]
    fn stones_take_what_is_beside_them() {
        let game = clobber(3, 3);
        let mut state = game.first();
        assert_eq!(game.show(&state, 0), "  a b c\n1 X O X\n2 O X O\n3 X O X");
        for said in ["b2-b1", "a2 a3", "C1xC2"] {
            game.apply(&mut state, game.read_action(said).unwrap());
        }
        assert_eq!(game.show(&state, 0), "  a b c\n1 X X .\n2 . . X\n3 O O X");
        let why = |said| game.why_illegal(&state, game.read_action(said).unwrap());
        assert_eq!(why("b3-a3"), "a3 has no stone of the opponent");
        assert_eq!(why("c3-b3"), "c3 has no stone of the player");
        for (said, label) in [("b3", "not_a_move"), ("a3-c3", "not_a_move"), ("a3-a4", "off_board")] {
            assert_eq!(game.read_action(said).unwrap_err().label, label, "{said}");
        }
        let message = game.read_action("a1-b2").unwrap_err().message;
        assert_eq!(
            message,
            "`a1-b2` is not a move of this game; a move is two cells that share a side, like a1-b1"
        );
    }

    /// A group of one color moves no more, wherever it is.
    #[test]
    fn dead_stones_do_not_count() {
        let game = clobber(3, 4);
        let key = |cells: [u64; 2]| game.0.value_key(&Stones { of: cells });
        // Two live pairs of stones, with a dead X in a corner and with another far from it.
        assert_eq!(key([0b1001, 0b10]), key([0b1000_0000_0001, 0b10]));
        assert_ne!(key([0b0101, 0b10]), key([0b1001, 0b10]));
    }
}
