//! What a task family is: it makes problems of one kind.

use crate::budget::{Budget, OverBudget};
use crate::error::{Error, unknown};
use crate::params::Params;
use crate::rng::Rng;
use crate::task::about::About;
use crate::task::problem::Problem;

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

/// What a family works out once per source, from the params alone.
pub trait Prepare<P>: Send + Sync + Sized + 'static {
    fn prepare(params: &P) -> Result<Self, Error>;

    /// What an item's bytes depend on beside the family's own version, such as an inner family's; it enters
    /// the key.
    fn depends_on(&self) -> String {
        String::new()
    }
}

impl<P> Prepare<P> for () {
    fn prepare(_: &P) -> Result<Self, Error> {
        Ok(())
    }
}

/// Makes problems of one kind.
pub trait TaskFamily: Sync + 'static {
    type Params: Params;
    type Problem: Problem;
    /// `()` where nothing is worked out beforehand.
    type Prepared: Prepare<Self::Params>;

    const ABOUT: About;

    /// The params of each level, from 0 to the top; every one is harder than the one before.
    const LEVELS: &'static [Self::Params];

    fn generate(
        &self,
        params: &Self::Params,
        prepared: &Self::Prepared,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Drawn<Self::Problem>;

    /// Proves a problem well formed, in bounds, solvable and, where it must be, unique.
    /// [`Problem::check`] has already passed.
    fn certify(&self, problem: &Self::Problem, budget: &mut Budget) -> Result<Certificate, Uncertified>;

    /// A problem near this one, or `None` where this draw leads to none: the caller draws again, a bounded number of
    /// times. It certifies the problem and checks that its difficulty moved as asked.
    fn mutate(
        &self,
        _problem: &Self::Problem,
        _aim: Aim,
        _rng: &mut Rng,
        _budget: &mut Budget,
    ) -> Option<Self::Problem> {
        None
    }
}
