"""Verifiable reasoning environments: task generators, exact verifiers, Gymnasium environments, rewards.

Where to go:

    tasks           family("chain_sum"), Mixture([...]) for several; list_families() names them all
    judging         Task.verify, Batch.verify; verify_all from JSON; verifiers for rows of your own
    rewards         rewards.Reward and rewards.preset
    your own rows   from_rows([...]) makes tasks of them
    your own kinds  register_family, register_game: classes of reasonenv.kit; reasonenv.testing checks them
    games           game("tic_tac_toe"); list_games() names them all
    environments    gymnasium.make("reasonenv/ChainSum-v1"); envs has ids and typed constructors
    several turns   envs.wrappers: double_check, retry, tools
    made of parts   ReasonEnv(...); parts has their signatures; describe(env) says what can learn there
    two agents      reasonenv.pettingzoo
    policies        rollout(...) gives trajectories in groups, evaluate(...) a table; reasonenv.rollouts
    games of two    reasonenv.arena
    curricula       reasonenv.curriculum: what decides the next task
    data sets       reasonenv.data: roles, exports, traces
    reports         reasonenv.report: a run as one page, two runs compared
    over HTTP       reasonenv.serve, `reasonenv serve`
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

from reasonenv import _native, _threads, data, envs, kit, parts, rewards, verifiers
from reasonenv._native import (
    Batch,
    Certificate,
    Exhausted,
    Family,
    FamilyError,
    Game,
    GameError,
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
    SlowAnalysis,
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
from reasonenv.data.rows import from_rows
from reasonenv.envs.description import describe
from reasonenv.envs.reason import ReasonEnv
from reasonenv.kit._register import import_modules as _import_modules
from reasonenv.kit._register import load_entry_points as _load_entry_points
from reasonenv.kit._register import register_family, register_game, unregister_family, unregister_game

if _TYPE_CHECKING:
    from reasonenv.rollouts import evaluate, rollout
else:

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})

    def __getattr__(name: str) -> object:
        # Imported when it is first asked for: most who import the package evaluate nothing.
        if name in ("evaluate", "rollout"):
            from reasonenv import rollouts  # noqa: PLC0415

            return getattr(rollouts, name)
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
    "FamilyError",
    "Game",
    "GameError",
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
    "ReasonEnv",
    "ReasonEnvError",
    "SlowAnalysis",
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
    "data",
    "describe",
    "envs",
    "evaluate",
    "family",
    "find_family",
    "find_game",
    "from_rows",
    "game",
    "kit",
    "list_families",
    "list_games",
    "list_opponents",
    "list_readings",
    "num_threads",
    "parts",
    "register_family",
    "register_game",
    "rewards",
    "rollout",
    "set_num_threads",
    "unregister_family",
    "unregister_game",
    "verifiers",
    "verify",
    "verify_all",
]

_threads.use_environment()
envs.register_all()
_load_entry_points("reasonenv.families", register_family)
_load_entry_points("reasonenv.games", register_game)
_import_modules()
