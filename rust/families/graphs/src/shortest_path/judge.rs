//! Verdicts on a walk: a shortest path, a longer one, or not a path.

use super::Network;
use kit::budget::{Budget, OverBudget};
use kit::shared::graph::MOST_NODES;
use kit::shared::optimum;
use kit::task::verdict::{Failure, Judged, label};

impl Network {
    pub fn judge_walk(&self, walk: &[usize], budget: &mut Budget) -> Judged {
        let leads = self.leads(walk);
        let failure = match self.graph.length(walk) {
            Some(length) if leads && length <= self.shortest => return Ok(()),
            Some(length) if leads => self.longer(walk, length, budget)?,
            _ => self.no_path(walk, leads),
        };
        Err(if repeated(walk).is_some() { failure.also("repeated_node") } else { failure })
    }

    /// True if a walk reaches the goal with the claimed shortest length.
    pub fn is_shortest(&self, walk: &[usize]) -> bool {
        self.leads(walk) && self.graph.length(walk) == Some(self.shortest)
    }

    fn leads(&self, walk: &[usize]) -> bool {
        walk.first() == Some(&self.start) && walk.last() == Some(&self.goal)
    }

    /// The failure of a walk that reaches the goal but is too long. It earns credit for the length it saves
    /// over the lightest path with the fewest edges, and none if it visits a node twice.
    fn longer(&self, walk: &[usize], length: u64, budget: &mut Budget) -> Result<Failure, OverBudget> {
        let (credit, loops) = if let Some(at) = repeated(walk) {
            (0.0, format!("; it visits {} twice", self.graph.names[walk[at]]))
        } else {
            budget.spend((self.graph.nodes() * self.graph.edges.len()) as u64)?;
            let naive = self.graph.length(&self.fewest_edges(|weight| weight));
            (optimum::credit(length, self.shortest, naive.unwrap_or(0)), String::new())
        };
        let more = length.saturating_sub(self.shortest);
        let detail = format!("this path has length {length}, {more} more than the shortest{loops}");
        let failure = Failure::new(label::SUBOPTIMAL, detail).score(credit);
        Ok(failure.part("gap", self.shortest as f32 / length as f32).part("valid_edges", 1.0))
    }

    /// The failure of a walk that is not a path between the ends.
    fn no_path(&self, walk: &[usize], leads: bool) -> Failure {
        let (start, goal) = self.ends();
        let name = |node: usize| &self.graph.names[node];
        let is_edge = |step: &&[usize]| self.graph.weight(step[0], step[1]).is_some();
        let steps = || walk.windows(2);
        let broken = steps().find(|step| !is_edge(step));
        let mut reasons = Vec::new();
        let mut labels = Vec::new();
        if !leads {
            labels.push("wrong_endpoints");
            reasons.push(format!("the path must go from {start} to {goal}"));
        }
        if let Some(step) = broken {
            labels.push("no_such_edge");
            reasons.push(format!("there is no edge from {} to {}", name(step[0]), name(step[1])));
        }
        let failure = Failure::new(label::CONSTRAINT_VIOLATED, reasons.join("; "));
        let failure = labels.into_iter().fold(failure, Failure::also);
        let share = steps().filter(is_edge).count() as f32 / steps().len().max(1) as f32;
        failure.part("gap", 0.0).part("valid_edges", share)
    }
}

/// Index of the first node that the walk visits again.
fn repeated(walk: &[usize]) -> Option<usize> {
    let mut seen = [false; MOST_NODES];
    walk.iter().position(|node| std::mem::replace(&mut seen[*node], true))
}

#[cfg(test)]
mod tests {
    use crate::shortest_path::tests::{certify, network};
    use kit::task::problem::Problem as _;
    use kit::task::verdict::Verdict;
    use kit::testing::verdict as judge;

    #[test]
    fn any_path_of_least_weight_passes_and_others_are_told_why_not() {
        let network = network(false);
        network.check().unwrap();
        for right in ["A -> C -> B -> D", "A->C->B->D", " A ->C\n-> B->  D "] {
            assert!(judge(&network, right).passed, "{right}");
        }
        for (wrong, failures, detail) in [
            ("A -> D", &["suboptimal"][..], "this path has length 7, 1 more than the shortest"),
            ("A -> B -> D", &["suboptimal"], "this path has length 8, 2 more than the shortest"),
            (
                "A -> E -> A -> C -> B -> D",
                &["suboptimal", "repeated_node"],
                "this path has length 8, 2 more than the shortest; it visits A twice",
            ),
            ("A -> C -> D", &["constraint_violated", "no_such_edge"], "there is no edge from C to D"),
            ("D -> B -> C -> A", &["constraint_violated", "wrong_endpoints"], "the path must go from A to D"),
            (
                "C -> B -> B -> D",
                &["constraint_violated", "wrong_endpoints", "no_such_edge", "repeated_node"],
                "the path must go from A to D; there is no edge from B to B",
            ),
            ("A", &["constraint_violated", "wrong_endpoints"], "the path must go from A to D"),
            ("A -> F -> D", &["constraint_violated", "unknown_node"], "`F` is no node here"),
        ] {
            let verdict = judge(&network, wrong);
            assert_eq!((&verdict.failures[..], &*verdict.detail), (failures, detail), "{wrong}");
        }
        let mut tied = network;
        tied.graph.edges[2].2 = 6;
        assert!(judge(&tied, "A -> D").passed && judge(&tied, "A -> C -> B -> D").passed);
        assert!(!certify(&tied).unwrap().unique);
    }

    #[test]
    fn a_longer_path_earns_what_it_saves_over_the_fewest_edges() {
        let mut network = network(false);
        network.graph.edges[2].2 = 10;
        let earned = |answer| {
            let Verdict { score, parts, .. } = judge(&network, answer);
            (score, parts.into_iter().map(|(_, value)| value).collect::<Vec<_>>())
        };
        // The one edge A -> D has length 10.
        assert_eq!(earned("A -> D"), (0.0, vec![0.6, 1.0]));
        assert_eq!(earned("A -> B -> D"), (0.25, vec![0.75, 1.0]));
        assert_eq!(earned("A -> E -> A -> C -> B -> D"), (0.0, vec![0.75, 1.0]));
        assert_eq!(earned("A -> C -> D"), (0.0, vec![0.0, 0.5]));
        assert_eq!(earned("A"), (0.0, vec![0.0, 0.0]));
    }
}
