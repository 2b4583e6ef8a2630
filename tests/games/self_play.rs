//! Contracts of lanes whose learner has every seat, in every variant of every registered game.

#![expect(clippy::float_cmp, reason = "what is compared is the same number, and not one computed twice")]

use std::collections::BTreeMap;
use std::sync::Arc;

use reasonenv::game::episode::columns::Columns;
use reasonenv::game::episode::lanes::Episodes;
use reasonenv::game::episode::setup::{Autoreset, Illegal, Reward, Rival, Seat, Setup};
use reasonenv::game::episode::step::Step;
use reasonenv::game::erased::AnyGame;
use reasonenv::rules::Turn;

use crate::common::{Variant, nobody, random_action, rng};
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<Variant>) {
    cases.each(named![
        the_learner_moves_for_whoever_is_to_move,
        an_illegal_move_is_its_players,
        each_player_is_told_what_the_other_played,
        a_batch_and_what_is_saved_go_on_as_one_lane,
        a_seat_cannot_be_named
    ]);
    cases.each_that(
        |(_, game)| game.clone().episodes(1, luck_free()).is_ok(),
        named![what_each_gave_away_is_its_own],
    );
    cases.each_that(|(_, game)| game.about().hidden, named![messages_say_what_a_player_knows]);
}

fn setup() -> Setup {
    Setup { opponent: Rival::Learner, ..Setup::default() }
}

fn begun(game: &Arc<dyn AnyGame>, own: Setup, seed: u64) -> Box<dyn Episodes> {
    let mut lanes = game.clone().episodes(1, own).unwrap_or_else(|error| panic!("{error}"));
    lanes.seed(0, seed, 0, 0);
    lanes.reset(0, &mut nobody()).unwrap();
    lanes
}

fn sees(lanes: &dyn Episodes) -> (Vec<f32>, Vec<i8>) {
    let mut seen = vec![f32::NAN; lanes.game().shape().iter().product()];
    let mut mask = vec![7; lanes.game().actions() as usize];
    lanes.observe(0, &mut seen);
    lanes.mask(0, &mut mask);
    (seen, mask)
}

fn the_learner_moves_for_whoever_is_to_move((name, game): Variant) {
    let mut rng = rng(&name);
    for seed in 0..30 {
        let own = Setup { opening_plies: (seed % 3) as u32, ..setup() };
        let mut lanes = begun(&game, own, seed);
        while let Some(mover) = lanes.mover(0) {
            let mut state = lanes.state(0);
            assert_eq!(state.turn(), Turn::Player(mover), "{name}");
            let mut seen = vec![f32::NAN; game.shape().iter().product()];
            state.observe(mover, &mut seen);
            let mut mask = vec![7; game.actions() as usize];
            state.mask(&mut mask);
            assert_eq!(sees(lanes.as_ref()), (seen, mask), "{name}: what the mover sees");
            assert!(lanes.message(0).contains(&state.show(mover)), "{name}: {}", lanes.message(0));

            let action = random_action(state.as_ref(), &mut rng);
            let step = lanes.step(0, action.into(), &mut nobody()).unwrap();
            state.apply(action);
            assert!(lanes.state(0).same(state.as_ref()), "{name}: nobody else moved");
            let Some(end) = step.end else {
                assert_eq!((step.reward, step.terminated), (0.0, false), "{name}");
                continue;
            };
            let returns = state.returns();
            assert_eq!(end.returns().unwrap().to_vec(), returns, "{name}");
            assert_eq!(step.reward, f64::from(returns[usize::from(mover)]), "{name}: the mover's own");
            assert_eq!((lanes.info(0).seat, lanes.mover(0)), (mover, None), "{name}");
            assert!(sees(lanes.as_ref()).1.iter().all(|bit| *bit == 0), "{name}");
        }
    }
}

fn an_illegal_move_is_its_players((name, game): Variant) {
    for plies in 0..3 {
        let mut lanes = begun(&game, Setup { opening_plies: plies, ..setup() }, 1);
        let mover = lanes.mover(0).unwrap();
        let mut patient =
            begun(&game, Setup { opening_plies: plies, illegal: Some(Illegal::Penalty), ..setup() }, 1);
        let step = patient.step(0, -1, &mut nobody()).unwrap();
        assert_eq!((step.reward, step.terminated), (-0.1, false), "{name}");
        assert_eq!(patient.mover(0), Some(mover), "{name}: the turn is lost, and comes again");

        let end = lanes.step(0, -1, &mut nobody()).unwrap().end.unwrap();
        let mut lost = [1.0, 1.0];
        lost[usize::from(mover)] = -1.0;
        assert_eq!((end.returns(), end.winner), (Some(lost), Some(1 - mover)), "{name}");
    }
}

/// A player whose opponent moved several times in a row is shown all of these moves afterward.
/// What chance does is told among the moves.
fn each_player_is_told_what_the_other_played((name, game): Variant) {
    let mut rng = rng(&name);
    for seed in 0..20 {
        let mut lanes = begun(&game, setup(), seed);
        let mut unheard: [Vec<u32>; 2] = Default::default();
        while let Some(mover) = lanes.mover(0) {
            let replies = lanes.info(0).replies;
            assert_eq!(replies, std::mem::take(&mut unheard[usize::from(mover)]), "{name}");
            let state = lanes.state(0);
            let action = random_action(state.as_ref(), &mut rng);
            lanes.step(0, action.into(), &mut nobody()).unwrap();
            // The action, and what chance did after it.
            unheard[usize::from(1 - mover)].extend(&lanes.state(0).moves()[state.moves().len()..]);
        }
    }
}

fn messages_say_what_a_player_knows((name, game): Variant) {
    let mut rng = rng(&name);
    let mut said = BTreeMap::new();
    for seed in 0..300 {
        let mut lanes = begun(&game, setup(), seed);
        while let Some(mover) = lanes.mover(0) {
            let key = (mover, lanes.state(0).key_for(mover));
            let message = lanes.message(0);
            let before = said.entry(key).or_insert_with(|| message.clone());
            assert_eq!(*before, message, "{name}: two messages where a player knows the same");
            let action = random_action(lanes.state(0).as_ref(), &mut rng);
            lanes.step(0, action.into(), &mut nobody()).unwrap();
        }
    }
}

fn luck_free() -> Setup {
    Setup { reward: Reward::LuckFree, analysis: true, ..setup() }
}

fn what_each_gave_away_is_its_own((variant, game): Variant) {
    let mut lanes = game.clone().episodes(1, luck_free()).unwrap();
    let mut rng = rng(&variant);
    for seed in 0..8 {
        lanes.seed(0, seed, 0, 0);
        lanes.reset(0, &mut nobody()).unwrap();
        let start = f64::from(lanes.info(0).start_value.unwrap());
        let mut given_up = [0.0; 2];
        while let Some(mover) = lanes.mover(0) {
            let action = random_action(lanes.state(0).as_ref(), &mut rng);
            let step = lanes.step(0, action.into(), &mut nobody()).unwrap();
            given_up[usize::from(mover)] += step.analysis.unwrap().regret;
            assert_eq!(lanes.info(0).regrets, given_up, "{variant}");
            if step.end.is_some() {
                let worth = if mover == 0 { start } else { -start };
                assert_eq!(step.reward, worth - f64::from(given_up[usize::from(mover)]), "{variant}");
            }
        }
    }
}

fn a_batch_and_what_is_saved_go_on_as_one_lane((name, game): Variant) {
    for when in [Autoreset::NextStep, Autoreset::SameStep] {
        let count = 300;
        let own = Setup { opening_plies: 1, ..setup() };
        let mut batch = game.clone().episodes(count, own).unwrap();
        for lane in 0..count {
            batch.seed(lane, lane as u64, 0, 0);
            batch.reset(lane, &mut nobody()).unwrap();
        }
        let mut rng = rng(&name);
        for _ in 0..12 {
            let saved = batch.save();
            let mut again = game.clone().episodes(count, own).unwrap();
            again.restore(&saved).unwrap_or_else(|error| panic!("{name}: {error}"));
            let actions: Vec<i64> = (0..count)
                .map(|lane| match batch.mover(lane) {
                    Some(_) => random_action(batch.state(lane).as_ref(), &mut rng).into(),
                    None => 0,
                })
                .collect();
            let mut alone = again.boxed_clone();
            let mut rewards = Vec::new();
            for lane in [0, 255, 256, 299] {
                if alone.is_over(lane) {
                    continue;
                }
                rewards.push((lane, alone.step(lane, actions[lane], &mut nobody()).unwrap().reward));
            }
            let seen = [&mut batch, &mut again].map(|lanes| step_all(lanes.as_mut(), &actions, when));
            assert_eq!(seen[0], seen[1], "{name}");
            for lane in 0..count {
                assert_eq!(batch.info(lane), again.info(lane), "{name}");
                assert_eq!(batch.message(lane), again.message(lane), "{name}");
            }
            assert!(rewards.iter().all(|(lane, reward)| seen[0].1[*lane] == *reward), "{name}");
        }
    }
}

fn step_all(batch: &mut dyn Episodes, actions: &[i64], when: Autoreset) -> (Vec<f32>, Vec<f64>, Vec<Step>) {
    let (lanes, cells) = (batch.count(), batch.game().shape().iter().product::<usize>());
    let mut seen = (vec![f32::NAN; lanes * cells], vec![f64::NAN; lanes], vec![Step::default(); lanes]);
    let (mut masks, mut last) = (vec![7; lanes * batch.game().actions() as usize], vec![0.0; lanes * cells]);
    let (mut terminated, mut truncated) = (vec![false; lanes], vec![false; lanes]);
    let mut columns = Columns {
        observations: &mut seen.0,
        masks: &mut masks,
        rewards: &mut seen.1,
        terminated: &mut terminated,
        truncated: &mut truncated,
        steps: &mut seen.2,
        last_observations: &mut last,
    };
    batch.step_all(actions, when, &mut columns, &mut nobody()).unwrap();
    seen
}

fn a_seat_cannot_be_named((name, game): Variant) {
    let error = game.episodes(1, Setup { seat: Seat::First, ..setup() }).err().expect("a seat is named");
    assert!(error.to_string().contains("`seat` names a seat"), "{name}: {error}");
}
