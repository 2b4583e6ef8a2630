//! Tasks of any families, in order, made and judged in parallel.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::error::Error;
use crate::pool;
use crate::task::answer::Reading;
use crate::task::item::Task;
use crate::task::source::Source;
use crate::task::verdict::Verdict;

/// Smaller requests run on the caller's thread: entering the pool costs about 10 µs.
const GRAIN: usize = 64;

/// The most items of one batch.
pub const MOST_ITEMS: usize = 10_000_000;

/// Tasks in order, of any families.
#[derive(Clone, Default)]
pub struct Batch {
    pub tasks: Vec<Task>,
}

impl Batch {
    /// Makes the items of a source at `indices`; `stop` ends it early with [`Error::Interrupted`].
    pub fn generate(source: &Arc<Source>, indices: &[u64], stop: &AtomicBool) -> Result<Self, Error> {
        Self::make(|index| source.task(index), indices, stop)
    }

    /// [`Batch::generate`] of what has a task at each index.
    pub fn make(
        task: impl Fn(u64) -> Result<Task, Error> + Sync,
        indices: &[u64],
        stop: &AtomicBool,
    ) -> Result<Self, Error> {
        let made = for_all(indices.len(), stop, |i| task(indices[i]))?;
        Ok(Self { tasks: made.into_iter().collect::<Result<_, _>>()? })
    }

    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// What `column` gives for each task, in order, made in parallel.
    pub fn column<T: Send>(
        &self,
        stop: &AtomicBool,
        column: impl Fn(&Task) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        for_all(self.len(), stop, |i| column(&self.tasks[i]))
    }

    /// Judges one completion per item, in order.
    pub fn verify(
        &self,
        texts: &[&str],
        reading: Option<Reading>,
        stop: &AtomicBool,
    ) -> Result<Vec<Verdict>, Error> {
        assert_eq!(texts.len(), self.len(), "one completion per item");
        for_all(texts.len(), stop, |i| self.tasks[i].verify(texts[i], reading))
    }
}

/// Runs `work` for `0..count`, in the pool when that pays.
pub fn for_all<T: Send>(
    count: usize,
    stop: &AtomicBool,
    work: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, Error> {
    let one = |i| (!stop.load(Ordering::Relaxed)).then(|| work(i));
    let done: Option<Vec<T>> = if count < GRAIN {
        (0..count).map(one).collect()
    } else {
        // Each value is written where it stays; collecting options at once would join many short vectors.
        let all: Vec<Option<T>> =
            pool::run(|| (0..count).into_par_iter().with_min_len(GRAIN / 4).map(one).collect());
        all.into_iter().collect()
    };
    done.ok_or(Error::Interrupted)
}
