//! Arguments of any kind and size, checked with an error that names them.

use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::conversion::FromPyObject;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyIterator, PyMapping, PyString};
use reasonenv::error::shortened;
use reasonenv::task::answer::Reading;
use reasonenv::task::batch::MOST_ITEMS;
use reasonenv::task::erased::Family;
use reasonenv::task::style::AnswerStyle;

use crate::errors::{InvalidArgument, InvalidParams, to_py};
use crate::text::kind;

/// Unchecked number of Python or of NumPy. Extraction never raises, so that the error can name the argument.
pub enum Whole {
    Number(i128),
    /// `repr` of a whole number beyond 128 bits or of anything else.
    Other(String),
}

impl<'py> FromPyObject<'_, 'py> for Whole {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let whole = if !given.is_exact_instance_of::<PyInt>() && given.is_instance_of::<PyBool>() {
            None
        } else if let Ok(number) = given.extract::<i64>() {
            Some(number.into())
        } else {
            given.call_method0("__index__").ok().and_then(|whole| whole.extract::<i128>().ok())
        };
        Ok(whole.map_or_else(|| Self::Other(shown(&given)), Self::Number))
    }
}

/// Unchecked real number, extracted like a [`Whole`].
pub enum Real {
    Number(f64),
    /// `repr` of anything else.
    Other(String),
}

impl<'py> FromPyObject<'_, 'py> for Real {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let number = if given.is_instance_of::<PyBool>() { None } else { given.extract().ok() };
        Ok(number.map_or_else(|| Self::Other(shown(&given)), Self::Number))
    }
}

impl Real {
    /// Return the number, finite or not.
    pub fn number(&self, name: &str) -> PyResult<f64> {
        match self {
            Self::Number(number) => Ok(*number),
            Self::Other(shown) => {
                Err(InvalidArgument::new_err(format!("`{name}` is {shown}, but must be a number")))
            }
        }
    }
}

/// Unchecked text, extracted like a [`Whole`]. Lone surrogates become U+FFFD.
pub enum Text {
    Read(String),
    /// `repr` of anything else.
    Other(String),
}

impl<'py> FromPyObject<'_, 'py> for Text {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(match given.cast::<PyString>() {
            Ok(text) => Self::Read(text.to_string_lossy().into_owned()),
            Err(_) => Self::Other(shown(&given)),
        })
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::Read(text.to_owned())
    }
}

impl Text {
    pub fn read(&self, name: &str) -> PyResult<&str> {
        match self {
            Self::Read(text) => Ok(text),
            Self::Other(shown) => {
                Err(InvalidArgument::new_err(format!("`{name}` is {shown}, but must be a str")))
            }
        }
    }
}

/// Return the `repr` of a value on one short line.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    // The `repr` of a whole number of many digits raises.
    let text = value.repr().map_or_else(|_| kind(value), |repr| repr.to_string_lossy().into_owned());
    shortened(&text.replace(char::is_control, " "))
}

impl Whole {
    pub const ZERO: Self = Self::Number(0);
    pub const ONE: Self = Self::Number(1);

    /// Return the number, if it is in bounds.
    pub fn within(&self, name: &str, low: u64, high: u64) -> PyResult<u64> {
        match self {
            Self::Number(number) => {
                u64::try_from(*number).ok().filter(|number| (low..=high).contains(number))
            }
            Self::Other(_) => None,
        }
        .ok_or_else(|| self.out_of_bounds(name, low.into(), high.into()))
    }

    /// Return the number, if it is in bounds.
    pub fn signed(&self, name: &str, low: i64, high: i64) -> PyResult<i64> {
        match self {
            Self::Number(number) => {
                i64::try_from(*number).ok().filter(|number| (low..=high).contains(number))
            }
            Self::Other(_) => None,
        }
        .ok_or_else(|| self.out_of_bounds(name, low.into(), high.into()))
    }

    fn out_of_bounds(&self, name: &str, low: i128, high: i128) -> PyErr {
        let shown = match self {
            Self::Number(number) => number.to_string(),
            Self::Other(shown) => shown.clone(),
        };
        InvalidArgument::new_err(format!(
            "`{name}` is {shown}, but must be a whole number between {low} and {high}"
        ))
    }

    /// Return a seed or an index.
    pub fn word(&self, name: &str) -> PyResult<u64> {
        self.within(name, 0, u64::MAX)
    }

    /// Return a number of tasks to make or hold at once.
    pub fn count(&self, name: &str) -> PyResult<usize> {
        self.within(name, 0, MOST_ITEMS as u64).map(|count| count as usize)
    }

    /// Return a number of at most 32 bits, if one is given.
    pub fn limit(given: Option<Self>, name: &str, low: u64) -> PyResult<Option<u32>> {
        given.map(|limit| limit.within(name, low, u32::MAX.into()).map(|limit| limit as u32)).transpose()
    }

    /// Return a level of a family.
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

/// Read indices from a range or any iterable of whole numbers; a long range is rejected before it is iterated.
pub fn indices(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    let too_many = |count: String| {
        InvalidArgument::new_err(format!("`{name}` holds {count} indices, but may hold at most {MOST_ITEMS}"))
    };
    match given.len() {
        Ok(count) if count > MOST_ITEMS => return Err(too_many(count.to_string())),
        // The length of a range may exceed what `len` can return.
        Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => {
            return Err(too_many(format!("more than {}", i64::MAX)));
        }
        _ => {}
    }
    let items = items(name, given, "a sequence of indices")?;
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

/// Iterate over a sequence. A mapping is rejected, because only its keys would count, and so is a source of tasks
/// without end.
pub fn items<'py>(name: &str, given: &Bound<'py, PyAny>, must: &str) -> PyResult<Bound<'py, PyIterator>> {
    if given.hasattr("batch")? && !given.hasattr("__len__")? {
        let endless =
            format!("`{name}` is {}, which has no end; give its `batch(start, count)`", shown(given));
        return Err(InvalidArgument::new_err(endless));
    }
    let several = given.cast::<PyMapping>().is_err();
    given
        .try_iter()
        .ok()
        .filter(|_| several)
        .ok_or_else(|| InvalidArgument::new_err(format!("`{name}` is {}, but must be {must}", shown(given))))
}

/// Read the argument `reading`; `None` means the family's own.
pub fn reading(name: Option<Text>) -> PyResult<Option<Reading>> {
    let Some(name) = name else { return Ok(None) };
    Reading::find(name.read("reading")?).map(Some).map_err(to_py)
}

/// Read the argument `answer`.
pub fn answer_style(name: Option<Text>) -> PyResult<AnswerStyle> {
    let Some(name) = name else { return Ok(AnswerStyle::Tag) };
    AnswerStyle::find(name.read("answer")?).map_err(to_py)
}

/// Read an action: a whole number, or an array of one. Numbers out of range pass, clamped to 64 bits; anything else
/// is rejected.
pub fn action(name: &str, given: &Bound<'_, PyAny>) -> PyResult<i64> {
    let error = match given.extract::<i64>() {
        Ok(action) => return Ok(action),
        Err(error) => error,
    };
    if error.is_instance_of::<PyOverflowError>(given.py()) {
        return Ok(if given.lt(0)? { i64::MIN } else { i64::MAX });
    }
    let held = given.cast::<PyUntypedArray>().ok();
    let whole = held.filter(|array| array.shape() == [1] && matches!(array.dtype().kind(), b'i' | b'u'));
    if let Some(array) = whole {
        return action(name, &array.call_method0("item")?);
    }
    let shown = shown(given);
    Err(InvalidArgument::new_err(format!("`{name}` is {shown}, but must be a whole number")))
}
