//! Python's strings and plain data, on their way to the core and back.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde_json::{Map, Value};

use crate::args::shown;
use crate::errors::InvalidArgument;

/// The strings of a sequence, held so that their text can be borrowed while the GIL is released.
pub struct Texts<'py>(Vec<Bound<'py, PyString>>);

impl<'py> Texts<'py> {
    /// Raises `TypeError` naming the first item that is not text.
    pub fn new(name: &str, given: &Bound<'py, PyAny>) -> PyResult<Self> {
        if given.is_instance_of::<PyString>() {
            return Err(InvalidArgument::new_err(format!(
                "`{name}` is one str, but must be a sequence of them"
            )));
        }
        let mut texts = Vec::with_capacity(given.len().unwrap_or(0));
        for (i, item) in given.try_iter()?.enumerate() {
            let item = item?;
            match item.cast_into::<PyString>() {
                Ok(text) => texts.push(text),
                Err(error) => {
                    let kind = error.into_inner().get_type().name()?;
                    return Err(InvalidArgument::new_err(format!(
                        "`{name}[{i}]` is {kind}, but must be str"
                    )));
                }
            }
        }
        Ok(Self(texts))
    }

    /// The strings themselves, for verdicts that quote them later.
    pub fn into_owned(self) -> Vec<Py<PyString>> {
        self.0.into_iter().map(Bound::unbind).collect()
    }

    /// Raises unless there is one text for each of `count` things.
    pub fn check_count(&self, what: &str, count: usize) -> PyResult<()> {
        if self.len() == count {
            return Ok(());
        }
        let texts = self.len();
        Err(InvalidArgument::new_err(format!("{texts} texts for {count} {what}; give one for each")))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Borrowed where the string is valid Unicode; lone surrogates become U+FFFD.
    pub fn read(&self) -> Vec<Cow<'_, str>> {
        self.0.iter().map(|text| text.to_string_lossy()).collect()
    }
}

/// A mapping as JSON fields; `None` is none at all.
pub fn fields(argument: &str, given: Option<&Bound<'_, PyAny>>) -> PyResult<Map<String, Value>> {
    let Some(given) = given else {
        return Ok(Map::new());
    };
    let Ok(given) = given.cast::<PyDict>() else {
        let given = shown(given);
        return Err(InvalidArgument::new_err(format!("`{argument}` is {given}, but must be a dict")));
    };
    let mut fields = Map::new();
    for (name, value) in given {
        let Ok(name) = name.extract::<String>() else {
            let name = shown(&name);
            let message = format!("`{argument}` has the field {name}, but fields are named by str");
            return Err(InvalidArgument::new_err(message));
        };
        let value = plain(&name, &value)?;
        fields.insert(name, value);
    }
    Ok(fields)
}

/// A value as JSON; NumPy's scalars count as the numbers they are.
fn plain(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let py = value.py();
    let refuse = || {
        let value = shown(value);
        let message = format!("`{name}` is {value}, but must be plain data: numbers, text, booleans, lists");
        InvalidArgument::new_err(message)
    };
    let scalar = value.hasattr("item")? && value.hasattr("dtype")?;
    let value = if scalar { value.call_method0("item").map_err(|_| refuse())? } else { value.clone() };
    let text = py.import("json")?.call_method1("dumps", (&value,)).map_err(|_| refuse())?;
    serde_json::from_str(&text.extract::<String>()?).map_err(|_| refuse())
}

/// What `__reduce__` returns: a callable and its arguments.
pub type Reduced<'py, Arguments> = PyResult<(Bound<'py, PyAny>, Arguments)>;

/// JSON as Python's own objects.
pub fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}
