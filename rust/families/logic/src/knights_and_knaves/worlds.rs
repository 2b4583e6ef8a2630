//! Possible worlds, that is, who is a knight: single worlds, sets of them, and truth in one or in all at
//! once.

use std::array;
use std::ops::{BitAnd, BitOr, BitXor, Not};

pub const MOST_PEOPLE: usize = 10;

/// The knights: bit `i` is set if person `i` is one.
pub type Knights = u16;

pub fn is_knight(knights: Knights, person: u8) -> bool {
    knights >> person & 1 == 1
}

/// The people whose bits are set, in order.
pub fn people(mask: u16) -> impl Iterator<Item = u8> {
    (0..MOST_PEOPLE as u8).filter(move |person| mask >> person & 1 == 1)
}

/// A set of worlds, where a world assigns a kind to everybody: bit `k` stands for [`Knights`] `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Worlds([u64; 1 << (MOST_PEOPLE - 6)]);

impl Worlds {
    /// Every world of this number of people.
    pub fn of(people: usize) -> Self {
        Self(array::from_fn(|word| match people {
            0..6 if word == 0 => (1 << (1 << people)) - 1,
            6.. if word < 1 << (people - 6) => !0,
            _ => 0,
        }))
    }

    /// The worlds in which a person is a knight.
    pub fn with_knight(person: u8) -> Self {
        const LOW: [u64; 6] = [
            0xAAAA_AAAA_AAAA_AAAA,
            0xCCCC_CCCC_CCCC_CCCC,
            0xF0F0_F0F0_F0F0_F0F0,
            0xFF00_FF00_FF00_FF00,
            0xFFFF_0000_FFFF_0000,
            0xFFFF_FFFF_0000_0000,
        ];
        Self(match LOW.get(usize::from(person)) {
            Some(pattern) => [*pattern; _],
            None => array::from_fn(|word| if word >> (person - 6) & 1 == 1 { !0 } else { 0 }),
        })
    }

    pub fn is_empty(self) -> bool {
        self.0.iter().fold(0, |any, word| any | word) == 0
    }

    pub fn is_within(self, other: Self) -> bool {
        (self & !other).is_empty()
    }

    pub fn count(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Its worlds, in order.
    pub fn iter(self) -> impl Iterator<Item = Knights> {
        let words = self.0.into_iter().zip((0..).step_by(64)).filter(|(word, _)| *word != 0);
        words.flat_map(|(word, start)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| start + bit)
        })
    }

    pub fn first(self) -> Option<Knights> {
        self.iter().next()
    }
}

impl BitAnd for Worlds {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        Self(array::from_fn(|word| self.0[word] & other.0[word]))
    }
}

impl BitOr for Worlds {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(array::from_fn(|word| self.0[word] | other.0[word]))
    }
}

impl BitXor for Worlds {
    type Output = Self;
    fn bitxor(self, other: Self) -> Self {
        Self(array::from_fn(|word| self.0[word] ^ other.0[word]))
    }
}

/// Complement within the worlds of [`MOST_PEOPLE`]; with fewer people, intersect it with [`Worlds::of`].
impl Not for Worlds {
    type Output = Self;
    fn not(self) -> Self {
        Self(self.0.map(Not::not))
    }
}

/// A truth value: `bool` in one world, [`Worlds`] in all of them.
pub trait Truth:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
}

impl Truth for bool {}
impl Truth for Worlds {}
