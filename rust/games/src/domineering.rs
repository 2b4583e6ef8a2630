//! Domineering: vertical dominoes against horizontal ones.

use game::board::{Board, Cells, Layout, Moves, Piece};
use game::prelude::*;

pub struct Domineering;

params! {
    pub struct DomineeringParams {
        /// Number of rows.
        rows: u32 [1..=8, structure],
        /// Number of columns.
        columns: u32 [1..=8, structure],
    }
    default (4, 4)
}

static ABOUT: About = About {
    summary: "Place dominoes, one player vertically and the other horizontally; whoever cannot move loses.",
    players: ["V", "H"],
    variants: &[
        "{}",
        r#"{"rows": 3, "columns": 4}"#,
        r#"{"rows": 6, "columns": 6}"#,
        r#"{"rows": 8, "columns": 8}"#,
    ],
    value: Some(1.0),
    tactics: true,
    max_plies: 32,
    moves: "cells",
    ..About::new("domineering", &["First version."])
};

impl GameFamily for Domineering {
    type Params = DomineeringParams;
    type Game = Cells<Dominoes>;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &DomineeringParams) -> Cells<Dominoes> {
        Cells(Dominoes::new(params.rows, params.columns))
    }
}

/// Cell `row * columns + column` is a bit of a mask, row 0 on top.
#[derive(Debug)]
pub struct Dominoes {
    rows: u32,
    columns: u32,
    cells: u64,
    first_column: u64,
    solver: Solver,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Laid {
    of: [u64; 2],
    mover: u8,
}

impl Dominoes {
    fn new(rows: u32, columns: u32) -> Self {
        let first_column = (0..rows).fold(0, |cells, row| cells | 1_u64 << (row * columns));
        let cells = u64::MAX >> (64 - rows * columns);
        Self { rows, columns, cells, first_column, solver: Solver::default() }
    }

    #[inline]
    fn free(&self, state: &Laid) -> u64 {
        self.cells & !(state.of[0] | state.of[1])
    }

    /// The cells where the upper or left half of a player's domino can go.
    #[inline]
    fn open(&self, free: u64, player: u8) -> u64 {
        let next =
            if player == 0 { free.unbounded_shr(self.columns) } else { (free & !self.first_column) >> 1 };
        free & next
    }

    #[inline]
    fn domino(&self, action: Action, player: u8) -> u64 {
        1 << action | 1 << (action + if player == 0 { self.columns } else { 1 })
    }

    fn mirrored(&self, cells: u64) -> u64 {
        let last = self.columns - 1;
        (0..=last).fold(0, |image, column| image | (cells >> column & self.first_column) << (last - column))
    }
}

impl Board for Dominoes {
    type State = Laid;
    type Exact = Solver;

    const PIECES: &'static [Piece] =
        &[Piece::square('V', Ink::Red).of(0), Piece::square('H', Ink::Blue).of(1)];
    const MOVES: Moves = Moves::CELLS;

    #[inline]
    fn layout(&self) -> Layout {
        Layout::new(self.rows, self.columns)
    }

    #[inline]
    fn cells(&self, state: &Laid, piece: usize) -> u128 {
        state.of[piece].into()
    }

    fn first(&self) -> Laid {
        Laid::default()
    }

    #[inline]
    fn mover(&self, state: &Laid) -> Option<u8> {
        (self.open(self.free(state), state.mover) != 0).then_some(state.mover)
    }

    #[inline]
    fn legal(&self, state: &Laid) -> Actions {
        Actions::from_bits(self.open(self.free(state), state.mover))
    }

    #[inline]
    fn apply(&self, state: &mut Laid, action: Action) {
        state.of[usize::from(state.mover)] |= self.domino(action, state.mover);
        state.mover ^= 1;
    }

    /// The player who cannot move has lost.
    fn margin(&self, state: &Laid) -> i32 {
        2 * i32::from(state.mover) - 1
    }

    fn plies_left(&self, state: &Laid) -> u32 {
        self.free(state).count_ones() / 2
    }

    fn rules(&self) -> String {
        "The players take turns placing a domino on two free cells; V begins. V plays vertically: its domino covers \
         a cell and the one below it. H plays horizontally: its domino covers a cell and the one to the right of it. \
         A move names the upper or the left cell of the two. A player who cannot place a domino loses."
            .to_owned()
    }

    fn why_not(&self, state: &Laid, _: Action, name: &str) -> String {
        let side = if state.mover == 0 { "below" } else { "to the right of" };
        format!("the cell {side} {name} is not free")
    }

    fn exact(&self) -> &Solver {
        &self.solver
    }

    /// The two players' dominoes are told apart by the number of cells that each covers.
    fn key(&self, state: &Laid) -> u128 {
        u128::from(state.of[0]) | u128::from(state.of[1]) << 64
    }

    /// Only the free cells and the mover count, up to a mirror.
    fn value_key(&self, state: &Laid) -> u128 {
        let free = self.free(state);
        u128::from(free.min(self.mirrored(free))) << 1 | u128::from(state.mover)
    }

    /// Safe places for the player, and few for the opponent.
    fn move_ordering(&self, state: &Laid, action: Action) -> i32 {
        let left = self.free(state) & !self.domino(action, state.mover);
        let count = |player| self.open(left, player).count_ones() as i32;
        count(state.mover) - count(1 - state.mover)
    }

    fn solves_instantly(&self) -> bool {
        self.rows * self.columns <= 16
    }

    fn unsolvable_reason(&self) -> Option<&'static str> {
        (self.rows * self.columns > 30).then_some("a board of more than 30 cells takes long to solve")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Winners when the vertical and when the horizontal player begins, from Berlekamp (1988) and Breuker et al. (2000).
    #[test]
    fn winners_are_the_published_ones() {
        // Whoever begins wins the transposed board exactly where the horizontal player would win by beginning.
        let first_wins = |rows, columns| {
            let game = Cells(Dominoes::new(rows, columns));
            let mut budget = Budget::unlimited();
            let values = game.outcomes(&game.first(), &mut budget).unwrap();
            values.iter().any(|(_, outcome)| *outcome > 0)
        };
        let class = |rows, columns| (first_wins(rows, columns), first_wins(columns, rows));
        assert_eq!(class(2, 2), (true, true));
        assert_eq!(class(3, 3), (true, true));
        assert_eq!(class(4, 4), (true, true));
        assert_eq!(class(5, 5), (false, false));
        for (rows, columns) in [(2, 4), (3, 4)] {
            assert_eq!(class(rows, columns), (false, true), "the horizontal player wins {rows} by {columns}");
        }
    }

    #[test]
    fn dominoes_need_two_free_cells() {
        let game = Cells(Dominoes::new(3, 3));
        let mut state = game.first();
        for said in ["a1", "B3"] {
            game.apply(&mut state, game.read_action(said).unwrap());
        }
        assert_eq!(game.show(&state, 0), "  a b c\n1 V . .\n2 V . .\n3 . H H");
        let said = |text| game.why_illegal(&state, game.read_action(text).unwrap());
        assert_eq!(said("b3"), "b3 is taken");
        assert_eq!(said("c2"), "the cell below c2 is not free");
    }

    /// No two states share a key while a player can move.
    #[test]
    fn keys_tell_the_mover() {
        let mut seen = std::collections::BTreeMap::new();
        let game = Cells(Dominoes::new(3, 4));
        let mut open = vec![game.first()];
        while let Some(state) = open.pop() {
            if seen.insert(game.0.key(&state), state).is_some_and(|there| {
                assert_eq!(there, state);
                true
            }) {
                continue;
            }
            for action in game.legal(&state).iter() {
                let mut next = state;
                game.apply(&mut next, action);
                open.push(next);
            }
        }
        assert!(seen.len() > 100);
    }
}
