//! Hints lead to the steps of a solution, but tell neither the answer nor what a step finds.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use reasonenv::task::batch::Batch;
use reasonenv::task::erased::Family;
use reasonenv::task::item::Task;
use reasonenv::task::split::Split;

use crate::common::{DRAWN, all_tasks, batch, file, source, tasks};
use crate::contract::Cases;
use crate::scores::{body, earned, numbers, renumbered, slack};

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.each(named![
        hints_leave_what_a_step_finds_open,
        hints_are_about_the_prompt,
        hints_that_leak_are_found,
        blind_answers_from_hints_pass_no_more_than_declared
    ]);
}

/// Nouns that make one word with the number after them.
const NUMBERED: [&str; 8] = ["box", "clause", "clue", "column", "house", "line", "row", "rule"];

/// The words of a text, in lower case and without signs: `row 3` is one.
fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase();
    let parts = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let mut words: Vec<String> = Vec::new();
    for part in parts {
        match words.last_mut() {
            Some(noun) if is_number(part) && NUMBERED.contains(&noun.as_str()) => noun.push_str(part),
            _ => words.push(part.to_owned()),
        }
    }
    words
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// A task with hints, its steps, and the shortest form of each that the verifier takes for it.
struct Hinted {
    task: Task,
    prompt: String,
    answer: String,
    steps: Vec<String>,
    claims: Vec<String>,
    hints: Vec<String>,
}

fn hinted(family: &'static Family, per_level: u64) -> impl Iterator<Item = Hinted> {
    let first = batch(&source(family, 0, Split::Train, 7), [0]).tasks.remove(0);
    let has_hints = !first.problem.hints().is_empty();
    all_tasks(family, per_level).filter_map(move |task| {
        let hints = task.problem.hints();
        assert_eq!(!hints.is_empty(), has_hints, "{}: `hints` of {}", file(family), task.id());
        has_hints.then(|| Hinted::new(task, hints))
    })
}

impl Hinted {
    fn new(task: Task, hints: Vec<String>) -> Self {
        let solution = task.problem.solution();
        let heads = solution.steps.iter().map(|step| step.split(": ").next().unwrap_or_default());
        let heads: Vec<&str> = heads.collect();
        let judged = task.verify_steps(&heads).unwrap_or_default();
        let claim = |at: usize| match judged.get(at) {
            Some(verdict) if verdict.holds => heads[at].to_owned(),
            _ => solution.steps[at].clone(),
        };
        let claims = (0..heads.len()).map(claim).collect();
        Self { prompt: task.prompt(), answer: solution.answer, steps: solution.steps, claims, hints, task }
    }

    fn at(&self, step: usize) -> String {
        format!("{}: `hints[{step}]` of {}", file(self.task.family), self.task.id())
    }

    /// Return the part of a hint that gives a step away: the answer, another one that passes, the words of what the
    /// step finds, or a step that advances.
    fn leak(&self, at: usize, hint: &str) -> Option<String> {
        let told = words(hint);
        let known: BTreeSet<&String> = told.iter().collect();
        if words(&self.claims[at]).iter().all(|word| known.contains(word)) {
            return Some(format!("it has all words of `{}`", self.claims[at]));
        }
        let has = |text: &[String], part: &[String]| text.windows(part.len()).any(|words| words == part);
        let answer = words(&self.answer);
        if has(&told, &answer) && !has(&words(&self.prompt), &answer) {
            return Some(format!("it has the answer `{}`", self.answer));
        }
        let tails = hint.match_indices([':', '=', '.', ' ']).map(|(at, sign)| &hint[at + sign.len()..]);
        let pieces = tails.chain([hint]).chain(hint.split_whitespace());
        let pieces: BTreeSet<&str> =
            pieces.map(|piece| piece.trim_matches([' ', '.', ',', ':', '`'])).collect();
        let right = pieces.iter().find(|piece| self.task.verify(&self.task.wrap(piece), None).passed);
        if let Some(right) = right {
            return Some(format!("`{right}` passes"));
        }
        let before = self.steps[..at].iter().map(String::as_str);
        let said: Vec<&str> = before.chain([hint]).collect();
        let last = self.task.verify_steps(&said).unwrap_or_default().pop();
        last.is_some_and(|last| last.advances).then(|| "it is a step that advances".to_owned())
    }
}

fn hints_leave_what_a_step_finds_open(family: &'static Family) {
    for hinted in hinted(family, 4) {
        assert_eq!(hinted.hints.len(), hinted.steps.len(), "{}", hinted.at(0));
        for (at, hint) in hinted.hints.iter().enumerate() {
            assert!((10..300).contains(&hint.len()) && hint.ends_with('.'), "{}: {hint}", hinted.at(at));
            assert!(!hint.contains('\n'), "{}: {hint}", hinted.at(at));
            let leak = hinted.leak(at, hint);
            assert!(leak.is_none(), "{}: {hint:?} leaks: {}", hinted.at(at), leak.unwrap_or_default());
        }
    }
}

fn hints_that_leak_are_found(family: &'static Family) {
    for hinted in hinted(family, 2) {
        for (at, hint) in hinted.hints.iter().enumerate() {
            let mut shuffled = words(&hinted.claims[at]);
            shuffled.reverse();
            for leaking in [
                hinted.steps[at].clone(),
                format!("{hint} {}", hinted.claims[at]),
                format!("{} {hint}", shuffled.join(" ")),
                format!("{hint} Answer: {}", hinted.answer),
            ] {
                assert!(hinted.leak(at, &leaking).is_some(), "{}: {leaking:?} is not found", hinted.at(at));
            }
        }
    }
}

/// Names and numbers are those of the prompt; places and numbered things are within its lines.
fn hints_are_about_the_prompt(family: &'static Family) {
    for hinted in hinted(family, 4) {
        let shown: BTreeSet<String> = words(&hinted.prompt).into_iter().collect();
        let lines = hinted.prompt.lines();
        let most = lines.clone().count().max(lines.map(str::len).max().unwrap_or_default());
        for (at, hint) in hinted.hints.iter().enumerate() {
            let named = names(hint);
            for name in named {
                let places = numbers(&name);
                let is_place = NUMBERED.iter().any(|noun| name.starts_with(noun)) || name.starts_with('r');
                let fits =
                    is_place && places.iter().all(|number| number.parse().is_ok_and(|n: usize| n <= most));
                let fits = fits && !places.is_empty();
                assert!(shown.contains(&name) || fits, "{}: {name} is not in the prompt", hinted.at(at));
            }
        }
    }
}

/// Words of a hint with digits or underscores, and those in capitals that begin no sentence.
fn names(hint: &str) -> Vec<String> {
    let capitals = hint.split_whitespace().collect::<Vec<_>>();
    let capitals = capitals.windows(2).filter(|two| !two[0].ends_with(['.', ':']));
    let capitals = capitals.map(|two| two[1]).filter(|word| word.starts_with(char::is_uppercase));
    let capitals: BTreeSet<String> = capitals.flat_map(words).collect();
    let is_name = |word: &String| word.contains(|c: char| c == '_' || c.is_ascii_digit());
    words(hint).into_iter().filter(|word| is_name(word) || capitals.contains(word)).collect()
}

/// A hint without its names.
fn shape(task: &Task) -> String {
    let hint = task.problem.hints().into_iter().next().unwrap_or_default();
    let named: BTreeSet<String> = names(&hint).into_iter().collect();
    words(&hint).into_iter().filter(|word| !named.contains(word)).collect::<Vec<_>>().join(" ")
}

/// The commonest answer after each shape of a first hint, and of all.
fn commonest(fit: &[Task]) -> (BTreeMap<String, String>, String) {
    let mut counts = BTreeMap::<String, BTreeMap<String, usize>>::new();
    for task in fit {
        for shape in [shape(task), String::new()] {
            *counts.entry(shape).or_default().entry(task.problem.answer()).or_default() += 1;
        }
    }
    let best =
        |answers: BTreeMap<String, usize>| answers.into_iter().max_by_key(|(_, n)| *n).expect("one was").0;
    let mut best: BTreeMap<String, String> =
        counts.into_iter().map(|(shape, all)| (shape, best(all))).collect();
    let all = best.remove("").expect("every task counts there");
    (best, all)
}

type Policy<'a> = (&'a str, Box<dyn Fn(&Task, &[String]) -> String + Sync + 'a>);

/// Pass rates of policies that read nothing but the hints, by their names.
fn blind(paid: &Batch, hints: &[Vec<String>], fit: &[Task]) -> Vec<(String, f64)> {
    let (after, usual) = commonest(fit);
    let listed = |hints: &[String], between: &str| {
        let mut seen = BTreeSet::new();
        let named = hints.iter().flat_map(|hint| names(hint));
        named.filter(|name| seen.insert(name.clone())).collect::<Vec<_>>().join(between)
    };
    let last_word = |hint: &String| words(hint).pop().unwrap_or_default();
    let policies: [Policy<'_>; 10] = [
        ("the first hint", Box::new(|_, hints| hints[0].clone())),
        ("the last hint", Box::new(|_, hints| hints[hints.len() - 1].clone())),
        ("all hints", Box::new(|_, hints| hints.join("\n"))),
        ("last words", Box::new(|_, hints| hints.iter().map(last_word).collect::<Vec<_>>().join(", "))),
        ("names, with commas", Box::new(|_, hints| listed(hints, ", "))),
        ("names, with arrows", Box::new(|_, hints| listed(hints, " -> "))),
        ("names, in lines", Box::new(|_, hints| listed(hints, "\n"))),
        ("the numbers of hints", Box::new(|_, hints| renumbered(&usual, numbers(&hints.join(" "))))),
        (
            "the numbers of hints and of the prompt",
            Box::new(|task, hints| renumbered(&usual, numbers(&(hints.join(" ") + &body(task))))),
        ),
        (
            "the commonest after such a hint",
            Box::new(|task, _| after.get(&shape(task)).unwrap_or(&usual).clone()),
        ),
    ];
    let rate = |(name, answer): Policy<'_>| {
        (name.to_owned(), earned(paid, |at, task| Some(answer(task, &hints[at]))).rate)
    };
    policies.into_iter().map(rate).collect()
}

fn blind_answers_from_hints_pass_no_more_than_declared(family: &'static Family) {
    for level in 0..=family.top_level() {
        let paid = Batch { tasks: tasks(family, level, DRAWN).collect() };
        if paid.tasks[0].problem.hints().is_empty() {
            return;
        }
        let fit = batch(&source(family, level, Split::Train, 11), 0..DRAWN / 3).tasks;
        let hints = paid.column(&AtomicBool::new(false), |task| task.problem.hints()).unwrap();
        let declared = family.about().guess_rate;
        let most = f64::from(declared) + slack(declared, DRAWN);
        for (name, rate) in blind(&paid, &hints, &fit) {
            assert!(rate <= most, "{}: {name} passes {rate} at level {level}", file(family));
        }
        // The same policies find an answer among the hints.
        let leaking: Vec<Vec<String>> = paid.tasks.iter().map(|task| vec![task.problem.answer()]).collect();
        assert!(blind(&paid, &leaking, &fit)[0].1 > most, "{}: a leak is not found", file(family));
    }
}
