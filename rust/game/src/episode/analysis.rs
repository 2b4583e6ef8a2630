//! Analysis of an episode's moves: by exact values, or by the heuristic where those would take too long.

use super::referee::{Finished, Referee};
use super::step::Analysis;
use crate::game::Game;
use crate::tactics::{guessed_outcomes, ways_left};
use kit::budget::Budget;
use kit::rules::{Action, Actions};

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

    fn outcomes(self, state: &G::State, budget: &mut Budget<'_>) -> Finished<Told<Vec<(Action, i8)>>> {
        let exact = self.solves(state);
        let value =
            if exact { self.game().outcomes(state, budget)? } else { guessed_outcomes(self.game(), state) };
        Ok(Told { value, exact })
    }

    pub(super) fn best_outcome(self, state: &G::State, budget: &mut Budget<'_>) -> Finished<Told<i8>> {
        let Told { value: outcomes, exact } = self.outcomes(state, budget)?;
        let best = outcomes.iter().map(|(_, outcome)| *outcome).max();
        Ok(Told { value: best.expect("the player to move has a move"), exact })
    }

    pub(super) fn regret(
        self,
        state: &G::State,
        action: Action,
        budget: &mut Budget<'_>,
    ) -> Finished<Told<f32>> {
        let Told { value: outcomes, exact } = self.outcomes(state, budget)?;
        let best = outcomes.iter().map(|(_, outcome)| *outcome).max();
        let own = outcomes.iter().find(|(other, _)| *other == action);
        let (best, (_, own)) = best.zip(own).expect("the action is legal");
        Ok(Told { value: f32::from(best - own), exact })
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
