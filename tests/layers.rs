//! Which folder of the core may import which. Arrows point down only, so there is no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use reasonenv::families;

/// Each layer with the layers it may import besides itself, lowest first.
const TASK_SIDE: [(&str, &[&str]); 5] = [
    ("foundations", &[]),
    ("shared", &["foundations"]),
    ("task", &["foundations", "play", "shared"]),
    ("verifiers", &["foundations", "shared", "task"]),
    ("families", &["foundations", "play", "shared", "task"]),
];

const FOUNDATIONS: [&str; 5] = ["budget", "error", "params", "pool", "rng"];

fn layer(module: &str) -> &str {
    if FOUNDATIONS.contains(&module) { "foundations" } else { module }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The crate's modules that a source names in a path, tests and comments left out.
fn imported(source: &str) -> BTreeSet<String> {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let paths = code.flat_map(|line| line.split("crate::").skip(1));
    paths
        .map(|path| path.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect::<String>())
        .filter(|module| !module.is_empty())
        .collect()
}

/// What each layer imports, and a file that does.
fn imports() -> BTreeMap<String, BTreeMap<String, PathBuf>> {
    let root = Path::new("rust/core/src");
    let mut files = Vec::new();
    sources(root, &mut files);
    let mut all = BTreeMap::<String, BTreeMap<String, PathBuf>>::new();
    for file in files {
        let inside = file.strip_prefix(root).unwrap();
        let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
        let from = layer(first.trim_end_matches(".rs")).to_owned();
        for module in imported(&fs::read_to_string(&file).unwrap()) {
            let to = layer(&module);
            if to != from {
                all.entry(from.clone()).or_default().insert(to.to_owned(), file.clone());
            }
        }
    }
    all
}

#[test]
fn folders_import_only_what_the_table_allows() {
    let imports = imports();
    for (from, allowed) in TASK_SIDE {
        // A layer that is misspelt here, or moved, would import nothing.
        assert!(from == "foundations" || imports.contains_key(from), "there is no layer {from}");
        for (to, file) in imports.get(from).into_iter().flatten() {
            assert!(
                allowed.contains(&to.as_str()),
                "{} imports {to}, but {from} may import only {}",
                file.display(),
                allowed.join(", ")
            );
        }
    }
}

#[test]
fn a_family_knows_no_other_family() {
    let root = Path::new("rust/core/src/families");
    let mut files = Vec::new();
    sources(root, &mut files);
    for file in files {
        let inside = file.strip_prefix(root).unwrap();
        let own: Vec<&str> =
            inside.iter().map(|part| part.to_str().unwrap().trim_end_matches(".rs")).collect();
        let text = fs::read_to_string(&file).unwrap();
        for path in text.split("crate::families::").skip(1) {
            let path: String =
                path.chars().take_while(|c| c.is_ascii_lowercase() || "_:".contains(*c)).collect();
            let named: Vec<&str> = path.trim_end_matches(':').split("::").collect();
            // A domain may share a file that is no family; a family's engine is its own.
            let same = own.iter().zip(&named).take_while(|(a, b)| a == b).count();
            let shared = same == 1 && families::find(named[1]).is_err();
            assert!(
                same >= 2 || shared,
                "{} imports crate::families::{path}, which is not its own",
                file.display()
            );
        }
    }
}
