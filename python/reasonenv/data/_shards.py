"""Shards of the tasks of several sources in sequence: ranges that concatenate to the whole."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from reasonenv import _checks
from reasonenv._native import Batch, InvalidArgument

_CHUNK = 2048
"""Tasks generated at once."""


class BatchSource(Protocol):
    """A source of tasks by index, like `Source` or `Mixture`."""

    def batch(self, start: int, count: int, /) -> Batch:
        """Return the tasks `start .. start + count`."""


def checked_shard(shard: object) -> tuple[int, int]:
    """Check a shard (i, n): the i-th of n parts, from 0.

    Raises:
        InvalidArgument: The argument is not a shard.
    """
    if not isinstance(shard, tuple) or len(shard) != 2:
        msg = f"`shard` is {_checks.shown(shard)}, but must be (i, n), as in (0, 4)"
        raise InvalidArgument(msg)
    of = _checks.whole("shard[1]", shard[1], 1, _checks.LARGEST_COUNT)
    return _checks.whole("shard[0]", shard[0], 0, of - 1), of


def read_shard(text: str) -> tuple[int, int]:
    """Read a shard in the form of the command line, "0/4".

    Raises:
        InvalidArgument: The text is not a shard.
    """
    at, slash, of = text.partition("/")
    if not (slash and at.isdecimal() and of.isdecimal() and len(text) < 24):
        msg = f"`--shard` is {text!r}, but must be I/N, as in 0/4"
        raise InvalidArgument(msg)
    return checked_shard((int(at), int(of)))


def shard_range(total: int, shard: tuple[int, int]) -> range:
    """Return the range of a shard among `total` tasks; lengths differ by at most one."""
    at, of = shard
    return range(total * at // of, total * (at + 1) // of)


def batches(
    sources: Sequence[BatchSource], n: int, places: range, start: int = 0
) -> Iterator[tuple[int, Batch]]:
    """Yield the tasks at a range of places, in order, each batch with the number of its source.

    Place `p` is task `start + p % n` of source `p // n`.

    Args:
        sources: Sources of the tasks.
        n: Number of tasks per source.
        places: Range of places, without gaps.
        start: Index of the first task of each source.
    """
    at = places.start
    while at < places.stop:
        number, index = divmod(at, n)
        count = min(_CHUNK, n - index, places.stop - at)
        yield number, sources[number].batch(start + index, count)
        at += count
