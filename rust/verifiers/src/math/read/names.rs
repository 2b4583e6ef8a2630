//! Names of values: `x`, `f(x)`, `AB`, `(x, y)`, `Area`.

use super::Reader;
use crate::math::Fault;
use crate::math::expression::{Expr, Function};
use crate::math::tokens::{Bracket, Named, Placed, Token};
use crate::math::value::{Name, Value};
use crate::words;

impl Reader<'_, '_, '_, '_> {
    /// A name such as `x`, `x_1`, `f(x)`, `AB`, `\angle ABC`, `(x, y)` or `Area`, if the range is one.
    pub(super) fn name(&mut self, from: usize, to: usize) -> Result<Option<Name>, Fault> {
        if from >= to || to - from > 60 {
            return Ok(None);
        }
        let text: String = {
            let (start, end) = (self.tokens[from].at, self.tokens[to - 1].end);
            self.text[start..end].chars().filter(|c| !c.is_whitespace() && !"{}\\".contains(*c)).collect()
        };
        // The name of a function with its argument: f(x), f^{-1}(x), P(A).
        let functions = ["f", "g", "h", "p", "q", "F", "G", "P", "Q", "A", "V", "S", "E", "T"];
        let called = matches!(self.token(from), Token::Letter(name) if functions.contains(&name))
            && self.token(to - 1) == Token::Close(Bracket::Round)
            && self
                .places(from, to, |token| !matches!(token, Token::Caret | Token::Prime | Token::Open(_)))?
                .len()
                == 1;
        if called {
            let argument = match self.token(to - 2) {
                Token::Letter(letter)
                    if to >= from + 4 && self.token(to - 3) == Token::Open(Bracket::Round) =>
                {
                    Some(letter.to_owned())
                }
                _ => None,
            };
            return Ok(Some(Name { argument, ..Name::of(text) }));
        }
        let formula = self.parser(from, to).whole();
        let parsed = formula.is_ok();
        if let Ok(formula) = formula
            && is_name(&formula)
        {
            return Ok(Some(Name { formula: Some(formula), ..Name::of(text) }));
        }
        let worded = (from..to).all(|at| match self.token(at) {
            Token::Word(text, _) => !text.split_whitespace().any(words::denies),
            token => matches!(token, Token::Letter(_)),
        });
        let opaque = !parsed && self.is_opaque(from, to)?;
        let starred = to == from + 3
            && matches!(self.token(from), Token::Letter(_))
            && self.token(from + 1) == Token::Caret
            && self.token(from + 2) == Token::Times;
        let unknowns = self.unknowns(from, to);
        let named = worded || opaque || starred || unknowns.is_some();
        Ok(named.then(|| Name { unknowns: unknowns.unwrap_or_default(), ..Name::of(text) }))
    }

    /// The letters of `(x, y)`.
    fn unknowns(&self, from: usize, to: usize) -> Option<Vec<String>> {
        let tuple = self.encloses(from, to) && self.token(from) == Token::Open(Bracket::Round);
        if !tuple || !matches!(self.token(from + 1), Token::Letter(_)) {
            return None;
        }
        let mut unknowns = vec![String::new()];
        for at in from + 1..to - 1 {
            match self.token(at) {
                Token::Letter(_) | Token::Under | Token::Number(_) => {
                    let placed = &self.tokens[at];
                    let part = self.text[placed.at..placed.end].trim_start_matches('\\');
                    unknowns.last_mut().expect("there is one").push_str(part);
                }
                Token::Comma => unknowns.push(String::new()),
                _ => return None,
            }
        }
        unknowns.iter().all(|unknown| !unknown.is_empty()).then_some(unknowns)
    }

    /// True for a side of an equation from which no formula is read, but which names a value: `\det A`,
    /// `P(X=1)`, `1+2+\dots+n`.
    fn is_opaque(&mut self, from: usize, to: usize) -> Result<bool, Fault> {
        let outside = self.places(from, to, |token| {
            matches!(
                token,
                Token::To | Token::And | Token::Or | Token::Comma | Token::Relation(_) | Token::Box
            )
        })?;
        let signs = (from..to).any(|at| match self.token(at) {
            Token::Opaque
            | Token::Dots
            | Token::Union
            | Token::Intersection
            | Token::Without
            | Token::Function(Named::Max | Named::Min) => true,
            // `P(X=1)`, `n(A \cup B)`
            Token::Open(Bracket::Round | Bracket::Square) => {
                at > from && matches!(self.token(at - 1), Token::Letter(_) | Token::Word(..))
            }
            _ => false,
        });
        let denied = (from..to).any(
            |at| matches!(self.token(at), Token::Word(text, _) if text.split_whitespace().any(words::denies)),
        );
        let lettered = (from..to).any(|at| {
            matches!(self.token(at), Token::Letter(_) | Token::Opaque | Token::Word(..) | Token::Function(_))
        });
        Ok(signs && lettered && outside.is_empty() && !denied)
    }
}

/// The solutions `p=5, q=2; p=7, q=2` as tuples of the values in the order of the alphabet; nothing if the
/// items are not such solutions. Each starts at one of these indices.
pub(super) fn solutions(items: &[Value], starts: &[usize]) -> Option<Vec<Value>> {
    if starts.is_empty() || starts.len() + 1 >= items.len() {
        return None;
    }
    let ends = starts.iter().copied().chain([items.len()]);
    let mut alphabet = Vec::new();
    let mut tuples = Vec::new();
    for (from, to) in std::iter::once(0).chain(starts.iter().copied()).zip(ends) {
        let mut named: Vec<(&str, &Value)> = items[from..to]
            .iter()
            .map(|item| match item {
                Value::Named { name, value, member: false } => Some((name.text.as_str(), &**value)),
                _ => None,
            })
            .collect::<Option<_>>()?;
        named.sort_by_key(|(name, _)| *name);
        let own: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
        if own.len() < 2 || own.windows(2).any(|pair| pair[0] == pair[1]) || (from > 0 && own != alphabet) {
            return None;
        }
        alphabet = own;
        let values = named.into_iter().map(|(_, value)| value.clone()).collect();
        tuples.push(Value::Group(Bracket::Round, Bracket::Round, values));
    }
    Some(tuples)
}

/// True for `x`, for the segment `AB`, its length `|AB|`, and quotients of two names: `S_1:S_2`.
fn is_name(formula: &Expr) -> bool {
    let letters = |parts: &[Expr]| parts.iter().all(|part| matches!(part, Expr::Variable(_)));
    let capital = |part: &Expr| matches!(part, Expr::Variable(name) if name.starts_with(|c: char| c.is_ascii_uppercase()));
    let divisor = |part: &Expr| match part {
        Expr::Power(base, power) => {
            matches!(&**power, Expr::Number(value) if value.small() == Some(-1_i64)) && is_name(base)
        }
        _ => false,
    };
    match formula {
        Expr::Variable(_) => true,
        Expr::Product(parts) => match parts.split_last() {
            Some((last, above)) if !above.is_empty() && divisor(last) => {
                above.iter().all(|part| matches!(part, Expr::Variable(_) | Expr::Product(_)) && is_name(part))
            }
            _ => letters(parts),
        },
        Expr::Call(Function::Abs, inner) => {
            matches!(&**inner, Expr::Product(parts) if parts.iter().all(capital))
        }
        _ => false,
    }
}

/// `(y, x) = (2, 1)` with the unknowns in the order of the alphabet, and `(y, x) = (2, 1), (4, 3)` as one value.
pub(super) fn sorted(value: Value) -> Value {
    let Value::List(joint, items) = value else { return sorted_item(value) };
    match &items[..] {
        [Value::Named { name, .. }, rest @ ..]
            if !name.unknowns.is_empty()
                && !rest.is_empty()
                && rest.iter().all(|item| matches!(item, Value::Group(..))) =>
        {
            let name = name.clone();
            let tuples = items
                .into_iter()
                .map(|item| match item {
                    Value::Named { value, .. } => *value,
                    other => other,
                })
                .collect();
            sorted_item(Value::Named { name, value: Box::new(Value::List(joint, tuples)), member: false })
        }
        _ => Value::List(joint, items.into_iter().map(sorted_item).collect()),
    }
}

fn sorted_item(value: Value) -> Value {
    let Value::Named { name, value, member } = value else { return value };
    let short = |name: &String| name.len() == 1 || name.as_bytes().get(1) == Some(&b'_');
    let mut order: Vec<usize> = (0..name.unknowns.len()).collect();
    if name.unknowns.iter().all(short) {
        order.sort_by_key(|at| &name.unknowns[*at]);
    }
    let unknowns: Vec<String> = order.iter().map(|at| name.unknowns[*at].clone()).collect();
    if unknowns.is_empty() {
        return Value::Named { name, value, member };
    }
    let text = format!("({})", unknowns.join(","));
    let value = Box::new(reordered(*value, &order));
    Value::Named { name: Name { unknowns, ..Name::of(text) }, value, member }
}

fn reordered(value: Value, order: &[usize]) -> Value {
    let all = |items: Vec<Value>| items.into_iter().map(|item| reordered(item, order)).collect();
    match value {
        Value::Group(open, close, items) if items.len() == order.len() => {
            Value::Group(open, close, order.iter().map(|at| items[*at].clone()).collect())
        }
        Value::Set(items) => Value::Set(all(items)),
        Value::List(joint, items) => Value::List(joint, all(items)),
        other => other,
    }
}

/// Turns the brackets of `]2;3[`, an open interval, around.
pub(super) fn turn_brackets(tokens: &mut [Placed<'_>]) {
    let mut open = Vec::new();
    for at in 0..tokens.len() {
        match tokens[at].token {
            Token::Close(Bracket::Square) if open.is_empty() => {
                tokens[at].token = Token::Open(Bracket::Round);
                open.push((at, false));
            }
            Token::Open(Bracket::Square) if open.last().is_some_and(|(_, parted)| *parted) => {
                tokens[at].token = Token::Close(Bracket::Round);
                open.pop();
            }
            Token::Open(_) | Token::Begin(_) => open.push((at, false)),
            Token::Close(_) | Token::End => {
                open.pop();
            }
            Token::Semicolon | Token::Comma => {
                if let Some((start, parted)) = open.last_mut() {
                    let at = *start;
                    let interval = matches!(tokens[at].token, Token::Open(Bracket::Round | Bracket::Square));
                    *parted = interval && tokens[at].end - tokens[at].at == 1;
                }
            }
            _ => {}
        }
    }
}
