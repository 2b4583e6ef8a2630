//! Encode or decode a text with a Caesar cipher whose shift grows from word to word.

use crate::words::{WORDS, letters};
use kit::task::prelude::*;
use kit::words::count;

pub struct CaesarCipher;

params! {
    pub struct CaesarCipherParams {
        /// Number of words.
        words: u32 [1..=80],
        /// True if the shifts are given; otherwise, two words of the plain text are.
        shift_told: bool [structure],
        /// Number of letters of each word, which is made up; 0 for usual words.
        letters: u32 [0..=20],
        /// Largest shift of the first word, and of each word beyond the one before it.
        largest_shift: u32 [1..=25],
    }
    levels {
        (1, true, 4, 5),
        (2, true, 4, 9),
        (2, true, 0, 25),
        (4, true, 0, 25),
        (7, true, 0, 25),
        (9, false, 0, 25),
        (14, false, 0, 25),
        (21, false, 0, 25),
        (32, false, 0, 25),
        (48, false, 0, 25),
        (70, false, 0, 25),
    }
    default 3
    check Self::consistent;
}

impl CaesarCipherParams {
    fn consistent(&self) -> Result<(), String> {
        check::that(self.shift_told || self.words > 1, || {
            format!("`words` is {}, but must be 2 or more unless `shift_told`", self.words)
        })?;
        check::that(!(1..3).contains(&self.letters), || {
            format!("`letters` is {}, but must be 0 or between 3 and 20", self.letters)
        })
    }
}

/// The words of a plain text, the shift of the first word's letters, its increase from each word to the next,
/// and the question.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cipher {
    words: Vec<String>,
    shift: u8,
    more: u8,
    asked: Asked,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Asked {
    Encode,
    Decode,
    /// Decoding without the shifts, given that the text contains the word at this index in `words`, followed
    /// by the next.
    Crack {
        known: usize,
    },
}

const MOST_WORDS: usize = 100;
const LONGEST_WORD: usize = 20;

impl TaskFamily for CaesarCipher {
    type Params = CaesarCipherParams;
    type Problem = Cipher;

    const ABOUT: About = About {
        summary: "Encode or decode a text with a Caesar cipher whose shift grows from word to word.",
        failures: &[
            ("unchanged", "the text is unchanged"),
            ("wrong_shift", "each word is shifted evenly, but by the wrong amount"),
            ("wrong_direction", "shifted by the right amount, but in the wrong direction"),
            ("one_shift", "every word is shifted by the amount of the first one"),
        ],
        parts: &[Part::new(
            "right_letters",
            "share of the characters that are right, if the length is right",
        )],
        skills: &["spelling", "modular_arithmetic", "pattern_matching"],
        guess_rate: 0.102,
        guess_score: 0.102,
        ..About::new("text", "caesar_cipher", &["First version."])
    };

    /// Draws texts until the known words fit at one place only.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Cipher> {
        loop {
            budget.spend(u64::from(params.words))?;
            let word = |_| match params.letters {
                0 => (*rng.pick(&WORDS)).to_owned(),
                count => letters(count as usize, rng),
            };
            let words: Vec<String> = (0..params.words).map(word).collect();
            let asked = match (params.shift_told, rng.chance(1, 2)) {
                (true, true) => Asked::Encode,
                (true, false) => Asked::Decode,
                (false, _) => Asked::Crack { known: rng.index(words.len() - 1) },
            };
            let mut shift = || rng.int(1, params.largest_shift.into()) as u8;
            let cipher = Cipher { words, shift: shift(), more: shift(), asked };
            if cipher.only_shifts() {
                return Ok(cipher);
            }
        }
    }
}

/// A letter shifted forward, wrapping from z to a.
fn on(letter: u8, by: u8) -> u8 {
    if letter.is_ascii_lowercase() { b'a' + (letter - b'a' + by) % 26 } else { letter }
}

/// The text with every letter shifted forward.
fn shifted(text: &str, by: u8) -> String {
    String::from_utf8(text.bytes().map(|byte| on(byte, by)).collect()).expect("only letters change")
}

/// The shift that turns one word into the other, if it is the same for all letters.
fn offset(word: &str, other: &str) -> Option<u8> {
    if word.len() != other.len() {
        return None;
    }
    let mut pairs = word.bytes().zip(other.bytes());
    let by = |(one, other): (u8, u8)| {
        (one.is_ascii_lowercase() && other.is_ascii_lowercase()).then(|| (26 + other - one) % 26)
    };
    let first = by(pairs.next()?)?;
    pairs.all(|pair| by(pair) == Some(first)).then_some(first)
}

impl Cipher {
    fn plain(&self) -> String {
        self.words.join(" ")
    }

    /// The shift that encodes a word.
    fn by(&self, word: usize) -> u8 {
        ((usize::from(self.shift) + word * usize::from(self.more)) % 26) as u8
    }

    /// The text with the letters of each word shifted by the word's shift, forward or backward.
    fn moved(&self, text: &str, forward: bool) -> String {
        let by = |word| if forward { self.by(word) } else { 26 - self.by(word) };
        let (mut word, mut far) = (0, by(0));
        let moved = text.bytes().map(|byte| {
            if byte == b' ' {
                word += 1;
                far = by(word);
            }
            on(byte, far)
        });
        String::from_utf8(moved.collect()).expect("only letters change")
    }

    fn coded(&self) -> String {
        self.moved(&self.plain(), true)
    }

    fn given(&self) -> String {
        if self.asked == Asked::Encode { self.plain() } else { self.coded() }
    }

    fn asked_for(&self) -> String {
        if self.asked == Asked::Encode { self.coded() } else { self.plain() }
    }

    /// True if a single pair of shifts fits the two known words, one after the other, anywhere in the coded
    /// text.
    fn only_shifts(&self) -> bool {
        let Asked::Crack { known } = self.asked else { return true };
        let mut fitting = self.words.windows(2).enumerate().filter_map(|(at, pair)| {
            let shift = |next: usize| {
                let alike = offset(&self.words[known + next], &pair[next])?;
                Some(usize::from(alike + self.by(at + next)))
            };
            let (one, other) = (shift(0)?, shift(1)?);
            let more = (other + 52 - one) % 26;
            Some(((one + at * (26 - more)) % 26, more))
        });
        fitting.next().is_some_and(|first| fitting.all(|other| other == first))
    }

    /// The shift of each word from the given text to an answer, if it is the same for all letters of the
    /// word.
    fn offsets(&self, answer: &str) -> Option<Vec<u8>> {
        let (given, words) = (self.given(), answer.split(' '));
        let offsets: Option<Vec<u8>> =
            given.split(' ').zip(words).map(|(one, other)| offset(one, other)).collect();
        offsets.filter(|offsets| offsets.len() == self.words.len())
    }

    /// The question in the words of a template, with others for a single word, then the text.
    fn told(
        &self,
        one_word: [&str; 2],
        encode: &str,
        decode: &str,
        crack: impl Fn(&str, &str) -> String,
    ) -> String {
        let [encode, decode] = if self.words.len() == 1 { one_word } else { [encode, decode] };
        let name = |text: &str| {
            let [places, more] = [self.shift, self.more].map(|by| count(by, "place"));
            let [s, d] = [self.shift, self.more].map(|by| by.to_string());
            let text = text.replace("{places}", &places).replace("{more}", &more);
            text.replace("{s}", &s).replace("{d}", &d)
        };
        let asked = match self.asked {
            Asked::Encode => name(encode),
            Asked::Decode => name(decode),
            Asked::Crack { known } => crack(&self.words[known], &self.words[known + 1]),
        };
        asked + "\n\n" + &self.given() + "\n"
    }
}

impl Problem for Cipher {
    type Answer = String;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("cipher", |cipher| {
            cipher.told(
                [
                    "Encode the word below with a Caesar cipher: replace every letter with the one {places} \
                     later in the alphabet, continuing from z to a.",
                    "The word below was encoded with a Caesar cipher: every letter was replaced with the one \
                     {places} later in the alphabet, continuing from z to a. Decode the word.",
                ],
                "Encode the text below with a Caesar cipher whose shift grows from word to word. In the first word, replace \
                 every letter with the one {places} later in the alphabet, continuing from z to a. In each of the following \
                 words, go {more} further than in the word before it. Spaces stay as they are.",
                "The text below was encoded with a Caesar cipher whose shift grows from word to word. In the first word, every \
                 letter was replaced with the one {places} later in the alphabet, continuing from z to a. In each of the \
                 following words, the letters were moved {more} further than in the word before it. Spaces stayed as they \
                 were. Decode the text.",
                |one, other| {
                    format!(
                        "The text below was encoded with a Caesar cipher whose shift grows from word to word. In the first word, \
                         every letter was replaced with the one a certain number of places later in the alphabet, continuing \
                         from z to a. In each of the following words, the letters were moved further than in the word before \
                         it, always by the same number of extra places. Spaces stayed as they were. Neither number is known, \
                         but somewhere in the original text the word \"{one}\" is directly followed by the word \"{other}\". \
                         Decode the text."
                    )
                },
            )
        }),
        Template::plain("shift", |cipher| {
            cipher.told(
                [
                    "Shift cipher over the alphabet a-z, cyclic (a follows z). Every letter is shifted forward \
                     by {places}. Encode:",
                    "Shift cipher over the alphabet a-z, cyclic (a follows z). To encode a word, every letter \
                     was shifted forward by {places}. Decode:",
                ],
                "Shift cipher over the alphabet a-z, cyclic (a follows z). Word 1 is shifted forward by {places}, and each later \
                 word by {more} more than the word before it. Spaces are not changed. Encode:",
                "Shift cipher over the alphabet a-z, cyclic (a follows z). To encode a text, word 1 was shifted forward by \
                 {places}, and each later word by {more} more than the word before it. Spaces were not changed. Decode:",
                |one, other| {
                    format!(
                        "Shift cipher over the alphabet a-z, cyclic (a follows z). To encode a text, word 1 was shifted forward by \
                         an unknown number of places, and each later word by a constant but unknown number of places more than \
                         the word before it. Spaces were not changed. Known: somewhere in the plain text, \"{one}\" stands right \
                         before \"{other}\". Decode:"
                    )
                },
            )
        }),
        Template::plain("note", |cipher| {
            cipher.told(
                [
                    "Can you put this word into our secret code? Each letter moves {places} forward in the \
                     alphabet, and after z it starts over at a. Here's the word:",
                    "I got a word in our secret code, and I can't read it. In the code, each letter moves \
                     {places} forward in the alphabet, and after z it starts over at a. What is the word?",
                ],
                "Can you put this into our secret code? Each letter moves forward in the alphabet, and after z it starts over at \
                 a. In the first word the letters move {places}, and with every new word they move {more} more than in the \
                 last one. Leave the spaces alone. Here's the text:",
                "I got a note in our secret code, and I can't read it. In the code, each letter moves forward in the alphabet, \
                 and after z it starts over at a. In the first word the letters move {places}, and with every new word they \
                 move {more} more than in the last one. Spaces are left alone. What does the note say?",
                |one, other| {
                    format!(
                        "I found a note in a secret code, and I'd love to know what it says. I do know how the code works: each \
                         letter moves forward in the alphabet, and after z it starts over at a. In the first word all letters \
                         move by the same number of places, and with every new word they move some more places than in the last \
                         one, the same number more each time. Spaces are left alone. I know neither of the two numbers, but I'm \
                         sure that \"{one} {other}\" is part of the original. What did the note say before it was encoded?"
                    )
                },
            )
        }),
        Template::held_out_plain("wheel", |cipher| {
            cipher.told(
                [
                    "Two friends keep their messages secret with a wheel that has the 26 letters of the alphabet \
                     around its rim, so that a comes after z. They replace each letter with the one {places} \
                     further along the wheel. What do they write for this word?",
                    "Two friends keep their messages secret with a wheel that has the 26 letters of the alphabet \
                     around its rim, so that a comes after z. They replace each letter with the one {places} \
                     further along the wheel. One of them receives the word below. What was the message?",
                ],
                "Two friends keep their messages secret with a wheel that has the 26 letters of the alphabet around its rim, so \
                 that a comes after z. For the first word of a message, they replace each letter with the one {places} further \
                 along the wheel. For each new word, they go {more} further than for the word before it. Words stay separated by \
                 spaces. What do they write for this message?",
                "Two friends keep their messages secret with a wheel that has the 26 letters of the alphabet around its rim, so \
                 that a comes after z. For the first word of a message, they replace each letter with the one {places} further \
                 along the wheel. For each new word, they go {more} further than for the word before it. Words stay separated by \
                 spaces. One of them receives the text below. What was the message?",
                |one, other| {
                    format!(
                        "Two friends keep their messages secret with a wheel that has the 26 letters of the alphabet around its \
                         rim, so that a comes after z. For the first word of a message, they replace each letter with the one a \
                         certain number of places further along the wheel. For each new word, they go further than for the \
                         word before it, always by the same number of extra places. Words stay separated by spaces. You have \
                         intercepted the text below. You don't know either of the numbers, but you do know that the word \"{one}\" \
                         is immediately followed by \"{other}\" somewhere in the message. What was the message?"
                    )
                },
            )
        }),
        Template::held_out_plain("formula", |cipher| {
            cipher.told(
                [
                    "Number the letters a = 0, b = 1, ..., z = 25. To encode a word, a letter with number x \
                     becomes the letter with number (x + s) mod 26. Here s is {s}. Encode this word:",
                    "Number the letters a = 0, b = 1, ..., z = 25. To encode a word, a letter with number x \
                     becomes the letter with number (x + s) mod 26. Here s is {s}. Decode this word:",
                ],
                "Number the letters a = 0, b = 1, ..., z = 25 and the words of a text 1, 2, 3, ... To encode the text, a letter \
                 with number x in word k becomes the letter with number (x + s + (k - 1) * d) mod 26, and spaces are kept. Here s \
                 is {s} and d is {d}. Encode this text:",
                "Number the letters a = 0, b = 1, ..., z = 25 and the words of a text 1, 2, 3, ... To encode the text, a letter \
                 with number x in word k becomes the letter with number (x + s + (k - 1) * d) mod 26, and spaces are kept. Here s \
                 is {s} and d is {d}. Decode this text:",
                |one, other| {
                    format!(
                        "Number the letters a = 0, b = 1, ..., z = 25 and the words of a text 1, 2, 3, ... To encode the text, a \
                         letter with number x in word k becomes the letter with number (x + s + (k - 1) * d) mod 26, and spaces \
                         are kept. The whole numbers s and d are unknown, but \"{one} {other}\" are two consecutive words of the \
                         original. Decode this text:"
                    )
                },
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        check::length("words", &self.words, 1..=MOST_WORDS, "words")?;
        let word = |word: &String| {
            (1..=LONGEST_WORD).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase())
        };
        check::each("words", &self.words, word, "words are 1 to 20 letters from a to z")?;
        check::within("shift", &self.shift, 1..=25)?;
        check::within("more", &self.more, 1..=25)?;
        match self.asked {
            Asked::Crack { known } => check::that(known < self.words.len() - 1, || {
                format!("`known` is {known}, but must be the place of a word before the last")
            }),
            _ => Ok(()),
        }
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        check::that(self.only_shifts(), || "`asked` has known words that other shifts bring about".into())?;
        // Decoding and encoding must be inverse.
        let returns = self.moved(&self.asked_for(), self.asked != Asked::Encode) == self.given();
        check::that(returns, || "`words` have letters that no shift moves".to_owned())?;
        Ok(Certificate::unique(format!(
            "only one text is shifted by {} in the first word and by {} more in each word after it",
            self.shift, self.more
        )))
    }

    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        if aim != Aim::Harder {
            mutated.words.pop();
            if let Asked::Crack { known } = &mut mutated.asked {
                *known = (*known).min(mutated.words.len().checked_sub(2)?);
            }
        }
        if aim != Aim::Easier {
            mutated.words.push((*rng.pick(&WORDS)).to_owned());
        }
        let sound = mutated.check().is_ok() && mutated.only_shifts();
        Some(if sound { mutated } else { self.clone() })
    }

    fn form(&self) -> impl Form<Read = String> {
        form::Line { what: if self.asked == Asked::Encode { "the encoded text" } else { "the decoded text" } }
    }

    fn solution(&self) -> Solution {
        let (given, answer) = (self.given(), self.asked_for());
        let way = if self.asked == Asked::Encode { "forward" } else { "back" };
        let found = match self.asked {
            Asked::Crack { known } => {
                let [one, other] = [known, known + 1].map(|at| {
                    let (word, by) = (&self.words[at], self.by(at));
                    format!("word {}, {}, is {word} shifted forward by {by}", at + 1, shifted(word, by))
                });
                let (more, first) = (self.more, self.shift);
                vec![
                    one,
                    other,
                    format!("so the first word is shifted by {first}, and each word after it by {more} more"),
                ]
            }
            _ => Vec::new(),
        };
        let moved = given.split(' ').zip(answer.split(' ')).enumerate();
        let moved = moved.map(|(at, (from, to))| format!("{from} shifted {way} by {} is {to}", self.by(at)));
        Solution::new(found.into_iter().chain(moved), &answer)
    }

    fn answer(&self) -> String {
        self.asked_for()
    }

    fn verify(&self, answer: String, _: &mut Budget) -> Judged {
        let right = self.asked_for();
        if answer == right {
            return Ok(());
        }
        if answer.chars().count() != right.len() {
            let counts = format!("{} characters, not {}", answer.chars().count(), right.len());
            return Err(Failure::wrong(format!("the text has {counts}")));
        }
        let same = answer.chars().zip(right.chars()).filter(|(a, b)| a == b).count();
        let at = answer.chars().zip(right.chars()).position(|(a, b)| a != b).unwrap_or(0);
        let [found, wanted] = [answer.chars().nth(at), right.chars().nth(at)].map(Option::unwrap_or_default);
        let found = quoted(&found.to_string());
        let failure = Failure::wrong(format!("character {} is `{found}`, but should be `{wanted}`", at + 1))
            .part("right_letters", same as f32 / right.len() as f32);
        let Some(offsets) = self.offsets(&answer) else { return Err(failure) };
        let way = |at: usize, forward: bool| if forward { self.by(at) } else { (26 - self.by(at)) % 26 };
        let encodes = self.asked == Asked::Encode;
        let all = |wanted: &dyn Fn(usize) -> u8| offsets.iter().enumerate().all(|(at, by)| *by == wanted(at));
        Err(failure.also(match () {
            () if all(&|_| 0) => "unchanged",
            () if all(&|at| way(at, !encodes)) => "wrong_direction",
            () if all(&|_| way(0, encodes)) => "one_shift",
            () => "wrong_shift",
        }))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<String> {
        let right = self.asked_for();
        let mut slipped: Vec<char> = right.chars().collect();
        let letters: Vec<usize> = (0..slipped.len()).filter(|at| slipped[*at] != ' ').collect();
        for at in faults.draw(letters.len(), rng) {
            let place = &mut slipped[letters[at]];
            *place = shifted(&place.to_string(), *rng.pick(&[1, 2, 24, 25])).remove(0);
        }
        let (one_on, one_back) = (shifted(&right, 1), shifted(&right, 25));
        let encodes = self.asked == Asked::Encode;
        let other_way = self.moved(&self.given(), !encodes);
        let all_alike = shifted(&self.given(), if encodes { self.shift } else { 26 - self.shift });
        let mut wrong = vec![slipped.iter().collect(), one_on, one_back, other_way, all_alike, self.given()];
        wrong.push(right[..right.len() - 1].to_owned());
        wrong.push(format!("{right}{}", &right[..1]));
        wrong.retain(|text: &String| *text != right && !text.is_empty() && text.trim() == text);
        wrong
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, String)> {
        let given = self.given();
        let any = Self { shift: rng.int(1, 25) as u8, more: rng.int(1, 25) as u8, ..self.clone() };
        vec![
            ("any shifts", any.moved(&given, true)),
            ("any one shift", shifted(&given, rng.int(1, 25) as u8)),
            ("any small shift", shifted(&given, rng.int(1, 5) as u8)),
            ("half the alphabet", shifted(&given, 13)),
            ("unchanged", given),
        ]
    }

    /// The reverse question, which is equivalent if the shifts are given.
    fn twin(&self, _: &mut Rng) -> Self {
        let asked = match self.asked {
            Asked::Encode => Asked::Decode,
            Asked::Decode => Asked::Encode,
            crack @ Asked::Crack { .. } => crack,
        };
        Self { asked, ..self.clone() }
    }

    /// The plain text alone: under other shifts it is the same answer.
    fn fingerprint(&self) -> Vec<u8> {
        self.plain().into_bytes()
    }

    /// A step per letter and one per word for its shift; without given shifts, also every place whose words
    /// are as long as the known ones.
    fn effort(&self) -> Effort {
        let letters: usize = self.words.iter().map(|word| word.len() + 2).sum();
        let tried = match self.asked {
            Asked::Crack { known } => {
                let fits =
                    |pair: &&[String]| (0..2).all(|next| pair[next].len() == self.words[known + next].len());
                6 + self.words.windows(2).filter(fits).count() * 6
            }
            _ => 0,
        };
        Effort::new((letters + tried) as u64, 120)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cipher(asked: Asked) -> Cipher {
        Cipher { words: ["lazy", "fox"].map(String::from).to_vec(), shift: 3, more: 25, asked }
    }

    #[test]
    fn each_word_is_shifted_further_past_the_end_of_the_alphabet() {
        assert_eq!(cipher(Asked::Encode).answer(), "odcb hqz");
        assert_eq!(cipher(Asked::Decode).given(), "odcb hqz");
        let cracked = cipher(Asked::Crack { known: 0 }).solution().steps;
        assert_eq!(cracked[1], "word 2, hqz, is fox shifted forward by 2");
        assert_eq!(cracked[2], "so the first word is shifted by 3, and each word after it by 25 more");
    }

    #[test]
    fn slips_have_their_labels() {
        for (answer, label) in [
            ("odcb hqz", "right"),
            ("odcb hqy", "wrong_answer"),
            ("lazy fox", "unchanged"),
            ("mbaz gpy", "wrong_shift"),
            ("odcb ira", "one_shift"),
            ("ixwv dmv", "wrong_direction"),
            ("odcbhqz", "wrong_answer"),
            ("odcb  qz", "wrong_answer"),
        ] {
            let verdict = cipher(Asked::Encode).verify(answer.to_owned(), &mut Budget::new(1));
            let found = verdict.map_or_else(|wrong| *wrong.failures.last().unwrap(), |()| "right");
            assert_eq!(found, label, "{answer}");
        }
    }

    #[test]
    fn known_words_must_give_the_shifts_away() {
        // "cold frog" shifted by 3 and by 9 is "frog oaxp": if "frog" is known to be followed by "oaxp", both
        // places fit.
        let words = ["cold", "frog", "oaxp"].map(String::from).to_vec();
        let two_ways = Cipher { words, shift: 5, more: 1, asked: Asked::Crack { known: 1 } };
        assert!(two_ways.certify(&mut Budget::new(1)).is_err());
        let words = ["cold", "frog", "lamp"].map(String::from).to_vec();
        let one_way = Cipher { words, shift: 5, more: 1, asked: Asked::Crack { known: 1 } };
        assert!(one_way.certify(&mut Budget::new(1)).is_ok());
    }
}
