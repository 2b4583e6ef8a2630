//! What the answer does not depend on tells no two problems apart: else a split would hold those of another one in
//! disguise.

use std::collections::BTreeMap;

use reasonenv::task::about::{About, JudgedBy};
use reasonenv::task::item::Task;
use reasonenv::task::split::Split;

use crate::common::{batch, families, file, innermost, sample, source};

/// Each item's solution word for word, with its fingerprint.
fn solutions(tasks: &[Task]) -> impl Iterator<Item = (String, u128)> {
    tasks.iter().map(|task| {
        let solution = task.problem.solution();
        (format!("{:?} {}", solution.steps, solution.answer), innermost(task).key)
    })
}

/// Of problems with a value, whose solutions are worked out from all that counts: a position, say, may come of many.
#[test]
fn solutions_that_are_tested_were_not_trained_on() {
    let (trained, tested) = (sample(800, 8_000), sample(200, 2_000));
    let values = |about: &About| about.judged_by == JudgedBy::Normalized && !about.derived;
    for family in families().filter(|family| values(family.about())) {
        for level in [family.about().distinct_from, family.top_level() / 2] {
            let train = batch(&source(family, level, Split::Train, 17), 0..trained).tasks;
            let test = batch(&source(family, level, Split::Test, 17), 0..tested).tasks;
            let known: BTreeMap<String, u128> = solutions(&train).collect();
            let twins = solutions(&test)
                .filter(|(solution, key)| known.get(solution).is_some_and(|twin| twin != key));
            let share = twins.count() as f64 / tested as f64;
            println!("{} level {level}: {share:.3}", family.name());
            assert!(
                share <= 0.02,
                "{}: at level {level} {share} of the items of test have the solution of an item of train word for word; \
                 `fingerprint` must leave out what the solution does not depend on",
                file(family)
            );
        }
    }
}
