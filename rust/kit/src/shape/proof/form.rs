//! The form of a proof: one tactic per line, or values where the goal does not follow.

use super::{Answer, MOST_LINES};
use crate::error::quoted;
use crate::shared::proof::{DECLARED, LONGEST_LINE};
use crate::task::form::{Form, between_commas, decorated};
use crate::task::verdict::Failure;
use crate::words::Joined as _;

/// Lines of a proof; if there are letters, values of all of them instead.
pub struct Lines {
    pub letters: Vec<String>,
}

impl Lines {
    fn values(&self, text: &str) -> Result<u64, Failure> {
        let mut values = vec![None; self.letters.len()];
        for item in between_commas(text) {
            let malformed = |why| Failure::malformed(format!("`{}` {why}", quoted(item)));
            let (name, value) = item.split_once('=').ok_or_else(|| malformed("is not like p = true"))?;
            let at = self.letters.iter().position(|letter| letter == name.trim_matches(' '));
            let place = at.map(|at| &mut values[at]).ok_or_else(|| malformed("is not about a letter"))?;
            let value = match value.trim_matches(' ') {
                "true" => true,
                "false" => false,
                _ => return Err(malformed("is not like p = true")),
            };
            if place.replace(value).is_some() {
                return Err(malformed("is about a letter that has a value"));
            }
        }
        (DECLARED..).zip(values.iter().zip(&self.letters)).try_fold(0, |trues, (at, (value, letter))| {
            match value {
                Some(value) => Ok(trues | u64::from(*value) << at),
                None => Err(Failure::malformed(format!("{letter} has no value"))),
            }
        })
    }
}

impl Form for Lines {
    type Read = Answer;

    fn asks(&self) -> String {
        if self.letters.is_empty() {
            return "Give the whole proof, with one tactic per line and nothing else,".to_owned();
        }
        let values = self.letters.iter().map(|letter| format!("{letter} = false")).listed();
        format!(
            "Give the whole proof, with one tactic per line and nothing else, or, if the goal does not follow, a value for \
             every letter, true or false, in the form {values},"
        )
    }

    fn read(&self, text: &str) -> Result<Answer, Failure> {
        if !self.letters.is_empty() && text.contains('=') {
            return self.values(text).map(Answer::Values);
        }
        let lines = text.lines().map(|line| line.trim_matches([' ', '\t', '\r']));
        let lines: Vec<String> = lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
        match lines.len() {
            0 => Err(Failure::malformed("there is no line")),
            1..=MOST_LINES if lines.iter().all(|line| line.len() <= LONGEST_LINE) => Ok(Answer::Proof(lines)),
            _ => Err(Failure::malformed(format!(
                "a proof may have at most {MOST_LINES} lines, and a line at most {LONGEST_LINE} bytes"
            ))),
        }
    }

    fn write(&self, answer: &Answer) -> String {
        match answer {
            Answer::Proof(lines) => lines.iter().lines(),
            Answer::Values(trues) => {
                let value = |(at, letter)| format!("{letter} = {}", trues >> at & 1 == 1);
                (DECLARED..).zip(&self.letters).map(value).listed()
            }
        }
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let each = |mark: &str| right.lines().map(|line| format!("{mark}{line}")).lines();
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            "Q.E.D.".to_owned(),
            "sorry".to_owned(),
            "by simp".to_owned(),
            format!("{right}."),
            format!("Proof:\n{right}"),
            format!("{right}\nQ.E.D."),
            format!("{right}\n{right}"),
            format!("{right}\nsorry"),
            format!("sorry\n{right}"),
            format!("{right} or {right}"),
            each("- "),
            each("1. "),
            each("by "),
            right.replace('\n', "; "),
            right.replace('\n', ", "),
            right.replace('\n', " "),
            right.replace(" = ", ": "),
            right.replace(" = ", " is "),
            right.to_uppercase(),
        ]);
        mangled.retain(|text| text != right);
        mangled
    }
}
