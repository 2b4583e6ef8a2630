//! Find a path of least total weight between two nodes of a graph.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::error::quoted;
use crate::families::graphs::planted::{Draft, NEAR};
use crate::params::Params;
use crate::rng::Rng;
use crate::shared::graph::{FAR, Graph, LARGEST_WEIGHT, MOST_EDGES, MOST_NODES, Search};
use crate::shared::route::{self, Naming, Unread};
use crate::task::answer::{Reading, integer};
use crate::task::family::{
    About, Aim, Certificate, Exhausted, JudgedBy, Problem, Solution, TaskFamily, Uncertified,
};
use crate::task::style::{Style, Template};
use crate::task::verdict::{Part, StepVerdict, Verdict, label};

pub struct ShortestPath;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ShortestPathParams {
    /// Nodes of the graph.
    #[schemars(range(min = 4, max = 100), extend("role" = "difficulty"))]
    nodes: u32,
    /// Edges beyond those that connect the graph and the decoys, as far as there is room for them.
    #[schemars(range(min = 0, max = 300), extend("role" = "difficulty"))]
    extra_edges: u32,
    /// Largest weight of an edge; the smallest is 1.
    #[schemars(range(min = 1, max = 1000), extend("role" = "difficulty"))]
    max_weight: u32,
    /// Edges that every shortest path has at least.
    #[schemars(range(min = 2, max = 30), extend("role" = "difficulty"))]
    hops: u32,
    /// Edges that open another way, longer by 1 or 2 only, as far as there is room for them.
    #[schemars(range(min = 0, max = 50), extend("role" = "difficulty"))]
    decoys: u32,
    /// Whether always taking the lightest edge (ties aside) misses the shortest path, and so does every path with the fewest edges.
    #[schemars(extend("role" = "difficulty"))]
    misleading: bool,
    /// Whether edges lead one way only.
    #[schemars(extend("role" = "structure"))]
    directed: bool,
    /// How nodes are called; `any` draws one of the others.
    #[schemars(extend("role" = "style"))]
    names: Naming,
}

impl Default for ShortestPathParams {
    fn default() -> Self {
        Self {
            nodes: 10,
            extra_edges: 6,
            max_weight: 9,
            hops: 3,
            decoys: 1,
            misleading: true,
            directed: false,
            names: Naming::Any,
        }
    }
}

impl Params for ShortestPathParams {
    fn check(&self) -> Result<(), String> {
        if self.hops >= self.nodes {
            return Err(format!(
                "`hops` is {}, but must be below `nodes`, which is {}",
                self.hops, self.nodes
            ));
        }
        if self.misleading && (self.max_weight < 6 || self.nodes < self.hops + 2) {
            return Err(format!(
                "`misleading` needs `max_weight` to be 6 or more and `nodes` to be `hops` + 2 or more, but they are {} and {}",
                self.max_weight, self.nodes
            ));
        }
        Ok(())
    }
}

/// A graph with two of its nodes, and the length of the shortest path between them.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    graph: Graph,
    start: usize,
    goal: usize,
    shortest: u64,
}

static ABOUT: About = About {
    name: "shortest_path",
    domain: "graphs",
    summary: "Find a path of least total weight between two nodes of a graph.",
    changes: &["First version."],
    top_level: 8,
    distinct_from: 0,
    judged_by: JudgedBy::Optimum,
    answer_tag: "answer",
    templates: &[
        Template::open("edge_list"),
        Template::open("adjacency_list"),
        Template::open("roads"),
        Template::held_out("rides"),
    ],
    failures: &[
        ("wrong_endpoints", "starts or ends at another node"),
        ("no_such_edge", "goes where no edge leads"),
        ("unknown_node", "a name that no node has"),
        ("repeated_node", "comes to a node twice, which only makes it longer"),
    ],
    parts: &[
        Part {
            name: "gap",
            means: "length of the shortest path over the length of this one; 0 if this is no path",
        },
        Part { name: "valid_edges", means: "share of the steps that follow an edge" },
    ],
    skills: &["graph_search", "bookkeeping", "optimisation"],
    reading: Reading::Strict,
    guess_rate: 0.04,
};

impl TaskFamily for ShortestPath {
    type Params = ShortestPathParams;
    type Problem = Network;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn level(&self, level: u8) -> ShortestPathParams {
        const LEVELS: [(u32, u32, u32, u32, u32, bool); 9] = [
            (8, 2, 9, 3, 0, false),
            (9, 4, 9, 3, 1, false),
            (11, 7, 12, 3, 1, true),
            (13, 8, 20, 4, 2, true),
            (17, 14, 30, 5, 3, true),
            (23, 22, 50, 6, 4, true),
            (33, 40, 99, 7, 6, true),
            (48, 70, 99, 9, 8, true),
            (70, 120, 99, 11, 12, true),
        ];
        let (nodes, extra_edges, max_weight, hops, decoys, misleading) = LEVELS[usize::from(level)];
        ShortestPathParams {
            nodes,
            extra_edges,
            max_weight,
            hops,
            decoys,
            misleading,
            ..ShortestPathParams::default()
        }
    }

    fn generate(
        &self,
        params: &ShortestPathParams,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Network, Exhausted> {
        loop {
            let (nodes, hops) = (params.nodes as usize, params.hops as usize);
            let heaviest = u64::from(params.max_weight);
            let mut draft = Draft::plant(params.directed, nodes, hops, heaviest, rng);
            if params.misleading {
                draft.add_shortcut(rng);
            }
            (0..params.decoys).for_each(|_| draft.add_decoy(rng));
            (0..params.extra_edges).for_each(|_| draft.add_edge(rng));
            let shortcut = draft.fewest_edges() < params.hops;
            let mut network =
                Network { start: 0, goal: hops, shortest: draft.shortest(), graph: draft.graph() };
            budget.spend((nodes * network.graph.edges.len()) as u64)?;
            if !params.misleading || shortcut && network.lightest_first_fails() {
                let names = &mut network.graph.names;
                *names = params.names.draw(names.len(), rng);
                rng.shuffle(names);
                return Ok(network);
            }
        }
    }

    fn certify(&self, network: &Network, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let graph = &network.graph;
        let work = 10 * graph.nodes() * graph.edges.len();
        if budget.spend(work as u64).is_err() {
            return Err("`edges` are too many to search".into());
        }
        let length = graph.shortest_paths(network.start).distance[network.goal];
        let (start, goal) = network.ends();
        if length == FAR {
            return Err(format!("`goal`: no path leads from {start} to {goal}"));
        }
        if length != network.shortest {
            let claimed = network.shortest;
            return Err(format!("`shortest` is {claimed}, but the shortest path is {length} long"));
        }
        Ok(Certificate {
            unique: graph.near_walks(network.start, network.goal, 0) == 1,
            proof: format!("no path from {start} to {goal} is shorter than {length}"),
        })
    }

    /// Harder: a node that opens another way, and at times weights under which another path is best.
    /// Easier: fewer edges off the path. Same: two other weights.
    fn mutate(&self, network: &Network, aim: Aim, rng: &mut Rng, _budget: &mut Budget) -> Option<Network> {
        let search = network.graph.shortest_paths(network.start);
        let path = search.path(network.goal);
        if path.is_empty() {
            return None;
        }
        let mut mutated = network.clone();
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
                    let weight = &mut graph.edges[rng.index(network.graph.edges.len())].2;
                    let near = rng.int((*weight as i64 - 2).max(1), *weight as i64 + 2) as u64;
                    *weight = near.min(LARGEST_WEIGHT);
                }
            }
        }
        let search = mutated.graph.shortest_paths(mutated.start);
        mutated.shortest = search.distance[mutated.goal];
        Some(mutated)
    }
}

/// A way round a part of the path, through a node of its own, longer by 1 or 2.
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

impl Network {
    fn ends(&self) -> (&str, &str) {
        let names = &self.graph.names;
        (&names[self.start], &names[self.goal])
    }

    /// The walk that always takes the lightest edge to a node it has not been at. It ends at the goal,
    /// where no such edge is left, or where it is too long to be a shortest path.
    fn lightest_first(&self) -> (Vec<usize>, u64) {
        let mut walk = vec![self.start];
        let (mut here, mut length) = (self.start, 0);
        while here != self.goal && length <= self.shortest {
            let ways = self.graph.ways(here);
            let ways = ways.filter(|(to, _)| !walk.contains(to));
            let Some((to, weight)) = ways.min_by_key(|(to, weight)| (*weight, *to)) else {
                break;
            };
            walk.push(to);
            (here, length) = (to, length + weight);
        }
        (walk, length)
    }

    fn lightest_first_fails(&self) -> bool {
        let (walk, length) = self.lightest_first();
        walk.last() != Some(&self.goal) || length > self.shortest
    }

    /// Removes up to three edges that are not on the path, and the nodes that no edge touches then.
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

    fn edge_list(&self, rng: &mut Rng) -> String {
        let (start, goal) = self.ends();
        let (kind, sign, ways) = if self.graph.directed {
            ("directed", "->", "An edge leads only from its first node to its second.")
        } else {
            ("undirected", "-", "An edge can be taken in both directions.")
        };
        let edge = |(a, b, w)| format!("{a} {sign} {b}: {w}");
        let edges: Vec<_> = self.graph.shuffled(rng).into_iter().map(edge).collect();
        let edges = edges.join("\n");
        let least = *rng.pick(&["the smallest possible", "the least"]);
        format!(
            "These are the edges of a weighted {kind} graph, each with its weight. {ways}\n\n{edges}\n\n\
             Find a path from {start} to {goal} with {least} total weight. \
             If there are several, any one of them will do."
        )
    }

    fn adjacency_list(&self, rng: &mut Rng) -> String {
        let (start, goal) = self.ends();
        let (nodes, list) = (self.graph.nodes(), self.graph.adjacency());
        let ways = if self.graph.directed {
            "Links lead one way only: there is a link back only where it is listed."
        } else {
            "Links work both ways, and each is listed at both of its ends."
        };
        let least = *rng.pick(&["cheapest", "least costly"]);
        format!(
            "A network has {nodes} nodes. For each of them, this list shows the nodes it has a link to and, \
             in brackets, what using that link costs. {ways}\n\n{list}\n\
             What is the {least} way to get from {start} to {goal}? The cost of a way is the sum of the costs \
             of its links; one of several equally cheap ways is enough."
        )
    }

    fn roads(&self, rng: &mut Rng) -> String {
        let (start, goal) = self.ends();
        let directed = self.graph.directed;
        let road = |(a, b, w)| {
            if directed {
                format!("A road of {w} km leads from {a} to {b}.")
            } else {
                format!("A road of {w} km joins {a} and {b}.")
            }
        };
        let roads: Vec<_> = self.graph.shuffled(rng).into_iter().map(road).collect();
        let ways = if directed { " All of them are one-way roads." } else { "" };
        let who = *rng.pick(&["A driver", "A cyclist"]);
        format!(
            "Here are all the roads between {} places.{ways} {} {who} is in {start} and wants to be in {goal} \
             with as few kilometres as possible. Which way is it? Name any one if more than one is shortest.",
            self.graph.nodes(),
            roads.join(" ")
        )
    }

    fn rides(&self, rng: &mut Rng) -> String {
        let (start, goal) = self.ends();
        let directed = self.graph.directed;
        let ride = |(a, b, w)| {
            let minutes = if w == 1 { "minute" } else { "minutes" };
            if directed {
                format!("from {a} to {b} in {w} {minutes}")
            } else {
                format!("between {a} and {b} in {w} {minutes}")
            }
        };
        let rides: Vec<_> = self.graph.shuffled(rng).into_iter().map(ride).collect();
        let ways = if directed { "only in the direction given" } else { "in either direction, equally fast" };
        let who = *rng.pick(&["A rider", "A messenger"]);
        format!(
            "{who} can go {}; there is no other way, and each of these can be used {ways}. \
             A letter must get from {start} to {goal} in the least time. \
             Plan the trip; if several are equally fast, choose freely.",
            rides.join(", ")
        )
    }

    /// Settled nodes that a person would write down: all nearer than the goal, then the goal.
    fn settled<'a>(&self, search: &'a Search) -> impl Iterator<Item = usize> + 'a {
        let (start, goal) = (self.start, self.goal);
        let reached = search.distance[goal] != FAR;
        let nearer = move |node: &usize| search.distance[*node] < search.distance[goal] && *node != start;
        let order = search.order.iter().copied();
        order.filter(nearer).chain(reached.then_some(goal))
    }

    /// Reads `Settle C at 7 via A` as node, distance and the node before.
    fn read_step(&self, step: &str) -> Result<(usize, u64, usize), String> {
        let refuse = || format!("`{}` is not a step like Settle C at 7 via A", quoted(step));
        let words: Vec<&str> = step.split_whitespace().take(7).collect();
        let ["Settle", node, "at", distance, "via", before] = words[..] else {
            return Err(refuse());
        };
        let find = |word: &str| self.graph.names.iter().position(|name| name == word);
        let distance = integer(distance)?.and_then(|distance| u64::try_from(distance).ok());
        match (find(node), distance, find(before)) {
            (Some(node), Some(distance), Some(before)) => Ok((node, distance, before)),
            _ => Err(refuse()),
        }
    }

    /// Whether a step is true: an edge leads there, and no way is shorter.
    fn check_settled(&self, search: &Search, step: (usize, u64, usize)) -> Result<(), String> {
        let (node, distance, before) = step;
        let (to, via) = (&self.graph.names[node], &self.graph.names[before]);
        let Some(weight) = self.graph.weight(before, node) else {
            return Err(format!("no edge leads from {via} to {to}"));
        };
        if search.distance[before].saturating_add(weight) != distance {
            return Err(format!("{to} is not reached at {distance} via {via}"));
        }
        if search.distance[node] < distance {
            return Err(format!("{to} can be reached at less than {distance}"));
        }
        Ok(())
    }
}

impl Problem for Network {
    fn check(&self) -> Result<(), String> {
        self.graph.check()?;
        let nodes = self.graph.nodes();
        for (field, node) in [("start", self.start), ("goal", self.goal)] {
            if node >= nodes {
                return Err(format!("`{field}` is {node}, but must be below {nodes}"));
            }
        }
        if self.start == self.goal {
            return Err(format!("`goal` is {}, which is the start", self.goal));
        }
        let (shortest, longest) = (self.shortest, LARGEST_WEIGHT * MOST_NODES as u64);
        if !(1..=longest).contains(&shortest) {
            return Err(format!("`shortest` is {shortest}, but must be between 1 and {longest}"));
        }
        Ok(())
    }

    fn prompt(&self, style: &Style) -> String {
        let rng = &mut style.rng();
        let (asked, nodes) = match style.template {
            0 => (self.edge_list(rng), "nodes"),
            1 => (self.adjacency_list(rng), "nodes"),
            2 => (self.roads(rng), "places"),
            _ => (self.rides(rng), "stops"),
        };
        let (start, goal) = self.ends();
        format!(
            "{asked}\nGive the names of the {nodes} in order, from {start} to {goal}, joined by ->, \
             inside <answer></answer> tags."
        )
    }

    /// The nodes as Dijkstra's algorithm settles them.
    fn solution(&self) -> Solution {
        let search = self.graph.shortest_paths(self.start);
        let name = |node: usize| &self.graph.names[node];
        let step = |node: usize| {
            let (distance, via) = (search.distance[node], name(search.via[node]));
            format!("Settle {} at {distance} via {via}", name(node))
        };
        Solution {
            steps: self.settled(&search).map(step).collect(),
            answer: route::write(search.path(self.goal), &self.graph.names),
        }
    }

    fn verify(&self, answer: &str, _budget: &mut Budget) -> Verdict {
        let walk = match route::read(answer, &self.graph.names) {
            Ok(walk) => walk,
            Err(Unread::Malformed(reason)) => return Verdict::malformed(reason),
            Err(Unread::Unknown(name)) => {
                let reason = format!("`{name}` is no node here");
                return Verdict::fail(label::CONSTRAINT_VIOLATED, reason).also("unknown_node");
            }
        };
        let name = |node: usize| &self.graph.names[node];
        let ends = walk.first() == Some(&self.start) && walk.last() == Some(&self.goal);
        let (mut length, mut edges, mut broken) = (0, 0, None);
        for step in walk.windows(2) {
            match self.graph.weight(step[0], step[1]) {
                Some(weight) => (length, edges) = (length + weight, edges + 1),
                None => broken = broken.or(Some((step[0], step[1]))),
            }
        }
        if ends && broken.is_none() && length <= self.shortest {
            return Verdict::pass();
        }
        let (start, goal) = self.ends();
        let repeated = (1..walk.len()).find(|at| walk[..*at].contains(&walk[*at]));
        let twice = |verdict: Verdict| match repeated {
            Some(_) => verdict.also("repeated_node"),
            None => verdict,
        };
        if ends && broken.is_none() {
            let longer = length - self.shortest;
            let loops =
                repeated.map_or(String::new(), |at| format!("; it comes to {} twice", name(walk[at])));
            let gap = self.shortest as f32 / length as f32;
            let verdict = Verdict::fail(
                label::SUBOPTIMAL,
                format!("this path is {length} long, {longer} more than the shortest{loops}"),
            );
            return twice(verdict).score(gap).parts([gap, 1.0]);
        }
        let mut reasons = Vec::new();
        let mut labels = Vec::new();
        if !ends {
            labels.push("wrong_endpoints");
            reasons.push(format!("it must lead from {start} to {goal}"));
        }
        if let Some((from, to)) = broken {
            labels.push("no_such_edge");
            reasons.push(format!("no edge leads from {} to {}", name(from), name(to)));
        }
        let verdict = Verdict::fail(label::CONSTRAINT_VIOLATED, reasons.join("; "));
        let verdict = labels.into_iter().fold(verdict, Verdict::also);
        let share = edges as f32 / (walk.len() - 1).max(1) as f32;
        twice(verdict).parts([0.0, share])
    }

    /// Sums made until the goal is settled, long ones counting more, and paths hard to tell from the
    /// shortest.
    fn difficulty(&self) -> f32 {
        let search = self.graph.shortest_paths(self.start);
        let mut effort = 0;
        for node in self.settled(&search).chain([self.start]) {
            let distance = search.distance[node];
            for (to, weight) in self.graph.ways(node) {
                if node != self.goal && search.distance[to] > distance {
                    effort += 1 + u64::from((distance.saturating_add(weight)).max(1).ilog10());
                }
            }
            effort += 1;
        }
        effort += 3 * self.graph.near_walks(self.start, self.goal, NEAR).saturating_sub(1).min(20);
        effort as f32 / (effort as f32 + 120.0)
    }

    fn wrong_answers(&self, rng: &mut Rng) -> Vec<String> {
        let search = self.graph.shortest_paths(self.start);
        let path = search.path(self.goal);
        let write = |walk: &[usize]| route::write(walk.iter().copied(), &self.graph.names);
        let right = write(&path);
        if path.is_empty() {
            return vec![right];
        }
        let (start, goal) = self.ends();
        let mut walks: Vec<Vec<usize>> = vec![
            path.iter().rev().copied().collect(),
            path[1..].to_vec(),
            path[..path.len() - 1].to_vec(),
            [&path[..1], &path[..]].concat(),
            [&path[..2], &path[..]].concat(),
            [&path[..], &path[path.len() - 1..]].concat(),
            [&path[..], &path[..]].concat(),
            self.lightest_first().0,
            (0..self.graph.names.len()).collect(),
        ];
        // A step left out, another node instead of one, a way round one edge.
        let at = rng.index(path.len() - 1);
        let other = rng.index(self.graph.names.len());
        if path.len() > 2 {
            let at = at.max(1);
            walks.push([&path[..at], &path[at + 1..]].concat());
            walks.push([&path[..at], &[other], &path[at + 1..]].concat());
        }
        walks.push([&path[..=at], &[other], &path[at + 1..]].concat());
        for (to, _) in self.graph.ways(path[at]) {
            walks.push([&path[..=at], &[to], &path[at + 1..]].concat());
            walks.push([&path[..=at], &[to], &path[at..]].concat());
        }
        let shortest = |walk: &Vec<usize>| {
            walk.first() == Some(&self.start)
                && walk.last() == Some(&self.goal)
                && self.graph.length(walk) == Some(self.shortest)
        };
        walks.retain(|walk| !shortest(walk));
        let broken = [
            right.replace(" -> ", ", "),
            right.replace(" -> ", " "),
            right.replace(" -> ", " - "),
            right.replace(" -> ", " => "),
            right.replace(" -> ", " -> -> "),
            format!("[{right}]"),
            format!("{right}."),
            format!("{right} ->"),
            format!("{right} -> ?"),
            format!("{right} ({})", self.shortest),
            format!("{right} = {}", self.shortest),
            format!("{right} or {start} -> {goal}"),
            format!("{right}\n{right}"),
            format!("Path: {right}"),
            self.shortest.to_string(),
        ];
        walks.iter().map(|walk| write(walk)).chain(broken).collect()
    }

    /// The graph and its ends, whatever the nodes are called.
    fn fingerprint(&self) -> Vec<u8> {
        let instance = (self.graph.directed, &self.graph.edges, self.start, self.goal);
        serde_json::to_vec(&instance).expect("edges serialise")
    }

    /// A step settles a node via one settled before; it leads on while the goal is not settled.
    fn check_step(&self, before: &[&str], step: &str, budget: &mut Budget) -> Option<StepVerdict> {
        let (node, distance, via) = match self.read_step(step) {
            Ok(step) => step,
            Err(reason) => return Some(StepVerdict::wrong(reason)),
        };
        let search = self.graph.shortest_paths(self.start);
        if let Err(reason) = self.check_settled(&search, (node, distance, via)) {
            return Some(StepVerdict::wrong(reason));
        }
        let mut settled = vec![self.start];
        for earlier in before {
            if budget.spend(self.graph.names.len() as u64).is_err() {
                break;
            }
            match self.read_step(earlier) {
                Ok(step)
                    if settled.contains(&step.2)
                        && !settled.contains(&step.0)
                        && self.check_settled(&search, step).is_ok() =>
                {
                    settled.push(step.0);
                }
                _ => {}
            }
        }
        let (to, from) = (&self.graph.names[node], &self.graph.names[via]);
        Some(if settled.contains(&node) {
            StepVerdict::idle(format!("true, but {to} is settled already"))
        } else if settled.contains(&self.goal) {
            StepVerdict::idle("true, but the goal is settled already")
        } else if !settled.contains(&via) {
            StepVerdict::idle(format!("true, but {from} is not settled yet"))
        } else if distance >= search.distance[self.goal] && node != self.goal {
            StepVerdict::idle(format!("true, but the goal is no farther than {to}"))
        } else {
            StepVerdict::advances()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;

    /// A detour A-C-B-D of 6 beats the direct A-D of 7 and A-B-D of 8; E is a dead end.
    fn network(directed: bool) -> Network {
        Network {
            graph: Graph {
                directed,
                names: ["A", "B", "C", "D", "E"].map(String::from).to_vec(),
                edges: vec![
                    (0, 1, 5),
                    (0, 2, 2),
                    (0, 3, 7),
                    (0, 4, 1),
                    (if directed { 2 } else { 1 }, if directed { 1 } else { 2 }, 1),
                    (1, 3, 3),
                ],
            }
            .sorted(),
            start: 0,
            goal: 3,
            shortest: 6,
        }
    }

    impl Graph {
        fn sorted(mut self) -> Self {
            self.edges.sort_unstable();
            self
        }
    }

    fn judge(network: &Network, answer: &str) -> Verdict {
        network.verify(answer, &mut Budget::new(0))
    }

    #[test]
    fn any_path_of_least_weight_passes_and_others_are_told_why_not() {
        let network = network(false);
        network.check().unwrap();
        for right in ["A -> C -> B -> D", "A->C->B->D", " A ->C\n-> B->  D "] {
            assert!(judge(&network, right).passed, "{right}");
        }
        for (wrong, failures, detail) in [
            ("A -> D", &["suboptimal"][..], "this path is 7 long, 1 more than the shortest"),
            ("A -> B -> D", &["suboptimal"], "this path is 8 long, 2 more than the shortest"),
            (
                "A -> E -> A -> C -> B -> D",
                &["suboptimal", "repeated_node"],
                "this path is 8 long, 2 more than the shortest; it comes to A twice",
            ),
            ("A -> C -> D", &["constraint_violated", "no_such_edge"], "no edge leads from C to D"),
            ("D -> B -> C -> A", &["constraint_violated", "wrong_endpoints"], "it must lead from A to D"),
            (
                "C -> B -> B -> D",
                &["constraint_violated", "wrong_endpoints", "no_such_edge", "repeated_node"],
                "it must lead from A to D; no edge leads from B to B",
            ),
            ("A", &["constraint_violated", "wrong_endpoints"], "it must lead from A to D"),
            ("A -> F -> D", &["constraint_violated", "unknown_node"], "`F` is no node here"),
            ("a -> c -> b -> d", &["constraint_violated", "unknown_node"], "`a` is no node here"),
        ] {
            let verdict = judge(&network, wrong);
            assert_eq!((&verdict.failures[..], &*verdict.detail), (failures, detail), "{wrong}");
        }
        for wrong in ["", "ACBD", "A, C, B, D", "A C B D", "A - C - B - D", "A -> C -> B -> D."] {
            assert!(!judge(&network, wrong).passed, "{wrong}");
        }
        let mut tied = network;
        tied.graph.edges[2].2 = 6;
        assert!(judge(&tied, "A -> D").passed && judge(&tied, "A -> C -> B -> D").passed);
        let certificate = ShortestPath.certify(&tied, &mut Budget::new(10_000)).unwrap();
        assert!(!certificate.unique);
    }

    #[test]
    fn credit_is_the_ratio_of_lengths_and_the_share_of_edges() {
        let network = network(false);
        let parts = |answer| judge(&network, answer).parts;
        assert_eq!(parts("A -> B -> D"), [0.75, 1.0]);
        assert_eq!(parts("A -> C -> D"), [0.0, 0.5]);
        assert_eq!(parts("A"), [0.0, 0.0]);
        let scores = ["A -> B -> D", "A -> C -> D"].map(|answer| judge(&network, answer).score);
        assert_eq!(scores.map(|score| (score * 100.0) as u32), [75, 0]);
    }

    #[test]
    fn one_way_edges_lead_one_way() {
        let network = network(true);
        network.check().unwrap();
        assert!(judge(&network, "A -> C -> B -> D").passed);
        let mut back = network.clone();
        (back.start, back.goal) = (3, 0);
        assert_eq!(judge(&back, "D -> B -> C -> A").failures, ["constraint_violated", "no_such_edge"]);
        let refusal = ShortestPath.certify(&back, &mut Budget::new(10_000)).unwrap_err();
        assert!(refusal.contains("`goal`"), "{refusal}");
    }

    #[test]
    fn a_false_length_is_not_certified() {
        let certify = |network: &Network| ShortestPath.certify(network, &mut Budget::new(10_000));
        assert!(certify(&network(false)).unwrap().unique);
        for claimed in [5, 7] {
            let mut network = network(false);
            network.shortest = claimed;
            assert!(certify(&network).unwrap_err().contains("`shortest`"));
        }
    }

    #[test]
    fn a_network_whose_goal_is_out_of_reach_breaks_nothing() {
        let mut network = network(true);
        (network.start, network.goal) = (4, 0);
        network.check().unwrap();
        let mut rng = Key::new("reach", 1, "", 0, "").stream(0);
        assert_eq!(network.solution().answer, "");
        assert!(!judge(&network, "E -> A").passed);
        assert!((0.0..=1.0).contains(&network.difficulty()));
        network.wrong_answers(&mut rng);
        let budget = &mut Budget::new(10_000);
        for aim in Aim::ALL {
            assert!(ShortestPath.mutate(&network, aim, &mut rng, budget).is_none());
        }
        assert!(!network.check_step(&[], "Settle A at 1 via E", budget).unwrap().holds);
    }

    #[test]
    fn planted_graphs_are_what_their_params_say() {
        let mut rng = Key::new("planted", 1, "", 0, "").stream(0);
        for (level, directed) in (0..=8).flat_map(|level| [(level, false), (level, true)]) {
            let params = ShortestPathParams { directed, ..ShortestPath.level(level) };
            for _ in 0..20 {
                let budget = &mut Budget::new(20_000_000);
                let network = ShortestPath.generate(&params, &mut rng, budget).unwrap();
                ShortestPath.certify(&network, budget).unwrap();
                let Network { graph, start, goal, shortest } = &network;
                let heaviest = u64::from(params.max_weight);
                assert!(graph.edges.iter().all(|(_, _, weight)| *weight <= heaviest));
                // Among equally short paths a little more for each edge favours the one with the fewest.
                let hops = |weight: fn(u64) -> u64| {
                    let mut graph = graph.clone();
                    graph.edges.iter_mut().for_each(|edge| edge.2 = weight(edge.2));
                    graph.shortest_paths(*start).path(*goal).len() as u32 - 1
                };
                assert_eq!(hops(|weight| 1_000 * weight + 1), params.hops);
                if params.misleading {
                    assert!(hops(|_| 1) < params.hops && network.lightest_first_fails());
                }
                assert!(*shortest >= u64::from(params.hops));
            }
        }
    }

    #[test]
    fn steps_settle_nodes_one_after_the_other() {
        let network = network(false);
        let judge = |before: &[&str], step| {
            let budget = &mut Budget::new(10_000);
            network.check_step(before, step, budget).unwrap()
        };
        let steps = network.solution().steps;
        assert_eq!(
            steps,
            ["Settle E at 1 via A", "Settle C at 2 via A", "Settle B at 3 via C", "Settle D at 6 via B"]
        );
        assert!(judge(&[], "Settle C at 2 via A").advances);
        assert!(judge(&["hm", "Settle C at 2 via A"], "Settle B at 3 via C").advances);
        for (before, idle) in [
            (&[][..], "Settle B at 3 via C"),
            (&["Settle C at 2 via A"], "Settle C at 2 via A"),
            (&["Settle C at 3 via A"], "Settle B at 3 via C"),
        ] {
            let verdict = judge(before, idle);
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
            assert!(!judge(&[], false_step).holds, "{false_step}");
        }
    }

    #[test]
    fn a_fingerprint_does_not_know_names() {
        let (one, mut other) = (network(false), network(false));
        other.graph.names.reverse();
        assert_eq!(one.fingerprint(), other.fingerprint());
        other.graph.edges[0].2 += 1;
        assert_ne!(one.fingerprint(), other.fingerprint());
    }
}
