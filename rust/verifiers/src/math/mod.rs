//! The same mathematics, however it is written: numbers, formulas, equations, sets, intervals, tuples, matrices.
//!
//! `read` makes a value of a text, `decide` compares two values, and `same` two formulas. The tables of
//! docs/maths.md say what equals what.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extract::answer_of_solution;
use super::words;
use super::{About, Example, Extract, Metric};
use kit::budget::{Budget, OverBudget};
use kit::error::quoted;
use kit::shared::decimal::Decimal;
use kit::task::answer::{LONGEST_ANSWER, Reading};
use kit::task::verdict::{Failure, Graded, Part, Pass, label as common};

mod choices;
mod commands;
mod decide;
mod expression;
mod formula;
mod identity;
mod interval;
mod normal;
mod numerals;
mod numeric;
mod pairs;
mod plain;
mod polynomial;
mod ratio;
mod read;
mod reference;
mod same;
mod sets;
mod steps;
mod tokens;
mod units;
mod value;

use decide::{Decider, Mismatch};
pub use pairs::paired;
use plain::Plain;
use ratio::Ratio;
use read::read;
use value::Value;

/// Failure labels of this verifier alone.
pub mod label {
    pub const MISSING_SOLUTIONS: &str = "missing_solutions";
    pub const EXTRA_SOLUTIONS: &str = "extra_solutions";
    pub const WRONG_UNIT: &str = "wrong_unit";
    pub const WRONG_PRECISION: &str = "wrong_precision";
}

/// Reason why reading or comparing failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    OverBudget,
    Unread(Unread),
    /// Brackets, powers or calls are nested too deep.
    Deep,
    /// A formula has no value, for this reason.
    Undefined(&'static str),
    /// The question could not be decided either way.
    Undecided,
}

/// Text that could not be read, and its byte offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    pub at: usize,
    pub what: String,
}

impl From<OverBudget> for Fault {
    fn from(_: OverBudget) -> Self {
        Self::OverBudget
    }
}

kit::params! {
    pub struct MathEqual {
        /// Accept anything that rounds to a reference that is a decimal of at least three digits.
        pub rounded: bool,
        /// Largest difference that still passes, taken as the decimal that it prints as: 0.1 is one tenth.
        pub tolerance: f64 [0..],
        /// Require an answer to have the reference's unit.
        pub require_units: bool,
        /// "answer": references are answers. "solution": they are solutions with the answer in a box or behind
        /// ####.
        pub references: Kind,
        /// Decimal mark of answers and references: "." or ",".
        pub decimal: DecimalMark,
    }
    default (true, 0.0, false, Kind::Answer, DecimalMark::Point)
}

/// Kind of text that references are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    #[default]
    Answer,
    Solution,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub enum DecimalMark {
    #[default]
    #[serde(rename = ".")]
    Point,
    #[serde(rename = ",")]
    Comma,
}

/// The parsed options.
#[derive(Clone, Debug)]
pub struct Settings {
    rounded: bool,
    tolerance: Option<Ratio>,
    require_units: bool,
    decimal: DecimalMark,
}

impl Settings {
    /// Settings under which only the exact value passes.
    fn exact(decimal: DecimalMark) -> Self {
        Self { rounded: false, tolerance: None, require_units: false, decimal }
    }

    /// A text with a point as its decimal mark.
    fn pointed<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.decimal {
            DecimalMark::Point => Cow::Borrowed(text),
            DecimalMark::Comma => reference::with_points(text),
        }
    }
}

/// A parsed reference, shared by its rows.
pub struct Reference<'a> {
    pub text: Cow<'a, str>,
    form: Form,
    settings: Settings,
    /// It may be a time of day, so that `10:30` in an answer is one, too.
    time: bool,
}

/// Form in which a reference was read.
enum Form {
    Plain(Plain),
    Value(Box<Value>),
    /// A plain number with so many digits that only these are compared.
    Digits,
}

impl MathEqual {
    fn settings(&self, budget: &mut Budget) -> Result<Settings, Fault> {
        let tolerance = if self.tolerance > 0.0 {
            let printed =
                Decimal::read(&format!("{:e}", self.tolerance), budget)?.expect("a float is a decimal");
            let scaled = printed.scaled(budget)?;
            Some(scaled_ratio(scaled, budget)?)
        } else {
            None
        };
        let (rounded, require_units) = (self.rounded, self.require_units);
        Ok(Settings { rounded, tolerance, require_units, decimal: self.decimal })
    }
}

impl MathEqual {
    /// The answer that a reference is or, as a solution, has.
    fn answer_in<'a>(&self, text: &'a str) -> Result<Cow<'a, str>, String> {
        let part = |text: &str| -> Option<(usize, usize)> {
            let found = match self.references {
                Kind::Answer => text.trim().strip_prefix("####").unwrap_or(text).trim(),
                Kind::Solution => answer_of_solution(text)?,
            };
            let start = found.as_ptr() as usize - text.as_ptr() as usize;
            Some((start, start + found.len()))
        };
        let none = "must have its answer in \\boxed{…} or behind ####, as references are solutions";
        Ok(match reference::unescaped(text) {
            Cow::Borrowed(text) => part(text).map(|(from, to)| Cow::Borrowed(&text[from..to])).ok_or(none)?,
            Cow::Owned(text) => {
                part(&text).map(|(from, to)| Cow::Owned(text[from..to].to_owned())).ok_or(none)?
            }
        })
    }
}

impl Reference<'_> {
    /// True if an answer is the exact value, not just one that rounds to it.
    pub fn is_exactly(&self, answer: &str, budget: &mut Budget) -> Result<bool, OverBudget> {
        let exact = Settings::exact(self.settings.decimal);
        match self.verdict(answer, &exact, budget) {
            Err(_) if budget.left() == 0 => Err(OverBudget),
            graded => Ok(graded.is_ok()),
        }
    }

    fn verdict(&self, answer: &str, settings: &Settings, budget: &mut Budget) -> Graded {
        let answer = &*settings.pointed(answer);
        if answer == self.text {
            return Ok(Pass::new());
        }
        let told = |Mismatch { label, detail }: Mismatch| {
            let detail = format!("`{}` is not `{}`: {detail}", quoted(answer), quoted(&self.text));
            Failure::new(label, detail)
        };
        let plain = Plain::read(answer);
        if let (Form::Plain(one), Some(other)) = (&self.form, plain)
            && settings.tolerance.is_none()
        {
            let mismatch = one.mismatch(other, settings);
            return mismatch.map_or(Ok(Pass::new()), |(label, detail)| {
                Err(told(Mismatch { label, detail: detail.into() }))
            });
        }
        let value = match plain {
            Some(plain) => plain.value(budget),
            None => read(answer, self.time, budget),
        };
        let value = match value {
            Ok(value) => value,
            Err(fault) => return verdict_of(fault, answer, self, budget),
        };
        let number;
        let asked = match &self.form {
            Form::Plain(plain) => match plain.value(budget) {
                Ok(value) => {
                    number = value;
                    &number
                }
                Err(fault) => return verdict_of(fault, answer, self, budget),
            },
            Form::Value(value) => value,
            Form::Digits => return verdict_of(Fault::OverBudget, answer, self, budget),
        };
        if let Value::Words(words) = asked
            && !matches!(value, Value::Words(_))
            && numerals::number_in_words(words).is_none()
        {
            // "Even" is read as words, but "B" as a variable.
            let same = words::normal(answer) == *words && !words.is_empty();
            return super::passes(same, answer, &self.text);
        }
        let key = key(&self.text, answer);
        let mut decider = Decider { settings, key, proven: true, budget };
        match decider.compare(asked, &value) {
            Ok(None) => {
                let proven = f32::from(u8::from(decider.proven));
                Ok(Pass { parts: vec![("proven", proven)] })
            }
            Ok(Some(mismatch)) => Err(told(mismatch)),
            Err(fault) => verdict_of(fault, answer, self, budget),
        }
    }
}

/// A decimal as a fraction.
fn scaled_ratio(scaled: kit::shared::decimal::Scaled, budget: &mut Budget) -> Result<Ratio, Fault> {
    let (integer, exponent) = scaled.parts();
    let exponent = i64::try_from(exponent).map_err(|_| Fault::OverBudget)?;
    Ratio::whole(integer).times(&Ratio::whole(10).power(exponent, budget)?, budget)
}

/// A number from which the points of a test are drawn.
fn key(reference: &str, answer: &str) -> u64 {
    // FNV-1a
    let bytes = reference.bytes().chain([0]).chain(answer.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

const FORMS: &str = "mathematics or words";

impl Metric for MathEqual {
    const ABOUT: About = About {
        name: "math_equal",
        summary: "The same mathematics: numbers, formulas, equations, sets, intervals, tuples, matrices, words.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example { reference: "1/2", right: "\\frac{1}{2}", wrong: "2" },
    };

    const EXTRACT: Option<Extract> = Some(Extract::Auto);

    const PROSE: bool = true;

    type Reference<'a> = Reference<'a>;

    fn reference<'a>(&self, text: &'a str, budget: &mut Budget) -> Result<Reference<'a>, String> {
        const LONG: &str = "must be a shorter or simpler one: it takes too many steps to compute with";
        if text.len() > LONGEST_ANSWER {
            return Err(LONG.into());
        }
        let told = |fault: Fault| match fault {
            Fault::OverBudget => LONG.to_owned(),
            Fault::Deep => "must be nested less deeply".into(),
            Fault::Unread(unread) => format!("must be {FORMS}: {}", unread_detail(&unread, text)),
            Fault::Undefined(what) => format!("must have a value: it has {what}"),
            Fault::Undecided => "must have a value: none could be shown".into(),
        };
        let settings = self.settings(budget).map_err(told)?;
        let given = self.answer_in(text)?;
        let given = match settings.pointed(&given) {
            Cow::Borrowed(_) => given,
            Cow::Owned(pointed) => Cow::Owned(pointed),
        };
        let text = &*given;
        let time = read::hours_and_minutes(text).is_some();
        let reference = |form| Reference { text: given.clone(), form, settings: settings.clone(), time };
        if let Some(plain) = Plain::read(text) {
            return Ok(reference(Form::Plain(plain)));
        }
        let value = match read(text, true, budget) {
            Ok(value) => value,
            Err(Fault::OverBudget) if matches!(Decimal::read(text, &mut budget.again()), Ok(Some(_))) => {
                return Ok(reference(Form::Digits));
            }
            Err(fault) => return Err(told(fault)),
        };
        if !matches!(value, Value::Quantity(ref quantity) if matches!(quantity.expr, expression::Expr::Number(_)))
        {
            let mut decider = Decider { settings: &settings, key: key(text, text), proven: true, budget };
            decider.check(&value).map_err(told)?;
        }
        Ok(reference(Form::Value(Box::new(value))))
    }

    fn compare(&self, answer: &str, reference: &Reference<'_>, budget: &mut Budget) -> Graded {
        reference.verdict(answer, &reference.settings, budget)
    }

    fn parts(&self) -> &'static [Part] {
        const PARTS: &[Part] = &[Part::new(
            "proven",
            "1 where the answer is shown to equal the reference, 0 where it does as far as it was tested",
        )];
        PARTS
    }
}

fn unread_detail(unread: &Unread, text: &str) -> String {
    let before = text.get(..unread.at).unwrap_or(text).chars().count();
    if unread.what.is_empty() {
        "it ends where more is needed".into()
    } else {
        format!("`{}` at character {} is not read", quoted(&unread.what), before + 1)
    }
}

/// The verdict on an answer that could not be read or compared.
fn verdict_of(fault: Fault, answer: &str, reference: &Reference<'_>, budget: &mut Budget) -> Graded {
    match fault {
        Fault::OverBudget => {
            // Plain numbers of any size are compared by their digits.
            if let Some(number) = Decimal::read(&reference.text, budget)?
                && let Some(other) = Decimal::read(answer, budget)?
            {
                return super::passes(number == other, answer, &reference.text);
            }
            Err(OverBudget.into())
        }
        Fault::Undecided => Err(Failure::new(
            common::OVER_BUDGET,
            format!(
                "whether `{}` equals `{}` takes more steps to show than are allowed",
                quoted(answer),
                quoted(&reference.text)
            ),
        )),
        Fault::Deep => Err(Failure::malformed(format!("`{}` is nested too deep", quoted(answer)))),
        Fault::Undefined(what) => Err(Failure::malformed(format!("`{}` has {what}", quoted(answer)))),
        Fault::Unread(unread) => {
            let words = matches!(&reference.form, Form::Value(value) if matches!(
                &**value,
                Value::Words(words) if words::normal(answer) == *words && !words.is_empty()
            ));
            if words {
                return Ok(Pass::new());
            }
            Err(Failure::malformed(format!(
                "`{}` is not {FORMS}: {}",
                quoted(answer),
                unread_detail(&unread, answer)
            )))
        }
    }
}

#[cfg(test)]
mod tests;
