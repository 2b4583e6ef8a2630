//! The games that the contracts go through, and how they are begun.

use std::sync::Arc;

use reasonenv::budget::Budget;
use reasonenv::game::episode::lane::Helpers;
use reasonenv::game::erased::AnyGame;
use reasonenv::game::state::GameState;
use reasonenv::game::variant::Opening;
use reasonenv::games;
use reasonenv::rng::{Key, Rng};

/// Positions a contract may search at one state.
pub const NODES: u64 = 50_000;

pub fn variants() -> impl Iterator<Item = (String, Arc<dyn AnyGame>)> {
    games::all().iter().flat_map(|family| {
        let about = family.about();
        about.variants.iter().map(move |variant| {
            let params = serde_json::from_str(variant).expect("a variant is a JSON object");
            let game = family.configure(&params);
            let name = format!("{} {variant}", about.name);
            (name, game.unwrap_or_else(|error| panic!("{error}")))
        })
    })
}

pub fn rng(purpose: &str) -> Rng {
    Key::new("tests", 1, purpose, 0, "").stream(0)
}

pub fn start(game: &Arc<dyn AnyGame>, seed: u64) -> Box<dyn GameState> {
    game.clone().start(Opening { seed, plies: 0, resolve_chance: true })
}

/// No limit, and nobody from outside.
pub fn nobody() -> Helpers<'static, 'static> {
    Helpers::within(Budget::unlimited())
}

pub fn random_action(state: &dyn GameState, rng: &mut Rng) -> u32 {
    let legal = state.legal_set();
    legal.nth(rng.below(u64::from(legal.len())) as u32).expect("the draw is below the count")
}
