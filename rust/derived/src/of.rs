//! The family that a derived task is about, chosen by its params.

use serde_json::Map;

use kit::error::Error;
use kit::rng::{Key, Rng};
use kit::task::check;
use kit::task::erased::{Configured, FAMILIES, Family, Instance};
use kit::task::style::Choices;

/// A family at one of its levels, ready to be drawn from.
pub struct Of {
    derived: &'static str,
    pub family: &'static Family,
    pub configured: Configured,
}

impl Of {
    /// Finds the family `inner` at `inner_level`; `derived` names the family that has these params.
    pub fn find(derived: &'static str, inner: &str, inner_level: u32) -> Result<Self, Error> {
        let invalid = |message| Error::InvalidParams { family: derived, message };
        let named = FAMILIES.find(inner);
        let family = named.map_err(|error| invalid(format!("`inner` must be a family by name: {error}")))?;
        if family.about().derived {
            return Err(invalid(format!("`inner` is {inner}, which is about another family itself")));
        }
        if family.is_outside() {
            return Err(invalid(format!("`inner` is {inner}, but must be a built-in family")));
        }
        let level = u8::try_from(inner_level).ok().filter(|level| *level <= family.top_level());
        let level = level.ok_or_else(|| {
            let top = family.top_level();
            invalid(format!("`inner_level` is {inner_level}, but must be between 0 and {top} in {inner}"))
        })?;
        let mut fields = Map::new();
        fields.extend(family.level(level)?);
        Ok(Self { derived, family, configured: family.configure(&fields)? })
    }

    /// Returns itself if its family judges steps.
    pub fn judging_steps(self) -> Result<Self, Error> {
        let judges = self.probe(0)?.verify_steps(&[]).is_some();
        self.that(judges, "judges steps")
    }

    /// Returns itself if the steps of its family's solutions each carry on the one before.
    pub fn tracing(self) -> Result<Self, Error> {
        let traces = self.probe(0)?.problem.trace().is_some();
        self.that(traces, "carries a state from step to step")
    }

    /// Returns itself if its family draws several right answers.
    pub fn drawing_answers(self) -> Result<Self, Error> {
        let draws = self.probe(0)?.problem.another(&mut Self::probing(0)).is_some();
        self.that(draws, "draws several right answers")
    }

    fn probing(stream: u64) -> Rng {
        Key::new("probe", 1, "", 0, "").stream(stream)
    }

    /// A sample problem, which shows what the family supports.
    pub fn probe(&self, stream: u64) -> Result<Instance, Error> {
        self.family.generate(&self.configured, None, &mut Self::probing(stream))
    }

    /// Returns itself if `holds`; the error says that the family must be one that `does`.
    pub fn that(self, holds: bool, does: &str) -> Result<Self, Error> {
        let message = || format!("`inner` is {}, but must be a family that {does}", self.family.about().name);
        let error = (!holds).then(|| Error::InvalidParams { family: self.derived, message: message() });
        error.map_or(Ok(self), Err)
    }

    /// Name and version of the inner family, which determine the bytes of its problems.
    pub fn version(&self) -> String {
        let about = self.family.about();
        format!("/{} v{}", about.name, about.version())
    }
}

/// The inner problem in one of its training templates, without the sentence about the form of the answer.
pub fn wording(inner: &Instance, rng: &mut Rng) -> String {
    let shown: Vec<usize> =
        inner.family.templates().iter().enumerate().filter(|(_, t)| !t.held_out).map(|(i, _)| i).collect();
    let template = *rng.pick(&shown);
    inner.problem.word(template, Choices::From(rng)).trim_end().to_owned()
}

/// Steps as a prompt lists them, numbered from 1.
pub fn listed(steps: &[String]) -> String {
    let line = |(number, step): (usize, &String)| format!("{number}. {step}\n");
    (1..).zip(steps).map(line).collect()
}

/// Checks that each step of a solution may appear in a prompt, in at most `longest` characters.
pub fn check_steps(steps: &[String], longest: usize) -> Result<(), String> {
    let plain = |step: &String| {
        (1..=longest).contains(&step.len()) && !step.contains(|c: char| c.is_control() || "<>".contains(c))
    };
    let odd = steps.iter().position(|step| !plain(step));
    odd.map_or(Ok(()), |at| {
        Err(format!("`steps[{at}]` must be 1 to {longest} characters on one line, without < and >"))
    })
}

const LONGEST_ANSWER: usize = 20_000;

/// Checks that an answer to the inner problem may appear in a prompt.
pub fn check_answer(field: &str, answer: &str) -> Result<(), String> {
    check::that((1..=LONGEST_ANSWER).contains(&answer.len()), || {
        format!("`{field}` must have 1 to {LONGEST_ANSWER} characters")
    })?;
    let shown = |c: char| c == '\n' || !c.is_control();
    // Many answers contain an arrow; a text without `<` has no tags.
    check::that(answer.chars().all(shown) && !answer.contains('<'), || {
        format!("`{field}` must be lines of text without <")
    })
}

/// The text with two of its words exchanged that are at most three positions apart.
pub fn exchanged(text: &str, rng: &mut Rng) -> Option<String> {
    let edges = |(at, c): (usize, char)| c.is_ascii_alphanumeric().then_some(at);
    let letters: Vec<usize> = text.char_indices().filter_map(edges).collect();
    let words: Vec<&[usize]> = letters.chunk_by(|a, b| a + 1 == *b).collect();
    if words.len() < 2 {
        return None;
    }
    let first = rng.index(words.len() - 1);
    let second = (first + 1 + rng.index(3)).min(words.len() - 1);
    let [one, other] = [words[first], words[second]].map(|word| word[0]..word[word.len() - 1] + 1);
    let (before, between, after) = (&text[..one.start], &text[one.end..other.start], &text[other.end..]);
    Some([before, &text[other.clone()], between, &text[one], after].concat())
}

/// The step with one digit of one of its numbers changed.
pub fn another_number(step: &str, rng: &mut Rng) -> Option<String> {
    let digits: Vec<usize> =
        step.bytes().enumerate().filter(|(_, b)| b.is_ascii_digit()).map(|(at, _)| at).collect();
    if digits.is_empty() {
        return None;
    }
    let at = *rng.pick(&digits);
    let digit = step.as_bytes()[at] - b'0';
    let other = (digit + 1 + rng.below(9) as u8) % 10;
    // A number starts with 0 only if it did before.
    let starts = at == 0 || !step.as_bytes()[at - 1].is_ascii_digit();
    (other > 0 || !starts).then(|| format!("{}{other}{}", &step[..at], &step[at + 1..]))
}

/// The runs of digits in a text.
pub fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exchange_keeps_all_but_the_places_of_two_words() {
        let mut rng = kit::rng::Key::new("exchange", 1, "", 0, "").stream(0);
        for _ in 0..100 {
            let text = exchanged("Ada: red, Ben: blue", &mut rng).unwrap();
            let mut words: Vec<&str> = text.split([':', ',', ' ']).filter(|word| !word.is_empty()).collect();
            assert_ne!(words, ["Ada", "red", "Ben", "blue"]);
            words.sort_unstable();
            assert_eq!(words, ["Ada", "Ben", "blue", "red"]);
        }
        assert_eq!(exchanged("one", &mut rng), None);
        assert_eq!(exchanged("", &mut rng), None);
    }
}
