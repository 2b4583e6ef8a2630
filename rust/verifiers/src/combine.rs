//! Combines the verdicts of several verifiers on the same rows.

use kit::error::{Error, unknown};
use kit::task::verdict::label;
use kit::task::verdict::{Failure, Verdict};
use kit::words::Joined as _;

/// Way to combine the verdicts on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// All pass; the score is the lowest.
    AllOf,
    /// One passes; the score is the highest.
    AnyOf,
    /// All with a weight pass; the score is the weighted mean.
    Weighted,
    /// The first verifier that can read the answer decides.
    FirstReadable,
}

impl Combination {
    pub const ALL: [(&str, Self); 4] = [
        ("all_of", Self::AllOf),
        ("any_of", Self::AnyOf),
        ("weighted", Self::Weighted),
        ("first_readable", Self::FirstReadable),
    ];

    pub fn find(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        found
            .map(|(_, found)| found)
            .ok_or_else(|| unknown("verifier", name, &Self::ALL.map(|(name, _)| name)))
    }

    /// The combined verdict on a row, from one verdict per verifier. The score of each is a part under the
    /// verifier's name.
    pub fn verdict(self, verdicts: &[&Verdict], names: &[&'static str], weights: &[f32]) -> Verdict {
        assert!(!verdicts.is_empty() && verdicts.len() == names.len(), "one name for each verdict");
        let scores = || verdicts.iter().map(|verdict| verdict.score);
        let failure = |counts: &dyn Fn(usize) -> bool| failure_of(verdicts, names, counts);
        let passes = |failure: Option<Failure>| failure.map_or_else(Verdict::pass, Verdict::from);
        let mut made = match self {
            Self::AllOf => {
                passes(failure(&|_| true).map(|failure| failure.score(scores().fold(1.0, f32::min))))
            }
            Self::AnyOf if verdicts.iter().any(|verdict| verdict.passed) => Verdict::pass(),
            Self::AnyOf => {
                passes(failure(&|_| true).map(|failure| failure.score(scores().fold(0.0, f32::max))))
            }
            Self::Weighted => {
                let sum: f32 = weights.iter().sum();
                let weighted: f32 = scores().zip(weights).map(|(score, weight)| score * weight).sum();
                passes(failure(&|at| weights[at] > 0.0).map(|failure| failure.score(weighted / sum)))
            }
            Self::FirstReadable => {
                let readable = verdicts.iter().position(|verdict| is_readable(verdict));
                let at = readable.unwrap_or(verdicts.len() - 1);
                let one = verdicts[at];
                let told = if one.passed { String::new() } else { format!("{}: {}", names[at], one.detail) };
                Verdict { parts: Vec::new(), answer: None, detail: told, ..one.clone() }
            }
        };
        made.parts = names.iter().zip(verdicts).map(|(name, one)| (*name, one.score)).collect();
        made
    }
}

/// True if a verifier found an answer of the form it reads.
pub fn is_readable(verdict: &Verdict) -> bool {
    const UNREAD: [&str; 3] = [label::NO_ANSWER, label::MISSING_OR_BROKEN_TAGS, label::MALFORMED_ANSWER];
    !verdict.failures.first().is_some_and(|first| UNREAD.contains(first))
}

/// The failures and details of all verifiers that count; `None` if each of them passed.
fn failure_of(verdicts: &[&Verdict], names: &[&str], counts: &dyn Fn(usize) -> bool) -> Option<Failure> {
    let failed = verdicts.iter().zip(names).enumerate();
    let failed: Vec<_> =
        failed.filter(|(at, (verdict, _))| counts(*at) && !verdict.passed).map(|(_, one)| one).collect();
    let labels = failed.iter().flat_map(|(verdict, _)| &verdict.failures);
    let detail = failed.iter().map(|(verdict, name)| format!("{name}: {}", verdict.detail)).joined("; ");
    labels.fold(None, |failure: Option<Failure>, label| match failure {
        None => Some(Failure::new(label, detail.clone())),
        Some(failure) => Some(failure.also(label)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(combination: Combination, weights: &[f32]) -> (bool, f32, Vec<&'static str>) {
        let (right, near) = (Verdict::pass(), Failure::wrong("near").score(0.5).into());
        let unread = Failure::malformed("odd").into();
        let all = [&unread, &near, &right];
        let made = combination.verdict(&all[..weights.len()], &["a", "b", "c"][..weights.len()], weights);
        assert_eq!(made.passed, made.failures.is_empty());
        assert_eq!(made.passed, made.detail.is_empty());
        assert_eq!(made.parts[1], ("b", 0.5));
        (made.passed, made.score, made.failures)
    }

    #[test]
    fn verdicts_are_combined() {
        let both = vec!["malformed_answer", "wrong_answer"];
        assert_eq!(judged(Combination::AllOf, &[1.0; 3]), (false, 0.0, both.clone()));
        assert_eq!(judged(Combination::AnyOf, &[1.0; 2]), (false, 0.5, both));
        assert_eq!(judged(Combination::AnyOf, &[1.0; 3]), (true, 1.0, vec![]));
        assert_eq!(judged(Combination::Weighted, &[0.0, 1.0, 3.0]), (false, 0.875, vec!["wrong_answer"]));
        assert_eq!(judged(Combination::Weighted, &[0.0, 0.0, 3.0]), (true, 1.0, vec![]));
        assert_eq!(judged(Combination::FirstReadable, &[1.0; 3]), (false, 0.5, vec!["wrong_answer"]));
    }
}
