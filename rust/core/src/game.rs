//! What a two-player game is, and the type-erased form the rest of the crate sees.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::actions::Actions;
use crate::arena::{self, Calibration, Tally};
use crate::episode::{Episodes, Setup};
use crate::error::{Error, quoted};
use crate::games;
use crate::opponent::Opponent;
use crate::params::{self, Params};
use crate::play::{Action, Turn};
use crate::rng::Rng;
use crate::solver::limit::{Limit, Unfinished};

mod state;
mod variant;

pub use state::{GameState, Match};
pub use variant::{Opened, Variant};

/// The facts about a game that do not depend on its params.
#[derive(Debug)]
pub struct About {
    /// `snake_case`, stable for ever; the file has the same name.
    pub name: &'static str,
    /// One line for the gallery.
    pub summary: &'static str,
    /// What changed in each version, oldest first. Append a line whenever any reply or start changes.
    pub changes: &'static [&'static str],
    /// What the players are called, first to move first.
    pub players: [&'static str; 2],
    /// Params worth knowing, as JSON objects; tests and the gallery go through them, the default first.
    pub variants: &'static [&'static str],
    /// Whether dice or a deck have a say.
    pub chance: bool,
    /// Whether a player knows what the other does not.
    pub hidden: bool,
    /// What the first player gets under perfect play with the default params, if known.
    pub value: Option<f32>,
    /// Whether a move can be called a missed win, a missed block or an allowed fork.
    pub tactics: bool,
    /// What actions are called in text: `moves`, `columns`, `positions` …
    pub moves: &'static str,
    /// What `Value::score` counts: "own discs left", "boxes more than the opponent" …
    pub score: &'static str,
}

impl About {
    pub fn version(&self) -> u32 {
        self.changes.len() as u32
    }

    /// The name as words.
    pub fn title(&self) -> String {
        self.name.replace('_', " ")
    }
}

/// What a move, or a position, is worth to the player to move under perfect play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// 1 for a win, 0 for a draw, −1 for a loss.
    pub outcome: i8,
    /// Plies to the end, this move included, if known: the winner hastens it, the loser delays it.
    pub distance: Option<u32>,
    /// The game's own margin; the outcome, where it has none.
    pub score: i32,
}

impl Value {
    /// Grows with how good the value is.
    pub fn rank(&self, optimality: Optimality) -> (i8, i32, i64) {
        match optimality {
            Optimality::Wdl => (self.outcome, 0, 0),
            Optimality::Dtm => {
                let plies = self.distance.map_or(0, i64::from);
                (self.outcome, self.score, -i64::from(self.outcome) * plies)
            }
        }
    }
}

/// Which moves count as best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Optimality {
    /// All that keep the outcome: win, draw or loss.
    Wdl,
    /// Of those, the ones with the best score and the fastest win or slowest loss.
    Dtm,
}

impl Optimality {
    pub const ALL: [Self; 2] = [Self::Wdl, Self::Dtm];

    pub fn name(self) -> &'static str {
        match self {
            Self::Wdl => "wdl",
            Self::Dtm => "dtm",
        }
    }
}

/// What a search finds beside the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The plies to the end: the winner hastens it, the loser delays it.
    Distance,
    /// The margin: both sides maximise their own.
    Margin,
}

/// Why a position has no exact value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsolved {
    /// The search was stopped, by its limit or from outside.
    Unfinished,
    /// There are more positions to remember than fit the memory that a computation may use.
    OutOfMemory,
    /// The game has no exact values, and why.
    Never(&'static str),
}

impl Unsolved {
    /// The error of a game that this is said of.
    pub fn error(&self, game: &'static str) -> Error {
        let message = match self {
            Self::Unfinished => "no exact value within the limit of positions".to_owned(),
            Self::OutOfMemory => format!(
                "the game has more positions than the {} MiB hold that such a computation may use",
                arena::MEMORY >> 20
            ),
            Self::Never(why) => (*why).to_owned(),
        };
        Error::Unsolved { game, message }
    }
}

impl From<Unfinished> for Unsolved {
    fn from(_: Unfinished) -> Self {
        Self::Unfinished
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

/// The exact value of every legal move, in increasing order of action.
pub type Values = Vec<(Action, Value)>;

/// A game under some params: pure functions of a state. Two players, whose returns sum to zero.
pub trait Game: Send + Sync + 'static {
    type State: Clone + PartialEq + fmt::Debug + Send + Sync + 'static;

    /// Size of the action space, at most [`Actions::MOST`].
    fn actions(&self) -> u32;
    /// The most plies a game can last, those of chance included.
    fn longest(&self) -> u32;
    /// The most plies that may still follow.
    fn plies_left(&self, state: &Self::State) -> u32;
    /// A state to start from; `rng` decides what the params leave open.
    fn start(&self, rng: &mut Rng) -> Self::State;
    fn turn(&self, state: &Self::State) -> Turn;
    /// What may be played, or happen; nothing when the game is over.
    fn legal(&self, state: &Self::State) -> Actions;
    /// At a turn of chance, the weight of each legal action in increasing order.
    fn chances(&self, _state: &Self::State) -> Vec<u64> {
        Vec::new()
    }
    /// Plays a legal action.
    fn apply(&self, state: &mut Self::State, action: Action);
    /// What each player gets once the game is over: 1, 0 or −1 unless the game has stakes.
    fn returns(&self, state: &Self::State) -> [f32; 2];
    /// What `player` may see, as ASCII text.
    fn show(&self, state: &Self::State, player: u8) -> String;
    /// A sentence that tells `player` which side it is, as [`Game::show`] draws it.
    fn you(&self, player: u8) -> String;
    /// The rules under these params, in ASCII, for a person or a model that has never played it. Other
    /// params of the role `structure` have other rules.
    fn rules(&self) -> String;
    fn name_action(&self, action: Action) -> String;
    /// Inverse of [`Game::name_action`], lenient in case and spacing; any text may come.
    fn read_action(&self, text: &str) -> Result<Action, Misread>;
    /// The action named in this state. Where a text says more than the action's name does, what it says
    /// must be true of the state.
    fn read_move(&self, _state: &Self::State, text: &str) -> Result<Action, Misread> {
        self.read_action(text)
    }
    /// Why the player to move may not play an action that is not legal, as a clause: "4 is taken".
    fn why_illegal(&self, state: &Self::State, action: Action) -> String;
    /// The shape of [`Game::observe`]'s buffer, planes first.
    fn shape(&self) -> Vec<usize>;
    /// What `player` may see, as numbers in `[0, 1]`, row-major; writes all of `out`.
    fn observe(&self, state: &Self::State, player: u8, out: &mut [f32]);
    /// Tells apart any two states that `player` can tell apart and could have to move in.
    fn key(&self, state: &Self::State, player: u8) -> u128;

    /// Why no position of a whole game can be expected to be solved from its start, if so.
    fn too_deep(&self) -> Option<&'static str> {
        None
    }
    /// Whether every exact answer comes in microseconds, so that nobody would want to interrupt it.
    fn is_quick(&self) -> bool {
        false
    }
    /// The exact value of every legal move of the player to move.
    fn values(&self, state: &Self::State, limit: &mut Limit<'_>) -> Result<Values, Unsolved>;
    /// The outcome of every legal move; overridden where that is cheaper than all values.
    fn outcomes(&self, state: &Self::State, limit: &mut Limit<'_>) -> Result<Vec<(Action, i8)>, Unsolved> {
        let values = self.values(state, limit)?;
        Ok(values.into_iter().map(|(action, value)| (action, value.outcome)).collect())
    }
    /// All best moves; overridden where that is cheaper than all values.
    fn best(
        &self,
        state: &Self::State,
        optimality: Optimality,
        limit: &mut Limit<'_>,
    ) -> Result<Actions, Unsolved> {
        Ok(best_of(&self.values(state, limit)?, optimality))
    }
    /// At a player's turn, the weight of each legal action in an equilibrium, for games of hidden
    /// information that have a known one.
    fn equilibrium(&self, _state: &Self::State) -> Option<Vec<u64>> {
        None
    }
    /// What a search of this game finds.
    fn measure(&self) -> Measure {
        Measure::Distance
    }
    /// At the end, player 0's margin in the unit of `Value::score`: what a search maximises.
    fn margin(&self, state: &Self::State) -> i32 {
        self.returns(state)[0] as i32
    }
    /// A guess at which move to search first: larger is earlier.
    fn promise(&self, _state: &Self::State, _action: Action) -> i32 {
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

/// The moves whose values rank highest.
pub fn best_of(values: &[(Action, Value)], optimality: Optimality) -> Actions {
    let top = values.iter().map(|(_, value)| value.rank(optimality)).max();
    values
        .iter()
        .filter(|(_, value)| Some(value.rank(optimality)) == top)
        .map(|(action, _)| *action)
        .collect()
}

/// A unit of the registry: makes its game from params.
pub trait GameFamily: Sync + 'static {
    type Params: Params;
    type Game: Game;

    fn about(&self) -> &'static About;
    fn game(&self, params: &Self::Params) -> Self::Game;
}

/// [`GameFamily`] with its types erased. Implemented once, below, for every unit.
pub trait AnyGameFamily: Sync {
    fn about(&self) -> &'static About;
    /// The params' JSON schema, made anew; [`games::schema`] keeps it.
    fn schema(&self) -> Json;
    fn configure(&self, given: &Map<String, Json>) -> Result<Arc<dyn AnyGame>, Error>;
}

impl<F: GameFamily> AnyGameFamily for F {
    fn about(&self) -> &'static About {
        GameFamily::about(self)
    }

    fn schema(&self) -> Json {
        params::schema::<F::Params>()
    }

    fn configure(&self, given: &Map<String, Json>) -> Result<Arc<dyn AnyGame>, Error> {
        let about = GameFamily::about(self);
        let params: F::Params = params::parse(given, games::schema(about.name))
            .map_err(|message| Error::InvalidParams { family: about.name, message })?;
        let canonical = params::canonical(&params);
        Ok(games::shared(about.name, &canonical, || {
            Arc::new(Variant::new(about, params::fields(&params), canonical.clone(), self.game(&params)))
        }))
    }
}

/// A [`Variant`] with its type erased.
pub trait AnyGame: Any + Send + Sync {
    fn about(&self) -> &'static About;
    fn fields(&self) -> &Map<String, Json>;
    fn canonical(&self) -> &str;
    /// The rules under these params.
    fn rules(&self) -> String;
    fn actions(&self) -> u32;
    fn longest(&self) -> u32;
    fn shape(&self) -> Vec<usize>;
    fn too_deep(&self) -> Option<&'static str>;
    fn is_quick(&self) -> bool;
    fn has_equilibrium(&self) -> bool;
    fn name_action(&self, action: Action) -> String;
    fn read_action(&self, text: &str) -> Result<Action, Misread>;
    /// The state that `opening` begins with, which must pass [`Opening::check`].
    fn start(self: Arc<Self>, opening: Opening) -> Box<dyn GameState>;
    /// Reads what [`GameState::bytes`] wrote, whoever wrote it.
    fn read(self: Arc<Self>, bytes: &[u8]) -> Result<Box<dyn GameState>, Error>;
    /// `lanes` games against an opponent, played side by side.
    fn episodes(self: Arc<Self>, lanes: usize, setup: Setup) -> Result<Box<dyn Episodes>, Error>;
    /// How often each player wins from the start when `players` play, computed over the whole tree.
    fn duel(&self, players: &[Opponent; 2], limit: &mut Limit<'_>) -> Result<Tally, Error>;
    /// How policies fare against an opponent, one half of the games each side, computed exactly.
    fn calibrate(&self, opponent: &Opponent, limit: &mut Limit<'_>) -> Result<Vec<Calibration>, Error>;
    /// What one who knows how `opponent` plays can win from it on average, having each seat one half of
    /// the time: 0 for an equilibrium. Computed exactly, for games of hidden information.
    fn exploitability(&self, opponent: &Opponent, limit: &mut Limit<'_>) -> Result<f64, Error>;
}

/// How a game begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    pub seed: u64,
    /// Random moves made before the players begin.
    pub plies: u32,
    /// Whether chance acts by itself.
    pub settled: bool,
}

impl Opening {
    /// The most plies drawn as an opening.
    pub const MOST_PLIES: u32 = 32;

    /// Refuses more plies than that, and any in a game whose chance is left to the caller: it may have to
    /// act before the players can.
    pub fn check(&self, about: &About) -> Result<(), Error> {
        let (plies, most) = (self.plies, Self::MOST_PLIES);
        let message = if plies > most {
            format!("`opening_plies` is {plies}, but must be between 0 and {most}")
        } else if plies > 0 && about.chance && !self.settled {
            format!("`opening_plies` is {plies}, but must be 0 where chance is left to the caller")
        } else {
            return Ok(());
        };
        Err(Error::InvalidParams { family: about.name, message })
    }
}
