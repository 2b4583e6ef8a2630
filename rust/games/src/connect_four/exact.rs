//! Exact scores of four in a row, on the boards with a dedicated solver.

use std::sync::LazyLock;

use super::Discs;
use super::book::{self, Book};
use super::position::{Outcome, Position};
use super::solver;
use game::prelude::*;
use game::solver_pool::SolverPool;
use kit::budget::OverBudget;

/// Exact scores of four in a row on a board of one size.
pub trait Exact: Send + Sync {
    /// Columns and rows.
    fn board(&self) -> (u32, u32);
    /// True if a book contains all moves of the position.
    fn is_in_book(&self, state: &Discs) -> bool;
    fn scores(&self, state: &Discs, budget: &mut Budget<'_>) -> Result<Vec<(Action, i32)>, OverBudget>;
    fn outcomes(&self, state: &Discs, budget: &mut Budget<'_>) -> Result<Vec<(Action, i8)>, OverBudget>;
    fn best(
        &self,
        state: &Discs,
        optimality: Optimality,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, OverBudget>;
}

/// The boards with dedicated solvers. All games on a board share a solver and what it has proved.
pub static EXACT: LazyLock<[Box<dyn Exact>; 4]> = LazyLock::new(|| {
    [
        Box::new(Solvers::<7, 6>::new(1 << 26, Some(book::standard()))),
        Box::new(Solvers::<6, 6>::new(1 << 26, None)),
        Box::new(Solvers::<7, 5>::new(1 << 26, None)),
        Box::new(Solvers::<6, 5>::new(1 << 24, None)),
    ]
});

struct Solvers<const W: usize, const H: usize> {
    pool: SolverPool<solver::Solver<W, H>>,
    table_bytes: usize,
    book: Option<&'static Book<W, H>>,
}

impl<const W: usize, const H: usize> Solvers<W, H> {
    /// Below every score.
    const WORST: i8 = -64;

    fn new(table_bytes: usize, book: Option<&'static Book<W, H>>) -> Self {
        Self { pool: SolverPool::default(), table_bytes, book }
    }

    fn position(state: &Discs) -> Position<W, H> {
        Position::of(state.own(), state.mask())
    }

    fn with<T>(&self, work: impl FnOnce(&mut solver::Solver<W, H>) -> T) -> T {
        self.pool.with(|| solver::Solver::new(self.table_bytes), work)
    }

    /// The book's score of every move.
    fn in_book(&self, position: &Position<W, H>) -> Option<Vec<(Action, i32)>> {
        self.book?.values(position).map(listed)
    }
}

/// The moves that can be played, with their scores.
fn listed<const W: usize>(scores: [Option<i8>; W]) -> Vec<(Action, i32)> {
    let listed = (0..).zip(scores);
    listed.filter_map(|(column, score)| Some((column, i32::from(score?)))).collect()
}

impl<const W: usize, const H: usize> Exact for Solvers<W, H> {
    fn board(&self) -> (u32, u32) {
        (W as u32, H as u32)
    }

    fn is_in_book(&self, state: &Discs) -> bool {
        self.book.is_some_and(|book| book.values(&Self::position(state)).is_some())
    }

    fn scores(&self, state: &Discs, budget: &mut Budget<'_>) -> Result<Vec<(Action, i32)>, OverBudget> {
        let position = Self::position(state);
        match self.in_book(&position) {
            Some(scores) => Ok(scores),
            None => self.with(|solver| solver.values(&position, budget).map(listed)),
        }
    }

    fn outcomes(&self, state: &Discs, budget: &mut Budget<'_>) -> Result<Vec<(Action, i8)>, OverBudget> {
        let position = Self::position(state);
        if let Some(scores) = self.in_book(&position) {
            let outcome = |(action, score): (Action, i32)| (action, score.signum() as i8);
            return Ok(scores.into_iter().map(outcome).collect());
        }
        self.with(|solver| {
            let mut outcomes = Vec::new();
            for column in 0..W {
                if let Ok(next) = position.play(column) {
                    let outcome = match solver.outcome(&next, budget)? {
                        Outcome::Loss => 1,
                        Outcome::Draw => 0,
                        Outcome::Win => -1,
                    };
                    outcomes.push((column as Action, outcome));
                }
            }
            Ok(outcomes)
        })
    }

    fn best(
        &self,
        state: &Discs,
        optimality: Optimality,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, OverBudget> {
        let position = Self::position(state);
        let rank = |score: i32| match optimality {
            Optimality::Wdl => score.signum(),
            Optimality::Dtm => score,
        };
        if let Some(scores) = self.in_book(&position) {
            let top = scores.iter().map(|(_, score)| rank(*score)).max();
            let best = scores.into_iter().filter(|(_, score)| Some(rank(*score)) == top);
            return Ok(best.map(|(action, _)| action).collect());
        }
        let known = self.book.and_then(|book| book.score(&position));
        self.with(|solver| {
            let score = match (known, optimality) {
                (Some(score), _) => score,
                (None, Optimality::Dtm) => solver.score(&position, budget)?,
                (None, Optimality::Wdl) => match solver.outcome(&position, budget)? {
                    Outcome::Loss => -1,
                    Outcome::Draw => 0,
                    Outcome::Win => 1,
                },
            };
            let least = match (optimality, score) {
                (Optimality::Dtm, score) => score,
                // Every move of a lost player keeps the outcome.
                (Optimality::Wdl, ..0) => Self::WORST,
                (Optimality::Wdl, score) => score.signum(),
            };
            let mut best = Actions::NONE;
            for column in 0..W {
                if let Ok(next) = position.play(column)
                    && !solver.at_least(&next, 1 - least, budget)?
                {
                    best.insert(column as Action);
                }
            }
            Ok(best)
        })
    }
}
