//! A small language of whole numbers: programs are read from anyone's text and run in counted steps.

mod read;
mod run;

use std::fmt;

pub use run::{Halt, Traced};

/// Description of the language for prompts.
pub const LANGUAGE: &str = "\
Programs work on integers. A line like `x = 3 * (y + 1)` sets a variable; a variable has no value before it is set. \
Expressions have + - * and parentheses, / for division rounded down and % for its remainder (so -7 / 2 is -4 and -7 % 2 is 1), \
comparisons == != < <= > >=, which give 1 if they are true and 0 if not and cannot be chained, and `and`, `or`, `not`, for \
which 0 is false and every other number is true. * / % are evaluated before + and -, then come comparisons, `not`, `and` and \
`or`, in this order, as in Python. `if X { ... }`, which `else { ... }` may follow, runs lines if X is not 0; `while X { ... }` \
runs them again and again as long as X is not 0; `repeat X { ... }` evaluates X once and runs them that many times, not at all \
if X is negative. `return X` ends the program with the result X, and nothing may follow it in its block. The rest of a line \
after # is a comment.";

/// Largest number of parts of a program.
pub const MOST_NODES: usize = 2_000;
/// Deepest nesting of parentheses and blocks.
pub const DEEPEST: u32 = 24;
/// Bound on the magnitude of values.
pub const LARGEST: i64 = 1_000_000_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Binary {
    pub const ALL: [Self; 13] = [
        Self::Or,
        Self::And,
        Self::Equal,
        Self::Unequal,
        Self::Less,
        Self::AtMost,
        Self::More,
        Self::AtLeast,
        Self::Add,
        Self::Subtract,
        Self::Multiply,
        Self::Divide,
        Self::Remainder,
    ];

    pub fn sign(self) -> &'static str {
        ["or", "and", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"][self as usize]
    }

    /// Binding strength.
    fn level(self) -> u32 {
        match self {
            Self::Or => 0,
            Self::And => 1,
            Self::Add | Self::Subtract => 4,
            Self::Multiply | Self::Divide | Self::Remainder => 5,
            _ => 3,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    Number(i64),
    /// Index in [`Program::names`].
    Variable(usize),
    Negate(Box<Term>),
    Not(Box<Term>),
    Join(Binary, Box<Term>, Box<Term>),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    Set(usize, Term),
    If(Term, Vec<Line>, Vec<Line>),
    While(Term, Vec<Line>),
    Repeat(Term, Vec<Line>),
    Return(Term),
}

/// A program and the names of its variables, starting with its inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub names: Vec<String>,
    pub inputs: usize,
    pub lines: Vec<Line>,
}

impl Term {
    #[must_use]
    pub fn join(self, sign: Binary, other: Self) -> Self {
        Self::Join(sign, Box::new(self), Box::new(other))
    }

    fn nodes(&self) -> usize {
        match self {
            Self::Number(_) | Self::Variable(_) => 1,
            Self::Negate(term) | Self::Not(term) => 1 + term.nodes(),
            Self::Join(_, one, other) => 1 + one.nodes() + other.nodes(),
        }
    }

    /// Text that reads back as the same term, in parentheses if it binds less tightly than `level`.
    fn text(&self, names: &[String], level: u32) -> String {
        let (own, text) = match self {
            Self::Number(number) if *number < 0 => (6, format!("-{}", number.unsigned_abs())),
            Self::Number(number) => (7, number.to_string()),
            Self::Variable(at) => (7, names[*at].clone()),
            Self::Negate(term) => (6, format!("-{}", term.text(names, 7))),
            Self::Not(term) => (2, format!("not {}", term.text(names, 2))),
            Self::Join(sign, one, other) => {
                let level = sign.level();
                // Comparisons do not chain.
                let left = if level == 3 { 4 } else { level };
                (level, format!("{} {} {}", one.text(names, left), sign.sign(), other.text(names, level + 1)))
            }
        };
        if own < level { format!("({text})") } else { text }
    }
}

impl Line {
    fn nodes(&self) -> usize {
        let all = |lines: &[Self]| lines.iter().map(Self::nodes).sum::<usize>();
        1 + match self {
            Self::Set(_, term) | Self::Return(term) => term.nodes(),
            Self::If(term, then, other) => term.nodes() + all(then) + all(other),
            Self::While(term, lines) | Self::Repeat(term, lines) => term.nodes() + all(lines),
        }
    }

    fn write(&self, names: &[String], indent: usize, text: &mut String) {
        let head = |text: &mut String, head: String| text.extend([&"    ".repeat(indent), head.as_str()]);
        let block = |text: &mut String, lines: &[Self]| {
            text.push_str(" {\n");
            for line in lines {
                line.write(names, indent + 1, text);
            }
            text.extend([&"    ".repeat(indent), "}"]);
        };
        match self {
            Self::Set(at, term) => head(text, format!("{} = {}", names[*at], term.text(names, 0))),
            Self::Return(term) => head(text, format!("return {}", term.text(names, 0))),
            Self::While(term, lines) => {
                head(text, format!("while {}", term.text(names, 0)));
                block(text, lines);
            }
            Self::Repeat(term, lines) => {
                head(text, format!("repeat {}", term.text(names, 0)));
                block(text, lines);
            }
            Self::If(term, then, other) => {
                head(text, format!("if {}", term.text(names, 0)));
                block(text, then);
                if !other.is_empty() {
                    text.push_str(" else");
                    block(text, other);
                }
            }
        }
        text.push('\n');
    }
}

impl Program {
    /// Number of parts of all lines.
    pub fn nodes(&self) -> usize {
        self.lines.iter().map(Line::nodes).sum()
    }

    /// The program with its variables numbered in the order in which the text names them; equal for programs
    /// that differ only in names.
    pub fn anonymous(&self) -> String {
        let letters = (0..self.names.len()).map(|at| format!("v{at}")).collect();
        Self { names: letters, ..self.clone() }.to_string()
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.lines.iter().for_each(|line| line.write(&self.names, 0, &mut text));
        f.write_str(text.trim_end())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;

    fn run(text: &str, inputs: &[i64]) -> Result<i64, Halt> {
        let names = ["a", "b"].map(String::from);
        let program =
            Program::read(text, &names[..inputs.len()]).unwrap_or_else(|error| panic!("{text}: {error}"));
        let again = Program::read(&program.to_string(), &names[..inputs.len()]);
        assert_eq!(again.as_ref(), Ok(&program), "{program}");
        program.run(inputs, &mut Budget::new(1_000))
    }

    #[test]
    fn known_programs_do_what_they_do() {
        let euclid = "while b != 0 {\n  t = a % b\n  a = b\n  b = t\n}\nreturn a";
        assert_eq!(run(euclid, &[84, 36]), Ok(12));
        let digits = "s = 0; while a > 0 { s = s + a % 10; a = a / 10 }; return s";
        assert_eq!(run(digits, &[9047]), Ok(20));
        let fibonacci = "x = 0\ny = 1\nrepeat a {\n z = x + y\n x = y\n y = z\n}\nreturn x # the last";
        assert_eq!(run(fibonacci, &[30]), Ok(832_040));
        let sign = "if a > 0 { return 1 } else { if a < 0 { return -1 } } return 0";
        assert_eq!([5, -5, 0].map(|a| run(sign, &[a])), [Ok(1), Ok(-1), Ok(0)]);
        let chained = "if a > 9 { return 2 } else if a > 4 { return 1 } else { return 0 }";
        assert_eq!([12, 5, 3].map(|a| run(chained, &[a])), [Ok(2), Ok(1), Ok(0)]);
        for (text, value) in [
            ("return -7 / 2", -4),
            ("return -7 % 2", 1),
            ("return 7 / -2", -4),
            ("return 7 % -2", -1),
            ("return 2 + 3 * 4 - 5 - 6", 3),
            ("return -(2 + 3) * -2", 10),
            ("return not 3 == 4 and 1 < 2 or 0", 1),
            ("return not (0 or 5)", 0),
            ("return (1 < 2) + (3 >= 3)", 2),
            ("return 2 - (3 - 4)", 3),
            ("return (1 < 2) < 2", 1),
        ] {
            assert_eq!(run(text, &[]), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_goes_wrong_is_said() {
        for (text, halt) in [
            ("while 1 { x = 1 }", "it takes more steps than are allowed"),
            ("x = 5", "it ends without a result"),
            ("return x", "x is used before it is set"),
            ("x = 0; return 4 / x", "4 is divided by 0"),
            ("x = 0; return 4 % x", "4 is divided by 0"),
            ("x = 10; repeat 9 { x = x * x } return x", "a number becomes too large"),
            ("repeat 999999999999 { } return 1", "it takes more steps than are allowed"),
        ] {
            assert_eq!(run(text, &[]).unwrap_err().to_string(), halt, "{text}");
        }
    }

    #[test]
    fn what_is_no_program_is_refused() {
        let deep = format!("return {}1{}", "(".repeat(30_000), ")".repeat(30_000));
        let blocks = format!("{}{}", "if 1 {".repeat(10_000), "}".repeat(10_000));
        let long = "x = 1\n".repeat(10_000);
        let nots = format!("return {}1", "not ".repeat(10_000));
        for text in [
            "",
            "return",
            "x",
            "x =",
            "= 3",
            "return 1 return 2",
            "return 1; x = 2",
            "if 1 { x = 2",
            "x = 1 }",
            "x == 3",
            "x = y = 3",
            "return 1 < 2 < 3",
            "return 2 ** 3",
            "return 2x",
            "X = 3",
            "return 0.5",
            "return 1e3",
            "print(3)",
            "x += 1",
            "if = 3",
            "return 99999999999999999999",
            "for i in x {}",
            "return \u{ff11}",
            "x = 3,",
            "else { x = 1 }",
            "return - - 3",
            &deep,
            &blocks,
            &long,
            &nots,
            "\0",
        ] {
            let error = Program::read(text, &[]).unwrap_err();
            assert!(error.len() < 300, "{error}");
        }
    }
}
