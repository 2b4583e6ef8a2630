//! Constraints on a text that can be checked: its length, its words, its lines, its case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::{Budget, OverBudget};
use crate::error::quoted;
use crate::words::there_are;

mod script;

pub use script::Script;

/// A constraint. Counts are at least `min` and at most `max`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Constraint {
    /// Each of the words appears in the text, as whole words in any case.
    Keywords {
        words: Vec<String>,
    },
    /// None of the words appears in the text.
    ForbiddenWords {
        words: Vec<String>,
    },
    /// Occurrences of a word in the text.
    KeywordCount {
        word: String,
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// Occurrences of a letter in the text, in any case.
    LetterCount {
        letter: char,
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// Characters.
    Characters {
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// Pieces between white space that contain a letter or a digit.
    Words {
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// Text that ends with `.`, `!` or `?` before white space or at the end of a line, or the rest of a line.
    Sentences {
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// Blocks of lines between empty lines.
    Paragraphs {
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// Lines that are not empty.
    Lines {
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// Lines that start with `* `, `- ` or `• `.
    Bullets {
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// Lines that start with the marker and a number: `Section 1`.
    Sections {
        #[serde(default = "section")]
        marker: String,
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// Parts between asterisks on one line: `*this*` or `**this**`.
    Highlights {
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// Names in square brackets: `[address]`.
    Placeholders {
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// Words of at least two letters, all of them capitals.
    CapitalWords {
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// All letters have this case.
    Case {
        case: Case,
    },
    StartsWith {
        text: String,
    },
    EndsWith {
        text: String,
    },
    /// All of the text, or of the one code fence around it, is JSON.
    JsonOnly {},
    /// Nine in ten letters are of this script.
    Script {
        script: Script,
    },
    /// A title in `<<` and `>>` on a separate line.
    Title {},
    /// The text has no comma.
    NoCommas {},
    /// A line starts with this marker, `P.S.` unless another is given.
    Postscript {
        #[serde(default = "postscript")]
        marker: String,
    },
    /// The whole text is in double quotes.
    Quoted {},
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Case {
    Upper,
    Lower,
}

fn section() -> String {
    "Section".into()
}

fn postscript() -> String {
    "P.S.".into()
}

/// Reason why a text breaks a constraint, for a person.
type Broken = String;

impl Constraint {
    /// Checks that some texts meet the constraint and some do not; the error says what the caller must
    /// change.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Keywords { words } | Self::ForbiddenWords { words } if words.is_empty() => {
                return Err("`words` is empty, but must have a word".into());
            }
            Self::Keywords { words } | Self::ForbiddenWords { words }
                if words.iter().any(|word| visible(word).is_empty()) =>
            {
                return Err("`words` has an empty word".into());
            }
            Self::KeywordCount { word, .. } if visible(word).is_empty() => {
                return Err("`word` is empty, but must be a word".into());
            }
            Self::StartsWith { text } | Self::EndsWith { text } if text.trim().is_empty() => {
                return Err("`text` is empty, but must be text".into());
            }
            Self::Sections { marker, .. } | Self::Postscript { marker } if marker.trim().is_empty() => {
                return Err("`marker` is empty, but must be text".into());
            }
            _ => {}
        }
        match self.bounds() {
            Some((0, None)) => Err("neither `min` nor `max` is given".into()),
            Some((min, Some(max))) if max < min => Err(format!("`max` is {max}, but `min` is {min}")),
            _ => Ok(()),
        }
    }

    fn bounds(&self) -> Option<(u32, Option<u32>)> {
        match self {
            Self::KeywordCount { min, max, .. }
            | Self::LetterCount { min, max, .. }
            | Self::Characters { min, max }
            | Self::Words { min, max }
            | Self::Sentences { min, max }
            | Self::Paragraphs { min, max }
            | Self::Lines { min, max }
            | Self::Bullets { min, max }
            | Self::Sections { min, max, .. }
            | Self::Highlights { min, max }
            | Self::Placeholders { min, max }
            | Self::CapitalWords { min, max } => Some((*min, *max)),
            _ => None,
        }
    }

    /// Checks whether a text meets the constraint, and if not, why. Takes one pass over the text for each
    /// word it names.
    pub fn judge(&self, text: &str, budget: &mut Budget) -> Result<Result<(), Broken>, OverBudget> {
        let text = text.trim();
        let passes = match self {
            Self::Keywords { words } | Self::ForbiddenWords { words } => words.len(),
            _ => 1,
        };
        budget.spend((text.len() * passes) as u64)?;
        let met = |met: bool, broken: &str| if met { Ok(()) } else { Err(broken.to_owned()) };
        Ok(match self {
            Self::Keywords { words } => {
                let lower = text.to_lowercase();
                match words.iter().find(|word| occurrences(&lower, word) == 0) {
                    Some(missing) => Err(format!("`{}` does not occur", quoted(missing))),
                    None => Ok(()),
                }
            }
            Self::ForbiddenWords { words } => {
                let lower = text.to_lowercase();
                match words.iter().find(|word| occurrences(&lower, word) > 0) {
                    Some(found) => Err(format!("`{}` occurs", quoted(found))),
                    None => Ok(()),
                }
            }
            Self::Case { case } => {
                let wrong = |c: char| if *case == Case::Upper { c.is_lowercase() } else { c.is_uppercase() };
                match text.chars().find(|c| wrong(*c)) {
                    Some(letter) => Err(format!("the letter `{letter}` has the other case")),
                    None => met(text.chars().any(char::is_alphabetic), "there are no letters"),
                }
            }
            Self::StartsWith { text: start } => {
                let start = start.trim();
                met(text.starts_with(start), &format!("it does not start with `{}`", quoted(start)))
            }
            Self::EndsWith { text: end } => {
                let end = end.trim();
                met(text.ends_with(end), &format!("it does not end with `{}`", quoted(end)))
            }
            Self::JsonOnly {} => {
                let json: Result<serde::de::IgnoredAny, _> = serde_json::from_str(unfenced(text));
                met(json.is_ok(), "it is not JSON alone")
            }
            Self::Script { script } => script.judge(text),
            Self::Title {} => {
                let title = |line: &str| {
                    let inner = line.trim().strip_prefix("<<").and_then(|line| line.strip_suffix(">>"));
                    inner.is_some_and(|inner| !inner.trim().is_empty() && !inner.contains("<<"))
                };
                met(text.lines().any(title), "no line is a title in << and >>")
            }
            Self::NoCommas {} => met(!text.contains([',', '，', '、', '،']), "there is a comma"),
            Self::Postscript { marker } => {
                let begins = |line: &str| line.trim_start().starts_with(marker.trim());
                met(text.lines().any(begins), &format!("no line starts with `{}`", quoted(marker)))
            }
            Self::Quoted {} => {
                let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                met(inner.is_some_and(|inner| !inner.trim().is_empty()), "it does not stand in double quotes")
            }
            counted => {
                let (min, max) = counted.bounds().expect("the rest are counts");
                let (count, what) = counted.count(text);
                if count < min as usize {
                    Err(format!("{}, but at least {min} must be there", there_are(count, what)))
                } else if max.is_some_and(|max| count > max as usize) {
                    Err(format!(
                        "{}, but at most {} may be there",
                        there_are(count, what),
                        max.unwrap_or_default()
                    ))
                } else {
                    Ok(())
                }
            }
        })
    }

    /// Number of the things that it counts, and their name.
    fn count(&self, text: &str) -> (usize, &'static str) {
        let starts = |line: &&str| ["* ", "- ", "• "].iter().any(|mark| line.trim_start().starts_with(mark));
        let filled = |line: &&str| !line.trim().is_empty();
        match self {
            Self::KeywordCount { word, .. } => (occurrences(&text.to_lowercase(), word), "such word"),
            Self::LetterCount { letter, .. } => {
                let same = |c: &char| c.to_lowercase().eq(letter.to_lowercase());
                (text.chars().filter(same).count(), "such letter")
            }
            Self::Characters { .. } => (text.chars().count(), "character"),
            Self::Words { .. } => (words(text).count(), "word"),
            Self::Sentences { .. } => (text.lines().map(sentences).sum(), "sentence"),
            Self::Paragraphs { .. } => (paragraphs(text), "paragraph"),
            Self::Lines { .. } => (text.lines().filter(filled).count(), "line"),
            Self::Bullets { .. } => (text.lines().filter(starts).count(), "bullet"),
            Self::Sections { marker, .. } => {
                let numbered = |line: &&str| {
                    let line = line.trim_start_matches(['#', '*', ' ']);
                    let rest = line.strip_prefix(marker.trim()).unwrap_or_default();
                    rest.starts_with(' ') && rest.trim_start().starts_with(|c: char| c.is_ascii_digit())
                };
                (text.lines().filter(numbered).count(), "sections")
            }
            Self::Highlights { .. } => (text.lines().map(highlights).sum(), "highlighted parts"),
            Self::Placeholders { .. } => (placeholders(text), "placeholders"),
            Self::CapitalWords { .. } => {
                let capital = |word: &&str| {
                    word.chars().filter(|c| c.is_alphabetic()).count() > 1
                        && !word.contains(char::is_lowercase)
                };
                (words(text).filter(capital).count(), "words in capitals")
            }
            _ => unreachable!("only counts are counted"),
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric))
}

/// Occurrences of a word in a lower-case text, surrounded by neither letters nor digits.
fn occurrences(lower: &str, word: &str) -> usize {
    let (lower, word) = (visible(lower), visible(&word.to_lowercase()));
    // Combining accents belong to the letter before them.
    let inside = |c: char| c.is_alphanumeric() || c == '_' || ('\u{300}'..='\u{36f}').contains(&c);
    let whole = |&(at, _): &(usize, &str)| {
        let starts = !word.starts_with(inside) || !lower[..at].ends_with(inside);
        let ends = !word.ends_with(inside) || !lower[at + word.len()..].starts_with(inside);
        starts && ends
    };
    lower.match_indices(&word).filter(whole).count()
}

/// The text as a reader sees it: zero-width characters neither separate words nor hide them.
fn visible(text: &str) -> String {
    let invisible = |c: &char| {
        matches!(c, '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{feff}' | '\u{200b}'..='\u{200f}' |
            '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}')
    };
    text.trim().chars().filter(|c| !invisible(c)).collect()
}

/// The sentences of one line.
fn sentences(line: &str) -> usize {
    let (mut count, mut open, mut ended) = (0, false, false);
    for c in line.chars() {
        if c.is_whitespace() && ended {
            count += 1;
            (open, ended) = (false, false);
        } else if matches!(c, '.' | '!' | '?' | '。' | '！' | '？' | '…') {
            ended = open;
        } else if c.is_alphanumeric() {
            (open, ended) = (true, false);
        }
    }
    count + usize::from(open)
}

fn paragraphs(text: &str) -> usize {
    let (mut count, mut inside) = (0, false);
    for line in text.lines() {
        let filled = !line.trim().is_empty();
        count += usize::from(filled && !inside);
        inside = filled;
    }
    count
}

/// The parts of one line between asterisks. A bullet's asterisk does not start one.
fn highlights(line: &str) -> usize {
    let line = line.trim_start();
    let line = line.strip_prefix("* ").unwrap_or(line);
    // Each part is between two runs of asterisks, and the next pair of runs starts after it.
    let pieces: Vec<_> = line.split('*').filter(|piece| !piece.is_empty()).collect();
    let starts = usize::from(!line.starts_with('*'));
    let closed = line.ends_with('*');
    let inner = pieces.iter().enumerate().skip(starts).step_by(2);
    inner.filter(|(at, piece)| !piece.trim().is_empty() && (*at + 1 < pieces.len() || closed)).count()
}

fn placeholders(text: &str) -> usize {
    let (mut count, mut open) = (0, None);
    for (at, c) in text.char_indices() {
        match c {
            '[' => open = Some(at + 1),
            ']' => {
                let start = open.take();
                count += usize::from(start.is_some_and(|start| !text[start..at].trim().is_empty()));
            }
            '\n' => open = None,
            _ => {}
        }
    }
    count
}

fn unfenced(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    inner.map_or(text, |inner| inner.strip_prefix("json").unwrap_or(inner).trim())
}

#[cfg(test)]
mod tests;
