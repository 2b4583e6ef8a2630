"""Hints in a task's prompt: the first steps of its solution, or what leads to them."""

import hashlib
import json
from typing import Any, Literal, get_args

from reasonenv import _checks
from reasonenv._checklist import checklist_of
from reasonenv._native import Family, Task, Unsupported, family

_INTRODUCTIONS = {
    "steps": "A right solution begins with these steps:",
    "abstract": "These hints lead to the first steps of a right solution:",
}


def shown_steps(task: Task, share: float) -> list[str]:
    """Return the first `share` of the solution's steps; at least one if the share is above 0."""
    steps = task.solution.steps
    return steps[: _checks.count_of("share", share, len(steps))]


def with_hint(task: Task, share: float, kind: Literal["steps", "abstract"] = "steps") -> Task:
    """Return the same problem with the first `share` of its solution's steps in the prompt, or hints at them.

    The lines come before the prompt's last sentence, which states the form of the answer; in a prompt that is
    not the family's own wording they come at the end. Verifier, split, level and key stay the same; the id
    ends with `/hint:SHARE`, or `/hint:abstract-SHARE`.

    Args:
        task: A task without a hint.
        share: Share of the steps to show: 0 changes nothing, 1 shows all.
        kind: "steps": the steps; "abstract": which technique leads to each, as `Task.hints` says.

    Raises:
        InvalidArgument: `share` is not between 0 and 1.
        Unsupported: The task has no abstract hints.
    """
    _checks.one_of("kind", kind, get_args(Literal["steps", "abstract"]))
    steps, name = shown_steps(task, share), f"{share:g}"
    if steps and kind == "abstract":
        if not task.hints:
            msg = f'`kind` is "abstract", but {task.family} has no such hints; it must be "steps"'
            raise Unsupported(msg)
        # The same hint may lead to several steps.
        steps, name = list(dict.fromkeys(task.hints[: len(steps)])), f"abstract-{name}"
    if not steps:
        return task
    return _with(task, "\n".join([_INTRODUCTIONS[kind], *(f"- {step}" for step in steps)]), name)


def with_text(task: Task, hint: str) -> Task:
    """Return the same problem with a hint of your own in the prompt, placed as `with_hint` places its steps.

    The id ends with `/hint:` and a digest of the text.
    """
    return _with(task, hint, hashlib.sha256(hint.encode("utf-8", "replace")).hexdigest()[:8])


def checklist(of: Family[Any]) -> str:
    """Return the mistakes that a family's verifier looks for, as a hint for `with_text`.

    It is the same for all problems of the family, so it says nothing about any answer.
    """
    return checklist_of(of)


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
