//! Tasks of any families, in order, generated and verified in parallel.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::error::Error;
use crate::pool;
use crate::task::answer::{Reading, StopTokens};
use crate::task::erased::FAMILIES;
use crate::task::item::Task;
use crate::task::mixture::Mixture;
use crate::task::source::Source;
use crate::task::verdict::Verdict;

/// Smaller requests run on the caller's thread: entering the pool costs about 10 µs.
const GRAIN: usize = 64;

/// Largest number of tasks in one batch.
pub const MOST_ITEMS: usize = 10_000_000;

/// Tasks in order, of any families.
#[derive(Clone, Default)]
pub struct Batch {
    pub tasks: Vec<Task>,
}

impl Batch {
    /// Generates the tasks of a source at `indices`; `stop` ends it early with [`Error::Interrupted`].
    pub fn generate(source: &Arc<Source>, indices: &[u64], stop: &AtomicBool) -> Result<Self, Error> {
        let task = |i: usize| source.task(indices[i]);
        let made = if source.family.is_outside() {
            for_all_here(indices.len(), stop, task)?
        } else {
            for_all(indices.len(), stop, task)?
        };
        Ok(Self { tasks: made.into_iter().collect::<Result<_, _>>()? })
    }

    /// Generates the tasks of a mixture at `indices`, like [`Batch::generate`] for a source.
    pub fn mix(mixture: &Mixture, indices: &[u64], stop: &AtomicBool) -> Result<Self, Error> {
        let drawn: Vec<usize> = indices.iter().map(|index| mixture.drawn(*index)).collect();
        let task = |i: usize| mixture.sources()[drawn[i]].task(indices[i]);
        let made = if mixture.is_outside() {
            for_all_here(indices.len(), stop, task)?
        } else {
            for_all_by(|i| drawn[i], |_| (), indices.len(), stop, task)?
        };
        Ok(Self { tasks: made.into_iter().collect::<Result<_, _>>()? })
    }

    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// True if some task is of a Python-defined family, so that all work runs on the caller's thread.
    pub fn is_outside(&self) -> bool {
        FAMILIES.has_added() && self.tasks.iter().any(|task| task.family.is_outside())
    }

    /// Results of `column` for each task, in order, computed in parallel.
    pub fn column<T: Send + Sync>(
        &self,
        stop: &AtomicBool,
        column: impl Fn(&Task) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        let one = |i: usize| column(&self.tasks[i]);
        if self.is_outside() { for_all_here(self.len(), stop, one) } else { for_all(self.len(), stop, one) }
    }

    /// Verifies one completion per task, in order.
    pub fn verify<S: AsRef<str> + Sync>(
        &self,
        texts: &[S],
        reading: Option<Reading>,
        stop_tokens: &StopTokens,
        stop: &AtomicBool,
    ) -> Result<Vec<Verdict>, Error> {
        assert_eq!(texts.len(), self.len(), "one completion per item");
        // Each family has a single address.
        let family = |i: usize| std::ptr::from_ref(self.tasks[i].family).addr();
        let fetch = |i: usize| fetch(texts[i].as_ref(), &self.tasks[i]);
        let judge = |i: usize| self.tasks[i].verify_until(texts[i].as_ref(), reading, stop_tokens);
        if self.is_outside() {
            return for_all_here(texts.len(), stop, judge);
        }
        for_all_by(family, fetch, texts.len(), stop, judge)
    }
}

/// Runs `work` for `0..count` in order on the caller's thread.
pub fn for_all_here<T>(count: usize, stop: &AtomicBool, work: impl Fn(usize) -> T) -> Result<Vec<T>, Error> {
    let one = |i| (!stop.load(Ordering::Relaxed)).then(|| work(i));
    (0..count).map(one).collect::<Option<_>>().ok_or(Error::Interrupted)
}

/// Runs `work` for `0..count`, in the pool when that pays.
pub fn for_all<T: Send + Sync>(
    count: usize,
    stop: &AtomicBool,
    work: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, Error> {
    if count < GRAIN {
        return for_all_here(count, stop, work);
    }
    pool::collect(count, GRAIN / 4, stop, work).ok_or(Error::Interrupted)
}

/// Reads a row's memory, so that it is cached when the row is verified.
fn fetch(text: &str, task: &Task) {
    let seen = text.as_bytes().iter().step_by(64).take(16).fold(0, |all, byte| all ^ byte);
    std::hint::black_box((seen, Arc::strong_count(&task.problem)));
}

/// Rows that fit into the cache of a core with their tasks, texts and values.
const WINDOW: usize = 1024;

/// [`for_all`] that handles the rows of one kind within each [`WINDOW`] one after another, so that their code
/// and its branches are well predicted.
///
/// Rows of one kind are not adjacent, so the processor does not prefetch them. `fetch` is called for a
/// window's rows in order, before any work: no fetch waits for another, so many are under way at once.
pub fn for_all_by<K: Ord, T: Send + Sync>(
    kind: impl Fn(usize) -> K + Sync,
    fetch: impl Fn(usize) + Sync,
    count: usize,
    stop: &AtomicBool,
    work: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, Error> {
    if (1..count).all(|i| kind(i) == kind(0)) {
        return for_all(count, stop, work);
    }
    // Cells that are not computed yet, or never will be after `stop`, are empty.
    let all: Vec<OnceLock<T>> = pool::cells(count);
    // Few rows are split among several threads.
    let threads = pool::threads();
    let size = if threads == 1 { WINDOW } else { (count / (4 * threads)).clamp(GRAIN, WINDOW) };
    let window = |at: usize| {
        let rows = at * size..count.min((at + 1) * size);
        rows.clone().for_each(&fetch);
        for i in by_kind(rows, &kind) {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            drop(all[i].set(work(i)));
        }
    };
    let windows = count.div_ceil(size);
    if count < GRAIN {
        (0..windows).for_each(window);
    } else {
        pool::run_indexed(windows, 1, stop, &window);
    }
    all.into_iter().map(OnceLock::into_inner).collect::<Option<_>>().ok_or(Error::Interrupted)
}

/// Rows grouped by kind.
fn by_kind<K: Ord>(rows: Range<usize>, kind: impl Fn(usize) -> K) -> Vec<usize> {
    let mut kinds: Vec<(K, Vec<usize>)> = Vec::new();
    for i in rows {
        let kind = kind(i);
        let at = kinds.binary_search_by(|(known, _)| known.cmp(&kind)).unwrap_or_else(|at| {
            kinds.insert(at, (kind, Vec::new()));
            at
        });
        kinds[at].1.push(i);
    }
    kinds.into_iter().flat_map(|(_, rows)| rows).collect()
}
