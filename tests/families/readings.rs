//! Each reading, and each style of answer, rewards one right answer and no hedge.

use reasonenv::task::answer::Reading;
use reasonenv::task::erased::Family;
use reasonenv::task::item::Task;
use reasonenv::task::verdict::label;
use serde_json::json;

use crate::common::{all_tasks, check_verdict, file};
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.each(named![
        no_reading_pays_a_hedge,
        lenient_alone_takes_one_layer_of_markup,
        boxed_answers_are_asked_for_and_read
    ]);
}

fn boxed(task: &Task) -> Task {
    let style = json!({"answer": "boxed"});
    Task::pose(task.instance.clone(), None, None, style.as_object().unwrap()).unwrap()
}

fn passes(task: &Task, text: &str, reading: Reading) -> bool {
    let verdict = task.verify(text, Some(reading));
    check_verdict(task, &verdict, text);
    verdict.passed
}

fn no_reading_pays_a_hedge(family: &'static Family) {
    for task in all_tasks(family, 1) {
        let (at, tag) = (file(task.family), task.facts().tag);
        let right = task.problem.answer();
        let boxed = boxed(&task);
        // A wrong answer with markup that the right one does not have.
        let fails = |wrong: &String| !passes(&task, &task.wrap(wrong), Reading::Lenient) && !wrong.is_empty();
        for wrong in task.wrong_answers(4).iter().filter(|wrong| fails(wrong)).take(3) {
            for (one, other) in [(wrong, &right), (&right, wrong)] {
                for hedge in [
                    format!("<{tag}>{one}<{tag}>{other}</{tag}></{tag}>"),
                    format!("<{tag}>{one}<{tag}>{other}</{tag}>"),
                    format!("<{tag}>{one}</{tag}> <{tag}>{other}"),
                    format!("<{tag}>{one}</{tag}> {other}</{tag}>"),
                    format!("<{tag}>{one}</{tag}> <{tag}>{other}</{tag}>"),
                    format!("<{tag}>{one}</{tag}> \\boxed{{{other}}}"),
                    format!("\\boxed{{{other}}} <{tag}>{one}</{tag}>"),
                    format!("\\boxed{{{one}}} \\boxed{{{other}}}"),
                    format!("\\boxed{{{one}}} \\boxed{{{other}"),
                    format!("<{tag}>\\boxed{{{one}}} \\boxed{{{other}}}</{tag}>"),
                    format!("<{tag}>**{one}** **{other}**</{tag}>"),
                    format!("<{tag}>${one}$ or ${other}$</{tag}>"),
                    format!("<{tag}>{one} or {other}</{tag}>"),
                    format!("\\boxed{{{one} or {other}}}"),
                ] {
                    // Any text may precede a tag, except where a box may be the answer.
                    let mixed = hedge.contains("</") && hedge.contains("boxed");
                    let readings = if mixed { &[Reading::Lenient][..] } else { &Reading::ALL };
                    for &reading in readings {
                        let context = || format!("{at}: {} pays {hedge:?} for {}", reading.name(), task.id());
                        assert!(!passes(&task, &hedge, reading), "{}", context());
                        // A tag does not count if a box is required.
                        if !hedge.contains(tag) {
                            assert!(!passes(&boxed, &hedge, reading), "boxed, {}", context());
                        }
                    }
                }
            }
        }
    }
}

fn lenient_alone_takes_one_layer_of_markup(family: &'static Family) {
    for task in all_tasks(family, 3) {
        let (at, tag) = (file(task.family), task.facts().tag);
        let right = task.problem.answer();
        let tagged = |answer: String| format!("<{tag}>{answer}</{tag}>");
        for text in [
            tagged(format!("\\boxed{{{right}}}")),
            tagged(format!("**{right}**")),
            tagged(format!("${right}$")),
            tagged(format!("`{right}`")),
            format!("\\boxed{{{right}}}"),
            format!("So it is $\\boxed{{{right}}}$."),
            format!("\\boxed{{{right}}} and <{tag}>{right}</{tag}>"),
        ] {
            // If the answer contains a mark itself, the end of the markup is ambiguous.
            if right.contains(['*', '`', '$', '{', '\\']) {
                continue;
            }
            assert!(
                passes(&task, &text, Reading::Lenient),
                "{at}: lenient refuses {text:?} for {}",
                task.id()
            );
            let plain = text.ends_with(&format!("<{tag}>{right}</{tag}>"));
            assert_eq!(
                passes(&task, &text, Reading::Strict),
                plain,
                "{at}: strict on {text:?} for {}",
                task.id()
            );
            assert_eq!(task.verify(&text, Some(Reading::Lenient)).respelled, !plain, "{at}: {text:?}");
        }
        // A period is dropped if it makes an answer unreadable, and it counts if every character does.
        let stopped = tagged(format!("{right}."));
        let malformed = task.verify(&stopped, None).failures.contains(&label::MALFORMED_ANSWER);
        assert_eq!(
            passes(&task, &stopped, Reading::Lenient),
            malformed,
            "{at}: {stopped:?} for {}",
            task.id()
        );
        let plain = task.verify(&task.wrap(&right), Some(Reading::Lenient));
        assert!(plain.passed && !plain.respelled, "{at}: {plain:?}");
    }
}

fn boxed_answers_are_asked_for_and_read(family: &'static Family) {
    for task in all_tasks(family, 1) {
        let (at, tag) = (file(task.family), task.facts().tag);
        let (boxed, right, wrong) = (boxed(&task), task.problem.answer(), task.wrong_answers(6));
        assert!(!boxed.prompt().contains(&format!("<{tag}>")), "{at}: {}", boxed.prompt());
        for reading in Reading::ALL {
            let text = boxed.wrap(&right);
            assert!(passes(&boxed, &text, reading), "{at}: {} refuses {text:?}", reading.name());
            assert!(!passes(&boxed, &task.wrap(&right), reading), "{at}: {} pays a tag", reading.name());
            for wrong in wrong.iter().take(10) {
                // Nested boxes count as one.
                if !wrong.starts_with("\\boxed") && !passes(&task, &task.wrap(wrong), reading) {
                    let text = boxed.wrap(wrong);
                    assert!(!passes(&boxed, &text, reading), "{at}: {} pays {text:?}", reading.name());
                }
            }
        }
    }
}
