//! Write a text backward, by characters or by words.

mod drawing;
mod measure;
mod slips;

use kit::similarity;
use kit::task::prelude::*;

use drawing::{letter, words};
use measure::{difference, words_in_order};
use slips::Slip;

pub struct ReverseText;

/// The units whose order is reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Unit {
    Characters,
    Words,
}

/// The material of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Alphabet {
    Letters,
    Words,
    Alphanumeric,
    Mixed,
}

params! {
    pub struct ReverseTextParams {
        /// Length of the text, in the unit that is reversed: characters or words.
        length: u32 [3..=400],
        /// Material of the text: random lowercase letters, made-up words, words with capitals and digits, or
        /// all of these with punctuation. A text that is reversed by words is never made of single letters.
        alphabet: Alphabet [structure],
        /// Unit of the reversal: characters or whole words.
        unit: Unit [structure],
    }
    levels {
        (4, Alphabet::Letters, Unit::Characters),
        (5, Alphabet::Letters, Unit::Characters),
        (9, Alphabet::Letters, Unit::Characters),
        (14, Alphabet::Words, Unit::Characters),
        (24, Alphabet::Words, Unit::Characters),
        (36, Alphabet::Alphanumeric, Unit::Characters),
        (50, Alphabet::Mixed, Unit::Characters),
        (80, Alphabet::Mixed, Unit::Characters),
        (130, Alphabet::Mixed, Unit::Characters),
        (220, Alphabet::Mixed, Unit::Characters),
    }
    default 3
    check Self::consistent;
}

impl ReverseTextParams {
    fn consistent(&self) -> Result<(), String> {
        match (self.unit, self.alphabet) {
            (Unit::Words, Alphabet::Letters) => {
                Err("`alphabet` is \"letters\", but must be made of words when `unit` is \"words\"".into())
            }
            _ => Ok(()),
        }
    }
}

/// A line of printable ASCII with single spaces between its words, which differs from its reverse.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reversal {
    text: String,
    unit: Unit,
}

/// Maximum length of a line, in characters.
const LONGEST: usize = 8_000;
/// Scores start above this share of the text in the right order: random letters have half of a short text in
/// order.
const BY_CHANCE: f32 = 2.0 / 3.0;

impl TaskFamily for ReverseText {
    type Params = ReverseTextParams;
    type Problem = Reversal;

    const ABOUT: About = About {
        summary: "Write a text backward, by characters or by words.",
        failures: &[
            ("not_reversed", "the text is unchanged"),
            ("wrong_unit", "words are reversed instead of characters, or characters instead of words"),
            ("case_changed", "right except for capitals"),
            ("spacing_changed", "right except for spaces"),
            ("wrong_length", "more or fewer characters than the text has"),
        ],
        parts: &[
            Part::new(
                "lcs_share",
                "longest common subsequence with the right text divided by the longer length, in characters",
            ),
            Part::new(
                "difflib_ratio",
                "ratio of difflib's SequenceMatcher with the right text, including autojunk",
            ),
            Part::new("length_match", "the shorter length divided by the longer one"),
        ],
        skills: &["spelling", "sequence_manipulation", "copying"],
        guess_rate: 0.054,
        guess_score: 0.16,
        ..About::new("text", "reverse_text", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Reversal> {
        let length = params.length as usize;
        loop {
            budget.spend(u64::from(params.length))?;
            let text = match (params.unit, params.alphabet) {
                (Unit::Characters, Alphabet::Letters) => (0..length).map(|_| letter(rng)).collect(),
                (Unit::Characters, alphabet) => {
                    let mut text = words(alphabet, rng, |text| text.len() > length);
                    text.truncate(length);
                    text
                }
                (Unit::Words, alphabet) => {
                    let mut left = length;
                    words(alphabet, rng, |_| {
                        left -= 1;
                        left == 0
                    })
                }
            };
            let line = Reversal { text, unit: params.unit };
            if line.check().is_ok() {
                return Ok(line);
            }
        }
    }
}

fn by_characters(text: &str) -> String {
    text.chars().rev().collect()
}

fn by_words(text: &str) -> String {
    text.split(' ').rev().joined(" ")
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Characters => "character",
            Self::Words => "word",
        }
    }
}

impl Reversal {
    fn reversed(&self) -> String {
        match self.unit {
            Unit::Characters => by_characters(&self.text),
            Unit::Words => by_words(&self.text),
        }
    }

    /// The text reversed by the other unit.
    fn other_way(&self) -> String {
        match self.unit {
            Unit::Characters => by_words(&self.text),
            Unit::Words => by_characters(&self.text),
        }
    }

    fn units<'a>(&self, text: &'a str) -> Vec<&'a str> {
        match self.unit {
            Unit::Characters => text.split_inclusive(|_| true).collect(),
            Unit::Words => text.split(' ').collect(),
        }
    }

    /// The separator of two units.
    fn joint(&self) -> &'static str {
        if self.unit == Unit::Words { " " } else { "" }
    }

    /// The question, then a note on what a unit is.
    fn worded(&self, asked: &str) -> String {
        let kept = match self.unit {
            Unit::Characters => {
                "Spaces and punctuation marks are characters too, and capital letters stay capital."
            }
            Unit::Words => {
                "Words are separated by spaces, and each keeps its own spelling, capitals and punctuation."
            }
        };
        format!("{asked}\n{kept}")
    }
}

impl Problem for Reversal {
    type Answer = String;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("reverse", |line| {
            let (text, unit) = (&line.text, line.unit.name());
            line.worded(&format!(
                "Reverse the following text {unit} by {unit}, so that the last {unit} comes first and the first {unit} comes \
                 last:\n\n{text}\n"
            ))
        }),
        Template::plain("quoted", |line| {
            let (text, unit) = (&line.text, line.unit.name());
            line.worded(&format!(
                "Could you take \"{text}\" (without the quotation marks) and put its {unit}s in reverse order for me?"
            ))
        }),
        Template::plain("backwards", |line| {
            let (text, unit) = (&line.text, line.unit.name());
            line.worded(&format!(
                "{text}\n\nWrite the line above backward. Start with its last {unit} and go on, {unit} by {unit}, until you reach \
                 the first."
            ))
        }),
        Template::held_out_plain("paper_strip", |line| {
            let (text, unit) = (&line.text, line.unit.name());
            let cut = if line.unit == Unit::Words { "words" } else { "pieces of one character each" };
            line.worded(&format!(
                "Someone cuts a strip of paper into {cut} and lays them out again in reverse order, from the last {unit} to the \
                 first. Before that, the strip read:\n{text}\n\nWhat does it read now?"
            ))
        }),
        Template::held_out_plain("spec", |line| {
            let (text, unit) = (&line.text, line.unit.name());
            line.worded(&format!("Input: {text}\nOperation: reverse the sequence of {unit}s"))
        }),
    ];

    fn check(&self) -> Result<(), String> {
        let length = self.text.len();
        check::that((2..=LONGEST).contains(&length), || {
            format!("`text` has {length} characters, but must have 2 to {LONGEST}")
        })?;
        let allowed = |c: char| c == ' ' || c.is_ascii_graphic() && !"<>`\"".contains(c);
        if let Some(c) = self.text.chars().find(|c| !allowed(*c)) {
            return Err(format!("`text` has {c:?}, but must be printable ASCII without <, >, ` and \""));
        }
        check::that(!self.text.split(' ').any(str::is_empty), || {
            "`text` must have single spaces between its words, and none around them".into()
        })?;
        check::that(self.reversed() != self.text, || {
            format!("`text` is `{}`, which reads the same when it is reversed", quoted(&self.text))
        })
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        Ok(Certificate::unique(format!("only one text of {} characters is its reverse", self.text.len())))
    }

    fn form(&self) -> impl Form<Read = String> {
        form::Line { what: "the reversed text" }
    }

    fn solution(&self) -> Solution {
        let (answer, joint) = (self.reversed(), self.joint());
        let units = self.units(&self.text);
        // Pieces short enough to reverse at a glance, from the last to the first.
        let pieces = units.rchunks(5).map(|piece| {
            let back: Vec<&str> = piece.iter().rev().copied().collect();
            format!("`{}` becomes `{}`", piece.join(joint), back.join(joint))
        });
        let last = format!("Joined in this order: `{answer}`");
        Solution::new(pieces.chain([last]), answer)
    }

    fn answer(&self) -> String {
        self.reversed()
    }

    fn verify(&self, answer: String, budget: &mut Budget) -> Judged {
        let reference = self.reversed();
        if answer == reference {
            return Ok(());
        }
        let lcs_share = similarity::lcs_share(&answer, &reference, budget)?;
        let in_order = match self.unit {
            Unit::Characters => lcs_share,
            Unit::Words => words_in_order(&answer, &reference, budget)?,
        };
        let ratio = similarity::chars_ratio(&answer, &reference, budget)?;
        let (length, right) = (answer.chars().count(), reference.len());
        let unspaced = |text: &str| text.split_whitespace().collect::<String>();
        let mut failure = Failure::wrong(difference(&answer, &reference));
        if answer == self.text {
            failure = failure.also("not_reversed");
        } else if answer == self.other_way() {
            failure = failure.also("wrong_unit");
        } else if answer.eq_ignore_ascii_case(&reference) {
            failure = failure.also("case_changed");
        } else if unspaced(&answer) == unspaced(&reference) {
            failure = failure.also("spacing_changed");
        }
        if length != right {
            failure = failure.also("wrong_length");
        }
        Err(failure
            .score((in_order - BY_CHANCE) / (1.0 - BY_CHANCE))
            .part("lcs_share", lcs_share)
            .part("difflib_ratio", ratio as f32)
            .part("length_match", length.min(right) as f32 / length.max(right) as f32))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<String> {
        let mut wrong = Slip::ALL.map(|slip| self.with_slips(slip, faults, rng)).to_vec();
        if faults == Faults::All {
            let each_word: Vec<String> = self.text.split(' ').map(by_characters).collect();
            wrong.extend([self.text.clone(), self.other_way(), each_word.join(" ")]);
        }
        let reference = self.reversed();
        wrong.retain(|text| *text != reference && !text.is_empty());
        wrong
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, String)> {
        let (mut units, joint) = (self.units(&self.text), self.joint());
        rng.shuffle(&mut units);
        let shuffled = units.join(joint);
        units.sort_unstable();
        let sorted = units.join(joint);
        let random = self.text.chars().map(|c| if c == ' ' { c } else { letter(rng) }).collect();
        vec![
            ("the text as given", self.text.clone()),
            ("reversed by the other unit", self.other_way()),
            ("the text in another order", shuffled),
            ("the text sorted", sorted),
            ("the text sorted backwards", units.iter().rev().copied().joined(joint)),
            ("random letters", random),
        ]
    }

    /// The text and its reverse ask for each other.
    fn twin(&self, _: &mut Rng) -> Self {
        Self { text: self.reversed(), unit: self.unit }
    }

    fn effort(&self) -> Effort {
        // Characters other than lowercase letters have no familiar neighbors to be read with.
        let steps: usize = match self.unit {
            Unit::Characters => self.text.bytes().map(|b| if b.is_ascii_lowercase() { 2 } else { 3 }).sum(),
            Unit::Words => self.text.split(' ').map(|word| 2 + word.len() / 4).sum(),
        };
        Effort::new(steps as u64, 120)
    }

    fn fingerprint(&self) -> Vec<u8> {
        let text = self.reversed().min(self.text.clone());
        serde_json::to_vec(&Self { text, unit: self.unit }).expect("problems serialize")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::verdict as judge;

    fn line(text: &str, unit: Unit) -> Reversal {
        let text = text.to_owned();
        Reversal { text, unit }
    }

    #[test]
    fn only_the_exact_reverse_passes() {
        let line = line("Abc de, f", Unit::Characters);
        assert!(judge(&line, "f ,ed cbA").passed);
        for (answer, label) in [
            ("Abc de, f", "not_reversed"),
            ("f de, Abc", "wrong_unit"),
            ("f ,ed cba", "case_changed"),
            ("f ,edcbA", "spacing_changed"),
            ("f ,ed cb", "wrong_length"),
        ] {
            let verdict = judge(&line, answer);
            assert!(!verdict.passed && verdict.failures.contains(&label), "{answer} {verdict:?}");
        }
        assert_eq!(judge(&line, "f ,ed cbB").detail, "character 9 is `B`, but should be `A`");
    }

    #[test]
    fn words_keep_their_spelling() {
        let line = line("one two, three", Unit::Words);
        assert!(judge(&line, "three two, one").passed);
        assert!(!judge(&line, "three two one,").passed);
    }

    #[test]
    fn a_score_counts_what_is_in_order_beyond_chance() {
        let text: String = "abcdefghij".repeat(30);
        let line_of_300 = line(&text, Unit::Characters);
        let reference = line_of_300.reversed();
        let near = format!("{}z{}", &reference[..150], &reference[150..]);
        let verdict = judge(&line_of_300, &near);
        // One extra character hardly counts, whereas difflib's autojunk loses half.
        assert!(verdict.score > 0.99, "{verdict:?}");
        assert_eq!(verdict.parts[1].0, "difflib_ratio");
        assert!(verdict.parts[1].1 < 0.7, "{verdict:?}");
        // Two thirds in order earn nothing yet.
        let short = line("abcdef", Unit::Characters);
        for (answer, score) in [("fedcb", 0.5), ("fedc", 0.0), ("abcdef", 0.0), ("fedcbaa", 4.0 / 7.0)] {
            assert!((judge(&short, answer).score - score).abs() < 1e-6, "{answer}");
        }
    }

    #[test]
    fn words_are_scored_as_words() {
        let line = line("a bb ccc dddd eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", Unit::Words);
        // In the unchanged text, one word of five is in order, though most characters are.
        let as_given = judge(&line, &line.text);
        assert_eq!((as_given.score, as_given.parts[0].0), (0.0, "lcs_share"));
        assert!(as_given.parts[0].1 > 0.6, "{as_given:?}");
        let misspelt = judge(&line, "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee dddd ccc bx a");
        assert!((misspelt.score - 0.4).abs() < 1e-6, "{misspelt:?}");
    }

    #[test]
    fn texts_that_cannot_be_told_from_their_reverse_are_refused() {
        for (text, unit) in [
            ("level", Unit::Characters),
            ("tick tock tick", Unit::Words),
            ("one", Unit::Words),
            ("a  b", Unit::Characters),
            (" ab", Unit::Characters),
            ("a<b", Unit::Characters),
            ("día", Unit::Characters),
        ] {
            assert!(line(text, unit).check().is_err(), "{text}");
        }
    }
}
