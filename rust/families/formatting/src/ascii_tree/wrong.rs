//! Wrong drawings: with faults, and from policies that draw nothing.

use super::wording::EXAMPLE;
use super::{DEEPEST, Tree};
use kit::rng::Rng;
use kit::task::solution::Faults;

/// Glyphs, each with one that may be drawn in its place.
pub const LOOKALIKES: &[(&str, &str)] = &[
    ("`--", "+--"),
    ("+--", "`--"),
    ("`--", "\\--"),
    ("+--", "|--"),
    ("+--", "├── "),
    ("`--", "└── "),
    ("|   ", "│   "),
    ("--", "-- "),
    ("--", "-"),
    ("--", "---"),
    ("+--", ""),
    ("`--", ""),
    ("|   ", "    "),
    ("|   ", "|  "),
    ("     ", " |   "),
    ("    ", "   "),
    ("    ", "\t"),
    ("    ", "\u{a0}\u{a0}\u{a0} "),
];

impl Tree {
    /// Drawings of this tree with directories renamed, exchanged, moved, removed, added or drawn wrong.
    pub fn near_drawings(&self, faults: Faults, rng: &mut Rng) -> Vec<String> {
        let count = self.rows.len();
        // The root cannot move.
        let below = |rng: &mut Rng| -> Vec<usize> {
            let mut rows: Vec<usize> = faults.draw(count - 1, rng).into_iter().map(|row| row + 1).collect();
            rows.sort_unstable();
            rows
        };
        let mut wrong = vec![
            self.renamed(&faults.draw(count, rng), rng).draw(),
            self.exchanged(&faults.draw(count, rng), rng).draw(),
            self.moved(&below(rng), rng).draw(),
            self.without(&below(rng)).draw(),
            self.with_more(&faults.draw(count, rng)).draw(),
            self.drawn_wrong(&below(rng)),
        ];
        let right = self.draw();
        wrong.retain(|drawing| *drawing != right);
        wrong
    }

    fn renamed(&self, rows: &[usize], rng: &mut Rng) -> Self {
        let mut tree = self.clone();
        for row in rows {
            let name = &mut tree.rows[*row].1;
            *name = match rng.below(3) {
                0 => format!("{name}s"),
                1 => format!("{name}/"),
                _ => format!("'{name}'"),
            };
        }
        tree
    }

    /// Exchanges the names of the rows and of one other row, if there is one.
    fn exchanged(&self, rows: &[usize], rng: &mut Rng) -> Self {
        let mut tree = self.clone();
        let mut rows = rows.to_vec();
        let others: Vec<usize> = (0..self.rows.len()).filter(|row| !rows.contains(row)).collect();
        if !others.is_empty() {
            rows.push(*rng.pick(&others));
        }
        for pair in rows.windows(2) {
            let name = std::mem::take(&mut tree.rows[pair[0]].1);
            let other = std::mem::replace(&mut tree.rows[pair[1]].1, name);
            tree.rows[pair[0]].1 = other;
        }
        tree
    }

    /// Moves the rows to another depth in place, with everything below them, if another depth is possible.
    fn moved(&self, rows: &[usize], rng: &mut Rng) -> Self {
        let mut tree = self.clone();
        for row in rows {
            let (depth, above) = (tree.rows[*row].0, tree.rows[row - 1].0);
            let size = 1 + tree.rows[row + 1..].iter().take_while(|(below, _)| *below > depth).count();
            let (held, after) = tree.rows[*row..].split_at(size);
            let lowest = held.iter().map(|(below, _)| below - depth).max().unwrap_or(0);
            let (last, next) = (held[size - 1].0 - depth, after.first().map_or(0, |(next, _)| *next));
            let is_other = |new: &u8| *new != depth && new + lowest <= DEEPEST && next <= new + last + 1;
            let others: Vec<u8> = (1..=above + 1).filter(is_other).collect();
            if !others.is_empty() {
                let new = *rng.pick(&others);
                tree.rows[*row..*row + size].iter_mut().for_each(|(below, _)| *below = *below - depth + new);
            }
        }
        tree
    }

    /// Removes the rows; their children move up to the parent.
    fn without(&self, rows: &[usize]) -> Self {
        let mut tree = self.clone();
        for row in rows.iter().rev() {
            let (depth, _) = tree.rows.remove(*row);
            let inside = tree.rows[*row..].iter_mut().take_while(|(below, _)| *below > depth);
            inside.for_each(|(below, _)| *below -= 1);
        }
        tree
    }

    /// Adds a directory inside each of the rows.
    fn with_more(&self, rows: &[usize]) -> Self {
        let mut tree = Self { rows: Vec::with_capacity(self.rows.len() + rows.len()) };
        for (row, (depth, name)) in self.rows.iter().enumerate() {
            tree.rows.push((*depth, name.clone()));
            if rows.contains(&row) {
                tree.rows.push((depth + 1, "etc".to_owned()));
            }
        }
        tree
    }

    /// The drawing with the other branch glyph on these rows' lines.
    fn drawn_wrong(&self, rows: &[usize]) -> String {
        let drawn = self.draw();
        let turned = |(row, line): (usize, &str)| match (rows.contains(&row), line.split_once("+--")) {
            (false, _) => line.to_owned(),
            (true, Some((lead, name))) => format!("{lead}`--{name}"),
            (true, None) => line.replacen("`--", "+--", 1),
        };
        let lines: Vec<String> = drawn.split('\n').enumerate().map(turned).collect();
        lines.join("\n")
    }

    /// Answers that copy the prompt and draw nothing.
    pub fn copies(&self) -> Vec<(&'static str, String)> {
        let mut names = Vec::new();
        let mut indented = Vec::new();
        let mut paths = Vec::new();
        self.for_each_path(|_, path| {
            let name = path[path.len() - 1];
            names.push(name);
            indented.push(format!("{}{name}", "  ".repeat(path.len() - 1)));
            paths.push(path.join("/"));
        });
        vec![
            ("the prompt's example", EXAMPLE.to_owned()),
            ("the root alone", names[0].to_owned()),
            ("the names, one per line", names.join("\n")),
            ("the names, indented by depth", indented.join("\n")),
            ("the paths", paths.join("\n")),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{DRAWN, generated, packaging};
    use super::*;
    use kit::rng::Key;

    #[test]
    fn what_is_moved_again_and_again_stays_a_tree() {
        for index in 0..20 {
            let tree = generated(7, index);
            let rng = &mut Key::new("moved", 1, "", 0, "").stream(index);
            let rows: Vec<usize> = (1..tree.rows.len()).collect();
            let moved = (0..20).fold(tree, |tree, _| tree.moved(&rows, rng));
            let depths: Vec<u8> = moved.rows.iter().map(|(depth, _)| *depth).collect();
            assert!(depths.windows(2).all(|pair| (1..=pair[0] + 1).contains(&pair[1])), "{depths:?}");
            assert!(depths.iter().all(|depth| *depth <= DEEPEST), "{depths:?}");
        }
    }

    #[test]
    fn faults_are_where_they_are_planted() {
        let tree = packaging();
        let without = tree.without(&[2]);
        assert_eq!(without.draw(), "packaging\n +--brew\n +--arch\n +--debian\n `--windows");
        assert_eq!(tree.without(&[1, 2, 3, 4, 5]).draw(), "packaging");
        let more = tree.with_more(&[0, 3]).draw();
        assert_eq!(
            more,
            DRAWN
                .replace("packaging\n", "packaging\n +--etc\n")
                .replace("+--arch\n", "+--arch\n |   |   `--etc\n")
        );
        assert_eq!(tree.drawn_wrong(&[4]), DRAWN.replace("`--debian", "+--debian"));
        let rng = &mut Key::new("wrong", 1, "", 0, "").stream(0);
        assert_eq!(tree.moved(&[1], rng).draw(), DRAWN, "the first child of the root has one place");
        assert_eq!(
            tree.moved(&[2], rng).draw(),
            "packaging\n +--brew\n |   `--linux\n |       +--arch\n |       `--debian\n `--windows"
        );
        let names = |tree: &Tree| -> Vec<String> { tree.rows.iter().map(|(_, name)| name.clone()).collect() };
        let (mut before, mut after) = (names(&tree), names(&tree.exchanged(&[1, 4], rng)));
        assert_eq!(before.iter().zip(&after).filter(|(a, b)| a != b).count(), 3);
        before.sort_unstable();
        after.sort_unstable();
        assert_eq!(before, after);
    }
}
