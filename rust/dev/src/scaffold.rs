//! `cargo dev new` and `new-game`: a family or a game that works, to be turned into the one you mean.

use std::fs;
use std::io;
use std::path::Path;

use reasonenv::error::{quoted, unknown};

use crate::camel_case;

const FAMILIES: &str = "rust/core/src/families";
const GAMES: &str = "rust/core/src/games";

/// What the registries' lists begin with.
const FAMILY_LIST: &str = "FAMILIES: &[&dyn AnyFamily] = &[";
const GAME_LIST: &str = "GAMES: &[&dyn AnyGameFamily] = &[";

/// The smallest real game in a file of its own, which is copied.
const GAME: &str = "chomp";

/// A kind of family, and the smallest real one of it, which is copied.
const KINDS: [(&str, [&str; 2]); 4] = [
    ("number", ["arithmetic", "modular_arithmetic"]),
    ("constraint", ["arithmetic", "countdown"]),
    ("grid", ["puzzles", "futoshiki"]),
    ("derived", ["derived", "repair_solution"]),
];
const PLACEHOLDER: &str = "Say in one line what is asked.";

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("`{}` is not a {what}: lower-case words of a to z and digits, joined by _", quoted(name))]
    BadName { what: &'static str, name: String },
    #[error("`{0}` is a word of Rust; take another")]
    Keyword(String),
    #[error(transparent)]
    Unknown(#[from] reasonenv::error::Error),
    #[error("there is a {what} `{name}` already")]
    Taken { what: &'static str, name: String },
    #[error("{path}: {source}")]
    File { path: String, source: io::Error },
    #[error("{path}: no {what}, so the file is not in the shape this command edits")]
    Shape { path: String, what: &'static str },
}

/// Writes the family `name` of a kind into `domain` and registers it; returns the paths it touched.
pub fn new_family(root: &Path, kind: &str, domain: &str, name: &str) -> Result<Vec<String>, Error> {
    let kinds = KINDS.map(|(kind, _)| kind);
    let found = kinds.iter().position(|known| *known == kind);
    let (_, model) = KINDS[found.ok_or_else(|| unknown("kind of family", kind, &kinds))?];
    check_name("domain", domain)?;
    check_name("family name", name)?;
    let registry_path = format!("{FAMILIES}/mod.rs");
    let domain_path = format!("{FAMILIES}/{domain}/mod.rs");
    let family_path = format!("{FAMILIES}/{domain}/{name}.rs");
    let registry = read(root, &registry_path)?;
    if is_listed(&registry, FAMILY_LIST, name) || root.join(&family_path).exists() {
        return Err(Error::Taken { what: "family", name: name.to_owned() });
    }
    let text = read(root, &format!("{FAMILIES}/{}/{}.rs", model[0], model[1]))?;
    let renaming = Renaming::new(&text, model, domain, name);
    let mut files = vec![(family_path, renaming.apply(&text))];
    // Its engine, where it has one.
    let engine = format!("{FAMILIES}/{}/{}", model[0], model[1]);
    for entry in fs::read_dir(root.join(&engine)).into_iter().flatten().flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        let text = read(root, &format!("{engine}/{file}"))?;
        files.push((format!("{FAMILIES}/{domain}/{name}/{file}"), renaming.apply(&text)));
    }
    let (modules, registry) = if root.join(&domain_path).exists() {
        (read(root, &domain_path)?, registry)
    } else {
        (String::new(), with_line(&registry, "mod ", domain))
    };
    let modules = with_line(&modules, "pub(super) mod ", name);
    let entry = format!("&{domain}::{name}::{}", camel_case(name));
    let registry = registered(&registry, FAMILY_LIST, &entry)
        .ok_or_else(|| Error::Shape { path: registry_path.clone(), what: FAMILY_LIST })?;
    files.extend([(domain_path, modules), (registry_path, registry)]);
    write_all(root, files)
}

/// Writes the game `name` and registers it; returns the paths it touched.
pub fn new_game(root: &Path, name: &str) -> Result<Vec<String>, Error> {
    check_name("game name", name)?;
    let (registry_path, game_path) = (format!("{GAMES}/mod.rs"), format!("{GAMES}/{name}.rs"));
    let registry = read(root, &registry_path)?;
    if is_listed(&registry, GAME_LIST, name) || root.join(&game_path).exists() {
        return Err(Error::Taken { what: "game", name: name.to_owned() });
    }
    let text = read(root, &format!("{GAMES}/{GAME}.rs"))?;
    let copy = Renaming::of_game(&text, name).apply(&text);
    let entry = format!("&{name}::{}", camel_case(name));
    let registry = registered(&with_line(&registry, "mod ", name), GAME_LIST, &entry)
        .ok_or_else(|| Error::Shape { path: registry_path.clone(), what: GAME_LIST })?;
    write_all(root, vec![(game_path, copy), (registry_path, registry)])
}

fn write_all(root: &Path, files: Vec<(String, String)>) -> Result<Vec<String>, Error> {
    for (path, text) in &files {
        let full = root.join(path);
        let folder = full.parent().expect("a source file stands in a folder");
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&full, text))
            .map_err(|source| at(path, source))?;
    }
    Ok(files.into_iter().map(|(path, _)| path).collect())
}

fn check_name(what: &'static str, name: &str) -> Result<(), Error> {
    const KEYWORDS: [&str; 24] = [
        "as", "box", "break", "const", "continue", "crate", "do", "else", "enum", "extern", "false", "fn",
        "for", "if", "impl", "in", "loop", "match", "mod", "move", "static", "struct", "true", "type",
    ];
    let word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    if !name.starts_with(|first: char| first.is_ascii_lowercase()) || !name.split('_').all(word) {
        return Err(Error::BadName { what, name: name.to_owned() });
    }
    if KEYWORDS.contains(&name) {
        return Err(Error::Keyword(name.to_owned()));
    }
    Ok(())
}

fn read(root: &Path, path: &str) -> Result<String, Error> {
    fs::read_to_string(root.join(path)).map_err(|source| at(path, source))
}

fn at(path: &str, source: io::Error) -> Error {
    Error::File { path: path.to_owned(), source }
}

/// What a model's names become in the copy: as a first version, its summary left to be written.
struct Renaming {
    texts: Vec<(String, String)>,
    words: Vec<(String, String)>,
}

impl Renaming {
    /// The renaming of a model, whose file is `text`.
    fn new(text: &str, [model_domain, model]: [&str; 2], domain: &str, name: &str) -> Self {
        let between = |start: &str, end: &str| between(text, start, end);
        let summary = between("summary: \"", "\",").expect("the model has a summary");
        let problem = between("type Problem = ", ";").expect("the model has a problem");
        let about = format!("About::new(\"{model_domain}\", \"{model}\", ");
        let changes = between(&about, ")\n").expect("the model has its changes");
        let first = format!("About::new(\"{domain}\", \"{name}\", &[\"First version.\"])");
        let (camel, model_camel) = (camel_case(name), camel_case(model));
        Self {
            texts: vec![
                (format!("{about}{changes})"), first),
                (summary.to_owned(), PLACEHOLDER.to_owned()),
                (format!("\"{model}\""), format!("\"{name}\"")),
                (format!("families::{model_domain}::{model}::"), format!("families::{domain}::{name}::")),
            ],
            words: vec![
                (format!("{model_camel}Params"), format!("{camel}Params")),
                (model_camel, camel.clone()),
                (problem.to_owned(), format!("{camel}Problem")),
            ],
        }
    }

    /// The renaming of the game that is copied, whose file is `text`.
    fn of_game(text: &str, name: &str) -> Self {
        let summary = between(text, "summary: \"", "\",").expect("the model has a summary");
        let changes = between(text, "changes: &[", "],").expect("the model has its changes");
        let (camel, model) = (camel_case(name), camel_case(GAME));
        Self {
            texts: vec![
                (format!("changes: &[{changes}],"), "changes: &[\"First version.\"],".to_owned()),
                (summary.to_owned(), PLACEHOLDER.to_owned()),
                (format!("\"{GAME}\""), format!("\"{name}\"")),
            ],
            words: vec![(format!("{model}Params"), format!("{camel}Params")), (model, camel)],
        }
    }

    fn apply(&self, text: &str) -> String {
        let text = self.texts.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        self.words.iter().fold(text, |text, (from, to)| replace_word(&text, from, to))
    }
}

/// What stands between two marks.
fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let after = &text[text.find(start)? + start.len()..];
    Some(&after[..after.find(end)?])
}

/// Replaces a name where it is not part of a longer one.
fn replace_word(text: &str, word: &str, with: &str) -> String {
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, after) = (&rest[..at], &rest[at + word.len()..]);
        let whole = !before.ends_with(in_name) && !after.starts_with(in_name);
        out.push_str(before);
        out.push_str(if whole { with } else { word });
        rest = after;
    }
    out + rest
}

/// The text with a line `prefix name;` among those of its kind, in order.
fn with_line(text: &str, prefix: &str, name: &str) -> String {
    let new = format!("{prefix}{name};");
    let mut lines: Vec<&str> = text.lines().collect();
    let alike = |line: &&str| line.starts_with(prefix) && line.ends_with(';');
    let at = lines
        .iter()
        .position(|line| alike(line) && **line > *new)
        .or_else(|| lines.iter().rposition(alike).map(|last| last + 1))
        .unwrap_or(lines.len());
    lines.insert(at, &new);
    lines.join("\n") + "\n"
}

/// What stands before the entries of a registry's list, the entries, and what stands after them.
fn entries<'r>(registry: &'r str, list: &str) -> Option<(&'r str, Vec<&'r str>, &'r str)> {
    let start = registry.find(list)? + list.len();
    let end = start + registry[start..].find("];")?;
    let entries = registry[start..end].split(',').map(str::trim).filter(|entry| !entry.is_empty());
    Some((&registry[..start], entries.collect(), &registry[end..]))
}

/// The unit of an entry `&domain::family::Type` or `&game::Type`.
fn unit_of(entry: &str) -> &str {
    entry.rsplit("::").nth(1).unwrap_or(entry).trim_start_matches('&')
}

fn is_listed(registry: &str, list: &str, name: &str) -> bool {
    entries(registry, list).is_some_and(|(_, entries, _)| entries.iter().any(|entry| unit_of(entry) == name))
}

/// The registry with an entry more, in order.
fn registered(registry: &str, list: &str, new: &str) -> Option<String> {
    let (before, mut all, after) = entries(registry, list)?;
    let at = all.iter().position(|entry| unit_of(entry) > unit_of(new)).unwrap_or(all.len());
    all.insert(at, new);
    Some(format!("{before}\n    {},\n{after}", all.join(",\n    ")))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// A copy of the families, removed when dropped.
    struct Copy(PathBuf);

    impl Copy {
        fn new(name: &str) -> Self {
            let root = std::env::temp_dir().join(format!("reasonenv-{name}-{}", std::process::id()));
            let from = crate::root();
            let models =
                KINDS.map(|(_, [domain, name])| [format!("{domain}/mod.rs"), format!("{domain}/{name}.rs")]);
            for file in models.as_flattened().iter().map(String::as_str).chain(["mod.rs"]) {
                let path = root.join(FAMILIES).join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::copy(from.join(FAMILIES).join(file), path).unwrap();
            }
            for [domain, name] in KINDS.map(|(_, model)| model) {
                let engine = from.join(FAMILIES).join(domain).join(name);
                for entry in fs::read_dir(engine).into_iter().flatten().flatten() {
                    let to = root.join(FAMILIES).join(domain).join(name);
                    fs::create_dir_all(&to).unwrap();
                    fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
                }
            }
            for file in ["mod.rs", &format!("{GAME}.rs")] {
                fs::create_dir_all(root.join(GAMES)).unwrap();
                fs::copy(from.join(GAMES).join(file), root.join(GAMES).join(file)).unwrap();
            }
            Self(root)
        }

        fn read_game(&self, file: &str) -> String {
            fs::read_to_string(self.0.join(GAMES).join(file)).unwrap()
        }

        fn read(&self, file: &str) -> String {
            fs::read_to_string(self.0.join(FAMILIES).join(file)).unwrap()
        }
    }

    impl Drop for Copy {
        fn drop(&mut self) {
            drop(fs::remove_dir_all(&self.0));
        }
    }

    #[test]
    fn a_new_family_stands_in_its_domain_and_the_registry() {
        let copy = Copy::new("new");
        new_family(&copy.0, "number", "arithmetic", "abacus").unwrap();
        new_family(&copy.0, "grid", "zoology", "zoo_riddle").unwrap();
        new_family(&copy.0, "constraint", "arithmetic", "add_up").unwrap();
        new_family(&copy.0, "derived", "derived", "zoom_in").unwrap();

        assert!(copy.read("zoology/zoo_riddle/wording.rs").contains("ZooRiddleProblem"));
        let family = copy.read("zoology/zoo_riddle.rs");
        for there in [
            "pub struct ZooRiddle;",
            "pub struct ZooRiddleParams {",
            "pub struct ZooRiddleProblem {",
            "About::new(\"zoology\", \"zoo_riddle\", &[\"First version.\"])",
            "summary: \"Say in one line what is asked.\",",
        ] {
            assert!(family.contains(there), "no {there}");
        }
        for gone in ["\"futoshiki\"", "Futoshiki", "\"puzzles\""] {
            assert!(!family.contains(gone), "{gone} is left");
        }
        assert_eq!(copy.read("zoology/mod.rs"), "pub(super) mod zoo_riddle;\n");
        let arithmetic = copy.read("arithmetic/mod.rs");
        assert!(arithmetic.starts_with("pub(super) mod abacus;\npub(super) mod add_up;\n"), "{arithmetic}");

        let registry = copy.read("mod.rs");
        let (_, entries, _) = entries(&registry, FAMILY_LIST).unwrap();
        let names: Vec<_> = entries.iter().map(|entry| unit_of(entry)).collect();
        assert!(names.is_sorted() && names.contains(&"abacus"), "{names:?}");
        assert!(entries.contains(&"&zoology::zoo_riddle::ZooRiddle"), "{entries:?}");
        let modules: Vec<_> = registry.lines().filter(|line| line.starts_with("mod ")).collect();
        assert!(modules.is_sorted() && modules.contains(&"mod zoology;"), "{modules:?}");
    }

    #[test]
    fn a_new_game_stands_in_the_registry() {
        let copy = Copy::new("new-game");
        new_game(&copy.0, "lights_out").unwrap();
        new_game(&copy.0, "abalone").unwrap();
        let game = copy.read_game("lights_out.rs");
        for there in [
            "pub struct LightsOut;",
            "pub struct LightsOutParams {",
            "impl GameFamily for LightsOut {",
            "name: \"lights_out\",",
            "changes: &[\"First version.\"],",
            "summary: \"Say in one line what is asked.\",",
        ] {
            assert!(game.contains(there), "no {there}");
        }
        for gone in ["\"chomp\"", "Chomp"] {
            assert!(!game.contains(gone), "{gone} is left");
        }
        let registry = copy.read_game("mod.rs");
        let (_, entries, _) = entries(&registry, GAME_LIST).unwrap();
        let names: Vec<_> = entries.iter().map(|entry| unit_of(entry)).collect();
        assert!(names.is_sorted() && names.contains(&"lights_out"), "{names:?}");
        assert!(entries.contains(&"&abalone::Abalone"), "{entries:?}");
        assert!(registry.contains("\nmod abalone;\n") && registry.contains("\nmod lights_out;\n"));

        let before = copy.read_game("mod.rs");
        for name in ["chomp", "abalone", "tic_tac_toe", "Go", "go-moku", "", "loop", "mod"] {
            assert!(new_game(&copy.0, name).is_err(), "{name}");
        }
        assert_eq!(copy.read_game("mod.rs"), before);
        let error = new_game(&copy.0, "chomp").unwrap_err().to_string();
        assert_eq!(error, "there is a game `chomp` already");
    }

    #[test]
    fn bad_names_are_refused_and_nothing_is_written() {
        let copy = Copy::new("refused");
        let before = copy.read("mod.rs");
        for (domain, name) in [
            ("arithmetic", "chain_sum"),
            ("logic", "chain_sum"),
            ("arithmetic", "Zebra"),
            ("arithmetic", "zebra-puzzle"),
            ("arithmetic", "_zebra"),
            ("arithmetic", "zebra_"),
            ("arithmetic", "2048"),
            ("arithmetic", "../zebra"),
            ("arithmetic", ""),
            ("arithmetic", "match"),
            ("mod", "zebra"),
            ("Logic", "zebra"),
        ] {
            assert!(new_family(&copy.0, "number", domain, name).is_err(), "{domain} {name}");
        }
        assert!(new_family(&copy.0, "poem", "logic", "zebra").is_err());
        assert_eq!(copy.read("mod.rs"), before);
        let error = new_family(&copy.0, "number", "logic", "chain_sum").unwrap_err();
        assert_eq!(error.to_string(), "there is a family `chain_sum` already");
        let error = new_family(&copy.0, "number", "logic", "Zebra").unwrap_err().to_string();
        assert_eq!(error, "`Zebra` is not a family name: lower-case words of a to z and digits, joined by _");
    }
}
