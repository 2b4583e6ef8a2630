//! Arguments as callers give them: whole numbers of any kind and size, checked with an error that names them.

use pyo3::conversion::FromPyObject;
use pyo3::prelude::*;
use pyo3::types::PyBool;
use reasonenv::task::answer::Reading;
use reasonenv::task::batch::MOST_ITEMS;
use reasonenv::task::erased::Family;

use crate::errors::{InvalidArgument, InvalidParams, to_py};

/// A number that has not been checked yet, of Python or of NumPy. Taking it never raises, so that the error can
/// name the argument.
pub enum Whole {
    Number(i128),
    /// Whole and beyond 128 bits, or no whole number at all; as Python shows it.
    Other(String),
}

impl<'py> FromPyObject<'_, 'py> for Whole {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let whole =
            if given.is_instance_of::<PyBool>() { None } else { given.call_method0("__index__").ok() };
        Ok(match whole.and_then(|whole| whole.extract::<i128>().ok()) {
            Some(number) => Self::Number(number),
            None => Self::Other(shown(&given)),
        })
    }
}

/// A value as Python shows it, cut where it is long.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    // A whole number of many digits refuses to be shown.
    let text =
        value.repr().map_or_else(|_| "too large a number".to_owned(), |repr| repr.to_string_lossy().into());
    reasonenv::error::shortened(&text)
}

impl Whole {
    /// The number, if it is in bounds.
    pub fn within(&self, name: &str, low: u64, high: u64) -> PyResult<u64> {
        let (shown, number) = match self {
            Self::Number(number) => (number.to_string(), u64::try_from(*number).ok()),
            Self::Other(shown) => (shown.clone(), None),
        };
        number.filter(|number| (low..=high).contains(number)).ok_or_else(|| {
            InvalidArgument::new_err(format!(
                "`{name}` is {shown}, but must be a whole number between {low} and {high}"
            ))
        })
    }

    /// A seed or an index.
    pub fn word(&self, name: &str) -> PyResult<u64> {
        self.within(name, 0, u64::MAX)
    }

    /// A number of items that are made or held at once.
    pub fn count(&self, name: &str) -> PyResult<usize> {
        self.within(name, 0, MOST_ITEMS as u64).map(|count| count as usize)
    }

    /// A level of a family.
    pub fn level(&self, family: &Family) -> PyResult<u8> {
        let most = family.top_level();
        match self {
            Self::Number(level) if (0..=i128::from(most)).contains(level) => Ok(*level as u8),
            given => {
                let given = match given {
                    Self::Number(number) => number.to_string(),
                    Self::Other(shown) => shown.clone(),
                };
                let name = family.name();
                Err(InvalidParams::new_err(format!(
                    "{name}: `level` is {given}, but must be between 0 and {most}"
                )))
            }
        }
    }
}

/// Indices given as a range or any iterable of whole numbers; a long range is refused before it is walked.
pub fn indices(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    let too_many = |count: String| {
        InvalidArgument::new_err(format!("`{name}` holds {count} indices, but may hold at most {MOST_ITEMS}"))
    };
    match given.len() {
        Ok(count) if count > MOST_ITEMS => return Err(too_many(count.to_string())),
        // The length of a range may be beyond what Python can say.
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyOverflowError>(given.py()) => {
            return Err(too_many(format!("more than {}", i64::MAX)));
        }
        _ => {}
    }
    let Ok(items) = given.try_iter() else {
        let given = shown(given);
        let message = format!("`{name}` is {given}, but must be a sequence of indices");
        return Err(InvalidArgument::new_err(message));
    };
    let mut indices = Vec::new();
    for item in items {
        let at = indices.len();
        if at == MOST_ITEMS {
            return Err(too_many(format!("more than {MOST_ITEMS}")));
        }
        if at % 65_536 == 65_535 {
            given.py().check_signals()?;
        }
        indices.push(item?.extract::<Whole>()?.word(&format!("{name}[{at}]"))?);
    }
    Ok(indices)
}

/// How answers are read; `None` is the family's own way.
pub fn reading(name: Option<&str>) -> PyResult<Option<Reading>> {
    name.map(Reading::find).transpose().map_err(to_py)
}
