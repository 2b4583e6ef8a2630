//! Settings of environments, checked against their schema.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyMapping, PyString};
use reasonenv::error::unknown;
use reasonenv::params::{Params, Value, choices};
use reasonenv::settings;
use serde_json::{Map, Number};

use crate::args::{Real, Whole, shown};
use crate::errors::{InvalidArgument, UnknownName, no_choice, to_py};
use crate::text::{object, text};

/// Role of settings that are checked where tasks come from.
const SOURCE: &str = "source";

/// Return the given settings as JSON.
pub fn checked(schema: &Value, given: Option<&Bound<'_, PyDict>>) -> PyResult<Map<String, Value>> {
    let mut settings = Map::new();
    for (name, value) in given.into_iter().flatten() {
        let (name, field) = field(schema, &name)?;
        let value = read(&name, field, &value)?;
        settings.insert(name, value);
    }
    Ok(settings)
}

/// Return typed settings: the given ones, and the defaults of the others.
pub fn typed<P: Params>(schema: &Value, given: Option<&Bound<'_, PyDict>>) -> PyResult<P> {
    let settings = checked(schema, given)?;
    reasonenv::params::parse(&settings, schema).map_err(InvalidArgument::new_err)
}

/// Return the JSON schema of the settings of something: type, bounds, default and doc of each.
#[pyfunction]
pub fn settings_schema<'py>(py: Python<'py>, of: &str) -> PyResult<Bound<'py, PyAny>> {
    object(py, settings::schema(of).map_err(to_py)?)
}

/// Return all settings of something: the given ones, and the defaults of the others.
#[pyfunction]
pub fn _settings<'py>(py: Python<'py>, of: &str, given: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let schema = settings::schema(of).map_err(to_py)?;
    let all = PyDict::new(py);
    for (name, field) in fields(schema) {
        all.set_item(name, object(py, &field["default"])?)?;
    }
    for (name, value) in given {
        let (name, field) = field(schema, &name)?;
        let value = if field["role"] == SOURCE { value } else { object(py, &read(&name, field, &value)?)? };
        all.set_item(name, value)?;
    }
    Ok(all)
}

fn fields(schema: &Value) -> &Map<String, Value> {
    schema["properties"].as_object().expect("the schema of settings has properties")
}

fn field<'s>(schema: &'s Value, name: &Bound<'_, PyAny>) -> PyResult<(String, &'s Value)> {
    let name = name.cast::<PyString>()?.to_string_lossy().into_owned();
    let fields = fields(schema);
    let Some(field) = fields.get(&name) else {
        let known: Vec<_> = fields.keys().map(String::as_str).collect();
        return Err(to_py(unknown("argument", &name, &known)));
    };
    Ok((name, field))
}

/// Read a value as JSON, if it matches the schema of its field.
fn read(name: &str, field: &Value, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Some(choices) = choices(field) {
        return chosen(name, &choices, given);
    }
    let (field, is_optional) = match field["anyOf"].as_array().map(Vec::as_slice) {
        Some([some, _]) => (some, true),
        _ => (field, field["type"].as_array().is_some()),
    };
    if is_optional && given.is_none() {
        return Ok(Value::Null);
    }
    let kind = field["type"].as_str().or(field["type"][0].as_str());
    match kind {
        Some("boolean") => flag(name, given).map(Value::Bool),
        Some("integer") => {
            let bound = |key: &str| field[key].as_u64();
            let widest = if field["format"] == "uint32" { u32::MAX.into() } else { u64::MAX };
            let (low, high) = (bound("minimum").unwrap_or(0), bound("maximum").unwrap_or(widest));
            given.extract::<Whole>()?.within(name, low, high).map(Value::from)
        }
        Some("number") => number(name, field, given),
        _ => members(name, field, given),
    }
}

fn chosen(name: &str, choices: &[Value], given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let value = if given.is_none() {
        Value::Null
    } else {
        given.cast::<PyString>().map_or(Value::Bool(false), |text| Value::from(&*text.to_string_lossy()))
    };
    if choices.contains(&value) {
        return Ok(value);
    }
    if let (Value::String(given), [_, _, ..]) = (&value, choices) {
        let choices: Vec<_> = choices.iter().map(Value::as_str).collect();
        return Err(UnknownName::new_err(no_choice(name, given, &choices)));
    }
    let spelled = |choice: &Value| choice.as_str().map_or("None".to_owned(), |name| format!("'{name}'"));
    let choices: Vec<_> = choices.iter().map(spelled).collect();
    let (given, choices) = (shown(given), choices.join(" or "));
    Err(UnknownName::new_err(format!("`{name}` is {given}, but must be {choices}")))
}

/// Read True or False, of Python or of NumPy. Other truthy values are rejected.
fn flag(name: &str, given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_numpys = || given.get_type().name().is_ok_and(|name| name == "bool" || name == "bool_");
    if given.is_instance_of::<PyBool>() || is_numpys() {
        return given.is_truthy();
    }
    Err(InvalidArgument::new_err(format!("`{name}` is {}, but must be True or False", shown(given))))
}

fn number(name: &str, field: &Value, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let (low, high) = (field["minimum"].as_f64(), field["maximum"].as_f64());
    let fits = |number: &f64| {
        number.is_finite() && low.is_none_or(|low| low <= *number) && high.is_none_or(|high| *number <= high)
    };
    if let Real::Number(number) = given.extract::<Real>()?
        && fits(&number)
    {
        return Ok(Value::from(Number::from_f64(number)));
    }
    let must = match (low, high) {
        (Some(low), Some(high)) => format!("number between {low} and {high}"),
        (Some(low), None) => format!("number of at least {low}"),
        _ => "finite number".to_owned(),
    };
    Err(InvalidArgument::new_err(format!("`{name}` is {}, but must be a {must}", shown(given))))
}

/// Read a mapping from names to numbers.
fn members(name: &str, field: &Value, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    let Ok(given) = given.cast::<PyMapping>() else {
        let given = shown(given);
        return Err(InvalidArgument::new_err(format!("`{name}` is {given}, but must be a mapping or None")));
    };
    let mut members = Map::new();
    for item in given.items()? {
        let (member, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let member = text(&format!("a name in `{name}`"), &member)?;
        let known: Vec<_> = fields(field).keys().map(String::as_str).collect();
        let Some(inner) = fields(field).get(&member) else {
            let kind = name.trim_end_matches('s').replace('_', " ");
            let error = unknown("weight", &member, &known).to_string();
            return Err(UnknownName::new_err(error.replacen("weight", &kind, 1)));
        };
        let value = number(&format!("{name}['{member}']"), inner, &value)?;
        members.insert(member, value);
    }
    Ok(Value::Object(members))
}
