//! Constraints on a text that can be checked: its length, its words, its lines, its case.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::{Budget, OverBudget};
use crate::error::quoted;
use crate::words::{composed, there_are};

mod counts;
mod script;
mod spelling;

pub use script::Script;
pub use spelling::Typography;
use spelling::{Page, read, visible};

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
    /// Pieces between white space or dashes that contain a letter or a digit, and each ideograph.
    Words {
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// Text that ends with `.`, `!`, `?` or another script's full stop, and the rest of a paragraph or of an item.
    Sentences {
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// Blocks of lines between empty lines or dividers such as `***`.
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
    /// Lines that start with `* `, `- `, `+ `, `• ` or the like.
    Bullets {
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// Lines that start with the marker, in any case, and a number: `Section 1`, `**SECTION II**`.
    Sections {
        #[serde(default = "section")]
        marker: String,
        #[serde(default)]
        min: u32,
        #[serde(default)]
        max: Option<u32>,
    },
    /// Parts between asterisks on one line: `*this*` or `**this**`, but not `2 * 3 * 4`.
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
    /// A title in `<<` and `>>` on a separate line, which may be a heading or bold.
    Title {},
    /// The text has no comma.
    NoCommas {},
    /// A line starts with this marker, `P.S.` unless another is given, and text follows it.
    Postscript {
        #[serde(default = "postscript")]
        marker: String,
    },
    /// The whole text is in double quotes, straight or curly.
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
    pub fn judge(
        &self,
        text: &str,
        typography: Typography,
        budget: &mut Budget,
    ) -> Result<Result<(), Broken>, OverBudget> {
        let text = text.trim();
        let prose = typography == Typography::Prose;
        let passes = match self {
            Self::Keywords { words } | Self::ForbiddenWords { words } => words.len(),
            _ => 1,
        };
        budget.spend((text.len() * passes) as u64)?;
        let met = |met: bool, broken: &str| if met { Ok(()) } else { Err(broken.to_owned()) };
        Ok(match self {
            Self::Keywords { words } => {
                let page = Page::new(text, typography);
                match words.iter().find(|word| page.occurrences(word) == 0) {
                    Some(missing) => Err(format!("`{}` does not occur", quoted(missing))),
                    None => Ok(()),
                }
            }
            Self::ForbiddenWords { words } => {
                let page = Page::new(text, typography);
                match words.iter().find(|word| page.occurrences(word) > 0) {
                    Some(found) => Err(format!("`{}` occurs", quoted(found))),
                    None => Ok(()),
                }
            }
            Self::Case { case } => {
                let is_upper = *case == Case::Upper;
                let wrong = |c: &char| if is_upper { c.is_lowercase() } else { c.is_uppercase() };
                let right = |c: char| if is_upper { c.is_uppercase() } else { c.is_lowercase() };
                match text.chars().find(wrong) {
                    Some(letter) => Err(format!("the letter `{letter}` has the other case")),
                    None => met(text.contains(right), "there are no letters with a case"),
                }
            }
            Self::StartsWith { text: start } => {
                let start = start.trim();
                let begins = |text: &str, start: &str| {
                    text.trim_start_matches(OPENING).starts_with(start.trim_start_matches(OPENING))
                };
                let starts = text.starts_with(start) || prose && begins(&read(text), &read(start));
                met(starts, &format!("it does not start with `{}`", quoted(start)))
            }
            Self::EndsWith { text: end } => {
                let end = end.trim();
                let closes = |text: &str, end: &str| {
                    text.trim_end_matches(CLOSING).ends_with(end.trim_end_matches(CLOSING))
                };
                let ends = text.ends_with(end) || prose && closes(&read(text), &read(end));
                met(ends, &format!("it does not end with `{}`", quoted(end)))
            }
            Self::JsonOnly {} => {
                let json: Result<serde::de::IgnoredAny, _> = serde_json::from_str(unfenced(text));
                met(json.is_ok(), "it is not JSON alone")
            }
            Self::Script { script } => script.judge(text),
            Self::Title {} => met(text.lines().any(is_title), "no line is a title in << and >>"),
            Self::NoCommas {} => met(!text.contains([',', '，', '、', '،', '﹐', '､']), "there is a comma"),
            Self::Postscript { marker } => met(
                has_postscript(text, marker),
                &format!("no line starts with `{}` and goes on", quoted(marker)),
            ),
            Self::Quoted {} => {
                let bare = text.trim_matches(['*', '_']);
                let quotes = [('"', '"'), ('“', '”'), ('„', '“'), ('„', '”')];
                let inner =
                    quotes.iter().find_map(|(open, close)| bare.strip_prefix(*open)?.strip_suffix(*close));
                met(inner.is_some_and(|inner| !inner.trim().is_empty()), "it is not in double quotes")
            }
            counted => {
                let (min, max) = counted.bounds().expect("the rest are counts");
                let (count, what) = counted.count(text, typography);
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
    fn count(&self, text: &str, typography: Typography) -> (usize, &'static str) {
        let filled = |line: &&str| !line.trim().is_empty();
        match self {
            Self::KeywordCount { word, .. } => (Page::new(text, typography).occurrences(word), "such word"),
            Self::LetterCount { letter, .. } => {
                let same = |c: &char| c.to_lowercase().eq(letter.to_lowercase());
                (composed(text).chars().filter(same).count(), "such letter")
            }
            Self::Characters { .. } => (composed(text).chars().count(), "character"),
            Self::Words { .. } => (counts::words(text, typography).count(), "word"),
            Self::Sentences { .. } if typography == Typography::Plain => {
                (text.lines().map(counts::line_sentences).sum(), "sentence")
            }
            Self::Sentences { .. } => (counts::sentences(text), "sentence"),
            Self::Paragraphs { .. } => (counts::paragraphs(text, typography), "paragraph"),
            Self::Lines { .. } => (text.lines().filter(filled).count(), "line"),
            Self::Bullets { .. } => (counts::bullets(text), "bullet"),
            Self::Sections { marker, .. } => (counts::sections(text, marker), "section"),
            Self::Highlights { .. } => (counts::highlights(text), "highlighted part"),
            Self::Placeholders { .. } => (counts::placeholders(text), "placeholder"),
            Self::CapitalWords { .. } => {
                let capital = |word: &&str| {
                    word.chars().filter(|c| c.is_uppercase()).count() > 1
                        && !word.contains(char::is_lowercase)
                };
                (counts::words(text, typography).filter(capital).count(), "capitalized word")
            }
            _ => unreachable!("only counts are counted"),
        }
    }
}

/// Marks that may come before the first words of a text.
const OPENING: [char; 14] = ['"', '\'', '«', '„', '「', '『', '(', '[', '*', '_', '#', '>', '-', ' '];

/// Marks that may come after the last words of a text.
const CLOSING: [char; 11] = ['"', '\'', '»', '“', '」', '』', ')', ']', '*', '_', ' '];

/// True for a line that is a title in `<<` and `>>`, whatever marks it as a heading.
fn is_title(line: &str) -> bool {
    let mark = |c: char| c.is_whitespace() || "#*_\"“”`".contains(c);
    let line = line.trim_matches(mark);
    let named = line.get(..5).filter(|word| word.eq_ignore_ascii_case("title")).map(|_| &line[5..]);
    let line = named.map_or(line, |rest| rest.trim_start_matches([':', '*', '_']).trim_matches(mark));
    let inner = line.strip_prefix("<<").and_then(|line| line.strip_suffix(">>"));
    inner.is_some_and(|inner| inner.contains(char::is_alphanumeric) && !inner.contains("<<"))
}

/// True if a line starts with the marker, in any case and spacing, and text follows.
fn has_postscript(text: &str, marker: &str) -> bool {
    let marker: Vec<char> = marker.to_lowercase().chars().filter(|c| !c.is_whitespace()).collect();
    let mut at = 0;
    text.split_inclusive('\n').any(|line| {
        let bare = line.trim_start_matches(|c: char| c.is_whitespace() || "#*_>\"“".contains(c));
        let mut letters = bare.char_indices().filter(|(_, c)| !matches!(c, ' ' | '\u{a0}'));
        let begins =
            marker.iter().all(|letter| letters.next().is_some_and(|(_, c)| c.to_lowercase().eq([*letter])));
        let rest = letters.next().map_or(text.len(), |(rest, _)| at + line.len() - bare.len() + rest);
        at += line.len();
        begins && text[rest.min(text.len())..].contains(char::is_alphanumeric)
    })
}

fn unfenced(text: &str) -> &str {
    let inner = ["```", "~~~"].into_iter().find_map(|fence| text.strip_prefix(fence)?.strip_suffix(fence));
    let Some(inner) = inner else { return text };
    let named = inner.trim_start_matches(' ');
    let json = named.get(..4).is_some_and(|name| name.eq_ignore_ascii_case("json"));
    if json { named[4..].trim() } else { inner.trim() }
}

#[cfg(test)]
mod tests;
