//! Contents that prompts must and must not have.

use std::collections::BTreeMap;

use reasonenv::task::erased::Family;
use reasonenv::task::item::Task;
use serde_json::{Map, Value, json};

use crate::common::{DRAWN, file, innermost, tasks, verify};
use crate::contract::Cases;
use crate::hostile::corruptions;

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.each(named![
        equal_prompts_are_of_equal_problems,
        a_prompt_says_all_that_makes_its_problem,
        no_prompt_shows_its_answer
    ]);
    cases.once(named![an_answer_stands_in_a_text_as_words_of_its_own]);
}

/// The same problem in one of the family's templates, with the same smaller choices of words.
fn worded(task: &Task, template: &str) -> Task {
    let style = json!({"template": template, "words": 0});
    Task::pose(task.instance.clone(), None, None, style.as_object().expect("an object")).expect("a wording")
}

fn levels(family: &'static Family) -> impl Iterator<Item = Vec<Task>> {
    let top = family.top_level();
    [0, top / 2, top].into_iter().map(move |level| tasks(family, level, DRAWN).collect())
}

fn equal_prompts_are_of_equal_problems(family: &'static Family) {
    for drawn in levels(family) {
        for template in family.templates() {
            let mut first: BTreeMap<String, Task> = BTreeMap::new();
            for task in &drawn {
                let posed = worded(task, template.name);
                let other = first.entry(posed.prompt()).or_insert_with(|| posed.clone());
                let context = || format!("{}: `{}`\n{}", file(family), template.name, posed.prompt());
                assert_eq!(innermost(other).key, innermost(task).key, "two keys; {}", context());
                let right = posed.wrap(&other.problem.answer());
                assert!(verify(&posed, &right).passed, "two answers, one of them {right}; {}", context());
            }
        }
    }
}

/// A problem with one change that is still valid is another problem, with another prompt.
fn a_prompt_says_all_that_makes_its_problem(family: &'static Family) {
    for task in tasks(family, 1, 2) {
        let real: Value = serde_json::from_str(&task.problem.json()).expect("problems are JSON");
        for changed in corruptions(&real) {
            let Ok(problem) = family.read(&changed.to_string()) else { continue };
            if problem.certify().is_err() {
                continue;
            }
            let other = Task::pose(problem, None, None, &Map::new()).expect("it is certified");
            if other.fingerprint().key == task.fingerprint().key {
                continue;
            }
            for template in family.templates() {
                assert_ne!(
                    worded(&other, template.name).prompt(),
                    worded(&task, template.name).prompt(),
                    "{}: `{}` says the same of {changed}, which `fingerprint` tells apart",
                    file(family),
                    template.name
                );
            }
        }
    }
}

/// True if an answer appears in a text as separate words or numbers.
fn stands_in(answer: &str, text: &str) -> bool {
    let (first, last) = (answer.chars().next(), answer.chars().next_back());
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(answer).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + answer.len()..]);
        let joined = |c: char| part(c) || c == '-' || c == '.';
        let goes_on = |text: &str| {
            text.starts_with(part)
                || text.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        let joined_before = first.is_some_and(|c| part(c) || c == '-') && before.ends_with(joined);
        !(joined_before || last.is_some_and(part) && goes_on(after))
    })
}

/// A prompt contains its own answer no more often than the answer to another problem.
fn no_prompt_shows_its_answer(family: &'static Family) {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for drawn in levels(family) {
        let answers: Vec<String> = drawn.iter().map(|task| plain(&task.problem.answer())).collect();
        for template in family.templates() {
            let mut shown = [0; 2];
            for (at, task) in drawn.iter().enumerate() {
                let prompt = worded(task, template.name).prompt();
                let (text, _) = prompt.rsplit_once('\n').expect("the form's sentence has its own line");
                let text = plain(text);
                shown[0] += usize::from(stands_in(&answers[at], &text));
                shown[1] += usize::from(stands_in(&answers[(at + 1) % drawn.len()], &text));
            }
            assert!(
                shown[0] <= shown[1] + drawn.len() / 3,
                "{}: of {} prompts of `{}` at level {:?} {} show the right answer, and only {} that of the next item",
                file(family),
                drawn.len(),
                template.name,
                drawn[0].level(),
                shown[0],
                shown[1]
            );
        }
    }
}

fn an_answer_stands_in_a_text_as_words_of_its_own() {
    assert!(stands_in("12", "is it 12?") && stands_in("-12", "is it -12.") && stands_in("a -> b", "a -> b"));
    for text in ["112", "12.5", "-12", "x12", "1.12"] {
        assert!(!stands_in("12", text), "{text}");
    }
}
