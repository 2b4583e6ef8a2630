//! Color the nodes of a graph so that no two adjacent ones share a color.

use kit::rules::Play;
use kit::shared::refinement::{Relation, invariant};
use kit::shared::route::{self, Naming, fresh_name};
use kit::task::permutation;
use kit::task::prelude::*;

use self::coloring::Coloring;
use self::links::Links;

mod coloring;
mod links;

pub struct GraphColoring;

params! {
    pub struct GraphColoringParams {
        /// Number of nodes.
        nodes: u32 [7..=60],
        /// Edges for every ten nodes.
        edges_per_ten: u32 [15..=25],
        /// Names of nodes; `any` draws one of the others.
        names: Naming [style],
    }
    levels {
        (9, 18, Naming::Any),
        (10, 20, Naming::Any),
        (12, 21, Naming::Any),
        (16, 21, Naming::Any),
        (20, 22, Naming::Any),
        (27, 22, Naming::Any),
        (36, 22, Naming::Any),
        (48, 22, Naming::Any),
        (60, 22, Naming::Any),
    }
    default 2
}

/// Nodes, edges, and one coloring.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Graph {
    names: Vec<String>,
    edges: Vec<[usize; 2]>,
    /// Index of each node's color in the list of colors; a claim that `check` proves.
    planted: Vec<usize>,
}

const COLORS: [&str; 3] = ["red", "green", "blue"];
const MOST_NODES: usize = 80;
const MOST_EDGES: usize = 400;

impl TaskFamily for GraphColoring {
    type Params = GraphColoringParams;
    type Problem = Graph;

    const ABOUT: About = About {
        summary: "Color the nodes of a graph so that no two adjacent ones share a color.",
        distinct_from: 1,
        judged_by: JudgedBy::Constraints,
        failures: &[
            form::Assignment::FAILURES[0],
            form::Assignment::FAILURES[1],
            form::Assignment::FAILURES[2],
            ("same_color", "two adjacent nodes have the same color"),
        ],
        parts: &[Part::new("edges_kept", "share of the edges whose two ends have different colors")],
        skills: &["constraint_satisfaction", "backtracking", "bookkeeping"],
        guess_rate: 0.065,
        guess_score: 0.065,
        ..About::new("graphs", "graph_coloring", &["First version."])
    };

    /// Draws edges that respect a coloring, until taking the first free color for each node in turn fails and
    /// taking a random free color hardly ever succeeds.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Graph> {
        let nodes = params.nodes as usize;
        let wanted = nodes * params.edges_per_ten as usize / 10;
        loop {
            budget.spend((nodes * nodes) as u64)?;
            let planted: Vec<usize> =
                permutation::random(nodes, rng).into_iter().map(|place| place % COLORS.len()).collect();
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
}

impl Graph {
    fn neighbors(&self, node: usize) -> impl Iterator<Item = usize> {
        self.edges.iter().filter(move |pair| pair.contains(&node)).map(move |[one, other]| one + other - node)
    }

    /// The edges whose nodes have the same color.
    fn broken<'a>(&'a self, colors: &'a [usize]) -> impl Iterator<Item = &'a [usize; 2]> {
        self.edges.iter().filter(|[one, other]| colors[*one] == colors[*other])
    }

    /// Colors each node in turn as `pick` chooses among the colors that its neighbors leave free; red if none
    /// is free.
    fn first_free(&self, pick: &mut dyn FnMut(&[usize]) -> usize) -> Vec<usize> {
        let mut colors: Vec<usize> = Vec::new();
        for node in 0..self.names.len() {
            let taken: Vec<usize> =
                self.neighbors(node).filter_map(|other| colors.get(other).copied()).collect();
            let free: Vec<usize> = (0..COLORS.len()).filter(|color| !taken.contains(color)).collect();
            colors.push(if free.is_empty() { 0 } else { pick(&free) });
        }
        colors
    }

    /// The nodes in the order of DSATUR for the planted colors: next is the one whose neighbors have the most
    /// colors so far.
    fn saturating(&self) -> Vec<usize> {
        let mut order: Vec<usize> = Vec::new();
        while order.len() < self.names.len() {
            let open = (0..self.names.len()).filter(|node| !order.contains(node));
            let most = open.max_by_key(|node| {
                let mut seen: Vec<usize> = self
                    .neighbors(*node)
                    .filter(|other| order.contains(other))
                    .map(|n| self.planted[n])
                    .collect();
                seen.sort_unstable();
                seen.dedup();
                (seen.len(), self.neighbors(*node).count(), usize::MAX - node)
            });
            order.extend(most);
        }
        order
    }

    /// Number of colors tried by backtracking in that order, up to a bound.
    fn tried(&self) -> u64 {
        const MOST: u64 = 100_000;
        let order = self.saturating();
        let mut colors = vec![None; order.len()];
        let (mut at, mut tried) = (0, 0);
        while at < order.len() && tried < MOST {
            let node = order[at];
            let from = colors[node].map_or(0, |color: usize| color + 1);
            let free = |color: &usize| self.neighbors(node).all(|other| colors[other] != Some(*color));
            let next = (from..COLORS.len()).find(free);
            tried += 1;
            colors[node] = next;
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
                "A graph has the nodes {}. Its edges are:\n\n{}\n\nColor every node red, green or blue so that no edge joins \
                 two nodes of the same color. If there are several such colorings, any of them will do.",
                graph.names.join(", "),
                graph.listed(|one, other| format!("{one} - {other}"), "\n")
            )
        }),
        Template::plain("teams", |graph| {
            format!(
                "Three teams, called red, green and blue, are being formed out of these groups: {}. Some of the groups don't \
                 get along and must not end up on the same team:\n\n{}\n\nPut every group on a team. The teams can be of any \
                 size, and any assignment that keeps all of these pairs apart will do.",
                graph.names.join(", "),
                graph.listed(|one, other| format!("{one} and {other} don't get along."), "\n")
            )
        }),
        Template::plain("channels", |graph| {
            format!(
                "We have three radio channels, red, green and blue, for {} transmitters: {}.\n\nThese pairs are close enough to \
                 interfere, so they can't share a channel:\n{}\n\nCan you give every transmitter a channel? Any plan without \
                 interference is fine, and it doesn't matter how often each channel is used.",
                graph.names.len(),
                graph.names.join(", "),
                graph.listed(|one, other| format!("{one} / {other}"), "\n")
            )
        }),
        Template::held_out_plain("map", |graph| {
            format!(
                "A printer has three inks, red, green and blue, for a map of {} regions: {}. Regions that share a border must \
                 be printed in different inks. The borders run between {}. Which ink should be used for each region? If there \
                 is more than one way, give any of them.",
                graph.names.len(),
                graph.names.join(", "),
                graph.listed(|one, other| format!("{one} and {other}"), "; ")
            )
        }),
        Template::held_out_plain("spec", |graph| {
            format!(
                "Variables: {}\nDomain of each variable: red, green, blue\nConstraints:\n{}\n\nAssign a value to every variable \
                 so that all constraints hold (!= means that the two values must differ). Any solution is accepted.",
                graph.names.join(", "),
                graph.listed(|one, other| format!("  {one} != {other}"), "\n")
            )
        }),
    ];

    fn check(&self) -> Result<(), String> {
        let nodes = self.names.len();
        check::length("names", &self.names, 4..=MOST_NODES, "nodes")?;
        route::check_names(&self.names)?;
        check::length("edges", &self.edges, 4..=MOST_EDGES, "edges")?;
        check::length("planted", &self.planted, nodes..=nodes, "colors")?;
        check::each("planted", &self.planted, |color| *color < COLORS.len(), "colors go from 0 to 2")?;
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
        broken.map_or(Ok(()), |[one, other]| Err(format!("`planted` has one color for {one} and {other}")))
    }

    fn certify(&self, _: &mut Budget) -> Result<Certificate, Uncertified> {
        let kept = self.edges.len();
        Ok(Certificate::solvable(format!("the planted coloring satisfies all {kept} edges")))
    }

    /// Adds or removes a node, or adds or changes an edge.
    fn edited(&self, aim: Aim, rng: &mut Rng, _: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let (nodes, at) = (self.names.len(), rng.index(self.names.len()));
        let differ = |one: usize| (0..nodes).filter(move |other| self.planted[*other] != self.planted[one]);
        let mut others: Vec<usize> = differ(at).collect();
        match aim {
            Aim::Harder if rng.chance(1, 2) => {
                let other = *rng.pick(&others);
                mutated.edges.push([at.min(other), at.max(other)]);
            }
            Aim::Harder => {
                let joined = others.len().min(3);
                rng.deal(&mut others, joined);
                mutated.names.push(fresh_name(&self.names)?);
                mutated.planted.push(self.planted[at]);
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
                mutated.edges.swap_remove(rng.index(self.edges.len()));
                mutated.edges.push([at.min(other), at.max(other)]);
            }
        }
        mutated.check().is_ok().then_some(mutated)
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        form::Assignment { noun: "name", names: &self.names, values: &COLORS }
    }

    fn solution(&self) -> Solution {
        let order = self.saturating();
        let step = |(at, node): (usize, &usize)| {
            let before = |other: &usize| order[..at].contains(other);
            let seen: Vec<String> = self
                .neighbors(*node)
                .filter(before)
                .map(|other| format!("{} is {}", self.names[other], COLORS[self.planted[other]]))
                .collect();
            let why = if seen.is_empty() {
                "none of its neighbors has a color yet".into()
            } else {
                seen.join(", ")
            };
            format!("{} can be {}: {why}", self.names[*node], COLORS[self.planted[*node]])
        };
        let answer = self.answer();
        Solution::new(order.iter().enumerate().map(step), answer)
    }

    fn hints(&self) -> Vec<String> {
        let order = self.saturating();
        let hint = |(at, node): (usize, &usize)| {
            let seen = self.neighbors(*node).filter(|other| order[..at].contains(other));
            let seen: Vec<&str> = seen.map(|other| self.names[other].as_str()).collect();
            let next = &self.names[*node];
            if seen.is_empty() {
                return format!("Look at {next}: none of its neighbors has a color yet.");
            }
            format!("Look at {next}, next to {}: they leave it few colors.", words::and(&seen))
        };
        order.iter().enumerate().map(hint).collect()
    }

    fn answer(&self) -> String {
        self.form().write(&self.planted)
    }

    /// No partial credit for a coloring that breaks an edge: a random one keeps two of three.
    fn verify(&self, colors: Vec<usize>, _: &mut Budget) -> Judged {
        let Some([one, other]) = self.broken(&colors).next() else { return Ok(()) };
        let (one, other, color) = (&self.names[*one], &self.names[*other], COLORS[colors[*one]]);
        let failure = Failure::new(
            label::CONSTRAINT_VIOLATED,
            format!("{one} and {other} are adjacent, but both are {color}"),
        );
        let broken = self.broken(&colors).count() as f32;
        Err(failure.also("same_color").part("edges_kept", 1.0 - broken / self.edges.len() as f32))
    }

    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let mut clashing = || {
            let mut colors = self.planted.clone();
            for edge in faults.draw(self.edges.len(), rng) {
                let [one, other] = self.edges[edge];
                colors[one] = colors[other];
            }
            colors
        };
        // The last pair stays of one color.
        let mut wrong = vec![clashing(), clashing(), clashing(), vec![0; self.names.len()]];
        // The last node alone, in the color of another that it is joined to.
        let last = self.names.len() - 1;
        if let Some([one, other]) = self.edges.iter().find(|ends| ends.contains(&last)) {
            let mut colors = self.planted.clone();
            colors[last] = colors[one + other - last];
            wrong.push(colors);
        }
        wrong
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let nodes = self.names.len();
        vec![
            ("any colors", (0..nodes).map(|_| rng.index(COLORS.len())).collect()),
            ("the colors in turn", (0..nodes).map(|node| node % COLORS.len()).collect()),
            ("the first free color", self.first_free(&mut |free| free[0])),
            ("any free color", self.first_free(&mut |free| *rng.pick(free))),
        ]
    }

    /// The planted coloring with the colors exchanged.
    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        let colors = permutation::random(COLORS.len(), rng);
        Some(self.planted.iter().map(|color| colors[*color]).collect())
    }

    /// Renumbers and renames the nodes and reorders the edges.
    fn twin(&self, rng: &mut Rng) -> Self {
        let number = permutation::random(self.names.len(), rng);
        let renumbered = |pair: &[usize; 2]| {
            let [one, other] = pair.map(|node| number[node]);
            [one.min(other), one.max(other)]
        };
        let mut edges: Vec<[usize; 2]> = self.edges.iter().map(renumbered).collect();
        rng.shuffle(&mut edges);
        let mut planted = self.planted.clone();
        for (node, color) in self.planted.iter().enumerate() {
            planted[number[node]] = *color;
        }
        Self { names: Naming::Any.draw(number.len(), rng), edges, planted }
    }

    fn fingerprint(&self) -> Vec<u8> {
        let edge = |[one, other]: &[usize; 2]| Relation { kind: 0, members: vec![(0, *one), (0, *other)] };
        let edges: Vec<Relation> = self.edges.iter().map(edge).collect();
        invariant(self.names.len(), &edges).to_be_bytes().to_vec()
    }

    /// Edges checked for every color that is tried.
    fn effort(&self) -> Effort {
        let degree = 2 * self.edges.len() as u64 / self.names.len() as u64;
        Effort::new(self.tried() * degree, 150)
    }

    fn moves(&self) -> Option<Box<dyn Play>> {
        Some(Coloring::play(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square with one diagonal: its other two corners have the same color.
    fn square() -> Graph {
        let names = ["A", "B", "C", "D"].map(String::from).to_vec();
        Graph { names, edges: vec![[0, 1], [1, 2], [2, 3], [0, 3], [0, 2]], planted: vec![0, 1, 2, 1] }
    }

    #[test]
    fn just_the_six_colorings_of_a_square_with_a_diagonal_pass() {
        let graph = square();
        graph.check().unwrap();
        let all = (0..81).map(|n| vec![n / 27, n / 9 % 3, n / 3 % 3, n % 3]);
        let right = all.filter(|colors| graph.verify(colors.clone(), &mut Budget::new(1)).is_ok());
        assert_eq!(right.count(), 6);
        let verdict = graph.verify(vec![0, 1, 0, 1], &mut Budget::new(1)).unwrap_err();
        assert_eq!(verdict.detail, "A and C are adjacent, but both are red");
        assert_eq!(graph.solution().steps[3], "D can be green: C is blue, A is red");
        assert_eq!(graph.tried(), 4);
    }
}
