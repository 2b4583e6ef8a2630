//! Numbers as people and JSON write them, exactly: any number of digits, exponents of any size.

use std::cmp::Ordering;
use std::ops::{Mul, Neg};

use dashu_int::ops::BitTest;
use dashu_int::{IBig, UBig};

use crate::budget::{Budget, OverBudget};

/// `digits × 10^exponent`. Equal values are equal fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decimal {
    negative: bool,
    /// Decimal digits, no zero at either end; none at all for the value zero.
    digits: String,
    exponent: IBig,
}

impl Decimal {
    /// Reads a sign, digits with or without a point among them, and an exponent: `-12`, `.5`, `1.2e-3`.
    ///
    /// The sign is `+`, `-` or `−`, and only the digits may not be left out. `None` for any other text.
    pub fn read(text: &str, budget: &mut Budget) -> Result<Option<Self>, OverBudget> {
        budget.spend(text.len() as u64)?;
        let (negative, unsigned) = signed(text);
        let (mantissa, power) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, power)) => (mantissa, Some(signed(power))),
            None => (unsigned, None),
        };
        let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let has_digits = !(whole.is_empty() && decimals.is_empty());
        let power_has_digits = power.is_none_or(|(_, digits)| !digits.is_empty());
        let all_digits = [whole, decimals, power.unwrap_or_default().1].into_iter().all(is_digits);
        if !(has_digits && power_has_digits && all_digits) {
            return Ok(None);
        }
        let mut digits = [whole, decimals].concat();
        let written = digits.len();
        digits.truncate(digits.trim_end_matches('0').len());
        // Of zero no digit is left, and its exponent does not count.
        if digits.is_empty() {
            return Ok(Some(Self { negative: false, digits, exponent: IBig::ZERO }));
        }
        let shift = (written - digits.len()) as i64 - decimals.len() as i64;
        digits.drain(..digits.len() - digits.trim_start_matches('0').len());
        let exponent = match power {
            None => IBig::from(shift),
            Some((negative, power)) => {
                let power = IBig::from(natural(power, budget)?);
                if negative { IBig::from(shift) - power } else { IBig::from(shift) + power }
            }
        };
        Ok(Some(Self { negative, digits, exponent }))
    }

    pub fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    /// How far the highest digit stands above the point: one for 1 to 9, zero for 0.5. Of zero it means nothing.
    pub fn digits_above_point(&self) -> IBig {
        &self.exponent + IBig::from(self.digits.len())
    }

    /// The same text for the same number. Writing a long exponent costs steps.
    pub fn key(&self, budget: &mut Budget) -> Result<String, OverBudget> {
        let bits = self.exponent.bit_len() as u64;
        budget.spend(self.digits.len() as u64 + bits * bits / 1024)?;
        let sign = if self.negative { "-" } else { "" };
        Ok(format!("{sign}{}e{}", self.digits, self.exponent))
    }

    #[must_use]
    pub fn negated(self) -> Self {
        Self { negative: !self.negative && !self.digits.is_empty(), ..self }
    }

    /// The digits as an integer with the sign, and the exponent.
    pub fn scaled(&self, budget: &mut Budget) -> Result<Scaled, OverBudget> {
        let magnitude = IBig::from(natural(&self.digits, budget)?);
        let integer = if self.negative { -magnitude } else { magnitude };
        Ok(Scaled { integer, exponent: self.exponent.clone() })
    }
}

/// `integer × 10^exponent`.
#[derive(Clone, Debug)]
pub struct Scaled {
    integer: IBig,
    exponent: IBig,
}

impl Scaled {
    /// How the sum of three numbers compares with zero. Its work depends on how many digits they have, not
    /// on how large their exponents are.
    pub fn sign_of_sum(mut terms: [Self; 3]) -> Ordering {
        terms.sort_by(|one, other| one.exponent.cmp(&other.exponent));
        // Where the digits of one term lie far above those of the lower ones, the distance does not matter:
        // with two powers of ten between them the lower ones cannot outweigh it. So every exponent gets a
        // place, at most two above all digits below it.
        let mut sum = IBig::ZERO;
        let (mut below, mut place, mut top) = (terms[0].exponent.clone(), 0_usize, 0);
        for Self { integer, exponent } in terms {
            if integer == IBig::ZERO {
                continue;
            }
            let distance = &exponent - below;
            place = usize::try_from(distance)
                .map_or(top + 2, |distance| (top + 2).min(place.saturating_add(distance)));
            // A digit takes more than three bits.
            top = top.max(place + integer.bit_len() / 3 + 1);
            below = exponent;
            sum += integer * IBig::from(10).pow(place);
        }
        sum.cmp(&IBig::ZERO)
    }
}

impl Scaled {
    /// `10^exponent`.
    pub fn power_of_ten(exponent: IBig) -> Self {
        Self { integer: IBig::from(1), exponent }
    }

    /// The integer and the exponent of ten.
    pub fn parts(self) -> (IBig, IBig) {
        (self.integer, self.exponent)
    }

    /// The number, which is an integer without an exponent.
    pub fn whole(self) -> IBig {
        let power = usize::try_from(&self.exponent).expect("an integer has no digits below the point");
        self.integer * IBig::from(10).pow(power)
    }

    /// Without the sign.
    #[must_use]
    pub fn magnitude(self) -> Self {
        if self.integer < IBig::ZERO { -&self } else { self }
    }

    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        Self { integer: &self.integer * &other.integer, exponent: &self.exponent + &other.exponent }
    }
}

impl Mul<&IBig> for Scaled {
    type Output = Self;

    fn mul(self, factor: &IBig) -> Self {
        Self { integer: self.integer * factor, ..self }
    }
}

impl Neg for &Scaled {
    type Output = Scaled;

    fn neg(self) -> Scaled {
        Scaled { integer: -&self.integer, exponent: self.exponent.clone() }
    }
}

/// Whether there is a minus sign, and what follows the sign.
pub fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

pub fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The value of digits, however many. Spends what arithmetic on numbers of this size costs.
pub fn natural(digits: &str, budget: &mut Budget) -> Result<UBig, OverBudget> {
    let count = digits.len() as u64;
    // Multiplication takes n^1.5 or less; a word holds 19 digits.
    budget.spend(1 + count * count.isqrt() / 16)?;
    if count <= 19 {
        return Ok(UBig::from(digits.bytes().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'))));
    }
    Ok(UBig::from_str_radix(digits, 10).expect("digits alone"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Decimal> {
        Decimal::read(text, &mut Budget::new(u64::MAX)).expect("ample")
    }

    fn scaled(text: &str) -> Scaled {
        read(text).expect("a number").scaled(&mut Budget::new(u64::MAX)).expect("ample")
    }

    #[test]
    fn equal_values_are_equal_however_they_are_written() {
        let long = "1".repeat(50);
        for same in [
            &["0", "-0", "+0.000", "0e5", "0e99999999999999999999999999999999999999999", "−.0"][..],
            &[
                "1",
                "1.",
                "1.0",
                "+1",
                "001",
                "10e-1",
                "0.1e1",
                "1e0",
                "1E+0",
                "1e−0",
                "1e-000000000000000000000",
            ],
            &["-12", "−12", "-1.2e1", "-0.12E2", "-12.00"],
            &["1e400", "10e399", "0.01e402"],
            &[
                "1e100000000000000000000000000000000000000000",
                "10e99999999999999999999999999999999999999999",
                "0.01e100000000000000000000000000000000000000002",
            ],
            &[&long, &format!("{long}.0"), &format!("0.{long}e50"), &format!("{long}00e-2")],
        ] {
            for text in same {
                assert_eq!(read(text), read(same[0]), "{text} and {}", same[0]);
                assert!(read(text).is_some(), "{text}");
            }
        }
        for (one, other) in [
            ("9.9999999999999999", "10"),
            ("1e-400", "0"),
            ("1e400", "1e401"),
            ("1", "-1"),
            ("100000000000000001", "100000000000000002"),
            ("0.1", "0.1000000000000000055511151231257827"),
            ("1e100000000000000000000000000000000000000000", "1e100000000000000000000000000000000000000001"),
        ] {
            assert_ne!(read(one), read(other), "{one} and {other}");
        }
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in [
            "", "+", "-", ".", "e5", "1e", "1e+", ".e1", "--1", "+-1", "1.2.3", "1e5e5", "1e5.0", " 1", "1 ",
            "1_000", "1,5", "٣", "½", "nan", "inf", "0x10", "1/2", "\0",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_sum_has_its_sign_whatever_lies_between_the_digits() {
        let sign = |terms: [&str; 3]| Scaled::sign_of_sum(terms.map(scaled));
        for (terms, expected) in [
            (["0", "0", "0"], 0),
            (["1", "-1", "0"], 0),
            (["0.5", "-0.3", "-0.2"], 0),
            (["1", "-0.99999999999999999999999999999", "-1e-29"], 0),
            (["1", "-0.99999999999999999999999999999", "-1e-30"], 1),
            (["1e999999999", "-1e999999999", "-1e-999999999"], -1),
            (["1e999999999", "-1", "-1e-999999999"], 1),
            (["-1e999999999", "10e999999998", "0"], 0),
            (["1e999999999", "-9e999999998", "-2e999999998"], -1),
            (["1", "-1e-99999999999999999999999999999999999999999999", "-1"], -1),
            (["-1e99999999999999999999999999999999999999999999", "1e308", "0"], -1),
            (
                [
                    "1e99999999999999999999999999999999999999999999",
                    "-9e99999999999999999999999999999999999999999998",
                    "-1e99999999999999999999999999999999999999999998",
                ],
                0,
            ),
        ] {
            for [i, j, k] in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
                assert_eq!(sign([terms[i], terms[j], terms[k]]), expected.cmp(&0), "{terms:?}");
            }
        }
    }

    #[test]
    fn work_is_bounded_by_steps() {
        let digits = "7".repeat(1 << 20);
        let tight = |text: &str| Decimal::read(text, &mut Budget::new(4_000_000));
        assert!(tight(&digits).is_ok());
        assert_eq!(tight(&format!("1e{digits}")), Err(OverBudget));
    }
}
