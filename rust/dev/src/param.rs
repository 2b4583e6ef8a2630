//! Params as their JSON schema describes them, for Python types.

use serde_json::Value;

pub struct Param {
    pub name: String,
    pub doc: String,
    pub kind: Kind,
}

pub enum Kind {
    Integer,
    Number,
    Boolean,
    Text,
    Choice(Vec<Value>),
    List(Box<Kind>),
    Optional(Box<Kind>),
    /// Anything else that JSON holds.
    Other,
}

/// The params of a family or game, in the order of their names.
pub fn params(schema: &Value) -> Vec<Param> {
    let properties = schema["properties"].as_object();
    let properties = properties.expect("the schema of a struct has properties");
    properties
        .iter()
        .map(|(name, field)| Param {
            name: name.clone(),
            doc: field["description"].as_str().unwrap_or_default().replace('\n', " "),
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
        let of_type = |kind: &str| match kind {
            "integer" => Self::Integer,
            "number" => Self::Number,
            "boolean" => Self::Boolean,
            "string" => Self::Text,
            "array" => Self::List(Box::new(Self::read(&field["items"]))),
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

    /// Documented enums are one constant a variant; an optional one has `null` beside it.
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

    /// The Python type of a value, on one line.
    pub fn python(&self) -> String {
        match self {
            Self::Integer => "int".to_owned(),
            Self::Number => "float".to_owned(),
            Self::Boolean => "bool".to_owned(),
            Self::Text => "str".to_owned(),
            Self::Choice(choices) => format!("Literal[{}]", python_values(choices).join(", ")),
            Self::List(item) => format!("list[{}]", item.python()),
            Self::Optional(inner) => format!("{} | None", inner.python()),
            Self::Other => "object".to_owned(),
        }
    }

    /// The same type opened at its brackets, as `ruff format` has it when a line is too long.
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

fn python_values(values: &[Value]) -> Vec<String> {
    let python = |value: &Value| match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        other => other.to_string(),
    };
    values.iter().map(python).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_become_types() {
        for (schema, python) in [
            (json!({"type": "integer", "minimum": 2, "maximum": 9}), "int"),
            (json!({"type": "boolean"}), "bool"),
            (json!({"type": "string", "enum": ["a", "b"]}), "Literal[\"a\", \"b\"]"),
            (
                json!({"oneOf": [{"const": "a", "description": "?"}, {"enum": ["b"]}]}),
                "Literal[\"a\", \"b\"]",
            ),
            (json!({"type": "array", "items": {"type": "number", "maximum": 1.5}}), "list[float]"),
            (json!({"type": ["integer", "null"], "minimum": 1}), "int | None"),
            (json!({"anyOf": [{"enum": ["a"]}, {"type": "null"}]}), "Literal[\"a\", None]"),
            (json!({"type": "object"}), "object"),
        ] {
            assert_eq!(Kind::read(&schema).python(), python, "{schema}");
        }
    }
}
