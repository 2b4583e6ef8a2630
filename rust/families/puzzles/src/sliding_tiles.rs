//! Slide tiles from one arrangement to another in as few moves as possible: the 8 puzzle and the 15 puzzle.

use kit::picture::{Ink, Picture};
use kit::prelude::*;
use kit::shape::plan::{Plan, Puzzle};
use kit::shared::grid::Symmetry;

use crate::shared::reversible::{self, number, packed, unpacked};
use crate::shared::squares;

pub struct SlidingTiles;

params! {
    pub struct SlidingTilesParams {
        /// Squares along each side of the tray.
        size: u32 [3..=4],
        /// Squares that are walls.
        walls: u32 [0..=5],
        /// Length of a shortest solution, which may be up to a quarter longer.
        moves: u32 [1..=26],
    }
    levels {
        (4, 2, 4),
        (4, 2, 6),
        (4, 1, 8),
        (4, 1, 11),
        (4, 0, 14),
        (4, 0, 17),
        (4, 0, 20),
        (4, 0, 23),
        (3, 0, 24),
    }
    default 3
    check Self::consistent;
}

impl SlidingTilesParams {
    fn consistent(&self) -> Result<(), String> {
        let room = 5 * self.walls <= 2 * self.size * self.size - 7;
        check::that(room && self.moves <= 3 * (self.size * self.size - self.walls), || {
            format!("with {} `walls`, there is no room for {} `moves`", self.walls, self.moves)
        })
    }
}

/// A tray of squares in reading order, all but one of which hold a tile or are a wall.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tray {
    side: usize,
    walls: Vec<usize>,
    /// The tile on each square, 0 where there is none.
    start: Vec<u8>,
    goal: Vec<u8>,
    /// Numbers of the moves of a solution, one less than those of the tiles; `certify` proves that it is shortest.
    plan: Vec<u8>,
}

/// From this many moves on, those that look best do not lead to the goal.
const TRAPPED: u32 = 14;
/// Steps of the search that may solve one draw.
const SEARCH: u64 = 120_000;

impl TaskFamily for SlidingTiles {
    type Params = SlidingTilesParams;
    type Problem = Plan<Tray>;

    const ABOUT: About = About {
        summary: "Slide tiles from one arrangement to another in as few moves as possible.",
        distinct_from: 3,
        skills: &["planning", "search", "spatial_reading"],
        guess_rate: 0.08,
        guess_score: 0.08,
        ..Plan::<Tray>::about("puzzles", "sliding_tiles", &["First version."])
    };

    /// Slides tiles at random until a shortest way back takes as many moves as required, and takes a part of it.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Plan<Tray>> {
        let (side, moves) = (params.size as usize, params.moves as usize);
        loop {
            budget.spend(SEARCH / 100)?;
            let mut walls: Vec<usize> = (0..side * side).collect();
            rng.shuffle(&mut walls);
            let tiles = walls.split_off(params.walls as usize);
            let mut goal = vec![0; side * side];
            tiles.into_iter().zip(0..).for_each(|(square, tile)| goal[square] = tile);
            walls.sort_unstable();
            let mut tray = Tray { side, walls, start: goal.clone(), goal, plan: Vec::new() };
            let length = moves + rng.index((moves + 6) / 10 + 1);
            let state = reversible::walk(&tray, tray.begin(), length + rng.index(2 * length), rng);
            tray.start = unpacked(state, side * side);
            if tray.away(state).is_some_and(|away| away as usize > length + 2) {
                continue;
            }
            if let Some((ends, plan)) = reversible::part(&tray, length, SEARCH, rng, budget)? {
                let [start, goal] = ends.map(|state| unpacked(state, side * side));
                tray = Tray { start, goal, plan, ..tray };
                if params.moves < TRAPPED || !reversible::yields(&tray) {
                    return Ok(Plan(tray));
                }
            }
        }
    }
}

impl Tray {
    fn space(&self, state: u64) -> usize {
        let empty = |square: &usize| number(state, *square) == 0 && !self.walls.contains(square);
        (0..self.start.len()).find(empty).expect("there is a space")
    }

    /// The tray turned or mirrored, possibly from the goal to the start, with its tiles renumbered.
    fn image(&self, symmetry: Symmetry, back: bool, numbers: &[u8; 16]) -> Self {
        let image = |square: usize| symmetry.image(square, self.side);
        let moved = |tiles: &[u8]| {
            let mut moved = vec![0; tiles.len()];
            (0..).zip(tiles).for_each(|(square, tile)| moved[image(square)] = numbers[usize::from(*tile)]);
            moved
        };
        let mut walls: Vec<usize> = self.walls.iter().map(|square| image(*square)).collect();
        walls.sort_unstable();
        let mut plan: Vec<u8> = self.plan.iter().map(|tile| numbers[usize::from(*tile) + 1] - 1).collect();
        let (mut start, mut goal) = (moved(&self.start), moved(&self.goal));
        if back {
            plan.reverse();
            std::mem::swap(&mut start, &mut goal);
        }
        Self { side: self.side, walls, start, goal, plan }
    }

    fn rows(&self, state: u64, width: usize) -> impl Iterator<Item = String> {
        let sign = move |square: usize| match number(state, square) {
            0 if self.walls.contains(&square) => format!("{:>width$}", "#"),
            0 => format!("{:>width$}", "_"),
            tile => format!("{tile:>width$}"),
        };
        (0..self.side).map(move |row| (row * self.side..(row + 1) * self.side).map(sign).joined(" "))
    }
}

impl Puzzle for Tray {
    /// Four bits for each square.
    type State = u64;

    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "puzzle",
            "In this sliding puzzle, a move slides one tile up, down, left or right onto the empty square next to it, which is \
             shown as \"_\".{walls? A square marked \"#\" is a wall: no tile ever moves there.}\n\nStart:\n\n{start}\n\nGoal:\n\n\
             {goal}\n\nGet from the start to the goal in as few moves as possible. If several solutions are equally short, any of \
             them will do.",
        ),
        Prompt::new(
            "message",
            "I found my old number slider in a drawer{walls?, and the spots with # are blocked for good}. One spot is free (_), and \
             you can push a tile right beside it into that spot, but not diagonally. Right now it looks like this:\n\n{start}\n\n\
             I'd like to have it like this:\n\n{goal}\n\nWhich tiles do I have to push, one after the other? I'm looking for the \
             fewest pushes; if there are several ways, I don't mind which.",
        ),
        Prompt::new(
            "program",
            "grid:\n{start}\n\ntarget:\n{goal}\n\nmove(n) exchanges the number n with the only \"_\" in the grid. They must be next to \
             each other in a row or in a column; otherwise it is an error.{walls? A \"#\" never changes.} What is the shortest \
             sequence of arguments that turns the grid into the target? Any shortest sequence is accepted.",
        ),
        Prompt::held_out(
            "warehouse",
            "A store room is packed with numbered crates; only the square marked _ is free{walls?, and # is a pillar}:\n\n{start}\
             \n\nAll that the porter can do is push a crate from a neighboring square, not diagonally, onto the free square, which \
             leaves the crate's own square free. By tonight the crates have to be like this:\n\n{goal}\n\nHe wants to push as \
             seldom as possible. Which crates does he push, in order? Any plan with the fewest pushes is fine.",
        ),
        Prompt::held_out(
            "search",
            "Problem: tile sliding\nInitial state:\n{start}\nGoal state:\n{goal}\nSymbols: _ is the blank, numbers are \
             tiles{walls?, # is an obstacle}\nAction n: tile n, which shares an edge with the blank, changes places with \
             it\nCost: 1 per action\nTask: find a plan with minimum cost; if there is more than one, any will be accepted\n",
        ),
    ];
    const ANSWER: &'static str = "the numbers of the tiles in the order in which they are moved,";
    const STATES: u64 = 150;

    fn check(&self) -> Result<(), String> {
        check::within("side", &self.side, 2..=4)?;
        let squares = self.side * self.side;
        check::length("walls", &self.walls, 0..=squares - 2, "squares")?;
        check::each("walls", &self.walls, |square| *square < squares, "there is no such square")?;
        check::distinct("walls", &self.walls)?;
        for (field, tiles) in [("start", &self.start), ("goal", &self.goal)] {
            check::length(field, tiles, squares..=squares, "squares")?;
            let on = |tile: usize| tiles.iter().filter(|other| usize::from(**other) == tile).count();
            let each_once = (1..squares - self.walls.len()).all(|tile| on(tile) == 1);
            let empty = on(0) == self.walls.len() + 1 && self.walls.iter().all(|square| tiles[*square] == 0);
            let rule = "must hold each tile once, and 0 on `walls` and one more square";
            check::that(each_once && empty, || format!("`{field}` {rule}"))?;
        }
        Ok(())
    }

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.either("walls", !self.walls.is_empty());
        slots.with("start", || self.rows(self.begin(), 2).lines());
        slots.with("goal", || self.rows(packed(&self.goal), 2).lines());
    }

    fn begin(&self) -> u64 {
        packed(&self.start)
    }

    fn is_goal(&self, state: u64) -> bool {
        state == packed(&self.goal)
    }

    fn names(&self) -> Vec<String> {
        (1..self.start.len() - self.walls.len()).map(|tile| tile.to_string()).collect()
    }

    fn step(&self, state: u64, action: usize) -> Option<u64> {
        let space = self.space(state);
        let beside = (0..4).filter_map(|way| squares::next(space as u16, way, self.side)).map(usize::from);
        let from = beside.into_iter().find(|square| number(state, *square) == action + 1)?;
        Some(state ^ (action as u64 + 1) << (4 * from) ^ (action as u64 + 1) << (4 * space))
    }

    fn why_not(&self, _state: u64, action: usize) -> String {
        format!("{} is not beside the empty square", action + 1)
    }

    /// Sum of the distances of all tiles from their squares at the goal.
    fn away(&self, state: u64) -> Option<u32> {
        let mut goals = [0; 16];
        (0..).zip(&self.goal).for_each(|(square, tile)| goals[usize::from(*tile)] = square);
        let apart = |square: usize| {
            let (goal, side) = (goals[number(state, square)], self.side);
            (square / side).abs_diff(goal / side) + (square % side).abs_diff(goal % side)
        };
        Some((0..self.goal.len()).filter(|square| number(state, *square) > 0).map(apart).sum::<usize>() as u32)
    }

    fn told(&self, state: u64) -> String {
        self.rows(state, 1).joined(" / ")
    }

    fn picture(&self, state: u64) -> String {
        let [now, goal] = [state, packed(&self.goal)].map(|state| self.rows(state, 2).lines());
        format!("{now}\n\nGoal:\n{goal}")
    }

    /// The tray, and right of it the goal.
    fn draw(&self, state: u64) -> Picture {
        let side = self.side as u32;
        let mut picture = Picture::new(side, 2 * side + 1);
        for (left, state) in [(0, state), (side + 1, packed(&self.goal))] {
            for (row, tiles) in (0..).zip(self.rows(state, 1)) {
                let tiles = (left..).zip(tiles.split(' '));
                tiles.for_each(|(column, tile)| picture.sign(row, column, tile, Ink::Black));
            }
        }
        picture
    }

    /// A plane for each tile, a plane for each tile at the goal, and one of the walls.
    fn shape(&self) -> Vec<usize> {
        vec![2 * self.names().len() + 1, self.side, self.side]
    }

    fn observe(&self, state: u64, out: &mut [f32]) {
        out.fill(0.0);
        let (squares, tiles) = (self.start.len(), self.names().len());
        for (first, state) in [(0, state), (tiles, packed(&self.goal))] {
            for square in (0..squares).filter(|square| number(state, *square) > 0) {
                out[(first + number(state, square) - 1) * squares + square] = 1.0;
            }
        }
        self.walls.iter().for_each(|square| out[2 * tiles * squares + square] = 1.0);
    }

    fn claimed(&self) -> &[u8] {
        &self.plan
    }

    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let (state, plan) = reversible::edited(self, aim, rng, budget)?;
        Some(Self { start: unpacked(state, self.start.len()), plan, ..self.clone() })
    }

    /// Turns or mirrors the tray, renumbers the tiles, and possibly exchanges start and goal.
    fn twin(&self, rng: &mut Rng) -> Self {
        let mut numbers = std::array::from_fn(|tile| tile as u8);
        rng.shuffle(&mut numbers[1..=self.names().len()]);
        self.image(*rng.pick(&Symmetry::ALL), rng.chance(1, 2), &numbers)
    }

    /// The first of the images, each with its tiles numbered as they are at the start.
    fn fingerprint(&self) -> Vec<u8> {
        let image = |symmetry: Symmetry, back: bool| {
            let (own, mut numbers) =
                (self.image(symmetry, back, &std::array::from_fn(|tile| tile as u8)), [0; 16]);
            let tiles = own.start.iter().filter(|tile| **tile > 0);
            tiles.zip(1..).for_each(|(tile, number)| numbers[usize::from(*tile)] = number);
            let Self { walls, start, goal, .. } = self.image(symmetry, back, &numbers);
            serde_json::to_vec(&(walls, start, goal)).expect("numbers serialise")
        };
        let images =
            Symmetry::ALL.into_iter().flat_map(|symmetry| [image(symmetry, false), image(symmetry, true)]);
        images.min().expect("there are sixteen")
    }

    fn shortcuts(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("whatever brings a tile nearer to its square", reversible::downhill(self))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::shape::plan;
    use kit::testing::{fails, passes};

    #[test]
    fn a_verdict_says_which_tile_cannot_move() {
        let (start, goal) = (vec![1, 0, 0, 2], vec![0, 1, 0, 2]);
        let tray = Plan(Tray { side: 2, walls: vec![2], start, goal, plan: vec![0] });
        assert!(tray.certify(&mut Budget::new(9_999)).is_ok());
        passes(&tray, "1");
        for (wrong, label, detail) in [
            ("1, 2, 1", "illegal_move", "move 2, `2`, is not allowed: 2 is not beside the empty square"),
            ("2", "goal_not_reached", "the moves do not end at the goal, but at this: 1 2 / # _"),
            ("1, 1, 1", label::SUBOPTIMAL, "the goal is reached in 3 moves, but 1 would do"),
        ] {
            fails(&tray, wrong, label, detail);
        }
    }

    /// The 8 puzzle with the space in a corner: half of all arrangements cannot be reached, and the farthest take 31
    /// moves (Reinefeld 1993).
    #[test]
    fn the_eight_puzzle_has_its_published_diameter() {
        let goal = vec![1, 2, 3, 4, 5, 6, 7, 8, 0];
        let tray = Tray { side: 3, walls: vec![], start: goal.clone(), goal, plan: vec![] };
        let step = |state, action| tray.step(state, action);
        let budget = &mut Budget::unlimited();
        let all = plan::explore(tray.begin(), 8, step, |_, _| false, budget).unwrap().order;
        assert_eq!((all.len(), all.last().unwrap().1), (181_440, 31));
        for (state, away) in all.iter().step_by(9_001) {
            let way = tray.shortest(*state, budget).unwrap().0.unwrap();
            assert_eq!(way.len(), *away as usize);
        }
    }
}
