//! Turn all lamps of a board off with as few presses as possible.

use kit::picture::{Ink, Picture};
use kit::prelude::*;
use kit::shape::plan::{self, Plan, Puzzle};
use kit::shared::grid::{Place, Symmetry};
use kit::shared::refinement::{Relation, invariant};

use crate::squares;

pub struct LightsOut;

params! {
    pub struct LightsOutParams {
        /// Squares along each side of the board.
        size: u32 [3..=6],
        /// Lamps; the other squares have none.
        lamps: u32 [5..=36],
        /// The fewest presses that do; at most half more are needed.
        presses: u32 [1..=14],
    }
    levels {
        (4, 8, 2),
        (4, 10, 3),
        (4, 12, 4),
        (5, 16, 5),
        (5, 20, 6),
        (5, 25, 7),
        (6, 30, 9),
        (6, 36, 11),
        (6, 36, 14),
    }
    default 3
    check Self::consistent;
}

impl LightsOutParams {
    fn consistent(&self) -> Result<(), String> {
        let Self { size, lamps, presses } = *self;
        check::that(lamps <= size * size, || {
            format!("`lamps` is {lamps}, but must be at most {} when `size` is {size}", size * size)
        })?;
        let most = 2 * lamps / 5;
        check::that(presses <= most, || {
            format!("`presses` is {presses}, but must be at most {most} when `lamps` is {lamps}")
        })
    }
}

/// A square board; `1` is a lamp that is on, `0` one that is off, and `.` a square without a lamp.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    rows: Vec<String>,
    /// Squares to press, in reading order; `certify` proves that no fewer do.
    plan: Vec<u8>,
}

impl TaskFamily for LightsOut {
    type Params = LightsOutParams;
    type Problem = Plan<Board>;

    const ABOUT: About = About {
        summary: "Turn all lamps of a board off with as few presses as possible.",
        skills: &["planning", "search", "spatial_reading"],
        guess_rate: 0.04,
        guess_score: 0.04,
        ..Plan::<Board>::about("puzzles", "lights_out", &["First version."])
    };

    /// Presses squares at random while all lamps are off, until no fewer presses lead back than required.
    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Plan<Board>> {
        let (side, presses) = (params.size as usize, params.presses as usize);
        loop {
            budget.spend(u64::from(params.size * params.size))?;
            let mut squares: Vec<usize> = (0..side * side).collect();
            rng.deal(&mut squares, params.lamps as usize);
            squares.truncate(params.lamps as usize);
            let lamps = mask(squares.iter().copied());
            let board = Board::new(side, lamps, 0);
            rng.shuffle(&mut squares);
            squares.truncate(presses + rng.index(presses / 2 + 1));
            let on = squares.iter().fold(0, |on, square| on ^ board.wire(*square));
            let way = *rng.pick(&board.ways(on, budget)?);
            if way.count_ones() as usize >= presses {
                return Ok(Plan(Board { plan: plan_of(way), ..Board::new(side, lamps, on) }));
            }
        }
    }
}

fn mask(squares: impl Iterator<Item = usize>) -> u64 {
    squares.fold(0, |mask, square| mask | 1 << square)
}

fn plan_of(way: u64) -> Vec<u8> {
    (0..64).filter(|square| way >> square & 1 == 1).collect()
}

/// Sets of columns whose sum modulo 2 has a 1 in the rows of `sum` alone, rows and sets being bits: one set, and a basis of
/// what may be added to it. By Gauss-Jordan elimination.
fn solved(columns: &[u64], sum: u64, budget: &mut Budget) -> Result<Option<(u64, Vec<u64>)>, OverBudget> {
    let last = columns.len();
    let row = |row: usize| mask((0..=last).filter(|at| columns.get(*at).unwrap_or(&sum) >> row & 1 == 1));
    let (mut rows, mut leading) = ((0..last).map(row).collect::<Vec<u64>>(), Vec::new());
    for column in 0..last {
        let top = leading.len();
        let Some(found) = (top..last).find(|row| rows[*row] >> column & 1 == 1) else { continue };
        rows.swap(top, found);
        let pivot = rows[top];
        for (_, row) in rows.iter_mut().enumerate().filter(|(at, row)| *at != top && **row >> column & 1 == 1)
        {
            budget.spend(1)?;
            *row ^= pivot;
        }
        leading.push(column);
    }
    let gathered =
        |bit: usize| mask((0..leading.len()).filter(|at| rows[*at] >> bit & 1 == 1).map(|at| leading[at]));
    let free = (0..last).filter(|column| columns[*column] != 0 && !leading.contains(column));
    let solvable = rows[leading.len()..].iter().all(|row| *row == 0);
    Ok(solvable.then(|| (gathered(last), free.map(|column| 1 << column | gathered(column)).collect())))
}

impl Board {
    fn new(side: usize, lamps: u64, on: u64) -> Self {
        let sign = |square: usize| {
            if lamps >> square & 1 == 0 {
                '.'
            } else if on >> square & 1 == 1 {
                '1'
            } else {
                '0'
            }
        };
        let row = |row: usize| (row * side..(row + 1) * side).map(sign).collect();
        Self { rows: (0..side).map(row).collect(), plan: Vec::new() }
    }

    fn squares(&self) -> usize {
        self.rows.len() * self.rows.len()
    }

    /// The squares that have one of these signs.
    fn signed(&self, signs: &[u8]) -> u64 {
        let signed = self.rows.iter().flat_map(|row| row.bytes()).enumerate();
        mask(signed.filter(|(_, sign)| signs.contains(sign)).map(|(square, _)| square))
    }

    /// The lamps that a press changes; none where there is no lamp.
    fn wire(&self, square: usize) -> u64 {
        let lamps = self.signed(b"01");
        let beside = (0..4).filter_map(|way| squares::next(square as u16, way, self.rows.len()));
        if lamps >> square & 1 == 0 { 0 } else { (1 << square | mask(beside.map(usize::from))) & lamps }
    }

    fn wires(&self) -> Vec<u64> {
        (0..self.squares()).map(|square| self.wire(square)).collect()
    }

    /// The smallest sets of squares whose presses turn all lamps off; none if nothing does.
    fn ways(&self, on: u64, budget: &mut Budget) -> Result<Vec<u64>, OverBudget> {
        let Some((mut way, null)) = solved(&self.wires(), on, budget)? else { return Ok(Vec::new()) };
        let mut ways = vec![way];
        // A Gray code: each set differs from the one before by one of the basis.
        for at in 1..1_u64 << null.len() {
            budget.spend(1)?;
            way ^= null[at.trailing_zeros() as usize];
            if way.count_ones() < ways[0].count_ones() {
                ways = vec![way];
            } else if way.count_ones() == ways[0].count_ones() {
                ways.push(way);
            }
        }
        Ok(ways)
    }
}

impl Puzzle for Board {
    /// The lamps that are on, as bits in reading order.
    type State = u64;

    const PROMPTS: &'static [Prompt] = &[
        Prompt::new(
            "lamps",
            "On this board, 1 is a lamp that is on, 0 is a lamp that is off, and \".\" is a square without a \
             lamp:\n\n{board}\n\nPressing a lamp changes that lamp and the lamps directly above, below, left and right of it: \
             those that are on go off, and those that are off go on. Squares without a lamp cannot be pressed. Turn all lamps \
             off with as few presses as possible. The order of the presses does not matter, and if there are several \
             shortest solutions, any of them will do.",
        ),
        Prompt::new(
            "message",
            "My daughter got one of those light-up toys, and we can't get it dark! This is how it looks right now (1 = lit, 0 = \
             dark, \".\" = no light there):\n\n{board}\n\nWhen you push a light, it flips, and so do the lights right next to it, \
             up, down, left and right. Spots without a light can't be pushed. Which lights do we push to make everything dark? \
             Please use as few pushes as you can; the order is up to you, and so is the choice if there are several ways.",
        ),
        Prompt::new(
            "program",
            "cells = [\n{lines:    \"{row}\",}\n]\n\nflip(r, c) exchanges \"0\" and \"1\" in row r and column c, and in the up to \
             four cells that share a side with it; cells that hold \".\" never change, and calling flip on one of them is an \
             error. Write a shortest sequence of calls after which no cell holds \"1\". Any order and any shortest sequence \
             is accepted.",
        ),
        Prompt::held_out(
            "museum",
            "Before she goes home, the guard of a museum has to make all rooms dark. On her plan, 1 is a room with the light \
             on, 0 is a room that is dark, and \".\" is a courtyard, which has neither light nor switch:\n\n{board}\n\nThe \
             wiring is odd. The switch in a room changes the light in that room and in the rooms that share a wall with it to \
             the north, south, east and west: from on to off, or from off to on. North is at the top. What is the smallest \
             number of switches that she has to use, and which ones? If there are several smallest choices, give any one; \
             the order is of no importance.",
        ),
        Prompt::held_out(
            "tokens",
            "Tokens lie on some squares of a board. A token shows its black side (1) or its white side (0); \".\" is an empty \
             square.\n\n{board}\n\nA move picks a token and turns over both this token and its neighbors, which are the tokens on \
             squares next to it in the same row or the same column. Find a smallest set of moves after which all tokens show \
             white. Moves may be made in any order, and any smallest set counts.",
        ),
    ];
    const ANSWER: &'static str =
        "the squares you choose, each written like r2c3 for row 2 from the top and column 3 from the left,";
    const STATES: u64 = 300;

    fn check(&self) -> Result<(), String> {
        check::length("rows", &self.rows, 2..=6, "rows")?;
        let fine =
            |row: &String| row.len() == self.rows.len() && row.bytes().all(|sign| b"01.".contains(&sign));
        let rule = "each row must have as many signs as there are rows, all of them `0`, `1` or `.`";
        check::each("rows", &self.rows, fine, rule)?;
        check::that(self.begin() != 0, || "`rows` has no lamp that is on".to_owned())
    }

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.with("board", || self.picture(self.begin()));
        slots.lines("lines", &self.rows, |line, row| {
            line.text("row", row);
        });
    }

    fn begin(&self) -> u64 {
        self.signed(b"1")
    }

    fn is_goal(&self, on: u64) -> bool {
        on == 0
    }

    fn names(&self) -> Vec<String> {
        let side = self.rows.len();
        (0..side * side).map(|square| Place::new(square / side, square % side).short()).collect()
    }

    fn step(&self, on: u64, square: usize) -> Option<u64> {
        Some(on ^ self.wire(square)).filter(|next| *next != on)
    }

    fn why_not(&self, _on: u64, square: usize) -> String {
        format!("{} has no lamp", self.names()[square])
    }

    /// Solves equations, one for each lamp, and compares all solutions.
    fn shortest(&self, from: u64, budget: &mut Budget) -> Result<(Option<Vec<u8>>, u64), OverBudget> {
        const PRESS: u64 = 10;
        let before = budget.spent();
        let way = self.ways(from, budget)?.pop().map(plan_of);
        let presses = way.as_ref().map_or(0, Vec::len) as u64;
        Ok((way, budget.spent() - before + PRESS * presses))
    }

    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        let ways = self.ways(self.begin(), &mut Budget::new(plan::BUDGETS.judge)).ok()?;
        let mut way: Vec<usize> = plan_of(*rng.pick(&ways)).into_iter().map(usize::from).collect();
        rng.shuffle(&mut way);
        Some(way)
    }

    fn told(&self, on: u64) -> String {
        self.picture(on).replace('\n', " ")
    }

    fn picture(&self, on: u64) -> String {
        Self::new(self.rows.len(), self.signed(b"01"), on).rows.iter().lines()
    }

    fn draw(&self, on: u64) -> Picture {
        let (side, lamps) = (self.rows.len() as u32, self.signed(b"01"));
        let mut picture = Picture::new(side, side);
        for square in plan_of(lamps).into_iter().map(u32::from) {
            let ink = if on >> square & 1 == 1 { Ink::Yellow } else { Ink::Black };
            picture.disc(square / side, square % side, ink);
        }
        picture.grid(Ink::Grey);
        picture
    }

    /// A plane of the lamps, and one of those that are on.
    fn shape(&self) -> Vec<usize> {
        vec![2, self.rows.len(), self.rows.len()]
    }

    fn observe(&self, on: u64, out: &mut [f32]) {
        for (plane, mask) in out.chunks_exact_mut(self.squares()).zip([self.signed(b"01"), on]) {
            plane.iter_mut().enumerate().for_each(|(square, out)| *out = (mask >> square & 1) as f32);
        }
    }

    fn claimed(&self) -> &[u8] {
        &self.plan
    }

    /// Presses one square more, of the solution or any, or both.
    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let (any, planned) =
            (self.wire(rng.index(self.squares())), self.wire(usize::from(*rng.pick(&self.plan))));
        let on = match aim {
            Aim::Harder => self.begin() ^ any,
            Aim::Easier => self.begin() ^ planned,
            Aim::Same => self.begin() ^ any ^ planned,
        };
        let way = *rng.pick(&self.ways(on, budget).ok()?);
        (way > 0).then(|| Self { plan: plan_of(way), ..Self::new(self.rows.len(), self.signed(b"01"), on) })
    }

    /// Turns or mirrors the board.
    fn twin(&self, rng: &mut Rng) -> Self {
        let (symmetry, side) = (*rng.pick(&Symmetry::ALL), self.rows.len());
        let plan = self.plan.iter().map(|square| symmetry.image(usize::from(*square), side) as u8).collect();
        Self { rows: squares::turned_rows(&self.rows, symmetry), plan }
    }

    /// Tells which lamps are on and which are beside each other, wherever they are.
    fn fingerprint(&self) -> Vec<u8> {
        let lamps: Vec<usize> = plan_of(self.signed(b"01")).into_iter().map(usize::from).collect();
        let relation = |lamp: usize| {
            let wire = self.wire(lamps[lamp]);
            let beside = (0..lamps.len()).filter(|other| wire >> lamps[*other] & 1 == 1);
            let members = beside.map(|other| (u64::from(other == lamp), other)).collect();
            Relation { kind: self.begin() >> lamps[lamp] & 1, members }
        };
        let relations: Vec<Relation> = (0..lamps.len()).map(relation).collect();
        invariant(lamps.len(), &relations).to_le_bytes().to_vec()
    }

    fn guesses(&self) -> Vec<(&'static str, Vec<usize>)> {
        vec![("every lamp that is on", plan_of(self.begin()).into_iter().map(usize::from).collect())]
    }

    fn shortcuts(&self) -> Vec<(&'static str, Vec<usize>)> {
        let (mut on, mut way) = (self.begin(), Vec::new());
        loop {
            let next = (0..self.squares()).filter_map(|square| Some((self.step(on, square)?, square)));
            let (next, square) = next.min_by_key(|(next, _)| next.count_ones()).expect("there are lamps");
            if !way.is_empty() && next.count_ones() >= on.count_ones() {
                return vec![("whatever leaves the fewest lamps on", way)];
            }
            way.push(square);
            on = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::testing::{drawn, fails, passes, refused, rng};

    #[test]
    fn any_smallest_set_passes_in_any_order() {
        let rows = ["11.", "100", ".00"].map(str::to_owned).to_vec();
        let board = Plan(Board { rows, plan: vec![0] });
        assert!(board.certify(&mut Budget::new(9_999)).is_ok());
        passes(&board, "r1c1");
        fails(&board, "r1c3", "illegal_move", "move 1, `r1c3`, is not allowed: r1c3 has no lamp");
        let detail = "the moves do not end at the goal, but at this: 00. 110 .00";
        fails(&board, "r1c2", "goal_not_reached", detail);
        fails(
            &board,
            "r2c2, r1c1, r2c2",
            label::SUBOPTIMAL,
            "the goal is reached in 3 moves, but 1 would do",
        );
        let message = refused(&board, |json| json["rows"] = vec!["0.", "00"].into());
        assert_eq!(message, "`rows` has no lamp that is on");
    }

    /// Jaap Scherphuis, Lights Out: nullities of square boards.
    #[test]
    fn square_boards_have_the_published_nullities() {
        for (side, nullity) in [(2, 0), (3, 0), (4, 4), (5, 2), (6, 0)] {
            let wires = Board::new(side, (1 << (side * side)) - 1, 0).wires();
            assert_eq!(solved(&wires, 0, &mut Budget::unlimited()).unwrap().unwrap().1.len(), nullity);
        }
    }

    #[test]
    fn no_search_finds_a_shorter_plan() {
        for (stream, params) in (0..).zip(&LightsOutParams::LEVELS[..4]) {
            let board = drawn(&LightsOut, params, &mut rng(stream));
            let found = plan::shortest(&*board, board.begin(), &mut Budget::unlimited()).unwrap().0;
            assert_eq!(found.expect("all can be turned off").len(), board.plan.len());
        }
    }
}
