//! Texts to reverse.

use super::Alphabet;
use kit::rng::Rng;

/// A random lowercase letter.
pub fn letter(rng: &mut Rng) -> char {
    char::from(b'a' + rng.below(26) as u8)
}

/// Made-up words with single spaces between them, until the text is `enough`.
pub fn words(alphabet: Alphabet, rng: &mut Rng, mut enough: impl FnMut(&str) -> bool) -> String {
    const ONSETS: [&str; 24] = [
        "b", "c", "d", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "z", "br", "st",
        "tr", "pl", "sh", "th",
    ];
    const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ea", "ou", "ai"];
    const CODAS: [&str; 12] = ["", "", "", "n", "r", "s", "l", "t", "m", "ck", "nd", "x"];
    const ENDS: [&str; 8] = [",", ".", ";", ":", "!", "?", "-", "'"];
    let mut text = String::new();
    loop {
        let start = text.len();
        if alphabet != Alphabet::Words && rng.chance(1, 4) {
            text += &rng.below(10_000).to_string();
        } else {
            for _ in 0..=rng.below(3) {
                text += *rng.pick(&ONSETS);
                text += *rng.pick(&VOWELS);
                text += *rng.pick(&CODAS);
            }
            if alphabet != Alphabet::Words && rng.chance(1, 3) {
                text[start..=start].make_ascii_uppercase();
            }
        }
        if alphabet == Alphabet::Mixed && rng.chance(1, 3) {
            text += *rng.pick(&ENDS);
        }
        if enough(&text) {
            return text;
        }
        text.push(' ');
    }
}
