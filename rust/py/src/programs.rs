//! Programs of the small language, run for whoever writes one.

use std::borrow::Cow;

use pyo3::prelude::*;
use reasonenv::budget::Budget;
use reasonenv::shared::program::{LANGUAGE, LARGEST, Program};

use crate::args::{Text, Whole};
use crate::text::Texts;

/// The most steps that a program may be given.
const MOST_STEPS: u64 = 10_000_000;

/// What a program has as its result, or why it has none: the result, the reason, the steps that were taken.
///
/// Whatever the text, it is read as a program of the small language and of nothing else, and run in counted steps.
#[pyfunction]
pub fn _run_program(
    py: Python<'_>,
    text: Text,
    names: &Bound<'_, PyAny>,
    values: Vec<Whole>,
    steps: Whole,
) -> PyResult<(Option<i64>, String, u64)> {
    let (text, steps) = (text.read("text")?, steps.within("steps", 1, MOST_STEPS)?);
    let texts = Texts::new("names", names)?;
    let names: Vec<String> = texts.read().into_iter().map(Cow::into_owned).collect();
    texts.check_count("values", values.len())?;
    let value = |(name, value): (&String, &Whole)| value.signed(name, -LARGEST, LARGEST);
    let values = names.iter().zip(&values).map(value).collect::<PyResult<Vec<_>>>()?;
    Ok(py.detach(|| {
        let mut fuel = Budget::new(steps);
        let result = match Program::read(text, &names) {
            Ok(program) => program.run(&values, &mut fuel).map_err(|halt| halt.to_string()),
            Err(why) => Err(why),
        };
        match result {
            Ok(result) => (Some(result), String::new(), fuel.spent()),
            Err(why) => (None, why, fuel.spent()),
        }
    }))
}

/// What the small language is, for a prompt.
#[pyfunction]
pub fn _language() -> &'static str {
    LANGUAGE
}
