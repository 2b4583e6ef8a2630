//! Verdicts on a tour: a shortest one, a longer one, or not a tour.

use super::Cities;
use kit::budget::Budget;
use kit::shared::optimum;
use kit::task::verdict::{Failure, Judged, label};

impl Cities {
    /// A longer tour earns credit for what it saves over nearest neighbor.
    pub fn judge_tour(&self, tour: &[usize], budget: &mut Budget) -> Judged {
        let cities = self.points.len();
        let seen = tour.iter().fold(0u32, |seen, city| seen | 1 << city);
        let visited = seen.count_ones() as f32 / cities as f32;
        if tour.len() != cities || seen.count_ones() as usize != cities {
            let flaws = self.flaws(tour);
            let reasons: Vec<_> = flaws.iter().map(|(_, reason)| reason.as_str()).collect();
            let failure = Failure::new(label::CONSTRAINT_VIOLATED, reasons.join("; "));
            let failure = flaws.iter().fold(failure, |failure, (label, _)| failure.also(label));
            return Err(failure.part("gap", 0.0).part("visited", visited));
        }
        let (length, shortest) = (self.length(tour), self.length(&self.tour));
        if length <= shortest {
            return Ok(());
        }
        budget.spend((cities as u64).pow(3))?;
        let credit = optimum::credit(length as u64, shortest as u64, self.naive());
        let more = length - shortest;
        let detail = format!("this tour has length {length}, {more} more than the shortest");
        let failure = Failure::new(label::SUBOPTIMAL, detail).score(credit);
        Err(failure.part("gap", shortest as f32 / length as f32).part("visited", visited))
    }

    /// Mean length of the nearest-neighbor tours from all starting cities.
    fn naive(&self) -> u64 {
        let (distances, cities) = (self.distances(), self.points.len());
        let length = |start| distances.length(&distances.nearest_neighbor(start)) as u64;
        (0..cities).map(length).sum::<u64>() / cities as u64
    }

    /// True if a tour is as short as the one that the problem claims to be shortest.
    pub fn is_shortest(&self, tour: &[usize]) -> bool {
        tour.len() == self.points.len()
            && self.flaws(tour).is_empty()
            && self.length(tour) == self.length(&self.tour)
    }

    /// Faults of a route as a tour, each with its label.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tsp::tests::square;
    use kit::testing::verdict as judge;

    #[test]
    fn a_tour_may_start_anywhere_go_either_way_and_be_closed() {
        for right in [
            "A -> C -> E -> B -> D",
            "A->C->E->B->D",
            "D -> B -> E -> C -> A",
            "B -> D -> A -> C -> E",
            "B -> D -> A -> C -> E -> B",
        ] {
            assert!(judge(&square(), right).passed, "{right}");
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
            assert_eq!(judge(&square(), wrong).failures, failures, "{wrong}");
        }
        let verdict = judge(&square(), "A -> C -> E -> B");
        assert_eq!(verdict.parts, [("gap", 0.0), ("visited", 0.8)]);
        assert_eq!(verdict.detail, "not visited: D");
    }

    #[test]
    fn a_longer_tour_earns_what_it_saves_over_nearest_neighbor() {
        // There and back along a line is 120; nearest neighbor from B and C turns back too late and gets 138.
        let points = [0, 10, 11, 19, 60].map(|x| (x, 0)).to_vec();
        let cities = Cities { points, tour: vec![0, 1, 2, 3, 4], ..square() };
        assert_eq!(cities.naive(), 127);
        let verdict = judge(&cities, "A -> C -> B -> D -> E");
        assert_eq!(verdict.detail, "this tour has length 122, 2 more than the shortest");
        assert_eq!(verdict.parts, [("gap", 120.0 / 122.0), ("visited", 1.0)]);
        assert!((verdict.score - 25.0 / 49.0).abs() < 1e-6, "{verdict:?}");
        let nearest = judge(&cities, "B -> C -> D -> A -> E");
        assert!(nearest.score <= 0.0 && nearest.parts[0] == ("gap", 120.0 / 138.0), "{nearest:?}");
    }

    #[test]
    fn a_tour_that_is_falsely_claimed_to_be_shortest_is_judged_by() {
        let mut cities = square();
        cities.tour.swap(0, 1);
        assert!(judge(&cities, "C -> A -> E -> B -> D").passed);
        assert!(judge(&cities, "A -> C -> E -> B -> D").passed);
        assert!(!judge(&cities, "A -> B -> C -> D -> E").passed);
    }
}
