//! Tables of the settings of environments, for pages.

use crate::markdown::table as markdown;
use crate::param::{params, python_values};

/// Table of settings: name, default, and effect.
pub fn table(of: &str) -> String {
    let schema = reasonenv::settings::schema(of).expect("pages name settings that there are");
    let rows = params(schema).into_iter().map(|setting| {
        let default = python_values(&[setting.default]).concat();
        vec![format!("`{}`", setting.name), format!("`{default}`"), setting.doc]
    });
    markdown(&["setting", "default", "meaning"], rows)
}
