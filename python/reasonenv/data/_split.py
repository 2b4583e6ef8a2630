"""Splits of rows that share no problem."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from reasonenv import _checks
from reasonenv._native import InvalidArgument, InvalidTask
from reasonenv.data._drawings import digest_of

_Item = TypeVar("_Item")


def split_by_group(
    rows: Iterable[_Item],
    shares: Mapping[str, float] | None = None,
    *,
    seed: int = 0,
    group: str | Callable[[_Item], str] = "problem_id",
) -> dict[str, list[_Item]]:
    """Split rows so that all rows of a group are in the same split.

    The split of a group depends only on the group and `seed`, so adding rows moves no other row.

    Args:
        rows: Mappings with their group under a key, or any objects if `group` is a callable.
        shares: Names of the splits and their shares, which add up to 1; by default 80 % train, 10 % eval and
            10 % test.
        seed: Seed of the split.
        group: Key of the group in a row, or a callable that returns the group of a row.

    Returns:
        The rows of each split, in order.

    Raises:
        InvalidArgument: The shares do not add up to 1, or an argument is of another type.
        InvalidTask: A row has no group; names the row, counted from 0. An exception in the callable
            propagates unchanged.
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
    if not isinstance(group, str):
        _checks.function("group", group, "a name or a callable of a row")
    if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable):
        msg = f"`rows` is {_checks.shown(rows)}, but must be several rows"
        raise InvalidArgument(msg)
    splits: dict[str, list[_Item]] = {name: [] for name in shares}
    ids: dict[str, set[str]] = {name: set() for name in shares}
    for number, row in enumerate(rows):
        held = _named(row, group) if isinstance(group, str) else group(row)
        if not isinstance(held, str) or not held:
            called = group if isinstance(group, str) else "group"
            msg = f"row {number}: `{called}` is {_checks.shown(held)}, but must be text"
            raise InvalidTask(msg)
        name = share_at(shares, place_of("split", seed, held))
        splits[name].append(row)
        ids[name].add(held)
    total = sum(map(len, ids.values()))
    assert len(set().union(*ids.values())) == total, "a group has one place, hence one split"
    return splits


def _named(row: object, name: str) -> object:
    return row.get(name) if isinstance(row, Mapping) else None


def place_of(*parts: object) -> float:
    """Pseudo-random place in [0, 1) that depends only on the arguments."""
    return int.from_bytes(digest_of(*parts)[:8], "big") / 2**64


def share_at(shares: Mapping[str, float], place: float) -> str:
    """Split at a place in [0, 1], with the shares in sequence; never a split with a share of 0."""
    taken = [(name, share) for name, share in shares.items() if share > 0]
    for name, share in taken[:-1]:
        if place < share:
            return name
        place -= share
    return taken[-1][0]
