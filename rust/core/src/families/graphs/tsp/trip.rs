//! The round trip as a one-player game.

use super::{Cities, Tsp};
use crate::budget::Budget;
use crate::error::quoted;
use crate::play::{Action, Play, Turn};
use crate::shared::route;
use crate::task::family::TaskFamily as _;
use crate::task::problem::Problem as _;

/// The tour as it is made, one city after the other.
#[derive(Clone)]
pub struct Trip {
    cities: Cities,
    visits: Vec<usize>,
}

impl Trip {
    pub fn new(cities: &Cities) -> Self {
        Self { cities: cities.clone(), visits: Vec::new() }
    }
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
        let judged = self.cities.verify(self.visits.clone(), &mut Budget::new(Tsp::ABOUT.budgets.judge));
        vec![judged.unwrap_or_else(|failed| failed).score]
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
        found.ok_or_else(|| format!("`{}` is no city here", quoted(text)))
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
    use crate::families::graphs::tsp::tests::square;

    #[test]
    fn a_player_sees_where_the_trip_stands() {
        let mut trip = square().moves().unwrap();
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
