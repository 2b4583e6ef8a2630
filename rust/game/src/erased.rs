//! Type-erased games: the top of this crate, which depends on all of its modules.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use serde_json::{Map, Value as Json, json};

use crate::about::About;
use crate::arena::{self, Calibration, Tally};
use crate::episode::lanes::{Episodes, Lanes};
use crate::episode::setup::Setup;
use crate::exploit;
use crate::game::{Game, GameFamily};
use crate::opponent::Opponent;
use crate::state::{GameState, Match};
use crate::value::Unsolved;
use crate::variant::{GameInfo, Opening, Variant};
use kit::budget::Budget;
use kit::error::{Error, quoted};
use kit::params;
use kit::registry::Unit;

/// Type-erased [`Variant`].
pub trait AnyGame: GameInfo {
    /// Return the state that `opening` begins with; `opening` must pass [`Opening::check`].
    fn start(self: Arc<Self>, opening: Opening) -> Box<dyn GameState>;
    /// Read the bytes of [`GameState::bytes`]; they are untrusted.
    fn read(self: Arc<Self>, bytes: &[u8]) -> Result<Box<dyn GameState>, Error>;
    /// Make `lanes` games against an opponent, played side by side.
    fn episodes(self: Arc<Self>, lanes: usize, setup: Setup) -> Result<Box<dyn Episodes>, Error>;
    /// Return the first player's tally when `players` play from the start, computed over the whole tree.
    fn duel(&self, players: &[Opponent; 2], budget: &mut Budget<'_>) -> Result<Tally, Error>;
    /// Tally policies against an opponent, half of the games from each seat, computed exactly.
    fn calibrate(&self, opponent: &Opponent, budget: &mut Budget<'_>) -> Result<Vec<Calibration>, Error>;
    /// Return the most that a player who knows `opponent`'s policy can win from it on average, sitting in each seat
    /// half of the time: 0 for an equilibrium. Computed exactly, for games of hidden information.
    fn exploitability(&self, opponent: &Opponent, budget: &mut Budget<'_>) -> Result<f64, Error>;
}

impl<G: Game> AnyGame for Variant<G> {
    fn start(self: Arc<Self>, opening: Opening) -> Box<dyn GameState> {
        let opened = if opening.resolve_chance || !self.about.chance {
            self.open(opening.seed, opening.plies)
        } else {
            self.bare_start(opening.seed)
        };
        Box::new(Match::resumed(self, opening, opened.draws, opened.state, opened.moves))
    }

    fn read(self: Arc<Self>, bytes: &[u8]) -> Result<Box<dyn GameState>, Error> {
        let game = self.about.name;
        let invalid = |message: String| Error::InvalidState { game, message };
        let max_plies = self.game.max_plies() as usize;
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
            resolve_chance: number("settled", 1)? == 1,
        };
        opening.check(self.about).map_err(|error| invalid(error.to_string()))?;
        let moves = saved["moves"].as_array().filter(|moves| moves.len() <= max_plies);
        let moves =
            moves.ok_or_else(|| invalid(format!("`moves` must be a list of at most {max_plies} actions")))?;
        let mut state = self.start(opening);
        let opened = state.moves().len();
        for (at, action) in moves.iter().enumerate() {
            let action = action.as_u64().and_then(|action| u32::try_from(action).ok());
            let legal = state.legal_set();
            if let Some(known) = state.moves().get(at) {
                // Already played, by the opening or by chance.
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

    fn duel(&self, players: &[Opponent; 2], budget: &mut Budget<'_>) -> Result<Tally, Error> {
        arena::duel(self, players, budget).map_err(|why| self.unsolved(&why))
    }

    fn calibrate(&self, opponent: &Opponent, budget: &mut Budget<'_>) -> Result<Vec<Calibration>, Error> {
        arena::calibrate(self, opponent, budget).map_err(|why| self.unsolved(&why))
    }

    fn exploitability(&self, opponent: &Opponent, budget: &mut Budget<'_>) -> Result<f64, Error> {
        opponent.check(self)?;
        if !self.about.hidden {
            return Err(self.unsolved(&Unsolved::Never(
                "exploitability is for games of hidden information; compare values instead",
            )));
        }
        let play =
            |state: &G::State, budget: &mut Budget<'_>| opponent.distribution(&self.game, state, budget);
        exploit::exploitability(&self.game, &self.bare_start(0).state, &play, budget)
            .map_err(|why| self.unsolved(&why))
    }
}

/// Type-erased [`GameFamily`]. Implemented once, below, for every unit of this crate; a Python-defined game
/// implements it itself.
pub trait AnyGameFamily: Sync {
    fn about(&self) -> &'static About;
    /// True if its rules are [outside](kit::rules::Rules::is_outside).
    fn is_outside(&self) -> bool {
        false
    }
    /// Build the params' JSON schema; [`RegisteredGame::schema`] caches it.
    fn schema(&self) -> Json;
    /// Check params that override the defaults, and return them with their canonical text.
    fn parse(&self, given: &Map<String, Json>, schema: &Json) -> Result<(Parsed, String), Error>;
    fn make(&self, params: &Parsed, canonical: &str) -> Arc<dyn AnyGame>;
}

/// Type-erased params of a game.
pub type Parsed = Box<dyn Any>;

impl<F: GameFamily> AnyGameFamily for F {
    fn about(&self) -> &'static About {
        GameFamily::about(self)
    }

    fn schema(&self) -> Json {
        params::schema::<F::Params>()
    }

    fn parse(&self, given: &Map<String, Json>, schema: &Json) -> Result<(Parsed, String), Error> {
        let family = GameFamily::about(self).name;
        let params: F::Params =
            params::parse(given, schema).map_err(|message| Error::InvalidParams { family, message })?;
        let canonical = params::canonical(&params::fields(&params), schema);
        Ok((Box::new(params), canonical))
    }

    fn make(&self, params: &Parsed, canonical: &str) -> Arc<dyn AnyGame> {
        let params = params.downcast_ref::<F::Params>().expect("these params were parsed by this family");
        let (about, fields) = (GameFamily::about(self), params::fields(params));
        Arc::new(Variant::new(about, fields, canonical.to_owned(), self.game(params)))
    }
}

impl Unit for RegisteredGame {
    const KIND: &'static str = "game";

    fn name(&self) -> &'static str {
        self.about().name
    }

    fn is_outside(&self) -> bool {
        self.is_outside()
    }
}

/// Registered game.
pub struct RegisteredGame {
    erased: &'static dyn AnyGameFamily,
    schema: OnceLock<Json>,
    /// Games in use, by canonical params.
    in_use: Mutex<BTreeMap<String, Weak<dyn AnyGame>>>,
}

impl RegisteredGame {
    pub fn new(erased: &'static dyn AnyGameFamily) -> Self {
        Self { erased, schema: OnceLock::new(), in_use: Mutex::new(BTreeMap::new()) }
    }

    pub fn about(&self) -> &'static About {
        self.erased.about()
    }

    /// See [`AnyGameFamily::is_outside`].
    pub fn is_outside(&self) -> bool {
        self.erased.is_outside()
    }

    /// JSON schema of the params.
    pub fn schema(&self) -> &Json {
        self.schema.get_or_init(|| self.erased.schema())
    }

    /// Return the one game of these params: all its users share its solver and what that remembers.
    pub fn configure(&self, given: &Map<String, Json>) -> Result<Arc<dyn AnyGame>, Error> {
        let (params, canonical) = self.erased.parse(given, self.schema())?;
        if let Some(game) = self.in_use().get(&canonical).and_then(Weak::upgrade) {
            return Ok(game);
        }
        // Made without the lock: a Python-defined game may wait for a thread that waits for the lock.
        let game = self.erased.make(&params, &canonical);
        let mut in_use = self.in_use();
        in_use.retain(|_, game| game.strong_count() > 0);
        if let Some(game) = in_use.get(&canonical).and_then(Weak::upgrade) {
            return Ok(game);
        }
        in_use.insert(canonical, Arc::downgrade(&game));
        Ok(game)
    }

    fn in_use(&self) -> MutexGuard<'_, BTreeMap<String, Weak<dyn AnyGame>>> {
        self.in_use.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
