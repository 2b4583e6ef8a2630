//! Push every box onto a goal in as few steps as possible.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use kit::picture::{CELL, Ink, Picture};
use kit::prelude::*;
use kit::shape::plan::{self, Plan, Puzzle};
use kit::shared::grid::{Place, Symmetry};

mod wording;

pub struct Sokoban;

params! {
    pub struct SokobanParams {
        /// Rows and columns of the room, including the walls around it.
        size: u32 [5..=10],
        /// Boxes, and as many goals.
        boxes: u32 [1..=3],
        /// Length of a shortest solution, which may be up to a third longer.
        steps: u32 [1..=40],
    }
    levels {
        (7, 1, 3),
        (7, 1, 5),
        (7, 1, 7),
        (7, 1, 10),
        (7, 1, 14),
        (7, 2, 12),
        (7, 2, 15),
        (7, 2, 18),
        (7, 2, 21),
        (7, 3, 21),
    }
    default 5
    check Self::consistent;
}

impl SokobanParams {
    fn consistent(&self) -> Result<(), String> {
        let most = 5 * self.size - 14;
        check::that(self.steps <= most, || {
            let (steps, size) = (self.steps, self.size);
            format!("`steps` is {steps}, but must be at most {most} when `size` is {size}")
        })
    }
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Room {
    /// `#` is a wall, `.` a goal and `-` any other floor square; walls all around.
    rows: Vec<String>,
    /// Squares in reading order.
    player: u8,
    boxes: Vec<u8>,
    /// Numbers of the steps of a solution; `certify` proves that it is shortest.
    plan: Vec<u8>,
}

const LETTERS: [&str; 4] = ["U", "D", "L", "R"];
/// Positions examined for the goals of one draw.
const MOST_POSITIONS: u64 = 40_000;

impl TaskFamily for Sokoban {
    type Params = SokobanParams;
    type Problem = Plan<Room>;

    const ABOUT: About = About {
        summary: "Push every box onto a goal in as few steps as possible.",
        skills: &["planning", "search", "spatial_reading"],
        guess_rate: 0.105,
        guess_score: 0.11,
        ..Plan::<Room>::about("puzzles", "sokoban", &["First version."])
    };

    /// Places walls, boxes and the player at random, and goals where some sequence of this many steps brings
    /// the boxes.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Plan<Room>> {
        let (size, boxes) = (params.size as usize, params.boxes as usize);
        loop {
            budget.spend((size * size) as u64)?;
            let wall = |square: usize, rng: &mut Rng| is_edge(square, size) || rng.chance(1, 5);
            let signs: Vec<u8> =
                (0..size * size).map(|square| if wall(square, rng) { b'#' } else { b'-' }).collect();
            let mut floor: Vec<u8> =
                (0..size * size).filter(|at| signs[*at] == b'-').map(|at| at as u8).collect();
            rng.shuffle(&mut floor);
            if floor.len() <= boxes {
                continue;
            }
            let player = floor[boxes];
            floor.truncate(boxes);
            floor.sort_unstable();
            let room = Room { rows: rows(&signs, size), player, boxes: floor, plan: Vec::new() };
            if let Some(room) = room.with_goals(params.steps..=params.steps * 4 / 3, rng, budget)? {
                return Ok(Plan(room));
            }
        }
    }
}

fn is_edge(square: usize, size: usize) -> bool {
    let (row, column) = (square / size, square % size);
    row == 0 || column == 0 || row + 1 == size || column + 1 == size
}

fn rows(signs: &[u8], size: usize) -> Vec<String> {
    signs.chunks(size).map(|row| String::from_utf8_lossy(row).into_owned()).collect()
}

/// The player's square, then those of the boxes in increasing order, padded after the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Squares([u8; 4]);

const NONE: u8 = u8::MAX;

impl From<Squares> for u64 {
    fn from(squares: Squares) -> Self {
        u32::from_be_bytes(squares.0).into()
    }
}

impl Squares {
    fn new(player: u8, boxes: impl IntoIterator<Item = u8>) -> Self {
        let mut squares = [player, NONE, NONE, NONE];
        for (square, at) in squares[1..].iter_mut().zip(boxes) {
            *square = at;
        }
        squares[1..].sort_unstable();
        Self(squares)
    }

    fn box_at(self, square: u8) -> bool {
        self.0[1..].contains(&square)
    }

    /// The state with the player on another square and one box moved.
    fn moved(self, player: u8, from: u8, to: u8) -> Self {
        Self::new(player, self.0[1..].iter().map(|at| if *at == from && from != NONE { to } else { *at }))
    }

    fn boxes(&self) -> impl Iterator<Item = u8> {
        self.0.into_iter().skip(1).filter(|square| *square != NONE)
    }
}

impl Room {
    fn size(&self) -> usize {
        self.rows.len()
    }

    fn sign(&self, square: u8) -> u8 {
        self.rows[usize::from(square) / self.size()].as_bytes()[usize::from(square) % self.size()]
    }

    fn is_a_goal(&self, square: u8) -> bool {
        self.sign(square) == b'.'
    }

    /// The next square in this direction; walls all around keep it on the board.
    fn next(&self, square: u8, way: usize) -> u8 {
        let size = self.size() as u8;
        match way {
            0 => square - size,
            1 => square + size,
            2 => square - 1,
            _ => square + 1,
        }
    }

    fn is_free(&self, state: Squares, square: u8) -> bool {
        self.sign(square) != b'#' && !state.box_at(square)
    }

    /// The same room with goals that the boxes can reach in this many steps and no fewer, if there are any.
    /// At most a third of the boxes start on a goal.
    fn with_goals(
        &self,
        steps: RangeInclusive<u32>,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<Option<Self>, OverBudget> {
        let mut seen = 0;
        let enough = |_, away| {
            seen += 1;
            away > *steps.end() || seen > MOST_POSITIONS
        };
        let reached =
            plan::explore(self.begin(), LETTERS.len(), |state, way| self.step(state, way), enough, budget)?;
        let stay = |state: &Squares| state.boxes().filter(|square| self.boxes.contains(square)).count();
        let mut known = BTreeSet::new();
        let mut far = Vec::new();
        for (state, away) in &reached.order {
            if known.insert(&state.0[1..]) && steps.contains(away) && 3 * stay(state) <= self.boxes.len() {
                far.push(*state);
            }
        }
        if far.is_empty() {
            return Ok(None);
        }
        let goal = *rng.pick(&far);
        let sign = |square: u8| match self.sign(square) {
            b'#' => b'#',
            _ if goal.box_at(square) => b'.',
            _ => b'-',
        };
        let signs: Vec<u8> = (0..(self.size() * self.size()) as u8).map(sign).collect();
        let plan = reached.way(goal);
        Ok(Some(Self { rows: rows(&signs, self.size()), plan, ..self.clone() }))
    }

    /// Turns a wall inside the room, if the square is one, into floor.
    fn remove_a_wall(&mut self, rng: &mut Rng) {
        let inside = self.size() - 2;
        let (row, column) = (1 + rng.index(inside), 1 + rng.index(inside));
        if self.rows[row].as_bytes()[column] == b'#' {
            self.rows[row].replace_range(column..=column, "-");
        }
    }

    fn place(&self, square: u8) -> Place {
        Place::new(usize::from(square) / self.size(), usize::from(square) % self.size())
    }

    /// The room drawn with signs for a wall, a floor square, a goal, a box, a box on a goal, the player, the
    /// player on a goal.
    fn drawn(&self, state: Squares, signs: [char; 7]) -> String {
        let sign = |square: u8| match (self.sign(square), state.box_at(square), state.0[0] == square) {
            (b'#', ..) => signs[0],
            (b'.', true, _) => signs[4],
            (_, true, _) => signs[3],
            (b'.', _, true) => signs[6],
            (_, _, true) => signs[5],
            (b'.', ..) => signs[2],
            _ => signs[1],
        };
        let squares: Vec<char> = (0..(self.size() * self.size()) as u8).map(sign).collect();
        squares.chunks(self.size()).map(|row| row.iter().collect::<String>()).lines()
    }

    fn shorts(&self, squares: impl IntoIterator<Item = u8>) -> String {
        squares.into_iter().map(|square| self.place(square).short()).joined(" ")
    }

    /// The room and its solution under a symmetry.
    fn turned(&self, symmetry: Symmetry) -> Self {
        let size = self.size();
        let image = |square: u8| symmetry.image(square.into(), size) as u8;
        let mut signs = vec![b'#'; size * size];
        for square in 0..(size * size) as u8 {
            signs[usize::from(image(square))] = self.sign(square);
        }
        let mut boxes: Vec<u8> = self.boxes.iter().map(|at| image(*at)).collect();
        boxes.sort_unstable();
        let middle = ((size / 2) * size + size / 2) as u8;
        let turned = Self { rows: rows(&signs, size), player: image(self.player), boxes, plan: Vec::new() };
        let way = |way: &u8| {
            let to = image(self.next(middle, usize::from(*way)));
            (0..4).find(|other| turned.next(image(middle), *other) == to).expect("neighbors stay neighbors")
                as u8
        };
        Self { plan: self.plan.iter().map(way).collect(), ..turned }
    }
}

impl Puzzle for Room {
    type State = Squares;

    const PROMPTS: &'static [Prompt] = wording::PROMPTS;
    const ANSWER: &'static str = "the steps in order, each written as U, D, L or R,";
    const STATES: u64 = 700;

    fn slots(&self, slots: &mut Slots<'_>) {
        self.fill(slots);
    }

    fn begin(&self) -> Squares {
        Squares::new(self.player, self.boxes.iter().copied())
    }

    fn is_goal(&self, state: Squares) -> bool {
        state.boxes().all(|square| self.is_a_goal(square))
    }

    fn names(&self) -> Vec<String> {
        LETTERS.map(str::to_owned).to_vec()
    }

    fn step(&self, state: Squares, way: usize) -> Option<Squares> {
        let to = self.next(state.0[0], way);
        if self.is_free(state, to) {
            return Some(state.moved(to, NONE, NONE));
        }
        let beyond = state.box_at(to).then(|| self.next(to, way))?;
        self.is_free(state, beyond).then(|| state.moved(to, to, beyond))
    }

    fn why_not(&self, state: Squares, way: usize) -> String {
        let to = self.next(state.0[0], way);
        let to_short = self.place(to).short();
        if !state.box_at(to) {
            return format!("{to_short} is a wall");
        }
        format!("the box on {to_short} cannot be pushed to {}", self.place(self.next(to, way)).short())
    }

    fn told(&self, state: Squares) -> String {
        format!("player {}, boxes {}", self.place(state.0[0]).short(), self.shorts(state.boxes()))
    }

    fn picture(&self, state: Squares) -> String {
        self.drawn(state, ['#', '-', '.', '$', '*', '@', '+'])
    }

    fn draw(&self, state: Squares) -> Picture {
        let size = self.size() as u32;
        let mut picture = Picture::new(size, size);
        for square in 0..(size * size) as u8 {
            let (row, column) = (u32::from(square) / size, u32::from(square) % size);
            let (x, y) = (column * CELL, row * CELL);
            match self.sign(square) {
                b'#' => picture.cell(row, column, Ink::Grey),
                b'.' => picture.rectangle((x + 1, y + 1), (6, 6), Ink::Green),
                _ => {}
            }
            if state.box_at(square) {
                picture.rectangle((x + 1, y + 1), (6, 6), Ink::Brown);
                let inner = if self.is_a_goal(square) { Ink::Green } else { Ink::Yellow };
                picture.rectangle((x + 2, y + 2), (4, 4), inner);
            } else if state.0[0] == square {
                picture.disc(row, column, Ink::Blue);
            }
        }
        picture
    }

    /// A plane of walls, one of goals, one of boxes, one of the player.
    fn shape(&self) -> Vec<usize> {
        vec![4, self.size(), self.size()]
    }

    fn observe(&self, state: Squares, out: &mut [f32]) {
        let squares = self.size() * self.size();
        for square in 0..squares as u8 {
            let sign = self.sign(square);
            let seen = [sign == b'#', sign == b'.', state.box_at(square), state.0[0] == square];
            for (plane, seen) in seen.into_iter().enumerate() {
                out[plane * squares + usize::from(square)] = f32::from(u8::from(seen));
            }
        }
    }

    fn claimed(&self) -> &[u8] {
        &self.plan
    }

    fn check(&self) -> Result<(), String> {
        let size = self.size();
        check::length("rows", &self.rows, 4..=10, "rows")?;
        let fine =
            |row: &String| row.len() == size && row.bytes().all(|sign| matches!(sign, b'#' | b'.' | b'-'));
        check::each(
            "rows",
            &self.rows,
            fine,
            "each row must have as many signs as there are rows, all of them `#`, `-` or `.`",
        )?;
        let open = (0..size * size).find(|at| is_edge(*at, size) && self.sign(*at as u8) != b'#');
        check::that(open.is_none(), || "`rows` must have walls all around".to_owned())?;
        check::length("boxes", &self.boxes, 1..=3, "boxes")?;
        check::that(self.boxes.is_sorted_by(|a, b| a < b), || {
            "`boxes` must be in increasing order".to_owned()
        })?;
        let goals = self.rows.iter().flat_map(|row| row.bytes()).filter(|sign| *sign == b'.').count();
        check::that(goals == self.boxes.len(), || {
            format!("`rows` has {goals} goals for {} boxes", self.boxes.len())
        })?;
        let floor = |square: u8| usize::from(square) < size * size && self.sign(square) != b'#';
        check::each("boxes", &self.boxes, |square| floor(*square), "it must be a floor square")?;
        check::that(floor(self.player) && !self.boxes.contains(&self.player), || {
            format!("`player` is {}, but must be a free floor square", self.player)
        })?;
        Ok(())
    }

    /// Moves the goals. As a small room may have no others, it often loses a wall unless it is to be easier.
    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let steps = self.plan.len() as u32;
        let wanted = match aim {
            Aim::Harder => steps..=steps + 6,
            Aim::Easier => steps.saturating_sub(6).max(1)..=steps,
            Aim::Same => steps.saturating_sub(1).max(1)..=steps + 1,
        };
        let mut mutated = self.clone();
        if aim != Aim::Easier && rng.chance(1, 2) {
            mutated.remove_a_wall(rng);
        }
        Some(mutated.with_goals(wanted, rng, budget).ok().flatten().unwrap_or_else(|| self.clone()))
    }

    /// Mirrors and rotates the room.
    fn twin(&self, rng: &mut Rng) -> Self {
        self.turned(*rng.pick(&Symmetry::ALL))
    }

    /// The first of the room's eight symmetric images.
    fn fingerprint(&self) -> Vec<u8> {
        let images = Symmetry::ALL.map(|symmetry| {
            let turned = self.turned(symmetry);
            turned.picture(turned.begin())
        });
        images.into_iter().min().expect("there are eight").into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing;

    /// A box is pushed to the right, then the player walks around it and pushes it down.
    fn room() -> Plan<Room> {
        let rows = ["######", "#----#", "#----#", "#--.-#", "######", "######"].map(str::to_owned).to_vec();
        Plan(Room { rows, player: 7, boxes: vec![14], plan: vec![1, 3, 0, 3, 1] })
    }

    #[test]
    fn boxes_are_pushed_and_never_pulled() {
        let room = room();
        room.check().unwrap();
        assert!(room.certify(&mut Budget::new(9_999)).is_ok());
        let judge = |answer: &str| testing::verdict(&room, answer);
        assert!(judge("D, R, U, R, D").passed);
        for (wrong, detail) in [
            ("D, R, R, R", "move 4, `R`, is not allowed: the box on r3c5 cannot be pushed to r3c6"),
            ("R, D, D", "move 3, `D`, is not allowed: the box on r4c3 cannot be pushed to r5c3"),
            ("U", "move 1, `U`, is not allowed: r1c2 is a wall"),
            ("D, R, U", "the moves do not end at the goal, but at this: player r2c3, boxes r3c4"),
            ("R, L, D, R, U, R, D", "the goal is reached in 7 moves, but 5 would do"),
        ] {
            assert_eq!(judge(wrong).detail, detail);
        }
    }

    #[test]
    fn goals_lie_where_no_shorter_way_leads() {
        let mut rng = kit::rng::Key::new("sokoban", 1, "", 0, "").stream(0);
        let mut found = 0;
        for steps in 1..9 {
            let Some(room) = room().with_goals(steps..=steps, &mut rng, &mut Budget::unlimited()).unwrap()
            else {
                continue;
            };
            room.check().unwrap();
            assert_eq!(room.plan.len() as u32, steps);
            Plan(room).certify(&mut Budget::unlimited()).unwrap();
            found += 1;
        }
        assert!(found > 4, "{found}");
    }
}
