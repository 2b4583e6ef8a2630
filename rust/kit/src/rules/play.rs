//! Anything with moves, its types erased: a problem played step by step, or a game in progress.

use super::{Action, LegalActions, Rules, Turn};
use crate::picture::Picture;

/// A state of play, with the rules that it follows.
pub trait Play: Send + Sync {
    /// Size of the action space; legal actions are a subset of `0..actions`.
    fn actions(&self) -> u32;
    /// Number of players, numbered from 0.
    fn players(&self) -> u8;
    /// Largest number of plies that play can last from its start.
    fn max_plies(&self) -> u32;
    fn turn(&self) -> Turn;
    /// Pushes the legal actions in increasing order; none when the play is over.
    fn legal(&self, out: &mut Vec<Action>);
    fn is_legal(&self, action: Action) -> bool;
    /// Writes 1 for every legal action, else 0.
    fn mask(&self, out: &mut [i8]);
    /// Number of the problem's constraints that a legal action breaks.
    fn broken(&self, _action: Action) -> u32 {
        0
    }
    /// Takes a legal action.
    fn apply(&mut self, action: Action);
    /// One score per player; meaningful once the play is over.
    fn returns(&self) -> Vec<f32>;
    /// The state as text, as far as `player` may see it.
    fn show(&self, player: u8) -> String;
    /// Drawing of the position as far as `player` may see it.
    fn draw(&self, player: u8) -> Picture;
    fn name_action(&self, action: Action) -> String;
    /// Inverse of [`Play::name_action`], lenient in case and spacing; accepts any text.
    fn read_action(&self, text: &str) -> Result<Action, String>;
    /// Shape of [`Play::observe`]'s buffer.
    fn shape(&self) -> Vec<usize>;
    /// Writes the observation of `player` as numbers, row-major.
    fn observe(&self, player: u8, out: &mut [f32]);
    /// A move of a shortest solution from here, if the rules can tell.
    fn next_move(&self) -> Option<Action> {
        None
    }
    /// The answer that this play amounts to, for a problem that is over.
    fn answer(&self) -> Option<String>;
    fn boxed_clone(&self) -> Box<dyn Play>;
}

impl Clone for Box<dyn Play> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// A problem's own rules and a state under them.
#[derive(Clone, Debug)]
pub struct Playing<R: Rules> {
    rules: R,
    state: R::State,
}

impl<R: Rules> Playing<R> {
    /// A play that starts at `state`.
    pub fn new(rules: R, state: R::State) -> Self {
        Self { rules, state }
    }
}

impl<R: Rules + Clone> Play for Playing<R> {
    fn actions(&self) -> u32 {
        self.rules.actions()
    }
    fn players(&self) -> u8 {
        R::PLAYERS
    }
    fn max_plies(&self) -> u32 {
        self.rules.max_plies()
    }
    fn turn(&self) -> Turn {
        self.rules.turn(&self.state)
    }
    fn legal(&self, out: &mut Vec<Action>) {
        self.rules.legal(&self.state).push_to(out);
    }
    fn is_legal(&self, action: Action) -> bool {
        self.rules.is_legal(&self.state, action)
    }
    fn mask(&self, out: &mut [i8]) {
        self.rules.legal(&self.state).write(out);
    }
    fn broken(&self, action: Action) -> u32 {
        self.rules.broken(&self.state, action)
    }
    fn apply(&mut self, action: Action) {
        assert!(self.is_legal(action), "{action} is not a legal action");
        self.rules.apply(&mut self.state, action);
    }
    fn returns(&self) -> Vec<f32> {
        self.rules.returns(&self.state)[..usize::from(R::PLAYERS)].to_vec()
    }
    fn show(&self, player: u8) -> String {
        self.rules.show(&self.state, player)
    }
    fn draw(&self, player: u8) -> Picture {
        self.rules.draw(&self.state, player)
    }
    fn name_action(&self, action: Action) -> String {
        self.rules.name_action(action)
    }
    fn read_action(&self, text: &str) -> Result<Action, String> {
        self.rules.read_marked(&self.state, text, &[]).map_err(|misread| misread.message)
    }
    fn shape(&self) -> Vec<usize> {
        self.rules.shape()
    }
    fn observe(&self, player: u8, out: &mut [f32]) {
        self.rules.observe(&self.state, player, out);
    }
    fn next_move(&self) -> Option<Action> {
        (self.turn() != Turn::Over).then(|| self.rules.next_move(&self.state)).flatten()
    }
    fn answer(&self) -> Option<String> {
        (self.turn() == Turn::Over).then(|| self.rules.answer(&self.state)).flatten()
    }
    fn boxed_clone(&self) -> Box<dyn Play> {
        Box::new(self.clone())
    }
}
