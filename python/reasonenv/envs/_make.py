"""Environments by id, through Gymnasium. `_make.pyi`, which is generated, types the keywords of each."""

from typing import Any

import gymnasium

from reasonenv import _checks
from reasonenv.envs.moves import MovesEnv
from reasonenv.envs.moves_vector import MovesVectorEnv
from reasonenv.envs.solution import SolutionEnv
from reasonenv.envs.solution_vector import SolutionVectorEnv

__all__ = ["make", "make_vec", "task_env", "task_vector_env"]

MODES = ("solution", "moves")
"""How a task can be posed: answered at once, or played move by move."""


def make(id: str, **keywords: Any) -> gymnasium.Env[Any, Any]:
    """`gymnasium.make` for the ids of this package: an editor knows their keywords and params.

    Args:
        id: One of `reasonenv.types.EnvId`.
        **keywords: Those of `SolutionEnv` or `GameEnv`, and of `gymnasium.make`.
    """
    return gymnasium.make(id, **keywords)


def make_vec(id: str, num_envs: int = 1, **keywords: Any) -> gymnasium.vector.VectorEnv[Any, Any, Any]:
    """`gymnasium.make_vec` for the ids of this package: `num_envs` of them, stepped in one call into Rust.

    Args:
        id: One of `reasonenv.types.EnvId`.
        num_envs: How many.
        **keywords: Those of `SolutionVectorEnv` or `GameVectorEnv`.
    """
    return gymnasium.make_vec(id, num_envs, **keywords)


def task_env(*, mode: str = "solution", **keywords: Any) -> SolutionEnv | MovesEnv:
    """The environment of a family in a mode, one of `MODES`."""
    _checks.one_of("mode", mode, MODES)
    return MovesEnv(**keywords) if mode == "moves" else SolutionEnv(**keywords)


# Gymnasium asks whoever makes an environment which render modes it has.
task_env.metadata = SolutionEnv.metadata  # type: ignore[attr-defined]


def task_vector_env(*, mode: str = "solution", **keywords: Any) -> SolutionVectorEnv | MovesVectorEnv:
    """The vector environment of a family in a mode, one of `MODES`."""
    _checks.one_of("mode", mode, MODES)
    return MovesVectorEnv(**keywords) if mode == "moves" else SolutionVectorEnv(**keywords)
