//! Two kings and one white piece, and their moves.

/// White's piece beside the king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Queen,
    Rook,
    Pawn,
}

impl Kind {
    #[cfg(test)]
    pub const ALL: [Self; 3] = [Self::Queen, Self::Rook, Self::Pawn];

    pub const fn letter(self) -> char {
        match self {
            Self::Queen => 'Q',
            Self::Rook => 'R',
            Self::Pawn => 'P',
        }
    }

    pub const fn name(self) -> &'static str {
        match self {
            Self::Queen => "queen",
            Self::Rook => "rook",
            Self::Pawn => "pawn",
        }
    }
}

/// In place of the square of a piece that was taken.
pub const GONE: u8 = 64;

/// Squares of the white king, of the white piece and of the black king: `8 * rank + file`, `a1` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Men {
    pub at: [u8; 3],
    pub kind: Kind,
    /// White is 0.
    pub mover: u8,
}

/// Squares next to one.
pub const fn around(square: u8) -> u64 {
    let one = 1_u64 << square;
    let sides = one | (one & !0x8080_8080_8080_8080) << 1 | (one & !0x0101_0101_0101_0101) >> 1;
    (sides | sides << 8 | sides >> 8) & !one
}

/// Squares that a queen or rook attacks over these men.
fn slides(queen: bool, from: u8, men: u64) -> u64 {
    let (rank, file) = (i32::from(from / 8), i32::from(from % 8));
    let ways = [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)];
    let mut reached = 0;
    for (up, right) in &ways[..if queen { 8 } else { 4 }] {
        let (mut r, mut f) = (rank + up, file + right);
        while (0..8).contains(&r) && (0..8).contains(&f) {
            reached |= 1 << (r * 8 + f);
            if men >> (r * 8 + f) & 1 == 1 {
                break;
            }
            (r, f) = (r + up, f + right);
        }
    }
    reached
}

impl Men {
    fn mask(self, man: usize) -> u64 {
        if self.at[man] == GONE { 0 } else { 1 << self.at[man] }
    }

    /// Squares that the white piece attacks over these men.
    fn attacked(self, men: u64) -> u64 {
        let from = self.at[1];
        match self.kind {
            _ if from == GONE => 0,
            Kind::Pawn => {
                (self.mask(1) & !0x8080_8080_8080_8080) << 9 | (self.mask(1) & !0x0101_0101_0101_0101) << 7
            }
            kind => slides(kind == Kind::Queen, from, men),
        }
    }

    /// Board and player to move as FEN writes them.
    pub fn fen(self) -> String {
        let letters = ['K', self.kind.letter(), 'k'];
        let rank = |rank: u8| {
            let (mut text, mut empty) = (String::new(), 0);
            for file in 0..8 {
                let man = self.at.iter().position(|&square| square == rank * 8 + file);
                if let Some(man) = man {
                    if empty > 0 {
                        text += &empty.to_string();
                    }
                    text.push(letters[man]);
                    empty = 0;
                } else {
                    empty += 1;
                }
            }
            if empty > 0 { text + &empty.to_string() } else { text }
        };
        let ranks: Vec<_> = (0..8).rev().map(rank).collect();
        format!("{} {}", ranks.join("/"), if self.mover == 0 { 'w' } else { 'b' })
    }

    /// True if Black's king is in check.
    pub fn is_check(self) -> bool {
        self.attacked(self.mask(0) | self.mask(2)) & self.mask(2) != 0
    }

    /// True if the men stand apart, and nobody is in check whose turn it isn't.
    pub fn is_possible(self) -> bool {
        let [white, piece, black] = self.at;
        let apart = white != piece && piece != black && white != black && around(white) & self.mask(2) == 0;
        let pawn = self.kind != Kind::Pawn || (8..56).contains(&piece);
        apart && pawn && (self.mover == 1 || !self.is_check())
    }

    /// Squares that the king of the player to move, and White's piece, may go to.
    pub fn targets(self) -> (u64, u64) {
        let [white, piece, black] = self.at;
        if self.mover == 1 {
            return (around(black) & !around(white) & !self.attacked(self.mask(0)), 0);
        }
        let men = self.mask(0) | self.mask(1) | self.mask(2);
        let king = around(white) & !self.mask(1) & !around(black);
        let targets = match self.kind {
            _ if piece == GONE => 0,
            Kind::Pawn => {
                let one = self.mask(1) << 8 & !men;
                one | (one & 0xFF_0000) << 8 & !men
            }
            _ => self.attacked(men) & !men,
        };
        (king, targets)
    }

    pub fn can_move(self) -> bool {
        self.targets() != (0, 0)
    }

    /// The men after the king of the player to move goes to a square.
    #[must_use]
    pub fn after_king(mut self, to: u8) -> Self {
        if self.mover == 1 && self.at[1] == to {
            self.at[1] = GONE;
        }
        self.at[usize::from(2 * self.mover)] = to;
        self.mover ^= 1;
        self
    }

    /// The men after White's piece goes to a square and becomes this.
    #[must_use]
    pub fn after_piece(mut self, to: u8, kind: Kind) -> Self {
        (self.at[1], self.kind, self.mover) = (to, kind, 1);
        self
    }

    pub fn nexts(self) -> impl Iterator<Item = Self> {
        let (king, piece) = self.targets();
        let men = self;
        let pieces = squares(piece).flat_map(move |to| {
            let promotes = men.kind == Kind::Pawn && to >= 56;
            let kinds: &[Kind] = match men.kind {
                _ if promotes => &[Kind::Queen, Kind::Rook],
                Kind::Queen => &[Kind::Queen],
                Kind::Rook => &[Kind::Rook],
                Kind::Pawn => &[Kind::Pawn],
            };
            kinds.iter().map(move |&kind| men.after_piece(to, kind))
        });
        squares(king).map(move |to| men.after_king(to)).chain(pieces)
    }
}

pub fn squares(mut mask: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = (mask != 0).then(|| mask.trailing_zeros() as u8);
        mask &= mask.wrapping_sub(1);
        square
    })
}
