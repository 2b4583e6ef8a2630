//! What can be played: pure functions of a state, under games and under problems that are played alike.

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

/// Whose move it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    Player(u8),
    /// The dice, the deck.
    Chance,
    Over,
}

/// The rules of play. They draw nothing and read no clock: what chance does comes as an action like any other.
pub trait Rules: Send + Sync + 'static {
    type State: Clone + PartialEq + fmt::Debug + Send + Sync + 'static;
    type Legal: LegalActions;

    /// How many play, numbered from 0: one or two.
    const PLAYERS: u8;

    /// Whether these are somebody else's code, which stays on the thread of the caller: it is never run in the pool,
    /// and may unwind.
    fn is_outside(&self) -> bool {
        false
    }
    /// Size of the action space.
    fn actions(&self) -> u32;
    /// The most plies that play can last, those of chance included.
    fn max_plies(&self) -> u32;
    fn turn(&self, state: &Self::State) -> Turn;
    /// What may be played, or happen; nothing when the play is over.
    fn legal(&self, state: &Self::State) -> Self::Legal;
    fn is_legal(&self, state: &Self::State, action: Action) -> bool {
        self.legal(state).contains(action)
    }
    /// Plays a legal action.
    fn apply(&self, state: &mut Self::State, action: Action);
    /// What each player gets once the play is over; 0 for a second player where there is none.
    fn returns(&self, state: &Self::State) -> [f32; 2];
    /// What `player` may see, as ASCII text.
    fn show(&self, state: &Self::State, player: u8) -> String;
    /// The position as a person would draw it, as far as `player` may see it; of what all see the same for all.
    fn draw(&self, state: &Self::State, player: u8) -> Picture;
    fn name_action(&self, action: Action) -> String;
    /// Inverse of [`Rules::name_action`], lenient in case and spacing; any text may come.
    fn read_action(&self, text: &str) -> Result<Action, Misread>;
    /// The action named in this state. Where a text says more than the action's name does, what it says
    /// must be true of the state.
    fn read_move(&self, _state: &Self::State, text: &str) -> Result<Action, Misread> {
        self.read_action(text)
    }
    /// The same where a text may have marks around the name, and before it one of these nouns.
    fn read_marked(&self, state: &Self::State, text: &str, nouns: &[&str]) -> Result<Action, Misread> {
        self.read_move(state, text).or_else(|misread| match bare(text, nouns) {
            bare if bare == text.trim() => Err(misread),
            bare => self.read_move(state, bare),
        })
    }
    /// Why the player to move may not play an action that is not legal, as a clause: "4 is taken".
    fn why_illegal(&self, state: &Self::State, action: Action) -> String;
    /// The shape of [`Rules::observe`]'s buffer, planes first.
    fn shape(&self) -> Vec<usize>;
    /// What `player` may see, as numbers in `[0, 1]`, row-major; writes all of `out`.
    fn observe(&self, state: &Self::State, player: u8, out: &mut [f32]);
    /// The answer that a state amounts to, for a problem whose play is over.
    fn answer(&self, _state: &Self::State) -> Option<String> {
        None
    }
}

/// Labels of what is wrong with a move that was said, beside those of reading a message.
pub mod fault {
    /// The text names no move of the game.
    pub const NOT_A_MOVE: &str = "not_a_move";
    /// It names a place that the board does not have.
    pub const OFF_BOARD: &str = "off_board";
    /// It names a move that may not be played now.
    pub const ILLEGAL_MOVE: &str = "illegal_move";

    pub const ALL: [&str; 3] = [NOT_A_MOVE, OFF_BOARD, ILLEGAL_MOVE];
}

/// Why a text is read as no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misread {
    /// One of [`fault::ALL`].
    pub label: &'static str,
    /// For who said it: what is wrong, and what would be right.
    pub message: String,
}

impl Misread {
    /// `moves` says what moves look like.
    pub fn not_a_move(text: &str, moves: impl fmt::Display) -> Self {
        let message = format!("`{}` is not a move of this game; {moves}", quoted(text.trim()));
        Self { label: fault::NOT_A_MOVE, message }
    }

    /// `board` says what there is instead.
    pub fn off_board(text: &str, board: impl fmt::Display) -> Self {
        let message = format!("`{}` is not on the board; {board}", quoted(text.trim()));
        Self { label: fault::OFF_BOARD, message }
    }

    pub fn illegal(message: String) -> Self {
        Self { label: fault::ILLEGAL_MOVE, message }
    }
}
