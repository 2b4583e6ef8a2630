//! Every verifier: its options, its readings, its promises on any text.

use super::*;

/// A verifier of untagged text with these options.
pub fn untagged(name: &str, options: &Value) -> Verifier {
    let mut options = options.as_object().expect("an object").clone();
    options.insert("tag".into(), Value::Null);
    Verifier::new(name, &options).unwrap()
}

/// Checks answers against references, the wrong ones first.
pub fn assert_judges(verifier: &Verifier, wrong: &[(&str, &str)], right: &[(&str, &str)]) {
    let judged = |answer: &str, reference: &str| match verifier.judge(answer, reference) {
        Ok(verdict) => verdict,
        Err(must) => panic!("{reference:.60}: {must}"),
    };
    for (answer, reference) in wrong {
        let verdict = judged(answer, reference);
        assert!(!verdict.passed && verdict.score < 1.0, "{answer:.60} for {reference:.60}");
        assert!(!verdict.detail.is_empty(), "{answer:.60} for {reference:.60}");
    }
    for (answer, reference) in right {
        assert!(
            judged(answer, reference).passed,
            "{answer:.60} for {reference:.60}: {}",
            judged(answer, reference).detail
        );
    }
}

/// References that are the caller's mistake, whatever the answer.
pub fn assert_refuses(verifier: &Verifier, references: &[&str]) {
    for reference in references {
        for answer in ["", "1", "<answer>1</answer>", reference] {
            let judged = verifier.judge(answer, reference);
            assert!(judged.is_err_and(|must| must.starts_with("must ")), "{reference:.60}");
        }
    }
}

fn every_default() -> impl Iterator<Item = Verifier> {
    KINDS.iter().map(|kind| Verifier::new(kind.about.name, &Map::new()).unwrap())
}

#[test]
fn every_verifier_reads_and_compares() {
    for verifier in every_default() {
        let Example { reference, right, wrong } = verifier.about.example;
        let tag = verifier.tag.clone();
        let wrapped = |answer: &str| match &tag {
            Some(tag) => format!("<{tag}>{answer}</{tag}>"),
            None => answer.to_owned(),
        };
        let judge = |text: &str| verifier.judge(text, reference).unwrap();
        let name = verifier.about.name;
        assert!(!judge(&wrapped(wrong)).passed, "{name}");
        assert!(!judge("").passed, "{name}");
        let text = wrapped(&format!(" {right}\n"));
        let passing = judge(&text);
        assert!(passing.passed, "{name}: {}", passing.detail);
        assert_eq!(&text[passing.answer.unwrap()], right, "{name}");
        if tag.is_some() {
            // Without marks, only mathematics is looked for.
            assert_eq!(judge(right).passed, verifier.prose, "{name}");
            for broken in [
                wrapped(right) + &wrapped(wrong),
                wrapped(wrong) + &wrapped(right),
                wrapped(right) + "!",
                wrapped(right) + "<|im_end|>" + &wrapped(right),
                wrapped(&wrapped(right)),
                format!("<think>{}</think>", wrapped(right)),
            ] {
                assert!(!judge(&broken).passed, "{name}: {broken}");
            }
            assert!(judge(&(wrapped(right) + "<|im_end|>\n</s>")).passed, "{name}");
        }
    }
}

#[test]
fn every_verifier_reads_answers_wherever_they_stand() {
    for kind in KINDS {
        let Example { reference, right, .. } = kind.about.example;
        // Reasoning in a box breaks the box.
        let plain = !right.contains('<') && !right.contains('\n');
        for (extract, text, readable) in [
            ("boxed", format!("So \\boxed{{{right}}}"), plain),
            ("auto", format!("So \\boxed{{{right}}}"), plain),
            ("auto", format!("<a>{right}</a>"), true),
            ("hash", format!("So\n#### {right}"), plain),
            ("last_line", format!("So\n{right}"), plain),
            ("whole", right.to_owned(), true),
        ] {
            let options = json!({"tag": "a", "extract": extract, "reading": "strict"});
            let verifier = Verifier::new(kind.about.name, options.as_object().unwrap()).unwrap();
            let judged = verifier.judge(&text, reference).unwrap();
            assert!(judged.passed || !readable, "{}, {extract}: {}", kind.about.name, judged.detail);
            assert!(extract == "whole" || !verifier.judge("", reference).unwrap().passed);
        }
    }
}

#[test]
fn stop_tokens_are_a_models_own() {
    for kind in KINDS {
        let Example { reference, right, .. } = kind.about.example;
        for (tag, text) in [(json!(null), right.to_owned()), (json!("a"), format!("<a>{right}</a>"))] {
            let mut options = json!({"tag": tag, "stop_tokens": ["###"]});
            let options = options.as_object_mut().unwrap();
            let verifier = Verifier::new(kind.about.name, options).unwrap();
            let ended = verifier.judge(&format!("{text} ### ###\n"), reference).unwrap();
            assert!(ended.passed, "{}: {}", kind.about.name, ended.detail);
            assert!(ended.answer.is_some());
            // Without a tag, marks of chat templates are text unless they are named.
            let reply = verifier.read("7</s>");
            assert_eq!(reply.answer.is_some_and(|answer| answer.ends_with("</s>")), tag.is_null());
        }
    }
}

#[test]
fn options_are_checked_by_field_and_come_back_whole() {
    for kind in KINDS {
        let name = kind.about.name;
        for (options, message) in [
            (json!({"tag": 3}), "`tag` is 3, but must be a name without brackets"),
            (json!({"tag": "<answer>"}), "`tag` is \"<answer>\", but must be"),
            (json!({"tag": ""}), "`tag` is \"\", but must be"),
            (json!({"extract": "box"}), "unknown extract \"box\"; did you mean \"boxed\"?"),
            (json!({"extract": "tag", "tag": null}), "`extract` is \"tag\", but `tag` is None"),
            (json!({"reading": "strct"}), "unknown reading \"strct\"; did you mean \"strict\"?"),
            (json!({"reading": null}), "`reading` is null, but must be"),
            (json!({"stop_tokens": "</s>"}), "`stop_tokens` is \"</s>\", but must be a list"),
            (json!({"stop_tokens": ["x", 3]}), "`stop_tokens[1]` is 3, but must be str"),
            (json!({"stop_tokens": [""]}), "`stop_tokens[0]` is empty"),
            (json!({"readng": "strict"}), "no param `readng`; did you mean `reading`?"),
        ] {
            let error = Verifier::new(name, options.as_object().unwrap()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{name}: {message}")), "{error}");
        }
        let made = Verifier::new(name, &Map::new()).unwrap();
        let again = Verifier::new(name, &made.options()).unwrap();
        assert_eq!(made.options(), again.options());
    }
    let error = Verifier::new("number", &Map::new()).unwrap_err().to_string();
    assert!(error.starts_with("no verifier `number`"), "{error}");
}

#[test]
fn a_reference_that_matches_nothing_is_the_callers_error() {
    let verifier = Verifier::new("number_equal", &Map::new()).unwrap();
    let judge = |references: [&str; 2]| {
        verifier.judge_rows(
            &["<answer>1</answer>", "?"],
            References::one_each(&references),
            &AtomicBool::new(false),
        )
    };
    assert_eq!(judge(["1", "2"]).unwrap().len(), 2);
    assert_eq!(
        judge(["1", "seven"]).unwrap_err().to_string(),
        "number_equal: `references[1]` is `seven`, but must be one number like -12, 0.5, 3/4 or 1.2e-3"
    );
    let long = judge(["x".repeat(9_000).as_str(), ""]).unwrap_err().to_string();
    assert!(long.starts_with("number_equal: `references[0]` is `xxx") && long.len() < 200, "{long}");
}

#[test]
fn all_bad_references_are_found_before_a_run() {
    let verifier = Verifier::new("number_equal", &Map::new()).unwrap();
    let references = ["1", "x", "2", "x", " 1/0"];
    let bad = verifier.check(References::one_each(&references), &AtomicBool::new(false)).unwrap();
    let rows: Vec<_> = bad.iter().map(|(row, _)| *row).collect();
    assert_eq!(rows, [1, 3, 4]);
    for (row, error) in bad {
        let judged = verifier.judge_rows(
            &vec!["1"; 5 - row],
            References::one_each(&references[row..]),
            &AtomicBool::new(false),
        );
        assert_eq!(judged.unwrap_err().to_string(), error.to_string().replace(&format!("[{row}]"), "[0]"));
    }
}

#[test]
fn any_two_texts_get_a_verdict_or_an_error() {
    let odd =
        ["", "\0", "𝟙", "\u{202e}1", "[[[[", "{", "\"\\u", "1e999999999", "-", "9**9**9", "<think>", "</s>"];
    for verifier in every_default() {
        for text in odd {
            for reference in odd {
                if let Ok(verdict) = verifier.judge(text, reference) {
                    assert_eq!(verdict.passed, verdict.failures.is_empty());
                }
            }
        }
    }
}

#[test]
fn of_several_accepted_answers_the_best_counts() {
    let judged = |verifier: &Verifier, texts: &[&str], references: &[&str], ends: &[usize]| {
        verifier.judge_rows(texts, References::accepted(references, ends), &AtomicBool::new(false))
    };
    let f1 = untagged("text_f1", &json!({}));
    let verdicts =
        judged(&f1, &["big cat", "dog", "cat"], &["dog", "a cat", "dog", "cat", "dog"], &[2, 3, 5]);
    let [near, right, also] = verdicts.unwrap().try_into().unwrap();
    assert!((near.score - 2.0 / 3.0).abs() < 1e-6 && near.detail.ends_with("1 other answers are accepted"));
    assert!(right.passed && also.passed && also.failures.is_empty());
    let error = judged(&untagged("number_equal", &json!({})), &["1", "1"], &["1", "2", "x"], &[1, 3]);
    assert!(
        error.unwrap_err().to_string().starts_with("number_equal: `references[1][1]` is `x`, but must be")
    );
    for kind in KINDS {
        let Example { reference, right, wrong } = kind.about.example;
        let verifier = untagged(kind.about.name, &json!({}));
        let [passing, failing] =
            judged(&verifier, &[right, wrong], &[reference; 4], &[2, 4]).unwrap().try_into().unwrap();
        assert!(passing.passed && !failing.passed, "{}", kind.about.name);
        let alone = verifier.judge(wrong, reference).unwrap();
        assert_eq!((failing.score.to_bits(), &failing.failures), (alone.score.to_bits(), &alone.failures));
    }
}
