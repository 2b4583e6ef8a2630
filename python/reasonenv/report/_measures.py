"""The content of a report, counted as records stream by, in memory that grows with the number of groups."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from reasonenv.data._traces import is_judged, is_passed
from reasonenv.report._curves import Curves
from reasonenv.report._played import EpisodeCounts, is_played
from reasonenv.report._rates import Part, PassRate, PooledRate, Rate
from reasonenv.report._samples import Samples, placed
from reasonenv.report._sources import Sources

BY_VERSION = "Pass rate by version of the policy"
OVER_RUN = "Pass rate over the run"
LEVELS = "Level over the run"
REWARD_PARTS = "Reward parts by version of the policy"
STEPS = "Progress by reasoning step"


class ResultKey(NamedTuple):
    """The rollouts that a cell counts."""

    source: str
    family: str
    level: int | None
    policy: str


@dataclass
class Cell:
    """Results of one policy on one family of a source at one level."""

    rate: Rate = field(default_factory=Rate)
    score: float = 0.0
    reward: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    failed_score: float = 0.0

    def add(self, group: str, record: Mapping[str, Any]) -> int | None:
        """Count a rollout. Return the position of its group if the group is new."""
        verdict, passed = record["verdict"], is_passed(record)
        score = verdict.get("score") or 0.0
        self.score += score
        self.reward += record["reward"] or 0.0
        if not passed:
            self.failed += 1
            self.failed_score += score
            self.failures.update(verdict.get("failures") or ())
        return self.rate.add(group, passed, record.get("key"))

    @property
    def mean_score(self) -> float:
        """Mean score of all rollouts."""
        return self.score / max(1, self.rate.tried)

    @property
    def mean_reward(self) -> float:
        """Mean reward of all rollouts."""
        return self.reward / max(1, self.rate.tried)


class Measures:
    """Everything that a report counts.

    Args:
        config: The run's `config.json`, or nothing.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        self.config = config or {}
        self.sources = Sources(self.config)
        self.cells: dict[ResultKey, Cell] = defaultdict(Cell)
        self.settings: dict[tuple[str, str, str], Part] = defaultdict(Part)
        """Pass rates of all policies together, by family, setting and value."""
        self.curves = Curves()
        self.samples = Samples()
        self.played: dict[tuple[str, str], EpisodeCounts] = defaultdict(EpisodeCounts)
        """Episodes of games, by source and policy."""
        self.starts: set[int] = set()
        """Hashes of the starts of games."""
        self.rollouts = 0
        self.unjudged = 0
        """Rollouts without a verdict: an endpoint failed, or an episode was cut off."""

    def read(self, records: Iterable[Mapping[str, Any]]) -> "Measures":
        """Count records and return the measures."""
        for record in records:
            policy, source, kind = placed(record)
            if is_played(record):
                self.played[source, policy].add(record)
                self.starts.add(hash(str(record.get("group_id") or record["task_id"])))
            elif is_judged(record):
                self._count(record, source, kind, policy)
            else:
                self.unjudged += 1
                continue
            self.rollouts += 1
            self.samples.add(record, source, kind, policy)
        return self

    def _count(self, record: Mapping[str, Any], source: str, kind: str, policy: str) -> None:
        group, level = str(record.get("group_id") or record["task_id"]), record.get("level")
        cell = self.cells[ResultKey(source, kind, level, policy)]
        place = cell.add(group, record)
        if place is not None:
            for name, value in self.sources.settings(source, level, kind, record["task_id"]):
                self.settings[kind, name, value].add(cell.rate, place)
        version = _number(record.get("policy_version"))
        if version is not None:
            self.curves.add(BY_VERSION, policy, version, is_passed(record))
            for name, part in (record.get("reward_parts") or {}).items():
                self.curves.add(f"{REWARD_PARTS}: {policy}", name, version, part)
        if self.sources.has_curriculum(source):
            if version is None:
                self.curves.add(OVER_RUN, policy, self.rollouts, is_passed(record))
            if level is not None:
                self.curves.add(LEVELS, kind, self.rollouts, level)
        for step, score in enumerate(record.get("process_scores") or (), 1):
            self.curves.add(STEPS, policy, step, score)

    @property
    def tasks(self) -> int:
        """Number of tasks that were tried."""
        return len(set().union(*(cell.rate.groups for cell in self.cells.values())))

    @property
    def policies(self) -> list[str]:
        """Policies by name."""
        return sorted({key.policy for key in self.cells} | {policy for _, policy in self.played})

    def pool(self, **of: object) -> PooledRate:
        """Pass rate over the cells whose key has these values."""
        return PooledRate(
            cell.rate
            for key, cell in self.cells.items()
            if all(getattr(key, name) == value for name, value in of.items())
        )

    def ranked(self) -> list[tuple[str, PassRate]]:
        """The policies that answered tasks with their pass rates, the best first."""
        pools = {name: self.pool(policy=name) for name in sorted({key.policy for key in self.cells})}
        return sorted(pools.items(), key=lambda one: -one[1].rate)

    def baselines(self) -> dict[tuple[str, int | None], dict[str, Rate]]:
        """Pass rates of blind policies on the run's own items, by source and level."""
        places = dict.fromkeys((key.source, key.level) for key in self.cells)
        return {
            place: found
            for place in places
            if (found := self.sources.baselines(*place, without=self.policies))
        }


def _number(version: object) -> int | None:
    """A version as a step of training: a whole number, alone or at the end of a name."""
    digits = str(version or "")
    digits = digits[len(digits.rstrip("0123456789")) :]
    return int(digits) if digits and len(digits) < 16 else None
