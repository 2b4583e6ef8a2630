"""Answers in a file and their verdicts."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from reasonenv._files import called, lines
from reasonenv._intervals import clustered_interval, wilson_interval
from reasonenv._native import Batch, InvalidTask, ReasonEnvError, Task, Verdict
from reasonenv.types import ReadingName

_CHUNK = 4096
"""Answers verified at once: enough to keep every core busy, and few enough for memory."""


def read_tasks(path: str) -> list[Task]:
    """Read the tasks of a file of records, one per line; "-" is stdin.

    Raises:
        InvalidTask: A line is not the record of a task, or repeats an id; names the line.
    """
    tasks: list[Task] = []
    ids: dict[str, int] = {}
    name = called(path)
    for number, line in lines(path):
        try:
            task = Task.from_json(line)
        except ReasonEnvError as error:
            msg = f"{name}, line {number}: {error}"
            raise InvalidTask(msg) from error
        if task.id in ids:
            msg = f"{name}, line {number}: the task_id `{task.id}` is line {ids[task.id]}'s already; drop one"
            raise InvalidTask(msg)
        ids[task.id] = number
        tasks.append(task)
    if not tasks:
        msg = f"{name} holds no tasks; `reasonenv generate` writes some"
        raise InvalidTask(msg)
    return tasks


def read_answers(path: str) -> Iterator[tuple[str, str | None, str]]:
    """Yield the answers of a file: the place of each, the id of its task if it has one, and its text.

    Each line is an object with `task_id` and `text` (or `completion`), or a string; or the whole file is one
    JSON list of these.

    Raises:
        ReasonEnvError: An item is neither; names the line.
    """
    rest, name = lines(path), called(path)
    first = next(rest, None)
    if first is None:
        return
    number, line = first
    if line.lstrip().startswith("["):
        text = line + "".join(line for _, line in rest)
        for at, item in enumerate(_parse(text, name), 1):
            yield _answer(item, f"{name}, item {at}")
        return
    yield _answer(_parse(line, f"{name}, line {number}"), f"{name}, line {number}")
    for number, line in rest:
        yield _answer(_parse(line, f"{name}, line {number}"), f"{name}, line {number}")


def _parse(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"{where}: not JSON ({error}); each line must be one object or string"
        raise ReasonEnvError(msg) from error


def _answer(item: Any, where: str) -> tuple[str, str | None, str]:
    if isinstance(item, str):
        return where, None, item
    if isinstance(item, dict):
        task_id = item.get("task_id")
        text = item.get("text", item.get("completion"))
        if isinstance(task_id, str) and isinstance(text, str):
            return where, task_id, text
    msg = f"{where}: must be an object with `task_id` and `text` (or `completion`), or a string"
    raise ReasonEnvError(msg)


@dataclass
class Answers:
    """Summary of the verdicts on answers to tasks of one family."""

    passes: dict[str, list[bool]] = field(default_factory=dict)
    """True for each answer that passed, by task."""
    scores: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)

    def add(self, task_id: str, verdict: Verdict) -> None:
        """Count a verdict."""
        self.passes.setdefault(task_id, []).append(verdict.passed)
        self.scores += verdict.score
        self.failures.update(verdict.failures)

    @property
    def answers(self) -> int:
        """Number of answers."""
        return sum(map(len, self.passes.values()))

    @property
    def passed(self) -> int:
        """Number of answers that passed."""
        return sum(map(sum, self.passes.values()))

    @property
    def pass_rate(self) -> float:
        """Share of the answers that passed."""
        return self.passed / self.answers

    @property
    def mean_score(self) -> float:
        """Mean score of the answers."""
        return self.scores / self.answers

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the pass rate, clustered by task."""
        sizes = {len(passes) for passes in self.passes.values()}
        if len(sizes) == 1:
            return clustered_interval([sum(passes) for passes in self.passes.values()], sizes.pop())
        return wilson_interval(self.pass_rate * len(self.passes), len(self.passes))

    def to_dict(self) -> dict[str, Any]:
        """The summary as plain data."""
        return {
            "tasks": len(self.passes),
            "answers": self.answers,
            "passed": self.passed,
            "pass_rate": self.pass_rate,
            "interval": self.interval,
            "mean_score": self.mean_score,
            "failures": dict(self.failures.most_common()),
        }


def judged(tasks: Sequence[Task], path: str, reading: ReadingName | None) -> Iterator[tuple[Task, Verdict]]:
    """Verify the answers of a file in order.

    Answers name their task; plain strings belong to the tasks in order, one for each.

    Raises:
        ReasonEnvError: An answer names no task, or there are not as many plain strings as tasks.
    """
    by_id = {task.id: task for task in tasks}

    def paired() -> Iterator[tuple[Task, str]]:
        plain = 0
        for where, task_id, text in read_answers(path):
            if task_id is None:
                if plain < len(tasks):
                    yield tasks[plain], text
                plain += 1
            elif task_id in by_id:
                yield by_id[task_id], text
            else:
                msg = f"{where}: no task has the task_id `{task_id}`"
                raise ReasonEnvError(msg)
        if plain and plain != len(tasks):
            msg = (
                f"{called(path)} holds {plain} plain strings for {len(tasks)} tasks; they are matched by "
                "order, so give one for each, or name the `task_id` of each"
            )
            raise ReasonEnvError(msg)

    pairs = paired()
    while chunk := list(islice(pairs, _CHUNK)):
        given, texts = [task for task, _ in chunk], [text for _, text in chunk]
        yield from zip(given, Batch(given).verify(texts, reading), strict=True)


def verdict_record(task: Task, verdict: Verdict) -> dict[str, Any]:
    """One line of `reasonenv verify --out`."""
    return {"task_id": task.id, **verdict.to_dict()}
