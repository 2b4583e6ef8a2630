"""Helpers for tests of task and game environments."""

import copy
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from reasonenv import envs

MODES = [mode.value for mode in AutoresetMode]
every_mode = pytest.mark.parametrize("mode", MODES)


PLAYED = [
    "sudoku",  # until a grid is full
    "tsp",  # until a tour is closed
    "sokoban",  # with moves that lead nowhere
]
"""Families that can be played move by move."""


def make_sync(name: str, num_envs: int, mode: str, **kwargs: Any) -> Any:
    vector_kwargs = {"autoreset_mode": mode}
    return gymnasium.make_vec(
        envs.env_id(name), num_envs, vectorization_mode="sync", vector_kwargs=vector_kwargs, **kwargs
    )


def equal(one: object, other: object) -> bool:
    """Gymnasium's own comparison: types, dtypes, keys and values, all the way down."""
    return data_equivalence(one, other, exact=True)


def run_python(code: str) -> str:
    command = [sys.executable, "-W", "error", "-c", code]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def copies(env: Any) -> Iterator[Any]:
    """Copies of the env, made in every possible way; each must continue as the env itself does."""
    yield pickle.loads(pickle.dumps(env))
    yield copy.deepcopy(env)
    yield env.clone()
    fresh = copy.deepcopy(env)
    fresh.reset(seed=99)
    fresh.set_state(env.get_state())
    yield fresh
