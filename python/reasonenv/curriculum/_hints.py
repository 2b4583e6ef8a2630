"""Hints: the first steps of a task's true solution, shown in its prompt."""

import json
import math

from reasonenv import _checks
from reasonenv._native import Task, family

_INTRODUCTION = "A right solution begins with these steps:"


def shown_steps(task: Task, share: float) -> list[str]:
    """The first share of a task's solution steps; at least one where the share is above 0."""
    steps = task.solution.steps
    return steps[: math.ceil(_checks.number("share", share, 0, 1) * len(steps) - 1e-9)]


def with_hint(task: Task, share: float) -> Task:
    """The same problem, whose prompt shows the first share of its solution's steps.

    The steps stand before the prompt's last sentence, which goes on saying what form the answer has; in a
    prompt that is not the family's own wording they stand at its end. Judge, split, level and key stay as
    they are; the id ends with `/hint:SHARE`.

    Args:
        task: A task without a hint.
        share: From 0, which changes nothing, to 1, which shows all steps.

    Raises:
        InvalidArgument: `share` is not between 0 and 1.
    """
    steps = shown_steps(task, share)
    if not steps:
        return task
    hint = "\n".join([_INTRODUCTION, *(f"- {step}" for step in steps)])
    record = task.to_dict()
    record["prompt"] = _placed(task, hint)
    record["task_id"] = f"{task.id}/hint:{share:g}"
    return Task.from_json(json.dumps(record))


def _placed(task: Task, hint: str) -> str:
    """The task's prompt with a hint in it."""
    plain = family(task.family).task(task.problem, style=task.style | {"wrapper": "bare"}).prompt
    body, _, form = plain.rpartition("\n")
    before, found, after = task.prompt.partition(plain)
    if not found:
        return f"{task.prompt}\n\n{hint}"
    return f"{before}{body}\n\n{hint}\n\n{form}{after}"
