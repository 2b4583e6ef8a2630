//! The round trip as a one-player game.

use super::points::Point;
use super::{Cities, Tsp};
use kit::budget::Budget;
use kit::picture::{CELL, Ink, Picture};
use kit::rules::{Action, Actions, Misread, Rules, Turn};
use kit::shared::route;
use kit::task::family::TaskFamily as _;
use kit::task::problem::Problem as _;
use kit::task::verdict::Verdict;

/// A tour is built city by city: the state is the list of cities visited so far.
#[derive(Clone)]
pub struct Trip(pub Cities);

impl Rules for Trip {
    type State = Vec<usize>;
    type Legal = Actions;

    const PLAYERS: u8 = 1;

    fn actions(&self) -> u32 {
        self.0.points.len() as u32
    }

    fn max_plies(&self) -> u32 {
        self.actions()
    }

    fn turn(&self, visits: &Vec<usize>) -> Turn {
        if visits.len() == self.0.points.len() { Turn::Over } else { Turn::Player(0) }
    }

    fn legal(&self, visits: &Vec<usize>) -> Actions {
        (0..self.actions()).filter(|city| !visits.contains(&(*city as usize))).collect()
    }

    fn apply(&self, visits: &mut Vec<usize>, action: Action) {
        visits.push(action as usize);
    }

    /// The score of the finished tour as an answer.
    fn returns(&self, visits: &Vec<usize>) -> [f32; 2] {
        let judged = self.0.verify(visits.clone(), &mut Budget::new(Tsp::ABOUT.budgets.judge));
        [Verdict::from(judged).score, 0.0]
    }

    fn show(&self, visits: &Vec<usize>, _player: u8) -> String {
        let cities = &self.0;
        let so_far = match visits[..] {
            [] => "No city has been visited yet.".to_owned(),
            _ => format!("So far: {}.", route::write(visits.iter().copied(), &cities.names)),
        };
        format!("{}\n{}\n{so_far}", cities.listed(), cities.metric.rule())
    }

    /// The current city is red.
    fn draw(&self, visits: &Vec<usize>, _player: u8) -> Picture {
        let cities = &self.0;
        let side = 10 * CELL;
        let range = |axis: fn(&Point) -> i64| {
            let (low, high) = cities
                .points
                .iter()
                .map(axis)
                .fold((i64::MAX, 0), |(low, high), at| (low.min(at), high.max(at)));
            (low, high - low)
        };
        let ((left, wide), (low, tall)) = (range(|point| point.0), range(|point| point.1));
        // One scale for both axes; larger coordinates are higher up.
        let scaled = |at: i64| (at * i64::from(side) / wide.max(tall).max(1)) as u32;
        let place = |city: usize| {
            let (x, y) = cities.points[city];
            (2 * CELL + scaled(x - left), CELL + side - scaled(y - low))
        };
        let mut picture = Picture::new(12, 14);
        let way = visits.windows(2).map(|pair| (pair[0], pair[1]));
        let back = (visits.len() == cities.points.len()).then(|| (visits[visits.len() - 1], visits[0]));
        for (from, to) in way.chain(back) {
            picture.line(place(from), place(to), 0, Ink::Blue);
        }
        for (city, name) in cities.names.iter().enumerate() {
            let (x, y) = place(city);
            let ink = match visits.iter().position(|visit| *visit == city) {
                Some(at) if at + 1 == visits.len() => Ink::Red,
                Some(_) => Ink::Blue,
                None => Ink::Black,
            };
            picture.spot((x, y), 1, ink);
            picture.title((x, y + 3), 2, name, Ink::Black);
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        self.0.names[action as usize].clone()
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        let text = text.trim();
        let found = self.0.names.iter().position(|name| name.eq_ignore_ascii_case(text));
        let found = found.map(|city| city as Action);
        found.ok_or_else(|| {
            Misread::off_board(text, format_args!("a move is one of {}", self.0.names.join(", ")))
        })
    }

    fn why_illegal(&self, _visits: &Vec<usize>, action: Action) -> String {
        format!("{} has already been visited", self.name_action(action))
    }

    fn shape(&self) -> Vec<usize> {
        vec![self.0.points.len(), 4]
    }

    /// A row for each city: x and y over the largest coordinate, then 1 if it has been visited, then 1 if it
    /// is the current city.
    fn observe(&self, visits: &Vec<usize>, _player: u8, out: &mut [f32]) {
        let far = self.0.farthest();
        for (city, (row, (x, y))) in out.chunks_exact_mut(4).zip(&self.0.points).enumerate() {
            row[0] = *x as f32 / far as f32;
            row[1] = *y as f32 / far as f32;
            row[2] = f32::from(u8::from(visits.contains(&city)));
            row[3] = f32::from(u8::from(visits.last() == Some(&city)));
        }
    }

    fn answer(&self, visits: &Vec<usize>) -> Option<String> {
        Some(route::write(visits.iter().copied(), &self.0.names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tsp::tests::square;

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
