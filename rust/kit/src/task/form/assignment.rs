//! A value for each of several names.

use super::{Form, decorated};
use crate::error::quoted;
use crate::task::verdict::Failure;
use crate::words;

/// The most values for which each is shown with a name.
const MOST_SPELLED: usize = 5;

/// A value for each name, in any order: "Ada: knight, Ben: knave". The parsed answer holds, for each name in
/// turn, the index of its value in `values`.
///
/// Names contain no commas, colons, line breaks or outer spaces, and no two differ only in capitals; nor do
/// two values.
pub struct Assignment<'a> {
    /// Singular noun for what has a name: "islander".
    pub noun: &'a str,
    pub names: &'a [String],
    /// At least two values.
    pub values: &'a [&'a str],
}

impl Assignment<'_> {
    /// Labels that it gives besides `malformed_answer`, for a family to declare.
    pub const FAILURES: &'static [(&'static str, &'static str)] = &[
        ("unknown_name", "a name that the prompt does not give"),
        ("repeated_name", "a name that is listed twice"),
        ("missing_name", "a name that is not listed"),
    ];

    /// "Ada: knight".
    fn pair(&self, name: usize, value: usize) -> String {
        format!("{}: {}", self.names[name], self.values[value])
    }

    /// Reads one `NAME: VALUE`.
    fn read_pair(&self, text: &str) -> Result<(usize, usize), Failure> {
        let malformed =
            || Failure::malformed(format!("`{}` is not like `{}`", quoted(text), self.pair(0, 0)));
        let (name, value) = text.split_once(':').ok_or_else(malformed)?;
        let (name, value) = (trimmed(name), trimmed(value));
        let known = self.names.iter().position(|known| known.eq_ignore_ascii_case(name));
        let name = known.ok_or_else(|| {
            let detail = format!("there is no {} called `{}`", self.noun, quoted(name));
            Failure::malformed(detail).also("unknown_name")
        })?;
        let value = self.values.iter().position(|known| known.eq_ignore_ascii_case(value));
        Ok((name, value.ok_or_else(malformed)?))
    }
}

/// The text without outer spaces and tabs. Other white space is not part of the form.
fn trimmed(text: &str) -> &str {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let bytes = text.as_bytes();
    let start = bytes.iter().position(|byte| !blank(byte)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|byte| !blank(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

impl Form for Assignment<'_> {
    type Read = Vec<usize>;

    fn asks(&self) -> String {
        let many = self.values.len() > MOST_SPELLED;
        let (each, before) = if many { ("NAME: VALUE, where VALUE is ", "") } else { ("", "NAME: ") };
        let values = self.values.iter().map(|value| format!("{before}{value}"));
        format!(
            "List every {} exactly once, in any order, each as {each}{}, separated by commas or line breaks, or both,",
            self.noun,
            words::or(values)
        )
    }

    fn read(&self, text: &str) -> Result<Vec<usize>, Failure> {
        let mut listed = vec![None; self.names.len()];
        for between_commas in text.split(',') {
            let mut lines = between_commas.lines().map(trimmed).filter(|line| !line.is_empty()).peekable();
            if lines.peek().is_none() && !text.is_empty() {
                return Err(Failure::malformed("nothing stands before, between or after commas"));
            }
            for line in lines {
                let (name, value) = self.read_pair(line)?;
                if listed[name].replace(value).is_some() {
                    let detail = format!("{} is listed twice", self.names[name]);
                    return Err(Failure::malformed(detail).also("repeated_name"));
                }
            }
        }
        let missing = listed.iter().position(Option::is_none);
        missing.map_or_else(
            || Ok(listed.iter().copied().flatten().collect()),
            |name| {
                let detail = format!("{} is not listed", self.names[name]);
                Err(Failure::malformed(detail).also("missing_name"))
            },
        )
    }

    fn write(&self, answer: &Vec<usize>) -> String {
        let pairs = answer.iter().enumerate().map(|(name, value)| self.pair(name, *value));
        pairs.collect::<Vec<_>>().join(", ")
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let pairs: Vec<&str> = right.split(", ").collect();
        let (first, rest) = pairs.split_first().expect("somebody is listed");
        let (name, value) = first.split_once(": ").expect("a name and a value");
        let other = self.values.iter().find(|other| **other != value).expect("there is another value");
        let named: Vec<&str> = pairs.iter().map(|pair| pair.split(": ").next().expect("a name")).collect();
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            rest.join(", "),
            named.join(", "),
            format!("{right}, {first}"),
            format!("{right}, {name}: {other}"),
            format!("{right}, Nobody: {value}"),
            format!("{name}: {value} or {other}, {}", rest.join(", ")),
            format!("{name}: , {}", rest.join(", ")),
            format!("{name}: not {value}, {}", rest.join(", ")),
            format!("{right},"),
            format!(", {right}"),
            format!("{right}."),
            format!("[{right}]"),
            format!("1. {right}"),
            format!("- {}", pairs.join("\n- ")),
            right.replace(", ", ",, "),
            right.replace(", ", ",\n, "),
            right.replace(':', ""),
            right.replace(": ", " is a "),
            right.replace(": ", " = "),
        ]);
        let separators = [" ", "; ", " and ", "\r", "\u{b}", "\u{85}", "\u{2028}", ",\u{2028}", "\n\u{a0}"];
        mangled.extend(separators.map(|separator| pairs.join(separator)));
        // A single pair has no separators.
        mangled.retain(|text| text != right);
        mangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::verdict::label;

    fn with_form<T>(test: impl Fn(Assignment<'_>) -> T) -> T {
        let names = ["Ada", "Ben", "Cleo"].map(String::from);
        test(Assignment { noun: "islander", names: &names, values: &["knight", "knave"] })
    }

    #[test]
    fn the_sentence_states_what_is_read() {
        with_form(|form| {
            assert_eq!(
                form.sentence("kinds"),
                "List every islander exactly once, in any order, each as NAME: knight or NAME: knave, separated \
                 by commas or line breaks, or both, inside <kinds></kinds> tags, and write nothing after them."
            );
            assert_eq!(form.write(&vec![0, 1, 1]), "Ada: knight, Ben: knave, Cleo: knave");
        });
    }

    #[test]
    fn commas_and_line_breaks_separate() {
        with_form(|form| {
            for right in [
                "Ada: knight, Ben: knave, Cleo: knave",
                "Cleo: knave,Ada: knight , Ben :knave",
                "Ada: knight\nBen: knave\r\nCleo: knave",
                "Ada: knight,\nBen: knave,\r\n\n  Cleo: knave",
                "Ada: knight\n, Ben: knave\n\n\tCleo: knave",
                "ADA: Knight, ben: KNAVE, cLeO: knave",
            ] {
                assert_eq!(form.read(right).unwrap(), [0, 1, 1], "{right}");
            }
        });
    }

    #[test]
    fn what_the_sentence_does_not_allow_is_malformed() {
        with_form(|form| {
            for (wrong, label) in [
                ("", "missing_name"),
                ("Ada: knight, Ben: knave", "missing_name"),
                ("Ada: knight, Ben: knave, Cleo: knave, Ada: knight", "repeated_name"),
                ("Ada: knight, Ben: knave, Dev: knave", "unknown_name"),
                ("Ada: liar, Ben: knave, Cleo: knave", label::MALFORMED_ANSWER),
            ] {
                let verdict = form.read(wrong).unwrap_err();
                assert!(verdict.failures.contains(&label), "{wrong}: {verdict:?}");
                assert!(verdict.failures.contains(&label::MALFORMED_ANSWER), "{wrong}: {verdict:?}");
            }
            for wrong in form.mangled("Ada: knight, Ben: knave, Cleo: knave") {
                assert!(form.read(&wrong).is_err(), "{wrong:?}");
            }
        });
    }
}
