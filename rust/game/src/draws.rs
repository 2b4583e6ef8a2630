//! Random words by position, so that a draw does not depend on earlier ones.

use kit::rng::Rng;
use siphasher::sip::SipHasher13;

/// Random draws of one episode, keyed by position: the same position in the same episode gets the same words,
/// so a reply does not depend on history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpisodeDraws {
    keys: [u64; 2],
}

impl From<&mut Rng> for EpisodeDraws {
    fn from(rng: &mut Rng) -> Self {
        Self { keys: [rng.word(), rng.word()] }
    }
}

impl EpisodeDraws {
    /// In place of a player's number: the draws of chance.
    pub const CHANCE: u8 = 2;
    /// In place of a player's number: what is drawn once per episode.
    pub const EXAMPLE: u8 = 3;
    /// In place of a player's number: whether a step with a cost ends the episode.
    pub const COST: u8 = 4;

    /// Words for `player`'s turn in the state with this key: SipHash-1-3 of the key (16 bytes, little-endian) and
    /// the player (one byte), spread by `SplitMix64`.
    #[inline]
    pub fn words(&self, player: u8, key: u128) -> Words {
        let [k0, k1] = self.keys;
        let mut message = [player; 17];
        message[..16].copy_from_slice(&key.to_le_bytes());
        Words(SipHasher13::new_with_keys(k0, k1).hash(&message))
    }

    /// Draws of one episode, and two words for whatever else it draws once.
    #[inline]
    pub fn of_example(&self, seed: u64) -> (Self, [u64; 2]) {
        let words = self.words(Self::EXAMPLE, seed.into());
        let draws = Self { keys: [words.get(0), words.get(1)] };
        (draws, [words.get(2), words.get(3)])
    }
}

/// Independent words, numbered from 0.
#[derive(Clone, Copy, Debug)]
pub struct Words(u64);

impl Words {
    /// Word `n`: output `n` of `SplitMix64`.
    #[inline]
    pub const fn get(self, n: u64) -> u64 {
        let mut mixed = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(n + 1));
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }
}

/// Map a word to a number below `n`, uniform up to `n / 2^64`.
pub fn scaled(word: u64, n: u64) -> u64 {
    ((u128::from(word) * u128::from(n)) >> 64) as u64
}

/// Flip a coin that is true with probability `p`; a word that is true for some `p` is true for every larger one.
pub fn falls(word: u64, p: f64) -> bool {
    const WORDS: f64 = 18_446_744_073_709_551_616.0;
    u128::from(word) < (p * WORDS) as u128
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::rng::Key;

    /// SipHash-1-3 of the bytes 0, 1, 2, … under the key 0, 1, 2, …, from the reference implementation.
    #[test]
    fn turn_words_are_siphash_of_position_and_player() {
        let key = |from: u8| u64::from_le_bytes(std::array::from_fn(|at| from + at as u8));
        let draws = EpisodeDraws { keys: [key(0), key(8)] };
        let position = u128::from_le_bytes(std::array::from_fn(|at| at as u8));
        assert_eq!(draws.words(16, position).0, 0x9CF2_6890_63DB_D80C);
    }

    /// First outputs of `SplitMix64` from state 0, as published.
    #[test]
    fn words_are_splitmix() {
        let words = Words(0);
        let first = [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F];
        assert_eq!([0, 1, 2].map(|n| words.get(n)), first);
    }

    #[test]
    fn a_larger_probability_only_adds_errors() {
        let mut rng = Key::new("tests", 1, "coin", 0, "").stream(0);
        for _ in 0..1_000 {
            let word = rng.word();
            let falls: Vec<bool> = (0..=10).map(|p| falls(word, f64::from(p) / 10.0)).collect();
            assert!(falls.is_sorted() && !falls[0] && falls[10], "{word}");
        }
    }
}
