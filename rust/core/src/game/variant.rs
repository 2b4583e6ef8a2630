//! A game under its params, with the facts of its family: the one implementation of [`AnyGame`].

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::{About, AnyGame, Game, GameState, Match, Misread, Opening, Unsolved};
use crate::actions::Actions;
use crate::arena::{self, Calibration, Tally};
use crate::episode::{Episodes, Lanes, Setup};
use crate::error::{Error, quoted};
use crate::opponent::{Luck, Opponent, scaled};
use crate::play::{Action, Turn};
use crate::rng::{Key, Rng};
use crate::solver::exploit;
use crate::solver::limit::Limit;

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

impl<G: Game> Variant<G> {
    pub(crate) fn new(about: &'static About, fields: Map<String, Json>, canonical: String, game: G) -> Self {
        let starts = Key::new(about.name, about.version(), "state", 0, &canonical);
        Self {
            about,
            fields,
            names: (0..game.actions()).map(|action| game.name_action(action)).collect(),
            lucks: Luck::from(&mut starts.derive("luck").stream(0)),
            starts,
            canonical,
            game,
        }
    }

    /// The key of everything drawn for `purpose` under `seed`.
    pub fn key(&self, purpose: &str, seed: u64) -> Key {
        let (name, version) = (self.about.name, self.about.version());
        Key::new(name, version, purpose, seed, &self.canonical)
    }

    pub(super) fn unsolved(&self, why: &Unsolved) -> Error {
        why.error(self.about.name)
    }
}

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
    fn rules(&self) -> String {
        self.game.rules()
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
    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        self.game.read_action(text)
    }

    fn start(self: Arc<Self>, opening: Opening) -> Box<dyn GameState> {
        let opened = if opening.settled || !self.about.chance {
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
            plies: number("opening_plies", u64::from(Opening::MOST_PLIES))? as u32,
            settled: number("settled", 1)? == 1,
        };
        opening.check(self.about).map_err(|error| invalid(error.to_string()))?;
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
