//! Tokens to formulas, by recursive descent of bounded depth.

use super::expression::{Expr, Function, Pair};
use super::tokens::{Bracket, Placed, Token};
use super::{Fault, Unread};
use kit::budget::Budget;
use kit::shared::decimal::is_digits;

mod functions;
mod numbers;

use numbers::read_number;

/// Deepest nesting of brackets, powers and calls.
pub const DEPTH: u32 = 60;

/// A run of tokens that is being read.
pub struct Parser<'t, 'a, 'b, 's> {
    pub text: &'a str,
    pub tokens: &'t [Placed<'a>],
    /// For each token that opens a bracket, the index of the closing one.
    pub partner: &'t [usize],
    pub at: usize,
    pub end: usize,
    pub depth: u32,
    /// True if the last factor is a power.
    pub after_power: bool,
    /// Read ± as plus.
    pub upper: bool,
    /// True if there was a ±.
    pub split: bool,
    pub budget: &'b mut Budget<'s>,
}

impl<'a> Parser<'_, 'a, '_, '_> {
    pub fn peek(&self) -> Option<Token<'a>> {
        (self.at < self.end).then(|| self.tokens[self.at].token)
    }

    fn peek_at(&self, ahead: usize) -> Option<Token<'a>> {
        let at = self.at + ahead;
        (at < self.end).then(|| self.tokens[at].token)
    }

    pub fn unread(&self) -> Fault {
        let placed = self.tokens.get(self.at);
        let (at, end) = placed.map_or((self.text.len(), self.text.len()), |placed| (placed.at, placed.end));
        Fault::Unread(Unread { at, what: self.text[at..end].chars().take(40).collect() })
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth >= DEPTH {
            return Err(Fault::Deep);
        }
        self.budget.spend(20)?;
        self.depth += 1;
        let read = read(self);
        self.depth -= 1;
        read
    }

    /// All remaining tokens as one formula.
    pub fn whole(&mut self) -> Result<Expr, Fault> {
        let expr = self.maybe_choose()?;
        if self.at < self.end { Err(self.unread()) } else { Ok(expr) }
    }

    pub fn sum(&mut self) -> Result<Expr, Fault> {
        self.deeper(|parser| {
            let mut terms = Vec::new();
            loop {
                let mut negative = false;
                let mut signs = 0;
                while let Some(token @ (Token::Plus | Token::Minus | Token::PlusMinus(_))) = parser.peek() {
                    negative ^= parser.is_negative(token);
                    parser.at += 1;
                    signs += 1;
                }
                if signs > 2 || (signs == 0 && !terms.is_empty()) {
                    return Err(parser.unread());
                }
                parser.budget.spend(10)?;
                let term = parser.product()?;
                terms.push(if negative { term.negated() } else { term });
                if !matches!(parser.peek(), Some(Token::Plus | Token::Minus | Token::PlusMinus(_))) {
                    break;
                }
            }
            Ok(if terms.len() == 1 { terms.remove(0) } else { Expr::Sum(terms) })
        })
    }

    fn is_negative(&mut self, sign: Token<'_>) -> bool {
        match sign {
            Token::Minus => true,
            Token::PlusMinus(plus) => {
                self.split = true;
                plus != self.upper
            }
            _ => false,
        }
    }

    fn product(&mut self) -> Result<Expr, Fault> {
        let mut factors = vec![self.factor()?];
        let mut in_ratio = false;
        loop {
            self.budget.spend(10)?;
            match self.peek() {
                Some(Token::Times) => {
                    self.at += 1;
                    let factor = self.signed_factor()?;
                    factors.push(factor);
                }
                // `1:2:3` is not a number.
                Some(Token::Colon) if in_ratio => return Err(self.unread()),
                Some(token @ (Token::Slash | Token::Colon)) => {
                    in_ratio |= token == Token::Colon;
                    self.at += 1;
                    let factor = self.signed_factor()?;
                    factors.push(factor.inverse());
                }
                Some(Token::Number(_) | Token::Vulgar(..)) if !self.number_is_factor(&factors) => {
                    return Err(self.unread());
                }
                Some(token) if starts_factor(token) => factors.push(self.factor()?),
                _ => break,
            }
        }
        Ok(if factors.len() == 1 { factors.remove(0) } else { Expr::Product(factors) })
    }

    /// True if the number here can only be a factor. `x2` could be `x_2`, `2x` or `x^2`, but after a factorial sign
    /// or a power, and as the base of a power, a number has one meaning: `2^n 3`, `(n-1)2^n`.
    fn number_is_factor(&self, factors: &[Expr]) -> bool {
        let before = self.tokens[self.at - 1];
        let raised = match self.peek_at(1) {
            Some(Token::Caret) => self.degree_sign_at(1).is_none(),
            Some(Token::Raised(_)) => true,
            _ => false,
        };
        let braced = before.token == Token::Close(Bracket::Brace);
        let spaced = self.tokens[self.at].spaced;
        // The exponent of `2^43^2` could end after any digit.
        let after_power = self.after_power
            && matches!(factors.last(), Some(Expr::Power(..)))
            && (braced || spaced || (raised && matches!(before.token, Token::Letter(_))));
        // `x2^3` could have lost a sign, but `n2^{n-1}` can hardly.
        let open = matches!(
            (self.peek_at(2), self.peek_at(3)),
            (Some(Token::Letter(_)), _) | (Some(Token::Open(Bracket::Brace)), Some(Token::Letter(_)))
        );
        let base = raised
            && match before.token {
                Token::Letter(_) => open,
                Token::Close(bracket) => bracket != Bracket::Brace || open || spaced,
                // `\binom n2 2^n`
                Token::Number(_) => {
                    spaced && matches!(factors.last(), Some(Expr::Two(..) | Expr::Product(_)))
                }
                _ => false,
            };
        before.token == Token::Bang || after_power || base
    }

    fn signed_factor(&mut self) -> Result<Expr, Fault> {
        let mut negative = false;
        if let Some(token @ (Token::Plus | Token::Minus)) = self.peek() {
            negative = self.is_negative(token);
            self.at += 1;
        }
        let factor = self.factor()?;
        Ok(if negative { factor.negated() } else { factor })
    }

    fn factor(&mut self) -> Result<Expr, Fault> {
        let primary = self.primary()?;
        self.after_power = false;
        self.raised(primary)
    }

    /// Powers, factorials and degrees after a factor.
    fn raised(&mut self, mut base: Expr) -> Result<Expr, Fault> {
        // Each makes the tree deeper.
        for _ in 0..4 {
            match self.peek() {
                Some(Token::Bang) => {
                    self.at += 1;
                    // A double factorial is something else.
                    if self.peek() == Some(Token::Bang) {
                        return Err(self.unread());
                    }
                    base = Expr::call(Function::Factorial, base);
                }
                Some(Token::Raised(power)) => {
                    self.at += 1;
                    base = Expr::Power(Box::new(base), Box::new(Expr::whole(power)));
                }
                Some(Token::Degree) => {
                    self.at += 1;
                    base = degrees(base);
                }
                Some(Token::Caret) => {
                    if let Some(length) = self.degree_sign() {
                        self.at += length;
                        base = degrees(base);
                    } else {
                        self.at += 1;
                        let power = self.deeper(Self::exponent)?;
                        base = Expr::Power(Box::new(base), Box::new(power));
                        self.after_power = true;
                    }
                }
                _ => return Ok(base),
            }
        }
        if matches!(self.peek(), Some(Token::Bang | Token::Raised(_) | Token::Degree | Token::Caret)) {
            return Err(Fault::Deep);
        }
        Ok(base)
    }

    /// The tokens of `^\circ` and `^{\circ}` from here.
    pub fn degree_sign(&self) -> Option<usize> {
        self.degree_sign_at(0)
    }

    fn degree_sign_at(&self, ahead: usize) -> Option<usize> {
        match (self.peek_at(ahead + 1), self.peek_at(ahead + 2), self.peek_at(ahead + 3)) {
            (Some(Token::Degree), ..) => Some(2),
            (Some(Token::Open(Bracket::Brace)), Some(Token::Degree), Some(Token::Close(Bracket::Brace))) => {
                Some(4)
            }
            _ => None,
        }
    }

    fn exponent(&mut self) -> Result<Expr, Fault> {
        let mut negative = false;
        if let Some(token @ (Token::Plus | Token::Minus)) = self.peek() {
            negative = self.is_negative(token);
            self.at += 1;
        }
        let digits = matches!(self.peek(), Some(Token::Number(digits)) if digits.len() > 1);
        let mut power = self.primary()?;
        // LaTeX shows `2^43^2` as a product of powers.
        if digits && self.peek() == Some(Token::Caret) && self.degree_sign().is_none() {
            return Err(self.unread());
        }
        // `2^3!` and `x^n!` can be read in two ways.
        if self.peek() == Some(Token::Bang) {
            return Err(self.unread());
        }
        if self.peek() == Some(Token::Caret) && self.degree_sign().is_none() {
            self.at += 1;
            let tower = self.deeper(Self::exponent)?;
            power = Expr::Power(Box::new(power), Box::new(tower));
        }
        Ok(if negative { power.negated() } else { power })
    }

    /// Reads the contents of the brackets that open here.
    fn bracketed<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        let close = self.partner[self.at];
        if close <= self.at || close >= self.end {
            return Err(self.unread());
        }
        let end = std::mem::replace(&mut self.end, close);
        self.at += 1;
        let inner = self.deeper(read)?;
        if self.at < self.end {
            return Err(self.unread());
        }
        self.at = close + 1;
        self.end = end;
        Ok(inner)
    }

    fn primary(&mut self) -> Result<Expr, Fault> {
        let Some(token) = self.peek() else { return Err(self.unread()) };
        match token {
            Token::Number(digits) => self.number(digits),
            Token::Vulgar(above, below) => {
                self.at += 1;
                Ok(Expr::whole(above).over(Expr::whole(below)))
            }
            Token::Letter(name) => {
                self.at += 1;
                self.letter(name)
            }
            Token::Pi => {
                self.at += 1;
                Ok(Expr::Pi)
            }
            Token::Infinity => {
                self.at += 1;
                Ok(Expr::Infinity)
            }
            Token::Function(named) => {
                self.at += 1;
                self.deeper(|parser| parser.function(named))
            }
            Token::Frac => {
                self.at += 1;
                let (above, below) = self.two_arguments()?;
                Ok(above.over(below))
            }
            Token::Binom => {
                self.at += 1;
                let (above, below) = self.two_arguments()?;
                Ok(Expr::two(Pair::Binomial, above, below))
            }
            Token::Root => {
                self.at += 1;
                let mut degree = 2;
                if let Some(Token::Open(Bracket::Square)) = self.peek() {
                    degree = self.bracketed(|parser| match parser.peek() {
                        Some(Token::Number(digits)) => {
                            let degree = digits.parse().ok().filter(|degree| (1..=1000).contains(degree));
                            parser.at += 1;
                            degree.ok_or_else(|| parser.unread())
                        }
                        _ => Err(parser.unread()),
                    })?;
                }
                let of = self.argument()?;
                Ok(Expr::root(of, degree))
            }
            Token::Overline => {
                let start = self.at;
                self.at += 1;
                match self.peek() {
                    Some(Token::Open(Bracket::Brace)) => {
                        self.bracketed(|parser| {
                            while let Some(Token::Letter(_)) = parser.peek() {
                                parser.at += 1;
                            }
                            Ok(())
                        })?;
                        Ok(Expr::Variable(self.slice(start, self.at).into()))
                    }
                    _ => Err(self.unread()),
                }
            }
            Token::Under | Token::Caret => self.counted_choices(),
            Token::Open(Bracket::Brace)
                if self.partner[self.at] == self.at + 1
                    && matches!(self.peek_at(2), Some(Token::Under | Token::Caret)) =>
            {
                self.at += 2;
                self.counted_choices()
            }
            Token::Open(Bracket::Brace) => self.bracketed(Self::maybe_choose),
            Token::Open(Bracket::Round | Bracket::Square) => {
                let close = self.partner[self.at];
                let fits = self.tokens.get(close).is_some_and(|placed| {
                    matches!(
                        (token, placed.token),
                        (Token::Open(Bracket::Round), Token::Close(Bracket::Round))
                            | (Token::Open(Bracket::Square), Token::Close(Bracket::Square))
                    )
                });
                if fits { self.bracketed(Self::sum) } else { Err(self.unread()) }
            }
            Token::Open(Bracket::Floor) => Ok(Expr::call(Function::Floor, self.bracketed(Self::sum)?)),
            Token::Open(Bracket::Ceiling) => Ok(Expr::call(Function::Ceiling, self.bracketed(Self::sum)?)),
            Token::Open(Bracket::Magnitude) => Ok(Expr::call(Function::Abs, self.bracketed(Self::sum)?)),
            Token::Bar => self.magnitude(),
            Token::Box if matches!(self.peek_at(1), Some(Token::Open(Bracket::Brace))) => {
                self.at += 1;
                self.bracketed(Self::sum)
            }
            // `\boxed 4`
            Token::Box if matches!(self.peek_at(1), Some(Token::Number(_))) && self.at + 2 == self.end => {
                self.at += 1;
                self.primary()
            }
            _ => Err(self.unread()),
        }
    }

    fn maybe_choose(&mut self) -> Result<Expr, Fault> {
        let above = self.sum()?;
        if self.peek() == Some(Token::Over) {
            self.at += 1;
            return Ok(above.over(self.sum()?));
        }
        if self.peek() == Some(Token::Choose) {
            self.at += 1;
            let below = self.sum()?;
            return Ok(Expr::two(Pair::Binomial, above, below));
        }
        Ok(above)
    }

    /// `|…|`: up to the next bar outside brackets.
    fn magnitude(&mut self) -> Result<Expr, Fault> {
        let mut close = self.at + 1;
        while close < self.end && self.tokens[close].token != Token::Bar {
            close = if self.partner[close] > close { self.partner[close] } else { close } + 1;
            self.budget.spend(2)?;
        }
        if close >= self.end {
            return Err(self.unread());
        }
        let end = std::mem::replace(&mut self.end, close);
        self.at += 1;
        let inner = self.deeper(Self::sum)?;
        if self.at < self.end {
            return Err(self.unread());
        }
        self.at = close + 1;
        self.end = end;
        Ok(Expr::call(Function::Abs, inner))
    }

    /// The text of tokens without spaces and braces.
    pub fn slice(&self, from: usize, to: usize) -> String {
        let (start, end) = (self.tokens[from].at, self.tokens[to - 1].end);
        self.text[start..end].chars().filter(|c| !c.is_whitespace() && !"{}".contains(*c)).collect()
    }

    fn letter(&mut self, name: &str) -> Result<Expr, Fault> {
        let mut full = None;
        if self.peek() == Some(Token::Under) {
            let start = self.at;
            self.at += 1;
            match self.peek() {
                Some(Token::Open(Bracket::Brace)) => {
                    let close = self.partner[self.at];
                    if close <= self.at || close >= self.end || close - self.at > 12 {
                        return Err(self.unread());
                    }
                    self.at = close + 1;
                }
                Some(Token::Number(_) | Token::Letter(_) | Token::Word(..)) => self.at += 1,
                _ => return Err(self.unread()),
            }
            full = Some(format!("{name}{}", self.slice(start, self.at)));
        }
        while self.peek() == Some(Token::Prime) {
            self.at += 1;
            full = Some(full.unwrap_or_else(|| name.to_owned()) + "'");
            self.budget.spend(10)?;
            if full.as_ref().is_some_and(|full| full.len() > 200) {
                return Err(self.unread());
            }
        }
        Ok(match (full, name) {
            (Some(full), _) => Expr::Variable(full.into()),
            (None, "e") => Expr::Euler,
            (None, "i") => Expr::Imaginary,
            (None, name) => Expr::Variable(name.into()),
        })
    }

    /// The two arguments of a fraction. In `\frac12` they are a digit each.
    fn two_arguments(&mut self) -> Result<(Expr, Expr), Fault> {
        if let Some(Token::Number(digits)) = self.peek()
            && digits.len() == 2
            && is_digits(digits)
        {
            self.at += 1;
            let digit = |at: usize| Expr::whole(i64::from(digits.as_bytes()[at] - b'0'));
            return Ok((digit(0), digit(1)));
        }
        let above = self.argument()?;
        // `\frac{1}23` is one half, three times.
        if let Some(Token::Number(digits)) = self.peek()
            && digits.len() > 1
        {
            return Err(self.unread());
        }
        Ok((above, self.argument()?))
    }

    /// The argument of a command: a group or one sign.
    fn argument(&mut self) -> Result<Expr, Fault> {
        match self.peek() {
            // `\sqrt(2)` is read as it was meant.
            Some(Token::Open(Bracket::Brace | Bracket::Round)) => self.bracketed(Self::sum),
            Some(Token::Number(digits)) if digits.len() == 1 || self.tokens[self.at].spaced => {
                self.at += 1;
                read_number(digits, self.budget)
            }
            Some(Token::Letter(name)) => {
                self.at += 1;
                Ok(match name {
                    "e" => Expr::Euler,
                    "i" => Expr::Imaginary,
                    name => Expr::Variable(name.into()),
                })
            }
            Some(Token::Pi | Token::Root | Token::Frac) => self.deeper(Self::primary),
            _ => Err(self.unread()),
        }
    }
}

fn degrees(of: Expr) -> Expr {
    Expr::Product(vec![of, Expr::Pi, Expr::whole(180).inverse()])
}

fn starts_factor(token: Token<'_>) -> bool {
    matches!(
        token,
        Token::Number(_)
            | Token::Vulgar(..)
            | Token::Letter(_)
            | Token::Function(_)
            | Token::Pi
            | Token::Infinity
            | Token::Frac
            | Token::Root
            | Token::Binom
            | Token::Bar
            | Token::Overline
            | Token::Open(
                Bracket::Round
                    | Bracket::Square
                    | Bracket::Brace
                    | Bracket::Floor
                    | Bracket::Ceiling
                    | Bracket::Magnitude
            )
    )
}
