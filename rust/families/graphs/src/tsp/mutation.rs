//! Variants of a map.

use super::points::repeats;
use super::tour::MOST_CITIES;
use super::{Cities, FEWEST_CITIES, LARGEST_COORDINATE};
use kit::budget::Budget;
use kit::rng::Rng;
use kit::shared::route;
use kit::task::certificate::Aim;

impl Cities {
    /// Harder: one more city. Easier: one fewer. Same: a city moves a little.
    pub fn mutated(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        let points = &mut mutated.points;
        let far = self.farthest();
        let near = |at: i64, rng: &mut Rng| {
            let by = far / 10 + 1;
            rng.int((at - by).max(0), (at + by).min(LARGEST_COORDINATE))
        };
        let at = rng.index(points.len());
        match aim {
            Aim::Harder if points.len() < MOST_CITIES => {
                points.push((rng.int(0, far), rng.int(0, far)));
                mutated.names.push(route::fresh_name(&self.names)?);
            }
            Aim::Easier if points.len() > FEWEST_CITIES => {
                points.remove(at);
                mutated.names.remove(at);
            }
            Aim::Same => points[at] = (near(points[at].0, rng), near(points[at].1, rng)),
            Aim::Harder | Aim::Easier => return None,
        }
        if repeats(&mutated.points).is_some() {
            return Some(self.clone()); // No change: the caller tries again.
        }
        let distances = mutated.distances();
        mutated.tour = distances.shortest_tour(distances.good_tour(), budget).ok()?;
        Some(mutated)
    }
}
