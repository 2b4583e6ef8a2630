//! The settings of environments: what callers can set, of which type, within which bounds.

use std::sync::LazyLock;

use game::episode::costs::{CostSetup, CostWeights};
use game::episode::problems::ProblemSetup;
use game::episode::setup::Setup;
use game::variant::Opening;
use kit::error::{Error, unknown};
use kit::params;
use kit::task::answer::Reading;
use kit::task::split::Split;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Effect of an illegal action between two agents.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentIllegal {
    /// The agent loses the game.
    Lose,
    /// Nothing changes, and the agent is to move again.
    Retry,
    /// The caller is told, and nothing changes.
    Raise,
}

kit::settings! {
    /// The settings of an environment of two agents.
    pub struct AgentSetup {
        /// Effect of an action number that is not legal. "lose": the agent gets -1, the other 1, and the game
        /// is over. "retry": nothing changes and the agent is to move again. "raise": InvalidAction names the legal
        /// actions, and nothing changes.
        pub illegal: AgentIllegal = AgentIllegal::Lose,
        /// Show the position in `infos[agent]["text"]`, with the legal moves for the agent to move.
        pub text: bool = false,
        /// Random moves made before the first agent's turn; the seed decides them.
        pub opening_plies: u32 [0..=Opening::MOST_PLIES] = 0,
        /// Cost in `infos[agent]["cost"]` of each "invalid" action, the only cost between agents. None: 1.
        pub cost_weights: Option<CostWeights> = None,
        /// With `illegal="retry"`, an agent loses the game at the step that takes its costs above this. None: no limit.
        pub cost_limit: Option<f64> [0..] = None,
    }
}

kit::settings! {
    /// The settings of where tasks come from. The family knows what they may be.
    pub struct SourceSetup {
        /// Difficulty, from 0 to the family's `top_level`.
        pub level: u8 [source] = 0,
        /// Split of the tasks: "train", or one that shares no problem with it.
        pub split: Split [source] = Split::Train,
        /// Seed of the stream of items; `index` counts within it.
        pub task_seed: u64 [source] = 0,
    }
}

kit::settings! {
    /// Number of tasks, their wording and their reading.
    pub struct TaskSetup {
        /// Size of a finite set of items, the indices `0 .. num_tasks - 1`. None: 2**63 of them.
        pub num_tasks: Option<u64> [source] = None,
        /// Wording: template, names, wrapper. None draws it anew for each item.
        pub style: Option<Map<String, Value>> [source] = None,
        /// Reading of answers. None: the family's own, but "strict" in mode "step", where steps precede the answer.
        pub reading: Option<Reading> = None,
    }
}

/// Measure of reasoning steps that a reward's part `process` is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Process {
    /// The way made, paid at the end.
    Progress,
    /// The same, each step's share paid with the step.
    Delta,
    /// Like delta, but a false step uses up the share of the next one that advances.
    Clip,
    /// The share of true steps, paid at the end.
    Mean,
}

kit::settings! {
    /// The settings of episodes of several steps.
    pub struct EpisodeSetup {
        /// Steps after which an episode is cut off.
        pub max_steps: u32 [1..=1_000_000_000] = 8,
        /// Discount per step in `info["return"]`.
        pub gamma: f64 [0..=1] = 1.0,
        /// Measure of the part `process` of a reward. "progress": the share of the way to the end, paid at
        /// the end. "delta": the same, each step's share paid with the step. "clip": like "delta", but a false step uses
        /// up the share of the next one that advances. "mean": the share of true steps, paid at the end.
        pub process: Process = Process::Progress,
    }
}

kit::settings! {
    /// The settings of reasoning step by step.
    pub struct StepSetup {
        /// Name the task's family in the observation.
        pub show_kind: bool = false,
        /// Name the level in the observation.
        pub show_level: bool = false,
        /// Let a step that begins with "verify:" ask the verifier about the answer after it. It costs a step;
        /// the reply says whether the answer is right and, if not, the failure labels.
        pub allow_verify: bool = false,
    }
}

/// Kind of the hints that a policy may ask for.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HintKind {
    /// The next step of a solution.
    Steps,
    /// The technique that applies next, and where.
    Abstract,
    /// The mistakes that the verifier looks for.
    Checklist,
    /// Another right answer.
    Another,
}

kit::settings! {
    /// The settings of hints that a policy may ask for.
    pub struct HintSetup {
        /// Hints that may be asked for in an episode, by actions that begin with "hint:"; in mode "moves", where actions
        /// are numbers, by the one after the last move. Each costs a step, if steps are limited, and `hint_cost`.
        pub hints: u32 [0..=1000] = 0,
        /// Taken from the reward for each hint shown.
        pub hint_cost: f64 [0..=1000] = 0.1,
        /// Kind of the hints; `Family.hint_kinds` lists those of a family. "steps": the next step of a right solution,
        /// but not the last one. "abstract": which technique applies where, never what follows. "checklist": the mistakes
        /// that the verifier looks for. "another": another right answer in full, which costs all that the episode earns.
        pub hint_kind: HintKind = HintKind::Steps,
    }
}

kit::settings! {
    /// The settings of proving a goal by tactics.
    pub struct ProofSetup {
        /// List tactics that are worth trying in `info["tactics"]`.
        pub show_tactics: bool = false,
        /// Steps of the search that measures the progress after each tactic; 0: not measured.
        pub search_budget: u32 [0..=10_000_000] = 20_000,
    }
}

kit::settings! {
    /// The settings of answering character by character.
    pub struct TokenSetup {
        /// Characters that are seen.
        pub window: u32 [1..=65_536] = 256,
        /// Characters after which an episode is cut off.
        pub max_chars: u32 [1..=131_072] = 256,
    }
}

/// Settings by what they are of, with their JSON schemas.
static ALL: LazyLock<[(&str, Value); 11]> = LazyLock::new(|| {
    [
        ("game", params::schema::<Setup>()),
        ("agents", params::schema::<AgentSetup>()),
        ("moves", params::schema::<ProblemSetup>()),
        ("source", params::schema::<SourceSetup>()),
        ("task", params::schema::<TaskSetup>()),
        ("episode", params::schema::<EpisodeSetup>()),
        ("step", params::schema::<StepSetup>()),
        ("hint", params::schema::<HintSetup>()),
        ("proof", params::schema::<ProofSetup>()),
        ("token", params::schema::<TokenSetup>()),
        ("cost", params::schema::<CostSetup>()),
    ]
});

/// Everything that has settings, and the JSON schema of them.
pub fn all() -> &'static [(&'static str, Value)] {
    ALL.as_slice()
}

/// The JSON schema of the settings of something.
pub fn schema(of: &str) -> Result<&'static Value, Error> {
    let found = all().iter().find(|(name, _)| *name == of);
    let names = || all().iter().map(|(name, _)| *name).collect::<Vec<_>>();
    found.map(|(_, schema)| schema).ok_or_else(|| unknown("settings", of, &names()))
}
