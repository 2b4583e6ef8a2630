//! The facts about a family that do not depend on its params.

use std::panic::Location;

use crate::error::{Error, unknown};
use crate::task::answer::Reading;
use crate::task::verdict::Part;

/// Basis on which a family's verifier decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JudgedBy {
    /// The answer equals the one answer, which the generator has certified.
    Exact,
    /// The answer's value equals the one value, whatever the notation the prompt allows.
    Normalized,
    /// The answer satisfies the problem's constraints; more than one may.
    Constraints,
    /// The answer is valid and as good as the certified optimum.
    Optimum,
    /// Every step of the answer follows by a rule.
    Proof,
    /// The answer is a program, which is run in counted steps on cases that the prompt does not show.
    Execution,
}

impl JudgedBy {
    pub const ALL: [Self; 6] =
        [Self::Exact, Self::Normalized, Self::Constraints, Self::Optimum, Self::Proof, Self::Execution];

    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Normalized => "normalized",
            Self::Constraints => "constraints",
            Self::Optimum => "optimum",
            Self::Proof => "proof",
            Self::Execution => "execution",
        }
    }

    pub fn find(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|judged_by| judged_by.name() == name)
            .ok_or_else(|| unknown("way to judge", name, &Self::ALL.map(Self::name)))
    }
}

/// Steps that may be counted before work on one problem is given up.
#[derive(Clone, Copy, Debug)]
pub struct Budgets {
    /// Steps to generate one problem.
    pub generate: u64,
    /// Steps to verify one completion or one list of steps.
    pub judge: u64,
    /// Steps to certify one problem.
    pub certify: u64,
}

impl Budgets {
    pub const USUAL: Self = Self { generate: 20_000_000, judge: 4_000_000, certify: 200_000_000 };
}

/// The facts about a family. Write those that differ from the usual, and `..About::new(…)` for the rest.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// `snake_case`, never changed; the file or folder has the same name.
    pub name: &'static str,
    /// `arithmetic`, `logic`, `graphs`, `puzzles`, `text` …; the families of a domain are in one crate.
    pub domain: &'static str,
    /// The family's source file, from the root of the repository.
    pub file: &'static str,
    /// One line for the gallery.
    pub summary: &'static str,
    /// Changes in each version, oldest first. Append a line whenever any task's bytes change.
    pub changes: &'static [&'static str],
    /// From this level on, 95 % of 1,000 tasks are distinct; lower levels have few problems.
    pub distinct_from: u8,
    pub judged_by: JudgedBy,
    /// Tag of the answer.
    pub answer_tag: &'static str,
    /// The failure labels that this verifier can give beyond the common ones, each with its meaning.
    pub failures: &'static [(&'static str, &'static str)],
    /// Further measurements by the verifier, each in `[0, 1]`.
    pub parts: &'static [Part],
    /// Concepts it exercises: `carry`, `case_analysis`, `backtracking` …
    pub skills: &'static [&'static str],
    /// Default reading of answers: strict unless there is a reason.
    pub reading: Reading,
    /// Highest pass rate of the best blind policy (best constant, echo, uniform guess) at any level.
    pub guess_rate: f32,
    /// Highest mean score of the best blind policy at any level.
    pub guess_score: f32,
    pub budgets: Budgets,
    /// Every problem contains one of another family, which contains none.
    pub derived: bool,
    /// The answer is that of the problem inside: its tag, form, parts, labels and reading apply, and the
    /// family's own labels are added.
    pub answered_as_inner: bool,
}

impl About {
    /// A family with an exact verifier without own labels, a strict reading and no chance of guessing.
    #[track_caller]
    pub const fn new(domain: &'static str, name: &'static str, changes: &'static [&'static str]) -> Self {
        Self {
            name,
            domain,
            file: Location::caller().file(),
            summary: "",
            changes,
            distinct_from: 0,
            judged_by: JudgedBy::Exact,
            answer_tag: "answer",
            failures: &[],
            parts: &[],
            skills: &[],
            reading: Reading::Strict,
            guess_rate: 0.0,
            guess_score: 0.0,
            budgets: Budgets::USUAL,
            derived: false,
            answered_as_inner: false,
        }
    }

    pub fn version(&self) -> u32 {
        self.changes.len() as u32
    }

    /// The name as words.
    pub fn title(&self) -> String {
        self.name.replace('_', " ")
    }
}
