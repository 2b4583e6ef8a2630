//! Runs a program in counted steps.

use super::{Binary, LARGEST, Line, Program, Term};
use crate::budget::{Budget, OverBudget};

/// Reason why a program has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Halt {
    #[error("it takes more steps than are allowed")]
    OutOfFuel,
    #[error("{0} is divided by 0")]
    DivisionByZero(i64),
    #[error("a number becomes too large")]
    TooLarge,
    #[error("{0} is used before it is set")]
    Unset(String),
    #[error("it ends without a result")]
    NoResult,
}

impl From<OverBudget> for Halt {
    fn from(_: OverBudget) -> Self {
        Self::OutOfFuel
    }
}

/// An event of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Traced {
    /// A variable got a value.
    Set(usize, i64),
    /// A condition was true or not.
    Asked(bool),
}

struct Run<'a, 'b> {
    program: &'a Program,
    values: Vec<Option<i64>>,
    fuel: &'a mut Budget<'b>,
    tell: &'a mut dyn FnMut(Traced),
}

impl Program {
    /// The result for these inputs. Spends a step for every part of a line that is evaluated.
    pub fn run(&self, inputs: &[i64], fuel: &mut Budget) -> Result<i64, Halt> {
        self.trace(inputs, fuel, &mut |_| ())
    }

    /// [`Program::run`] that reports all events in order.
    pub fn trace(
        &self,
        inputs: &[i64],
        fuel: &mut Budget,
        tell: &mut dyn FnMut(Traced),
    ) -> Result<i64, Halt> {
        assert_eq!(inputs.len(), self.inputs, "a number for each input");
        let mut values: Vec<Option<i64>> = inputs.iter().copied().map(Some).collect();
        values.resize(self.names.len(), None);
        let mut run = Run { program: self, values, fuel, tell };
        run.lines(&self.lines)?.ok_or(Halt::NoResult)
    }
}

impl Run<'_, '_> {
    fn lines(&mut self, lines: &[Line]) -> Result<Option<i64>, Halt> {
        for line in lines {
            self.fuel.spend(1)?;
            match line {
                Line::Set(at, term) => {
                    let value = self.value(term)?;
                    self.values[*at] = Some(value);
                    (self.tell)(Traced::Set(*at, value));
                }
                Line::Return(term) => return self.value(term).map(Some),
                Line::If(term, then, other) => {
                    let holds = self.asks(term)?;
                    if let Some(result) = self.lines(if holds { then } else { other })? {
                        return Ok(Some(result));
                    }
                }
                Line::While(term, lines) => {
                    while self.asks(term)? {
                        if let Some(result) = self.lines(lines)? {
                            return Ok(Some(result));
                        }
                    }
                }
                Line::Repeat(term, lines) => {
                    for _ in 0..self.value(term)? {
                        self.fuel.spend(1)?;
                        if let Some(result) = self.lines(lines)? {
                            return Ok(Some(result));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    fn asks(&mut self, term: &Term) -> Result<bool, Halt> {
        let holds = self.value(term)? != 0;
        (self.tell)(Traced::Asked(holds));
        Ok(holds)
    }

    fn value(&mut self, term: &Term) -> Result<i64, Halt> {
        self.fuel.spend(1)?;
        Ok(match term {
            Term::Number(number) => *number,
            Term::Variable(at) => {
                self.values[*at].ok_or_else(|| Halt::Unset(self.program.names[*at].clone()))?
            }
            Term::Negate(term) => -self.value(term)?,
            Term::Not(term) => i64::from(self.value(term)? == 0),
            Term::Join(sign, one, other) => {
                let (a, b) = (self.value(one)?, self.value(other)?);
                let value = match sign {
                    Binary::Or => Some(i64::from(a != 0 || b != 0)),
                    Binary::And => Some(i64::from(a != 0 && b != 0)),
                    Binary::Equal => Some(i64::from(a == b)),
                    Binary::Unequal => Some(i64::from(a != b)),
                    Binary::Less => Some(i64::from(a < b)),
                    Binary::AtMost => Some(i64::from(a <= b)),
                    Binary::More => Some(i64::from(a > b)),
                    Binary::AtLeast => Some(i64::from(a >= b)),
                    Binary::Add => a.checked_add(b),
                    Binary::Subtract => a.checked_sub(b),
                    Binary::Multiply => a.checked_mul(b),
                    Binary::Divide | Binary::Remainder if b == 0 => return Err(Halt::DivisionByZero(a)),
                    Binary::Divide => Some(a.div_euclid(b) - i64::from(b < 0 && a.rem_euclid(b) != 0)),
                    Binary::Remainder => {
                        let rest = a.rem_euclid(b);
                        Some(if b < 0 && rest != 0 { rest + b } else { rest })
                    }
                };
                value.filter(|value| value.abs() <= LARGEST).ok_or(Halt::TooLarge)?
            }
        })
    }
}
