//! Prompts read as if a careful person wrote them, with any numbers and names.

use reasonenv::task::erased::Family;
use reasonenv::task::item::Task;
use reasonenv::task::style::AnswerStyle;
use serde_json::json;

use crate::common::{all_tasks, file};
use crate::contract::Cases;

pub fn contracts(cases: &mut Cases<&'static Family>) {
    cases.each(named![prompts_are_linted_in_every_wording, verdicts_and_steps_have_no_false_plurals]);
    cases.once(named![the_lint_finds_what_it_is_for]);
}

/// Maximum length of a line in a prompt, in bytes: room for two hundred roads in one paragraph.
const LONGEST_LINE: usize = 12_000;

/// Words that follow a number 1 that is a name: of a step, a row or a node.
const VERBS: [&str; 40] = [
    "adds", "arrives", "as", "becomes", "begins", "comes", "does", "ends", "equals", "fails", "fits",
    "flows", "follows", "gets", "gives", "goes", "has", "holds", "is", "keeps", "lacks", "leads", "leaves",
    "less", "lives", "makes", "means", "minus", "needs", "plus", "remains", "requires", "says", "shows",
    "stands", "starts", "takes", "turns", "uses", "was",
];

/// Words that may separate a number from the noun that it counts.
const BETWEEN: [&str; 12] = [
    "more",
    "fewer",
    "other",
    "different",
    "wrong",
    "whole",
    "such",
    "red",
    "blue",
    "green",
    "white",
    "free",
];

/// Nouns whose plural takes more than an s.
const UNUSUAL: [&str; 20] = [
    "batch", "bench", "berry", "body", "box", "branch", "bus", "city", "class", "copy", "country", "dish",
    "entry", "family", "glass", "lorry", "match", "party", "query", "switch",
];

fn is_word(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|letter| letter.is_ascii_lowercase())
}

/// True if a line is a sentence rather than a part of a drawing, a table or a list of names.
fn is_prose(line: &str) -> bool {
    let words = line.split_whitespace().filter(|word| is_word(word.trim_end_matches([',', '.', ';', ':'])));
    line.ends_with(['.', '?', '!', ':']) && words.count() >= 5
}

/// The first plural that is wrong.
fn false_plural(line: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let bare = |word: &&str| word.trim_end_matches(|c: char| ".,;:?!)\"".contains(c)).to_owned();
    let counted = words.windows(2).enumerate().find_map(|(at, pair)| {
        let is_one = pair[0].trim_start_matches('(') == "1";
        let skip = usize::from(BETWEEN.contains(&pair[1]));
        let noun = words.get(at + 1 + skip).map(bare).filter(|noun| is_one && is_word(noun))?;
        let plural = noun.ends_with('s') && !noun.ends_with("ss") && !VERBS.contains(&noun.as_str());
        plural.then(|| format!("1 {noun}"))
    });
    let is_misspelt = |word: &String| word.strip_suffix('s').is_some_and(|noun| UNUSUAL.contains(&noun));
    let misspelt = words.iter().map(bare).find(is_misspelt);
    counted.or(misspelt)
}

/// The fault of a text, if it has one.
fn fault(text: &str) -> Option<String> {
    let count = |mark: char| text.matches(mark).count();
    for (open, close) in [('(', ')'), ('[', ']'), ('{', '}')] {
        if count(open) != count(close) {
            return Some(format!("`{open}` and `{close}` are not balanced"));
        }
    }
    if count('"') % 2 > 0 {
        return Some("quotes are not balanced".to_owned());
    }
    text.lines().find_map(|line| {
        if line.len() > LONGEST_LINE {
            return Some(format!("a line of {} bytes", line.len()));
        }
        if line.contains('\t') {
            return Some(format!("a tab in {line:?}"));
        }
        let sides = line.split("  ").collect::<Vec<_>>();
        let parts = |text: &str| text.len() > 3 && text.bytes().all(|byte| byte.is_ascii_lowercase());
        let torn = sides.windows(2).find(|sides| {
            let [before, after] = [sides[0].split(' ').next_back(), sides[1].split(' ').next()];
            [before, after].into_iter().flatten().all(|word| parts(word.trim_end_matches([',', ';'])))
        });
        if torn.is_some() {
            return Some(format!("two spaces in {line:?}"));
        }
        if !is_prose(line) {
            return None;
        }
        let pairs = ["the the", "of of", "to to", "and and", "is is", "in in", "that that "];
        let marks = ["  ", " . ", " , ", " ; ", ",,", ";;", "..", ".,", ",.", "?."];
        let inside = line.replace("...", "~");
        let wrong = marks.into_iter().find(|mark| inside.contains(mark));
        let twice = pairs.into_iter().find(|pair| inside.contains(&format!(" {pair} ")));
        let found = wrong.or(twice).map(str::to_owned).or_else(|| false_plural(line))?;
        Some(format!("{found:?} in {line:?}"))
    })
}

fn the_lint_finds_what_it_is_for() {
    for (text, found) in [
        ("There are 2 boxs in the room today.", "boxs"),
        ("Then 2 times    a ball is drawn from it.", "  "),
        ("the fewest  moves are counted", "two spaces"),
        ("It is worth exactly 1 points in this game.", "1 points"),
        ("The box holds 6 and 1 blue balls at first.", "1 balls"),
        ("Every day some of the 3 lorrys go there.", "lorrys"),
        ("It says \"no to all of them in the end.", "quotes"),
        ("There is (as it were a way out of here.", "balanced"),
        ("Which of the the ways is right for it?", "the the"),
        ("Each of these has a way out , they say.", " , "),
    ] {
        assert!(fault(text).is_some_and(|fault| fault.contains(found)), "{text}: {:?}", fault(text));
    }
    for text in [
        "From 7, 1 comes 14 by the rule above.",
        "Row 1 has two 7s, and so have the others.",
        "1  2  3\n. .  .",
    ] {
        assert_eq!(fault(text), None);
    }
    assert_eq!(false_plural("step 1 holds; 1 lies ahead of it"), Some("1 lies".to_owned()));
}

fn prompts_are_linted_in_every_wording(family: &'static Family) {
    for task in all_tasks(family, 6) {
        let (at, tag) = (file(task.family), task.facts().tag);
        for template in task.family.templates() {
            for (words, answer) in [(1, AnswerStyle::Tag), (2, AnswerStyle::Boxed)] {
                let style = json!({"template": template.name, "words": words, "answer": answer.name()});
                let posed =
                    Task::pose(task.instance.clone(), None, None, style.as_object().unwrap()).unwrap();
                let prompt = posed.prompt();
                if let Some(fault) = fault(&prompt) {
                    panic!("{at}: `{}` on {}: {fault}\n{prompt}", template.name, task.id());
                }
                let asked = prompt.lines().last().unwrap();
                let marks = [format!("<{tag}></{tag}> tags"), "\\boxed{}".to_owned()];
                let shown = marks.map(|mark| asked.matches(&mark).count());
                let expected = if answer == AnswerStyle::Tag { [1, 0] } else { [0, 1] };
                assert_eq!(shown, expected, "{at}: the last sentence must be the form's: {asked}");
            }
        }
    }
}

fn verdicts_and_steps_have_no_false_plurals(family: &'static Family) {
    for task in all_tasks(family, 6) {
        let wrong = task.wrong_answers(5);
        let details = wrong.iter().map(|answer| task.verify(&task.wrap(answer), None).detail);
        for text in details.chain(task.problem.solution().steps) {
            // Quoted text belongs to the answer.
            let own: Vec<&str> = text.split('`').step_by(2).collect();
            for line in own.join("it").lines().filter(|line| line.split_whitespace().count() > 2) {
                let found = false_plural(line);
                assert_eq!(found, None, "{} on {}: {line}", file(task.family), task.id());
            }
        }
    }
}
