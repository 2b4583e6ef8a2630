//! Verifiers reward right answers and nothing else.

use std::collections::BTreeSet;

use reasonenv::families;
use reasonenv::rng::Rng;
use reasonenv::rules::Turn;
use reasonenv::task::answer::Reading;
use reasonenv::task::erased::Family;
use reasonenv::task::item::Task;
use reasonenv::task::steps::{LONGEST_STEP, MOST_STEPS};
use serde_json::json;

use crate::common::{all_tasks, check_verdict, file, rng, tasks, verify};
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.each(named![
        solutions_pass_at_every_level_in_every_style,
        every_right_answer_that_a_problem_draws_passes,
        where_several_answers_are_right_another_is_drawn,
        the_last_sentence_of_a_prompt_states_the_answers_form,
        the_familys_own_wrong_answers_fail,
        numbers_beside_a_unique_answer_fail,
        attacks_fail,
        any_text_gets_a_verdict,
        solution_steps_satisfy_the_step_judge,
        playing_a_problem_agrees_with_its_judge
    ]);
}

fn solutions_pass_at_every_level_in_every_style(family: &'static Family) {
    for task in all_tasks(family, 12) {
        let solution = task.problem.solution();
        assert_eq!(task.problem.answer(), solution.answer, "{}: the answer alone", task.id());
        assert!(
            !solution.steps.is_empty(),
            "{}: `solution` has no steps for {}",
            file(task.family),
            task.id()
        );
        let text = task.wrap(&solution.answer);
        for reading in Reading::ALL {
            let verdict = task.verify(&text, Some(reading));
            check_verdict(&task, &verdict, &text);
            let at = file(task.family);
            let answer = &solution.answer;
            assert!(
                verdict.passed,
                "{at}: `verify` refuses {answer}, the solution of {}: {verdict:?}",
                task.id()
            );
        }
        for template in task.family.templates() {
            let style = json!({"template": template.name, "words": 9});
            let styled = Task::pose(task.instance.clone(), None, None, style.as_object().unwrap());
            let styled = styled.unwrap();
            let at = file(task.family);
            assert!(styled.verify(&text, None).passed, "{at}: `{}` on {}", template.name, task.id());
            assert!(!styled.prompt().contains(&text), "{at}: `{}` gives the answer away", template.name);
        }
    }
}

fn every_right_answer_that_a_problem_draws_passes(family: &'static Family) {
    let mut rng = rng("another");
    for task in all_tasks(family, 6) {
        for answer in (0..4).filter_map(|_| task.problem.another(&mut rng)) {
            let verdict = verify(&task, &task.wrap(&answer));
            assert!(verdict.passed, "{}: `another` drew {answer} for {}", file(task.family), task.id());
        }
    }
}

/// Families with several right answers that cannot draw another one, since that takes a search: only their
/// own tests compare their verifiers with known answers.
const DRAW_NONE: &[&str] = &[
    "countdown",
    "horn_deduction",
    "integration",
    "max_flow",
    "n_queens",
    "output_constraints",
    "palindrome_completion",
    "propositional_entailment",
    "tower_of_hanoi",
];

fn where_several_answers_are_right_another_is_drawn(family: &'static Family) {
    let (mut rng, mut wrong) = (rng("others"), Vec::new());
    let (mut several, mut others) = (false, 0);
    for level in 0..=family.top_level() {
        for task in tasks(family, level, 4) {
            several |= !task.certify().expect("generated problems are certified").unique;
            let right = task.problem.answer();
            let drawn = (0..4).filter_map(|_| task.problem.another(&mut rng));
            others += drawn.filter(|answer| *answer != right).count();
        }
    }
    let draws = others > 0 || DRAW_NONE.contains(&family.name());
    if draws != (several && !family.about().answered_as_inner) {
        wrong.push(file(family));
    }
    assert!(
        wrong.is_empty(),
        "`another` has to draw answers beside the solution where, and only where, `certify` calls it not unique: {wrong:#?}"
    );
}

fn the_last_sentence_of_a_prompt_states_the_answers_form(family: &'static Family) {
    for task in all_tasks(family, 4) {
        let tag = task.facts().tag;
        for template in task.family.templates() {
            let style = json!({"template": template.name});
            let style = style.as_object().unwrap();
            let posed = Task::pose(task.instance.clone(), None, None, style).unwrap();
            let prompt = posed.prompt();
            let sentence = task.problem.sentence(tag);
            assert!(prompt.ends_with(&format!("\n{sentence}")), "{}: {prompt}", template.name);
            assert!(sentence.contains(&format!("<{tag}></{tag}>")) && sentence.ends_with('.'), "{sentence}");
            assert_eq!(prompt.matches(&format!("<{tag}>")).count(), 1, "{}: {prompt}", template.name);
            assert!(
                prompt.is_ascii(),
                "{}: `{}` is not in ASCII: {prompt}",
                file(task.family),
                template.name
            );
            assert!(!prompt.contains("  \n") && prompt == prompt.trim(), "{prompt:?}");
        }
    }
}

fn the_familys_own_wrong_answers_fail(family: &'static Family) {
    for task in all_tasks(family, 12) {
        let wrong = task.wrong_answers(2);
        let distinct: BTreeSet<_> = wrong.iter().collect();
        let at = file(task.family);
        assert!(
            distinct.len() >= 3,
            "{at}: `near_misses` must have three at least for {}: {wrong:?}",
            task.id()
        );
        for answer in wrong {
            let verdict = verify(&task, &task.wrap(&answer));
            assert!(!verdict.passed, "{at}: `verify` or `form` paid {answer:?} for {}", task.id());
        }
    }
}

/// The negative, the neighbors and ten times a number that is the only right answer.
fn numbers_beside_a_unique_answer_fail(family: &'static Family) {
    for task in all_tasks(family, 6) {
        let Ok(right) = task.problem.answer().parse::<i64>() else { continue };
        if !task.certify().is_ok_and(|certificate| certificate.unique) {
            continue;
        }
        for wrong in [-right, right + 1, right - 1, right.saturating_mul(10)] {
            let verdict = verify(&task, &task.wrap(&wrong.to_string()));
            let at = file(task.family);
            assert!(wrong == right || !verdict.passed, "{at}: `verify` paid {wrong} for {}", task.id());
        }
    }
}

/// Texts without an answer, in shapes that have broken verifiers elsewhere.
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

fn attacks_fail(family: &'static Family) {
    let attacks = attacks();
    for level in [0, family.top_level()] {
        for task in tasks(family, level, 2) {
            let (at, tag, prompt) = (file(family), task.facts().tag, task.prompt());
            let answer = task.problem.answer();
            let right = task.wrap(&answer);
            let wrong = task.wrap(&task.wrong_answers(3)[0]);
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
                assert!(!verify(&task, text).passed, "{at}: `verify` paid {text:?} for {}", task.id());
            }
            for attack in &attacks {
                assert!(!verify(&task, attack).passed, "{at}: `verify` paid bare text for {}", task.id());
                // A short guess inside the tag may be right; other contracts measure what that earns.
                let text = task.wrap(attack);
                if verify(&task, &text).passed {
                    assert!(attack.len() < 20, "{at}: `verify` paid {attack:?} for {}", task.id());
                }
            }
        }
    }
}

/// A text between a right completion and noise.
pub fn mutated_text(text: &str, rng: &mut Rng) -> String {
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

fn any_text_gets_a_verdict(family: &'static Family) {
    // `make test-all` requests a million.
    let texts: u64 = std::env::var("REASONENV_FUZZ").map_or(20_000, |n| n.parse().unwrap());
    let mut rng = rng("fuzz");
    let tasks: Vec<_> = (0..=family.top_level()).flat_map(|level| tasks(family, level, 8)).collect();
    let rights: Vec<_> = tasks.iter().map(|task| task.wrap(&task.problem.answer())).collect();
    for _ in 0..texts / families::all().len() as u64 {
        let at = rng.index(tasks.len());
        let text = mutated_text(&rights[at], &mut rng);
        let reading = *rng.pick(&Reading::ALL);
        let verdict = tasks[at].verify(&text, Some(reading));
        check_verdict(&tasks[at], &verdict, &text);
    }
}

fn solution_steps_satisfy_the_step_judge(family: &'static Family) {
    for task in all_tasks(family, 6) {
        let steps = task.problem.solution().steps;
        let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
        let Some(verdicts) = task.verify_steps(&steps) else {
            continue;
        };
        for (step, verdict) in steps.iter().zip(&verdicts) {
            let at = file(task.family);
            assert!(verdict.holds, "{at}: `steps` refuses the own {step:?} of {}: {verdict:?}", task.id());
        }
        let many = task.verify_steps(&vec!["x"; MOST_STEPS + 1]).unwrap();
        assert_eq!(many.last().unwrap().detail, format!("only {MOST_STEPS} steps are judged"));
        let long = "x".repeat(LONGEST_STEP + 1);
        assert!(task.verify_steps(&[&long]).unwrap()[0].detail.contains("bytes"));
        for junk in ["", "2 + 2 = 5", "so it follows", "\0", &"9".repeat(10_000)] {
            let verdict = task.verify_steps(&[junk]).unwrap().remove(0);
            assert!(!verdict.holds && !verdict.advances && !verdict.detail.is_empty());
        }
        // A repeated step adds nothing new.
        let twice = task.verify_steps(&[steps[0], steps[0]]).unwrap();
        assert!(!twice[1].advances, "{}", task.id());
    }
}

fn playing_a_problem_agrees_with_its_judge(family: &'static Family) {
    let mut rng = rng("play");
    for task in all_tasks(family, 3) {
        let Some(start) = task.problem.moves() else {
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
                assert!(moves < 10_000, "{} never ends", task.id());
            }
            for junk in ["", "x", "\0", "999999999999999999999", "-1"] {
                assert!(play.read_action(junk).is_err(), "{junk:?}");
            }
            let mut seen = vec![0.0; play.shape().iter().product()];
            play.observe(0, &mut seen);
            let answer = play.answer().expect("a problem that is over has an answer");
            let verdict = verify(&task, &task.wrap(&answer));
            assert_eq!(play.returns(), [verdict.score], "{}: {answer}", task.id());
        }
    }
}
