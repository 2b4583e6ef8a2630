//! Games in progress.

use std::any::Any;
use std::sync::Arc;

use serde_json::json;

use crate::draws::EpisodeDraws;
use crate::game::Game;
use crate::opponent::Opponent;
use crate::value::{Optimality, Unsolved, Values};
use crate::variant::{GameInfo, Opening, Variant};
use kit::budget::Budget;
use kit::error::Error;
use kit::picture::Picture;
use kit::rules::{Action, Actions, Play, Turn};

/// A game in progress, with the opening and the moves that led to it.
#[derive(Debug)]
pub struct Match<G: Game> {
    variant: Arc<Variant<G>>,
    opening: Opening,
    draws: EpisodeDraws,
    state: G::State,
    moves: Vec<Action>,
}

/// Interface of a game in progress, beyond [`Play`].
pub trait GameState: Play + Any {
    fn info(&self) -> &dyn GameInfo;
    fn opening(&self) -> Opening;
    /// Every action since the start, including those of the opening and of chance.
    fn moves(&self) -> &[Action];
    fn legal_set(&self) -> Actions;
    /// Most plies that may still follow.
    fn plies_left(&self) -> u32;
    /// Weight of each action at a turn of chance.
    fn chance_weights(&self) -> Vec<(Action, u64)>;
    /// Key of the state as `player` knows it.
    fn key_for(&self, player: u8) -> u128;
    /// Return the exact value of every legal move. A game that cannot be solved rejects a budget that does not bound
    /// the number of positions.
    fn values(&self, budget: &mut Budget<'_>) -> Result<Values, Error>;
    /// Return all best moves; rejects the same budgets as [`GameState::values`].
    fn best(&self, optimality: Optimality, budget: &mut Budget<'_>) -> Result<Actions, Error>;
    /// Return `opponent`'s move here: the same whenever the seed and the position are the same.
    fn reply(&self, opponent: &Opponent, budget: &mut Budget<'_>) -> Result<Action, Error>;
    /// Probability with which `opponent` plays each action.
    fn distribution(&self, opponent: &Opponent, budget: &mut Budget<'_>)
    -> Result<Vec<(Action, f64)>, Error>;
    /// JSON for `AnyGame::read`.
    fn bytes(&self) -> Vec<u8>;
    fn boxed_game_clone(&self) -> Box<dyn GameState>;
    /// True if `other` is the same state of the same game, regardless of what led to it.
    fn same(&self, other: &dyn GameState) -> bool;
}

impl<G: Game> Match<G> {
    /// Return a game in progress whose state resulted from `moves`.
    pub fn resumed(
        variant: Arc<Variant<G>>,
        opening: Opening,
        draws: EpisodeDraws,
        state: G::State,
        moves: Vec<Action>,
    ) -> Self {
        Self { variant, opening, draws, state, moves }
    }

    fn copy(&self) -> Self {
        Self {
            variant: self.variant.clone(),
            opening: self.opening,
            draws: self.draws,
            state: self.state.clone(),
            moves: self.moves.clone(),
        }
    }

    fn solved<T>(&self, result: Result<T, Unsolved>) -> Result<T, Error> {
        result.map_err(|why| self.variant.unsolved(&why))
    }

    /// Reject an endless search.
    fn refuse_endless(&self, budget: &Budget<'_>) -> Result<(), Error> {
        match self.variant.game.unsolvable_reason().filter(|_| !budget.is_bounded()) {
            None => Ok(()),
            Some(why) => Err(Error::Unsolved {
                game: self.variant.about.name,
                message: format!("{why}; give `max_positions`, the most positions to search"),
            }),
        }
    }
}

impl<G: Game> Play for Match<G> {
    fn actions(&self) -> u32 {
        self.variant.game.actions()
    }
    fn players(&self) -> u8 {
        2
    }
    fn max_plies(&self) -> u32 {
        self.variant.game.max_plies()
    }
    fn turn(&self) -> Turn {
        self.variant.game.turn(&self.state)
    }
    fn legal(&self, out: &mut Vec<Action>) {
        out.extend(self.legal_set().iter());
    }
    fn is_legal(&self, action: Action) -> bool {
        self.legal_set().contains(action)
    }
    fn mask(&self, out: &mut [i8]) {
        self.legal_set().write(out);
    }
    fn apply(&mut self, action: Action) {
        let variant = &self.variant;
        variant.game.apply(&mut self.state, action);
        self.moves.push(action);
        if self.opening.resolve_chance {
            let moves = &mut self.moves;
            variant.resolve_chance(&mut self.state, &self.draws, |action| moves.push(action));
        }
    }
    fn returns(&self) -> Vec<f32> {
        // Adding 0 turns −0 into 0.
        self.variant.game.returns(&self.state).map(|result| result + 0.0).to_vec()
    }
    fn show(&self, player: u8) -> String {
        self.variant.game.show(&self.state, player)
    }
    fn draw(&self, player: u8) -> Picture {
        self.variant.game.draw(&self.state, player)
    }
    fn name_action(&self, action: Action) -> String {
        self.variant.names[action as usize].clone()
    }
    fn read_action(&self, text: &str) -> Result<Action, String> {
        self.variant.read_move(&self.state, text).map_err(|misread| misread.message)
    }
    fn shape(&self) -> Vec<usize> {
        self.variant.game.shape()
    }
    fn observe(&self, player: u8, out: &mut [f32]) {
        self.variant.game.observe(&self.state, player, out);
    }
    fn boxed_clone(&self) -> Box<dyn Play> {
        Box::new(self.copy())
    }
    fn answer(&self) -> Option<String> {
        None
    }
}

impl<G: Game> GameState for Match<G> {
    fn info(&self) -> &dyn GameInfo {
        self.variant.as_ref()
    }
    fn opening(&self) -> Opening {
        self.opening
    }
    fn moves(&self) -> &[Action] {
        &self.moves
    }
    fn plies_left(&self) -> u32 {
        self.variant.game.plies_left(&self.state)
    }
    fn legal_set(&self) -> Actions {
        self.variant.game.legal(&self.state)
    }
    fn chance_weights(&self) -> Vec<(Action, u64)> {
        match self.turn() {
            Turn::Chance => {
                let weights = self.variant.game.chance_weights(&self.state);
                self.legal_set().iter().zip(weights).collect()
            }
            Turn::Player(_) | Turn::Over => Vec::new(),
        }
    }
    fn key_for(&self, player: u8) -> u128 {
        self.variant.game.key(&self.state, player)
    }
    fn values(&self, budget: &mut Budget<'_>) -> Result<Values, Error> {
        match self.turn() {
            Turn::Player(_) => {
                self.refuse_endless(budget)?;
                self.solved(self.variant.game.values(&self.state, budget))
            }
            Turn::Chance | Turn::Over => Ok(Vec::new()),
        }
    }
    fn best(&self, optimality: Optimality, budget: &mut Budget<'_>) -> Result<Actions, Error> {
        match self.turn() {
            Turn::Player(_) => {
                self.refuse_endless(budget)?;
                self.solved(self.variant.game.best(&self.state, optimality, budget))
            }
            Turn::Chance | Turn::Over => Ok(Actions::NONE),
        }
    }
    fn reply(&self, opponent: &Opponent, budget: &mut Budget<'_>) -> Result<Action, Error> {
        self.solved(opponent.reply(&self.variant.game, &self.state, &self.draws, budget))
    }
    fn distribution(
        &self,
        opponent: &Opponent,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<(Action, f64)>, Error> {
        self.solved(opponent.distribution(&self.variant.game, &self.state, budget))
    }
    fn bytes(&self) -> Vec<u8> {
        let saved = json!({
            "game": self.variant.about.name,
            "version": self.variant.about.version(),
            "params": self.variant.canonical,
            "seed": self.opening.seed,
            "opening_plies": self.opening.plies,
            "settled": u8::from(self.opening.resolve_chance),
            "moves": self.moves,
        });
        serde_json::to_vec(&saved).expect("numbers and text serialise")
    }
    fn boxed_game_clone(&self) -> Box<dyn GameState> {
        Box::new(self.copy())
    }
    fn same(&self, other: &dyn GameState) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref::<Self>().is_some_and(|other| {
            self.variant.canonical == other.variant.canonical && self.state == other.state
        })
    }
}
