//! What every registered family must satisfy. A new family is tested by being registered.

#![expect(clippy::float_cmp, reason = "a score of 1 is exact, and so is a score read twice")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use reasonenv::families::{self, FAMILIES};
use reasonenv::play::Turn;
use reasonenv::pool;
use reasonenv::rng::{Key, Rng};
use reasonenv::task::answer::Reading;
use reasonenv::task::family::{Aim, AnyProblem, Family};
use reasonenv::task::item::{Batch, Recipe, Task};
use reasonenv::task::split::Split;
use reasonenv::task::verdict::{Verdict, label};
use serde_json::{Map, Value, json};

fn recipe(family: &'static dyn Family, level: u8, split: Split, seed: u64) -> Recipe {
    Recipe::new(family, level, &Map::new(), split, seed, &Map::new()).unwrap()
}

fn batch(recipe: &Recipe, indices: impl IntoIterator<Item = u64>) -> Batch {
    let indices: Vec<u64> = indices.into_iter().collect();
    Batch::generate(recipe, &indices, &AtomicBool::new(false)).unwrap()
}

fn tasks(family: &'static dyn Family, level: u8, count: u64) -> impl Iterator<Item = Task> {
    let batch = batch(&recipe(family, level, Split::Train, 7), 0..count);
    (0..batch.len()).map(move |i| batch.task(i))
}

/// A few tasks of every level of every family.
fn all_tasks(per_level: u64) -> impl Iterator<Item = Task> {
    FAMILIES.iter().flat_map(move |family| {
        (0..=family.about().top_level).flat_map(move |level| tasks(*family, level, per_level))
    })
}

fn rng(purpose: &str) -> Rng {
    Key::new(purpose, 1, "", 0, "").stream(0)
}

/// The invariants of any verdict.
fn check_verdict(family: &dyn Family, verdict: &Verdict, text: &str) {
    let about = family.about();
    let context = || format!("{} on {text:?}: {verdict:?}", about.name);
    assert!((0.0..=1.0).contains(&verdict.score), "{}", context());
    assert_eq!(verdict.passed, verdict.score == 1.0, "{}", context());
    assert_eq!(verdict.passed, verdict.failures.is_empty(), "{}", context());
    assert_eq!(verdict.passed, verdict.detail.is_empty(), "{}", context());
    assert!(verdict.detail.len() < 2_000, "{}", context());
    assert_eq!(verdict.parts.len(), about.parts.len(), "{}", context());
    assert!(verdict.parts.iter().all(|part| (0.0..=1.0).contains(part)), "{}", context());
    for failure in &verdict.failures {
        let known = label::COMMON.iter().chain(about.failures).any(|(name, _)| name == failure);
        assert!(known, "undeclared label {failure}; {}", context());
    }
    if let Some(span) = &verdict.answer {
        assert!(text.get(span.clone()).is_some(), "{}", context());
    }
}

fn verify(task: &Task, text: &str) -> Verdict {
    let verdict = task.verify(text, None);
    check_verdict(task.family, &verdict, text);
    verdict
}

#[test]
fn the_registry_is_in_order_and_describes_itself() {
    let names: Vec<_> = FAMILIES.iter().map(|family| family.about().name).collect();
    assert!(names.is_sorted(), "{names:?}");
    for family in FAMILIES {
        let about = family.about();
        let file = format!("rust/core/src/families/{}/{}.rs", about.domain, about.name);
        assert!(std::path::Path::new(&file).exists(), "{file}");
        assert!(about.summary.ends_with('.') && about.summary.len() < 100, "{}", about.summary);
        assert!(about.version() >= 1 && about.top_level >= 6, "{}", about.name);
        assert!(about.templates.len() >= 3, "{} needs three wordings", about.name);
        assert!(about.templates.iter().any(|template| template.held_out), "{}", about.name);
        let shown = about.templates.iter().filter(|template| !template.held_out).count();
        assert!(shown >= 2, "{} needs two wordings to train on", about.name);
        let templates: BTreeSet<_> = about.templates.iter().map(|t| t.name).collect();
        assert_eq!(templates.len(), about.templates.len(), "{}", about.name);
        for (failure, _) in about.failures {
            assert!(label::COMMON.iter().all(|(name, _)| name != failure), "{failure}");
        }
        assert!(!about.skills.is_empty(), "{}", about.name);
    }
}

#[test]
fn solutions_pass_at_every_level_in_every_style() {
    for task in all_tasks(12) {
        let about = task.family.about();
        let solution = task.problem.solution();
        assert!(!solution.steps.is_empty(), "{}", task.identity.id);
        let text = task.wrap(&solution.answer);
        for reading in Reading::ALL {
            let verdict = task.verify(&text, Some(reading));
            check_verdict(task.family, &verdict, &text);
            assert!(verdict.passed, "{}: {} {verdict:?}", task.identity.id, solution.answer);
        }
        for template in 0..about.templates.len() {
            let style = json!({"template": about.templates[template].name, "words": 9});
            let problem = task.problem.clone();
            let styled = Task::pose(task.family, problem, None, None, style.as_object().unwrap());
            let styled = styled.unwrap();
            assert!(styled.verify(&text, None).passed, "{}", task.identity.id);
            assert!(!styled.prompt().contains(&text), "the prompt gives the answer away");
        }
    }
}

#[test]
fn the_last_sentence_of_a_prompt_states_the_answers_form() {
    for task in all_tasks(4) {
        let about = task.family.about();
        for template in about.templates {
            let style = json!({"template": template.name});
            let style = style.as_object().unwrap();
            let posed = Task::pose(task.family, task.problem.clone(), None, None, style).unwrap();
            let prompt = posed.prompt();
            let tag = format!("<{}>", about.answer_tag);
            let last = prompt.trim_end().lines().last().unwrap();
            assert!(last.contains(&tag), "{}: {prompt}", template.name);
            assert!(prompt.is_ascii(), "{}: {prompt}", template.name);
            assert!(!prompt.contains("  \n") && prompt == prompt.trim(), "{prompt:?}");
        }
    }
}

#[test]
fn the_familys_own_wrong_answers_fail() {
    for task in all_tasks(12) {
        let wrong = task.problem.wrong_answers(&mut rng("wrong"));
        let distinct: BTreeSet<_> = wrong.iter().collect();
        assert!(distinct.len() >= 3, "{}: {wrong:?}", task.identity.id);
        for answer in wrong {
            let verdict = verify(&task, &task.wrap(&answer));
            assert!(!verdict.passed, "{}: paid {answer:?}", task.identity.id);
        }
    }
}

/// Text that answers nothing, in shapes that have broken judges elsewhere.
fn attacks() -> Vec<String> {
    let mut attacks: Vec<String> = [
        "",
        " ",
        "\0",
        "\n\n",
        "none",
        "None",
        "null",
        "true",
        "yes",
        "no",
        "0",
        "1",
        "-1",
        "-",
        "+",
        "()",
        "[]",
        "{}",
        "\"\"",
        ",",
        ".",
        "*",
        "the answer",
        "none of the above",
        "all of them",
        "9**9**9**9",
        "9^9^9",
        "1e999",
        "1e-999",
        "NaN",
        "inf",
        "-inf",
        "1/0",
        "0x10",
        "999999999999",
        "__import__('os').system('true')",
        "eval('1')",
        "{{7*7}}",
        "%s%n",
        "${7*7}",
        "\\boxed{0}",
        "🦀",
        "\u{202e}abc",
        "\u{200b}",
        "\u{feff}",
        "АВС",
        "٣",
        "½",
        "²",
        "Ⅷ",
        "\r\n",
        "\u{2028}",
        "<answer>",
        "</answer>",
        "<answer></answer>",
        "<think>",
        "</think>",
        "&lt;answer&gt;",
        "[0]",
        "[1, 2, 3]",
        "(1, 2)",
        "{\"answer\": 1}",
        "a",
        "A",
        "1,2,3",
        "1 2 3",
        "1->2",
        "- - -",
    ]
    .map(str::to_owned)
    .to_vec();
    for (piece, count) in [
        ("(", 20_000),
        (")", 20_000),
        ("9", 60_000),
        ("1 ", 30_000),
        ("a", 60_000),
        ("\n", 60_000),
        ("[", 60_000),
    ] {
        attacks.push(piece.repeat(count));
    }
    attacks.push(format!("{}1{}", "(".repeat(30_000), ")".repeat(30_000)));
    attacks.push("1+".repeat(30_000) + "1");
    attacks.push("-".repeat(60_000) + "1");
    attacks.push("7".repeat(1_000_000));
    attacks
}

#[test]
fn attacks_fail() {
    let attacks = attacks();
    for family in FAMILIES {
        for level in [0, family.about().top_level] {
            for task in tasks(*family, level, 2) {
                let tag = family.about().answer_tag;
                let prompt = task.prompt();
                let answer = task.problem.solution().answer;
                let right = task.wrap(&answer);
                let wrong = task.wrap(&task.problem.wrong_answers(&mut rng("attack"))[0]);
                let echoes = [prompt.clone(), task.problem.json(), format!("<{tag}>{prompt}</{tag}>")];
                let shapes = [
                    answer.clone(),
                    format!("{right}{wrong}"),
                    format!("{wrong}{right}"),
                    format!("{right} {right}"),
                    format!("<{tag}>{right}</{tag}>"),
                    format!("<think>{right}</think>"),
                    format!("<think>{right}"),
                    format!("<{tag}></{tag}>{answer}"),
                    format!("{right} But perhaps not."),
                    format!("<{tag}>{answer}"),
                    format!("{answer}</{tag}>"),
                    format!("<{tag}>{answer} or something else</{tag}>"),
                    format!("<{tag}>{answer}\n\n{answer}</{tag}>"),
                    format!("<{tag}>The answer is {answer}</{tag}>"),
                ];
                for text in echoes.iter().chain(&shapes) {
                    assert!(!verify(&task, text).passed, "{}: paid {text:?}", task.identity.id);
                }
                for attack in &attacks {
                    assert!(!verify(&task, attack).passed, "{}: paid bare text", task.identity.id);
                    // A short guess inside the tag may be right; what that pays is measured elsewhere.
                    let text = task.wrap(attack);
                    if verify(&task, &text).passed {
                        assert!(attack.len() < 20, "{}: paid {attack:?}", task.identity.id);
                    }
                }
            }
        }
    }
}

/// A text on the way from a right completion to noise.
fn mutated_text(text: &str, rng: &mut Rng) -> String {
    const PIECES: [&str; 24] = [
        "<answer>",
        "</answer>",
        "<think>",
        "</think>",
        "\n",
        " ",
        "-",
        "+",
        "(",
        ")",
        "0",
        "9",
        ",",
        ".",
        "é",
        "🦀",
        "\0",
        "/",
        "*",
        ">",
        "->",
        "\u{202e}",
        "```",
        "99999999999999999999",
    ];
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..rng.below(6) {
        let at = rng.index(chars.len() + 1);
        match rng.below(4) {
            0 if at < chars.len() => drop(chars.remove(at)),
            1 if at < chars.len() => {
                let other = rng.index(chars.len());
                chars.swap(at, other);
            }
            2 => chars.truncate(at),
            _ => drop(chars.splice(at..at, rng.pick(&PIECES).chars())),
        }
    }
    chars.into_iter().collect()
}

#[test]
fn any_text_gets_a_verdict() {
    // `make test-all` asks for a million.
    let texts: u64 = std::env::var("REASONENV_FUZZ").map_or(20_000, |n| n.parse().unwrap());
    let mut rng = rng("fuzz");
    for family in FAMILIES {
        let about = family.about();
        let tasks: Vec<_> = (0..=about.top_level).flat_map(|level| tasks(*family, level, 8)).collect();
        let rights: Vec<_> = tasks.iter().map(|task| task.wrap(&task.problem.solution().answer)).collect();
        for _ in 0..texts / FAMILIES.len() as u64 {
            let at = rng.index(tasks.len());
            let text = mutated_text(&rights[at], &mut rng);
            let reading = *rng.pick(&Reading::ALL);
            let verdict = tasks[at].verify(&text, Some(reading));
            check_verdict(*family, &verdict, &text);
        }
    }
}

#[test]
fn items_do_not_depend_on_threads_batching_or_order() {
    for family in FAMILIES {
        let recipe = recipe(*family, 2, Split::Eval, 1);
        let bytes = |batch: &Batch| -> Vec<String> {
            (0..batch.len()).map(|i| batch.task(i).to_json().to_string()).collect()
        };
        let whole = bytes(&batch(&recipe, 0..150));
        pool::set_threads(1);
        let alone = bytes(&batch(&recipe, 0..150));
        pool::set_threads(3);
        let three = bytes(&batch(&recipe, 0..150));
        pool::set_threads(0);
        assert_eq!(whole, alone);
        assert_eq!(whole, three);
        let parts = [bytes(&batch(&recipe, 0..70)), bytes(&batch(&recipe, 70..150))].concat();
        assert_eq!(whole, parts);
        let mut backwards = bytes(&batch(&recipe, (0..150).rev()));
        backwards.reverse();
        assert_eq!(whole, backwards);
        assert_eq!(whole[33], Task::draw(&recipe, 33).unwrap().to_json().to_string());
        let prompts = batch(&recipe, 0..150).prompts();
        let single: Vec<_> = (0..150).map(|i| Task::draw(&recipe, i).unwrap().prompt()).collect();
        assert_eq!(prompts, single);
    }
}

#[test]
fn batch_verdicts_equal_single_ones() {
    for family in FAMILIES {
        let batch = batch(&recipe(*family, 1, Split::Train, 3), 0..200);
        let mut rng = rng("batch");
        let texts: Vec<String> = (0..batch.len())
            .map(|i| mutated_text(&batch.task(i).wrap(&batch.problem(i).solution().answer), &mut rng))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let together = batch.verify(&texts, None, &AtomicBool::new(false)).unwrap();
        let single: Vec<_> = (0..batch.len()).map(|i| batch.task(i).verify(texts[i], None)).collect();
        assert_eq!(together, single);
    }
}

#[test]
fn tasks_survive_json() {
    for task in all_tasks(5) {
        let json = task.to_json().to_string();
        let back = Task::from_json(&json).unwrap();
        assert_eq!(back.to_json().to_string(), json);
        let answers = task.problem.wrong_answers(&mut rng("json"));
        for answer in answers.iter().chain([&task.problem.solution().answer]) {
            let text = task.wrap(answer);
            assert_eq!(task.verify(&text, None), back.verify(&text, None));
        }
    }
}

#[test]
fn every_level_is_harder_than_the_one_before() {
    for family in FAMILIES {
        let means: Vec<f32> = (0..=family.about().top_level)
            .map(|level| tasks(*family, level, 150).map(|t| t.problem.difficulty()).sum::<f32>() / 150.0)
            .collect();
        assert!(means.is_sorted_by(|a, b| a + 0.01 < *b), "{}: {means:?}", family.about().name);
    }
}

#[test]
fn every_param_is_documented_with_its_role_and_default() {
    for family in FAMILIES {
        let about = family.about();
        let schema = families::schema(about.name);
        let mut defaults = Map::new();
        for (name, field) in schema["properties"].as_object().unwrap() {
            let context = format!("{}.{name}", about.name);
            assert!(field["description"].is_string(), "{context} has no doc");
            let roles = ["difficulty", "structure", "style"];
            assert!(roles.iter().any(|role| field["role"] == *role), "{context} has no role");
            defaults.insert(name.clone(), field["default"].clone());
        }
        assert_eq!(family.configure(&defaults).unwrap().canonical, "{}", "{}", about.name);
        for level in 0..=about.top_level {
            let configured = family.configure(&family.level(level).unwrap()).unwrap();
            assert_eq!(configured.level, Some(level), "{}", about.name);
        }
    }
}

#[test]
fn splits_are_disjoint_and_items_distinct() {
    for family in FAMILIES {
        let about = family.about();
        for level in 0..=about.top_level {
            let keys = |split| -> BTreeMap<u128, usize> {
                let batch = batch(&recipe(*family, level, split, 5), 0..400);
                (0..batch.len()).map(|i| (batch.task(i).fingerprint().key, i)).collect()
            };
            let [train, eval, test] = Split::ALL.map(keys);
            for (a, b) in [(&train, &eval), (&train, &test), (&eval, &test)] {
                assert!(a.keys().all(|key| !b.contains_key(key)), "{} level {level}", about.name);
            }
            if level >= about.distinct_from {
                let distinct = train.len() as f64 / 400.0;
                assert!(distinct >= 0.95, "{} level {level}: {distinct}", about.name);
            }
        }
    }
}

#[test]
fn seeds_give_other_items() {
    for family in FAMILIES {
        let level = family.about().top_level;
        let key = |seed, index| {
            Task::draw(&recipe(*family, level, Split::Train, seed), index).unwrap().fingerprint().key
        };
        // Seed 1 must not be seed 0 shifted by one.
        let first: BTreeSet<_> = (0..50).map(|index| key(0, index)).collect();
        assert!((0..50).all(|index| !first.contains(&key(1, index))), "{}", family.about().name);
    }
}

#[test]
fn held_out_wordings_are_never_trained_on() {
    for family in FAMILIES {
        let about = family.about();
        let seen = |split| -> BTreeSet<usize> {
            let batch = batch(&recipe(*family, 0, split, 2), 0..200);
            (0..batch.len()).map(|i| batch.task(i).style.template).collect()
        };
        assert!(seen(Split::Train).iter().all(|at| !about.templates[*at].held_out));
        assert_eq!(seen(Split::Eval).len(), about.templates.len(), "{}", about.name);
        let held_out = about.templates.iter().find(|template| template.held_out).unwrap();
        let style = json!({"template": held_out.name});
        let style = style.as_object().unwrap();
        let train = Recipe::new(*family, 0, &Map::new(), Split::Train, 0, style);
        assert!(train.err().unwrap().to_string().contains("held out"));
        assert!(Recipe::new(*family, 0, &Map::new(), Split::Eval, 0, style).is_ok());
    }
}

#[test]
fn blind_answers_pass_no_more_than_declared() {
    for family in FAMILIES {
        let about = family.about();
        for level in 0..=about.top_level {
            let batch = batch(&recipe(*family, level, Split::Train, 11), 0..600);
            let tasks: Vec<_> = (0..batch.len()).map(|i| batch.task(i)).collect();
            // The best constant is fitted to the first half and paid on the second.
            let (fit, paid) = tasks.split_at(300);
            let mut counts = BTreeMap::<String, usize>::new();
            for task in fit {
                *counts.entry(task.problem.solution().answer).or_default() += 1;
            }
            let mut commonest: Vec<_> = counts.into_iter().map(|(answer, n)| (n, answer)).collect();
            commonest.sort();
            let rate = |answer: &dyn Fn(&Task) -> String| {
                let passes = paid.iter().filter(|task| task.verify(&answer(task), None).passed).count();
                passes as f32 / paid.len() as f32
            };
            let constants = commonest.iter().rev().take(5).map(|(_, answer)| {
                let text = tasks[0].wrap(answer);
                rate(&move |_: &Task| text.clone())
            });
            let best = constants.fold(0.0f32, f32::max).max(rate(&|task| task.wrap(&task.prompt())));
            // Three standard errors of a rate over 300 items.
            let slack = 3.0 * (about.guess_rate.max(0.003) / 300.0).sqrt();
            assert!(
                best <= about.guess_rate + slack,
                "{} level {level}: {best} > {}",
                about.name,
                about.guess_rate
            );
        }
    }
}

#[test]
fn another_items_answer_passes_no_more_than_a_guess() {
    for family in FAMILIES {
        let about = family.about();
        let mut passes = 0;
        let tasks: Vec<_> = tasks(*family, 3, 200).collect();
        for (task, other) in tasks.iter().zip(tasks.iter().skip(1)) {
            let answer = other.problem.solution().answer;
            passes += u32::from(verify(task, &task.wrap(&answer)).passed);
        }
        let rate = passes as f32 / 199.0;
        assert!(rate <= about.guess_rate + 0.02, "{}: {rate}", about.name);
    }
}

#[test]
fn generated_problems_are_certified() {
    for task in all_tasks(6) {
        let certificate = task.family.certify(&*task.problem);
        let certificate = certificate.unwrap_or_else(|e| panic!("{}: {e}", task.identity.id));
        assert!(!certificate.proof.is_empty());
    }
}

/// Every JSON that differs from `value` in one place, in a few ways.
fn corruptions(value: &Value) -> Vec<Value> {
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
fn survive(family: &'static dyn Family, json: &str) -> Option<Arc<dyn AnyProblem>> {
    let problem = match family.read(json) {
        Ok(problem) => problem,
        Err(error) => {
            assert!(error.to_string().len() < 2_000, "{error}");
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
    for family in FAMILIES {
        for json in ["", "{", "[]", "null", "7", "\"x\"", "{}", &"[".repeat(100_000), "{\"a\":1}"] {
            assert!(family.read(json).is_err(), "{} read {json:.20}", family.about().name);
        }
        let mut refused = 0;
        for task in tasks(*family, 1, 2) {
            let real: Value = serde_json::from_str(&task.problem.json()).unwrap();
            for corrupted in corruptions(&real) {
                // A corruption that certifies is a problem in its own right: its solution passes.
                match survive(*family, &corrupted.to_string()) {
                    None => refused += 1,
                    Some(problem) => {
                        let text = task.wrap(&problem.solution().answer);
                        let posed = Task::pose(*family, problem, None, None, &Map::new()).unwrap();
                        let verdict = posed.verify(&text, None);
                        assert!(verdict.passed, "{corrupted}: {text} {verdict:?}");
                    }
                }
            }
        }
        assert!(refused > 10, "{}", family.about().name);
    }
}

#[test]
fn mutations_move_as_asked() {
    let mut families = 0;
    for family in FAMILIES {
        let tasks: Vec<_> = tasks(*family, 2, 6).collect();
        let can = tasks[0].mutate(Aim::Same, 0).is_ok();
        families += u32::from(can);
        for task in tasks.iter().filter(|_| can) {
            for aim in Aim::ALL {
                let mutated = task.mutate(aim, 4).unwrap();
                let (before, after) = (task.problem.difficulty(), mutated.problem.difficulty());
                assert!(match aim {
                    Aim::Harder => after > before,
                    Aim::Easier => after < before,
                    Aim::Same => (after - before).abs() <= 0.05,
                });
                assert_ne!(mutated.fingerprint(), task.fingerprint());
                family.certify(&*mutated.problem).unwrap();
                assert!(mutated.verify(&mutated.wrap(&mutated.problem.solution().answer), None).passed);
                assert_eq!(task.mutate(aim, 4).unwrap().to_json(), mutated.to_json());
            }
        }
    }
    assert!(families >= FAMILIES.len() as u32 / 8, "mutation is shown on some families");
}

#[test]
fn solution_steps_satisfy_the_step_judge() {
    for task in all_tasks(6) {
        let steps = task.problem.solution().steps;
        let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
        let Some(verdicts) = task.verify_steps(&steps) else {
            continue;
        };
        for (step, verdict) in steps.iter().zip(&verdicts) {
            assert!(verdict.holds && verdict.advances, "{}: {step} {verdict:?}", task.identity.id);
        }
        for junk in ["", "2 + 2 = 5", "so it follows", "\0", &"9".repeat(10_000)] {
            let verdict = task.verify_steps(&[junk]).unwrap().remove(0);
            assert!(!verdict.holds && !verdict.advances && !verdict.detail.is_empty());
        }
        // A step said twice brings nothing new.
        let twice = task.verify_steps(&[steps[0], steps[0]]).unwrap();
        assert!(!twice[1].advances, "{}", task.identity.id);
    }
}

#[test]
fn playing_a_problem_agrees_with_its_judge() {
    let mut rng = rng("play");
    for task in all_tasks(3) {
        let Some(start) = task.problem.play() else {
            continue;
        };
        for _ in 0..5 {
            let mut play = start.clone();
            let mut moves = 0;
            let mut legal = Vec::new();
            while play.turn() != Turn::Over {
                legal.clear();
                play.legal(&mut legal);
                assert!(legal.is_sorted() && legal.last().is_some_and(|last| *last < play.actions()));
                let action = *rng.pick(&legal);
                let name = play.name_action(action);
                assert_eq!(play.read_action(&name), Ok(action), "{name}");
                play.apply(action);
                moves += 1;
                assert!(moves < 10_000, "{} never ends", task.identity.id);
            }
            for junk in ["", "x", "\0", "999999999999999999999", "-1"] {
                assert!(play.read_action(junk).is_err(), "{junk:?}");
            }
            let mut seen = vec![0.0; play.shape().iter().product()];
            play.observe(0, &mut seen);
            let answer = play.answer().expect("a problem that is over has an answer");
            let verdict = verify(&task, &task.wrap(&answer));
            assert_eq!(play.returns(), [verdict.score], "{}: {answer}", task.identity.id);
        }
    }
}

#[test]
fn errors_name_the_field_and_what_would_be_right() {
    for family in FAMILIES {
        let about = family.about();
        let error = family.level(about.top_level + 1).unwrap_err().to_string();
        assert!(error.ends_with(&format!("between 0 and {}", about.top_level)), "{error}");
        for (name, field) in families::schema(about.name)["properties"].as_object().unwrap() {
            for (bad, what) in [(json!("?"), "must be"), (json!([[1]]), "must be"), (json!(1e18), "must be")]
            {
                let given = Map::from_iter([(name.clone(), bad.clone())]);
                match family.configure(&given) {
                    Err(error) => {
                        let error = error.to_string();
                        assert!(error.contains(name.as_str()) && error.contains(what), "{error}");
                    }
                    Ok(_) => assert_eq!(field["type"], "string", "{name} took {bad}"),
                }
            }
            let misspelt = Map::from_iter([(format!("{name}x"), json!(1))]);
            let error = family.configure(&misspelt).err().unwrap().to_string();
            assert!(error.contains(&format!("did you mean `{name}`?")), "{error}");
        }
    }
}
