"""Shards of what several sources make, one source after the other: ranges whose bytes add up to the whole."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from reasonenv import _checks
from reasonenv._native import Batch, InvalidArgument

_CHUNK = 2048
"""Tasks made at once."""


class BatchSource(Protocol):
    """A source of tasks by their numbers: a `Source`, a `Mixture`."""

    def batch(self, start: int, count: int, /) -> Batch:
        """The items `start .. start + count`."""


def checked_shard(shard: object) -> tuple[int, int]:
    """A shard (i, n): the i-th of n parts, from 0.

    Raises:
        InvalidArgument: It is none.
    """
    if not isinstance(shard, tuple) or len(shard) != 2:
        msg = f"`shard` is {_checks.shown(shard)}, but must be (i, n), as in (0, 4)"
        raise InvalidArgument(msg)
    of = _checks.whole("shard[1]", shard[1], 1, _checks.LARGEST_COUNT)
    return _checks.whole("shard[0]", shard[0], 0, of - 1), of


def read_shard(text: str) -> tuple[int, int]:
    """A shard as the command line has it, "0/4".

    Raises:
        InvalidArgument: It is none.
    """
    at, slash, of = text.partition("/")
    if not (slash and at.isdecimal() and of.isdecimal() and len(text) < 24):
        msg = f"`--shard` is {text!r}, but must be I/N, as in 0/4"
        raise InvalidArgument(msg)
    return checked_shard((int(at), int(of)))


def shard_range(total: int, shard: tuple[int, int]) -> range:
    """Which of `total` items a shard holds: lengths differ by one at most, and all of them add up."""
    at, of = shard
    return range(total * at // of, total * (at + 1) // of)


def batches(
    sources: Sequence[BatchSource], n: int, places: range, start: int = 0
) -> Iterator[tuple[int, Batch]]:
    """The tasks at some places, in order, each batch with the number of its source.

    Place `p` is the item `start + p % n` of the source `p // n`.

    Args:
        sources: Where tasks come from.
        n: How many each one makes.
        places: Which ones, without gaps.
        start: The index of each source's first item.
    """
    at = places.start
    while at < places.stop:
        number, index = divmod(at, n)
        count = min(_CHUNK, n - index, places.stop - at)
        yield number, sources[number].batch(start + index, count)
        at += count
