//! Visit every city once and come back by the shortest round trip.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::families::graphs::points::{Layout, Metric, MetricChoice, Point, repeats};
use crate::params::Params;
use crate::play::{Action, Play, Turn};
use crate::rng::Rng;
use crate::shared::route::{self, Naming, Unread};
use crate::solver::tour::{Distances, MOST_CITIES, Move};
use crate::task::answer::Reading;
use crate::task::family::{
    About, Aim, Certificate, Exhausted, JudgedBy, Problem, Solution, TaskFamily, Uncertified,
};
use crate::task::style::{Style, Template};
use crate::task::verdict::{Part, Verdict, label};

pub struct Tsp;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TspParams {
    /// Cities to visit.
    #[schemars(range(min = 5, max = 20), extend("role" = "difficulty"))]
    cities: u32,
    /// Coordinates lie between 0 and this.
    #[schemars(range(min = 20, max = 1000), extend("role" = "difficulty"))]
    side: u32,
    /// Whether going to the nearest city not yet visited (of several the first listed) misses the shortest tour, whatever city is first.
    #[schemars(extend("role" = "difficulty"))]
    misleading: bool,
    /// How the cities lie: all over the map, in clusters, near the crossings of a grid, or around a centre; `any` draws one of these.
    #[schemars(extend("role" = "structure"))]
    layout: Layout,
    /// Distances along the axes, or straight ones rounded to the nearest whole number; `any` draws one of these.
    #[schemars(extend("role" = "structure"))]
    metric: MetricChoice,
    /// How cities are called; `any` draws one of the others.
    #[schemars(extend("role" = "style"))]
    names: Naming,
}

impl Default for TspParams {
    fn default() -> Self {
        Self {
            cities: 8,
            side: 100,
            misleading: false,
            layout: Layout::Any,
            metric: MetricChoice::Any,
            names: Naming::Any,
        }
    }
}

impl Params for TspParams {
    fn check(&self) -> Result<(), String> {
        if self.misleading && self.cities < 6 {
            return Err(format!("`misleading` needs `cities` to be 6 or more, but it is {}", self.cities));
        }
        Ok(())
    }
}

/// Cities on a map, and a shortest round trip through them.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cities {
    metric: Metric,
    names: Vec<String>,
    points: Vec<Point>,
    /// Positions in `points`, each once.
    tour: Vec<usize>,
}

const FEWEST_CITIES: usize = 4;
const LARGEST_COORDINATE: i64 = 10_000;
/// Steps to solve one draw; the few that take more are drawn again, which keeps the slowest item fast.
const SOLVE_STEPS: u64 = 1_000_000;

static ABOUT: About = About {
    name: "tsp",
    domain: "graphs",
    summary: "Visit every city once and return, by the shortest round trip.",
    changes: &["First version."],
    top_level: 8,
    distinct_from: 0,
    judged_by: JudgedBy::Optimum,
    answer_tag: "answer",
    templates: &[
        Template::open("coordinates"),
        Template::open("distance_table"),
        Template::open("courier"),
        Template::held_out("drill"),
    ],
    failures: &[
        ("missing_city", "a city is not visited"),
        ("repeated_city", "a city is visited more than once"),
        ("unknown_city", "a name that no city has"),
    ],
    parts: &[
        Part {
            name: "gap",
            means: "length of the shortest tour over the length of this one; 0 if this is no tour",
        },
        Part { name: "visited", means: "share of the cities that are visited" },
    ],
    skills: &["optimisation", "spatial_reasoning", "search"],
    reading: Reading::Strict,
    guess_rate: 0.04,
};

impl TaskFamily for Tsp {
    type Params = TspParams;
    type Problem = Cities;

    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn level(&self, level: u8) -> TspParams {
        const LEVELS: [(u32, u32, bool, MetricChoice); 9] = [
            (6, 30, false, MetricChoice::Manhattan),
            (7, 40, false, MetricChoice::Manhattan),
            (8, 50, false, MetricChoice::Any),
            (9, 50, true, MetricChoice::Any),
            (10, 100, true, MetricChoice::Any),
            (12, 100, true, MetricChoice::Any),
            (14, 100, true, MetricChoice::Any),
            (17, 100, true, MetricChoice::Any),
            (20, 100, true, MetricChoice::Any),
        ];
        let (cities, side, misleading, metric) = LEVELS[usize::from(level)];
        TspParams { cities, side, misleading, metric, ..TspParams::default() }
    }

    fn generate(&self, params: &TspParams, rng: &mut Rng, budget: &mut Budget) -> Result<Cities, Exhausted> {
        let metric = params.metric.draw(rng);
        let layout = params.layout.settle(rng);
        let (cities, side) = (params.cities as usize, i64::from(params.side));
        loop {
            let mut points = layout.draw(cities, side, rng, budget)?;
            rng.shuffle(&mut points);
            let distances = distances(metric, &points);
            let good = distances.good_tour();
            let length = distances.length(&good);
            let nearest_is_best = |start| {
                let tour = distances.nearest_neighbour(start);
                distances.length(&tour) <= length
            };
            if params.misleading && (0..points.len()).any(nearest_is_best) {
                budget.spend(10 * (points.len() as u64).pow(2))?;
                continue;
            }
            let mut steps = Budget::new(SOLVE_STEPS);
            let solved = distances.shortest_tour(good, &mut steps);
            budget.spend(SOLVE_STEPS - steps.left())?;
            let Ok(tour) = solved else { continue };
            return Ok(Cities { metric, names: params.names.draw(points.len(), rng), points, tour });
        }
    }

    fn certify(&self, cities: &Cities, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let distances = cities.distances();
        let length = distances.length(&cities.tour);
        let over = |_| "it takes more steps than are allowed to prove `tour` shortest".to_owned();
        let start = distances.good_tour();
        let best = distances.shortest_tour(start, budget).map_err(over)?;
        let best = distances.length(&best);
        if best < length {
            return Err(format!("`tour` is {length} long, but one of {best} exists"));
        }
        let tours = distances.count_tours(length, budget).map_err(over)?;
        Ok(Certificate { unique: tours == 1, proof: format!("no tour is shorter than {length}") })
    }

    /// Harder: one more city. Easier: one fewer. Same: a city moves a little.
    fn mutate(&self, cities: &Cities, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Cities> {
        let mut mutated = cities.clone();
        let points = &mut mutated.points;
        let far = cities.farthest();
        let near = |at: i64, rng: &mut Rng| {
            let by = far / 10 + 1;
            rng.int((at - by).max(0), (at + by).min(LARGEST_COORDINATE))
        };
        let at = rng.index(points.len());
        match aim {
            Aim::Harder if points.len() < MOST_CITIES => {
                points.push((rng.int(0, far), rng.int(0, far)));
                mutated.names.push(route::fresh_name(&cities.names)?);
            }
            Aim::Easier if points.len() > FEWEST_CITIES => {
                points.remove(at);
                mutated.names.remove(at);
            }
            Aim::Same => points[at] = (near(points[at].0, rng), near(points[at].1, rng)),
            Aim::Harder | Aim::Easier => return None,
        }
        if repeats(&mutated.points).is_some() {
            return Some(cities.clone()); // No change: the caller tries again.
        }
        let distances = mutated.distances();
        mutated.tour = distances.shortest_tour(distances.good_tour(), budget).ok()?;
        Some(mutated)
    }
}

fn distances(metric: Metric, points: &[Point]) -> Distances {
    Distances::new(points.len(), |a, b| metric.distance(points[a], points[b]))
}

impl Cities {
    fn distances(&self) -> Distances {
        distances(self.metric, &self.points)
    }

    /// Length of a round trip, the way back included.
    fn length(&self, tour: &[usize]) -> i64 {
        let points = || tour.iter().map(|city| self.points[*city]);
        let before = points().next_back().into_iter().chain(points());
        points().zip(before).map(|(a, b)| self.metric.distance(a, b)).sum()
    }

    /// The largest coordinate, at least 1.
    fn farthest(&self) -> i64 {
        self.points.iter().fold(1, |far, (x, y)| far.max(*x).max(*y))
    }

    /// The tour with its way back written out.
    fn write_closed(&self, tour: &[usize]) -> String {
        route::write(tour.iter().chain(&tour[..1]).copied(), &self.names)
    }

    fn listed(&self) -> String {
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
            cells.collect::<Vec<_>>().join(" ") + "\n"
        };
        rows.iter().map(line).collect()
    }

    /// What is wrong with a route as a tour, and the label for it.
    fn flaws(&self, route: &[usize]) -> Vec<(&'static str, String)> {
        let mut visits = vec![0; self.points.len()];
        for city in route {
            visits[*city] += 1;
        }
        let list = |wanted: &dyn Fn(u32) -> bool| {
            let cities = (0..visits.len()).filter(|city| wanted(visits[*city]));
            let names: Vec<&str> = cities.map(|city| self.names[city].as_str()).collect();
            names.join(", ")
        };
        let missing = list(&|visits| visits == 0);
        let repeated = list(&|visits| visits > 1);
        let mut flaws = Vec::new();
        if !missing.is_empty() {
            flaws.push(("missing_city", format!("not visited: {missing}")));
        }
        if !repeated.is_empty() {
            flaws.push(("repeated_city", format!("visited more than once: {repeated}")));
        }
        flaws
    }
}

impl Problem for Cities {
    fn check(&self) -> Result<(), String> {
        let cities = self.points.len();
        if !(FEWEST_CITIES..=MOST_CITIES).contains(&cities) {
            return Err(format!(
                "`points` holds {cities} cities, but must hold {FEWEST_CITIES} to {MOST_CITIES}"
            ));
        }
        let within = |at: &i64| (0..=LARGEST_COORDINATE).contains(at);
        if let Some((x, y)) = self.points.iter().find(|(x, y)| !within(x) || !within(y)) {
            return Err(format!(
                "`points` has ({x}, {y}), but coordinates must be between 0 and {LARGEST_COORDINATE}"
            ));
        }
        if let Some((x, y)) = repeats(&self.points) {
            return Err(format!("`points` has ({x}, {y}) twice"));
        }
        if self.names.len() != cities {
            let names = self.names.len();
            return Err(format!("`names` holds {names} names for {cities} cities"));
        }
        route::check_names(&self.names)?;
        if let Some(city) = self.tour.iter().find(|city| **city >= cities) {
            return Err(format!("`tour` has {city}, but must be below {cities}"));
        }
        if self.tour.len() != cities || repeats(&self.tour).is_some() {
            return Err("`tour` does not visit each city once".into());
        }
        Ok(())
    }

    fn prompt(&self, style: &Style) -> String {
        let cities = self.points.len();
        let (listed, rule) = (self.listed(), self.metric.rule());
        let mut rng = style.rng();
        let mut either = |a: &'static str, b: &'static str| if rng.chance(1, 2) { a } else { b };
        let (asked, places) = match style.template {
            0 => {
                let shortest = either("the shortest", "one of least length");
                (
                    format!(
                        "A round trip visits each of these {cities} cities once and ends where it began. \
                         Each city is given with its coordinates.\n\n{listed}\n{rule}\n\n\
                         Of all such round trips, find {shortest}. Where several are equally short, any of them will do."
                    ),
                    "cities",
                )
            }
            1 => {
                let distances = either("These are the distances", "The table gives the distances");
                (
                    format!(
                        "{distances} between {cities} cities.\n\n{}\n\
                         Find a shortest round trip: it visits each city once and returns to the first, \
                         and no other round trip has a smaller total distance.",
                        self.table()
                    ),
                    "cities",
                )
            }
            2 => {
                let courier = either("A courier", "A delivery van");
                (
                    format!(
                        "{courier} has parcels for {cities} addresses and must be back at the first one at the end. \
                         On the map they lie here:\n\n{listed}\n{rule} \
                         In which order should the addresses be served so that the whole round is as short as possible? \
                         Any order of least total distance will do."
                    ),
                    "addresses",
                )
            }
            _ => {
                let head = either("head", "arm");
                (
                    format!(
                        "A machine drills {cities} holes in a plate, each once, and its {head} then moves back to \
                         the hole it started with. The holes are at these positions:\n\n{listed}\n{rule} \
                         Find an order that moves the {head} as little as possible in total; \
                         if there are several, give any one."
                    ),
                    "holes",
                )
            }
        };
        format!(
            "{asked}\nGive the names of the {places} in the order of the visit, starting with any of them, \
             joined by -> (writing the first name again at the end is optional), inside <answer></answer> tags."
        )
    }

    /// Nearest neighbour from the first city, then the improvements that save most.
    fn solution(&self) -> Solution {
        let distances = self.distances();
        let name = |city: usize| self.names[city].as_str();
        let mut tour = distances.nearest_neighbour(0);
        let mut steps = vec![format!(
            "Going to the nearest city not yet visited gives {}, which is {} long.",
            self.write_closed(&tour),
            distances.length(&tour)
        )];
        loop {
            let before = tour.clone();
            let Some(change) = distances.improve(&mut tour) else {
                break;
            };
            let at = |position: usize| name(before[position % before.len()]);
            let change = match change {
                Move::Reverse { first, last } => {
                    format!("Turn the part from {} to {} round", at(first), at(last))
                }
                Move::Relocate { from, after } => {
                    format!("Move {} between {} and {}", at(from), at(after), at(after + 1))
                }
            };
            let length = distances.length(&tour);
            steps.push(format!("{change}: {}, {length} long.", self.write_closed(&tour)));
        }
        let (reached, shortest) = (distances.length(&tour), distances.length(&self.tour));
        if reached > shortest {
            steps.push(format!(
                "No such change helps any more, but branch and bound finds {}, {shortest} long.",
                self.write_closed(&self.tour)
            ));
        }
        steps.push(format!("Branch and bound proves that no tour is shorter than {shortest}."));
        Solution { steps, answer: route::write(self.tour.iter().copied(), &self.names) }
    }

    /// A tour within twice the shortest length gets partial credit, falling evenly with the gap.
    fn verify(&self, answer: &str, _budget: &mut Budget) -> Verdict {
        let mut route = match route::read(answer, &self.names) {
            Ok(route) => route,
            Err(Unread::Malformed(reason)) => return Verdict::malformed(reason),
            Err(Unread::Unknown(name)) => {
                let reason = format!("`{name}` is no city here");
                return Verdict::fail(label::CONSTRAINT_VIOLATED, reason).also("unknown_city");
            }
        };
        if route.len() > 1 && route.first() == route.last() {
            route.pop();
        }
        let cities = self.points.len();
        let seen = route.iter().fold(0u32, |seen, city| seen | 1 << city);
        let visited = seen.count_ones() as f32 / cities as f32;
        if route.len() != cities || seen.count_ones() as usize != cities {
            let flaws = self.flaws(&route);
            let reasons: Vec<_> = flaws.iter().map(|(_, reason)| reason.as_str()).collect();
            let verdict = Verdict::fail(label::CONSTRAINT_VIOLATED, reasons.join("; "));
            let verdict = flaws.iter().fold(verdict, |verdict, (label, _)| verdict.also(label));
            return verdict.parts([0.0, visited]);
        }
        let (length, shortest) = (self.length(&route), self.length(&self.tour));
        if length <= shortest {
            return Verdict::pass();
        }
        let gap = shortest as f32 / length as f32;
        let longer = length - shortest;
        Verdict::fail(
            label::SUBOPTIMAL,
            format!("this tour is {length} long, {longer} more than the shortest"),
        )
        .score(2.0 * gap - 1.0)
        .parts([gap, visited])
    }

    /// Pairs of cities weighed: each round of improvement looks at all of them, and where local
    /// search fails there is a search beyond it.
    fn difficulty(&self) -> f32 {
        let distances = self.distances();
        let pairs = self.points.len() * (self.points.len() - 1) / 2;
        let mut tour = distances.nearest_neighbour(0);
        let mut rounds = 2;
        while distances.improve(&mut tour).is_some() {
            rounds += 1;
        }
        rounds += usize::from(distances.length(&tour) > distances.length(&self.tour));
        let effort = (pairs * rounds) as f32;
        effort / (effort + 200.0)
    }

    fn wrong_answers(&self, rng: &mut Rng) -> Vec<String> {
        let distances = self.distances();
        let cities = self.points.len();
        let right = route::write(self.tour.iter().copied(), &self.names);
        let shortest = distances.length(&self.tour);
        // Tours a careless solver ends with, where they are not shortest after all.
        let mut longer: Vec<Vec<usize>> =
            (0..cities).map(|start| distances.nearest_neighbour(start)).collect();
        longer.push((0..cities).collect());
        for _ in 0..4 {
            let mut tour = self.tour.clone();
            let (a, b) = (rng.index(cities), rng.index(cities));
            tour.swap(a, b);
            longer.push(tour);
        }
        longer.retain(|tour| distances.length(tour) > shortest);
        // Tours that are none.
        let mut missing = self.tour.clone();
        let gone = missing.remove(rng.index(cities));
        let mut replaced = self.tour.clone();
        replaced[1] = replaced[0];
        let mut twice = self.tour.clone();
        twice.insert(2, gone);
        let round_twice = [&self.tour[..], &self.tour[..]].concat();
        let closed_wrong = [&self.tour[..], &self.tour[1..2]].concat();
        let none = [missing, replaced, twice, round_twice, closed_wrong];
        let routes = longer.into_iter().chain(none);
        let routes = routes.map(|route| route::write(route, &self.names));
        let broken = [
            right.replace(" -> ", ", "),
            right.replace(" -> ", " "),
            right.replace(" -> ", " - "),
            right.replace(" -> ", " => "),
            format!("[{right}]"),
            format!("{right}."),
            format!("{right} ->"),
            format!("{right} -> ?"),
            format!("{right} = {shortest}"),
            format!("{right} or {right}"),
            format!("Length {shortest}: {right}"),
            shortest.to_string(),
            self.write_closed(&self.tour) + " -> " + &self.names[self.tour[1]],
        ];
        routes.chain(broken).collect()
    }

    /// The cities wherever they stand in the list, and the metric.
    fn fingerprint(&self) -> Vec<u8> {
        let mut points = self.points.clone();
        points.sort_unstable();
        serde_json::to_vec(&(self.metric, points)).expect("points serialise")
    }

    fn play(&self) -> Option<Box<dyn Play>> {
        Some(Box::new(Trip { cities: self.clone(), visits: Vec::new() }))
    }
}

/// The tour as it is made, one city after the other.
#[derive(Clone)]
struct Trip {
    cities: Cities,
    visits: Vec<usize>,
}

impl Play for Trip {
    fn actions(&self) -> u32 {
        self.cities.points.len() as u32
    }

    fn turn(&self) -> Turn {
        if self.visits.len() == self.cities.points.len() { Turn::Over } else { Turn::Player(0) }
    }

    fn legal(&self, out: &mut Vec<Action>) {
        let cities = 0..self.cities.points.len();
        let left = cities.filter(|city| !self.visits.contains(city));
        out.extend(left.map(|city| city as Action));
    }

    fn apply(&mut self, action: Action) {
        let city = action as usize;
        assert!(
            city < self.cities.points.len() && !self.visits.contains(&city),
            "{action} is not a legal action"
        );
        self.visits.push(city);
    }

    /// The score that the finished tour gets as an answer.
    fn returns(&self) -> Vec<f32> {
        let score = |answer: String| self.cities.verify(&answer, &mut Budget::new(0)).score;
        vec![self.answer().map_or(0.0, score)]
    }

    fn show(&self, _player: u8) -> String {
        let cities = &self.cities;
        let so_far = match self.visits[..] {
            [] => "No city has been visited yet.".to_owned(),
            _ => format!("So far: {}.", route::write(self.visits.iter().copied(), &cities.names)),
        };
        format!("{}\n{}\n{so_far}", cities.listed(), cities.metric.rule())
    }

    fn name_action(&self, action: Action) -> String {
        self.cities.names[action as usize].clone()
    }

    fn read_action(&self, text: &str) -> Result<Action, String> {
        let text = text.trim();
        let mut names = self.cities.names.iter();
        let found = names.position(|name| name.eq_ignore_ascii_case(text));
        let found = found.map(|city| city as Action);
        found.ok_or_else(|| format!("`{}` is no city here", crate::error::quoted(text)))
    }

    fn shape(&self) -> Vec<usize> {
        vec![self.cities.points.len(), 4]
    }

    /// A row for each city: x and y over the largest coordinate, then 1 if it has been visited, then
    /// 1 if the trip stands there.
    fn observe(&self, _player: u8, out: &mut [f32]) {
        let points = &self.cities.points;
        let far = self.cities.farthest();
        for (city, (row, (x, y))) in out.chunks_exact_mut(4).zip(points).enumerate() {
            row[0] = *x as f32 / far as f32;
            row[1] = *y as f32 / far as f32;
            row[2] = f32::from(u8::from(self.visits.contains(&city)));
            row[3] = f32::from(u8::from(self.visits.last() == Some(&city)));
        }
    }

    fn answer(&self) -> Option<String> {
        let over = self.turn() == Turn::Over;
        over.then(|| route::write(self.visits.iter().copied(), &self.cities.names))
    }

    fn boxed_clone(&self) -> Box<dyn Play> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Key;

    fn rng() -> Rng {
        Key::new("tsp", 1, "", 0, "").stream(0)
    }

    /// A square with a city in the middle of one side; the tour round it is the only shortest one.
    fn square() -> Cities {
        Cities {
            metric: Metric::Euclidean,
            names: ["A", "B", "C", "D", "E"].map(String::from).to_vec(),
            points: vec![(0, 0), (10, 10), (5, 0), (0, 10), (10, 0)],
            tour: vec![0, 2, 4, 1, 3],
        }
    }

    fn judge(answer: &str) -> Verdict {
        square().verify(answer, &mut Budget::new(0))
    }

    #[test]
    fn a_tour_may_start_anywhere_go_either_way_and_be_closed() {
        for right in [
            "A -> C -> E -> B -> D",
            "A->C->E->B->D",
            "D -> B -> E -> C -> A",
            "B -> D -> A -> C -> E",
            "B -> D -> A -> C -> E -> B",
        ] {
            assert!(judge(right).passed, "{right}");
        }
        for (wrong, failures) in [
            ("A -> B -> C -> D -> E", &["suboptimal"][..]),
            ("A -> C -> E -> B", &["constraint_violated", "missing_city"]),
            ("A -> C -> E -> B -> B", &["constraint_violated", "missing_city", "repeated_city"]),
            ("A -> C -> E -> B -> D -> C", &["constraint_violated", "repeated_city"]),
            ("A -> C -> E -> B -> D -> A -> A", &["constraint_violated", "repeated_city"]),
            ("A -> C -> A -> E -> B -> D -> A", &["constraint_violated", "repeated_city"]),
            ("A -> C -> E -> B -> F", &["constraint_violated", "unknown_city"]),
            ("A, C, E, B, D", &["malformed_answer"]),
            ("A C E B D", &["malformed_answer"]),
            ("", &["malformed_answer"]),
        ] {
            assert_eq!(judge(wrong).failures, failures, "{wrong}");
        }
        let verdict = judge("A -> C -> E -> B");
        assert_eq!((verdict.score, &verdict.parts[..]), (0.0, &[0.0, 0.8][..]));
        assert_eq!(verdict.detail, "not visited: D");
    }

    #[test]
    fn credit_falls_with_the_gap_and_ends_at_twice_the_length() {
        // 14 + 11 + 11 + 14 + 10 = 60, where 40 would do.
        let verdict = judge("A -> B -> C -> D -> E");
        assert_eq!(verdict.detail, "this tour is 60 long, 20 more than the shortest");
        assert_eq!(verdict.parts, [40.0 / 60.0, 1.0]);
        assert!((verdict.score - 1.0 / 3.0).abs() < 1e-6);
        let mut far = square();
        far.points[1] = (10_000, 10_000);
        far.points[3] = (10_000, 9_999);
        let answer = "B -> A -> D -> C -> E";
        assert!(far.verify(answer, &mut Budget::new(0)).score < 1e-3);
    }

    #[test]
    fn a_tour_that_is_not_shortest_is_not_certified() {
        let certify = |cities: &Cities| Tsp.certify(cities, &mut Budget::new(1_000_000));
        let certificate = certify(&square()).unwrap();
        assert!(certificate.unique);
        assert_eq!(certificate.proof, "no tour is shorter than 40");
        let mut longer = square();
        longer.tour.swap(0, 1);
        assert!(certify(&longer).unwrap_err().contains("`tour` is 4"), "longer");
        let mut tied = square();
        tied.points[2] = (5, 5);
        tied.metric = Metric::Manhattan;
        assert!(!certify(&tied).unwrap().unique);
        let over = Tsp.certify(&square(), &mut Budget::new(10));
        assert!(over.unwrap_err().contains("steps"));
    }

    #[test]
    fn hostile_cities_are_refused_by_name() {
        let refusal = |change: fn(&mut Cities)| {
            let mut cities = square();
            change(&mut cities);
            cities.check().unwrap_err()
        };
        let field = |refusal: String| refusal.split('`').nth(1).unwrap().to_owned();
        assert_eq!(field(refusal(|c| c.points[1] = c.points[0])), "points");
        assert_eq!(field(refusal(|c| c.points[1].0 = i64::MIN)), "points");
        assert_eq!(field(refusal(|c| c.points[1].1 = LARGEST_COORDINATE + 1)), "points");
        assert_eq!(field(refusal(|c| c.points.clear())), "points");
        assert_eq!(
            field(refusal(|c| c.points = (0..=MOST_CITIES as i64).map(|x| (x, 0)).collect())),
            "points"
        );
        assert_eq!(field(refusal(|c| c.names.truncate(4))), "names");
        assert_eq!(field(refusal(|c| c.names[0] = "b".into())), "names");
        assert_eq!(field(refusal(|c| c.tour[0] = 1)), "tour");
        assert_eq!(field(refusal(|c| c.tour[0] = usize::MAX)), "tour");
        assert_eq!(field(refusal(|c| c.tour.truncate(4))), "tour");
    }

    #[test]
    fn cities_that_cannot_be_told_apart_by_length_are_still_proved() {
        let mut rng = rng();
        for (columns, cities) in [(20, 20), (5, 20), (4, 16), (3, 18), (7, 14)] {
            let mut points: Vec<Point> = (0..cities).map(|i| (i % columns, i / columns)).collect();
            rng.shuffle(&mut points);
            for metric in [Metric::Manhattan, Metric::Euclidean] {
                let distances = distances(metric, &points);
                let budget = &mut Budget::new(20_000_000);
                let tour = distances.shortest_tour(distances.good_tour(), budget);
                // A grid with an even number of cells has a round trip of single steps.
                let length = if columns == cities { 2 * cities - 2 } else { cities };
                assert_eq!(distances.length(&tour.unwrap()), length, "{columns} of {cities}");
            }
        }
    }

    #[test]
    fn misleading_cities_defeat_nearest_neighbour_from_everywhere() {
        let mut rng = rng();
        for level in 3..=5 {
            for _ in 0..30 {
                let budget = &mut Budget::new(20_000_000);
                let cities = Tsp.generate(&Tsp.level(level), &mut rng, budget).unwrap();
                let distances = cities.distances();
                let shortest = distances.length(&cities.tour);
                let walk = |start| distances.length(&distances.nearest_neighbour(start));
                assert!((0..cities.points.len()).all(|start| walk(start) > shortest));
            }
        }
    }

    #[test]
    fn a_fingerprint_knows_neither_names_nor_order() {
        let (cities, mut other) = (square(), square());
        other.points.reverse();
        other.tour = other.tour.iter().map(|city| 4 - city).collect();
        other.names = Naming::Numbers.draw(5, &mut rng());
        assert!(other.check().is_ok() && other.length(&other.tour) == 40);
        assert_eq!(cities.fingerprint(), other.fingerprint());
        other.metric = Metric::Manhattan;
        assert_ne!(cities.fingerprint(), other.fingerprint());
    }

    #[test]
    fn a_player_sees_where_the_trip_stands() {
        let mut trip = square().play().unwrap();
        trip.apply(trip.read_action(" c ").unwrap());
        let mut seen = [0.0; 20];
        trip.observe(0, &mut seen);
        assert_eq!(seen[..4], [0.0, 0.0, 0.0, 0.0]);
        assert_eq!(seen[8..12], [0.5, 0.0, 1.0, 1.0]);
        assert_eq!(trip.answer(), None);
        let mut legal = Vec::new();
        trip.legal(&mut legal);
        assert_eq!(legal, [0, 1, 3, 4]);
        for city in [4, 1, 3, 0] {
            trip.apply(city);
        }
        assert_eq!(trip.answer().unwrap(), "C -> E -> B -> D -> A");
        assert_eq!((trip.turn(), trip.returns()), (Turn::Over, vec![1.0]));
    }
}
