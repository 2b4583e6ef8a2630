//! Weighted graphs with named nodes, and the shortest paths in them.

use serde::{Deserialize, Serialize};

use crate::rng::Rng;
use crate::shared::invariant::mix;
use crate::shared::route;

pub const MOST_NODES: usize = 120;
pub const MOST_EDGES: usize = 1_000;
pub const LARGEST_WEIGHT: u64 = 1_000_000;

/// The distance of a node that cannot be reached.
pub const FAR: u64 = u64::MAX;

/// Two nodes and a weight. Undirected edges have the smaller node first.
pub type Edge = (usize, usize, u64);

#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Graph {
    pub directed: bool,
    pub names: Vec<String>,
    /// In order, so that an edge is found quickly and a graph is written in only one way.
    pub edges: Vec<Edge>,
}

/// Result of Dijkstra's algorithm.
pub struct Search {
    start: usize,
    /// Reachable nodes in the order in which they are settled, starting with the first one.
    pub order: Vec<usize>,
    pub distance: Vec<u64>,
    /// The node before each on a shortest path.
    pub via: Vec<usize>,
}

impl Graph {
    /// Checks shape and bounds of a graph from any source.
    pub fn check(&self) -> Result<(), String> {
        let (nodes, edges) = (self.names.len(), self.edges.len());
        if !(2..=MOST_NODES).contains(&nodes) {
            return Err(format!("`names` holds {nodes} nodes, but must hold 2 to {MOST_NODES}"));
        }
        route::check_names(&self.names)?;
        if !(1..=MOST_EDGES).contains(&edges) {
            return Err(format!("`edges` holds {edges} edges, but must hold 1 to {MOST_EDGES}"));
        }
        for (from, to, weight) in &self.edges {
            let text = format!("`edges` has [{from}, {to}, {weight}], but");
            if *from.max(to) >= nodes {
                return Err(format!("{text} nodes must be below {nodes}"));
            }
            if from == to || (!self.directed && from > to) {
                return Err(format!(
                    "{text} its nodes must differ, and the smaller one of an undirected edge be first"
                ));
            }
            if !(1..=LARGEST_WEIGHT).contains(weight) {
                return Err(format!("{text} weights must be between 1 and {LARGEST_WEIGHT}"));
            }
        }
        let ends = |edge: &Edge| (edge.0, edge.1);
        if !self.edges.is_sorted_by(|a, b| ends(a) < ends(b)) {
            return Err("`edges` must be in order, and none there twice".into());
        }
        Ok(())
    }

    pub fn nodes(&self) -> usize {
        self.names.len()
    }

    /// The edges out of a node: target and weight.
    pub fn ways(&self, node: usize) -> impl Iterator<Item = (usize, u64)> {
        let far_end = move |(from, to, weight): &Edge| match node {
            _ if *from == node => Some((*to, *weight)),
            _ if *to == node && !self.directed => Some((*from, *weight)),
            _ => None,
        };
        self.edges.iter().filter_map(far_end)
    }

    /// Index of the edge from one node to another, or where it would be inserted.
    fn find(&self, from: usize, to: usize) -> Result<usize, usize> {
        let swap = !self.directed && from > to;
        let ends = if swap { (to, from) } else { (from, to) };
        self.edges.binary_search_by_key(&ends, |(a, b, _)| (*a, *b))
    }

    pub fn weight(&self, from: usize, to: usize) -> Option<u64> {
        self.find(from, to).ok().map(|at| self.edges[at].2)
    }

    pub fn weight_mut(&mut self, from: usize, to: usize) -> Option<&mut u64> {
        let at = self.find(from, to).ok()?;
        Some(&mut self.edges[at].2)
    }

    /// Adds an edge between nodes that have none.
    pub fn insert(&mut self, from: usize, to: usize, weight: u64) {
        let swap = !self.directed && from > to;
        let (a, b) = if swap { (to, from) } else { (from, to) };
        let at = self.find(a, b).expect_err("the nodes are not linked yet");
        self.edges.insert(at, (a, b, weight));
    }

    /// The length of a walk, if it follows edges.
    pub fn length(&self, walk: &[usize]) -> Option<u64> {
        let steps = walk.windows(2);
        steps.map(|step| self.weight(step[0], step[1])).sum()
    }

    /// The same graph with other weights.
    #[must_use]
    pub fn reweighted(&self, mut weight: impl FnMut(u64) -> u64) -> Self {
        let mut graph = self.clone();
        graph.edges.iter_mut().for_each(|edge| edge.2 = weight(edge.2));
        graph
    }

    /// The same graph with the nodes reordered and renamed; `order` holds each node's new number.
    #[must_use]
    pub fn renumbered(&self, order: &[usize], names: Vec<String>) -> Self {
        let renumbered = |(from, to, weight): &Edge| match (order[*from], order[*to]) {
            (from, to) if self.directed || from < to => (from, to, *weight),
            (from, to) => (to, from, *weight),
        };
        let mut edges: Vec<Edge> = self.edges.iter().map(renumbered).collect();
        edges.sort_unstable();
        Self { directed: self.directed, names, edges }
    }

    /// A number that does not depend on the nodes' names and order (color refinement). `marks` distinguish
    /// nodes from the start; with `turned`, every edge is reversed first.
    pub fn invariant(&self, marks: impl Fn(usize) -> u64, turned: bool) -> u64 {
        /// Distance in edges that nodes see: with weights, it is enough to distinguish nearly all graphs.
        const ROUNDS: usize = 3;
        let mut colours: Vec<u64> = (0..self.nodes()).map(|node| mix(marks(node))).collect();
        for _ in 0..ROUNDS {
            let mut seen: Vec<u64> = colours.iter().map(|colour| mix(*colour)).collect();
            for (from, to, weight) in &self.edges {
                let (from, to) = if turned { (*to, *from) } else { (*from, *to) };
                let (out, back) = (2 * weight, 2 * weight + u64::from(self.directed));
                seen[from] = seen[from].wrapping_add(mix(colours[to] ^ out));
                seen[to] = seen[to].wrapping_add(mix(colours[from] ^ back));
            }
            colours = seen;
        }
        colours.into_iter().map(mix).fold(0, u64::wrapping_add)
    }

    /// The same graph with every edge reversed.
    #[must_use]
    pub fn turned(&self) -> Self {
        let mut turned = self.clone();
        if self.directed {
            for (from, to, _) in &mut turned.edges {
                std::mem::swap(from, to);
            }
            turned.edges.sort_unstable();
        }
        turned
    }

    /// Dijkstra's algorithm from one node.
    pub fn shortest_paths(&self, start: usize) -> Search {
        let nodes = self.nodes();
        let mut search = Search {
            start,
            order: Vec::with_capacity(nodes),
            distance: vec![FAR; nodes],
            via: vec![start; nodes],
        };
        search.distance[start] = 0;
        let mut open: Vec<usize> = (0..nodes).collect();
        while let Some(at) = (0..open.len()).min_by_key(|at| search.distance[open[*at]]) {
            let node = open.swap_remove(at);
            let distance = search.distance[node];
            if distance == FAR {
                break;
            }
            search.order.push(node);
            for (to, weight) in self.ways(node) {
                if distance + weight < search.distance[to] {
                    search.distance[to] = distance + weight;
                    search.via[to] = node;
                }
            }
        }
        search
    }

    /// Number of walks from start to goal that are at most `more` longer than the shortest, up to a thousand
    /// or so.
    pub fn near_walks(&self, start: usize, goal: usize, more: u64) -> u64 {
        let back = self.turned().shortest_paths(goal);
        // `walks[extra][node]`: walks from the node to the goal that are exactly `extra` longer than
        // necessary.
        let mut walks: Vec<Vec<u64>> = Vec::new();
        for extra in 0..=more {
            walks.push(vec![0; self.nodes()]);
            for node in &back.order {
                let mut count = u64::from(*node == goal && extra == 0);
                for (to, weight) in self.ways(*node) {
                    let detour = weight.saturating_add(back.distance[to]) - back.distance[*node];
                    if detour <= extra {
                        count += walks[(extra - detour) as usize][to];
                    }
                }
                walks[extra as usize][*node] = count.min(1_000);
            }
        }
        walks.iter().map(|walks| walks[start]).sum()
    }

    /// The edges by name in any order, undirected ones from either end.
    pub fn shuffled(&self, rng: &mut Rng) -> Vec<(&str, &str, u64)> {
        let named = |(from, to, weight): &Edge| {
            let swap = !self.directed && rng.chance(1, 2);
            let (from, to) = if swap { (to, from) } else { (from, to) };
            (self.names[*from].as_str(), self.names[*to].as_str(), *weight)
        };
        let mut edges: Vec<_> = self.edges.iter().map(named).collect();
        rng.shuffle(&mut edges);
        edges
    }

    /// A line for each node: `A: B (4), C (7)`.
    pub fn adjacency(&self) -> String {
        let order = route::by_name(&self.names);
        let line = |node: &usize| {
            let mut weights = vec![None; self.nodes()];
            for (to, weight) in self.ways(*node) {
                weights[to] = Some(weight);
            }
            let way = |to: &usize| Some(format!("{} ({})", self.names[*to], weights[*to]?));
            let ways: Vec<_> = order.iter().filter_map(way).collect();
            let ways = if ways.is_empty() { "none".into() } else { ways.join(", ") };
            format!("{}: {ways}\n", self.names[*node])
        };
        order.iter().map(line).collect()
    }
}

impl Search {
    /// A shortest path to a node; empty if it cannot be reached.
    pub fn path(&self, goal: usize) -> Vec<usize> {
        if self.distance[goal] == FAR {
            return Vec::new();
        }
        let back = |node: &usize| (*node != self.start).then(|| self.via[*node]);
        let mut path: Vec<usize> = std::iter::successors(Some(goal), back).collect();
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;
    use crate::shared::route::Naming;

    /// Calls `visit` with `path` and every extension of it that meets no node twice.
    fn all_paths(graph: &Graph, path: &mut Vec<usize>, visit: &mut impl FnMut(&[usize])) {
        visit(path);
        for node in 0..graph.nodes() {
            let here = path[path.len() - 1];
            if graph.weight(here, node).is_some() && !path.contains(&node) {
                path.push(node);
                all_paths(graph, path, visit);
                path.pop();
            }
        }
    }

    fn random(rng: &mut Rng) -> Graph {
        let nodes = 3 + rng.index(4);
        let directed = rng.chance(1, 2);
        let mut edges = vec![(0, 1, 1)];
        for (a, b) in (0..nodes * nodes).map(|i| (i / nodes, i % nodes)).skip(2) {
            if a != b && (directed || a < b) && rng.chance(1, 2) {
                edges.push((a, b, 1 + rng.below(4)));
            }
        }
        let names = Naming::Letters.draw(nodes, rng);
        let graph = Graph { directed, names, edges };
        graph.check().unwrap();
        graph
    }

    #[test]
    fn shortest_paths_agree_with_trying_them_all() {
        let mut rng = Key::new("graph", 1, "", 0, "").stream(0);
        for _ in 0..500 {
            let graph = random(&mut rng);
            let search = graph.shortest_paths(0);
            let mut lengths = vec![Vec::new(); graph.nodes()];
            all_paths(&graph, &mut vec![0], &mut |path| {
                lengths[path[path.len() - 1]].push(graph.length(path).unwrap());
            });
            for (goal, lengths) in lengths.iter().enumerate().skip(1) {
                let least = lengths.iter().copied().min();
                assert_eq!(search.distance[goal], least.unwrap_or(FAR));
                let path = search.path(goal);
                assert_eq!(path.is_empty(), least.is_none());
                let ties = lengths.iter().filter(|length| Some(**length) == least);
                assert_eq!(graph.near_walks(0, goal, 0), ties.count() as u64);
                if let Some(least) = least {
                    assert_eq!(graph.length(&path), Some(least));
                    assert_eq!((path[0], path[path.len() - 1]), (0, goal));
                    // Detours of 2 may also go back and forth, which no path does.
                    let near = lengths.iter().filter(|length| **length <= least + 1);
                    assert_eq!(graph.near_walks(0, goal, 1), near.count() as u64);
                }
            }
            assert!(search.order.is_sorted_by_key(|node| search.distance[*node]));
        }
    }

    #[test]
    fn an_invariant_knows_weights_marks_and_directions_but_no_order() {
        let mut rng = Key::new("invariant", 1, "", 0, "").stream(0);
        for _ in 0..300 {
            let graph = random(&mut rng);
            let mut order: Vec<usize> = (0..graph.nodes()).collect();
            rng.shuffle(&mut order);
            let other = graph.renumbered(&order, Naming::Towns.draw(graph.nodes(), &mut rng));
            other.check().unwrap();
            let invariant = |graph: &Graph, marked: usize, turned| {
                graph.invariant(|node| u64::from(node == marked), turned)
            };
            let known = invariant(&graph, 0, false);
            assert_eq!(invariant(&other, order[0], false), known);
            assert_eq!(invariant(&graph.turned(), 0, true), known);
            assert_ne!(graph.invariant(|_| 0, false), known);
            assert_ne!(invariant(&graph.reweighted(|weight| weight + 1), 0, false), known);
            let mut longer = graph.clone();
            longer.edges[rng.index(graph.edges.len())].2 += 1;
            assert_ne!(invariant(&longer, 0, false), known);
        }
        let path = |first: Edge, second: Edge| Graph {
            directed: true,
            names: vec!["A".into(), "B".into(), "C".into()],
            edges: vec![first, second],
        };
        // Two edges out of B, and two into it.
        let (out, into) = (path((1, 0, 1), (1, 2, 1)), path((0, 1, 1), (2, 1, 1)));
        assert_ne!(out.invariant(|_| 0, false), into.invariant(|_| 0, false));
        assert_eq!(out.invariant(|_| 0, true), into.invariant(|_| 0, false));
    }

    #[test]
    fn a_graph_is_written_in_one_way_only() {
        let graph = |directed, edges: &[Edge]| Graph {
            directed,
            names: vec!["A".into(), "B".into(), "C".into()],
            edges: edges.to_vec(),
        };
        let refused = |directed, edges: &[Edge]| graph(directed, edges).check().is_err();
        assert!(!refused(false, &[(0, 1, 2), (0, 2, 1)]));
        assert!(!refused(true, &[(0, 1, 2), (1, 0, 1)]));
        assert!(refused(false, &[(0, 1, 2), (1, 0, 1)]));
        for edges in [
            &[][..],
            &[(0, 2, 1), (0, 1, 2)],
            &[(0, 1, 1), (0, 1, 2)],
            &[(1, 1, 1)],
            &[(0, 3, 1)],
            &[(0, 1, 0)],
            &[(0, 1, LARGEST_WEIGHT + 1)],
            &[(usize::MAX, 0, 1)],
        ] {
            assert!(refused(true, edges) && refused(false, edges), "{edges:?}");
        }
    }
}
