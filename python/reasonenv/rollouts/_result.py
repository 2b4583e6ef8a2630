"""Results of `rollout`: trajectories in groups, as a sequence and as arrays."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from reasonenv._records import Record, as_record
from reasonenv._trees import TREES, SearchTree, read_trees
from reasonenv.rewards.groups import ValueEstimate, monte_carlo_value
from reasonenv.rollouts._samples import Group, Sample
from reasonenv.rollouts._summary import Summary


class Rollouts(Sequence[Record]):
    """Trajectories in the order of sources, policies, tasks and rollouts, without dropped groups.

    Arrays have shape (n, K) for n groups of K rollouts. Where an endpoint failed, or a group has fewer than
    K rollouts, `mask` is False, rewards and advantages are NaN and `passed` is masked: a missing answer
    doesn't count as wrong. `rewards[mask].mean()` and `passed.mean()` cover verified rollouts only, and the
    functions of `reasonenv.rewards.groups` take `mask`.
    """

    def __init__(self, groups: Sequence[Group], summary: Summary) -> None:
        # Records are made on demand: training on arrays needs none.
        self._groups = groups
        self._kept = [group for group in groups if not group.dropped]
        self.dropped: int = len(groups) - len(self._kept)
        """Number of groups that dynamic sampling left out."""
        self.summary: Summary = summary
        """One row for each policy on each source."""

    @cached_property
    def groups(self) -> tuple[tuple[Record, ...], ...]:
        """Rollouts of each group."""
        return tuple(tuple(as_record(one.record()) for one in group.samples) for group in self._kept)

    @cached_property
    def _all(self) -> list[Record]:
        return [one for group in self.groups for one in group]

    def __len__(self) -> int:
        return sum(len(group.samples) for group in self._kept)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> list[Record]: ...
    def __getitem__(self, index: int | slice) -> Record | list[Record]:
        return self._all[index]

    @property
    def folder(self) -> Path | None:
        """The run's folder, if it was saved."""
        return self.summary.folder

    @property
    def mask(self) -> NDArray[np.bool_]:
        """True for rewarded rollouts; False where an endpoint failed or a group has fewer than K."""
        return self._column(lambda one: one.reward is not None, np.bool_)

    @property
    def rewards(self) -> NDArray[np.float64]:
        """Reward of each rollout; NaN where `mask` is False."""
        return self._column(lambda one: one.reward, np.float64, np.nan)

    @property
    def advantages(self) -> NDArray[np.float64]:
        """Advantage of each rollout; NaN where `mask` is False."""
        return self._column(lambda one: one.advantage, np.float64, np.nan)

    @property
    def passed(self) -> np.ma.MaskedArray[Any, np.dtype[np.bool_]]:
        """True for each rollout that passed; masked where a verdict is missing."""
        judged = self._column(lambda one: one.passed is not None, np.bool_)
        return np.ma.MaskedArray(self._column(lambda one: bool(one.passed), np.bool_), mask=~judged)

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """True for each rollout whose text or episode was cut off."""
        return self._column(lambda one: one.truncated, np.bool_)

    @property
    def values(self) -> ValueEstimate:
        """Mean return of each group, with its standard error: the value of the state it continues from."""
        return monte_carlo_value(self.rewards, mask=self.mask)

    @cached_property
    def trees(self) -> list[SearchTree]:
        """Search trees in the order of the groups, dropped ones included; empty unless the run grew any."""
        grown = {group.id: group.tree for group in self._groups if group.tree is not None}
        if self.folder is None or not (self.folder / TREES).is_file():
            return list(grown.values())
        records = ((group.id, group.samples[0].record()) for group in self._groups if group.samples)
        places = {(record["policy"], group): at for at, (group, record) in enumerate(records)}
        trees = list(read_trees(self.folder))
        return sorted(trees, key=lambda tree: places.get((tree.policy, tree.group_id), len(places)))

    @property
    def errors(self) -> list[Record]:
        """Rollouts whose endpoint failed; the same call asks for them again if the run is saved."""
        return [one for one in self if one.error is not None]

    def __repr__(self) -> str:
        failed = sum(sample.error is not None for group in self._kept for sample in group.samples)
        left_out = f", {self.dropped} groups dropped" if self.dropped else ""
        return f"<Rollouts: {len(self._kept)} groups, {len(self)} rollouts, {failed} errors{left_out}>"

    def _column(
        self, of: Callable[[Sample], float | None], dtype: Any, missing: float = False
    ) -> NDArray[Any]:
        most = max((len(group.samples) for group in self._kept), default=0)
        found = np.full((len(self._kept), most), missing, dtype)
        for i, group in enumerate(self._kept):
            found[i, : len(group.samples)] = [of(one) for one in group.samples]
        return found


def logged(summary: Summary) -> Rollouts:
    """Rollouts of a finished run, in the order in which they were requested."""
    assert summary.folder is not None, "a finished run has a folder"
    groups: dict[tuple[str, int | None, str, str], Group] = {}
    levels = {row.source: row.level for row in summary}
    by_level = len({(row.source, row.level) for row in summary}) > len(levels)
    for one in Record.load(summary.folder):
        place = (one.source, one.level if by_level else levels.get(one.source), one.policy, one.group_id)
        group = groups.setdefault(place, Group(one.group_id, []))
        group.samples.append(Sample.of_record(one.to_dict(), fresh=False))
    order = {(row.source, row.level, row.policy): at for at, row in enumerate(summary)}
    places = sorted(groups, key=lambda place: order.get(place[:3], len(order)))
    return Rollouts([groups[place] for place in places], summary)
