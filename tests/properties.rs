//! Properties that hold for any text, tested with proptest.

#![expect(clippy::float_cmp, reason = "symmetric measures are equal to the last bit")]

use std::sync::Arc;

use proptest::prelude::*;
use reasonenv::families;
use reasonenv::task::answer::{self, Reading};
use reasonenv::task::source::Source;
use reasonenv::task::split::Split;
use reasonenv::verifiers::{KINDS, Verifier};
use serde_json::{Map, json};

/// Text made of pieces that are hard for answer readers, and of anything else.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "<answer>", "</answer>", "<think>", "</think>", "<a", ">", "</", "```", "\n", " ", "7", "-", "(",
            ")", "+", "1/0", "{\"a\":", "[", "]", "}", "\"", ",", "none", "0", "é", "🌉", "½", "\u{a0}", "−",
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
    fn what_a_stricter_reading_reads_a_looser_one_reads_alike(text in texts()) {
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
                let _ = problem.certify();
            }
        }
    }

    #[test]
    fn rows_that_are_equal_pass_and_measures_are_symmetric_in_bounds(a in texts(), b in texts()) {
        // Reasoning is not part of a completion, but may be part of a reference.
        let [a, b] = [a, b].map(|text| answer::without_reasoning(&text));
        prop_assume!([&a, &b].iter().all(|text| answer::without_reasoning(text) == **text));
        for name in ["lcs_ratio", "edit_ratio", "difflib_ratio"] {
            let verifier = Verifier::new(name, &Map::new()).unwrap();
            prop_assert!(verifier.judge(&a, &a).unwrap().passed);
            let verdict = verifier.judge(&a, &b).unwrap();
            prop_assert_eq!(verdict.passed, a.trim() == b.trim());
            if name != "difflib_ratio" {
                prop_assert_eq!(verdict.score, verifier.judge(&b, &a).unwrap().score);
            }
        }
    }

    #[test]
    fn every_verifier_judges_any_text_and_takes_no_reference_but_its_own(text in texts(), reference in texts()) {
        for kind in KINDS {
            for tag in [json!(null), json!("answer")] {
                let options = Map::from_iter([("tag".to_owned(), tag)]);
                let verifier = Verifier::new(kind.about.name, &options).unwrap();
                let Ok(verdict) = verifier.judge(&text, &reference) else {
                    prop_assert!(verifier.judge("", &reference).is_err(), "it depends on the reference alone");
                    continue;
                };
                prop_assert_eq!(verdict.passed, verdict.failures.is_empty());
                prop_assert!((0.0..=1.0).contains(&verdict.score));
                if let Some(span) = verdict.answer {
                    prop_assert!(text.get(span).is_some());
                }
            }
        }
    }

    #[test]
    fn end_marks_change_no_verdict(text in texts(), marks in prop::collection::vec(marks(), 0..4), reading in readings()) {
        let plain = answer::read(&text, "answer", reading);
        let ended = format!("{text}{}", marks.concat());
        let ended = answer::read(&ended, "answer", reading);
        prop_assert_eq!(plain.answer, ended.answer);
        prop_assert_eq!(plain.span(), ended.span());
        prop_assert_eq!(plain.faults, ended.faults);
    }
}

#[test]
fn a_strange_letter_anywhere_in_an_answer_or_a_reference_gets_a_verdict_or_an_error() {
    const STRANGE: [&str; 8] = ["é", "🌉", "½", "\u{a0}", "−", "\u{301}", "²", ""];
    for kind in KINDS {
        let verifier = Verifier::new(kind.about.name, &Map::new()).unwrap();
        let example = kind.about.example;
        for plain in [
            example.right,
            example.wrong,
            "0",
            "00501",
            "-0.5",
            "{\"0\": [\"1\", 2.5e3]}",
            "| a |\n|---|\n| 0 |",
            "a,b\n0,-0.5 ",
        ] {
            let tagged = format!("<answer>{plain}</answer>");
            for text in [plain, &tagged] {
                for (at, next) in text.char_indices() {
                    for strange in STRANGE {
                        // Before the letter, or in its place: an empty one takes it away.
                        for after in [&text[at..], &text[at + next.len_utf8()..]] {
                            let changed = format!("{}{strange}{after}", &text[..at]);
                            let verdict = verifier.judge(&changed, example.reference).unwrap();
                            assert_eq!(verdict.passed, verdict.failures.is_empty(), "{changed:?}");
                            let _ = verifier.judge(plain, &changed);
                        }
                    }
                }
            }
        }
    }
}

fn marks() -> impl Strategy<Value = &'static str> {
    prop::sample::select([answer::END_MARKS.as_slice(), &[" ", "\n"]].concat())
}
