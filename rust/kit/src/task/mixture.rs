//! Several sources as one: each index has a task of one of them, drawn by weight.

use std::sync::Arc;

use crate::error::Error;
use crate::rng::Key;
use crate::task::item::Task;
use crate::task::source::Source;
use crate::task::split::Split;

/// Largest number of sources in a mixture.
pub const MOST_SOURCES: usize = 4_096;

/// Share of the largest weight, in which the others are counted.
const FINEST: f64 = (1u64 << 32) as f64;

/// Sources of one split, mixed by weight. The task at an index is that of the drawn source, under its own
/// name, so that it depends only on the mixture and the index.
pub struct Mixture {
    sources: Vec<Arc<Source>>,
    /// Relative frequency of each source.
    shares: Vec<u64>,
    pub seed: u64,
    key: Key,
}

impl Mixture {
    /// `weights` are finite, nonnegative and not all zero, one for each source; equal if omitted. The error
    /// names the field.
    pub fn new(sources: Vec<Arc<Source>>, weights: Option<&[f64]>, seed: u64) -> Result<Self, String> {
        let (count, most) = (sources.len(), MOST_SOURCES);
        let Some(first) = sources.first().filter(|_| count <= most) else {
            return Err(format!("`sources` has {count} entries, but must have between 1 and {most}"));
        };
        if let Some(at) = sources.iter().position(|source| source.split != first.split) {
            let (one, other) = (first.split.name(), sources[at].split.name());
            return Err(format!(
                "`sources[{at}]` is of the split {other}, but `sources[0]` is of {one}; a mixture has one split"
            ));
        }
        let equal = vec![1.0; count];
        let weights = weights.unwrap_or(&equal);
        if weights.len() != count {
            return Err(format!("{} `weights` for {count} `sources`; give one for each", weights.len()));
        }
        if let Some(at) = weights.iter().position(|weight| !weight.is_finite() || *weight < 0.0) {
            return Err(format!(
                "`weights[{at}]` is {}, but must be a finite number that is not negative",
                weights[at]
            ));
        }
        let largest = weights.iter().copied().fold(0.0, f64::max);
        if largest == 0.0 {
            return Err("`weights` are all 0, but one at least must be positive".to_owned());
        }
        // Division and rounding are exact by IEEE 754, so every platform has the same shares. A source with
        // any weight has a share.
        let share = |weight: &f64| ((weight / largest * FINEST).round() as u64).max(u64::from(*weight > 0.0));
        let shares: Vec<u64> = weights.iter().map(share).collect();
        let named: Vec<String> = sources
            .iter()
            .zip(&shares)
            .map(|(source, share)| format!("{} * {share}", source.name()))
            .collect();
        let key = Key::new("mixture", 1, first.split.name(), seed, &named.join("\n"));
        Ok(Self { sources, shares, seed, key })
    }

    pub fn sources(&self) -> &[Arc<Source>] {
        &self.sources
    }

    /// True if some source is of a Python-defined family.
    pub fn is_outside(&self) -> bool {
        self.sources.iter().any(|source| source.family.is_outside())
    }

    pub fn split(&self) -> Split {
        self.sources[0].split
    }

    /// The chance of each source, to the precision of the shares.
    pub fn weights(&self) -> Vec<f64> {
        let all = self.shares.iter().sum::<u64>() as f64;
        self.shares.iter().map(|share| *share as f64 / all).collect()
    }

    /// Index of the source that has the task at an index.
    pub fn drawn(&self, index: u64) -> usize {
        self.key.stream(index).weighted(&self.shares)
    }

    pub fn task(&self, index: u64) -> Result<Task, Error> {
        self.sources[self.drawn(index)].task(index)
    }
}
