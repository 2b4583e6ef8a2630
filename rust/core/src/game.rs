//! What a two-player game is, and the type-erased form the rest of the crate sees.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use crate::actions::Actions;
use crate::arena::{self, Calibration, Tally};
use crate::episode::{Episodes, Lanes, Setup};
use crate::error::{Error, quoted};
use crate::games;
use crate::opponent::{Luck, Opponent, scaled};
use crate::params::{self, Params};
use crate::play::{Action, Play, Turn};
use crate::rng::{Key, Rng};
use crate::solver::exploit;
use crate::solver::limit::{Limit, Unfinished};

/// The facts about a game that do not depend on its params.
#[derive(Debug)]
pub struct About {
    /// `snake_case`, stable for ever; the file has the same name.
    pub name: &'static str,
    /// One line for the gallery.
    pub summary: &'static str,
    /// The rules, for a person or a model that has never played it.
    pub rules: &'static str,
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
    /// The game has no exact values, and why.
    Never(&'static str),
}

impl From<Unfinished> for Unsolved {
    fn from(_: Unfinished) -> Self {
        Self::Unfinished
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
    fn name_action(&self, action: Action) -> String;
    /// Inverse of [`Game::name_action`], lenient in case and spacing; any text may come.
    fn read_action(&self, text: &str) -> Result<Action, String>;
    /// The action named in this state. Where a text says more than the action's name does, what it says
    /// must be true of the state.
    fn read_move(&self, _state: &Self::State, text: &str) -> Result<Action, String> {
        self.read_action(text)
    }
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
            let starts = Key::new(about.name, about.version(), "state", 0, &canonical);
            let game = self.game(&params);
            Arc::new(Variant {
                about,
                fields: params::fields(&params),
                names: (0..game.actions()).map(|action| game.name_action(action)).collect(),
                lucks: Luck::from(&mut starts.derive("luck").stream(0)),
                starts,
                canonical: canonical.clone(),
                game,
            })
        }))
    }
}

/// A game with the facts of its family and its params.
#[derive(Debug)]
pub struct Variant<G> {
    pub about: &'static About,
    /// Every param, defaults included.
    pub fields: Map<String, Json>,
    /// The text that enters the key.
    pub canonical: String,
    /// The key of all starts: a seed is the index of its stream.
    starts: Key,
    /// Where the luck of every seed comes from.
    lucks: Luck,
    /// The name of every action.
    pub names: Vec<String>,
    pub game: G,
}

impl<G> Variant<G> {
    /// The key of everything drawn for `purpose` under `seed`.
    pub fn key(&self, purpose: &str, seed: u64) -> Key {
        let (name, version) = (self.about.name, self.about.version());
        Key::new(name, version, purpose, seed, &self.canonical)
    }

    fn unsolved(&self, why: &Unsolved) -> Error {
        Error::unsolved(self.about.name, why)
    }
}

/// The most plies drawn as an opening.
pub const MOST_OPENING_PLIES: u32 = 32;

/// How a game stands after its opening.
#[derive(Debug)]
pub struct Opened<S> {
    pub luck: Luck,
    pub state: S,
    /// The actions taken, by chance or at random.
    pub moves: Vec<Action>,
}

impl<G: Game> Variant<G> {
    /// The start of a seed: the game's own, what chance does first, then `plies` random moves that do
    /// not end the game.
    pub fn open(&self, seed: u64, plies: u32) -> Opened<G::State> {
        let mut rng = self.starts.stream(seed);
        let (luck, _) = self.lucks.of_example(seed);
        let mut opened = Opened { luck, state: self.game.start(&mut rng), moves: Vec::new() };
        self.advance(&mut rng, plies, &luck, &mut opened.state, &mut opened.moves);
        opened
    }

    /// The start of a seed before anything happened.
    pub fn bare_start(&self, seed: u64) -> Opened<G::State> {
        Opened {
            luck: self.lucks.of_example(seed).0,
            state: self.game.start(&mut self.starts.stream(seed)),
            moves: Vec::new(),
        }
    }

    /// The luck of a seed, and two words for what an episode draws once.
    pub fn luck(&self, seed: u64) -> (Luck, [u64; 2]) {
        self.lucks.of_example(seed)
    }

    /// [`Variant::open`] in place.
    pub fn open_into(
        &self,
        seed: u64,
        plies: u32,
        luck: &Luck,
        state: &mut G::State,
        moves: &mut Vec<Action>,
    ) {
        let mut rng = self.starts.stream(seed);
        *state = self.game.start(&mut rng);
        moves.clear();
        self.advance(&mut rng, plies, luck, state, moves);
    }

    fn advance(&self, rng: &mut Rng, plies: u32, luck: &Luck, state: &mut G::State, moves: &mut Vec<Action>) {
        let game = &self.game;
        self.settle(state, luck, |action| moves.push(action));
        for _ in 0..plies {
            let goes_on = |&action: &Action| {
                let mut next = state.clone();
                game.apply(&mut next, action);
                game.turn(&next) != Turn::Over
            };
            let open: Actions = game.legal(state).iter().filter(goes_on).collect();
            if open.is_empty() {
                break;
            }
            let action = open.nth(rng.below(u64::from(open.len())) as u32);
            let action = action.expect("the draw is below the number of actions");
            game.apply(state, action);
            moves.push(action);
            self.settle(state, luck, |action| moves.push(action));
        }
    }

    /// Lets chance act for as long as it is its turn.
    pub fn settle(&self, state: &mut G::State, luck: &Luck, mut tell: impl FnMut(Action)) {
        while self.about.chance && self.game.turn(state) == Turn::Chance {
            let word = luck.words(Luck::CHANCE, self.game.key(state, Luck::CHANCE)).get(0);
            let weights = self.game.chances(state);
            let mut left = scaled(word, weights.iter().sum());
            let drawn = weights.iter().position(|&weight| {
                let here = left < weight;
                left = left.saturating_sub(weight);
                here
            });
            let drawn = drawn.expect("the draw is below the sum of the weights");
            let action = self.game.legal(state).nth(drawn as u32);
            let action = action.expect("chance has a weight for every legal action");
            self.game.apply(state, action);
            tell(action);
        }
    }
}

/// A [`Variant`] with its type erased.
pub trait AnyGame: Any + Send + Sync {
    fn about(&self) -> &'static About;
    fn fields(&self) -> &Map<String, Json>;
    fn canonical(&self) -> &str;
    fn actions(&self) -> u32;
    fn longest(&self) -> u32;
    fn shape(&self) -> Vec<usize>;
    fn too_deep(&self) -> Option<&'static str>;
    fn is_quick(&self) -> bool;
    fn has_equilibrium(&self) -> bool;
    fn name_action(&self, action: Action) -> String;
    fn read_action(&self, text: &str) -> Result<Action, String>;
    /// The state that `opening` begins with. Chance acts by itself if `settled`.
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

impl<G: Game> AnyGame for Variant<G> {
    fn about(&self) -> &'static About {
        self.about
    }
    fn fields(&self) -> &Map<String, Json> {
        &self.fields
    }
    fn canonical(&self) -> &str {
        &self.canonical
    }
    fn actions(&self) -> u32 {
        self.game.actions()
    }
    fn longest(&self) -> u32 {
        self.game.longest()
    }
    fn shape(&self) -> Vec<usize> {
        self.game.shape()
    }
    fn too_deep(&self) -> Option<&'static str> {
        self.game.too_deep()
    }
    fn is_quick(&self) -> bool {
        self.game.is_quick()
    }
    fn has_equilibrium(&self) -> bool {
        let state = self.open(0, 0).state;
        self.game.equilibrium(&state).is_some()
    }
    fn name_action(&self, action: Action) -> String {
        self.names[action as usize].clone()
    }
    fn read_action(&self, text: &str) -> Result<Action, String> {
        self.game.read_action(text)
    }

    fn start(self: Arc<Self>, opening: Opening) -> Box<dyn GameState> {
        let opened = if opening.settled {
            self.open(opening.seed, opening.plies)
        } else {
            self.bare_start(opening.seed)
        };
        Box::new(Match::resumed(self, opening, opened.luck, opened.state, opened.moves))
    }

    fn read(self: Arc<Self>, bytes: &[u8]) -> Result<Box<dyn GameState>, Error> {
        let game = self.about.name;
        let invalid = |message: String| Error::InvalidState { game, message };
        let longest = self.game.longest() as usize;
        let saved: Json =
            serde_json::from_slice(bytes).map_err(|error| invalid(format!("not JSON: {error}")))?;
        let version = self.about.version();
        let ours = [("game", json!(game)), ("version", json!(version)), ("params", json!(self.canonical))];
        for (field, ours) in ours {
            if saved[field] != ours {
                let theirs = quoted(&saved[field].to_string());
                return Err(invalid(format!("`{field}` is {theirs}, but must be {ours}")));
            }
        }
        let number = |field: &str, most: u64| {
            saved[field].as_u64().filter(|number| *number <= most).ok_or_else(|| {
                let theirs = quoted(&saved[field].to_string());
                invalid(format!("`{field}` is {theirs}, but must be at most {most}"))
            })
        };
        let opening = Opening {
            seed: number("seed", u64::MAX)?,
            plies: number("opening_plies", u64::from(MOST_OPENING_PLIES))? as u32,
            settled: number("settled", 1)? == 1,
        };
        let moves = saved["moves"].as_array().filter(|moves| moves.len() <= longest);
        let moves =
            moves.ok_or_else(|| invalid(format!("`moves` must be a list of at most {longest} actions")))?;
        let mut state = self.start(opening);
        let opened = state.moves().len();
        for (at, action) in moves.iter().enumerate() {
            let action = action.as_u64().and_then(|action| u32::try_from(action).ok());
            let legal = state.legal_set();
            if let Some(known) = state.moves().get(at) {
                // Already there: the opening, or what chance did by itself.
                if action == Some(*known) {
                    continue;
                }
            } else if let Some(action) = action.filter(|&action| legal.contains(action)) {
                state.apply(action);
                continue;
            }
            let theirs = quoted(&moves[at].to_string());
            return Err(invalid(format!("`moves[{at}]` is {theirs}, which is not legal there")));
        }
        if moves.len() < opened {
            return Err(invalid(format!("`moves` must begin with the {opened} of the opening")));
        }
        Ok(state)
    }

    fn episodes(self: Arc<Self>, lanes: usize, setup: Setup) -> Result<Box<dyn Episodes>, Error> {
        Ok(Box::new(Lanes::new(self, lanes, setup)?))
    }

    fn duel(&self, players: &[Opponent; 2], limit: &mut Limit<'_>) -> Result<Tally, Error> {
        arena::duel(self, players, limit).map_err(|why| self.unsolved(&why))
    }

    fn calibrate(&self, opponent: &Opponent, limit: &mut Limit<'_>) -> Result<Vec<Calibration>, Error> {
        arena::calibrate(self, opponent, limit).map_err(|why| self.unsolved(&why))
    }

    fn exploitability(&self, opponent: &Opponent, limit: &mut Limit<'_>) -> Result<f64, Error> {
        opponent.check(self)?;
        if !self.about.hidden {
            return Err(self.unsolved(&Unsolved::Never(
                "exploitability is for games of hidden information; compare values instead",
            )));
        }
        let play = |state: &G::State, limit: &mut Limit<'_>| opponent.distribution(&self.game, state, limit);
        exploit::exploitability(&self.game, &self.bare_start(0).state, &play, limit)
            .map_err(|why| self.unsolved(&why))
    }
}

/// A game in progress, with what led to it.
#[derive(Debug)]
pub struct Match<G: Game> {
    variant: Arc<Variant<G>>,
    opening: Opening,
    luck: Luck,
    state: G::State,
    moves: Vec<Action>,
}

/// What a game in progress offers beyond [`Play`].
pub trait GameState: Play + Any {
    fn game(&self) -> Arc<dyn AnyGame>;
    fn opening(&self) -> Opening;
    /// Every action since the start, those of the opening and of chance included.
    fn moves(&self) -> &[Action];
    fn legal_set(&self) -> Actions;
    /// At a turn of chance, each action with its weight.
    fn chances(&self) -> Vec<(Action, u64)>;
    /// What tells the state apart, as `player` knows it.
    fn key_for(&self, player: u8) -> u128;
    fn values(&self, limit: &mut Limit<'_>) -> Result<Values, Error>;
    fn best(&self, optimality: Optimality, limit: &mut Limit<'_>) -> Result<Actions, Error>;
    /// What `opponent` plays here: the same whenever the seed and the position are the same.
    fn reply(&self, opponent: &Opponent, limit: &mut Limit<'_>) -> Result<Action, Error>;
    /// The probability with which `opponent` plays each action.
    fn distribution(&self, opponent: &Opponent, limit: &mut Limit<'_>) -> Result<Vec<(Action, f64)>, Error>;
    /// JSON that [`AnyGame::read`] reads.
    fn bytes(&self) -> Vec<u8>;
    fn boxed_game_clone(&self) -> Box<dyn GameState>;
    /// Whether `other` is the same state of the same game, whatever led to it.
    fn same(&self, other: &dyn GameState) -> bool;
}

impl<G: Game> Match<G> {
    /// A game in progress, of whose state `moves` made what it is.
    pub fn resumed(
        variant: Arc<Variant<G>>,
        opening: Opening,
        luck: Luck,
        state: G::State,
        moves: Vec<Action>,
    ) -> Self {
        Self { variant, opening, luck, state, moves }
    }

    fn copy(&self) -> Self {
        Self {
            variant: self.variant.clone(),
            opening: self.opening,
            luck: self.luck,
            state: self.state.clone(),
            moves: self.moves.clone(),
        }
    }

    fn solved<T>(&self, result: Result<T, Unsolved>) -> Result<T, Error> {
        result.map_err(|why| self.variant.unsolved(&why))
    }
}

impl<G: Game> Play for Match<G> {
    fn actions(&self) -> u32 {
        self.variant.game.actions()
    }
    fn turn(&self) -> Turn {
        self.variant.game.turn(&self.state)
    }
    fn legal(&self, out: &mut Vec<Action>) {
        out.extend(self.legal_set().iter());
    }
    fn apply(&mut self, action: Action) {
        let variant = &self.variant;
        variant.game.apply(&mut self.state, action);
        self.moves.push(action);
        if self.opening.settled {
            let moves = &mut self.moves;
            variant.settle(&mut self.state, &self.luck, |action| moves.push(action));
        }
    }
    fn returns(&self) -> Vec<f32> {
        // Adding 0 turns −0 into 0.
        self.variant.game.returns(&self.state).map(|result| result + 0.0).to_vec()
    }
    fn show(&self, player: u8) -> String {
        self.variant.game.show(&self.state, player)
    }
    fn name_action(&self, action: Action) -> String {
        self.variant.names[action as usize].clone()
    }
    fn read_action(&self, text: &str) -> Result<Action, String> {
        self.variant.game.read_move(&self.state, text)
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
    fn as_game(&self) -> Option<&dyn GameState> {
        Some(self)
    }
}

impl<G: Game> GameState for Match<G> {
    fn game(&self) -> Arc<dyn AnyGame> {
        self.variant.clone()
    }
    fn opening(&self) -> Opening {
        self.opening
    }
    fn moves(&self) -> &[Action] {
        &self.moves
    }
    fn legal_set(&self) -> Actions {
        self.variant.game.legal(&self.state)
    }
    fn chances(&self) -> Vec<(Action, u64)> {
        match self.turn() {
            Turn::Chance => {
                let weights = self.variant.game.chances(&self.state);
                self.legal_set().iter().zip(weights).collect()
            }
            Turn::Player(_) | Turn::Over => Vec::new(),
        }
    }
    fn key_for(&self, player: u8) -> u128 {
        self.variant.game.key(&self.state, player)
    }
    fn values(&self, limit: &mut Limit<'_>) -> Result<Values, Error> {
        match self.turn() {
            Turn::Player(_) => self.solved(self.variant.game.values(&self.state, limit)),
            Turn::Chance | Turn::Over => Ok(Vec::new()),
        }
    }
    fn best(&self, optimality: Optimality, limit: &mut Limit<'_>) -> Result<Actions, Error> {
        match self.turn() {
            Turn::Player(_) => self.solved(self.variant.game.best(&self.state, optimality, limit)),
            Turn::Chance | Turn::Over => Ok(Actions::NONE),
        }
    }
    fn reply(&self, opponent: &Opponent, limit: &mut Limit<'_>) -> Result<Action, Error> {
        self.solved(opponent.reply(&self.variant.game, &self.state, &self.luck, limit))
    }
    fn distribution(&self, opponent: &Opponent, limit: &mut Limit<'_>) -> Result<Vec<(Action, f64)>, Error> {
        self.solved(opponent.distribution(&self.variant.game, &self.state, limit))
    }
    fn bytes(&self) -> Vec<u8> {
        let saved = json!({
            "game": self.variant.about.name,
            "version": self.variant.about.version(),
            "params": self.variant.canonical,
            "seed": self.opening.seed,
            "opening_plies": self.opening.plies,
            "settled": u8::from(self.opening.settled),
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
