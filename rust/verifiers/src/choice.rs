//! One of several choices, by its letter or by its text.

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
        let words = text.split(|c: char| !c.is_alphanumeric());
        let capital = |word: &str| word.bytes().all(|byte| byte.is_ascii_uppercase());
        let named = words.filter(|word| capital(word)).filter_map(|word| self.letter(word));
        // `(b)` and `c)` are letters of choices in any case.
        let bracketed =
            text.split_whitespace().filter_map(|word| word.trim_start_matches('(').split_once(')'));
        let mut letters = named.chain(bracketed.filter_map(|(word, _)| self.letter(word)));
        let one = first.or_else(|| letters.next());
        if letters.any(|letter| Some(letter) != one) { Named::Several } else { Named::Unreadable }
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

/// True if a text only says that the letter before it is wrong: `B. not`, `B. is wrong`.
fn takes_back(text: &str) -> bool {
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
    const FILLERS: [&str; 18] = [
        "is", "was", "it", "it's", "this", "that", "that's", "the", "a", "an", "answer", "choice", "option",
        "one", "right", "correct", "quite", "no",
    ];
    let text = normal(text).replace('’', "'");
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty());
    let denied = words.clone().any(|word| DENIALS.contains(&word));
    denied && words.all(|word| DENIALS.contains(&word) || FILLERS.contains(&word))
}

/// The text in lower case with single spaces, without outer marks and its full stop.
fn normal(text: &str) -> String {
    let text = text.trim();
    let text = text.strip_suffix('.').unwrap_or(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// The text without the marks of bold text, code or mathematics.
fn undressed(text: &str) -> &str {
    const MARKS: [char; 11] = ['*', '_', '`', '$', ' ', '"', '\'', '“', '”', '‘', '’'];
    let mut text = text.trim_matches(MARKS);
    for command in ["\\text{", "\\textbf{", "\\mathrm{", "\\mathbf{"] {
        let inner = text.strip_prefix(command).and_then(|inner| inner.strip_suffix('}'));
        text = inner.unwrap_or(text).trim_matches(MARKS);
    }
    text
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
mod tests {
    use serde_json::json;

    use super::super::Verifier;
    use super::super::tests::{assert_judges, assert_refuses, untagged};

    fn cities() -> Verifier {
        untagged("choice", &json!({"choices": ["London", "Paris", "New York"]}))
    }

    #[test]
    fn a_letter_names_a_choice() {
        let letters = untagged("choice", &json!({"num_choices": 4}));
        assert_judges(
            &letters,
            &[
                ("A", "B"),
                ("E", "B"),
                ("", "B"),
                ("(B", "B"),
                ("A or B", "B"),
                ("B or C", "B"),
                ("B, C", "B"),
                ("B. C", "B"),
                ("(A) (B)", "B"),
                ("BC", "B"),
                ("Because", "B"),
                ("not B", "B"),
                ("A cat", "A"),
                ("2", "B"),
                ("В", "B"),
                ("ABCD", "A"),
                ("option B or option C", "B"),
                ("**B** C", "B"),
                ("b) or c)", "B"),
                ("(b) (c)", "B"),
                ("B - Paris", "B"),
                ("B. not", "B"),
                ("B. Not!", "B"),
                ("B) is wrong", "B"),
                ("(B) isn’t right", "B"),
                ("B: not the correct answer", "B"),
                ("B. no, wrong", "B"),
                ("B. Wait", "B"),
                ("B. Oops, sorry", "B"),
            ],
            &[
                ("B. Not enough information", "B"),
                ("B. No", "B"),
                ("B. None of the above", "B"),
                ("B. False", "B"),
                ("B. It is not possible", "B"),
                ("B", "B"),
                ("b", "B"),
                ("(B)", "B"),
                ("B.", "b"),
                ("B)", "(B)"),
                ("**B**", "B"),
                ("**B.**", "B"),
                ("option B", "B"),
                ("Option: (B)", "B"),
                ("[B]", "B"),
                (r"\text{B}", "B"),
                (r"$\textbf{(B)}$", "B"),
                ("B. Paris", "B"),
                ("**B)** Paris", "B"),
                ("B: it is", "B"),
            ],
        );
        for text in ["A or B", "B. C", "(A) (B)", "A, B, C, D"] {
            assert_eq!(letters.judge(text, "B").unwrap().failures, ["hedged"], "{text}");
        }
        assert_refuses(&letters, &["", "E", "2", "A or B", "Paris"]);
    }

    #[test]
    fn a_text_names_a_choice() {
        assert_judges(
            &cities(),
            &[
                ("London", "B"),
                ("B. London", "B"),
                ("A. Paris", "B"),
                ("Paris or London", "B"),
                ("Paris, France", "B"),
                ("B. Paris or C", "B"),
                ("BParis", "B"),
                ("B. Rome", "B"),
                ("B - London", "B"),
                ("B - ", "B"),
                ("B, Paris or Rome", "B"),
                ("D", "B"),
                ("", "B"),
            ],
            &[
                ("Paris", "B"),
                ("paris.", "Paris"),
                ("**Paris**", "B"),
                ("B", "Paris"),
                ("B. Paris", "B"),
                ("(B) Paris.", "B"),
                ("new  york", "C"),
                ("C: New York", "New York"),
                ("B - Paris", "B"),
                ("B, “Paris”", "B"),
                ("**B.** **Paris**", "B"),
                ("\"Paris\"", "B"),
            ],
        );
        assert_eq!(cities().judge("A. Paris", "B").unwrap().failures, ["hedged"]);
        assert_refuses(&cities(), &["", "D", "Rome", "A or B"]);
    }

    #[test]
    fn a_row_may_bring_its_own_choices() {
        let judge = untagged("choice", &json!({}));
        let row =
            |answer: serde_json::Value| json!({"answer": answer, "choices": ["4", "Paris", "Paris", "A"]});
        for (answer, right, wrong) in [
            (json!(0), vec!["A", "4", "A. 4", "(a)"], vec!["B", "Paris", "0", "E"]),
            (json!(2), vec!["C", "C. Paris", "C - Paris"], vec!["B", "B. Paris", "Paris", "2"]),
            (json!("C"), vec!["(C)"], vec!["A"]),
            (json!("3"), vec!["D", "D. A"], vec!["A", "3"]),
            (json!("4"), vec!["A"], vec!["D"]),
        ] {
            let reference = row(answer).to_string();
            for text in right {
                assert!(judge.judge(text, &reference).unwrap().passed, "{text} {reference}");
            }
            for text in wrong {
                assert!(!judge.judge(text, &reference).unwrap().passed, "{text} {reference}");
            }
        }
        assert_refuses(
            &judge,
            &[
                &row(json!(4)).to_string(),
                &row(json!(-1)).to_string(),
                &row(json!("E")).to_string(),
                &row(json!("Paris")).to_string(),
                r#"{"answer": 0, "choices": ["x"]}"#,
                r#"{"answer": 0}"#,
            ],
        );
    }

    #[test]
    fn choices_must_be_told_apart() {
        for (options, message) in [
            (json!({"num_choices": 1}), "`num_choices` is 1, but must be between 2 and 26"),
            (json!({"choices": ["x"]}), "`choices` has 1 texts, but must have between 2 and 26"),
            (json!({"choices": ["x", " X."]}), "`choices[1]` is ` X.`, as another is"),
            (json!({"choices": ["x", ""]}), "`choices[1]` is ``, but must be text"),
            (json!({"choices": ["B", "x"]}), "`choices[0]` is `B`, the letter of another choice"),
        ] {
            let error = Verifier::new("choice", options.as_object().unwrap()).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
        untagged("choice", &json!({"choices": ["A", "B"]}));
    }
}
