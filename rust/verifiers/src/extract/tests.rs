use serde_json::json;

use super::*;
use crate::Verifier;

fn reader(extract: &str, reading: &str) -> Verifier {
    let options = json!({"extract": extract, "reading": reading, "tag": "answer"});
    Verifier::new("exact_match", options.as_object().unwrap()).unwrap()
}

/// The answer, or the first fault.
fn read<'a>(verifier: &Verifier, text: &'a str) -> &'a str {
    let reply = verifier.read(text);
    if let Some(answer) = reply.answer {
        assert_eq!(&text[reply.span().unwrap()], answer);
    }
    reply.faults.first().copied().unwrap_or_else(|| reply.answer.expect("no fault, an answer"))
}

/// The table of docs/verifiers.md: way, shape, then the outcome under strict and lenient.
const SHAPES: [(&str, &str, &str, &str); 78] = [
    ("boxed", r"so \boxed{7}", "7", "7"),
    ("boxed", r"$\boxed{7}$.", "7", "7"),
    ("boxed", r"\[ \boxed{\frac{1}{2}} \]", r"\frac{1}{2}", r"\frac{1}{2}"),
    ("boxed", r"\boxed{7} or \boxed{8}", "hedged", "hedged"),
    ("boxed", r"\boxed{7}, so \boxed{ 7 }", "7", "7"),
    ("boxed", r"\boxed{\boxed{7}}", "7", "7"),
    ("boxed", r"\boxed{\{1\}}", r"\{1\}", r"\{1\}"),
    ("boxed", r"\boxed{7} apples", "extra_text_outside_tags", "7"),
    ("boxed", r"\boxed{7", "truncated", "truncated"),
    ("boxed", r"\boxed{6} so \boxed{7", "truncated", "truncated"),
    ("boxed", r"\boxed{\boxed{7}", "truncated", "truncated"),
    ("boxed", r"<think>\boxed{6}</think>\boxed{7}", "7", "7"),
    ("boxed", r"<think>\boxed{7}</think>", "no_answer", "no_answer"),
    ("boxed", r"\boxed{6}</think>\boxed{7}", "7", "7"),
    ("boxed", r"<think>\boxed{7}", "truncated", "truncated"),
    ("boxed", r"\boxed 7", "7", "7"),
    ("boxed", r"$-\boxed{7}$", "malformed_answer", "malformed_answer"),
    ("boxed", "7", "no_answer", "no_answer"),
    ("boxed", r"\boxed{}", "", ""),
    ("boxed", r"} \fbox{7} {", "7", "7"),
    ("boxed", r"\boxed{7}<|im_end|>", "7", "7"),
    ("boxed", r"\\boxed{7}", "no_answer", "no_answer"),
    ("hash", "3+4=7\n#### 7", "7", "7"),
    ("hash", "#### 7\n", "7", "7"),
    ("hash", "#### 6\n#### 7", "hedged", "hedged"),
    ("hash", "#### 7\n#### 7", "7", "7"),
    ("hash", "#### 7\nbye", "extra_text_outside_tags", "7"),
    ("hash", "so #### 7", "no_answer", "no_answer"),
    ("hash", "##### 7", "no_answer", "no_answer"),
    ("hash", "#### **7**", "7", "7"),
    ("hash", r"#### \boxed{7}", "7", "7"),
    ("hash", "#### $18", "$18", "$18"),
    ("formula", r"so $x = 7$.", r"x = 7", r"x = 7"),
    ("formula", r"\boxed{7} or \boxed{8}", r"\boxed{7} or \boxed{8}", r"\boxed{7} or \boxed{8}"),
    ("formula", r"\boxed{7} apples", r"7", r"7"),
    ("formula", r"\[ 3+4 = 7 \]", r"3+4 = 7", r"3+4 = 7"),
    ("formula", r"Thus $a$ is $2$ and $3$.", r"$2$ and $3$", r"$2$ and $3$"),
    ("formula", r"So it costs 7 dollars.", r"7 dollars", r"7 dollars"),
    ("formula", r"-5", r"-5", r"-5"),
    ("formula", r"\boxed{7}. Wait, no.", r"hedged", r"hedged"),
    ("formula", r"It is not $7$.", r"no_answer", r"no_answer"),
    ("formula", r"If $x = 7$.", r"no_answer", r"no_answer"),
    ("formula", r"<think>$7$</think>", r"no_answer", r"no_answer"),
    ("formula", r"\boxed{7", r"truncated", r"truncated"),
    ("formula", "we see $7$ here", "no_answer", "7"),
    ("last_number", "3 + 4 = 7 apples.", "7", "7"),
    ("last_number", "it is -7", "-7", "-7"),
    ("last_number", "pages 3-4", "4", "4"),
    ("last_number", "about 1,234.5e-3!", "1,234.5e-3", "1,234.5e-3"),
    ("last_number", "1,2,3", "3", "3"),
    ("last_number", "3/4.", "3/4", "3/4"),
    ("last_number", "on 9/11/2001", "9/11/2001", "9/11/2001"),
    ("last_number", "7 of H2O and x_1", "7", "7"),
    ("last_number", "7 or 8", "hedged", "hedged"),
    ("last_number", "seven", "no_answer", "no_answer"),
    ("last_number", "<think>9</think> 7 <think>8</think>", "7", "7"),
    ("last_number", ".5", ".5", ".5"),
    ("last_line", "so\n 7 \n\n", "7", "7"),
    ("last_line", "", "no_answer", "no_answer"),
    ("last_line", "7\n<think>no", "truncated", "truncated"),
    ("whole", " 7 </s>", "7 </s>", "7 </s>"),
    ("whole", "<think>3</think>7", "7", "7"),
    ("whole", "3</think>7", "7", "7"),
    ("whole", "<think>3", "truncated", "truncated"),
    ("auto", "<answer>7</answer>", "7", "7"),
    ("auto", r"<answer>\boxed{7}</answer>", "7", "7"),
    ("auto", r"\boxed{8} <answer>7</answer>", "hedged", "hedged"),
    ("auto", r"\boxed{7} <answer>7</answer>", "7", "7"),
    ("auto", r"\boxed{7} <answer>8", "truncated", "truncated"),
    ("auto", "\\boxed{8}\n#### 7", "extra_text_outside_tags", "hedged"),
    ("auto", "so\n#### 7", "7", "7"),
    ("auto", "The answer is **7**.", "7", "7"),
    ("auto", "The final answer is: $7$.\n", "7", "7"),
    ("auto", "The answer is 7. It follows.", "7. It follows.", "7"),
    ("auto", "the answer is 6.\nNo, the answer is 7.", "hedged", "hedged"),
    ("auto", "**Answer:** 7", "7", "7"),
    ("auto", "7", "no_answer", "no_answer"),
    ("auto", "that answer is 7", "no_answer", "no_answer"),
];

#[test]
fn each_way_reads_each_shape_as_the_table_says() {
    for (extract, text, strict, lenient) in SHAPES {
        assert_eq!(read(&reader(extract, "strict"), text), strict, "{extract}, strict: {text}");
        assert_eq!(read(&reader(extract, "lenient"), text), lenient, "{extract}, lenient: {text}");
    }
    for (extract, text, clean) in [
        ("boxed", r" $\boxed{7}$. ", "7"),
        ("boxed", r"so \boxed{7}", "extra_text_outside_tags"),
        ("last_number", "so 7", "extra_text_outside_tags"),
        ("last_line", "so\n7", "extra_text_outside_tags"),
        ("last_line", "7\n", "7"),
    ] {
        assert_eq!(read(&reader(extract, "clean"), text), clean, "{extract}, clean: {text}");
    }
}

/// Texts with two marked answers, in every combination of marks.
fn marked_twice(one: &str, other: &str) -> Vec<String> {
    const MARKS: [&str; 9] = [
        r"\boxed{%}",
        r"So the value is $\boxed{%}$.",
        "#### %",
        "The answer is %.",
        "The final answer is $%$.",
        "Answer: %",
        "**Final Answer:** $%$",
        "<answer>%</answer>",
        r"\fbox{%}",
    ];
    let mut texts = Vec::new();
    for first in MARKS {
        for second in MARKS {
            for between in ["\n", " ", "\n\nSome more words here.\n\n"] {
                texts.push(first.replace('%', one) + between + &second.replace('%', other));
            }
        }
    }
    texts
}

#[test]
fn two_answers_by_any_two_marks_are_not_paid() {
    for (name, options) in [
        ("math_equal", json!({})),
        ("math_equal", json!({"reading": "lenient"})),
        ("math_equal", json!({"extract": "formula"})),
        ("math_equal", json!({"extract": "formula", "reading": "lenient"})),
        ("number_equal", json!({"extract": "auto"})),
        ("number_equal", json!({"extract": "auto", "reading": "lenient"})),
        ("exact_match", json!({"extract": "auto"})),
        ("exact_match", json!({"extract": "auto", "reading": "lenient"})),
    ] {
        let verifier = Verifier::new(name, options.as_object().unwrap()).unwrap();
        let passes = |text: &str, reference| verifier.judge(text, reference).unwrap().passed;
        for text in marked_twice("31", "47") {
            assert!(!passes(&text, "31") && !passes(&text, "47"), "{name}, {options}: {text}");
        }
        // The same answer by two marks is one, where text may follow it.
        if options["reading"] == "lenient" {
            let refused: Vec<String> = marked_twice("31", "31")
                .into_iter()
                .filter(|text| text.contains("\n\n") && !passes(text, "31"))
                .collect();
            assert!(refused.len() <= 2, "{name}, {options}: {refused:#?}");
        }
    }
}

#[test]
fn the_docs_have_the_same_table() {
    let docs = include_str!("../../../../docs/verifiers.md");
    let cell = |text: &str| {
        let text = text.replace('\n', "\\n").replace('|', "\\|");
        if text.is_empty() { "(empty)".to_owned() } else { format!("`{text}`") }
    };
    for (extract, text, strict, lenient) in SHAPES {
        let row = format!("| `{extract}` | {} | {} | {} |", cell(text), cell(strict), cell(lenient));
        assert!(docs.contains(&row), "docs/verifiers.md lacks the row\n{row}");
    }
}

#[test]
fn long_and_deep_texts_are_read_in_linear_time() {
    let many = 100_000;
    for text in [
        r"\boxed{".repeat(many),
        r"\boxed{7} ".repeat(many),
        r"\boxed{".repeat(many) + &"}".repeat(many),
        "{".repeat(many),
        "}".repeat(many),
        "\\".repeat(many),
        "####\n".repeat(many),
        "1,".repeat(many),
        "1/".repeat(many),
        "1e".repeat(many),
        "7".repeat(many),
        "the answer is ".repeat(many),
        "answer:".repeat(many),
        "<think>".repeat(many),
        "</think>".repeat(many),
        "<answer>".repeat(many),
        "<think></think>".repeat(many),
        "é".repeat(many),
        " ".repeat(many),
        "$".repeat(many),
        "$x$ ".repeat(many),
        "$5 and ".repeat(many),
        r"\(".repeat(many),
        r"\[ x \]".repeat(many),
        r"\begin{align}".repeat(many),
        r"\begin{align*} 1 \\ 2 \end{align*}".repeat(many / 10),
        "the answer is $5$.\n".repeat(many),
        "x = ".repeat(many),
        "5 or ".repeat(many),
        "5. Wait. ".repeat(many),
        r"\boxed{1} and ".repeat(many),
        r"\boxed{1}= ".repeat(many),
        r"\boxed 1 ".repeat(many),
        r"$-\boxed{1}$ ".repeat(many),
        "1 #### 1 ".repeat(many),
        "Answer: 1. ".repeat(many),
        "\\boxed{1} So it is 1, ".repeat(many),
        "\\boxed{1}".to_owned() + &"\\quad\\end{".repeat(many),
    ] {
        for extract in Extract::ALL {
            for reading in Reading::ALL {
                reader(extract.name(), reading.name()).judge(&text, "7").unwrap();
            }
        }
    }
}
