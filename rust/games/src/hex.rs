//! Hex on small boards: connect your two sides.

use game::board::{Board, Cells, Ground, Layout, Moves, Piece};
use game::prelude::*;

pub struct Hex;

params! {
    pub struct HexParams {
        /// Number of rows, and of columns.
        size: u32 [2..=7, structure],
    }
    default (4)
}

static ABOUT: About = About {
    summary: "Connect your two sides of a board of hexagons.",
    players: ["X", "O"],
    variants: &["{}", r#"{"size": 2}"#, r#"{"size": 3}"#, r#"{"size": 7}"#],
    value: Some(1.0),
    tactics: true,
    max_plies: 49,
    moves: "cells",
    ..About::new("hex", &["First version."])
};

impl GameFamily for Hex {
    type Params = HexParams;
    type Game = Cells<Rhombus>;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn game(&self, params: &HexParams) -> Cells<Rhombus> {
        Cells(Rhombus::new(params.size))
    }
}

/// Cell `row * (size + 1) + column` is a bit of a mask, row 0 on top; the bit after a row is never set.
#[derive(Debug)]
pub struct Rhombus {
    size: u32,
    /// For each player, the cells of its first and of its last side.
    sides: [[u64; 2]; 2],
    solver: Solver,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stones {
    of: [u64; 2],
    won: bool,
}

impl Stones {
    #[inline]
    fn taken(&self) -> u64 {
        self.of[0] | self.of[1]
    }

    /// The players alternate; player 0 begins.
    #[inline]
    fn mover(&self) -> u8 {
        (self.taken().count_ones() & 1) as u8
    }
}

impl Rhombus {
    fn new(size: u32) -> Self {
        let step = size + 1;
        let row = (1_u64 << size) - 1;
        let column = (0..size).fold(0, |cells, row| cells | 1_u64 << (row * step));
        let last = step * (size - 1);
        let sides = [[row, row << last], [column, column << (size - 1)]];
        Self { size, sides, solver: Solver::default() }
    }

    /// True if `stones` connect the sides of `player`.
    #[inline]
    fn connects(&self, stones: u64, player: usize) -> bool {
        let step = self.size + 1;
        let [from, to] = self.sides[player];
        let mut reached = stones & from;
        loop {
            let near = reached << 1 | reached >> 1;
            let across = reached << step | reached >> step | reached << (step - 1) | reached >> (step - 1);
            let grown = reached | (near | across) & stones;
            if grown == reached {
                return reached & to != 0;
            }
            reached = grown;
        }
    }

    #[inline]
    fn bit(&self, action: Action) -> u64 {
        1 << (action + action / self.size)
    }
}

impl Board for Rhombus {
    type State = Stones;
    type Exact = Solver;

    const PIECES: &'static [Piece] = &[Piece::disc('X', Ink::Red).of(0), Piece::disc('O', Ink::Blue).of(1)];
    const GROUND: Ground = Ground::Holes(Ink::Paper, Ink::Grey);
    const MOVES: Moves = Moves::CELLS;

    #[inline]
    fn layout(&self) -> Layout {
        Layout::new(self.size, self.size).leaning().with_steps(self.size + 1, 1)
    }

    #[inline]
    fn cells(&self, state: &Stones, piece: usize) -> u128 {
        state.of[piece].into()
    }

    fn first(&self) -> Stones {
        Stones::default()
    }

    #[inline]
    fn mover(&self, state: &Stones) -> Option<u8> {
        (!state.won).then(|| state.mover())
    }

    #[inline]
    fn legal(&self, state: &Stones) -> Actions {
        if state.won {
            return Actions::NONE;
        }
        let free = !state.taken();
        let row = |row: u32| (free >> (row * (self.size + 1)) & ((1 << self.size) - 1)) << (row * self.size);
        Actions::from_bits((0..self.size).fold(0, |cells, r| cells | row(r)))
    }

    #[inline]
    fn apply(&self, state: &mut Stones, action: Action) {
        let player = usize::from(state.mover());
        state.of[player] |= self.bit(action);
        state.won = self.connects(state.of[player], player);
    }

    fn margin(&self, state: &Stones) -> i32 {
        if state.mover() == 1 { 1 } else { -1 }
    }

    fn plies_left(&self, state: &Stones) -> u32 {
        self.size * self.size - state.taken().count_ones()
    }

    fn rules(&self) -> String {
        "Every row begins half a cell further to the right than the one above it, so that a cell touches up to six \
         others: two in its row, two above it and two below it. The players take turns placing a stone on a free \
         cell; X begins. X wins with an unbroken chain of stones that touch from the top row to the bottom row, and \
         O with one from the first column to the last. One of them always succeeds."
            .to_owned()
    }

    fn exact(&self) -> &Solver {
        &self.solver
    }

    /// A board turned by half has the same value.
    fn value_key(&self, state: &Stones) -> u128 {
        let last = self.layout().bits();
        let turned = state.of.map(|stones| stones.reverse_bits() >> (64 - last));
        let key = |[first, second]: [u64; 2]| u128::from(first) | u128::from(second) << 64;
        key(state.of).min(key(turned))
    }

    /// The middle comes first.
    fn move_ordering(&self, _: &Stones, action: Action) -> i32 {
        let off = |at: u32| (2 * at as i32 + 1 - self.size as i32).abs();
        let (row, column) = (action / self.size, action % self.size);
        -off(row) - off(column) - (off(row) - off(column)).abs()
    }

    fn solves_instantly(&self) -> bool {
        self.size <= 3
    }

    fn unsolvable_reason(&self) -> Option<&'static str> {
        (self.size > 4).then_some("a board of more than 16 cells is too large to be solved")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::played;

    fn hex(size: u32) -> Cells<Rhombus> {
        Cells(Rhombus::new(size))
    }

    #[test]
    fn winning_openings_are_the_known_ones() {
        for (size, count) in [(2, 2), (3, 5), (4, 4)] {
            let hex = hex(size);
            let mut budget = Budget::unlimited();
            let outcomes = hex.outcomes(&hex.first(), &mut budget).unwrap();
            let won = outcomes.iter().filter(|(_, outcome)| *outcome > 0).count();
            assert_eq!(won, count, "{size}");
        }
    }

    #[test]
    fn a_chain_wins() {
        let hex = hex(3);
        let state = played(&hex, "b1 c1 b2 c2");
        assert_eq!(hex.show(&state, 0), "  a b c\n1 . X O\n 2 . X O\n  3 . . .");
        assert_eq!(hex.why_illegal(&state, 1), "b1 is taken");
        let state = played(&hex, "b1 c1 b2 c2 a3");
        assert_eq!((hex.turn(&state), hex.returns(&state)), (Turn::Over, [1.0, -1.0]));
        let state = played(&hex, "c1 a2 c2 b1 a3 c3");
        assert_eq!(hex.turn(&state), Turn::Player(0));
        assert!(hex.legal(&state).contains(0) && !hex.legal(&state).contains(1));
        // Without the half cell, a2 would not touch b1.
        let state = played(&hex, "c3 a2 b3 b1 a1 c1");
        assert_eq!((hex.turn(&state), hex.returns(&state)), (Turn::Over, [-1.0, 1.0]));
    }

    /// Exactly one player has a chain on a full board.
    #[test]
    fn a_full_board_has_one_winner() {
        let hex = Rhombus::new(3);
        for cells in 0..1_u32 << 9 {
            let masks = [0, 1].map(|mark| {
                (0..9).filter(|cell| cells >> cell & 1 == mark).fold(0, |mask, cell| mask | hex.bit(cell))
            });
            assert!(hex.connects(masks[0], 0) != hex.connects(masks[1], 1), "{cells:b}");
        }
    }
}
