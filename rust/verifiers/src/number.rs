//! The same number, whatever its notation; or within a tolerance. Every comparison is exact.

use std::fmt;

use dashu_int::IBig;
use dashu_int::ops::{BitTest, Gcd};

use super::{About, Example, Metric, passes};
use kit::budget::{Budget, OverBudget};
use kit::error::quoted;
use kit::shared::decimal::{Decimal, Scaled, is_digits, natural, signed};
use kit::task::answer::{LONGEST_ANSWER, Reading};
use kit::task::verdict::{Failure, Graded};

kit::params! {
    pub struct NumberEqual {
        /// Largest difference that still passes, taken as the decimal that it prints as: 0.1 is one tenth.
        tolerance: f64 [0..],
        /// Share of the reference by which an answer may differ and still pass.
        relative: f64 [0..=1],
        /// Significant digits of the reference to within half a unit of which an answer may differ and still
        /// pass; 0 for none.
        significant_digits: u32 [0..=1000],
        /// Allow commas that separate the digits before the point in groups of three.
        thousands: bool,
        /// Allow a currency sign before or after the number.
        currency: bool,
        /// Units that may follow a number, like "km". Two different units do not pass.
        units: Vec<String>,
    }
    default (0.0, 0.0, 0, false, false, Vec::new())
    check Self::consistent;
}

impl NumberEqual {
    fn consistent(&self) -> Result<(), String> {
        let bad = self.units.iter().position(|unit| unit.trim().is_empty() || unit.trim() != unit);
        bad.map_or(Ok(()), |at| {
            let unit = quoted(&self.units[at]);
            Err(format!("`units[{at}]` is `{unit}`, but must be text without outer white space"))
        })
    }
}

const FORMS: &str = "one number like -12, 0.5, 3/4 or 1.2e-3";

const CURRENCIES: [char; 8] = ['$', '€', '£', '¥', '₹', '₩', '₽', '¢'];

/// A number and its unit, if it has one.
pub struct Quantity<'a> {
    number: Number,
    unit: Option<&'a str>,
    written: &'a str,
}

impl NumberEqual {
    fn read<'a>(&self, text: &'a str, budget: &mut Budget) -> Result<Option<Quantity<'a>>, OverBudget> {
        let (bare, unit) = self.without_unit(text);
        let parted = if self.thousands { unparted(bare) } else { None };
        let number = Number::read(parted.as_deref().unwrap_or(bare), budget)?;
        Ok(number.map(|number| Quantity { number, unit, written: text }))
    }

    fn without_unit<'a>(&self, text: &'a str) -> (&'a str, Option<&'a str>) {
        // The longest matching unit, so that one may end in another.
        let units = self.units.iter().filter(|unit| text.ends_with(unit.as_str()));
        if let Some(unit) = units.max_by_key(|unit| unit.len()) {
            let (number, unit) = text.split_at(text.len() - unit.len());
            return (number.trim_end(), Some(unit));
        }
        if self.currency {
            let (_, unsigned) = signed(text);
            if let Some(rest) = unsigned.strip_prefix(CURRENCIES) {
                let sign = &unsigned[..unsigned.len() - rest.len()];
                // Only the currency sign may come between a minus and the digits.
                if unsigned.len() == text.len() {
                    return (rest.trim_start(), Some(sign));
                }
            }
            if let Some(rest) = text.strip_suffix(CURRENCIES) {
                return (rest.trim_end(), Some(&text[rest.len()..]));
            }
        }
        (text, None)
    }
}

/// A number without the commas that separate its digits in groups of three; `None` if they separate them
/// otherwise.
fn unparted(text: &str) -> Option<String> {
    let (_, unsigned) = signed(text);
    let whole = unsigned.split(['.', 'e', 'E']).next().unwrap_or_default();
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let fits = (1..=3).contains(&first.len()) && is_digits(first);
    let others = groups.all(|group| group.len() == 3 && is_digits(group));
    let after = &unsigned[whole.len()..];
    (fits && others && !after.contains(',')).then(|| text.replace(',', ""))
}

impl Metric for NumberEqual {
    const ABOUT: About = About {
        name: "number_equal",
        summary: "The same number, or one within a tolerance.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example::ONE,
    };

    type Reference<'a> = Quantity<'a>;

    fn reference<'a>(&self, text: &'a str, budget: &mut Budget) -> Result<Quantity<'a>, String> {
        const LONG: &str = "must be a shorter number: it is too long to compute with";
        // An answer that could be equal is rejected at this length, too.
        if text.len() > LONGEST_ANSWER {
            return Err(LONG.into());
        }
        match self.read(text, budget) {
            Ok(Some(quantity)) => Ok(quantity),
            Ok(None) => Err(format!("must be {FORMS}")),
            Err(OverBudget) => Err(LONG.into()),
        }
    }

    fn compare(&self, answer: &str, reference: &Quantity<'_>, budget: &mut Budget) -> Graded {
        let Some(found) = self.read(answer, budget)? else {
            return Err(Failure::malformed(format!("`{}` is not {FORMS}", quoted(answer))));
        };
        if let (Some(unit), Some(other)) = (found.unit, reference.unit)
            && unit != other
        {
            return Err(Failure::wrong(format!("the unit is `{}`, not `{}`", quoted(unit), quoted(other))));
        }
        let mut near = found.number.is_within(&reference.number, self.tolerance, budget)?;
        if !near && self.relative > 0.0 {
            near = found.number.is_within_share(&reference.number, self.relative, budget)?;
        }
        if !near && self.significant_digits > 0 {
            near = found.number.agrees(&reference.number, self.significant_digits, budget)?;
        }
        passes(near, answer, reference.written)
    }
}

/// A decimal over an integer of at least 1. A decimal is over 1; a fraction need not be in lowest terms.
#[derive(Clone, Debug)]
pub struct Number {
    above: Decimal,
    below: IBig,
}

impl Number {
    /// Reads a decimal, or a fraction of two integers, each with an optional sign and perhaps white space
    /// around the slash: `-3/4`, `−3 / 4`. `None` for any other text, including a fraction over zero.
    pub fn read(text: &str, budget: &mut Budget) -> Result<Option<Self>, OverBudget> {
        let Some((above, below)) = text.split_once('/') else {
            return Ok(Decimal::read(text, budget)?.map(|above| Self { above, below: IBig::from(1) }));
        };
        let (above_negative, above) = signed(above.trim_end());
        let (below_negative, below) = signed(below.trim_start());
        let integers = [above, below].into_iter().all(|digits| !digits.is_empty() && is_digits(digits));
        if !integers {
            return Ok(None);
        }
        let below = IBig::from(natural(below, budget)?);
        let above = Decimal::read(above, budget)?.expect("digits are a decimal");
        let above = if above_negative == below_negative { above } else { above.negated() };
        Ok((below != IBig::ZERO).then_some(Self { above, below }))
    }

    /// True if the two differ by at most `tolerance`.
    pub fn is_within(&self, other: &Self, tolerance: f64, budget: &mut Budget) -> Result<bool, OverBudget> {
        if self.above == other.above && self.below == other.below {
            return Ok(true);
        }
        let whole = IBig::from(1);
        if tolerance <= 0.0 && self.below == whole && other.below == whole {
            return Ok(false);
        }
        if self.below == whole
            && other.below == whole
            && let (Some(this), Some(that)) = (self.above.fixed(), other.above.fixed())
            && let Some(allowed) = decimal(tolerance, budget)?.fixed()
        {
            // Each has less than 35 digits, so that no difference overflows.
            budget.spend(40)?;
            return Ok((this - that).abs() <= allowed);
        }
        // Exact arithmetic on the shortest numbers takes as long as reading a few hundred characters.
        budget.spend(300)?;
        let allowed = printed(tolerance, budget)? * &self.below * &other.below;
        self.differs_by_at_most(other, &allowed, budget)
    }

    /// True if the two differ by at most this share of the other.
    fn is_within_share(&self, other: &Self, share: f64, budget: &mut Budget) -> Result<bool, OverBudget> {
        let other_above = other.above.scaled(budget)?.magnitude();
        let allowed = printed(share, budget)?.times(&other_above) * &self.below;
        self.differs_by_at_most(other, &allowed, budget)
    }

    /// True if the two differ by at most half a unit of the last of this many significant digits of the
    /// other.
    fn agrees(&self, other: &Self, digits: u32, budget: &mut Budget) -> Result<bool, OverBudget> {
        if other.above.is_zero() {
            return Ok(false);
        }
        // c/d has as many digits above the point as c more than d, or one more.
        let below_text = other.below.to_string();
        let one_less = other.above.digits_above_point() - IBig::from(below_text.len());
        let above = other.above.scaled(budget)?.magnitude();
        let power = Scaled::power_of_ten(one_less.clone()) * &other.below;
        let zero = Scaled::power_of_ten(IBig::ZERO) * &IBig::ZERO;
        let reaches = !Scaled::sign_of_sum([above, -&power, zero]).is_lt();
        let highest = if reaches { one_less } else { one_less - IBig::from(1) };
        // Half of 10^(highest - digits + 1).
        let half = Scaled::power_of_ten(highest - IBig::from(digits)) * &IBig::from(5);
        self.differs_by_at_most(other, &(half * &self.below * &other.below), budget)
    }

    /// True if the two differ by at most `allowed` over the product of their denominators.
    fn differs_by_at_most(
        &self,
        other: &Self,
        allowed: &Scaled,
        budget: &mut Budget,
    ) -> Result<bool, OverBudget> {
        // |a/b - c/d| <= t exactly when neither of ad - cb - tbd and cb - ad - tbd is above zero.
        let this = self.above.scaled(budget)? * &other.below;
        let that = other.above.scaled(budget)? * &self.below;
        let exceeds =
            |one: &Scaled, other: &Scaled| Scaled::sign_of_sum([one.clone(), -other, -allowed]).is_gt();
        Ok(!exceeds(&this, &that) && !exceeds(&that, &this))
    }

    /// A text that is the same for equal numbers.
    pub fn key(&self, budget: &mut Budget) -> Result<String, OverBudget> {
        if self.below == IBig::from(1) {
            return self.above.key(budget);
        }
        let above = self.above.scaled(budget)?.whole();
        let (mut above, mut below) = (above, self.below.clone());
        let words = (above.bit_len().max(below.bit_len()) / 64) as u64;
        budget.spend(150 + words * words * 4)?;
        let shared = IBig::from((&above).gcd(&below));
        if shared != IBig::ZERO {
            (above, below) = (above / &shared, below / &shared);
        }
        // A fraction with only twos and fives in the denominator is a decimal.
        let mut tens = 0_u32;
        while below != IBig::from(1) {
            let (two, five) = (&below % IBig::from(2) == IBig::ZERO, &below % IBig::from(5) == IBig::ZERO);
            budget.spend(30 + words)?;
            below = match (two, five) {
                (true, true) => below / IBig::from(10),
                (true, false) => {
                    above *= IBig::from(5);
                    below / IBig::from(2)
                }
                (false, true) => {
                    above *= IBig::from(2);
                    below / IBig::from(5)
                }
                (false, false) => return Ok(format!("{above}/{below} e-{tens}")),
            };
            tens += 1;
        }
        Decimal::read(&format!("{above}e-{tens}"), budget)?.expect("a decimal").key(budget)
    }
}

impl From<Decimal> for Number {
    fn from(above: Decimal) -> Self {
        Self { above, below: IBig::from(1) }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.above)?;
        if self.below == IBig::from(1) { Ok(()) } else { write!(f, "/{}", self.below) }
    }
}

/// The decimal that a float is printed as.
fn decimal(float: f64, budget: &mut Budget) -> Result<Decimal, OverBudget> {
    let printed = Decimal::read(&format!("{float:e}"), budget)?;
    Ok(printed.expect("a finite float prints as a decimal"))
}

fn printed(float: f64, budget: &mut Budget) -> Result<Scaled, OverBudget> {
    decimal(float, budget)?.scaled(budget)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Verifier;
    use super::super::tests::{assert_judges, assert_refuses, untagged};
    use super::*;

    fn number(tolerance: f64) -> Verifier {
        untagged("number_equal", &json!({ "tolerance": tolerance }))
    }

    #[test]
    fn numbers_are_equal_exactly() {
        assert_judges(
            &number(0.0),
            &[
                ("0.33", "1/3"),
                ("1/3", "0.33"),
                ("0.33333333333333333333", "1/3"),
                ("3/4", "4/3"),
                ("-3/4", "3/4"),
                ("5000", "500"),
                ("9.9999999999999999", "10"),
                ("1e-400", "0"),
                ("1e400", "1e401"),
                ("100000000000000000000000000001", "100000000000000000000000000002"),
                ("1000000000000000000001/3", "1000000000000000000000/3"),
                ("1e99999999999999999999", "0"),
                (
                    "1e99999999999999999999999999999999999999999",
                    "1e99999999999999999999999999999999999999998",
                ),
                ("1/1", "1e99999999999999999999999999999999999999999"),
                ("", "0"),
                (".", "0"),
                ("-", "0"),
                ("e5", "0"),
                ("nan", "0"),
                ("inf", "0"),
                ("0/0", "0"),
                ("1/0", "0"),
                ("1/2/3", "1/6"),
                ("0.5/2", "1/4"),
                ("1e2/4", "25"),
                ("/3", "3"),
                ("3/", "3"),
                ("9**9", "387420489"),
                ("2+2", "4"),
                ("1 2", "12"),
                ("1 1/2", "3/2"),
                ("1,000", "1000"),
                ("1_000", "1000"),
                ("50%", "0.5"),
                ("$5", "5"),
                ("5 m", "5"),
                ("٥", "5"),
                ("½", "0.5"),
                ("0x10", "16"),
                ("five", "5"),
            ],
            &[
                ("0.50", "1/2"),
                ("5e-1", "1/2"),
                ("-12", "−12.0"),
                ("+12", "12"),
                ("012", "12"),
                (".5", "5e-1"),
                ("5.", "5"),
                ("1200", "1.2e3"),
                ("2/6", "1/3"),
                ("-1/3", "1/-3"),
                ("−1 / −3", "1/3"),
                ("6/3", "2"),
                ("0/7", "0"),
                ("0", "-0.0"),
                ("0e999999999", "0"),
                ("100000000000000000000000000001", "100000000000000000000000000001.0"),
                ("10000000000000000000000000000000000000/30000000000000000000000000000000000000", "1/3"),
                (
                    "10e99999999999999999999999999999999999999998",
                    "1e99999999999999999999999999999999999999999",
                ),
            ],
        );
    }

    #[test]
    fn short_numbers_are_compared_as_long_ones_are() {
        let numbers =
            ["0", "0.1", "-0.1", "0.3", "123456789012345", "99999.99999", "1e10", "-1e-10", "1e-11", "25e9"];
        let budget = &mut Budget::new(u64::MAX);
        let [mut short, mut long] = [0, 0];
        for one in numbers {
            for other in numbers {
                for tolerance in [0.0, 0.1, 0.2, 0.4, 1e-10, 3e-11, 1e10, 1.5e25] {
                    let [one, other] =
                        [one, other].map(|text| Number::read(text, budget).unwrap().expect("a number"));
                    let near = one.is_within(&other, tolerance, budget).unwrap();
                    let allowed = printed(tolerance, budget).unwrap();
                    assert_eq!(near, one.differs_by_at_most(&other, &allowed, budget).unwrap());
                    let fixed = [&one, &other].iter().all(|number| number.above.fixed().is_some());
                    *(if fixed { &mut short } else { &mut long }) += 1;
                }
            }
        }
        assert!(short > 500 && long > 100, "{short} {long}");
    }

    #[test]
    fn a_tolerance_is_the_decimal_it_is_printed_as() {
        assert_judges(
            &number(0.01),
            &[
                ("0.35", "1/3"),
                ("1.0100000000000000000000001", "1"),
                ("0.9899999999999999999999999", "1"),
                ("-1/3", "1/3"),
                ("1e999999999", "2e999999999"),
                (
                    "1e99999999999999999999999999999999999999999",
                    "1e99999999999999999999999999999999999999998",
                ),
                ("1e999999999", "1/3"),
                ("0.01000001", "1e-999999999"),
                ("0.01", "-1e-999999999"),
                ("nan", "1"),
                ("", "0"),
            ],
            &[
                ("0.33", "1/3"),
                ("1.01", "1"),
                ("0.99", "1"),
                ("99/100", "1"),
                ("0.01", "1e-999999999"),
                (
                    "-1e-99999999999999999999999999999999999999999",
                    "1e-99999999999999999999999999999999999999998",
                ),
                ("10e999999998", "1e999999999"),
                ("100000000000000000000000000000.01", "100000000000000000000000000000"),
            ],
        );
        // In floats, 0.4 - 0.1 is more than 0.3.
        assert_judges(&number(0.3), &[("0.4", "0.09999999999999999999")], &[("0.4", "0.1"), ("0.1", "0.4")]);
        assert_judges(&number(f64::MAX), &[("1e309", "0")], &[("1e308", "-7e307")]);
        assert_judges(&number(5e-324), &[("1e-323", "0")], &[("5e-324", "0")]);
    }

    #[test]
    fn shares_and_digits_of_the_reference_are_exact() {
        assert_judges(
            &untagged("number_equal", &json!({"relative": 0.01})),
            &[("101.000001", "100"), ("98.99", "100"), ("-100", "100"), ("0.001", "0")],
            &[
                ("101", "100"),
                ("99", "100"),
                ("-101", "-100"),
                ("0", "0"),
                ("0.33", "1/3"),
                ("101e900", "100e900"),
            ],
        );
        assert_judges(
            &untagged("number_equal", &json!({"significant_digits": 3})),
            &[
                ("3.13", "3.14159"),
                ("3.1", "3.14159"),
                ("31.4", "3.14159"),
                ("-3.14", "3.14159"),
                ("0.001", "0"),
                ("0.332", "1/3"),
                ("99.49", "100"),
                ("1.005001e900", "1e900"),
            ],
            &[
                ("3.14", "3.14159"),
                ("3.1416", "3.14159"),
                ("0", "0"),
                ("0.333", "1/3"),
                ("0.667", "2/3"),
                ("333", "1000/3"),
                ("100.4", "100"),
                ("1.005e900", "1e900"),
            ],
        );
    }

    #[test]
    fn commas_currencies_and_units_are_read_on_request() {
        assert_judges(
            &untagged("number_equal", &json!({"thousands": true})),
            &[
                ("1,00", "100"),
                ("1,0000", "10000"),
                (",100", "100"),
                ("1000,000", "1000000"),
                ("1.5,000", "1.5"),
            ],
            &[("1,000", "1000"), ("-1,234,567.5", "-1234567.5"), ("1000", "1,000"), ("12", "12")],
        );
        assert_judges(
            &untagged("number_equal", &json!({"currency": true})),
            &[("€5", "$5"), ("$$5", "5"), ("$", "5"), ("$-5", "5"), ("5 dollars", "5"), ("1,000", "1000")],
            &[("$5", "5"), ("5 €", "€5"), ("5", "$5.00")],
        );
        assert_judges(
            &untagged("number_equal", &json!({"units": ["m", "km", "%"]})),
            &[("5 m", "5 km"), ("5 cm", "5"), ("km", "5"), ("5 mkm", "5"), ("50%", "0.5"), ("6 km", "5 km")],
            &[("5 km", "5 km"), ("5km", "5"), ("5", "5 km"), ("50%", "50")],
        );
        let error = Verifier::new("number_equal", json!({"units": [" km"]}).as_object().unwrap());
        assert!(error.unwrap_err().to_string().contains("`units[0]` is ` km`, but must be"));
    }

    #[test]
    fn equal_numbers_have_one_key() {
        let key = |text: &str| {
            let mut budget = Budget::new(1_000_000);
            Number::read(text, &mut budget).unwrap().unwrap().key(&mut budget).unwrap()
        };
        for (one, other) in [("1/2", "0.50"), ("2/6", "1/3"), ("6/3", "2"), ("-7/35", "-0.2"), ("0/7", "0")] {
            assert_eq!(key(one), key(other), "{one} {other}");
        }
        for (one, other) in [("1/3", "0.333"), ("1/3", "-1/3"), ("1/6", "1/60"), ("1", "10"), ("1/30", "1/3")]
        {
            assert_ne!(key(one), key(other), "{one} {other}");
        }
    }

    #[test]
    fn a_reference_must_be_a_number() {
        assert_refuses(&number(0.0), &["", "seven", "1/0", "nan", "1,000", "[1]", "1 2"]);
        let power = format!("1e{}", "7".repeat(1 << 20));
        assert_refuses(&number(0.0), &[power.as_str()]);
    }

    #[test]
    fn long_numbers_are_judged_in_bounded_work() {
        let digits = |digit: &str| digit.repeat(60_000);
        let halves = |digit: &str| digit.repeat(30_000);
        let (sevens, thirds) = (digits("7"), format!("{}/{}", halves("1"), halves("3")));
        let near = format!("{}8", &sevens[1..]);
        let power = format!("1e{sevens}");
        for tolerance in [0.0, 0.5] {
            assert_judges(
                &number(tolerance),
                &[
                    (&near, &sevens),
                    (&thirds, &sevens),
                    (&power, &thirds),
                    (&power, "1"),
                    ("1e999999999", &thirds),
                ],
                &[(&sevens, &sevens), (&thirds, "1/3"), (&thirds, &thirds), (&power, &power)],
            );
        }
        let longer = format!("{}/3", "7".repeat(1_000_000));
        assert_eq!(number(0.0).judge(&longer, "1").unwrap().failures, ["over_budget"]);
        assert_refuses(&number(0.0), &[&longer]);
    }
}
