"""Helpers to make task environments and answer their tasks."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import reasonenv
from reasonenv import envs
from reasonenv.envs import SolutionEnv, SolutionVectorEnv

FAMILIES = reasonenv.list_families()
ANY = FAMILIES[0]
GARBAGE: list[Any] = [
    "",
    "\x00",
    "\ud800",
    "<answer>",
    "\N{SNOWMAN}" * 10,
    "x" * 300_000,
    np.str_("no"),
    None,
    5,
    -0.5,
    b"<answer>",
    [],
    {},
    np.zeros(3),
    object(),
]

forks = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def make(family: str = ANY, **kwargs: Any) -> SolutionEnv:
    env = gymnasium.make(envs.env_id(family), **kwargs).unwrapped
    assert isinstance(env, SolutionEnv)
    return env


def make_vec(family: str = ANY, num_envs: int = 3, **kwargs: Any) -> SolutionVectorEnv:
    many = gymnasium.make_vec(envs.env_id(family), num_envs=num_envs, **kwargs)
    assert isinstance(many, SolutionVectorEnv)
    return many


def right(task: reasonenv.Task) -> str:
    return task.wrap(task.solution.answer)


def answers(tasks: tuple[reasonenv.Task, ...], kinds: list[int]) -> tuple[Any, ...]:
    """For each task the right answer, a wrong one, or garbage."""
    said = []
    for task, kind in zip(tasks, kinds, strict=True):
        wrong = task.wrong_answers(seed=kind) or [""]
        said.append([right(task), task.wrap(wrong[0]), GARBAGE[kind % len(GARBAGE)]][kind % 3])
    return tuple(said)


def many_items_in_the_pool() -> list[Any]:
    """Enough tasks to be generated and verified in the thread pool, not on this thread."""
    ours = make_vec(num_envs=512, level=1, autoreset_mode="SameStep")
    ours.reset(seed=3)
    return [ours.step([right(task) for task in ours.tasks[:256]] + ["?"] * 256) for _ in range(3)]
