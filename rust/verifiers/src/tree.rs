//! Drawings of trees, as directory trees are drawn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{About, Example, Metric, passes};
use kit::budget::Budget;
use kit::shared::tree_text::{self, Comparison};
use kit::similarity::lines;
use kit::task::answer::{self, Reading, Reply};
use kit::task::verdict::{Failure, Graded, Part, Pass, label};

kit::params! {
    pub struct AsciiTree {
        /// "strict": the same drawing, line by line. "compat": SYNTHETIC-2's reward, which reads the first
        /// tag block whatever the reading; passes at 1. "structural": the same tree in any drawing.
        scorer: Scorer,
    }
    default (Scorer::default())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Scorer {
    #[default]
    Strict,
    Compat,
    Structural,
}

static STRUCTURE: [Part; 4] = [
    Part { name: "node_f1", means: "F1 over names" },
    Part { name: "edge_f1", means: "F1 over names with their parents" },
    Part { name: "order", means: "F1 over names with their parents and the siblings before them" },
    Part { name: "depth", means: "F1 over names with their depths" },
];

impl Metric for AsciiTree {
    const ABOUT: About = About {
        name: "ascii_tree",
        summary: "The same drawing of a tree, or another drawing of the same tree.",
        tag: Some("ascii_formatted"),
        reading: Reading::Clean,
        example: Example::ONE,
    };

    type Reference<'a> = &'a str;

    fn reference<'a>(&self, text: &'a str, _: &mut Budget) -> Result<&'a str, String> {
        let drawn = tree_text::strip(text);
        if drawn.is_empty() { Err("must be the drawing of a tree".into()) } else { Ok(drawn) }
    }

    fn parts(&self) -> &'static [Part] {
        if self.scorer == Scorer::Structural { &STRUCTURE } else { &[] }
    }

    fn read<'a>(&self, text: &'a str, tag: &str, reading: Reading) -> Reply<'a> {
        if self.scorer != Scorer::Compat {
            return answer::read(text, tag, reading);
        }
        let answer = tree_text::compat_answer(text, tag);
        let faults = if answer.is_none() { vec![label::MISSING_OR_BROKEN_TAGS] } else { Vec::new() };
        Reply { text, answer, faults, one_tag: false, alone: false }
    }

    fn compare(&self, answer: &str, reference: &&str, budget: &mut Budget) -> Graded {
        match self.scorer {
            Scorer::Strict => passes(tree_text::strict(answer, reference), answer, reference),
            Scorer::Compat => {
                let (answer, reference) = (lines(answer), lines(reference));
                let comparison = Comparison::new(&answer, &reference, budget)?;
                let reward = tree_text::compat_of(&comparison, &answer, reference.len());
                if reward >= 1.0 {
                    return Ok(Pass::new());
                }
                Err(Failure::wrong(format!("the reward is {reward:.3}")).score(reward as f32))
            }
            Scorer::Structural => {
                let found = tree_text::structural(answer, reference, budget)?;
                let parts = [
                    ("node_f1", found.node_f1 as f32),
                    ("edge_f1", found.edge_f1 as f32),
                    ("order", found.order as f32),
                    ("depth", found.depth as f32),
                ];
                let right = tree_text::parse(answer) == tree_text::parse(reference);
                match passes(right, answer, reference) {
                    Ok(_) => Ok(Pass { parts: parts.to_vec() }),
                    Err(failure) => {
                        Err(Failure { parts: parts.to_vec(), ..failure.score(found.edge_f1 as f32) })
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Verifier;
    use super::super::tests::{assert_judges, assert_refuses, untagged};

    const REFERENCE: &str = "main\n +--java\n |   `--org\n `--webapp";
    const BOXED: &str = "main\n├── java\n│   └── org\n└── webapp";

    fn tree(scorer: &str) -> Verifier {
        untagged("ascii_tree", &json!({ "scorer": scorer }))
    }

    #[test]
    fn trees_are_judged_by_drawing_by_reward_or_by_structure() {
        for (scorer, boxed) in [("strict", false), ("compat", false), ("structural", true)] {
            let wrong = [
                ("", REFERENCE),
                ("main", REFERENCE),
                ("main\n `--java", REFERENCE),
                ("main\n +--java\n +--org\n `--webapp", REFERENCE),
                ("main\n +--webapp\n `--java\n     `--org", REFERENCE),
                ("main\n +--java\n |   `--org\n +--webapp\n `--extra", REFERENCE),
                ("Main\n +--java\n |   `--org\n `--webapp", REFERENCE),
                ("java org webapp main", REFERENCE),
            ];
            assert_judges(&tree(scorer), &wrong, &[(REFERENCE, REFERENCE)]);
            assert_eq!(tree(scorer).judge(BOXED, REFERENCE).unwrap().passed, boxed, "{scorer}");
            assert_refuses(&tree(scorer), &["", " \n\u{1c}"]);
        }
        assert!(tree("compat").judge(BOXED, REFERENCE).unwrap().score < 0.2);
        let moved = tree("structural").judge("main\n +--java\n +--org\n `--webapp", REFERENCE).unwrap();
        assert!(moved.parts[0].1 >= 1.0 && moved.score < 1.0);
    }

    #[test]
    fn compat_reads_the_first_block_whatever_stands_around_it() {
        let options = json!({"tag": "t", "scorer": "compat"});
        let verifier = Verifier::new("ascii_tree", options.as_object().unwrap()).unwrap();
        let right = format!("<t>\n{REFERENCE}\n</t>");
        for (text, passes) in [
            (format!("<t>main</t>{right}"), false),
            (format!("<t>{REFERENCE}"), false),
            (REFERENCE.to_owned(), false),
            (format!("Well: {right}. <t>main</t>"), true),
            (right.clone() + "<|im_end|>", true),
        ] {
            assert_eq!(verifier.judge(&text, REFERENCE).unwrap().passed, passes, "{text}");
        }
    }
}
