"""Curves along a run: means in a bounded number of places, however long the run is."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_MOST_PLACES = 64


class Point(NamedTuple):
    """A mean at a place, with its interval if it has one."""

    x: float
    y: float
    interval: tuple[float, float] | None = None


class Series:
    """Means over whole numbers. Neighbors merge as soon as there are too many places."""

    def __init__(self) -> None:
        self._width = 1
        self._sums: dict[int, list[float]] = {}

    def add(self, x: int, value: float) -> None:
        """Count a value."""
        place = self._sums.setdefault(x // self._width, [0.0, 0, 0])
        place[0] += value
        place[1] += 1
        place[2] += x
        while len(self._sums) > _MOST_PLACES:
            self._width *= 2
            merged: dict[int, list[float]] = {}
            for at, sums in self._sums.items():
                both = merged.setdefault(at // 2, [0.0, 0, 0])
                both[:] = [one + other for one, other in zip(both, sums, strict=True)]
            self._sums = merged

    def points(self) -> list[Point]:
        """The means, in order."""
        return [Point(at / count, total / count) for _, (total, count, at) in sorted(self._sums.items())]

    def __len__(self) -> int:
        return len(self._sums)


class Curves(Mapping[str, Mapping[str, Series]]):
    """Series by the name of the chart and of the line. A chart needs two places."""

    def __init__(self) -> None:
        self._charts: dict[str, dict[str, Series]] = defaultdict(dict)

    def add(self, chart: str, line: str, x: int, value: float) -> None:
        """Count a value of a line."""
        self._charts[chart].setdefault(line, Series()).add(x, value)

    def __getitem__(self, chart: str) -> Mapping[str, Series]:
        return {line: series for line, series in self._charts[chart].items() if len(series) > 1}

    def __iter__(self) -> Iterator[str]:
        return (chart for chart, lines in self._charts.items() if any(len(one) > 1 for one in lines.values()))

    def __len__(self) -> int:
        return sum(1 for _ in self)
