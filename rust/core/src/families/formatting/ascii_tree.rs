//! Draw a described directory tree in ASCII, exactly.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::error::quoted;
use crate::params::Params;
use crate::rng::Rng;
use crate::shared::similarity;
use crate::shared::tree_text::{self, Node};
use crate::task::answer::{self, LONGEST_ANSWER, Reading, Reply};
use crate::task::family::{
    About, Aim, Certificate, Exhausted, JudgedBy, Problem, Solution, TaskFamily, Uncertified,
};
use crate::task::style::{Style, Template};
use crate::task::verdict::{Part, Verdict, label};

mod measure;
mod names;
mod wording;

use measure::{Measured, Truth};
use names::Names;
use wording::EXAMPLE;

pub struct AsciiTree;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AsciiTreeParams {
    /// Directories in the tree, its root among them: one line each.
    #[schemars(range(min = 2, max = 300), extend("role" = "difficulty"))]
    lines: u32,
    /// Levels below the root.
    #[schemars(range(min = 1, max = 12), extend("role" = "difficulty"))]
    depth: u32,
    /// The most directories that one directory holds.
    #[schemars(range(min = 1, max = 50), extend("role" = "structure"))]
    children: u32,
    /// Whether the directories in one directory stand in alphabetical order, as listings have them.
    #[schemars(extend("role" = "structure"))]
    sorted: bool,
    /// What directories are called: plain words, as in a source repository, numbered alike, or all of it.
    #[schemars(extend("role" = "style"))]
    names: Names,
}

impl Default for AsciiTreeParams {
    fn default() -> Self {
        Self { lines: 12, depth: 3, children: 6, sorted: false, names: Names::Repository }
    }
}

impl Params for AsciiTreeParams {
    fn check(&self) -> Result<(), String> {
        let Self { lines, depth, children, .. } = self;
        // Levels are filled until the tree is large enough for any count of lines.
        let (mut level, mut most) = (1, 1);
        for _ in 0..*depth {
            level = u32::min(level * children, MOST_ROWS as u32);
            most = u32::min(most + level, MOST_ROWS as u32);
        }
        if (depth + 1..=most).contains(lines) {
            Ok(())
        } else {
            let low = depth + 1;
            Err(format!(
                "`lines` is {lines}, but must be between {low} and {most} with a `depth` of {depth} \
                 and {children} `children`"
            ))
        }
    }
}

/// A directory tree.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// Depth and name of each directory, depth first; the root comes first and has depth 0.
    rows: Vec<(u8, String)>,
}

const MOST_ROWS: usize = 500;
const DEEPEST: u8 = 32;
/// The most bytes in a name, as in most file systems.
const LONGEST_NAME: usize = 255;
const TAG: &str = "ascii_formatted";

static ABOUT: About = About {
    name: "ascii_tree",
    domain: "formatting",
    summary: "Draw a described directory tree in ASCII, exactly.",
    changes: &["First version."],
    top_level: 8,
    distinct_from: 0,
    judged_by: JudgedBy::Exact,
    answer_tag: TAG,
    templates: &[
        Template::open("synthetic2"),
        Template::open("outline"),
        Template::open("paths"),
        Template::open("listing"),
        Template::held_out("levels"),
        Template::held_out("commands"),
    ],
    failures: &[
        ("wrong_root", "the first line is not the root"),
        ("extra_lines", "more lines than the tree has"),
        ("missing_lines", "fewer lines than the tree has"),
        ("wrong_branch_count", "another number of lines with a branch, `+--` or `` `-- ``"),
        ("indentation_or_spacing_only", "right once all white space is removed"),
        ("wrong_names", "names are missing, added or changed, or come too often"),
        ("wrong_parents", "the right names, some of them in another directory"),
        ("wrong_order", "the right names in the right directories, in another order"),
        ("wrong_glyphs", "the right tree, drawn with other characters than asked for"),
    ],
    parts: &[
        part("line_similarity", "difflib's ratio over the lines"),
        part("root_correct", "the first line is the root"),
        part("clean_tags", "exactly one complete tag"),
        part("no_outside_text", "there is an answer, and only white space around its tag"),
        part("line_count", "1 less the difference in lines over the tree's lines, at least 0"),
        part("branch_count", "1 less the difference in branches over the tree's branches, at least 0"),
        part("exact_lines", "share of the tree's lines that stand in their place"),
        part("line_f1", "F1 over the lines, wherever they stand"),
        part("node_f1", "F1 over the names"),
        part("edge_f1", "F1 over the names, each with its parent's"),
        part("order", "F1 over the names, each with its parent's and its previous sibling's"),
        part("depth", "F1 over the names, each with its depth"),
        part("compat", "SYNTHETIC-2's reward: 0.3 line similarity and 0.7 longest block, less penalties"),
    ],
    skills: &["exact_formatting", "hierarchy", "lookahead"],
    reading: Reading::Clean,
    guess_rate: 0.001,
};

const fn part(name: &'static str, means: &'static str) -> Part {
    Part { name, means }
}

impl TaskFamily for AsciiTree {
    type Params = AsciiTreeParams;
    type Problem = Tree;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn level(&self, level: u8) -> AsciiTreeParams {
        const LEVELS: [(u32, u32, u32, Names); 9] = [
            (3, 1, 3, Names::Words),
            (5, 2, 4, Names::Words),
            (8, 2, 5, Names::Repository),
            (12, 3, 6, Names::Repository),
            (18, 4, 6, Names::Numbered),
            (28, 4, 8, Names::Mixed),
            (48, 5, 8, Names::Mixed),
            (90, 6, 10, Names::Mixed),
            (180, 8, 12, Names::Mixed),
        ];
        let (lines, depth, children, names) = LEVELS[usize::from(level)];
        AsciiTreeParams { lines, depth, children, names, ..AsciiTreeParams::default() }
    }

    fn generate(
        &self,
        params: &AsciiTreeParams,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Tree, Exhausted> {
        budget.spend(params.lines.into())?;
        let mut growing = Growing::new(params, rng);
        // A path down to the asked depth, then leaves wherever there is room.
        for parent in 0..params.depth as usize {
            growing.add(parent, params, rng);
        }
        let has_room = |node: &Growth| {
            u32::from(node.depth) < params.depth && node.children.len() < params.children as usize
        };
        let mut roomy: Vec<usize> =
            (0..growing.nodes.len()).filter(|node| has_room(&growing.nodes[*node])).collect();
        for child in growing.nodes.len()..params.lines as usize {
            let at = rng.index(roomy.len());
            let parent = roomy[at];
            growing.add(parent, params, rng);
            if !has_room(&growing.nodes[parent]) {
                roomy.swap_remove(at);
            }
            if has_room(&growing.nodes[child]) {
                roomy.push(child);
            }
        }
        Ok(growing.tree())
    }

    fn certify(&self, tree: &Tree, _budget: &mut Budget) -> Result<Certificate, Uncertified> {
        if tree_text::parse(&tree.draw()) != tree.nodes() {
            return Err("`rows` cannot be told from its drawing".into());
        }
        Ok(Certificate {
            unique: true,
            proof: format!("{} lines draw the tree and read back as it", tree.rows.len()),
        })
    }

    fn mutate(&self, tree: &Tree, aim: Aim, rng: &mut Rng, _budget: &mut Budget) -> Option<Tree> {
        let mut tree = tree.clone();
        let at = rng.index(tree.rows.len());
        let (depth, _) = tree.rows[at];
        match aim {
            Aim::Harder if tree.rows.len() < MOST_ROWS && depth < DEEPEST => {
                let taken = |name: &str| tree.children(at).any(|i| tree.rows[i].1 == name);
                let name = Names::Mixed.draw(rng, taken);
                tree.rows.insert(at + 1, (depth + 1, name));
            }
            Aim::Easier if tree.rows.len() > 2 => {
                let leaves: Vec<usize> =
                    (1..tree.rows.len()).filter(|i| tree.children(*i).next().is_none()).collect();
                tree.rows.remove(*rng.pick(&leaves));
            }
            Aim::Same => {
                let parent = (0..at).rev().find(|i| tree.rows[*i].0 < depth);
                let taken = |name: &str| {
                    let mut siblings = parent.into_iter().flat_map(|i| tree.children(i));
                    siblings.any(|i| tree.rows[i].1 == name)
                };
                tree.rows[at].1 = Names::Mixed.draw(rng, taken);
            }
            _ => return None,
        }
        Some(tree)
    }
}

/// A tree that is being grown: directories in the order they were added, the root first.
struct Growing {
    nodes: Vec<Growth>,
}

struct Growth {
    depth: u8,
    name: String,
    children: Vec<usize>,
}

impl Growing {
    fn new(params: &AsciiTreeParams, rng: &mut Rng) -> Self {
        let root = Growth { depth: 0, name: params.names.draw(rng, |_| false), children: Vec::new() };
        let mut nodes = Vec::with_capacity(params.lines as usize);
        nodes.push(root);
        Self { nodes }
    }

    fn add(&mut self, parent: usize, params: &AsciiTreeParams, rng: &mut Rng) {
        let siblings = &self.nodes[parent].children;
        let named = |sibling: &usize| self.nodes[*sibling].name.as_str();
        let taken = |name: &str| siblings.iter().any(|sibling| named(sibling) == name);
        let name = params.names.draw(rng, taken);
        let at = if params.sorted {
            siblings.partition_point(|sibling| *named(sibling) < *name)
        } else {
            rng.index(siblings.len() + 1)
        };
        let (child, depth) = (self.nodes.len(), self.nodes[parent].depth + 1);
        self.nodes[parent].children.insert(at, child);
        self.nodes.push(Growth { depth, name, children: Vec::new() });
    }

    fn tree(mut self) -> Tree {
        let mut rows = Vec::with_capacity(self.nodes.len());
        let mut ahead = vec![0];
        while let Some(node) = ahead.pop() {
            let node = &mut self.nodes[node];
            ahead.extend(node.children.iter().rev());
            rows.push((node.depth, std::mem::take(&mut node.name)));
        }
        Tree { rows }
    }
}

impl Tree {
    fn nodes(&self) -> Vec<Node<'_>> {
        let nodes = self.rows.iter().map(|(depth, name)| Node { depth: usize::from(*depth), name });
        nodes.collect()
    }

    fn draw(&self) -> String {
        tree_text::draw(&self.nodes())
    }

    /// The rows of the directories that a row's directory holds.
    fn children(&self, row: usize) -> impl Iterator<Item = usize> {
        let depth = self.rows[row].0;
        let inside = self.rows[row + 1..].iter().take_while(move |(below, _)| *below > depth);
        inside.zip(row + 1..).filter(move |((below, _), _)| *below == depth + 1).map(|(_, child)| child)
    }

    fn names_in(&self, row: usize) -> Vec<&str> {
        self.children(row).map(|child| self.rows[child].1.as_str()).collect()
    }

    /// Visits every row with its path: the names from the root down to it.
    fn for_each_path<'a>(&'a self, mut visit: impl FnMut(usize, &[&'a str])) {
        let mut path = Vec::new();
        for (row, (depth, name)) in self.rows.iter().enumerate() {
            path.truncate(usize::from(*depth));
            path.push(name.as_str());
            visit(row, &path);
        }
    }
}

/// What keeps a name from standing alone in a line of a drawing and in its tag.
fn unfit(name: &str) -> Option<&'static str> {
    // Line and paragraph breaks, zero-width spaces and marks that turn the text around.
    let unseen = |c: char| {
        matches!(c, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
            || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
            || c.is_control()
            || (c.is_whitespace() && c != ' ')
    };
    let marks = ["```", "<ascii_formatted>", "</ascii_formatted>"];
    if name.is_empty() {
        Some("is empty")
    } else if name.len() > LONGEST_NAME {
        Some("is longer than 255 bytes")
    } else if name.starts_with(' ') || name.ends_with(' ') {
        Some("starts or ends with a space")
    } else if name.contains('/') {
        Some("has a slash in it")
    } else if name.contains(unseen) {
        Some("has a character that cannot be seen or breaks the line")
    } else if marks.iter().any(|mark| name.contains(mark)) {
        Some("has an answer tag or a code fence in it")
    } else {
        None
    }
}

impl Problem for Tree {
    fn check(&self) -> Result<(), String> {
        let count = self.rows.len();
        if !(1..=MOST_ROWS).contains(&count) {
            return Err(format!("`rows` holds {count} directories, but must hold 1 to {MOST_ROWS}"));
        }
        let mut above = None;
        for (row, (depth, name)) in self.rows.iter().enumerate() {
            let (least, most) = match above {
                None => (0, 0),
                Some(above) => (1, DEEPEST.min(above + 1)),
            };
            if !(least..=most).contains(depth) {
                return Err(format!("`rows[{row}]` has depth {depth}, but must have {least} to {most}"));
            }
            if let Some(unfit) = unfit(name) {
                return Err(format!("the name in `rows[{row}]`, \"{}\", {unfit}", quoted(name)));
            }
            above = Some(*depth);
        }
        for row in 0..count {
            let mut names = self.names_in(row);
            names.sort_unstable();
            if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                let (name, parent) = (quoted(twice[0]), quoted(&self.rows[row].1));
                return Err(format!("`rows` has \"{name}\" twice in \"{parent}\""));
            }
        }
        let bytes = self.draw().len();
        if bytes > LONGEST_ANSWER {
            return Err(format!("`rows` take {bytes} bytes to draw, but may take {LONGEST_ANSWER}"));
        }
        Ok(())
    }

    fn prompt(&self, style: &Style) -> String {
        wording::prompt(self, style)
    }

    fn solution(&self) -> Solution {
        let nodes = self.nodes();
        let drawn = tree_text::draw(&nodes);
        let later = tree_text::later_siblings(&nodes);
        let lines: Vec<&str> = similarity::lines(&drawn);
        let mut steps = Vec::with_capacity(lines.len());
        self.for_each_path(|row, path| {
            let follows = |depth: usize| later[row] >> depth & 1 == 1;
            let depth = path.len() - 1;
            if depth == 0 {
                steps.push(format!("the root's name stands alone: {}", path[0]));
                return;
            }
            let place = if follows(depth) { "a child" } else { "the last child" };
            let mut step = format!("depth {depth}, {place} of {}", path[depth - 1]);
            for (above, name) in path[..depth].iter().enumerate().skip(1) {
                let what = if follows(above) { "a bar" } else { "no bar" };
                step.extend([", ", what, " for ", name]);
            }
            steps.push(step + ": " + lines[row]);
        });
        Solution { steps, answer: drawn }
    }

    /// Judges the answer alone, as if nothing stood around its tag.
    fn verify(&self, answer: &str, budget: &mut Budget) -> Verdict {
        let text = format!("<{TAG}>{answer}</{TAG}>");
        let reply = Reply { text: &text, answer: Some(answer.trim()), faults: Vec::new() };
        self.judge(&reply, TAG, budget)
    }

    /// Measures the answer whatever stands around it.
    ///
    /// The score of a failed answer is the mean of `edge_f1` and `line_f1`, halved if the answer
    /// cannot be read as the policy asks, and below 1: each is an F1, which grows with every right
    /// element more and every wrong one fewer.
    fn judge(&self, reply: &Reply<'_>, tag: &str, budget: &mut Budget) -> Verdict {
        let truth = Truth::new(self);
        let answer = reply.answer.filter(|answer| answer.len() <= LONGEST_ANSWER);
        let right = answer == Some(truth.drawn.as_str());
        let measured = match answer {
            Some(answer) if !right => Measured::new(answer, &truth, budget),
            Some(_) => Ok(Measured::right(&truth)),
            None => Ok(Measured::NOTHING),
        };
        let compat = truth.compat(reply, tag, measured.as_ref().ok(), budget);
        let over = measured.is_err() || compat.is_err();
        let measured = measured.unwrap_or(Measured::NOTHING);

        // What stands around the answer is measured the same under every reading policy.
        let contract = answer::read(reply.text, tag, Reading::Clean).faults;
        let keeps = |fault| reply.answer.is_some() && !contract.contains(&fault);
        let clean_tags = keeps(label::MISSING_OR_BROKEN_TAGS);
        let parts = [
            measured.line_similarity,
            f64::from(u8::from(measured.root_correct)),
            f64::from(u8::from(clean_tags)),
            f64::from(u8::from(keeps(label::EXTRA_TEXT_OUTSIDE_TAGS))),
            measured.line_count,
            measured.branch_count,
            measured.exact_lines,
            measured.line_f1,
            measured.structure.node_f1,
            measured.structure.edge_f1,
            measured.structure.order,
            measured.structure.depth,
            compat.unwrap_or(0.0),
        ];
        let parts = parts.map(|part| part as f32);
        if right && reply.faults.is_empty() {
            return Verdict::pass().parts(parts);
        }

        let mut failures = reply.faults.clone();
        let mut reasons = Vec::new();
        if !failures.is_empty() {
            reasons.push(answer::explain(&failures, tag));
        }
        if let Some(answer) = answer.filter(|_| !right) {
            failures.extend(measured.failures);
            reasons.push(truth.first_difference(answer));
        }
        if over {
            failures.push(label::OVER_BUDGET);
        }
        let content = f64::midpoint(measured.structure.edge_f1, measured.line_f1);
        let kept = if reply.faults.is_empty() { 1.0 } else { 0.5 };
        let (first, rest) = failures.split_first().expect("a fault or a wrong answer");
        let verdict = Verdict::fail(first, reasons.join("; ")).score((content * kept) as f32).parts(parts);
        rest.iter().fold(verdict, |verdict, label| verdict.also(label))
    }

    /// Grows with the lines and with how deep they lie.
    fn difficulty(&self) -> f32 {
        let effort: u32 = self.rows.iter().map(|(depth, _)| 1 + u32::from(*depth)).sum();
        effort as f32 / (effort as f32 + 120.0)
    }

    fn wrong_answers(&self, rng: &mut Rng) -> Vec<String> {
        let drawn = self.draw();
        let mut wrong = self.other_trees(rng);
        wrong.extend(other_drawings(&drawn));
        wrong.extend([
            String::new(),
            EXAMPLE.to_owned(),
            format!("{drawn}\n{drawn}"),
            format!("{drawn}\n\n{} directories", self.rows.len() - 1),
            format!("```\n{drawn}\n```"),
            format!("Here is the tree:\n{drawn}"),
        ]);
        wrong.retain(|answer| answer.trim() != drawn);
        wrong
    }
}

impl Tree {
    /// Drawings of trees near this one, and lists of what is in it.
    fn other_trees(&self, rng: &mut Rng) -> Vec<String> {
        let nodes = self.nodes();
        let drawn = tree_text::draw(&nodes);
        let lines = similarity::lines(&drawn);
        let (at, other) = (rng.index(lines.len()), rng.index(lines.len()));
        let without = |row: usize| [&lines[..row], &lines[row + 1..]].concat().join("\n");
        let relined = |change: &dyn Fn(&mut Vec<&str>)| {
            let mut lines = lines.clone();
            change(&mut lines);
            lines.join("\n")
        };
        let redrawn = |change: &dyn Fn(&mut Vec<Node<'_>>)| {
            let mut nodes = nodes.clone();
            change(&mut nodes);
            tree_text::draw(&nodes)
        };
        let renamed = |change: &dyn Fn(&str) -> String| {
            let name = change(nodes[at].name);
            let mut nodes = nodes.clone();
            nodes[at].name = &name;
            tree_text::draw(&nodes)
        };
        let added = |depth, name| Node { depth, name };
        let mut paths = Vec::new();
        self.for_each_path(|_, path| paths.push(path.join("/")));
        vec![
            without(at),
            without(0),
            without(lines.len() - 1),
            relined(&|lines| lines.insert(at, lines[at])),
            relined(&|lines| lines.insert(0, lines[0])),
            relined(&|lines| lines.swap(at, other)),
            redrawn(&|nodes| nodes.push(added(1, "etc"))),
            redrawn(&|nodes| nodes.insert(at + 1, added(nodes[at].depth + 1, "x"))),
            redrawn(&|nodes| nodes.truncate(at.max(1))),
            redrawn(&|nodes| {
                let (one, two) = (nodes[at].name, nodes[other].name);
                (nodes[at].name, nodes[other].name) = (two, one);
            }),
            redrawn(&|nodes| nodes[at].depth = nodes[at].depth.max(2) - 1),
            redrawn(&|nodes| nodes[at].depth += usize::from(at > 1)),
            redrawn(&|nodes| nodes[1..].iter_mut().for_each(|node| node.depth = 1)),
            redrawn(&|nodes| nodes[1..].reverse()),
            redrawn(&|nodes| nodes[1..].sort_by_key(|node| node.depth)),
            redrawn(&|nodes| nodes[0].name = "."),
            renamed(&|name| format!("{name}s")),
            renamed(&|name| format!("{name}/")),
            renamed(&|name| format!("'{name}'")),
            renamed(&str::to_uppercase),
            renamed(&|name| name.replace(['-', '_', ' ', '.'], "")),
            lines.concat(),
            paths.join("\n"),
        ]
    }
}

/// The same tree, drawn in other ways.
fn other_drawings(drawn: &str) -> Vec<String> {
    let swap = |from: &str, to: &str| drawn.replace(from, to);
    let each = |change: &dyn Fn(&str) -> String| {
        let (root, below) = drawn.split_once('\n').unwrap_or((drawn, ""));
        let below: Vec<String> = below.lines().map(change).collect();
        format!("{root}\n{}", below.join("\n"))
    };
    vec![
        swap("`--", "+--"),
        swap("+--", "`--"),
        drawn.replacen("`--", "+--", 1),
        drawn.replacen("+--", "`--", 1),
        swap("`", "\\"),
        swap("+", "|"),
        swap("--", "-- "),
        swap("--", "-"),
        swap("--", "---"),
        swap("|   ", "    "),
        swap("     ", " |   "),
        swap("|   ", "|  "),
        swap("    ", "   "),
        swap("    ", "\t"),
        swap("    ", "\u{a0}\u{a0}\u{a0} "),
        swap("|   ", "│   ").replace("+--", "├── ").replace("`--", "└── "),
        swap("|   ", "    ").replace("+--", "").replace("`--", ""),
        each(&|line| line[1..].to_owned()),
        each(&|line| format!(" {line}")),
        each(&|line| format!("{line} ")) + ".",
        swap("\n", "\n\n"),
        swap("\n", "\r\n"),
        swap("\n", " "),
        drawn.replacen('\n', " \n", 1),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;
    use crate::task::style::Wrapper;

    fn tree(rows: &[(u8, &str)]) -> Tree {
        let row = |(depth, name): &(u8, &str)| (*depth, (*name).to_owned());
        Tree { rows: rows.iter().map(row).collect() }
    }

    fn packaging() -> Tree {
        tree(&[(0, "packaging"), (1, "brew"), (1, "linux"), (2, "arch"), (2, "debian"), (1, "windows")])
    }

    const DRAWN: &str = "packaging\n +--brew\n +--linux\n |   +--arch\n |   `--debian\n `--windows";

    fn generated(level: u8, index: u64) -> Tree {
        let rng = &mut Key::new("ascii_tree", 1, "", 0, "").stream(index);
        let params = TaskFamily::level(&AsciiTree, level);
        let tree = AsciiTree.generate(&params, rng, &mut Budget::new(10_000));
        tree.expect("the level's params leave room")
    }

    fn judge_under(reading: Reading, text: &str) -> Verdict {
        let reply = answer::read(text, TAG, reading);
        packaging().judge(&reply, TAG, &mut Budget::new(100_000))
    }

    fn judge(text: &str) -> Verdict {
        judge_under(Reading::Clean, text)
    }

    fn wrapped(answer: &str) -> String {
        format!("<{TAG}>\n{answer}\n</{TAG}>")
    }

    fn part(verdict: &Verdict, name: &str) -> f32 {
        let part = ABOUT.parts.iter().position(|part| part.name == name);
        verdict.parts[part.expect("a declared part")]
    }

    fn assert_failures(text: &str, labels: &[&str]) {
        let verdict = judge(text);
        assert_eq!(verdict.failures, labels, "{text}: {}", verdict.detail);
    }

    /// The right drawing with one thing changed, well wrapped.
    fn changed(from: &str, to: &str) -> String {
        wrapped(&DRAWN.replacen(from, to, 1))
    }

    #[test]
    fn what_stands_around_the_answer_is_labelled_beside_what_is_in_it() {
        let right = wrapped(DRAWN);
        assert_failures(&right, &[]);
        let more = changed("`--windows", "+--windows\n `--etc");
        let (extra, broken) = ("extra_text_outside_tags", "missing_or_broken_tags");
        assert_failures(&format!("{right} Done."), &[extra]);
        assert_failures(&wrapped(&right), &[broken, extra]);
        assert_failures(&right.repeat(2), &[broken]);
        assert_failures(DRAWN, &["no_answer", broken, extra]);
        assert_failures("", &["no_answer", broken]);
        assert_failures(&format!("{}{right}", wrapped("packaging")), &["hedged", broken]);
        assert_failures(
            &format!("Sure!\n{more}"),
            &[extra, "wrong_answer", "extra_lines", "wrong_branch_count", "wrong_names"],
        );
        assert_failures(
            &wrapped(&format!("```\n{DRAWN}\n```")),
            &["fenced", "malformed_answer", "wrong_root", "extra_lines", "wrong_names"],
        );
    }

    #[test]
    fn what_is_in_the_answer_is_labelled_by_the_rules() {
        let (wrong, malformed) = ("wrong_answer", "malformed_answer");
        let (lines, branches) = ("missing_lines", "wrong_branch_count");
        let (spacing, names) = ("indentation_or_spacing_only", "wrong_names");
        let check = |from, to, labels: &[&str]| assert_failures(&changed(from, to), labels);
        check("packaging", "package", &[wrong, "wrong_root", names]);
        check("brew", "Brew", &[wrong, names]);
        check("\n +--brew", "", &[wrong, lines, branches, names]);
        check("+--arch", "`--arch", &[malformed, "wrong_glyphs"]);
        check("+--linux", "|--linux", &[malformed, branches, "wrong_glyphs"]);
        check(" |   `--deb", " `--deb", &[malformed, "wrong_parents"]);
        check("+--arch\n |   `--debian", "+--debian\n |   `--arch", &[wrong, "wrong_order"]);
        check("brew", "brew ", &[malformed, spacing]);
        check("--brew", "-- brew", &[malformed, spacing]);
        check("\n", "\n\n", &[malformed, spacing]);
        check("\n", "\r\n", &[malformed, "wrong_root", spacing]);
        // Its branch left of all others, the second line holds the rest.
        check("\n ", "\n", &[malformed, spacing, "wrong_parents"]);
        assert_failures(&wrapped(&DRAWN.replace("\n ", "\n")), &[malformed, spacing]);
        assert_failures(&wrapped(" \n"), &[malformed, "wrong_root", lines, branches, names]);
    }

    #[test]
    fn parts_measure_what_they_mean() {
        let verdict = judge(&wrapped("packaging\n +--brew\n +--linux\n `--windows"));
        for (name, value) in [
            ("line_similarity", 2.0 * 4.0 / 10.0),
            ("root_correct", 1.0),
            ("line_count", 4.0 / 6.0),
            ("branch_count", 3.0 / 5.0),
            ("exact_lines", 0.5),
            ("line_f1", 0.8),
            ("edge_f1", 0.8),
            ("compat", 0.3 * 0.8 + 0.7 * 3.0 / 6.0),
        ] {
            assert!((part(&verdict, name) - value).abs() < 1e-6, "{name} of {verdict:?}");
        }
    }

    #[test]
    fn outside_text_is_measured_whatever_the_policy() {
        let text = format!("Here it is:\n{}", wrapped(DRAWN));
        let verdict = judge_under(Reading::Strict, &text);
        assert!(verdict.passed);
        let measured = ["no_outside_text", "clean_tags", "compat"];
        let full = measured.map(|name| part(&verdict, name) > 0.5);
        assert_eq!(full, [false, true, true]);
        let fenced = wrapped(&format!("```\n{DRAWN}\n```"));
        assert!(judge_under(Reading::Lenient, &fenced).passed);
    }

    #[test]
    fn names_that_would_break_the_form_are_refused() {
        let named = |name: &str| tree(&[(0, "r"), (1, name)]);
        for name in ["a b", "día", "日本語", "--x", "| y", "`--z", "don't", "a\"b", "👨‍👩‍👧", "x<y>", "..", "-"]
        {
            let tree = named(name);
            assert_eq!(tree.check(), Ok(()), "{name}");
            assert!(AsciiTree.certify(&tree, &mut Budget::new(10)).is_ok());
            assert!(tree.verify(&tree.draw(), &mut Budget::new(1_000)).passed, "{name}");
        }
        for name in [
            "",
            " a",
            "a ",
            "a\nb",
            "a\rb",
            "a\tb",
            "a/b",
            "a\0",
            "a\u{85}b",
            "a\u{a0}b",
            "a\u{2028}b",
            "a\u{200b}",
            "\u{202e}a",
            "\u{feff}a",
            "x```",
            "<ascii_formatted>",
            "a</ascii_formatted>",
            &"é".repeat(128),
        ] {
            assert!(named(name).check().is_err(), "{name:?}");
        }
    }

    #[test]
    fn rows_that_are_no_tree_are_refused_by_name() {
        let error = |rows: &[(u8, &str)]| tree(rows).check().unwrap_err();
        assert_eq!(error(&[]), "`rows` holds 0 directories, but must hold 1 to 500");
        assert_eq!(error(&[(1, "a")]), "`rows[0]` has depth 1, but must have 0 to 0");
        assert_eq!(error(&[(0, "a"), (0, "b")]), "`rows[1]` has depth 0, but must have 1 to 1");
        assert_eq!(error(&[(0, "a"), (1, "b"), (3, "c")]), "`rows[2]` has depth 3, but must have 1 to 2");
        let twice = [(0, "a"), (1, "b"), (2, "b"), (1, "c"), (1, "b")];
        assert_eq!(error(&twice), "`rows` has \"b\" twice in \"a\"");
        assert_eq!(tree(&twice[..4]).check(), Ok(()));
        let long = "x".repeat(250);
        let names: Vec<String> = (0..400).map(|i| format!("{i}{long}")).collect();
        let rows: Vec<_> = names.iter().map(|name| (1, name.as_str())).collect();
        assert!(error(&[&[(0, "a")], &rows[..]].concat()).contains("65536"));
    }

    #[test]
    fn params_without_a_tree_are_refused() {
        let check = |lines, depth, children| {
            let params = AsciiTreeParams { lines, depth, children, ..AsciiTreeParams::default() };
            Params::check(&params)
        };
        assert_eq!(check(7, 2, 2), Ok(()));
        assert!(check(8, 2, 2).unwrap_err().contains("between 3 and 7"));
        assert!(check(3, 3, 2).is_err());
        assert_eq!(check(300, 12, 50), Ok(()));
        assert_eq!(check(33, 32, 1), Ok(()));
        assert!(check(34, 32, 1).is_err());
    }

    #[test]
    fn params_hold_for_what_is_generated() {
        for names in [Names::Words, Names::Repository, Names::Numbered, Names::Mixed] {
            for (lines, depth, children) in [(2, 1, 1), (51, 1, 50), (33, 32, 1), (500, 8, 50), (63, 5, 2)] {
                let params = AsciiTreeParams { lines, depth, children, sorted: lines % 2 == 1, names };
                let rng = &mut Key::new("params", 1, "", 0, "").stream(u64::from(lines));
                let tree = AsciiTree.generate(&params, rng, &mut Budget::new(1_000)).unwrap();
                assert_eq!(tree.check(), Ok(()));
                assert_eq!(tree.rows.len() as u32, lines);
                assert_eq!(tree.rows.iter().map(|(depth, _)| u32::from(*depth)).max(), Some(depth));
                for row in 0..tree.rows.len() {
                    let names = tree.names_in(row);
                    assert!(names.len() as u32 <= children);
                    assert!(!params.sorted || names.is_sorted());
                }
            }
        }
    }

    /// A reader of each template who knows what its words say and nothing else.
    fn read_prompt(template: &str, prompt: &str) -> Vec<(u8, String)> {
        let depth_of = |path: &str, separator: &str| path.matches(separator).count() as u8;
        let (head, _) = prompt.split_once("\n```").expect("an example");
        let blocks: Vec<&str> = head.split("\n\n").collect();
        let last = |path: &str| path.rsplit('/').next().expect("a name").to_owned();
        match template {
            "synthetic2" => {
                let (root, _) = blocks[1].split_once(" is ").expect("a root");
                let sentences = head.lines().filter(|line| line.contains('\''));
                let row = |line: &str| {
                    let path = line.split('\'').nth(1).expect("a quoted path");
                    let (_, name) = path.rsplit_once(" / ").unwrap_or(("", path));
                    assert!(line.matches(&format!("'{name}'")).count() <= 1 + usize::from(path == name));
                    (1 + depth_of(path, " / "), name.to_owned())
                };
                let mut rows = vec![(0, root.to_owned())];
                rows.extend(sentences.map(row));
                rows
            }
            "outline" => {
                let row = |line: &str| {
                    let (indent, name) = line.split_once("- ").expect("a bullet");
                    (indent.len() as u8 / 2, name.to_owned())
                };
                blocks[1].lines().map(row).collect()
            }
            "paths" => {
                let paths = blocks[1].lines().map(|line| line.strip_suffix('/').expect("a path"));
                paths.map(|path| (depth_of(path, "/"), last(path))).collect()
            }
            "listing" => {
                let mut paths: Vec<String> = Vec::new();
                for block in &blocks[1..blocks.len() - 1] {
                    let (path, names) = block.split_once(":\n").expect("a listing");
                    if paths.is_empty() {
                        paths.push(path.to_owned());
                    }
                    let at = paths.iter().position(|known| known == path).expect("listed above");
                    let inside = names.lines().map(|name| format!("{path}/{name}"));
                    paths.splice(at + 1..=at, inside);
                }
                paths.iter().map(|path| (depth_of(path, "/"), last(path))).collect()
            }
            "levels" => {
                let row = |line: &str| {
                    let (depth, name) = line.split_once(' ').expect("a depth");
                    (depth.parse().expect("a number"), name.to_owned())
                };
                blocks[1].lines().map(row).collect()
            }
            "commands" => {
                let (_, root) = blocks[0].split_once(", ").expect("a root");
                let (root, _) = root.split_once(". The").expect("a root");
                let (mut depth, mut rows) = (0, vec![(0, root.to_owned())]);
                for line in blocks[1].lines() {
                    match line.split_once(' ') {
                        Some(("up", levels)) => depth -= levels.parse::<u8>().expect("a number"),
                        Some(("enter", name)) => {
                            depth += 1;
                            rows.push((depth, name.to_owned()));
                        }
                        _ => panic!("{line}"),
                    }
                }
                rows
            }
            _ => panic!("no reader for {template}"),
        }
    }

    #[test]
    fn every_template_tells_the_whole_tree() {
        for level in 0..=ABOUT.top_level {
            for index in 0..20 {
                let tree = generated(level, index);
                for (template, about) in ABOUT.templates.iter().enumerate() {
                    let style = Style { template, words: index as u32, wrapper: Wrapper::Bare };
                    let prompt = tree.prompt(&style);
                    assert_eq!(read_prompt(about.name, &prompt), tree.rows, "{prompt}");
                }
            }
        }
    }

    #[test]
    fn steps_end_with_the_lines_they_explain() {
        let tree = generated(6, 0);
        let solution = tree.solution();
        for (step, line) in solution.steps.iter().zip(solution.answer.lines()) {
            assert!(step.ends_with(line), "{step}");
        }
        assert_eq!(
            packaging().solution().steps[4],
            "depth 2, the last child of linux, a bar for linux:  |   `--debian"
        );
    }

    #[test]
    fn every_line_put_right_raises_the_score() {
        for index in 0..30 {
            let tree = generated(5, index);
            let drawn = tree.draw();
            let lines = similarity::lines(&drawn);
            let wrong = drawn.replace("--", "--x");
            let wrong = similarity::lines(&wrong);
            let score = |right: usize, outside: &str| {
                let answer = [&lines[..right], &wrong[right..]].concat().join("\n");
                let text = wrapped(&answer) + outside;
                let reply = answer::read(&text, TAG, Reading::Clean);
                tree.judge(&reply, TAG, &mut Budget::new(1_000_000)).score
            };
            for right in 1..lines.len() {
                assert!(score(right, "") < score(right + 1, ""), "{right} of {drawn}");
                assert!(score(right, "!") < score(right, ""));
            }
        }
    }

    #[test]
    fn an_answer_too_costly_to_measure_fails_for_it() {
        let text = wrapped(&DRAWN.replace("brew", "brews"));
        let reply = answer::read(&text, TAG, Reading::Clean);
        let verdict = packaging().judge(&reply, TAG, &mut Budget::new(3));
        assert_eq!(verdict.failures, [label::OVER_BUDGET]);
        // The right answer passes on any budget.
        let text = wrapped(DRAWN);
        let reply = answer::read(&text, TAG, Reading::Clean);
        assert!(packaging().judge(&reply, TAG, &mut Budget::new(0)).passed);
    }
}
