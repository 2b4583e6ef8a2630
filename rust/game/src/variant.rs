//! Games under given params, and how they begin.

use serde_json::{Map, Value as Json};

use crate::about::About;
use crate::draws::{EpisodeDraws, scaled};
use crate::game::Game;
use crate::value::Unsolved;
use kit::error::Error;
use kit::rng::{Key, Rng};
use kit::rules::{Action, Actions, Misread, Turn};

/// A game with its params and the facts about it.
#[derive(Debug)]
pub struct Variant<G> {
    pub about: &'static About,
    /// All params, including defaults.
    pub fields: Map<String, Json>,
    /// Canonical text of the params, part of every key.
    pub canonical: String,
    /// Key of all starts; a seed is the index of its stream.
    starts: Key,
    /// Source of every seed's draws.
    draws: EpisodeDraws,
    /// Name of every action.
    pub names: Vec<String>,
    pub game: G,
}

impl<G: Game> Variant<G> {
    pub fn new(about: &'static About, fields: Map<String, Json>, canonical: String, game: G) -> Self {
        let starts = Key::new(about.name, about.version(), "state", 0, &canonical);
        Self {
            about,
            fields,
            names: (0..game.actions()).map(|action| game.name_action(action)).collect(),
            draws: EpisodeDraws::from(&mut starts.derive("luck").stream(0)),
            starts,
            canonical,
            game,
        }
    }

    /// Return the key of everything drawn for `purpose` under `seed`.
    pub fn key(&self, purpose: &str, seed: u64) -> Key {
        let (name, version) = (self.about.name, self.about.version());
        Key::new(name, version, purpose, seed, &self.canonical)
    }

    /// Read the move that a text names: its name alone, or common notations such as `[4]` and `column 4`.
    pub fn read_move(&self, state: &G::State, text: &str) -> Result<Action, Misread> {
        let noun = self.about.moves.trim_end_matches('s');
        let nouns: &[&str] = match noun {
            "position" | "square" => &["position", "square", "cell"],
            noun => &[noun],
        };
        self.game.read_marked(state, text, nouns)
    }

    pub(super) fn unsolved(&self, why: &Unsolved) -> Error {
        why.error(self.about.name)
    }
}

/// A game after its opening.
#[derive(Debug)]
pub struct Opened<S> {
    pub draws: EpisodeDraws,
    pub state: S,
    /// Actions taken by chance or at random.
    pub moves: Vec<Action>,
}

impl<G: Game> Variant<G> {
    /// Return the start of a seed: the game's own start, the first actions of chance, then `plies` random moves that
    /// do not end the game.
    pub fn open(&self, seed: u64, plies: u32) -> Opened<G::State> {
        let mut rng = self.starts.stream(seed);
        let (draws, _) = self.draws.of_example(seed);
        let mut opened = Opened { draws, state: self.game.start(&mut rng), moves: Vec::new() };
        self.advance(&mut rng, plies, &draws, &mut opened.state, &mut opened.moves);
        opened
    }

    /// Return the start of a seed before anything happened.
    pub fn bare_start(&self, seed: u64) -> Opened<G::State> {
        Opened {
            draws: self.draws.of_example(seed).0,
            state: self.game.start(&mut self.starts.stream(seed)),
            moves: Vec::new(),
        }
    }

    /// Return the draws of a seed, and two words for whatever else an episode draws once.
    pub fn draws(&self, seed: u64) -> (EpisodeDraws, [u64; 2]) {
        self.draws.of_example(seed)
    }

    /// [`Variant::open`] in place.
    pub fn open_into(
        &self,
        seed: u64,
        plies: u32,
        draws: &EpisodeDraws,
        state: &mut G::State,
        moves: &mut Vec<Action>,
    ) {
        let mut rng = self.starts.stream(seed);
        *state = self.game.start(&mut rng);
        moves.clear();
        self.advance(&mut rng, plies, draws, state, moves);
    }

    fn advance(
        &self,
        rng: &mut Rng,
        plies: u32,
        draws: &EpisodeDraws,
        state: &mut G::State,
        moves: &mut Vec<Action>,
    ) {
        let game = &self.game;
        self.resolve_chance(state, draws, |action| moves.push(action));
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
            self.resolve_chance(state, draws, |action| moves.push(action));
        }
    }

    /// Play the actions of chance until its turn ends.
    pub fn resolve_chance(&self, state: &mut G::State, draws: &EpisodeDraws, mut tell: impl FnMut(Action)) {
        while self.about.chance && self.game.turn(state) == Turn::Chance {
            let word = draws.words(EpisodeDraws::CHANCE, self.game.key(state, EpisodeDraws::CHANCE)).get(0);
            let weights = self.game.chance_weights(state);
            let mut left = scaled(word, weights.iter().sum());
            let at = weights.iter().position(|&weight| {
                let here = left < weight;
                left = left.saturating_sub(weight);
                here
            });
            let at = at.expect("the draw is below the sum of the weights");
            let action = self.game.legal(state).nth(at as u32);
            let action = action.expect("chance has a weight for every legal action");
            self.game.apply(state, action);
            tell(action);
        }
    }
}

/// Interface of a [`Variant`] of any type.
pub trait GameInfo: Send + Sync {
    fn about(&self) -> &'static About;
    fn fields(&self) -> &Map<String, Json>;
    fn canonical(&self) -> &str;
    /// Rules under these params.
    fn rules(&self) -> String;
    /// Sentence that tells `player` which side it plays, as its position is drawn.
    fn role_text(&self, player: u8) -> String;
    fn actions(&self) -> u32;
    fn max_plies(&self) -> u32;
    /// Most turns of one player: half of all plies if players alternate, else all.
    fn most_turns(&self) -> u32;
    fn shape(&self) -> Vec<usize>;
    fn unsolvable_reason(&self) -> Option<&'static str>;
    fn solves_instantly(&self) -> bool;
    fn has_equilibrium(&self) -> bool;
    /// True if a message names this action to a player after the opponent or chance has taken it.
    fn is_announced(&self, action: Action) -> bool;
    fn name_action(&self, action: Action) -> String;
    fn read_action(&self, text: &str) -> Result<Action, Misread>;
}

impl<G: Game> GameInfo for Variant<G> {
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
    fn role_text(&self, player: u8) -> String {
        self.game.role_text(player)
    }
    fn actions(&self) -> u32 {
        self.game.actions()
    }
    fn max_plies(&self) -> u32 {
        self.game.max_plies()
    }
    fn most_turns(&self) -> u32 {
        let Opened { draws, mut state, .. } = self.open(0, 0);
        let mut last = None;
        while let Turn::Player(player) = self.game.turn(&state) {
            if last == Some(player) {
                return self.game.max_plies();
            }
            last = Some(player);
            let action = self.game.legal(&state).first().expect("a player who is to move has a move");
            self.game.apply(&mut state, action);
            self.resolve_chance(&mut state, &draws, |_| ());
        }
        self.game.max_plies().div_ceil(2)
    }
    fn shape(&self) -> Vec<usize> {
        self.game.shape()
    }
    fn unsolvable_reason(&self) -> Option<&'static str> {
        self.game.unsolvable_reason()
    }
    fn solves_instantly(&self) -> bool {
        self.game.solves_instantly()
    }
    fn has_equilibrium(&self) -> bool {
        self.game.has_equilibrium()
    }
    fn is_announced(&self, action: Action) -> bool {
        self.game.is_announced(action)
    }
    fn name_action(&self, action: Action) -> String {
        self.names[action as usize].clone()
    }
    fn read_action(&self, text: &str) -> Result<Action, Misread> {
        self.game.read_action(text)
    }
}

/// Opening of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    pub seed: u64,
    /// Number of random moves before the players begin.
    pub plies: u32,
    /// True if chance acts automatically.
    pub resolve_chance: bool,
}

impl Opening {
    /// Most plies of an opening.
    pub const MOST_PLIES: u32 = 32;

    /// Reject more plies than that, and any in a game whose chance is left to the caller: chance may have to act before
    /// the players can.
    pub fn check(&self, about: &About) -> Result<(), Error> {
        let (plies, most) = (self.plies, Self::MOST_PLIES);
        let message = if plies > most {
            format!("`opening_plies` is {plies}, but must be between 0 and {most}")
        } else if plies > 0 && about.chance && !self.resolve_chance {
            format!("`opening_plies` is {plies}, but must be 0 where chance is left to the caller")
        } else {
            return Ok(());
        };
        Err(Error::InvalidParams { family: about.name, message })
    }
}
