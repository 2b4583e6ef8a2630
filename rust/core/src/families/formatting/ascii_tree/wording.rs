//! How a tree is told in words.

use super::{TAG, Tree};
use crate::rng::Rng;
use crate::task::style::Style;

/// Every kind of line: both branches, each under a bar and under none.
pub const EXAMPLE: &str = "\
site
 +--assets
 |   +--fonts
 |   `--images
 |       `--icons
 `--pages
     `--blog";

const RULES: &str = "\
The root's name stands alone on the first line. Every other line begins with one space; then comes, \
for each directory on the way from the root down to the parent (the root left out, the parent \
included), '|' and three spaces if a sibling of that directory follows further down, else four \
spaces; then '+--', or '`--' if no sibling of the line's own directory follows; then the name, with \
no space before it.";

pub fn prompt(tree: &Tree, style: &Style) -> String {
    let rng = &mut style.rng();
    if style.template == 0 {
        return format!(
            "Turn this English description of a directory tree into an ASCII tree.\n\n\
             {}\n\n\
             Write the tree in this style:\n```\n{EXAMPLE}\n```\n\n\
             Keep the order of the description. Reply with nothing but the lines of the tree inside \
             <{TAG}></{TAG}> tags: no code fence, no other text.",
            Description::new(tree, rng).text
        );
    }
    let (noun, nouns) = *rng.pick(&[("directory", "directories"), ("folder", "folders")]);
    let told = match style.template {
        1 => outline(tree, nouns),
        2 => paths(tree, nouns),
        3 => listing(tree, noun),
        4 => levels(tree, noun),
        _ => commands(tree, noun, nouns),
    };
    format!(
        "{told}\nDraw like this:\n```\n{EXAMPLE}\n```\n{RULES}\n\n\
         Keep the order in which the {nouns} are given. Reply with nothing but the lines of the tree \
         inside <{TAG}></{TAG}> tags: no code fence, no other text."
    )
}

fn outline(tree: &Tree, nouns: &str) -> String {
    let mut text = format!("Draw this outline of {nouns} as an ASCII tree:\n\n");
    for (depth, name) in &tree.rows {
        text.extend(std::iter::repeat_n("  ", usize::from(*depth)));
        text.extend(["- ", name, "\n"]);
    }
    text
}

fn paths(tree: &Tree, nouns: &str) -> String {
    let mut text = format!("Below are the paths of some {nouns}. Draw them as one ASCII tree.\n\n");
    tree.for_each_path(|_, path| {
        for name in path {
            text.extend([name, "/"]);
        }
        text.push('\n');
    });
    text
}

fn listing(tree: &Tree, noun: &str) -> String {
    let mut text = format!(
        "Below, the path of every {noun} that is not empty is followed by what it holds, one name a \
         line. Draw all of it as an ASCII tree.\n"
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

fn levels(tree: &Tree, noun: &str) -> String {
    let mut text = format!(
        "Each line below has the depth of a {noun} and its name; it lies in the nearest {noun} above \
         it whose depth is one less. Draw the tree in ASCII.\n\n"
    );
    for (depth, name) in &tree.rows {
        text.extend([&depth.to_string(), " ", name, "\n"]);
    }
    text
}

fn commands(tree: &Tree, noun: &str, nouns: &str) -> String {
    let (_, root) = &tree.rows[0];
    let mut text = format!(
        "You are in an empty {noun}, {root}. The command `enter` makes a new {noun} with the given \
         name inside the one you are in and moves you into it; `up` takes you back by the given \
         number of levels. You run these commands:\n\n"
    );
    for (above, (depth, name)) in tree.rows.iter().zip(&tree.rows[1..]) {
        if *depth <= above.0 {
            text.extend(["up ", &(above.0 + 1 - depth).to_string(), "\n"]);
        }
        text.extend(["enter ", name, "\n"]);
    }
    text + &format!("\nDraw the tree of all {nouns}, {root} at the root, in ASCII.\n")
}

/// A description built as SYNTHETIC-2 builds them: the root and some of what it holds; a sentence
/// per directory that says where it is and what it holds; a return after each subtree.
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

    /// A name between quotes that it does not contain itself.
    fn quote(&mut self, name: &str) {
        let free = ["'", "\""].into_iter().find(|quote| !name.contains(quote));
        let quote = free.unwrap_or("`");
        self.text.extend([quote, name, quote]);
    }
}

/// What stands around an empty directory's name.
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

/// What stands around the name of a directory that holds some.
const HOLDING: &[(&str, &str)] = &[
    ("", " contains "),
    ("", " holds "),
    ("", " has "),
    ("", " branches into "),
    ("the directory ", " keeps "),
    ("the folder ", " is divided into "),
    ("inside ", " you will find "),
];

/// What a directory in a directory is called, one and many.
const NOUNS: &[(&str, &str)] = &[
    ("subdirectory", "subdirectories"),
    ("directory", "directories"),
    ("child directory", "child directories"),
    ("folder", "folders"),
    ("subfolder", "subfolders"),
];
