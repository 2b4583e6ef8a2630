//! Every task family by name.

use kit::task::erased::{AnyFamily, FAMILIES, Family};

use crate::error::Error;
use crate::{aliases, games, verifiers};

/// One line per group. The lists are referenced, not copied: a copy would compile each family's code again.
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

/// Every built-in family, in alphabetical order.
pub fn all() -> &'static [Family] {
    FAMILIES
        .install(|| GROUPS.iter().flat_map(|group| group.iter()).map(|family| Family::new(*family)).collect())
}

/// Names of all families, in alphabetical order, including those added at run time.
pub fn names() -> Vec<&'static str> {
    all();
    FAMILIES.known().into_iter().map(Family::name).collect()
}

/// Finds a family by its name or an alias, including those added at run time.
pub fn find(name: &str) -> Result<&'static Family, Error> {
    all();
    FAMILIES.find(name).or_else(|_| {
        let known = names();
        if let Some(family) = aliases::resolved(aliases::FAMILIES, &known, name) {
            return FAMILIES.find(family);
        }
        let is_verifier = || verifiers::KINDS.iter().any(|kind| kind.about.name == name);
        let elsewhere =
            if games::find(name).is_ok() { Some("game") } else { is_verifier().then_some("verifier") };
        Err(aliases::no_family(name, &known, elsewhere))
    })
}
