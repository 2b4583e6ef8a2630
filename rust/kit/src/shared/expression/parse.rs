//! Reads expressions out of anyone's text.

use super::{Binding, Expression, Node, Operator};

/// The most digits of a number, leading zeros aside, so that every number fits an `i64` with either sign.
pub const MAX_DIGITS: usize = 18;

/// Syntax of expressions, besides whole numbers, parentheses and white space.
#[derive(Clone, Copy, Debug)]
pub struct Grammar {
    pub operators: &'static [Operator],
    pub unary_minus: UnaryMinus,
}

/// Positions in which a unary minus is allowed. Two signs in a row, as in `--(3)`, never are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryMinus {
    Refused,
    /// `-(1 + 2)` and `2 * -(3)`, but not `-3`.
    BeforeParentheses,
    /// `-3 + 4`, too.
    Anywhere,
}

/// Reason why a text is not an expression.
#[derive(Debug, thiserror::Error)]
#[error("{fault} at character {character}")]
pub struct ParseError {
    pub fault: Fault,
    /// Position of the fault in characters, counted from 1.
    pub character: usize,
}

/// Fault of a text. The strings quote it, shortened and free of control characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// An operand is missing: `2 +`, `()`, `+3`, `sqrt(4)`.
    #[error("expected a number or `(`, found {0}")]
    NoOperand(String),
    /// `-3`, where a unary minus is allowed before parentheses only.
    #[error("a minus stands in front of a number")]
    SignedNumber,
    /// An operator is expected but something else is found: `2 ** 3`, `2 x 3`, `6 = 6`.
    #[error("{found} is not one of {operators}")]
    NotOperator { found: String, operators: String },
    /// Two operands side by side: `2(3)`, `2 3`.
    #[error("an operator is missing before {0}")]
    NoOperator(String),
    /// `3.5`, `1,000`.
    #[error("{0} is not a whole number in plain digits")]
    NotWhole(String),
    /// More than [`MAX_DIGITS`].
    #[error("the number has more than {MAX_DIGITS} digits")]
    TooManyDigits,
    #[error("`(` is never closed")]
    Unclosed,
    #[error("`)` closes nothing")]
    Unopened,
}

impl Grammar {
    /// The operators' signs: `+ - * /`.
    pub fn signs(self) -> String {
        let signs: Vec<String> = self.operators.iter().map(ToString::to_string).collect();
        signs.join(" ")
    }

    /// The operator that a character represents, including typographic ones.
    fn operator(self, c: char) -> Option<Operator> {
        let operator = match c {
            '+' => Operator::Add,
            '-' | '−' => Operator::Subtract,
            '*' | '×' | '·' => Operator::Multiply,
            '/' | '÷' => Operator::Divide,
            _ => return None,
        };
        self.operators.contains(&operator).then_some(operator)
    }
}

impl Expression {
    /// Reads whole numbers in digits, operators, parentheses and white space between them. `×` and `·` mean
    /// `*`, `÷` means `/`, `−` means `-`. Products bind tighter than sums, a unary minus tighter than both,
    /// and equals group from the left.
    ///
    /// Total on any text, however deep it is nested: takes time in proportion to its length and stops at the
    /// first fault.
    pub fn parse(text: &str, grammar: Grammar) -> Result<Self, ParseError> {
        let mut parser = Parser { text, at: 0, grammar, nodes: Vec::new(), waiting: Vec::new() };
        parser.operand()?;
        while parser.operator()? {
            parser.operand()?;
        }
        Ok(Self { nodes: parser.nodes })
    }
}

/// A shunting yard: operands go straight to `nodes`; whatever needs a right side waits for it.
struct Parser<'a> {
    text: &'a str,
    /// Start of the next token or of the white space before it.
    at: usize,
    grammar: Grammar,
    nodes: Vec<Node>,
    /// The newest last. At most one minus and two operators per parenthesis.
    waiting: Vec<Waiting>,
}

enum Waiting {
    Parenthesis { at: usize },
    Minus { at: usize },
    Operator(Operator),
}

impl Parser<'_> {
    /// Reads a number, with the signs and opening parentheses before it.
    fn operand(&mut self) -> Result<(), ParseError> {
        loop {
            let signed = matches!(self.waiting.last(), Some(Waiting::Minus { .. }));
            let may_negate = self.grammar.unary_minus != UnaryMinus::Refused && !signed;
            match self.peek() {
                Some('(') => {
                    self.waiting.push(Waiting::Parenthesis { at: self.at });
                    self.at += 1;
                }
                Some(c @ ('-' | '−')) if may_negate => {
                    self.waiting.push(Waiting::Minus { at: self.at });
                    self.at += c.len_utf8();
                }
                Some('0'..='9') => return self.number(),
                _ => return self.refuse(Fault::NoOperand(self.quote())),
            }
        }
    }

    /// Reads closing parentheses and then an operator (true) or the end (false).
    fn operator(&mut self) -> Result<bool, ParseError> {
        loop {
            match self.peek() {
                None => return self.end().map(|()| false),
                Some(')') => self.close()?,
                Some('(' | '0'..='9') => return self.refuse(Fault::NoOperator(self.quote())),
                Some(sign) => {
                    let after = self.at + sign.len_utf8();
                    let doubled = self.text[after..].starts_with(sign);
                    return match self.grammar.operator(sign) {
                        // `**` and `//` are other languages' operators, not two of ours.
                        Some(operator) if !(doubled && operator.binding() == Binding::Product) => {
                            self.settle(operator.binding());
                            self.waiting.push(Waiting::Operator(operator));
                            self.at = after;
                            Ok(true)
                        }
                        _ => {
                            let operators = self.grammar.signs();
                            self.refuse(Fault::NotOperator { found: self.quote(), operators })
                        }
                    };
                }
            }
        }
    }

    fn number(&mut self) -> Result<(), ParseError> {
        let rest = &self.text[self.at..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, after) = rest.split_at(digits);
        if after.starts_with(['.', ',']) {
            let whole = shortened(rest, |c| c.is_ascii_digit() || c == '.' || c == ',');
            return self.refuse(Fault::NotWhole(whole));
        }
        let significant = digits.trim_start_matches('0');
        if significant.len() > MAX_DIGITS {
            return self.refuse(Fault::TooManyDigits);
        }
        let mut number = significant.bytes().fold(0, |n, digit| n * 10 + i64::from(digit - b'0'));
        if let Some(Waiting::Minus { at }) = self.waiting.last() {
            if self.grammar.unary_minus == UnaryMinus::BeforeParentheses {
                self.at = *at;
                return self.refuse(Fault::SignedNumber);
            }
            self.waiting.pop();
            number = -number;
        }
        self.nodes.push(Node::Number(number));
        self.at += digits.len();
        Ok(())
    }

    fn close(&mut self) -> Result<(), ParseError> {
        self.settle(Binding::Sum);
        if self.waiting.pop().is_none() {
            return self.refuse(Fault::Unopened);
        }
        self.at += 1;
        if matches!(self.waiting.last(), Some(Waiting::Minus { .. })) {
            self.waiting.pop();
            self.nodes.push(Node::Negate);
        }
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

    /// Emits the operators that bind at least as tightly as `binding`, back to a parenthesis.
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
    fn peek(&mut self) -> Option<char> {
        let token = self.text[self.at..].trim_start();
        self.at = self.text.len() - token.len();
        token.chars().next()
    }

    fn refuse<T>(&self, fault: Fault) -> Result<T, ParseError> {
        Err(ParseError { fault, character: self.text[..self.at].chars().count() + 1 })
    }

    /// The part that a person would point at here: a word, some digits, a doubled sign, a character.
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

/// The start of `text` whose characters `belongs` accepts, in backticks, shortened and made printable.
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

    fn parse(text: &str, unary_minus: UnaryMinus) -> Result<Expression, ParseError> {
        Expression::parse(text, Grammar { operators: &Operator::ALL, unary_minus })
    }

    fn read(text: &str) -> Expression {
        parse(text, UnaryMinus::Anywhere).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn refusal(text: &str) -> String {
        match parse(text, UnaryMinus::Refused) {
            Ok(read) => panic!("{text:?} was read as {read}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn typographic_signs_white_space_and_leading_zeros_change_nothing() {
        let plain = read("8*3/4-2*-1");
        for text in [
            "8×3÷4−2·−1",
            "  8 * 3\t/ 4\n-\r\n2 *\u{a0}- 1\u{3000}",
            "(8*3)/4-(2*(-1))",
            "((8*3/4)-2*(-1))",
            "08*003/4-2*-01",
        ] {
            assert_eq!(read(text), plain, "{text}");
        }
    }

    #[test]
    fn a_minus_stands_where_the_grammar_lets_it() {
        use UnaryMinus::{Anywhere, BeforeParentheses, Refused};
        for (text, refused, before_parentheses, anywhere) in [
            ("2-3", true, true, true),
            ("-(2-3)*4", false, true, true),
            ("2*-(3)", false, true, true),
            ("2 - - (3)", false, true, true),
            ("(-(-(2)))", false, true, true),
            ("−((3))", false, true, true),
            ("-3", false, false, true),
            ("2--3", false, false, true),
            ("(-3)", false, false, true),
            ("-(-3)", false, false, true),
            ("--(3)", false, false, false),
            ("--3", false, false, false),
            ("2---(3)", false, false, false),
            ("+(3)", false, false, false),
            ("-", false, false, false),
            ("-()", false, false, false),
            ("(3)-", false, false, false),
        ] {
            let reads = [Refused, BeforeParentheses, Anywhere].map(|minus| parse(text, minus).is_ok());
            assert_eq!(reads, [refused, before_parentheses, anywhere], "{text}");
        }
        let error = parse("4 * (- 3)", BeforeParentheses).unwrap_err();
        assert_eq!(error.to_string(), "a minus stands in front of a number at character 6");
        let doubled = parse("--3", Anywhere).unwrap_err();
        assert_eq!(doubled.to_string(), "expected a number or `(`, found `-` at character 2");
    }

    #[test]
    fn operators_are_those_of_the_grammar() {
        let sums =
            Grammar { operators: &[Operator::Add, Operator::Subtract], unary_minus: UnaryMinus::Refused };
        assert!(Expression::parse("1 + (2 - 3)", sums).is_ok());
        let error = Expression::parse("1 * 2", sums).unwrap_err();
        assert_eq!(error.to_string(), "`*` is not one of + - at character 3");
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
            ("1*((2+3)", "`(` is never closed at character 3"),
            ("(2+3))*4", "`)` closes nothing at character 6"),
            // Positions count characters, which people see, not bytes.
            ("2 × 3 ÷ 😀", "expected a number or `(`, found `😀` at character 9"),
        ] {
            assert_eq!(refusal(text), message, "{text:?}");
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
            "-(".repeat(100_000),
            "−(".repeat(100_000),
            "9".repeat(megabyte),
            "9.".repeat(megabyte),
            "x".repeat(megabyte),
            "*".repeat(megabyte),
            "1*".repeat(megabyte),
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
            for unary_minus in [UnaryMinus::Refused, UnaryMinus::BeforeParentheses, UnaryMinus::Anywhere] {
                let message = parse(&text, unary_minus).expect_err("no expression").to_string();
                assert!(message.len() < 200, "{message}");
                assert!(!message.contains(char::is_control), "{message:?}");
            }
        }
        assert_eq!(refusal("1\0"), "`\\0` is not one of + - * / at character 2");
        assert_eq!(
            refusal(&"x".repeat(megabyte)),
            "expected a number or `(`, found `xxxxxxxxxxxxxxxx…` at character 1"
        );
    }

    #[test]
    fn only_digits_are_bounded() {
        let nested = |depth| "(".repeat(depth) + "1" + &")".repeat(depth);
        assert_eq!(read(&nested(500_000)), Expression::number(1));
        assert_eq!(read(&vec!["1"; 500_000].join("+")).numbers().count(), 500_000);
        assert_eq!(refusal(&"1".repeat(MAX_DIGITS + 1)), "the number has more than 18 digits at character 1");
        let largest = "9".repeat(MAX_DIGITS);
        assert_eq!(read(&largest).to_string(), largest);
        assert_eq!(read(&format!("-00{largest}")).to_string(), format!("-{largest}"));
    }
}
