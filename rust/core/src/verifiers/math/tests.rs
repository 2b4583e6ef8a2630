//! The corpora of pairs, and attacks that are too long for them.

use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use super::super::Verifier;
use super::super::tests::{assert_judges, assert_refuses, untagged};

const PLAIN: &str = include_str!("../../../../../tests/data/maths/plain.jsonl");
const HOSTILE: &str = include_str!("../../../../../tests/data/maths/hostile.jsonl");

fn verifier() -> Verifier {
    untagged("math_equal", &json!({}))
}

#[test]
fn every_pair_of_the_corpora_is_judged_as_it_says() {
    let verifier = verifier();
    let mut failures = Vec::new();
    let mut slowest = (Duration::ZERO, String::new());
    for line in PLAIN.lines().chain(HOSTILE.lines()) {
        let row: Json = serde_json::from_str(line).expect("a line is JSON");
        let text = |name: &str| row[name].as_str().expect("text").to_owned();
        let (truth, answer) = (text("truth"), text("answer"));
        let start = Instant::now();
        match verifier.judge(&answer, &truth) {
            Ok(verdict) => {
                if verdict.passed != row["passes"].as_bool().expect("a verdict") {
                    failures.push(format!(
                        "{truth:.60} | {answer:.80} | {} {:?} {}",
                        verdict.passed, verdict.failures, verdict.detail
                    ));
                }
            }
            Err(must) => failures.push(format!("{truth:.60} | {answer:.80} | {must}")),
        }
        if start.elapsed() > slowest.0 {
            slowest = (start.elapsed(), format!("{truth:.40} {answer:.60}"));
        }
    }
    println!("slowest {slowest:?}");
    assert!(failures.is_empty(), "{} pairs:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn smoke() {
    assert_judges(&verifier(), &[("1", "2")], &[("1", "1.0")]);
    assert_refuses(&verifier(), &["1/0"]);
}
