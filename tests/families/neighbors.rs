//! Answers one token from a right one fail wherever they differ, also where only a few cases show it.

use kit::budget::Budget;
use kit::shared::program::Program;
use reasonenv::families;
use reasonenv::task::about::JudgedBy;
use reasonenv::task::erased::Family;
use reasonenv::task::item::Task;
use serde_json::{Value, json};

use crate::common::{file, report, sample, tasks, verify};
use crate::contract::Cases;

/// Decides by brute force whether an answer is right, from the problem and its reference answer.
type Oracle = fn(&Value, &str, &str) -> bool;

/// Families whose verifier runs something, each with its oracle.
const ORACLES: [(&str, Oracle); 4] = [
    ("circuit", shows_the_outputs),
    ("list_functions", |_, right, answer| numbers(right) == numbers(answer)),
    ("program_induction", returns_the_same),
    ("program_input", leads_to_the_result),
];

pub fn contracts(cases: &mut Cases<&'static Family>) {
    let has_oracle = |family: &Family| ORACLES.iter().any(|(name, _)| *name == family.name());
    cases.each_that(has_oracle, named![neighbors_of_the_reference_that_differ_anywhere_fail]);
    cases.once(named![every_family_that_runs_answers_has_an_oracle]);
}

fn every_family_that_runs_answers_has_an_oracle() {
    for family in families::all().iter().filter(|family| family.about().judged_by == JudgedBy::Execution) {
        let known = ORACLES.iter().any(|(name, _)| *name == family.name());
        assert!(known, "{}: `ORACLES` of {} needs one for it", file(family), file!());
    }
}

fn numbers(text: &str) -> Vec<i64> {
    text.split(',').filter_map(|number| number.trim().parse().ok()).collect()
}

fn field<'a>(problem: &'a Value, name: &str) -> &'a Value {
    problem.get(name).unwrap_or_else(|| panic!("{problem} has `{name}`"))
}

fn program(text: &str) -> Option<Program> {
    Program::read(text, &["a".to_owned(), "b".to_owned()]).ok()
}

fn result(program: &Program, inputs: &[i64]) -> Option<i64> {
    program.run(inputs, &mut Budget::new(10_000)).ok()
}

/// Runs both programs for all inputs that the prompt speaks of.
fn returns_the_same(_: &Value, right: &str, answer: &str) -> bool {
    let (Some(right), Some(answer)) = (program(right), program(answer)) else { return false };
    let inputs = (0..50).flat_map(|a| (0..50).map(move |b| [a, b]));
    inputs.into_iter().all(|inputs| result(&right, &inputs) == result(&answer, &inputs))
}

fn leads_to_the_result(problem: &Value, _: &str, answer: &str) -> bool {
    let largest = field(problem, "largest").as_i64().unwrap();
    let (program, inputs) = (program(field(problem, "program").as_str().unwrap()).unwrap(), numbers(answer));
    inputs.len() == 2
        && inputs.iter().all(|input| (0..=largest).contains(input))
        && json!(result(&program, &inputs)) == *field(problem, "result")
}

fn shows_the_outputs(problem: &Value, _: &str, answer: &str) -> bool {
    let mut signals: Vec<bool> = answer.chars().map(|bit| bit == '1').collect();
    for gate in field(problem, "gates").as_array().unwrap() {
        let [a, b] = [0, 1].map(|at| signals[gate["from"][at].as_u64().unwrap() as usize]);
        signals.push(match gate["kind"].as_str().unwrap() {
            "and" => a && b,
            "or" => a || b,
            "xor" => a != b,
            "nand" => !(a && b),
            _ => !(a || b),
        });
    }
    let wanted = field(problem, "wanted").as_array().unwrap();
    wanted.iter().all(|wanted| signals[wanted[0].as_u64().unwrap() as usize] == wanted[1].as_bool().unwrap())
}

/// The tokens of a text: names, numbers, signs and white space.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let kind = |c: char| if c.is_ascii_digit() { 0 } else { 1 + u32::from(c.is_alphabetic()) };
    for c in text.chars() {
        match tokens.last_mut() {
            Some(last) if kind(c) < 3 && kind(c) != 1 && last.chars().all(|l| kind(l) == kind(c)) => {
                last.push(c);
            }
            Some(last) if "=<>!".contains(last.as_str()) && c == '=' => last.push(c),
            _ => tokens.push(c.to_string()),
        }
    }
    tokens
}

/// Every text with one token replaced by another of its kind; a string of bits has each flipped.
fn neighbors(text: &str) -> Vec<String> {
    const SIGNS: [&[&str]; 2] = [&["+", "-", "*", "/", "%"], &["==", "!=", "<", "<=", ">", ">="]];
    if text.len() > 3 && text.bytes().all(|byte| matches!(byte, b'0' | b'1')) {
        let flip = |at: usize| {
            let flipped = if &text[at..=at] == "1" { "0" } else { "1" };
            [&text[..at], flipped, &text[at + 1..]].concat()
        };
        return (0..text.len()).map(flip).collect();
    }
    let tokens = tokens(text);
    let mut names: Vec<&String> = tokens.iter().filter(|token| token.len() == 1).collect();
    names.retain(|token| token.chars().all(char::is_alphabetic));
    names.sort_unstable();
    names.dedup();
    let others = |token: &String| -> Vec<String> {
        if let Ok(number) = token.parse::<i64>() {
            return [1, -1, 10, -10].iter().map(|by| (number + by).max(0).to_string()).collect();
        }
        let signs = SIGNS.iter().find(|signs| signs.contains(&token.as_str()));
        let signs = signs.into_iter().flat_map(|signs| signs.iter().map(ToString::to_string));
        let names = names.iter().filter(|_| names.contains(&token)).map(ToString::to_string);
        signs.chain(names).collect()
    };
    let replaced = |(at, token): (usize, &String)| -> Vec<String> {
        let with = |other: String| {
            [&tokens[..at].concat(), &other, &tokens[at + 1..].concat()].map(String::as_str).concat()
        };
        others(token).into_iter().filter(|other| other != token).map(with).collect()
    };
    tokens.iter().enumerate().flat_map(replaced).collect()
}

/// `--nocapture` prints how many were planted, how many of them differ and how many of those passed.
fn neighbors_of_the_reference_that_differ_anywhere_fail(family: &'static Family) {
    let (_, is_right) = ORACLES.iter().find(|(name, _)| *name == family.name()).unwrap();
    let [mut planted, mut differing, mut paid] = [0; 3];
    for level in 0..=family.top_level() {
        for task in tasks(family, level, sample(2, 60)) {
            let problem: Value = serde_json::from_str(&task.problem.json()).unwrap();
            let right = task.problem.answer();
            assert!(is_right(&problem, &right, &right), "{}: {right}", task.id());
            for mutant in neighbors(&right) {
                let (passed, differs) = (passes(&task, &mutant), !is_right(&problem, &right, &mutant));
                assert!(passed || differs, "{}: `verify` refuses {mutant} for {}", file(family), task.id());
                planted += 1;
                differing += u32::from(differs);
                paid += u32::from(passed && differs);
            }
        }
    }
    report(&format!("{}: {planted} planted, {differing} differ, {paid} of those paid", family.name()));
    assert!(differing > 50, "{}: only {differing} neighbors differ", file(family));
    assert_eq!(paid, 0, "{}: `verify` pays neighbors that differ", file(family));
}

fn passes(task: &Task, answer: &str) -> bool {
    verify(task, &task.wrap(answer)).passed
}
