//! The form of an answer: an antiderivative as a formula in `x`.

use super::function::Function;
use super::node::{Kind, Node};
use super::point::{Point, Value};
use kit::error::quoted;
use kit::task::form::{Form, decorated};
use kit::task::verdict::Failure;

/// Maximum depth of nested parentheses.
const DEEPEST: u32 = 20;
/// Maximum length of a formula, in characters.
const LONGEST: usize = 5_000;

/// A formula and its text.
#[derive(Clone, Debug)]
pub struct Written {
    pub text: String,
    pub node: Node,
}

impl From<&Function> for Written {
    fn from(function: &Function) -> Self {
        let text = function.to_string();
        let node = read(&text).expect("what is written can be read");
        Self { text, node }
    }
}

/// The values of formulas at two points drawn from `text`, which contains everything that the answer chose;
/// `None` if a formula has no value there.
pub fn values(text: &str, formulas: &[&Node]) -> Option<Values> {
    let points = Point::all(text, formulas)?;
    let at = |point: &Point| formulas.iter().map(|formula| point.value(formula)).collect::<Option<Vec<_>>>();
    let values = [at(&points[0])?, at(&points[1])?];
    Some(Values { points, values })
}

/// The values of formulas at two points.
pub struct Values {
    points: [Point; 2],
    values: [Vec<Value>; 2],
}

impl Values {
    /// A property of a formula's value at both points, given its index.
    pub fn of(&self, formula: usize, what: impl Fn(Value) -> u64) -> [u64; 2] {
        [0, 1].map(|point| what(self.values[point][formula]))
    }

    /// True if a function is a multiple of another, judged by their values at both points.
    pub fn in_proportion(&self, one: [u64; 2], other: [u64; 2]) -> bool {
        one != [0, 0] && self.points[0].in_proportion(one, other)
    }
}

pub struct Formula;

impl Form for Formula {
    type Read = Written;

    fn asks(&self) -> String {
        "Give one antiderivative as a formula in x, using whole numbers, + - * / and parentheses, ^ with an integer \
         exponent, sin( ), cos( ) and exp( ) or e^( ) of polynomials, and ln( ) for the logarithm of the absolute value, \
         with a * in every product and with or without + C at the end,"
            .to_owned()
    }

    fn read(&self, text: &str) -> Result<Written, Failure> {
        let node = read(text).map_err(Failure::malformed)?;
        let written = Written { text: text.to_owned(), node };
        values(text, &[&written.node]).ok_or_else(|| {
            Failure::malformed(
                "the formula divides by zero, takes the logarithm of zero or has far too many digits",
            )
        })?;
        Ok(written)
    }

    fn write(&self, answer: &Written) -> String {
        answer.text.clone()
    }

    fn mangled(&self, right: &str) -> Vec<String> {
        let mut mangled = decorated(right);
        mangled.extend([
            String::new(),
            format!("F(x) = {right}"),
            format!("{right} dx"),
            format!("{right} + K"),
            format!("{right} + C + C"),
            format!("{right} C"),
            format!("{right}."),
            format!("{right} = {right}"),
            format!("{right}, {right}"),
            format!("{right}\n{right}"),
            format!("({right}"),
            format!("{right})"),
            format!("[{right}]"),
            format!("\\int {right}"),
            format!("{right} + 0.0"),
            right.replace('*', ""),
            right.replace('*', " "),
            right.replace('^', "**"),
            right.replace('^', ""),
            right.replace('x', "t"),
            right.replace('*', " \\cdot "),
            right.replace('-', "\u{2013}"),
            right.replace("ln", "log"),
            right.replace("sin", "Sin"),
        ]);
        // Not every formula has every sign.
        mangled.retain(|text| text != right);
        mangled
    }
}

fn read(text: &str) -> Result<Node, String> {
    if text.len() > LONGEST {
        return Err(format!("the formula is longer than {LONGEST} characters"));
    }
    let without = text.strip_suffix('C').and_then(|rest| rest.trim_end().strip_suffix('+'));
    let mut reader = Reader { text: without.unwrap_or(text), at: 0, depth: 0 };
    let sum = reader.sum()?;
    match reader.peek() {
        None => Ok(sum),
        Some(_) => Err(reader.expected("an operator")),
    }
}

/// Parser by recursive descent, at most [`DEEPEST`] levels deep.
struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
}

impl Reader<'_> {
    fn rest(&mut self) -> &str {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        &self.text[self.at..]
    }

    fn peek(&mut self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Consumes this text if it comes next.
    fn takes(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn expected(&mut self, what: &str) -> String {
        let found = self.rest();
        if found.is_empty() {
            return format!("the formula ends where {what} is expected");
        }
        let found: String = found.chars().take(12).collect();
        format!("`{}` stands where {what} is expected", quoted(&found))
    }

    fn sum(&mut self) -> Result<Node, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("the parentheses are nested too deep".to_owned());
        }
        let negative = self.takes("-");
        if !negative {
            self.takes("+");
        }
        let mut terms = vec![(negative, self.product()?)];
        while let Some(sign @ ('+' | '-')) = self.peek() {
            self.at += 1;
            terms.push(((sign == '-') != self.takes("-"), self.product()?));
        }
        self.depth -= 1;
        Ok(if matches!(terms[..], [(false, _)]) { terms.remove(0).1 } else { Node::Sum(terms) })
    }

    fn product(&mut self) -> Result<Node, String> {
        let mut factors = vec![(false, self.factor()?)];
        while let Some(sign @ ('*' | '/')) = self.peek() {
            self.at += 1;
            let negative = self.takes("-");
            let factor = self.factor()?;
            factors.push((sign == '/', if negative { Node::Sum(vec![(true, factor)]) } else { factor }));
        }
        Ok(if factors.len() == 1 { factors.remove(0).1 } else { Node::Product(factors) })
    }

    fn factor(&mut self) -> Result<Node, String> {
        let written_as_power = ["e^x", "e^("].iter().any(|start| self.rest().starts_with(start));
        let base = self.atom()?;
        if !self.takes("^") {
            return Ok(base);
        }
        if written_as_power {
            return Err("a power of a power needs parentheses around the inner one".to_owned());
        }
        let wrapped = self.takes("(");
        let negative = self.takes("-");
        let exponent =
            i64::from(self.digits()?.parse::<u32>().map_err(|_| "an exponent has far too many digits")?);
        if wrapped && !self.takes(")") {
            return Err(self.expected("`)`"));
        }
        Ok(Node::Power(Box::new(base), if negative { -exponent } else { exponent }))
    }

    fn digits(&mut self) -> Result<String, String> {
        let digits: String = self.rest().chars().take_while(char::is_ascii_digit).collect();
        if digits.is_empty() {
            return Err(self.expected("a whole number"));
        }
        self.at += digits.len();
        Ok(digits)
    }

    fn closed(&mut self, end: &str) -> Result<Node, String> {
        let inside = self.sum()?;
        if self.takes(end) { Ok(inside) } else { Err(self.expected(&format!("`{end}`"))) }
    }

    fn atom(&mut self) -> Result<Node, String> {
        if self.peek().is_some_and(|c| c.is_ascii_digit()) {
            let number = self.digits()?.parse();
            return number.map(Node::Number).map_err(|_| "a number has far too many digits".to_owned());
        }
        if self.takes("(") {
            return self.closed(")");
        }
        if self.takes("ln") {
            let parenthesis = self.takes("(");
            let bar = self.takes("|");
            if !parenthesis && !bar {
                return Err(self.expected("`(`"));
            }
            let inside = self.closed(if bar { "|" } else { ")" })?;
            if parenthesis && bar && !self.takes(")") {
                return Err(self.expected("`)`"));
            }
            return Ok(Node::Log(Box::new(inside)));
        }
        for (start, kind) in
            [("exp(", Kind::Exp), ("e^(", Kind::Exp), ("sin(", Kind::Sin), ("cos(", Kind::Cos)]
        {
            if self.takes(start) {
                let inside = self.closed(")")?;
                let of = inside.polynomial();
                return Ok(Node::Wave(kind, of.ok_or("sin, cos and exp are taken of polynomials in x")?));
            }
        }
        if self.takes("e^x") {
            return Ok(Node::Wave(Kind::Exp, [(1, 1.into())].into()));
        }
        if self.takes("e") {
            return Ok(Node::Wave(Kind::Exp, [(0, 1.into())].into()));
        }
        if self.takes("x") { Ok(Node::X) } else { Err(self.expected("a number, x, a function or `(`")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// True if the second formula is the derivative of the first.
    fn leads_to(text: &str, derivative: &str) -> bool {
        let read = Formula.read(text).unwrap_or_else(|verdict| panic!("{text}: {verdict:?}"));
        let values = values(text, &[&read.node, &Formula.read(derivative).unwrap().node]).unwrap();
        values.of(0, |value| value.slope) == values.of(1, |value| value.here)
    }

    #[test]
    fn products_powers_and_quotients_of_functions_are_read() {
        for (text, derivative) in [
            ("3/4*x^2 + C", "3*x/2"),
            ("-(x+1)^(-2)/2", "1/(x + 1)^3"),
            ("ln(|x - 3|) - ln(5)", "1/(x - 3)"),
            ("1/2*ln((x - 3)^2)", "1/(x - 3)"),
            ("ln((x + 1)^2/(x - 2)^3)", "2/(x + 1) - 3/(x - 2)"),
            ("ln(x^2 + 3*x + 2)", "1/(x + 1) + 1/(x + 2)"),
            ("sin(x)^2", "sin(2*x)"),
            ("-cos(x)^2", "sin(2*x)"),
            ("-cos(2*x)/2", "sin(2*x)"),
            ("sin(x)*cos(x)", "cos(2*x)"),
            ("(exp(x)^2 + exp(-x)*exp(3*x))/4", "exp(2*x)"),
            ("-1/(2*exp(x)^2)", "exp(-2*x)"),
            ("x/(x + 1)", "1/(x + 1)^2"),
            ("sin(x) - 4*sin(x)^3/3", "cos(3*x)"),
            ("2*sin(x/2)^2", "sin(x)"),
            ("-(e^(x/3))^6*e^(-x)", "-e^x"),
            ("sin(x + 1)*cos(1) - cos(x + 1)*sin(1)", "cos(x)"),
            ("(x^2 + 1)*x^3/(x^2 + 1)", "3*x^2"),
            ("x*ln(x^3) - 3*ln(x)*x + x", "1"),
            ("x*ln(6) - x*ln(2) - x*(ln(9) - ln(3)) + x", "1"),
            ("x*ln(exp(2))", "2"),
            ("3*x + -61/7*x^7 + C", "3 - 61*x^6"),
            ("+3*x - -2*x^2", "3 + 4*x"),
            ("x*-2 + x/-4", "-9/4"),
            ("x^2*-x", "-3*x^2"),
            ("sin(x^2 + 1)^2 + cos(x^2 + 1)^2 + x^41/41", "x^40"),
            ("x + sin(2)*cos(3/2) - e^2 + e + exp(-3)*ln(2)^2", "1"),
        ] {
            assert!(leads_to(text, derivative), "{text}");
        }
    }

    #[test]
    fn what_is_nearly_equal_is_not() {
        for (text, derivative) in [
            ("cos(x)^2", "sin(2*x)"),
            ("sin(x)^2*2", "sin(2*x)"),
            ("exp(x)^3/2", "exp(2*x)"),
            ("sin(x)^2 + cos(x)^2*x", "0"),
            ("exp(x/2)", "exp(x)/2"),
            ("x + x*exp(-999999)", "1"),
            ("x + x/9000000000000000000", "1"),
            ("2305843009213693951*x", "0"),
            ("(2^61 - 1)*x", "0"),
            ("x^2305843009*x^0", "0"),
            ("sin(x + 1)", "cos(x)"),
            ("x*ln(2)", "x*0 + ln(3)"),
            ("x*ln(x)", "ln(x)"),
            ("x*(ln(5) - ln(3))", "1/2"),
            ("ln(x^2 + 1)", "1/x"),
            ("x*e - 2718281828459045235*x/1000000000000000000", "0"),
        ] {
            assert!(!leads_to(text, derivative), "{text}");
        }
    }

    #[test]
    fn nothing_else_is_read() {
        let deep = format!("{}x{}", "(".repeat(30_000), ")".repeat(30_000));
        let long = "x^40+".repeat(12_000) + "x";
        for text in [
            "",
            "C",
            "+ C",
            "3x",
            "2 x",
            "x**2",
            "x^y",
            "x^0.5",
            "x^(1/2)",
            "x^99999999999",
            "sin x",
            "sin(sin(x))",
            "exp(1/x)",
            "exp(ln(x))",
            "cos(exp(1)*x)",
            "sin x^2",
            "ln(0)",
            "ln(ln(5) - ln(5))",
            "ln(sin(x)^2 + cos(x)^2 - 1)",
            "sin(x + pi)",
            "pi",
            "ln5",
            "1/0",
            "1/(x - x)",
            "2^x",
            "X",
            "x + + 1",
            "--x",
            "x = 1",
            "x,",
            "e^x^2",
            "e^(2*x)^2",
            &"9".repeat(60),
            &deep,
            &long,
            &"9".repeat(60_000),
        ] {
            let verdict = Formula.read(text).expect_err(text);
            assert_eq!(verdict.failures, ["malformed_answer"], "{text:.50}");
            assert!(verdict.detail.len() < 300);
        }
        for right in ["3/4*x^2", "x", "-ln(x + 2)", "2/3*x*sin(3*x) - 1/(x - 1)"] {
            let paid = Formula.mangled(right).into_iter().find(|text| Formula.read(text.trim()).is_ok());
            assert_eq!(paid, None, "{right}");
        }
    }
}
