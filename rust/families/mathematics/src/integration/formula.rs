//! An antiderivative as a formula in `x`: how it is asked for and read.

use super::function::{Base, Function, MOST_POWER, Wave};
use kit::error::quoted;
use kit::shared::rational::Rational;
use kit::task::form::{Form, decorated};
use kit::task::verdict::Verdict;

/// Parentheses in parentheses.
const DEEPEST: u32 = 20;
/// Terms that may be made while a formula is read.
const MOST_WORK: usize = 100_000;
/// The largest factor of `x` in a sine, a cosine or an exponential.
const LARGEST_FACTOR: i64 = 999;

pub struct Formula;

impl Form for Formula {
    type Read = Function;

    fn asks(&self) -> String {
        "Give one antiderivative as a formula in x made of whole numbers, + - * / ^ and parentheses, sin( ), cos( ), \
         exp( ) or e^( ), and ln( ) for the logarithm of the absolute value, with * for every product and with or without + C at \
         the end,"
            .to_owned()
    }

    fn read(&self, text: &str) -> Result<Function, Verdict> {
        let without = text.strip_suffix('C').and_then(|rest| rest.trim_end().strip_suffix('+'));
        let mut reader = Reader { text: without.unwrap_or(text), at: 0, depth: 0, work: 0 };
        let read = reader.sum().and_then(|sum| match reader.peek() {
            None => Ok(sum),
            Some(_) => Err(reader.expected("an operator")),
        });
        read.map_err(Verdict::malformed)
    }

    fn write(&self, answer: &Function) -> String {
        answer.to_string()
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

/// Reads by recursive descent, no deeper than [`DEEPEST`].
struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: u32,
    work: usize,
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

    /// Takes this text if it comes next.
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

    fn sum(&mut self) -> Result<Function, String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("the parentheses are nested too deep".to_owned());
        }
        let sign = |minus: bool| Rational::from(if minus { -1 } else { 1 });
        let minus = self.takes("-");
        let mut sum = self.made(|product| product.scaled(sign(minus)))?;
        loop {
            let minus = match self.peek() {
                Some('+') => false,
                Some('-') => true,
                _ => break,
            };
            self.at += 1;
            let product = self.product()?;
            sum = self.kept(sum.plus(&product, sign(minus)))?;
        }
        self.depth -= 1;
        Ok(sum)
    }

    fn made(&mut self, change: impl Fn(&Function) -> Option<Function>) -> Result<Function, String> {
        let product = self.product()?;
        self.kept(change(&product))
    }

    /// A function that could be made, its terms counted.
    fn kept(&mut self, made: Option<Function>) -> Result<Function, String> {
        let made = made.ok_or_else(|| {
            "the formula has a product, a quotient or a number that no antiderivative here needs".to_owned()
        })?;
        self.work += 1 + made.0.len() * made.0.len();
        if self.work > MOST_WORK { Err("the formula is too long".to_owned()) } else { Ok(made) }
    }

    fn product(&mut self) -> Result<Function, String> {
        let mut product = self.factor()?;
        loop {
            if self.takes("*") {
                let factor = self.factor()?;
                product = self.kept(product.times(&factor))?;
            } else if self.takes("/") {
                let factor = self.factor()?;
                product = self.kept(factor.inverse().and_then(|inverse| product.times(&inverse)))?;
            } else {
                return Ok(product);
            }
        }
    }

    fn factor(&mut self) -> Result<Function, String> {
        let base = self.atom()?;
        if !self.takes("^") {
            return Ok(base);
        }
        let wrapped = self.takes("(");
        let negative = self.takes("-");
        let exponent = self.digits()?;
        if wrapped && !self.takes(")") {
            return Err(self.expected("`)`"));
        }
        let too_large = || format!("a power may be {MOST_POWER} at most");
        let exponent = exponent.parse::<u32>().ok().filter(|n| *n <= MOST_POWER).ok_or_else(too_large)?;
        let mut power = Function::number(1.into());
        for _ in 0..exponent {
            power = self.kept(power.times(&base))?;
        }
        if negative { self.kept(power.inverse()) } else { Ok(power) }
    }

    fn digits(&mut self) -> Result<String, String> {
        let digits: String = self.rest().chars().take_while(char::is_ascii_digit).collect();
        if digits.is_empty() {
            return Err(self.expected("a whole number"));
        }
        self.at += digits.len();
        Ok(digits)
    }

    fn atom(&mut self) -> Result<Function, String> {
        if self.peek().is_some_and(|c| c.is_ascii_digit()) {
            let digits = self.digits()?;
            let number = digits.parse::<i64>().map_err(|_| "a number has far too many digits".to_owned())?;
            return Ok(Function::number(number.into()));
        }
        if self.takes("(") {
            let inside = self.sum()?;
            return if self.takes(")") { Ok(inside) } else { Err(self.expected("`)`")) };
        }
        if self.takes("ln") {
            let bar = self.takes("|");
            if !bar && !self.takes("(") {
                return Err(self.expected("`(`"));
            }
            let inner_bar = !bar && self.takes("|");
            let inside = self.sum()?;
            let closed = (!inner_bar || self.takes("|")) && self.takes(if bar { "|" } else { ")" });
            return if closed {
                self.kept(inside.logarithm())
            } else {
                Err(self.expected("the end of the logarithm"))
            };
        }
        if self.takes("exp(") || self.takes("e^(") {
            return self.wave(Wave::Exp);
        }
        if self.takes("e^x") {
            return Ok(Function::term(Base::Wave(0, Wave::Exp(1)), 1.into()));
        }
        if self.takes("sin(") {
            return self.wave(Wave::Sin);
        }
        if self.takes("cos(") {
            return self.wave(Wave::Cos);
        }
        if self.takes("pi") || self.takes("e") {
            return Ok(Function::some_constant());
        }
        if self.takes("x") { Ok(Function::x()) } else { Err(self.expected("a number, x, a function or `(`")) }
    }

    /// A sine, a cosine or an exponential, from behind its parenthesis on.
    fn wave(&mut self, wave: fn(i64) -> Wave) -> Result<Function, String> {
        let inside = self.sum()?;
        if !self.takes(")") {
            return Err(self.expected("`)`"));
        }
        let is_number = |base: &Base| matches!(base, Base::Wave(0, Wave::One) | Base::Constant);
        let of_number = inside.0.keys().all(is_number);
        if of_number {
            return Ok(match (wave(1), inside.0.is_empty()) {
                (Wave::Sin(_), true) => Function::default(),
                (_, true) => Function::number(1.into()),
                (_, false) => Function::some_constant(),
            });
        }
        let factor = inside.factor_of_x().filter(|k| k.abs() <= LARGEST_FACTOR);
        let k = factor.ok_or("sin, cos and exp are taken of whole multiples of x here, such as 3*x")?;
        let (wave, by) = match wave(k) {
            Wave::Sin(k) => (Wave::Sin(k.abs()), k.signum()),
            Wave::Cos(k) => (Wave::Cos(k.abs()), 1),
            wave => (wave, 1),
        };
        Ok(Function::term(Base::Wave(0, wave), by.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_formulas_read_alike() {
        let same = |texts: &[&str]| {
            let read: Vec<Function> = texts.iter().map(|text| Formula.read(text).unwrap()).collect();
            assert!(read.windows(2).all(|pair| pair[0] == pair[1]), "{texts:?} {read:?}");
            assert_eq!(Formula.read(&Formula.write(&read[0])).unwrap(), read[0]);
        };
        same(
            &["3/4*x^2", "3*x^2/4", "x*x*3/4 + C", "(3*x^2 )/ 4+C", "0.75*x^2"]
                .map(|t| if t.starts_with('0') { "6/8*x^2" } else { t }),
        );
        same(&[
            "-1/(2*(x + 1)^2)",
            "-1/2/(x+1)^2",
            "-(x+1)^(-2)/2",
            "-2/(2*x + 2)^2",
            "-1/(2*x^2 + 4*x + 2)",
        ]);
        same(&["ln(x - 3)", "ln|x - 3|", "ln(|x - 3|)", "ln(2*x - 6)", "1/2*ln((x - 3)^2)", "ln(3 - x)"]);
        same(&["x*exp(2*x)", "x*e^(2*x)", "x*exp(x*2)", "exp(2*x)*x"]);
        same(&["-sin(3*x)", "sin(-3*x)"]);
        same(&["cos(2*x)", "cos(-2*x)"]);
        same(&["(x + 1)^3 - 1", "x^3 + 3*x^2 + 3*x"]);
        same(&["x - x", "0", "-0", "0*ln(5)", "sin(0)", "ln(1)", "cos(0) - 1"]);
    }

    #[test]
    fn a_number_of_any_kind_may_be_added() {
        for text in [
            "x + ln(5)",
            "x + ln(5) - ln(3)",
            "x - 2/3*ln|7| + 4",
            "x + sin(2)*cos(3/2)",
            "x + e^2 - pi/4",
            "x + e",
            "x + exp(-3)*ln(2)^2 + C",
            "x + e^(1/2)",
            "x + cos(pi)",
        ] {
            let read = Formula.read(text).unwrap_or_else(|verdict| panic!("{text}: {verdict:?}"));
            assert_eq!(read.derivative(), Some(Function::number(1.into())), "{text}");
            assert_eq!(Formula.read(&Formula.write(&read)).unwrap(), read, "{text}");
        }
    }

    #[test]
    fn nothing_else_is_read() {
        let deep = format!("{}x{}", "(".repeat(30_000), ")".repeat(30_000));
        let long = "x^40+".repeat(12_000) + "x";
        let wide = "(x+1)^40*".repeat(5_000) + "1";
        for text in [
            "",
            "C",
            "+ C",
            "3x",
            "2 x",
            "x**2",
            "x^y",
            "x^0.5",
            "x^41",
            "sin x",
            "sin(x)^2",
            "sin(x + 1)",
            "sin(x/2)",
            "1/sin(x)",
            "1/(x^2 + 1)",
            "x/(x + 1)",
            "ln(x^2 + 1)",
            "ln(0)",
            "ln(ln(5) - ln(5))",
            "x*ln(5)",
            "x*(ln(5) - ln(3))",
            "1/ln(5)",
            "x^2*e",
            "sin(x + pi)",
            "ln5",
            "x*ln(x)",
            "exp(x)*sin(x)",
            "1/0",
            "1/(x - x)",
            "2^x",
            "X",
            "x + + 1",
            "--x",
            "x = 1",
            "x,",
            &deep,
            &long,
            &wide,
            &"9".repeat(60_000),
        ] {
            let verdict = Formula.read(text).unwrap_err();
            assert_eq!(verdict.failures, ["malformed_answer"], "{text:.50}");
            assert!(verdict.detail.len() < 300);
        }
        for right in ["3/4*x^2", "x", "-ln(x + 2)", "2/3*x*sin(3*x) - 1/(x - 1)"] {
            let read = Formula.read(right).unwrap();
            let paid = Formula
                .mangled(right)
                .into_iter()
                .find(|text| Formula.read(text.trim()).is_ok_and(|other| other == read));
            assert_eq!(paid, None, "{right}");
        }
    }
}
