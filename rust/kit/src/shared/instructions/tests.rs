use serde_json::json;

use super::*;

fn judge(constraint: &serde_json::Value, text: &str) -> Result<(), String> {
    let constraint: Constraint = serde_json::from_value(constraint.clone()).unwrap();
    constraint.check().unwrap();
    constraint.judge(text, Typography::Prose, &mut Budget::new(1_000_000)).unwrap()
}

#[test]
fn each_constraint_is_met_or_broken() {
    for (constraint, broken, met) in [
        (json!({"kind": "keywords", "words": ["red fox", "Dog"]}), "a red foxy dog", "The dog. A RED FOX!"),
        (json!({"kind": "forbidden_words", "words": ["cat"]}), "A CAT.", "concatenate"),
        (json!({"kind": "keywords", "words": ["cat"]}), "con\u{200b}cat\u{2060}enate", "a c\u{ad}at"),
        (json!({"kind": "keywords", "words": ["cat"]}), "a cat\u{301}", "a cat\u{200b}"),
        (json!({"kind": "forbidden_words", "words": ["cat"]}), "a c\u{200d}at", "con\u{feff}cat"),
        (json!({"kind": "keyword_count", "word": "a", "min": 2, "max": 2}), "a a a", "a, an A"),
        (json!({"kind": "letter_count", "letter": "E", "min": 2}), "e", "Ee"),
        (json!({"kind": "characters", "max": 3}), "éééé", " ééé "),
        (json!({"kind": "words", "min": 2, "max": 3}), "one - .", "one, two-three"),
        (json!({"kind": "words", "max": 3}), "1 2 3 4", ""),
        (json!({"kind": "sentences", "min": 2}), "One 3.5 e.g.x. ...", "One. Two"),
        (json!({"kind": "paragraphs", "min": 2, "max": 2}), "a\nb", "a\nb\n\n \nc"),
        (json!({"kind": "lines", "max": 1}), "a\nb", "a\n"),
        (json!({"kind": "bullets", "min": 2, "max": 2}), "- a\n-b", "- a\n * b"),
        (
            json!({"kind": "sections", "min": 2}),
            "Section 1\nSection\nSections 2",
            "Section 1\n## Section 2: x",
        ),
        (json!({"kind": "highlights", "min": 2}), "* a *b* c\n** **", "*a* and **b**"),
        (json!({"kind": "placeholders", "min": 1, "max": 1}), "[] [\n]", "at [address]"),
        (json!({"kind": "capital_words", "max": 1}), "AB CD", "AB A Cd"),
        (json!({"kind": "case", "case": "lower"}), "aB", "ab 1"),
        (json!({"kind": "case", "case": "upper"}), "1", "AB 1"),
        (json!({"kind": "starts_with", "text": "Hi"}), "hi", " Hi"),
        (json!({"kind": "ends_with", "text": "bye."}), "bye. x", "x bye.\n"),
        (json!({"kind": "json_only"}), "{} x", "```json\n{\"a\": [1]}\n```"),
        (json!({"kind": "script", "script": "cyrillic"}), "privet", "привет 123"),
        (json!({"kind": "script", "script": "japanese"}), "12", "日本語です"),
        (json!({"kind": "title"}), "<<>> x <<a>>", "<<A>>\nb"),
        (json!({"kind": "no_commas"}), "a, b", "a b"),
        (json!({"kind": "postscript"}), "x P.S. y", "x\nP.S. y"),
        (json!({"kind": "quoted"}), "\"\"", "\"a\""),
    ] {
        let told = judge(&constraint, broken).expect_err(&format!("{constraint} {broken}"));
        assert!(!told.is_empty());
        assert_eq!(judge(&constraint, met), Ok(()), "{constraint} {met}");
    }
}

/// A family states its own rules: each character is text.
#[test]
fn plain_texts_are_read_as_they_are_typed() {
    let judge = |constraint: &serde_json::Value, text: &str| {
        let constraint: Constraint = serde_json::from_value(constraint.clone()).unwrap();
        constraint.judge(text, Typography::Plain, &mut Budget::new(1_000_000)).unwrap().is_ok()
    };
    assert!(!judge(&json!({"kind": "keywords", "words": ["secret"]}), "_secret_"));
    assert!(!judge(&json!({"kind": "starts_with", "text": "Hi"}), "**Hi**"));
    assert!(judge(&json!({"kind": "sentences", "min": 2, "max": 2}), "One line\nand another"));
}

#[test]
fn mistaken_constraints_are_told() {
    for (constraint, message) in [
        (json!({"kind": "words"}), "neither `min` nor `max` is given"),
        (json!({"kind": "words", "min": 3, "max": 2}), "`max` is 2, but `min` is 3"),
        (json!({"kind": "keywords", "words": []}), "`words` is empty"),
        (json!({"kind": "keywords", "words": [" "]}), "`words` has an empty word"),
        (json!({"kind": "keywords", "words": ["\u{200b}"]}), "`words` has an empty word"),
        (json!({"kind": "starts_with", "text": ""}), "`text` is empty"),
    ] {
        let constraint: Constraint = serde_json::from_value(constraint).unwrap();
        assert!(constraint.check().unwrap_err().starts_with(message));
    }
    for wrong in [json!({"kind": "word"}), json!({"kind": "words", "minimum": 2}), json!({}), json!(3)] {
        assert!(serde_json::from_value::<Constraint>(wrong.clone()).is_err(), "{wrong}");
    }
}
