//! Hashes of things whose parts are unordered, for fingerprints that twins share.

/// A word that depends on every bit of `word` and on nothing else, permanently (a step of `splitmix64`).
pub const fn mix(word: u64) -> u64 {
    let mut word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A word for some words in any order, counted with multiplicity.
pub fn unordered(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().fold(0, |all: u64, word| all.wrapping_add(mix(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs of Vigna's splitmix64.c started at 0.
    #[test]
    fn the_mix_is_the_published_one() {
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(0x9e37_79b9_7f4a_7c15), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn words_count_but_their_order_does_not() {
        assert_eq!(unordered([1, 2, 2]), unordered([2, 1, 2]));
        assert_ne!(unordered([1, 2, 2]), unordered([1, 2]));
        assert_ne!(unordered([0]), unordered([0, 0]));
    }
}
