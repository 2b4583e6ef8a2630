//! Tic-tac-toe on small boards, solved once and for all.

use super::{Board, Marks};
use kit::rules::{Action, Rules as _};

/// Every position of a small board, by [`Table::place`].
#[derive(Debug)]
pub(super) struct Table {
    /// From the perspective of the player to move: one more than the free cells at the end of a won game,
    /// minus that for a lost one, 0 for a draw.
    pub(super) worths: Vec<i8>,
    pub(super) best: Vec<Best>,
}

/// Sets of actions, as bits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Best {
    /// The actions that keep the outcome.
    pub(super) keeping: u32,
    /// The actions that keep the worth.
    pub(super) worth: u32,
}

impl Table {
    /// Increment of a position's index for a mark X on each cell; O adds it twice.
    const POWERS: [usize; Board::TABLED as usize] = [1, 3, 9, 27, 81, 243, 729, 2187, 6561];
    /// A mask of cells read as a number in base 3.
    const TERNARY: [u16; Board::SMALL] = {
        let mut numbers = [0; 1 << Board::TABLED];
        let mut mask = 1_usize;
        while mask < numbers.len() {
            let low = mask.trailing_zeros();
            numbers[mask] = numbers[mask & (mask - 1)] + 3_u16.pow(low);
            mask += 1;
        }
        numbers
    };

    pub(super) fn new(board: &Board) -> Self {
        static COUNTS: [u8; Board::SMALL] = {
            let mut counts = [0; Board::SMALL];
            let mut mask = 1;
            while mask < counts.len() {
                counts[mask] = counts[mask & (mask - 1)] + 1;
                mask += 1;
            }
            counts
        };
        let held = board.held.as_ref().expect("a tabled board is small");
        let places = 3_usize.pow(board.cells);
        let mut table = Self { worths: vec![0; places], best: vec![Best::default(); places] };
        // Marks are only added, so the positions after a position have been solved before it.
        for x in (0..=board.board()).rev() {
            if held[x as usize] {
                continue;
            }
            let rest = board.board() & !x;
            let mut o = rest;
            loop {
                let [xs, os] = [x, o].map(|mask| COUNTS[mask as usize]);
                if (xs.wrapping_sub(os) <= 1 || board.params.wild) && !held[o as usize] {
                    table.solve(board, held, [x, o], u32::from(xs + os));
                }
                if o == 0 {
                    break;
                }
                o = (o - 1) & rest;
            }
        }
        table
    }

    #[inline]
    pub(super) fn place(marks: [u64; 2]) -> usize {
        static TERNARY: [u16; Board::SMALL] = Table::TERNARY;
        let [x, o] = marks.map(|mask| TERNARY[mask as usize]);
        usize::from(x) + 2 * usize::from(o)
    }

    /// Solves a position in which nobody has a line yet.
    #[inline]
    fn solve(&mut self, board: &Board, held: &[bool; Board::SMALL], marks: [u64; 2], count: u32) {
        let place = Self::place(marks);
        let taken = marks[0] | marks[1];
        let left = board.cells - count;
        if left == 0 {
            return;
        }
        let mover = (count & 1) as usize;
        let line = if board.params.misere { -(left as i8) } else { left as i8 };
        let wild = board.params.wild;
        let mut top = i8::MIN;
        let mut best = Best::default();
        let mut free = board.board() & !taken;
        while free != 0 {
            let cell = free.trailing_zeros();
            free &= free - 1;
            for (mark, held_by) in marks.into_iter().enumerate() {
                if !wild && mark != mover {
                    continue;
                }
                let marked = held_by | 1 << cell;
                let after = place + (mark + 1) * Self::POWERS[cell as usize];
                let worth = if held[marked as usize] {
                    self.worths[after] = -line;
                    line
                } else {
                    -self.worths[after]
                };
                let bit = 1 << if wild { 2 * cell + mark as u32 } else { cell };
                if worth > top {
                    best.worth = 0;
                    if top == i8::MIN || worth.signum() > top.signum() {
                        best.keeping = 0;
                    }
                    top = worth;
                }
                if worth == top {
                    best.worth |= bit;
                }
                if worth.signum() == top.signum() {
                    best.keeping |= bit;
                }
            }
        }
        self.worths[place] = top;
        self.best[place] = best;
    }

    /// Worth of a move to its player.
    pub(super) fn worth(&self, board: &Board, state: &Marks, action: Action) -> i32 {
        let mut next = *state;
        board.apply(&mut next, action);
        -i32::from(self.worths[Self::place(next.marks)])
    }
}
