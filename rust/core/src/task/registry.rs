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
    BUILT_IN.get_or_init(|| {
        let named: Vec<Family> = families.iter().map(|family| Family::new(*family)).collect();
        assert!(named.is_sorted_by_key(Family::name), "families are listed in the order of their names");
        named
    })
}

/// Adds a family from outside this crate, for the rest of the process; with `replace` in the place of one that was
/// added under this name before. What was drawn from that one keeps it.
pub fn add(family: &'static dyn AnyFamily, replace: bool) -> Result<&'static Family, Error> {
    let name = family.about().name;
    let taken = |message: &str| Err(Error::Unsupported { family: name, message: message.to_owned() });
    match find(name) {
        Ok(known) if !known.is_outside() => return taken("a built-in family has this name; choose another"),
        Ok(_) if !replace => {
            return taken(
                "a family of this name is registered already; pass `replace=True` to put this one there",
            );
        }
        _ => {}
    }
    let family: &'static Family = Box::leak(Box::new(Family::new(family)));
    added().rcu(|known| {
        let others = known.iter().copied().filter(|other| other.name() != name);
        others.chain([family]).collect::<Vec<_>>()
    });
    Ok(family)
}

/// Forgets a family that was added. What was drawn from it keeps it.
pub fn remove(name: &str) -> Result<(), Error> {
    let family = find(name)?;
    if !family.is_outside() {
        let message = "a built-in family stays".to_owned();
        return Err(Error::Unsupported { family: family.name(), message });
    }
    added().rcu(|known| {
        let others = known.iter().copied().filter(|other| other.name() != name);
        others.collect::<Vec<_>>()
    });
    Ok(())
}

/// Whether any family was added.
pub fn has_added() -> bool {
    !added().load().is_empty()
}

/// Every family, the added ones too, alphabetical.
pub fn known() -> Vec<&'static Family> {
    let mut known: Vec<&'static Family> = built_in().iter().chain(added().load().iter().copied()).collect();
    known.sort_by_key(|family| family.name());
    known
}

fn built_in() -> &'static [Family] {
    BUILT_IN.get().expect("`families::all` or `families::find` is called first")
}

fn added() -> &'static ArcSwap<Vec<&'static Family>> {
    ADDED.get_or_init(ArcSwap::default)
}

/// A family by name.
pub fn find(name: &str) -> Result<&'static Family, Error> {
    let built_in = built_in();
    let at = built_in.binary_search_by(|family| family.name().cmp(name));
    let found = at.ok().map(|at| &built_in[at]);
    let found = found.or_else(|| added().load().iter().find(|family| family.name() == name).copied());
    found.ok_or_else(|| {
        let names: Vec<&str> = known().into_iter().map(Family::name).collect();
        unknown("family", name, &names)
    })
}
