//! Costs of steps, apart from their reward, and when costs end an episode.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::draws::{EpisodeDraws, falls};

/// Cost of each thing that a step can do against a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CostWeights {
    /// An illegal, inapplicable or malformed action.
    #[schemars(range(min = 0))]
    pub invalid: f64,
    /// A constraint of the problem that a legal action breaks: a hazard entered, a false step.
    #[schemars(range(min = 0))]
    pub broken: f64,
    /// A tool call that was answered.
    #[schemars(range(min = 0))]
    pub tool_call: f64,
    /// A hint, or a question to the verifier.
    #[schemars(range(min = 0))]
    pub hint: f64,
}

impl Default for CostWeights {
    fn default() -> Self {
        Self { invalid: 1.0, broken: 1.0, tool_call: 1.0, hint: 1.0 }
    }
}

/// Costs of an environment: what they are, and when they end an episode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    pub weights: CostWeights,
    pub limit: Option<f64>,
    pub end_prob: f64,
}

impl Costs {
    /// Cost of so many invalid actions and broken constraints.
    pub fn of(self, invalid: u32, broken: u32) -> f64 {
        f64::from(invalid) * self.weights.invalid + f64::from(broken) * self.weights.broken
    }

    /// True if an episode ends with the step of `turn`, which cost `cost` and made a total of `total`.
    pub fn end(self, cost: f64, total: f64, draws: &EpisodeDraws, turn: u128) -> bool {
        self.limit.is_some_and(|limit| total > limit)
            || cost > 0.0 && falls(draws.words(EpisodeDraws::COST, turn).get(0), self.end_prob)
    }
}

/// Declares [`settings!`](kit::settings!) of an environment, with those of its costs.
#[macro_export]
macro_rules! costed_settings {
    ($(#[doc = $about:literal])* $vis:vis struct $name:ident { $($fields:tt)* } $($rest:tt)*) => {
        kit::settings! {
            $(#[doc = $about])*
            $vis struct $name {
                $($fields)*
                /// Cost in `info["cost"]` of each "invalid" action, each constraint of the problem "broken" by a legal
                /// one (a hazard, a false step), each "tool_call" and each "hint". None: 1 for each.
                pub cost_weights: Option<$crate::episode::costs::CostWeights> = None,
                /// An episode whose costs exceed this ends with the step that does so, failed. None: no limit.
                pub cost_limit: Option<f64> [0..] = None,
                /// Probability that a step with a cost ends the episode, failed; the episode's seed decides it.
                pub terminate_on_cost: f64 [0..=1] = 0.0,
            }
            $($rest)*
        }

        impl $name {
            /// Costs of steps, and when they end an episode.
            pub fn costs(&self) -> $crate::episode::costs::Costs {
                $crate::episode::costs::Costs {
                    weights: self.cost_weights.unwrap_or_default(),
                    limit: self.cost_limit,
                    end_prob: self.terminate_on_cost,
                }
            }
        }
    };
}

crate::costed_settings! {
    /// The settings of costs, apart from the reward, for constrained learning.
    pub struct CostSetup {}
}
