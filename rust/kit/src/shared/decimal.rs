//! Numbers as people and JSON write them, exactly: any number of digits, exponents of any size.

use std::cmp::Ordering;
use std::fmt;
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
    /// The sign is `+`, `-` or `−`, and only the digits are required. `None` for any other text.
    pub fn read(text: &str, budget: &mut Budget) -> Result<Option<Self>, OverBudget> {
        // Even the shortest takes as long as some tens of characters.
        budget.spend(24 + text.len() as u64)?;
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
        // Zero has no digits, and its exponent does not count.
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

    /// Number of digits above the point: one for 1 to 9, zero for 0.5. Meaningless for zero.
    pub fn digits_above_point(&self) -> IBig {
        &self.exponent + IBig::from(self.digits.len())
    }

    /// A text that is the same for equal numbers. Writing a long exponent costs steps.
    pub fn key(&self, budget: &mut Budget) -> Result<String, OverBudget> {
        budget.spend(16)?;
        let bits = self.exponent.bit_len() as u64;
        budget.spend(self.digits.len() as u64 + bits * bits / 1024)?;
        let sign = if self.negative { "-" } else { "" };
        Ok(format!("{sign}{}e{}", self.digits, self.exponent))
    }

    /// A nearby float, infinite or zero if the number is too large or too small for one; greater numbers
    /// never have lesser floats.
    pub fn approximate(&self) -> f64 {
        const FAR: i64 = 10_000;
        // If both are floats, one operation gives the float that a parser of the text returns.
        if let Some((digits, exponent)) = self.as_floats() {
            let power = 10_f64.powi(exponent.abs());
            return if exponent < 0 { digits / power } else { digits * power };
        }
        let above = self.digits_above_point().clamp(IBig::from(-FAR), IBig::from(FAR));
        let head = &self.digits[..self.digits.len().min(30)];
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}0.{head}0e{above}").parse().expect("a float")
    }

    /// The signed digits and the exponent, if the digits and ten to that power are floats.
    fn as_floats(&self) -> Option<(f64, i32)> {
        const DIGITS: usize = 15;
        const POWER: i32 = 22;
        let exponent = i32::try_from(&self.exponent).ok().filter(|exponent| exponent.abs() <= POWER)?;
        if self.digits.len() > DIGITS {
            return None;
        }
        let digits = self.digits.bytes().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
        Some((if self.negative { -digits } else { digits } as f64, exponent))
    }

    /// The number as an integer times `10^-FEW`, if it is small and short enough for one.
    pub fn fixed(&self) -> Option<i128> {
        const LONGEST: usize = 15;
        if self.digits.len() > LONGEST {
            return None;
        }
        let shift = i64::try_from(&self.exponent).ok()? + Self::FEW;
        let power = u32::try_from(shift).ok().filter(|shift| *shift <= 2 * Self::FEW as u32)?;
        let digits = self.digits.bytes().fold(0, |sum, digit| sum * 10 + i128::from(digit - b'0'));
        let magnitude = digits * 10_i128.pow(power);
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// Number of decimals of [`Decimal::fixed`].
    const FEW: i64 = 10;

    pub fn is_negative(&self) -> bool {
        self.negative
    }

    pub fn is_integer(&self) -> bool {
        self.is_zero() || self.exponent >= IBig::ZERO
    }

    /// True if it is an integer multiple of another number, which is not zero.
    pub fn is_multiple_of(&self, other: &Self, budget: &mut Budget) -> Result<bool, OverBudget> {
        let power = &self.exponent - &other.exponent;
        // Its digits end in none of the zeros that a higher power of ten would need.
        if self.is_zero() || power < IBig::ZERO {
            return Ok(self.is_zero());
        }
        let (this, other) = (natural(&self.digits, budget)?, natural(&other.digits, budget)?);
        // Only the factors 2 and 5 of a power of ten matter, as far as the divisor has them, too.
        let power = usize::try_from(&power).unwrap_or(usize::MAX).min(other.bit_len());
        let words = ((this.bit_len() + 4 * power + other.bit_len()) / 64) as u64;
        budget.spend(words * words)?;
        Ok((this * UBig::from(10_u8).pow(power) % other).is_zero())
    }

    pub fn compare(&self, other: &Self, budget: &mut Budget) -> Result<Ordering, OverBudget> {
        let zero = Scaled { integer: IBig::ZERO, exponent: IBig::ZERO };
        Ok(Scaled::sign_of_sum([self.scaled(budget)?, -&other.scaled(budget)?, zero]))
    }

    #[must_use]
    pub fn negated(self) -> Self {
        Self { negative: !self.negative && !self.digits.is_empty(), ..self }
    }

    /// The digits as an integer with the sign, and the exponent.
    pub fn scaled(&self, budget: &mut Budget) -> Result<Scaled, OverBudget> {
        budget.spend(self.exponent.bit_len() as u64 / 32)?;
        let magnitude = IBig::from(natural(&self.digits, budget)?);
        let integer = if self.negative { -magnitude } else { magnitude };
        Ok(Scaled { integer, exponent: self.exponent.clone() })
    }
}

/// The usual notation, except for numbers of many zeros.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST_ZEROS: i64 = 12;
        let sign = if self.negative { "-" } else { "" };
        let digits = &self.digits;
        match i64::try_from(&self.exponent) {
            _ if digits.is_empty() => write!(f, "0"),
            Ok(zeros @ 0..=MOST_ZEROS) => write!(f, "{sign}{digits}{}", "0".repeat(zeros as usize)),
            Ok(exponent @ ..0) if -exponent < digits.len() as i64 => {
                let (whole, decimals) = digits.split_at(digits.len() - exponent.unsigned_abs() as usize);
                write!(f, "{sign}{whole}.{decimals}")
            }
            Ok(exponent @ ..0) if -exponent <= digits.len() as i64 + MOST_ZEROS => {
                let zeros = exponent.unsigned_abs() as usize - digits.len();
                write!(f, "{sign}0.{}{digits}", "0".repeat(zeros))
            }
            _ => write!(f, "{sign}{digits}e{}", self.exponent),
        }
    }
}

/// `integer × 10^exponent`.
#[derive(Clone, Debug)]
pub struct Scaled {
    integer: IBig,
    exponent: IBig,
}

impl Scaled {
    /// Sign of the sum of three numbers. The work depends on the number of their digits, not on the size of
    /// their exponents.
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

/// True for a minus sign, and the text after the sign.
pub fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

pub fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Value of any number of digits. Spends what arithmetic on numbers of this size costs.
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
    fn multiples_are_whole_and_exact() {
        let huge = "1e99999999999999999999999999999999999999999";
        for (one, other, whole) in [
            ("0.3", "0.1", true),
            ("0.35", "0.1", false),
            ("10", "4", false),
            ("100", "4", true),
            ("1", "10", false),
            ("0", "7", true),
            ("-9", "3", true),
            ("1e-400", "1e-401", true),
            (huge, "7", false),
            (huge, "128", true),
            ("1", huge, false),
            ("9007199254740993", "2", false),
        ] {
            let (one, other) = (read(one).expect("a number"), read(other).expect("a number"));
            assert_eq!(one.is_multiple_of(&other, &mut Budget::new(10_000)), Ok(whole), "{one} of {other}");
        }
    }

    #[test]
    fn floats_are_near_and_in_order() {
        let numbers = [
            "-1e999999999999",
            "-1e400",
            "-2",
            "-1e-400",
            "0",
            "1e-30",
            "0.1",
            "1e5",
            "1e400",
            "1e9999999999999",
        ];
        let near = numbers.map(|text| read(text).expect("a number").approximate());
        assert!(near.is_sorted() && near[9].is_infinite());
        assert_eq!(
            near[5..8].iter().map(f64::to_string).collect::<Vec<_>>(),
            ["0.000000000000000000000000000001", "0.1", "100000"]
        );
        let mut compared = numbers.map(|text| read(text).expect("a number"));
        compared.reverse();
        let mut budget = Budget::new(u64::MAX);
        compared.sort_by(|one, other| one.compare(other, &mut budget).expect("ample"));
        assert_eq!(compared, numbers.map(|text| read(text).expect("a number")));
    }

    #[test]
    fn floats_are_those_that_a_reader_of_floats_finds() {
        for text in
            ["0", "-0.1", "0.3", "123456789012345", "-9.99999999999999", "1e22", "7e-22", "1e23", "3.3e-30"]
        {
            let (number, float): (Decimal, f64) =
                (read(text).expect("a number"), text.parse().expect("a float"));
            assert_eq!(number.approximate().to_bits(), float.to_bits(), "{text}");
        }
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
        for (text, written) in [
            ("-0.0", "0"),
            ("1200", "1200"),
            ("-1.50", "-1.5"),
            ("0.05", "0.05"),
            ("-.5", "-0.5"),
            ("1e30", "1e30"),
            ("12e-30", "12e-30"),
        ] {
            assert_eq!(read(text).expect("a number").to_string(), written);
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
