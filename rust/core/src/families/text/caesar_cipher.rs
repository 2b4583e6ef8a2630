//! Encode or decode a text whose letters are shifted along the alphabet.

use crate::families::text::words::WORDS;
use crate::shared::grid::count;
use crate::task::prelude::*;

pub struct CaesarCipher;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CaesarCipherParams {
    /// Words of the text.
    #[schemars(range(min = 2, max = 80), extend("role" = "difficulty"))]
    words: u32,
    /// Whether the shift is told; where it is not, one word of the plain text is.
    #[schemars(extend("role" = "structure"))]
    shift_told: bool,
}

const fn sized(words: u32, shift_told: bool) -> CaesarCipherParams {
    CaesarCipherParams { words, shift_told }
}

impl Default for CaesarCipherParams {
    fn default() -> Self {
        sized(5, true)
    }
}

impl Params for CaesarCipherParams {}

/// The words of a plain text, how far its letters are shifted to encode it, and what is asked.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cipher {
    words: Vec<String>,
    shift: u8,
    asked: Asked,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Asked {
    Encode,
    Decode,
    /// To decode without the shift, told that the text has the word of this place in `words`.
    Crack {
        known: usize,
    },
}

const MOST_WORDS: usize = 100;
const LONGEST_WORD: usize = 20;

impl TaskFamily for CaesarCipher {
    type Params = CaesarCipherParams;
    type Problem = Cipher;
    type Prepared = ();

    const ABOUT: About = About {
        summary: "Encode or decode a text whose letters are shifted along the alphabet.",
        failures: &[
            ("unchanged", "the text as it is given"),
            ("wrong_shift", "every letter is shifted alike, but not as far as it should be"),
            ("wrong_direction", "shifted as far as it should be, but the other way"),
        ],
        parts: &[Part::new("right_letters", "share of the places whose letter is right, if the length is")],
        skills: &["spelling", "modular_arithmetic", "pattern_matching"],
        guess_rate: 0.041,
        guess_score: 0.041,
        ..About::new("text", "caesar_cipher", &["First version."])
    };

    const LEVELS: &'static [CaesarCipherParams] = &[
        sized(2, true),
        sized(4, true),
        sized(7, true),
        sized(9, false),
        sized(14, false),
        sized(21, false),
        sized(32, false),
        sized(48, false),
        sized(70, false),
    ];

    /// Drawn until one shift alone brings the known word about.
    fn generate(&self, params: &Self::Params, (): &(), rng: &mut Rng, budget: &mut Budget) -> Drawn<Cipher> {
        loop {
            budget.spend(u64::from(params.words))?;
            let words: Vec<String> = (0..params.words).map(|_| (*rng.pick(&WORDS)).to_owned()).collect();
            let asked = match (params.shift_told, rng.chance(1, 2)) {
                (true, true) => Asked::Encode,
                (true, false) => Asked::Decode,
                (false, _) => Asked::Crack { known: rng.index(words.len()) },
            };
            let cipher = Cipher { words, shift: rng.int(1, 25) as u8, asked };
            if cipher.only_shift() {
                return Ok(cipher);
            }
        }
    }

    fn certify(&self, cipher: &Cipher, _: &mut Budget) -> Result<Certificate, Uncertified> {
        check::that(cipher.only_shift(), || "`asked` has a known word that other shifts bring about".into())?;
        // The way back leads to what is given.
        let back = if cipher.asked == Asked::Encode { 26 - cipher.shift } else { cipher.shift };
        let returns = shifted(&cipher.answer(), back) == cipher.given();
        check::that(returns, || "`words` have letters that no shift moves".to_owned())?;
        Ok(Certificate::unique(format!("one text alone is {} letters away", cipher.shift)))
    }

    fn mutate(&self, cipher: &Cipher, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Cipher> {
        let mut mutated = cipher.clone();
        let last = mutated.words.len() - 1;
        if aim != Aim::Harder && cipher.asked == (Asked::Crack { known: last }) {
            mutated.words.swap(0, last);
            mutated.asked = Asked::Crack { known: 0 };
        }
        if aim != Aim::Harder {
            mutated.words.pop();
        }
        if aim != Aim::Easier {
            mutated.words.push((*rng.pick(&WORDS)).to_owned());
        }
        (mutated.check().is_ok() && mutated.only_shift()).then_some(mutated)
    }
}

/// The text with every letter moved on, from z back to a.
fn shifted(text: &str, by: u8) -> String {
    let moved = |c: char| match c {
        'a'..='z' => char::from(b'a' + (c as u8 - b'a' + by) % 26),
        other => other,
    };
    text.chars().map(moved).collect()
}

impl Cipher {
    fn plain(&self) -> String {
        self.words.join(" ")
    }

    fn coded(&self) -> String {
        shifted(&self.plain(), self.shift)
    }

    fn given(&self) -> String {
        if self.asked == Asked::Encode { self.plain() } else { self.coded() }
    }

    fn answer(&self) -> String {
        if self.asked == Asked::Encode { self.coded() } else { self.plain() }
    }

    /// Whether no other shift leads to a text that has the known word.
    fn only_shift(&self) -> bool {
        let Asked::Crack { known } = self.asked else { return true };
        let fits = |by: &u8| self.words.iter().any(|word| shifted(word, *by) == self.words[known]);
        !(1..26).any(|by| fits(&by))
    }

    /// What is asked, in the words of a wording.
    fn told(&self, encode: &str, decode: &str, crack: impl Fn(&str) -> String) -> String {
        let [places, letters] = ["place", "letter"].map(|noun| count(self.shift.into(), noun));
        let name = |text: &str| text.replace("{places}", &places).replace("{letters}", &letters);
        let asked = match self.asked {
            Asked::Encode => name(encode),
            Asked::Decode => name(decode),
            Asked::Crack { known } => crack(&self.words[known]),
        };
        format!("{asked}\n\n{}\n", self.given())
    }
}

impl Problem for Cipher {
    type Answer = String;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("cipher", |cipher| {
            cipher.told(
                "Encode this text with a Caesar cipher: replace every letter by the one that comes {places} \
                 later in the alphabet, where a follows z.",
                "This text was encoded with a Caesar cipher: every letter was replaced by the one that comes \
                 {places} later in the alphabet, where a follows z. Decode it.",
                |known| {
                    format!(
                        "This text was encoded with a Caesar cipher: every letter was moved the same number of places \
                         along the alphabet, where a follows z. The number is not known, but one of the words of the \
                         plain text is \"{known}\". Decode the text."
                    )
                },
            )
        }),
        Template::plain("shift", |cipher| {
            cipher.told(
                "Shift each letter of the following text by {places} forward in the alphabet, counting on from z \
                 to a. Spaces stay.",
                "Each letter of the following text is to be shifted {places} back in the alphabet, counting \
                 back from a to z. Spaces stay.",
                |known| {
                    format!(
                        "All letters of a text were shifted forward in the alphabet by one and the same distance, \
                         counting on from z to a. The text had the word \"{known}\" in it. What was the whole text \
                         before? This is what it became:"
                    )
                },
            )
        }),
        Template::held_out_plain("wheel", |cipher| {
            cipher.told(
                "Two friends write to each other with a wheel that has the 26 letters around its rim in the order of the \
                 alphabet. To write a letter, they turn the wheel {letters} on, so that from the end of the alphabet \
                 they come to its start again. What do they write for this message?",
                "Two friends write to each other with a wheel that has the 26 letters around its rim in the order of the \
                 alphabet. To write a letter, they turn the wheel {letters} on, so that from the end of the alphabet \
                 they come to its start again. What was the message for which they wrote this?",
                |known| {
                    format!(
                        "Two friends write to each other with a wheel that has the 26 letters around its rim in the order \
                         of the alphabet. For every letter they turn the wheel on equally far; you do not know how far. You \
                         do know that their message speaks of \"{known}\". What was the message for which they wrote this?"
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
        match self.asked {
            Asked::Crack { known } => check::within("known", &known, 0..=self.words.len() - 1),
            _ => Ok(()),
        }
    }

    fn form(&self) -> impl Form<Read = String> {
        form::Line { what: if self.asked == Asked::Encode { "the encoded text" } else { "the decoded text" } }
    }

    fn solution(&self) -> Solution {
        let given = self.given();
        let way = if self.asked == Asked::Encode { "forward" } else { "back" };
        let found = match self.asked {
            Asked::Crack { known } => {
                let (word, shift) = (&self.words[known], self.shift);
                Some(format!("{} is {word} shifted forward by {shift}", shifted(word, shift)))
            }
            _ => None,
        };
        let answer = self.answer();
        let moved = given.split(' ').zip(answer.split(' '));
        let moved = moved.map(|(from, to)| format!("{from} shifted {way} by {} is {to}", self.shift));
        Solution::new(found.into_iter().chain(moved), &answer)
    }

    fn verify(&self, answer: String, _: &mut Budget) -> Judged {
        let (right, given) = (self.answer(), self.given());
        if answer == right {
            return Ok(Verdict::pass());
        }
        if answer.chars().count() != right.len() {
            let counts = format!("{} characters, not {}", answer.chars().count(), right.len());
            return Err(Verdict::wrong(format!("the text has {counts}")));
        }
        let same = answer.chars().zip(right.chars()).filter(|(a, b)| a == b).count();
        let at = answer.chars().zip(right.chars()).position(|(a, b)| a != b).unwrap_or(0);
        let verdict = Verdict::wrong(format!("character {} is not right", at + 1))
            .part("right_letters", same as f32 / right.len() as f32);
        let other_way = if self.asked == Asked::Encode { 26 - self.shift } else { self.shift };
        Err(match (0..26).find(|by| shifted(&given, *by) == answer) {
            Some(0) => verdict.also("unchanged"),
            Some(by) if by == other_way => verdict.also("wrong_direction"),
            Some(_) => verdict.also("wrong_shift"),
            None => verdict,
        })
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<String> {
        let right = self.answer();
        let mut slipped: Vec<char> = right.chars().collect();
        let letters: Vec<usize> = (0..slipped.len()).filter(|at| slipped[*at] != ' ').collect();
        for at in faults.draw(letters.len(), rng) {
            let place = &mut slipped[letters[at]];
            *place = shifted(&place.to_string(), *rng.pick(&[1, 2, 24, 25])).remove(0);
        }
        let (one_on, one_back) = (shifted(&right, 1), shifted(&right, 25));
        let other_way =
            shifted(&self.given(), if self.asked == Asked::Encode { 26 - self.shift } else { self.shift });
        let mut wrong = vec![slipped.iter().collect(), one_on, one_back, other_way, self.given()];
        wrong.push(right[..right.len() - 1].to_owned());
        wrong.push(format!("{right}{}", &right[..1]));
        wrong.retain(|text: &String| *text != right && !text.is_empty() && text.trim() == text);
        wrong
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, String)> {
        let given = self.given();
        vec![
            ("any shift", shifted(&given, rng.int(1, 25) as u8)),
            ("half the alphabet", shifted(&given, 13)),
            ("unchanged", given),
        ]
    }

    /// The way back says the same, where the shift is told.
    fn twin(&self, _: &mut Rng) -> Self {
        let asked = match self.asked {
            Asked::Encode => Asked::Decode,
            Asked::Decode => Asked::Encode,
            crack @ Asked::Crack { .. } => crack,
        };
        Self { asked, ..self.clone() }
    }

    /// The plain text alone: under another shift it is the same answer.
    fn fingerprint(&self) -> Vec<u8> {
        self.plain().into_bytes()
    }

    /// A letter at a time; where the shift is not told, each word as long as the known one is tried.
    fn effort(&self) -> Effort {
        let letters: usize = self.words.iter().map(String::len).sum();
        let tried = match self.asked {
            Asked::Crack { known } => {
                let length = self.words[known].len();
                self.words.iter().filter(|word| word.len() == length).count() * 3
            }
            _ => 0,
        };
        Effort::new((letters + tried) as u64, 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cipher(asked: Asked) -> Cipher {
        Cipher { words: ["lazy", "fox"].map(String::from).to_vec(), shift: 3, asked }
    }

    #[test]
    fn texts_are_shifted_past_the_end_of_the_alphabet() {
        assert_eq!(cipher(Asked::Encode).answer(), "odcb ira");
        assert_eq!(cipher(Asked::Decode).given(), "odcb ira");
        assert_eq!(cipher(Asked::Crack { known: 1 }).solution().steps[0], "ira is fox shifted forward by 3");
    }

    #[test]
    fn slips_have_their_labels() {
        let labels = ["odcb ira", "odcb irb", "lazy fox", "mbaz gpy", "ixwv clu"].map(|answer| {
            let verdict = cipher(Asked::Encode).verify(answer.to_owned(), &mut Budget::new(1));
            verdict.map_or_else(|wrong| *wrong.failures.last().unwrap(), |_| "right")
        });
        assert_eq!(labels, ["right", "wrong_answer", "unchanged", "wrong_shift", "wrong_direction"]);
    }

    #[test]
    fn a_known_word_must_give_the_shift_away() {
        // "cold" moved on by 3 is "frog".
        let words = ["cold", "frog"].map(String::from).to_vec();
        let two_ways = Cipher { words, shift: 5, asked: Asked::Crack { known: 1 } };
        assert!(CaesarCipher.certify(&two_ways, &mut Budget::new(1)).is_err());
    }
}
