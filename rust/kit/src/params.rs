//! Params are described once, by a struct; its JSON schema documents them and enforces them.

use std::collections::BTreeMap;

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::error::{nearest, shortened};
use crate::json;

/// A plain struct with defaults, docs and bounds, each field with its role: difficulty, structure or style.
pub trait Params:
    Serialize + DeserializeOwned + JsonSchema + Default + Clone + Send + Sync + 'static
{
    /// Checks that span several fields.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

/// The JSON schema of `P`, with the default of every field.
pub fn schema<P: Params>() -> Value {
    described(&P::schema_name(), P::json_schema, fields(&P::default()))
}

fn described(
    title: &str,
    describe: fn(&mut SchemaGenerator) -> Schema,
    defaults: Map<String, Value>,
) -> Value {
    let inlined = SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
    let mut schema = describe(&mut inlined.into_generator());
    schema.insert("$schema".to_owned(), SchemaSettings::default().meta_schema.into());
    schema.insert("title".to_owned(), title.into());
    let mut schema = schema.to_value();
    for (name, value) in defaults {
        schema["properties"][name]["default"] = value;
    }
    schema
}

/// Turns a caller's JSON object into params; what cannot be one is told by field, value and bounds.
pub fn parse<P: Params>(given: &Map<String, Value>, schema: &Value) -> Result<P, String> {
    check(given, schema)?;
    let params: P = json::read(&written(given)).map_err(json::Unread::about_field)?;
    params.check().map(|()| params)
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
pub fn canonical(fields: &Map<String, Value>, schema: &Value) -> String {
    let is_set = |(name, value): &(&String, &Value)| schema["properties"][*name]["default"] != **value;
    let set: BTreeMap<_, _> = fields.iter().filter(is_set).collect();
    serde_json::to_string(&set).expect("params serialise")
}

/// The params as a JSON object.
pub fn fields<P: Params>(params: &P) -> Map<String, Value> {
    fields_of(&serde_json::to_string(params).expect("params serialise"))
}

fn fields_of(json: &str) -> Map<String, Value> {
    serde_json::from_str(json).expect("params are a struct")
}

fn written(fields: &Map<String, Value>) -> String {
    serde_json::to_string(fields).expect("JSON serialises")
}
