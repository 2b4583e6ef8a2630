//! The steps of Dijkstra's algorithm, written and judged: `Settle C at 7 via A`.

use std::collections::BTreeMap;

use super::Network;
use kit::budget::Budget;
use kit::error::quoted;
use kit::shared::graph::{FAR, Search};
use kit::task::answer::integer;
use kit::task::steps::{StepJudge, StepVerdict};

impl Network {
    /// Settled nodes that a person would write down: all nearer than the goal, then the goal.
    pub fn settled<'a>(&self, search: &'a Search) -> impl Iterator<Item = usize> + 'a {
        let (start, goal) = (self.start, self.goal);
        let reached = search.distance[goal] != FAR;
        let nearer = move |node: &usize| search.distance[*node] < search.distance[goal] && *node != start;
        let order = search.order.iter().copied();
        order.filter(nearer).chain(reached.then_some(goal))
    }

    /// A step for each settled node.
    pub fn settling(&self, search: &Search) -> impl Iterator<Item = String> {
        let name = |node: usize| &self.graph.names[node];
        self.settled(search).map(move |node| {
            let (distance, via) = (search.distance[node], name(search.via[node]));
            format!("Settle {} at {distance} via {via}", name(node))
        })
    }
}

/// Judges steps that settle a node via one settled before; they advance until the goal is settled.
pub struct Settling<'a> {
    network: &'a Network,
    search: Search,
    nodes: BTreeMap<&'a str, usize>,
    settled: Vec<bool>,
}

impl<'a> Settling<'a> {
    pub fn new(network: &'a Network) -> Self {
        let names = network.graph.names.iter().map(String::as_str);
        let mut settled = vec![false; network.graph.nodes()];
        settled[network.start] = true;
        Self {
            network,
            search: network.graph.shortest_paths(network.start),
            nodes: names.zip(0..).collect(),
            settled,
        }
    }

    /// Reads a step as node, distance and predecessor.
    fn read(&self, step: &str) -> Result<(usize, u64, usize), String> {
        let refuse = || format!("`{}` is not a step like Settle C at 7 via A", quoted(step));
        let words: Vec<&str> = step.split_whitespace().take(7).collect();
        let ["Settle", node, "at", distance, "via", before] = words[..] else {
            return Err(refuse());
        };
        let distance = integer(distance)?.and_then(|distance| u64::try_from(distance).ok());
        match (self.nodes.get(node), distance, self.nodes.get(before)) {
            (Some(node), Some(distance), Some(before)) => Ok((*node, distance, *before)),
            _ => Err(refuse()),
        }
    }
}

impl StepJudge for Settling<'_> {
    fn judge(&mut self, step: &str, _: &mut Budget) -> Result<StepVerdict, String> {
        let (node, distance, before) = self.read(step)?;
        let Network { graph, goal, .. } = self.network;
        let (to, via) = (&graph.names[node], &graph.names[before]);
        let weight =
            graph.weight(before, node).ok_or_else(|| format!("there is no edge from {via} to {to}"))?;
        if self.search.distance[before].saturating_add(weight) != distance {
            return Err(format!("the path via {via} does not reach {to} at {distance}"));
        }
        if self.search.distance[node] < distance {
            return Err(format!("{to} can be reached at a distance below {distance}"));
        }
        Ok(if self.settled[node] {
            StepVerdict::idle(format!("true, but {to} is already settled"))
        } else if self.settled[*goal] {
            StepVerdict::idle("true, but the goal is already settled")
        } else if !self.settled[before] {
            StepVerdict::idle(format!("true, but {via} is not settled yet"))
        } else if distance >= self.search.distance[*goal] && node != *goal {
            StepVerdict::idle(format!("true, but the goal is no farther than {to}"))
        } else {
            self.settled[node] = true;
            StepVerdict::advances()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shortest_path::tests::network;
    use kit::task::problem::Problem as _;
    use kit::task::steps::judge_steps;

    fn judged(network: &Network, steps: &[&str]) -> StepVerdict {
        judge_steps(&mut Settling::new(network), steps, &mut Budget::new(10_000)).pop().unwrap()
    }

    #[test]
    fn steps_settle_nodes_one_after_the_other() {
        let network = network(false);
        assert_eq!(
            network.solution().steps,
            ["Settle E at 1 via A", "Settle C at 2 via A", "Settle B at 3 via C", "Settle D at 6 via B"]
        );
        assert!(judged(&network, &["Settle C at 2 via A"]).advances);
        assert!(judged(&network, &["hm", "Settle C at 2 via A", "Settle B at 3 via C"]).advances);
        for idle in [
            &["Settle B at 3 via C"][..],
            &["Settle C at 2 via A", "Settle C at 2 via A"],
            &["Settle C at 3 via A", "Settle B at 3 via C"],
            &["Settle C at 2 via A", "Settle B at 3 via C", "Settle D at 6 via B", "Settle E at 1 via A"],
        ] {
            let verdict = judged(&network, idle);
            assert!(verdict.holds && !verdict.advances, "{verdict:?}");
        }
        for false_step in [
            "Settle B at 5 via A",
            "Settle B at 2 via C",
            "Settle D at 7 via A",
            "Settle D at 5 via C",
            "Settle F at 1 via A",
            "Settle B at 3 via C now",
            "settle b at 3 via c",
            "Settle B at -3 via C",
            "Settle B at 99999999999999999999999 via C",
        ] {
            assert!(!judged(&network, &[false_step]).holds, "{false_step}");
        }
    }

    #[test]
    fn no_node_is_settled_at_a_distance_it_is_out_of_reach_of() {
        let mut network = network(true);
        (network.start, network.goal) = (4, 0);
        assert!(!judged(&network, &["Settle A at 1 via E"]).holds);
        assert!(!judged(&network, &["Settle B at 1 via C"]).holds);
    }
}
