//! Send as much flow as possible through a network.

use kit::words::count;
use std::collections::VecDeque;

use kit::shared::graph::Graph;
use kit::shared::optimum;
use kit::shared::refinement::{Relation, invariant};
use kit::shared::route::Naming;
use kit::task::permutation;
use kit::task::prelude::*;

pub struct MaxFlow;

params! {
    pub struct MaxFlowParams {
        /// Number of nodes, including the source and the sink.
        nodes: u32 [6..=30],
        /// Number of pipes.
        pipes: u32 [8..=90],
        /// Largest capacity of a pipe.
        capacity: u32 [4..=99],
    }
    levels {
        (6, 8, 5),
        (6, 9, 9),
        (7, 12, 9),
        (8, 16, 12),
        (10, 21, 15),
        (13, 29, 20),
        (17, 40, 30),
        (22, 54, 40),
        (28, 72, 60),
    }
    default 3
    check Self::consistent;
}

impl MaxFlowParams {
    fn consistent(&self) -> Result<(), String> {
        let (low, high) = (self.nodes * 4 / 3, self.nodes * (self.nodes - 1) / 3);
        check::that((low..=high).contains(&self.pipes), || {
            let (pipes, nodes) = (self.pipes, self.nodes);
            format!("`pipes` is {pipes}, but must be between {low} and {high} when `nodes` is {nodes}")
        })
    }
}

/// A directed graph whose weights are capacities.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    graph: Graph,
    source: usize,
    sink: usize,
    /// The flow through each pipe in a maximum flow, in the order of the graph's edges.
    flow: Vec<u64>,
    /// The nodes on the source's side of a minimum cut. Equal values of flow and cut prove that the flow is
    /// maximum and the cut minimum.
    cut: Vec<usize>,
}

/// Pipes by index, each with true if it is followed forward.
type Way = Vec<(usize, bool)>;
/// The flow in each pipe, and the nodes on the source's side of the cut.
type FlowAndCut = (Vec<u64>, Vec<usize>);

impl TaskFamily for MaxFlow {
    type Params = MaxFlowParams;
    type Problem = Network;

    const ABOUT: About = About {
        summary: "Send as much flow as possible through a network of pipes.",
        judged_by: JudgedBy::Optimum,
        failures: &[
            ("over_capacity", "the flow through a pipe exceeds its capacity"),
            ("negative_flow", "the flow through a pipe is negative"),
            ("not_conserved", "the flow into a node differs from the flow out of it"),
        ],
        parts: &[
            Part::new("gap", "amount that arrives divided by the maximum; 0 if this is not a valid flow"),
            Part::new(
                "conserved",
                "share of the nodes between source and sink whose inflow equals their outflow",
            ),
        ],
        skills: &["optimization", "graph_search", "addition"],
        guess_rate: 0.01,
        guess_score: 0.015,
        ..About::new("graphs", "max_flow", &["First version."])
    };

    /// Draws networks until sending flow along free paths without ever taking any back is not enough.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Network> {
        let nodes = params.nodes as usize;
        loop {
            let mut pairs: Vec<(usize, usize)> = Vec::new();
            // Most pipes lead forward, from one layer to one of the next.
            let reach = 2 + nodes / 4;
            for from in 0..nodes - 1 {
                pairs.extend((from + 1..nodes.min(from + 1 + reach)).map(|to| (from, to)));
            }
            let back = (2..nodes - 1).map(|from| (from, from - 1));
            pairs.extend(back.filter(|(_, to)| *to > 0));
            rng.shuffle(&mut pairs);
            pairs.truncate(params.pipes as usize);
            pairs.sort_unstable();
            let capacity = |rng: &mut Rng| rng.int(1, params.capacity.into()) as u64;
            let edges = pairs.into_iter().map(|(from, to)| (from, to, capacity(rng))).collect();
            let mut order: Vec<usize> = (0..nodes).collect();
            rng.shuffle(&mut order);
            // Names come last: most networks are rejected.
            let nameless = || vec![String::new(); nodes];
            let graph = Graph { directed: true, names: nameless(), edges };
            let graph = graph.renumbered(&order, nameless());
            budget.spend(u64::from(params.pipes))?;
            let mut network = Network {
                graph,
                source: order[0],
                sink: order[nodes - 1],
                flow: Vec::new(),
                cut: Vec::new(),
            };
            if network.graph.edges.len() < params.pipes as usize {
                continue;
            }
            (network.flow, network.cut) = network.solve().0;
            let most = network.value(&network.flow);
            let enough = |large| network.value(&network.without_return(large)) >= most;
            if most > 0 && !enough(false) && !enough(true) {
                network.graph.names = Naming::Any.draw(nodes, rng);
                return Ok(network);
            }
        }
    }

    /// The flow and the cut certify each other.
    fn certify(&self, network: &Network, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let value = network.value(&network.flow);
        network.judge(&network.flow).map_err(|verdict| format!("`flow` fails: {}", verdict.detail))?;
        let across = network.across();
        check::that(value > 0 && across == value, || {
            format!("`cut` lets {across} through, but `flow` carries {value}")
        })?;
        Ok(Certificate::solvable(format!("{value} flow, and the pipes across the cut carry no more")))
    }

    /// Changes a capacity, or adds or removes a pipe.
    fn mutate(&self, network: &Network, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Network> {
        let mut mutated = network.clone();
        let at = rng.index(network.graph.edges.len());
        let nodes = network.graph.nodes();
        match aim {
            Aim::Harder => {
                let (from, to) = (rng.index(nodes), rng.index(nodes));
                if from != to && network.graph.weight(from, to).is_none() {
                    mutated.graph.insert(from, to, network.graph.edges[at].2);
                }
            }
            Aim::Easier => drop(mutated.graph.edges.remove(at)),
            Aim::Same => {
                mutated.graph.edges[at].2 =
                    (network.graph.edges[at].2 + rng.below(5)).saturating_sub(2).max(1);
            }
        }
        (mutated.flow, mutated.cut) = mutated.solve().0;
        Some(if mutated.check().is_ok() { mutated } else { network.clone() })
    }
}

impl Network {
    /// Value of a flow: what leaves the source minus what enters it.
    fn value(&self, flow: &[u64]) -> u64 {
        let (out, back) = self.through(self.source, flow);
        out.saturating_sub(back)
    }

    /// Flow out of a node, and flow into it.
    fn through(&self, node: usize, flow: &[u64]) -> (u64, u64) {
        let mut through = (0, 0);
        for ((from, to, _), flow) in self.graph.edges.iter().zip(flow) {
            through.0 += if *from == node { *flow } else { 0 };
            through.1 += if *to == node { *flow } else { 0 };
        }
        through
    }

    /// Capacity of the cut.
    fn across(&self) -> u64 {
        let inside = |node: &usize| self.cut.contains(node);
        let out = self.graph.edges.iter().filter(|(from, to, _)| inside(from) && !inside(to));
        out.map(|(.., capacity)| capacity).sum()
    }

    /// Residual capacity of an edge, forward or backward.
    fn room(&self, edge: usize, forward: bool, flow: &[u64]) -> u64 {
        if forward { self.graph.edges[edge].2 - flow[edge] } else { flow[edge] }
    }

    /// A path from the source to the sink with room on every pipe, each with true if it is followed forward,
    /// and the additional flow it can carry; otherwise the nodes that can be reached. `looked` counts the
    /// pipes examined.
    fn way(&self, flow: &[u64], returns: bool, looked: &mut u64) -> Result<(Way, u64), Vec<usize>> {
        let mut via: Vec<Option<(usize, bool)>> = vec![None; self.graph.nodes()];
        let mut queue = VecDeque::from([self.source]);
        let mut seen = vec![false; self.graph.nodes()];
        seen[self.source] = true;
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
        let mut node = self.sink;
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

    /// A maximum flow and a minimum cut by the Edmonds-Karp method, then each augmenting path with the flow
    /// sent along it, and the number of pipes examined.
    fn solve(&self) -> (FlowAndCut, Vec<(Way, u64)>, u64) {
        let mut flow = vec![0; self.graph.edges.len()];
        let (mut sent, mut looked) = (Vec::new(), 0);
        loop {
            match self.way(&flow, true, &mut looked) {
                Ok((way, more)) => {
                    for (edge, forward) in &way {
                        flow[*edge] = if *forward { flow[*edge] + more } else { flow[*edge] - more };
                    }
                    sent.push((way, more));
                }
                Err(reached) => return ((flow, reached), sent, looked),
            }
        }
    }

    /// The flow sent along one free path after the other, shortest first, without ever taking any back; if
    /// `large`, paths of large pipes come first.
    fn without_return(&self, large: bool) -> Vec<u64> {
        let mut flow = vec![0; self.graph.edges.len()];
        let largest = self.graph.edges.iter().map(|(.., capacity)| *capacity).max().unwrap_or(1);
        let mut least = if large { largest } else { 1 };
        while least > 0 {
            let closed = self
                .graph
                .edges
                .iter()
                .zip(&flow)
                .map(|((.., room), flow)| if room - flow >= least { *flow } else { *room });
            let closed: Vec<u64> = closed.collect();
            match self.way(&closed, false, &mut 0) {
                Ok((way, more)) => way.iter().for_each(|(edge, _)| flow[*edge] += more),
                Err(_) => least /= 2,
            }
        }
        flow
    }

    fn judge(&self, flow: &[u64]) -> Judged {
        let names = &self.graph.names;
        let broken = |label, detail: String| Failure::new(label::CONSTRAINT_VIOLATED, detail).also(label);
        for ((from, to, capacity), flow) in self.graph.edges.iter().zip(flow) {
            if flow > capacity {
                let (from, to) = (&names[*from], &names[*to]);
                let detail =
                    format!("the flow from {from} to {to} is {flow}, but its capacity is {capacity}");
                return Err(broken("over_capacity", detail));
            }
        }
        let between = (0..names.len()).filter(|node| *node != self.source && *node != self.sink);
        let lossy: Vec<usize> = between
            .clone()
            .filter(|node| {
                let (out, into) = self.through(*node, flow);
                out != into
            })
            .collect();
        if let Some(node) = lossy.first() {
            let ((out, into), nodes) = (self.through(*node, flow), between.count());
            let detail = format!("the flow into {} is {into}, but the flow out of it is {out}", names[*node]);
            let share = (nodes - lossy.len()) as f32 / nodes as f32;
            return Err(broken("not_conserved", detail).part("conserved", share));
        }
        let (value, most) = (self.value(flow), self.value(&self.flow));
        if value >= most {
            return Ok(());
        }
        let naive = [false, true].map(|large| self.value(&self.without_return(large)));
        let naive = naive.into_iter().max().expect("there are two").min(most);
        let credit = optimum::credit(most - value, 0, most - naive);
        let detail = format!("the total flow is {value}, {} less than the maximum", most - value);
        let failure = Failure::new(label::SUBOPTIMAL, detail).score(credit);
        Err(failure.part("gap", value as f32 / most as f32).part("conserved", 1.0))
    }

    /// The names of the source and the sink.
    fn ends(&self) -> [&str; 2] {
        [self.source, self.sink].map(|node| self.graph.names[node].as_str())
    }

    fn pipes(&self, line: impl Fn(&str, &str, u64) -> String) -> String {
        let names = &self.graph.names;
        let pipes =
            self.graph.edges.iter().map(|(from, to, capacity)| line(&names[*from], &names[*to], *capacity));
        pipes.lines()
    }

    fn signed(flow: &[u64]) -> Vec<i64> {
        flow.iter().map(|flow| *flow as i64).collect()
    }
}

impl Problem for Network {
    type Answer = Vec<i64>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("pipes", |network| {
            let [source, sink] = network.ends();
            format!(
                "Water is pumped from {source} to {sink} through the pipes below. Each pipe carries water only in the given \
                 direction, and at most as many liters per second as its number says:\n\n{}\n\nEverywhere except at {source} and \
                 {sink}, as much water must flow out as flows in. How many liters per second, as a whole number, should flow \
                 through each pipe so that as much water as possible reaches {sink}? A pipe may be left empty. If there are \
                 several best solutions, any of them will do.",
                network.pipes(|from, to, capacity| format!("{from} to {to}: {capacity}"))
            )
        }),
        Template::plain("flow", |network| {
            let [source, sink] = network.ends();
            format!(
                "from,to,capacity\n{}\n\nThe table lists the edges of a directed network. Find a maximum flow from node {source} \
                 to node {sink}. The flow on an edge must be an integer from 0 to the edge's capacity, and at every node other \
                 than {source} and {sink} the total flow in must equal the total flow out. Any maximum flow is correct.",
                network.pipes(|from, to, capacity| format!("{from},{to},{capacity}"))
            )
        }),
        Template::plain("bandwidth", |network| {
            let [source, sink] = network.ends();
            format!(
                "I'm trying to get the most throughput from {source} to {sink} on our network. These are the links; they only \
                 work in the direction shown, and the number is the limit in Mbit/s:\n\n{}\n\nNone of the other nodes can store, \
                 create or drop data, so what comes in there per second has to go out again. How many Mbit/s should I send over \
                 each link (whole numbers, 0 is allowed)? If several settings are equally good, any of them works for me.",
                network.pipes(|from, to, capacity| format!("{from} -> {to}  {capacity}"))
            )
        }),
        Template::held_out_plain("trucks", |network| {
            let [source, sink] = network.ends();
            format!(
                "Every day, goods are trucked from the factory at {source} to the port at {sink}, passing through depots along \
                 the way. These are the routes between the places, each with the number of trucks that can drive it per \
                 day:\n\n{}\n\nThe trucks drive only in the given direction and always run full, and a route does not have to \
                 use all of its trucks. Nothing is stored at a depot: whatever arrives there leaves again on the same day. How \
                 many trucks should run on each route every day so that as many full loads as possible reach the port? If there \
                 is more than one best plan, give any one.",
                network.pipes(|from, to, capacity| format!(
                    "- from {from} to {to}: {}",
                    count(capacity, "truck")
                ))
            )
        }),
        Template::held_out_plain("spec", |network| {
            let [source, sink] = network.ends();
            format!(
                "Maximum flow.\nsource = {source}\nsink = {sink}\nedges (from to capacity):\n{}\n\nFor every edge, output an \
                 integer flow f with 0 <= f <= capacity. Inflow = outflow at every node except source and sink. Maximize the net \
                 flow out of the source. Any optimal flow is accepted.",
                network.pipes(|from, to, capacity| format!("  {from} {to} {capacity}"))
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        self.graph.check()?;
        let (nodes, edges) = (self.graph.nodes(), self.graph.edges.len());
        check::that(self.graph.directed && nodes <= 40 && (2..=120).contains(&edges), || {
            "`graph` must be directed and have 2 to 120 edges between at most 40 nodes".to_owned()
        })?;
        check::within("source", &self.source, 0..=nodes - 1)?;
        check::within("sink", &self.sink, 0..=nodes - 1)?;
        check::that(self.source != self.sink && nodes > 2, || {
            "`sink` is `source`, or no node is between".to_owned()
        })?;
        check::length("flow", &self.flow, edges..=edges, "flows")?;
        let fits = self.flow.iter().zip(&self.graph.edges).all(|(flow, (.., capacity))| flow <= capacity);
        check::that(fits, || "`flow` is more than a pipe can carry".to_owned())?;
        check::length("cut", &self.cut, 1..=nodes - 1, "nodes")?;
        check::each("cut", &self.cut, |node| *node < nodes, "there is no such node")?;
        check::distinct("cut", &self.cut)?;
        check::that(self.cut.contains(&self.source) && !self.cut.contains(&self.sink), || {
            "`cut` must hold `source` and not `sink`".to_owned()
        })
    }

    fn form(&self) -> impl Form<Read = Vec<i64>> {
        form::Integers { count: self.graph.edges.len(), what: "numbers in the order of the list above" }
    }

    /// The augmenting paths in order; a step backward takes back flow that was sent before.
    fn solution(&self) -> Solution {
        let names = &self.graph.names;
        let (_, sent, _) = self.solve();
        let told = sent.iter().map(|(way, more)| {
            let next = |(edge, forward): &(usize, bool)| {
                let (from, to, _) = self.graph.edges[*edge];
                if *forward { names[to].clone() } else { format!("{} (backward)", names[from]) }
            };
            let way = way.iter().map(next).joined(" -> ");
            format!("send {more} along {} -> {way}", names[self.source])
        });
        let cut = self.cut.iter().map(|node| names[*node].as_str()).listed();
        let last = format!(
            "the pipes that leave the set {cut} can carry {} in total, so no flow is larger",
            self.across()
        );
        Solution::new(told.chain([last]), self.form().write(&Self::signed(&self.flow)))
    }

    /// Kind of each way, by pipes with room alone or by flow taken back, but not the way.
    fn hints(&self) -> Vec<String> {
        let hint = |(way, _): &(Way, u64)| {
            if way.iter().all(|(_, forward)| *forward) {
                "Look for a way on which every pipe has room left.".to_owned()
            } else {
                "Look for a way that takes back some of the flow that an earlier one sent.".to_owned()
            }
        };
        let last = "Look at the places that a way with room left can still reach.".to_owned();
        self.solve().1.iter().map(hint).chain([last]).collect()
    }

    fn verify(&self, answer: Vec<i64>, _: &mut Budget) -> Judged {
        if let Some(at) = answer.iter().position(|flow| *flow < 0) {
            let detail = format!("flow {} in the list is negative", at + 1);
            return Err(Failure::new(label::CONSTRAINT_VIOLATED, detail).also("negative_flow"));
        }
        let flow: Vec<u64> = answer.iter().map(|flow| *flow as u64).collect();
        self.judge(&flow)
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<i64>> {
        let right = Self::signed(&self.flow);
        let (mut more, mut less, mut exchanged) = (right.clone(), right.clone(), right.clone());
        for at in faults.draw(right.len(), rng) {
            more[at] += 1;
            less[at] -= 1;
            exchanged.swap(at, rng.index(right.len()));
        }
        let full = self.graph.edges.iter().map(|(.., capacity)| *capacity as i64).collect();
        let mut wrong = vec![more, less, exchanged, full, Self::signed(&self.without_return(false))];
        wrong.retain(|flow| self.verify(flow.clone(), &mut Budget::unlimited()).is_err());
        wrong
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<i64>)> {
        let any = self.graph.edges.iter().map(|(.., capacity)| rng.below(capacity + 1) as i64).collect();
        vec![
            ("any flows", any),
            ("full pipes", self.graph.edges.iter().map(|(.., capacity)| *capacity as i64).collect()),
            ("shortest ways, nothing taken back", Self::signed(&self.without_return(false))),
            ("largest pipes, nothing taken back", Self::signed(&self.without_return(true))),
        ]
    }

    /// Reorders and renames the nodes.
    fn twin(&self, rng: &mut Rng) -> Self {
        let nodes = self.graph.nodes();
        let order = permutation::random(nodes, rng);
        let graph = self.graph.renumbered(&order, Naming::Any.draw(nodes, rng));
        let ends = |(from, to, _): &(usize, usize, u64)| (order[*from], order[*to]);
        let mut flows: Vec<((usize, usize), u64)> =
            self.graph.edges.iter().map(ends).zip(self.flow.iter().copied()).collect();
        flows.sort_unstable();
        Self {
            graph,
            source: order[self.source],
            sink: order[self.sink],
            flow: flows.into_iter().map(|(_, flow)| flow).collect(),
            cut: self.cut.iter().map(|node| order[*node]).collect(),
        }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let pipe = |(from, to, capacity): &(usize, usize, u64)| Relation {
            kind: *capacity,
            members: vec![(0, *from), (1, *to)],
        };
        let mut relations: Vec<Relation> = self.graph.edges.iter().map(pipe).collect();
        relations.push(Relation { kind: 0, members: vec![(2, self.source), (3, self.sink)] });
        invariant(self.graph.nodes(), &relations).to_be_bytes().to_vec()
    }

    /// Pipes examined by the Edmonds-Karp method.
    fn effort(&self) -> Effort {
        Effort::new(self.solve().2, 300)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The network in Cormen, Leiserson, Rivest and Stein, figure 26.6; its maximum flow is 23.
    fn textbook() -> Network {
        let names = ["s", "v1", "v2", "v3", "v4", "t"].map(String::from).to_vec();
        let edges = vec![
            (0, 1, 16),
            (0, 2, 13),
            (1, 3, 12),
            (2, 1, 4),
            (2, 4, 14),
            (3, 2, 9),
            (3, 5, 20),
            (4, 3, 7),
            (4, 5, 4),
        ];
        let graph = Graph { directed: true, names, edges };
        let mut network = Network { graph, source: 0, sink: 5, flow: Vec::new(), cut: Vec::new() };
        (network.flow, network.cut) = network.solve().0;
        network
    }

    #[test]
    fn the_textbook_flow_and_cut_certify_each_other() {
        let network = textbook();
        network.check().unwrap();
        assert_eq!((network.value(&network.flow), network.cut.clone()), (23, vec![0, 1, 2, 4]));
        assert!(MaxFlow.certify(&network, &mut Budget::new(9)).is_ok());
        let wrong = Network { cut: vec![0], ..network.clone() };
        let refused = MaxFlow.certify(&wrong, &mut Budget::new(9)).unwrap_err();
        assert_eq!(refused, "`cut` lets 29 through, but `flow` carries 23");
    }

    #[test]
    fn a_verdict_says_what_is_wrong() {
        let network = textbook();
        let judge = |answer: &str| kit::testing::verdict(&network, answer);
        assert!(judge("12, 11, 12, 0, 11, 0, 19, 7, 4").passed);
        assert!(judge("11, 12, 12, 1, 11, 0, 19, 7, 4").passed);
        for (wrong, failure, detail) in [
            (
                "12, 11, 12, 0, 11, 0, 21, 7, 4",
                "over_capacity",
                "the flow from v3 to t is 21, but its capacity is 20",
            ),
            (
                "12, 12, 12, 0, 11, 0, 19, 7, 4",
                "not_conserved",
                "the flow into v2 is 12, but the flow out of it is 11",
            ),
            ("12, -1, 12, 0, 11, 0, 19, 7, 4", "negative_flow", "flow 2 in the list is negative"),
            (
                "12, 4, 12, 0, 4, 0, 12, 0, 4",
                label::SUBOPTIMAL,
                "the total flow is 16, 7 less than the maximum",
            ),
            ("0, 0, 0, 0, 0, 0, 0, 0, 0", label::SUBOPTIMAL, "the total flow is 0, 23 less than the maximum"),
        ] {
            let verdict = judge(wrong);
            assert!(verdict.failures.contains(&failure), "{verdict:?}");
            assert_eq!(verdict.detail, detail);
        }
    }
}
