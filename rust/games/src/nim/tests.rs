//! Tests by the rules of Nim, by search and by published results.

use super::*;
use kit::rng::Key;
use kit::testing;

fn rules(params: &str) -> NimRules {
    NimRules::new(&testing::params(params).unwrap())
}

fn heaps(sizes: &[u8]) -> Heaps {
    let mut state = Heaps { sizes: [0; MOST_HEAPS], mover: 0 };
    state.sizes[..sizes.len()].copy_from_slice(sizes);
    state
}

/// True if the player to move wins, according to the values of the game's moves.
fn won(rules: &NimRules, sizes: &[u8]) -> bool {
    let values = rules.values(&heaps(sizes), &mut Budget::unlimited()).unwrap();
    values.iter().any(|(_, value)| value.outcome > 0)
}

/// Compares every move of all positions of three heaps with a search that uses only the rules.
fn search_agrees(params: &str) {
    let rules = rules(params);
    let solver = Solver::default();
    let most = rules.largest as u8;
    for a in 0..=most {
        for b in a..=most {
            for c in b..=most {
                let state = heaps(&[a, b, c]);
                let budget = &mut Budget::unlimited();
                let searched = solver.outcomes(&rules, &state, budget).unwrap();
                let ours = rules.outcomes(&state, budget).unwrap();
                assert_eq!(ours, searched, "{params} {state:?}");
            }
        }
    }
}

#[test]
fn a_search_of_three_heaps_agrees() {
    for largest in ["[7, 7, 7]", "[1, 1, 1]"] {
        for misere in [false, true] {
            for amounts in [
                r#""most_taken": 0"#,
                r#""most_taken": 1"#,
                r#""most_taken": 2"#,
                r#""most_taken": 5"#,
                r#""subtraction": [1]"#,
                r#""subtraction": [1, 3, 4]"#,
                r#""subtraction": [1, 4, 5, 6]"#,
                r#""subtraction": [1, 2, 7]"#,
            ] {
                search_agrees(&format!(r#"{{"sizes": {largest}, "misere": {misere}, {amounts}}}"#));
            }
        }
    }
}

/// Sets without 1 leave objects that cannot be taken.
#[test]
fn a_search_of_heaps_that_are_not_emptied_agrees() {
    for misere in [false, true] {
        for amounts in ["[2]", "[2, 3]", "[2, 5, 6]", "[3, 5, 8]", "[4, 9]"] {
            search_agrees(&format!(
                r#"{{"sizes": [11, 11, 11], "misere": {misere}, "subtraction": {amounts}}}"#
            ));
        }
    }
}

#[test]
fn the_sum_decides_plain_nim() {
    let (normal, misere) =
        (rules(r#"{"sizes": [9, 9, 9, 9]}"#), rules(r#"{"sizes": [9, 9, 9, 9], "misere": true}"#));
    for number in 1..10_000_u32 {
        let sizes = [1, 10, 100, 1000].map(|digit| (number / digit % 10) as u8);
        let sum = sizes.iter().fold(0, |sum, size| sum ^ size);
        assert_eq!(won(&normal, &sizes), sum != 0, "{sizes:?}");
        let small = sizes.iter().all(|size| *size <= 1);
        let wins = if small { sizes.iter().sum::<u8>() % 2 == 0 } else { sum != 0 };
        assert_eq!(won(&misere, &sizes), wins, "misère {sizes:?}");
    }
}

#[test]
fn one_heap_is_lost_every_fourth_time() {
    for amounts in [r#""subtraction": [1, 2, 3]"#, r#""most_taken": 3"#] {
        let normal = rules(&format!(r#"{{"sizes": [40], {amounts}}}"#));
        let misere = rules(&format!(r#"{{"sizes": [40], "misere": true, {amounts}}}"#));
        for size in 1..=40 {
            assert_eq!(won(&normal, &[size]), size % 4 != 0, "{size}");
            assert_eq!(won(&misere, &[size]), size % 4 != 1, "misère {size}");
        }
    }
}

#[test]
fn a_bound_is_the_set_of_all_amounts_up_to_it() {
    for most in 1..=LARGEST {
        let set: Vec<u32> = (1..=most).collect();
        let bounded = rules(&format!(r#"{{"sizes": [40], "most_taken": {most}}}"#));
        let listed = rules(&format!(r#"{{"sizes": [40], "subtraction": {set:?}}}"#));
        assert_eq!(bounded.grundy, listed.grundy, "{most}");
        let cycle = (0..=40).map(|size| (size % (most + 1)) as u8);
        assert!(cycle.eq(listed.grundy), "{most}");
    }
}

#[test]
fn seeds_draw_heaps_that_have_a_move() {
    let rules = rules(r#"{"heaps": 2, "largest": 5, "subtraction": [5]}"#);
    let key = Key::new("tests", 1, "nim", 0, "");
    let starts: Vec<Heaps> = (0..50).map(|seed| rules.start(&mut key.stream(seed))).collect();
    assert!(starts.iter().all(|start| start.sizes.contains(&5)));
    assert!(starts.iter().any(|start| start.sizes[0] == 1));
    let given = self::rules(r#"{"sizes": [1, 3, 5]}"#);
    assert_eq!(given.start(&mut key.stream(0)), heaps(&[1, 3, 5]));
}

#[test]
fn params_that_contradict_each_other_are_refused() {
    let refused = |params: &str| testing::params::<NimParams>(params).unwrap_err();
    for (params, message) in [
        (r#"{"sizes": [1, 41]}"#, "`sizes[1]` is 41, but must be between 1 and 40"),
        (r#"{"sizes": [1, 1, 1, 1, 1, 1, 1]}"#, "`sizes` lists 7 heaps, but there may be at most 6"),
        (
            r#"{"subtraction": [2, 1]}"#,
            "`subtraction` is [2, 1], but must be amounts between 1 and 40, smallest first",
        ),
        (
            r#"{"subtraction": [1], "most_taken": 2}"#,
            "`most_taken` is 2, but must be 0 where `subtraction` lists the amounts",
        ),
        (
            r#"{"subtraction": [8]}"#,
            "`subtraction` begins with 8, but must begin with at most 7, the largest heap",
        ),
    ] {
        assert_eq!(refused(params), message);
    }
}

#[test]
fn moves_are_heaps_and_amounts() {
    let rules = rules(r#"{"sizes": [1, 3, 12]}"#);
    let state = heaps(&[1, 3, 12]);
    assert_eq!(rules.name_action(2 * 12 + 10), "C11");
    assert_eq!(rules.read_action(" c 11 "), Ok(2 * 12 + 10));
    for text in ["D1", "A0", "A13", "A-1", "1A", "A", "AA1", "é1", "A1é"] {
        let message = rules.read_action(text).unwrap_err().message;
        let expected = "a heap from A to C and an amount from 1 to 12, like A1";
        assert!(message.ends_with(expected), "{message}");
    }
    assert_eq!(rules.show(&state, 0), "A  1 |\nB  3 |||\nC 12 ||||||||||||");
    let mut taken = state;
    rules.apply(&mut taken, 0);
    assert_eq!(rules.show(&taken, 1), "A  0\nB  3 |||\nC 12 ||||||||||||");
}

#[test]
#[ignore = "a measurement: prints nanoseconds per move"]
#[expect(clippy::disallowed_methods, reason = "it measures time")]
fn a_move_is_found_at_once() {
    for params in ["{}", r#"{"heaps": 6, "largest": 15}"#] {
        let rules = rules(params);
        let key = Key::new("tests", 1, "nim", 0, "");
        let starts: Vec<Heaps> = (0..1000).map(|seed| rules.start(&mut key.stream(seed))).collect();
        let clock = std::time::Instant::now();
        let mut found = 0;
        for _ in 0..100 {
            for start in &starts {
                let best = rules.best(start, Optimality::Wdl, &mut Budget::unlimited());
                found += best.unwrap().len();
            }
        }
        let each = clock.elapsed().as_nanos() / 100_000;
        println!("{params}: {each} ns, {found} moves");
    }
}
