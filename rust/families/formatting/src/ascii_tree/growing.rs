//! Generation and mutation of trees.

use super::names::Names;
use super::{AsciiTreeParams, DEEPEST, MOST_ROWS, Tree};
use kit::rng::Rng;
use kit::task::certificate::Aim;

/// A tree of the required size: first a path down to the required depth, then leaves wherever there is room.
pub fn grow(params: &AsciiTreeParams, rng: &mut Rng) -> Tree {
    let mut growing = Growing::new(params, rng);
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
    growing.tree()
}

/// Adds a directory, removes a leaf or changes a name.
pub fn mutated(tree: &Tree, aim: Aim, rng: &mut Rng) -> Option<Tree> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use kit::rng::Key;
    use kit::task::problem::Problem;

    #[test]
    fn params_hold_for_what_is_grown() {
        for names in [Names::Words, Names::Repository, Names::Numbered, Names::Mixed] {
            for (lines, depth, children) in [(2, 1, 1), (51, 1, 50), (33, 32, 1), (500, 8, 50), (63, 5, 2)] {
                let params = AsciiTreeParams { lines, depth, children, sorted: lines % 2 == 1, names };
                let rng = &mut Key::new("params", 1, "", 0, "").stream(u64::from(lines));
                let tree = grow(&params, rng);
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
}
