"""Verifiable reasoning environments: task generators, exact verifiers, Gymnasium environments, rewards.

Where to go:

    tasks           family("chain_sum"), Mixture([...]) for several; list_families() names them all
    judging         Task.verify, Batch.verify; verify_all from JSON; verifiers for rows of your own
    rewards         rewards.Reward and rewards.preset
    games           game("tic_tac_toe"); list_games() names them all
    environments    gymnasium.make("reasonenv/ChainSum-v0"); envs has ids and typed constructors
    two agents      reasonenv.pettingzoo
    curricula       reasonenv.curriculum: what decides the next task
    data sets       reasonenv.data: roles, exports, traces
    reports         reasonenv.report: a run as one page, two runs compared
    evaluation      evaluate(...) and reasonenv.rollouts; reasonenv.arena for games
    errors          all are ReasonEnvError, and say what would be right
    command line    reasonenv --help

>>> import reasonenv
>>> task = reasonenv.family("chain_sum").sample(seed=0, index=3, level=2)
>>> task.verify(task.wrap(task.solution.answer)).passed
True
"""

from reasonenv import _start as _start  # isort: skip  # before all that takes time

from collections.abc import Sequence as _Sequence
from typing import TYPE_CHECKING as _TYPE_CHECKING

from reasonenv import _native, _threads, envs, rewards, verifiers
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
    Mixture,
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
    list_families,
    list_games,
    list_opponents,
    list_readings,
    num_threads,
    set_num_threads,
    verify,
    verify_all,
)
from reasonenv._registry import family, find_family, find_game, game

if _TYPE_CHECKING:
    from reasonenv.rollouts import evaluate
else:

    def __getattr__(name: str) -> object:
        # Imported when it is first asked for: most who import the package evaluate nothing.
        if name == "evaluate":
            from reasonenv.rollouts import evaluate  # noqa: PLC0415

            return evaluate
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)


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
    "Mixture",
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
    "evaluate",
    "family",
    "find_family",
    "find_game",
    "game",
    "list_families",
    "list_games",
    "list_opponents",
    "list_readings",
    "num_threads",
    "rewards",
    "set_num_threads",
    "verifiers",
    "verify",
    "verify_all",
]

_threads.use_environment()
envs.register_all()
