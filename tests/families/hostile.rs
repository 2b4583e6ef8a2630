//! Problems written by anyone.

use std::sync::Arc;

use reasonenv::families;
use reasonenv::task::certificate::Aim;
use reasonenv::task::erased::{Family, Instance};
use reasonenv::task::item::Task;
use reasonenv::task::source::Source;
use reasonenv::task::split::Split;
use serde_json::{Map, Value, json};

use crate::common::{all_tasks, batch, file, tasks, verify};
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.each(named![
        generated_problems_are_certified,
        hostile_problems_get_an_error_or_are_real,
        what_the_fingerprint_leaves_out_changes_no_number,
        a_list_is_no_object
    ]);
    cases.each_that(mutates, named![mutations_move_as_asked]);
    cases.each_that(claims_unique, named![a_unique_optimum_is_drawn_when_asked_for_and_proved]);
    cases.once(named![several_families_mutate, a_mutation_that_leads_to_nothing_is_drawn_again]);
}

fn generated_problems_are_certified(family: &'static Family) {
    for task in all_tasks(family, 6) {
        let certificate = task.certify();
        let certificate = certificate
            .unwrap_or_else(|e| panic!("{}: `certify` refuses {}: {e}", file(task.family), task.id()));
        assert!(!certificate.proof.is_empty());
    }
}

/// Every JSON value that differs from `value` in one place, in a few ways.
pub fn corruptions(value: &Value) -> Vec<Value> {
    let mut all = vec![json!(null), json!(-1), json!("x"), json!([]), json!({}), json!(u64::MAX), json!(1.5)];
    match value {
        Value::Array(items) => {
            let (mut shorter, mut longer) = (items.clone(), items.clone());
            shorter.pop();
            longer.extend(items.last().cloned());
            all.extend([json!(shorter), json!(longer), json!(vec![items.first().cloned(); 3_000])]);
            for (i, item) in items.iter().enumerate().take(6) {
                all.extend(corruptions(item).into_iter().map(|bad| {
                    let mut items = items.clone();
                    items[i] = bad;
                    Value::Array(items)
                }));
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                let mut without = fields.clone();
                without.remove(name);
                all.push(Value::Object(without));
                all.extend(corruptions(field).into_iter().map(|bad| {
                    let mut fields = fields.clone();
                    fields.insert(name.clone(), bad);
                    Value::Object(fields)
                }));
            }
            let mut more = fields.clone();
            more.insert("surprise".into(), json!(1));
            all.push(Value::Object(more));
        }
        Value::Number(number) => {
            if let Some(n) = number.as_i64() {
                all.extend(
                    [n.wrapping_add(1), n.wrapping_sub(1), 0, 255, i64::MAX, i64::MIN].map(|n| json!(n)),
                );
            }
        }
        Value::String(text) => {
            let other =
                [format!("{text}x"), format!("{text}\u{e9}"), text.to_uppercase(), "z".repeat(70_000)];
            all.extend(other.map(Value::String));
            all.extend([json!(""), json!("\0"), json!("\u{1f600} x")]);
        }
        _ => {}
    }
    all
}

/// Reading, certifying, wording and verifying a hostile problem ends without a panic.
fn survive(family: &'static Family, json: &str) -> Option<Instance> {
    let instance = match family.read(json) {
        Ok(instance) => instance,
        Err(error) => {
            let message = error.to_string();
            let at = file(family);
            assert!(message.len() < 2_000, "{at}: the message of `check` is too long: {message:.200} ...");
            return None;
        }
    };
    let task = Task::pose(instance.clone(), None, None, &Map::new()).unwrap();
    for text in ["", "1", "(1 + 2) * 3", "a", "1 2 3\n4 5 6"] {
        verify(&task, &task.wrap(text));
    }
    let _ = task.prompt();
    task.verify_steps(&["1 + 1 = 2", "x"]);
    instance.certify().is_ok().then_some(instance)
}

fn hostile_problems_get_an_error_or_are_real(family: &'static Family) {
    for json in ["", "{", "[]", "null", "7", "\"x\"", "{}", &"[".repeat(100_000), "{\"a\":1}"] {
        assert!(family.read(json).is_err(), "{} read {json:.20}", family.about().name);
    }
    let mut refused = 0;
    for task in tasks(family, 1, 2) {
        let real: Value = serde_json::from_str(&task.problem.json()).unwrap();
        for corrupted in corruptions(&real) {
            // A corruption that certifies is a problem in its own right: its solution must pass.
            match survive(family, &corrupted.to_string()) {
                None => refused += 1,
                Some(instance) => {
                    let text = task.wrap(&instance.problem.answer());
                    let posed = Task::pose(instance, None, None, &Map::new()).unwrap();
                    let verdict = posed.verify(&text, None);
                    assert!(verdict.passed, "{corrupted}: {text} {verdict:?}");
                }
            }
        }
    }
    assert!(
        refused > 10,
        "{}: of all corrupted problems `check` and `certify` refuse only {refused}",
        file(family)
    );
}

/// A problem with a number for its answer, changed in one place and of the same fingerprint, has that answer too.
fn what_the_fingerprint_leaves_out_changes_no_number(family: &'static Family) {
    for task in tasks(family, 1, 12) {
        let (real, key, answer) = (task.problem.json(), task.fingerprint().key, task.problem.answer());
        if answer.parse::<i64>().is_err() {
            continue;
        }
        let text = task.wrap(&answer);
        for changed in corruptions(&serde_json::from_str(&real).unwrap()) {
            let Ok(instance) = family.read(&changed.to_string()) else { continue };
            if instance.fingerprint().key != key || instance.certify().is_err() {
                continue;
            }
            let changed = Task::pose(instance, None, None, &Map::new()).unwrap();
            let verdict = changed.verify(&text, None);
            assert!(
                verdict.passed,
                "{}: `fingerprint` is the same for {real} and {}, but not the answer: {verdict:?}",
                file(family),
                changed.problem.json()
            );
        }
    }
}

/// True if the family has mutations.
fn mutates(family: &'static Family) -> bool {
    tasks(family, 2, 6).next().is_some_and(|task| task.mutate(Aim::Same, 0).is_ok())
}

fn several_families_mutate() {
    let mutating = families::all().iter().filter(|family| mutates(family)).count();
    assert!(mutating >= families::all().len() / 8, "only {mutating} families have `mutate`");
}

fn mutations_move_as_asked(family: &'static Family) {
    for task in tasks(family, 2, 6) {
        for aim in Aim::ALL {
            let mutated = task.mutate(aim, 4).unwrap();
            let (before, after) = (task.difficulty(), mutated.difficulty());
            assert!(match aim {
                Aim::Harder => after > before,
                Aim::Easier => after < before,
                Aim::Same => (after - before).abs() <= 0.05,
            });
            assert_ne!(mutated.fingerprint(), task.fingerprint());
            mutated.certify().unwrap();
            assert!(mutated.verify(&mutated.wrap(&mutated.problem.answer()), None).passed);
            assert_eq!(task.mutate(aim, 4).unwrap().to_json(), mutated.to_json());
        }
    }
}

/// Their draws often change nothing: a word or an edge that already exists.
fn a_mutation_that_leads_to_nothing_is_drawn_again() {
    for family in ["graph_coloring", "letter_counting", "word_sorting"] {
        let family = families::find(family).unwrap();
        for task in tasks(family, 2, 20) {
            for aim in Aim::ALL {
                task.mutate(aim, 4).unwrap_or_else(|error| panic!("{}: {error}", task.id()));
            }
        }
    }
}

/// True if the family draws problems with a single best answer when asked to.
fn claims_unique(family: &'static Family) -> bool {
    family.schema()["properties"].get("unique").is_some()
}

fn a_unique_optimum_is_drawn_when_asked_for_and_proved(family: &'static Family) {
    let unique = Map::from_iter([("unique".to_owned(), json!(true))]);
    for level in 0..=family.top_level() {
        let source = Source::new(family, level, &unique, Split::Train, 5, &Map::new()).map(Arc::new).unwrap();
        for task in batch(&source, 0..3).tasks {
            let claims = |task: &Task| task.problem.json().contains(r#""unique":true"#);
            assert!(claims(&task) && task.certify().unwrap().unique, "{}", task.id());
            if let Ok(mutated) = task.mutate(Aim::Same, 4) {
                assert!(claims(&mutated) && mutated.certify().unwrap().unique, "{}", mutated.problem.json());
            }
        }
    }
    // By default nothing is claimed, and a false claim is refused.
    let mut tied = 0;
    for task in tasks(family, 2, 60) {
        assert!(!task.to_json().to_string().contains("unique"), "{}", task.to_json());
        let mut real: Value = serde_json::from_str(&task.problem.json()).unwrap();
        real["unique"] = json!(true);
        let claimed = family.read(&real.to_string()).unwrap().certify();
        let holds = task.certify().unwrap().unique;
        assert_eq!(claimed.is_ok(), holds, "{real}");
        assert!(claimed.err().is_none_or(|error| error.to_string().contains("`unique`")), "{real}");
        tied += usize::from(!holds);
    }
    assert!(tied > 0, "{}: all drawn optima are unique anyway", family.name());
}

fn a_list_is_no_object(family: &'static Family) {
    /// The value with each object in turn replaced by a list of its fields' values.
    fn listed(value: &Value) -> Vec<Value> {
        match value {
            Value::Object(fields) => {
                let inside = fields.iter().flat_map(|(name, field)| {
                    listed(field).into_iter().map(|changed| {
                        let mut fields = fields.clone();
                        fields.insert(name.clone(), changed);
                        Value::Object(fields)
                    })
                });
                inside.chain([Value::Array(fields.values().cloned().collect())]).collect()
            }
            Value::Array(items) => {
                let inside = items.iter().enumerate().take(4).flat_map(|(at, item)| {
                    listed(item).into_iter().map(move |changed| {
                        let mut items = items.clone();
                        items[at] = changed;
                        Value::Array(items)
                    })
                });
                inside.collect()
            }
            _ => Vec::new(),
        }
    }
    for task in all_tasks(family, 1) {
        let real: Value = serde_json::from_str(&task.problem.json()).unwrap();
        for changed in listed(&real) {
            assert!(task.family.read(&changed.to_string()).is_err(), "{}: {changed}", task.id());
        }
    }
}
