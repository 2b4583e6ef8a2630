//! Parts that do not affect the answer do not distinguish problems: otherwise, a split would contain
//! disguised problems of another one.

use std::collections::BTreeMap;

use reasonenv::task::about::JudgedBy;
use reasonenv::task::erased::Family;
use reasonenv::task::item::Task;
use reasonenv::task::split::Split;

use crate::common::{batch, file, innermost, report, sample, source};
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.each_that(values, named![solutions_that_are_tested_were_not_trained_on]);
}

/// Every task's solution word for word, with its fingerprint.
fn solutions(tasks: &[Task]) -> impl Iterator<Item = (String, u128)> {
    tasks.iter().map(|task| {
        let solution = task.problem.solution();
        (format!("{:?} {}", solution.steps, solution.answer), innermost(task).key)
    })
}

/// True if the answers are values.
fn values(family: &Family) -> bool {
    family.about().judged_by == JudgedBy::Normalized && !family.about().derived
}

/// For problems with a value, whose solutions use everything that matters: many problems may share a
/// position, for example.
fn solutions_that_are_tested_were_not_trained_on(family: &'static Family) {
    let (trained, tested) = (sample(800, 8_000), sample(200, 2_000));
    for level in [family.about().distinct_from, family.top_level() / 2] {
        let train = batch(&source(family, level, Split::Train, 17), 0..trained).tasks;
        let test = batch(&source(family, level, Split::Test, 17), 0..tested).tasks;
        let known: BTreeMap<String, u128> = solutions(&train).collect();
        let twins =
            solutions(&test).filter(|(solution, key)| known.get(solution).is_some_and(|twin| twin != key));
        let share = twins.count() as f64 / tested as f64;
        report(&format!("{} level {level}: {share:.3}", family.name()));
        assert!(
            share <= 0.02,
            "{}: at level {level} {share} of the items of test have the solution of an item of train word for word; \
             `fingerprint` must leave out what the solution does not depend on",
            file(family)
        );
    }
}
