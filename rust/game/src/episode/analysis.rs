//! Analysis of an episode's moves: by exact values, or by the heuristic where those would take too long.

use super::referee::{Finished, Referee};
use super::step::Analysis;
use crate::game::Game;
use crate::tactics::{guessed_outcomes, ways_left};
use kit::budget::Budget;
use kit::rules::{Action, Actions};

/// Return the highest mean of a player who has a move.
fn best_of(means: &[(Action, f32)]) -> f32 {
    means.iter().map(|(_, mean)| *mean).fold(f32::NEG_INFINITY, f32::max)
}

/// A value, and whether it is proved.
pub(super) struct Told<T> {
    pub value: T,
    pub exact: bool,
}

impl<G: Game> Referee<'_, G> {
    /// True if exact values are computed in this state. Depends on the state alone, never on what a solver remembers,
    /// so that the same moves earn the same rewards in any batch.
    fn solves(self, state: &G::State) -> bool {
        match self.setup.analysis_plies {
            Some(most) => self.game().plies_left(state) <= most,
            None => self.game().solves_quickly(state),
        }
    }

    /// Mean return of every legal move.
    fn means(self, state: &G::State, budget: &mut Budget<'_>) -> Finished<Told<Vec<(Action, f32)>>> {
        let exact = self.solves(state);
        if exact && self.variant.about.chance {
            let values = self.game().values(state, budget)?;
            let value = values.into_iter().map(|(action, value)| (action, value.mean as f32)).collect();
            return Ok(Told { value, exact });
        }
        let outcomes =
            if exact { self.game().outcomes(state, budget)? } else { guessed_outcomes(self.game(), state) };
        let value = outcomes.into_iter().map(|(action, outcome)| (action, f32::from(outcome))).collect();
        Ok(Told { value, exact })
    }

    pub(super) fn best_mean(self, state: &G::State, budget: &mut Budget<'_>) -> Finished<Told<f32>> {
        let Told { value: means, exact } = self.means(state, budget)?;
        Ok(Told { value: best_of(&means), exact })
    }

    pub(super) fn regret(
        self,
        state: &G::State,
        action: Action,
        budget: &mut Budget<'_>,
    ) -> Finished<Told<f32>> {
        let Told { value: means, exact } = self.means(state, budget)?;
        let (_, own) = means.iter().find(|(other, _)| *other == action).expect("the action is legal");
        Ok(Told { value: best_of(&means) - own, exact })
    }

    pub(super) fn analyze(
        self,
        state: &G::State,
        action: Action,
        budget: &mut Budget<'_>,
    ) -> Finished<Analysis> {
        let game = self.game();
        let Told { value: regret, exact } = self.regret(state, action, budget)?;
        let mut analysis = Analysis {
            regret,
            exact,
            forced: game.legal(state).len() == 1,
            missed_win: false,
            missed_block: false,
            allowed_fork: false,
        };
        if self.setup.analysis && self.variant.about.tactics && !analysis.forced {
            let winning = game.winning_moves(state);
            analysis.missed_win = !winning.is_empty() && !winning.contains(action);
            if winning.is_empty() {
                let safe: Actions =
                    game.legal(state).iter().filter(|&other| ways_left(game, state, other) == 0).collect();
                analysis.missed_block = !safe.is_empty() && !safe.contains(action);
                // A move allows a fork if the opponent can make one after it, and could not after some
                // other move.
                analysis.allowed_fork = safe.contains(action)
                    && self.forks(state, action)
                    && safe.iter().any(|other| !self.forks(state, other));
            }
        }
        Ok(analysis)
    }

    /// True if the opponent has a reply to the move after which it wins on its next turn, whatever is played.
    fn forks(self, state: &G::State, action: Action) -> bool {
        let game = self.game();
        let mut after = state.clone();
        game.apply(&mut after, action);
        game.legal(&after).iter().any(|reply| {
            let mut then = after.clone();
            game.apply(&mut then, reply);
            game.turn(&then) == game.turn(state)
                && game.winning_moves(&then).is_empty()
                && game.legal(&then).iter().all(|answer| ways_left(game, &then, answer) > 0)
        })
    }
}
