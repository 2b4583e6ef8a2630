"""Mixtures of the caller's rows with families."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, overload

from reasonenv import _checks, _native
from reasonenv._native import Batch, Family, InvalidArgument, Source, Task, Verdict, Verdicts, family
from reasonenv.data._rows import Row, Rows, shuffled
from reasonenv.types import SplitName

_BLOCK = 1024
"""Indices in which each source has its share, so that any index is found without those before it."""


class MixedTasks(Sequence[Task | Row]):
    """Tasks of families and rows in one sequence, with the columns of `Rows`."""

    def __init__(self, items: Sequence[Task | Row], ids: Sequence[str]) -> None:
        self._items, self._ids = list(items), list(ids)

    @property
    def ids(self) -> list[str]:
        """Ids in order; a row that comes once more has another id."""
        return self._ids

    @property
    def prompts(self) -> list[str]:
        """Prompts in order."""
        return [item.prompt for item in self._items]

    @property
    def solutions(self) -> list[str]:
        """Right answers in order, for `wrap`."""
        return [item.solution if isinstance(item, Row) else item.solution.answer for item in self._items]

    def tasks(self, indices: Iterable[int], /) -> "MixedTasks":
        """Return the tasks at any indices, in the order of the indices."""
        chosen = list(indices)
        return MixedTasks([self._items[at] for at in chosen], [self._ids[at] for at in chosen])

    def repeat(self, count: int) -> "MixedTasks":
        """Return each task `count` times in succession."""
        return self.tasks(at for at in range(len(self)) for _ in range(count))

    def verify(self, texts: Sequence[str]) -> Verdicts:
        """Verify one completion per task, those of one verifier together."""
        groups: dict[object, list[int]] = {}
        for at, item in enumerate(self._items):
            groups.setdefault(id(item.verifier) if isinstance(item, Row) else None, []).append(at)
        found: dict[int, Verdict] = {}
        for places in groups.values():
            items = [self._items[at] for at in places]
            given = [texts[at] for at in places]
            first = items[0]
            if isinstance(first, Row):
                verdicts = first.verifier(given, [item.answer for item in items if isinstance(item, Row)])
            else:
                verdicts = Batch([item for item in items if isinstance(item, Task)]).verify(given)
            found |= dict(zip(places, verdicts, strict=True))
        return Verdicts([found[at] for at in range(len(self))])

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> Task | Row: ...
    @overload
    def __getitem__(self, index: slice) -> "MixedTasks": ...
    def __getitem__(self, index: int | slice) -> "Task | Row | MixedTasks":
        places = range(len(self))[index]
        return self._items[places] if isinstance(places, int) else self.tasks(places)

    def __repr__(self) -> str:
        return f"MixedTasks({len(self)} tasks)"


class RowMixture:
    """A source over rows and families: each index has a task of one of `sources`, drawn with `weights`.

    A family is drawn from as in a `Mixture`. Rows come in rounds: each once, in an order that `seed` decides,
    then each once more in another order.
    """

    def __init__(self, sources: Any, weights: Any = None, split: SplitName = "train", seed: int = 0) -> None:
        if isinstance(sources, Mapping):
            if weights is not None:
                msg = "`weights` are given, but `sources` has weights; leave one out"
                raise InvalidArgument(msg)
            sources, weights = list(sources), list(sources.values())
        self.seed = _checks.seed("seed", seed)
        self.split = split
        self.sources: list[Rows | Source] = [
            _source(one, at, split, self.seed) for at, one in enumerate(sources)
        ]
        given = [1.0] * len(self.sources) if weights is None else list(weights)
        if len(given) != len(self.sources):
            msg = f"{len(given)} `weights` for {len(self.sources)} `sources`; give one for each"
            raise InvalidArgument(msg)
        shares = [_checks.number(f"weights[{at}]", weight, 0) for at, weight in enumerate(given)]
        if not sum(shares):
            msg = "`weights` are all 0, but one at least must be positive"
            raise InvalidArgument(msg)
        self.weights = [share / sum(shares) for share in shares]
        """Probability of each source."""
        self._counts = _shares(self.weights)

    def task(self, index: int, /) -> Task | Row:
        """Return the task at `index`."""
        return self.batch(index, 1)[0]

    def batch(self, start: int, count: int, /) -> MixedTasks:
        """Return the tasks `start .. start + count`."""
        items: list[Task | Row] = []
        ids: list[str] = []
        for index in range(start, start + count):
            drawn, before = self._draw(index)
            source = self.sources[drawn]
            if isinstance(source, Rows):
                turn, at = divmod(before, len(source))
                row = source.task(_order(len(source), self.seed, drawn, turn)[at])
                items.append(row)
                # Two sources may have the same rows.
                ids.append(
                    "/".join([row.id, *([f"{drawn}"] if drawn else []), *([f"round-{turn}"] * (turn > 0))])
                )
            else:
                task = source.task(index)
                items.append(task)
                ids.append(task.id)
        return MixedTasks(items, ids)

    def _draw(self, index: int) -> tuple[int, int]:
        """The source of an index, and how often it was drawn before."""
        block, rest = divmod(index, _BLOCK)
        drawn = _block(self.seed, self._counts, block)
        which = drawn[rest]
        return which, block * self._counts[which] + drawn[:rest].count(which)

    def __iter__(self) -> Iterator[Task | Row]:
        """Yield the tasks without end."""
        start = 0
        while True:
            yield from self.batch(start, _BLOCK)
            start += _BLOCK

    def __repr__(self) -> str:
        return f"Mixture({self.sources!r}, weights={self.weights!r}, split={self.split!r}, seed={self.seed})"


def _source(given: Any, at: int, split: SplitName, seed: int) -> Rows | Source:
    if isinstance(given, Rows | Source):
        return given
    named, level = given if isinstance(given, tuple) and len(given) == 2 else (given, 0)
    if isinstance(named, str | Family):
        return family(named if isinstance(named, str) else named.name).source(
            level=level, split=split, seed=seed
        )
    msg = f"`sources[{at}]` is {_checks.shown(given)}, but must be rows, a family, its name or a Source"
    raise InvalidArgument(msg)


def _shares(weights: Sequence[float]) -> tuple[int, ...]:
    """Indices of a block for each source, by largest remainder; a source with any weight has some."""
    exact = [weight * _BLOCK for weight in weights]
    counts = [max(int(share), int(share > 0)) for share in exact]
    order = sorted(range(len(exact)), key=lambda at: counts[at] - exact[at])
    for at in order[: max(0, _BLOCK - sum(counts))]:
        counts[at] += 1
    while sum(counts) > _BLOCK:
        counts[max(range(len(counts)), key=lambda at: counts[at])] -= 1
    return tuple(counts)


@lru_cache(maxsize=64)
def _block(seed: int, counts: tuple[int, ...], block: int) -> tuple[int, ...]:
    """The sources of a block of indices."""
    drawn = [which for which, count in enumerate(counts) for _ in range(count)]
    digest = hashlib.sha256(f"reasonenv/mixture/{seed}/{block}".encode()).digest()
    return tuple(drawn[at] for at in shuffled(_BLOCK, int.from_bytes(digest[:8], "big")))


@lru_cache(maxsize=64)
def _order(count: int, seed: int, drawn: int, turn: int) -> list[int]:
    """The order of a source's rows in one round."""
    digest = hashlib.sha256(f"reasonenv/mixture/{seed}/{drawn}/{turn}".encode()).digest()
    return shuffled(count, int.from_bytes(digest[:8], "big"))


class _MixtureType(type):
    """Makes mixtures with and without rows instances of one class."""

    def __instancecheck__(cls, given: object) -> bool:
        return isinstance(given, _native.Mixture | RowMixture)


class AnyMixture(metaclass=_MixtureType):
    """Several sources as one: each index has a task of one of `sources`, drawn with `weights`.

    A source is the name of a family or a `Family`, at level 0, a pair of one and a level, a `Source` with its
    own params, style and seed, or rows of `from_rows`. `split` and `seed` apply to all but `Source`s.
    No task of a family appears twice; rows come in rounds, each once in a round. The draw depends only on the
    mixture, `seed` and the index. A mapping gives each source its weight: `Mixture({"chain_sum": 3, "sudoku":
    1})`.

    Raises:
        InvalidArgument: `sources` is empty, their splits differ, or there is not a finite weight for each
            source, none negative, some positive. Weights need not sum to 1.
    """

    def __new__(cls, sources: Any, *, weights: Any = None, split: SplitName = "train", seed: int = 0) -> Any:
        """Make a mixture: of the core, which knows no rows, unless there are some."""
        if isinstance(sources, Iterable) and not isinstance(sources, str) and _has_rows(sources):
            return RowMixture(sources, weights, split, seed)
        return _native.Mixture(sources, weights=weights, split=split, seed=seed)


def _has_rows(sources: Iterable[Any]) -> bool:
    return isinstance(sources, Sequence | Mapping) and any(isinstance(one, Rows) for one in sources)


Mixture = AnyMixture
"""The class that `reasonenv.Mixture` names."""
