//! Shortest round trips: nearest neighbor, local search, and branch and bound for the proof.

use kit::budget::{Budget, OverBudget};

/// Maximum number of cities in a round trip.
pub const MOST_CITIES: usize = 24;

/// Integer prices per unit of distance, which raise the lower bound.
const SCALE: i64 = 64;
/// Rounds of raising the lower bound: few suffice, except for distant clusters, whose prices must move far.
const ROUNDS: [i64; 2] = [48, 400];

type Matrix = [[i64; MOST_CITIES]; MOST_CITIES];

/// Symmetric distances between cities `0..cities`.
#[derive(Clone)]
pub struct Distances {
    cities: usize,
    between: Matrix,
}

/// A change that shortens a round trip. Positions are those before the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Visits the cities from `first` to `last` in the opposite order.
    Reverse { first: usize, last: usize },
    /// Moves the city at `from` between those at `after` and `after + 1`.
    Relocate { from: usize, after: usize },
}

impl Distances {
    /// Asks for each distance with the larger city first.
    pub fn new(cities: usize, distance: impl Fn(usize, usize) -> i64) -> Self {
        assert!((3..=MOST_CITIES).contains(&cities), "{cities} cities");
        let mut between = [[0; MOST_CITIES]; MOST_CITIES];
        for a in 1..cities {
            let (earlier, row) = between.split_at_mut(a);
            for (b, earlier) in earlier.iter_mut().enumerate() {
                row[0][b] = distance(a, b);
                earlier[a] = row[0][b];
            }
        }
        Self { cities, between }
    }

    /// Length of the round trip, including the way back to its first city.
    pub fn length(&self, tour: &[usize]) -> i64 {
        let next = tour.iter().cycle().skip(1);
        tour.iter().zip(next).map(|(a, b)| self.between[*a][*b]).sum()
    }

    /// The tour that always goes to the nearest city not yet visited.
    pub fn nearest_neighbor(&self, start: usize) -> Vec<usize> {
        let mut left: Vec<usize> = (0..self.cities).filter(|city| *city != start).collect();
        let mut tour = vec![start];
        let mut here = start;
        while let Some(at) = (0..left.len()).min_by_key(|at| self.between[here][left[*at]]) {
            here = left.remove(at);
            tour.push(here);
        }
        tour
    }

    /// Makes the change that shortens the tour most, if any reversal or relocation does.
    pub fn improve(&self, tour: &mut [usize]) -> Option<Move> {
        let n = tour.len();
        let d = |i: usize, j: usize| self.between[tour[i % n]][tour[j % n]];
        let mut best = (0, None);
        let mut offer = |saved: i64, change: Move| {
            if saved > best.0 {
                best = (saved, Some(change));
            }
        };
        for first in 1..n {
            for last in first + 1..n {
                let saved = d(first - 1, first) + d(last, last + 1) - d(first - 1, last) - d(first, last + 1);
                offer(saved, Move::Reverse { first, last });
            }
        }
        for from in 0..n {
            let freed = d(from + n - 1, from) + d(from, from + 1) - d(from + n - 1, from + 1);
            for after in (0..n).filter(|after| *after != from && (*after + 1) % n != from) {
                let paid = d(after, from) + d(from, after + 1) - d(after, after + 1);
                offer(freed - paid, Move::Relocate { from, after });
            }
        }
        let change = best.1?;
        match change {
            Move::Reverse { first, last } => tour[first..=last].reverse(),
            Move::Relocate { from, after } if from < after => tour[from..=after].rotate_left(1),
            Move::Relocate { from, after } => tour[after + 1..=from].rotate_right(1),
        }
        Some(change)
    }

    /// The best tour that local search finds from the shortest few nearest-neighbor tours.
    pub fn good_tour(&self) -> Vec<usize> {
        const TRIED: usize = 3;
        let start = |city| self.nearest_neighbor(city);
        let mut tours: Vec<Vec<usize>> = (0..self.cities).map(start).collect();
        tours.sort_by_key(|tour| self.length(tour));
        tours.truncate(TRIED);
        for tour in &mut tours {
            while self.improve(tour).is_some() {}
        }
        let best = tours.into_iter().min_by_key(|tour| self.length(tour));
        best.expect("there are cities")
    }

    /// A proven shortest tour; `start` is any tour, and a better one is faster.
    pub fn shortest_tour(&self, start: Vec<usize>, budget: &mut Budget) -> Result<Vec<usize>, OverBudget> {
        let limit = self.length(&start) - 1;
        let mut search = Search::new(self, limit, budget);
        search.best = start;
        search.run()?;
        Ok(search.best)
    }

    /// Number of tours no longer than `limit`, counted up to two; a tour and its mirror image count once.
    pub fn count_tours(&self, limit: i64, budget: &mut Budget) -> Result<usize, OverBudget> {
        let mut search = Search::new(self, limit, budget);
        search.counting = true;
        search.run()?;
        Ok(search.found)
    }
}

/// Depth-first search over tours from city 0, which prunes where even a lower bound is too long.
///
/// Each city has a price, paid by both roads that touch it. Prices shift all tours by the same amount, so
/// they change no comparison; well-chosen ones make the spanning trees that bound a tour tight.
struct Search<'a, 's> {
    distances: &'a Distances,
    budget: &'a mut Budget<'s>,
    /// Distances times [`SCALE`] with the prices of both ends added.
    priced: Matrix,
    /// Twice the sum of the prices: the surcharge of every tour.
    surcharge: i64,
    /// Length of the longest tour of interest.
    limit: i64,
    /// If true, tours are counted and the limit stays; otherwise each tour found lowers it.
    counting: bool,
    found: usize,
    path: Vec<usize>,
    best: Vec<usize>,
}

impl<'a, 's> Search<'a, 's> {
    fn new(distances: &'a Distances, limit: i64, budget: &'a mut Budget<'s>) -> Self {
        Self {
            distances,
            budget,
            priced: [[0; MOST_CITIES]; MOST_CITIES],
            surcharge: 0,
            limit,
            counting: false,
            found: 0,
            path: vec![0],
            best: Vec::new(),
        }
    }

    fn run(&mut self) -> Result<(), OverBudget> {
        let cities = self.distances.cities;
        if self.raise_prices()? {
            let rest = (1u32 << cities) - 2;
            self.extend(rest, 0)?;
        }
        Ok(())
    }

    fn set_prices(&mut self, prices: &[i64; MOST_CITIES]) {
        let cities = self.distances.cities;
        for a in 0..cities {
            for b in 0..cities {
                self.priced[a][b] = self.distances.between[a][b] * SCALE + prices[a] + prices[b];
            }
        }
        self.surcharge = 2 * prices.iter().sum::<i64>();
    }

    /// Held and Karp's ascent: raises the price of cities with too many roads in the cheapest 1-tree and
    /// lowers that of cities with too few. False if the bound alone shows that no tour is within the limit.
    fn raise_prices(&mut self) -> Result<bool, OverBudget> {
        let cities = self.distances.cities;
        let mut best = (i64::MIN, [0; MOST_CITIES]);
        for rounds in ROUNDS {
            let mut prices = best.1;
            for round in 0..rounds {
                self.budget.spend((cities * cities) as u64)?;
                self.set_prices(&prices);
                let (cost, roads) = self.one_tree();
                let bound = cost - self.surcharge;
                if bound > self.limit * SCALE {
                    return Ok(false);
                }
                best = best.max((bound, prices));
                let off = |roads: &i64| (roads - 2).pow(2);
                let off: i64 = roads[..cities].iter().map(off).sum();
                if off == 0 {
                    break;
                }
                // From twice the gap down to zero.
                let gap = (self.limit + 1) * SCALE - bound;
                let step = (2 * gap * (rounds - round) / (off * rounds)).max(1);
                for (price, roads) in prices.iter_mut().zip(&roads[..cities]) {
                    *price += step * (roads - 2);
                }
            }
            if self.limit * SCALE - best.0 < self.limit * SCALE / 64 {
                break;
            }
        }
        self.set_prices(&best.1);
        Ok(true)
    }

    /// The cheapest spanning tree of all cities but 0, with the two cheapest roads to 0: its cost and
    /// each city's roads in it. No tour costs less.
    fn one_tree(&self) -> (i64, [i64; MOST_CITIES]) {
        let cities = self.distances.cities;
        let mut roads = [0; MOST_CITIES];
        let mut total = 0;
        let mut near: [(i64, usize); MOST_CITIES] = [(i64::MAX, 0); MOST_CITIES];
        let mut left = (1u32 << cities) - 2;
        let mut here = 1;
        left &= !2;
        while left != 0 {
            let mut next = (i64::MAX, 0, 0);
            for city in members(left) {
                if self.priced[here][city] < near[city].0 {
                    near[city] = (self.priced[here][city], here);
                }
                if near[city].0 < next.0 {
                    next = (near[city].0, near[city].1, city);
                }
            }
            total += next.0;
            roads[next.1] += 1;
            roads[next.2] += 1;
            here = next.2;
            left &= !(1 << here);
        }
        let mut to_zero = [(i64::MAX, 0); 2];
        for city in 1..cities {
            let road = (self.priced[0][city], city);
            if road < to_zero[0] {
                to_zero = [road, to_zero[0]];
            } else if road < to_zero[1] {
                to_zero[1] = road;
            }
        }
        for (cost, city) in to_zero {
            total += cost;
            roads[0] += 1;
            roads[city] += 1;
        }
        (total, roads)
    }

    /// Cost of the cheapest spanning tree of the cities in `rest`, which is not empty.
    fn spanning_tree(&self, rest: u32) -> i64 {
        let mut near = [i64::MAX; MOST_CITIES];
        let mut here = rest.trailing_zeros() as usize;
        let mut left = rest & (rest - 1);
        let mut total = 0;
        while left != 0 {
            let mut next = (i64::MAX, 0);
            for city in members(left) {
                near[city] = near[city].min(self.priced[here][city]);
                next = next.min((near[city], city));
            }
            total += next.0;
            here = next.1;
            left &= !(1 << here);
        }
        total
    }

    /// Extends the path, which costs `paid` so far, through the cities in `rest`.
    fn extend(&mut self, rest: u32, paid: i64) -> Result<(), OverBudget> {
        let here = *self.path.last().expect("the path starts at city 0");
        if rest == 0 {
            let length = self.distances.length(&self.path);
            if length <= self.limit {
                self.found += 1;
                self.best.clone_from(&self.path);
                if !self.counting {
                    self.limit = length - 1;
                }
            }
            return Ok(());
        }
        let size = u64::from(rest.count_ones());
        self.budget.spend(1 + size * size)?;
        // The rest of a tour: a road into the remaining cities, a path through them, a road back to city 0.
        let cheapest = |from: usize| members(rest).map(|city| self.priced[from][city]).min();
        let ends = cheapest(here).unwrap_or(0) + cheapest(0).unwrap_or(0);
        let bound = paid + ends + self.spanning_tree(rest);
        if bound > self.limit * SCALE + self.surcharge {
            return Ok(());
        }
        let mut next: Vec<(i64, usize)> = members(rest)
            // City 1 comes before city 2, so only one of a tour and its mirror image is tried.
            .filter(|city| *city != 2 || rest & 2 == 0)
            .map(|city| (self.priced[here][city], city))
            .collect();
        next.sort_unstable();
        for (cost, city) in next {
            if self.counting && self.found >= 2 {
                break;
            }
            self.path.push(city);
            let done = self.extend(rest & !(1 << city), paid + cost);
            self.path.pop();
            done?;
        }
        Ok(())
    }
}

/// The cities of a set, in order.
fn members(set: u32) -> impl Iterator<Item = usize> {
    let mut left = set;
    std::iter::from_fn(move || {
        (left != 0).then(|| {
            let city = left.trailing_zeros() as usize;
            left &= left - 1;
            city
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::points::{Metric, Point};
    use super::*;
    use kit::rng::{Key, Rng};

    fn rng() -> Rng {
        Key::new("tour", 1, "", 0, "").stream(0)
    }

    fn random(cities: usize, most: i64, rng: &mut Rng) -> Distances {
        let table: Vec<i64> = (0..cities * cities).map(|_| rng.int(1, most)).collect();
        Distances::new(cities, |a, b| table[a * cities + b])
    }

    /// Calls `visit` with every tour from city 0, mirror images included.
    fn all_tours(cities: usize, tour: &mut Vec<usize>, visit: &mut impl FnMut(&[usize])) {
        if tour.len() == cities {
            return visit(tour);
        }
        for city in 0..cities {
            if !tour.contains(&city) {
                tour.push(city);
                all_tours(cities, tour, visit);
                tour.pop();
            }
        }
    }

    #[test]
    fn tours_and_their_number_agree_with_trying_them_all() {
        let mut rng = rng();
        for i in 0..300 {
            let cities = 4 + i % 4;
            // Few distances cause many ties, and the triangle inequality does not hold.
            let distances = random(cities, [3, 20, 1_000][i % 3], &mut rng);
            let mut lengths = Vec::new();
            all_tours(cities, &mut vec![0], &mut |tour| {
                lengths.push(distances.length(tour));
            });
            let least = *lengths.iter().min().unwrap();
            let ties = lengths.iter().filter(|length| **length == least).count() / 2;
            let start: Vec<usize> = (0..cities).collect();
            let budget = &mut Budget::new(1_000_000);
            let best = distances.shortest_tour(start, budget).unwrap();
            assert_eq!(distances.length(&best), least);
            assert_eq!(distances.count_tours(least, budget), Ok(ties.min(2)));
            assert_eq!(distances.count_tours(least - 1, budget), Ok(0));
        }
    }

    /// Held and Karp's recurrence, as a second method where trying all tours takes too long.
    fn recurrence(distances: &Distances) -> i64 {
        let last = distances.cities - 1;
        let far = i64::MAX / 2;
        let mut cost = vec![vec![far; last]; 1 << last];
        for city in 0..last {
            cost[1 << city][city] = distances.between[last][city];
        }
        for set in 1usize..1 << last {
            for city in (0..last).filter(|city| set >> city & 1 == 1) {
                for next in (0..last).filter(|next| set >> next & 1 == 0) {
                    let through = cost[set][city] + distances.between[city][next];
                    let known = &mut cost[set | 1 << next][next];
                    *known = through.min(*known);
                }
            }
        }
        let back = |city: usize| cost[(1 << last) - 1][city] + distances.between[city][last];
        (0..last).map(back).min().unwrap()
    }

    #[test]
    fn branch_and_bound_agrees_with_the_recurrence() {
        let mut rng = rng();
        for i in 0..60 {
            let cities = 8 + i % 6;
            let distances = random(cities, [4, 50, 10_000][i % 3], &mut rng);
            let budget = &mut Budget::new(100_000_000);
            let best = distances.shortest_tour(distances.good_tour(), budget).unwrap();
            assert_eq!(distances.length(&best), recurrence(&distances));
        }
    }

    /// burma14 and ulysses16 need geographic distances; gr17 is a plain matrix: TSPLIB says 2085.
    #[test]
    fn gr17_is_2085_long() {
        const LOWER: &str = "0 633 0 257 390 0 91 661 228 0 412 227 169 383 0 150 488 112 120 267 0 \
            80 572 196 77 351 63 0 134 530 154 105 309 34 29 0 259 555 372 175 338 264 232 249 0 \
            505 289 262 476 196 360 444 402 495 0 353 282 110 324 61 208 292 250 352 154 0 \
            324 638 437 240 421 329 297 314 95 578 435 0 70 567 191 27 346 83 47 68 189 439 287 254 0 \
            211 466 74 182 243 105 150 108 326 336 184 391 145 0 268 420 53 239 199 123 207 165 383 \
            240 140 448 202 57 0 246 745 472 237 528 364 332 349 202 685 542 157 289 426 483 0 \
            121 518 142 84 297 35 29 36 236 390 238 301 55 96 153 336 0";
        let lower: Vec<i64> = LOWER.split(' ').filter_map(|n| n.parse().ok()).collect();
        assert_eq!(lower.len(), 17 * 18 / 2);
        let distances = Distances::new(17, |a, b| lower[a * (a + 1) / 2 + b]);
        let start: Vec<usize> = (0..17).collect();
        let best = distances.shortest_tour(start, &mut Budget::new(10_000_000));
        assert_eq!(distances.length(&best.unwrap()), 2085);
    }

    #[test]
    fn improvements_shorten_by_what_they_change() {
        let mut rng = rng();
        for i in 0..200 {
            let cities = 4 + i % 10;
            let distances = random(cities, 100, &mut rng);
            let mut tour: Vec<usize> = (0..cities).collect();
            let mut length = distances.length(&tour);
            while distances.improve(&mut tour).is_some() {
                assert!(distances.length(&tour) < length);
                length = distances.length(&tour);
            }
            tour.sort_unstable();
            assert!(tour.into_iter().eq(0..cities));
        }
    }

    #[test]
    fn a_search_stops_when_its_steps_run_out() {
        let equal = Distances::new(MOST_CITIES, |a, b| 1 + ((a + b) % 2) as i64);
        let start: Vec<usize> = (0..MOST_CITIES).collect();
        assert!(equal.shortest_tour(start, &mut Budget::new(100)).is_err());
    }

    #[test]
    fn cities_that_cannot_be_told_apart_by_length_are_still_proved() {
        let mut rng = rng();
        for (columns, cities) in [(20, 20), (5, 20), (4, 16), (3, 18), (7, 14)] {
            let mut points: Vec<Point> = (0..cities).map(|i| (i % columns, i / columns)).collect();
            rng.shuffle(&mut points);
            for metric in [Metric::Manhattan, Metric::Euclidean] {
                let distances = Distances::new(points.len(), |a, b| metric.distance(points[a], points[b]));
                let budget = &mut Budget::new(20_000_000);
                let tour = distances.shortest_tour(distances.good_tour(), budget);
                // A grid with an even number of cells has a round trip of single steps.
                let length = if columns == cities { 2 * cities - 2 } else { cities };
                assert_eq!(distances.length(&tour.unwrap()), length, "{columns} of {cities}");
            }
        }
    }
}
