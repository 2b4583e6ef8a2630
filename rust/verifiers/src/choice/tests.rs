use serde_json::json;

use crate::Verifier;
use crate::tests::{assert_judges, assert_refuses, untagged};

fn cities() -> Verifier {
    untagged("choice", &json!({"choices": ["London", "Paris", "New York"]}))
}

#[test]
fn a_letter_names_a_choice() {
    let letters = untagged("choice", &json!({"num_choices": 4}));
    assert_judges(
        &letters,
        &[
            ("A", "B"),
            ("E", "B"),
            ("", "B"),
            ("(B", "B"),
            ("A or B", "B"),
            ("B or C", "B"),
            ("B, C", "B"),
            ("B. C", "B"),
            ("(A) (B)", "B"),
            ("BC", "B"),
            ("Because", "B"),
            ("not B", "B"),
            ("A cat", "A"),
            ("2", "B"),
            ("В", "B"),
            ("ABCD", "A"),
            ("option B or option C", "B"),
            ("**B** C", "B"),
            ("b) or c)", "B"),
            ("(b) (c)", "B"),
            ("B - Paris", "B"),
            ("B. not", "B"),
            ("B. Not!", "B"),
            ("B) is wrong", "B"),
            ("(B) isn’t right", "B"),
            ("B: not the correct answer", "B"),
            ("B. no, wrong", "B"),
            ("B. Wait", "B"),
            ("B. Oops, sorry", "B"),
        ],
        &[
            ("B. Not enough information", "B"),
            ("B. No", "B"),
            ("B. None of the above", "B"),
            ("B. False", "B"),
            ("B. It is not possible", "B"),
            ("B", "B"),
            ("b", "B"),
            ("(B)", "B"),
            ("B.", "b"),
            ("B)", "(B)"),
            ("**B**", "B"),
            ("**B.**", "B"),
            ("option B", "B"),
            ("Option: (B)", "B"),
            ("[B]", "B"),
            (r"\text{B}", "B"),
            (r"$\textbf{(B)}$", "B"),
            ("B. Paris", "B"),
            ("**B)** Paris", "B"),
            ("B: it is", "B"),
        ],
    );
    for text in ["A or B", "B. C", "(A) (B)", "A, B, C, D"] {
        assert_eq!(letters.judge(text, "B").unwrap().failures, ["hedged"], "{text}");
    }
    assert_refuses(&letters, &["", "E", "2", "A or B", "Paris"]);
}

#[test]
fn a_lenient_answer_may_go_on() {
    let letters = untagged("choice", &json!({"num_choices": 10, "reading": "lenient"}));
    assert_judges(
        &letters,
        &[
            ("B or C", "B"),
            ("B and C", "B"),
            ("B, C", "B"),
            ("B (or C)", "B"),
            ("B (not sure)", "B"),
            ("B, not C", "B"),
            ("B — or C", "B"),
            ("B — no, wait", "B"),
            ("B, or maybe not", "B"),
            ("B. C is also right", "B"),
            ("C. A is also right", "C"),
            ("B is wrong", "B"),
            ("B because of this. Wait, I was wrong", "B"),
            ("Because B", "B"),
            ("(B) or C is right", "B"),
            ("(A) and (B) are both right", "A"),
            ("A cat", "A"),
            ("I think so", "I"),
            ("B's", "B"),
            ("B. No, wait, it is C", "B"),
        ],
        &[
            ("B because a car moves", "B"),
            ("B because A is too small", "B"),
            ("C because I computed the integral", "C"),
            ("B, because it moves", "B"),
            ("B since it moves.", "B"),
            ("(B), due to friction", "B"),
            ("B — a safe choice", "B"),
            ("B (London)", "B"),
            ("B, the capital", "B"),
            ("C. A pretty girl in a red dress", "C"),
            ("(D) B, D and F are turning anticlockwise", "D"),
            ("**B** because it moves", "B"),
        ],
    );
    let cities = json!({"choices": ["London", "Paris", "New York"], "reading": "lenient"});
    assert_judges(
        &untagged("choice", &cities),
        &[
            ("B (London)", "B"),
            ("B — London", "B"),
            ("B (Paris or London)", "B"),
            ("B, not Paris", "B"),
            ("B. Rome", "B"),
        ],
        &[
            ("B (Paris)", "B"),
            ("B because Paris is larger", "B"),
            ("B, Paris, the capital of France", "B"),
            ("B because London is smaller", "B"),
        ],
    );
    let marked = untagged("choice", &json!({"extract": "auto", "reading": "lenient"}));
    assert_judges(
        &marked,
        &[
            ("The answer is B. No, wait, it is C.", "B"),
            ("The answer is B. Actually, C.", "B"),
            ("The answer is B or C.", "B"),
            ("The answer is not B.", "B"),
            ("\\boxed{B}. Hmm, no.", "B"),
            ("Another option is B.", "B"),
        ],
        &[
            ("ANSWER IS D.", "D"),
            ("The correct option is B.", "B"),
            ("The right choice is (B).", "B"),
            ("The best answer is B, because it fits. It does.", "B"),
            ("The answer is B. No other option fits.", "B"),
        ],
    );
}

#[test]
fn latex_and_english_are_told_from_letters() {
    let letters = untagged("choice", &json!({}));
    assert_judges(
        &letters,
        &[(r"\textbf{(B)} or \textbf{(C)}", "B"), (r"\frac{B}{C}", "B"), ("B because it moves", "B")],
        &[
            (r"\textbf{(B)}\ 12", "B"),
            (r"\textbf{(B) }12", "B"),
            (r"\mathrm{B}", "B"),
            (r"\text{(B)}\quad 3", "B"),
            ("C. A pretty girl in a red dress", "C"),
            ("(D) I think, therefore I am", "D"),
        ],
    );
}

#[test]
fn a_text_names_a_choice() {
    assert_judges(
        &cities(),
        &[
            ("London", "B"),
            ("B. London", "B"),
            ("A. Paris", "B"),
            ("Paris or London", "B"),
            ("Paris, France", "B"),
            ("B. Paris or C", "B"),
            ("BParis", "B"),
            ("B. Rome", "B"),
            ("B - London", "B"),
            ("B - ", "B"),
            ("B, Paris or Rome", "B"),
            ("D", "B"),
            ("", "B"),
        ],
        &[
            ("Paris", "B"),
            ("paris.", "Paris"),
            ("**Paris**", "B"),
            ("B", "Paris"),
            ("B. Paris", "B"),
            ("(B) Paris.", "B"),
            ("new  york", "C"),
            ("C: New York", "New York"),
            ("B - Paris", "B"),
            ("B, “Paris”", "B"),
            ("**B.** **Paris**", "B"),
            ("\"Paris\"", "B"),
        ],
    );
    assert_eq!(cities().judge("A. Paris", "B").unwrap().failures, ["hedged"]);
    assert_refuses(&cities(), &["", "D", "Rome", "A or B"]);
}

#[test]
fn a_row_may_bring_its_own_choices() {
    let judge = untagged("choice", &json!({}));
    let row = |answer: serde_json::Value| json!({"answer": answer, "choices": ["4", "Paris", "Paris", "A"]});
    for (answer, right, wrong) in [
        (json!(0), vec!["A", "4", "A. 4", "(a)"], vec!["B", "Paris", "0", "E"]),
        (json!(2), vec!["C", "C. Paris", "C - Paris"], vec!["B", "B. Paris", "Paris", "2"]),
        (json!("C"), vec!["(C)"], vec!["A"]),
        (json!("3"), vec!["D", "D. A"], vec!["A", "3"]),
        (json!("4"), vec!["A"], vec!["D"]),
    ] {
        let reference = row(answer).to_string();
        for text in right {
            assert!(judge.judge(text, &reference).unwrap().passed, "{text} {reference}");
        }
        for text in wrong {
            assert!(!judge.judge(text, &reference).unwrap().passed, "{text} {reference}");
        }
    }
    assert_refuses(
        &judge,
        &[
            &row(json!(4)).to_string(),
            &row(json!(-1)).to_string(),
            &row(json!("E")).to_string(),
            &row(json!("Paris")).to_string(),
            r#"{"answer": 0, "choices": ["x"]}"#,
            r#"{"answer": 0}"#,
        ],
    );
}

#[test]
fn choices_must_be_told_apart() {
    for (options, message) in [
        (json!({"num_choices": 1}), "`num_choices` is 1, but must be between 2 and 26"),
        (json!({"choices": ["x"]}), "`choices` has 1 texts, but must have between 2 and 26"),
        (json!({"choices": ["x", " X."]}), "`choices[1]` is ` X.`, as another is"),
        (json!({"choices": ["x", ""]}), "`choices[1]` is ``, but must be text"),
        (json!({"choices": ["B", "x"]}), "`choices[0]` is `B`, the letter of another choice"),
    ] {
        let error = Verifier::new("choice", options.as_object().unwrap()).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    untagged("choice", &json!({"choices": ["A", "B"]}));
}
