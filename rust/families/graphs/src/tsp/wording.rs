//! The wordings of a round trip: coordinates, a table of distances, a courier, a drill.

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
];

fn coordinates(map: &Cities, rng: &mut Rng) -> String {
    let (cities, listed, rule) = (map.points.len(), map.listed(), map.metric.rule());
    let shortest = *rng.pick(&["the shortest", "one of least length"]);
    format!(
        "A round trip visits each of these {cities} cities once and ends where it began. \
         Each city is given with its coordinates.\n\n{listed}\n{rule}\n\n\
         Of all such round trips, find {shortest}. Where several are equally short, any of them will do."
    )
}

fn distance_table(map: &Cities, rng: &mut Rng) -> String {
    let (cities, table) = (map.points.len(), map.table());
    let distances = *rng.pick(&["These are the distances", "The table gives the distances"]);
    format!(
        "{distances} between {cities} cities.\n\n{table}\n\
         Find a shortest round trip: it visits each city once and returns to the first, \
         and no other round trip has a smaller total distance."
    )
}

fn courier(map: &Cities, rng: &mut Rng) -> String {
    let (cities, listed, rule) = (map.points.len(), map.listed(), map.metric.rule());
    let courier = *rng.pick(&["A courier", "A delivery van"]);
    format!(
        "{courier} has parcels for {cities} addresses and must be back at the first one at the end. \
         On the map they lie here:\n\n{listed}\n{rule} \
         In which order should the addresses be served so that the whole round is as short as possible? \
         Any order of least total distance will do."
    )
}

fn drill(map: &Cities, rng: &mut Rng) -> String {
    let (cities, listed, rule) = (map.points.len(), map.listed(), map.metric.rule());
    let head = *rng.pick(&["head", "arm"]);
    format!(
        "A machine drills {cities} holes in a plate, each once, and its {head} then moves back to \
         the hole it started with. The holes are at these positions:\n\n{listed}\n{rule} \
         Find an order that moves the {head} as little as possible in total; \
         if there are several, give any one."
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
