//! Games as a reader sees them: a page for each, their index, the README's table, and their goldens.

use std::collections::BTreeSet;
use std::sync::Arc;

use reasonenv::budget::Budget;
use reasonenv::game::arena::{Calibration, Tally};
use reasonenv::game::episode::message::MOVE_TAG;
use reasonenv::game::episode::referee::Helpers;
use reasonenv::game::episode::setup::{Rival, Seat, Setup};
use reasonenv::game::erased::{AnyGame, RegisteredGame};
use reasonenv::game::opponent::{Opponent, Pick};
use reasonenv::game::state::GameState;
use reasonenv::game::value::{Optimality, Value as Worth};
use reasonenv::game::variant::Opening;
use reasonenv::games;
use reasonenv::rules::Turn;
use serde_json::{Map, Value};

use crate::markdown::{MARK, cell, folded, param_table, table, versions};
use crate::param::params;
use crate::{gymnasium_id, item};

/// Chances of a random move at which policies are compared.
const SKILLS: [f64; 4] = [1.0, 0.45, 0.125, 0.0];
/// Largest number of positions of a game in which policies are compared.
const MOST_POSITIONS: usize = 10_000;
/// The error that goldens freeze, and how near the end exact play begins in a game too deep for it.
const ERROR: f64 = 0.3;
const EXACT_PLIES: u32 = 6;
/// Longest games, in plies, that are solved from the start for a page or a golden.
const MOST_PLIES: u32 = 24;
/// Games whose exact replies are frozen over many seeds. A digest keeps the sample it was made from, so a
/// game that became fast to solve later keeps its small one.
const SAMPLED_WIDELY: [&str; 1] = ["tic_tac_toe"];
/// Seeds in a golden.
const SEEDS: u64 = 3;

/// A game under the params of one of its variants.
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

/// Table of games in the README.
pub fn by_name() -> String {
    let rows = games::all().iter().map(|family| {
        let about = family.about();
        vec![format!("[`{0}`](docs/games/{0}.md)", about.name), cell(about.summary)]
    });
    table(&["Game", "What it is"], rows)
}

/// The index of all pages.
pub fn index() -> String {
    let rows = games::all().iter().map(|family| {
        let about = family.about();
        let game = variant(family, 0);
        vec![
            format!("[`{0}`]({0}.md)", about.name),
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
        "What it is",
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
         Every game, from the registry; numbers are those of its default params. *Exact values* says \
         whether a search from the start proves what each move is worth. *Perfect play* is what the \
         first player gets when both sides play perfectly.\n\n{}",
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

/// The page of a game; `measured` is what `make game-rates` wrote, or null.
pub fn page(family: &RegisteredGame, measured: &Value) -> String {
    let about = family.about();
    let game = variant(family, 0);
    let mut sections = vec![
        facts(&game),
        format!("## Rules\n\n{}", game.rules()),
        pictures(family),
        dialogue(&game),
        param_table(about.name, &params(family.schema())),
    ];
    sections.extend(comparison(&game));
    sections.extend(rates(measured, about.name));
    sections.push(versions(about.changes));
    format!("{MARK}# {}\n\n{}\n\n{}\n", about.name, about.summary, sections.join("\n\n"))
}

/// Measured speed of the game's environments, one setup per row, or `None` if it was not measured.
fn rates(measured: &Value, name: &str) -> Option<String> {
    let rows = measured[name].as_array()?.iter().map(|row| {
        let envs = row["envs"].as_u64().unwrap_or_default();
        let setup = row["setup"].as_str().unwrap_or_default();
        vec![format!("`{setup}`"), rate(&row["single"]), rate(&row["vector"]), envs.to_string()]
    });
    let columns = ["Opponent, or what else is asked for", "One at a time", "Side by side", "Envs"];
    Some(format!(
        "## Speed\n\n\
         Env-steps per second under the default params, in one run on one thread of a shared virtual machine: random \
         legal actions, resets included; single ones through `gymnasium.make`. `self` has one ply a step, others your \
         move and the reply to it. The rows without an opponent's name have the default one.\n\n{}",
        table(&columns, rows)
    ))
}

/// A rate to two figures.
fn rate(number: &Value) -> String {
    let number = number.as_f64().unwrap_or_default();
    let (unit, size) = match number {
        1e6.. => (" M", 1e6),
        1e3.. => (" k", 1e3),
        _ => ("", 1.0),
    };
    let digits = usize::from(number / size < 10.0);
    format!("{:.digits$}{unit}", number / size)
}

fn facts(game: &Arc<dyn AnyGame>) -> String {
    let about = game.about();
    let name = about.name;
    let [first, second] = about.players;
    let last = game.actions() - 1;
    let deep = game
        .unsolvable_reason()
        .map_or_else(|| exactness(game).to_owned(), |why| format!("near the end only: {why}"));
    let facts = [
        format!("**Gymnasium id**: `{}`", gymnasium_id(name, about.version())),
        format!("**Players**: {first} moves first, then {second}"),
        format!("**Chance**: {}", yes(about.chance)),
        format!("**Hidden information**: {}", yes(about.hidden)),
        format!(
            "**Actions**: {}, called {}, from `{}` to `{}`",
            game.actions(),
            about.moves,
            game.name_action(0),
            game.name_action(last)
        ),
        format!("**Observation**: float32 of shape {}", shape(game)),
        format!("**Longest game**: {} plies", game.max_plies()),
        format!("**Exact values**: {deep}"),
        format!("**With perfect play the first player gets**: {}", worth(about.value)),
        format!("**`Value.score` counts**: {}", about.score),
        format!("**Opponents**: {}", opponents(game)),
        format!("**Analysis labels missed wins, missed blocks and allowed forks**: {}", yes(about.tactics)),
        format!("**Source**: [{name}.rs](../../rust/games/src/{name}.rs)"),
    ];
    format!(
        "- {}\n\n```python\nimport reasonenv\n\n\
         state = reasonenv.game(\"{name}\").start(seed=0)\n```",
        facts.join("\n- ")
    )
}

fn shape(game: &Arc<dyn AnyGame>) -> String {
    let sides: Vec<_> = game.shape().iter().map(usize::to_string).collect();
    match sides.as_slice() {
        [only] => format!("({only},)"),
        sides => format!("({})", sides.join(", ")),
    }
}

fn opponents(game: &Arc<dyn AnyGame>) -> String {
    let named = |exact_plies| -> Vec<String> {
        let able = |name: &&&str| {
            let opponent = Opponent { exact_plies, ..Opponent::new(pick(name)) };
            opponent.check(game.as_ref()).is_ok()
        };
        let able = Pick::NAMES.iter().filter(able);
        able.map(|name| format!("`{name}`")).collect()
    };
    let plain = named(None);
    let late: Vec<_> = named(Some(EXACT_PLIES)).into_iter().filter(|name| !plain.contains(name)).collect();
    if late.is_empty() {
        return plain.join(", ");
    }
    format!("{}; with `exact_plies` also {}", plain.join(", "), late.join(", "))
}

fn pick(name: &str) -> Pick {
    Pick::find(name, Optimality::Dtm).expect("the name is one of its own list")
}

/// A variant's params as a reader would write them.
fn title(game: &Arc<dyn AnyGame>) -> String {
    let canonical: Map<String, Value> =
        serde_json::from_str(game.canonical()).expect("canonical params are a JSON object");
    if canonical.is_empty() { "Default params".to_owned() } else { format!("`{}`", item::fields(&canonical)) }
}

/// The start of every variant and a position from its middle.
fn pictures(family: &RegisteredGame) -> String {
    let usual = variant(family, 0).rules();
    let mut text = "## Variants".to_owned();
    for game in variants(family) {
        let rules = Some(game.rules()).filter(|rules| *rules != usual);
        let plies = middle(&game);
        let (bare, later) = (start(&game, 0, 0), start(&game, 0, plies));
        let deep = if game.unsolvable_reason().is_some() { ", too deep for exact values" } else { "" };
        text += &format!(
            "\n\n### {}\n\n{}{} actions, observation {}, at most {} plies{deep}.\n\n{}\n\n\
             `start(seed=0, opening_plies={plies})`, as player {} sees it:\n\n{}",
            title(&game),
            rules.map_or_else(String::new, |rules| format!("{rules}\n\n")),
            game.actions(),
            shape(&game),
            game.max_plies(),
            folded(&bare.show(0)),
            mover(later.as_ref()),
            folded(&later.show(mover(later.as_ref()))),
        );
    }
    text
}

/// Half the length of a random game.
fn middle(game: &Arc<dyn AnyGame>) -> u32 {
    let mut state = start(game, 0, 0);
    let dealt = state.moves().len();
    while state.turn() != Turn::Over {
        let reply = state.reply(&Opponent::new(Pick::Random), &mut Budget::unlimited());
        state.apply(reply.expect("anyone can play at random"));
    }
    let plies = (state.moves().len() - dealt) as u32;
    (plies / 2).clamp(1, Opening::MOST_PLIES)
}

/// The player to move; player 0 if there is none.
fn mover(state: &dyn GameState) -> u8 {
    match state.turn() {
        Turn::Player(player) => player,
        Turn::Chance | Turn::Over => 0,
    }
}

/// A strong and fast opponent.
fn usual(game: &Arc<dyn AnyGame>) -> Opponent {
    let able = |name: &str| {
        let opponent = Opponent::new(pick(name));
        let quick = !opponent.pick.solves() || !is_deep(game);
        (quick && opponent.check(game.as_ref()).is_ok()).then_some(opponent)
    };
    let mut found = ["minimax", "equilibrium", "heuristic", "random"].into_iter().filter_map(able);
    found.next().expect("anyone can play at random")
}

/// The first messages of a game in text.
fn dialogue(game: &Arc<dyn AnyGame>) -> String {
    let opponent = usual(game);
    let setup = Setup { opponent: Rival::Named(opponent), seat: Seat::First, ..Setup::default() };
    let help = &mut Helpers::within(Budget::unlimited());
    let mut lanes = game.clone().episodes(1, setup).expect("the usual opponent can play the game");
    lanes.seed(0, 0, 0, 0);
    lanes.reset(0, help).expect("nothing limits the search");
    let told = lanes.message(0);
    let action = lanes.state(0).reply(&opponent, &mut help.budget).expect("nothing limits the search");
    let answer = format!("<{MOVE_TAG}>{}</{MOVE_TAG}>", game.name_action(action));
    lanes.say(0, &answer, help).expect("nothing limits the search");
    format!(
        "## In text\n\nWhat a language model is told first:\n\n{}\n\n\
         It answers with a move inside `<{MOVE_TAG}></{MOVE_TAG}>`:\n\n{}\n\nand is told:\n\n{}",
        folded(&told),
        folded(&answer),
        folded(&lanes.message(0))
    )
}

/// True if few enough positions are reachable from the start of seed 0 to visit them all. Counts positions
/// rather than solver work, which depends on what the solver remembers.
fn is_small(game: &Arc<dyn AnyGame>) -> bool {
    let mut seen = BTreeSet::new();
    let mut ahead = vec![start(game, 0, 0)];
    while let Some(state) = ahead.pop() {
        let Turn::Player(player) = state.turn() else {
            continue;
        };
        if !seen.insert((player, state.key_for(player))) {
            continue;
        }
        if seen.len() > MOST_POSITIONS {
            return false;
        }
        ahead.extend(state.legal_set().iter().map(|action| {
            let mut after = state.boxed_game_clone();
            after.apply(action);
            after
        }));
    }
    true
}

/// Results of policies against opponents of different strength, if the whole tree is small.
fn comparison(game: &Arc<dyn AnyGame>) -> Option<String> {
    if !is_small(game) {
        return None;
    }
    let columns: Vec<Vec<Calibration>> = SKILLS
        .iter()
        .map(|&random_move_prob| {
            let opponent = Opponent { random_move_prob, ..usual(game) };
            game.calibrate(&opponent, &mut Budget::unlimited()).ok()
        })
        .collect::<Option<_>>()?;
    let stakes =
        columns.iter().flatten().any(|row| (row.tally.mean - (row.tally.win - row.tally.loss)).abs() > 1e-9);
    let shown = |tally: &Tally| {
        let Tally { win, draw, loss, mean } = tally;
        let mean = if stakes { format!(" ({mean:+.3})") } else { String::new() };
        let [win, draw, loss] = [win, draw, loss].map(|share| 100.0 * share);
        format!("{win:.2}/{draw:.2}/{loss:.2}{mean}")
    };
    let rows = (0..columns[0].len()).map(|at| {
        let name = format!("`{}`", columns[0][at].policy);
        let cells = columns.iter().map(|column| shown(&column[at].tally));
        std::iter::once(name).chain(cells).collect()
    });
    let heads = SKILLS.map(|p| format!("p = {p}"));
    let heads: Vec<&str> = std::iter::once("Policy").chain(heads.iter().map(String::as_str)).collect();
    let mean = if stakes { ", and the mean return in brackets" } else { "" };
    Some(
        format!(
            "## What a score means\n\nPercent of games won/drawn/lost against `{}` with \
             `random_move_prob` p, moving first in one half of them{mean}. Computed over the whole tree, \
             not sampled: `Game.calibrate`, or `reasonenv arena {} --calibrate`.\n\n{}",
            usual(game).pick.name(),
            game.about().name,
            table(&heads, rows)
        )
        .trim_end()
        .to_owned(),
    )
}

/// True if exact play from the start may take long, even with the game's shortcuts.
fn is_deep(game: &Arc<dyn AnyGame>) -> bool {
    game.unsolvable_reason().is_some() || game.max_plies() > MOST_PLIES
}

/// Opponents whose replies are frozen, with labels. In deep games, solvers play exactly only near the end.
fn contenders(game: &Arc<dyn AnyGame>) -> Vec<(String, Opponent)> {
    let of = |pick: Pick| Opponent {
        exact_plies: (pick.solves() && is_deep(game)).then_some(EXACT_PLIES),
        ..Opponent::new(pick)
    };
    let mut all: Vec<_> = Pick::NAMES.iter().map(|name| ((*name).to_owned(), of(pick(name)))).collect();
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

/// Starts, and games between opponents of the same kind, one line each: those of the seeds below `many`, or
/// below `few` if replies take a search.
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

/// The golden of a game: for every variant its start, the values of the moves, and a few games.
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

/// Values of all moves, if they can be computed at once.
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
    use serde_json::json;

    use super::*;

    #[test]
    fn every_variant_has_contenders_and_their_games_end() {
        for family in games::all() {
            for game in variants(family) {
                let lines = played(&game, 1, 1);
                let games = lines.iter().filter(|line| line.contains(" -> ")).count();
                assert_eq!(games, contenders(&game).len());
                assert!(games >= 2, "{}: {lines:?}", title(&game));
            }
        }
    }

    #[test]
    fn measured_rates_are_rows() {
        let measured = json!({"nim": [
            {"setup": "minimax", "single": 412_345, "vector": 7_812_345, "envs": 1024},
            {"setup": "analysis=True", "single": 950, "vector": 1_049, "envs": 16},
        ]});
        let text = rates(&measured, "nim").unwrap();
        assert!(text.contains("| `minimax` | 412 k | 7.8 M | 1024 |"), "{text}");
        assert!(text.contains("| `analysis=True` | 950 | 1.0 k | 16 |"), "{text}");
        assert_eq!(rates(&measured, "chomp"), None);
        assert_eq!(rates(&Value::Null, "nim"), None);
    }

    #[test]
    fn values_read_as_words() {
        assert_eq!(worth(Some(1.0)), "a win");
        assert_eq!(worth(Some(-1.0 / 18.0)), "-0.0556");
        assert_eq!(worth(None), "not known");
    }
}
