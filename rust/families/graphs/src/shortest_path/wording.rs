//! The templates of a network: an edge list, an adjacency list, a road map, a list of rides, a request.

use super::Network;
use kit::rng::Rng;
use kit::task::problem::Template;
use kit::words::count;

pub const TEMPLATES: &[Template<Network>] = &[
    Template::open("edge_list", edge_list),
    Template::open("adjacency_list", adjacency_list),
    Template::open("roads", roads),
    Template::held_out("rides", rides),
    Template::held_out("shipping", shipping),
];

/// The edges in random order, each worded by `one`, joined by `between`.
fn edges(network: &Network, rng: &mut Rng, between: &str, one: impl Fn(&str, &str, u64) -> String) -> String {
    let edges: Vec<_> = network.graph.shuffled(rng).into_iter().map(|(a, b, w)| one(a, b, w)).collect();
    edges.join(between)
}

fn edge_list(network: &Network, rng: &mut Rng) -> String {
    let (start, goal) = network.ends();
    let (kind, sign, ways) = if network.graph.directed {
        ("directed", "->", "An edge leads only from its first node to its second.")
    } else {
        ("undirected", "-", "Every edge can be used in both directions.")
    };
    let edges = edges(network, rng, "\n", |a, b, weight| format!("{a} {sign} {b}: {weight}"));
    let find = *rng.pick(&["Find a shortest path", "Find a path of minimum total weight"]);
    format!(
        "The edges of a weighted {kind} graph are listed below, each with its weight. {ways}\n\n{edges}\n\n\
         {find} from {start} to {goal}, where the length of a path is the sum of the weights of its edges. \
         If there are several shortest paths, any of them will do."
    )
}

fn adjacency_list(network: &Network, rng: &mut Rng) -> String {
    let (start, goal) = network.ends();
    let (nodes, list) = (network.graph.nodes(), network.graph.adjacency());
    let ways = if network.graph.directed {
        "Links are one-way: a link can be used in the other direction only if it is also listed at its other end."
    } else {
        "Links work in both directions, and each one is listed at both of its ends."
    };
    let cheapest = *rng.pick(&["cheapest", "least expensive"]);
    format!(
        "Network with {nodes} nodes. Each line lists the links from one node, with the cost of each link \
         in parentheses. {ways}\n\n{list}\n\
         The cost of a route is the sum of the costs of its links. Determine the {cheapest} route from {start} to {goal}. \
         In case of a tie, any {cheapest} route is accepted."
    )
}

fn roads(network: &Network, rng: &mut Rng) -> String {
    let (start, goal) = network.ends();
    let directed = network.graph.directed;
    let roads = edges(network, rng, " ", |a, b, km| {
        if directed {
            format!("A road of {km} km leads from {a} to {b}.")
        } else {
            format!("A road of {km} km connects {a} and {b}.")
        }
    });
    let ways =
        if directed { "All of its roads are one-way." } else { "All of its roads can be driven both ways." };
    let who = *rng.pick(&["A driver", "A cyclist"]);
    format!(
        "A region has {} places. {ways} {roads} There are no other roads. {who} is in {start} and wants to get to {goal} in \
         as few kilometers as possible. Which places does the trip go through? If several routes are equally short, \
         name any one of them.",
        network.graph.nodes()
    )
}

fn rides(network: &Network, rng: &mut Rng) -> String {
    let (start, goal) = network.ends();
    let directed = network.graph.directed;
    let rides = edges(network, rng, ", ", |a, b, minutes| {
        let minutes = count(minutes, "minute");
        if directed {
            format!("from {a} to {b} in {minutes}")
        } else {
            format!("between {a} and {b} in {minutes}")
        }
    });
    let ways = if directed {
        "These rides only work in the given direction."
    } else {
        "Each of these rides takes the same time in both directions."
    };
    let who = *rng.pick(&["A courier", "A messenger"]);
    format!(
        "{who} in {start} has been handed a letter that is needed in {goal} as soon as possible. The trip has to be put \
         together from these rides: {rides}. {ways} There is no other way to travel, and changing from one \
         ride to the next takes no time. Which stops does the fastest trip make, from {start} to {goal}? If several trips are \
         equally fast, choose any of them."
    )
}

fn shipping(network: &Network, rng: &mut Rng) -> String {
    let (start, goal) = network.ends();
    let (sign, ways) = if network.graph.directed {
        ("->", "They only go in the direction of the arrow.")
    } else {
        ("<->", "They work in both directions at the same price.")
    };
    let legs = edges(network, rng, "\n", |a, b, price| format!("{a} {sign} {b}: ${price}"));
    let hello = *rng.pick(&["Quick question:", "Can you help me out?"]);
    format!(
        "{hello} I need to ship a crate from {start} to {goal} and want to pay as little as possible in total. \
         These are the legs we can book, with their prices. {ways}\n\n{legs}\n\n\
         Which stops should it go through? If there's a tie for the cheapest route, just pick one."
    )
}
