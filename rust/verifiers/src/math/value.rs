//! Values of answers: a number, a set, a tuple, an equation, a word.

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
}

/// The name of an unknown, and its formula if it is one.
#[derive(Clone, Debug)]
pub struct Name {
    pub text: String,
    pub formula: Option<Expr>,
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
        }
    }
}
