//! What a two-player game is: rules, and what those need who play by them.

use crate::about::About;
use crate::value::{Objective, Optimality, Unsolved, Values, best_of};
use kit::budget::Budget;
use kit::params::Params;
use kit::rng::Rng;
use kit::rules::{Action, Actions, Rules, Turn};

/// Two players, whose returns sum to zero: 1, 0 or −1 unless the game has stakes.
pub trait Game: Rules<Legal = Actions> {
    /// The most plies that may still follow.
    fn plies_left(&self, state: &Self::State) -> u32;
    /// A state to start from; `rng` decides what the params leave open.
    fn start(&self, rng: &mut Rng) -> Self::State;
    /// At a turn of chance, the weight of each legal action in increasing order.
    fn chance_weights(&self, _state: &Self::State) -> Vec<u64> {
        Vec::new()
    }
    /// A sentence that tells `player` which side it is, as [`Rules::show`] draws it.
    fn role_text(&self, player: u8) -> String;
    /// The rules under these params, in ASCII, for a person or a model that has never played it. Other
    /// params of the role `structure` have other rules.
    fn rules(&self) -> String;
    /// Tells apart any two states that `player` can tell apart and could have to move in.
    fn key(&self, state: &Self::State, player: u8) -> u128;

    /// Why no position of a whole game can be expected to be solved from its start, if so.
    fn unsolvable_reason(&self) -> Option<&'static str> {
        None
    }
    /// Whether exact answers come within 10 microseconds on average and none takes so long that anyone would want to
    /// interrupt it.
    fn solves_instantly(&self) -> bool {
        false
    }
    /// Whether exact outcomes come within a millisecond on average in states like this: those that rewards and
    /// analyses are exact in unless a caller says otherwise. It may look at nothing but the state.
    fn solves_quickly(&self, state: &Self::State) -> bool {
        /// Of a board that fills, with a few thousand ways to do so.
        const PLIES: u32 = 8;
        self.solves_instantly() || self.plies_left(state) <= PLIES
    }
    /// The exact value of every legal move of the player to move.
    fn values(&self, state: &Self::State, budget: &mut Budget<'_>) -> Result<Values, Unsolved>;
    /// The moves that win at once for the player to move; overridden where they are found faster than by trying all.
    fn winning_moves(&self, state: &Self::State) -> Actions {
        wins_by_trial(self, state)
    }
    /// The outcome of every legal move; overridden where that is cheaper than all values.
    fn outcomes(&self, state: &Self::State, budget: &mut Budget<'_>) -> Result<Vec<(Action, i8)>, Unsolved> {
        let values = self.values(state, budget)?;
        Ok(values.into_iter().map(|(action, value)| (action, value.outcome)).collect())
    }
    /// All best moves; overridden where that is cheaper than all values.
    fn best(
        &self,
        state: &Self::State,
        optimality: Optimality,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        Ok(best_of(&self.values(state, budget)?, optimality))
    }
    /// At a player's turn, the weight of each legal action in an equilibrium, for games of hidden
    /// information that have a known one.
    fn equilibrium(&self, _state: &Self::State) -> Option<Vec<u64>> {
        None
    }
    /// What a search of this game finds.
    fn objective(&self) -> Objective {
        Objective::Distance
    }
    /// At the end, player 0's margin in the unit of `Value::score`: what a search maximises.
    fn margin(&self, state: &Self::State) -> i32 {
        self.returns(state)[0] as i32
    }
    /// A guess at which move to search first: larger is earlier.
    fn move_ordering(&self, _state: &Self::State, _action: Action) -> i32 {
        0
    }
    /// What decides a state's value to the player to move: equal keys, equal values. Symmetric
    /// states may share one.
    fn value_key(&self, state: &Self::State) -> u128 {
        match self.turn(state) {
            Turn::Player(player) => self.key(state, player),
            Turn::Chance | Turn::Over => self.key(state, 0),
        }
    }
}

/// The moves that win at once, found by trying all.
pub fn wins_by_trial<G: Game + ?Sized>(game: &G, state: &G::State) -> Actions {
    let Turn::Player(player) = game.turn(state) else {
        return Actions::NONE;
    };
    let wins = |action: &Action| {
        let mut next = state.clone();
        game.apply(&mut next, *action);
        game.turn(&next) == Turn::Over && game.returns(&next)[usize::from(player)] > 0.0
    };
    game.legal(state).iter().filter(wins).collect()
}

/// A unit of the registry: makes its game from params.
pub trait GameFamily: Sync + 'static {
    type Params: Params;
    type Game: Game;

    fn about(&self) -> &'static About;
    fn game(&self, params: &Self::Params) -> Self::Game;
}
