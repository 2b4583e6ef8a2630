//! Params from their JSON schema, for pages and for Python types.

use serde_json::Value;

pub struct Param {
    pub name: String,
    pub doc: String,
    pub role: String,
    pub default: Value,
    pub kind: Kind,
}

pub enum Kind {
    Integer(Bounds),
    Number(Bounds),
    Boolean,
    Text,
    Choice(Vec<Value>),
    List(Box<Kind>),
    Optional(Box<Kind>),
    /// Mapping from names to numbers.
    Numbers,
    /// Mapping from names to anything.
    Fields,
    /// Anything else that JSON can hold.
    Other,
}

#[derive(Default)]
pub struct Bounds {
    low: Option<Value>,
    high: Option<Value>,
}

/// Params of a family or game, in the order of their names.
pub fn params(schema: &Value) -> Vec<Param> {
    let properties = schema["properties"].as_object();
    let properties = properties.expect("the schema of a struct has properties");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    properties
        .iter()
        .map(|(name, field)| Param {
            name: name.clone(),
            doc: text(&field["description"]).replace('\n', " "),
            role: text(&field["role"]),
            default: field["default"].clone(),
            kind: Kind::read(field),
        })
        .collect()
}

impl Kind {
    fn read(field: &Value) -> Self {
        if let Some(choices) = field["enum"].as_array() {
            return Self::Choice(choices.clone());
        }
        let variants = field["oneOf"].as_array().or(field["anyOf"].as_array());
        if let Some(variants) = variants {
            return Self::read_variants(variants);
        }
        let bounds = || Bounds { low: field.get("minimum").cloned(), high: field.get("maximum").cloned() };
        let of_type = |kind: &str| match kind {
            "integer" => Self::Integer(bounds()),
            "number" => Self::Number(bounds()),
            "boolean" => Self::Boolean,
            "string" => Self::Text,
            "array" => Self::List(Box::new(Self::read(&field["items"]))),
            "object" if field.get("properties").is_some() => Self::Numbers,
            "object" => Self::Fields,
            _ => Self::Other,
        };
        match &field["type"] {
            Value::String(kind) => of_type(kind),
            Value::Array(kinds) => match kinds.as_slice() {
                [Value::String(kind), Value::String(null)] if null == "null" => {
                    Self::Optional(Box::new(of_type(kind)))
                }
                _ => Self::Other,
            },
            _ => Self::Other,
        }
    }

    /// Read a documented enum, which has one constant per variant; an optional one also has `null`.
    fn read_variants(variants: &[Value]) -> Self {
        if let [some, null] = variants
            && null["type"] == "null"
        {
            return match Self::read(some) {
                Self::Choice(choices) => Self::Choice([choices, vec![Value::Null]].concat()),
                other => Self::Optional(Box::new(other)),
            };
        }
        let choices = |variant: &Value| match variant.get("const") {
            Some(constant) => Some(vec![constant.clone()]),
            None => variant["enum"].as_array().cloned(),
        };
        let choices: Option<Vec<_>> = variants.iter().map(choices).collect();
        choices.map_or(Self::Other, |choices| Self::Choice(choices.concat()))
    }

    /// Type and range for a reader: `integer`, `2 to 50`.
    pub fn type_and_range(&self) -> (String, String) {
        let plain = |name: &str| (name.to_owned(), String::new());
        match self {
            Self::Integer(bounds) => ("integer".to_owned(), bounds.range()),
            Self::Number(bounds) => ("number".to_owned(), bounds.range()),
            Self::Boolean => plain("boolean"),
            Self::Text => plain("text"),
            Self::Choice(choices) => {
                let shown: Vec<_> = choices.iter().map(|choice| format!("`{choice}`")).collect();
                ("choice".to_owned(), shown.join(", "))
            }
            Self::List(item) => {
                let (kind, range) = item.type_and_range();
                (format!("list of {kind}"), range)
            }
            Self::Optional(inner) => {
                let (kind, range) = inner.type_and_range();
                (format!("{kind} or null"), range)
            }
            Self::Numbers | Self::Fields | Self::Other => plain("JSON"),
        }
    }

    /// Python type of a value, on one line.
    pub fn python(&self) -> String {
        match self {
            Self::Integer(_) => "int".to_owned(),
            Self::Number(_) => "float".to_owned(),
            Self::Boolean => "bool".to_owned(),
            Self::Text => "str".to_owned(),
            Self::Choice(choices) => format!("Literal[{}]", python_values(choices).join(", ")),
            Self::List(item) => format!("list[{}]", item.python()),
            Self::Optional(inner) => format!("{} | None", inner.python()),
            Self::Numbers => "Mapping[str, float]".to_owned(),
            Self::Fields => "dict[str, Any]".to_owned(),
            Self::Other => "object".to_owned(),
        }
    }

    /// The same type broken at its brackets, as `ruff format` does when a line is too long.
    pub fn python_opened(&self, indent: &str) -> String {
        let inner = format!("{indent}    ");
        match self {
            Self::Choice(choices) => {
                let choices = python_values(choices).join(&format!(",\n{inner}"));
                format!("Literal[\n{inner}{choices},\n{indent}]")
            }
            Self::List(item) => {
                format!("list[\n{inner}{}\n{indent}]", item.python_opened(&inner))
            }
            short => short.python(),
        }
    }
}

/// Values in Python's notation.
pub fn python_values(values: &[Value]) -> Vec<String> {
    let python = |value: &Value| match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        other => other.to_string(),
    };
    values.iter().map(python).collect()
}

impl Bounds {
    fn range(&self) -> String {
        match (&self.low, &self.high) {
            (Some(low), Some(high)) => format!("{low} to {high}"),
            (Some(low), None) => format!("{low} or more"),
            (None, Some(high)) => format!("{high} or less"),
            (None, None) => String::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_become_types() {
        for (schema, range, python) in [
            (json!({"type": "integer", "minimum": 2, "maximum": 9}), "2 to 9", "int"),
            (json!({"type": "integer", "minimum": 0}), "0 or more", "int"),
            (json!({"type": "boolean"}), "", "bool"),
            (json!({"type": "string", "enum": ["a", "b"]}), "`\"a\"`, `\"b\"`", "Literal[\"a\", \"b\"]"),
            (
                json!({"oneOf": [{"const": "a", "description": "?"}, {"enum": ["b"]}]}),
                "`\"a\"`, `\"b\"`",
                "Literal[\"a\", \"b\"]",
            ),
            (
                json!({"type": "array", "items": {"type": "number", "maximum": 1.5}}),
                "1.5 or less",
                "list[float]",
            ),
            (json!({"type": ["integer", "null"], "minimum": 1}), "1 or more", "int | None"),
            (
                json!({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}),
                "`\"a\"`, `null`",
                "Literal[\"a\", None]",
            ),
            (json!({"type": "object"}), "", "dict[str, Any]"),
        ] {
            let kind = Kind::read(&schema);
            assert_eq!(kind.type_and_range().1, range, "{schema}");
            assert_eq!(kind.python(), python, "{schema}");
        }
    }
}
