//! Whether an answer is what a truth asks for.

use super::expression::Expr;
use super::normal::Atoms;
use super::ratio::Ratio;
use super::read::as_region;
use super::same::{Sameness, same, within};
use super::sets::{flipped, same_sets, solved};
use super::tokens::{Bracket, Relation};
use super::value::{Joint, Name, Quantity, Region, Unit, Value};
use super::{Fault, Settings, label};
use crate::budget::Budget;
use crate::task::verdict::label as common;

/// Why an answer is not what is asked for.
#[derive(Clone, Debug)]
pub struct Mismatch {
    pub label: &'static str,
    pub detail: String,
}

type Compared = Result<Option<Mismatch>, Fault>;

/// What a way to compare two values makes of them.
enum Tried {
    Compared(Option<Mismatch>),
    /// They are to be compared in another way.
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
    /// Whether all that was found equal was proven.
    pub proven: bool,
    pub budget: &'b mut Budget<'s>,
}

impl Decider<'_, '_, '_> {
    pub fn compare(&mut self, truth: &Value, answer: &Value) -> Compared {
        self.budget.spend(20)?;
        match (truth, answer) {
            (Value::Quantity(truth), Value::Quantity(answer)) => return self.quantity(truth, answer),
            (_, Value::Also(value, also)) => {
                if let Some(told) = self.consistent(value, also)? {
                    return Ok(Some(told));
                }
                return self.compare(truth, value);
            }
            (Value::Also(value, _), _) => return self.compare(value, answer),
            _ => {}
        }
        if let Tried::Compared(compared) = self.named(truth, answer)? {
            return Ok(compared);
        }
        if let Tried::Compared(compared) = self.sets(truth, answer)? {
            return Ok(compared);
        }
        match (truth, answer) {
            (Value::Words(one), Value::Words(other)) if one == other => Ok(None),
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
            (Value::Group(Bracket::Round | Bracket::Angle, _, items), Value::Matrix(rows))
                if rows[0].len() == 1 =>
            {
                let column: Vec<Value> = rows.iter().map(|row| Value::number(row[0].clone())).collect();
                self.in_order(items, &column)
            }
            (Value::Matrix(rows), Value::Group(Bracket::Round | Bracket::Angle, _, items))
                if rows[0].len() == 1 =>
            {
                let column: Vec<Value> = rows.iter().map(|row| Value::number(row[0].clone())).collect();
                self.in_order(&column, items)
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
            // Several answers where one is asked for, and one where several are.
            (Value::List(..) | Value::Set(_), Value::Quantity(_) | Value::Group(..)) => {
                self.one_of(truth, answer)
            }
            (
                Value::Quantity(_) | Value::Group(..) | Value::Chain(..) | Value::Infinite(_),
                Value::List(joint, items),
            ) => self.among(truth, *joint, items),
            (Value::Quantity(_), Value::Set(items)) => self.among(truth, Joint::Comma, items),
            _ => wrong(format!("the answer is {}, not {}", answer.kind(), truth.kind())),
        }
    }

    /// The values that an answer is said to have must be one.
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

    fn same(&mut self, truth: &Expr, answer: &Expr) -> Result<bool, Fault> {
        match same(truth, answer, self.key, self.budget)? {
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
        let Some((half, others)) = expr.half_unit() else { return Ok(None) };
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

    fn number(&mut self, truth: &Expr, answer: &Expr) -> Compared {
        if self.same(truth, answer)? {
            return Ok(None);
        }
        let (of_truth, of_answer) = (self.half_unit(truth)?, self.half_unit(answer)?);
        if self.settings.rounded
            && let Some(half) = &of_truth
            && within(truth, answer, half, self.key, self.budget)?
        {
            return Ok(None);
        }
        if let Some(allowed) = &self.settings.tolerance
            && within(truth, answer, allowed, self.key, self.budget)?
        {
            return Ok(None);
        }
        if let Some(half) = &of_answer
            && within(truth, answer, half, self.key, self.budget)?
        {
            return mismatch(label::WRONG_PRECISION, "the answer is rounded further than the truth");
        }
        wrong("the value is another")
    }

    fn quantity(&mut self, truth: &Quantity, answer: &Quantity) -> Compared {
        let scaled = |expr: &Expr, by: Expr| Expr::Product(vec![expr.clone(), by]);
        let percent = || Expr::whole(100).inverse();
        let degree = || Expr::Product(vec![Expr::Pi, Expr::whole(180).inverse()]);
        let required = self.settings.require_units;
        match (&truth.unit, &answer.unit) {
            (Some(_), None) if required => return mismatch(label::WRONG_UNIT, "the answer has no unit"),
            (Some(Unit::Percent), Some(Unit::Percent)) | (Some(Unit::Degree), Some(Unit::Degree)) => {}
            (Some(Unit::Percent), None) => {
                return self.either(&truth.expr, &scaled(&truth.expr, percent()), &answer.expr);
            }
            (Some(Unit::Degree), None) => {
                return self.either(&truth.expr, &scaled(&truth.expr, degree()), &answer.expr);
            }
            (None, Some(Unit::Percent)) => {
                // Above one a number may be meant in percent.
                let one = Expr::whole(1);
                let exact = !truth.expr.has_variables() && !truth.expr.has_log();
                let above = exact
                    && super::same::order(&truth.expr, &one, self.key, self.budget)?
                        .is_some_and(std::cmp::Ordering::is_gt);
                let share = scaled(&answer.expr, percent());
                if above && self.number(&truth.expr, &answer.expr)?.is_none() {
                    return Ok(None);
                }
                return self.number(&truth.expr, &share);
            }
            (None, Some(Unit::Degree)) => {
                if self.number(&truth.expr, &answer.expr)?.is_none() {
                    return Ok(None);
                }
                return self.number(&truth.expr, &scaled(&answer.expr, degree()));
            }
            (Some(Unit::Known(one)), Some(Unit::Known(other))) if one != other => {
                return mismatch(label::WRONG_UNIT, format!("the unit is {other}, not {one}"));
            }
            (Some(Unit::Counted(one)), Some(Unit::Counted(other))) if required && !same_words(one, other) => {
                return mismatch(
                    label::WRONG_UNIT,
                    format!("the unit is {}, not {}", other.trim(), one.trim()),
                );
            }
            (Some(one), Some(other)) if std::mem::discriminant(one) != std::mem::discriminant(other) => {
                let vague = |unit: &Unit| matches!(unit, Unit::Counted(_));
                if required
                    || !(vague(one) || vague(other))
                    || matches!(
                        (one, other),
                        (Unit::Percent | Unit::Degree, _) | (_, Unit::Percent | Unit::Degree)
                    )
                {
                    return mismatch(label::WRONG_UNIT, "the unit is another");
                }
            }
            _ => {}
        }
        self.number(&truth.expr, &answer.expr)
    }

    /// A truth that may be written in either of two ways.
    fn either(&mut self, truth: &Expr, other: &Expr, answer: &Expr) -> Compared {
        if self.number(other, answer)?.is_none() {
            return Ok(None);
        }
        self.number(truth, answer)
    }

    // Names

    /// `x = 5` beside `5`, `x = 5` and `y = 5`. Nothing where neither has a name.
    fn named(&mut self, truth: &Value, answer: &Value) -> Result<Tried, Fault> {
        Ok(match (truth, answer) {
            (
                Value::Named { name, value, member },
                Value::Named { name: other, value: given, member: another },
            ) => {
                if name.text != other.text {
                    return wrong(format!("`{}` is named, not `{}`", other.text, name.text))
                        .map(Tried::Compared);
                }
                if member != another {
                    return self.sets(truth, answer);
                }
                Tried::Compared(self.compare(value, given)?)
            }
            (Value::Named { name, value, member: false }, Value::Chain(sides, relations)) => {
                let Some(equation) = as_equation(name, value) else { return Ok(Tried::Another) };
                Tried::Compared(self.chains((&equation, &[Relation::Equal]), (sides, relations))?)
            }
            (Value::Chain(sides, relations), Value::Named { name, value, member: false }) => {
                let Some(equation) = as_equation(name, value) else { return Ok(Tried::Another) };
                Tried::Compared(self.chains((sides, relations), (&equation, &[Relation::Equal]))?)
            }
            (Value::Named { name, value, member: false }, Value::List(..)) => {
                // x = 1 for x = 1 or x = 2
                let items = with_name(answer);
                match (items, &**value) {
                    (Some((other, items)), _) if other == name.text => {
                        Tried::Compared(self.compare(value, &items)?)
                    }
                    _ => Tried::Compared(self.compare(value, answer)?),
                }
            }
            (Value::Named { value, member: false, .. }, _) => Tried::Compared(self.compare(value, answer)?),
            (
                Value::Named { value, member: true, .. },
                Value::Set(_) | Value::Group(..) | Value::List(..),
            ) if matches!(**value, Value::Set(_) | Value::List(..)) => {
                Tried::Compared(self.compare(value, answer)?)
            }
            (Value::Set(_) | Value::List(..), Value::Named { value, member: true, .. })
                if matches!(**value, Value::Set(_) | Value::List(..)) =>
            {
                Tried::Compared(self.compare(truth, value)?)
            }
            (Value::List(joint, _), Value::Named { name, value, member: false }) => match with_name(truth) {
                Some((other, items)) if other == name.text => Tried::Compared(self.compare(&items, value)?),
                Some(_) => Tried::Compared(self.one_of(truth, answer)?),
                None => Tried::Compared(self.compare(&Value::List(*joint, items_of(truth)), value)?),
            },
            (_, Value::Named { value, member: false, .. }) => Tried::Compared(self.compare(truth, value)?),
            (Value::List(..), Value::List(..)) => {
                let (one, other) = (with_name(truth), with_name(answer));
                match (&one, &other) {
                    (Some((name, items)), Some((other, others))) if name == other => {
                        Tried::Compared(self.compare(items, others)?)
                    }
                    (Some((_, items)), None) if plain_items(answer) => {
                        Tried::Compared(self.compare(items, answer)?)
                    }
                    (None, Some((_, others))) if plain_items(truth) => {
                        Tried::Compared(self.compare(truth, others)?)
                    }
                    _ => Tried::Another,
                }
            }
            (Value::Group(..), Value::List(..)) => match as_tuple(answer) {
                Some(tuple) => Tried::Compared(self.compare(truth, &tuple)?),
                None => Tried::Another,
            },
            (Value::List(..), Value::Group(..)) => match as_tuple(truth) {
                Some(tuple) => Tried::Compared(self.compare(&tuple, answer)?),
                None => Tried::Another,
            },
            (Value::List(..), Value::Set(_)) => match with_name(truth) {
                Some((_, items)) => Tried::Compared(self.compare(&items, answer)?),
                None => Tried::Another,
            },
            (Value::Set(_) | Value::Quantity(_) | Value::Infinite(_), Value::List(..)) => {
                match with_name(answer) {
                    Some((_, items)) => Tried::Compared(self.compare(truth, &items)?),
                    None => Tried::Another,
                }
            }
            _ => Tried::Another,
        })
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
        let mut missing = items;
        let mut extra = 0;
        for other in others {
            let mut found = None;
            for (at, item) in missing.iter().enumerate() {
                if self.compare(item, other)?.is_none() {
                    found = Some(at);
                    break;
                }
            }
            match found {
                Some(at) => {
                    missing.remove(at);
                }
                None => extra += 1,
            }
        }
        match (missing.len(), extra) {
            (0, 0) => Ok(None),
            (count, 0) => {
                mismatch(label::MISSING_SOLUTIONS, format!("{count} of what is asked for is missing"))
            }
            (0, count) => mismatch(label::EXTRA_SOLUTIONS, format!("{count} more is given than is right")),
            (missing, extra) => wrong(format!("{missing} is missing and {extra} is wrong")),
        }
    }

    fn distinct<'v>(&mut self, items: &'v [Value]) -> Result<Vec<&'v Value>, Fault> {
        let rounded = self.settings.rounded;
        let mut kept: Vec<&Value> = Vec::new();
        // What only rounds to an item is another item.
        let exact = Settings { rounded: false, tolerance: None, require_units: false };
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
        debug_assert_eq!(rounded, self.settings.rounded);
        Ok(kept)
    }

    /// One answer where several are asked for.
    fn one_of(&mut self, truth: &Value, answer: &Value) -> Compared {
        let items = items_of(truth);
        for item in &items {
            if self.compare(item, answer)?.is_none() {
                return if items.len() == 1 && matches!(truth, Value::Set(_)) {
                    wrong("a set is asked for, not its element")
                } else {
                    mismatch(label::MISSING_SOLUTIONS, format!("1 of {} solutions is given", items.len()))
                };
            }
        }
        wrong(format!("the answer is {}, not {}", answer.kind(), truth.kind()))
    }

    /// Several answers where one is asked for.
    fn among(&mut self, truth: &Value, joint: Joint, items: &[Value]) -> Compared {
        let mut right = false;
        for item in items {
            right = right || self.compare(truth, item)?.is_none();
        }
        match (right, joint) {
            (true, _) if items.len() == 1 => wrong("a set is given, not its element"),
            (true, Joint::Or) => {
                mismatch(common::HEDGED, "the answer gives several values, one of which is right")
            }
            (true, _) => mismatch(label::EXTRA_SOLUTIONS, "the answer gives more than what is asked for"),
            (false, _) => wrong("several values are given, none of which is right"),
        }
    }

    fn matrices(&mut self, rows: &[Vec<Expr>], others: &[Vec<Expr>]) -> Compared {
        if rows.len() != others.len() || rows[0].len() != others[0].len() {
            return wrong("the matrix has another size");
        }
        for (truth, answer) in rows.iter().flatten().zip(others.iter().flatten()) {
            if let Some(told) = self.number(truth, answer)? {
                return Ok(Some(told));
            }
        }
        Ok(None)
    }

    fn residues(&mut self, truth: (&Expr, &Expr), answer: (&Expr, &Expr)) -> Compared {
        if !self.same(truth.1, answer.1)? {
            return wrong("the modulus is another");
        }
        let quotient = answer.0.clone().minus(truth.0.clone()).over(truth.1.clone());
        let value = Atoms::default().normal(&quotient, self.budget)?.value(self.budget)?;
        match value.and_then(|value| value.integer()) {
            Some(_) => Ok(None),
            None => wrong("the residue is another"),
        }
    }

    // Relations

    fn chains(&mut self, truth: (&[Expr], &[Relation]), answer: (&[Expr], &[Relation])) -> Compared {
        if truth.1.len() != answer.1.len() {
            return wrong("the relation is another");
        }
        let pairs = |(sides, relations): (&[Expr], &[Relation])| -> Vec<(Expr, Relation)> {
            let pairs = sides.windows(2).zip(relations).map(|(pair, relation)| {
                // All as less, so that sides can be exchanged.
                match relation {
                    Relation::Greater | Relation::AtLeast => {
                        (pair[1].clone().minus(pair[0].clone()), flipped(*relation))
                    }
                    _ => (pair[0].clone().minus(pair[1].clone()), *relation),
                }
            });
            pairs.collect()
        };
        let (truths, mut answers) = (pairs(truth), pairs(answer));
        for (left, relation) in &truths {
            let mut found = None;
            for (at, (other, another)) in answers.iter().enumerate() {
                if relation == another && self.proportional(left, other, *relation)? {
                    found = Some(at);
                    break;
                }
            }
            match found {
                Some(at) => {
                    answers.remove(at);
                }
                None => return wrong("the relation is another"),
            }
        }
        Ok(None)
    }

    /// Whether one formula is the other times a number: above zero, unless the relation has no direction.
    fn proportional(&mut self, one: &Expr, other: &Expr, relation: Relation) -> Result<bool, Fault> {
        if one.has_log() || other.has_log() {
            return self.same(one, other);
        }
        let mut atoms = Atoms::default();
        let (left, right) = (atoms.normal(one, self.budget)?, atoms.normal(other, self.budget)?);
        let p = left.above.times(&right.below, &atoms, self.budget)?;
        let q = right.above.times(&left.below, &atoms, self.budget)?;
        let Some((monomial, value)) = p.terms.last_key_value() else { return Ok(q.is_zero()) };
        let Some(factor) = q.terms.get(monomial) else { return Ok(false) };
        let factor = factor.times(&value.inverse()?, self.budget)?;
        let directed = !matches!(relation, Relation::Equal | Relation::Unequal);
        if directed && factor.is_negative() {
            return Ok(false);
        }
        let scaled = Expr::Product(vec![Expr::Number(factor), one.clone()]);
        self.same(&scaled, other)
    }

    // Sets of numbers

    /// Compares intervals, inequalities and unions. Nothing where the two are no such sets.
    fn sets(&mut self, truth: &Value, answer: &Value) -> Result<Tried, Fault> {
        // Two that are written alike are compared by their parts, and lists of numbers are no such sets.
        if !(is_set_like(truth) && is_set_like(answer)) || (is_plain_group(truth) && is_plain_group(answer)) {
            return Ok(Tried::Another);
        }
        let finite = |value: &Value| matches!(value, Value::Set(_));
        if finite(truth) && finite(answer) {
            return Ok(Tried::Another);
        }
        let (Some((name, one)), Some((other_name, other))) = (self.region(truth)?, self.region(answer)?)
        else {
            return Ok(Tried::Another);
        };
        if let (Some(name), Some(other)) = (&name, &other_name)
            && name != other
        {
            return wrong(format!("`{other}` is named, not `{name}`")).map(Tried::Compared);
        }
        Ok(match same_sets(&one, &other, self.key, self.budget)? {
            Some(true) => Tried::Compared(None),
            Some(false) => Tried::Compared(wrong("the set is another")?),
            None => Tried::Another,
        })
    }

    /// The set of real numbers that a value describes, and the unknown that is in it.
    fn region(&mut self, value: &Value) -> Result<Option<(Option<String>, Region)>, Fault> {
        if let Some(region) = as_region(value) {
            return Ok(Some((None, region)));
        }
        match value {
            Value::Named { name, value, member } => {
                let Some((inner, region)) = (if *member {
                    self.region(value)?
                } else {
                    as_region(&Value::Set(vec![(**value).clone()])).map(|region| (None, region))
                }) else {
                    return Ok(None);
                };
                let fits = inner.is_none_or(|inner| inner == name.text);
                Ok(fits.then(|| (Some(name.text.clone()), region)))
            }
            Value::Chain(sides, relations) => {
                let mut unknown = None;
                let mut parts = Vec::new();
                for (pair, relation) in sides.windows(2).zip(relations) {
                    let Some((name, region)) = solved(&pair[0], *relation, &pair[1], self.budget)? else {
                        return Ok(None);
                    };
                    if unknown.get_or_insert_with(|| name.clone()) != &name {
                        return Ok(None);
                    }
                    parts.push(region);
                }
                let region = if parts.len() == 1 { parts.remove(0) } else { Region::Intersection(parts) };
                Ok(Some((unknown, region)))
            }
            Value::List(joint @ (Joint::And | Joint::Or), items) => {
                let mut unknown = None;
                let mut parts = Vec::new();
                for item in items {
                    let Some((name, region)) = self.region(item)? else { return Ok(None) };
                    if let Some(name) = name
                        && unknown.get_or_insert_with(|| name.clone()) != &name
                    {
                        return Ok(None);
                    }
                    parts.push(region);
                }
                let region =
                    if *joint == Joint::Or { Region::Union(parts) } else { Region::Intersection(parts) };
                Ok(Some((unknown, region)))
            }
            _ => Ok(None),
        }
    }

    /// Refuses a value in which a formula has no value at all, or of which only a name is left.
    pub fn check(&mut self, value: &Value) -> Result<(), Fault> {
        match value {
            Value::Quantity(quantity) => self.defined(&quantity.expr),
            Value::Group(_, _, items) | Value::Set(items) | Value::List(_, items) => {
                items.iter().try_for_each(|item| self.check(item))
            }
            Value::Matrix(rows) => rows.iter().flatten().try_for_each(|cell| self.defined(cell)),
            Value::Chain(sides, _) => sides.iter().try_for_each(|side| self.defined(side)),
            Value::Named { value, .. } | Value::Also(value, _) => self.check(value),
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

fn same_words(one: &str, other: &str) -> bool {
    let stem = |text: &str| {
        text.split_whitespace().map(|word| word.trim_end_matches('s').to_owned()).collect::<Vec<_>>()
    };
    stem(one) == stem(other)
}

fn is_set_like(value: &Value) -> bool {
    match value {
        Value::Region(_) | Value::Set(_) | Value::Named { member: true, .. } => true,
        Value::Group(_, _, items) => items.len() == 2,
        Value::Chain(_, relations) => relations.iter().any(|relation| *relation != Relation::Equal),
        Value::List(joint, items) => *joint != Joint::Comma && items.iter().any(is_set_like_alone),
        _ => false,
    }
}

fn is_set_like_alone(value: &Value) -> bool {
    !matches!(value, Value::Set(_)) && is_set_like(value)
}

fn is_plain_group(value: &Value) -> bool {
    matches!(value, Value::Group(..))
}

/// `x = 5` as an equation.
fn as_equation(name: &Name, value: &Value) -> Option<[Expr; 2]> {
    match value {
        Value::Quantity(quantity) => Some([name.formula.clone()?, quantity.expr.clone()]),
        _ => None,
    }
}

fn items_of(value: &Value) -> Vec<Value> {
    match value {
        Value::List(_, items) | Value::Set(items) => items.clone(),
        other => vec![other.clone()],
    }
}

/// Whether no item of a list has a name.
fn plain_items(value: &Value) -> bool {
    items_of(value).iter().all(|item| !matches!(item, Value::Named { .. } | Value::Chain(..)))
}

/// The values of `x = 1 or x = 2`, and of `x = 1, 2`, with the name.
fn with_name(list: &Value) -> Option<(String, Value)> {
    let Value::List(joint, items) = list else { return None };
    let Value::Named { name: first, member: false, .. } = &items[0] else { return None };
    let values = items.iter().enumerate().map(|(at, item)| match item {
        Value::Named { name, value, member: false } if name.text == first.text => Some((**value).clone()),
        Value::Quantity(_) if at > 0 => Some(item.clone()),
        _ => None,
    });
    let mut flat = Vec::new();
    for value in values.collect::<Option<Vec<_>>>()? {
        match value {
            Value::List(Joint::Or, items) => flat.extend(items),
            other => flat.push(other),
        }
    }
    Some((first.text.clone(), Value::List(*joint, flat)))
}

/// `x = 1, y = 2` as the tuple of the values in the order of the alphabet.
fn as_tuple(list: &Value) -> Option<Value> {
    let Value::List(joint, items) = list else { return None };
    if *joint == Joint::Or {
        return None;
    }
    let named = items.iter().map(|item| match item {
        Value::Named { name, value, member: false } => Some((name.text.as_str(), (**value).clone())),
        _ => None,
    });
    let mut named = named.collect::<Option<Vec<_>>>()?;
    named.sort_by(|one, other| one.0.cmp(other.0));
    if named.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    Some(Value::Group(Bracket::Round, Bracket::Round, named.into_iter().map(|(_, value)| value).collect()))
}
