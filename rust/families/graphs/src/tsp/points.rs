//! Points on a map: layouts and distances.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use kit::budget::Budget;
use kit::rng::Rng;
use kit::task::certificate::Exhausted;

// No docs on the variants: with them the schema would no longer be a plain list of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    Uniform,
    Clustered,
    GridJitter,
    Ring,
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MetricChoice {
    Manhattan,
    Euclidean,
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    Manhattan,
    Euclidean,
}

pub type Point = (i64, i64);

impl Metric {
    pub fn distance(self, a: Point, b: Point) -> i64 {
        let (across, up) = ((a.0 - b.0).abs(), (a.1 - b.1).abs());
        match self {
            Self::Manhattan => across + up,
            Self::Euclidean => {
                let square = (across * across + up * up) as u32;
                let root = square.isqrt();
                // No square root of a whole number ends in exactly a half.
                i64::from(root + u32::from(square - root * root > root))
            }
        }
    }

    pub fn rule(self) -> &'static str {
        match self {
            Self::Manhattan => {
                "The distance from (x1, y1) to (x2, y2) is |x1 - x2| + |y1 - y2|, \
                 and the length of a round trip is the sum of the distances along it."
            }
            Self::Euclidean => {
                "The distance from (x1, y1) to (x2, y2) is sqrt((x1 - x2)^2 + (y1 - y2)^2) rounded to the \
                 nearest whole number, and the length of a round trip is the sum of these distances along it."
            }
        }
    }
}

impl MetricChoice {
    pub fn draw(self, rng: &mut Rng) -> Metric {
        match self {
            Self::Manhattan => Metric::Manhattan,
            Self::Euclidean => Metric::Euclidean,
            Self::Any => *rng.pick(&[Metric::Manhattan, Metric::Euclidean]),
        }
    }
}

impl Layout {
    /// The layout itself, or a random one for `Any`.
    #[must_use]
    pub fn settle(self, rng: &mut Rng) -> Self {
        match self {
            Self::Any => *rng.pick(&[Self::Uniform, Self::Clustered, Self::GridJitter, Self::Ring]),
            layout => layout,
        }
    }

    /// Distinct points with coordinates in `0..=side`.
    pub fn draw(
        self,
        count: usize,
        side: i64,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Vec<Point>, Exhausted> {
        /// Directions in a quarter of a circle, in thousandths of its radius.
        const DIRECTIONS: [Point; 8] =
            [(1000, 0), (981, 195), (924, 383), (831, 556), (707, 707), (556, 831), (383, 924), (195, 981)];
        let anywhere = |rng: &mut Rng| (rng.int(0, side), rng.int(0, side));
        let rows = (count as i64 - 1).isqrt() + 1;
        let mut cells: Vec<i64> = (0..rows * rows).collect();
        rng.shuffle(&mut cells);
        let spread = side / 8;
        let inner = |rng: &mut Rng| rng.int(spread, side - spread);
        let centers: Vec<Point> = (0..rng.int(2, 4)).map(|_| (inner(rng), inner(rng))).collect();
        let mut points: Vec<Point> = Vec::with_capacity(count);
        while points.len() < count {
            budget.spend(1)?;
            let point = match self {
                Self::Uniform | Self::Any => anywhere(rng),
                Self::Clustered => {
                    let (x, y) = *rng.pick(&centers);
                    (x + rng.int(-spread, spread), y + rng.int(-spread, spread))
                }
                Self::GridJitter => {
                    let (cell, width) = (cells[points.len()], side / rows);
                    let within = |rng: &mut Rng| rng.int(width / 4, width - width / 4 - 1);
                    let (x, y) = (cell % rows * width, cell / rows * width);
                    (x + within(rng), y + within(rng))
                }
                Self::Ring => {
                    let (across, up) = *rng.pick(&DIRECTIONS);
                    let radius = side / 2 * rng.int(60, 100) / 100;
                    let (across, up) = (across * radius / 1000, up * radius / 1000);
                    let (across, up) =
                        *rng.pick(&[(across, up), (-up, across), (-across, -up), (up, -across)]);
                    (side / 2 + across, side / 2 + up)
                }
            };
            if !points.contains(&point) {
                points.push(point);
            }
        }
        Ok(points)
    }
}

/// Mirrors a map, rotates it by quarter turns and moves it, at random; it stays within `0..=most`, and all
/// distances are preserved.
pub fn turn_and_move(points: &mut [Point], most: i64, rng: &mut Rng) {
    let (swapped, mirrored, overturned) = (rng.chance(1, 2), rng.chance(1, 2), rng.chance(1, 2));
    for point in &mut *points {
        let (x, y) = if swapped { (point.1, point.0) } else { *point };
        *point = (if mirrored { most - x } else { x }, if overturned { most - y } else { y });
    }
    let mut shift = |at: fn(&Point) -> i64| {
        let low = points.iter().map(at).min().unwrap_or(0);
        let high = points.iter().map(at).max().unwrap_or(0);
        rng.int(-low, most - high)
    };
    let (across, up) = (shift(|point| point.0), shift(|point| point.1));
    for (x, y) in points {
        (*x, *y) = (*x + across, *y + up);
    }
}

/// The first item that repeats an earlier one.
pub fn repeats<T: PartialEq + Copy>(items: &[T]) -> Option<T> {
    let again = |at: &usize| items[..*at].contains(&items[*at]);
    (0..items.len()).find(again).map(|at| items[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::rng::Key;

    #[test]
    fn straight_distances_round_to_the_nearest_whole_number() {
        let far = |x, y| Metric::Euclidean.distance((0, 0), (x, y));
        // 0, 1.41, 2.83, 3.61, 5, 5.66.
        for (x, y, distance) in [(0, 0, 0), (1, 1, 1), (2, 2, 3), (2, 3, 4), (3, 4, 5), (4, 4, 6)] {
            assert_eq!(far(x, y), distance, "({x}, {y})");
        }
        for x in 0..200 {
            for y in 0..200 {
                // The distance d is nearest if (2d - 1)^2 < 4 (x^2 + y^2) < (2d + 1)^2.
                let (square, twice) = (4 * (x * x + y * y), 2 * far(x, y));
                assert!((twice - 1).max(0).pow(2) <= square && square < (twice + 1).pow(2));
            }
        }
        assert_eq!(far(10_000, 10_000), 14_142);
    }

    #[test]
    fn every_layout_fits_on_the_smallest_and_the_largest_map() {
        let mut rng = Key::new("points", 1, "", 0, "").stream(0);
        for layout in [Layout::Uniform, Layout::Clustered, Layout::GridJitter, Layout::Ring] {
            for side in [20, 21, 99, 1_000] {
                for count in 5..=20 {
                    let budget = &mut Budget::new(10_000);
                    let points = layout.draw(count, side, &mut rng, budget).unwrap();
                    assert_eq!((points.len(), repeats(&points)), (count, None));
                    let within = |at: &i64| (0..=side).contains(at);
                    assert!(points.iter().all(|(x, y)| within(x) && within(y)), "{points:?}");
                }
            }
        }
    }

    #[test]
    fn a_turned_map_keeps_its_distances_and_stays_on_the_sheet() {
        let mut rng = Key::new("turned", 1, "", 0, "").stream(0);
        for _ in 0..200 {
            let budget = &mut Budget::new(10_000);
            let points = Layout::Uniform.draw(6, 100, &mut rng, budget).unwrap();
            let mut turned = points.clone();
            turn_and_move(&mut turned, 120, &mut rng);
            assert!(turned.iter().all(|(x, y)| (0..=120).contains(x) && (0..=120).contains(y)));
            for metric in [Metric::Manhattan, Metric::Euclidean] {
                let all = |points: &[Point]| -> Vec<i64> {
                    points.iter().flat_map(|a| points.iter().map(|b| metric.distance(*a, *b))).collect()
                };
                assert_eq!(all(&turned), all(&points));
            }
        }
    }
}
