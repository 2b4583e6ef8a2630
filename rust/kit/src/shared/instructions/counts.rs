//! Counts of words, sentences, bullets and the like, as the published checkers of such instructions mean them.

use super::spelling::{Typography, is_ideograph};

/// Pieces between white space that contain a letter or a digit; in prose, dashes separate words, too, and each
/// ideograph is one.
pub fn words(text: &str, typography: Typography) -> impl Iterator<Item = &str> {
    let prose = typography == Typography::Prose;
    let own = move |c: char| prose && is_ideograph(c);
    let pieces = text.split(move |c: char| c.is_whitespace() || prose && matches!(c, '—' | '…'));
    let parts = pieces.flat_map(move |piece| piece.split(own).chain(piece.matches(own)));
    parts.filter(|word| word.contains(char::is_alphanumeric))
}

/// True for a line that only divides: `***`, `* * *`, `---`, `___`.
fn is_divider(line: &str) -> bool {
    let mut marks = line.chars().filter(|c| !c.is_whitespace());
    let Some(first @ ('*' | '-' | '_')) = marks.next() else { return false };
    let rest = marks.try_fold(0, |count, mark| (mark == first).then_some(count + 1));
    rest.is_some_and(|count| count >= 2)
}

/// Blocks of lines between empty lines and, in prose, dividers.
pub fn paragraphs(text: &str, typography: Typography) -> usize {
    let (mut count, mut inside) = (0, false);
    for line in text.lines() {
        let divides = typography == Typography::Prose && is_divider(line);
        let filled = !line.trim().is_empty() && !divides;
        count += usize::from(filled && !inside);
        inside = filled;
    }
    count
}

/// The text of a bullet, if a line is one.
fn bullet(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
    let rest = line.strip_prefix(['*', '-', '+', '•', '◦', '▪', '‣', '●', '○', '■', '□', '⁃', '∙'])?;
    let text = rest.trim_start();
    (text.len() < rest.len() && !text.is_empty() && !is_divider(line)).then_some(text)
}

pub fn bullets(text: &str) -> usize {
    text.lines().filter(|line| bullet(line).is_some()).count()
}

/// The text of a numbered or lettered item, if a line is one: `1. Buy milk.`, `(b) Go home.`
fn item(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '>' | '*' | '_'));
    let inner = line.strip_prefix('(').unwrap_or(line);
    let size = inner.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let (mark, rest) = inner.split_at(size);
    let counts = mark.len() <= 3 && !mark.is_empty() && mark.bytes().all(|byte| byte.is_ascii_digit());
    let lettered =
        mark.len() == 1 && (rest.starts_with(')') || mark.bytes().all(|byte| byte.is_ascii_lowercase()));
    let roman = mark.len() <= 4 && mark.len() > 1 && mark.bytes().all(|byte| b"ivxIVX".contains(&byte));
    if !(counts || lettered || roman) {
        return None;
    }
    let rest = rest.strip_prefix(if inner.len() < line.len() { [')', ')'] } else { ['.', ')'] })?;
    let text = rest.trim_start_matches(['*', '_']).trim_start();
    (!text.is_empty() && text.len() < rest.len()).then_some(text)
}

/// True for a line that is a title, which counts as a sentence only if it ends like one.
fn is_heading(line: &str) -> bool {
    let line = line.trim();
    let hashes = line.len() - line.trim_start_matches('#').len();
    let framed = |open, close| line.len() > 4 && line.starts_with(open) && line.ends_with(close);
    (1..=6).contains(&hashes) && line[hashes..].starts_with(' ')
        || framed("**", "**")
        || framed("__", "__")
        || framed("<<", ">>")
}

/// Sentences of a text whose lines may be wrapped. Items of a list, headings and paragraphs stand for
/// themselves.
pub fn sentences(text: &str) -> usize {
    let mut count = 0;
    let mut block: Option<std::ops::Range<usize>> = None;
    let within =
        |block: Option<std::ops::Range<usize>>| block.map_or(0, |range| block_sentences(&text[range], true));
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let item = bullet(line).map(|text| item(text).unwrap_or(text)).or_else(|| item(line));
        if line.trim().is_empty() || is_divider(line) {
            count += within(block.take());
        } else if is_heading(line) {
            count += within(block.take()) + block_sentences(line, false);
        } else if let Some(text) = item {
            count += within(block.take());
            block = Some(end - (line.len() - (text.as_ptr() as usize - line.as_ptr() as usize))..end);
        } else {
            block = Some(block.map_or(at, |block| block.start)..end);
        }
        at = end;
    }
    count + within(block)
}

/// The sentences of one line, each up to a full stop before white space or the end.
pub fn line_sentences(line: &str) -> usize {
    let (mut count, mut open, mut ended) = (0, false, false);
    for c in line.chars() {
        if c.is_whitespace() && ended {
            count += 1;
            (open, ended) = (false, false);
        } else if matches!(c, '.' | '!' | '?' | '。' | '！' | '？') {
            ended = open;
        } else if c.is_alphanumeric() {
            (open, ended) = (true, false);
        }
    }
    count + usize::from(open)
}

/// Marks that end a sentence, whatever follows.
const FULL_STOPS: [char; 14] = ['。', '！', '？', '｡', '।', '॥', '؟', '۔', '։', '።', '။', '។', '᙮', '꓿'];

/// Words before a full stop that are cut short, wherever they stand.
const TITLES: &str = " mr mrs ms dr prof st rev gen capt lt sgt col hon messrs vs fig figs eq eqs vol pp ed eds approx cf viz \
    nr nos ";

/// Words that may be cut short, and then do not end a sentence unless a capital follows.
const SHORTENED: &str = " etc inc ltd co corp jr sr al dept est jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu \
    fri sat sun min max ca incl excl ";

/// Most characters between a full stop and the next word.
const GAP: usize = 16;

/// Sentences of one block; its `rest` without a full stop may be one.
fn block_sentences(block: &str, rest: bool) -> usize {
    // Start of the sentence, start of the word, and the mark that may end both.
    let (mut start, mut word, mut mark): (Option<usize>, usize, Option<(usize, char)>) = (None, 0, None);
    let mut count = 0;
    for (at, c) in block.char_indices() {
        if c.is_whitespace() {
            if let (Some(begin), Some((end, stop))) = (start, mark)
                && is_end(block, begin, word, end, stop, at)
            {
                count += 1;
                start = None;
            }
            (word, mark) = (at + c.len_utf8(), None);
        } else if FULL_STOPS.contains(&c) {
            count += usize::from(start.take().is_some());
            mark = None;
        } else if matches!(c, '.' | '!' | '?' | '…' | '‽') {
            if mark.is_none() {
                mark = Some((at, c));
            }
        } else if c.is_alphanumeric() {
            mark = None;
            start = start.or(Some(at));
        }
    }
    count + usize::from(start.is_some() && (rest || mark.is_some()))
}

/// True if the mark at `stop`, after a word and before white space at `blank`, ends the sentence.
fn is_end(block: &str, begin: usize, word: usize, stop: usize, mark: char, blank: usize) -> bool {
    let next = block[blank..].chars().take(GAP).find(|c| c.is_alphanumeric());
    let follows_low = next.is_some_and(char::is_lowercase);
    let follows_capital = next.is_some_and(char::is_uppercase);
    let tail = &block[stop..blank];
    if follows_low && tail.contains(['"', '”', '’', '»', '“', '\''])
        || mark != '!' && mark != '?' && tail.contains("..") && follows_low
    {
        return false;
    }
    if mark == '…' {
        return !follows_low;
    }
    if mark != '.' || tail.len() > 1 && tail[1..].contains(['.', '!', '?']) {
        return true;
    }
    let token = block[word..stop].trim_start_matches(|c: char| !c.is_alphanumeric());
    let letters = token.chars().count();
    if letters > 8 {
        return true;
    }
    let lower = token.to_lowercase();
    let listed = |list: &str| list.split(' ').any(|known| known == lower && !known.is_empty());
    let initials = token.split('.').count() > 1 && token.split('.').all(|part| part.chars().count() == 1);
    match &*lower {
        "a.m" | "p.m" => follows_capital,
        "no" => !next.is_some_and(|c| c.is_ascii_digit()),
        _ if initials => false,
        _ if letters == 1 && token != "I" && token.starts_with(char::is_uppercase) => !follows_capital,
        // The number of an item.
        _ if begin + token.len() == stop && token.len() <= 3 && token.bytes().all(|b| b.is_ascii_digit()) => {
            next.is_none()
        }
        _ if listed(TITLES) => false,
        _ => !listed(SHORTENED) || follows_capital,
    }
}

/// Lines that start with the marker and a number: `Section 1`, `## SECTION II: a title`, `**Section A**`.
pub fn sections(text: &str, marker: &str) -> usize {
    let marker = marker.trim().to_lowercase();
    let numbered = |line: &&str| {
        let line =
            line.trim_start_matches(|c: char| c.is_whitespace() || "#*_>[(<`\"“".contains(c)).to_lowercase();
        let Some(rest) = line.strip_prefix(&marker) else { return false };
        let number = rest.trim_start_matches([' ', '\u{a0}', '*', '_', '#']);
        if number.starts_with(|c: char| c.is_numeric()) {
            return true;
        }
        let end = number.find(|c: char| !c.is_alphanumeric()).unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        let roman = !number.is_empty() && number.chars().all(|c| "ivxlc".contains(c));
        let named = NUMBERS.contains(&number) || roman || number.len() == 1 && number.is_ascii();
        let ends = !after.trim_start().starts_with(char::is_alphanumeric);
        number.len() < rest.len() && named && ends
    };
    text.lines().filter(numbered).count()
}

const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// Parts of lines between asterisks: `*this*` or `**this**`, but neither a bullet nor `2 * 3 * 4`.
pub fn highlights(text: &str) -> usize {
    text.lines().map(line_highlights).sum()
}

fn line_highlights(line: &str) -> usize {
    let mut count = 0;
    // End of the run that opened a part, its length, and whether it is inside a word.
    let mut open: Option<(usize, usize, bool)> = None;
    let mut at = 0;
    while let Some(found) = line[at..].find('*') {
        let start = at + found;
        let run = line[start..].len() - line[start..].trim_start_matches('*').len();
        let (before, after) = (line[..start].chars().next_back(), line[start + run..].chars().next());
        at = start + run;
        if before == Some('\\') {
            continue;
        }
        let blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let ascii = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        match open {
            Some((from, size, joined))
                if size == run && !blank(before) && from < start && !(joined && ascii(after)) =>
            {
                count += 1;
                open = None;
            }
            _ if !blank(after) => open = Some((at, run, ascii(before))),
            _ => {}
        }
    }
    count
}

/// Names in square brackets on one line.
pub fn placeholders(text: &str) -> usize {
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
