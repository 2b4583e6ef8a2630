//! Exact arithmetic on untrusted expressions.

use pyo3::prelude::*;
use pyo3::types::PyInt;
use reasonenv::verifiers::calculator;

use crate::args::Text;
use crate::errors::InvalidArgument;

/// Return the exact value of an arithmetic expression as a numerator and a positive denominator in lowest terms.
///
/// No code is executed, and the work is bounded.
///
/// Args:
///     expression: Decimals joined by + - * / // (whole part) % (remainder) and ** or ^ (power), with parentheses.
///
/// Raises:
///     InvalidArgument: The expression has no value, or one beyond 4096 bits; the message says why.
#[pyfunction]
pub fn calculate(py: Python<'_>, expression: Text) -> PyResult<(Bound<'_, PyAny>, Bound<'_, PyAny>)> {
    let value = calculator::calculate(expression.read("expression")?);
    let (above, below) = value.map_err(|error| InvalidArgument::new_err(error.to_string()))?;
    let integer = |number: String| py.get_type::<PyInt>().call1((number,));
    Ok((integer(above.to_string())?, integer(below.to_string())?))
}
