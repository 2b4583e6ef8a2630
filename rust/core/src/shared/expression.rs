//! Arithmetic over `+ - * /`: read from anyone's text, worked out exactly, written back.

use std::fmt;

use crate::budget::{Budget, OverBudget};
use crate::shared::rational::Rational;

/// The most digits of a number in a text, so that every number fits an `i64` with either sign.
pub const MAX_DIGITS: usize = 18;
/// The most parentheses open at once in a text.
pub const MAX_DEPTH: usize = 64;
/// The most numbers, operators, signs and parentheses in a text, all together.
pub const MAX_TOKENS: usize = 1000;

/// One of the four operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
}

impl Operator {
    /// Every operation, to choose from.
    pub const ALL: [Self; 4] = [Self::Add, Self::Subtract, Self::Multiply, Self::Divide];

    /// `left` and `right` joined by this operation, exactly.
    ///
    /// # Errors
    /// `DivisionByZero`, or `TooLarge` when [`Rational`] cannot hold the result.
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

    fn from_char(c: char) -> Option<Self> {
        match c {
            '+' => Some(Self::Add),
            '-' | '−' => Some(Self::Subtract),
            '*' | '×' | '·' => Some(Self::Multiply),
            '/' | '÷' => Some(Self::Divide),
            _ => None,
        }
    }

    /// The sign between its operands, with the spaces around it.
    fn spaced(self) -> &'static str {
        match self {
            Self::Add => " + ",
            Self::Subtract => " - ",
            Self::Multiply => " * ",
            Self::Divide => " / ",
        }
    }

    fn binding(self) -> Binding {
        match self {
            Self::Add | Self::Subtract => Binding::Sum,
            Self::Multiply | Self::Divide => Binding::Product,
        }
    }
}

/// Writes `+`, `-`, `*` or `/`.
impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spaced().trim())
    }
}

/// How tightly a tree holds together, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Atom,
}

/// Whether a text may negate a number or a parenthesis by a minus before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryMinus {
    /// Every minus subtracts.
    Refused,
    /// `-3 + 4`, `2 * -3` and `-(1 + 2)` are fine; two signs in a row, as in `--3`, are not.
    Allowed,
}

/// Why a text is not an expression.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// Something in the text is not as the grammar wants it.
    #[error("{fault} at character {character}")]
    Refused {
        /// What is wrong.
        fault: Fault,
        /// Where it is wrong, in bytes from the start: a character boundary of the text or its end.
        offset: usize,
        /// The same place for people, in characters counted from 1.
        character: usize,
    },
    /// Reading takes more steps than are left.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
}

/// What is wrong with a text. The strings quote it, shortened and free of control characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An operand should start here: `2 +`, `()`, `+3`, `sqrt(4)`.
    #[error("expected a number or `(`, found {0}")]
    NoOperand(String),
    /// Something stands where an operator should: `2 ** 3`, `2 x 3`, `6 = 6`.
    #[error("{0} is not one of + - * /")]
    NotOperator(String),
    /// Two operands side by side: `2(3)`, `2 3`.
    #[error("an operator is missing before {0}")]
    NoOperator(String),
    /// `3.5`, `1,000`.
    #[error("{0} is not a whole number in plain digits")]
    NotWhole(String),
    /// `007`.
    #[error("{0} starts with a zero")]
    LeadingZero(String),
    /// More than [`MAX_DIGITS`].
    #[error("the number has more than {max} digits", max = MAX_DIGITS)]
    TooManyDigits,
    /// A parenthesis without its end.
    #[error("`(` is never closed")]
    Unclosed,
    /// A parenthesis without its start.
    #[error("`)` closes nothing")]
    Unopened,
    /// More than [`MAX_DEPTH`].
    #[error("parentheses are nested more than {max} deep", max = MAX_DEPTH)]
    TooDeep,
    /// More than [`MAX_TOKENS`].
    #[error("the expression has more than {max} numbers, operators and parentheses", max = MAX_TOKENS)]
    TooLong,
}

/// Why an expression has no value.
#[derive(Debug, thiserror::Error)]
pub enum EvalError {
    /// Somewhere the divisor is zero.
    #[error("{dividend} is divided by zero")]
    DivisionByZero {
        /// What was to be divided.
        dividend: Rational,
    },
    /// A value on the way does not fit a [`Rational`].
    #[error("a value on the way is too large to hold exactly")]
    TooLarge,
    /// Working it out takes more steps than are left.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
}

/// A tree of numbers joined by the four operations and, where allowed, negated.
///
/// Its text reads back as the same tree, as long as the numbers keep to [`MAX_DIGITS`] and the
/// tree to [`MAX_DEPTH`] and [`MAX_TOKENS`]. Nothing here recurses, whatever the shape.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    /// In postorder, so that operands need no links: the right operand ends just before its
    /// operator, the left one just before the right one starts. Never empty.
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Node {
    Number(i64),
    /// Never of a lone number from 0 up: `-3` is a number, so that every tree has one text.
    Negate,
    Join(Operator),
}

impl Expression {
    /// A number alone.
    #[must_use]
    pub fn number(n: i64) -> Self {
        Self { nodes: vec![Node::Number(n)] }
    }

    /// `left` and `right` joined by `operator`.
    #[must_use]
    pub fn join(mut left: Self, operator: Operator, right: Self) -> Self {
        left.nodes.extend(right.nodes);
        left.nodes.push(Node::Join(operator));
        left
    }

    /// Minus `operand`; of a number from 0 up, the negative number.
    #[must_use]
    pub fn negate(mut operand: Self) -> Self {
        negate_last(&mut operand.nodes);
        operand
    }

    /// Reads whole numbers without leading zeros, `+ - * /`, parentheses and white space between
    /// them. `×` and `·` stand for `*`, `÷` for `/`, `−` for `-`. Products bind tighter than sums,
    /// a unary minus tighter than both, and equals group from the left.
    ///
    /// Total on any text: takes a step for each token and each byte of white space before it, and
    /// stops at the first fault. The tree has at most [`MAX_TOKENS`] nodes.
    ///
    /// # Errors
    /// `Refused` says what is wrong and where; `OverBudget` when the steps run out.
    pub fn parse(text: &str, unary_minus: UnaryMinus, budget: &mut Budget) -> Result<Self, ParseError> {
        let mut parser =
            Parser { text, at: 0, unary_minus, nodes: Vec::new(), waiting: Vec::new(), tokens: 0, depth: 0 };
        parser.operand(budget)?;
        while parser.operator(budget)? {
            parser.operand(budget)?;
        }
        Ok(Self { nodes: parser.nodes })
    }

    /// The numbers as they stand in the text, from the left. A minus whose operand is a lone
    /// number is part of it.
    pub fn numbers(&self) -> impl Iterator<Item = i64> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Number(n) => Some(*n),
            Node::Negate | Node::Join(_) => None,
        })
    }

    /// The exact value. Takes a step for each node.
    ///
    /// # Errors
    /// `DivisionByZero`, `TooLarge` when a value on the way does not fit, or `OverBudget`.
    pub fn value(&self, budget: &mut Budget) -> Result<Rational, EvalError> {
        self.evaluate(budget, |_, _| ())
    }

    /// The value of every operation in the order of [`steps`](Self::steps); numbers standing in
    /// the text are not among them, the value of the whole is the last.
    ///
    /// # Errors
    /// Those of [`value`](Self::value).
    pub fn intermediates(&self, budget: &mut Budget) -> Result<Vec<Rational>, EvalError> {
        let mut values = Vec::new();
        self.evaluate(budget, |_, value| values.push(value))?;
        Ok(values)
    }

    /// A line for every operation, each after those it needs: `3 * 4 = 12`, `7/2 + 1 = 9/2`,
    /// `2 / (3/4) = 8/3`, `-(5) = -5`. Both sides read as expressions with [`UnaryMinus::Allowed`]
    /// while they keep to [`MAX_DIGITS`], and they are equal.
    ///
    /// # Errors
    /// Those of [`value`](Self::value).
    pub fn steps(&self, budget: &mut Budget) -> Result<Vec<String>, EvalError> {
        let mut lines = Vec::new();
        self.evaluate(budget, |operation, value| {
            lines.push(format!("{operation} = {value}"));
        })?;
        Ok(lines)
    }

    /// Works the nodes out in order, showing `see` each operation with its value.
    fn evaluate(
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

/// Writes the fewest parentheses that read back as the same tree: `1 - (2 - 3)`, and also
/// `1 + (2 + 3)`, because `1 + 2 + 3` groups from the left. Signs need none: `2 - -3`.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Piece {
            Bare(usize),
            Wrapped(usize),
            Text(&'static str),
        }
        let starts = self.starts();
        let binding = |at: usize| match self.nodes[at] {
            Node::Number(_) | Node::Negate => Binding::Atom,
            Node::Join(operator) => operator.binding(),
        };
        // The pieces still to be written, the next one last.
        let mut pieces = vec![Piece::Bare(self.nodes.len() - 1)];
        while let Some(piece) = pieces.pop() {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::Wrapped(at) => {
                    f.write_str("(")?;
                    pieces.extend([Piece::Text(")"), Piece::Bare(at)]);
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
                            if binding(right) > operator.binding() {
                                Piece::Bare(right)
                            } else {
                                Piece::Wrapped(right)
                            },
                            Piece::Text(operator.spaced()),
                            if binding(left) >= operator.binding() {
                                Piece::Bare(left)
                            } else {
                                Piece::Wrapped(left)
                            },
                        ]);
                    }
                },
            }
        }
        Ok(())
    }
}

/// Negates the tree that ends `nodes`.
fn negate_last(nodes: &mut Vec<Node>) {
    match nodes.last_mut() {
        Some(Node::Number(n @ 0..)) => *n = -*n,
        _ => nodes.push(Node::Negate),
    }
}

/// One operation on the values of its operands.
#[derive(Clone, Copy)]
enum Operation {
    Negate(Rational),
    Join(Rational, Operator, Rational),
}

/// Writes parentheses where the line would be read otherwise without them.
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

/// A shunting yard: operands go straight to `nodes`, what needs a right side waits for it.
struct Parser<'a> {
    text: &'a str,
    /// Where the next token or the white space before it starts.
    at: usize,
    unary_minus: UnaryMinus,
    nodes: Vec<Node>,
    /// The newest last. At most one minus and two operators to a parenthesis.
    waiting: Vec<Waiting>,
    tokens: usize,
    /// Parentheses among `waiting`.
    depth: usize,
}

enum Waiting {
    Parenthesis { at: usize },
    Minus,
    Operator(Operator),
}

impl Parser<'_> {
    /// Reads a number and the signs and parentheses that open before it.
    fn operand(&mut self, budget: &mut Budget) -> Result<(), ParseError> {
        let minus_allowed = self.unary_minus == UnaryMinus::Allowed;
        let mut may_negate = minus_allowed;
        loop {
            match self.peek(budget)? {
                Some('(') if self.depth == MAX_DEPTH => return self.refuse(Fault::TooDeep),
                Some('(') => {
                    self.waiting.push(Waiting::Parenthesis { at: self.at });
                    self.depth += 1;
                    self.at += 1;
                    may_negate = minus_allowed;
                }
                Some(c @ ('-' | '−')) if may_negate => {
                    self.waiting.push(Waiting::Minus);
                    self.at += c.len_utf8();
                    may_negate = false;
                }
                Some('0'..='9') => return self.number(),
                _ => return self.refuse(Fault::NoOperand(self.quote())),
            }
        }
    }

    /// Reads the parentheses that close and then an operator, or the end, where it is false.
    fn operator(&mut self, budget: &mut Budget) -> Result<bool, ParseError> {
        loop {
            match self.peek(budget)? {
                None => return self.end().map(|()| false),
                Some(')') => self.close()?,
                Some('(' | '0'..='9') => return self.refuse(Fault::NoOperator(self.quote())),
                Some(sign) => {
                    let after = self.at + sign.len_utf8();
                    let doubled = self.text[after..].starts_with(sign);
                    return match Operator::from_char(sign) {
                        // `**` and `//` are other languages' operators, not two of ours.
                        Some(operator) if !(doubled && operator.binding() == Binding::Product) => {
                            self.settle(operator.binding());
                            self.waiting.push(Waiting::Operator(operator));
                            self.at = after;
                            Ok(true)
                        }
                        _ => self.refuse(Fault::NotOperator(self.quote())),
                    };
                }
            }
        }
    }

    fn close(&mut self) -> Result<(), ParseError> {
        self.settle(Binding::Sum);
        if self.waiting.pop().is_none() {
            return self.refuse(Fault::Unopened);
        }
        self.depth -= 1;
        self.at += 1;
        self.end_operand();
        Ok(())
    }

    fn end(&mut self) -> Result<(), ParseError> {
        self.settle(Binding::Sum);
        if let Some(Waiting::Parenthesis { at }) = self.waiting.pop() {
            self.at = at;
            return self.refuse(Fault::Unclosed);
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), ParseError> {
        let rest = &self.text[self.at..];
        let is_digit = |b: &u8| b.is_ascii_digit();
        let length = rest.bytes().take(MAX_DIGITS + 1).take_while(is_digit);
        let (digits, after) = rest.split_at(length.count());
        if digits.len() > MAX_DIGITS {
            return self.refuse(Fault::TooManyDigits);
        }
        if after.starts_with(['.', ',']) {
            let whole = shortened(rest, |c| c.is_ascii_digit() || c == '.' || c == ',');
            return self.refuse(Fault::NotWhole(whole));
        }
        if digits.len() > 1 && digits.starts_with('0') {
            return self.refuse(Fault::LeadingZero(format!("`{digits}`")));
        }
        let number = digits.parse().expect("MAX_DIGITS digits fit an i64");
        self.nodes.push(Node::Number(number));
        self.at += digits.len();
        self.end_operand();
        Ok(())
    }

    /// Applies the minus that waits for the operand just read.
    fn end_operand(&mut self) {
        if matches!(self.waiting.last(), Some(Waiting::Minus)) {
            self.waiting.pop();
            negate_last(&mut self.nodes);
        }
    }

    /// Puts down the operators that bind at least as tightly as `binding`, back to a parenthesis.
    fn settle(&mut self, binding: Binding) {
        while let Some(Waiting::Operator(operator)) = self.waiting.last() {
            if operator.binding() < binding {
                break;
            }
            self.nodes.push(Node::Join(*operator));
            self.waiting.pop();
        }
    }

    /// The first character of the next token, past white space; `None` at the end.
    fn peek(&mut self, budget: &mut Budget) -> Result<Option<char>, ParseError> {
        let rest = &self.text[self.at..];
        let token = rest.trim_start();
        let skipped = rest.len() - token.len();
        budget.spend(1 + skipped as u64)?;
        self.at += skipped;
        let next = token.chars().next();
        if next.is_some() {
            if self.tokens == MAX_TOKENS {
                return self.refuse(Fault::TooLong);
            }
            self.tokens += 1;
        }
        Ok(next)
    }

    fn refuse<T>(&self, fault: Fault) -> Result<T, ParseError> {
        Err(ParseError::Refused {
            fault,
            offset: self.at,
            character: self.text[..self.at].chars().count() + 1,
        })
    }

    /// What a person would point at here: a word, some digits, a doubled sign, a character.
    fn quote(&self) -> String {
        let rest = &self.text[self.at..];
        let is_word = |c: char| c.is_alphabetic() || c == '_' || c == '\\';
        match rest.chars().next() {
            None => "the end".into(),
            Some(c) if is_word(c) => shortened(rest, is_word),
            Some(c) if c.is_ascii_digit() => shortened(rest, |c| c.is_ascii_digit()),
            Some(c @ ('(' | ')')) => format!("`{c}`"),
            Some(first) => shortened(rest, |c| c == first),
        }
    }
}

/// The start of `text` that `belongs`, in backticks, cut short and made printable.
fn shortened(text: &str, belongs: impl Fn(char) -> bool) -> String {
    const LONGEST: usize = 16;
    let mut quoted = String::from("`");
    for (i, c) in text.chars().take_while(|&c| belongs(c)).enumerate() {
        if i == LONGEST {
            quoted.push('…');
            break;
        }
        if c.is_ascii_graphic() || c.is_alphanumeric() {
            quoted.push(c);
        } else {
            quoted.extend(c.escape_debug());
        }
    }
    quoted.push('`');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Expression {
        parse(text, UnaryMinus::Allowed).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn parse(text: &str, unary_minus: UnaryMinus) -> Result<Expression, ParseError> {
        Expression::parse(text, unary_minus, &mut Budget::new(1 << 21))
    }

    fn refusal(text: &str) -> String {
        match parse(text, UnaryMinus::Refused) {
            Ok(read) => panic!("{text:?} was read as {read}"),
            Err(error) => error.to_string(),
        }
    }

    fn value(text: &str) -> String {
        match read(text).value(&mut Budget::new(MAX_TOKENS as u64)) {
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
    fn typographic_signs_and_white_space_change_nothing() {
        let plain = read("8*3/4-2*-1");
        for text in
            ["8×3÷4−2·−1", "  8 * 3\t/ 4\n-\r\n2 *\u{a0}- 1\u{3000}", "(8*3)/4-(2*(-1))", "((8*3/4)-2*-(1))"]
        {
            assert_eq!(read(text), plain, "{text}");
        }
    }

    #[test]
    fn refusals_say_what_and_where() {
        for (text, found, character) in [
            ("", "the end", 1),
            (" \n", "the end", 3),
            ("2+", "the end", 3),
            ("()", "`)`", 2),
            (")", "`)`", 1),
            ("(2+)", "`)`", 4),
            ("2*/3", "`/`", 3),
            ("2 * * 3", "`*`", 5),
            ("+3", "`+`", 1),
            ("-3", "`-`", 1),
            ("2*−3", "`−`", 3),
            ("2--3", "`-`", 3),
            (".5", "`.`", 1),
            ("x", "`x`", 1),
            ("sqrt(16)", "`sqrt`", 1),
            ("\\frac{1}{2}", "`\\frac`", 1),
        ] {
            let message = format!("expected a number or `(`, found {found} at character {character}");
            assert_eq!(refusal(text), message, "{text:?}");
        }
        for (text, found, character) in [
            ("1 ** 3", "`**`", 3),
            ("12 ** 3", "`**`", 4),
            ("7 // 2", "`//`", 3),
            ("7÷÷2", "`÷÷`", 2),
            ("2^3", "`^`", 2),
            ("7 % 2", "`%`", 3),
            ("2 x 3", "`x`", 3),
            ("2X3", "`X`", 2),
            ("7 mod 2", "`mod`", 3),
            ("4!", "`!`", 2),
            ("1e5", "`e`", 2),
            ("1_000", "`_`", 2),
            ("2²", "`²`", 2),
            ("6*4 = 24", "`=`", 5),
            ("6*4 == 24", "`==`", 5),
            ("2 \\times 3", "`\\times`", 3),
        ] {
            let message = format!("{found} is not one of + - * / at character {character}");
            assert_eq!(refusal(text), message, "{text:?}");
        }
        for (text, found, character) in
            [("2(3)", "`(`", 2), ("(2)(3)", "`(`", 4), ("(2)3", "`3`", 4), ("12 34", "`34`", 4)]
        {
            let message = format!("an operator is missing before {found} at character {character}");
            assert_eq!(refusal(text), message, "{text:?}");
        }
        for (text, found, character) in
            [("(1, 2)", "`1,`", 2), ("1,000", "`1,000`", 1), ("2+3.5", "`3.5`", 3), ("0.5", "`0.5`", 1)]
        {
            let message = format!("{found} is not a whole number in plain digits at character {character}");
            assert_eq!(refusal(text), message, "{text:?}");
        }
        for (text, message) in [
            ("007", "`007` starts with a zero at character 1"),
            ("1+00", "`00` starts with a zero at character 3"),
            ("1*((2+3)", "`(` is never closed at character 3"),
            ("(2+3))*4", "`)` closes nothing at character 6"),
        ] {
            assert_eq!(refusal(text), message, "{text:?}");
        }
        let doubled = parse("--3", UnaryMinus::Allowed).expect_err("two signs in a row");
        assert_eq!(doubled.to_string(), "expected a number or `(`, found `-` at character 2");
    }

    #[test]
    fn offsets_count_bytes_and_characters_count_people() {
        match parse("2 × 3 ÷ 😀", UnaryMinus::Refused) {
            Err(ParseError::Refused { fault: Fault::NoOperand(found), offset: 10, character: 9 }) => {
                assert_eq!(found, "`😀`");
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn hostile_texts_are_refused_in_few_words() {
        let megabyte = 1 << 20;
        for text in [
            "(".repeat(100_000),
            ")".repeat(100_000),
            "(1".repeat(100_000),
            "()".repeat(100_000),
            "9".repeat(megabyte),
            "0".repeat(megabyte),
            "9.".repeat(megabyte),
            "x".repeat(megabyte),
            "*".repeat(megabyte),
            "1*".repeat(megabyte),
            "1+".repeat(megabyte) + "1",
            "1*(2+".repeat(megabyte),
            "1-(".repeat(megabyte),
            " ".repeat(megabyte),
            "1".to_owned() + &"\u{a0}".repeat(megabyte / 2) + "1",
            "\u{301}".repeat(megabyte),
            "9**9**9**9".into(),
            "\0".into(),
            "1\0".into(),
            "1 + \u{202e}2".into(),
            "\u{feff}1".into(),
            "1\u{200b}+2".into(),
            "😀👨‍👩‍👧".into(),
            "٣+٤".into(),
            "１+２".into(),
            "½".into(),
            "2 ∗ 3".into(),
            "\u{fffd}".into(),
            "__import__('os')".into(),
            "1 if True else 2".into(),
            "{}".into(),
            "<answer>1</answer>".into(),
        ] {
            for unary_minus in [UnaryMinus::Refused, UnaryMinus::Allowed] {
                let error = parse(&text, unary_minus).expect_err("no expression");
                let message = error.to_string();
                assert!(message.len() < 200, "{message}");
                assert!(!message.contains(char::is_control), "{message:?}");
            }
        }
        for signs in ["-(", "−("] {
            parse(&signs.repeat(100_000), UnaryMinus::Allowed).expect_err("too deep");
        }
        assert_eq!(refusal("1\0"), "`\\0` is not one of + - * / at character 2");
        assert_eq!(
            refusal(&"x".repeat(megabyte)),
            "expected a number or `(`, found `xxxxxxxxxxxxxxxx…` at character 1"
        );
    }

    #[test]
    fn caps_are_exact() {
        let nested = |depth| "(".repeat(depth) + "1" + &")".repeat(depth);
        assert_eq!(read(&nested(MAX_DEPTH)), Expression::number(1));
        assert_eq!(
            refusal(&nested(MAX_DEPTH + 1)),
            "parentheses are nested more than 64 deep at character 65"
        );
        // Depth is what is open at once, not what was ever opened.
        let row = vec![nested(4); 100].join("+");
        assert_eq!(read(&row).numbers().count(), 100);

        let sum = |terms| vec!["1"; terms].join("+");
        assert_eq!(value(&sum(MAX_TOKENS / 2)), "500");
        assert_eq!(
            refusal(&sum(MAX_TOKENS / 2 + 1)),
            "the expression has more than 1000 numbers, operators and parentheses at character 1001"
        );

        assert_eq!(refusal(&"1".repeat(MAX_DIGITS + 1)), "the number has more than 18 digits at character 1");
        let largest = "9".repeat(MAX_DIGITS);
        assert_eq!(value(&largest), largest);
        assert_eq!(value(&format!("-{largest}")), format!("-{largest}"));
    }

    #[test]
    fn work_is_counted() {
        let spaced = "1 + ".to_owned() + &" ".repeat(1000) + "2";
        let steps = |budget: &mut Budget| Expression::parse(&spaced, UnaryMinus::Refused, budget);
        // Three tokens and the end, with 1002 blanks.
        steps(&mut Budget::new(1006)).expect("just enough");
        let over = steps(&mut Budget::new(1005));
        assert!(matches!(over, Err(ParseError::OverBudget(_))));

        let three = read("1+2");
        three.value(&mut Budget::new(3)).expect("just enough");
        let over = three.value(&mut Budget::new(2));
        assert!(matches!(over, Err(EvalError::OverBudget(_))));
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
            ("-(-(3))", "-(-3)"),
            ("-(2*3)", "-(2 * 3)"),
            ("-0", "0"),
        ] {
            assert_eq!(read(text).to_string(), written);
        }
    }

    /// The same trees again, in the plainest form there is.
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

        /// Every operation in parentheses of its own.
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
                    let read = parse(&without, UnaryMinus::Allowed);
                    assert!(read.is_err() || read.is_ok_and(|r| r != *expression), "{written}");
                }
                _ => {}
            }
        }
        assert!(open.is_empty());
    }

    fn is_true(step: &str) -> bool {
        let (left, right) = step.split_once(" = ").expect("two sides");
        value(left) == right && right.parse::<Rational>().is_ok()
    }
}
