"""Verifiable reasoning environments: task generators, exact verifiers, Gymnasium environments, rewards.

>>> import reasonenv
>>> task = reasonenv.family("chain_sum").sample(seed=0, index=3, level=2)
>>> task.verify(task.wrap(task.solution.answer)).passed
True
"""

from reasonenv import _start as _start  # isort: skip  # before all that takes time

from collections.abc import Sequence as _Sequence

from reasonenv import _native, envs, verifiers
from reasonenv._native import (
    Batch,
    Certificate,
    Exhausted,
    Family,
    Game,
    InvalidAction,
    InvalidArgument,
    InvalidOpponent,
    InvalidParams,
    InvalidProblem,
    InvalidState,
    InvalidStyle,
    InvalidTask,
    InvalidTruth,
    Opponent,
    Play,
    ReasonEnvError,
    Solution,
    Source,
    State,
    StepVerdict,
    Task,
    UnknownFamily,
    UnknownGame,
    UnknownName,
    Unsolved,
    Unsupported,
    Value,
    Verdict,
    Verdicts,
    common_failures,
    family,
    game,
    list_families,
    list_games,
    list_opponents,
    list_readings,
    num_threads,
    set_num_threads,
    verify,
    verify_all,
)

_Sequence.register(Batch)
_Sequence.register(Verdicts)

__version__: str = _native.__version__

__all__ = [
    "Batch",
    "Certificate",
    "Exhausted",
    "Family",
    "Game",
    "InvalidAction",
    "InvalidArgument",
    "InvalidOpponent",
    "InvalidParams",
    "InvalidProblem",
    "InvalidState",
    "InvalidStyle",
    "InvalidTask",
    "InvalidTruth",
    "Opponent",
    "Play",
    "ReasonEnvError",
    "Solution",
    "Source",
    "State",
    "StepVerdict",
    "Task",
    "UnknownFamily",
    "UnknownGame",
    "UnknownName",
    "Unsolved",
    "Unsupported",
    "Value",
    "Verdict",
    "Verdicts",
    "common_failures",
    "envs",
    "family",
    "game",
    "list_families",
    "list_games",
    "list_opponents",
    "list_readings",
    "num_threads",
    "set_num_threads",
    "verifiers",
    "verify",
    "verify_all",
]

envs.register_all()
