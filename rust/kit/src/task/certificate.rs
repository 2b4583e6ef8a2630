//! What comes of drawing, changing and certifying a problem.

use crate::budget::OverBudget;
use crate::error::{Error, unknown};

/// A generator could not make an instance within its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exhausted;

impl From<OverBudget> for Exhausted {
    fn from(_: OverBudget) -> Self {
        Self
    }
}

/// What a generator makes within its budget.
pub type Drawn<P> = Result<P, Exhausted>;

/// What `certify` proved of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Exactly one answer passes, up to the notation the prompt allows.
    pub unique: bool,
    /// What was proved, for a person: "one assignment fits", "no tour is shorter than 214".
    pub proof: String,
}

impl Certificate {
    pub fn unique(proof: impl Into<String>) -> Self {
        Self { unique: true, proof: proof.into() }
    }

    /// More than one answer may pass.
    pub fn solvable(proof: impl Into<String>) -> Self {
        Self { unique: false, proof: proof.into() }
    }
}

/// Why a problem is not one its family would pose. The text names the field.
pub type Uncertified = String;

/// Which way to change a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    Harder,
    Easier,
    /// Another instance near this one, of the same difficulty.
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
