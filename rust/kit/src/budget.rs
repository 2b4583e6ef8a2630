//! Work is bounded by counted steps, never by a clock, so a bound means the same on every machine.

use std::sync::atomic::{AtomicBool, Ordering};

/// Tells from a problem's fingerprint whether it falls in the split that is wanted.
type Falls = dyn Fn(&[u8]) -> bool + Sync;

/// Steps that may still be taken and, for a caller who may lose patience, a flag that stops them. A generator's budget
/// also knows which problems are wanted.
pub struct Budget<'s> {
    steps: u64,
    left: u64,
    bounded: bool,
    stop: Option<&'s AtomicBool>,
    wanted: Option<&'s Falls>,
}

/// The work was given up because its steps ran out or because the stop flag was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more steps than are allowed")]
pub struct OverBudget;

impl<'s> Budget<'s> {
    /// Steps between two checks of the stop flag; a power of two.
    pub const LOOK: u64 = 1024;
    /// Steps that a draw of another split costs.
    const REFUSED: u64 = 100;

    pub const fn new(steps: u64) -> Self {
        Self { steps, left: steps, bounded: true, stop: None, wanted: None }
    }

    /// A budget for work that ends by itself.
    pub const fn unlimited() -> Self {
        Self { steps: u64::MAX, left: u64::MAX, bounded: false, stop: None, wanted: None }
    }

    /// Also gives up soon after `stop` becomes true.
    #[must_use]
    pub const fn stopped_by(mut self, stop: &'s AtomicBool) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Generates only problems whose fingerprint is wanted, where the generator asks with [`Budget::wants`].
    #[must_use]
    pub const fn wanting(mut self, wanted: &'s Falls) -> Self {
        self.wanted = Some(wanted);
        self
    }

    /// True if a problem with this fingerprint is wanted. A generator whose search is expensive asks before it searches
    /// and draws again if not; others need not ask, since what they draw is looked at afterwards.
    pub fn wants(&mut self, fingerprint: impl FnOnce() -> Vec<u8>) -> Result<bool, OverBudget> {
        let wanted = self.wanted.is_none_or(|wanted| wanted(&fingerprint()));
        if !wanted {
            self.spend(Self::REFUSED)?;
        }
        Ok(wanted)
    }

    /// The same budget for other work, counted separately.
    #[must_use]
    pub const fn again(&self) -> Self {
        Self { steps: self.left, ..*self }
    }

    /// Takes steps and regularly checks the stop flag.
    #[inline]
    pub fn spend(&mut self, steps: u64) -> Result<(), OverBudget> {
        let Some(left) = self.left.checked_sub(steps) else {
            self.left = 0;
            return Err(OverBudget);
        };
        if self.left ^ left >= Self::LOOK {
            self.look()?;
        }
        self.left = left;
        Ok(())
    }

    /// Checks the stop flag without taking a step.
    #[inline]
    pub fn look(&self) -> Result<(), OverBudget> {
        match self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(OverBudget),
            _ => Ok(()),
        }
    }

    pub const fn left(&self) -> u64 {
        self.left
    }

    /// Number of steps taken.
    pub const fn spent(&self) -> u64 {
        self.steps - self.left
    }

    /// True if the number of steps is limited.
    pub const fn is_bounded(&self) -> bool {
        self.bounded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_steps_that_are_allowed_can_be_taken() {
        for steps in [0, 1, 5, 1023, 1024, 1025, 5000] {
            let mut budget = Budget::new(steps);
            assert!((0..steps).all(|_| budget.spend(1).is_ok()));
            assert_eq!((budget.left(), budget.spent(), budget.spend(1)), (0, steps, Err(OverBudget)));
            assert_eq!(Budget::new(steps).spend(steps + 1), Err(OverBudget));
        }
        assert!(!Budget::unlimited().is_bounded() && Budget::unlimited().spend(1 << 60).is_ok());
    }

    #[test]
    fn what_is_not_wanted_costs_steps() {
        let even = |fingerprint: &[u8]| fingerprint[0].is_multiple_of(2);
        let mut budget = Budget::new(150).wanting(&even);
        assert_eq!((budget.wants(|| vec![2]), budget.spent()), (Ok(true), 0));
        assert_eq!((budget.wants(|| vec![3]), budget.spent()), (Ok(false), Budget::REFUSED));
        assert_eq!(budget.wants(|| vec![5]), Err(OverBudget));
        assert_eq!(Budget::new(0).wants(|| unreachable!("all problems are wanted")), Ok(true));
    }

    #[test]
    fn a_stop_is_seen_soon() {
        let stop = AtomicBool::new(true);
        for step in [1, 7, 1000, 5000] {
            let mut budget = Budget::unlimited().stopped_by(&stop);
            let taken = (0..2 * Budget::LOOK).take_while(|_| budget.spend(step).is_ok()).count() as u64;
            assert!(taken * step <= Budget::LOOK + step, "{taken} times {step}");
        }
        let budget = Budget::new(10).stopped_by(&stop);
        assert_eq!((budget.look(), budget.again().look()), (Err(OverBudget), Err(OverBudget)));
    }
}
