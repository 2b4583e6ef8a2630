"""Verifiable reasoning environments: task generators, exact verifiers, Gymnasium environments, rewards.

Overview:

    tasks           family("chain_sum"), Mixture([...]) for several, rows too; list_families() lists all
    verification    Task.verify, Batch.verify; verify_all from JSON; verifiers for your own rows
    rewards         rewards.Reward and rewards.preset
    your own rows   from_rows([...]) turns them into tasks
    your own kinds  register_family, register_game: classes of reasonenv.kit; reasonenv.testing checks them
    games           game("tic_tac_toe"); list_games() lists all
    environments    gymnasium.make("reasonenv/ChainSum-v1"); envs has ids and typed constructors
    several turns   envs.wrappers: double_check, retry, tools
    tools           tools: calculator, Python, SQL, search and others, for mode="tools"
    composed        ReasonEnv(...); parts has the protocols; envs.describe says which algorithms fit
    two agents      pettingzoo
    policies        rollout(...) returns trajectories in groups, evaluate(...) a table; rollouts
    matches         arena: round robins, ratings and exact tables
    curricula       curriculum: schedulers that decide the next task
    data sets       data: roles, exports, traces
    reports         report: a run as one page, two runs compared
    benchmarks      benchmark: frozen lists of tasks and a leaderboard
    trainers        integrations
    over HTTP       serve, `reasonenv serve`
    errors          all derive from ReasonEnvError and say what would be right; errors has the tree
    command line    reasonenv --help

>>> import reasonenv
>>> task = reasonenv.family("chain_sum").sample(seed=0, index=3, level=2)
>>> task.verify(task.wrap(task.solution.answer)).passed
True
"""

from reasonenv import _start as _start  # isort: skip  # before all slow imports

import typing as _typing
from collections.abc import Sequence as _Sequence
from importlib import import_module as _import_module
from pkgutil import iter_modules as _iter_modules

from reasonenv import _ids, _native, _threads
from reasonenv._native import (
    Batch,
    Family,
    Game,
    ReasonEnvError,
    Solution,
    Source,
    State,
    StepVerdict,
    Task,
    Verdict,
    Verdicts,
    list_families,
    list_games,
    num_threads,
    set_num_threads,
    verify,
    verify_all,
)
from reasonenv._pickles import register as _register_pickles
from reasonenv._registry import family, game
from reasonenv.kit._register import import_modules as _import_modules
from reasonenv.kit._register import load_entry_points as _load_entry_points
from reasonenv.kit._register import register_family, register_game, unregister_family, unregister_game

if _typing.TYPE_CHECKING:
    from reasonenv import arena as arena
    from reasonenv import benchmark as benchmark
    from reasonenv import curriculum as curriculum
    from reasonenv import data as data
    from reasonenv import envs as envs
    from reasonenv import errors as errors
    from reasonenv import health as health
    from reasonenv import integrations as integrations
    from reasonenv import kit as kit
    from reasonenv import parts as parts
    from reasonenv import pettingzoo as pettingzoo
    from reasonenv import report as report
    from reasonenv import rewards as rewards
    from reasonenv import rollouts as rollouts
    from reasonenv import selfplay as selfplay
    from reasonenv import serve as serve
    from reasonenv import testing as testing
    from reasonenv import tools as tools
    from reasonenv import types as types
    from reasonenv import verifiers as verifiers
    from reasonenv._native import Mixture
    from reasonenv.data import from_rows
    from reasonenv.envs import ReasonEnv
    from reasonenv.rollouts import evaluate, rollout
else:
    # Imported on first access, since most programs need only a few.
    _MODULES = [module.name for module in _iter_modules(__path__) if not module.name.startswith("_")]
    _LATER = {"Mixture": "data._mixed", "ReasonEnv": "envs", "evaluate": "rollouts", "from_rows": "data"}
    _LATER |= {"rollout": "rollouts"}

    def __dir__() -> list[str]:
        return sorted({*globals(), *_MODULES, *_LATER})

    def __getattr__(name: str) -> object:
        if name in _MODULES:
            return _import_module(f"{__name__}.{name}")
        if name in _LATER:
            value = getattr(_import_module(f"{__name__}.{_LATER[name]}"), name)
            globals()[name] = value
            return value
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)


_Sequence.register(Batch)
_Sequence.register(Verdicts)
_register_pickles()

__version__: str = _native.__version__

__all__ = [
    "Batch",
    "Family",
    "Game",
    "Mixture",
    "ReasonEnv",
    "ReasonEnvError",
    "Solution",
    "Source",
    "State",
    "StepVerdict",
    "Task",
    "Verdict",
    "Verdicts",
    "evaluate",
    "family",
    "from_rows",
    "game",
    "list_families",
    "list_games",
    "num_threads",
    "register_family",
    "register_game",
    "rollout",
    "set_num_threads",
    "unregister_family",
    "unregister_game",
    "verify",
    "verify_all",
]

_threads.use_environment()
_ids.register_all()
_load_entry_points("reasonenv.families", register_family)
_load_entry_points("reasonenv.games", register_game)
_import_modules()
