//! Flow sent along one path after the other, with and without taking any back.

use std::collections::VecDeque;

use super::Network;

/// Pipes by index, each with true if it is followed forward, and the flow sent along them.
type Way = (Vec<(usize, bool)>, u64);

impl Network {
    /// Residual capacity of an edge, forward or backward.
    fn room(&self, edge: usize, forward: bool, flow: &[u64]) -> u64 {
        if forward { self.graph.edges[edge].2 - flow[edge] } else { flow[edge] }
    }

    /// A path from the source to the sink with room on every pipe and the additional flow it can carry; otherwise
    /// the nodes that can be reached. `looked` counts the pipes examined.
    fn way(&self, flow: &[u64], returns: bool, looked: &mut u64) -> Result<Way, Vec<usize>> {
        let mut via: Vec<Option<(usize, bool)>> = vec![None; self.graph.nodes()];
        let mut queue = VecDeque::from([self.source.0]);
        let mut seen = vec![false; self.graph.nodes()];
        seen[self.source.0] = true;
        while let Some(node) = queue.pop_front() {
            for (edge, (from, to, _)) in self.graph.edges.iter().enumerate() {
                for (here, next, forward) in [(*from, *to, true), (*to, *from, false)] {
                    if here != node || !forward && !returns {
                        continue;
                    }
                    *looked += 1;
                    if self.room(edge, forward, flow) > 0 && !seen[next] {
                        seen[next] = true;
                        via[next] = Some((edge, forward));
                        queue.push_back(next);
                    }
                }
            }
        }
        let mut way = Vec::new();
        let mut node = self.sink.0;
        while let Some((edge, forward)) = via[node] {
            way.push((edge, forward));
            node = if forward { self.graph.edges[edge].0 } else { self.graph.edges[edge].1 };
        }
        if way.is_empty() {
            return Err((0..seen.len()).filter(|node| seen[*node]).collect());
        }
        way.reverse();
        let room =
            way.iter().map(|(edge, forward)| self.room(*edge, *forward, flow)).min().expect("it has pipes");
        Ok((way, room))
    }

    /// Augments by the Edmonds-Karp method and passes on each way with the number of pipes examined for it. Returns
    /// a maximum flow, a minimum cut and the pipes examined last.
    pub fn augmented(&self, mut tell: impl FnMut(&Way, u64)) -> (Vec<u64>, Vec<usize>, u64) {
        let mut flow = vec![0; self.graph.edges.len()];
        loop {
            let mut looked = 0;
            match self.way(&flow, true, &mut looked) {
                Ok(sent) => {
                    for (edge, forward) in &sent.0 {
                        flow[*edge] = if *forward { flow[*edge] + sent.1 } else { flow[*edge] - sent.1 };
                    }
                    tell(&sent, looked);
                }
                Err(reached) => return (flow, reached, looked),
            }
        }
    }

    /// The flow sent along one free path after the other, shortest first, without ever taking any back; if
    /// `large`, paths of large pipes come first.
    pub fn without_return(&self, large: bool) -> Vec<i64> {
        let mut flow = vec![0; self.graph.edges.len()];
        let largest = self.graph.edges.iter().map(|(.., capacity)| *capacity).max().unwrap_or(1);
        let mut least = if large { largest } else { 1 };
        while least > 0 {
            let pipes = self.graph.edges.iter().zip(&flow);
            let closed = pipes.map(|((.., room), flow)| if room - flow >= least { *flow } else { *room });
            match self.way(&closed.collect::<Vec<u64>>(), false, &mut 0) {
                Ok((way, more)) => way.iter().for_each(|(edge, _)| flow[*edge] += more),
                Err(_) => least /= 2,
            }
        }
        flow.into_iter().map(|flow| flow as i64).collect()
    }
}
