//! Words as a reader sees them: without Markdown and invisible characters, in any script.

use std::borrow::Cow;

use crate::words::composed;

/// Way to read a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typography {
    /// Every character is text, lines end sentences, and only white space separates words.
    Plain,
    /// As a person reads it: Markdown marks do not count, lines may be wrapped, any script has its own marks.
    Prose,
}

/// Scripts that put no spaces between words: each character of the first may be a word of its own.
const IDEOGRAPHS: [(char, char); 8] = [
    ('\u{3005}', '\u{3007}'),
    ('\u{3041}', '\u{3096}'),
    ('\u{30a1}', '\u{30fa}'),
    ('\u{3400}', '\u{4dbf}'),
    ('\u{4e00}', '\u{9fff}'),
    ('\u{f900}', '\u{faff}'),
    ('\u{ff66}', '\u{ff9d}'),
    ('\u{20000}', '\u{3ffff}'),
];
const UNSPACED: [(char, char); 8] = [
    ('\u{e00}', '\u{eff}'),
    ('\u{f00}', '\u{fff}'),
    ('\u{1000}', '\u{109f}'),
    ('\u{1780}', '\u{17ff}'),
    ('\u{1950}', '\u{19df}'),
    ('\u{1a20}', '\u{1aaf}'),
    ('\u{30fc}', '\u{30ff}'),
    ('\u{a980}', '\u{a9df}'),
];
const HANGUL: [(char, char); 3] =
    [('\u{1100}', '\u{11ff}'), ('\u{3130}', '\u{318f}'), ('\u{ac00}', '\u{d7af}')];
/// Marks that belong to the letter before them.
const COMBINING: [(char, char); 19] = [
    ('\u{300}', '\u{36f}'),
    ('\u{483}', '\u{489}'),
    ('\u{591}', '\u{5bd}'),
    ('\u{610}', '\u{61a}'),
    ('\u{64b}', '\u{65f}'),
    ('\u{670}', '\u{670}'),
    ('\u{6d6}', '\u{6ed}'),
    ('\u{e31}', '\u{e31}'),
    ('\u{e34}', '\u{e3a}'),
    ('\u{e47}', '\u{e4e}'),
    ('\u{eb1}', '\u{eb1}'),
    ('\u{eb4}', '\u{ebc}'),
    ('\u{ec8}', '\u{ece}'),
    ('\u{102b}', '\u{103e}'),
    ('\u{17b4}', '\u{17d3}'),
    ('\u{1ab0}', '\u{1aff}'),
    ('\u{1dc0}', '\u{1dff}'),
    ('\u{20d0}', '\u{20ff}'),
    ('\u{3099}', '\u{309a}'),
];

fn among(c: char, ranges: &[(char, char)]) -> bool {
    ranges.iter().any(|(low, high)| (*low..=*high).contains(&c))
}

/// True for a character that counts as a word of its own.
pub fn is_ideograph(c: char) -> bool {
    c >= '\u{3005}' && among(c, &IDEOGRAPHS)
}

fn is_unspaced(c: char) -> bool {
    c >= '\u{e00}' && (is_ideograph(c) || among(c, &UNSPACED))
}

fn is_hangul(c: char) -> bool {
    c >= '\u{1100}' && among(c, &HANGUL)
}

fn is_combining(c: char) -> bool {
    // The scripts of India share one layout.
    let indic = ('\u{900}'..='\u{d7f}').contains(&c)
        && matches!(u32::from(c) % 0x80, 0..=3 | 0x3a..=0x3c | 0x3e..=0x4f | 0x51..=0x57 | 0x62 | 0x63);
    c >= '\u{300}' && (indic || among(c, &COMBINING))
}

/// True for a part of a word.
fn inside(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || is_combining(c)
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{feff}' | '\u{200b}'..='\u{200f}' |
        '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}')
}

/// The text without zero-width characters, which neither separate words nor hide them.
pub fn visible(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    if text.is_ascii() { text.into() } else { text.chars().filter(|c| !is_invisible(*c)).collect() }
}

/// The text as a person reads it: composed letters, straight quotes, no marks of emphasis, one space for any
/// white space within a paragraph.
pub fn read(text: &str) -> String {
    let composed = composed(text);
    let seen = visible(&composed);
    let text: &str = &seen;
    let mut kept = String::with_capacity(text.len());
    let (mut at, mut copied, mut hidden) = (0, 0, false);
    while at < text.len() {
        if !is_special(text.as_bytes(), at) {
            at += 1;
            continue;
        }
        kept.push_str(&text[copied..at]);
        let first = text[at..].chars().next().expect("a special byte starts a character");
        let blank = first.is_whitespace();
        let same = |c: char| if blank { c.is_whitespace() } else { c == first };
        let run = match first {
            _ if blank => text.len() - at - text[at..].trim_start_matches(same).len(),
            '*' | '_' | '`' | '~' => text.len() - at - text[at..].trim_start_matches(same).len(),
            _ => first.len_utf8(),
        };
        let (taken, after) = text[at..].split_at(run);
        let before = text[..at].chars().next_back();
        match first {
            '*' | '_' | '`' | '~' => {
                let opens = first == '*' && !hidden && hides_letters(run, before, after);
                let marks =
                    opens || (first == '*' && hidden) || is_emphasis(first, before, after.chars().next());
                hidden = opens;
                kept.push_str(if marks { "" } else { taken });
            }
            '‘' | '’' | 'ʼ' => kept.push('\''),
            '“' | '”' => kept.push('"'),
            '\u{2010}' | '\u{2011}' => kept.push('-'),
            _ if blank => kept.push(if taken.matches('\n').count() > 1 { '\n' } else { ' ' }),
            _ => kept.push_str(taken),
        }
        at += run;
        copied = at;
    }
    kept.push_str(&text[copied..]);
    kept
}

/// True unless the byte at `at` is plain ASCII text.
fn is_special(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        b' ' => bytes.get(at + 1).is_some_and(|next| *next <= b' ' || *next >= 0x80),
        b'*' | b'_' | b'`' | b'~' | 0x09..=0x0d | 0x80.. => true,
        _ => false,
    }
}

/// True for a run of marks at the edge of a word.
fn is_emphasis(mark: char, before: Option<char>, after: Option<char>) -> bool {
    let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let word = |c: Option<char>| c.is_some_and(|c| inside(c) && c != mark);
    !(blank(before) && blank(after) || word(before) && word(after))
}

/// True for a run of asterisks that starts the emphasis of letters inside a word: `se*cr*et`.
fn hides_letters(run: usize, before: Option<char>, after: &str) -> bool {
    let letters = |text: &str| text.len() - text.trim_start_matches(char::is_alphabetic).len();
    let (marked, closing) = after.split_at(letters(after));
    let closes = closing.len() - closing.trim_start_matches('*').len();
    before.is_some_and(char::is_alphabetic)
        && !marked.is_empty()
        && closes == run
        && closing[closes..].starts_with(char::is_alphabetic)
}

/// A text in which to look for words.
pub struct Page<'t> {
    text: &'t str,
    form: String,
    typography: Typography,
}

impl<'t> Page<'t> {
    pub fn new(text: &'t str, typography: Typography) -> Self {
        Self { text, form: form(text, typography), typography }
    }

    /// Occurrences of a word, surrounded by neither letters nor digits, in any case.
    pub fn occurrences(&self, word: &str) -> usize {
        let named = form(word, self.typography);
        if named.trim().is_empty() && self.typography == Typography::Prose {
            // The word is a mark.
            return Page::new(self.text, Typography::Plain).occurrences(word);
        }
        let (Some(first), Some(last)) = (named.chars().next(), named.chars().next_back()) else { return 0 };
        let joins_before = |c| self.joins(c, first) && (self.is_plain() || is_hangul(c) == is_hangul(first));
        // Particles follow a Korean word without a space.
        let joins_after = |c| self.joins(last, c) && (self.is_plain() || !is_hangul(c));
        let whole = |&(at, _): &(usize, &str)| {
            let (before, after) = (&self.form[..at], &self.form[at + named.len()..]);
            !before.chars().next_back().is_some_and(joins_before)
                && !after.chars().next().is_some_and(joins_after)
        };
        self.form.match_indices(&named).filter(whole).count()
    }

    fn is_plain(&self) -> bool {
        self.typography == Typography::Plain
    }

    /// True if two characters side by side are parts of one word.
    fn joins(&self, one: char, next: char) -> bool {
        let parts = inside(one) && inside(next);
        parts && (self.is_plain() || is_combining(next) || !(is_unspaced(one) || is_unspaced(next)))
    }
}

fn form(text: &str, typography: Typography) -> String {
    match typography {
        Typography::Plain => visible(text).to_lowercase(),
        Typography::Prose => read(text).to_lowercase(),
    }
}
