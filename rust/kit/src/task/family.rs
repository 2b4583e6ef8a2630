//! What a task family is: it makes problems of one kind.

use crate::budget::Budget;
use crate::error::Error;
use crate::params::Params;
use crate::rng::Rng;
use crate::task::about::About;
use crate::task::certificate::{Aim, Certificate, Drawn, Uncertified};
use crate::task::problem::Problem;

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
