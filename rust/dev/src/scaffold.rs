//! `cargo dev new` and `new-game`: a copy of a working family or game, to be turned into the one you mean.

use std::fs;
use std::io;
use std::path::Path;

use reasonenv::error::{quoted, unknown};
use reasonenv::families;

use crate::camel_case;

const GAMES: &str = "rust/games/src";

/// Openings of the registries' lists.
const FAMILY_LIST: &str = "FAMILIES: &[&dyn AnyFamily] = &[";
const GAME_LIST: &str = "GAMES: &[&dyn AnyGameFamily] = &[";

/// The smallest real game in a single file, which is copied.
const GAME: &str = "chomp";

/// Kinds of families, each with its smallest real family, which is copied.
const KINDS: [(&str, &str); 5] = [
    ("number", "modular_arithmetic"),
    ("constraint", "countdown"),
    ("grid", "skyscrapers"),
    ("plan", "maze"),
    ("derived", "repair_solution"),
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
    #[error("no family is in the domain `{0}`; name the crate of a new one, such as GROUP=puzzles")]
    NewDomain(String),
    #[error("{path}: no {what}, so the file is not in the shape this command edits")]
    Shape { path: String, what: &'static str },
}

/// Folder of the crate that holds a domain, or of the crate for a new one.
fn crate_of(domain: &str, group: Option<&str>) -> Result<String, Error> {
    let folder = match (families::all().iter().find(|family| family.about().domain == domain), group) {
        (Some(family), None) => parent(family.about().file),
        (None, Some(group)) => format!("rust/families/{group}/src"),
        (None, None) => return Err(Error::NewDomain(domain.to_owned())),
        (Some(_), Some(_)) => return Err(Error::Taken { what: "domain", name: domain.to_owned() }),
    };
    Ok(folder)
}

fn parent(file: &str) -> String {
    file.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned()
}

/// Writes the family `name` of a kind and registers it in the crate of its domain; returns the paths it touched.
pub fn new_family(
    root: &Path,
    kind: &str,
    domain: &str,
    group: Option<&str>,
    name: &str,
) -> Result<Vec<String>, Error> {
    let kinds = KINDS.map(|(kind, _)| kind);
    let found = kinds.iter().position(|known| *known == kind);
    let (_, model) = KINDS[found.ok_or_else(|| unknown("kind of family", kind, &kinds))?];
    check_name("domain", domain)?;
    check_name("family name", name)?;
    let folder = crate_of(domain, group)?;
    let (registry_path, family_path) = (format!("{folder}/lib.rs"), format!("{folder}/{name}.rs"));
    if families::find(name).is_ok() || root.join(&family_path).exists() {
        return Err(Error::Taken { what: "family", name: name.to_owned() });
    }
    let registry = read(root, &registry_path)?;
    let model = families::find(model)?.about();
    let text = read(root, model.file)?;
    let renaming = Renaming::new(&text, [model.domain, model.name], domain, name);
    let entry = format!("&{name}::{}", camel_case(name));
    let registry = registered(&with_line(&registry, "mod ", name), FAMILY_LIST, &entry)
        .ok_or_else(|| Error::Shape { path: registry_path.clone(), what: FAMILY_LIST })?;
    write_all(root, vec![(family_path, renaming.apply(&text)), (registry_path, registry)])
}

/// Writes the game `name` and registers it; returns the paths it touched.
pub fn new_game(root: &Path, name: &str) -> Result<Vec<String>, Error> {
    check_name("game name", name)?;
    let (registry_path, game_path) = (format!("{GAMES}/lib.rs"), format!("{GAMES}/{name}.rs"));
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

/// Replacements that turn the model's names into the copy's, at its first version and with an empty summary.
struct Renaming {
    texts: Vec<(String, String)>,
    words: Vec<(String, String)>,
}

impl Renaming {
    /// The renaming of a model with the source `text`.
    fn new(text: &str, [model_domain, model]: [&str; 2], domain: &str, name: &str) -> Self {
        let between = |start: &str, end: &str| between(text, start, end);
        let summary = between("summary: \"", "\",").expect("the model has a summary");
        let problem = between("type Problem = ", ";").expect("the model has a problem");
        // An archetype wraps the model's own problem: `Plan<Walls>`.
        let problem = problem.split_once('<').map_or(problem, |(_, own)| own.trim_end_matches('>'));
        // `About::new`, or the facts that follow from a shape: `Latin::<Block>::about`.
        let about = format!("(\"{model_domain}\", \"{model}\", ");
        let changes = between(&about, ")\n").expect("the model has its changes");
        let first = format!("(\"{domain}\", \"{name}\", &[\"First version.\"])");
        let (camel, model_camel) = (camel_case(name), camel_case(model));
        Self {
            texts: vec![
                (format!("{about}{changes})"), first),
                (summary.to_owned(), PLACEHOLDER.to_owned()),
                (format!("\"{model}\""), format!("\"{name}\"")),
            ],
            words: vec![
                (format!("{model_camel}Params"), format!("{camel}Params")),
                (model_camel, camel.clone()),
                (problem.to_owned(), format!("{camel}Problem")),
            ],
        }
    }

    /// The renaming of the copied game with the source `text`.
    fn of_game(text: &str, name: &str) -> Self {
        let summary = between(text, "summary: \"", "\",").expect("the model has a summary");
        let about = format!("About::new(\"{GAME}\", ");
        let changes = between(text, &about, ")\n").expect("the model has its changes");
        let first = format!("About::new(\"{name}\", &[\"First version.\"])");
        let (camel, model) = (camel_case(name), camel_case(GAME));
        Self {
            texts: vec![
                (format!("{about}{changes})"), first),
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

/// The text between two marks.
fn between<'t>(text: &'t str, start: &str, end: &str) -> Option<&'t str> {
    let after = &text[text.find(start)? + start.len()..];
    Some(&after[..after.find(end)?])
}

/// Replaces a name unless it is part of a longer one.
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

/// The text with a line `prefix name;` added to those of its kind, in order.
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

/// The text before the entries of a registry's list, the entries, and the text after them.
fn entries<'r>(registry: &'r str, list: &str) -> Option<(&'r str, Vec<&'r str>, &'r str)> {
    let start = registry.find(list)? + list.len();
    let end = start + registry[start..].find("];")?;
    let entries = registry[start..end].split(',').map(str::trim).filter(|entry| !entry.is_empty());
    Some((&registry[..start], entries.collect(), &registry[end..]))
}

/// The unit of an entry `&unit::Type`.
fn unit_of(entry: &str) -> &str {
    entry.rsplit("::").nth(1).unwrap_or(entry).trim_start_matches('&')
}

fn is_listed(registry: &str, list: &str, name: &str) -> bool {
    entries(registry, list).is_some_and(|(_, entries, _)| entries.iter().any(|entry| unit_of(entry) == name))
}

/// The registry with one more entry, in order.
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

    /// A copy of the crates that are read; removed when dropped.
    struct Copy(PathBuf);

    fn copied(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let (from, to) = (entry.as_ref().unwrap().path(), to.join(entry.unwrap().file_name()));
            if from.is_dir() {
                copied(&from, &to);
            } else {
                fs::copy(from, to).unwrap();
            }
        }
    }

    impl Copy {
        fn new(name: &str) -> Self {
            let root = std::env::temp_dir().join(format!("reasonenv-{name}-{}", std::process::id()));
            for folder in ["families/mathematics", "families/puzzles", "derived", "games"] {
                let folder = Path::new("rust").join(folder);
                copied(&crate::root().join(&folder), &root.join(&folder));
            }
            Self(root)
        }

        fn read(&self, file: &str) -> String {
            fs::read_to_string(self.0.join("rust").join(file)).unwrap()
        }
    }

    impl Drop for Copy {
        fn drop(&mut self) {
            drop(fs::remove_dir_all(&self.0));
        }
    }

    #[test]
    fn a_new_family_is_registered_in_the_crate_of_its_domain() {
        let copy = Copy::new("new");
        new_family(&copy.0, "number", "arithmetic", None, "abacus").unwrap();
        new_family(&copy.0, "grid", "zoology", Some("puzzles"), "zoo_riddle").unwrap();
        new_family(&copy.0, "plan", "puzzles", None, "slide").unwrap();
        new_family(&copy.0, "constraint", "arithmetic", None, "add_up").unwrap();
        new_family(&copy.0, "derived", "derived", None, "zoom_in").unwrap();

        let family = copy.read("families/puzzles/src/zoo_riddle.rs");
        for there in [
            "pub struct ZooRiddle;",
            "pub struct ZooRiddleParams {",
            "pub struct ZooRiddleProblem {",
            "type Problem = Latin<ZooRiddleProblem>;",
            "..Latin::<ZooRiddleProblem>::about(\"zoology\", \"zoo_riddle\", &[\"First version.\"])",
            "summary: \"Say in one line what is asked.\",",
        ] {
            assert!(family.contains(there), "no {there}");
        }
        for gone in ["\"skyscrapers\"", "Skyscrapers", "Block", "\"puzzles\""] {
            assert!(!family.contains(gone), "{gone} is left");
        }
        assert!(copy.read("families/puzzles/src/slide.rs").contains("type Problem = Plan<SlideProblem>;"));
        assert!(copy.read("derived/src/lib.rs").contains("\nmod zoom_in;\n"));
        let registry = copy.read("families/mathematics/src/lib.rs");
        assert!(registry.contains("\nmod abacus;\nmod add_up;\nmod base_conversion;\n"), "{registry}");
        let (_, entries, _) = entries(&registry, FAMILY_LIST).unwrap();
        let names: Vec<_> = entries.iter().map(|entry| unit_of(entry)).collect();
        assert!(names.is_sorted() && names.contains(&"add_up"), "{names:?}");
        assert!(entries.contains(&"&abacus::Abacus"), "{entries:?}");
    }

    #[test]
    fn a_new_game_stands_in_the_registry() {
        let copy = Copy::new("new-game");
        new_game(&copy.0, "lights_out").unwrap();
        new_game(&copy.0, "abalone").unwrap();
        let game = copy.read("games/src/lights_out.rs");
        for there in [
            "pub struct LightsOut;",
            "pub struct LightsOutParams {",
            "impl GameFamily for LightsOut {",
            "..About::new(\"lights_out\", &[\"First version.\"])",
            "summary: \"Say in one line what is asked.\",",
        ] {
            assert!(game.contains(there), "no {there}");
        }
        for gone in ["\"chomp\"", "Chomp"] {
            assert!(!game.contains(gone), "{gone} is left");
        }
        let registry = copy.read("games/src/lib.rs");
        let (_, entries, _) = entries(&registry, GAME_LIST).unwrap();
        let names: Vec<_> = entries.iter().map(|entry| unit_of(entry)).collect();
        assert!(names.is_sorted() && names.contains(&"lights_out"), "{names:?}");
        assert!(entries.contains(&"&abalone::Abalone"), "{entries:?}");
        assert!(registry.contains("\nmod abalone;\n") && registry.contains("\nmod lights_out;\n"));

        let before = copy.read("games/src/lib.rs");
        for name in ["chomp", "abalone", "tic_tac_toe", "Go", "go-moku", "", "loop", "mod"] {
            assert!(new_game(&copy.0, name).is_err(), "{name}");
        }
        assert_eq!(copy.read("games/src/lib.rs"), before);
        let error = new_game(&copy.0, "chomp").unwrap_err().to_string();
        assert_eq!(error, "there is a game `chomp` already");
    }

    #[test]
    fn bad_names_are_refused_and_nothing_is_written() {
        let copy = Copy::new("refused");
        let registry = "families/mathematics/src/lib.rs";
        let before = copy.read(registry);
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
            ("zoology", "zebra"),
            ("Logic", "zebra"),
        ] {
            assert!(new_family(&copy.0, "number", domain, None, name).is_err(), "{domain} {name}");
        }
        assert!(new_family(&copy.0, "poem", "logic", None, "zebra").is_err());
        assert_eq!(copy.read(registry), before);
        let error = new_family(&copy.0, "number", "logic", None, "chain_sum").unwrap_err();
        assert_eq!(error.to_string(), "there is a family `chain_sum` already");
        let error = new_family(&copy.0, "number", "logic", None, "Zebra").unwrap_err().to_string();
        assert_eq!(error, "`Zebra` is not a family name: lower-case words of a to z and digits, joined by _");
    }
}
