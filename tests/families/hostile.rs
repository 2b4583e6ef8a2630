//! Problems that anyone may have written.

use std::sync::Arc;

use reasonenv::task::certificate::Aim;
use reasonenv::task::erased::{AnyProblem, Family};
use reasonenv::task::item::Task;
use serde_json::{Map, Value, json};

use crate::common::{all_tasks, families, file, tasks, verify};

#[test]
fn generated_problems_are_certified() {
    for task in all_tasks(6) {
        let certificate = task.family.certify(&*task.problem);
        let certificate = certificate
            .unwrap_or_else(|e| panic!("{}: `certify` refuses {}: {e}", file(task.family), task.id()));
        assert!(!certificate.proof.is_empty());
    }
}

/// Every JSON that differs from `value` in one place, in a few ways.
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
        Value::String(text) => all.extend([json!(format!("{text}x")), json!("z".repeat(70_000))]),
        _ => {}
    }
    all
}

/// Reading, certifying, wording and judging a hostile problem ends, and ends without a panic.
fn survive(family: &'static Family, json: &str) -> Option<Arc<dyn AnyProblem>> {
    let problem = match family.read(json) {
        Ok(problem) => problem,
        Err(error) => {
            let message = error.to_string();
            let at = file(family);
            assert!(message.len() < 2_000, "{at}: the message of `check` is too long: {message:.200} ...");
            return None;
        }
    };
    let task = Task::pose(family, problem.clone(), None, None, &Map::new()).unwrap();
    for text in ["", "1", "(1 + 2) * 3", "a", "1 2 3\n4 5 6"] {
        verify(&task, &task.wrap(text));
    }
    let _ = task.prompt();
    task.verify_steps(&["1 + 1 = 2", "x"]);
    family.certify(&*problem).is_ok().then_some(problem)
}

#[test]
fn hostile_problems_get_an_error_or_are_real() {
    for family in families() {
        for json in ["", "{", "[]", "null", "7", "\"x\"", "{}", &"[".repeat(100_000), "{\"a\":1}"] {
            assert!(family.read(json).is_err(), "{} read {json:.20}", family.about().name);
        }
        let mut refused = 0;
        for task in tasks(family, 1, 2) {
            let real: Value = serde_json::from_str(&task.problem.json()).unwrap();
            for corrupted in corruptions(&real) {
                // A corruption that certifies is a problem in its own right: its solution passes.
                match survive(family, &corrupted.to_string()) {
                    None => refused += 1,
                    Some(problem) => {
                        let text = task.wrap(&problem.answer());
                        let posed = Task::pose(family, problem, None, None, &Map::new()).unwrap();
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
}

#[test]
fn mutations_move_as_asked() {
    let mut mutating = 0;
    for family in families() {
        let tasks: Vec<_> = tasks(family, 2, 6).collect();
        let can = tasks[0].mutate(Aim::Same, 0).is_ok();
        mutating += usize::from(can);
        for task in tasks.iter().filter(|_| can) {
            for aim in Aim::ALL {
                let mutated = task.mutate(aim, 4).unwrap();
                let (before, after) = (task.difficulty(), mutated.difficulty());
                assert!(match aim {
                    Aim::Harder => after > before,
                    Aim::Easier => after < before,
                    Aim::Same => (after - before).abs() <= 0.05,
                });
                assert_ne!(mutated.fingerprint(), task.fingerprint());
                family.certify(&*mutated.problem).unwrap();
                assert!(mutated.verify(&mutated.wrap(&mutated.problem.answer()), None).passed);
                assert_eq!(task.mutate(aim, 4).unwrap().to_json(), mutated.to_json());
            }
        }
    }
    assert!(mutating >= families().count() / 8, "mutation is shown on some families");
}

/// Their draws often lead to nothing: a word or an edge that is there already.
#[test]
fn a_mutation_that_leads_to_nothing_is_drawn_again() {
    let names = ["graph_coloring", "letter_counting", "word_sorting"];
    for family in families().filter(|family| names.contains(&family.name())) {
        for task in tasks(family, 2, 20) {
            for aim in Aim::ALL {
                task.mutate(aim, 4).unwrap_or_else(|error| panic!("{}: {error}", task.id()));
            }
        }
    }
}

#[test]
fn a_list_is_no_object() {
    /// The value with each object in turn written as the list of its fields' values.
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
    for task in all_tasks(1) {
        let real: Value = serde_json::from_str(&task.problem.json()).unwrap();
        for changed in listed(&real) {
            assert!(task.family.read(&changed.to_string()).is_err(), "{}: {changed}", task.id());
        }
    }
}
