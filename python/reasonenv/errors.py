"""The errors of this package, all under `ReasonEnvError`, and its one warning.

>>> import reasonenv
>>> try:
...     reasonenv.family("chain_sums")
... except reasonenv.errors.UnknownName as error:
...     print(error)
no family `chain_sums`; did you mean `chain_sum`?

Errors that only one subpackage raises are defined there, such as `reasonenv.rollouts.InvalidRun`.
"""

from reasonenv._native import (
    Exhausted,
    FamilyError,
    GameError,
    InvalidAction,
    InvalidArgument,
    InvalidOpponent,
    InvalidParams,
    InvalidProblem,
    InvalidReference,
    InvalidState,
    InvalidStyle,
    InvalidTask,
    Malformed,
    ReasonEnvError,
    SlowAnalysis,
    UnknownFamily,
    UnknownGame,
    UnknownName,
    Unsolved,
    Unsupported,
)

__all__ = [
    "Exhausted",
    "FamilyError",
    "GameError",
    "InvalidAction",
    "InvalidArgument",
    "InvalidOpponent",
    "InvalidParams",
    "InvalidProblem",
    "InvalidReference",
    "InvalidState",
    "InvalidStyle",
    "InvalidTask",
    "Malformed",
    "ReasonEnvError",
    "SlowAnalysis",
    "UnknownFamily",
    "UnknownGame",
    "UnknownName",
    "Unsolved",
    "Unsupported",
]
