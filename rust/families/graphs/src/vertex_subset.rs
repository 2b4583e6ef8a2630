//! Choose nodes of a graph: as many as possible without conflict, or as few as possible that do a job.

use kit::prelude::*;
use kit::shape::optimum::{Broken, GAP, Optimizing, Optimum, Sense};
use kit::shared::graph::Graph;
use kit::shared::route::Naming;
use kit::task::problem::{Field, Nodes, Unlimited, undirected};

use crate::subsets::{Covering, Question, REPEATED, SOLVE_STEPS, Set, first, members, set_of};

pub struct VertexSubset;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Any,
    IndependentSet,
    Clique,
    VertexCover,
    DominatingSet,
    MaxCut,
}

impl Field for Kind {
    type Limits = ();

    fn check(&self, name: &str, (): &()) -> Result<(), String> {
        check::that(*self != Self::Any, || format!("`{name}` must name one kind of question"))
    }
}

impl Unlimited for Kind {
    fn limits() {}
}

params! {
    pub struct VertexSubsetParams {
        /// Question: `independent_set`, `clique`, `vertex_cover`, `dominating_set`, `max_cut`, or `any` of these.
        kind: Kind [structure],
        /// Number of nodes; a clique or a cut is asked for in a graph of at most half as many and eight.
        nodes: u32 [8..=48],
        /// Usual number of edges for every ten nodes; of cliques, 45 % of all possible edges.
        edges_per_ten: u32 [12..=24],
        /// Names of nodes; `any` draws one of the others.
        names: Naming [style],
    }
    levels {
        (Kind::Any, 8, 14, Naming::Any),
        (Kind::Any, 11, 15, Naming::Any),
        (Kind::Any, 14, 17, Naming::Any),
        (Kind::Any, 18, 18, Naming::Any),
        (Kind::Any, 23, 19, Naming::Any),
        (Kind::Any, 29, 20, Naming::Any),
        (Kind::Any, 35, 21, Naming::Any),
        (Kind::Any, 41, 22, Naming::Any),
        (Kind::Any, 48, 22, Naming::Any),
    }
    default 2
}

problem! {
    /// A graph without weights, and what its nodes are chosen for.
    pub struct Subset {
        kind: Kind,
        graph: Graph [undirected(4..=60, 3..=700).unweighted()],
        chosen: Nodes [claim, among(graph.nodes())],
    }
}

impl TaskFamily for VertexSubset {
    type Params = VertexSubsetParams;
    type Problem = Optimum<Subset>;

    const ABOUT: About = About {
        summary: "Choose as many or as few nodes of a graph as possible: a clique, a cover, a cut.",
        skills: &["optimization", "graph_search", "backtracking"],
        distinct_from: 1,
        guess_rate: 0.03,
        guess_score: 0.03,
        ..Optimum::<Subset>::about("graphs", "vertex_subset", &["First version."])
    };

    /// Draws graphs until no rule of thumb finds an optimum, and random orders hardly ever do.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Optimum<Subset>> {
        let kinds =
            [Kind::IndependentSet, Kind::Clique, Kind::VertexCover, Kind::DominatingSet, Kind::MaxCut];
        let kind = if params.kind == Kind::Any { *rng.pick(&kinds) } else { params.kind };
        let dense = matches!(kind, Kind::Clique | Kind::MaxCut);
        let nodes = if dense { params.nodes.min(8 + params.nodes / 2) } else { params.nodes } as usize;
        let mut pairs: Vec<_> =
            (0..nodes).flat_map(|one| (one + 1..nodes).map(move |more| (one, more, 1))).collect();
        let usual = match kind {
            Kind::Clique => pairs.len() * 45 / 100,
            _ => nodes * params.edges_per_ten as usize / 10,
        };
        loop {
            let edges = usual * (85 + rng.index(31)) / 100;
            rng.deal(&mut pairs, edges);
            let mut edges = pairs[..edges].to_vec();
            edges.sort_unstable();
            let graph = Graph { directed: false, names: vec![String::new(); nodes], edges };
            let mut subset = Subset { kind, graph, chosen: Nodes::default() };
            if !budget.wants(|| Fields::fingerprint(&subset))? {
                continue;
            }
            let mut steps = Budget::new(SOLVE_STEPS);
            let solved = subset.solve(&mut steps);
            budget.spend(steps.spent() + nodes as u64)?;
            let mut drawn = Optimum(subset);
            let easy = |rng: &mut Rng| drawn.question().is_easy(drawn.value(&drawn.claimed()), rng);
            if solved.is_ok() && drawn.chosen.len() > 1 && drawn.is_beyond_thumb() && !easy(rng) {
                drawn.0.graph.names = params.names.draw(nodes, rng);
                return Ok(drawn);
            }
        }
    }
}

impl Subset {
    fn name(&self, node: usize) -> &str {
        &self.graph.names[node]
    }

    fn named(&self, set: Set) -> String {
        members(set).map(|node| self.name(node)).listed()
    }

    /// Each node's neighbors.
    fn near(&self) -> Vec<Set> {
        let mut near = vec![0; self.graph.nodes()];
        for (one, other, _) in &self.graph.edges {
            near[*one] |= 1 << other;
            near[*other] |= 1 << one;
        }
        near
    }

    /// The nodes that may not be chosen beside each; none if the question is another.
    fn conflicts(&self) -> Option<Vec<Set>> {
        let (near, all) = (self.near(), first(self.graph.nodes()));
        match self.kind {
            Kind::IndependentSet => Some(near),
            Kind::Clique => Some((0..near.len()).map(|node| all & !near[node] & !(1 << node)).collect()),
            _ => None,
        }
    }

    fn question(&self) -> Question {
        let near = self.near();
        let pairs = |near: &[Set]| {
            let above = |node: usize| members(near[node]).filter(move |other| *other > node);
            let pair = |node: usize| above(node).map(move |other| 1 << node | 1 << other);
            Covering::new(near.len(), (0..near.len()).flat_map(pair))
        };
        match (self.conflicts(), self.kind) {
            // Of two nodes in conflict, one has to be left out.
            (Some(conflicts), _) => Question::Free(pairs(&conflicts)),
            (None, Kind::VertexCover) => Question::Least(pairs(&near)),
            (None, Kind::DominatingSet) => {
                let closed = near.iter().enumerate().map(|(node, near)| near | 1 << node);
                Question::Least(Covering::new(near.len(), closed))
            }
            (None, _) => Question::Cut(near),
        }
    }

    /// The label of a choice that does not do its job.
    fn flaw(&self) -> &'static str {
        match self.kind {
            Kind::IndependentSet => "adjacent_pair",
            Kind::Clique => "missing_edge",
            Kind::VertexCover => "uncovered_edge",
            Kind::DominatingSet | Kind::MaxCut | Kind::Any => "undominated_node",
        }
    }

    /// The text for this kind of question.
    fn asks(&self, texts: [&'static str; 5]) -> &'static str {
        texts[(self.kind as usize).saturating_sub(1)]
    }
}

const FORMAL: [&str; 5] = [
    "Find a largest independent set: as many nodes as possible, no two of which are joined by an edge.",
    "Find a largest clique: as many nodes as possible, every two of which are joined by an edge.",
    "Find a smallest vertex cover: as few nodes as possible, such that every edge has at least one of them as an end.",
    "Find a smallest dominating set: as few nodes as possible, such that every other node is joined by an edge to at \
     least one of them.",
    "Find a largest cut: split the nodes into two groups so that as many edges as possible join a node of one group to \
     a node of the other, and name all nodes of one of the two groups.",
];
const SYMBOLS: [&str; 5] = [
    "no edge in E has both ends in S, and S is as large as possible",
    "every two elements of S are joined by an edge in E, and S is as large as possible",
    "every edge in E has at least one end in S, and S is as small as possible",
    "every element of V is in S or shares an edge in E with an element of S, and S is as small as possible",
    "the number of edges in E that have exactly one end in S is as large as possible",
];
const PEOPLE: [&str; 5] = [
    "I want to invite as many of them as I can, but no two of my guests may know each other. Whom should I invite?",
    "I'm looking for a group as large as possible in which everybody knows everybody else. Who should be in it?",
    "Whenever two people know each other, at least one of the two has to sign a form. Who should sign, if as few \
     people as possible are to be bothered?",
    "I have some news, and I'd like to tell as few of them as possible myself: everyone else should know somebody I \
     told. Whom should I tell?",
    "I have to split them into two teams of any size, so that as many pairs as possible who know each other are on \
     different teams. Who should be on the first team?",
];
const VILLAGES: [&str; 5] = [
    "A bakery wants to open as many shops as possible, at most one in each village and never in two villages that are \
     joined by a road. In which villages should it open them?",
    "A rider wants to visit as many villages as possible, each of which is joined by a road to every other one she \
     visits. Which villages should she choose?",
    "Every road needs a guard in at least one of the two villages that it joins. A guard watches all roads of a village. \
     In which villages should guards be posted, if there are to be as few as possible?",
    "Every village without a doctor must be joined by a road to a village with one. In which villages should doctors \
     live, if there are to be as few as possible?",
    "Every village is to be painted white or blue, so that as many roads as possible join a white village to a blue one. \
     Which villages should be white?",
];

impl Optimizing for Subset {
    type Answer = Vec<usize>;

    const HALF: u64 = 400;
    const BROKEN: &'static [Label] = &[
        REPEATED,
        ("adjacent_pair", "two nodes of an independent set are joined by an edge"),
        ("missing_edge", "two nodes of a clique are not joined by an edge"),
        ("uncovered_edge", "an edge has no end in the cover"),
        ("undominated_node", "a node is not chosen, and none of its neighbors is"),
    ];
    const PARTS: &'static [Part] = &[Part::new(
        GAP,
        "size of this choice divided by that of a best one, or the inverse; 0 if it breaks a rule",
    )];
    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "graph",
            "An undirected graph has the nodes {nodes} and these edges: {edges}.\n\n{formal} If several answers are \
             equally good, any of them will do.",
        ),
        Prompt::new(
            "people",
            "Here is everybody in our club, with the people they know (it's always mutual):\n\n{near:{node}: {near}}\n\n\
             {people} If there's more than one best answer, just give me one of them.",
        ),
        Prompt::new(
            "sets",
            "V = {{{nodes}}}\nE = {{{edges}}}\n\nE holds the edges of an undirected graph on V. Choose a subset S of V such \
             that {symbols}. Any best S is accepted.",
        ),
        Prompt::held_out(
            "villages",
            "On an island there are {count} villages: {nodes}. Roads join {roads}.\n\n{villages} There may be more than one \
             best answer; one is enough.",
        ),
        Prompt::held_out(
            "adjacency",
            "graph = adjacency lists, undirected, no weights:\n{near:  {node}: {near}}\n\n{formal} Ties may be broken in \
             any way.",
        ),
    ];

    fn sense(&self) -> Sense {
        match self.kind {
            Kind::VertexCover | Kind::DominatingSet => Sense::Least("the number of nodes"),
            Kind::MaxCut => Sense::Most("the number of edges between the two groups"),
            _ => Sense::Most("the number of nodes"),
        }
    }

    fn slots(&self, slots: &mut Slots<'_>) {
        let pairs = |between: &str, comma: &str| {
            let pair = |(one, other, _): &(usize, usize, u64)| {
                format!("{}{between}{}", self.name(*one), self.name(*other))
            };
            self.graph.edges.iter().map(pair).joined(comma)
        };
        slots.text("nodes", self.graph.names.iter().listed()).text("count", self.graph.nodes());
        slots.with("edges", || pairs("-", ", ")).with("roads", || pairs(" and ", "; "));
        slots.text("formal", self.asks(FORMAL)).text("symbols", self.asks(SYMBOLS));
        slots.text("people", self.asks(PEOPLE)).text("villages", self.asks(VILLAGES));
        slots.lines("near", self.near().iter().enumerate(), |line, (node, near)| {
            let near = if *near == 0 { "none".to_owned() } else { self.named(*near) };
            line.text("node", self.name(node)).text("near", near);
        });
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        let what = "the names you choose, each once, in any order and".to_owned();
        form::Sequence { what, words: self.graph.names.clone() }
    }

    fn allows(&self, nodes: &Vec<usize>) -> Result<(), Broken> {
        let (set, near) = (set_of(nodes), self.near());
        let twice = (1..nodes.len()).find(|at| nodes[..*at].contains(&nodes[*at]));
        if let Some(at) = twice {
            return Err(Broken::new(REPEATED.0, format!("{} is listed twice", self.name(nodes[at]))));
        }
        let edge = |(one, other): (usize, usize)| format!("{} and {}", self.name(one), self.name(other));
        let edges = || self.graph.edges.iter().map(|(one, other, _)| (*one, *other));
        let held = |node: usize| set >> node & 1 == 1;
        let flaw = match self.kind {
            Kind::IndependentSet => edges()
                .find(|(one, other)| held(*one) && held(*other))
                .map(|pair| format!("{} are both chosen, but joined by an edge", edge(pair))),
            Kind::Clique => members(set)
                .find_map(|node| Some((node, members(set & !near[node] & !(1 << node)).next()?)))
                .map(|pair| format!("{} are both chosen, but not joined by an edge", edge(pair))),
            Kind::VertexCover => edges()
                .find(|(one, other)| !held(*one) && !held(*other))
                .map(|pair| format!("neither end of the edge between {} is chosen", edge(pair))),
            Kind::DominatingSet => {
                (0..near.len()).find(|node| !held(*node) && near[*node] & set == 0).map(|node| {
                    format!("{} is not chosen, and neither is any of its neighbors", self.name(node))
                })
            }
            Kind::MaxCut | Kind::Any => None,
        };
        flaw.map_or(Ok(()), |detail| Err(Broken::new(self.flaw(), detail)))
    }

    fn value(&self, nodes: &Vec<usize>) -> u64 {
        self.question().value(set_of(nodes))
    }

    fn claimed(&self) -> Vec<usize> {
        self.chosen.to_vec()
    }

    fn solve(&mut self, budget: &mut Budget) -> Result<(), OverBudget> {
        let best = self.question().best(budget)?.expect("all nodes together meet every need");
        self.chosen = Nodes(members(best).collect());
        Ok(())
    }

    fn bound(&self, budget: &mut Budget) -> Result<(u64, String), Uncertified> {
        self.question().bound(&self.chosen, self.sense(), budget)
    }

    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        self.question().another(rng)
    }

    fn rules_of_thumb(&self) -> impl Iterator<Item = (&'static str, Vec<usize>)> {
        self.question().thumbs().into_iter()
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        self.question().guesses(&self.chosen, rng)
    }

    fn shortcuts(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        self.question().shortcuts(rng)
    }

    fn spoiled(&self, faults: Faults, rng: &mut Rng) -> Vec<Miss<Vec<usize>>> {
        self.question().spoiled(&self.chosen, self.flaw(), faults, rng)
    }

    fn changed(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        self.question().changed(&self.chosen, faults, rng)
    }

    fn work(&self, work: &mut Work) {
        let (near, all, conflicts) = (self.near(), first(self.graph.nodes()), self.conflicts());
        self.question().work(&self.chosen, self.sense(), work, |before, node| {
            let (chosen, name) = (before | 1 << node, self.name(node));
            match (&conflicts, self.kind) {
                (Some(conflicts), _) => {
                    let open = members(chosen).fold(all & !chosen, |open, node| open & !conflicts[node]);
                    let open = if open == 0 { "none".to_owned() } else { self.named(open) };
                    (
                        "Look at the nodes that still fit.",
                        format!("take {name}; nodes that still fit: {open}"),
                    )
                }
                (None, Kind::VertexCover) => {
                    let ends = self.named(near[node] & !before);
                    (
                        "Look at the edges without a chosen end.",
                        format!("take {name}; it covers its edges to {ends}"),
                    )
                }
                (None, Kind::DominatingSet) => {
                    let known = members(before).fold(before, |known, node| known | near[node]);
                    let met = self.named((near[node] | 1 << node) & !known);
                    (
                        "Look at the nodes that are not yet dominated.",
                        format!("take {name}; it dominates {met}"),
                    )
                }
                (None, _) => {
                    let across = self.question().value(chosen);
                    (
                        "Count the edges between the groups.",
                        format!("take {name}; edges between the groups: {across}"),
                    )
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{fails, misjudged, passes, rng};

    fn subset(kind: Kind, names: &str, edges: &[(usize, usize)]) -> Optimum<Subset> {
        let names = names.chars().map(String::from).collect();
        let edges = edges.iter().map(|(one, other)| (*one, *other, 1)).collect();
        let graph = Graph { directed: false, names, edges };
        let mut subset = Subset { kind, graph, chosen: Nodes::default() };
        subset.solve(&mut Budget::unlimited()).unwrap();
        let subset = Optimum(subset);
        subset.check().unwrap();
        subset.certify(&mut Budget::unlimited()).unwrap();
        subset
    }

    /// The Petersen graph: an outer and an inner ring of five, A to E and F to J.
    fn petersen(kind: Kind) -> Optimum<Subset> {
        let outer = [(0, 1), (0, 4), (0, 5), (1, 2), (1, 6), (2, 3), (2, 7), (3, 4), (3, 8), (4, 9)];
        let inner = [(5, 7), (5, 8), (6, 8), (6, 9), (7, 9)];
        subset(kind, "ABCDEFGHIJ", &[&outer[..], &inner[..]].concat())
    }

    #[test]
    fn the_numbers_of_the_petersen_graph_are_known() {
        for (kind, known) in [
            (Kind::IndependentSet, 4),
            (Kind::Clique, 2),
            (Kind::VertexCover, 6),
            (Kind::DominatingSet, 3),
            (Kind::MaxCut, 12),
        ] {
            let graph = petersen(kind);
            assert_eq!(graph.value(&graph.claimed()), known, "{kind:?}");
            let mut rng = rng(0);
            for faults in Faults::LADDER.into_iter().cycle().take(40) {
                assert_eq!(misjudged(&graph, graph.misses(faults, &mut rng)), None);
                let other = graph.another(&mut rng).unwrap();
                passes(&graph, &graph.form().write(&other));
            }
        }
    }

    #[test]
    fn a_verdict_says_what_is_wrong() {
        let set = petersen(Kind::IndependentSet);
        passes(&set, "J, C, A, I");
        fails(&set, "A, A", "repeated_name", "A is listed twice");
        fails(&set, "A, C, B", "adjacent_pair", "A and B are both chosen, but joined by an edge");
        // Nothing can be added to it, and yet it is not the largest.
        let maximal = "the number of nodes is 3, 1 less than the maximum";
        fails(&set, "A, C, G", label::SUBOPTIMAL, maximal);
        let clique = petersen(Kind::Clique);
        fails(&clique, "A, C", "missing_edge", "A and C are both chosen, but not joined by an edge");
        fails(&clique, "A", label::SUBOPTIMAL, "the number of nodes is 1, 1 less than the maximum");
        let cover = petersen(Kind::VertexCover);
        fails(&cover, "A, B, C, D", "uncovered_edge", "neither end of the edge between E and J is chosen");
        let dominating = petersen(Kind::DominatingSet);
        let detail = "I is not chosen, and neither is any of its neighbors";
        fails(&dominating, "A, C, J", "undominated_node", detail);
        let cut = petersen(Kind::MaxCut);
        let few = "the number of edges between the two groups is 5, 7 less than the maximum";
        fails(&cut, "A, B, C, D, E", label::SUBOPTIMAL, few);
        fails(&cut, "", label::MALFORMED_ANSWER, "`` is not one of the words that may be used, like `A`");
    }
}
