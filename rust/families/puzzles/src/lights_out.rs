//! Turn all lamps of a board off with as few presses as possible.

use kit::picture::{Ink, Picture};
use kit::prelude::*;
use kit::shape::plan::{self, Plan, Puzzle};
use kit::shared::grid::Symmetry;
use kit::shared::refinement::{Relation, invariant};

use crate::shared::squares;

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
        (4, 9, 2),
        (4, 11, 3),
        (4, 13, 4),
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
        check::that(lamps <= size * size && presses <= 2 * lamps / 5, || {
            format!(
                "`size` {size} has too few squares for {lamps} `lamps`, or they are too few for {presses} `presses`"
            )
        })
    }
}

/// A square board with lamps on some of its squares, which are bits in reading order.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    side: usize,
    lamps: u64,
    /// The lamps that are on at the start.
    on: u64,
    /// Squares to press, in reading order; `certify` proves that no fewer do.
    plan: Vec<u8>,
}

impl TaskFamily for LightsOut {
    type Params = LightsOutParams;
    type Problem = Plan<Board>;

    const ABOUT: About = About {
        summary: "Turn all lamps of a board off with as few presses as possible.",
        distinct_from: 1,
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
            let board = Board { side, lamps: mask(squares.iter().copied()), on: 0, plan: Vec::new() };
            squares.truncate(presses + rng.index(presses / 2 + 1));
            let on = squares.iter().fold(0, |on, square| on ^ board.changed(*square));
            let way = *rng.pick(&board.ways(on, budget)?);
            if way.count_ones() as usize >= presses {
                return Ok(Plan(Board { on, plan: plan_of(way), ..board }));
            }
        }
    }
}

fn mask(squares: impl Iterator<Item = usize>) -> u64 {
    squares.fold(0, |mask, square| mask | 1 << square)
}

fn squares_of(mask: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |square| mask >> square & 1 == 1)
}

fn plan_of(way: u64) -> Vec<u8> {
    squares_of(way).map(|square| square as u8).collect()
}

impl Board {
    /// The lamps that a press changes; none where a square has no lamp.
    fn changed(&self, square: usize) -> u64 {
        let beside = (0..4).filter_map(|way| squares::next(square as u16, way, self.side)).map(usize::from);
        if self.lamps >> square & 1 == 1 { mask(beside.chain([square])) & self.lamps } else { 0 }
    }

    /// A set of squares whose presses turn all lamps off, if there is one, and a basis of what may be added to it:
    /// linear equations modulo 2, by elimination.
    fn solved(&self, on: u64, budget: &mut Budget) -> Result<(Option<u64>, Vec<u64>), OverBudget> {
        // What sets of squares change, reduced by those before: made smaller, so that their first bits are gone.
        let (mut reduced, mut null) = (Vec::<(u64, u64)>::new(), Vec::new());
        let reduce = |reduced: &[(u64, u64)], pair: (u64, u64)| {
            reduced.iter().fold(pair, |pair, other| (pair.0 ^ other.0, pair.1 ^ other.1).min(pair))
        };
        for square in squares_of(self.lamps) {
            budget.spend(reduced.len() as u64)?;
            match reduce(&reduced, (self.changed(square), 1 << square)) {
                (0, set) => null.push(set),
                pair => reduced.push(pair),
            }
        }
        let (left, way) = reduce(&reduced, (on, 0));
        Ok(((left == 0).then_some(way), null))
    }

    fn rows(&self, on: u64) -> impl Iterator<Item = String> {
        let sign = move |square: usize| match (self.lamps >> square & 1, on >> square & 1) {
            (0, _) => '.',
            (_, 0) => '0',
            _ => '1',
        };
        (0..self.side).map(move |row| (row * self.side..(row + 1) * self.side).map(sign).collect())
    }

    /// The smallest sets of squares whose presses turn all lamps off; none if nothing does.
    fn ways(&self, on: u64, budget: &mut Budget) -> Result<Vec<u64>, OverBudget> {
        let (Some(mut way), null) = self.solved(on, budget)? else { return Ok(Vec::new()) };
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
            "On this board, 1 is a lamp that is on{gaps?, 0 is a lamp that is off, and \".\" is a square without a lamp| and 0 is a \
             lamp that is off}:\n\n{board}\n\nPressing a lamp changes that lamp and the lamps directly above, below, left and right of it: those that are on go \
             off, and those that are off go on. Turn all lamps off with as few presses as possible. The order does not matter, and \
             any shortest solution will do.",
        ),
        Prompt::new(
            "message",
            "My daughter got one of those light-up toys, and we can't get it dark! This is how it looks right now (1 = lit, 0 = \
             dark{gaps?, \".\" = no light there}):\n\n{board}\n\nWhen you push a light, it flips, and so do the lights right next to it, \
             up, down, left and right. Which lights do we push to make everything dark? Please use as few pushes as you can, in \
             whatever order.",
        ),
        Prompt::new(
            "program",
            "cells:\n{board}\n\nflip(r, c) exchanges 0 and 1 in row r and column c, and in every cell \
             that shares a side with it. {gaps?A cell that holds \".\" never changes, and flip must not be called on it. }Write a \
             shortest sequence of calls after which no cell holds 1. Any order and any shortest sequence is accepted.",
        ),
        Prompt::held_out(
            "museum",
            "Before she goes home, a guard has to make all rooms of a museum dark. On her plan, 1 is a room with the light \
             on{gaps?, 0| and 0} a room that is already dark{gaps?, and \".\" a courtyard, which has no light and no switch}:\n\n{board}\n\nThe switch in a room \
             changes the light there and in the rooms directly north, south, east and west of it, from on to off or from off to \
             on. North is at the top. She wants to use as few switches as possible, and the order does not matter. Which ones should she use?",
        ),
        Prompt::held_out(
            "tokens",
            "Tokens lie on {gaps?some|all} squares of a board, with the black side (1) or the white side (0) up{gaps?; \".\" is an empty \
             square}.\n\n\
             {board}\n\nA move picks a token and turns over that token and its neighbors, the tokens on the next squares in the same \
             row or column. Find a smallest set of moves, in any order, after which all tokens show white.",
        ),
    ];
    const ANSWER: &'static str =
        "the squares to press, each written like r2c3 for row 2 from the top and column 3 from the left,";
    const STATES: u64 = 300;

    fn check(&self) -> Result<(), String> {
        check::within("side", &self.side, 2..=6)?;
        check::within("lamps", &self.lamps, 1..=(1 << (self.side * self.side)) - 1)?;
        let fits = self.on > 0 && self.on & !self.lamps == 0;
        check::that(fits, || "some of `lamps` must be `on`, and nothing else".to_owned())
    }

    fn slots(&self, slots: &mut Slots<'_>) {
        slots.either("gaps", self.lamps.count_ones() < (self.side * self.side) as u32);
        slots.with("board", || self.picture(self.on));
    }

    fn begin(&self) -> u64 {
        self.on
    }

    fn is_goal(&self, on: u64) -> bool {
        on == 0
    }

    fn names(&self) -> Vec<String> {
        let squares = 0..(self.side * self.side) as u16;
        squares.map(|square| squares::place(square, self.side).short()).collect()
    }

    fn step(&self, on: u64, square: usize) -> Option<u64> {
        Some(on ^ self.changed(square)).filter(|next| *next != on)
    }

    fn why_not(&self, _on: u64, square: usize) -> String {
        format!("{} has no lamp", self.names()[square])
    }

    /// Solves equations, one for each lamp, and compares all solutions.
    fn shortest(&self, from: u64, budget: &mut Budget) -> Result<(Option<Vec<u8>>, u64), OverBudget> {
        let before = budget.spent();
        let way = self.ways(from, budget)?.pop().map(plan_of);
        let presses = way.as_ref().map_or(0, Vec::len) as u64;
        Ok((way, budget.spent() - before + 10 * presses))
    }

    fn another(&self, rng: &mut Rng) -> Option<Vec<usize>> {
        let ways = self.ways(self.on, &mut Budget::new(plan::BUDGETS.judge)).ok()?;
        let mut way: Vec<usize> = squares_of(*rng.pick(&ways)).collect();
        rng.shuffle(&mut way);
        Some(way)
    }

    fn told(&self, on: u64) -> String {
        self.rows(on).joined(" ")
    }

    fn picture(&self, on: u64) -> String {
        self.rows(on).lines()
    }

    fn draw(&self, on: u64) -> Picture {
        let (side, mut picture) = (self.side as u32, Picture::new(self.side as u32, self.side as u32));
        for square in squares_of(self.lamps).map(|square| square as u32) {
            let ink = if on >> square & 1 == 1 { Ink::Yellow } else { Ink::Black };
            picture.disc(square / side, square % side, ink);
        }
        picture
    }

    /// A plane of the lamps, and one of those that are on.
    fn shape(&self) -> Vec<usize> {
        vec![2, self.side, self.side]
    }

    fn observe(&self, on: u64, out: &mut [f32]) {
        for (plane, mask) in out.chunks_exact_mut(self.side * self.side).zip([self.lamps, on]) {
            plane.iter_mut().enumerate().for_each(|(square, out)| *out = (mask >> square & 1) as f32);
        }
    }

    fn claimed(&self) -> &[u8] {
        &self.plan
    }

    /// Presses one square of the solution, any one, or both.
    fn edited(&self, aim: Aim, rng: &mut Rng, budget: &mut Budget) -> Option<Self> {
        let square = if aim == Aim::Harder { 0 } else { 1 << rng.pick(&self.plan) };
        let any = if aim == Aim::Easier { 0 } else { 1 << rng.index(self.side * self.side) };
        let on = squares_of(square ^ any).fold(self.on, |on, square| on ^ self.changed(square));
        let way = *rng.pick(&self.ways(on, budget).ok()?);
        (on > 0).then(|| Self { on, plan: plan_of(way), ..*self })
    }

    /// Turns or mirrors the board.
    fn twin(&self, rng: &mut Rng) -> Self {
        let symmetry = *rng.pick(&Symmetry::ALL);
        let image = |squares| mask(squares_of(squares).map(|square| symmetry.image(square, self.side)));
        let plan = self.plan.iter().map(|square| symmetry.image(usize::from(*square), self.side) as u8);
        Self { lamps: image(self.lamps), on: image(self.on), plan: plan.collect(), ..*self }
    }

    /// Tells which lamps are on and which are neighbors, wherever they are.
    fn fingerprint(&self) -> Vec<u8> {
        let lamps: Vec<usize> = squares_of(self.lamps).collect();
        let relation = |lamp: usize| {
            let wire = self.changed(lamps[lamp]);
            let beside = (0..lamps.len()).filter(|other| wire >> lamps[*other] & 1 == 1);
            let members = beside.map(|other| (u64::from(other == lamp), other)).collect();
            Relation { kind: self.on >> lamps[lamp] & 1, members }
        };
        let relations: Vec<Relation> = (0..lamps.len()).map(relation).collect();
        invariant(lamps.len(), &relations).to_le_bytes().to_vec()
    }

    fn shortcuts(&self) -> Vec<(&'static str, Vec<usize>)> {
        let (mut on, mut way) = (self.on, Vec::new());
        loop {
            let next = (0..self.side * self.side).filter_map(|square| Some((self.step(on, square)?, square)));
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
    use kit::testing::{fails, passes};

    #[test]
    fn a_verdict_says_what_is_still_on() {
        let board = Plan(Board { side: 3, lamps: 0b110_111_011, on: 0b001_011, plan: vec![0] });
        assert!(board.certify(&mut Budget::new(9_999)).is_ok());
        passes(&board, "r1c1");
        for (wrong, label, detail) in [
            ("r1c3", "illegal_move", "move 1, `r1c3`, is not allowed: r1c3 has no lamp"),
            ("r1c2", "goal_not_reached", "the moves do not end at the goal, but at this: 00. 110 .00"),
            ("r2c2, r1c1, r2c2", label::SUBOPTIMAL, "the goal is reached in 3 moves, but 1 would do"),
        ] {
            fails(&board, wrong, label, detail);
        }
    }

    /// Jaap Scherphuis, Lights Out: nullities of square boards.
    #[test]
    fn square_boards_have_the_published_nullities() {
        for (side, nullity) in [(2, 0), (3, 0), (4, 4), (5, 2), (6, 0)] {
            let board = Board { side, lamps: (1 << (side * side)) - 1, on: 0, plan: Vec::new() };
            assert_eq!(board.solved(0, &mut Budget::unlimited()).unwrap().1.len(), nullity);
        }
    }
}
