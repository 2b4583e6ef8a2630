//! Contracts of lanes, that is, of episodes of every registered game, in every variant it names.

use std::sync::Arc;

use reasonenv::budget::Budget;
use reasonenv::error::Error;
use reasonenv::game::episode::lanes::Episodes;
use reasonenv::game::episode::referee::Helpers;
use reasonenv::game::episode::setup::{Autoreset, Illegal, Reward, Rival, Seat, Setup};
use reasonenv::game::episode::step::Status;
use reasonenv::game::erased::AnyGame;
use reasonenv::game::opponent::{Opponent, Pick};
use reasonenv::game::state::GameState;
use reasonenv::game::value::Optimality;
use reasonenv::rng::Rng;
use serde_json::Value;

use crate::columns::{Seen, seen};
use crate::common::{NODES, Variant, nobody, rng, start};
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<Variant>) {
    cases.each(named![
        a_batch_steps_as_its_lanes_alone,
        lanes_are_reset_when_they_say,
        saved_lanes_go_on_where_they_were,
        saved_lanes_may_come_from_anyone,
        an_opponent_from_outside_plays_as_one_of_ours,
        lanes_are_counted_and_episodes_end_at_the_top,
        dialogues_are_rewarded_by_part
    ]);
    cases.each_that(
        |(_, game)| {
            !game.about().hidden
                && game.unsolvable_reason().is_none()
                && (game.about().chance && game.solves_instantly()
                    || start(&game, 0).values(&mut Budget::new(20_000)).is_ok())
        },
        named![results_are_values_less_regrets],
    );
    cases.each_that(|(_, game)| searches(&game), named![a_stopped_step_is_never_half_a_step]);
}

const WHENS: [Autoreset; 3] = [Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled];

fn step_all(batch: &mut dyn Episodes, actions: &[i64], when: Autoreset) -> Seen {
    try_step_all(batch, actions, when, &mut nobody()).unwrap_or_else(|error| panic!("{error}"))
}

fn try_step_all(
    batch: &mut dyn Episodes,
    actions: &[i64],
    when: Autoreset,
    help: &mut Helpers<'_, '_>,
) -> Result<Seen, Error> {
    let game = batch.game();
    let size = (batch.count(), game.shape().iter().product(), game.actions() as usize);
    seen(size, |columns| batch.step_all(actions, when, columns, help))
}

fn setup(game: &Arc<dyn AnyGame>) -> Setup {
    let pick = match (game.about().hidden, game.has_equilibrium()) {
        (true, true) => Pick::Equilibrium,
        (true, false) => Pick::Random,
        (false, _) => Pick::Heuristic,
    };
    Setup {
        opponent: Rival::Named(Opponent::new(pick)),
        min_random_move_prob: Some(0.1),
        max_random_move_prob: Some(0.9),
        num_groups: 3,
        seat: Seat::Random,
        illegal: Some(Illegal::Penalty),
        max_turns: Some(game.max_plies()),
        opening_plies: 1,
        ..Setup::default()
    }
}

/// A learner that plays at random, and sometimes illegally.
fn learner(batch: &dyn Episodes, lane: usize, rng: &mut Rng) -> i64 {
    let mut mask = vec![0; batch.game().actions() as usize];
    batch.mask(lane, &mut mask);
    let legal: Vec<i64> = (0..mask.len() as i64).filter(|action| mask[*action as usize] == 1).collect();
    match rng.below(20) {
        0 => -1,
        1 => i64::from(batch.game().actions()) + 5,
        _ if legal.is_empty() => 0,
        _ => *rng.pick(&legal),
    }
}

fn a_batch_steps_as_its_lanes_alone((name, game): Variant) {
    let lanes = 600;
    let make = |count: usize, first: u64| {
        let mut batch = game.clone().episodes(count, setup(&game)).unwrap();
        for lane in 0..count {
            let seed = first + lane as u64;
            batch.seed(lane, seed, seed, 0);
            batch.reset(lane, &mut nobody()).unwrap();
        }
        batch
    };
    let mut batch = make(lanes, 0);
    let mut alone: Vec<_> = [0, 255, 256, 599].map(|lane| (lane, make(1, lane as u64))).into();
    let mut rng = rng(&name);
    let cells: usize = game.shape().iter().product();
    for _ in 0..25 {
        let actions: Vec<i64> = (0..lanes).map(|lane| learner(batch.as_ref(), lane, &mut rng)).collect();
        let all = step_all(batch.as_mut(), &actions, Autoreset::SameStep);
        for (lane, single) in &mut alone {
            let one = step_all(single.as_mut(), &actions[*lane..=*lane], Autoreset::SameStep);
            assert_eq!(one.0, all.0[*lane * cells..(*lane + 1) * cells], "{name}: what lane {lane} sees");
            assert_eq!((one.2[0], one.3[0], one.4[0]), (all.2[*lane], all.3[*lane], all.4[*lane]), "{name}");
            assert_eq!(single.info(0), batch.info(*lane), "{name}");
            assert_eq!(single.message(0), batch.message(*lane), "{name}");
        }
    }
}

fn lanes_are_reset_when_they_say((name, game): Variant) {
    let mut rng = rng(&name);
    for when in WHENS {
        let mut lanes = game.clone().episodes(8, setup(&game)).unwrap();
        for lane in 0..8 {
            lanes.seed(lane, 1, lane as u64, 0);
            lanes.reset(lane, &mut nobody()).unwrap();
        }
        let mut ended = 0;
        for _ in 0..(3 * game.max_plies()) {
            let over: Vec<bool> = (0..8).map(|lane| lanes.is_over(lane)).collect();
            let episodes: Vec<u64> = (0..8).map(|lane| lanes.info(lane).episode).collect();
            let actions: Vec<i64> = (0..8).map(|lane| learner(lanes.as_ref(), lane, &mut rng)).collect();
            let seen = step_all(lanes.as_mut(), &actions, when);
            for lane in 0..8 {
                let last = seen.3[lane] || seen.4[lane];
                ended += u32::from(last);
                let anew = u64::from(match when {
                    Autoreset::NextStep => over[lane],
                    Autoreset::SameStep => last,
                    Autoreset::Disabled => false,
                });
                assert_eq!(lanes.info(lane).episode, episodes[lane] + anew, "{name} {when:?}");
                if over[lane] {
                    assert_eq!((seen.2[lane], last), (0.0, false), "{name} {when:?}");
                }
            }
        }
        assert!(ended > 0, "{name} {when:?}");
    }
}

/// result = V(start) − what the learner gave away + what the opponent gave away.
/// Where chance takes part, they are on average.
fn results_are_values_less_regrets((name, game): Variant) {
    let chance = game.about().chance;
    let games = if chance { 400 } else { 30 };
    let mut luck = 0.0;
    let setup = Setup { analysis: true, analysis_plies: Some(game.max_plies()), ..Setup::default() };
    let mut episodes = game.clone().episodes(1, setup).unwrap();
    episodes.seed(0, 5, 0, 0);
    let mut rng = rng(&name);
    // A game with an opening book is searched once it leaves the book, as long as that is quick.
    // The means of a game of chance are computed once.
    let most = if chance { u64::MAX } else { 20 * NODES };
    let help = &mut Helpers::within(Budget::new(most));
    'games: for _ in 0..games {
        if episodes.reset(0, help).is_err() {
            break;
        }
        while !episodes.is_over(0) {
            let action = learner(episodes.as_ref(), 0, &mut rng);
            if action >= 0 && action < i64::from(game.actions()) {
                let Ok(step) = episodes.step(0, action, help) else {
                    break 'games;
                };
                assert!(step.analysis.is_some_and(|analysis| (0.0..=2.0).contains(&analysis.regret)));
            }
        }
        let facts = episodes.info(0);
        assert!(facts.exact, "{name}");
        let [own, other] = facts.regrets;
        let expected = facts.start_value.unwrap() - own + other;
        luck += facts.result.unwrap() - expected;
        assert!(chance || facts.result == Some(expected), "{name}: {facts:?}");
    }
    let luck = luck / games as f32;
    assert!(luck.abs() < 4.0 / (games as f32).sqrt(), "{name}: luck is {luck} on average");
}

fn saved_lanes_go_on_where_they_were((name, game): Variant) {
    let mut rng = rng(&name);
    let make = || {
        let mut lanes = game.clone().episodes(4, setup(&game)).unwrap();
        for lane in 0..4 {
            lanes.seed(lane, 9, lane as u64, 2);
            lanes.reset(lane, &mut nobody()).unwrap();
        }
        lanes
    };
    let (mut lanes, mut other) = (make(), make());
    for _ in 0..12 {
        let actions: Vec<i64> = (0..4).map(|lane| learner(lanes.as_ref(), lane, &mut rng)).collect();
        other.restore(&lanes.save()).unwrap_or_else(|error| panic!("{error}"));
        let seen = step_all(lanes.as_mut(), &actions, Autoreset::SameStep);
        assert_eq!(step_all(other.as_mut(), &actions, Autoreset::SameStep), seen, "{name}");
        assert!(other.save() == lanes.save(), "{name}");
    }
}

/// Every value in a JSON document, by its path.
fn paths(document: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), document)];
    while let Some((path, value)) = open.pop() {
        match value {
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(at, item)| (format!("{path}/{at}"), item)));
            }
            Value::Object(fields) => {
                open.extend(fields.iter().map(|(name, field)| (format!("{path}/{name}"), field)));
            }
            _ => {}
        }
        found.push(path);
    }
    found
}

/// Saved lanes with any content are rejected, or they continue without a panic.
fn saved_lanes_may_come_from_anyone((name, game): Variant) {
    let hostile: Vec<Value> = [
        "null",
        "true",
        "[]",
        "{}",
        "[null]",
        "\"\"",
        "\"won\"",
        "\"played\"",
        "\"not_begun\"",
        "-1",
        "0",
        "1",
        "2",
        "1.5",
        "255",
        "4294967295",
        "9223372036854775808",
        "18446744073709551615",
        "1e300",
        "-1e300",
        "{\"action\": -9}",
        "{\"text\": {\"label\": \"x\", \"message\": \"x\"}}",
    ]
    .iter()
    .map(|text| serde_json::from_str(text).unwrap())
    .collect();
    let mut rng = rng(&name);
    let mut refused = 0;
    for (illegal, max_turns) in [(Illegal::Penalty, Some(3)), (Illegal::Lose, None)] {
        let setup = Setup { illegal: Some(illegal), max_turns, ..setup(&game) };
        let mut lanes = game.clone().episodes(2, setup).unwrap();
        for lane in 0..2 {
            lanes.seed(lane, 9, lane as u64, 2);
            lanes.reset(lane, &mut nobody()).unwrap();
        }
        let mut target = lanes.boxed_clone();
        for _ in 0..3 {
            let actions: Vec<i64> = (0..2).map(|lane| learner(lanes.as_ref(), lane, &mut rng)).collect();
            step_all(lanes.as_mut(), &actions, Autoreset::Disabled);
            let saved: Value = serde_json::from_slice(&lanes.save()).unwrap();
            for path in paths(&saved) {
                for value in &hostile {
                    let mut broken = saved.clone();
                    *broken.pointer_mut(&path).unwrap() = value.clone();
                    let before = target.save();
                    if target.restore(broken.to_string().as_bytes()).is_err() {
                        assert!(target.save() == before, "{name}: {path} {value}");
                        refused += 1;
                        continue;
                    }
                    for lane in 0..2 {
                        target.message(lane);
                        target.state(lane);
                        while !target.is_over(lane) {
                            let action = learner(target.as_ref(), lane, &mut rng);
                            target.step(lane, action, &mut nobody()).unwrap();
                        }
                        target.reset(lane, &mut nobody()).unwrap();
                    }
                }
            }
        }
    }
    assert!(refused > 500, "{name}: only {refused}");
}

/// True if exact play takes searches, and none of them too long.
fn searches(game: &Arc<dyn AnyGame>) -> bool {
    let solves = Opponent::new(Pick::Minimax(Optimality::Dtm));
    !game.solves_instantly() && game.max_plies() <= 24 && solves.check(game.as_ref()).is_ok()
}

/// Stops a step after every possible number of positions: the stopped lane loses its episode, and a clone
/// made before continues as if nothing had happened.
fn a_stopped_step_is_never_half_a_step((name, game): Variant) {
    let mut stopped = 0;
    let solves = Opponent::new(Pick::Minimax(Optimality::Dtm));
    let setup =
        Setup { opponent: Rival::Named(solves), reward: Reward::Regret, analysis: true, ..Setup::default() };
    let mut rng = rng(&name);
    for when in WHENS {
        let mut lanes = game.clone().episodes(3, setup).unwrap();
        for lane in 0..3 {
            lanes.seed(lane, 1, lane as u64, 0);
            lanes.reset(lane, &mut nobody()).unwrap();
        }
        for _ in 0..4 {
            let actions: Vec<i64> = (0..3).map(|lane| learner(lanes.as_ref(), lane, &mut rng)).collect();
            let before = lanes.save();
            let whole = step_all(lanes.boxed_clone().as_mut(), &actions, when);
            for nodes in (0..64).map(|nodes| nodes * nodes) {
                let mut tried = lanes.boxed_clone();
                let help = &mut Helpers::within(Budget::new(nodes));
                if let Ok(seen) = try_step_all(tried.as_mut(), &actions, when, help) {
                    assert_eq!(seen, whole, "{name}");
                } else {
                    stopped += 1;
                    assert!(
                        (0..3).all(|lane| tried.is_over(lane) && tried.info(lane).status == Status::NotBegun),
                        "{name}"
                    );
                }
                assert!(lanes.save() == before, "{name}");
            }
            step_all(lanes.as_mut(), &actions, when);
        }
    }
    assert!(stopped > 5, "{name}: only {stopped} steps were stopped");
}

/// A Python-defined opponent that plays like a built-in one produces the same episodes, and an opponent that
/// fails at any of its turns never leaves half a step either.
fn an_opponent_from_outside_plays_as_one_of_ours((name, game): Variant) {
    let mut stopped = 0;
    let ours = setup(&game).opponent.named().unwrap();
    let inside =
        Setup { min_random_move_prob: None, max_random_move_prob: None, num_groups: 1, ..setup(&game) };
    let outside = Setup { opponent: Rival::Outside, ..inside };
    for when in WHENS {
        let make = |setup| game.clone().episodes(5, setup).unwrap();
        let (mut lanes, mut asked) = (make(inside), make(outside));
        let reply = |state: &dyn GameState| state.reply(&ours, &mut Budget::unlimited()).map(i64::from);
        let mut answer = |state: Box<dyn GameState>| reply(state.as_ref());
        let help = &mut Helpers { opponent: Some(&mut answer), ..nobody() };
        for lane in 0..5 {
            let seed = 5 + lane as u64;
            lanes.seed(lane, seed, 0, 0);
            asked.seed(lane, seed, 0, 0);
            lanes.reset(lane, &mut nobody()).unwrap();
            asked.reset(lane, help).unwrap();
        }
        let mut rng = rng(&name);
        for _ in 0..6 {
            let actions: Vec<i64> = (0..5).map(|lane| learner(lanes.as_ref(), lane, &mut rng)).collect();
            let whole = step_all(lanes.as_mut(), &actions, when);
            for fails_at in 0.. {
                let mut turn = 0;
                let mut answer = |state: Box<dyn GameState>| {
                    turn += 1;
                    if turn > fails_at { Err(Error::Interrupted) } else { reply(state.as_ref()) }
                };
                let help = &mut Helpers { opponent: Some(&mut answer), ..nobody() };
                let mut tried = asked.boxed_clone();
                if let Ok(seen) = try_step_all(tried.as_mut(), &actions, when, help) {
                    assert_eq!(seen, whole, "{name} {when:?}");
                    asked = tried;
                    break;
                }
                assert!((0..5).all(|lane| tried.info(lane).status == Status::NotBegun), "{name} {when:?}");
                stopped += 1;
            }
        }
    }
    let mut wrong = |_: Box<dyn GameState>| Ok(-7);
    let mut lanes =
        game.clone().episodes(1, Setup { seat: Seat::Second, opening_plies: 0, ..outside }).unwrap();
    let help = &mut Helpers { opponent: Some(&mut wrong), ..nobody() };
    let message = lanes.reset(0, help).unwrap_err().to_string();
    assert!(message.contains("the opponent played -7, but must play one of"), "{name}: {message}");
    assert!(lanes.reset(0, &mut nobody()).is_err(), "{name}: nobody plays, yet it begins");
    assert!(stopped > 10, "{name}: only {stopped} steps were stopped");
}

fn lanes_are_counted_and_episodes_end_at_the_top((name, game): Variant) {
    for count in [0, 1 << 21, usize::MAX] {
        let message = game.clone().episodes(count, setup(&game)).err().expect("too few or too many");
        assert!(message.to_string().contains("between 1 and 1048576"), "{name}: {message}");
    }
    let mut lanes = game.clone().episodes(1, setup(&game)).unwrap();
    lanes.seed(0, u64::MAX, u64::MAX, (1 << 63) - 1);
    for episode in [(1 << 63) - 1, 0, 1] {
        lanes.reset(0, &mut nobody()).unwrap();
        assert_eq!(lanes.info(0).episode, episode, "{name}");
        assert!(lanes.info(0).example < 1 << 63, "{name}");
    }
}

fn dialogues_are_rewarded_by_part((name, game): Variant) {
    let setup =
        Setup { illegal: Some(Illegal::Penalty), max_turns: Some(game.max_plies() + 1), ..setup(&game) };
    let mut lanes = game.clone().episodes(1, setup).unwrap();
    for seed in 0..20 {
        let help = &mut nobody();
        lanes.seed(0, seed, 0, 0);
        lanes.reset(0, help).unwrap();
        assert!(lanes.message(0).contains("Your turn.") || lanes.is_over(0), "{name}");
        let step = lanes.say(0, "no tags here", help).unwrap();
        assert!(step.invalid && !step.terminated && step.reward == 0.0, "{name}");
        assert!(lanes.message(0).starts_with("There is no move in <move> tags."), "{name}");
        let mut last = step;
        while !lanes.is_over(0) {
            let legal = lanes.state(0).legal_set();
            let said = game.name_action(legal.nth(seed as u32 % legal.len()).unwrap());
            last = lanes.say(0, &format!("<think>hm</think> <move>{said}</move>"), help).unwrap();
            assert!(!last.invalid, "{name}: {said}");
        }
        let facts = lanes.info(0);
        let format = f64::from(facts.turns - 1) / f64::from(facts.turns);
        let outcome = match facts.result {
            Some(result) if result > 0.0 => 1.0,
            Some(0.0) => 0.5,
            _ => 0.0,
        };
        let expected = outcome + 0.2 * format - 0.1;
        assert!((last.reward - expected).abs() < 1e-12, "{name}: {last:?} {facts:?}");
    }
}
