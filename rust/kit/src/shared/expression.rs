//! Arithmetic over `+ - * /`: read from anyone's text, evaluated exactly, written back.
//!
//! Nothing here recurses, whatever the shape, and all of it is linear in the text or the tree.

mod eval;
mod parse;
mod write;

use std::fmt;

pub use eval::EvalError;
pub use parse::{Fault, Grammar, MAX_DIGITS, ParseError, UnaryMinus};

/// One of the four operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operator {
    pub const ALL: [Self; 4] = [Self::Add, Self::Subtract, Self::Multiply, Self::Divide];

    /// `+`, `-`, `*` or `/`.
    pub fn sign(self) -> char {
        match self {
            Self::Add => '+',
            Self::Subtract => '-',
            Self::Multiply => '*',
            Self::Divide => '/',
        }
    }

    fn binding(self) -> Binding {
        match self {
            Self::Add | Self::Subtract => Binding::Sum,
            Self::Multiply | Self::Divide => Binding::Product,
        }
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.sign())
    }
}

/// Binding strength of a tree, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Atom,
}

/// A tree of numbers joined by the four operations and, where the grammar allows it, negated.
///
/// Its text reads back as the same tree, as long as the numbers keep to [`MAX_DIGITS`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    /// In postorder, so that operands need no links: the right operand ends just before its operator, the
    /// left one just before the right one starts. Never empty.
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    /// A minus just before the digits is part of the number.
    Number(i64),
    /// A minus before a parenthesis.
    Negate,
    Join(Operator),
}

impl Expression {
    /// A number alone.
    pub fn number(n: i64) -> Self {
        Self { nodes: vec![Node::Number(n)] }
    }

    #[must_use]
    pub fn join(mut left: Self, operator: Operator, right: Self) -> Self {
        left.nodes.extend(right.nodes);
        left.nodes.push(Node::Join(operator));
        left
    }

    /// A minus before the operand, in parentheses.
    #[must_use]
    pub fn negate(mut operand: Self) -> Self {
        operand.nodes.push(Node::Negate);
        operand
    }

    /// The numbers in the order of the text.
    pub fn numbers(&self) -> impl Iterator<Item = i64> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Number(n) => Some(*n),
            Node::Negate | Node::Join(_) => None,
        })
    }

    /// The operators in the order of [`steps`](Self::steps).
    pub fn operators(&self) -> impl Iterator<Item = Operator> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Join(operator) => Some(*operator),
            Node::Negate | Node::Number(_) => None,
        })
    }

    /// The same tree with each number, counted from 0 in the order of [`numbers`](Self::numbers), replaced.
    #[must_use]
    pub fn with_numbers(mut self, mut new: impl FnMut(usize, i64) -> i64) -> Self {
        let numbers = self.nodes.iter_mut().filter_map(|node| match node {
            Node::Number(n) => Some(n),
            Node::Negate | Node::Join(_) => None,
        });
        numbers.enumerate().for_each(|(at, n)| *n = new(at, *n));
        self
    }

    /// The same tree with each operator, counted from 0 in the order of [`operators`](Self::operators),
    /// replaced.
    #[must_use]
    pub fn with_operators(mut self, mut new: impl FnMut(usize, Operator) -> Operator) -> Self {
        let operators = self.nodes.iter_mut().filter_map(|node| match node {
            Node::Join(operator) => Some(operator),
            Node::Negate | Node::Number(_) => None,
        });
        operators.enumerate().for_each(|(at, operator)| *operator = new(at, *operator));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::shared::rational::Rational;

    const ANY: Grammar = Grammar { operators: &Operator::ALL, unary_minus: UnaryMinus::Anywhere };

    fn read(text: &str) -> Expression {
        Expression::parse(text, ANY).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn numbers_and_operators_can_be_replaced_where_they_stand() {
        let tree = read("2 * (3 + 4) - -(5)");
        assert_eq!(tree.numbers().collect::<Vec<_>>(), [2, 3, 4, 5]);
        let signs: String = tree.operators().map(Operator::sign).collect();
        assert_eq!(signs, "+*-");
        let other = tree.with_numbers(|at, n| if at == 1 { 30 } else { n });
        let other = other.with_operators(|at, sign| if at == 2 { Operator::Divide } else { sign });
        assert_eq!(other.to_string(), "2 * (30 + 4) / -(5)");
    }

    /// The same trees again, in the simplest representation.
    enum Tree {
        Number(i64),
        Minus(Box<Tree>),
        Join(Box<Tree>, Operator, Box<Tree>),
    }

    impl Tree {
        fn random(draw: &mut impl FnMut(u32) -> u32, depth: u32) -> Self {
            let subtree = |draw: &mut _| Box::new(Self::random(draw, depth - 1));
            match draw(if depth == 0 { 2 } else { 8 }) {
                0 => Self::Number(draw(10).into()),
                1 => Self::Number(draw(25).into()),
                2 => Self::Minus(subtree(draw)),
                _ => {
                    let (left, right) = (subtree(draw), subtree(draw));
                    Self::Join(left, Operator::ALL[draw(4) as usize], right)
                }
            }
        }

        /// Every operation in its own parentheses.
        fn text(&self) -> String {
            match self {
                Self::Number(n) => n.to_string(),
                Self::Minus(tree) => format!("(-({}))", tree.text()),
                Self::Join(left, operator, right) => {
                    format!("({}{operator}{})", left.text(), right.text())
                }
            }
        }

        fn expression(&self) -> Expression {
            match self {
                Self::Number(n) => Expression::number(*n),
                Self::Minus(tree) => Expression::negate(tree.expression()),
                Self::Join(left, operator, right) => {
                    Expression::join(left.expression(), *operator, right.expression())
                }
            }
        }

        /// Numerator and denominator, never reduced; `None` where a divisor is zero.
        fn value(&self) -> Option<(i128, i128)> {
            Some(match self {
                Self::Number(n) => ((*n).into(), 1),
                Self::Minus(tree) => {
                    let (a, b) = tree.value()?;
                    (-a, b)
                }
                Self::Join(left, operator, right) => {
                    let ((a, b), (c, d)) = (left.value()?, right.value()?);
                    match operator {
                        Operator::Add => (a * d + c * b, b * d),
                        Operator::Subtract => (a * d - c * b, b * d),
                        Operator::Multiply => (a * c, b * d),
                        Operator::Divide if c == 0 => return None,
                        Operator::Divide => (a * d, b * c),
                    }
                }
            })
        }
    }

    #[test]
    fn random_trees_keep_their_shape_value_and_steps() {
        let mut state: u64 = 1;
        let mut draw = |bound: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u32::try_from(state >> 33).expect("31 bits") % bound
        };
        let mut finite = 0;
        for _ in 0..5000 {
            let depth = draw(5);
            let tree = Tree::random(&mut draw, depth);
            let expression = tree.expression();
            assert_eq!(read(&tree.text()), expression, "{}", tree.text());
            let written = expression.to_string();
            assert_eq!(read(&written), expression, "{written}");
            assert_every_parenthesis_is_needed(&written, &expression);

            let budget = &mut Budget::new(1 << 20);
            match (tree.value(), expression.value(budget)) {
                (Some((a, b)), Ok(value)) => {
                    assert_eq!(Rational::new(a, b), Some(value), "{written}");
                    let steps = expression.steps(budget).expect("it has a value");
                    assert!(steps.iter().all(|step| is_true(step)), "{steps:?}");
                    finite += 1;
                }
                (None, Err(EvalError::DivisionByZero { .. })) => {}
                (ours, theirs) => panic!("{written}: {ours:?} and {theirs:?}"),
            }
        }
        assert!(finite > 4000, "{finite}");
    }

    fn assert_every_parenthesis_is_needed(written: &str, expression: &Expression) {
        let mut open = Vec::new();
        for (at, c) in written.char_indices() {
            match c {
                '(' => open.push(at),
                ')' => {
                    let start = open.pop().expect("balanced");
                    let (before, inside) = (&written[..start], &written[start + 1..at]);
                    let without = format!("{before}{inside}{}", &written[at + 1..]);
                    let read = Expression::parse(&without, ANY);
                    assert!(read.is_err() || read.is_ok_and(|r| r != *expression), "{written}");
                }
                _ => {}
            }
        }
        assert!(open.is_empty());
    }

    fn is_true(step: &str) -> bool {
        let (left, right) = step.split_once(" = ").expect("two sides");
        let value = read(left).value(&mut Budget::new(100)).expect("a step has a value");
        value.to_string() == right && right.parse::<Rational>().is_ok()
    }
}
