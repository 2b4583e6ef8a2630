//! Compares `x = 5` with `5`, and `x = 1 or x = 2` with `{1, 2}`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{Decider, Tried, items_of, wrong};
use crate::math::Fault;
use crate::math::expression::Expr;
use crate::math::tokens::{Bracket, Relation};
use crate::math::value::{Joint, Name, Value};
use kit::shared::decimal::is_digits;

impl Decider<'_, '_, '_> {
    #[expect(clippy::too_many_lines, reason = "one arm per pair of kinds")]
    /// `x = 5` compared with `5`, or with `x = 5` and `y = 5`. Nothing if neither has a name.
    pub(super) fn named(&mut self, reference: &Value, answer: &Value) -> Result<Tried, Fault> {
        Ok(match (reference, answer) {
            (
                Value::Named { name, value, member },
                Value::Named { name: other, value: given, member: another },
            ) => {
                if name.text != other.text {
                    // `f(t) = t + 1` is `f(x) = x + 1`.
                    if let (Some(to), Some(from)) = (&name.argument, &other.argument)
                        && name.text == other.text.replace(&format!("({from})"), &format!("({to})"))
                        && member == another
                        && !given.variables().contains(to.as_str())
                    {
                        return self.compare(value, &given.renamed(from, to)).map(Tried::Compared);
                    }
                    // `f \\equiv 0`
                    let function = |name: &Name| {
                        name.argument
                            .as_ref()
                            .and_then(|to| name.text.strip_suffix(&format!("({to})")).map(str::to_owned))
                    };
                    if function(name).is_some_and(|function| function == other.text)
                        || function(other).is_some_and(|function| function == name.text)
                    {
                        return self.compare(value, given).map(Tried::Compared);
                    }
                    if let Some(inverse) = self.inverse((name, other), given)? {
                        return self.compare(value, &inverse).map(Tried::Compared);
                    }
                    if let Some((one, two)) = as_equations((name, value), (other, given)) {
                        let equal = &[Relation::Equal];
                        return self.chains((&one, equal), (&two, equal)).map(Tried::Compared);
                    }
                    return wrong(format!("`{}` is named, not `{}`", other.text, name.text))
                        .map(Tried::Compared);
                }
                if member != another {
                    return self.sets(reference, answer);
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
            (Value::Named { name, value, member: false }, Value::List(..)) if !name.unknowns.is_empty() => {
                Tried::Compared(match as_tuple(answer) {
                    Some((names, _)) if names != name.unknowns => wrong("other unknowns are named")?,
                    Some((_, tuple)) => self.compare(value, &tuple)?,
                    None => self.compare(value, answer)?,
                })
            }
            (Value::List(..), Value::Named { name, value, member: false }) if !name.unknowns.is_empty() => {
                Tried::Compared(match as_tuple(reference) {
                    Some((names, _)) if names != name.unknowns => wrong("other unknowns are named")?,
                    Some((_, tuple)) => self.compare(&tuple, value)?,
                    None => self.compare(reference, value)?,
                })
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
                Tried::Compared(self.compare(reference, value)?)
            }
            (Value::List(joint, _), Value::Named { name, value, member: false }) => {
                match with_name(reference) {
                    Some((other, items)) if other == name.text => {
                        Tried::Compared(self.compare(&items, value)?)
                    }
                    Some(_) => Tried::Compared(self.one_of(reference, answer)?),
                    None => Tried::Compared(self.compare(&Value::List(*joint, items_of(reference)), value)?),
                }
            }
            (_, Value::Named { name, value, member: false }) => {
                let value = renamed_argument(reference, name, value);
                Tried::Compared(self.compare(reference, &value)?)
            }
            (Value::List(..), Value::List(..) | Value::Set(_)) if as_tuple(reference).is_some() => {
                match as_tuple(answer) {
                    Some(_) => Tried::Another,
                    None => {
                        wrong("several unknowns are asked for, and the answer does not say which is which")
                            .map(Tried::Compared)?
                    }
                }
            }
            (Value::List(..) | Value::Set(_), Value::List(..))
                if plain_items(reference) && names(answer) > 1 =>
            {
                wrong("the answer names several unknowns").map(Tried::Compared)?
            }
            (Value::List(..), Value::List(..)) => self.lists_of_one_unknown(reference, answer)?,
            (Value::Group(..), Value::List(..)) => match as_tuple(answer) {
                Some((_, tuple)) => Tried::Compared(self.compare(reference, &tuple)?),
                None => Tried::Another,
            },
            (Value::List(..), Value::Group(..)) => match as_tuple(reference) {
                Some((_, tuple)) => Tried::Compared(self.compare(&tuple, answer)?),
                None => Tried::Another,
            },
            (Value::List(..), Value::Set(_)) => match with_name(reference) {
                Some((_, items)) => Tried::Compared(self.compare(&items, answer)?),
                None => Tried::Another,
            },
            (Value::Set(_) | Value::Quantity(_) | Value::Infinite(_), Value::List(..)) => {
                match with_name(answer) {
                    Some((_, items)) => Tried::Compared(self.compare(reference, &items)?),
                    None => Tried::Another,
                }
            }
            _ => Tried::Another,
        })
    }

    /// `y:x = 2:1` as a value of `x:y`.
    fn inverse(&mut self, (name, other): (&Name, &Name), given: &Value) -> Result<Option<Value>, Fault> {
        let (Some(one), Some(two), Value::Quantity(quantity)) = (&name.formula, &other.formula, given) else {
            return Ok(None);
        };
        let quotients = [one, two].into_iter().all(|formula| matches!(formula, Expr::Product(_)));
        if !quotients || !self.same(one, &two.clone().inverse())? {
            return Ok(None);
        }
        Ok(Some(Value::number(quantity.expr.clone().inverse())))
    }

    /// `x = 1 or x = 2` compared with `x = 2 or x = 1`, or with `1, 2`.
    fn lists_of_one_unknown(&mut self, reference: &Value, answer: &Value) -> Result<Tried, Fault> {
        Ok(match (with_name(reference), with_name(answer)) {
            (Some((name, items)), Some((other, others))) if name == other => {
                Tried::Compared(self.compare(&items, &others)?)
            }
            (Some((_, items)), None) if plain_items(answer) => Tried::Compared(self.compare(&items, answer)?),
            (None, Some((_, others))) if plain_items(reference) => {
                Tried::Compared(self.compare(reference, &others)?)
            }
            _ => Tried::Another,
        })
    }
}

/// `y = x` and `x = y` are equations, `x = 5` and `y = 5` are two values.
fn as_equations(one: (&Name, &Value), other: (&Name, &Value)) -> Option<([Expr; 2], [Expr; 2])> {
    let open = |(name, value): (&Name, &Value)| {
        let composite =
            |equation: &[Expr; 2]| equation[0].any(&|part| matches!(part, Expr::Power(..) | Expr::Call(..)));
        as_equation(name, value).filter(|equation| equation[1].has_variables() || composite(equation))
    };
    Some((open(one)?, open(other)?))
}

/// `x = 5` as an equation.
fn as_equation(name: &Name, value: &Value) -> Option<[Expr; 2]> {
    match value {
        Value::Quantity(quantity) => Some([name.formula.clone()?, quantity.expr.clone()]),
        _ => None,
    }
}

/// True if no item of a list has a name.
fn plain_items(value: &Value) -> bool {
    items_of(value).iter().all(|item| !matches!(item, Value::Named { .. } | Value::Chain(..)))
}

/// The values of `x = 1 or x = 2`, of `x = 1, 2` and of `x_1 = 1, x_2 = 2`, with the name.
fn with_name(list: &Value) -> Option<(String, Value)> {
    let Value::List(joint, items) = list else { return None };
    if let Some((name, values)) = numbered(items) {
        return Some((name.to_owned(), Value::List(*joint, values)));
    }
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

/// The values of `x_1 = 1, x_2 = 2`, each with a number of its own, and the letter.
fn numbered(items: &[Value]) -> Option<(&str, Vec<Value>)> {
    let mut numbers = BTreeSet::new();
    let mut letters = BTreeSet::new();
    let mut values = Vec::new();
    for item in items {
        let Value::Named { name, value, member: false } = item else { return None };
        let (letter, number) = name.text.split_once('_')?;
        let fits = matches!(**value, Value::Quantity(_)) && is_digits(number) && numbers.insert(number);
        letters.insert(letter);
        values.push(fits.then(|| (**value).clone())?);
    }
    (letters.len() == 1).then(|| (letters.pop_first().expect("there is one"), values))
}

/// `x = 1, y = 2` as the names and the tuple of the values in the order of the alphabet.
fn as_tuple(list: &Value) -> Option<(Vec<String>, Value)> {
    let Value::List(joint, items) = list else { return None };
    if *joint == Joint::Or {
        return None;
    }
    let named = items.iter().map(|item| match item {
        Value::Named { name, value, member: false } => Some((name.text.as_str(), (**value).clone())),
        _ => None,
    });
    let mut pairs = named.collect::<Option<Vec<_>>>()?;
    pairs.sort_by(|one, other| one.0.cmp(other.0));
    if pairs.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let (unknowns, values): (Vec<&str>, Vec<Value>) = pairs.into_iter().unzip();
    let unknowns = unknowns.into_iter().map(str::to_owned).collect();
    Some((unknowns, Value::Group(Bracket::Round, Bracket::Round, values)))
}

/// The number of unknowns that a list names. `x_1` and `x_2` are solutions of one.
fn names(list: &Value) -> usize {
    let items = items_of(list);
    let named = items.iter().filter_map(|item| match item {
        Value::Named { name, .. } => Some(&*name.text),
        _ => None,
    });
    if with_name(list).is_some() { 1 } else { named.collect::<BTreeSet<&str>>().len() }
}

/// The value of a function with the argument that its reference has.
fn renamed_argument<'v>(reference: &Value, name: &Name, value: &'v Value) -> Cow<'v, Value> {
    let (Value::Quantity(quantity), Some(argument)) = (reference, &name.argument) else {
        return Cow::Borrowed(value);
    };
    let variables = quantity.expr.variables();
    let own = value.variables();
    match (variables.first(), own.first()) {
        (Some(to), Some(from)) if variables.len() == 1 && own.len() == 1 && from == argument => {
            Cow::Owned(value.renamed(argument, to))
        }
        _ => Cow::Borrowed(value),
    }
}
