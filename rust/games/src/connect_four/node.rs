//! Positions during search, and bounds on their score without searching.

use super::position::Position;

/// The proven range of a score.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) low: i32,
    pub(super) high: i32,
}

impl Bounds {
    /// Further from zero than any score.
    pub(super) const FAR: i32 = 64;

    pub(super) const fn exactly(score: i32) -> Self {
        Self { low: score, high: score }
    }

    pub(super) const fn at_least(low: i32) -> Self {
        Self { low, high: Self::FAR }
    }

    pub(super) const fn at_most(high: i32) -> Self {
        Self { low: -Self::FAR, high }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// The same for the other player, unless `same`.
    pub(super) const fn seen_by(self, same: bool) -> Self {
        if same { self } else { Self { low: -self.high, high: -self.low } }
    }
}

/// A position whose mover cannot win at once.
#[derive(Clone, Copy)]
pub(super) struct Node<const W: usize, const H: usize> {
    pub(super) own: u64,
    pub(super) mask: u64,
    /// Empty cells that would complete a line of the opponent.
    pub(super) threats: u64,
    pub(super) plies: i32,
}

/// A node after all forced replies.
pub(super) enum Settled<const W: usize, const H: usize> {
    /// At least two moves do not lose at once.
    Open(Node<W, H>),
    /// The game's score is known.
    Over(i32),
}

impl<const W: usize, const H: usize> Node<W, H> {
    const CELLS: i32 = Position::<W, H>::CELLS;

    pub(super) const fn empty(&self) -> i32 {
        Self::CELLS - self.plies
    }

    /// Moves after which the opponent does not win at once.
    #[inline]
    pub(super) const fn safe_moves(&self) -> u64 {
        let playable = Position::<W, H>::playable(self.mask);
        let forced = playable & self.threats;
        let moves = playable & !(self.threats >> 1);
        if forced == 0 {
            moves
        } else if forced & forced.wrapping_sub(1) == 0 {
            moves & forced
        } else {
            0
        }
    }

    #[inline]
    pub(super) const fn after(&self, disc: u64, threats: u64) -> Self {
        Self {
            own: self.own ^ self.mask,
            mask: self.mask | disc,
            threats: threats & !disc,
            plies: self.plies + 1,
        }
    }

    /// Plays every forced reply. The flag is true if the mover is still the same.
    #[expect(clippy::inline_always, reason = "a third of the time, in the middle of the game")]
    #[inline(always)]
    pub(super) fn settle(mut self) -> (Settled<W, H>, bool) {
        let mut same = true;
        loop {
            let moves = self.safe_moves();
            if moves == 0 {
                // The opponent wins with the next disc, or the board is full and this is zero.
                return (Settled::Over(-(self.empty() / 2)), same);
            }
            if moves & moves.wrapping_sub(1) != 0 {
                return (Settled::Open(self), same);
            }
            let threats = Position::<W, H>::completions(self.own | moves) & !self.mask;
            self = self.after(moves, threats);
            same = !same;
        }
    }

    /// Bounds on an open node without a search.
    #[expect(clippy::inline_always, reason = "a third of the time, in the middle of the game")]
    #[inline(always)]
    pub(super) fn bounds(&self) -> Bounds {
        // Neither side wins at once: the mover's next chance is two plies away, the opponent's three.
        let mut low = -((self.empty() - 2) / 2);
        let mut high = (self.empty() - 1) / 2;
        let opponent = self.own ^ self.mask;
        let empty = Position::<W, H>::BOARD & !self.mask;
        let playable = Position::<W, H>::playable(self.mask);
        let followed = Position::<W, H>::FOLLOWED;
        // The most that the leader of an even number of empty cells can get, if the follower answers every
        // disc in its column, except that it answers the first disc in a column of odd room with the first
        // disc in another such column.
        let led = (followed | playable) & empty;
        let odd_tops = playable & !followed;
        if self.empty() % 2 == 0 {
            if !Position::<W, H>::has_four(self.own | led) {
                // The follower gets all other cells.
                let won = Position::<W, H>::has_four(opponent | (empty & !led));
                high = high.min(-i32::from(won));
            }
            if low < 0 && !Position::<W, H>::has_four(opponent | empty) {
                low = 0;
            }
            return Bounds { low, high };
        }
        // The mover follows after taking the first cell of one column of odd room.
        if low < 0 && !Position::<W, H>::has_four(opponent | (followed & empty)) {
            let holds = |first: u64| !Position::<W, H>::has_four(opponent | (led & !first));
            if cells(odd_tops).any(holds) {
                low = 0;
            }
        }
        // The opponent follows, and wins in a column of odd room where the mover eventually has to fill the
        // cell below a threat.
        for threat in cells(self.threats & followed & !playable) {
            let index = threat.trailing_zeros() as usize;
            let column = Position::<W, H>::column(index / (H + 1));
            if odd_tops & column == 0 {
                continue;
            }
            let below = column & empty & !followed & threat.wrapping_sub(1);
            if !Position::<W, H>::has_four(self.own | (led & !column) | below) {
                let row = (index % (H + 1)) as i32;
                high = high.min(-((H as i32 - row + 1) / 2));
            }
        }
        if high > 0 && !Position::<W, H>::has_four(self.own | empty) {
            high = 0;
        }
        Bounds { low, high }
    }
}

/// The set bits, lowest first.
pub(super) fn cells(mut bits: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let lowest = bits & bits.wrapping_neg();
        bits ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}
