//! Compares numbers with their units.

use std::cmp::Ordering;

use super::{Compared, Decider, mismatch};
use crate::math::expression::Expr;
use crate::math::normal::Atoms;
use crate::math::same::order;
use crate::math::units::smallest;
use crate::math::value::{Quantity, Unit};
use crate::math::{Fault, label};
use crate::words;

/// The largest number that is taken for a percentage without its sign.
const MOST_PERCENT: i64 = 1_000;

impl Decider<'_, '_, '_> {
    pub(super) fn quantity(&mut self, reference: &Quantity, answer: &Quantity) -> Compared {
        let lettered = with_lettered_unit(reference, answer);
        let answer = lettered.as_ref().unwrap_or(answer);
        let scaled = |expr: &Expr, by: Expr| Expr::Product(vec![expr.clone(), by]);
        let percent = || Expr::whole(100).inverse();
        let degree = || Expr::Product(vec![Expr::Pi, Expr::whole(180).inverse()]);
        let required = self.settings.require_units;
        match (&reference.unit, &answer.unit) {
            (Some(_), None) if required => return mismatch(label::WRONG_UNIT, "the answer has no unit"),
            // Twelve pairs are not the number twelve.
            (one, Some(Unit::Group(group))) if *one != answer.unit => {
                return mismatch(label::WRONG_UNIT, format!("the answer counts in {group}s"));
            }
            (Some(Unit::Group(group)), Some(_)) if reference.unit != answer.unit => {
                return mismatch(label::WRONG_UNIT, format!("{group}s are asked for"));
            }
            (Some(Unit::Percent), Some(Unit::Percent)) | (Some(Unit::Degree), Some(Unit::Degree)) => {}
            (Some(Unit::Total(one)), Some(Unit::Total(other))) if one == other => {}
            // `2 hours and 30 minutes` is `150 minutes`.
            (Some(Unit::Total(one)), Some(Unit::Known(unit))) => {
                return match smallest(unit) {
                    Some((kind, count)) if kind == *one => {
                        self.number(&reference.expr, &scaled(&answer.expr, Expr::whole(count)))
                    }
                    _ => mismatch(label::WRONG_UNIT, "the unit is another"),
                };
            }
            (Some(Unit::Known(unit)), Some(Unit::Total(one))) => {
                return match smallest(unit) {
                    Some((kind, count)) if kind == *one => {
                        self.number(&scaled(&reference.expr, Expr::whole(count)), &answer.expr)
                    }
                    _ => mismatch(label::WRONG_UNIT, "the unit is another"),
                };
            }
            (Some(Unit::Total(_)), _) | (_, Some(Unit::Total(_))) => {
                return mismatch(label::WRONG_UNIT, "the unit is another");
            }
            // 25 degrees are 25 °C where those are asked for.
            (Some(Unit::Known(unit)), Some(Unit::Degree)) if unit.starts_with('°') => {}
            (Some(Unit::Percent), None) => {
                return self.either(&reference.expr, &scaled(&reference.expr, percent()), &answer.expr);
            }
            (Some(Unit::Degree), None) => {
                return self.either(&reference.expr, &scaled(&reference.expr, degree()), &answer.expr);
            }
            (None, Some(Unit::Percent)) => {
                let share = scaled(&answer.expr, percent());
                let percentage = self.is_percentage(&reference.expr)?;
                return self.number(&reference.expr, if percentage { &answer.expr } else { &share });
            }
            (None, Some(Unit::Degree)) => {
                if self.number(&reference.expr, &answer.expr)?.is_none() {
                    return Ok(None);
                }
                return self.number(&reference.expr, &scaled(&answer.expr, degree()));
            }
            (Some(Unit::Known(one)), Some(Unit::Known(other))) if one != other => {
                return mismatch(label::WRONG_UNIT, format!("the unit is {other}, not {one}"));
            }
            (Some(Unit::Counted { words: one, .. }), Some(Unit::Counted { words: other, .. }))
                if required && !same_words(one, other) =>
            {
                return mismatch(label::WRONG_UNIT, format!("the unit is {other}, not {one}"));
            }
            (Some(one), Some(other)) if !required && may_be_the_same(one, other) => {}
            (Some(one), Some(other)) if std::mem::discriminant(one) != std::mem::discriminant(other) => {
                return mismatch(label::WRONG_UNIT, "the unit is another");
            }
            _ => {}
        }
        self.number(&reference.expr, &answer.expr)
    }

    /// True if a number without a sign is most likely a percentage: an integer, a decimal or a mixed number
    /// above one and up to a thousand. Other fractions, and anything up to one, are shares.
    fn is_percentage(&mut self, reference: &Expr) -> Result<bool, Fault> {
        if reference.has_variables() || reference.has_log() {
            return Ok(false);
        }
        for (bound, beyond) in [(1, Ordering::Greater), (MOST_PERCENT + 1, Ordering::Less)] {
            if order(reference, &Expr::whole(bound), self.key, self.budget)? != Some(beyond) {
                return Ok(false);
            }
        }
        if reference.decimal().is_some() || matches!(reference, Expr::Sum(_)) {
            return Ok(true);
        }
        let value = Atoms::default().normal(reference, self.budget)?.value(self.budget)?;
        Ok(value.is_some_and(|value| value.integer().is_some()))
    }

    /// A reference that may be written in either of two ways.
    fn either(&mut self, reference: &Expr, other: &Expr, answer: &Expr) -> Compared {
        if self.number(other, answer)?.is_none() {
            return Ok(None);
        }
        self.number(reference, answer)
    }
}

/// `6h` is six times h, but six hours where hours are asked for.
fn with_lettered_unit(reference: &Quantity, answer: &Quantity) -> Option<Quantity> {
    let (Some(Unit::Known(unit)), None, Expr::Product(parts)) = (&reference.unit, &answer.unit, &answer.expr)
    else {
        return None;
    };
    let (Expr::Variable(letter), rest) = parts.split_last()? else { return None };
    let number = Expr::Product(rest.to_vec());
    let meant =
        words::known_unit(letter) == Some(unit) && !number.has_variables() && !reference.expr.has_variables();
    meant.then(|| Quantity { expr: number, unit: reference.unit.clone() })
}

/// True if two units, one of which is unknown or known in part, may be the same.
fn may_be_the_same(one: &Unit, other: &Unit) -> bool {
    let (known, part) = match (one, other) {
        (Unit::Known(known), Unit::Counted { known: part, .. })
        | (Unit::Counted { known: part, .. }, Unit::Known(known)) => (known, part),
        (Unit::Counted { known, .. }, Unit::Counted { known: part, .. }) if !part.is_empty() => (known, part),
        (Unit::Counted { .. }, Unit::Counted { .. }) => return true,
        _ => return false,
    };
    // Apples are units, but not centimeters; dollars per apple are dollars.
    let leads = |long: &str, short: &str| {
        long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    known.is_empty() || known == "unit" || (!part.is_empty() && (leads(part, known) || leads(known, part)))
}

fn same_words(one: &str, other: &str) -> bool {
    let stem = |text: &str| {
        text.split_whitespace().map(|word| word.trim_end_matches('s').to_owned()).collect::<Vec<_>>()
    };
    stem(one) == stem(other)
}
