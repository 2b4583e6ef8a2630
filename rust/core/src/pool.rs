//! Our own thread pool, rebuilt after a fork: a forked child inherits no threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arc_swap::ArcSwapOption;
use rayon::{ThreadPool, ThreadPoolBuilder};

struct Pool {
    process: u32,
    threads: usize,
    workers: ThreadPool,
}

/// Read without a lock: a fork may happen while any other thread holds one.
static POOL: ArcSwapOption<Pool> = ArcSwapOption::const_empty();
/// Threads asked for; 0 means one per core.
static THREADS: AtomicUsize = AtomicUsize::new(0);

/// Runs `work` with `rayon` parallelism, in whatever process this is.
pub fn run<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    current().workers.install(work)
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
        // Its threads live in the parent; dropping it would wait for them for ever.
        std::mem::forget(old);
    }
    pool
}

/// The most threads that may be asked for.
pub const MOST_THREADS: usize = 1_024;

/// Uses `threads` threads from now on; 0 means one per core.
pub fn set_threads(threads: usize) {
    THREADS.store(threads, Ordering::Relaxed);
}

/// Threads in use.
pub fn threads() -> usize {
    current().workers.current_num_threads()
}
