//! Import order of the files within a crate; Cargo enforces the order of crates.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use reasonenv::families;

/// The modules of a folder, lowest first: each imports only earlier ones.
const FLOORS: [(&str, &str, &str); 4] = [
    (
        "rust/kit/src",
        "",
        "budget similarity error pool rng json words picture registry rules shared params task shape testing",
    ),
    (
        "rust/kit/src",
        "task",
        "certificate check solution split steps reasons verdict answer permutation about style erased form source item \
         problem family mixture selection batch typed",
    ),
    (
        "rust/game/src",
        "",
        "about draws solver_pool value game exploit equilibrium search expect retrograde mcts board tactics variant opponent arena state episode erased",
    ),
    (
        "rust/game/src",
        "episode",
        "message costs setup step lane_set columns referee analysis dialogue save lane lanes problems",
    ),
];

/// Folders of units, each a file or a folder. Any other folder is the engine of a single unit, whose files
/// may import each other.
const UNITS: [&str; 3] = ["shared", "task", "episode"];

/// The most lines of a family's file, tests included. An engine or a word list goes into a folder of the same name.
const MOST_LINES: usize = 350;

/// Files that are longer, with the lines that they have. Each number may only fall, and no file may join them.
const LONGER: [(&str, usize); 54] = [
    ("activity_scheduling", 570),
    ("ascii_tree", 379),
    ("bin_packing", 452),
    ("caesar_cipher", 569),
    ("circuit", 506),
    ("coordinate_geometry", 557),
    ("countdown", 379),
    ("cryptarithm", 429),
    ("exact_probability", 465),
    ("futoshiki", 435),
    ("graph_coloring", 428),
    ("horn_deduction", 626),
    ("integration", 626),
    ("job_shop", 570),
    ("json_transform", 587),
    ("jugs", 442),
    ("knapsack", 491),
    ("knights_and_knaves", 403),
    ("lights_out", 352),
    ("linear_system", 513),
    ("list_functions", 550),
    ("longest_increasing_subsequence", 479),
    ("mark_passages", 572),
    ("matrix_algebra", 533),
    ("max_flow", 404),
    ("maze", 429),
    ("minesweeper", 452),
    ("n_queens", 497),
    ("new_operators", 513),
    ("nonogram", 524),
    ("number_sequence", 501),
    ("output_constraints", 613),
    ("palindrome_completion", 397),
    ("polynomial_multiplication", 360),
    ("program_induction", 597),
    ("propositional_entailment", 557),
    ("reverse_text", 438),
    ("rush_hour", 501),
    ("sat", 579),
    ("set_cover", 539),
    ("shortest_path", 397),
    ("sokoban", 463),
    ("sorting", 503),
    ("stack_machine_trace", 625),
    ("story_order", 461),
    ("string_rewriting", 353),
    ("sudoku", 436),
    ("topological_order", 398),
    ("tower_of_hanoi", 443),
    ("tsp", 412),
    ("unit_conversion", 411),
    ("vertex_subset", 472),
    ("word_sorting", 356),
    ("zebra_puzzle", 514),
];

/// The crates whose files are checked. Those of the Python classes name each other, as the classes do.
fn crates() -> Vec<PathBuf> {
    let groups = fs::read_dir("rust/families").unwrap().map(|group| group.unwrap().path());
    let others =
        ["derived", "dev", "game", "games", "kit", "verifiers"].map(|name| Path::new("rust").join(name));
    groups.chain(others).map(|path| path.join("src")).collect()
}

type Module = Vec<String>;

/// The modules that each module of a crate imports, except in tests.
type Imports = BTreeMap<Module, BTreeSet<Module>>;

fn imports(root: &Path) -> Imports {
    let mut texts = BTreeMap::new();
    read(root, &[], &mut texts);
    let modules: BTreeSet<Module> = texts.keys().cloned().collect();
    let imported = |(from, text): (&Module, &String)| {
        let known = |path: String| known(&modules, from, &path);
        (from.clone(), paths(text).into_iter().filter_map(known).filter(|to| to != from).collect())
    };
    texts.iter().map(imported).collect()
}

fn read(folder: &Path, inside: &[String], texts: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let mut module = inside.to_vec();
        if !["lib", "main", "mod"].contains(&name.as_str()) {
            module.push(name.clone());
        }
        if path.is_dir() {
            read(&path, &module, texts);
        } else if name != "tests" && path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            texts.insert(module, code.collect::<Vec<_>>().join("\n"));
        }
    }
}

/// Every path in a text, with braces expanded.
fn paths(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in
        text.match_indices("use ").chain(text.match_indices("crate::")).chain(text.match_indices("super::"))
    {
        let rest = text[at..].trim_start_matches("use ");
        written_out("", rest, &mut found);
    }
    found
}

/// Adds the paths at the start of a text, and returns the rest of it.
fn written_out<'t>(prefix: &str, text: &'t str, found: &mut Vec<String>) -> &'t str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !"_:".contains(c)).unwrap_or(text.len());
    let (path, mut rest) = (format!("{prefix}{}", &text[..end]), &text[end..]);
    if !rest.starts_with('{') {
        found.push(path);
        return rest;
    }
    loop {
        rest = written_out(&path, rest[1..].trim_start(), found);
        rest = &rest[rest.find([',', '}', ';']).unwrap_or(rest.len())..];
        match rest.chars().next() {
            Some(',') if !rest[1..].trim_start().starts_with('}') => {}
            Some(',') => return &rest[1 + rest[1..].find('}').unwrap()..][1..],
            Some('}') => return &rest[1..],
            _ => return rest,
        }
    }
}

/// The module that a path in `from` leads to.
fn known(modules: &BTreeSet<Module>, from: &Module, path: &str) -> Option<Module> {
    let mut base = from.clone();
    let mut names: Vec<&str> = path.split("::").filter(|name| !name.is_empty()).collect();
    match *names.first()? {
        "crate" => {
            base.clear();
            names.remove(0);
        }
        "super" => {
            while names.first() == Some(&"super") {
                base.pop();
                names.remove(0);
            }
        }
        "self" => drop(names.remove(0)),
        _ => {}
    }
    base.extend(names.into_iter().map(str::to_owned));
    while !base.is_empty() && !modules.contains(&base) {
        base.pop();
    }
    (!base.is_empty() && modules.contains(&base)).then_some(base)
}

/// The unit that a module belongs to: itself, or the one whose engine its folder is.
fn unit(module: &Module) -> &[String] {
    let inside = module.iter().take_while(|name| UNITS.contains(&name.as_str())).count();
    &module[..module.len().min(inside + 1)]
}

#[test]
fn units_of_a_crate_import_each_other_in_no_circle() {
    for root in crates() {
        let mut open: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
        for (from, to) in imports(&root) {
            let of = open.entry(unit(&from).to_vec()).or_default();
            of.extend(to.iter().map(|to| unit(to).to_vec()).filter(|to| to != unit(&from)));
        }
        while !open.is_empty() {
            let names: BTreeSet<Module> = open.keys().cloned().collect();
            open.retain(|_, to| to.iter().any(|to| names.contains(to)));
            assert!(open.len() < names.len(), "{} has a circle among {:?}", root.display(), open.keys());
        }
    }
}

#[test]
fn a_module_imports_those_of_lower_floors() {
    for (root, folder, floors) in FLOORS {
        let floors: Vec<&str> = floors.split_whitespace().collect();
        let depth = usize::from(!folder.is_empty());
        let floor = |module: &Module| {
            let inside = module.len() > depth && (depth == 0 || module[0] == folder);
            inside.then(|| floors.iter().position(|name| *name == module[depth]))
        };
        let mut seen = BTreeSet::new();
        for (from, to) in imports(Path::new(root)) {
            let Some(own) = floor(&from) else { continue };
            let own = own.unwrap_or_else(|| panic!("{root}: {} has no floor", from.join("::")));
            seen.insert(own);
            for other in to.iter().filter_map(|to| floor(to).flatten()) {
                let (from, other) = (from.join("::"), floors[other.max(own)]);
                assert!(other == floors[own], "{root}: {from} imports {other}, which stands above it");
            }
        }
        assert_eq!(seen.len(), floors.len(), "{root}: a floor of {folder} has no module");
    }
}

#[test]
fn a_family_knows_no_other_family() {
    families::all();
    let mut looked = 0;
    for root in crates() {
        for (from, to) in imports(&root).iter().filter(|(from, _)| !from.is_empty()) {
            looked += to.len();
            let other = to.iter().find(|to| to[0] != from[0] && families::find(&to[0]).is_ok());
            assert!(other.is_none(), "{}: {} imports {other:?}", root.display(), from.join("::"));
        }
    }
    assert!(looked > 300, "only {looked} imports were seen");
}

/// A judge that chose them would hide the wrong answers that it pays.
#[test]
fn near_misses_are_not_chosen_by_a_judge() {
    let (mut files, mut seen) = (BTreeMap::new(), 0);
    for root in crates() {
        read(&root, &[root.display().to_string()], &mut files);
    }
    for (file, text) in &files {
        for (at, name) in ["fn near_misses", "fn misses", "fn spoiled", "fn other_values"]
            .into_iter()
            .flat_map(|name| text.match_indices(name))
        {
            let indent = text[..at].rsplit('\n').next().unwrap();
            let indent = &indent[..indent.len() - indent.trim_start().len()];
            let body = text[at..].split(&format!("\n{indent}}}")).next().unwrap();
            let asked =
                ["judge(", "verify(", "verify_answer(", "is_err()"].into_iter().find(|it| body.contains(it));
            assert!(asked.is_none(), "{}: `{name}` asks `{}`", file.join("::"), asked.unwrap_or_default());
            seen += 1;
        }
    }
    assert!(seen > 60, "only {seen} were seen");
}

#[test]
fn files_of_families_are_short() {
    let groups = fs::read_dir("rust/families").unwrap().map(|group| group.unwrap().path().join("src"));
    let files = groups.flat_map(|group| fs::read_dir(group).unwrap()).map(|file| file.unwrap().path());
    let mut longer = BTreeMap::new();
    for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "rs")) {
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        if lines > MOST_LINES {
            longer.insert(file.file_stem().unwrap().to_str().unwrap().to_owned(), lines);
        }
    }
    for (name, lines) in LONGER {
        let now = longer.remove(name).unwrap_or(0);
        assert!(
            now <= lines,
            "{name}.rs has grown from {lines} lines to {now}; the most should be {MOST_LINES}"
        );
        let told = if now == 0 { "take it out of".to_owned() } else { format!("write {now} in") };
        assert!(now == lines, "{name}.rs is shorter now: {told} `LONGER` of {}", file!());
    }
    assert!(longer.is_empty(), "longer than {MOST_LINES} lines, tests included: {longer:?}");
}
