//! One SHA-256 per level over many tasks, and per variant over many games: the bytes of a version, frozen.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use reasonenv::families;
use reasonenv::games;
use reasonenv::pool;
use reasonenv::task::batch::Batch;
use reasonenv::task::erased::Family;
use reasonenv::task::source::Source;
use reasonenv::task::split::Split;
use serde_json::Map;
use sha2::{Digest, Sha256};

use crate::{game, hex};

/// Tasks of each split under a digest: 200 in all, half of them for training.
const ITEMS: [(Split, u64); 3] = [(Split::Train, 100), (Split::Eval, 50), (Split::Test, 50)];

/// Number of seeds whose games are under a digest; fewer where replies take a search.
const MANY: u64 = 50;
const FEW: u64 = 3;

pub const HEADER: &str = "\
# The items of every version, frozen: SHA-256 over 200 records (100 train, 50 eval, 50 test; seed 0),
# each as one line of JSON with a line feed. A line changes only when its family's version does.
# Of games: SHA-256 over the starts of seeds 0 to 49 and the games that opponents play against themselves
# from there (seeds 0 to 2 where every reply takes a search).
";

/// Digests of all families and games, one line per level or variant: `family version level digest`.
/// Lines of units that aren't `wanted` are taken from `standing` where it has them.
pub fn render(standing: &str, wanted: &dyn Fn(&str) -> bool) -> String {
    let mut lines: Vec<(String, Box<dyn Fn() -> String + Sync>)> = Vec::new();
    for family in families::all() {
        let about = family.about();
        for level in 0..=family.top_level() {
            let line = format!("{} v{} level {level} ", about.name, about.version());
            lines.push((line, Box::new(move || digest(family, level))));
        }
    }
    for family in games::all() {
        let about = family.about();
        for variant in 0..about.variants.len() {
            let line = format!("{} v{} variant {variant} ", about.name, about.version());
            let played = move || game::played(&game::variant(family, variant), MANY, FEW).concat();
            lines.push((line, Box::new(move || hex(&Sha256::digest(played())))));
        }
    }
    let kept = |start: &str| {
        let name = start.split(' ').next().unwrap_or_default();
        let mut lines = standing.lines().filter(|_| !wanted(name));
        lines.find(|line| line.starts_with(start)).map(|line| format!("{line}\n"))
    };
    let kept: Vec<Option<String>> = lines.iter().map(|(start, _)| kept(start)).collect();
    let line = |at: usize| kept[at].clone().unwrap_or_else(|| format!("{}{}\n", lines[at].0, lines[at].1()));
    let lines = pool::collect(lines.len(), 1, &AtomicBool::new(false), line).expect("nothing stops it");
    HEADER.to_owned() + &lines.concat()
}

fn digest(family: &'static Family, level: u8) -> String {
    let mut hash = Sha256::new();
    for (split, count) in ITEMS {
        let source = Source::new(family, level, &Map::new(), split, 0, &Map::new());
        let records = source.and_then(|source| {
            let indices: Vec<u64> = (0..count).collect();
            let stop = &AtomicBool::new(false);
            let batch = Batch::generate(&Arc::new(source), &indices, stop)?;
            batch.column(stop, |task| format!("{}\n", task.to_json()))
        });
        let records = records.unwrap_or_else(|error| panic!("level {level} is the family's own: {error}"));
        hash.update(records.concat());
    }
    hex(&hash.finalize())
}

/// A family's version and the digest of each of its levels or variants.
type Versions<'a> = BTreeMap<&'a str, (u32, BTreeMap<String, &'a str>)>;

fn read(text: &str) -> Versions<'_> {
    let mut versions = Versions::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, version, kind @ ("level" | "variant"), part, digest] = words[..] else {
            continue;
        };
        let version = version.strip_prefix('v').and_then(|v| v.parse().ok());
        let entry = versions.entry(name).or_default();
        entry.0 = version.unwrap_or_default();
        entry.1.insert(format!("{kind} {part}"), digest);
    }
    versions
}

/// Reasons why `fresh` may not replace `standing`: tasks of a released version changed. One line per family.
pub fn broken_freezes(standing: &str, fresh: &str) -> Vec<String> {
    let (standing, fresh) = (read(standing), read(fresh));
    let mut broken = Vec::new();
    for (name, (version, levels)) in &standing {
        let Some((now, fresh_levels)) = fresh.get(name) else {
            continue;
        };
        if now < version {
            broken
                .push(format!("{name}: the version went back from {version} to {now}; `changes` only grows"));
        } else if now == version {
            let changed: Vec<&str> = levels
                .iter()
                .filter(|(level, digest)| fresh_levels.get(*level).is_some_and(|now| now != *digest))
                .map(|(level, _)| level.as_str())
                .collect();
            if !changed.is_empty() {
                broken.push(format!(
                    "{name}: items of version {version} changed ({}); \
                     append a line to its `changes` that says how",
                    changed.join(", ")
                ));
            }
        }
    }
    broken
}

#[cfg(test)]
mod tests {
    use super::*;

    const STANDING: &str = "# two levels\na v2 level 0 11\na v2 level 1 22\nb v1 level 0 33\n";

    #[test]
    fn a_versions_items_never_change() {
        let changed = STANDING.replace("a v2 level 1 22", "a v2 level 1 23");
        let broken = broken_freezes(STANDING, &changed);
        assert_eq!(broken.len(), 1);
        assert!(broken[0].starts_with("a: items of version 2 changed (level 1); append"));
        let back = STANDING.replace("a v2", "a v1");
        assert!(broken_freezes(STANDING, &back)[0].contains("went back from 2 to 1"));
    }

    #[test]
    fn new_versions_levels_and_families_are_free() {
        let fresh = "a v3 level 0 12\na v3 level 1 13\nb v1 level 0 33\nb v1 level 1 44\nc v1 level 0 5\n";
        assert_eq!(broken_freezes(STANDING, fresh), [""; 0]);
        assert_eq!(broken_freezes("", STANDING), [""; 0]);
        assert_eq!(broken_freezes(STANDING, ""), [""; 0]);
    }
}
