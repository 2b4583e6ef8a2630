"""The next task, which a caller chose or the curriculum assigned, and the report to the curriculum."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reasonenv import _checks
from reasonenv._native import InvalidArgument, Task
from reasonenv.envs._generators import TaskSampler, is_task
from reasonenv.parts import Curriculum, FinishedEpisode, Result, blame, named


@dataclass(frozen=True)
class Assigned:
    """An assignment of a curriculum, its task, and the episodes of it so far."""

    assignment: Any
    rollouts: int
    task: Any
    done: tuple[FinishedEpisode, ...] = ()


def checked_curriculum(curriculum: Any) -> Curriculum | None:
    """A curriculum, or None.

    Raises:
        InvalidArgument: It lacks a method.
    """
    if curriculum is None or all(callable(getattr(curriculum, name, None)) for name in ("ask", "tell")):
        found: Curriculum | None = curriculum
        return found
    msg = f"`curriculum` is {_checks.shown(curriculum)}, but must have `ask(n)` and `tell(results)`"
    raise InvalidArgument(msg)


def chosen_task(generator: Any, options: Mapping[str, Any]) -> Any:
    """The task that a caller asked for, or None."""
    if "task" in options and "index" in options:
        raise InvalidArgument("`options` has both `index` and `task`, but must have one of them")
    if "task" in options:
        if not is_task(options["task"]):
            msg = f'`options["task"]` is {_checks.shown(options["task"])}, but must be a task'
            raise InvalidArgument(msg)
        return options["task"]
    if "index" not in options:
        return None
    if not isinstance(generator, TaskSampler):
        msg = f'`options["index"]` is {_checks.shown(options["index"])}, but the generator numbers no tasks'
        raise InvalidArgument(msg)
    return generator.task(_checks.whole('options["index"]', options["index"], 0, generator.count - 1))


def posed(
    generator: Any, curriculum: Curriculum | None, assigned: Assigned | None, rng: np.random.Generator
) -> tuple[Any, Assigned | None]:
    """The next task, with its assignment: each assignment is posed as often as it asks for."""
    if assigned is not None and len(assigned.done) < assigned.rollouts:
        return assigned.task, assigned
    asked, rollouts = None, 1
    if curriculum is not None:
        with named("curriculum"):
            several = curriculum.ask(1)
        if len(several) != 1:
            msg = f"`curriculum.ask(1)` gave {_checks.shown(several)}, but must give one assignment"
            raise InvalidArgument(msg)
        asked = several[0]
        rollouts = _checks.whole("rollouts", getattr(asked, "rollouts", 1), 1)
    try:
        task = generator.sample(rng, asked)
    except Exception as error:
        blame(error, "generator")
        raise
    if not isinstance(task, Task) and not (is_task(task) and isinstance(task.prompt, str)):
        msg = f"`generator` gave {_checks.shown(task)}, but must give a task, with `id` and `prompt`"
        raise InvalidArgument(msg)
    return task, None if curriculum is None else Assigned(asked, rollouts, task)


def reported(
    curriculum: Curriculum | None, assigned: Assigned, episode: FinishedEpisode, policy_version: int
) -> Assigned:
    """The assignment with one episode more; the curriculum hears of it after the last."""
    assigned = replace(assigned, done=(*assigned.done, episode))
    if curriculum is not None and len(assigned.done) == assigned.rollouts:
        passed = tuple(done.passed for done in assigned.done)
        with named("curriculum", assigned.task):
            curriculum.tell([Result(assigned.assignment, passed, policy_version, assigned.done)])
    return assigned
