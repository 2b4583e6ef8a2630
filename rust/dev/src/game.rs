//! Games as a reader sees them: their index, the README's table, and their goldens.

use std::sync::Arc;

use reasonenv::budget::Budget;
use reasonenv::game::erased::{AnyGame, RegisteredGame};
use reasonenv::game::opponent::{Opponent, Pick};
use reasonenv::game::state::GameState;
use reasonenv::game::value::{Optimality, Value as Worth};
use reasonenv::game::variant::Opening;
use reasonenv::games;
use reasonenv::rules::Turn;
use serde_json::{Map, Value};

use crate::item;
use crate::markdown::{MARK, cell, table};

/// Probability of an error in goldens, and plies left when exact play begins in a game too deep for it.
const ERROR: f64 = 0.3;
const EXACT_PLIES: u32 = 6;
/// Most plies of a game that goldens solve from the start.
const MOST_PLIES: u32 = 24;
/// Games whose exact replies are frozen over many seeds. A digest keeps the sample it was made from, so games that
/// became fast to solve later keep their small one.
const SAMPLED_WIDELY: [&str; 1] = ["tic_tac_toe"];
/// Number of seeds in a golden.
const SEEDS: u64 = 3;

/// Return a game with the params of one of its variants.
pub fn variant(family: &RegisteredGame, number: usize) -> Arc<dyn AnyGame> {
    let given: Map<String, Value> =
        serde_json::from_str(family.about().variants[number]).expect("a variant is a JSON object");
    family.configure(&given).unwrap_or_else(|error| panic!("variant {number} is the game's own: {error}"))
}

fn variants(family: &RegisteredGame) -> Vec<Arc<dyn AnyGame>> {
    let count = family.about().variants.len();
    (0..count).map(|number| variant(family, number)).collect()
}

fn start(game: &Arc<dyn AnyGame>, seed: u64, plies: u32) -> Box<dyn GameState> {
    game.clone().start(Opening { seed, plies, resolve_chance: true })
}

/// Table of games, for the README.
pub fn by_name() -> String {
    let rows = games::all().iter().map(|family| {
        let about = family.about();
        vec![format!("[`{0}`](docs/games/README.md#{0})", about.name), cell(about.summary)]
    });
    table(&["Game", "Summary"], rows)
}

/// Index of the games.
pub fn index() -> String {
    let rows = games::all().iter().map(|family| {
        let about = family.about();
        let game = variant(family, 0);
        vec![
            format!("<a id=\"{0}\"></a>[`{0}`](../../tests/golden/games/{0}.txt)", about.name),
            cell(about.summary),
            game.actions().to_string(),
            game.max_plies().to_string(),
            about.variants.len().to_string(),
            yes(about.chance),
            yes(about.hidden),
            exactness(&game).to_owned(),
            worth(about.value),
        ]
    });
    let columns = [
        "Game",
        "Summary",
        "Actions",
        "Plies at most",
        "Variants",
        "Chance",
        "Hidden",
        "Exact values",
        "Perfect play",
    ];
    format!(
        "{MARK}# Games\n\n\
         Every game, with the numbers of its default params. A game's name leads to its starts, the values of their \
         moves, and sample games. *Exact values* says where a search proves what each move is worth. *Perfect play* is \
         what the first player gets when both sides play perfectly.\n\n{}",
        table(&columns, rows)
    )
}

fn yes(claim: bool) -> String {
    if claim { "yes" } else { "no" }.to_owned()
}

fn exactness(game: &Arc<dyn AnyGame>) -> &'static str {
    if game.about().hidden {
        "none"
    } else if game.unsolvable_reason().is_some() {
        "near the end"
    } else {
        "everywhere"
    }
}

fn worth(value: Option<f32>) -> String {
    match value {
        None => "not known".to_owned(),
        Some(1.0) => "a win".to_owned(),
        Some(-1.0) => "a loss".to_owned(),
        Some(0.0) => "a draw".to_owned(),
        Some(value) => format!("{value:.4}"),
    }
}

fn shape(game: &Arc<dyn AnyGame>) -> String {
    let sides: Vec<_> = game.shape().iter().map(usize::to_string).collect();
    match sides.as_slice() {
        [only] => format!("({only},)"),
        sides => format!("({})", sides.join(", ")),
    }
}

fn pick(name: &str) -> Pick {
    Pick::find(name, Optimality::Dtm, None).expect("the name is one of its own list")
}

/// True if exact play from the start may take long, whether or not the game has a way to make it fast.
fn is_deep(game: &Arc<dyn AnyGame>) -> bool {
    game.unsolvable_reason().is_some() || game.max_plies() > MOST_PLIES
}

/// Opponents whose replies are frozen, by distinct names. In deep games, those that solve play exactly only near the
/// end. Tree search is left out: its own test freezes it.
fn contenders(game: &Arc<dyn AnyGame>) -> Vec<(String, Opponent)> {
    let of = |pick: Pick| Opponent {
        exact_plies: (pick.solves() && is_deep(game)).then_some(EXACT_PLIES),
        ..Opponent::new(pick)
    };
    let frozen = Pick::NAMES.into_iter().filter(|name| pick(name).playouts().is_none());
    let mut all: Vec<_> = frozen.map(|name| (name.to_owned(), of(pick(name)))).collect();
    let best = if game.about().hidden { of(Pick::Equilibrium) } else { of(Pick::Minimax(Optimality::Dtm)) };
    let name = best.pick.name();
    if best.pick.solves() {
        all.push((format!("{name} optimality=wdl"), of(Pick::Minimax(Optimality::Wdl))));
    }
    all.push((format!("{name} random_move_prob={ERROR}"), Opponent { random_move_prob: ERROR, ..best }));
    all.push((format!("{name} blunder_prob={ERROR}"), Opponent { blunder_prob: ERROR, ..best }));
    all.retain(|(_, opponent)| opponent.check(game.as_ref()).is_ok());
    for (name, opponent) in &mut all {
        if let Some(plies) = opponent.exact_plies {
            *name += &format!(" exact_plies={plies}");
        }
    }
    all
}

/// Starts, and games that opponents play against themselves, one per line: for the seeds below `many`, or below `few`
/// if replies need a search.
pub fn played(game: &Arc<dyn AnyGame>, many: u64, few: u64) -> Vec<String> {
    let mut lines: Vec<_> = (0..many)
        .map(|seed| {
            let state = start(game, seed, 0);
            let dealt = if state.moves().is_empty() {
                String::new()
            } else {
                format!(" {}", names(game, state.moves()))
            };
            let shown = Value::from(vec![state.show(0), state.show(1)]);
            format!("seed {seed} start:{dealt} {shown}\n")
        })
        .collect();
    for (name, opponent) in contenders(game) {
        let searches = opponent.pick.solves() || opponent.blunder_prob > 0.0;
        let widely = game.solves_instantly() && SAMPLED_WIDELY.contains(&game.about().name);
        let seeds = if searches && !widely { few } else { many };
        for seed in 0..seeds {
            let mut state = start(game, seed, 0);
            while state.turn() != Turn::Over {
                let reply = state.reply(&opponent, &mut Budget::unlimited());
                let action = reply.unwrap_or_else(|error| panic!("{name} plays: {error}"));
                state.apply(action);
            }
            lines.push(format!(
                "seed {seed} {name}: {} -> {}\n",
                names(game, state.moves()),
                state.returns()[0] + 0.0 // a draw is 0, never -0
            ));
        }
    }
    lines
}

fn names(game: &Arc<dyn AnyGame>, actions: &[u32]) -> String {
    let names: Vec<_> = actions.iter().map(|&action| game.name_action(action)).collect();
    names.join(" ")
}

/// Golden of a game: the start of every variant, the values of its moves, and a few games.
pub fn golden(family: &RegisteredGame) -> String {
    let shown = |game: Arc<dyn AnyGame>| {
        let bare = start(&game, 0, 0);
        format!(
            "==== {} ====\n\nactions      {}\nobservation  {}\nlongest      {}\n\n\
             -- start of seed 0 --\n{}\n\n-- worth --\n{}\n-- games --\n{}",
            item::fields(game.fields()),
            game.actions(),
            shape(&game),
            game.max_plies(),
            bare.show(0),
            values(&game, bare.as_ref()),
            played(&game, SEEDS, SEEDS)
                .into_iter()
                .filter(|line| !line.contains(" start:") || game.about().chance)
                .collect::<String>()
        )
    };
    let all: Vec<_> = variants(family).into_iter().map(shown).collect();
    all.join("\n")
}

/// Value of every move, if it is quick to compute.
fn values(game: &Arc<dyn AnyGame>, state: &dyn GameState) -> String {
    let perfect = Opponent::new(Pick::Minimax(Optimality::Dtm));
    if perfect.check(game.as_ref()).is_err() || is_deep(game) {
        return format!("exact values: {}, not shown\n", exactness(game));
    }
    let values = state.values(&mut Budget::unlimited()).expect("nothing limits the search");
    let line = |(action, value): (u32, Worth)| {
        let plies = value.distance.map_or_else(String::new, |plies| format!(" in {plies}"));
        let (name, outcome, score) = (game.name_action(action), value.outcome, value.score);
        format!("{name}: outcome {outcome}{plies}, score {score}\n")
    };
    values.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_has_contenders_and_their_games_end() {
        for family in games::all() {
            for game in variants(family) {
                let lines = played(&game, 1, 1);
                let games = lines.iter().filter(|line| line.contains(" -> ")).count();
                assert_eq!(games, contenders(&game).len());
                // In a game of hidden information without an equilibrium, every other opponent would look.
                let least = if game.about().hidden { 1 } else { 2 };
                assert!(games >= least, "{}: {lines:?}", item::fields(game.fields()));
            }
        }
    }

    #[test]
    fn values_read_as_words() {
        assert_eq!(worth(Some(1.0)), "a win");
        assert_eq!(worth(Some(-1.0 / 18.0)), "-0.0556");
        assert_eq!(worth(None), "not known");
    }
}
