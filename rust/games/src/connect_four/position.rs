//! Connect Four positions on any board that fits a 64-bit word.
//!
//! Column `c` has the bits from `c * (H + 1)` up, lowest cell first; the bit above each column stays empty so
//! that lines never wrap. A score is the number of own discs that the winner still has, including the winning
//! one: positive if the mover wins, negative if the opponent does, 0 for a draw.

/// The winner under perfect play, from the perspective of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Loss,
    Draw,
    Win,
}

/// The reason why a disc cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Illegal {
    NoColumn,
    ColumnFull,
    GameOver,
}

/// A position reached by legal play on a board of `W` columns and `H` rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position<const W: usize, const H: usize> {
    /// Discs of the player to move.
    pub(super) own: u64,
    /// Discs of both players.
    pub(super) mask: u64,
}

impl<const W: usize, const H: usize> Default for Position<W, H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const W: usize, const H: usize> Position<W, H> {
    pub(super) const CELLS: i32 = {
        assert!(W > 0 && H > 0 && W * (H + 1) <= 64, "the board and its guard row fit 64 bits");
        (W * H) as i32
    };
    /// Bits of a key.
    pub(super) const BITS: u32 = (W * (H + 1)) as u32;
    /// The lowest cell of every column.
    const BOTTOM: u64 = {
        let (mut cells, mut column) = (0, 0);
        while column < W {
            cells |= 1 << (column * (H + 1));
            column += 1;
        }
        cells
    };
    /// The cells of the first column.
    const COLUMN: u64 = (1 << H) - 1;
    pub(super) const BOARD: u64 = Self::BOTTOM.wrapping_mul(Self::COLUMN);
    /// Rows that the player to move fills if the opponent always answers in the same column and every column
    /// has an even number of empty cells: those with an odd number of cells above them.
    pub(super) const FOLLOWED: u64 = {
        let (mut rows, mut row) = (0, 0);
        while row < H {
            if (H - row).is_multiple_of(2) {
                rows |= Self::BOTTOM << row;
            }
            row += 1;
        }
        rows
    };

    /// Center first: it is part of the most lines.
    pub(super) const COLUMNS: [usize; W] = {
        let mut columns = [0; W];
        let mut place = 0;
        while place < W {
            let side = place.div_ceil(2);
            columns[place] = if place % 2 == 1 { W / 2 - side } else { W / 2 + side };
            place += 1;
        }
        columns
    };
    /// Number of lines of four through each cell.
    pub(super) const LINES: [u8; 64] = {
        let mut lines = [0; 64];
        let mut first = 0;
        while first < Self::BITS as usize {
            let steps = [1, H, H + 1, H + 2];
            let mut direction = 0;
            while direction < 4 {
                let step = steps[direction];
                direction += 1;
                // The guard row keeps a line from continuing in the next column.
                let pairs = Self::BOARD & down(Self::BOARD, step);
                if down(pairs & down(pairs, 2 * step), first) & 1 == 1 {
                    let mut cell = 0;
                    while cell < 4 {
                        lines[first + cell * step] += 1;
                        cell += 1;
                    }
                }
            }
            first += 1;
        }
        lines
    };

    /// The empty board.
    pub const fn new() -> Self {
        Self { own: 0, mask: 0 }
    }

    /// The position with the discs of the player to move and those of both, in the module's layout.
    pub(super) const fn of(own: u64, mask: u64) -> Self {
        Self { own, mask }
    }

    /// The position after discs in these columns, counted from 0.
    pub fn after(columns: impl IntoIterator<Item = usize>) -> Result<Self, Illegal> {
        columns.into_iter().try_fold(Self::new(), |position, column| position.play(column))
    }

    /// The position after one more disc.
    pub fn play(&self, column: usize) -> Result<Self, Illegal> {
        if column >= W {
            return Err(Illegal::NoColumn);
        }
        if self.is_won() {
            return Err(Illegal::GameOver);
        }
        match Self::playable(self.mask) & Self::column(column) {
            0 => Err(Illegal::ColumnFull),
            disc => Ok(self.with(disc)),
        }
    }

    /// Discs on the board.
    pub const fn plies(&self) -> u32 {
        self.mask.count_ones()
    }

    /// True if the player who moved last has four in a row.
    pub fn is_won(&self) -> bool {
        Self::has_four(self.own ^ self.mask)
    }

    /// True if nobody can move.
    pub fn is_over(&self) -> bool {
        self.mask == Self::BOARD || self.is_won()
    }

    /// Equal for a position and its mirror image, different for any other two.
    pub fn key(&self) -> u64 {
        let key = self.own.wrapping_add(self.mask);
        key.min(Self::mirror(key))
    }

    /// True if the position is its own mirror image.
    pub fn is_symmetric(&self) -> bool {
        Self::mirror(self.own) == self.own && Self::mirror(self.mask) == self.mask
    }

    /// The score of a position in which nobody can move.
    pub fn final_score(&self) -> Option<i8> {
        if self.is_won() {
            Some((-(Self::CELLS + 2 - self.plies() as i32) / 2) as i8)
        } else {
            (self.mask == Self::BOARD).then_some(0)
        }
    }

    const fn with(&self, disc: u64) -> Self {
        Self { own: self.own ^ self.mask, mask: self.mask | disc }
    }

    pub(super) const fn column(column: usize) -> u64 {
        Self::COLUMN << (column * (H + 1))
    }

    /// The cell above the top disc of every column that has one.
    #[inline]
    pub(super) const fn playable(mask: u64) -> u64 {
        mask.wrapping_add(Self::BOTTOM) & Self::BOARD
    }

    #[inline]
    pub(super) fn has_four(discs: u64) -> bool {
        // All directions, rather than until one is found: that leaves no branch to predict.
        let mut fours = 0;
        for step in [1, H, H + 1, H + 2] {
            let pairs = discs & down(discs, step);
            fours |= pairs & down(pairs, 2 * step);
        }
        fours != 0
    }

    /// Cells that would complete a line of these discs, including filled ones.
    #[inline]
    pub(super) fn completions(discs: u64) -> u64 {
        let mut cells = up(discs, 1) & up(discs, 2) & up(discs, 3);
        for step in [H, H + 1, H + 2] {
            let pair_below = up(discs, step) & up(discs, 2 * step);
            cells |= pair_below & (up(discs, 3 * step) | down(discs, step));
            let pair_above = down(discs, step) & down(discs, 2 * step);
            cells |= pair_above & (down(discs, 3 * step) | up(discs, step));
        }
        cells & Self::BOARD
    }

    /// The mirror image's bits.
    #[inline]
    pub(super) fn mirror(bits: u64) -> u64 {
        let digit = u64::MAX >> (63 - H);
        (0..W).fold(0, |image, column| {
            image | ((bits >> (column * (H + 1))) & digit) << ((W - 1 - column) * (H + 1))
        })
    }
}

#[inline]
const fn up(bits: u64, by: usize) -> u64 {
    if by < 64 { bits << by } else { 0 }
}

#[inline]
const fn down(bits: u64, by: usize) -> u64 {
    if by < 64 { bits >> by } else { 0 }
}
