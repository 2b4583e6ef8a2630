//! Terms: formulas are terms of the sort [`PROP`], so that substitution, matching and positions exist once.

use std::sync::Arc;

/// A sort's number in its theory; [`PROP`] is that of formulas.
pub type Sort = u8;

pub const PROP: Sort = 0;

/// The symbols that every theory has, by number.
pub const FALSE: u16 = 0;
pub const NOT: u16 = 1;
pub const AND: u16 = 2;
pub const OR: u16 = 3;
pub const IMPLIES: u16 = 4;
pub const EQUAL: u16 = 5;
/// Number of the first symbol that a theory declares itself.
pub const DECLARED: u16 = 6;

/// Largest size of a term; what would grow beyond is refused.
pub const MOST_NODES: usize = 300;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// A variable of a rule, which stands for every term of its sort.
    Variable(u8, Sort),
    /// A term of a goal that has not been chosen yet, written `?1`.
    Meta(u16, Sort),
    /// A symbol of the theory with its arguments.
    Node(u16, Arc<[Term]>),
}

impl Term {
    pub fn node(symbol: u16, arguments: impl IntoIterator<Item = Self>) -> Self {
        Self::Node(symbol, arguments.into_iter().collect())
    }

    pub fn arguments(&self) -> &[Self] {
        match self {
            Self::Node(_, arguments) => arguments,
            Self::Variable(..) | Self::Meta(..) => &[],
        }
    }

    /// The arguments, if the term is this symbol.
    pub fn under(&self, symbol: u16) -> Option<&[Self]> {
        match self {
            Self::Node(head, arguments) if *head == symbol => Some(arguments),
            _ => None,
        }
    }

    /// The premise and the conclusion of an implication; a negation implies what is false.
    pub fn step(&self) -> Option<(Self, Self)> {
        match self {
            Self::Node(IMPLIES, of) => Some((of[0].clone(), of[1].clone())),
            Self::Node(NOT, of) => Some((of[0].clone(), Self::node(FALSE, []))),
            _ => None,
        }
    }

    pub fn size(&self) -> usize {
        1 + self.arguments().iter().map(Self::size).sum::<usize>()
    }

    pub fn has(&self, part: &Self) -> bool {
        self == part || self.arguments().iter().any(|argument| argument.has(part))
    }

    pub fn has_meta(&self) -> bool {
        matches!(self, Self::Meta(..)) || self.arguments().iter().any(Self::has_meta)
    }

    /// The term with every leaf that `of` knows replaced.
    #[must_use]
    pub fn replaced(&self, of: &dyn Fn(&Self) -> Option<Self>) -> Self {
        match of(self) {
            Some(other) => other,
            None if self.arguments().is_empty() => self.clone(),
            None => self.with_arguments(self.arguments().iter().map(|argument| argument.replaced(of))),
        }
    }

    fn with_arguments(&self, arguments: impl Iterator<Item = Self>) -> Self {
        match self {
            Self::Node(symbol, _) => Self::node(*symbol, arguments),
            leaf => leaf.clone(),
        }
    }

    /// The part at a position: numbers of arguments from 1, from the outermost inward.
    pub fn at(&self, position: &[u8]) -> Option<&Self> {
        position
            .iter()
            .try_fold(self, |term, number| term.arguments().get((*number as usize).checked_sub(1)?))
    }

    /// The term with another part at a position that exists.
    #[must_use]
    pub fn put(&self, position: &[u8], part: Self) -> Self {
        let Some((number, rest)) = position.split_first() else { return part };
        let mut part = Some(part);
        let arguments =
            (1..).zip(self.arguments()).map(|(at, argument)| match part.take_if(|_| at == *number) {
                Some(part) => argument.put(rest, part),
                None => argument.clone(),
            });
        self.with_arguments(arguments.collect::<Vec<_>>().into_iter())
    }

    /// All positions, each before those inside it, from left to right.
    pub fn positions(&self) -> Vec<Vec<u8>> {
        let mut all = vec![Vec::new()];
        for (number, argument) in (1u8..).zip(self.arguments()) {
            all.extend(argument.positions().into_iter().map(|mut inside| {
                inside.insert(0, number);
                inside
            }));
        }
        all
    }

    /// The term with a rule's variables replaced; `None` if one has no value.
    pub fn instance(&self, values: &[Option<Self>]) -> Option<Self> {
        match self {
            Self::Variable(number, _) => values.get(usize::from(*number))?.clone(),
            Self::Meta(..) => Some(self.clone()),
            Self::Node(symbol, arguments) => {
                let arguments: Option<Arc<[Self]>> =
                    arguments.iter().map(|argument| argument.instance(values)).collect();
                Some(Self::Node(*symbol, arguments?))
            }
        }
    }

    /// True if values for this term's variables make it `other`; fills in those that are missing.
    pub fn matches(&self, other: &Self, values: &mut [Option<Self>], sort: &dyn Fn(&Self) -> Sort) -> bool {
        match self {
            Self::Variable(number, own) => match &values[usize::from(*number)] {
                Some(value) => value == other,
                None if sort(other) == *own => {
                    values[usize::from(*number)] = Some(other.clone());
                    true
                }
                None => false,
            },
            Self::Meta(..) => self == other,
            Self::Node(symbol, arguments) => other.under(*symbol).is_some_and(|others| {
                arguments.iter().zip(others).all(|(one, other)| one.matches(other, values, sort))
            }),
        }
    }
}

/// Values of metavariables; none mentions a metavariable that has one, once [`Bindings::of`] has resolved it.
#[derive(Clone, Default)]
pub struct Bindings(Vec<(u16, Term)>);

impl Bindings {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn value(&self, meta: u16) -> Option<&Term> {
        self.0.iter().find(|(bound, _)| *bound == meta).map(|(_, value)| value)
    }

    /// The term with all values filled in.
    pub fn of(&self, term: &Term) -> Term {
        if self.is_empty() || !term.has_meta() {
            return term.clone();
        }
        term.replaced(&|part| match part {
            Term::Meta(meta, _) => self.value(*meta).map(|value| self.of(value)),
            _ => None,
        })
    }

    /// Makes two terms equal, if values of metavariables can.
    pub fn unify(&mut self, one: &Term, other: &Term, sort: &dyn Fn(&Term) -> Sort) -> bool {
        let resolved = |term: &Term| match term {
            Term::Meta(meta, _) => self.value(*meta).cloned(),
            _ => None,
        };
        if let Some(one) = resolved(one) {
            return self.unify(&one, other, sort);
        }
        if let Some(other) = resolved(other) {
            return self.unify(one, &other, sort);
        }
        match (one, other) {
            (Term::Meta(a, _), Term::Meta(b, _)) if a == b => true,
            (Term::Meta(meta, own), term) | (term, Term::Meta(meta, own)) => {
                let term = self.of(term);
                let fits =
                    sort(&term) == *own && !term.has(&Term::Meta(*meta, *own)) && term.size() <= MOST_NODES;
                if fits {
                    self.0.push((*meta, term));
                }
                fits
            }
            (Term::Node(a, left), Term::Node(b, right)) => {
                a == b && left.iter().zip(right.iter()).all(|(one, other)| self.unify(one, other, sort))
            }
            _ => one == other,
        }
    }
}
