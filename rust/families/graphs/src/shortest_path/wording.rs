//! The wordings of a network: an edge list, an adjacency list, a road map, a list of rides.

use super::Network;
use kit::rng::Rng;
use kit::task::problem::Template;
use kit::words::count;

pub const TEMPLATES: &[Template<Network>] = &[
    Template::open("edge_list", edge_list),
    Template::open("adjacency_list", adjacency_list),
    Template::open("roads", roads),
    Template::held_out("rides", rides),
];

fn edge_list(network: &Network, rng: &mut Rng) -> String {
    let (start, goal) = network.ends();
    let (kind, sign, ways) = if network.graph.directed {
        ("directed", "->", "An edge leads only from its first node to its second.")
    } else {
        ("undirected", "-", "An edge can be taken in both directions.")
    };
    let edge = |(a, b, w)| format!("{a} {sign} {b}: {w}");
    let edges: Vec<_> = network.graph.shuffled(rng).into_iter().map(edge).collect();
    let edges = edges.join("\n");
    let least = *rng.pick(&["the smallest possible", "the least"]);
    format!(
        "These are the edges of a weighted {kind} graph, each with its weight. {ways}\n\n{edges}\n\n\
         Find a path from {start} to {goal} with {least} total weight. \
         If there are several, any one of them will do."
    )
}

fn adjacency_list(network: &Network, rng: &mut Rng) -> String {
    let (start, goal) = network.ends();
    let (nodes, list) = (network.graph.nodes(), network.graph.adjacency());
    let ways = if network.graph.directed {
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

fn roads(network: &Network, rng: &mut Rng) -> String {
    let (start, goal) = network.ends();
    let directed = network.graph.directed;
    let road = |(a, b, w)| {
        if directed {
            format!("A road of {w} km leads from {a} to {b}.")
        } else {
            format!("A road of {w} km joins {a} and {b}.")
        }
    };
    let roads: Vec<_> = network.graph.shuffled(rng).into_iter().map(road).collect();
    let ways = if directed { " All of them are one-way roads." } else { "" };
    let who = *rng.pick(&["A driver", "A cyclist"]);
    format!(
        "Here are all the roads between {} places.{ways} {} {who} is in {start} and wants to be in {goal} \
         with as few kilometres as possible. Which way is it? Name any one if more than one is shortest.",
        network.graph.nodes(),
        roads.join(" ")
    )
}

fn rides(network: &Network, rng: &mut Rng) -> String {
    let (start, goal) = network.ends();
    let directed = network.graph.directed;
    let ride = |(a, b, w)| {
        let minutes = count(w, "minute");
        if directed {
            format!("from {a} to {b} in {minutes}")
        } else {
            format!("between {a} and {b} in {minutes}")
        }
    };
    let rides: Vec<_> = network.graph.shuffled(rng).into_iter().map(ride).collect();
    let ways = if directed { "only in the direction given" } else { "in either direction, equally fast" };
    let who = *rng.pick(&["A rider", "A messenger"]);
    format!(
        "{who} can go {}; there is no other way, and each of these can be used {ways}. \
         A letter must get from {start} to {goal} in the least time. \
         Plan the trip stop by stop; if several are equally fast, choose freely.",
        rides.join(", ")
    )
}
