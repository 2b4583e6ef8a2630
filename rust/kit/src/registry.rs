//! Named units of one kind: the built-in ones and those that a caller adds at run time.

use std::sync::OnceLock;

use arc_swap::ArcSwap;

use crate::error::{Error, unknown};

/// An entry of a registry.
pub trait Unit: Sync {
    /// "family" or "game".
    const KIND: &'static str;
    fn name(&self) -> &'static str;
    /// True if a caller added it, so that it may be replaced or removed.
    fn is_outside(&self) -> bool;
}

pub struct Registry<U: 'static> {
    built_in: OnceLock<Vec<U>>,
    /// Read without a lock: a fork may happen while any other thread holds one.
    added: OnceLock<ArcSwap<Vec<&'static U>>>,
}

impl<U: Unit> Registry<U> {
    pub const fn new() -> Self {
        Self { built_in: OnceLock::new(), added: OnceLock::new() }
    }

    /// The built-in units, alphabetical; `units` lists them the first time.
    pub fn install(&self, units: impl FnOnce() -> Vec<U>) -> &[U] {
        self.built_in.get_or_init(|| {
            let mut units = units();
            units.sort_by_key(Unit::name);
            assert!(
                units.is_sorted_by(|a, b| a.name() < b.name()),
                "every {} has a name of its own",
                U::KIND
            );
            units
        })
    }

    /// Adds a unit for the rest of the process. With `replace`, it takes the place of a unit added earlier
    /// under the same name, which its holders keep.
    pub fn add(&self, unit: U, replace: bool) -> Result<&'static U, Error> {
        let (name, kind) = (unit.name(), U::KIND);
        let taken = |message| Err(Error::Unsupported { family: name, message });
        match self.find(name) {
            Ok(known) if !known.is_outside() => {
                return taken(format!("a built-in {kind} has this name; choose another"));
            }
            Ok(_) if !replace => {
                return taken(format!(
                    "a {kind} of this name is registered already; pass `replace=True` to put this one there"
                ));
            }
            _ => {}
        }
        let unit: &'static U = Box::leak(Box::new(unit));
        self.added().rcu(|known| others(known, name).chain([unit]).collect::<Vec<_>>());
        Ok(unit)
    }

    /// Removes an added unit, which its holders keep.
    pub fn remove(&self, name: &str) -> Result<(), Error> {
        let unit = self.find(name)?;
        if !unit.is_outside() {
            let message = format!("a built-in {} stays", U::KIND);
            return Err(Error::Unsupported { family: unit.name(), message });
        }
        self.added().rcu(|known| others(known, name).collect::<Vec<_>>());
        Ok(())
    }

    pub fn has_added(&self) -> bool {
        !self.added().load().is_empty()
    }

    /// Every unit, including the added ones, in alphabetical order.
    pub fn known(&'static self) -> Vec<&'static U> {
        let mut known: Vec<&U> = self.built_in().iter().chain(self.added().load().iter().copied()).collect();
        known.sort_by_key(|unit| unit.name());
        known
    }

    pub fn find(&self, name: &str) -> Result<&U, Error> {
        let built_in = self.built_in();
        let at = built_in.binary_search_by(|unit| unit.name().cmp(name));
        let found = at.ok().map(|at| &built_in[at]);
        let found = found.or_else(|| self.added().load().iter().find(|unit| unit.name() == name).copied());
        found.ok_or_else(|| {
            let added = self.added().load();
            let mut names: Vec<_> = built_in.iter().chain(added.iter().copied()).map(Unit::name).collect();
            names.sort_unstable();
            unknown(U::KIND, name, &names)
        })
    }

    fn built_in(&self) -> &[U] {
        self.built_in.get().expect("the built-in units are installed first")
    }

    fn added(&self) -> &ArcSwap<Vec<&'static U>> {
        self.added.get_or_init(ArcSwap::default)
    }
}

impl<U: Unit> Default for Registry<U> {
    fn default() -> Self {
        Self::new()
    }
}

fn others<'k, U: Unit>(
    known: &'k [&'static U],
    name: &'k str,
) -> impl Iterator<Item = &'static U> + use<'k, U> {
    known.iter().copied().filter(move |other| other.name() != name)
}
