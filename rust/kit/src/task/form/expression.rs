//! Whole numbers joined by arithmetic.

use super::{Form, decorated};
use crate::shared::expression::{Expression as Tree, Fault, Grammar, Operator, UnaryMinus};
use crate::task::verdict::Failure;

/// One expression of whole numbers, operators and parentheses, nested to any depth.
pub struct Expression {
    pub grammar: Grammar,
}

impl Form for Expression {
    type Read = Tree;

    fn asks(&self) -> String {
        let signs = match self.grammar.unary_minus {
            UnaryMinus::Refused => "without signs in front of a number or a parenthesis",
            UnaryMinus::BeforeParentheses => {
                "without signs in front of a number (a minus in front of a parenthesis is fine)"
            }
            UnaryMinus::Anywhere => "with a minus in front of a number or a parenthesis where you like",
        };
        let operators = self.grammar.signs();
        format!(
            "Give one expression that joins whole numbers by {operators} and parentheses, {signs} and \
             without an equals sign,"
        )
    }

    fn read(&self, text: &str) -> Result<Tree, Failure> {
        Tree::parse(text, self.grammar).map_err(|error| match error.fault {
            Fault::TooManyDigits => Failure::wrong(error.to_string()),
            _ => Failure::malformed(error.to_string()),
        })
    }

    fn write(&self, answer: &Tree) -> String {
        answer.to_string()
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let mut mangled = decorated(right);
        mangled.extend([
            format!("{right})"),
            format!("({right}"),
            format!("{right} = {right}"),
            format!("{right} ="),
            format!("= {right}"),
            format!("x = {right}"),
            format!("+{right}"),
            format!("--({right})"),
            format!("{right}\n{right}"),
            format!("{right}, {right}"),
            format!("{right}."),
            format!("{right} + 0.0"),
            format!("[{right}]"),
            format!("1({right})"),
            format!("({right})!"),
            format!("sqrt(({right})^2)"),
            right.replace('*', "x"),
            right.replace('*', "\\times"),
            right.replace('*', "**"),
            right.replace('/', "//"),
            right.replace('/', ":"),
            right.replace('+', "plus"),
        ]);
        let others = Operator::ALL.into_iter().filter(|operator| !self.grammar.operators.contains(operator));
        mangled.extend(others.map(|operator| format!("{right} {operator} 1")));
        match self.grammar.unary_minus {
            UnaryMinus::Refused => mangled.push(format!("-(-({right}))")),
            UnaryMinus::BeforeParentheses => {
                let (before, number) = right.split_at(right.find(|c: char| c.is_ascii_digit()).unwrap_or(0));
                mangled.push(format!("{before}-{number}"));
            }
            UnaryMinus::Anywhere => {}
        }
        mangled.retain(|text| text != right);
        mangled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [UnaryMinus; 3] = [UnaryMinus::Refused, UnaryMinus::BeforeParentheses, UnaryMinus::Anywhere];

    fn form(unary_minus: UnaryMinus) -> Expression {
        Expression { grammar: Grammar { operators: &Operator::ALL, unary_minus } }
    }

    #[test]
    fn the_sentence_says_where_a_sign_may_stand() {
        for (unary_minus, signs) in ALL.into_iter().zip([
            "without signs in front of a number or a parenthesis",
            "without signs in front of a number (a minus in front of a parenthesis is fine)",
            "with a minus in front of a number or a parenthesis where you like",
        ]) {
            assert_eq!(
                form(unary_minus).sentence("answer"),
                format!(
                    "Give one expression that joins whole numbers by + - * / and parentheses, {signs} and \
                     without an equals sign, inside <answer></answer> tags, and write nothing after them."
                )
            );
        }
    }

    #[test]
    fn what_is_written_reads_back_and_what_is_mangled_is_malformed() {
        for unary_minus in ALL {
            let form = form(unary_minus);
            for right in ["2 * (3 + 4) - 5 / 6", "(1 + 2) * 3", "7 - 3"] {
                let read = form.read(right).unwrap();
                assert_eq!(form.write(&read), right);
                for mangled in form.mangled(right) {
                    assert!(form.read(&mangled).is_err(), "{mangled:?} was read");
                }
            }
        }
        let operators = &[Operator::Add, Operator::Subtract];
        let sums = Expression { grammar: Grammar { operators, unary_minus: UnaryMinus::Refused } };
        assert!(sums.asks().contains(" by + - and parentheses"), "{}", sums.asks());
        assert!(sums.mangled("1 + 2").iter().all(|mangled| sums.read(mangled).is_err()));
    }

    #[test]
    fn a_number_too_long_to_hold_is_wrong_and_not_malformed() {
        let verdict = form(UnaryMinus::Refused).read(&"9".repeat(40)).unwrap_err();
        assert_eq!(verdict.failures, ["wrong_answer"]);
    }
}
