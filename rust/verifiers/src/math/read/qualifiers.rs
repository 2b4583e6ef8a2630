//! Conditions on variables behind a value: `for all x \in \mathbb{R}`, `where n \ge 1`, `k \in \mathbb{Z}`.

use std::ops::Range;

use super::Reader;
use crate::math::Fault;
use crate::math::tokens::{Bracket, Relation, Token};
use crate::math::value::{Condition, Value};
use crate::words;

/// Words that start a qualification.
const STARTS: [&str; 5] = ["for", "where", "with", "∀", "forall"];

/// Words of a qualification that do not narrow it down.
const FILLERS: &str = "for all any every each some where with is are a an the arbitrary fixed given and number numbers \
    constant constants value values of parameter being denotes in set";

/// Kinds of numbers, as words.
const KINDS: &str = "real integer integers natural positive nonnegative non-negative nonzero non-zero rational complex \
    reals whole";

/// Remarks that say nothing about a value.
const REMARKS: [&str; 9] = [
    "only",
    "is the only solution",
    "the only solution",
    "only solution",
    "as the only solution",
    "check",
    "checked",
    "answer",
    "ans",
];

/// Words before a value that say nothing about it.
const OPENINGS: [&str; 7] =
    ["only", "the answer is", "answer", "ans", "the final answer is", "final answer", "the value is"];

/// A part of a qualification.
enum Part {
    Word(String),
    Token(usize),
}

/// Bounds, if any, and the place behind them.
type Bounds = (Option<Box<Value>>, usize);

impl Reader<'_, '_, '_, '_> {
    /// A value with what is said of its variables.
    pub(super) fn qualified(&mut self, from: usize, to: usize) -> Result<Value, Fault> {
        let (from, to) = self.without_remarks(from, to);
        for start in self.starts(from, to)? {
            let mut end = start;
            while end > from && matches!(self.token(end - 1), Token::Comma | Token::Semicolon) {
                end -= 1;
            }
            if end == from {
                continue;
            }
            let Some(conditions) = self.conditions(from, end, start, to)? else { continue };
            let value = self.value(from, end)?;
            return Ok(Value::Qualified(Box::new(value), conditions));
        }
        self.value(from, to)
    }

    /// The range without remarks at its ends: `x = 1 \text{ (only)}`.
    fn without_remarks(&self, mut from: usize, mut to: usize) -> (usize, usize) {
        let bare =
            |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().replace('~', " ");
        if from < to
            && let Token::Word(text, true) = self.token(from)
            && (OPENINGS.contains(&&*bare(text)) || is_opening(&bare(text)))
            && to > from + 1
        {
            from += 1;
        }
        let mut start = to;
        let mut said = String::new();
        while start > from + 1
            && let Token::Word(text, _) = self.token(start - 1)
            && said.len() < 40
        {
            said.insert_str(0, &format!("{} ", bare(text)));
            start -= 1;
        }
        if REMARKS.contains(&said.trim_end()) {
            return (from, start);
        }
        // `3 \quad (\text{check})`
        if to > from + 3
            && self.token(to - 1) == Token::Close(Bracket::Round)
            && self.token(to - 3) == Token::Open(Bracket::Round)
            && let Token::Word(text, true) = self.token(to - 2)
            && REMARKS.contains(&&*bare(text))
        {
            to -= 3;
        }
        (from, to)
    }

    /// The places at which a qualification may start.
    fn starts(&mut self, from: usize, to: usize) -> Result<Vec<usize>, Fault> {
        if !(from..to).any(|at| match self.token(at) {
            Token::Word(..) | Token::Member | Token::ForAll => true,
            Token::Comma => self.is_bound(at + 1, to),
            _ => false,
        }) {
            return Ok(Vec::new());
        }
        let places = self.places(from, to, |token| {
            matches!(
                token,
                Token::Word(..)
                    | Token::ForAll
                    | Token::Comma
                    | Token::Semicolon
                    | Token::Open(Bracket::Round)
            )
        })?;
        let mut starts = Vec::new();
        let mut related = false;
        let mut looked = from;
        for at in places {
            related |= self.is_related(looked, at);
            looked = at;
            let begins = match self.token(at) {
                Token::Word(text, _) => {
                    let first = text.trim_start_matches(|c: char| !c.is_alphanumeric());
                    let first = first.split([' ', '~']).next().unwrap_or_default();
                    STARTS.contains(&&*first.to_lowercase())
                }
                Token::ForAll => true,
                // `, k \in \mathbb{Z}` and `, n \ge 1`
                Token::Comma | Token::Semicolon => {
                    self.is_membership(at + 1, to) || (!related && self.is_bound(at + 1, to))
                }
                // `(k \in \mathbb{Z})`
                Token::Open(_) => {
                    self.partner[at] == to - 1
                        && at > from
                        && (self.is_membership(at + 1, to - 1) || self.token(at + 1) == Token::ForAll)
                }
                _ => false,
            };
            if begins && starts.len() < 3 {
                starts.push(at + usize::from(matches!(self.token(at), Token::Comma | Token::Semicolon)));
            }
        }
        Ok(starts)
    }

    /// True for a value that is itself a condition: `x \ge 0`.
    fn is_related(&self, from: usize, to: usize) -> bool {
        (from..to).any(|at| match self.token(at) {
            Token::Relation(relation) => !matches!(relation, Relation::Equal | Relation::About),
            token => token == Token::Member,
        })
    }

    /// True before `n \ge 1`.
    fn is_bound(&self, from: usize, to: usize) -> bool {
        from + 2 < to
            && matches!(self.token(from), Token::Letter(_))
            && matches!(
                self.token(from + 1),
                Token::Relation(Relation::Less | Relation::AtMost | Relation::Greater | Relation::AtLeast)
            )
    }

    /// True before `k \in` and `k, m \in`.
    fn is_membership(&self, from: usize, to: usize) -> bool {
        let mut at = from;
        while at + 1 < to && matches!(self.token(at), Token::Letter(_)) {
            match self.token(at + 1) {
                Token::Member => return true,
                Token::Comma => at += 2,
                _ => return false,
            }
        }
        false
    }

    /// Conditions, in the tokens from `start` on, on variables of the value from `from` to `end`; nothing if the
    /// tokens say anything else.
    fn conditions(
        &mut self,
        from: usize,
        end: usize,
        start: usize,
        to: usize,
    ) -> Result<Option<Vec<Condition>>, Fault> {
        self.budget.spend(40 * (to - from) as u64)?;
        let (start, to) = match self.token(start) {
            Token::Open(_) => (start + 1, to - 1),
            _ => (start, to),
        };
        let Some(parts) = self.parts(start, to) else { return Ok(None) };
        let value = from..end;
        let mut conditions: Vec<Condition> = Vec::new();
        // The kind of numbers that words name: "positive integer".
        let mut kind = String::new();
        let mut at = 0;
        while at < parts.len() {
            match &parts[at] {
                Part::Word(word) if FILLERS.split(' ').any(|filler| filler == word) => at += 1,
                Part::Word(word) if KINDS.split(' ').any(|known| known == word) => {
                    kind.push_str(word);
                    kind.push(' ');
                    at += 1;
                }
                Part::Word(_) => return Ok(None),
                Part::Token(token) => match self.token(*token) {
                    Token::Comma | Token::And | Token::ForAll => at += 1,
                    Token::Letter(variable) => {
                        let place = *token;
                        let next = match parts.get(at + 1) {
                            Some(Part::Token(next)) => Some(*next),
                            _ => None,
                        };
                        let mut condition =
                            Condition { variable: variable.to_owned(), domain: None, bounds: None };
                        let after = match next.map(|next| (next, self.token(next))) {
                            Some((next, Token::Member)) => {
                                let Some((set, after)) = self.membership(next + 1, to) else {
                                    return Ok(None);
                                };
                                // `k, m \in \mathbb{Z}`
                                for other in
                                    conditions.iter_mut().rev().take_while(|other| other.domain.is_none())
                                {
                                    other.domain = Some(set.clone());
                                }
                                condition.domain = Some(set);
                                after
                            }
                            Some((_, Token::Relation(relation))) if relation != Relation::Congruent => {
                                let Some((bounds, after)) = self.bounds(place, relation, to)? else {
                                    return Ok(None);
                                };
                                if bounds.is_some() && !self.occurs(variable, value.clone()) {
                                    return Ok(None);
                                }
                                condition.bounds = bounds;
                                after
                            }
                            _ => place + 1,
                        };
                        let reached = |part: &Part| matches!(part, Part::Token(token) if *token >= after);
                        at = parts.iter().position(reached).unwrap_or(parts.len());
                        conditions.push(condition);
                    }
                    _ => return Ok(None),
                },
            }
        }
        if let Some(domain) = domain_of(kind.trim_end()) {
            for condition in conditions.iter_mut().filter(|condition| condition.domain.is_none()) {
                condition.domain = Some(domain.to_owned());
            }
        }
        // `9 \text{ for } n > 3` is one case of several.
        let about = conditions.iter().any(|condition| self.occurs(&condition.variable, value.clone()));
        Ok((about || conditions.iter().all(|condition| condition.bounds.is_none()))
            .then_some(conditions)
            .filter(|conditions| !conditions.is_empty()))
    }

    /// Bounds of the variable here, and the place behind them; nothing if it gets a value.
    fn bounds(&mut self, place: usize, relation: Relation, to: usize) -> Result<Option<Bounds>, Fault> {
        if relation == Relation::Equal {
            // `k = 0, 1, 2, \ldots`; `k = 3` says what the variable is.
            let listed = (place..to).any(|at| self.token(at) == Token::Dots);
            let numbers = (place + 2..to).all(|at| {
                matches!(
                    self.token(at),
                    Token::Number(_)
                        | Token::Comma
                        | Token::Dots
                        | Token::Minus
                        | Token::PlusMinus(_)
                        | Token::Letter(_)
                )
            });
            return Ok((listed && numbers).then_some((None, to)));
        }
        let stop =
            self.places(place, to, |token| matches!(token, Token::Comma | Token::And | Token::Word(..)))?;
        let stop = stop.first().copied().unwrap_or(to);
        Ok(match self.value(place, stop) {
            Ok(bounds @ Value::Chain(..)) => Some((Some(Box::new(bounds)), stop)),
            _ => None,
        })
    }

    fn occurs(&self, variable: &str, mut range: Range<usize>) -> bool {
        range.any(|at| matches!(self.token(at), Token::Letter(letter) if letter == variable))
    }

    /// The words and tokens of a range; nothing if a word denies something.
    fn parts(&self, from: usize, to: usize) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        for at in from..to {
            match self.token(at) {
                Token::Word(text, _) => {
                    for word in text.split(|c: char| !c.is_alphanumeric() && c != '-') {
                        let word = word.to_lowercase();
                        if words::denies(&word) {
                            return None;
                        }
                        if !word.is_empty() {
                            parts.push(Part::Word(word));
                        }
                    }
                }
                Token::Close(Bracket::Round) if at + 1 == to => {}
                _ => parts.push(Part::Token(at)),
            }
        }
        Some(parts)
    }

    /// The set of numbers here, `\mathbb{Z}^+` or `\mathbb{Z}_{>0}`, and the place behind it.
    fn membership(&self, at: usize, to: usize) -> Option<(String, usize)> {
        let set = match (at < to).then(|| self.token(at))? {
            Token::NumberSet(set) => set.to_string(),
            Token::Letter(letter @ ("Z" | "N" | "R" | "Q" | "C")) => letter.to_owned(),
            _ => return None,
        };
        let from = at + 1;
        if from + 1 >= to || !matches!(self.token(from), Token::Caret | Token::Under) {
            return Some((set, from));
        }
        let end = (self.partner[from + 1].max(from + 1) + 1).min(to);
        let mark: String = (from + 1..end)
            .map(|at| &self.text[self.tokens[at].at..self.tokens[at].end])
            .filter(|text| !matches!(*text, "{" | "}"))
            .collect();
        let positive = matches!(&*mark, "+" | ">0" | "\\ge1" | "\\geq1");
        let natural = set == "N" && matches!(&*mark, "*" | "\\ast");
        let named =
            if natural || (positive && matches!(&*set, "N" | "Z")) { "N".to_owned() } else { set + &mark };
        Some((named, end))
    }
}

/// True for words such as "the sum is".
fn is_opening(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    let doubts =
        ["wrong", "incorrect", "possible", "negative", "opposite", "reciprocal", "inverse", "square", "not"];
    matches!(words[..], ["the", .., "is" | "are" | "equals"])
        && (3..=7).contains(&words.len())
        && !words.iter().any(|word| words::denies(word) || doubts.contains(word))
}

/// The set that words name.
fn domain_of(kind: &str) -> Option<&str> {
    Some(match kind {
        "" => return None,
        "real" | "reals" => "R",
        "integer" | "integers" => "Z",
        "positive integer" | "positive integers" | "natural" | "positive whole" | "positive" => "N",
        "rational" => "Q",
        "complex" => "C",
        other => other,
    })
}
