//! The verdict on a completion: its answer and the text around it.

use super::Tree;
use super::measure::{Measured, Reference};
use kit::budget::Budget;
use kit::shared::tree_text;
use kit::task::answer::{self, LONGEST_ANSWER, Reply};
use kit::task::verdict::{Failure, Graded, Pass, label};

/// An answer, and the reading of the completion around it.
struct Given<'a> {
    answer: Option<&'a str>,
    /// The answer as SYNTHETIC-2 reads it.
    compat: Option<&'a str>,
    /// Faults that the reading does not allow.
    faults: &'a [&'static str],
    why: String,
    clean_tags: bool,
    no_outside_text: bool,
}

/// Judges an extracted answer, as if there were no text around its tag.
pub fn answer(tree: &Tree, answer: &str, budget: &mut Budget) -> Graded {
    let given = Given {
        answer: Some(answer),
        compat: Some(answer),
        faults: &[],
        why: String::new(),
        clean_tags: true,
        no_outside_text: true,
    };
    verdict(tree, &given, budget)
}

/// Judges a completion. Its answer is measured regardless of the text around it.
pub fn reply(tree: &Tree, reply: &Reply<'_>, tag: &str, budget: &mut Budget) -> Graded {
    let given = Given {
        answer: reply.answer,
        compat: tree_text::compat_answer(reply.text, tag),
        faults: &reply.faults,
        why: if reply.faults.is_empty() { String::new() } else { answer::explain(reply, tag) },
        clean_tags: reply.one_tag,
        no_outside_text: reply.alone,
    };
    verdict(tree, &given, budget)
}

/// A failed answer scores the product of `edge_f1` and `line_f1`, halved if the completion does not satisfy
/// the reading, and always below 1. Both are F1 scores, which grow with every additional right element and
/// every wrong one removed; the product gives nothing for names that are copied but not drawn.
fn verdict(tree: &Tree, given: &Given<'_>, budget: &mut Budget) -> Graded {
    let reference = Reference::new(tree);
    let answer = given.answer.filter(|answer| answer.len() <= LONGEST_ANSWER);
    let unified = answer.filter(|answer| answer.contains("\r\n")).map(|answer| answer.replace("\r\n", "\n"));
    let answer = unified.as_deref().or(answer);
    let right = answer == Some(reference.drawn.as_str());
    let measured = match answer {
        Some(answer) if !right => Measured::new(answer, &reference, budget),
        Some(_) => Ok(Measured::right(&reference)),
        None => Ok(Measured::NOTHING),
    };
    let again = measured.as_ref().ok().filter(|_| given.compat == answer);
    let compat = reference.compat(given.compat, again, budget);
    let over = measured.is_err() || compat.is_err();
    let measured = measured.unwrap_or(Measured::NOTHING);

    let flag = |holds| f64::from(u8::from(holds));
    let around = [
        ("clean_tags", flag(given.clean_tags)),
        ("no_outside_text", flag(given.no_outside_text)),
        ("compat", compat.unwrap_or(0.0)),
    ];
    let parts =
        measured.parts().into_iter().chain(around).map(|(name, value)| (name, value as f32)).collect();
    if right && given.faults.is_empty() {
        return Ok(Pass { parts });
    }

    let mut failures = given.faults.to_vec();
    let mut reasons = Vec::new();
    if !failures.is_empty() {
        reasons.push(given.why.clone());
    }
    if let Some(answer) = answer.filter(|_| !right) {
        failures.extend(&measured.failures);
        reasons.push(reference.first_difference(answer));
    }
    if over {
        failures.push(label::OVER_BUDGET);
    }
    let kept = if given.faults.is_empty() { 1.0 } else { 0.5 };
    let score = measured.structure.edge_f1 * measured.line_f1 * kept;
    let (first, rest) = failures.split_first().expect("a fault or a wrong answer");
    let failure = Failure::new(first, reasons.join("; ")).score(score as f32);
    Err(Failure { parts, ..rest.iter().fold(failure, |failure, label| failure.also(label)) })
}

#[cfg(test)]
mod tests {
    use super::super::EXAMPLE;
    use super::super::tests::{DRAWN, generated, packaging};
    use super::*;
    use crate::ascii_tree::AsciiTree;
    use kit::similarity;
    use kit::task::answer::Reading;
    use kit::task::family::TaskFamily;
    use kit::task::problem::Problem;
    use kit::task::verdict::Verdict;

    const TAG: &str = AsciiTree::ABOUT.answer_tag;

    fn judge_within(budget: u64, tree: &Tree, text: &str, reading: Reading) -> Verdict {
        let read = answer::read(text, TAG, reading);
        tree.judge(&read, TAG, &mut Budget::new(budget))
    }

    fn judge_under(reading: Reading, text: &str) -> Verdict {
        judge_within(100_000, &packaging(), text, reading)
    }

    fn judge(text: &str) -> Verdict {
        judge_under(Reading::Clean, text)
    }

    fn wrapped(answer: &str) -> String {
        format!("<{TAG}>\n{answer}\n</{TAG}>")
    }

    fn part(verdict: &Verdict, name: &str) -> f32 {
        let part = verdict.parts.iter().find(|(part, _)| *part == name);
        part.expect("a measured part").1
    }

    fn assert_failures(text: &str, labels: &[&str]) {
        let verdict = judge(text);
        assert_eq!(verdict.failures, labels, "{text}: {}", verdict.detail);
    }

    /// The right drawing with one change, properly wrapped.
    fn changed(from: &str, to: &str) -> String {
        wrapped(&DRAWN.replacen(from, to, 1))
    }

    #[test]
    fn every_part_is_measured() {
        for text in [wrapped(DRAWN), wrapped("x"), String::new()] {
            let verdict = judge(&text);
            let mut measured: Vec<&str> = verdict.parts.iter().map(|(name, _)| *name).collect();
            let mut declared: Vec<&str> = AsciiTree::ABOUT.parts.iter().map(|part| part.name).collect();
            measured.sort_unstable();
            declared.sort_unstable();
            assert_eq!(measured, declared);
        }
    }

    #[test]
    fn an_answer_alone_is_judged_like_one_well_wrapped() {
        let tree = packaging();
        let long = "x".repeat(200);
        for text in [DRAWN, "packaging", "x", "", EXAMPLE, &long, &DRAWN.replace('\n', "\r\n")] {
            let alone = answer(&tree, text, &mut Budget::new(100_000));
            assert_eq!(Verdict::from(alone), judge(&wrapped(text)), "{text}");
        }
    }

    #[test]
    fn windows_line_endings_change_nothing_but_compat() {
        let windows = |text: &str| text.replace('\n', "\r\n");
        for text in [wrapped(DRAWN), changed("brew", "brew "), changed("brew", "Brew")] {
            let (verdict, plain) = (judge(&windows(&text)), judge(&text));
            let but_compat = |verdict: &Verdict| {
                verdict.parts.iter().filter(|(part, _)| *part != "compat").copied().collect::<Vec<_>>()
            };
            assert_eq!((verdict.score, &verdict.failures), (plain.score, &plain.failures));
            assert_eq!(but_compat(&verdict), but_compat(&plain));
        }
    }

    #[test]
    fn what_stands_around_the_answer_is_labelled_beside_what_is_in_it() {
        let right = wrapped(DRAWN);
        assert_failures(&right, &[]);
        let more = changed("`--windows", "+--windows\n `--etc");
        let (extra, broken) = ("extra_text_outside_tags", "missing_or_broken_tags");
        assert_failures(&format!("{right} Done."), &[extra]);
        assert_failures(&wrapped(&right), &[broken, extra]);
        assert_failures(&right.repeat(2), &[broken]);
        assert_failures(DRAWN, &["no_answer", broken, extra]);
        assert_failures("", &["no_answer", broken]);
        assert_failures(&format!("{}{right}", wrapped("packaging")), &["hedged", broken]);
        assert_failures(
            &format!("Sure!\n{more}"),
            &[extra, "wrong_answer", "extra_lines", "wrong_branch_count", "wrong_names"],
        );
        assert_failures(
            &wrapped(&format!("```\n{DRAWN}\n```")),
            &["fenced", "malformed_answer", "wrong_root", "extra_lines", "wrong_names"],
        );
    }

    #[test]
    fn what_is_in_the_answer_is_labelled_by_the_rules() {
        let (wrong, malformed) = ("wrong_answer", "malformed_answer");
        let (lines, branches) = ("missing_lines", "wrong_branch_count");
        let (spacing, names) = ("indentation_or_spacing_only", "wrong_names");
        let check = |from, to, labels: &[&str]| assert_failures(&changed(from, to), labels);
        check("packaging", "package", &[wrong, "wrong_root", names]);
        check("brew", "Brew", &[wrong, names]);
        check("\n +--brew", "", &[wrong, lines, branches, names]);
        check("+--arch", "`--arch", &[malformed, "wrong_glyphs"]);
        check("+--linux", "|--linux", &[malformed, branches, "wrong_glyphs"]);
        check(" |   `--deb", " `--deb", &[malformed, "wrong_parents"]);
        check("+--arch\n |   `--debian", "+--debian\n |   `--arch", &[wrong, "wrong_order"]);
        check("brew", "brew ", &[malformed, spacing]);
        check("--brew", "-- brew", &[malformed, spacing]);
        check("\n", "\n\n", &[malformed, spacing]);
        check("\n", "\r", &[wrong, "wrong_root", lines, spacing, names]);
        // With its branch to the left of all others, the second line becomes the parent of the rest.
        check("\n ", "\n", &[malformed, spacing, "wrong_parents"]);
        assert_failures(&wrapped(&DRAWN.replace("\n ", "\n")), &[malformed, spacing]);
        assert_failures(&wrapped(" \n"), &[malformed, "wrong_root", lines, branches, names]);
    }

    #[test]
    fn parts_measure_what_they_mean() {
        let verdict = judge(&wrapped("packaging\n +--brew\n +--linux\n `--windows"));
        for (name, value) in [
            ("line_similarity", 2.0 * 4.0 / 10.0),
            ("root_correct", 1.0),
            ("line_count", 4.0 / 6.0),
            ("branch_count", 3.0 / 5.0),
            ("exact_lines", 0.5),
            ("line_f1", 0.75),
            ("edge_f1", 0.8),
            ("compat", 0.3 * 0.8 + 0.7 * 3.0 / 6.0),
        ] {
            assert!((part(&verdict, name) - value).abs() < 1e-6, "{name} of {verdict:?}");
        }
        assert!((verdict.score - 0.75 * 0.8).abs() < 1e-6);
    }

    #[test]
    fn outside_text_is_measured_whatever_the_policy() {
        let text = format!("Here it is:\n{}", wrapped(DRAWN));
        let verdict = judge_under(Reading::Strict, &text);
        assert!(verdict.passed);
        let measured = ["no_outside_text", "clean_tags", "compat"];
        let full = measured.map(|name| part(&verdict, name) > 0.5);
        assert_eq!(full, [false, true, true]);
        let fenced = wrapped(&format!("```\n{DRAWN}\n```"));
        assert!(judge_under(Reading::Lenient, &fenced).passed);
    }

    #[test]
    fn every_line_put_right_raises_the_score() {
        for index in 0..30 {
            let tree = generated(5, index);
            let drawn = tree.draw();
            let lines = similarity::lines(&drawn);
            let wrong = drawn.replace("--", "--x");
            let wrong = similarity::lines(&wrong);
            let score = |right: usize, outside: &str| {
                let answer = [&lines[..right], &wrong[right..]].concat().join("\n");
                judge_within(1_000_000, &tree, &(wrapped(&answer) + outside), Reading::Clean).score
            };
            for right in 1..lines.len() {
                assert!(score(right, "") < score(right + 1, ""), "{right} of {drawn}");
                assert!(score(right + 1, "!") < score(right + 1, ""));
            }
        }
    }

    #[test]
    fn names_that_are_copied_and_not_drawn_earn_nothing() {
        for index in 0..30 {
            let tree = generated(index as u8 % 9, index);
            let names: Vec<&str> = tree.rows.iter().map(|(_, name)| name.as_str()).collect();
            for copied in [names.join("\n"), names.join("\n  "), names[0].to_owned(), names.join("/")] {
                let verdict = judge_within(1_000_000, &tree, &wrapped(&copied), Reading::Clean);
                assert!(verdict.score.abs() < 1e-6, "{copied}: {}", verdict.score);
            }
        }
    }

    #[test]
    fn an_answer_too_costly_to_measure_fails_for_it() {
        let text = wrapped(&DRAWN.replace("brew", "brews"));
        let verdict = judge_within(3, &packaging(), &text, Reading::Clean);
        assert_eq!(verdict.failures, [label::OVER_BUDGET]);
        // The right answer passes within any budget.
        assert!(judge_within(0, &packaging(), &wrapped(DRAWN), Reading::Clean).passed);
    }
}
