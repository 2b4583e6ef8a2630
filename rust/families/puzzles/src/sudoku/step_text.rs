//! Steps in words, and back.

use crate::sudoku::deduction::{Claim, Reason, Step};
use crate::sudoku::shape::{Shape, bit, values};
use kit::error::quoted;
use kit::shared::grid::{Place, counting};
use kit::words;

const NO_OTHER: &str = "no other number fits";
const CONTRADICTION: &str = "leads to a contradiction";

/// `3`, `3 or 5`, `3, 5 or 8`.
pub fn list(set: u16, last: &str) -> String {
    words::ending(values(set), last)
}

impl Shape {
    /// A step in the words that [`Shape::read_step`] reads.
    pub fn say(&self, step: &Step) -> String {
        let cells =
            |cells: &[usize], last| words::ending(cells.iter().map(|cell| self.cell_name(*cell)), last);
        let claim = match &step.claim {
            Claim::Is { cell, value } => format!("{} = {value}", self.cell_name(*cell)),
            Claim::Not { cells: all, values } => {
                format!("{} not {}", cells(all, "and"), list(*values, "or"))
            }
        };
        let reason = match step.reason {
            None => return claim,
            Some(Reason::OnlyValue) => NO_OTHER.to_owned(),
            Some(Reason::OnlyPlace { value, unit }) => {
                format!("the only place for {value} in {}", self.unit_name(unit))
            }
            Some(Reason::Tried { values }) => {
                format!("trying {} {CONTRADICTION}", list(values, "or"))
            }
            Some(Reason::Locked { value, from, into }) => {
                let (from, into) = (self.unit_name(from), self.unit_name(into));
                format!("all places for {value} in {from} are in {into}")
            }
            Some(Reason::NakedPair { cells: pair, values }) => {
                format!("{} take {}", cells(&pair, "and"), list(values, "and"))
            }
            Some(Reason::HiddenPair { cells: pair, values, unit }) => {
                let (unit, values) = (self.unit_name(unit), list(values, "and"));
                format!("only {} in {unit} can take {values}", cells(&pair, "and"))
            }
        };
        format!("{claim}: {reason}")
    }

    /// A hint that leads to a step: its cells without the numbers, or its unit without either.
    pub fn hint(&self, step: &Step) -> String {
        let both = |cells: [usize; 2]| words::and(cells.map(|cell| self.cell_name(cell)));
        match (&step.claim, step.reason) {
            (Claim::Is { cell, .. }, None | Some(Reason::OnlyValue)) => {
                let cell = self.cell_name(*cell);
                format!("Look at {cell}: its row, its column and its box exclude all numbers but one.")
            }
            (_, Some(Reason::OnlyPlace { unit, .. })) => {
                format!("Look at {}: one of its numbers has only one place left.", self.unit_name(unit))
            }
            (_, Some(Reason::Locked { from, into, .. })) => {
                let (from, into) = (self.unit_name(from), self.unit_name(into));
                format!("Look at {from}: all places for one of its numbers are in {into}.")
            }
            (_, Some(Reason::NakedPair { cells, .. })) => {
                format!("Look at {}: the same two numbers are left for both.", both(cells))
            }
            (_, Some(Reason::HiddenPair { cells, unit, .. })) => {
                format!("Look at {}: in {} two numbers fit nowhere else.", both(cells), self.unit_name(unit))
            }
            (Claim::Is { cell, .. }, _) => {
                format!("Look at {}: some of its numbers lead to a contradiction.", self.cell_name(*cell))
            }
            (Claim::Not { cells, .. }, _) => {
                let cells = words::and(cells.iter().map(|cell| self.cell_name(*cell)));
                format!("Look at {cells}: some of the numbers there lead to a contradiction.")
            }
        }
    }

    /// Reads a step; a reason in free words is dropped.
    pub fn read_step(&self, text: &str) -> Result<Step, String> {
        const LONGEST: usize = 500;
        let refuse = || format!("`{}` is not a step like `r1c2 = 3` or `r1c2 not 3`", quoted(text));
        if text.len() > LONGEST {
            return Err(refuse());
        }
        let text = text.to_ascii_lowercase().replace('=', " = ").replace(',', " , ");
        let (claim, reason) = text.split_once(':').unwrap_or((&text, ""));
        let claim: Vec<&str> = claim.split_whitespace().collect();
        let claim = self.read_claim(&claim).ok_or_else(refuse)?;
        let reason: Vec<&str> = reason.trim_end_matches(['.', ' ']).split_whitespace().collect();
        let reason = self.read_reason(&reason);
        Ok(Step { claim, reason })
    }

    fn read_claim(&self, words: &[&str]) -> Option<Claim> {
        if let [cell, "=", value] = words {
            return Some(Claim::Is { cell: self.read_cell(cell)?, value: self.read_value(value)? });
        }
        let not = words.iter().position(|word| *word == "not")?;
        let cells = read_list(&words[..not], "and", |word| self.read_cell(word))?;
        let values = self.read_values(&words[not + 1..], "or")?;
        Some(Claim::Not { cells, values })
    }

    fn read_reason(&self, words: &[&str]) -> Option<Reason> {
        match words {
            ["the", "only", "place", "for", value, "in", kind, number] => Some(Reason::OnlyPlace {
                value: self.read_value(value)?,
                unit: self.read_unit(kind, number)?,
            }),
            ["trying", values @ .., "leads", "to", "a", "contradiction"] => {
                Some(Reason::Tried { values: self.read_values(values, "or")? })
            }
            ["all", "places", "for", value, "in", kind, number, "are", "in", other, at] => {
                Some(Reason::Locked {
                    value: self.read_value(value)?,
                    from: self.read_unit(kind, number)?,
                    into: self.read_unit(other, at)?,
                })
            }
            [a, "and", b, "take", values @ ..] => Some(Reason::NakedPair {
                cells: [self.read_cell(a)?, self.read_cell(b)?],
                values: self.read_pair(values)?,
            }),
            ["only", a, "and", b, "in", kind, number, "can", "take", values @ ..] => {
                Some(Reason::HiddenPair {
                    cells: [self.read_cell(a)?, self.read_cell(b)?],
                    values: self.read_pair(values)?,
                    unit: self.read_unit(kind, number)?,
                })
            }
            _ => (words.join(" ") == NO_OTHER).then_some(Reason::OnlyValue),
        }
    }

    fn read_cell(&self, word: &str) -> Option<usize> {
        let place = Place::read(word, self.size, self.size)?;
        Some(place.row * self.size + place.column)
    }

    fn read_value(&self, word: &str) -> Option<u8> {
        counting(word, self.size).map(|value| value as u8)
    }

    fn read_unit(&self, kind: &str, number: &str) -> Option<usize> {
        let kind = ["row", "column", "box"].iter().position(|known| *known == kind)?;
        Some(kind * self.size + usize::from(self.read_value(number)?) - 1)
    }

    fn read_values(&self, words: &[&str], last: &str) -> Option<u16> {
        let all = read_list(words, last, |word| self.read_value(word))?;
        Some(all.into_iter().fold(0, |set, value| set | bit(value)))
    }

    fn read_pair(&self, words: &[&str]) -> Option<u16> {
        self.read_values(words, "and").filter(|set| set.count_ones() == 2)
    }
}

/// Items with `,` or `last` between them.
fn read_list<T>(words: &[&str], last: &str, read: impl Fn(&str) -> Option<T>) -> Option<Vec<T>> {
    let items = words.split(|word| *word == "," || *word == last);
    items
        .map(|item| match item {
            [word] => read(word),
            _ => None,
        })
        .collect()
}
