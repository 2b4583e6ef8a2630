//! Equations, inequalities, and the sets of numbers that they describe.

use super::{Compared, Decider, Tried, wrong};
use crate::math::Fault;
use crate::math::expression::{Expr, Function};
use crate::math::normal::Atoms;
use crate::math::read::as_region;
use crate::math::sets::{flipped, same_sets, solved};
use crate::math::tokens::Relation;
use crate::math::value::{Joint, Region, Value};
use kit::budget::Budget;

impl Decider<'_, '_, '_> {
    pub(super) fn chains(
        &mut self,
        reference: (&[Expr], &[Relation]),
        answer: (&[Expr], &[Relation]),
    ) -> Compared {
        if reference.1.len() != answer.1.len() {
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
        let (references, mut answers) = (pairs(reference), pairs(answer));
        for (left, relation) in &references {
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

    /// True if one formula is the other times a number, which must be positive if the relation has a
    /// direction.
    pub(super) fn proportional(
        &mut self,
        one: &Expr,
        other: &Expr,
        relation: Relation,
    ) -> Result<bool, Fault> {
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

    /// Compares intervals, inequalities and unions. Nothing if the two are not such sets.
    pub(super) fn sets(&mut self, reference: &Value, answer: &Value) -> Result<Tried, Fault> {
        // Two in the same notation are compared by their parts, and lists of numbers are not such sets.
        if !(is_set_like(reference) && is_set_like(answer))
            || (is_plain_group(reference) && is_plain_group(answer))
        {
            return Ok(Tried::Another);
        }
        let finite = |value: &Value| matches!(value, Value::Set(_));
        if finite(reference) && finite(answer) {
            return Ok(Tried::Another);
        }
        let (Some((name, one)), Some((other_name, other))) = (self.region(reference)?, self.region(answer)?)
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
    pub(super) fn region(&mut self, value: &Value) -> Result<Option<(Option<String>, Region)>, Fault> {
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
                    let found = match unbounded(&pair[0], *relation, &pair[1]) {
                        Some(name) => Some((name, Region::All)),
                        None if pair.iter().any(|side| side.infinite().is_some()) => None,
                        None => match within_magnitude(&pair[0], *relation, &pair[1], self.budget)? {
                            Some(found) => Some(found),
                            None => solved(&pair[0], *relation, &pair[1], self.budget)?,
                        },
                    };
                    let Some((name, region)) = found else {
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
            Value::List(joint, items) if *joint != Joint::Comma || are_exceptions(items) => {
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
                // "On (0, 1) and (2, 3)" is on both, but of conditions each must hold.
                let bare = items.iter().all(|item| as_region(item).is_some());
                let union = bare || *joint == Joint::Or;
                let region = if union { Region::Union(parts) } else { Region::Intersection(parts) };
                Ok(Some((unknown, region)))
            }
            _ => Ok(None),
        }
    }
}

/// The unknown of `x < ∞` or `-∞ < x`, which says nothing about it.
fn unbounded(left: &Expr, relation: Relation, right: &Expr) -> Option<String> {
    let (unknown, relation, positive) = match (left.infinite(), right.infinite()) {
        (None, Some(positive)) => (left, relation, positive),
        (Some(positive), None) => (right, flipped(relation), positive),
        _ => return None,
    };
    match (unknown, relation, positive) {
        (Expr::Variable(name), Relation::Less, true) | (Expr::Variable(name), Relation::Greater, false) => {
            Some(name.to_string())
        }
        _ => None,
    }
}

/// The set that `|x - 1| < 2` describes, and the unknown.
fn within_magnitude(
    left: &Expr,
    relation: Relation,
    right: &Expr,
    budget: &mut Budget,
) -> Result<Option<(String, Region)>, Fault> {
    let (inner, relation, bound) = match (left, right) {
        (Expr::Call(Function::Abs, inner), bound) => (inner, relation, bound),
        (bound, Expr::Call(Function::Abs, inner)) => (inner, flipped(relation), bound),
        _ => return Ok(None),
    };
    let directed = !matches!(relation, Relation::Equal | Relation::Unequal);
    if bound.has_variables() || !directed {
        return Ok(None);
    }
    let upper = solved(inner, relation, bound, budget)?;
    let lower = solved(inner, flipped(relation), &bound.clone().negated(), budget)?;
    Ok(upper.zip(lower).map(|((name, upper), (_, lower))| {
        let parts = vec![upper, lower];
        let inside = matches!(relation, Relation::Less | Relation::AtMost);
        (name, if inside { Region::Intersection(parts) } else { Region::Union(parts) })
    }))
}

/// True if a list is a condition with exceptions: `x ∈ ℝ, x ≠ 2`. Its commas can only mean "and".
fn are_exceptions(items: &[Value]) -> bool {
    let excepts = |item: &&Value| match item {
        Value::Chain(_, relations) => relations[..] == [Relation::Unequal],
        Value::Named { value, member: true, .. } => matches!(**value, Value::Region(Region::All)),
        _ => false,
    };
    let others: Vec<&Value> = items.iter().filter(|item| !excepts(item)).collect();
    matches!(others[..], [] | [Value::Chain(..)])
}

fn is_set_like(value: &Value) -> bool {
    match value {
        Value::Region(_) | Value::Set(_) | Value::Named { member: true, .. } => true,
        Value::Group(_, _, items) => items.len() == 2,
        Value::Chain(_, relations) => relations.iter().any(|relation| *relation != Relation::Equal),
        Value::List(Joint::Comma, items) => are_exceptions(items),
        Value::List(_, items) => items.iter().any(is_set_like_alone),
        _ => false,
    }
}

fn is_set_like_alone(value: &Value) -> bool {
    !matches!(value, Value::Set(_)) && is_set_like(value)
}

fn is_plain_group(value: &Value) -> bool {
    matches!(value, Value::Group(..))
}
