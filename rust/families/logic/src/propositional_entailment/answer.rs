//! The form of the answer.

use super::resolution::{Clause, letter};
use super::{Answer, MOST_LINES, MOST_PREMISES};
use kit::error::quoted;
use kit::task::form::decorated;
use kit::task::prelude::*;

/// A derivation, or values that show that there is none.
pub struct ProofOrRefutation {
    pub letters: usize,
}

impl ProofOrRefutation {
    fn read_line(&self, line: &str) -> Result<(Clause, [usize; 2]), Failure> {
        let malformed = |why: String| Failure::malformed(format!("`{}`: {why}", quoted(line)));
        let (clause, from) = line
            .split_once(" from ")
            .ok_or_else(|| malformed("there is no `from` with two numbers".to_owned()))?;
        let clause = Clause::read(clause, self.letters).map_err(malformed)?;
        let number = |text: &str| {
            let text = text.trim_matches(' ');
            let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
            text.parse::<usize>().ok().filter(|number| plain && *number <= MOST_LINES + MOST_PREMISES)
        };
        let two = from.split_once(',').and_then(|(one, other)| Some([number(one)?, number(other)?]));
        Ok((clause, two.ok_or_else(|| malformed("there are no two line numbers after `from`".to_owned()))?))
    }

    fn names(&self) -> Vec<String> {
        (0..self.letters).map(|at| letter(at).to_string()).collect()
    }
}

impl Form for ProofOrRefutation {
    type Read = Answer;

    fn asks(&self) -> String {
        format!(
            "If the conclusion follows, give the new lines of a derivation in order, one per line of text, each as LINE from N, M, \
             where N and M are the numbers of the two lines that it comes from, such as: A or not B from 2, 5. If it does not \
             follow, give a value for every letter from A to {}, each as A: true or A: false, separated by commas, for which all \
             of the given lines are true and the conclusion is false. Write this",
            letter(self.letters - 1)
        )
    }

    fn read(&self, text: &str) -> Result<Answer, Failure> {
        if text.contains(':') {
            let names = self.names();
            let form = form::Assignment { noun: "letter", names: &names, values: &["true", "false"] };
            let values = form.read(text).map_err(|failure| Failure::malformed(failure.detail))?;
            return Ok(Answer::Countermodel(
                (0..).zip(values).fold(0, |trues, (at, value)| trues | u32::from(value == 0) << at),
            ));
        }
        if text.lines().count() > MOST_LINES {
            return Err(Failure::malformed(format!("a derivation may have at most {MOST_LINES} lines")));
        }
        let lines = text.lines().map(|line| line.trim_matches(' ')).filter(|line| !line.is_empty());
        let lines = lines.map(|line| self.read_line(line)).collect::<Result<Vec<_>, _>>()?;
        if lines.is_empty() {
            Err(Failure::malformed("there is neither a derivation nor an assignment of values"))
        } else {
            Ok(Answer::Derivation(lines))
        }
    }

    fn write(&self, answer: &Answer) -> String {
        match answer {
            Answer::Derivation(lines) => {
                let line = |(clause, [one, other]): &(Clause, [usize; 2])| {
                    format!("{} from {one}, {other}", clause.text())
                };
                lines.iter().map(line).lines()
            }
            Answer::Countermodel(trues) => {
                let value = |at: usize| format!("{}: {}", letter(at), trues >> at & 1 == 1);
                (0..self.letters).map(value).listed()
            }
        }
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            "yes".to_owned(),
            "It follows.".to_owned(),
            "It does not follow.".to_owned(),
            format!("{right}."),
            format!("Proof:\n{right}"),
            format!("- {right}"),
            format!("1. {right}"),
            format!("[{right}]"),
            format!("{right}\nQ.E.D."),
            format!("{right}\n{right}, {right}"),
            right.replace(" from ", " by "),
            right.replace(" or ", " v "),
            right.replace(':', " ="),
            right.replace("true", "1"),
            right.replace("not ", "~"),
        ]);
        mangled.retain(|text| text != right);
        mangled
    }
}
