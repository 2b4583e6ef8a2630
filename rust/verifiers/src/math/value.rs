//! Values of answers: a number, a set, a tuple, an equation, a word.

use std::collections::BTreeSet;

use super::expression::Expr;
use super::tokens::{Bracket, Relation};

#[derive(Clone, Debug)]
pub enum Value {
    Quantity(Quantity),
    Words(String),
    /// Items in round, square or angle brackets, which may differ: a tuple or an interval.
    Group(Bracket, Bracket, Vec<Value>),
    Set(Vec<Value>),
    /// Items without brackets.
    List(Joint, Vec<Value>),
    Matrix(Vec<Vec<Expr>>),
    Region(Region),
    /// Sides with a relation between each two.
    Chain(Vec<Expr>, Vec<Relation>),
    /// `x = 5`: the name, its value, and true if that is a set.
    Named {
        name: Name,
        value: Box<Value>,
        member: bool,
    },
    /// A value written in several ways: `1/2 = 0.5`.
    Also(Box<Value>, Vec<(Relation, Expr)>),
    Congruence {
        name: Option<Name>,
        residue: Expr,
        modulus: Expr,
    },
    /// `1:2:3`
    Proportion(Vec<Expr>),
    /// Digits in a given base.
    Based(String, u32),
    NumberSet(char),
    Infinite(bool),
    /// `\textbf{(B)}\ 12`: the letter of a choice, and the choice.
    Choice(String, Box<Value>),
    /// The pieces of a function, each with its condition.
    Pieces(Vec<(Value, Value)>),
    /// A value with what is said of its variables: `2^n \text{ for all } n \ge 1`.
    Qualified(Box<Value>, Vec<Condition>),
}

/// A variable and what it may be.
#[derive(Clone, Debug)]
pub struct Condition {
    pub variable: String,
    /// `Z` for integers, `N` for positive ones; nothing if anything may stand for it.
    pub domain: Option<String>,
    /// `n \ge 1`
    pub bounds: Option<Box<Value>>,
}

/// The name of an unknown, and its formula if it is one.
#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub formula: Option<Expr>,
    /// The variable of a function: `x` of `f(x)`.
    pub argument: Option<String>,
    /// The unknowns of `(x, y)`.
    pub unknowns: Vec<String>,
}

impl Name {
    pub fn of(text: String) -> Self {
        Self { text, formula: None, argument: None, unknowns: Vec::new() }
    }
}

#[derive(Clone, Debug)]
pub struct Quantity {
    pub expr: Expr,
    pub unit: Option<Unit>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    Percent,
    Degree,
    /// A known unit, by the canonical name under which equal ones are compared.
    Known(String),
    /// Several things at once: `pair`.
    Group(&'static str),
    /// Several units in one, as in `2 hours and 30 minutes`, by the smallest one of their kind.
    Total(&'static str),
    /// A counted noun: `apples`. In `dollars per apple` a part of it is known.
    Counted {
        known: String,
        words: String,
    },
}

/// Separator between the items of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    Comma,
    And,
    Or,
}

/// A set of real numbers.
#[derive(Clone, Debug)]
pub enum Region {
    All,
    Empty,
    Interval(End, End),
    Points(Vec<Expr>),
    Union(Vec<Region>),
    Intersection(Vec<Region>),
    Without(Box<Region>, Box<Region>),
}

/// An end of an interval.
#[derive(Clone, Debug)]
pub struct End {
    /// Nothing for an infinite end.
    pub at: Option<Expr>,
    pub closed: bool,
}

impl Value {
    pub fn number(expr: Expr) -> Self {
        Self::Quantity(Quantity { expr, unit: None })
    }

    /// The same value with another name for a variable.
    #[must_use]
    pub fn renamed(&self, from: &str, to: &str) -> Self {
        let expr = |expr: &Expr| expr.renamed(from, to);
        let all = |items: &[Self]| items.iter().map(|item| item.renamed(from, to)).collect();
        match self {
            Self::Quantity(Quantity { expr: of, unit }) => {
                Self::Quantity(Quantity { expr: expr(of), unit: unit.clone() })
            }
            Self::Group(open, close, items) => Self::Group(*open, *close, all(items)),
            Self::Set(items) => Self::Set(all(items)),
            Self::List(joint, items) => Self::List(*joint, all(items)),
            Self::Chain(sides, relations) => Self::Chain(sides.iter().map(expr).collect(), relations.clone()),
            Self::Named { name, value, member } => {
                Self::Named { name: name.clone(), value: Box::new(value.renamed(from, to)), member: *member }
            }
            Self::Also(value, also) => Self::Also(
                Box::new(value.renamed(from, to)),
                also.iter().map(|(relation, side)| (*relation, expr(side))).collect(),
            ),
            other => other.clone(),
        }
    }

    /// The variables of its formulas.
    pub fn variables(&self) -> BTreeSet<&str> {
        match self {
            Self::Quantity(quantity) => quantity.expr.variables(),
            Self::Group(_, _, items) | Self::Set(items) | Self::List(_, items) => {
                items.iter().flat_map(Self::variables).collect()
            }
            Self::Chain(sides, _) => sides.iter().flat_map(Expr::variables).collect(),
            Self::Named { value, .. } | Self::Also(value, _) => value.variables(),
            _ => BTreeSet::new(),
        }
    }

    /// Description of its kind, for a person.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Quantity(_) | Self::Also(..) => "a formula",
            Self::Words(_) => "words",
            Self::Group(..) => "a tuple or an interval",
            Self::Set(_) => "a set",
            Self::List(..) => "a list",
            Self::Matrix(_) => "a matrix",
            Self::Region(_) | Self::NumberSet(_) => "a set of numbers",
            Self::Chain(_, relations) if relations.iter().all(|relation| *relation == Relation::Equal) => {
                "an equation"
            }
            Self::Chain(..) => "an inequality",
            Self::Named { .. } => "the value of an unknown",
            Self::Congruence { .. } => "a residue",
            Self::Proportion(_) => "a proportion",
            Self::Based(..) => "a number in a base",
            Self::Infinite(_) => "infinity",
            Self::Choice(..) => "a choice",
            Self::Pieces(_) => "a function in pieces",
            Self::Qualified(value, _) => value.kind(),
        }
    }
}
