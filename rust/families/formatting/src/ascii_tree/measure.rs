//! Comparison of an answer with the one right drawing.

use memchr::memchr_iter;

use super::Tree;
use kit::budget::{Budget, OverBudget};
use kit::error::quoted;
use kit::shared::tree_text::{self, Comparison, Node, Structure};
use kit::similarity;
use kit::task::verdict::label;

/// The one right drawing.
pub struct Reference<'a> {
    tree: Vec<Node<'a>>,
    pub drawn: String,
}

impl<'a> Reference<'a> {
    pub fn new(tree: &'a Tree) -> Self {
        let tree = tree.nodes();
        let drawn = tree_text::draw(&tree);
        Self { tree, drawn }
    }

    fn lines(&self) -> Vec<&str> {
        similarity::lines(&self.drawn)
    }

    /// SYNTHETIC-2's reward for its own reading of the answer; 0 without one. Reuses the comparison in
    /// `measured` if there is one.
    pub fn compat(
        &self,
        answer: Option<&str>,
        measured: Option<&Measured<'_>>,
        budget: &mut Budget,
    ) -> Result<f64, OverBudget> {
        match (answer, measured.and_then(|measured| measured.compared.as_ref())) {
            (None, _) => Ok(0.0),
            (_, Some((lines, comparison))) => Ok(tree_text::compat_of(comparison, lines, self.tree.len())),
            (Some(answer), None) => tree_text::compat_reward(answer, &self.drawn, budget),
        }
    }

    /// The first place where a wrong answer differs.
    pub fn first_difference(&self, answer: &str) -> String {
        let (mut lines, mut reference) = (answer.split('\n'), self.drawn.split('\n'));
        let mut number = 0;
        let (line, right) = loop {
            number += 1;
            match (lines.next(), reference.next()) {
                (Some(line), Some(right)) if line == right => {}
                differing => break differing,
            }
        };
        match (line, right) {
            _ if answer.is_empty() => "the answer is empty".into(),
            (Some(line), Some(right)) => {
                let pairs = line.chars().zip(right.chars());
                let column = 1 + pairs.take_while(|(a, b)| a == b).count();
                let (line, right) = (quoted(line), quoted(right));
                format!(
                    "line {number} is \"{line}\", but should be \"{right}\"; they differ from character {column} on"
                )
            }
            (Some(line), None) => {
                let line = quoted(line);
                format!("the tree ends before line {number}, \"{line}\"")
            }
            (None, right) => {
                let right = quoted(right.unwrap_or(""));
                format!("the answer ends before line {number}, \"{right}\"")
            }
        }
    }
}

/// Measurements of an answer compared with the right drawing.
pub struct Measured<'a> {
    pub line_similarity: f64,
    pub root_correct: bool,
    pub line_count: f64,
    pub branch_count: f64,
    pub exact_lines: f64,
    /// Over the lines below the root.
    pub line_f1: f64,
    pub structure: Structure,
    pub failures: Vec<&'static str>,
    /// The lines and difflib's comparison of them, if no line is blank.
    compared: Option<(Vec<&'a str>, Comparison)>,
}

impl<'a> Measured<'a> {
    /// Measurements of a completion without an answer.
    pub const NOTHING: Self = Self {
        line_similarity: 0.0,
        root_correct: false,
        line_count: 0.0,
        branch_count: 0.0,
        exact_lines: 0.0,
        line_f1: 0.0,
        structure: Structure { node_f1: 0.0, edge_f1: 0.0, order: 0.0, depth: 0.0 },
        failures: Vec::new(),
        compared: None,
    };

    /// Every part that is measured on the answer alone, by name.
    pub fn parts(&self) -> [(&'static str, f64); 10] {
        [
            ("line_similarity", self.line_similarity),
            ("root_correct", f64::from(u8::from(self.root_correct))),
            ("line_count", self.line_count),
            ("branch_count", self.branch_count),
            ("exact_lines", self.exact_lines),
            ("line_f1", self.line_f1),
            ("node_f1", self.structure.node_f1),
            ("edge_f1", self.structure.edge_f1),
            ("order", self.structure.order),
            ("depth", self.structure.depth),
        ]
    }

    pub fn right(reference: &'a Reference<'_>) -> Self {
        let lines = reference.lines();
        let comparison = Comparison { ratio: 1.0, longest: lines.len() };
        Self {
            line_similarity: 1.0,
            root_correct: true,
            line_count: 1.0,
            branch_count: 1.0,
            exact_lines: 1.0,
            line_f1: 1.0,
            structure: Structure::EQUAL,
            failures: Vec::new(),
            compared: Some((lines, comparison)),
        }
    }

    /// Measures a wrong answer. Blank lines do not count.
    pub fn new(answer: &'a str, reference: &Reference<'_>, budget: &mut Budget) -> Result<Self, OverBudget> {
        let (lines, right) = (tree_text::written_lines(answer), reference.lines());
        let comparison = Comparison::new(&lines, &right, budget)?;
        let tree = tree_text::tree_of(&lines);
        let structure = Structure::new(&tree, &reference.tree, budget)?;
        let in_place = lines.iter().zip(&right).filter(|(a, b)| a == b).count();
        let (branches, right_branches) = (branches(&lines), branches(&right));

        let well_drawn = !tree.is_empty()
            && tree.iter().all(|node| node.depth <= tree_text::DEEPEST)
            && tree_text::draw(&tree) == answer;
        let only_spacing = unspaced(answer).eq(unspaced(&reference.drawn));
        let same_tree = tree == reference.tree;
        let is = |measure: f64| measure >= 1.0;
        let names = is(structure.node_f1);
        let order = names && is(structure.edge_f1) && !is(structure.order);
        let checks = [
            (!well_drawn, label::MALFORMED_ANSWER),
            (well_drawn, label::WRONG_ANSWER),
            (lines.first() != right.first(), "wrong_root"),
            (lines.len() > right.len(), "extra_lines"),
            (lines.len() < right.len(), "missing_lines"),
            (branches != right_branches, "wrong_branch_count"),
            (only_spacing, "indentation_or_spacing_only"),
            (!names, "wrong_names"),
            (names && !order && !same_tree, "wrong_parents"),
            (order, "wrong_order"),
            (same_tree && !only_spacing, "wrong_glyphs"),
        ];
        let failures = checks.iter().filter(|(fails, _)| *fails);
        Ok(Self {
            line_similarity: comparison.ratio,
            root_correct: lines.first() == right.first(),
            line_count: nearness(lines.len(), right.len()),
            branch_count: nearness(branches, right_branches),
            exact_lines: in_place as f64 / right.len() as f64,
            line_f1: tree_text::f1(below(&lines), below(&right), |line| *line),
            structure,
            failures: failures.map(|(_, label)| *label).collect(),
            compared: (lines.len() == 1 + memchr_iter(b'\n', answer.as_bytes()).count())
                .then_some((lines, comparison)),
        })
    }
}

/// The lines below the root.
fn below<'a, 'b>(lines: &'b [&'a str]) -> &'b [&'a str] {
    lines.get(1..).unwrap_or_default()
}

fn unspaced(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|c| !c.is_whitespace())
}

/// Lines with a branch in them.
fn branches(lines: &[&str]) -> usize {
    let is_branch = |glyphs: &[u8]| matches!(glyphs, b"+--" | b"`--");
    let has_branch = |line: &&&str| line.as_bytes().windows(3).any(is_branch);
    lines.iter().filter(has_branch).count()
}

/// 1 minus the relative error, at least 0.
fn nearness(count: usize, right: usize) -> f64 {
    match right {
        0 => f64::from(u8::from(count == 0)),
        _ => 1.0 - (count.abs_diff(right).min(right) as f64 / right as f64),
    }
}
