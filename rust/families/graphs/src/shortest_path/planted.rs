//! Graphs planted around a shortest path that is known before the edges are.

use std::ops::RangeInclusive;

use kit::rng::Rng;
use kit::shared::graph::{Edge, Graph};

/// A path at most this much longer than the shortest looks like a shortest one.
pub const NEAR: u64 = 2;

/// A graph under construction. Every node's distance from node 0 is fixed before the edges are, so the detour
/// that each edge causes is known in advance.
pub struct Draft {
    directed: bool,
    goal: usize,
    /// Largest weight of an edge.
    heaviest: u64,
    distance: Vec<u64>,
    /// Fewest edges of a shortest path to each node.
    depth: Vec<usize>,
    edges: Vec<Edge>,
    /// For each node, its successors as bits.
    linked: Vec<u128>,
}

impl Draft {
    /// Plants nodes `0..=hops` as the shortest path, with edges of at most `heaviest`; the other nodes up to
    /// `nodes` branch off it.
    pub fn plant(directed: bool, nodes: usize, hops: usize, heaviest: u64, rng: &mut Rng) -> Self {
        let mut draft = Self {
            directed,
            goal: hops,
            heaviest,
            distance: vec![0],
            depth: vec![0],
            edges: Vec::new(),
            linked: vec![0; nodes],
        };
        for node in 1..nodes {
            let from = match node {
                _ if node <= hops => node - 1,
                // Never off the goal, as nothing beyond it matters.
                _ => match rng.index(node - 1) {
                    from if from < hops => from,
                    from => from + 1,
                },
            };
            let weight = 1 + rng.below(heaviest);
            draft.distance.push(draft.distance[from] + weight);
            draft.depth.push(draft.depth[from] + 1);
            draft.link(from, node, weight);
        }
        draft
    }

    /// Adds an edge past one node of the path: fewer edges, but a longer path.
    pub fn add_shortcut(&mut self, rng: &mut Rng) {
        self.until_linked(|draft| {
            let from = rng.index(draft.goal - 1);
            draft.link_if_room(from, from + 2, 1..=NEAR, rng)
        });
    }

    /// Adds an edge that opens another path to the goal, hardly longer than the shortest.
    pub fn add_decoy(&mut self, rng: &mut Rng) {
        self.until_linked(|draft| {
            let (from, to) = (rng.index(draft.distance.len()), 1 + rng.index(draft.goal));
            let nearer = draft.distance[from] < draft.distance[to];
            nearer && draft.link_if_room(from, to, 1..=NEAR, rng)
        });
    }

    /// Adds any edge that makes no path shorter.
    pub fn add_edge(&mut self, rng: &mut Rng) {
        self.until_linked(|draft| {
            let nodes = draft.distance.len();
            let (from, to) = (rng.index(nodes), rng.index(nodes));
            from != to && draft.link_if_room(from, to, 0..=draft.heaviest, rng)
        });
    }

    /// Length of the shortest path.
    pub fn shortest(&self) -> u64 {
        self.distance[self.goal]
    }

    /// Tries a few edges; there may be no room for any.
    fn until_linked(&mut self, mut link: impl FnMut(&mut Self) -> bool) {
        const TRIES: usize = 20;
        let _ = (0..TRIES).any(|_| link(self));
    }

    fn link(&mut self, from: usize, to: usize, weight: u64) {
        self.linked[from] |= 1 << to;
        if self.directed {
            self.edges.push((from, to, weight));
        } else {
            self.linked[to] |= 1 << from;
            self.edges.push((from.min(to), from.max(to), weight));
        }
    }

    /// Links two nodes by an edge that makes a path longer by an amount in `detour`, unless they are already
    /// linked or the edge would be too heavy.
    fn link_if_room(&mut self, from: usize, to: usize, detour: RangeInclusive<u64>, rng: &mut Rng) -> bool {
        let (near, far) =
            if self.directed || self.distance[from] <= self.distance[to] { (from, to) } else { (to, from) };
        let least = self.distance[far].saturating_sub(self.distance[near]);
        // A shortest path with fewer edges than planted must not appear.
        let skips = self.depth[far] > self.depth[near] + 1;
        let low = (least + detour.start()).max(least + u64::from(skips)).max(1);
        let high = (least + detour.end()).min(self.heaviest);
        if low > high || self.linked[from] >> to & 1 == 1 {
            return false;
        }
        self.link(from, to, rng.int(low as i64, high as i64) as u64);
        true
    }

    /// Fewest edges of any path to the goal, regardless of weight.
    pub fn fewest_edges(&self) -> u32 {
        let (mut reached, mut edges) = (1u128, 0);
        while reached >> self.goal & 1 == 0 {
            let links = self.linked.iter().enumerate();
            let out = links.filter(|(node, _)| reached >> node & 1 == 1);
            reached = out.fold(reached, |all, (_, links)| all | links);
            edges += 1;
        }
        edges
    }

    /// The graph with its nodes still unnamed.
    pub fn graph(mut self) -> Graph {
        self.edges.sort_unstable();
        Graph { directed: self.directed, names: vec![String::new(); self.distance.len()], edges: self.edges }
    }
}
