//! One hierarchy of errors: every mistake of a caller is a `ReasonEnvError`.

use pyo3::create_exception;
use pyo3::exceptions::{PyKeyboardInterrupt, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use reasonenv::error::{Error, nearest, quoted};

create_exception!(reasonenv.errors, ReasonEnvError, PyValueError, "Base of this package's errors.");
create_exception!(
    reasonenv.errors,
    InvalidArgument,
    ReasonEnvError,
    "An argument that is not what it must be; the message says what that is."
);
create_exception!(
    reasonenv.errors,
    UnknownName,
    InvalidArgument,
    "A split, reading, template, aim … that does not exist; suggests the nearest."
);
create_exception!(
    reasonenv.errors,
    UnknownFamily,
    UnknownName,
    "No task family has this name; suggests the nearest."
);
create_exception!(reasonenv.errors, UnknownGame, UnknownName, "No game has this name; suggests the nearest.");
create_exception!(reasonenv.errors, InvalidState, ReasonEnvError, "Bytes that are not a state of the game.");
create_exception!(
    reasonenv.errors,
    InvalidOpponent,
    InvalidArgument,
    "An opponent, or an episode's rule, that the game cannot have."
);
create_exception!(
    reasonenv.errors,
    InvalidAction,
    ReasonEnvError,
    "An action that is not legal in this position, or text that names no action."
);
create_exception!(
    reasonenv.errors,
    Unsolved,
    ReasonEnvError,
    "The game has no exact value there, or none was found within the limit of positions."
);
create_exception!(
    reasonenv.errors,
    InvalidParams,
    InvalidArgument,
    "A param names no field or is out of bounds."
);
create_exception!(
    reasonenv.errors,
    InvalidStyle,
    InvalidArgument,
    "A style names no template, or one the split may not show."
);
create_exception!(
    reasonenv.errors,
    InvalidProblem,
    ReasonEnvError,
    "A problem that its family could not have generated."
);
create_exception!(
    reasonenv.errors,
    InvalidReference,
    ReasonEnvError,
    "A row's reference is of a kind that no answer can be compared with."
);
create_exception!(reasonenv.errors, InvalidTask, ReasonEnvError, "A record that is not a task.");
create_exception!(
    reasonenv.errors,
    Exhausted,
    ReasonEnvError,
    "The generator found no item within its budget, or a tiny family has no more items in the split."
);
create_exception!(
    reasonenv.errors,
    FamilyError,
    ReasonEnvError,
    "A method of a family written in Python raised, or gave what it must not.\n\nThe cause is what it raised."
);
create_exception!(
    reasonenv.errors,
    GameError,
    ReasonEnvError,
    "A method of a game written in Python raised, or gave what it must not.\n\nThe cause is what it raised."
);
create_exception!(
    reasonenv.errors,
    Malformed,
    ReasonEnvError,
    "What the form of an answer raises for text that it does not allow; the message says why."
);
create_exception!(reasonenv.errors, Unsupported, ReasonEnvError, "The family does not have this power.");

create_exception!(
    reasonenv.errors,
    SlowAnalysis,
    PyUserWarning,
    "Exact values of an environment's reward or analysis take more than a millisecond a step."
);

pub fn to_py(error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::UnknownName { kind: "family", .. } => UnknownFamily::new_err(message),
        Error::UnknownName { kind: "game", .. } => UnknownGame::new_err(message),
        Error::UnknownName { .. } => UnknownName::new_err(message),
        Error::InvalidParams { .. } => InvalidParams::new_err(message),
        Error::InvalidStyle { .. } => InvalidStyle::new_err(message),
        Error::InvalidProblem { .. } => InvalidProblem::new_err(message),
        Error::InvalidReference { .. } => InvalidReference::new_err(message),
        Error::InvalidTask { .. } => InvalidTask::new_err(message),
        Error::Exhausted { .. } | Error::SplitExhausted { .. } => Exhausted::new_err(message),
        Error::InvalidState { .. } => InvalidState::new_err(message),
        Error::InvalidOpponent { .. } => InvalidOpponent::new_err(message),
        Error::Unsolved { .. } => Unsolved::new_err(message),
        Error::Unsupported { .. } => Unsupported::new_err(message),
        Error::Interrupted => PyKeyboardInterrupt::new_err(message),
    }
}

/// Message for an unknown name: the nearest choice, or all of them. A choice that is `None` is Python's None.
pub fn no_choice(argument: &str, given: &str, choices: &[Option<&str>]) -> String {
    let hint = nearest(given, choices.iter().copied().flatten()).map_or_else(
        || {
            let spelled: Vec<_> = choices
                .iter()
                .map(|choice| choice.map_or("None".into(), |name| format!("'{name}'")))
                .collect();
            match &*spelled {
                [first @ .., last] if !first.is_empty() => format!("choose {} or {last}", first.join(", ")),
                _ => format!("choose {}", spelled.concat()),
            }
        },
        |near| format!("did you mean '{near}'?"),
    );
    format!("unknown {argument} '{}'; {hint}", quoted(given))
}
