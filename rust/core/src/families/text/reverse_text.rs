//! Write a text backwards, by characters or by words.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::{Budget, OverBudget};
use crate::error::quoted;
use crate::params::Params;
use crate::rng::Rng;
use crate::shared::similarity;
use crate::task::answer::Reading;
use crate::task::family::{
    About, Certificate, Exhausted, JudgedBy, Problem, Solution, TaskFamily, Uncertified,
};
use crate::task::style::{Style, Template};
use crate::task::verdict::{Part, Verdict};

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

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReverseTextParams {
    /// Length of the text, in the unit that is turned round: characters or words.
    #[schemars(range(min = 3, max = 400), extend("role" = "difficulty"))]
    length: u32,
    /// What the text is made of: random lower-case letters, made-up words, words with capitals and digits, or
    /// all of that with punctuation. By words it is never single letters.
    #[schemars(extend("role" = "structure"))]
    alphabet: Alphabet,
    /// Whether characters or whole words are turned round.
    #[schemars(extend("role" = "structure"))]
    unit: Unit,
}

impl Default for ReverseTextParams {
    fn default() -> Self {
        Self { length: 14, alphabet: Alphabet::Words, unit: Unit::Characters }
    }
}

impl Params for ReverseTextParams {
    fn check(&self) -> Result<(), String> {
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
pub struct Line {
    text: String,
    unit: Unit,
}

/// The most characters of a line.
const LONGEST: usize = 8_000;

static ABOUT: About = About {
    name: "reverse_text",
    domain: "text",
    summary: "Write a text backwards, by characters or by words.",
    changes: &["First version."],
    top_level: 8,
    distinct_from: 0,
    judged_by: JudgedBy::Exact,
    answer_tag: "answer",
    templates: &[
        Template::open("reverse"),
        Template::open("quoted"),
        Template::open("backwards"),
        Template::held_out("paper_strip"),
    ],
    failures: &[
        ("not_reversed", "the text as it was given"),
        ("wrong_unit", "words turned round instead of characters, or characters instead of words"),
        ("case_changed", "right but for capitals"),
        ("spacing_changed", "right but for spaces"),
        ("wrong_length", "more or fewer characters than the text has"),
    ],
    parts: &[
        Part {
            name: "lcs_share",
            means: "longest common subsequence with the right text over the longer length, in characters",
        },
        Part {
            name: "difflib_ratio",
            means: "difflib's SequenceMatcher ratio with the right text, autojunk and all",
        },
        Part { name: "length_match", means: "the shorter length over the longer one" },
    ],
    skills: &["spelling", "sequence_manipulation", "copying"],
    reading: Reading::Strict,
    guess_rate: 0.0,
};

impl TaskFamily for ReverseText {
    type Params = ReverseTextParams;
    type Problem = Line;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn level(&self, level: u8) -> ReverseTextParams {
        use Alphabet::{Alphanumeric, Letters, Mixed, Words};
        const LEVELS: [(u32, Alphabet); 9] = [
            (5, Letters),
            (9, Letters),
            (14, Words),
            (24, Words),
            (36, Alphanumeric),
            (50, Mixed),
            (80, Mixed),
            (130, Mixed),
            (220, Mixed),
        ];
        let (length, alphabet) = LEVELS[usize::from(level)];
        ReverseTextParams { length, alphabet, unit: Unit::Characters }
    }

    fn generate(
        &self,
        params: &ReverseTextParams,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Line, Exhausted> {
        let length = params.length as usize;
        loop {
            budget.spend(u64::from(params.length))?;
            let text = match (params.unit, params.alphabet) {
                (Unit::Characters, Alphabet::Letters) => {
                    (0..length).map(|_| char::from(b'a' + rng.below(26) as u8)).collect()
                }
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
            let line = Line { text, unit: params.unit };
            if line.check().is_ok() {
                return Ok(line);
            }
        }
    }

    fn certify(&self, line: &Line, _budget: &mut Budget) -> Result<Certificate, Uncertified> {
        Ok(Certificate {
            unique: true,
            proof: format!("one text of {} characters is its reverse", line.text.len()),
        })
    }
}

/// Made-up words with single spaces between them, until the text is `enough`.
fn words(alphabet: Alphabet, rng: &mut Rng, mut enough: impl FnMut(&str) -> bool) -> String {
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

fn by_characters(text: &str) -> String {
    text.chars().rev().collect()
}

fn by_words(text: &str) -> String {
    text.split(' ').rev().collect::<Vec<_>>().join(" ")
}

impl Line {
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

    fn judged(&self, answer: &str, budget: &mut Budget) -> Result<Verdict, OverBudget> {
        let truth = self.reversed();
        if answer == truth {
            return Ok(Verdict::pass());
        }
        let share = similarity::lcs_share(answer, &truth, budget)?;
        let ratio = similarity::chars_ratio(answer, &truth, budget)?;
        let (length, right) = (answer.chars().count(), truth.len());
        let unspaced = |text: &str| text.split_whitespace().collect::<String>();
        let mut verdict = Verdict::wrong(difference(answer, &truth));
        if answer == self.text {
            verdict = verdict.also("not_reversed");
        } else if answer == self.other_way() {
            verdict = verdict.also("wrong_unit");
        } else if answer.eq_ignore_ascii_case(&truth) {
            verdict = verdict.also("case_changed");
        } else if unspaced(answer) == unspaced(&truth) {
            verdict = verdict.also("spacing_changed");
        }
        if length != right {
            verdict = verdict.also("wrong_length");
        }
        let length_match = length.min(right) as f32 / length.max(right) as f32;
        Ok(verdict.score(share).parts([share, ratio as f32, length_match]))
    }
}

/// Where an answer first leaves the truth.
fn difference(answer: &str, truth: &str) -> String {
    let (mut given, mut right) = (answer.chars(), truth.chars());
    let mut place = 1;
    loop {
        match (given.next(), right.next()) {
            (Some(a), Some(b)) if a == b => place += 1,
            (Some(a), Some(b)) => {
                let a = quoted(&a.to_string());
                return format!("character {place} is `{a}`, but should be `{b}`");
            }
            (None, _) => {
                return format!("the text ends after {} of {} characters", place - 1, truth.len());
            }
            (_, None) => return format!("the text goes on after its {} characters", truth.len()),
        }
    }
}

impl Problem for Line {
    fn check(&self) -> Result<(), String> {
        let length = self.text.len();
        if !(2..=LONGEST).contains(&length) {
            return Err(format!("`text` has {length} characters, but must have 2 to {LONGEST}"));
        }
        let allowed = |c: char| c == ' ' || c.is_ascii_graphic() && !"<>`\"".contains(c);
        if let Some(c) = self.text.chars().find(|c| !allowed(*c)) {
            return Err(format!("`text` has {c:?}, but must be printable ASCII without <, >, ` and \""));
        }
        if self.text.split(' ').any(str::is_empty) {
            return Err("`text` must have single spaces between its words, and none around them".into());
        }
        if self.reversed() == self.text {
            let text = quoted(&self.text);
            return Err(format!("`text` is `{text}`, which reads the same when it is reversed"));
        }
        Ok(())
    }

    fn prompt(&self, style: &Style) -> String {
        let (text, characters) = (&self.text, self.unit == Unit::Characters);
        let what = if characters { "character" } else { "word" };
        let kept = if characters {
            "Spaces, punctuation and capitals count as characters like any other"
        } else {
            "A word is what stands between spaces, and keeps its spelling and punctuation"
        };
        let asked = match style.template {
            0 => format!(
                "Reverse this text {what} by {what}, so that its last {what} comes first:\n\n{text}\n"
            ),
            1 => format!(
                "Take \"{text}\" (the quotation marks are not part of it) and put its {what}s in reverse order."
            ),
            2 => format!(
                "{text}\n\nWrite the line above backwards: every {what} of it, from the last to the first."
            ),
            _ => format!(
                "A strip of paper is cut into its {what}s and laid out again from the last {what} to the first. \
                 It used to read:\n{text}\n\nWhat does it read now?"
            ),
        };
        format!("{asked}\n{kept}.\nGive the reversed text alone, on one line, inside <answer></answer> tags.")
    }

    fn solution(&self) -> Solution {
        let answer = self.reversed();
        let units: Vec<&str> = match self.unit {
            Unit::Characters => self.text.split_inclusive(|_| true).collect(),
            Unit::Words => self.text.split(' ').collect(),
        };
        let joint = if self.unit == Unit::Words { " " } else { "" };
        // Pieces short enough to turn round at a glance, from the last to the first.
        let pieces = units.rchunks(5).map(|piece| {
            let back: Vec<&str> = piece.iter().rev().copied().collect();
            format!("`{}` turns into `{}`", piece.join(joint), back.join(joint))
        });
        let last = format!("Put together in this order: `{answer}`");
        Solution { steps: pieces.chain([last]).collect(), answer }
    }

    fn verify(&self, answer: &str, budget: &mut Budget) -> Verdict {
        if answer.contains(['\n', '\r']) {
            return Verdict::malformed("the answer is more than one line");
        }
        self.judged(answer, budget).unwrap_or_else(Verdict::from)
    }

    fn difficulty(&self) -> f32 {
        // What is not a lower-case letter has no familiar neighbours to be read with.
        let effort: u32 = match self.unit {
            Unit::Characters => self.text.bytes().map(|b| if b.is_ascii_lowercase() { 2 } else { 3 }).sum(),
            Unit::Words => self.text.split(' ').map(|word| 2 + word.len() as u32 / 4).sum(),
        };
        effort as f32 / (effort as f32 + 120.0)
    }

    fn wrong_answers(&self, rng: &mut Rng) -> Vec<String> {
        let truth = self.reversed();
        let at = rng.index(truth.len() - 1);
        let mut swapped = truth.clone().into_bytes();
        swapped.swap(at, at + 1);
        let mut dropped = truth.clone();
        dropped.remove(at);
        let mut doubled = truth.clone();
        doubled.insert(at, truth.as_bytes()[at].into());
        let each_word: Vec<String> = self.text.split(' ').map(by_characters).collect();
        let mut wrong = vec![
            self.text.clone(),
            self.other_way(),
            each_word.join(" "),
            String::from_utf8(swapped).expect("ASCII stays ASCII"),
            dropped,
            doubled,
            truth.to_ascii_uppercase(),
            truth.to_ascii_lowercase(),
            truth.replace(' ', ""),
            truth.replace(' ', "  "),
            format!("{truth}."),
            format!("\"{truth}\""),
            format!("{truth}\n{truth}"),
            truth.split("").collect::<Vec<_>>().join(" "),
        ];
        wrong.retain(|answer| answer.trim() != truth);
        wrong
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, unit: Unit) -> Line {
        let text = text.to_owned();
        Line { text, unit }
    }

    #[test]
    fn only_the_exact_reverse_passes() {
        let line = line("Abc de, f", Unit::Characters);
        let judge = |answer| line.verify(answer, &mut Budget::new(10_000));
        assert!(judge("f ,ed cbA").passed);
        for (answer, label) in [
            ("Abc de, f", "not_reversed"),
            ("f de, Abc", "wrong_unit"),
            ("f ,ed cba", "case_changed"),
            ("f ,edcbA", "spacing_changed"),
            ("f ,ed cb", "wrong_length"),
        ] {
            let verdict = judge(answer);
            assert!(!verdict.passed && verdict.failures.contains(&label), "{answer} {verdict:?}");
        }
        assert_eq!(judge("f ,ed cbB").detail, "character 9 is `B`, but should be `A`");
    }

    #[test]
    fn words_keep_their_spelling() {
        let line = line("one two, three", Unit::Words);
        assert!(line.verify("three two, one", &mut Budget::new(10_000)).passed);
        assert!(!line.verify("three two one,", &mut Budget::new(10_000)).passed);
    }

    #[test]
    fn the_score_is_a_true_longest_common_subsequence() {
        let text: String = "abcdefghij".repeat(30);
        let line = line(&format!("{text}k"), Unit::Characters);
        let truth = line.reversed();
        let near = format!("{}z{}", &truth[..150], &truth[150..]);
        let verdict = line.verify(&near, &mut Budget::new(10_000_000));
        // One character too many hardly counts, where difflib's autojunk loses half.
        assert!(verdict.score > 0.99, "{verdict:?}");
        assert!(verdict.parts[1] < 0.7, "{verdict:?}");
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
