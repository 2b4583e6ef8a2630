"""A leaderboard: a file with one result per line, to which anyone can append and which everyone can check."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reasonenv import _checks
from reasonenv._files import NamedFile, lines, named, writing
from reasonenv._native import InvalidArgument, ReasonEnvError
from reasonenv._records import InvalidRun
from reasonenv.benchmark._entries import list_manifests, manifest, sha256
from reasonenv.benchmark._result import BenchmarkResult


@dataclass(frozen=True)
class LeaderboardRow:
    """A line of a leaderboard with a valid digest."""

    result: BenchmarkResult
    by: str
    """Author of the measurement."""
    note: str
    """Place to get the policy and the traces, in words or as an address."""
    date: str
    current: bool
    """True if its manifest comes with this version, unchanged."""


def append(
    path: str | os.PathLike[str], result: BenchmarkResult, *, by: str, note: str = "", date: str | None = None
) -> None:
    """Add a result to a leaderboard, which is created if it doesn't exist.

    Args:
        path: The file.
        result: The result to add.
        by: Author of the measurement.
        note: Place to get the policy and the traces.
        date: The day, such as 2026-11-22; today by default.

    Raises:
        InvalidArgument: The result is not of a manifest that comes with this version, is already in the
            file, or an argument is invalid.
        ReasonEnvError: The file is damaged; names the line.
        OSError: It cannot be written; names it.
    """
    place = _checks.path("path", path)
    if not _checks.text("by", by).strip():
        msg = "`by` is empty, but must say who measured it"
        raise InvalidArgument(msg)
    if not _is_current(result):
        msg = f"the result is of {result.manifest} with other items; only a whole manifest goes on a board"
        raise InvalidArgument(msg)
    brief = result.brief()
    if place.exists():
        for row in board(place):
            if row.result.digest == brief.digest:
                msg = f"{place} has this result of {result.policy} on {result.manifest} already"
                raise InvalidArgument(msg)
    today = date or datetime.now(UTC).date().isoformat()
    _checks.text("date", today)
    record = {"by": by, "note": _checks.text("note", note), "date": today, "result": brief.to_dict()}
    line = json.dumps(record | {"digest": sha256(record)}, separators=(",", ":")) + "\n"
    with NamedFile(os.fspath(place), "a", place) as file, named(place):
        file.write(line.encode("ascii"))


def board(path: str | os.PathLike[str]) -> list[LeaderboardRow]:
    """Rows of a leaderboard, ordered by manifest, best first.

    Raises:
        InvalidRun: A line was edited or isn't a result; names it.
        ReasonEnvError: The file isn't text.
        OSError: It cannot be read; names it.
    """
    rows = list(_read(_checks.path("path", path)))
    return sorted(rows, key=lambda row: (row.result.manifest, -row.result.pass_rate, row.result.policy))


def drop_stale(path: Path) -> None:
    """Remove the rows whose manifest has other items by now; the others are unchanged."""
    kept = [(line, row.current) for (_, line), row in zip(lines(os.fspath(path)), _read(path), strict=True)]
    if all(current for _, current in kept):
        return
    with writing(path) as file:
        file.writelines(line if line.endswith("\n") else line + "\n" for line, current in kept if current)


def _read(path: Path) -> Iterator[LeaderboardRow]:
    seen: set[str] = set()
    for number, line in lines(os.fspath(path)):
        where = f"line {number} of {path}"
        try:
            record: Any = json.loads(line)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict) or not isinstance(record.get("result"), dict):
            msg = f"{where} is not a result; fix it or remove it"
            raise InvalidRun(msg)
        digest = record.pop("digest", None)
        if sha256(record) != digest:
            msg = f"{where} was edited: its digest does not match; remove it, or append it again"
            raise InvalidRun(msg)
        if digest in seen:
            msg = f"{where} appears twice; remove one"
            raise InvalidRun(msg)
        seen.add(digest)
        try:
            result = BenchmarkResult.from_dict(record["result"])
        except ReasonEnvError as error:
            msg = f"{where}: {error}"
            raise InvalidRun(msg) from None
        if not result.adds_up:
            msg = f"{where} does not add up: its pass rate is not that of its entries"
            raise InvalidRun(msg)
        yield LeaderboardRow(
            result,
            str(record.get("by")),
            str(record.get("note")),
            str(record.get("date")),
            _is_current(result),
        )


def _is_current(result: BenchmarkResult) -> bool:
    return result.manifest in list_manifests() and manifest(result.manifest).digest == result.manifest_digest
