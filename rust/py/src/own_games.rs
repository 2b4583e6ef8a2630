//! Python-defined games: the core's traits over objects of `reasonenv.kit`, in which all values are text and numbers.
//!
//! A new state comes with all facts that play needs, so only starting, moving, showing and reading call Python. An
//! exception raised by a method propagates through the core to the function that Python called.

use std::sync::Arc;

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use reasonenv::budget::Budget;
use reasonenv::error::Error;
use reasonenv::game::about::About;
use reasonenv::game::erased::{AnyGame, AnyGameFamily, Parsed};
use reasonenv::game::game::Game as Rule;
use reasonenv::game::search::Solver;
use reasonenv::game::value::{Unsolved, Values};
use reasonenv::game::variant::Variant;
use reasonenv::games;
use reasonenv::params;
use reasonenv::picture::{Ink, Picture, Shape};
use reasonenv::rng::Rng;
use reasonenv::rules::{Action, Actions, Misread, Rules, Turn};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::args::Text;
use crate::errors::{InvalidArgument, to_py};
use crate::gil::raise;
use crate::own_families::{Asked, all_kept, filled, kept};
use crate::rng::lent;

/// Description of a game, checked by `reasonenv.kit`.
#[derive(Deserialize)]
struct Described {
    name: String,
    summary: String,
    changes: Vec<String>,
    players: [String; 2],
    variants: Vec<Value>,
    chance: bool,
    hidden: bool,
    stakes: bool,
    value: Option<f32>,
    max_plies: u32,
    moves: String,
    unsolvable_reason: Option<String>,
    exact_plies: u32,
    schema: Value,
}

struct OwnGameFamily {
    asked: Asked,
    about: &'static About,
    unsolvable_reason: Option<&'static str>,
    exact_plies: u32,
    schema: Value,
}

impl AnyGameFamily for OwnGameFamily {
    fn about(&self) -> &'static About {
        self.about
    }

    fn is_outside(&self) -> bool {
        true
    }

    fn schema(&self) -> Value {
        self.schema.clone()
    }

    fn parse(&self, given: &Map<String, Value>, schema: &Value) -> Result<(Parsed, String), Error> {
        let invalid = |message| Error::InvalidParams { family: self.about.name, message };
        params::check(given, schema).map_err(invalid)?;
        let fields = filled(given, schema);
        let canonical = params::canonical(&fields, schema);
        Ok((Box::new(fields), canonical))
    }

    fn make(&self, params: &Parsed, canonical: &str) -> Arc<dyn AnyGame> {
        let fields: &Map<String, Value> =
            params.downcast_ref().expect("these params were parsed by this family");
        let text = Value::Object(fields.clone()).to_string();
        let (asked, known): (Py<PyAny>, String) = Python::attach(|py| self.asked.ask(py, "make", (text,)));
        let known: Known = serde_json::from_str(&known)
            .unwrap_or_else(|error| raise(InvalidArgument::new_err(format!("`game`: {error}"))));
        let game = OwnGame {
            asked: Asked(asked),
            known,
            about: self.about,
            unsolvable_reason: self.unsolvable_reason,
            exact_plies: self.exact_plies,
            solver: Solver::default(),
        };
        Arc::new(Variant::new(self.about, fields.clone(), canonical.to_owned(), game))
    }
}

/// Facts about a game with its params.
#[derive(Debug, Deserialize)]
struct Known {
    names: Vec<String>,
    max_plies: u32,
    shape: Vec<usize>,
    rules: String,
    roles: [String; 2],
}

#[derive(Debug)]
struct OwnGame {
    asked: Asked,
    known: Known,
    about: &'static About,
    unsolvable_reason: Option<&'static str>,
    exact_plies: u32,
    solver: Solver,
}

/// A state as JSON, which each method parses into a copy, and its facts.
#[derive(Clone, Debug)]
struct OwnState {
    json: Arc<str>,
    facts: Arc<Facts>,
}

impl PartialEq for OwnState {
    fn eq(&self, other: &Self) -> bool {
        self.json == other.json
    }
}

#[derive(Debug)]
struct Facts {
    turn: Turn,
    legal: Actions,
    weights: Vec<u64>,
    returns: [f32; 2],
    plies_left: u32,
    /// Keys of the state as each player and chance know it.
    keys: [u128; 3],
}

/// State as Python returns it: JSON, turn, legal actions, weights, returns, plies left, keys.
type Told = (String, u8, Vec<u32>, Vec<u64>, (f32, f32), u32, Vec<u8>);

fn state((json, turn, legal, weights, (first, second), plies_left, keys): Told) -> OwnState {
    let turn = match turn {
        player @ (0 | 1) => Turn::Player(player),
        2 => Turn::Chance,
        _ => Turn::Over,
    };
    let key = |at: usize| {
        let bytes = keys.get(at * 16..(at + 1) * 16).and_then(|bytes| bytes.try_into().ok());
        u128::from_be_bytes(bytes.expect("there are three keys of 16 bytes"))
    };
    let facts = Facts {
        turn,
        legal: legal.into_iter().collect(),
        weights,
        returns: [first, second],
        plies_left,
        keys: [key(0), key(1), key(2)],
    };
    OwnState { json: json.into(), facts: Arc::new(facts) }
}

impl OwnGame {
    fn ask<T, A>(&self, method: &str, args: A) -> T
    where
        T: for<'a, 'py> FromPyObject<'a, 'py>,
        A: for<'py> PyCallArgs<'py>,
    {
        Python::attach(|py| self.asked.ask(py, method, args))
    }
}

impl Rules for OwnGame {
    type State = OwnState;
    type Legal = Actions;

    const PLAYERS: u8 = 2;

    fn is_outside(&self) -> bool {
        true
    }

    fn actions(&self) -> u32 {
        self.known.names.len() as u32
    }

    fn max_plies(&self) -> u32 {
        self.known.max_plies
    }

    fn turn(&self, state: &OwnState) -> Turn {
        state.facts.turn
    }

    fn legal(&self, state: &OwnState) -> Actions {
        state.facts.legal
    }

    fn apply(&self, state: &mut OwnState, action: Action) {
        *state = self::state(self.ask("apply", (&*state.json, action)));
    }

    fn returns(&self, state: &OwnState) -> [f32; 2] {
        state.facts.returns
    }

    fn show(&self, state: &OwnState, player: u8) -> String {
        self.ask("show", (&*state.json, player))
    }

    fn draw(&self, state: &OwnState, player: u8) -> Picture {
        let (rows, columns, shapes): Drawing = self.ask("draw", (&*state.json, player));
        let mut picture = Picture::new(rows, columns);
        for (kind, numbers, ink, text) in shapes {
            let ink = INKS.into_iter().find(|known| known.name() == ink).unwrap_or(Ink::Black);
            picture.shapes.push(match (kind.as_str(), numbers.as_slice()) {
                ("disc", &[x, y, radius]) => Shape::Disc { centre: (x, y), radius, ink },
                ("line", &[x, y, to_x, to_y, width]) => {
                    Shape::Line { from: (x, y), to: (to_x, to_y), width, ink }
                }
                (kind @ ("label" | "title"), &[x, y, height]) => {
                    Shape::Text { at: (x, y), height, centred: kind == "title", text, ink }
                }
                (_, numbers) => {
                    let number = |at: usize| numbers.get(at).copied().unwrap_or_default();
                    Shape::Rectangle { at: (number(0), number(1)), size: (number(2), number(3)), ink }
                }
            });
        }
        picture
    }

    fn name_action(&self, action: Action) -> String {
        self.known.names[action as usize].clone()
    }

    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        match self.ask::<(Option<u32>, String), _>("read_action", (text,)) {
            (Some(action), _) => Ok(action),
            (None, why) => Err(Misread::not_a_move(text, why)),
        }
    }

    fn why_illegal(&self, state: &OwnState, action: Action) -> String {
        self.ask("why_illegal", (&*state.json, action))
    }

    fn shape(&self) -> Vec<usize> {
        self.known.shape.clone()
    }

    fn observe(&self, state: &OwnState, player: u8, out: &mut [f32]) {
        out.copy_from_slice(&self.ask::<Vec<f32>, _>("observe", (&*state.json, player)));
    }
}

/// Rows, columns and shapes of a picture; each shape has a kind, numbers in eighths of a cell, a color, and a text.
type Drawing = (u32, u32, Vec<(String, Vec<u32>, String, String)>);

const INKS: [Ink; 9] =
    [Ink::Paper, Ink::Grey, Ink::Black, Ink::White, Ink::Red, Ink::Yellow, Ink::Blue, Ink::Green, Ink::Brown];

impl Rule for OwnGame {
    fn plies_left(&self, state: &OwnState) -> u32 {
        state.facts.plies_left
    }

    fn start(&self, rng: &mut Rng) -> OwnState {
        Python::attach(|py| {
            let told = lent(py, rng, |rng| self.asked.try_ask(py, "start", (rng,)));
            state(told.unwrap_or_else(|error| raise(error)))
        })
    }

    fn chance_weights(&self, state: &OwnState) -> Vec<u64> {
        state.facts.weights.clone()
    }

    fn role_text(&self, player: u8) -> String {
        self.known.roles[usize::from(player)].clone()
    }

    fn rules(&self) -> String {
        self.known.rules.clone()
    }

    fn key(&self, state: &OwnState, player: u8) -> u128 {
        state.facts.keys[usize::from(player.min(2))]
    }

    fn unsolvable_reason(&self) -> Option<&'static str> {
        self.unsolvable_reason
    }

    fn solves_quickly(&self, state: &OwnState) -> bool {
        state.facts.plies_left <= self.exact_plies
    }

    fn values(&self, state: &OwnState, budget: &mut Budget<'_>) -> Result<Values, Unsolved> {
        if self.about.chance || self.about.hidden {
            return Err(Unsolved::Never("a search goes through no chance and no hidden information"));
        }
        Ok(self.solver.values(self, state, budget)?)
    }
}

/// Register a game in this process. `asked` implements it, `about` describes it as JSON.
#[pyfunction]
pub fn _register_game(asked: Py<PyAny>, about: Text, replace: bool) -> PyResult<()> {
    let described: Described = serde_json::from_str(about.read("about")?)
        .map_err(|error| InvalidArgument::new_err(format!("`about`: {error}")))?;
    let [first, second] = described.players;
    let about = About {
        name: kept(described.name),
        summary: kept(described.summary),
        changes: all_kept(described.changes, kept),
        players: [kept(first), kept(second)],
        variants: all_kept(described.variants, |params| kept(params.to_string())),
        chance: described.chance,
        hidden: described.hidden,
        stakes: described.stakes,
        value: described.value,
        tactics: false,
        max_plies: described.max_plies,
        moves: kept(described.moves),
        score: "1 if won, 0 if drawn, -1 if lost",
    };
    let family = OwnGameFamily {
        asked: Asked(asked),
        about: Box::leak(Box::new(about)),
        unsolvable_reason: described.unsolvable_reason.map(kept),
        exact_plies: described.exact_plies,
        schema: described.schema,
    };
    games::add(Box::leak(Box::new(family)), replace).map(drop).map_err(to_py)
}

/// Remove a game that `_register_game` registered.
#[pyfunction]
pub fn _unregister_game(name: Text) -> PyResult<()> {
    games::remove(name.read("name")?).map_err(to_py)
}

/// True if a game is Python-defined.
pub fn is_outside(game: &dyn AnyGame) -> bool {
    games::all().iter().all(|known| !std::ptr::eq(known.about(), game.about()))
}
