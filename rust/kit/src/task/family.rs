//! A task family: a generator of problems of one kind.

use crate::budget::Budget;
use crate::error::Error;
use crate::params::Params;
use crate::rng::Rng;
use crate::task::about::About;
use crate::task::certificate::{Aim, Certificate, Drawn, Uncertified};
use crate::task::problem::Problem;

/// Makes problems of one kind.
pub trait TaskFamily: Sync + 'static {
    type Params: Params;
    type Problem: Problem;

    const ABOUT: About;

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Self::Problem>;

    /// Proves a problem well formed, in bounds, solvable and, where it must be, unique.
    /// [`Problem::check`] has already passed.
    fn certify(&self, problem: &Self::Problem, budget: &mut Budget) -> Result<Certificate, Uncertified>;

    /// A problem near this one, or `None` if this draw leads to none: the caller draws again, a bounded
    /// number of times, certifies the problem and checks that its difficulty moved as requested.
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

/// A family that precomputes data once per source, from the params alone. Every [`TaskFamily`] is one that
/// prepares nothing.
pub trait PreparedFamily: Sync + 'static {
    type Params: Params;
    type Problem: Problem;
    type Prepared: Send + Sync + 'static;

    const ABOUT: About;

    fn prepare(params: &Self::Params) -> Result<Self::Prepared, Error>;

    /// Dependencies of a task's bytes besides the family's own version, such as an inner family's; part of
    /// the key.
    fn depends_on(_: &Self::Prepared) -> String {
        String::new()
    }

    fn generate(
        &self,
        params: &Self::Params,
        prepared: &Self::Prepared,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Drawn<Self::Problem>;

    /// See [`TaskFamily::certify`].
    fn certify(&self, problem: &Self::Problem, budget: &mut Budget) -> Result<Certificate, Uncertified>;

    /// See [`TaskFamily::mutate`].
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

impl<F: TaskFamily> PreparedFamily for F {
    type Params = F::Params;
    type Problem = F::Problem;
    type Prepared = ();

    const ABOUT: About = F::ABOUT;

    fn prepare(_: &F::Params) -> Result<(), Error> {
        Ok(())
    }

    fn generate(&self, params: &F::Params, (): &(), rng: &mut Rng, budget: &mut Budget) -> Drawn<F::Problem> {
        TaskFamily::generate(self, params, rng, budget)
    }

    fn certify(&self, problem: &F::Problem, budget: &mut Budget) -> Result<Certificate, Uncertified> {
        TaskFamily::certify(self, problem, budget)
    }

    fn mutate(
        &self,
        problem: &F::Problem,
        aim: Aim,
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Option<F::Problem> {
        TaskFamily::mutate(self, problem, aim, rng, budget)
    }
}
