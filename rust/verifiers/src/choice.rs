//! One of several choices, by its letter or by its text.

use std::borrow::Cow;

use super::{About, Example, Metric};
use kit::budget::Budget;
use kit::error::quoted;
use kit::task::answer::Reading;
use kit::task::verdict::{Failure, Graded, Pass, label};
use serde::Deserialize;

kit::params! {
    pub struct Choice {
        /// Texts of the choices, starting with A. Without them only letters are read.
        choices: Vec<String>,
        /// Number of choices if their texts are not given.
        num_choices: u32,
    }
    default (Vec::new(), 26)
    check Self::consistent;
}

impl Choice {
    fn consistent(&self) -> Result<(), String> {
        if !(2..=26).contains(&self.num_choices) {
            let given = self.num_choices;
            return Err(format!("`num_choices` is {given}, but must be between 2 and 26"));
        }
        if self.choices.len() > 26 || self.choices.len() == 1 {
            let given = self.choices.len();
            return Err(format!("`choices` has {given} texts, but must have between 2 and 26, or none"));
        }
        let texts: Vec<_> = self.choices.iter().map(|text| normal(text)).collect();
        for (at, text) in texts.iter().enumerate() {
            let shown = quoted(&self.choices[at]);
            if text.is_empty() {
                return Err(format!("`choices[{at}]` is `{shown}`, but must be text"));
            }
            if texts[..at].contains(text) {
                return Err(format!("`choices[{at}]` is `{shown}`, as another is; they must differ"));
            }
            if self.letter(text).is_some_and(|letter| letter != at) {
                return Err(format!("`choices[{at}]` is `{shown}`, the letter of another choice"));
            }
        }
        Ok(())
    }
}

/// Choice that an answer names: one, several, or nothing readable.
#[derive(Debug, PartialEq)]
enum Named {
    One(usize),
    Several,
    Unreadable,
}

impl Choice {
    fn count(&self) -> usize {
        if self.choices.is_empty() { self.num_choices as usize } else { self.choices.len() }
    }

    /// The choice that a single letter names.
    fn letter(&self, text: &str) -> Option<usize> {
        match text.as_bytes() {
            [letter] if letter.is_ascii_alphabetic() => {
                let at = usize::from(letter.to_ascii_uppercase() - b'A');
                (at < self.count()).then_some(at)
            }
            _ => None,
        }
    }

    /// The only choice with this text. A letter as a text names no other choice than its own.
    fn text(&self, text: &str) -> Option<usize> {
        let text = normal(text);
        let mut same = (0..self.choices.len()).filter(|at| self.has_text(*at, &text));
        let at = same.next().filter(|_| !text.is_empty() && same.next().is_none())?;
        self.letter(&text).is_none_or(|letter| letter == at).then_some(at)
    }

    /// Compares the text of a choice with a normal text.
    fn has_text(&self, at: usize, text: &str) -> bool {
        self.choices.get(at).is_some_and(|choice| normal(choice) == text)
    }

    fn named(&self, answer: &str) -> Named {
        let latex = without_latex(answer);
        let answer = &*latex;
        if let Some(at) = self.text(answer) {
            return Named::One(at);
        }
        let bare = undressed(answer);
        if let Some(at) = self.text(bare) {
            return Named::One(at);
        }
        let bare = after_word(bare);
        let bracketed = bare.strip_prefix(['(', '[']);
        let inner = bracketed.unwrap_or(bare);
        let Some(at) = inner.get(..1).and_then(|letter| self.letter(letter)) else {
            return self.several(bare, None);
        };
        let rest = &inner[1..];
        let after = rest.trim_start_matches(['*', '_', '}']);
        let closed = after.strip_prefix([')', ']', '.', ':']);
        if bracketed.is_some() && !after.starts_with([')', ']']) {
            return self.several(bare, None);
        }
        // `B - Paris`, if the text is known.
        let dashed = after.trim_start().strip_prefix(['-', '–', '—', '=', ',']);
        let known = |told: &str| {
            let told = undressed(told);
            self.has_text(at, &normal(told)) || self.text(told).is_some()
        };
        let dashed = dashed.filter(|told| known(told));
        let told = closed.or(dashed).unwrap_or(after);
        let told = undressed(told.trim_start_matches(['.', ':', '*', '_', ')', ']']));
        if told.is_empty() {
            return Named::One(at);
        }
        // The letter's own text may follow it. Without known texts, any text may follow that names no other
        // letter.
        let apart = closed.or(dashed).is_some() || rest.starts_with(char::is_whitespace);
        match self.text(told) {
            _ if apart && self.has_text(at, &normal(told)) => Named::One(at),
            Some(other) if other != at => Named::Several,
            _ if self.choices.is_empty() && closed.is_some() && !takes_back(told) => {
                // `(D) B, D and F are turning`: letters without brackets are part of the choice's text.
                if bracketed.is_some() && is_statement(told) {
                    return Named::One(at);
                }
                match self.several(told, Some(at)) {
                    Named::Unreadable => Named::One(at),
                    several => several,
                }
            }
            _ => self.several(bare, None),
        }
    }

    /// Checks whether a text that does not name a single choice names several letters, or one besides
    /// `first`.
    fn several(&self, text: &str, first: Option<usize>) -> Named {
        let mut letters = self.letters(text);
        let one = first.or_else(|| letters.next());
        if letters.any(|letter| Some(letter) != one) { Named::Several } else { Named::Unreadable }
    }

    /// The letters that a text names: capitals, and letters in any case before a bracket: `(b)`, `c)`.
    fn letters(&self, text: &str) -> impl Iterator<Item = usize> {
        let capital = |word: &str| word.bytes().all(|byte| byte.is_ascii_uppercase());
        let words = text.split(|c: char| !c.is_alphanumeric());
        let named = words.filter(move |word| capital(word) && !is_english(text, word));
        let bracketed =
            text.split_whitespace().filter_map(|word| word.trim_start_matches('(').split_once(')'));
        named.chain(bracketed.map(|(word, _)| word)).filter_map(|word| self.letter(word))
    }

    /// The letter at the start of an answer that continues with a reason, a remark or the choice's text, and names
    /// no other choice.
    fn leading<'a>(&self, answer: &'a str) -> Option<&'a str> {
        let bare = after_word(undressed(answer));
        let inner = bare.trim_start_matches(['(', '[', '*', '_']);
        let at = self.letter(inner.get(..1)?)?;
        let after = inner[1..].trim_start_matches(['*', '_', '}', ')', ']']);
        if after.starts_with(|c: char| c.is_alphanumeric() || "'’".contains(c)) {
            return None;
        }
        let head = &bare[..bare.len() - after.len()];
        let marked = after.trim_start().trim_start_matches(['.', ':', ',', ';', '*', '_']).trim_start();
        let words = || {
            let words = marked.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’');
            words.filter(|word| !word.is_empty()).map(|word| word.to_lowercase().replace('’', "'"))
        };
        let first = words().next()?;
        let taken_back = words().any(|word| TAKEN_BACK.contains(&&*word));
        let lower = marked.to_lowercase();
        let own = self.choices.get(at).map(|text| normal(text));
        let gives_reason = ["because", "since"].contains(&&*first) || lower.starts_with("due to ");
        let reads = if gives_reason {
            true
        } else if let Some(own) = own {
            let text = lower.trim_start_matches(['(', '[', '-', '–', '—', '"', '“', '*', ' ']);
            let follows =
                text.strip_prefix(&*own).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
            follows && !self.mentions_other(&lower, at)
        } else {
            let marks = after.trim_start();
            let remark = marks.starts_with(['(', '-', '–', '—', ',', ';']) || after.starts_with(['.', ':']);
            let denied = words()
                .any(|word| DENIALS.contains(&&*word) || CONNECTIVES.contains(&&*word) && word == first);
            remark && !denied && !self.letters(marked).any(|letter| letter != at)
        };
        (reads && !taken_back).then_some(head)
    }

    /// True if a text in lower case has the text of another choice in it.
    fn mentions_other(&self, lower: &str, at: usize) -> bool {
        let own = normal(&self.choices[at]);
        let rest = lower.replace(&own, " ");
        let others = self.choices.iter().enumerate().filter(|(other, _)| *other != at);
        others.map(|(_, text)| normal(text)).any(|text| rest.contains(&text))
    }

    fn name(&self, at: usize) -> String {
        let letter = char::from(b'A' + at as u8);
        self.choices.get(at).map_or_else(|| letter.to_string(), |text| format!("{letter} ({})", quoted(text)))
    }
}

/// The right choice, and the row's own choices if it brings them.
pub struct Key {
    at: usize,
    choices: Option<Choice>,
}

/// A reference that brings its choices, as MMLU's rows do. Equal texts are fine: their letters differ.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    answer: Answer,
    choices: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Place(usize),
    Name(String),
}

impl Key {
    fn of_row(row: serde_json::Value) -> Result<Self, String> {
        let Row { answer, choices } = serde_json::from_value(row).map_err(|_| {
            "must be a letter, or an object of `answer` (a letter, a text or a place counted from 0) and \
             `choices` (texts)"
        })?;
        let count = choices.len();
        if !(2..=26).contains(&count) {
            return Err(format!("must have between 2 and 26 `choices`, not {count}"));
        }
        let choices = Choice { choices, num_choices: 26 };
        let at = match &answer {
            Answer::Place(at) => Some(*at).filter(|at| *at < count),
            // The place of a choice may be text, too: `"2"`, unless that is what a choice says.
            Answer::Name(name) => match choices.named(name) {
                Named::One(at) => Some(at),
                _ => name.trim().parse().ok().filter(|at| *at < count),
            },
        };
        let must = || {
            let last = char::from(b'A' + count as u8 - 1);
            format!(
                "must have an `answer` from A to {last}, one of its `choices`, or a place from 0 to {}",
                count - 1
            )
        };
        Ok(Self { at: at.ok_or_else(must)?, choices: Some(choices) })
    }
}

/// Words that deny or doubt what comes before or after them.
const DENIALS: [&str; 13] = [
    "not",
    "isn't",
    "isnt",
    "wasn't",
    "wrong",
    "incorrect",
    "wait",
    "sorry",
    "oops",
    "actually",
    "nope",
    "mistaken",
    "rejected",
];

/// Words that take back what was said before them, wherever they stand.
const TAKEN_BACK: [&str; 8] =
    ["wait", "sorry", "oops", "actually", "nope", "mistaken", "rejected", "scratch"];

/// Words that join a letter to something else or say something about it, and do not start a choice's text.
const CONNECTIVES: [&str; 34] = [
    "or", "and", "but", "nor", "is", "are", "was", "were", "isn't", "too", "also", "though", "although",
    "however", "maybe", "perhaps", "possibly", "probably", "unless", "if", "because", "since", "so", "then",
    "either", "both", "would", "could", "might", "may", "seems", "looks", "can", "has",
];

/// True if a text only says that the letter before it is wrong: `B. not`, `B. is wrong`.
fn takes_back(text: &str) -> bool {
    const FILLERS: [&str; 18] = [
        "is", "was", "it", "it's", "this", "that", "that's", "the", "a", "an", "answer", "choice", "option",
        "one", "right", "correct", "quite", "no",
    ];
    let text = normal(text).replace('’', "'");
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let denied = words.clone().any(|word| DENIALS.contains(&word));
    denied && words.all(|word| DENIALS.contains(&word) || FILLERS.contains(&word))
}

/// True if a word, a part of the text, is the article A at the start of a sentence or the pronoun I.
fn is_english(text: &str, word: &str) -> bool {
    let at = word.as_ptr() as usize - text.as_ptr() as usize;
    let (before, after) = (text[..at].trim_end(), &text[at + word.len()..]);
    let next = after.strip_prefix(' ').unwrap_or_default();
    let next = &next[..next.find(|c: char| !c.is_alphabetic()).unwrap_or(next.len())];
    let noun = next.len() > 1 && next.starts_with(char::is_lowercase) && !CONNECTIVES.contains(&next);
    match word {
        "A" => noun && (before.is_empty() || before.ends_with(['.', ':', '"', '“'])),
        "I" => noun || after.starts_with(['\'', '’']),
        _ => false,
    }
}

/// True if a text says something of its own: it starts with no word that joins it to the letter before it.
fn is_statement(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let first = words.clone().next().unwrap_or_default();
    let joined = CONNECTIVES.contains(&first) || DENIALS.contains(&first) || first == "no";
    let says = words.clone().filter(|word| word.len() > 2 && !CONNECTIVES.contains(word)).count() > 0;
    let bracketed = text.contains([')', ']']);
    text.starts_with(char::is_alphanumeric)
        && !joined
        && says
        && !bracketed
        && !words.any(|word| DENIALS.contains(&word) || ["or", "correct", "right"].contains(&word))
}

/// The text without the commands of LaTeX, if it has any: `\textbf{(B)}\ 12` is `(B) 12`.
fn without_latex(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '\\' => {
                let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                match name {
                    "" => {
                        let mark = after.chars().next();
                        kept.extend(mark.map(|c| if ",;:! ".contains(c) { ' ' } else { c }));
                        rest = &after[mark.map_or(0, char::len_utf8)..];
                    }
                    "quad" | "qquad" | "space" => {
                        kept.push(' ');
                        rest = after;
                    }
                    "text" | "textbf" | "textit" | "textrm" | "mathrm" | "mathbf" | "mathsf" | "textsf"
                    | "rm" | "bf" | "boxed" | "left" | "right" | "displaystyle" | "bold" | "mathit"
                    | "operatorname" => {
                        rest = after.trim_start();
                    }
                    _ => {
                        kept.push('\\');
                        kept.push_str(name);
                        rest = after;
                    }
                }
            }
            '{' | '}' => {}
            '~' => kept.push(' '),
            _ => kept.push(c),
        }
    }
    kept.into()
}

/// The text in lower case with single spaces, without outer marks and its full stop.
fn normal(text: &str) -> String {
    let text = text.trim();
    let text = text.strip_suffix('.').unwrap_or(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The text without the marks of bold text, code or mathematics.
fn undressed(text: &str) -> &str {
    text.trim_matches(['*', '_', '`', '$', ' ', '"', '\'', '“', '”', '‘', '’'])
}

/// The text after "option", "choice" or "answer".
fn after_word(text: &str) -> &str {
    let word = ["option", "choice", "answer"].into_iter().find(|word| {
        let start = text.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    });
    let rest = word.map(|word| &text[word.len()..]).filter(|rest| rest.starts_with([' ', ':']));
    rest.map_or(text, |rest| rest.trim_start_matches([' ', ':', '*', '_']))
}

impl Metric for Choice {
    const ABOUT: About = About {
        name: "choice",
        summary: "The same choice, named by its letter, its text or both.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example { reference: "B", right: "(B)", wrong: "A" },
    };

    type Reference<'a> = Key;

    fn lenient<'a>(&self, answer: &'a str, reference: &Key) -> &'a str {
        reference.choices.as_ref().unwrap_or(self).leading(answer).unwrap_or(answer)
    }

    fn reference(&self, text: &str, budget: &mut Budget) -> Result<Key, String> {
        let last = char::from(b'A' + self.count() as u8 - 1);
        let must = || {
            let or = if self.choices.is_empty() { "" } else { " or the text of a choice" };
            format!("must be a letter from A to {last}{or}")
        };
        budget.spend(text.len() as u64).map_err(|_| must())?;
        if let Some(row) =
            text.trim_start().starts_with('{').then(|| serde_json::from_str(text).ok()).flatten()
        {
            return Key::of_row(row);
        }
        match self.named(text) {
            Named::One(at) => Ok(Key { at, choices: None }),
            _ => Err(must()),
        }
    }

    fn compare(&self, answer: &str, reference: &Key, budget: &mut Budget) -> Graded {
        let among = reference.choices.as_ref().unwrap_or(self);
        // Each choice of a row may be compared with the answer twice.
        let texts: usize = among.choices.iter().map(String::len).sum();
        budget.spend((answer.len() * (1 + among.choices.len()) + texts) as u64)?;
        Err(match among.named(answer) {
            Named::One(at) if at == reference.at => return Ok(Pass::new()),
            Named::One(at) => {
                Failure::wrong(format!("the choice is {}, not {}", among.name(at), among.name(reference.at)))
            }
            Named::Several => {
                Failure::new(label::HEDGED, format!("`{}` names several choices", quoted(answer)))
            }
            Named::Unreadable => Failure::malformed(format!("`{}` names no choice", quoted(answer))),
        })
    }
}

#[cfg(test)]
mod tests;
