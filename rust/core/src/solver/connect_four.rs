//! Exact scores of Connect Four positions on any board that fits a 64-bit word.
//!
//! Column `c` owns bits `c * (H + 1)` upwards, lowest cell first; the bit above each column stays
//! empty so that lines never wrap. A score is the number of own discs the winner still holds, the
//! winning one included: positive when the mover wins, negative when the opponent does, 0 for a
//! draw.

pub use super::limit::{Limit, Unfinished};

pub mod book;

/// Who wins under perfect play, as the player to move sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    Loss,
    Draw,
    Win,
}

/// Why a disc cannot be played.
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
    own: u64,
    /// Discs of both players.
    mask: u64,
}

impl<const W: usize, const H: usize> Default for Position<W, H> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const W: usize, const H: usize> Position<W, H> {
    const CELLS: i32 = {
        assert!(W > 0 && H > 0 && W * (H + 1) <= 64, "the board and its guard row fit 64 bits");
        (W * H) as i32
    };
    /// Bits of a key.
    const BITS: u32 = (W * (H + 1)) as u32;
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
    const BOARD: u64 = Self::BOTTOM.wrapping_mul(Self::COLUMN);
    /// Rows the player to move fills when the opponent always answers in the same column and every
    /// column has an even number of empty cells: those with an odd number of cells above them.
    const FOLLOWED: u64 = {
        let (mut rows, mut row) = (0, 0);
        while row < H {
            if (H - row).is_multiple_of(2) {
                rows |= Self::BOTTOM << row;
            }
            row += 1;
        }
        rows
    };

    /// The centre first: it takes part in most lines.
    const COLUMNS: [usize; W] = {
        let mut columns = [0; W];
        let mut place = 0;
        while place < W {
            let side = place.div_ceil(2);
            columns[place] = if place % 2 == 1 { W / 2 - side } else { W / 2 + side };
            place += 1;
        }
        columns
    };
    /// How many lines of four pass through each cell.
    const LINES: [u8; 64] = {
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

    /// The position with the discs of the player to move and those of both, where the module's
    /// layout puts them.
    pub(crate) const fn of(own: u64, mask: u64) -> Self {
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

    /// Whether the player who moved last has four in a row.
    pub fn is_won(&self) -> bool {
        Self::has_four(self.own ^ self.mask)
    }

    /// Whether nobody can move.
    pub fn is_over(&self) -> bool {
        self.mask == Self::BOARD || self.is_won()
    }

    /// The same for a position and its mirror image, different for any other two.
    pub fn key(&self) -> u64 {
        let key = self.own.wrapping_add(self.mask);
        key.min(Self::mirror(key))
    }

    /// Whether the position is its own mirror image.
    pub fn is_symmetric(&self) -> bool {
        Self::mirror(self.own) == self.own && Self::mirror(self.mask) == self.mask
    }

    /// The score of a position nobody can move in.
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

    const fn column(column: usize) -> u64 {
        Self::COLUMN << (column * (H + 1))
    }

    /// The cell above the top disc of every column that has one.
    #[inline]
    const fn playable(mask: u64) -> u64 {
        mask.wrapping_add(Self::BOTTOM) & Self::BOARD
    }

    #[inline]
    fn has_four(discs: u64) -> bool {
        // All directions, rather than until one is found: there is nothing to predict.
        let mut fours = 0;
        for step in [1, H, H + 1, H + 2] {
            let pairs = discs & down(discs, step);
            fours |= pairs & down(pairs, 2 * step);
        }
        fours != 0
    }

    /// Cells that would complete a line of these discs, filled ones included.
    #[inline]
    fn completions(discs: u64) -> u64 {
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
    fn mirror(bits: u64) -> u64 {
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

/// What is proved about a score: it lies between the two.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    low: i32,
    high: i32,
}

impl Bounds {
    /// Further from zero than any score.
    const FAR: i32 = 64;

    const fn exactly(score: i32) -> Self {
        Self { low: score, high: score }
    }

    const fn at_least(low: i32) -> Self {
        Self { low, high: Self::FAR }
    }

    const fn at_most(high: i32) -> Self {
        Self { low: -Self::FAR, high }
    }

    fn and(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// The same for the other player, unless `same`.
    const fn seen_by(self, same: bool) -> Self {
        if same { self } else { Self { low: -self.high, high: -self.low } }
    }
}

/// A position whose mover cannot win at once.
#[derive(Clone, Copy)]
struct Node<const W: usize, const H: usize> {
    own: u64,
    mask: u64,
    /// Empty cells that would complete a line of the opponent's.
    threats: u64,
    plies: i32,
}

/// A node after every forced reply has been made.
enum Settled<const W: usize, const H: usize> {
    /// At least two moves do not lose at once.
    Open(Node<W, H>),
    /// The game's score is known.
    Over(i32),
}

impl<const W: usize, const H: usize> Node<W, H> {
    const CELLS: i32 = Position::<W, H>::CELLS;

    const fn empty(&self) -> i32 {
        Self::CELLS - self.plies
    }

    /// Moves after which the opponent does not win at once.
    #[inline]
    const fn safe_moves(&self) -> u64 {
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
    const fn after(&self, disc: u64, threats: u64) -> Self {
        Self {
            own: self.own ^ self.mask,
            mask: self.mask | disc,
            threats: threats & !disc,
            plies: self.plies + 1,
        }
    }

    /// Plays every forced reply. Also tells whether the mover is still the same.
    #[expect(clippy::inline_always, reason = "a third of the time, in the middle of the game")]
    #[inline(always)]
    fn settle(mut self) -> (Settled<W, H>, bool) {
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

    /// What follows without a search for an open node.
    #[expect(clippy::inline_always, reason = "a third of the time, in the middle of the game")]
    #[inline(always)]
    fn bounds(&self) -> Bounds {
        // Neither side wins at once: the mover's next chance is two plies away, the opponent's
        // three.
        let mut low = -((self.empty() - 2) / 2);
        let mut high = (self.empty() - 1) / 2;
        let opponent = self.own ^ self.mask;
        let empty = Position::<W, H>::BOARD & !self.mask;
        let playable = Position::<W, H>::playable(self.mask);
        let followed = Position::<W, H>::FOLLOWED;
        // What the leader of an even number of empty cells gets at most, if the follower answers
        // every disc in its column, but the first disc in a column of odd room with the first
        // disc in another such column.
        let led = (followed | playable) & empty;
        let odd_tops = playable & !followed;
        if self.empty() % 2 == 0 {
            if !Position::<W, H>::has_four(self.own | led) {
                // The follower gets all the rest.
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
        // The opponent follows, and wins in a column of odd room where the mover has to fill the
        // cell below a threat in the end.
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
fn cells(mut bits: u64) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let lowest = bits & bits.wrapping_neg();
        bits ^= lowest;
        (lowest != 0).then_some(lowest)
    })
}

/// A move worth searching.
#[derive(Clone, Copy)]
struct Branch<const W: usize, const H: usize> {
    node: Node<W, H>,
    place: Place,
    /// Whether the node's mover is the player choosing among the branches.
    same: bool,
    /// An upper bound of its score.
    high: i32,
    /// The disc, and what it threatens.
    disc: u64,
    threats: u64,
}

impl<const W: usize, const H: usize> Branch<W, H> {
    const NONE: Self = Self {
        node: Node { own: 0, mask: 0, threats: 0, plies: 0 },
        place: Place { slot: 0, tag: 0 },
        same: false,
        high: 0,
        disc: 0,
        threats: 0,
    };
}

/// Scores positions of a board of `W` columns and `H` rows, remembering what it proved.
pub struct Solver<const W: usize, const H: usize> {
    /// Positions with at least `EARLY` empty cells.
    early: Table,
    /// The others, in a table that a core's own cache holds: they are cheaper to search again than
    /// to fetch from memory.
    late: Table,
    searched: u64,
}

impl<const W: usize, const H: usize> Default for Solver<W, H> {
    /// A solver with a table of 64 MiB.
    fn default() -> Self {
        Self::new(1 << 26)
    }
}

impl<const W: usize, const H: usize> Solver<W, H> {
    /// Tells early positions from late ones, by their empty cells.
    const EARLY: i32 = 22;
    const LATE_BYTES: usize = 1 << 20;
    /// Empty cells from which mirror images share a table entry.
    const MIRRORED: i32 = 28;

    /// A solver that remembers at most `table_bytes` (rounded down to a power of two) of early
    /// positions and a mebibyte of late ones; more on boards of over 51 bits, where smaller tables
    /// could not tell all positions apart (8 MiB each for 64 bits).
    pub fn new(table_bytes: usize) -> Self {
        let bits = Position::<W, H>::BITS;
        Self {
            early: Table::new(table_bytes, bits),
            late: Table::new(table_bytes.min(Self::LATE_BYTES), bits),
            searched: 0,
        }
    }

    /// Positions searched since the solver was made.
    pub const fn searched(&self) -> u64 {
        self.searched
    }

    /// The exact score of a position.
    pub fn score(&mut self, position: &Position<W, H>, limit: &mut Limit<'_>) -> Result<i8, Unfinished> {
        let any = Bounds { low: -Bounds::FAR, high: Bounds::FAR };
        self.narrow(position, any, limit).map(|score| score as i8)
    }

    /// Who wins, found faster than the score.
    pub fn outcome(
        &mut self,
        position: &Position<W, H>,
        limit: &mut Limit<'_>,
    ) -> Result<Outcome, Unfinished> {
        let score = self.narrow(position, Bounds { low: -1, high: 1 }, limit)?;
        Ok(match score {
            ..0 => Outcome::Loss,
            0 => Outcome::Draw,
            1.. => Outcome::Win,
        })
    }

    /// Whether a score is at least `least`, found faster than the score.
    pub fn at_least(
        &mut self,
        position: &Position<W, H>,
        least: i8,
        limit: &mut Limit<'_>,
    ) -> Result<bool, Unfinished> {
        let least = i32::from(least);
        let window = Bounds { low: least - 1, high: least };
        Ok(self.narrow(position, window, limit)? >= least)
    }

    /// The exact score of every move for the player to move, `None` where no disc can be played.
    pub fn values(
        &mut self,
        position: &Position<W, H>,
        limit: &mut Limit<'_>,
    ) -> Result<[Option<i8>; W], Unfinished> {
        let mut values = [None; W];
        for column in Position::<W, H>::COLUMNS {
            let mirrored = values[W - 1 - column];
            values[column] = match position.play(column) {
                Err(_) => None,
                Ok(_) if mirrored.is_some() && position.is_symmetric() => mirrored,
                Ok(next) => Some(-self.score(&next, limit)?),
            };
        }
        Ok(values)
    }

    /// The score, or a bound of it beyond the window if it lies outside.
    fn narrow(
        &mut self,
        position: &Position<W, H>,
        window: Bounds,
        limit: &mut Limit<'_>,
    ) -> Result<i32, Unfinished> {
        if let Some(score) = position.final_score() {
            return Ok(score.into());
        }
        let plies = position.plies() as i32;
        let wins = Position::<W, H>::completions(position.own) & !position.mask;
        if wins & Position::<W, H>::playable(position.mask) != 0 {
            return Ok((Position::<W, H>::CELLS + 1 - plies) / 2);
        }
        let threats = Position::<W, H>::completions(position.own ^ position.mask) & !position.mask;
        let root = Node { own: position.own, mask: position.mask, threats, plies };
        let (settled, same) = root.settle();
        let node: Node<W, H> = match settled {
            Settled::Over(score) => return Ok(if same { score } else { -score }),
            Settled::Open(node) => node,
        };
        let place = self.place(&node);
        let mut bounds = node.bounds();
        if let Some(found) = Table::find(&self.table(&node).slot(place), place) {
            bounds = bounds.and(found);
        }
        let Bounds { mut low, mut high } = bounds.seen_by(same);
        // Far from the end the sizes of wins vary too much to try them one by one.
        let stride = |room: i32| {
            if node.empty() > Self::MIRRORED { room / 2 } else { 0 }
        };
        while low < high && low < window.high && high > window.low {
            // The sign first: what follows shares most of its tree.
            let alpha = if window.high - window.low == 1 {
                window.low
            } else if low <= 0 && high > 0 {
                0
            } else if low < 0 && high == 0 {
                -1
            } else if low > 0 {
                (low + stride(high - low)).min(high - 1)
            } else {
                (high - 1 - stride(high - low)).max(low)
            };
            let value = self.exceeds(&node, place, same, alpha, limit)?;
            if value > alpha {
                low = low.max(value);
            } else {
                high = high.min(value);
            }
        }
        Ok(if low >= window.high { low } else { high })
    }

    /// `search` for the player to move at the node if `same`, for the other one if not.
    #[inline]
    fn exceeds(
        &mut self,
        node: &Node<W, H>,
        place: Place,
        same: bool,
        alpha: i32,
        limit: &mut Limit<'_>,
    ) -> Result<i32, Unfinished> {
        if same {
            self.search(node, place, alpha, limit)
        } else {
            self.search(node, place, -alpha - 1, limit).map(|score| -score)
        }
    }

    /// Whether the score of an open node is above `alpha`: a lower bound of it that is, or an
    /// upper bound of it that is not.
    fn search(
        &mut self,
        node: &Node<W, H>,
        place: Place,
        alpha: i32,
        limit: &mut Limit<'_>,
    ) -> Result<i32, Unfinished> {
        limit.spend()?;
        self.searched += 1;
        let before = self.searched;
        let early = node.empty() >= Self::EARLY;
        let moves = node.safe_moves();

        // The moves, the middle ones first, and two at a time as vectors what they threaten.
        let mut discs = [[0; 2]; W];
        let mut count = 0;
        for column in Position::<W, H>::COLUMNS {
            let disc = moves & Position::<W, H>::column(column);
            discs[count / 2][count % 2] = disc;
            count += usize::from(disc != 0);
        }
        let mut threats = [[0; 2]; W];
        for (threats, discs) in threats.iter_mut().zip(&discs).take(count.div_ceil(2)) {
            *threats = discs.map(|disc| Position::<W, H>::completions(node.own | disc) & !node.mask);
        }

        let mut open = [Branch::NONE; W];
        let mut slots = [[0; Table::WAYS]; W];
        let mut opened = 0;
        // The best bound of the moves that are not searched.
        let mut best = -Bounds::FAR;
        for at in 0..count {
            let disc = discs[at / 2][at % 2];
            let child = node.after(disc, threats[at / 2][at % 2]);
            let (settled, turned) = child.settle();
            let same = !turned;
            let bounds = match settled {
                Settled::Over(score) => Bounds::exactly(score),
                Settled::Open(node) => node.bounds(),
            };
            let bounds = bounds.seen_by(same);
            if bounds.low > alpha {
                self.remember(node, place, Bounds::at_least(bounds.low), 1);
                return Ok(bounds.low);
            }
            if bounds.high <= alpha {
                best = best.max(bounds.high);
            } else if let Settled::Open(node) = settled {
                let place = self.place(&node);
                open[opened] = Branch { node, place, same, high: bounds.high, disc, threats: child.threats };
                opened += 1;
            }
        }

        // Read together and looked at later, the slots wait for memory at the same time.
        for (slot, branch) in slots.iter_mut().zip(&open[..opened]) {
            *slot = self.table(&branch.node).slot(branch.place);
        }

        let mut order = [0; W];
        let mut ranks = [0; W];
        let mut count = 0;
        for (index, branch) in open[..opened].iter().enumerate() {
            if let Some(found) = Table::find(&slots[index], branch.place) {
                let found = found.seen_by(branch.same);
                if found.low > alpha {
                    self.remember(node, place, Bounds::at_least(found.low), 1);
                    return Ok(found.low);
                }
                if found.high <= alpha {
                    best = best.max(found.high.min(branch.high));
                    continue;
                }
            }
            // Threats are few: counted one by one, as not every processor counts bits.
            let mut worth = 16 * cells(branch.threats).count() as i32;
            if early {
                worth += i32::from(Position::<W, H>::LINES[branch.disc.trailing_zeros() as usize]);
            }
            let mut rank = count;
            while rank > 0 && ranks[rank - 1] < worth {
                order[rank] = order[rank - 1];
                ranks[rank] = ranks[rank - 1];
                rank -= 1;
            }
            order[rank] = index;
            ranks[rank] = worth;
            count += 1;
        }

        for &index in &order[..count] {
            let branch = &open[index];
            let value = self.exceeds(&branch.node, branch.place, branch.same, alpha, limit)?;
            best = best.max(value);
            if best > alpha {
                break;
            }
        }
        let bounds = if best > alpha { Bounds::at_least(best) } else { Bounds::at_most(best) };
        self.remember(node, place, bounds, self.searched - before + 1);
        Ok(best)
    }

    #[inline]
    const fn table(&self, node: &Node<W, H>) -> &Table {
        if node.empty() >= Self::EARLY { &self.early } else { &self.late }
    }

    #[inline]
    fn remember(&mut self, node: &Node<W, H>, place: Place, bounds: Bounds, work: u64) {
        let table = if node.empty() >= Self::EARLY { &mut self.early } else { &mut self.late };
        table.put(place, bounds, work);
    }

    #[expect(clippy::inline_always, reason = "a third of the time, in the middle of the game")]
    #[inline(always)]
    fn place(&self, node: &Node<W, H>) -> Place {
        let mut key = node.own.wrapping_add(node.mask);
        if node.empty() >= Self::MIRRORED {
            key = key.min(Position::<W, H>::mirror(key));
        }
        self.table(node).place(key)
    }
}

/// Where a position's entry belongs: no two keys share both.
#[derive(Clone, Copy)]
struct Place {
    slot: usize,
    tag: u64,
}

/// Bounds of searched positions, in a fixed amount of memory.
struct Table {
    /// Slots of `WAYS` entries. From the highest bit: the tag, the length of the number of
    /// positions searched (0 only in an unused entry), the lower and the upper bound.
    entries: Vec<u64>,
    /// Entries before the first slot, so that none straddles cache lines.
    skipped: usize,
    key_bits: u32,
    tag_bits: u32,
}

impl Table {
    const WAYS: usize = 4;
    const FIELD: u32 = 6;
    const FIELDS: u32 = 3 * Self::FIELD;
    /// What makes a bound positive.
    const OFFSET: i32 = 32;

    fn new(bytes: usize, key_bits: u32) -> Self {
        let slot_bits = (bytes / (8 * Self::WAYS)).max(1).ilog2();
        let least = key_bits.saturating_sub(u64::BITS - Self::FIELDS);
        let slot_bits = slot_bits.clamp(least, key_bits.saturating_sub(1).max(least));
        let entries = vec![0_u64; (Self::WAYS << slot_bits) + Self::WAYS];
        let skipped = entries.as_ptr().align_offset(8 * Self::WAYS).min(Self::WAYS);
        Self { entries, skipped, key_bits, tag_bits: key_bits - slot_bits }
    }

    #[inline]
    const fn place(&self, key: u64) -> Place {
        // An odd factor permutes the keys; the highest bits of the product are the best mixed.
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) << (u64::BITS - self.key_bits)
            >> (u64::BITS - self.key_bits);
        let slot = (mixed >> self.tag_bits) as usize;
        Place { slot: self.skipped + slot * Self::WAYS, tag: mixed & ((1 << self.tag_bits) - 1) }
    }

    #[inline]
    fn slot(&self, place: Place) -> [u64; Self::WAYS] {
        *self.entries[place.slot..].first_chunk().expect("slots are whole")
    }

    #[inline]
    fn find(slot: &[u64; Self::WAYS], place: Place) -> Option<Bounds> {
        let known = |&entry: &u64| entry >> Self::FIELDS == place.tag && entry != 0;
        slot.iter().copied().find(known).map(Self::bounds)
    }

    const fn bounds(entry: u64) -> Bounds {
        let low = Self::field(entry, 1) as i32 - Self::OFFSET;
        let high = Self::field(entry, 0) as i32 - Self::OFFSET;
        Bounds { low, high }
    }

    const fn field(entry: u64, index: u32) -> u64 {
        (entry >> (index * Self::FIELD)) & ((1 << Self::FIELD) - 1)
    }

    /// Adds what was proved to the position's entry, or replaces the entry that took least work.
    #[inline]
    fn put(&mut self, place: Place, mut bounds: Bounds, work: u64) {
        let slot = &mut self.entries[place.slot..place.slot + Self::WAYS];
        let known = |&entry: &u64| entry >> Self::FIELDS == place.tag && entry != 0;
        let mut length = u64::from(u64::BITS - work.leading_zeros()).min(63);
        let way = if let Some(way) = slot.iter().position(known) {
            bounds = bounds.and(Self::bounds(slot[way]));
            length = length.max(Self::field(slot[way], 2));
            way
        } else {
            let length = |&way: &usize| Self::field(slot[way], 2);
            (0..Self::WAYS).min_by_key(length).expect("slots have ways")
        };
        let low = bounds.low.max(-Self::OFFSET) + Self::OFFSET;
        let high = bounds.high.min(Self::OFFSET - 1) + Self::OFFSET;
        let fields = length << (2 * Self::FIELD) | (low as u64) << Self::FIELD | high as u64;
        slot[way] = place.tag << Self::FIELDS | fields;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::*;

    /// Pascal Pons's test sets, not ours to ship: lines of moves (columns from 1) and a score.
    const SETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/connect4");

    fn published(set: &str) -> Vec<(Position<7, 6>, i8)> {
        let Ok(text) = fs::read_to_string(format!("{SETS}/{set}")) else {
            eprintln!("skipped: no published set {set}");
            return Vec::new();
        };
        let read = |line: &str| {
            let (moves, score) = line.split_once(' ').expect("moves and a score");
            let columns = moves.bytes().map(|digit| usize::from(digit - b'1'));
            let position = Position::after(columns).expect("legal moves");
            (position, score.trim().parse().expect("a score"))
        };
        text.lines().map(read).collect()
    }

    fn solve<const W: usize, const H: usize>(solver: &mut Solver<W, H>, position: &Position<W, H>) -> i8 {
        solver.score(position, &mut Limit::none()).expect("no limit")
    }

    #[test]
    fn published_scores() {
        let every = if cfg!(debug_assertions) { 20 } else { 1 };
        let mut solver = Solver::default();
        for (set, step) in [("end-easy", 1), ("middle-easy", every), ("middle-medium", 2 * every - 1)] {
            for (position, score) in published(set).into_iter().step_by(step) {
                assert_eq!(solve(&mut solver, &position), score, "{position:?}");
                let outcome = solver.outcome(&position, &mut Limit::none());
                assert_eq!(outcome, Ok(outcome_of(score)), "{position:?}");
            }
        }
    }

    #[test]
    #[ignore = "a minute of search; `make test-all` runs it"]
    fn published_scores_of_openings() {
        let mut solver = Solver::default();
        for set in ["begin-easy", "begin-medium", "begin-hard-small", "begin-hard"] {
            // All of them take most of an hour.
            for (position, score) in published(set).into_iter().step_by(40) {
                assert_eq!(solve(&mut solver, &position), score, "{position:?}");
            }
        }
    }

    fn outcome_of(score: i8) -> Outcome {
        match score {
            ..0 => Outcome::Loss,
            0 => Outcome::Draw,
            1.. => Outcome::Win,
        }
    }

    /// Numbers enough for tests.
    fn numbers(mut state: u64) -> impl FnMut(usize) -> usize {
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
            (state >> 33) as usize % below
        }
    }

    fn random<const W: usize, const H: usize>(
        plies: usize,
        pick: &mut impl FnMut(usize) -> usize,
    ) -> Position<W, H> {
        let mut position = Position::new();
        for _ in 0..plies {
            let next: Vec<_> = (0..W).filter_map(|column| position.play(column).ok()).collect();
            if next.is_empty() {
                break;
            }
            position = next[pick(next.len())];
        }
        position
    }

    fn minimax<const W: usize, const H: usize>(
        position: &Position<W, H>,
        seen: &mut BTreeMap<(u64, u64), i8>,
    ) -> i8 {
        if let Some(score) = position.final_score() {
            return score;
        }
        if let Some(&score) = seen.get(&(position.own, position.mask)) {
            return score;
        }
        let next = (0..W).filter_map(|column| position.play(column).ok());
        let score = next.map(|next| -minimax(&next, seen)).max().expect("a move");
        seen.insert((position.own, position.mask), score);
        score
    }

    /// Scores, values and outcomes of random positions, with a table too small to hold them.
    fn agrees_with_minimax<const W: usize, const H: usize>(least_plies: usize, positions: usize) {
        let mut pick = numbers((W * 100 + H) as u64);
        let mut solver = Solver::<W, H>::new(1 << 12);
        let mut seen = BTreeMap::new();
        for _ in 0..positions {
            let plies = least_plies + pick(W * H - least_plies + 1);
            let position = random::<W, H>(plies, &mut pick);
            let score = minimax(&position, &mut seen);
            assert_eq!(solve(&mut solver, &position), score, "{position:?}");
            let outcome = solver.outcome(&position, &mut Limit::none());
            assert_eq!(outcome, Ok(outcome_of(score)), "{position:?}");
            for least in score - 1..=score + 1 {
                let reached = solver.at_least(&position, least, &mut Limit::none());
                assert_eq!(reached, Ok(score >= least), "{position:?}");
            }
            let values = solver.values(&position, &mut Limit::none()).expect("no limit");
            for (column, value) in values.into_iter().enumerate() {
                let next = position.play(column).ok();
                assert_eq!(value, next.map(|next| -minimax(&next, &mut seen)), "{position:?}");
            }
        }
    }

    #[test]
    fn small_boards_agree_with_minimax() {
        let many = if cfg!(debug_assertions) { 100 } else { 1000 };
        agrees_with_minimax::<4, 4>(2, many);
        agrees_with_minimax::<5, 4>(11, many);
        agrees_with_minimax::<4, 5>(11, many);
        agrees_with_minimax::<5, 5>(16, many);
        agrees_with_minimax::<6, 4>(15, many);
        agrees_with_minimax::<4, 6>(15, many);
        agrees_with_minimax::<7, 6>(33, many);
        agrees_with_minimax::<8, 7>(48, many / 4);
        agrees_with_minimax::<3, 4>(0, 100);
        agrees_with_minimax::<6, 1>(0, 100);
        agrees_with_minimax::<1, 6>(0, 100);
        agrees_with_minimax::<4, 15>(52, 100);
    }

    #[test]
    fn mirror_images_score_alike() {
        let mut pick = numbers(7);
        for _ in 0..50 {
            let mut columns = Vec::new();
            let mut position = Position::<7, 6>::new();
            while columns.len() < 20 {
                let column = pick(7);
                match position.play(column) {
                    Ok(next) => position = next,
                    Err(Illegal::GameOver) => break,
                    Err(_) => continue,
                }
                columns.push(column);
            }
            let image = Position::<7, 6>::after(columns.iter().map(|column| 6 - column)).expect("legal");
            assert_eq!(image.key(), position.key());
            let mut fresh = Solver::<7, 6>::new(1 << 16);
            let values = fresh.values(&position, &mut Limit::none()).expect("no limit");
            let mut fresh = Solver::<7, 6>::new(1 << 16);
            let mut images = fresh.values(&image, &mut Limit::none()).expect("no limit");
            images.reverse();
            assert_eq!(values, images);
        }
    }

    #[test]
    fn limits_are_kept() {
        let mut solver = Solver::<7, 6>::new(1 << 20);
        let mut limit = Limit::nodes(5000);
        assert_eq!(solver.score(&Position::new(), &mut limit), Err(Unfinished));
        assert_eq!((limit.left(), solver.searched()), (0, 5000));
        assert_eq!(solver.values(&Position::new(), &mut limit), Err(Unfinished));

        let stop = std::sync::atomic::AtomicBool::new(true);
        let mut limit = Limit::none().stopped_by(&stop);
        assert_eq!(solver.outcome(&Position::new(), &mut limit), Err(Unfinished));
        assert!(solver.searched() < 5000 + 2 * Limit::LOOK);

        // What an unfinished search left in the table is still true.
        let mut fresh = Solver::<7, 6>::new(1 << 20);
        let mut pick = numbers(3);
        for _ in 0..50 {
            let position = random(20, &mut pick);
            assert_eq!(solve(&mut solver, &position), solve(&mut fresh, &position));
        }
    }

    #[test]
    fn finished_games() {
        let mut solver = Solver::<7, 6>::new(1 << 16);
        let won = Position::<7, 6>::after([0, 1, 0, 1, 0, 1, 0]).expect("legal");
        assert!(won.is_won() && won.is_over());
        assert_eq!(won.play(2), Err(Illegal::GameOver));
        assert_eq!(solve(&mut solver, &won), -18);
        assert_eq!(solver.values(&won, &mut Limit::nodes(0)), Ok([None; 7]));

        let winning = Position::<7, 6>::after([0, 1, 0, 1, 0, 1]).expect("legal");
        assert_eq!(solve(&mut solver, &winning), 18);

        let column_full = Position::<7, 6>::after([3; 6]).expect("legal");
        assert_eq!(column_full.play(3), Err(Illegal::ColumnFull));
        assert_eq!(column_full.play(7), Err(Illegal::NoColumn));

        let full = Position::<2, 2>::after([0, 0, 1, 1]).expect("legal");
        assert_eq!(full.final_score(), Some(0));
        assert_eq!(full.play(0), Err(Illegal::ColumnFull));
    }

    #[test]
    fn lines_through_cells() {
        let lines = Position::<7, 6>::LINES;
        assert_eq!(lines.iter().map(|&count| u32::from(count)).sum::<u32>(), 69 * 4);
        assert_eq!((lines[0], lines[3 * 7 + 2]), (3, 13));
    }
}
