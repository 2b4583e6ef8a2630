//! Instructions for the text of an answer.

use super::{About, Example, Metric};
use kit::budget::Budget;
use kit::error::quoted;
use kit::params::Params;
use kit::shared::instructions::Constraint;
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
        let mut broken = Vec::new();
        for (at, constraint) in reference.iter().enumerate() {
            if let Err(told) = constraint.judge(answer, budget)? {
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
        assert_refuses(&judge, &["", "[]", "{}", "[{}]", r#"[{"kind": "words"}]"#, r#"[{"kind": "word"}]"#]);
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
