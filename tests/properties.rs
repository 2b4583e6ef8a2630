//! Properties that hold for any text, sought by proptest.

#![expect(clippy::float_cmp, reason = "symmetric measures are equal to the last bit")]

use std::sync::Arc;

use proptest::prelude::*;
use reasonenv::families;
use reasonenv::task::answer::{self, Reading};
use reasonenv::task::source::Source;
use reasonenv::task::split::Split;
use reasonenv::verifiers::{Measure, RowJudge};
use serde_json::Map;

/// Text made of what answer readers stumble over, and of anything else.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "<answer>", "</answer>", "<think>", "</think>", "<a", ">", "</", "```", "\n", " ", "7", "-", "(",
            ")", "+", "1/0", "{\"a\":", "[", "]", "}", "\"", ",", "none",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn readings() -> impl Strategy<Value = Reading> {
    prop::sample::select(Reading::ALL.to_vec())
}

proptest! {
    #[test]
    fn an_answer_is_a_trimmed_part_of_the_text_or_there_is_a_fault(text in texts(), reading in readings()) {
        let reply = answer::read(&text, "answer", reading);
        prop_assert!(reply.answer.is_some() || !reply.faults.is_empty());
        if let (Some(answer), Some(span)) = (reply.answer, reply.span()) {
            prop_assert_eq!(&text[span], answer);
            prop_assert_eq!(answer.trim(), answer);
        }
    }

    #[test]
    fn what_a_stricter_policy_reads_a_looser_one_reads_alike(text in texts()) {
        let [clean, strict, lenient] = Reading::ALL.map(|reading| answer::read(&text, "answer", reading));
        if clean.faults.is_empty() {
            prop_assert!(strict.faults.is_empty());
            prop_assert_eq!(clean.answer, strict.answer);
        }
        if strict.faults.is_empty() {
            prop_assert!(lenient.faults.is_empty());
        }
    }

    #[test]
    fn one_tag_around_plain_text_reads_back(inner in "[^<>`]{0,200}", before in "[^<>]{0,50}") {
        let text = format!("{before}<answer>{inner}</answer>\n");
        let reply = answer::read(&text, "answer", Reading::Strict);
        prop_assert_eq!(reply.answer, Some(inner.trim()));
        prop_assert!(reply.faults.is_empty());
    }

    #[test]
    fn every_family_judges_any_text(text in texts(), wrapped in any::<bool>(), reading in readings(), index in 0..50u64) {
        for family in families::all() {
            let source = Source::new(family, 1, &Map::new(), Split::Train, 1, &Map::new()).unwrap();
            let task = Arc::new(source).task(index).unwrap();
            let text = if wrapped { task.wrap(&text) } else { text.clone() };
            let verdict = task.verify(&text, Some(reading));
            prop_assert_eq!(verdict.passed, verdict.failures.is_empty());
            prop_assert!((0.0..=1.0).contains(&verdict.score));
            prop_assert_eq!(&verdict, &task.verify(&text, Some(reading)));
        }
    }

    #[test]
    fn every_family_refuses_or_survives_any_json(json in texts()) {
        for family in families::all() {
            if let Ok(problem) = family.read(&json) {
                let _ = family.certify(&*problem);
            }
        }
    }

    #[test]
    fn rows_that_are_equal_pass_and_measures_are_symmetric_in_bounds(a in texts(), b in texts()) {
        for measure in [Measure::LcsRatio, Measure::EditRatio, Measure::DifflibRatio] {
            let judge = RowJudge { tag: None, reading: Reading::Strict, measure };
            prop_assert!(judge.judge(&a, &a).passed);
            let verdict = judge.judge(&a, &b);
            prop_assert_eq!(verdict.passed, a.trim() == b.trim());
            if judge.measure != Measure::DifflibRatio {
                prop_assert_eq!(verdict.score, judge.judge(&b, &a).score);
            }
        }
    }
}
