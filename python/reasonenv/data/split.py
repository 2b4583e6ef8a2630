"""Rows of one's own in splits that share no problem."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from reasonenv import _checks
from reasonenv._native import InvalidArgument, InvalidTask
from reasonenv.data._drawings import digest_of

__all__ = ["split_by_problem_id"]

_Item = TypeVar("_Item")


def split_by_problem_id(
    rows: Iterable[_Item],
    shares: Mapping[str, float] | None = None,
    *,
    seed: int = 0,
    key: Callable[[_Item], str] | None = None,
) -> dict[str, list[_Item]]:
    """Splits rows so that all rows of one problem_id land in one split.

    A problem_id's split follows from it and `seed` alone: rows added later move no other row.

    Args:
        rows: Mappings with a `problem_id`, or anything `key` reads one from.
        shares: Names of the splits and their shares, which add up to 1; by default 80 % train, 10 % eval and
            10 % test.
        seed: Another seed splits otherwise.
        key: Reads the id of a row.

    Returns:
        The rows of each split, in their order.

    Raises:
        InvalidArgument: The shares do not add up to 1, or an argument is of another type.
        InvalidTask: A row has no problem_id; names the row, counted from 0. An error that `key` raises comes
            out as it is.
    """
    shares = {"train": 0.8, "eval": 0.1, "test": 0.1} if shares is None else shares
    if not isinstance(shares, Mapping):
        msg = f"`shares` is {_checks.shown(shares)}, but must be a mapping of names to numbers, or None"
        raise InvalidArgument(msg)
    shares = {name: _checks.number(f"shares[{name!r}]", share, 0, 1) for name, share in shares.items()}
    if abs(math.fsum(shares.values()) - 1) > 1e-9:
        msg = f"`shares` are {shares}, but must be at least 0 and add up to 1"
        raise InvalidArgument(msg)
    seed = _checks.seed("seed", seed)
    if key is not None:
        _checks.function("key", key, "a callable of a row, or None")
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        msg = f"`rows` is {_checks.shown(rows)}, but must be several rows"
        raise InvalidArgument(msg)
    splits: dict[str, list[_Item]] = {name: [] for name in shares}
    ids: dict[str, set[str]] = {name: set() for name in shares}
    for number, row in enumerate(rows):
        problem_id = _problem_id(row) if key is None else key(row)
        if not isinstance(problem_id, str) or not problem_id:
            msg = f"row {number}: `problem_id` is {_checks.shown(problem_id)}, but must be text"
            raise InvalidTask(msg)
        place = int.from_bytes(digest_of("split", seed, problem_id)[:8], "big") / 2**64
        name = _share_at(shares, place)
        splits[name].append(row)
        ids[name].add(problem_id)
    total = sum(map(len, ids.values()))
    assert len(set().union(*ids.values())) == total, "a problem_id has one place, hence one split"
    return splits


def _problem_id(row: object) -> object:
    return row.get("problem_id") if isinstance(row, Mapping) else None


def _share_at(shares: Mapping[str, float], place: float) -> str:
    """The split at a place in [0, 1] when splits lie side by side; never one whose share is 0."""
    taken = [(name, share) for name, share in shares.items() if share > 0]
    for name, share in taken[:-1]:
        if place < share:
            return name
        place -= share
    return taken[-1][0]
