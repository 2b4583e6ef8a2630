//! A product of whole numbers.

use super::{Form, decorated};
use crate::error::quoted;
use crate::task::verdict::Failure;

/// Largest number of factors in an answer: no number of 18 digits has as many primes.
const MOST_FACTORS: usize = 60;

/// Positive whole numbers joined by `*`, each with at most 18 digits. Equal ones may be written as a power:
/// `2^3 * 5`. Parsed as the factors in ascending order, with powers written out.
pub struct Product {
    /// Plural noun for the factors: "prime factors".
    pub what: &'static str,
}

impl Product {
    fn factors(&self, text: &str) -> Result<Vec<u64>, Failure> {
        let malformed = || {
            let (text, what) = (quoted(text), self.what);
            Failure::malformed(format!(
                "`{text}` does not stand for {what}: they are joined by * and nothing else"
            ))
        };
        let whole = |digits: &str| match digits {
            digits if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Err(malformed())
            }
            digits if digits.trim_start_matches('0').len() > 18 => {
                Err(Failure::wrong(format!("`{}` has far too many digits", quoted(digits))))
            }
            digits => Ok(digits.parse::<u64>().expect("18 digits fit 64 bits")),
        };
        let (base, exponent) = text.split_once('^').unwrap_or((text, "1"));
        let (base, exponent) = (whole(base.trim_matches(' '))?, whole(exponent.trim_matches(' '))?);
        match usize::try_from(exponent) {
            Ok(count @ 1..=MOST_FACTORS) => Ok(vec![base; count]),
            _ => Err(Failure::wrong(format!("`{}` is not the power of a factor here", quoted(text)))),
        }
    }
}

impl Form for Product {
    type Read = Vec<u64>;

    fn asks(&self) -> String {
        format!(
            "Give all {} in any order, joined by * (equal ones may be written as a power with ^) and without an \
             equals sign,",
            self.what
        )
    }

    fn read(&self, text: &str) -> Result<Vec<u64>, Failure> {
        let mut all = Vec::new();
        for factor in text.split('*') {
            all.extend(self.factors(factor.trim_matches(' '))?);
            if all.len() > MOST_FACTORS {
                return Err(Failure::wrong(format!("there are more than {MOST_FACTORS} factors")));
            }
        }
        all.sort_unstable();
        Ok(all)
    }

    fn write(&self, answer: &Vec<u64>) -> String {
        let equal = answer.chunk_by(|a, b| a == b).map(|equal| match equal {
            [one] => one.to_string(),
            [one, ..] => format!("{one}^{}", equal.len()),
            [] => unreachable!("a chunk is not empty"),
        });
        equal.collect::<Vec<_>>().join(" * ")
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            format!("{right} *"),
            format!("* {right}"),
            format!("1 * {right}"),
            format!("-1 * {right}"),
            format!("{right} * {right}"),
            format!("{right}\n{right}"),
            format!("{right}."),
            format!("({right})"),
            format!("[{right}]"),
            format!("= {right}"),
            format!("{right} = {right}"),
            format!("{right}^1.0"),
            format!("{right}^-1"),
            format!("({right})^1"),
            right.replace(" * ", ", "),
            right.replace(" * ", " "),
            right.replace(" * ", " x "),
            right.replace(" * ", " × "),
            right.replace(" * ", " · "),
            right.replace(" * ", " + "),
            right.replace(" * ", " ** "),
            right.replace('^', "**"),
            right.replace('^', ""),
        ]);
        // A single factor has no sign between, and distinct factors have no power.
        mangled.retain(|text| text != right);
        mangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::verdict::label;

    const FORM: Product = Product { what: "prime factors" };

    #[test]
    fn any_order_and_powers_are_read_alike() {
        for text in ["2^3 * 5 * 7", "2*2*2*5*7", "7 * 2^2 * 5 * 2", "2 ^ 3*007 *5", "7^1 * 5 * 2^03"] {
            assert_eq!(FORM.read(text).unwrap(), [2, 2, 2, 5, 7], "{text}");
        }
        assert_eq!(FORM.write(&vec![2, 2, 2, 5, 7]), "2^3 * 5 * 7");
        assert_eq!(FORM.write(&vec![11]), "11");
    }

    #[test]
    fn nothing_else_is() {
        for text in [
            "", "*", "2 *", "2 * * 5", "2 5", "2^", "^2", "2^2^2", "-2", "+2", "2.0", "２", "2\n*\n5",
            "2 × 5",
        ] {
            assert!(FORM.read(text).is_err_and(|bad| bad.failures == [label::MALFORMED_ANSWER]), "{text}");
        }
        let many = "2 * ".repeat(10_000) + "2";
        for text in ["2^0", "2^61", "2^99999999999999999999", "9999999999999999999", many.as_str()] {
            assert!(FORM.read(text).is_err_and(|bad| bad.failures == [label::WRONG_ANSWER]), "{text}");
        }
        for right in ["2^3 * 5 * 7", "11", "3 * 5"] {
            let read = FORM.read(right);
            assert!(FORM.mangled(right).iter().all(|text| FORM.read(text) != read), "{right}");
        }
    }
}
