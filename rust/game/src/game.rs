//! Definition of a two-player game: its rules, and what search, opponents and environments need to know.

use crate::about::About;
use crate::value::{Objective, Optimality, Unsolved, Values, best_of};
use kit::budget::Budget;
use kit::params::Params;
use kit::rng::Rng;
use kit::rules::{Action, Actions, Rules, Turn};

/// Two-player zero-sum game: returns are 1, 0 or −1 unless the game has stakes.
pub trait Game: Rules<Legal = Actions> {
    /// Most plies that may still follow.
    fn plies_left(&self, state: &Self::State) -> u32;
    /// Return a state to start from; `rng` decides whatever the params leave open.
    fn start(&self, rng: &mut Rng) -> Self::State;
    /// States from which all others follow: more than one where `start` draws.
    fn roots(&self) -> Vec<Self::State> {
        vec![self.start(&mut kit::rng::Key::new("roots", 1, "start", 0, "").stream(0))]
    }
    /// Weight of each legal action at a turn of chance, in increasing order of action.
    fn chance_weights(&self, _state: &Self::State) -> Vec<u64> {
        Vec::new()
    }
    /// Sentence that tells `player` which side it plays, as [`Rules::show`] draws it.
    fn role_text(&self, player: u8) -> String;
    /// True if a message names this action to a player after the opponent or chance has taken it; false if it must stay
    /// hidden, or if [`Rules::show`] shows it.
    fn is_announced(&self, _action: Action) -> bool {
        true
    }
    /// Rules under these params, in ASCII, for a person or a model that has never played the game. Params of the
    /// role `structure` change the rules.
    fn rules(&self) -> String;
    /// Key that differs for any two states that `player` can tell apart and could have to move in.
    fn key(&self, state: &Self::State, player: u8) -> u128;

    /// Reason why no position of a whole game can be expected to be solved from its start, if there is one.
    fn unsolvable_reason(&self) -> Option<&'static str> {
        None
    }
    /// True if exact answers take 10 microseconds on average, and none takes so long that anyone would want to
    /// interrupt it.
    fn solves_instantly(&self) -> bool {
        false
    }
    /// True if exact outcomes take at most a millisecond on average in states like this; by default, rewards and
    /// analysis are exact in those states. Depends on the state alone.
    fn solves_quickly(&self, state: &Self::State) -> bool {
        /// For a board that fills up, in a few thousand ways.
        const PLIES: u32 = 8;
        self.solves_instantly() || self.plies_left(state) <= PLIES
    }
    /// Return the exact value of every legal move of the player to move.
    fn values(&self, state: &Self::State, budget: &mut Budget<'_>) -> Result<Values, Unsolved>;
    /// Return the moves that win at once for the player to move; override where there is a faster way than to try all.
    fn winning_moves(&self, state: &Self::State) -> Actions {
        wins_by_trial(self, state)
    }
    /// Return the outcome of every legal move; override where that is cheaper than all values.
    fn outcomes(&self, state: &Self::State, budget: &mut Budget<'_>) -> Result<Vec<(Action, i8)>, Unsolved> {
        let values = self.values(state, budget)?;
        Ok(values.into_iter().map(|(action, value)| (action, value.outcome)).collect())
    }
    /// Return all best moves; override where that is cheaper than all values.
    fn best(
        &self,
        state: &Self::State,
        optimality: Optimality,
        budget: &mut Budget<'_>,
    ) -> Result<Actions, Unsolved> {
        Ok(best_of(&self.values(state, budget)?, optimality))
    }
    /// True if there is an [equilibrium](Game::equilibrium); asking must not compute it.
    fn has_equilibrium(&self) -> bool {
        false
    }
    /// Weight of each legal action in an equilibrium at a player's turn, for games of hidden information.
    fn equilibrium(&self, _state: &Self::State, _budget: &mut Budget<'_>) -> Result<Vec<u64>, Unsolved> {
        Err(Unsolved::Never("no equilibrium is known"))
    }
    /// Objective that a search of this game optimizes.
    fn objective(&self) -> Objective {
        Objective::Distance
    }
    /// Player 0's margin at the end, in the unit of `Value::score`; a search maximizes it.
    fn margin(&self, state: &Self::State) -> i32 {
        self.returns(state)[0] as i32
    }
    /// Rank of a move in the order of search: larger comes earlier.
    fn move_ordering(&self, _state: &Self::State, _action: Action) -> i32 {
        0
    }
    /// Key that determines a state's value to the player to move: equal keys, equal values. Symmetric states may
    /// share one.
    fn value_key(&self, state: &Self::State) -> u128 {
        match self.turn(state) {
            Turn::Player(player) => self.key(state, player),
            Turn::Chance | Turn::Over => self.key(state, 0),
        }
    }
    /// The same without the number of plies that are left, for play that may go in circles.
    fn lasting_key(&self, state: &Self::State) -> u128 {
        self.value_key(state)
    }
}

/// Return the moves that win at once, found by trying all.
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

/// Registered unit that makes its game from params.
pub trait GameFamily: Sync + 'static {
    type Params: Params;
    type Game: Game;

    fn about(&self) -> &'static About;
    fn game(&self, params: &Self::Params) -> Self::Game;
}
