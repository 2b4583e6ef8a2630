//! Write a text backwards, by characters or by words.

mod drawing;
mod measure;
mod slips;

use kit::shared::similarity;
use kit::task::prelude::*;

use drawing::{letter, words};
use measure::{difference, words_in_order};
use slips::Slip;

pub struct ReverseText;

/// What is turned round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Unit {
    Characters,
    Words,
}

/// What a text is made of.
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
        /// Length of the text, in the unit that is turned round: characters or words.
        length: u32 [3..=400],
        /// What the text is made of: random lower-case letters, made-up words, words with capitals and digits, or
        /// all of that with punctuation. By words it is never single letters.
        alphabet: Alphabet [structure],
        /// Whether characters or whole words are turned round.
        unit: Unit [structure],
    }
    levels {
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
    default 2
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

/// The most characters of a line.
const LONGEST: usize = 8_000;
/// A score starts beyond this share of the text in the right order: letters put down at random have half of a
/// short text in order.
const BY_CHANCE: f32 = 2.0 / 3.0;

impl TaskFamily for ReverseText {
    type Params = ReverseTextParams;
    type Problem = Reversal;

    const ABOUT: About = About {
        summary: "Write a text backwards, by characters or by words.",
        failures: &[
            ("not_reversed", "the text as it was given"),
            ("wrong_unit", "words turned round instead of characters, or characters instead of words"),
            ("case_changed", "right but for capitals"),
            ("spacing_changed", "right but for spaces"),
            ("wrong_length", "more or fewer characters than the text has"),
        ],
        parts: &[
            Part::new(
                "lcs_share",
                "longest common subsequence with the right text over the longer length, in characters",
            ),
            Part::new(
                "difflib_ratio",
                "difflib's SequenceMatcher ratio with the right text, autojunk and all",
            ),
            Part::new("length_match", "the shorter length over the longer one"),
        ],
        skills: &["spelling", "sequence_manipulation", "copying"],
        guess_rate: 0.015,
        guess_score: 0.08,
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

    fn certify(&self, line: &Reversal, _: &mut Budget) -> Result<Certificate, Uncertified> {
        Ok(Certificate::unique(format!("one text of {} characters is its reverse", line.text.len())))
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

    /// Turned round by the unit that was not asked for.
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

    /// What stands between two units.
    fn joint(&self) -> &'static str {
        if self.unit == Unit::Words { " " } else { "" }
    }

    /// After what is asked a note on what a unit is.
    fn worded(&self, asked: &str) -> String {
        let kept = match self.unit {
            Unit::Characters => "Spaces, punctuation and capitals count as characters like any other.",
            Unit::Words => "A word is what stands between spaces, and keeps its spelling and punctuation.",
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
                "Reverse this text {unit} by {unit}, so that its last {unit} comes first:\n\n{text}\n"
            ))
        }),
        Template::plain("quoted", |line| {
            let (text, unit) = (&line.text, line.unit.name());
            line.worded(&format!(
                "Take \"{text}\" (the quotation marks are not part of it) and put its {unit}s in reverse order."
            ))
        }),
        Template::plain("backwards", |line| {
            let (text, unit) = (&line.text, line.unit.name());
            line.worded(&format!(
                "{text}\n\nWrite the line above backwards: every {unit} of it, from the last to the first."
            ))
        }),
        Template::held_out_plain("paper_strip", |line| {
            let (text, unit) = (&line.text, line.unit.name());
            line.worded(&format!(
                "A strip of paper is cut into its {unit}s and laid out again from the last {unit} to the first. \
                 It used to read:\n{text}\n\nWhat does it read now?"
            ))
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

    fn form(&self) -> impl Form<Read = String> {
        form::Line { what: "the reversed text" }
    }

    fn solution(&self) -> Solution {
        let (answer, joint) = (self.reversed(), self.joint());
        let units = self.units(&self.text);
        // Pieces short enough to turn round at a glance, from the last to the first.
        let pieces = units.rchunks(5).map(|piece| {
            let back: Vec<&str> = piece.iter().rev().copied().collect();
            format!("`{}` turns into `{}`", piece.join(joint), back.join(joint))
        });
        let last = format!("Put together in this order: `{answer}`");
        Solution::new(pieces.chain([last]), answer)
    }

    fn answer(&self) -> String {
        self.reversed()
    }

    fn verify(&self, answer: String, budget: &mut Budget) -> Judged {
        let truth = self.reversed();
        if answer == truth {
            return Ok(Verdict::pass());
        }
        let lcs_share = similarity::lcs_share(&answer, &truth, budget)?;
        let in_order = match self.unit {
            Unit::Characters => lcs_share,
            Unit::Words => words_in_order(&answer, &truth, budget)?,
        };
        let ratio = similarity::chars_ratio(&answer, &truth, budget)?;
        let (length, right) = (answer.chars().count(), truth.len());
        let unspaced = |text: &str| text.split_whitespace().collect::<String>();
        let mut verdict = Verdict::wrong(difference(&answer, &truth));
        if answer == self.text {
            verdict = verdict.also("not_reversed");
        } else if answer == self.other_way() {
            verdict = verdict.also("wrong_unit");
        } else if answer.eq_ignore_ascii_case(&truth) {
            verdict = verdict.also("case_changed");
        } else if unspaced(&answer) == unspaced(&truth) {
            verdict = verdict.also("spacing_changed");
        }
        if length != right {
            verdict = verdict.also("wrong_length");
        }
        Err(verdict
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
        let truth = self.reversed();
        wrong.retain(|text| *text != truth && !text.is_empty());
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
            ("turned by the other unit", self.other_way()),
            ("the text in another order", shuffled),
            ("the text sorted", sorted),
            ("the text sorted backwards", units.iter().rev().copied().joined(joint)),
            ("random letters", random),
        ]
    }

    /// A mirror shows the answer, and its answer is the text.
    fn twin(&self, _: &mut Rng) -> Self {
        Self { text: self.reversed(), unit: self.unit }
    }

    fn effort(&self) -> Effort {
        // What is not a lower-case letter has no familiar neighbours to be read with.
        let steps: usize = match self.unit {
            Unit::Characters => self.text.bytes().map(|b| if b.is_ascii_lowercase() { 2 } else { 3 }).sum(),
            Unit::Words => self.text.split(' ').map(|word| 2 + word.len() / 4).sum(),
        };
        Effort::new(steps as u64, 120)
    }

    fn fingerprint(&self) -> Vec<u8> {
        let text = self.reversed().min(self.text.clone());
        serde_json::to_vec(&Self { text, unit: self.unit }).expect("problems serialise")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, unit: Unit) -> Reversal {
        let text = text.to_owned();
        Reversal { text, unit }
    }

    fn judge(line: &Reversal, answer: &str) -> Verdict {
        line.verify(answer.to_owned(), &mut Budget::new(10_000_000)).unwrap_or_else(|verdict| verdict)
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
        let truth = line_of_300.reversed();
        let near = format!("{}z{}", &truth[..150], &truth[150..]);
        let verdict = judge(&line_of_300, &near);
        // One character too many hardly counts, where difflib's autojunk loses half.
        assert!(verdict.score > 0.99, "{verdict:?}");
        assert_eq!(verdict.parts[1].0, "difflib_ratio");
        assert!(verdict.parts[1].1 < 0.7, "{verdict:?}");
        // Two thirds in order are worth nothing yet.
        let short = line("abcdef", Unit::Characters);
        for (answer, score) in [("fedcb", 0.5), ("fedc", 0.0), ("abcdef", 0.0), ("fedcbaa", 4.0 / 7.0)] {
            assert!((judge(&short, answer).score - score).abs() < 1e-6, "{answer}");
        }
    }

    #[test]
    fn words_are_scored_as_words() {
        let line = line("a bb ccc dddd eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee", Unit::Words);
        // As given one word of five is in order, though most characters are.
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
