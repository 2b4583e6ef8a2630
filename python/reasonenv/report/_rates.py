"""Pass rates over groups of rollouts, counted as records stream by: a group takes a few dozen bytes."""

from abc import ABC, abstractmethod
from array import array
from collections.abc import Collection, Iterable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from reasonenv._intervals import clustered_interval
from reasonenv.rewards.groups import pass_at_k

Counts: TypeAlias = NDArray[np.int64]


class PassRate(ABC):
    """Pass rate over groups of rollouts."""

    @abstractmethod
    def counts(self) -> tuple[Counts, Counts]:
        """Number of rollouts that passed, and of all, in each group."""

    @abstractmethod
    def keys(self) -> Counts:
        """Hash of each group's problem."""

    @property
    def passed(self) -> int:
        """Number of rollouts that passed."""
        return int(self.counts()[0].sum())

    @property
    def tried(self) -> int:
        """Number of rollouts."""
        return int(self.counts()[1].sum())

    @property
    def rate(self) -> float:
        """Share of the rollouts that passed."""
        return self.passed / max(1, self.tried)

    @property
    def interval(self) -> tuple[float, float]:
        """95% interval, clustered by problem, as rollouts of one problem are alike."""
        _, problem = np.unique(self.keys(), return_inverse=True)
        passed, tried = (np.bincount(problem, column).astype(np.int64) for column in self.counts())
        return clustered_interval(passed.tolist(), tried.tolist())

    @property
    def pass_at(self) -> dict[int, float]:
        """Unbiased pass@k for k = 1, 2, 4 … up to the smallest group."""
        passed, tried = self.counts()
        size = int(tried.min(initial=tried.max(initial=0)))
        ks = [1 << at for at in range(size.bit_length()) if 1 << at <= size]
        ks += [size] if size and ks[-1] != size else []
        # A million groups are a few kinds of groups.
        kinds, times = np.unique(np.stack([tried, passed]), axis=1, return_counts=True)
        rows = list(zip(*kinds.tolist(), times.tolist(), strict=True))
        return {k: sum(pass_at_k(n, c, k) * count for n, c, count in rows) / len(tried) for k in ks}

    @property
    def bands(self) -> tuple[float, float, float]:
        """Shares of the groups that failed throughout, were mixed, and passed throughout."""
        passed, tried = self.counts()
        count = max(1, len(tried))
        failed, right = int((passed == 0).sum()), int((passed == tried).sum())
        return failed / count, (len(tried) - failed - right) / count, right / count

    def __len__(self) -> int:
        return len(self.counts()[1])


class Rate(PassRate):
    """Pass rate, counted rollout by rollout."""

    def __init__(self) -> None:
        self._places: dict[int, int] = {}
        self._passed, self._tried = array("I"), array("I")
        self._keys = array("q")

    def add(self, group: str, passed: bool, problem: str | None = None) -> int | None:
        """Count a rollout. Return the position of its group if the group is new."""
        key, new = hash(group), len(self._tried)
        place = self._places.setdefault(key, new)
        if place == new:
            self._passed.append(0)
            self._tried.append(0)
            self._keys.append(hash(problem or group))
        self._passed[place] += passed
        self._tried[place] += 1
        return new if place == new else None

    @property
    def groups(self) -> Collection[int]:
        """Hashes of the groups."""
        return self._places.keys()

    def counts(self) -> tuple[Counts, Counts]:
        """Number of rollouts that passed, and of all, in each group."""
        return np.array(self._passed, np.int64), np.array(self._tried, np.int64)

    def keys(self) -> Counts:
        """Hash of each group's problem."""
        return np.array(self._keys, np.int64)


class Part(PassRate):
    """Pass rate of selected groups of other rates."""

    def __init__(self) -> None:
        self._of: dict[int, tuple[Rate, array[int]]] = {}

    def add(self, rate: Rate, place: int) -> None:
        """Select a group of a rate by its position."""
        self._of.setdefault(id(rate), (rate, array("I")))[1].append(place)

    def counts(self) -> tuple[Counts, Counts]:
        """Number of rollouts that passed, and of all, in each group."""
        found = [(rate.counts(), np.array(places, np.int64)) for rate, places in self._of.values()]
        passed, tried = ([columns[at][places] for columns, places in found] for at in (0, 1))
        none = [np.zeros(0, np.int64)]
        return np.concatenate(passed or none), np.concatenate(tried or none)

    def keys(self) -> Counts:
        """Hash of each group's problem."""
        found = [rate.keys()[np.array(places, np.int64)] for rate, places in self._of.values()]
        return np.concatenate(found or [np.zeros(0, np.int64)])


class PooledRate(PassRate):
    """Pass rate over all groups of several rates."""

    def __init__(self, rates: Iterable[PassRate]) -> None:
        self._rates = list(rates)

    def counts(self) -> tuple[Counts, Counts]:
        """Number of rollouts that passed, and of all, in each group."""
        found = [rate.counts() for rate in self._rates] or [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
        return np.concatenate([passed for passed, _ in found]), np.concatenate([tried for _, tried in found])

    def keys(self) -> Counts:
        """Hash of each group's problem."""
        return np.concatenate([np.zeros(0, np.int64), *(rate.keys() for rate in self._rates)])
