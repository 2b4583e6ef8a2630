//! Decides whether an answer is what the reference asks for.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::expression::{Expr, Function};
use super::normal::Atoms;
use super::numerals::number_in_words;
use super::pairs::paired;
use super::plain::ROUNDED_DIGITS;
use super::ratio::Ratio;
use super::read::hours_and_minutes;
use super::same::{Sameness, same, within};
use super::tokens::{Bracket, Relation};
use super::value::{Joint, Quantity, Value};
use super::{Fault, Settings, label};
use crate::words;
use kit::budget::Budget;
use kit::task::verdict::label as common;

mod choices;
mod named;
mod quantities;
mod relations;

/// Reason why an answer is not what is asked for.
#[derive(Clone, Debug)]
pub struct Mismatch {
    pub label: &'static str,
    pub detail: String,
}

type Compared = Result<Option<Mismatch>, Fault>;

/// Outcome of one way to compare two values.
enum Tried {
    Compared(Option<Mismatch>),
    /// Another way must compare them.
    Another,
}

#[expect(clippy::unnecessary_wraps, reason = "it ends a comparison, which can fail")]
fn wrong(detail: impl Into<String>) -> Compared {
    Ok(Some(Mismatch { label: common::WRONG_ANSWER, detail: detail.into() }))
}

#[expect(clippy::unnecessary_wraps, reason = "it ends a comparison, which can fail")]
fn mismatch(label: &'static str, detail: impl Into<String>) -> Compared {
    Ok(Some(Mismatch { label, detail: detail.into() }))
}

pub struct Decider<'d, 'b, 's> {
    pub settings: &'d Settings,
    pub key: u64,
    /// True if every equality found was proven.
    pub proven: bool,
    pub budget: &'b mut Budget<'s>,
}

impl Decider<'_, '_, '_> {
    #[expect(clippy::too_many_lines, reason = "one arm per pair of kinds")]
    pub fn compare(&mut self, reference: &Value, answer: &Value) -> Compared {
        self.budget.spend(20)?;
        match (reference, answer) {
            (Value::Quantity(reference), Value::Quantity(answer)) => return self.quantity(reference, answer),
            (_, Value::Also(value, also)) => {
                if let Some(told) = self.consistent(value, also)? {
                    return Ok(Some(told));
                }
                return self.compare(reference, value);
            }
            (Value::Also(value, _), _) => return self.compare(value, answer),
            (Value::Choice(..), _) | (_, Value::Choice(..)) => return self.choices(reference, answer),
            (Value::Qualified(..), _) | (_, Value::Qualified(..)) => {
                return self.qualified(reference, answer);
            }
            _ => {}
        }
        if let Tried::Compared(compared) = self.named(reference, answer)? {
            return Ok(compared);
        }
        if let Tried::Compared(compared) = self.sets(reference, answer)? {
            return Ok(compared);
        }
        match (reference, answer) {
            (Value::Words(one), Value::Words(other))
                if without_article(one) == without_article(other) || is_half_of_day(one, other) =>
            {
                Ok(None)
            }
            (Value::Quantity(reference), Value::Words(words)) => match number_in_words(words) {
                Some(number) => self.quantity(reference, &Quantity { expr: Expr::whole(number), unit: None }),
                None => wrong("the answer is words, not a formula"),
            },
            (Value::Words(words), Value::Quantity(answer)) => match number_in_words(words) {
                Some(number) => self.quantity(&Quantity { expr: Expr::whole(number), unit: None }, answer),
                None => wrong("the answer is a formula, not words"),
            },
            // `m + n = 113`
            (Value::Quantity(_), Value::Chain(sides, relations)) if relations[..] == [Relation::Equal] => {
                match asked_side(sides) {
                    Some(side) => self.compare(reference, &Value::number(side.clone())),
                    None => wrong("the answer is an equation, not a formula"),
                }
            }
            (Value::Pieces(pieces), Value::Pieces(others)) => self.pieces(pieces, others),
            (Value::NumberSet(one), Value::NumberSet(other)) if one == other => Ok(None),
            (Value::Infinite(one), Value::Infinite(other)) if one == other => Ok(None),
            (Value::Based(one, base), Value::Based(other, another)) if (one, base) == (other, another) => {
                Ok(None)
            }
            (Value::Group(open, close, items), Value::Group(other_open, other_close, others)) => {
                let round =
                    |bracket: &Bracket| if *bracket == Bracket::Angle { Bracket::Round } else { *bracket };
                if (round(open), round(close)) != (round(other_open), round(other_close)) {
                    return wrong("the brackets are others");
                }
                self.in_order(items, others)
            }
            (Value::List(_, items), Value::Group(Bracket::Square, Bracket::Square, others))
            | (Value::Group(Bracket::Square, Bracket::Square, items), Value::List(_, others))
                if others.len() > 2 =>
            {
                self.in_order(items, others)
            }
            (Value::List(_, items), Value::List(_, others)) => self.in_any_order(items, others, false),
            (Value::Set(items), Value::Set(others) | Value::List(_, others))
            | (Value::List(_, items), Value::Set(others)) => self.in_any_order(items, others, true),
            (Value::Matrix(rows), Value::Matrix(others)) => self.matrices(rows, others),
            (Value::Proportion(terms), Value::Proportion(others)) => self.proportions(terms, others),
            (
                Value::Group(Bracket::Round | Bracket::Angle, Bracket::Round | Bracket::Angle, items),
                Value::Matrix(rows),
            ) if rows[0].len() == 1 => {
                let column: Vec<Value> = rows.iter().map(|row| Value::number(row[0].clone())).collect();
                self.in_order(items, &column)
            }
            (
                Value::Matrix(rows),
                Value::Group(Bracket::Round | Bracket::Angle, Bracket::Round | Bracket::Angle, items),
            ) if rows[0].len() == 1 => {
                let quantities = items.iter().map(|item| match item {
                    Value::Quantity(Quantity { expr, .. }) => Some(vec![expr.clone()]),
                    _ => None,
                });
                match quantities.collect::<Option<Vec<_>>>() {
                    Some(column) => self.matrices(rows, &column),
                    None => wrong("the answer is not a vector of numbers"),
                }
            }
            (
                Value::Congruence { name, residue, modulus },
                Value::Congruence { name: other_name, residue: other, modulus: another },
            ) => {
                if name.as_ref().zip(other_name.as_ref()).is_some_and(|(one, other)| one.text != other.text) {
                    return wrong("another unknown is named");
                }
                self.residues((residue, modulus), (other, another))
            }
            (Value::Chain(sides, relations), Value::Chain(others, other_relations)) => {
                self.chains((sides, relations), (others, other_relations))
            }
            // Several answers instead of one, or one instead of several.
            (Value::List(..) | Value::Set(_), Value::Quantity(_) | Value::Group(..)) => {
                self.one_of(reference, answer)
            }
            (
                Value::Quantity(_) | Value::Group(..) | Value::Chain(..) | Value::Infinite(_),
                Value::List(joint, items),
            ) => self.among(reference, *joint, items),
            (Value::Quantity(_), Value::Set(items)) => self.among(reference, Joint::Comma, items),
            _ => wrong(format!("the answer is {}, not {}", answer.kind(), reference.kind())),
        }
    }

    /// The values that an answer claims to have must be one.
    fn consistent(&mut self, value: &Value, also: &[(Relation, Expr)]) -> Compared {
        let Value::Quantity(first) = value else {
            return mismatch(common::MALFORMED_ANSWER, "only a formula can be written in several ways");
        };
        for (relation, expr) in also {
            let alike = match (self.same(&first.expr, expr)?, relation) {
                (true, _) => true,
                (false, Relation::About) => match self.half_unit(expr)? {
                    Some(half) => within(&first.expr, expr, &half, self.key, self.budget)?,
                    None => false,
                },
                _ => false,
            };
            if !alike {
                return mismatch(common::HEDGED, "the answer gives two values that differ");
            }
        }
        Ok(None)
    }

    // Formulas

    fn same(&mut self, reference: &Expr, answer: &Expr) -> Result<bool, Fault> {
        match same(reference, answer, self.key, self.budget)? {
            Sameness::Same { proven } => {
                self.proven &= proven;
                Ok(true)
            }
            Sameness::Different => Ok(false),
            Sameness::Open => Err(Fault::Undecided),
        }
    }

    /// Half a unit of the last place of a decimal.
    fn half_unit(&mut self, expr: &Expr) -> Result<Option<Ratio>, Fault> {
        let Some((_, half, others)) = expr.decimal() else { return Ok(None) };
        if others.is_empty() {
            return Ok(Some(half.clone()));
        }
        let mut product = half.clone();
        for other in others {
            let value = Atoms::default().normal(other, self.budget)?.value(self.budget)?;
            let Some(value) = value else { return Ok(None) };
            product = product.times(&value.magnitude(), self.budget)?;
        }
        Ok(Some(product))
    }

    /// True if a decimal has enough digits that anything rounding to it passes.
    fn rounds(&mut self, expr: &Expr) -> Result<bool, Fault> {
        let Some((value, half, others)) = expr.decimal() else { return Ok(false) };
        // `120.0` is 120 as a program prints it.
        let one = half.plus(half, self.budget)?.compare(&Ratio::whole(1), self.budget)?;
        if others.is_empty() && one.is_lt() && value.integer().is_some() {
            return Ok(false);
        }
        let least = half.times(&Ratio::whole(2 * 10_i64.pow(ROUNDED_DIGITS - 1)), self.budget)?;
        Ok(value.magnitude().compare(&least, self.budget)?.is_ge())
    }

    fn number(&mut self, reference: &Expr, answer: &Expr) -> Compared {
        if self.same(reference, answer)? {
            return Ok(None);
        }
        let of_answer = self.half_unit(answer)?;
        if self.settings.rounded
            && self.rounds(reference)?
            && let Some(half) = self.half_unit(reference)?
            && within(reference, answer, &half, self.key, self.budget)?
        {
            return Ok(None);
        }
        if let Some(allowed) = &self.settings.tolerance
            && within(reference, answer, allowed, self.key, self.budget)?
        {
            return Ok(None);
        }
        if let Some(half) = &of_answer
            && within(reference, answer, half, self.key, self.budget)?
        {
            return mismatch(label::WRONG_PRECISION, "the answer is rounded further than the reference");
        }
        wrong("the value is another")
    }

    // Collections

    fn in_order(&mut self, items: &[Value], others: &[Value]) -> Compared {
        if items.len() != others.len() {
            return wrong(format!("there are {} items, not {}", others.len(), items.len()));
        }
        for (item, other) in items.iter().zip(others) {
            if let Some(told) = self.compare(item, other)? {
                return Ok(Some(told));
            }
        }
        Ok(None)
    }

    fn in_any_order(&mut self, items: &[Value], others: &[Value], once: bool) -> Compared {
        let (items, others) = if once {
            (self.distinct(items)?, self.distinct(others)?)
        } else {
            (items.iter().collect(), others.iter().collect())
        };
        let near = self.settings.rounded || self.settings.tolerance.is_some();
        let pairs = paired(items.len(), others.len(), near, |item, other| {
            Ok::<_, Fault>(self.compare(items[item], others[other])?.is_none())
        })?;
        let missing = pairs.iter().filter(|pair| pair.is_none()).count();
        let extra = others.len() + missing - items.len();
        match (missing, extra) {
            (0, 0) => Ok(None),
            (count, 0) => {
                mismatch(label::MISSING_SOLUTIONS, format!("{count} of what is asked for is missing"))
            }
            (0, count) => mismatch(label::EXTRA_SOLUTIONS, format!("{count} more is given than is right")),
            (missing, extra) => wrong(format!("{missing} is missing and {extra} is wrong")),
        }
    }

    fn distinct<'v>(&mut self, items: &'v [Value]) -> Result<Vec<&'v Value>, Fault> {
        let mut kept: Vec<&Value> = Vec::new();
        // A value that only rounds to an item is a different item.
        let exact = Settings::exact(self.settings.decimal);
        let mut decider = Decider { settings: &exact, key: self.key, proven: true, budget: self.budget };
        for item in items {
            let mut known = false;
            for other in &kept {
                known = known || decider.compare(other, item)?.is_none();
            }
            if !known {
                kept.push(item);
            }
        }
        let proven = decider.proven;
        self.proven &= proven;
        Ok(kept)
    }

    /// One answer instead of several.
    fn one_of(&mut self, reference: &Value, answer: &Value) -> Compared {
        let items = items_of(reference);
        // `\frac34 \text{ or } 0.75`
        if matches!(reference, Value::List(Joint::Or, _)) && items.len() > 1 {
            let mut all = true;
            for item in &items {
                all = all && self.compare(item, answer)?.is_none();
            }
            if all {
                return Ok(None);
            }
        }
        for item in &items {
            if self.compare(item, answer)?.is_none() {
                return if items.len() == 1 && matches!(reference, Value::Set(_)) {
                    wrong("a set is asked for, not its element")
                } else {
                    mismatch(label::MISSING_SOLUTIONS, format!("1 of {} solutions is given", items.len()))
                };
            }
        }
        wrong(format!("the answer is {}, not {}", answer.kind(), reference.kind()))
    }

    /// Several answers instead of one.
    fn among(&mut self, reference: &Value, joint: Joint, items: &[Value]) -> Compared {
        let (mut right, mut all) = (false, true);
        for item in items {
            let same = self.compare(reference, item)?.is_none();
            right |= same;
            all &= same;
        }
        match (right, joint) {
            // `\frac34 \text{ or } 0.75`
            (true, Joint::Or) if all => Ok(None),
            (true, _) if items.len() == 1 => wrong("a set is given, not its element"),
            (true, Joint::Or) => {
                mismatch(common::HEDGED, "the answer gives several values, one of which is right")
            }
            (true, _) => mismatch(label::EXTRA_SOLUTIONS, "the answer gives more than what is asked for"),
            (false, _) => wrong("several values are given, none of which is right"),
        }
    }

    fn pieces(&mut self, pieces: &[(Value, Value)], others: &[(Value, Value)]) -> Compared {
        if pieces.len() != others.len() {
            return wrong(format!("there are {} pieces, not {}", others.len(), pieces.len()));
        }
        let pairs = paired(pieces.len(), others.len(), false, |at, other| {
            let (piece, other) = (&pieces[at], &others[other]);
            Ok::<_, Fault>(
                self.compare(&piece.1, &other.1)?.is_none() && self.compare(&piece.0, &other.0)?.is_none(),
            )
        })?;
        if pairs.iter().all(Option::is_some) { Ok(None) } else { wrong("a piece is another") }
    }

    fn proportions(&mut self, terms: &[Expr], others: &[Expr]) -> Compared {
        if terms.len() != others.len() {
            return wrong(format!("there are {} terms, not {}", others.len(), terms.len()));
        }
        let share = |terms: &[Expr], at: usize| terms[at].clone().over(terms[0].clone());
        for at in 0..terms.len() {
            if !self.same(&share(terms, at), &share(others, at))? {
                return wrong("the proportion is another");
            }
        }
        Ok(None)
    }

    fn matrices(&mut self, rows: &[Vec<Expr>], others: &[Vec<Expr>]) -> Compared {
        if rows.len() != others.len() || rows[0].len() != others[0].len() {
            return wrong("the matrix has another size");
        }
        // Entries of one matrix are rounded alike: next to 0.196, 0.29 is 0.290.
        let mut finest: Option<Ratio> = None;
        for entry in rows.iter().flatten() {
            if self.settings.rounded
                && self.rounds(entry)?
                && let Some(half) = self.half_unit(entry)?
                && (finest.is_none()
                    || finest
                        .as_ref()
                        .is_some_and(|other| half.compare(other, self.budget) == Ok(Ordering::Less)))
            {
                finest = Some(half);
            }
        }
        for (reference, answer) in rows.iter().flatten().zip(others.iter().flatten()) {
            let Some(told) = self.number(reference, answer)? else { continue };
            let near = match (&finest, reference.decimal()) {
                (Some(half), Some(_)) => within(reference, answer, half, self.key, self.budget)?,
                _ => false,
            };
            if !near {
                return Ok(Some(told));
            }
        }
        Ok(None)
    }

    fn residues(&mut self, reference: (&Expr, &Expr), answer: (&Expr, &Expr)) -> Compared {
        if !self.same(reference.1, answer.1)? {
            return wrong("the modulus is another");
        }
        let quotient = answer.0.clone().minus(reference.0.clone()).over(reference.1.clone());
        let value = Atoms::default().normal(&quotient, self.budget)?.value(self.budget)?;
        match value.and_then(|value| value.integer()) {
            Some(_) => Ok(None),
            None => wrong("the residue is another"),
        }
    }

    /// Rejects a value in which a formula has no value at all, or of which only a name remains.
    pub fn check(&mut self, value: &Value) -> Result<(), Fault> {
        match value {
            Value::Quantity(quantity) => self.defined(&quantity.expr),
            Value::Group(_, _, items) | Value::Set(items) | Value::List(_, items) => {
                items.iter().try_for_each(|item| self.check(item))
            }
            Value::Matrix(rows) => rows.iter().flatten().try_for_each(|cell| self.defined(cell)),
            Value::Chain(sides, _) => {
                let finite = sides.iter().filter(|side| side.infinite().is_none());
                finite.into_iter().try_for_each(|side| self.defined(side))
            }
            Value::Proportion(terms) => {
                terms.iter().try_for_each(|term| self.defined(&term.clone().over(terms[0].clone())))
            }
            Value::Named { value, .. }
            | Value::Also(value, _)
            | Value::Choice(_, value)
            | Value::Qualified(value, _) => self.check(value),
            Value::Pieces(pieces) => pieces.iter().try_for_each(|(value, _)| self.check(value)),
            Value::Congruence { residue, modulus, .. } => {
                self.defined(residue)?;
                self.defined(&modulus.clone().inverse())
            }
            Value::Words(_)
            | Value::Region(_)
            | Value::Based(..)
            | Value::NumberSet(_)
            | Value::Infinite(_) => Ok(()),
        }
    }

    fn defined(&mut self, expr: &Expr) -> Result<(), Fault> {
        // A formula equals itself unless it has no value.
        match same(expr, expr, self.key, self.budget)? {
            Sameness::Open => Err(Fault::Undecided),
            _ => Ok(()),
        }
    }
}

fn items_of(value: &Value) -> Vec<Value> {
    match value {
        Value::List(_, items) | Value::Set(items) => items.clone(),
        other => vec![other.clone()],
    }
}

/// The side without variables of `m + n = 113`, if the other one is a quantity that one asks for: it has
/// several unknowns or is the value of a function. `x^2 = 9` says something of an unknown.
fn asked_side(sides: &[Expr]) -> Option<&Expr> {
    let asked = |side: &Expr| {
        let several = side.variables().len() > 1;
        several
            || match side {
                Expr::Two(..) => side.has_variables(),
                Expr::Call(Function::Abs, inner) => match &**inner {
                    Expr::Variable(name) => {
                        name.starts_with(|c: char| c.is_ascii_uppercase()) || matches!(&**name, "z" | "w")
                    }
                    _ => false,
                },
                Expr::Call(
                    Function::Sin | Function::Cos | Function::Tan | Function::Floor | Function::Ceiling,
                    inner,
                ) => inner.has_variables(),
                _ => false,
            }
    };
    match sides {
        [left, right] if !right.has_variables() && asked(left) => Some(right),
        [left, right] if !left.has_variables() && asked(right) => Some(left),
        _ => None,
    }
}

/// Words without an article or a preposition before them: `a Friday`.
fn without_article(words: &str) -> Cow<'_, str> {
    let articles = ["a ", "an ", "the ", "on ", "it is ", "it is a ", "it is an ", "there are ", "there is "];
    let bare = articles.iter().rev().find_map(|article| words.strip_prefix(article));
    bare.map_or(Cow::Borrowed(words), |bare| Cow::Owned(words::normal(bare)))
}

/// True for a time of day and the same with its half of the day: `12:30` and `12:30 pm`.
fn is_half_of_day(reference: &str, answer: &str) -> bool {
    hours_and_minutes(reference).is_some()
        && answer.strip_prefix(reference).is_some_and(|half| matches!(half, " pm" | " am"))
}
