//! A task follows from its identity, wherever it is generated.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use reasonenv::families;
use reasonenv::pool;
use reasonenv::task::answer::StopTokens;
use reasonenv::task::batch::Batch;
use reasonenv::task::erased::Family;
use reasonenv::task::item::Task;
use reasonenv::task::mixture::Mixture;
use reasonenv::task::source::Source;
use reasonenv::task::split::Split;
use reasonenv::task::verdict::label;
use serde_json::{Map, json};

use crate::common::{DRAWN, all_tasks, batch, file, innermost, report, rng, sample, source, tasks, verify};
use crate::contract::Cases;
use crate::judging::mutated_text;

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.each(named![
        families_describe_themselves,
        items_do_not_depend_on_threads_batching_or_order,
        batch_verdicts_equal_single_ones,
        tasks_survive_json,
        every_level_is_harder_than_the_one_before,
        every_param_is_documented_with_its_role_and_default,
        splits_are_disjoint_and_items_distinct,
        level_0_has_enough_problems,
        seeds_give_other_items,
        held_out_wordings_are_never_trained_on,
        errors_name_the_field_and_what_would_be_right,
        a_twin_is_the_same_problem,
        a_derived_item_lies_in_the_split_of_its_innermost_problem,
        a_record_may_not_claim_a_level_or_a_split_that_is_not_its_own
    ]);
    cases.once(named![the_registry_is_in_order, mixed_batches_equal_single_items]);
}

fn the_registry_is_in_order() {
    let names: Vec<_> = families::all().iter().map(Family::name).collect();
    assert!(names.is_sorted(), "{names:?}");
}

fn families_describe_themselves(family: &'static Family) {
    let (about, file, templates) = (family.about(), file(family), family.templates());
    let summary = about.summary;
    assert!(
        summary.ends_with('.') && summary.len() < 100,
        "{file}: `summary` must be a sentence of fewer than 100 characters: {summary}"
    );
    assert!(about.version() >= 1, "{file}: `changes` must have a line for each version");
    assert!(family.top_level() >= 6, "{file}: `LEVELS` must reach level 6 at least");
    assert!(!about.skills.is_empty(), "{file}: `skills` must name one at least");
    let shown = templates.iter().filter(|template| !template.held_out).count();
    assert!(
        shown >= 2 && shown + 2 <= templates.len(),
        "{file}: `TEMPLATES` must have two wordings to train on and two held out, at least"
    );
    let names: BTreeSet<_> = templates.iter().map(|template| template.name).collect();
    assert_eq!(names.len(), templates.len(), "{file}: two wordings in `TEMPLATES` have one name: {names:?}");
    for (failure, _) in about.failures {
        let common = label::COMMON.iter().any(|(name, _)| name == failure);
        assert!(!common, "{file}: `failures` has {failure}, which every family may give undeclared");
    }
}

fn items_do_not_depend_on_threads_batching_or_order(family: &'static Family) {
    let source = source(family, 2, Split::Eval, 1);
    let bytes = |batch: &Batch| -> Vec<String> {
        batch.tasks.iter().map(|task| task.to_json().to_string()).collect()
    };
    let whole = bytes(&batch(&source, 0..150));
    pool::set_threads(1);
    let alone = bytes(&batch(&source, 0..150));
    pool::set_threads(3);
    let three = bytes(&batch(&source, 0..150));
    pool::set_threads(0);
    assert_eq!(whole, alone);
    assert_eq!(whole, three);
    let parts = [bytes(&batch(&source, 0..70)), bytes(&batch(&source, 70..150))].concat();
    assert_eq!(whole, parts);
    let mut backwards = bytes(&batch(&source, (0..150).rev()));
    backwards.reverse();
    assert_eq!(whole, backwards);
    assert_eq!(whole[33], source.task(33).unwrap().to_json().to_string());
    let prompts = batch(&source, 0..150).column(&AtomicBool::new(false), Task::prompt).unwrap();
    let single: Vec<_> = (0..150).map(|i| source.task(i).unwrap().prompt()).collect();
    assert_eq!(prompts, single);
}

fn batch_verdicts_equal_single_ones(family: &'static Family) {
    let batch = batch(&source(family, 1, Split::Train, 3), 0..200);
    let mut rng = rng("batch");
    let right = |task: &Task| task.wrap(&task.problem.answer());
    let texts: Vec<String> = batch.tasks.iter().map(|task| mutated_text(&right(task), &mut rng)).collect();
    assert_judged_as_alone(&batch, &texts);
}

fn mixed_batches_equal_single_items() {
    let sources: Vec<_> = families::all().iter().map(|family| source(family, 1, Split::Train, 3)).collect();
    let mixture = Mixture::new(sources, None, 3).unwrap();
    let indices: Vec<u64> = (0..500).map(|i| i * 7).collect();
    let batch = Batch::mix(&mixture, &indices, &AtomicBool::new(false)).unwrap();
    let alone: Vec<_> = indices.iter().map(|index| mixture.task(*index).unwrap().to_json()).collect();
    assert_eq!(batch.tasks.iter().map(Task::to_json).collect::<Vec<_>>(), alone);
    let mut rng = rng("mixed");
    let right = |task: &Task| task.wrap(&task.problem.answer());
    let texts: Vec<String> = batch.tasks.iter().map(|task| mutated_text(&right(task), &mut rng)).collect();
    assert_judged_as_alone(&batch, &texts);
}

fn assert_judged_as_alone(batch: &Batch, texts: &[String]) {
    let together = batch.verify(texts, None, &StopTokens::NONE, &AtomicBool::new(false)).unwrap();
    let alone: Vec<_> = batch.tasks.iter().zip(texts).map(|(task, text)| task.verify(text, None)).collect();
    assert_eq!(together, alone);
}

fn tasks_survive_json(family: &'static Family) {
    for task in all_tasks(family, 5) {
        let json = task.to_json().to_string();
        let back = Task::from_json(&json).unwrap();
        assert_eq!(back.to_json().to_string(), json);
        let answers = task.wrong_answers(1);
        for answer in answers.iter().chain([&task.problem.answer()]) {
            let text = task.wrap(answer);
            assert_eq!(task.verify(&text, None), back.verify(&text, None));
        }
    }
}

/// `make levels` prints the measurements.
fn every_level_is_harder_than_the_one_before(family: &'static Family) {
    let mean = |level, measure: &dyn Fn(&Task) -> f32| {
        tasks(family, level, DRAWN).map(|task| measure(&task)).sum::<f32>() / DRAWN as f32
    };
    let levels = 0..=family.top_level();
    let means: Vec<f32> = levels.clone().map(|level| mean(level, &Task::difficulty)).collect();
    let steps: Vec<f32> =
        levels.map(|level| mean(level, &|task| task.problem.effort().steps as f32)).collect();
    for (level, (steps, difficulty)) in steps.iter().zip(&means).enumerate() {
        report(&format!(
            "{} level {level}: effort {steps:.0} steps, difficulty {difficulty:.3}",
            family.name()
        ));
    }
    assert!(
        means.is_sorted_by(|a, b| a + 0.01 < *b),
        "{}: the mean difficulty must rise from each of `LEVELS` to the next: {means:?}",
        file(family)
    );
}

fn every_param_is_documented_with_its_role_and_default(family: &'static Family) {
    let schema = family.schema();
    let mut defaults = Map::new();
    for (name, field) in schema["properties"].as_object().unwrap() {
        let context = format!("{}: param `{name}`", file(family));
        assert!(field["description"].is_string(), "{context} has no doc comment");
        let roles = ["difficulty", "structure", "style"];
        assert!(
            roles.iter().any(|role| field["role"] == *role),
            "{context} has no `extend(\"role\" = …)` of {roles:?}"
        );
        defaults.insert(name.clone(), field["default"].clone());
    }
    assert_eq!(family.configure(&defaults).unwrap().canonical, "{}", "{}", file(family));
    for level in 0..=family.top_level() {
        let configured = family.configure(&family.level(level).unwrap()).unwrap();
        assert_eq!(configured.level, Some(level), "{}: two of `LEVELS` are alike", file(family));
    }
}

fn splits_are_disjoint_and_items_distinct(family: &'static Family) {
    let about = family.about();
    for level in 0..=family.top_level() {
        // If every task is in the split of its fingerprint, no two splits share one.
        for split in Split::ALL {
            let drawn = batch(&source(family, level, split, 5), 0..sample(10, 400));
            let strays = drawn.tasks.iter().filter(|task| innermost(task).split() != split);
            assert_eq!(strays.count(), 0, "{} level {level}: not all in {}", about.name, split.name());
        }
        let count = if level == about.distinct_from { 1000 } else { sample(DRAWN, 400) };
        let keys: BTreeSet<u128> = tasks(family, level, count).map(|task| innermost(&task).key).collect();
        let distinct = keys.len() as f64 / count as f64;
        assert!(
            level < about.distinct_from || distinct >= 0.95,
            "{}: of {count} items of level {level} only {} are distinct; let `generate` draw from more, or have \
             `ABOUT.distinct_from` say from which level on 95 % are",
            file(family),
            keys.len()
        );
    }
}

/// Families whose easiest level has fewer problems, however it is drawn.
const FEW: &[&str] = &[];

/// A learner that begins at level 0 has 500 problems to train on and 100 to be tested on.
fn level_0_has_enough_problems(family: &'static Family) {
    let distinct = |split, enough: usize, most: u64| {
        let source = source(family, 0, split, 5);
        let mut keys = BTreeSet::new();
        for start in (0..most).step_by(250) {
            keys.extend(batch(&source, start..start + 250).tasks.iter().map(|task| innermost(task).key));
            if keys.len() >= enough {
                break;
            }
        }
        keys.len()
    };
    let (train, test) = (distinct(Split::Train, 500, 4_000), distinct(Split::Test, 100, 2_000));
    report(&format!("{} level 0: {train} problems in train, {test} in test", family.name()));
    assert_eq!(
        train < 500 || test < 100,
        FEW.contains(&family.name()),
        "{}: {train} problems in train and {test} in test at level 0",
        file(family)
    );
}

fn seeds_give_other_items(family: &'static Family) {
    let level = family.top_level();
    let key = |seed, index| source(family, level, Split::Train, seed).task(index).unwrap().fingerprint().key;
    // Seed 1 must differ from seed 0 shifted by one.
    let count = sample(20, 200);
    let first: BTreeSet<_> = (0..count).map(|index| key(0, index)).collect();
    assert!((0..count).all(|index| !first.contains(&key(1, index))), "{}", family.about().name);
}

fn held_out_wordings_are_never_trained_on(family: &'static Family) {
    let about = family.about();
    let seen = |split| -> BTreeSet<usize> {
        let batch = batch(&source(family, 0, split, 2), 0..200);
        batch.tasks.iter().map(|task| task.style.template).collect()
    };
    assert!(seen(Split::Train).iter().all(|at| !family.templates()[*at].held_out));
    assert_eq!(seen(Split::Eval).len(), family.templates().len(), "{}", about.name);
    let held_out = family.templates().iter().find(|template| template.held_out).unwrap();
    let style = json!({"template": held_out.name});
    let style = style.as_object().unwrap();
    let train = Source::new(family, 0, &Map::new(), Split::Train, 0, style);
    assert!(train.err().unwrap().to_string().contains("held out"));
    assert!(Source::new(family, 0, &Map::new(), Split::Eval, 0, style).is_ok());
}

fn errors_name_the_field_and_what_would_be_right(family: &'static Family) {
    let error = family.level(family.top_level() + 1).unwrap_err().to_string();
    assert!(error.ends_with(&format!("between 0 and {}", family.top_level())), "{error}");
    for (name, field) in family.schema()["properties"].as_object().unwrap() {
        for bad in [json!("?"), json!([[1]]), json!(1e18)] {
            let given = Map::from_iter([(name.clone(), bad.clone())]);
            match family.configure(&given) {
                Err(error) => {
                    let error = error.to_string();
                    let is_told = error.contains("must be") || error.contains("; choose ");
                    assert!(error.contains(name.as_str()) && is_told, "{error}");
                }
                Ok(_) => assert_eq!(field["type"], "string", "{name} took {bad}"),
            }
        }
        let misspelt = Map::from_iter([(format!("{name}x"), json!(1))]);
        let error = family.configure(&misspelt).err().unwrap().to_string();
        assert!(error.contains(&format!("did you mean `{name}`?")), "{error}");
    }
}

fn a_twin_is_the_same_problem(family: &'static Family) {
    let mut rng = rng("twin");
    for task in all_tasks(family, 25) {
        let twin = task.twin(&mut rng);
        let (here, problem) = (file(task.family), task.problem.json());
        let context = || format!("{here}: `twin` of {}\n{problem}\n{}", task.id(), twin.problem.json());
        assert_eq!(
            twin.fingerprint(),
            task.fingerprint(),
            "another `fingerprint` than the problem; {}",
            context()
        );
        assert_eq!(twin.innermost().fingerprint(), innermost(&task), "{}", context());
        twin.certify().unwrap_or_else(|error| panic!("{error}: {}", context()));
        let posed = Task::pose(twin.clone(), None, None, &Map::new()).unwrap();
        assert!(verify(&posed, &posed.wrap(&twin.problem.answer())).passed, "{}", context());
    }
}

fn a_derived_item_lies_in_the_split_of_its_innermost_problem(family: &'static Family) {
    for split in Split::ALL {
        for task in batch(&source(family, 1, split, 9), 0..60).tasks {
            assert_eq!(innermost(&task).split(), split, "{}", task.id());
            assert_eq!(task.problem.inner().is_some(), family.about().derived, "{}", task.id());
        }
    }
}

fn a_record_may_not_claim_a_level_or_a_split_that_is_not_its_own(family: &'static Family) {
    for task in all_tasks(family, 1) {
        let mut record = task.to_json();
        let top = task.family.top_level();
        for level in [u64::from(top) + 1, 255, 256, 300, u64::MAX] {
            record["level"] = json!(level);
            let error = Task::from_json(&record.to_string()).err().unwrap().to_string();
            assert!(error.contains("`level`") && error.contains(&format!("between 0 and {top}")), "{error}");
        }
        record["level"] = json!(task.level());
        record["split"] = json!("test");
        let error = Task::from_json(&record.to_string()).err().unwrap().to_string();
        assert!(error.contains("`split` is test"), "{error}");
    }
}
