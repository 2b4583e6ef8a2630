//! The same number, whatever its notation; or within a tolerance. Every comparison is exact.

use dashu_int::IBig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, Example, Metric, passes};
use crate::budget::{Budget, OverBudget};
use crate::error::quoted;
use crate::params::Params;
use crate::shared::decimal::{Decimal, Scaled, is_digits, natural, signed};
use crate::task::answer::{LONGEST_ANSWER, Reading};
use crate::task::verdict::Verdict;

#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NumberEqual {
    /// The difference that still passes. It is the decimal it is printed as: 0.1 is one tenth.
    #[schemars(range(min = 0))]
    tolerance: f64,
}

impl Params for NumberEqual {}

const FORMS: &str = "one number like -12, 0.5, 3/4 or 1.2e-3";

impl Metric for NumberEqual {
    const ABOUT: About = About {
        name: "number_equal",
        summary: "The same number, or one within a tolerance.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example::ONE,
    };

    type Truth<'a> = (Number, &'a str);

    fn truth<'a>(&self, text: &'a str, budget: &mut Budget) -> Result<(Number, &'a str), String> {
        const LONG: &str = "must be a shorter number: it is too long to compute with";
        // An answer that could be equal is refused at this length, too.
        if text.len() > LONGEST_ANSWER {
            return Err(LONG.into());
        }
        match Number::read(text, budget) {
            Ok(Some(number)) => Ok((number, text)),
            Ok(None) => Err(format!("must be {FORMS}")),
            Err(OverBudget) => Err(LONG.into()),
        }
    }

    fn compare(
        &self,
        answer: &str,
        (truth, written): &Self::Truth<'_>,
        budget: &mut Budget,
    ) -> Result<Verdict, OverBudget> {
        let Some(number) = Number::read(answer, budget)? else {
            return Ok(Verdict::malformed(format!("`{}` is not {FORMS}", quoted(answer))));
        };
        Ok(passes(number.is_within(truth, self.tolerance, budget)?, answer, written))
    }
}

/// A decimal over an integer of at least 1. A decimal is over 1; a fraction need not be in lowest terms.
#[derive(Debug)]
pub struct Number {
    above: Decimal,
    below: IBig,
}

impl Number {
    /// Reads a decimal, or a fraction of two integers with a sign each and perhaps white space around the
    /// line: `-3/4`, `−3 / 4`. `None` for any other text, a fraction over zero included.
    fn read(text: &str, budget: &mut Budget) -> Result<Option<Self>, OverBudget> {
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

    /// Whether the two differ by at most `tolerance`.
    fn is_within(&self, other: &Self, tolerance: f64, budget: &mut Budget) -> Result<bool, OverBudget> {
        if self.above == other.above && self.below == other.below {
            return Ok(true);
        }
        let whole = IBig::from(1);
        if tolerance <= 0.0 && self.below == whole && other.below == whole {
            return Ok(false);
        }
        // |a/b - c/d| <= t exactly when neither of ad - cb - tbd and cb - ad - tbd is above zero.
        let printed = Decimal::read(&format!("{tolerance:e}"), budget)?;
        let allowed = printed.expect("a finite float prints as a decimal").scaled(budget)?;
        let (this, that) = (self.above.scaled(budget)?, other.above.scaled(budget)?);
        let this = this * &other.below;
        let that = that * &self.below;
        let allowed = allowed * &self.below * &other.below;
        let exceeds =
            |one: &Scaled, other: &Scaled| Scaled::sign_of_sum([one.clone(), -other, -&allowed]).is_gt();
        Ok(!exceeds(&this, &that) && !exceeds(&that, &this))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Verifier;
    use super::super::tests::{assert_judges, assert_refuses, untagged};

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
        // In floats 0.4 - 0.1 is more than 0.3.
        assert_judges(&number(0.3), &[("0.4", "0.09999999999999999999")], &[("0.4", "0.1"), ("0.1", "0.4")]);
        assert_judges(&number(f64::MAX), &[("1e309", "0")], &[("1e308", "-7e307")]);
        assert_judges(&number(5e-324), &[("1e-323", "0")], &[("5e-324", "0")]);
    }

    #[test]
    fn a_truth_must_be_a_number() {
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
