//! Random words by position, so that whoever draws them does not depend on what came before.

use kit::rng::Rng;

/// Per-example random draws, keyed by position: the same position in the same example is dealt the same words,
/// so that a reply does not depend on history.
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
    /// Stands for chance where a player's number is asked for.
    pub const CHANCE: u8 = 2;
    /// Stands for what is drawn once an example.
    pub const EXAMPLE: u8 = 3;

    /// The words for `player`'s turn in the state with this key: SipHash-1-3 of the key (16 bytes,
    /// little-endian) and the player (one byte), spread by `SplitMix64`.
    #[inline]
    pub fn words(&self, player: u8, key: u128) -> Words {
        let [k0, k1] = self.keys;
        let mut v = [
            k0 ^ 0x736F_6D65_7073_6575,
            k1 ^ 0x646F_7261_6E64_6F6D,
            k0 ^ 0x6C79_6765_6E65_7261,
            k1 ^ 0x7465_6462_7974_6573,
        ];
        // The last block holds the rest of the message and, in its top byte, the length: 17.
        for block in [key as u64, (key >> 64) as u64, 17 << 56 | u64::from(player)] {
            v[3] ^= block;
            sip_round(&mut v);
            v[0] ^= block;
        }
        v[2] ^= 0xFF;
        for _ in 0..3 {
            sip_round(&mut v);
        }
        Words(v[0] ^ v[1] ^ v[2] ^ v[3])
    }

    /// The draws of one example, and words for what else it draws once.
    #[inline]
    pub fn of_example(&self, seed: u64) -> (Self, [u64; 2]) {
        let words = self.words(Self::EXAMPLE, seed.into());
        let draws = Self { keys: [words.get(0), words.get(1)] };
        (draws, [words.get(2), words.get(3)])
    }
}

#[inline]
fn sip_round(v: &mut [u64; 4]) {
    v[0] = v[0].wrapping_add(v[1]);
    v[1] = v[1].rotate_left(13) ^ v[0];
    v[0] = v[0].rotate_left(32);
    v[2] = v[2].wrapping_add(v[3]);
    v[3] = v[3].rotate_left(16) ^ v[2];
    v[0] = v[0].wrapping_add(v[3]);
    v[3] = v[3].rotate_left(21) ^ v[0];
    v[2] = v[2].wrapping_add(v[1]);
    v[1] = v[1].rotate_left(17) ^ v[2];
    v[2] = v[2].rotate_left(32);
}

/// Independent words, numbered from 0.
#[derive(Clone, Copy, Debug)]
pub struct Words(u64);

impl Words {
    /// One of them: output `n` of `SplitMix64`.
    #[inline]
    pub const fn get(self, n: u64) -> u64 {
        let mut mixed = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(n + 1));
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }
}

/// A word as a number below `n`, uniform but for `n / 2^64`.
pub fn scaled(word: u64, n: u64) -> u64 {
    ((u128::from(word) * u128::from(n)) >> 64) as u64
}

/// A word as a coin that falls on its side with probability `p`; what falls so for some `p` falls so for
/// every larger one.
pub fn falls(word: u64, p: f64) -> bool {
    const WORDS: f64 = 18_446_744_073_709_551_616.0;
    u128::from(word) < (p * WORDS) as u128
}

#[cfg(test)]
mod tests {
    use std::hash::Hasher;

    use siphasher::sip::SipHasher13;

    use super::*;
    use kit::rng::Key;

    #[test]
    fn turn_words_are_siphash_of_position_and_player() {
        let mut rng = Key::new("tests", 1, "luck", 0, "").stream(0);
        for _ in 0..1_000 {
            let draws = EpisodeDraws::from(&mut rng);
            let key = u128::from(rng.word()) << 64 | u128::from(rng.word());
            let player = rng.below(4) as u8;
            let mut bytes = [player; 17];
            bytes[..16].copy_from_slice(&key.to_le_bytes());
            let mut hash = SipHasher13::new_with_keys(draws.keys[0], draws.keys[1]);
            hash.write(&bytes);
            assert_eq!(draws.words(player, key).0, hash.finish());
        }
    }

    /// The first outputs of `SplitMix64` from state 0, as published with it.
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
