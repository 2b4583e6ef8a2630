//! The corpora of pairs, the table of the docs, and attacks that are too long for them.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use super::super::Verifier;
use super::super::tests::{assert_judges, assert_refuses, untagged};

const PLAIN: &str = include_str!("../../../../tests/golden/maths/plain.jsonl");
const HOSTILE: &str = include_str!("../../../../tests/golden/maths/hostile.jsonl");
const NEAR: &str = include_str!("../../../../tests/golden/maths/near.jsonl");
const COMPLETIONS: &str = include_str!("../../../../tests/golden/maths/completions.jsonl");
const SPELLINGS: &str = include_str!("../../../../tests/golden/maths/spellings.jsonl");
const FRESH: &str = include_str!("../../../../tests/golden/maths/fresh.jsonl");
const DOCS: &str = include_str!("../../../../docs/maths.md");

fn verifier() -> Verifier {
    untagged("math_equal", &json!({}))
}

fn labels(answer: &str, reference: &str) -> Vec<&'static str> {
    verifier().judge(answer, reference).unwrap_or_else(|must| panic!("{reference}: {must}")).failures
}

#[test]
fn every_pair_of_the_corpora_is_judged_as_it_says() {
    let verifier = verifier();
    let mut failures = Vec::new();
    let rows = PLAIN.lines().chain(HOSTILE.lines()).chain(NEAR.lines());
    for line in rows.clone() {
        let row: Json = serde_json::from_str(line).expect("a line is JSON");
        let text = |name: &str| row[name].as_str().expect("text");
        let (reference, answer) = (text("reference"), text("answer"));
        assert!(!text("why").is_empty(), "{line}");
        let passes = row["passes"].as_bool().expect("a verdict");
        match verifier.judge(answer, reference) {
            Ok(verdict) if verdict.passed == passes => {
                assert_eq!(verdict.detail.is_empty(), passes, "{answer} for {reference}");
            }
            Ok(verdict) => failures.push(format!("{reference:.60} | {answer:.80} | {:?}", verdict.failures)),
            Err(must) => failures.push(format!("{reference:.60} | {answer:.80} | {must}")),
        }
    }
    assert!(rows.count() >= 400);
    assert!(failures.is_empty(), "{} pairs:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_pair_of_the_table_in_the_docs_is_judged_as_it_says() {
    let mut pairs = 0;
    for line in DOCS.lines().filter(|line| line.starts_with("| `")) {
        let line = line.replace("\\|", "\u{1}");
        let cells: Vec<Vec<String>> = line
            .trim_matches('|')
            .split('|')
            .map(|cell| cell.split('`').skip(1).step_by(2).map(|code| code.replace('\u{1}', "|")).collect())
            .collect();
        let [reference, right, wrong] = &cells[..] else { panic!("{line}") };
        let with_reference = |answers: &[String]| {
            answers.iter().map(|answer| (answer.clone(), reference[0].clone())).collect()
        };
        let (wrong, right): (Vec<_>, Vec<_>) = (with_reference(wrong), with_reference(right));
        let borrowed = |pairs: &[(String, String)]| -> Vec<(&'static str, &'static str)> {
            pairs.iter().map(|(one, other)| (&*one.clone().leak(), &*other.clone().leak())).collect()
        };
        assert_judges(&verifier(), &borrowed(&wrong), &borrowed(&right));
        pairs += wrong.len() + right.len();
    }
    assert!(pairs > 150, "{pairs}");
}

/// The verdict of a verifier on each row of the corpus of completions, under these options and its own.
fn verdicts_on_completions(options: &[(&str, &str)]) -> Vec<(Json, bool)> {
    let row = |line: &str| {
        let row: Json = serde_json::from_str(line).expect("a line is JSON");
        let mut own = row["options"].as_object().cloned().unwrap_or_default();
        own.extend(options.iter().map(|(name, value)| ((*name).to_owned(), json!(value))));
        let verifier = Verifier::new("math_equal", &own).expect("the options are right");
        let text = |name: &str| row[name].as_str().expect("text");
        let passed =
            verifier.judge(text("completion"), text("reference")).is_ok_and(|verdict| verdict.passed);
        (row, passed)
    };
    COMPLETIONS.lines().map(row).collect()
}

#[test]
fn completions_are_judged_as_a_careful_reader_does() {
    let formula = verdicts_on_completions(&[("extract", "formula")]);
    let default = verdicts_on_completions(&[]);
    let lenient = verdicts_on_completions(&[("reading", "lenient")]);
    let mut failures = Vec::new();
    let mut table = BTreeMap::<&str, [usize; 3]>::new();
    for (at, (row, passed)) in formula.iter().enumerate() {
        let expected = row["passes"].as_bool().expect("a verdict");
        assert!(
            row["source"].is_string() && (row["why"].is_string() || row["source"] != "own" || expected),
            "{row}"
        );
        let counts = table.entry(row["style"].as_str().expect("a style")).or_default();
        counts[0] += 1;
        counts[1] += usize::from(*passed == expected);
        counts[2] += usize::from(default[at].1 == expected);
        for (mode, passed) in [("formula", *passed), ("default", default[at].1), ("lenient", lenient[at].1)] {
            if passed && !expected {
                failures.push(format!("PAID by {mode}: {row}"));
            }
        }
        if !passed && expected {
            failures.push(format!("refused: {row}"));
        }
    }
    let total = table.values().fold([0; 3], |sum, counts| [0, 1, 2].map(|at| sum[at] + counts[at]));
    table.insert("all", total);
    let lines: Vec<String> = table
        .iter()
        .map(|(style, [cases, formula, default])| format!("| {style} | {cases} | {formula} | {default} |"))
        .collect();
    let told = || format!("{}\n{}", failures.join("\n"), lines.join("\n"));
    assert!(!failures.iter().any(|failure| failure.starts_with("PAID")), "{}", told());
    assert!(formula.len() >= 400 && 100 * total[1] >= 97 * total[0], "{}", told());
    for line in &lines {
        assert!(DOCS.contains(line), "docs/maths.md lacks a row of this table:\n{}", told());
    }
}

/// Rows of a corpus that a setting pays wrongly and that it refuses though they are right.
fn mistakes(corpus: &str, options: &Json) -> [Vec<String>; 2] {
    let verifier =
        Verifier::new("math_equal", options.as_object().expect("options")).expect("they are right");
    let mut found = [Vec::new(), Vec::new()];
    for line in corpus.lines() {
        let row: Json = serde_json::from_str(line).expect("a line is JSON");
        let text = |name: &str| row[name].as_str().expect("text");
        let wanted = row["passes"].as_bool().expect("a verdict");
        let passed =
            verifier.judge(text("completion"), text("reference")).is_ok_and(|verdict| verdict.passed);
        if passed != wanted {
            found[usize::from(wanted)].push(format!("{} | {}", text("reference"), text("completion")));
        }
    }
    found
}

#[test]
fn every_spelling_is_judged_as_it_says() {
    assert!(SPELLINGS.lines().count() >= 800);
    for options in [json!({}), json!({"extract": "formula"}), json!({"reading": "lenient"})] {
        let [paid, refused] = mistakes(SPELLINGS, &options);
        assert!(paid.is_empty() && refused.is_empty(), "{options}: paid {paid:#?}, refused {refused:#?}");
    }
}

#[test]
fn fresh_pairs_are_judged_as_the_docs_say() {
    let count = FRESH.lines().count();
    for (name, options) in [
        ("default", json!({})),
        ("formula", json!({"extract": "formula"})),
        ("lenient", json!({"reading": "lenient"})),
    ] {
        let [paid, refused] = mistakes(FRESH, &options);
        let row = format!("| {name} | {count} | {} | {} |", paid.len(), refused.len());
        assert!(
            DOCS.contains(&row),
            "docs/maths.md lacks the row\n{row}\npaid {paid:#?}, refused {refused:#?}"
        );
    }
}

#[test]
fn a_refusal_has_the_label_that_tells_why() {
    for (reference, answer, label) in [
        ("\\{1,2\\}", "1", "missing_solutions"),
        ("12\\text{ cm}", "12 apples", "wrong_unit"),
        ("5\\text{ apples}", "5 cm", "wrong_unit"),
        ("\\{1,2\\}", "\\{1\\}", "missing_solutions"),
        ("\\pm 2", "2", "missing_solutions"),
        ("\\{1,2\\}", "1, 2, 3", "extra_solutions"),
        ("7", "7, 8", "extra_solutions"),
        ("7", "7 or 8", "hedged"),
        ("8", "2+2 = 4 = 8", "hedged"),
        ("7", "5 or 6", "wrong_answer"),
        ("1/3", "0.33", "wrong_precision"),
        ("3.14", "3.1", "wrong_precision"),
        ("\\pi", "3.14", "wrong_precision"),
        ("5 km", "5\\text{ m}", "wrong_unit"),
        ("5", "6", "wrong_answer"),
        ("5", "\\input{x}", "malformed_answer"),
        ("5", "1/0", "malformed_answer"),
        ("5", "9^{9^{9^{9}}}", "over_budget"),
        ("1", "1+e^{-10000}", "wrong_answer"),
        ("\\frac{\\pi}{2}", "\\arctan(e^{e^{9}})", "over_budget"),
        ("\\gcd(m,n)", "\\gcd(m,(10^9+7)n)", "over_budget"),
        ("12", "12\\text{ pairs}", "wrong_unit"),
        ("1", "\\sqrt{1+e^{-10000}}", "over_budget"),
    ] {
        assert_eq!(labels(answer, reference), [label], "{answer} for {reference}");
    }
    let told = verifier().judge("3 + \\input{x}", "5").unwrap().detail;
    assert!(told.contains(r"`\input` at character 5 is not read"), "{told}");
}

#[test]
fn what_is_only_tested_says_so() {
    let proven = |answer: &str, reference: &str| {
        let verdict = verifier().judge(answer, reference).unwrap();
        assert!(verdict.passed, "{answer} for {reference}: {}", verdict.detail);
        verdict.parts[0].1 > 0.5
    };
    for (answer, reference) in [
        ("2/4", "1/2"),
        ("\\sqrt{5+2\\sqrt{6}}", "\\sqrt{2}+\\sqrt{3}"),
        ("(x+1)^2", "x^2+2x+1"),
        ("\\sqrt{8}x", "2\\sqrt{2}x"),
        ("2\\sin x \\cos x - \\sin x \\cos x", "\\sin x \\cos x"),
        ("\\lfloor (n+1)/2\\rfloor", "\\lceil n/2\\rceil"),
        ("\\lfloor n/2\\rfloor\\lceil n/2\\rceil", "\\lfloor n^2/4\\rfloor"),
        ("\\ln 8", "3\\ln 2"),
    ] {
        assert!(proven(answer, reference), "{answer} for {reference}");
    }
    for (answer, reference) in
        [("2\\sin x\\cos x", "\\sin 2x"), ("\\sqrt{x^2}", "|x|"), ("\\sin 1", "\\cos(\\frac{\\pi}{2}-1)")]
    {
        assert!(!proven(answer, reference), "{answer} for {reference}");
    }
}

#[test]
fn options_change_what_passes() {
    assert_judges(
        &untagged("math_equal", &json!({"rounded": false})),
        &[("\\pi", "3.14"), ("3.141", "3.14")],
        &[("3.140", "3.14")],
    );
    assert_judges(
        &untagged("math_equal", &json!({"tolerance": 0.1})),
        &[("3.25", "\\pi"), ("0.9", "1.001"), ("x+0.01", "x"), ("1.2, 2", "1, 2")],
        &[("3.2", "\\pi"), ("1.1", "1"), ("0.9", "1"), ("2, 1.1", "1, 2"), ("\\sqrt{2}", "1.5")],
    );
    assert_judges(
        &untagged("math_equal", &json!({"require_units": true})),
        &[
            ("5", "5 km"),
            ("5 m", "5 km"),
            ("5", "5\\%"),
            ("0.05", "5\\%"),
            ("90", "90^\\circ"),
            ("5 pears", "5 apples"),
        ],
        &[
            ("5 km", "5 km"),
            ("5 kilometers", "5\\text{ km}"),
            ("5%", "5\\%"),
            ("5 apples", "5 apples"),
            ("5", "5"),
        ],
    );
}

#[test]
fn a_reference_must_have_a_value() {
    assert_refuses(
        &verifier(),
        &[
            "",
            "1/0",
            "\\frac{0}{x-x}",
            "\\ln 0",
            "\\input{x}",
            "\\frac{1}{",
            "0^0",
            "9^{9^{9}}",
            "x2",
            "\\int_0^1 x\\,dx",
        ],
    );
    let deep = format!("{}1{}", "(".repeat(200), ")".repeat(200));
    assert_refuses(&verifier(), &[&deep, &"7".repeat(70_000)]);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a list of attacks")]
fn long_and_deep_texts_are_judged_in_bounded_work() {
    const LENGTH: usize = 65_000;
    let many = |unit: &str| unit.repeat(LENGTH / unit.len());
    let chain = |unit: &str, last: &str| many(unit) + last;
    let nested = |open: &str, inner: &str, close: &str| {
        let depth = LENGTH / (open.len() + close.len());
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    let counted = |count: usize, of: &dyn Fn(usize) -> String, joint: &str| {
        (1..=count).map(of).collect::<Vec<_>>().join(joint)
    };
    let mut attacks: Vec<String> = [
        "9",
        "9^",
        "(",
        ")",
        "{",
        "[",
        "\\{",
        "|",
        "-",
        "!",
        "'",
        "^2",
        "²",
        "$",
        "`",
        "*",
        ";",
        "\\",
        "\\\\",
        "_",
        "x_",
        "\\boxed{",
        "\\boxed{1}",
        "\\text{",
        "\\text{a b}",
        "\\sqrt",
        "\\sqrt{",
        "\\frac12",
        "\\sin ",
        "\\left",
        "\\left(",
        "\\overline{",
        "\\vec{a}",
        "\\begin{pmatrix}",
        "\\mathbb{R}",
        "\\equiv 1 ",
        "\\pmod 5",
        "\\in ",
        "\\lfloor",
        "\\pm 1 ",
        "apple ",
        "12 ",
        "and ",
        "1 mod ",
        "é",
        " ",
        "\\,",
        "10^{",
        "<think>",
        "\\input{x}",
        "(A) ",
        "A. ",
        "{\\rm ",
        "\\rm{",
        "\\mathbf{1+",
        "\\text{1 ",
        "\\text{a and }",
        "\\color{red}",
        "\\left\\{\\begin{array}",
        "\\begin{cases}1&",
        "\\forall x",
        "for all x ",
        ", k\\in\\mathbb{Z}",
        "k\\ge 1,",
        "\\frac{\\mathrm{m}}{",
        "1\\text{ h }",
        "]1;",
        "one hundred ",
        "the sum is ",
        "1 million ",
        "2^n3^",
        "\\sum ",
    ]
    .map(many)
    .into();
    for (unit, last) in [
        ("1+", "1"),
        ("x+", "x"),
        ("x*", "x"),
        ("1/", "1"),
        ("x/", "x"),
        ("1,", "1"),
        ("{1},", "1"),
        ("(1,2),", "(1,2)"),
        ("\\sin x+", "1"),
        ("|x|+", "1"),
        ("x=", "1"),
        ("2=", "2"),
        ("1<", "2"),
        ("x<", "2"),
        ("1 or ", "2"),
        ("x=1 or ", "x=2"),
        ("(1,2)\\cup", "(3,4)"),
        ("e^{i\\pi}+", "1"),
        ("1.5+", "1"),
        ("3!+", "1"),
        ("\\lfloor n/7\\rfloor+", "1"),
        ("\\max(x,1)+", "1"),
        ("n!+", "1"),
        ("2^x+", "1"),
        ("\\frac{x}{y}+", "1"),
        ("\\{1\\},", "\\{1\\}"),
    ] {
        attacks.push(chain(unit, last));
    }
    for (open, inner, close) in [
        ("\\lfloor ", "n", "\\rfloor"),
        ("\\max(x,", "y", ")"),
        ("\\min(x,", "y", ")"),
        ("\\gcd(m,", "n", ")"),
        ("lcm(m,", "n", ")"),
    ] {
        // The deepest nesting that is read.
        for depth in [5, 20, 50] {
            attacks.push(format!("{}{inner}{}", open.repeat(depth), close.repeat(depth)));
        }
    }
    for (open, inner, close) in
        [("(", "1", ")"), ("{", "1", "}"), ("\\frac{1}{", "1", "}"), ("\\sqrt{", "2", "}"), ("x^{", "x", "}")]
    {
        attacks.push(nested(open, inner, close));
    }
    for (count, of, joint) in [
        (4_000, &(|at: usize| format!("({},{})", 2 * at, 2 * at + 1)) as &dyn Fn(usize) -> String, "\\cup"),
        (10_000, &|at| at.to_string(), ","),
        (5_000, &|at| format!("x_{{{at}}}"), "+"),
        (4_000, &|at| format!("\\sqrt{{{at}}}"), "+"),
        (4_000, &|at| format!("\\sin {at}"), "+"),
        (3_000, &|at| format!("\\frac{{1}}{{x+{at}}}"), "+"),
        (3_000, &|at| format!("\\frac{{1}}{{{at}}}"), "+"),
        (3_000, &|at| format!("(n+{at})!"), "+"),
        (3_000, &|at| format!("{at}^x"), "+"),
    ] {
        attacks.push(counted(count, of, joint));
    }
    for power in [
        "(x+1)^{1000}",
        "(x+y+z)^{200}",
        "x^{4294967296}",
        "2^{262144}",
        "4000!",
        "1000000!",
        "\\binom{4000}{2000}",
        "\\sin(10^{1000})",
        "e^{10^9}",
        "\\sqrt[999]{x}",
        "2^{1/100000}",
        "1e60000",
        "1e-60000",
        "9**9**9**9",
        "(\\sqrt{2}+\\sqrt{3}+\\sqrt{5}+\\sqrt{7}+\\sqrt{11})^{50}",
        "\\tan(\\tan(\\tan(\\tan(x))))",
        "(\\sin x+\\cos x)^{60}",
        "\\lfloor n/600\\rfloor+\\lfloor n/599\\rfloor",
        "\\lfloor x/500\\rfloor+\\lfloor x/499\\rfloor",
        "\\lfloor a/2\\rfloor+\\lfloor b/3\\rfloor+\\lfloor c/5\\rfloor+\\lfloor d/7\\rfloor",
        "\\lfloor 2^{n!}/3\\rfloor",
        "\\lfloor\\ln(\\lfloor\\sqrt{n}\\rfloor+n!)\\rfloor",
        "\\gcd(10^{9999},3^{9999},x)",
        "\\sqrt{2}+\\sqrt{3}+\\sqrt{5}+\\sqrt{7}+\\sqrt{11}+\\sqrt{13}+\\sqrt{17}+\\sqrt{19}",
    ] {
        attacks.push(power.to_owned());
    }
    let verifier = verifier();
    for reference in
        ["1", "\\sqrt{2}+\\sqrt{3}", "\\sin x", "x>2", "yes", "\\lfloor n/3\\rfloor", "\\max(x,y+1)"]
    {
        for attack in &attacks {
            let verdict = verifier.judge(attack, reference).expect("the reference is one");
            assert!(!verdict.passed, "{attack:.60} for {reference}");
        }
    }
}
