//! Claims of derived families hold by the inner family's own verifier, and the surface of the prompt does not
//! reveal the answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use reasonenv::families;
use reasonenv::task::erased::Family;
use reasonenv::task::item::Task;
use reasonenv::task::source::Source;
use reasonenv::task::split::Split;
use serde_json::{Map, json};

use crate::common::{batch, file, report, sample, source, verify};
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.each_that(
        |family| family.about().derived,
        named![the_surface_of_a_derived_prompt_does_not_tell_the_answer],
    );
    cases.once(named![
        the_first_error_is_the_first_by_the_judge_of_the_family_inside,
        every_counted_error_is_one_by_the_judge_of_the_family_inside
    ]);
}

/// The lines of the last list in a prompt that is numbered from 1, like `3. 7 + 4 = 11` or `Answer 3: 7, 4`.
fn listed(prompt: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    for line in prompt.lines() {
        let nth = |number: usize| {
            let step = line.strip_prefix(&format!("{number}. "));
            step.or_else(|| line.strip_prefix(&format!("Answer {number}: ")))
        };
        if nth(1).is_some() {
            lines.clear();
        }
        lines.extend(nth(lines.len() + 1));
    }
    lines
}

fn numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|number| !number.is_empty())
}

/// Tasks of a derived family, one source for each inner family that it accepts.
fn about_each_family(derived: &'static str, count: u64) -> impl Iterator<Item = Task> {
    let derived = families::find(derived).unwrap();
    let inner = families::all().iter().filter(|family| !family.about().derived);
    let drawn = inner.flat_map(move |inner| {
        let params =
            Map::from_iter([("inner".to_owned(), json!(inner.name())), ("inner_level".to_owned(), json!(1))]);
        Source::new(derived, 0, &params, Split::Train, 3, &Map::new()).map(Arc::new)
    });
    drawn.flat_map(move |source| (0..count).filter_map(|index| source.task(index).ok()).collect::<Vec<_>>())
}

fn the_first_error_is_the_first_by_the_judge_of_the_family_inside() {
    let mut inners = BTreeSet::new();
    for task in about_each_family("first_error_step", sample(6, 60)) {
        let (prompt, inner) = (task.prompt(), task.problem.inner().unwrap());
        let steps = listed(&prompt);
        let verdicts = inner.verify_steps(&steps).unwrap();
        let claimed: usize = task.problem.answer().parse().unwrap();
        assert!(verdicts[..claimed - 1].iter().all(|verdict| verdict.holds), "{prompt}");
        assert!(!verdicts[claimed - 1].holds, "{prompt}");
        // A step with its own number would clash with the number in the list.
        assert!(
            steps.iter().all(|step| !step.starts_with(|c: char| c.is_ascii_digit()) || !step.contains(". ")),
            "{prompt}"
        );
        inners.insert(inner.family.name());
    }
    assert!(inners.len() >= 15, "{inners:?}");
}

fn every_counted_error_is_one_by_the_judge_of_the_family_inside() {
    let mut inners = BTreeSet::new();
    for task in about_each_family("count_errors", sample(6, 60)) {
        let (prompt, inner) = (task.prompt(), task.problem.inner().unwrap());
        let holds = |step: &&str| inner.verify_steps(&[step]).unwrap()[0].holds;
        let wrong = listed(&prompt).iter().filter(|step| !holds(step)).count();
        assert_eq!(task.problem.answer(), wrong.to_string(), "{prompt}");
        task.certify().unwrap_or_else(|error| panic!("{error}: {prompt}"));
        inners.insert(inner.family.name());
    }
    assert!(inners.len() >= 2, "{inners:?}");
}

/// Answers of a policy that looks only at the list in a prompt, without working anything out or reading the
/// problem.
fn surface(prompt: &str) -> BTreeMap<&'static str, usize> {
    let lines = listed(prompt);
    let mut seen = BTreeMap::<&str, usize>::new();
    numbers(prompt).for_each(|number| *seen.entry(number).or_default() += 1);
    let alone = |number: &str| seen[number] == 1;
    let first = |odd: &dyn Fn(usize, &str) -> bool| {
        let found = lines.iter().enumerate().position(|(at, line)| odd(at, line));
        found.map_or(lines.len().div_ceil(2), |at| at + 1)
    };
    let misnumbered = |at: usize, line: &str| {
        let own = line.split_once(". ").and_then(|(own, _)| own.parse().ok());
        own.is_some_and(|own: usize| own != at + 1)
    };
    // A number in a line whose neighbors have other numbers at this place.
    let unlike = |at: usize, place: usize| {
        let here = numbers(lines[at]).nth(place);
        let around =
            [at.wrapping_sub(1), at + 1].map(|at| lines.get(at).and_then(|line| numbers(line).nth(place)));
        here.is_some() && !around.contains(&here)
    };
    let digits = |text: &str| text.bytes().filter(u8::is_ascii_digit).count();
    let starts: usize = lines.iter().filter_map(|line| numbers(line).next()).map(digits).sum();
    let share = starts as f64 / lines.iter().map(|line| digits(line)).sum::<usize>().max(1) as f64;
    let strange = (0..lines.len()).filter(|at| unlike(*at, 0)).count();
    let by_length = |line: &&str| line.len();
    let place = |line: Option<&&str>| line.map_or(1, |line| first(&|_, other| other == *line));
    BTreeMap::from([
        ("the first line with another number than its place", first(&misnumbered)),
        ("the first line with a number that stands nowhere else", first(&|_, line| numbers(line).any(alone))),
        (
            "the first line that starts with another number than those around it",
            first(&|at, _| unlike(at, 0)),
        ),
        ("the longest line", place(lines.iter().max_by_key(|line| by_length(line)))),
        ("the shortest line", place(lines.iter().min_by_key(|line| by_length(line)))),
        (
            "how many lines have a number that stands nowhere else",
            lines.iter().filter(|line| numbers(line).any(alone)).count(),
        ),
        ("how many lines start with another number than those around them", strange),
        (
            "as many lines as that number speaks for",
            ((strange as f64 / share.max(0.01)).round() as usize).min(lines.len()),
        ),
    ])
}

fn the_surface_of_a_derived_prompt_does_not_tell_the_answer(family: &'static Family) {
    let count = sample(150, 2_000);
    for level in 0..=family.top_level() {
        let tasks = batch(&source(family, level, Split::Train, 13), 0..count).tasks;
        let declared = f64::from(tasks[0].facts().guess_rate);
        let mut passed = BTreeMap::<&str, u32>::new();
        for task in &tasks {
            for (shortcut, answer) in surface(&task.prompt()) {
                let paid = verify(task, &task.wrap(&answer.to_string())).passed;
                *passed.entry(shortcut).or_default() += u32::from(paid);
            }
        }
        for (shortcut, passed) in passed {
            let rate = f64::from(passed) / count as f64;
            report(&format!("{} level {level}: {shortcut}: {rate:.3}", family.name()));
            assert!(
                rate <= declared + 3.0 * (declared.max(0.003) / count as f64).sqrt(),
                "{}: at level {level} {shortcut} passes {rate}, above the declared `guess_rate` of {declared}",
                file(family)
            );
        }
    }
}
