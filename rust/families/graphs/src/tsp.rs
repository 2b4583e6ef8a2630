//! Visit every city once and return by the shortest round trip.

use kit::rules::{Play, Playing};
use kit::shared::route::{self, Naming};
use kit::task::prelude::*;
use points::{Layout, Metric, MetricChoice, Point, repeats};
use tour::{Distances, MOST_CITIES};
use trip::Trip;

mod improvements;
mod judge;
mod mutation;
mod points;
mod tour;
mod trip;
mod wording;

pub struct Tsp;

params! {
    pub struct TspParams {
        /// Number of cities.
        cities: u32 [4..=20],
        /// Largest coordinate; the smallest is 0.
        side: u32 [10..=1000],
        /// True if always going to the nearest unvisited city (the first listed in a tie) misses the shortest
        /// tour from every start.
        misleading: bool,
        /// Layout of the cities: all over the map, in clusters, near the crossings of a grid, or around a
        /// center; `any` draws one of these.
        layout: Layout [structure],
        /// Distances along the axes, or straight-line distances rounded to the nearest whole number; `any` draws one of these.
        metric: MetricChoice [structure],
        /// Names of cities; `any` draws one of the others.
        names: Naming [style],
        /// True if the shortest tour, whatever its start and direction, is the only optimal answer.
        unique: bool [structure, if_set],
    }
    levels {
        (5, 10, false, Layout::Any, MetricChoice::Manhattan, Naming::Any, true),
        (6, 30, false, Layout::Any, MetricChoice::Manhattan, Naming::Any, false),
        (7, 40, false, Layout::Any, MetricChoice::Manhattan, Naming::Any, false),
        (8, 50, false, Layout::Any, MetricChoice::Any, Naming::Any, false),
        (9, 50, true, Layout::Any, MetricChoice::Any, Naming::Any, false),
        (10, 100, true, Layout::Any, MetricChoice::Any, Naming::Any, false),
        (12, 100, true, Layout::Any, MetricChoice::Any, Naming::Any, false),
        (14, 100, true, Layout::Any, MetricChoice::Any, Naming::Any, false),
        (17, 100, true, Layout::Any, MetricChoice::Any, Naming::Any, false),
        (20, 100, true, Layout::Any, MetricChoice::Any, Naming::Any, false),
    }
    default 3
    check Self::consistent;
}

impl TspParams {
    fn consistent(&self) -> Result<(), String> {
        if self.misleading && self.cities < 6 {
            return Err(format!("`misleading` needs `cities` to be 6 or more, but it is {}", self.cities));
        }
        Ok(())
    }
}

/// Cities on a map.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cities {
    metric: Metric,
    names: Vec<String>,
    points: Vec<Point>,
    /// A shortest round trip, as claimed by the generator: indices of `points`, each once. Answers are
    /// verified against its length, and `certify` proves it.
    tour: Vec<usize>,
    /// The optimum is the only optimal answer; a claim that `certify` proves.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unique: bool,
}

const FEWEST_CITIES: usize = 4;
const LARGEST_COORDINATE: i64 = 10_000;
/// Steps to solve one draw; the few that take more are drawn again, which keeps the slowest task fast.
const SOLVE_STEPS: u64 = 1_000_000;

impl TaskFamily for Tsp {
    type Params = TspParams;
    type Problem = Cities;

    const ABOUT: About = About {
        summary: "Visit every city once and return to the start on the shortest round trip.",
        distinct_from: 1,
        judged_by: JudgedBy::Optimum,
        failures: &[
            ("missing_city", "a city is not visited"),
            ("repeated_city", "a city is visited more than once"),
            ("unknown_city", "a name is not one of the cities"),
        ],
        parts: &[
            Part::new(
                "gap",
                "length of the shortest tour divided by the length of this one; 0 if this is not a tour",
            ),
            Part::new("visited", "share of the cities that are visited"),
        ],
        skills: &["optimization", "spatial_reasoning", "search"],
        guess_rate: 0.092,
        guess_score: 0.095,
        ..About::new("graphs", "tsp", &["First version."])
    };

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Cities> {
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
                let tour = distances.nearest_neighbor(start);
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
            if params.unique {
                let length = distances.length(&tour);
                let mut steps = Budget::new(SOLVE_STEPS);
                let tours = distances.count_tours(length, &mut steps);
                budget.spend(SOLVE_STEPS - steps.left())?;
                if tours != Ok(1) {
                    continue;
                }
            }
            let names = params.names.draw(points.len(), rng);
            return Ok(Cities { metric, names, points, tour, unique: params.unique });
        }
    }
}

fn distances(metric: Metric, points: &[Point]) -> Distances {
    Distances::new(points.len(), |a, b| metric.distance(points[a], points[b]))
}

impl Cities {
    fn distances(&self) -> Distances {
        distances(self.metric, &self.points)
    }

    /// Length of a round trip, including the way back.
    fn length(&self, tour: &[usize]) -> i64 {
        let points = || tour.iter().map(|city| self.points[*city]);
        let before = points().next_back().into_iter().chain(points());
        points().zip(before).map(|(a, b)| self.metric.distance(a, b)).sum()
    }

    /// The largest coordinate, at least 1.
    fn farthest(&self) -> i64 {
        self.points.iter().fold(1, |far, (x, y)| far.max(*x).max(*y))
    }
}

impl Problem for Cities {
    type Answer = Vec<usize>;

    const TEMPLATES: &'static [Template<Self>] = wording::TEMPLATES;

    fn check(&self) -> Result<(), String> {
        let cities = self.points.len();
        check::length("points", &self.points, FEWEST_CITIES..=MOST_CITIES, "cities")?;
        let within = |at: &i64| (0..=LARGEST_COORDINATE).contains(at);
        if let Some((x, y)) = self.points.iter().find(|(x, y)| !within(x) || !within(y)) {
            return Err(format!(
                "`points` has ({x}, {y}), but coordinates must be between 0 and {LARGEST_COORDINATE}"
            ));
        }
        if let Some((x, y)) = repeats(&self.points) {
            return Err(format!("`points` has ({x}, {y}) twice"));
        }
        check::length("names", &self.names, cities..=cities, "names")?;
        route::check_names(&self.names)?;
        check::length("tour", &self.tour, cities..=cities, "cities")?;
        check::each("tour", &self.tour, |city| *city < cities, "must be the position of a city")?;
        check::distinct("tour", &self.tour)
    }

    fn certify(&self, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        let distances = self.distances();
        let length = distances.length(&self.tour);
        let over = |_| "it takes more steps than are allowed to prove `tour` shortest".to_owned();
        let start = distances.good_tour();
        let best = distances.shortest_tour(start, budget).map_err(over)?;
        let best = distances.length(&best);
        if best < length {
            return Err(format!("`tour` has length {length}, but one of length {best} exists"));
        }
        let tours = distances.count_tours(length, budget).map_err(over)?;
        let proof = format!("no tour is shorter than {length}");
        Certificate { unique: tours == 1, proof }.claimed(self.unique)
    }

    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        self.mutated(aim, rng, budget)
    }

    fn form(&self) -> impl Form<Read = Vec<usize>> {
        form::Route { names: &self.names, ends: form::Ends::Closed, place: "city", unknown: "unknown_city" }
    }

    fn solution(&self) -> Solution {
        Solution::new(self.improvements(), route::write(self.tour.iter().copied(), &self.names))
    }

    fn verify(&self, tour: Vec<usize>, budget: &mut Budget) -> Judged {
        self.judge_tour(&tour, budget)
    }

    /// Tours with cities swapped, and routes that are not tours.
    fn near_misses(&self, faults: Faults, rng: &mut Rng) -> Vec<Vec<usize>> {
        let cities = self.points.len();
        let wrong = faults.of(cities);
        let (mut swapped, mut neighbors) = (self.tour.clone(), self.tour.clone());
        for _ in 0..wrong {
            swapped.swap(rng.index(cities), rng.index(cities));
            let at = rng.index(cities);
            neighbors.swap(at, (at + 1) % cities);
        }
        let (mut missing, mut replaced, mut twice) =
            (self.tour.clone(), self.tour.clone(), self.tour.clone());
        // At least one city remains.
        for _ in 0..wrong.min(cities - 1) {
            missing.remove(rng.index(missing.len()));
            replaced[rng.index(cities)] = self.tour[0];
            twice.insert(rng.index(twice.len()), *rng.pick(&self.tour));
        }
        let mut tours = vec![swapped, neighbors, missing, replaced, twice];
        tours.retain(|tour| !self.is_shortest(tour));
        tours
    }

    /// The same round trip in the opposite direction, starting at another city.
    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        let mut tour = self.tour.clone();
        let first = rng.index(tour.len());
        tour.rotate_left(first);
        tour.reverse();
        Some(tour)
    }

    fn guesses(&self, rng: &mut Rng) -> Vec<(&'static str, Vec<usize>)> {
        let listed: Vec<usize> = (0..self.points.len()).collect();
        let mut random = listed.clone();
        rng.shuffle(&mut random);
        vec![("as listed", listed), ("a random tour", random)]
    }

    /// Reorders and renames the cities, and mirrors, rotates and moves the map.
    fn twin(&self, rng: &mut Rng) -> Self {
        let cities = self.points.len();
        let mut order: Vec<usize> = (0..cities).collect();
        rng.shuffle(&mut order);
        let mut points = self.points.clone();
        for (point, at) in self.points.iter().zip(&order) {
            points[*at] = *point;
        }
        points::turn_and_move(&mut points, LARGEST_COORDINATE, rng);
        let tour = self.tour.iter().map(|city| order[*city]).collect();
        Self { names: Naming::Any.draw(cities, rng), points, tour, ..*self }
    }

    /// Pairs of cities compared: each round of improvement looks at all of them, and branch and bound adds
    /// more where local search fails.
    fn effort(&self) -> Effort {
        let distances = self.distances();
        let pairs = self.points.len() * (self.points.len() - 1) / 2;
        let mut tour = distances.nearest_neighbor(0);
        let mut rounds = 2;
        while distances.improve(&mut tour).is_some() {
            rounds += 1;
        }
        rounds += usize::from(distances.length(&tour) > distances.length(&self.tour));
        Effort::new((pairs * rounds) as u64, 200)
    }

    /// Distances between the cities, independent of names and of the position of the map.
    fn fingerprint(&self) -> Vec<u8> {
        let cities = self.points.len();
        let mut distances = vec![0; cities * cities];
        for to in 0..cities {
            for from in 0..to {
                // Cities are at most 20,000 apart, which 16 bits hold.
                let distance = self.metric.distance(self.points[from], self.points[to]) as u16;
                (distances[from * cities + to], distances[to * cities + from]) = (distance, distance);
            }
        }
        distances.chunks_mut(cities).for_each(<[u16]>::sort_unstable);
        let mut rows: Vec<&[u16]> = distances.chunks(cities).collect();
        rows.sort_unstable();
        rows.concat().iter().flat_map(|distance| distance.to_be_bytes()).collect()
    }

    fn moves(&self) -> Option<Box<dyn Play>> {
        Some(Box::new(Playing::new(Trip(self.clone()), Vec::new())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::rng::Key;

    fn rng() -> Rng {
        Key::new("tsp", 1, "", 0, "").stream(0)
    }

    /// A square with a city in the middle of one side; the tour around it is the only shortest one.
    pub fn square() -> Cities {
        Cities {
            metric: Metric::Euclidean,
            names: ["A", "B", "C", "D", "E"].map(String::from).to_vec(),
            points: vec![(0, 0), (10, 10), (5, 0), (0, 10), (10, 0)],
            tour: vec![0, 2, 4, 1, 3],
            unique: false,
        }
    }

    #[test]
    fn a_tour_that_is_not_shortest_is_not_certified() {
        let certify = |cities: &Cities| cities.certify(&mut Budget::new(1_000_000));
        let certificate = certify(&square()).unwrap();
        assert!(certificate.unique);
        assert_eq!(certificate.proof, "no tour is shorter than 40");
        let mut longer = square();
        longer.tour.swap(0, 1);
        assert!(certify(&longer).unwrap_err().contains("`tour` has length 4"), "longer");
        let mut tied = square();
        tied.points[2] = (5, 5);
        tied.metric = Metric::Manhattan;
        assert!(!certify(&tied).unwrap().unique);
        let over = square().certify(&mut Budget::new(10));
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
    fn nearest_neighbor_fails_where_cities_are_misleading_and_earns_little() {
        const ITEMS: usize = 60;
        let mut rng = rng();
        for params in &TspParams::LEVELS[4..] {
            let mut earned = 0.0;
            for _ in 0..ITEMS {
                let budget = &mut Budget::new(20_000_000);
                let cities = Tsp.generate(params, &mut rng, budget).unwrap();
                let distances = cities.distances();
                for start in 0..cities.points.len() {
                    assert!(!cities.is_shortest(&distances.nearest_neighbor(start)));
                }
                earned += cities.verify(distances.nearest_neighbor(0), budget).unwrap_err().score;
            }
            assert!(earned < 0.2 * ITEMS as f32, "{earned}");
        }
    }

    #[test]
    fn a_twin_has_the_same_distances_elsewhere() {
        let mut rng = rng();
        let cities = square();
        let mut places = std::collections::BTreeSet::new();
        for _ in 0..50 {
            let twin = cities.twin(&mut rng);
            twin.check().unwrap();
            assert_eq!(twin.length(&twin.tour), 40);
            assert_eq!(twin.fingerprint(), cities.fingerprint());
            places.insert(twin.points);
        }
        assert_eq!(places.len(), 50);
        let mut other = square();
        other.metric = Metric::Manhattan;
        assert_ne!(other.fingerprint(), cities.fingerprint());
        other = square();
        other.points[2].0 += 1;
        assert_ne!(other.fingerprint(), cities.fingerprint());
    }
}
