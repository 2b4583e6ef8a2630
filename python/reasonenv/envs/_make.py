"""Environments by id, through Gymnasium. `_make.pyi`, which is generated, types the keywords of each."""

from typing import Any

import gymnasium

__all__ = ["make", "make_vec"]


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
