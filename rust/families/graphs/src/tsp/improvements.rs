//! The steps to a shortest tour: nearest neighbor, changes that shorten it, and what branch and bound adds.

use super::Cities;
use super::tour::Move;
use kit::shared::route;

impl Cities {
    /// Nearest neighbor from the first city, then the improvements that save most.
    pub fn improvements(&self) -> Vec<String> {
        let distances = self.distances();
        let name = |city: usize| self.names[city].as_str();
        let mut tour = distances.nearest_neighbor(0);
        let mut steps = vec![format!(
            "Always going to the nearest unvisited city gives {}, which has length {}.",
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
                    format!("Reverse the part from {} to {}", at(first), at(last))
                }
                Move::Relocate { from, after } => {
                    format!("Move {} between {} and {}", at(from), at(after), at(after + 1))
                }
            };
            let length = distances.length(&tour);
            steps.push(format!("{change}: {}, length {length}.", self.write_closed(&tour)));
        }
        let (reached, shortest) = (distances.length(&tour), distances.length(&self.tour));
        if reached > shortest {
            steps.push(format!(
                "No such change helps any more, but branch and bound finds {}, length {shortest}.",
                self.write_closed(&self.tour)
            ));
        }
        steps.push(format!("Branch and bound proves that no tour is shorter than {shortest}."));
        steps
    }

    /// The tour with its way back written out.
    fn write_closed(&self, tour: &[usize]) -> String {
        route::write(tour.iter().chain(&tour[..1]).copied(), &self.names)
    }
}
