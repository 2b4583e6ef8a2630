//! Move vehicles out of the way of a car that has to leave a crowded parking lot.

use std::cell::Cell;

use kit::picture::{Ink, Picture};
use kit::prelude::*;
use kit::shape::plan::{self, Plan, Puzzle};
use kit::shared::grid::Place;

pub struct RushHour;

params! {
    pub struct RushHourParams {
        /// Rows and columns of the parking lot.
        size: u32 [5..=6],
        /// Vehicles, the car that has to leave among them.
        vehicles: u32 [3..=12],
        /// The fewest moves that do; at most a third more are needed.
        moves: u32 [3..=16],
    }
    levels {
        (5, 4, 3),
        (5, 5, 4),
        (5, 6, 5),
        (5, 7, 7),
        (5, 8, 9),
        (6, 8, 7),
        (6, 9, 9),
        (6, 10, 11),
        (6, 11, 13),
    }
    default 4
    check Self::consistent;
}

impl RushHourParams {
    fn consistent(&self) -> Result<(), String> {
        let Self { size, vehicles, moves } = self;
        let (most_vehicles, most_moves) = (3 * size - 6, (vehicles + 4).min(2 * vehicles - 2));
        check::that(*vehicles <= most_vehicles, || {
            format!("`vehicles` is {vehicles}, but must be at most {most_vehicles} when `size` is {size}")
        })?;
        check::that(*moves <= most_moves, || {
            format!("`moves` is {moves}, but must be at most {most_moves} when `vehicles` is {vehicles}")
        })
    }
}

/// Vehicles are named X, which has to leave, then A, B, C and so on.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lot {
    size: usize,
    vehicles: Vec<Vehicle>,
    /// Numbers of the moves of a solution; `certify` proves that it is shortest.
    plan: Vec<u8>,
}

/// Its upper or left end, its length and its direction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Vehicle {
    row: usize,
    column: usize,
    length: usize,
    vertical: bool,
}

const NAMES: &[u8; 12] = b"XABCDEFGHIJK";
const WAYS: [&str; 4] = ["up", "down", "left", "right"];
/// Positions examined to solve one draw.
const MOST_POSITIONS: usize = 10_000;
/// From this many moves on, what a greedy driver does isn't the fewest moves.
const TRAPPED: usize = 7;
/// Vehicles that a greedy driver pushes aside for one another.
const DEEPEST: usize = 4;

impl TaskFamily for RushHour {
    type Params = RushHourParams;
    type Problem = Plan<Lot>;

    const ABOUT: About = About {
        summary: "Move vehicles aside so that a car can leave a crowded parking lot, in as few moves as possible.",
        distinct_from: 5,
        budgets: Budgets { generate: 200_000_000, ..plan::BUDGETS },
        skills: &["planning", "search", "spatial_reading"],
        guess_rate: 0.085,
        guess_score: 0.085,
        ..Plan::<Lot>::about("puzzles", "rush_hour", &["First version."])
    };

    /// Places vehicles at random until a solution takes as many moves as required.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Plan<Lot>> {
        let (vehicles, moves) = (params.vehicles as usize, params.moves as usize);
        loop {
            budget.spend(u64::from(params.size * params.size))?;
            let lot = Lot::drawn(params.size as usize, vehicles, rng);
            // More vehicles in the way make a long solution more likely.
            if lot.vehicles.len() < vehicles || lot.in_the_way() < 1 + moves / 8 {
                continue;
            }
            // A greedy way bounds the fewest moves from above, and costs little.
            let pushed = lot.pushed();
            if pushed.len() < moves && lot.reaches_goal(&pushed) {
                continue;
            }
            let mut seen = 0;
            let enough = |state, _| {
                seen += 1;
                lot.is_goal(state) || seen > MOST_POSITIONS
            };
            let last = Cell::new((u64::MAX, 0));
            let step = |state, action| {
                if last.get().0 != state {
                    last.set((state, lot.taken(state)));
                }
                lot.moved(state, action, last.get().1)
            };
            let reached = plan::explore(lot.begin(), 4 * vehicles, step, enough, budget)?;
            let (last, _) = *reached.order.last().expect("the start is reached");
            if lot.is_goal(last) {
                let way = reached.way(last);
                // Where the way is too long, its end is a lot of its own.
                let mut lengths: Vec<usize> = (moves..=way.len().min(moves * 4 / 3)).collect();
                rng.shuffle(&mut lengths);
                for length in lengths {
                    let drawn = lot.after(&way, way.len() - length);
                    if budget.wants(|| drawn.fingerprint())? && (moves < TRAPPED || !drawn.yields()) {
                        return Ok(Plan(drawn));
                    }
                }
            }
        }
    }
}

impl Vehicle {
    /// Distance of its upper or left end from the edge.
    fn along(self) -> usize {
        if self.vertical { self.row } else { self.column }
    }

    fn square(self, along: usize) -> Place {
        if self.vertical { Place::new(along, self.column) } else { Place::new(self.row, along) }
    }

    fn covers(self, square: Place, along: usize) -> bool {
        let (at, lane, own) = if self.vertical {
            (square.row, square.column, self.column)
        } else {
            (square.column, square.row, self.row)
        };
        lane == own && (along..along + self.length).contains(&at)
    }

    /// Its squares when its end is this far from the edge.
    fn squares(self, along: usize) -> impl Iterator<Item = Place> {
        (along..along + self.length).map(move |along| self.square(along))
    }
}

/// Distance of a vehicle's end from the edge: three bits of the state.
fn along(state: u64, vehicle: usize) -> usize {
    (state >> (3 * vehicle) & 7) as usize
}

impl Lot {
    /// A car near the left edge with other vehicles around it, as many of those wanted as fit.
    fn drawn(size: usize, vehicles: usize, rng: &mut Rng) -> Self {
        let car = Vehicle { row: (size - 1) / 2, column: rng.index(2), length: 2, vertical: false };
        let mut lot = Self { size, vehicles: vec![car], plan: Vec::new() };
        for _ in 0..20 * vehicles {
            let vertical = rng.chance(1, 2);
            // Only a large lot has room for a truck above or below the car.
            let length = if rng.chance(1, 3) && (size == 6 || !vertical) { 3 } else { 2 };
            let (along, lane) = (rng.index(size + 1 - length), rng.index(size));
            let (row, column) = if vertical { (along, lane) } else { (lane, along) };
            let vehicle = Vehicle { row, column, length, vertical };
            if lot.vehicles.len() < vehicles && (vertical || row != car.row) && lot.has_room(vehicle) {
                lot.vehicles.push(vehicle);
            }
        }
        lot
    }

    /// Number of vehicles between the car and the exit.
    fn in_the_way(&self) -> usize {
        let Vehicle { row, column, length, .. } = self.vehicles[0];
        let ahead = (column + length..self.size).map(|column| Place::new(row, column));
        ahead.filter(|square| self.vehicle_at(self.begin(), *square).is_some()).count()
    }

    fn has_room(&self, vehicle: Vehicle) -> bool {
        vehicle.squares(vehicle.along()).all(|square| self.vehicle_at(self.begin(), square).is_none())
    }

    fn vehicle_at(&self, state: u64, square: Place) -> Option<usize> {
        (0..self.vehicles.len()).find(|at| self.vehicles[*at].covers(square, along(state, *at)))
    }

    /// The square that a vehicle enters with this move, if it is in the lot.
    fn ahead(&self, state: u64, action: usize) -> Option<Place> {
        let (vehicle, at, way) = (self.vehicles[action / 4], along(state, action / 4), action % 4);
        let next = if way % 2 == 0 { at.checked_sub(1)? } else { at + vehicle.length };
        (vehicle.vertical == (way < 2) && next < self.size).then(|| vehicle.square(next))
    }

    /// The squares that vehicles cover, in reading order from the lowest bit.
    fn taken(&self, state: u64) -> u64 {
        let taken = |(at, vehicle): (usize, &Vehicle)| {
            let step = if vehicle.vertical { self.size } else { 1 };
            let shape = 1 | 1 << step | (vehicle.length as u64 / 3) << (2 * step);
            let end = vehicle.square(along(state, at));
            shape << (end.row * self.size + end.column)
        };
        self.vehicles.iter().enumerate().map(taken).fold(0, |all, vehicle| all | vehicle)
    }

    /// The state after a move, if the square ahead isn't one of those taken.
    fn moved(&self, state: u64, action: usize, taken: u64) -> Option<u64> {
        let ahead = self.ahead(state, action)?;
        let square = 1 << (3 * (action / 4));
        let next = if action.is_multiple_of(2) { state - square } else { state + square };
        (taken >> (ahead.row * self.size + ahead.column) & 1 == 0).then_some(next)
    }

    fn reaches_goal(&self, way: &[usize]) -> bool {
        let end = way.iter().try_fold(self.begin(), |state, action| self.step(state, *action));
        end.is_some_and(|state| self.is_goal(state))
    }

    /// True if a greedy driver needs no more moves than the solution.
    fn yields(&self) -> bool {
        let pushed = self.pushed();
        pushed.len() <= self.plan.len() && self.reaches_goal(&pushed)
    }

    /// The lot after so many moves of a way, with the others as its solution.
    fn after(&self, way: &[u8], moves: usize) -> Self {
        let (made, plan) = way.split_at(moves);
        let mut vehicles = self.vehicles.clone();
        for action in made {
            let vehicle = &mut vehicles[usize::from(action / 4)];
            let at = if vehicle.vertical { &mut vehicle.row } else { &mut vehicle.column };
            *at = if action.is_multiple_of(2) { *at - 1 } else { *at + 1 };
        }
        Self { vehicles, plan: plan.to_vec(), ..*self }
    }

    /// Drives ahead and pushes aside what is in the way.
    fn pushed(&self) -> Vec<usize> {
        let (mut state, mut way) = (self.begin(), Vec::new());
        while !self.is_goal(state) {
            let cleared = self.ahead(state, 3).and_then(|ahead| self.cleared(state, ahead, DEEPEST));
            let Some((cleared, moves)) = cleared else { break };
            way.extend(moves);
            match self.step(cleared, 3) {
                Some(next) => state = next,
                None => break,
            }
            way.push(3);
        }
        way
    }

    /// Pushes the vehicle on a square away from it, the shorter way if possible, and any other in its way likewise.
    fn cleared(&self, state: u64, square: Place, depth: usize) -> Option<(u64, Vec<usize>)> {
        let Some(at) = self.vehicle_at(state, square) else { return Some((state, Vec::new())) };
        let vehicle = self.vehicles[at];
        let place = if vehicle.vertical { square.row } else { square.column } - along(state, at);
        let mut ways = [(vehicle.length - place, 0), (place + 1, 1)];
        ways.sort_unstable();
        ways.into_iter().filter(|_| at > 0 && depth > 0).find_map(|(squares, forward)| {
            let action = 4 * at + if vehicle.vertical { 0 } else { 2 } + forward;
            let (mut state, mut way) = (state, Vec::new());
            for _ in 0..squares {
                let (cleared, moves) = self.cleared(state, self.ahead(state, action)?, depth - 1)?;
                way.extend(moves);
                way.push(action);
                state = self.step(cleared, action)?;
            }
            Some((state, way))
        })
    }

    /// The lot, possibly upside down, with its vehicles reordered.
    fn turned(&self, upside_down: bool, order: &[usize]) -> Self {
        let turned = |at: &usize| {
            let vehicle = self.vehicles[*at];
            let height = if vehicle.vertical { vehicle.length } else { 1 };
            Vehicle {
                row: if upside_down { self.size - height - vehicle.row } else { vehicle.row },
                ..vehicle
            }
        };
        let action = |action: &u8| {
            let (vehicle, way) = (usize::from(*action) / 4, usize::from(*action) % 4);
            let vehicle = order.iter().position(|at| *at == vehicle).expect("every vehicle is in the order");
            (4 * vehicle + if upside_down && way < 2 { 1 - way } else { way }) as u8
        };
        Self {
            size: self.size,
            vehicles: order.iter().map(turned).collect(),
            plan: self.plan.iter().map(action).collect(),
        }
    }
}

impl Puzzle for Lot {
    /// Three bits for each vehicle.
    type State = u64;

    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "parking_lot",
            "This is a parking lot seen from above. Squares with the same letter are one vehicle, and \".\" is an empty \
             square.\n\n{lot}\n\nA vehicle only moves along its own length: left or right if it stands in a row, up or \
             down if it stands in a column. One move takes it one square, which must be empty. The exit is at the right \
             end of row {row}. Find a shortest sequence of moves that brings car X to the right edge of the lot.",
        ),
        Prompt::new(
            "puzzle",
            "Solve this Rush Hour puzzle. X is the red car, the other letters are cars and trucks, and \".\" is \
             empty:\n\n{lot}\n\nSlide the vehicles back and forth, never sideways, never through each other and never \
             off the board, until X is at the right edge in row {row}. Every slide by one square counts as a move. Use \
             as few moves as possible.",
        ),
        Prompt::held_out(
            "blocks",
            "A tray has {size} rows and {size} columns. Wooden blocks lie in it, each of which covers these squares, \
             where r2c3 is row 2 from the top and column 3 from the left:\n\n{blocks:{name}: {squares}}\n\nA block that \
             lies in a row can be pushed left or right, one that lies in a column up or down, by one square at a time \
             and onto a free square only. What is a shortest sequence of pushes after which block X covers column \
             {size}?",
        ),
        Prompt::held_out(
            "request",
            "Could you get my car out? It's X in this sketch of the garage; each of the other letters is another car or \
             truck, and the dots are free:\n\n{lot}\n\nThe way out is on the right, at the end of row {row}. Nobody can \
             turn: whoever stands in a row drives only left or right, whoever stands in a column only up or down, and \
             only onto free squares. Please list the moves, one square each, that bring X to the right edge, and don't \
             use more of them than necessary.",
        ),
    ];
    const ANSWER: &'static str = "the moves in order, each like X right,";
    const STATES: u64 = 2_000;

    fn check(&self) -> Result<(), String> {
        check::within("size", &self.size, 4..=6)?;
        check::length("vehicles", &self.vehicles, 2..=NAMES.len(), "vehicles")?;
        let mut lot = Self { vehicles: Vec::new(), ..self.clone() };
        for (at, vehicle) in self.vehicles.iter().enumerate() {
            check::within("length", &vehicle.length, 2..=3)?;
            let inside =
                vehicle.row.max(vehicle.column) < self.size && vehicle.along() + vehicle.length <= self.size;
            check::that(inside && lot.has_room(*vehicle), || {
                format!("`vehicles` has one at {at} that is off the board or on another")
            })?;
            lot.vehicles.push(*vehicle);
        }
        check::that(!self.vehicles[0].vertical, || "the first of `vehicles` must not be vertical".to_owned())
    }

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.with("lot", || self.picture(self.begin()));
        slots.text("row", self.vehicles[0].row + 1).text("size", self.size);
        slots.lines("blocks", NAMES.iter().zip(&self.vehicles), |line, (name, block)| {
            let squares = block.squares(block.along()).map(Place::short);
            line.text("name", char::from(*name)).text("squares", words::and(squares));
        });
    }

    fn begin(&self) -> u64 {
        self.vehicles.iter().rev().fold(0, |state, vehicle| state << 3 | vehicle.along() as u64)
    }

    fn is_goal(&self, state: u64) -> bool {
        along(state, 0) + self.vehicles[0].length == self.size
    }

    fn names(&self) -> Vec<String> {
        let moves = |name: &u8| WAYS.map(|way| format!("{} {way}", char::from(*name)));
        NAMES[..self.vehicles.len()].iter().flat_map(moves).collect()
    }

    fn step(&self, state: u64, action: usize) -> Option<u64> {
        self.moved(state, action, self.taken(state))
    }

    fn why_not(&self, state: u64, action: usize) -> String {
        let (name, vertical) = (char::from(NAMES[action / 4]), self.vehicles[action / 4].vertical);
        let blocking = self.ahead(state, action).and_then(|ahead| self.vehicle_at(state, ahead));
        match blocking {
            Some(other) => format!("{} is in the way", char::from(NAMES[other])),
            None if vertical == (action % 4 < 2) => format!("{name} is at the edge"),
            None => format!("{name} only moves {}", if vertical { "up and down" } else { "left and right" }),
        }
    }

    fn told(&self, state: u64) -> String {
        self.picture(state).replace('\n', " ")
    }

    fn picture(&self, state: u64) -> String {
        let sign = |square| self.vehicle_at(state, square).map_or('.', |at| char::from(NAMES[at]));
        let row = |row| (0..self.size).map(|column| sign(Place::new(row, column))).joined("");
        (0..self.size).map(row).lines()
    }

    fn draw(&self, state: u64) -> Picture {
        let mut picture = Picture::new(self.size as u32, self.size as u32);
        for (at, vehicle) in self.vehicles.iter().enumerate() {
            for square in vehicle.squares(along(state, at)) {
                let (row, column) = (square.row as u32, square.column as u32);
                let ink = if at == 0 { Ink::Red } else { Ink::BRIGHT[1 + at % 4] };
                picture.cell(row, column, ink);
                picture.sign(row, column, char::from(NAMES[at]), ink.contrast());
            }
        }
        picture.grid(Ink::Grey);
        picture
    }

    /// A plane for each vehicle.
    fn shape(&self) -> Vec<usize> {
        vec![self.vehicles.len(), self.size, self.size]
    }

    fn observe(&self, state: u64, out: &mut [f32]) {
        out.fill(0.0);
        for (at, vehicle) in self.vehicles.iter().enumerate() {
            for square in vehicle.squares(along(state, at)) {
                out[(at * self.size + square.row) * self.size + square.column] = 1.0;
            }
        }
    }

    fn claimed(&self) -> &[u8] {
        &self.plan
    }

    fn twin(&self, rng: &mut Rng) -> Self {
        let mut order: Vec<usize> = (0..self.vehicles.len()).collect();
        rng.shuffle(&mut order[1..]);
        self.turned(rng.chance(1, 2), &order)
    }

    /// Independent of the order of the vehicles and of turning the lot upside down.
    fn fingerprint(&self) -> Vec<u8> {
        let order: Vec<usize> = (0..self.vehicles.len()).collect();
        let image = |upside_down| {
            let mut vehicles = self.turned(upside_down, &order).vehicles;
            vehicles[1..].sort_unstable();
            vehicles
        };
        serde_json::to_vec(&(self.size, image(false).min(image(true)))).expect("numbers serialise")
    }

    fn guesses(&self) -> Vec<(&'static str, Vec<usize>)> {
        let car = self.vehicles[0];
        vec![("straight ahead", vec![3; (self.size - car.length).saturating_sub(car.column).max(1)])]
    }

    fn shortcuts(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("push whatever is in the way aside, the shorter way", self.pushed())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{fails, passes, refused};

    fn lot() -> Plan<Lot> {
        let vehicle = |row, column, length, vertical| Vehicle { row, column, length, vertical };
        let vehicles = vec![vehicle(1, 0, 2, false), vehicle(0, 2, 2, true), vehicle(0, 0, 2, false)];
        Plan(Lot { size: 4, vehicles, plan: vec![5, 5, 3, 3] })
    }

    #[test]
    fn a_verdict_says_what_is_in_the_way() {
        let lot = lot();
        assert_eq!(lot.picture(lot.begin()), "BBA.\nXXA.\n....\n....");
        assert!(lot.certify(&mut Budget::new(9_999)).is_ok());
        passes(&lot, "A down, A down, X right, X right");
        for (answer, label, detail) in [
            ("X right", "illegal_move", "move 1, `X right`, is not allowed: A is in the way"),
            ("X left", "illegal_move", "move 1, `X left`, is not allowed: X is at the edge"),
            ("A left", "illegal_move", "move 1, `A left`, is not allowed: A only moves up and down"),
            (
                "A down",
                "goal_not_reached",
                "the moves do not end at the goal, but at this: BB.. XXA. ..A. ....",
            ),
        ] {
            fails(&lot, answer, label, detail);
        }
        let message = refused(&lot, |json| json["vehicles"][2]["column"] = 1.into());
        assert_eq!(message, "`vehicles` has one at 2 that is off the board or on another");
    }
}
