//! Games for the contracts, and their initial states.

use std::sync::Arc;

use reasonenv::budget::Budget;
use reasonenv::game::episode::referee::Helpers;
use reasonenv::game::erased::AnyGame;
use reasonenv::game::state::GameState;
use reasonenv::game::variant::Opening;
use reasonenv::games;
use reasonenv::rng::{Key, Rng};
use serde_json::{Value, json};

/// Positions that a contract may search at one state.
pub const NODES: u64 = 50_000;

/// A game with the params of one of its variants, and its name.
pub type Variant = (String, Arc<dyn AnyGame>);

pub fn variants() -> impl Iterator<Item = Variant> {
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

/// No limit, and no Python-defined helpers.
pub fn nobody() -> Helpers<'static, 'static> {
    Helpers::within(Budget::unlimited())
}

pub fn random_action(state: &dyn GameState, rng: &mut Rng) -> u32 {
    let legal = state.legal_set();
    legal.nth(rng.below(u64::from(legal.len())) as u32).expect("the draw is below the count")
}

/// Possible values of a param, its default first.
pub fn choices(field: &Value) -> Vec<Value> {
    let mut choices = vec![field["default"].clone()];
    choices.extend(match field["type"].as_str() {
        Some("boolean") => vec![json!(true), json!(false)],
        Some("string") => vec![json!("8/8/8/4k3/8/8/8/KQ6 w")],
        Some("array") => vec![json!([1]), json!([2, 5, 6]), json!([1, 3, 5, 7]), json!([21])],
        _ => match (field["enum"].as_array(), field["oneOf"].as_array()) {
            (Some(names), _) => names.clone(),
            (_, Some(named)) => named.iter().map(|name| name["const"].clone()).collect(),
            _ => {
                let bound = |name: &str| field[name].as_u64().expect("a number has bounds");
                (bound("minimum")..=bound("maximum")).map(Value::from).collect()
            }
        },
    });
    choices.dedup();
    choices
}
