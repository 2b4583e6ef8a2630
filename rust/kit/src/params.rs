//! Params are declared once, by [`params!`](crate::params!): the struct, its JSON schema and its levels.

use std::collections::BTreeMap;

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::{JsonSchema, Schema};
use serde::{Serialize, de::DeserializeOwned};
pub use serde_json::Value;
use serde_json::{Map, json};

use crate::error::{nearest, shortened};
use crate::json;

/// The settings of a family, a game or a verifier. [`params!`](crate::params!) implements it.
pub trait Params: Default + Clone + Send + Sync + 'static {
    const NAME: &'static str;
    const DOC: &'static str;
    const FIELDS: &'static [Field];
    /// The params of each level, from 0 to the top; every one is harder than the one before.
    const LEVELS: &'static [Self];

    /// The values of the fields, in their order.
    fn values(&self) -> Vec<Value>;

    /// Reads one value per field, in their order.
    fn read(values: &mut dyn Iterator<Item = Value>) -> Result<Self, String>;

    /// Checks that span several fields.
    fn check(&self) -> Result<(), String>;
}

/// One field of params.
pub struct Field {
    pub name: &'static str,
    /// Its doc comment.
    pub about: &'static str,
    /// The schema of its type.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    pub limits: Limits,
}

/// Bounds or choices that narrow a field beyond its type, and its role.
pub struct Limits {
    pub min: Option<f64>,
    pub max: Option<f64>,
    /// The only allowed values, if they are few.
    pub choices: &'static [i64],
    /// Difficulty, structure or style; families' fields are difficulty unless they say otherwise.
    pub role: Option<&'static str>,
    /// The field is written only where it differs from its default, so that records without it keep their bytes.
    pub if_set: bool,
}

impl Limits {
    pub const NONE: Self = Self { min: None, max: None, choices: &[], role: None, if_set: false };
}

/// Declares params: a struct, in brackets the limits and the role of each field, then levels and the default.
///
/// ```
/// kit::params! {
///     pub struct SumParams {
///         /// Numbers to be added.
///         terms: u32 [2..=30],
///         /// Allow negative numbers.
///         negative: bool [structure],
///     }
///     levels {
///         (2, false),
///         (3, false),
///         (3, true),
///     }
///     default 1
/// }
/// ```
///
/// The default is a level or a separate row. `check path;` names a function from `&Self` to
/// `Result<(), String>` for conditions on several fields; `beside name: Type = made;` adds a field that
/// callers cannot set.
#[macro_export]
macro_rules! params {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $name:ident {
            $($(#[doc = $doc:literal])* $field_vis:vis $field:ident : $type:ty $([$($limits:tt)*])?),* $(,)?
        }
        $(levels { $($level:tt),* $(,)? })?
        default $default:tt
        $(check $check:path;)?
        $(beside $beside_vis:vis $beside:ident: $beside_type:ty = $made:expr;)?
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug)]
        $vis struct $name {
            $($(#[doc = $doc])* $field_vis $field: $type,)*
            $($beside_vis $beside: $beside_type,)?
        }

        impl $name {
            // Called only by levels, default rows and tests.
            #[allow(dead_code, clippy::too_many_arguments)]
            pub(crate) const fn new($($field: $type),*) -> Self {
                Self { $($field,)* $($beside: $made,)? }
            }
        }

        impl Default for $name {
            fn default() -> Self {
                $crate::params!(@default $default)
            }
        }

        impl $crate::params::Params for $name {
            const NAME: &'static str = stringify!($name);
            const DOC: &'static str = concat!($($about, "\n"),*);
            const FIELDS: &'static [$crate::params::Field] = &[$($crate::params::Field {
                name: stringify!($field),
                about: concat!($($doc, "\n"),*),
                schema: $crate::params::schema_of::<$type>,
                limits: $crate::params!(@limits $($($limits)*)?),
            }),*];
            const LEVELS: &'static [Self] = &[$($(Self::new $level),*)?];

            fn values(&self) -> Vec<$crate::params::Value> {
                vec![$($crate::params::value(&self.$field)),*]
            }

            fn read(values: &mut dyn Iterator<Item = $crate::params::Value>) -> Result<Self, String> {
                Ok(Self {
                    $($field: $crate::params::read_value(stringify!($field), values)?,)*
                    $($beside: $made,)?
                })
            }

            fn check(&self) -> Result<(), String> {
                let all: &[fn(&Self) -> Result<(), String>] = &[$($check)?];
                all.iter().try_for_each(|check| check(self))
            }
        }
    };
    (@default $level:literal) => { <Self as $crate::params::Params>::LEVELS[$level].clone() };
    (@default $row:tt) => { Self::new $row };
    (@limits) => { $crate::params::Limits::NONE };
    (@limits $role:ident) => {
        $crate::params::Limits { role: Some(stringify!($role)), ..$crate::params::Limits::NONE }
    };
    (@limits $role:ident, if_set) => {
        $crate::params::Limits { if_set: true, ..$crate::params!(@limits $role) }
    };
    (@limits $min:literal .. $(, $role:ident)?) => {
        $crate::params::Limits { min: Some($min as f64), ..$crate::params!(@limits $($role)?) }
    };
    (@limits $min:literal ..= $max:expr $(, $role:ident)?) => {
        $crate::params::Limits { min: Some($min as f64), max: Some($max as f64), ..$crate::params!(@limits $($role)?) }
    };
    (@limits $($choice:literal)|+ $(, $role:ident)?) => {
        $crate::params::Limits { choices: &[$($choice),+], ..$crate::params!(@limits $($role)?) }
    };
}

/// Declares the settings of an environment or a run: [`params!`](crate::params!) without levels, with a default next
/// to each field.
///
/// ```
/// kit::settings! {
///     pub struct WalkSettings {
///         /// Steps after which a walk is cut off.
///         max_steps: u32 [1..=100] = 8,
///         /// Whether it may cross itself.
///         crossing: bool = false,
///     }
/// }
/// ```
#[macro_export]
macro_rules! settings {
    (
        $(#[doc = $about:literal])*
        $vis:vis struct $name:ident {
            $($(#[doc = $doc:literal])* $field_vis:vis $field:ident : $type:ty $([$($limits:tt)*])? = $default:expr),*
            $(,)?
        }
        $($rest:tt)*
    ) => {
        $crate::params! {
            $(#[doc = $about])*
            $vis struct $name {
                $($(#[doc = $doc])* $field_vis $field: $type $([$($limits)*])?),*
            }
            default ($($default),*)
            $($rest)*
        }
    };
}

/// The JSON schema of a field's type.
pub fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    T::json_schema(generator)
}

/// A field's value.
pub fn value<T: Serialize>(field: &T) -> Value {
    serde_json::to_value(field).expect("params serialise")
}

/// Reads the value of a field.
pub fn read_value<T: DeserializeOwned>(
    name: &str,
    values: &mut dyn Iterator<Item = Value>,
) -> Result<T, String> {
    let value = values.next().expect("every field has a value");
    json::read(&value.to_string()).map_err(|error| error.inside(name).about_field())
}

/// The JSON schema of `P`, with the default of every field.
pub fn schema<P: Params>() -> Value {
    described(P::NAME, P::DOC, P::FIELDS, P::default().values(), !P::LEVELS.is_empty())
}

fn described(title: &str, about: &str, fields: &[Field], defaults: Vec<Value>, levelled: bool) -> Value {
    let settings = || SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
    let properties = fields.iter().zip(defaults).map(|(field, default)| {
        let Limits { min, max, choices, role, .. } = field.limits;
        let mut schema = (field.schema)(&mut settings().into_generator());
        let added = [
            ("description", Some(prose(field.about).into())),
            ("minimum", min.map(number)),
            ("maximum", max.map(number)),
            ("enum", (!choices.is_empty()).then(|| choices.into())),
            ("role", role.or(levelled.then_some("difficulty")).map(Value::from)),
            ("default", Some(default)),
        ];
        for (key, value) in added.into_iter().filter_map(|(key, value)| Some((key, value?))) {
            schema.insert(key.to_owned(), value);
        }
        (field.name.to_owned(), schema.to_value())
    });
    let mut schema = json!({
        "$schema": SchemaSettings::default().meta_schema,
        "additionalProperties": false,
        "properties": properties.collect::<Map<_, _>>(),
        "title": title,
        "type": "object",
    });
    if !about.is_empty() {
        schema["description"] = prose(about).into();
    }
    schema
}

/// A bound as it was written: an integer unless it has a fraction.
fn number(bound: f64) -> Value {
    if bound.fract() == 0.0 { (bound as i64).into() } else { bound.into() }
}

/// A doc comment as one text.
fn prose(about: &str) -> String {
    about.lines().map(str::trim).collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Turns a caller's JSON object into params. The error names the field, its value and its bounds.
pub fn parse<P: Params>(given: &Map<String, Value>, schema: &Value) -> Result<P, String> {
    check(given, schema)?;
    let value =
        |field: &Field| given.get(field.name).unwrap_or(&schema["properties"][field.name]["default"]).clone();
    let params = P::read(&mut P::FIELDS.iter().map(value))?;
    params.check().map(|()| params)
}

/// Checks that each field is known, of the right type and within the bounds of the schema.
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

/// The values that a field may have, where its schema lists them; `null` is one where the field is optional.
pub fn choices(field: &Value) -> Option<Vec<Value>> {
    if let Some(choices) = field["enum"].as_array() {
        return Some(choices.clone());
    }
    if let Some(constant) = field.get("const") {
        return Some(vec![constant.clone()]);
    }
    if field["type"] == "null" {
        return Some(vec![Value::Null]);
    }
    let variants = field["oneOf"].as_array().or(field["anyOf"].as_array())?;
    Some(variants.iter().map(choices).collect::<Option<Vec<_>>>()?.concat())
}

/// The error for a value that is none of several.
pub fn not_one_of(name: &str, value: &Value, choices: &[Value]) -> String {
    let shown = shortened(&value.to_string());
    let all: Vec<_> = choices.iter().map(Value::to_string).collect();
    let listed = match all.split_last() {
        Some((last, rest @ [_, ..])) => format!("{} or {last}", rest.join(", ")),
        _ => all.concat(),
    };
    let names: Vec<_> = choices.iter().filter_map(Value::as_str).collect();
    match value.as_str() {
        Some(given) if names.len() > 1 => match nearest(given, names) {
            Some(near) => format!("unknown {name} {shown}; did you mean \"{near}\"?"),
            None => format!("unknown {name} {shown}; choose {listed}"),
        },
        _ => format!("`{name}` is {shown}, but must be {listed}"),
    }
}

fn check_field(name: &str, value: &Value, field: &Value) -> Result<(), String> {
    let shown = shortened(&value.to_string());
    if let Some(choices) = choices(field) {
        if !choices.contains(value) {
            return Err(not_one_of(name, value, &choices));
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

/// A JSON value in a message, shortened if it is long.
pub fn shown(value: &Value) -> String {
    shortened(&value.to_string())
}

/// JSON with sorted keys and without defaults: a new param whose default keeps the behavior changes no task.
pub fn canonical(fields: &Map<String, Value>, schema: &Value) -> String {
    let is_set = |(name, value): &(&String, &Value)| schema["properties"][*name]["default"] != **value;
    let set: BTreeMap<_, _> = fields.iter().filter(is_set).collect();
    serde_json::to_string(&set).expect("params serialise")
}

/// The params as a JSON object.
pub fn fields<P: Params>(params: &P) -> Map<String, Value> {
    written(P::FIELDS, params.values(), P::default().values())
}

/// The params as a JSON object, without fields that are written only where they differ from their default.
pub fn plain<P: Params>(params: &P) -> Map<String, Value> {
    let all = P::FIELDS.iter().zip(params.values());
    all.filter(|(field, _)| !field.limits.if_set)
        .map(|(field, value)| (field.name.to_owned(), value))
        .collect()
}

fn written(fields: &[Field], values: Vec<Value>, defaults: Vec<Value>) -> Map<String, Value> {
    let all = fields.iter().zip(values).zip(defaults);
    let is_written =
        |((field, value), default): &((&Field, Value), Value)| !field.limits.if_set || value != default;
    all.filter(is_written).map(|((field, value), _)| (field.name.to_owned(), value)).collect()
}
