//! Contracts of every registered game, in every variant it names.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use reasonenv::budget::Budget;
use reasonenv::game::episode::message::read_move;
use reasonenv::game::erased::AnyGame;
use reasonenv::game::opponent::{Opponent, Pick};
use reasonenv::game::state::GameState;
use reasonenv::game::value::Optimality;
use reasonenv::game::variant::Opening;
use reasonenv::games;
use reasonenv::rng::Rng;
use reasonenv::rules::{Actions, Turn};
use serde_json::{Map, Value};

use crate::common::{NODES, Variant, choices, random_action, rng, start, variants};
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<Variant>) {
    cases.each(named![
        pictures_show_what_the_text_shows,
        action_names_read_back,
        no_text_is_too_strange_to_read,
        games_end_and_say_who_won,
        no_more_plies_follow_than_are_said_to_be_left,
        states_replay_from_their_bytes,
        keys_say_what_a_player_knows,
        values_agree_with_play,
        opponents_play_as_their_distribution_says,
        tree_search_replies_by_seed_and_position_alone,
        openings_are_made_wherever_chance_does_not_come_first,
        default_opponents_reply_without_long_searches
    ]);
    cases.once(named![
        many_positions_can_be_won_at_once,
        facts_are_in_order,
        no_params_make_a_game_longer_than_declared,
        the_declared_value_is_the_computed_one
    ]);
    cases.each_that(
        |(_, game)| game.unsolvable_reason().is_some() && !game.about().hidden,
        named![deep_games_are_solved_within_a_bound_or_not_at_all],
    );
    cases.each_that(
        |(_, game)| Opponent::new(Pick::Heuristic).check(game.as_ref()).is_ok(),
        named![the_heuristic_wins_or_leaves_the_fewest_wins],
    );
}

/// The outcome that a return stands for.
fn sign(result: f32) -> i8 {
    i8::from(result > 0.0) - i8::from(result < 0.0)
}

/// Visits games of random moves, in which chance is drawn like any other player.
fn wander(game: &Arc<dyn AnyGame>, games: u64, rng: &mut Rng, mut visit: impl FnMut(&dyn GameState)) {
    for seed in 0..games {
        let mut state = game.clone().start(Opening { seed, plies: 0, resolve_chance: false });
        loop {
            visit(state.as_ref());
            if state.turn() == Turn::Over {
                break;
            }
            let action = random_action(state.as_ref(), rng);
            state.apply(action);
        }
    }
}

fn facts_are_in_order() {
    let names: Vec<_> = games::all().iter().map(|game| game.about().name).collect();
    assert!(names.is_sorted(), "{names:?} are not in alphabetical order");
    for family in games::all() {
        let about = family.about();
        assert_eq!(about.variants.first(), Some(&"{}"), "{}: the default comes first", about.name);
        assert!(about.version() > 0);
        for text in [about.summary, about.score] {
            assert!(text.is_ascii() || text.contains('è'), "{}: {text}", about.name);
            assert!(!text.is_empty());
        }
        let schema = family.schema();
        for (param, field) in schema["properties"].as_object().expect("params have fields") {
            assert!(field["description"].is_string(), "{}: `{param}` has no doc", about.name);
            assert!(field["role"].is_string(), "{}: `{param}` has no role", about.name);
        }
    }
}

/// Gymnasium's limit on the length of episodes derives from it, so it must hold for any params.
fn no_params_make_a_game_longer_than_declared() {
    let mut wrong = Vec::new();
    for family in games::all() {
        let about = family.about();
        let mut all = vec![Map::new()];
        for (param, field) in family.schema()["properties"].as_object().expect("params have fields") {
            if field["role"] == "structure" {
                let with = |params: &Map<String, Value>| {
                    let params = params.clone();
                    choices(field).into_iter().map(move |value| {
                        let mut params = params.clone();
                        params.insert(param.clone(), value);
                        params
                    })
                };
                all = all.iter().flat_map(with).collect();
            }
        }
        let plies = all.iter().filter_map(|params| Some(family.configure(params).ok()?.max_plies()));
        let most = plies.max().expect("the default params are fine");
        if most != about.max_plies {
            wrong.push(format!("{}: `max_plies` is {}, but must be {most}", about.name, about.max_plies));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Hidden information is not drawn, and everything that is drawn is inside the picture.
fn pictures_show_what_the_text_shows((name, game): Variant) {
    let mut rng = rng(&name);
    let mut drawn = BTreeMap::new();
    let mut pictures = BTreeSet::new();
    wander(&game, 20, &mut rng, |state| {
        for player in 0..2 {
            let picture = state.draw(player);
            assert!(picture.columns > 0 && picture.rows > 0, "{name}");
            assert!(picture.is_whole(), "{name}: {picture:?}");
            let picture = format!("{picture:?}");
            pictures.insert(picture.clone());
            let said = (player, state.show(player));
            let before = drawn.entry(said).or_insert_with(|| picture.clone());
            assert_eq!(*before, picture, "{name}: what looks the same in text is drawn the same");
        }
    });
    assert!(pictures.len() > 1, "{name}: all positions are drawn alike");
}

fn action_names_read_back((name, game): Variant) {
    assert!((1..=Actions::MOST).contains(&game.actions()), "{name}");
    for action in 0..game.actions() {
        let said = game.name_action(action);
        assert!(said.is_ascii() && !said.is_empty(), "{name}: {said}");
        assert_eq!(game.read_action(&said), Ok(action), "{name}: {said}");
        let loose = format!("  {}\n", said.to_lowercase());
        assert_eq!(game.read_action(&loose), Ok(action), "{name}: {loose:?}");
        let message = format!("I think.\n<move>{said}</move>");
        assert_eq!(read_move(&message, false, |said| game.read_action(said)).action, Ok(action));
    }
}

fn no_text_is_too_strange_to_read((name, game): Variant) {
    let mut rng = rng("strange");
    let pieces = [
        "<move>",
        "</move>",
        "<think>",
        "</think>",
        "0",
        "-1",
        "18446744073709551616",
        "a1",
        "é",
        "\0",
        " ",
        "X",
        "pass",
        "٣",
        "take",
        "from",
        ",",
        "\u{202e}",
        "x4",
        "h 1 2",
        "🦀",
        "--",
        "\n",
    ];
    for _ in 0..2_000 {
        let text: String = (0..rng.index(8)).map(|_| *rng.pick(&pieces)).collect();
        if let Ok(action) = game.read_action(&text) {
            assert!(action < game.actions(), "{name}: {text:?}");
        }
        if let Ok(action) = read_move(&text, true, |said| game.read_action(said)).action {
            assert!(action < game.actions(), "{name}: {text:?}");
        }
    }
    assert!(game.read_action("").is_err(), "{name}: nothing is no move");
    assert!(game.read_action(&"9".repeat(100_000)).is_err(), "{name}: no such number");
}

fn games_end_and_say_who_won((name, game): Variant) {
    let cells: usize = game.shape().iter().product();
    let (mut ply, mut ended) = (0, 0);
    wander(&game, 60, &mut rng(&name), |state| {
        let legal = state.legal_set();
        assert!(legal.iter().all(|action| action < game.actions()), "{name}");
        for player in [0, 1] {
            let mut seen = vec![f32::NAN; cells];
            state.observe(player, &mut seen);
            assert!(seen.iter().all(|x| (0.0..=1.0).contains(x)), "{name}: {seen:?}");
            let text = state.show(player);
            assert!(text.is_ascii() && !text.is_empty(), "{name}: {text}");
            assert!(text.lines().all(|line| line == line.trim_end()), "{name}: {text:?}");
        }
        if state.turn() == Turn::Over {
            assert!(legal.is_empty(), "{name}: moves after the end");
            let returns = state.returns();
            assert!((returns[0] + returns[1]).abs() < f32::EPSILON, "{name}: what one wins the other loses");
            assert!(ply <= game.max_plies(), "{name}: {ply} plies, though at most {}", game.max_plies());
            (ply, ended) = (0, ended + 1);
        } else {
            assert!(!legal.is_empty(), "{name}: no move\n{}", state.show(0));
            assert_eq!(
                state.turn() == Turn::Chance,
                state.chance_weights().len() == legal.len() as usize && !state.chance_weights().is_empty(),
                "{name}: chance has a weight for every action"
            );
            ply += 1;
        }
    });
    assert_eq!(ended, 60);
}

/// True if some line among those that this many `tries` reach lasts longer than this many plies.
fn outlasts(state: &dyn GameState, plies: u32, tries: &mut u32) -> bool {
    state.legal_set().iter().any(|action| {
        if *tries == 0 {
            return false;
        }
        *tries -= 1;
        let mut next = state.boxed_game_clone();
        next.apply(action);
        plies == 0 || outlasts(next.as_ref(), plies - 1, tries)
    })
}

fn no_more_plies_follow_than_are_said_to_be_left((name, game): Variant) {
    let mut said = Vec::new();
    wander(&game, 40, &mut rng(&name), |state| {
        if state.turn() == Turn::Over {
            for (ply, most) in said.iter().enumerate() {
                let follow = said.len() - ply;
                assert!(follow <= *most as usize, "{name}: {follow} plies follow, {most} were said");
            }
            said.clear();
        } else {
            let most = state.plies_left();
            assert!(!outlasts(state, most, &mut 200), "{name}: more than {most} plies\n{}", state.show(0));
            said.push(most);
        }
    });
}

fn states_replay_from_their_bytes((name, game): Variant) {
    let mut rng = rng(&name);
    for seed in 0..10 {
        let resolve_chance = seed % 2 == 0;
        let plies = if resolve_chance || !game.about().chance { seed as u32 % 4 } else { 0 };
        let opening = Opening { seed, plies, resolve_chance };
        let mut state = game.clone().start(opening);
        while state.turn() != Turn::Over {
            let action = random_action(state.as_ref(), &mut rng);
            state.apply(action);
            let again = game.clone().read(&state.bytes()).unwrap_or_else(|error| panic!("{error}"));
            assert!(again.same(state.as_ref()), "{name}");
            assert_eq!(again.bytes(), state.bytes(), "{name}");
            assert!(state.boxed_game_clone().same(state.as_ref()), "{name}");
        }
    }
    let bytes = String::from_utf8(start(&game, 3).bytes()).unwrap();
    for wrong in [
        "",
        "{}",
        "[]",
        "\0",
        &bytes.replace("\"moves\":[", "\"moves\":[4000000000,"),
        &bytes.replace("\"moves\":[", "\"moves\":[-1,"),
        &bytes.replace("\"moves\":[", "\"moves\":[null,"),
        &bytes.replace("\"version\":1", "\"version\":77"),
        &bytes.replace("\"opening_plies\":0", "\"opening_plies\":1000000"),
    ] {
        assert!(game.clone().read(wrong.as_bytes()).is_err(), "{name}: {wrong}");
    }
}

/// A state with a player's view of it.
type View = (Box<dyn GameState>, String, Vec<f32>);

/// States that a player can distinguish have different keys; states that it cannot distinguish look the same.
fn keys_say_what_a_player_knows((name, game): Variant) {
    let hidden = game.about().hidden;
    let cells: usize = game.shape().iter().product();
    let mut seen: BTreeMap<(u8, u128), View> = BTreeMap::new();
    let mut key_of = BTreeMap::new();
    wander(&game, 300, &mut rng(&name), |state| {
        let Turn::Player(player) = state.turn() else {
            return;
        };
        let mut view = vec![0.0; cells];
        state.observe(player, &mut view);
        let (text, key) = (state.show(player), state.key_for(player));
        if let Some((other, other_text, other_view)) = seen.get(&(player, key)) {
            assert!(hidden || other.same(state), "{name}: one key for two states");
            assert_eq!((&text, &view), (other_text, other_view), "{name}: more shown than known");
        } else {
            seen.insert((player, key), (state.boxed_game_clone(), text.clone(), view));
        }
        let before = key_of.insert((player, text.clone()), key);
        assert!(before.is_none_or(|before| before == key), "{name}: two keys for one view\n{text}");
    });
    if hidden {
        let hides = seen.values().any(|(state, _, _)| {
            seen.values().any(|(other, _, _)| state.turn() == other.turn() && !state.same(other.as_ref()))
        });
        assert!(hides, "{name}");
    }
}

fn values_agree_with_play((name, game): Variant) {
    if game.about().hidden {
        assert!(start(&game, 0).values(&mut Budget::unlimited()).is_err(), "{name}: hidden, yet valued");
        return;
    }
    let mut solved = 0;
    if game.solves_instantly() {
        computed(&game);
    }
    let mut tried: BTreeMap<u64, Vec<Box<dyn GameState>>> = BTreeMap::new();
    let mut games = 0;
    wander(&game, 12, &mut rng(&name), |state| {
        tried.entry(games).or_default().push(state.boxed_game_clone());
        games += u64::from(state.turn() == Turn::Over);
    });
    for line in tried.values() {
        // Backward from the end, where everything is solved, until something is not.
        for state in line.iter().rev().filter(|state| state.turn() != Turn::Over) {
            let Turn::Player(mover) = state.turn() else {
                continue;
            };
            let Ok(values) = state.values(&mut Budget::new(NODES)) else {
                break;
            };
            solved += 1;
            assert!(values.iter().map(|(action, _)| *action).eq(state.legal_set().iter()), "{name}");
            for optimality in Optimality::ALL {
                let best = state.best(optimality, &mut Budget::new(20 * NODES)).unwrap();
                let ranked = reasonenv::game::value::best_of(&values, optimality);
                assert_eq!(best, ranked, "{name} {optimality:?}\n{}", state.show(0));
            }
            for (action, value) in values {
                let mut next = state.boxed_game_clone();
                next.apply(action);
                assert_eq!(value.outcome == 0, value.rank(Optimality::Wdl).0 == 0);
                if next.turn() == Turn::Chance {
                    let expected = mean(next.as_ref(), mover);
                    assert!((value.mean - expected).abs() < 1e-11, "{name}: {action}\n{}", state.show(0));
                    continue;
                }
                assert!(
                    game.about().chance || value.mean.total_cmp(&f64::from(value.outcome)).is_eq(),
                    "{name}: {value:?}"
                );
                if next.turn() == Turn::Over {
                    let result = next.returns()[usize::from(mover)];
                    assert_eq!(value.outcome, sign(result), "{name}");
                    assert!(value.distance.is_none_or(|plies| plies == 1), "{name}: {value:?}");
                    continue;
                }
                let Ok(replies) = next.values(&mut Budget::new(NODES)) else {
                    continue;
                };
                let best = replies.iter().map(|(_, reply)| reply.outcome).max().unwrap();
                let same = next.turn() == Turn::Player(mover);
                let expected = if same { best } else { -best };
                assert_eq!(value.outcome, expected, "{name}: {action}\n{}", state.show(0));
                if let Some(plies) = value.distance {
                    let optimal = replies.iter().filter(|(_, reply)| reply.outcome == best);
                    let plies_of: Vec<u32> = optimal.filter_map(|(_, reply)| reply.distance).collect();
                    let (shortest, longest) = (plies_of.iter().min(), plies_of.iter().max());
                    let then = if best > 0 { shortest } else { longest };
                    assert_eq!(Some(&(plies - 1)), then, "{name}: {action}\n{}", state.show(0));
                }
            }
        }
    }
    assert!(solved >= 12, "{name}: only {solved} positions solved");
}

/// The mean return of `player` under perfect play.
fn mean(state: &dyn GameState, player: u8) -> f64 {
    match state.turn() {
        Turn::Over => state.returns()[usize::from(player)].into(),
        Turn::Chance => {
            let weights = state.chance_weights();
            let total: u64 = weights.iter().map(|(_, weight)| weight).sum();
            let after = |&(action, weight): &(u32, u64)| {
                let mut next = state.boxed_game_clone();
                next.apply(action);
                mean(next.as_ref(), player) * weight as f64 / total as f64
            };
            weights.iter().map(after).sum()
        }
        Turn::Player(mover) => {
            let values = state.values(&mut Budget::unlimited()).unwrap();
            let best = values.iter().map(|(_, value)| value.mean).fold(f64::NEG_INFINITY, f64::max);
            if mover == player { best } else { -best }
        }
    }
}

fn the_declared_value_is_the_computed_one() {
    for family in games::all() {
        let about = family.about();
        let game = family.configure(&serde_json::Map::new()).unwrap();
        let Some(declared) = about.value.filter(|_| !about.hidden && game.unsolvable_reason().is_none())
        else {
            continue;
        };
        // The game's own tests check slow positions.
        let Ok(values) = start(&game, 0).values(&mut Budget::new(2_000_000)) else {
            continue;
        };
        let best = values.iter().map(|(_, value)| value.outcome).max().unwrap();
        assert_eq!(best, sign(declared), "{}", about.name);
    }
}

fn picks(game: &Arc<dyn AnyGame>) -> Vec<Pick> {
    if game.about().hidden {
        let equilibrium = game.has_equilibrium().then_some(Pick::Equilibrium);
        return [Pick::Random].into_iter().chain(equilibrium).collect();
    }
    let exact = Optimality::ALL.into_iter().flat_map(|optimality| {
        [Pick::Minimax(optimality), Pick::FirstBest(optimality), Pick::LastBest(optimality)]
    });
    [Pick::Random, Pick::Heuristic].into_iter().chain(exact).collect()
}

fn opponents_play_as_their_distribution_says((name, game): Variant) {
    let mut rng = rng(&name);
    for pick in picks(&game) {
        for (random, blunder) in [(0.0, 0.0), (0.5, 0.0), (0.0, 0.5)] {
            if blunder > 0.0 && game.about().hidden {
                continue;
            }
            let opponent = Opponent {
                random_move_prob: random,
                blunder_prob: blunder,
                exact_plies: Some(6),
                ..Opponent::new(pick)
            };
            assert!(opponent.check(game.as_ref()).is_ok(), "{name} {opponent:?}");
            for seed in 0..2 {
                let mut state = start(&game, seed);
                while state.turn() != Turn::Over {
                    let budget = &mut Budget::unlimited();
                    let shares = state.distribution(&opponent, budget).unwrap();
                    let sum: f64 = shares.iter().map(|(_, share)| share).sum();
                    assert!((sum - 1.0).abs() < 1e-9, "{name} {opponent:?}: {shares:?}");
                    let reply = state.reply(&opponent, budget).unwrap();
                    let share = shares.iter().find(|(action, _)| *action == reply);
                    assert!(share.is_some_and(|(_, share)| *share > 0.0), "{name} {opponent:?}");
                    assert_eq!(state.reply(&opponent, budget).unwrap(), reply);
                    let action = random_action(state.as_ref(), &mut rng);
                    state.apply(action);
                }
            }
        }
    }
}

fn tree_search_replies_by_seed_and_position_alone((name, game): Variant) {
    let mcts = Opponent::new(Pick::Mcts { playouts: 12 });
    assert_eq!(mcts.check(game.as_ref()).is_err(), game.about().hidden, "{name}");
    if game.about().hidden {
        return;
    }
    let mut replies = BTreeMap::new();
    for round in 0..2 {
        let mut rng = rng(&name);
        wander(&game, 3, &mut rng, |state| {
            let Turn::Player(player) = state.turn() else { return };
            let refused = state.distribution(&mcts, &mut Budget::unlimited()).unwrap_err().to_string();
            assert!(refused.contains("probabilities"), "{name}: {refused}");
            let reply = state.reply(&mcts, &mut Budget::unlimited()).unwrap();
            assert!(state.legal_set().contains(reply), "{name}: {reply}\n{}", state.show(0));
            let place = (state.bytes(), state.key_for(player));
            let before = *replies.entry(place).or_insert(reply);
            assert_eq!(before, reply, "{name}, round {round}\n{}", state.show(0));
        });
    }
}

fn deep_games_are_solved_within_a_bound_or_not_at_all((name, game): Variant) {
    let state = start(&game, 0);
    for refused in [
        state.values(&mut Budget::unlimited()).map(drop),
        state.best(Optimality::Wdl, &mut Budget::unlimited()).map(drop),
    ] {
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("give `max_positions`"), "{name}: {message}");
    }
    let within = state.values(&mut Budget::new(100)).unwrap_err().to_string();
    assert!(within.contains("within the limit"), "{name}: {within}");
}

fn openings_are_made_wherever_chance_does_not_come_first((name, game): Variant) {
    let about = game.about();
    let opening = |plies, resolve_chance| Opening { seed: 4, plies, resolve_chance };
    for (plies, resolve_chance) in [(0, true), (0, false), (2, true), (32, true)] {
        assert!(opening(plies, resolve_chance).check(about).is_ok(), "{name}");
    }
    assert_eq!(opening(2, false).check(about).is_err(), about.chance, "{name}");
    assert!(opening(33, true).check(about).is_err(), "{name}");
    if !about.chance {
        let [one, other] = [true, false].map(|resolve_chance| game.clone().start(opening(2, resolve_chance)));
        assert_eq!(one.moves(), other.moves(), "{name}");
    }
}

/// The moves that end the game with a win for `player`.
fn wins_at_once(state: &dyn GameState, player: u8) -> Vec<u32> {
    let wins = |action: &u32| {
        let mut next = state.boxed_game_clone();
        next.apply(*action);
        next.turn() == Turn::Over && next.returns()[usize::from(player)] > 0.0
    };
    state.legal_set().iter().filter(wins).collect()
}

fn many_positions_can_be_won_at_once() {
    let mut won = 0;
    for (name, game) in variants() {
        wander(&game, 12, &mut rng(&name), |state| {
            let Turn::Player(mover) = state.turn() else { return };
            won += usize::from(!wins_at_once(state, mover).is_empty());
        });
    }
    assert!(won > 500, "only {won} positions could be won at once");
}

/// With a game's own knowledge of winning moves, the heuristic plays as if it had tried all of them.
fn the_heuristic_wins_or_leaves_the_fewest_wins((name, game): Variant) {
    let heuristic = Opponent::new(Pick::Heuristic);
    wander(&game, 12, &mut rng(&name), |state| {
        let Turn::Player(mover) = state.turn() else {
            return;
        };
        let wins = wins_at_once(state, mover);
        let ways_left = |action: u32| {
            let mut next = state.boxed_game_clone();
            next.apply(action);
            match next.turn() {
                Turn::Over if next.returns()[usize::from(mover)] < 0.0 => usize::MAX,
                Turn::Player(player) if player != mover => wins_at_once(next.as_ref(), player).len(),
                _ => 0,
            }
        };
        let left: Vec<usize> = state.legal_set().iter().map(ways_left).collect();
        let fewest = left.iter().min().expect("the player to move has a move");
        let kept = state.legal_set().iter().zip(&left).filter(|(_, left)| *left == fewest);
        let expected = if wins.is_empty() { kept.map(|(action, _)| action).collect() } else { wins };
        let shares = state.distribution(&heuristic, &mut Budget::unlimited()).unwrap();
        let played = shares.into_iter().filter(|(_, share)| *share > 0.0).map(|(action, _)| action);
        assert_eq!(played.collect::<Vec<_>>(), expected, "{name}\n{}", state.show(0));
    });
}

/// Have a game compute what it computes once.
fn computed(game: &Arc<dyn AnyGame>) {
    /// Steps of some seconds.
    const MOST: u64 = 1 << 28;
    let default = Opponent::by_default(game.as_ref());
    let first = start(game, 0).reply(&default, &mut Budget::new(MOST));
    first.unwrap_or_else(|error| panic!("{error}"));
}

/// Default opponents never keep a learner waiting: they play exactly only in games whose answers take few
/// positions.
fn default_opponents_reply_without_long_searches((name, game): Variant) {
    /// Positions per millisecond, roughly.
    const FEW: u64 = 10_000;
    let default = Opponent::by_default(game.as_ref());
    assert!(default.check(game.as_ref()).is_ok(), "{name}");
    assert_eq!(default.pick.solves(), game.solves_instantly() && !game.about().hidden, "{name}");
    computed(&game);
    let (mut spent, mut replies) = (0, 0);
    wander(&game, 20, &mut rng(&name), |state| {
        if matches!(state.turn(), Turn::Player(_)) {
            let mut budget = Budget::new(FEW);
            state.reply(&default, &mut budget).unwrap_or_else(|error| panic!("{name}: {error}"));
            spent += FEW - budget.left();
            replies += 1;
        }
    });
    assert!(spent <= 100 * replies, "{name}: {spent} positions for {replies} replies");
}
