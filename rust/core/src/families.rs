//! Every task family by name.

use kit::task::erased::{AnyFamily, FAMILIES, Family};

use crate::error::Error;

/// A new group has its line here. Lists are referred to, not copied: a copy would compile each family's code again.
static GROUPS: &[&&[&dyn AnyFamily]] = &[
    &reasonenv_algorithms::FAMILIES,
    &reasonenv_code::FAMILIES,
    &reasonenv_derived::FAMILIES,
    &reasonenv_formatting::FAMILIES,
    &reasonenv_graphs::FAMILIES,
    &reasonenv_logic::FAMILIES,
    &reasonenv_mathematics::FAMILIES,
    &reasonenv_puzzles::FAMILIES,
    &reasonenv_text::FAMILIES,
];

/// Every built-in family, alphabetical.
pub fn all() -> &'static [Family] {
    FAMILIES
        .install(|| GROUPS.iter().flat_map(|group| group.iter()).map(|family| Family::new(*family)).collect())
}

/// A family by name, one that was added while running among them.
pub fn find(name: &str) -> Result<&'static Family, Error> {
    all();
    FAMILIES.find(name)
}
