//! Exact values of an expression and of each of its operations.

use super::{Expression, Node, Operator};
use crate::budget::{Budget, OverBudget};
use crate::shared::rational::Rational;

/// Reason why an expression has no value.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    #[error("{dividend} is divided by zero")]
    DivisionByZero { dividend: Rational },
    /// An intermediate value does not fit a [`Rational`].
    #[error("a value on the way is too large to hold exactly")]
    TooLarge,
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
}

impl Operator {
    /// `left` and `right` joined by this operation, exactly.
    pub fn apply(self, left: Rational, right: Rational) -> Result<Rational, EvalError> {
        match self {
            Self::Add => left.checked_add(right),
            Self::Subtract => left.checked_sub(right),
            Self::Multiply => left.checked_mul(right),
            Self::Divide if right == Rational::ZERO => {
                return Err(EvalError::DivisionByZero { dividend: left });
            }
            Self::Divide => left.checked_div(right),
        }
        .ok_or(EvalError::TooLarge)
    }
}

/// One operation on the values of its operands.
#[derive(Clone, Copy)]
pub(super) enum Operation {
    Negate(Rational),
    Join(Rational, Operator, Rational),
}

impl Expression {
    /// The exact value. Takes a step for each node.
    pub fn value(&self, budget: &mut Budget) -> Result<Rational, EvalError> {
        self.evaluate(budget, |_, _| ())
    }

    /// The value of every operation in the order of [`steps`](Self::steps), without the plain numbers of the
    /// text. The last is the value of the whole.
    pub fn intermediates(&self, budget: &mut Budget) -> Result<Vec<Rational>, EvalError> {
        let mut values = Vec::new();
        self.evaluate(budget, |_, value| values.push(value))?;
        Ok(values)
    }

    /// Evaluates the nodes in order, showing `see` each operation with its value.
    pub(super) fn evaluate(
        &self,
        budget: &mut Budget,
        mut see: impl FnMut(Operation, Rational),
    ) -> Result<Rational, EvalError> {
        let mut values = Vec::new();
        let pop = |values: &mut Vec<Rational>| values.pop().expect("operands come first");
        for node in &self.nodes {
            budget.spend(1)?;
            let value = match *node {
                Node::Number(n) => n.into(),
                Node::Negate => {
                    let operand = pop(&mut values);
                    see(Operation::Negate(operand), -operand);
                    -operand
                }
                Node::Join(operator) => {
                    let right = pop(&mut values);
                    let left = pop(&mut values);
                    let value = operator.apply(left, right)?;
                    see(Operation::Join(left, operator, right), value);
                    value
                }
            };
            values.push(value);
        }
        Ok(pop(&mut values))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Grammar, MAX_DIGITS, UnaryMinus};
    use super::*;

    fn read(text: &str) -> Expression {
        let any = Grammar { operators: &Operator::ALL, unary_minus: UnaryMinus::Anywhere };
        Expression::parse(text, any).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn value(text: &str) -> String {
        match read(text).value(&mut Budget::new(1_000_000)) {
            Ok(value) => value.to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn products_bind_tighter_and_equals_group_from_the_left() {
        for (text, expected) in [
            ("7", "7"),
            ("8-3-2", "3"),
            ("8-(3-2)", "7"),
            ("2-(3-4)", "3"),
            ("12/4/3", "1"),
            ("12/(4/3)", "9"),
            ("12/4*3", "9"),
            ("2+3*4", "14"),
            ("2*3+4*5-6/4", "49/2"),
            ("(2+3)*(4-6)", "-10"),
            ("((((5))))", "5"),
            ("1-2*3-4", "-9"),
            ("8/(3-8/3)", "24"),
            ("-2*-3", "6"),
            ("2--3", "5"),
            ("-(1+2)*3", "-9"),
            ("4/-2-1", "-3"),
            ("-(-(-3))", "-3"),
            ("-8/-(1-3)/-2", "2"),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn values_that_do_not_exist_are_errors() {
        assert_eq!(value("3/0"), "3 is divided by zero");
        assert_eq!(value("0/0"), "0 is divided by zero");
        assert_eq!(value("1+7/2/(4-2*2)"), "7/2 is divided by zero");
        let large = "a value on the way is too large to hold exactly";
        let nines = "9".repeat(MAX_DIGITS);
        assert_eq!(value(&[nines.as_str(); 8].join("*")), large);
        assert_eq!(value(&[nines.as_str(); 9].join("/")), large);
        assert_eq!(value(&format!("{nines}*{nines}/{nines}")), nines);
        assert_eq!(value(&["(1/2)"; 130].join("*")), large);
        // A harmonic sum: denominators outgrow 127 bits.
        let harmonic: Vec<_> = (1..=200).map(|n| format!("1/{n}")).collect();
        assert_eq!(value(&harmonic.join("+")), large);
        let extreme = Expression::number(i64::MIN);
        let product = (0..3)
            .fold(extreme.clone(), |tree, _| Expression::join(tree, Operator::Multiply, extreme.clone()));
        let error = product.value(&mut Budget::new(100)).expect_err("2^252");
        assert!(matches!(error, EvalError::TooLarge));
        assert_eq!(Expression::negate(extreme).to_string(), "-(-9223372036854775808)");
    }

    #[test]
    fn work_is_counted() {
        let three = read("1+2");
        three.value(&mut Budget::new(3)).expect("just enough");
        let over = three.value(&mut Budget::new(2));
        assert!(matches!(over, Err(EvalError::OverBudget(_))));
    }

    #[test]
    fn what_an_answer_can_hold_at_most_has_a_value() {
        let sum = vec!["1"; 32_768].join("+");
        assert_eq!(value(&sum), "32768");
        let deep = "-(".repeat(21_000) + "7" + &")".repeat(21_000);
        assert_eq!(value(&deep), "7");
    }
}
