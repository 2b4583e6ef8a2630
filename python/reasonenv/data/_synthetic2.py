"""Rows of SYNTHETIC-2's directory trees as tasks, verified against their ground truth."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from reasonenv import _checks
from reasonenv._native import InvalidArgument, InvalidTask, Task, family
from reasonenv.data._drawings import FAMILY, DrawnLines, problem_of

_TASK_TYPE = "ascii_tree_formatting"

_LINE = re.compile(r" ((?:\|   |    )*)(?:\+|`)--(.*)")


def _read_drawing(drawing: str) -> DrawnLines:
    """Read the rows of a drawing in the data set's glyphs.

    Raises:
        ValueError: A line is drawn differently; says which.
    """
    root, *below = drawing.strip().split("\n")
    rows: DrawnLines = [(0, root)]
    for number, line in enumerate(below, 2):
        drawn = _LINE.fullmatch(line)
        if drawn is None:
            msg = f"line {number}, {line!r}, is not a branch"
            raise ValueError(msg)
        rows.append((len(drawn[1]) // 4 + 1, drawn[2]))
    return rows


def synthetic2(
    rows: Iterable[Mapping[str, Any]], *, errors: Literal["raise", "skip"] = "raise"
) -> list[Task]:
    """Make tasks from SYNTHETIC-2's `ascii_tree_formatting` rows, verified against their ground truth.

    Each task keeps the prompt of its row verbatim, and its `problem_id` as its id; if a problem_id is
    repeated, the second task is `problem_id#2` and so on.

    Args:
        rows: Mappings with `prompt`, `verification_info` (a JSON string of `description` and `ground_truth`),
            `task_type` and `problem_id`.
        errors: "raise" an error for the first row of another kind, or "skip" such rows.

    Raises:
        InvalidTask: A row is of another kind; names the row, counted from 0, and the field at fault.
    """
    if errors not in ("raise", "skip"):
        msg = f'`errors` is {errors!r}, but must be "raise" or "skip"'
        raise InvalidArgument(msg)
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        msg = f"`rows` is {_checks.shown(rows)}, but must be several mappings"
        raise InvalidArgument(msg)
    tasks: list[Task] = []
    times: Counter[str] = Counter()
    for number, row in enumerate(rows):
        try:
            problem_id, prompt, reference = _read_row(row)
            task = _pose_row(problem_id, prompt, reference, times[problem_id] + 1)
        except ValueError as error:
            if errors == "skip":
                continue
            msg = f"row {number}: {error}"
            raise InvalidTask(msg) from error
        times[problem_id] += 1
        tasks.append(task)
    return tasks


def _read_row(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Read the problem_id, prompt and ground truth of a row."""

    def text(holder: Mapping[str, Any], name: str, within: str = "") -> str:
        value = holder.get(name)
        if not isinstance(value, str) or not value.strip():
            what = "missing" if value is None else _checks.shown(value)
            msg = f"`{within}{name}` is {what}, but must be text"
            raise ValueError(msg)
        return _checks.text(within + name, value)

    if not isinstance(row, Mapping):
        msg = f"it is {_checks.shown(row)}, but must be a mapping"
        raise ValueError(msg)

    kind = text(row, "task_type")
    if kind != _TASK_TYPE:
        msg = f"`task_type` is `{kind}`, but must be `{_TASK_TYPE}`"
        raise ValueError(msg)
    info = row.get("verification_info")
    try:
        info = json.loads(info) if isinstance(info, str) else None
    except (ValueError, RecursionError):
        info = None
    if not isinstance(info, dict):
        msg = "`verification_info` must be a JSON string of an object with `description` and `ground_truth`"
        raise ValueError(msg)
    return text(row, "problem_id"), text(row, "prompt"), text(info, "ground_truth", "verification_info.")


def _pose_row(problem_id: str, prompt: str, reference: str, time: int) -> Task:
    where = "`verification_info.ground_truth`"
    try:
        task_id = problem_id if time == 1 else f"{problem_id}#{time}"
        task = family(FAMILY).task(problem_of(_read_drawing(reference)), id=task_id, prompt=prompt)
    except ValueError as error:
        msg = f"{where} is not a tree: {error}"
        raise ValueError(msg) from error
    # The verifier compares with our drawing, which must equal theirs letter for letter.
    ours, theirs = task.solution.answer.split("\n"), reference.strip().split("\n")
    for number, (our, their) in enumerate(zip(ours, theirs, strict=True), 1):
        if our != their:
            msg = f"{where}: line {number} is {their!r}, but the tree it tells of has {our!r} there"
            raise ValueError(msg)
    return task
