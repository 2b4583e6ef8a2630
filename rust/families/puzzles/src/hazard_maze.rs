//! Find a shortest way across a grid that enters no more hazards than are allowed.

use kit::picture::{Ink, Picture};
use kit::prelude::*;
use kit::shape::plan::{self, Plan, Puzzle};
use kit::shared::grid::{Place, Symmetry};

use crate::shared::squares::{self, LETTERS};

pub struct HazardMaze;

params! {
    pub struct HazardMazeParams {
        /// Squares along each side.
        size: u32 [4..=15],
        /// Hazards among the squares that are not walls, in percent.
        hazards_percent: u32 [20..=50],
        /// Hazards that a path may enter.
        limit: u32 [1..=4],
    }
    levels {
        (4, 30, 1),
        (5, 30, 1),
        (6, 30, 1),
        (7, 35, 1),
        (8, 35, 2),
        (9, 40, 2),
        (10, 40, 3),
        (12, 40, 3),
        (14, 45, 4),
    }
    default 3
}

/// A square board; `#` is a wall, `.` is safe, `~` is a hazard.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Floor {
    rows: Vec<String>,
    /// Squares in reading order.
    start: u16,
    goal: u16,
    /// Hazards that a path may enter.
    limit: u16,
    /// Numbers of the moves of a solution; `certify` proves that it is shortest.
    plan: Vec<u8>,
}

impl TaskFamily for HazardMaze {
    type Params = HazardMazeParams;
    type Problem = Plan<Floor>;

    const ABOUT: About = About {
        summary: "Find a shortest path that enters no more hazards than are allowed.",
        skills: &["spatial_reading", "search", "planning"],
        guess_rate: 0.03,
        guess_score: 0.035,
        ..Plan::<Floor>::about("puzzles", "hazard_maze", &["First version."])
    };

    /// Draws floors until one has a goal where the limit counts: any path as short as if hazards were free breaks it, and
    /// with one hazard fewer the way would be longer.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Plan<Floor>> {
        let (side, limit) = (params.size as usize, params.limit as u16);
        loop {
            budget.spend((side * side) as u64)?;
            let mut sign = || match rng.index(100) {
                ..20 => '#',
                _ if rng.chance(params.hazards_percent.into(), 100) => '~',
                _ => '.',
            };
            let rows: Vec<String> = (0..side).map(|_| (0..side).map(|_| sign()).collect()).collect();
            let start = rng.index(side * side) as u16;
            let floor = Floor { rows, start, goal: start, limit, plan: Vec::new() };
            if floor.sign(start) != b'.' {
                continue;
            }
            let reached =
                plan::explore(floor.begin(), 4, |state, way| floor.step(state, way), |_, _| false, budget)?;
            let mut away = vec![[u32::MAX; 6]; side * side];
            for (state, moves) in &reached.order {
                let (square, entered) = floor.parts(*state);
                away[usize::from(square)][usize::from(entered)] = *moves;
            }
            let counts = |square: &u16| {
                let (within, over) = away[usize::from(*square)].split_at(usize::from(limit));
                let (exact, free) = (over[0], over[1]);
                let fewer = within.iter().copied().min().unwrap_or(u32::MAX);
                floor.sign(*square) == b'.' && exact >= params.size && free < exact && exact < fewer
            };
            let goals: Vec<u16> = (0..(side * side) as u16).filter(counts).collect();
            if !goals.is_empty() {
                let goal = *rng.pick(&goals);
                let plan = reached.way(floor.state(goal, limit));
                return Ok(Plan(Floor { goal, plan, ..floor }));
            }
        }
    }
}

impl Floor {
    fn squares(&self) -> u16 {
        (self.rows.len() * self.rows.len()) as u16
    }

    fn sign(&self, square: u16) -> u8 {
        let place = self.place(square);
        self.rows[place.row].as_bytes()[place.column]
    }

    fn place(&self, square: u16) -> Place {
        squares::place(square, self.rows.len())
    }

    fn next(&self, square: u16, way: usize) -> Option<u16> {
        squares::next(square, way, self.rows.len())
    }

    /// A square with the number of hazards entered so far; all numbers above the limit are one.
    fn state(&self, square: u16, entered: u16) -> u16 {
        entered.min(self.limit + 1) * self.squares() + square
    }

    fn parts(&self, state: u16) -> (u16, u16) {
        (state % self.squares(), state / self.squares())
    }

    /// The floor with these signs for walls, safe squares and hazards, and for the named squares.
    fn drawn(&self, signs: [char; 3], named: &[(u16, char)]) -> String {
        let sign = |square: u16| match named.iter().find(|(other, _)| *other == square) {
            Some((_, sign)) => *sign,
            None => signs[b"#.~".iter().position(|sign| *sign == self.sign(square)).expect("a sign")],
        };
        let squares: Vec<char> = (0..self.squares()).map(sign).collect();
        squares.chunks(self.rows.len()).map(|row| row.iter().collect::<String>()).lines()
    }

    /// The floor and its solution under a symmetry.
    fn turned(&self, symmetry: Symmetry) -> Self {
        let side = self.rows.len();
        let image = |square: u16| symmetry.image(square.into(), side) as u16;
        Self {
            rows: squares::turned_rows(&self.rows, symmetry),
            start: image(self.start),
            goal: image(self.goal),
            limit: self.limit,
            plan: squares::turned_plan(self.start, &self.plan, side, symmetry),
        }
    }
}

impl Puzzle for Floor {
    type State = u16;

    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "cave",
            "This is the floor of a cave: \"#\" is a wall, \".\" is safe and \"~\" is a hazard.\n\n{cave}\n\nFind a \
             path from S to G. Each move goes one square up (U), down (D), left (L) or right (R), and never into a \
             wall. The path may enter at most {limit#hazard}, and entering the same hazard twice counts twice. Among \
             the paths that keep to this limit, find a shortest one; if there are several, any of them will do.",
        ),
        Prompt::new(
            "robot",
            "Constrained path planning\n\nMap (0 = free, 1 = blocked, 2 = risky):\n\n{map}\n\nCoordinates: rows are \
             numbered from 1 at the top, columns from 1 at the left\nStart: {start}\nGoal: {goal}\nMoves: U (to the row \
             above), D (to the row below), L (one column to the left), R (one column to the right); never into a \
             blocked cell\nCost: 1 for each move into a risky cell\nConstraint: total cost at most {limit}\nObjective: \
             fewest moves; any optimal sequence is accepted\n",
        ),
        Prompt::held_out(
            "swamp",
            "You want to cross a swamp from Y to the hut, H. On your map, X is a thicket that nobody gets through, - is \
             dry ground and w is deep water. North is at the top.\n\n{swamp}\n\nEach step takes you to the next square \
             to the north (U), south (D), west (L) or east (R). You can take at most {limit#step} into deep water, and \
             stepping into the same water again counts again. Find a way with as few steps as that allows; if there are several, any of them \
             is fine.",
        ),
        Prompt::held_out(
            "tolls",
            "Every character of this town plan is a block: \"B\" is built up, \"o\" is open and \"$\" is open, too, but \
             charges a toll each time you drive into it. You drive from A to Z, block by block: up (U), down (D), left \
             (L) or right (R), never into one that is built up.\n\n{town}\n\nYour money is enough for {limit#toll}. Get \
             to Z in as few moves as you can afford. If several ways tie, choose any one.",
        ),
    ];
    const ANSWER: &'static str = "the moves in order, each written as U, D, L or R,";
    const STATES: u64 = 150;

    fn slots(&self, slots: &mut Slots<'_>) {
        for (name, square) in [("start", self.start), ("goal", self.goal)] {
            slots.with(name, || self.place(square));
        }
        for (name, signs, ends) in [
            ("cave", ['#', '.', '~'], ['S', 'G']),
            ("swamp", ['X', '-', 'w'], ['Y', 'H']),
            ("town", ['B', 'o', '$'], ['A', 'Z']),
        ] {
            slots.with(name, || self.drawn(signs, &[(self.start, ends[0]), (self.goal, ends[1])]));
        }
        slots.with("map", || self.drawn(['1', '0', '2'], &[])).text("limit", self.limit);
    }

    fn begin(&self) -> u16 {
        self.start
    }

    fn is_goal(&self, state: u16) -> bool {
        let (square, entered) = self.parts(state);
        square == self.goal && entered <= self.limit
    }

    fn names(&self) -> Vec<String> {
        LETTERS.map(str::to_owned).to_vec()
    }

    fn step(&self, state: u16, way: usize) -> Option<u16> {
        let (square, entered) = self.parts(state);
        let next = self.next(square, way).filter(|next| self.sign(*next) != b'#')?;
        Some(self.state(next, entered + u16::from(self.sign(next) == b'~')))
    }

    fn broken(&self, state: u16, way: usize) -> u32 {
        let next = self.next(self.parts(state).0, way);
        next.is_some_and(|next| self.sign(next) == b'~').into()
    }

    fn why_not(&self, state: u16, way: usize) -> String {
        squares::why_not(self.parts(state).0, way, self.rows.len())
    }

    fn told(&self, state: u16) -> String {
        let ((square, entered), limit) = (self.parts(state), self.limit);
        let entered = if entered > limit { format!("more than {limit}") } else { entered.to_string() };
        format!("{}, hazards entered: {entered}", self.place(square).short())
    }

    fn picture(&self, state: u16) -> String {
        self.drawn(['#', '.', '~'], &[(self.parts(state).0, '@'), (self.goal, 'G')])
    }

    fn draw(&self, state: u16) -> Picture {
        let side = self.rows.len() as u32;
        let mut picture = Picture::new(side, side);
        for square in 0..self.squares() {
            let (row, column) = (u32::from(square) / side, u32::from(square) % side);
            match self.sign(square) {
                b'#' => picture.cell(row, column, Ink::Black),
                b'~' => picture.cell(row, column, Ink::Yellow),
                _ if square == self.goal => picture.cell(row, column, Ink::Green),
                _ => {}
            }
        }
        let at = self.place(self.parts(state).0);
        picture.disc(at.row as u32, at.column as u32, Ink::Red);
        picture
    }

    /// A plane each of walls, hazards, the goal and the player's square, and one of the share of the limit used up.
    fn shape(&self) -> Vec<usize> {
        vec![5, self.rows.len(), self.rows.len()]
    }

    fn observe(&self, state: u16, out: &mut [f32]) {
        let (player, entered) = self.parts(state);
        let used = f32::from(entered) / f32::from(self.limit + 1);
        let squares = self.squares();
        for (at, cell) in out.iter_mut().enumerate() {
            let square = at as u16 % squares;
            let holds = match at as u16 / squares {
                0 => self.sign(square) == b'#',
                1 => self.sign(square) == b'~',
                2 => square == self.goal,
                3 => square == player,
                _ => true,
            };
            *cell = if at as u16 / squares == 4 { used } else { f32::from(u8::from(holds)) };
        }
    }

    fn claimed(&self) -> &[u8] {
        &self.plan
    }

    fn check(&self) -> Result<(), String> {
        let side = self.rows.len();
        check::length("rows", &self.rows, 3..=15, "rows")?;
        let fine = |row: &String| row.len() == side && row.bytes().all(|sign| b"#.~".contains(&sign));
        let rule = "each row must have as many signs as there are rows, all of them `#`, `.` or `~`";
        check::each("rows", &self.rows, fine, rule)?;
        check::within("limit", &self.limit, 1..=4)?;
        for (field, square) in [("start", self.start), ("goal", self.goal)] {
            check::within(field, &square, 0..=(side * side - 1) as u16)?;
            check::that(self.sign(square) == b'.', || format!("`{field}` is {square}, which is not safe"))?;
        }
        Ok(())
    }

    /// Mirrors and rotates the floor.
    fn twin(&self, rng: &mut Rng) -> Self {
        self.turned(*rng.pick(&Symmetry::ALL))
    }

    /// The first of the floor's eight symmetric images, and the limit.
    fn fingerprint(&self) -> Vec<u8> {
        let image = |symmetry| {
            let turned = self.turned(symmetry);
            turned.drawn(['#', '.', '~'], &[(turned.goal, 'G'), (turned.start, 'S')]).into_bytes()
        };
        let first = Symmetry::ALL.into_iter().map(image).min().expect("there are eight");
        [first, vec![self.limit as u8]].concat()
    }

    fn guesses(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("straight ahead", squares::straight(self.place(self.start), self.place(self.goal)))]
    }

    fn shortcuts(&self) -> Vec<(&'static str, Vec<usize>)> {
        let within = |state| Some(state).filter(|state| self.parts(*state).1 <= self.limit);
        let step = |state, way| self.step(state, way).and_then(within);
        let place = |state| self.place(self.parts(state).0);
        vec![("toward the goal", squares::toward(self.begin(), self.place(self.goal), step, place))]
    }
}
