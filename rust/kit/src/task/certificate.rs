//! Results of generating, mutating and certifying a problem.

use crate::budget::OverBudget;
use crate::error::{Error, unknown};

/// A generator could not make a problem within its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl From<OverBudget> for Exhausted {
    fn from(_: OverBudget) -> Self {
        Self
    }
}

/// A generator's problem, or that its budget ran out.
pub type Drawn<P> = Result<P, Exhausted>;

/// Proof that `certify` found for a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Exactly one answer passes, up to the notation the prompt allows.
    pub unique: bool,
    /// The proven claim, for a person: "one assignment fits", "no tour is shorter than 214".
    pub proof: String,
}

impl Certificate {
    pub fn unique(proof: impl Into<String>) -> Self {
        Self { unique: true, proof: proof.into() }
    }

    /// Itself, unless the problem claims that its optimum is unique and it is not.
    pub fn claimed(self, unique: bool) -> Result<Self, Uncertified> {
        if unique && !self.unique {
            return Err("`unique` is true, but another answer is as good".to_owned());
        }
        Ok(self)
    }

    /// More than one answer may pass.
    pub fn solvable(proof: impl Into<String>) -> Self {
        Self { unique: false, proof: proof.into() }
    }
}

/// Reason why a problem is not one its family would pose. The text names the field.
pub type Uncertified = String;

/// Direction in which to mutate a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    Harder,
    Easier,
    /// Another problem near this one, of the same difficulty.
    Same,
}

impl Aim {
    pub const ALL: [Self; 3] = [Self::Harder, Self::Easier, Self::Same];

    pub fn name(self) -> &'static str {
        match self {
            Self::Harder => "harder",
            Self::Easier => "easier",
            Self::Same => "same",
        }
    }

    pub fn find(name: &str) -> Result<Self, Error> {
        Self::ALL
            .into_iter()
            .find(|aim| aim.name() == name)
            .ok_or_else(|| unknown("aim", name, &Self::ALL.map(Self::name)))
    }
}
