//! A task family: a generator of problems of one kind.

use crate::budget::Budget;
use crate::error::Error;
use crate::params::Params;
use crate::rng::Rng;
use crate::task::about::About;
use crate::task::certificate::Drawn;
use crate::task::problem::Problem;

/// Makes problems of one kind.
pub trait TaskFamily: Sync + 'static {
    type Params: Params;
    type Problem: Problem;

    const ABOUT: About;

    fn generate(&self, params: &Self::Params, rng: &mut Rng, budget: &mut Budget) -> Drawn<Self::Problem>;
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
}
