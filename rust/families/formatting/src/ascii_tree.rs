//! Draw a directory tree in ASCII, exactly, from a description.

mod fit;
mod growing;
mod judging;
mod measure;
mod names;
mod wording;
mod wrong;

use kit::shared::tree_text::{self, Node};
use kit::similarity;
use kit::task::answer::{LONGEST_ANSWER, Reply};
use kit::task::prelude::*;

use names::Names;
use wording::EXAMPLE;

pub struct AsciiTree;

params! {
    pub struct AsciiTreeParams {
        /// Number of directories in the tree, including its root; each takes one line.
        lines: u32 [2..=300],
        /// Number of levels below the root.
        depth: u32 [1..=12],
        /// Most directories directly inside one directory.
        children: u32 [1..=50, structure],
        /// True if the directories inside a directory are in alphabetical order, as in listings.
        sorted: bool [structure],
        /// Names of directories: plain words, names as in a source repository, numbered names, or a mix of
        /// these.
        names: Names [style],
    }
    levels {
        (2, 1, 3, false, Names::Words),
        (3, 1, 3, false, Names::Words),
        (5, 2, 4, false, Names::Words),
        (8, 2, 5, false, Names::Repository),
        (12, 3, 6, false, Names::Repository),
        (18, 4, 6, false, Names::Numbered),
        (28, 4, 8, false, Names::Mixed),
        (48, 5, 8, false, Names::Mixed),
        (90, 6, 10, false, Names::Mixed),
        (180, 8, 12, false, Names::Mixed),
    }
    default 4
    check Self::consistent;
}

impl AsciiTreeParams {
    fn consistent(&self) -> Result<(), String> {
        let Self { lines, depth, children, .. } = self;
        // The largest tree of this depth: every level is full, up to the limit on rows.
        let (mut level, mut most) = (1, 1);
        for _ in 0..*depth {
            level = u32::min(level * children, MOST_ROWS as u32);
            most = u32::min(most + level, MOST_ROWS as u32);
        }
        let low = depth + 1;
        check::that((low..=most).contains(lines), || {
            format!(
                "`lines` is {lines}, but must be between {low} and {most} with a `depth` of {depth} \
                 and {children} `children`"
            )
        })
    }
}

/// A directory tree.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// Depth and name of each directory in depth-first order; the root comes first and has depth 0.
    rows: Vec<(u8, String)>,
}

const MOST_ROWS: usize = 500;
const DEEPEST: u8 = 32;

impl TaskFamily for AsciiTree {
    type Params = AsciiTreeParams;
    type Problem = Tree;

    const ABOUT: About = About {
        summary: "Draw a directory tree in ASCII, exactly, from a description.",
        answer_tag: "ascii_formatted",
        failures: &[
            ("wrong_root", "the first line is not the root"),
            ("extra_lines", "more lines than the tree has"),
            ("missing_lines", "fewer lines than the tree has"),
            ("wrong_branch_count", "the number of lines with a branch (`+--` or `` `-- ``) is wrong"),
            ("indentation_or_spacing_only", "right once all white space is removed"),
            ("wrong_names", "names are missing, added, changed or repeated"),
            ("wrong_parents", "the right names, but some of them are in the wrong directory"),
            ("wrong_order", "the right names in the right directories, but in the wrong order"),
            ("wrong_glyphs", "the right tree, drawn with other characters than those asked for"),
        ],
        parts: &[
            Part::new("line_similarity", "difflib's ratio over the lines"),
            Part::new("root_correct", "the first line is the root"),
            Part::new("clean_tags", "exactly one complete tag"),
            Part::new("no_outside_text", "there is an answer, and only white space around its tag"),
            Part::new(
                "line_count",
                "1 minus the difference in lines divided by the lines of the tree, at least 0",
            ),
            Part::new(
                "branch_count",
                "1 minus the difference in branches divided by the branches of the tree, at least 0",
            ),
            Part::new("exact_lines", "share of the tree's lines that are in their place"),
            Part::new("line_f1", "F1 over the lines below the root, wherever they are"),
            Part::new("node_f1", "F1 over the names"),
            Part::new("edge_f1", "F1 over the names, each with its parent's"),
            Part::new("order", "F1 over the names, each with its parent's and its previous sibling's"),
            Part::new("depth", "F1 over the names, each with its depth"),
            Part::new(
                "compat",
                "SYNTHETIC-2's reward: 0.3 line similarity and 0.7 longest block, less penalties",
            ),
        ],
        skills: &["exact_formatting", "hierarchy", "lookahead"],
        reading: Reading::Clean,
        distinct_from: 1,
        guess_rate: 0.0006,
        guess_score: 0.0006,
        ..About::new("formatting", "ascii_tree", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Tree> {
        budget.spend(params.lines.into())?;
        Ok(growing::grow(params, rng))
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

    /// The rows of the direct children of a directory.
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

    fn check_shape(&self) -> Result<(), String> {
        check::length("rows", &self.rows, 1..=MOST_ROWS, "directories")?;
        let mut above = None;
        for (row, (depth, _)) in self.rows.iter().enumerate() {
            let (least, most) = match above {
                None => (0, 0),
                Some(above) => (1, DEEPEST.min(above + 1)),
            };
            check::that((least..=most).contains(depth), || {
                format!("`rows[{row}]` has depth {depth}, but must have {least} to {most}")
            })?;
            above = Some(*depth);
        }
        Ok(())
    }

    fn check_names(&self) -> Result<(), String> {
        for (row, (_, name)) in self.rows.iter().enumerate() {
            if let Some(why) = fit::undrawable(name) {
                return Err(format!("the name in `rows[{row}]`, \"{}\", {why}", quoted(name)));
            }
        }
        for (row, (_, parent)) in self.rows.iter().enumerate() {
            let mut names = self.names_in(row);
            names.sort_unstable();
            if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(format!("`rows` has \"{}\" twice in \"{}\"", quoted(twice[0]), quoted(parent)));
            }
        }
        Ok(())
    }
}

impl Problem for Tree {
    type Answer = String;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::open("synthetic2", wording::synthetic2),
        Template::open("outline", |tree, rng| wording::ruled(tree, rng, wording::outline)),
        Template::open("paths", |tree, rng| wording::ruled(tree, rng, wording::paths)),
        Template::open("listing", |tree, rng| wording::ruled(tree, rng, wording::listing)),
        Template::held_out("levels", |tree, rng| wording::ruled(tree, rng, wording::levels)),
        Template::held_out("commands", |tree, rng| wording::ruled(tree, rng, wording::commands)),
    ];

    fn check(&self) -> Result<(), String> {
        self.check_shape()?;
        self.check_names()?;
        let bytes = self.draw().len();
        check::that(bytes <= LONGEST_ANSWER, || {
            format!("`rows` take {bytes} bytes to draw, but may take {LONGEST_ANSWER}")
        })
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        for (row, (_, name)) in self.rows.iter().enumerate() {
            if let Some(why) = fit::ambiguous(name) {
                let name = quoted(name);
                return Err(format!(
                    "the name in `rows[{row}]`, \"{name}\", {why}, so that the tree could be misread"
                ));
            }
        }
        let drawn = self.draw();
        check::that(drawn != EXAMPLE, || "`rows` are the example shown in every prompt".into())?;
        check::that(tree_text::parse(&drawn) == self.nodes(), || {
            "`rows` cannot be read back from its drawing".into()
        })?;
        let lines = self.rows.len();
        Ok(Certificate::unique(format!("{lines} lines draw the tree and read back as it")))
    }

    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        growing::mutated(self, aim, rng)
    }

    fn form(&self) -> impl Form<Read = String> {
        form::Verbatim { what: "the lines of the tree", lookalikes: wrong::LOOKALIKES }
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
                steps.push(format!("the name of the root alone: {}", path[0]));
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
        Solution::new(steps, drawn)
    }

    fn verify(&self, answer: String, budget: &mut Budget) -> Judged {
        judging::answer(self, &answer, budget).map(|_| ())
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<String> {
        self.near_drawings(faults, rng)
    }

    fn guesses(&self, _: &mut Rng) -> Vec<(&'static str, String)> {
        self.copies()
    }

    /// The drawing fixes every name and the order: no other tree is the same problem.
    fn twin(&self, _: &mut Rng) -> Self {
        self.clone()
    }

    /// Glyphs to decide on: one for each line and each level above it.
    fn effort(&self) -> Effort {
        Effort::new(self.rows.iter().map(|(depth, _)| 1 + u64::from(*depth)).sum(), 120)
    }

    fn judge(&self, reply: &Reply<'_>, tag: &str, budget: &mut Budget) -> Verdict {
        judging::reply(self, reply, tag, budget).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::rng::Key;

    pub(super) fn tree(rows: &[(u8, &str)]) -> Tree {
        let row = |(depth, name): &(u8, &str)| (*depth, (*name).to_owned());
        Tree { rows: rows.iter().map(row).collect() }
    }

    pub(super) fn packaging() -> Tree {
        tree(&[(0, "packaging"), (1, "brew"), (1, "linux"), (2, "arch"), (2, "debian"), (1, "windows")])
    }

    pub(super) const DRAWN: &str =
        "packaging\n +--brew\n +--linux\n |   +--arch\n |   `--debian\n `--windows";

    pub(super) fn generated(level: u8, index: u64) -> Tree {
        let rng = &mut Key::new("ascii_tree", 1, "", 0, "").stream(index);
        growing::grow(&AsciiTreeParams::LEVELS[usize::from(level)], rng)
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
    fn the_example_is_no_problem() {
        let site = [
            (0, "site"),
            (1, "assets"),
            (2, "fonts"),
            (2, "images"),
            (3, "icons"),
            (1, "pages"),
            (2, "blog"),
        ];
        assert_eq!(tree(&site).draw(), EXAMPLE);
        assert!(tree(&site).certify(&mut Budget::new(10)).unwrap_err().contains("example"));
        assert!(tree(&site[..6]).certify(&mut Budget::new(10)).is_ok());
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
}
