//! An expression as text, and the steps that evaluate it.

use std::fmt;

use super::eval::Operation;
use super::{Binding, EvalError, Expression, Node, Operator};
use crate::budget::Budget;

impl Expression {
    /// A line for every operation, each after those it needs: `3 * 4 = 12`, `7/2 + 1 = 9/2`, `2 / (3/4) =
    /// 8/3`, `-(5) = -5`. Both sides are equal, and both read as expressions if a unary minus is allowed
    /// anywhere.
    pub fn steps(&self, budget: &mut Budget) -> Result<Vec<String>, EvalError> {
        let mut lines = Vec::new();
        self.evaluate(budget, |operation, value| lines.push(format!("{operation} = {value}")))?;
        Ok(lines)
    }

    /// For each node, the first node of its subtree.
    fn starts(&self) -> Vec<usize> {
        let mut starts: Vec<usize> = Vec::with_capacity(self.nodes.len());
        for (at, node) in self.nodes.iter().enumerate() {
            starts.push(match node {
                Node::Number(_) => at,
                Node::Negate => starts[at - 1],
                Node::Join(_) => starts[starts[at - 1] - 1],
            });
        }
        starts
    }
}

/// Writes the fewest parentheses that read back as the same tree: `1 - (2 - 3)`, and also `1 + (2 + 3)`,
/// because `1 + 2 + 3` groups from the left.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Piece {
            Bare(usize),
            Wrapped(usize),
            Sign(Operator),
            Close,
        }
        let starts = self.starts();
        let binding = |at: usize| match self.nodes[at] {
            Node::Number(_) | Node::Negate => Binding::Atom,
            Node::Join(operator) => operator.binding(),
        };
        let operand = |at, needs_none| if needs_none { Piece::Bare(at) } else { Piece::Wrapped(at) };
        // The pieces still to be written, the next one last.
        let mut pieces = vec![Piece::Bare(self.nodes.len() - 1)];
        while let Some(piece) = pieces.pop() {
            match piece {
                Piece::Sign(operator) => write!(f, " {operator} ")?,
                Piece::Close => f.write_str(")")?,
                Piece::Wrapped(at) => {
                    f.write_str("(")?;
                    pieces.extend([Piece::Close, Piece::Bare(at)]);
                }
                Piece::Bare(at) => match self.nodes[at] {
                    Node::Number(n) => write!(f, "{n}")?,
                    Node::Negate => {
                        f.write_str("-")?;
                        pieces.push(Piece::Wrapped(at - 1));
                    }
                    Node::Join(operator) => {
                        let (left, right) = (starts[at - 1] - 1, at - 1);
                        pieces.extend([
                            operand(right, binding(right) > operator.binding()),
                            Piece::Sign(operator),
                            operand(left, binding(left) >= operator.binding()),
                        ]);
                    }
                },
            }
        }
        Ok(())
    }
}

/// Writes parentheses where the line would otherwise be read differently.
impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Negate(operand) => write!(f, "-({operand})"),
            Self::Join(left, Operator::Divide, right) if !right.is_whole() => {
                write!(f, "{left} / ({right})")
            }
            Self::Join(left, operator, right) => write!(f, "{left} {operator} {right}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Grammar, UnaryMinus};
    use super::*;
    use crate::shared::rational::Rational;

    fn read(text: &str) -> Expression {
        let any = Grammar { operators: &Operator::ALL, unary_minus: UnaryMinus::Anywhere };
        Expression::parse(text, any).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn writes_no_parentheses_but_those_it_needs() {
        for (text, written) in [
            ("((1+2))+3", "1 + 2 + 3"),
            ("1+(2+3)", "1 + (2 + 3)"),
            ("(1*2)+(3/4)", "1 * 2 + 3 / 4"),
            ("(1+2)*3", "(1 + 2) * 3"),
            ("8/(4/2)", "8 / (4 / 2)"),
            ("8/(4*2)", "8 / (4 * 2)"),
            ("1-(2-3)", "1 - (2 - 3)"),
            ("2-(-3)", "2 - -3"),
            ("(-3)*(-(2+1))", "-3 * -(2 + 1)"),
            ("-(-(3))", "-(-(3))"),
            ("-((-3))", "-(-3)"),
            ("-(2*3)", "-(2 * 3)"),
            ("-0", "0"),
        ] {
            assert_eq!(read(text).to_string(), written);
        }
    }

    #[test]
    fn steps_go_from_the_inside_out() {
        let budget = &mut Budget::new(1000);
        let tree = read("2 * (3 + 4 * 5) - -(7 / 2) / (3 / 4)");
        let steps = [
            "4 * 5 = 20",
            "3 + 20 = 23",
            "2 * 23 = 46",
            "7 / 2 = 7/2",
            "-(7/2) = -7/2",
            "3 / 4 = 3/4",
            "-7/2 / (3/4) = -14/3",
            "46 - -14/3 = 152/3",
        ];
        assert_eq!(tree.steps(budget).expect("finite"), steps);
        let values = tree.intermediates(budget).expect("finite");
        assert_eq!(
            values.iter().map(Rational::to_string).collect::<Vec<_>>(),
            steps.map(|step| step.split(" = ").last().expect("two sides")),
        );
        let alone = Expression::number(5);
        assert!(alone.steps(budget).expect("finite").is_empty());
        assert!(alone.intermediates(budget).expect("finite").is_empty());
    }

    #[test]
    fn a_deep_tree_is_written() {
        let deep = (0..2_000).fold(Expression::number(1), |tree, _| {
            Expression::join(Expression::number(2), Operator::Subtract, Expression::negate(tree))
        });
        assert_eq!(read(&deep.to_string()), deep);
    }
}
