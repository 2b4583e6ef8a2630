//! Helpers that the contracts share.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};

use reasonenv::rng::{Key, Rng};
use reasonenv::task::batch::Batch;
use reasonenv::task::erased::Family;
use reasonenv::task::item::Task;
use reasonenv::task::source::Source;
use reasonenv::task::split::{Fingerprint, Split};
use reasonenv::task::verdict::Verdict;
use serde_json::Map;

/// The file of a family, for messages.
pub fn file(family: &Family) -> &'static str {
    family.about().file
}

pub fn source(family: &'static Family, level: u8, split: Split, seed: u64) -> Arc<Source> {
    Arc::new(Source::new(family, level, &Map::new(), split, seed, &Map::new()).unwrap())
}

pub fn batch(source: &Arc<Source>, indices: impl IntoIterator<Item = u64>) -> Batch {
    let indices: Vec<u64> = indices.into_iter().collect();
    Batch::generate(source, &indices, &AtomicBool::new(false)).unwrap()
}

/// The fingerprint that decides the split.
pub fn innermost(task: &Task) -> Fingerprint {
    task.innermost().fingerprint()
}

/// Number of tasks that are generated once for all contracts, as generating them is most of the work.
pub const DRAWN: u64 = 100;

/// The first tasks of a level.
pub fn tasks(family: &'static Family, level: u8, count: u64) -> impl Iterator<Item = Task> {
    type Level = Arc<OnceLock<Vec<Task>>>;
    static LEVELS: Mutex<BTreeMap<(&str, u8), Level>> = Mutex::new(BTreeMap::new());
    let draw = |count| batch(&source(family, level, Split::Train, 7), 0..count).tasks;
    let tasks = if count > DRAWN {
        draw(count)
    } else {
        let drawn = LEVELS.lock().unwrap().entry((family.name(), level)).or_default().clone();
        drawn.get_or_init(|| draw(DRAWN))[..count as usize].to_vec()
    };
    tasks.into_iter()
}

/// Number of tasks that a contract examines: `few` here, `many` in `make test-all`.
pub fn sample(few: u64, many: u64) -> u64 {
    if std::env::var_os("REASONENV_LADDER").is_some() { many } else { few }
}

/// Prints measurements, which `--nocapture` shows.
pub fn report(measured: &str) {
    if std::env::args().any(|argument| argument == "--nocapture") {
        println!("{measured}");
    }
}

/// A few tasks of every level.
pub fn all_tasks(family: &'static Family, per_level: u64) -> impl Iterator<Item = Task> {
    (0..=family.top_level()).flat_map(move |level| tasks(family, level, per_level))
}

pub fn rng(purpose: &str) -> Rng {
    Key::new(purpose, 1, "", 0, "").stream(0)
}

/// The invariants of any verdict.
pub fn check_verdict(task: &Task, verdict: &Verdict, text: &str) {
    let context = || format!("{}: {} on {text:?}: {verdict:?}", file(task.family), task.id());
    assert!((0.0..=1.0).contains(&verdict.score), "{}", context());
    assert_eq!(verdict.passed, verdict.score == 1.0, "{}", context());
    assert_eq!(verdict.passed, verdict.failures.is_empty(), "{}", context());
    assert_eq!(verdict.passed, verdict.detail.is_empty(), "{}", context());
    assert!(verdict.detail.len() < 2_000, "{}", context());
    let declared = task.facts().parts.iter().map(|part| part.name);
    assert!(declared.eq(verdict.parts.iter().map(|(name, _)| *name)), "{}", context());
    assert!(verdict.parts.iter().all(|(_, value)| (0.0..=1.0).contains(value)), "{}", context());
    for failure in &verdict.failures {
        assert!(task.labels().any(|(name, _)| name == *failure), "undeclared label {failure}; {}", context());
    }
    if let Some(span) = &verdict.answer {
        assert!(text.get(span.clone()).is_some(), "{}", context());
    }
}

pub fn verify(task: &Task, text: &str) -> Verdict {
    let verdict = task.verify(text, None);
    check_verdict(task, &verdict, text);
    verdict
}
