//! The templates of a round trip: coordinates, a table of distances, a courier, a drill, a bike tour.

use super::Cities;
use super::points::Point;
use kit::rng::Rng;
use kit::task::problem::Template;
use kit::words::Joined as _;

pub const TEMPLATES: &[Template<Cities>] = &[
    Template::open("coordinates", coordinates),
    Template::open("distance_table", distance_table),
    Template::open("courier", courier),
    Template::held_out("drill", drill),
    Template::held_out("bike_tour", bike_tour),
];

fn coordinates(map: &Cities, rng: &mut Rng) -> String {
    let (cities, listed, rule) = (map.points.len(), map.listed(), map.metric.rule());
    let shortest = *rng.pick(&["a shortest round trip", "a round trip of minimum length"]);
    format!(
        "A round trip starts in one of {cities} cities, visits each of the others exactly once and returns to the city \
         where it started. The cities have these coordinates:\n\n{listed}\n{rule}\n\n\
         Find {shortest}. If there are several, any of them will do."
    )
}

fn distance_table(map: &Cities, rng: &mut Rng) -> String {
    let (cities, table) = (map.points.len(), map.table());
    let head = *rng.pick(&["Distances between", "Traveling salesman problem. Distance matrix of"]);
    format!(
        "{head} {cities} cities:\n\n{table}\n\
         A tour visits every city exactly once and then goes back to its first city. \
         Find a tour of minimum total distance, the way back included. Any optimal tour is accepted."
    )
}

fn courier(map: &Cities, rng: &mut Rng) -> String {
    let (cities, listed, rule) = (map.points.len(), map.listed(), map.metric.rule());
    let courier = *rng.pick(&["A courier", "A delivery van"]);
    format!(
        "{courier} has to deliver parcels to {cities} addresses, each in a single visit. The route can start at \
         any of the addresses, but it must end where it started. Here is where they are on the map:\n\n{listed}\n{rule} \
         In what order should the addresses be visited to keep the whole round trip as short as possible? \
         If several orders are equally short, any of them is fine."
    )
}

fn drill(map: &Cities, rng: &mut Rng) -> String {
    let (cities, listed, rule) = (map.points.len(), map.listed(), map.metric.rule());
    let head = *rng.pick(&["head", "arm"]);
    format!(
        "A machine drills {cities} holes into a plate, each of them once, and may begin with any hole. After the last \
         hole, its {head} moves back to the first. The holes are at these positions:\n\n{listed}\n{rule} \
         In what order should the holes be drilled so that the {head} travels as little as possible in total, the move \
         back included? If there are several best orders, give any one of them."
    )
}

fn bike_tour(map: &Cities, rng: &mut Rng) -> String {
    let (cities, listed, rule) = (map.points.len(), map.listed(), map.metric.rule());
    let hello = *rng.pick(&["I'm planning a bike tour", "We're planning a bike tour for the summer"]);
    format!(
        "{hello} with {cities} stops. Every stop should be visited once, and in the end the tour has to get back to the stop \
         where it began, wherever that is. These are the places on my map:\n\n{listed}\n{rule} \
         Can you find the shortest tour? If there's more than one, I'll take any of them."
    )
}

impl Cities {
    /// A line for each city: `A (3, 4)`.
    pub fn listed(&self) -> String {
        let city = |(name, (x, y)): (&String, &Point)| format!("{name} ({x}, {y})\n");
        self.names.iter().zip(&self.points).map(city).collect()
    }

    fn table(&self) -> String {
        let distance = |a: &Point, b: &Point| self.metric.distance(*a, *b).to_string();
        let head = std::iter::once(String::new()).chain(self.names.iter().cloned());
        let mut rows: Vec<Vec<String>> = vec![head.collect()];
        for (name, a) in self.names.iter().zip(&self.points) {
            let row = self.points.iter().map(|b| distance(a, b));
            rows.push(std::iter::once(name.clone()).chain(row).collect());
        }
        let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..rows.len()).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}"));
            cells.joined(" ") + "\n"
        };
        rows.iter().map(line).collect()
    }
}
