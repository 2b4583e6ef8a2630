//! Anything with moves, its types erased: a problem played step by step, or a game in progress.

use crate::game::GameState;

/// An index into an action space of fixed size.
pub type Action = u32;

/// Whose move it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Player(u8),
    /// The dice, the deck.
    Chance,
    Over,
}

/// A state of play. Pure: it draws nothing and reads no clock.
pub trait Play: Send + Sync {
    /// Size of the action space; legal actions are a subset of `0..actions`.
    fn actions(&self) -> u32;
    /// How many players there are, numbered from 0.
    fn players(&self) -> u8 {
        1
    }
    fn turn(&self) -> Turn;
    /// Pushes the legal actions in increasing order; none when the play is over.
    fn legal(&self, out: &mut Vec<Action>);
    /// Takes a legal action.
    fn apply(&mut self, action: Action);
    /// One score per player; meaningful once the play is over.
    fn returns(&self) -> Vec<f32>;
    /// What `player` may see, as text.
    fn show(&self, player: u8) -> String;
    fn name_action(&self, action: Action) -> String;
    /// Inverse of [`Play::name_action`], lenient in case and spacing; any text may come.
    fn read_action(&self, text: &str) -> Result<Action, String>;
    /// The shape of [`Play::observe`]'s buffer.
    fn shape(&self) -> Vec<usize>;
    /// What `player` may see, as numbers, row-major.
    fn observe(&self, player: u8, out: &mut [f32]);
    /// The answer that this play amounts to, for a problem once it is over.
    fn answer(&self) -> Option<String> {
        None
    }
    fn boxed_clone(&self) -> Box<dyn Play>;
    /// The same as a game in progress, if it is one.
    fn as_game(&self) -> Option<&dyn GameState> {
        None
    }
}

impl Clone for Box<dyn Play> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
