//! Colour the nodes of a graph so that no two joined ones are alike.

use kit::rules::Play;
use kit::shared::refinement::{Relation, invariant};
use kit::shared::route::{self, Naming, fresh_name};
use kit::task::permutation;
use kit::task::prelude::*;

use self::colouring::Colouring;
use self::links::Links;

mod colouring;
mod links;

pub struct GraphColoring;

params! {
    pub struct GraphColoringParams {
        /// Nodes of the graph.
        nodes: u32 [5..=60],
        /// Edges for every ten nodes.
        edges_per_ten: u32 [15..=25],
        /// How nodes are called; `any` draws one of the others.
        names: Naming [style],
    }
    levels {
        (12, 21, Naming::Any),
        (16, 21, Naming::Any),
        (20, 22, Naming::Any),
        (27, 22, Naming::Any),
        (36, 22, Naming::Any),
        (48, 22, Naming::Any),
        (60, 22, Naming::Any),
    }
    default 0
}

/// Nodes, which of them are joined, and one way of colouring them.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Graph {
    names: Vec<String>,
    edges: Vec<[usize; 2]>,
    /// The colour of each node by its place in the list of colours; a claim that `check` proves.
    planted: Vec<usize>,
}

const COLOURS: [&str; 3] = ["red", "green", "blue"];
const MOST_NODES: usize = 80;
const MOST_EDGES: usize = 400;

impl TaskFamily for GraphColoring {
    type Params = GraphColoringParams;
    type Problem = Graph;

    const ABOUT: About = About {
        summary: "Colour the nodes of a graph so that no two joined ones are alike.",
        judged_by: JudgedBy::Constraints,
        failures: &[
            form::Assignment::FAILURES[0],
            form::Assignment::FAILURES[1],
            form::Assignment::FAILURES[2],
            ("same_colour", "two nodes that are joined have one colour"),
        ],
        parts: &[Part::new("edges_kept", "share of the edges whose two nodes differ")],
        skills: &["constraint_satisfaction", "backtracking", "bookkeeping"],
        guess_rate: 0.029,
        guess_score: 0.029,
        ..About::new("graphs", "graph_coloring", &["First version."])
    };

    /// Drawn around a colouring until the first free colour for each node in turn is no way to one, and any free colour
    /// hardly ever is.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Graph> {
        let nodes = params.nodes as usize;
        let wanted = nodes * params.edges_per_ten as usize / 10;
        loop {
            budget.spend((nodes * nodes) as u64)?;
            let planted: Vec<usize> =
                permutation::random(nodes, rng).into_iter().map(|place| place % COLOURS.len()).collect();
            let pairs = (0..nodes).flat_map(|one| (one + 1..nodes).map(move |other| [one, other]));
            let mut edges: Vec<[usize; 2]> =
                pairs.filter(|[one, other]| planted[*one] != planted[*other]).collect();
            let kept = wanted.min(edges.len());
            rng.deal(&mut edges, kept);
            edges.truncate(kept);
            let links = Links::of(nodes, &edges);
            if links.least() > 1 && !links.first_free_will_do() && !links.any_free_will_do(rng) {
                return Ok(Graph { names: params.names.draw(nodes, rng), edges, planted });
            }
        }
    }

    fn certify(&self, graph: &Graph, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let kept = graph.edges.len();
        Ok(Certificate::solvable(format!("the colouring that is planted keeps all {kept} edges")))
    }

    /// With a node or an edge more, a node less, or another edge.
    fn mutate(&self, graph: &Graph, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Graph> {
        let mut mutated = graph.clone();
        let (nodes, at) = (graph.names.len(), rng.index(graph.names.len()));
        let differ = |one: usize| (0..nodes).filter(move |other| graph.planted[*other] != graph.planted[one]);
        let mut others: Vec<usize> = differ(at).collect();
        match aim {
            Aim::Harder if rng.chance(1, 2) => {
                let other = *rng.pick(&others);
                mutated.edges.push([at.min(other), at.max(other)]);
            }
            Aim::Harder => {
                let joined = others.len().min(3);
                rng.deal(&mut others, joined);
                mutated.names.push(fresh_name(&graph.names)?);
                mutated.planted.push(graph.planted[at]);
                mutated.edges.extend(others[..joined].iter().map(|other| [*other, nodes]));
            }
            Aim::Easier => {
                mutated.names.remove(at);
                mutated.planted.remove(at);
                mutated.edges.retain(|pair| !pair.contains(&at));
                for node in mutated.edges.as_flattened_mut() {
                    *node -= usize::from(*node > at);
                }
            }
            Aim::Same => {
                let other = *rng.pick(&others);
                mutated.edges.swap_remove(rng.index(graph.edges.len()));
                mutated.edges.push([at.min(other), at.max(other)]);
            }
        }
        mutated.check().is_ok().then_some(mutated)
    }
}

impl Graph {
    fn neighbours(&self, node: usize) -> impl Iterator<Item = usize> {
        self.edges.iter().filter(move |pair| pair.contains(&node)).map(move |[one, other]| one + other - node)
    }

    /// The edges whose nodes have one colour.
    fn broken<'a>(&'a self, colours: &'a [usize]) -> impl Iterator<Item = &'a [usize; 2]> {
        self.edges.iter().filter(|[one, other]| colours[*one] == colours[*other])
    }

    /// Each node in turn coloured as `pick` says of the colours that its neighbours so far leave free; red where they
    /// leave none.
    fn first_free(&self, pick: &mut dyn FnMut(&[usize]) -> usize) -> Vec<usize> {
        let mut colours: Vec<usize> = Vec::new();
        for node in 0..self.names.len() {
            let taken: Vec<usize> =
                self.neighbours(node).filter_map(|other| colours.get(other).copied()).collect();
            let free: Vec<usize> = (0..COLOURS.len()).filter(|colour| !taken.contains(colour)).collect();
            colours.push(if free.is_empty() { 0 } else { pick(&free) });
        }
        colours
    }

    /// The nodes in the order of DSATUR, given the colours: next the one whose neighbours have most colours so far.
    fn saturating(&self) -> Vec<usize> {
        let mut order: Vec<usize> = Vec::new();
        while order.len() < self.names.len() {
            let open = (0..self.names.len()).filter(|node| !order.contains(node));
            let most = open.max_by_key(|node| {
                let mut seen: Vec<usize> = self
                    .neighbours(*node)
                    .filter(|other| order.contains(other))
                    .map(|n| self.planted[n])
                    .collect();
                seen.sort_unstable();
                seen.dedup();
                (seen.len(), self.neighbours(*node).count(), usize::MAX - node)
            });
            order.extend(most);
        }
        order
    }

    /// Colours tried by going through the nodes in that order and back where none is free, up to a bound.
    fn tried(&self) -> u64 {
        const MOST: u64 = 100_000;
        let order = self.saturating();
        let mut colours = vec![None; order.len()];
        let (mut at, mut tried) = (0, 0);
        while at < order.len() && tried < MOST {
            let node = order[at];
            let from = colours[node].map_or(0, |colour: usize| colour + 1);
            let free = |colour: &usize| self.neighbours(node).all(|other| colours[other] != Some(*colour));
            let next = (from..COLOURS.len()).find(free);
            tried += 1;
            colours[node] = next;
            match next {
                Some(_) => at += 1,
                None if at == 0 => break,
                None => at -= 1,
            }
        }
        tried
    }

    fn listed(&self, phrase: impl Fn(&str, &str) -> String, between: &str) -> String {
        let line = |[one, other]: &[usize; 2]| phrase(&self.names[*one], &self.names[*other]);
        self.edges.iter().map(line).joined(between)
    }
}

impl Problem for Graph {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = &[
        Template::plain("graph", |graph| {
            format!(
                "A graph has the nodes {}. These pairs of nodes are joined by an edge:\n\n{}\n\nColour every node red, \
                 green or blue so that no edge joins two nodes of the same colour. Any such colouring will do.",
                graph.names.join(", "),
                graph.listed(|one, other| format!("{one} - {other}"), "\n")
            )
        }),
        Template::plain("teams", |graph| {
            format!(
                "The groups {} are to be put into three teams, called red, green and blue. Groups that cannot stand each other \
                 must not be in one team:\n\n{}\n\nFind a team for each group. There may be several ways; one is enough.",
                graph.names.join(", "),
                graph.listed(|one, other| format!("{one} cannot stand {other}."), "\n")
            )
        }),
        Template::held_out_plain("map", |graph| {
            format!(
                "On a map of {} regions, three inks are used: red, green and blue. Regions that border on each other need \
                 different inks. The regions are {}, and the borders run between {}. With which ink can each region be \
                 printed? One possibility is asked for.",
                graph.names.len(),
                graph.names.join(", "),
                graph.listed(|one, other| format!("{one} and {other}"), "; ")
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        let nodes = self.names.len();
        check::length("names", &self.names, 4..=MOST_NODES, "nodes")?;
        route::check_names(&self.names)?;
        check::length("edges", &self.edges, 4..=MOST_EDGES, "edges")?;
        check::length("planted", &self.planted, nodes..=nodes, "colours")?;
        check::each("planted", &self.planted, |colour| *colour < COLOURS.len(), "colours go from 0 to 2")?;
        for [one, other] in &self.edges {
            check::that(one < other && *other < nodes, || {
                format!(
                    "`edges` has [{one}, {other}], but must have two nodes below {nodes}, the smaller first"
                )
            })?;
        }
        let mut edges = self.edges.clone();
        edges.sort_unstable();
        check::that(edges.is_sorted_by(|a, b| a < b), || "`edges` has an edge twice".to_owned())?;
        let broken = self.broken(&self.planted).next();
        broken.map_or(Ok(()), |[one, other]| Err(format!("`planted` has one colour for {one} and {other}")))
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        form::Assignment { noun: "name", names: &self.names, values: &COLOURS }
    }

    fn solution(&self) -> Solution {
        let order = self.saturating();
        let step = |(at, node): (usize, &usize)| {
            let before = |other: &usize| order[..at].contains(other);
            let seen: Vec<String> = self
                .neighbours(*node)
                .filter(before)
                .map(|other| format!("{} is {}", self.names[other], COLOURS[self.planted[other]]))
                .collect();
            let why = if seen.is_empty() {
                "none of its neighbours has a colour yet".into()
            } else {
                seen.join(", ")
            };
            format!("{} can be {}: {why}", self.names[*node], COLOURS[self.planted[*node]])
        };
        let answer = self.answer();
        Solution::new(order.iter().enumerate().map(step), answer)
    }

    fn answer(&self) -> String {
        self.form().write(&self.planted)
    }

    /// A colouring that breaks an edge earns nothing: one drawn blindly keeps two of three.
    fn verify(&self, colours: Vec<usize>, _: &mut Budget) -> Judged {
        let Some([one, other]) = self.broken(&colours).next() else { return Ok(Verdict::pass()) };
        let (one, other, colour) = (&self.names[*one], &self.names[*other], COLOURS[colours[*one]]);
        let verdict = Verdict::fail(
            label::CONSTRAINT_VIOLATED,
            format!("{one} and {other} are joined and both {colour}"),
        );
        let broken = self.broken(&colours).count() as f32;
        Err(verdict.also("same_colour").part("edges_kept", 1.0 - broken / self.edges.len() as f32))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let mut clashing = || {
            let mut colours = self.planted.clone();
            for edge in faults.draw(self.edges.len(), rng) {
                let [one, other] = self.edges[edge];
                colours[one] = colours[other];
            }
            colours
        };
        let mut misses = vec![clashing(), clashing(), clashing(), vec![0; self.names.len()]];
        misses.retain(|colours| self.broken(colours).next().is_some());
        misses
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let nodes = self.names.len();
        vec![
            ("any colours", (0..nodes).map(|_| rng.index(COLOURS.len())).collect()),
            ("the colours in turn", (0..nodes).map(|node| node % COLOURS.len()).collect()),
            ("the first free colour", self.first_free(&mut |free| free[0])),
            ("any free colour", self.first_free(&mut |free| *rng.pick(free))),
        ]
    }

    /// The colouring that is planted, with the colours exchanged.
    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        let colours = permutation::random(COLOURS.len(), rng);
        Some(self.planted.iter().map(|colour| colours[*colour]).collect())
    }

    /// The nodes renumbered and renamed, the edges in another order.
    fn twin(&self, rng: &mut Rng) -> Self {
        let number = permutation::random(self.names.len(), rng);
        let renumbered = |pair: &[usize; 2]| {
            let [one, other] = pair.map(|node| number[node]);
            [one.min(other), one.max(other)]
        };
        let mut edges: Vec<[usize; 2]> = self.edges.iter().map(renumbered).collect();
        rng.shuffle(&mut edges);
        let mut planted = self.planted.clone();
        for (node, colour) in self.planted.iter().enumerate() {
            planted[number[node]] = *colour;
        }
        Self { names: Naming::Any.draw(number.len(), rng), edges, planted }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let edge = |[one, other]: &[usize; 2]| Relation { kind: 0, members: vec![(0, *one), (0, *other)] };
        let edges: Vec<Relation> = self.edges.iter().map(edge).collect();
        invariant(self.names.len(), &edges).to_be_bytes().to_vec()
    }

    /// Edges looked at for every colour that is tried.
    fn effort(&self) -> Effort {
        let degree = 2 * self.edges.len() as u64 / self.names.len() as u64;
        Effort::new(self.tried() * degree, 150)
    }

    fn moves(&self) -> Option<Box<dyn Play>> {
        Some(Colouring::play(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square with one diagonal: its other two corners are alike.
    fn square() -> Graph {
        let names = ["A", "B", "C", "D"].map(String::from).to_vec();
        Graph { names, edges: vec![[0, 1], [1, 2], [2, 3], [0, 3], [0, 2]], planted: vec![0, 1, 2, 1] }
    }

    #[test]
    fn just_the_six_colourings_of_a_square_with_a_diagonal_pass() {
        let graph = square();
        graph.check().unwrap();
        let all = (0..81).map(|n| vec![n / 27, n / 9 % 3, n / 3 % 3, n % 3]);
        let right = all.filter(|colours| graph.verify(colours.clone(), &mut Budget::new(1)).is_ok());
        assert_eq!(right.count(), 6);
        let verdict = graph.verify(vec![0, 1, 0, 1], &mut Budget::new(1)).unwrap_err();
        assert_eq!(verdict.detail, "A and C are joined and both red");
        assert_eq!(graph.solution().steps[3], "D can be green: C is blue, A is red");
        assert_eq!(graph.tried(), 4);
    }
}
