//! The Python face of the core. Converts, releases the GIL, maps errors; names no family and decides nothing.

#![expect(clippy::doc_markdown, reason = "these docs are Python's docstrings")]
#![expect(clippy::needless_pass_by_value, reason = "PyO3 hands over owned values")]

use pyo3::prelude::*;

mod door;
mod errors;
mod games;
mod play;
mod tasks;
mod text;
mod verdicts;
mod verifiers;

#[pymodule(gil_used = false)]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::errors::{
        Exhausted, InvalidArgument, InvalidOpponent, InvalidParams, InvalidProblem, InvalidState,
        InvalidStyle, InvalidTask, InvalidTruth, ReasonEnvError, UnknownFamily, UnknownGame, UnknownName,
        Unsolved, Unsupported,
    };
    #[pymodule_export]
    use crate::games::{_opponent, Episodes, Game, Opponent, State, Value, game, list_games, list_opponents};
    #[pymodule_export]
    use crate::play::Play;
    #[pymodule_export]
    use crate::tasks::{
        Batch, Certificate, Family, Solution, Source, Task, common_failures, family, list_families,
        list_policies, verify, verify_all, verify_tasks,
    };
    #[pymodule_export]
    use crate::verdicts::{StepVerdict, Verdict, Verdicts};
    #[pymodule_export]
    use crate::verifiers::{Verifier, list_verifiers, read_answers, tree_compat};

    /// Threads used for batches.
    #[pyfunction]
    fn num_threads() -> usize {
        reasonenv::pool::threads()
    }

    /// Uses `threads` threads for batches from now on; 0 means one per core.
    #[pyfunction]
    fn set_num_threads(threads: usize) {
        reasonenv::pool::set_threads(threads);
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // Made here, once, so that a forked worker never waits on a half-made one.
        if let Some(family) = reasonenv::families::FAMILIES.first() {
            reasonenv::families::schema(family.about().name);
        }
        if let Some(game) = reasonenv::games::GAMES.first() {
            reasonenv::games::schema(game.about().name);
        }
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
