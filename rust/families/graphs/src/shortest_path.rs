//! Find a path of smallest total weight between two nodes of a graph.

use kit::shared::graph::{FAR, Graph, LARGEST_WEIGHT, MOST_NODES};
use kit::shared::route::{self, Naming};
use kit::task::prelude::*;
use planted::{Draft, NEAR};
use settling::Settling;

mod judge;
mod mutation;
mod planted;
mod settling;
mod walks;
mod wording;

pub struct ShortestPath;

params! {
    pub struct ShortestPathParams {
        /// Number of nodes.
        nodes: u32 [4..=100],
        /// Edges added to those that connect the graph and to the decoys, as far as there is room.
        extra_edges: u32 [0..=300],
        /// Largest weight of an edge; the smallest is 1.
        max_weight: u32 [1..=1000],
        /// Fewest edges that a shortest path has.
        hops: u32 [1..=30],
        /// Edges that open another path, longer by only 1 or 2, as far as there is room.
        decoys: u32 [0..=50],
        /// True if always taking the lightest edge (ties aside) misses the shortest path, and so does every
        /// path with the fewest edges.
        misleading: bool,
        /// True if edges can be used in one direction only.
        directed: bool [structure],
        /// Names of nodes; `any` draws one of the others.
        names: Naming [style],
        /// True if the shortest path is the only optimal answer.
        unique: bool [structure, if_set],
    }
    levels {
        (5, 4, 9, 2, 0, true, false, Naming::Any, false),
        (6, 4, 9, 3, 0, true, false, Naming::Any, false),
        (8, 6, 9, 3, 0, true, false, Naming::Any, false),
        (9, 7, 9, 3, 1, true, false, Naming::Any, false),
        (11, 9, 12, 3, 1, true, false, Naming::Any, false),
        (13, 8, 20, 4, 2, true, false, Naming::Any, false),
        (17, 14, 30, 5, 3, true, false, Naming::Any, false),
        (23, 22, 50, 6, 4, true, false, Naming::Any, false),
        (33, 40, 99, 7, 6, true, false, Naming::Any, false),
        (48, 70, 99, 9, 8, true, false, Naming::Any, false),
        (70, 120, 99, 11, 12, true, false, Naming::Any, false),
    }
    default 3
    check Self::consistent;
}

impl ShortestPathParams {
    fn consistent(&self) -> Result<(), String> {
        if self.hops >= self.nodes {
            return Err(format!(
                "`hops` is {}, but must be below `nodes`, which is {}",
                self.hops, self.nodes
            ));
        }
        if self.misleading && self.hops < 2 {
            return Err("`hops` is 1, but must be 2 or more when `misleading` is true".to_owned());
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

/// A graph with a start and a goal.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Network {
    graph: Graph,
    start: usize,
    goal: usize,
    /// Length of a shortest path between them, as claimed by the generator: answers are verified against it,
    /// and `certify` proves it.
    shortest: u64,
    /// The optimum is the only optimal answer; a claim that `certify` proves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unique: bool,
}

impl TaskFamily for ShortestPath {
    type Params = ShortestPathParams;
    type Problem = Network;

    const ABOUT: About = About {
        summary: "Find a path of smallest total weight between two nodes of a graph.",
        judged_by: JudgedBy::Optimum,
        failures: &[
            ("wrong_endpoints", "the path starts or ends at the wrong node"),
            ("no_such_edge", "two nodes in a row are not connected by an edge"),
            ("unknown_node", "a name is not one of the nodes"),
            ("repeated_node", "the path visits a node twice"),
        ],
        parts: &[
            Part::new(
                "gap",
                "length of the shortest path divided by the length of this one; 0 if this is not a path",
            ),
            Part::new("valid_edges", "share of the steps that follow an edge"),
        ],
        skills: &["graph_search", "bookkeeping", "optimization"],
        guess_rate: 0.115,
        guess_score: 0.115,
        ..About::new("graphs", "shortest_path", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Network> {
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
            let mut network = Network {
                start: 0,
                goal: hops,
                shortest: draft.shortest(),
                graph: draft.graph(),
                unique: params.unique,
            };
            budget.spend((nodes * network.graph.edges.len()) as u64)?;
            let misleading = || shortcut && network.lightest_first_fails();
            if (!params.misleading || misleading()) && (!params.unique || network.is_unique()) {
                let names = &mut network.graph.names;
                *names = params.names.draw(names.len(), rng);
                rng.shuffle(names);
                return Ok(network);
            }
        }
    }
}

impl Network {
    /// True if there is only one shortest path.
    fn is_unique(&self) -> bool {
        self.graph.near_walks(self.start, self.goal, 0) == 1
    }

    fn ends(&self) -> (&str, &str) {
        let names = &self.graph.names;
        (&names[self.start], &names[self.goal])
    }
}

impl Problem for Network {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = wording::TEMPLATES;

    fn check(&self) -> Result<(), String> {
        self.graph.check()?;
        let nodes = self.graph.nodes();
        for (field, node) in [("start", self.start), ("goal", self.goal)] {
            check::within(field, &node, 0..=nodes - 1)?;
        }
        check::that(self.start != self.goal, || format!("`goal` is {}, which is the start", self.goal))?;
        check::within("shortest", &self.shortest, 1..=LARGEST_WEIGHT * MOST_NODES as u64)
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let graph = &self.graph;
        let work = 10 * graph.nodes() * graph.edges.len();
        if budget.spend(work as u64).is_err() {
            return Err("`edges` are too many to search".into());
        }
        let length = graph.shortest_paths(self.start).distance[self.goal];
        let (start, goal) = self.ends();
        if length == FAR {
            return Err(format!("`goal`: there is no path from {start} to {goal}"));
        }
        if length != self.shortest {
            let claimed = self.shortest;
            return Err(format!("`shortest` is {claimed}, but the shortest path has length {length}"));
        }
        let proof = format!("no path from {start} to {goal} is shorter than {length}");
        Certificate { unique: self.is_unique(), proof }.claimed(self.unique)
    }

    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        self.mutated(aim, rng)
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        let ends = form::Ends::Between(self.start, self.goal);
        form::Route { names: &self.graph.names, ends, place: "node", unknown: "unknown_node" }
    }

    /// The nodes as Dijkstra's algorithm settles them.
    fn solution(&self) -> Solution {
        let search = self.graph.shortest_paths(self.start);
        Solution::new(self.settling(&search), route::write(search.path(self.goal), &self.graph.names))
    }

    fn answer(&self) -> String {
        route::write(self.graph.shortest_paths(self.start).path(self.goal), &self.graph.names)
    }

    fn verify(&self, walk: Vec<usize>, budget: &mut Budget) -> Judged {
        self.judge_walk(&walk, budget)
    }

    /// A random shortest path, drawn edge by edge from its end.
    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        let distance = self.graph.shortest_paths(self.start).distance;
        let mut path = vec![self.goal];
        while path[path.len() - 1] != self.start {
            let to = path[path.len() - 1];
            let leads = |(next, weight): (usize, u64), from: usize| {
                next == to && distance[from].checked_add(weight) == Some(distance[to])
            };
            let before = |from: &usize| self.graph.ways(*from).any(|way| leads(way, *from));
            path.push(*rng.pick(&(0..self.graph.nodes()).filter(before).collect::<Vec<_>>()));
        }
        path.reverse();
        Some(path)
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let mut walks = self.wrong_walks(faults, rng);
        walks.retain(|walk| !self.is_shortest(walk));
        walks
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        vec![
            ("the two ends", vec![self.start, self.goal]),
            ("fewest edges", self.fewest_edges(|_| rng.below(1_000))),
            ("lightest first", self.lightest_first(u64::MAX, |_| rng.word()).0),
            ("any path", self.any_path(rng)),
        ]
    }

    /// Reorders and renames the nodes, and sometimes exchanges the two ends.
    fn twin(&self, rng: &mut Rng) -> Self {
        let nodes = self.graph.nodes();
        let mut order: Vec<usize> = (0..nodes).collect();
        rng.shuffle(&mut order);
        let graph = self.graph.renumbered(&order, Naming::Any.draw(nodes, rng));
        let (start, goal) = (order[self.start], order[self.goal]);
        if rng.chance(1, 2) {
            Self { graph: graph.turned(), start: goal, goal: start, ..*self }
        } else {
            Self { graph, start, goal, ..*self }
        }
    }

    /// Sums computed until the goal is settled, large ones weighted more, plus paths that are hard to
    /// distinguish from the shortest.
    fn effort(&self) -> Effort {
        let search = self.graph.shortest_paths(self.start);
        let mut steps = 0;
        for node in self.settled(&search).chain([self.start]) {
            let distance = search.distance[node];
            for (to, weight) in self.graph.ways(node) {
                if node != self.goal && search.distance[to] > distance {
                    steps += 1 + u64::from((distance.saturating_add(weight)).max(1).ilog10());
                }
            }
            steps += 1;
        }
        steps += 3 * self.graph.near_walks(self.start, self.goal, NEAR).saturating_sub(1).min(20);
        Effort::new(steps, 120)
    }

    /// The graph and its ends, independent of names and of the direction of the path.
    fn fingerprint(&self) -> Vec<u8> {
        let Self { graph, start, goal, .. } = self;
        let shape = |from: &usize, to: &usize, turned| {
            graph.invariant(|node| u64::from(node == *from) + 2 * u64::from(node == *to), turned)
        };
        let mut shapes = if graph.directed {
            vec![shape(start, goal, false), shape(goal, start, true)]
        } else {
            // Either end may be the start.
            vec![graph.invariant(|node| u64::from([start, goal].contains(&&node)), false)]
        };
        shapes.sort_unstable();
        shapes.into_iter().flat_map(u64::to_be_bytes).collect()
    }

    fn steps(&self) -> Option<Box<dyn StepJudge + '_>> {
        Some(Box::new(Settling::new(self)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::rng::Key;
    use kit::testing::verdict as judge;

    /// A detour A-C-B-D of 6 beats the direct A-D of 7 and A-B-D of 8; E is a dead end.
    pub fn network(directed: bool) -> Network {
        let mut edges = vec![(0, 1, 5), (0, 2, 2), (0, 3, 7), (0, 4, 1), (1, 3, 3)];
        edges.push(if directed { (2, 1, 1) } else { (1, 2, 1) });
        edges.sort_unstable();
        let names = ["A", "B", "C", "D", "E"].map(String::from).to_vec();
        Network { graph: Graph { directed, names, edges }, start: 0, goal: 3, shortest: 6, unique: false }
    }

    pub fn certify(network: &Network) -> Result<Certificate, Uncertified> {
        network.certify(&mut Budget::new(10_000))
    }

    #[test]
    fn one_way_edges_lead_one_way() {
        let network = network(true);
        network.check().unwrap();
        assert!(judge(&network, "A -> C -> B -> D").passed);
        let back = Network { start: 3, goal: 0, ..network };
        assert_eq!(judge(&back, "D -> B -> C -> A").failures, ["constraint_violated", "no_such_edge"]);
        assert!(certify(&back).unwrap_err().contains("`goal`"));
    }

    #[test]
    fn a_false_length_is_judged_by_and_not_certified() {
        assert!(certify(&network(false)).unwrap().unique);
        for claimed in [1, 5, 7, LARGEST_WEIGHT * MOST_NODES as u64] {
            let network = Network { shortest: claimed, ..network(false) };
            network.check().unwrap();
            assert!(certify(&network).unwrap_err().contains("`shortest`"));
            for answer in ["A -> C -> B -> D", "A -> D", "A -> B -> D"] {
                let verdict = judge(&network, answer);
                assert!(verdict.passed == (verdict.score >= 1.0) && verdict.score >= 0.0, "{verdict:?}");
            }
        }
    }

    #[test]
    fn a_network_whose_goal_is_out_of_reach_breaks_nothing() {
        let network = Network { start: 4, goal: 0, ..network(true) };
        network.check().unwrap();
        let mut rng = Key::new("reach", 1, "", 0, "").stream(0);
        assert_eq!(network.solution().answer, "");
        assert!(!judge(&network, "E -> A").passed);
        assert!((0.0..1.0).contains(&network.effort().difficulty()));
        assert!(network.near_misses(Faults::All, &mut rng).is_empty());
        assert!(network.guesses(&mut rng).iter().all(|(_, walk)| !network.is_shortest(walk)));
        let budget = &mut Budget::new(10_000);
        assert!(Aim::ALL.iter().all(|aim| network.edited(*aim, &mut rng, budget).is_none()));
    }

    #[test]
    fn planted_graphs_are_what_their_params_say() {
        let mut rng = Key::new("planted", 1, "", 0, "").stream(0);
        let levels = ShortestPathParams::LEVELS.iter();
        for (params, directed) in levels.flat_map(|params| [(params, false), (params, true)]) {
            let params = ShortestPathParams { directed, ..params.clone() };
            for _ in 0..20 {
                let budget = &mut Budget::new(20_000_000);
                let network = ShortestPath.generate(&params, &mut rng, budget).unwrap();
                network.certify(budget).unwrap();
                let Network { graph, start, goal, .. } = &network;
                assert!(graph.edges.iter().all(|(_, _, weight)| *weight <= u64::from(params.max_weight)));
                // A small surcharge per edge favors the path with the fewest edges among equally short ones.
                let counted = graph.reweighted(|weight| 1_000 * weight + 1);
                assert_eq!(counted.shortest_paths(*start).path(*goal).len() as u32, params.hops + 1);
                assert!(network.fewest_edges(|_| 0).len() as u32 <= params.hops);
                assert!(network.lightest_first_fails());
            }
        }
    }

    #[test]
    fn a_twin_of_a_directed_graph_may_have_all_edges_turned() {
        let mut rng = Key::new("twins", 1, "", 0, "").stream(0);
        let params = ShortestPathParams { directed: true, ..ShortestPathParams::default() };
        for _ in 0..100 {
            let network = ShortestPath.generate(&params, &mut rng, &mut Budget::new(1_000_000)).unwrap();
            let twin = network.twin(&mut rng);
            twin.check().unwrap();
            assert_eq!(twin.fingerprint(), network.fingerprint());
            certify(&twin).unwrap();
            let only_turned = Network { graph: network.graph.turned(), ..network.clone() };
            assert_ne!(only_turned.fingerprint(), network.fingerprint());
            let mut heavier = network.clone();
            heavier.graph.edges[rng.index(network.graph.edges.len())].2 += 1;
            assert_ne!(heavier.fingerprint(), network.fingerprint());
        }
    }
}
