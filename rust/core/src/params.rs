//! Params are described once, by a struct; its JSON schema documents them and enforces them.

use std::collections::BTreeMap;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::error::{nearest, shortened};

/// A plain struct with defaults, docs and bounds, each field with its role: difficulty, structure or style.
pub trait Params:
    Serialize + DeserializeOwned + schemars::JsonSchema + Default + Clone + Send + Sync + 'static
{
    /// Checks that span several fields.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The JSON schema of `P`, with the default of every field.
pub fn schema<P: Params>() -> Value {
    let mut generator = schemars::generate::SchemaSettings::default()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator();
    let mut schema = generator.root_schema_for::<P>().to_value();
    for (name, value) in fields(&P::default()) {
        schema["properties"][name]["default"] = value;
    }
    schema
}

/// Turns a caller's JSON object into params; what cannot be one is told by field, value and bounds.
pub fn parse<P: Params>(given: &Map<String, Value>, schema: &Value) -> Result<P, String> {
    check(given, schema)?;
    let params: P = serde_path_to_error::deserialize(Value::Object(given.clone()))
        .map_err(|error| format!("`{}`: {}", error.path(), shortened(&error.inner().to_string())))?;
    params.check()?;
    Ok(params)
}

/// Whether each field is known and of the type and within the bounds of the schema.
pub fn check(given: &Map<String, Value>, schema: &Value) -> Result<(), String> {
    let known = schema["properties"].as_object();
    let known = known.expect("the schema of a struct has properties");
    for (name, value) in given {
        let Some(field) = known.get(name) else {
            let hint = match nearest(name, known.keys().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it takes {}", known.keys().cloned().collect::<Vec<_>>().join(", ")),
            };
            return Err(format!("no param `{name}`; {hint}"));
        };
        check_field(name, value, field)?;
    }
    Ok(())
}

fn check_field(name: &str, value: &Value, field: &Value) -> Result<(), String> {
    let shown = shortened(&value.to_string());
    if let Some(choices) = field["enum"].as_array() {
        if !choices.contains(value) {
            let choices: Vec<_> = choices.iter().map(Value::to_string).collect();
            return Err(format!("`{name}` is {shown}, but must be one of {}", choices.join(", ")));
        }
        return Ok(());
    }
    let fits = match field["type"].as_str() {
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        Some("string") => value.is_string(),
        _ => true, // Lists and tagged enums are left to serde.
    };
    if !fits {
        return Err(format!("`{name}` is {shown}, but must be of type {}", field["type"]));
    }
    let bound = |key: &str| field.get(key).and_then(Value::as_f64);
    if let Some(number) = value.as_f64() {
        let (low, high) = (bound("minimum"), bound("maximum"));
        if low.is_some_and(|low| number < low) || high.is_some_and(|high| number > high) {
            return Err(match (low, high) {
                (Some(low), Some(high)) => {
                    format!("`{name}` is {shown}, but must be between {low} and {high}")
                }
                (Some(low), None) => format!("`{name}` is {shown}, but must be at least {low}"),
                (_, high) => {
                    format!("`{name}` is {shown}, but must be at most {}", high.unwrap_or_default())
                }
            });
        }
    }
    Ok(())
}

/// A JSON value in a message, cut where it is long.
pub fn shown(value: &Value) -> String {
    shortened(&value.to_string())
}

/// Sorted keys, defaults left out: a new param whose default keeps the behaviour changes no item.
pub fn canonical<P: Params>(params: &P) -> String {
    canonical_fields(&fields(params), &fields(&P::default()))
}

/// [`canonical`] of params that are fields already.
pub fn canonical_fields(fields: &Map<String, Value>, defaults: &Map<String, Value>) -> String {
    let set: BTreeMap<_, _> =
        fields.iter().filter(|(name, value)| defaults.get(*name) != Some(value)).collect();
    serde_json::to_string(&set).expect("params serialise")
}

/// The params as a JSON object.
pub fn fields<P: Params>(params: &P) -> Map<String, Value> {
    match serde_json::to_value(params).expect("params serialise") {
        Value::Object(map) => map,
        _ => unreachable!("params are a struct"),
    }
}
