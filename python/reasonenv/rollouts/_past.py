"""Results of an earlier session of a run: the place of each record in its file, rather than the record."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from reasonenv._records import (
    LEAN,
    PROMPTS,
    InvalidRun,
    Prompts,
    checked_record,
    line_at,
    read_lines,
    read_records,
)
from reasonenv.rollouts._run import Run

T = TypeVar("T")

_HELD_AT_ONCE = 256
"""Number of records to rewrite at once."""


class Index:
    """Records of a file by group and rollout, read on demand: a million take about 100 MB.

    Args:
        path: The file.
        prompts: The prompts for its records.
    """

    def __init__(self, path: Path | None = None, prompts: Prompts | None = None) -> None:
        self._path = path
        self._prompts = prompts or Prompts(Path(PROMPTS))
        self._at: dict[int, int] = {}

    def add(self, group: str, rollout: int, at: int) -> None:
        """Note the byte offset of a record; it replaces one with the same group and rollout."""
        self._at[hash((group, rollout))] = at

    def drop(self, group: str, rollout: int) -> None:
        """Forget a record, if it is known."""
        self._at.pop(hash((group, rollout)), None)

    def get(self, key: tuple[str, int]) -> dict[str, Any] | None:
        """Record of a group and rollout."""
        at = self._at.get(hash(key))
        if at is None or self._path is None:
            return None
        record = line_at(self._path, at)
        # Different keys may share a hash.
        same = (record.get("group_id"), record.get("rollout")) == key
        return self._prompts.joined(record) if same else None

    def __contains__(self, key: tuple[str, int]) -> bool:
        return hash(key) in self._at

    def __len__(self) -> int:
        return len(self._at)


@dataclass
class Past:
    """Results of an earlier session for one policy on one source."""

    known: Index = field(default_factory=Index)
    """Records in the traces."""
    held: Index = field(default_factory=Index)
    """Answers in incomplete groups, as `completion`, `episode` or `record`."""


def earlier(log: Run) -> dict[tuple[str, str], Past]:
    """Results of earlier sessions of a run, by source and policy.

    Groups with answers missing after endpoint failures are removed and sampled again. Those after them are
    only rewritten, so that the traces end up as if nothing had failed.

    Raises:
        InvalidRun: A record doesn't describe a rollout; names the line and the field.
    """
    found: dict[tuple[str, str], Past] = {}
    broken: set[tuple[str, str, str]] = set()
    prompts = Prompts(log.prompts_path)
    for where, at, _, line in read_lines(log.traces_path):
        record = checked_record(line, where, LEAN)
        source, policy, group = _group_of(record)
        past = found.setdefault((source, policy), _past_of(log, prompts))
        past.known.add(group, record["rollout"], at)
        if record.get("error") is not None:
            broken.add((source, policy, group))
    if broken:
        _take_back(log, found, broken)
    for _, at, _, answer in read_lines(log.pending_path) if log.pending_path.exists() else ():
        place, key = _place(answer, log)
        past = found.setdefault(place, _past_of(log, prompts))
        if key not in past.known:
            past.held.add(*key, at)
    return found


def _past_of(log: Run, prompts: Prompts) -> Past:
    return Past(Index(log.traces_path, prompts), Index(log.pending_path))


def _take_back(log: Run, found: Mapping[tuple[str, str], Past], broken: set[tuple[str, str, str]]) -> None:
    """Cut the traces before the first broken group; the answers after it become pending."""
    groups = (_group_of(line.record) for line in read_lines(log.traces_path))
    kept = next(at for at, group in enumerate(groups) if group in broken)

    def answers() -> Iterator[dict[str, Any]]:
        for _, record in itertools.islice(read_records(log.traces_path), kept, None):
            source, policy, group = _group_of(record)
            found[source, policy].known.drop(group, record["rollout"])
            if record.get("error") is None:
                place = {name: record[name] for name in ("source", "policy", "group_id", "rollout")}
                yield place | {"record": record}

    log.take_back(kept, _pieces(answers()))


def _pieces(several: Iterable[T]) -> Iterator[list[T]]:
    """Chunks of a limited size."""
    rest = iter(several)
    while piece := list(itertools.islice(rest, _HELD_AT_ONCE)):
        yield piece


def _group_of(record: Mapping[str, Any]) -> tuple[str, str, str]:
    return record["source"], record["policy"], record["group_id"]


def _place(answer: Mapping[str, Any], log: Run) -> tuple[tuple[str, str], tuple[str, int]]:
    """Source, policy, group and rollout of a line of `pending.jsonl`."""
    names = ("source", "policy", "group_id")
    well = all(isinstance(answer.get(name), str) for name in names) and type(answer.get("rollout")) is int
    kinds = [answer[kind] for kind in ("completion", "episode", "record") if kind in answer]
    if not well or len(kinds) != 1 or not isinstance(kinds[0], dict):
        msg = f"a line of {log.pending_path} is not an answer; remove the file, or name another folder"
        raise InvalidRun(msg)
    return (answer["source"], answer["policy"]), (answer["group_id"], answer["rollout"])
