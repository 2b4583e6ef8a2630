//! One integer in a base from 2 to 36.

use super::{Form, decorated};
use crate::error::quoted;
use crate::task::verdict::Failure;

/// One integer in the digits of a base from 2 to 36. Above nine the digits are letters, in either case.
pub struct Numeral {
    pub base: u32,
}

impl Numeral {
    /// The digit with this value, which is below the base.
    pub fn digit(&self, value: u32) -> char {
        char::from_digit(value, self.base).expect("a digit is below its base, which is 36 at most")
    }

    /// Description of its digits: "0 to 6", "0 to 9 and a to f".
    pub fn digits(&self) -> String {
        match self.base {
            2 => "0 and 1".to_owned(),
            3..=10 => format!("0 to {}", self.digit(self.base - 1)),
            11 => "0 to 9 and a".to_owned(),
            12 => "0 to 9, a and b".to_owned(),
            _ => format!("0 to 9 and a to {}", self.digit(self.base - 1)),
        }
    }
}

impl Form for Numeral {
    type Read = i64;

    fn asks(&self) -> String {
        let (base, digits) = (self.base, self.digits());
        format!(
            "Give your answer as one number in base {base} (digits {digits}), without prefix or separators,"
        )
    }

    fn read(&self, text: &str) -> Result<i64, Failure> {
        let (negative, digits) = match text.strip_prefix(['-', '−']) {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(self.base)) {
            let (base, digits) = (self.base, self.digits());
            let text = quoted(text);
            return Err(Failure::malformed(format!(
                "`{text}` is not one number in base {base} (digits {digits})"
            )));
        }
        let number = i64::from_str_radix(digits, self.base)
            .map_err(|_| Failure::wrong(format!("`{}` has far too many digits", quoted(text))))?;
        Ok(if negative { -number } else { number })
    }

    fn write(&self, answer: &i64) -> String {
        let (mut left, base) = (answer.unsigned_abs(), u64::from(self.base));
        // Enough for base 2; the last digit comes first.
        let mut digits = ['0'; 64];
        let mut count = 0;
        while left > 0 || count == 0 {
            digits[count] = self.digit((left % base) as u32);
            left /= base;
            count += 1;
        }
        let sign = if *answer < 0 { "-" } else { "" };
        sign.chars().chain(digits[..count].iter().rev().copied()).collect()
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let (first, rest) = right.split_at(right.len() - 1);
        let mut mangled = decorated(right);
        mangled.extend([
            format!("0x{right}"),
            format!("{right}.0"),
            format!("{right}."),
            format!("{right},"),
            format!("{right} {right}"),
            format!("{right}\n{right}"),
            format!("= {right}"),
            format!("({right})"),
            format!("{right}_{}", self.base),
            format!("({right})_{}", self.base),
            format!("{right} (base {})", self.base),
            format!("--{right}"),
            format!("{first},{rest}"),
            format!("{first}\u{200b}{rest}"),
            format!("{first}_{rest}"),
        ]);
        mangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_base_reads_what_it_writes() {
        for base in 2..=36 {
            let form = Numeral { base };
            for number in [0, 1, -1, 9, 10, 35, 36, -37, 999_999_999_999_999_999, i64::MAX, -i64::MAX] {
                let text = form.write(&number);
                assert_eq!(form.read(&text), Ok(number), "{text} in base {base}");
                assert_eq!(form.read(&text.to_uppercase()), Ok(number), "{text} in base {base}");
                for mangled in form.mangled(&text) {
                    assert_ne!(form.read(&mangled), Ok(number), "{mangled} in base {base}");
                }
            }
        }
    }

    #[test]
    fn only_digits_of_the_base_are_read() {
        let read = |text: &str| Numeral { base: 12 }.read(text).map_err(|verdict| verdict.detail);
        for (text, number) in [("b", 11), ("-10", -12), ("−1A", -22), ("+007", 7), ("-0", 0)] {
            assert_eq!(read(text), Ok(number), "{text}");
        }
        for text in ["", "-", "+-1", "- 1", "c", "1 0", "1_0", "а", "１", "٣", "1\u{200b}0", "b.0", "0o7"]
        {
            assert!(
                read(text).is_err_and(|detail| detail.contains("base 12 (digits 0 to 9, a and b)")),
                "{text}"
            );
        }
        assert!(read(&"1".repeat(60_000)).is_err_and(|detail| detail.ends_with("far too many digits")));
        assert!(read(&format!("{}b", "0".repeat(60_000))).is_ok_and(|number| number == 11));
    }
}
