//! Trees drawn as text: drawing them, reading drawings, and scoring one drawing against another.
//!
//! The first line is the root's name. Every other line is one space; for each ancestor below the
//! root `|` and three spaces if that ancestor has a later sibling, else four spaces; then `+--`, or
//! `` `-- `` for a last child; then the name.

use memchr::memchr_iter;

use crate::budget::{Budget, OverBudget};
use crate::similarity::{common_ends, lines, matching_blocks};

/// The greatest depth that can be drawn: a word holds one bit per depth.
pub const DEEPEST: usize = 63;

/// One line of a tree. Trees are slices of nodes in depth-first order: the first has depth 0, every
/// other one at least 1 and at most one more than the node before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    pub depth: usize,
    pub name: &'a str,
}

/// For each node a word whose bit `d` says that its ancestor at depth `d` (itself, at its own depth)
/// has a later sibling. No node is deeper than [`DEEPEST`].
pub fn later_siblings(tree: &[Node<'_>]) -> Vec<u64> {
    let mut later = vec![0; tree.len()];
    // Seen from the end: the depths at which a node follows before any shallower one.
    let mut follows = 0u64;
    for (later, node) in later.iter_mut().zip(tree).rev() {
        let own = 1 << node.depth;
        *later = follows & (own | (own - 1));
        follows = follows & (own - 1) | own;
    }
    later
}

pub fn draw(tree: &[Node<'_>]) -> String {
    let bytes = tree.iter().map(|node| 4 * node.depth + 1 + node.name.len());
    let mut drawn = String::with_capacity(bytes.sum());
    for (node, later) in tree.iter().zip(later_siblings(tree)) {
        let follows = |depth: usize| later >> depth & 1 == 1;
        if node.depth > 0 {
            drawn.push_str("\n ");
            for depth in 1..node.depth {
                drawn.push_str(if follows(depth) { "|   " } else { "    " });
            }
            drawn.push_str(if follows(node.depth) { "+--" } else { "`--" });
        }
        drawn.push_str(node.name);
    }
    drawn
}

/// White space as Python defines it, so that scores agree: Unicode's, and the four ASCII separators.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\x1c'..='\x1f')
}

/// The text without surrounding white space, like Python's `strip`.
pub fn strip(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// The nonblank lines of a text, without white space around the whole text.
pub fn written_lines(text: &str) -> Vec<&str> {
    let mut written = lines(strip(text));
    written.retain(|line| !line.chars().all(is_space));
    written
}

/// Reads a drawing as leniently as its meaning stays clear; exact for the output of [`draw`].
///
/// The first line is the root. Any other line is a child of the nearest line above it whose branch is further
/// left. Besides our own branches `|--`, `\--` and box-drawing ones are read, and the branch of a line
/// without one is where its name starts. Any text has a tree; a blank one has no nodes.
pub fn parse(text: &str) -> Vec<Node<'_>> {
    tree_of(&written_lines(text))
}

/// [`parse`] over [`written_lines`].
pub fn tree_of<'a>(lines: &[&'a str]) -> Vec<Node<'a>> {
    let Some((root, rest)) = lines.split_first() else {
        return Vec::new();
    };
    let mut tree = Vec::with_capacity(lines.len());
    tree.push(Node { depth: 0, name: strip(root) });
    // Columns of the branches of the last node and of its ancestors.
    let mut columns = Vec::new();
    for line in rest {
        let (column, name) = branch(line);
        while columns.last().is_some_and(|above| *above >= column) {
            columns.pop();
        }
        columns.push(column);
        tree.push(Node { depth: columns.len(), name });
    }
    tree
}

/// The column at which a line branches off, and its name.
fn branch(line: &str) -> (usize, &str) {
    let is_bar = |c: char| matches!(c, '|' | '│' | '┃');
    let ours = line.bytes().position(|byte| !matches!(byte, b' ' | b'|'));
    let lead = match ours {
        Some(at) if line.as_bytes()[at].is_ascii_graphic() => Some(at),
        _ => line.find(|c: char| !is_space(c) && !is_bar(c)),
    };
    let (lead, rest) = line.split_at(lead.unwrap_or(line.len()));
    let column = lead.chars().count();
    let (column, name) = match rest.as_bytes() {
        [b'+' | b'`' | b'\\', b'-', b'-', ..] => (column, &rest[3..]),
        [b'-', b'-', ..] if lead.ends_with(is_bar) => (column - 1, &rest[2..]),
        _ => match rest.strip_prefix(['├', '└', '╰', '┣', '┗']) {
            Some(name) => (column, name.trim_start_matches(['─', '━', '-'])),
            None => (column, rest),
        },
    };
    (column, strip(name))
}

/// The text that [`compat`] reads: the first `<tag>…</tag>` anywhere in the completion, without the white
/// space around it.
pub fn compat_answer<'a>(completion: &'a str, tag: &str) -> Option<&'a str> {
    let mark = |text: &str, opening: &str| {
        let named = |at: &usize| {
            let rest = text[*at..].strip_prefix(opening).and_then(|rest| rest.strip_prefix(tag));
            rest.is_some_and(|rest| rest.starts_with('>'))
        };
        memchr_iter(b'<', text.as_bytes()).find(named)
    };
    let inside = &completion[mark(completion, "<")? + tag.len() + 2..];
    Some(strip(&inside[..mark(inside, "</")?]))
}

/// Similarity of the lines of an answer and of the reference, as difflib computes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    pub ratio: f64,
    /// Lines in the longest of all matching blocks.
    pub longest: usize,
}

impl Comparison {
    pub fn new(answer: &[&str], reference: &[&str], budget: &mut Budget) -> Result<Self, OverBudget> {
        if answer == reference {
            budget.spend(reference.len() as u64)?;
            return Ok(Self { ratio: 1.0, longest: reference.len() });
        }
        // From 200 lines on, autojunk may find a longer block after the first one.
        let blocks = matching_blocks(answer, reference, budget)?;
        let sizes = blocks.iter().map(|block| block.size);
        let matched: usize = sizes.clone().sum();
        Ok(Self {
            ratio: 2.0 * matched as f64 / (answer.len() + reference.len()) as f64,
            longest: sizes.max().unwrap_or(0),
        })
    }
}

/// True if an answer equals the reference line by line, apart from white space around the whole. Lines may end
/// in a carriage return.
pub fn strict(answer: &str, reference: &str) -> bool {
    strip(answer).lines().eq(strip(reference).lines())
}

/// SYNTHETIC-2's reward for a completion, bit for bit: 0.3 times difflib's ratio over lines and 0.7 times the
/// longest matching block's share of the reference, halved if a line after the first neither starts with a
/// space nor repeats the first, and halved if no line after the first has `--`.
///
/// It reads the first tag block in the completion and gives 0 without one.
pub fn compat(completion: &str, reference: &str, tag: &str, budget: &mut Budget) -> Result<f64, OverBudget> {
    match compat_answer(completion, tag) {
        Some(answer) if !reference.is_empty() => compat_reward(answer, reference, budget),
        _ => Ok(0.0),
    }
}

/// [`compat`] of what [`compat_answer`] read.
pub fn compat_reward(answer: &str, reference: &str, budget: &mut Budget) -> Result<f64, OverBudget> {
    let answer = lines(strip(answer));
    let reference = lines(strip(reference));
    let comparison = Comparison::new(&answer, &reference, budget)?;
    Ok(compat_of(&comparison, &answer, reference.len()))
}

/// [`compat`] of lines already compared.
pub fn compat_of(comparison: &Comparison, answer: &[&str], reference_lines: usize) -> f64 {
    let (root, below) = answer.split_first().expect("a text has a line");
    let mut reward = 0.3 * comparison.ratio + 0.7 * (comparison.longest as f64 / reference_lines as f64);
    let repeats_root = |line: &str| line.trim_end_matches(is_space) == *root;
    if !below.iter().all(|line| line.starts_with(' ') || repeats_root(line)) {
        reward *= 0.5;
    }
    if !below.iter().any(|line| line.contains("--")) {
        reward *= 0.5;
    }
    reward
}

/// Agreement of two trees: F1 over their nodes, identified in four ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Structure {
    /// Names.
    pub node_f1: f64,
    /// Names with their parents' names.
    pub edge_f1: f64,
    /// Names with their parents' names and the names of the siblings just before them.
    pub order: f64,
    /// Names with their depths.
    pub depth: f64,
}

impl Structure {
    pub const EQUAL: Self = Self { node_f1: 1.0, edge_f1: 1.0, order: 1.0, depth: 1.0 };

    pub fn new(answer: &[Node<'_>], reference: &[Node<'_>], budget: &mut Budget) -> Result<Self, OverBudget> {
        budget.spend((answer.len() + reference.len()) as u64)?;
        if answer == reference {
            return Ok(Self::EQUAL);
        }
        let (answer, reference) = (places(answer), places(reference));
        Ok(Self {
            node_f1: f1(&answer, &reference, |place| place.name),
            edge_f1: f1(&answer, &reference, |place| (place.name, place.parent)),
            order: f1(&answer, &reference, |place| (place.name, place.parent, place.before)),
            depth: f1(&answer, &reference, |place| (place.name, place.depth)),
        })
    }
}

/// Reads both drawings and measures how far the trees agree.
pub fn structural(answer: &str, reference: &str, budget: &mut Budget) -> Result<Structure, OverBudget> {
    let answer = written_lines(answer);
    let reference = written_lines(reference);
    Structure::new(&tree_of(&answer), &tree_of(&reference), budget)
}

/// Position of a node in its tree.
#[derive(PartialEq, Eq)]
struct Place<'a> {
    name: &'a str,
    parent: Option<&'a str>,
    /// The sibling before it.
    before: Option<&'a str>,
    depth: usize,
}

fn places<'a>(tree: &[Node<'a>]) -> Vec<Place<'a>> {
    // Names of the last node and of its ancestors.
    let mut path = Vec::new();
    let place = |node: &Node<'a>| {
        let before = path.get(node.depth).copied();
        path.truncate(node.depth);
        let parent = path.last().copied();
        path.push(node.name);
        Place { name: node.name, parent, before, depth: node.depth }
    };
    tree.iter().map(place).collect()
}

/// Twice the number of shared keys over the total length of two sequences; 1 if both are empty.
///
/// A key is shared as often as both contain it.
pub fn f1<'a, T: Eq, K: Ord>(a: &'a [T], b: &'a [T], key: impl Fn(&'a T) -> K) -> f64 {
    let sizes = a.len() + b.len();
    if sizes == 0 {
        return 1.0;
    }
    // Pairs of equals may be dropped from both; near the reference that is nearly everything.
    let (prefix, suffix) = common_ends(a, b);
    let sorted = |whole: &'a [T]| {
        let rest = &whole[prefix..whole.len() - suffix];
        let mut keys: Vec<K> = rest.iter().map(&key).collect();
        keys.sort_unstable();
        keys
    };
    let mut others = sorted(b).into_iter().peekable();
    let mut shared = prefix + suffix;
    for key in sorted(a) {
        while others.next_if(|other| *other < key).is_some() {}
        shared += usize::from(others.next_if(|other| *other == key).is_some());
    }
    2.0 * shared as f64 / sizes as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree on which the published numbers come out.
    const PACKAGING: &str = "\
packaging
 +--brew
 +--linux-arch
 +--linux-centos
 +--linux-debian
 +--linux-fedora
 +--mac-ports
 +--snapcraft
 `--windows-chocolatey
     `--tools";

    fn ample() -> Budget<'static> {
        Budget::new(1 << 32)
    }

    fn wrapped(answer: &str) -> String {
        format!("<tree>{answer}</tree>")
    }

    fn paid(completion: &str, reference: &str) -> f64 {
        compat(completion, reference, "tree", &mut ample()).expect("ample")
    }

    fn same(left: f64, right: f64) -> bool {
        left.to_bits() == right.to_bits()
    }

    fn tree(rows: &[(usize, &'static str)]) -> Vec<Node<'static>> {
        let node = |(depth, name): &(usize, &'static str)| Node { depth: *depth, name };
        rows.iter().map(node).collect()
    }

    #[test]
    fn a_bar_runs_down_to_the_last_sibling() {
        let site = tree(&[
            (0, "site"),
            (1, "a"),
            (2, "b"),
            (3, "c"),
            (2, "d"),
            (3, "e"),
            (4, "f"),
            (1, "g"),
            (2, "h"),
        ]);
        let drawn = "\
site
 +--a
 |   +--b
 |   |   `--c
 |   `--d
 |       `--e
 |           `--f
 `--g
     `--h";
        assert_eq!(draw(&site), drawn);
        assert_eq!(parse(drawn), site);
    }

    #[test]
    fn later_siblings_agree_with_looking_ahead() {
        let mut word = 1u64;
        for _ in 0..2_000 {
            let mut nodes = tree(&[(0, "r")]);
            while !word.is_multiple_of(13) {
                word = word.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) ^ 5;
                let deepest = nodes.last().expect("a root").depth + 1;
                nodes.push(Node { depth: 1 + (word >> 32) as usize % deepest, name: "n" });
            }
            word ^= 7;
            let later = later_siblings(&nodes);
            for (row, node) in nodes.iter().enumerate() {
                for depth in 0..=node.depth {
                    let mut ahead = nodes[row + 1..].iter().filter(|next| next.depth <= depth);
                    let follows = ahead.next().is_some_and(|next| next.depth == depth);
                    assert_eq!(later[row] >> depth & 1 == 1, follows, "{nodes:?} {row} {depth}");
                }
            }
            assert_eq!(parse(&draw(&nodes)), nodes);
        }
    }

    #[test]
    fn names_that_look_like_glyphs_read_back() {
        for name in ["--x", "-", "|", "| y", "+--z", "`--w", "├── v", "a  b", "x|", "日本"] {
            let nodes = [(0, name), (1, name), (2, name), (1, "last"), (2, name)];
            let nodes = nodes.map(|(depth, name)| Node { depth, name });
            assert_eq!(parse(&draw(&nodes)), nodes, "{name}");
        }
    }

    #[test]
    fn other_drawings_of_a_tree_read_as_it() {
        let reference = tree(&[(0, "r"), (1, "a"), (2, "b"), (3, "c"), (1, "d"), (2, "e")]);
        for drawing in [
            "r\n+--a\n|   `--b\n|       `--c\n`--d\n    `--e",
            "r\n├── a\n│   └── b\n│       └── c\n└── d\n    └── e",
            "r\n├── a\n│\u{a0}\u{a0} └── b\n│\u{a0}\u{a0}     └── c\n└── d\n    └── e",
            "r\n|-- a\n|   `-- b\n|       `-- c\n`-- d\n    `-- e",
            "r\n|--a\n|  |--b\n|  |  |--c\n|--d\n|  |--e",
            " r \n  +-- a\n\n  |   \\-- b\n  |       \\-- c\n  \\-- d \n      \\-- e\n",
            "r\r\n a\r\n  b\r\n   c\r\n d\r\n  e",
        ] {
            assert_eq!(parse(drawing), reference, "{drawing}");
        }
        assert_eq!(parse(" \n\t\n"), []);
    }

    #[test]
    fn compat_pays_what_the_original_pays() {
        let indented = PACKAGING.replace("\n ", "\n");
        let boxes = indented.replace("+--", "├── ").replace("`--", "└── ");
        for (answer, reward) in [
            (PACKAGING.to_owned(), 1.0),
            (boxes, 0.025),
            (indented, 0.05),
            (format!("```\n{PACKAGING}\n```"), 0.486_363_636_363_636_33),
            ([PACKAGING; 3].join("\n"), 0.85),
            (format!("\x1c\n{PACKAGING}\u{85} "), 1.0),
        ] {
            let paid = paid(&wrapped(&answer), PACKAGING);
            assert!((paid - reward).abs() < 1e-15, "{paid} for {answer}");
        }
        let right = wrapped(PACKAGING);
        assert!(same(paid(&wrapped("packaging"), "packaging"), 0.5));
        assert!(same(paid(&format!("{}{right}", wrapped("x")), PACKAGING), 0.0));
        assert!(same(paid(&format!("I think {right}, no?"), PACKAGING), 1.0));
        assert!(same(paid(&format!("{right}{}", wrapped("x")), PACKAGING), 1.0));
        for none in ["", PACKAGING, "<tree>", "</tree><tree>", &right.to_uppercase()] {
            assert!(same(paid(none, PACKAGING), 0.0), "{none}");
        }
        assert!(same(paid(&right, ""), 0.0));
    }

    #[test]
    fn compat_takes_the_longest_of_all_blocks() {
        // From 200 lines on, the commonest lines start no block, yet they lengthen the later of these two.
        let numbered = |name: &str, count: usize| -> Vec<String> {
            (0..count).map(|number| format!("{name}{number}")).collect()
        };
        let later = [numbered("v", 4), vec!["p".to_owned(); 150]].concat();
        let answer = [numbered("u", 5), vec!["x".to_owned()], later.clone()].concat();
        let reference = [numbered("u", 5), later, numbered("w", 60)].concat();
        let (answer, reference) = (answer.join("\n"), reference.join("\n"));
        let (answer, reference) = (lines(&answer), lines(&reference));
        let comparison = Comparison::new(&answer, &reference, &mut ample()).expect("ample");
        assert_eq!(comparison.longest, 154);
        assert!(same(comparison.ratio, 0.839_050_131_926_121_3));
    }

    #[test]
    fn structure_tells_what_is_right_apart() {
        let reference = "r\n +--a\n |   `--x\n +--b\n `--c";
        let of = |answer| structural(answer, reference, &mut ample()).expect("ample");
        let expect = |answer, node_f1, edge_f1, order, depth| {
            let expected = Structure { node_f1, edge_f1, order, depth };
            assert_eq!(of(answer), expected, "{answer}");
        };
        expect(reference, 1.0, 1.0, 1.0, 1.0);
        // b and c are exchanged: each now follows another.
        expect("r\n +--a\n |   `--x\n +--c\n `--b", 1.0, 1.0, 0.6, 1.0);
        // x moves from a to c.
        expect("r\n +--a\n +--b\n `--c\n     `--x", 1.0, 0.8, 0.8, 1.0);
        // x is omitted.
        let f1 = 2.0 * 4.0 / 9.0;
        expect("r\n +--a\n +--b\n `--c", f1, f1, f1, f1);
        // A repeated name is right once.
        expect("r\n +--a\n |   `--x\n +--a\n `--c", 0.8, 0.8, 0.6, 0.8);
        expect("", 0.0, 0.0, 0.0, 0.0);
    }

    #[test]
    fn strict_forgives_outer_white_space_and_line_ends_alone() {
        assert!(strict(&format!("\n{PACKAGING} \n"), PACKAGING));
        assert!(!strict(&PACKAGING.replacen('\n', " \n", 1), PACKAGING));
        assert!(strict(&PACKAGING.replace('\n', "\r\n"), PACKAGING));
        assert!(!strict(&PACKAGING.replace('\n', "\r"), PACKAGING));
        assert!(!strict(&PACKAGING.replace('\n', "\n\n"), PACKAGING));
        assert!(!strict("", PACKAGING));
    }

    #[test]
    fn hostile_texts_end() {
        let staircase: String = (0..2_000).map(|i| " ".repeat(i) + "x\n").collect();
        assert_eq!(parse(&staircase).len(), 2_000);
        assert_eq!(parse(&staircase)[1_999].depth, 1_999);
        let popular = "a\nb\n".repeat(20_000);
        let reference = "b\na\n".repeat(99);
        let over = compat(&wrapped(&popular), &reference, "tree", &mut Budget::new(1_000_000));
        assert_eq!(over, Err(OverBudget));
        assert_eq!(structural("a", "a", &mut Budget::new(1)), Err(OverBudget));
    }
}
