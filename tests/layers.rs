//! Which folder of the core may import which. Arrows point down only, so there is no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use reasonenv::families;

/// Each layer with the layers it may import besides itself, lowest first. A layer imports only those above it in
/// this table, so there is no circle.
const LAYERS: [(&str, &[&str]); 17] = [
    ("foundations", &[]),
    ("shared", &["foundations"]),
    ("rules", &["foundations"]),
    ("task", &["foundations", "rules", "shared"]),
    ("verifiers", &["foundations", "shared", "task"]),
    ("families", &["foundations", "rules", "shared", "task"]),
    ("game::about", &[]),
    ("game::picture", &[]),
    ("game::value", &["foundations", "rules"]),
    ("game::game", &["foundations", "rules", "game::about", "game::picture", "game::value"]),
    ("game::solving", &["foundations", "rules", "game::value", "game::game"]),
    ("game::variant", &["foundations", "rules", "game::about", "game::value", "game::game"]),
    (
        "game::players",
        &[
            "foundations",
            "rules",
            "game::about",
            "game::picture",
            "game::value",
            "game::game",
            "game::variant",
            "game::solving",
        ],
    ),
    (
        "game::episode",
        &[
            "foundations",
            "rules",
            "task",
            "game::about",
            "game::value",
            "game::game",
            "game::variant",
            "game::players",
        ],
    ),
    (
        "game::erased",
        &[
            "foundations",
            "rules",
            "game::about",
            "game::value",
            "game::game",
            "game::solving",
            "game::variant",
            "game::players",
            "game::episode",
        ],
    ),
    (
        "game::prelude",
        &[
            "foundations",
            "rules",
            "task",
            "game::about",
            "game::picture",
            "game::value",
            "game::game",
            "game::solving",
        ],
    ),
    (
        "games",
        &[
            "foundations",
            "rules",
            "task",
            "game::value",
            "game::game",
            "game::solving",
            "game::variant",
            "game::erased",
            "game::prelude",
        ],
    ),
];

/// Modules that are one layer together.
const TOGETHER: [(&str, &[&str]); 4] = [
    ("foundations", &["budget", "error", "params", "pool", "rng"]),
    ("game::solving", &["game::exploit", "game::search", "game::solver_pool"]),
    ("game::variant", &["game::draws"]),
    ("game::players", &["game::arena", "game::opponent", "game::state", "game::tactics"]),
];

fn layer(module: &str) -> &str {
    let together = TOGETHER.iter().find(|(_, modules)| modules.contains(&module));
    together.map_or(module, |(layer, _)| layer)
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

/// The module at the start of a path, with the module in it for `game`, which is several layers.
fn module<'p>(mut path: impl Iterator<Item = &'p str>) -> String {
    let first = path.next().unwrap_or_default();
    match path.next() {
        Some(second) if first == "game" => format!("{first}::{second}"),
        _ => first.to_owned(),
    }
}

/// The crate's modules that a source names in a path, tests and comments left out.
fn imported(source: &str) -> BTreeSet<String> {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap();
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let paths = code.flat_map(|line| line.split("crate::").skip(1));
    paths
        .map(|path| path.split(|c: char| !c.is_ascii_lowercase() && c != '_' && c != ':').next().unwrap())
        .map(|path| module(path.split("::")))
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
        let inside = file.strip_prefix(root).unwrap().with_extension("");
        let from = module(inside.iter().map(|part| part.to_str().unwrap()));
        let is_prelude = from == "game::mod";
        let from = layer(if is_prelude { "game::prelude" } else { &from }).to_owned();
        let mut text = fs::read_to_string(&file).unwrap();
        if inside.parent() == Some(Path::new("game")) {
            // Beside each other stand files of several layers.
            text = text.replace("super::", "crate::game::");
        }
        for module in imported(&text) {
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
    let mut imports = imports();
    for (at, (from, allowed)) in LAYERS.into_iter().enumerate() {
        let before = |name: &&str| LAYERS[..at].iter().any(|(known, _)| known == name);
        assert!(allowed.iter().all(before), "{from} may import only what stands above it");
        // A layer that is misspelt here, or moved, would import nothing.
        assert!(allowed.is_empty() || imports.contains_key(from), "there is no layer {from}");
        for (to, file) in imports.remove(from).into_iter().flatten() {
            assert!(
                allowed.contains(&to.as_str()),
                "{} imports {to}, but {from} may import only {}",
                file.display(),
                allowed.join(", ")
            );
        }
    }
    imports.remove("lib");
    assert!(imports.is_empty(), "no layer of the table: {:?}", imports.keys());
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
