//! Find a shortest way through a maze.

use kit::picture::{Ink, Picture};
use kit::prelude::*;
use kit::shape::plan::{self, Plan, Puzzle};
use kit::shared::grid::{Place, Symmetry};

use crate::shared::squares::{self, LETTERS};

pub struct Maze;

params! {
    pub struct MazeParams {
        /// Rooms along each side. With its walls, the maze has twice as many rows and columns, plus one.
        rooms: u32 [2..=20],
        /// Inner walls that are removed in addition to those that connect the rooms, in percent. They open alternative routes.
        loops_percent: u32 [0..=40],
    }
    levels {
        (5, 30),
        (6, 30),
        (7, 28),
        (8, 26),
        (10, 24),
        (12, 22),
        (15, 20),
        (20, 20),
    }
    default 2
}

/// A square board of squares, each open or a wall.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Walls {
    /// `#` is a wall, `.` is open.
    rows: Vec<String>,
    /// Squares in reading order.
    start: u16,
    goal: u16,
    /// Numbers of the moves of a solution; `certify` proves that it is shortest.
    plan: Vec<u8>,
}

impl TaskFamily for Maze {
    type Params = MazeParams;
    type Problem = Plan<Walls>;

    const ABOUT: About = About {
        summary: "Find a shortest way through a maze.",
        skills: &["spatial_reading", "search", "planning"],
        guess_rate: 0.115,
        guess_score: 0.16,
        ..Plan::<Walls>::about("puzzles", "maze", &["First version."])
    };

    /// A random walk that backtracks at dead ends connects the rooms, then more walls are removed. The goal
    /// is one of the rooms farthest from the start.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Plan<Walls>> {
        let rooms = params.rooms as usize;
        let side = 2 * rooms + 1;
        budget.spend((side * side) as u64)?;
        let mut open = vec![false; side * side];
        let mut walk = vec![(2 * rng.index(rooms) + 1) * side + 2 * rng.index(rooms) + 1];
        open[walk[0]] = true;
        while let Some(room) = walk.last().copied() {
            let (mut fresh, mut count) = ([(0, 0); 4], 0);
            for (between, next) in (0..4).filter_map(|way| two_on(room, way, side)) {
                if !open[next] {
                    fresh[count] = (between, next);
                    count += 1;
                }
            }
            if count == 0 {
                walk.pop();
                continue;
            }
            let (between, next) = *rng.pick(&fresh[..count]);
            (open[between], open[next]) = (true, true);
            walk.push(next);
        }
        for (square, open) in open.iter_mut().enumerate() {
            let (row, column) = (square / side, square % side);
            let inside = row > 0 && column > 0 && row + 1 < side && column + 1 < side;
            if inside && (row + column) % 2 == 1 && rng.chance(params.loops_percent.into(), 100) {
                *open = true;
            }
        }
        let start = (2 * rng.index(rooms) + 1) * side + 2 * rng.index(rooms) + 1;
        budget.spend(4 * (side * side) as u64)?;
        let (order, by) = flooded(&open, side, start);
        let is_room = |square: &usize| square / side % 2 == 1 && square % side % 2 == 1;
        let rooms: Vec<usize> = order.into_iter().filter(is_room).collect();
        let goal = *rng.pick(&rooms[rooms.len() * 3 / 4..]);
        let (mut at, mut plan) = (goal, Vec::new());
        while at != start {
            plan.push(by[at]);
            at = beside(at, by[at] ^ 1, side);
        }
        plan.reverse();
        let row = |row: &[bool]| row.iter().map(|open| if *open { '.' } else { '#' }).collect();
        let rows = open.chunks(side).map(row).collect();
        Ok(Plan(Walls { rows, start: start as u16, goal: goal as u16, plan }))
    }
}

/// The square two steps away and the one between, if it is inside the border.
fn two_on(square: usize, way: usize, side: usize) -> Option<(usize, usize)> {
    let (row, column) = (square / side, square % side);
    match way {
        0 if row > 1 => Some((square - side, square - 2 * side)),
        1 if row + 2 < side => Some((square + side, square + 2 * side)),
        2 if column > 1 => Some((square - 1, square - 2)),
        3 if column + 2 < side => Some((square + 1, square + 2)),
        _ => None,
    }
}

/// The square next to one inside the border.
fn beside(square: usize, way: u8, side: usize) -> usize {
    match way {
        0 => square - side,
        1 => square + side,
        2 => square - 1,
        _ => square + 1,
    }
}

/// The reachable open squares, nearest first, and for each square the move that reached it. The border
/// consists of walls.
fn flooded(open: &[bool], side: usize, start: usize) -> (Vec<usize>, Vec<u8>) {
    const UNSEEN: u8 = u8::MAX;
    let mut by = vec![UNSEEN; open.len()];
    let mut order = Vec::with_capacity(open.len());
    by[start] = 0;
    order.push(start);
    let mut at = 0;
    while at < order.len() {
        for way in 0..4 {
            let next = beside(order[at], way, side);
            if open[next] && by[next] == UNSEEN {
                by[next] = way;
                order.push(next);
            }
        }
        at += 1;
    }
    (order, by)
}

impl Walls {
    fn side(&self) -> usize {
        self.rows.len()
    }

    fn is_open(&self, square: usize) -> bool {
        self.rows[square / self.side()].as_bytes()[square % self.side()] == b'.'
    }

    /// Opens a square inside the border.
    fn open_a_wall(&mut self, rng: &mut Rng) {
        let inside = self.side() - 2;
        let (row, column) = (1 + rng.index(inside), 1 + rng.index(inside));
        self.rows[row].replace_range(column..=column, ".");
    }

    fn reached(&self, budget: &mut Budget) -> Result<plan::Reached<u16>, OverBudget> {
        plan::explore(self.start, 4, |square, way| self.step(square, way), |_, _| false, budget)
    }

    fn place(&self, square: u16) -> Place {
        squares::place(square, self.side())
    }

    /// The maze with these signs for walls, open squares and the named squares.
    fn drawn(&self, [wall, open]: [char; 2], named: &[(u16, char)]) -> String {
        let sign = |square: usize| {
            let named = named.iter().find(|(other, _)| usize::from(*other) == square);
            named.map_or(if self.is_open(square) { open } else { wall }, |(_, sign)| *sign)
        };
        let squares: Vec<char> = (0..self.side() * self.side()).map(sign).collect();
        squares.chunks(self.side()).map(|row| row.iter().collect::<String>()).lines()
    }

    /// The maze and its solution under a symmetry.
    fn turned(&self, symmetry: Symmetry) -> Self {
        let side = self.side();
        let image = |square: u16| symmetry.image(square.into(), side) as u16;
        Self {
            rows: squares::turned_rows(&self.rows, symmetry),
            start: image(self.start),
            goal: image(self.goal),
            plan: squares::turned_plan(self.start, &self.plan, side, symmetry),
        }
    }
}

impl Puzzle for Walls {
    type State = u16;

    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "maze",
            "Find a shortest path through this maze from S to G. \"#\" is a wall and \".\" is an open square. Each move \
             goes one square up (U), down (D), left (L) or right (R), and never into a wall.\n\n{maze}\n\nIf there are \
             several shortest paths, any of them will do.",
        ),
        Prompt::new(
            "robot",
            "Path planning on a grid\n\nMap (0 = free, 1 = blocked):\n\n{map}\n\nCoordinates: rows are numbered from 1 \
             at the top, columns from 1 at the left\nStart: {start}\nGoal: {goal}\nMoves: U (to the row above), D (to \
             the row below), L (one column to the left), R (one column to the right)\nConstraint: the robot never \
             enters a blocked cell\nObjective: fewest moves; any optimal sequence is accepted\n",
        ),
        Prompt::new(
            "message",
            "I'm testing the pathfinding in my game and need a route that I can trust. Here's the map: P is the player, \
             E is the exit, @ is solid rock and _ is open ground.\n\n{rock}\n\nThe player moves one tile at a time, \
             either up (U), down (D), left (L) or right (R) on the map, and can't walk through rock. What's the \
             shortest way from P to E? If there is a tie, just pick one.",
        ),
        Prompt::held_out(
            "hedges",
            "You are lost in a hedge maze, and it is about to rain. Luckily, you have a plan of the garden: X is a \
             hedge, - is a path, Y is where you are, and F is the fountain at which your friends are waiting. North is \
             at the top.\n\n{hedges}\n\nEach step takes you to the next square to the north (U), south (D), west (L) or \
             east (R). You cannot get through a hedge. Find a way to the fountain that takes as few steps as possible; \
             if there are several such ways, any of them is fine.",
        ),
        Prompt::held_out(
            "graph",
            "In the diagram below, the vertices of a graph are the characters A, B and o. Two vertices are joined by an \
             edge if they are next to each other in the same row or in the same column; a \"=\" is not a \
             vertex.\n\n{vertices}\n\nFind a path from A to B with the smallest possible number of edges. Describe it \
             by the direction of each edge in the diagram: U for up, D for down, L for left and R for right. If several \
             paths are shortest, choose any one.",
        ),
    ];
    const ANSWER: &'static str = "the moves in order, each written as U, D, L or R,";
    const STATES: u64 = 150;

    fn slots(&self, slots: &mut Slots<'_>) {
        let squares = [("start", self.start), ("goal", self.goal)];
        for (name, square) in squares {
            slots.with(name, || self.place(square));
        }
        for (name, signs, ends) in [
            ("maze", ['#', '.'], ['S', 'G']),
            ("rock", ['@', '_'], ['P', 'E']),
            ("hedges", ['X', '-'], ['Y', 'F']),
            ("vertices", ['=', 'o'], ['A', 'B']),
        ] {
            slots.with(name, || self.drawn(signs, &[(self.start, ends[0]), (self.goal, ends[1])]));
        }
        slots.with("map", || self.drawn(['1', '0'], &[]));
    }

    fn begin(&self) -> u16 {
        self.start
    }

    fn is_goal(&self, square: u16) -> bool {
        square == self.goal
    }

    fn names(&self) -> Vec<String> {
        LETTERS.map(str::to_owned).to_vec()
    }

    fn step(&self, square: u16, way: usize) -> Option<u16> {
        squares::next(square, way, self.side()).filter(|next| self.is_open((*next).into()))
    }

    fn why_not(&self, square: u16, way: usize) -> String {
        squares::why_not(square, way, self.side())
    }

    fn told(&self, square: u16) -> String {
        self.place(square).short()
    }

    fn picture(&self, square: u16) -> String {
        self.drawn(['#', '.'], &[(square, '@'), (self.goal, 'G')])
    }

    fn draw(&self, square: u16) -> Picture {
        let side = self.side() as u32;
        let mut picture = Picture::new(side, side);
        for at in 0..side * side {
            let (row, column) = (at / side, at % side);
            if !self.is_open(at as usize) {
                picture.cell(row, column, Ink::Black);
            } else if at == u32::from(self.goal) {
                picture.cell(row, column, Ink::Green);
            }
            if at == u32::from(square) {
                picture.disc(row, column, Ink::Red);
            }
        }
        picture
    }

    /// A plane of walls, one of the goal, one of the player's square.
    fn shape(&self) -> Vec<usize> {
        vec![3, self.side(), self.side()]
    }

    fn observe(&self, square: u16, out: &mut [f32]) {
        out.fill(0.0);
        let squares = self.side() * self.side();
        for (at, cell) in out[..squares].iter_mut().enumerate() {
            *cell = f32::from(u8::from(!self.is_open(at)));
        }
        out[squares + usize::from(self.goal)] = 1.0;
        out[2 * squares + usize::from(square)] = 1.0;
    }

    fn claimed(&self) -> &[u8] {
        &self.plan
    }

    fn check(&self) -> Result<(), String> {
        let side = self.side();
        check::length("rows", &self.rows, 3..=41, "rows")?;
        let fine = |row: &String| row.len() == side && row.bytes().all(|sign| matches!(sign, b'#' | b'.'));
        check::each(
            "rows",
            &self.rows,
            fine,
            "each row must have as many signs as there are rows, all of them `#` or `.`",
        )?;
        for (field, square) in [("start", self.start), ("goal", self.goal)] {
            check::within(field, &usize::from(square), 0..=side * side - 1)?;
            check::that(self.is_open(square.into()), || format!("`{field}` is {square}, which is a wall"))?;
        }
        Ok(())
    }

    /// Changes the goal to one that is nearer, farther or as far. As none may be farther, a harder maze often has one
    /// wall fewer.
    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let mut mutated = self.clone();
        if aim == Aim::Harder && rng.chance(1, 2) {
            mutated.open_a_wall(rng);
        }
        let reached = mutated.reached(budget).ok()?;
        let moves = self.plan.len() as u32;
        let fits = |away: u32| match aim {
            Aim::Harder => away >= moves,
            Aim::Easier => away > 0 && away <= moves && away * 2 > moves,
            Aim::Same => away.abs_diff(moves) < 4,
        };
        let squares: Vec<u16> =
            reached.order.iter().filter(|(_, away)| fits(*away)).map(|(square, _)| *square).collect();
        if squares.is_empty() {
            return None;
        }
        let goal = *rng.pick(&squares);
        Some(Walls { goal, plan: reached.way(goal), ..mutated })
    }

    /// Mirrors and rotates the maze.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut twin = self.turned(*rng.pick(&Symmetry::ALL));
        if rng.chance(1, 2) {
            // The moves up and down, and those left and right, undo each other.
            twin.plan = twin.plan.iter().rev().map(|way| way ^ 1).collect();
            (twin.start, twin.goal) = (twin.goal, twin.start);
        }
        twin
    }

    /// The first of the maze's eight symmetric images; the way back is as good as the way there.
    fn fingerprint(&self) -> Vec<u8> {
        let side = self.side();
        let mut signs = self.rows.concat().into_bytes();
        signs[usize::from(self.goal)] = b'S';
        signs[usize::from(self.start)] = b'S';
        let image = |symmetry: Symmetry| symmetry.cells(side).map(|square| signs[square]);
        let first = Symmetry::ALL
            .into_iter()
            .reduce(|least, other| if image(other).lt(image(least)) { other } else { least });
        image(first.expect("there are eight")).collect()
    }

    fn guesses(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("straight ahead", squares::straight(self.place(self.start), self.place(self.goal)))]
    }

    fn shortcuts(&self) -> Vec<(&'static str, Vec<usize>)> {
        let step = |square, way| self.step(square, way);
        let way = squares::toward(self.start, self.place(self.goal), step, |square| self.place(square));
        vec![("toward the goal", way)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing;

    /// A path around a block, equally long on both sides.
    #[test]
    fn every_shortest_way_passes_and_no_other() {
        let rows = ["#####", "#...#", "#.#.#", "#...#", "#####"].map(str::to_owned).to_vec();
        let maze = Plan(Walls { rows, start: 6, goal: 18, plan: vec![1, 1, 3, 3] });
        maze.check().unwrap();
        assert!(maze.certify(&mut Budget::new(999)).is_ok());
        let judge = |answer: &str| testing::verdict(&maze, answer);
        for right in ["D, D, R, R", "R,R,D,D"] {
            assert!(judge(right).passed, "{right}");
        }
        for (wrong, detail) in [
            ("R, D", "move 2, `D`, is not allowed: r3c3 is a wall"),
            ("R, R, D", "the moves do not end at the goal, but at this: r3c4"),
            ("R, L, R, R, D, D", "the goal is reached in 6 moves, but 4 would do"),
            ("r, r, d, d", "`r` is not one of the words that may be used, like `U`"),
        ] {
            assert_eq!(judge(wrong).detail, detail);
        }
        let steps = ["R: r2c3", "R: r2c4", "L: r2c3", "R: r2c4", "D: r4c4", "D: r3c4"].map(str::to_owned);
        let said =
            kit::task::steps::judge_steps(&mut *maze.steps().unwrap(), &steps, &mut Budget::new(9_999));
        let said: Vec<_> = said.iter().map(|said| (said.holds, said.advances)).collect();
        let expected =
            [(true, true), (true, true), (true, false), (true, false), (false, false), (true, true)];
        assert_eq!(said, expected);
    }
}
