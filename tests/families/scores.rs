//! Scores of guesses and near misses.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use reasonenv::rng::{Key, Rng};
use reasonenv::task::batch::{Batch, for_all};
use reasonenv::task::erased::Family;
use reasonenv::task::item::Task;
use reasonenv::task::solution::Faults;
use reasonenv::task::split::Split;

use crate::common::{DRAWN, batch, file, report, source, tasks, verify};
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.each(named![blind_answers_earn_no_more_than_declared, more_faults_score_no_better]);
    cases.slow(named![what_is_declared_of_guessing_is_what_is_measured]);
}

/// Share of a policy's answers that pass, and their mean score.
#[derive(Clone, Copy, Debug, Default)]
pub struct Earned {
    pub rate: f64,
    pub score: f64,
}

pub fn earned(batch: &Batch, answer: impl Fn(usize, &Task) -> Option<String> + Sync) -> Earned {
    let judged = for_all(batch.len(), &AtomicBool::new(false), |i| {
        let task = &batch.tasks[i];
        let verdict = task.verify(&task.wrap(&answer(i, task)?), None);
        Some((u32::from(verdict.passed), f64::from(verdict.score)))
    });
    let judged = judged.unwrap();
    let count = batch.len() as f64;
    let passed: u32 = judged.iter().flatten().map(|(passed, _)| passed).sum();
    Earned {
        rate: f64::from(passed) / count,
        score: judged.iter().flatten().map(|(_, score)| score).sum::<f64>() / count,
    }
}

fn stream(at: usize) -> Rng {
    Key::new("guess", 1, "", 0, "").stream(at as u64)
}

/// A prompt without the sentence on the form of the answer.
pub fn body(task: &Task) -> String {
    let (prompt, asks) = (task.prompt(), task.problem.asks());
    prompt.split_once(&asks).map_or(prompt.clone(), |(body, _)| body.to_owned())
}

/// Whole numbers of a text, in digits.
pub fn numbers(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty()).collect()
}

/// An answer with its numbers replaced by others.
pub fn renumbered<'a>(answer: &str, others: impl IntoIterator<Item = &'a str>) -> String {
    let (mut written, mut rest) = (String::new(), answer);
    for (number, other) in numbers(answer).into_iter().zip(others) {
        let (before, after) = rest.split_once(number).expect("the answer has its numbers");
        written.extend([before, other]);
        rest = after;
    }
    written + rest
}

/// Scores of each blind policy at a level: the best constants, the prompt, its first and its last numbers,
/// another task's answer, and the family's own guesses.
fn blind(family: &'static Family, level: u8, count: u64) -> BTreeMap<String, Earned> {
    let fit = batch(&source(family, level, Split::Train, 11), 0..(count / 3).min(2_000));
    let paid = Batch { tasks: tasks(family, level, count).collect() };
    let answers = fit.column(&AtomicBool::new(false), |task| task.problem.answer()).unwrap();
    let mut counts = BTreeMap::<&str, usize>::new();
    for answer in &answers {
        *counts.entry(answer).or_default() += 1;
    }
    let mut commonest: Vec<_> = counts.iter().map(|(answer, n)| (*n, *answer)).collect();
    commonest.sort_unstable();
    let mut all = BTreeMap::new();
    for (_, answer) in commonest.iter().rev().take(5) {
        all.insert(format!("constant {answer:.40}"), earned(&paid, |_, _| Some((*answer).to_owned())));
    }
    all.insert("the prompt".to_owned(), earned(&paid, |_, task| Some(task.prompt())));
    let (_, usual) = commonest[commonest.len() - 1];
    let count = numbers(usual).len();
    if count > 0 {
        let first = |_, task: &Task| Some(renumbered(usual, numbers(&body(task))));
        all.insert("the prompt's first numbers".to_owned(), earned(&paid, first));
        let last = |_, task: &Task| {
            let body = body(task);
            let numbers = numbers(&body);
            Some(renumbered(usual, numbers[numbers.len().saturating_sub(count)..].iter().copied()))
        };
        all.insert("the prompt's last numbers".to_owned(), earned(&paid, last));
    }
    all.insert("another answer".to_owned(), earned(&paid, |i, _| Some(answers[i % answers.len()].clone())));
    for (at, (name, _)) in paid.tasks[0].problem.guesses(&mut stream(0)).into_iter().enumerate() {
        let guess = |i: usize, task: &Task| Some(task.problem.guesses(&mut stream(i)).into_iter().nth(at)?.1);
        all.insert(name.to_owned(), earned(&paid, guess));
    }
    all
}

/// Three standard errors of a mean of `count` values in [0, 1] that is at most `declared`.
pub fn slack(declared: f32, count: u64) -> f64 {
    3.0 * (f64::from(declared).max(0.003) / count as f64).sqrt()
}

fn blind_answers_earn_no_more_than_declared(family: &'static Family) {
    for level in 0..=family.top_level() {
        let about = family.about();
        for (policy, earned) in blind(family, level, DRAWN) {
            for (what, declared, found) in [
                ("guess_rate", about.guess_rate, earned.rate),
                ("guess_score", about.guess_score, earned.score),
            ] {
                assert!(
                    found <= f64::from(declared) + slack(declared, DRAWN),
                    "{}: at level {level} {policy} earns {found}, above the declared `{what}` of {declared}; \
                     `make guesses F={}` prints what to declare",
                    file(family),
                    family.name()
                );
            }
        }
    }
}

/// `make test-all` runs it; `--nocapture` prints the values to declare.
fn what_is_declared_of_guessing_is_what_is_measured(family: &'static Family) {
    let count: u64 = std::env::var("REASONENV_GUESSES").map_or(100_000, |n| n.parse().unwrap());
    let (mut rate, mut score) = (0f64, 0f64);
    for level in 0..=family.top_level() {
        for (policy, earned) in blind(family, level, count) {
            report(&format!("{} level {level}: {policy}: {earned:?}", family.name()));
            (rate, score) = (rate.max(earned.rate), score.max(earned.score));
        }
    }
    let about = family.about();
    let measured = [("guess_rate", about.guess_rate, rate), ("guess_score", about.guess_score, score)];
    for (what, declared, found) in measured {
        report(&format!("{}: {what} {found:.4}, declared {declared:.4}", family.name()));
    }
    for (what, declared, found) in measured {
        let (declared, noise) = (f64::from(declared), slack(found as f32, count));
        assert!(
            found <= declared + noise && declared <= 1.5 * found + 0.001 + noise,
            "{}: `{what}` is declared as {declared:.4}, but must be {found:.4} or a little more",
            file(family)
        );
    }
}

/// Mean scores of near misses at a level, with a growing number of faults.
fn ladder(family: &'static Family, level: u8, items: u64) -> Vec<f64> {
    let tasks: Vec<Task> = tasks(family, level, items).collect();
    let mean = |faults: Faults| {
        let scores = tasks.iter().enumerate().flat_map(|(at, task)| {
            let misses = task.problem.near_misses(faults, &mut stream(at));
            assert!(
                !misses.is_empty(),
                "{}: `near_misses` has none with {faults:?} for {}",
                file(task.family),
                task.id()
            );
            misses.into_iter().map(|answer| {
                let verdict = verify(task, &task.wrap(&answer));
                assert!(
                    !verdict.passed,
                    "{}: `verify` paid the near miss {answer:?} of {}",
                    file(task.family),
                    task.id()
                );
                f64::from(verdict.score)
            })
        });
        let scores: Vec<f64> = scores.collect();
        scores.iter().sum::<f64>() / scores.len() as f64
    };
    Faults::LADDER.map(mean).to_vec()
}

fn more_faults_score_no_better(family: &'static Family) {
    // `make test-all` requests two thousand.
    let items: u64 = std::env::var("REASONENV_LADDER").map_or(60, |n| n.parse().unwrap());
    for level in [0, family.top_level() / 2, family.top_level()] {
        let means = ladder(family, level, items);
        let noise = 0.3 / (items as f64).sqrt();
        assert!(
            means.is_sorted_by(|fewer, more| *more <= fewer + noise),
            "{}: at level {level} near misses with 1, 2, 4 and all faults score {means:?}, but more may not score more",
            file(family)
        );
    }
}
