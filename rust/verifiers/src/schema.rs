//! JSON that a JSON Schema allows.
//!
//! The validator is our own because its work is counted in steps and its numbers are exact. The crate
//! `jsonschema` (0.60, 75 crates in all) reports reasons in time exponential in the depth of a text, counts
//! nothing, and compares numbers as floats.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use self::compile::Schema;
use super::{About, Example, Metric};
use kit::budget::{Budget, OverBudget};
use kit::shared::json::{Json, Unread};
use kit::task::answer::{Reading, unfenced};
use kit::task::verdict::{Failure, Graded, Pass, label};

mod check;
mod compile;
mod formats;

kit::params! {
    pub struct JsonSchemaValid {
        /// Schema of all rows; references are then ignored. Without it, each reference is a schema.
        schema: Option<Value>,
        /// Check `format` if its name is known.
        formats: bool,
    }
    default (None, true)
    check Self::consistent;
    beside compiled: OnceLock<Arc<Schema>> = OnceLock::new();
}

impl JsonSchemaValid {
    fn consistent(&self) -> Result<(), String> {
        let Some(schema) = &self.schema else { return Ok(()) };
        let compiled = self.compiled(&schema.to_string()).map_err(|must| format!("`schema` {must}"))?;
        _ = self.compiled.set(compiled);
        Ok(())
    }
}

impl JsonSchemaValid {
    /// Compiles a schema; the error says what it must be.
    fn compiled(&self, text: &str) -> Result<Arc<Schema>, String> {
        if text.len() > LONGEST_SCHEMA {
            return Err(format!("must be a schema of at most {LONGEST_SCHEMA} bytes"));
        }
        // Reading a text of this length takes no more steps than these.
        let mut budget = Budget::new(1 << 32);
        match Json::read(text, &mut budget) {
            Ok(json) => Schema::compile(&json, self.formats).map(Arc::new),
            Err(Unread::NotJson(told)) => Err(format!("must be a JSON Schema, and is no JSON: {told}")),
            Err(Unread::OverBudget) => Err("must have shorter numbers".into()),
        }
    }
}

/// Largest size of a schema in bytes.
const LONGEST_SCHEMA: usize = 1024 * 1024;

impl Metric for JsonSchemaValid {
    const ABOUT: About = About {
        name: "json_schema",
        summary: "JSON that a JSON Schema allows.",
        tag: Some("answer"),
        reading: Reading::Strict,
        example: Example { reference: r#"{"type": "integer", "maximum": 3}"#, right: "1", wrong: "4" },
    };

    type Reference<'a> = Arc<Schema>;

    fn reference(&self, text: &str, _: &mut Budget) -> Result<Arc<Schema>, String> {
        self.compiled.get().map_or_else(|| self.compiled(text), |schema| Ok(Arc::clone(schema)))
    }

    fn compare(&self, answer: &str, schema: &Arc<Schema>, budget: &mut Budget) -> Graded {
        let json = match Json::read(unfenced(answer), budget) {
            Ok(json) => json,
            Err(Unread::NotJson(told)) => {
                return Err(Failure::malformed(format!("the answer is not JSON: {told}")));
            }
            Err(Unread::OverBudget) => return Err(OverBudget.into()),
        };
        let valid = check::valid(schema, &json, budget)?;
        valid.map(|()| Pass::new()).map_err(|why| Failure::new(label::CONSTRAINT_VIOLATED, why))
    }
}

#[cfg(test)]
mod tests;
