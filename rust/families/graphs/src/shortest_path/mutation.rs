//! Variants of a network.

use super::Network;
use super::planted::NEAR;
use kit::rng::Rng;
use kit::shared::graph::{Graph, LARGEST_WEIGHT, MOST_EDGES, MOST_NODES, Search};
use kit::shared::route;
use kit::task::certificate::Aim;

impl Network {
    /// Harder: a node that opens another path, and sometimes a weight that makes another path the best.
    /// Easier: fewer edges off the path. Same: two changed weights.
    pub fn mutated(&self, aim: Aim, rng: &mut Rng) -> Option<Self> {
        let search = self.graph.shortest_paths(self.start);
        let path = search.path(self.goal);
        if path.is_empty() {
            return None;
        }
        let mut mutated = self.clone();
        let graph = &mut mutated.graph;
        match aim {
            Aim::Harder => {
                add_decoy(graph, &path, &search, rng)?;
                let at = rng.index(path.len() - 1);
                if rng.chance(1, 2)
                    && let Some(weight) = graph.weight_mut(path[at], path[at + 1])
                {
                    *weight = (*weight + 1 + rng.below(NEAR)).min(LARGEST_WEIGHT);
                }
            }
            Aim::Easier => mutated.remove_edges_off(&path, rng),
            Aim::Same => {
                for _ in 0..2 {
                    let weight = &mut graph.edges[rng.index(self.graph.edges.len())].2;
                    let near = rng.int((*weight as i64 - 2).max(1), *weight as i64 + 2) as u64;
                    *weight = near.min(LARGEST_WEIGHT);
                }
            }
        }
        let search = mutated.graph.shortest_paths(mutated.start);
        mutated.shortest = search.distance[mutated.goal];
        Some(mutated)
    }

    /// Removes up to three edges that are not on the path, and the nodes that this isolates.
    fn remove_edges_off(&mut self, path: &[usize], rng: &mut Rng) {
        let Graph { names, edges, .. } = &mut self.graph;
        for _ in 0..3 {
            let at = rng.index(edges.len());
            let (from, to, _) = edges[at];
            let on_path = |step: &[usize]| step == [from, to] || step == [to, from];
            if !path.windows(2).any(on_path) {
                edges.remove(at);
            }
        }
        for node in (0..names.len()).rev() {
            if edges.iter().all(|(from, to, _)| ![from, to].contains(&&node)) {
                names.remove(node);
                let ends = edges.iter_mut().flat_map(|(from, to, _)| [from, to]);
                for end in ends.chain([&mut self.start, &mut self.goal]) {
                    *end -= usize::from(*end > node);
                }
            }
        }
    }
}

/// Adds a bypass of one part of the path through a new node, longer by 1 or 2.
fn add_decoy(graph: &mut Graph, path: &[usize], search: &Search, rng: &mut Rng) -> Option<()> {
    if graph.nodes() == MOST_NODES || graph.edges.len() + 2 > MOST_EDGES {
        return None;
    }
    let from = rng.index(path.len() - 1);
    let to = from + 1 + rng.index(path.len() - from - 1);
    let (from, to) = (path[from], path[to]);
    let length = search.distance[to] - search.distance[from] + 1 + rng.below(NEAR);
    let first = (1 + rng.below(length - 1)).min(LARGEST_WEIGHT);
    let node = graph.nodes();
    graph.names.push(route::fresh_name(&graph.names)?);
    graph.insert(from, node, first);
    graph.insert(node, to, (length - first).min(LARGEST_WEIGHT));
    Some(())
}
