//! Lanes of problems that are played move by move, for every family that offers moves.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use reasonenv::families;
use reasonenv::game::episode::lane_set::LaneSet as _;
use reasonenv::game::episode::problems::{ProblemLanes, ProblemSetup, Reward};
use reasonenv::game::episode::setup::{Autoreset, Illegal};
use reasonenv::game::episode::step::{Status, Step};
use reasonenv::rng::{Key, Rng};
use reasonenv::task::erased::Family;
use reasonenv::task::source::Source;
use reasonenv::task::split::Split;
use serde_json::Map;

use crate::columns::{Seen, seen};
use crate::common;
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.each_that(
        is_playable,
        named![
            the_reward_is_the_judges,
            a_batch_steps_as_its_lanes_alone_and_goes_on_where_it_was_saved,
            illegal_moves_lose_or_cost_a_turn,
            pictures_show_what_the_text_shows,
            other_problems_look_different
        ],
    );
    cases.once(named![some_families_can_be_played_and_others_say_that_they_cannot]);
}

/// Level 0 of a family.
fn source(family: &'static Family) -> Arc<Source> {
    common::source(family, 0, Split::Train, 3)
}

fn is_playable(family: &'static Family) -> bool {
    source(family).task(0).unwrap().problem.moves().is_some()
}

fn rng(source: &Source) -> Rng {
    Key::new("tests", 1, source.family.name(), 0, "").stream(0)
}

fn lanes(source: &Arc<Source>, count: usize, first: u64, setup: ProblemSetup) -> ProblemLanes {
    let mut lanes = ProblemLanes::new(source.clone(), count, setup).unwrap();
    for lane in 0..count {
        lanes.seed(lane, first + lane as u64, 0);
        lanes.reset(lane).unwrap();
    }
    lanes
}

/// A random legal action, and occasionally an illegal one.
fn action(lanes: &ProblemLanes, lane: usize, rng: &mut Rng) -> i64 {
    let mut mask = vec![7; lanes.actions() as usize];
    lanes.mask(lane, &mut mask);
    let legal: Vec<i64> = (0..).zip(&mask).filter(|(_, bit)| **bit == 1).map(|(action, _)| action).collect();
    match rng.below(30) {
        0 => -1,
        1 => i64::from(lanes.actions()),
        _ if legal.is_empty() => 0,
        _ => *rng.pick(&legal),
    }
}

fn step_all(lanes: &mut ProblemLanes, actions: &[i64], when: Autoreset) -> Seen {
    let size = (lanes.count(), lanes.shape().iter().product(), lanes.actions() as usize);
    seen(size, |columns| lanes.step_all(actions, when, columns, &AtomicBool::new(false))).unwrap()
}

fn some_families_can_be_played_and_others_say_that_they_cannot() {
    assert!(families::all().iter().filter(|family| is_playable(family)).count() >= 3);
    let family = families::find("chain_sum").unwrap();
    let source = Source::new(family, 0, &Map::new(), Split::Train, 0, &Map::new()).unwrap();
    let refused = ProblemLanes::new(Arc::new(source), 1, ProblemSetup::default()).err().unwrap();
    assert!(refused.to_string().contains("cannot be played"), "{refused}");
}

/// A problem played as in the family's own solution earns 1; the reward of any finished play is the
/// verifier's.
fn the_reward_is_the_judges(family: &'static Family) {
    let source = source(family);
    let name = source.family.name();
    for reward in [Reward::Passed, Reward::Score] {
        let mut lanes = lanes(&source, 1, 5, ProblemSetup { reward, ..ProblemSetup::default() });
        let mut rng = rng(&source);
        for _ in 0..6 {
            let mut last = Step::default();
            while !lanes.is_over(0) {
                assert!(!last.terminated && last.reward == 0.0, "{name}");
                let mut legal = Vec::new();
                lanes.play(0).legal(&mut legal);
                last = lanes.step(0, (*rng.pick(&legal)).into());
            }
            let answer = lanes.play(0).answer().unwrap();
            let task = source.task(lanes.info(0).example).unwrap();
            let verdict = task.verify(&task.wrap(&answer), None);
            let earned = match reward {
                Reward::Passed => f64::from(u8::from(verdict.passed)),
                Reward::Score => f64::from(verdict.score),
            };
            assert_eq!((last.reward, last.terminated), (earned, true), "{name}");
            assert_eq!(lanes.info(0).judged, Some((verdict.passed, verdict.score)), "{name}");
            assert_eq!(verdict.score, lanes.play(0).returns()[0], "{name}");
            lanes.reset(0).unwrap();
        }
    }
}

/// The first observation holds the whole problem: at no level do two problems with different answers look
/// alike.
fn other_problems_look_different(family: &'static Family) {
    for level in 0..=family.top_level() {
        let mut seen: BTreeMap<Vec<u32>, String> = BTreeMap::new();
        for task in common::tasks(family, level, 20) {
            let play = task.problem.moves().expect("the family can be played");
            let mut planes = vec![0.0; play.shape().iter().product()];
            play.observe(0, &mut planes);
            let other = seen.entry(planes.into_iter().map(f32::to_bits).collect());
            let answer = task.problem.answer();
            let first = other.or_insert_with(|| answer.clone());
            assert_eq!(*first, answer, "{} level {level}: two problems look alike", family.name());
        }
    }
}

fn a_batch_steps_as_its_lanes_alone_and_goes_on_where_it_was_saved(family: &'static Family) {
    let source = source(family);
    let name = source.family.name();
    let setup = ProblemSetup { illegal: Illegal::Penalty, ..ProblemSetup::default() };
    for when in [Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled] {
        let count = 40;
        let mut batch = lanes(&source, count, 0, setup);
        let cells = batch.shape().iter().product::<usize>();
        let mut other = lanes(&source, count, 77, setup);
        let mut alone: Vec<_> = [0, 17, 39].map(|lane| (lane, lanes(&source, 1, lane as u64, setup))).into();
        let mut rng = rng(&source);
        let mut ended = 0;
        for _ in 0..60 {
            let actions: Vec<i64> = (0..count).map(|lane| action(&batch, lane, &mut rng)).collect();
            other.restore(&batch.save()).unwrap();
            let all = step_all(&mut batch, &actions, when);
            assert_eq!(step_all(&mut other, &actions, when), all, "{name}");
            ended += all.3.iter().filter(|ended| **ended).count();
            for (lane, single) in &mut alone {
                let (at, lane): (usize, usize) = (*lane * cells, *lane);
                let one = step_all(single, &actions[lane..=lane], when);
                assert_eq!(one.0, all.0[at..at + cells], "{name}: what lane {lane} sees");
                assert_eq!((one.2[0], one.3[0], one.4[0]), (all.2[lane], all.3[lane], all.4[lane]), "{name}");
                assert_eq!(single.info(0), batch.info(lane), "{name}");
            }
        }
        assert!(ended > 0, "{name}: no play ended");
    }
}

fn illegal_moves_lose_or_cost_a_turn(family: &'static Family) {
    let source = source(family);
    let name = source.family.name();
    let mut strict = lanes(&source, 1, 0, ProblemSetup::default());
    let step = strict.step(0, -7);
    assert!(step.invalid && step.terminated && step.reward == 0.0, "{name}: {step:?}");
    assert_eq!(strict.info(0).judged, Some((false, 0.0)), "{name}");
    let setup = ProblemSetup {
        illegal: Illegal::Penalty,
        invalid_penalty: -0.25,
        max_turns: Some(2),
        ..ProblemSetup::default()
    };
    let mut lenient = lanes(&source, 1, 0, setup);
    let first = lenient.step(0, i64::MAX);
    assert!(first.invalid && !first.terminated && first.reward == -0.25, "{name}: {first:?}");
    let second = lenient.step(0, i64::from(lenient.actions()));
    assert!(second.truncated && !second.terminated, "{name}: {second:?}");
    assert_eq!(lenient.info(0).status, Status::Cut, "{name}");
    let mut mask = vec![7; lenient.actions() as usize];
    lenient.mask(0, &mut mask);
    assert!(mask.iter().all(|bit| *bit == 0), "{name}");
    let saved = String::from_utf8(lenient.save()).unwrap();
    for (from, to) in [("\"cut\"", "\"won\""), ("\"turns\":2", "\"turns\":3"), ("[]", "[4000000000]")] {
        assert!(saved.contains(from), "{saved}");
        assert!(lenient.restore(saved.replace(from, to).as_bytes()).is_err(), "{name}: {from} as {to}");
    }
    assert_eq!(lenient.save(), saved.into_bytes(), "{name}");
}

/// Everything that is drawn is inside the picture, and a move that changes the text also changes the picture.
fn pictures_show_what_the_text_shows(family: &'static Family) {
    for level in [0, family.top_level()] {
        let (source, name) = (common::source(family, level, Split::Train, 3), family.name());
        let mut rng = rng(&source);
        for index in 0..3 {
            let mut play = source.task(index).unwrap().problem.moves().expect("it is playable");
            let mut before = (play.show(0), play.draw(0));
            loop {
                assert!(before.1.is_whole(), "{name}: {:?}", before.1);
                let mut legal = Vec::new();
                play.legal(&mut legal);
                if legal.is_empty() {
                    break;
                }
                play.apply(*rng.pick(&legal));
                let after = (play.show(0), play.draw(0));
                assert_eq!(before.0 == after.0, before.1 == after.1, "{name}: {}", after.0);
                before = after;
            }
        }
    }
}
