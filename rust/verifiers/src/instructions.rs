//! Instructions for the text of an answer.

use super::{About, Example, Metric};
use kit::budget::Budget;
use kit::error::quoted;
use kit::params::Params;
use kit::shared::instructions::{Constraint, Typography};
use kit::task::answer::Reading;
use kit::task::verdict::{Failure, Graded, Pass, label};

kit::params! {
    pub struct Instructions {
        /// Constraints on every answer; references are then ignored. Without it, each reference is a JSON
        /// list of constraints.
        constraints: Vec<Constraint>,
    }
    default (Vec::new())
    check Self::consistent;
}

impl Instructions {
    fn consistent(&self) -> Result<(), String> {
        let mistake =
            self.constraints.iter().enumerate().find_map(|(at, one)| Some((at, one.check().err()?)));
        mistake.map_or(Ok(()), |(at, told)| Err(format!("`constraints[{at}]`: {told}")))
    }
}

impl Metric for Instructions {
    const ABOUT: About = About {
        name: "instructions",
        summary: "What follows every instruction of a list; the score is the share that is followed.",
        tag: None,
        reading: Reading::Strict,
        example: Example {
            reference: r#"[{"kind": "words", "min": 2}, {"kind": "ends_with", "text": "end"}]"#,
            right: "the end",
            wrong: "end",
        },
    };

    type Reference<'a> = Vec<Constraint>;

    fn reference(&self, text: &str, _: &mut Budget) -> Result<Vec<Constraint>, String> {
        if !self.constraints.is_empty() {
            return Ok(self.constraints.clone());
        }
        let constraints: Vec<Constraint> = serde_json::from_str(text)
            .map_err(|error| format!("must be a JSON list of constraints: {}", quoted(&error.to_string())))?;
        if constraints.is_empty() {
            return Err("must have a constraint".into());
        }
        match (Self { constraints: constraints.clone() }).check() {
            Ok(()) => Ok(constraints),
            Err(told) => Err(format!("must have constraints that can be met and missed, and {told}")),
        }
    }

    fn compare(&self, answer: &str, reference: &Vec<Constraint>, budget: &mut Budget) -> Graded {
        if answer.is_empty() {
            return Err(Failure::new(label::NO_ANSWER, "there is no text"));
        }
        let mut broken = Vec::new();
        for (at, constraint) in reference.iter().enumerate() {
            if let Err(told) = constraint.judge(answer, Typography::Prose, budget)? {
                broken.push(format!("instruction {}: {told}", at + 1));
            }
        }
        if broken.is_empty() {
            return Ok(Pass::new());
        }
        let followed = (reference.len() - broken.len()) as f32 / reference.len() as f32;
        Err(Failure::new(label::CONSTRAINT_VIOLATED, broken.join("; ")).score(followed))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Verifier;
    use super::super::tests::{assert_refuses, untagged};

    #[test]
    fn instructions_are_judged_one_by_one_and_together() {
        let reference = r#"[{"kind": "words", "max": 3}, {"kind": "no_commas"}, {"kind": "json_only"}]"#;
        let judge = untagged("instructions", &json!({}));
        let verdict = judge.judge("1, 2", reference).unwrap();
        assert_eq!(verdict.failures, ["constraint_violated"]);
        assert!((verdict.score - 1.0 / 3.0).abs() < 1e-6);
        assert_eq!(verdict.detail, "instruction 2: there is a comma; instruction 3: it is not JSON alone");
        assert!(judge.judge("12", reference).unwrap().passed);
        // Nothing follows no instruction.
        for text in ["", "<think>12</think>"] {
            assert_eq!(judge.judge(text, reference).unwrap().failures, ["no_answer"]);
        }
        assert_refuses(&judge, &["", "[]", "{}", "[{}]", r#"[{"kind": "words"}]"#, r#"[{"kind": "word"}]"#]);
    }

    /// Texts that the published checkers of such instructions mean to refuse, and texts that they mean to accept.
    #[test]
    fn texts_are_read_as_people_read_them() {
        let judge = untagged("instructions", &json!({}));
        let follows = |constraint: &serde_json::Value, text: &str| {
            judge.judge(text, &json!([constraint]).to_string()).unwrap()
        };
        let exactly = |kind: &str, count: u32| json!({"kind": kind, "min": count, "max": count});
        let word = |word: &str| json!({"kind": "keywords", "words": [word]});
        for (constraint, broken, met) in [
            (word("学校"), "我今天去学", "我今天去学校上课了"),
            (word("AI"), "PAID", "使用AI技术"),
            (word("학교"), "초등학교에", "학교에 갔다"),
            (word("हिन"), "हिन्दी", "हिन है"),
            (word("café"), "cafe", "the cafe\u{301} is open"),
            (word("don't"), "dont", "I don’t"),
            (word("secret"), "secret_key secretly", "the _secret_ is out"),
            (word("secret"), "se*crets*", "the se**cr**et"),
            (word("foo"), "food*bar", "foo*bar baz"),
            (word("machine learning"), "machine\n\nlearning", "We use machine\nlearning here"),
            (word("machine learning"), "* machine\n* learning", "machine\u{a0}**learning**"),
            (word("well-known"), "well known", "well\u{2011}known"),
            (word("*"), "2 + 3", "2 * 3"),
            (exactly("words", 9), "我今天", "我今天去学校上课了"),
            (exactly("words", 3), "iPhone", "iPhone 手机"),
            (exactly("words", 4), "well-known fact", "a fact—well-known - now"),
            (exactly("characters", 4), "cafés", "cafe\u{301}"),
            (exactly("sentences", 2), "你好。", "你好。再见。"),
            (exactly("sentences", 2), "यह है।", "यह है। वह है।"),
            (exactly("sentences", 2), "1. Buy milk.", "1. Buy milk.\n2. Go home."),
            (exactly("sentences", 2), "- Buy milk", "- Buy milk\n- Go home"),
            (exactly("sentences", 1), "I go. You stay.", "This sentence is wrapped by\na hard line break."),
            (exactly("sentences", 1), "i go. you stay.", "Dr. Smith met J. Doe, e.g. at 3.5 p.m. there."),
            (exactly("sentences", 1), "He left!\" Then he came.", "\"Go!\" he said."),
            (exactly("sentences", 1), "Wait... What?", "Wait... what?"),
            (exactly("sentences", 1), "# Is it?\n\nYes.", "# A Title\n\n**Bold Title**\n\nOne sentence."),
            (exactly("sentences", 2), "The answer is", "The answer is:\n42. So it is."),
            (exactly("paragraphs", 2), "First.\n***", "First one.\n\n***\n\nSecond one."),
            (exactly("paragraphs", 2), "First.\nSecond.", "First one.\n***\nSecond one."),
            (exactly("bullets", 2), "* one\n* * *\n---", "* one\n+ two\n\n* * *\n"),
            (exactly("bullets", 1), "**bold**\n*italic*", "> - one"),
            (exactly("sections", 2), "Section I think is\nSections 2", "Section I\na\n\n**Section II**\nb"),
            (exactly("sections", 2), "See Section 1\nSECTION x1", "SECTION 1\na\n\nSection Two: b"),
            (json!({"kind": "highlights", "min": 1}), "2 * 3 * 4 is 24, 2*3*4", "这是*重点*内容"),
            (json!({"kind": "highlights", "min": 1}), "f(*a, **b) ** **", "a ***b*** c"),
            (json!({"kind": "capital_words", "min": 1}), "你好 A", "你好 NASA"),
            (json!({"kind": "case", "case": "lower"}), "你好", "你好 ab"),
            (json!({"kind": "starts_with", "text": "Hi"}), "\"hi", "**\"Hi** there\""),
            (
                json!({"kind": "ends_with", "text": "Any questions?"}),
                "Any questions? No",
                "x \"**Any questions?**\"",
            ),
            (json!({"kind": "ends_with", "text": "the end"}), "the ending", "this is\nthe\nend"),
            (json!({"kind": "json_only"}), "```JSON\n{} x\n```", "```JSON\n{\"a\": 1}\n```"),
            (json!({"kind": "title"}), "a **<<The Book>>**", "**<<The Book>>**\n\nText"),
            (json!({"kind": "title"}), "# <<>>", "# Title: <<The Book>>\n\nText"),
            (json!({"kind": "postscript"}), "Text\n\nP.S.", "Text\n\n**P.S.** More"),
            (json!({"kind": "postscript"}), "Text\nP.P.S. More", "Text\n*p. s.* More"),
            (json!({"kind": "quoted"}), "“a", "“a”"),
        ] {
            assert!(!follows(&constraint, broken).passed, "{constraint} is broken by {broken:?}");
            let verdict = follows(&constraint, met);
            assert!(verdict.passed, "{constraint} {met:?}: {}", verdict.detail);
        }
        let told = follows(&json!({"kind": "sections", "min": 2}), "x").detail;
        assert_eq!(told, "instruction 1: there are 0 sections, but at least 2 must be there");
    }

    #[test]
    fn instructions_may_be_the_same_for_every_row() {
        let judge = untagged("instructions", &json!({"constraints": [{"kind": "words", "max": 1}]}));
        assert!(judge.judge("one", "").unwrap().passed);
        assert!(!judge.judge("one two", "[]").unwrap().passed);
        for (constraints, message) in [
            (json!([{"kind": "words"}]), "`constraints[0]`: neither `min` nor `max`"),
            (json!([{"kind": "words", "max": "x"}]), "`constraints"),
            (json!(3), "`constraints`"),
        ] {
            let options = json!({"constraints": constraints});
            let error = Verifier::new("instructions", options.as_object().unwrap()).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn long_texts_are_judged() {
        let many = 60_000;
        for text in
            ["a".repeat(many), "* ".repeat(many), "[".repeat(many), "[a]".repeat(many / 3), ". ".repeat(many)]
        {
            let judge = untagged("instructions", &json!({}));
            for kind in ["bullets", "highlights", "placeholders", "sentences", "paragraphs", "capital_words"]
            {
                let reference = json!([{"kind": kind, "min": 1_000_000}]).to_string();
                assert!(!judge.judge(&text, &reference).unwrap().passed, "{kind}");
            }
        }
    }
}
