//! Python bindings of the core. Converts, releases the GIL, maps errors; names no family and decides nothing.

#![expect(clippy::doc_markdown, reason = "these docs are Python's docstrings")]
#![expect(clippy::needless_pass_by_value, reason = "PyO3 hands over owned values")]

use pyo3::prelude::*;

mod args;
mod arrays;
mod batches;
mod calculator;
mod columns;
mod episodes;
mod errors;
mod families;
mod forms;
mod games;
mod gil;
mod infos;
mod lanes;
mod mixtures;
mod opponent;
mod outside;
mod own_families;
mod own_games;
mod play;
mod problems;
mod programs;
mod proofs;
mod rng;
mod settings;
mod sources;
mod state;
mod supply;
mod tasks;
mod text;
mod verdicts;
mod verifiers;

/// Tasks and verdicts are many small strings: with the system's allocator, allocation takes a quarter of their time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pymodule(gil_used = false)]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::batches::{Batch, verify, verify_all};
    #[pymodule_export]
    use crate::calculator::calculate;
    #[pymodule_export]
    use crate::episodes::{_episodes, Episodes};
    #[pymodule_export]
    use crate::errors::{
        Exhausted, FamilyError, GameError, InvalidAction, InvalidArgument, InvalidOpponent, InvalidParams,
        InvalidProblem, InvalidReference, InvalidState, InvalidStyle, InvalidTask, Malformed, ReasonEnvError,
        SlowAnalysis, UnknownFamily, UnknownGame, UnknownName, Unsolved, Unsupported,
    };
    #[pymodule_export]
    use crate::families::{Certificate, Family, common_failures, family, list_families, list_readings};
    #[pymodule_export]
    use crate::forms::ReadyForm;
    #[pymodule_export]
    use crate::games::{Game, game, list_games, list_opponents};
    #[pymodule_export]
    use crate::mixtures::Mixture;
    #[pymodule_export]
    use crate::opponent::{_opponent, Opponent};
    #[pymodule_export]
    use crate::own_families::{_register_family, _unregister_family};
    #[pymodule_export]
    use crate::own_games::{_register_game, _unregister_game};
    #[pymodule_export]
    use crate::play::Play;
    #[pymodule_export]
    use crate::problems::{_problem_episodes, ProblemEpisodes};
    #[pymodule_export]
    use crate::programs::{_language, _run_program};
    #[pymodule_export]
    use crate::proofs::Proof;
    #[pymodule_export]
    use crate::rng::Rng;
    #[pymodule_export]
    use crate::settings::{_settings, settings_schema};
    #[pymodule_export]
    use crate::sources::Source;
    #[pymodule_export]
    use crate::state::{State, Value};
    #[pymodule_export]
    use crate::tasks::{Solution, Task};
    #[pymodule_export]
    use crate::verdicts::{StepVerdict, Verdict, Verdicts};
    #[pymodule_export]
    use crate::verifiers::{
        _combine, _completion, _without_reasoning, Verifier, list_verifiers, read_answers, tree_compat,
    };

    /// Return the number of threads for batches.
    #[pyfunction]
    fn num_threads() -> usize {
        reasonenv::pool::threads()
    }

    /// Set the number of threads for batches; 0 means one per core.
    #[pyfunction]
    fn set_num_threads(threads: crate::args::Whole) -> PyResult<()> {
        let threads = threads.within("threads", 0, reasonenv::pool::MOST_THREADS as u64)?;
        reasonenv::pool::set_threads(threads as usize);
        Ok(())
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Made here, once, so that a forked worker never waits for a half-made one.
        for family in reasonenv::families::all() {
            family.schema();
        }
        for game in reasonenv::games::all() {
            game.schema();
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
