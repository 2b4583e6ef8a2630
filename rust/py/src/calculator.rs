//! Exact arithmetic on expressions of anyone's.

use pyo3::prelude::*;
use pyo3::types::PyInt;
use reasonenv::verifiers::calculator;

use crate::args::Text;
use crate::errors::InvalidArgument;

/// The exact value of an arithmetic expression, as a numerator and a positive denominator in lowest terms.
///
/// Nothing is run as code, and the work is bounded.
///
/// Args:
///     expression: Decimals joined by + - * / // (whole part) % (remainder) and ** or ^ (power), with parentheses.
///
/// Raises:
///     InvalidArgument: The expression has no value, or one beyond 4096 bits; says why.
#[pyfunction]
pub fn calculate<'py>(py: Python<'py>, expression: Text) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let value = calculator::calculate(expression.read("expression")?);
    let (above, below) = value.map_err(|error| InvalidArgument::new_err(error.to_string()))?;
    let integer = |number: String| py.get_type::<PyInt>().call1((number,));
    Ok((integer(above.to_string())?, integer(below.to_string())?))
}
