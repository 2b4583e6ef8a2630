//! The right answer with its steps, the work it takes, and how wrong a wrong one is.

use crate::rng::Rng;

/// An answer and the true steps that lead to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    pub steps: Vec<String>,
    pub answer: String,
}

impl Solution {
    #[expect(clippy::needless_pass_by_value, reason = "a number is written as it is given")]
    pub fn new(steps: impl IntoIterator<Item = String>, answer: impl ToString) -> Self {
        Self { steps: steps.into_iter().collect(), answer: answer.to_string() }
    }
}

/// Counted work of a reference solver, from which the difficulty of a problem follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Steps of the solver.
    pub steps: u64,
    half: u64,
}

impl Effort {
    /// `steps` of work, where `half` steps mean a difficulty of one half.
    pub const fn new(steps: u64, half: u64) -> Self {
        Self { steps, half }
    }

    /// In `[0, 1)`; it grows with the steps.
    pub fn difficulty(self) -> f32 {
        let steps = self.steps as f32;
        steps / (steps + self.half as f32)
    }
}

/// Number of separate mistakes in a near miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Faults {
    Some(u32),
    /// Everything that can be wrong is.
    All,
}

impl Faults {
    /// Increasing faults: the mean score of near misses may not rise from one to the next.
    pub const LADDER: [Self; 4] = [Self::Some(1), Self::Some(2), Self::Some(4), Self::All];

    /// Number of faults among the `places` where one can be, at least one.
    pub fn of(self, places: usize) -> usize {
        match self {
            Self::Some(count) => (count as usize).min(places),
            Self::All => places,
        }
        .max(1)
    }

    /// Draws the `places` with a fault: as many as [`Faults::of`] says, all different, in random order.
    pub fn draw(self, places: usize, rng: &mut Rng) -> Vec<usize> {
        let mut faulty: Vec<usize> = (0..places).collect();
        rng.shuffle(&mut faulty);
        faulty.truncate(self.of(places));
        faulty
    }
}
