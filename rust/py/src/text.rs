//! Conversions of Python's strings and plain data to the core and back.

use std::borrow::Cow;
use std::fmt;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use reasonenv::task::answer::StopTokens;
use serde_json::{Map, Number, Value};

use crate::args::shown;
use crate::errors::{InvalidArgument, InvalidParams};

/// Strings of a sequence, held so that their text can be borrowed while the GIL is released.
pub struct Texts<'py>(Vec<Bound<'py, PyString>>);

impl<'py> Texts<'py> {
    /// Raise `InvalidArgument` naming the first item that is not text.
    pub fn new(name: &str, given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let must = |what: &str| {
            InvalidArgument::new_err(format!("`{name}` is {what}, but must be a sequence of str"))
        };
        if given.is_instance_of::<PyString>() {
            return Err(must("one str"));
        }
        if given.cast::<PyMapping>().is_ok() {
            return Err(must(&kind(given)));
        }
        let items = given.try_iter().map_err(|_| must(&kind(given)))?;
        let mut texts = Vec::new();
        for (i, item) in items.enumerate() {
            if i % 65_536 == 65_535 {
                given.py().check_signals()?;
            }
            match item?.cast_into::<PyString>() {
                Ok(text) => texts.push(text),
                Err(error) => {
                    let kind = kind(&error.into_inner());
                    let message = format!("`{name}[{i}]` is {kind}, but must be str");
                    return Err(InvalidArgument::new_err(message));
                }
            }
        }
        Ok(Self(texts))
    }

    /// Read completions: texts, or chat messages of which the last one is what the model wrote.
    pub fn completions(name: &str, given: &Bound<'py, PyAny>) -> PyResult<Self> {
        let items = match given.try_iter() {
            Ok(items) if !given.is_instance_of::<PyString>() && given.cast::<PyMapping>().is_err() => items,
            _ => return Self::new(name, given),
        };
        let mut texts = Vec::new();
        for (i, item) in items.enumerate() {
            if i % 65_536 == 65_535 {
                given.py().check_signals()?;
            }
            texts.push(completion(&format_args!("{name}[{i}]"), &item?)?);
        }
        Ok(Self(texts))
    }

    /// Read reference answers: texts, numbers and other plain data, which count as their JSON, or lists of accepted
    /// answers; if there are lists, also return the end of each among all texts. Raises `InvalidArgument` naming the
    /// first list that is empty or holds anything but Unicode text.
    pub fn nested(name: &str, given: &Bound<'py, PyAny>) -> PyResult<(Self, Option<Vec<usize>>)> {
        let items = match given.try_iter() {
            Ok(items) if !given.is_instance_of::<PyString>() && given.cast::<PyMapping>().is_err() => items,
            _ => return Self::new(name, given).map(|texts| (texts, None)),
        };
        let (mut texts, mut ends, mut nested) = (Vec::new(), Vec::new(), false);
        for (i, item) in items.enumerate() {
            if i % 65_536 == 65_535 {
                given.py().check_signals()?;
            }
            let item = without_numpy(&item?)?;
            if item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>() {
                nested = true;
                let before = texts.len();
                for (at, accepted) in item.try_iter()?.enumerate() {
                    texts.push(reference(&format_args!("{name}[{i}][{at}]"), &accepted?)?);
                }
                if texts.len() == before {
                    let message = format!("`{name}[{i}]` is empty, but must have an answer that is accepted");
                    return Err(InvalidArgument::new_err(message));
                }
            } else {
                texts.push(reference(&format_args!("{name}[{i}]"), &item)?);
            }
            ends.push(texts.len());
        }
        Ok((Self(texts), nested.then_some(ends)))
    }

    /// Raise unless there is one text for each of `count` things.
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

    /// Return the texts, borrowed if they are valid Unicode; lone surrogates become U+FFFD.
    pub fn read(&self) -> Vec<Cow<'_, str>> {
        self.0.iter().map(|text| text.to_string_lossy()).collect()
    }

    /// Return the texts, borrowed; raises `InvalidArgument` for a lone surrogate, because its replacement could make
    /// different texts equal.
    pub fn read_exactly(&self, name: &str) -> PyResult<Vec<Cow<'_, str>>> {
        let mut texts = self.0.iter().enumerate();
        texts.try_for_each(|(i, text)| exactly(&format_args!("{name}[{i}]"), text))?;
        Ok(self.read())
    }
}

/// Read a completion: text, or the content of the last of several chat messages that is not a tool's.
pub fn completion<'py>(
    place: &dyn fmt::Display,
    given: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyString>> {
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(text.clone());
    }
    let messages: Vec<_> =
        given.cast::<PyList>().map_or_else(|_| vec![given.clone()], |list| list.iter().collect());
    let role = |message: &Bound<'py, PyAny>| message.cast::<PyDict>().ok()?.get_item("role").ok()?;
    let is =
        |message: &Bound<'py, PyAny>, name| role(message).is_some_and(|role| role.eq(name).unwrap_or(false));
    let last = messages.iter().rfind(|message| !is(message, "tool"));
    let written = last.filter(|message| role(message).is_none() || is(message, "assistant"));
    written.and_then(content).ok_or_else(|| {
        let given = shown(given);
        let must = "but must be text, or chat messages whose last one is text from the assistant";
        InvalidArgument::new_err(format!("`{place}` is {given}, {must}"))
    })
}

/// Return the text of a message: its content, the text parts of it, or nothing where it is None.
fn content<'py>(message: &Bound<'py, PyAny>) -> Option<Bound<'py, PyString>> {
    let content = message.cast::<PyDict>().ok()?.get_item("content").ok()??;
    if let Ok(text) = content.cast::<PyString>() {
        return Some(text.clone());
    }
    if content.is_none() {
        return Some(PyString::new(message.py(), ""));
    }
    let mut text = String::new();
    for part in content.cast::<PyList>().ok()?.iter() {
        let part = match part.cast::<PyDict>() {
            // Images, reasoning and the like do not count as text.
            Ok(part) if part.get_item("type").ok()?.is_some_and(|kind| !is_text(&kind)) => continue,
            Ok(part) => part.get_item("text").ok()??,
            Err(_) => part,
        };
        text += &part.cast::<PyString>().ok()?.to_string_lossy();
    }
    Some(PyString::new(message.py(), &text))
}

/// True for the type of a part of a message that is text.
fn is_text(kind: &Bound<'_, PyAny>) -> bool {
    ["text", "output_text"].iter().any(|name| kind.eq(name).unwrap_or(false))
}

/// Read a reference answer as text; anything else becomes JSON.
fn reference<'py>(place: &fmt::Arguments<'_>, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    if let Ok(text) = given.cast::<PyString>() {
        exactly(place, text)?;
        return Ok(text.clone());
    }
    let refuse = || {
        let must = "but must be text, a number, other plain data, or a list of accepted answers";
        InvalidArgument::new_err(format!("`{place}` is {}, {must}", shown(given)))
    };
    if given.is_none() {
        return Err(refuse());
    }
    let text = json_text(given).map_err(|_| refuse())?.cast_into::<PyString>()?;
    exactly(place, &text)?;
    Ok(text)
}

/// Raise `InvalidArgument` naming a string's place if it has a lone surrogate.
fn exactly(place: &fmt::Arguments<'_>, text: &Bound<'_, PyString>) -> PyResult<()> {
    if is_unicode(text) {
        return Ok(());
    }
    Err(InvalidArgument::new_err(format!("`{place}` has a lone surrogate, but must be Unicode")))
}

/// True if a string has no lone surrogate.
pub fn is_unicode(text: &Bound<'_, PyString>) -> bool {
    text.to_cow().is_ok()
}

/// Return the name of a value's type, for an error message.
pub fn kind(given: &Bound<'_, PyAny>) -> String {
    given.get_type().name().map_or_else(|_| "an object".into(), |name| name.to_string_lossy().into_owned())
}

/// Read an argument that must be text.
pub fn text(name: &str, given: &Bound<'_, PyAny>) -> PyResult<String> {
    let Ok(text) = given.cast::<PyString>() else {
        return Err(InvalidArgument::new_err(format!("`{name}` is {}, but must be str", shown(given))));
    };
    if !is_unicode(text) {
        let message = format!("`{name}` is {}, with a lone surrogate, but must be Unicode", shown(given));
        return Err(InvalidArgument::new_err(message));
    }
    Ok(text.to_string_lossy().into_owned())
}

/// Read the end-of-turn marks of a model, in addition to the common ones.
pub fn stop_tokens(given: Option<&Bound<'_, PyAny>>) -> PyResult<StopTokens> {
    let Some(given) = given else {
        return Ok(StopTokens::default());
    };
    let tokens = Texts::new("stop_tokens", given)?;
    let tokens: Vec<_> = tokens.read_exactly("stop_tokens")?.into_iter().map(Cow::into_owned).collect();
    StopTokens::new(&tokens).map_err(InvalidArgument::new_err)
}

/// Read a mapping as JSON fields; `None` means an empty one.
pub fn fields(argument: &str, given: Option<&Bound<'_, PyAny>>) -> PyResult<Map<String, Value>> {
    let Some(given) = given.filter(|given| !given.is_none()) else {
        return Ok(Map::new());
    };
    let Ok(given) = given.cast::<PyDict>() else {
        let given = shown(given);
        return Err(InvalidArgument::new_err(format!("`{argument}` is {given}, but must be a dict")));
    };
    let mut fields = Map::new();
    for (name, value) in given {
        let name = text(&format!("a field's name in `{argument}`"), &name)?;
        let value = plain(&name, &value)?;
        fields.insert(name, value);
    }
    Ok(fields)
}

/// Convert a value to JSON; NumPy's scalars count as the numbers they are.
fn plain(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let refuse = || {
        let must = "but must be plain data: finite numbers, text, booleans, lists";
        InvalidParams::new_err(format!("`{name}` is {}, {must}", shown(given)))
    };
    let value = without_numpy(given).map_err(|_| refuse())?;
    if let Ok(float) = value.cast::<PyFloat>() {
        // Exact to the last bit, which parsing its digits might lose.
        return Number::from_f64(float.value()).map(Value::Number).ok_or_else(refuse);
    }
    if value.is_instance_of::<PyString>() {
        return text(name, &value).map(Value::String);
    }
    let written = json_text(&value).map_err(|_| refuse())?;
    serde_json::from_str(&written.extract::<String>().map_err(|_| refuse())?).map_err(|_| refuse())
}

/// Convert a NumPy value to Python's own, an array to a list.
fn without_numpy<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let is_numpy =
        !given.is_instance_of::<PyString>() && given.hasattr("tolist")? && given.hasattr("dtype")?;
    if is_numpy { given.call_method0("tolist") } else { Ok(given.clone()) }
}

/// True for a decimal or a fraction, whose text is a number.
fn is_exact(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = given.py();
    let kinds = [("decimal", "Decimal"), ("fractions", "Fraction")];
    let kinds = kinds.map(|(module, name)| py.import(module)?.getattr(name));
    Ok(kinds
        .into_iter()
        .collect::<PyResult<Vec<_>>>()?
        .iter()
        .any(|kind| given.is_instance(kind).unwrap_or(false)))
}

/// Serialize a value as JSON in Python's own format, without numbers that JSON lacks. A decimal or a fraction is its
/// text.
fn json_text<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = given.py();
    let given = without_numpy(given)?;
    if given.is_instance_of::<PyFloat>() || given.is_instance_of::<PyInt>() || !is_exact(&given)? {
        let finite = PyDict::new(py);
        finite.set_item("allow_nan", false)?;
        finite.set_item("ensure_ascii", false)?;
        finite.set_item("default", wrap_pyfunction!(json_value, py)?)?;
        return py.import("json")?.call_method("dumps", (given,), Some(&finite));
    }
    let is_finite = !given.hasattr("is_finite")? || given.call_method0("is_finite")?.is_truthy()?;
    if is_finite { Ok(given.str()?.into_any()) } else { Err(InvalidParams::new_err("not a finite number")) }
}

/// Return what JSON has for a value that it lacks: a list for an array, a float for a decimal.
#[pyfunction]
fn json_value<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if is_exact(given)? {
        return given.call_method0("__float__");
    }
    let plain = without_numpy(given)?;
    if plain.is(given) {
        return Err(PyTypeError::new_err(format!("{} is not plain data", kind(given))));
    }
    Ok(plain)
}

/// Return type of `__reduce__`: a callable and its arguments.
pub type Reduced<'py, Arguments> = PyResult<(Bound<'py, PyAny>, Arguments)>;

/// Convert JSON to Python objects.
pub fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (value.to_string(),))
}
