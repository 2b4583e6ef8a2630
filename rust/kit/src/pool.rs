//! Our own thread pool, rebuilt after a fork: a forked child inherits no threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arc_swap::ArcSwapOption;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

struct Pool {
    process: u32,
    threads: usize,
    workers: ThreadPool,
}

/// Read without a lock: a fork may happen while any other thread holds one.
static POOL: ArcSwapOption<Pool> = ArcSwapOption::const_empty();
/// Requested number of threads; 0 means one per core.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Calls `work` with each of `0..count`, in any process; a thread takes at least `grain` of them at a time.
/// No call begins after `stop`.
///
/// Not generic: the machinery of a parallel loop is compiled once.
pub fn run_indexed(count: usize, grain: usize, stop: &AtomicBool, work: &(dyn Fn(usize) + Sync)) {
    let one = |i| {
        if !stop.load(Ordering::Relaxed) {
            work(i);
        }
    };
    current().workers.install(|| (0..count).into_par_iter().with_min_len(grain).for_each(one));
}

/// Results of `work` for each of `0..count`, in order, or `None` if `stop` ended it early.
pub fn collect<T: Send + Sync>(
    count: usize,
    grain: usize,
    stop: &AtomicBool,
    work: impl Fn(usize) -> T + Sync,
) -> Option<Vec<T>> {
    let made: Vec<OnceLock<T>> = cells(count);
    run_indexed(count, grain, stop, &|i| drop(made[i].set(work(i))));
    made.into_iter().map(OnceLock::into_inner).collect()
}

/// Cells for `count` values that threads fill in any order.
pub fn cells<T>(count: usize) -> Vec<OnceLock<T>> {
    std::iter::repeat_with(OnceLock::new).take(count).collect()
}

/// Hands each of `items` to `work`; starts no more after an error.
pub fn try_each<T: Send, E: Send>(items: Vec<T>, work: impl Fn(T) -> Result<(), E> + Sync) -> Result<(), E> {
    let items: Vec<Mutex<Option<T>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    let (stop, failed) = (AtomicBool::new(false), Mutex::new(None));
    run_indexed(items.len(), 1, &stop, &|i| {
        let item = items[i].lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Err(error) = work(item.expect("each item is handed out once")) {
            stop.store(true, Ordering::Relaxed);
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

fn current() -> Arc<Pool> {
    let here = std::process::id();
    let threads = THREADS.load(Ordering::Relaxed);
    if let Some(pool) = POOL.load_full()
        && pool.process == here
        && pool.threads == threads
    {
        return pool;
    }
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    let pool = Arc::new(Pool {
        process: here,
        threads,
        workers: builder.build().expect("the system can start threads"),
    });
    let old = POOL.swap(Some(pool.clone()));
    if old.as_ref().is_some_and(|old| old.process != here) {
        // Its threads exist only in the parent; dropping it would wait for them forever.
        std::mem::forget(old);
    }
    pool
}

/// Largest number of threads that may be requested.
pub const MOST_THREADS: usize = 1_024;

/// Sets the number of threads from now on; 0 means one per core.
pub fn set_threads(threads: usize) {
    THREADS.store(threads, Ordering::Relaxed);
}

/// Number of threads in use.
pub fn threads() -> usize {
    current().workers.current_num_threads()
}
