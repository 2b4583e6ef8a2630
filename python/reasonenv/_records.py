"""Records: one rollout per JSON line. Only this module reads and writes them; docs/records.md has the fields.

A run stores each prompt once: `prompts.jsonl` has one line per task, and the lines of `traces.jsonl` next
to it omit `prompt`. Readers add it back.
"""

import io
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple, Self

from reasonenv import _checks
from reasonenv._answers import before_answer
from reasonenv._files import NamedFile
from reasonenv._native import ReasonEnvError, Task, __version__

VERSION = 1
"""Increases whenever an older reader would misread a record."""

TRACES, PROMPTS = "traces.jsonl", "prompts.jsonl"

_OF_TASKS = ("family", "domain", "level", "difficulty", "split", "seed")
"""Fields that describe a task of a family; null for a row."""

_PIECE = 1 << 20
"""Bytes per read."""

_RECENT = 4096
"""Number of prompts kept in memory."""


class InvalidRun(ReasonEnvError):
    """The run folder holds another run, isn't a run folder, or is being written by another process."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """One rollout of one policy. docs/records.md explains each field."""

    v: int = VERSION
    """Version of the format."""
    task_id: str
    source: str
    """Name of the source in this run."""
    family: str | None = None
    """The task's family; None for rows and environments without families. So are the next five fields."""
    domain: str | None = None
    level: int | None = None
    difficulty: float | None = None
    split: str | None = None
    seed: int | None = None
    prompt: str
    """Prompt of the policy; the first observation of an episode."""
    text: str
    """The completion, verbatim; in an episode, the policy's last message."""
    reasoning: str = ""
    final_answer: str | None = None
    reward: float | None
    """Reward from which `advantage` is computed; None if the endpoint failed."""
    reward_parts: dict[str, float] = field(default_factory=dict)
    verdict: dict[str, Any] | None
    """`Verdict.to_dict()`; None if the endpoint failed, and without a verifier."""
    group_id: str
    rollout: int
    advantage: float | None = None
    policy: str
    policy_version: str | None = None
    hint: str | None = None
    prefix: Any = None
    """Starting point of the rollout: the beginning of a completion, or the first actions of an episode."""
    turns: list[dict[str, Any]] = field(default_factory=list)
    process_scores: list[float] | None = None
    terminated: bool = True
    truncated: bool = False
    usage: dict[str, int] | None = None
    seconds: float = 0.0
    versions: dict[str, Any] = field(default_factory=dict)
    error: str | None = None
    """Reason for a missing answer, if an endpoint failed."""
    note: str | None = None
    """Remark of the policy about its answer, such as why it is empty."""
    dropped: bool = False
    """True if dynamic sampling left the group out."""
    key: str | None = None
    """The task's key, which identifies its problem; None without a task."""

    @property
    def passed(self) -> bool | None:
        """True if the verdict is a pass; None without a verdict."""
        return None if self.verdict is None else bool(self.verdict["passed"])

    def to_dict(self) -> dict[str, Any]:
        """Plain data with all fields, in order."""
        return dict(vars(self))

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Read the output of `to_dict`, through JSON or not; unknown fields are dropped.

        Raises:
            InvalidRun: The record lacks a field or has a wrong value; names the field.
        """
        checked = checked_record(record, "a record", WHOLE)
        return cls(**{name: checked[name] for name in _NAMES if name in checked})

    @classmethod
    def load(cls, folder: str | Path) -> list[Self]:
        """Records of a run, finished or not, in the order of its traces.

        Raises:
            InvalidRun: The folder holds no run, or a line isn't a valid record; names it.
            OSError: A file cannot be read; names it.
        """
        path = _checks.path("folder", folder) / TRACES
        if not path.is_file():
            msg = f"{folder} holds no run, as it has no {TRACES}; name another folder"
            raise InvalidRun(msg)
        lines = (checked_record(record, where, WHOLE) for where, record in read_records(path))
        return [cls(**{name: record[name] for name in _NAMES if name in record}) for record in lines]


_NAMES = tuple(one.name for one in fields(Record))
_BLANK: dict[str, Any] = dict.fromkeys(_NAMES) | {"v": VERSION}
_OPTIONAL = frozenset({"error", "note", "dropped", "key"})


def new_record(*facts: Mapping[str, Any]) -> dict[str, Any]:
    """Record of these facts, as plain data with its fields in order; missing facts are null."""
    record = dict(_BLANK)
    for some in facts:
        record.update(some)
    return record


def as_record(record: dict[str, Any]) -> Record:
    """`Record` from `new_record`, without checks and without a copy."""
    made = object.__new__(Record)
    object.__setattr__(made, "__dict__", record)
    return made


def task_facts(task: Any, prompt: str) -> dict[str, Any]:
    """Fields of a record that describe a task, a row or any other question."""
    versions: dict[str, Any] = {"reasonenv": __version__}
    if isinstance(task, Task):
        versions["family"] = task.version
    return {
        "task_id": task.id,
        **{name: getattr(task, name, None) for name in _OF_TASKS},
        "prompt": prompt,
        "versions": versions,
        "key": getattr(task, "key", None),
    }


def reasoning_of(text: str, tag: str | None, answer: str | None, apart: str | None = None) -> str:
    """Text before the answer's mark, after any separate reasoning; all of a text without an answer."""
    before = text if answer is None else before_answer(tag, text)
    return before if not apart else f"{apart}\n\n{before}".rstrip()


Needs = Mapping[str, Callable[[Mapping[str, Any]], bool]]
"""Fields, each with a test of its value."""


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_verdict(verdict: object) -> bool:
    if not isinstance(verdict, Mapping):
        return False
    parts, labels = verdict.get("parts"), verdict.get("failures")
    return (
        isinstance(verdict.get("passed"), bool)
        and _is_number(verdict.get("score"))
        and (isinstance(parts, Mapping) and all(map(_is_number, parts.values())))
        and (isinstance(labels, list | tuple) and all(isinstance(label, str) for label in labels))
    )


def _says_passed(verdict: object) -> bool:
    return isinstance(verdict, Mapping) and isinstance(verdict.get("passed"), bool)


def _text(name: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda record: isinstance(record.get(name), str)


def _has(name: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda record: name in record


def _is_readable(record: Mapping[str, Any]) -> bool:
    version = record.get("v", VERSION)
    return type(version) is int and 1 <= version <= VERSION


def _is_paid(record: Mapping[str, Any]) -> bool:
    failed = isinstance(record.get("error"), str) and record.get("reward") is None
    return failed or _is_number(record.get("reward"))


ANYONES: Needs = {
    "v": _is_readable,
    "task_id": _text("task_id"),
    "prompt": _text("prompt"),
    "reward": lambda record: record.get("reward", "") is None or _is_number(record.get("reward")),
    "verdict": lambda record: record.get("verdict", "") is None or _says_passed(record.get("verdict")),
}
"""Fields that filters, exports and reports need, whoever wrote the record."""

WHOLE: Needs = {
    **{name: _has(name) for name in _NAMES if name not in _OPTIONAL},
    **{name: _text(name) for name in ("task_id", "source", "prompt", "policy", "group_id")},
    "v": _is_readable,
    "rollout": lambda record: type(record.get("rollout")) is int,
    "reward": _is_paid,
    "verdict": lambda record: record.get("verdict", "") is None or _is_verdict(record.get("verdict")),
}
"""Fields of a record of a run."""

LEAN: Needs = {name: holds for name, holds in WHOLE.items() if name != "prompt"}
"""Fields of a line in the traces, whose prompt is stored elsewhere."""


def checked_record(record: object, where: str, needs: Needs = ANYONES) -> dict[str, Any]:
    """The record, if it has the required fields.

    Raises:
        InvalidRun: A field is missing or wrong; gives the place and names the field.
    """
    if not isinstance(record, Mapping):
        msg = f"{where}: it is {_checks.shown(record)}, but must be a record; see docs/records.md"
        raise InvalidRun(msg)
    for name, holds in needs.items():
        if not holds(record):
            what = _checks.shown(record[name]) if name in record else "missing"
            if name == "v" and name in record:
                what += f", but this reasonenv reads records up to {VERSION}; upgrade it"
            elif name == "prompt" and name not in record:
                what += f", and {PROMPTS} beside it has none for this task; keep the two files together"
            else:
                what += ", which no record has; mend the line, see docs/records.md"
            msg = f"{where}: `{name}` is {what}"
            raise InvalidRun(msg)
    return dict(record)


class Line(NamedTuple):
    """One line of a file."""

    where: str
    """Its name in error messages."""
    at: int
    """Offset of its first byte."""
    end: int
    """Offset of the next line."""
    record: dict[str, Any]


def read_lines(path: Path, start: int = 0) -> Iterator[Line]:
    """Every complete line from a byte offset on.

    A final line without a line end, as a killed process leaves it, is ignored.

    Raises:
        InvalidRun: A line isn't a JSON object; names it.
        OSError: The file cannot be read; names it.
    """
    with NamedFile(os.fspath(path), "r", path) as raw:
        raw.seek(start)
        rest = b""
        number, at = 0, start
        while piece := raw.read(_PIECE):
            *whole, rest = (rest + piece).split(b"\n")
            for line in whole:
                number += 1
                end = at + len(line) + 1
                if line.strip():
                    where = f"{path}, line {number}" if start == 0 else f"{path}, byte {at}"
                    yield Line(where, at, end, _parsed(line, where))
                at = end


def line_at(path: Path, at: int) -> dict[str, Any]:
    """The JSON object in the line at a byte offset.

    Raises:
        As `read_lines`.
    """
    with io.BufferedReader(NamedFile(os.fspath(path), "r", path)) as file:
        file.seek(at)
        return _parsed(file.readline(), f"{path}, byte {at}")


def read_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every record of a file with its prompt, and its place for error messages.

    Raises:
        As `read_lines`.
    """
    prompts = Prompts(path.with_name(PROMPTS))
    return ((line.where, prompts.joined(line.record)) for line in read_lines(path))


def _parsed(line: bytes, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        msg = f"{where}: not JSON ({error}); each line must be one record"
        raise InvalidRun(msg) from None
    if not isinstance(record, dict):
        msg = f"{where}: it is {_checks.shown(record)}, but must be a record; see docs/records.md"
        raise InvalidRun(msg)
    return record


class Prompts:
    """Prompts of a run by task id, read from their file on demand; each task takes about 100 bytes.

    Args:
        path: The file, which may not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._at: dict[int, int] = {}
        self._recent: dict[str, str] = {}
        self._ahead: Iterator[Line] = iter(())
        self._end = 0

    def find(self, task_id: str) -> str | None:
        """Prompt of a task; None if none is stored."""
        if task_id in self._recent:
            return self._recent[task_id]
        at = self._at.get(hash(task_id))
        if at is not None:
            found, prompt = self._kept(line_at(self._path, at), f"{self._path}, byte {at}")
            # Different ids may share a hash.
            return prompt if found == task_id else None
        # Prompts are in the order of the records, so reading ahead rarely reads much.
        while (line := self._next()) is not None:
            found, prompt = self._kept(line.record, line.where)
            self._at[hash(found)], self._end = line.at, line.end
            if found == task_id:
                return prompt
        return None

    def joined(self, record: Any) -> Any:
        """A line of the traces with its prompt, if one is stored; anything else is unchanged."""
        if isinstance(record, dict) and "prompt" not in record and isinstance(record.get("task_id"), str):
            prompt = self.find(record["task_id"])
            if prompt is not None:
                record["prompt"] = prompt
        return record

    def split(self, records: Iterable[Any]) -> tuple[list[dict[str, Any]], list[Any]]:
        """Lines for prompts that are not stored yet, and the records without their stored prompts."""
        fresh: dict[str, str] = {}
        lean = []
        for record in records:
            given = record if isinstance(record, Mapping) else {}
            task_id, prompt = given.get("task_id"), given.get("prompt")
            if isinstance(task_id, str) and isinstance(prompt, str):
                stored = fresh[task_id] if task_id in fresh else self.find(task_id)
                if stored is None:
                    stored = fresh[task_id] = prompt
                if stored == prompt:
                    given = dict(given)
                    del given["prompt"]
                    lean.append(given)
                    continue
            lean.append(record)
        lines = [{"v": VERSION, "task_id": task_id, "prompt": prompt} for task_id, prompt in fresh.items()]
        return lines, lean

    def _next(self) -> Line | None:
        """The next unread line, which may have been written since the last call."""
        line = next(self._ahead, None)
        if line is None and self._path.is_file() and self._path.stat().st_size > self._end:
            self._ahead = read_lines(self._path, self._end)
            line = next(self._ahead, None)
        return line

    def _kept(self, record: dict[str, Any], where: str) -> tuple[str, str]:
        """Task id and prompt of a line, kept in memory for a while."""
        task_id, prompt = record.get("task_id"), record.get("prompt")
        if not (isinstance(task_id, str) and isinstance(prompt, str)):
            msg = f"{where}: it must have a `task_id` and a `prompt`; see docs/records.md"
            raise InvalidRun(msg)
        if len(self._recent) >= _RECENT:
            self._recent.clear()
        self._recent[task_id] = prompt
        return task_id, prompt
