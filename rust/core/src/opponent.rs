//! Who plays against the learner: skill is a dial, and ties are broken by the example's seed.

use crate::actions::Actions;
use crate::error::{Error, unknown};
use crate::game::{AnyGame, Game, Optimality, Unsolved};
use crate::play::{Action, Turn};
use crate::rng::Rng;
use crate::solver::limit::Limit;

/// What one example owes to chance: the key of every turn's words. The same position in the same
/// example is dealt the same words, whatever came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Luck {
    keys: [u64; 2],
}

impl From<&mut Rng> for Luck {
    fn from(rng: &mut Rng) -> Self {
        Self { keys: [rng.word(), rng.word()] }
    }
}

impl Luck {
    /// Stands for chance where a player's number is asked for.
    pub const CHANCE: u8 = 2;
    /// Stands for what is drawn once an example.
    pub const EXAMPLE: u8 = 3;

    /// The words for `player`'s turn in the state with this key: SipHash-1-3 of the key (16 bytes,
    /// little-endian) and the player (one byte), spread by `SplitMix64`.
    #[inline]
    pub fn words(&self, player: u8, key: u128) -> Words {
        let [k0, k1] = self.keys;
        let mut v = [
            k0 ^ 0x736F_6D65_7073_6575,
            k1 ^ 0x646F_7261_6E64_6F6D,
            k0 ^ 0x6C79_6765_6E65_7261,
            k1 ^ 0x7465_6462_7974_6573,
        ];
        // The last block holds the rest of the message and, in its top byte, the length: 17.
        for block in [key as u64, (key >> 64) as u64, 17 << 56 | u64::from(player)] {
            v[3] ^= block;
            sip_round(&mut v);
            v[0] ^= block;
        }
        v[2] ^= 0xFF;
        for _ in 0..3 {
            sip_round(&mut v);
        }
        Words(v[0] ^ v[1] ^ v[2] ^ v[3])
    }

    /// The luck of one example, and words for what else it draws once.
    #[inline]
    pub fn of_example(&self, seed: u64) -> (Self, [u64; 2]) {
        let words = self.words(Self::EXAMPLE, seed.into());
        let luck = Self { keys: [words.get(0), words.get(1)] };
        (luck, [words.get(2), words.get(3)])
    }
}

#[inline]
fn sip_round(v: &mut [u64; 4]) {
    v[0] = v[0].wrapping_add(v[1]);
    v[1] = v[1].rotate_left(13) ^ v[0];
    v[0] = v[0].rotate_left(32);
    v[2] = v[2].wrapping_add(v[3]);
    v[3] = v[3].rotate_left(16) ^ v[2];
    v[0] = v[0].wrapping_add(v[3]);
    v[3] = v[3].rotate_left(21) ^ v[0];
    v[2] = v[2].wrapping_add(v[1]);
    v[1] = v[1].rotate_left(17) ^ v[2];
    v[2] = v[2].rotate_left(32);
}

/// Independent words, numbered from 0.
#[derive(Clone, Copy, Debug)]
pub struct Words(u64);

impl Words {
    /// One of them: output `n` of `SplitMix64`.
    #[inline]
    pub const fn get(self, n: u64) -> u64 {
        let mut mixed = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(n + 1));
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }
}

/// A word as a number below `n`, uniform but for `n / 2^64`.
pub fn scaled(word: u64, n: u64) -> u64 {
    ((u128::from(word) * u128::from(n)) >> 64) as u64
}

/// A word as a coin that falls on its side with probability `p`; what falls so for some `p` falls so for
/// every larger one.
fn falls(word: u64, p: f64) -> bool {
    const WORDS: f64 = 18_446_744_073_709_551_616.0;
    u128::from(word) < (p * WORDS) as u128
}

/// How an opponent picks its move when it does not err.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Any legal move.
    Random,
    /// Any of the best moves.
    Minimax(Optimality),
    /// A move that wins at once; else any of those that leave the other the fewest ways to win at once.
    Heuristic,
    /// The best move with the lowest number.
    FirstBest(Optimality),
    /// The best move with the highest number.
    LastBest(Optimality),
    /// As an equilibrium of a game of hidden information weighs the moves.
    Equilibrium,
}

impl Pick {
    pub const NAMES: [&'static str; 6] =
        ["random", "minimax", "heuristic", "first_best", "last_best", "equilibrium"];

    pub fn find(name: &str, optimality: Optimality) -> Result<Self, Error> {
        Ok(match name {
            "random" => Self::Random,
            "minimax" => Self::Minimax(optimality),
            "heuristic" => Self::Heuristic,
            "first_best" => Self::FirstBest(optimality),
            "last_best" => Self::LastBest(optimality),
            "equilibrium" => Self::Equilibrium,
            _ => return Err(unknown("opponent", name, &Self::NAMES)),
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Minimax(_) => "minimax",
            Self::Heuristic => "heuristic",
            Self::FirstBest(_) => "first_best",
            Self::LastBest(_) => "last_best",
            Self::Equilibrium => "equilibrium",
        }
    }

    /// Whether it needs exact values.
    pub fn solves(self) -> bool {
        matches!(self, Self::Minimax(_) | Self::FirstBest(_) | Self::LastBest(_))
    }
}

/// An opponent: how it picks, and how often it errs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opponent {
    pub pick: Pick,
    /// Probability of a uniform legal move instead, on each of its turns.
    pub random_move_prob: f64,
    /// Probability of a uniform move that is not best instead, where there is one.
    pub blunder_prob: f64,
    /// It plays exactly once at most this many plies are left, and before as [`Pick::Heuristic`] does.
    /// Plies rather than positions searched: a reply may not depend on what a solver remembers.
    pub exact_plies: Option<u32>,
}

impl Opponent {
    pub const fn new(pick: Pick) -> Self {
        Self { pick, random_move_prob: 0.0, blunder_prob: 0.0, exact_plies: None }
    }

    /// Refuses what could not be played: a probability outside `[0, 1]`, exact play of a game that is too
    /// deep for it, an equilibrium that is not known.
    pub fn check(&self, game: &dyn AnyGame) -> Result<(), Error> {
        let invalid = |message| Error::InvalidOpponent { game: game.about().name, message };
        for (name, p) in [("random_move_prob", self.random_move_prob), ("blunder_prob", self.blunder_prob)] {
            if !(0.0..=1.0).contains(&p) {
                return Err(invalid(format!("`{name}` is {p}, but must be between 0 and 1")));
            }
        }
        if self.random_move_prob > 0.0 && self.blunder_prob > 0.0 {
            return Err(invalid(
                "`random_move_prob` and `blunder_prob` are both given; one of them must be 0".to_owned(),
            ));
        }
        let solves = self.pick.solves() || self.blunder_prob > 0.0;
        if let Some(why) = game.too_deep().filter(|_| solves && self.exact_plies.is_none()) {
            let name = self.pick.name();
            return Err(invalid(format!(
                "`{name}` needs exact values, but {why}; give `exact_plies` to play by `heuristic` \
                 until so few plies are left, or take another opponent"
            )));
        }
        if game.about().hidden && (solves || self.pick == Pick::Heuristic) {
            return Err(invalid(format!(
                "`{}` looks at the whole state, which a game of hidden information does not show; take \
                 `equilibrium` or `random`",
                self.pick.name()
            )));
        }
        if self.pick == Pick::Equilibrium && !game.has_equilibrium() {
            return Err(invalid("no equilibrium is known; take `minimax`".to_owned()));
        }
        Ok(())
    }

    /// What it plays in this example.
    pub fn reply<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        luck: &Luck,
        limit: &mut Limit<'_>,
    ) -> Result<Action, Unsolved> {
        let Turn::Player(player) = game.turn(state) else {
            unreachable!("an opponent is asked when it is a player's turn")
        };
        let legal = game.legal(state);
        // Three words: whether it errs, which error it makes, which of the best moves it takes. They do not
        // depend on how often it errs, so a higher probability only adds errors.
        let words = luck.words(player, game.key(state, player));
        let (coin, any, tie) = (0, 1, 2);
        let of = |set: Actions, word: u64| {
            let picked = if set.is_single() {
                set.first()
            } else {
                set.nth(scaled(words.get(word), set.len().into()) as u32)
            };
            picked.expect("a player who is to move has a move")
        };
        if self.random_move_prob > 0.0 && falls(words.get(coin), self.random_move_prob) {
            return Ok(of(legal, any));
        }
        if legal.is_single() {
            return Ok(of(legal, tie));
        }
        if self.blunder_prob > 0.0 && falls(words.get(coin), self.blunder_prob) {
            let worse = self.worse(game, state, legal, limit)?;
            if !worse.is_empty() {
                return Ok(of(worse, any));
            }
        }
        if let (Pick::Equilibrium, Some(weights)) = (self.pick, game.equilibrium(state)) {
            let mut left = scaled(words.get(tie), weights.iter().sum());
            let drawn = weights.iter().position(|&weight| {
                let here = left < weight;
                left = left.saturating_sub(weight);
                here
            });
            return Ok(drawn.map_or_else(
                || of(legal, tie),
                |at| legal.nth(at as u32).expect("every legal action has a weight"),
            ));
        }
        Ok(of(self.choice(game, state, legal, limit)?, tie))
    }

    /// The probability with which it plays each action, over all examples.
    pub fn distribution<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        limit: &mut Limit<'_>,
    ) -> Result<Vec<(Action, f64)>, Unsolved> {
        let legal = game.legal(state);
        let even =
            |set: &Actions, action: Action| f64::from(u8::from(set.contains(action))) / f64::from(set.len());
        let blunder = if self.blunder_prob > 0.0 {
            let worse = self.worse(game, state, legal, limit)?;
            (!worse.is_empty()).then_some(worse)
        } else {
            None
        };
        let (err, errors) = match blunder {
            Some(worse) => (self.blunder_prob, worse),
            None => (self.random_move_prob, legal),
        };
        let weights = game.equilibrium(state).filter(|_| self.pick == Pick::Equilibrium);
        let usual: Vec<f64> = if let Some(weights) = weights {
            let total: u64 = weights.iter().sum();
            weights.iter().map(|&weight| weight as f64 / total as f64).collect()
        } else {
            let choice = self.choice(game, state, legal, limit)?;
            legal.iter().map(|action| even(&choice, action)).collect()
        };
        let mixed = |(action, usual)| (action, err * even(&errors, action) + (1.0 - err) * usual);
        Ok(legal.iter().zip(usual).map(mixed).collect())
    }

    fn optimality(&self) -> Optimality {
        match self.pick {
            Pick::Minimax(optimality) | Pick::FirstBest(optimality) | Pick::LastBest(optimality) => {
                optimality
            }
            Pick::Random | Pick::Heuristic | Pick::Equilibrium => Optimality::Wdl,
        }
    }

    /// The moves it takes for the best.
    fn best<G: Game>(&self, game: &G, state: &G::State, limit: &mut Limit<'_>) -> Result<Actions, Unsolved> {
        if self.exact_plies.is_some_and(|most| game.plies_left(state) > most) {
            return Ok(heuristic(game, state));
        }
        game.best(state, self.optimality(), limit)
    }

    /// The moves that count as blunders.
    fn worse<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        legal: Actions,
        limit: &mut Limit<'_>,
    ) -> Result<Actions, Unsolved> {
        Ok(legal.without(&self.best(game, state, limit)?))
    }

    /// The moves it picks evenly among.
    fn choice<G: Game>(
        &self,
        game: &G,
        state: &G::State,
        legal: Actions,
        limit: &mut Limit<'_>,
    ) -> Result<Actions, Unsolved> {
        let only = |action: Option<Action>| Actions::only(action.expect("some move is best"));
        Ok(match self.pick {
            Pick::Random | Pick::Equilibrium => legal,
            Pick::Minimax(_) => self.best(game, state, limit)?,
            Pick::Heuristic => heuristic(game, state),
            Pick::FirstBest(_) => only(self.best(game, state, limit)?.first()),
            Pick::LastBest(_) => only(self.best(game, state, limit)?.last()),
        })
    }
}

/// The moves that win at once; else those that leave the opponent the fewest ways to win at once.
pub fn heuristic<G: Game>(game: &G, state: &G::State) -> Actions {
    let winning = wins(game, state);
    if !winning.is_empty() {
        return winning;
    }
    let legal = game.legal(state);
    let mut fewest = u32::MAX;
    let mut kept = Actions::NONE;
    for action in legal.iter() {
        let left = ways_left(game, state, action);
        if left < fewest {
            (fewest, kept) = (left, Actions::NONE);
        }
        if left == fewest {
            kept.insert(action);
        }
    }
    kept
}

/// The moves that win at once for the player to move.
pub fn wins<G: Game>(game: &G, state: &G::State) -> Actions {
    let Turn::Player(player) = game.turn(state) else {
        return Actions::NONE;
    };
    let winning = |action: &Action| {
        let mut next = state.clone();
        game.apply(&mut next, *action);
        game.turn(&next) == Turn::Over && game.returns(&next)[usize::from(player)] > 0.0
    };
    game.legal(state).iter().filter(winning).collect()
}

/// In how many ways the opponent can win at once after a move; a lost game counts as one more than any.
pub fn ways_left<G: Game>(game: &G, state: &G::State, action: Action) -> u32 {
    let mover = game.turn(state);
    let mut next = state.clone();
    game.apply(&mut next, action);
    match (mover, game.turn(&next)) {
        (Turn::Player(player), Turn::Over) => {
            let lost = game.returns(&next)[usize::from(player)] < 0.0;
            if lost { Actions::MOST + 1 } else { 0 }
        }
        (mover, turn) if mover == turn => 0,
        _ => wins(game, &next).len(),
    }
}

#[cfg(test)]
mod tests {
    use std::hash::Hasher;

    use siphasher::sip::SipHasher13;

    use super::*;
    use crate::rng::Key;

    #[test]
    fn turn_words_are_siphash_of_position_and_player() {
        let mut rng = Key::new("tests", 1, "luck", 0, "").stream(0);
        for _ in 0..1_000 {
            let luck = Luck::from(&mut rng);
            let key = u128::from(rng.word()) << 64 | u128::from(rng.word());
            let player = rng.below(4) as u8;
            let mut bytes = [player; 17];
            bytes[..16].copy_from_slice(&key.to_le_bytes());
            let mut hash = SipHasher13::new_with_keys(luck.keys[0], luck.keys[1]);
            hash.write(&bytes);
            assert_eq!(luck.words(player, key).0, hash.finish());
        }
    }

    /// The first outputs of `SplitMix64` from state 0, as published with it.
    #[test]
    fn words_are_splitmix() {
        let words = Words(0);
        let first = [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F];
        assert_eq!([0, 1, 2].map(|n| words.get(n)), first);
    }

    #[test]
    fn a_larger_probability_only_adds_errors() {
        let mut rng = Key::new("tests", 1, "coin", 0, "").stream(0);
        for _ in 0..1_000 {
            let word = rng.word();
            let falls: Vec<bool> = (0..=10).map(|p| falls(word, f64::from(p) / 10.0)).collect();
            assert!(falls.is_sorted() && !falls[0] && falls[10], "{word}");
        }
    }
}
