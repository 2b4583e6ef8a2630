//! The last mathematical expression of a completion in prose.

use std::ops::Range;

use super::boxed::restated;
use super::pieces::{Piece, pieces, trimmed};
use super::{hashes, marks, stated};
use crate::counted::holds;
use crate::words::known_unit;
use kit::task::answer::marked::{Marked, boxes, unboxed};
use kit::task::answer::{LONGEST_ANSWER, Reading, Reply, outside_reasoning};
use kit::task::verdict::label;

/// An answer with the other statements of it, which must be right as well.
pub struct Prose<'a> {
    pub reply: Reply<'a>,
    pub also: Vec<&'a str>,
}

impl<'a> From<Reply<'a>> for Prose<'a> {
    fn from(reply: Reply<'a>) -> Self {
        Self { reply, also: Vec::new() }
    }
}

/// Longest completion that is an answer as a whole, in bytes and in words.
const SHORT: (usize, usize) = (200, 5);

/// Most other statements of an answer that are compared; more are a hedge.
const MOST_STATEMENTS: usize = 8;
/// Longest unit after a box that is looked for, in characters.
const LONGEST_UNIT: usize = 60;

/// Words that take back what was said before them, wherever they stand.
const RETRACTIONS: &str = "wait oops apologize apologies apology mistake mistaken incorrect wrong actually correction corrected \
    nope sorry retract scratch hmm unsure alternatively misread reconsider recheck";

/// Words that take back what was said before them in their sentence, or as the first word of another.
const REVERSALS: &str = "no not but however or maybe perhaps possibly instead rather otherwise unless if else guess though \
    although cannot false should except impossible fails fail invalid contradiction contradicts excluded \
    rejected too when whenever 's extraneous discarded while whereas option candidate possible possibility";

/// Words before an expression that keep it from being stated.
const CONDITIONS: &str = "not never no neither nor cannot without unless except if suppose assume assuming let given when \
    where whether either asked asks wrong incorrect instead check verify example step case part page \
    figure unlike determine compute evaluate prove checking substituting recall because but anything \
    false impossible reject discard exclude eliminate close nearly almost while whereas others another claim claims does also \
    unlikely hardly barely scarcely doubtful doubt doubted thought believed supposed supposedly allegedly far";

/// Words shortly before an expression that doubt it.
const DOUBTS: &str = "maybe perhaps possibly might may could guess probably about around roughly";

/// Words right before an expression that make it a condition, a bound or a reason.
const PREPOSITIONS: &str = "for at with since because using than per as least most over under above below around exceeds beyond \
    let consider by from into versus";

/// Words between a verb and an expression that make another number of it: "is the square root of 2".
const OPERATIONS: &str = "negative minus plus times square squared root cube cubed double triple twice thrice \
    half third quarter reciprocal inverse opposite power logarithm factorial up until multiple divided \
    multiplied add added subtract fraction percent negated complement";

/// Verbs that state an expression.
const VERBS: &str = "is are be was equals equal get gets gives give obtain have has becomes yields makes";

/// Words that state an expression.
const STATEMENTS: &str = "so thus therefore hence answer result solution final is are be was equals equal get gets obtain \
    gives give yields have has conclude find becomes remain remains needs total value there conclusion \
    makes takes made costs pays runs fact";

/// Words with which a text gives its answer once more.
const RESULTS: &str = "so thus therefore hence answer result value solution final total get gets obtain find gives give \
    yields becomes correct true instead should fact conclude";

/// Conditions that do not keep a text from concluding something.
const CHECKS: &str = "checking substituting check verify anything also does";

/// Words that start a conclusion, so that nothing before them counts.
const CONCLUSIONS: &str = "so thus therefore hence answer consequently then conclude";

/// Sentences that models end with.
const REMARKS: [&str; 7] =
    ["i hope", "let me know", "feel free", "please", "this completes", "we are done", "hope this"];

/// The answer of a text: its boxes, what stands after `####`, what it states as the answer, or else its last
/// expression.
pub fn answer(text: &str, reading: Reading) -> Prose<'_> {
    let (parts, cut) = outside_reasoning(text);
    let fault =
        |label| Prose::from(Reply { text, answer: None, faults: vec![label], one_tag: false, alone: false });
    let boxed = boxes(text);
    if cut || boxed.cut {
        return fault(label::TRUNCATED);
    }
    let Some(part) = parts.into_iter().rev().find(|part| !text[part.clone()].trim().is_empty()) else {
        return fault(label::NO_ANSWER);
    };
    let body = Body::new(text, part.clone());
    let told = body.told(reading);
    let hashed = hashes(text).all;
    if marks::holds_parts(text, &boxed.all) {
        return fault(label::MALFORMED_ANSWER);
    }
    let found = if !boxed.all.is_empty() {
        let mut runs = joined(text, &boxed.all);
        let (answer, outer) = runs.pop().expect("there is a box");
        Found {
            answer,
            outer,
            also: runs
                .into_iter()
                .map(|(answer, _)| answer)
                .chain(stating(&told))
                .chain(hashed.iter().map(|marked| marked.answer))
                .chain(boxed.all.iter().filter_map(|marked| restated(text, &marked.outer)))
                .collect(),
        }
    } else if let Some(last) = hashed.last() {
        let others = hashed[..hashed.len() - 1].iter().map(|marked| marked.answer);
        Found { answer: last.answer, outer: last.outer.clone(), also: others.chain(stating(&told)).collect() }
    } else if let Some((last, others)) = told.split_last() {
        match last {
            Ok(marked) => {
                Found { answer: marked.answer, outer: marked.outer.clone(), also: stating(others).collect() }
            }
            Err(label) => return fault(label),
        }
    } else if let Some(range) = body.short() {
        Found { answer: &text[range.clone()], outer: range, also: Vec::new() }
    } else {
        match body.last(reading) {
            Ok(marked) => Found { answer: marked.answer, outer: marked.outer, also: Vec::new() },
            Err(label) => return fault(label),
        }
    };
    let mut faults = Vec::new();
    if body.takes_back(found.outer.end) || body.denies(found.outer.start) {
        faults.push(label::HEDGED);
    }
    if found.answer.len() > LONGEST_ANSWER {
        faults.push(label::ANSWER_TOO_LONG);
    }
    let bare = |text: &str| text.chars().all(|c| c.is_whitespace() || "$*_.`\\()[]{}".contains(c));
    let alone = bare(&text[..found.outer.start]) && bare(&text[found.outer.end..]);
    if reading == Reading::Clean && !alone {
        faults.push(label::EXTRA_TEXT_OUTSIDE_TAGS);
    }
    let mut also = found.also;
    also.extend(marks::inline_hashes(text));
    also.extend(body.concluded_after(found.outer.end));
    also.retain(|other| *other != found.answer);
    also.sort_unstable();
    also.dedup();
    if also.len() > MOST_STATEMENTS {
        faults.push(label::HEDGED);
    }
    Prose { reply: Reply { text, answer: Some(found.answer), faults, one_tag: true, alone }, also }
}

/// The marked answer of a text with what the text states as well.
pub fn with_statements<'a>(mut marked: Reply<'a>, text: &'a str, in_tag: bool) -> Prose<'a> {
    let (parts, _) = outside_reasoning(text);
    let Some(part) = parts.into_iter().rev().find(|part| !text[part.clone()].trim().is_empty()) else {
        return marked.into();
    };
    let body = Body::new(text, part);
    let told = body.told(Reading::Lenient);
    if marked.faults.is_empty() && marked.span().is_some_and(|span| body.denies(span.start)) {
        marked.faults.push(label::HEDGED);
    }
    if boxes(text).is_there() || hashes(text).is_there() || in_tag {
        let mut also: Vec<&str> = stating(&told).filter(|other| marked.answer != Some(other)).collect();
        also.truncate(MOST_STATEMENTS);
        return Prose { reply: marked, also };
    }
    // "Assume that the answer is 7."
    if let (Some(Err(label)), true) = (told.last(), marked.faults.is_empty()) {
        marked.faults.push(label);
    }
    marked.into()
}

/// A text without the sentence that few-shot prompts teach models to end with.
pub fn without_remark(text: &str) -> &str {
    let kept = text.trim_end();
    kept.strip_suffix("I hope it is correct.").map_or(text, str::trim_end)
}

/// The answer of a whole solution: in its last boxes, or else behind its last `####`.
pub fn answer_of_solution(text: &str) -> Option<&str> {
    let boxed = boxes(text);
    if boxed.cut {
        return None;
    }
    let last = joined(text, &boxed.all).pop().map(|(answer, _)| answer);
    last.or_else(|| hashes(text).all.last().map(|marked| marked.answer)).filter(|answer| !answer.is_empty())
}

struct Found<'a> {
    answer: &'a str,
    outer: Range<usize>,
    also: Vec<&'a str>,
}

fn stating<'t, 'a>(
    told: &'t [Result<Marked<'a>, &'static str>],
) -> impl Iterator<Item = &'a str> + use<'t, 'a> {
    told.iter().filter_map(|told| told.as_ref().ok()).map(|marked| marked.answer)
}

/// The boxes that belong together, as one text: `\boxed{1}` and `\boxed{2}`.
fn joined<'a>(text: &'a str, boxes: &[Marked<'a>]) -> Vec<(&'a str, Range<usize>)> {
    let mut runs: Vec<(&str, Range<usize>)> = Vec::new();
    for marked in boxes {
        match runs.last_mut() {
            Some((answer, outer)) if connects(&text[outer.end..marked.outer.start]) => {
                if *answer != marked.answer {
                    *outer = outer.start..marked.outer.end;
                    *answer = &text[outer.clone()];
                }
            }
            _ => runs.push((marked.answer, marked.outer.clone())),
        }
    }
    for (answer, outer) in &mut runs {
        // `\boxed{12} km`: the unit is part of the answer.
        let rest = &text[outer.end..];
        let after = rest.trim_start_matches(|c: char| c == ' ' || "$\\)]".contains(c));
        // A unit is short; without a bound, a line of boxes would be read again for each.
        let near = after.char_indices().nth(LONGEST_UNIT).map_or(after, |(at, _)| &after[..at]);
        // `\boxed{3}\text{ million}`
        let (styled, near) = match ["text{", "mathrm{", "textrm{", "mbox{"]
            .iter()
            .find_map(|style| near.strip_prefix(style))
        {
            Some(inner) => (true, inner.trim_start()),
            None => (false, near),
        };
        let word = near.split(|c: char| c.is_whitespace() || ".,;:}".contains(c)).next().unwrap_or_default();
        let ends = word.len() < near.len() || near.len() == after.len();
        if ends && changes(word) && !rest.starts_with('\n') {
            let start = near.as_ptr() as usize - text.as_ptr() as usize;
            let closing =
                if styled { text[start..].find('}').map_or(word.len(), |at| at + 1) } else { word.len() };
            let end = start + closing;
            *answer = &text[outer.start..end];
        }
    }
    runs
}

/// True for a unit and for a word that multiplies the number before it.
fn changes(word: &str) -> bool {
    known_unit(word).is_some_and(|_| word.len() > 1)
        || word.starts_with('%')
        || [
            "percent",
            "pct",
            "percentage",
            "degrees",
            "dozen",
            "hundred",
            "thousand",
            "million",
            "billion",
            "pairs",
            "bn",
            "mn",
            "mln",
            "trillion",
        ]
        .contains(&&*word.to_lowercase())
}

/// True if only a comma, "and" or "or" is between two expressions.
fn connects(between: &str) -> bool {
    if between.len() >= 60 {
        return false;
    }
    let bare = between.replace("\\text{", " ").replace("\\quad", " ").replace("\\qquad", " ");
    bare.split(|c: char| c.is_whitespace() || "$\\()[]{},;*".contains(c))
        .filter(|word| !word.is_empty())
        .all(|word| matches!(word, "and" | "or" | "&"))
}

/// The value before the box of a statement, unless the box is the last side of its equation.
fn before_box(statement: &str) -> Option<&str> {
    let (before, _) = statement.split_once("\\boxed{")?;
    let bare = before.trim_end_matches([' ', '$', '{', '(', '*']);
    let before = before.trim_matches([' ', '$', '*', '(']);
    let joined = bare.ends_with(['=', '≈', ':', '&']) || bare.ends_with("\\approx") || bare.ends_with('\\');
    (before.bytes().any(|byte| byte.is_ascii_digit()) && !joined).then_some(before)
}

/// A text in prose with its expressions.
struct Body<'a> {
    text: &'a str,
    part: Range<usize>,
    pieces: Vec<Piece>,
    /// Starts of the sentences.
    starts: Vec<usize>,
}

impl<'a> Body<'a> {
    fn new(text: &'a str, part: Range<usize>) -> Self {
        let pieces = pieces(text, part.clone());
        let mut starts = vec![part.start];
        let mut from = part.start;
        for piece in pieces.iter().map(Some).chain([None]) {
            let to = piece.map_or(part.end, |piece| piece.outer.start);
            let gap = &text[from..to];
            for (at, c) in gap.char_indices() {
                let after = &text[from + at + c.len_utf8()..];
                if c == '\n' || (".!?".contains(c) && after.starts_with(char::is_whitespace)) {
                    starts.push(from + at + c.len_utf8());
                }
            }
            if let Some(piece) = piece {
                from = piece.outer.end;
                // `$x = 5.$ Then …`
                if text[piece.outer.clone()].trim_end_matches(['$', ')', ']', '\\', ' ']).ends_with('.') {
                    starts.push(from);
                }
            }
        }
        Self { text, part, pieces, starts }
    }

    /// The answer, if it is nearly all of the text.
    fn short(&self) -> Option<Range<usize>> {
        let whole = trimmed(self.text, self.part.clone());
        let text = &self.text[whole.clone()];
        if text.len() > SHORT.0 || text.contains('\n') || text.ends_with('?') || self.starts.len() > 2 {
            return None;
        }
        let words = self.words(self.part.clone()).len();
        match &self.pieces[..] {
            [] => (words <= SHORT.1).then_some(whole),
            [only] if words == 0 => Some(only.inner.clone()),
            [first, ..] => (words <= 2 && first.outer.start <= whole.start).then_some(whole),
        }
    }

    /// The range of the sentence around a place.
    fn sentence(&self, at: usize) -> Range<usize> {
        let next = self.starts.partition_point(|start| *start <= at);
        self.starts[next.saturating_sub(1)]..self.starts.get(next).copied().unwrap_or(self.part.end)
    }

    /// The words of a range outside expressions, in lower case.
    fn words(&self, range: Range<usize>) -> Vec<String> {
        let mut words = Vec::new();
        let mut from = range.start;
        let first = self.pieces.partition_point(|piece| piece.outer.end <= range.start);
        let inside = self.pieces[first..].iter().take_while(|piece| piece.outer.start < range.end);
        for piece in inside.map(Some).chain([None]) {
            let to = piece.map_or(range.end, |piece| piece.outer.start).max(from);
            let gap = self.text[from..to].replace('’', "'").to_lowercase();
            let plain = gap.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '?');
            words.extend(
                plain
                    .filter(|word| !word.is_empty())
                    .map(|word| if word.ends_with("n't") { "not".to_owned() } else { word.to_owned() }),
            );
            from = piece.map_or(range.end, |piece| piece.outer.end.min(range.end));
        }
        words
    }

    /// The answers that the text states: "the answer is 7".
    fn told(&self, reading: Reading) -> Vec<Result<Marked<'a>, &'static str>> {
        let mut told = Vec::new();
        let all = stated::answers(self.text, Reading::Lenient).all;
        if all.len() > 2 * MOST_STATEMENTS {
            return vec![Err(label::HEDGED)];
        }
        for marked in all {
            let start = marked.answer.as_ptr() as usize - self.text.as_ptr() as usize;
            if marked.outer.start < self.part.start {
                continue;
            }
            let boxed = self.text[marked.outer.clone()].contains("\\boxed");
            let end = self.sentence(start).end.min(marked.outer.end.max(start));
            let first = self.pieces.partition_point(|piece| piece.outer.end <= start);
            let own =
                &self.pieces[first..self.pieces.partition_point(|piece| piece.outer.start < end).max(first)];
            let before = self.words(self.sentence(marked.outer.start).start..marked.outer.start);
            if before.iter().any(|word| {
                holds(
                    "if when whether suppose assume not false wrong incorrect unlikely doubtful doubt hardly",
                    word,
                )
            }) {
                told.push(Err(label::NO_ANSWER));
                continue;
            }
            told.push(match own {
                [first, ..]
                    if first.outer.start <= start + 2
                        && !self.text[first.outer.clone()].contains("\\boxed") =>
                {
                    Ok(self.group_from(first.outer.start))
                }
                // "Answer: 31 \\boxed{47}"
                _ if boxed => match before_box(&self.text[start..marked.outer.end]) {
                    Some(answer) => Ok(Marked { answer, outer: marked.outer }),
                    None => continue,
                },
                [] => {
                    let range = trimmed(self.text, start..start + marked.answer.len());
                    Ok(Marked { answer: &self.text[range], outer: marked.outer })
                }
                [.., last] if self.words(start..end).len() <= 24 => {
                    self.stated(last.outer.end, reading, true)
                }
                _ => Err(label::NO_ANSWER),
            });
        }
        told
    }

    /// Conclusions behind the answer: "The correct value is 47." Of very many expressions only the
    /// first and the last ones are looked at.
    fn concluded_after(&self, end: usize) -> Vec<&'a str> {
        let first = self.pieces.partition_point(|piece| piece.outer.start < end);
        let (count, most) = (self.pieces.len(), MOST_STATEMENTS);
        let places =
            (first..count.min(first + most)).chain((first + most).max(count.saturating_sub(most))..count);
        places
            .filter(|at| {
                let start = self.pieces[*at].outer.start;
                let words = self.words(self.sentence(start).start.max(end)..start);
                words.iter().any(|word| holds(RESULTS, word))
                    && !words.iter().any(|word| holds(CONDITIONS, word) && !holds(CHECKS, word))
                    && !words.last().is_some_and(|word| holds(PREPOSITIONS, word))
            })
            .map(|at| self.marked(at, at).answer)
            .filter(|answer| !answer.is_empty())
            .collect()
    }

    /// The expressions from a place on that only "and", "or" or commas part.
    fn group_from(&self, start: usize) -> Marked<'a> {
        let at = self.pieces.partition_point(|piece| piece.outer.start < start);
        let mut last = at;
        while last + 1 < self.pieces.len() && self.goes_on(last) {
            last += 1;
        }
        self.marked(at, last)
    }

    /// True if an expression and the next one are items of one list.
    fn goes_on(&self, at: usize) -> bool {
        let (end, next) = (self.pieces[at].outer.end, self.pieces[at + 1].outer.start);
        let between = &self.text[end..next];
        let ended = self.text[..end].ends_with(['.', '!', '?', ':']) || between.contains('\n');
        connects(between) && !(ended && between.trim().is_empty())
    }

    fn marked(&self, first: usize, last: usize) -> Marked<'a> {
        let outer = self.pieces[first].outer.start..self.pieces[last].outer.end;
        let inner =
            if first == last { self.pieces[first].inner.clone() } else { trimmed(self.text, outer.clone()) };
        Marked { answer: unboxed(&self.text[inner]), outer }
    }

    /// The last expression, if it is stated.
    fn last(&self, reading: Reading) -> Result<Marked<'a>, &'static str> {
        let last = self.pieces.last().ok_or(label::NO_ANSWER)?;
        self.stated(last.outer.end, reading, false)
    }

    /// The expressions that end at a place, if the words around them state them.
    fn stated(&self, end: usize, reading: Reading, is_answer: bool) -> Result<Marked<'a>, &'static str> {
        let last = self.pieces.partition_point(|piece| piece.outer.end < end);
        let mut first = last;
        while first > 0 && self.goes_on(first - 1) {
            first -= 1;
        }
        let marked = self.marked(first, last);
        let sentence = self.sentence(marked.outer.start);
        let before = self.words(sentence.start..marked.outer.start);
        let concluded = before.iter().rposition(|word| holds(CONCLUSIONS, word)).map_or(0, |at| at + 1);
        let clause = &before[concluded..];
        let conditional = clause.iter().any(|word| holds(CONDITIONS, word))
            || clause.windows(2).any(|pair| pair[0] == "one" && pair[1] == "of")
            || clause.iter().rev().take(4).any(|word| holds(DOUBTS, word))
            || clause.iter().skip(usize::from(concluded == 0)).any(|word| word == "since");
        let verb = clause.iter().rposition(|word| holds(VERBS, word)).map_or(0, |at| at + 1);
        let changed = clause[verb..].iter().any(|word| holds(OPERATIONS, word));
        let hanging = match &before[..] {
            [.., verb, by] if by == "by" => {
                !["increas", "decreas", "grow", "ris"].iter().any(|stem| verb.starts_with(stem))
            }
            [.., last] => holds(PREPOSITIONS, last),
            [] => false,
        };
        // "40 of 80"
        let share = first > 0 && {
            let between = self.pieces[first - 1].outer.end..marked.outer.start;
            matches!(self.text[between].trim(), "of" | "out of")
        };
        let imperative =
            matches!(before.first().map(String::as_str), Some("find" | "solve" | "calculate" | "simplify"));
        let asked = self.words(marked.outer.end..sentence.end).iter().any(|word| word.ends_with('?'))
            || self.text[marked.outer.clone()].ends_with('?');
        if conditional || changed || hanging || share || imperative || asked {
            return Err(label::NO_ANSWER);
        }
        // "5, or perhaps 7"
        let hedging = first > 0 && self.pieces[first - 1].outer.start >= sentence.start && {
            let between = self.words(self.pieces[first - 1].outer.end..marked.outer.start);
            between.len() <= 4
                && between.iter().any(|word| matches!(&**word, "or" | "maybe" | "perhaps" | "possibly"))
        };
        if hedging {
            return Err(label::HEDGED);
        }
        let colon = self.text[..marked.outer.start].trim_end().ends_with(':');
        let shown =
            colon || before.is_empty() || is_answer || before.iter().any(|word| holds(STATEMENTS, word));
        if reading != Reading::Lenient && !shown {
            return Err(label::NO_ANSWER);
        }
        Ok(marked)
    }

    /// True if the words right before a place deny what follows: "not 7".
    fn denies(&self, at: usize) -> bool {
        if at <= self.part.start {
            return false;
        }
        let before = self.words(self.sentence(at).start..at);
        before.iter().rev().take(3).any(|word| {
            holds(
                "not never nor neither except cannot exclude unlikely hardly reject discard candidates",
                word,
            )
        })
    }

    /// True if the text after a place takes back or doubts what comes before it.
    fn takes_back(&self, end: usize) -> bool {
        if end >= self.part.end {
            return false;
        }
        let sentence = self.sentence(end.saturating_sub(1)).end.max(end);
        let now = self.words(end..sentence);
        let asks =
            now.iter().any(|word| word.contains('?')) || self.text[end..].trim_start().starts_with('?');
        if asks || now.iter().any(|word| holds(RETRACTIONS, word) || holds(REVERSALS, word)) {
            return true;
        }
        let next = self.starts.partition_point(|start| *start < sentence);
        self.starts[next.min(self.starts.len())..].iter().any(|start| {
            let words = self.words(*start..self.sentence(*start).end);
            let said = words.join(" ");
            if REMARKS.iter().any(|remark| said.starts_with(remark)) {
                return false;
            }
            let opens = words.first().is_some_and(|word| holds(REVERSALS, word) && word != "if");
            opens || words.iter().any(|word| holds(RETRACTIONS, word))
        })
    }
}
