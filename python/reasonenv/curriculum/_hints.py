"""Hints: the first steps of a task's solution, shown in its prompt."""

import hashlib
import json
from typing import Any

from reasonenv import _checks
from reasonenv._native import Family, Task, common_failures, family

_INTRODUCTION = "A right solution begins with these steps:"
_CHECKLIST = "Check your answer for these mistakes before you give it:"


def shown_steps(task: Task, share: float) -> list[str]:
    """Return the first `share` of the solution's steps; at least one if the share is above 0."""
    steps = task.solution.steps
    return steps[: _checks.count_of("share", share, len(steps))]


def with_hint(task: Task, share: float) -> Task:
    """Return the same problem with the first `share` of its solution's steps in the prompt.

    The steps come before the prompt's last sentence, which states the form of the answer; in a prompt that is
    not the family's own wording they come at the end. Verifier, split, level and key stay the same; the id
    ends with `/hint:SHARE`.

    Args:
        task: A task without a hint.
        share: Share of the steps to show: 0 changes nothing, 1 shows all.

    Raises:
        InvalidArgument: `share` is not between 0 and 1.
    """
    steps = shown_steps(task, share)
    if not steps:
        return task
    return _with(task, "\n".join([_INTRODUCTION, *(f"- {step}" for step in steps)]), f"{share:g}")


def with_text(task: Task, hint: str) -> Task:
    """Return the same problem with a hint of your own in the prompt, placed as `with_hint` places its steps.

    The id ends with `/hint:` and a digest of the text.
    """
    return _with(task, hint, hashlib.sha256(hint.encode("utf-8", "replace")).hexdigest()[:8])


def checklist(of: Family[Any]) -> str:
    """Return the mistakes that a family's verifier looks for, as a hint for `with_text`.

    It is the same for all problems of the family, so it says nothing about any answer.
    """
    mistakes = of.failures or common_failures()
    return "\n".join([_CHECKLIST, *(f"- {meaning}" for meaning in mistakes.values())])


def _with(task: Task, hint: str, name: str) -> Task:
    record = task.to_dict() | {"prompt": _placed(task, hint), "task_id": f"{task.id}/hint:{name}"}
    return Task.from_json(json.dumps(record))


def _placed(task: Task, hint: str) -> str:
    """Prompt of the task with a hint."""
    plain = family(task.family).task(task.problem, style=task.style | {"wrapper": "bare"}).prompt
    body, _, form = plain.rpartition("\n")
    before, found, after = task.prompt.partition(plain)
    if not found:
        return f"{task.prompt}\n\n{hint}"
    return f"{before}{body}\n\n{hint}\n\n{form}{after}"
