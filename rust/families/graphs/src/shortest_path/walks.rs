//! Walks that do not search for a shortest path.

use std::ops::Range;

use super::Network;
use kit::rng::Rng;
use kit::shared::graph::{FAR, LARGEST_WEIGHT, MOST_NODES, Search};
use kit::task::solution::Faults;

impl Network {
    /// The walk that always takes the lightest edge to an unvisited node; `tie` decides between equals,
    /// smallest first. It ends at the goal, at a dead end, or once it is longer than `most`.
    pub fn lightest_first(&self, most: u64, mut tie: impl FnMut(usize) -> u64) -> (Vec<usize>, u64) {
        let mut walk = vec![self.start];
        let (mut here, mut length) = (self.start, 0);
        while here != self.goal && length <= most {
            let ways = self.graph.ways(here);
            let ways = ways.filter(|(to, _)| !walk.contains(to));
            let Some((to, weight)) = ways.min_by_key(|(to, weight)| (*weight, tie(*to))) else {
                break;
            };
            walk.push(to);
            (here, length) = (to, length + weight);
        }
        (walk, length)
    }

    pub fn lightest_first_fails(&self) -> bool {
        let (walk, length) = self.lightest_first(self.shortest, |node| node as u64);
        walk.last() != Some(&self.goal) || length > self.shortest
    }

    /// A path with the fewest edges, regardless of weight; among several, the one with the smallest sum of
    /// `tie`.
    pub fn fewest_edges(&self, mut tie: impl FnMut(u64) -> u64) -> Vec<usize> {
        const EDGE: u64 = LARGEST_WEIGHT * MOST_NODES as u64;
        let counted = self.graph.reweighted(|weight| EDGE + tie(weight));
        counted.shortest_paths(self.start).path(self.goal)
    }

    /// A random path, regardless of weight; empty if there is none.
    pub fn any_path(&self, rng: &mut Rng) -> Vec<usize> {
        let mut seen = vec![false; self.graph.nodes()];
        let mut path = Vec::new();
        let mut open = vec![(0, self.start)];
        while let Some((before, node)) = open.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            path.truncate(before);
            path.push(node);
            if node == self.goal {
                return path;
            }
            let mut ways: Vec<_> = self.graph.ways(node).map(|(to, _)| (path.len(), to)).collect();
            rng.shuffle(&mut ways);
            open.extend(ways);
        }
        Vec::new()
    }

    /// A walk that takes a wrong edge `wrong` times and otherwise follows the shortest path to the goal.
    pub fn astray(&self, wrong: usize, back: &Search, rng: &mut Rng) -> Vec<usize> {
        let mut walk = vec![self.start];
        let mut here = self.start;
        let mut left = wrong;
        while here != self.goal {
            let right = back.via[here];
            let hops = back.path(here).len() - 1;
            let ways = self.graph.ways(here).map(|(to, _)| to);
            let other = ways.filter(|to| *to != right && back.distance[*to] != FAR && !walk.contains(to));
            let other: Vec<usize> = other.collect();
            here = if !other.is_empty() && rng.chance(left as u64, left.max(hops) as u64) {
                left -= 1;
                *rng.pick(&other)
            } else {
                right
            };
            walk.push(here);
        }
        walk
    }

    /// Shortest paths with as many mistakes as asked, one kind per walk.
    pub fn wrong_walks(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let back = self.graph.turned().shortest_paths(self.goal);
        let path: Vec<usize> = back.path(self.start).into_iter().rev().collect();
        let Some((last, before)) = path.split_last() else { return Vec::new() };
        let wrong = faults.of(before.len());
        let (mut strange, mut shorter, mut longer) = (path.clone(), path.clone(), path.clone());
        for at in drawn(1..before.len(), wrong, rng) {
            let other = rng.index(self.graph.nodes() - 1);
            strange[at] = other + usize::from(other >= path[at]);
        }
        for at in drawn(1..before.len(), wrong, rng).into_iter().rev() {
            shorter.remove(at);
        }
        // A detour to a neighbor and back.
        for at in drawn(0..before.len(), wrong, rng).into_iter().rev() {
            let ways: Vec<usize> = self.graph.ways(path[at]).map(|(to, _)| to).collect();
            longer.splice(at..at, [path[at], *rng.pick(&ways)]);
        }
        let mut walks = vec![strange, shorter, longer, before.to_vec(), path[1..].to_vec()];
        walks.push(path.iter().rev().copied().collect());
        walks.push([&path[..], &[*last]].concat());
        walks.push([&path[..], &path[..]].concat());
        walks.extend((0..4).map(|_| self.astray(wrong, &back, rng)));
        walks
    }
}

/// Up to `count` positions of a range, in order.
fn drawn(range: Range<usize>, count: usize, rng: &mut Rng) -> Vec<usize> {
    let mut positions: Vec<usize> = range.collect();
    rng.shuffle(&mut positions);
    positions.truncate(count);
    positions.sort_unstable();
    positions
}
