"""SYNTHETIC-2's rows as tasks, and its directory trees as tasks of a family."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, TypeVar

from reasonenv import _checks
from reasonenv._native import InvalidArgument, InvalidTask, Task, family
from reasonenv.data._drawings import FAMILY, DrawnLines, problem_of
from reasonenv.data._rows import Rows
from reasonenv.verifiers import PythonVerifier
from reasonenv.verifiers import synthetic2 as any_kind

_TASK_TYPE = "ascii_tree_formatting"

_EPOCH = re.compile(r"(.+?)(?:_dual)?_e\d+_(\d+)")
"""Ids of problems that the data set repeats over epochs, such as `formatask_dual_e3_000127`."""

_Made = TypeVar("_Made")

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
    rows: Iterable[Mapping[str, Any]],
    *,
    verifier: PythonVerifier | None = None,
    errors: Literal["raise", "skip"] = "raise",
) -> Rows:
    """Make tasks from SYNTHETIC-2's rows, each verified as its `task_type` says.

    A task keeps the prompt of its row verbatim. Its group is the `problem_id` without the epoch, so that
    `split_by_group(tasks, group=lambda task: task.group)` keeps repetitions together; without an id it is the
    prompt.

    Args:
        rows: Mappings with `prompt`, `task_type`, `verification_info` (a JSON string) and `problem_id`.
        verifier: `verifiers.synthetic2(…)` with options; by default without.
        errors: "raise" an error for the first row that cannot be verified, or "skip" such rows.

    Raises:
        InvalidTask: A row cannot be verified; names the row, counted from 0, and the field at fault.
    """
    judge = any_kind() if verifier is None else verifier
    if not isinstance(judge, PythonVerifier) or judge.name != "synthetic2":
        msg = f"`verifier` is {_checks.shown(verifier)}, but must be `verifiers.synthetic2(…)`"
        raise InvalidArgument(msg)

    def read(row: Mapping[str, Any]) -> tuple[str, str, str]:
        prompt, info = _text(row, "prompt"), row.get("verification_info")
        try:
            info = json.loads(info) if isinstance(info, str) else info
            reference = json.dumps({"task_type": row.get("task_type"), "verification_info": info})
        except (TypeError, ValueError, RecursionError):
            raise ValueError("`verification_info` must be a JSON string of an object") from None
        judge.read_reference(reference)
        return prompt, reference, _group(row, prompt)

    read_rows = list(_readable(rows, errors, read))
    if not read_rows:
        raise InvalidTask("`rows` has no rows that can be verified, but must have one or more")
    prompts, references, groups = map(list, zip(*read_rows, strict=True))
    return Rows(prompts, references, groups, judge, "")


def _group(row: Mapping[str, Any], prompt: str) -> str:
    """Group that repetitions of a problem share."""
    if row.get("problem_id") is None:
        return prompt
    name = _text(row, "problem_id")
    repeated = _EPOCH.fullmatch(name)
    return f"{repeated[1]}_{repeated[2]}" if repeated else name


def synthetic2_trees(
    rows: Iterable[Mapping[str, Any]], *, errors: Literal["raise", "skip"] = "raise"
) -> list[Task]:
    """Make tasks of the family `ascii_tree` from SYNTHETIC-2's `ascii_tree_formatting` rows.

    Unlike those of `synthetic2`, such tasks have a solution, a difficulty and near misses. Each keeps the
    prompt of its row verbatim, and its `problem_id` as its id; if a problem_id is repeated, the second task
    is `problem_id#2` and so on.

    Args:
        rows: Mappings with `prompt`, `verification_info` (a JSON string of `description` and `ground_truth`),
            `task_type` and `problem_id`.
        errors: "raise" an error for the first row of another kind, or "skip" such rows.

    Raises:
        InvalidTask: A row is of another kind; names the row, counted from 0, and the field at fault.
    """
    times: Counter[str] = Counter()

    def read(row: Mapping[str, Any]) -> Task:
        problem_id, prompt, reference = _read_row(row)
        task = _pose_row(problem_id, prompt, reference, times[problem_id] + 1)
        times[problem_id] += 1
        return task

    return list(_readable(rows, errors, read))


def _readable(rows: Any, errors: str, read: Callable[[Mapping[str, Any]], _Made]) -> Iterator[_Made]:
    """Yield what is read from each row; name or skip the rows that cannot be read."""
    if errors not in ("raise", "skip"):
        msg = f'`errors` is {errors!r}, but must be "raise" or "skip"'
        raise InvalidArgument(msg)
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        msg = f"`rows` is {_checks.shown(rows)}, but must be several mappings"
        raise InvalidArgument(msg)
    for number, row in enumerate(rows):
        try:
            if not isinstance(row, Mapping):
                msg = f"it is {_checks.shown(row)}, but must be a mapping"
                raise ValueError(msg)
            made = read(row)
        except ValueError as error:
            if errors == "skip":
                continue
            msg = f"row {number}: {error}"
            raise InvalidTask(msg) from error
        yield made


def _text(holder: Mapping[str, Any], name: str, within: str = "") -> str:
    value = holder.get(name)
    if not isinstance(value, str) or not value.strip():
        what = "missing" if value is None else _checks.shown(value)
        msg = f"`{within}{name}` is {what}, but must be text"
        raise ValueError(msg)
    return _checks.text(within + name, value)


def _read_row(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Read the problem_id, prompt and ground truth of a row."""
    kind = _text(row, "task_type")
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
    return _text(row, "problem_id"), _text(row, "prompt"), _text(info, "ground_truth", "verification_info.")


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
