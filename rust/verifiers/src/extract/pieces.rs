//! Mathematical expressions in prose: between marks of LaTeX, or numbers with what belongs to them.

use std::ops::Range;

use memchr::memmem;

use crate::counted::{holds, may_be_counted};

/// An expression: its range with the marks around it and without them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub outer: Range<usize>,
    pub inner: Range<usize>,
}

/// Environments that only lay out what is in them, and others, which are part of the expression.
const LAYOUTS: [&str; 7] = ["equation", "align", "aligned", "gather", "gathered", "eqnarray", "multline"];
const VALUES: [&str; 6] = ["pmatrix", "bmatrix", "matrix", "vmatrix", "array", "cases"];

/// Marks of the end of a proof.
const ENDS: [&str; 5] = ["\\blacksquare", "\\square", "\\Box", "\\qed", "\\QED"];

/// Commands after which the last step of a derivation starts.
const STEPS: [&str; 7] =
    ["\\Rightarrow", "\\implies", "\\Longrightarrow", "\\Leftrightarrow", "\\iff", "\\therefore", "\\to "];

/// Words that may end what a number counts.
const STOPS: &str = "is are was were will would can has have in at on ago that which who since because for from so thus \
    therefore when where after";

/// Most words after a number that are taken to belong to it.
const MOST_WORDS: usize = 3;

/// Finds the expressions of `text[part]`, in order. Each byte is looked at a bounded number of times.
pub fn pieces(text: &str, part: Range<usize>) -> Vec<Piece> {
    let mut scan = Scan { text, end: part.end, found: Vec::new(), absent: Vec::new() };
    let bytes = text.as_bytes();
    let mut at = part.start;
    while at < part.end {
        at = match bytes[at] {
            b'\\' => scan.command(at),
            b'$' => scan.dollars(at).unwrap_or(at + 1),
            byte if byte.is_ascii_whitespace() => at + 1,
            _ => scan.word(at),
        };
    }
    scan.found
}

struct Scan<'t> {
    text: &'t str,
    end: usize,
    found: Vec<Piece>,
    /// Marks that are known not to follow.
    absent: Vec<String>,
}

impl Scan<'_> {
    /// Start of the next `mark`. A mark that does not follow is searched for once.
    fn find(&mut self, mark: &str, from: usize) -> Option<usize> {
        if from > self.end || self.absent.iter().any(|absent| absent == mark) {
            return None;
        }
        let found = memmem::find(&self.text.as_bytes()[from..self.end], mark.as_bytes());
        if found.is_none() {
            self.absent.push(mark.to_owned());
        }
        found.map(|found| from + found)
    }

    fn push(&mut self, outer: Range<usize>, inner: Range<usize>) -> usize {
        let end = outer.end;
        let inner = last_step(self.text, inner);
        if !inner.is_empty() && !ENDS.contains(&&self.text[inner.clone()]) {
            self.found.push(Piece { outer, inner });
        }
        end
    }

    /// Reads what a backslash starts, and returns where to read on.
    fn command(&mut self, at: usize) -> usize {
        let rest = &self.text[at..self.end];
        for (open, close) in [("\\(", "\\)"), ("\\[", "\\]")] {
            if rest.starts_with(open)
                && let Some(end) = self.find(close, at + 2)
            {
                return self.push(at..end + 2, at + 2..end);
            }
        }
        if let Some(name) = rest.strip_prefix("\\begin{").and_then(|rest| rest.get(..rest.find('}')?.min(20)))
        {
            let plain = name.trim_end_matches('*');
            let layout = LAYOUTS.contains(&plain);
            if (layout || VALUES.contains(&plain))
                && let Some(end) = self.find(&format!("\\end{{{name}}}"), at)
            {
                let outer = at..end + "\\end{}".len() + name.len();
                let inner = if layout { at + "\\begin{}".len() + name.len()..end } else { outer.clone() };
                return self.push(outer, inner);
            }
        }
        if rest.as_bytes().get(1).is_none_or(|byte| !byte.is_ascii_alphabetic() && *byte != b'$') {
            return at + 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
        }
        self.word(at)
    }

    /// Reads what a dollar sign starts; nothing if it is a currency sign.
    fn dollars(&mut self, at: usize) -> Option<usize> {
        let mark = if self.text[at..self.end].starts_with("$$") { "$$" } else { "$" };
        let start = at + mark.len();
        let mut end = self.find(mark, start)?;
        while self.text[start..end].ends_with('\\') {
            end = self.find(mark, end + 1)?;
        }
        let content = &self.text[start..end];
        // `$5 and $7` are two amounts.
        let amounts = content.starts_with(|c: char| c.is_ascii_digit())
            && content.ends_with(' ')
            && content
                .split_whitespace()
                .any(|word| word.len() > 2 && word.bytes().all(|b| b.is_ascii_alphabetic()));
        if is_mathematics(content) && !amounts {
            return Some(self.push(at..end + mark.len(), start..end));
        }
        // `$5` is an amount.
        let amount = self.text.as_bytes().get(at + 1).is_some_and(u8::is_ascii_digit);
        Some(if amount { self.word(at) } else { start })
    }

    /// Reads words from here as long as they belong to one expression outside of marks.
    fn word(&mut self, start: usize) -> usize {
        let first = self.word_at(start);
        if !matches!(self.kind(&first), Kind::Digits | Kind::Letter) {
            return first.end;
        }
        let (mut end, mut next, mut digits) = (start, start, false);
        // Signs and letters count only if digits, or a sign after them, continue.
        let mut pending = false;
        while next < self.end {
            let word = self.word_at(next);
            match self.kind(&word) {
                Kind::Digits if end == start || pending || digits => {
                    (digits, pending, end) = (true, false, word.end);
                }
                Kind::Letter if end == start => (pending, end) = (false, word.end),
                Kind::Letter if pending => (pending, end) = (false, word.end),
                Kind::Sign => pending = true,
                _ => break,
            }
            let closed = self.text[word.clone()].ends_with(['.', '!', '?', ';', ':']);
            next = word.end + blanks(&self.text[word.end..self.end]);
            if closed {
                break;
            }
        }
        if !digits {
            return end.max(first.end);
        }
        let emphasized = self.text[start..end].contains(['*', '`']);
        let counted = self.with_counted(end);
        let nouns: Vec<String> = self.text[end..counted].split_whitespace().map(str::to_lowercase).collect();
        // `**3** bolts` is 3, but `**3** dozen` is not.
        let end = if emphasized && may_be_counted(&nouns) { end } else { counted };
        let inner = trimmed(self.text, start..end);
        self.push(start..end, inner)
    }

    /// The end of the words after a number that belong to it: `12 red apples`.
    fn with_counted(&self, from: usize) -> usize {
        let mut end = from;
        for taken in 0..MOST_WORDS {
            if self.text[from..end].ends_with(PUNCTUATION) || self.text[..end].ends_with(PUNCTUATION) {
                break;
            }
            let start = end + blanks(&self.text[end..self.end]);
            let word = self.word_at(start);
            let bare = self.text[word.clone()].trim_end_matches(PUNCTUATION).to_lowercase();
            let letters = bare.chars().next().is_some_and(|c| c.is_alphabetic() || "%°€£¥".contains(c));
            let stops = holds(STOPS, &bare) || (taken > 0 && matches!(&*bare, "of" | "a" | "an"));
            if !letters || stops || self.text[end..start].contains('\n') {
                break;
            }
            end = word.end;
        }
        end
    }

    fn word_at(&self, at: usize) -> Range<usize> {
        let rest = &self.text[at..self.end];
        let ends = |(at, c): (usize, char)| {
            let mark = rest[at..].starts_with("\\(") || rest[at..].starts_with("\\[");
            (at > 0 && (c.is_whitespace() || mark || c == '$')).then_some(at)
        };
        at..at + rest.char_indices().find_map(ends).unwrap_or(rest.len())
    }

    fn kind(&self, word: &Range<usize>) -> Kind {
        let bare = self.text[word.clone()].trim_matches(|c: char| "*`\"'_".contains(c));
        let bare = bare.trim_end_matches(PUNCTUATION);
        if bare.is_empty() || bare.len() > 400 {
            return Kind::Other;
        }
        if matches!(bare, "or" | "and") {
            return Kind::Sign;
        }
        let mut letters = 0;
        let mut longest = 0;
        let mut command = false;
        for c in bare.chars() {
            command = c == '\\' || (command && c.is_ascii_alphabetic());
            letters = if c.is_alphabetic() && !command { letters + 1 } else { 0 };
            longest = longest.max(letters);
        }
        let only = |signs: &str| bare.chars().all(|c| signs.contains(c));
        if only("=+-*/^<>≤≥≠≈±·×÷−&") {
            return Kind::Sign;
        }
        let digits = bare.contains(|c: char| c.is_ascii_digit() || "π∞½⅓¼¾√".contains(c));
        if digits && longest <= 3 || bare.starts_with('\\') {
            return Kind::Digits;
        }
        if longest <= 1 && bare.chars().all(|c| c.is_ascii_alphanumeric() || "()[]|_'^,-+".contains(c)) {
            return Kind::Letter;
        }
        Kind::Other
    }
}

/// Kind of a word outside of marks.
enum Kind {
    /// With a digit or a command of LaTeX in it.
    Digits,
    /// Signs, "and" or "or", which join two others.
    Sign,
    /// `x`, `f(x)`
    Letter,
    Other,
}

const PUNCTUATION: [char; 6] = ['.', ',', ';', ':', '!', '?'];

fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

/// True for the text between dollar signs unless it is prose between two amounts.
fn is_mathematics(text: &str) -> bool {
    if text.trim().is_empty() || text.len() > 8_000 || text.contains("\n\n") {
        return false;
    }
    let mut letters = 0;
    let (mut command, mut depth) = (false, 0_i32);
    for c in text.chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        command = c == '\\' || (command && c.is_ascii_alphabetic());
        letters = if c.is_alphabetic() && !command && depth <= 0 { letters + 1 } else { 0 };
        if letters > 4 {
            return false;
        }
    }
    true
}

/// The last row of a derivation, and its last step.
fn last_step(text: &str, inner: Range<usize>) -> Range<usize> {
    let mut start = inner.start;
    let mut end = inner.end;
    if !text[inner.clone()].contains("matrix}") && !text[inner].contains("array}") {
        let body = text[start..end].trim_end().trim_end_matches("\\\\");
        end = start + body.len();
        start += body.rfind("\\\\").map_or(0, |at| at + 2);
    }
    for step in STEPS {
        start += text[start..end].rfind(step).map_or(0, |at| at + step.len());
    }
    let range = trimmed(text, start..end);
    // A row may start with the relation: `&= 3`.
    let relation = usize::from(text[range.clone()].starts_with('='));
    trimmed(text, range.start + relation..range.end)
}

/// A range without white space, emphasis and punctuation at its ends, and without brackets that have no
/// partner.
pub fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let marks = |c: char| c.is_whitespace() || "*`\"',;:?&".contains(c);
    let whole = &text[range.clone()];
    let mut kept = whole.trim_start_matches(marks);
    let start = range.start + whole.len() - kept.len();
    kept = kept.trim_end_matches(marks);
    while let Some(rest) = kept.strip_suffix('.').filter(|rest| !rest.ends_with(['.', 't'])) {
        kept = rest.trim_end_matches(marks);
    }
    let mut range = start..start + kept.len();
    for (open, close) in [('(', ')'), ('[', ']')] {
        let kept = &text[range.clone()];
        let count = |c: char| kept.matches(c).count();
        let other = |c: char| {
            count(if "([".contains(c) { '(' } else { ')' }) + count(if "([".contains(c) { '[' } else { ']' })
        };
        if other(open) > other(close) && kept.starts_with(open) {
            range.start += 1;
        } else if other(close) > other(open) && kept.ends_with(close) {
            range.end -= 1;
        }
    }
    range
}
