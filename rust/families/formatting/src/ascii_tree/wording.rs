//! The templates of a tree.

use super::Tree;
use kit::rng::Rng;

/// Every kind of line: both branches, each with and without a bar above it.
pub const EXAMPLE: &str = "\
site
 +--assets
 |   +--fonts
 |   `--images
 |       `--icons
 `--pages
     `--blog";

/// The drawing rules, for a reader who has never seen such a tree.
fn rules(noun: &str, nouns: &str) -> String {
    format!(
        "The first line is the name of the root alone. Every other line starts with a single space. After it, for \
         each {noun} on the path from the root to the one on this line (without these two), from the outside in, comes \
         '|' and three spaces if that {noun} has a later sibling, or four spaces if it has none. Then comes '+--' if the \
         {noun} on this line has a later sibling, or '`--' if it has none, and then its name with no space before it. \
         Siblings are {nouns} that are directly inside the same {noun}."
    )
}

/// A prompt with the structure of SYNTHETIC-2: only its example explains the drawing.
pub fn synthetic2(tree: &Tree, rng: &mut Rng) -> String {
    format!(
        "Turn this English description of a directory tree into an ASCII tree.\n\n\
         {}\n\n\
         Write the tree in this style:\n```\n{EXAMPLE}\n```\n\n\
         Keep the order of the description.",
        Description::new(tree, rng).text
    )
}

/// A prompt of our own: the tree as `told`, which is given words for one directory and for many, then the
/// rules.
pub fn ruled(tree: &Tree, rng: &mut Rng, told: fn(&Tree, &str, &str) -> String) -> String {
    let (noun, nouns) = *rng.pick(&[("directory", "directories"), ("folder", "folders")]);
    format!(
        "{}\nUse this style:\n```\n{EXAMPLE}\n```\n{}\n\nKeep the {nouns} in the order in which they are given.",
        told(tree, noun, nouns),
        rules(noun, nouns)
    )
}

pub fn outline(tree: &Tree, _: &str, nouns: &str) -> String {
    let mut text = format!("Draw the following outline of nested {nouns} as an ASCII tree:\n\n");
    for (depth, name) in &tree.rows {
        text.extend(std::iter::repeat_n("  ", usize::from(*depth)));
        text.extend(["- ", name, "\n"]);
    }
    text
}

pub fn paths(tree: &Tree, _: &str, nouns: &str) -> String {
    let mut text = format!(
        "Here are the paths of all {nouns} in our project. Could you draw them as a single ASCII tree for the README?\n\n"
    );
    tree.for_each_path(|_, path| {
        for name in path {
            text.extend([name, "/"]);
        }
        text.push('\n');
    });
    text
}

pub fn listing(tree: &Tree, noun: &str, _: &str) -> String {
    let mut text = format!(
        "This is a recursive listing: the path of each {noun} that is not empty, followed by the names of what is \
         directly inside it, one per line. Draw the whole hierarchy as an ASCII tree.\n"
    );
    tree.for_each_path(|row, path| {
        let inside = tree.names_in(row);
        if !inside.is_empty() || row == 0 {
            text.extend(["\n", &path.join("/"), ":\n"]);
        }
        for name in inside {
            text.extend([name, "\n"]);
        }
    });
    text
}

pub fn levels(tree: &Tree, noun: &str, _: &str) -> String {
    let mut text = format!(
        "Each line gives the depth of a {noun}, then its name. The {noun} with depth 0 is the root, and every other \
         {noun} is inside the nearest one above it whose depth is one less. Draw the tree in ASCII.\n\n"
    );
    for (depth, name) in &tree.rows {
        text.extend([&depth.to_string(), " ", name, "\n"]);
    }
    text
}

pub fn commands(tree: &Tree, noun: &str, nouns: &str) -> String {
    let (_, root) = &tree.rows[0];
    let mut text = format!(
        "You are in an empty {noun}, {root}. The command `enter` creates a new {noun} with the given \
         name inside the current one and moves you into it, and `up` moves you up by the given \
         number of levels. You run these commands:\n\n"
    );
    for (above, (depth, name)) in tree.rows.iter().zip(&tree.rows[1..]) {
        if *depth <= above.0 {
            text.extend(["up ", &(above.0 + 1 - depth).to_string(), "\n"]);
        }
        text.extend(["enter ", name, "\n"]);
    }
    text + &format!(
        "\nDraw the tree of all {nouns} that exist afterward, with {root} as the root, in ASCII.\n"
    )
}

/// A description built the way SYNTHETIC-2 builds them: the root and some of its children; a sentence per
/// directory that states its location and its children; a return after each subtree.
struct Description<'a> {
    tree: &'a Tree,
    rng: &'a mut Rng,
    text: String,
}

impl<'a> Description<'a> {
    fn new(tree: &'a Tree, rng: &'a mut Rng) -> Self {
        let text = String::with_capacity(100 * tree.rows.len());
        let mut description = Self { tree, rng, text };
        description.root();
        tree.for_each_path(|row, path| {
            if row > 0 {
                description.directory(row, &path[1..]);
            }
            let next = tree.rows.get(row + 1).map_or(0, |(depth, _)| *depth);
            if path.len() > 2 && next <= 1 {
                description.text.push_str("Back to the top level.\n");
            }
        });
        description
    }

    fn root(&mut self) {
        let (_, root) = &self.tree.rows[0];
        let top = self.tree.names_in(0);
        self.text.push_str(root);
        self.say(&[" is a root directory that ", " is the root directory. It "]);
        if top.is_empty() {
            self.text.push_str("holds nothing.\n");
            return;
        }
        self.say(&["groups ", "contains ", "holds ", "is home to "]);
        self.count(top.len());
        if top.len() <= 3 {
            self.text.push_str(", namely ");
        } else {
            self.say(&[". Among them are ", ". Some of them are ", ". You will come across "]);
        }
        self.text.push_str(&top[..top.len().min(3)].join(", "));
        self.say(&[
            ".\n\nThis is how it is laid out, in order:\n\n",
            ".\n\nLet us go through it, in order:\n\n",
            ".\n\nHere is all of it, in order:\n\n",
        ]);
    }

    /// The sentence on a directory, given the path to it from the top level.
    fn directory(&mut self, row: usize, path: &[&str]) {
        if path.len() == 1 {
            self.say(&[
                "At the top level, ",
                "In the root directory, ",
                "Directly under the root, ",
                "On the first level, ",
            ]);
        } else {
            self.say(&[
                "Within the hierarchy ",
                "Following the path ",
                "Further down, at ",
                "Under the nested path ",
            ]);
            self.quote(&path.join(" / "));
            self.text.push_str(", ");
        }
        let inside = self.tree.names_in(row);
        let around = if inside.is_empty() { EMPTY } else { HOLDING };
        let (before, after) = *self.rng.pick(around);
        self.text.push_str(before);
        self.quote(&self.tree.rows[row].1);
        self.text.push_str(after);
        if !inside.is_empty() {
            self.count(inside.len());
            self.text.extend([": ", &inside.join(", ")]);
        }
        self.text.push_str(".\n");
    }

    fn say(&mut self, phrases: &[&str]) {
        let phrase: &&str = self.rng.pick(phrases);
        self.text.push_str(phrase);
    }

    fn count(&mut self, count: usize) {
        let (one, many) = *self.rng.pick(NOUNS);
        let noun = if count == 1 { one } else { many };
        self.text.extend([&count.to_string(), " ", noun]);
    }

    /// A name or path in quotes that it does not contain: no certified name contains the second kind.
    fn quote(&mut self, name: &str) {
        let quote = if name.contains('\'') { "\"" } else { "'" };
        self.text.extend([quote, name, quote]);
    }
}

/// Texts before and after the name of an empty directory.
const EMPTY: &[(&str, &str)] = &[
    ("", " is empty"),
    ("", " contains nothing"),
    ("", " holds no directories"),
    ("", " has no subdirectories"),
    ("", " has nothing inside"),
    ("the directory ", " has been left empty"),
    ("the folder ", " is bare"),
    ("you will find nothing inside ", ""),
    ("there is nothing in ", ""),
];

/// Texts before and after the name of a directory that has children.
const HOLDING: &[(&str, &str)] = &[
    ("", " contains "),
    ("", " holds "),
    ("", " has "),
    ("", " branches into "),
    ("the directory ", " includes "),
    ("the folder ", " is divided into "),
    ("inside ", " you will find "),
];

/// Words for a directory inside another, singular and plural.
const NOUNS: &[(&str, &str)] = &[
    ("subdirectory", "subdirectories"),
    ("directory", "directories"),
    ("child directory", "child directories"),
    ("folder", "folders"),
    ("subfolder", "subfolders"),
];

#[cfg(test)]
mod tests {
    use kit::task::style::Choices;
    use std::collections::BTreeMap;

    use super::super::AsciiTreeParams;
    use super::super::tests::generated;
    use super::*;
    use kit::budget::Budget;
    use kit::params::Params;
    use kit::rng::Key;
    use kit::task::problem::{Problem, Template};

    type Rows = Vec<(u8, String)>;

    /// Reads the tree back from each template by its words alone, ignoring blank lines.
    fn read(template: &str, prompt: &str) -> Rows {
        let (head, _) = prompt.split_once("\n```").expect("an example");
        let (opening, told) = head.split_once("\n\n").expect("an opening");
        let (told, _) = told.rsplit_once("\n\n").unwrap_or((told, ""));
        let lines = told.lines().filter(|line| !line.is_empty());
        match template {
            "synthetic2" => described(told),
            "outline" => lines.map(item).collect(),
            "paths" => {
                lines.map(|line| placed(line.strip_suffix('/').expect("a path ends with a slash"))).collect()
            }
            "listing" => listed(lines),
            "levels" => {
                let row = |line: &str| {
                    let (depth, name) = line.split_once(' ').expect("a depth, then a name");
                    (depth.parse().expect("a depth"), name.to_owned())
                };
                lines.map(row).collect()
            }
            "commands" => {
                let (_, root) = opening.split_once(", ").expect("a root");
                let (root, _) = root.split_once(". The command `enter`").expect("what the commands do");
                let commands = lines.take_while(|line| !line.starts_with("Draw the tree"));
                run(root, commands)
            }
            _ => panic!("no reader for {template}"),
        }
    }

    /// The depth and the name at the end of a path.
    fn placed(path: &str) -> (u8, String) {
        (path.matches('/').count() as u8, path.rsplit('/').next().expect("a name").to_owned())
    }

    fn described(told: &str) -> Rows {
        let says = [" is a root directory that ", " is the root directory. It "];
        let root = says.iter().filter_map(|words| told.find(words)).min().expect("a root");
        let mut rows = vec![(0, told[..root].to_owned())];
        let (_, sentences) = told.split_once(", in order:\n\n").unwrap_or_default();
        for sentence in sentences.lines().filter(|line| *line != "Back to the top level.") {
            let (_, rest) = sentence.split_at(sentence.find(['\'', '"']).expect("a quoted path"));
            let path = rest[1..].split(&rest[..1]).next().expect("its end");
            let (depth, name) = placed(&path.replace(" / ", "/"));
            rows.push((depth + 1, name));
        }
        rows
    }

    fn item(line: &str) -> (u8, String) {
        let (indent, name) = line.split_once("- ").expect("a bullet");
        assert!(indent.trim().is_empty() && !name.starts_with('-'), "one item or two: {line}");
        (indent.len() as u8 / 2, name.to_owned())
    }

    /// Treats every line that ends with a colon as a heading.
    fn listed<'a>(lines: impl Iterator<Item = &'a str>) -> Rows {
        let mut paths: Vec<String> = Vec::new();
        let (mut holder, mut next) = (String::new(), 0);
        for line in lines {
            if let Some(path) = line.strip_suffix(':') {
                if paths.is_empty() {
                    paths.push(path.to_owned());
                }
                path.clone_into(&mut holder);
                next = 1 + paths.iter().position(|known| known == path).expect("listed above");
            } else {
                paths.insert(next, format!("{holder}/{line}"));
                next += 1;
            }
        }
        paths.iter().map(|path| placed(path)).collect()
    }

    fn run<'a>(root: &str, commands: impl Iterator<Item = &'a str>) -> Rows {
        let (mut depth, mut rows) = (0, vec![(0, root.to_owned())]);
        for command in commands {
            match command.split_once(' ') {
                Some(("up", levels)) => depth -= levels.parse::<u8>().expect("a number"),
                Some(("enter", name)) => {
                    let (verb, what) = name.split_once(' ').unwrap_or((name, ""));
                    assert!(verb != "enter" || what.is_empty(), "one command or two: {command}");
                    assert!(verb != "up" || what.parse::<u8>().is_err(), "one command or two: {command}");
                    depth += 1;
                    rows.push((depth, name.to_owned()));
                }
                _ => panic!("{command}"),
            }
        }
        rows
    }

    fn check_wordings(tree: &Tree, seen: &mut BTreeMap<(usize, u64, String), Rows>) {
        for (at, template) in Tree::TEMPLATES.iter().enumerate() {
            for seed in 0..3 {
                let prompt = worded(template, tree, seed);
                assert_eq!(read(template.name, &prompt), tree.rows, "{prompt}");
                // No two trees have the same prompt.
                let before = seen.insert((at, seed, prompt), tree.rows.clone());
                assert!(before.is_none_or(|rows| rows == tree.rows), "{:?}", tree.rows);
            }
        }
    }

    fn worded(template: &Template<Tree>, tree: &Tree, seed: u64) -> String {
        template.word(tree, Choices::From(&mut Key::new("words", 1, "", seed, "").stream(0)))
    }

    #[test]
    fn every_wording_tells_the_whole_tree() {
        let mut seen = BTreeMap::new();
        for level in 0..AsciiTreeParams::LEVELS.len() {
            for index in 0..20 {
                check_wordings(&generated(level as u8, index), &mut seen);
            }
        }
    }

    #[test]
    fn every_wording_of_a_hostile_tree_tells_one_tree_or_the_tree_is_refused() {
        #[rustfmt::skip]
        const PIECES: &[&str] = &[
            "a", "b", "r", "0", "1", "2", "10", " ", ":", ": ", "-", "- ", "--", "+--", "`--", "|", "|   ",
            "│", "├── ", "\\--", "*", "+", "'", "\"", "`", ",", ", ", ".", "..", ". ", "enter", "enter ",
            "up", "up ", "(", ")", "\\", " is a root directory that ", " is the root directory. It ",
            "holds nothing", "contains ", " is empty", "At the top level", "Back to the top level.",
            "namely ", "The command ", "Use this style", "1 folder", "é",
        ];
        let mut seen = BTreeMap::new();
        let rng = &mut Key::new("hostile", 1, "", 0, "").stream(0);
        let (mut told, mut refused) = (0, 0);
        for _ in 0..20_000 {
            let mut name = || -> String { (0..=rng.below(3)).map(|_| *rng.pick(PIECES)).collect() };
            let names = [name(), name(), name(), name()];
            let mut depth = 0;
            let row = |(at, name): (usize, String)| {
                depth = if at == 0 { 0 } else { rng.int(1, i64::from(depth) + 1) as u8 };
                (depth, name)
            };
            let mut rows: Rows = names.into_iter().enumerate().map(row).collect();
            rows.truncate(1 + rng.index(4));
            let tree = Tree { rows };
            if tree.check().is_ok() && tree.certify(&mut Budget::new(10)).is_ok() {
                check_wordings(&tree, &mut seen);
                told += 1;
            } else {
                refused += 1;
            }
        }
        assert!(told > 1_000 && refused > 1_000, "{told} told, {refused} refused");
    }

    #[test]
    fn no_two_small_trees_share_a_wording() {
        let names = [
            "r", "r:", "a", "a: b", "- a", "1", "2 a", "0", "up 1", "enter a", "a, b", "it's", "'a'", "a.",
            "up",
        ];
        let shapes: [&[u8]; 4] = [&[0], &[0, 1], &[0, 1, 1], &[0, 1, 2]];
        let mut seen = BTreeMap::new();
        for shape in shapes {
            for choice in 0..names.len().pow(shape.len() as u32) {
                let name = |at: usize| names[choice / names.len().pow(at as u32) % names.len()].to_owned();
                let rows = shape.iter().enumerate().map(|(at, depth)| (*depth, name(at))).collect();
                let tree = Tree { rows };
                if tree.check().is_ok() && tree.certify(&mut Budget::new(10)).is_ok() {
                    check_wordings(&tree, &mut seen);
                }
            }
        }
        assert!(seen.len() > 40_000, "{}", seen.len());
    }
}
