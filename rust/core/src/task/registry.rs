//! Families by name: those of this crate, and any that a caller adds while running.

use std::sync::OnceLock;

use arc_swap::ArcSwap;

use crate::error::{Error, unknown};
use crate::task::erased::{AnyFamily, Family};

static BUILT_IN: OnceLock<Vec<Family>> = OnceLock::new();
/// Read without a lock: a fork may happen while any other thread holds one.
static ADDED: OnceLock<ArcSwap<Vec<&'static Family>>> = OnceLock::new();

/// Makes the families of a literal list known, once; `families::all` does it.
pub fn install(families: &[&'static dyn AnyFamily]) -> &'static [Family] {
    BUILT_IN.get_or_init(|| families.iter().map(|family| Family::new(*family)).collect())
}

/// Adds a family from outside this crate, for the rest of the process.
pub fn add(family: &'static dyn AnyFamily) -> Result<&'static Family, Error> {
    let name = family.about().name;
    if find(name).is_ok() {
        let message = "there is a family of this name already".to_owned();
        return Err(Error::Unsupported { family: name, message });
    }
    let family: &'static Family = Box::leak(Box::new(Family::new(family)));
    added().rcu(|known| {
        let mut known = Vec::clone(known);
        known.push(family);
        known
    });
    Ok(family)
}

fn added() -> &'static ArcSwap<Vec<&'static Family>> {
    ADDED.get_or_init(ArcSwap::default)
}

/// A family by name.
pub fn find(name: &str) -> Result<&'static Family, Error> {
    let built_in = BUILT_IN.get().expect("`families::all` or `families::find` is called first");
    let at = built_in.binary_search_by(|family| family.name().cmp(name));
    let found = at.ok().map(|at| &built_in[at]);
    let found = found.or_else(|| added().load().iter().find(|family| family.name() == name).copied());
    found.ok_or_else(|| {
        let added = added().load();
        let names: Vec<&str> = built_in.iter().chain(added.iter().copied()).map(Family::name).collect();
        unknown("family", name, &names)
    })
}
