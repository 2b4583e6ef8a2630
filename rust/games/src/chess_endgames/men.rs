//! Two kings with one or two more men, and their moves.

use kit::words;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Queen,
    Rook,
    Pawn,
    Bishop,
    Knight,
    King,
}

impl Kind {
    pub const fn letter(self) -> char {
        ['Q', 'R', 'P', 'B', 'N', 'K'][self as usize]
    }

    pub const fn name(self) -> &'static str {
        ["queen", "rook", "pawn", "bishop", "knight", "king"][self as usize]
    }
}

/// In place of the square of a man that was taken.
pub const GONE: u8 = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Man {
    pub kind: Kind,
    /// White is 0.
    pub side: u8,
    /// `8 * rank + file`: `a1` is 0.
    pub at: u8,
}

/// Squares that a king attacks.
pub const fn around(square: u8) -> u64 {
    let one = 1_u64 << square;
    let sides = one | (one & !0x8080_8080_8080_8080) << 1 | (one & !0x0101_0101_0101_0101) >> 1;
    (sides | sides << 8 | sides >> 8) & !one
}

/// Squares that a knight attacks.
const fn jumps(square: u8) -> u64 {
    let one = 1_u64 << square;
    let near = (one & !0x8080_8080_8080_8080) << 1 | (one & !0x0101_0101_0101_0101) >> 1;
    let far = (one & !0xC0C0_C0C0_C0C0_C0C0) << 2 | (one & !0x0303_0303_0303_0303) >> 2;
    near << 16 | near >> 16 | far << 8 | far >> 8
}

/// Squares in line with one: a rook's four ways, then a bishop's. Of both, the first two lead to later squares.
static RAYS: [[u64; 64]; 8] = {
    let ways = [(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)];
    let mut rays = [[0; 64]; 8];
    let mut n = 0;
    while n < 8 * 64 {
        let (up, right) = ways[n / 64];
        let (mut rank, mut file) = ((n % 64 / 8) as i32 + up, (n % 8) as i32 + right);
        while rank >= 0 && rank < 8 && file >= 0 && file < 8 {
            rays[n / 64][n % 64] |= 1 << (rank * 8 + file);
            (rank, file) = (rank + up, file + right);
        }
        n += 1;
    }
    rays
};

/// Squares that a man attacks along these ways over the occupied squares.
fn slides(ways: std::ops::Range<usize>, from: u8, occupied: u64) -> u64 {
    ways.fold(0, |reached, way| {
        let ray = RAYS[way][usize::from(from)];
        let first = match ray & occupied {
            0 => return reached | ray,
            met if way & 2 == 0 => met.trailing_zeros(),
            met => met.ilog2(),
        };
        reached | ray & !RAYS[way][first as usize]
    })
}

impl Man {
    /// Letter in a text: a capital for White.
    pub fn letter(self) -> char {
        if self.side == 0 { self.kind.letter() } else { self.kind.letter().to_ascii_lowercase() }
    }

    fn mask(self) -> u64 {
        1_u64.checked_shl(self.at.into()).unwrap_or(0)
    }

    /// Squares that it attacks over the occupied ones.
    fn attacks(self, occupied: u64) -> u64 {
        match self.kind {
            _ if self.at == GONE => 0,
            Kind::Queen => slides(0..8, self.at, occupied),
            Kind::Rook => slides(0..4, self.at, occupied),
            Kind::Bishop => slides(4..8, self.at, occupied),
            Kind::Knight => jumps(self.at),
            Kind::King => around(self.at),
            Kind::Pawn => around(self.at) & 0xFF << (self.at / 8 * 8 + 8) & !(self.mask() << 8),
        }
    }

    /// Squares that it reaches over the occupied ones, some of which its own side may hold.
    pub fn reaches(self, occupied: u64) -> u64 {
        if self.kind != Kind::Pawn {
            return self.attacks(occupied);
        }
        let one = self.mask() << 8 & !occupied;
        one | (one & 0xFF_0000) << 8 & !occupied
    }

    /// Free squares that it may have come from.
    pub fn origins(self, occupied: u64) -> u64 {
        if self.kind != Kind::Pawn {
            return self.attacks(occupied) & !occupied;
        }
        let one = self.mask() >> 8 & !occupied;
        one | (one & 0xFF_0000) >> 8 & !occupied
    }
}

/// The men: White's, then Black's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Ending {
    /// A queen.
    #[serde(rename = "KQK")]
    Kqk,
    /// A rook.
    #[serde(rename = "KRK")]
    Krk,
    /// A pawn, which becomes a queen or a rook on the last rank.
    #[serde(rename = "KPK")]
    Kpk,
    /// A queen against a rook.
    #[serde(rename = "KQKR")]
    Kqkr,
    /// A bishop and a knight.
    #[serde(rename = "KBNK")]
    Kbnk,
}

impl Ending {
    /// The men beside the kings, with their sides.
    pub fn pieces(self) -> &'static [(Kind, u8)] {
        match self {
            Self::Kqk => &[(Kind::Queen, 0)],
            Self::Krk => &[(Kind::Rook, 0)],
            Self::Kpk => &[(Kind::Pawn, 0)],
            Self::Kqkr => &[(Kind::Queen, 0), (Kind::Rook, 1)],
            Self::Kbnk => &[(Kind::Bishop, 0), (Kind::Knight, 0)],
        }
    }

    /// Kinds that these may have or become.
    pub fn kinds(self) -> &'static [Kind] {
        match self {
            Self::Kqk => &[Kind::Queen],
            Self::Krk => &[Kind::Rook],
            Self::Kpk => &[Kind::Pawn, Kind::Queen, Kind::Rook],
            Self::Kqkr => &[Kind::Queen, Kind::Rook],
            Self::Kbnk => &[Kind::Bishop, Kind::Knight],
        }
    }

    /// Moves in which White mates at the latest, where it can.
    pub fn longest(self) -> u32 {
        [10, 16, 28, 35, 33][self as usize]
    }

    /// All men, on any squares.
    pub fn men(self, mover: u8) -> Men {
        let mut men = [(Kind::King, 0), (Kind::Queen, 0), (Kind::King, 1), (Kind::Queen, 0)]
            .map(|(kind, side)| Man { kind, side, at: if kind == Kind::King { 0 } else { GONE } });
        for (nth, &(kind, side)) in self.pieces().iter().enumerate() {
            men[2 * nth + 1] = Man { kind, side, at: 0 };
        }
        Men { men, mover }
    }
}

/// Men in this order: White's king, a white piece, Black's king, and another piece, which three men lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Men {
    pub men: [Man; 4],
    pub mover: u8,
}

impl Men {
    /// Squares of the men of one side.
    fn of(self, side: u8) -> u64 {
        self.men.iter().filter(|man| man.side == side).fold(0, |squares, man| squares | man.mask())
    }

    /// The men on the board.
    pub fn present(&self) -> impl Iterator<Item = Man> {
        self.men.into_iter().filter(|man| man.at != GONE)
    }

    pub fn occupied(self) -> u64 {
        self.of(0) | self.of(1)
    }

    /// Squares on which the player to move may take a man or promote a pawn.
    pub fn conversions(self) -> u64 {
        self.of(1 - self.mover) | if self.men[1].kind == Kind::Pawn { 0xFF << 56 } else { 0 }
    }

    /// The side's man of this kind.
    pub fn find(self, side: u8, kind: Kind) -> Option<usize> {
        self.men.iter().position(|man| man.side == side && man.kind == kind && man.at != GONE)
    }

    /// Letters of a rank's men, and dots.
    pub fn rank(self, rank: u8) -> String {
        let letter = |square| self.men.iter().find(|man| man.at == square).map_or('.', |man| man.letter());
        (8 * rank..8 * rank + 8).map(letter).collect()
    }

    /// Reads board and player to move as FEN writes them.
    pub fn read(fen: &str, ending: Ending) -> Result<Self, String> {
        let mut fields = fen.split_whitespace();
        let (board, mover) = (fields.next().unwrap_or_default(), fields.next().unwrap_or("w"));
        let mover = match mover {
            "w" => 0,
            "b" => 1,
            other => return Err(format!("`{other}` is not w or b")),
        };
        let dots = |letter: char| match letter.to_digit(10) {
            Some(empty) => ".".repeat(empty as usize),
            None => letter.to_string(),
        };
        let ranks: Vec<String> = board.split('/').map(|rank| rank.chars().map(dots).collect()).collect();
        if ranks.len() != 8 {
            return Err(format!("it has {} ranks instead of 8", ranks.len()));
        }
        let mut men = ending.men(mover);
        let mut missing: Vec<char> = men.present().map(Man::letter).collect();
        for (rank, row) in (0..8).rev().zip(ranks) {
            if row.chars().count() != 8 {
                return Err(format!("rank {} has {} squares", rank + 1, row.chars().count()));
            }
            for (file, letter) in (0..8).zip(row.chars()).filter(|(_, letter)| *letter != '.') {
                let man = men.men.iter_mut().find(|man| man.at != GONE && man.letter() == letter);
                let man = man.ok_or_else(|| format!("`{letter}` is not a man of this ending"))?;
                man.at = rank * 8 + file;
                let place = missing.iter().position(|other| *other == letter);
                missing.swap_remove(place.ok_or_else(|| format!("it has `{letter}` twice"))?);
            }
        }
        if !missing.is_empty() {
            return Err(format!("it lacks {}", words::and(missing)));
        }
        if !men.is_possible() {
            return Err(
                "the kings touch, the player who has just moved is in check, or a pawn is on an outer rank"
                    .into(),
            );
        }
        if !men.can_move() {
            return Err("the game is over in it".into());
        }
        Ok(men)
    }

    /// Board and player to move as FEN writes them.
    pub fn fen(self) -> String {
        let ranks: Vec<_> = (0..8).rev().map(|rank| self.rank(rank)).collect();
        let dots = |text: String, n: usize| text.replace(&".".repeat(n), &n.to_string());
        format!("{} {}", (1..=8).rev().fold(ranks.join("/"), dots), ['w', 'b'][usize::from(self.mover)])
    }

    fn attacked(self, by: u8, occupied: u64) -> u64 {
        let attackers = self.men.iter().filter(|man| man.side == by);
        attackers.fold(0, |squares, man| squares | man.attacks(occupied))
    }

    /// True if this side's king is in check.
    pub fn is_check(self, side: u8) -> bool {
        self.attacked(1 - side, self.occupied()) & self.men[usize::from(2 * side)].mask() != 0
    }

    /// True if the men stand apart, no pawn is on an outer rank, and nobody is in check whose turn it isn't.
    pub fn is_possible(self) -> bool {
        let count = self.present().count();
        let pawns = self.men.iter().filter(|man| man.kind == Kind::Pawn);
        self.occupied().count_ones() as usize == count
            && pawns.fold(0, |squares, man| squares | man.mask()) & 0xFF00_0000_0000_00FF == 0
            && !self.is_check(1 - self.mover)
    }

    /// True if no side can mate any more: but for the kings there is at most a bishop or a knight.
    pub fn is_dead(self) -> bool {
        let [_, first, _, second] = self.men;
        let is_minor = |man: Man| man.at == GONE || matches!(man.kind, Kind::Bishop | Kind::Knight);
        is_minor(first) && is_minor(second) && (first.at == GONE || second.at == GONE)
    }

    /// Squares that each man of the player to move may go to.
    pub fn targets(self) -> [u64; 4] {
        let (occupied, own, king) = (self.occupied(), self.of(self.mover), usize::from(2 * self.mover));
        std::array::from_fn(|n| {
            let man = self.men[n];
            if man.side != self.mover || man.at == GONE {
                return 0;
            }
            let targets = man.reaches(occupied) & !own;
            let danger = self.attacked(1 - self.mover, occupied & !man.mask());
            match () {
                () if n == king => targets & !danger,
                // A man that is not needed to stop a check goes anywhere.
                () if danger & self.men[king].mask() == 0 => targets,
                () => squares(targets)
                    .filter(|to| !self.after(n, *to, man.kind).is_check(self.mover))
                    .fold(0, |targets, to| targets | 1 << to),
            }
        })
    }

    pub fn can_move(self) -> bool {
        self.targets() != [0; 4]
    }

    /// The men after one goes to a square, takes what is there and becomes this.
    #[must_use]
    pub fn after(mut self, man: usize, to: u8, kind: Kind) -> Self {
        if let Some(taken) = self.men.iter_mut().find(|man| man.at == to) {
            taken.at = GONE;
        }
        (self.men[man].at, self.men[man].kind) = (to, kind);
        self.mover ^= 1;
        self
    }

    /// The men after each move.
    pub fn nexts(self) -> impl Iterator<Item = Self> {
        let moves = std::iter::zip(0.., self.targets())
            .flat_map(|(man, targets)| squares(targets).map(move |to| (man, to)));
        moves.flat_map(move |(man, to)| {
            let kinds = match self.men[man].kind {
                Kind::Pawn if to >= 56 => [Some(Kind::Queen), Some(Kind::Rook)],
                kind => [Some(kind), None],
            };
            kinds.into_iter().flatten().map(move |kind| self.after(man, to, kind))
        })
    }

    /// True if these men are other ones, after a move that takes or promotes.
    pub fn are_others(self, before: Self) -> bool {
        self.men.map(|man| (man.kind, man.at == GONE)) != before.men.map(|man| (man.kind, man.at == GONE))
    }

    /// The men on a mirrored board: `by` adds 1 for the other way along the ranks, 2 along the files, and 4 for files and ranks
    /// that have changed places first.
    #[must_use]
    pub fn mirrored(mut self, by: u8) -> Self {
        for man in self.men.iter_mut().filter(|man| man.at != GONE) {
            if by & 4 != 0 {
                man.at = (man.at & 7) << 3 | man.at >> 3;
            }
            man.at ^= [0, 7, 56, 63][usize::from(by & 3)];
        }
        self
    }
}

pub fn squares(mut mask: u64) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let square = (mask != 0).then(|| mask.trailing_zeros() as u8);
        mask &= mask.wrapping_sub(1);
        square
    })
}
