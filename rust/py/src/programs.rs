//! Untrusted programs of the small language.

use std::borrow::Cow;

use pyo3::prelude::*;
use reasonenv::budget::Budget;
use reasonenv::shared::program::{LANGUAGE, LARGEST, Program};

use crate::args::{Text, Whole};
use crate::text::Texts;

/// Most steps that a program may take.
const MOST_STEPS: u64 = 10_000_000;

/// Run a program, and return its result, or the reason why it has none, and the number of steps taken.
///
/// Any text is read as a program of the small language and nothing else, and runs in counted steps.
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

/// Return a description of the small language, for a prompt.
#[pyfunction]
pub fn _language() -> &'static str {
    LANGUAGE
}
