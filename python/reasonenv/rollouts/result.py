"""What `rollout` gives: trajectories in groups, as a sequence and as arrays."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from reasonenv.rewards.groups import Value, monte_carlo_value
from reasonenv.rollouts.records import Trajectory, fast_trajectory
from reasonenv.rollouts.samples import Group
from reasonenv.rollouts.summary import Summary

__all__ = ["Rollouts", "logged", "made"]


@dataclass(frozen=True, eq=False)
class Rollouts(Sequence[Trajectory]):
    """Trajectories in the order of sources, policies, tasks and rollouts, without the groups left out.

    Arrays have shape (n, K) for n groups of K rollouts. Where an endpoint failed, or a group has fewer than
    K rollouts, `mask` is False, rewards and advantages are 0 and `passed` is False.
    """

    groups: tuple[tuple[Trajectory, ...], ...]
    """The rollouts of each group."""
    summary: Summary
    """A row for each policy on each source."""
    dropped: int = 0
    """How many groups dynamic sampling left out."""

    def __len__(self) -> int:
        return len(self._all)

    @overload
    def __getitem__(self, index: int) -> Trajectory: ...
    @overload
    def __getitem__(self, index: slice) -> list[Trajectory]: ...
    def __getitem__(self, index: int | slice) -> Trajectory | list[Trajectory]:
        return self._all[index]

    @property
    def folder(self) -> Path | None:
        """The run's folder, if it was logged."""
        return self.summary.folder

    @property
    def mask(self) -> NDArray[np.bool_]:
        """Which rollouts were rewarded."""
        return self._column(lambda one: one.reward is not None, np.bool_)

    @property
    def rewards(self) -> NDArray[np.float64]:
        """The reward of each rollout."""
        return self._column(lambda one: one.reward or 0.0, np.float64)

    @property
    def advantages(self) -> NDArray[np.float64]:
        """The advantage of each rollout."""
        return self._column(lambda one: one.advantage or 0.0, np.float64)

    @property
    def passed(self) -> NDArray[np.bool_]:
        """Whether each rollout passed."""
        return self._column(lambda one: bool(one.passed), np.bool_)

    @property
    def values(self) -> Value:
        """The mean return of each group, with its standard error: the value of what it goes on from."""
        return monte_carlo_value(self.rewards, mask=self.mask)

    @property
    def errors(self) -> list[Trajectory]:
        """The rollouts whose endpoint failed; the same call asks for them again where the run is logged."""
        return [one for one in self if one.error is not None]

    def __repr__(self) -> str:
        return f"<Rollouts: {len(self.groups)} groups, {len(self)} rollouts, {len(self.errors)} errors>"

    @cached_property
    def _all(self) -> list[Trajectory]:
        return [one for group in self.groups for one in group]

    def _column(self, of: Callable[[Trajectory], float], dtype: Any) -> NDArray[Any]:
        most = max(map(len, self.groups), default=0)
        found = np.zeros((len(self.groups), most), dtype)
        for i, group in enumerate(self.groups):
            found[i, : len(group)] = [of(one) for one in group]
        return found


def made(groups: Sequence[Group], summary: Summary) -> Rollouts:
    """Groups as a caller gets them, in this order."""
    kept = [group for group in groups if not group.dropped]
    found = tuple(tuple(fast_trajectory(one.record()) for one in group.samples) for group in kept)
    return Rollouts(found, summary, len(groups) - len(kept))


def logged(summary: Summary) -> Rollouts:
    """The rollouts of a finished run, in the order in which it was asked for them."""
    assert summary.folder is not None, "a finished run has a folder"
    groups: dict[tuple[str, str, str], list[Trajectory]] = {}
    for one in Trajectory.load(summary.folder):
        groups.setdefault((one.source, one.policy, one.group_id), []).append(one)
    kept = {place: group for place, group in groups.items() if not group[0].dropped}
    order = {(row.source, row.policy): at for at, row in reversed(list(enumerate(summary.rows)))}
    places = sorted(kept, key=lambda place: order.get(place[:2], len(order)))
    return Rollouts(tuple(tuple(kept[place]) for place in places), summary, len(groups) - len(kept))
