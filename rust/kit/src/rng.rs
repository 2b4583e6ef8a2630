//! The only source of randomness. docs/determinism.md specifies it, and it never changes.

use std::fmt::Write;

use chacha20::ChaCha8Rng;
use rand_core::{Rng as _, SeedableRng};
use sha2::{Digest, Sha256};

/// Everything that decides a stream but the index, hashed once per batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key([u8; 32]);

impl Key {
    /// `SHA-256("reasonenv/1" ‖ unit ‖ version ‖ purpose ‖ seed ‖ canonical params)`, joined by NUL bytes.
    pub fn new(unit: &str, version: u32, purpose: &str, seed: u64, canonical: &str) -> Self {
        let mut text = String::with_capacity(64 + unit.len() + purpose.len() + canonical.len());
        write!(text, "reasonenv/1\0{unit}\0{version}\0{purpose}\0{seed}\0{canonical}").expect("strings grow");
        Self(Sha256::digest(text).into())
    }

    /// A key of its own for a side purpose, so that its draws disturb nothing else.
    #[must_use]
    pub fn derive(&self, purpose: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(purpose);
        Self(hash.finalize().into())
    }

    /// The hash itself, for published vectors.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The stream of one item.
    pub fn stream(&self, index: u64) -> Rng {
        let mut words = ChaCha8Rng::from_seed(self.0);
        words.set_stream(index);
        Rng(words)
    }
}

/// Draws built on 64-bit words alone, so no change of a sampling library can reach an item.
pub struct Rng(ChaCha8Rng);

impl Rng {
    /// Takes the stream out to lend it, and leaves another in its place until it is given back.
    #[must_use]
    pub fn taken(&mut self) -> Self {
        std::mem::replace(self, Self(ChaCha8Rng::from_seed([0; 32])))
    }

    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in `0..n` (Lemire's unbiased multiply-and-shift).
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "a draw needs at least one outcome");
        loop {
            let wide = u128::from(self.word()) * u128::from(n);
            let low = wide as u64;
            // The threshold is below n, so that the division is rarely needed.
            if low >= n || low >= n.wrapping_neg() % n {
                return (wide >> 64) as u64;
            }
        }
    }

    /// Uniform in `0..n`, as an index.
    pub fn index(&mut self, n: usize) -> usize {
        self.below(n as u64) as usize
    }

    /// Uniform in `low..=high`.
    pub fn int(&mut self, low: i64, high: i64) -> i64 {
        assert!(low <= high, "an empty range has no draw");
        let span = high.wrapping_sub(low) as u64;
        match span.checked_add(1) {
            Some(outcomes) => low.wrapping_add(self.below(outcomes) as i64),
            None => self.word() as i64,
        }
    }

    /// True with probability `of / outcomes`.
    pub fn chance(&mut self, of: u64, outcomes: u64) -> bool {
        self.below(outcomes) < of
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.index(items.len())]
    }

    /// Fisher–Yates, high index first.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.index(i + 1));
        }
    }

    /// Brings `count` of the items, drawn without repetition, to the front in random order: a shuffle cut short.
    pub fn deal<T>(&mut self, items: &mut [T], count: usize) {
        for at in 0..count {
            items.swap(at, at + self.index(items.len() - at));
        }
    }

    /// An index drawn with probability proportional to its weight; some weight is positive.
    pub fn weighted(&mut self, weights: &[u64]) -> usize {
        let mut left = self.below(weights.iter().sum());
        weights
            .iter()
            .position(|weight| match left.checked_sub(*weight) {
                Some(rest) => {
                    left = rest;
                    false
                }
                None => true,
            })
            .expect("the draw is below the sum of the weights")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_those_of_a_threshold_that_is_always_worked_out() {
        let key = Key::new("below", 1, "", 0, "");
        let (mut rng, mut plain) = (key.stream(0), key.stream(0));
        let mut thrown_away = 0;
        // Of outcomes near half of all words nearly half the words are thrown away.
        for n in [1, 2, 3, 1_000, u64::MAX / 2 + 2, u64::MAX / 2 + 12_345, 3 << 62, u64::MAX] {
            for _ in 0..200 {
                let expected = loop {
                    let wide = u128::from(plain.word()) * u128::from(n);
                    if (wide as u64) >= n.wrapping_neg() % n {
                        break (wide >> 64) as u64;
                    }
                    thrown_away += 1;
                };
                assert_eq!(rng.below(n), expected, "{n}");
            }
        }
        assert!(thrown_away > 100, "{thrown_away}");
        assert_eq!(rng.word(), plain.word());
    }

    #[test]
    fn dealt_items_are_distinct_and_each_comes_as_often_as_any_other() {
        let mut rng = Key::new("deal", 1, "", 0, "").stream(0);
        let mut first = [0; 5];
        for _ in 0..5_000 {
            let mut items = [0, 1, 2, 3, 4];
            rng.deal(&mut items, 2);
            items[..2].iter().for_each(|item| first[*item] += 1);
            items.sort_unstable();
            assert_eq!(items, [0, 1, 2, 3, 4]);
        }
        assert!(first.iter().all(|times| (1_900..2_100).contains(times)), "{first:?}");
    }
}
