//! Compares choices by their letters, and values with what is said of their variables.

use std::collections::BTreeSet;

use super::{Compared, Decider, wrong};
use crate::math::expression::Expr;
use crate::math::tokens::Bracket;
use crate::math::value::{Condition, Quantity, Value};

impl Decider<'_, '_, '_> {
    /// `\textbf{(B)}\ 12` compared with `12`, `B` or another choice.
    pub(super) fn choices(&mut self, reference: &Value, answer: &Value) -> Compared {
        match (reference, answer) {
            (Value::Choice(one, value), Value::Choice(other, given)) => {
                if one == other {
                    self.compare(value, given)
                } else {
                    wrong("the letter is another")
                }
            }
            (Value::Choice(one, value), _) => match letter(answer) {
                Some(other) if *one == other => Ok(None),
                _ => self.compare(value, answer),
            },
            (_, Value::Choice(other, given)) => match letter(reference) {
                Some(one) if one == *other => Ok(None),
                Some(_) => wrong("the letter is another"),
                None => self.compare(reference, given),
            },
            _ => unreachable!("one of them is a choice"),
        }
    }

    /// Values with conditions: the values are compared, and conditions that both have.
    pub(super) fn qualified(&mut self, reference: &Value, answer: &Value) -> Compared {
        let ((one, conditions), (other, theirs)) = (parts(reference), parts(answer));
        for condition in conditions {
            let Some(own) = theirs.iter().find(|own| own.variable == condition.variable) else { continue };
            if condition.domain.as_ref().zip(own.domain.as_ref()).is_some_and(|(one, other)| one != other) {
                return wrong(format!("`{}` stands for something else", own.variable));
            }
            if let (Some(bounds), Some(others)) = (&condition.bounds, &own.bounds)
                && self.compare(bounds, others)?.is_some()
            {
                return wrong(format!("`{}` has other bounds", own.variable));
            }
        }
        match parameter((one, conditions), (other, theirs)) {
            Some((from, to)) => self.compare(one, &other.renamed(&from, &to)),
            None => self.compare(one, other),
        }
    }
}

fn parts(value: &Value) -> (&Value, &[Condition]) {
    match value {
        Value::Qualified(value, conditions) => (value, conditions),
        other => (other, &[]),
    }
}

/// The parameter of an answer and that of the reference, if they are named differently: in
/// `\frac{\pi}{4}+n\pi` and `\frac{\pi}{4}+k\pi` with integers k.
fn parameter(
    (one, conditions): (&Value, &[Condition]),
    (other, theirs): (&Value, &[Condition]),
) -> Option<(String, String)> {
    let (references, answers) = (one.variables(), other.variables());
    let own: BTreeSet<&str> = references.difference(&answers).copied().collect();
    let given: BTreeSet<&str> = answers.difference(&references).copied().collect();
    let (mut own, mut given) = (own.into_iter(), given.into_iter());
    let (Some(to), None, Some(from), None) = (own.next(), own.next(), given.next(), given.next()) else {
        return None;
    };
    let bound = |conditions: &[Condition], variable: &str| {
        conditions.is_empty() || conditions.iter().any(|condition| condition.variable == variable)
    };
    (bound(conditions, to) && bound(theirs, from)).then(|| (from.to_owned(), to.to_owned()))
}

/// The letter of a choice, if the value is one alone.
fn letter(value: &Value) -> Option<String> {
    let is_letter = |name: &str| name.len() == 1 && ("A"..="J").contains(&name);
    match value {
        Value::Quantity(Quantity { expr: Expr::Variable(name), unit: None }) if is_letter(name) => {
            Some(name.to_string())
        }
        Value::Group(Bracket::Square, Bracket::Square, items) if items.len() == 1 => letter(&items[0]),
        _ => None,
    }
}
