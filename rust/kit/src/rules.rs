//! Rules of play: pure functions of a state, shared by games and by problems that are played alike.

use std::fmt;

use crate::error::quoted;
use crate::picture::Picture;

mod actions;
mod markup;
mod play;

pub use actions::{Actions, LegalActions};
pub use markup::bare;
pub use play::{Play, Playing};

/// An index into an action space of fixed size.
pub type Action = u32;

/// The player to move, or chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Player(u8),
    /// Dice, cards and other draws.
    Chance,
    Over,
}

/// The rules of play. They draw nothing and read no clock: a chance outcome is an action like any other.
pub trait Rules: Send + Sync + 'static {
    type State: Clone + PartialEq + fmt::Debug + Send + Sync + 'static;
    type Legal: LegalActions;

    /// Number of players, one or two, numbered from 0.
    const PLAYERS: u8;

    /// True for Python-defined rules, which run on the caller's thread, never in the pool, and may unwind.
    fn is_outside(&self) -> bool {
        false
    }
    /// Size of the action space.
    fn actions(&self) -> u32;
    /// Largest number of plies that play can last, including those of chance.
    fn max_plies(&self) -> u32;
    fn turn(&self, state: &Self::State) -> Turn;
    /// Actions that may be played, or chance outcomes that may occur; empty when the play is over.
    fn legal(&self, state: &Self::State) -> Self::Legal;
    fn is_legal(&self, state: &Self::State, action: Action) -> bool {
        self.legal(state).contains(action)
    }
    /// Plays a legal action.
    fn apply(&self, state: &mut Self::State, action: Action);
    /// Number of the problem's constraints that a legal action breaks, such as the hazards it enters.
    fn broken(&self, _state: &Self::State, _action: Action) -> u32 {
        0
    }
    /// Return of each player once the play is over; 0 for the second of one player.
    fn returns(&self, state: &Self::State) -> [f32; 2];
    /// The state as ASCII text, as far as `player` may see it.
    fn show(&self, state: &Self::State, player: u8) -> String;
    /// Drawing of the position as far as `player` may see it; the same for all players if nothing is hidden.
    fn draw(&self, state: &Self::State, player: u8) -> Picture;
    fn name_action(&self, action: Action) -> String;
    /// Inverse of [`Rules::name_action`], lenient in case and spacing; accepts any text.
    fn read_action(&self, text: &str) -> Result<Action, Misread>;
    /// Reads the action named in this state. Anything the text says beyond the action's name must be true of
    /// the state.
    fn read_move(&self, _state: &Self::State, text: &str) -> Result<Action, Misread> {
        self.read_action(text)
    }
    /// [`Rules::read_move`] for text that may have marks around the name and one of these nouns before it.
    fn read_marked(&self, state: &Self::State, text: &str, nouns: &[&str]) -> Result<Action, Misread> {
        self.read_move(state, text).or_else(|misread| match bare(text, nouns) {
            bare if bare == text.trim() => Err(misread),
            bare => self.read_move(state, bare),
        })
    }
    /// Reason why the player to move may not play an illegal action, as a clause: "4 is taken".
    fn why_illegal(&self, state: &Self::State, action: Action) -> String;
    /// Shape of [`Rules::observe`]'s buffer, planes first.
    fn shape(&self) -> Vec<usize>;
    /// Writes the observation of `player` as numbers in `[0, 1]`, row-major; fills all of `out`.
    fn observe(&self, state: &Self::State, player: u8, out: &mut [f32]);
    /// A move of a shortest solution from a state before the end of play, if a problem can tell.
    fn next_move(&self, _state: &Self::State) -> Option<Action> {
        None
    }
    /// The answer that a state amounts to, for a problem whose play is over.
    fn answer(&self, _state: &Self::State) -> Option<String> {
        None
    }
}

/// Failure labels of a stated move, in addition to those of reading a message.
pub mod fault {
    /// The text names no move of the game.
    pub const NOT_A_MOVE: &str = "not_a_move";
    /// It names a place that the board does not have.
    pub const OFF_BOARD: &str = "off_board";
    /// It names a move that may not be played now.
    pub const ILLEGAL_MOVE: &str = "illegal_move";

    pub const ALL: [&str; 3] = [NOT_A_MOVE, OFF_BOARD, ILLEGAL_MOVE];
}

/// Reason why a text cannot be read as a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// One of [`fault::ALL`].
    pub label: &'static str,
    /// Message for the player: what is wrong, and what would be right.
    pub message: String,
}

impl Misread {
    /// `moves` describes what moves look like.
    pub fn not_a_move(text: &str, moves: impl fmt::Display) -> Self {
        let message = format!("`{}` is not a move of this game; {moves}", quoted(text.trim()));
        Self { label: fault::NOT_A_MOVE, message }
    }

    /// `board` describes what exists instead.
    pub fn off_board(text: &str, board: impl fmt::Display) -> Self {
        let message = format!("`{}` is not on the board; {board}", quoted(text.trim()));
        Self { label: fault::OFF_BOARD, message }
    }

    pub fn illegal(message: String) -> Self {
        Self { label: fault::ILLEGAL_MOVE, message }
    }
}
