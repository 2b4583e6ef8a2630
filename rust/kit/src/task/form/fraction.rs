//! One fraction in lowest terms.

use super::{Form, decorated};
use crate::error::quoted;
use crate::shared::rational::{NotRational, Rational};
use crate::task::verdict::Failure;

/// The label of a fraction that can be reduced, for a family to declare.
pub const NOT_LOWEST_TERMS: (&str, &str) = ("not_lowest_terms", "a fraction that can still be reduced");

/// One fraction in lowest terms, or one integer if it is whole. Spaces around the slash are optional.
pub struct Fraction;

impl Form for Fraction {
    type Read = Rational;

    fn asks(&self) -> String {
        "Give your answer as one fraction in lowest terms, such as 3/4 or -5/2, or as one integer if it is whole,"
            .to_owned()
    }

    fn read(&self, text: &str) -> Result<Rational, Failure> {
        let shown = quoted(text);
        let close = text.split('/').map(|part| part.trim_matches(' ')).collect::<Vec<_>>().join("/");
        let value: Rational = close.parse().map_err(|error| match error {
            NotRational::TooLarge => Failure::wrong(format!("`{shown}` has far too many digits")),
            _ => Failure::malformed(format!("`{shown}` is not a fraction like 3/4 or -5/2")),
        })?;
        if close.replacen('−', "-", 1) == value.to_string() {
            return Ok(value);
        }
        Err(Failure::malformed(format!("`{shown}` is not in lowest terms")).also(NOT_LOWEST_TERMS.0))
    }

    fn write(&self, answer: &Rational) -> String {
        answer.to_string()
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let (above, below) = right.split_once('/').unwrap_or((right, "1"));
        let doubled = |digits: &str| digits.parse::<i128>().ok().and_then(|number| number.checked_mul(2));
        let mut mangled = decorated(right);
        mangled.extend(doubled(above).zip(doubled(below)).map(|(above, below)| format!("{above}/{below}")));
        mangled.extend([
            String::new(),
            format!("{above}/-{below}"),
            format!("{above}/ /{below}"),
            format!("{above}\n/{below}"),
            format!("{above}:{below}"),
            format!("{above}\\{below}"),
            format!("\\frac{{{above}}}{{{below}}}"),
            format!("{above}.0/{below}"),
            format!("{above}/{below}.0"),
            format!("+{right}"),
            format!("--{right}"),
            format!("0{right}"),
            format!("({right})"),
            format!("{right}."),
            format!("{right}/1"),
            format!("{right} {right}"),
            format!("{right}\n{right}"),
            format!("= {right}"),
            format!("1 {right}"),
        ]);
        mangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_one_spelling() {
        for right in ["3/4", "-5/2", "−5/2", "0", "7", "-7"] {
            let value = Fraction.read(right).unwrap();
            assert_eq!(Fraction.write(&value), right.replace('−', "-"));
        }
        for right in ["3 / 4", "3/ 4", "3 /4"] {
            assert_eq!(Fraction.read(right), Fraction.read("3/4"), "{right}");
        }
        for (wrong, failure) in [
            ("6 / 8", Some("not_lowest_terms")),
            ("3 4", None),
            ("3 / - 4", None),
            ("6/8", Some("not_lowest_terms")),
            ("7/1", Some("not_lowest_terms")),
            ("0/3", Some("not_lowest_terms")),
            ("3/0", None),
            ("0.75", None),
            ("1 3/4", None),
            ("3/-4", None),
            ("03/4", None),
        ] {
            let verdict = Fraction.read(wrong).unwrap_err();
            assert_eq!(verdict.failures[0], "malformed_answer", "{wrong}");
            assert_eq!(verdict.failures.get(1).copied(), failure, "{wrong}");
        }
        for right in ["3/4", "-5/2", "7", "-7", "0"] {
            assert!(
                Fraction.mangled(right).iter().all(|text| Fraction.read(text.trim()).is_err()),
                "{right}"
            );
        }
        assert_eq!(Fraction.read(&"9".repeat(60_000)).unwrap_err().failures, ["wrong_answer"]);
    }
}
