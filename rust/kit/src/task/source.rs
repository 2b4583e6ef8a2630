//! An endless source of tasks: params, split, seed and style fixed, the index free.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::rng::Key;
use crate::task::erased::{Configured, Family, Instance};
use crate::task::split::Split;
use crate::task::style::{self, Style, StyleChoice};

/// Problems drawn before a split of a tiny family counts as exhausted.
const REDRAWS: u64 = 1_000;

/// Settings of the tasks to generate, apart from their indices.
pub struct Source {
    pub family: &'static Family,
    pub configured: Configured,
    pub split: Split,
    pub seed: u64,
    pub style: StyleChoice,
    /// Templates that the split may show.
    shown: Vec<usize>,
    key: Key,
    wording: Key,
}

impl Source {
    /// A level's params with some fields from the caller; level 0 by default.
    pub fn new(
        family: &'static Family,
        level: u8,
        params: &Map<String, Value>,
        split: Split,
        seed: u64,
        style: &Map<String, Value>,
    ) -> Result<Self, Error> {
        let fields = family.with_params(level, params)?;
        let style = StyleChoice::parse(style, family.name(), family.templates())?;
        style.check(split, family.name(), family.templates())?;
        let configured = family.configure(&fields)?;
        let about = family.about();
        let entering = format!("{}{}", configured.canonical, configured.depends_on);
        let key = Key::new(about.name, about.version(), split.name(), seed, &entering);
        Ok(Self {
            family,
            shown: style::shown(family.templates(), split),
            wording: key.derive("style"),
            key,
            configured,
            split,
            seed,
            style,
        })
    }

    /// The problem at an index: the first of its stream that falls in the split.
    pub fn instance(&self, index: u64) -> Result<Instance, Error> {
        let mut rng = self.key.stream(index);
        for _ in 0..REDRAWS {
            let instance = self.family.generate(&self.configured, Some(self.split), &mut rng)?;
            if instance.innermost().fingerprint().split() == self.split {
                return Ok(instance);
            }
        }
        Err(self.too_few_instances(index)?)
    }

    /// The wording of the task at an index.
    pub fn style(&self, index: u64) -> Style {
        self.style.draw(&self.shown, &mut self.wording.stream(index))
    }

    /// The settings in one line.
    pub fn name(&self) -> String {
        let about = self.family.about();
        let (canonical, split) = (&self.configured.canonical, self.split.name());
        format!("{} v{} {canonical} {split} seed {}", about.name, about.version(), self.seed)
    }

    /// The permanent id of a task in this style.
    pub fn id(&self, index: u64, style: &Style) -> String {
        let about = self.family.about();
        let mut hash = Sha256::new();
        hash.update(&self.configured.canonical);
        hash.update([0]);
        hash.update(style.to_json(self.family.templates()).to_string());
        let digest: [u8; 32] = hash.finalize().into();
        format!(
            "{}/v{}/{}/{}/{index}-{:08x}",
            about.name,
            about.version(),
            self.split.name(),
            self.seed,
            u32::from_be_bytes([digest[0], digest[1], digest[2], digest[3]]),
        )
    }

    /// The error for params whose few problems are all in other splits, with their number.
    fn too_few_instances(&self, index: u64) -> Result<Error, Error> {
        let about = self.family.about();
        let mut rng = self.key.stream(index);
        let mut seen = BTreeSet::new();
        for _ in 0..REDRAWS {
            let instance = self.family.generate(&self.configured, None, &mut rng)?;
            seen.insert(instance.innermost().fingerprint().key);
        }
        Ok(Error::SplitExhausted {
            family: about.name,
            params: self.configured.canonical.clone(),
            split: self.split.name(),
            instances: seen.len(),
            tries: REDRAWS,
        })
    }
}
